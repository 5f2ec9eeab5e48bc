//! In which order moves are tried: the better the first one, the less there is to search.

use crate::eval::Evaluator;
use crate::othello::{Bitboard, Position, Square};
use arrayvec::ArrayVec;

/// A move to be tried.
pub(super) struct Candidate {
    /// Low is tried first.
    key: i32,
    pub square: Square,
    pub child: Position,
}

/// The moves of a position with the positions they lead to.
pub(super) struct Candidates(ArrayVec<Candidate, 60>);

impl Candidates {
    /// The moves in the order of their squares.
    pub(super) fn of(position: &Position, moves: Bitboard) -> Candidates {
        Candidates(
            moves.into_iter().map(|square| Candidate { key: 0, square, child: position.after(square) }).collect(),
        )
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// By the replies that a move leaves, corners counted twice, fewest first; `first` before all others.
    pub(super) fn sort_by_replies(&mut self, first: Option<Square>) {
        for candidate in &mut self.0 {
            let replies = candidate.child.moves();
            candidate.key = (replies.count() + (replies & Bitboard::CORNERS).count()) as i32;
        }
        self.sort(first);
    }

    /// By the static value for the side that has to reply, least first; `first` before all others.
    pub(super) fn sort_by_value(&mut self, evaluator: &dyn Evaluator<Position>, first: Option<Square>) {
        for candidate in &mut self.0 {
            candidate.key = evaluator.evaluate(&candidate.child);
        }
        self.sort(first);
    }

    fn sort(&mut self, first: Option<Square>) {
        for candidate in &mut self.0 {
            if Some(candidate.square) == first {
                candidate.key = i32::MIN;
            }
        }
        // Stable, so that equal keys keep the order of the squares and every run is the same.
        self.0.sort_by_key(|candidate| candidate.key);
    }
}

impl<'a> IntoIterator for &'a Candidates {
    type Item = &'a Candidate;
    type IntoIter = std::slice::Iter<'a, Candidate>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
