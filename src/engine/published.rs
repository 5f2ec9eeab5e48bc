//! Options of the searches as they were published, by the same names everywhere.

use super::options::{OptionError, one_of, unless_none, whole};
use super::uct_options::{Backup, LeafValue, Selection};
use crate::game::DISC;
use crate::search::{Score, Tie};
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
    /// Plies of alpha-beta at the leaves of `uct`, 0 to 8.
    pub leaf_depth: u8,
    /// How `uct` chooses a leaf.
    pub selection: Selection,
    /// Whether `uct` merges positions that are reached in several ways.
    pub transpositions: bool,
}

impl Default for PublishedOptions {
    fn default() -> PublishedOptions {
        PublishedOptions {
            tie: Tie::Korf,
            start_depth: Some(3),
            best_first_depth: None,
            c: Score::from_discs(2),
            fpu: Score::from_discs(2),
            backup: Backup::default(),
            leaf: LeafValue::default(),
            leaf_depth: 0,
            selection: Selection::default(),
            transpositions: false,
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
                self.leaf_depth = whole("leaf-depth", value, 0, DEEPEST_LEAF)? as u8;
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
}

/// The most plies of alpha-beta at a leaf of `uct`.
const DEEPEST_LEAF: u64 = 8;
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
