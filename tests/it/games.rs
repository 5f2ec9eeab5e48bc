//! Random games for the property tests, and the data that some machines have beside the project.

use emilia::notation::game_file::{AnnotatedGame, GameFile};
use emilia::othello::{GameRecord, Move, Position};
use proptest::prelude::*;
use std::io::Cursor;
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

/// The numbers that a seed gives, for a whole game: the same ones every time.
pub fn picks_of(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(70).collect()
}

/// A position of such a game with fewer than this many empties, in which the side to move must pass.
pub fn pass_before(empties: u32) -> Position {
    (0..)
        .flat_map(|seed| play(Position::START, &picks_of(seed)).positions().to_vec())
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
