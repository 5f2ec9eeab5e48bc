//! In which order moves are tried: the better the first one, the less there is to search.

use crate::eval::Evaluator;
use crate::othello::{Bitboard, Position, Square};
use arrayvec::ArrayVec;

/// What a reply that a move leaves counts against it; a reply in a corner counts twice.
const REPLY: i32 = 8;
/// What an empty square that the other side may come to play counts against it.
const LATER_REPLY: i32 = 4;
/// What the square itself counts against it: corners are good, the squares beside them bad.
const SQUARE: [i32; 64] = {
    let mut weights = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (column, row) = (square % 8, square / 8);
        let column = if column < 4 { column } else { 7 - column };
        let row = if row < 4 { row } else { 7 - row };
        weights[square] = match (column, row) {
            (0, 0) => -9,
            (0, 1) | (1, 0) => 2,
            (1, 1) => 4,
            _ => 0,
        };
        square += 1;
    }
    weights
};

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

    /// By the replies that a move leaves, now and later, fewest first, and by its square; `first` before all others.
    pub(super) fn sort_by_replies(&mut self, first: Option<Square>) {
        for candidate in &mut self.0 {
            let child = &candidate.child;
            let replies = child.moves();
            let replies = replies.count() + (replies & Bitboard::CORNERS).count();
            let later = (child.opponent().neighbours() & child.empties()).count();
            let square = SQUARE[candidate.square.index()];
            candidate.key = REPLY * replies as i32 + LATER_REPLY * later as i32 + square;
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
