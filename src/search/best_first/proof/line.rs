//! What a proof reports: while it goes on, and in the end with the play that it proves.

use super::Prover;
use super::graph::{Edge, Graph};
use super::leaf::Examiner;
use super::state::{FinishedTurn, State};
use crate::eval::Incremental;
use crate::game::DISC;
use crate::othello::{Position, Square};
use crate::search::alpha_beta::walk::Shared;
use crate::search::best_first::report::depth_of_effort;
use crate::search::best_first::{least_depth, line_to};
use crate::search::tree::after;
use crate::search::{Bound, Line, MemoryUse, Precision, Report, Score, SearchDepth};

/// The score and its bound from a value and proven bounds: where the value lies outside of these, the bounds count.
fn within(value: i32, lower: i32, upper: i32) -> (Score, Bound) {
    let (low, high) = (lower * DISC, upper * DISC);
    if low == high {
        (Score::from_units(low), Bound::Exact)
    } else if value <= low {
        (Score::from_units(low), Bound::Lower)
    } else if value >= high {
        (Score::from_units(high), Bound::Upper)
    } else {
        (Score::from_units(value), Bound::Exact)
    }
}

impl<E: Incremental> Prover<'_, E> {
    /// The report while the proof goes on: the turns that are done, then the others with their estimates, the one that would be played first.
    pub(super) fn interim(&self, state: &State, start: &Report) -> Report {
        let mut lines: Vec<Line> = state.found.iter().map(|found| self.line(found, &[])).collect();
        let effort = depth_of_effort(state.work.evaluations, &self.task.position);
        let estimate = |edge: &Edge| {
            let kid = &state.graph.nodes[edge.node as usize];
            let (score, bound) = within(-i32::from(kid.value), -i32::from(kid.upper), -i32::from(kid.lower));
            let mut turns = vec![edge.turn()];
            expected_play(&state.graph, edge.node, &mut turns);
            let (pv, _) = line_to(&turns);
            Line { bound, ..Line::new(pv, score, effort) }
        };
        let favourite = state.favourite();
        let is_open = |edge: &&Edge| {
            let turn = edge.turn();
            state.found.iter().all(|found| found.turn != turn) && favourite.is_none_or(|best| best.turn() != turn)
        };
        let mut open: Vec<Line> = state.graph.root_kids().filter(is_open).map(estimate).collect();
        open.sort_by_key(|line| -line.score);
        lines.extend(favourite.as_ref().map(estimate).into_iter().chain(open));
        if lines.is_empty() {
            lines.extend(start.lines.iter().cloned());
        }
        lines.truncate(self.task.lines.max(state.found.len()).max(1));
        self.report(state, lines)
    }

    /// The report at the end of the proof.
    pub(super) fn answer(&self, state: &State, start: &Report) -> Report {
        if !state.is_done {
            return self.interim(state, start);
        }
        let shared = Shared::new(self.evaluation, self.task, self.table, self.control);
        let shared = shared.counting_from((state.work.nodes, state.work.evaluations));
        let mut examiner = Examiner::new(&shared, self.selectivity);
        let mut lines: Vec<Line> = Vec::new();
        for found in &state.found {
            let worth = match self.task.precision {
                Precision::Score | Precision::OutcomeFirst => found.lower,
                Precision::WinLossDraw => i32::from(found.lower > 0) - i32::from(found.upper < 0),
            };
            let play = self.play(&state.graph, &mut examiner, after(&self.task.position, found.turn), -worth);
            lines.push(self.line(found, &play));
        }
        let mut report = self.report(state, lines);
        (report.nodes, report.evaluations) = examiner.counts();
        report
    }

    /// A turn done with, and the play after it.
    fn line(&self, found: &FinishedTurn, play: &[Option<Square>]) -> Line {
        let turns: Vec<Option<Square>> = std::iter::once(found.turn).chain(play.iter().copied()).collect();
        let (pv, _) = line_to(&turns);
        let (score, bound, depth) = match self.task.precision {
            Precision::Score | Precision::OutcomeFirst => (found.lower, Bound::Exact, SearchDepth::Exact),
            Precision::WinLossDraw if found.lower > 0 => (1, Bound::Lower, SearchDepth::WinLossDraw),
            Precision::WinLossDraw if found.upper < 0 => (-1, Bound::Upper, SearchDepth::WinLossDraw),
            Precision::WinLossDraw => (0, Bound::Exact, SearchDepth::WinLossDraw),
        };
        Line { bound, ..Line::new(pv, Score::from_discs(score), depth) }
    }

    fn report(&self, state: &State, lines: Vec<Line>) -> Report {
        let depth = match lines.iter().find(|line| !line.depth.knows_winner()) {
            Some(line) => line.depth,
            None if self.task.precision == Precision::WinLossDraw => SearchDepth::WinLossDraw,
            None => least_depth(&lines),
        };
        let memory = MemoryUse {
            tree_bytes: state.graph.bytes() as u64,
            tree_nodes: state.graph.nodes.len() as u64,
            ..MemoryUse::default()
        };
        state.work.report(lines, depth, memory, self.control)
    }

    /// Play to the end of the game that keeps what was proven: the side to move gets at least `value` discs, and the other side
    /// sees to it that it gets no more. What neither graph nor table still know is proven again; ends early if the search is
    /// stopped. If only the outcome is proven, `value` is its sign.
    fn play(
        &self,
        graph: &Graph,
        examiner: &mut Examiner<'_, E>,
        mut position: Position,
        mut value: i32,
    ) -> Vec<Option<Square>> {
        let mut turns = Vec::new();
        while !position.is_over() {
            let turn = if position.must_pass() { None } else { self.keeping_move(graph, examiner, &position, value) };
            if turn.is_none() && !position.must_pass() {
                break;
            }
            turns.push(turn);
            position = after(&position, turn);
            value = -value;
        }
        turns
    }

    /// A move that is proven to be worth at least `value` discs.
    fn keeping_move(
        &self,
        graph: &Graph,
        examiner: &mut Examiner<'_, E>,
        position: &Position,
        value: i32,
    ) -> Option<Square> {
        // Where only the outcome is known, any move of the loser keeps it.
        let is_lost = self.task.precision == Precision::WinLossDraw && value < 0;
        let kids = graph.find(position).map(|place| graph.kids(&graph.nodes[place as usize])).unwrap_or_default();
        let keeps = |kid: u32| -i32::from(graph.nodes[kid as usize].upper) >= value;
        if let Some(square) = kids.iter().find(|edge| keeps(edge.node) || is_lost).and_then(|edge| edge.turn()) {
            return Some(square);
        }
        for candidate in examiner.in_order(position, value - 1).iter() {
            if is_lost || -examiner.decide(&candidate.child, -value)? >= value {
                return Some(candidate.square);
            }
        }
        None
    }
}

/// The best moves by what the graph knows.
fn expected_play(graph: &Graph, from: u32, turns: &mut Vec<Option<Square>>) {
    let mut place = from;
    while let Some(best) =
        graph.kids(&graph.nodes[place as usize]).iter().min_by_key(|kid| graph.nodes[kid.node as usize].value)
    {
        turns.push(best.turn());
        place = best.node;
    }
}
