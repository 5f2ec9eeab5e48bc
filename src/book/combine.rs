//! Books made of other books: of several, or of a part of one.

use super::graph::{Neighbours, Positions, behind, settle};
use super::view::line;
use super::{BookError, Database, Entry, Key, Leaf, moves};
use crate::othello::{Move, Position, Square};
use crate::search::{Score, SearchDepth};
use crate::whole_file::folder;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// How many positions are one unit of work.
const AT_ONCE: usize = 50_000;

/// Makes a book of positions. They come in their order, what is later in a game first, so that `entry` finds in the new book whatever is behind
/// a position. Values, bounds and costs are computed. If it fails there is no book.
pub(super) fn make(
    path: &Path,
    weights: u32,
    keys: &BTreeSet<Key>,
    mut entry: impl FnMut(&Key, &dyn Positions) -> Result<Entry, BookError>,
) -> Result<u64, BookError> {
    let is_there = || fs::symlink_metadata(path).is_ok();
    if is_there() {
        return Err(BookError::Exists);
    }
    // It is made aside, and goes with its folder if it is not finished.
    let folder = tempfile::Builder::new().prefix(".book").tempdir_in(folder(path))?;
    let aside = folder.path().join("book");
    let book = Database::create(&aside, weights)?;
    let mut keys = keys.iter().peekable();
    while keys.peek().is_some() {
        book.update(weights, |positions| {
            for key in keys.by_ref().take(AT_ONCE) {
                let entry = entry(key, positions)?;
                positions.put(key, &entry)?;
                settle(positions, BTreeSet::from([*key]), weights)?;
            }
            Ok(BTreeSet::new())
        })?;
    }
    let positions = book.read()?.len()?;
    drop(book);
    if is_there() {
        return Err(BookError::Exists);
    }
    fs::rename(aside, path)?;
    Ok(positions)
}

/// Makes a book of all positions of some books, for the evaluation of the first. Of a position that several have, the leaf of the deepest
/// search counts, one of that evaluation first, and the largest numbers of visits and games: to merge a book with a copy of it changes
/// nothing. Returns the number of positions.
///
/// # Errors
/// If one cannot be read, or the file is there already or cannot be written; then there is no new book.
pub fn merge(books: &[&dyn Positions], weights: u32, path: &Path) -> Result<u64, BookError> {
    let mut keys = BTreeSet::new();
    for book in books {
        book.each(&mut |key, _| {
            keys.insert(key);
            Ok(())
        })?;
    }
    make(path, weights, &keys, |key, made| {
        let mut merged = Entry::UNSEARCHED;
        let mut best = None;
        for book in books {
            let Some(entry) = book.get(key)? else { continue };
            merged.visits = merged.visits.max(entry.visits);
            merged.games = merged.games.max(entry.games);
            let Some(rank) = rank(&entry, weights) else { continue };
            // A leaf that is in the other book is to be searched for again.
            let rank = Some((Neighbours::of(made, key, &entry)?.has_leaf(), rank));
            if rank > best {
                best = rank;
                (merged.leaf, merged.weights) = (entry.leaf, entry.weights);
            }
        }
        Ok(merged)
    })
}

/// How much a leaf is worth to be kept.
pub(super) fn rank(entry: &Entry, weights: u32) -> Option<(bool, bool, u8, u8)> {
    let Leaf::Found { depth, .. } = entry.leaf else { return None };
    let (plies, confidence) = match depth {
        SearchDepth::Exact => (60, 100),
        SearchDepth::Plies(plies) => (plies, 100),
        SearchDepth::Selective { plies, selectivity } => (plies, selectivity.percent()),
        SearchDepth::WinLossDraw => (0, 0),
    };
    Some((depth.is_exact(), entry.weights == weights, plies, confidence))
}

/// Which part of a book is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep {
    /// The most that the moves from the start to a position may lose in all, both sides counted, against the best ones.
    pub loss: Option<Score>,
    /// The most positions: those that the growth of the book would come to first.
    pub positions: Option<usize>,
}

/// Makes a book of a part of another: of the positions that are reached from the start. Where moves have left it, the best of them is the
/// leaf, so that no value changes. Returns the number of positions.
///
/// # Errors
/// If the book cannot be read, or the file is there already or cannot be written; then there is no new book.
pub fn prune(book: &dyn Positions, weights: u32, keep: Keep, path: &Path) -> Result<u64, BookError> {
    let kept = reached(book, keep)?;
    make(path, weights, &kept, |key, _| {
        let Some(entry) = book.get(key)? else { return Ok(Entry::UNSEARCHED) };
        Ok(Entry { leaf: leaf_without(book, key, &entry, &kept)?, ..entry })
    })
}

/// What it takes to come to a position: what the moves lose, and what the growth pays.
#[derive(Clone, Copy)]
struct Way {
    loss: u32,
    cost: u32,
}

