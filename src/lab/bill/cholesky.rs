//! Positive definite matrices: solving, inverse and determinant by Cholesky's factors.

/// A symmetric matrix; only the lower triangle (`column <= row`) is read.
pub(super) type Matrix<const N: usize> = [[f64; N]; N];

/// The lower triangular factor of a positive definite matrix.
pub(super) struct Cholesky<const N: usize>(Matrix<N>);

impl<const N: usize> Cholesky<N> {
    /// The factor; `None` if the matrix is not positive definite.
    pub(super) fn new(matrix: &Matrix<N>) -> Option<Cholesky<N>> {
        let mut factor = [[0.0; N]; N];
        for row in 0..N {
            for column in 0..=row {
                let dot: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
                let rest = matrix[row][column] - dot;
                if column < row {
                    factor[row][column] = rest / factor[column][column];
                } else if rest > 0.0 && rest.is_finite() {
                    factor[row][row] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Cholesky(factor))
    }

    /// The `x` with `matrix · x = b`.
    pub(super) fn solve(&self, b: &[f64; N]) -> [f64; N] {
        let factor = &self.0;
        let mut x = *b;
        for row in 0..N {
            let dot: f64 = (0..row).map(|k| factor[row][k] * x[k]).sum();
            x[row] = (x[row] - dot) / factor[row][row];
        }
        for row in (0..N).rev() {
            let dot: f64 = (row + 1..N).map(|k| factor[k][row] * x[k]).sum();
            x[row] = (x[row] - dot) / factor[row][row];
        }
        x
    }

    /// The inverse of the matrix.
    pub(super) fn inverse(&self) -> Matrix<N> {
        // Symmetric, so that it does not matter that these are its columns.
        std::array::from_fn(|i| self.solve(&std::array::from_fn(|j| f64::from(i == j))))
    }

    /// The natural logarithm of the determinant.
    pub(super) fn log_determinant(&self) -> f64 {
        2.0 * (0..N).map(|i| self.0[i][i].ln()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_by_hand() {
        // The factor is [[2], [1, 3], [-1, 2, 1]].
        let matrix = [[4.0, 2.0, -2.0], [2.0, 10.0, 5.0], [-2.0, 5.0, 6.0]];
        let cholesky = Cholesky::new(&matrix).unwrap();
        assert!((cholesky.log_determinant() - 36f64.ln()).abs() < 1e-12);
        let x = cholesky.solve(&[4.0, 17.0, 9.0]);
        assert!(x.iter().all(|v| (v - 1.0).abs() < 1e-12), "{x:?}");
        let inverse = cholesky.inverse();
        for (i, row) in matrix.iter().enumerate() {
            // A row of the inverse serves as its column.
            for (j, column) in inverse.iter().enumerate() {
                let product: f64 = row.iter().zip(column).map(|(a, b)| a * b).sum();
                assert!((product - f64::from(i == j)).abs() < 1e-12);
            }
        }
        assert!(Cholesky::new(&[[1.0, 2.0], [2.0, 1.0]]).is_none());
        assert!(Cholesky::new(&[[f64::NAN]]).is_none());
    }
}
