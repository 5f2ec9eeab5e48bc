//! Depth first: alpha-beta with null windows, a table, and moves sorted by shallow searches, far from the end; by the replies that
//! they leave, nearer; by parity, near it.

use super::Solver;
use super::board::{Board, Shape};
use super::table::Table;
use crate::othello::{Bitboard, Square, flips};
use arrayvec::ArrayVec;

/// Moves of a position, at most.
const MOST_MOVES: usize = 64;
/// A value beyond every score, in discs.
const INFINITY: i32 = 100;

/// Empty squares up to which moves are tried by parity alone.
const BY_PARITY_TO: u32 = 6;
/// Empty squares from which positions are remembered.
const REMEMBER_FROM: u32 = 8;
/// Empty squares from which moves are sorted by a search.
const BY_SEARCH_FROM: u32 = 11;
/// Empty squares for each ply of that search.
const SQUARES_PER_PLY: u32 = 2;

/// Units of the evaluation for each disc.
pub(super) const UNIT: i32 = 16;
/// Weights of the evaluation in [`UNIT`]s of a disc, for what the side to move has more than the other: moves, empty squares beside
/// discs to turn, corners, and discs beside a free corner. Chosen by hand; weights fitted to the results of random games sort worse.
const MOBILITY: i32 = 2 * UNIT;
const OPEN_SQUARES: i32 = UNIT;
const CORNER: i32 = 8 * UNIT;
const BESIDE_CORNER: i32 = -3 * UNIT;

/// A solver.
pub struct AlphaBeta<'a> {
    shape: &'a Shape,
    table: Table,
    /// Positions visited, those of the shallow searches included.
    pub nodes: u64,
}

/// The quadrants with an odd number of empty squares. The middle of the usual board is that of every other one.
fn odd_quadrants(empty: Bitboard) -> Bitboard {
    let is_odd = |quadrant: &Bitboard| (empty & *quadrant).count() % 2 == 1;
    Bitboard::QUADRANTS.into_iter().filter(is_odd).fold(Bitboard::EMPTY, |set, quadrant| set | quadrant)
}

/// A move: what it is sorted by (the least first), its square, the position after it.
type Candidate = (i32, Square, Board);

impl Solver for AlphaBeta<'_> {
    fn bound(&mut self, board: &Board, alpha: i32) -> i32 {
        self.nodes += 1;
        self.search(board, alpha)
    }
}

