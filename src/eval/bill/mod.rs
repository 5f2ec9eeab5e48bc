//! Bill: features by table look-up, weighed by what self-play taught.

mod coefficients;
mod features;
mod lines;
mod quadratic;

pub use coefficients::{Coefficients, Discriminant};
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
    /// The functions by disc count, in units of [`DISC`].
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Color;
    use crate::testing::random_position;

    #[test]
    fn the_value_is_the_log_odds_in_discs() {
        let discriminant = |constant| {
            let mut function = Quadratic([0.0; COEFFICIENTS]);
            // Feature 4, the interior squares, with a scale of 3.
            (function.0[0], function.0[4]) = (constant, 0.5);
            Discriminant { discs_per_nat: 6.0, first_discs: 5, functions: vec![function] }
        };
        let scales = [1.0, 1.0, 1.0, 3.0, 1.0];
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        // The interior is worth −9 here: 0.25 + 0.5 · −9 / 3 = −1.25 nats.
        assert_eq!(Bill::new(&scales, &discriminant(0.25)).evaluate(&position), -7 * DISC - DISC / 2);
        assert_eq!(Bill::new(&scales, &discriminant(1e6)).evaluate(&position), STATIC_LIMIT);
        assert_eq!(Bill::new(&scales, &discriminant(-1e6)).evaluate(&position), -STATIC_LIMIT);
    }

    #[test]
    fn what_was_learned_is_plausible() {
        let learned = learned();
        for (bill, discriminant) in [(Bill::logistic(), &learned.logistic), (Bill::gaussian(), &learned.gaussian)] {
            assert!((2.0..20.0).contains(&discriminant.discs_per_nat));
            let last = discriminant.first_discs + discriminant.functions.len() as u32 - 1;
            assert!(discriminant.first_discs <= 24 && last >= 60, "{} to {last}", discriminant.first_discs);
            // Edges are good to have at any time.
            assert!(discriminant.functions.iter().all(|f| f.0[1] > 0.0));
            // A quarter of the board with its corner against the centre.
            let corner = crate::othello::Bitboard(0x0000_0000_0707_0707);
            let position = Position::new(corner, crate::othello::Bitboard::CENTRE & !corner, Color::Black).unwrap();
            assert!(bill.evaluate(&position) > 10 * DISC, "{}", bill.evaluate(&position));
        }
    }

    #[test]
    fn the_other_side_sees_nearly_the_opposite() {
        // The check list of a learned classifier: antisymmetric up to the worth of the move.
        for bill in [Bill::logistic(), Bill::gaussian()] {
            let pairs: Vec<(f64, f64)> = (0..400)
                .map(|seed| random_position(seed, 10 + (seed % 40) as u32))
                .filter(|position| !position.is_over())
                .map(|position| (bill.evaluate(&position).into(), bill.evaluate(&position.pass()).into()))
                .collect();
            let size: f64 = pairs.iter().map(|(here, there)| here * here + there * there).sum();
            let rest: f64 = pairs.iter().map(|(here, there)| (here + there) * (here + there)).sum();
            assert!(rest < 0.1 * size, "{rest} of {size}");
        }
    }
}
