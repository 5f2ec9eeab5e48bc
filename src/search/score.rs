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

    /// The nearest multiple of this number of discs.
    pub fn rounded_to(self, discs: i32) -> Score {
        let step = discs * DISC;
        Score((self.0 + step / 2).div_euclid(step) * step)
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
    pub const fn draw_for(self, color: Color) -> i32 {
        match color {
            Color::Black => self.0,
            Color::White => -self.0,
        }
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
        let rounded = |units| [1, 2].map(|discs| Score::from_units(units).rounded_to(discs));
        for (units, discs) in [(1, [0, 0]), (-1, [0, 0]), (-130, [-1, -2]), (2707, [21, 22])] {
            assert_eq!(rounded(units), discs.map(Score::from_discs), "{units}");
        }
    }
}
