//! Tables 1 and 2 of Korf and Chickering (AAAI-94): best-first minimax and best-first extension against alpha-beta in
//! Othello, both sides taking the same time; and the extension against both of its parents.

use super::duel::{PairScore, play_pair};
use super::findings::{Measured, point};
use super::player::{BestFirstPlayer, Budgets, FixedDepth, Limit};
use super::series::{CALIBRATION_UNITS, HORIZON_PAIRS, calibrate, horizon, openings, openings_by_class, series};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::arena::statistics::Z95;
use crate::eval::{Evaluator, EvaluatorKind};
use crate::othello::Position;
use crate::render::{Curve, Plot, Stroke};
use crate::search::{ByValue, EndValues, FinalMove, KorfSettings, Tie};
use std::sync::Arc;

/// The options that these experiments read.
const WITH_EVALUATION: &[&str] = &["seed", "levels", "pairs", "openings", "eval"];

pub(super) const BEST_FIRST: Experiment = Experiment {
    name: "korf-othello-best-first",
    about: "Table 1: best-first against alpha-beta with bill, 244 openings; rows are depths of alpha-beta",
    seconds: 300,
    reads: WITH_EVALUATION,
    run: |lab| table(lab, &TABLE_1),
};

pub(super) const EXTENSION: Experiment = Experiment {
    name: "korf-othello-extension",
    about: "Table 2: best-first extension against alpha-beta with bill, 244 openings; rows are depths of alpha-beta",
    seconds: 700,
    reads: WITH_EVALUATION,
    run: |lab| table(lab, &TABLE_2),
};

pub(super) const PARENTS: Experiment = Experiment {
    name: "korf-extension-vs-best-first",
    about: "the extension against best-first and alpha-beta at equal evaluations; rows are depths of alpha-beta",
    seconds: 330,
    reads: WITH_EVALUATION,
    run: parents,
};

/// A table of the paper.
struct Paper {
    title: &'static str,
    /// Plies of alpha-beta that the search begins with, less than its opponent's depth; `None` for none.
    start_below: Option<u32>,
    /// For the depths of alpha-beta from 1 on: the best-first depth and the percentage won.
    rows: &'static [(u32, f64)],
}

const TABLE_1: Paper = Paper {
    title: "Table 1: best-first against alpha-beta",
    start_below: None,
    rows: &[(1, 50.0), (4, 67.0), (8, 78.0), (12, 69.0), (15, 57.0), (19, 58.0), (23, 51.0)],
};

const TABLE_2: Paper = Paper {
    title: "Table 2: best-first extension against alpha-beta",
    start_below: Some(1),
    rows: &[(1, 50.0), (4, 67.0), (7, 83.0), (10, 81.0), (14, 67.0), (18, 72.0), (21, 67.0), (24, 68.0)],
};

/// Games of the paper that are not mirror images of others: 60 classes of openings, both ways.
const PAPER_GAMES: f64 = 120.0;

/// The error of a percentage of the paper, as if each of its different games were independent of the others. At depth 1 both players are the
/// same, and there is none.
fn paper_error(depth: u32, percent: f64) -> Option<f64> {
    (depth > 1).then(|| Z95 * (percent * (100.0 - percent) / PAPER_GAMES).sqrt())
}

type OthelloEvaluator = Arc<dyn Evaluator<Position>>;

fn settings_of(paper: &Paper, depth: u32, form: KorfSettings) -> KorfSettings {
    BestFirstPlayer::<Position>::extension_of(form, paper.start_below.map_or(0, |below| depth - below))
}

