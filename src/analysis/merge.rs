//! Puts the shards of a job together.

use super::Totals;
use super::shard_file::{Job, ShardEnd, ShardFile, ShardFileError};
use crate::shard::Shard;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why shards cannot be put together.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MergeError {
    /// There are none.
    #[error("no shards to merge")]
    Nothing,
    /// A result is no solution.
    #[error("a result that is no solution: {0}")]
    NoSolution(String),
    /// A file, by its name, cannot be used.
    #[error("'{0}': {1}")]
    File(String, ShardFileError),
    /// The shard in the file of this name is not finished.
    #[error("'{0}': shard {1} is not complete; run it again (--resume goes on where it ended)")]
    Incomplete(String, Shard),
    /// Shards of different jobs.
    #[error("'{file}' and '{first}' are not of one job: {field} is {found} and {expected}")]
    OtherJob {
        /// The file.
        file: String,
        /// Another file.
        first: String,
        /// What is different.
        field: String,
        /// In the file.
        found: String,
        /// In the other file.
        expected: String,
    },
    /// A shard is there twice.
    #[error("overlap: shard {shard} is in '{first}' and in '{second}'")]
    Overlap {
        /// The shard.
        shard: Shard,
        /// A file.
        first: String,
        /// Another file.
        second: String,
    },
    /// Shards are missing: their numbers, from 0, and how many there should be.
    #[error("gap: {} missing", missing_shards(.0, *.1))]
    Gap(Vec<u64>, u64),
    /// The file of this name lacks the result of an item, the first such, from 1.
    #[error("gap: '{0}' has no result for item {1}")]
    MissingItem(String, u64),
    /// The file of this name has two results of an item that has one, the first such, from 1.
    #[error("overlap: '{0}' has two results for item {1}")]
    ItemTwice(String, u64),
}

fn missing_shards(missing: &[u64], count: u64) -> String {
    let names: Vec<String> = missing.iter().take(10).map(|index| format!("{index}/{count}")).collect();
    let more = if missing.len() > 10 { format!(" and {} more are", missing.len() - 10) } else { String::new() };
    match (missing.len(), more.is_empty()) {
        (1, _) => format!("shard {} is", names[0]),
        (_, true) => format!("shards {} are", names.join(", ")),
        (_, false) => format!("shards {}{more}", names.join(", ")),
    }
}

/// What comes of a merge.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged<'a> {
    /// The results of all shards in the order of their items, each a line without its line feed.
    pub results: Vec<&'a str>,
    /// The sums over solutions; `None` for other jobs.
    pub totals: Option<Totals>,
}

/// Puts the shards of one job together. `files` are names and texts, in any order.
pub fn merge<'a, T: AsRef<str>>(files: &'a [(String, T)]) -> Result<Merged<'a>, MergeError> {
    let mut shards: BTreeMap<u64, (&str, ShardFile<'a>)> = BTreeMap::new();
    let mut first: Option<First<'_>> = None;
    for (name, text) in files {
        let mut file = ShardFile::parse(text.as_ref()).map_err(|error| MergeError::File(name.clone(), error))?;
        let Some(ending) = file.ending.take() else {
            return Err(MergeError::Incomplete(name.clone(), file.shard));
        };
        match &first {
            None => {
                first = Some(First { name, job: file.job.clone(), count: file.shard.count(), ending: ending.clone() })
            }
            Some(first) => first.compare(name, &file, &ending)?,
        }
        let shard = file.shard;
        if let Some((other, _)) = shards.insert(shard.index(), (name, file)) {
            return Err(MergeError::Overlap { shard, first: other.to_owned(), second: name.clone() });
        }
    }
    let Some(First { job, count, ending, .. }) = first else { return Err(MergeError::Nothing) };
    let missing: Vec<u64> = (0..count).filter(|index| !shards.contains_key(index)).collect();
    if !missing.is_empty() {
        return Err(MergeError::Gap(missing, count));
    }
    for (name, file) in shards.values() {
        check_items(name, file, ending.items, job.command != super::QUERIES)?;
    }
    let mut results: Vec<_> = shards.into_values().flat_map(|(_, file)| file.results).collect();
    results.sort_by_key(|result| (result.number, result.turn));
    let results: Vec<&str> = results.into_iter().map(|result| result.text).collect();
    let totals = match job.command == super::SOLVE {
        true => Some(results.iter().try_fold(Totals::default(), |mut totals, line| {
            totals.add_line(line).map_err(|error| MergeError::NoSolution(error.to_string()))?;
            Ok(totals)
        })?),
        false => None,
    };
    Ok(Merged { results, totals })
}

/// The shard that the others are compared with.
struct First<'a> {
    name: &'a str,
    job: Job,
    count: u64,
    ending: ShardEnd,
}

