//! The log of a match: one line of JSON for the terms, then one for each finished game.
//!
//! Lines are only ever appended, in the order of the schedule, each in one write. A match that was killed is taken up
//! behind the last whole line; a torn one is cut off and its game played again. So the finished log does not depend on
//! interruptions or on how many games were played at a time.

use super::record::PlayedGame;
use super::schedule::number_at;
use crate::notation::ggf::Ggf;
use crate::shard::Shard;
use serde_json::Value;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A log that is being written.
#[derive(Debug)]
pub struct MatchLog {
    games: File,
    ggf: File,
}

/// The file of the games in a match's folder.
pub const GAMES: &str = "games.jsonl";
/// The file of the games in GGF.
pub const GGF: &str = "games.ggf";

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The file or folder of this path cannot be read or written.
    #[error("{path}: {1}", path = .0.display())]
    Io(PathBuf, io::Error),
    /// There is a log of this path already.
    #[error("{path} holds a match already; add --resume to go on with it, or choose another folder", path = .0.display())]
    Exists(PathBuf),
    /// Another process writes to the log of this path.
    #[error("{path} is being written by another match", path = .0.display())]
    Busy(PathBuf),
    /// It belongs to another match.
    #[error("{path} was begun with other terms: {field} was {was}, and is now {now}; it can only be resumed with the same", path = path.display())]
    OtherTerms {
        /// The file.
        path: PathBuf,
        /// Which of the terms.
        field: String,
        /// What the log says.
        was: String,
        /// What was asked for.
        now: String,
    },
    /// A line, from 1, of the log of this path is not one of a log: what was expected.
    #[error("{path}, line {1}: {2}", path = .0.display())]
    Content(PathBuf, usize, String),
}

impl MatchLog {
    /// Begins a log in a folder, or goes on with the one that is there if `resume` says so. Also returns the games that
    /// are finished already.
    pub fn open(
        folder: &Path,
        terms: &Value,
        shard: Shard,
        resume: bool,
    ) -> Result<(MatchLog, Vec<PlayedGame>), LogError> {
        let path = folder.join(GAMES);
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| LogError::Io(path, error)
        };
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let mut games = File::options().create(true).read(true).append(true).open(&path).map_err(failed(&path))?;
        games.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => LogError::Busy(path.clone()),
            TryLockError::Error(error) => LogError::Io(path.clone(), error),
        })?;
        let mut text = Vec::new();
        games.read_to_end(&mut text).map_err(failed(&path))?;
        if !text.is_empty() && !resume {
            return Err(LogError::Exists(path));
        }
        let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            log::warn!("{}: the last line is torn and will be played again", path.display());
            games.set_len(whole as u64).map_err(failed(&path))?;
            games.seek(SeekFrom::End(0)).map_err(failed(&path))?;
        }
        let played = read(&path, &text[..whole], Some((terms, shard)))?;
        if whole == 0 {
            games.write_all(format!("{terms}\n").as_bytes()).map_err(failed(&path))?;
        }
        let ggf_path = folder.join(GGF);
        let mut ggf = File::create(&ggf_path).map_err(failed(&ggf_path))?;
        for game in &played {
            ggf.write_all(ggf_line(game).as_bytes()).map_err(failed(&ggf_path))?;
        }
        Ok((MatchLog { games, ggf }, played))
    }

    /// Appends a game.
    pub fn append(&mut self, game: &PlayedGame) -> io::Result<()> {
        let mut line = serde_json::to_string(game)?;
        line.push('\n');
        self.games.write_all(line.as_bytes())?;
        self.ggf.write_all(ggf_line(game).as_bytes())
    }
}

/// The terms and the games of a log that is not being written.
pub fn read_folder(folder: &Path) -> Result<(Value, Vec<PlayedGame>), LogError> {
    let path = folder.join(GAMES);
    let text = std::fs::read(&path).map_err(|error| LogError::Io(path.clone(), error))?;
    let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    let games = read(&path, &text[..whole], None)?;
    let first = text.split(|&b| b == b'\n').next().unwrap_or_default();
    let terms = serde_json::from_slice(first)
        .map_err(|error| LogError::Content(path, 1, format!("expected the terms of a match: {error}")))?;
    Ok((terms, games))
}

fn ggf_line(game: &PlayedGame) -> String {
    match game.annotated() {
        Ok(game) => format!("{}\n", Ggf(&game)),
        Err(error) => {
            log::error!("game {} is not written as GGF: {error}", game.game);
            String::new()
        }
    }
}

/// Reads whole lines: the terms, if they are given equal to these, and the games of the shard in their order.
fn read(path: &Path, text: &[u8], terms: Option<(&Value, Shard)>) -> Result<Vec<PlayedGame>, LogError> {
    let content = |line: usize, problem: String| LogError::Content(path.to_owned(), line, problem);
    let mut lines = text.split(|&b| b == b'\n').filter(|line| !line.is_empty()).enumerate();
    let Some((_, first)) = lines.next() else { return Ok(Vec::new()) };
    let logged: Value =
        serde_json::from_slice(first).map_err(|error| content(1, format!("expected the terms of a match: {error}")))?;
    let shard = match terms {
        Some((terms, shard)) => {
            compare(path, &logged, terms)?;
            shard
        }
        None => shard_of(path, &logged)?,
    };
    let mut games = Vec::new();
    for (i, line) in lines {
        let game: PlayedGame =
            serde_json::from_slice(line).map_err(|error| content(i + 1, format!("expected a game: {error}")))?;
        let expected = number_at(shard, games.len() as u64);
        if Some(game.game) != expected {
            let expected = expected.unwrap_or(u64::MAX);
            return Err(content(i + 1, format!("expected game {expected}, found game {}", game.game)));
        }
        game.record().map_err(|error| content(i + 1, format!("moves: {error}")))?;
        games.push(game);
    }
    Ok(games)
}

/// The shard that the terms of a log name.
pub(super) fn shard_of(path: &Path, terms: &Value) -> Result<Shard, LogError> {
    let Some(shard) = terms["shard"].as_str() else { return Ok(Shard::default()) };
    shard.parse().map_err(|error| LogError::Content(path.to_owned(), 1, format!("shard: {error}")))
}

fn compare(path: &Path, logged: &Value, terms: &Value) -> Result<(), LogError> {
    let keys = |value: &Value| value.as_object().map(|o| o.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let mut fields = keys(logged);
    fields.extend(keys(terms));
    for field in fields {
        let (was, now) = (&logged[&field], &terms[&field]);
        if was != now {
            let (was, now) = (was.to_string(), now.to_string());
            return Err(LogError::OtherTerms { path: path.to_owned(), field, was, now });
        }
    }
    Ok(())
}
