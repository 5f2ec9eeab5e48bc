//! Static evaluation: what a position is worth without looking ahead.

mod error_model;
mod incremental;
mod mobility;
pub mod pattern;
mod weighted_squares;

pub use error_model::{ErrorModel, shallow_depth, shallow_depth_to_end, terms as error_terms};
pub use incremental::{FromScratch, Incremental};
pub use mobility::Mobility;
pub use pattern::Pattern;
pub use weighted_squares::WeightedSquares;

use crate::game::{DISC, Game};
use crate::othello::Position;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The largest absolute value of a static evaluation in Othello, in units of [`DISC`]: just under a proven wipe-out.
pub const STATIC_LIMIT: i32 = 63 * DISC;

/// A static evaluation of the positions of a game.
pub trait Evaluator<G: Game>: Send + Sync {
    /// The value for the side to move. For Othello an estimate of the final disc difference in units of [`DISC`], from
    /// −[`STATIC_LIMIT`] to [`STATIC_LIMIT`].
    fn evaluate(&self, position: &G) -> i32;

    /// How far shallow searches with this evaluation err; without it, nothing is cut on their word.
    fn error_model(&self) -> Option<&ErrorModel> {
        None
    }

    /// The pattern evaluation that this is, if it is: its values can be had faster by keeping a
    /// [`State`](pattern::State) up to date.
    fn as_pattern(&self) -> Option<&Pattern> {
        None
    }
}

/// The Othello evaluators by the names of `--eval`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EvaluatorKind {
    /// [`WeightedSquares`].
    WeightedSquares,
    /// [`Mobility`].
    #[default]
    Mobility,
    /// [`Pattern`].
    Pattern,
}

impl EvaluatorKind {
    /// Every evaluator.
    pub const ALL: [EvaluatorKind; 3] =
        [EvaluatorKind::WeightedSquares, EvaluatorKind::Mobility, EvaluatorKind::Pattern];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            EvaluatorKind::WeightedSquares => "weighted-squares",
            EvaluatorKind::Mobility => "mobility",
            EvaluatorKind::Pattern => "pattern",
        }
    }

    /// The evaluator itself; the pattern evaluation with the weights that are part of the program, trained or not.
    pub fn build(self) -> Arc<dyn Evaluator<Position>> {
        match self {
            EvaluatorKind::WeightedSquares => Arc::new(WeightedSquares),
            EvaluatorKind::Mobility => Arc::new(Mobility),
            EvaluatorKind::Pattern => Pattern::embedded().clone(),
        }
    }
}

impl fmt::Display for EvaluatorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No evaluator has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown evaluator '{0}'; expected one of: weighted-squares, mobility, pattern")]
pub struct UnknownEvaluator(String);

impl FromStr for EvaluatorKind {
    type Err = UnknownEvaluator;

    fn from_str(name: &str) -> Result<EvaluatorKind, UnknownEvaluator> {
        EvaluatorKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| UnknownEvaluator(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for kind in EvaluatorKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(UnknownEvaluator(String::new()).to_string().contains(kind.name()));
        }
        assert!("deep-thought".parse::<EvaluatorKind>().is_err());
    }
}
