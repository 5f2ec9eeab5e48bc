//! Proofs against searches that have nothing to be wrong with, in little memory, with several threads, stopped anywhere.

use super::*;
use crate::eval::{EvaluatorKind, FromScratch, Pattern};
use crate::game::DISC;
use crate::notation::obf::ObfEntry;
use crate::othello::{Color, GameRecord, Position};
use crate::search::tests::{outcome_of, scores, small_alpha_beta, think, to_depth, visiting};
use crate::search::{Bound, Contempt, Precision, Score, SearchDepth, StopSignal};
use crate::testing::random_position;
use web_time::Instant;

const MEGABYTE: usize = 1 << 20;

/// A proof with little memory in one thread.
fn prover<'a, E: Incremental>(
    evaluation: &'a E,
    task: &'a Task,
    table: &'a TranspositionTable,
    control: &'a Control,
) -> Prover<'a, E> {
    Prover { evaluation, task, table, control, selectivity: Selectivity::BOLDEST, threads: 1, memory: MEGABYTE }
}

fn table_for(task: &Task, bytes: usize) -> TranspositionTable {
    let mut table = TranspositionTable::new(bytes);
    table.new_search(task.contempt);
    table
}

/// What a proof says that begins with what a search said.
fn go_on<E: Incremental>(prover: &Prover<'_, E>, start: &Report) -> (Report, State) {
    let state = prover.explore(start, &mut |_| {});
    (prover.answer(&state, start), state)
}

/// A proof by the graph alone, as if no search could take the position at once.
fn prove(task: &Task, memory: usize, threads: usize, limits: Limits) -> (Report, State) {
    let (table, control) = (table_for(task, MEGABYTE), Control::with_limits(limits));
    let evaluation = FromScratch(&*task.evaluator);
    go_on(&Prover { memory, threads, ..prover(&evaluation, task, &table, &control) }, &glance(task))
}

/// What a search of one ply says.
fn glance(task: &Task) -> Report {
    think(&mut small_alpha_beta(), task, Limits { nodes: Some(1), ..to_depth(1) })
}

fn by_alpha_beta(task: &Task) -> Report {
    think(&mut small_alpha_beta(), task, Limits::default())
}

/// Positions that are not over, one in four with a pass to begin with.
fn positions(empties: std::ops::RangeInclusive<u32>, count: u64) -> impl Iterator<Item = (u64, Position)> {
    let span = u64::from(empties.end() - empties.start() + 1);
    (0..count).map(move |i| {
        let empties = empties.start() + (i % span) as u32;
        let suits = |position: &Position| !position.is_over() && (i % 4 != 3 || position.must_pass());
        let found = (0..).map(|seed| random_position(1_000 * i + seed, empties)).find(suits);
        (i, found.expect("there is always another one"))
    })
}

/// The line ends the game with its own score.
fn assert_played_out(task: &Task, line: &crate::search::Line) {
    let outcome = outcome_of(task, line);
    match task.precision {
        Precision::Score | Precision::OutcomeFirst => assert_eq!(line.score, outcome, "{} {line:?}", task.position),
        Precision::WinLossDraw => {
            assert_eq!(line.score.units().signum(), outcome.units().signum(), "{} {line:?}", task.position);
        }
    }
}

#[test]
fn scores_are_those_of_alpha_beta() {
    let (mut draws, mut passes, mut stored) = (0, 0, 0);
    for (i, position) in positions(10..=16, 84) {
        let contempt = Contempt::new([0, 0, 7, -100, 100][i as usize % 5]).unwrap();
        let kind = [EvaluatorKind::Pattern, EvaluatorKind::Mobility][i as usize / 7 % 2];
        let task = Task { contempt, ..Task::new(position, kind.build()) };
        let (report, state) = prove(&task, MEGABYTE, 1 + (i % 3 == 2) as usize, Limits::default());
        let truth = by_alpha_beta(&task);
        assert!(report.depth.is_exact(), "{position} {report:?}");
        assert_eq!(report.lines.len(), 1);
        assert_eq!(report.lines[0].score, truth.lines[0].score, "{position} {contempt:?}");
        assert_played_out(&task, &report.lines[0]);
        let (largest, questions) = (state.largest_leaf, state.questions);
        assert!(largest <= LEAF_LIMIT + 4_000, "{largest} in {questions} questions");
        draws += u32::from(truth.lines[0].score.units() == contempt.draw_for(position.mover()) * DISC);
        passes += u32::from(position.must_pass());
        stored += state.graph.nodes.len();
    }
    assert!(draws > 0 && passes > 0 && stored > 1_000, "{draws} {passes} {stored}");
}

