//! The searches that a book needs next, as queries for `emilia analyze`, and their answers as leaves of the book.

use crate::book::{BookError, Finding, Key, Positions, next_work};
use crate::game::DISC;
use crate::notation::read_position;
use crate::notation::transcript::parse_turn;
use crate::othello::{Bitboard, Move, Position};
use crate::search::{Limits, Score, SearchDepth, Selectivity};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::collections::HashSet;

/// A query that `emilia analyze` answers.
#[derive(Serialize)]
struct Task {
    id: String,
    board: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    except: Vec<Move>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    selectivity: Selectivity,
}

/// The searches of the units of work that are next, at most this number of units, as queries, a line each. Their ids begin with the
/// fingerprint of the evaluation that the book grows with.
///
/// # Errors
/// If the book cannot be read.
pub fn tasks(
    book: &(impl Positions + ?Sized),
    weights: u32,
    root: &Key,
    units: usize,
    (limits, selectivity): (&Limits, Selectivity),
) -> Result<Vec<String>, BookError> {
    let mut tasks = Vec::new();
    for work in next_work(book, root, weights, HashSet::new(), units)? {
        for (key, except) in work.searches(book)? {
            let task = Task {
                id: format!("{weights:08x}-{}", tasks.len() + 1),
                board: key.position().to_string(),
                except: except.into_iter().map(Move::Place).collect(),
                depth: limits.depth.map(|depth| depth.plies()),
                nodes: limits.nodes,
                selectivity,
            };
            tasks.push(super::answer::line(&task));
        }
    }
    Ok(tasks)
}

/// A line that is no answer to a task.
#[derive(Clone, PartialEq, Debug)]
pub struct UnusableLine {
    /// Where in the line, in bytes from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    id: Option<serde_json::Value>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    partial: bool,
    #[serde(default)]
    terminated: bool,
    #[serde(default)]
    shard: Option<de::IgnoredAny>,
    #[serde(default, deserialize_with = "board")]
    board: Option<Position>,
    #[serde(default)]
    except: Vec<Square>,
    #[serde(default)]
    moves: Vec<Found>,
}

#[derive(Deserialize)]
struct Found {
    #[serde(rename = "move")]
    turn: Square,
    value: f64,
    depth: u8,
    selectivity: i64,
    exact: bool,
}

struct Square(crate::othello::Square);

impl<'de> Deserialize<'de> for Square {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Square, D::Error> {
        let text = String::deserialize(deserializer)?;
        let square = parse_turn(&text).and_then(Move::square);
        square.map(Square).ok_or_else(|| de::Error::custom(format_args!("'{text}' is no square")))
    }
}

fn board<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Position>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let game = read_position(&text).map_err(|error| de::Error::custom(format_args!("no board: {error}")))?;
    Ok(Some(*game.position()))
}

/// Reads a line of answers; `None` for one that has nothing to say: the first and the last one of a part, and reports of a search that
/// goes on. `weights` is the fingerprint of the evaluation that the book grows with.
///
/// # Errors
/// If it is not the answer to a task for this evaluation.
pub fn finding(line: &[u8], weights: u32) -> Result<Option<Finding>, UnusableLine> {
    let answer: Answer = serde_json::from_slice(line).map_err(|error| {
        let text = error.to_string();
        let problem = text.split(" at line ").next().unwrap_or_default().to_owned();
        UnusableLine { column: error.column().max(1), problem }
    })?;
    if answer.shard.is_some() || answer.partial {
        return Ok(None);
    }
    let unusable = |field: &str, problem: String| {
        let name = format!("\"{field}\"");
        let found = line.windows(name.len()).position(|window| window == name.as_bytes());
        Err(UnusableLine { column: found.map_or(1, |at| at + 1), problem })
    };
    if let Some(error) = answer.error {
        return unusable("error", format!("not searched: {error}"));
    }
    let of_book = format!("{weights:08x}-");
    if answer.id.as_ref().and_then(|id| id.as_str()).is_none_or(|id| !id.starts_with(&of_book)) {
        return unusable("id", format!("not the answer to a task of this book, whose id begins with {of_book}"));
    }
    if answer.terminated {
        return unusable("terminated", "the search was called off".to_owned());
    }
    let (Some(position), Some(found)) = (answer.board, answer.moves.first()) else {
        return unusable("moves", "expected a board and the best of its moves".to_owned());
    };
    let legal = position.moves();
    let except: Bitboard = answer.except.iter().map(|square| square.0).collect();
    if !(legal & !except).contains(found.turn.0) || except & !legal != Bitboard::EMPTY {
        return unusable("moves", "the moves are not those of the board".to_owned());
    }
    let Some((value, depth)) = found.value_and_depth() else {
        return unusable("value", "not the value of a search".to_owned());
    };
    let (key, symmetry) = Key::of(&position);
    let square = symmetry.square(found.turn.0);
    Ok(Some(Finding { key, except: symmetry.board(except), square, value, depth }))
}

impl Found {
    fn value_and_depth(&self) -> Option<(Score, SearchDepth)> {
        let units = (self.value * f64::from(DISC)).round();
        let value = (units.abs() <= f64::from(64 * DISC)).then(|| Score::from_units(units as i32))?;
        let depth = match (self.exact, Selectivity::try_from(self.selectivity).ok()?) {
            (true, _) => SearchDepth::Exact,
            (false, Selectivity::NONE) => SearchDepth::Plies(self.depth),
            (false, selectivity) => SearchDepth::Selective { plies: self.depth, selectivity },
        };
        (self.depth <= 60).then_some((value, depth))
    }
}
