//! SGF records of Othello (`GM[2]`), as Quarry saves them.

use super::board::Board;
use super::grammar::{Parsed, failed, offset_of};
use super::transcript::{NO_FURTHER_MOVE, parse_turn, uninferable};
use super::{NotationError, Problem};
use crate::othello::{Color, GameRecord, Move, Position, Square};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{take_till1, take_while1};
use nom::character::complete::{anychar, char, multispace0};
use nom::combinator::{cut, recognize};
use nom::error::context;
use nom::multi::{many0_count, many1};
use nom::sequence::{delimited, preceded, terminated};
use std::fmt;

/// The main line of an SGF game tree.
///
/// Squares are two letters, the column and the row from the top (`dc` is d3); a letter and a digit are read too.
/// Forced passes are left out, as Quarry does. A set-up (AB, AW, AE, PL) begins from the standard start; one behind
/// moves begins the game anew from the board that it leaves.
///
/// ```
/// use emilia::notation::sgf::SgfGame;
/// let sgf = SgfGame::parse("(;GM[2]FF[4]SZ[8]PB[ada];B[dc];W[cc](;B[cd])(;B[ce]))").unwrap();
/// let turns: Vec<String> = sgf.game.turns().iter().map(|turn| turn.to_string()).collect();
/// assert_eq!((sgf.black.as_str(), turns.join(" ").as_str()), ("ada", "d3 c3 c4"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SgfGame {
    /// The name of Black (PB); may be empty.
    pub black: String,
    /// The name of White (PW); may be empty.
    pub white: String,
    /// When it was played (DT), usually as year, month and day.
    pub date: String,
    /// The result (RE), such as `B+12`; empty if it is not known.
    pub result: String,
    /// The start and the turns of the main line.
    pub game: GameRecord,
    /// The comments (C): how many turns were taken, and the text.
    pub comments: Vec<(usize, String)>,
    /// The values that nodes were given (V): how many turns were taken, and discs for Black.
    pub values: Vec<(usize, f64)>,
    /// The properties of the root that this type has no place for, keys and values in their order; not those that only
    /// tell of the format and of the program that wrote it.
    pub other: Vec<(String, String)>,
    /// What was passed over: variations, and properties of nodes behind the root. They are not written.
    pub unread: Vec<String>,
}

/// Whether a text that begins with `(` is SGF and not GGF, which looks alike and numbers no game `GM[2]`.
pub(crate) fn is_sgf(text: &str) -> bool {
    let is_number = |game: &str| game.trim_start().starts_with(|c: char| c.is_ascii_digit());
    match text.find("GM[") {
        Some(at) => is_number(&text[at + 3..]),
        None => !text.contains("BO["),
    }
}

impl SgfGame {
    /// A record of this game with nothing else known.
    pub fn new(game: GameRecord) -> SgfGame {
        SgfGame { game, ..SgfGame::default() }
    }

    /// Reads the main line of the first game of a text.
    ///
    /// # Errors
    /// If the text is no game tree, is of another game, or has a move that is not legal; with the place in the text.
    pub fn parse(text: &str) -> Result<SgfGame, NotationError> {
        let mut reader = Reader::new(text);
        let mut rest = text.trim_start_matches(super::cursor::is_blank);
        rest = opening(rest).map_err(|error| failed(text, error))?.0;
        loop {
            let (behind, step) = step(rest).map_err(|error| failed(text, error))?;
            rest = behind;
            match step {
                Step::Node => reader.nodes += 1,
                Step::Branch => reader.branches += 1,
                Step::Property(key, values) => reader.property(key, &values)?,
                Step::End => return reader.finish(rest),
            }
        }
    }
}

/// What the main line is made of. It goes into the first branch wherever there are several, so it ends at the
/// first `)`: reading it needs no tree.
enum Step<'a> {
    Branch,
    Node,
    Property(&'a str, Vec<&'a str>),
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

/// A property's name; the small letters of old files are part of it and count for nothing.
fn key(input: &str) -> Parsed<'_, &str> {
    terminated(take_while1(|c: char| c.is_ascii_alphabetic()), multispace0).parse(input)
}

