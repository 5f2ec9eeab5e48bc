//! The generic game format (GGF) of GGS and NBoard.

mod clock;
mod number;
mod timed_move;

pub use super::annotated_game::{Ending, GgfResult, Timing};
pub use clock::{GgfClock, ParseClockError};
pub use timed_move::TimedMove;

use super::annotated_game::AnnotatedGame;
use super::board::{self, Board};
use super::cursor::{Cursor, is_blank};
use super::grammar::{Parsed, failed, offset_of};
use super::loss::Datum;
use super::written::Written;
use super::{NotationError, Problem};
use crate::othello::{Color, GameRecord, Position};
use nom::Parser;
use nom::bytes::complete::{tag, take_while, take_while_m_n};
use nom::character::complete::{char, multispace0, one_of};
use nom::combinator::{cut, opt};
use nom::error::context;
use nom::multi::many0;
use nom::sequence::{delimited, preceded, terminated};
use number::Decimal;
use std::collections::HashSet;
use std::fmt;

/// What begins with `(`, perhaps behind the number of games of a GGF record.
pub(in crate::notation) fn behind_count(text: &str) -> Option<&str> {
    let record = text.trim_start_matches(['1', '2']);
    let record = if text.len() - record.len() <= 1 { record.trim_start_matches(is_blank) } else { text };
    record.starts_with('(').then_some(record)
}

/// Whether a game of GGF or SGF begins here, perhaps behind the number of games of a GGF record.
pub(in crate::notation) fn begins_in_parentheses(text: &str) -> bool {
    behind_count(text).is_some_and(|record| record[1..].trim_start().starts_with(';'))
}

/// Reads the first game of a record; what follows it is not looked at.
///
/// Reading is tolerant: blanks stand anywhere outside values, unknown keys are kept, a forced pass may be left out,
/// and a known value that cannot be read counts as absent. Of a property that a game has once
/// the first counts. The start and the moves must be right, though. The kind of game (TY) is one of the other properties, unless it is the
/// usual `8`.
///
/// ```
/// use emilia::notation::ggf;
/// let text = "(;GM[Othello]PB[ada]TI[5:00]TY[8]\
///            BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5//4.1]W[D6/1,18];)";
/// let game = ggf::parse(text).unwrap();
/// assert_eq!((game.black.name.as_str(), game.record.turns().len()), ("ada", 2));
/// assert_eq!(game.timing[1].eval, Some(1.18));
/// ```
///
/// # Errors
/// If the text is no game of GGF, is of another game or board, or has a move that is not legal; with the place in the text.
pub fn parse(text: &str) -> Result<AnnotatedGame, NotationError> {
    let (_, properties) = preceded(count, game).parse(text).map_err(|error| failed(text, error))?;
    interpret(text, &properties)
}

/// A key and its value as they stand in the text.
type Property<'a> = (&'a str, &'a str);

/// The number of games of a record, which old files do not have.
fn count(input: &str) -> Parsed<'_, ()> {
    (take_while(is_blank), opt(one_of("12")), multispace0).map(|_| ()).parse(input)
}

/// `(;` properties `;)`
fn game(input: &str) -> Parsed<'_, Vec<Property<'_>>> {
    let open = context("'(;' at the beginning of a game", (char('('), multispace0, char(';'), multispace0));
    let close =
        context("a property such as PB[...] or ';)' at the end of the game", (opt(char(';')), multispace0, char(')')));
    delimited(open, many0(terminated(property, multispace0)), cut(close)).parse(input)
}

/// KEY `[` text `]`
fn property(input: &str) -> Parsed<'_, Property<'_>> {
    let value = delimited(tag("["), value, cut(context("']' at the end of the property", char(']'))));
    (key, value).parse(input)
}

fn key(input: &str) -> Parsed<'_, &str> {
    terminated(take_while_m_n(1, 8, |c: char| c.is_ascii_alphanumeric()), multispace0).parse(input)
}

