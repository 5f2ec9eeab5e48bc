//! Bill: features by table look-up, weighed by what self-play taught.

mod coefficients;
mod features;
mod lines;
mod quadratic;

pub use coefficients::{Coefficients, CoefficientsError, Discriminant};
pub use features::{FEATURES, FeatureTables, Features};
pub use quadratic::{COEFFICIENTS, Quadratic};

use super::{Evaluator, STATIC_LIMIT};
use crate::game::DISC;
use crate::othello::Position;
use quadratic::FastQuadratic;
use std::sync::LazyLock;

/// An evaluator after the learning version of Bill (Lee and Mahajan, *A Pattern Classification Approach to Evaluation
/// Function Learning*, Artificial Intelligence 36, 1988): the log-odds that the side to move wins, as a quadratic function
/// of five [`Features`], one function for each number of discs.
///
/// Two ways of learning the functions, from the same games of Emilia against itself:
/// * [`Bill::logistic`] (`--eval bill`): logistic regression on the features and their products (after Buro, *Statistical
///   Feature Combination for the Evaluation of Game Positions*, 1995);
/// * [`Bill::gaussian`] (`--eval bill-gaussian`): the paper's own, normal distributions of the won and of the lost positions.
///
/// Log-odds mean the same at every disc count, so values from different depths can be compared. They are turned into
/// discs by one factor for the whole game, [`Discriminant::discs_per_nat`], the least-squares fit of the final score: a
/// value is about the expected disc difference. Swapping the colours changes the sign, but for the tempo: that the
/// side to move has the move is in the edge table, the constant and the products.
///
/// What is not the original: its tables were never published, so the features follow descriptions; see [`Features`].
#[derive(Clone)]
pub struct Bill {
    tables: FeatureTables,
    /// By disc count, in units of [`DISC`].
    functions: Box<[FastQuadratic; 65]>,
}

impl Bill {
    /// The logistic regression that Emilia is built with.
    pub fn logistic() -> Bill {
        Bill::new(&learned().scales, &learned().logistic)
    }

    /// The Gaussian discriminant that Emilia is built with.
    pub fn gaussian() -> Bill {
        Bill::new(&learned().scales, &learned().gaussian)
    }

    /// An evaluator with these functions of the features divided by their scales.
    pub fn new(scales: &[f64; FEATURES], discriminant: &Discriminant) -> Bill {
        let factor = discriminant.discs_per_nat * f64::from(DISC);
        let function = |discs| FastQuadratic::new(discriminant.function(discs as u32), scales, factor);
        Bill { tables: FeatureTables::get(), functions: Box::new(std::array::from_fn(function)) }
    }
}

/// What `emilia train bill` learned for this version.
fn learned() -> &'static Coefficients {
    static LEARNED: LazyLock<Coefficients> = LazyLock::new(|| {
        Coefficients::parse(include_str!("../../../assets/bill.toml")).expect("the coefficients are tested")
    });
    &LEARNED
}

impl Evaluator<Position> for Bill {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        let features = self.tables.features(position).map(|count| count as f32);
        let discs = 64 - position.empties().count() as usize;
        let value = self.functions[discs].value(&features);
        (value as i32).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}
