//! PGN records of Othello, as PlayOK (once Kurnik) writes them.

use super::cursor::{Cursor, is_blank};
use super::sgf::variations_in_words;
use super::transcript::NO_FURTHER_MOVE;
use super::{NotationError, Problem, board};
use crate::othello::{Color, GameRecord, Move, Position, Square};
use std::fmt;

const A_MOVE: &str = "a move such as f5, a pass (--), a comment in braces, or the result such as 37-27";

/// A game with its tags.
///
/// Moves are in any case, with or without numbers; a pass is `--`, and a forced one may be left out. Glyphs (`$1`) and the
/// marks `!` and `?` behind moves, and variations in parentheses, are passed over and counted. A start other than the standard
/// one stands in the tag `FEN`, in the form of xboard's "reversi".
///
/// ```
/// use emilia::notation::pgn::PgnGame;
/// let text = "[Site \"kurnik\"]\n[Black \"ada\"]\n[Result \"37-27\"]\n\n1. f5 d6 2. c3 d3 {so far} 37-27\n";
/// let game = PgnGame::parse(text).unwrap();
/// assert_eq!((game.tags[1].1.as_str(), game.game.turns().len()), ("ada", 4));
/// assert_eq!(game.result.as_deref(), Some("37-27"));
/// assert_eq!(game.comments, [(4, "so far".to_owned())]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PgnGame {
    /// Names and values of the tags in their order; not `FEN` and `SetUp`, which are the start of the game.
    pub tags: Vec<(String, String)>,
    /// The start and the turns.
    pub game: GameRecord,
    /// The comments: how many turns were taken, and the text.
    pub comments: Vec<(usize, String)>,
    /// What ends the moves: disc counts for Black and White such as `37-27`, `1-0`, or `*` for an unfinished game.
    pub result: Option<String>,
    /// What was passed over. It is not written.
    pub unread: Vec<String>,
}

impl PgnGame {
    /// A record of this game with nothing else known.
    pub fn new(game: GameRecord) -> PgnGame {
        PgnGame { game, ..PgnGame::default() }
    }

    /// Reads one game, to the end of the text.
    ///
    /// # Errors
    /// If the tags, a move or the result make no sense, or a move is not legal; with the place in the text.
    pub fn parse(text: &str) -> Result<PgnGame, NotationError> {
        let mut cursor = Cursor::new(text);
        let mut pgn = PgnGame::new(GameRecord::default());
        while let Some((key, value, at)) = tag(&mut cursor)? {
            match key.to_ascii_lowercase().as_str() {
                "fen" => pgn.game = start(text, at, &value)?,
                "setup" => {}
                _ => pgn.tags.push((key, value)),
            }
        }
        Moves { pgn, cursor, number: 0, variations: 0 }.read()
    }
}

/// The next tag, `[Name "value"]`, and where its value is; `None` where the moves begin.
fn tag(cursor: &mut Cursor<'_>) -> Result<Option<(String, String, usize)>, NotationError> {
    skip_blanks_and_escapes(cursor);
    if !cursor.eat("[") {
        return Ok(None);
    }
    cursor.skip_blanks();
    let name = cursor.rest();
    cursor.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
    let name = &name[..name.len() - cursor.rest().len()];
    if name.is_empty() {
        return Err(cursor.expected("the name of a tag such as [Black \"ada\"]"));
    }
    cursor.skip_blanks();
    if !cursor.eat("\"") {
        return Err(cursor.expected("'\"' before the value of a tag"));
    }
    let at = cursor.offset();
    let mut value = String::new();
    loop {
        match cursor.peek() {
            None | Some('\n' | '\r') => return Err(cursor.expected("'\"' behind the value of a tag")),
            Some('"') => break cursor.bump(),
            Some('\\') if matches!(cursor.byte(1), Some(b'"' | b'\\')) => cursor.bump(),
            Some(_) => {}
        }
        value.extend(cursor.peek());
        cursor.bump();
    }
    cursor.skip_blanks();
    if !cursor.eat("]") {
        return Err(cursor.expected("']' at the end of the tag"));
    }
    Ok(Some((name.to_owned(), value, at)))
}

/// Passes blanks, and lines that begin with `%`, which PGN sets aside for programs.
fn skip_blanks_and_escapes(cursor: &mut Cursor<'_>) {
    loop {
        cursor.skip_blanks();
        let begins_a_line = cursor.text()[..cursor.offset()].bytes().next_back().is_none_or(|byte| byte == b'\n');
        if cursor.peek() != Some('%') || !begins_a_line {
            return;
        }
        cursor.skip_while(|c| c != '\n');
    }
}

