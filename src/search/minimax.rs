//! Full-width fixed-depth minimax in its three textbook forms, for any [`Game`].
//!
//! These are the algorithms of the literature as they are meant: the limits are set once before the loop and not inside
//! it, both sides cut against the other side's bound, equal values cut, alpha and beta are handed down at every level,
//! and a side without a move passes instead of ending the game. A pass costs no depth.

use super::tree::turns;
use super::{Contempt, Control, Depth, INFINITY, Line, Report, Score, Search, SearchDepth, Task};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::othello::{Move, Position, Square};

/// A form of minimax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MinimaxKind {
    /// Every position to the full depth.
    Full,
    /// With alpha-beta cut-offs, moves in the order in which the game generates them.
    AlphaBeta,
    /// With alpha-beta cut-offs, moves ordered by the static value of the position they lead to, down to one ply above
    /// the horizon, where ordering can no longer pay (fixed ordering, Slagle and Dixon 1969).
    Ordered,
    /// As [`Ordered`](MinimaxKind::Ordered), and the moves to the horizon are ordered too. Such a leaf is evaluated again when it is visited.
    OrderedThroughout,
}

impl MinimaxKind {
    /// The least depth at which the moves are ordered; `None` if they never are.
    fn least_ordered_depth(self) -> Option<u32> {
        match self {
            MinimaxKind::Full | MinimaxKind::AlphaBeta => None,
            MinimaxKind::Ordered => Some(2),
            MinimaxKind::OrderedThroughout => Some(1),
        }
    }
}

/// The result of [`plain_minimax`].
#[derive(Clone, PartialEq, Debug)]
pub struct PlainResult<M> {
    /// The minimax value for the side to move.
    pub value: i32,
    /// The expected play; passes are left out.
    pub pv: Vec<M>,
    /// The work done.
    pub counts: PlainCounts,
}

/// Work done by [`plain_minimax`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PlainCounts {
    /// Calls of the search function: nodes expanded or evaluated, passes included.
    pub visited: u64,
    /// Children of the nodes visited, whether visited themselves or cut off.
    pub generated: u64,
    /// Static evaluations, those for ordering included.
    pub evaluations: u64,
}

/// Searches `position` to `depth` plies and returns its value, the expected play and the work done.
///
/// `stop` is asked now and then; once it says yes the search unwinds and the result is meaningless.
pub fn plain_minimax<G: Game>(
    kind: MinimaxKind,
    position: &G,
    depth: u32,
    evaluator: &dyn Evaluator<G>,
    contempt: Contempt,
    stop: &mut dyn FnMut(&PlainCounts) -> bool,
) -> PlainResult<G::Move> {
    plain_minimax_along(kind, position, depth, &[], evaluator, contempt, stop)
}

/// [`plain_minimax`] that tries the moves of `line`, which are legal in turn with passes left out, before all others: the expected play of
/// an earlier search, for iterative deepening.
pub fn plain_minimax_along<G: Game>(
    kind: MinimaxKind,
    position: &G,
    depth: u32,
    line: &[G::Move],
    evaluator: &dyn Evaluator<G>,
    contempt: Contempt,
    stop: &mut dyn FnMut(&PlainCounts) -> bool,
) -> PlainResult<G::Move> {
    let counts = PlainCounts::default();
    let mut walk = PlainSearch { kind, line, evaluator, contempt, counts, stop, stopped: false };
    let mut pv = Vec::new();
    let value = walk.value(position, depth, -INFINITY, INFINITY, &mut pv);
    PlainResult { value, pv, counts: walk.counts }
}

struct PlainSearch<'a, G: Game> {
    kind: MinimaxKind,
    /// What is left of the line to try first. The first descent of the search takes it all.
    line: &'a [G::Move],
    evaluator: &'a dyn Evaluator<G>,
    contempt: Contempt,
    counts: PlainCounts,
    stop: &'a mut dyn FnMut(&PlainCounts) -> bool,
    stopped: bool,
}

impl<G: Game> PlainSearch<'_, G> {
    fn value(&mut self, position: &G, depth: u32, alpha: i32, beta: i32, pv: &mut Vec<G::Move>) -> i32 {
        pv.clear();
        self.counts.visited += 1;
        if self.counts.visited.is_multiple_of(1024) {
            self.stopped |= (self.stop)(&self.counts);
        }
        if self.stopped {
            return 0;
        }
        if depth == 0 {
            return self.leaf(position);
        }
        let children = self.children(position, depth);
        if children.is_empty() {
            if position.is_over() {
                return self.contempt.outcome(position);
            }
            return -self.value(&position.pass(), depth, -beta, -alpha, pv);
        }
        let mut best = -INFINITY;
        let mut line = Vec::new();
        for (mv, child) in children {
            let bound = if self.kind == MinimaxKind::Full { -INFINITY } else { alpha.max(best) };
            let value = -self.value(&child, depth - 1, -beta, -bound, &mut line);
            if self.stopped {
                return 0;
            }
            if value > best {
                best = value;
                pv.clear();
                pv.push(mv);
                pv.append(&mut line);
            }
            if self.kind != MinimaxKind::Full && best >= beta {
                break;
            }
        }
        best
    }

    fn leaf(&mut self, position: &G) -> i32 {
        if position.is_over() {
            return self.contempt.outcome(position);
        }
        self.counts.evaluations += 1;
        self.evaluator.evaluate(position)
    }

    fn children(&mut self, position: &G, depth: u32) -> Vec<(G::Move, G)> {
        let mut children: Vec<(G::Move, G)> = position.moves().map(|mv| (mv, position.after(mv))).collect();
        self.counts.generated += children.len() as u64;
        if self.kind.least_ordered_depth().is_some_and(|least| depth >= least) && children.len() > 1 {
            // A child's value is the other side's: the least is the best.
            children.sort_by_cached_key(|(_, child)| self.leaf(child));
        }
        if let Some((first, rest)) = self.line.split_first().filter(|_| !children.is_empty()) {
            self.line = rest;
            let index = children.iter().position(|(mv, _)| mv == first).expect("a legal line");
            children[..=index].rotate_right(1);
        }
        children
    }
}

