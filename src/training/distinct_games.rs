//! Games that are the same again, and are left out.

use super::chunk::Chunk;
use super::sample::Sample;
use crate::othello::{Bitboard, canonical};
use std::collections::{HashMap, HashSet};

/// The checksum of how a folder of games came to be, and the number in it: a game's name.
type Game = (u32, u64);

/// Sees files of samples one after another, and tells which games are new.
#[derive(Clone, Default, Debug)]
pub struct DistinctGames {
    /// Games seen.
    pub games: u64,
    /// Of these, games that begin where an earlier one did, up to symmetry: they are that game again or one much like it.
    pub repeated: u64,
    /// Games that were not read, of which there are labels.
    pub labels_alone: u64,
    read: HashSet<Game>,
    /// The games that [`labels_alone`](DistinctGames::labels_alone) counts.
    unread: HashSet<Game>,
    beginnings: HashMap<(Bitboard, Bitboard), Game>,
    left_out: HashSet<Game>,
}

impl DistinctGames {
    /// The samples of a file by their games, without those that are repeated; of a file of labels all but those whose game was left
    /// out, so files of labels come behind all those of games.
    pub fn of_chunk<'a>(&mut self, chunk: &'a Chunk) -> Vec<&'a [Sample]> {
        let (is_play, origin) = (chunk.is_play(), &chunk.header.origin);
        if is_play {
            self.games += u64::from(chunk.header.games);
        }
        // Labels know the games that they belong to.
        let of_games = if is_play { serde_json::json!(origin) } else { origin.settings["games"].clone() };
        let of_games = crc32fast::hash(of_games.to_string().as_bytes());
        let games = chunk.samples.chunk_by(|a, b| a.game == b.game);
        games.filter(|samples| self.takes((of_games, samples[0].game), samples, is_play)).collect()
    }

    fn takes(&mut self, game: Game, samples: &[Sample], is_play: bool) -> bool {
        if !is_play {
            self.labels_alone += u64::from(!self.read.contains(&game) && self.unread.insert(game));
            return !self.left_out.contains(&game);
        }
        self.read.insert(game);
        let beginning = canonical(&samples[0].position()).0.boards();
        let Some(first) = self.beginnings.get(&beginning) else {
            self.beginnings.insert(beginning, game);
            return true;
        };
        self.repeated += 1;
        // A game that is read twice stays the one that labels belong to.
        if *first != game {
            self.left_out.insert(game);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;
    use crate::testing::random_position;
    use crate::training::LabelKind;
    use crate::training::chunk::Origin;

    /// A file of games or labels with these numbers, each with a position.
    fn chunk(command: &str, games: &[(u64, u64)]) -> Chunk {
        let symmetry = *Symmetry::ALL.last().unwrap();
        let sample = |&(game, position): &(u64, u64)| {
            let position = random_position(position, 30);
            let image = if game % 2 == 0 { position } else { symmetry.position(&position) };
            Sample::new(&image, 8, LabelKind::GameResult, game)
        };
        let mut chunk = Chunk { header: Default::default(), samples: games.iter().map(sample).collect() };
        chunk.header.origin.command = command.to_owned();
        chunk.header.games = games.len() as u32;
        chunk
    }

    /// A file of labels of games that another evaluator played with the same seed.
    fn of_another(command: &str, games: &[(u64, u64)]) -> Chunk {
        let mut chunk = chunk(command, games);
        let origin = Origin { command: "selfplay".to_owned(), evaluator: "another".to_owned(), ..Origin::default() };
        match command {
            "selfplay" => chunk.header.origin = origin,
            _ => chunk.header.origin.settings = serde_json::json!({ "games": origin }),
        }
        chunk
    }

    /// The games of a file that is read alone, and how many of them come without their play.
    fn distinct_alone(chunk: &Chunk) -> (Vec<u64>, u64) {
        let mut distinct = DistinctGames::default();
        let games = distinct.of_chunk(chunk).into_iter().map(|samples| samples[0].game).collect();
        (games, distinct.labels_alone)
    }

    #[test]
    fn repeated_games_and_their_labels_are_left_out() {
        let mut distinct = DistinctGames::default();
        let mut left = |chunk: &Chunk| -> Vec<u64> {
            distinct.of_chunk(chunk).into_iter().map(|samples| samples[0].game).collect()
        };
        // Games 1 and 3 begin as game 0 does.
        let games = chunk("selfplay", &[(0, 7), (1, 7), (2, 8), (3, 7)]);
        assert_eq!(left(&games), [0, 2]);
        let mut labels = chunk("label", &[(0, 7), (1, 9), (2, 8), (3, 10)]);
        labels.header.origin.settings = serde_json::json!({ "games": games.header.origin });
        assert_eq!(left(&labels), [0, 2]);
        assert!(left(&games).is_empty(), "read again");
        assert_eq!(left(&labels), [0, 2], "their labels stay");
        assert_eq!(distinct_alone(&labels), (vec![0, 1, 2, 3], 4), "of games that were not read all count");
        // Games of the same seed and numbers are others if another evaluator played them.
        assert_eq!(left(&of_another("selfplay", &[(0, 8), (1, 5), (2, 7)])), [1]);
        assert_eq!(left(&of_another("label", &[(0, 9), (1, 9), (2, 9)])), [1]);
        assert_eq!(left(&labels), [0, 2]);
        assert_eq!((distinct.games, distinct.repeated, distinct.labels_alone), (11, 8, 0));
        let mut alone = DistinctGames::default();
        (0..2).for_each(|_| assert_eq!(alone.of_chunk(&labels).len(), 4));
        assert_eq!(alone.labels_alone, 4, "each game once");
    }
}
