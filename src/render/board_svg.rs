//! A board as SVG.

use super::diagram::mover_and_discs;
use super::markup::{escape, svg_head};
use crate::othello::{Color, GameRecord, Position, Square};
use std::fmt::{self, Write};

/// A square's side, in the picture's units.
pub(super) const CELL: f64 = 50.0;
/// Room for the coordinates, on the left and at the top.
const COORDINATES: f64 = 28.0;
/// Room on the other sides.
const MARGIN: f64 = 10.0;
const BOARD: f64 = 8.0 * CELL;
const WIDTH: f64 = COORDINATES + BOARD + MARGIN;
const CAPTION: f64 = 26.0;
/// Of the coordinates and the caption.
const INK: &str = "#b9c9bf";
/// Of what marks the last disc.
const LAST: &str = "#e4572e";

/// A picture of a position.
///
/// ```
/// use emilia::othello::Position;
/// use emilia::render::BoardPicture;
/// let svg = BoardPicture::new(&Position::START).to_string();
/// assert!(svg.starts_with("<svg xmlns=") && svg.matches("url(#black)").count() == 2);
/// ```
#[derive(Debug, Clone)]
pub struct BoardPicture<'a> {
    position: &'a Position,
    placed: Vec<PlacedDisc>,
    last: Option<Square>,
    shows_moves: bool,
    labels: Vec<(Square, String)>,
    caption: String,
}

/// A disc that a turn of a game placed.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedDisc {
    pub square: Square,
    /// Which turn it was, from 1, passes counted.
    pub number: usize,
    pub mover: Color,
}

impl PlacedDisc {
    /// The discs that the first `turns` turns placed.
    pub fn of_game(game: &GameRecord, turns: usize) -> impl Iterator<Item = PlacedDisc> {
        let turns = game.positions().iter().zip(&game.turns()[..turns]).zip(1..);
        turns.filter_map(|((position, turn), number)| {
            Some(PlacedDisc { square: turn.square()?, number, mover: position.mover() })
        })
    }
}

impl<'a> BoardPicture<'a> {
    /// The discs alone.
    pub fn new(position: &'a Position) -> BoardPicture<'a> {
        let (placed, labels, caption) = (Vec::new(), Vec::new(), String::new());
        BoardPicture { position, placed, last: None, shows_moves: false, labels, caption }
    }

    /// The board of a game after its first `turns` turns, with the last disc marked.
    ///
    /// # Panics
    /// If the game has fewer turns.
    pub fn of_game(game: &'a GameRecord, turns: usize) -> BoardPicture<'a> {
        let last = game.turns()[..turns].iter().rev().find_map(|turn| turn.square());
        BoardPicture { last, ..BoardPicture::new(&game.positions()[turns]) }
    }

    /// Writes on each disc that one of the first `turns` turns of a game placed the number of the turn, from 1, passes counted. On a disc that
    /// has changed its colour since, the number stands on a smaller disc of the colour that was placed.
    pub fn numbered(mut self, game: &GameRecord, turns: usize) -> BoardPicture<'a> {
        self.placed = PlacedDisc::of_game(game, turns).collect();
        self
    }

    /// Marks the squares where the side to move may play.
    pub fn with_moves(mut self) -> BoardPicture<'a> {
        self.shows_moves = true;
        self
    }

