//! The discs of a position as the endgame search keeps them.

use crate::othello::{Bitboard, Position, Square, final_score, legal_moves, stable_discs};

/// The discs of the side to move and of the other side; whose turn it is does not matter this near the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Board {
    pub player: Bitboard,
    pub opponent: Bitboard,
}

/// The squares that touch a square.
static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(1 << square).neighbours().0;
        square += 1;
    }
    table
};

/// Bound in discs from which on the other side's stable discs are worth counting, by number of empty squares.
const STABILITY_FROM: [i32; 16] = [99, 99, 99, 99, 16, 16, 16, 16, 16, 16, 20, 22, 24, 26, 28, 30];

impl Board {
    /// The discs of a position.
    #[inline]
    pub(super) fn of(position: &Position) -> Board {
        Board { player: position.player(), opponent: position.opponent() }
    }

    /// An upper bound on the value that does not exceed `alpha`, if the other side's stable discs give one.
    #[inline]
    pub(super) fn stability_limit(self, alpha: i32, empties: u32) -> Option<i32> {
        if alpha < STABILITY_FROM[empties.min(15) as usize] {
            return None;
        }
        self.most_with_stable(alpha).filter(|&limit| limit <= alpha)
    }

    /// The most that the side to move can still get with the other side's stable discs lost to it; `None` if not even all of the other side's
    /// discs would keep it from more than `alpha`.
    #[inline]
    pub(super) fn most_with_stable(self, alpha: i32) -> Option<i32> {
        if 64 - 2 * self.opponent.count() as i32 > alpha {
            return None;
        }
        Some(64 - 2 * stable_discs(self.opponent, self.player).count() as i32)
    }

    #[inline]
    pub(super) fn empties(self) -> Bitboard {
        !(self.player | self.opponent)
    }

    #[inline]
    pub(super) fn moves(self) -> Bitboard {
        legal_moves(self.player, self.opponent)
    }

    /// Whether a disc of the other side touches the square: without one a disc on it turns nothing.
    #[inline]
    pub(super) fn may_turn_at(self, square: Square) -> bool {
        NEIGHBOURS[square.index() & 63] & self.opponent.0 != 0
    }

    /// The board after a disc on `square` that turns `turned`, with the other side to move.
    #[inline]
    pub(super) fn after(self, square: Square, turned: Bitboard) -> Board {
        Board { player: self.opponent ^ turned, opponent: self.player | turned | square.bit() }
    }

    /// The board with the other side to move.
    #[inline]
    pub(super) fn pass(self) -> Board {
        Board { player: self.opponent, opponent: self.player }
    }

    /// The score if the game ends here, empty squares given to the winner.
    #[inline]
    pub(super) fn score(self) -> i32 {
        final_score(self.player, self.opponent)
    }
}
