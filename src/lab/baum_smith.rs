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

use crate::eval::Evaluator;
use crate::othello::{Color, Empties, Position, Square};
use crate::search::{
    Budget, Contempt, Control, Line, MemoryUse, Report, Schedule, Score, Search, SearchDepth, Task, Work, after,
    evaluation_error, least_depth, line_to, turns,
};

/// Points of the grid of values.
const CELLS: usize = 32;
/// Points of the grid for one standard deviation of a leaf at the root, about.
const CELLS_PER_DEVIATION: f32 = 4.0;
/// The root's mean may lie this many points from the middle of the grid before the grid follows it.
const MOST_DRIFT: f32 = 4.0;
/// A gulp expands one in `GULP` leaves. Of 3 to 200, 32 did best with 10,000 evaluations.
const GULP: usize = 32;
/// How deep below the root a new root is looked for, passes included.
const DEEPEST_NEW_ROOT: usize = 4;

/// A function on the grid. Values are Black's, at node and leaf alike.
type OnGrid = [f32; CELLS];

#[derive(Clone, Copy)]
struct Node {
    turn: Option<Square>,
    /// Of a leaf: the middle of its distribution in 1/128 disc, for Black.
    middle: f32,
    /// Of a leaf: its empty squares, which its deviation depends on.
    empties: u8,
    /// Of a leaf: whether the game is over, and the middle its result.
    is_over: bool,
    /// The first child, and how many there are: none at a leaf.
    kids: u32,
    count: u8,
    /// Where the distribution function of an inner node is.
    function: u32,
    /// The relevance of a leaf, and the largest below an inner node; 0 where the last pass did not come.
    relevance: f32,
}

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
    /// A grid around a value, with steps for a leaf of this many empty squares. Each result of a game has a point of its own, so that results
    /// stay exact.
    fn around(middle: f32, empties: Empties, evaluator: &dyn Evaluator<Position>) -> Grid {
        let deviation = |empties| evaluation_error(evaluator.error_model(), empties);
        let step = (deviation(empties) / CELLS_PER_DEVIATION).log2().round().clamp(3.0, 7.0).exp2();
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
            return std::array::from_fn(|cell| f32::from(self.least + self.step * cell as f32 >= node.middle));
        }
        let (deviation, decay) = &self.leaves[usize::from(node.empties)];
        let at_least = (LOGISTIC * (node.middle - self.least) / deviation).clamp(-40.0, 40.0).exp();
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

/// The search with its tree.
pub struct BaumSmith {
    memory: usize,
    /// The position of the root, and what a draw is worth in it.
    root: Option<(Position, Contempt)>,
    nodes: Vec<Node>,
    functions: Vec<OnGrid>,
    grid: Grid,
    leaves: usize,
    /// The relevance that the last gulp began at.
    threshold: f32,
    /// The relevances that a pass found, of leaves that are worth an expansion.
    relevant: Vec<f32>,
    /// What nodes on the way down need of their children, and of the siblings behind each.
    scratch: Vec<OnGrid>,
    work: Work,
    /// Whether the tree has filled its memory, which ends the search.
    is_full: bool,
}

/// What an expansion needs besides the tree.
struct Expansion<'a> {
    task: &'a Task,
    budget: Budget<'a>,
    is_over: bool,
}

impl BaumSmith {
    /// An engine with an empty tree, which takes at most `memory` bytes.
    pub fn new(memory: usize) -> BaumSmith {
        BaumSmith {
            memory,
            root: None,
            nodes: Vec::new(),
            functions: Vec::new(),
            grid: Grid { least: 0.0, step: 0.0, leaves: Vec::new() },
            leaves: 0,
            threshold: 0.0,
            relevant: Vec::new(),
            scratch: Vec::new(),
            work: Work::default(),
            is_full: false,
        }
    }

    fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.functions.len() * size_of::<OnGrid>()
    }

    /// Begins a search with what the tree holds of the position.
    fn begin(&mut self, task: &Task) {
        let position = task.position;
        let root = self.root.filter(|root| root.1 == task.contempt);
        let found = root.and_then(|(root, _)| self.find(0, &root, &position, 0));
        self.work = Work::default();
        self.is_full = false;
        self.root = Some((position, task.contempt));
        match found {
            Some(0) => {}
            Some(node) => self.keep_below(node),
            None => {
                self.nodes = vec![leaf(task, &position, None, &mut self.work)];
                self.functions.clear();
            }
        }
        self.leaves = self.nodes.iter().filter(|node| node.count == 0).count();
        self.threshold = 0.0;
        self.center(&position, task);
    }

    fn find(&self, node: u32, at: &Position, wanted: &Position, depth: usize) -> Option<u32> {
        if at == wanted {
            return Some(node);
        }
        let Node { kids, count, .. } = self.nodes[node as usize];
        let mut kids = kids..kids + if depth < DEEPEST_NEW_ROOT { u32::from(count) } else { 0 };
        kids.find_map(|kid| self.find(kid, &after(at, self.nodes[kid as usize].turn), wanted, depth + 1))
    }

    /// Makes a node the root and forgets what does not lie below it.
    fn keep_below(&mut self, root: u32) {
        let mut kept = vec![self.nodes[root as usize]];
        let mut next = 0;
        while next < kept.len() {
            let Node { kids, count, .. } = kept[next];
            kept[next].kids = kept.len() as u32;
            kept.extend_from_slice(&self.nodes[kids as usize..][..usize::from(count)]);
            next += 1;
        }
        let inner = kept.iter_mut().filter(|node| node.count > 0);
        let functions = inner
            .enumerate()
            .map(|(new, node)| self.functions[std::mem::replace(&mut node.function, new as u32) as usize]);
        self.functions = functions.collect();
        self.nodes = kept;
    }

    /// Lays the grid around the root's mean and computes all distributions again.
    fn center(&mut self, position: &Position, task: &Task) {
        let Node { middle, count, function, .. } = self.nodes[0];
        let middle = if count == 0 { middle } else { self.grid.mean(&self.functions[function as usize]) };
        self.grid = Grid::around(middle, position.empty_count(), &*task.evaluator);
        self.refresh_below(0, position);
    }

    fn refresh_below(&mut self, node: u32, position: &Position) {
        let Node { kids, count, .. } = self.nodes[node as usize];
        for kid in kids..kids + u32::from(count) {
            if self.nodes[kid as usize].count > 0 {
                self.refresh_below(kid, &after(position, self.nodes[kid as usize].turn));
            }
        }
        if count > 0 {
            self.refresh(node, position.mover());
        }
    }

    fn function(&self, node: u32) -> OnGrid {
        let this = &self.nodes[node as usize];
        if this.count == 0 { self.grid.leaf(this) } else { self.functions[this.function as usize] }
    }

    /// Computes the distribution of an inner node from those of its children.
    fn refresh(&mut self, node: u32, mover: Color) {
        let Node { kids, count, function, .. } = self.nodes[node as usize];
        let mut product = [1.0; CELLS];
        for kid in kids..kids + u32::from(count) {
            let of_kid = sided(self.function(kid), mover);
            product.iter_mut().zip(&of_kid).for_each(|(product, of_kid)| *product *= of_kid);
        }
        self.functions[function as usize] = sided(product, mover);
    }

    /// One gulp; `false` if there is nothing left to find out, or no budget or memory.
    fn gulp(&mut self, expansion: &mut Expansion<'_>) -> bool {
        let position = expansion.task.position;
        if self.nodes[0].count == 0 {
            self.threshold = 0.0;
            self.nodes[0].relevance = 1.0;
        } else {
            self.find_relevances(&position);
            if self.relevant.is_empty() {
                return self.follow(expansion.task);
            }
            let gulp = (self.leaves / GULP).clamp(1, self.relevant.len());
            let (_, threshold, _) = self.relevant.select_nth_unstable_by(gulp - 1, |a, b| b.total_cmp(a));
            self.threshold = *threshold;
        }
        self.expand_below(0, &position, expansion);
        self.follow(expansion.task);
        !expansion.is_over
    }

    /// Moves the grid to the root's mean if that has drifted away; whether it has.
    fn follow(&mut self, task: &Task) -> bool {
        let drift = self.grid.mean(&self.function(0)) - self.grid.middle();
        let has_drifted = drift.abs() > MOST_DRIFT * self.grid.step;
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
            if self.relevant.len() >= (self.leaves / GULP).max(1) {
                break;
            }
        }
    }

    /// The child with the best mean.
    fn best_kid(&self, node: u32, mover: Color) -> u32 {
        let Node { kids, count, .. } = self.nodes[node as usize];
        let merit = |kid: &u32| mover.signed(self.grid.mean(&self.function(*kid)));
        (kids..kids + u32::from(count))
            .max_by(|a, b| merit(a).total_cmp(&merit(b)))
            .expect("an inner node has children")
    }

    /// Carries the slope of U in a node's distribution function down to its children's. `best`: at the root, the child whose mean U is
    /// compared with.
    fn pass_down(&mut self, node: u32, position: &Position, slope: &OnGrid, best: Option<u32>, floor: f32) {
        let Node { kids, count, .. } = self.nodes[node as usize];
        let (count, base) = (usize::from(count), self.scratch.len());
        let mut behind = [1.0; CELLS];
        // Of the last child first: its function and the product of those behind it.
        for kid in (kids..kids + count as u32).rev() {
            let of_kid = sided(self.function(kid), position.mover());
            self.scratch.extend([of_kid, behind]);
            behind.iter_mut().zip(&of_kid).for_each(|(behind, of_kid)| *behind *= of_kid);
        }
        let mut before = *slope;
        let mut most = 0.0f32;
        for i in 0..count {
            let kid = kids + i as u32;
            let at = base + 2 * (count - 1 - i);
            let (of_kid, behind) = (self.scratch[at], self.scratch[at + 1]);
            let own = if best == Some(kid) { 1.0 } else { 0.0 };
            let of_slope: OnGrid = std::array::from_fn(|cell| before[cell] * behind[cell] - own);
            before.iter_mut().zip(&of_kid).for_each(|(before, of_kid)| *before *= of_kid);
            // No more than this can change.
            let bound = self.grid.step * of_slope.iter().map(|slope| slope.abs()).sum::<f32>();
            self.nodes[kid as usize].relevance = 0.0;
            if bound <= floor {
                continue;
            }
            if self.nodes[kid as usize].count == 0 {
                let relevance = self.grid.mean_change(&sided(of_kid, position.mover()), &of_slope);
                self.nodes[kid as usize].relevance = relevance;
                if relevance > 0.0 && !self.nodes[kid as usize].is_over {
                    self.relevant.push(relevance);
                }
            } else {
                self.pass_down(kid, &after(position, self.nodes[kid as usize].turn), &of_slope, None, floor);
            }
            most = most.max(self.nodes[kid as usize].relevance);
        }
        self.scratch.truncate(base);
        self.nodes[node as usize].relevance = most;
    }

    /// Expands the leaves below a node that are relevant enough, and computes again what depends on them.
    fn expand_below(&mut self, node: u32, position: &Position, expansion: &mut Expansion<'_>) {
        let this = self.nodes[node as usize];
        if this.count == 0 {
            if !this.is_over {
                self.expand(node, position, expansion);
            }
            return;
        }
        for kid in this.kids..this.kids + u32::from(this.count) {
            let of_kid = &self.nodes[kid as usize];
            if of_kid.relevance >= self.threshold && of_kid.relevance > 0.0 && !expansion.is_over {
                self.expand_below(kid, &after(position, of_kid.turn), expansion);
            }
        }
        self.refresh(node, position.mover());
    }

    fn expand(&mut self, node: u32, position: &Position, expansion: &mut Expansion<'_>) {
        let room = 40 * size_of::<Node>() + size_of::<OnGrid>();
        self.is_full = self.bytes() + room > self.memory;
        expansion.is_over |= node != 0 && expansion.budget.is_spent(&self.work) || self.is_full;
        if expansion.is_over && node != 0 {
            return;
        }
        let kids = self.nodes.len() as u32;
        for turn in turns(position) {
            self.nodes.push(leaf(expansion.task, &after(position, turn), turn, &mut self.work));
        }
        let count = self.nodes.len() - kids as usize;
        let this = &mut self.nodes[node as usize];
        (this.kids, this.count, this.function) = (kids, count as u8, self.functions.len() as u32);
        self.functions.push([0.0; CELLS]);
        self.refresh(node, position.mover());
        self.leaves += count - 1;
        self.work.expansions += 1;
    }

    fn report(&self, task: &Task, control: &Control) -> Report {
        let Node { kids, count, .. } = self.nodes[0];
        let mut lines: Vec<Line> = (kids..kids + u32::from(count)).map(|kid| self.line(kid, &task.position)).collect();
        lines.sort_by_key(|line| -line.score);
        lines.truncate(task.lines_to_report(&lines));
        let depth = least_depth(&lines);
        let memory = MemoryUse {
            tree_bytes: self.bytes() as u64,
            tree_nodes: self.nodes.len() as u64,
            ended_at_cap: self.is_full,
            ..MemoryUse::default()
        };
        self.work.report(lines, depth, memory, control)
    }

    /// A move at the root: its mean, and the expected play.
    fn line(&self, kid: u32, position: &Position) -> Line {
        let score = Score::from_units(position.mover().signed(self.grid.mean(&self.function(kid)).round() as i32));
        let (mut node, mut at) = (kid, after(position, self.nodes[kid as usize].turn));
        let mut turns = vec![self.nodes[kid as usize].turn];
        while self.nodes[node as usize].count > 0 {
            node = self.best_kid(node, at.mover());
            turns.push(self.nodes[node as usize].turn);
            at = after(&at, self.nodes[node as usize].turn);
        }
        let (pv, plies) = line_to(&turns);
        Line::new(pv, score, SearchDepth::Plies(plies))
    }
}

