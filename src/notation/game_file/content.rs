//! Which format some bytes are in.

use crate::input_line::BYTE_ORDER_MARK;
use crate::notation::board::{has_heading, is_heading, square_of};
use crate::notation::cursor::{Cursor, DOS_END};
use crate::notation::ggf::{begins_in_parentheses, behind_count};
use crate::notation::pgn::tag_name;
use crate::notation::{begins_with_board, plain, read_position, sgf, transcript, wthor};

/// How the bytes of a file are cut into games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A game in parentheses, GGF.
    Ggf,
    /// A game tree in parentheses, SGF.
    Sgf,
    /// Tags and moves.
    Pgn,
    /// A game or a position a line; each line has its own format.
    Lines,
    /// The whole text is one position, perhaps with moves.
    Whole,
    /// Records of fixed size behind a header.
    Wthor,
    /// There is nothing in it but blanks and comments.
    Empty,
    /// Nothing in it looks like a game or a position.
    Unknown,
}

/// The bytes of a text that are looked at before its format must be decided.
pub(super) const LOOK: usize = 16 << 10;

/// The shape of a file by its beginning; `None` if more must be seen. At the end there is always an answer, and with `LOOK` bytes unless all
/// are blanks and comments.
pub(super) fn shape(beginning: &[u8], at_end: bool) -> Option<Shape> {
    let enough = at_end || beginning.len() >= LOOK;
    // The header of a WTHOR file has zeros, and no text has.
    let header = &beginning[..beginning.len().min(wthor::HEADER)];
    if header.contains(&0) {
        return Some(if wthor::begins(header) { Shape::Wthor } else { Shape::Unknown });
    }
    if beginning.len() < wthor::HEADER && !enough {
        return None;
    }
    let text = with_line_feeds(text_of(beginning));
    // A line feed ends a line, so it is no blank before the end is reached.
    let is_behind = |c: char| c == DOS_END || at_end && c.is_whitespace();
    let mut cursor = Cursor::new(text.trim_end_matches(is_behind));
    skip_comments(&mut cursor);
    if cursor.peek().is_none() {
        return at_end.then_some(Shape::Empty);
    }
    let line = cursor.rest_of_line();
    let line_is_whole = enough || cursor.rest().contains('\n');
    let text = cursor.rest();
    // The names that `emilia show` writes above a board may begin like anything.
    if is_heading(line) && (!enough || at_end && has_heading(text)) {
        return at_end.then_some(Shape::Whole);
    }
    if let Some(record) = behind_count(text) {
        return in_parentheses(record, line_is_whole, enough);
    }
    if is_tag(line) || behind_comment(text).is_some_and(is_tag) {
        return line_is_whole.then_some(Shape::Pgn);
    }
    if line.starts_with('[') && !line_is_whole {
        return None;
    }
    if begins_record(line) {
        return line_is_whole.then_some(Shape::Lines);
    }
    // A diagram, or a line that cannot be read with better ones behind it.
    if !enough {
        return None;
    }
    if at_end && (begins_with_board(text) || read_position(text).is_ok()) {
        return Some(Shape::Whole);
    }
    Some(text.lines().find_map(|line| shape_behind(text, line)).unwrap_or(Shape::Unknown))
}

/// The shape of what begins with a parenthesis; `None` if more must be seen.
fn in_parentheses(record: &str, line_is_whole: bool, enough: bool) -> Option<Shape> {
    // The number of the game, `GM`, may stand behind other properties.
    let is_named = sgf::behind_key(record, "GM[").is_some_and(|kind| !kind.trim_start().is_empty());
    let seen = is_named || line_is_whole && record.contains(')') || enough;
    seen.then(|| if sgf::is_sgf(record) { Shape::Sgf } else { Shape::Ggf })
}

/// The shape of a text behind a line that nobody can read, if another one of its lines begins a game or is part of a board.
fn shape_behind(text: &str, line: &str) -> Option<Shape> {
    let rest = &text[line.as_ptr() as usize - text.as_ptr() as usize..];
    match line {
        _ if begins_in_parentheses(line) => in_parentheses(rest, true, true),
        _ if is_tag(line) => Some(Shape::Pgn),
        _ => (begins_record(line) || is_part_of_board(line)).then_some(Shape::Lines),
    }
}

