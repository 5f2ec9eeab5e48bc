//! Lists of moves: `f5d6c3d3c4`, `1. f5 d6 2. c3`, `F5 D6 PA C3`.

use super::cursor::{Cursor, is_blank};
use super::loss::Datum;
use super::written::Written;
use super::{AnnotatedGame, NotationError};
use crate::othello::{Color, GameRecord, Move, Position};
use std::fmt;

/// The spellings of a pass in letters, the longer ones first.
const PASSES: [&str; 4] = ["pass", "pas", "pa", "ps"];

const A_MOVE: &str = "a move such as f5 or a pass (pa, --)";

/// Reads a list of moves from the standard start.
///
/// Moves are in any case, joined or separated by blanks, commas or single hyphens. Move numbers (`12.`, `12)`, or a
/// number followed by a blank) are passed over, and so is a final disc count such as `37-27`, with which PlayOK ends
/// its records. Passes are `pa`, `pas`, `pass`, `ps` or `--`; a forced pass may be left out.
///
/// ```
/// use emilia::notation::transcript;
/// let game = transcript::parse("1. F5 d6 2. c3").unwrap();
/// assert_eq!(game.turns().len(), 3);
/// assert_eq!(transcript::Transcript(&game).to_string(), "f5d6c3");
/// ```
///
/// # Errors
/// If something is neither a move nor a number, or a move is not legal; with the place in the text.
pub fn parse(text: &str) -> Result<GameRecord, NotationError> {
    Turns::read(&mut Cursor::new(text))?.play(text, Position::START)
}

/// Reads one turn: a square in any case, or a pass as `--`, `ps`, or any beginning of `pass`. `None` for anything else.
///
/// ```
/// use emilia::notation::transcript::parse_turn;
/// use emilia::othello::Move;
/// assert_eq!(parse_turn("F5"), Some(Move::Place("f5".parse().unwrap())));
/// assert_eq!(parse_turn("PASS"), Some(Move::Pass));
/// assert_eq!(parse_turn("i9"), None);
/// ```
pub fn parse_turn(text: &str) -> Option<Move> {
    if let Ok(square) = text.parse() {
        return Some(Move::Place(square));
    }
    let prefix_of_pass = !text.is_empty() && "pass".get(..text.len()).is_some_and(|p| p.eq_ignore_ascii_case(text));
    (prefix_of_pass || text == "--" || text.eq_ignore_ascii_case("ps")).then_some(Move::Pass)
}

/// Reads the turns of a list of moves, as [`parse`] does, without playing them; passes that were left out are not put in.
///
/// ```
/// use emilia::notation::transcript::parse_turns;
/// assert_eq!(parse_turns("f5d6 pa").unwrap().len(), 3);
/// ```
///
/// # Errors
/// If something is neither a move nor a number; with the place in the text.
pub fn parse_turns(text: &str) -> Result<Vec<Move>, NotationError> {
    let turns = Turns::read(&mut Cursor::new(text))?;
    Ok(turns.0.into_iter().map(|(_, turn)| turn).collect())
}

/// Passes a turn, a square or a pass, if one comes next.
pub(super) fn eat_turn(cursor: &mut Cursor<'_>) -> Option<Move> {
    if let Some(square) = cursor.square() {
        cursor.go_to(cursor.offset() + 2);
        return Some(Move::Place(square));
    }
    (cursor.eat("--") || PASSES.iter().any(|pass| cursor.eat(pass))).then_some(Move::Pass)
}

/// Turns as they stand in a text, with their byte offsets; not yet played.
#[derive(Default)]
pub(super) struct Turns(Vec<(usize, Move)>);

