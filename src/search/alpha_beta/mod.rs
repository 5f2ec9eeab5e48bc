//! Iterative-deepening principal variation search with a transposition table and an exact endgame: Othello's classical
//! search, on one thread or several.

mod node;
mod root;
mod split;
pub(super) mod stage;
pub(super) mod walk;

use super::selectivity::Selectivity;
use super::threads::with_threads;
use super::transposition::TranspositionTable;
use super::{Control, Report, Search, Task};
use crate::eval::{Incremental, with_incremental};
use root::RootSearch;
use stage::Stage;
use walk::{Shared, Walk};

/// Parameters of the alpha-beta engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlphaBetaSettings {
    /// Size of the transposition table in bytes.
    pub table_bytes: usize,
    /// Threads that search together, at least 1. One thread visits the same positions every time.
    pub threads: usize,
    /// How sure a cut by a shallower search must be. The result of a solved position is exact whatever this is.
    pub selectivity: Selectivity,
}

impl Default for AlphaBetaSettings {
    fn default() -> AlphaBetaSettings {
        AlphaBetaSettings { table_bytes: 64 << 20, threads: 1, selectivity: Selectivity::BOLDEST }
    }
}

/// The alpha-beta engine.
pub struct AlphaBeta {
    table: TranspositionTable,
    threads: usize,
    selectivity: Selectivity,
}

impl AlphaBeta {
    /// An engine that has learnt nothing yet.
    pub fn new(settings: AlphaBetaSettings) -> AlphaBeta {
        AlphaBeta {
            table: TranspositionTable::new(settings.table_bytes),
            threads: settings.threads.max(1),
            selectivity: settings.selectivity,
        }
    }

    fn think_with<E: Incremental>(
        &self,
        evaluation: &E,
        task: &Task,
        control: &Control,
        sink: &mut dyn FnMut(&Report),
    ) -> Report {
        let shared = Shared::new(evaluation, task, &self.table, control);
        deepen(&shared, self.selectivity, self.threads, task, sink)
    }
}

/// Searches ever deeper with `threads` threads, until the task is done or the control of `shared` says stop.
pub(super) fn deepen<E: Incremental>(
    shared: &Shared<'_, E>,
    selectivity: Selectivity,
    threads: usize,
    task: &Task,
    sink: &mut dyn FnMut(&Report),
) -> Report {
    let selectivity = if shared.errors.is_some() { selectivity } else { Selectivity::NONE };
    let plan = Stage::plan(task, shared.control.limits(), selectivity);
    with_threads(
        threads,
        || Walk::new(shared).help(),
        || {
            let report = RootSearch::new(task, shared).run(&plan, sink);
            shared.pool.close();
            report
        },
        || {
            shared.stop();
            shared.pool.close();
        },
    )
}

