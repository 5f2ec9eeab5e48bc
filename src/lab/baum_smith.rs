//! Best-first search with distributions, after Baum and Smith, "A Bayesian approach to relevance in game playing" (*Artificial
//! Intelligence* 97, 1997), as an engine for Othello.
//!
//! A leaf's value is a normal distribution, its middle the static value with the tempo, its deviation that of the error model. An inner
//! node's value is the best of its children's, taken as independent: the distribution function is the product of theirs where the side
//! with the larger values moves, and the complement of the product of their complements where the other one does. What is to be gained by
//! thinking is U, the mean of the best of the root's moves less the mean of the one that now seems best. U depends linearly on the
//! distribution of each leaf, so one pass down the tree finds by how much U would change if a leaf's value were known. The mean of the
//! size of that change is the leaf's relevance. The most relevant leaves are expanded together, a gulp; then the distributions are computed
//! again. The move with the best mean is played.
//!
//! The search ends early where, by these distributions, nothing that it can find out would change the move.
//!
//! Ours are the form of the leaves' distributions, the grid of values, the size of a gulp, and the bound below which a subtree is skipped.

use super::grown_tree::{self, CELLS, GrownTree, Growth, MOST_DRIFT, grid_step};
use crate::eval::Evaluator;
use crate::othello::{Color, Empties, Position};
use crate::search::{Control, Report, Schedule, Search, Task, after, evaluation_error};

/// A gulp expands one in `GULP` leaves. Of 3 to 200, 32 did best with 10,000 evaluations.
const GULP: usize = 32;

/// A function on the grid. Values are Black's, at node and leaf alike.
type OnGrid = [f32; CELLS];

/// A node, with the relevance of a leaf, or the largest below an inner node; 0 where the last pass did not come.
type Node = grown_tree::Node<f32>;

/// The steepness of the logistic distribution that is nearest to a normal one.
const LOGISTIC: f32 = 1.702;

/// The values of the grid.
#[derive(Clone)]
struct Grid {
    least: f32,
    step: f32,
    /// By the empty squares of a leaf: its deviation, and exp(−1.702 · distance from the least value / deviation) at each point.
    leaves: Vec<(f32, OnGrid)>,
}

impl Grid {
    /// A grid around a value, with steps for a root of this many empty squares.
    fn around(middle: f32, empties: Empties, evaluator: &dyn Evaluator<Position>) -> Grid {
        let deviation = |empties| evaluation_error(evaluator.error_model(), empties);
        let step = grid_step(evaluator, empties) as f32;
        let decay = |deviation: f32| std::array::from_fn(|cell| (-LOGISTIC * step * cell as f32 / deviation).exp());
        let leaves = empties.and_fewer().map(|empties| (deviation(empties), decay(deviation(empties))));
        let least = ((middle / step).round() - (CELLS / 2) as f32) * step;
        Grid { least, step, leaves: leaves.collect() }
    }

    fn middle(&self) -> f32 {
        self.least + self.step * (CELLS / 2) as f32
    }

    /// The distribution function of a leaf.
    fn leaf(&self, node: &Node) -> OnGrid {
        if node.is_over {
            return std::array::from_fn(|cell| f32::from(self.least + self.step * cell as f32 >= node.value as f32));
        }
        let (deviation, decay) = &self.leaves[usize::from(node.empties)];
        let at_least = (LOGISTIC * (node.value as f32 - self.least) / deviation).clamp(-40.0, 40.0).exp();
        decay.map(|decay| 1.0 / (1.0 + at_least * decay))
    }

    /// The mean of a distribution.
    fn mean(&self, function: &OnGrid) -> f32 {
        self.least + self.step * (CELLS as f32 - sum(function))
    }