#[test]
fn outcomes_are_the_signs_of_the_scores() {
    for (i, position) in positions(10..=14, 40) {
        let contempt = Contempt::new([0, 50][i as usize % 2]).unwrap();
        let scored = Task { contempt, ..Task::new(position, EvaluatorKind::Pattern.build()) };
        let task = Task { precision: Precision::WinLossDraw, ..scored.clone() };
        let (report, _) = prove(&task, MEGABYTE, 1, Limits::default());
        let expected = by_alpha_beta(&scored).lines[0].score.units().signum();
        let line = &report.lines[0];
        assert_eq!((report.depth, line.score), (SearchDepth::WinLossDraw, Score::from_discs(expected)), "{position}");
        assert_eq!(line.bound, [Bound::Upper, Bound::Exact, Bound::Lower][(expected + 1) as usize]);
        assert_played_out(&task, line);
    }
}

#[test]
fn every_line_has_its_score() {
    for (i, position) in positions(10..=13, 24) {
        let lines = [2, 60][i as usize % 2];
        let task = Task { lines, ..Task::new(position, EvaluatorKind::Pattern.build()) };
        let (report, _) = prove(&task, MEGABYTE, 1, Limits::default());
        let truth = by_alpha_beta(&task);
        assert_eq!(scores(&report), scores(&truth), "{position}");
        assert!(report.depth.is_exact());
        report.lines.iter().for_each(|line| assert_played_out(&task, line));
        let margin = Some(Score::from_discs(6));
        let task = Task { lines: 1, margin, ..task };
        let (some, _) = prove(&task, MEGABYTE, 1, Limits::default());
        assert_eq!(scores(&some), scores(&by_alpha_beta(&task)), "{position} with a margin");
    }
}

#[test]
fn every_report_has_a_line_for_each_move() {
    for (_, position) in positions(14..=15, 6) {
        let task = Task { lines: usize::MAX, ..Task::new(position, EvaluatorKind::Pattern.build()) };
        let (table, control) = (table_for(&task, MEGABYTE), Control::with_limits(Limits::default()));
        let evaluation = FromScratch(&*task.evaluator);
        let truth = by_alpha_beta(&task);
        let mut reports = 0;
        prover(&evaluation, &task, &table, &control).explore(&glance(&task), &mut |report| {
            for line in &report.lines {
                let score = truth.lines.iter().find(|known| known.turn == line.turn).unwrap().score;
                let is_true = match line.bound {
                    Bound::Lower => score >= line.score,
                    Bound::Upper => score <= line.score,
                    Bound::Exact => score == line.score || !line.depth.is_exact(),
                };
                assert!(is_true, "{position} {line:?} {score:?}");
            }
            let mut turns: Vec<_> = report.lines.iter().map(|line| line.turn).collect();
            turns.sort_by_key(|turn| turn.square().map(|square| square.index()));
            turns.dedup();
            assert_eq!((turns.len(), report.lines.len()), (task.position.moves().count().max(1) as usize, turns.len()));
            reports += 1;
        });
        assert!(reports > 1, "{position}");
    }
}

/// A proof in a graph of a few nodes frees memory and goes on in linear space.
#[test]
fn the_cap_is_kept_and_changes_no_score() {
    let (mut dropped, mut linear) = (0, 0);
    for (i, position) in positions(15..=18, 16) {
        let task = Task::new(position, EvaluatorKind::Pattern.build());
        for memory in [0, 3_000, 20_000] {
            let (report, state) = prove(&task, memory, 1 + i as usize % 2, Limits::default());
            assert_eq!(report.lines[0].score, by_alpha_beta(&task).lines[0].score, "{position}");
            assert!(state.graph.bytes() <= memory.max(10_000), "{} of {memory} bytes", state.graph.bytes());
            (dropped, linear) = (dropped + state.work.pruned_nodes, linear + state.work.linear_nodes);
        }
    }
    assert!(dropped > 0 && linear > 0, "{dropped} {linear}");
}

#[test]
fn a_stopped_proof_says_what_is_true() {
    for (i, position) in positions(14..=18, 20) {
        let task = Task::new(position, EvaluatorKind::Pattern.build());
        let truth = by_alpha_beta(&task).lines[0].score;
        for nodes in [1, 500, 5_000, 30_000] {
            let (report, state) = prove(&task, MEGABYTE, 1 + i as usize % 2, visiting(nodes));
            let line = &report.lines[0];
            assert!(position.take(line.turn).is_ok());
            assert_eq!(line.pv[0], line.turn);
            assert!(report.nodes <= nodes + 20_000, "{} of {nodes}", report.nodes);
            let (lower, upper) = state.bounds();
            assert!(lower * DISC <= truth.units() && truth.units() <= upper * DISC, "{position} {lower} {upper}");
            if line.depth.is_exact() {
                assert_eq!(line.score, truth, "{position}");
            }
        }
    }
}

