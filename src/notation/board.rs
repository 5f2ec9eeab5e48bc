//! Boards in the spellings that programs and people use.

use super::cursor::{Cursor, EMOJI, is_blank};
use super::transcript::{self, Turns};
use super::{NotationError, Problem};
use crate::othello::{Bitboard, Color, GameRecord, Position, Square, legal_moves};
use std::fmt::{self, Write};

const A_SQUARE: &str = "a square (X or * black, O white, - or . empty)";
const THE_LAST_SQUARE: &str = "the last of 64 squares beside the one before, not the side to move";
const EIGHT: usize = 8;

/// The discs of a board and, once it is known, the side to move.
#[derive(Clone, Copy)]
pub(super) struct Board {
    black: Bitboard,
    white: Bitboard,
    pub(super) mover: Option<Color>,
}

impl Board {
    pub(super) const EMPTY: Board = Board { black: Bitboard::EMPTY, white: Bitboard::EMPTY, mover: None };

    /// The discs of a position; its mover is left open.
    pub(super) fn of(position: &Position) -> Board {
        Board { black: position.discs(Color::Black), white: position.discs(Color::White), mover: None }
    }

    /// Puts a disc on a square, or takes the one there away.
    pub(super) fn set(&mut self, square: Square, disc: Option<Color>) {
        self.black &= !square.bit();
        self.white &= !square.bit();
        match disc {
            Some(Color::Black) => self.black |= square.bit(),
            Some(Color::White) => self.white |= square.bit(),
            None => {}
        }
    }

    /// The position; a mover that is not known is inferred, as [`infer_mover`] does.
    pub(super) fn position(&self, text: &str, offset: usize) -> Result<Position, NotationError> {
        let mover = self.mover.unwrap_or_else(|| infer_mover(self.black, self.white));
        Position::new(self.black, self.white, mover)
            .map_err(|problem| NotationError::at(text, offset, Problem::Board(problem)))
    }

    /// The game that starts here and goes on with these turns. Where the mover is not known and the turns can be
    /// played from one side only, that side is to move.
    fn game(&self, turns: &Turns, text: &str, offset: usize) -> Result<GameRecord, NotationError> {
        let start = self.position(text, offset)?;
        let game = turns.play(text, start);
        if game.is_err() && self.mover.is_none() {
            return turns.play(text, start.pass()).or(game);
        }
        game
    }
}

/// The side to move on a board that does not say: the side that has a move if only one has; else Black if the number
/// of discs is even and White if it is odd, which is right for every game from the standard start with an even number
/// of passes so far.
pub fn infer_mover(black: Bitboard, white: Bitboard) -> Color {
    let black_can = !legal_moves(black, white).is_empty();
    let white_can = !legal_moves(white, black).is_empty();
    match (black_can, white_can) {
        (true, false) => Color::Black,
        (false, true) => Color::White,
        _ if (black | white).count().is_multiple_of(2) => Color::Black,
        _ => Color::White,
    }
}

/// What a character says about a square: `Some(None)` for an empty one.
pub(super) fn square_of(c: char) -> Option<Option<Color>> {
    match c {
        '-' | '.' | '_' | '\u{b7}' | '\u{1f7e9}' => Some(None),
        'x' | 'X' | 'b' | 'B' | '*' | '#' | '@' | '\u{25cf}' | '\u{26ab}' => Some(Some(Color::Black)),
        'o' | 'O' | 'w' | 'W' | '\u{25cb}' | '\u{26aa}' => Some(Some(Color::White)),
        _ => None,
    }
}

fn is_separator(c: char) -> bool {
    is_blank(c) || matches!(c, '|' | ',' | '/')
}

