//! A game with all that any of the formats says of it.

use super::Problem;
use super::ggf::GgfClock;
use crate::othello::{Color, GameRecord, Move};

/// A game, or a position (a game without turns), and what its file says of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnnotatedGame {
    /// The start and the turns, every pass among them.
    pub record: GameRecord,
    /// Black.
    pub black: PlayerInfo,
    /// White.
    pub white: PlayerInfo,
    /// The tournament, the server or the place; may be empty.
    pub place: String,
    /// When it was played, in the file's own form; may be empty.
    pub date: String,
    /// The result, if the file has it.
    pub result: Option<GgfResult>,
    /// The result had both sides played perfectly from some moment on.
    pub theory: Option<Theory>,
    /// For each turn, what its player thought of it and the time; as long as there are turns.
    pub timing: Vec<Timing>,
    /// Comments about the game as a whole.
    pub comments: Vec<String>,
    /// Comments behind turns: how many turns were taken, at least 1, and the text.
    pub turn_comments: Vec<(usize, String)>,
    /// The values of moves of the start, in discs for its mover.
    pub scores: Vec<(Move, i32)>,
    /// The value of the start, in discs for its mover.
    pub score: Option<i32>,
    /// What else the file says, by the names that its format uses, in order.
    pub other: Vec<(String, String)>,
    /// What was in the file and is not here, in words: variations, values that make no sense.
    pub unread: Vec<String>,
}

/// The place of a game of `emilia match`.
pub const MATCH_PLACE: &str = "emilia match";

/// The comment where the opening ends in a game of `emilia match`: behind its last turn, or on the game if there is none.
pub const OPENING_END: &str = "Here the players begin.";

/// A side of a game.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlayerInfo {
    /// The name; may be empty.
    pub name: String,
    /// The rating before the game.
    pub rating: Option<f64>,
    /// The clock at the start.
    pub clock: Option<GgfClock>,
}

impl PlayerInfo {
    /// The rating as SGF and PGN write it; empty if it is not known.
    pub(super) fn rating_text(&self) -> String {
        self.rating.map(|rating| rating.to_string()).unwrap_or_default()
    }
}

/// A number as SGF and PGN write it; `None` for anything else.
pub(super) fn read_number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Whether what SGF and PGN say of a rating is neither a number nor that it is not known.
pub(super) fn is_rating_in_words(text: &str) -> bool {
    read_number(text).is_none() && !matches!(text.trim(), "" | "?" | "-")
}

/// The result under perfect play from some moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theory {
    /// The empty squares from which on both sides play perfectly.
    pub empties: u8,
    /// The score for Black in discs, −64 to 64 and even.
    pub black_score: i32,
}

impl AnnotatedGame {
    /// A game of which nothing else is known.
    pub fn new(record: GameRecord) -> AnnotatedGame {
        AnnotatedGame { timing: vec![Timing::default(); record.turns().len()], record, ..AnnotatedGame::default() }
    }

    /// The player of one colour.
    pub fn player(&self, color: Color) -> &PlayerInfo {
        match color {
            Color::Black => &self.black,
            Color::White => &self.white,
        }
    }

