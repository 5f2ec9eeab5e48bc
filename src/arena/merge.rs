//! Puts the parts of a match together that were played with `--shard`.

use super::log::{self, GAMES, LogError};
use super::record::PlayedGame;
use crate::shard::{Shard, difference};
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
    /// There are no parts.
    #[error("no folders to merge")]
    Nothing,
    /// The result is there already.
    #[error("{path} is there already", path = .0.display())]
    Exists(PathBuf),
    /// The result, a file of this path, cannot be written.
    #[error("{path}: {1}", path = .0.display())]
    Write(PathBuf, io::Error),
    /// A part of another match.
    #[error("'{folder}' and '{first}' are not of one match: {field} is {found} and {expected}", folder = folder.display(), first = first.display())]
    OtherMatch {
        /// The folder.
        folder: PathBuf,
        /// Another folder.
        first: PathBuf,
        /// What is different.
        field: String,
        /// In the folder.
        found: String,
        /// In the other one.
        expected: String,
    },
    /// A part is there twice.
    #[error("overlap: shard {shard} is in '{first}' and in '{second}'", first = first.display(), second = second.display())]
    Overlap {
        /// The shard.
        shard: Shard,
        /// A folder.
        first: PathBuf,
        /// Another folder.
        second: PathBuf,
    },
    /// A part is missing.
    #[error("gap: shard {index}/{count} is missing")]
    MissingShard {
        /// Which, from 0.
        index: u64,
        /// How many there are.
        count: u64,
    },
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
    let path = out.join(GAMES);
    if path.exists() {
        return Err(MatchMergeError::Exists(path));
    }
    let mut shards: BTreeMap<u64, &PathBuf> = BTreeMap::new();
    let mut whole: Option<(&PathBuf, Value, u64)> = None;
    let mut games: BTreeMap<u64, PlayedGame> = BTreeMap::new();
    for folder in folders {
        let (mut terms, played) = log::read_folder(folder)?;
        let shard = log::shard_of(&folder.join(GAMES), &terms)?;
        terms["shard"] = Value::Null;
        match &whole {
            None => whole = Some((folder, terms, shard.count())),
            Some((first, expected, count)) => {
                let difference = difference(&terms, expected).or_else(|| {
                    let counts = ("number of shards".to_owned(), shard.count().to_string(), count.to_string());
                    (shard.count() != *count).then_some(counts)
                });
                if let Some((field, found, expected)) = difference {
                    let (folder, first) = (folder.clone(), (*first).clone());
                    return Err(MatchMergeError::OtherMatch { folder, first, field, found, expected });
                }
            }
        }
        if let Some(first) = shards.insert(shard.index(), folder) {
            return Err(MatchMergeError::Overlap { shard, first: first.clone(), second: folder.clone() });
        }
        games.extend(played.into_iter().map(|game| (game.game, game)));
    }
    let Some((_, terms, count)) = whole else { return Err(MatchMergeError::Nothing) };
    if let Some(index) = (0..count).find(|index| !shards.contains_key(index)) {
        return Err(MatchMergeError::MissingShard { index, count });
    }
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
