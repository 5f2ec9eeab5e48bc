//! Puts the parts of a match together that were played with `--shard`.

use super::log::{self, GAMES, LogError, difference};
use super::record::PlayedGame;
use crate::shard::{Parts, PartsError};
use crate::whole_file::write_whole;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why parts cannot be put together.
#[derive(Debug, Error)]
pub enum MatchMergeError {
    /// A log cannot be used.
    #[error(transparent)]
    Log(#[from] LogError),
    /// They do not make the whole.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// The result is there already.
    #[error("{path} is there already", path = .0.display())]
    Exists(PathBuf),
    /// The result, a file of this path, cannot be written.
    #[error("{path}: {1}", path = .0.display())]
    Write(PathBuf, io::Error),
    /// A game, the first such, from 0, is missing in this shard.
    #[error(
        "gap: game {0} is missing; its shard, {1}, is not complete: run it again (--resume goes on where it ended)"
    )]
    MissingGame(u64, String),
}

/// Writes the log of the whole match to a new folder, and says how many games it has. Every shard must be there once. A part
/// that ended early leaves a gap between the games of the others and is refused; whether games are missing at the very
/// end only the schedule knows, and a match that is resumed in the new folder plays them.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<usize, MatchMergeError> {
    if let Some(path) = log::in_the_way(out) {
        return Err(MatchMergeError::Exists(path));
    }
    let path = out.join(GAMES);
    let mut parts = Parts::default();
    for folder in folders {
        let (mut terms, played) = log::read_folder(folder)?;
        let shard = log::shard_of(&folder.join(GAMES), &terms)?;
        terms["shard"] = Value::Null;
        parts.add(folder.display().to_string(), shard, (terms, played), difference)?;
    }
    let (terms, shards) = parts.whole()?;
    let count = shards.len() as u64;
    let games = shards.into_iter().flat_map(|(_, played)| played);
    let games: BTreeMap<u64, PlayedGame> = games.map(|game| (game.game, game)).collect();
    if let Some((game, _)) = (0..).zip(games.keys()).find(|(expected, found)| expected != *found) {
        return Err(MatchMergeError::MissingGame(game, format!("{}/{count}", game / 2 % count)));
    }
    let mut text = format!("{terms}\n");
    for game in games.values() {
        let failed = |error: serde_json::Error| MatchMergeError::Write(path.clone(), error.into());
        text += &serde_json::to_string(game).map_err(failed)?;
        text.push('\n');
    }
    let written = std::fs::create_dir_all(out).and_then(|()| write_whole(&path, text.as_bytes()));
    written.map_err(|error| MatchMergeError::Write(path.clone(), error))?;
    Ok(games.len())
}
