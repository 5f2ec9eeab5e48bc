//! Random game trees (Korf and Chickering, AAAI-94, "Random Game Tree Results"): best-first minimax and its extension
//! against alpha-beta at equal evaluations.

use super::duel::PairScore;
use super::findings::point;
use super::player::{BestFirstPlayer, FixedDepth, Limit};
use super::series::{CALIBRATION_UNITS, HORIZON_PAIRS, calibrate, horizon, series};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::lab::random_tree::{PathCost, RandomTree};
use crate::render::{Curve, Plot, Stroke};
use crate::search::{EndValues, KorfSettings};
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "korf-random-trees",
    about: "best-first and extension against alpha-beta on random trees; rows are largest branching factors",
    seconds: 240,
    reads: &["seed", "levels", "pairs"],
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

/// When best-first has thought enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// At a depth of the principal leaf, as in the paper.
    Depth,
    /// When it has made as many evaluations as alpha-beta makes on average at that stage of the game.
    Evaluations,
}

const STOPS: [(&str, Stop); 2] = [("depth", Stop::Depth), ("evaluations", Stop::Evaluations)];
const FORMS: [&str; 2] = ["best-first", "extension"];

fn run(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let branchings = lab.levels(&[3], &[2, 3, 5, 10, 20], "largest branching factors", 1..=255)?;
    let pairs = lab.count(3, 1000);
    let quick = lab.setup().quick;
    let rows: u64 = branchings.iter().map(|&b| u64::from(deepest(b, quick))).sum();
    lab.plan(branchings.len() as u64 * SHALLOW.len() as u64 * pairs);
    lab.plan(rows * 2 * (2 * pairs + CALIBRATION_UNITS + 3 * HORIZON_PAIRS as u64));
    let mut tables = Vec::new();
    let mut plots: Vec<Plot> = branchings.iter().map(|&branching| plot(branching)).collect();
    for (stop_name, stop) in STOPS {
        let title = match stop {
            Stop::Depth => {
                "Pairs won against alpha-beta, best-first stopping at the depth that takes most nearly as long (the paper)"
            }
            Stop::Evaluations => "Pairs won against alpha-beta, best-first stopping after as many evaluations",
        };
        // In JSON no two heads may be alike.
        let columns = "branching | alpha-beta depth | evaluations/move | best-first won % | its depth | share | \
            extension won % | its depth  | share ";
        let mut table = Table::new(title, columns);
        for (&branching, plot) in branchings.iter().zip(&mut plots) {
            for depth in 1..=deepest(branching, quick) {
                let mut cells = vec![Cell::from(branching), Cell::from(depth)];
                for (form, name) in FORMS.into_iter().enumerate() {
                    let start = if form == 0 { 0 } else { depth - 1 };
                    let (score, plies) = play(lab, branching, depth, start, pairs, (stop_name, name), stop)?;
                    if form == 0 {
                        cells.push(Cell::Number(score.second.per_move(), 0));
                    }
                    let won = score.percent_of_pairs();
                    cells.push(Cell::from(won));
                    cells.push(plies.map_or(Cell::Number(score.first.mean_plies(), 1), Cell::from));
                    cells.push(Cell::Number(score.share_spent(), 2));
                    plot.curves[2 * usize::from(stop == Stop::Evaluations) + form].points.push(point(depth, won));
                }
                table.row(cells);
            }
        }
        tables.push(table);
    }
    tables.push(shallow(lab, &branchings, pairs)?);
    let notes = vec![
        "A pair is two games in one tree; it is won by who had the larger result as MAX. Errors reach to the farther end of Wilson's \
         interval of 95 %. \"share\" is best-first's evaluations for each of alpha-beta's; where it stops after a number of \
         evaluations, its depth is a mean."
            .to_owned(),
        "The paper gives no figures: best-first ahead at shallow depths and behind at greater ones, the extension ahead at all."
            .to_owned(),
    ];
    Ok(Findings { tables, plots, notes, ..Findings::default() })
}

