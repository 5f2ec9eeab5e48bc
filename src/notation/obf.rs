//! OBF, the lines of Edax's problem files: a position and the values of its moves.

use super::board;
use super::cursor::Cursor;
use super::grammar::{Parsed, failed, offset_of};
use super::loss::Datum;
use super::transcript::parse_turn;
use super::written::Written;
use super::{AnnotatedGame, NotationError};
use crate::othello::{GameRecord, Move, Position};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while_m_n};
use nom::character::complete::{char, i32, space0};
use nom::combinator::{cut, eof, opt, peek, recognize, rest, success, verify};
use nom::error::context;
use nom::multi::{many0, many1};
use nom::sequence::{preceded, terminated};
use std::fmt;

/// A position with the final disc differences of its moves.
///
/// ```
/// use emilia::notation::obf::ObfEntry;
/// let line = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; % FFO 1";
/// let entry = ObfEntry::parse(line).unwrap();
/// assert_eq!(entry.moves[0].1, 18);
/// assert_eq!(entry.to_string(), line);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObfEntry {
    /// The position.
    pub position: Position,
    /// Moves, best first where the file keeps the custom, with their scores for the mover in discs, −64 to 64.
    pub moves: Vec<(Move, i32)>,
    /// The score of the position for the mover, where it stands without a move.
    pub score: Option<i32>,
    /// What stands behind `%`.
    pub comment: Option<String>,
    /// Entries without a value, as they stand: `--:-127`, `f5:?`, `f5:`; and `--:+6` where the mover need not pass. They are not written again.
    pub unread: Vec<String>,
}

impl ObfEntry {
    /// Reads one line. The board may be in any spelling of 64 squares that [`super::read_position`] takes; a side to move that is left
    /// out is inferred as there, by [`super::infer_mover`]. The moves must be legal. A segment `--:score` counts only where the mover has to pass. A move without a
    /// value is passed over; that is `?`, nothing, or 127 of either sign, which is Edax's infinity.
    ///
    /// # Errors
    /// If the line has no board, or something behind it is no move with its score; with the place in the line.
    pub fn parse(line: &str) -> Result<ObfEntry, NotationError> {
        let mut cursor = Cursor::new(line);
        cursor.skip_blanks();
        let offset = cursor.offset();
        let board = board::squares_and_mover(&mut cursor)?;
        cursor.skip_blanks();
        if board.mover.is_none() && !matches!(cursor.peek(), None | Some(';' | '%')) {
            return Err(cursor.expected("the side to move, X or O, or ';'"));
        }
        let position = board.position(line, offset)?;
        let mut entry = ObfEntry { position, moves: Vec::new(), score: None, comment: None, unread: Vec::new() };
        let (_, (segments, comment)) = annotations(cursor.rest()).map_err(|error| failed(line, error))?;
        for segment in segments {
            match segment {
                Segment::Score(score) => entry.score = Some(score),
                Segment::Move(name, score) => entry.add(line, name, score)?,
                Segment::Unknown(text) => entry.unread.push(text.to_owned()),
            }
        }
        entry.comment = comment.map(|text| text.trim().to_owned());
        Ok(entry)
    }

    /// The last position of a game, with what its file says of it.
    pub fn of_end(game: &AnnotatedGame) -> ObfEntry {
        let (moves, score, comment) = match game.is_position() {
            true => (game.scores.clone(), game.score, game.comments.first().cloned()),
            false => Default::default(),
        };
        ObfEntry { position: *game.record.position(), moves, score, comment, unread: Vec::new() }
    }

    fn add(&mut self, line: &str, name: &str, score: i32) -> Result<(), NotationError> {
        let offset = offset_of(line, name);
        let turn = parse_turn(name).ok_or_else(|| NotationError::expected(line, offset, A_SEGMENT))?;
        if name == "--" && !self.position.must_pass() {
            self.unread.push(format!("--:{score:+}"));
            return Ok(());
        }
        self.position.take(turn).map_err(|illegal| NotationError::at(line, offset, illegal.into()))?;
        self.moves.push((turn, score));
        Ok(())
    }
}

