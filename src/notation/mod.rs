//! Text to positions and games, and back: boards, move lists, GGF, SGF, PGN, OBF, WTHOR and Logistello's logbook; files of any of these; and the names of
//! openings.

mod annotated_game;
mod board;
mod cursor;
mod error;
mod format;
pub mod game_file;
pub mod ggf;
mod grammar;
pub mod logbook;
mod loss;
pub mod obf;
mod opening;
pub mod pgn;
pub mod sgf;
pub mod transcript;
mod written;
pub mod wthor;

pub use annotated_game::{AnnotatedGame, MATCH_PLACE, OPENING_END, PlayerInfo, Theory};
pub use board::infer_mover;
pub(crate) use board::write_rows;
pub use error::{Found, NotationError, Problem};
pub use opening::opening;

use crate::othello::{GameRecord, Position};
use cursor::{Cursor, is_blank};
use pgn::tag_name;
use std::borrow::Cow;

/// Reads a position or a game in any of the spellings that programs print and people paste, recognised by the
/// content of the text.
///
/// - 64 squares from a1 to h8, with or without blanks, newlines, `|` and row and column labels: black is one of
///   `X x B b * # @` or a filled circle, white one of `O o W w` or an open circle, empty one of `- . _`, a middle dot or a green square.
///   `0` and `1` are refused: programs disagree about their colours.
/// - The side to move behind the squares, as one of these characters or as `black` or `white`. If it is left out, the
///   moves that follow decide, then [`infer_mover`].
/// - GGS's `BO[8 ...]`, with or without the brackets.
/// - Diagrams with row numbers, as this crate, Edax and GNU Rhino print them, with text around them.
/// - The FEN-like boards of UGI and of xboard's "reversi".
/// - Lines of OBF files; what follows the side to move is ignored.
/// - Any of these followed by moves.
/// - Move lists from the standard start, as [`transcript::parse`] reads them; tag lines `[Name "value"]` before
///   them are passed over.
/// - GGF (the first game), SGF (the main line) and PGN.
///
/// Quotes around a text do no harm, nor do long dashes, nor the wide letters and digits of East Asian texts.
///
/// ```
/// use emilia::notation::read_position;
/// use emilia::othello::Position;
/// let board = "--------/--------/--------/---ox---/---xo---/--------/--------/--------";
/// assert_eq!(read_position(board).unwrap().position(), &Position::START);
/// assert_eq!(read_position("F5 d6").unwrap().turns().len(), 2);
/// ```
///
/// # Errors
/// If the text is in none of the forms, or a move is not legal; with the place in the text.
pub fn read_position(text: &str) -> Result<GameRecord, NotationError> {
    let mut cursor = Cursor::new(text);
    skip_comments(&mut cursor);
    // Above a board names may begin like anything.
    if !board::has_heading(cursor.rest()) {
        let has_tags = tag_name(cursor.rest()).is_some();
        skip_preamble(&mut cursor);
        // A record may begin with the number of its games.
        cursor.skip_while(|c| is_blank(c) || matches!(c, '1' | '2'));
        if cursor.peek() == Some('(') {
            return if sgf::is_sgf(cursor.rest()) { sgf::parse(text) } else { ggf::parse(text) }
                .map(|game| game.record);
        }
        if has_tags {
            // Behind tags a board may stand too, or moves in another dress, but not from a start of their own.
            let has_start = text.lines().filter_map(tag_name).any(|name| matches!(name, "FEN" | "SetUp"));
            let read = pgn::parse(text).map(|game| game.record);
            return read.or_else(|error| read_bare(text).ok().filter(|_| !has_start).ok_or(error));
        }
    }
    read_bare(text)
}

/// Reads a board or a list of moves, perhaps behind lines in brackets.
fn read_bare(text: &str) -> Result<GameRecord, NotationError> {
    let text = plain(text);
    let mut cursor = Cursor::new(&text);
    skip_preamble(&mut cursor);
    if cursor.peek().is_none() {
        return Err(cursor.error(Problem::Empty));
    }
    // A name above a diagram may begin like a move.
    if transcript::begins(&cursor) && !board::has_diagram(cursor.rest()) {
        return transcript::Turns::read(&mut cursor)?.play(&text, Position::START);
    }
    board::read(&mut cursor)
}

/// Whether a text begins with a whole board, whatever stands behind it.
fn begins_with_board(text: &str) -> bool {
    let text = plain(text);
    let mut cursor = Cursor::new(&text);
    skip_preamble(&mut cursor);
    board::is_whole(&cursor)
}

/// A text with quotes as blanks, the dashes of text processors as hyphens, and letters and digits of double width as what they stand
/// for: as many characters, so that places in it are those of the text.
fn plain(text: &str) -> Cow<'_, str> {
    let plain = |c: char| match c {
        '"' | '\'' | '`' | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{ff01}'..='\u{ff5e}' => char::from((u32::from(c) - 0xff00 + 0x20) as u8),
        c => c,
    };
    if text.chars().any(|c| plain(c) != c) { text.chars().map(plain).collect::<String>().into() } else { text.into() }
}

/// Passes blanks and comment lines of OBF files.
fn skip_comments(cursor: &mut Cursor<'_>) {
    cursor.skip_blanks();
    while cursor.peek() == Some('%') {
        cursor.skip_while(|c| c != '\n');
        cursor.skip_blanks();
    }
}

/// Passes blanks, comment lines of OBF files, and the tags of a PGN-like record.
fn skip_preamble(cursor: &mut Cursor<'_>) {
    loop {
        skip_comments(cursor);
        match cursor.peek() {
            Some('[') => cursor.skip_while(|c| c != ']' && c != '\n'),
            Some(']') => cursor.bump(),
            _ => return,
        }
    }
}

/// The first characters of a text, with dots where there are more.
pub(crate) fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    text.char_indices().nth(most).map_or(text.into(), |(end, _)| format!("{}...", &text[..end]).into())
}

/// A text of a file as a terminal may have it: without control characters.
pub fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}
