//! Any engine against the paper's alpha-beta at equal evaluations.

use super::duel::PairScore;
use super::player::{EnginePlayer, FixedDepth, Limit};
use super::series::{CALIBRATION_UNITS, calibrate, openings, series};
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::arena::player::PlayerText;
use crate::engine::EngineOptions;
use crate::eval::EvaluatorKind;
use crate::lab::KORF_EXTENSION;
use crate::othello::Position;
use crate::render::{Curve, Plot};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "equal-evaluations",
    about: "engines against the paper's alpha-beta, which makes as many evaluations; rows are its depths",
    seconds: 1800,
    reads: &["seed", "levels", "pairs", "openings", "eval", "player"],
    run,
};

/// Empty squares from which both sides play perfectly.
const SOLVE_FROM: u32 = 10;

/// A player of the set-up: its name and the engine's options.
pub(super) fn contestants(
    lab: &mut Lab<'_>,
    default: &[&str],
) -> Result<Vec<(String, EngineOptions)>, ExperimentError> {
    let texts: Vec<String> = match &lab.setup().players[..] {
        [] => default.iter().map(|&text| text.to_owned()).collect(),
        given => given.to_vec(),
    };
    let eval = lab.setup().eval;
    let contestants: Vec<_> = texts.iter().map(|text| contestant("player", text, eval)).collect::<Result<_, _>>()?;
    for (i, (name, options)) in contestants.iter().enumerate() {
        // Results are kept by the name.
        if contestants[..i].iter().any(|(other, _)| other == name) {
            let expected = format!("another name, such as name='{name} 2'; two players are called '{name}'");
            return Err(ExperimentError::option("player", &texts[i], expected));
        }
        lab.note_evaluation_of(options)?;
    }
    Ok(contestants)
}

/// The player that the words of an option ask for: its name and the engine's options.
pub(super) fn contestant(
    option: &'static str,
    text: &str,
    eval: Option<EvaluatorKind>,
) -> Result<(String, EngineOptions), ExperimentError> {
    let bad =
        |reason: String| ExperimentError::option(option, text, format!("engine=NAME option.NAME=VALUE: {reason}"));
    let mut words = PlayerText::parse(text).map_err(|error| bad(error.to_string()))?;
    if words.cmd.is_some() {
        return Err(bad("an engine of Emilia, no program".to_owned()));
    }
    if words.depth.is_some() || words.nodes.is_some() || words.clock.is_some() || words.tell_limits.is_some() {
        return Err(bad("no limit of its own, since the experiment says how long it thinks".to_owned()));
    }
    let name = words.name.clone().or(words.engine.clone()).unwrap_or_else(|| "emilia".to_owned());
    words.name = Some(name.clone());
    let spec = words.validate().map_err(|error| bad(error.to_string()))?;
    let mut options = spec.engine_options().map_err(|error| bad(error.to_string()))?;
    if options.threads != 1 {
        return Err(bad("one thread, since evaluations are counted".to_owned()));
    }
    if let Some(eval) = eval.filter(|_| words.eval.is_none() && !words.option.contains_key("eval")) {
        options.set("eval", eval.name()).map_err(|error| bad(error.to_string()))?;
    }
    Ok((name, options))
}

fn run(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let default = ["engine=extension", "engine=best-first", "engine=korf-extension", "engine=korf-best-first"];
    let contestants = contestants(lab, &default)?;
    let depths = lab.levels(&[2], &[4, 6, 8], "depths of alpha-beta", 1..=12)?;
    let starts = openings(lab, "random:8", lab.count(1, 100))?;
    lab.plan((contestants.len() * depths.len()) as u64 * (starts.len() as u64 + CALIBRATION_UNITS));
    let columns =
        "player | eval | depth | pairs | score % | won of decided % | discs | evaluations/move | share | plies";
    let mut table = Table::new("Against korf-alpha-beta at equal evaluations", columns);
    let mut curves = Vec::new();
    for (i, (name, options)) in contestants.iter().enumerate() {
        let words = lab.setup().players.get(i).and_then(|text| PlayerText::parse(text).ok()).unwrap_or_default();
        let mut points = Vec::new();
        for &depth in &depths {
            let mut options = options.clone();
            if options.engine == &KORF_EXTENSION && !words.option.contains_key("start-depth") {
                // The paper's choice is one ply less than its opponent's depth; two measured better.
                options.start_depth = Some(depth.saturating_sub(2).max(1) as u8);
            }
            let fixed = || FixedDepth::<Position>::new(depth, options.evaluator());
            let player = |budgets| EnginePlayer::new(&options, Limit::Budgets(budgets));
            let key = format!("{name}/{depth}");
            let budgets = calibrate(lab, &key, &starts, fixed, player, SOLVE_FROM)?;
            let score = PairScore::of(&series(lab, &key, &starts, &mut player(budgets), &mut fixed(), SOLVE_FROM)?);
            let [percent, won, discs] = score.cells();
            table.row(vec![
                Cell::Text(name.clone()),
                Cell::Text(options.eval.name().to_owned()),
                Cell::from(depth),
                Cell::from(starts.len() as u64),
                percent,
                won,
                discs,
                Cell::Number(score.second.per_move(), 0),
                Cell::Number(score.share_spent(), 2),
                Cell::Number(score.first.mean_plies(), 1),
            ]);
            points.push(score.point(depth));
        }
        curves.push(Curve::new(name, points));
    }
    let title = "Score against korf-alpha-beta at equal evaluations";
    let (x, y) = ("depth of korf-alpha-beta, plies", "score, %");
    let plot = Plot { mark: Some(50.0), ..Plot::new(title, x, y, curves) };
    let note = format!(
        "Every static evaluation counts one, those for ordering too, and so does every node of an exact solve. Both sides \
         play perfectly from {SOLVE_FROM} empty squares. Errors are 95 % intervals by pairs."
    );
    Ok(Findings::new(vec![table], vec![plot], note))
}