/// The positions that are to be kept.
fn reached(book: &dyn Positions, keep: Keep) -> Result<BTreeSet<Key>, BookError> {
    let most = keep.loss.map_or(u32::MAX, |loss| loss.units().max(0) as u32);
    let mut waiting = BTreeMap::from([(Key::of(&Position::START).0, Way { loss: 0, cost: 0 })]);
    let mut reached = Vec::new();
    // What comes earlier in a game comes first, so nothing is looked at before all ways to it are known.
    while let Some((key, way)) = waiting.pop_last() {
        let Some(entry) = book.get(&key)? else { continue };
        reached.push((way.cost, key));
        for child in Neighbours::of(book, &key, &entry)?.children {
            let Some(next) = child.next.key() else { continue };
            let lost = child.value().map_or(0, |value| behind(&entry, value));
            let loss = way.loss.saturating_add(lost);
            let cost = way.cost.saturating_add(child.step(&entry));
            if loss <= most {
                let known = waiting.entry(next).or_insert(Way { loss, cost });
                *known = Way { loss: known.loss.min(loss), cost: known.cost.min(cost) };
            }
        }
    }
    // Each costs at least a ply more than one before it, which is kept too.
    reached.sort_unstable_by_key(|&(cost, key)| (cost, Reverse(key)));
    reached.truncate(keep.positions.unwrap_or(usize::MAX).max(1));
    Ok(reached.into_iter().map(|(_, key)| key).collect())
}

/// The best of the old leaf and the moves to positions that are not kept.
fn leaf_without(book: &dyn Positions, key: &Key, entry: &Entry, kept: &BTreeSet<Key>) -> Result<Leaf, BookError> {
    let position = key.position();
    let mut best: Option<(Score, Square)> = None;
    for (square, next) in moves(&position) {
        let Some(behind) = next.key().filter(|behind| !kept.contains(behind)) else { continue };
        let Some(value) = book.get(&behind)?.and_then(|entry| entry.value) else { continue };
        best = best.max(Some((next.signed(value), square)));
    }
    let Some((value, square)) = best.filter(|_| entry.leaf != Leaf::Unsearched) else { return Ok(entry.leaf) };
    // The search at the end may have seen the end of the game, which proves nothing of other lines.
    let proven = |depth: SearchDepth| match depth {
        _ if entry.is_solved() => SearchDepth::Exact,
        SearchDepth::Exact => SearchDepth::Plies(key.empties()),
        depth => depth,
    };
    Ok(match entry.leaf {
        Leaf::Found { square, value: old, depth } if old >= value && Neighbours::of(book, key, entry)?.has_leaf() => {
            Leaf::Found { square, value: old, depth: proven(depth) }
        }
        _ => Leaf::Found { square, value, depth: proven(line(book, &position, Move::Place(square))?.1) },
    })
}

#[cfg(test)]
mod tests {
    use super::super::graph::fault;
    use super::super::graph::tests::{WEIGHTS, book};
    use super::*;
    use std::collections::HashMap;

    fn entries(book: &dyn Positions) -> HashMap<Key, Entry> {
        let mut entries = HashMap::new();
        book.each(&mut |key, entry| {
            assert_eq!(fault(book, &key, &entry, WEIGHTS)?, None);
            entries.insert(key, entry);
            Ok(())
        })
        .unwrap();
        entries
    }

    #[test]
    fn a_book_merged_with_itself_is_the_same_and_halves_are_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let whole = book();
        let same = folder.path().join("same");
        merge(&[&whole, &whole], WEIGHTS, &same).unwrap();
        let same = entries(&super::super::Snapshot::open(&same).unwrap());
        for (key, entry) in &whole {
            // Where nothing was searched, nobody has.
            let weights = if matches!(entry.leaf, Leaf::Found { .. }) { WEIGHTS } else { 0 };
            assert_eq!(same[key], Entry { weights, ..*entry });
        }
        let half = |odd: usize| whole.iter().map(|(key, entry)| (*key, *entry)).skip(odd).step_by(2).collect();
        let (one, other): (BTreeMap<_, _>, BTreeMap<_, _>) = (half(0), half(1));
        let both = folder.path().join("both");
        let positions = merge(&[&one, &other], WEIGHTS, &both).unwrap();
        let both = entries(&super::super::Snapshot::open(&both).unwrap());
        assert!(positions as usize == both.len() && whole.keys().all(|key| both.contains_key(key)));
        assert!(merge(&[&one], WEIGHTS, &folder.path().join("same")).is_err(), "a book that is there is kept");
    }

    #[test]
    fn what_is_left_of_a_book_has_the_values_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let grown = super::super::select::tests::grown();
        let before = entries(&grown);
        for (number, keep, expected) in [
            (0, Keep::default(), before.len()),
            (1, Keep { positions: Some(40), ..Keep::default() }, 40),
            (2, Keep { loss: Some(Score::from_discs(1)), positions: None }, 0),
            (3, Keep { loss: Some(Score::ZERO), positions: Some(1) }, 1),
        ] {
            let path = folder.path().join(number.to_string());
            prune(&grown, WEIGHTS, keep, &path).unwrap();
            let after = entries(&super::super::Snapshot::open(&path).unwrap());
            assert!(
                expected == 0 && after.len() < before.len() / 2 || after.len() == expected,
                "{keep:?}: {}",
                after.len()
            );
            for (key, entry) in after {
                assert_eq!(entry.value, before[&key].value, "{key:?}");
            }
        }
    }
}
