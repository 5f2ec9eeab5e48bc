//! SGF records of Othello (`GM[2]`), as Quarry saves them.

use super::annotated_game::{PlayerInfo, is_rating_in_words, read_number};
use super::board::Board;
use super::ggf::{Ending, GgfResult};
use super::grammar::{Parsed, failed, offset_of};
use super::loss::Datum;
use super::transcript::{parse_turn, uninferable};
use super::written::Written;
use super::{AnnotatedGame, NotationError, Problem};
use crate::othello::{Color, GameRecord, Move, Position, Square};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{take_till1, take_while1};
use nom::character::complete::{anychar, char, multispace0};
use nom::combinator::{cut, recognize};
use nom::error::context;
use nom::multi::{many0_count, many1};
use nom::sequence::{delimited, preceded, terminated};
use std::collections::HashSet;

/// Whether a text that begins with `(` is SGF and not GGF, which looks alike and numbers no game `GM[2]`.
pub(crate) fn is_sgf(text: &str) -> bool {
    match behind_key(text, "GM[") {
        Some(kind) => kind.trim_start().starts_with(|c: char| c.is_ascii_digit()),
        None => behind_key(text, "BO[").is_none(),
    }
}

/// What stands behind the first such key of a text, in any case.
pub(super) fn behind_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let at = text.as_bytes().windows(key.len()).position(|found| found.eq_ignore_ascii_case(key.as_bytes()))?;
    text.get(at + key.len()..)
}

/// Reads the main line of the first game of a text.
///
/// Squares are two letters, the column and the row from the top (`dc` is d3); a letter and a digit are read too.
/// A forced pass may be left out, as Quarry does. A set-up (AB, AW, AE, PL) begins from the standard start; one behind
/// moves begins the game anew from the board that it leaves. The values of nodes (V) are for Black. The game's other properties are
/// those of the root, but not those that only describe the format and the program that wrote it; a result (RE) that makes no sense
/// is one of them.
///
/// ```
/// use emilia::notation::sgf;
/// let game = sgf::parse("(;GM[2]FF[4]SZ[8]PB[ada];B[dc];W[cc](;B[cd])(;B[ce]))").unwrap();
/// let turns: Vec<String> = game.record.turns().iter().map(|turn| turn.to_string()).collect();
/// assert_eq!((game.black.name.as_str(), turns.join(" ").as_str()), ("ada", "d3 c3 c4"));
/// assert_eq!(game.unread, ["1 variation"]);
/// ```
///
/// # Errors
/// If the text is no game tree, is of another game, or has a move that is not legal; with the place in the text.
pub fn parse(text: &str) -> Result<AnnotatedGame, NotationError> {
    let mut reader = Reader { text, ..Reader::default() };
    let mut rest = text.trim_start_matches(super::cursor::is_blank);
    rest = opening(rest).map_err(|error| failed(text, error))?.0;
    // Comments and values of a node, which may stand before its move.
    let mut said = Vec::new();
    loop {
        let (behind, step) = step(rest).map_err(|error| failed(text, error))?;
        rest = behind;
        if !matches!(step, Step::Property(..)) {
            said.drain(..).try_for_each(|(key, values): (String, Vec<_>)| reader.property(&key, &values))?;
        }
        match step {
            Step::Node => reader.nodes += 1,
            Step::Branch => reader.branches += 1,
            Step::Property(key, values) if matches!(key.as_str(), "C" | "V") => said.push((key, values)),
            Step::Property(key, values) => reader.property(&key, &values)?,
            Step::End => return reader.finish(rest),
        }
    }
}

/// What the main line is made of. It goes into the first branch wherever there are several, so it ends at the
/// first `)`: reading it needs no tree.
enum Step<'a> {
    Branch,
    Node,
    Property(String, Vec<&'a str>),
    End,
}

fn opening(input: &str) -> Parsed<'_, ()> {
    let open = context("'(;' at the beginning of a game", (char('('), multispace0, char(';'), multispace0));
    open.map(|_| ()).parse(input)
}

fn step(input: &str) -> Parsed<'_, Step<'_>> {
    let branch = char('(').map(|_| Step::Branch);
    let node = char(';').map(|_| Step::Node);
    let end = char(')').map(|_| Step::End);
    let property = (key, many1(value)).map(|(key, values)| Step::Property(key, values));
    terminated(context("a property such as B[dc], ';' or ')'", alt((branch, node, end, property))), multispace0)
        .parse(input)
}

