//! How values, bounds and costs of positions depend on one another, and how they are kept right.
//!
//! A position is worth the best of its moves: those that lead to a position with a value are worth what that position is, and of all others
//! the search has found the best, the leaf. So everything but the leaves can be computed again, and [`fault`] does.
//!
//! The cost says where the book is to grow: that of a position is the least of what its moves cost ([`GrowthRule`]) and what is to be paid
//! behind them. The position to be searched next is the cheapest below the root. By default this is drop-out expansion (T. R. Lincke,
//! *Strategies for the Automatic Construction of Opening Books*, Computers and Games 2000): deviations of both sides are looked at, the
//! more the less they cost. A disc is worth two plies, because values of searches are off by that order.

use super::error::BookError;
use super::rule::MoveCosts;
use super::{Draws, Entry, GrowthRule, Key, Leaf, Next, moves};
use crate::game::DISC;
use crate::othello::{Bitboard, Position, Square};
use crate::search::Score;
use std::collections::{BTreeMap, BTreeSet};

/// Positions with what is known of them.
pub trait Positions {
    /// What is known of a position, if it is in the book.
    ///
    /// # Errors
    /// If the book cannot be read.
    fn get(&self, key: &Key) -> Result<Option<Entry>, BookError>;

    /// Calls `visit` with every position, what comes later in a game first.
    ///
    /// # Errors
    /// If the book cannot be read, or the visitor says so.
    fn each(&self, visit: &mut dyn FnMut(Key, Entry) -> Result<(), BookError>) -> Result<(), BookError>;

    /// How costs are counted.
    fn rule(&self) -> GrowthRule {
        GrowthRule::default()
    }

    /// The keys of all positions.
    ///
    /// # Errors
    /// If the book cannot be read.
    fn keys(&self) -> Result<BTreeSet<Key>, BookError> {
        let mut keys = BTreeSet::new();
        self.each(&mut |key, _| {
            keys.insert(key);
            Ok(())
        })?;
        Ok(keys)
    }
}

impl Positions for BTreeMap<Key, Entry> {
    fn get(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        Ok(BTreeMap::get(self, key).copied())
    }

    fn each(&self, visit: &mut dyn FnMut(Key, Entry) -> Result<(), BookError>) -> Result<(), BookError> {
        self.iter().try_for_each(|(key, entry)| visit(*key, *entry))
    }
}

/// Positions that can be changed.
pub trait PositionsMut: Positions {
    /// Adds a position, or replaces what is known of it.
    ///
    /// # Errors
    /// If the book cannot be written.
    fn put(&mut self, key: &Key, entry: &Entry) -> Result<(), BookError>;
}

/// The positions of a book that lead to this one by a move.
pub(super) fn before<P: Positions + ?Sized>(
    positions: &P,
    key: &Key,
) -> impl Iterator<Item = Result<(Key, Entry), BookError>> {
    let found = |key: Key| positions.get(&key).map(|entry| Some((key, entry?))).transpose();
    key.predecessors().into_iter().filter_map(found)
}

/// A move to a position that is in the book.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    pub square: Square,
    pub next: Next,
    pub entry: Entry,
}

/// What a position's neighbours say of it.
#[derive(Debug)]
pub(super) struct Neighbours {
    /// The positions in the book that its moves lead to.
    pub children: Vec<Child>,
    /// The moves that lead to no position with a value.
    pub open: Bitboard,
    /// The leaf, if it is one of these, and where it leads. The value of one that has become a position with a value is out of date.
    pub leaf: Option<(Square, Next)>,
    /// How the book counts costs.
    rule: GrowthRule,
}

impl Neighbours {
    pub(super) fn of(positions: &(impl Positions + ?Sized), key: &Key, entry: &Entry) -> Result<Neighbours, BookError> {
        Neighbours::around(positions, &key.position(), entry.leaf.square())
    }

    /// Those of a position, however it is turned, with the square of its leaf on this board.
    pub(super) fn around(
        positions: &(impl Positions + ?Sized),
        position: &Position,
        leaf: Option<Square>,
    ) -> Result<Neighbours, BookError> {
        let rule = positions.rule();
        let mut neighbours = Neighbours { children: Vec::new(), open: Bitboard::EMPTY, leaf: None, rule };
        for (square, next) in moves(position) {
            let entry = match next.key() {
                Some(key) => positions.get(&key)?,
                None => None,
            };
            if entry.is_none_or(|entry| entry.value.is_none()) {
                neighbours.open |= square.bit();
                if leaf == Some(square) {
                    neighbours.leaf = Some((square, next));
                }
            }
            neighbours.children.extend(entry.map(|entry| Child { square, next, entry }));
        }
        Ok(neighbours)
    }

