//! The discs that the last move of a full board turns.

use crate::othello::line::turned;
use crate::othello::rays::Rays;
use crate::othello::{Bitboard, Square};

/// How many discs `player` turns on `square` if every other square is occupied: [`flips`](super::flips) counted, with
/// the opponent everywhere else. What `player` has on the square itself does not matter.
///
/// Each of the four lines is moved into a byte by one multiplication, and the byte is looked up.
#[inline]
pub fn last_flips(square: Square, player: Bitboard) -> u32 {
    /// A bit in each row; as a factor it adds the rows up in the top byte.
    const COLUMN: u64 = 0x0101_0101_0101_0101;
    /// As a factor it moves a bit of each row of the first column into the top byte, in their order.
    const DIAGONAL: u64 = 0x0102_0408_1020_4080;
    let player = player.0;
    let (column, row) = (usize::from(square.column()), usize::from(square.row()));
    let [falling, rising] = DIAGONALS[square.index()];
    let in_row = player >> (row * 8) & 0xff;
    let in_column = (player >> column & COLUMN).wrapping_mul(DIAGONAL) >> 56;
    let in_falling = (player & falling).wrapping_mul(COLUMN) >> 56;
    let in_rising = (player & rising).wrapping_mul(COLUMN) >> 56;
    let (by_column, by_row) = (&TURNED[column], &TURNED[row]);
    u32::from(by_column[in_row as usize])
        + u32::from(by_row[in_column as usize])
        + u32::from(by_column[in_falling as usize])
        + u32::from(by_column[in_rising as usize])
}

/// The diagonals through each square, without it: falling, rising.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut table = [[0; 2]; 64];
    let mut square = 0;
    while square < 64 {
        let rays = Rays::of(Square::from_low_bits(square as u32));
        table[square] = [rays.up[2] | rays.down[2], rays.up[3] | rays.down[3]];
        square += 1;
    }
    table
};

/// By the place of the empty square on a line and the discs of the player on it: how many discs turn. A line shorter
/// than eight squares has no disc of the player beyond its ends, so nothing turns there.
static TURNED: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut player = 0u64;
        while player < 256 {
            table[place][player as usize] = turned(player, !player & 0xff, place).count_ones() as u8;
            player += 1;
        }
        place += 1;
    }
    table
};