impl First<'_> {
    /// Whether a shard is of the same job and input.
    fn compare(&self, name: &str, file: &ShardFile<'_>, ending: &ShardEnd) -> Result<(), MergeError> {
        let numbers = [
            ("number of shards", file.shard.count(), self.count),
            ("number of items", ending.items, self.ending.items),
            ("checksum of the input", ending.checksum.into(), self.ending.checksum.into()),
        ];
        let number = numbers.into_iter().find(|(_, found, expected)| found != expected);
        let number = number.map(|(field, found, expected)| (field.to_owned(), found.to_string(), expected.to_string()));
        match file.job.difference(&self.job).or(number) {
            None => Ok(()),
            Some((field, found, expected)) => {
                let (file, first) = (name.to_owned(), self.name.to_owned());
                Err(MergeError::OtherJob { file, first, field, found, expected })
            }
        }
    }
}

/// Whether no result of a shard is there twice, and none is missing, as far as that is known: of queries, which may ask
/// about many turns, only the count is, and that was compared.
fn check_items(name: &str, file: &ShardFile<'_>, items: u64, has_one_each: bool) -> Result<(), MergeError> {
    let mut places: Vec<_> = file.results.iter().map(|result| (result.number, result.turn)).collect();
    places.sort_unstable();
    let same = |pair: &&[(u64, Option<u64>)]| pair[0] == pair[1] || has_one_each && pair[0].0 == pair[1].0;
    if let Some(pair) = places.windows(2).find(same) {
        return Err(MergeError::ItemTwice(name.to_owned(), pair[0].0));
    }
    let mut found = places.iter().map(|&(number, _)| number);
    let mut expected = (1..=items).filter(|number| file.shard.holds(number - 1));
    match expected.find(|&number| has_one_each && found.next() != Some(number)) {
        Some(number) => Err(MergeError::MissingItem(name.to_owned(), number)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shard_file::{begin_line, end_line};
    use super::*;
    use serde_json::json;

    fn file(name: &str, shard: &str, items: u64, numbers: &[u64]) -> (String, String) {
        let shard = shard.parse().unwrap();
        let mut text = begin_line(shard, &Job::new(super::super::SOLVE, json!({ "depth": 3 })));
        text.extend(numbers.iter().map(|number| format!("{{\"number\":{number}}}\n")));
        text += &end_line(shard, ShardEnd { items, results: numbers.len() as u64, checksum: 7 });
        (name.to_owned(), text)
    }

    #[test]
    fn shards_in_any_order_make_the_whole() {
        let files = [file("c", "2/3", 5, &[3]), file("a", "0/3", 5, &[4, 1]), file("b", "1/3", 5, &[2, 5])];
        let expected: Vec<String> = (1..=5).map(|number| format!("{{\"number\":{number}}}")).collect();
        let merged = merge(&files).unwrap();
        assert_eq!(merged.results, expected);
        assert_eq!(merged.totals.map(|totals| totals.positions), Some(5));
        assert_eq!(merge(&[file("empty", "0/1", 0, &[])]).unwrap().results, [""; 0]);
    }

    #[test]
    fn overlaps_gaps_and_strangers_are_refused() {
        let a = file("a", "0/3", 5, &[1, 4]);
        let b = file("b", "1/3", 5, &[2, 5]);
        let c = file("c", "2/3", 5, &[3]);
        let torn = (a.0.clone(), a.1[..a.1.trim_end().rfind('\n').unwrap() + 1].to_owned());
        let deeper = (c.0.clone(), c.1.replace("\"depth\":3", "\"depth\":4"));
        let checksum = (c.0.clone(), c.1.replace("\"checksum\":7", "\"checksum\":8"));
        for (files, message) in [
            (Vec::new(), "no shards to merge"),
            (vec![a.clone(), b.clone()], "gap: shard 2/3 is missing"),
            (vec![a.clone()], "gap: shards 1/3, 2/3 are missing"),
            (vec![a.clone(), b.clone(), file("d", "1/3", 5, &[2, 5])], "overlap: shard 1/3 is in 'b' and in 'd'"),
            (vec![torn, b.clone(), c.clone()], "'a': shard 0/3 is not complete; run it again"),
            (vec![a.clone(), b.clone(), deeper], "'c' and 'a' are not of one job: depth is 4 and 3"),
            (vec![a.clone(), b.clone(), checksum], "checksum of the input is 8 and 7"),
            (vec![a.clone(), file("e", "1/2", 5, &[2, 4])], "number of shards is 2 and 3"),
            (vec![a.clone(), b.clone(), file("c", "2/3", 6, &[3, 6])], "number of items is 6 and 5"),
            (vec![a.clone(), c.clone(), file("b", "1/3", 5, &[2])], "gap: 'b' has no result for item 5"),
            (vec![a, c, file("b", "1/3", 5, &[2, 5, 2])], "overlap: 'b' has two results for item 2"),
        ] {
            let error = merge(&files).unwrap_err().to_string();
            assert!(error.contains(message), "{message}: {error}");
        }
    }
}
