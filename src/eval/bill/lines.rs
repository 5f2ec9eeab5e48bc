//! The 38 rows, columns and diagonals of at least three squares, and what their contents count.

use crate::othello::line::{column, sets, ternary, turned};
use crate::othello::{Position, Square};
use std::ops::Add;
use std::sync::LazyLock;

/// What one line, or all lines together, contribute to four features: current mobility, potential mobility, interior
/// squares, sequences; own less the opponent's.
///
/// Four signed 16-bit numbers in one word, the first lowest, so that lines are added by one addition: a number that is
/// negative takes 1 from the next one, which [`Counts::numbers`] adds again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counts(u64);

impl Counts {
    fn new(numbers: [i16; 4]) -> Counts {
        let shifted = |(i, number): (u32, i16)| (i64::from(number) << (16 * i)) as u64;
        Counts((0..).zip(numbers).map(shifted).fold(0, u64::wrapping_add))
    }

    /// The four numbers; each must be within 16 bits.
    #[inline]
    pub(super) fn numbers(self) -> [i32; 4] {
        let mut rest = self.0 as i64;
        std::array::from_fn(|_| {
            let number = rest as i16;
            rest = rest.wrapping_sub(i64::from(number)) >> 16;
            i32::from(number)
        })
    }
}

impl Add for Counts {
    type Output = Counts;

    #[inline]
    fn add(self, other: Counts) -> Counts {
        Counts(self.0.wrapping_add(other.0))
    }
}

/// Rows and columns at the four distances from the edge.
const STRAIGHT_CLASSES: usize = 4;

/// Diagonals of 3 to 8 squares.
const SHORTEST_DIAGONAL: usize = 3;
/// Four diagonals of each length from 3 to 7, two of length 8.
const DIAGONALS: usize = 22;

/// The table of every line, and where the diagonals are.
pub(super) struct LineTables {
    /// The tables of rows and columns, by their distance from the edge.
    straight: [Box<[Counts]>; STRAIGHT_CLASSES],
    diagonals: [Diagonal; DIAGONALS],
    /// The tables of the diagonals, shortest first.
    diagonal_counts: Box<[Counts]>,
}

/// One diagonal.
#[derive(Clone, Copy, Default)]
struct Diagonal {
    squares: u64,
    first_column: u32,
    /// The place where the table of the diagonal's length begins.
    offset: usize,
}

impl LineTables {
    /// The tables, computed when they are first asked for.
    pub(super) fn get() -> &'static LineTables {
        static TABLES: LazyLock<LineTables> = LazyLock::new(LineTables::compute);
        &TABLES
    }

    fn compute() -> LineTables {
        let row =
            |row: u8| (0..8).map(move |column| Square::at(column, row).expect("on the board")).collect::<Vec<_>>();
        let mut diagonals = [Diagonal::default(); DIAGONALS];
        let mut counts = Vec::new();
        let mut next = 0;
        for length in SHORTEST_DIAGONAL..=8 {
            let offset = counts.len();
            let of_length = diagonals_of_length(length);
            counts.extend(table(&of_length[0]));
            for squares in of_length {
                let set = squares.iter().fold(0, |set, square| set | square.bit().0);
                diagonals[next] = Diagonal { squares: set, first_column: u32::from(squares[0].column()), offset };
                next += 1;
            }
        }
        LineTables {
            straight: std::array::from_fn(|distance| table(&row(distance as u8))),
            diagonals,
            diagonal_counts: counts.into(),
        }
    }

    /// The sum over all lines.
    #[inline]
    pub(super) fn sum(&self, position: &Position) -> Counts {
        // The product gathers the bits of a diagonal in the highest byte.
        let diagonal = |board: u64, d: &Diagonal| {
            ((board & d.squares).wrapping_mul(0x0101_0101_0101_0101) >> 56) >> d.first_column
        };
        let (p, o) = (position.player().0, position.opponent().0);
        let mut sum = Counts::default();
        for i in 0..8 {
            let counts = &self.straight[if i < 4 { i } else { 7 - i }];
            let shift = i as u32;
            sum = sum + counts[ternary((p >> (8 * shift)) & 0xff, (o >> (8 * shift)) & 0xff)];
            sum = sum + counts[ternary(column(p, shift), column(o, shift))];
        }
        for d in &self.diagonals {
            sum = sum + self.diagonal_counts[d.offset + ternary(diagonal(p, d), diagonal(o, d))];
        }
        sum
    }
}

