//! A game in a format of text, and what is not in it.

use super::annotated_game::AnnotatedGame;
use super::format::Format;
use super::loss::{Datum, Loss, losses};
use std::fmt;
use thiserror::Error;

/// A game in a format of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The game, with the line feed that ends it.
    pub text: String,
    /// What the format cannot hold.
    pub losses: Vec<Loss>,
}

impl Written {
    /// No text yet, and what is lost of a game because the format has no place for it.
    pub(super) fn new(game: &AnnotatedGame, has_place: impl Fn(Datum) -> bool) -> Written {
        Written { text: String::new(), losses: losses(game, has_place) }
    }

    /// Notes what is lost.
    pub(super) fn lose(&mut self, datum: Datum, detail: impl Into<String>) {
        self.losses.push(Loss::new(datum, detail));
    }

    /// Notes that a text changes in being written.
    pub(super) fn check(&mut self, text: &str, is_kept: bool) {
        if !is_kept {
            self.losses.push(Loss::of_characters(text));
        }
    }

    /// The properties whose names the format has, in order; the others are noted as lost.
    pub(super) fn keep_other(
        &mut self,
        game: &AnnotatedGame,
        mut is_kept: impl FnMut(&str, &str) -> bool,
    ) -> Vec<(String, String)> {
        let (kept, lost): (Vec<_>, Vec<_>) = game.other.iter().cloned().partition(|(key, value)| is_kept(key, value));
        self.losses.extend(lost.into_iter().map(|(key, value)| Loss::new(Datum::Other, format!("{key}: {value}"))));
        kept
    }
}

/// Why a game cannot be written in a format at all.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum Unwritable {
    /// The format has only games from the standard start.
    #[error("a game of {0} begins with the standard start, and this one does not")]
    Start(Format),
    /// The format has only games with moves.
    #[error("a game of {0} has moves, and this one has none")]
    NoMoves(Format),
    /// The format wants a result.
    #[error(transparent)]
    Result(#[from] UnfitResult),
    /// The format is not one of text.
    #[error("{0} is not a format of text")]
    NotText(Format),
    /// More names than the format has numbers for.
    #[error("more than {0} names of players or tournaments")]
    Names(usize),
}

impl Unwritable {
    /// The result of a game does not fit the format.
    pub(super) fn result_of(game: &AnnotatedGame, format: Format) -> Unwritable {
        UnfitResult { format, score: game.result.map(|result| result.score) }.into()
    }
}

/// A result that a format has no place for, or that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub struct UnfitResult {
    /// The format.
    pub format: Format,
    /// The disc difference for Black that the game has.
    pub score: Option<f64>,
}

impl fmt::Display for UnfitResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} needs a result in whole discs", self.format)?;
        let even = if self.format == Format::Wthor { "even and " } else { "" };
        match self.score {
            None => f.write_str(", and this game is not over and has none"),
            Some(score) => write!(f, ", {even}from -64 to +64, and that of this game is {score:+}"),
        }
    }
}
