//! Best-first searches against the alpha-beta engine of today: the fourth seed's claim, and the curve over growing budgets.

use super::duel::{Pair, PairScore, play_pair};
use super::equal_evaluations::{contestant, contestants};
use super::player::{EnginePlayer, Limit};
use super::series::{openings, series};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::engine::{ALPHA_BETA, EngineOptions};
use crate::eval::EvaluatorKind;
use crate::othello::Position;
use crate::render::{Curve, Plot, Scale};
use std::ops::RangeInclusive;

pub(super) const UCT: Experiment = Experiment {
    name: "uct-othello",
    about: "best-first with UCT against alpha-beta with table and ordering, equal evaluations; rows are evaluations a move",
    seconds: 420,
    reads: &["seed", "levels", "pairs", "openings", "eval", "player", "opponent"],
    run: uct,
};

pub(super) const BUDGET_CURVE: Experiment = Experiment {
    name: "budget-curve",
    about: "best-first in its forms against PVS + ProbCut in the same time; rows are evaluations a move of the latter",
    seconds: 1200,
    reads: &["seed", "levels", "pairs", "openings", "eval", "player", "opponent"],
    run: budget_curve,
};

/// Empty squares from which both sides play perfectly.
pub(super) const SOLVE_FROM: u32 = 10;

/// The note's searches, each with the words of `--player`.
const UCT_FORMS: &[&str] = &[
    "name=uct engine=uct",
    "name='C = 0' engine=uct option.c=0 option.fpu=0",
    "name='C = 1' engine=uct option.c=1 option.fpu=1",
    "name='C = 4' engine=uct option.c=4 option.fpu=4",
    "name='C = 8' engine=uct option.c=8 option.fpu=8",
    "name='FPU = 0' engine=uct option.fpu=0",
    "name='average' engine=uct option.backup=average",
    "name='win or loss' engine=uct option.leaf=win-loss",
    "name='win or loss, average' engine=uct option.leaf=win-loss option.backup=average option.c=15 option.fpu=5",
    "name='alpha-beta 1' engine=uct option.leaf-depth=1",
    "name='alpha-beta 2' engine=uct option.leaf-depth=2",
    "name='softmax T = 0.5' engine=uct option.selection=softmax option.c=0.5",
    "name='softmax T = 2' engine=uct option.selection=softmax option.c=2",
    "name='transpositions' engine=uct option.transpositions=on",
];

/// The first of them, which differ in their constants only.
const UCT_CONSTANTS: usize = 6;

/// The evaluations for a move that can be asked for.
pub(super) const BUDGETS: RangeInclusive<u32> = 10..=100_000_000;

/// What the opponent is called, and its options: the set-up's, or this form of alpha-beta with the evaluation of the set-up.
fn opponent(lab: &mut Lab<'_>, form: &str, words: &[(&str, &str)]) -> Result<(String, EngineOptions), ExperimentError> {
    let eval = lab.setup().eval;
    let (name, options) = match lab.setup().opponent.clone() {
        Some(text) => {
            let (_, options) = contestant("opponent", &text, eval)?;
            (text, options)
        }
        None => {
            // By name, because the default engine is another one.
            let mut options = EngineOptions { engine: &ALPHA_BETA, threads: 1, book: None, ..EngineOptions::default() };
            options.eval = eval.unwrap_or(EvaluatorKind::Pattern);
            for (name, value) in words {
                options.set(name, value).expect("the experiment's own options are valid");
            }
            (form.to_owned(), options)
        }
    };
    lab.note_evaluation_of(&options)?;
    Ok((name, options))
}