    /// How much a quantity changes in the mean, by size, when the value of this distribution becomes known. `slope`: what the quantity
    /// gains for each part of the distribution function, by value.
    fn mean_change(&self, function: &OnGrid, slope: &OnGrid) -> f32 {
        // With the value v, the function is 1 from v on: the quantity gains the slopes from there on.
        let (mut from, mut all) = ([0.0; CELLS], 0.0);
        for cell in (0..CELLS).rev() {
            all += slope[cell] * self.step;
            from[cell] = all;
        }
        let mut weights = *function;
        (1..CELLS).for_each(|cell| weights[cell] -= function[cell - 1]);
        let mean = sum(&std::array::from_fn(|cell| weights[cell] * from[cell]));
        let beyond = (1.0 - function[CELLS - 1]) * mean.abs();
        beyond + sum(&std::array::from_fn(|cell| weights[cell] * (from[cell] - mean).abs()))
    }
}

/// The sum, in lanes, so that it is one of vectors.
fn sum(on_grid: &OnGrid) -> f32 {
    let mut lanes = [0.0; 8];
    for part in on_grid.as_chunks::<8>().0 {
        lanes.iter_mut().zip(part).for_each(|(lane, part)| *lane += part);
    }
    lanes.iter().sum()
}

/// The search with its tree. An inner node has its distribution function.
pub struct BaumSmith {
    tree: GrownTree<OnGrid, f32>,
    grid: Grid,
    /// The relevance that the last gulp began at.
    threshold: f32,
    /// The relevances that a pass found, of leaves that are worth an expansion.
    relevant: Vec<f32>,
    /// What nodes on the way down need of their children, and of the siblings behind each.
    scratch: Vec<OnGrid>,
}

