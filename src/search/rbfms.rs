//! Recursive best-first minimax search (Korf and Chickering, AAAI-94): best-first expansion in linear space.
//!
//! The recursion stack holds the principal variation and the siblings of its nodes; what is left and returned to is
//! generated again. Written for the side to move: low and high bounds change places and signs from one level to the
//! next, so that one function stands for the paper's two.

mod lines;

use self::lines::LinearLines;
use super::best_first::{
    Budget, EndValues, EndgameSolver, Leaves, Rules, SOLVED_EMPTIES, Schedule, StaticLeaves, Work, least_depth,
    line_to, unproven_depth,
};
use super::tree::{after, reposition, turns};
use super::{Contempt, Control, INFINITY, Line, MemoryUse, Report, Search, SearchDepth, Task};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::othello::{Position, Square};

/// How [`Rbfms`] and the fallback at the memory cap differ from the published algorithm, and where they end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RbfmsSettings {
    /// Return the first child's value that is out of bounds without generating the others.
    pub early_return: bool,
    /// The depth of the principal leaf, in plies below the root, at which to stop.
    pub depth: Option<u32>,
}

impl Default for RbfmsSettings {
    fn default() -> RbfmsSettings {
        RbfmsSettings { early_return: true, depth: None }
    }
}

/// A child on the stack, its value seen by its parent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sibling<M> {
    /// The turn that leads to it, `None` for a pass.
    pub turn: Option<M>,
    /// The child's value for the side that takes the turn.
    pub value: i32,
    /// Whether the value is the result under perfect play.
    pub solved: bool,
}

/// The recursion stack: for each node of the principal variation its children, best first.
#[derive(Clone, Debug)]
pub struct Stack<M> {
    siblings: Vec<Sibling<M>>,
    frames: Vec<Frame>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The first child.
    base: usize,
    /// The child that is being searched.
    current: usize,
}

impl<M: Copy> Stack<M> {
    fn new() -> Stack<M> {
        Stack { siblings: Vec::new(), frames: Vec::new() }
    }

    /// Nodes that the stack holds: its memory.
    pub fn len(&self) -> usize {
        self.siblings.len()
    }

    /// Whether not even the root has children.
    pub fn is_empty(&self) -> bool {
        self.siblings.is_empty()
    }

    /// The turns from the root to the node that is being searched.
    pub fn line(&self) -> impl Iterator<Item = Option<M>> {
        self.frames.iter().map(|frame| self.siblings[frame.current].turn)
    }

    /// The children of the root, best first.
    pub fn root(&self) -> &[Sibling<M>] {
        self.frame(0)
    }

    /// The children of a node of the principal variation, by its depth.
    fn frame(&self, depth: usize) -> &[Sibling<M>] {
        let begin = self.frames.get(depth).map_or(self.siblings.len(), |frame| frame.base);
        let end = self.frames.get(depth + 1).map_or(self.siblings.len(), |frame| frame.base);
        &self.siblings[begin..end]
    }

    /// What the node at this depth of the principal variation is worth to its side to move if the principal leaf is worth `leaf` to its own:
    /// a solved child may be better than the one that is being searched.
    fn backed_up(&self, leaf: i32, depth: usize) -> i32 {
        (depth..self.frames.len()).rev().fold(leaf, |value, depth| {
            let current = self.frames[depth].current - self.frames[depth].base;
            let others = self.frame(depth).iter().enumerate().filter(|&(i, _)| i != current);
            others.map(|(_, other)| other.value).fold(-value, i32::max)
        })
    }
}

/// One call of the recursive function, before it does anything.
#[derive(Debug)]
pub struct Call<'a, G: Game> {
    /// The node, which is the principal leaf.
    pub position: &'a G,
    /// The node's value so far for the side to move: that of the whole principal variation.
    pub value: i32,
    /// The node is left when its value for the side to move falls below this.
    pub low: i32,
    /// The node is left when its value for the side to move rises above this.
    pub high: i32,
    /// The stack above the node.
    pub stack: &'a Stack<G::Move>,
    /// Work done so far.
    pub work: &'a Work,
}

