//! Whose turn it is and where the discs are.

use super::{Bitboard, GameRecord, Square, flips, legal_moves};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::ops::{Neg, Not};
use strum::Display;
use thiserror::Error;

/// A side. Black moves first from the standard start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Display, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Color {
    /// The side that moves first from the standard start (`X`, `*`).
    Black,
    /// The other side (`O`).
    White,
}

impl Color {
    /// A value for this side as one for Black, or the other way round: White's has the other sign.
    pub fn signed<T: Neg<Output = T>>(self, value: T) -> T {
        match self {
            Color::Black => value,
            Color::White => -value,
        }
    }

    /// `Black` or `White`.
    pub const fn capital(self) -> &'static str {
        match self {
            Color::Black => "Black",
            Color::White => "White",
        }
    }

    /// `B` or `W`.
    pub fn letter(self) -> char {
        self.capital().chars().next().expect("no name is empty")
    }
}

impl Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

/// A turn: a disc placed, or a pass, which is legal only for a side that cannot place one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Move {
    /// A disc on an empty square, turning at least one opposing disc.
    Place(Square),
    /// No disc.
    Pass,
}

impl Move {
    /// The square, unless it is a pass.
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Place(square) => Some(square),
            Move::Pass => None,
        }
    }
}

impl fmt::Display for Move {
    /// `f5` or `pa`; alternate (`{:#}`) for the capitals that NBoard writes: `F5` or `PA`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, f.alternate()) {
            (Move::Place(square), false) => write!(f, "{square}"),
            (Move::Place(square), true) => f.write_str(&square.to_upper()),
            (Move::Pass, false) => f.write_str("pa"),
            (Move::Pass, true) => f.write_str("PA"),
        }
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A position: the discs of the side to move, the discs of the other side, and who the side to move is.
///
/// Always a legal board: no square holds two discs, and there are at least the four discs that a game begins with, on whichever
/// squares. The side to move may have no move: it has to pass, or the game is over.
///
/// ```
/// use emilia::othello::{Color, Position};
/// let start = Position::START;
/// let after = start.play("f5".parse().unwrap()).unwrap();
/// assert_eq!(after.mover(), Color::White);
/// assert_eq!(after.discs(Color::Black).count(), 4);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    player: Bitboard,
    opponent: Bitboard,
    mover: Color,
}

/// Why discs are not a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PositionError {
    /// A square holds a black and a white disc.
    #[error("{0} holds a black and a white disc")]
    Overlap(Square),
    /// Fewer discs than every game has from its beginning on.
    #[error("discs: {0}; expected at least four")]
    TooFewDiscs(u32),
}

/// Why a turn cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The square already holds a disc.
    #[error("{0} is occupied")]
    Occupied(Square),
    /// No opposing disc would turn.
    #[error("{0} turns no disc for {1}")]
    TurnsNothing(Square, Color),
    /// A pass while a move exists.
    #[error("{0} may not pass: it has a move")]
    MayNotPass(Color),
    /// More turns than any game has.
    #[error("a game has at most {} turns", GameRecord::LONGEST)]
    GameTooLong,
}

impl Position {
    /// The standard start: white on d4 and e5, black on e4 and d5, black to move.
    pub const START: Position = Position {
        player: Bitboard(0x0000_0008_1000_0000),
        opponent: Bitboard(0x0000_0010_0800_0000),
        mover: Color::Black,
    };

    /// The discs that every game begins with, and never loses.
    pub const LEAST_DISCS: u32 = 4;

    /// A position from the discs of each colour and the side to move.
    ///
    /// # Errors
    /// If the sides share a square, or there are fewer than [`Position::LEAST_DISCS`] discs.
    pub fn new(black: Bitboard, white: Bitboard, mover: Color) -> Result<Position, PositionError> {
        if let Some(square) = (black & white).into_iter().next() {
            return Err(PositionError::Overlap(square));
        }
        let discs = (black | white).count();
        if discs < Position::LEAST_DISCS {
            return Err(PositionError::TooFewDiscs(discs));
        }
        let (player, opponent) = match mover {
            Color::Black => (black, white),
            Color::White => (white, black),
        };
        Ok(Position { player, opponent, mover })
    }

