//! Which move to try first with [`FROM`] to 13 empty squares: one that is likely to be good enough, and that a few positions show to be so.
//!
//! The key of a move is a sum of learned weights: one for each edge and one for each corner of nine squares of the position after it, one
//! each for the replies, the replies in corners and the potential mobility, one for the parity of the move's quadrant, and one for its
//! square. `emilia train move-order` learns them from what moves cost.

use super::board::Board;
use super::parity::Parity;
use super::{LocalTable, Solver};
use crate::othello::line::{column, ternary};
use crate::othello::{Bitboard, Position, Square};
use crate::search::Contempt;
use crate::search::transposition::TranspositionTable;

/// Number of empty squares from which on the learned weights order moves: with fewer, to look them up takes longer than it saves.
pub(super) const FROM: u32 = 8;

/// Weights that a key is the sum of.
pub(crate) const TERMS: usize = 13;
/// Where the weights of each kind begin: edges, corners, replies, replies in corners, potential mobility, parities, squares.
const STARTS: [usize; 8] = {
    let mut starts = [0; 8];
    let counts = [EDGE_CONFIGURATIONS, CORNER_CONFIGURATIONS, MOST_REPLIES + 1, 5, MOST_REPLIES + 1, 2, SQUARE_CLASSES];
    let mut i = 0;
    while i < counts.len() {
        starts[i + 1] = starts[i] + counts[i];
        i += 1;
    }
    starts
};
/// The number of all weights.
pub(crate) const WEIGHTS: usize = STARTS[7];
/// Configurations of an edge of eight squares, and of a corner of nine.
const EDGE_CONFIGURATIONS: usize = 3usize.pow(8);
const CORNER_CONFIGURATIONS: usize = 3usize.pow(9);
/// As many replies as there can be squares left.
const MOST_REPLIES: usize = 12;
/// Squares that differ by more than a symmetry of the board.
const SQUARE_CLASSES: usize = 10;
/// The class of each square.
static CLASS_OF: [u8; 64] = {
    let mut classes = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (near, far) = Square::from_low_bits(square as u32).edge_distances();
        classes[square] = (far * (far + 1) / 2 + near) as u8;
        square += 1;
    }
    classes
};
/// What a reply counts before anything is learned. It fits into a byte as often as there can be replies.
const REPLY: i8 = 10;
/// The base-three code of a set of discs in the upper left corner of nine squares, and in the upper right one as if mirrored.
static CORNER_CODES: [[u16; 1 << 9]; 2] = {
    let mut codes = [[0; 1 << 9]; 2];
    let mut bits = 0;
    while bits < 1 << 9 {
        let mut square = 0;
        while square < 9 {
            if bits >> square & 1 != 0 {
                let mirrored = square / 3 * 3 + (2 - square % 3);
                codes[0][bits] += 3u16.pow(square as u32);
                codes[1][bits] += 3u16.pow(mirrored as u32);
            }
            square += 1;
        }
        bits += 1;
    }
    codes
};

/// The weights that keys are made of.
pub(crate) struct MoveOrder {
    weights: [i8; WEIGHTS],
}

/// What `emilia train move-order` learned.
pub(super) static LEARNED: MoveOrder = MoveOrder::of_bytes(include_bytes!("../../../assets/move-order.weights"));

impl MoveOrder {
    /// The weights of a file.
    pub(crate) const fn of_bytes(bytes: &[u8; WEIGHTS]) -> MoveOrder {
        let mut weights = [0; WEIGHTS];
        let mut i = 0;
        while i < WEIGHTS {
            weights[i] = bytes[i] as i8;
            i += 1;
        }
        MoveOrder { weights }
    }

    /// Fewest replies first: what learning begins with.
    pub(crate) fn fewest_replies() -> MoveOrder {
        let mut weights = [0; WEIGHTS];
        for replies in 0..=MOST_REPLIES {
            weights[STARTS[2] + replies] = REPLY * replies as i8;
        }
        MoveOrder { weights }
    }

    /// The key of a move; low is tried first. `even`: the empty squares of its quadrant were even in number. `replies`: the moves on the
    /// board after it.
    #[inline]
    pub(super) fn key(&self, square: Square, even: bool, after: Board, replies: Bitboard) -> i32 {
        self.sum(&terms(square, even, after, replies))
    }

