//! Books made of other books: of several, or of a part of one.

use super::graph::{Neighbours, Positions, computed, illegal_leaf, loss};
use super::view::{BestPlay, best_play, depth_of_line};
use super::{BookError, Database, Entry, GrowthRule, Key, Leaf, expect_new, expect_no_interrupt};
use crate::othello::{Move, Position};
use crate::search::{Contempt, Score, SearchDepth};
use crate::whole_file::folder;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// How many positions are one unit of work.
const AT_ONCE: usize = 50_000;

/// Makes a book of positions. They come in their order, what is later in a game first, so that `entry` finds in the new book whatever is behind
/// a position. Values, bounds and costs are computed; `made` is called with what each of these positions has become. If it fails there is no book.
pub(super) fn make(
    path: &Path,
    weights: u32,
    rule: GrowthRule,
    keys: &BTreeSet<Key>,
    interrupt: &AtomicBool,
    mut entry: impl FnMut(&Key, &dyn Positions) -> Result<Entry, BookError>,
    mut made: impl FnMut(&Key, &Entry),
) -> Result<u64, BookError> {
    expect_new(path)?;
    // It is made aside, and goes with its folder if it is not finished.
    let folder = tempfile::Builder::new().prefix(".book").tempdir_in(folder(path))?;
    let aside = folder.path().join("book");
    let book = Database::create(&aside, weights)?;
    book.grow_with(weights, rule, interrupt)?;
    let mut keys = keys.iter().peekable();
    while keys.peek().is_some() {
        book.update(weights, |positions| {
            for key in keys.by_ref().take(AT_ONCE) {
                expect_no_interrupt(interrupt)?;
                let entry = entry(key, positions)?;
                let computed = computed(positions, key, &entry, weights)?;
                positions.put(key, &computed)?;
                made(key, &computed);
            }
            Ok(BTreeSet::new())
        })?;
    }
    // The start position was there before everything else.
    book.update(weights, |_| Ok(BTreeSet::from([Key::of(&Position::START).0])))?;
    let positions = book.read()?.count()?;
    drop(book);
    publish(&aside, path, |aside, path| fs::hard_link(aside, path))?;
    Ok(positions)
}

/// Gives a file that was made aside its name, unless there is a file of this name. A link takes no other file's place; some file systems have none.
fn publish(aside: &Path, path: &Path, link: impl FnOnce(&Path, &Path) -> io::Result<()>) -> Result<(), BookError> {
    match link(aside, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(BookError::Exists),
        Err(_) => {
            expect_new(path)?;
            Ok(fs::rename(aside, path)?)
        }
    }
}

/// Makes a book of all positions of some books, for the evaluation of the first and by its rule of growth. Of a position that several have, one leaf counts: one that leads
/// out of the new book first, of these an exact one, then one of that evaluation, then that of the deepest search. The largest numbers of visits and
/// games count: to merge a book with a copy of it changes nothing. Returns the number of positions.
///
/// # Errors
/// If one cannot be read, the file is there already or cannot be written, or there was an interrupt; then there is no new book.
pub fn merge(books: &[&dyn Positions], weights: u32, path: &Path, interrupt: &AtomicBool) -> Result<u64, BookError> {
    let mut keys = BTreeSet::new();
    for book in books {
        book.each(&mut |key, _| {
            keys.insert(key);
            expect_no_interrupt(interrupt)
        })?;
    }
    let entry = |key: &Key, made: &dyn Positions| -> Result<Entry, BookError> {
        let mut merged = Entry::UNSEARCHED;
        let mut best = None;
        for book in books {
            let Some(entry) = book.get(key)?.map(|entry| with_legal_leaf(key, entry)) else { continue };
            merged.visits = merged.visits.max(entry.visits);
            merged.games = merged.games.max(entry.games);
            let Some(rank) = rank(&entry, weights) else { continue };
            // A leaf that is in the other book is to be searched for again.
            let rank = Some((Neighbours::of(made, key, &entry)?.leaf.is_some(), rank));
            if rank > best {
                best = rank;
                (merged.leaf, merged.weights) = (entry.leaf, entry.weights);
            }
        }
        Ok(merged)
    };
    let rule = books.first().map_or(GrowthRule::default(), |book| book.rule());
    make(path, weights, rule, &keys, interrupt, entry, |_, _| {})
}

