//! Searches that were made elsewhere become part of the book.

use super::combine::rank;
use super::graph::{Neighbours, Positions, PositionsMut, before, propagate};
use super::select::{moves_with_value, needs_no_search};
use super::{BookError, Database, Entry, Key, Leaf, moves};
use crate::othello::{Bitboard, Square};
use crate::search::{Score, SearchDepth};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What a search has found: the best move of a position, but for those that were not looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The position.
    pub key: Key,
    /// The moves of [`Key::position`] that were not looked at.
    pub except: Bitboard,
    /// The best of the others.
    pub square: Square,
    /// Its value.
    pub value: Score,
    /// How far the search has seen.
    pub depth: SearchDepth,
}

/// What has become of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is a leaf of the book now.
    Taken,
    /// It says no more than the book knows.
    Known,
    /// It left out moves that have no value in the book: what was found of these has to come with it or before it.
    Early,
    /// Its move is in the book by now.
    Late,
    /// Its position is neither in the book nor one move behind it, those that are taken with it included.
    Foreign,
}

/// How many findings are one unit of work.
const AT_ONCE: usize = 1000;

impl Database {
    /// Takes findings of the evaluation that the book grows with, in any order, and any of them more than once. Says what has become of
    /// each.
    ///
    /// # Errors
    /// If the disk does not take them; some of them may be in the book then.
    pub fn take(&self, findings: &[Finding]) -> Result<Vec<Outcome>, BookError> {
        let weights = self.read()?.weights;
        let mut order: Vec<usize> = (0..findings.len()).collect();
        // What is later in a game comes first: it is what others have left out.
        order.sort_by_key(|&index| {
            let finding = &findings[index];
            (finding.key, Reverse(rank(&finding.entry(&Entry::UNSEARCHED, weights), weights)))
        });
        let mut outcomes = vec![Outcome::Foreign; findings.len()];
        loop {
            let mut is_taken = false;
            for part in order.chunks(AT_ONCE) {
                self.update(weights, |positions| {
                    for &index in part {
                        outcomes[index] = findings[index].take(positions, weights)?;
                        is_taken |= outcomes[index] == Outcome::Taken;
                    }
                    Ok(BTreeSet::new())
                })?;
            }
            // A finding that was taken may lead to the position of another one, or another one may wait for it.
            order.retain(|&index| matches!(outcomes[index], Outcome::Foreign | Outcome::Early));
            if !is_taken || order.is_empty() {
                return Ok(outcomes);
            }
        }
    }
}

impl Finding {
    fn entry(&self, known: &Entry, weights: u32) -> Entry {
        let leaf = Leaf::Found { square: self.square, value: self.value, depth: self.depth };
        Entry { leaf, weights, visits: known.visits.saturating_add(1), ..*known }
    }

    fn take(&self, positions: &mut dyn PositionsMut, weights: u32) -> Result<Outcome, BookError> {
        let known = positions.get(&self.key)?;
        if known.is_none() && !is_behind(positions, &self.key)? {
            return Ok(Outcome::Foreign);
        }
        self.add_what_needs_no_search(positions, weights)?;
        let with_value = moves_with_value(positions, &self.key)?;
        if self.except & !with_value != Bitboard::EMPTY {
            return Ok(Outcome::Early);
        }
        if with_value.contains(self.square) {
            return Ok(Outcome::Late);
        }
        let known = known.unwrap_or(Entry::UNSEARCHED);
        let entry = self.entry(&known, weights);
        let has_leaf = Neighbours::of(positions, &self.key, &known)?.leaf.is_some();
        if has_leaf && rank(&known, weights) >= rank(&entry, weights) {
            return Ok(Outcome::Known);
        }
        positions.put(&self.key, &entry)?;
        propagate(positions, BTreeSet::from([self.key]), weights)?;
        Ok(Outcome::Taken)
    }

    /// Adds the positions behind moves that were left out and to which no answer comes, because the book has all that is behind them.
    fn add_what_needs_no_search(&self, positions: &mut dyn PositionsMut, weights: u32) -> Result<(), BookError> {
        for (_, next) in moves(&self.key.position()).filter(|(square, _)| self.except.contains(*square)) {
            if let Some(behind) = next.key()
                && needs_no_search(positions, &behind)?
            {
                positions.put(&behind, &Entry::ADDED)?;
                propagate(positions, BTreeSet::from([behind]), weights)?;
            }
        }
        Ok(())
    }
}

/// Whether a move leads to this position from one in the book.
fn is_behind(positions: &(impl Positions + ?Sized), key: &Key) -> Result<bool, BookError> {
    Ok(before(positions, key).next().transpose()?.is_some())
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{WEIGHTS, add, first_move, found, searched};
    use super::super::next;
    use super::*;
    use crate::othello::Position;
    use std::collections::BTreeMap;

    #[test]
    fn a_chain_of_findings_is_taken_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let book = Database::create(&folder.path().join("book"), WEIGHTS).unwrap();
        let mut position = Position::START;
        let mut findings = Vec::new();
        for square in ["f5", "d6", "c3"] {
            position = position.after(square.parse().unwrap());
            let key = Key::of(&position).0;
            let (square, value, depth) = (first_move(&key), Score::ZERO, SearchDepth::Plies(8));
            findings.push(Finding { key, except: Bitboard::EMPTY, square, value, depth });
        }
        let mut far = (7..).map(|seed| crate::testing::random_position(seed, 20));
        let far = Key::of(&far.find(|position| !position.moves().is_empty()).unwrap()).0;
        let lost = Finding { key: far, square: first_move(&far), ..findings[0] };
        assert_eq!(
            book.take(&[findings[2], lost, findings[0], findings[1]]).unwrap(),
            [Outcome::Taken, Outcome::Foreign, Outcome::Taken, Outcome::Taken]
        );
        let now = book.read().unwrap();
        assert_eq!((now.count().unwrap(), now.check(&mut |fault| panic!("{fault}")).unwrap()), (4, 0));
    }

    #[test]
    fn what_was_left_out_and_needs_no_search_does_not_wait_for_one() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        let position = Position::START.after(square("f5"));
        let (key, symmetry) = Key::of(&position);
        let left_out = square("d6");
        let behind = next(&position, left_out).key().unwrap();
        let mut book = BTreeMap::from([(key, Entry::UNSEARCHED)]);
        for (_, next) in moves(&behind.position()) {
            let key = next.key().unwrap();
            add(&mut book, key, searched(found(first_move(&key), 0, SearchDepth::Plies(8))));
        }
        let finding = Finding {
            key,
            except: symmetry.square(left_out).bit(),
            square: symmetry.square(square("f4")),
            value: Score::ZERO,
            depth: SearchDepth::Plies(8),
        };
        assert_eq!(finding.take(&mut book, WEIGHTS).unwrap(), Outcome::Taken);
        assert_eq!((book[&behind].leaf, book[&behind].value), (Leaf::NoneLeft, Some(Score::ZERO)));
    }
}
