//! Those games of an input that a job is about, read when they are asked for.

use super::journal::Done;
use super::lines::Checksummed;
use crate::notation::game_file::{FileGame, GameFile, GameFileError, ReadProblem};
use crate::shard::Shard;
use parking_lot::Mutex;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;

/// An input that is shared by the reader of its games and the one of its checksum.
#[derive(Clone)]
struct SharedInput(Arc<Mutex<Checksummed<Box<dyn BufRead + Send>>>>);

impl Read for SharedInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.lock().read(buffer)
    }
}

/// What was seen of the input.
#[derive(Default)]
struct Seen {
    games: u64,
    failure: Option<GameFileError>,
}

/// A file of games, or a pipe, and what there was in it.
pub struct GameInput {
    name: String,
    input: SharedInput,
    games: GameFile,
    seen: Arc<Mutex<Seen>>,
}

impl GameInput {
    /// Reads from here; waits until it is clear what the format is. The name is for errors; beside the path, the names of
    /// WTHOR's players are looked for.
    pub fn new(
        name: impl Into<String>,
        input: Box<dyn BufRead + Send>,
        path: Option<&Path>,
    ) -> Result<GameInput, GameFileError> {
        let name = name.into();
        let input = SharedInput(Arc::new(Mutex::new(Checksummed::new(input))));
        let mut games = GameFile::new(name.clone(), input.clone())?;
        if let Some(path) = path {
            games = games.with_names_beside(path);
        }
        Ok(GameInput { name, input, games, seen: Arc::default() })
    }

    /// What errors call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why the players or tournaments of a base of WTHOR have no names.
    pub fn missing_names(&self) -> Option<&str> {
        self.games.missing_names()
    }

    /// The games of a shard that are not done yet, and what is known of the input behind the last one.
    pub fn wanted(self, shard: Shard, done: Done) -> (WantedGames, InputEnd) {
        let end = InputEnd { name: self.name, input: self.input, seen: Arc::clone(&self.seen) };
        (WantedGames { games: self.games, shard, done, seen: self.seen }, end)
    }
}

/// Games of an input, one after another, those that cannot be read among them.
///
/// Where the system refuses to go on, or packed data is damaged, it ends; [`InputEnd::read`] then has the error.
pub struct WantedGames {
    games: GameFile,
    shard: Shard,
    done: Done,
    seen: Arc<Mutex<Seen>>,
}

impl Iterator for WantedGames {
    type Item = Result<FileGame, GameFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let item = self.games.next()?;
            let number = match &item {
                Ok(game) => game.place.number,
                Err(error) => error.number,
            } as u64;
            let mut seen = self.seen.lock();
            match item {
                // Nobody knows what else there is, so this is no matter of one game and one shard.
                Err(error) if matches!(error.problem, ReadProblem::Io(_)) => {
                    seen.failure = Some(error);
                    return None;
                }
                item => {
                    seen.games = number;
                    if self.shard.holds(number - 1) && !self.done.contains(&(number, None)) {
                        return Some(item);
                    }
                }
            }
        }
    }
}

/// What is known of an input when its games are read.
pub struct InputEnd {
    name: String,
    input: SharedInput,
    seen: Arc<Mutex<Seen>>,
}

impl InputEnd {
    /// How many games there were, wanted or not, readable or not, and the CRC-32 of the bytes as they came; or why not
    /// everything was read.
    pub fn read(self) -> Result<(u64, u32), String> {
        let seen = std::mem::take(&mut *self.seen.lock());
        if let Some(error) = seen.failure {
            return Err(error.to_string());
        }
        // Bytes behind the last game belong to the file too.
        let mut input = self.input.0.lock();
        io::copy(&mut *input, &mut io::sink()).map_err(|error| format!("{}: cannot be read: {error}", self.name))?;
        Ok((seen.games, input.checksum()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn input(bytes: &[u8]) -> GameInput {
        GameInput::new("games", Box::new(io::Cursor::new(bytes.to_vec())), None).unwrap()
    }

    #[test]
    fn shards_share_the_games_and_know_the_same_of_the_input() {
        let text = b"f5\n\na1\nf5d6\nf5f6\nf5f4\n";
        let mut numbers = Vec::new();
        for part in ["0/2", "1/2"] {
            let (games, end) = input(text).wanted(part.parse().unwrap(), HashSet::from([(4, None)]));
            numbers.extend(games.map(|item| item.map(|game| game.place.number).map_err(|error| error.to_string())));
            assert_eq!(end.read(), Ok((5, crc32fast::hash(text))), "{part}");
        }
        let error = "games: line 3, column 1: game 2, move 1: a1 turns no disc for black".to_owned();
        assert_eq!(numbers, [Ok(1), Ok(3), Ok(5), Err(error)]);
    }

    #[test]
    fn what_stands_behind_the_last_game_of_a_base_is_summed_too() {
        let mut base = vec![0; 16 + 68];
        (base[4], base[10], base[11], base[24]) = (1, 0xd0, 0x07, 56);
        base.extend(vec![7; 200_000]);
        let (games, end) = input(&base).wanted(Shard::default(), Done::new());
        let found: Vec<bool> = games.map(|item| item.is_ok()).collect();
        assert_eq!(found, [true, false]);
        assert_eq!(end.read(), Ok((2, crc32fast::hash(&base))));
    }

    #[test]
    fn an_input_that_breaks_off_is_not_taken_for_whole() {
        let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        // A stored block of five bytes, of which the checksum is missing.
        packed.extend([1, 5, 0, 0xfa, 0xff]);
        packed.extend(b"f5d6\n");
        let found = GameInput::new("games.gz", Box::new(io::Cursor::new(packed)), None).map(|input| {
            let (games, end) = input.wanted(Shard::default(), Done::new());
            (games.count(), end.read())
        });
        let problem = match found {
            Ok((_, end)) => end.unwrap_err(),
            Err(error) => error.to_string(),
        };
        assert!(problem.starts_with("games.gz: ") && problem.contains("cannot be read"), "{problem}");
    }
}