#[test]
fn the_stop_signal_is_heard() {
    let task = Task::new(random_position(4, 30), EvaluatorKind::Pattern.build());
    let table = TranspositionTable::new(MEGABYTE);
    let signal = StopSignal::default();
    let control = Control::new(Limits::default(), signal.clone(), Instant::now());
    let evaluation = FromScratch(&*task.evaluator);
    let prover = Prover { threads: 2, ..prover(&evaluation, &task, &table, &control) };
    let mut reports = 0;
    let report = prover.prove((0, 0), &mut |report| {
        assert!(task.position.take(report.lines[0].turn).is_ok());
        reports += 1;
        signal.stop();
    });
    assert!(reports > 0 && !report.depth.is_exact());
    assert!(task.position.take(report.lines[0].turn).is_ok());
}

#[test]
fn one_thread_does_the_same_every_time() {
    let task = Task::new(random_position(8, 17), EvaluatorKind::Pattern.build());
    let run = || {
        let report = prove(&task, MEGABYTE, 1, Limits::default()).0;
        (report.lines, report.nodes, report.evaluations)
    };
    assert_eq!(run(), run());
}

/// What is proven once is in the table: the rest of the game costs next to nothing.
#[test]
fn the_next_move_profits() {
    let task = Task::new(random_position(12, 18), EvaluatorKind::Pattern.build());
    let (table, control) = (table_for(&task, 16 * MEGABYTE), Control::with_limits(Limits::default()));
    let evaluation = FromScratch(&*task.evaluator);
    let prove = |task: &Task| go_on(&prover(&evaluation, task, &table, &control), &glance(task)).0;
    let first = prove(&task);
    let mut game = GameRecord::from_position(task.position);
    first.lines[0].pv[..2].iter().for_each(|&turn| game.take(turn).unwrap());
    let second = prove(&Task { position: *game.position(), ..task.clone() });
    assert_eq!(second.lines[0].score, first.lines[0].score);
    assert_eq!(game.position().mover() == Color::Black, task.position.mover() == Color::Black);
    assert!(second.nodes * 4 < first.nodes, "{} after {}", second.nodes, first.nodes);
}

/// The result of a wiped-out game counts as it is: there is nothing to go down to, however many squares are empty.
#[test]
fn a_game_that_ends_early_is_decided_at_once() {
    let entry = ObfEntry::parse("XXXXXXX-XXX-X-X-XXXXXXXXX-XXX-X-XXXXXXOX----X-X------X-X-------- O;").unwrap();
    let task = Task::new(entry.position, EvaluatorKind::Pattern.build());
    let (table, control) = (table_for(&task, MEGABYTE), Control::with_limits(visiting(3_000_000)));
    let evaluation = FromScratch(&*task.evaluator);
    let prover = prover(&evaluation, &task, &table, &control);
    // The second search finds in the table what the first has found, and follows it down.
    for _ in 0..2 {
        let start = prover.start((0, 0), &mut |_| {});
        assert!(!go_on(&prover, &start).0.lines.is_empty());
    }
}

/// FFO 40 to 44, where the file is there: right, and no leaf beyond the limit.
#[test]
#[ignore = "takes seconds, and needs the positions"]
fn ffo_40_to_44() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/ffo-40-59.obf");
    let Ok(text) = std::fs::read_to_string(&path) else {
        log::warn!("skipped: there is no {}", path.display());
        return;
    };
    let evaluator = EvaluatorKind::Pattern.build();
    for entry in text.lines().take(5).map(|line| ObfEntry::parse(line).unwrap()) {
        let task = Task::new(entry.position, evaluator.clone());
        let (table, control) = (table_for(&task, 512 * MEGABYTE), Control::with_limits(Limits::default()));
        let evaluation = &**Pattern::embedded();
        let prover = Prover { memory: 512 * MEGABYTE, ..prover(evaluation, &task, &table, &control) };
        let start = prover.start((0, 0), &mut |_| {});
        let (report, state) = go_on(&prover, &start);
        let line = &report.lines[0];
        assert_eq!(line.score, Score::from_discs(entry.moves[0].1));
        assert!(entry.moves.contains(&(line.turn, entry.moves[0].1)));
        let (largest, questions) = (state.largest_leaf, state.questions);
        assert!(largest <= LEAF_LIMIT + 4_000, "{largest} in {questions} questions");
        assert_played_out(&task, line);
    }
}
