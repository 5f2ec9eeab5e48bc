//! The default evaluation: a factorization machine over the patterns.
//!
//! Every configuration of a pattern, every pair of mobilities and every number of discs is a row: a linear weight and
//! [`RANK`] factors. The value of a position is the sum of its linear weights and, for every two of its rows, the signed
//! product of their factors:
//!
//! ```text
//! value = Σ_i w_i + Σ_{i<j} Σ_k s_k v_ik v_jk = Σ_i w_i + ½ Σ_k s_k ((Σ_i v_ik)² − Σ_i v_ik²)
//! ```
//!
//! `s_k` is 1 for the first half of the factors and −1 for the others, so that equal rows may as well be worth less
//! together as more. So the interaction of any two patterns counts, also of those that no game had together, for the cost
//! of one sum (Rendle, *Factorization Machines*, ICDM 2010; the signs are from Emilia). The linear weights change with the
//! number of discs: they are learned at *knots*, evenly from 4 to 64 discs, and interpolated. The factors are the same for
//! all phases; that the number of discs is a row makes them change with it all the same.

mod sums;
mod tables;
mod weights;

pub use tables::Tables;
pub use weights::{DISC_COUNTS, FactorWeights, MOST_FACTOR_UNITS, MOST_KNOTS, VERSION, rows};

use super::pattern::{OverPatterns, Weights};
use std::sync::{Arc, OnceLock};

/// Factors of a row.
pub const RANK: usize = 28;

/// The factors that count positive.
pub(crate) const HALF: usize = RANK / 2;

/// The weights that are part of the program.
static EMBEDDED: &[u8] = include_bytes!("../../../assets/factorization.weights");

/// What [`fingerprint()`](crate::eval::fingerprint()) says of [`EMBEDDED`]. To find it out takes all tables, and these take longer than many a
/// search.
const FINGERPRINT: u32 = 0x69de_4574;

/// The end of the file that has [`FINGERPRINT`].
const CHECKSUM: [u8; 4] = [0xa3, 0x36, 0x16, 0x15];

/// The default evaluation.
pub type Pattern = OverPatterns<Tables>;

impl Pattern {
    /// The evaluation with the weights that are part of the program. They are unpacked when first asked for.
    pub fn embedded() -> &'static Arc<Pattern> {
        static PATTERN: OnceLock<Arc<Pattern>> = OnceLock::new();
        PATTERN.get_or_init(|| {
            let pattern = Pattern::new(Pattern::embedded_weights());
            Arc::new(if EMBEDDED.ends_with(&CHECKSUM) { pattern.with_fingerprint(FINGERPRINT) } else { pattern })
        })
    }

    /// The weights that are part of the program, unpacked anew.
    pub fn embedded_weights() -> FactorWeights {
        FactorWeights::from_bytes(EMBEDDED).expect("a test reads the embedded weights")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::fingerprint;

    #[test]
    fn the_fingerprint_is_that_of_the_embedded_weights() {
        let found = (fingerprint(&Pattern::new(Pattern::embedded_weights())), EMBEDDED.last_chunk());
        assert_eq!((FINGERPRINT, Some(&CHECKSUM)), found, "the weights have changed: {found:x?} now");
    }
}
