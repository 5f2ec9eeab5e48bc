//! Exact values for positions near the end of the game, where a full search costs less than a tree.

use super::rules::Work;
use crate::game::{DISC, Game};
use crate::othello::Position;
use crate::search::Contempt;
use crate::search::endgame::{self, LocalTable, Solver};
use crate::search::transposition::TranspositionTable;

/// Solves positions that the best-first search would otherwise expand.
pub trait LeafSolver<G: Game>: Send {
    /// Whether to solve this position instead of expanding it.
    fn takes(&self, position: &G) -> bool;

    /// The result under perfect play for the side to move, draws as the contempt has them. `None` if `stop`, which is
    /// asked now and then, said so.
    ///
    /// Adds its nodes to `work`, to the positions and to the evaluations.
    fn solve(
        &mut self,
        position: &G,
        contempt: Contempt,
        work: &mut Work,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> Option<i32>;
}

/// Solves Othello positions with few empty squares by the endgame search.
pub struct EndgameSolver {
    empties: u32,
    table: TranspositionTable,
    local: LocalTable,
}

/// Size of the solver's own transposition table: what a few thousand of the positions that it asks for take.
const TABLE_BYTES: usize = 1 << 20;

impl EndgameSolver {
    /// A solver for positions with at most this many empty squares.
    pub fn new(empties: u32) -> EndgameSolver {
        EndgameSolver { empties, table: TranspositionTable::new(TABLE_BYTES), local: LocalTable::default() }
    }
}

impl LeafSolver<Position> for EndgameSolver {
    fn takes(&self, position: &Position) -> bool {
        position.empties().count() <= self.empties
    }

    fn solve(
        &mut self,
        position: &Position,
        contempt: Contempt,
        work: &mut Work,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> Option<i32> {
        let before = *work;
        self.table.new_search(contempt);
        let mut stop = |nodes, _| {
            (work.nodes, work.evaluations) = (before.nodes + nodes, before.evaluations + nodes);
            stop(work)
        };
        let mut solver = Solver::new(&self.table, contempt, &mut self.local, &mut stop);
        let value = solver.solve(position, -endgame::INFINITY, endgame::INFINITY);
        let (nodes, stopped) = (solver.nodes, solver.stopped);
        (work.nodes, work.evaluations) = (before.nodes + nodes, before.evaluations + nodes);
        (!stopped).then_some(value * DISC)
    }
}
