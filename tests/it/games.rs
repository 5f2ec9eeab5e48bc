//! Random games for the property tests, and the data that some machines have beside the project.

use emilia::notation::game_file::{AnnotatedGame, GameFile};
use emilia::othello::{GameRecord, Move, Position};
use proptest::prelude::*;
use std::io::Cursor;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// White has no disc left.
pub const OVER: &str = "---------------------------XX------XX--------------------------- O";

/// A legal game from a start: for each turn, the legal move that a number picks, or the forced pass.
pub fn play(start: Position, picks: &[u8]) -> GameRecord {
    let mut game = GameRecord::from_position(start);
    for &pick in picks {
        let position = *game.position();
        if position.is_over() {
            break;
        }
        let moves: Vec<_> = position.moves().into_iter().collect();
        let turn = if moves.is_empty() { Move::Pass } else { Move::Place(moves[usize::from(pick) % moves.len()]) };
        game.take(turn).expect("it is legal");
    }
    game
}

/// Random numbers that pick the moves of a game; often enough of them for a whole one.
pub fn picks() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![prop::collection::vec(any::<u8>(), 0..70), prop::collection::vec(any::<u8>(), 70)]
}

/// Random games and their positions, by a generator of its own so that they stay the same for ever.
pub struct RandomGames(pub u64);

impl RandomGames {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    /// A position after `discs` discs placed at random, in which the game is not over.
    pub fn position(&mut self, discs: usize) -> Position {
        loop {
            let mut position = Position::START;
            for _ in 0..discs {
                if position.must_pass() {
                    position = position.pass();
                }
                let moves: Vec<_> = position.moves().into_iter().collect();
                if moves.is_empty() {
                    break;
                }
                position = position.after(moves[self.below(moves.len())]);
            }
            if !position.is_over() && position.empties().count() as usize == 60 - discs {
                return position;
            }
        }
    }
}

/// A whole random game, the same one for the same seed.
pub fn random_game(seed: u64) -> GameRecord {
    let mut random = RandomGames(seed);
    play(Position::START, &[(); 70].map(|()| random.below(256) as u8))
}

/// The first position of each random game with these numbers of empty squares, if it has one and the game is not over there.
pub fn random_positions(empties: RangeInclusive<u32>) -> impl Iterator<Item = Position> {
    let found = move |game: GameRecord| {
        game.positions().iter().copied().find(|position| empties.contains(&position.empties().count()))
    };
    (0..).map(random_game).filter_map(found).filter(|position| !position.is_over())
}

/// A position of a random game with fewer than this many empties, in which the side to move must pass.
pub fn pass_before(empties: u32) -> Position {
    (0..)
        .flat_map(|seed| random_game(seed).positions().to_vec())
        .find(|position| position.must_pass() && position.empties().count() < empties)
        .expect("random games have passes")
}

/// A game from the standard start, of any length.
pub fn game() -> impl Strategy<Value = GameRecord> {
    picks().prop_map(|picks| play(Position::START, &picks))
}

/// A position that random play reaches, with any side to move.
pub fn position() -> impl Strategy<Value = Position> {
    (game(), any::<bool>()).prop_map(|(game, other_side)| {
        let position = *game.position();
        if other_side { position.pass() } else { position }
    })
}

/// A game from any position, White to move among them.
pub fn game_from_anywhere() -> impl Strategy<Value = GameRecord> {
    (position(), picks()).prop_map(|(start, picks)| play(start, &picks))
}

/// The games of a text in any format.
pub fn games_of(text: &str) -> Vec<AnnotatedGame> {
    let games = GameFile::new("text", Cursor::new(text.to_owned())).unwrap();
    games.map(|item| item.unwrap_or_else(|error| panic!("{error}")).game).collect()
}

/// A file or folder beside the project, or in the folder that `EMILIA_DATA` names; `None`, with a message, where it is absent.
pub fn shared_path(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let path = std::env::var_os("EMILIA_DATA").map_or(beside, PathBuf::from).join(name);
    match path.exists() {
        true => Some(path),
        false => {
            eprintln!("skipped: {} is not there", path.display());
            None
        }
    }
}

/// The bytes of such a file.
fn shared_bytes(name: &str) -> Option<Vec<u8>> {
    let path = shared_path(name)?;
    std::fs::read(&path).inspect_err(|error| eprintln!("skipped: {}: {error}", path.display())).ok()
}

/// The text of such a file.
pub fn shared_data(name: &str) -> Option<String> {
    shared_bytes(name).map(|bytes| String::from_utf8(bytes).expect("the data is text"))
}
