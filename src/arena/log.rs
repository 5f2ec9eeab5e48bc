//! The log of a match: one line of JSON for the terms, then one for each finished game.
//!
//! Lines are only ever appended, in the order of the schedule, each in one write. A match that was killed is taken up
//! behind the last whole line; a torn one is cut off and its game played again. So the finished log does not depend on
//! interruptions or on how many games were played at a time.

use super::record::{End, PlayedGame};
use super::schedule::number_at;
use crate::line_log::{LineLog, LineLogError, whole_lines};
use crate::notation::ggf::Ggf;
use crate::shard::{self, Difference, Shard};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A log that is being written.
#[derive(Debug)]
pub struct MatchLog {
    games: LineLog,
    ggf: File,
    terms: Value,
}

/// The file of the games in a match's folder.
pub const GAMES: &str = "games.jsonl";
/// The file of the games in GGF.
pub const GGF: &str = "games.ggf";

/// The reports in a match's folder: as text, as JSON, as a page.
pub const REPORTS: [&str; 3] = ["report.txt", "report.json", "report.html"];

/// The terms that may differ once a match is over: they matter only for games that are still to be played.
pub(super) const PROGRAM: [&str; 2] = ["version", "weights"];

/// In the terms of a match, what tells one file of openings from another.
pub(super) const OPENINGS_CHECKSUM: &str = "openings-checksum";

/// Whether a match has begun in this folder.
pub fn is_begun(folder: &Path) -> bool {
    has_content(&folder.join(GAMES))
}

/// The first file in this folder that a new match there would replace.
pub(super) fn in_the_way(folder: &Path) -> Option<PathBuf> {
    [GAMES, GGF].iter().chain(&REPORTS).map(|name| folder.join(name)).find(|path| has_content(path))
}

/// An error if something in this folder is in the way of a new match.
pub(super) fn expect_free(folder: &Path) -> Result<(), LogError> {
    match in_the_way(folder) {
        None => Ok(()),
        Some(path) if is_begun(folder) => Err(LineLogError::Exists(path).into()),
        Some(path) => Err(LogError::Occupied(path)),
    }
}

fn has_content(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.len() > 0)
}

/// Why a log cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// It cannot be gone on with, or a file cannot be read or written.
    #[error(transparent)]
    Lines(#[from] LineLogError),
    /// There is no log, but another file, of this path, that would be replaced.
    #[error("'{path}' is there and is of no match in this folder; expected a folder without it", path = .0.display())]
    Occupied(PathBuf),
    /// A line, from 1, of the log of this path is not one of a log: what was expected.
    #[error("{path}, line {1}: {2}", path = .0.display())]
    Content(PathBuf, usize, String),
}

impl MatchLog {
    /// Begins a log in a folder, or goes on with the one that is there if `resume` says so. Also returns the games that
    /// are finished already. If they are all there is to play, which `is_over` says, they may be of another version and other weights.
    pub fn open(
        folder: &Path,
        terms: &Value,
        shard: Shard,
        resume: bool,
        is_over: impl FnOnce(&[PlayedGame]) -> bool,
    ) -> Result<(MatchLog, Vec<PlayedGame>), LogError> {
        let path = folder.join(GAMES);
        let failed = |path: &Path, error| LineLogError::Io(path.to_owned(), error);
        if let Some(path) = in_the_way(folder).filter(|_| !is_begun(folder)) {
            return Err(LogError::Occupied(path));
        }
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
        let (mut games, lines) = LineLog::open(path.clone(), resume)?;
        let (logged, played) =
            read(&path, &lines, Some((terms, shard)))?.unwrap_or_else(|| (terms.clone(), Vec::new()));
        if let Some((field, was, now)) = difference(&logged, terms).filter(|_| !is_over(&played)) {
            return Err(LineLogError::OtherSettings { path, field, was, now }.into());
        }
        if games.keep(lines.len() as u64, &format!("{terms}\n"))? {
            log::warn!("{}: the last line is torn and will be played again", path.display());
        }
        let ggf_path = folder.join(GGF);
        let text: String = played.iter().map(ggf_line).collect();
        let ggf = File::create(&ggf_path).and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file));
        let ggf = ggf.map_err(|error| failed(&ggf_path, error))?;
        Ok((MatchLog { games, ggf, terms: logged }, played))
    }

    /// The terms as they stand in the log.
    pub fn terms(&self) -> &Value {
        &self.terms
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn append(&mut self, game: &PlayedGame) -> Result<(), LogError> {
        let line = serde_json::to_string(game).map_err(|error| self.games.failure(error.into()))?;
        self.games.append(&(line + "\n"))?;
        let written = self.ggf.write_all(ggf_line(game).as_bytes());
        Ok(written.map_err(|error| LineLogError::Io(self.games.path().with_file_name(GGF), error))?)
    }
}