impl Turns {
    /// Reads turns up to the end of the text.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Turns, NotationError> {
        let mut turns = Vec::new();
        loop {
            cursor.skip_while(|c| is_blank(c) || c == ',');
            let offset = cursor.offset();
            let Some(c) = cursor.peek() else {
                return Ok(Turns(turns));
            };
            match c {
                '0'..='9' => skip_number(cursor)?,
                '-' if cursor.byte(1) != Some(b'-') => cursor.bump(),
                _ => turns.push((offset, eat_turn(cursor).ok_or_else(|| cursor.expected(A_MOVE))?)),
            }
        }
    }

    /// Plays the turns from a position; an error names the place in the text that they were read from.
    pub(super) fn play(&self, text: &str, start: Position) -> Result<GameRecord, NotationError> {
        let mut game = GameRecord::from_position(start);
        for (number, &(offset, turn)) in (1..).zip(&self.0) {
            game.take_with_implied_pass(turn)
                .map_err(|illegal| NotationError::at(text, offset, illegal.into()).in_turn(number))?;
        }
        Ok(game)
    }
}

/// Whether a list of moves begins here: with a square, a pass, or a move number and one of these.
pub(super) fn begins(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    ahead.skip_while(is_blank);
    if ahead.peek().is_some_and(|c| c.is_ascii_digit()) {
        ahead.skip_while(|c| c.is_ascii_digit());
        if !ahead.eat(".") && !ahead.eat(")") && !ahead.peek().is_some_and(is_blank) {
            return false;
        }
        ahead.skip_while(|c| is_blank(c) || c == '.');
    }
    if ahead.square().is_some() {
        return true;
    }
    let mut is_pass = false;
    while PASSES.iter().any(|pass| ahead.eat(pass)) {
        is_pass = true;
    }
    // A name may begin like a pass.
    is_pass && (ahead.peek().is_none_or(|c| !c.is_alphabetic()) || ahead.square().is_some())
}

/// Passes a move number, or the disc counts that end a record.
fn skip_number(cursor: &mut Cursor<'_>) -> Result<(), NotationError> {
    cursor.skip_while(|c| c.is_ascii_digit());
    match cursor.peek() {
        Some('.' | ')') => {
            cursor.skip_while(|c| matches!(c, '.' | ')'));
            Ok(())
        }
        Some('-') => {
            let mut ahead = cursor.clone();
            ahead.bump();
            let digits = ahead.offset();
            ahead.skip_while(|c| c.is_ascii_digit());
            if ahead.offset() == digits {
                return Err(cursor.expected("'.' after a move number"));
            }
            ahead.skip_blanks();
            if ahead.peek().is_some() {
                return Err(ahead.expected("the end after the disc counts"));
            }
            *cursor = ahead;
            Ok(())
        }
        Some(c) if is_blank(c) => Ok(()),
        _ => Err(cursor.expected("'.' after a move number")),
    }
}

/// A game as a list of moves.
///
/// `{}` writes small letters and leaves out the passes that a reader infers, as transcripts do; passes after the last
/// disc are written, because nothing implies them. `{:#}` writes capitals and every pass, as NBoard does.
/// The start is not written.
pub struct Transcript<'a>(pub &'a GameRecord);

impl fmt::Display for Transcript<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return self.0.turns().iter().try_for_each(|turn| write!(f, "{turn:#}"));
        }
        uninferable(self.0).try_for_each(|(_, turn)| write!(f, "{turn}"))
    }
}

/// Writes a game or a position as a line.
pub(super) fn write(game: &AnnotatedGame) -> Written {
    let mut written = Written::new(game, |datum| matches!(datum, Datum::Passes | Datum::Turns));
    let (start, moves) = (game.record.start(), Transcript(&game.record));
    written.text = match (*start == Position::START, game.is_position()) {
        (_, true) => format!("{start}\n"),
        (true, false) => format!("{moves}\n"),
        (false, false) => format!("{start} {moves}\n"),
    };
    written
}

/// The turns, each with its side, without the passes that a later disc implies.
pub(super) fn uninferable(game: &GameRecord) -> impl Iterator<Item = (Color, Move)> + '_ {
    let turns = game.turns();
    let discs = turns.iter().rposition(|turn| *turn != Move::Pass).map_or(0, |last| last + 1);
    let written = move |(i, turn): &(usize, Move)| *i >= discs || *turn != Move::Pass;
    let numbered = turns.iter().copied().enumerate().filter(written);
    numbered.map(|(i, turn)| (game.positions()[i].mover(), turn))
}
