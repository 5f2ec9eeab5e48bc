//! An evaluation over the patterns, whatever form its weights have.

use super::State;
use super::frame::{WeightsError, read_bytes};
use crate::eval::{ErrorModel, Evaluator, Incremental, WithState};
use crate::othello::{Bitboard, Position, Square};
use crate::whole_file::write_whole;
use std::fmt;
use std::path::Path;

/// A form of weights over the patterns: the tables that a search reads, and how they make a value.
pub trait Form: Sized + Send + Sync + 'static {
    /// The weights.
    type Weights: Weights;

    /// The tables of these weights.
    fn new(weights: Self::Weights) -> Self;

    /// The value of a position with this state for its side to move, in units of 1/128 disc, within
    /// ±[`crate::eval::STATIC_LIMIT`].
    fn value(&self, state: &State, position: &Position) -> i32;

    /// The evaluation as one of those that searches know.
    fn with_state(evaluation: &OverPatterns<Self>) -> WithState<'_>;
}

/// Weights over the patterns as they are learned and stored.
pub trait Weights: Sized {
    /// The error model, if one was fitted.
    fn error_model(&self) -> Option<&ErrorModel>;

    /// The bytes of a file.
    fn to_bytes(&self) -> Vec<u8>;

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// If they are not those of a file of such weights for the program's patterns, or are damaged: see [`WeightsError`].
    fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError>;

    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, or its bytes are refused by [`Weights::from_bytes`].
    fn read(path: &Path) -> Result<Self, WeightsError> {
        Self::from_bytes(&read_bytes(path)?)
    }

    /// Writes a file: it is there whole or, should anything fail, as it was before.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write(&self, path: &Path) -> Result<(), WeightsError> {
        Ok(write_whole(path, &self.to_bytes())?)
    }
}

/// The evaluation with one set of weights.
pub struct OverPatterns<F> {
    form: F,
    error_model: Option<ErrorModel>,
    fingerprint: Option<u32>,
}

impl<F: Form> OverPatterns<F> {
    /// The evaluation with these weights.
    pub fn new(weights: F::Weights) -> OverPatterns<F> {
        OverPatterns { error_model: weights.error_model().cloned(), form: F::new(weights), fingerprint: None }
    }

    /// The same evaluation, whose fingerprint is known.
    pub(crate) fn with_fingerprint(self, fingerprint: u32) -> OverPatterns<F> {
        OverPatterns { fingerprint: Some(fingerprint), ..self }
    }
}

impl<F: Form> Incremental for OverPatterns<F> {
    type State = State;

    #[inline]
    fn state(&self, position: &Position) -> State {
        State::of(position)
    }

    #[inline]
    fn after(&self, state: &State, square: Square, turned: Bitboard) -> State {
        state.after(square, turned)
    }

    #[inline]
    fn pass(&self, state: &State) -> State {
        state.pass()
    }

    #[inline]
    fn value(&self, state: &State, position: &Position) -> i32 {
        self.form.value(state, position)
    }
}

impl<F: Form> Evaluator<Position> for OverPatterns<F> {
    fn evaluate(&self, position: &Position) -> i32 {
        self.value(&self.state(position), position)
    }

    fn error_model(&self) -> Option<&ErrorModel> {
        self.error_model.as_ref()
    }

    fn known_fingerprint(&self) -> Option<u32> {
        self.fingerprint
    }

    fn with_state(&self) -> Option<WithState<'_>> {
        Some(F::with_state(self))
    }
}

impl<F> fmt::Debug for OverPatterns<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OverPatterns").finish_non_exhaustive()
    }
}
