//! PGN records of Othello, as PlayOK (once Kurnik) writes them.

use super::annotated_game::{PlayerInfo, Timing, is_rating_in_words, read_number};
use super::cursor::{Cursor, DOS_END, is_blank};
use super::ggf::{Ending, GgfResult, begins_in_parentheses};
use super::loss::{Datum, Loss};
use super::sgf::variations_in_words;
use super::transcript::{self, eat_turn};
use super::written::Written;
use super::{AnnotatedGame, NotationError, board, plain};
use crate::othello::{Color, GameRecord, Move, Position};
use std::collections::HashSet;
use std::fmt;

const A_MOVE: &str = "a move such as f5, a pass (--), a comment in braces, or the result such as 37-27";

/// Tags of which there is one.
const ONCE: [&str; 6] = ["Black", "White", "BlackElo", "WhiteElo", "Site", "Date"];

/// The tag that says how a game ended, and its value where a player ran out of time.
const TERMINATION: (&str, &str) = ("Termination", "time forfeit");

/// How a draw is written.
const DRAWS: [&str; 2] = ["1/2-1/2", "\u{bd}-\u{bd}"];

/// Reads one game, to the end of the text.
///
/// Moves are in any case, with or without numbers; a pass is `--`, and a forced one may be left out. Glyphs (`$1`) and the
/// marks `!` and `?` behind moves, and variations in parentheses, are passed over and counted. A start other than the standard
/// one stands in the tag `FEN`, in the form of xboard's "reversi". The result is disc counts for Black and White such as `37-27`,
/// `1-0`, or `*` for an unfinished game; that behind the moves counts for more than the tag, unless it is `*`, or is the end of the
/// text and the beginning of what the tag says. Words behind it are left out, and so is a tag that cannot be read. Names, place and date that are `?`
/// or `????.??.??` are not known.
///
/// ```
/// use emilia::notation::pgn;
/// let text = "[Site \"kurnik\"]\n[Black \"ada\"]\n[Result \"37-27\"]\n\n1. f5 d6 2. c3 d3 {so far} 37-27\n";
/// let game = pgn::parse(text).unwrap();
/// assert_eq!((game.black.name.as_str(), game.record.turns().len()), ("ada", 4));
/// assert_eq!(game.result.unwrap().score, 10.0);
/// assert_eq!(game.turn_comments, [(4, "so far".to_owned())]);
/// ```
///
/// # Errors
/// If the start, a move or the result makes no sense, a move is not legal, or the text ends within a tag; with the place in the text.
pub fn parse(text: &str) -> Result<AnnotatedGame, NotationError> {
    read(text, false)
}

/// As [`parse`]. `is_cut`: the text ends within the game, and nothing is made of a comment or a variation without an end, or of a last word that
/// cannot be read.
pub(super) fn read(text: &str, is_cut: bool) -> Result<AnnotatedGame, NotationError> {
    let mut cursor = Cursor::new(text);
    let mut game = AnnotatedGame::default();
    loop {
        skip_blanks_and_comments(&mut cursor);
        match cursor.peek() {
            Some('[') => keep_tag(&mut game, &mut cursor)?,
            Some(';') => keep_line(&mut game, &mut cursor),
            Some('{') if keep_braces(&mut game, &mut cursor) => {}
            _ => break,
        }
    }
    let (tags, moves) = text.split_at(cursor.offset());
    let text = tags.to_owned() + &plain_moves(moves);
    let mut cursor = Cursor::new(&text);
    cursor.go_to(tags.len());
    Moves { game, cursor, is_cut, result: None, is_last: false, number: 0, variations: 0 }.read()
}

/// Moves with the usual dashes, letters and digits outside of comments, as many characters as before.
fn plain_moves(text: &str) -> String {
    let (mut moves, mut rest) = (String::with_capacity(text.len()), text);
    while !rest.is_empty() {
        let (words, behind) = rest.split_at(rest.find(['{', ';']).unwrap_or(rest.len()));
        let end = behind.find(if behind.starts_with('{') { '}' } else { '\n' });
        let (comment, behind) = behind.split_at(end.unwrap_or(behind.len()));
        moves += &plain(words);
        moves += comment;
        rest = behind;
    }
    moves
}