    /// The sum of these weights.
    #[inline]
    pub(crate) fn sum(&self, terms: &[usize; TERMS]) -> i32 {
        terms.iter().map(|&term| i32::from(self.weights[term])).sum()
    }

    /// The weights.
    pub(crate) fn weights(&self) -> &[i8; WEIGHTS] {
        &self.weights
    }
}

/// The indices of the weights that the key of a move is the sum of.
// As a call it returns them in memory, which takes a sixteenth of the time of solving.
#[inline(always)]
fn terms(square: Square, even: bool, after: Board, replies: Bitboard) -> [usize; TERMS] {
    let Board { player: Bitboard(player), opponent: Bitboard(opponent) } = after;
    let (mirrored_player, mirrored_opponent) = (player.swap_bytes(), opponent.swap_bytes());
    let edge = |player, opponent| STARTS[0] + ternary(player & 0xff, opponent & 0xff);
    let corner = |side: usize, player: u64, opponent: u64| {
        let code = |board: u64| usize::from(CORNER_CODES[side][nine(board, side)]);
        STARTS[1] + code(player) + 2 * code(opponent)
    };
    let later = (after.opponent.neighbours() & after.empties()).count() as usize;
    [
        edge(player, opponent),
        edge(mirrored_player, mirrored_opponent),
        edge(column(player, 0), column(opponent, 0)),
        edge(column(player, 7), column(opponent, 7)),
        corner(0, player, opponent),
        corner(1, player, opponent),
        corner(0, mirrored_player, mirrored_opponent),
        corner(1, mirrored_player, mirrored_opponent),
        STARTS[2] + (replies.count() as usize).min(MOST_REPLIES),
        STARTS[3] + (replies & Bitboard::CORNERS).count() as usize,
        STARTS[4] + later.min(MOST_REPLIES),
        STARTS[5] + usize::from(even),
        STARTS[6] + usize::from(CLASS_OF[square.index()]),
    ]
}

/// The squares of the upper left corner, or of the upper right one: three bits for each row, the row farthest from the edge first.
#[inline]
fn nine(board: u64, side: usize) -> usize {
    const ROWS: u64 = 0x07_07_07;
    // The product brings the rows together in the highest bits; what else it holds is below them, or beyond the word.
    const GATHER: u64 = 1 << 61 | 1 << 50 | 1 << 39;
    ((board & ROWS << (5 * side)).wrapping_mul(GATHER >> (5 * side)) >> 55) as usize
}

/// A move with what its key is made of.
pub(crate) struct MoveTerms {
    /// The position after it.
    pub(crate) after: Position,
    /// The indices of the weights that its key is the sum of.
    pub(crate) terms: [usize; TERMS],
}

/// The moves of a position.
pub(crate) fn moves_with_terms(position: &Position) -> Vec<MoveTerms> {
    let odd = Parity::of(position.empties()).odd_squares();
    let of_square = |square| {
        let after = position.after(square);
        MoveTerms { after, terms: terms(square, !odd.contains(square), Board::of(&after), after.moves()) }
    };
    position.moves().into_iter().map(of_square).collect()
}

/// The index of the mirrored configuration, for an edge or a corner; any other index itself.
pub(crate) fn twin(term: usize) -> usize {
    // The squares of a kind in the order of the mirrored ones.
    let mirrored = |code: usize, squares: &[u32]| {
        let digit = |&square: &u32| code / 3usize.pow(square) % 3;
        squares.iter().rev().fold(0, |all, square| 3 * all + digit(square))
    };
    if term < STARTS[1] {
        STARTS[0] + mirrored(term - STARTS[0], &[7, 6, 5, 4, 3, 2, 1, 0])
    } else if term < STARTS[2] {
        STARTS[1] + mirrored(term - STARTS[1], &[8, 5, 2, 7, 4, 1, 6, 3, 0])
    } else {
        term
    }
}

/// Asks whether values exceed bounds, and counts what the answers cost.
pub(crate) struct NullWindows<'a> {
    order: &'a MoveOrder,
    table: TranspositionTable,
    local: LocalTable,
}