/// The position of the tag `FEN`.
fn start(text: &str, at: usize, fen: &str) -> Result<GameRecord, NotationError> {
    let read = board::read(&mut Cursor::new(fen));
    let game = read.map_err(|error| NotationError::at(text, at, error.problem))?;
    Ok(GameRecord::from_position(*game.start()))
}

/// The second half of a game.
struct Moves<'a> {
    pgn: PgnGame,
    cursor: Cursor<'a>,
    number: usize,
    variations: usize,
}

impl Moves<'_> {
    fn read(mut self) -> Result<PgnGame, NotationError> {
        loop {
            skip_blanks_and_escapes(&mut self.cursor);
            let Some(c) = self.cursor.peek() else { break };
            match c {
                '{' => self.comment()?,
                ';' => {
                    self.cursor.bump();
                    let text = self.cursor.rest_of_line();
                    self.keep_comment(text);
                    self.cursor.go_to(self.cursor.offset() + text.len());
                }
                '(' => self.variation()?,
                '$' => {
                    self.cursor.bump();
                    self.cursor.skip_while(|c| c.is_ascii_digit());
                    self.pgn.unread.push("a glyph".to_owned());
                }
                '!' | '?' => {
                    self.cursor.skip_while(|c| matches!(c, '!' | '?'));
                    self.pgn.unread.push("a mark behind a move".to_owned());
                }
                '*' => {
                    self.cursor.bump();
                    self.end("*")?;
                }
                '0'..='9' => self.number()?,
                _ => self.turn()?,
            }
        }
        self.pgn.unread.extend(variations_in_words(self.variations));
        Ok(self.pgn)
    }

    fn keep_comment(&mut self, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            self.pgn.comments.push((self.pgn.game.turns().len(), text));
        }
    }

    fn comment(&mut self) -> Result<(), NotationError> {
        let text = self.cursor.rest();
        let Some(end) = text.find('}') else {
            return Err(self.cursor.expected("a comment with '}' at its end"));
        };
        self.keep_comment(&text[1..end]);
        self.cursor.go_to(self.cursor.offset() + end + 1);
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
        let is_of_a_result = |c: char| c.is_ascii_digit() || matches!(c, '-' | '/');
        let word = &word[..word.len() - word.trim_start_matches(is_of_a_result).len()];
        let is_result = word.split_once('-').is_some_and(|(black, white)| {
            let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            (number(black) && number(white)) || word == "1/2-1/2"
        });
        if is_result {
            self.cursor.go_to(self.cursor.offset() + word.len());
            return self.end(word);
        }
        self.cursor.skip_while(|c| c.is_ascii_digit());
        match self.cursor.peek() {
            Some('.') => self.cursor.skip_while(|c| c == '.'),
            Some(c) if is_blank(c) => {}
            _ => return Err(self.cursor.expected("'.' after a move number")),
        }
        Ok(())
    }

    /// Nothing but comments may follow the result.
    fn end(&mut self, result: &str) -> Result<(), NotationError> {
        self.pgn.result = Some(result.to_owned());
        skip_blanks_and_escapes(&mut self.cursor);
        match self.cursor.peek() {
            None | Some('{' | ';') => Ok(()),
            Some(_) => Err(self.cursor.expected("the end after the result")),
        }
    }

    fn turn(&mut self) -> Result<(), NotationError> {
        self.number += 1;
        let (at, number) = (self.cursor.offset(), self.number);
        let failed = |error: NotationError| Err(error.in_turn(number));
        let square = self.cursor.rest().get(..2).and_then(|pair| pair.parse::<Square>().ok());
        let turn = if let Some(square) = square {
            self.cursor.go_to(at + 2);
            Move::Place(square)
        } else if ["--", "pass", "pas", "pa", "ps"].iter().any(|pass| self.cursor.eat(pass)) {
            Move::Pass
        } else {
            return failed(self.cursor.expected(A_MOVE));
        };
        if self.pgn.game.turns().len() >= GameRecord::LONGEST {
            return failed(NotationError::expected(self.cursor.text(), at, NO_FURTHER_MOVE));
        }
        let taken = self.pgn.game.take_with_implied_pass(turn);
        taken.or_else(|illegal| failed(NotationError::at(self.cursor.text(), at, Problem::Illegal(illegal))))
    }
}

/// A position as xboard's "reversi" writes it: rows from the eighth to the first, `p` black, `P` white.
struct Fen<'a>(&'a Position);

