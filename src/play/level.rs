//! How strong Emilia plays.

use crate::search::Depth;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A level from 1, a beginner, to 8, all that Emilia can.
///
/// A level has a target: the discs that its moves give away on average, against the best move that a search to its depth sees,
/// counted over the moves that leave a choice. It also has a largest loss, which no single move exceeds. [`Opponent`](super::Opponent) says
/// how both are kept.
///
/// ```
/// use emilia::play::Level;
/// let level: Level = "3".parse().unwrap();
/// assert_eq!((level.name(), level.target_loss(), level.largest_loss()), ("casual", 2.5, 12.0));
/// assert_eq!(Level::FULL.target_loss(), 0.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

/// Name, target loss and largest loss in discs, depth in plies.
const LEVELS: [(&str, f64, f64, u8); 8] = [
    ("beginner", 6.0, 24.0, 4),
    ("novice", 4.0, 18.0, 4),
    ("casual", 2.5, 12.0, 6),
    ("club player", 1.5, 8.0, 6),
    ("strong club player", 0.8, 6.0, 8),
    ("expert", 0.4, 4.0, 8),
    ("master", 0.15, 2.0, 10),
    ("full strength", 0.0, 0.0, 60),
];

/// The text is no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected a level from 1 (beginner) to {0} (full strength)", LEVELS.len())]
pub struct ParseLevelError;

impl Level {
    /// The strongest: the engine as its options have it.
    pub const FULL: Level = Level(LEVELS.len() as u8);

    /// Every level, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=LEVELS.len() as u8).map(Level)
    }

    /// 1 to 8.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// In a word or two.
    pub const fn name(self) -> &'static str {
        LEVELS[self.0 as usize - 1].0
    }

    /// The mean loss of its moves that it aims at, in discs.
    pub const fn target_loss(self) -> f64 {
        LEVELS[self.0 as usize - 1].1
    }

    /// The most that one of its moves may lose, in discs.
    pub const fn largest_loss(self) -> f64 {
        LEVELS[self.0 as usize - 1].2
    }

    /// How deep it sees; the end of the game is seen farther. For [`Level::FULL`] the engine's options count.
    pub const fn depth(self) -> Depth {
        Depth::new(LEVELS[self.0 as usize - 1].3).unwrap()
    }
}

impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(text: &str) -> Result<Level, ParseLevelError> {
        Level::all().find(|level| level.0.to_string() == text || level.name() == text).ok_or(ParseLevelError)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {} ({})", self.0, self.name())
    }
}
