//! A set of squares in one machine word.

use super::Square;
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares: bit `i` stands for the square with index `i`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// The four corners.
    pub const CORNERS: Bitboard = Bitboard(0x8100_0000_0000_0081);
    /// The quadrants of 4 × 4 squares, from the upper left one, row by row.
    pub(crate) const QUADRANTS: [Bitboard; 4] = [
        Bitboard(0x0000_0000_0f0f_0f0f),
        Bitboard(0x0000_0000_f0f0_f0f0),
        Bitboard(0x0f0f_0f0f_0000_0000),
        Bitboard(0xf0f0_f0f0_0000_0000),
    ];
    /// The four centre squares, where the discs of the standard start are.
    pub const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

    /// How many squares are in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has no square.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the square is in the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Every square that touches a square of the set in one of the eight directions; squares of the set that touch
    /// each other are included.
    pub const fn neighbours(self) -> Bitboard {
        const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
        const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let b = self.0;
        let sides = ((b << 1) & NOT_A) | ((b >> 1) & NOT_H);
        let row = b | sides;
        Bitboard(sides | (row << 8) | (row >> 8))
    }
}

/// The squares of a [`Bitboard`] in ascending order; being a [`Bitboard`] consumed from the low end.
#[derive(Clone, Copy, Debug)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::from_low_bits(self.0.trailing_zeros());
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.0.count_ones() as usize;
        (n, Some(n))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, s| set | s.bit())
    }
}

macro_rules! bit_operator {
    ($op:ident, $f:ident, $assign:ident, $g:ident) => {
        impl $op for Bitboard {
            type Output = Bitboard;
            #[inline]
            fn $f(self, other: Bitboard) -> Bitboard {
                Bitboard($op::$f(self.0, other.0))
            }
        }
        impl $assign for Bitboard {
            #[inline]
            fn $g(&mut self, other: Bitboard) {
                $assign::$g(&mut self.0, other.0)
            }
        }
    };
}
bit_operator!(BitAnd, bitand, BitAndAssign, bitand_assign);
bit_operator!(BitOr, bitor, BitOrAssign, bitor_assign);
bit_operator!(BitXor, bitxor, BitXorAssign, bitxor_assign);

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_wrap_around_the_edges() {
        for square in Square::all() {
            let expected: Bitboard = Square::all()
                .filter(|s| {
                    *s != square && s.column().abs_diff(square.column()) <= 1 && s.row().abs_diff(square.row()) <= 1
                })
                .collect();
            assert_eq!(square.bit().neighbours(), expected, "{square}");
        }
    }

    #[test]
    fn a_set_yields_its_squares_in_order() {
        let squares: Vec<Square> = Bitboard::CORNERS.into_iter().collect();
        assert_eq!(squares.iter().map(Square::to_string).collect::<Vec<_>>(), ["a1", "h1", "a8", "h8"]);
        assert_eq!(squares.into_iter().collect::<Bitboard>(), Bitboard::CORNERS);
    }
}
