//! The tempo effect (Korf and Chickering, AAAI-94): "the expansion of a node tends to make it look worse", the more so the
//! larger the branching factor.

use super::findings::point;
use super::series::openings;
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::arena::statistics::SampleMean;
use crate::eval::{Evaluator, EvaluatorKind};
use crate::game::{DISC, Game};
use crate::lab::random_tree::{PathCost, RandomTree};
use crate::othello::Position;
use crate::render::{Curve, Plot};
use crate::search::{EndValues, Explorer, KorfSettings, Progress};
use serde::{Deserialize, Serialize};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "korf-tempo",
    about: "how much worse expansion makes a node look to its parent; rows are largest branching factors",
    seconds: 3,
    reads: &["seed", "levels", "pairs", "openings"],
    run,
};

/// Expansions of one search: how many, how many made the node look worse to its parent, and by how much in all, over all
/// expansions and by the number of children (up to 20), in units of the evaluation.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Tempo {
    expansions: u64,
    worse: u64,
    loss: f64,
    by_children: Vec<(u64, u64, f64)>,
}

const MOST_CHILDREN: usize = 20;

impl Tempo {
    fn add(&mut self, children: usize, loss: i32) {
        self.by_children.resize(MOST_CHILDREN + 1, (0, 0, 0.0));
        let worse = u64::from(loss > 0);
        let of = &mut self.by_children[children.min(MOST_CHILDREN)];
        *of = (of.0 + 1, of.1 + worse, of.2 + f64::from(loss));
        (self.expansions, self.worse, self.loss) =
            (self.expansions + 1, self.worse + worse, self.loss + f64::from(loss));
    }
}

/// What the expansions of a best-first search do to the nodes expanded, the root left out.
fn in_search<G: Game>(root: &G, ends: EndValues, evaluator: &dyn Evaluator<G>, expansions: u64) -> Tempo {
    let mut tempo = Tempo::default();
    let mut search = Explorer::new(KorfSettings { ends, ..KorfSettings::korf() }, root);
    search.expand_root(evaluator);
    for _ in 0..expansions {
        if search.step(evaluator, &mut |_| false) != Progress::Grown {
            break;
        }
        let Some(node) = search.last_expanded().cloned() else { break };
        let children: Vec<G> = node.moves().map(|mv| node.after(mv)).collect();
        if children.is_empty() || children.iter().any(G::is_over) {
            continue;
        }
        // What the side to move at the node gains, the parent loses.
        let best = children.iter().map(|child| -evaluator.evaluate(child)).max().unwrap_or(0);
        tempo.add(children.len(), best - evaluator.evaluate(&node));
    }
    tempo
}

/// What expansion would do to nodes that were not chosen: those of a random walk.
fn on_a_walk(root: &RandomTree) -> Tempo {
    let mut tempo = Tempo::default();
    let mut node = *root;
    for _ in 0..40 {
        let best = node.moves().map(|mv| -PathCost.evaluate(&node.after(mv))).max().unwrap_or(0);
        tempo.add(node.moves().len(), best - PathCost.evaluate(&node));
        node = node.after(0);
    }
    tempo
}

