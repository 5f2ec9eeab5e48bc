//! What the generic searches need to know of a game.
//!
//! These are the routines of the classical minimax template (generate moves, apply a move, null move, end of game),
//! without the static evaluation, which is [`Evaluator`](crate::eval::Evaluator): one game is searched with many
//! evaluators.

use crate::othello::{Bitboard, Color, Position, Square, Squares};
use std::fmt::Debug;

/// The units of an Othello value: a value of `DISC` stands for one disc.
pub const DISC: i32 = 128;

/// A two-player zero-sum game with perfect information, as a position that knows its moves.
///
/// Values are integers seen by the side to move. Whose turn it is comes from the position, never from the parity of the
/// depth, because a side may have to pass.
pub trait Game: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// A turn other than a pass.
    type Move: Copy + PartialEq + Debug + Send + Sync;
    /// The moves of one position.
    type Moves: Iterator<Item = Self::Move>;

    /// The moves of the side to move; none if it has to pass or the game is over.
    fn moves(&self) -> Self::Moves;

    /// The position after one of [`Game::moves`].
    fn after(&self, mv: Self::Move) -> Self;

    /// The same position with the turn handed over; called only where there is no move and the game is not over.
    fn pass(&self) -> Self;

    /// Whether neither side can move.
    fn is_over(&self) -> bool;

    /// The result of a finished game for the side to move, in the units of the evaluators: larger is better, 0 a draw.
    fn outcome(&self) -> i32;

    /// Whose turn it is.
    fn mover(&self) -> Color;

    /// What tells the position from every other one, if positions of the game can be reached in several ways.
    fn key(&self) -> Option<Key> {
        None
    }
}

/// A position of a game as two words and the side to move.
pub type Key = (u64, u64, Color);

/// Othello. Outcomes are disc differences in units of [`DISC`], the empty squares given to the winner.
impl Game for Position {
    type Move = Square;
    type Moves = Squares;

    #[inline]
    fn moves(&self) -> Squares {
        let moves: Bitboard = Position::moves(self);
        moves.into_iter()
    }

    #[inline]
    fn after(&self, mv: Square) -> Position {
        Position::after(self, mv)
    }

    #[inline]
    fn pass(&self) -> Position {
        Position::pass(self)
    }

    #[inline]
    fn is_over(&self) -> bool {
        Position::is_over(self)
    }

    #[inline]
    fn outcome(&self) -> i32 {
        self.score() * DISC
    }

    #[inline]
    fn mover(&self) -> Color {
        Position::mover(self)
    }

    #[inline]
    fn key(&self) -> Option<Key> {
        Some((self.player().0, self.opponent().0, Position::mover(self)))
    }
}
