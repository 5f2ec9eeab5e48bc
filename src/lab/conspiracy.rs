//! Conspiracy numbers (McAllester, *Artificial Intelligence* 35, 1988; Schaeffer, *Artificial Intelligence* 43, 1990), as an engine for Othello.
//!
//! The conspiracy number of a value is how many leaves must change theirs, at least, before the root has that value or one beyond it. A value is
//! plausible if its number is at most the threshold. Of the plausible values the search takes the one farthest from the root's, and expands one of the
//! leaves that would have to change. Where none is plausible that differs enough, the threshold grows. The move with the best value is played.
//!
//! Ours are the grid of values, how much is enough, which of several leaves is expanded, and that the threshold goes on growing as long as there is
//! time.

use super::grown_tree::{CELLS, GrownTree, Growth, MOST_DRIFT, Node, grid_step};
use crate::othello::{Color, Position};
use crate::search::{Control, Report, Schedule, Search, Task, after};

/// Values nearer to the root's than this many points differ too little: one leaf is always enough for the next one.
const NEAR: u32 = 4;
/// Leaves whose game is over, which never change; or too many to be counted.
const NEVER: u16 = u16::MAX;

/// How many leaves must change before a node has at least, or at most, the value of each point of the grid.
#[derive(Clone, Copy, Default)]
struct Conspirators {
    to_rise: [u16; CELLS],
    to_fall: [u16; CELLS],
    /// The value of the node itself, in 1/128 disc, for Black.
    value: i32,
}

/// A value that the root is not to reach as easily as now.
#[derive(Clone, Copy)]
struct Goal {
    cell: usize,
    is_above: bool,
}

impl Goal {
    fn number(self, conspirators: &Conspirators) -> u16 {
        if self.is_above { conspirators.to_rise[self.cell] } else { conspirators.to_fall[self.cell] }
    }
}

/// The search with its tree. An inner node has its conspiracy numbers.
pub struct Conspiracy {
    tree: GrownTree<Conspirators, ()>,
    /// The values of the grid's points, for Black.
    grid: [i32; CELLS],
    threshold: u16,
}

impl Conspiracy {
    /// An engine with an empty tree, which takes at most `memory` bytes.
    pub fn new(memory: usize) -> Conspiracy {
        Conspiracy { tree: GrownTree::new(memory), grid: [0; CELLS], threshold: 0 }
    }

    /// Lays the grid around the root's value and computes all numbers again.
    fn center(&mut self, task: &Task) {
        let step = grid_step(&*task.evaluator, task.position.empty_count());
        let first = self.value(0).div_euclid(step) - CELLS as i32 / 2;
        self.grid = std::array::from_fn(|cell| step * (first + cell as i32));
        self.refresh_all(&task.position);
    }

    /// Whether the root's value has drifted away from the middle of the grid.
    fn has_drifted(&self) -> bool {
        (self.value(0) - self.grid[CELLS / 2]).abs() > MOST_DRIFT * self.step()
    }

    /// From one point of the grid to the next, in 1/128 disc.
    fn step(&self) -> i32 {
        self.grid[1] - self.grid[0]
    }

    fn refresh_all(&mut self, position: &Position) {
        for (node, mover) in self.tree.inner_nodes(position) {
            self.refresh(node, mover);
        }
    }

    /// Computes the numbers of an inner node from those of its children: it rises for its mover if one of them does, and falls if all do.
    fn refresh(&mut self, node: u32, mover: Color) {
        let (mut one, mut all, mut best) = ([NEVER; CELLS], [0u16; CELLS], None);
        for kid in self.tree[node].kids() {
            let Conspirators { to_rise, to_fall, value } = self.conspirators(kid);
            let (for_mover, against) = if mover == Color::Black { (to_rise, to_fall) } else { (to_fall, to_rise) };
            one.iter_mut().zip(&for_mover).for_each(|(one, &number)| *one = number.min(*one));
            all.iter_mut().zip(&against).for_each(|(all, &number)| *all = all.saturating_add(number));
            best = best.max(Some(mover.signed(value)));
        }
        let value = mover.signed(best.expect("an inner node has children"));
        let (to_rise, to_fall) = if mover == Color::Black { (one, all) } else { (all, one) };
        *self.tree.summary_mut(node) = Conspirators { to_rise, to_fall, value };
    }

