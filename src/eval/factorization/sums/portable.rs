//! Sums without intrinsics.

use super::{LINEAR, Row, SIGNS, Sums, Total};

/// A sum that rows are added to.
#[derive(Clone, Copy)]
pub(in crate::eval::factorization) struct Accumulator(Sums);

impl Accumulator {
    #[inline]
    pub(in crate::eval::factorization) fn new(start: &Sums) -> Accumulator {
        Accumulator(*start)
    }

    #[inline(always)]
    pub(in crate::eval::factorization) fn add(&mut self, row: &Row) {
        for (sum, byte) in self.0.0.iter_mut().zip(row) {
            *sum = sum.wrapping_add(i16::from(byte.cast_signed()));
        }
    }

    /// What the value needs of both sums together.
    #[inline]
    pub(in crate::eval::factorization) fn total(self, other: Accumulator) -> Total {
        // The compiler keeps in registers what nobody takes the address of.
        total(&Sums(std::array::from_fn(|k| self.0.0[k].wrapping_add(other.0.0[k]))))
    }
}

/// A function of its own, because inlined it takes the sums apart into single numbers, which makes the additions three times
/// as slow.
#[inline(never)]
fn total(Sums(sums): &Sums) -> Total {
    let signed = sums.iter().zip(&SIGNS.0);
    let squares = signed.map(|(&sum, sign)| i32::from(sum) * i32::from(sum.wrapping_mul(*sign))).sum();
    Total { squares, linear: *sums[LINEAR..].first_chunk().expect("a row ends with the linear weights") }
}