/// The terms and the games of a log that is not being written.
pub fn read_folder(folder: &Path) -> Result<(Value, Vec<PlayedGame>), LogError> {
    let path = folder.join(GAMES);
    let text = std::fs::read(&path).map_err(|error| LineLogError::Io(path.clone(), error))?;
    match read(&path, whole_lines(&text), None)? {
        Some(log) => Ok(log),
        // The terms may be there without their line feed.
        None => Ok((terms_of(&path, 1, &text)?, Vec::new())),
    }
}

/// The terms of a match by this line, the first one, of its log.
fn terms_of(path: &Path, number: usize, line: &[u8]) -> Result<Value, LogError> {
    let terms: Result<Map<_, _>, _> = serde_json::from_slice(line);
    let expected =
        |error| LogError::Content(path.to_owned(), number, format!("expected the terms of a match: {error}"));
    terms.map(Value::Object).map_err(expected)
}

/// What is different first in the terms of two logs. Former logs, which name neither version nor weights nor what is in a file of openings,
/// are accepted whatever the version. Where what is in the file is known, it may have another path.
pub(super) fn difference(one: &Value, other: &Value) -> Option<Difference> {
    let mut terms = [one.clone(), other.clone()];
    let mut pass_over = |name: &str| terms.iter_mut().for_each(|terms| terms[name] = Value::Null);
    let both_name = |name: &str| !one[name].is_null() && !other[name].is_null();
    let optional = PROGRAM.into_iter().chain([OPENINGS_CHECKSUM]);
    optional.filter(|name| !both_name(name)).for_each(&mut pass_over);
    if both_name(OPENINGS_CHECKSUM) {
        pass_over("openings");
    }
    match (terms[0]["player"].as_array(), terms[1]["player"].as_array()) {
        (Some(one), Some(other)) if one.len() == other.len() => {
            let player = one.iter().zip(other).find_map(|(one, other)| player_difference(one, other));
            // The players of former logs may differ in form alone.
            player.or_else(|| {
                terms.iter_mut().for_each(|terms| terms["player"] = Value::Null);
                shard::difference(&terms[0], &terms[1])
            })
        }
        _ => shard::difference(&terms[0], &terms[1]),
    }
}

