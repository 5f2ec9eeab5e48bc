//! What a best-first search says.

use super::budget::depth_worth;
use super::{Explorer, Policy, RootMove, Work};
use crate::game::DISC;
use crate::othello::{Move, Position, Square};
use crate::search::{Bound, Control, Line, MemoryUse, Report, Score, SearchDepth, Task};

/// The part of the best move's visits, 1/8, that a move needs, with a margin of a disc, to count as one of the good ones: a value that
/// hardly anything was spent on is no reason to play it. With a margin of several discs it may err by as many times as much.
const WELL_FOUNDED: u64 = 8;

/// The report of a search: its lines, values and counts.
pub(super) fn report<P: Policy<Position>>(explorer: &Explorer<Position, P>, task: &Task, control: &Control) -> Report {
    let (tree_bytes, tree_nodes) = (explorer.stored_bytes(), explorer.stored_nodes());
    let ended_at_cap = explorer.ended_at_cap();
    let memory = MemoryUse { tree_bytes, tree_nodes, ended_at_cap, ..MemoryUse::default() };
    report_of(explorer, explorer.root_moves(), memory, task, control)
}

/// The report of a search with these moves at the root.
pub(super) fn report_of<P: Policy<Position>>(
    explorer: &Explorer<Position, P>,
    moves: Vec<RootMove<Square>>,
    memory: MemoryUse,
    task: &Task,
    control: &Control,
) -> Report {
    let mut lines: Vec<Line> = Vec::new();
    let effort = P::DEPTH_IS_EFFORT.then(|| depth_of_effort(explorer.work().evaluations, &task.position));
    for root_move in moves {
        let (pv, plies) = line_to(&root_move.line);
        let (depth, bound) =
            explorer.proven(&root_move).unwrap_or_else(|| (effort.unwrap_or(SearchDepth::Plies(plies)), Bound::Exact));
        lines.push(Line {
            bound,
            visits: root_move.visits,
            ..Line::new(pv, explorer.rules.score(root_move.value), depth)
        });
    }
    // Another move that wins may be worth more than the best one, although that is solved.
    let is_proven = lines.iter().all(|line| line.depth.knows_winner());
    let known = (is_proven && !explorer.is_done()).then(|| least_depth(&lines));
    lines.truncate(task.lines_to_report(&lines));
    let most_visits = lines.first().map_or(0, |line| line.visits);
    let discs = task.margin.map_or(1, |margin| (margin.units() / DISC).max(1) as u64);
    let founded = |line: &Line| line.depth.is_exact() || line.visits >= most_visits / (WELL_FOUNDED * discs);
    let founded = lines.iter().take_while(|line| founded(line)).count();
    lines.truncate(founded.max(task.lines));
    let depth = match known {
        Some(known) => known,
        // The paper's search ends with a win, although another move may win by more.
        None if explorer.is_done() && explorer.are_lines_solved() => least_depth(&lines),
        None => unproven_depth(&lines, effort),
    };
    explorer.work().report(lines, depth, memory, control)
}

impl Work {
    /// The report of a search that has done this, with these lines.
    pub(crate) fn report(&self, lines: Vec<Line>, depth: SearchDepth, memory: MemoryUse, control: &Control) -> Report {
        let mut report = Report { depth, lines, memory, ..Report::default() };
        count(&mut report, self, control);
        report
    }
}

/// Brings the counts of a report up to date.
pub(super) fn count(report: &mut Report, work: &Work, control: &Control) {
    report.nodes = work.nodes;
    report.evaluations = work.evaluations;
    report.elapsed = control.elapsed();
    report.memory.pruned_nodes = work.pruned_nodes;
    report.memory.linear_nodes = work.linear_nodes;
}

/// A line of turns as clients see it, and its length in plies, passes not counted.
pub(crate) fn line_to(turns: &[Option<Square>]) -> (Vec<Move>, u8) {
    let plies = turns.iter().flatten().count();
    (turns.iter().map(|turn| turn.map_or(Move::Pass, Move::Place)).collect(), plies as u8)
}

/// The depth of a search that goes to no fixed depth, by its effort: the depth that stands for as many evaluations. What is not solved was
/// not seen to the end.
pub(super) fn depth_of_effort(evaluations: u64, position: &Position) -> SearchDepth {
    let seen = position.empty_count().count().saturating_sub(1);
    SearchDepth::Plies(depth_worth(evaluations).min(seen))
}

/// How far a position was searched of which these are the best lines, where not all moves are decided: the best one may be solved, and another one
/// be better. `effort`: the depth of what is not solved, if it is not that of the expected play.
pub(crate) fn unproven_depth(lines: &[Line], effort: Option<SearchDepth>) -> SearchDepth {
    let depth = least_depth(lines);
    match lines.first() {
        Some(best) if depth.knows_winner() && best.score > Score::ZERO => SearchDepth::WinLossDraw,
        Some(best) if depth.knows_winner() => {
            let plies = best.pv.iter().filter(|&&turn| turn != Move::Pass).count();
            effort.unwrap_or(SearchDepth::Plies(plies as u8))
        }
        _ => depth,
    }
}

/// How far all of the lines were searched.
pub(crate) fn least_depth(lines: &[Line]) -> SearchDepth {
    let plies = lines.iter().filter_map(|line| line.depth.plies());
    let unsolved = lines.iter().any(|line| line.depth == SearchDepth::WinLossDraw);
    let proven = if unsolved { SearchDepth::WinLossDraw } else { SearchDepth::Exact };
    plies.min().map_or(proven, SearchDepth::Plies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solved_draw_beside_an_open_move_is_no_result() {
        let line = |score| Line {
            visits: 1,
            ..Line::new(vec![Move::Place("f5".parse().unwrap())], Score::from_discs(score), SearchDepth::Exact)
        };
        let depth = |score| unproven_depth(&[line(score)], None);
        assert_eq!([1, 0, -1].map(depth), [SearchDepth::WinLossDraw, SearchDepth::Plies(1), SearchDepth::Plies(1)]);
    }
}
