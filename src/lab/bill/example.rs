//! What the discriminants are learned from.

use crate::eval::bill::FEATURES;
use nalgebra::{Cholesky, Const, SMatrix};

/// A position with a result: not drawn, and not the end of the game.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub discs: u32,
    /// Divided by their scales.
    pub features: [f64; FEATURES],
    /// The same position with the other side to move.
    pub passed: [f64; FEATURES],
    /// The final disc difference for the side to move; not 0.
    pub score: f64,
    pub held_out: bool,
}

impl Example {
    pub fn is_won(&self) -> bool {
        self.score > 0.0
    }
}

/// The factors of a positive definite matrix, of which only the lower triangle is read; `None` if it is not one.
pub(super) fn factors<const N: usize>(matrix: SMatrix<f64, N, N>) -> Option<Cholesky<f64, Const<N>>> {
    matrix.cholesky().filter(|factors| factors.l_dirty().iter().all(|entry| entry.is_finite()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_definite_matrices_have_factors() {
        assert!(factors(SMatrix::<f64, 2, 2>::new(2.0, 1.0, 1.0, 2.0)).is_some());
        assert!(factors(SMatrix::<f64, 2, 2>::new(1.0, 2.0, 2.0, 1.0)).is_none());
        for entry in [0.0, f64::NAN, f64::INFINITY] {
            assert!(factors(SMatrix::<f64, 1, 1>::new(entry)).is_none(), "{entry}");
        }
    }
}
