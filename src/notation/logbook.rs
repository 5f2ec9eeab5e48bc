//! Logistello's logbook: a game a line, `+d3-c3+c4-e3…: -04 10`.

use super::cursor::Cursor;
use super::format::Format;
use super::ggf::GgfResult;
use super::loss::Datum;
use super::written::{Unwritable, Written};
use super::{AnnotatedGame, NotationError};
use crate::othello::{Color, Move, Position};

/// Reads one line: a game from the standard start, without its passes, and its result. Forced passes are put in. The number
/// behind the score, which the logbook always gives as 10, is not looked at.
///
/// ```
/// use emilia::notation::game_file::{Format, write};
/// use emilia::notation::logbook;
/// let line = "+d3-c3+c4-e3: -04 10";
/// let game = logbook::parse(line).unwrap();
/// assert_eq!((game.result.unwrap().score, game.record.turns().len()), (-4.0, 4));
/// assert_eq!(write(&game, Format::Logbook).unwrap().text, format!("{line}\n"));
/// ```
///
/// # Errors
/// If the line is none of a logbook, or a move is not legal; with the place in the text.
pub fn parse(line: &str) -> Result<AnnotatedGame, NotationError> {
    let mut cursor = Cursor::new(line);
    let mut game = AnnotatedGame::default();
    let mut number = 0;
    loop {
        cursor.skip_blanks();
        let color = match cursor.peek() {
            Some('+') => Color::Black,
            Some('-') => Color::White,
            Some(':') => break,
            None => return Ok(game),
            Some(_) => return Err(cursor.expected("a move of Black such as +d3, one of White such as -c3, or ':'")),
        };
        number += 1;
        let at = cursor.offset();
        cursor.bump();
        let Some(square) = cursor.square() else {
            return Err(cursor.expected("a square from a1 to h8").in_turn(number));
        };
        cursor.go_to(at + 3);
        game.take(color, Move::Place(square))
            .map_err(|problem| NotationError::at(line, at, problem).in_turn(number))?;
    }
    cursor.bump();
    cursor.skip_blanks();
    game.result = Some(GgfResult::of_score(score(&cursor)?));
    Ok(game)
}

fn score(cursor: &Cursor<'_>) -> Result<i32, NotationError> {
    let word = cursor.rest().split_whitespace().next().unwrap_or_default();
    let score = word.parse().ok().filter(|score| (-64..=64).contains(score));
    score.ok_or_else(|| cursor.expected("the disc difference for Black, -64 to +64"))
}

/// Writes a game. Passes are left out, those behind the last disc too.
pub(super) fn write(game: &AnnotatedGame) -> Result<Written, Unwritable> {
    if *game.record.start() != Position::START {
        return Err(Unwritable::Start(Format::Logbook));
    }
    if game.is_position() {
        return Err(Unwritable::NoMoves(Format::Logbook));
    }
    let score = game.whole_score().ok_or_else(|| Unwritable::result_of(game, Format::Logbook))?;
    let keeps_result = game.has_result_without_ending();
    let mut written = Written::new(game, |datum| datum == Datum::Turns || datum == Datum::Result && keeps_result);
    for (position, turn) in game.record.positions().iter().zip(game.record.turns()) {
        if let Move::Place(square) = turn {
            let sign = if position.mover() == Color::Black { '+' } else { '-' };
            written.text += &format!("{sign}{square}");
        }
    }
    written.text += &format!(": {score:+03} 10\n");
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::GameRecord;

    #[test]
    fn errors_name_place_and_turn() {
        for (line, said, turn) in [
            ("+d3-c3+a1", "line 1, column 7: a1 turns no disc for black", Some(3)),
            ("-d3", "line 1, column 1: a move of white where black is to move and can", Some(1)),
            ("+d3-c9", "line 1, column 5: expected a square from a1 to h8, found 'c'", Some(2)),
            ("+d3 c3", "line 1, column 5: expected a move of Black such as +d3", None),
            ("+d3: 99 10", "line 1, column 6: expected the disc difference", None),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.to_string().starts_with(said), "{error}");
            assert_eq!(error.turn, turn, "{line}");
        }
    }

    #[test]
    fn a_game_without_moves_is_refused_for_that() {
        let error = write(&AnnotatedGame::new(GameRecord::default())).unwrap_err();
        assert_eq!(error.to_string(), "a game of logbook has moves, and this one has none");
    }

    #[test]
    fn forced_passes_are_put_in() {
        // Black has no move after these.
        let line = "+f5-f6+d3-g5+h5-h4+f7-h6";
        let game = parse(line).unwrap().record;
        let reply = game.position().opponent_moves().into_iter().next().unwrap();
        let read = parse(&format!("{line}-{reply}: +02 10")).unwrap();
        assert_eq!((read.record.turns().len(), read.record.turns()[8]), (10, Move::Pass));
        assert_eq!(write(&read).unwrap().text, format!("{line}-{reply}: +02 10\n"));
        assert!(parse(&format!("{line}+{reply}")).is_err());
    }
}
