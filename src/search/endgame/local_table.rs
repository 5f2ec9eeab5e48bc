//! A small table for the nodes too near to the end for the shared one: private to its solver and small enough to stay in
//! the processor's second-level cache.

use super::BEYOND_DISCS;
use super::board::Board;

/// Bounds on a board's value in discs. The best move is not kept: where it is known, so is mostly the answer.
#[derive(Clone, Copy)]
pub(super) struct LocalEntry {
    pub lower: i32,
    pub upper: i32,
}

impl LocalEntry {
    /// An entry without knowledge.
    pub(super) const UNKNOWN: LocalEntry = LocalEntry { lower: -BEYOND_DISCS, upper: BEYOND_DISCS };

    /// The bound that decides whether the value exceeds `alpha`, if one does.
    #[inline]
    pub(super) fn decides(self, alpha: i32) -> Option<i32> {
        if self.lower > alpha {
            Some(self.lower)
        } else if self.upper <= alpha {
            Some(self.upper)
        } else {
            None
        }
    }
}

/// The board whole, so that none is taken for another. A slot without discs is empty.
#[derive(Clone, Copy)]
struct Slot {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
}

const EMPTY: Slot = Slot { player: 0, opponent: 0, lower: 0, upper: 0 };

/// One slot for each hash value; the newest board stays.
pub(in crate::search) struct LocalTable {
    slots: Box<[Slot]>,
}

/// The place of a board in the table.
#[derive(Clone, Copy)]
pub(super) struct Place(usize);

/// Number of slots for positions with few empty squares, such as a best-first search solves one by one: a large table would cost
/// them more than it gives them.
const FEW_SLOTS: usize = 1 << 6;
/// Number of slots for positions with at least [`MANY_FROM`] empty squares.
const MANY_SLOTS: usize = 1 << 13;
/// Number of empty squares from which on the table has [`MANY_SLOTS`] slots.
const MANY_FROM: u32 = 10;

impl Default for LocalTable {
    /// A table for the last few empty squares.
    fn default() -> LocalTable {
        LocalTable { slots: vec![EMPTY; FEW_SLOTS].into_boxed_slice() }
    }
}

impl LocalTable {
    /// Grows to the size that a position with `empties` empty squares is worth.
    #[inline]
    pub(super) fn make_room(&mut self, empties: u32) {
        if empties >= MANY_FROM && self.slots.len() < MANY_SLOTS {
            self.slots = vec![EMPTY; MANY_SLOTS].into_boxed_slice();
        }
    }

    /// What is known of a board, and where to store it.
    #[inline]
    pub(super) fn probe(&self, board: Board) -> (LocalEntry, Place) {
        let mixed =
            board.player.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ board.opponent.0.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        // The highest bits: all squares have reached them.
        let place = Place((mixed >> (u64::BITS - self.slots.len().ilog2())) as usize);
        let slot = &self.slots[place.0];
        let entry = if slot.player == board.player.0 && slot.opponent == board.opponent.0 {
            LocalEntry { lower: slot.lower.into(), upper: slot.upper.into() }
        } else {
            LocalEntry::UNKNOWN
        };
        (entry, place)
    }

    /// Remembers that the value of a board lies above `alpha` and is at least `value`, or is at most `value`.
    #[inline]
    pub(super) fn store(&mut self, place: Place, board: Board, known: LocalEntry, alpha: i32, value: i32) {
        let (lower, upper) = if value > alpha { (value, known.upper) } else { (known.lower, value) };
        self.slots[place.0] =
            Slot { player: board.player.0, opponent: board.opponent.0, lower: lower as i8, upper: upper as i8 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Bitboard;

    #[test]
    fn every_square_counts_for_the_place() {
        let board = |player, opponent| Board { player: Bitboard(player), opponent: Bitboard(opponent) };
        for slots in [FEW_SLOTS, MANY_SLOTS] {
            let table = LocalTable { slots: vec![EMPTY; slots].into_boxed_slice() };
            let place = |player, opponent| table.probe(board(player, opponent)).1.0;
            for square in 0..64 {
                assert!(place(1 << square, 0) != place(0, 0) && place(0, 1 << square) != place(0, 0), "{square}");
            }
        }
    }
}
