//! What was found of a position, and whether it agrees with what a file says.

use crate::notation::obf::ObfEntry;
use crate::othello::{Move, Outcome, Position};
use crate::search::{Score, SearchDepth};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What a position is worth to its side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// The final score under perfect play, −64 to 64 discs.
    Score(i32),
    /// Who wins under perfect play.
    Outcome(Outcome),
    /// A limit of the search came before the end of the game: the score that it expects, and how far it saw.
    Estimate(Score, SearchDepth),
}

impl Value {
    /// The score, if it is known.
    pub fn score(self) -> Option<i32> {
        match self {
            Value::Score(discs) => Some(discs),
            Value::Outcome(_) | Value::Estimate(..) => None,
        }
    }

    /// Who wins, if it is known.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Value::Score(discs) => Some(Outcome::of_score(discs)),
            Value::Outcome(outcome) => Some(outcome),
            Value::Estimate(..) => None,
        }
    }

    /// Whether a final score is this value; anything may come of an estimate.
    fn allows(self, discs: i32) -> bool {
        match self {
            Value::Score(score) => score == discs,
            Value::Outcome(outcome) => outcome == Outcome::of_score(discs),
            Value::Estimate(..) => true,
        }
    }
}

impl fmt::Display for Value {
    /// `+18`, `win`, or `+3.25?` for an estimate.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Score(discs) => f.pad(&format!("{discs:+}")),
            Value::Outcome(outcome) => outcome.fmt(f),
            Value::Estimate(score, _) => f.pad(&format!("{score}?")),
        }
    }
}

/// What was found of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The position.
    pub position: Position,
    /// The best turn, a pass if it is forced; `None` if the game is over.
    pub turn: Option<Move>,
    /// What the position is worth to its side to move.
    pub value: Value,
    /// The line of best play, beginning with `turn`: to the end of the game, if the position is solved.
    pub pv: Vec<Move>,
    /// Every turn with its final score, best first, where that was asked for and solved.
    pub moves: Vec<(Move, i32)>,
    /// Positions visited.
    pub nodes: u64,
    /// The time that it took.
    pub elapsed: Duration,
}

/// A file and the solver say different things.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum Contradiction {
    /// The position is not worth what the file says.
    #[error("the file says {given:+}, not {found}")]
    Value {
        /// The file's score: that of the position, or the best of its moves.
        given: i32,
        /// What was found.
        found: Value,
    },
    /// The file has a better move than the one that was found.
    #[error("the file says {given:+} for {turn:#}, and {best:+} for the best move")]
    NotBest {
        /// The move that was found.
        turn: Move,
        /// The file's score for it.
        given: i32,
        /// The file's best score.
        best: i32,
    },
    /// A move is not worth what the file says.
    #[error("the file says {given:+} for {turn:#}, not {found:+}")]
    Move {
        /// The move.
        turn: Move,
        /// The file's score for it.
        given: i32,
        /// What was found.
        found: i32,
    },
}

impl Solution {
    /// Whether it is solved and the file has a score to compare.
    pub fn is_checked_by(&self, entry: &ObfEntry) -> bool {
        self.value.outcome().is_some() && (entry.score.is_some() || !entry.moves.is_empty())
    }

    /// Where the scores of a file contradict the solution.
    ///
    /// The best score that the file has must be that of the position, and the move found must be among those that have
    /// it; a move that the file does not list contradicts nothing. Where every move was solved, every listed one must have
    /// its score. Of an outcome, win, draw or loss, only the signs are compared. An estimate is not compared.
    pub fn contradictions(&self, entry: &ObfEntry) -> Vec<Contradiction> {
        let mut found = Vec::new();
        if matches!(self.value, Value::Estimate(..)) {
            return found;
        }
        let best = entry.moves.iter().map(|&(_, given)| given).max();
        for given in [best, entry.score].into_iter().flatten() {
            let contradiction = Contradiction::Value { given, found: self.value };
            if !self.value.allows(given) && !found.contains(&contradiction) {
                found.push(contradiction);
            }
        }
        if self.moves.is_empty() {
            found.extend(self.better_move_of(entry));
        }
        for &(turn, given) in &entry.moves {
            let solved = self.moves.iter().find(|&&(solved, _)| solved == turn).map(|&(_, score)| score);
            found.extend(solved.filter(|&score| score != given).map(|found| Contradiction::Move {
                turn,
                given,
                found,
            }));
        }
        found
    }

