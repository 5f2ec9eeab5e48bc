//! Files of results that are made piece by piece: by several processes, or by one that was interrupted.
//!
//! Every line is a JSON object. The first says what job the file belongs to and which shard of it this is, the last that
//! the shard is complete; both have the one key `shard`. Between them are results, each with the `number` of the item of
//! the input that it is about, from 1.

use crate::engine::{EngineOption, EngineOptions};
use crate::shard::{Difference, Shard, difference};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// What is done to which input. Shards of one job have the same.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The command, such as `analyze queries`.
    pub command: String,
    /// The version of Emilia.
    pub version: String,
    /// Everything that the results depend on.
    pub settings: Value,
}

impl Job {
    /// A job of this version of Emilia.
    pub fn new(command: &str, settings: Value) -> Job {
        Job { command: command.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), settings }
    }

    /// What is different in another job: the name, this job's value, the other's. Sizes of the memory count where the results of both are to
    /// be reproducible, as numbers of positions depend on them.
    pub fn difference(&self, other: &Job) -> Option<Difference> {
        let pairs = [("command", &self.command, &other.command), ("version", &self.version, &other.version)];
        if let Some((name, mine, others)) = pairs.into_iter().find(|(_, mine, others)| mine != others) {
            return Some((name.to_owned(), mine.clone(), others.clone()));
        }
        let memory_counts = [self, other].iter().all(|job| job.settings["reproducible"] == true);
        let counted = |job: &Job| {
            let mut settings = job.settings.clone();
            if let Some(settings) = settings.as_object_mut()
                && !memory_counts
            {
                settings.retain(|name, _| !MEMORY.contains(&name.as_str()));
            }
            settings
        };
        difference(&counted(self), &counted(other))
    }
}

/// The options that say how much memory a search takes.
const MEMORY: [&str; 2] = ["hash", "memory"];

/// What results of an engine depend on: its options, but for the number of threads, and the book, which only gives moves to play and what
/// queries ask of it (their job adds its name); and `weights`, the fingerprint of its evaluation.
pub fn engine_settings(options: &EngineOptions, weights: u32) -> Map<String, Value> {
    let named = EngineOption::all().filter(|option| !["threads", "book"].contains(&option.name));
    let mut settings: Map<String, Value> =
        named.map(|option| (option.name.to_owned(), option.show(options).into())).collect();
    settings.insert("weights".to_owned(), format!("{weights:08x}").into());
    settings
}

/// What the end of a shard says, to find out that nothing is missing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ShardEnd {
    /// Items of the whole input.
    pub items: u64,
    /// Results in this shard, a line each.
    pub results: u64,
    /// The CRC-32 of the whole input.
    pub checksum: u32,
}

/// The value of the key `shard`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mark {
    Begin { part: String, job: Job },
    End { part: String, ending: ShardEnd },
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct MarkLine {
    shard: Mark,
}

/// The line that begins a shard.
pub fn begin_line(shard: Shard, job: &Job) -> String {
    super::answer::line(&MarkLine { shard: Mark::Begin { part: shard.to_string(), job: job.clone() } })
}

/// The line that ends it.
pub fn end_line(shard: Shard, ending: ShardEnd) -> String {
    super::answer::line(&MarkLine { shard: Mark::End { part: shard.to_string(), ending } })
}

/// Why a file is not one of results.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ShardFileError {
    /// The first line is something else.
    #[error("line 1: expected the beginning of a shard, {{\"shard\":{{\"begin\":...}}}}, as --shard writes it")]
    NoBeginning,
    /// A line, from 1, is not JSON, or a result without a number.
    #[error("line {0}: expected a JSON object with a number")]
    NotAResult(u64),
    /// Something stands behind the end, on a line from 1.
    #[error("line {0}: more follows the end of the shard")]
    BehindTheEnd(u64),
    /// The end is that of another shard.
    #[error("line {line}: the end of shard {found} in a file that begins shard {expected}")]
    OtherEnd {
        /// The line, from 1.
        line: u64,
        /// What the beginning says.
        expected: Shard,
        /// What the end says.
        found: String,
    },
    /// A result of an item that another shard has.
    #[error("line {line}: item {number} does not belong to shard {shard}")]
    Stray {
        /// The line, from 1.
        line: u64,
        /// The item, from 1.
        number: u64,
        /// The shard.
        shard: Shard,
    },
    /// The number of results is not what the end says.
    #[error("{found} results, but the end of the shard counts {expected}; a line is missing or there twice")]
    Count {
        /// What the end says.
        expected: u64,
        /// What there is.
        found: u64,
    },
}

/// A result, as it stands in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultLine<'a> {
    /// The item that it is about, from 1.
    pub number: u64,
    /// The text without the line feed.
    pub text: &'a str,
    /// The turn of the item's game, for answers to queries.
    pub turn: Option<u64>,
}

/// The part of a result that its place depends on.
#[derive(Deserialize)]
struct ResultFields {
    number: Option<u64>,
    turn: Option<u64>,
    partial: Option<bool>,
}

/// A file of results, as far as it was read.
#[derive(Clone, PartialEq, Debug)]
pub struct ShardFile {
    /// Which shard it is.
    pub shard: Shard,
    /// Of which job.
    pub job: Job,
    /// The number of results; partial reports are left out.
    pub results: u64,
    /// The end, if the shard is complete.
    pub ending: Option<ShardEnd>,
}

