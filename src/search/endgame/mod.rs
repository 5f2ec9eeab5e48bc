//! Perfect play near the end: values in whole discs, by alpha-beta down to the last square.
//!
//! Four tiers, from far to near. Here the transposition table is probed. `shallow` has a small table of its own. Both sort moves by
//! [`move_order`]; with 6 and 7 empty squares `shallow` sorts by mobility and parity, with 5 by parity alone. It has null windows, which
//! nearly all searches are; `wide` has the other windows. `last_squares` has the last four.
//!
//! A node is a position entered: the one to be solved, and one for each disc placed. A pass is none, and a full board is
//! none, as it is counted from the board before it.

mod board;
mod last_squares;
mod local_table;
pub(crate) mod move_order;
mod parity;
mod shallow;
mod wide;

use super::ordering::Candidates;
use super::selectivity::Selectivity;
use super::transposition::{Entry, TO_THE_END, TranspositionTable};
use super::{BEYOND_DISCS, Contempt};
use crate::game::DISC;
use crate::othello::Position;
use board::Board;
pub(super) use local_table::LocalTable;
use move_order::MoveOrder;
use parity::Parity;
use shallow::SHALLOW_TO;

/// Alpha in discs from which on the other side's stable discs are counted where the shared table is used: they may not allow a value above it.
const DEEP_STABILITY_FROM: i32 = 0;

/// A solver at work.
pub(super) struct Solver<'a> {
    pub table: &'a TranspositionTable,
    pub contempt: Contempt,
    /// Positions visited.
    pub nodes: u64,
    /// Asked with the positions visited so far; returns after how many more it wants to be asked again, or `None` to stop.
    go_on: &'a mut dyn FnMut(u64) -> Option<u64>,
    /// Whether `go_on` said stop; the value returned then means nothing.
    pub stopped: bool,
    /// Positions visited at which `go_on` is asked next.
    pub(in crate::search) next_check: u64,
    local: &'a mut LocalTable,
    /// The order of moves from [`move_order::FROM`] empty squares on, but in wide windows up to [`SHALLOW_TO`].
    order: &'a MoveOrder,
}

impl<'a> Solver<'a> {
    pub(super) fn new(
        table: &'a TranspositionTable,
        contempt: Contempt,
        local: &'a mut LocalTable,
        go_on: &'a mut dyn FnMut(u64) -> Option<u64>,
    ) -> Solver<'a> {
        Solver { table, contempt, nodes: 0, go_on, stopped: false, next_check: 0, local, order: &move_order::LEARNED }
    }

    /// The value of a position for its side to move, in discs: exact if it lies between `alpha` and `beta`, else a bound
    /// on the side of the one it passes.
    pub(super) fn solve(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.must_stop() {
            return 0;
        }
        self.local.make_room(position.empties().count());
        self.search(position, alpha, beta)
    }

    fn search(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        let empties = position.empties().count();
        if empties <= SHALLOW_TO {
            return self.without_contempt(position, alpha, beta);
        }
        let moves = position.moves();
        if moves.is_empty() {
            let passed = position.pass();
            return if passed.moves().is_empty() {
                self.contempt.outcome(position) / DISC
            } else {
                -self.search(&passed, -beta, -alpha)
            };
        }
        let (mut alpha, mut beta) = (alpha, beta);
        if let Some(limit) = stability_limit(position, self.contempt, alpha) {
            return limit;
        }
        let entry = self.table.probe(position);
        if let Some(known) = entry.filter(|entry| entry.covers(TO_THE_END, Selectivity::NONE)).map(Entry::in_discs) {
            if let Some(value) = known.decides(alpha, beta) {
                return value;
            }
            (alpha, beta) = (alpha.max(known.lower), beta.min(known.upper));
        }
        let mut children = Candidates::none();
        children.add(position, moves);
        // Enhanced transposition cut-off: a move is good enough by what the table knows of the position behind it.
        if empties > SHALLOW_TO + 1 {
            let mut known =
                children.values_in_table(self.table, TO_THE_END, Selectivity::NONE).map(|value| value / DISC);
            if let Some(value) = known.find(|&value| value >= beta) {
                return value;
            }
        }
        let odd = Parity::of(position.empties()).odd_squares();
        children.sort_by(entry.and_then(|entry| entry.best), |candidate| {
            let child = &candidate.child;
            self.order.key(candidate.square, !odd.contains(candidate.square), Board::of(child), child.moves())
        });
        let (mut best, mut best_move) = (-BEYOND_DISCS, None);
        for candidate in children.iter() {
            let bound = alpha.max(best);
            let scout = best > -BEYOND_DISCS && beta - bound > 1;
            let mut value = -self.solve(&candidate.child, if scout { -bound - 1 } else { -beta }, -bound);
            if scout && value > bound && value < beta {
                value = -self.solve(&candidate.child, -beta, -bound);
            }
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_move) = (value, Some(candidate.square));
                if best >= beta {
                    break;
                }
            }
        }
        let window = (alpha * DISC, beta * DISC);
        self.table.store(position, Entry::of_search(best * DISC, window, TO_THE_END, Selectivity::NONE, best_move));
        best
    }

    /// The value where the shared table is of no use any more. A draw lies between the narrowest wins and losses whatever it is worth, so there it
    /// is worth nothing, and a window that divides draws from what is next to them is moved instead.
    fn without_contempt(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        let draw = self.contempt.draw_for(position.mover());
        // Whether a draw exceeds a bound.
        let moved = |bound: i32| match draw > bound {
            true if bound == 0 => -1,
            false if bound == -1 => 0,
            _ => bound,
        };
        let board = Board::of(position);
        match self.wide(board, moved(alpha), moved(beta - 1) + 1) {
            0 => draw,
            value => value,
        }
    }

    /// Whether to stop, asked anew where [`Solver::next_check`] says.
    #[inline]
    fn must_stop(&mut self) -> bool {
        self.nodes >= self.next_check && self.ask()
    }

    /// Asks whether to stop, and if so, lets every later call of [`Solver::must_stop`] come here.
    #[cold]
    fn ask(&mut self) -> bool {
        if !self.stopped {
            match (self.go_on)(self.nodes) {
                Some(more) => self.next_check = self.nodes + more,
                None => (self.stopped, self.next_check) = (true, 0),
            }
        }
        self.stopped
    }
}

/// The most that the side to move can still get, in discs, with the other side's stable discs lost to it, if that is no more than
/// `alpha`.
#[inline]
pub(super) fn stability_limit(position: &Position, contempt: Contempt, alpha: i32) -> Option<i32> {
    if alpha < DEEP_STABILITY_FROM {
        return None;
    }
    let limit = Board::of(position).most_with_stable(alpha)?;
    let limit = if limit < 0 { limit } else { limit.max(contempt.draw_for(position.mover())) };
    (limit <= alpha).then_some(limit)
}

#[cfg(test)]
mod tests;
