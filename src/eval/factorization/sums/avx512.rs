//! Sums with AVX-512: the numbers of a row in one register. Left to itself, the compiler takes two of half the width.

use super::{Row, SIGNS, Sums, Total};
use std::arch::x86_64::*;

/// A sum that rows are added to.
#[derive(Clone, Copy)]
pub(in crate::eval::factorization) struct Accumulator(__m512i);

impl Accumulator {
    #[inline]
    pub(in crate::eval::factorization) fn new(start: &Sums) -> Accumulator {
        // SAFETY: sums are 64 bytes long, and aligned to 64; this module is compiled only into programs built for machines
        // that have the features.
        Accumulator(unsafe { _mm512_load_si512(start.0.as_ptr().cast()) })
    }

    #[inline(always)]
    pub(in crate::eval::factorization) fn add(&mut self, row: &Row) {
        // SAFETY: a row is 32 bytes long; the features as above.
        self.0 = unsafe {
            let bytes = _mm256_loadu_si256(row.as_ptr().cast());
            _mm512_add_epi16(self.0, _mm512_cvtepi8_epi16(bytes))
        };
    }

    /// What the value needs of both sums together.
    #[inline]
    pub(in crate::eval::factorization) fn total(self, other: Accumulator) -> Total {
        // SAFETY: the signs are 64 bytes long, and aligned to 64; the features as above.
        unsafe {
            let sums = _mm512_add_epi16(self.0, other.0);
            let signed = _mm512_mullo_epi16(sums, _mm512_load_si512(SIGNS.0.as_ptr().cast()));
            let squares = _mm512_reduce_add_epi32(_mm512_madd_epi16(sums, signed));
            let last = _mm_extract_epi64::<1>(_mm512_extracti32x4_epi32::<3>(sums));
            Total::of_last_bits(squares, last)
        }
    }
}
