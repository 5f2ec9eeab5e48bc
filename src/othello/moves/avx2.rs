//! Legal moves with AVX2: the four line directions in the four lanes of a register.

use std::arch::x86_64::*;

/// The legal moves.
#[inline]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    // SAFETY: this module is compiled only into programs built for machines that have the feature.
    unsafe { moves(player, opponent) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn moves(player: u64, opponent: u64) -> u64 {
    let inner = 0x7e7e_7e7e_7e7e_7e7e;
    let p = _mm256_set1_epi64x(player as i64);
    let o = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), _mm256_set_epi64x(inner, inner, -1, inner));
    let step = _mm256_set_epi64x(9, 7, 8, 1);
    let twice = _mm256_set_epi64x(18, 14, 16, 2);
    let mut up = _mm256_and_si256(o, _mm256_sllv_epi64(p, step));
    let mut down = _mm256_and_si256(o, _mm256_srlv_epi64(p, step));
    up = _mm256_or_si256(up, _mm256_and_si256(o, _mm256_sllv_epi64(up, step)));
    down = _mm256_or_si256(down, _mm256_and_si256(o, _mm256_srlv_epi64(down, step)));
    let pair_up = _mm256_and_si256(o, _mm256_sllv_epi64(o, step));
    let pair_down = _mm256_srlv_epi64(pair_up, step);
    up = _mm256_or_si256(up, _mm256_and_si256(pair_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pair_down, _mm256_srlv_epi64(down, twice)));
    up = _mm256_or_si256(up, _mm256_and_si256(pair_up, _mm256_sllv_epi64(up, twice)));
    down = _mm256_or_si256(down, _mm256_and_si256(pair_down, _mm256_srlv_epi64(down, twice)));
    let found = _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
    let half = _mm_or_si128(_mm256_castsi256_si128(found), _mm256_extracti128_si256::<1>(found));
    let found = _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64;
    found & !(player | opponent)
}
