//! Bergman's tables 1 to 3: win rates of depths, of algorithms and of heuristics.

use super::bergman::{ALGORITHMS, HEURISTICS, ON_BOARDS, Plain, boards, match_units, match_up};
use super::duel::PairScore;
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::eval::EvaluatorKind;
use crate::othello::Position;
use crate::search::{Contempt, MinimaxKind, plain_minimax};
use std::ops::RangeInclusive;

pub(super) const DEPTHS: Experiment = Experiment {
    name: "bergman-depths",
    about: "Table 1: win rates of alpha-beta at depths 1, 3 and 6; rows are depths",
    seconds: 45,
    reads: ON_BOARDS,
    run: depths,
};

pub(super) const ALGORITHM_TABLE: Experiment = Experiment {
    name: "bergman-algorithms",
    about: "Table 2: win rates of minimax, alpha-beta and alpha-beta with reordering; --levels N is the depth",
    seconds: 130,
    reads: ON_BOARDS,
    run: algorithms,
};

pub(super) const HEURISTIC_TABLE: Experiment = Experiment {
    name: "bergman-heuristics",
    about: "Table 3: win rates of four heuristics at depth 5; --levels N is another depth",
    seconds: 50,
    reads: ON_BOARDS,
    run: heuristics,
};

/// The boards of the paper's own number of games, 20, come first.
const PAPER_PAIRS: usize = 10;

/// The depths that can be asked for.
const DEPTH_RANGE: RangeInclusive<u32> = 1..=10;

/// A row of a table of win rates: two players, the paper's win rate of the first, ours with as many games, and with more.
fn row(table: &mut Table, names: [&str; 2], paper: Option<f64>, score: &PairScore, first: &PairScore) {
    table.row(vec![
        Cell::from(names[0]),
        Cell::from(names[1]),
        Cell::maybe(paper.map(|p| 100.0 * p), 0),
        Cell::from(first.percent()),
        Cell::from(score.percent()),
        Cell::from(score.tally.games()),
        Cell::Number(100.0 * score.tally.draw_rate().unwrap_or(0.0), 1),
        Cell::mean(&score.tally.discs, 1),
    ]);
}

const COLUMNS: &str = "player 1 | player 2 | paper % | 20 games % | all games % | games | drawn % | discs";

fn of_first(
    lab: &mut Lab<'_>,
    key: &str,
    pairs: u64,
    players: [Plain<Position>; 2],
) -> Result<[PairScore; 2], ExperimentError> {
    let all = boards(lab, pairs)?;
    let [mut first, mut second] = players;
    let pairs = match_up(lab, key, &all, &mut first, &mut second)?;
    Ok([PairScore::of(&pairs), PairScore::of(&pairs[..PAPER_PAIRS.min(pairs.len())])])
}

fn depths(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let mut depths = lab.levels(&[1, 2], &[1, 3, 6], "depths", DEPTH_RANGE)?;
    depths.sort_unstable();
    depths.dedup();
    let weight = lab.built(EvaluatorKind::WeightedSquares)?;
    let pairs = lab.count(2, 500);
    let pairings = depths.len() * (depths.len() - 1) / 2;
    lab.plan(pairings as u64 * match_units(pairs));
    let mut table = Table::new("Table 1: depths, alpha-beta with the weight heuristic", COLUMNS);
    for (i, &low) in depths.iter().enumerate() {
        for &high in &depths[i + 1..] {
            let player = |depth| Plain { kind: MinimaxKind::AlphaBeta, depth, evaluator: weight.clone() };
            let [score, few] = of_first(lab, &format!("{high}/{low}"), pairs, [player(high), player(low)])?;
            let names = [high, low].map(|depth| format!("depth {depth}"));
            let paper = [1, 3, 6].contains(&low) && [1, 3, 6].contains(&high);
            row(&mut table, [&names[0], &names[1]], paper.then_some(1.0), &score, &few);
        }
    }
    let note = "Errors are 95 % intervals by pairs; a drawn game counts half.";
    Ok(Findings::new(vec![table], Vec::new(), note))
}

