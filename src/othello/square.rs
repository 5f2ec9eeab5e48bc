//! One of the 64 squares.

use super::Bitboard;
use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;
use thiserror::Error;

/// A square of the board, `a1` = 0, `b1` = 1, …, `h8` = 63; row 1 is the top row.
///
/// ```
/// use emilia::othello::Square;
/// let f5: Square = "F5".parse().unwrap();
/// assert_eq!((f5.column(), f5.row(), f5.to_string().as_str()), (5, 4, "f5"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(NonZeroU8);

/// Added to the index, so that an `Option` of a square takes no more room than the square.
const OFFSET: u8 = 64;

const _: () = assert!(size_of::<Option<Square>>() == 1);

impl Square {
    /// All squares from `a1` to `h8`, row by row.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + Clone {
        (0..64).map(Square::from_low_bits)
    }

    /// The square with this index, if it is below 64.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square::from_low_bits(index as u32)) } else { None }
    }

    /// The square in this column and row, both 0 to 7 (`a` and the top row are 0).
    pub const fn at(column: u8, row: u8) -> Option<Square> {
        if column < 8 && row < 8 { Square::new(row * 8 + column) } else { None }
    }

    /// The square of a single index known to be in range: the low six bits count.
    pub(crate) const fn from_low_bits(index: u32) -> Square {
        Square(NonZeroU8::new((index & 63) as u8 | OFFSET).expect("the offset is not 0"))
    }

    /// The index, 0 to 63.
    pub const fn index(self) -> usize {
        (self.0.get() & 63) as usize
    }

    /// The column, 0 (`a`) to 7 (`h`).
    pub const fn column(self) -> u8 {
        self.0.get() & 7
    }

    /// The row, 0 (top, written `1`) to 7.
    pub const fn row(self) -> u8 {
        (self.0.get() >> 3) & 7
    }

    /// The distances from the nearest edges of the board, the smaller first, each 0 to 3.
    pub(crate) const fn edge_distances(self) -> (usize, usize) {
        let (column, row) = (self.column() as usize, self.row() as usize);
        let (column, row) = (if column < 4 { column } else { 7 - column }, if row < 4 { row } else { 7 - row });
        if column < row { (column, row) } else { (row, column) }
    }

    /// The board with this square alone.
    pub const fn bit(self) -> Bitboard {
        Bitboard(1 << (self.0.get() & 63))
    }

    /// The name with a capital letter, as NBoard and GTP clients write it: `F5`.
    pub fn to_upper(self) -> String {
        self.to_string().to_ascii_uppercase()
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = [b'a' + self.column(), b'1' + self.row()];
        f.pad(std::str::from_utf8(&name).expect("two ASCII bytes"))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a column `a` to `h` followed by a row `1` to `8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected a square from a1 to h8")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        let &[column, row] = text.as_bytes() else {
            return Err(ParseSquareError);
        };
        let column = column.to_ascii_lowercase().wrapping_sub(b'a');
        Square::at(column, row.wrapping_sub(b'1')).ok_or(ParseSquareError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indices_agree() {
        for (i, square) in Square::all().enumerate() {
            assert_eq!(square.index(), i);
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(square.to_upper().parse(), Ok(square));
            assert_eq!(Square::at(square.column(), square.row()), Some(square));
        }
        for bad in ["", "a", "a0", "a9", "i1", "a11", "5f", "é", "@1"] {
            assert_eq!(bad.parse::<Square>(), Err(ParseSquareError), "{bad}");
        }
    }
}