/// Gives the tags their fields, and the game the result that stands behind the moves. `is_last`: the text ends with it.
fn keep_tags(game: &mut AnnotatedGame, mut result: Option<String>, is_last: bool) {
    let usual = |result: &str| plain(result).trim().replace(DRAWS[1], DRAWS[0]);
    let is_open = |result: &str| matches!(result, "*" | "?" | "");
    let mut time = None;
    let mut seen = HashSet::new();
    for (key, value) in std::mem::take(&mut game.other) {
        // The first of several counts.
        if ONCE.contains(&key.as_str()) && !seen.insert(key.clone()) {
            game.unread.push(format!("{key} {value}"));
            continue;
        }
        let rating = read_number(&value);
        match (key.as_str(), rating) {
            ("Black" | "White" | "Site" | "Date", _) if is_unknown(&value) => {}
            ("Black", _) => game.black.name = value,
            ("White", _) => game.white.name = value,
            ("BlackElo", Some(_)) => game.black.rating = rating,
            ("WhiteElo", Some(_)) => game.white.rating = rating,
            ("BlackElo" | "WhiteElo", None) if !is_rating_in_words(&value) => {}
            ("Site", _) => game.place = value,
            ("Date", _) => game.date = value,
            ("Time", _) if time.is_none() => time = Some(value),
            // What stands behind the moves is the same and says more often the truth, but the file may end within it.
            ("Result", _) => match result.as_deref().map(usual) {
                Some(word) if word == usual(&value) => {}
                Some(word) if !(is_open(&word) || is_last && usual(&value).starts_with(&word)) => {
                    game.unread.push(format!("Result {value}"));
                }
                _ => result = Some(value),
            },
            _ => game.other.push((key, value)),
        }
    }
    match time {
        // Before any other of its name, so that it is the first again when the game is written and read.
        Some(time) if game.date.is_empty() => game.other.insert(0, ("Time".to_owned(), time)),
        Some(time) => game.date = format!("{} {time}", game.date),
        None => {}
    }
    if let Some(said) = result.as_deref().map(usual).filter(|said| !is_open(said)) {
        let is_draw = said == DRAWS[0];
        game.result = if is_draw { Some(GgfResult::of_score(0)) } else { read_result(&said, &game.record) };
        if game.result.is_none() {
            game.unread.push(format!("Result {said}"));
        }
    }
    if let Some(result) = &mut game.result
        && game.other.iter().any(|(key, value)| says_time(key, value))
    {
        result.ending = Some(Ending::Timeout);
        game.other.retain(|(key, value)| key != TERMINATION.0 || !value.eq_ignore_ascii_case(TERMINATION.1));
    }
}

/// Whether the value of a tag says that it is not known.
fn is_unknown(value: &str) -> bool {
    matches!(value.trim(), "?" | "????.??.??")
}

/// Whether a tag says that a player ran out of time: `Time forfeit`, `ada won on time`, `out of time`, `timeout`.
fn says_time(key: &str, value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let words: Vec<&str> = value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_said = |two: &[&str]| matches!(two, ["time", "forfeit"] | ["on" | "of", "time"]);
    key == TERMINATION.0 && (words.contains(&"timeout") || words.windows(2).any(is_said))
}

/// The result of a game by the two numbers that a text ends with, such as `37-27`: discs of Black and White, or 1 and 0 for a game
/// won without a count.
pub(super) fn read_result(text: &str, record: &GameRecord) -> Option<GgfResult> {
    let (black, white) = text.split_whitespace().next_back()?.split_once('-')?;
    let number = |text: &str| text.parse().ok().filter(|&n: &u32| n <= 64 && !text.starts_with('+'));
    let (black, white) = (number(black)?, number(white)?);
    let end = record.position();
    let (said, on_board) = (black as i32 - white as i32, end.score_for_black());
    let is_without_count = black + white == 1;
    let is_on_board = [Color::Black, Color::White].map(|color| end.discs(color).count()) == [black, white]
        || is_without_count && on_board.signum() == said;
    let score = match black + white {
        // The empty squares are the winner's.
        _ if end.is_over() && is_on_board => on_board,
        1 => 64 * said,
        ..=64 => said,
        _ => return None,
    };
    let ending = (is_without_count && !end.is_over()).then_some(Ending::Resigned);
    Some(GgfResult { score: f64::from(score), ending })
}