fn table(lab: &mut Lab<'_>, paper: &Paper) -> Result<Findings, ExperimentError> {
    let all: Vec<u32> = (1..=paper.rows.len() as u32).collect();
    let depths = lab.levels(&[1, 2], &all, "depths of alpha-beta", 1..=paper.rows.len() as u32)?;
    let (kind, evaluator) = lab.evaluator(EvaluatorKind::Bill)?;
    let mut title = format!("{}, {kind}", paper.title);
    if let Some(openings) = &lab.setup().openings {
        title += &format!(", openings {openings}");
    }
    let columns = "alpha-beta depth | best-first depth | paper's | won % | by classes ± | paper % | score % | \
        ties % | discs | pairs | evaluations/move | share | time";
    let mut table = Table::new(title, columns);
    let mut theirs = Curve { stroke: Stroke::Dashed, ..Curve::new("the paper", Vec::new()) };
    let mut rows = Vec::new();
    let (starts, classes) = openings_by_class(lab, "four-ply", lab.count(2, 244))?;
    lab.plan(depths.len() as u64 * (starts.len() + 3 * HORIZON_PAIRS) as u64);
    for &depth in &depths {
        let (guess, paper_won) = paper.rows[depth as usize - 1];
        let settings = settings_of(paper, depth, KorfSettings::korf());
        let key = depth.to_string();
        let fixed = || FixedDepth::new(depth, evaluator.clone());
        let player = |limit| BestFirstPlayer::new(settings, limit, evaluator.clone());
        // From below: a tournament takes up to twice as long with each ply.
        let first = guess - guess / 4;
        let (plies, most) = horizon(lab, &key, &starts, fixed, (depth, first), player, depth)?;
        let played = series(lab, &key, &starts, &mut player(Limit::Plies(plies, most)), &mut fixed(), depth)?;
        let score = PairScore::of(&played);
        let ((won, error), (_, by_classes)) = (score.percent_of_decided(), score.percent_of_decided_in(&classes));
        table.row(vec![
            Cell::from(depth),
            Cell::from(plies),
            Cell::from(guess),
            Cell::from((won, error)),
            Cell::maybe(by_classes, 1),
            Cell::Number(paper_won, 0),
            Cell::Number(score.percent().0, 1),
            Cell::Number(100.0 * score.tally.draw_rate().unwrap_or(0.0), 1),
            Cell::mean(&score.tally.discs, 1),
            Cell::from(played.len() as u64),
            Cell::Number(score.second.per_move(), 0),
            Cell::Number(score.share_spent(), 2),
            Cell::Number(score.share_of_time(), 2),
        ]);
        theirs.points.push(point(depth, (paper_won, paper_error(depth, paper_won))));
        rows.push(Row { depth, plies, most, time: score.share_of_time(), won: (won, by_classes.or(error)) });
    }
    let curve = Curve::new("equal evaluations", rows.iter().map(|row| point(row.depth, row.won)).collect());
    let (variants, in_time) = variant_table(lab, paper, &rows, &evaluator)?;
    let title = format!("{}, {kind}", paper.title);
    let (x, y) = ("depth of alpha-beta, plies", "games won of those decided, %");
    let plot = Plot { mark: Some(50.0), ..Plot::new(title, x, y, vec![curve, in_time, theirs]) };
    let note = "Ties are left out of what is won, as in the paper. The first error is by pairs of games; games from openings that are \
         mirror images of one another are the same games, and the error by the 60 classes of openings says so. The paper's figures \
         have about the same errors; those of the picture are of 120 independent games, 60 classes both ways. \"share\" and \"time\" \
         are best-first's evaluations and processor time for each of alpha-beta's.";
    Ok(Findings::new(vec![table, variants], vec![plot], note))
}

/// A row of the first table, for the second.
struct Row {
    depth: u32,
    plies: u32,
    most: u64,
    time: f64,
    won: Measured,
}

/// What changes if one thing is not as in the first table; and the curve of the rows in which both sides take most nearly
/// the same time.
fn variant_table(
    lab: &mut Lab<'_>,
    paper: &Paper,
    rows: &[Row],
    evaluator: &OthelloEvaluator,
) -> Result<(Table, Curve), ExperimentError> {
    let columns = "alpha-beta depth | best-first depth | change | won % | score % | share | time";
    let from = match lab.setup().openings.as_deref() {
        None | Some("classes" | "four-ply") => "one opening of each class".to_owned(),
        Some(source) => format!("openings {source}"),
    };
    let mut table = Table::new(format!("One change at a time, {from}"), columns);
    let mut curve = Curve::new("equal time", Vec::new());
    let korf = KorfSettings::korf();
    let most_visits = ByValue { final_move: FinalMove::MostVisits, ..korf.policy };
    let changes = [
        ("none", korf, true),
        ("ties worth nothing", KorfSettings { ends: EndValues::Infinite(Tie::Zero), ..korf }, true),
        ("ends worth their discs", KorfSettings { ends: EndValues::Outcome, ..korf }, true),
        ("the most visited move", KorfSettings { policy: most_visits, ..korf }, true),
        ("alpha-beta forgets its tree", korf, false),
    ];
    let quick = lab.setup().quick;
    let pairs = lab.count(2, 60).min(60);
    let starts = openings(lab, "classes", pairs)?;
    // Less deep than at equal evaluations, because an evaluation of best-first takes longer.
    let shallower = |row: &Row| if row.depth < 3 && !quick { 0 } else { 2.min(row.plies - 1) };
    let changed = |row: &Row| if quick || row.depth == 3 || row.depth == 5 { changes.len() } else { 0 };
    let games: usize = rows.iter().map(|row| changed(row) + shallower(row) as usize).sum();
    lab.plan((games * starts.len()) as u64);
    for row in rows {
        let depth = row.depth;
        let mut nearest = (row.time, row.won);
        let same =
            changes[..changed(row)].iter().map(|(name, form, keeps)| ((*name).to_owned(), row.plies, *form, *keeps));
        let less = (1..=shallower(row)).map(|less| (format!("plies less: {less}"), row.plies - less, korf, true));
        for (name, plies, form, keeps_tree) in same.chain(less) {
            let settings = settings_of(paper, depth, form);
            let mut player = BestFirstPlayer::new(settings, Limit::Plies(plies, row.most), evaluator.clone());
            let mut fixed = FixedDepth::new(depth, evaluator.clone());
            fixed.keeps_tree = keeps_tree;
            let key = format!("variant/{depth}/{name}");
            let score = PairScore::of(&series(lab, &key, &starts, &mut player, &mut fixed, depth)?);
            let (won, time) = (score.percent_of_decided(), score.share_of_time());
            if plies < row.plies && time.ln().abs() < nearest.0.ln().abs() {
                nearest = (time, won);
            }
            table.row(vec![
                Cell::from(depth),
                Cell::from(plies),
                Cell::Text(name),
                Cell::from(won),
                Cell::from(score.percent()),
                Cell::Number(score.share_spent(), 2),
                Cell::Number(time, 2),
            ]);
        }
        curve.points.push(point(depth, nearest.1));
    }
    Ok((table, curve))
}