    fn better_move_of(&self, entry: &ObfEntry) -> Option<Contradiction> {
        let of_turn = entry.moves.iter().filter(|&&(turn, _)| Some(turn) == self.turn);
        let &(turn, given) = of_turn.max_by_key(|&&(_, given)| given)?;
        let best = entry.moves.iter().map(|&(_, given)| given).max()?;
        let as_good = match self.value {
            Value::Score(_) => given == best,
            Value::Outcome(_) => Outcome::of_score(given) == Outcome::of_score(best),
            Value::Estimate(..) => true,
        };
        (!as_good).then_some(Contradiction::NotBest { turn, given, best })
    }
}

/// The sum of many solutions.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Totals {
    /// Positions.
    pub positions: usize,
    /// Positions solved, not only estimated.
    pub solved: usize,
    /// Solved positions that the file has a score for.
    pub checked: usize,
    /// Positions of which the file says something else.
    pub contradicted: usize,
    /// Lines that could not be read.
    pub unreadable: usize,
    /// Positions visited.
    pub nodes: u64,
    /// Seconds spent on solving; `None` where the results have no times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// What counts of a position's line of JSON.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CountedLine {
    /// What a file of a part begins and ends with.
    shard: Option<IgnoredAny>,
    /// What whole results end with.
    totals: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    result: Option<IgnoredAny>,
    checked: bool,
    contradictions: Vec<IgnoredAny>,
    nodes: u64,
    seconds: Option<f64>,
}

impl Totals {
    /// Counts a solution and what was found wrong with it.
    pub fn add(&mut self, entry: &ObfEntry, solution: &Solution, contradictions: &[Contradiction]) {
        self.positions += 1;
        self.solved += usize::from(solution.value.outcome().is_some());
        self.checked += usize::from(solution.is_checked_by(entry));
        self.contradicted += usize::from(!contradictions.is_empty());
        self.nodes += solution.nodes;
        self.take_time(Some(solution.elapsed.as_secs_f64()));
    }

    /// Counts a line of JSON as `emilia solve` writes it; lines that are about no position change nothing.
    ///
    /// # Errors
    /// If it is no such line.
    pub fn add_line(&mut self, line: &str) -> Result<(), serde_json::Error> {
        let line: CountedLine = serde_json::from_str(line)?;
        if line.shard.is_some() || line.totals.is_some() {
            return Ok(());
        }
        if line.error.is_some() {
            self.unreadable += 1;
            return Ok(());
        }
        self.positions += 1;
        self.solved += usize::from(line.result.is_some());
        self.checked += usize::from(line.checked);
        self.contradicted += usize::from(!line.contradictions.is_empty());
        self.nodes += line.nodes;
        self.take_time(line.seconds);
        Ok(())
    }

    /// The line of JSON that follows the solutions.
    pub fn line(&self) -> String {
        super::answer::line(&BTreeMap::from([("totals", self)]))
    }