/// What is different first in a player of two logs.
fn player_difference(one: &Value, other: &Value) -> Option<Difference> {
    let keys = |player: &Value| {
        let mut keys = player.clone();
        if let Some(Value::Object(options)) = keys.as_object_mut().and_then(|keys| keys.remove("option")) {
            // Former logs have numbers where today's have their text.
            let text = |value: Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            options.into_iter().for_each(|(name, value)| keys[format!("option.{name}")] = text(value).into());
        }
        keys
    };
    let (field, was, now) = shard::difference(&keys(one), &keys(other))?;
    let name = one["name"].as_str().map_or_else(String::new, |name| format!(" {name}"));
    Some((format!("player{name}: {field}"), was, now))
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

/// Reads whole lines: the terms, if they are given equal to these but for version and weights, and the games of the shard in their order.
/// `None` if there is no line.
fn read(
    path: &Path,
    text: &[u8],
    terms: Option<(&Value, Shard)>,
) -> Result<Option<(Value, Vec<PlayedGame>)>, LogError> {
    let content = |line: usize, problem: String| LogError::Content(path.to_owned(), line, problem);
    let mut lines = (1..).zip(text.split(|&b| b == b'\n')).filter(|(_, line)| !line.is_empty());
    let Some((number, first)) = lines.next() else { return Ok(None) };
    let logged = terms_of(path, number, first)?;
    let shard = match terms {
        Some((terms, shard)) => {
            let mut of_this_program = logged.clone();
            PROGRAM.iter().for_each(|name| of_this_program[*name] = terms[*name].clone());
            if let Some((field, was, now)) = difference(&of_this_program, terms) {
                return Err(LineLogError::OtherSettings { path: path.to_owned(), field, was, now }.into());
            }
            shard
        }
        None => shard_of(path, &logged)?,
    };
    let mut games = Vec::new();
    for (number, line) in lines {
        let game: PlayedGame =
            serde_json::from_slice(line).map_err(|error| content(number, format!("expected a game: {error}")))?;
        let expected = number_at(shard, games.len() as u64);
        if Some(game.game) != expected {
            let expected = expected.unwrap_or(u64::MAX);
            return Err(content(number, format!("expected game {expected}, found game {}", game.game)));
        }
        let record = game.record().map_err(|error| content(number, format!("moves: {error}")))?;
        let on_board = record.position().score_for_black();
        if game.end == End::Played && game.score != on_board {
            return Err(content(number, format!("score: {}; expected {on_board}, as on the board", game.score)));
        }
        games.push(game);
    }
    Ok(Some((logged, games)))
}

/// The shard that the terms of a log name.
pub(super) fn shard_of(path: &Path, terms: &Value) -> Result<Shard, LogError> {
    let Some(shard) = terms["shard"].as_str() else { return Ok(Shard::default()) };
    shard.parse().map_err(|error| LogError::Content(path.to_owned(), 1, format!("shard: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn version_and_weights_are_compared_where_both_logs_name_them() {
        let terms = |version: &str, weights: &str| json!({ "seed": 1, "version": version, "weights": [weights, null] });
        let (former, today) = (json!({ "seed": 1 }), terms("0.2.0", "00c0ffee"));
        let different = |other: &Value| difference(&today, other).map(|(name, ..)| name);
        assert_eq!((different(&today), different(&former)), (None, None));
        assert_eq!(different(&terms("0.3.0", "00c0ffee")).as_deref(), Some("version"));
        assert_eq!(different(&terms("0.2.0", "deadbeef")).as_deref(), Some("weights"));
        assert_eq!(different(&json!({ "seed": 2 })).as_deref(), Some("seed"));
        let openings = |path: &str, checksum: Value| json!({ "openings": path, OPENINGS_CHECKSUM: checksum });
        let different = |other: &Value| difference(&openings("a.txt", json!("1")), other).map(|(name, ..)| name);
        assert_eq!(different(&openings("in/a.txt", json!("1"))), None);
        assert_eq!(different(&openings("a.txt", Value::Null)), None, "a log of a former version");
        assert_eq!(different(&openings("a.txt", json!("2"))).as_deref(), Some(OPENINGS_CHECKSUM));
        assert_eq!(different(&openings("in/a.txt", Value::Null)).as_deref(), Some("openings"));
    }

    #[test]
    fn errors_name_the_line_of_the_file() {
        let path = Path::new("games.jsonl");
        let error = |text: &[u8]| read(path, text, None).unwrap_err().to_string();
        assert!(error(b"\n\n{\n").starts_with("games.jsonl, line 3: expected the terms"));
        assert!(error(b"{}\n\nno game\n").starts_with("games.jsonl, line 3: expected a game"));
        let game = |score: i32| {
            let moves = "e6f4e3f6g5d6e7f5c5".to_owned();
            let game =
                PlayedGame { black: "a".to_owned(), white: "b".to_owned(), score, moves, ..PlayedGame::default() };
            format!("{{}}\n{}\n", serde_json::to_string(&game).unwrap())
        };
        assert!(read(path, game(64).as_bytes(), None).is_ok());
        let expected = "games.jsonl, line 2: score: 13; expected 64, as on the board";
        assert_eq!(error(game(13).as_bytes()), expected);
    }

    #[test]
    fn the_terms_may_be_all_there_is() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["{\"seed\": 1}", "{\"seed\": 1}\n"] {
            std::fs::write(folder.path().join(GAMES), text).unwrap();
            let (terms, games) = read_folder(folder.path()).unwrap();
            assert_eq!((terms, games.len()), (json!({ "seed": 1 }), 0));
        }
        std::fs::write(folder.path().join(GAMES), "").unwrap();
        assert!(read_folder(folder.path()).is_err());
    }

    #[test]
    fn players_are_compared_key_by_key() {
        let terms = |hash: Value, depth: Value| {
            let second = json!({ "name": "B", "cmd": null, "depth": depth, "option": { "hash": hash } });
            json!({ "player": [{ "name": "A" }, second], "seed": 1 })
        };
        let today = terms(json!("16"), json!(6));
        let different = |other: &Value| difference(&today, other);
        assert_eq!(different(&terms(json!(16), json!(6))), None, "a log of a former version");
        let found = |field: &str, was: &str, now: &str| Some((field.to_owned(), was.to_owned(), now.to_owned()));
        assert_eq!(different(&terms(json!("32"), json!(6))), found("player B: option.hash", "\"16\"", "\"32\""));
        assert_eq!(different(&terms(json!("16"), Value::Null)), found("player B: depth", "6", "null"));
        let other = json!({ "player": today["player"], "seed": 2 });
        assert_eq!(different(&other), found("seed", "1", "2"));
        assert_eq!(different(&json!({ "player": [], "seed": 1 })).unwrap().0, "player");
    }
}
