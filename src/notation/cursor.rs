//! A place in a text, for the readers that are written by hand.

use super::{NotationError, Problem};
use crate::othello::Square;

/// Reads a text from left to right and knows where it is.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, offset: 0 }
    }

    /// The byte offset, always at a character boundary.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next byte after `distance` bytes, for looking at ASCII ahead.
    pub(super) fn byte(&self, distance: usize) -> Option<u8> {
        self.text.as_bytes().get(self.offset + distance).copied()
    }

    /// The square whose name comes next, without passing it.
    pub(super) fn square(&self) -> Option<Square> {
        self.rest().get(..2)?.parse().ok()
    }

    /// Passes the next character.
    pub(super) fn bump(&mut self) {
        self.offset += self.peek().map_or(0, char::len_utf8);
    }

    /// Goes to a byte offset, which must be a character boundary.
    pub(super) fn go_to(&mut self, offset: usize) {
        debug_assert!(self.text.is_char_boundary(offset));
        self.offset = offset;
    }

    /// Passes what the predicate accepts.
    pub(super) fn skip_while(&mut self, accept: impl Fn(char) -> bool) {
        self.offset = self.text.len() - self.rest().trim_start_matches(accept).len();
    }

    pub(super) fn skip_blanks(&mut self) {
        self.skip_while(is_blank);
    }

    /// Passes an ASCII word, in any case, if it comes next.
    pub(super) fn eat(&mut self, word: &str) -> bool {
        let found = self.rest().get(..word.len()).is_some_and(|next| next.eq_ignore_ascii_case(word));
        if found {
            self.offset += word.len();
        }
        found
    }

    /// The rest of the line, without its end.
    pub(super) fn rest_of_line(&self) -> &'a str {
        self.rest().split('\n').next().unwrap_or_default()
    }

    pub(super) fn error(&self, problem: Problem) -> NotationError {
        NotationError::at(self.text, self.offset, problem)
    }

    pub(super) fn expected(&self, expected: &'static str) -> NotationError {
        NotationError::expected(self.text, self.offset, expected)
    }
}

/// The character that ends a text of DOS.
pub(super) const DOS_END: char = '\x1a';

/// White space, the byte order mark that editors leave at the beginning of a file, the characters without width of web pages, and what
/// follows a character that is to look like an emoji.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | EMOJI)
}

/// Follows a character that is to look like an emoji.
pub(super) const EMOJI: char = '\u{fe0f}';
