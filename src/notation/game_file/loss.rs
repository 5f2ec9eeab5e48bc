//! What a format cannot hold of a game.

use super::content::Format;
use crate::notation::annotated_game::AnnotatedGame;
use crate::othello::Move;
use std::fmt;
use thiserror::Error;

/// Something that a game has and that was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// What kind of thing.
    pub part: Part,
    /// What it was; may be empty.
    pub detail: String,
}

/// The things that a file may say of a game besides its start and its turns; displayed, in the words of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
pub enum Part {
    /// The names of the players.
    #[strum(to_string = "names of players")]
    Players,
    /// Their ratings.
    #[strum(to_string = "ratings")]
    Ratings,
    /// Their clocks.
    #[strum(to_string = "clocks")]
    Clocks,
    /// The tournament or the place.
    #[strum(to_string = "the place or tournament")]
    Place,
    /// The date.
    #[strum(to_string = "the date")]
    Date,
    /// The score.
    #[strum(to_string = "the result")]
    Result,
    /// How the game ended, if not by its last move.
    #[strum(to_string = "how the game ended")]
    Ending,
    /// The theoretical score.
    #[strum(to_string = "the theoretical score")]
    Theory,
    /// What the players thought of their moves.
    #[strum(to_string = "values of moves")]
    Evaluations,
    /// The times of the moves.
    #[strum(to_string = "times of moves")]
    Times,
    /// Comments about the game.
    #[strum(to_string = "comments")]
    Comments,
    /// Comments behind moves.
    #[strum(to_string = "comments on moves")]
    TurnComments,
    /// The values of a position's moves.
    #[strum(to_string = "values of the position's moves")]
    MoveValues,
    /// Passes that end the record.
    #[strum(to_string = "passes behind the last disc")]
    Passes,
    /// That the positions belong to one game.
    #[strum(to_string = "that the positions are those of one game")]
    Turns,
    /// Properties that only one format knows.
    #[strum(to_string = "other properties")]
    Other,
    /// Single characters, which were replaced.
    #[strum(to_string = "single characters")]
    Characters,
    /// What the reader passed over.
    #[strum(to_string = "parts of the file that cannot be kept")]
    Unread,
}

impl Loss {
    pub(super) fn new(part: Part, detail: impl Into<String>) -> Loss {
        Loss { part, detail: detail.into() }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail.as_str() {
            "" => write!(f, "{}", self.part),
            detail => write!(f, "{} ({detail})", self.part),
        }
    }
}

/// Why a game cannot be written in a format at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unwritable {
    /// The format has only games from the standard start.
    #[error("a game of {0} begins with the standard start, and this one does not")]
    Start(Format),
    /// The format wants a result.
    #[error("a game of {0} has a result, and this one is not over and has none in whole discs")]
    Result(Format),
    /// The format is not one of text.
    #[error("{0} is not a format of text")]
    NotText(Format),
    /// More names than the format has numbers for.
    #[error("more than {0} names of players or tournaments")]
    Names(usize),
}

/// What of a game a format has no place for, by its kind. What depends on the very value, the writers tell.
pub(super) fn losses(game: &AnnotatedGame, format: Format) -> Vec<Loss> {
    present(game).into_iter().filter(|loss| !has_place(format, loss.part, game.is_position())).collect()
}

fn has_place(format: Format, part: Part, is_position: bool) -> bool {
    match part {
        // Each one depends on its name.
        Part::Other => matches!(format, Format::Ggf | Format::Sgf | Format::Pgn),
        Part::Unread => false,
        Part::Characters => true,
        Part::Turns => format != Format::Obf,
        Part::Players | Part::Place => matches!(format, Format::Ggf | Format::Sgf | Format::Pgn | Format::Wthor),
        Part::Date => matches!(format, Format::Ggf | Format::Sgf | Format::Pgn | Format::Wthor),
        Part::Ratings | Part::TurnComments | Part::Ending => {
            matches!(format, Format::Ggf | Format::Sgf | Format::Pgn)
        }
        Part::Comments => {
            matches!(format, Format::Ggf | Format::Sgf | Format::Pgn) || (format == Format::Obf && is_position)
        }
        Part::Clocks | Part::Times => format == Format::Ggf,
        Part::Evaluations => matches!(format, Format::Ggf | Format::Sgf | Format::Obf),
        Part::Result => !matches!(format, Format::Transcript | Format::Obf),
        Part::Theory => format == Format::Wthor,
        Part::MoveValues => format == Format::Obf,
        Part::Passes => !matches!(format, Format::Logbook | Format::Wthor | Format::Obf),
    }
}

/// What a game says.
fn present(game: &AnnotatedGame) -> Vec<Loss> {
    let players = [&game.black, &game.white];
    let both = |texts: Vec<String>| texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    let words = |numbers: Vec<Option<String>>| both(numbers.into_iter().flatten().collect());
    let thought = |said: fn(&crate::notation::ggf::Timing) -> bool| match game.timing.iter().filter(|t| said(t)).count()
    {
        0 => String::new(),
        1 => "of 1 move".to_owned(),
        n => format!("of {n} moves"),
    };
    let all = [
        (Part::Players, both(players.map(|player| player.name.clone()).to_vec())),
        (Part::Ratings, words(players.map(|player| player.rating.map(|rating| rating.to_string())).to_vec())),
        (Part::Clocks, words(players.map(|player| player.clock.map(|clock| clock.to_string())).to_vec())),
        (Part::Place, game.place.clone()),
        (Part::Date, game.date.clone()),
        (Part::Result, game.result.map_or_else(String::new, |result| format!("{:+}", result.score))),
        (Part::Ending, game.ending().map_or_else(String::new, |ending| ending.to_string())),
        (Part::Theory, game.theory.map_or_else(String::new, |theory| format!("{:+}", theory.black_score))),
        (Part::Evaluations, thought(|timing| timing.eval.is_some())),
        (Part::Times, thought(|timing| timing.seconds.is_some())),
        (Part::Comments, game.comments.join(" / ")),
        (Part::TurnComments, both(game.turn_comments.iter().map(|(_, text)| text.clone()).collect())),
        (Part::MoveValues, if game.scores.is_empty() && game.score.is_none() { "" } else { "of its start" }.to_owned()),
        (Part::Passes, if game.record.turns().last() == Some(&Move::Pass) { "at the end" } else { "" }.to_owned()),
        (Part::Turns, if game.is_position() { String::new() } else { format!("{} turns", game.record.turns().len()) }),
        (Part::Other, both(game.other.iter().map(|(key, _)| key.clone()).collect())),
    ];
    let said = all.into_iter().filter(|(_, detail)| !detail.is_empty());
    let unread = game.unread.iter().map(|text| (Part::Unread, text.clone()));
    said.chain(unread).map(|(part, detail)| Loss { part, detail }).collect()
}
