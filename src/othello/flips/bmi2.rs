//! Flips with BMI2: each line is gathered into a byte, looked up, and scattered back.

use super::lookup::{CLOSERS, TURNED};
use crate::othello::Square;
use crate::othello::rays::Rays;
use std::arch::x86_64::{_pdep_u64, _pext_u64};

/// The discs that turn.
#[inline]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    // SAFETY: this module is compiled only into programs built for machines that have the features.
    unsafe { turned(square, player, opponent) }
}

#[inline]
#[target_feature(enable = "bmi2")]
fn turned(square: Square, player: u64, opponent: u64) -> u64 {
    let lines = &LINES[square.index()];
    let mut turned = 0;
    for (mask, place) in lines.mask.into_iter().zip(lines.place) {
        let place = usize::from(place & 7);
        let closers = CLOSERS[place][_pext_u64(opponent, mask) as usize & 0xff];
        let end = closers & _pext_u64(player, mask) as u8;
        turned |= _pdep_u64(u64::from(TURNED[place][usize::from(end)]), mask);
    }
    turned
}

/// The four lines through a square, with it, and which square of each it is.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Lines {
    mask: [u64; 4],
    place: [u8; 4],
}

static LINES: [Lines; 64] = {
    let mut table = [Lines { mask: [0; 4], place: [0; 4] }; 64];
    let mut square = 0;
    while square < 64 {
        let rays = Rays::of(Square::from_low_bits(square as u32));
        let mut line = 0;
        while line < 4 {
            table[square].mask[line] = rays.up[line] | rays.down[line] | 1 << square;
            table[square].place[line] = rays.down[line].count_ones() as u8;
            line += 1;
        }
        square += 1;
    }
    table
};
