//! What the nom grammars of the formats share: their error type, and from it to a place in the text.

use super::NotationError;
use nom::IResult;
use nom::error::{ContextError, ErrorKind, ParseError};

/// Where a grammar stopped and what it expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure<'a> {
    rest: &'a str,
    expected: &'static str,
}

/// The result of a parser of this crate's grammars.
pub(super) type Parsed<'a, T> = IResult<&'a str, T, Failure<'a>>;

impl<'a> ParseError<&'a str> for Failure<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        Failure { rest, expected: "something else" }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }

    /// Of two alternatives, the one that got farther knows better what is missing.
    fn or(self, other: Self) -> Self {
        if self.rest.len() < other.rest.len() { self } else { other }
    }
}

impl<'a> ContextError<&'a str> for Failure<'a> {
    fn add_context(_: &'a str, expected: &'static str, other: Self) -> Self {
        Failure { expected, ..other }
    }
}

/// The byte offset of a part of a text.
pub(super) fn offset_of(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// The error of a grammar as a place in the text that it read.
pub(super) fn failed(text: &str, error: nom::Err<Failure<'_>>) -> NotationError {
    match error {
        nom::Err::Error(failure) | nom::Err::Failure(failure) => {
            NotationError::expected(text, text.len() - failure.rest.len(), failure.expected)
        }
        nom::Err::Incomplete(_) => NotationError::expected(text, text.len(), "more text"),
    }
}
