//! A game in a format of text, and what is not in it.

use super::annotated_game::AnnotatedGame;
use super::game_file::Format;
use super::loss::{Datum, Loss, losses};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unwritable {
    /// The format has only games from the standard start.
    #[error("a game of {0} begins with the standard start, and this one does not")]
    Start(Format),
    /// The format has only games with moves.
    #[error("a game of {0} has moves, and this one has none")]
    NoMoves(Format),
    /// The format wants a result.
    #[error("{0} needs a result in whole discs, and this game is not over and has none")]
    Result(Format),
    /// The format is not one of text.
    #[error("{0} is not a format of text")]
    NotText(Format),
    /// More names than the format has numbers for.
    #[error("more than {0} names of players or tournaments")]
    Names(usize),
}
