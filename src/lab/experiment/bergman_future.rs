//! Bergman's future work, done: a weight for the mobility term, edge stability, and forward pruning beside the corners.

use super::bergman::{HEURISTICS, MOST_RANDOM_MOVES, ON_BOARDS, Plain, board, boards, match_units, match_up};
use super::contest::Contest;
use super::duel::PairScore;
use super::player::{Chosen, Contender};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::eval::{Evaluator, EvaluatorKind, Iago, STATIC_LIMIT, WeightedSquares};
use crate::game::{DISC, Game};
use crate::othello::{Bitboard, Color, Position, Square, Squares};
use crate::render::{Curve, Plot, Scale, Stroke};
use crate::search::{Contempt, MinimaxKind, after, plain_minimax};
use std::sync::Arc;

pub(super) const MOBILITY_WEIGHT: Experiment = Experiment {
    name: "bergman-mobility-weight",
    about: "how much mobility should count beside the weighted squares; rows are discs for the whole mobility ratio",
    seconds: 30,
    reads: ON_BOARDS,
    run: mobility_weight,
};

pub(super) const EDGE_STABILITY: Experiment = Experiment {
    name: "bergman-edge-stability",
    about: "how much edge stability should count beside weight and mobility; rows are discs for all of it",
    seconds: 180,
    reads: ON_BOARDS,
    run: edge_stability,
};

pub(super) const FORWARD_PRUNING: Experiment = Experiment {
    name: "bergman-forward-pruning",
    about: "leaving out moves beside an empty corner: what it saves and what it costs; rows are depths",
    seconds: 10,
    reads: ON_BOARDS,
    run: forward_pruning,
};

/// Weighted squares and the ratio of the sides' numbers of moves, which is worth `discs` as a whole.
struct WithMobility {
    discs: i32,
}

