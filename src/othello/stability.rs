//! Discs that no play can turn any more.

use super::Bitboard;
use super::line::{column, ternary, turned};

/// The squares that are on no edge.
const INNER: u64 = 0x007e_7e7e_7e7e_7e00;

/// Discs of `player` that stay the player's whatever happens: a lower bound, cheap enough for a search.
///
/// On the four edges the bound is exact for all ways in which the edge alone can be filled. Inside, a disc is stable if
/// along each of the four line directions the line is full or the disc touches a stable disc of its own colour; this is
/// applied until nothing is added.
pub fn stable_discs(player: Bitboard, opponent: Bitboard) -> Bitboard {
    let (p, o) = (player.0, opponent.0);
    let occupied = p | o;
    let inner = p & INNER;
    let rows = full_rows(occupied);
    let columns = full_columns(occupied);
    let falling = full_diagonals(occupied, 9);
    let rising = full_diagonals(occupied, 7);
    let mut stable = stable_edges(p, o) | inner & rows & columns & falling & rising;
    loop {
        let next = inner
            & (rows | stable << 1 | stable >> 1)
            & (columns | stable << 8 | stable >> 8)
            & (falling | stable << 9 | stable >> 9)
            & (rising | stable << 7 | stable >> 7);
        if next & !stable == 0 {
            return Bitboard(stable);
        }
        stable |= next;
    }
}

/// The stable discs of `p` on the four edges.
#[inline]
fn stable_edges(p: u64, o: u64) -> u64 {
    let top = stable_on_edge(p, o);
    let bottom = stable_on_edge(p >> 56, o >> 56);
    let left = stable_on_edge(column(p, 0), column(o, 0));
    let right = stable_on_edge(column(p, 7), column(o, 7));
    top | bottom << 56 | scatter_column(left) | scatter_column(right) << 7
}