impl<'a> NullWindows<'a> {
    /// With small empty tables.
    pub(crate) fn new(order: &'a MoveOrder) -> NullWindows<'a> {
        let mut search = NullWindows { order, table: TranspositionTable::new(1 << 18), local: LocalTable::default() };
        search.clear();
        search
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.local = LocalTable::default();
        // As large as in the search of a whole endgame.
        self.local.make_room(MOST_REPLIES as u32 + 1);
    }

    /// Whether the value of a position for its side to move exceeds a bound in discs, and the number of positions visited.
    pub(crate) fn ask(&mut self, position: &Position, alpha: i32) -> (bool, u64) {
        let mut never = |_| Some(u64::MAX / 2);
        let mut solver = Solver::new(&self.table, Contempt::NONE, &mut self.local, &mut never);
        solver.order = self.order;
        (solver.solve(position, alpha, alpha + 1) > alpha, solver.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;
    use crate::testing::random_position;

    /// The numbers of all moves: the square, then the terms.
    fn of_moves(position: &Position) -> Vec<(Square, [usize; TERMS])> {
        position
            .moves()
            .into_iter()
            .zip(moves_with_terms(position))
            .map(|(square, turn)| (square, turn.terms))
            .collect()
    }

    #[test]
    fn moves_that_are_one_by_symmetry_have_one_key() {
        for seed in 0..100 {
            let position = random_position(seed, 8 + seed as u32 % 6);
            let own = of_moves(&position);
            for symmetry in Symmetry::ALL {
                let image = of_moves(&symmetry.position(&position));
                for (square, terms) in &own {
                    let (_, seen) = image.iter().find(|(there, _)| *there == symmetry.square(*square)).unwrap();
                    let named = |terms: &[usize; TERMS]| {
                        let mut named = terms.map(|term| term.min(twin(term)));
                        named.sort_unstable();
                        named
                    };
                    assert_eq!(named(terms), named(seen), "{position} {square} {symmetry:?}");
                    assert_eq!(LEARNED.sum(terms), LEARNED.sum(seen), "{position} {square} {symmetry:?}");
                }
            }
        }
    }

    #[test]
    fn terms_are_the_configurations_of_edges_and_corners() {
        for seed in 0..100 {
            let position = random_position(seed, 8 + seed as u32 % 6);
            for turn in moves_with_terms(&position) {
                let number = |squares: &[(u8, u8)]| {
                    squares.iter().rev().fold(0, |all, &(column, row)| {
                        let bit = Square::at(column, row).unwrap().bit();
                        let digit = if (turn.after.player() & bit).0 != 0 {
                            1
                        } else {
                            2 * usize::from((turn.after.opponent() & bit).0 != 0)
                        };
                        3 * all + digit
                    })
                };
                let line = |of: &dyn Fn(u8) -> (u8, u8)| number(&(0..8).map(of).collect::<Vec<_>>());
                let edges = [line(&|i| (i, 0)), line(&|i| (i, 7)), line(&|i| (0, i)), line(&|i| (7, i))];
                assert_eq!(turn.terms[..4], edges, "{position}");
                // The third row of a corner first, each row from the edge.
                let corner = |right: bool, bottom: bool| {
                    let of =
                        |i: u8| (if right { 7 - i % 3 } else { i % 3 }, if bottom { 5 + i / 3 } else { 2 - i / 3 });
                    STARTS[1] + number(&(0..9).map(of).collect::<Vec<_>>())
                };
                let corners = [corner(false, false), corner(true, false), corner(false, true), corner(true, true)];
                assert_eq!(turn.terms[4..8], corners, "{position}");
                let replies = turn.after.moves();
                assert_eq!(
                    turn.terms[8..10],
                    [STARTS[2] + replies.count() as usize, STARTS[3] + (replies & Bitboard::CORNERS).count() as usize]
                );
            }
        }
    }

    #[test]
    fn the_learned_order_costs_a_tenth_less_than_fewest_replies_first() {
        let orders = [&MoveOrder::fewest_replies(), &LEARNED];
        let visited = orders.map(|order| {
            let mut search = NullWindows::new(order);
            let ask = |seed| {
                let position = random_position(seed, 14);
                search.clear();
                [-9, -1, 0, 8].map(|alpha| search.ask(&position, alpha).1).iter().sum::<u64>()
            };
            (0..20).map(ask).sum::<u64>()
        });
        assert!(visited[1] * 10 < visited[0] * 9, "{visited:?}");
    }
}
