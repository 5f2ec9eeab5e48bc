//! Files of games and positions in any of the formats, recognised by their content.
//!
//! [`GameFile`] reads one game after another from bytes that may be compressed by gzip or zstd. A game that makes no sense is an
//! error with its place, and the next one is read. What a format says of a game is an [`AnnotatedGame`], and [`write`](fn@write) turns
//! it into any format of text, telling what that format cannot hold; [`WthorWriter`] does so for WTHOR.
//!
//! ```
//! use emilia::notation::game_file::{Format, GameFile, write};
//! let text = "(;GM[Othello]PB[ada]RE[+2]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6];)\n\
//!             (;GM[Othello]B[A1];)\n(;GM[Othello]B[E6];)";
//! let mut games = GameFile::new("games", text.as_bytes()).unwrap();
//! let first = games.next().unwrap().unwrap();
//! assert_eq!((first.format, first.place.line, first.game.black.name.as_str()), (Format::Ggf, Some(1), "ada"));
//! let error = games.next().unwrap().unwrap_err();
//! assert_eq!(error.to_string(), "games: line 2, column 16: game 2, move 1: a1 turns no disc for black");
//! assert_eq!(games.next().unwrap().unwrap().place.number, 3);
//! let written = write(&first.game, Format::Logbook).unwrap();
//! assert_eq!(written.text, "+f5-d6: +02 10\n");
//! assert_eq!(written.losses[0].to_string(), "names of players (ada)");
//! ```

mod content;
mod error;
mod reader;
mod source;
mod splitting;
mod text_formats;
mod utf16;
mod wthor_reader;
mod wthor_writer;

pub use super::format::Format;
pub use crate::notation::annotated_game::{AnnotatedGame, PlayerInfo, Theory};
pub use crate::notation::loss::{Datum, Loss};
pub use crate::notation::written::{UnfitResult, Unwritable, Written};
pub(crate) use content::is_comment;
pub use error::{GameFileError, ReadProblem};
pub use reader::{Cut, FileGame, GameFile, GamePlace, names_beside, names_of_others};
#[cfg(feature = "program")]
pub(crate) use source::unpacked_utf8;
pub use text_formats::write;
pub use wthor_writer::{WthorBytes, WthorWriter};