    /// Whether the best of the moves without a value is to be searched, by an evaluation with this fingerprint.
    pub(super) fn asks_for_search(&self, entry: &Entry, weights: u32) -> bool {
        !self.open.is_empty() && !(self.leaf.is_some() && (entry.weights == weights || entry.has_exact_leaf()))
    }

    /// The entry with its value, bounds and cost as the neighbours have them.
    pub(super) fn recomputed(&self, entry: &Entry, weights: u32) -> Entry {
        let mut recomputed = *entry;
        if self.open.is_empty() {
            recomputed.leaf = Leaf::NoneLeft;
        } else if entry.leaf == Leaf::NoneLeft {
            recomputed.leaf = Leaf::Unsearched;
        }
        let open = self.value_of_leaf(&recomputed);
        let values = self.children.iter().filter_map(|child| child.value());
        let best = values.chain(open).max();
        (recomputed.lower, recomputed.upper) = self.bounds(&recomputed);
        let (least, most) = (Score::from_discs(recomputed.lower.into()), Score::from_discs(recomputed.upper.into()));
        // Of a position that was not searched, only some moves are known: games have played them.
        let is_known = recomputed.leaf != Leaf::Unsearched || recomputed.is_solved();
        recomputed.value = best.filter(|_| is_known).map(|value| value.clamp(least, most));
        recomputed.draws = recomputed.value.and_then(|value| self.draws(&recomputed, open, value));
        recomputed.cost = self.cost(&recomputed, weights);
        recomputed
    }

    /// What the position is worth by what a draw is worth, if that matters.
    fn draws(&self, entry: &Entry, open: Option<Score>, value: Score) -> Option<Draws> {
        if !is_draw(entry) && self.children.iter().all(|child| child.entry.draws.is_none()) {
            return None;
        }
        let open = open.map(|leaf| if is_draw(entry) { Draws::DRAW } else { Draws::none(leaf) });
        let draws = self.children.iter().filter_map(|child| child.draws()).chain(open);
        let draws = draws.reduce(|a, b| Draws { lost: a.lost.max(b.lost), won: a.won.max(b.won) })?;
        let draws = Draws { lost: draws.lost.min(value), won: draws.won.max(value) };
        (draws.lost < draws.won).then_some(draws)
    }

    /// The value of the leaf, if it is not out of date.
    fn value_of_leaf(&self, entry: &Entry) -> Option<Score> {
        match entry.leaf {
            Leaf::Found { value, .. } if self.leaf.is_some() => Some(value),
            _ => None,
        }
    }

    /// Whether the position behind the leaf is worth to be added.
    pub(super) fn can_be_extended(&self, entry: &Entry) -> bool {
        self.leaf.is_some_and(|(_, next)| next.key().is_some()) && !entry.has_exact_leaf()
    }

    fn bounds(&self, entry: &Entry) -> (i8, i8) {
        let exact = match entry.leaf {
            Leaf::Found { value, .. } if self.leaf.is_some() && entry.has_exact_leaf() => {
                Some((value.units() / DISC) as i8)
            }
            _ => None,
        };
        let lower = self.children.iter().map(|child| child.bounds().0).chain(exact).max().unwrap_or(-64);
        // The result of the leaf is the best of all moves without a value.
        let are_all_bounded = self.open.is_empty() || exact.is_some();
        let bounded = self.children.iter().filter(|child| child.entry.value.is_some());
        let upper = bounded.map(|child| child.bounds().1).chain(exact).max().unwrap_or(64);
        let upper = if are_all_bounded { upper } else { 64 };
        (lower.clamp(-64, 64).min(upper), upper)
    }

    /// What the moves cost, that of the leaf only if it is worth to be added.
    pub(super) fn costs(&self, entry: &Entry) -> MoveCosts {
        let costs = self.rule.costs(entry, &self.children, self.value_of_leaf(entry));
        MoveCosts { leaf: costs.leaf.filter(|_| self.can_be_extended(entry)), ..costs }
    }

    /// What the way to the next position to be searched costs.
    fn cost(&self, entry: &Entry, weights: u32) -> u32 {
        if entry.is_solved() {
            return Entry::NOTHING_TO_DO;
        }
        if self.asks_for_search(entry, weights) {
            return 0;
        }
        let costs = self.costs(entry);
        let behind = self.children.iter().zip(costs.children).filter_map(|(child, cost)| child.cost(cost));
        behind.chain(costs.leaf).min().unwrap_or(Entry::NOTHING_TO_DO)
    }
}