/// The name of the tag that a line begins with, the end of another file of DOS before it or not. A hyphen is not of a good name, but of a tag.
pub(super) fn tag_name(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c| is_blank(c) || c == DOS_END).strip_prefix('[')?;
    let value = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let name = &rest[..rest.len() - value.len()];
    (!name.is_empty() && value.trim_start().starts_with('"')).then_some(name)
}

/// Whether a word is two numbers such as `37-27`.
pub(super) fn is_of_two_numbers(word: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once('-').is_some_and(|(black, white)| is_number(black) && is_number(white))
}

/// Takes a tag. One that cannot be read is left out, unless the text ends within it.
fn keep_tag(game: &mut AnnotatedGame, cursor: &mut Cursor<'_>) -> Result<(), NotationError> {
    let begin = cursor.clone();
    match tag(cursor) {
        Ok((key, value, at)) => match key.to_ascii_lowercase().as_str() {
            "fen" => game.record = start(cursor.text(), at, &value)?,
            "setup" => {}
            _ => game.other.push((key, value)),
        },
        Err(expected) => {
            let Some(length) = damaged_length(begin.rest()) else { return Err(cursor.expected(expected)) };
            game.unread.push(begin.rest()[..length].trim_end().to_owned());
            cursor.go_to(begin.offset() + length);
        }
    }
    Ok(())
}

/// The length of a tag that cannot be read: to the bracket behind which the line ends or another tag begins, else to the first one, else to the end
/// of the line. `None` if the text ends within it.
fn damaged_length(text: &str) -> Option<usize> {
    let mut first = None;
    for (at, found) in text.match_indices([']', '\n']) {
        if found == "\n" {
            return first.or(Some(at));
        }
        let behind = text[at + 1..].trim_start_matches(|c| c != '\n' && is_blank(c));
        if behind.is_empty() || behind.starts_with(['\n', '[']) {
            return Some(at + 1);
        }
        first = first.or(Some(at + 1));
    }
    first
}

/// Reads a tag, `[Name "value"]`, and finds where its value is. Else the cursor is where something else is expected.
fn tag(cursor: &mut Cursor<'_>) -> Result<(String, String, usize), &'static str> {
    cursor.bump();
    cursor.skip_blanks();
    let name = cursor.rest();
    cursor.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
    let name = &name[..name.len() - cursor.rest().len()];
    if name.is_empty() {
        return Err("the name of a tag such as [Black \"ada\"]");
    }
    cursor.skip_blanks();
    if !cursor.eat("\"") {
        return Err("'\"' before the value of a tag");
    }
    let at = cursor.offset();
    let mut value = String::new();
    loop {
        match cursor.peek() {
            None | Some('\n' | '\r') => return Err("'\"' behind the value of a tag"),
            Some('"') => break cursor.bump(),
            Some('\\') if matches!(cursor.byte(1), Some(b'"' | b'\\')) => cursor.bump(),
            Some(_) => {}
        }
        value.extend(cursor.peek());
        cursor.bump();
    }
    cursor.skip_blanks();
    if !cursor.eat("]") {
        return Err("']' at the end of the tag");
    }
    Ok((name.to_owned(), value, at))
}

/// Passes blanks, and lines that begin with `%`, which PGN sets aside for programs, or with `#`.
fn skip_blanks_and_comments(cursor: &mut Cursor<'_>) {
    loop {
        cursor.skip_blanks();
        let before = cursor.text()[..cursor.offset()].trim_end_matches(|c| c != '\n' && is_blank(c));
        let begins_a_line = before.is_empty() || before.ends_with('\n');
        if !matches!(cursor.peek(), Some('%' | '#')) || !begins_a_line {
            return;
        }
        cursor.skip_while(|c| c != '\n');
    }
}

/// Keeps a comment behind the turns so far.
fn keep_comment(game: &mut AnnotatedGame, text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.is_empty() {
        game.comment(text);
    }
}

/// Takes a comment in braces. Says whether it has an end.
fn keep_braces(game: &mut AnnotatedGame, cursor: &mut Cursor<'_>) -> bool {
    let text = cursor.rest();
    let Some(end) = text.find('}') else { return false };
    keep_comment(game, &text[1..end]);
    cursor.go_to(cursor.offset() + end + 1);
    true
}

/// Takes a comment that goes from `;` to the end of the line.
fn keep_line(game: &mut AnnotatedGame, cursor: &mut Cursor<'_>) {
    let text = cursor.rest_of_line();
    keep_comment(game, text.trim_start_matches(';'));
    cursor.go_to(cursor.offset() + text.len());
}

/// The position of the tag `FEN`.
fn start(text: &str, at: usize, fen: &str) -> Result<GameRecord, NotationError> {
    let read = board::read(&mut Cursor::new(fen));
    let game = read.map_err(|error| NotationError::at(text, at, error.problem))?;
    Ok(GameRecord::from_position(*game.start()))
}

/// The second half of a game.
struct Moves<'a> {
    game: AnnotatedGame,
    cursor: Cursor<'a>,
    is_cut: bool,
    result: Option<String>,
    /// Whether the text ends with the result.
    is_last: bool,
    number: usize,
    variations: usize,
}

