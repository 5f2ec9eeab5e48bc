//! Legal moves with SSE2, which every x86-64 machine has: the board in one half of a register, the board turned upside
//! down in the other, so that three directions in both cover the six that are not horizontal.

use super::portable::{NOT_EDGE_COLUMNS, along_row};
use std::arch::x86_64::*;

/// The legal moves.
#[inline]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    // SAFETY: SSE2 is part of x86-64.
    let steep = unsafe { steep(player, opponent) };
    (steep | along_row(player, opponent)) & !(player | opponent)
}

#[inline]
#[target_feature(enable = "sse2")]
fn steep(player: u64, opponent: u64) -> u64 {
    let p = _mm_set_epi64x(player.swap_bytes() as i64, player as i64);
    let o = _mm_set_epi64x(opponent.swap_bytes() as i64, opponent as i64);
    let inner = _mm_and_si128(o, _mm_set1_epi64x(NOT_EDGE_COLUMNS as i64));
    let found =
        _mm_or_si128(_mm_or_si128(upwards::<8, 16>(p, o), upwards::<7, 14>(p, inner)), upwards::<9, 18>(p, inner));
    let upside_down = _mm_cvtsi128_si64(_mm_unpackhi_epi64(found, found)) as u64;
    _mm_cvtsi128_si64(found) as u64 | upside_down.swap_bytes()
}

/// The squares one step above a run of `o` that starts next to a disc of `p`.
#[inline]
#[target_feature(enable = "sse2")]
fn upwards<const STEP: i32, const TWICE: i32>(p: __m128i, o: __m128i) -> __m128i {
    let mut run = _mm_and_si128(o, _mm_slli_epi64::<STEP>(p));
    run = _mm_or_si128(run, _mm_and_si128(o, _mm_slli_epi64::<STEP>(run)));
    let pair = _mm_and_si128(o, _mm_slli_epi64::<STEP>(o));
    run = _mm_or_si128(run, _mm_and_si128(pair, _mm_slli_epi64::<TWICE>(run)));
    run = _mm_or_si128(run, _mm_and_si128(pair, _mm_slli_epi64::<TWICE>(run)));
    _mm_slli_epi64::<STEP>(run)
}