impl From<ObfEntry> for AnnotatedGame {
    fn from(entry: ObfEntry) -> AnnotatedGame {
        AnnotatedGame {
            scores: entry.moves,
            score: entry.score,
            comments: entry.comment.into_iter().collect(),
            unread: entry.unread,
            ..AnnotatedGame::new(GameRecord::from_position(entry.position))
        }
    }
}

const A_SEGMENT: &str = "a move and its score such as G8:+18, a score, or a comment after %";

enum Segment<'a> {
    Move(&'a str, i32),
    Score(i32),
    Unknown(&'a str),
}

/// `;` segment `;` segment … `%` comment
fn annotations(input: &str) -> Parsed<'_, (Vec<Segment<'_>>, Option<&str>)> {
    let separated = preceded((space0, many1((char(';'), space0))), segment);
    let comment = preceded(char('%'), rest);
    let blanks = take_while(|c: char| c == ';' || c.is_ascii_whitespace());
    terminated((many0(separated), preceded(blanks, opt(comment))), cut(context(A_SEGMENT, eof))).parse(input)
}

/// `G8:+18`, `+18` or `G8:?`
fn segment(input: &str) -> Parsed<'_, Segment<'_>> {
    let score = || context("a score from -64 to +64", verify(i32, |score| (-64..=64).contains(score)));
    let name = || {
        terminated(take_while_m_n(2, 4, |c: char| c.is_ascii_alphanumeric() || c == '-'), (space0, char(':'), space0))
    };
    let no_value = alt((tag("?"), tag("-127"), tag("+127"), tag("127"), success("")));
    let unknown = terminated(
        recognize((name(), no_value)),
        peek(alt((recognize((space0, char(';'))), recognize((space0, eof))))),
    );
    let with_move = (name(), cut(score())).map(|(name, n)| Segment::Move(name, n));
    unknown.map(Segment::Unknown).or(with_move).or(score().map(Segment::Score)).parse(input)
}

/// Writes a position, or those of a game in which a disc is placed.
pub(super) fn write(game: &AnnotatedGame) -> Written {
    let mut written = Written::new(game, |datum| match datum {
        Datum::Comments => game.is_position(),
        _ => matches!(datum, Datum::Evaluations | Datum::MoveValues),
    });
    if game.is_position() {
        let comment = game.comments.join(" / ");
        written.check(&comment, !comment.contains(['\n', '\r']) && comment.trim() == comment);
        let comment = (!comment.is_empty()).then_some(comment);
        written.text = format!("{}\n", ObfEntry { comment, ..ObfEntry::of_end(game) });
        return written;
    }
    let (mut fractions, mut passes) = (0, 0);
    for (i, (&position, &turn)) in game.record.positions().iter().zip(game.record.turns()).enumerate() {
        let eval = game.eval(i);
        let whole = eval.filter(|eval| eval.fract() == 0.0 && eval.abs() <= 64.0).map(|eval| eval as i32);
        passes += usize::from(eval.is_some() && turn == Move::Pass);
        fractions += usize::from(eval.is_some() && whole.is_none() && turn != Move::Pass);
        let Some(square) = turn.square() else { continue };
        let (mut moves, mut score) = (whole.map(|value| (turn, value)).into_iter().collect(), None);
        if i == 0 && (!game.scores.is_empty() || game.score.is_some()) {
            (moves, score) = (game.scores.clone(), game.score);
        }
        let comment = Some(format!("move {}: {square}", i + 1));
        written.text += &format!("{}\n", ObfEntry { position, moves, score, comment, unread: Vec::new() });
    }
    if fractions > 0 {
        let are = if fractions == 1 { "is" } else { "are" };
        written.lose(Datum::Evaluations, format!("{fractions} that {are} not whole discs"));
    }
    if passes > 0 {
        let what = if passes == 1 { "pass" } else { "passes" };
        written.lose(Datum::Evaluations, format!("of {passes} {what}"));
    }
    written
}

impl fmt::Display for ObfEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", self.position)?;
        for (turn, score) in &self.moves {
            match turn {
                Move::Place(_) => write!(f, " {turn:#}:{score:+};")?,
                Move::Pass => write!(f, " PS:{score:+};")?,
            }
        }
        if let Some(score) = self.score {
            write!(f, " {score:+};")?;
        }
        match &self.comment {
            Some(comment) => write!(f, " % {}", comment.replace(['\n', '\r'], " ")),
            None => Ok(()),
        }
    }
}
