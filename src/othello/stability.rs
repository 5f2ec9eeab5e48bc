//! Discs that no play can turn any more.

use super::Bitboard;

const EDGE_COLUMNS: u64 = 0x8181_8181_8181_8181;
const EDGE_ROWS: u64 = 0xff00_0000_0000_00ff;

/// Discs of `player` that stay the player's whatever happens: a lower bound, cheap enough for a search.
///
/// A disc is stable if along each of the four line directions the line is full, or the disc touches the edge of the
/// board or a stable disc of its own colour. Starting from the corners and from the discs on four full lines, this is
/// applied until nothing is added.
pub fn stable_discs(player: Bitboard, opponent: Bitboard) -> Bitboard {
    let p = player.0;
    let occupied = p | opponent.0;
    let rows = full_rows(occupied);
    let columns = full_columns(occupied);
    let falling = full_diagonals(occupied, 9);
    let rising = full_diagonals(occupied, 7);
    // Where a direction can do no harm: a full line, or a square from which the line leaves the board at once.
    let rows = rows | EDGE_COLUMNS;
    let columns = columns | EDGE_ROWS;
    let falling = falling | EDGE_COLUMNS | EDGE_ROWS;
    let rising = rising | EDGE_COLUMNS | EDGE_ROWS;
    let mut stable = p & rows & columns & falling & rising;
    loop {
        let (left, right) = (stable << 1, stable >> 1);
        let next = p
            & (rows | left | right)
            & (columns | stable << 8 | stable >> 8)
            & (falling | stable << 9 | stable >> 9)
            & (rising | stable << 7 | stable >> 7);
        if next | stable == stable {
            return Bitboard(stable);
        }
        stable |= next;
    }
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
    fn a_corner_holds_its_edge() {
        let black = Bitboard(0x0f);
        assert_eq!(stable_discs(black, Bitboard::CENTRE), black);
        assert_eq!(stable_discs(Bitboard(0x0e), Bitboard::CENTRE), Bitboard::EMPTY);
    }
}
