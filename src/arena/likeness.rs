//! Games that are the same game.
//!
//! Two deterministic players repeat themselves, and from openings that are images of each other under a symmetry of the
//! board they play the same game turned round. Such games say no more than one of them; errors computed as if they were
//! independent are too small.

use crate::othello::{GameRecord, Move, Position, Symmetry};

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
        Symmetry::ALL.into_iter().map(image).min_by_key(order).expect("there are eight symmetries")
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
        let keys: HashSet<GameKey> = opening::every(4).iter().map(GameKey::new).collect();
        assert_eq!(keys.len(), 61, "244 sequences, each with four images");
    }
}
