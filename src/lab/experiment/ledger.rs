//! What an experiment has done already, so that it can go on after it was killed.
//!
//! An experiment is cut into units that depend on nothing but the set-up and the units before them. The result of each is
//! a line of JSON in a file, written when the unit is done. A run that finds the line takes the result from there.

use super::ExperimentError;
use crate::line_log::{LineLog, LineLogError};
use crate::shard::difference;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// The results of the units that are done.
#[derive(Debug, Default)]
pub struct Ledger {
    done: HashMap<String, Value>,
    /// Whether the file had more than the openings, which are noted before anything else, when it was opened.
    was_begun: bool,
    file: Option<LineLog>,
}

impl Ledger {
    /// A ledger that is forgotten with the process.
    pub fn in_memory() -> Ledger {
        Ledger::default()
    }

    /// The ledger in this file, which is made if there is none. `identity` says which experiment it belongs to, set-up
    /// included; a file that says something else is refused, and so is any file there already if `resume` is not set.
    ///
    /// A line that was not written to its end is dropped.
    pub fn open(path: &Path, identity: &Value, resume: bool) -> Result<Ledger, ExperimentError> {
        let (mut file, text) = LineLog::open(path.to_owned(), resume)?;
        let mut ledger = Ledger::default();
        let mut lines = text.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
        if let Some((number, first)) = lines.next() {
            let found: Option<Value> = serde_json::from_slice(first).ok().filter(Value::is_object);
            let found = found.ok_or_else(|| ExperimentError::BadLine(path.display().to_string(), number + 1))?;
            if let Some((field, was, now)) = difference(&found, identity) {
                return Err(LineLogError::OtherSettings { path: path.to_owned(), field, was, now }.into());
            }
        }
        for (number, line) in lines {
            let entry: Option<(String, Value)> = serde_json::from_slice(line).ok();
            let Some((key, value)) = entry else {
                return Err(ExperimentError::BadLine(path.display().to_string(), number + 1));
            };
            ledger.done.insert(key, value);
        }
        file.keep(text.len() as u64, &format!("{identity}\n"))?;
        ledger.was_begun = ledger.done.keys().any(|key| !key.starts_with("openings "));
        ledger.file = Some(file);
        Ok(ledger)
    }

    /// The result of a unit, if it is done.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        serde_json::from_value(self.done.get(key)?.clone()).ok()
    }

    /// Whether an earlier run began it, and noted nothing whose key begins like that.
    pub fn was_begun_without(&self, prefix: &str) -> bool {
        self.was_begun && !self.done.keys().any(|key| key.starts_with(prefix))
    }

    /// Its file; empty for one in memory.
    pub fn path(&self) -> String {
        self.file.as_ref().map(|file| file.path().display().to_string()).unwrap_or_default()
    }

    /// Notes the result of a unit and returns it as a later run will find it.
    pub fn note<T: Serialize + DeserializeOwned>(&mut self, key: &str, result: &T) -> Result<T, ExperimentError> {
        let text = json!([key, result]).to_string();
        let bad = |error| ExperimentError::Unwritable(key.to_owned(), error);
        let (_, value): (String, Value) = serde_json::from_str(&text).map_err(bad)?;
        if let Some(file) = &mut self.file {
            file.append(&(text + "\n"))?;
        }
        let result = serde_json::from_value(value.clone()).map_err(bad)?;
        self.done.insert(key.to_owned(), value);
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_is_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        let identity = json!({ "experiment": "x", "seed": 1 });
        let mut ledger = Ledger::open(&path, &identity, false).unwrap();
        ledger.note("a", &(1, 0.1)).unwrap();
        ledger.note("b", &(2, 0.3)).unwrap();
        drop(ledger);
        let ledger = Ledger::open(&path, &identity, true).unwrap();
        assert!(ledger.was_begun_without("evaluation ") && !ledger.was_begun_without("b"));
        drop(ledger);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        assert!(matches!(
            Ledger::open(&path, &identity, false),
            Err(ExperimentError::Ledger(LineLogError::Exists(..)))
        ));
        let other = json!({ "experiment": "x", "seed": 2 });
        let error = Ledger::open(&path, &other, true).unwrap_err();
        assert!(matches!(error, ExperimentError::Ledger(LineLogError::OtherSettings { .. })));
        let mut ledger = Ledger::open(&path, &identity, true).unwrap();
        assert_eq!((ledger.get("a"), ledger.get::<(i32, f64)>("b")), (Some((1, 0.1)), None));
        ledger.note("b", &(2, 0.3)).unwrap();
        drop(ledger);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        std::fs::write(&path, [&bytes[..], b"nonsense\n"].concat()).unwrap();
        assert!(matches!(Ledger::open(&path, &identity, true), Err(ExperimentError::BadLine(_, 4))));
    }
}
