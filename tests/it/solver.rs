//! What is known of positions by other ways, and what no search may change: the results of solving them.

use crate::games::{random_positions, shared_data};
use emilia::analysis::{Question, Solver, Value};
use emilia::engine::{Engine, EngineOptions};
use emilia::eval::EvaluatorKind;
use emilia::notation::obf::ObfEntry;
use emilia::notation::read_position;
use emilia::othello::{Move, Outcome, Symmetry};
use emilia::search::{AlphaBeta, AlphaBetaSettings, Control, Depth, Limits, Report, Score, Search, Selectivity, Task};

/// A perfect game: the one of Takizawa's proof that Othello is a draw (arXiv 2310.19387). No side passes in it.
const PERFECT_GAME: &str = "F5D6C3D3C4F4F6F3E6E7D7C5B6D8C6C7D2B5A5A6A7G5E3B4C8G6G4C2E8D1F7E2G3H4F1E1F2G1B1F8G8B3H3B2H5B7A3A4A1A2C1H2H1G2B8A8\
     G7H8H7H6";

fn solver(threads: u32, question: Question) -> Solver {
    Solver::new(Engine::new(EngineOptions { threads, hash_mb: 32, ..EngineOptions::default() }), question)
}

fn quiet(_: u64, _: emilia::search::SearchDepth) {}

/// Solves the positions of the perfect game with these numbers of empty squares.
fn perfect_play_draws(empties: std::ops::RangeInclusive<u32>, threads: u32) {
    let game = read_position(PERFECT_GAME).unwrap();
    assert_eq!((game.turns().len(), game.position().score()), (60, 0));
    let positions = game.positions().iter().copied().filter(|position| empties.contains(&position.empties().count()));
    // From far to near, so that no result is read off the table.
    for position in positions {
        let solution = solver(threads, Question::Score).solve(&position, &mut quiet);
        assert_eq!(solution.value, Value::Score(0), "{position} with {threads} threads");
        let outcome = solver(threads, Question::Outcome).solve(&position, &mut quiet);
        assert_eq!(outcome.value, Value::Outcome(Outcome::Draw), "{position} with {threads} threads");
    }
}

#[test]
fn the_end_of_the_perfect_game_is_drawn() {
    perfect_play_draws(0..=14, 1);
    perfect_play_draws(10..=14, 2);
}

#[test]
#[ignore = "some minutes without optimisation: run it in release"]
fn the_perfect_game_is_drawn_from_far() {
    perfect_play_draws(15..=20, 1);
    perfect_play_draws(18..=20, 2);
}

/// Solves a file's positions and compares the scores that it has.
fn file_is_right(name: &str, threads: u32, question: Question) {
    let Some(text) = shared_data(name) else { return };
    let mut solver = solver(threads, question);
    for (i, entry) in text.lines().map(|line| ObfEntry::parse(line).unwrap()).enumerate() {
        let solution = solver.solve(&entry.position, &mut quiet);
        assert!(solution.value.outcome().is_some(), "{name}, position {}: {:?}", i + 1, solution.value);
        assert_eq!(solution.contradictions(&entry), [], "{name}, position {}", i + 1);
    }
}

#[test]
fn ffo_1_to_19_are_right() {
    file_is_right("ffo-1-19.obf", 1, Question::EveryMove);
    file_is_right("ffo-1-19.obf", 2, Question::Score);
    file_is_right("ffo-1-19.obf", 2, Question::Outcome);
}

#[test]
#[ignore = "some minutes without optimisation: run it in release"]
fn ffo_20_to_39_are_right() {
    file_is_right("ffo-20-39.obf", 2, Question::Score);
}

/// Every move with its value, in the order of the moves.
fn values(report: &Report) -> Vec<(Move, Score)> {
    let mut values: Vec<(Move, Score)> = report.lines.iter().map(|line| (line.turn, line.score)).collect();
    values.sort_by_key(|&(turn, _)| turn);
    values
}

fn search(table_bytes: usize, threads: usize, task: &Task, depth: Option<Depth>) -> Report {
    let settings = AlphaBetaSettings { table_bytes, threads, selectivity: Selectivity::NONE };
    let control = Control::with_limits(Limits { depth, ..Limits::default() });
    AlphaBeta::new(settings).think(task, &control, &mut |_| {})
}

#[test]
fn the_table_and_the_threads_change_no_value() {
    // Without cuts on suspicion a search of fixed depth is minimax, whatever it remembers, and however many search.
    for (i, position) in random_positions(36..=36).take(12).enumerate() {
        for eval in [EvaluatorKind::Mobility, EvaluatorKind::WeightedSquares] {
            let task = Task { lines: 60, ..Task::new(position, eval.build()) };
            let depth = Depth::new(4 + i as u8 % 3);
            let bare = search(1, 1, &task, depth);
            for threads in [1, 2] {
                let helped = search(1 << 20, threads, &task, depth);
                assert_eq!(values(&helped), values(&bare), "{position} {eval} {depth:?} {threads}");
                assert_eq!(helped.depth, bare.depth);
            }
        }
    }
    for position in random_positions(12..=12).take(12) {
        let task = Task { lines: 60, ..Task::new(position, EvaluatorKind::Mobility.build()) };
        let bare = search(1, 1, &task, None);
        assert!(bare.depth.is_exact());
        for threads in [1, 2] {
            assert_eq!(values(&search(1 << 20, threads, &task, None)), values(&bare), "{position} {threads}");
        }
    }
}

#[test]
fn the_eight_images_of_a_position_are_worth_the_same() {
    let cases = random_positions(14..=14).take(10).map(|position| (position, None));
    let cases = cases.chain(random_positions(30..=30).take(10).map(|position| (position, Depth::new(6))));
    for (position, depth) in cases {
        let value = |position| {
            let task = Task::new(position, EvaluatorKind::Mobility.build());
            let report = search(1 << 20, 1, &task, depth);
            (report.lines[0].score, report.depth)
        };
        let truth = value(position);
        for symmetry in Symmetry::ALL {
            let image = symmetry.position(&position);
            assert_eq!(value(image), truth, "{position} and {image}");
            assert_eq!(value(image.swap_colors()), truth, "{position} and {image} with the colours exchanged");
        }
    }
}
