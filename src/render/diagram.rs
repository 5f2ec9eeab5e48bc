//! Boards and games as text for a terminal of 80 columns.

use super::board_svg::PlacedDisc;
use super::curve_svg::severity;
use crate::analysis::{Commentary, Judgement};
use crate::othello::{Color, GameRecord, Move, Position, Square};
use std::fmt::{self, Write};

/// Whether text may have colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Palette {
    /// Plain ASCII.
    Plain,
    /// ANSI colours and round discs.
    Colored,
}

const RESET: &str = "\x1b[0m";
/// Black on the green of the cloth.
const CLOTH: &str = "\x1b[48;5;29m";
const BLACK_GROUND: &str = "\x1b[48;5;16m";
const WHITE_GROUND: &str = "\x1b[48;5;231m";
const BLACK_DISC: &str = "\x1b[38;5;16m";
const WHITE_DISC: &str = "\x1b[38;5;231m";
const MARK: &str = "\x1b[38;5;220m";
const FAINT: &str = "\x1b[2m";

impl Palette {
    /// A text in a style of ANSI codes, if there are colours.
    fn paint(self, style: &str, text: &str) -> String {
        match self {
            Palette::Plain => text.to_owned(),
            Palette::Colored => format!("{style}{text}{RESET}"),
        }
    }

    /// Text of less importance.
    pub fn faint(self, text: &str) -> String {
        self.paint(FAINT, text)
    }

    /// Text that stands out.
    pub fn strong(self, text: &str) -> String {
        self.paint("\x1b[1m", text)
    }

    /// A text in the colour of a loss in discs.
    pub fn loss(self, loss: f64, text: &str) -> String {
        match severity(loss) {
            "small" => text.to_owned(),
            "medium" => self.paint("\x1b[33m", text),
            "large" => self.paint("\x1b[38;5;208m", text),
            _ => self.paint("\x1b[1;31m", text),
        }
    }
}

/// Who is to move, or that nobody is, and the discs: `black to move, black 2, white 2`.
pub fn mover_and_discs(position: &Position) -> String {
    let (black, white) = (position.discs(Color::Black).count(), position.discs(Color::White).count());
    let state =
        if position.is_over() { "the game is over".to_owned() } else { format!("{} to move", position.mover()) };
    format!("{state}, black {black}, white {white}")
}

/// A board for a terminal, 29 columns wide and 10 lines high.
///
/// The last disc is marked by brackets, `(X)`, the squares where the side to move may play by `.`, and squares may have labels of up
/// to three characters, such as values or the numbers of moves.
///
/// ```
/// use emilia::othello::Position;
/// use emilia::render::{Diagram, Palette};
/// let text = Diagram::new(&Position::START, Palette::Plain).to_string();
/// assert!(text.contains("4  -  -  .  O  X  -  -  -  4\n"), "{text}");
/// ```
#[derive(Debug, Clone)]
pub struct Diagram<'a> {
    position: &'a Position,
    palette: Palette,
    last: Option<Square>,
    labels: Vec<Label>,
}

/// What stands on a square in place of its disc.
#[derive(Debug, Clone)]
struct Label {
    square: Square,
    text: String,
    /// The side whose colour it has, on a ground of the disc's colour if that is another one; if there is none, it has the disc's.
    color: Option<Color>,
}

impl<'a> Diagram<'a> {
    /// The discs alone.
    pub fn new(position: &'a Position, palette: Palette) -> Diagram<'a> {
        Diagram { position, palette, last: None, labels: Vec::new() }
    }

    /// With the last disc marked, if the last turn placed one.
    pub fn after(mut self, turn: Option<Move>) -> Diagram<'a> {
        self.last = turn.and_then(Move::square);
        self
    }

