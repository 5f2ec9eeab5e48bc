//! What Emilia and her book say of a position.

use super::{OVER, Session};
use crate::othello::Square;
use crate::render::{COLUMNS, Diagram, book_table};
use crate::search::{Contempt, Line, Score};

/// The moves of the expected play that a hint shows.
const HINT_MOVES: usize = 12;

impl Session {
    /// The best moves by a search.
    pub(super) fn hint(&mut self, count: usize) -> Result<String, String> {
        if self.is_over() {
            return Err(OVER.to_owned());
        }
        let lines = self.opponent.hint(self.game.record.position(), count);
        if lines.is_empty() {
            return Err("Interrupted before any move had a value.".to_owned());
        }
        let values = lines.iter().filter_map(|line| Some((line.turn.square()?, line.score)));
        let shown: String = lines.iter().take(count).map(hint_line).collect();
        Ok(format!("{}{shown}", self.board_with(values)))
    }

    /// The moves that the opening book knows.
    pub(super) fn book(&self) -> Result<String, String> {
        if self.is_over() {
            return Err(OVER.to_owned());
        }
        let book = self.opponent.book().ok_or("There is no opening book; '--book FILE' names one.")?;
        let view = book.look_up(self.game.record.position(), Contempt::NONE)?;
        let view = view.ok_or("The opening book does not have this position.")?;
        let values = view.moves.iter().filter_map(|found| Some((found.turn.square()?, found.value?)));
        Ok(format!("{}{}", self.board_with(values), book_table(&view, COLUMNS)))
    }

    /// The board with the values of moves on their squares, in whole discs.
    fn board_with(&self, values: impl Iterator<Item = (Square, Score)>) -> String {
        let labels = values.map(|(square, value)| (square, format!("{:+}", value.discs().round() as i32)));
        let board = Diagram::new(self.game.record.position(), self.palette).after(self.last_disc()).labelled(labels);
        format!("\n{board}")
    }
}

fn hint_line(line: &Line) -> String {
    let pv: Vec<String> = line.pv.iter().take(HINT_MOVES).map(ToString::to_string).collect();
    let depth = if line.depth.is_exact() { "exact".to_owned() } else { format!("depth {}", line.depth) };
    format!("{:>4}  {}  {depth:<12}  {}\n", line.turn.to_string(), line.score, pv.join(" "))
}
