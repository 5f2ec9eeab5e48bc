//! Answers to clients: one JSON object a line. `docs/analysis.md` describes the fields.

use super::{BookAnswer, Query, QueryError};
use crate::notation::opening;
use crate::othello::{Color, Empties, Move, Position};
use crate::search::{Bound, Contempt, Line, Report, SearchDepth, Selectivity};
use serde::Serialize;
use serde_json::Value;
use std::fmt;

/// How far a value was searched, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Reach {
    /// Plies; all the empty squares where the end of the game was reached.
    pub depth: u8,
    /// How sure the cuts are; as JSON the percentage, 100 where nothing was cut on a guess.
    pub selectivity: Selectivity,
    /// Whether the value is the final score under perfect play.
    pub exact: bool,
}

impl Reach {
    /// The numbers for a depth in this position.
    pub fn new(depth: SearchDepth, position: &Position) -> Reach {
        let to_the_end = position.empty_count().count();
        match depth {
            SearchDepth::Plies(depth) => Reach { depth, selectivity: Selectivity::NONE, exact: false },
            SearchDepth::Selective { plies, selectivity } => Reach { depth: plies, selectivity, exact: false },
            SearchDepth::Exact => Reach { depth: to_the_end, selectivity: Selectivity::NONE, exact: true },
            SearchDepth::WinLossDraw => Reach { depth: to_the_end, selectivity: Selectivity::NONE, exact: false },
        }
    }
}

impl fmt::Display for Reach {
    /// `12`, `24@73%`, or `exact`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reach { exact: true, .. } => f.write_str("exact"),
            Reach { depth, selectivity: Selectivity::NONE, .. } => depth.fmt(f),
            Reach { depth, selectivity, .. } => write!(f, "{depth}@{selectivity}%"),
        }
    }
}

/// A move and its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MoveAnswer {
    /// The move, `pa` for a pass.
    #[serde(rename = "move")]
    pub turn: Move,
    /// Its value for the mover, in discs.
    pub value: f64,
    /// The least final score that is proven, in discs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<i32>,
    /// The greatest final score that is proven, in discs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<i32>,
    /// How far it was searched.
    #[serde(flatten)]
    pub reach: Reach,
    /// How often a best-first search went through it.
    #[serde(skip_serializing_if = "is_zero")]
    pub visits: u64,
    /// The expected play, beginning with the move.
    pub pv: Vec<Move>,
}

fn is_zero(visits: &u64) -> bool {
    *visits == 0
}

impl MoveAnswer {
    /// A line of a report on this position.
    pub fn new(line: &Line, position: &Position) -> MoveAnswer {
        let discs = line.score.units() / crate::game::DISC;
        let (lower, upper) = match (line.depth, line.bound) {
            (SearchDepth::Exact, Bound::Exact) => (Some(discs), Some(discs)),
            // The value is an estimate for the side that is known to win.
            (SearchDepth::WinLossDraw, Bound::Exact) => {
                let outcome = line.score.units().signum();
                ((outcome >= 0).then_some(outcome), (outcome <= 0).then_some(outcome))
            }
            (SearchDepth::Exact | SearchDepth::WinLossDraw, Bound::Lower) => (Some(discs), None),
            (SearchDepth::Exact | SearchDepth::WinLossDraw, Bound::Upper) => (None, Some(discs)),
            _ => (None, None),
        };
        MoveAnswer {
            turn: line.turn,
            value: line.score.discs(),
            lower,
            upper,
            reach: Reach::new(line.depth, position),
            visits: line.visits,
            pv: line.pv.clone(),
        }
    }
}

/// How far the search is whose report is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finality {
    /// The search goes on.
    Partial,
    /// The search was ended by the client, or never began.
    Terminated,
    /// The search is done.
    Final,
}

/// The answer about one position.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Answer<'a> {
    id: &'a Value,
    /// The line of the input, where answers are kept in a file or the input is divided into shards.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    terminated: bool,
    turn: usize,
    board: String,
    mover: Color,
    empties: Empties,
    /// What the opening of the game is called, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<&'static str>,
    /// Whether the game is over; then there are no moves and the value is the final score.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    over: bool,
    /// What the position is worth to its mover, in discs; not there if nothing was searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(flatten)]
    reach: Reach,
    moves: Vec<MoveAnswer>,
    /// The moves that were not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    except: Vec<Move>,
    /// What the opening book knows, if that was asked and it has the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<BookAnswer>,
    /// The fingerprint of the evaluation.
    weights: String,
    nodes: u64,
    evaluations: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl<'a> Answer<'a> {
    /// What a report says of a position of a query. `timed` says whether it has the time.
    pub fn new(query: &'a Query, turn: usize, report: &Report, finality: Finality, timed: bool) -> Answer<'a> {
        let position = query.position(turn);
        let over = position.is_over();
        let value = report.lines.first().map(|line| line.score.discs());
        let book = query.settings.options.book.as_ref().filter(|_| query.from_book && finality != Finality::Partial);
        let view = book.map(|book| book.look_up(position, Contempt::NONE)).transpose();
        let (view, unread) = view.map_or_else(|error| (None, Some(error)), |view| (view.flatten(), None));
        let depth = if over { SearchDepth::Exact } else { report.depth };
        let settings = &query.settings;
        let wanted = if settings.outcome_only { SearchDepth::WinLossDraw } else { SearchDepth::Exact };
        let is_unsolved =
            position.empty_count() <= settings.exact_from && ![wanted, SearchDepth::Exact].contains(&depth);
        // A search that a limit ended need not have solved it.
        let is_unlimited = finality == Finality::Final && settings.time.is_none() && settings.nodes.is_none();
        let unsolved = (is_unsolved && is_unlimited)
            .then(|| format!("exact: {} has not solved the position", settings.options.engine));
        Answer {
            id: &query.id,
            number: None,
            partial: finality == Finality::Partial,
            terminated: finality == Finality::Terminated && !over,
            turn,
            board: position.to_string(),
            mover: position.mover(),
            empties: position.empty_count(),
            opening: opening(&query.game.positions()[..=turn]),
            over,
            value: value.or_else(|| over.then(|| f64::from(position.score()))),
            reach: Reach::new(depth, position),
            moves: report.lines.iter().map(|line| MoveAnswer::new(line, position)).collect(),
            except: query.settings.except.into_iter().map(Move::Place).collect(),
            book: view.map(|view| BookAnswer::new(&view, position)),
            weights: format!("{:08x}", query.settings.weights),
            nodes: report.nodes,
            evaluations: report.evaluations,
            seconds: timed.then_some(report.elapsed.as_secs_f64()),
            warnings: query.warnings.iter().cloned().chain(unread).chain(unsolved).collect(),
        }
    }

    /// What is odd: of the query, the book, and a position that was to be solved and is not.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// This answer with the number of the line that it answers.
    pub fn numbered(self, number: Option<u64>) -> Answer<'a> {
        Answer { number, ..self }
    }
}