fn algorithms(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let depth = lab.level(3, 5, "depth", DEPTH_RANGE)?;
    let weight = lab.built(EvaluatorKind::WeightedSquares)?;
    let pairs = lab.count(2, 500);
    lab.plan(3 * match_units(pairs) + 1);
    let mut table = Table::new(format!("Table 2: algorithms at depth {depth}, weight heuristic"), COLUMNS);
    for (i, &(other, plainer)) in ALGORITHMS.iter().enumerate() {
        for &(one, cleverer) in &ALGORITHMS[i + 1..] {
            let player = |kind| Plain { kind, depth, evaluator: weight.clone() };
            let [score, few] = of_first(lab, &format!("{one}/{other}"), pairs, [player(cleverer), player(plainer)])?;
            row(&mut table, [one, other], Some(0.5), &score, &few);
        }
    }
    let boards = boards(lab, if lab.setup().quick { 20 } else { 500 })?;
    let agreement = lab.unit("agreement", || {
        let mut agree = [0u64; 3];
        for board in &boards {
            let [full, plain, ordered] = ALGORITHMS
                .map(|(_, kind)| plain_minimax(kind, board, depth.min(4), &*weight, Contempt::NONE, &mut |_| false));
            agree[0] += u64::from(full.value == plain.value && full.value == ordered.value);
            agree[1] += u64::from(full.pv.first() == plain.pv.first());
            agree[2] += u64::from(full.pv.first() == ordered.pv.first());
        }
        agree
    })?;
    let title =
        format!("What would show a mistake: agreement with minimax on {} boards, depth {}", boards.len(), depth.min(4));
    let mut check = Table::new(title, "what | agree");
    let names = ["the value, both algorithms", "the move, alpha-beta", "the move, reordering"];
    for (name, agree) in names.iter().zip(agreement) {
        check.row(vec![Cell::from(*name), Cell::from(agree)]);
    }
    let note = "Two players that choose the same moves score exactly 50 % over pairs of games with the colours exchanged, whatever \
         they choose: the paper's 0.5 verifies symmetry, not the algorithms. Reordering may pick another move of the same value.";
    Ok(Findings::new(vec![table, check], Vec::new(), note))
}

/// What the paper's table 3 gives the first of each pairing, in the order of [`HEURISTICS`].
const PAPER_HEURISTICS: [[Option<f64>; 4]; 4] = [
    [None, Some(0.3), Some(0.0), Some(0.05)],
    [Some(0.7), None, Some(0.0), Some(0.0)],
    [Some(1.0), Some(1.0), None, Some(0.5)],
    [Some(0.95), Some(1.0), Some(0.5), None],
];

fn heuristics(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let depth = lab.level(2, 5, "depth", DEPTH_RANGE)?;
    let heuristics: Vec<_> = HEURISTICS.iter().map(|(_, kind)| lab.built(*kind)).collect::<Result<_, _>>()?;
    let pairs = lab.count(2, 500);
    lab.plan(6 * match_units(pairs));
    let mut table = Table::new(format!("Table 3: heuristics, alpha-beta at depth {depth}"), COLUMNS);
    for i in 0..4 {
        for j in 0..i {
            let player = |i: usize| Plain { kind: MinimaxKind::AlphaBeta, depth, evaluator: heuristics[i].clone() };
            let (one, other) = (HEURISTICS[i].0, HEURISTICS[j].0);
            let [score, few] = of_first(lab, &format!("{one}/{other}"), pairs, [player(i), player(j)])?;
            row(&mut table, [one, other], PAPER_HEURISTICS[i][j], &score, &few);
        }
    }
    let note = "Errors are 95 % intervals by pairs; a drawn game counts half. Of 20 games, 10 won have an interval of about 22 %.";
    Ok(Findings::new(vec![table], Vec::new(), note))
}
