//! Static evaluation carried along the moves of a search.

use super::Evaluator;
use crate::othello::{Bitboard, Position, Square};

/// A static evaluation of Othello positions that keeps, beside each position, what makes the next one cheap to evaluate.
pub trait Incremental: Sync {
    /// What is kept beside a position.
    type State: Copy + Send + Sync + 'static;

    /// The state of a position, from scratch.
    fn state(&self, position: &Position) -> Self::State;

    /// The state after a disc on `square` that turns `turned`.
    fn after(&self, state: &Self::State, square: Square, turned: Bitboard) -> Self::State;

    /// The state with the other side to move.
    fn pass(&self, state: &Self::State) -> Self::State;

    /// The value for the side to move, as [`Evaluator::evaluate`] gives it.
    fn value(&self, state: &Self::State, position: &Position) -> i32;
}

/// An evaluator that begins anew at each position.
#[derive(Clone, Copy)]
pub struct FromScratch<'a>(pub &'a dyn Evaluator<Position>);

impl Incremental for FromScratch<'_> {
    type State = ();

    #[inline]
    fn state(&self, _: &Position) {}

    #[inline]
    fn after(&self, (): &(), _: Square, _: Bitboard) {}

    #[inline]
    fn pass(&self, (): &()) {}

    #[inline]
    fn value(&self, (): &(), position: &Position) -> i32 {
        self.0.evaluate(position)
    }
}
