//! Where the book is to grow next.

use super::graph::{Neighbours, before};
use super::{BookError, Key, Positions, expect_no_interrupt, moves};
use crate::othello::{Bitboard, Position, Square};
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashSet};
use std::sync::atomic::AtomicBool;

/// What is to be done at a position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// To search it: its leaf is not known, is in the book by now, or was found by another evaluation.
    Search,
    /// To add and search the position behind its leaf, and to search for another leaf.
    Extend(Square, Key),
}

/// A unit of the growth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Work {
    /// The positions from the root to the one where there is something to do; only that one for [`learned_work`].
    pub path: Vec<Key>,
    /// What.
    pub step: Step,
    /// What it costs, in units of 1/128 disc; the best unit of work costs least.
    pub cost: u32,
}

impl Work {
    /// The positions that it changes.
    pub fn touched(&self) -> impl Iterator<Item = Key> + use<> {
        std::iter::once(*self.key()).chain(self.added())
    }

    /// The position that it adds.
    fn added(&self) -> Option<Key> {
        match self.step {
            Step::Search => None,
            Step::Extend(_, key) => Some(key),
        }
    }

    /// Where there is something to do.
    pub fn key(&self) -> &Key {
        self.path.last().expect("a path has an end")
    }

    /// The positions that are to be searched, each with the moves of [`Key::position`] that are not to be looked at: they lead to
    /// positions with a value. A position without other moves is left out.
    ///
    /// # Errors
    /// If the book cannot be read.
    pub fn searches(&self, book: &(impl Positions + ?Sized)) -> Result<Vec<(Key, Bitboard)>, BookError> {
        let added = self.added();
        let mut searches = Vec::new();
        for key in added.iter().chain([self.key()]) {
            let added = moves(&key.position()).filter(|(_, next)| next.key().is_some() && next.key() == added);
            let except = added.map(|(square, _)| square).collect::<Bitboard>() | moves_with_value(book, key)?;
            if except != key.position().moves() {
                searches.push((*key, except));
            }
        }
        Ok(searches)
    }
}

/// Whether a position that is not in the book needs no search to be in it: each of its moves leads to a position with a value.
///
/// # Errors
/// If the book cannot be read.
pub fn needs_no_search(book: &(impl Positions + ?Sized), key: &Key) -> Result<bool, BookError> {
    Ok(book.get(key)?.is_none() && moves_with_value(book, key)? == key.position().moves())
}

/// The moves of a position that lead to positions with a value.
pub(super) fn moves_with_value(book: &(impl Positions + ?Sized), key: &Key) -> Result<Bitboard, BookError> {
    let position = key.position();
    Ok(position.moves() & !Neighbours::around(book, &position, None)?.open)
}

/// The most positions that are looked at to find a unit of work that nobody does.
const MOST_LOOKED_AT: usize = 20_000;

