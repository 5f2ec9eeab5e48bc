//! Flips with SSE4.1: the board in one half of a register and the board turned upside down in the other, so that one way
//! along each of the three steep lines covers both; the row is looked up.

use super::lookup::turned_in_row;
use crate::othello::Square;
use crate::othello::rays::Rays;
use std::arch::x86_64::*;

/// The discs that turn.
#[inline]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    // SAFETY: this module is compiled only into programs built for machines that have the feature.
    let steep = unsafe { steep(&RAYS[square.index()], player, opponent) };
    steep | turned_in_row(square, player, opponent)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn steep(rays: &[[u64; 2]; 3], player: u64, opponent: u64) -> u64 {
    let player = _mm_set_epi64x(player.swap_bytes() as i64, player as i64);
    let opponent = _mm_set_epi64x(opponent.swap_bytes() as i64, opponent as i64);
    let mut turned = _mm_setzero_si128();
    for &[upright, upside_down] in rays {
        let ray = _mm_set_epi64x(upside_down as i64, upright as i64);
        // The run of opposing discs and the square behind it; turned if that square is the player's.
        let other = _mm_andnot_si128(opponent, ray);
        let run = _mm_and_si128(_mm_xor_si128(other, _mm_add_epi64(other, _mm_set1_epi64x(-1))), ray);
        let open = _mm_cmpeq_epi64(_mm_and_si128(run, player), _mm_setzero_si128());
        turned = _mm_or_si128(turned, _mm_andnot_si128(open, _mm_and_si128(run, opponent)));
    }
    let upside_down = _mm_cvtsi128_si64(_mm_unpackhi_epi64(turned, turned)) as u64;
    _mm_cvtsi128_si64(turned) as u64 | upside_down.swap_bytes()
}

/// The steep rays towards higher indices: from the square, and from the same square of the board upside down.
static RAYS: [[[u64; 2]; 3]; 64] = {
    let mut table = [[[0; 2]; 3]; 64];
    let mut square = 0;
    while square < 64 {
        let upright = Rays::of(Square::from_low_bits(square as u32));
        let upside_down = Rays::of(Square::from_low_bits(square as u32 ^ 56));
        let mut line = 0;
        while line < 3 {
            table[square][line] = [upright.up[line + 1], upside_down.up[line + 1]];
            line += 1;
        }
        square += 1;
    }
    table
};