/// A byte as the first column.
#[inline]
const fn scatter_column(byte: u64) -> u64 {
    // Seven copies that do not overlap, seven bits apart, bring each bit to its row; the eighth bit would overlap.
    (byte & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & 0x0101_0101_0101_0101 | (byte & 0x80) << 49
}

/// The stable ones among the discs `p` of an edge that is given in the low eight bits.
#[inline]
fn stable_on_edge(p: u64, o: u64) -> u64 {
    u64::from(STABLE_ON_EDGE[ternary(p & 0xff, o & 0xff)])
}

const EDGES: usize = 6561;

/// By the edge in base 3 (0 empty, 1 player, 2 opponent): the player's discs that no way of filling the edge turns,
/// whether a disc on it turns what it encloses or is only allowed by other lines.
static STABLE_ON_EDGE: [u8; EDGES] = stable_on_edges();

#[allow(long_running_const_eval, reason = "some million steps, once")]
const fn stable_on_edges() -> [u8; EDGES] {
    let mut table = [0; EDGES];
    // The fewer empty squares the sooner, because an edge is as stable as all that it can become.
    let mut empties = 0;
    while empties <= 8 {
        let mut p = 0;
        while p < 256u64 {
            let mut o = 0;
            while o < 256u64 {
                if p & o == 0 && (p | o).count_ones() + empties == 8 {
                    table[ternary(p, o)] = stable_after_every_move(&table, p, o);
                }
                o += 1;
            }
            p += 1;
        }
        empties += 1;
    }
    table
}

const fn stable_after_every_move(table: &[u8; EDGES], p: u64, o: u64) -> u8 {
    let mut stable = p;
    let mut square = 0;
    while square < 8 && stable != 0 {
        if (p | o) >> square & 1 == 0 {
            let mine = turned(p, o, square);
            stable &= table[ternary(p | mine | 1 << square, o & !mine)] as u64;
            let theirs = turned(o, p, square);
            stable &= table[ternary(p & !theirs, o | theirs | 1 << square)] as u64;
        }
        square += 1;
    }
    stable as u8
}

/// The rows without an empty square.
const fn full_rows(occupied: u64) -> u64 {
    let mut full = occupied;
    full &= full >> 1 & 0x7f7f_7f7f_7f7f_7f7f;
    full &= full >> 2;
    full &= full >> 4;
    (full & 0x0101_0101_0101_0101) * 0xff
}

/// The columns without an empty square.
const fn full_columns(occupied: u64) -> u64 {
    let mut full = occupied;
    full &= full.rotate_right(8);
    full &= full.rotate_right(16);
    full &= full.rotate_right(32);
    full
}

/// The diagonals without an empty square: a hole is spread along its diagonal, seven steps both ways.
const fn full_diagonals(occupied: u64, step: u32) -> u64 {
    // A step right moves the column by one and must not wrap around the edge; so does a step left.
    let (up_mask, down_mask) = if step == 9 {
        (0xfefe_fefe_fefe_fefe, 0x7f7f_7f7f_7f7f_7f7f)
    } else {
        (0x7f7f_7f7f_7f7f_7f7f, 0xfefe_fefe_fefe_fefe)
    };
    let (mut up, mut down) = (!occupied, !occupied);
    let (mut up_mask, mut down_mask): (u64, u64) = (up_mask, down_mask);
    let mut shift = step;
    while shift < 8 * step {
        up |= (up << shift) & up_mask;
        down |= (down >> shift) & down_mask;
        up_mask &= up_mask << shift;
        down_mask &= down_mask >> shift;
        shift *= 2;
    }
    !(up | down)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Color, Square};
    use crate::testing::random_position;

    #[test]
    fn full_lines_are_those_without_a_hole() {
        for seed in 0..200 {
            let position = random_position(seed, 14);
            let occupied = !position.empties();
            let line_is_full = |square: Square, column_step: i8, row_step: i8| {
                (-7..=7).all(|i| {
                    let column = square.column() as i8 + i * column_step;
                    let row = square.row() as i8 + i * row_step;
                    let on_board = (0..8).contains(&column) && (0..8).contains(&row);
                    !on_board || occupied.contains(Square::at(column as u8, row as u8).unwrap())
                })
            };
            for square in Square::all() {
                let expected = |set: u64, steps: (i8, i8)| {
                    assert_eq!(
                        Bitboard(set).contains(square),
                        line_is_full(square, steps.0, steps.1),
                        "{square} {steps:?}\n{position:#}"
                    );
                };
                expected(full_rows(occupied.0), (1, 0));
                expected(full_columns(occupied.0), (0, 1));
                expected(full_diagonals(occupied.0, 9), (1, 1));
                expected(full_diagonals(occupied.0, 7), (-1, 1));
            }
        }
    }

    #[test]
    fn stable_discs_are_never_turned() {
        let mut seen = 0;
        for seed in 0..2_000 {
            let mut position = random_position(seed, 30);
            let mut stable = [Bitboard::EMPTY; 2];
            while !position.is_over() {
                let moves = position.moves();
                let chosen =
                    (seed as usize * 7 + position.empties().count() as usize) % (moves.count() as usize).max(1);
                position =
                    moves.into_iter().nth(chosen).map_or_else(|| position.pass(), |square| position.after(square));
                for (known, color) in stable.iter_mut().zip([Color::Black, Color::White]) {
                    let discs = position.discs(color);
                    assert_eq!(*known & !discs, Bitboard::EMPTY, "turned in\n{position:#}");
                    let now = stable_discs(discs, position.discs(!color));
                    assert_eq!(*known & !now, Bitboard::EMPTY, "forgotten in\n{position:#}");
                    *known = now;
                    seen += now.count();
                }
            }
        }
        assert!(seen > 100_000, "{seen}");
    }

    #[test]
    fn columns_are_gathered_and_scattered() {
        for byte in 0..256u64 {
            let scattered = scatter_column(byte);
            let expected = (0..8).filter(|row| byte >> row & 1 != 0).fold(0, |board, row| board | 1 << (8 * row));
            assert_eq!(scattered, expected);
            assert_eq!(column(scattered | 0x7e7e_7e7e_7e7e_7e7e, 0), byte);
        }
    }

    /// All that can happen on an edge alone: a stable disc stays to the end, and one that is not may be turned.
    #[test]
    fn a_disc_on_an_edge_is_stable_if_no_filling_turns_it() {
        fn turnable(p: u64, o: u64) -> u64 {
            let mut found = 0;
            for square in (0..8).filter(|square| (p | o) >> square & 1 == 0) {
                let (mine, theirs) = (turned(p, o, square), turned(o, p, square));
                found |= theirs;
                found |= turnable(p | mine | 1 << square, o & !mine) & p;
                found |= turnable(p & !theirs, o | theirs | 1 << square) & p;
            }
            found
        }
        let boards = (0..256u64).flat_map(|p| (0..256u64).map(move |o| (p, o)));
        let mut edges = 0;
        for (p, o) in boards.filter(|(p, o)| p & o == 0 && (p | o).count_ones() >= 4) {
            assert_eq!(stable_on_edge(p, o), p & !turnable(p, o), "{p:08b} {o:08b}");
            edges += 1;
        }
        assert_eq!(edges, 5_984);
    }

    #[test]
    fn a_corner_holds_its_edge() {
        let black = Bitboard(0x0f);
        assert_eq!(stable_discs(black, Bitboard::CENTRE), black);
        assert_eq!(stable_discs(Bitboard(0x0e), Bitboard::CENTRE), Bitboard::EMPTY);
    }
}
