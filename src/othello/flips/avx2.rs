//! Flips with AVX2: the four lines in the four lanes of a register.

use crate::othello::Square;
use crate::othello::rays::Rays;
use std::arch::x86_64::*;

/// The discs that turn.
#[inline]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    // SAFETY: this module is compiled only into programs built for machines that have the features.
    unsafe { turned(Rays::of(square), player, opponent) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn turned(rays: &Rays, player: u64, opponent: u64) -> u64 {
    let player = _mm256_set1_epi64x(player as i64);
    let opponent = _mm256_set1_epi64x(opponent as i64);
    // SAFETY: each half is 32 bytes long, and aligned to 32, because the structure is aligned to 64.
    let (up, down) =
        unsafe { (_mm256_load_si256(rays.up.as_ptr().cast()), _mm256_load_si256(rays.down.as_ptr().cast())) };
    let zero = _mm256_setzero_si256();
    let ones = _mm256_set1_epi64x(-1);
    // Upwards the run ends at the lowest square that is not opposing.
    let other = _mm256_andnot_si256(opponent, up);
    let end = _mm256_and_si256(_mm256_andnot_si256(_mm256_add_epi64(other, ones), other), player);
    // Below the end; where there is none, the comparison makes the difference nothing.
    let below = _mm256_sub_epi64(_mm256_add_epi64(end, ones), _mm256_cmpeq_epi64(end, zero));
    // Downwards it ends at the highest such square: spread them down the line, and keep what nothing was spread to.
    let step = _mm256_set_epi64x(7, 9, 8, 1);
    let other = _mm256_andnot_si256(opponent, down);
    let spread = _mm256_or_si256(other, _mm256_srlv_epi64(other, step));
    let twice = _mm256_add_epi64(step, step);
    let spread = _mm256_or_si256(spread, _mm256_srlv_epi64(spread, twice));
    let spread =
        _mm256_srlv_epi64(_mm256_or_si256(spread, _mm256_srlv_epi64(spread, _mm256_add_epi64(twice, twice))), step);
    let end = _mm256_and_si256(_mm256_andnot_si256(spread, other), player);
    let above = _mm256_sub_epi64(zero, _mm256_add_epi64(end, end));
    let turned = _mm256_or_si256(_mm256_and_si256(below, up), _mm256_and_si256(above, down));
    let half = _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256::<1>(turned));
    _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
}
