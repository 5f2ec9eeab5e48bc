//! Best-first extension: the tree begins as that of a shallow alpha-beta search (Korf and Chickering, AAAI-94,
//! "Best-First Extensions").

use super::leaves::generate;
use super::{ByValue, Explorer, Work};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::INFINITY;
use crate::search::tree::{DEEP, Full, PARTIAL, after};

/// What one more ply of alpha-beta costs, about, if the last one is known.
const COST_PER_PLY: u64 = 5;
/// Nodes without an evaluation between two calls of `stop`.
const STOP_EVERY: u64 = 64;

/// The alpha-beta search that a best-first search begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlphaBetaStart {
    /// No alpha-beta search.
    None,
    /// Alpha-beta to a fixed depth in plies.
    Depth(u32),
    /// Alpha-beta to growing depths, each as soon as it is expected to cost at most 1/`divisor` of the evaluations that the search may
    /// make or has made.
    Share {
        /// The evaluations of the search for each one of alpha-beta.
        divisor: u32,
    },
}

/// The beginning of one search: how far alpha-beta has come, and what the next ply is expected to cost.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    rule: AlphaBetaStart,
    depth: u32,
    cost: u64,
}

impl Start {
    /// The beginning of a search by this rule.
    pub fn new(rule: AlphaBetaStart) -> Start {
        Start { rule, depth: 0, cost: 0 }
    }

    /// Searches with alpha-beta as far as the rule and `budget`, the evaluations that the whole search may make, allow now. Cheap to
    /// ask before every iteration.
    pub fn advance<G: Game>(
        &mut self,
        search: &mut Explorer<G>,
        budget: Option<u64>,
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) {
        loop {
            let depth = match self.rule {
                AlphaBetaStart::Depth(depth) if self.depth < depth => depth,
                AlphaBetaStart::None | AlphaBetaStart::Depth(_) => return,
                AlphaBetaStart::Share { divisor } => {
                    let evaluations = search.work.evaluations.max(budget.unwrap_or(0));
                    let cost = self.cost.max(1).checked_mul(divisor.into());
                    if cost.is_none_or(|cost| cost > evaluations) {
                        return;
                    }
                    self.depth + 1
                }
            };
            let before = search.work.evaluations;
            match search.full_width(depth, 1, None, evaluator, stop) {
                Ok(visited) => {
                    // What was in the tree already costs visits, if no evaluations.
                    let spent = (search.work.evaluations - before).max(visited).max(self.cost);
                    (self.depth, self.cost) = (depth, spent.saturating_mul(COST_PER_PLY));
                }
                Err(Interrupted::Stopped) => return,
                // There will be no more memory than now: never again.
                Err(Interrupted::Full) => {
                    self.rule = AlphaBetaStart::None;
                    return;
                }
            }
        }
    }
}

/// Why alpha-beta ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interrupted {
    /// The control said stop.
    Stopped,
    /// The tree fills its memory.
    Full,
}

impl From<Full> for Interrupted {
    fn from(_: Full) -> Interrupted {
        Interrupted::Full
    }
}

/// One alpha-beta search at full width that keeps what it visits in the tree.
struct FullWidth<'a, G: Game> {
    evaluator: &'a dyn Evaluator<G>,
    stop: &'a mut dyn FnMut(&Work) -> bool,
    /// Nodes visited, those that were in the tree already included.
    visited: u64,
    /// Number of the root's moves that get exact values, besides those within the margin of the best.
    lines: usize,
    margin: Option<i32>,
}

impl<G: Game> FullWidth<'_, G> {
    /// What a move at the root has to exceed to be worth an exact value, given the values of those before it.
    fn floor(&self, values: &mut [i32]) -> i32 {
        values.sort_unstable_by_key(|&value| std::cmp::Reverse(value));
        let last_line = values.get(self.lines - 1).copied().unwrap_or(-INFINITY);
        match (values.first(), self.margin) {
            // Less one: a value on the edge of the margin belongs to it.
            (Some(best), Some(margin)) => last_line.min(best.saturating_sub(margin).saturating_sub(1)),
            _ => last_line,
        }
    }
}

impl<G: Game> Explorer<G, ByValue> {
    /// Alpha-beta to a depth from the root, keeping every node it visits, with exact values for `lines` of the root's moves, at least 1,
    /// and for those within the margin of the best. Returns the number of nodes visited.
    ///
    /// Best-first search then finds the nodes with the values of their children as they are: exact ones; bounds, which are optimistic
    /// for the parent and get corrected when the search comes there; static values of children that were cut off; and, one ply above
    /// the horizon, nodes that lack some children.
    pub(crate) fn full_width(
        &mut self,
        depth: u32,
        lines: usize,
        margin: Option<i32>,
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> Result<u64, Interrupted> {
        self.restart();
        let Some(position) = self.tree.position().cloned() else { return Ok(0) };
        let mut walk = FullWidth { evaluator, stop, visited: 0, lines, margin };
        self.visit(self.tree.root(), &position, depth, -INFINITY, INFINITY, &mut walk)?;
        Ok(walk.visited)
    }

    /// Alpha-beta below one node, values for its side to move.
    fn visit(
        &mut self,
        node: u32,
        position: &G,
        depth: u32,
        alpha: i32,
        beta: i32,
        walk: &mut FullWidth<'_, G>,
    ) -> Result<i32, Interrupted> {
        walk.visited += 1;
        if walk.visited.is_multiple_of(STOP_EVERY) && (walk.stop)(&self.work) {
            return Err(Interrupted::Stopped);
        }
        let now = self.tree.arena[node];
        if depth == 0 || now.is_solved() || now.has(DEEP) {
            return Ok(now.value);
        }
        // Also where the tree is known: the way through it takes time as well.
        if (walk.stop)(&self.work) {
            return Err(Interrupted::Stopped);
        }
        if depth == 1 && now.has(PARTIAL) && now.value >= beta {
            return Ok(now.value);
        }
        if now.is_leaf() || now.has(PARTIAL) {
            // One ply above the horizon an order of the children saves nothing: one at a time, until one refutes.
            let cut = if depth == 1 && node != self.tree.root() { beta } else { INFINITY };
            self.expand(node, position, walk.evaluator, cut)?;
        }
        let mut best = -INFINITY;
        let mut result = Ok(());
        let mut root_values = Vec::new();
        let is_root = node == self.tree.root();
        let now = self.tree.arena[node];
        for child in now.kids..now.kids + u32::from(now.count) {
            let turn = self.tree.arena[child].turn;
            let depth = depth - u32::from(turn.is_some());
            let position = after(position, turn);
            let floor = if is_root { walk.floor(&mut root_values) } else { best.max(alpha) };
            match self.visit(child, &position, depth, -beta, -floor, walk) {
                Ok(value) => {
                    best = best.max(-value);
                    if is_root {
                        root_values.push(-value);
                    }
                }
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

    /// Gives a node its children, or those that are missing, until one is worth at least `cut` to it.
    fn expand(&mut self, node: u32, position: &G, evaluator: &dyn Evaluator<G>, cut: i32) -> Result<(), Full> {
        if !self.tree.has_room_for(position) {
            return Err(Full);
        }
        let mut kids = self.tree.kids(node).to_vec();
        let (rules, work) = (self.rules, &mut self.work);
        let is_complete =
            generate(position, &mut kids, cut, |turn, child| rules.new_node(turn, child, evaluator, work));
        self.tree.adopt(node, position, &kids, is_complete).map(|_| ())
    }
}
