//! Bergman's figures 3 to 6, his iterative deepening, and the Caltech page's saving: what searches cost by depth.

use super::bergman::{ALGORITHMS, Cost, EVERY_PLY_SORTED, HEURISTICS, ON_BOARDS, Series, boards, cost, costs};
use super::findings::point;
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::arena::statistics::SampleMean;
use crate::eval::{Evaluator, EvaluatorKind};
use crate::othello::Position;
use crate::render::{Curve, Plot, Stroke};
use crate::search::{Contempt, MinimaxKind, plain_minimax_along};

pub(super) const NODES: Experiment = Experiment {
    name: "bergman-nodes",
    about: "Figures 3 and 5: nodes expanded by depth, for three algorithms and four heuristics, the last ply sorted or not; --levels N is the largest depth",
    seconds: 25,
    reads: ON_BOARDS,
    run: nodes,
};

pub(super) const TIMES: Experiment = Experiment {
    name: "bergman-times",
    about: "Figure 4: search time by depth, for three algorithms; --levels N is the largest depth",
    seconds: 9,
    reads: ON_BOARDS,
    run: |lab| times(lab, &of_algorithms(lab)?, "Figure 4: algorithms, weight heuristic"),
};

pub(super) const HEURISTIC_COST: Experiment = Experiment {
    name: "bergman-heuristic-cost",
    about: "Figure 6: search time by depth, for four heuristics; --levels N is the largest depth",
    seconds: 17,
    reads: ON_BOARDS,
    run: |lab| {
        let mut found =
            times(lab, &of_heuristics(lab, ALGORITHMS[2])?, "Figure 6: heuristics, alpha-beta with reordering")?;
        let more = times(lab, &of_heuristics(lab, EVERY_PLY_SORTED)?, "Figure 6 with every ply sorted")?;
        found.tables.extend(more.tables);
        found.plots.extend(more.plots);
        Ok(found)
    },
};

pub(super) const DEEPENING: Experiment = Experiment {
    name: "bergman-deepening",
    about: "what iterative deepening costs in nodes beside one search to its last depth; --levels N is the largest depth",
    seconds: 12,
    reads: ON_BOARDS,
    run: deepening,
};

pub(super) const SAVING: Experiment = Experiment {
    name: "alpha-beta-saving",
    about: "the share of minimax's nodes that cut-offs save, on Othello; --levels N is the largest depth",
    seconds: 3,
    reads: ON_BOARDS,
    run: saving,
};

/// The largest depth.
fn deepest(lab: &Lab<'_>, full: u32) -> Result<u32, ExperimentError> {
    lab.level(3, full, "largest depth", 1..=12)
}

fn of_algorithms(lab: &Lab<'_>) -> Result<Vec<Series<'static>>, ExperimentError> {
    let heuristic = EvaluatorKind::WeightedSquares;
    // What takes seconds for each unit.
    let algorithms = ALGORITHMS.into_iter().chain([EVERY_PLY_SORTED]).zip([6, 8, 9, 9]);
    let series = algorithms
        .map(|(algorithm, full)| Ok(Series { name: algorithm.0, algorithm, heuristic, deepest: deepest(lab, full)? }));
    series.collect()
}

fn of_heuristics(
    lab: &Lab<'_>,
    algorithm: (&'static str, MinimaxKind),
) -> Result<Vec<Series<'static>>, ExperimentError> {
    let deepest = deepest(lab, 8)?;
    let series = HEURISTICS.iter();
    Ok(series.map(|&(name, heuristic)| Series { name, algorithm, heuristic, deepest }).collect())
}

fn nodes(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let figures = [
        ("Figure 3: algorithms, weight heuristic", of_algorithms(lab)?),
        ("Figure 5: heuristics, alpha-beta with reordering", of_heuristics(lab, ALGORITHMS[2])?),
        ("Figure 5 with every ply sorted", of_heuristics(lab, EVERY_PLY_SORTED)?),
    ];
    let mut found = Findings::default();
    for (title, series) in &figures {
        let figure = costs(lab, series, (title, "nodes expanded"), Cost::nodes, 1)?;
        found.tables.extend(figure.tables);
        found.plots.extend(figure.plots);
    }
    found.notes.push(
        "Nodes expanded are calls of the search function, as in the paper. Errors are 95 % intervals.".to_owned(),
    );
    Ok(found)
}

/// What searches take by depth, in time.
fn times(lab: &mut Lab<'_>, series: &[Series<'_>], title: &str) -> Result<Findings, ExperimentError> {
    let found = costs(lab, series, (title, "ms"), Cost::millis, 3)?;
    Ok(Findings { notes: vec!["Processor time of the searching thread.".to_owned()], ..found })
}

/// How many moves of the expected play an iteration takes from the one before and tries first.
const TAKEN: [usize; 3] = [0, 1, usize::MAX];

/// Nodes of a search of a board to each depth, which tries as much as is `taken` of the expected play of the one before.
fn iterations(
    kind: MinimaxKind,
    board: &Position,
    deepest: u32,
    taken: usize,
    evaluator: &dyn Evaluator<Position>,
) -> Vec<u64> {
    let mut line = Vec::new();
    let search = |depth| {
        let first = &line[..taken.min(line.len())];
        let found = plain_minimax_along(kind, board, depth, first, evaluator, Contempt::NONE, &mut |_| false);
        line = found.pv;
        found.counts.visited
    };
    (1..=deepest).map(search).collect()
}

