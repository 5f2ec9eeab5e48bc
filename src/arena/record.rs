//! What is kept of a game: one line of JSON, and GGF.

use crate::clock::time_control::TimeControl;
use crate::notation::ggf::{self, GgfResult, Timing};
use crate::notation::{AnnotatedGame, MATCH_PLACE, NotationError, OPENING_END, read_position, transcript::Transcript};
use crate::othello::{Color, GameRecord, Move, Position};
use serde::{Deserialize, Serialize};

/// How a game ended; displayed, in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "lowercase")]
pub enum End {
    /// Nobody could move any more.
    #[default]
    #[strum(to_string = "played out")]
    Played,
    /// The referee's solver found the result.
    Adjudicated,
    /// A player gave up.
    Resigned,
    /// A move that the rules do not allow.
    #[strum(to_string = "illegal move")]
    IllegalMove,
    /// The clock ran out.
    Time,
    /// The program ended.
    Crash,
    /// No answer.
    #[strum(to_string = "no answer")]
    Silence,
    /// An answer that the protocol does not allow.
    Protocol,
}

impl End {
    /// Whether the score is that of the board.
    pub const fn is_decided_on_the_board(self) -> bool {
        matches!(self, End::Played | End::Adjudicated)
    }

    /// Whether a program has failed.
    pub const fn is_failure(self) -> bool {
        !matches!(self, End::Played | End::Adjudicated | End::Resigned)
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Its number in the schedule, from 0.
    pub game: u64,
    /// Its pair.
    pub pair: u64,
    /// The number of its opening, from 0.
    pub opening: usize,
    /// Who played Black.
    pub black: String,
    /// Who played White.
    pub white: String,
    /// How it ended.
    pub end: End,
    /// The score in discs for Black, −64 to 64, the empty squares given to the winner; a forfeited game is lost 0–64.
    pub score: i32,
    /// Who gave up or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loser: Option<Color>,
    /// What exactly was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Where it started, unless from the standard position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// How many of the moves (passes do not count) belong to the opening.
    pub opening_moves: usize,
    /// The moves, forced passes left out.
    pub moves: String,
    /// For each move after the opening, its value for the mover in discs, as the mover says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evals: Vec<Option<f64>>,
    /// The depth in plies that the mover says it searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depths: Vec<Option<u32>>,
    /// The positions that the mover says it visited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Option<u64>>,
    /// The seconds that the move took by the referee's clock; left out of reproducible records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seconds: Vec<f64>,
    /// Black's clock, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black_clock: Option<TimeControl>,
    /// White's clock, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white_clock: Option<TimeControl>,
}

impl PlayedGame {
    /// Whose program failed and must be started anew.
    pub fn failed(&self) -> Option<Color> {
        self.loser.filter(|_| self.end.is_failure())
    }

    /// The start and the moves, which are checked.
    pub fn record(&self) -> Result<GameRecord, NotationError> {
        match &self.start {
            Some(start) => read_position(&format!("{start} {}", self.moves)),
            None => crate::notation::transcript::parse(&self.moves),
        }
    }

    /// Writes start and moves of a game into the record.
    pub fn set_record(&mut self, record: &GameRecord) {
        self.start = (*record.start() != Position::START).then(|| record.start().to_string());
        self.moves = Transcript(record).to_string();
    }

    /// The game with the evaluations and times of the players.
    pub fn annotated(&self) -> Result<AnnotatedGame, NotationError> {
        let record = self.record()?;
        // Either list may be missing.
        let mut evals = self.evals.iter().copied();
        let mut seconds = self.seconds.iter().copied();
        let (mut placed, mut opening_turns) = (0, 0);
        let timing = record.turns().iter().zip(1..).map(|(turn, number)| {
            placed += usize::from(*turn != Move::Pass);
            if *turn == Move::Pass || placed <= self.opening_moves {
                opening_turns = if placed <= self.opening_moves { number } else { opening_turns };
                return Timing::default();
            }
            Timing { eval: evals.next().flatten(), seconds: seconds.next() }
        });
        let timing = timing.collect();
        let ending = match self.end {
            End::Played => None,
            End::Adjudicated => Some(ggf::Ending::Agreed),
            End::Resigned => Some(ggf::Ending::Resigned),
            End::Time => Some(ggf::Ending::Timeout),
            End::IllegalMove | End::Crash | End::Silence | End::Protocol => Some(ggf::Ending::Left),
        };
        let mut game = AnnotatedGame {
            place: MATCH_PLACE.to_owned(),
            result: Some(GgfResult { score: f64::from(self.score), ending }),
            comments: self.detail.iter().cloned().collect(),
            timing,
            ..AnnotatedGame::new(record)
        };
        match opening_turns {
            0 => game.comments.push(OPENING_END.to_owned()),
            turns => game.turn_comments.push((turns, OPENING_END.to_owned())),
        }
        (game.black.name, game.white.name) = (self.black.clone(), self.white.clone());
        game.black.clock = self.black_clock.and_then(TimeControl::ggf);
        game.white.clock = self.white_clock.and_then(TimeControl::ggf);
        Ok(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::game_file::{Format, GameFile, write};

    #[test]
    fn the_opening_of_a_game_is_known_whatever_the_players_tell() {
        for (opening_moves, seconds) in [(2, vec![]), (2, vec![0.5]), (3, vec![]), (0, vec![0.5; 3])] {
            let moves = "f5d6c3".to_owned();
            let played = PlayedGame { opening_moves, moves, seconds, ..PlayedGame::default() };
            let game = played.annotated().unwrap();
            for format in [Format::Ggf, Format::Sgf, Format::Pgn] {
                let text = write(&game, format).unwrap().text;
                let read = GameFile::new("one", std::io::Cursor::new(text.clone())).unwrap().next().unwrap().unwrap();
                assert_eq!((game.opening_turns(), read.game.opening_turns()), (opening_moves, opening_moves), "{text}");
            }
        }
    }
}