/// Depths of best-first search against two plies of alpha-beta.
const SHALLOW: [u32; 3] = [2, 3, 4];

/// What a ply of best-first search more or less is worth where the depths are too coarse to make both sides take as long.
fn shallow(lab: &mut Lab<'_>, branchings: &[u32], pairs: u64) -> Result<Table, ExperimentError> {
    let columns = "branching | best-first depth | won % | share";
    let mut table = Table::new("Pairs won against two plies of alpha-beta, by the depth of best-first", columns);
    for &branching in branchings {
        for plies in SHALLOW {
            let key = format!("{branching}/2/best-first/plies {plies}");
            let mut player = best_first(0, Limit::Plies(plies, u64::MAX));
            let mut fixed = FixedDepth::new(2, Arc::new(PathCost));
            let starts = roots(lab, branching, 0..pairs);
            let score = PairScore::of(&series(lab, &key, &starts, &mut player, &mut fixed, 0)?);
            let (won, share) = (Cell::from(score.percent_of_pairs()), Cell::Number(score.share_spent(), 2));
            table.row(vec![Cell::from(branching), Cell::from(plies), won, share]);
        }
    }
    Ok(table)
}

/// The trees of these numbers.
fn roots(lab: &Lab<'_>, branching: u32, numbers: impl Iterator<Item = u64>) -> Vec<RandomTree> {
    let seed = lab.setup().seed;
    numbers.map(|number| RandomTree::of_the_paper(branching as u8, seed, number)).collect()
}

/// Best-first search after `start` plies of alpha-beta.
fn best_first(start: u32, limit: Limit) -> BestFirstPlayer<RandomTree> {
    let settings = KorfSettings { ends: EndValues::Sum, ..KorfSettings::korf() };
    BestFirstPlayer::new(BestFirstPlayer::<RandomTree>::extension_of(settings, start), limit, Arc::new(PathCost))
}

fn plot(branching: u32) -> Plot {
    let curves = STOPS.iter().flat_map(|(stop, kind)| {
        let stroke = if *kind == Stop::Evaluations { Stroke::Dashed } else { Stroke::Solid };
        FORMS.map(|form| Curve { stroke, ..Curve::new(format!("{form}, by {stop}"), Vec::new()) })
    });
    let title = format!("Random trees with up to {branching} children: pairs won against alpha-beta");
    let (x, y) = ("depth of alpha-beta, plies", "pairs won, %");
    Plot { mark: Some(50.0), ..Plot::new(title, x, y, curves.collect()) }
}

fn play(
    lab: &mut Lab<'_>,
    branching: u32,
    depth: u32,
    start: u32,
    pairs: u64,
    (stop_name, name): (&str, &str),
    stop: Stop,
) -> Result<(PairScore, Option<u32>), ExperimentError> {
    let starts = roots(lab, branching, 0..pairs);
    // Other trees than those that count.
    let others = roots(lab, branching, (0..HORIZON_PAIRS as u64).map(|i| u64::MAX - i));
    let fixed = || FixedDepth::new(depth, Arc::new(PathCost));
    let best_first = |limit| best_first(start, limit);
    let key = format!("{branching}/{depth}/{name}/{stop_name}");
    let (limit, plies) = match stop {
        Stop::Depth => {
            let (plies, most) = horizon(lab, &key, &others, fixed, (depth, 2 * depth), best_first, 0)?;
            (Limit::Plies(plies, most), Some(plies))
        }
        Stop::Evaluations if depth == 1 => (Limit::Plies(1, u64::MAX), None),
        Stop::Evaluations => {
            let player = |budgets| best_first(Limit::Budgets(budgets));
            (Limit::Budgets(calibrate(lab, &key, &others, fixed, player, 0)?), None)
        }
    };
    let pairs = series(lab, &key, &starts, &mut best_first(limit), &mut fixed(), 0)?;
    Ok((PairScore::of(&pairs), plies))
}
