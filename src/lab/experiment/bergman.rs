//! What the experiments after Bergman (*Minimax With Alpha-Beta Pruning for Othello*) share: his starting boards, his
//! heuristics, his players and his measures.

use super::duel::{PairScore, play_pair};
use super::player::{Chosen, Contender};
use super::series::openings;
use super::stopwatch::Stopwatch;
use super::{Cell, ExperimentError, Findings, Lab, Table};
use crate::eval::{Evaluator, EvaluatorKind};
use crate::game::Game;
use crate::othello::Position;
use crate::random::Random;
use crate::render::{Curve, Plot, Point, Scale};
use crate::search::{Contempt, MinimaxKind, PlainCounts, plain_minimax};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// His heuristics by his names.
pub(super) const HEURISTICS: [(&str, EvaluatorKind); 4] = [
    ("random", EvaluatorKind::Random),
    ("unit", EvaluatorKind::DiscCount),
    ("weight", EvaluatorKind::WeightedSquares),
    ("mobility", EvaluatorKind::Mobility),
];

/// His algorithms by his names.
pub(super) const ALGORITHMS: [(&str, MinimaxKind); 3] =
    [("minimax", MinimaxKind::Full), ("alpha-beta", MinimaxKind::AlphaBeta), ("reordering", MinimaxKind::Ordered)];

/// The most random moves at the beginning. The paper says "a random number" and no more.
const MOST_RANDOM_MOVES: usize = 30;

/// A board after a random number of random moves, 1 to 30, on which the side to move has a move.
pub(super) fn board(seed: u64, number: u64) -> Position {
    let mut random = Random::of_pair(seed, number);
    loop {
        let moves = 1 + random.below(MOST_RANDOM_MOVES);
        let mut position = Position::START;
        for _ in 0..moves {
            if position.must_pass() {
                position = position.pass();
            }
            let squares: Vec<_> = position.moves().into_iter().collect();
            if squares.is_empty() {
                break;
            }
            position = position.after(squares[random.below(squares.len())]);
        }
        if !position.moves().is_empty() {
            return position;
        }
    }
}

/// The boards of an experiment, or the openings that its set-up asks for instead.
pub(super) fn boards(lab: &Lab<'_>, count: u64) -> Result<Vec<Position>, ExperimentError> {
    match &lab.setup().openings {
        Some(source) => Ok(openings(lab, source, count)?.0),
        None => Ok((0..count).map(|number| board(lab.setup().seed, number)).collect()),
    }
}

/// A player that searches every move to the same depth and remembers nothing.
pub(super) struct Plain<G: Game> {
    pub kind: MinimaxKind,
    pub depth: u32,
    pub evaluator: Arc<dyn Evaluator<G>>,
}

impl<G: Game> Contender<G> for Plain<G> {
    fn begin(&mut self) {}

    fn choose(&mut self, position: &G) -> Chosen<G::Move> {
        let result = plain_minimax(self.kind, position, self.depth, &*self.evaluator, Contempt::NONE, &mut |_| false);
        let turn = result.pv.first().copied();
        Chosen { turn, evaluations: result.counts.evaluations, plies: self.depth, expected: None }
    }
}

/// The first player's score in percent, in games from random boards, each played twice with the colours exchanged.
pub(super) fn match_up(
    lab: &mut Lab<'_>,
    key: &str,
    boards: &[Position],
    first: &mut dyn Contender<Position>,
    second: &mut dyn Contender<Position>,
) -> Result<PairScore, ExperimentError> {
    let mut pairs = Vec::with_capacity(boards.len());
    // The games are short: several are one unit.
    for (i, some) in boards.chunks(10).enumerate() {
        let played = lab.unit(&format!("{key}/{i}"), || {
            some.iter().map(|board| play_pair(board, first, second, 0).0).collect::<Vec<_>>()
        })?;
        pairs.extend(played);
    }
    Ok(PairScore::of(&pairs))
}

/// Units that [`match_up`] takes.
pub(super) fn match_units(boards: u64) -> u64 {
    boards.div_ceil(10)
}

/// What searches of several boards cost, added up.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(super) struct Cost {
    pub boards: u64,
    pub visited: u64,
    pub generated: u64,
    pub evaluations: u64,
    pub nanos: u64,
    /// Sum of the squares of `visited`, for its error.
    pub visited_squares: f64,
    /// Sum of the squares of `nanos`.
    pub nanos_squares: f64,
}

