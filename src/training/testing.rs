//! What the tests of several steps need.

use super::chunk::{Chunk, ChunkHeader, Origin};
use super::production::ChunkMaker;
use super::selfplay::{SelfPlay, SelfPlaySettings};
use crate::eval::EvaluatorKind;
use crate::search::Depth;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// A folder with the files of these numbers, each with twenty games played badly.
pub(super) fn games(numbers: Range<u64>, origin: Origin) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = SelfPlaySettings { depth: Depth::new(1).unwrap(), exact: 6, ..SelfPlaySettings::default() };
    let mut player = SelfPlay::new(settings, 9, 20, EvaluatorKind::Mobility.build());
    for number in numbers {
        let samples = player.make(number, &AtomicBool::new(false), &|_| {}).unwrap().unwrap();
        let origin = origin.clone();
        let header = ChunkHeader { origin, first_game: 20 * number, games: 20, ..ChunkHeader::default() };
        Chunk { header, samples }.write(&folder.path().join(Chunk::file_name(number))).unwrap();
    }
    folder
}
