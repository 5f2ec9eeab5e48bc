//! Othello on small boards, solved in two ways, with certificates that another program can check.
//!
//! [`Shape`] is a board of some of the 64 squares. [`AlphaBeta`] solves its positions depth first with a table, [`Proof`] best first
//! by proof numbers with the other at its leaves, and [`Certificate`] writes down the moves that show a value.

mod alpha_beta;
mod board;
mod certificate;
mod game;
mod proof;
mod table;

pub use alpha_beta::AlphaBeta;
pub use board::{Board, Shape};
pub use certificate::Certificate;
pub use game::{Differences, SixBySix};
pub use proof::Proof;

/// What a solver says of a position.
pub trait Solver {
    /// A bound in discs on the value for the side to move, on the side of `alpha` where the value lies.
    fn bound(&mut self, board: &Board, alpha: i32) -> i32;
}

/// The value of a position for the side to move, in discs: null windows from 0 on, until both bounds meet.
pub fn value(solver: &mut impl Solver, board: &Board) -> i32 {
    let (mut lower, mut upper) = (-board::MOST_SQUARES, board::MOST_SQUARES);
    let mut guess = 0;
    while lower < upper {
        // Is it at least the guess?
        let bound = solver.bound(board, guess - 1);
        if bound >= guess {
            (lower, guess) = (bound, bound + 1);
        } else {
            (upper, guess) = (bound, bound);
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Square;

    /// The value by plain minimax.
    fn minimax(shape: &Shape, board: &Board) -> i32 {
        let moves = shape.moves(board);
        if moves.is_empty() {
            let passed = board.pass();
            return if shape.moves(&passed).is_empty() { shape.score(board) } else { -minimax(shape, &passed) };
        }
        moves.into_iter().map(|square: Square| -minimax(shape, &board.after(square))).max().expect("a move")
    }

    /// A position of a random game with this number of empty squares and a move.
    fn random(shape: &Shape, seed: u64, empties: u32) -> Option<Board> {
        let mut random = crate::random::Random::of_pair(seed, 0);
        let mut board = shape.start();
        while shape.empties(&board).count() > empties {
            if let Some(square) = random.choose(shape.moves(&board)) {
                board = board.after(square);
            } else {
                board = board.pass();
                if shape.moves(&board).is_empty() {
                    return None;
                }
            }
        }
        (!shape.moves(&board).is_empty()).then_some(board)
    }

    #[test]
    fn both_solvers_find_the_value_of_plain_minimax() {
        for shape in Shape::all() {
            let positions: Vec<Board> = (0..30).filter_map(|seed| random(&shape, seed, 8)).collect();
            assert!(positions.len() > 10, "{}", shape.name);
            let mut alpha_beta = AlphaBeta::new(&shape, 10);
            let mut proof = Proof::new(&shape, 10);
            proof.solve_from = 4;
            for board in &positions {
                let expected = minimax(&shape, board);
                assert_eq!(value(&mut alpha_beta, board), expected, "{}: {board:?}", shape.name);
                assert_eq!(value(&mut proof, board), expected, "{}: {board:?}", shape.name);
            }
        }
    }

    /// Values of the literature: 4x4 is won by White with 11 to 3 (the two empty squares are the winner's here), 4x6 by Black with 20 to 4.
    #[test]
    fn the_smallest_boards_have_the_published_values() {
        for (name, expected) in [("4x4", -10), ("4x6", 16)] {
            let shape = Shape::all().into_iter().find(|shape| shape.name == name).unwrap();
            assert_eq!(value(&mut AlphaBeta::new(&shape, 14), &shape.start()), expected);
            assert_eq!(value(&mut Proof::new(&shape, 14), &shape.start()), expected);
        }
    }
}