impl Cost {
    fn mean_and_error(&self, sum: f64, squares: f64) -> (f64, Option<f64>) {
        let n = self.boards as f64;
        let variance = ((squares - sum * sum / n) / (n - 1.0)).max(0.0);
        (sum / n, (self.boards > 1).then(|| 1.96 * (variance / n).sqrt()))
    }

    /// Nodes visited for a board, with the error of the mean.
    pub fn nodes(&self) -> (f64, Option<f64>) {
        self.mean_and_error(self.visited as f64, self.visited_squares)
    }

    /// Milliseconds for a board, with the error of the mean.
    pub fn millis(&self) -> (f64, Option<f64>) {
        let (mean, error) = self.mean_and_error(self.nanos as f64, self.nanos_squares);
        (mean / 1e6, error.map(|error| error / 1e6))
    }
}

/// Searches all boards to a depth; a unit of the lab.
pub(super) fn cost(
    lab: &mut Lab<'_>,
    boards: &[Position],
    (name, kind): (&str, MinimaxKind),
    heuristic: EvaluatorKind,
    depth: u32,
) -> Result<Cost, ExperimentError> {
    let evaluator = lab.built(heuristic)?;
    lab.unit(&format!("{name}/{heuristic}/{depth}"), || {
        let mut sum = Cost::default();
        for board in boards {
            let watch = Stopwatch::start();
            let result = plain_minimax(kind, board, depth, &*evaluator, Contempt::NONE, &mut |_| false);
            let nanos = watch.nanos();
            let PlainCounts { visited, generated, evaluations } = result.counts;
            sum.boards += 1;
            sum.visited += visited;
            sum.generated += generated;
            sum.evaluations += evaluations;
            sum.nanos += nanos;
            sum.visited_squares += (visited as f64).powi(2);
            sum.nanos_squares += (nanos as f64).powi(2);
        }
        sum
    })
}

/// One line of the table of costs: what is searched with, and down to where.
pub(super) struct Series<'a> {
    pub name: &'a str,
    pub algorithm: (&'a str, MinimaxKind),
    pub heuristic: EvaluatorKind,
    pub deepest: u32,
}

/// Tables and a picture of what searches cost by depth.
pub(super) fn costs(
    lab: &mut Lab<'_>,
    series: &[Series<'_>],
    (title, y): (&str, &str),
    value: fn(&Cost) -> (f64, Option<f64>),
    decimals: usize,
) -> Result<Findings, ExperimentError> {
    let count = lab.count(4, 50);
    let boards = boards(lab, count)?;
    lab.plan(series.iter().map(|one| u64::from(one.deepest)).sum());
    let mut columns = vec!["depth"];
    columns.extend(series.iter().map(|one| one.name));
    let mut table = Table::new(format!("{title}: {y}, mean of {count} boards"), &columns);
    let mut detail = Table::new(
        "Everything counted, means",
        &["search", "depth", "nodes expanded", "nodes generated", "evaluations", "ms", "ns/node", "ns/evaluation"],
    );
    let deepest = series.iter().map(|one| one.deepest).max().unwrap_or(0);
    let mut curves: Vec<Curve> = series.iter().map(|one| Curve::new(one.name, Vec::new())).collect();
    for depth in 1..=deepest {
        let mut cells = vec![Cell::from(depth)];
        for (one, curve) in series.iter().zip(&mut curves) {
            if depth > one.deepest {
                cells.push(Cell::Empty);
                continue;
            }
            let cost = cost(lab, &boards, one.algorithm, one.heuristic, depth)?;
            let (mean, error) = value(&cost);
            cells.push(Cell::Measured(mean, error, decimals));
            curve.points.push(Point { x: depth.into(), y: mean, error });
            let n = cost.boards as f64;
            detail.row(vec![
                Cell::from(one.name),
                Cell::from(depth),
                Cell::Number(cost.visited as f64 / n, 1),
                Cell::Number(cost.generated as f64 / n, 1),
                Cell::Number(cost.evaluations as f64 / n, 1),
                Cell::Number(cost.nanos as f64 / n / 1e6, 3),
                Cell::Number(cost.nanos as f64 / cost.visited as f64, 1),
                Cell::Number(cost.nanos as f64 / cost.evaluations.max(1) as f64, 1),
            ]);
        }
        table.row(cells);
    }
    let plot = Plot {
        y_scale: Scale::Logarithmic,
        ..Plot::new(title, "depth, plies", format!("{y}, mean of {count} boards"), curves)
    };
    Ok(Findings { tables: vec![table, detail], plots: vec![plot], ..Findings::default() })
}