/// Reads a board, the mover if it is there, and the moves that follow.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<GameRecord, NotationError> {
    let text = cursor.text();
    cursor.skip_blanks();
    let offset = cursor.offset();
    if let Some((board, turns)) = diagram(cursor)? {
        return board.game(&turns, text, offset);
    }
    let board = match fen(cursor)? {
        Some(board) => board,
        None => squares_and_mover(cursor)?,
    };
    cursor.skip_blanks();
    // What follows a semicolon in an OBF line, and a comment, is not a move.
    let turns = match cursor.peek() {
        Some(';' | '%') => Turns::default(),
        _ => Turns::read(cursor)?,
    };
    board.game(&turns, text, offset)
}

/// Reads `BO[8 ...]`, the same without the brackets, or 64 squares, and the mover.
pub(super) fn squares_and_mover(cursor: &mut Cursor<'_>) -> Result<Board, NotationError> {
    let start = cursor.clone();
    let bracket = cursor.eat("BO[");
    if !bracket {
        *cursor = start;
    }
    let board = sized(cursor)?;
    if board.mover.is_none() {
        // One more empty square would pass for the beginning of a pass, `--`.
        cursor.skip_blanks();
        if cursor.peek().and_then(square_of) == Some(None) {
            return Err(cursor.expected("the side to move or a move after 64 squares"));
        }
    }
    if bracket {
        cursor.skip_blanks();
        if !cursor.eat("]") {
            return Err(cursor.expected("']' after the side to move"));
        }
    }
    Ok(board)
}

/// Reads a board that may begin with its size, as GGS sends it: `8 -------- ... *`.
pub(super) fn sized(cursor: &mut Cursor<'_>) -> Result<Board, NotationError> {
    cursor.skip_blanks();
    let mut ahead = cursor.clone();
    ahead.skip_while(|c| c.is_ascii_digit());
    let digits = ahead.offset() - cursor.offset();
    if digits > 1 && ahead.peek().is_some_and(is_blank) {
        return Err(cursor.error(Problem::OtherGame("another size of board")));
    }
    let mut board = squares(cursor)?;
    board.mover = mover(cursor);
    Ok(board)
}

/// The digits that may label the rows of a board: which digit stands how many rows into it.
type Label = (usize, char);

/// Reads 64 squares with any separators, and with labels around all columns and rows or none.
fn squares(cursor: &mut Cursor<'_>) -> Result<Board, NotationError> {
    skip_column_letters(cursor);
    let mut board = Board::EMPTY;
    let mut labels: Vec<Label> = Vec::new();
    let mut first_label = cursor.clone();
    let mut count = 0u8;
    let mut is_apart = false;
    while let Some(square) = Square::new(count) {
        let (end, was_apart) = (cursor.offset(), is_apart);
        cursor.skip_while(is_separator);
        is_apart = cursor.offset() > end;
        // Where only the last one stands apart, a square is missing before the side to move.
        let is_alone = count == 63 && is_apart && !was_apart && labels.iter().all(|&label| label == (0, '8'));
        if is_alone && cursor.peek().and_then(square_of).is_some() {
            return Err(cursor.expected(THE_LAST_SQUARE));
        }
        let Some(c) = cursor.peek() else {
            return Err(cursor.error(Problem::TooFewSquares(count.into())));
        };
        if let Some(disc) = square_of(c) {
            board.set(square, disc);
            count += 1;
        } else if count.is_multiple_of(8) && ('1'..='8').contains(&c) && labels.len() < 2 * EIGHT {
            if labels.is_empty() {
                first_label = cursor.clone();
            }
            labels.push((usize::from(count) / EIGHT, c));
        } else if matches!(c, '0' | '1') {
            return Err(cursor.error(Problem::AmbiguousDigit(c)));
        } else {
            return Err(cursor.expected(A_SQUARE));
        }
        cursor.bump();
        cursor.skip_while(|c| c == EMOJI);
    }
    // A label behind the last row, if the other rows have theirs behind them too: one belongs to each row end.
    let behind = labels.iter().any(|&(rows, digit)| rows == 1 && (digit == '1' || digit == '8'));
    let mut ahead = cursor.clone();
    ahead.skip_while(is_separator);
    if behind && let Some(digit @ '1'..='8') = ahead.peek() {
        ahead.bump();
        labels.push((EIGHT, digit));
        *cursor = ahead;
    }
    let size = [(0, '8')];
    if labels.is_empty() || labels == size || labelled(&labels, false) {
        Ok(board)
    } else if labelled(&labels, true) {
        Ok(Board { black: Bitboard(board.black.0.swap_bytes()), white: Bitboard(board.white.0.swap_bytes()), ..board })
    } else {
        Err(match first_label.peek() {
            Some('1') => first_label.error(Problem::AmbiguousDigit('1')),
            _ => first_label.expected(A_SQUARE),
        })
    }
}

