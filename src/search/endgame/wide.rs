//! Windows of any width, near the end: the few nodes of a principal variation.

use super::board::Board;
use super::{BEYOND_DISCS, Solver};
use crate::othello::flips;
use crate::search::ordering::weighted_count;
use arrayvec::ArrayVec;

/// Number of empty squares from which on the solver asks whether to stop, as null windows do: with fewer it is sooner done.
const CHECK_FROM: u32 = 5;

impl Solver<'_> {
    /// The value of a board: exact between `alpha` and `beta`, else a bound on the side of the one it passes.
    pub(super) fn wide(&mut self, board: Board, alpha: i32, beta: i32) -> i32 {
        if beta - alpha == 1 {
            return self.null_window(board, alpha);
        }
        let empties = board.empties().count();
        if empties >= CHECK_FROM && self.must_stop() {
            return 0;
        }
        let moves = board.moves();
        if moves.is_empty() {
            let passed = board.pass();
            return if passed.moves().is_empty() { board.score() } else { -self.wide(passed, -beta, -alpha) };
        }
        let mut children: ArrayVec<(i32, Board), 64> = ArrayVec::new();
        for square in moves {
            let child = board.after(square, flips(square, board.player, board.opponent));
            children.push((weighted_count(child.moves()), child));
        }
        children.sort_by_key(|&(replies, _)| replies);
        let mut best = -BEYOND_DISCS;
        for (_, child) in children {
            // A full board is not entered: it is counted from the board before.
            self.nodes += u64::from(!child.empties().is_empty());
            let bound = alpha.max(best);
            let scout = best > -BEYOND_DISCS && beta - bound > 1;
            let mut value = -self.wide(child, if scout { -bound - 1 } else { -beta }, -bound);
            if scout && value > bound && value < beta {
                value = -self.wide(child, -beta, -bound);
            }
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                if best >= beta {
                    break;
                }
            }
        }
        best
    }
}