    /// Writes texts of a few characters on empty squares.
    pub fn labelled(mut self, labels: impl IntoIterator<Item = (Square, String)>) -> BoardPicture<'a> {
        self.labels.extend(labels);
        self
    }

    /// A line of text below the board.
    pub fn with_caption(mut self, caption: impl Into<String>) -> BoardPicture<'a> {
        self.caption = caption.into();
        self
    }

    fn write_square(&self, f: &mut impl Write, square: Square) -> fmt::Result {
        let (x, y) = centre(square);
        match self.position.color_at(square) {
            Some(color) => {
                write!(f, "<circle cx=\"{x}\" cy=\"{:.1}\" r=\"21\" fill=\"#000\" opacity=\".22\"/>", y + 1.6)?;
                write!(f, "<circle cx=\"{x}\" cy=\"{y}\" r=\"21\" fill=\"url(#{color})\"/>")?;
                let is_last = self.last == Some(square);
                let placed = self.placed.iter().find(|disc| disc.square == square);
                if let Some(PlacedDisc { number, mover, .. }) = placed {
                    let (ground, ink) = match mover {
                        Color::Black => ("#1b1b1a", "#f2f2ee"),
                        Color::White => ("#f6f5ef", "#1d1d1b"),
                    };
                    if *mover != color {
                        write!(f, "<circle cx=\"{x}\" cy=\"{y}\" r=\"14\" fill=\"{ground}\"/>")?;
                    }
                    let (fill, weight) = if is_last { (LAST, 700) } else { (ink, 500) };
                    write!(
                        f,
                        "<text x=\"{x}\" y=\"{:.1}\" font-size=\"18\" font-weight=\"{weight}\" fill=\"{fill}\" \
                         text-anchor=\"middle\">{number}</text>",
                        y + 6.3
                    )?;
                } else if is_last {
                    write!(f, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{LAST}\"/>")?;
                }
            }
            None if let Some((_, label)) = self.labels.iter().find(|(labelled, _)| *labelled == square) => {
                let (y, label) = (y + 5.6, escape(label));
                write!(
                    f,
                    "<text x=\"{x}\" y=\"{y:.1}\" font-size=\"16\" font-weight=\"600\" fill=\"#f6f5ef\" \
                     text-anchor=\"middle\">{label}</text>"
                )?;
            }
            None if self.shows_moves && self.position.moves().contains(square) => {
                write!(f, "<circle cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"#0b3d27\" opacity=\".55\"/>")?;
            }
            None => return Ok(()),
        }
        f.write_char('\n')
    }
}

/// The middle of a square.
fn centre(square: Square) -> (f64, f64) {
    let along = |n: u8| COORDINATES + CELL * (f64::from(n) + 0.5);
    (along(square.column()), along(square.row()))
}

impl fmt::Display for BoardPicture<'_> {
    /// A whole SVG file, which needs nothing else.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let height = WIDTH + if self.caption.is_empty() { 0.0 } else { CAPTION };
        let label = format!("Othello board, {}", mover_and_discs(self.position));
        writeln!(f, "{}{DEFINITIONS}", svg_head((WIDTH, height), 14, &label))?;
        write_empty_board(f, height)?;
        for square in Square::all() {
            self.write_square(f, square)?;
        }
        if !self.caption.is_empty() {
            writeln!(
                f,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"14\" fill=\"{INK}\" text-anchor=\"middle\">{}</text>",
                COORDINATES + BOARD / 2.0,
                WIDTH + 14.0,
                escape(&self.caption)
            )?;
        }
        f.write_str("</svg>\n")
    }
}

/// The shine of the discs and of the cloth.
const DEFINITIONS: &str = "<defs>\
<radialGradient id=\"black\" cx=\".36\" cy=\".3\" r=\".85\"><stop offset=\"0\" stop-color=\"#565654\"/>\
<stop offset=\".45\" stop-color=\"#232322\"/><stop offset=\"1\" stop-color=\"#0c0c0c\"/></radialGradient>\
<radialGradient id=\"white\" cx=\".36\" cy=\".3\" r=\".9\"><stop offset=\"0\" stop-color=\"#fff\"/>\
<stop offset=\".6\" stop-color=\"#f1f0ea\"/><stop offset=\"1\" stop-color=\"#cfcdc2\"/></radialGradient>\
<linearGradient id=\"cloth\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\"><stop offset=\"0\" stop-color=\"#3a8f63\"/>\
<stop offset=\"1\" stop-color=\"#2c7650\"/></linearGradient></defs>";

/// The frame of this height, the squares and the coordinates.
fn write_empty_board(f: &mut impl Write, height: f64) -> fmt::Result {
    writeln!(f, "<rect width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" fill=\"#22302a\"/>")?;
    writeln!(
        f,
        "<rect x=\"{COORDINATES}\" y=\"{COORDINATES}\" width=\"{BOARD}\" height=\"{BOARD}\" fill=\"url(#cloth)\"/>"
    )?;
    let mut lines = String::new();
    for i in 0..=8 {
        let (at, end) = (COORDINATES + CELL * f64::from(i), COORDINATES + BOARD);
        write!(lines, "M{at} {COORDINATES}V{end}M{COORDINATES} {at}H{end}")?;
    }
    writeln!(f, "<path d=\"{lines}\" stroke=\"#174630\" stroke-width=\"1.4\" fill=\"none\"/>")?;
    for (column, row) in [(2, 2), (6, 2), (2, 6), (6, 6)] {
        let at = |n: i32| COORDINATES + CELL * f64::from(n);
        write!(f, "<circle cx=\"{}\" cy=\"{}\" r=\"3.6\" fill=\"#174630\"/>", at(column), at(row))?;
    }
    write!(f, "\n<g font-size=\"14\" fill=\"{INK}\" text-anchor=\"middle\">")?;
    for n in 0..8u8 {
        let at = COORDINATES + CELL * (f64::from(n) + 0.5);
        let (letter, digit) = (char::from(b'a' + n), n + 1);
        write!(f, "<text x=\"{at}\" y=\"19\">{letter}</text><text x=\"14\" y=\"{}\">{digit}</text>", at + 5.0)?;
    }
    writeln!(f, "</g>")
}