/// Whether the labels are those of all rows, before or behind them or both.
fn labelled(labels: &[Label], from_the_bottom: bool) -> bool {
    let digits: &[char] = match from_the_bottom {
        false => &['1', '2', '3', '4', '5', '6', '7', '8'],
        true => &['8', '7', '6', '5', '4', '3', '2', '1'],
    };
    let before = || digits.iter().enumerate().map(|(row, &digit)| (row, digit));
    let behind = || digits.iter().enumerate().map(|(row, &digit)| (row + 1, digit));
    let both = || before().zip(behind()).flat_map(|(left, right)| [left, right]);
    let labels = || labels.iter().copied();
    labels().eq(before()) || labels().eq(behind()) || labels().eq(both())
}

/// Passes `a b c d e f g h` in any case, with or without blanks between.
fn skip_column_letters(cursor: &mut Cursor<'_>) {
    let mut ahead = cursor.clone();
    for letter in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        ahead.skip_while(is_separator);
        if !ahead.eat(letter) {
            return;
        }
    }
    *cursor = ahead;
}

/// A side by its name or by one of its square characters, alone.
fn side(word: &str) -> Option<Color> {
    if word.eq_ignore_ascii_case("black") {
        return Some(Color::Black);
    }
    if word.eq_ignore_ascii_case("white") {
        return Some(Color::White);
    }
    let mut characters = word.chars();
    let c = characters.next()?;
    characters.next().is_none().then(|| square_of(c)).flatten().flatten()
}

/// Reads the side to move behind 64 squares: `X`, `black`, `white to move, ...`. A `b` before a digit is a move.
fn mover(cursor: &mut Cursor<'_>) -> Option<Color> {
    let mut ahead = cursor.clone();
    ahead.skip_while(is_blank);
    skip_column_letters(&mut ahead);
    ahead.skip_while(is_blank);
    let word = ["black", "white"].into_iter().find(|name| ahead.eat(name)).and_then(side);
    let color = word.or_else(|| {
        let color = ahead.peek().and_then(square_of).flatten()?;
        let is_a_move = ahead.square().is_some();
        ahead.bump();
        (!is_a_move).then_some(color)
    })?;
    *cursor = ahead.clone();
    ahead.skip_while(is_blank);
    if ahead.eat("to move") || ahead.eat("to play") {
        ahead.skip_while(|c| is_blank(c) || matches!(c, '.' | ',' | ':' | ')' | ']'));
        let line = ahead.rest_of_line();
        // Moves follow, or values of moves, as in OBF; else words.
        let are_values = line.starts_with(';') && line.contains(':');
        let are_moves = transcript::begins(&ahead) && transcript::parse_turns(line).is_ok();
        cursor.go_to(ahead.offset() + if are_values || are_moves { 0 } else { line.len() });
    }
    Some(color)
}

