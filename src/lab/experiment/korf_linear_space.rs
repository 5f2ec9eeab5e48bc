//! What linear space costs (Korf and Chickering, AAAI-94, "Saving the Tree"): nodes that RBFMS generates again, time for
//! each, and memory, beside the stored search that expands the same nodes.

use super::bergman::board;
use super::findings::point;
use super::stopwatch::Stopwatch;
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::eval::{Evaluator, EvaluatorKind};
use crate::game::Game;
use crate::lab::random_tree::{PathCost, RandomTree};
use crate::othello::Position;
use crate::random::Random;
use crate::render::{Curve, Plot, Scale};
use crate::search::{EndValues, Explorer, KorfSettings, Progress, RbfmsSettings, Sibling, linear_best_first};
use serde::{Deserialize, Serialize};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "korf-linear-space",
    about: "what RBFMS generates again, its time for a node, and its memory; rows are depths of the principal leaf",
    seconds: 70,
    reads: &["seed", "levels", "pairs", "eval"],
    run,
};

/// Samples that a bootstrap interval is of.
const RESAMPLES: usize = 2000;

/// A median, and its 95 % interval: ratios as skewed as these have no mean that a few dozen trees could tell.
struct Median {
    value: f64,
    from: f64,
    to: f64,
}

impl Median {
    /// The median of some numbers, at least one, with the interval of bootstrap percentiles. The resamples are always the same ones.
    fn of(values: &[f64]) -> Median {
        let middle = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            if values.len().is_multiple_of(2) { (values[half - 1] + values[half]) / 2.0 } else { values[half] }
        };
        let mut random = Random::of_pair(0, 0);
        let resample = |_| middle(values.iter().map(|_| values[random.below(values.len())]).collect());
        let mut medians: Vec<f64> = (0..RESAMPLES).map(resample).collect();
        medians.sort_by(f64::total_cmp);
        let tail = RESAMPLES / 40;
        Median { value: middle(values.to_vec()), from: medians[tail], to: medians[RESAMPLES - 1 - tail] }
    }

    fn cells(&self, decimals: usize) -> [Cell; 3] {
        [self.value, self.from, self.to].map(|number| Cell::Number(number, decimals))
    }
}

/// What both searches took to bring the principal leaf of one tree to a depth.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Taken {
    /// Expansions of the stored search, each of another node.
    distinct: u64,
    stored_generated: u64,
    stored_nanos: u64,
    stored_bytes: u64,
    /// Calls of the recursion.
    calls: u64,
    linear_generated: u64,
    linear_nanos: u64,
    linear_bytes: u64,
    /// Whether the recursion was cut off after [`MOST_CALLS`].
    cut_off: bool,
}

/// Searches that take more are cut off, and counted as they are then.
const MOST_CALLS: u64 = 2_000_000;
/// No stored search goes on for longer.
const MOST_EXPANSIONS: u64 = 200_000;

fn take<G: Game>(root: &G, evaluator: &dyn Evaluator<G>, depth: u32) -> Taken {
    let settings = KorfSettings { ends: EndValues::Sum, depth: Some(depth), ..KorfSettings::korf() };
    let watch = Stopwatch::start();
    let mut stored = Explorer::new(settings, root);
    while stored.work().expansions < MOST_EXPANSIONS && stored.step(evaluator, &mut |_| false) == Progress::Grown {}
    let stored_nanos = watch.nanos();
    let (mut most, mut work, mut cut_off) = (0, Default::default(), false);
    let settings = RbfmsSettings { depth: Some(depth), ..RbfmsSettings::default() };
    let watch = Stopwatch::start();
    linear_best_first(root, evaluator, EndValues::Sum, settings, &mut |call| {
        most = most.max(call.stack.len());
        work = *call.work;
        cut_off = call.work.expansions >= MOST_CALLS;
        cut_off
    });
    Taken {
        distinct: stored.work().expansions,
        stored_generated: stored.work().nodes,
        stored_nanos,
        stored_bytes: stored.stored_bytes(),
        calls: work.expansions,
        linear_generated: work.nodes,
        linear_nanos: watch.nanos(),
        linear_bytes: (most * size_of::<Sibling<G::Move>>()) as u64,
        cut_off,
    }
}