impl<G: Game> Call<'_, G> {
    /// The children of the root with the value that the one being searched has now: the published algorithm leaves the
    /// values along the principal variation alone until it returns.
    fn root_now(&self) -> Vec<Sibling<G::Move>> {
        let mut root = self.stack.root().to_vec();
        if let Some(frame) = self.stack.frames.first() {
            root[frame.current].value = -self.stack.backed_up(self.value, 1);
        }
        root
    }
}

/// What is known of a node when its call returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The node's value for the side to move; a bound where the call returned early.
    pub value: i32,
    /// Whether the value is the result under perfect play.
    pub solved: bool,
}

/// The recursion with everything it works with.
pub(crate) struct Recursion<'a, G: Game, L: Leaves<G>> {
    rules: Rules,
    settings: RbfmsSettings,
    /// What nodes are worth, and whether the search must stop.
    leaves: &'a mut L,
    pub work: Work,
    /// Observes every call; returns whether to stop.
    observe: &'a mut dyn FnMut(Call<'_, G>) -> bool,
    stack: Stack<G::Move>,
    stopped: bool,
}

impl<'a, G: Game, L: Leaves<G>> Recursion<'a, G, L> {
    pub fn new(
        rules: Rules,
        settings: RbfmsSettings,
        leaves: &'a mut L,
        work: Work,
        observe: &'a mut dyn FnMut(Call<'_, G>) -> bool,
    ) -> Recursion<'a, G, L> {
        Recursion { rules, settings, leaves, work, observe, stack: Stack::new(), stopped: false }
    }

    /// Whether the search was stopped: by the leaves, by the observer, or at the depth.
    pub fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// Searches below a node as long as its value stays within the bounds, which are part of the range. The children of
    /// the outermost node stay on the stack; if the search was stopped, so does the whole line where it was.
    pub fn run(&mut self, position: &G, value: i32, low: i32, high: i32, plies: u32) -> Answer {
        let call = Call { position, value, low, high, stack: &self.stack, work: &self.work };
        if (self.observe)(call)
            || self.settings.depth.is_some_and(|deepest| plies >= deepest)
            // There must be children before anything can stop.
            || !self.stack.is_empty() && self.leaves.must_stop(&mut self.work)
        {
            self.stopped = true;
            return Answer { value, solved: false };
        }
        self.work.expansions += 1;
        self.work.linear_nodes += 1;
        // The node the search began with is to get children whatever it is: they are the answer.
        if !self.stack.is_empty()
            && let Some(answer) = self.solve(position, value)
        {
            return answer;
        }
        let base = self.stack.siblings.len();
        for turn in turns(position) {
            let node = self.leaves.node(turn, &after(position, turn), &mut self.work);
            let child = Sibling { turn, value: -node.value, solved: node.is_solved() };
            if self.settings.early_return && child.value > high {
                self.stack.siblings.truncate(base);
                return Answer { value: child.value, solved: false };
            }
            self.stack.siblings.push(child);
        }
        self.stack.siblings[base..].sort_by_key(|child| std::cmp::Reverse(child.value));
        self.stack.frames.push(Frame { base, current: base });
        let answer = self.expand_best(position, base, low, high, plies);
        if base == 0
            && !self.stopped
            && let Some(frame) = self.stack.frames.last_mut()
        {
            frame.current = 0;
        } else if !self.stopped {
            self.stack.frames.pop();
            self.stack.siblings.truncate(base);
        }
        answer
    }

    fn solve(&mut self, position: &G, value: i32) -> Option<Answer> {
        let exact = self.leaves.solve(position, &mut self.work)?;
        self.stopped |= exact.is_none();
        Some(Answer { value: exact.map_or(value, |result| self.rules.result(result)), solved: exact.is_some() })
    }

    /// The loop over the children, which start at `base` and are in order.
    fn expand_best(&mut self, position: &G, base: usize, low: i32, high: i32, plies: u32) -> Answer {
        loop {
            let children = &self.stack.siblings[base..];
            let best = children[0];
            let Some(i) = children.iter().position(|child| !child.solved) else {
                return Answer { value: best.value, solved: true };
            };
            if best.value < low || best.value > high {
                return Answer { value: best.value, solved: false };
            }
            let child = children[i];
            // Search the child until it falls behind the next best that is not solved. Below `low` it takes its parent out of
            // bounds, unless a solved sibling holds the parent. The bounds must contain every value that the child had before,
            // or its earlier search would not be repeated but broken off: hence no bound at the value of a solved sibling.
            let next = children[i + 1..].iter().find(|other| !other.solved);
            let next = next.map_or(-INFINITY, |other| other.value);
            let solved = children.iter().find(|other| other.solved).map_or(-INFINITY, |other| other.value);
            let child_low = if solved >= low { next } else { next.max(low) };
            if let Some(frame) = self.stack.frames.last_mut() {
                frame.current = base + i;
            }
            let position = after(position, child.turn);
            let plies = plies + u32::from(child.turn.is_some());
            let answer = self.run(&position, -child.value, -high, -child_low, plies);
            let children = &mut self.stack.siblings[base..];
            children[i].value = -answer.value;
            children[i].solved = answer.solved;
            if self.stopped {
                let best = children.iter().map(|child| child.value).max();
                return Answer { value: best.unwrap_or(-INFINITY), solved: false };
            }
            reposition(children, i, |child| -child.value);
        }
    }
}