    /// The side to move.
    #[inline]
    pub const fn mover(&self) -> Color {
        self.mover
    }

    /// The discs of the side to move.
    #[inline]
    pub const fn player(&self) -> Bitboard {
        self.player
    }

    /// The discs of the side that is not to move.
    #[inline]
    pub const fn opponent(&self) -> Bitboard {
        self.opponent
    }

    /// The discs of the side to move and those of the other one: what positions have in common that differ in the colours alone.
    #[inline]
    pub const fn boards(&self) -> (Bitboard, Bitboard) {
        (self.player, self.opponent)
    }

    /// The discs of one colour.
    pub fn discs(&self, color: Color) -> Bitboard {
        if color == self.mover { self.player } else { self.opponent }
    }

    /// The empty squares.
    #[inline]
    pub fn empties(&self) -> Bitboard {
        !(self.player | self.opponent)
    }

    /// The colour of the disc on a square, if there is one.
    pub fn color_at(&self, square: Square) -> Option<Color> {
        if self.player.contains(square) {
            Some(self.mover)
        } else if self.opponent.contains(square) {
            Some(!self.mover)
        } else {
            None
        }
    }

    /// The squares that the side to move may play; none if it must pass or the game is over.
    #[inline]
    pub fn moves(&self) -> Bitboard {
        legal_moves(self.player, self.opponent)
    }

    /// The squares that the other side could play if it were to move.
    #[inline]
    pub fn opponent_moves(&self) -> Bitboard {
        legal_moves(self.opponent, self.player)
    }

    /// Whether the side to move has no move but the other side has one.
    pub fn must_pass(&self) -> bool {
        self.moves().is_empty() && !self.opponent_moves().is_empty()
    }

    /// Whether neither side has a move.
    pub fn is_over(&self) -> bool {
        self.moves().is_empty() && self.opponent_moves().is_empty()
    }

    /// The position after a disc on `square`.
    ///
    /// # Errors
    /// If the square is occupied, or a disc there turns none.
    pub fn play(&self, square: Square) -> Result<Position, IllegalMove> {
        if !self.empties().contains(square) {
            return Err(IllegalMove::Occupied(square));
        }
        if !self.moves().contains(square) {
            return Err(IllegalMove::TurnsNothing(square, self.mover));
        }
        Ok(self.after(square))
    }

    /// The position after a turn. A pass is accepted whenever the side to move has no move, even when the game is over,
    /// because clients end games with two passes.
    ///
    /// # Errors
    /// If a disc may not be placed there, or the side to move passes although it has a move.
    pub fn take(&self, turn: Move) -> Result<Position, IllegalMove> {
        match turn {
            Move::Place(square) => self.play(square),
            Move::Pass if self.moves().is_empty() => Ok(self.pass()),
            Move::Pass => Err(IllegalMove::MayNotPass(self.mover)),
        }
    }

    /// The position after a disc on a square known to be legal, as the searches play it.
    #[inline]
    pub fn after(&self, square: Square) -> Position {
        debug_assert!(self.moves().contains(square), "{square} in\n{self}");
        self.after_turning(square, flips(square, self.player, self.opponent))
    }

    /// The position after a disc on `square` that turns `turned`.
    #[inline]
    pub(crate) fn after_turning(&self, square: Square, turned: Bitboard) -> Position {
        Position { player: self.opponent ^ turned, opponent: self.player | turned | square.bit(), mover: !self.mover }
    }

    /// These discs with the other side to move.
    #[inline]
    pub fn pass(&self) -> Position {
        Position { player: self.opponent, opponent: self.player, mover: !self.mover }
    }

    /// This position with the colours exchanged: what the side to move sees does not change.
    pub fn swap_colors(&self) -> Position {
        Position { mover: !self.mover, ..*self }
    }

    /// The position with every disc moved by a map of the board onto itself, such as a symmetry.
    pub(super) fn map_boards(&self, map: impl Fn(Bitboard) -> Bitboard) -> Position {
        Position { player: map(self.player), opponent: map(self.opponent), mover: self.mover }
    }

