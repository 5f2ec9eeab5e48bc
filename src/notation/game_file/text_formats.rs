//! Games from and to the formats of text.

use super::Format;
use super::content::{Shape, is_comment};
use crate::notation::cursor::{Cursor, is_blank};
use crate::notation::obf::ObfEntry;
use crate::notation::written::{Unwritable, Written};
use crate::notation::{AnnotatedGame, NotationError, ggf, logbook, obf, pgn, plain, read_position, sgf, transcript};
use std::borrow::Cow;

/// Reads one game, cut out of a file of this shape.
pub(super) fn read(shape: Shape, text: &str) -> Result<(Format, AnnotatedGame), NotationError> {
    match shape {
        Shape::Ggf => ggf::parse(text).map(|game| (Format::Ggf, game)),
        Shape::Sgf => sgf::parse(text).map(|game| (Format::Sgf, game)),
        Shape::Pgn => pgn::parse(text).map(|game| (Format::Pgn, game)),
        Shape::Lines | Shape::Whole | Shape::Wthor | Shape::Empty | Shape::Unknown => line_or_position(shape, text),
    }
}

/// Reads a line, or a text that is one position.
fn line_or_position(shape: Shape, text: &str) -> Result<(Format, AnnotatedGame), NotationError> {
    let (text, comment) = split_comments(shape, text);
    let text = plain(&text);
    let text = text.trim_end_matches(is_blank);
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks();
    let is_line = shape == Shape::Lines;
    let (format, mut game) = if is_line && cursor.peek() == Some('+') {
        (Format::Logbook, logbook::parse(text)?)
    } else if is_line && text.contains(';') && !transcript::begins(&cursor) {
        (Format::Obf, ObfEntry::parse(text)?.into())
    } else {
        let mut game = AnnotatedGame::new(read_position(text)?);
        if game.is_position() {
            (Format::Obf, game)
        } else {
            game.result = pgn::read_result(text, &game.record);
            let last = text.split_whitespace().next_back().unwrap_or_default();
            if game.result.is_none() && pgn::is_of_two_numbers(last) {
                game.unread.push(format!("Result {last}"));
            }
            (Format::Transcript, game)
        }
    };
    if !comment.is_empty() {
        game.comments.push(comment);
    }
    Ok((format, game))
}

/// A text with blanks for its comments, so that places in it stay, and the comments: lines of comment, and of other lines what stands behind `%`.
/// Around a diagram words may have that character (`100% sure`), so there only lines that begin with it are comments.
fn split_comments(shape: Shape, text: &str) -> (Cow<'_, str>, String) {
    if !text.contains(['%', '#']) {
        return (text.into(), String::new());
    }
    let begins = |line: &str| match shape {
        Shape::Whole => line.trim_start().starts_with('%').then_some(0),
        _ if is_comment(line.trim_start()) => Some(0),
        _ => line.find('%'),
    };
    let (mut rest, mut comments) = (String::with_capacity(text.len()), Vec::new());
    for line in text.split_inclusive('\n') {
        let (kept, comment) = line.split_at(begins(line).unwrap_or(line.len()));
        rest += kept;
        rest.extend(comment.chars().map(|c| if c == '\n' { c } else { ' ' }));
        comments.push(comment.trim_start().trim_start_matches(['%', '#']).trim());
    }
    comments.retain(|comment| !comment.is_empty());
    (rest.into(), comments.join("\n"))
}

/// Reads what is there of a game whose file ends within it. `None` if nothing can be made of it.
pub(super) fn read_cut(shape: Shape, text: &str) -> Option<(Format, AnnotatedGame)> {
    // In parentheses, up to the last property that is whole.
    let whole = || Some(&text[..=text.rfind(']')?]);
    let (format, game) = match shape {
        Shape::Ggf => (Format::Ggf, ggf::parse(&(whole()?.to_owned() + ";)"))),
        Shape::Sgf => (Format::Sgf, sgf::parse(&(whole()?.to_owned() + ")"))),
        Shape::Pgn => (Format::Pgn, pgn::read(text, true)),
        Shape::Lines | Shape::Whole | Shape::Wthor | Shape::Empty | Shape::Unknown => return None,
    };
    game.ok().filter(|game| !game.is_position()).map(|game| (format, game))
}

/// Writes a game, or a position. For a game, OBF gets each position in which a disc is placed. [`Format::Wthor`] is refused; it is
/// written by [`WthorWriter`](super::WthorWriter).
///
/// # Errors
/// If the format has no games from this start, wants a result that the game does not have, or is not one of text.
pub fn write(game: &AnnotatedGame, format: Format) -> Result<Written, Unwritable> {
    match format {
        Format::Ggf => Ok(ggf::write(game)),
        Format::Sgf => Ok(sgf::write(game)),
        Format::Pgn => Ok(pgn::write(game)),
        Format::Transcript => Ok(transcript::write(game)),
        Format::Logbook => logbook::write(game),
        Format::Obf => Ok(obf::write(game)),
        Format::Wthor => Err(Unwritable::NotText(format)),
    }
}
