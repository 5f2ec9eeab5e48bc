//! Static evaluation kept up to date along the moves of a search, and the one place that lists such evaluations: a new one
//! is a folder beside this file, a variant of [`WithState`] and an arm of [`with_incremental`].

use super::{Evaluator, Pattern, PatternLinear};
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

/// The evaluations that keep a state beside a position.
#[derive(Clone, Copy)]
pub enum WithState<'a> {
    /// [`Pattern`].
    Pattern(&'a Pattern),
    /// [`PatternLinear`].
    PatternLinear(&'a PatternLinear),
}

/// Gives an expression the static type of an evaluator: within `$body`, which is compiled once for each type, `$evaluation`
/// refers to an [`Incremental`].
macro_rules! with_incremental {
    ($evaluator:expr, $evaluation:ident => $body:expr) => {{
        let evaluator: &dyn $crate::eval::Evaluator<$crate::othello::Position> = $evaluator;
        match evaluator.with_state() {
            Some($crate::eval::WithState::Pattern($evaluation)) => $body,
            Some($crate::eval::WithState::PatternLinear($evaluation)) => $body,
            None => {
                let $evaluation = &$crate::eval::FromScratch(evaluator);
                $body
            }
        }
    }};
}
pub(crate) use with_incremental;

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