/// The diagonals of `length` squares, each from its lowest column on.
fn diagonals_of_length(length: usize) -> Vec<Vec<Square>> {
    let squares = |column: usize, row: usize, falling: bool| -> Vec<Square> {
        let at = |i: usize| {
            let row = if falling { row + i } else { row.wrapping_sub(i) };
            Square::at((column + i) as u8, row.min(8) as u8)
        };
        (0..8).map_while(at).collect()
    };
    let starts = (0..8).flat_map(|i| [(i, 0, true), (0, i, true), (i, 7, false), (0, i, false)]);
    let mut found: Vec<Vec<Square>> = starts
        .map(|(column, row, falling)| squares(column, row, falling))
        .filter(|line| line.len() == length)
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The counts of every content of a line, and with it of every line that a symmetry of the board makes of it.
fn table(squares: &[Square]) -> Box<[Counts]> {
    let straight = squares.windows(2).all(|pair| pair[0].row() == pair[1].row());
    let count = |number| {
        let (player, opponent) = sets(number, squares.len());
        let (own, other) = (side(squares, straight, player, opponent), side(squares, straight, opponent, player));
        Counts::new(std::array::from_fn(|i| own[i] - other[i]))
    };
    (0..3usize.pow(squares.len() as u32)).map(count).collect()
}

/// The four counts of one side of a line.
fn side(squares: &[Square], straight: bool, own: u64, other: u64) -> [i16; 4] {
    let length = squares.len();
    let has = |set: u64, i: usize| set >> i & 1 != 0;
    let empty = |i: usize| !has(own | other, i);
    let (mut mobility, mut potential, mut interior, mut sequences) = (0, 0, 0, 0);
    for (i, square) in squares.iter().enumerate() {
        if empty(i) {
            mobility += move_worth(*square, turned(own, other, i).count_ones());
            potential +=
                [i.checked_sub(1), Some(i + 1)].into_iter().flatten().filter(|&j| has(other, j)).count() as i16;
        }
        if straight && has(own, i) {
            interior += interior_weight(*square);
        }
        if has(own, i) && !i.checked_sub(1).is_some_and(|before| has(own, before)) {
            let end = (i..length).find(|&j| !has(own, j)).unwrap_or(length);
            let open = i.checked_sub(1).is_some_and(empty) || (end < length && empty(end));
            if end - i >= 3 && open {
                sequences += ((end - i - 1) * (end - i - 1)) as i16;
            }
        }
    }
    [mobility, potential, interior, sequences]
}

/// What a move that turns `turned` discs counts, in quarters.
fn move_worth(square: Square, turned: u32) -> i16 {
    let full = match square.edge_distances() {
        (1, 1) => 1,
        (0, 1) => 2,
        _ => 4,
    };
    match turned {
        0 => 0,
        1 | 2 => full,
        _ => (full - 1).max(1),
    }
}

/// Norvig's weight of a square, but nothing where an edge table sees it.
fn interior_weight(square: Square) -> i16 {
    match square.edge_distances() {
        (0, _) | (1, 1) => 0,
        (1, _) => -5,
        (2, 2) => 15,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(distance: usize, row: &str) -> Counts {
        assert_eq!(row.len(), 8);
        let set = |wanted| row.bytes().enumerate().filter(|(_, c)| *c == wanted).fold(0, |set, (i, _)| set | 1 << i);
        LineTables::get().straight[distance][ternary(set(b'o'), set(b'e'))]
    }

    #[test]
    fn numbers_are_added_apart() {
        let lists = [[0, 0, 0, 0], [1, -1, 2, -2], [-700, 30, -1, 900], [32_000, -32_000, -1, 1], [-1, -1, -1, -1]];
        for a in lists {
            for b in lists {
                // Sums that 16 bits hold.
                let halved = |list: [i16; 4]| list.map(|n| n / 2);
                let sum = Counts::new(halved(a)) + Counts::new(halved(b));
                let expected: [i32; 4] = std::array::from_fn(|i| i32::from(a[i] / 2) + i32::from(b[i] / 2));
                assert_eq!(sum.numbers(), expected);
            }
        }
    }

    #[test]
    fn there_are_thirty_eight_lines() {
        let lengths: Vec<usize> = (3..=8).map(|length| diagonals_of_length(length).len()).collect();
        assert_eq!(lengths, [4, 4, 4, 4, 4, 2]);
        for line in (3..=8).flat_map(diagonals_of_length) {
            assert!(
                line.windows(2).all(|s| s[1].column() == s[0].column() + 1 && s[1].row().abs_diff(s[0].row()) == 1)
            );
        }
    }

    #[test]
    fn lines_by_hand() {
        for (row, line, expected) in [
            (3, "........", [0, 0, 0, 0]),
            // One move (4) for one disc, none for the enemy; each has one empty neighbour for the other.
            (3, "..oe....", [4 - 4, 0, 3 - 3, 0]),
            (3, "..ooe...", [4 - 4, 0, 3 + 3 - 3, 0]),
            // Three discs in the line: a quarter less; the enemy's run of three is open on one end: 2 squared.
            (3, "oeee....", [3, 1, 5 - 3 - 3, -4]),
            // These moves onto a C-square of the edge row, and onto an X-square of the row beside it.
            (0, "oeeeee..", [1, 1, 0, -16]),
            (1, "oeeeee..", [1, 1, 20, -16]),
            // Runs that reach from edge to edge, or between enemies, threaten nothing.
            (3, "oooooooo", [0, 0, 2, 0]),
            (3, "eooooooe", [0, 0, 2, 0]),
            (3, ".oooooo.", [0, -2, 2, 25]),
        ] {
            assert_eq!(counts(row, line).numbers(), expected, "{line} in row {}", row + 1);
        }
    }
}
