//! Bergman's figures 3 to 6, and the Caltech page's saving: what searches cost by depth.

use super::bergman::{ALGORITHMS, Cost, HEURISTICS, Series, boards, cost, costs};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::eval::EvaluatorKind;
use crate::render::{Curve, Plot, Point, Stroke};

pub(super) const NODES: Experiment = Experiment {
    name: "bergman-nodes",
    about: "Figures 3 and 5: nodes expanded by depth, for three algorithms and four heuristics",
    seconds: 12,
    run: nodes,
};

pub(super) const TIMES: Experiment = Experiment {
    name: "bergman-times",
    about: "Figure 4: search time by depth, for three algorithms",
    seconds: 5,
    run: times,
};

pub(super) const HEURISTIC_COST: Experiment = Experiment {
    name: "bergman-heuristic-cost",
    about: "Figure 6: search time by depth, for four heuristics",
    seconds: 6,
    run: heuristic_cost,
};

pub(super) const SAVING: Experiment = Experiment {
    name: "alpha-beta-saving",
    about: "the share of minimax's nodes that cut-offs save, on Othello",
    seconds: 3,
    run: saving,
};

/// The largest depths: seconds for each unit.
fn deepest(lab: &Lab<'_>, full: u32) -> u32 {
    lab.levels(&[3], &[full])[0].min(12)
}

fn of_algorithms(lab: &Lab<'_>) -> Vec<Series<'static>> {
    let weight = EvaluatorKind::WeightedSquares;
    let deepest = [6, 8, 9].map(|full| deepest(lab, full));
    let series = ALGORITHMS.iter().zip(deepest);
    series.map(|(&algorithm, deepest)| Series { name: algorithm.0, algorithm, heuristic: weight, deepest }).collect()
}

fn of_heuristics(lab: &Lab<'_>) -> Vec<Series<'static>> {
    let deepest = deepest(lab, 8);
    let series = HEURISTICS.iter();
    series.map(|&(name, heuristic)| Series { name, algorithm: ALGORITHMS[2], heuristic, deepest }).collect()
}

fn nodes(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let (algorithms, heuristics) = (of_algorithms(lab), of_heuristics(lab));
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

fn times(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let series = of_algorithms(lab);
    let mut found = costs(lab, &series, ("Figure 4: algorithms, weight heuristic", "ms"), Cost::millis, 3)?;
    found.notes.push("Processor time of the searching thread.".to_owned());
    Ok(found)
}

fn heuristic_cost(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let series = of_heuristics(lab);
    let title = ("Figure 6: heuristics, alpha-beta with reordering", "ms");
    let mut found = costs(lab, &series, title, Cost::millis, 3)?;
    found.notes.push("Processor time of the searching thread.".to_owned());
    Ok(found)
}

fn saving(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let count = lab.count(4, 50);
    let boards = boards(lab, count)?;
    let deepest = deepest(lab, 6);
    lab.plan(3 * u64::from(deepest));
    let columns = ["depth", "minimax nodes", "alpha-beta saves %", "with ordering saves %", "least possible saves %"];
    let mut table = Table::new(format!("Nodes saved by cut-offs, weight heuristic, {count} boards"), &columns);
    let mut curves = ["alpha-beta", "with ordering", "least possible"].map(|name| Curve {
        name: name.to_owned(),
        points: Vec::new(),
        stroke: if name == "least possible" { Stroke::Dashed } else { Stroke::Solid },
    });
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
        let (nodes, error) = full.nodes();
        let values = [saved(&plain), saved(&ordered), (100.0 * (1.0 - least / nodes), None)];
        for (curve, (y, error)) in curves.iter_mut().zip(values) {
            curve.points.push(Point { x: depth.into(), y, error });
        }
        let mut cells = vec![Cell::from(depth), Cell::Measured(nodes, error, 1)];
        cells.extend(values.map(|(value, error)| Cell::Measured(value, error, 1)));
        table.row(cells);
    }
    let title = "Nodes saved by cut-offs";
    let (x, y) = ("depth, plies", "saved of minimax's nodes, %; dotted: the page's 30");
    let plot = Plot { mark: Some(30.0), ..Plot::new(title, x, y, curves.to_vec()) };
    let note = "The page's 30 % (marked) are 10 nodes of one small drawn tree. Errors are 95 % intervals by boards; those of a saving are of a \
         quotient of sums over the same boards.";
    Ok(Findings::new(vec![table], vec![plot], note))
}