    /// The value of something by its name in the file's format.
    pub fn other(&self, name: &str) -> Option<&str> {
        self.other.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether a property, the first of its key, says in words how a player is rated of whom no number is known. `keys` are those of Black and White.
    pub(super) fn rates_in_words(&self, keys: [&str; 2], key: &str, value: &str) -> bool {
        let mut players = keys.into_iter().zip([&self.black, &self.white]);
        let is_unrated = players.any(|(known, player)| known == key && player.rating.is_none());
        is_unrated && is_rating_in_words(value) && self.other(key) == Some(value)
    }

    /// Takes a turn of one side; a forced pass of the other that was left out is put in before it.
    pub(super) fn take(&mut self, color: Color, turn: Move) -> Result<(), Problem> {
        let position = self.record.position();
        let mover = position.mover();
        if color != mover {
            if !position.moves().is_empty() {
                return Err(Problem::WrongSide(color, mover));
            }
            self.record.take(Move::Pass)?;
        }
        self.record.take(turn)?;
        self.timing.resize(self.record.turns().len(), Timing::default());
        Ok(())
    }

    /// Adds a comment behind the turns so far.
    pub(super) fn comment(&mut self, text: String) {
        match self.record.turns().len() {
            0 => self.comments.push(text),
            turns => self.turn_comments.push((turns, text)),
        }
    }

    /// The comments behind this number of turns.
    pub(super) fn comments_behind(&self, turns: usize) -> impl Iterator<Item = &str> {
        let root = self.comments.iter().filter(move |_| turns == 0);
        let behind = self.turn_comments.iter().filter(move |(after, _)| *after == turns).map(|(_, text)| text);
        root.chain(behind).map(String::as_str)
    }

    /// What the player thought of a turn, from 0.
    pub(super) fn eval(&self, turn: usize) -> Option<f64> {
        self.timing.get(turn).and_then(|timing| timing.eval)
    }

    /// The score for Black in discs: what the board says if the game is over and nobody lost it otherwise, else what the file says.
    pub fn score_for_black(&self) -> Option<f64> {
        let on_board = self.score_on_board().filter(|_| !self.is_lost_otherwise());
        on_board.or(self.result.map(|result| result.score))
    }

    /// Whether a player resigned, ran out of time or left: then the result stays, even if the game was played on to its end.
    pub fn is_lost_otherwise(&self) -> bool {
        matches!(self.ending(), Some(Ending::Resigned | Ending::Timeout | Ending::Left))
    }

    /// Whether the result is the same for a reader who does not hear how the game ended.
    pub(super) fn has_result_without_ending(&self) -> bool {
        match self.score_on_board() {
            Some(score) if self.is_lost_otherwise() => self.score_for_black() == Some(score),
            _ => self.contradiction().is_none(),
        }
    }

    /// The result that the file says, else that of a game that was played to its end.
    pub(super) fn known_result(&self) -> Option<GgfResult> {
        let played = || self.score_on_board().filter(|_| !self.is_position());
        self.result.or_else(|| played().map(|score| GgfResult { score, ending: None }))
    }

    /// The score for Black on the board, if the game was played to its end.
    pub fn score_on_board(&self) -> Option<f64> {
        let end = self.record.position();
        end.is_over().then(|| f64::from(end.score_for_black()))
    }

    /// The score for Black that the file says, and the other one on the board, which counts. A file that leaves the empty squares to
    /// nobody contradicts nothing, and neither does one that says that a player resigned, ran out of time or left.
    pub fn contradiction(&self) -> Option<(f64, f64)> {
        if self.is_lost_otherwise() {
            return None;
        }
        let (said, board) = (self.result?.score, self.score_on_board()?);
        let discs = |color| f64::from(self.record.position().discs(color).count());
        let is_said = said == board || said == discs(Color::Black) - discs(Color::White);
        (!is_said).then_some((said, board))
    }

    /// The score for Black where it is a whole number from −64 to 64, as most formats want it.
    pub(super) fn whole_score(&self) -> Option<i32> {
        self.score_for_black().filter(|score| score.fract() == 0.0 && score.abs() <= 64.0).map(|score| score as i32)
    }

    /// How the game ended, if not by its last move.
    pub fn ending(&self) -> Option<Ending> {
        self.result.and_then(|result| result.ending)
    }

    /// The turns that `emilia match` had played before the players began, by the comment behind them. Files of former versions and of
    /// formats without comments on moves lack it; there the players begin with the first turn that has a value or a time. If no turn has
    /// either, a game that was broken off is taken for its opening alone, and a whole one for a game without opening.
    pub fn opening_turns(&self) -> usize {
        if self.place != MATCH_PLACE {
            return 0;
        }
        let ends_at = |&turns: &usize| self.comments_behind(turns).flat_map(str::lines).any(|line| line == OPENING_END);
        if let Some(turns) = (0..=self.record.turns().len()).find(ends_at) {
            return turns;
        }
        let played = self.timing.iter().position(|timing| *timing != Timing::default());
        let turns = self.record.turns().len();
        played.unwrap_or(if self.record.position().is_over() { 0 } else { turns })
    }

    /// Whether nothing is played: the game stands for its start.
    pub fn is_position(&self) -> bool {
        self.record.turns().is_empty()
    }
}

/// What a record says about a turn besides the turn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timing {
    /// The value of the move for its player, in discs.
    pub eval: Option<f64>,
    /// The time it took, in seconds.
    pub seconds: Option<f64>,
}

/// The result of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GgfResult {
    /// The disc difference for Black; may be a fraction where the players agreed on one.
    pub score: f64,
    /// How the game ended, unless it was played out.
    pub ending: Option<Ending>,
}

impl GgfResult {
    /// The result of a game that was played out, by the disc difference for Black.
    pub fn of_score(score: impl Into<f64>) -> GgfResult {
        GgfResult { score: score.into(), ending: None }
    }
}