/// What is to be looked at for [`next_work`]: a position, or what is to be done there.
struct Waiting {
    /// What the cheapest unit of work there costs.
    cost: u32,
    /// Of equal costs the one that was found first comes first.
    order: u32,
    /// What the way there costs.
    way: u32,
    key: Key,
    /// The place of the position before it among those that were looked at.
    from: Option<usize>,
    step: Option<Step>,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        (self.cost, self.order).cmp(&(other.cost, other.order))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

/// The way from the root to the position in this place.
fn path_to(looked_at: &[(Key, Option<usize>)], mut at: Option<usize>) -> Vec<Key> {
    let mut path = Vec::new();
    while let Some((key, from)) = at.map(|index| looked_at[index]) {
        path.push(key);
        at = from;
    }
    path.reverse();
    path
}

/// The cheapest work below a root, at most this number of units, the cheapest first, but for what touches these busy positions. No two units
/// touch the same position.
///
/// # Errors
/// If the book cannot be read.
pub fn next_work(
    book: &(impl Positions + ?Sized),
    root: &Key,
    weights: u32,
    mut busy: HashSet<Key>,
    most: usize,
) -> Result<Vec<Work>, BookError> {
    let mut found = Vec::new();
    let mut looked_at: Vec<(Key, Option<usize>)> = Vec::new();
    let mut seen = HashSet::new();
    let first = Waiting { cost: 0, order: 0, way: 0, key: *root, from: None, step: None };
    // Costs of the book are exact, so the first of them leads straight to the cheapest work, and on to others where that is busy.
    let mut waiting = BinaryHeap::from([Reverse(first)]);
    let mut order = 0;
    while found.len() < most
        && let Some(Reverse(Waiting { cost, way, key, from, step, .. })) = waiting.pop()
    {
        if let Some(step) = step {
            let work = Work { path: path_to(&looked_at, from), step, cost };
            if !work.touched().any(|key| busy.contains(&key)) {
                busy.extend(work.touched());
                found.push(work);
            }
            continue;
        }
        if !seen.insert(key) || seen.len() / MOST_LOOKED_AT > found.len() {
            continue;
        }
        let Some(entry) = book.get(&key)? else { continue };
        if entry.is_solved() {
            continue;
        }
        looked_at.push((key, from));
        let from = Some(looked_at.len() - 1);
        let neighbours = Neighbours::of(book, &key, &entry)?;
        let mut add = |cost: u32, way: u32, key: Key, step: Option<Step>| {
            order += 1;
            waiting.push(Reverse(Waiting { cost, order, way, key, from, step }));
        };
        let costs = neighbours.costs(&entry);
        if neighbours.asks_for_search(&entry, weights) {
            add(way, way, key, Some(Step::Search));
        } else if let Some(cost) = costs.leaf
            && let Some((square, next)) = neighbours.leaf
            && let Some(next) = next.key()
        {
            let cost = way.saturating_add(cost);
            add(cost, cost, key, Some(Step::Extend(square, next)));
        }
        for (child, cost) in neighbours.children.iter().zip(costs.children) {
            let way = way.saturating_add(cost);
            if let (Some(next), Some(cost)) = (child.next.key(), child.cost(way)) {
                add(cost, way, next, None);
            }
        }
    }
    Ok(found)
}

/// The searches of all learned positions whose best move out of the book is not known, for the start position alone; what comes later in a
/// game first, so that the search of what comes before it can leave it out. A position whose predecessors in the book are all solved, or left out
/// themselves, is left out.
///
/// # Errors
/// If the book cannot be read, or there was an interrupt.
pub fn learned_work(
    book: &(impl Positions + ?Sized),
    root: &Key,
    interrupt: &AtomicBool,
) -> Result<Vec<Work>, BookError> {
    if *root != Key::of(&Position::START).0 {
        return Ok(Vec::new());
    }
    let mut asking = Vec::new();
    book.each(&mut |key, entry| {
        expect_no_interrupt(interrupt)?;
        // A position that asks for a search costs nothing: of most learned ones the neighbours need not be looked up.
        if entry.games > 0
            && !entry.is_solved()
            && entry.cost == 0
            && Neighbours::of(book, &key, &entry)?.asks_for_search(&entry, entry.weights)
        {
            asking.push(key);
        }
        Ok(())
    })?;
    let mut left_out = HashSet::new();
    let mut wanted = Vec::new();
    for key in asking.into_iter().rev() {
        expect_no_interrupt(interrupt)?;
        let mut is_decided = false;
        for before in before(book, &key) {
            let (before, entry) = before?;
            is_decided = entry.is_solved() || left_out.contains(&before);
            if !is_decided {
                break;
            }
        }
        if is_decided {
            left_out.insert(key);
        } else {
            wanted.push(Work { path: vec![key], step: Step::Search, cost: 0 });
        }
    }
    wanted.reverse();
    Ok(wanted)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::graph::tests::{WEIGHTS, add, first_move, found, searched};
    use super::super::graph::{fault, propagate};
    use super::super::{Entry, GrowthRule, Leaf, PositionsMut};
    use super::*;
    use crate::random::Random;
    use crate::search::{Score, SearchDepth};
    use std::collections::{BTreeMap, BTreeSet};
    use strum::VariantArray;

    /// Does a unit of work with random values.
    fn done(book: &mut impl PositionsMut, work: &Work, random: &mut Random) {
        let mut changed = BTreeSet::from([*work.key()]);
        if let Step::Extend(_, key) = work.step {
            let entry = book.get(&key).unwrap().unwrap_or(Entry::UNSEARCHED);
            book.put(&key, &entry).unwrap();
            changed.insert(key);
        }
        for (key, except) in work.searches(book).unwrap() {
            let open: Vec<Square> = (key.position().moves() & !except).into_iter().collect();
            let square = open[random.below(open.len())];
            let value = Score::from_units(random.below(1000) as i32 - 500);
            let leaf = Leaf::Found { square, value, depth: SearchDepth::Plies(10) };
            let entry = book.get(&key).unwrap().unwrap();
            book.put(&key, &Entry { leaf, weights: WEIGHTS, ..entry }).unwrap();
        }
        propagate(book, changed, WEIGHTS).unwrap();
    }

    /// A book that grows by another rule than a map of positions does.
    struct Grown(BTreeMap<Key, Entry>, GrowthRule);

    impl Positions for Grown {
        fn get(&self, key: &Key) -> Result<Option<Entry>, BookError> {
            Positions::get(&self.0, key)
        }

        fn each(&self, visit: &mut dyn FnMut(Key, Entry) -> Result<(), BookError>) -> Result<(), BookError> {
            self.0.each(visit)
        }

        fn rule(&self) -> GrowthRule {
            self.1
        }
    }

    impl PositionsMut for Grown {
        fn put(&mut self, key: &Key, entry: &Entry) -> Result<(), BookError> {
            self.0.put(key, entry)
        }
    }

    /// A book that has grown from the start, with random values.
    pub fn grown() -> BTreeMap<Key, Entry> {
        grown_by(300, 3)
    }

    fn grown_by(units: u32, seed: u64) -> BTreeMap<Key, Entry> {
        let root = Key::of(&Position::START).0;
        let mut book = BTreeMap::from([(root, Entry::UNSEARCHED)]);
        let mut random = Random::new(seed);
        for _ in 0..units {
            let work = next_work(&book, &root, WEIGHTS, HashSet::new(), 1).unwrap().remove(0);
            done(&mut book, &work, &mut random);
        }
        book
    }

    #[test]
    fn a_book_grows_where_it_costs_least_and_stays_right() {
        for rule in GrowthRule::VARIANTS {
            grows_where_it_costs_least_and_stays_right(*rule);
        }
    }

    fn grows_where_it_costs_least_and_stays_right(rule: GrowthRule) {
        let root = Key::of(&Position::START).0;
        let mut book = Grown(BTreeMap::from([(root, Entry::UNSEARCHED)]), rule);
        let mut random = Random::new(5);
        for unit in 0..400 {
            let units = next_work(&book, &root, WEIGHTS, HashSet::new(), 3).unwrap();
            let work = &units[0];
            assert_eq!((work.path[0], work.cost), (root, book.0[&root].cost), "{rule}, unit {unit}");
            assert!(units.is_sorted_by_key(|work| work.cost));
            assert_eq!(next_work(&book, &root, WEIGHTS, HashSet::new(), 0).unwrap(), []);
            let touched: Vec<Key> = units.iter().flat_map(Work::touched).collect();
            assert_eq!(touched.iter().collect::<HashSet<_>>().len(), touched.len());
            if let [_, next, ..] = &units[..] {
                let busy = HashSet::from([*work.key()]);
                assert_eq!(next_work(&book, &root, WEIGHTS, busy, 1).unwrap()[0].cost, next.cost);
            }
            done(&mut book, work, &mut random);
        }
        assert!(book.0.len() > 150, "{}", book.0.len());
        for (key, entry) in &book.0 {
            assert_eq!(fault(&book, key, entry, WEIGHTS).unwrap(), None);
            assert!(entry.value.is_some());
        }
        let deepest = book.0.keys().map(|key| 60 - key.empties()).max().unwrap();
        assert!(deepest >= 8, "{deepest}");
    }

    #[test]
    fn learned_positions_are_searched_unless_the_result_is_known() {
        let root = Key::of(&Position::START).0;
        let mut book = grown_by(20, 9);
        let learned = |book: &BTreeMap<Key, Entry>, root: &Key| learned_work(book, root, &AtomicBool::new(false));
        assert_eq!(learned(&book, &root).unwrap(), []);
        let game = "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 d7 g6 d8 c5 c6 c7 c8 b6 b5 e3";
        let mut position = Position::START;
        let mut line = Vec::new();
        for square in game.split(' ') {
            position = position.after(square.parse().expect("a square"));
            let key = Key::of(&position).0;
            let known = book.get(&key).copied().unwrap_or(Entry::UNSEARCHED);
            add(&mut book, key, Entry { games: 1, ..known });
            line.insert(0, key);
        }
        let wanted = |book: &BTreeMap<Key, Entry>| -> Vec<Key> {
            learned(book, &root).unwrap().iter().map(|work| *work.key()).collect()
        };
        let unsearched: Vec<Key> = line.iter().copied().filter(|key| book[key].value.is_none()).collect();
        assert!(unsearched.len() > 10, "{}", unsearched.len());
        assert_eq!(wanted(&book), unsearched, "the later first");
        assert_eq!(learned(&book, &line[5]).unwrap(), []);
        assert!(matches!(learned_work(&book, &root, &AtomicBool::new(true)), Err(BookError::Interrupted)));
        let solved = found(first_move(&line[3]), 4, SearchDepth::Exact);
        add(&mut book, line[3], searched(solved));
        assert_eq!(wanted(&book), unsearched[4..], "what follows a result is left out");
        // The best move of one of them is in the book once the position behind it has a value.
        let next = moves(&line[5].position()).find(|(_, next)| next.key() == Some(line[4])).expect("it is a move");
        add(&mut book, line[5], Entry { games: 1, ..searched(found(next.0, 1, SearchDepth::Plies(8))) });
        assert!(!wanted(&book).contains(&line[5]));
        add(&mut book, line[4], Entry { games: 1, ..searched(found(first_move(&line[4]), 1, SearchDepth::Plies(8))) });
        assert!(wanted(&book).contains(&line[5]) && !wanted(&book).contains(&line[4]));
    }

    #[test]
    fn what_another_evaluation_found_is_searched_again() {
        let root = Key::of(&Position::START).0;
        let mut book = grown_by(20, 9);
        let keys: BTreeSet<Key> = book.keys().copied().collect();
        propagate(&mut book, keys, WEIGHTS + 1).unwrap();
        let work = next_work(&book, &root, WEIGHTS + 1, HashSet::new(), 1).unwrap();
        assert_eq!(work[0].step, Step::Search);
    }
}