fn run(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let branchings =
        lab.levels(&[2, 5], &[1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20], "largest branching factors", 1..=255)?;
    let trees = lab.count(5, 400);
    let seed = lab.setup().seed;
    lab.plan(2 * branchings.len() as u64 + 3);
    let columns = "largest branching | worse %, any node | loss, any node | worse %, in search | loss, in search";
    let title = "Random trees: how expansion changes a node for its parent, loss in standard deviations of an edge";
    let mut table = Table::new(title, columns);
    let mut curves = ["any node", "nodes that best-first expands"].map(|name| Curve::new(name, Vec::new()));
    // The standard deviation of a uniform edge cost.
    let deviation = f64::from(1 << 15) / 3f64.sqrt();
    for &branching in &branchings {
        let root = |i| RandomTree::of_the_paper(branching as u8, seed, i);
        let mut cells = vec![Cell::from(branching)];
        for (curve, form) in curves.iter_mut().zip(["walk", "search"]) {
            let tempos = lab.unit(&format!("{branching}/{form}"), || {
                let tempo = |i| match form {
                    "walk" => on_a_walk(&root(i)),
                    _ => in_search(&root(i), EndValues::Sum, &PathCost, 200),
                };
                (0..trees).map(tempo).map(|t| (t.expansions, t.worse, t.loss)).collect::<Vec<_>>()
            })?;
            // Trees are independent of one another, the nodes of one are not.
            let (mut worse, mut loss) = (SampleMean::default(), SampleMean::default());
            for (expansions, worsened, lost) in tempos.into_iter().filter(|t| t.0 > 0) {
                worse.add(100.0 * worsened as f64 / expansions as f64);
                loss.add(lost / expansions as f64 / deviation);
            }
            cells.push(Cell::mean(&worse, 1));
            cells.push(Cell::mean(&loss, 3));
            curve.points.push(point(branching, (loss.mean().unwrap_or(0.0), loss.error())));
        }
        table.row(cells);
    }
    let (othello, by_children) = on_othello(lab)?;
    let plot = Plot::new(
        "The tempo effect on random trees",
        "largest branching factor",
        "loss by expansion, standard deviations of an edge",
        curves.to_vec(),
    );
    let note = "A loss is what the value of a node falls by, seen by the parent, when it is replaced by its best child's. Errors are 95 % \
         intervals by trees, or by openings.";
    Ok(Findings::new(vec![table, othello, by_children], vec![plot], note))
}

fn on_othello(lab: &mut Lab<'_>) -> Result<(Table, Table), ExperimentError> {
    let starts = openings(lab, "random:20", lab.count(3, 60))?;
    let columns = "eval | expansions | worse % | loss, discs";
    let mut table = Table::new("Othello: the same in best-first searches from openings", columns);
    let columns = "eval | children | expansions | worse % | loss, discs";
    let mut by_children = Table::new("Othello: by the number of children", columns);
    let disc = f64::from(DISC);
    for kind in [EvaluatorKind::Bill, EvaluatorKind::Iago, EvaluatorKind::Pattern] {
        let evaluator = lab.built(kind)?;
        let tempos = lab.unit(&format!("othello/{kind}"), || {
            let tempo = |start: &Position| in_search(start, EndValues::Outcome, &*evaluator, 1000);
            starts.iter().map(tempo).collect::<Vec<_>>()
        })?;
        let (mut worse, mut loss, mut expansions) = (SampleMean::default(), SampleMean::default(), 0);
        let mut sums = vec![(0, 0, 0.0); MOST_CHILDREN + 1];
        for tempo in tempos.iter().filter(|t| t.expansions > 0) {
            worse.add(100.0 * tempo.worse as f64 / tempo.expansions as f64);
            loss.add(tempo.loss / tempo.expansions as f64 / disc);
            expansions += tempo.expansions;
            for (sum, of) in sums.iter_mut().zip(&tempo.by_children) {
                *sum = (sum.0 + of.0, sum.1 + of.1, sum.2 + of.2);
            }
        }
        table.row(vec![Cell::from(kind.name()), Cell::from(expansions), Cell::mean(&worse, 1), Cell::mean(&loss, 2)]);
        for (children, (expansions, worse, loss)) in sums.into_iter().enumerate().filter(|(_, sum)| sum.0 >= 30) {
            by_children.row(vec![
                Cell::from(kind.name()),
                Cell::from(children as u64),
                Cell::from(expansions),
                Cell::Number(100.0 * worse as f64 / expansions as f64, 1),
                Cell::Number(loss / expansions as f64 / disc, 2),
            ]);
        }
    }
    Ok((table, by_children))
}
