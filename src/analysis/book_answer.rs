//! What an opening book knows of a position, for clients. `docs/analysis.md` describes the fields.

use super::answer::Reach;
use crate::book::{BookMove, Draws, View};
use crate::othello::{Move, Position};
use crate::search::Score;
use serde::Serialize;

/// A position as a book has it; values and bounds are for its side to move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BookAnswer {
    /// What it is worth in discs; `None` if it waits to be searched.
    value: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<Draws>,
    lower: i8,
    upper: i8,
    visits: u32,
    games: u32,
    /// The fingerprint of the evaluation that the book grew with last.
    weights: String,
    /// The best first.
    moves: Vec<BookMoveAnswer>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
struct BookMoveAnswer {
    #[serde(rename = "move")]
    turn: Move,
    value: Option<Score>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<Draws>,
    lower: i8,
    upper: i8,
    /// Whether the position behind it is in the book.
    in_book: bool,
    #[serde(flatten)]
    reach: Reach,
    /// The fingerprint of the evaluation, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
    visits: u32,
    games: u32,
    line: Vec<Move>,
}

impl BookAnswer {
    /// What a look at this position has found.
    pub fn new(view: &View, position: &Position) -> BookAnswer {
        let answer = |found: &BookMove| BookMoveAnswer {
            turn: found.turn,
            value: found.value,
            draws: found.draws,
            lower: found.lower,
            upper: found.upper,
            in_book: found.is_in_book,
            reach: Reach::new(found.depth, position),
            weights: (found.weights != 0).then(|| format!("{:08x}", found.weights)),
            visits: found.visits,
            games: found.games,
            line: found.line.clone(),
        };
        let entry = &view.entry;
        BookAnswer {
            value: entry.value,
            draws: entry.draws,
            lower: entry.lower,
            upper: entry.upper,
            visits: entry.visits,
            games: entry.games,
            weights: format!("{:08x}", view.weights),
            moves: view.moves.iter().map(answer).collect(),
        }
    }
}