    /// With the numbers of the first `turns` turns of a game, from 1, passes counted, in place of the discs that they placed: in the colour of
    /// the side that did, if there are colours; on a disc that was turned since, the ground has the disc's colour.
    pub fn numbered(mut self, game: &GameRecord, turns: usize) -> Diagram<'a> {
        self.labels.extend(PlacedDisc::of_game(game, turns).map(|PlacedDisc { square, number, mover }| Label {
            square,
            text: number.to_string(),
            color: Some(mover),
        }));
        self
    }

    /// With these labels; only three characters of each are shown.
    pub fn labelled(mut self, labels: impl IntoIterator<Item = (Square, String)>) -> Diagram<'a> {
        self.labels.extend(labels.into_iter().map(|(square, text)| Label { square, text, color: None }));
        self
    }

    fn cell(&self, square: Square) -> String {
        let color = self.position.color_at(square);
        let label = self.labels.iter().rev().find(|label| label.square == square);
        let is_last = self.last == Some(square);
        let symbol = match (color, self.palette) {
            (Some(_), Palette::Colored) => "\u{25cf}",
            (Some(Color::Black), Palette::Plain) => "X",
            (Some(Color::White), Palette::Plain) => "O",
            (None, palette) if self.position.moves().contains(square) => match palette {
                Palette::Colored => "\u{b7}",
                Palette::Plain => ".",
            },
            (None, Palette::Colored) => " ",
            (None, Palette::Plain) => "-",
        };
        let text = match label {
            Some(label) => format!("{:>3.3}", label.text),
            None if is_last && self.palette == Palette::Plain => format!("({symbol})"),
            None => format!(" {symbol} "),
        };
        let mover = label.and_then(|label| label.color);
        let style = match mover.or(color) {
            Some(Color::Black) => BLACK_DISC,
            Some(Color::White) => WHITE_DISC,
            None => MARK,
        };
        match self.palette {
            Palette::Plain => text,
            // The last disc stands in a brighter square.
            Palette::Colored if is_last => format!("\x1b[48;5;71m{style}{text}"),
            Palette::Colored => {
                let ground = match color.filter(|color| mover.is_some_and(|mover| mover != *color)) {
                    Some(Color::Black) => BLACK_GROUND,
                    Some(Color::White) => WHITE_GROUND,
                    None => CLOTH,
                };
                format!("{ground}{style}{text}")
            }
        }
    }
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = ('a'..='h').fold(String::new(), |line, letter| line + &format!(" {letter} "));
        let letters = letters.trim_end();
        writeln!(f, "  {}", self.palette.faint(letters))?;
        for row in 0..8 {
            let number = (row + 1).to_string();
            write!(f, "{} ", self.palette.faint(&number))?;
            for column in 0..8 {
                if let Some(square) = Square::at(column, row) {
                    f.write_str(&self.cell(square))?;
                }
            }
            let end = if self.palette == Palette::Colored { RESET } else { "" };
            writeln!(f, "{end} {}", self.palette.faint(&number))?;
        }
        writeln!(f, "  {}", self.palette.faint(letters))
    }
}

/// A turn as people read it.
pub(crate) fn turn_name(turn: Move) -> String {
    match turn {
        Move::Place(square) => square.to_string(),
        Move::Pass => "pass".to_owned(),
    }
}

/// The moves of a game, one a line: number, mover, move, value for Black, loss, and what would have been best. Not wider than 80 columns.
pub fn game_table(commentary: &Commentary, palette: Palette) -> String {
    let mut text = palette.faint("  #  mover  move   value    loss  best\n");
    let record = &commentary.game.record;
    let worst = commentary.worst_turn(1.0);
    for (i, (position, turn)) in record.positions().iter().zip(record.turns()).enumerate() {
        let value = commentary.judgements[i + 1].as_ref().map_or_else(String::new, Judgement::to_string);
        let loss = commentary.losses[i].unwrap_or(0.0);
        let lost = if loss >= 0.05 { format!("{loss:.2}") } else { String::new() };
        let best = commentary.judgements[i].as_ref().and_then(|judgement| {
            let first = judgement.pv.first().filter(|first| *first != turn && loss >= 0.05)?;
            let line: Vec<String> = judgement.pv.iter().skip(1).take(8).copied().map(turn_name).collect();
            Some(format!("{} {}", turn_name(*first), line.join(" ")))
        });
        // Writing to a string cannot fail.
        let _ = write!(text, "{:>3}  {:<5}  {:<4}  {value:>6}  ", i + 1, position.mover(), turn_name(*turn));
        let _ = write!(text, "{}", palette.loss(loss, &format!("{lost:>6}")));
        let mark = if worst == Some(i) { " !" } else { "" };
        let rest = format!("{mark}  {}", best.unwrap_or_default());
        text.push_str(rest.trim_end());
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{read_position, transcript};

    #[test]
    fn a_diagram_reads_back() {
        let game = transcript::parse("f5d6c3d3c4").unwrap();
        let position = game.position();
        let plain = Diagram::new(position, Palette::Plain).to_string();
        assert_eq!(read_position(&format!("{plain}{} to move", position.mover())).unwrap().position(), position);
        let last = Diagram::new(position, Palette::Plain).after(game.turns().last().copied()).to_string();
        assert!(last.contains("(X)") && last.lines().all(|line| line.len() <= 29), "{last}");
        let numbered = Diagram::new(position, Palette::Plain).numbered(&game, 5).to_string();
        assert!(numbered.contains("  4") && numbered.lines().all(|line| line.len() <= 29), "{numbered}");
        // Black has to pass after eight moves.
        let game = transcript::parse("f5f6d3g5h5h4f7h6pac5").unwrap();
        let diagram = |palette| Diagram::new(game.position(), palette).numbered(&game, 10).to_string();
        let numbered = diagram(Palette::Plain);
        assert!(numbered.lines().nth(5).is_some_and(|row| row.contains(" 10 ")), "passes count: {numbered}");
        let colored = diagram(Palette::Colored);
        for (ground, ink, number) in [
            (CLOTH, WHITE_DISC, " 10"),
            (CLOTH, BLACK_DISC, "  3"),
            (WHITE_GROUND, BLACK_DISC, "  1"),
            (BLACK_GROUND, WHITE_DISC, "  2"),
        ] {
            assert!(colored.contains(&format!("{ground}{ink}{number}")), "{number}: {colored}");
        }
        let colored = Diagram::new(position, Palette::Colored).to_string();
        assert_eq!(
            colored.matches('\u{25cf}').count(),
            position.discs(Color::Black).count() as usize + position.discs(Color::White).count() as usize
        );
        assert!(colored.lines().all(|line| line.ends_with(RESET)));
    }
}
