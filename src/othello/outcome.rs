//! Who wins.

use serde::Serialize;
use strum::Display;

/// The result of a game for one side, without its size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Display, Serialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Outcome {
    /// The other side wins.
    Loss,
    /// Nobody wins.
    Draw,
    /// This side wins.
    Win,
}

impl Outcome {
    /// The outcome that a final score, in discs or any other unit, stands for.
    pub const fn of_score(score: i32) -> Outcome {
        match score {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        }
    }

    /// What the game counts for its player in half points: 0, 1 or 2.
    pub const fn half_points(self) -> usize {
        self as usize
    }
}