impl Evaluator<Position> for WithMobility {
    fn evaluate(&self, position: &Position) -> i32 {
        let (own, other) = (position.moves().count() as i32, position.opponent_moves().count() as i32);
        let mobility = (own - other) * self.discs * DISC / (own + other + 2);
        (WeightedSquares.evaluate(position) + mobility).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

fn mobility_weight(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let weights = lab.levels(&[0, 32], &[0, 8, 16, 32, 64, 128, 256, 512], "discs", 0..=10_000)?;
    let pairs = lab.count(2, 200);
    let depths: &[u32] = if lab.setup().quick { &[2] } else { &[3, 5] };
    lab.plan((weights.len() * depths.len()) as u64 * match_units(pairs));
    let boards = boards(lab, pairs)?;
    let squares = lab.built(EvaluatorKind::WeightedSquares)?;
    let columns = "depth | mobility, discs | score % | won of decided % | discs a game";
    let mut table = Table::new("Weighted squares with mobility against weighted squares alone", columns);
    let mut curves = Vec::new();
    for &depth in depths {
        let mut points = Vec::new();
        for &weight in &weights {
            let player = |evaluator| Plain { kind: MinimaxKind::AlphaBeta, depth, evaluator };
            let with: Arc<dyn Evaluator<Position>> = Arc::new(WithMobility { discs: weight as i32 });
            let (mut one, mut other) = (player(with), player(squares.clone()));
            let key = format!("{depth}/{weight}");
            let score = PairScore::of(&match_up(lab, &key, &boards, &mut one, &mut other)?);
            let [percent, won, discs] = score.cells();
            table.row(vec![Cell::from(depth), Cell::from(weight), percent, won, discs]);
            // Without mobility both are the same player; and zero is nowhere on the picture's axis.
            if weight > 0 {
                points.push(score.point(weight));
            }
        }
        curves.push(Curve::new(format!("depth {depth}"), points));
    }
    let title = "What mobility is worth beside weighted squares";
    let (x, y) = ("weight of the mobility ratio, discs", "score against weighted squares alone, %");
    let plot = Plot { x_scale: Scale::Logarithmic, mark: Some(50.0), ..Plot::new(title, x, y, curves) };
    let note = "A drawn game counts half; errors are 95 % intervals by pairs.";
    Ok(Findings::new(vec![table], vec![plot], note))
}

/// Another evaluation and Iago's edge stability, which is worth `discs` as a whole.
struct WithEdges {
    rest: Arc<dyn Evaluator<Position>>,
    iago: Iago,
    discs: i32,
}

impl Evaluator<Position> for WithEdges {
    fn evaluate(&self, position: &Position) -> i32 {
        let edges = self.iago.edge_stability(position) * self.discs * DISC / 1_000;
        (self.rest.evaluate(position) + edges).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

/// Iago without its edge stability.
struct WithoutEdges(Iago);

impl Evaluator<Position> for WithoutEdges {
    fn evaluate(&self, position: &Position) -> i32 {
        self.0.without_edge_stability(position)
    }
}

fn edge_stability(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let weights = lab.levels(&[0, 32], &[0, 8, 16, 32, 64, 128, 256], "discs", 0..=10_000)?;
    let depth = if lab.setup().quick { 2 } else { 5 };
    let pairs = lab.count(2, 500);
    let heuristics = &HEURISTICS[2..];
    lab.plan((heuristics.len() * weights.len() + 1) as u64 * match_units(pairs));
    let boards = boards(lab, pairs)?;
    let iago = lab.built(EvaluatorKind::Iago)?;
    let columns = "heuristic | edges, discs | score % | won of decided % | discs a game | evaluations, ratio | time per evaluation, ratio";
    let mut table = Table::new(format!("With edge stability against without, alpha-beta at depth {depth}"), columns);
    let mut play = |lab: &mut Lab<'_>, (name, weight): (&str, &str), with, without| {
        let [mut one, mut other] =
            [with, without].map(|evaluator| Plain { kind: MinimaxKind::AlphaBeta, depth, evaluator });
        let score = PairScore::of(&match_up(lab, &format!("{name}/{weight}"), &boards, &mut one, &mut other)?);
        let mut cells = vec![Cell::from(name), Cell::from(weight)];
        cells.extend(score.cells());
        cells.push(Cell::Number(score.share_spent(), 2));
        cells.push(Cell::Number(score.share_of_time() / score.share_spent(), 2));
        table.row(cells);
        Ok::<_, ExperimentError>(score)
    };
    let mut curves = Vec::new();
    for &(name, heuristic) in heuristics {
        let rest = lab.built(heuristic)?;
        let mut points = Vec::new();
        for &weight in &weights {
            let with = Arc::new(WithEdges { rest: rest.clone(), iago: Iago::default(), discs: weight as i32 });
            let score = play(lab, (name, &weight.to_string()), with, rest.clone())?;
            // Zero is nowhere on the picture's axis.
            if weight > 0 {
                points.push(score.point(weight));
            }
        }
        curves.push(Curve::new(name, points));
    }
    play(lab, ("iago", "its own"), iago, Arc::new(WithoutEdges(Iago::default())))?;
    let title = "What edge stability is worth";
    let (x, y) = ("weight of edge stability, discs", "score against the same without, %");
    let plot = Plot { x_scale: Scale::Logarithmic, mark: Some(50.0), ..Plot::new(title, x, y, curves) };
    let note = "A drawn game counts half; errors are 95 % intervals by pairs.";
    Ok(Findings::new(vec![table], vec![plot], note))
}

/// Othello without the moves beside an empty corner, where there are others.
///
/// The paper leaves such a move out if the other side has a disc next to it. It always has: the move turns one.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Pruned(Position);

/// The squares beside corners that are empty.
fn beside_empty_corners(position: &Position) -> Bitboard {
    let corners = [(0, 0), (7, 0), (0, 7), (7, 7)];
    let squares = corners.iter().filter_map(|&(column, row)| Square::at(column, row)).map(Square::bit);
    squares
        .filter(|corner| !(*corner & position.empties()).is_empty())
        .fold(Bitboard::EMPTY, |all, c| all | c.neighbours())
}

impl Game for Pruned {
    type Move = Square;
    type Moves = Squares;

    fn moves(&self) -> Squares {
        let all = self.0.moves();
        let kept = all & !beside_empty_corners(&self.0);
        (if kept.is_empty() { all } else { kept }).into_iter()
    }
    fn after(&self, square: Square) -> Pruned {
        Pruned(self.0.after(square))
    }
    fn pass(&self) -> Pruned {
        Pruned(self.0.pass())
    }
    fn is_over(&self) -> bool {
        self.0.is_over()
    }
    fn outcome(&self) -> i32 {
        Game::outcome(&self.0)
    }
    fn mover(&self) -> Color {
        self.0.mover()
    }
}

/// An evaluator of the whole game used for this one.
struct OfPruned(Arc<dyn Evaluator<Position>>);

impl Evaluator<Pruned> for OfPruned {
    fn evaluate(&self, position: &Pruned) -> i32 {
        self.0.evaluate(&position.0)
    }
}

/// Plays Othello but searches the pruned game.
struct Pruning(Plain<Pruned>);

impl Contender<Position> for Pruning {
    fn choose(&mut self, position: &Position) -> Chosen<Square> {
        self.0.choose(&Pruned(*position))
    }
}

/// Empty squares of the positions that are solved to see how good the pruned moves are.
const SOLVED_EMPTIES: u32 = 12;

fn forward_pruning(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let depths = lab.levels(&[2], &[3, 4, 5], "depths", 1..=9)?;
    let pairs = lab.count(2, 150);
    let quick = lab.setup().quick;
    let kinds = [EvaluatorKind::WeightedSquares, EvaluatorKind::Mobility];
    lab.plan(2 * (kinds.len() * depths.len()) as u64 * match_units(pairs) + 1);
    let boards = boards(lab, pairs)?;
    let columns = "heuristic | depth pruned | depth full | score % | won of decided % | evaluations, share";
    let mut table = Table::new("Alpha-beta with forward pruning against full width", columns);
    let mut curves = Vec::new();
    for heuristic in kinds {
        let evaluator = lab.built(heuristic)?;
        for deeper in [0, 1] {
            let mut points = Vec::new();
            for &depth in &depths {
                let kind = MinimaxKind::Ordered;
                let pruned = Arc::new(OfPruned(evaluator.clone()));
                let mut pruning = Pruning(Plain { kind, depth: depth + deeper, evaluator: pruned });
                let mut full = Plain { kind, depth, evaluator: evaluator.clone() };
                let key = format!("{heuristic}/{depth}/{deeper}");
                let score = PairScore::of(&match_up(lab, &key, &boards, &mut pruning, &mut full)?);
                let [percent, won, _] = score.cells();
                table.row(vec![
                    Cell::from(heuristic.name()),
                    Cell::from(depth + deeper),
                    Cell::from(depth),
                    percent,
                    won,
                    Cell::Number(score.share_spent(), 2),
                ]);
                points.push(score.point(depth));
            }
            let ply = if deeper == 0 { "same depth" } else { "one ply deeper" };
            let stroke = if deeper == 0 { Stroke::Dashed } else { Stroke::Solid };
            curves.push(Curve { stroke, ..Curve::new(format!("{heuristic}, {ply}"), points) });
        }
    }
    let seed = lab.setup().seed;
    let positions = if quick { 20 } else { 400 };
    let counts = lab.unit("how bad the moves are", || how_bad(seed, positions))?;
    let title = format!("Moves beside an empty corner with {SOLVED_EMPTIES} empty squares, solved");
    let columns =
        "positions | where one is the only best move | where one is a best move | where all lose a disc or more";
    let mut truth = Table::new(title, columns);
    let [all, only, best] = counts;
    truth.row([all, only, best, all - best].map(Cell::from).to_vec());
    let title = "Forward pruning beside the corners";
    let (x, y) = ("depth of the full-width search, plies", "score of the pruning side, %");
    let plot = Plot { mark: Some(50.0), ..Plot::new(title, x, y, curves) };
    let note = format!(
        "Positions of the second table come from games of mobility against itself at depth 2 after 1 to {MOST_RANDOM_MOVES} random \
         plies, and have such a move and another one."
    );
    Ok(Findings::new(vec![table, truth], vec![plot], note))
}

/// Of positions with both kinds of moves: how many there are, in how many only pruned moves are best, and in how many one
/// of them is.
fn how_bad(seed: u64, positions: u64) -> [u64; 3] {
    let evaluator = EvaluatorKind::Mobility.build();
    let value = |position: &Position| {
        position.mover().signed(position.verdict(SOLVED_EMPTIES).expect("it is near enough to the end"))
    };
    let mut counts = [0; 3];
    let mut number = 1 << 32;
    while counts[0] < positions {
        number += 1;
        let mut position = board(seed, number);
        while !position.is_over() && position.empties().count() > SOLVED_EMPTIES {
            let best = plain_minimax(MinimaxKind::Ordered, &position, 2, &*evaluator, Contempt::NONE, &mut |_| false);
            position = after(&position, if position.must_pass() { None } else { best.pv.first().copied() });
        }
        let moves = position.moves();
        let bad = moves & beside_empty_corners(&position);
        if position.is_over() || bad.is_empty() || bad == moves {
            continue;
        }
        let best_of = |squares: Bitboard| squares.into_iter().map(|s| -value(&position.after(s))).max();
        let (pruned, kept) = (best_of(bad), best_of(moves & !bad));
        counts[0] += 1;
        counts[1] += u64::from(pruned > kept);
        counts[2] += u64::from(pruned >= kept);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_moves_beside_empty_corners_are_pruned() {
        let mut pruned = 0;
        for number in 0..200 {
            let position = board(3, number);
            let kept: Bitboard = Pruned(position).moves().collect();
            let gone = position.moves() & !kept;
            pruned += gone.count();
            assert!(!kept.is_empty());
            for square in gone.into_iter() {
                let (column, row) = (square.column(), square.row());
                let corner = Square::at(if column < 4 { 0 } else { 7 }, if row < 4 { 0 } else { 7 }).unwrap();
                assert_eq!(position.color_at(corner), None);
                assert!(column.abs_diff(corner.column()) <= 1 && row.abs_diff(corner.row()) <= 1);
            }
        }
        assert!(pruned > 50, "{pruned}");
    }
}
