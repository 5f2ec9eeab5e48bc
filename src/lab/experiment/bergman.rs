//! What the experiments after Bergman (*Minimax With Alpha-Beta Pruning for Othello*) share: his starting boards, his
//! heuristics, his players and his measures.

use super::duel::{Pair, play_pair};
use super::findings::{Measured, point};
use super::player::{Chosen, Contender};
use super::series::openings;
use super::stopwatch::Stopwatch;
use super::{Cell, ExperimentError, Findings, Lab, Table};
use crate::arena::statistics::{SampleMean, Z95};
use crate::eval::{Evaluator, EvaluatorKind};
use crate::game::Game;
use crate::othello::Position;
use crate::random::Random;
use crate::render::{Curve, Plot, Scale};
use crate::search::{Contempt, MinimaxKind, PlainCounts, plain_minimax};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The options that his experiments read.
pub(super) const ON_BOARDS: &[&str] = &["seed", "levels", "pairs", "openings"];

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

/// His reordering with the last ply sorted too.
pub(super) const EVERY_PLY_SORTED: (&str, MinimaxKind) = ("every ply sorted", MinimaxKind::OrderedThroughout);

/// The most random moves at the beginning. The paper says "a random number" and no more.
pub(super) const MOST_RANDOM_MOVES: usize = 30;

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
            let Some(square) = random.choose(position.moves()) else { break };
            position = position.after(square);
        }
        if !position.moves().is_empty() {
            return position;
        }
    }
}

/// The boards of an experiment, or the openings that its set-up asks for instead.
pub(super) fn boards(lab: &Lab<'_>, count: u64) -> Result<Vec<Position>, ExperimentError> {
    match &lab.setup().openings {
        Some(source) => openings(lab, source, count),
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
    fn choose(&mut self, position: &G) -> Chosen<G::Move> {
        let result = plain_minimax(self.kind, position, self.depth, &*self.evaluator, Contempt::NONE, &mut |_| false);
        let turn = result.pv.first().copied();
        Chosen { turn, evaluations: result.counts.evaluations, plies: self.depth, expected: None }
    }
}

/// Games from boards, each played twice with the colours exchanged.
pub(super) fn match_up(
    lab: &mut Lab<'_>,
    key: &str,
    boards: &[Position],
    first: &mut dyn Contender<Position>,
    second: &mut dyn Contender<Position>,
) -> Result<Vec<Pair>, ExperimentError> {
    let mut pairs = Vec::with_capacity(boards.len());
    // The games are short: several are one unit.
    for (i, some) in boards.chunks(10).enumerate() {
        let played = lab.unit(&format!("{key}/{i}"), || {
            some.iter().map(|board| play_pair(board, first, second, 0).0).collect::<Vec<_>>()
        })?;
        pairs.extend(played);
    }
    Ok(pairs)
}

/// Units that [`match_up`] takes.
pub(super) fn match_units(boards: u64) -> u64 {
    boards.div_ceil(10)
}

/// What searches of several boards cost, board by board where the error is asked for, added up elsewhere.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(super) struct Cost {
    pub visited: Vec<u64>,
    pub generated: u64,
    pub evaluations: u64,
    pub nanos: Vec<u64>,
}

/// The mean of a sample of counts in `units`, with its error.
fn mean_and_error(counts: &[u64], units: f64) -> Measured {
    let mut sample = SampleMean::default();
    counts.iter().for_each(|&count| sample.add(count as f64 / units));
    (sample.mean().unwrap_or(0.0), sample.error())
}

impl Cost {
    /// How many boards.
    pub fn boards(&self) -> f64 {
        self.visited.len() as f64
    }

    /// Nodes visited for a board, with the error of the mean.
    pub fn nodes(&self) -> Measured {
        mean_and_error(&self.visited, 1.0)
    }

    /// Milliseconds for a board, with the error of the mean.
    pub fn millis(&self) -> Measured {
        mean_and_error(&self.nanos, 1e6)
    }

    /// The nodes visited as a share of `whole`'s on the same boards, which both have searched, with its error: that of a quotient of
    /// sums, linearised.
    pub fn share_of(&self, whole: &Cost) -> Measured {
        let sum = |counts: &[u64]| counts.iter().sum::<u64>() as f64;
        let (all, n) = (sum(&whole.visited), self.boards());
        let share = sum(&self.visited) / all;
        let residuals = self.visited.iter().zip(&whole.visited).map(|(&part, &all)| part as f64 - share * all as f64);
        let squares: f64 = residuals.map(|residual| residual * residual).sum();
        (share, (n > 1.0).then(|| Z95 * (squares * n / (n - 1.0)).sqrt() / all))
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
            sum.visited.push(visited);
            sum.generated += generated;
            sum.evaluations += evaluations;
            sum.nanos.push(nanos);
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
    value: fn(&Cost) -> Measured,
    decimals: usize,
) -> Result<Findings, ExperimentError> {
    let boards = boards(lab, lab.count(4, 50))?;
    let count = boards.len();
    lab.plan(series.iter().map(|one| u64::from(one.deepest)).sum());
    let columns: Vec<&str> = ["depth"].into_iter().chain(series.iter().map(|one| one.name)).collect();
    let mut table = Table::new(format!("{title}: {y}, mean of {count} boards"), &columns.join(" | "));
    let columns = "search | depth | nodes expanded | nodes generated | evaluations | ms | ns/node | ns/evaluation";
    let mut detail = Table::new("Everything counted, means", columns);
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
            curve.points.push(point(depth, (mean, error)));
            let (n, (nodes, _), (millis, _)) = (cost.boards(), cost.nodes(), cost.millis());
            let evaluations = cost.evaluations as f64 / n;
            detail.row(vec![
                Cell::from(one.name),
                Cell::from(depth),
                Cell::Number(nodes, 1),
                Cell::Number(cost.generated as f64 / n, 1),
                Cell::Number(evaluations, 1),
                Cell::Number(millis, 3),
                Cell::Number(1e6 * millis / nodes, 1),
                Cell::Number(1e6 * millis / evaluations.max(1.0 / n), 1),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_share_by_hand() {
        let cost = |visited: &[u64]| Cost { visited: visited.to_vec(), ..Cost::default() };
        let (whole, part) = (cost(&[10, 20, 30]), cost(&[5, 6, 4]));
        let (share, error) = part.share_of(&whole);
        // Residuals 5 − 2.5, 6 − 5, 4 − 7.5.
        assert_eq!(share, 0.25);
        assert!((error.unwrap() - Z95 * (19.5f64 * 1.5).sqrt() / 60.0).abs() < 1e-12);
        // Where every board has the same share there is nothing to err about.
        let (share, error) = cost(&[1, 2, 3]).share_of(&whole);
        assert!((share - 0.1).abs() < 1e-12 && error.unwrap() < 1e-12);
    }
}
