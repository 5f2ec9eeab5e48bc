//! The eight symmetries of the board.

use super::{Bitboard, Move, Position, Square};

/// One of the eight rotations and reflections of the square, numbered 0 to 7; 0 changes nothing.
///
/// Bit 0 mirrors left and right, bit 1 mirrors top and bottom, bit 2 then exchanges columns and rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Changes nothing.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, by their numbers.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry::IDENTITY; 8];
        let mut i = 1;
        while i < all.len() {
            all[i] = Symmetry(i as u8);
            i += 1;
        }
        all
    };

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        // The two quarter turns undo each other; every other symmetry is its own inverse.
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            other => Symmetry(other),
        }
    }

    /// Where the square goes.
    pub fn square(self, square: Square) -> Square {
        let mut column = square.column();
        let mut row = square.row();
        if self.0 & 1 != 0 {
            column = 7 - column;
        }
        if self.0 & 2 != 0 {
            row = 7 - row;
        }
        if self.0 & 4 != 0 {
            (column, row) = (row, column);
        }
        Square::at(column, row).expect("a symmetry keeps the board")
    }

    /// Where the set goes.
    pub const fn board(self, board: Bitboard) -> Bitboard {
        let mut b = board.0;
        if self.0 & 1 != 0 {
            b = mirror_columns(b);
        }
        if self.0 & 2 != 0 {
            b = b.swap_bytes();
        }
        if self.0 & 4 != 0 {
            b = transpose(b);
        }
        Bitboard(b)
    }

    /// Where the turn's disc goes; a pass stays one.
    pub fn turn(self, turn: Move) -> Move {
        turn.square().map_or(turn, |square| Move::Place(self.square(square)))
    }

    /// The symmetries that leave the position as it is; the first changes nothing.
    pub fn of(position: &Position) -> impl Iterator<Item = Symmetry> + Clone {
        Symmetry::ALL.into_iter().filter(move |symmetry| symmetry.position(position) == *position)
    }

    /// The position with both colours' discs moved.
    pub fn position(self, position: &Position) -> Position {
        position.map_boards(|board| self.board(board))
    }
}

/// The least of the eight images of a position, and the symmetry that leads to it: one name for eight positions that
/// play alike.
pub fn canonical(position: &Position) -> (Position, Symmetry) {
    Symmetry::ALL
        .into_iter()
        .map(|symmetry| (symmetry.position(position), symmetry))
        .min_by_key(|(image, _)| image.boards())
        .expect("there are eight symmetries")
}

const fn mirror_columns(b: u64) -> u64 {
    b.reverse_bits().swap_bytes()
}

/// Exchanges columns and rows by swapping ever larger blocks across the main diagonal.
const fn transpose(b: u64) -> u64 {
    let t = (b ^ (b >> 7)) & 0x00aa_00aa_00aa_00aa;
    let b = b ^ t ^ (t << 7);
    let t = (b ^ (b >> 14)) & 0x0000_cccc_0000_cccc;
    let b = b ^ t ^ (t << 14);
    let t = (b ^ (b >> 28)) & 0x0000_0000_f0f0_f0f0;
    b ^ t ^ (t << 28)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_and_squares_move_alike_and_come_back() {
        for symmetry in Symmetry::ALL {
            for square in Square::all() {
                let image = symmetry.square(square);
                assert_eq!(symmetry.board(square.bit()), image.bit(), "{symmetry:?} {square}");
                assert_eq!(symmetry.inverse().square(image), square, "{symmetry:?} {square}");
            }
        }
    }

    #[test]
    fn the_four_first_moves_are_one() {
        let start = Position::START;
        let mut images: Vec<Position> = start.moves().into_iter().map(|m| canonical(&start.after(m)).0).collect();
        images.dedup();
        assert_eq!(images.len(), 1);
    }
}