fn uct(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let forms = contestants(lab, UCT_FORMS)?;
    let budgets = lab.levels(&[200], &[1000, 4000, 16000], "evaluations", BUDGETS)?;
    let starts = openings(lab, "random:8", lab.count(1, 60))?;
    // As the note describes its opponent: no pruning but by bounds.
    let (opponent, alpha_beta) = opponent(lab, "alpha-beta", &[("selectivity", "100")])?;
    lab.plan((forms.len() * budgets.len() * starts.len()) as u64);
    let title = format!("Against {opponent} at equal evaluations, {}", alpha_beta.eval);
    let (table, curves) = by_budget(title, &forms, &budgets, |(name, options), budget| {
        let [mut player, mut opponent] =
            [options, &alpha_beta].map(|options| EnginePlayer::new(options, Limit::Evaluations(budget.into())));
        series(lab, &format!("{name}/{budget}"), &starts, &mut player, &mut opponent, SOLVE_FROM)
    })?;
    let note = "The note claims at least 70 % with the same evaluation; it does not speak of time. Constants are in discs. A drawn game counts half; \
         errors are 95 % intervals by pairs; \"share\" and \"time\" are evaluations and processor time for each of the opponent's.";
    let title = format!("Best-first with UCT against {opponent} at equal evaluations");
    let plots = if curves.len() == UCT_FORMS.len() {
        // Too many for one picture: the constants, and everything else beside the first.
        let others = [&curves[..1], &curves[UCT_CONSTANTS..]].concat();
        vec![
            plot(&format!("{title}: constants"), curves[..UCT_CONSTANTS].to_vec()),
            plot(&format!("{title}: forms"), others),
        ]
    } else {
        vec![plot(&title, curves)]
    };
    Ok(Findings::new(vec![table], plots, note))
}

/// What each player wins with each budget: a table, and a curve of each. `play` plays the pairs.
fn by_budget(
    title: String,
    players: &[(String, EngineOptions)],
    budgets: &[u32],
    mut play: impl FnMut(&(String, EngineOptions), u32) -> Result<Vec<Pair>, ExperimentError>,
) -> Result<(Table, Vec<Curve>), ExperimentError> {
    let columns = "player | evaluations/move | score % | won of decided % | discs | share | time | plies";
    let mut table = Table::new(title, columns);
    let mut curves = Vec::new();
    for player in players {
        let name = player.0.as_str();
        let mut points = Vec::new();
        for &budget in budgets {
            let score = PairScore::of(&play(player, budget)?);
            let [percent, won, discs] = score.cells();
            table.row(vec![
                Cell::from(name),
                Cell::from(budget),
                percent,
                won,
                discs,
                Cell::Number(score.share_spent(), 2),
                Cell::Number(score.share_of_time(), 2),
                Cell::Number(score.first.mean_plies(), 1),
            ]);
            points.push(score.point(budget));
        }
        curves.push(Curve::new(name, points));
    }
    Ok((table, curves))
}

fn plot(title: &str, curves: Vec<Curve>) -> Plot {
    Plot {
        x_scale: Scale::Logarithmic,
        mark: Some(50.0),
        ..Plot::new(title, "evaluations for a move", "score, %", curves)
    }
}

/// The engines of the curve unless others are given.
const CURVE: &[&str] = &["engine=korf-best-first", "engine=best-first", "engine=extension", "engine=uct"];
/// Pairs that show how long a player takes for an evaluation.
const TIMING_PAIRS: usize = 4;
/// Pairs after which the evaluations that a player gets are corrected by the time that they took.
const PAIRS_BETWEEN_CORRECTIONS: usize = 10;

fn budget_curve(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let players = contestants(lab, CURVE)?;
    let budgets = lab.levels(&[100], &[1000, 2000, 4000, 8000, 16000, 32000, 64000], "evaluations", BUDGETS)?;
    let starts = openings(lab, "random:8", lab.count(1, 100))?;
    let (opponent, probcut) = opponent(lab, "PVS + ProbCut", &[])?;
    lab.plan((players.len() * budgets.len()) as u64 * (starts.len() as u64 + 1));
    let title = format!("Against {opponent} in the same time, {}, one thread", probcut.eval);
    let (table, curves) = by_budget(title, &players, &budgets, |(name, options), budget| {
        let key = format!("{name}/{budget}");
        let own = lab.unit(&format!("{key}/timing"), || own_budget(options, &probcut, budget.into(), &starts))?;
        series_in_equal_time(lab, &key, &starts, (options, own), (&probcut, budget.into()))
    })?;
    let note = "Each player gets the evaluations that it makes in the mean processor time of its opponent's moves, measured beforehand \
         and corrected every ten pairs; \"time\" shows how well that was met, \"share\" the evaluations for each of the opponent's. A drawn game counts half; \
         errors are 95 % intervals by pairs.";
    let plot = plot(&format!("Best-first against {opponent} in the same time"), curves);
    Ok(Findings::new(vec![table], vec![plot], note))
}

