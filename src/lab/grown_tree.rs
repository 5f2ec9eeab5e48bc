//! The stored tree of the searches that give a node all of its children at once: `baum-smith` and `conspiracy`.

use crate::eval::Evaluator;
use crate::othello::{Color, Empties, Position, Square};
use crate::search::{
    Budget, Contempt, Control, Line, MemoryUse, Report, Score, SearchDepth, Task, Work, after, evaluation_error,
    least_depth, line_to, turns,
};
use std::ops::Range;

/// Points of the grid of values on which a search has its numbers.
pub(super) const CELLS: usize = 32;
/// Points of the grid for one standard deviation of a leaf at the root, about.
const CELLS_PER_DEVIATION: f32 = 4.0;
/// The root's value may lie this many points from the middle of the grid before the grid follows it.
pub(super) const MOST_DRIFT: i32 = 4;

/// From one point of the grid to the next, in 1/128 disc, for a root with this many empty squares: a power of two, so that each result of a game
/// has a point of its own, and results stay exact.
pub(super) fn grid_step(evaluator: &dyn Evaluator<Position>, empties: Empties) -> i32 {
    let deviation = evaluation_error(evaluator.error_model(), empties);
    (deviation / CELLS_PER_DEVIATION).log2().round().clamp(3.0, 7.0).exp2() as i32
}

/// How deep below the root a new root is looked for, passes included.
const DEEPEST_NEW_ROOT: usize = 4;
/// More children than a position has.
const ROOM: usize = 40;

/// A node. `M` is what the search notes of it.
#[derive(Clone, Copy)]
pub(super) struct Node<M> {
    pub turn: Option<Square>,
    /// Of a leaf: the static value with the tempo, or the result, in 1/128 disc, for Black.
    pub value: i32,
    pub empties: u8,
    /// Whether the game is over.
    pub is_over: bool,
    first: u32,
    /// Children: none at a leaf.
    count: u8,
    /// Where the summary of an inner node is.
    summary: u32,
    pub note: M,
}

impl<M> Node<M> {
    pub(super) fn is_leaf(&self) -> bool {
        self.count == 0
    }

    /// The places of the children.
    pub(super) fn kids(&self) -> Range<u32> {
        self.first..self.first + u32::from(self.count)
    }
}

/// The tree. `S` is what an inner node knows of what lies below it.
pub(super) struct GrownTree<S, M> {
    memory: usize,
    /// The position of the root, and what a draw is worth in it.
    root: Option<(Position, Contempt)>,
    /// The root is the first one.
    pub nodes: Vec<Node<M>>,
    summaries: Vec<S>,
    pub leaves: usize,
    pub work: Work,
    /// Whether the tree has filled its memory, which ends the search.
    is_full: bool,
}

/// What an expansion needs besides the tree.
pub(super) struct Growth<'a> {
    pub task: &'a Task,
    pub budget: Budget<'a>,
    pub is_over: bool,
}

impl<'a> Growth<'a> {
    pub(super) fn new(task: &'a Task, control: &'a Control) -> Growth<'a> {
        Growth { task, budget: Budget::new(control), is_over: false }
    }
}

impl<S: Copy + Default, M: Copy + Default> GrownTree<S, M> {
    /// An empty tree, which takes at most `memory` bytes.
    pub(super) fn new(memory: usize) -> GrownTree<S, M> {
        GrownTree {
            memory,
            root: None,
            nodes: Vec::new(),
            summaries: Vec::new(),
            leaves: 0,
            work: Work::default(),
            is_full: false,
        }
    }

    pub(super) fn clear(&mut self) {
        *self = GrownTree::new(self.memory);
    }

    fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node<M>>() + self.summaries.len() * size_of::<S>()
    }

    /// Begins a search with what the tree holds of the position.
    pub(super) fn begin(&mut self, task: &Task) {
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
                self.summaries.clear();
            }
        }
        self.leaves = self.nodes.iter().filter(|node| node.is_leaf()).count();
    }

    fn find(&self, node: u32, at: &Position, wanted: &Position, depth: usize) -> Option<u32> {
        if at == wanted {
            return Some(node);
        }
        let mut kids = if depth < DEEPEST_NEW_ROOT { self[node].kids() } else { 0..0 };
        kids.find_map(|kid| self.find(kid, &after(at, self[kid].turn), wanted, depth + 1))
    }

    /// Makes a node the root and forgets what does not lie below it.
    fn keep_below(&mut self, root: u32) {
        let mut kept = vec![self[root]];
        let mut next = 0;
        while next < kept.len() {
            let kids = kept[next].kids();
            kept[next].first = kept.len() as u32;
            kept.extend_from_slice(&self.nodes[kids.start as usize..kids.end as usize]);
            next += 1;
        }
        let inner = kept.iter_mut().filter(|node| !node.is_leaf());
        let summaries = inner
            .enumerate()
            .map(|(new, node)| self.summaries[std::mem::replace(&mut node.summary, new as u32) as usize]);
        self.summaries = summaries.collect();
        self.nodes = kept;
    }

    /// The inner nodes with the side to move there, each behind those that lie below it.
    pub(super) fn inner_nodes(&self, position: &Position) -> Vec<(u32, Color)> {
        let mut nodes = Vec::new();
        self.add_inner_nodes(0, position, &mut nodes);
        nodes
    }

    fn add_inner_nodes(&self, node: u32, position: &Position, nodes: &mut Vec<(u32, Color)>) {
        if self[node].is_leaf() {
            return;
        }
        for kid in self[node].kids() {
            self.add_inner_nodes(kid, &after(position, self[kid].turn), nodes);
        }
        nodes.push((node, position.mover()));
    }

    /// What an inner node knows of what lies below it.
    pub(super) fn summary(&self, node: &Node<M>) -> &S {
        &self.summaries[node.summary as usize]
    }

    pub(super) fn summary_mut(&mut self, node: u32) -> &mut S {
        &mut self.summaries[self.nodes[node as usize].summary as usize]
    }

    /// Gives a leaf its children, with a summary that is still to be made. Returns whether it did: not where the budget is spent, or the memory. The
    /// root has children in any case.
    pub(super) fn expand(&mut self, node: u32, position: &Position, growth: &mut Growth<'_>) -> bool {
        self.is_full = self.bytes() + ROOM * size_of::<Node<M>>() + size_of::<S>() > self.memory;
        growth.is_over |= node != 0 && growth.budget.is_spent(&self.work) || self.is_full;
        if growth.is_over && node != 0 {
            return false;
        }
        let first = self.nodes.len() as u32;
        for turn in turns(position) {
            self.nodes.push(leaf(growth.task, &after(position, turn), turn, &mut self.work));
        }
        let count = self.nodes.len() - first as usize;
        let this = &mut self.nodes[node as usize];
        (this.first, this.count, this.summary) = (first, count as u8, self.summaries.len() as u32);
        self.summaries.push(S::default());
        self.leaves += count - 1;
        self.work.expansions += 1;
        true
    }

    /// The child that the side to move likes best, by values for Black as that side ranks them.
    pub(super) fn best_kid(&self, node: u32, mover: Color, value: &dyn Fn(u32, Color) -> f32) -> u32 {
        let merit = |kid: &u32| mover.signed(value(*kid, mover));
        self[node].kids().max_by(|a, b| merit(a).total_cmp(&merit(b))).expect("an inner node has children")
    }

    /// The report, by values for Black, in 1/128 disc, as the side to move ranks them.
    pub(super) fn report(&self, task: &Task, control: &Control, value: &dyn Fn(u32, Color) -> f32) -> Report {
        let mover = task.position.mover();
        let mut kids: Vec<u32> = self[0].kids().collect();
        kids.sort_by(|&a, &b| mover.signed(value(b, mover)).total_cmp(&mover.signed(value(a, mover))));
        let mut lines: Vec<Line> = kids.into_iter().map(|kid| self.line(kid, &task.position, value)).collect();
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

    /// A move at the root: its value, and the expected play.
    fn line(&self, kid: u32, position: &Position, value: &dyn Fn(u32, Color) -> f32) -> Line {
        let mover = position.mover();
        let score = Score::from_units(mover.signed(value(kid, mover).round() as i32));
        let (mut node, mut at) = (kid, after(position, self[kid].turn));
        let mut turns = vec![self[kid].turn];
        while !self[node].is_leaf() {
            node = self.best_kid(node, at.mover(), value);
            turns.push(self[node].turn);
            at = after(&at, self[node].turn);
        }
        let (pv, plies) = line_to(&turns);
        Line::new(pv, score, SearchDepth::Plies(plies))
    }
}