/// Searches a position of any game in linear space until the observer stops it or the result is known, and returns its
/// value and the stack as it was then: the first turn of [`Stack::line`] is the choice.
///
/// ```
/// use emilia::lab::random_tree::{PathCost, RandomTree, TreeShape};
/// use emilia::search::{EndValues, RbfmsSettings, linear_best_first};
///
/// let root = RandomTree::new(TreeShape::of_the_paper(5), 1);
/// let (answer, stack) =
///     linear_best_first(&root, &PathCost, EndValues::Sum, RbfmsSettings::default(), &mut |call| call.work.expansions >= 200);
/// assert!(!answer.solved && stack.line().count() > 0);
/// ```
pub fn linear_best_first<G: Game>(
    position: &G,
    evaluator: &dyn Evaluator<G>,
    ends: EndValues,
    settings: RbfmsSettings,
    observe: &mut dyn FnMut(Call<'_, G>) -> bool,
) -> (Answer, Stack<G::Move>) {
    let rules = Rules { ends, contempt: Contempt::NONE, max: position.mover() };
    let never = &mut |_: &Work| false;
    let mut leaves = StaticLeaves::new(rules, evaluator, never);
    let mut recursion = Recursion::new(rules, settings, &mut leaves, Work::default(), observe);
    let answer = recursion.run(position, 0, -INFINITY, INFINITY, 0);
    (answer, recursion.stack)
}

/// Recursive best-first minimax as an engine. It keeps nothing between moves: its whole memory is its stack.
#[derive(Debug)]
pub struct Rbfms;

/// What the engine remembers of a move at the root.
#[derive(Clone, Default)]
struct MoveVisits {
    turn: Option<Square>,
    visits: u64,
    line: Vec<Option<Square>>,
}

/// A report on the root's moves, best first, with what is remembered of each.
fn report<'m>(
    task: &Task,
    control: &Control,
    rules: &Rules,
    root: impl Iterator<Item = (Sibling<Square>, Option<&'m MoveVisits>)>,
    work: &Work,
) -> Report {
    let mut lines = Vec::new();
    for (sibling, remembered) in root {
        let unsearched = [sibling.turn];
        let (pv, plies) = line_to(remembered.map_or(&unsearched, |known| &known.line));
        let depth = if sibling.solved { SearchDepth::Exact } else { SearchDepth::Plies(plies) };
        let visits = remembered.map_or(0, |known| known.visits);
        lines.push(Line { visits, ..Line::new(pv, rules.score(sibling.value), depth) });
    }
    let is_proven = lines.iter().all(|line| line.depth.is_exact());
    lines.truncate(task.lines_to_report(&lines));
    let depth = if is_proven { least_depth(&lines) } else { unproven_depth(&lines, None) };
    work.report(lines, depth, MemoryUse::default(), control)
}

/// The root's moves, each with what is remembered of it. The last line below a solved move need not be the best one, and is forgotten.
fn recall<'m>(
    root: &'m [Sibling<Square>],
    moves: &'m mut [MoveVisits],
) -> impl Iterator<Item = (Sibling<Square>, Option<&'m MoveVisits>)> {
    for known in &mut *moves {
        if root.iter().any(|sibling| sibling.solved && sibling.turn == known.turn) {
            known.line.truncate(1);
        }
    }
    root.iter().map(|&sibling| (sibling, moves.iter().find(|known| known.turn == sibling.turn)))
}