    /// The score as if the game ended here, for the side to move, in discs from −64 to 64: the difference, with the
    /// empty squares given to the winner.
    #[inline]
    pub fn score(&self) -> i32 {
        final_score(self.player, self.opponent)
    }

    /// [`Position::score`] for Black.
    pub fn score_for_black(&self) -> i32 {
        self.mover.signed(self.score())
    }
}

/// The score of a finished game for `player`, in discs from −64 to 64, empty squares given to the winner.
#[inline]
pub fn final_score(player: Bitboard, opponent: Bitboard) -> i32 {
    let (p, o) = (player.count() as i32, opponent.count() as i32);
    match p.cmp(&o) {
        std::cmp::Ordering::Greater => 64 - 2 * o,
        std::cmp::Ordering::Less => 2 * p - 64,
        std::cmp::Ordering::Equal => 0,
    }
}

impl fmt::Display for Position {
    /// 64 squares of `X`, `O` and `-` from a1 to h8, a blank and the side to move: the line that every reader takes.
    /// Alternate (`{:#}`): a diagram with coordinates, legal moves as dots.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let diagram = f.alternate();
        let symbol = |square| match self.color_at(square) {
            Some(Color::Black) => 'X',
            Some(Color::White) => 'O',
            None if diagram && self.moves().contains(square) => '.',
            None => '-',
        };
        let mover = match self.mover {
            Color::Black => 'X',
            Color::White => 'O',
        };
        if !diagram {
            let squares: String = Square::all().map(symbol).collect();
            return write!(f, "{squares} {mover}");
        }
        writeln!(f, "  a b c d e f g h")?;
        for row in 0..8 {
            write!(f, "{}", row + 1)?;
            for column in 0..8 {
                let square = Square::at(column, row).expect("on the board");
                write!(f, " {}", symbol(square))?;
            }
            writeln!(f, " {}", row + 1)?;
        }
        writeln!(f, "  a b c d e f g h")?;
        write!(
            f,
            "{} to move, black {}, white {}",
            self.mover,
            self.discs(Color::Black).count(),
            self.discs(Color::White).count()
        )
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_the_published_one() {
        assert_eq!(Position::START.to_string(), "---------------------------OX------XO--------------------------- X");
        let names: Vec<String> = Position::START.moves().into_iter().map(|s| s.to_string()).collect();
        assert_eq!(names, ["d3", "c4", "f5", "e6"]);
    }

    #[test]
    fn boards_with_too_few_discs_or_two_on_a_square_are_refused() {
        let d4: Square = "d4".parse().unwrap();
        assert_eq!(Position::new(Bitboard::CENTRE, d4.bit(), Color::Black), Err(PositionError::Overlap(d4)));
        let three = Bitboard::CENTRE ^ d4.bit();
        assert_eq!(Position::new(three, Bitboard::EMPTY, Color::White), Err(PositionError::TooFewDiscs(3)));
        assert!(Position::new(three, Bitboard(1), Color::White).is_ok(), "the centre may be empty");
    }

    #[test]
    fn illegal_turns_are_named() {
        let start = Position::START;
        let square = |name: &str| name.parse::<Square>().unwrap();
        assert_eq!(start.play(square("d4")), Err(IllegalMove::Occupied(square("d4"))));
        assert_eq!(start.play(square("a1")), Err(IllegalMove::TurnsNothing(square("a1"), Color::Black)));
        assert_eq!(start.take(Move::Pass), Err(IllegalMove::MayNotPass(Color::Black)));
    }

    #[test]
    fn empties_go_to_the_winner() {
        let centre = Bitboard::CENTRE;
        let wiped_out = Position::new(centre, Bitboard::EMPTY, Color::White).unwrap();
        assert!(wiped_out.is_over());
        assert_eq!((wiped_out.score(), wiped_out.score_for_black()), (-64, 64));
        assert_eq!(final_score(Bitboard(0xff), Bitboard(0xff00)), 0);
    }
}
