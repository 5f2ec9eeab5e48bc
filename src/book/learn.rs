//! Games that were played become part of the book.

use super::{BookError, Database, Entry, Key};
use crate::othello::{GameRecord, Position};
use std::collections::BTreeSet;

/// How many discs a learned game has put on the board at most, where nobody says otherwise.
pub const LEARNED_PLIES: u32 = 30;

impl Database {
    /// Adds the positions of games up to a number of discs placed, as one unit of work. What is new waits to be searched: both sides may
    /// have erred. Returns how many positions are new.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn learn(&self, games: &[GameRecord], plies: u32) -> Result<u64, BookError> {
        let weights = self.read()?.weights;
        let mut new = 0;
        self.update(weights, |positions| {
            let mut changed = BTreeSet::new();
            for game in games {
                let placed = |position: &Position| 60u32.saturating_sub(position.empties().count());
                let learned = game.positions().iter().filter(|position| placed(position) <= plies);
                for position in learned.filter(|position| !position.moves().is_empty()) {
                    let key = Key::of(position).0;
                    let known = positions.get(&key)?;
                    new += u64::from(known.is_none());
                    let entry = known.unwrap_or(Entry::UNSEARCHED);
                    positions.put(&key, &Entry { games: entry.games.saturating_add(1), ..entry })?;
                    changed.insert(key);
                }
            }
            Ok(changed)
        })?;
        Ok(new)
    }
}