/// Reads a board with strokes between the rows and digits for runs of empty squares: UGI's, rows from the first to the eighth with `x` black and `o`
/// white, or that of xboard's "reversi", rows from the eighth to the first with `p` black and `P` white. `None` if the text does not look like one.
fn fen(cursor: &mut Cursor<'_>) -> Result<Option<Board>, NotationError> {
    let of_ugi = |c: char| matches!(c, 'x' | 'X' | 'o' | 'O');
    let of_the_form = |c: char| of_ugi(c) || matches!(c, '1'..='8' | 'p' | 'P' | '/');
    let board_text = &cursor.rest()[..cursor.rest().len() - cursor.rest().trim_start_matches(of_the_form).len()];
    if board_text.bytes().filter(|&b| b == b'/').count() != EIGHT - 1 {
        return Ok(None);
    }
    let mut board = Board::EMPTY;
    let from_the_first = board_text.contains(of_ugi);
    let (mut number, mut column) = (0u8, 0u8);
    for _ in 0..board_text.len() {
        let c = cursor.peek().unwrap_or_default();
        match c {
            '/' if column == 8 && number < 7 => (number, column) = (number + 1, 0),
            '/' => return Err(cursor.expected("eight squares in each row")),
            _ => {
                let width = if c.is_ascii_digit() { c as u8 - b'0' } else { 1 };
                if column + width > 8 {
                    return Err(cursor.expected("eight squares in each row"));
                }
                let row = if from_the_first { number } else { 7 - number };
                if let (Some(square), false) = (Square::at(column, row), c.is_ascii_digit()) {
                    board.set(square, Some(if matches!(c, 'p' | 'x' | 'X') { Color::Black } else { Color::White }));
                }
                column += width;
            }
        }
        cursor.bump();
    }
    if column != 8 || number != 7 {
        return Err(cursor.expected("eight rows of eight squares"));
    }
    board.mover = mover(cursor);
    // Fields that other games need (castling, clocks) stand here in the records of some programs.
    loop {
        cursor.skip_while(is_blank);
        let word = cursor.rest().split(is_blank).next().unwrap_or_default();
        if word.is_empty() || !(word == "-" || word.bytes().all(|b| b.is_ascii_digit())) {
            return Ok(Some(board));
        }
        cursor.go_to(cursor.offset() + word.len());
    }
}

/// Writes the rows of a board in this order, numbers for the runs of empty squares, and strokes between the rows.
pub(crate) fn write_rows(
    f: &mut fmt::Formatter<'_>,
    position: &Position,
    rows: impl Iterator<Item = u8>,
    letter: impl Fn(Color) -> char,
) -> fmt::Result {
    for (number, row) in rows.enumerate() {
        if number > 0 {
            f.write_char('/')?;
        }
        let mut empty = 0;
        for column in 0..8 {
            let disc = Square::at(column, row).and_then(|square| position.color_at(square));
            empty += u8::from(disc.is_none());
            if empty > 0 && (disc.is_some() || column == 7) {
                write!(f, "{}", std::mem::take(&mut empty))?;
            }
            disc.map_or(Ok(()), |color| f.write_char(letter(color)))?;
        }
    }
    Ok(())
}

/// Reads a diagram: eight lines that each begin with their own row number, anything behind their squares and between
/// them. The last disc may stand in parentheses. Words such as `* to move` or `Next move: Black`, or a line of its own, name the mover; moves
/// may follow below. `None` if there are no such eight lines.
fn diagram(cursor: &mut Cursor<'_>) -> Result<Option<(Board, Turns)>, NotationError> {
    let mut board = Board::EMPTY;
    let mut rows_seen = 0u8;
    let mut words = String::new();
    let mut below = cursor.offset();
    for line in cursor.rest().split_inclusive('\n') {
        below += line.len();
        if let Some((row, discs, behind)) = diagram_row(line) {
            if rows_seen >> row & 1 != 0 {
                return Ok(None);
            }
            rows_seen |= 1 << row;
            for (column, disc) in (0..8).zip(discs) {
                board.set(Square::at(column, row).expect("both are below eight"), disc);
            }
            words.push_str(behind);
        } else {
            words.push_str(line);
        }
        if rows_seen == 0xff {
            break;
        }
    }
    if rows_seen != 0xff {
        return Ok(None);
    }
    cursor.go_to(below);
    // What stands below a board says more than words above it, which may be names.
    let (above, mut said_below) = (spoken_mover(&words), None);
    let mut turns = Turns::default();
    loop {
        cursor.skip_blanks();
        skip_column_letters(cursor);
        cursor.skip_blanks();
        let line = cursor.rest_of_line();
        board.mover = said_below.or(above);
        if line.is_empty() {
            return Ok(Some((board, turns)));
        }
        if diagram_row(line).is_some() {
            return Err(cursor.error(Problem::SecondBoard));
        }
        if transcript::begins(cursor) {
            turns = Turns::read(cursor)?;
            return Ok(Some((board, turns)));
        }
        said_below = said_below.or_else(|| spoken_mover(line)).or_else(|| side(line.trim()));
        cursor.go_to(cursor.offset() + line.len());
    }
}

