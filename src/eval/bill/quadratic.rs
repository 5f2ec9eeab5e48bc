//! Quadratic functions of the features: what both discriminants are.

use super::coefficients::numbers;
use super::features::FEATURES;
use serde::Deserialize;

/// How many coefficients a quadratic function of the features has: a constant, one for each feature, and one for each
/// product of two, squares included.
pub const COEFFICIENTS: usize = 1 + FEATURES + FEATURES * (FEATURES + 1) / 2;

/// A quadratic function: the constant, the features in their order, then the products by their first and their second
/// factor (11, 12, …, 15, 22, …, 55).
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
pub struct Quadratic(#[serde(deserialize_with = "numbers")] pub [f64; COEFFICIENTS]);

impl Quadratic {
    /// The terms that the coefficients multiply, for these features.
    pub fn terms(features: &[f64; FEATURES]) -> [f64; COEFFICIENTS] {
        let mut terms = [1.0; COEFFICIENTS];
        terms[1..=FEATURES].copy_from_slice(features);
        let pairs = (0..FEATURES).flat_map(|i| (i..FEATURES).map(move |j| (i, j)));
        for (term, (i, j)) in terms[1 + FEATURES..].iter_mut().zip(pairs) {
            *term = features[i] * features[j];
        }
        terms
    }

    /// The value for these features.
    pub fn value(&self, features: &[f64; FEATURES]) -> f64 {
        self.0.iter().zip(Quadratic::terms(features)).map(|(coefficient, term)| coefficient * term).sum()
    }
}

/// A quadratic function made ready for the search: single precision, and for features as they are counted.
#[derive(Clone, Copy)]
pub(super) struct FastQuadratic([f32; COEFFICIENTS]);

impl FastQuadratic {
    /// `factor` times the function of the features each divided by its scale.
    pub(super) fn new(function: &Quadratic, scales: &[f64; FEATURES], factor: f64) -> FastQuadratic {
        let divisors = Quadratic::terms(scales);
        FastQuadratic(std::array::from_fn(|i| (factor * function.0[i] / divisors[i]) as f32))
    }

    #[inline]
    pub(super) fn value(&self, features: &[f32; FEATURES]) -> f32 {
        let mut sum = self.0[0];
        let mut products = self.0[1 + FEATURES..].iter();
        for i in 0..FEATURES {
            let mut slope = self.0[1 + i];
            for (feature, coefficient) in features[i..].iter().zip(&mut products) {
                slope += coefficient * feature;
            }
            sum += slope * features[i];
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coefficient_has_its_term() {
        let features = [2.0, 3.0, 5.0, 7.0, 11.0];
        let terms = [
            1.0, 2.0, 3.0, 5.0, 7.0, 11.0, 4.0, 6.0, 10.0, 14.0, 22.0, 9.0, 15.0, 21.0, 33.0, 25.0, 35.0, 55.0, 49.0,
            77.0, 121.0,
        ];
        assert_eq!(Quadratic::terms(&features), terms);
        for (i, term) in terms.into_iter().enumerate() {
            let mut function = Quadratic([0.0; COEFFICIENTS]);
            function.0[i] = 0.5;
            assert_eq!(function.value(&features), 0.5 * term);
            let fast = FastQuadratic::new(&function, &[2.0; FEATURES], 8.0);
            let expected = function.value(&features.map(|x| x / 2.0)) * 8.0;
            assert_eq!(f64::from(fast.value(&features.map(|x| x as f32))), expected);
        }
    }
}
