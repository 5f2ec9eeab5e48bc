//! Static evaluation: what a position is worth without looking ahead.

mod any_weights;
pub mod bill;
mod disc_count;
mod edge;
mod edge_table;
mod error_model;
pub mod factorization;
mod fingerprint;
mod iago;
mod incremental;
mod mobility;
pub mod pattern;
mod random;
mod weighted_squares;

pub use any_weights::AnyWeights;
pub use bill::Bill;
pub use disc_count::DiscCount;
pub use edge::Edge;
pub use error_model::{
    ErrorModel, FIRST_PLIES, MOST_EMPTIES_OF_FIT, MOST_EMPTIES_OF_LEAVES, SPREAD_UNIT, TERMS as ERROR_TERMS,
    shallow_depth, shallow_depth_to_end, tempo_terms, terms as error_terms,
};
pub use factorization::Pattern;
pub use fingerprint::fingerprint;
pub use iago::Iago;
pub(crate) use incremental::with_incremental;
pub use incremental::{FromScratch, Incremental, WithState};
pub use mobility::Mobility;
pub use pattern::PatternLinear;
pub use random::Random;
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

    /// How far shallow searches with this evaluation err; without a model they cut nothing.
    fn error_model(&self) -> Option<&ErrorModel> {
        None
    }

    /// The evaluation with its type, where a search gets the values faster by keeping a state beside each position of Othello.
    fn with_state(&self) -> Option<WithState<'_>> {
        None
    }
}

/// The table of evaluators: kind, name, construction.
macro_rules! evaluators {
    ($($(#[$attribute:meta])* $kind:ident, $name:literal, $build:expr;)*) => {
        /// The Othello evaluators by the names of `--eval`.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub enum EvaluatorKind {
            $($(#[$attribute])* $kind,)*
        }

        impl EvaluatorKind {
            /// Every evaluator.
            pub const ALL: [EvaluatorKind; [$($name),*].len()] = [$(EvaluatorKind::$kind),*];

            /// The name on the command line.
            pub const fn name(self) -> &'static str {
                match self {
                    $(EvaluatorKind::$kind => $name,)*
                }
            }

            /// The evaluator itself: [`Random`] with seed 0, the pattern evaluations with the weights that are part of the
            /// program, trained or not.
            pub fn build(self) -> Arc<dyn Evaluator<Position>> {
                match self {
                    $(EvaluatorKind::$kind => $build,)*
                }
            }
        }
    };
}

evaluators! {
    /// [`Random`].
    Random, "random", Arc::new(Random::default());
    /// [`DiscCount`].
    DiscCount, "disc-count", Arc::new(DiscCount);
    /// [`WeightedSquares`].
    WeightedSquares, "weighted-squares", Arc::new(WeightedSquares);
    /// [`Mobility`].
    Mobility, "mobility", Arc::new(Mobility);
    /// [`Edge`].
    Edge, "edge", Arc::new(Edge::default());
    /// [`Iago`].
    Iago, "iago", Arc::new(Iago::default());
    /// [`Bill::logistic`].
    Bill, "bill", Arc::new(Bill::logistic());
    /// [`Bill::gaussian`].
    BillGaussian, "bill-gaussian", Arc::new(Bill::gaussian());
    /// [`PatternLinear`].
    PatternLinear, "pattern-linear", PatternLinear::embedded().clone();
    /// [`Pattern`].
    #[default]
    Pattern, "pattern", Pattern::embedded().clone();
}

impl fmt::Display for EvaluatorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No evaluator has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown evaluator '{0}'; expected one of: {known}", known = EvaluatorKind::ALL.map(EvaluatorKind::name).join(", "))]
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
    use crate::othello::Symmetry;
    use crate::testing::random_position;

    #[test]
    fn names_come_back() {
        for kind in EvaluatorKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(UnknownEvaluator(String::new()).to_string().contains(kind.name()));
        }
        assert!("deep-thought".parse::<EvaluatorKind>().is_err());
    }

    #[test]
    fn values_stay_within_the_limit_and_know_no_directions() {
        for kind in EvaluatorKind::ALL {
            let evaluator = kind.build();
            for seed in 0..120 {
                let position = random_position(seed, seed as u32 / 2);
                let value = evaluator.evaluate(&position);
                assert!(value.abs() <= STATIC_LIMIT, "{kind} {position}");
                assert_eq!(evaluator.evaluate(&position.swap_colors()), value, "{kind} {position}");
                for symmetry in Symmetry::all().filter(|_| kind != EvaluatorKind::Random) {
                    assert_eq!(evaluator.evaluate(&symmetry.position(&position)), value, "{kind} {position}");
                }
            }
        }
    }

    #[test]
    fn what_one_side_wins_the_other_loses() {
        use EvaluatorKind::{DiscCount, Mobility, Random, WeightedSquares};
        for kind in [Random, DiscCount, WeightedSquares, Mobility] {
            let evaluator = kind.build();
            for seed in 0..60 {
                let position = random_position(seed, seed as u32);
                assert_eq!(evaluator.evaluate(&position), -evaluator.evaluate(&position.pass()), "{kind} {position}");
            }
        }
    }
}