    fn take_time(&mut self, seconds: Option<f64>) {
        if let Some(seconds) = seconds {
            self.seconds = Some(self.seconds.unwrap_or(0.0) + seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(name: &str) -> Move {
        Move::Place(name.parse().unwrap())
    }

    fn entry(text: &str) -> ObfEntry {
        ObfEntry::parse(&format!("{};{text}", Position::START)).unwrap()
    }

    fn solution(value: Value, moves: &[(&str, i32)]) -> Solution {
        Solution {
            position: Position::START,
            turn: Some(turn("f5")),
            value,
            pv: Vec::new(),
            moves: moves.iter().map(|&(name, score)| (turn(name), score)).collect(),
            nodes: 5,
            elapsed: Duration::from_secs(1),
        }
    }

    #[test]
    fn scores_and_best_moves_are_compared() {
        let found = |value, text: &str| solution(value, &[]).contradictions(&entry(text));
        let six = Value::Score(6);
        for agreed in ["", "+6", "f5:+6; d3:+6; c4:-2", "d3:+6", "--:-8"] {
            assert_eq!(found(six, agreed), [], "{agreed}");
        }
        assert_eq!(found(six, "+4; d3:+4"), [Contradiction::Value { given: 4, found: six }]);
        let not_best = Contradiction::NotBest { turn: turn("f5"), given: 4, best: 6 };
        assert_eq!(found(six, "d3:+6; f5:+4"), [not_best]);
        assert_eq!(
            found(six, "d3:+8; f5:+4; +2"),
            [
                Contradiction::Value { given: 8, found: six },
                Contradiction::Value { given: 2, found: six },
                Contradiction::NotBest { turn: turn("f5"), given: 4, best: 8 }
            ]
        );
        let estimate = Value::Estimate(Score::from_discs(6), SearchDepth::Plies(9));
        assert_eq!(found(estimate, "d3:+8; f5:+4; +2"), []);
    }

    #[test]
    fn outcomes_are_compared_by_sign() {
        let found = |outcome, text: &str| solution(Value::Outcome(outcome), &[]).contradictions(&entry(text));
        assert_eq!(found(Outcome::Win, "d3:+6; f5:+4"), []);
        assert_eq!(found(Outcome::Draw, "+0"), []);
        let not_best = Contradiction::NotBest { turn: turn("f5"), given: 0, best: 6 };
        assert_eq!(found(Outcome::Win, "d3:+6; f5:+0"), [not_best]);
        let value = Contradiction::Value { given: 0, found: Value::Outcome(Outcome::Loss) };
        assert_eq!(found(Outcome::Loss, "d3:+0; f5:+0"), [value]);
        assert_eq!(value.to_string(), "the file says +0, not loss");
    }

    #[test]
    fn every_listed_move_is_compared_where_every_move_is_solved() {
        let all = solution(Value::Score(6), &[("f5", 6), ("d3", 6), ("c4", -2), ("e6", -4)]);
        assert_eq!(all.contradictions(&entry("d3:+6; f5:+6; c4:-2")), []);
        let wrong = Contradiction::Move { turn: turn("c4"), given: 2, found: -2 };
        assert_eq!(all.contradictions(&entry("d3:+6; f5:+6; c4:+2")), [wrong]);
        assert_eq!(wrong.to_string(), "the file says +2 for C4, not -2");
    }

    #[test]
    fn totals_add_up() {
        let mut totals = Totals::default();
        let estimate = Value::Estimate(Score::ZERO, SearchDepth::Plies(9));
        for (value, text) in [(Value::Score(6), "+6"), (Value::Score(6), "+4"), (Value::Score(6), ""), (estimate, "+6")]
        {
            let (solution, entry) = (solution(value, &[]), entry(text));
            totals.add(&entry, &solution, &solution.contradictions(&entry));
        }
        let expected = Totals {
            positions: 4,
            solved: 3,
            checked: 2,
            contradicted: 1,
            unreadable: 0,
            nodes: 20,
            seconds: Some(4.0),
        };
        assert_eq!(totals, expected);
        let lines = [
            r#"{"number":1,"result":"win","checked":true,"contradictions":[],"nodes":5,"seconds":1.5}"#,
            r#"{"number":2,"result":"win","checked":true,"contradictions":["it"],"nodes":5,"seconds":0.5}"#,
            r#"{"number":3,"result":"draw","checked":false,"contradictions":[],"nodes":5,"seconds":1}"#,
            r#"{"number":4,"result":null,"checked":false,"contradictions":[],"nodes":5,"seconds":1}"#,
            r#"{"number":5,"error":"no position"}"#,
        ];
        let mut counted = Totals::default();
        lines.into_iter().for_each(|line| counted.add_line(line).unwrap());
        counted.add_line(&counted.clone().line()).unwrap();
        assert_eq!(counted, Totals { unreadable: 1, ..expected });
        assert!(counted.add_line("{").is_err());
    }
}
