//! Flips with AVX-512: the four lines in the four lanes of a register, and leading zeros counted in each.

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
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
fn turned(rays: &Rays, player: u64, opponent: u64) -> u64 {
    let player = _mm256_set1_epi64x(player as i64);
    let opponent = _mm256_set1_epi64x(opponent as i64);
    // SAFETY: each half is 32 bytes long, and aligned to 32, because the structure is aligned to 64.
    let (up, down) =
        unsafe { (_mm256_load_si256(rays.up.as_ptr().cast()), _mm256_load_si256(rays.down.as_ptr().cast())) };
    // Upwards: the run of opposing discs and the square behind it; turned if that square is the player's.
    let other = _mm256_andnot_si256(opponent, up);
    let run = _mm256_and_si256(_mm256_xor_si256(other, _mm256_add_epi64(other, _mm256_set1_epi64x(-1))), up);
    let closed = _mm256_test_epi64_mask(run, player);
    let above = _mm256_maskz_and_epi64(closed, run, opponent);
    // Downwards: the highest square that is not opposing; if it is the player's, everything above it turns.
    let other = _mm256_andnot_si256(opponent, down);
    let highest = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(other));
    let end = _mm256_and_si256(highest, player);
    let below = _mm256_and_si256(_mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(end, end)), down);
    let turned = _mm256_or_si256(above, below);
    let half = _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256::<1>(turned));
    _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
}