/// A property's name. The small letters of old files count for nothing, unless there are no others.
fn key(input: &str) -> Parsed<'_, String> {
    let letters = take_while1(|c: char| c.is_ascii_alphabetic());
    let name = letters.map(|key: &str| match key.chars().filter(char::is_ascii_uppercase).collect::<String>() {
        capitals if capitals.is_empty() => key.to_ascii_uppercase(),
        capitals => capitals,
    });
    terminated(name, multispace0).parse(input)
}

/// `[` text `]`, with `\` before a character that stands for itself.
fn value(input: &str) -> Parsed<'_, &str> {
    let escaped = preceded(char('\\'), anychar).map(|_| ());
    let plain = take_till1(|c| c == ']' || c == '\\').map(|_: &str| ());
    let text = recognize(many0_count(alt((escaped, plain))));
    let close = cut(context("']' at the end of the property", char(']')));
    terminated(delimited(char('['), text, close), multispace0).parse(input)
}

/// The text of a value without its escapes: behind `\` a character stands for itself, and a line does not end.
fn unescape(value: &str) -> String {
    let value = value.replace("\r\n", "\n");
    let mut characters = value.chars();
    let mut text = String::new();
    while let Some(c) = characters.next() {
        let c = if c == '\\' { characters.next().filter(|&c| c != '\n') } else { Some(c) };
        text.extend(c);
    }
    text
}

/// Builds the game while its properties come in.
#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    game: AnnotatedGame,
    /// The result as it stands.
    result: &'a str,
    /// What the text is said to be encoded in.
    encoding: &'a str,
    /// Values before the first move.
    root_values: Vec<f64>,
    /// A set-up that no move has followed yet.
    setup: Option<(Board, &'a str)>,
    /// Nodes behind the root.
    nodes: usize,
    /// Branches that were gone into, and that are still to be closed.
    branches: usize,
    /// Moves of the record so far.
    moves: usize,
}

/// The properties that are not among a game's other ones.
const KNOWN: [&str; 21] = [
    "GM", "SZ", "FF", "CA", "AP", "ST", "PB", "PW", "DT", "RE", "BR", "WR", "PC", "AB", "AW", "AE", "PL", "B", "W",
    "C", "V",
];

/// Properties of the root of which there is one.
const ONCE: [&str; 3] = ["BR", "WR", "PC"];

