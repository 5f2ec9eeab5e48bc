//! Which squares may be played.
//!
//! One file for each instruction set; the build's target decides which one is called. `docs/performance.md` has the
//! measurements behind the choice.
#![allow(dead_code, reason = "a build calls one path; its tests hold all that the machine has to the portable one")]

mod many;
mod portable;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod sse2;

use super::Bitboard;
pub(super) use many::{count_moves, legal_moves_of_many};

cfg_select! {
    all(target_arch = "x86_64", target_feature = "avx2") => {
        use avx2 as fastest;
    }
    target_arch = "x86_64" => {
        use sse2 as fastest;
    }
    _ => {
        use portable as fastest;
    }
}

/// The legal moves of `player` against `opponent`: the empty squares from which a run of opposing discs leads, in at
/// least one direction, to a disc of the player.
#[inline]
pub fn legal_moves(player: Bitboard, opponent: Bitboard) -> Bitboard {
    Bitboard(fastest::legal_moves(player.0, opponent.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::flips;
    use crate::testing::random_boards;

    type Moves = fn(u64, u64) -> u64;

    /// The paths that this build can run, without the portable one.
    const PATHS: &[(&str, Moves)] = &[
        #[cfg(target_arch = "x86_64")]
        ("sse2", sse2::legal_moves),
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        ("avx2", avx2::legal_moves),
        ("chosen", fastest::legal_moves),
    ];

    fn compare(boards: usize) {
        for (player, opponent) in random_boards(4, boards) {
            let expected = portable::legal_moves(player.0, opponent.0);
            for (name, path) in PATHS {
                assert_eq!(path(player.0, opponent.0), expected, "{name}: {player:?} against {opponent:?}");
            }
        }
    }

    #[test]
    fn a_move_is_a_square_that_turns_something() {
        for (player, opponent) in random_boards(5, 10_000) {
            let empties = !(player | opponent);
            let turning = empties.into_iter().filter(|&square| !flips(square, player, opponent).is_empty()).collect();
            assert_eq!(legal_moves(player, opponent), turning, "{player:?} against {opponent:?}");
        }
    }

    #[test]
    fn every_path_is_the_portable_one() {
        compare(100_000);
    }

    #[test]
    #[ignore = "run it in release after a change of a path"]
    fn every_path_is_the_portable_one_on_ten_million_boards() {
        compare(10_000_000);
    }
}