impl ShardFile {
    /// Reads the whole lines of a file, the results in their order; one without a line feed was torn off in the middle and is passed over.
    pub fn parse(text: &str) -> Result<(ShardFile, Vec<ResultLine<'_>>), ShardFileError> {
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().zip(1..);
        let mut file = ShardFile::begin(lines.next().map_or("", |(first, _)| first).as_bytes())?;
        let mut results = Vec::new();
        for (text, line) in lines {
            let found = file.add(text.as_bytes(), line)?;
            results.extend(found.map(|(number, turn)| ResultLine { number, text, turn }));
        }
        Ok((file, results))
    }

    /// Reads the first line.
    pub fn begin(line: &[u8]) -> Result<ShardFile, ShardFileError> {
        let Ok(MarkLine { shard: Mark::Begin { part, job } }) = serde_json::from_slice(line) else {
            return Err(ShardFileError::NoBeginning);
        };
        let shard = part.parse().map_err(|_| ShardFileError::NoBeginning)?;
        Ok(ShardFile { shard, job, results: 0, ending: None })
    }

    /// Reads the next line, of this number from 1. Returns the number and the turn of a result.
    pub fn add(&mut self, text: &[u8], line: u64) -> Result<Option<(u64, Option<u64>)>, ShardFileError> {
        if self.ending.is_some() {
            return Err(ShardFileError::BehindTheEnd(line));
        }
        let place: ResultFields = serde_json::from_slice(text).map_err(|_| ShardFileError::NotAResult(line))?;
        let Some(number) = place.number.filter(|number| *number > 0) else {
            return match serde_json::from_slice(text) {
                Ok(MarkLine { shard: Mark::End { part, ending } }) if part == self.shard.to_string() => {
                    if ending.results != self.results {
                        return Err(ShardFileError::Count { expected: ending.results, found: self.results });
                    }
                    self.ending = Some(ending);
                    Ok(None)
                }
                Ok(MarkLine { shard: Mark::End { part, .. } }) => {
                    Err(ShardFileError::OtherEnd { line, expected: self.shard, found: part })
                }
                _ => Err(ShardFileError::NotAResult(line)),
            };
        };
        if !self.shard.holds(number - 1) {
            return Err(ShardFileError::Stray { line, number, shard: self.shard });
        }
        if place.partial == Some(true) {
            return Ok(None);
        }
        self.results += 1;
        Ok(Some((number, place.turn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(text: &str) -> Shard {
        text.parse().unwrap()
    }

    fn job() -> Job {
        Job::new("test", serde_json::json!({ "depth": 3 }))
    }

    fn ending(results: u64) -> ShardEnd {
        ShardEnd { items: 9, results, checksum: 7 }
    }

    #[test]
    fn what_is_written_is_read() {
        let result = r#"{"number":2,"turn":5,"value":1}"#;
        let partial = r#"{"number":4,"partial":true}"#;
        let torn = r#"{"number":6,"#;
        let begin = begin_line(shard("1/2"), &job());
        let text = format!("{begin}{result}\n{partial}\n{torn}");
        let results = vec![ResultLine { number: 2, text: result, turn: Some(5) }];
        let file = ShardFile { shard: shard("1/2"), job: job(), results: 1, ending: None };
        assert_eq!(ShardFile::parse(&text), Ok((file.clone(), results.clone())));
        let text = format!("{begin}{result}\n{partial}\n{}", end_line(shard("1/2"), ending(1)));
        assert_eq!(ShardFile::parse(&text), Ok((ShardFile { ending: Some(ending(1)), ..file }, results)));
    }

    #[test]
    fn what_does_not_belong_is_refused() {
        let begin = begin_line(shard("1/2"), &job());
        let (end, other_end) = (end_line(shard("1/2"), ending(0)), end_line(shard("0/2"), ending(0)));
        for (text, part) in [
            (String::new(), "expected the beginning"),
            ("{}\n".to_owned(), "expected the beginning"),
            (format!("{begin}{{}}\n"), "line 2: expected a JSON object"),
            (format!("{begin}nonsense\n"), "line 2: expected a JSON object"),
            (format!("{begin}{{\"number\":3}}\n"), "line 2: item 3 does not belong to shard 1/2"),
            (format!("{begin}{{\"number\":2}}\n{end}"), "1 results, but the end of the shard counts 0"),
            (format!("{begin}{end}{{\"number\":2}}\n"), "line 3: more follows"),
            (format!("{begin}{other_end}"), "line 2: the end of shard 0/2"),
        ] {
            let error = ShardFile::parse(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn jobs_differ_by_name() {
        let mut other = job();
        assert_eq!(job().difference(&other), None);
        other.settings["eval"] = "edge".into();
        assert_eq!(job().difference(&other), Some(("eval".into(), "null".into(), "\"edge\"".into())));
    }

    #[test]
    fn memory_counts_for_what_is_to_be_reproducible() {
        let job = |reproducible: bool, hash: &str| {
            let options = EngineOptions { hash_mb: hash.parse().unwrap(), ..EngineOptions::default() };
            let mut settings = engine_settings(&options, 7);
            settings.insert("reproducible".to_owned(), reproducible.into());
            Job::new("test", settings.into())
        };
        assert_eq!(job(false, "64").difference(&job(false, "16")), None);
        let expected = ("hash".into(), "\"64\"".into(), "\"16\"".into());
        assert_eq!(job(true, "64").difference(&job(true, "16")), Some(expected));
        let expected = Some(("reproducible".into(), "false".into(), "true".into()));
        assert_eq!(job(false, "64").difference(&job(true, "64")), expected);
    }
}