impl<S, M> std::ops::Index<u32> for GrownTree<S, M> {
    type Output = Node<M>;

    fn index(&self, node: u32) -> &Node<M> {
        &self.nodes[node as usize]
    }
}

impl<S, M> std::ops::IndexMut<u32> for GrownTree<S, M> {
    fn index_mut(&mut self, node: u32) -> &mut Node<M> {
        &mut self.nodes[node as usize]
    }
}

/// The node of a new position.
fn leaf<M: Default>(task: &Task, position: &Position, turn: Option<Square>, work: &mut Work) -> Node<M> {
    work.nodes += 1;
    let (empties, is_over) = (position.empty_count(), position.is_over());
    let value = if is_over {
        task.contempt.outcome(position)
    } else {
        work.evaluations += 1;
        task.evaluator.evaluate(position) + task.evaluator.error_model().map_or(0, |model| model.tempo(empties))
    };
    let value = position.mover().signed(value);
    Node { turn, value, empties: empties.count(), is_over, first: 0, count: 0, summary: 0, note: M::default() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::{AlphaBeta, AlphaBetaSettings, Limits, Search};
    use crate::testing::random_position;

    /// Positions with this many empty squares, the exact lines of all moves, and those that a search without a limit finds.
    pub fn ends(empties: u32, search: &dyn Fn() -> Box<dyn Search>) -> Vec<(Position, Vec<Line>, Vec<Line>)> {
        let positions = (0..20).map(|seed| random_position(seed, empties)).filter(|position| !position.is_over());
        let found = positions.map(|position| {
            let task = Task { lines: 60, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            let by = |search: &mut dyn Search| {
                search.think(&task, &Control::with_limits(Limits::default()), &mut |_| {}).lines
            };
            (position, by(&mut AlphaBeta::new(AlphaBetaSettings::default())), by(&mut *search()))
        });
        found.collect()
    }

    #[test]
    fn what_is_kept_below_a_new_root_is_what_was_there() {
        let mut tree: GrownTree<i32, ()> = GrownTree::new(1 << 22);
        let mut task = Task::new(Position::START, EvaluatorKind::Mobility.build());
        let control = Control::with_limits(Limits::default());
        let of_kids = |tree: &GrownTree<i32, ()>, node: &Node<()>| node.kids().map(|kid| tree[kid].value).sum::<i32>();
        for _ in 0..10 {
            tree.begin(&task);
            let mut positions = vec![(0, task.position)];
            for next in 0..200 {
                let (node, at) = positions[next];
                if tree[node].is_leaf() {
                    assert!(tree.expand(node, &at, &mut Growth::new(&task, &control)));
                    *tree.summary_mut(node) = of_kids(&tree, &tree[node]);
                }
                positions.extend(tree[node].kids().map(|kid| (kid, after(&at, tree[kid].turn))));
            }
            let before = tree.nodes.len();
            task.position = after(&task.position, tree[tree[0].kids().last().unwrap()].turn);
            tree.begin(&task);
            assert!(1 < tree.nodes.len() && tree.nodes.len() < before);
            let inner: Vec<&Node<()>> = tree.nodes.iter().filter(|node| !node.is_leaf()).collect();
            assert!(inner.iter().all(|node| *tree.summary(node) == of_kids(&tree, node)));
            assert_eq!((inner.len(), tree.nodes.len() - inner.len()), (tree.summaries.len(), tree.leaves));
        }
    }
}
