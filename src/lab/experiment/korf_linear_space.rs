//! What linear space costs (Korf and Chickering, AAAI-94, "Saving the Tree"): nodes that RBFMS generates again, time for
//! each, and memory, beside the stored search that expands the same nodes.

use super::bergman::board;
use super::stopwatch::Stopwatch;
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::arena::statistics::SampleMean;
use crate::eval::{Evaluator, EvaluatorKind};
use crate::game::Game;
use crate::lab::random_tree::{PathCost, RandomTree, TreeShape};
use crate::othello::Position;
use crate::render::{Curve, Plot, Point, Scale};
use crate::search::{EndValues, Explorer, KorfSettings, Progress, RbfmsSettings, Sibling, linear_best_first};
use serde::{Deserialize, Serialize};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "korf-linear-space",
    about: "what RBFMS generates again, its time for a node, and its memory; rows are depths of the principal leaf",
    seconds: 70,
    run,
};

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
    let depths = lab.levels_within(&[4, 8], &[4, 8, 12, 16, 20, 24], "plies", 1..=60)?;
    let trees = lab.count(4, 40);
    let seed = lab.setup().seed;
    let branchings: &[u8] = if lab.setup().quick { &[5] } else { &[2, 5, 10, 20] };
    lab.plan((depths.len() * (branchings.len() + 1)) as u64);
    let columns = [
        "tree",
        "plies",
        "distinct expansions",
        "calls each",
        "median",
        "most",
        "cut off",
        "ns/node stored",
        "ns/node linear",
        "kB stored",
        "kB linear",
    ];
    let mut table = Table::new("RBFMS beside the stored search that expands the same nodes", &columns);
    let mut curves = Vec::new();
    for &branching in branchings {
        let name = format!("random, up to {branching}");
        let root = |i| RandomTree::new(TreeShape::of_the_paper(branching), crate::random::mix(seed) ^ i);
        let roots: Vec<RandomTree> = (0..trees).map(root).collect();
        curves.push(rows(lab, &mut table, &name, &roots, &PathCost, &depths)?);
    }
    let (kind, evaluator) = lab.evaluator(EvaluatorKind::Bill)?;
    let boards: Vec<Position> = (0..trees).map(|i| board(seed, i)).collect();
    curves.push(rows(lab, &mut table, &format!("Othello, {kind}"), &boards, &*evaluator, &depths)?);
    let title = "Calls of RBFMS for each distinct expansion";
    let (x, y) = ("depth of the principal leaf, plies", "calls for each distinct expansion");
    let plot = Plot { y_scale: Scale::Logarithmic, ..Plot::new(title, x, y, curves) };
    let note = format!(
        "Means over {trees} trees of the ratios, with 95 % intervals; searches of more than {MOST_CALLS} calls are cut off and \
         enter with what they had done. Times are of the searching thread, memory is what the tree and the stack take."
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
        let mut ratio = SampleMean::default();
        let mut ratios: Vec<f64> = taken.iter().map(|t| t.calls as f64 / t.distinct.max(1) as f64).collect();
        ratios.iter().for_each(|&r| ratio.add(r));
        ratios.sort_by(f64::total_cmp);
        let sum = |of: fn(&Taken) -> u64| taken.iter().map(of).sum::<u64>() as f64;
        let n = taken.len().max(1) as f64;
        table.row(vec![
            Cell::from(name),
            Cell::from(depth),
            Cell::Number(sum(|t| t.distinct) / n, 0),
            Cell::mean(&ratio, 1),
            Cell::Number(ratios[ratios.len() / 2], 1),
            Cell::Number(ratios[ratios.len() - 1], 1),
            Cell::from(taken.iter().filter(|t| t.cut_off).count() as u64),
            Cell::Number(sum(|t| t.stored_nanos) / sum(|t| t.stored_generated), 0),
            Cell::Number(sum(|t| t.linear_nanos) / sum(|t| t.linear_generated), 0),
            Cell::Number(sum(|t| t.stored_bytes) / n / 1024.0, 1),
            Cell::Number(sum(|t| t.linear_bytes) / n / 1024.0, 1),
        ]);
        // Where most searches were cut off, the mean is that of the cut-off.
        if 2 * taken.iter().filter(|t| t.cut_off).count() < taken.len() {
            points.push(Point { x: depth.into(), y: ratio.mean().unwrap_or(1.0), error: None });
        }
    }
    Ok(Curve::new(name, points))
}
