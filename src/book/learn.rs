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
                for position in learned_positions(game, plies) {
                    let key = Key::of(&position).0;
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

/// The positions of a game with at most this number of discs placed and a move. A side that must pass has none; where the game goes on behind
/// the pass, that position is there.
fn learned_positions(game: &GameRecord, plies: u32) -> impl Iterator<Item = Position> {
    let last = game.position();
    let behind_pass = last.must_pass().then(|| last.pass());
    let placed = |position: &Position| 60u32.saturating_sub(position.empties().count());
    let positions = game.positions().iter().copied().chain(behind_pass);
    positions.filter(move |position| placed(position) <= plies && !position.moves().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Positions;
    use crate::notation::read_position;
    use crate::othello::Move;
    use crate::testing::random_position;

    #[test]
    fn a_pass_at_the_end_leads_to_the_position_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let book = Database::create(&folder.path().join("book"), 5).unwrap();
        let passes = (0..).map(|seed| random_position(seed, 20)).find(Position::must_pass).unwrap();
        let count = || book.read().unwrap().get(&Key::of(&passes.pass()).0).unwrap().map(|entry| entry.games);
        assert_eq!(book.learn(&[GameRecord::from_position(passes)], 60).unwrap(), 1);
        assert_eq!(count(), Some(1));
        // The pass is written, and the game counts the position once.
        let mut game = GameRecord::from_position(passes);
        game.take(Move::Pass).unwrap();
        assert_eq!(book.learn(&[game.clone()], 60).unwrap(), 0);
        assert_eq!(count(), Some(2));
        game.take(Move::Place(passes.pass().moves().into_iter().next().unwrap())).unwrap();
        assert_eq!(book.learn(&[game], 60).unwrap(), 1);
        assert_eq!(count(), Some(3));
        let over = *read_position(&format!("{} X", "X".repeat(64))).unwrap().position();
        assert_eq!(book.learn(&[GameRecord::from_position(over)], 60).unwrap(), 0);
    }
}