/// The evaluations that a player makes in the time that its opponent takes for a move, by the first pairs.
pub(super) fn own_budget(player: &EngineOptions, opponent: &EngineOptions, budget: u64, starts: &[Position]) -> u64 {
    let starts = &starts[..starts.len().min(TIMING_PAIRS)];
    let mut own = budget;
    // Twice: how long an evaluation takes depends on how many there are.
    for _ in 0..2 {
        let mut one = EnginePlayer::new(player, Limit::Evaluations(own));
        let mut other = EnginePlayer::new(opponent, Limit::Evaluations(budget));
        let pairs: Vec<_> = starts.iter().map(|start| play_pair(start, &mut one, &mut other, SOLVE_FROM).0).collect();
        let score = PairScore::of(&pairs);
        let each = score.first.nanos as f64 / score.first.evaluations.max(1) as f64;
        let time = score.second.nanos as f64 / score.second.moves.max(1) as f64;
        own = ((time / each).round() as u64).max(10);
    }
    own
}

/// A series of two players, each with the evaluations for a move that it begins with. Those of the first one are corrected by the time that
/// both took.
pub(super) fn series_in_equal_time(
    lab: &mut Lab<'_>,
    key: &str,
    starts: &[Position],
    (player, mut own): (&EngineOptions, u64),
    (opponent, budget): (&EngineOptions, u64),
) -> Result<Vec<Pair>, ExperimentError> {
    let (mut played, mut given) = (Vec::new(), 0);
    for (i, starts) in starts.chunks(PAIRS_BETWEEN_CORRECTIONS).enumerate() {
        if i > 0 {
            own = corrected(given / i as u64, &PairScore::of(&played));
        }
        given += own;
        let mut one = EnginePlayer::new(player, Limit::Evaluations(own));
        let mut other = EnginePlayer::new(opponent, Limit::Evaluations(budget));
        played.extend(series(lab, &format!("{key}/{i}"), starts, &mut one, &mut other, SOLVE_FROM)?);
    }
    Ok(played)
}

/// The evaluations that a player should have had for its share of the time to be 1; it had `given` on average.
fn corrected(given: u64, so_far: &PairScore) -> u64 {
    ((given as f64 / so_far.share_of_time().clamp(0.25, 4.0)).round() as u64).max(10)
}

#[cfg(test)]
mod tests {
    use super::super::lab::tests::unwatched_lab;
    use super::super::{Ledger, Setup};
    use super::*;

    #[test]
    fn the_opponent_is_alpha_beta_unless_another_is_given() {
        let against = |given: Option<&str>| {
            let setup = Setup { opponent: given.map(str::to_owned), ..Setup::default() };
            let mut lab = unwatched_lab(setup, Ledger::in_memory());
            opponent(&mut lab, "alpha-beta", &[("selectivity", "100")]).unwrap()
        };
        let (name, options) = against(None);
        assert_eq!((name.as_str(), options.engine.name, options.threads), ("alpha-beta", "alpha-beta", 1));
        assert_eq!(options.selectivity.to_string(), "100");
        let (name, options) = against(Some("engine=best-first"));
        assert_eq!((name.as_str(), options.engine.name, options.threads), ("engine=best-first", "best-first", 1));
        let (_, options) = against(Some("engine=alpha-beta option.selectivity=87"));
        assert_eq!(options.selectivity.to_string(), "87");
    }
}
