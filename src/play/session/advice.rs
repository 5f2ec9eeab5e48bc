//! What Emilia and its book say of a position, and of a game that is over.

use super::{OVER, Session, spoken};
use crate::analysis::Review;
use crate::othello::{Color, Move, Square};
use crate::play::Hint;
use crate::render::{COLUMNS, Diagram, book_table};
use crate::search::{Contempt, Line, Score};

/// The moves of the expected play that a hint shows.
const HINT_MOVES: usize = 12;

impl Session {
    /// The best moves, by the book and by a search.
    pub(super) fn hint(&mut self, count: usize) -> Result<String, String> {
        if self.is_over() {
            return Err(OVER.to_owned());
        }
        let Hint { of_book, searched } = self.opponent.hint(self.game.record.position(), count);
        if of_book.is_empty() && searched.is_empty() {
            return Err("Interrupted before any move had a value.".to_owned());
        }
        let values = of_book.iter().chain(&searched).filter_map(|line| Some((line.turn.square()?, line.score)));
        let of_book = of_book.iter().map(|line| hint_line(line, "book"));
        let shown: String = of_book.chain(searched.iter().map(|line| hint_line(line, "depth"))).collect();
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
            Some(_) if self.is_own(point.turn) => "your",
            Some(_) if self.is_emilias(point.turn) => "Emilia's",
            _ => &format!("{}'s", point.mover),
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
        if self.person().is_some() {
            let worst = review.worst_among(|turn| self.is_own(turn));
            return worst.map_or_else(String::new, |worst| format!("Your worst move: {}.\n", worst.loss_in_words()));
        }
        let worst = |color: Color| {
            Some(format!("{}'s worst move: {}.\n", color.capital(), review.worst_of(color)?.loss_in_words()))
        };
        [Color::Black, Color::White].into_iter().filter_map(worst).collect()
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

fn hint_line(line: &Line, source: &str) -> String {
    let pv: Vec<String> = line.pv.iter().take(HINT_MOVES).map(ToString::to_string).collect();
    let depth = if line.depth.is_exact() { "exact".to_owned() } else { format!("{source} {}", line.depth) };
    format!("{:>4}  {}  {depth:<12}  {}\n", line.turn.to_string(), line.score, pv.join(" "))
}