/// [`plain_minimax`] as an engine: full width, no table, one ply deeper each time.
#[derive(Debug)]
pub struct Minimax;

impl Minimax {
    /// The values of all root moves at one depth, best first, or nothing if it was stopped.
    fn iteration(task: &Task, depth: u8, control: &Control, done: &PlainCounts) -> Option<(Vec<Line>, PlainCounts)> {
        let position = &task.position;
        let to_end = position.empty_count().are_within(depth);
        let label = if to_end { SearchDepth::Exact } else { SearchDepth::Plies(depth) };
        let mut counts = *done;
        let mut lines = Vec::new();
        for turn in turns(position).map(|square| square.map_or(Move::Pass, Move::Place)) {
            let child = position.take(turn).expect("a legal turn");
            let child_depth = u32::from(depth) - u32::from(turn != Move::Pass);
            let before = counts;
            let mut stopped = false;
            let result =
                plain_minimax(MinimaxKind::Full, &child, child_depth, &*task.evaluator, task.contempt, &mut |c| {
                    stopped = control.must_stop(before.visited + c.visited, before.evaluations + c.evaluations);
                    stopped
                });
            counts.visited += result.counts.visited;
            counts.evaluations += result.counts.evaluations;
            if stopped || (depth > 1 && control.must_stop(counts.visited, counts.evaluations)) {
                return None;
            }
            lines.push(Line::new(with_passes(position, turn, &result.pv), Score::from_units(-result.value), label));
        }
        lines.sort_by_key(|line| -line.score);
        Some((lines, counts))
    }
}

impl Search for Minimax {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let deepest = control.limits().depth.map_or(u8::MAX, Depth::plies).min(task.position.empty_count().count());
        let mut counts = PlainCounts::default();
        let mut report = Report::default();
        for depth in 1..=deepest.max(1) {
            let Some((mut lines, work)) = Minimax::iteration(task, depth, control, &counts) else {
                break;
            };
            counts = work;
            let kept = task.lines_to_report(&lines);
            lines.truncate(kept);
            report = Report {
                depth: lines[0].depth,
                lines,
                nodes: counts.visited,
                evaluations: counts.evaluations,
                elapsed: control.elapsed(),
                ..Report::default()
            };
            sink(&report);
            if control.is_past_soft_time() || control.must_stop(counts.visited, counts.evaluations) {
                break;
            }
        }
        report
    }
}

/// The play from `position`: `turn`, then the moves with the passes between them put back in.
fn with_passes(position: &Position, turn: Move, moves: &[Square]) -> Vec<Move> {
    let mut game = crate::othello::GameRecord::from_position(*position);
    game.take(turn).expect("a legal turn");
    for &square in moves {
        game.take_with_implied_pass(Move::Place(square)).expect("the expected play is legal");
    }
    game.turns().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::testing::random_position;

    /// All positions are worth the same.
    struct Even;

    impl Evaluator<Position> for Even {
        fn evaluate(&self, _: &Position) -> i32 {
            0
        }
    }

    fn positions() -> impl Iterator<Item = Position> {
        (0..40).map(|seed| random_position(seed, 20 + seed as u32)).filter(|position| !position.moves().is_empty())
    }

    #[test]
    fn a_sorted_last_ply_keeps_the_value_and_visits_fewer_leaves() {
        let evaluator = EvaluatorKind::Mobility.build();
        let mut fewer = 0;
        for position in positions() {
            let search =
                |kind, depth| plain_minimax(kind, &position, depth, &*evaluator, Contempt::NONE, &mut |_| false);
            assert_eq!(search(MinimaxKind::OrderedThroughout, 3).value, search(MinimaxKind::Full, 3).value);
            // At depth 2 the windows are alike, and a move that is refuted at all is refuted by its first reply.
            let [some, all] = [MinimaxKind::Ordered, MinimaxKind::OrderedThroughout].map(|kind| search(kind, 2));
            assert_eq!((some.value, some.pv[0]), (all.value, all.pv[0]));
            assert!(all.counts.visited <= some.counts.visited);
            fewer += u64::from(all.counts.visited < some.counts.visited);
        }
        assert!(fewer > 20, "{fewer}");
    }

    #[test]
    fn a_line_is_tried_first() {
        for position in positions() {
            // Of equal moves the first that is tried is played.
            let mut line = Vec::new();
            let mut at = position;
            while line.len() < 3 && !at.is_over() {
                at = if at.must_pass() { at.pass() } else { at };
                let Some(last) = at.moves().into_iter().last() else { break };
                line.push(last);
                at = at.after(last);
            }
            let kinds = [MinimaxKind::Full, MinimaxKind::AlphaBeta, MinimaxKind::Ordered];
            for (kind, taken) in kinds.into_iter().zip(1..=line.len()) {
                let first = &line[..taken];
                let found = plain_minimax_along(kind, &position, 4, first, &Even, Contempt::NONE, &mut |_| false);
                assert_eq!(found.pv[..taken], *first, "{position}");
            }
        }
    }
}
