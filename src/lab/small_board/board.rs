//! Othello on a part of the board.
//!
//! The other squares stay empty, so that a line of discs ends at them as at an edge. The rules are the usual ones; only the moves
//! are those on the board's squares.

use crate::othello::{Bitboard, Position, Square, Symmetry, flips, legal_moves};

/// Squares of a board, at most: the greatest score in discs.
pub(super) const MOST_SQUARES: i32 = 64;

/// A board: which squares it has, and how the game begins.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it is called.
    pub name: &'static str,
    pub(super) squares: Bitboard,
    /// Squares that are never turned once they are taken.
    pub(super) corners: Bitboard,
    symmetries: Vec<Symmetry>,
    start: Board,
}

/// A position of a board, seen by the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    /// The discs of the side to move.
    pub player: Bitboard,
    /// The other side's discs.
    pub opponent: Bitboard,
}

impl Shape {
    /// The boards of the experiment, by size.
    pub fn all() -> Vec<Shape> {
        let rows = |name, widths: &[u8]| Shape::of_rows(name, widths);
        // Black's discs side by side, as White's are.
        let parallel = Board { player: Bitboard(0x18 << 24), opponent: Bitboard(0x18 << 32) };
        vec![
            rows("4x4", &[4; 4]),
            rows("4x6", &[4; 6]),
            rows("octagon of 24", &[2, 4, 6, 6, 4, 2]),
            rows("4x8", &[4; 8]),
            rows("6x6 without corners", &[4, 6, 6, 6, 6, 4]),
            rows("6x6", &[6; 6]),
            Shape { name: "6x6 parallel", start: parallel, ..rows("6x6", &[6; 6]) },
            rows("octagon of 40", &[2, 4, 6, 8, 8, 6, 4, 2]),
        ]
    }

    /// Rows of these widths, all even and their number too, in the middle of the usual board, with the usual four discs.
    fn of_rows(name: &'static str, widths: &[u8]) -> Shape {
        let top = 4 - widths.len() / 2;
        let row = |(i, &width): (usize, &u8)| ((1u64 << width) - 1) << (4 - width / 2) << (8 * (top + i));
        let squares = Bitboard(widths.iter().enumerate().map(row).sum());
        let has = |column: i8, row: i8| {
            let square = u8::try_from(column).ok().zip(u8::try_from(row).ok()).and_then(|(c, r)| Square::at(c, r));
            square.is_some_and(|square| squares.contains(square))
        };
        // A disc is turned if it lies between two others on a line.
        let is_corner = |square: &Square| {
            let (column, row) = (square.column() as i8, square.row() as i8);
            let lines = [(1, 0), (0, 1), (1, 1), (1, -1)];
            lines.iter().all(|(x, y)| !(has(column + x, row + y) && has(column - x, row - y)))
        };
        let corners = squares.into_iter().filter(is_corner).collect();
        let symmetries = Symmetry::ALL.into_iter().filter(|symmetry| symmetry.board(squares) == squares).collect();
        let start = Board { player: Position::START.player(), opponent: Position::START.opponent() };
        Shape { name, squares, corners, symmetries, start }
    }

    /// The position that the game begins with, Black to move.
    pub fn start(&self) -> Board {
        self.start
    }

    /// Number of squares.
    pub fn size(&self) -> u32 {
        self.squares.count()
    }

    /// The empty squares.
    #[inline]
    pub fn empties(&self, board: &Board) -> Bitboard {
        self.squares & !(board.player | board.opponent)
    }

    /// The moves of the side to move.
    #[inline]
    pub fn moves(&self, board: &Board) -> Bitboard {
        legal_moves(board.player, board.opponent) & self.squares
    }

    /// The score of a finished game for the side to move, in discs, empty squares given to the winner.
    pub fn score(&self, board: &Board) -> i32 {
        let difference = board.player.count() as i32 - board.opponent.count() as i32;
        difference + difference.signum() * self.empties(board).count() as i32
    }

    /// The one that stands for all positions that are the same by a symmetry of the board.
    pub fn canonical(&self, board: &Board) -> Board {
        let turned = |symmetry: &Symmetry| Board {
            player: symmetry.board(board.player),
            opponent: symmetry.board(board.opponent),
        };
        let all = self.symmetries.iter().map(turned);
        all.min_by_key(|board| (board.player.0, board.opponent.0)).expect("every board has the identity")
    }

    /// The rows of a position from top to bottom: `X` the side to move, `O` the other one, `-` empty, `.` no square of the board.
    pub fn picture(&self, board: &Board) -> Vec<String> {
        let cell = |column: u8, row: u8| {
            let square = Square::at(column, row).expect("a square of the usual board");
            match () {
                () if board.player.contains(square) => 'X',
                () if board.opponent.contains(square) => 'O',
                () if self.squares.contains(square) => '-',
                () => '.',
            }
        };
        let rows = (0..8).filter(|row| self.squares.0 >> (8 * row) & 0xff != 0);
        rows.map(|row| (0..8).map(|column| cell(column, row)).collect()).collect()
    }
}

impl Board {
    /// The position with the turn handed over.
    pub fn pass(&self) -> Board {
        Board { player: self.opponent, opponent: self.player }
    }

    /// The position after a legal move.
    #[inline]
    pub fn after(&self, square: Square) -> Board {
        self.turning(square, flips(square, self.player, self.opponent))
    }

    /// The position after a move that turns these discs.
    #[inline]
    pub(super) fn turning(&self, square: Square, turned: Bitboard) -> Board {
        Board { player: self.opponent & !turned, opponent: self.player | turned | square.bit() }
    }
}
