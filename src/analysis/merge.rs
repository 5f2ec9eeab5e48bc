//! Puts the shards of a job together.

use super::Totals;
use super::shard_file::{Job, ResultLine, ShardEnd, ShardFile, ShardFileError};
use crate::shard::{Difference, Parts, PartsError, Shard};
use thiserror::Error;

/// Why shards cannot be put together.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MergeError {
    /// They do not make the whole.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// A result is no solution.
    #[error("a result that is no solution: {0}")]
    NoSolution(String),
    /// A file, by its name, cannot be used.
    #[error("'{0}': {1}")]
    File(String, ShardFileError),
    /// The shard in the file of this name is not finished.
    #[error("'{0}': shard {1} is not complete; run it again (--resume goes on where it ended)")]
    Incomplete(String, Shard),
    /// The file of this name lacks the result of an item, the first such, from 1.
    #[error("gap: '{0}' has no result for item {1}")]
    MissingItem(String, u64),
    /// The file of this name has two results of an item that has one, the first such, from 1.
    #[error("overlap: '{0}' has two results for item {1}")]
    ItemTwice(String, u64),
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
    let mut parts = Parts::default();
    for (name, text) in files {
        let (file, results) = ShardFile::parse(text.as_ref()).map_err(|error| MergeError::File(name.clone(), error))?;
        let Some(ending) = file.ending else {
            return Err(MergeError::Incomplete(name.clone(), file.shard));
        };
        parts.add(name.clone(), file.shard, ((file.job, ending), (file.shard, results)), difference)?;
    }
    let ((job, ending), shards) = parts.whole()?;
    for (name, (shard, results)) in &shards {
        check_items(name, *shard, results, ending.items, job.command != super::QUERIES)?;
    }
    let mut results: Vec<_> = shards.into_iter().flat_map(|(_, (_, results))| results).collect();
    results.sort_by_key(|result| (result.number, result.turn));
    let results: Vec<&str> = results.into_iter().map(|result| result.text).collect();
    let totals = match job.command == super::SOLVE {
        true => Some(results.iter().try_fold(Totals::default(), |mut totals, line| {
            totals.add_line(line).map_err(|error| MergeError::NoSolution(error.to_string()))?;
            Ok::<_, MergeError>(totals)
        })?),
        false => None,
    };
    Ok(Merged { results, totals })
}

/// What is different in the job or the input of a shard.
fn difference((job, ending): &(Job, ShardEnd), (expected, whole): &(Job, ShardEnd)) -> Option<Difference> {
    let numbers = [
        ("number of items", ending.items, whole.items),
        ("checksum of the input", ending.checksum.into(), whole.checksum.into()),
    ];
    let number = numbers.into_iter().find(|(_, found, expected)| found != expected);
    let number = number.map(|(field, found, expected)| (field.to_owned(), found.to_string(), expected.to_string()));
    job.difference(expected).or(number)
}

/// Whether no result of a shard is there twice, and none is missing, as far as that is known: of queries, which may ask
/// about many turns, only the count is, and that was compared.
fn check_items(
    name: &str,
    shard: Shard,
    results: &[ResultLine<'_>],
    items: u64,
    has_one_each: bool,
) -> Result<(), MergeError> {
    let mut places: Vec<_> = results.iter().map(|result| (result.number, result.turn)).collect();
    places.sort_unstable();
    let same = |pair: &&[(u64, Option<u64>)]| pair[0] == pair[1] || has_one_each && pair[0].0 == pair[1].0;
    if let Some(pair) = places.windows(2).find(same) {
        return Err(MergeError::ItemTwice(name.to_owned(), pair[0].0));
    }
    let mut found = places.iter().map(|&(number, _)| number);
    let mut expected = (1..=items).filter(|number| shard.holds(number - 1));
    match has_one_each.then(|| expected.find(|&number| found.next() != Some(number))).flatten() {
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
