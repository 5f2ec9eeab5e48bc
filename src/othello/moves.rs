//! Which squares may be played, and what a move turns over, for a board seen by the side to move.

use super::{Bitboard, Square};

const NOT_EDGE_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The legal moves of `player` against `opponent`: the empty squares from which a run of opposing discs leads, in at
/// least one direction, to a disc of the player.
///
/// Parallel prefix over the eight directions; the edge columns are taken from the opposing discs so that a horizontal
/// or diagonal run cannot wrap around the board.
#[inline]
pub const fn legal_moves(player: Bitboard, opponent: Bitboard) -> Bitboard {
    let (p, o) = (player.0, opponent.0);
    let inner = o & NOT_EDGE_COLUMNS;
    let found = along(p, inner, 1) | along(p, o, 8) | along(p, inner, 7) | along(p, inner, 9);
    Bitboard(found & !(p | o))
}

/// The squares one step behind a run of `o` that starts next to a disc of `p`, both ways along one line direction.
#[inline]
const fn along(p: u64, o: u64, shift: u32) -> u64 {
    let mut up = o & (p << shift);
    let mut down = o & (p >> shift);
    up |= o & (up << shift);
    down |= o & (down >> shift);
    let pair_up = o & (o << shift);
    let pair_down = o & (o >> shift);
    up |= pair_up & (up << (2 * shift));
    down |= pair_down & (down >> (2 * shift));
    up |= pair_up & (up << (2 * shift));
    down |= pair_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}

/// The squares of one line through a square, towards higher indices (`up`) and towards lower ones (`down`).
#[derive(Clone, Copy)]
struct Line {
    up: u64,
    down: u64,
}

const fn line(square: usize, column_step: i32, row_step: i32) -> Line {
    let mut up = 0;
    let mut down = 0;
    let (c0, r0) = ((square % 8) as i32, (square / 8) as i32);
    let (mut c, mut r) = (c0 + column_step, r0 + row_step);
    while c >= 0 && c < 8 && r >= 0 && r < 8 {
        up |= 1 << (r * 8 + c);
        c += column_step;
        r += row_step;
    }
    (c, r) = (c0 - column_step, r0 - row_step);
    while c >= 0 && c < 8 && r >= 0 && r < 8 {
        down |= 1 << (r * 8 + c);
        c -= column_step;
        r -= row_step;
    }
    Line { up, down }
}

static LINES: [[Line; 4]; 64] = {
    let mut table = [[Line { up: 0, down: 0 }; 4]; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = [line(square, 1, 0), line(square, 0, 1), line(square, 1, 1), line(square, -1, 1)];
        square += 1;
    }
    table
};

/// The discs of `opponent` that turn when `player` moves to `square`; empty if the move is not legal.
///
/// Does not look whether the square itself is empty.
#[inline]
pub fn flips(square: Square, player: Bitboard, opponent: Bitboard) -> Bitboard {
    let (p, o) = (player.0, opponent.0);
    let mut turned = 0;
    for line in &LINES[square.index()] {
        // Upwards: adding the line's lowest bit to the non-line and opposing bits carries through the run of opposing
        // discs to the first other square of the line. Only a disc of the player there closes the run.
        let low = line.up & line.up.wrapping_neg();
        let end = (o | !line.up).wrapping_add(low) & line.up & p;
        turned |= end.saturating_sub(low) & line.up;
        // Downwards: the highest square of the line that is not opposing, found by its leading zeros.
        let other = line.down & !o;
        let end = highest(other) & p;
        turned |= (end << 1).wrapping_neg() & line.down;
    }
    Bitboard(turned)
}

/// The highest bit alone; nothing of nothing.
#[inline]
const fn highest(bits: u64) -> u64 {
    (1u64 << 63).unbounded_shr(bits.leading_zeros())
}