/// Nodes to depths 1 to `depth`, one after the other, for each board, over those of one search to `depth`.
fn over_one_search(iterations: &[Vec<u64>], alone: &[Vec<u64>], depth: usize) -> SampleMean {
    let mut ratio = SampleMean::default();
    for (iterations, alone) in iterations.iter().zip(alone) {
        ratio.add(iterations[..depth].iter().sum::<u64>() as f64 / alone[depth - 1] as f64);
    }
    ratio
}

fn deepening(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let deepest = deepest(lab, 8)?;
    let boards = boards(lab, lab.count(4, 50))?;
    let (algorithms, heuristics) = (&ALGORITHMS[1..], &HEURISTICS[2..]);
    lab.plan((algorithms.len() * heuristics.len()) as u64);
    let columns = "search | heuristic | depth | one search, nodes | 1 to depth, ratio | best move first, ratio | expected play first, ratio";
    let title = format!("Nodes of iterative deepening over those of one search, mean of {} boards", boards.len());
    let mut table = Table::new(title, columns);
    let mut curves = Vec::new();
    for &(search, kind) in algorithms {
        for &(name, heuristic) in heuristics {
            let evaluator = lab.built(heuristic)?;
            let nodes = lab.unit(&format!("{search}/{name}"), || {
                TAKEN.map(|taken| {
                    let each = boards.iter().map(|board| iterations(kind, board, deepest, taken, &*evaluator));
                    each.collect::<Vec<_>>()
                })
            })?;
            let mut curve = Curve::new(format!("{search}, {name}"), Vec::new());
            let mut along = Curve {
                stroke: Stroke::Dashed,
                ..Curve::new(format!("{search}, {name}, expected play first"), Vec::new())
            };
            for depth in 1..=deepest as usize {
                let mut one = SampleMean::default();
                nodes[0].iter().for_each(|board| one.add(board[depth - 1] as f64));
                let ratios = [0, 1, 2].map(|i| over_one_search(&nodes[i], &nodes[0], depth));
                let mut cells =
                    vec![Cell::from(search), Cell::from(name), Cell::from(depth as u32), Cell::mean(&one, 1)];
                cells.extend(ratios.iter().map(|ratio| Cell::mean(ratio, 2)));
                table.row(cells);
                for (curve, ratio) in [(&mut curve, &ratios[0]), (&mut along, &ratios[2])] {
                    curve.points.push(point(depth as u32, (ratio.mean().unwrap_or(f64::NAN), ratio.error())));
                }
            }
            curves.extend([curve, along]);
        }
    }
    let (x, y) = ("depth, plies", "nodes to depths 1, 2, … over one search");
    let plot = Plot { mark: Some(1.0), ..Plot::new("What iterative deepening costs", x, y, curves) };
    let note = "A ratio is the mean over the boards of theirs, with its 95 % interval. The denominator is always one search with nothing \
         from an earlier one.";
    Ok(Findings::new(vec![table], vec![plot], note))
}

fn saving(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let boards = boards(lab, lab.count(4, 50))?;
    let deepest = deepest(lab, 6)?;
    lab.plan(3 * u64::from(deepest));
    let columns = "depth | minimax nodes | alpha-beta saves % | with ordering saves % | least possible saves %";
    let mut table = Table::new(format!("Nodes saved by cut-offs, weight heuristic, {} boards", boards.len()), columns);
    let mut curves = ["alpha-beta", "with ordering", "least possible"].map(|name| Curve::new(name, Vec::new()));
    curves[2].stroke = Stroke::Dashed;
    for depth in 1..=deepest {
        let mut measured = |i: usize| cost(lab, &boards, ALGORITHMS[i], EvaluatorKind::WeightedSquares, depth);
        let [full, plain, ordered] = [measured(0)?, measured(1)?, measured(2)?];
        let saved = |cost: &Cost| {
            let (share, error) = cost.share_of(&full);
            (100.0 * (1.0 - share), error.map(|error| 100.0 * error))
        };
        // Leaves of the minimal tree of a uniform one with as many leaves (Knuth and Moore 1975): b^⌈d/2⌉ + b^⌊d/2⌋ − 1. Nodes
        // above count too.
        let uniform = (full.evaluations as f64 / full.boards()).powf(1.0 / f64::from(depth));
        let minimal = |d: u32| uniform.powi(d.div_ceil(2) as i32) + uniform.powi((d / 2) as i32) - 1.0;
        let least: f64 = (0..=depth).map(minimal).sum();
        let values = [saved(&plain), saved(&ordered), (100.0 * (1.0 - least / full.nodes().0), None)];
        for (curve, value) in curves.iter_mut().zip(values) {
            curve.points.push(point(depth, value));
        }
        let mut cells = vec![Cell::from(depth), Cell::from(full.nodes())];
        cells.extend(values.map(Cell::from));
        table.row(cells);
    }
    let title = "Nodes saved by cut-offs";
    let (x, y) = ("depth, plies", "saved of minimax's nodes, %; dotted: the page's 30");
    let plot = Plot { mark: Some(30.0), ..Plot::new(title, x, y, curves.to_vec()) };
    let note = "The page's 30 % (marked) are 10 nodes of one small drawn tree. Errors are 95 % intervals by boards; those of a saving are of a \
         quotient of sums over the same boards.";
    Ok(Findings::new(vec![table], vec![plot], note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_by_hand() {
        let alone = [vec![2, 10], vec![3, 30]];
        assert_eq!(over_one_search(&alone, &alone, 1).mean(), Some(1.0));
        // 12/10 and 33/30.
        assert!((over_one_search(&alone, &alone, 2).mean().unwrap() - 1.15).abs() < 1e-12);
        // 7/10 and 15/30.
        let along = [vec![2, 5], vec![3, 12]];
        assert!((over_one_search(&along, &alone, 2).mean().unwrap() - 0.6).abs() < 1e-12);
    }
}