/// A function of values as the side to move multiplies it: Black has the larger value if both are below, White if one is not above.
fn sided(function: OnGrid, mover: Color) -> OnGrid {
    if mover == Color::Black { function } else { function.map(|below| 1.0 - below) }
}

/// The node of a new position.
fn leaf(task: &Task, position: &Position, turn: Option<Square>, work: &mut Work) -> Node {
    work.nodes += 1;
    let (empties, is_over) = (position.empty_count(), position.is_over());
    let value = if is_over {
        task.contempt.outcome(position)
    } else {
        work.evaluations += 1;
        task.evaluator.evaluate(position) + task.evaluator.error_model().map_or(0, |model| model.tempo(empties))
    };
    let middle = position.mover().signed(value) as f32;
    Node { turn, middle, empties: empties.count(), is_over, kids: 0, count: 0, function: 0, relevance: 0.0 }
}

impl Search for BaumSmith {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.begin(task);
        let mut schedule = Schedule::new(control);
        let mut expansion = Expansion { task, budget: Budget::new(control), is_over: false };
        while self.gulp(&mut expansion) {
            if schedule.is_report_due(&self.work) {
                sink(&self.report(task, control));
            }
            if expansion.budget.is_spent(&self.work) {
                break;
            }
        }
        self.report(task, control)
    }

    fn clear(&mut self) {
        self.root = None;
        self.nodes = Vec::new();
        self.functions = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::{AlphaBeta, AlphaBetaSettings, Limits};
    use crate::testing::random_position;

    /// The mean of the best of the root's moves less that of the move `best`, by the definition.
    fn gain(search: &BaumSmith, best: u32, mover: Color) -> f32 {
        mover.signed(search.grid.mean(&search.function(0)) - search.grid.mean(&search.function(best)))
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
            let (mover, before) = (position.mover(), search.nodes.clone());
            let best = search.best_kid(0, mover);
            let now = gain(&search, best, mover);
            for leaf in (0..before.len()).filter(|&leaf| before[leaf].count == 0 && !before[leaf].is_over) {
                let function = search.grid.leaf(&before[leaf]);
                let mut expected = 0.0;
                for cell in 0..=CELLS {
                    let below = |cell: usize| if cell == CELLS { 1.0 } else { function[cell] };
                    let weight = below(cell) - if cell == 0 { 0.0 } else { below(cell - 1) };
                    // Just below the value of the cell, so that the function is 1 from there on.
                    let middle = search.grid.least + search.grid.step * (cell as f32 - 0.5);
                    search.nodes[leaf] = Node { middle, is_over: true, ..before[leaf] };
                    search.refresh_below(0, &position);
                    expected += weight * (gain(&search, best, mover) - now).abs();
                }
                search.nodes[leaf] = before[leaf];
                let found = before[leaf].relevance;
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
            let inner = search.nodes.iter().filter(|node| node.count > 0);
            assert_eq!(inner.map(|node| node.function as usize).max(), Some(search.functions.len() - 1));
            position = position.take(report.lines[0].turn).unwrap();
            let next = Task { position, ..task };
            search.begin(&next);
            assert!(search.nodes.len() > 1);
            assert_eq!(search.leaves, search.nodes.iter().filter(|node| node.count == 0).count());
        }
    }

    #[test]
    fn with_values_that_err_as_assumed_a_won_position_is_won_at_the_end() {
        let mut won = 0;
        for seed in 0..20 {
            let position = random_position(seed, 6);
            if position.is_over() {
                continue;
            }
            let task = Task { lines: 60, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            let by =
                |search: &mut dyn Search| search.think(&task, &Control::with_limits(Limits::default()), &mut |_| {});
            let exact = by(&mut AlphaBeta::new(AlphaBetaSettings::default())).lines;
            let played = by(&mut BaumSmith::new(1 << 24)).lines[0].turn;
            let outcome = |turn| exact.iter().find(|line| line.turn == turn).unwrap().score.units().signum();
            assert_eq!(outcome(played), outcome(exact[0].turn), "{position}");
            won += u32::from(outcome(played) > 0);
        }
        assert!(won > 3, "{won}");
    }
}
