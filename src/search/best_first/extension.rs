//! Best-first extension: the tree begins as that of a shallow alpha-beta search (Korf and Chickering, AAAI-94,
//! "Best-First Extensions").

use super::arena::{DEEP, INFINITY, PARTIAL};
use super::explorer::Explorer;
use super::tree::{Full, after};
use super::{AlphaBetaStart, Work};
use crate::eval::Evaluator;
use crate::game::Game;

/// What one more ply of alpha-beta costs, about, if the last one is known.
const COST_PER_PLY: u64 = 5;

/// How far alpha-beta has searched under the current root, and what the next ply is expected to cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Start {
    depth: u32,
    cost: u64,
}

/// Why alpha-beta ended early.
enum Interrupted {
    Stopped,
    Full,
}

impl From<Full> for Interrupted {
    fn from(_: Full) -> Interrupted {
        Interrupted::Full
    }
}

/// What the walk works with.
struct Walk<'a, G: Game> {
    evaluator: &'a dyn Evaluator<G>,
    stop: &'a mut dyn FnMut(&Work) -> bool,
}

impl<G: Game> Explorer<G> {
    /// Searches with alpha-beta as far as the settings say and `budget`, the evaluations that the whole search may make,
    /// allows now. Cheap to ask before every iteration.
    pub fn start_with_alpha_beta(
        &mut self,
        budget: Option<u64>,
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) {
        loop {
            let due = match self.settings.start {
                AlphaBetaStart::None => false,
                AlphaBetaStart::Depth(depth) => self.start.depth < depth,
                AlphaBetaStart::Share { divisor } => {
                    let evaluations = self.work.evaluations.max(budget.unwrap_or(0));
                    self.start.cost.max(1) * u64::from(divisor) <= evaluations
                }
            };
            if !due {
                return;
            }
            let before = self.work.evaluations;
            let depth = match self.settings.start {
                AlphaBetaStart::Depth(depth) => depth,
                _ => self.start.depth + 1,
            };
            if !self.alpha_beta(depth, evaluator, stop) {
                return;
            }
            let spent = self.work.evaluations - before;
            // Of a depth that was in the tree already, the cost is not known.
            self.start = Start { depth, cost: spent.max(self.start.cost).max(1).saturating_mul(COST_PER_PLY) };
        }
    }

    /// Alpha-beta to a depth, keeping every node it visits; whether it was completed.
    ///
    /// Best-first search then finds the nodes with the values of their children as they are: exact ones, bounds, which
    /// are optimistic for the parent and get corrected when the search comes there, static values of children that were
    /// cut off, and, one ply above the horizon, nodes that lack some children.
    fn alpha_beta(&mut self, depth: u32, evaluator: &dyn Evaluator<G>, stop: &mut dyn FnMut(&Work) -> bool) -> bool {
        self.restart();
        let Some(position) = self.tree.position().cloned() else {
            return false;
        };
        let mut walk = Walk { evaluator, stop };
        match self.visit(self.tree.root(), &position, depth, -INFINITY, INFINITY, &mut walk) {
            Ok(_) => true,
            Err(Interrupted::Stopped) => false,
            Err(Interrupted::Full) => {
                // There will be no more room than now: never again.
                self.start.cost = u64::MAX / u64::from(u32::MAX);
                self.start.depth = u32::MAX;
                false
            }
        }
    }

    /// Alpha-beta below one node, values for its side to move.
    fn visit(
        &mut self,
        node: u32,
        position: &G,
        depth: u32,
        alpha: i32,
        beta: i32,
        walk: &mut Walk<'_, G>,
    ) -> Result<i32, Interrupted> {
        let now = self.tree.arena[node];
        if depth == 0 || now.is_solved() || now.has(DEEP) {
            return Ok(now.value);
        }
        if now.is_leaf() || now.has(PARTIAL) {
            if (walk.stop)(&self.work) {
                return Err(Interrupted::Stopped);
            }
            // One ply above the horizon an order of the children saves nothing: one at a time, until one refutes.
            let cut = if depth == 1 && node != self.tree.root() { beta } else { INFINITY };
            self.tree.expand(node, position, &self.rules, walk.evaluator, cut, &mut self.work)?;
        }
        let mut best = -INFINITY;
        let mut result = Ok(());
        let now = self.tree.arena[node];
        for child in now.kids..now.kids + u32::from(now.count) {
            let turn = self.tree.arena[child].turn;
            let depth = depth - u32::from(turn.is_some());
            let position = after(position, turn);
            match self.visit(child, &position, depth, -beta, -best.max(alpha), walk) {
                Ok(value) => best = best.max(-value),
                Err(interrupted) => {
                    result = Err(interrupted);
                    break;
                }
            }
            if best >= beta {
                break;
            }
        }
        // Also when interrupted: the tree is to be in order.
        self.tree.reorder(node);
        result.map(|()| best)
    }
}