fn run(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let depths = lab.levels(&[4, 8], &[4, 8, 12, 16, 20, 24], "plies", 1..=60)?;
    let trees = lab.count(4, 40);
    let seed = lab.setup().seed;
    let branchings: &[u8] = if lab.setup().quick { &[5] } else { &[2, 5, 10, 20] };
    lab.plan((depths.len() * (branchings.len() + 1)) as u64);
    let columns = "tree | plies | distinct expansions | calls each | calls from | calls to | most calls each | \
        cut off | time each | time from | time to | ns/node stored | ns/node linear | kB stored | kB linear";
    let mut table = Table::new("RBFMS beside the stored search that expands the same nodes", columns);
    let mut curves = Vec::new();
    for &branching in branchings {
        let name = format!("random, up to {branching}");
        let roots: Vec<RandomTree> = (0..trees).map(|i| RandomTree::of_the_paper(branching, seed, i)).collect();
        curves.push(rows(lab, &mut table, &name, &roots, &PathCost, &depths)?);
    }
    let (kind, evaluator) = lab.evaluator(EvaluatorKind::Bill)?;
    let boards: Vec<Position> = (0..trees).map(|i| board(seed, i)).collect();
    curves.push(rows(lab, &mut table, &format!("Othello, {kind}"), &boards, &*evaluator, &depths)?);
    let title = "Calls of RBFMS for each distinct expansion, median";
    let (x, y) = ("depth of the principal leaf, plies", "calls for each distinct expansion");
    let plot = Plot { y_scale: Scale::Logarithmic, ..Plot::new(title, x, y, curves) };
    let note = format!(
        "Of {trees} trees a row: \"calls each\" and \"time each\" are medians of the ratios of RBFMS's calls and time to the stored \
         search's expansions and time, with 95 % intervals of {RESAMPLES} bootstrap samples of the trees; expansions are a median too, \
         memory is a mean, and a node's time is that of all trees together. Searches of more than {MOST_CALLS} calls are cut off and enter \
         with what they had done: where half of them or more were, the medians are lower bounds. Times are of the searching thread, \
         memory is what the tree and the stack take."
    );
    Ok(Findings::new(vec![table], vec![plot], note))
}

fn rows<G: Game>(
    lab: &mut Lab<'_>,
    table: &mut Table,
    name: &str,
    roots: &[G],
    evaluator: &dyn Evaluator<G>,
    depths: &[u32],
) -> Result<Curve, ExperimentError> {
    let mut points = Vec::new();
    for &depth in depths {
        let taken = lab.unit(&format!("{name}/{depth}"), || {
            roots.iter().map(|root| take(root, evaluator, depth)).collect::<Vec<_>>()
        })?;
        let ratios = |of: fn(&Taken) -> (u64, u64)| -> Vec<f64> {
            taken.iter().map(of).map(|(linear, stored)| linear as f64 / stored.max(1) as f64).collect()
        };
        let calls_each = ratios(|t| (t.calls, t.distinct));
        let most = calls_each.iter().copied().fold(0.0, f64::max);
        let calls = Median::of(&calls_each);
        let time = Median::of(&ratios(|t| (t.linear_nanos, t.stored_nanos)));
        let distinct = Median::of(&taken.iter().map(|t| t.distinct as f64).collect::<Vec<_>>());
        let cut_off = taken.iter().filter(|t| t.cut_off).count();
        let sum = |of: fn(&Taken) -> u64| taken.iter().map(of).sum::<u64>() as f64;
        let n = taken.len().max(1) as f64;
        let mut cells = vec![Cell::from(name), Cell::from(depth), Cell::Number(distinct.value, 0)];
        cells.extend(calls.cells(1));
        cells.extend([Cell::Number(most, 1), Cell::from(cut_off as u64)]);
        cells.extend(time.cells(2));
        cells.extend([
            Cell::Number(sum(|t| t.stored_nanos) / sum(|t| t.stored_generated), 0),
            Cell::Number(sum(|t| t.linear_nanos) / sum(|t| t.linear_generated), 0),
            Cell::Number(sum(|t| t.stored_bytes) / n / 1024.0, 1),
            Cell::Number(sum(|t| t.linear_bytes) / n / 1024.0, 1),
        ]);
        table.row(cells);
        // Where half of the searches were cut off, the median is that of the cut-off.
        if 2 * cut_off < taken.len() {
            points.push(point(depth, (calls.value, None)));
        }
    }
    Ok(Curve::new(name, points))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_and_its_interval() {
        let tailed: Vec<f64> = (1..=40).map(|i| if i == 40 { 1e9 } else { f64::from(i) }).collect();
        let Median { value, from, to } = Median::of(&tailed);
        assert_eq!(value, 20.5);
        // The 95 % interval of order statistics of 40 numbers is from the 14th to the 27th.
        assert!((12.0..16.0).contains(&from) && (25.0..29.0).contains(&to), "{from} to {to}");
        let same = Median::of(&[3.0, 3.0, 3.0]);
        assert_eq!((same.value, same.from, same.to), (3.0, 3.0, 3.0));
        assert_eq!(Median::of(&[7.0]).value, 7.0);
    }
}