impl Child {
    /// Its value for the side that moves there.
    pub(super) fn value(&self) -> Option<Score> {
        self.entry.value.map(|value| self.next.signed(value))
    }

    /// Its bounds for the side that moves there.
    pub(super) fn bounds(&self) -> (i8, i8) {
        let (one, other) = (self.next.signed(self.entry.lower), self.next.signed(self.entry.upper));
        (one.min(other), one.max(other))
    }

    /// What it is worth for the side that moves there, if a draw is worth this to it.
    pub(super) fn worth(&self, draw: Score) -> Option<Score> {
        self.entry.worth(self.next.signed(draw)).map(|value| self.next.signed(value))
    }

    /// What it is worth for the side that moves there, by what a draw is worth to it.
    fn draws(&self) -> Option<Draws> {
        Some(self.next.signed(self.entry.draws.unwrap_or(Draws::none(self.entry.value?))))
    }

    /// What it costs to reach the next position to be searched through the child, if there is one. `way` is what it costs to reach the child.
    pub(super) fn cost(&self, way: u32) -> Option<u32> {
        (self.entry.cost != Entry::NOTHING_TO_DO).then(|| way.saturating_add(self.entry.cost))
    }
}

/// How far a move of this value is below the best one.
pub(super) fn loss(entry: &Entry, value: Score) -> u32 {
    entry.value.map_or(0, |best| (best.units() - value.units()).max(0) as u32)
}

/// Whether the leaf is a draw under perfect play.
pub(super) fn is_draw(entry: &Entry) -> bool {
    entry.has_exact_leaf() && matches!(entry.leaf, Leaf::Found { value: Score::ZERO, .. })
}

/// An entry of this position as what is behind the position makes it.
pub(super) fn computed(
    positions: &(impl Positions + ?Sized),
    key: &Key,
    entry: &Entry,
    weights: u32,
) -> Result<Entry, BookError> {
    Ok(Neighbours::of(positions, key, entry)?.recomputed(entry, weights))
}

/// Makes what depends on these positions right: themselves, and all before them that change by it. `weights` is the fingerprint of the
/// evaluation that the book grows with.
///
/// # Errors
/// If the book cannot be read or written.
pub fn propagate(
    positions: &mut (impl PositionsMut + ?Sized),
    changed: BTreeSet<Key>,
    weights: u32,
) -> Result<(), BookError> {
    let mut waiting = changed.clone();
    // What comes later in a game comes first.
    while let Some(key) = waiting.pop_first() {
        let Some(entry) = positions.get(&key)? else { continue };
        let computed = computed(positions, &key, &entry, weights)?;
        if computed != entry {
            positions.put(&key, &computed)?;
        }
        if computed != entry || changed.contains(&key) {
            for before in before(positions, &key) {
                waiting.insert(before?.0);
            }
        }
    }
    Ok(())
}

/// The square of a leaf that is no move.
pub(super) fn illegal_leaf(key: &Key, entry: &Entry) -> Option<Square> {
    let Leaf::Found { square, .. } = entry.leaf else { return None };
    (!key.position().moves().contains(square)).then_some(square)
}

/// What is wrong with an entry: nothing but what [`propagate`] would change, and leaves that are no moves.
pub fn fault(
    positions: &(impl Positions + ?Sized),
    key: &Key,
    entry: &Entry,
    weights: u32,
) -> Result<Option<String>, BookError> {
    if let Some(square) = illegal_leaf(key, entry) {
        return Ok(Some(format!("{square} is no move")));
    }
    Ok(difference(entry, &computed(positions, key, entry, weights)?))
}

