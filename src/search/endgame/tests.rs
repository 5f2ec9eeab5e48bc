//! The solver against a search that has nothing to be wrong with.

use super::*;
use crate::othello::{Bitboard, Color, Symmetry};
use crate::testing::{random_position, random_position_with_holes};

/// Plain alpha-beta over every move in the order of the squares, down to the end of the game: no table, no bounds from
/// stable discs, no special case for the last squares.
fn brute_force(position: &Position, contempt: Contempt, alpha: i32, beta: i32) -> i32 {
    let moves = position.moves();
    if moves.is_empty() {
        let passed = position.pass();
        return if passed.moves().is_empty() {
            contempt.outcome(position) / DISC
        } else {
            -brute_force(&passed, contempt, -beta, -alpha)
        };
    }
    let mut best = -BEYOND_DISCS;
    for square in moves {
        best = best.max(-brute_force(&position.after(square), contempt, -beta, -best.max(alpha)));
        if best >= beta {
            break;
        }
    }
    best
}

/// A random position, or one in eight times one with holes in the centre, or one in four times one where either side has few discs left and
/// may lose the last of them.
fn varied_position(seed: u64, empties: u32) -> Position {
    if seed % 8 == 5 {
        return random_position_with_holes(seed, empties);
    }
    let position = random_position(seed, empties);
    if seed % 4 != 3 {
        return position;
    }
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let few = Bitboard([7, 23, 41].iter().fold(mixed, |bits, &turn| bits & mixed.rotate_left(turn)));
    let discs = !position.empties();
    let black = if seed % 8 == 3 { discs & few } else { discs & !few };
    Position::new(black, discs & !black, position.mover()).expect("the same squares are occupied")
}

/// Holds the solver to brute force: full windows and null windows around the value and far from it, in all eight
/// symmetries, with a table and with one of a single bucket, draws counting for nobody and for either side.
fn compare(seeds: std::ops::Range<u64>, most_empties: u64) {
    let mut tables = [TranspositionTable::new(1), TranspositionTable::new(1 << 20)];
    let (mut ends, mut passes, mut wipe_outs, mut draws) = (0, 0, 0, 0);
    for seed in seeds {
        let contempt = Contempt::new([0, 100, 0, 0, -3, -100, 0, 0, 7][seed as usize % 9]).unwrap();
        let position = varied_position(seed, (seed / 8 % (most_empties + 1)) as u32);
        let truth = brute_force(&position, contempt, -BEYOND_DISCS, BEYOND_DISCS);
        (ends, passes) = (ends + u32::from(position.is_over()), passes + u32::from(position.must_pass()));
        (wipe_outs, draws) =
            (wipe_outs + u32::from(truth.abs() == 64), draws + u32::from(truth == contempt.draw_for(position.mover())));
        for (number, symmetry) in Symmetry::ALL.into_iter().enumerate() {
            let image = symmetry.position(&position);
            // Every image finds an empty table first and its own results afterwards; small and large take turns.
            let table = &mut tables[(number + seed as usize) % 2];
            table.clear();
            table.new_search(contempt);
            let mut never = |_| Some(u64::MAX / 2);
            let mut local = LocalTable::default();
            let mut solver = Solver::new(table, contempt, &mut local, &mut never);
            let windows = [-20, -5, -1, 0, 1, 5, 20].map(|offset| (truth + offset).clamp(-126, 125));
            for bound in [windows[number % 7], truth - 1, truth] {
                let value = solver.solve(&image, bound, bound + 1);
                let right =
                    if truth > bound { value > bound && value <= truth } else { value <= bound && value >= truth };
                assert!(right, "{image}, {contempt:?}: {value} for {truth} in the window above {bound}");
            }
            assert_eq!(solver.solve(&image, -BEYOND_DISCS, BEYOND_DISCS), truth, "{image}, {contempt:?}");
            let narrow = solver.solve(&image, truth - 3, truth + 2);
            assert_eq!(narrow, truth, "{image}, {contempt:?} in a window of five");
        }
    }
    assert!(ends > 0 && passes > 0 && wipe_outs > 0 && draws > 0, "{ends} {passes} {wipe_outs} {draws}");
}

#[test]
fn equal_to_brute_force() {
    compare(0..800, 8);
}

#[test]
#[ignore = "takes minutes: 10,000 positions of up to 12 empty squares"]
fn equal_to_brute_force_on_ten_thousand_positions() {
    compare(10_000..20_000, 12);
}

#[test]
fn an_early_end_gives_the_empties_to_the_winner() {
    let table = TranspositionTable::new(1 << 16);
    let mut never = |_| Some(u64::MAX / 2);
    let mut local = LocalTable::default();
    let mut solver = Solver::new(&table, Contempt::NONE, &mut local, &mut never);
    let wiped_out = Position::new(Bitboard::CENTRE, Bitboard::EMPTY, Color::White).unwrap();
    for (alpha, beta) in [(-BEYOND_DISCS, BEYOND_DISCS), (-65, -64), (-64, -63), (10, 11)] {
        assert_eq!(solver.solve(&wiped_out, alpha, beta), -64);
    }
}

#[test]
fn a_node_is_a_position_entered() {
    let table = TranspositionTable::new(1 << 16);
    let mut never = |_| Some(u64::MAX / 2);
    let mut local = LocalTable::default();
    let mut solver = Solver::new(&table, Contempt::NONE, &mut local, &mut never);
    let mut most = 0;
    for seed in 0..400 {
        for empties in [0, 1] {
            solver.nodes = 0;
            solver.solve(&random_position(seed, empties), 0, 1);
            assert_eq!(solver.nodes, 1, "the position itself: nothing is entered but full boards");
        }
        // A bound that no move exceeds, so that all are tried; a pass is no node.
        let position = random_position(seed, 2);
        let (moves, bound) =
            if position.must_pass() { (position.opponent_moves(), -65) } else { (position.moves(), 64) };
        solver.nodes = 0;
        solver.solve(&position, bound, bound + 1);
        assert_eq!(solver.nodes, 1 + u64::from(moves.count()), "{position}");
        most = most.max(solver.nodes);
    }
    assert_eq!(most, 3);
}

#[test]
fn a_stopped_solver_says_so() {
    let table = TranspositionTable::new(1 << 16);
    let mut asked = 0;
    let mut stop = |nodes| {
        asked += 1;
        (nodes <= 20_000).then_some(4_096)
    };
    let mut local = LocalTable::default();
    let mut solver = Solver::new(&table, Contempt::NONE, &mut local, &mut stop);
    solver.solve(&random_position(3, 26), -64, 64);
    assert!(solver.stopped);
    assert!(solver.nodes < 120_000, "{}", solver.nodes);
    assert!(asked > 1);
}