impl Moves<'_> {
    fn read(mut self) -> Result<AnnotatedGame, NotationError> {
        loop {
            skip_blanks_and_comments(&mut self.cursor);
            let Some(c) = self.cursor.peek() else { break };
            let rest = self.cursor.rest().trim_end_matches(is_blank);
            let read = if self.result.is_none() { self.part(c) } else { self.part_behind_result(c) };
            let Err(error) = read else { continue };
            // What stands in brackets lacks only its end.
            let is_last = matches!(c, '{' | '(') || !rest.contains(is_blank);
            if self.is_cut && is_last && self.result.is_none() && !error.problem.is_of_rules() {
                break;
            }
            return Err(error);
        }
        self.game.unread.extend(variations_in_words(self.variations));
        self.game.timing.resize(self.game.record.turns().len(), Timing::default());
        keep_tags(&mut self.game, self.result, self.is_last);
        Ok(self.game)
    }

    /// Reads what begins with this character.
    fn part(&mut self, c: char) -> Result<(), NotationError> {
        match c {
            '{' if keep_braces(&mut self.game, &mut self.cursor) => {}
            '{' => return Err(self.cursor.expected("a comment with '}' at its end")),
            ';' => keep_line(&mut self.game, &mut self.cursor),
            '(' => self.variation()?,
            '$' => {
                self.cursor.bump();
                self.cursor.skip_while(|c| c.is_ascii_digit());
                self.game.unread.push("a glyph".to_owned());
            }
            '!' | '?' => {
                self.cursor.skip_while(|c| matches!(c, '!' | '?'));
                self.game.unread.push("a mark behind a move".to_owned());
            }
            '*' => self.end("*"),
            '0'..='9' | '\u{bd}' => self.number()?,
            _ => self.turn()?,
        }
        Ok(())
    }

    /// Reads comments behind the result and leaves other words out. Moves, a board or a game in parentheses are an error there: they belong to
    /// another game.
    fn part_behind_result(&mut self, c: char) -> Result<(), NotationError> {
        let is_move = c.is_ascii_digit() || self.cursor.square().is_some();
        let line = self.cursor.rest_of_line();
        let words = line.split('{').next().unwrap_or_default();
        let is_word = |word: &str| word.len() > 2 && !word.eq_ignore_ascii_case("pass");
        let has_words = words.split(|c: char| !c.is_alphabetic()).any(is_word);
        let are_moves = is_move && !has_words && transcript::begins(&self.cursor);
        let is_of_another = are_moves || begins_in_parentheses(line) || board::read(&mut Cursor::new(line)).is_ok();
        match c {
            ';' => keep_line(&mut self.game, &mut self.cursor),
            '{' if keep_braces(&mut self.game, &mut self.cursor) => {}
            _ if is_of_another => {
                return Err(self.cursor.expected("the end after the result"));
            }
            _ => {
                self.game.unread.push(line.trim_end_matches(is_blank).to_owned());
                // The rest may be in a comment without an end.
                let length = if c == '{' { self.cursor.rest().len() } else { line.len() };
                self.cursor.go_to(self.cursor.offset() + length);
            }
        }
        Ok(())
    }

    /// Passes `( ... )` with what is nested in it.
    fn variation(&mut self) -> Result<(), NotationError> {
        let opening = self.cursor.clone();
        let (mut depth, mut in_comment) = (0usize, false);
        while let Some(c) = self.cursor.peek() {
            self.cursor.bump();
            match c {
                '{' => in_comment = true,
                '}' => in_comment = false,
                '(' if !in_comment => depth += 1,
                ')' if !in_comment => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.variations += 1;
                return Ok(());
            }
        }
        Err(opening.expected("a variation with ')' at its end"))
    }

    /// A move number, or the result.
    fn number(&mut self) -> Result<(), NotationError> {
        let word = self.cursor.rest();
        let is_of_a_result = |c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '\u{bd}');
        let word = &word[..word.len() - word.trim_start_matches(is_of_a_result).len()];
        if is_of_two_numbers(word) || DRAWS.contains(&word) {
            self.end(word);
            return Ok(());
        }
        self.cursor.skip_while(|c| c.is_ascii_digit());
        match self.cursor.peek() {
            Some('.') => self.cursor.skip_while(|c| c == '.'),
            Some(c) if is_blank(c) => {}
            _ => return Err(self.cursor.expected("'.' after a move number")),
        }
        Ok(())
    }

    fn end(&mut self, result: &str) {
        self.cursor.go_to(self.cursor.offset() + result.len());
        self.result = Some(result.to_owned());
        self.is_last = self.cursor.peek().is_none();
    }

    fn turn(&mut self) -> Result<(), NotationError> {
        self.number += 1;
        let start = self.cursor.clone();
        let taken = match eat_turn(&mut self.cursor) {
            Some(turn) => self.game.record.take_with_implied_pass(turn).map_err(|error| start.error(error.into())),
            None => Err(start.expected(A_MOVE)),
        };
        taken.map_err(|error| error.in_turn(self.number))
    }
}

