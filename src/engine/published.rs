//! Options of the searches as they were published, by the same names everywhere.

use super::options::{OptionError, one_of, unless_none, whole};
use crate::game::DISC;
use crate::search::{AlphaBetaStart, Backup, EndValues, KorfSettings, LeafValue, Score, Selection, Tie, UctSettings};
use std::fmt;

/// What the engines `korf-best-first`, `korf-extension` and `uct` can be told; the others do not listen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedOptions {
    /// What a tie is worth to `korf-best-first` and `korf-extension`.
    pub tie: Tie,
    /// Plies of alpha-beta that `korf-extension` begins with, 1 to 20; if unset, as deep as a sixteenth of the
    /// evaluations goes.
    pub start_depth: Option<u8>,
    /// Plies from the root to the principal leaf at which `korf-best-first` and `korf-extension` have thought enough, 1
    /// to 120.
    pub best_first_depth: Option<u8>,
    /// The C of `uct`, 0 to 1,000 discs.
    pub c: Score,
    /// The first-play urgency of `uct`, −1,000 to 1,000 discs.
    pub fpu: Score,
    /// What inner nodes of `uct` are worth.
    pub backup: Backup,
    /// What leaves of `uct` are worth.
    pub leaf: LeafValue,
    /// Plies of alpha-beta at the leaves of `uct`, 0 to [`UctSettings::DEEPEST_LEAF`].
    pub leaf_depth: u8,
    /// How `uct` chooses a leaf.
    pub selection: Selection,
    /// Whether `uct` merges positions that are reached in several ways.
    pub transpositions: bool,
}

impl Default for PublishedOptions {
    fn default() -> PublishedOptions {
        let uct = UctSettings::default();
        PublishedOptions {
            tie: Tie::Korf,
            start_depth: Some(3),
            best_first_depth: None,
            c: Score::from_units(uct.c as i32),
            fpu: Score::from_units(uct.fpu as i32),
            backup: uct.backup,
            leaf: uct.leaf,
            leaf_depth: uct.leaf_depth as u8,
            selection: uct.selection,
            transpositions: uct.transpositions,
        }
    }
}

impl PublishedOptions {
    /// Sets one option from text; `None` if it is none of these.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Option<Result<(), OptionError>> {
        Some(self.set_known(name, value).transpose()?.map(|_| ()))
    }

    fn set_known(&mut self, name: &str, value: &str) -> Result<Option<()>, OptionError> {
        match name {
            "tie" => self.tie = named("tie", value, Tie::ALL)?,
            "start-depth" => {
                self.start_depth = unless_none(value, |v| Ok(whole("start-depth", v, 1, 20)? as u8))?;
            }
            "best-first-depth" => {
                self.best_first_depth = unless_none(value, |v| Ok(whole("best-first-depth", v, 1, 120)? as u8))?;
            }
            "c" => self.c = discs("c", value, 0)?,
            "fpu" => self.fpu = discs("fpu", value, -MOST_DISCS)?,
            "backup" => self.backup = named("backup", value, Backup::ALL)?,
            "leaf" => self.leaf = named("leaf", value, LeafValue::ALL)?,
            "leaf-depth" => {
                self.leaf_depth = whole("leaf-depth", value, 0, UctSettings::DEEPEST_LEAF.into())? as u8;
            }
            "selection" => self.selection = named("selection", value, Selection::ALL)?,
            "transpositions" => self.transpositions = named("transpositions", value, &["off", "on"])? == "on",
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    /// The value of one option as text; `None` if it is none of these.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let or_none = |value: Option<u8>| value.map_or_else(|| "none".to_owned(), |v| v.to_string());
        Some(match name {
            "tie" => self.tie.to_string(),
            "start-depth" => or_none(self.start_depth),
            "best-first-depth" => or_none(self.best_first_depth),
            "c" => self.c.discs().to_string(),
            "fpu" => self.fpu.discs().to_string(),
            "backup" => self.backup.to_string(),
            "leaf" => self.leaf.to_string(),
            "leaf-depth" => self.leaf_depth.to_string(),
            "selection" => self.selection.to_string(),
            "transpositions" => (if self.transpositions { "on" } else { "off" }).to_owned(),
            _ => return None,
        })
    }

    /// Pure best-first search with these options.
    pub(super) fn korf_best_first(&self) -> KorfSettings {
        KorfSettings {
            ends: EndValues::Infinite(self.tie),
            depth: self.best_first_depth.map(u32::from),
            ..KorfSettings::korf()
        }
    }

    /// Best-first extension with these options.
    pub(super) fn korf_extension(&self) -> KorfSettings {
        let start = match self.start_depth {
            Some(depth) => AlphaBetaStart::Depth(depth.into()),
            None => AlphaBetaStart::Share { divisor: 16 },
        };
        KorfSettings { start, ..self.korf_best_first() }
    }

    /// UCT with these options.
    pub(super) fn uct(&self) -> UctSettings {
        let ends = match (self.backup, self.leaf) {
            (Backup::Overwrite, LeafValue::Raw) => EndValues::Infinite(Tie::Zero),
            // A mean has no use for infinities, and neither has a win that is worth one unit.
            _ => EndValues::Outcome,
        };
        UctSettings {
            c: self.c.units() as f32,
            fpu: self.fpu.units() as f32,
            backup: self.backup,
            leaf: self.leaf,
            leaf_depth: self.leaf_depth.into(),
            selection: self.selection,
            transpositions: self.transpositions,
            ends,
            ..UctSettings::default()
        }
    }
}

/// The largest constant, in discs.
const MOST_DISCS: i32 = 1000;

/// Discs from `least` to 1,000.
fn discs(name: &'static str, value: &str, least: i32) -> Result<Score, OptionError> {
    let range = f64::from(least)..=f64::from(MOST_DISCS);
    let discs = value.parse::<f64>().ok().filter(|d| range.contains(d));
    let discs = discs.ok_or_else(|| OptionError::bad(name, value, format!("discs from {least} to {MOST_DISCS}")))?;
    Ok(Score::from_units((discs * f64::from(DISC)).round() as i32))
}

/// The one of several values that has this name.
fn named<T: Copy + fmt::Display>(name: &'static str, value: &str, known: &[T]) -> Result<T, OptionError> {
    let found = known.iter().copied().find(|one| one.to_string() == value);
    found.ok_or_else(|| OptionError::bad(name, value, one_of(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_reach_the_searches() {
        let mut options = PublishedOptions::default();
        let set = |options: &mut PublishedOptions, name, value| options.set(name, value).unwrap().unwrap();
        assert_eq!(options.korf_best_first().ends, EndValues::Infinite(Tie::Korf));
        set(&mut options, "tie", "zero");
        set(&mut options, "best-first-depth", "19");
        set(&mut options, "start-depth", "5");
        assert_eq!(options.korf_best_first().ends, EndValues::Infinite(Tie::Zero));
        assert_eq!((options.korf_extension().depth, options.korf_best_first().depth), (Some(19), Some(19)));
        assert_eq!(options.korf_extension().start, AlphaBetaStart::Depth(5));
        assert_eq!(options.korf_best_first().start, AlphaBetaStart::None);
        set(&mut options, "start-depth", "none");
        assert_eq!(options.korf_extension().start, AlphaBetaStart::Share { divisor: 16 });
        set(&mut options, "c", "1.5");
        assert_eq!(options.uct().c, 192.0);
        assert_eq!(options.uct().ends, EndValues::Infinite(Tie::Zero));
        set(&mut options, "backup", "average");
        assert_eq!(options.uct().ends, EndValues::Outcome);
        assert!(options.set("hash", "1").is_none());
    }
}