fn parents(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let depths = lab.levels(&[2], &[2, 3, 4, 5, 6, 7], "depths of alpha-beta", 1..=9)?;
    let (kind, evaluator) = lab.evaluator(EvaluatorKind::Bill)?;
    let starts = openings(lab, "random:8", lab.count(2, 100))?;
    let columns = "alpha-beta depth | initial depth | against best-first % | against alpha-beta % | \
        best-first against alpha-beta % | evaluations by the extension %";
    let mut table =
        Table::new(format!("Best-first extension against its parents at equal evaluations, {kind}"), columns);
    let mut curves = ["extension against best-first", "extension against alpha-beta", "best-first against alpha-beta"]
        .map(|name| Curve::new(name, Vec::new()));
    let begins = |depth: u32| [depth - 1, depth.saturating_sub(2)].into_iter().filter(|start| *start > 0);
    for &depth in &depths {
        let n = starts.len() as u64;
        lab.plan(CALIBRATION_UNITS + n + begins(depth).count() as u64 * (2 * n + 1));
    }
    for &depth in &depths {
        let fixed = || FixedDepth::new(depth, evaluator.clone());
        let player = |start, budgets: Budgets| {
            let settings = BestFirstPlayer::<Position>::extension_of(KorfSettings::korf(), start);
            BestFirstPlayer::new(settings, Limit::Budgets(budgets), evaluator.clone())
        };
        let budgets = calibrate(lab, &depth.to_string(), &starts, fixed, |budgets| player(0, budgets), depth)?;
        let best_first = || player(0, budgets.clone());
        let pure = series(lab, &format!("{depth}/pure"), &starts, &mut best_first(), &mut fixed(), depth)?;
        // One ply less than the opponent's depth is the paper's choice.
        for start in begins(depth) {
            let key = format!("{depth}/{start}");
            let extension = || player(start, budgets.clone());
            let of = ["best-first", "alpha-beta"].map(|opponent| format!("{key}/{opponent}"));
            let first = series(lab, &of[0], &starts, &mut extension(), &mut best_first(), depth)?;
            let second = series(lab, &of[1], &starts, &mut extension(), &mut fixed(), depth)?;
            let by_alpha_beta = lab.unit(&format!("{key}/share"), || {
                let mut extension = extension();
                let mut spent = 0;
                for opening in &starts[..starts.len().min(6)] {
                    spent += play_pair(opening, &mut extension, &mut fixed(), depth).0.first.evaluations;
                }
                extension.by_alpha_beta as f64 / spent.max(1) as f64
            })?;
            let scores =
                [PairScore::of(&first), PairScore::of(&second), PairScore::of(&pure)].map(|score| score.percent());
            let mut cells = vec![Cell::from(depth), Cell::from(start)];
            cells.extend(scores.map(Cell::from));
            cells.push(Cell::Number(100.0 * (1.0 - by_alpha_beta), 1));
            table.row(cells);
            if start + 1 == depth {
                for (curve, score) in curves.iter_mut().zip(scores) {
                    curve.points.push(point(depth, score));
                }
            }
        }
    }
    let title = "Best-first extension and its parents";
    let (x, y) = ("depth of alpha-beta, plies; the initial depth is one less", "score, %");
    let plot = Plot { mark: Some(50.0), ..Plot::new(title, x, y, curves.to_vec()) };
    let note = "Evaluations for a move are what alpha-beta of the depth makes on average at that number of empty squares. A drawn game \
         counts half; errors are 95 % intervals by pairs. The last column is the share of the extension's evaluations that its \
         best-first part makes.";
    Ok(Findings::new(vec![table], vec![plot], note))
}
