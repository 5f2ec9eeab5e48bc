//! What new nodes of a best-first search are worth.

use super::{Rules, Work};
use crate::eval::Evaluator;
use crate::game::{DISC, Game};
use crate::othello::{Empties, Position, Square};
use crate::search::endgame::{LocalTable, Solver};
use crate::search::transposition::TranspositionTable;
use crate::search::tree::{Node, after, turns};
use crate::search::{BEYOND_DISCS, Contempt, INFINITY};

/// Where the values of new nodes come from.
pub trait Leaves<G: Game> {
    /// Puts all children of a position, whose game is not over, into `nodes`, which may hold some of them already. Returns whether the
    /// search was not stopped before they were complete. Counts in `work`.
    fn children(&mut self, position: &G, nodes: &mut Vec<Node<G::Move>>, work: &mut Work) -> bool;

    /// The node of one position, as RBFMS needs it. Counts in `work`.
    fn node(&mut self, turn: Option<G::Move>, position: &G, work: &mut Work) -> Node<G::Move>;

    /// The result of a position under perfect play, draws as the contempt has them, if there is a solver that takes the position:
    /// RBFMS asks before it expands. The inner `None` if the solver was stopped. Counts in `work`.
    fn solve(&mut self, _: &G, _: &mut Work) -> Option<Option<i32>> {
        None
    }

    /// Whether the search must stop.
    fn must_stop(&mut self, work: &mut Work) -> bool;
}

/// Adds the children of a position that `nodes` does not hold yet, in the order of the game, until one is worth at least `cut` to
/// the position. Returns whether all are there.
pub(super) fn generate<G: Game>(
    position: &G,
    nodes: &mut Vec<Node<G::Move>>,
    cut: i32,
    mut node: impl FnMut(Option<G::Move>, &G) -> Node<G::Move>,
) -> bool {
    let known = nodes.len();
    for turn in turns(position) {
        if nodes[..known].iter().any(|kid| kid.turn == turn) {
            continue;
        }
        if nodes[known..].last().is_some_and(|kid| -kid.value >= cut) {
            return false;
        }
        nodes.push(node(turn, &after(position, turn)));
    }
    true
}

/// Leaves with static values.
pub(crate) struct StaticLeaves<'a, G: Game> {
    rules: Rules,
    evaluator: &'a dyn Evaluator<G>,
    stop: &'a mut dyn FnMut(&Work) -> bool,
}

impl<'a, G: Game> StaticLeaves<'a, G> {
    /// Leaves with values by `evaluator`; `stop` is called now and then and says whether the search must stop.
    pub fn new(rules: Rules, evaluator: &'a dyn Evaluator<G>, stop: &'a mut dyn FnMut(&Work) -> bool) -> Self {
        StaticLeaves { rules, evaluator, stop }
    }
}

impl<'a> StaticLeaves<'a, Position> {
    /// The leaves, with results by `solver` near the end of the game.
    pub fn solving(self, solver: &'a mut EndgameSolver) -> SolvingLeaves<'a> {
        SolvingLeaves { leaves: self, solver }
    }
}

impl<G: Game> Leaves<G> for StaticLeaves<'_, G> {
    fn children(&mut self, position: &G, nodes: &mut Vec<Node<G::Move>>, work: &mut Work) -> bool {
        let StaticLeaves { rules, evaluator, .. } = self;
        generate(position, nodes, INFINITY, |turn, child| rules.new_node(turn, child, *evaluator, work))
    }

    fn node(&mut self, turn: Option<G::Move>, position: &G, work: &mut Work) -> Node<G::Move> {
        self.rules.new_node(turn, position, self.evaluator, work)
    }

    fn must_stop(&mut self, work: &mut Work) -> bool {
        (self.stop)(work)
    }
}

/// Leaves with static values, and with results near the end of the game.
pub(crate) struct SolvingLeaves<'a> {
    leaves: StaticLeaves<'a, Position>,
    solver: &'a mut EndgameSolver,
}

impl Leaves<Position> for SolvingLeaves<'_> {
    fn children(&mut self, position: &Position, nodes: &mut Vec<Node<Square>>, work: &mut Work) -> bool {
        self.leaves.children(position, nodes, work)
    }

    fn node(&mut self, turn: Option<Square>, position: &Position, work: &mut Work) -> Node<Square> {
        self.leaves.node(turn, position, work)
    }

    fn solve(&mut self, position: &Position, work: &mut Work) -> Option<Option<i32>> {
        let StaticLeaves { rules, stop, .. } = &mut self.leaves;
        self.solver.takes(position).then(|| self.solver.solve(position, rules.contempt, work, *stop))
    }

    fn must_stop(&mut self, work: &mut Work) -> bool {
        self.leaves.must_stop(work)
    }
}

/// Solves Othello positions with few empty squares by the endgame search.
pub struct EndgameSolver {
    empties: Empties,
    table: TranspositionTable,
    /// What its table holds values for, once there are any.
    contempt: Option<Contempt>,
    local: LocalTable,
}

/// Size of the solver's own transposition table in bytes: what a few thousand of the positions that it probes take.
const TABLE_BYTES: usize = 1 << 20;
/// Positions that it visits between two looks at the limits.
const CHECK_INTERVAL: u64 = 16;

impl EndgameSolver {
    /// A solver for positions with at most `empties` empty squares.
    pub fn new(empties: Empties) -> EndgameSolver {
        let table = TranspositionTable::new(TABLE_BYTES);
        EndgameSolver { empties, table, contempt: None, local: LocalTable::default() }
    }

    /// Whether a position is to be solved instead of expanded.
    pub fn takes(&self, position: &Position) -> bool {
        position.empty_count() <= self.empties
    }

    /// The result under perfect play for the side to move, draws as the contempt has them. `None` if `stop`, which is
    /// asked now and then, said so.
    ///
    /// Adds its nodes to `work`, to the positions and to the evaluations.
    pub fn solve(
        &mut self,
        position: &Position,
        contempt: Contempt,
        work: &mut Work,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> Option<i32> {
        let before = *work;
        if self.contempt.replace(contempt) != Some(contempt) {
            self.table.new_search(contempt);
        }
        let mut go_on = |nodes| {
            (work.nodes, work.evaluations) = (before.nodes + nodes, before.evaluations + nodes);
            (!stop(work)).then_some(CHECK_INTERVAL)
        };
        let mut solver = Solver::new(&self.table, contempt, &mut self.local, &mut go_on);
        let value = solver.solve(position, -BEYOND_DISCS, BEYOND_DISCS);
        let (nodes, stopped) = (solver.nodes, solver.stopped);
        (work.nodes, work.evaluations) = (before.nodes + nodes, before.evaluations + nodes);
        (!stopped).then_some(value * DISC)
    }
}
