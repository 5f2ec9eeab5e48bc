//! What the tests of several steps need.

use super::chunk::{Chunk, ChunkHeader};
use super::production::ChunkMaker;
use super::selfplay::{SelfPlay, SelfPlaySettings};
use crate::eval::EvaluatorKind;
use crate::search::Depth;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Writes the file of this number with twenty games played badly.
pub(super) fn write_games(folder: &Path, number: u64, header: ChunkHeader) {
    let settings = SelfPlaySettings { depth: Depth::new(1).unwrap(), exact: 6, ..SelfPlaySettings::default() };
    let mut player = SelfPlay::new(settings, 9, 20, EvaluatorKind::Mobility.build());
    let samples = player.make(number, &AtomicBool::new(false), &|_| {}).unwrap().unwrap();
    let header = ChunkHeader { first_game: 20 * number, games: 20, ..header };
    Chunk { header, samples }.write(&folder.join(Chunk::file_name(number))).unwrap();
}
