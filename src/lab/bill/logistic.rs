//! Logistic regression on the features and their products.

use super::example::{Example, factors};
use crate::eval::bill::{COEFFICIENTS, Quadratic};
use nalgebra::{SMatrix, SVector};

/// Weight of the squared coefficients (without the constant) beside the summed log-likelihood.
const PENALTY: f64 = 5.0;
/// Newton's method converges in some six steps; many more mean that it does not.
const MOST_STEPS: usize = 60;
/// The gain of a step, per position, that is not worth another.
const ENOUGH: f64 = 1e-9;

/// The log-odds that a position is won, by iteratively reweighted least squares with an L2 penalty; `None` if there is
/// nothing to tell apart.
pub(super) fn fit(examples: &[&Example]) -> Option<Quadratic> {
    let won = examples.iter().filter(|example| example.is_won()).count();
    if won == 0 || won == examples.len() {
        return None;
    }
    let terms: Vec<([f64; COEFFICIENTS], bool)> =
        examples.iter().map(|example| (Quadratic::terms(&example.features), example.is_won())).collect();
    let mut best = [0.0; COEFFICIENTS];
    let mut loss = penalised_loss(&best, &terms);
    for _ in 0..MOST_STEPS {
        let step = newton_step(&best, &terms)?;
        // The loss is convex: a step that overshoots is halved.
        let shorter = (0..30).map(|halvings| 0.5f64.powi(halvings));
        let candidates = shorter.map(|share| std::array::from_fn(|i| best[i] - share * step[i]));
        let improved = candidates.map(|w| (w, penalised_loss(&w, &terms))).find(|(_, new)| *new < loss);
        let Some((weights, new)) = improved else { break };
        let gain = loss - new;
        (best, loss) = (weights, new);
        if gain < ENOUGH * examples.len() as f64 {
            break;
        }
    }
    Some(Quadratic(best))
}

fn dot(a: &[f64; COEFFICIENTS], b: &[f64; COEFFICIENTS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The negative log-likelihood with the penalty.
fn penalised_loss(weights: &[f64; COEFFICIENTS], terms: &[([f64; COEFFICIENTS], bool)]) -> f64 {
    let penalty: f64 = weights[1..].iter().map(|w| w * w).sum::<f64>() * PENALTY / 2.0;
    penalty + terms.iter().map(|(x, won)| log_loss(dot(weights, x), *won)).sum::<f64>()
}

/// −ln of the probability that these log-odds give to what happened.
pub(super) fn log_loss(log_odds: f64, won: bool) -> f64 {
    let against = if won { -log_odds } else { log_odds };
    // ln(1 + e^a) without overflow.
    against.max(0.0) + (-against.abs()).exp().ln_1p()
}

/// The probability that these log-odds mean.
pub(super) fn probability(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// The inverse of the second derivative times the gradient.
fn newton_step(weights: &[f64; COEFFICIENTS], terms: &[([f64; COEFFICIENTS], bool)]) -> Option<[f64; COEFFICIENTS]> {
    let penalty = |i| if i == 0 { 0.0 } else { PENALTY };
    let mut gradient = SVector::<f64, COEFFICIENTS>::from_fn(|i, _| penalty(i) * weights[i]);
    let mut curvature =
        SMatrix::<f64, COEFFICIENTS, COEFFICIENTS>::from_fn(|i, j| if i == j { penalty(i) } else { 0.0 });
    for (x, won) in terms {
        let p = probability(dot(weights, x));
        let (error, weight) = (p - f64::from(*won), p * (1.0 - p));
        for i in 0..COEFFICIENTS {
            gradient[i] += error * x[i];
            let weighted = weight * x[i];
            for j in 0..=i {
                curvature[(i, j)] += weighted * x[j];
            }
        }
    }
    Some(factors(curvature)?.solve(&gradient).into())
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_examples;
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_log_odds_that_made_the_results_are_found() {
        let truth = |x: &[f64; 5]| 0.3 + 1.2 * x[0] - 0.8 * x[2] + 0.5 * x[1] * x[3];
        let mut random = Random::new(2);
        let examples = random_examples(60_000, |features| {
            random.below(1 << 20) as f64 / f64::from(1 << 20) < probability(truth(features))
        });
        let fitted = fit(&examples.iter().collect::<Vec<_>>()).unwrap();
        let mut expected = [0.0; COEFFICIENTS];
        // The product of the second and the fourth feature is the third after the five with the first factor 1.
        (expected[0], expected[1], expected[3], expected[6 + 5 + 2]) = (0.3, 1.2, -0.8, 0.5);
        for (i, (found, expected)) in fitted.0.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 0.06, "coefficient {i}: {found}, expected {expected}");
        }
    }

    #[test]
    fn results_that_a_plane_separates_stay_finite() {
        let examples = random_examples(500, |features| features[1] > 0.2);
        let fitted = fit(&examples.iter().collect::<Vec<_>>()).unwrap();
        assert!(fitted.0.iter().all(|w| w.is_finite()) && fitted.0[2] > 1.0, "{fitted:?}");
        let one_class = random_examples(50, |_| false);
        assert!(fit(&one_class.iter().collect::<Vec<_>>()).is_none());
    }

    #[test]
    fn losses_of_large_log_odds_do_not_overflow() {
        assert_eq!(log_loss(0.0, true), 2f64.ln());
        assert_eq!(log_loss(1e4, true), 0.0);
        assert_eq!(log_loss(1e4, false), 1e4);
    }
}