/// Text from bytes. What is not UTF-8 is taken for Latin-1, in which old files have their names.
pub(super) fn text_of(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        // The beginning of a longer text may end within a character.
        Err(error) if error.error_len().is_none() && bytes.len() >= LOOK => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        Err(_) => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A text whose lines end with a line feed, where they ended with a carriage return alone.
fn with_line_feeds(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// Whether a line is a comment: behind `%`, as in OBF files, or behind `#`, which may also be a black disc of a board. Of the lines of
/// `#`, `-`, `=`, `*` and `_` only those are boards, or one or two of their rows, that have the right length and are not drawn with one
/// character.
pub(crate) fn is_comment(line: &str) -> bool {
    if !line.starts_with('#') {
        return line.starts_with('%');
    }
    let drawn: String = line.chars().filter(|c| !c.is_whitespace()).collect();
    let is_drawn = || drawn.chars().all(|c| matches!(c, '#' | '-' | '=' | '*' | '_'));
    let is_even = || {
        let inner = drawn[1..].strip_suffix('#').unwrap_or(&drawn[1..]);
        inner.chars().all(|c| inner.starts_with(c))
    };
    !match squares_in(line) {
        8 => is_part_of_board(line),
        16 => drawn.chars().all(|c| square_of(c).is_some()) && !is_even(),
        64 if is_drawn() => !is_even(),
        _ => !is_drawn() && is_board_line(line),
    }
}

/// Passes blanks and lines of comment.
fn skip_comments(cursor: &mut Cursor<'_>) {
    cursor.skip_blanks();
    while is_comment(cursor.rest_of_line()) {
        cursor.skip_while(|c| c != '\n');
        cursor.skip_blanks();
    }
}

/// What follows the comment in braces that a text begins with.
fn behind_comment(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.split_once('}').map(|(_, behind)| behind)
}

/// Whether a line begins with a tag such as `[Site "kurnik"]`.
fn is_tag(line: &str) -> bool {
    tag_name(line).is_some()
}

/// Whether a line is likely to be a record of its own: moves, a game of a logbook, a position.
fn begins_record(line: &str) -> bool {
    let line = plain(line);
    let mut cursor = Cursor::new(&line);
    cursor.skip_blanks();
    transcript::begins(&cursor) || cursor.peek() == Some('+') || is_board_line(&line)
}

/// Whether a line has at least a row of a board, and little else.
fn is_part_of_board(line: &str) -> bool {
    let squares = squares_in(line);
    squares >= 8 && 2 * squares >= line.chars().filter(|c| !c.is_whitespace()).count()
}

fn squares_in(text: &str) -> usize {
    text.chars().filter(|&c| square_of(c).is_some()).count()
}

/// Whether a line has a whole board: 64 squares, a board of GGS or one of FEN.
fn is_board_line(line: &str) -> bool {
    squares_in(line.split(';').next().unwrap_or_default()) >= 64 || line.matches('/').count() == 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;

    #[test]
    fn a_line_is_known_when_it_has_ended() {
        let start = Position::START;
        for line in [start.to_string(), format!("{start}; f5:+0;"), "f5d6c3d3c4f4f6e6".to_owned()] {
            assert_eq!(shape(line.as_bytes(), false), None, "{line}");
            for end in ["\n", "\r\n"] {
                assert_eq!(shape(format!("{line}{end}").as_bytes(), false), Some(Shape::Lines), "{line}");
            }
        }
    }

    #[test]
    fn formats_are_recognised_by_content() {
        let start = Position::START;
        for (text, expected) in [
            ("(;GM[Othello]PB[a];)".to_owned(), Shape::Ggf),
            ("\u{feff}\n 2 (;GM[Othello]PB[a];)".to_owned(), Shape::Ggf),
            ("(;PB[a]B[f5];)".to_owned(), Shape::Sgf),
            ("(;FF[4]\nGM[2]SZ[8])".to_owned(), Shape::Sgf),
            ("(;FF[4]CA[UTF-8]GM[2]SZ[8])".to_owned(), Shape::Sgf),
            ("[Site \"kurnik\"]\n1. f5".to_owned(), Shape::Pgn),
            ("f5d6c3".to_owned(), Shape::Lines),
            ("1. f5 d6\n2. c3".to_owned(), Shape::Lines),
            ("+d3-c3: -04 10".to_owned(), Shape::Lines),
            (format!("% comment\n\n{start}; f5:+0"), Shape::Lines),
            (format!("BO[8 {start}]"), Shape::Lines),
            ("8/8/8/3Pp3/3pP3/8/8/8 b".to_owned(), Shape::Lines),
            (format!("{start:#}"), Shape::Whole),
            (format!("Pa Kettle (black) - Bob (white)\n{start:#}"), Shape::Whole),
            ("--------\n".repeat(3) + "---OX---\n---XO---\n" + &"--------\n".repeat(3) + "X", Shape::Whole),
            ("a line that nobody can read\nf5d6".to_owned(), Shape::Lines),
            ("Paula (black) - Bob (white)\nanything".to_owned(), Shape::Unknown),
            (format!("(Thor) (black) - Bob (white)\n{start:#}"), Shape::Whole),
            (format!("[Site \"x (black) - Bob (white)\n{start:#}"), Shape::Whole),
            ("(;GM[Othello]CO[Thor (black) - Bob (white)];)".to_owned(), Shape::Ggf),
            ("[Event \"Thor (black) - Bob (white)\"]\n\n1. f5".to_owned(), Shape::Pgn),
            // A mistake behind a board.
            (format!("{start:#}\nf5 d6 d6\n"), Shape::Whole),
            (format!("{start:#}\nd3 zz\n"), Shape::Whole),
            ("--------\n".repeat(3) + "---OX---\n---XO---\n" + &"--------\n".repeat(3) + "X\nf5 a1", Shape::Whole),
            ("BO[8\n".to_owned() + &"--------\n".repeat(8) + "*]\nf5", Shape::Whole),
            (
                "# one\n".to_owned() + &"--------\n".repeat(3) + "---OX---\n---XO---\n" + &"--------\n".repeat(3),
                Shape::Whole,
            ),
            ("paf5 d6".to_owned(), Shape::Lines),
            ("\u{ff26}\u{ff15} \u{ff24}\u{ff16}".to_owned(), Shape::Lines),
            ("\"f5d6\u{200b}c3\"".to_owned(), Shape::Lines),
            ("# games of a Sunday\nf5d6".to_owned(), Shape::Lines),
            ("##########\n# ---------- XOT ----------\n[Site \"kurnik\"]".to_owned(), Shape::Pgn),
            (format!("# a diagram\n#-{}\n\nX", &start.to_string().replace('X', "#")[2..64]), Shape::Lines),
            ("##".to_owned() + &"-".repeat(24) + "-OX------XO---" + &"-".repeat(24), Shape::Lines),
            ("##".to_owned() + &"-".repeat(25) + "##------##---" + &"-".repeat(24), Shape::Lines),
            ("##--------------\n-----------OX---\n---XO-----------\n----------------\nX".to_owned(), Shape::Whole),
            (format!("#{}\n{}\n(;GM[Othello]PB[a];)", "-".repeat(63), "#".repeat(64)), Shape::Ggf),
            ("a line that nobody can read\rf5d6\r".to_owned(), Shape::Lines),
            ("games of a day\n1 (;GM[Othello]PB[a];)\nf5d6".to_owned(), Shape::Ggf),
            ("games of a day\n(;FF[4]GM[2]SZ[8])\n".to_owned(), Shape::Sgf),
            ("; games of a day\n\n[Black \"a\"]\n\n1. f5".to_owned(), Shape::Pgn),
            ("{ games of a day\nf5d6 }\n[Black \"a\"]\n\n1. f5".to_owned(), Shape::Pgn),
            ("[White-Elo \"1200\"]\n[Black \"a\"]\n\n1. f5".to_owned(), Shape::Pgn),
            ("games of a day\nf5d6\n[Black \"a\"]".to_owned(), Shape::Lines),
            (format!("{start:#}\n{start:#}"), Shape::Whole),
            (format!("{start:#}").replace('\n', "\r"), Shape::Whole),
            (format!("{start:#}\r\n\x1a"), Shape::Whole),
            (String::new(), Shape::Empty),
            ("# nothing\r\n\x1a".to_owned(), Shape::Empty),
            ("# nothing\r\n\x1a\r\n".to_owned(), Shape::Empty),
            ("% a comment\n# another one\r\n\u{feff}".to_owned(), Shape::Empty),
            ("a line that nobody can read\nand another".to_owned(), Shape::Unknown),
            ("--------\n".repeat(7), Shape::Lines),
            ("\x14\x1a\x02\x17\x4b\x0b\0\0".to_owned(), Shape::Wthor),
            ("\0\0\0\0\x4b\x0b\0\0".to_owned(), Shape::Wthor),
            ("\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\0".to_owned(), Shape::Unknown),
            ("f\x005\0d\x006\0\n\0".to_owned(), Shape::Unknown),
        ] {
            assert_eq!(shape(text.as_bytes(), true), Some(expected), "{text}");
            for end in 0..text.len() {
                // Whoever decides early decides well.
                let early = shape(&text.as_bytes()[..end], false);
                assert!(early.is_none() || early == Some(expected), "{:?}", &text.as_bytes()[..end]);
            }
        }
    }

    #[test]
    fn a_mark_of_utf_8_may_stand_before_latin_1() {
        let bytes = b"\xef\xbb\xbf(;GM[Othello]PB[Andr\xe9]B[f5];)";
        assert_eq!(shape(bytes, true), Some(Shape::Ggf));
    }
}