/// The board of a page: each square has everything that it may show, and a script and a style sheet say what it does show. What stands
/// there at first is this position.
pub(super) fn write_squares_for_script(out: &mut String, position: &Position) -> fmt::Result {
    writeln!(
        out,
        "<svg id=\"board\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {WIDTH}\" role=\"img\" aria-label=\"Board\">{DEFINITIONS}"
    )?;
    write_empty_board(out, WIDTH)?;
    for square in Square::all() {
        let class = match position.color_at(square) {
            Some(Color::Black) => "sq black",
            Some(Color::White) => "sq white",
            None => "sq",
        };
        let (x, y) = centre(square);
        let (below, text) = (y + 1.6, y + 6.3);
        writeln!(
            out,
            "<g class=\"{class}\" data-square=\"{square}\"><circle class=\"shade\" cx=\"{x}\" cy=\"{below:.1}\" r=\"21\" opacity=\".22\"/>\
             <circle class=\"disc\" cx=\"{x}\" cy=\"{y}\" r=\"21\"/><circle class=\"by\" cx=\"{x}\" cy=\"{y}\" r=\"14\"/>\
             <circle class=\"last\" cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"{LAST}\"/>\
             <circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"5\" fill=\"#0b3d27\" opacity=\".5\"/>\
             <text class=\"no\" x=\"{x}\" y=\"{text:.1}\" font-size=\"18\" text-anchor=\"middle\"></text>\
             <g class=\"ghost\"><circle class=\"g\" cx=\"{x}\" cy=\"{y}\" r=\"19\" opacity=\".72\" stroke=\"#e9c46a\" stroke-width=\"2\"/>\
             <text class=\"gn\" x=\"{x}\" y=\"{text:.1}\" font-size=\"18\" font-weight=\"600\" text-anchor=\"middle\"></text></g></g>"
        )?;
    }
    out.write_str("</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::transcript;

    #[test]
    fn a_picture_shows_what_is_there() {
        let game = transcript::parse("f5f4f3").unwrap();
        let svg = BoardPicture::of_game(&game, 3).numbered(&game, 3).with_moves().with_caption("a < b").to_string();
        assert_eq!(svg.matches("url(#black)").count(), game.position().discs(Color::Black).count() as usize);
        assert_eq!(svg.matches("url(#white)").count(), game.position().discs(Color::White).count() as usize);
        assert_eq!(svg.matches("opacity=\".55\"").count(), game.position().moves().count() as usize);
        assert!(svg.contains(">3</text>") && svg.contains("font-weight=\"700\"") && svg.contains("a &lt; b"), "{svg}");
        assert!(svg.contains("<rect width=\"438\" height=\"464\" rx"), "the caption has the ground of the frame");
        // White's f4 is black now.
        assert_eq!(svg.matches("r=\"14\" fill=\"#f6f5ef\"").count(), 1, "{svg}");
        assert!(
            !svg.contains("r=\"14\" fill=\"#1b1b1a\"") && svg.contains("fill=\"#1d1d1b\" text-anchor=\"middle\">2<")
        );
        assert!(svg.contains("white to move, black ") && !svg.contains("the game is over"));
        let end = BoardPicture::of_game(&transcript::parse("e6f4e3f6g5d6e7f5c5").unwrap(), 9).to_string();
        assert!(end.contains("the game is over, black 13, white 0") && !end.contains("to move"), "{end}");
        // The last disc of the first position is none.
        assert!(!BoardPicture::of_game(&game, 0).to_string().contains("#e4572e"));
    }
}