/// What is wrong with an entry that should be this one.
pub(super) fn difference(stored: &Entry, computed: &Entry) -> Option<String> {
    (computed != stored).then(|| format!("stored {stored:?}, computed {computed:?}"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::COST_UNIT;
    use super::*;
    use crate::search::SearchDepth;
    use crate::testing::random_position;

    pub const WEIGHTS: u32 = 7;

    impl PositionsMut for BTreeMap<Key, Entry> {
        fn put(&mut self, key: &Key, entry: &Entry) -> Result<(), BookError> {
            self.insert(*key, *entry);
            Ok(())
        }
    }

    /// A leaf that is worth this number of discs.
    pub fn found(square: Square, discs: i32, depth: SearchDepth) -> Leaf {
        Leaf::Found { square, value: Score::from_discs(discs), depth }
    }

    /// A position with this leaf.
    pub fn searched(leaf: Leaf) -> Entry {
        Entry { leaf, weights: WEIGHTS, ..Entry::UNSEARCHED }
    }

    /// Puts a position into a book, and makes right what depends on it.
    pub fn add(book: &mut BTreeMap<Key, Entry>, key: Key, entry: Entry) {
        book.insert(key, entry);
        propagate(book, BTreeSet::from([key]), WEIGHTS).unwrap();
    }

    /// The first move of a position.
    pub fn first_move(key: &Key) -> Square {
        moves(&key.position()).next().expect("a key has a move").0
    }

    pub fn leaf_of(book: &BTreeMap<Key, Entry>, key: &Key, salt: u64, exact: bool) -> Leaf {
        let without_value =
            |next: &Next| next.key().and_then(|key| book.get(&key)).is_none_or(|entry| entry.value.is_none());
        let open: Vec<_> = moves(&key.position()).filter(|(_, next)| without_value(next)).collect();
        let Some(&(square, _)) = open.get(salt as usize % open.len().max(1)) else { return Leaf::NoneLeft };
        found(square, (salt / 7 % 21) as i32 - 10, if exact { SearchDepth::Exact } else { SearchDepth::Plies(10) })
    }

    /// A book of positions of random games, searched in any order, some never.
    pub fn book() -> BTreeMap<Key, Entry> {
        let mut book = BTreeMap::new();
        for seed in 0..400u64 {
            let position = random_position(seed, 46 + seed as u32 * 31 % 15);
            if position.moves().is_empty() {
                continue;
            }
            let key = Key::of(&position).0;
            let leaf = if seed % 5 == 0 { Leaf::Unsearched } else { leaf_of(&book, &key, seed * 977, seed % 11 == 0) };
            add(&mut book, key, Entry { games: seed as u32 % 3, ..searched(leaf) });
        }
        book
    }

    #[test]
    fn every_value_is_right_after_every_change() {
        let book = book();
        assert!(book.len() > 150, "{}", book.len());
        assert!(book.values().any(|entry| entry.value.is_none()));
        for (key, entry) in &book {
            assert_eq!(fault(&book, key, entry, WEIGHTS).unwrap(), None, "{key:?}");
        }
    }

    /// The negamax of what is behind a position, if a draw is worth this to the side to move.
    fn worth(book: &BTreeMap<Key, Entry>, key: &Key, draw: Score) -> Option<Score> {
        let entry = &book[key];
        entry.value?;
        let neighbours = Neighbours::of(book, key, entry).unwrap();
        let leaf = match entry.leaf {
            Leaf::Found { .. } if neighbours.leaf.is_some() && is_draw(entry) => Some(draw),
            Leaf::Found { value, .. } if neighbours.leaf.is_some() => Some(value),
            _ => None,
        };
        let of_child =
            |child: &Child| Some(child.next.signed(worth(book, &child.next.key()?, child.next.signed(draw))?));
        neighbours.children.iter().filter_map(of_child).chain(leaf).max()
    }

    #[test]
    fn the_worth_of_a_draw_is_right_after_every_change() {
        let mut book = super::super::select::tests::grown();
        for key in book.keys().copied().step_by(4).collect::<Vec<_>>() {
            if let Leaf::Found { square, .. } = book[&key].leaf {
                let entry = Entry { leaf: found(square, 0, SearchDepth::Exact), ..book[&key] };
                add(&mut book, key, entry);
            }
        }
        assert!(book.values().filter(|entry| entry.draws.is_some() && !is_draw(entry)).count() > 20);
        for (key, entry) in &book {
            for discs in [-100, -7, -1, 0, 2, 5, 100] {
                let draw = Score::from_discs(discs);
                assert_eq!(entry.worth(draw), worth(&book, key, draw), "{key:?} {discs} {entry:?}");
            }
        }
    }

    #[test]
    fn values_are_the_negamax_of_children_and_leaf() {
        let start = Key::of(&Position::START).0;
        let mut book = BTreeMap::from([(start, Entry { weights: WEIGHTS, ..Entry::UNSEARCHED })]);
        let next = moves(&Position::START).next().unwrap().1.key().unwrap();
        add(&mut book, next, searched(found(first_move(&next), -3, SearchDepth::Plies(8))));
        let root = book[&start];
        assert_eq!((root.value, root.leaf), (Some(Score::from_discs(3)), Leaf::NoneLeft), "four moves that are one");
        assert_eq!(root.cost, COST_UNIT, "one ply, then the leaf that is the best move");
        // The same value by an older evaluation is to be searched again.
        propagate(&mut book, BTreeSet::from([next]), WEIGHTS + 1).unwrap();
        assert_eq!((book[&start].value, book[&next].cost), (Some(Score::from_discs(3)), 0));
    }
}
