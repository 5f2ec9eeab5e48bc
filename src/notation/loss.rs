//! What a format cannot hold of a game.

use super::annotated_game::{AnnotatedGame, Timing};
use crate::othello::Move;
use std::fmt;

/// Something that a game has and that was not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// What kind of thing.
    pub datum: Datum,
    /// What it was; may be empty.
    pub detail: String,
}

/// The things that a file may say of a game besides its start and its turns; displayed, in the words of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
pub enum Datum {
    /// The names of the players.
    #[strum(to_string = "names of players")]
    Players,
    /// The end of a name, which alone tells it from another one.
    #[strum(to_string = "how two names differ")]
    Difference,
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
    pub(super) fn new(datum: Datum, detail: impl Into<String>) -> Loss {
        Loss { datum, detail: detail.into() }
    }

    /// A text that changes in being written.
    pub(super) fn of_characters(text: &str) -> Loss {
        Loss::new(Datum::Characters, format!("in {text:?}"))
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.detail.as_str() {
            "" => write!(f, "{}", self.datum),
            detail => write!(f, "{} ({detail})", self.datum),
        }
    }
}

/// What of a game a format has no place for, by its kind. What depends on the value, the writers add.
pub(super) fn losses(game: &AnnotatedGame, has_place: impl Fn(Datum) -> bool) -> Vec<Loss> {
    let players = [&game.black, &game.white];
    let both = |texts: Vec<String>| texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    let words = |numbers: Vec<Option<String>>| both(numbers.into_iter().flatten().collect());
    let thought = |said: fn(&Timing) -> bool| match game.timing.iter().filter(|t| said(t)).count() {
        0 => String::new(),
        1 => "of 1 move".to_owned(),
        n => format!("of {n} moves"),
    };
    let all = [
        (Datum::Players, both(players.map(|player| player.name.clone()).to_vec())),
        (Datum::Ratings, words(players.map(|player| player.rating.map(|rating| rating.to_string())).to_vec())),
        (Datum::Clocks, words(players.map(|player| player.clock.map(|clock| clock.to_string())).to_vec())),
        (Datum::Place, game.place.clone()),
        (Datum::Date, game.date.clone()),
        (Datum::Result, game.result.map_or_else(String::new, |result| format!("{:+}", result.score))),
        (Datum::Ending, game.ending().map_or_else(String::new, |ending| ending.to_string())),
        (Datum::Theory, game.theory.map_or_else(String::new, |theory| format!("{:+}", theory.black_score))),
        (Datum::Evaluations, thought(|timing| timing.eval.is_some())),
        (Datum::Times, thought(|timing| timing.seconds.is_some())),
        (Datum::Comments, game.comments.join(" / ")),
        (Datum::TurnComments, both(game.turn_comments.iter().map(|(_, text)| text.clone()).collect())),
        (
            Datum::MoveValues,
            if game.scores.is_empty() && game.score.is_none() { "" } else { "of its start" }.to_owned(),
        ),
        (Datum::Passes, if game.record.turns().last() == Some(&Move::Pass) { "at the end" } else { "" }.to_owned()),
        (Datum::Turns, if game.is_position() { String::new() } else { format!("{} turns", game.record.turns().len()) }),
        (Datum::Other, both(game.other.iter().map(|(key, _)| key.clone()).collect())),
    ];
    let lost = all.into_iter().filter(|(datum, detail)| !detail.is_empty() && !has_place(*datum));
    let unread = game.unread.iter().map(|text| (Datum::Unread, text.clone()));
    lost.chain(unread).map(|(datum, detail)| Loss { datum, detail }).collect()
}
