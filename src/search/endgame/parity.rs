//! Which quadrants have an odd number of empty squares: the side that plays first into one of them may get the last move there.

use crate::othello::{Bitboard, Square};

/// One bit for each quadrant of 4 × 4 squares, set where its number of empty squares is odd.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parity(u8);

/// The bit of the quadrant that a square lies in.
static QUADRANT_OF: [u8; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = 1 << (square / 32 * 2 + square % 8 / 4);
        square += 1;
    }
    table
};

/// The squares of a set of quadrants.
static SQUARES_OF: [u64; 16] = {
    let mut table = [0; 16];
    let mut set = 0;
    while set < 16 {
        let mut quadrant = 0;
        while quadrant < 4 {
            if set >> quadrant & 1 != 0 {
                table[set] |= Bitboard::QUADRANTS[quadrant].0;
            }
            quadrant += 1;
        }
        set += 1;
    }
    table
};

impl Parity {
    /// The parity of a set of empty squares.
    #[inline]
    pub(super) fn of(empties: Bitboard) -> Parity {
        let bit = |i: usize| ((empties & Bitboard::QUADRANTS[i]).count() as u8 & 1) << i;
        Parity(bit(0) | bit(1) | bit(2) | bit(3))
    }

    /// The parity after a disc on this square.
    #[inline]
    pub(super) fn after(self, square: Square) -> Parity {
        Parity(self.0 ^ quadrant(square))
    }

    /// All squares of the quadrants with an odd number of empty squares.
    #[inline]
    pub(super) fn odd_squares(self) -> Bitboard {
        Bitboard(SQUARES_OF[usize::from(self.0 & 15)])
    }

    /// The number of odd quadrants.
    #[inline]
    pub(super) fn odd_quadrants(self) -> u32 {
        self.0.count_ones()
    }
}

/// The bit of the quadrant that a square lies in.
#[inline]
pub(super) fn quadrant(square: Square) -> u8 {
    QUADRANT_OF[square.index() & 63]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_changes_the_parity_of_its_quadrant() {
        for square in Square::all() {
            let empties = Bitboard(0x8100_1234_5678_00ff) | square.bit();
            let after = Parity::of(empties & !square.bit());
            assert_eq!(Parity::of(empties).after(square), after, "{square}");
            let others = (empties & !square.bit()).into_iter();
            let same_quadrant =
                others.filter(|s| s.column() / 4 == square.column() / 4 && s.row() / 4 == square.row() / 4);
            assert_eq!(after.odd_squares().contains(square), same_quadrant.count() % 2 == 1, "{square}");
        }
    }
}