/// The entry; only its numbers of visits and games if its leaf is no move, as a damaged file may have one.
fn with_legal_leaf(key: &Key, entry: Entry) -> Entry {
    match illegal_leaf(key, &entry) {
        Some(_) => Entry { visits: entry.visits, games: entry.games, ..Entry::UNSEARCHED },
        None => entry,
    }
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
/// leaf, so that values stay while draws are worth 0. Returns the number of positions.
///
/// # Errors
/// If the book cannot be read, the file is there already or cannot be written, or there was an interrupt; then there is no new book.
pub fn prune(
    book: &dyn Positions,
    weights: u32,
    keep: Keep,
    path: &Path,
    interrupt: &AtomicBool,
) -> Result<u64, BookError> {
    let kept = reached(book, keep, interrupt)?;
    let entry = |key: &Key, _: &dyn Positions| -> Result<Entry, BookError> {
        let Some(entry) = book.get(key)? else { return Ok(Entry::UNSEARCHED) };
        entry_without(book, key, &with_legal_leaf(key, entry), &kept)
    };
    make(path, weights, book.rule(), &kept, interrupt, entry, |_, _| {})
}

/// What it takes to come to a position: what the moves lose, and what the growth pays.
#[derive(Clone, Copy)]
struct Way {
    loss: u32,
    cost: u32,
}

/// The positions that are to be kept.
fn reached(book: &dyn Positions, keep: Keep, interrupt: &AtomicBool) -> Result<BTreeSet<Key>, BookError> {
    let most = keep.loss.map_or(u32::MAX, |loss| loss.units().max(0) as u32);
    let mut waiting = BTreeMap::from([(Key::of(&Position::START).0, Way { loss: 0, cost: 0 })]);
    let mut reached = Vec::new();
    // What comes earlier in a game comes first, so nothing is looked at before all ways to it are known.
    while let Some((key, way)) = waiting.pop_last() {
        expect_no_interrupt(interrupt)?;
        let Some(entry) = book.get(&key)? else { continue };
        reached.push((way.cost, key));
        let neighbours = Neighbours::of(book, &key, &entry)?;
        for (child, cost) in neighbours.children.iter().zip(neighbours.costs(&entry).children) {
            let Some(next) = child.next.key() else { continue };
            let lost = child.value().map_or(0, |value| loss(&entry, value));
            let lost = way.loss.saturating_add(lost);
            let cost = way.cost.saturating_add(cost);
            if lost <= most {
                let known = waiting.entry(next).or_insert(Way { loss: lost, cost });
                *known = Way { loss: known.loss.min(lost), cost: known.cost.min(cost) };
            }
        }
    }
    // Each costs as much as one before it, or more, so that one is kept too.
    reached.sort_unstable_by_key(|&(cost, key)| (cost, Reverse(key)));
    reached.truncate(keep.positions.unwrap_or(usize::MAX).max(1));
    Ok(reached.into_iter().map(|(_, key)| key).collect())
}

/// The entry with the leaf that it has where only these positions are kept: the best of the old leaf and the moves to the others.
fn entry_without(book: &dyn Positions, key: &Key, entry: &Entry, kept: &BTreeSet<Key>) -> Result<Entry, BookError> {
    let mut outside = Neighbours::of(book, key, entry)?;
    outside.children.retain(|child| child.next.key().is_some_and(|behind| !kept.contains(&behind)));
    let of_outside = outside.recomputed(entry, entry.weights);
    let best = outside.children.iter().filter(|child| child.value().is_some()).max_by_key(|child| child.value());
    let (Some(best), Some(value)) = (best, of_outside.value) else { return Ok(*entry) };
    let old_leaf = match entry.leaf {
        Leaf::Found { square, value, depth } if outside.leaf.is_some() => Some((square, value, depth)),
        _ => None,
    };
    let (square, depth, weights) = match old_leaf {
        Some((square, known, depth)) if best.value() <= Some(known) => (square, depth, entry.weights),
        _ => {
            let turn = Move::Place(best.square);
            let BestPlay { depth, weights, .. } = best_play(book, &key.position(), turn, Contempt::NONE)?;
            // Behind the move the value may be that of a stand-in, which nobody has searched; the move is the best one all the same.
            let depth = if depth.plies() == Some(0) { SearchDepth::Plies(1) } else { depth };
            (best.square, depth, weights)
        }
    };
    let depth = depth_of_line(depth, &of_outside, key.empties());
    Ok(Entry { leaf: Leaf::Found { square, value, depth }, weights, ..*entry })
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{WEIGHTS, book, found, searched};
    use super::super::graph::{self, fault};
    use super::super::moves;
    use super::*;
    use crate::othello::{Color, Square};
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
        merge(&[&whole, &whole], WEIGHTS, &same, &AtomicBool::new(false)).unwrap();
        let same = entries(&super::super::Snapshot::open(&same).unwrap());
        for (key, entry) in &whole {
            // Where nothing was searched, nobody has.
            let weights = if matches!(entry.leaf, Leaf::Found { .. }) { WEIGHTS } else { 0 };
            assert_eq!(same[key], Entry { weights, ..*entry });
        }
        let half = |odd: usize| whole.iter().map(|(key, entry)| (*key, *entry)).skip(odd).step_by(2).collect();
        let (one, other): (BTreeMap<_, _>, BTreeMap<_, _>) = (half(0), half(1));
        let both = folder.path().join("both");
        let positions = merge(&[&one, &other], WEIGHTS, &both, &AtomicBool::new(false)).unwrap();
        let both = entries(&super::super::Snapshot::open(&both).unwrap());
        assert!(positions as usize == both.len() && whole.keys().all(|key| both.contains_key(key)));
        let made = |name, is_ended| merge(&[&one], WEIGHTS, &folder.path().join(name), &AtomicBool::new(is_ended));
        assert!(made("same", false).is_err(), "a book that is there is kept");
        let files = || folder.path().read_dir().unwrap().count();
        let before = files();
        assert!(matches!(made("ended", true), Err(BookError::Interrupted)) && files() == before, "nothing is left");
    }

    #[test]
    fn an_interrupt_ends_the_choice_of_what_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let keep = Keep { positions: Some(2), loss: None };
        let interrupted = prune(&book(), WEIGHTS, keep, &folder.path().join("book"), &AtomicBool::new(true));
        assert!(matches!(interrupted, Err(BookError::Interrupted)));
    }

    #[test]
    fn a_leaf_that_a_damaged_file_has_made_no_move_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let mut damaged = book();
        let is_searched = |entry: &Entry| matches!(entry.leaf, Leaf::Found { .. });
        let key = *damaged.iter().find(|(_, entry)| is_searched(entry)).unwrap().0;
        let entry = damaged.get_mut(&key).unwrap();
        let Leaf::Found { square, .. } = &mut entry.leaf else { unreachable!() };
        *square = key.position().discs(Color::Black).into_iter().next().unwrap();
        let [merged, pruned] = ["merged", "pruned"].map(|name| folder.path().join(name));
        let positions = merge(&[&damaged], WEIGHTS, &merged, &AtomicBool::new(false)).unwrap();
        prune(&damaged, WEIGHTS, Keep::default(), &pruned, &AtomicBool::new(false)).unwrap();
        let [merged, pruned] = [merged, pruned].map(|path| entries(&super::super::Snapshot::open(&path).unwrap()));
        assert!(positions as usize == damaged.len() && !is_searched(&merged[&key]));
        assert!(pruned.get(&key).is_none_or(|entry| !is_searched(entry)));
    }

    #[test]
    fn a_book_that_another_program_made_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let [aside, path] = ["aside", "book"].map(|name| folder.path().join(name));
        let linked = || publish(&aside, &path, |aside, path| fs::hard_link(aside, path));
        let without_links = || publish(&aside, &path, |_, _| Err(io::ErrorKind::Unsupported.into()));
        for publish in [&linked as &dyn Fn() -> Result<(), BookError>, &without_links] {
            // A link to what was published before would change that too.
            let _ = fs::remove_file(&aside);
            fs::write(&aside, "mine").unwrap();
            fs::write(&path, "theirs").unwrap();
            assert!(matches!(publish(), Err(BookError::Exists)));
            assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
            fs::remove_file(&path).unwrap();
            publish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        }
        let book = book();
        let path = folder.path().join("late");
        let entry = |key: &Key, _: &dyn Positions| -> Result<Entry, BookError> {
            fs::write(&path, "theirs")?;
            Ok(book[key])
        };
        let keys = Positions::keys(&book).unwrap();
        let made = make(&path, WEIGHTS, GrowthRule::default(), &keys, &AtomicBool::new(false), entry, |_, _| {});
        assert!(matches!(made, Err(BookError::Exists)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
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
            prune(&grown, WEIGHTS, keep, &path, &AtomicBool::new(false)).unwrap();
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

    /// A position whose result is proven by its first move, and whose second, which another evaluation has searched, is worth less.
    fn proven_by_the_first() -> (BTreeMap<Key, Entry>, Key, [(Square, Key); 3]) {
        let key = Key::of(&Position::START.after("f5".parse().unwrap())).0;
        let behind: Vec<(Square, Key)> =
            moves(&key.position()).map(|(square, next)| (square, next.key().unwrap())).collect();
        let behind: [(Square, Key); 3] = behind.try_into().unwrap();
        let mut book = BTreeMap::from([(key, Entry { weights: WEIGHTS, ..Entry::UNSEARCHED })]);
        let mut add = |key: Key, discs, depth, weights| {
            let known = book.clone();
            let (square, _) = moves(&key.position())
                .find(|(_, next)| next.key().is_none_or(|key| !known.contains_key(&key)))
                .unwrap();
            graph::tests::add(&mut book, key, Entry { weights, ..searched(found(square, discs, depth)) });
        };
        // No reply to the second move gives less than ten discs to who replies, and the best of them is only estimated.
        let reply = moves(&behind[1].1.position()).next().unwrap().1.key().unwrap();
        add(reply, 10, SearchDepth::Exact, WEIGHTS);
        add(behind[0].1, -10, SearchDepth::Exact, WEIGHTS);
        add(behind[1].1, -4, SearchDepth::Plies(8), WEIGHTS + 1);
        add(behind[2].1, 20, SearchDepth::Exact, WEIGHTS);
        (book, key, behind)
    }

    #[test]
    fn a_move_that_leaves_the_book_is_no_better_known_than_before() {
        let (book, key, [first, second, third]) = proven_by_the_first();
        let entry = book[&key];
        assert_eq!((entry.lower, entry.upper, entry.leaf), (10, 10, Leaf::NoneLeft));
        let leaf_of = |left: &[(Square, Key)]| {
            let kept = book.keys().filter(|key| left.iter().all(|(_, left)| left != *key)).copied().collect();
            let entry = entry_without(&book, &key, &entry, &kept).unwrap();
            (entry.leaf, entry.weights)
        };
        let estimated = found(second.0, 4, SearchDepth::Plies(8));
        assert_eq!(leaf_of(&[second]), (estimated, WEIGHTS + 1));
        assert_eq!(leaf_of(&[second, third]), (estimated, WEIGHTS + 1));
        assert_eq!(leaf_of(&[third]), (found(third.0, -20, SearchDepth::Exact), WEIGHTS));
        assert_eq!(leaf_of(&[first, second, third]), (found(first.0, 10, SearchDepth::Exact), WEIGHTS));
    }
}
