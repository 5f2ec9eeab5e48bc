//! Bergman's figures 3 to 6, and the Caltech page's saving: what searches cost by depth.

use super::bergman::{ALGORITHMS, Cost, HEURISTICS, ON_BOARDS, Series, boards, cost, costs};
use super::findings::point;
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::eval::EvaluatorKind;
use crate::render::{Curve, Plot, Stroke};

pub(super) const NODES: Experiment = Experiment {
    name: "bergman-nodes",
    about: "Figures 3 and 5: nodes expanded by depth, for three algorithms and four heuristics; --levels N is the largest depth",
    seconds: 12,
    reads: ON_BOARDS,
    run: nodes,
};

pub(super) const TIMES: Experiment = Experiment {
    name: "bergman-times",
    about: "Figure 4: search time by depth, for three algorithms; --levels N is the largest depth",
    seconds: 5,
    reads: ON_BOARDS,
    run: |lab| times(lab, of_algorithms, "Figure 4: algorithms, weight heuristic"),
};

pub(super) const HEURISTIC_COST: Experiment = Experiment {
    name: "bergman-heuristic-cost",
    about: "Figure 6: search time by depth, for four heuristics; --levels N is the largest depth",
    seconds: 6,
    reads: ON_BOARDS,
    run: |lab| times(lab, of_heuristics, "Figure 6: heuristics, alpha-beta with reordering"),
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
    let series = ALGORITHMS
        .iter()
        .zip([6, 8, 9])
        .map(|(&algorithm, full)| Ok(Series { name: algorithm.0, algorithm, heuristic, deepest: deepest(lab, full)? }));
    series.collect()
}

fn of_heuristics(lab: &Lab<'_>) -> Result<Vec<Series<'static>>, ExperimentError> {
    let deepest = deepest(lab, 8)?;
    let series = HEURISTICS.iter();
    Ok(series.map(|&(name, heuristic)| Series { name, algorithm: ALGORITHMS[2], heuristic, deepest }).collect())
}

fn nodes(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let (algorithms, heuristics) = (of_algorithms(lab)?, of_heuristics(lab)?);
    let y = "nodes expanded";
    let mut found = costs(lab, &algorithms, ("Figure 3: algorithms, weight heuristic", y), Cost::nodes, 1)?;
    let more = costs(lab, &heuristics, ("Figure 5: heuristics, alpha-beta with reordering", y), Cost::nodes, 1)?;
    found.tables.extend(more.tables);
    found.plots.extend(more.plots);
    found.notes.push(
        "Nodes expanded are calls of the search function, as in the paper. Errors are 95 % intervals.".to_owned(),
    );
    Ok(found)
}

/// What searches take by depth, in time.
fn times(
    lab: &mut Lab<'_>,
    series: fn(&Lab<'_>) -> Result<Vec<Series<'static>>, ExperimentError>,
    title: &str,
) -> Result<Findings, ExperimentError> {
    let series = series(lab)?;
    let found = costs(lab, &series, (title, "ms"), Cost::millis, 3)?;
    Ok(Findings { notes: vec!["Processor time of the searching thread.".to_owned()], ..found })
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
