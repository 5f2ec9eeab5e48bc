//! What alpha-beta does for a proof: estimates, and results of positions near enough to the end. A search stops after
//! [`LEAF_LIMIT`] positions.

use super::LEAF_LIMIT;
use super::cost::CostModel;
use super::graph::Node;
use crate::eval::Incremental;
use crate::game::DISC;
use crate::othello::{Empties, Position, Square};
use crate::search::alpha_beta::walk::{Shared, Walk};
use crate::search::ordering::Candidates;
use crate::search::selectivity::Selectivity;
use crate::search::transposition::{Entry, TO_THE_END};
use crate::search::{BEYOND, BEYOND_DISCS, MOST_DISCS};

/// Plies that new nodes are searched for their estimate.
const FIRST_DEPTH: u8 = 2;
/// Empty squares for each ply of the search that gives an estimate that matters and is not sure.
const SQUARES_PER_PLY: u8 = 4;
/// Ratio of the expected cost to the allowed cost above which a solve is not tried.
const TOO_COSTLY: f32 = 4.0;
/// Distance from the bound, in units of [`DISC`], from which on estimates are not distinguished.
const FAR: i32 = 16 * DISC;

/// The plies that an estimate should be searched if it matters, of the parity of the empty squares: then the last turn is the
/// same side's for all of them.
pub(super) fn estimate_depth(empties: Empties) -> u8 {
    let plies = (empties.count() / SQUARES_PER_PLY).max(FIRST_DEPTH);
    plies - ((plies ^ empties.count()) & 1)
}

/// One thread's searches.
pub(super) struct Examiner<'a, E: Incremental> {
    walk: Walk<'a, E>,
    /// The selectivity of the searches that do not reach the end of the game.
    selectivity: Selectivity,
    /// Positions that may still be visited.
    allowance: u64,
    /// Number of positions that the largest exact search visited.
    pub largest: u64,
}

