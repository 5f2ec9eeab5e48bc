//! Iterative-deepening principal variation search with a transposition table, ProbCut, singular extensions and an exact endgame: Othello's
//! classical search, on one thread or several.

mod root;
mod selective;
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
    /// How sure a cut by a shallower search must be; with [`Selectivity::NONE`] no move is searched deeper than others either. The result of a solved
    /// position is exact whatever this is.
    pub selectivity: Selectivity,
}

impl Default for AlphaBetaSettings {
    fn default() -> AlphaBetaSettings {
        AlphaBetaSettings { table_bytes: 64 << 20, threads: 1, selectivity: Selectivity::BOLDEST }
    }
}

/// The alpha-beta engine.
pub struct AlphaBeta {
    settings: AlphaBetaSettings,
    is_mtdf: bool,
    table: TranspositionTable,
}

impl AlphaBeta {
    /// An engine that has learned nothing yet.
    pub fn new(settings: AlphaBetaSettings) -> AlphaBeta {
        AlphaBeta { settings, is_mtdf: false, table: TranspositionTable::new(settings.table_bytes) }
    }

    /// One that finds the value of a turn at the root by null windows alone, each at the bound that the last one left (MTD(f): Plaat and others,
    /// "Best-first fixed-depth minimax algorithms", *Artificial Intelligence* 87, 1996).
    pub fn mtdf(settings: AlphaBetaSettings) -> AlphaBeta {
        AlphaBeta { is_mtdf: true, ..AlphaBeta::new(settings) }
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
    let plan = Stage::plan(task, shared.control.limits(), shared.possible(selectivity));
    with_threads(
        threads,
        || Walk::new(shared).help(),
        |call_for_help| {
            let report = RootSearch::new(task, shared).run(&plan, call_for_help, sink);
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
        with_incremental!(&*task.evaluator, evaluation => {
            let mut shared = Shared::new(evaluation, task, &self.table, control).for_threads(self.settings.threads);
            shared.is_mtdf = self.is_mtdf;
            deepen(&shared, self.settings.selectivity, self.settings.threads, task, sink)
        })
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
    use crate::othello::{Move, Position};
    use crate::search::tests::{
        by_alpha_beta, open_positions, outcome_of, scores, small_alpha_beta, think, to_depth, visiting,
    };
    use crate::search::{Bound, Contempt, Limits, Line, MinimaxKind, Precision, Score, SearchDepth, plain_minimax};
    use crate::testing::{random_position, tournament_positions};

    #[test]
    fn a_report_counts_what_it_took() {
        for (_, position) in open_positions(0..4, |_| 40) {
            let task = Task::new(position, EvaluatorKind::Pattern.build());
            for depth in 2..=7 {
                let mut last = (0, 0);
                let control = Control::with_limits(to_depth(depth));
                let report = small_alpha_beta().think(&task, &control, &mut |report| {
                    last = (report.nodes, report.evaluations);
                });
                assert_eq!(last, (report.nodes, report.evaluations), "{position} to depth {depth}");
            }
        }
    }

    #[test]
    fn a_line_that_a_limit_ends_is_shorter_and_not_another() {
        let (mut compared, mut shorter) = (0, 0);
        for (_, position) in open_positions(0..8, |_| 40) {
            let task = Task::new(position, EvaluatorKind::Pattern.build());
            let whole: Vec<Report> = (0..=9).map(|depth| by_alpha_beta(&task, to_depth(depth.max(1)))).collect();
            for nodes in (1_000..4_000).step_by(37) {
                let report = by_alpha_beta(&task, visiting(nodes));
                let Line { turn, score, pv, .. } = &report.lines[0];
                let depth = usize::from(report.depth.plies().unwrap());
                // The best move of an iteration that was not ended has a line of that, and the depth of the one before.
                let same: Vec<&Line> = whole[depth.min(9)..=(depth + 1).min(9)]
                    .iter()
                    .map(|report| &report.lines[0])
                    .filter(|line| (line.turn, line.score) == (*turn, *score))
                    .collect();
                assert!(same.is_empty() || same.iter().any(|line| line.pv.starts_with(pv)), "{report:?} {same:?}");
                compared += usize::from(!same.is_empty());
                shorter += usize::from(same.iter().any(|line| line.pv.len() > pv.len()));
            }
        }
        assert!(compared > 400 && shorter > 0, "{shorter} of {compared}");
    }

    #[test]
    fn every_move_has_its_minimax_value() {
        for (seed, position) in open_positions(0..40, |seed| 60 - 10 - (seed % 30) as u32) {
            if position.must_pass() {
                continue;
            }
            let evaluator = EvaluatorKind::ALL[seed as usize % 2].build();
            let contempt = Contempt::new([0, 100, -7][seed as usize % 3]).unwrap();
            let depth = 2 + (seed % 3) as u8;
            let task = Task { lines: 60, contempt, ..Task::new(position, evaluator.clone()) };
            let report = by_alpha_beta(&task, to_depth(depth));
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
        let mut visited = [0, 0];
        for (_, position) in open_positions(0..10, |_| 34) {
            let task = Task::new(position, EvaluatorKind::Mobility.build());
            let mut without = AlphaBeta::new(AlphaBetaSettings { table_bytes: 1, ..AlphaBetaSettings::default() });
            let [with, without] =
                [&mut small_alpha_beta(), &mut without].map(|search| think(search, &task, to_depth(6)));
            assert_eq!(with.lines[0].score, without.lines[0].score, "{position}");
            visited[0] += with.nodes;
            visited[1] += without.nodes;
        }
        assert!(visited[0] < visited[1], "the table is not used: {visited:?}");
    }

    #[test]
    fn a_solved_position_is_played_out() {
        for (_, position) in open_positions(0..20, |_| 11) {
            let task = Task { lines: 2, ..Task::new(position, EvaluatorKind::WeightedSquares.build()) };
            let report = by_alpha_beta(&task, Limits::default());
            assert!(report.depth.is_exact());
            for line in &report.lines {
                assert_eq!(line.score, outcome_of(&task, line), "{position} {line:?}");
            }
        }
    }

    #[test]
    fn a_solve_that_cuts_has_values_that_a_game_can_end_with() {
        let mut seen = 0;
        // In these a cut leaves a value that is none.
        for (seed, to_black) in [2, 6, 15].into_iter().flat_map(|seed| [(seed, 0), (seed, 50)]) {
            let position = random_position(seed, 18);
            let contempt = Contempt::new(to_black).unwrap();
            let task = Task { lines: 60, contempt, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            small_alpha_beta().think(&task, &Control::with_limits(Limits::default()), &mut |report| {
                if report.depth.plies().is_some_and(|plies| position.empty_count().are_within(plies)) {
                    seen += report.lines.len();
                    for score in report.lines.iter().map(|line| line.score) {
                        let is_result = score.units() % (2 * DISC) == 0 && (to_black == 0 || score != Score::ZERO);
                        let is_draw = score == Score::from_discs(contempt.draw_for(position.mover()));
                        assert!(is_result || is_draw, "{score} {position}");
                    }
                }
            });
        }
        assert!(seen > 20, "{seen}");
    }

    #[test]
    fn a_pass_costs_the_expected_play_nothing() {
        let passed = (0..).map(|seed| random_position(seed, 24).pass());
        for position in passed.filter(|position| position.moves().is_empty() && !position.is_over()).take(3) {
            let task = Task::new(position, EvaluatorKind::Mobility.build());
            let report = by_alpha_beta(&task, to_depth(6));
            let line = &report.lines[0].pv;
            assert_eq!(line[0], Move::Pass, "{position}");
            assert_eq!(line.iter().filter(|&&turn| turn != Move::Pass).count(), 6, "{position}");
        }
    }

    #[test]
    fn the_outcome_is_the_sign_of_the_score() {
        let mut seen = [0; 3];
        for (seed, position) in open_positions(0..60, |seed| 8 + (seed % 3) as u32) {
            let contempt = Contempt::new([0, 0, 50][seed as usize % 3]).unwrap();
            let task = Task { contempt, ..Task::new(position, EvaluatorKind::Mobility.build()) };
            let score = by_alpha_beta(&task, Limits::default()).lines[0].score;
            let outcome = Task { precision: Precision::WinLossDraw, ..task };
            let report = by_alpha_beta(&outcome, Limits::default());
            let line = &report.lines[0];
            let expected = score.units().signum();
            seen[(expected + 1) as usize] += 1;
            assert_eq!(report.depth, SearchDepth::WinLossDraw);
            assert_eq!(line.score, Score::from_discs(expected), "{position}");
            assert_eq!(line.bound, [Bound::Upper, Bound::Exact, Bound::Lower][(expected + 1) as usize]);
            assert_eq!(outcome_of(&outcome, line).units().signum(), expected, "{position} {line:?}");
        }
        assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
    }

    /// Asked for the outcome first, it finds the score in the end, and never leaves a win that it has proven.
    #[test]
    fn the_outcome_comes_before_the_score() {
        let mut interrupted = 0;
        for (_, position) in open_positions(0..24, |_| 17) {
            let scored = Task::new(position, EvaluatorKind::Pattern.build());
            let task = Task { precision: Precision::OutcomeFirst, ..scored.clone() };
            let truth = by_alpha_beta(&scored, Limits::default()).lines[0].score;
            let report = by_alpha_beta(&task, Limits::default());
            assert!(report.depth.is_exact());
            assert_eq!(report.lines[0].score, truth, "{position}");
            let mut proven = None;
            let control = Control::with_limits(visiting(report.nodes * 9 / 10));
            let last = small_alpha_beta().think(&task, &control, &mut |report| {
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
                let behind = by_alpha_beta(&Task { position: after, ..scored }, Limits::default());
                -behind.lines[0].score.units().signum()
            };
            assert_eq!(kept, proven, "{position} {last:?}");
            interrupted += 1;
        }
        assert!(interrupted > 8, "{interrupted}");
    }

    /// Also where a draw counts for one side, and is a result of one disc.
    #[test]
    fn a_draw_that_is_worth_something_does_not_hide_a_win() {
        let known = "O***-*---O***-O-**O**OO-*O*OOO*-*OOOOO***OOO*O***OO*OO-**O-OOO-- *;";
        let known = ObfEntry::parse(known).unwrap().position;
        let random = open_positions(0..150, |seed| 11 + (seed % 7) as u32).map(|(_, position)| position);
        for position in random.chain([known]) {
            for contempt in [1, -1].map(|side| Contempt::new(side).unwrap()) {
                let task = Task { contempt, ..Task::new(position, EvaluatorKind::Pattern.build()) };
                let by_outcome = Task { precision: Precision::OutcomeFirst, ..task.clone() };
                let [score, other] =
                    [task, by_outcome].map(|task| by_alpha_beta(&task, Limits::default()).lines[0].score);
                assert_eq!(score, other, "{position} {contempt:?}");
            }
        }
    }

    /// Whoever asks who wins and has no time for the answer gets the estimate of the last plies, and no move that is known to lose while
    /// others were not looked at.
    #[test]
    fn an_outcome_that_was_cut_short_is_no_value() {
        let position = |text: &str| ObfEntry::parse(text).unwrap().position;
        // The first move loses, and d7 draws; the second position is lost.
        let draws = position("--O-O-X--XXXXXOOO-XOO-X--XXOXOXXX-XOX-X-OOXOXXXOXXO-O---XXXXXXX- X;");
        let lost = position("--XOO-X--XXXXX----XXXXXOOOOXXXOX--OXXXXX--OOOXXO---OXXX---O--OX- X;");
        // The win is known before the line that shows it.
        let won = position("XOOOO---XOOO----XOOOO-OXXOOXO-O-XXXXXXO-OXOOXOO-OXXXOOOOOX-XXXX- X;");
        let mut cut = 0;
        for (position, step) in [(draws, 3_001), (lost, 1_009), (won, 7)] {
            let task =
                Task { precision: Precision::WinLossDraw, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            for nodes in (1..60).map(|i| i * step) {
                let settings = AlphaBetaSettings { table_bytes: 4 << 20, ..AlphaBetaSettings::default() };
                let report = think(&mut AlphaBeta::new(settings), &task, visiting(nodes));
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

    /// With any number of positions.
    #[test]
    fn who_is_known_to_win_wins_and_an_estimate_has_the_depth_that_it_was_made_at() {
        let mut known = 0;
        for seed in 0..24 {
            let position = random_position(seed, 17 + (seed % 2) as u32);
            let task =
                Task { precision: Precision::OutcomeFirst, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            let search = |limits| think(&mut AlphaBeta::new(AlphaBetaSettings::default()), &task, limits);
            let solved = search(Limits::default());
            for part in 1..16 {
                let report = search(visiting(solved.nodes * part / 16));
                let (depth, score) = (report.depth, report.lines[0].score);
                if depth == SearchDepth::WinLossDraw {
                    known += 1;
                    assert_eq!(score.units().signum(), solved.lines[0].score.units().signum(), "{position} {part}/16");
                } else if depth.plies() == Some(position.empties().count() as u8) {
                    assert_eq!(score.units() % DISC, 0, "{position} {part}/16: {report:?}");
                }
            }
        }
        assert!(known > 40, "{known}");
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
                think(&mut AlphaBeta::new(settings), &task, Limits::default())
            };
            let alone = solve(1);
            assert!(alone.depth.is_exact());
            for threads in [2, 4] {
                assert_eq!(scores(&solve(threads)), scores(&alone), "{position} with {threads} threads");
            }
            assert_eq!(solve(1).nodes, alone.nodes, "one thread does the same every time");
        }
    }

    #[test]
    fn a_limit_of_evaluations_bounds_the_solver_too() {
        let mut met = 0;
        for (seed, empties) in (0..16).zip((15..23).cycle()) {
            let task = Task::new(random_position(seed, empties), EvaluatorKind::Pattern.build());
            for limit in [1_000, 30_000] {
                let report = by_alpha_beta(&task, Limits { evaluations: Some(limit), ..Limits::default() });
                let made = report.evaluations;
                assert!(made <= limit + limit / 50 + 100, "{made} of {limit}, {empties} empty squares");
                met += u32::from(made >= limit);
            }
        }
        assert!(met > 16, "{met}");
    }

    #[test]
    fn moves_within_the_margin_are_listed_with_their_values() {
        let task = Task::new(random_position(3, 40), EvaluatorKind::Mobility.build());
        let all = scores(&by_alpha_beta(&Task { lines: 60, ..task.clone() }, to_depth(4)));
        let margin = Score::from_discs(6);
        let some = scores(&by_alpha_beta(&Task { margin: Some(margin), ..task }, to_depth(4)));
        let is_within = |score: &&Score| score.units() >= all[0].units() - margin.units();
        let within: Vec<Score> = all.iter().filter(is_within).copied().collect();
        assert!(within.len() > 1 && within.len() < all.len(), "a telling example");
        assert_eq!(some, within);
    }

    /// Tournament positions with 36 empty squares.
    fn middle_games(number: usize) -> impl Iterator<Item = Position> {
        tournament_positions().filter(|position| position.empties().count() == 36).take(number)
    }

    /// What is searched beside the best move fills the table too.
    #[test]
    fn the_best_move_and_its_value_depend_less_on_the_number_of_lines_than_those_of_a_move_to_play() {
        let differing = |is_analysis| {
            let answer = |position, lines| {
                let task = Task { is_analysis, lines, ..Task::new(position, EvaluatorKind::Pattern.build()) };
                let report = think(&mut small_alpha_beta(), &task, to_depth(9));
                assert_eq!(report.lines.len(), lines.min(position.moves().count() as usize));
                assert!(report.lines.is_sorted_by_key(|line| -line.score));
                (report.lines[0].turn, report.lines[0].score)
            };
            middle_games(50).filter(|&position| answer(position, 1) != answer(position, 4)).count()
        };
        let (of_values, of_moves) = (differing(true), differing(false));
        assert!(of_values <= 2 && of_moves > of_values, "{of_values} {of_moves}");
    }

    /// Also those that are nearer to the best one than MTD(f) distinguishes values.
    #[test]
    fn with_cuts_too_lines_are_sorted_and_all_moves_within_the_margin_are_listed() {
        let settings = AlphaBetaSettings { table_bytes: 1 << 20, ..AlphaBetaSettings::default() };
        for make in [AlphaBeta::new, AlphaBeta::mtdf] {
            let (mut within, mut of_two, mut kept) = (0, 0, 0);
            for position in middle_games(30) {
                let task = Task { is_analysis: true, ..Task::new(position, EvaluatorKind::Pattern.build()) };
                let ask = |task: &Task| think(&mut make(settings), task, to_depth(8)).lines;
                let alone = ask(&task);
                let margin = Score::from_units(3 * DISC / 8);
                let [near, two, all] = [(1, Some(margin)), (2, None), (60, None)]
                    .map(|(lines, margin)| ask(&Task { lines, margin, ..task.clone() }));
                assert!(all.is_sorted_by_key(|line| -line.score));
                kept += [&near, &two, &all].into_iter().filter(|lines| lines[0].turn == alone[0].turn).count();
                assert!(near.iter().all(|line| line.score.units() >= near[0].score.units() - margin.units()));
                within += near.len() - 1;
                of_two += usize::from((two[1].score.units() - all[1].score.units()).abs() <= DISC / 2);
            }
            assert!(within > 2 && of_two > 24 && kept > 80, "{within} {of_two} {kept}");
        }
    }

    /// A move that is searched a ply deeper makes its line a ply longer. What the table has lost or replaced ends a few elsewhere.
    #[test]
    fn a_line_ends_where_its_value_was_found() {
        const DEPTH: usize = 9;
        let (mut equal, mut longer, mut lines) = (0, 0, 0);
        for position in middle_games(50) {
            let task = Task { is_analysis: true, ..Task::new(position, EvaluatorKind::Pattern.build()) };
            let line = think(&mut small_alpha_beta(), &task, to_depth(DEPTH as u8)).lines.remove(0);
            let mut end = position;
            line.pv.iter().for_each(|&turn| end = end.take(turn).unwrap());
            let (table, control) = (TranspositionTable::new(1), Control::with_limits(Limits::default()));
            let value = with_incremental!(&*task.evaluator, evaluation => {
                let shared = Shared::new(evaluation, &task, &table, &control);
                let mut walk = Walk::new(&shared);
                walk.leaf(&walk.node(end))
            });
            let sign = if end.mover() == position.mover() { 1 } else { -1 };
            equal += u32::from(sign * value == line.score.units());
            longer += u32::from(line.pv.len() > DEPTH);
            lines += 1;
        }
        assert!(equal > 30 && longer > 5, "{equal} {longer} of {lines}");
    }
}
