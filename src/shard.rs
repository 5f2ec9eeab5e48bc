//! A part of some work that is done apart from the others, by another process or on another machine.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One of several equal parts of numbered work: the items whose number leaves the rest `index` when divided by `count`.
///
/// ```
/// use emilia::shard::Shard;
/// let shard: Shard = "1/3".parse().unwrap();
/// assert!(shard.holds(4) && !shard.holds(5));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Default for Shard {
    /// All of the work.
    fn default() -> Shard {
        Shard { index: 0, count: 1 }
    }
}

/// Not a shard.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no shard; expected I/N with I from 0 to N-1, such as 0/2")]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let shard = parts.filter(|(index, count)| index < count).map(|(index, count)| Shard { index, count });
        shard.ok_or_else(|| ShardError(text.to_owned()))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl Shard {
    /// Which of the parts it is, from 0.
    pub const fn index(self) -> u64 {
        self.index
    }

    /// How many parts there are.
    pub const fn count(self) -> u64 {
        self.count
    }

    /// Whether the item with this number, from 0, belongs to it.
    pub const fn holds(self, item: u64) -> bool {
        item % self.count == self.index
    }
}

/// What is different: its name, and both values.
pub type Difference = (String, String, String);

/// What is different first in the settings of two shards, which are objects. A setting that is absent is as one that is `null`: so what was begun
/// before there was an optional setting can be gone on with.
pub fn difference(one: &Value, other: &Value) -> Option<Difference> {
    let names = one.as_object().into_iter().chain(other.as_object()).flat_map(|settings| settings.keys());
    let name = names.into_iter().find(|name| one[name.as_str()] != other[name.as_str()])?;
    Some((name.clone(), one[name].to_string(), other[name].to_string()))
}

/// Why shards do not make the whole.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PartsError {
    /// There are none.
    #[error("no shards to merge")]
    Nothing,
    /// Shards of different jobs.
    #[error("'{part}' and '{first}' are not of one job: {field} is {found} and {expected}")]
    OtherJob {
        /// Where the shard is.
        part: String,
        /// Where another one is.
        first: String,
        /// What is different.
        field: String,
        /// In the shard.
        found: String,
        /// In the other one.
        expected: String,
    },
    /// A shard is in both of these places.
    #[error("overlap: shard {0} is in '{1}' and in '{2}'")]
    Overlap(Shard, String, String),
    /// Shards are missing: the first numbers of theirs, from 0, how many they are, and how many shards there should be.
    #[error("gap: {} missing", missing_shards(.0, *.1, *.2))]
    Gap(Vec<u64>, u64, u64),
}

/// The greatest number of missing shards that are named.
const NAMED: usize = 10;

fn missing_shards(first: &[u64], missing: u64, count: u64) -> String {
    let names: Vec<String> = first.iter().map(|index| format!("{index}/{count}")).collect();
    match missing - first.len() as u64 {
        0 if missing == 1 => format!("shard {} is", names[0]),
        0 => format!("shards {} are", names.join(", ")),
        more => format!("shards {} and {more} more are", names.join(", ")),
    }
}

/// What there is of a work that was done in shards: for each where it is, and its results `T`. `J` says what job it is of.
#[derive(Debug)]
pub struct Parts<J, T> {
    first: Option<(String, J, u64)>,
    shards: BTreeMap<u64, (String, T)>,
}

impl<J, T> Default for Parts<J, T> {
    fn default() -> Parts<J, T> {
        Parts { first: None, shards: BTreeMap::new() }
    }
}

impl<J, T> Parts<J, T> {
    /// Adds a shard. `difference` compares its job with that of the first one.
    ///
    /// # Errors
    /// If it is of another job, or is there already.
    pub fn add(
        &mut self,
        part: String,
        shard: Shard,
        (job, results): (J, T),
        difference: impl FnOnce(&J, &J) -> Option<Difference>,
    ) -> Result<(), PartsError> {
        if let Some((first, expected, count)) = &self.first {
            let counts = || ("number of shards".to_owned(), shard.count.to_string(), count.to_string());
            let found = difference(&job, expected).or_else(|| (shard.count != *count).then(counts));
            if let Some((field, found, expected)) = found {
                return Err(PartsError::OtherJob { part, first: first.clone(), field, found, expected });
            }
        } else {
            self.first = Some((part.clone(), job, shard.count));
        }
        match self.shards.insert(shard.index, (part.clone(), results)) {
            Some((first, _)) => Err(PartsError::Overlap(shard, first, part)),
            None => Ok(()),
        }
    }

    /// The job, and all of its shards in their order.
    ///
    /// # Errors
    /// If there is none, or some are missing.
    pub fn whole(self) -> Result<(J, Vec<(String, T)>), PartsError> {
        let (_, job, count) = self.first.ok_or(PartsError::Nothing)?;
        let missing = count - self.shards.len() as u64;
        if missing == 0 {
            return Ok((job, self.shards.into_values().collect()));
        }
        let first = (0..count).filter(|index| !self.shards.contains_key(index)).take(NAMED.min(missing as usize));
        Err(PartsError::Gap(first.collect(), missing, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_print_as_they_are_read() {
        for text in ["0/1", "3/7"] {
            assert_eq!(text.parse::<Shard>().unwrap().to_string(), text);
        }
        for text in ["", "1", "3/3", "-1/2", "0/0", "1/x"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
