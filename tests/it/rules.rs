//! The rules against a slow, obvious reference, and the perft suites.

use crate::games::{game_from_anywhere, picks};
use crate::reference::{Board, Point};
use emilia::notation::read_position;
use emilia::othello::{PassRule, Position, Square, flips, legal_moves, perft};
use proptest::prelude::*;
use std::path::Path;

fn square((column, row): Point) -> Square {
    Square::at(column as u8, row as u8).expect("the reference stays on the board")
}

/// Compares everything that the rules say about one position.
fn compare(board: &Board, position: &Position) -> Result<(), TestCaseError> {
    prop_assert_eq!(position.to_string(), board.text());
    let moves: Vec<Square> = board.moves().into_iter().map(square).collect();
    prop_assert_eq!(position.moves().into_iter().collect::<Vec<_>>(), moves.clone(), "{}", position);
    prop_assert_eq!(legal_moves(position.player(), position.opponent()), position.moves());
    prop_assert_eq!(position.is_over(), board.is_over());
    prop_assert_eq!(position.must_pass(), moves.is_empty() && !board.is_over());
    prop_assert_eq!(position.score(), board.score());
    let for_black = if board.mover == 'X' { board.score() } else { -board.score() };
    prop_assert_eq!(position.score_for_black(), for_black);
    for s in Square::all() {
        let point = (usize::from(s.column()), usize::from(s.row()));
        let turned = board.turned(point);
        if position.empties().contains(s) {
            let expected = turned.iter().copied().map(square).collect();
            prop_assert_eq!(flips(s, position.player(), position.opponent()), expected, "{} in {}", s, position);
        }
        match position.play(s) {
            Ok(next) => prop_assert_eq!(next.to_string(), board.play(point).text()),
            Err(_) => prop_assert!(turned.is_empty(), "{} is legal in {}", s, position),
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_games_agree_with_the_reference(picks in picks()) {
        let mut board = Board::start();
        let mut position = Position::START;
        compare(&board, &position)?;
        for pick in picks {
            let moves = board.moves();
            if moves.is_empty() {
                if board.is_over() {
                    break;
                }
                board = board.pass();
                position = position.pass();
            } else {
                let point = moves[usize::from(pick) % moves.len()];
                board = board.play(point);
                position = position.after(square(point));
            }
            compare(&board, &position)?;
        }
    }

    #[test]
    fn any_board_agrees_with_the_reference(squares in prop::collection::vec(0..3usize, 64), black in any::<bool>()) {
        // Boards that no game reaches are good tests too, as long as the centre is filled.
        let mut text: Vec<char> = squares.into_iter().map(|i| ['X', 'O', '-'][i]).collect();
        for centre in [27, 28, 35, 36] {
            if text[centre] == '-' {
                text[centre] = 'X';
            }
        }
        text.extend([' ', if black { 'X' } else { 'O' }]);
        let board = Board::parse(&text.iter().collect::<String>());
        let game = read_position(&board.text()).expect("it is a board");
        compare(&board, game.position())?;
    }

    #[test]
    fn taking_back_restores_every_position(game in game_from_anywhere()) {
        let positions = game.positions().to_vec();
        let mut game = game;
        for expected in positions.iter().rev().skip(1) {
            prop_assert!(game.undo().is_some());
            prop_assert_eq!(game.position(), expected);
        }
        prop_assert_eq!(game.undo(), None);
    }
}

/// One line of a suite: `name | position | ply or free | depth: leaves, depth: leaves, ...`
struct Case {
    name: String,
    position: String,
    rule: PassRule,
    leaves: Vec<(u32, u64)>,
}

fn suite(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/perft").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let cases: Vec<Case> = lines
        .map(|line| {
            let fields: Vec<&str> = line.split('|').map(str::trim).collect();
            let &[name, position, rule, leaves] = fields.as_slice() else {
                panic!("{}: four fields are needed: {line}", path.display());
            };
            let rule = match rule {
                "ply" => PassRule::Ply,
                "free" => PassRule::Free,
                _ => panic!("{}: ply or free is needed: {line}", path.display()),
            };
            let entry = |entry: &str| {
                let (depth, leaves) = entry.split_once(':').expect("depth: leaves");
                (depth.trim().parse().expect("a depth"), leaves.trim().parse().expect("a number of leaves"))
            };
            Case { name: name.into(), position: position.into(), rule, leaves: leaves.split(',').map(entry).collect() }
        })
        .collect();
    assert!(!cases.is_empty(), "{} has no cases", path.display());
    cases
}

const SUITES: [&str; 3] = ["start.txt", "passes.txt", "early-ends.txt"];

fn check(limit: u64) {
    for case in SUITES.into_iter().flat_map(suite) {
        let game = read_position(&case.position).unwrap_or_else(|error| panic!("{}: {error}", case.name));
        for (depth, leaves) in case.leaves.into_iter().filter(|(_, leaves)| *leaves <= limit) {
            assert_eq!(perft(game.position(), depth, case.rule), leaves, "{} at depth {depth}", case.name);
        }
    }
}

#[test]
fn perft_suites_up_to_a_few_million_leaves() {
    check(3_500_000);
}

#[test]
#[ignore = "counts thousands of millions of leaves; run it after a change to the move generator"]
fn perft_suites_without_a_limit() {
    check(u64::MAX);
}

#[test]
fn the_reference_counts_the_same_leaves() {
    for case in SUITES.into_iter().flat_map(suite) {
        let board = Board::parse(&case.position);
        for (depth, leaves) in case.leaves.into_iter().filter(|(_, leaves)| *leaves <= 10_000) {
            assert_eq!(board.perft(depth, case.rule == PassRule::Ply), leaves, "{} at depth {depth}", case.name);
        }
    }
}
