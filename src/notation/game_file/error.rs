//! Why a game of a file was not read.

use super::Format;
use crate::notation::wthor::{BrokenGame, WthorError};
use crate::notation::{NotationError, transcript};
use crate::whole_file::why;
use std::fmt;
use std::io;
use thiserror::Error;

/// A game, or a whole file, that could not be read: where, and why.
#[derive(Debug, Error)]
pub struct GameFileError {
    /// The file's name, or what was given for it.
    pub file: String,
    /// Which game of the file it is, from 1; 0 if it is about the file itself.
    pub number: usize,
    /// What is wrong.
    #[source]
    pub problem: ReadProblem,
}

/// What is wrong with a game or a file.
#[derive(Debug, Error)]
pub enum ReadProblem {
    /// The text makes no sense. Line and column are those of the file.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The record is too long for one of a game.
    #[error("line {line}: no end within {limit} bytes, which no game needs")]
    TooLong {
        /// The line on which it begins, from 1.
        line: usize,
        /// The longest record that is read.
        limit: usize,
    },
    /// The file is not one of WTHOR's.
    #[error(transparent)]
    Wthor(#[from] WthorError),
    /// There is nothing in the file, or only comments.
    #[error("no game or position")]
    Empty,
    /// Nothing in the file looks like a game or a position.
    #[error("in no known format (known: {})", Format::names())]
    NoKnownFormat,
    /// There is no such file.
    #[error("not found")]
    NotFound,
    /// The file is one of names, which belongs beside one of games.
    #[error("a WTHOR file of names, not of games")]
    NamesOnly,
    /// The game of WTHOR that begins at this byte of the file has a move that makes no sense.
    #[error("byte {0}: {1}")]
    Broken(u64, BrokenGame),
    /// The file of WTHOR ends, at this byte, before the games that its header announces.
    #[error("byte {0}: the file ends within this game; its header announces {1} games")]
    Truncated(u64, u32),
    /// From this byte on there is something behind the games that the header of WTHOR announces.
    #[error("byte {0}: more bytes behind the last of {1} games")]
    Excess(u64, u32),
    /// The system refused, or the compressed data is damaged; nothing more can be read.
    #[error("cannot be read: {}", why(.0))]
    Io(io::Error),
}

impl From<io::Error> for ReadProblem {
    fn from(error: io::Error) -> ReadProblem {
        match error.kind() {
            io::ErrorKind::NotFound => ReadProblem::NotFound,
            _ => ReadProblem::Io(error),
        }
    }
}

impl GameFileError {
    /// The line that it is about, from 1; `None` in a file of WTHOR, and where it is about the file itself.
    pub fn line(&self) -> Option<usize> {
        match &self.problem {
            ReadProblem::Notation(error) => Some(error.line),
            ReadProblem::TooLong { line, .. } => Some(*line),
            _ => None,
        }
    }

    /// Which move of the game it is about, from 1, if it is about one. Passes count where they are written.
    pub fn turn(&self) -> Option<usize> {
        match &self.problem {
            ReadProblem::Notation(error) => error.turn,
            ReadProblem::Broken(_, BrokenGame::NotASquare(number, _) | BrokenGame::Illegal(number, _)) => Some(*number),
            _ => None,
        }
    }

    /// Whether nothing more can come from the file.
    pub fn is_final(&self) -> bool {
        self.number == 0
            || matches!(self.problem, ReadProblem::Io(_) | ReadProblem::Truncated(..) | ReadProblem::Excess(..))
    }
}

impl fmt::Display for GameFileError {
    /// The file, the place in it, the game, the move if it is about one, and what is wrong.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        match &self.problem {
            ReadProblem::Notation(error) => {
                write!(f, "line {}, column {}: game {}", error.line, error.column, self.number)?;
                if let Some(turn) = error.turn {
                    write!(f, ", move {turn}")?;
                }
                write!(f, ": {}", error.problem)
            }
            ReadProblem::Broken(offset, broken) => write!(f, "byte {offset}: game {}, {broken}", self.number),
            ReadProblem::NotFound if transcript::parse(&self.file).is_ok() => {
                write!(f, "not found; a list of moves is read from the standard input, or where an option takes it")
            }
            problem if self.number == 0 => write!(f, "{problem}"),
            problem => write!(f, "game {}: {problem}", self.number),
        }
    }
}