impl fmt::Display for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        board::write_rows(f, self.0, (0..8).rev(), |color| if color == Color::Black { 'p' } else { 'P' })?;
        f.write_str(if self.0.mover() == Color::Black { " b" } else { " w" })
    }
}

/// The longest line of moves, in bytes.
const LINE: usize = 79;

impl fmt::Display for PgnGame {
    /// The tags, an empty line, and the moves in lines of at most 79 bytes where comments allow it; every pass is written, as
    /// PlayOK does. `}` in a comment becomes `)`, and a line end a blank.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let escape = |text: &str| one_line(text).replace('\\', "\\\\").replace('"', "\\\"");
        for (key, value) in &self.tags {
            writeln!(f, "[{key} \"{}\"]", escape(value))?;
        }
        if *self.game.start() != Position::START {
            write!(f, "[SetUp \"1\"]\n[FEN \"{}\"]\n", Fen(self.game.start()))?;
        }
        let mut words = Vec::new();
        let comments = |words: &mut Vec<String>, after: usize| {
            for (_, text) in self.comments.iter().filter(|(turns, _)| *turns == after) {
                words.push(format!("{{{}}}", one_line(text).replace('}', ")")));
            }
        };
        comments(&mut words, 0);
        for (i, turn) in self.game.turns().iter().enumerate() {
            if i % 2 == 0 {
                words.push(format!("{}.", i / 2 + 1));
            }
            words.push(if *turn == Move::Pass { "--".to_owned() } else { turn.to_string() });
            comments(&mut words, i + 1);
        }
        words.extend(self.result.clone());
        f.write_str("\n")?;
        let mut column = 0;
        for word in words {
            let gap = if column == 0 {
                ""
            } else if column + 1 + word.len() > LINE {
                column = 0;
                "\n"
            } else {
                " "
            };
            column += word.len() + usize::from(gap == " ");
            write!(f, "{gap}{word}")?;
        }
        f.write_str("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::transcript;

    fn error(text: &str) -> String {
        let error = PgnGame::parse(text).unwrap_err();
        format!("{error}, turn {:?}", error.turn)
    }

    #[test]
    fn places_of_errors_are_told() {
        assert_eq!(
            error("[Black \"a\"]\n\n1. f5 d6 2. a1"),
            "line 3, column 13: a1 turns no disc for black, turn Some(3)"
        );
        assert!(error("[Black ada]").starts_with("line 1, column 8: expected '\"' before"));
        assert!(error("[Black \"ada]\n").starts_with("line 1, column 13: expected '\"' behind"));
        assert!(error("f5 37-27 d6").starts_with("line 1, column 10: expected the end after the result"));
        assert!(error("f5 {").contains("'}' at its end"));
        assert!(error("f5 (d6 {)}").starts_with("line 1, column 4: expected a variation"));
        assert!(error("1. f5 2x").contains("'.' after a move number"));
        assert!(error(&"-- ".repeat(9)).contains("black may not pass"));
    }

    #[test]
    fn what_other_programs_add_is_passed_over_and_told() {
        let text = "[A \"b \\\"c\\\" \\\\\"]\n% set aside\n1. f5! $3 d6?? (1... f6 {(} (f4)) 2. c3 ; to the end\n d3 1/2-1/2 {drawn}";
        let pgn = PgnGame::parse(text).unwrap();
        assert_eq!(pgn.tags[0], ("A".to_owned(), "b \"c\" \\".to_owned()));
        assert_eq!(transcript::Transcript(&pgn.game).to_string(), "f5d6c3d3");
        assert_eq!(pgn.comments, [(3, "to the end".to_owned()), (4, "drawn".to_owned())]);
        assert_eq!(pgn.result.as_deref(), Some("1/2-1/2"));
        assert_eq!(pgn.unread, ["a mark behind a move", "a glyph", "a mark behind a move", "1 variation"]);
    }

    #[test]
    fn starts_and_passes_come_back() {
        for seed in 0..30 {
            let mut game = GameRecord::from_position(crate::testing::random_position(seed, 40));
            while !game.position().is_over() {
                let turn = game.position().moves().into_iter().next().map_or(Move::Pass, Move::Place);
                game.take(turn).unwrap();
            }
            let pgn = PgnGame { comments: vec![(0, "begin".into()), (5, "x".repeat(90))], ..PgnGame::new(game) };
            let text = pgn.to_string();
            assert_eq!(PgnGame::parse(&text).as_ref(), Ok(&pgn), "{text}");
        }
    }
}