/// Whether a text has as many lines of a diagram as a board has rows.
pub(super) fn has_diagram(text: &str) -> bool {
    text.lines().filter(|line| diagram_row(line).is_some()).count() >= EIGHT
}

/// Whether a line has the names that `emilia show` writes above a board. Those of a game in parentheses stand elsewhere.
pub(super) fn is_heading(line: &str) -> bool {
    line.contains(" (black) - ") && !line.contains("(;")
}

/// Whether a text begins with such names, and a board follows.
pub(super) fn has_heading(text: &str) -> bool {
    text.lines().next().is_some_and(is_heading) && has_diagram(text)
}

/// Whether a whole board stands here, whatever follows it.
pub(super) fn is_whole(cursor: &Cursor<'_>) -> bool {
    let mut bare = cursor.clone();
    bare.eat("BO[");
    !matches!(diagram(&mut cursor.clone()), Ok(None)) || sized(&mut bare).is_ok()
}

/// A line of a diagram: its row, its squares and what stands behind them.
fn diagram_row(line: &str) -> Option<(u8, [Option<Color>; EIGHT], &str)> {
    let mut cursor = Cursor::new(line);
    let separates = |c: char| is_blank(c) || matches!(c, '|' | '(' | ')');
    cursor.skip_while(|c| is_blank(c) || c == '|');
    let digit @ '1'..='8' = cursor.peek()? else {
        return None;
    };
    cursor.bump();
    let mut discs = [None; EIGHT];
    for disc in &mut discs {
        cursor.skip_while(separates);
        *disc = square_of(cursor.peek()?)?;
        cursor.bump();
    }
    cursor.skip_while(|c| is_blank(c) || matches!(c, '|' | ')'));
    if cursor.peek() == Some(digit) {
        cursor.bump();
    }
    Some((digit as u8 - b'1', discs, cursor.rest()))
}

/// The side that words around a diagram name: before `to move`, `to play` or `'s turn`, behind `move:`, `turn:`, `mover:`, `next:` or `to play:`, or
/// before `moves` or `plays` at the end of a line. The quote of `'s` is a blank by now.
fn spoken_mover<'a>(words: &'a str) -> Option<Color> {
    let bare = |word: &str| side(word.trim_matches(|c| matches!(c, '(' | ')' | '[' | ']' | ':' | ',' | ';' | '=')));
    let is = |word: &str, names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    let is_last = |word: &str, names: &[&str]| is(word.trim_end_matches([',', '.', ')', ';', ']']), names);
    let of_three = |three: &[&str]| {
        let is_named = is(three[1], &["to"]) && is_last(three[2], &["move", "play"])
            || is(three[1], &["s"]) && is_last(three[2], &["turn"]);
        is_named.then(|| bare(three[0])).flatten()
    };
    let of_two =
        |two: &[&str]| is(two[0], &["move:", "turn:", "mover:", "next:", "play:"]).then(|| bare(two[1])).flatten();
    let of_end = |line: &[&str]| match line {
        [.., who, last] if is_last(last, &["moves", "plays"]) => bare(who),
        _ => None,
    };
    let split = |text: &'a str| text.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<&str>>();
    let all = split(words);
    let named = all.windows(3).find_map(of_three).or_else(|| all.windows(2).find_map(of_two));
    named.or_else(|| words.lines().find_map(|line| of_end(&split(line))))
}
