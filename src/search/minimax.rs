//! Full-width fixed-depth minimax in its three textbook forms, for any [`Game`].
//!
//! These are the algorithms of the literature as they are meant: the limits are set once before the loop and not inside
//! it, both sides cut against the other side's bound, equal values cut, alpha and beta are handed down at every level,
//! and a side without a move passes instead of ending the game. A pass costs no depth.

use super::tree::turns;
use super::{Bound, Contempt, Control, Depth, INFINITY, Line, Report, Score, Search, SearchDepth, Task};
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
    let mut walk = PlainSearch { kind, evaluator, contempt, counts: PlainCounts::default(), stop, stopped: false };
    let mut pv = Vec::new();
    let value = walk.value(position, depth, -INFINITY, INFINITY, &mut pv);
    PlainResult { value, pv, counts: walk.counts }
}

struct PlainSearch<'a, G: Game> {
    kind: MinimaxKind,
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
        if self.kind == MinimaxKind::Ordered && depth > 1 && children.len() > 1 {
            // A child's value is the other side's: the least is the best.
            children.sort_by_cached_key(|(_, child)| self.leaf(child));
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
            counts.generated += result.counts.generated;
            counts.evaluations += result.counts.evaluations;
            if stopped || (depth > 1 && control.must_stop(counts.visited, counts.evaluations)) {
                return None;
            }
            lines.push(Line {
                turn,
                score: Score::from_units(-result.value),
                bound: Bound::Exact,
                depth: label,
                pv: with_passes(position, turn, &result.pv),
                visits: 0,
            });
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
