//! Random numbers that are the same for the same seed in every later version.

use crate::othello::{Bitboard, Square};

/// The splitmix64 generator.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of one seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A sequence of its own for every pair of numbers.
    pub(crate) fn of_pair(seed: u64, number: u64) -> Random {
        Random(mix(seed).wrapping_add(mix(number ^ 0x6a09_e667_f3bc_c908)))
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number from 0 up to but not including 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number below `n`, at least 1. The bias of the multiplication is below 2⁻⁵⁰ for the lists met here.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// One square of a set; of none, nothing, and no number is drawn.
    pub(crate) fn choose(&mut self, squares: Bitboard) -> Option<Square> {
        let count = squares.count() as usize;
        if count > 0 { squares.into_iter().nth(self.below(count)) } else { None }
    }

    /// Brings items into a random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The finaliser of splitmix64: every bit of the result depends on every bit of `z`.
pub(crate) fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(3).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
