//! The quadratic discriminant: won and lost positions as two normal distributions.

use super::example::{Example, factors};
use crate::eval::bill::{FEATURES, Quadratic};
use nalgebra::{Cholesky, Const, SMatrix, SVector};

/// What is added to the diagonal of a covariance, as a share of its mean: keeps it invertible.
const REGULARISATION: f64 = 1e-3;

/// One class as a normal distribution.
struct Distribution {
    mean: SVector<f64, FEATURES>,
    covariance: Cholesky<f64, Const<FEATURES>>,
    count: usize,
}

impl Distribution {
    fn of(examples: &[&Example]) -> Option<Distribution> {
        let n = examples.len() as f64;
        let features = || examples.iter().map(|example| SVector::from(example.features));
        let mean = features().sum::<SVector<f64, FEATURES>>() / n;
        let deviations = features().map(|features| features - mean);
        let mut covariance =
            deviations.map(|deviation| deviation * deviation.transpose()).sum::<SMatrix<f64, FEATURES, FEATURES>>() / n;
        covariance += SMatrix::from_diagonal_element(REGULARISATION * covariance.trace() / FEATURES as f64);
        Some(Distribution { mean, covariance: factors(covariance)?, count: examples.len() })
    }

    /// The logarithm of the class's share times its density, but for what both classes have in common.
    fn log_density(&self) -> Quadratic {
        let inverse = self.covariance.inverse();
        let times_mean = inverse * self.mean;
        let square = times_mean.dot(&self.mean);
        let constant = (self.count as f64).ln() - (square + self.covariance.ln_determinant()) / 2.0;
        let products = (0..FEATURES)
            .flat_map(|i| (i..FEATURES).map(move |j| (i, j)))
            .map(|(i, j)| if i == j { -inverse[(i, i)] / 2.0 } else { -inverse[(i, j)] });
        let mut coefficients = [constant].into_iter().chain(times_mean.iter().copied()).chain(products);
        Quadratic(std::array::from_fn(|_| coefficients.next().expect("one for each term")))
    }
}

/// The log-odds that a position is won; `None` if one class has too few positions to tell.
pub(super) fn fit(examples: &[&Example]) -> Option<Quadratic> {
    let (won, lost): (Vec<&Example>, Vec<&Example>) = examples.iter().partition(|example| example.is_won());
    let (won, lost) = (Distribution::of(&won)?.log_density(), Distribution::of(&lost)?.log_density());
    Some(Quadratic(std::array::from_fn(|i| won.0[i] - lost.0[i])))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{normal, random_examples};
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_log_odds_of_two_known_distributions_are_found() {
        // Won: mean 1 and variance 1 in the first feature; lost: mean −1 and variance 4; the others are noise. Three
        // positions in four are won.
        let mut random = Random::new(1);
        let examples = random_examples(40_000, |features| {
            let won = random.below(4) != 0;
            features[0] = if won { 1.0 + normal(&mut random) } else { -1.0 + 2.0 * normal(&mut random) };
            won
        });
        let fitted = fit(&examples.iter().collect::<Vec<_>>()).unwrap();
        for x in [-3.0, -1.0, 0.0, 1.0, 2.0f64] {
            let expected = 3f64.ln() - (x - 1.0).powi(2) / 2.0 + (x + 1.0).powi(2) / 8.0 + 2f64.ln();
            let found = fitted.value(&[x, 0.0, 0.0, 0.0, 0.0]);
            assert!((found - expected).abs() < 0.15, "at {x}: {found}, expected {expected}");
        }
    }

    #[test]
    fn one_class_alone_cannot_be_told_apart() {
        let examples = random_examples(100, |_| true);
        assert!(fit(&examples.iter().collect::<Vec<_>>()).is_none());
    }
}
