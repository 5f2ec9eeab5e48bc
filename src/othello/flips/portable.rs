//! Flips with the instructions that every machine has.

use crate::othello::Square;
use crate::othello::rays::Rays;

/// The discs that turn, line by line.
#[inline]
pub fn flips(square: Square, player: u64, opponent: u64) -> u64 {
    let rays = Rays::of(square);
    let mut turned = 0;
    for line in 0..4 {
        // Upwards the run ends at the lowest square of the ray that is not opposing. Only a disc of the player there
        // closes the run.
        let other = rays.up[line] & !opponent;
        let end = other & other.wrapping_neg() & player;
        turned |= end.saturating_sub(1) & rays.up[line];
        // Downwards it ends at the highest such square, found by its leading zeros.
        let other = rays.down[line] & !opponent;
        let end = highest(other) & player;
        turned |= (end << 1).wrapping_neg() & rays.down[line];
    }
    turned
}

/// The highest bit alone; nothing of nothing.
#[inline]
const fn highest(bits: u64) -> u64 {
    (1u64 << 63).unbounded_shr(bits.leading_zeros())
}