/// A position as xboard's "reversi" writes it: rows from the eighth to the first, `p` black, `P` white.
fn fen(position: &Position) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        board::write_rows(f, position, (0..8).rev(), |color| if color == Color::Black { 'p' } else { 'P' })?;
        f.write_str(if position.mover() == Color::Black { " b" } else { " w" })
    })
}

/// The longest line of moves, in bytes.
const LINE: usize = 79;

/// Writes a game: the tags, an empty line, and the moves in lines of at most 79 bytes where comments allow it; every pass is
/// written, as PlayOK does. `}` in a comment becomes `)`, and a line end a blank.
pub(super) fn write(game: &AnnotatedGame) -> Written {
    const LOST: [Datum; 5] = [Datum::Clocks, Datum::Times, Datum::Evaluations, Datum::Theory, Datum::MoveValues];
    let keeps_result = game.ending() == Some(Ending::Timeout) || game.has_result_without_ending();
    let mut written = Written::new(game, |datum| match datum {
        Datum::Result => keeps_result,
        _ => !LOST.contains(&datum),
    });
    let result = result_text(game, &mut written);
    let tags = tags(game, &result, &mut written);
    for (key, value) in &tags {
        let is_word = !matches!(key.as_str(), "Black" | "White" | "Site" | "Date") || !is_unknown(value);
        written.check(value, is_word && !value.contains(['\n', '\r']));
    }
    for text in game.comments.iter().chain(game.turn_comments.iter().map(|(_, text)| text)) {
        let is_plain = text.split_whitespace().collect::<Vec<_>>().join(" ") == *text;
        written.check(text, is_plain && !text.contains('}'));
    }
    let one_line = |text: &str| text.replace(['\n', '\r'], " ");
    let escape = |text: &str| one_line(text).replace('\\', "\\\\").replace('"', "\\\"");
    let mut text: String = tags.iter().map(|(key, value)| format!("[{key} \"{}\"]\n", escape(value))).collect();
    if *game.record.start() != Position::START {
        text += &format!("[SetUp \"1\"]\n[FEN \"{}\"]\n", fen(game.record.start()));
    }
    let comments = |turns| game.comments_behind(turns).map(|text| format!("{{{}}}", one_line(text).replace('}', ")")));
    let mut words: Vec<String> = comments(0).collect();
    for (i, turn) in game.record.turns().iter().enumerate() {
        if i % 2 == 0 {
            words.push(format!("{}.", i / 2 + 1));
        }
        words.push(if *turn == Move::Pass { "--".to_owned() } else { turn.to_string() });
        words.extend(comments(i + 1));
    }
    words.push(result);
    written.text = text + "\n" + &lines(&words) + "\n\n";
    written
}

