//! The sums of rows, on which the value of a position depends.
//!
//! One file for each instruction set; the build's target decides which one is called. They add whole numbers, so all of
//! them find the same.
#![allow(dead_code, reason = "a build calls one path; its tests hold all that the machine has to the portable one")]

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512bw"))]
mod avx512;
mod portable;

use super::{HALF, RANK};

cfg_select! {
    all(target_arch = "x86_64", target_feature = "avx512bw") => {
        pub(super) use avx512::Accumulator;
    }
    all(target_arch = "x86_64", target_feature = "avx2") => {
        pub(super) use avx2::Accumulator;
    }
    _ => {
        pub(super) use portable::Accumulator;
    }
}

/// Numbers of a row: the factors, then two linear weights of two bytes each.
pub(super) const LANES: usize = RANK + 4;

/// Where the linear weight at the knot before stands in a row, the high byte first; behind it that at the next knot.
pub(super) const LINEAR: usize = RANK;

/// What is added up: the factors and the linear weights of one configuration, between two knots. The bytes are signed.
pub(super) type Row = [u8; LANES];

/// A sum of rows, or a row too large for bytes.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Sums(pub(super) [i16; LANES]);

/// What the value needs of a sum of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Total {
    /// The squares of the sums of the factors, with their signs, added up.
    pub(super) squares: i32,
    /// The numbers of the two linear weights.
    pub(super) linear: [i16; LANES - LINEAR],
}

impl Total {
    /// From the last 64 bits of a sum, which the linear weights are.
    fn of_last_bits(squares: i32, last: i64) -> Total {
        const { assert!(LANES == 32 && LINEAR == 28, "the linear weights are the last 64 of 512 bits") };
        Total { squares, linear: [last, last >> 16, last >> 32, last >> 48].map(|number| number as i16) }
    }
}

/// The signs of the squares of the sums; linear weights have none.
const SIGNS: Sums = {
    let (mut signs, mut k) = ([0; LANES], 0);
    while k < RANK {
        signs[k] = if k < HALF { 1 } else { -1 };
        k += 1;
    }
    Sums(signs)
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The total of some rows, added in turn to two sums.
    macro_rules! total {
        ($path:ty, $start:expr, $rows:expr) => {{
            let [mut one, mut other] = $start.map(|sums| <$path>::new(&sums));
            for pair in $rows.chunks(2) {
                one.add(&pair[0]);
                other.add(&pair[1]);
            }
            one.total(other)
        }};
    }

    #[test]
    fn every_path_finds_what_the_portable_one_does() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            let start = [(); 2].map(|()| Sums(std::array::from_fn(|_| random.below(4001) as i16 - 2000)));
            let rows: Vec<Row> = (0..64).map(|_| std::array::from_fn(|_| random.below(256) as u8)).collect();
            let expected = total!(portable::Accumulator, start, rows);
            assert_eq!(total!(Accumulator, start, rows), expected);
            #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
            assert_eq!(total!(avx2::Accumulator, start, rows), expected);
        }
    }
}