/// A text up to the `]` behind which there is another property or the end of the game. Clients escape nothing, and names may have brackets.
fn value(input: &str) -> Parsed<'_, &str> {
    let ends = |behind: &str| {
        let behind = behind.trim_start();
        behind.is_empty() || behind.starts_with([';', ')']) || (key, char('[')).parse(behind).is_ok()
    };
    let mut brackets = input.match_indices(']').map(|(at, _)| at);
    let first = brackets.clone().next();
    let end = brackets.find(|at| ends(&input[at + 1..])).or(first).unwrap_or(input.len());
    Ok((&input[end..], &input[..end]))
}

/// Makes a game of its properties.
fn interpret(text: &str, properties: &[Property<'_>]) -> Result<AnnotatedGame, NotationError> {
    let (mut kind, mut seen) = ("8", HashSet::new());
    let mut game = AnnotatedGame::new(GameRecord::from_position(start(text, properties)?));
    let mut number = 0;
    for &(key, value) in properties {
        let trimmed = value.trim();
        let key = key.to_ascii_uppercase();
        if ONCE.contains(&key.as_str()) && !seen.insert(key.clone()) {
            game.unread.push(format!("{key}[{value}]"));
            continue;
        }
        let clock = || trimmed.parse::<GgfClock>().ok();
        let makes_sense = match key.as_str() {
            "B" | "W" => {
                number += 1;
                let color = if key == "B" { Color::Black } else { Color::White };
                take(text, &mut game, color, value).map_err(|error| error.in_turn(number))?
            }
            "RB" => keep(&mut game.black.rating, number::parse(value)),
            "RW" => keep(&mut game.white.rating, number::parse(value)),
            "TI" => keep(&mut game.black.clock, clock()) & keep(&mut game.white.clock, clock()),
            "TB" => keep(&mut game.black.clock, clock()),
            "TW" => keep(&mut game.white.clock, clock()),
            "RE" => {
                let result = trimmed.parse().ok().filter(|result: &GgfResult| result.score.abs() <= 64.0);
                keep(&mut game.result, result) || trimmed == "?"
            }
            _ => {
                match key.as_str() {
                    "GM" | "BO" => {}
                    "PC" => game.place = value.to_owned(),
                    "DT" => game.date = value.to_owned(),
                    "PB" => game.black.name = value.to_owned(),
                    "PW" => game.white.name = value.to_owned(),
                    "TY" => kind = trimmed,
                    "CO" => game.comment(value.to_owned()),
                    _ => game.other.push((key.clone(), value.to_owned())),
                }
                true
            }
        };
        if !makes_sense && !trimmed.is_empty() {
            game.unread.push(format!("{key}[{value}]"));
        }
    }
    if !matches!(kind, "" | "8") {
        game.other.insert(0, ("TY".to_owned(), kind.to_owned()));
    }
    Ok(game)
}

/// Properties of which there is one: the first of several counts.
const ONCE: [&str; 12] = ["PC", "DT", "PB", "PW", "RE", "RB", "RW", "TI", "TB", "TW", "TY", "BO"];

/// Gives a field its value. Says whether there is one.
fn keep<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    *field = value;
    field.is_some()
}