impl<'a, E: Incremental> Examiner<'a, E> {
    /// Searches with a `shared` that is this thread's alone.
    pub fn new(shared: &'a Shared<'a, E>, selectivity: Selectivity) -> Examiner<'a, E> {
        Examiner { walk: Walk::new(shared), selectivity: shared.possible(selectivity), allowance: u64::MAX, largest: 0 }
    }

    /// Positions visited and evaluations made.
    pub fn counts(&mut self) -> (u64, u64) {
        self.walk.report_counts();
        self.walk.shared.counts()
    }

    /// Sets how many positions may be visited from now on.
    pub fn allow(&mut self, positions: u64) {
        self.allowance = self.counts().0.saturating_add(positions);
    }

    /// Whether the proof is to end here.
    fn must_stop(&mut self) -> bool {
        let (nodes, evaluations) = self.counts();
        let control = self.walk.shared.control;
        nodes >= self.allowance || control.must_stop(nodes, evaluations) || control.is_past_soft_time()
    }

    /// Begins a search.
    fn begin(&mut self, selectivity: Selectivity) {
        let left = self.allowance.saturating_sub(self.counts().0);
        self.walk.begin(left.min(LEAF_LIMIT));
        self.walk.boldness.selectivity = selectivity;
    }

    /// The estimate of a position from a search of `depth` plies, in units of [`DISC`]; near `middle` discs it is exact. `None` if that
    /// would take too many positions, or the search was stopped.
    pub fn estimate(&mut self, position: &Position, depth: u8, middle: i32) -> Option<i32> {
        let middle = middle * DISC;
        self.begin(self.selectivity);
        let node = self.walk.node(*position);
        let (alpha, beta) = ((middle - FAR).max(-BEYOND), (middle + FAR).min(BEYOND));
        let value = self.walk.value(&node, depth, alpha, beta);
        (!self.walk.shared.is_stopped()).then_some(value)
    }

    /// A node for a position, its estimate best near `middle` discs. `None` if the search was stopped.
    pub fn leaf(&mut self, position: &Position, middle: i32) -> Option<Node> {
        if position.is_over() {
            let outcome = self.walk.shared.contempt.outcome(position);
            return Some(Node::leaf(position, outcome, FIRST_DEPTH, (outcome / DISC, outcome / DISC)));
        }
        let known = self.walk.shared.table.probe(position).filter(|entry| entry.covers(TO_THE_END, Selectivity::NONE));
        let bounds = known.map(Entry::in_discs).map_or((-MOST_DISCS, MOST_DISCS), |entry| (entry.lower, entry.upper));
        let value = self.estimate(position, FIRST_DEPTH, middle)?;
        Some(Node::leaf(position, value, FIRST_DEPTH, bounds))
    }

    /// The children of a node, whose estimates are best near `middle` discs for its side to move. `None` if the search was stopped.
    pub fn kids(&mut self, position: &Position, middle: i32) -> Option<Vec<(Option<Square>, Node)>> {
        let moves = position.moves();
        if moves.is_empty() {
            return Some(vec![(None, self.leaf(&position.pass(), -middle)?)]);
        }
        moves.into_iter().map(|square| Some((Some(square), self.leaf(&position.after(square), -middle)?))).collect()
    }

    /// Whether the result exceeds `alpha` discs: a bound on it on that side, in discs. `None` if that would take too many
    /// positions, or the search was stopped.
    pub fn solve(&mut self, position: &Position, alpha: i32) -> Option<i32> {
        let before = self.counts().0;
        self.begin(Selectivity::NONE);
        let node = self.walk.node(*position);
        let value = self.walk.value(&node, u8::MAX, alpha * DISC, alpha * DISC + 1);
        // Counting may stop a search that has just ended.
        let is_finished = !self.walk.shared.is_stopped();
        let visited = self.counts().0 - before;
        self.largest = self.largest.max(visited);
        is_finished.then_some(value / DISC)
    }

    /// Whether the result exceeds `alpha` discs, as [`Examiner::solve`], also for positions that are too large for one search: these are
    /// expanded depth first, with the table as the only memory. `None` if the search was stopped.
    pub fn decide(&mut self, position: &Position, alpha: i32) -> Option<i32> {
        if position.is_over() {
            return Some(self.walk.shared.contempt.outcome(position) / DISC);
        }
        let is_small = CostModel::positions(position.empty_count(), 0.0) <= TOO_COSTLY * LEAF_LIMIT as f32;
        if is_small && let Some(bound) = self.solve(position, alpha) {
            return Some(bound);
        }
        if self.must_stop() {
            return None;
        }
        let moves = position.moves();
        if moves.is_empty() {
            return self.decide(&position.pass(), -alpha - 1).map(|bound| -bound);
        }
        let mut best = (-BEYOND_DISCS, None);
        for candidate in self.in_order(position, alpha).iter() {
            let bound = -self.decide(&candidate.child, -alpha - 1)?;
            if bound > best.0 {
                best = (bound, Some(candidate.square));
            }
            if bound > alpha {
                break;
            }
        }
        self.remember(position, alpha, best.0, best.1);
        Some(best.0)
    }

    /// The moves of a position in the order in which they are to be tried.
    pub fn in_order(&mut self, position: &Position, alpha: i32) -> Candidates {
        let mut candidates = Candidates::none();
        candidates.add(position, position.moves());
        let first = self.walk.shared.table.probe(position).and_then(|entry| entry.best);
        self.begin(self.selectivity);
        let node = self.walk.node(*position);
        self.walk.sort(&mut candidates, &node, position.empty_count().count(), true, alpha * DISC, first);
        candidates
    }

    /// Writes a bound that was found move by move into the table.
    pub fn remember(&mut self, position: &Position, alpha: i32, bound: i32, best: Option<Square>) {
        let window = (alpha * DISC, alpha * DISC + 1);
        let entry = Entry::of_search(bound * DISC, window, TO_THE_END, Selectivity::NONE, best);
        self.walk.shared.table.store(position, entry);
    }
}
