//! Iterative-deepening principal variation search with a transposition table and an exact endgame: Othello's classical
//! search.

use super::endgame::{self, Solver};
use super::ordering::Candidates;
use super::transposition::{Entry, TranspositionTable};
use super::{Bound, Control, Limits, Line, MemoryUse, Precision, Report, Score, Search, SearchDepth, Task};
use crate::game::DISC;
use crate::othello::{GameRecord, Move, Position, Square};

/// Beyond every value, in units of [`DISC`].
const INFINITY: i32 = endgame::INFINITY * DISC;
/// Half the first window around the value that the last iteration leads to expect.
const ASPIRATION: i32 = 3 * DISC;
/// Depth from which a node's moves are ordered by their static values; below, by the replies that they leave.
const VALUE_ORDER_FROM: u8 = 3;
/// Solving a position costs about as much as searching it so many plies short of its end.
const SOLVE_SHORT_OF_END: u8 = 9;

/// The alpha-beta engine.
pub struct AlphaBeta {
    table: TranspositionTable,
}

impl AlphaBeta {
    /// An engine with a transposition table of at most this many bytes.
    pub fn new(table_bytes: usize) -> AlphaBeta {
        AlphaBeta { table: TranspositionTable::new(table_bytes) }
    }
}

impl Search for AlphaBeta {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.table.new_search(task.contempt);
        let mut stop = |nodes, evaluations| control.must_stop(nodes, evaluations);
        let mut walk = Walk { task, control, solver: Solver::new(&mut self.table, task.contempt, &mut stop) };
        let mut roots = walk.static_roots();
        let mut report = walk.report(&roots, roots.len());
        for stage in Stage::plan(task, control.limits()) {
            if control.is_past_soft_time() || walk.must_stop() {
                break;
            }
            let searched = walk.iteration(&mut roots, stage);
            if walk.solver.stopped {
                if searched > 0 && task.lines == 1 && task.margin.is_none() {
                    report = walk.interrupted_report(&roots, &report);
                    sink(&report);
                }
                break;
            }
            report = walk.report(&roots, searched);
            sink(&report);
        }
        report.nodes = walk.solver.nodes;
        report.evaluations = walk.solver.evaluations;
        report.elapsed = control.elapsed();
        report
    }

    fn clear(&mut self) {
        self.table.clear();
    }
}

/// One iteration's goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// So many plies, then the static evaluation.
    Midgame(u8),
    /// The result under perfect play.
    Solve,
    /// Who wins under perfect play.
    SolveOutcome,
}

impl Stage {
    /// Ever deeper, and then, where the end is near enough for the depth asked for, to the end.
    fn plan(task: &Task, limits: &Limits) -> Vec<Stage> {
        let empties = task.position.empties().count() as u8;
        let solve = match task.precision {
            Precision::Score => Stage::Solve,
            Precision::WinLossDraw => Stage::SolveOutcome,
        };
        let solves = limits.depth.is_none_or(|depth| empties <= solved_from(depth));
        let last = if solves { empties.saturating_sub(SOLVE_SHORT_OF_END) } else { empties.saturating_sub(1) };
        let last = limits.depth.map_or(last, |depth| last.min(depth));
        (2..=last).map(Stage::Midgame).chain(solves.then_some(solve)).collect()
    }

    fn label(self) -> SearchDepth {
        match self {
            Stage::Midgame(depth) => SearchDepth::Plies(depth),
            Stage::Solve => SearchDepth::Exact,
            Stage::SolveOutcome => SearchDepth::WinLossDraw,
        }
    }
}

/// From how many empty squares on a search of this depth solves instead: what costs no more than such a search does in
/// the middle of the game.
fn solved_from(depth: u8) -> u8 {
    depth.saturating_mul(2).min(depth.saturating_add(8))
}

/// A turn at the root.
struct Root {
    child: Position,
    line: Line,
    /// The value or bound that the last search of it returned.
    last: i32,
}

struct Walk<'a> {
    task: &'a Task,
    control: &'a Control,
    solver: Solver<'a>,
}

