//! Values as clients see them.

use crate::game::{DISC, Game};
use crate::othello::Color;
use serde::{Serialize, Serializer};
use std::fmt;

/// A value in 1/128 disc for the side to move, −64 to 64 discs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Score(i32);

impl Score {
    /// An even position.
    pub const ZERO: Score = Score(0);

    /// A score in units of 1/128 disc.
    pub const fn from_units(units: i32) -> Score {
        Score(units)
    }

    /// A score of whole discs.
    pub const fn from_discs(discs: i32) -> Score {
        Score(discs * DISC)
    }

    /// The score in units of 1/128 disc.
    pub const fn units(self) -> i32 {
        self.0
    }

    /// The score in discs.
    pub fn discs(self) -> f64 {
        f64::from(self.0) / f64::from(DISC)
    }
}

impl std::ops::Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Serialize for Score {
    /// In discs.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.discs())
    }
}

impl fmt::Display for Score {
    /// Discs with a sign and two decimals: `+1.25`, `-0.50`, `+0.00`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounded as an integer first, so that a tiny negative value does not print as -0.00.
        let hundredths = (self.discs() * 100.0).round() as i64;
        let sign = if hundredths < 0 { '-' } else { '+' };
        let size = hundredths.unsigned_abs();
        f.pad(&format!("{sign}{}.{:02}", size / 100, size % 100))
    }
}

/// For whom draws count: NBoard's `set contempt`. To that side a draw is worth a disc, so less than any win; to the other a disc less than nothing, so more
/// than any loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Contempt(i32);

impl Contempt {
    /// A draw is worth nothing.
    pub const NONE: Contempt = Contempt(0);

    /// A contempt by which draws count for Black, if the number is positive, or for White, if it is negative; `None` unless it is from −100 to
    /// 100, which are the numbers that a client may give.
    pub const fn new(to_black: i32) -> Option<Contempt> {
        if to_black >= -100 && to_black <= 100 { Some(Contempt(to_black.signum())) } else { None }
    }

    /// What a draw is worth to this side, in discs.
    pub fn draw_for(self, color: Color) -> i32 {
        color.signed(self.0)
    }

    /// The nearest to a score of the results that a game can have for this side. They are even, since empty squares go to the winner, but for a
    /// draw that counts for one of the sides; a score does not change sides.
    pub fn nearest_result(self, score: Score, color: Color) -> Score {
        let draw = self.draw_for(color) * DISC;
        Score(if draw == 0 || 2 * score.0.abs() >= 3 * DISC {
            (score.0 + DISC).div_euclid(2 * DISC) * 2 * DISC
        } else if score.0 * draw >= 0 {
            draw
        } else {
            -2 * draw
        })
    }

    /// The outcome of a finished game for its side to move, in the evaluators' units, with draws at this worth.
    pub fn outcome<G: Game>(self, position: &G) -> i32 {
        match position.outcome() {
            0 => self.draw_for(position.mover()) * DISC,
            outcome => outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_print_as_discs() {
        let shown = |units| Score::from_units(units).to_string();
        assert_eq!(shown(0), "+0.00");
        assert_eq!(shown(-1), "-0.01");
        assert_eq!(Score::from_units(-64).to_string(), "-0.50");
        assert_eq!(Score::from_discs(64).to_string(), "+64.00");
        assert_eq!((-Score::from_discs(12)).to_string(), "-12.00");
    }

    #[test]
    fn results_are_even_but_for_draws_that_count() {
        let nearest = |units| {
            [0, 50, -50]
                .map(|to_black| Contempt::new(to_black).unwrap().nearest_result(Score::from_units(units), Color::Black))
        };
        for (units, discs) in [
            (2707, [22, 22, 22]),
            (-130, [-2, -2, -1]),
            (-127, [0, -2, -1]),
            (-1, [0, -2, -1]),
            (0, [0, 1, -1]),
            (127, [0, 1, 2]),
            (193, [2, 2, 2]),
            (-25 * DISC, [-24, -24, -24]),
        ] {
            assert_eq!(nearest(units), discs.map(Score::from_discs), "{units}");
        }
    }
}
