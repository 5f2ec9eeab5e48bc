//! What Emilia and her book say of a position, and of a game that is over.

use super::{OVER, Session, spoken};
use crate::analysis::Review;
use crate::othello::{Color, Move, Square};
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

    /// What decided the game, and the worst moves.
    pub(super) fn turning_point(&self) -> String {
        let Some(review) = self.opponent.review(&self.game) else { return String::new() };
        let worst = self.worst_moves(&review);
        let Some(point) = review.turning_point_to(self.game.score_for_black()) else {
            return match self.game.record.position().is_over() {
                true => format!("No single move decided the game: it has no turning point.\n{worst}"),
                false => worst,
            };
        };
        let Some(turn) = review.turns.iter().find(|turn| turn.turn == point.turn) else { return worst };
        let played = turn.played.as_ref().map_or(Move::Pass, |played| played.turn);
        let player = match self.person() {
            Some(color) if color == point.mover => "your",
            Some(_) => "Emilia's",
            None => &format!("{}'s", point.mover),
        };
        format!(
            "Turning point: {player} {}, move {}, made {} a {}; {} was better.\n{worst}",
            spoken(played),
            point.turn + 1,
            point.before_in_words(),
            point.after,
            spoken(turn.best.turn)
        )
    }

    /// The worst move of the person, or of both sides where the person plays both.
    fn worst_moves(&self, review: &Review) -> String {
        let sides =
            [Color::Black, Color::White].into_iter().filter(|color| self.person().is_none_or(|own| own == *color));
        let whose =
            |color: Color| if self.person().is_some() { "Your".to_owned() } else { format!("{}'s", color.capital()) };
        let worst =
            |color| Some(format!("{} worst move: {}.\n", whose(color), review.worst_of(color)?.loss_in_words()));
        sides.filter_map(worst).collect()
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
