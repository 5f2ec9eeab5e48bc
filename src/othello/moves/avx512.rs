//! Legal moves with AVX-512: the eight directions in the eight lanes of a register.

use std::arch::x86_64::*;

/// The legal moves.
#[inline]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    // SAFETY: this module is compiled only into programs built for machines that have the feature.
    unsafe { moves(player, opponent) }
}

/// Without shifts that stop at the end of the board: what is rotated past it lands on an edge, and no disc on that
/// edge is in the middle of a run in that direction.
#[inline]
#[target_feature(enable = "avx512f")]
fn moves(player: u64, opponent: u64) -> u64 {
    let (rows, columns, both) = (0x7e7e_7e7e_7e7e_7e7e, 0x00ff_ffff_ffff_ff00, 0x007e_7e7e_7e7e_7e00);
    let inner = _mm512_set_epi64(both, both, columns, rows, both, both, columns, rows);
    let step = _mm512_set_epi64(64 - 9, 64 - 7, 64 - 8, 64 - 1, 9, 7, 8, 1);
    let twice = _mm512_set_epi64(64 - 18, 64 - 14, 64 - 16, 64 - 2, 18, 14, 16, 2);
    let p = _mm512_set1_epi64(player as i64);
    let o = _mm512_and_si512(_mm512_set1_epi64(opponent as i64), inner);
    let mut run = _mm512_and_si512(o, _mm512_rolv_epi64(p, step));
    let pair = _mm512_and_si512(o, _mm512_rolv_epi64(o, step));
    run = _mm512_or_si512(run, _mm512_and_si512(o, _mm512_rolv_epi64(run, step)));
    run = _mm512_or_si512(run, _mm512_and_si512(pair, _mm512_rolv_epi64(run, twice)));
    run = _mm512_or_si512(run, _mm512_and_si512(pair, _mm512_rolv_epi64(run, twice)));
    let found = _mm512_reduce_or_epi64(_mm512_rolv_epi64(run, step)) as u64;
    found & !(player | opponent)
}
