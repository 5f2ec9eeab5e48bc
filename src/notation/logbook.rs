//! Logistello's logbook: a game a line, `+d3-c3+c4-e3…: -04 10`.

use super::cursor::Cursor;
use super::{NotationError, Problem};
use crate::othello::{Color, GameRecord, Move, Square};
use std::fmt;

/// A game from the standard start and its result.
///
/// ```
/// use emilia::notation::logbook::LogbookGame;
/// let line = "+d3-c3+c4-e3: -04 10";
/// let game = LogbookGame::parse(line).unwrap();
/// assert_eq!((game.score, game.game.turns().len()), (Some(-4), 4));
/// assert_eq!(game.to_string(), line);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogbookGame {
    /// The turns. Passes are not in the line; a forced one is put in.
    pub game: GameRecord,
    /// The disc difference for Black, −64 to 64, if the line has it.
    pub score: Option<i32>,
}

impl LogbookGame {
    /// Reads one line. The number behind the score, which the logbook always gives as 10, is not looked at.
    ///
    /// # Errors
    /// If the line is none of a logbook, or a move is not legal; with the place in the text.
    pub fn parse(line: &str) -> Result<LogbookGame, NotationError> {
        let mut cursor = Cursor::new(line);
        let mut game = GameRecord::default();
        let mut number = 0;
        loop {
            cursor.skip_blanks();
            let color = match cursor.peek() {
                Some('+') => Color::Black,
                Some('-') => Color::White,
                Some(':') => break,
                None => return Ok(LogbookGame { game, score: None }),
                Some(_) => return Err(cursor.expected("a move of Black such as +d3, one of White such as -c3, or ':'")),
            };
            number += 1;
            let at = cursor.offset();
            cursor.bump();
            let Some(square) = cursor.rest().get(..2).and_then(|pair| pair.parse::<Square>().ok()) else {
                return Err(cursor.expected("a square from a1 to h8").in_turn(number));
            };
            cursor.go_to(at + 3);
            take(&mut game, color, square).map_err(|problem| NotationError::at(line, at, problem).in_turn(number))?;
        }
        cursor.bump();
        cursor.skip_blanks();
        let score = score(&cursor)?;
        Ok(LogbookGame { game, score: Some(score) })
    }
}

fn take(game: &mut GameRecord, color: Color, square: Square) -> Result<(), Problem> {
    let position = game.position();
    let (mover, passes) = (position.mover(), position.must_pass());
    let next = if passes { !mover } else { mover };
    if color != next {
        return Err(Problem::WrongSide(color, next));
    }
    game.take_with_implied_pass(Move::Place(square)).map_err(Problem::Illegal)
}

fn score(cursor: &Cursor<'_>) -> Result<i32, NotationError> {
    let word = cursor.rest().split_whitespace().next().unwrap_or_default();
    let score = word.parse().ok().filter(|score| (-64..=64).contains(score));
    score.ok_or_else(|| cursor.expected("the disc difference for Black, -64 to +64"))
}

impl fmt::Display for LogbookGame {
    /// Passes are left out, those behind the last disc too; the start is not written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, turn) in self.game.positions().iter().zip(self.game.turns()) {
            if let Move::Place(square) = turn {
                let sign = if position.mover() == Color::Black { '+' } else { '-' };
                write!(f, "{sign}{square}")?;
            }
        }
        match self.score {
            Some(score) => write!(f, ": {score:+03} 10"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_place_and_turn() {
        for (line, said, turn) in [
            ("+d3-c3+a1", "line 1, column 7: a1 turns no disc for black", Some(3)),
            ("-d3", "line 1, column 1: a move of white where black is to move and can", Some(1)),
            ("+d3-c9", "line 1, column 5: expected a square from a1 to h8, found 'c'", Some(2)),
            ("+d3 c3", "line 1, column 5: expected a move of Black such as +d3", None),
            ("+d3: 99 10", "line 1, column 6: expected the disc difference", None),
        ] {
            let error = LogbookGame::parse(line).unwrap_err();
            assert!(error.to_string().starts_with(said), "{error}");
            assert_eq!(error.turn, turn, "{line}");
        }
    }

    #[test]
    fn forced_passes_are_put_in() {
        // Black has no move after these.
        let line = "+f5-f6+d3-g5+h5-h4+f7-h6";
        let game = LogbookGame::parse(line).unwrap().game;
        let reply = game.position().opponent_moves().into_iter().next().unwrap();
        let read = LogbookGame::parse(&format!("{line}-{reply}: +02 10")).unwrap();
        assert_eq!((read.game.turns().len(), read.game.turns()[8]), (10, Move::Pass));
        assert_eq!(read.to_string(), format!("{line}-{reply}: +02 10"));
        assert!(LogbookGame::parse(&format!("{line}+{reply}")).is_err());
    }
}
