//! What an experiment has done already, so that it can go on after it was killed.
//!
//! An experiment is cut into units that depend on nothing but the set-up and the units before them. The result of each is
//! a line of JSON in a file, written when the unit is done. A run that finds the line takes the result from there.

use super::ExperimentError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The results of the units that are done.
#[derive(Debug, Default)]
pub struct Ledger {
    done: HashMap<String, Value>,
    /// Whether there was something in the file when it was opened.
    was_begun: bool,
    file: Option<(PathBuf, File)>,
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
        let failed = |error| ExperimentError::File(path.display().to_string(), error);
        if path.exists() && !resume {
            return Err(ExperimentError::Exists(path.display().to_string()));
        }
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(failed)?;
        let mut ledger = Ledger::default();
        let mut lines = bytes[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).enumerate();
        match lines.next() {
            Some((_, first)) => {
                let found: Value = serde_json::from_slice(first).unwrap_or(Value::Null);
                if found != *identity {
                    return Err(ExperimentError::OtherRun {
                        path: path.display().to_string(),
                        found: found.to_string(),
                    });
                }
            }
            None => writeln!(file, "{identity}").map_err(failed)?,
        }
        for (number, line) in lines {
            let entry: Option<(String, Value)> = serde_json::from_slice(line).ok();
            let Some((key, value)) = entry else {
                return Err(ExperimentError::BadLine(path.display().to_string(), number + 1));
            };
            ledger.done.insert(key, value);
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        ledger.was_begun = !ledger.done.is_empty();
        ledger.file = Some((path.to_owned(), file));
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
        self.file.as_ref().map(|(path, _)| path.display().to_string()).unwrap_or_default()
    }

    /// Notes the result of a unit and returns it as a later run will find it.
    pub fn note<T: Serialize + DeserializeOwned>(&mut self, key: &str, result: &T) -> Result<T, ExperimentError> {
        let text = json!([key, result]).to_string();
        let bad = |error| ExperimentError::Unwritable(key.to_owned(), error);
        let (_, value): (String, Value) = serde_json::from_str(&text).map_err(bad)?;
        if let Some((path, file)) = &mut self.file {
            let failed = |error| ExperimentError::File(path.display().to_string(), error);
            file.write_all((text + "\n").as_bytes()).map_err(failed)?;
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
        let folder = std::env::temp_dir().join(format!("emilia-ledger-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("x.jsonl");
        let identity = json!({ "experiment": "x", "seed": 1 });
        let mut ledger = Ledger::open(&path, &identity, false).unwrap();
        ledger.note("a", &(1, 0.1)).unwrap();
        ledger.note("b", &(2, 0.3)).unwrap();
        drop(ledger);
        let ledger = Ledger::open(&path, &identity, true).unwrap();
        assert!(ledger.was_begun_without("evaluation ") && !ledger.was_begun_without("b"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        assert!(matches!(Ledger::open(&path, &identity, false), Err(ExperimentError::Exists(..))));
        assert!(matches!(Ledger::open(&path, &json!(1), true), Err(ExperimentError::OtherRun { .. })));
        let mut ledger = Ledger::open(&path, &identity, true).unwrap();
        assert_eq!((ledger.get("a"), ledger.get::<(i32, f64)>("b")), (Some((1, 0.1)), None));
        ledger.note("b", &(2, 0.3)).unwrap();
        drop(ledger);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        std::fs::write(&path, [&bytes[..], b"nonsense\n"].concat()).unwrap();
        assert!(matches!(Ledger::open(&path, &identity, true), Err(ExperimentError::BadLine(_, 4))));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
