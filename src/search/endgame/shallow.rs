//! Null windows from five empty squares up to where the shared table takes over.

use super::board::Board;
use super::parity::Parity;
use super::{BEYOND_DISCS, Solver};
use crate::othello::{Bitboard, Square, flips};
use crate::search::ordering;
use arrayvec::ArrayVec;

/// Number of empty squares from which on moves are sorted by the other side's mobility, and the local table is probed; with fewer,
/// moves come in the order of their parity alone.
const SORT_FROM: u32 = 6;
/// Number of empty squares above which the shared table takes over.
pub(super) const SHALLOW_TO: u32 = 11;

/// Number of empty squares from which on the solver asks whether to stop: with fewer it is sooner done.
pub(super) const CHECK_FROM: u32 = 7;

/// Number of empty squares from which on the square of a move counts: with fewer, what it costs to look is more than it saves.
const SQUARE_FROM: u32 = 7;

/// What counts against a move: each reply that it leaves, a reply in a corner once more, an even quadrant, and its square.
const REPLY: u32 = 16;
const CORNER: u32 = 16;
const EVEN: u32 = 4;
static SQUARE: [u8; 64] = {
    let mut keys = [0; 64];
    let mut square = 0;
    while square < 64 {
        // From 0 for a corner, the best.
        keys[square] = (ordering::SQUARE[square] - ordering::SQUARE[0]) as u8;
        square += 1;
    }
    keys
};

/// A key greater than every other, for a move that has been tried.
const DONE: u32 = u32::MAX;

/// A move to be tried.
struct Child {
    /// Low is tried first.
    key: u32,
    square: Square,
    board: Board,
    /// The other side's moves.
    moves: Bitboard,
}

impl Solver<'_> {
    /// Whether the value of a board exceeds `alpha`: a bound on it on that side. At most [`SHALLOW_TO`] empty squares.
    pub(super) fn null_window(&mut self, board: Board, alpha: i32) -> i32 {
        let empties = board.empties();
        match empties.count() {
            0..=4 => self.last_squares(board, alpha),
            count if count < SORT_FROM => self.by_parity(board, board.moves(), alpha, Parity::of(empties)),
            count => self.fastest_first(board, board.moves(), alpha, Parity::of(empties), count),
        }
    }

    /// Whether the value exceeds `alpha`, with moves in the order of their parity alone: a bound on it on that side.
    fn by_parity(&mut self, board: Board, moves: Bitboard, alpha: i32, parity: Parity) -> i32 {
        if let Some(limit) = board.stability_limit(alpha, 5) {
            return limit;
        }
        if moves.is_empty() {
            let passed = board.pass();
            let moves = passed.moves();
            return if moves.is_empty() { board.score() } else { -self.by_parity(passed, moves, -alpha - 1, parity) };
        }
        let odd = parity.odd_squares();
        let mut best = -BEYOND_DISCS;
        for set in [moves & odd, moves & !odd] {
            for square in set {
                let child = board.after(square, flips(square, board.player, board.opponent));
                self.nodes += 1;
                best = best.max(-self.four(child, -alpha - 1, parity.after(square)));
                if best > alpha {
                    return best;
                }
            }
        }
        best
    }

    /// Whether the value exceeds `alpha`, with moves fastest first and with the local table: a bound on it on that side.
    fn fastest_first(&mut self, board: Board, moves: Bitboard, alpha: i32, parity: Parity, empties: u32) -> i32 {
        if empties >= CHECK_FROM && self.must_stop() {
            return 0;
        }
        if let Some(limit) = board.stability_limit(alpha, empties) {
            return limit;
        }
        let (known, place) = self.local.probe(board);
        if let Some(bound) = known.settles(alpha) {
            return bound;
        }
        if moves.is_empty() {
            let passed = board.pass();
            let moves = passed.moves();
            return if moves.is_empty() {
                board.score()
            } else {
                -self.fastest_first(passed, moves, -alpha - 1, parity, empties)
            };
        }
        let mut children: ArrayVec<Child, { SHALLOW_TO as usize }> = ArrayVec::new();
        let odd = parity.odd_squares();
        for square in moves {
            let turned = flips(square, board.player, board.opponent);
            let child = board.after(square, turned);
            if child.player.is_empty() {
                self.nodes += 1;
                return 64;
            }
            let moves = child.moves();
            let mut key = moves.count() * REPLY
                + (moves & Bitboard::CORNERS).count() * CORNER
                + if odd.contains(square) { 0 } else { EVEN };
            if empties >= SQUARE_FROM {
                key += u32::from(SQUARE[square.index()]);
            }
            children.push(Child { key, square, board: child, moves });
        }
        let mut best = -BEYOND_DISCS;
        for _ in 0..children.len() {
            // The least key is looked for as often as a move is tried, which is mostly once.
            let (mut key, mut place) = (DONE, 0);
            for (i, child) in children.iter().enumerate() {
                if child.key < key {
                    (key, place) = (child.key, i);
                }
            }
            let Child { square, board: child, moves, .. } = children[place];
            children[place].key = DONE;
            self.nodes += 1;
            let parity = parity.after(square);
            let value = if empties == SORT_FROM {
                -self.by_parity(child, moves, -alpha - 1, parity)
            } else {
                -self.fastest_first(child, moves, -alpha - 1, parity, empties - 1)
            };
            best = best.max(value);
            if best > alpha {
                break;
            }
        }
        if !self.stopped {
            self.local.store(place, board, known, alpha, best);
        }
        best
    }
}
