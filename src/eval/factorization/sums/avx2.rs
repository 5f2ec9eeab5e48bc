//! Sums with AVX2: the numbers of a row in two registers. The compiler squares the sums one by one.

use super::{Row, SIGNS, Sums, Total};
use std::arch::x86_64::*;

/// A sum that rows are added to.
#[derive(Clone, Copy)]
pub(in crate::eval::factorization) struct Accumulator([__m256i; 2]);

impl Accumulator {
    #[inline]
    pub(in crate::eval::factorization) fn new(start: &Sums) -> Accumulator {
        let (halves, _) = start.0.as_chunks::<16>();
        // SAFETY: a half is 32 bytes long, and aligned to 32, because sums are aligned to 64; this module is compiled only into
        // programs built for machines that have the features.
        Accumulator([0, 1].map(|i| unsafe { _mm256_load_si256(halves[i].as_ptr().cast()) }))
    }

    #[inline(always)]
    pub(in crate::eval::factorization) fn add(&mut self, row: &Row) {
        let (halves, _) = row.as_chunks::<16>();
        for (sums, half) in self.0.iter_mut().zip(halves) {
            // SAFETY: a half is 16 bytes long; the features as above.
            *sums = unsafe {
                let bytes = _mm_loadu_si128(half.as_ptr().cast());
                _mm256_add_epi16(*sums, _mm256_cvtepi8_epi16(bytes))
            };
        }
    }

    /// What the value needs of both sums together.
    #[inline]
    pub(in crate::eval::factorization) fn total(self, other: Accumulator) -> Total {
        let Accumulator([first_signs, last_signs]) = Accumulator::new(&SIGNS);
        // SAFETY: the features as above.
        unsafe {
            let first = _mm256_add_epi16(self.0[0], other.0[0]);
            let last = _mm256_add_epi16(self.0[1], other.0[1]);
            let squares = _mm256_add_epi32(
                _mm256_madd_epi16(first, _mm256_sign_epi16(first, first_signs)),
                _mm256_madd_epi16(last, _mm256_sign_epi16(last, last_signs)),
            );
            let squares = _mm_add_epi32(_mm256_castsi256_si128(squares), _mm256_extracti128_si256::<1>(squares));
            let squares = _mm_add_epi32(squares, _mm_unpackhi_epi64(squares, squares));
            let squares = _mm_add_epi32(squares, _mm_shuffle_epi32::<1>(squares));
            let last = _mm_extract_epi64::<1>(_mm256_extracti128_si256::<1>(last));
            Total::of_last_bits(_mm_cvtsi128_si32(squares), last)
        }
    }
}