impl BaumSmith {
    /// An engine with an empty tree, which takes at most `memory` bytes.
    pub fn new(memory: usize) -> BaumSmith {
        BaumSmith {
            tree: GrownTree::new(memory),
            grid: Grid { least: 0.0, step: 0.0, leaves: Vec::new() },
            threshold: 0.0,
            relevant: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Begins a search with what the tree holds of the position.
    fn begin(&mut self, task: &Task) {
        self.tree.begin(task);
        self.threshold = 0.0;
        self.center(&task.position, task);
    }

    /// Lays the grid around the root's mean and computes all distributions again.
    fn center(&mut self, position: &Position, task: &Task) {
        let root = &self.tree[0];
        let middle = if root.is_leaf() { root.value as f32 } else { self.grid.mean(self.tree.summary(root)) };
        self.grid = Grid::around(middle, position.empty_count(), &*task.evaluator);
        self.refresh_all(position);
    }

    fn refresh_all(&mut self, position: &Position) {
        for (node, mover) in self.tree.inner_nodes(position) {
            self.refresh(node, mover);
        }
    }

    fn function(&self, node: u32) -> OnGrid {
        let this = &self.tree[node];
        if this.is_leaf() { self.grid.leaf(this) } else { *self.tree.summary(this) }
    }

    /// Computes the distribution of an inner node from those of its children.
    fn refresh(&mut self, node: u32, mover: Color) {
        let mut product = [1.0; CELLS];
        for kid in self.tree[node].kids() {
            let of_kid = sided(self.function(kid), mover);
            product.iter_mut().zip(&of_kid).for_each(|(product, of_kid)| *product *= of_kid);
        }
        *self.tree.summary_mut(node) = sided(product, mover);
    }

    /// One gulp; `false` if there is nothing left to find out, or no budget or memory.
    fn gulp(&mut self, growth: &mut Growth<'_>) -> bool {
        let position = growth.task.position;
        if self.tree[0].is_leaf() {
            self.threshold = 0.0;
            self.tree[0].note = 1.0;
        } else {
            self.find_relevances(&position);
            if self.relevant.is_empty() {
                return self.follow(growth.task);
            }
            let gulp = (self.tree.leaves / GULP).clamp(1, self.relevant.len());
            let (_, threshold, _) = self.relevant.select_nth_unstable_by(gulp - 1, |a, b| b.total_cmp(a));
            self.threshold = *threshold;
        }
        self.expand_below(0, &position, growth);
        self.follow(growth.task);
        !growth.is_over
    }

    /// Moves the grid to the root's mean if that has drifted away; whether it has.
    fn follow(&mut self, task: &Task) -> bool {
        let drift = self.mean(0) - self.grid.middle();
        let has_drifted = drift.abs() > MOST_DRIFT as f32 * self.grid.step;
        if has_drifted {
            self.center(&task.position, task);
        }
        has_drifted
    }

    /// Finds the relevance of the leaves that may be relevant enough for the next gulp. If these are fewer than a gulp, that of all.
    fn find_relevances(&mut self, position: &Position) {
        let mover = position.mover();
        let best = self.best_kid(0, mover);
        for floor in [self.threshold / 2.0, 0.0] {
            self.relevant.clear();
            self.pass_down(0, position, &[1.0; CELLS], Some(best), floor);
            if self.relevant.len() >= (self.tree.leaves / GULP).max(1) {
                break;
            }
        }
    }

    /// The mean of a node's value.
    fn mean(&self, node: u32) -> f32 {
        self.grid.mean(&self.function(node))
    }

    /// The child with the best mean.
    fn best_kid(&self, node: u32, mover: Color) -> u32 {
        self.tree.best_kid(node, mover, &|kid, _| self.mean(kid))
    }

    /// Carries the slope of U in a node's distribution function down to its children's. `best`: at the root, the child whose mean U is
    /// compared with.
    fn pass_down(&mut self, node: u32, position: &Position, slope: &OnGrid, best: Option<u32>, floor: f32) {
        let kids = self.tree[node].kids();
        let base = self.scratch.len();
        let mut behind = [1.0; CELLS];
        // Of the last child first: its function and the product of those behind it.
        for kid in kids.clone().rev() {
            let of_kid = sided(self.function(kid), position.mover());
            self.scratch.extend([of_kid, behind]);
            behind.iter_mut().zip(&of_kid).for_each(|(behind, of_kid)| *behind *= of_kid);
        }
        let mut before = *slope;
        let mut most = 0.0f32;
        for kid in kids.clone() {
            let at = base + 2 * (kids.end - 1 - kid) as usize;
            let (of_kid, behind) = (self.scratch[at], self.scratch[at + 1]);
            let own = if best == Some(kid) { 1.0 } else { 0.0 };
            let of_slope: OnGrid = std::array::from_fn(|cell| before[cell] * behind[cell] - own);
            before.iter_mut().zip(&of_kid).for_each(|(before, of_kid)| *before *= of_kid);
            // No more than this can change.
            let bound = self.grid.step * of_slope.iter().map(|slope| slope.abs()).sum::<f32>();
            self.tree[kid].note = 0.0;
            if bound <= floor {
                continue;
            }
            if self.tree[kid].is_leaf() {
                let relevance = self.grid.mean_change(&sided(of_kid, position.mover()), &of_slope);
                self.tree[kid].note = relevance;
                if relevance > 0.0 && !self.tree[kid].is_over {
                    self.relevant.push(relevance);
                }
            } else {
                self.pass_down(kid, &after(position, self.tree[kid].turn), &of_slope, None, floor);
            }
            most = most.max(self.tree[kid].note);
        }
        self.scratch.truncate(base);
        self.tree[node].note = most;
    }

    /// Expands the leaves below a node that are relevant enough, and computes again what depends on them.
    fn expand_below(&mut self, node: u32, position: &Position, growth: &mut Growth<'_>) {
        let this = self.tree[node];
        if this.is_leaf() {
            if this.is_over || !self.tree.expand(node, position, growth) {
                return;
            }
        } else {
            for kid in this.kids() {
                let of_kid = &self.tree[kid];
                if of_kid.note >= self.threshold && of_kid.note > 0.0 && !growth.is_over {
                    self.expand_below(kid, &after(position, of_kid.turn), growth);
                }
            }
        }
        self.refresh(node, position.mover());
    }

    fn report(&self, task: &Task, control: &Control) -> Report {
        self.tree.report(task, control, &|node, _| self.mean(node))
    }
}

/// A function of values as the side to move multiplies it: Black has the larger value if both are below, White if one is not above.
fn sided(function: OnGrid, mover: Color) -> OnGrid {
    if mover == Color::Black { function } else { function.map(|below| 1.0 - below) }
}

impl Search for BaumSmith {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.begin(task);
        let mut schedule = Schedule::new(control);
        let mut growth = Growth::new(task, control);
        while self.gulp(&mut growth) {
            if schedule.is_report_due(&self.tree.work) {
                sink(&self.report(task, control));
            }
            if growth.budget.is_spent(&self.tree.work) {
                break;
            }
        }
        self.report(task, control)
    }

    fn clear(&mut self) {
        self.tree.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::grown_tree::tests::ends;
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::Limits;
    use crate::testing::random_position;

    /// The mean of the best of the root's moves less that of the move `best`, by the definition.
    fn gain(search: &BaumSmith, best: u32, mover: Color) -> f32 {
        mover.signed(search.mean(0) - search.mean(best))
    }

    #[test]
    fn a_leaf_is_as_relevant_as_the_gain_changes_when_its_value_is_known() {
        let mut seen = 0;
        for (seed, kind) in [(1, EvaluatorKind::Mobility), (2, EvaluatorKind::Pattern), (5, EvaluatorKind::Pattern)] {
            let position = random_position(seed, 30);
            let task = Task::new(position, kind.build());
            let limits = Limits { evaluations: Some(60), ..Limits::default() };
            let mut search = BaumSmith::new(1 << 20);
            search.think(&task, &Control::with_limits(limits), &mut |_| {});
            search.center(&position, &task);
            search.threshold = 0.0;
            search.find_relevances(&position);
            let (mover, before) = (position.mover(), search.tree.nodes.clone());
            let best = search.best_kid(0, mover);
            let now = gain(&search, best, mover);
            for leaf in (0..before.len()).filter(|&leaf| before[leaf].is_leaf() && !before[leaf].is_over) {
                let function = search.grid.leaf(&before[leaf]);
                let mut expected = 0.0;
                for cell in 0..=CELLS {
                    let below = |cell: usize| if cell == CELLS { 1.0 } else { function[cell] };
                    let weight = below(cell) - if cell == 0 { 0.0 } else { below(cell - 1) };
                    // Just below the value of the cell, so that the function is 1 from there on.
                    let value = (search.grid.least + search.grid.step * (cell as f32 - 0.5)) as i32;
                    (search.tree.nodes[leaf].value, search.tree.nodes[leaf].is_over) = (value, true);
                    search.refresh_all(&position);
                    expected += weight * (gain(&search, best, mover) - now).abs();
                }
                search.tree.nodes[leaf] = before[leaf];
                let found = before[leaf].note;
                assert!((found - expected).abs() < 0.02 * expected + 0.05, "{leaf}: {found} {expected}");
                seen += u32::from(expected > 1.0);
            }
        }
        assert!(seen > 30, "{seen}");
    }

    #[test]
    fn what_is_kept_below_a_new_root_is_what_was_there() {
        let mut position = Position::START;
        let mut search = BaumSmith::new(1 << 22);
        for _ in 0..10 {
            let task = Task::new(position, EvaluatorKind::Mobility.build());
            let limits = Limits { evaluations: Some(2_000), ..Limits::default() };
            let report = search.think(&task, &Control::with_limits(limits), &mut |_| {});
            assert!(report.evaluations >= 2_000 && report.evaluations < 2_040, "{}", report.evaluations);
            position = position.take(report.lines[0].turn).unwrap();
            let next = Task { position, ..task };
            search.begin(&next);
            assert!(search.tree.nodes.len() > 1);
            assert_eq!(search.tree.leaves, search.tree.nodes.iter().filter(|node| node.is_leaf()).count());
        }
    }

    #[test]
    fn with_values_that_err_as_assumed_a_won_position_is_won_at_the_end() {
        let mut won = 0;
        for (position, exact, found) in ends(6, &|| Box::new(BaumSmith::new(1 << 24))) {
            let outcome = |turn| exact.iter().find(|line| line.turn == turn).unwrap().score.units().signum();
            assert_eq!(outcome(found[0].turn), outcome(exact[0].turn), "{position}");
            won += u32::from(outcome(found[0].turn) > 0);
        }
        assert!(won > 3, "{won}");
    }
}