    fn conspirators(&self, node: u32) -> Conspirators {
        let this = &self.tree[node];
        if !this.is_leaf() {
            return *self.tree.summary(this);
        }
        let number = |is_needed: bool| if is_needed { itself(this) } else { 0 };
        Conspirators {
            to_rise: self.grid.map(|value| number(this.value < value)),
            to_fall: self.grid.map(|value| number(this.value > value)),
            value: this.value,
        }
    }

    fn value(&self, node: u32) -> i32 {
        let this = &self.tree[node];
        if this.is_leaf() { this.value } else { self.tree.summary(this).value }
    }

    /// The plausible value that is farthest from the root's, with a greater threshold where there is none; `None` where no leaf can change the root's
    /// value.
    fn goal(&mut self) -> Option<Goal> {
        let root = self.conspirators(0);
        let goals = |is_above| (0..CELLS).map(move |cell| Goal { cell, is_above });
        // The number of a value that the root has is 0.
        let reachable = goals(true).chain(goals(false)).filter(|goal| (1..NEVER).contains(&goal.number(&root)));
        let distance = |goal: &Goal| self.grid[goal.cell].abs_diff(root.value);
        let far = reachable.clone().filter(|goal| distance(goal) >= NEAR * self.step() as u32);
        let least = far.clone().map(|goal| goal.number(&root)).min();
        let threshold = self.threshold.max(least.unwrap_or(1));
        let plausible = far.filter(|goal| goal.number(&root) <= threshold).max_by_key(distance);
        self.threshold = threshold;
        // Near values are looked at when the others are out of reach: at the end of the game.
        plausible.or_else(|| reachable.max_by_key(distance))
    }

    /// Expands a leaf below a node that has to change if the root is to reach the goal.
    fn expand_towards(&mut self, goal: Goal, node: u32, position: &Position, growth: &mut Growth<'_>) {
        if !self.tree[node].is_leaf() {
            let kid = self.next(goal, node, position.mover());
            self.expand_towards(goal, kid, &after(position, self.tree[kid].turn), growth);
        } else if !self.tree.expand(node, position, growth) {
            return;
        }
        self.refresh(node, position.mover());
    }

    /// The child on the way: where one suffices, the one that needs the fewest leaves, of equals the nearest to the goal; where all have to change, the
    /// farthest.
    fn next(&self, goal: Goal, node: u32, mover: Color) -> u32 {
        let away = |&kid: &u32| if goal.is_above { -self.value(kid) } else { self.value(kid) };
        let kids = self.tree[node].kids();
        let next = if goal.is_above == (mover == Color::Black) {
            kids.min_by_key(|kid| (self.number(goal, *kid), away(kid)))
        } else {
            kids.filter(|&kid| self.number(goal, kid) > 0).max_by_key(away)
        };
        next.expect("an inner node has children that can change")
    }

    /// How many leaves must change before a node reaches the goal.
    fn number(&self, goal: Goal, node: u32) -> u16 {
        let (this, value) = (&self.tree[node], self.grid[goal.cell]);
        match (this.is_leaf(), if goal.is_above { this.value >= value } else { this.value <= value }) {
            (false, _) => goal.number(self.tree.summary(this)),
            (true, true) => 0,
            (true, false) => itself(this),
        }
    }

    /// A node's value, for Black. Of equal ones the mover before it prefers one that no leaf can make worse.
    fn ranked_value(&self, node: u32, mover: Color) -> f32 {
        let Conspirators { to_rise, to_fall, value } = self.conspirators(node);
        let worse = if mover == Color::Black { to_fall } else { to_rise };
        let is_sure = worse.iter().all(|&number| number == 0 || number == NEVER);
        value as f32 + mover.signed(if is_sure { 0.25 } else { 0.0 })
    }

