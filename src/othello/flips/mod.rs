//! What a move turns over.
//!
//! One file for each instruction set; the build's target decides which one is called, because a choice made while
//! searching would cost the inlining. `docs/performance.md` has the measurements behind the order.
#![allow(dead_code, reason = "a build calls one path; its tests hold all that the machine has to the portable one")]

mod last;
mod portable;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vl",
    target_feature = "avx512cd"
))]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod lookup;
#[cfg(all(target_arch = "x86_64", target_feature = "sse4.1"))]
mod sse41;

use super::{Bitboard, Square};
pub use last::last_flips;

cfg_select! {
    all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "avx512vl", target_feature = "avx512cd") => {
        use avx512 as fastest;
    }
    all(target_arch = "x86_64", target_feature = "avx2") => {
        use avx2 as fastest;
    }
    all(target_arch = "x86_64", target_feature = "sse4.1") => {
        use sse41 as fastest;
    }
    _ => {
        use portable as fastest;
    }
}

/// The discs of `opponent` that turn when `player` moves to `square`; empty if the move is not legal.
///
/// Does not look whether the square itself is empty.
#[inline]
pub fn flips(square: Square, player: Bitboard, opponent: Bitboard) -> Bitboard {
    Bitboard(fastest::flips(square, player.0, opponent.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_boards;

    type Flips = fn(Square, u64, u64) -> u64;

    /// The paths that this build can run, without the portable one.
    const PATHS: &[(&str, Flips)] = &[
        #[cfg(all(target_arch = "x86_64", target_feature = "sse4.1"))]
        ("sse4.1", sse41::flips),
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        ("avx2", avx2::flips),
        #[cfg(all(
            target_arch = "x86_64",
            target_feature = "avx512f",
            target_feature = "avx512vl",
            target_feature = "avx512cd"
        ))]
        ("avx512", avx512::flips),
        ("chosen", fastest::flips),
    ];

    /// The rules, step by step.
    fn walk(square: Square, player: Bitboard, opponent: Bitboard) -> Bitboard {
        let mut turned = Bitboard::EMPTY;
        for (column_step, row_step) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let mut run = Bitboard::EMPTY;
            let (mut column, mut row) = (square.column() as i8 + column_step, square.row() as i8 + row_step);
            while let Some(next) =
                u8::try_from(column).ok().zip(u8::try_from(row).ok()).and_then(|(c, r)| Square::at(c, r))
            {
                if player.contains(next) {
                    turned |= run;
                }
                if !opponent.contains(next) {
                    break;
                }
                run |= next.bit();
                (column, row) = (column + column_step, row + row_step);
            }
        }
        turned
    }

    fn compare(boards: usize) {
        for (player, opponent) in random_boards(1, boards) {
            for square in !(player | opponent) {
                let expected = portable::flips(square, player.0, opponent.0);
                for (name, path) in PATHS {
                    assert_eq!(
                        path(square, player.0, opponent.0),
                        expected,
                        "{name}: {square}, {player:?} against {opponent:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_portable_path_is_the_rules() {
        for (player, opponent) in random_boards(2, 5_000) {
            for square in !(player | opponent) {
                let turned = Bitboard(portable::flips(square, player.0, opponent.0));
                assert_eq!(turned, walk(square, player, opponent), "{square}, {player:?} against {opponent:?}");
            }
        }
    }

    #[test]
    fn every_path_is_the_portable_one() {
        compare(100_000);
    }

    #[test]
    #[ignore = "ten million boards take a minute; run it in release after a change of a path"]
    fn every_path_is_the_portable_one_on_ten_million_boards() {
        compare(10_000_000);
    }

    #[test]
    fn the_last_move_turns_what_flips_says() {
        for (player, opponent) in random_boards(3, 20_000) {
            for square in Square::all() {
                let player = player & !square.bit();
                let turned = flips(square, player, !(player | square.bit()));
                assert_eq!(last_flips(square, player), turned.count(), "{square} {player:?}");
                assert_eq!(last_flips(square, player | square.bit()), turned.count(), "{square} {player:?}");
                // The other side, as the solver asks when the first cannot move.
                let turned = flips(square, !(player | square.bit()), player);
                assert_eq!(last_flips(square, !player), turned.count(), "{square} {opponent:?}");
            }
        }
    }
}
