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
use std::sync::Arc;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

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

    /// Its [`fingerprint()`], if that is known without asking for values.
    fn known_fingerprint(&self) -> Option<u32> {
        None
    }

    /// The evaluation with its type, where a search gets the values faster by keeping a state beside each position of Othello.
    fn with_state(&self) -> Option<WithState<'_>> {
        None
    }
}

/// The Othello evaluators by the names of `--eval`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case", parse_err_ty = UnknownEvaluator, parse_err_fn = unknown)]
pub enum EvaluatorKind {
    /// [`Random`].
    Random,
    /// [`DiscCount`].
    DiscCount,
    /// [`WeightedSquares`].
    WeightedSquares,
    /// [`Mobility`].
    Mobility,
    /// [`Edge`].
    Edge,
    /// [`Iago`].
    Iago,
    /// [`Bill::logistic`].
    Bill,
    /// [`Bill::gaussian`].
    BillGaussian,
    /// [`PatternLinear`].
    PatternLinear,
    /// [`Pattern`].
    #[default]
    Pattern,
}

impl EvaluatorKind {
    /// Every evaluator.
    pub const ALL: &'static [EvaluatorKind] = EvaluatorKind::VARIANTS;

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The evaluator itself: [`Random`] with seed 0, the pattern evaluations with the weights that are part of the program, trained or not.
    pub fn build(self) -> Arc<dyn Evaluator<Position>> {
        match self {
            EvaluatorKind::Random => Arc::new(Random::default()),
            EvaluatorKind::DiscCount => Arc::new(DiscCount),
            EvaluatorKind::WeightedSquares => Arc::new(WeightedSquares),
            EvaluatorKind::Mobility => Arc::new(Mobility),
            EvaluatorKind::Edge => Arc::new(Edge::default()),
            EvaluatorKind::Iago => Arc::new(Iago::default()),
            EvaluatorKind::Bill => Arc::new(Bill::logistic()),
            EvaluatorKind::BillGaussian => Arc::new(Bill::gaussian()),
            EvaluatorKind::PatternLinear => PatternLinear::embedded().clone(),
            EvaluatorKind::Pattern => Pattern::embedded().clone(),
        }
    }
}

/// No evaluator has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown evaluator '{0}'; expected one of: {known}", known = EvaluatorKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownEvaluator(String);

fn unknown(name: &str) -> UnknownEvaluator {
    UnknownEvaluator(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;
    use crate::testing::random_position;

    #[test]
    fn names_come_back() {
        for &kind in EvaluatorKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert!(UnknownEvaluator(String::new()).to_string().contains(kind.name()));
        }
        assert!("deep-thought".parse::<EvaluatorKind>().is_err());
    }

    #[test]
    fn values_stay_within_the_limit_and_know_no_directions() {
        for &kind in EvaluatorKind::ALL {
            let evaluator = kind.build();
            for seed in 0..120 {
                let position = random_position(seed, seed as u32 / 2);
                let value = evaluator.evaluate(&position);
                assert!(value.abs() <= STATIC_LIMIT, "{kind} {position}");
                assert_eq!(evaluator.evaluate(&position.swap_colors()), value, "{kind} {position}");
                for symmetry in Symmetry::ALL.into_iter().filter(|_| kind != EvaluatorKind::Random) {
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