    fn report(&self, task: &Task, control: &Control) -> Report {
        self.tree.report(task, control, &|node, mover| self.ranked_value(node, mover))
    }
}

/// How many leaves must change before this one does.
fn itself(leaf: &Node<()>) -> u16 {
    if leaf.is_over { NEVER } else { 1 }
}

impl Search for Conspiracy {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.tree.begin(task);
        self.threshold = 1;
        let mut schedule = Schedule::new(control);
        let mut growth = Growth::new(task, control);
        if self.tree[0].is_leaf() && !self.tree[0].is_over {
            self.tree.expand(0, &task.position, &mut growth);
        }
        self.center(task);
        while !growth.is_over && !growth.budget.is_spent(&self.tree.work) {
            let Some(goal) = self.goal() else { break };
            self.expand_towards(goal, 0, &task.position, &mut growth);
            if self.has_drifted() {
                self.center(task);
            }
            if schedule.is_report_due(&self.tree.work) {
                sink(&self.report(task, control));
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

    fn grown(position: Position, expansions: u64) -> (Conspiracy, Task) {
        let task = Task::new(position, EvaluatorKind::Pattern.build());
        let mut search = Conspiracy::new(1 << 20);
        let limits = Limits { evaluations: Some(expansions), ..Limits::default() };
        search.think(&task, &Control::with_limits(limits), &mut |_| {});
        search.center(&task);
        (search, task)
    }

    /// The root's value if these leaves had this one.
    fn value_with(search: &Conspiracy, changed: &[u32], value: i32, node: u32, position: &Position) -> i32 {
        let this = &search.tree[node];
        if this.is_leaf() {
            return if changed.contains(&node) { value } else { this.value };
        }
        let of_kid = |kid| value_with(search, changed, value, kid, &after(position, search.tree[kid].turn));
        let mover = position.mover();
        mover.signed(this.kids().map(|kid| mover.signed(of_kid(kid))).max().unwrap())
    }

    #[test]
    fn a_number_is_that_of_the_fewest_leaves_that_bring_the_root_to_the_value() {
        let mut seen = [0; 3];
        for seed in 0..30 {
            let position = random_position(seed, 9);
            if position.is_over() {
                continue;
            }
            let (search, task) = grown(position, 20);
            let root = search.conspirators(0);
            let nodes = 0..search.tree.nodes.len() as u32;
            let leaves: Vec<u32> =
                nodes.filter(|&node| search.tree[node].is_leaf() && !search.tree[node].is_over).collect();
            let one: Vec<Vec<u32>> = leaves.iter().map(|&leaf| vec![leaf]).collect();
            let two = leaves.iter().flat_map(|&a| leaves.iter().map(move |&b| vec![a, b])).collect();
            for (fewer, sets) in [vec![Vec::new()], one, two].iter().enumerate() {
                for cell in 0..CELLS {
                    for (number, extreme) in [(root.to_rise[cell], i32::MAX / 2), (root.to_fall[cell], i32::MIN / 2)] {
                        let reaches = |set: &Vec<u32>| {
                            let value = value_with(&search, set, extreme, 0, &task.position);
                            if extreme > 0 { value >= search.grid[cell] } else { value <= search.grid[cell] }
                        };
                        assert_eq!(sets.iter().any(reaches), usize::from(number) <= fewer, "{position} {number}");
                        seen[fewer] += u32::from(usize::from(number) == fewer);
                    }
                }
            }
        }
        assert!(seen.iter().all(|&seen| seen > 50), "{seen:?}");
    }

    #[test]
    fn a_search_without_a_limit_finds_the_result() {
        for (position, exact, found) in ends(7, &|| Box::new(Conspiracy::new(1 << 26))) {
            assert_eq!(found[0].score, exact[0].score, "{position}");
        }
    }

    #[test]
    fn the_larger_the_search_the_more_leaves_must_conspire() {
        let position = random_position(4, 40);
        let thresholds = [100, 1_000, 10_000].map(|evaluations| grown(position, evaluations).0.threshold);
        assert!(thresholds.is_sorted() && thresholds[0] < thresholds[2], "{thresholds:?}");
    }
}
