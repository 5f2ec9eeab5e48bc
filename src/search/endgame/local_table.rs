//! A small table for the nodes too near to the end for the shared one: private to its solver and small enough to stay in
//! the processor's second-level cache.

use super::INFINITY;
use super::board::Board;
use crate::othello::Square;

/// Bounds on a board's value in discs, and the move that did best.
#[derive(Clone, Copy)]
pub(super) struct LocalEntry {
    pub lower: i32,
    pub upper: i32,
    pub best: Option<Square>,
}

impl LocalEntry {
    /// Nothing known.
    pub(super) const UNKNOWN: LocalEntry = LocalEntry { lower: -INFINITY, upper: INFINITY, best: None };

    /// The bound that settles whether the value exceeds `alpha`, if one does.
    #[inline]
    pub(super) fn settles(self, alpha: i32) -> Option<i32> {
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
    best: u8,
}

const EMPTY: Slot = Slot { player: 0, opponent: 0, lower: 0, upper: 0, best: NO_MOVE };
const NO_MOVE: u8 = 64;

/// One slot for each hash value; the newest board stays.
pub(in crate::search) struct LocalTable {
    slots: Box<[Slot]>,
}

/// A table's usual size, a power of two.
const BITS: u32 = 13;

impl Default for LocalTable {
    fn default() -> LocalTable {
        LocalTable::new(BITS)
    }
}

/// The place of a board in the table.
#[derive(Clone, Copy)]
pub(super) struct Place(usize);

impl LocalTable {
    /// A table of 2^`bits` slots.
    pub(super) fn new(bits: u32) -> LocalTable {
        LocalTable { slots: vec![EMPTY; 1 << bits].into_boxed_slice() }
    }

    #[inline]
    fn place(&self, board: Board) -> Place {
        let mixed =
            board.player.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ board.opponent.0.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        // The high half: every bit of the board has reached it.
        Place((mixed >> 40) as usize & (self.slots.len() - 1))
    }

    /// What is known of a board, and where to store it.
    #[inline]
    pub(super) fn probe(&self, board: Board) -> (LocalEntry, Place) {
        let place = self.place(board);
        let slot = &self.slots[place.0];
        let entry = if slot.player == board.player.0 && slot.opponent == board.opponent.0 {
            LocalEntry { lower: slot.lower.into(), upper: slot.upper.into(), best: Square::new(slot.best) }
        } else {
            LocalEntry::UNKNOWN
        };
        (entry, place)
    }

    /// Remembers that the value of a board lies above `alpha` and is at least `value`, or is at most `value`.
    #[inline]
    pub(super) fn store(
        &mut self,
        place: Place,
        board: Board,
        known: LocalEntry,
        alpha: i32,
        value: i32,
        best: Square,
    ) {
        let (lower, upper) = if value > alpha { (value, known.upper) } else { (known.lower, value) };
        self.slots[place.0] = Slot {
            player: board.player.0,
            opponent: board.opponent.0,
            lower: lower as i8,
            upper: upper as i8,
            best: best.index() as u8,
        };
    }
}