impl<'a> Reader<'a> {
    fn property(&mut self, key: &str, values: &[&'a str]) -> Result<(), NotationError> {
        let Some(&first) = values.first() else {
            return Ok(());
        };
        match key {
            "GM" if first.trim() != "2" => return self.fail(first, Problem::OtherGame("another game")),
            "SZ" if !matches!(first.trim(), "8" | "8:8") => {
                return self.fail(first, Problem::OtherGame("another size of board"));
            }
            "PB" => self.game.black.name = unescape(first),
            "PW" => self.game.white.name = unescape(first),
            "DT" => self.game.date = unescape(first),
            "RE" => self.result = first,
            "CA" => self.encoding = first,
            "AB" => self.set(Some(Color::Black), values)?,
            "AW" => self.set(Some(Color::White), values)?,
            "AE" => self.set(None, values)?,
            "PL" => {
                let mover = match first.trim().as_bytes().first().map(u8::to_ascii_uppercase) {
                    Some(b'B' | b'1') => Color::Black,
                    Some(b'W' | b'2') => Color::White,
                    _ => return self.expected(first, "B or W"),
                };
                self.board(first).mover = Some(mover);
            }
            "B" => self.moves(Color::Black, values)?,
            "W" => self.moves(Color::White, values)?,
            "C" => values.iter().for_each(|text| self.game.comment(unescape(text))),
            "V" if let Some(value) = read_number(first) => self.value(value),
            // What describes the file and the program that wrote it.
            "GM" | "SZ" | "FF" | "AP" | "ST" => {}
            key if self.nodes == 0 => {
                self.game.other.extend(values.iter().map(|text| (key.to_owned(), unescape(text))));
            }
            key => self.game.unread.push(format!("{key}[{}]", values.join("]["))),
        }
        Ok(())
    }

    /// Keeps the value of a node for Black.
    fn value(&mut self, value: f64) {
        match (self.game.timing.last_mut(), self.game.record.positions()) {
            (Some(timing), [.., position, _]) => timing.eval = Some(position.mover().signed(value)),
            _ => self.root_values.push(value),
        }
    }

    /// The set-up under way, begun from the present board if there is none.
    fn board(&mut self, at: &'a str) -> &mut Board {
        let position = self.game.record.position();
        &mut self.setup.get_or_insert_with(|| (Board::of(position), at)).0
    }

    /// Sets up discs on single squares and on rectangles such as `ab:cd`.
    fn set(&mut self, disc: Option<Color>, values: &[&'a str]) -> Result<(), NotationError> {
        for &value in values {
            let (from, to) = value.split_once(':').unwrap_or((value, value));
            let (Some(from), Some(to)) = (square(from), square(to)) else {
                return self.expected(value, "a square such as dc, or a rectangle of them such as dd:ee");
            };
            let range = |a: u8, b: u8| a.min(b)..=a.max(b);
            let board = self.board(value);
            for row in range(from.row(), to.row()) {
                for column in range(from.column(), to.column()) {
                    board.set(Square::at(column, row).expect("between two squares"), disc);
                }
            }
        }
        Ok(())
    }

    fn moves(&mut self, color: Color, values: &[&'a str]) -> Result<(), NotationError> {
        for &value in values {
            self.moves += 1;
            let name = value.trim();
            let turn = match square(name) {
                Some(square) => Move::Place(square),
                None if matches!(name, "" | "tt") || parse_turn(name) == Some(Move::Pass) => Move::Pass,
                None => return self.expected(value, "a square such as dc, or nothing for a pass"),
            };
            if let Some((board, _)) = &mut self.setup {
                board.mover = board.mover.or(Some(color));
            }
            self.begin_from_setup()?;
            self.game.take(color, turn).or_else(|problem| self.fail(value, problem))?;
        }
        Ok(())
    }

    fn begin_from_setup(&mut self) -> Result<(), NotationError> {
        if let Some((board, at)) = self.setup.take() {
            let game = &mut self.game;
            let gone = game.timing.len();
            if gone > 0 {
                let moves = if gone == 1 { "1 move".to_owned() } else { format!("{gone} moves") };
                game.unread.push(format!("{moves} before a set-up"));
                game.comments.extend(game.turn_comments.drain(..).map(|(_, text)| text));
                game.timing.clear();
                self.root_values.clear();
            }
            game.record = GameRecord::from_position(board.position(self.text, offset_of(self.text, at))?);
        }
        Ok(())
    }

    /// The game, with what stands behind the end of its main line.
    fn finish(mut self, behind: &str) -> Result<AnnotatedGame, NotationError> {
        self.begin_from_setup()?;
        let mut game = self.game;
        let is_latin_1 = !self.text.is_ascii() && self.text.chars().all(|c| u8::try_from(c).is_ok());
        if is_latin_1 && !is_read(self.encoding) {
            game.unread.push(format!("characters in {}, read as Latin-1", self.encoding.trim()));
        }
        game.unread.extend(variations_in_words(variations(behind, self.branches)));
        let properties = std::mem::take(&mut game.other);
        let words = unescape(self.result);
        game.result = read_result(&words);
        if is_words(&words) {
            game.other.push(("RE".to_owned(), words));
        }
        let mut seen = HashSet::new();
        for (key, value) in properties {
            // The first of several counts.
            if ONCE.contains(&key.as_str()) && !seen.insert(key.clone()) {
                game.unread.push(format!("{key}[{value}]"));
                continue;
            }
            let rating = read_number(&value);
            match (key.as_str(), rating) {
                ("BR", Some(_)) => game.black.rating = rating,
                ("WR", Some(_)) => game.white.rating = rating,
                ("BR" | "WR", None) if !is_rating_in_words(&value) => {}
                ("PC", _) => game.place = value,
                _ => game.other.push((key, value)),
            }
        }
        game.unread.extend(self.root_values.iter().map(|value| format!("V[{value}]")));
        Ok(game)
    }

    fn fail<T>(&self, value: &str, problem: Problem) -> Result<T, NotationError> {
        let error = NotationError::at(self.text, offset_of(self.text, value), problem);
        Err(if self.moves > 0 { error.in_turn(self.moves) } else { error })
    }

    fn expected<T>(&self, value: &str, expected: &'static str) -> Result<T, NotationError> {
        Err(NotationError::expected(self.text, offset_of(self.text, value), expected))
    }
}

/// Whether texts in an encoding of this name are read: UTF-8, ASCII and Latin-1.
fn is_read(encoding: &str) -> bool {
    let name: String = encoding.chars().filter(char::is_ascii_alphanumeric).collect();
    ["", "utf8", "ascii", "usascii", "latin1", "iso88591"].contains(&name.to_ascii_lowercase().as_str())
}

/// A number of variations that are passed over, unless it is 0.
pub(super) fn variations_in_words(count: usize) -> Option<String> {
    (count > 0).then(|| format!("{count} variation{}", if count == 1 { "" } else { "s" }))
}

/// How many lines besides the main one a game tree has; `open` of its branches are still to be closed.
fn variations(behind: &str, mut open: usize) -> usize {
    let (mut lines, mut in_value, mut escaped, mut at_leaf) = (0, false, false, false);
    for byte in behind.bytes() {
        match (byte, in_value) {
            _ if escaped => escaped = false,
            (b'\\', true) => escaped = true,
            (b']', true) => in_value = false,
            (_, true) => {}
            (b'[', false) => in_value = true,
            (b'(', false) if open > 0 => {
                open += 1;
                at_leaf = true;
            }
            (b')', false) if open > 0 => {
                open -= 1;
                lines += usize::from(at_leaf);
                at_leaf = false;
            }
            // The game ends; another may follow.
            (b'(' | b')', false) => break,
            _ => {}
        }
    }
    lines
}

/// A square by two letters, or by a letter and a digit.
fn square(name: &str) -> Option<Square> {
    let name = name.trim();
    if let &[column, row] = name.as_bytes() {
        let [column, row] = [column, row].map(|letter| letter.to_ascii_lowercase().wrapping_sub(b'a'));
        if let Some(square) = Square::at(column, row) {
            return Some(square);
        }
    }
    name.parse().ok()
}

/// A square as SGF names it.
fn point(square: Square) -> String {
    [square.column(), square.row()].map(|n| char::from(b'a' + n)).iter().collect()
}

/// Writes a game: names and result where they are known, a set-up where the start is not the standard one, and the moves without
/// forced passes, except those after the last disc.
pub(super) fn write(game: &AnnotatedGame) -> Written {
    let mut written =
        Written::new(game, |datum| !matches!(datum, Datum::Clocks | Datum::Times | Datum::Theory | Datum::MoveValues));
    let mut has_words = game.result.is_some();
    let other = written.keep_other(game, |key, value| match key {
        // There is room for one.
        "RE" => !has_words && is_words(value) && !std::mem::replace(&mut has_words, true),
        key if game.rates_in_words(["BR", "WR"], key, value) => true,
        _ => !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_uppercase()) && !KNOWN.contains(&key),
    });
    let (words, other): (Vec<_>, Vec<_>) = other.into_iter().partition(|(key, _)| key == "RE");
    let result = match game.known_result() {
        Some(result) if words.is_empty() => result_text(game, result, &mut written),
        _ => words.into_iter().map(|(_, text)| text).collect(),
    };
    let known = |properties: &[(&str, &str)]| -> String {
        properties.iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| property(key, text)).collect()
    };
    let mut text = format!("(;GM[2]FF[4]CA[UTF-8]AP[Emilia:{}]SZ[8]", env!("CARGO_PKG_VERSION"));
    text += &known(&[("PB", &game.black.name), ("PW", &game.white.name), ("DT", &game.date), ("RE", &result)]);
    text += &set_up(game.record.start());
    let [black, white] = [&game.black, &game.white].map(PlayerInfo::rating_text);
    text += &known(&[("PC", &game.place), ("BR", &black), ("WR", &white)]);
    text.extend(other.iter().map(|(key, text)| property(key, text)));
    text += &annotations(game, 0);
    let mut needed = uninferable(&game.record).peekable();
    for (i, (position, &turn)) in game.record.positions().iter().zip(game.record.turns()).enumerate() {
        let annotations = annotations(game, i + 1);
        if needed.next_if_eq(&(position.mover(), turn)).is_none() && annotations.is_empty() {
            continue;
        }
        let point = turn.square().map(point).unwrap_or_default();
        text += &format!("\n;{}[{point}]{annotations}", position.mover().letter());
    }
    written.text = text + ")\n";
    written
}

/// A property. `GM[` in its text is escaped, because readers take another game to begin there.
fn property(key: &str, text: &str) -> String {
    format!("{key}[{}]", text.replace('\\', "\\\\").replace(']', "\\]").replace("GM[", "GM\\["))
}

/// The set-up of a start that is not the standard one.
fn set_up(start: &Position) -> String {
    if *start == Position::START {
        return String::new();
    }
    let mut text = String::new();
    // A reader begins with the discs of the standard start.
    let cleared = start.empties() & !Position::START.empties();
    for (key, squares) in [("AB", start.discs(Color::Black)), ("AW", start.discs(Color::White)), ("AE", cleared)] {
        if !squares.is_empty() {
            text += key;
            text.extend(squares.into_iter().map(|square| format!("[{}]", point(square))));
        }
    }
    text + &format!("PL[{}]", start.mover().letter())
}

/// The comments and the value of the node behind this number of turns.
fn annotations(game: &AnnotatedGame, turns: usize) -> String {
    // One property a node: several comments become paragraphs of one.
    let comments: Vec<&str> = game.comments_behind(turns).collect();
    let mut text = if comments.is_empty() { String::new() } else { property("C", &comments.join("\n\n")) };
    if let Some((turn, value)) = turns.checked_sub(1).and_then(|turn| Some((turn, game.eval(turn)?))) {
        text += &format!("V[{}]", game.record.positions()[turn].mover().signed(value));
    }
    text
}

/// `B+12`, `W+R`, `0`, `Draw`, ...
fn read_result(text: &str) -> Option<GgfResult> {
    let text = text.trim();
    if text == "0" || text.eq_ignore_ascii_case("draw") || text.eq_ignore_ascii_case("jigo") {
        return Some(GgfResult::of_score(0));
    }
    let (winner, how) = text.split_once('+')?;
    let sign = match winner.trim() {
        "B" | "b" | "Black" => 1.0,
        "W" | "w" | "White" => -1.0,
        _ => return None,
    };
    let (size, ending) = match how.trim() {
        "R" | "Resign" => (64.0, Some(Ending::Resigned)),
        "T" | "Time" => (64.0, Some(Ending::Timeout)),
        "F" | "Forfeit" => (64.0, Some(Ending::Left)),
        number => (number.parse::<f64>().ok().filter(|size| (0.0..=64.0).contains(size))?, None),
    };
    // A score of zero has no sign, whoever is said to have won by it.
    Some(GgfResult { score: sign * size + 0.0, ending })
}

/// Whether a text is neither a result nor says that it is not known.
fn is_words(text: &str) -> bool {
    !matches!(text.trim(), "" | "?") && read_result(text).is_none()
}

/// `B+12`, or `B+R` where nothing but the winner counts.
fn result_text(game: &AnnotatedGame, result: GgfResult, written: &mut Written) -> String {
    let winner = if result.score < 0.0 { Color::White } else { Color::Black }.letter();
    let is_whole = result.score.abs() == 64.0;
    match result.ending {
        Some(Ending::Resigned) if is_whole => return format!("{winner}+R"),
        Some(Ending::Timeout) if is_whole => return format!("{winner}+T"),
        Some(Ending::Left) if is_whole => return format!("{winner}+F"),
        Some(how) => {
            written.lose(Datum::Ending, how.to_string());
            if game.is_lost_otherwise() && !game.has_result_without_ending() {
                written.lose(Datum::Result, format!("{:+}", result.score));
            }
        }
        None => {}
    }
    if result.score == 0.0 { "0".to_owned() } else { format!("{winner}+{}", result.score.abs()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_with_empty_squares_in_the_centre_come_back() {
        for seed in 0..30 {
            let start = crate::testing::random_position_with_holes(seed, 40);
            let game = AnnotatedGame::new(GameRecord::from_position(start));
            let text = write(&game).text;
            assert_eq!(parse(&text).as_ref(), Ok(&game), "{text}");
        }
    }

    #[test]
    fn ratings_in_words_come_back() {
        let game = parse("(;GM[2]BR[3 dan]WR[?];B[fe])").unwrap();
        assert_eq!(game.other, [("BR".to_owned(), "3 dan".to_owned())]);
        let written = write(&game);
        assert_eq!((parse(&written.text).as_ref(), written.losses), (Ok(&game), Vec::new()), "{}", written.text);
        // A reader would take the number for the rating.
        let game = AnnotatedGame { other: vec![("BR".to_owned(), "1200".to_owned())], ..game };
        assert_eq!(write(&game).losses.len(), 1);
    }

    #[test]
    fn characters_of_other_encodings_are_told() {
        for (encoding, name, is_told) in [
            ("Shift_JIS", "\u{83}\u{42}", true),
            ("Shift_JIS", "\u{ff21}", false),
            ("Shift_JIS", "ada", false),
            ("ISO-8859-1", "Andr\u{e9}", false),
            ("UTF-8", "Andr\u{e9}", false),
        ] {
            let game = parse(&format!("(;GM[2]CA[{encoding}]PB[{name}];B[fe])")).unwrap();
            let told = "characters in Shift_JIS, read as Latin-1".to_owned();
            assert_eq!(game.unread, Vec::from_iter(is_told.then_some(told)), "{encoding} {name}");
        }
    }

    #[test]
    fn moves_before_a_set_up_are_counted() {
        for (moves, told) in [(";B[fe]", "1 move before a set-up"), (";B[fe];W[df]", "2 moves before a set-up")] {
            assert_eq!(parse(&format!("(;GM[2]{moves};AE[aa]PL[B])")).unwrap().unread, [told]);
        }
    }
}