/// The position that a game starts from: that of BO, or the standard one where there is none.
fn start(text: &str, properties: &[Property<'_>]) -> Result<Position, NotationError> {
    let refuse = |value, problem| Err(NotationError::at(text, offset_of(text, value), Problem::OtherGame(problem)));
    let mut start = None;
    for &(key, value) in properties {
        match key.to_ascii_uppercase().as_str() {
            "GM" if !value.trim().eq_ignore_ascii_case("othello") => return refuse(value, "another game"),
            "TY" => {
                let kind = value.trim();
                let kind = kind.strip_prefix(['s', 'S']).unwrap_or(kind);
                let flags = kind.trim_start_matches(|c: char| c.is_ascii_digit());
                if !matches!(kind.strip_suffix(flags), None | Some("" | "8")) {
                    return refuse(value, "another size of board");
                }
                if flags.contains(['a', 'A']) {
                    return refuse(value, "anti-Othello");
                }
            }
            "BO" if start.is_none() => start = Some(board_value(text, value)?),
            _ => {}
        }
    }
    Ok(start.unwrap_or(Position::START))
}

/// Reads the value of BO: the size, the squares and the side to move.
fn board_value(text: &str, value: &str) -> Result<Position, NotationError> {
    let offset = offset_of(text, value);
    let mut cursor = Cursor::new(&text[..offset + value.len()]);
    cursor.go_to(offset);
    let board: Board = board::sized(&mut cursor)?;
    cursor.skip_blanks();
    if cursor.peek().is_some() {
        return Err(cursor.expected("']' after the side to move"));
    }
    board.position(text, offset)
}

/// Takes a recorded turn. Says whether the numbers behind it make sense.
fn take(text: &str, game: &mut AnnotatedGame, color: Color, value: &str) -> Result<bool, NotationError> {
    let offset = offset_of(text, value);
    let timed = TimedMove::parse(value)
        .map_err(|_| NotationError::expected(text, offset, "a move such as F5, F5/1.20/4.17 or PA"))?;
    game.take(color, timed.turn).map_err(|problem| NotationError::at(text, offset, problem))?;
    let TimedMove { eval, seconds, .. } = timed;
    game.timing[game.record.turns().len() - 1] = Timing { eval, seconds };
    let is_said = |field: usize| value.split('/').nth(field).is_some_and(|number| !number.trim().is_empty());
    Ok((eval.is_some() || !is_said(1)) && (seconds.is_some() || !is_said(2)) && !is_said(3))
}

/// The text is not a result such as `+2.000` or `-64:t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a result such as +2.000 or -64.000:t")]
pub struct ParseResultError;

/// The letters behind the score of a game that ended before its last move.
const ENDINGS: [(&str, Ending); 4] =
    [("r", Ending::Resigned), ("t", Ending::Timeout), ("s", Ending::Agreed), ("l", Ending::Left)];

impl std::str::FromStr for GgfResult {
    type Err = ParseResultError;

    fn from_str(text: &str) -> Result<GgfResult, ParseResultError> {
        let (score, ending) = text.split_once(':').unwrap_or((text, ""));
        let ending = match ending.trim() {
            "" => None,
            letter => Some(ENDINGS.iter().find(|(known, _)| *known == letter).ok_or(ParseResultError)?.1),
        };
        Ok(GgfResult { score: number::parse(score).ok_or(ParseResultError)?, ending })
    }
}

impl fmt::Display for GgfResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.3}", self.score)?;
        let letter = ENDINGS.iter().find(|(_, ending)| self.ending == Some(*ending));
        letter.map_or(Ok(()), |(letter, _)| write!(f, ":{letter}"))
    }
}

/// The keys that a game has one field for, or that a reader takes for the moves or the format.
const KNOWN: [&str; 15] = ["GM", "PC", "DT", "PB", "PW", "RB", "RW", "TI", "TB", "TW", "RE", "BO", "CO", "B", "W"];

/// Writes a game as a line.
pub(super) fn write(game: &AnnotatedGame) -> Written {
    let mut written = Written::new(game, |datum| !matches!(datum, Datum::Theory | Datum::MoveValues));
    // Every game of GGF says `TY[8]`, so a reader does not keep it.
    let is_type = |value: &str| {
        let kind = value.strip_prefix('s').unwrap_or(value);
        let is_othello = kind.starts_with('8') && !kind[1..].starts_with(|c: char| c.is_ascii_digit());
        is_othello && !kind.contains(['a', 'A']) && value != "8" && value.trim() == value
    };
    let mut has_type = false;
    let other = written.keep_other(game, |key, value| match key {
        // There is room for one.
        "TY" => !has_type && is_type(value) && !std::mem::replace(&mut has_type, true),
        _ => (1..=3).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_uppercase()) && !KNOWN.contains(&key),
    });
    let texts = [&game.place, &game.date, &game.black.name, &game.white.name];
    let said = game.comments.iter().chain(game.turn_comments.iter().map(|(_, text)| text));
    for text in texts.into_iter().chain(said).chain(other.iter().map(|(_, value)| value)) {
        written.check(text, shown(text) == *text);
    }
    for (datum, numbers) in [
        (Datum::Evaluations, game.timing.iter().map(|timing| timing.eval).collect::<Vec<_>>()),
        (Datum::Times, game.timing.iter().map(|timing| timing.seconds).collect()),
        (Datum::Ratings, vec![game.black.rating, game.white.rating]),
    ] {
        if let Some(long) = numbers.into_iter().flatten().find(|number| !number::is_short(*number)) {
            written.lose(datum, format!("digits of {long}"));
        }
    }
    if let Some(result) = game.result.filter(|result| !number::is_in_thousandths(result.score)) {
        written.lose(Datum::Result, format!("digits of {}", result.score));
    }
    written.text = format!("{}\n", Ggf(&AnnotatedGame { other, ..game.clone() }));
    written
}

