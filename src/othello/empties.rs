//! How many squares are empty.

use super::Position;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A number of empty squares, 0 to 60: a board has four discs at least. No more plies are left of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Empties(u8);

/// The number is no number of empty squares.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no number of empty squares; expected a whole number from 0 to 60")]
pub struct EmptiesError(String);

impl Empties {
    /// A full board.
    pub const NONE: Empties = Empties(0);
    /// The start of a game.
    pub const MOST: Empties = Empties(60);

    /// `count` empty squares; `None` if that is more than 60.
    pub const fn new(count: u8) -> Option<Empties> {
        if count <= Empties::MOST.0 { Some(Empties(count)) } else { None }
    }

    /// The numbers from 0 to this one.
    pub fn and_fewer(self) -> impl DoubleEndedIterator<Item = Empties> {
        (0..=self.0).map(Empties)
    }

    /// The number.
    pub const fn count(self) -> u8 {
        self.0
    }

    /// The place in a table of 61 entries.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number that is left when `plies` more discs are placed; 0 if that is beyond the end.
    pub const fn after(self, plies: u8) -> Empties {
        Empties(self.0.saturating_sub(plies))
    }

    /// Whether a search of `plies` plies reaches the end of the game.
    pub const fn are_within(self, plies: u8) -> bool {
        self.0 <= plies
    }

    /// Discs placed since the start of the game, 0 to 60.
    pub const fn placed(self) -> u8 {
        Empties::MOST.0 - self.0
    }
}

impl Position {
    /// How many squares are empty.
    #[inline]
    pub fn empty_count(&self) -> Empties {
        Empties(self.empties().count() as u8)
    }
}

impl TryFrom<i64> for Empties {
    type Error = EmptiesError;

    fn try_from(count: i64) -> Result<Empties, EmptiesError> {
        u8::try_from(count).ok().and_then(Empties::new).ok_or_else(|| EmptiesError(count.to_string()))
    }
}

impl FromStr for Empties {
    type Err = EmptiesError;

    fn from_str(text: &str) -> Result<Empties, EmptiesError> {
        text.parse().ok().and_then(Empties::new).ok_or_else(|| EmptiesError(text.to_owned()))
    }
}

impl fmt::Display for Empties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_a_game() {
        assert_eq!(Position::START.empty_count(), Empties::MOST);
        for empties in Empties::MOST.and_fewer() {
            let plies = empties.count();
            assert_eq!((Empties::new(plies), plies.to_string().parse()), (Some(empties), Ok(empties)));
            assert_eq!((empties.after(plies), empties.placed()), (Empties::NONE, 60 - plies));
            assert!(empties.are_within(plies) && (plies == 0 || !empties.are_within(plies - 1)));
        }
        for text in ["61", "256", "-1", "", "many", "1.5"] {
            assert!(text.parse::<Empties>().unwrap_err().to_string().contains("from 0 to 60"), "{text}");
        }
    }
}
