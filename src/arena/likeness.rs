//! Games that are the same game.
//!
//! Two deterministic players repeat themselves, and from openings that are images of each other under a symmetry of the
//! board they play the same game turned round. Such games say no more than one of them; errors computed as if they were
//! independent are too small.

use crate::othello::{GameRecord, Move, Position, Symmetry};
use std::collections::HashMap;
use std::hash::Hash;

/// A game up to symmetry.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GameKey {
    start: Position,
    turns: Box<[u8]>,
}

impl GameKey {
    /// The least of the eight images of a game.
    pub fn new(record: &GameRecord) -> GameKey {
        let image = |symmetry: Symmetry| {
            let start = symmetry.position(record.start());
            let turns = record.turns().iter().map(|turn| match turn {
                Move::Place(square) => symmetry.square(*square).index() as u8,
                Move::Pass => 64,
            });
            GameKey { start, turns: turns.collect() }
        };
        let order = |key: &GameKey| (key.start.player(), key.start.opponent(), key.turns.clone());
        Symmetry::all().map(image).min_by_key(order).expect("there are eight symmetries")
    }
}

/// Numbers that come in groups of which every member says the same.
#[derive(Clone, Debug)]
pub struct Groups<K> {
    /// Size and sum of each group.
    groups: HashMap<K, (f64, f64)>,
}

impl<K> Default for Groups<K> {
    fn default() -> Groups<K> {
        Groups { groups: HashMap::new() }
    }
}

impl<K: Hash + Eq> Groups<K> {
    /// Adds a number to a group.
    pub fn add(&mut self, key: K, value: f64) {
        let group = self.groups.entry(key).or_default();
        group.0 += 1.0;
        group.1 += value;
    }

    /// How many groups there are.
    pub fn count(&self) -> usize {
        self.groups.len()
    }

    /// The standard error of the mean when the groups, but not their members, are independent; `None` of nothing.
    pub fn standard_error(&self) -> Option<f64> {
        let (count, sum) = self.groups.values().fold((0.0, 0.0), |(n, s), group| (n + group.0, s + group.1));
        if count == 0.0 {
            return None;
        }
        let mean = sum / count;
        let squares: f64 = self.groups.values().map(|(n, s)| (s - n * mean).powi(2)).sum();
        Some(squares.sqrt() / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::opening;
    use crate::notation::transcript;
    use std::collections::HashSet;

    #[test]
    fn images_of_a_game_have_one_key() {
        let key = |moves: &str| GameKey::new(&transcript::parse(moves).unwrap());
        // The four first moves, each with its parallel, diagonal and perpendicular reply.
        for family in
            [["f5f6", "e6f6", "c4c3", "d3c3"], ["f5d6", "e6f4", "c4e3", "d3c5"], ["f5f4", "e6d6", "c4c5", "d3e3"]]
        {
            let keys: HashSet<GameKey> = family.iter().map(|moves| key(moves)).collect();
            assert_eq!(keys.len(), 1, "{family:?}");
        }
        assert_ne!(key("f5d6"), key("f5f6"));
    }

    #[test]
    fn four_plies_make_61_games() {
        let keys: HashSet<GameKey> = opening::every(4).iter().map(|o| GameKey::new(&o.record)).collect();
        assert_eq!(keys.len(), 61, "244 sequences, each with four images");
    }

    #[test]
    fn repeating_a_sample_does_not_make_it_surer() {
        let (mut once, mut often) = (Groups::default(), Groups::default());
        for (key, value) in [0.0, 1.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
            once.add(key, value);
            for _ in 0..4 {
                often.add(key, value);
            }
        }
        // Mean 0.6; squares 0.36 + 0.16 + 0.01 + 0.01 + 0.16.
        let expected = 0.7f64.sqrt() / 5.0;
        assert!((once.standard_error().unwrap() - expected).abs() < 1e-12);
        assert!((often.standard_error().unwrap() - expected).abs() < 1e-12);
        assert_eq!((often.count(), Groups::<u8>::default().standard_error()), (5, None));
    }
}
