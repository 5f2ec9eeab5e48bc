//! In which order moves are tried: the better the first one, the less there is to search.

use super::selectivity::Selectivity;
use super::transposition::TranspositionTable;
use crate::game::DISC;
use crate::othello::{Bitboard, Position, Square, flips};
use arrayvec::ArrayVec;
use std::ops::Deref;

/// Sort key that each reply after a move adds, where moves are sorted without a search; a reply in a corner counts twice.
const REPLY: i32 = 8;
/// Sort key that each empty square adds that the other side may come to play (potential mobility).
const LATER_REPLY: i32 = 4;
/// Sort key that the square of the move adds, where moves are sorted without a search: corners are good, the squares beside them bad.
const SQUARE: [i32; 64] = {
    let mut weights = [0; 64];
    let mut square = 0;
    while square < 64 {
        weights[square] = match Square::from_low_bits(square as u32).edge_distances() {
            (0, 0) => -9,
            (0, 1) => 2,
            (1, 1) => 4,
            _ => 0,
        };
        square += 1;
    }
    weights
};

/// Sort key that each reply after a move adds, where moves are sorted by value, in units of [`DISC`].
const REPLY_VALUE: i32 = DISC / 2;
/// The same in a search to the end, where the quickest move that is good enough is the best one: behind a static value, and behind that of
/// a search.
const REPLY_TO_THE_END: [i32; 2] = [5 * DISC / 2, 3 * DISC / 2];
/// Sort key that each empty square adds in a search to the end that the other side may come to play, in units of [`DISC`].
const LATER_REPLY_TO_THE_END: i32 = DISC / 2;
/// Distance below the value that is needed, in units of [`DISC`], from which on moves are not distinguished.
pub(super) const HOPELESS: i32 = 8 * DISC;

/// Plies that are searched to find the order of a node's moves, if the node is `depth` plies above its leaves.
pub(super) fn sorting_depth(depth: u8, solving: bool) -> u8 {
    if solving { (depth.saturating_sub(15) / 3).min(4) } else { (depth.saturating_sub(4) / 3).min(3) }
}

/// Corners, then what is not beside one, the `hopeful` first, then the squares beside corners.
pub(super) fn by_square(moves: Bitboard, hopeful: Bitboard) -> impl Iterator<Item = Square> {
    const BESIDE_CORNERS: Bitboard = Bitboard(0x42c3_0000_0000_c342);
    let elsewhere = !(Bitboard::CORNERS | BESIDE_CORNERS);
    let classes = [Bitboard::CORNERS, elsewhere & hopeful, elsewhere & !hopeful, BESIDE_CORNERS];
    classes.into_iter().flat_map(move |class| (moves & class).into_iter())
}

/// The number of moves, those in a corner counted twice.
#[inline]
pub(super) fn weighted_count(moves: Bitboard) -> i32 {
    (moves.count() + (moves & Bitboard::CORNERS).count()) as i32
}

/// The empty squares next to discs that the side to move may come to turn (potential mobility).
fn later_replies(child: &Position) -> i32 {
    (child.opponent().neighbours() & child.empties()).count() as i32
}

/// Sort key that the replies after a move add to its value after a search of `look` plies, in units of [`DISC`].
pub(super) fn cost_of_replies(child: &Position, look: u8, solving: bool) -> i32 {
    let replies = weighted_count(child.moves());
    if !solving {
        return replies * REPLY_VALUE;
    }
    replies * REPLY_TO_THE_END[usize::from(look > 0)] + later_replies(child) * LATER_REPLY_TO_THE_END
}

/// A move to be tried.
pub(super) struct Candidate {
    /// Low is tried first.
    key: i32,
    pub square: Square,
    /// The discs that it turns.
    pub turned: Bitboard,
    pub child: Position,
}

/// The moves of a position with the positions they lead to.
pub(super) struct Candidates(ArrayVec<Candidate, 60>);

impl Candidates {
    /// No moves yet: to return those of a position would be to copy them.
    #[inline]
    pub(super) fn none() -> Candidates {
        Candidates(ArrayVec::new())
    }

    /// Adds moves of a position in the order of their squares.
    pub(super) fn add(&mut self, position: &Position, moves: Bitboard) {
        for square in moves {
            let turned = flips(square, position.player(), position.opponent());
            self.0.push(Candidate { key: 0, square, turned, child: position.after_turning(square, turned) });
        }
    }

    /// The least values of those moves behind which a table knows the position, searched to this depth and as sure as this.
    pub(super) fn values_in_table(
        &self,
        table: &TranspositionTable,
        depth: u8,
        selectivity: Selectivity,
    ) -> impl Iterator<Item = i32> {
        let known = move |candidate: &Candidate| table.probe(&candidate.child);
        self.0.iter().filter_map(known).filter(move |known| known.covers(depth, selectivity)).map(|known| -known.upper)
    }

    /// Puts a move in front that leaves the other side without a disc, or else `first`; returns the one that it was.
    pub(super) fn lead(&mut self, first: Option<Square>) -> Option<Square> {
        let wins_all = self.0.iter().position(|candidate| candidate.child.player().is_empty());
        let place = wins_all.or_else(|| self.0.iter().position(|candidate| Some(candidate.square) == first))?;
        self.0[..=place].rotate_right(1);
        Some(self.0[0].square)
    }

    /// Sorts by the replies to a move, current and potential, fewest first, and by its square; `first` before all others.
    pub(super) fn sort_by_replies(&mut self, first: Option<Square>) {
        self.sort_by(first, |candidate| {
            let child = &candidate.child;
            REPLY * weighted_count(child.moves())
                + LATER_REPLY * later_replies(child)
                + SQUARE[candidate.square.index()]
        });
    }

    /// Sorts by a value for the side that has to reply, least first; `first` before all others, and before that a move that leaves the
    /// other side without a disc.
    pub(super) fn sort_by(&mut self, first: Option<Square>, mut key: impl FnMut(&Candidate) -> i32) {
        for candidate in &mut self.0 {
            candidate.key = if candidate.child.player().is_empty() {
                i32::MIN
            } else if Some(candidate.square) == first {
                i32::MIN + 1
            } else {
                key(candidate)
            };
        }
        // Stable, so that equal keys keep the order of the squares and every run is the same.
        self.0.sort_by_key(|candidate| candidate.key);
    }
}

impl Deref for Candidates {
    type Target = [Candidate];

    #[inline]
    fn deref(&self) -> &[Candidate] {
        &self.0
    }
}