impl Search for AlphaBeta {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.table.new_search(task.contempt);
        with_incremental!(&*task.evaluator, evaluation => self.think_with(evaluation, task, control, sink))
    }

    fn clear(&mut self) {
        self.table.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::game::DISC;
    use crate::notation::obf::ObfEntry;
    use crate::othello::{GameRecord, Position};
    use crate::search::{
        Bound, Contempt, Depth, Limits, MinimaxKind, Precision, Score, SearchDepth, StopSignal, plain_minimax,
    };
    use crate::testing::random_position;
    use web_time::Instant;

    fn with_table(table_bytes: usize) -> AlphaBeta {
        AlphaBeta::new(AlphaBetaSettings { table_bytes, ..AlphaBetaSettings::default() })
    }

    fn think(task: &Task, limits: Limits) -> Report {
        with_table(1 << 20).think(task, &Control::with_limits(limits), &mut |_| {})
    }

    fn to_depth(depth: u8) -> Limits {
        Limits { depth: Depth::new(depth), ..Limits::default() }
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
            let without = with_table(1).think(&task, &control, &mut |_| {});
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

    /// Asked for the outcome first, it finds the score in the end, and never leaves a win that it has proven.
    #[test]
    fn the_outcome_comes_before_the_score() {
        let mut interrupted = 0;
        for seed in 0..24 {
            let position = random_position(seed, 17);
            if position.is_over() {
                continue;
            }
            let scored = Task::new(position, EvaluatorKind::Pattern.build());
            let task = Task { precision: Precision::OutcomeFirst, ..scored.clone() };
            let truth = think(&scored, Limits::default()).lines[0].score;
            let report = think(&task, Limits::default());
            assert!(report.depth.is_exact());
            assert_eq!(report.lines[0].score, truth, "{position}");
            let mut proven = None;
            let limits = Limits { nodes: Some(report.nodes * 9 / 10), ..Limits::default() };
            let control = Control::with_limits(limits);
            let last = with_table(1 << 20).think(&task, &control, &mut |report| {
                if report.depth == SearchDepth::WinLossDraw {
                    proven = Some(report.lines[0].score.units().signum());
                }
            });
            let Some(proven) = proven else { continue };
            assert_eq!(proven, truth.units().signum(), "{position}");
            let after = position.take(last.lines[0].turn).unwrap();
            let kept = if after.is_over() {
                -after.score().signum()
            } else {
                -think(&Task { position: after, ..scored }, Limits::default()).lines[0].score.units().signum()
            };
            assert_eq!(kept, proven, "{position} {last:?}");
            interrupted += 1;
        }
        assert!(interrupted > 8, "{interrupted}");
    }

    /// Whoever asks who wins and has no time for the answer gets the estimate of the last plies, and no move that is known to lose while
    /// others were not looked at.
    #[test]
    fn an_outcome_that_was_cut_short_is_no_value() {
        let position = |text: &str| ObfEntry::parse(text).unwrap().position;
        // The first move loses, and d7 draws; the second position is lost.
        let draws = position("--O-O-X--XXXXXOOO-XOO-X--XXOXOXXX-XOX-X-OOXOXXXOXXO-O---XXXXXXX- X;");
        let lost = position("--XOO-X--XXXXX----XXXXXOOOOXXXOX--OXXXXX--OOOXXO---OXXX---O--OX- X;");
        let mut cut = 0;
        for (position, step) in [(draws, 3_001), (lost, 1_009)] {
            let task =
                Task { precision: Precision::WinLossDraw, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            for nodes in (1..60).map(|i| i * step) {
                let settings = AlphaBetaSettings { table_bytes: 4 << 20, ..AlphaBetaSettings::default() };
                let limits = Limits { nodes: Some(nodes), ..Limits::default() };
                let report = AlphaBeta::new(settings).think(&task, &Control::with_limits(limits), &mut |_| {});
                if report.depth == SearchDepth::WinLossDraw {
                    continue;
                }
                cut += 1;
                let line = &report.lines[0];
                assert_ne!(line.score.units().abs(), DISC, "{nodes}: {line:?}");
                assert_eq!(line.bound, Bound::Exact, "{nodes}: {line:?}");
            }
        }
        assert!(cut > 20, "{cut}");
    }

    #[test]
    fn several_threads_find_what_one_does() {
        for seed in 0..12 {
            let position = random_position(seed, 17 + (seed % 2) as u32);
            let contempt = Contempt::new([0, 0, 0, 20][seed as usize % 4]).unwrap();
            let lines = 1 + seed as usize % 3;
            let task = Task { lines, contempt, ..Task::new(position, EvaluatorKind::Mobility.build()) };
            let solve = |threads| {
                let settings = AlphaBetaSettings { table_bytes: 1 << 20, threads, selectivity: Selectivity::NONE };
                AlphaBeta::new(settings).think(&task, &Control::with_limits(Limits::default()), &mut |_| {})
            };
            let alone = solve(1);
            assert!(alone.depth.is_exact());
            for threads in [2, 4] {
                let together = solve(threads);
                let scores = |report: &Report| report.lines.iter().map(|line| line.score).collect::<Vec<_>>();
                assert_eq!(scores(&together), scores(&alone), "{position} with {threads} threads");
            }
            assert_eq!(solve(1).nodes, alone.nodes, "one thread does the same every time");
        }
    }

    #[test]
    fn several_threads_stop_when_told() {
        for nodes in [1, 5_000, 200_000] {
            let settings = AlphaBetaSettings { threads: 3, ..AlphaBetaSettings::default() };
            let task = Task::new(Position::START, EvaluatorKind::Mobility.build());
            let control = Control::with_limits(Limits { nodes: Some(nodes), ..Limits::default() });
            let report = AlphaBeta::new(settings).think(&task, &control, &mut |_| {});
            assert!(Position::START.take(report.lines[0].turn).is_ok());
            assert!(report.nodes <= nodes + 10_000, "{} of {nodes}", report.nodes);
        }
    }

    #[test]
    fn a_limit_of_evaluations_bounds_the_solver_too() {
        let mut met = 0;
        for (seed, empties) in (0..16).zip((15..23).cycle()) {
            let task = Task::new(random_position(seed, empties), EvaluatorKind::Pattern.build());
            for limit in [1_000, 30_000] {
                let report = think(&task, Limits { evaluations: Some(limit), ..Limits::default() });
                assert!(
                    report.evaluations <= limit + limit / 50 + 100,
                    "{} of {limit}, {empties} empty squares",
                    report.evaluations
                );
                met += u32::from(report.evaluations >= limit);
            }
        }
        assert!(met > 16, "{met}");
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
        let report = with_table(1 << 16).think(&task, &control, &mut |_| {});
        assert!(Position::START.take(report.lines[0].turn).is_ok());
    }
}
