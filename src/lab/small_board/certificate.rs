//! The moves that show a value: for each side, one answer to everything that the other side can do.

use super::Solver;
use super::alpha_beta::AlphaBeta;
use super::board::{Board, Shape};
use crate::othello::Square;
use std::collections::HashSet;

/// Characters of a line.
const LINE: usize = 100;

/// A proof of the value of a board's first position, down to positions that a checker solves itself.
///
/// Two strategies, first Black's for at least the value, then White's for at most the value. Each is a walk through the game: where the
/// strategy's side is to move, one character for its square (columns from left, rows from top, 8 a row, in the order of `DIGITS`), then
/// the walk behind that move; where the other side is, the walks behind all its moves by ascending square. Nothing is written where a
/// side has one move or must pass, where the empty squares are few, and where the walk has been before, symmetries of the board counted.
pub struct Certificate {
    /// The text of the file.
    pub text: String,
    /// Moves written.
    pub moves: usize,
    /// Positions left to the checker.
    pub leaves: usize,
}

/// The characters of the squares 0 to 63.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";

struct Walk<'a, 's> {
    solver: &'a mut AlphaBeta<'s>,
    shape: &'s Shape,
    solved_from: u32,
    seen: HashSet<(Board, bool)>,
    moves: Vec<u8>,
    leaves: usize,
}

impl Walk<'_, '_> {
    /// Writes the moves of the side that is to exceed `alpha` discs; that is the side to move if `is_its`. `false` if it does not.
    fn write(&mut self, board: &Board, is_its: bool, alpha: i32) -> bool {
        if !self.seen.insert((self.shape.canonical(board), is_its)) {
            return true;
        }
        let moves = self.shape.moves(board);
        let is_over = moves.is_empty() && self.shape.moves(&board.pass()).is_empty();
        if is_over || self.shape.empties(board).count() <= self.solved_from {
            self.leaves += 1;
            let bound = self.solver.bound(board, if is_its { alpha } else { -alpha - 1 });
            return if is_its { bound > alpha } else { -bound > alpha };
        }
        if moves.is_empty() {
            return self.write(&board.pass(), !is_its, alpha);
        }
        if is_its && moves.count() > 1 {
            let Some(square) = self.solver.winner(board, alpha) else { return false };
            self.moves.push(DIGITS[square.index()]);
            return self.write(&board.after(square), false, alpha);
        }
        moves.into_iter().all(|square: Square| self.write(&board.after(square), !is_its, alpha))
    }
}

impl Certificate {
    /// Writes down why the first position is worth `value` discs to Black; positions with at most `solved_from` empty squares, at least
    /// 8, are left to the checker. `None` if it is not worth that.
    pub fn write<'s>(
        shape: &'s Shape,
        solver: &mut AlphaBeta<'s>,
        value: i32,
        solved_from: u32,
    ) -> Option<Certificate> {
        let start = shape.start();
        let mut text = format!("othello certificate 1\nvalue {value}\nsolve from {solved_from}\nboard\n");
        shape.picture(&start).iter().for_each(|row| text += &format!("{row}\n"));
        let (mut moves, mut leaves) = (0, 0);
        for (name, is_its, alpha) in [("black", true, value - 1), ("white", false, -value - 1)] {
            let seen = HashSet::new();
            let mut walk = Walk { solver, shape, solved_from, seen, moves: Vec::new(), leaves: 0 };
            if !walk.write(&start, is_its, alpha) {
                return None;
            }
            text += &format!("{name}\n");
            for line in walk.moves.chunks(LINE) {
                text += &line.iter().map(|&digit| char::from(digit)).chain(['\n']).collect::<String>();
            }
            moves += walk.moves.len();
            leaves += walk.leaves;
        }
        text += "end\n";
        Some(Certificate { text, moves, leaves })
    }
}
