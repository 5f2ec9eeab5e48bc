//! Null windows from five empty squares up to where the shared table takes over.

use super::board::Board;
use super::parity::Parity;
use super::{BEYOND_DISCS, Solver, move_order};
use crate::othello::{Bitboard, Square, flips};
use crate::search::ordering::weighted_count;
use arrayvec::ArrayVec;

/// Number of empty squares from which on moves are sorted, and the local table is probed; with fewer, moves come in the order of their
/// parity alone.
const SORT_FROM: u32 = 6;
/// Number of empty squares from which on all children are probed before one is searched (enhanced transposition cut-off). Children below
/// [`SORT_FROM`] are in no table.
const LOOK_UP_FROM: u32 = SORT_FROM + 1;
/// Number of empty squares above which the shared table takes over.
pub(super) const SHALLOW_TO: u32 = 11;

/// What counts against a move nearer to the end than the learned order, beside an even quadrant, which counts 1: each reply that it leaves,
/// one in a corner twice.
const REPLY: i32 = 4;

/// A key greater than every other, for a move that has been tried.
const DONE: i32 = i32::MAX;

/// A move to be tried.
struct Child {
    /// Low is tried first.
    key: i32,
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
            count => self.with_local_table(board, board.moves(), alpha, Parity::of(empties), count),
        }
    }

    /// Whether the value exceeds `alpha`, with moves in the order of their parity alone: a bound on it on that side.
    fn by_parity(&mut self, board: Board, moves: Bitboard, alpha: i32, parity: Parity) -> i32 {
        if self.must_stop() {
            return 0;
        }
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

    /// Whether the value exceeds `alpha`, with sorted moves and with the local table: a bound on it on that side.
    fn with_local_table(&mut self, board: Board, moves: Bitboard, alpha: i32, parity: Parity, empties: u32) -> i32 {
        if self.must_stop() {
            return 0;
        }
        if let Some(limit) = board.stability_limit(alpha, empties) {
            return limit;
        }
        let (known, place) = self.local.probe(board);
        if let Some(bound) = known.decides(alpha) {
            return bound;
        }
        if moves.is_empty() {
            let passed = board.pass();
            let moves = passed.moves();
            return if moves.is_empty() {
                board.score()
            } else {
                -self.with_local_table(passed, moves, -alpha - 1, parity, empties)
            };
        }
        let mut children: ArrayVec<Child, { SHALLOW_TO as usize }> = ArrayVec::new();
        for square in moves {
            let turned = flips(square, board.player, board.opponent);
            let child = board.after(square, turned);
            if child.player.is_empty() {
                self.nodes += 1;
                return 64;
            }
            // This move is known to exceed `alpha`.
            if empties >= LOOK_UP_FROM {
                let (known, _) = self.local.probe(child);
                if -known.upper > alpha {
                    return -known.upper;
                }
            }
            children.push(Child { key: 0, square, board: child, moves: Bitboard::EMPTY });
        }
        if let [child] = &mut children[..] {
            // The only move needs no key. To ask for that in the loop would take 2 to 3 % of the time.
            child.moves = child.board.moves();
        } else {
            let odd = parity.odd_squares();
            for child in &mut children {
                let (square, moves) = (child.square, child.board.moves());
                let even = !odd.contains(square);
                let key = if empties >= move_order::FROM {
                    self.order.key(square, even, child.board, moves)
                } else {
                    weighted_count(moves) * REPLY + i32::from(even)
                };
                (child.key, child.moves) = (key, moves);
            }
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
                -self.with_local_table(child, moves, -alpha - 1, parity, empties - 1)
            };
            best = best.max(value);
            if best > alpha || self.stopped {
                break;
            }
        }
        if !self.stopped {
            self.local.store(place, board, known, alpha, best);
        }
        best
    }
}