impl Walk<'_> {
    fn must_stop(&self) -> bool {
        self.control.must_stop(self.solver.nodes, self.solver.evaluations)
    }

    /// Every turn with the static value of the position it leads to: the search of one ply, which is always done.
    fn static_roots(&mut self) -> Vec<Root> {
        let position = &self.task.position;
        let moves = position.moves();
        let turns = moves.into_iter().map(Move::Place).chain(moves.is_empty().then_some(Move::Pass));
        let mut roots: Vec<Root> = turns
            .map(|turn| {
                let child = position.take(turn).expect("a legal turn");
                self.solver.nodes += 1;
                let score = Score::from_units(-self.leaf(&child));
                let depth = SearchDepth::Plies(u8::from(turn != Move::Pass));
                let line = Line { turn, score, bound: Bound::Exact, depth, pv: vec![turn], visits: 0 };
                Root { child, line, last: score.units() }
            })
            .collect();
        roots.sort_by_key(|root| -root.line.score);
        roots
    }

    /// Searches the roots in their order and sorts the ones whose value is known, best first, to the front; returns how
    /// many these are. Stops early if the control says so.
    fn iteration(&mut self, roots: &mut [Root], stage: Stage) -> usize {
        let mut known = 0;
        for i in 0..roots.len() {
            let floor = self.floor(&roots[..known]);
            if stage == Stage::SolveOutcome && floor >= DISC {
                // Nothing is better than to win.
                break;
            }
            let guess = roots[i].line.score.units();
            let value = self.root_value(&roots[i], stage, floor, guess);
            if self.solver.stopped {
                break;
            }
            roots[i].last = value;
            if value <= floor {
                continue;
            }
            let pv = self.expected_play(&roots[i], stage, value);
            let line = &mut roots[i].line;
            (line.score, line.depth, line.pv) = (Score::from_units(value), stage.label(), pv);
            line.bound = match (stage, value.signum()) {
                (Stage::SolveOutcome, 1) => Bound::Lower,
                (Stage::SolveOutcome, -1) => Bound::Upper,
                _ => Bound::Exact,
            };
            // Among equals the one searched first stays first.
            let place = roots[..known].partition_point(|root| root.line.score >= roots[i].line.score);
            roots[place..=i].rotate_right(1);
            known += 1;
        }
        known
    }

    /// What a further move must exceed to be of interest.
    fn floor(&self, known: &[Root]) -> i32 {
        if known.len() < self.task.lines {
            return -INFINITY;
        }
        let last_wanted = known[self.task.lines - 1].line.score.units();
        match self.task.margin {
            Some(margin) => last_wanted.min(known[0].line.score.units() - margin.units() - 1),
            None => last_wanted,
        }
    }

    /// The exact value of a turn if it exceeds the floor, else a bound at or below it.
    fn root_value(&mut self, root: &Root, stage: Stage, floor: i32, guess: i32) -> i32 {
        let mut value = |low: i32, high: i32| -self.child_value(root, stage, -high, -low);
        if stage == Stage::SolveOutcome {
            return value(floor.max(-DISC), DISC).clamp(-DISC, DISC);
        }
        if floor > -INFINITY {
            let first = value(floor, floor + 1);
            return if first <= floor { first } else { value(floor, INFINITY) };
        }
        let mut reach = ASPIRATION;
        let (mut low, mut high) = ((guess - reach).max(-INFINITY), (guess + reach).min(INFINITY));
        loop {
            let found = value(low, high);
            reach *= 4;
            if found <= low && low > -INFINITY {
                low = (found - reach).max(-INFINITY);
            } else if found >= high && high < INFINITY {
                high = (found + reach).min(INFINITY);
            } else {
                return found;
            }
        }
    }

    fn child_value(&mut self, root: &Root, stage: Stage, alpha: i32, beta: i32) -> i32 {
        match stage {
            Stage::Solve | Stage::SolveOutcome => {
                // The window of whole discs that tells the same values apart.
                let (low, high) = (alpha.div_euclid(DISC), -(-beta).div_euclid(DISC));
                self.solver.solve(&root.child, low, high) * DISC
            }
            Stage::Midgame(depth) => {
                self.value(&root.child, depth - u8::from(root.line.turn != Move::Pass), alpha, beta)
            }
        }
    }

    /// Fail-soft principal variation search. A pass costs no depth.
    fn value(&mut self, position: &Position, depth: u8, alpha: i32, beta: i32) -> i32 {
        if depth == 0 {
            self.solver.nodes += 1;
            return self.leaf(position);
        }
        if self.solver.count_and_check() {
            return 0;
        }
        let moves = position.moves();
        if moves.is_empty() {
            let passed = position.pass();
            return if passed.moves().is_empty() {
                self.task.contempt.outcome(position)
            } else {
                -self.value(&passed, depth, -beta, -alpha)
            };
        }
        let entry = self.solver.table.probe(position);
        if let Some(entry) = entry.filter(|entry| entry.depth >= depth) {
            if entry.lower >= beta || entry.lower == entry.upper {
                return entry.lower;
            }
            if entry.upper <= alpha {
                return entry.upper;
            }
        }
        let first = entry.and_then(|entry| entry.best);
        let mut children = Candidates::of(position, moves);
        if depth >= VALUE_ORDER_FROM {
            self.solver.evaluations += children.len() as u64;
            children.sort_by_value(&*self.task.evaluator, first);
        } else if depth > 1 {
            children.sort_by_replies(first);
        }
        let (mut best, mut best_move) = (-INFINITY, None);
        for candidate in &children {
            let bound = alpha.max(best);
            let scout = best > -INFINITY && beta - bound > 1;
            let mut value = -self.value(&candidate.child, depth - 1, if scout { -bound - 1 } else { -beta }, -bound);
            if scout && value > bound && value < beta {
                value = -self.value(&candidate.child, depth - 1, -beta, -bound);
            }
            if self.solver.stopped {
                return 0;
            }
            if value > best {
                (best, best_move) = (value, Some(candidate.square));
                if best >= beta {
                    break;
                }
            }
        }
        if depth > 1 {
            let lower = if best > alpha { best } else { -INFINITY };
            let upper = if best < beta { best } else { INFINITY };
            self.solver.table.store(position, Entry { lower, upper, depth, best: best_move });
        }
        best
    }

    fn leaf(&mut self, position: &Position) -> i32 {
        if position.moves().is_empty() && position.is_over() {
            return self.task.contempt.outcome(position);
        }
        self.solver.evaluations += 1;
        self.task.evaluator.evaluate(position)
    }

    /// The expected play behind a turn: the best moves that the table remembers, and in a solved position the rest of
    /// the game, found by solving again what the table has forgotten.
    fn expected_play(&mut self, root: &Root, stage: Stage, value: i32) -> Vec<Move> {
        let mut game = GameRecord::from_position(root.child);
        let mut value = -value;
        let mut depth = match stage {
            Stage::Solve | Stage::SolveOutcome => usize::MAX,
            Stage::Midgame(depth) => usize::from(depth - 1),
        };
        while depth > 0 && !game.position().is_over() {
            let position = *game.position();
            let moves = position.moves();
            if moves.is_empty() {
                game.take(Move::Pass).expect("a pass is forced");
                value = -value;
                continue;
            }
            let square = match stage {
                Stage::Midgame(_) if depth == 1 => self.best_looking_move(&position),
                Stage::Midgame(_) => self.solver.table.probe(&position).and_then(|entry| entry.best),
                Stage::Solve => self.solving_move(&position, value / DISC),
                // The side that loses may do what it likes.
                Stage::SolveOutcome if value < 0 => self.solving_move(&position, -endgame::INFINITY),
                Stage::SolveOutcome => self.solving_move(&position, value / DISC),
            };
            let Some(square) = square else { break };
            game.take(Move::Place(square)).expect("a legal move");
            value = -value;
            depth -= 1;
        }
        std::iter::once(root.line.turn).chain(game.turns().iter().copied()).collect()
    }

    /// The best move by the static evaluation: the last ply of a line, which the table does not keep.
    fn best_looking_move(&mut self, position: &Position) -> Option<Square> {
        position.moves().into_iter().min_by_key(|&square| self.leaf(&position.after(square)))
    }

    /// A move worth at least this, the value of a solved position, the table's own first; `None` if there is no time to
    /// find it.
    fn solving_move(&mut self, position: &Position, value: i32) -> Option<Square> {
        let mut children = Candidates::of(position, position.moves());
        children.sort_by_replies(self.solver.table.probe(position).and_then(|entry| entry.best));
        let keeps = |candidate: &&super::ordering::Candidate| {
            -self.solver.solve(&candidate.child, -value, 1 - value) >= value && !self.solver.stopped
        };
        children.into_iter().find(keeps).map(|candidate| candidate.square)
    }

    /// What is known when an iteration was cut short after at least one root.
    ///
    /// The leader of the roots searched so far is the expected best move or a better one, unless it turned out worse than
    /// the last iteration left possible for a root that was not reached: then that one is the better choice. Either way
    /// the move was compared with all others only in the last iteration, so its depth is what counts.
    fn interrupted_report(&self, roots: &[Root], before: &Report) -> Report {
        let leader = &roots[0];
        let hope = roots.iter().skip(1).max_by_key(|root| root.last).filter(|root| root.last > leader.last);
        let mut line = leader.line.clone();
        if let Some(hope) = hope {
            let (score, pv) = (Score::from_units(hope.last), vec![hope.line.turn]);
            line = Line { score, bound: Bound::Upper, pv, ..hope.line.clone() };
        }
        line.depth = before.depth;
        Report { lines: vec![line], depth: before.depth, ..self.report(roots, 1) }
    }

    /// What is known, of the first `known` roots.
    fn report(&self, roots: &[Root], known: usize) -> Report {
        let mut lines: Vec<Line> = roots[..known].iter().map(|root| root.line.clone()).collect();
        lines.truncate(self.task.lines_to_report(&lines));
        Report {
            depth: lines[0].depth,
            lines,
            nodes: self.solver.nodes,
            evaluations: self.solver.evaluations,
            elapsed: self.control.elapsed(),
            memory: MemoryUse::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::{Contempt, MinimaxKind, StopSignal, plain_minimax};
    use crate::testing::random_position;
    use std::time::Instant;

    fn think(task: &Task, limits: Limits) -> Report {
        AlphaBeta::new(1 << 20).think(task, &Control::with_limits(limits), &mut |_| {})
    }

    fn to_depth(depth: u8) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    #[test]
    fn every_move_has_its_minimax_value() {
        for seed in 0..40 {
            let position = random_position(seed, 60 - 10 - (seed % 30) as u32);
            if position.moves().is_empty() {
                continue;
            }
            let evaluator = EvaluatorKind::ALL[seed as usize % 2].build();
            let contempt = Contempt::new([0, 100, -7][seed as usize % 3]).unwrap();
            let depth = 2 + (seed % 3) as u8;
            let task = Task { lines: 60, contempt, ..Task::new(position, evaluator.clone()) };
            let report = think(&task, to_depth(depth));
            assert_eq!(report.lines.len(), position.moves().count() as usize);
            assert_eq!(report.depth, SearchDepth::Plies(depth));
            for line in &report.lines {
                let child = position.take(line.turn).unwrap();
                let plain = plain_minimax(
                    MinimaxKind::AlphaBeta,
                    &child,
                    u32::from(depth) - 1,
                    &*evaluator,
                    contempt,
                    &mut |_| false,
                );
                assert_eq!(line.score.units(), -plain.value, "{position} {} at depth {depth}", line.turn);
            }
            assert!(report.lines.is_sorted_by_key(|line| -line.score));
        }
    }

    #[test]
    fn the_table_changes_no_value() {
        for seed in 0..10 {
            let position = random_position(seed, 34);
            let task = Task::new(position, EvaluatorKind::Mobility.build());
            let with = think(&task, to_depth(6));
            let control = Control::with_limits(to_depth(6));
            let without = AlphaBeta::new(1).think(&task, &control, &mut |_| {});
            assert_eq!(with.lines[0].score, without.lines[0].score, "{position}");
        }
    }

    #[test]
    fn a_solved_position_is_played_out() {
        for seed in 0..20 {
            let position = random_position(seed, 11);
            if position.is_over() {
                continue;
            }
            let task = Task { lines: 2, ..Task::new(position, EvaluatorKind::WeightedSquares.build()) };
            let report = think(&task, Limits::default());
            assert!(report.depth.is_exact());
            for line in &report.lines {
                let mut game = GameRecord::from_position(position);
                line.pv.iter().for_each(|&turn| game.take(turn).unwrap());
                assert!(game.position().is_over(), "{position} {line:?}");
                let outcome = Score::from_discs(game.position().score_for_black());
                let for_mover = if position.mover() == crate::othello::Color::Black { outcome } else { -outcome };
                assert_eq!(line.score, for_mover, "{position} {line:?}");
            }
        }
    }

    #[test]
    fn the_outcome_is_the_sign_of_the_score() {
        let mut seen = [0; 3];
        for seed in 0..60 {
            let position = random_position(seed, 8 + (seed % 3) as u32);
            if position.is_over() {
                continue;
            }
            let contempt = Contempt::new([0, 0, 50][seed as usize % 3]).unwrap();
            let task = Task { contempt, ..Task::new(position, EvaluatorKind::Mobility.build()) };
            let score = think(&task, Limits::default()).lines[0].score;
            let outcome = Task { precision: Precision::WinLossDraw, ..task };
            let report = think(&outcome, Limits::default());
            let line = &report.lines[0];
            let expected = score.units().signum();
            seen[(expected + 1) as usize] += 1;
            assert_eq!(report.depth, SearchDepth::WinLossDraw);
            assert_eq!(line.score, Score::from_discs(expected), "{position}");
            assert_eq!(line.bound, [Bound::Upper, Bound::Exact, Bound::Lower][(expected + 1) as usize]);
            let mut game = GameRecord::from_position(position);
            line.pv.iter().for_each(|&turn| game.take(turn).unwrap());
            let end = game.position();
            assert!(end.is_over(), "{position} {line:?}");
            let for_mover = if end.mover() == position.mover() { 1 } else { -1 } * contempt.outcome(end);
            assert_eq!(for_mover.signum(), expected, "{position} {line:?}");
        }
        assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
    }

    #[test]
    fn moves_within_the_margin_are_listed_with_their_values() {
        let position = random_position(3, 40);
        let evaluator = EvaluatorKind::Mobility.build();
        let all = think(&Task { lines: 60, ..Task::new(position, evaluator.clone()) }, to_depth(4));
        let margin = Score::from_discs(6);
        let some = think(&Task { margin: Some(margin), ..Task::new(position, evaluator) }, to_depth(4));
        let best = all.lines[0].score.units();
        let within: Vec<_> = all
            .lines
            .iter()
            .filter(|line| line.score.units() >= best - margin.units())
            .map(|line| line.score)
            .collect();
        assert!(within.len() > 1 && within.len() < all.lines.len(), "a telling example");
        assert_eq!(some.lines.iter().map(|line| line.score).collect::<Vec<_>>(), within);
    }

    #[test]
    fn a_search_stopped_before_it_began_still_answers() {
        let signal = StopSignal::default();
        signal.stop();
        let control = Control::new(Limits::default(), signal, Instant::now());
        let task = Task::new(Position::START, EvaluatorKind::Mobility.build());
        let report = AlphaBeta::new(1 << 16).think(&task, &control, &mut |_| {});
        assert!(Position::START.take(report.lines[0].turn).is_ok());
    }

    #[test]
    fn the_plan_solves_near_the_end() {
        let task = |empties| {
            let full = (0..).map(|seed| random_position(seed, empties)).find(|p| p.empties().count() == empties);
            Task::new(full.unwrap(), EvaluatorKind::Mobility.build())
        };
        assert_eq!(Stage::plan(&task(12), &Limits::default()), [Stage::Midgame(2), Stage::Midgame(3), Stage::Solve]);
        assert_eq!(Stage::plan(&task(20), &to_depth(3)), [Stage::Midgame(2), Stage::Midgame(3)]);
        assert_eq!(Stage::plan(&task(1), &to_depth(1)), [Stage::Solve]);
        assert_eq!(Stage::plan(&task(10), &to_depth(60)).last(), Some(&Stage::Solve));
        let outcome = Task { precision: Precision::WinLossDraw, ..task(10) };
        assert_eq!(Stage::plan(&outcome, &Limits::default()).last(), Some(&Stage::SolveOutcome));
    }
}