/// `[` text `]`, with `\` before a character that stands for itself.
fn value(input: &str) -> Parsed<'_, &str> {
    let escaped = preceded(char('\\'), anychar).map(|_| ());
    let plain = take_till1(|c| c == ']' || c == '\\').map(|_: &str| ());
    let text = recognize(many0_count(alt((escaped, plain))));
    let close = cut(context("']' at the end of the property", char(']')));
    terminated(delimited(char('['), text, close), multispace0).parse(input)
}

/// The text of a value without its escapes.
fn unescape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => text.extend(characters.next()),
            _ => text.push(c),
        }
    }
    text
}

/// Builds the game while its properties come in.
struct Reader<'a> {
    text: &'a str,
    sgf: SgfGame,
    /// A set-up that no move has followed yet.
    setup: Option<(Board, &'a str)>,
    /// Nodes behind the root.
    nodes: usize,
    /// Branches that were gone into, and that are still to be closed.
    branches: usize,
    /// Moves of the record so far.
    moves: usize,
}

/// Properties that tell of the format and of the program that wrote the file, not of the game.
const OF_THE_FILE: [&str; 6] = ["GM", "SZ", "FF", "CA", "AP", "ST"];

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        let sgf = SgfGame::new(GameRecord::default());
        Reader { text, sgf, setup: None, nodes: 0, branches: 0, moves: 0 }
    }

    fn property(&mut self, key: &str, values: &[&'a str]) -> Result<(), NotationError> {
        let key: String = key.chars().filter(char::is_ascii_uppercase).collect();
        let Some(&first) = values.first() else {
            return Ok(());
        };
        match key.as_str() {
            "GM" if first.trim() != "2" => return self.fail(first, Problem::OtherGame("another game")),
            "SZ" if !matches!(first.trim(), "8" | "8:8") => {
                return self.fail(first, Problem::OtherGame("another size of board"));
            }
            "PB" => self.sgf.black = unescape(first),
            "PW" => self.sgf.white = unescape(first),
            "DT" => self.sgf.date = unescape(first),
            "RE" => self.sgf.result = unescape(first),
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
            "C" => {
                let turns = self.sgf.game.turns().len();
                self.sgf.comments.extend(values.iter().map(|text| (turns, unescape(text))));
            }
            "V" if first.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
                let value = first.trim().parse().expect("it was just read");
                self.sgf.values.push((self.sgf.game.turns().len(), value));
            }
            key if OF_THE_FILE.contains(&key) => {}
            key if self.nodes == 0 => {
                self.sgf.other.extend(values.iter().map(|text| (key.to_owned(), unescape(text))));
            }
            key => self.sgf.unread.push(format!("{key}[{}]", values.join("]["))),
        }
        Ok(())
    }

    /// The set-up under way, begun from the present board if there is none.
    fn board(&mut self, at: &'a str) -> &mut Board {
        let position = self.sgf.game.position();
        &mut self.setup.get_or_insert_with(|| (Board::of(position), at)).0
    }

    /// Sets up discs on single squares and on rectangles such as `ab:cd`.
    fn set(&mut self, disc: Option<Color>, values: &[&'a str]) -> Result<(), NotationError> {
        for &value in values {
            let (from, to) = value.split_once(':').unwrap_or((value, value));
            let (Some(from), Some(to)) = (square(from), square(to)) else {
                return self.expected(value, "a square such as dc, or a rectangle of them such as dd:ee");
            };
            let board = self.board(value);
            for row in from.row()..=to.row() {
                for column in from.column()..=to.column() {
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
            if self.sgf.game.turns().len() >= GameRecord::LONGEST {
                return self.expected(value, NO_FURTHER_MOVE);
            }
            let position = self.sgf.game.position();
            if color != position.mover() {
                if !position.moves().is_empty() {
                    let problem = Problem::WrongSide(color, position.mover());
                    return self.fail(value, problem);
                }
                // The forced pass that was left out.
                self.take(Move::Pass, value)?;
            }
            self.take(turn, value)?;
        }
        Ok(())
    }

    fn take(&mut self, turn: Move, value: &str) -> Result<(), NotationError> {
        self.sgf.game.take(turn).or_else(|illegal| self.fail(value, Problem::Illegal(illegal)))
    }

    fn begin_from_setup(&mut self) -> Result<(), NotationError> {
        if let Some((board, at)) = self.setup.take() {
            let gone = self.sgf.game.turns().len();
            if gone > 0 {
                self.sgf.unread.push(format!("{gone} moves before a set-up"));
                let place = |turns: &mut usize| *turns = turns.saturating_sub(gone);
                self.sgf.comments.iter_mut().for_each(|(turns, _)| place(turns));
                self.sgf.values.retain(|&(turns, _)| turns > gone);
                self.sgf.values.iter_mut().for_each(|(turns, _)| place(turns));
            }
            self.sgf.game = GameRecord::from_position(board.position(self.text, offset_of(self.text, at))?);
        }
        Ok(())
    }

    /// The game, with what stands behind the end of its main line.
    fn finish(mut self, behind: &str) -> Result<SgfGame, NotationError> {
        self.begin_from_setup()?;
        self.sgf.unread.extend(variations_in_words(variations(behind, self.branches)));
        Ok(self.sgf)
    }

    fn fail<T>(&self, value: &str, problem: Problem) -> Result<T, NotationError> {
        let error = NotationError::at(self.text, offset_of(self.text, value), problem);
        Err(if self.moves > 0 { error.in_turn(self.moves) } else { error })
    }

    fn expected<T>(&self, value: &str, expected: &'static str) -> Result<T, NotationError> {
        Err(NotationError::expected(self.text, offset_of(self.text, value), expected))
    }
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
struct Point(Square);

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |n: u8| char::from(b'a' + n);
        write!(f, "{}{}", letter(self.0.column()), letter(self.0.row()))
    }
}

impl fmt::Display for SgfGame {
    /// Names and result where they are known, a set-up where the start is not the standard one, and the moves without
    /// forced passes, except those after the last disc.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escape = |text: &str| text.replace('\\', "\\\\").replace(']', "\\]");
        write!(f, "(;GM[2]FF[4]CA[UTF-8]AP[Emilia:{}]SZ[8]", env!("CARGO_PKG_VERSION"))?;
        for (key, text) in [("PB", &self.black), ("PW", &self.white), ("DT", &self.date), ("RE", &self.result)] {
            if !text.is_empty() {
                write!(f, "{key}[{}]", escape(text))?;
            }
        }
        let start = self.game.start();
        if *start != Position::START {
            for (key, discs) in [("AB", start.discs(Color::Black)), ("AW", start.discs(Color::White))] {
                if !discs.is_empty() {
                    f.write_str(key)?;
                    discs.into_iter().try_for_each(|square| write!(f, "[{}]", Point(square)))?;
                }
            }
            write!(f, "PL[{}]", start.mover().letter())?;
        }
        for (key, text) in &self.other {
            write!(f, "{key}[{}]", escape(text))?;
        }
        let comments = |f: &mut fmt::Formatter<'_>, after: usize| {
            let here = |turns: &usize| *turns == after;
            let texts: Vec<String> =
                self.comments.iter().filter(|(turns, _)| here(turns)).map(|(_, text)| escape(text)).collect();
            // One property a node: several comments become paragraphs of one.
            if !texts.is_empty() {
                write!(f, "C[{}]", texts.join("\n\n"))?;
            }
            self.values.iter().filter(|(turns, _)| here(turns)).try_for_each(|(_, value)| write!(f, "V[{value}]"))
        };
        comments(f, 0)?;
        let mut written = uninferable(&self.game).peekable();
        for (i, (position, &turn)) in self.game.positions().iter().zip(self.game.turns()).enumerate() {
            let annotated = self.comments.iter().any(|(turns, _)| *turns == i + 1)
                || self.values.iter().any(|(turns, _)| *turns == i + 1);
            if written.next_if_eq(&(position.mover(), turn)).is_none() && !annotated {
                continue;
            }
            match turn {
                Move::Place(square) => write!(f, "\n;{}[{}]", position.mover().letter(), Point(square))?,
                Move::Pass => write!(f, "\n;{}[]", position.mover().letter())?,
            }
            comments(f, i + 1)?;
        }
        f.write_str(")\n")
    }
}