impl Search for Rbfms {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let rules = Rules { ends: EndValues::Outcome, contempt: task.contempt, max: task.position.mover() };
        if (task.lines > 1 || task.margin.is_some()) && task.position.moves().count() > 1 {
            return LinearLines::new(task, control, rules).think(sink);
        }
        let (mut budget, mut schedule) = (Budget::new(control), Schedule::new(control));
        let mut moves: Vec<MoveVisits> = Vec::new();
        let mut observe = |call: Call<'_, Position>| {
            let mut line = call.stack.line();
            let Some(first) = line.next() else {
                return false;
            };
            let known = moves.iter().position(|known| known.turn == first).unwrap_or_else(|| {
                moves.push(MoveVisits { turn: first, ..MoveVisits::default() });
                moves.len() - 1
            });
            let known = &mut moves[known];
            known.visits += 1;
            known.line.clear();
            known.line.push(first);
            known.line.extend(line);
            if schedule.is_report_due(call.work) {
                sink(&report(task, control, &rules, recall(&call.root_now(), &mut moves), call.work));
            }
            false
        };
        let mut solver = EndgameSolver::new(SOLVED_EMPTIES);
        let is_spent = &mut |work: &Work| budget.is_spent(work);
        let mut leaves = StaticLeaves::new(rules, &*task.evaluator, is_spent).solving(&mut solver);
        let settings = RbfmsSettings::default();
        let mut recursion = Recursion::new(rules, settings, &mut leaves, Work::default(), &mut observe);
        recursion.run(&task.position, 0, -INFINITY, INFINITY, 0);
        let (stack, work) = (recursion.stack, recursion.work);
        report(task, control, &rules, recall(stack.root(), &mut moves), &work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::tests::{by_alpha_beta, open_positions, think, visiting};
    use crate::search::{Limits, Score};

    fn task(position: Position) -> Task {
        Task::new(position, EvaluatorKind::Pattern.build())
    }

    /// Half of the work is the best move's, and the others share the rest; a turn that is cut short may change that by a factor.
    #[test]
    fn moves_within_the_margin_are_searched_as_lines_that_were_asked_for() {
        let mut several = 0;
        for (_, position) in open_positions(0..30, |seed| 25 + (seed % 20) as u32) {
            let task = Task { margin: Some(Score::from_discs(6)), ..task(position) };
            let report = think(&mut Rbfms, &task, visiting(30_000));
            if let [leader, others @ ..] = &report.lines[..]
                && !others.is_empty()
            {
                let of_others = others.iter().map(|line| line.visits).sum::<u64>();
                assert!(of_others * 4 > leader.visits, "{position} {:?}", report.lines);
                several += 1;
            }
        }
        assert!(several > 15, "{several}");
    }

    #[test]
    fn the_reply_to_a_solved_move_is_one_of_the_best() {
        let mut replies = 0;
        for (_, position) in open_positions(0..60, |seed| 10 + (seed % 2) as u32) {
            for line in think(&mut Rbfms, &Task { lines: 64, ..task(position) }, visiting(60_000)).lines {
                let (SearchDepth::Exact, Some(&reply)) = (line.depth, line.pv.get(1)) else { continue };
                let after = position.take(line.turn).and_then(|child| child.take(reply)).unwrap();
                if !after.is_over() {
                    let best = by_alpha_beta(&task(after), Limits::default()).lines[0].score;
                    assert_eq!(best, line.score, "{position} {line:?}");
                    replies += 1;
                }
            }
        }
        assert!(replies > 100, "{replies}");
    }

    #[test]
    fn the_line_of_a_solved_move_alone_is_forgotten() {
        let (mut solved, mut open) = (0, 0);
        for (_, position) in open_positions(0..100, |seed| 9 + (seed % 3) as u32) {
            let line = &think(&mut Rbfms, &task(position), visiting(3_000)).lines[0];
            assert_eq!(line.pv.len() == 1, line.depth.is_exact() || line.visits < 2, "{position} {line:?}");
            if line.depth.is_exact() { solved += 1 } else { open += 1 }
        }
        assert!(solved > 30 && open > 30, "{solved} {open}");
    }
}