/// The names and values of the tags but those of the start.
fn tags(game: &AnnotatedGame, result: &str, written: &mut Written) -> Vec<(String, String)> {
    let (date, time) = match game.date.split_once(' ') {
        Some((date, time)) if !date.is_empty() && !time.is_empty() => (date, time),
        _ => (game.date.as_str(), ""),
    };
    let [black, white] = [&game.black, &game.white].map(PlayerInfo::rating_text);
    let known = [
        ("Site", game.place.as_str()),
        ("Date", date),
        ("Time", time),
        ("Black", &game.black.name),
        ("BlackElo", &black),
        ("White", &game.white.name),
        ("WhiteElo", &white),
        ("Result", result),
    ];
    let is_timeout = result != "*" && game.ending() == Some(Ending::Timeout);
    let other = written.keep_other(game, |key, value| {
        // Without a date, the time is no part of it.
        let is_time = key == "Time" && game.date.is_empty();
        let is_rating = game.rates_in_words(["BlackElo", "WhiteElo"], key, value);
        let mut known = known.iter().map(|(known, _)| *known).chain(["FEN", "SetUp"]);
        !key.is_empty()
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && (is_time || is_rating || !known.any(|known| key.eq_ignore_ascii_case(known)))
            // A reader would take another ending from it.
            && (is_timeout || result == "*" || !says_time(key, value))
    });
    let ending = (is_timeout && !other.iter().any(|(key, value)| says_time(key, value))).then_some(TERMINATION);
    let known = known.into_iter().filter(|(_, value)| !value.is_empty()).chain(ending);
    known.map(|(key, value)| (key.to_owned(), value.to_owned())).chain(other).collect()
}

/// Words with line ends between them.
fn lines(words: &[String]) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words {
        if column > 0 && column + 1 + word.len() > LINE {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += word.len();
    }
    text
}

/// Disc counts such as `37-27`; `1-0` for a game that Black won without a count; `*` if it is not known.
fn result_text(game: &AnnotatedGame, written: &mut Written) -> String {
    let Some(score) = game.whole_score() else {
        if let Some(result) = game.result {
            written.lose(Datum::Result, format!("{:+}", result.score));
            written.losses.extend(result.ending.map(|how| Loss::new(Datum::Ending, how.to_string())));
        }
        return "*".to_owned();
    };
    let end = game.record.position();
    let ending = game.ending();
    let is_without_count = matches!(ending, Some(Ending::Resigned | Ending::Timeout)) && score.abs() == 64;
    if is_without_count && !end.is_over() {
        return if score > 0 { "1-0" } else { "0-1" }.to_owned();
    }
    // The end by time stands in a tag beside the result.
    if let Some(how) = ending.filter(|how| *how != Ending::Timeout || score % 2 != 0) {
        written.lose(Datum::Ending, how.to_string());
    }
    if end.is_over() && score == end.score_for_black() {
        // What lies on the board; the empty squares are the winner's all the same.
        return format!("{}-{}", end.discs(Color::Black).count(), end.discs(Color::White).count());
    }
    if score % 2 != 0 {
        written.lose(Datum::Result, format!("{score:+}"));
        return "*".to_owned();
    }
    format!("{}-{}", (64 + score) / 2, (64 - score) / 2)
}

#[cfg(test)]
mod tests;
