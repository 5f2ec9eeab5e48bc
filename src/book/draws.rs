//! What a position is worth where a draw is not worth nothing.
//!
//! Let a draw be worth `d` to the side to move. The value is made of minima and maxima of `d`, where play ends in a draw, and of numbers that do
//! not depend on it. So it is `d` between two numbers, and beyond them the nearer one; these are the values where a draw counts as the worst and as
//! the best of results.

use crate::game::DISC;
use crate::search::Score;
use serde::Serialize;

/// What a draw counts as at most, in discs: more than any result.
const BEYOND: i32 = 100;

/// The values, for the side to move, of a position whose value depends on what a draw is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Draws {
    /// The value if a draw counts as lost by 100 discs.
    pub lost: Score,
    /// The value if a draw counts as won by 100 discs.
    pub won: Score,
}

impl Draws {
    /// Those of a draw.
    pub const DRAW: Draws = Draws { lost: Score::from_discs(-BEYOND), won: Score::from_discs(BEYOND) };
    /// The length of [`Draws::to_bytes`].
    pub(super) const BYTES: usize = 4;

    /// Those of a position with this value, whatever a draw is worth.
    pub(super) fn none(value: Score) -> Draws {
        Draws { lost: value, won: value }
    }

    /// What the position is worth, if a draw is worth this to the side to move.
    pub fn at(self, draw: Score) -> Score {
        draw.clamp(self.lost, self.won)
    }

    pub(super) fn to_bytes(self) -> [u8; Draws::BYTES] {
        let half = |score: Score| (score.units() as i16).to_le_bytes();
        let ([a, b], [c, d]) = (half(self.lost), half(self.won));
        [a, b, c, d]
    }

    /// The values with these bytes, if they are such.
    pub(super) fn from_bytes(&[a, b, c, d]: &[u8; Draws::BYTES]) -> Option<Draws> {
        const MOST: i16 = (BEYOND * DISC) as i16;
        let (lost, won) = (i16::from_le_bytes([a, b]), i16::from_le_bytes([c, d]));
        let of = |units: i16| Score::from_units(units.into());
        (-MOST <= lost && lost < won && won <= MOST).then(|| Draws { lost: of(lost), won: of(won) })
    }
}

impl std::ops::Neg for Draws {
    type Output = Draws;

    /// Those of the other side.
    fn neg(self) -> Draws {
        Draws { lost: -self.won, won: -self.lost }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_values_or_none(bytes: [u8; Draws::BYTES]) {
            if let Some(draws) = Draws::from_bytes(&bytes) {
                prop_assert_eq!(draws.to_bytes(), bytes);
                prop_assert_eq!(-(-draws), draws);
            }
        }
    }
}
