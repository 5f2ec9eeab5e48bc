//! A range of numbers of plies.

use crate::random::Random;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Numbers of plies, both ends included: `8-50`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlyRange {
    first: u8,
    last: u8,
}

/// Not a range of plies.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no range of plies; expected FROM-TO within 0-59, such as 8-50")]
pub struct PlyRangeError(String);

impl PlyRange {
    /// Both ends included, below 60.
    pub(super) const fn new(first: u8, last: u8) -> PlyRange {
        PlyRange { first, last }
    }

    /// One of the numbers, each as likely as the others.
    pub(super) fn draw(self, random: &mut Random) -> u8 {
        self.first + random.below(usize::from(self.last - self.first) + 1) as u8
    }

    /// Whether the two have a number in common.
    pub fn overlaps(self, other: PlyRange) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    pub(super) fn plies(self) -> std::ops::RangeInclusive<u8> {
        self.first..=self.last
    }
}

impl FromStr for PlyRange {
    type Err = PlyRangeError;

    fn from_str(text: &str) -> Result<PlyRange, PlyRangeError> {
        let ends = text.split_once('-').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
        let range = ends.filter(|&(first, last)| first <= last && last < 60);
        range.map(|(first, last)| PlyRange { first, last }).ok_or_else(|| PlyRangeError(text.to_owned()))
    }
}

impl fmt::Display for PlyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

impl From<PlyRange> for String {
    fn from(range: PlyRange) -> String {
        range.to_string()
    }
}

impl TryFrom<String> for PlyRange {
    type Error = PlyRangeError;

    fn try_from(text: String) -> Result<PlyRange, PlyRangeError> {
        text.parse()
    }
}