/// A text as a value can carry it. In place of `]` and line ends, and of the bracket in `(;GM[`, where readers take another game to begin, stands
/// a blank.
fn shown(text: &str) -> String {
    text.replace([']', '\n', '\r'], " ").replace("(;GM[", "(;GM ")
}

/// A game as GGF; what the format has no place for is left out.
pub struct Ggf<'a>(pub &'a AnnotatedGame);

impl fmt::Display for Ggf<'_> {
    /// One line, without blanks between the properties, the keys in the order that the strictest readers know. Every pass is written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let game = self.0;
        write!(f, "(;GM[Othello]PC[{}]DT[{}]", shown(&game.place), shown(&game.date))?;
        write!(f, "PB[{}]PW[{}]", shown(&game.black.name), shown(&game.white.name))?;
        match game.known_result() {
            Some(result) => write!(f, "RE[{result}]")?,
            None => f.write_str("RE[?]")?,
        }
        for (key, rating) in [("RB", game.black.rating), ("RW", game.white.rating)] {
            if let Some(number) = rating {
                write!(f, "{key}[{}]", Decimal { number, at_least: 0 })?;
            }
        }
        match (game.black.clock, game.white.clock) {
            (Some(black), Some(white)) if black == white => write!(f, "TI[{black}]")?,
            (black, white) => {
                for (key, clock) in [("TB", black), ("TW", white)] {
                    if let Some(clock) = clock {
                        write!(f, "{key}[{clock}]")?;
                    }
                }
            }
        }
        write!(f, "TY[{}]", shown(game.other("TY").unwrap_or("8")).trim())?;
        for (key, text) in game.other.iter().filter(|(key, _)| key != "TY") {
            write!(f, "{key}[{}]", shown(text))?;
        }
        let comments = |f: &mut fmt::Formatter<'_>, turns| {
            game.comments_behind(turns).try_for_each(|comment| write!(f, "CO[{}]", shown(comment)))
        };
        comments(f, 0)?;
        // Position's own line, in GGF's letters.
        write!(f, "BO[8 {}]", game.record.start().to_string().replace('X', "*"))?;
        let unknown = Timing::default();
        for (i, (position, &turn)) in game.record.positions().iter().zip(game.record.turns()).enumerate() {
            let key = position.mover().letter();
            let Timing { eval, seconds } = *game.timing.get(i).unwrap_or(&unknown);
            write!(f, "{key}[{}]", TimedMove { turn, eval, seconds })?;
            comments(f, i + 1)?;
        }
        f.write_str(";)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_result_that_are_lost_are_told() {
        for (score, told) in [(1.2345, Some("digits of 1.2345")), (0.5, None), (-22.875, None)] {
            let result = Some(GgfResult::of_score(score));
            let game = AnnotatedGame { result, ..AnnotatedGame::new(GameRecord::default()) };
            let losses = write(&game).losses;
            assert!(losses.iter().all(|loss| loss.datum == Datum::Result), "{losses:?}");
            assert_eq!(losses.first().map(|loss| loss.detail.as_str()), told);
        }
        let result = Some(GgfResult::of_score(1.0 / 3.0));
        let losses = write(&AnnotatedGame { result, ..AnnotatedGame::new(GameRecord::default()) }).losses;
        assert!(losses[0].detail.starts_with("digits of 0.333"), "{losses:?}");
    }
}
