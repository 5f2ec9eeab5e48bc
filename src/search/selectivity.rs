//! How sure a cut must be: the levels of multi-ProbCut.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A level of selectivity: nodes whose value, by a shallower search, lies beyond the window with at least this confidence are not
/// searched.
///
/// The confidences are the names that this field has for its levels. Those of 73, 87 and 95 % are of a normal distribution, errors counted on
/// both sides: 73 % is 1.1 standard deviations. The others are surer than they say. As text and in files a level is its confidence in percent, 100 for
/// [`Selectivity::NONE`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u8")]
pub struct Selectivity(u8);

/// The number is the confidence of no level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no selectivity; expected 73, 87, 95, 98, 99 or 100")]
pub struct SelectivityError(String);

/// Confidence in percent and standard deviations of each level, the most selective first.
const LEVELS: [(u8, f32); 5] = [(73, 1.1), (87, 1.5), (95, 2.0), (98, 2.6), (99, 3.3)];

impl Selectivity {
    /// The most selective level, 73 %.
    pub const BOLDEST: Selectivity = Selectivity(0);
    /// No cut that is not proven.
    pub const NONE: Selectivity = Selectivity(LEVELS.len() as u8);

    /// The levels, from the most selective to [`Selectivity::NONE`].
    pub fn all() -> impl Iterator<Item = Selectivity> {
        (0..=LEVELS.len() as u8).map(Selectivity)
    }

    /// The confidence of each cut in percent, 100 if there are none.
    pub fn percent(self) -> u8 {
        LEVELS.get(usize::from(self.0)).map_or(100, |level| level.0)
    }

    /// How many standard deviations beyond the window the shallow value must lie; `None` if nothing is to be cut.
    pub fn deviations(self) -> Option<f32> {
        LEVELS.get(usize::from(self.0)).map(|level| level.1)
    }

    pub(super) const fn index(self) -> u8 {
        self.0
    }

    /// The level with this index; those beyond the last are [`Selectivity::NONE`].
    pub(super) fn from_index(index: u8) -> Selectivity {
        Selectivity(index.min(Selectivity::NONE.0))
    }
}

impl TryFrom<i64> for Selectivity {
    type Error = SelectivityError;

    /// The level of this confidence in percent.
    fn try_from(percent: i64) -> Result<Selectivity, SelectivityError> {
        let level = Selectivity::all().find(|level| i64::from(level.percent()) == percent);
        level.ok_or_else(|| SelectivityError(percent.to_string()))
    }
}

impl From<Selectivity> for u8 {
    fn from(level: Selectivity) -> u8 {
        level.percent()
    }
}

impl FromStr for Selectivity {
    type Err = SelectivityError;

    /// Reads `95` or `95%`.
    fn from_str(text: &str) -> Result<Selectivity, SelectivityError> {
        let percent = text.strip_suffix('%').unwrap_or(text).parse::<i64>().ok();
        percent.and_then(|percent| percent.try_into().ok()).ok_or_else(|| SelectivityError(text.to_owned()))
    }
}

impl fmt::Display for Selectivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.percent().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_levels_grow_surer() {
        let levels: Vec<Selectivity> = Selectivity::all().collect();
        assert_eq!((levels[0], *levels.last().unwrap()), (Selectivity::BOLDEST, Selectivity::NONE));
        assert!(levels.is_sorted_by(|a, b| a < b && a.percent() < b.percent()));
        assert_eq!(Selectivity::NONE.deviations(), None);
        for level in levels {
            assert_eq!(Selectivity::from_index(level.index()), level);
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(format!("{level}%").parse(), Ok(level));
        }
        for text in ["50", "", "%", "-73", "73.0", "nan", "99999999999999999999"] {
            let error = text.parse::<Selectivity>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}'")) && error.contains("73, 87, 95"), "{error}");
        }
    }
}
