//! A part of some work that is done apart from the others, by another process or on another machine.

use serde_json::Value;
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

/// What is different in the settings of two shards, which are objects: the first such name, and both values.
pub fn difference(one: &Value, other: &Value) -> Option<(String, String, String)> {
    let names = one.as_object().into_iter().chain(other.as_object()).flat_map(|settings| settings.keys());
    let name = names.into_iter().find(|name| one[name.as_str()] != other[name.as_str()])?;
    Some((name.clone(), one[name].to_string(), other[name].to_string()))
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
