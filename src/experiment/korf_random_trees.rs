//! Random game trees (Korf and Chickering, AAAI-94, "Random Game Tree Results"): best-first minimax and its extension
//! against alpha-beta at equal evaluations.

use super::duel::Score;
use super::player::{BestFirstPlayer, FixedDepth, Limit, Player};
use super::series::{CALIBRATION_UNITS, calibrate, series};
use super::{Cell, Curve, Experiment, Findings, Lab, Plot, Point, Problem, Table};
use crate::eval::Evaluator;
use crate::random_tree::{PathCost, RandomTree, TreeShape};
use crate::search::{BestFirstSettings, EndValues};
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "korf-random-trees",
    about: "best-first and extension against alpha-beta on random trees; rows are largest branching factors",
    seconds: 600,
    run,
};

/// The largest depth of alpha-beta for a branching factor: a thousand evaluations a move, or somewhat more.
fn deepest(branching: u32, quick: bool) -> u32 {
    let full = match branching {
        ..=2 => 12,
        3 => 9,
        4..=5 => 7,
        6..=10 => 5,
        _ => 4,
    };
    if quick { 2 } else { full }
}

fn run(lab: &mut Lab<'_>) -> Result<Findings, Problem> {
    let branchings = lab.levels(&[3], &[2, 3, 5, 10, 20]);
    if let Some(wrong) = branchings.iter().find(|b| !(1..=255).contains(*b)) {
        return Err(Problem::option("levels", wrong, "largest branching factors from 1 to 255"));
    }
    let pairs = lab.count(3, 200);
    let quick = lab.setup().quick;
    let rows: u64 = branchings.iter().map(|&b| u64::from(deepest(b, quick))).sum();
    lab.plan(rows * 2 * (pairs + CALIBRATION_UNITS));
    let columns = [
        "branching",
        "alpha-beta depth",
        "evaluations/move",
        "best-first won %",
        "its plies",
        "extension won %",
        "its plies ",
    ];
    let mut table = Table::new("Pairs won against alpha-beta at equal evaluations", &columns);
    let mut plots = Vec::new();
    for &branching in &branchings {
        let mut curves = [Vec::new(), Vec::new()];
        for depth in 1..=deepest(branching, quick) {
            let mut cells = vec![Cell::from(u64::from(branching)), Cell::from(u64::from(depth))];
            for (form, name) in ["best-first", "extension"].into_iter().enumerate() {
                let start = if form == 0 { 0 } else { depth - 1 };
                let score = play(lab, branching as u8, depth, start, pairs, name)?;
                if form == 0 {
                    cells.push(Cell::Number(score.second.per_move(), 0));
                }
                let (won, error) = score.percent_of_pairs();
                cells.push(Cell::Measured(won, error, 1));
                cells.push(Cell::Number(score.first.plies as f64 / score.first.moves.max(1) as f64, 1));
                curves[form].push(Point { x: depth.into(), y: won, error });
            }
            table.row(cells);
        }
        let [best_first, extension] = curves;
        plots.push(Plot {
            title: format!("Random trees with up to {branching} children: pairs won against alpha-beta"),
            x: "depth of alpha-beta, plies".to_owned(),
            y: "pairs won, %".to_owned(),
            log_x: false,
            log_y: false,
            mark: Some(50.0),
            curves: vec![
                Curve { name: "best-first".to_owned(), points: best_first, dashed: false },
                Curve { name: "extension".to_owned(), points: extension, dashed: false },
            ],
        });
    }
    let notes = vec![
        "A pair is two games in one tree; it is won by who had the larger result as MAX. Wilson intervals of 95 %.".to_owned(),
        "The paper gives no figures: best-first ahead at shallow depths and behind at greater ones, the extension ahead at all."
            .to_owned(),
    ];
    Ok(Findings { tables: vec![table], plots, notes })
}

fn play(lab: &mut Lab<'_>, branching: u8, depth: u32, start: u32, pairs: u64, name: &str) -> Result<Score, Problem> {
    let shape = TreeShape::of_the_paper(branching);
    let seed = lab.setup().seed;
    let root = |i| RandomTree::new(shape, crate::random::mix(seed) ^ i);
    let starts: Vec<RandomTree> = (0..pairs).map(root).collect();
    // Other trees than those that count.
    let calibration: Vec<RandomTree> = (0..6).map(|i| root(u64::MAX - i)).collect();
    let evaluator: Arc<dyn Evaluator<RandomTree>> = Arc::new(PathCost);
    let fixed = || FixedDepth::new(depth, evaluator.clone());
    let settings = BestFirstSettings { ends: EndValues::Sum, ..BestFirstSettings::korf() };
    let settings = BestFirstPlayer::<RandomTree>::extension_of(settings, start);
    let best_first = |limit| BestFirstPlayer::new(settings, limit, evaluator.clone());
    let key = format!("{branching}/{depth}/{name}");
    let limit = if depth == 1 {
        // Both are the same player then: the best of the children by their static values.
        Limit::Plies(1, u64::MAX)
    } else {
        let mut make = |budgets| Box::new(best_first(Limit::Budgets(budgets))) as Box<dyn Player<RandomTree>>;
        Limit::Budgets(calibrate(lab, &key, &calibration, [&mut fixed(), &mut fixed()], &mut make, 0)?)
    };
    let pairs = series(lab, &key, &starts, &mut best_first(limit), &mut fixed(), 0)?;
    Ok(Score::of(&pairs))
}