impl<'a> AlphaBeta<'a> {
    /// A solver with an empty table of two to the power of `log` pairs of positions.
    pub fn new(shape: &'a Shape, log: u32) -> AlphaBeta<'a> {
        AlphaBeta { shape, table: Table::new(log), nodes: 0 }
    }

    /// Memory that the table takes.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// A move that is worth more than `alpha` discs to the side to move, which has one, far enough from the end to be remembered.
    pub(super) fn winner(&mut self, board: &Board, alpha: i32) -> Option<Square> {
        (self.bound(board, alpha) > alpha).then(|| self.table.probe(board).and_then(|entry| entry.best()))?
    }

    fn search(&mut self, board: &Board, alpha: i32) -> i32 {
        let empty = self.shape.empties(board);
        let empties = empty.count();
        if empties <= BY_PARITY_TO {
            return self.by_parity(board, empty, alpha, false);
        }
        let moves = self.shape.moves(board);
        if moves.is_empty() {
            let passed = board.pass();
            let is_over = self.shape.moves(&passed).is_empty();
            return if is_over { self.shape.score(board) } else { -self.search(&passed, -alpha - 1) };
        }
        let remembers = empties >= REMEMBER_FROM;
        let mut first = None;
        if remembers && let Some(entry) = self.table.probe(board) {
            let (lower, upper) = (i32::from(entry.lower), i32::from(entry.upper));
            if lower > alpha {
                return lower;
            }
            if upper <= alpha {
                return upper;
            }
            first = entry.best();
        }
        let mut candidates: ArrayVec<Candidate, MOST_MOVES> =
            moves.into_iter().map(|square| (0, square, board.after(square))).collect();
        if empties > REMEMBER_FROM {
            let known = candidates.iter().find_map(|(_, square, child)| {
                let bound = -i32::from(self.table.probe(child)?.upper);
                (bound > alpha).then_some((bound, *square))
            });
            if let Some((bound, square)) = known {
                self.table.store(board, empties, alpha, bound, square);
                return bound;
            }
        }
        self.sort(&mut candidates, empty, first);
        let mut best = (-INFINITY, candidates[0].1);
        for (_, square, child) in &candidates {
            let value = -self.bound(child, -alpha - 1);
            if value > best.0 {
                best = (value, *square);
                if value > alpha {
                    break;
                }
            }
        }
        if remembers {
            self.table.store(board, empties, alpha, best.0, best.1);
        }
        best.0
    }

    fn sort(&mut self, candidates: &mut [Candidate], empty: Bitboard, first: Option<Square>) {
        if candidates.len() < 2 {
            return;
        }
        let (empties, odd) = (empty.count(), odd_quadrants(empty));
        for (key, square, child) in &mut *candidates {
            *key = if first == Some(*square) {
                i32::MIN
            } else if empties >= BY_SEARCH_FROM {
                let depth = (empties - BY_SEARCH_FROM) / SQUARES_PER_PLY;
                self.estimate(child, depth, -i32::MAX, i32::MAX)
            } else {
                let replies = self.shape.moves(child);
                let is_corner = self.shape.corners.contains(*square);
                let is_odd = odd.contains(*square);
                let to_corners = replies & self.shape.corners;
                (replies.count() + to_corners.count()) as i32 * 4 - i32::from(is_odd) * 3 - i32::from(is_corner) * 6
            };
        }
        candidates.sort_unstable_by_key(|candidate| candidate.0);
    }

    /// A bound near the end. `passed`: the other side has just found no move.
    fn by_parity(&mut self, board: &Board, empty: Bitboard, alpha: i32, passed: bool) -> i32 {
        let odd = odd_quadrants(empty);
        let mut best = -INFINITY;
        for part in [empty & odd, empty & !odd] {
            for square in part {
                let turned = flips(square, board.player, board.opponent);
                if turned.is_empty() {
                    continue;
                }
                self.nodes += 1;
                let child = board.turning(square, turned);
                let left = empty & !square.bit();
                let value = if left.is_empty() {
                    -self.shape.score(&child)
                } else {
                    -self.by_parity(&child, left, -alpha - 1, false)
                };
                best = best.max(value);
                if best > alpha {
                    return best;
                }
            }
        }
        if best > -INFINITY {
            best
        } else if passed {
            self.shape.score(board)
        } else {
            -self.by_parity(&board.pass(), empty, -alpha - 1, true)
        }
    }

    /// What a search of `depth` plies expects, in [`UNIT`]s.
    pub(super) fn estimate(&mut self, board: &Board, depth: u32, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if depth == 0 {
            return self.evaluate(board);
        }
        let moves = self.shape.moves(board);
        if moves.is_empty() {
            let passed = board.pass();
            let is_over = self.shape.moves(&passed).is_empty();
            return if is_over {
                self.shape.score(board) * UNIT
            } else {
                -self.estimate(&passed, depth - 1, -beta, -alpha)
            };
        }
        let mut children: ArrayVec<(u32, Board), MOST_MOVES> =
            moves.into_iter().map(|square| (0, board.after(square))).collect();
        if depth > 1 {
            children.iter_mut().for_each(|(replies, child)| *replies = self.shape.moves(child).count());
            children.sort_unstable_by_key(|child| child.0);
        }
        let mut best = -i32::MAX;
        for (_, child) in &children {
            best = best.max(-self.estimate(child, depth - 1, -beta, -alpha.max(best)));
            if best >= beta {
                break;
            }
        }
        best
    }

    fn evaluate(&self, board: &Board) -> i32 {
        let empty = self.shape.empties(board);
        let free = (self.shape.corners & empty).neighbours();
        let side = |board: &Board| {
            let open = (board.opponent.neighbours() & empty).count() as i32;
            let corners = (board.player & self.shape.corners).count() as i32;
            let beside = (board.player & free).count() as i32;
            let moves = self.shape.moves(board).count() as i32;
            MOBILITY * moves + OPEN_SQUARES * open + CORNER * corners + BESIDE_CORNER * beside
        };
        side(board) - side(&board.pass())
    }
}