/// Why a game ended before its last move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Ending {
    /// A player resigned (`:r`).
    Resigned,
    /// A player ran out of time (`:t`).
    Timeout,
    /// The players agreed (`:s`).
    Agreed,
    /// A player left (`:l`).
    Left,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::game_file::{Datum, Format, WthorWriter, write};
    use crate::notation::transcript;
    use crate::othello::Position;

    #[test]
    fn of_a_game_that_is_over_the_board_counts() {
        let record = transcript::parse("e6f4e3f6g5d6e7f5c5").unwrap();
        for (said, contradiction) in [(64.0, None), (13.0, None), (-40.0, Some((-40.0, 64.0)))] {
            let game = AnnotatedGame { result: Some(GgfResult::of_score(said)), ..AnnotatedGame::new(record.clone()) };
            assert_eq!((game.score_for_black(), game.contradiction()), (Some(64.0), contradiction), "{said}");
            let pgn = write(&game, Format::Pgn).unwrap().text;
            assert!(pgn.contains("[Result \"13-0\"]"), "{pgn}");
            let [pgn, logbook] = [Format::Pgn, Format::Logbook].map(|format| write(&game, format).unwrap().losses);
            for losses in [pgn, logbook, WthorWriter::new().add(&game).unwrap()] {
                let is_told = losses.iter().any(|loss| loss.datum == Datum::Result);
                assert_eq!(is_told, contradiction.is_some(), "{losses:?}");
            }
        }
        let record = transcript::parse("e6f4").unwrap();
        let mut game = AnnotatedGame { result: Some(GgfResult::of_score(-40)), ..AnnotatedGame::new(record) };
        assert_eq!((game.score_for_black(), game.contradiction()), (Some(-40.0), None));
        game.timing[1].seconds = Some(1.0);
        assert_eq!(game.opening_turns(), 0);
        game.place = MATCH_PLACE.to_owned();
        assert_eq!(game.opening_turns(), 1);
        // Broken off before a player moved; and a whole game of players that told nothing.
        game.timing[1] = Timing::default();
        assert_eq!(game.opening_turns(), 2);
        let whole = transcript::parse("e6f4e3f6g5d6e7f5c5").unwrap();
        assert_eq!(AnnotatedGame { place: game.place, ..AnnotatedGame::new(whole) }.opening_turns(), 0);
    }

    #[test]
    fn of_a_game_that_was_lost_otherwise_the_result_stays() {
        let record = transcript::parse("e6f4e3f6g5d6e7f5c5").unwrap();
        for (ending, counts) in
            [(Ending::Timeout, -64.0), (Ending::Resigned, -64.0), (Ending::Left, -64.0), (Ending::Agreed, 64.0)]
        {
            let result = Some(GgfResult { score: -64.0, ending: Some(ending) });
            let game = AnnotatedGame { result, ..AnnotatedGame::new(record.clone()) };
            assert_eq!(game.score_for_black(), Some(counts), "{ending}");
            assert_eq!(game.contradiction().is_some(), ending == Ending::Agreed);
            let losses = [Format::Sgf, Format::Pgn, Format::Logbook].map(|format| write(&game, format).unwrap().losses);
            let is_told = losses.map(|losses| losses.iter().any(|loss| loss.datum == Datum::Result));
            assert_eq!(is_told, [false, ending != Ending::Timeout, true], "{ending}");
        }
    }

    #[test]
    fn empty_squares_that_nobody_was_given_contradict_nothing() {
        let position = |seed| crate::testing::random_position(seed, 2);
        let is_open = |end: &Position| {
            let both = [Color::Black, Color::White].into_iter().all(|color| !end.discs(color).is_empty());
            end.is_over() && both && !end.empties().is_empty() && end.score_for_black() != 0
        };
        let end = (0..).map(position).find(is_open).unwrap();
        let [black, white] = [Color::Black, Color::White].map(|color| f64::from(end.discs(color).count()));
        let said = |score| {
            let result = Some(GgfResult { score, ending: None });
            AnnotatedGame { result, ..AnnotatedGame::new(GameRecord::from_position(end)) }.contradiction()
        };
        assert_eq!((said(black - white), said(f64::from(end.score_for_black()))), (None, None));
        assert_eq!(said(black + white), Some((black + white, f64::from(end.score_for_black()))));
    }

    #[test]
    fn a_result_that_pgn_cannot_count_is_left_open() {
        let record = transcript::parse("e6f4").unwrap();
        let resigned = Some(Ending::Resigned);
        for (score, ending, said) in [
            (12.0, None, "38-26"),
            (12.5, None, "*"),
            (100.0, None, "*"),
            (64.0, resigned, "1-0"),
            (-64.0, resigned, "0-1"),
        ] {
            let result = Some(GgfResult { score, ending });
            let game = AnnotatedGame { result, ..AnnotatedGame::new(record.clone()) };
            let pgn = write(&game, Format::Pgn).unwrap().text;
            assert!(pgn.contains(&format!("[Result \"{said}\"]")), "{pgn}");
        }
    }
}
