//! What is wrong with a text, and where.

use crate::othello::{Color, IllegalMove, PositionError};
use std::fmt;
use thiserror::Error;

/// A text that could not be read: the place and the problem. The message is plain ASCII, so that every protocol can
/// carry it.
///
/// ```
/// use emilia::notation::read_position;
/// let error = read_position("f5 d6 c9").unwrap_err();
/// assert_eq!((error.line, error.column), (1, 7));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct NotationError {
    /// The line of the text, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// Which turn of the record it is about, from 1, as far as it is one: written passes count, implied ones do not.
    pub turn: Option<usize>,
    /// What is wrong there.
    pub problem: Problem,
}

impl NotationError {
    /// The error for a byte offset of a text; an offset within a character counts as that character's.
    pub(super) fn at(text: &str, offset: usize, problem: Problem) -> NotationError {
        let before = &text.as_bytes()[..offset.min(text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        NotationError {
            line: 1 + before.iter().filter(|&&b| b == b'\n').count(),
            // Continuation bytes of UTF-8 begin with the bits 10.
            column: 1 + before[line_start..].iter().filter(|&&b| b & 0xc0 != 0x80).count(),
            turn: None,
            problem,
        }
    }

    /// This error as one about a turn, from 1.
    pub(super) fn in_turn(self, number: usize) -> NotationError {
        NotationError { turn: Some(number), ..self }
    }

    /// "Expected this" at a byte offset, with the character that stands there instead.
    pub(super) fn expected(text: &str, offset: usize, expected: &'static str) -> NotationError {
        let found = Found(text.get(offset..).and_then(|rest| rest.chars().next()));
        NotationError::at(text, offset, Problem::Expected { expected, found })
    }
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// There is nothing but blanks.
    #[error(
        "nothing to read; expected 64 squares of X, O and - with the side to move, a board diagram, BO[8 ...], \
         a FEN-like board, an OBF line, a list of moves such as f5d6c3, or a game in GGF, SGF or PGN"
    )]
    Empty,
    /// Something else should stand here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would have been right.
        expected: &'static str,
        /// What is there.
        found: Found,
    },
    /// The board ends too early.
    #[error("expected 64 squares, found the end after {0}")]
    TooFewSquares(u32),
    /// `0` or `1` as a square.
    #[error("the digit {0} as a square is black for some programs and white for others; write X, O and -")]
    AmbiguousDigit(char),
    /// A board or a game that is not standard Othello.
    #[error("only Othello on 8x8 squares can be read, not {0}")]
    OtherGame(&'static str),
    /// A second board behind a diagram.
    #[error(
        "a second board; expected moves or nothing behind the first one (several positions stand in a file as lines of 64 squares)"
    )]
    SecondBoard,
    /// The discs are not a position.
    #[error(transparent)]
    Board(#[from] PositionError),
    /// A move that the rules do not allow.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A move recorded for the side that is not to move.
    #[error("a move of {0} where {1} is to move and can")]
    WrongSide(Color, Color),
}

impl Problem {
    /// Whether the text can be read, but says what cannot be played here.
    pub fn is_of_rules(&self) -> bool {
        matches!(self, Problem::OtherGame(_) | Problem::Board(_) | Problem::Illegal(_) | Problem::WrongSide(..))
    }
}

/// The character found in place of the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found(pub Option<char>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(c) => write!(f, "'{}'", c.escape_default()),
            None => f.write_str("the end"),
        }
    }
}
