//! The lines through a square, cut at the square.

use super::Square;

/// The four lines through a square, each cut into the squares of higher index (`up`) and those of lower (`down`): the
/// row, the column, the falling diagonal and the rising one. The square itself is in none.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Rays {
    pub up: [u64; 4],
    pub down: [u64; 4],
}

impl Rays {
    /// The lines through a square.
    #[inline]
    pub const fn of(square: Square) -> &'static Rays {
        &RAYS[square.index()]
    }
}

/// The steps in columns and rows that lead up each line.
const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

static RAYS: [Rays; 64] = {
    let mut table = [Rays { up: [0; 4], down: [0; 4] }; 64];
    let mut square = 0;
    while square < 64 {
        let mut line = 0;
        while line < 4 {
            let (column_step, row_step) = STEPS[line];
            table[square].up[line] = ray(square, column_step, row_step);
            table[square].down[line] = ray(square, -column_step, -row_step);
            line += 1;
        }
        square += 1;
    }
    table
};

/// The squares that are reached from one, without it.
const fn ray(square: usize, column_step: i32, row_step: i32) -> u64 {
    let mut squares = 0;
    let mut column = (square % 8) as i32 + column_step;
    let mut row = (square / 8) as i32 + row_step;
    while column >= 0 && column < 8 && row >= 0 && row < 8 {
        squares |= 1 << (row * 8 + column);
        column += column_step;
        row += row_step;
    }
    squares
}