/// The answer to a line that makes no sense.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ErrorAnswer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    line: u64,
}

impl<'a> ErrorAnswer<'a> {
    /// What is wrong with the line of this number, from 1.
    pub fn new(error: &'a QueryError, line: u64, number: Option<u64>) -> ErrorAnswer<'a> {
        let QueryError { id, field, index, problem } = error;
        ErrorAnswer { id: id.as_ref(), number, error: problem, field: *field, index: *index, line }
    }
}

/// How a service has done so far.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Stats {
    /// Positions that wait.
    pub waiting: usize,
    /// Positions that are thought about now.
    pub running: usize,
    /// Positions answered, those terminated among them.
    pub answered: u64,
    /// Lines that made no sense.
    pub errors: u64,
    /// Positions visited by the searches that are done.
    pub nodes: u64,
    /// Search threads in all.
    pub threads: u32,
    /// Since the beginning.
    pub seconds: f64,
}

/// The answer to an action.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ActionAnswer<'a> {
    /// The action's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a Value>,
    /// The line of the input, where answers are kept in a file or the input is divided into shards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The action.
    pub action: &'static str,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: ActionOutcome,
    /// What was odd about it.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub warnings: &'a [String],
}

/// What came of an action.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum ActionOutcome {
    /// Positions that were ended.
    Terminated {
        /// How many.
        terminated: usize,
    },
    /// The program.
    Version {
        /// The version of Emilia.
        version: &'static str,
        /// The version of this protocol.
        protocol: u32,
    },
    /// Nothing more to say.
    Done {},
    /// Counts.
    Stats(Stats),
}

/// An object as a line.
pub fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and text can be written as JSON") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::AnalysisSettings;
    use crate::analysis::query::{ClientLine, parse};
    use crate::engine::EngineOptions;
    use crate::game::DISC;
    use crate::search::Score;

    #[test]
    fn what_is_proven_of_a_value_is_told() {
        let turn = Move::Place("f5".parse().unwrap());
        for (depth, bound, discs, lower, upper) in [
            (SearchDepth::Exact, Bound::Exact, 6, Some(6), Some(6)),
            (SearchDepth::WinLossDraw, Bound::Lower, 1, Some(1), None),
            (SearchDepth::WinLossDraw, Bound::Upper, -1, None, Some(-1)),
            // Who wins is proven, and the value is an estimate.
            (SearchDepth::WinLossDraw, Bound::Exact, 6, Some(1), None),
            (SearchDepth::WinLossDraw, Bound::Exact, -6, None, Some(-1)),
            (SearchDepth::WinLossDraw, Bound::Exact, 0, Some(0), Some(0)),
            (SearchDepth::Plies(60), Bound::Exact, 6, None, None),
        ] {
            let line = Line { bound, ..Line::new(vec![turn], Score::from_units(discs * DISC), depth) };
            let answer = MoveAnswer::new(&line, &Position::START);
            assert_eq!((answer.lower, answer.upper), (lower, upper), "{line:?}");
        }
    }

    #[test]
    fn an_answer_that_was_called_off_says_so_and_has_the_book() {
        let defaults = AnalysisSettings::new(EngineOptions { threads: 1, ..EngineOptions::default() });
        let text = br#"{"id":1,"moves":"f5","exact":true,"book":true}"#;
        let Ok(ClientLine::Query(query)) = parse(text, &defaults, 1) else { panic!() };
        let line = Line::new(vec![Move::Place("d6".parse().unwrap())], Score::ZERO, SearchDepth::Plies(2));
        let report = Report { lines: vec![line], depth: SearchDepth::Plies(2), ..Report::default() };
        for (finality, terminated, has_book, warnings) in [
            (Finality::Partial, false, false, 0),
            (Finality::Terminated, true, true, 0),
            (Finality::Final, false, true, 1),
        ] {
            let answer = Answer::new(&query, 1, &report, finality, false);
            assert_eq!((answer.terminated, answer.book.is_some()), (terminated, has_book), "{finality:?}");
            assert_eq!(answer.warnings().len(), warnings, "{finality:?}: {:?}", answer.warnings());
        }
    }
}
