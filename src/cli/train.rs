//! `emilia train`: from games against itself to the weights of the evaluation, one step per command.

mod bill;
mod fit;
mod label;
mod move_order;
mod pack;
mod probcut;
mod report;
mod selfplay;
mod testset;

use super::options::WeightsArguments;
use super::output::{print, say};
use super::progress::StepBar;
use crate::engine::EvalFile;
use crate::eval::{Evaluator, EvaluatorKind, fingerprint};
use crate::othello::Position;
use crate::shard::Shard;
use crate::training::{ChunkMaker, Origin, Production, TrainingConfig};
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The steps of training. docs/training.md shows how they follow one another.
#[derive(Args, Clone, Debug)]
pub(super) struct TrainArguments {
    #[command(subcommand)]
    command: TrainCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum TrainCommand {
    /// Play games against itself and keep every position with its result
    #[command(name = "selfplay")]
    SelfPlay(selfplay::SelfPlayArguments),
    /// Measure how far shallow searches err, for ProbCut
    Probcut(probcut::ProbcutArguments),
    /// Search positions beside the games and keep them with their values
    Label(label::LabelArguments),
    /// Find the weights that fit the samples best
    Fit(fit::FitArguments),
    /// Learn which move the endgame search tries first
    MoveOrder(move_order::MoveOrderArguments),
    /// Round fitted weights and write them as the program reads them
    Pack(pack::PackArguments),
    /// The positions that evaluations are measured on
    #[command(name = "testset")]
    TestSet(testset::TestSetArguments),
    /// Measure how far evaluations err
    Report(report::ReportArguments),
    /// Learn the coefficients of the evaluations `bill` and `bill-gaussian`
    Bill(bill::BillArguments),
}

/// Where the settings are.
#[derive(Args, Clone, Debug)]
struct SettingsArguments {
    /// Read the settings from a TOML file such as assets/training.toml, which has the defaults and explains them
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change one setting, whatever the file says: STEP.NAME=VALUE, such as selfplay.depth=5; may be repeated
    #[arg(long, value_name = "STEP.NAME=VALUE")]
    set: Vec<String>,
}

impl SettingsArguments {
    /// The settings for a command that reads those whose names begin with one of `read`. Others that `--set` names are warned about.
    fn config(&self, command: &str, read: &[&str]) -> Result<TrainingConfig, String> {
        let config = TrainingConfig::read(self.config.as_deref(), &self.set).map_err(|error| error.to_string())?;
        for setting in &self.set {
            let name = setting.split('=').next().unwrap_or_default().trim();
            if !read.iter().any(|read| name.starts_with(read)) {
                log::warn!("--set {name} is not read by `train {command}`");
            }
        }
        Ok(config)
    }
}

/// Prints what was measured: to the standard error if what was made goes to the standard output.
fn print_beside(out: Option<&Path>, text: &str) -> Result<(), String> {
    if out == Some(Path::new("-")) {
        say(text.trim_end());
        return Ok(());
    }
    print(text)
}

/// Where samples go, what makes them, and which part of the work this run does.
#[derive(Args, Clone, Debug)]
struct SampleArguments {
    /// Folder for the samples; what is already there is kept, and the rest is made
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Make only the files whose number leaves the rest I when divided by N
    #[arg(long, value_name = "I/N", default_value = "0/1")]
    shard: Shard,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

/// The evaluation that play and labels come from.
#[derive(Args, Clone, Debug)]
struct EvaluationArguments {
    /// The static evaluation
    #[arg(long, value_name = "NAME", default_value_t)]
    eval: EvaluatorKind,
    #[command(flatten)]
    weights: WeightsArguments,
}

impl EvaluationArguments {
    /// The evaluation and its name, which the weights decide if there is a file of them.
    fn evaluator(&self) -> Result<(EvaluatorKind, Arc<dyn Evaluator<Position>>), String> {
        let reads_weights = matches!(self.eval, EvaluatorKind::Pattern | EvaluatorKind::PatternLinear);
        if self.weights.eval_file.is_some() && !reads_weights {
            super::refuse(format_args!("--eval-file is not read with --eval {}", self.eval));
        }
        let options = self.weights.options(self.eval)?;
        Ok((options.eval_file.as_ref().map_or(self.eval, EvalFile::kind), options.evaluator()))
    }
}

/// A pool of this number of threads, or of one per core.
fn pool(threads: Option<u16>) -> Result<rayon::ThreadPool, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(super::threads(threads)).build();
    pool.map_err(|error| format!("cannot start threads: {error}"))
}

/// Runs one step.
pub(super) fn run(arguments: &TrainArguments) -> Result<(), String> {
    super::log_output::to_stderr();
    match &arguments.command {
        TrainCommand::SelfPlay(arguments) => selfplay::run(arguments),
        TrainCommand::Probcut(arguments) => probcut::run(arguments),
        TrainCommand::Label(arguments) => label::run(arguments),
        TrainCommand::Fit(arguments) => fit::run(arguments),
        TrainCommand::MoveOrder(arguments) => move_order::run(arguments),
        TrainCommand::Pack(arguments) => pack::run(arguments),
        TrainCommand::TestSet(arguments) => testset::run(arguments),
        TrainCommand::Report(arguments) => report::run(arguments),
        TrainCommand::Bill(arguments) => bill::run(arguments),
    }
}

/// The files of samples that a step makes.
struct Samples {
    /// The name of the step.
    command: &'static str,
    /// The seed by which games are held out.
    seed: u64,
    /// Everything else that they depend on but the evaluation.
    settings: serde_json::Value,
    /// The numbers of the files.
    chunks: Vec<u64>,
    games_per_chunk: u32,
}

/// Makes files of samples until all are there or the user has had enough. Each thread gets a maker with the evaluation.
fn produce<M: ChunkMaker>(
    arguments: &SampleArguments,
    samples: Samples,
    maker: impl Fn(Arc<dyn Evaluator<Position>>) -> M + Sync,
) -> Result<(), String> {
    let Samples { command, seed, settings, chunks, games_per_chunk } = samples;
    let (eval, evaluator) = arguments.evaluation.evaluator()?;
    let origin = Origin {
        command: command.to_owned(),
        evaluator: eval.to_string(),
        fingerprint: format!("{:08x}", fingerprint(&*evaluator)),
        seed,
        settings,
    };
    let threads = super::threads(arguments.threads);
    let (folder, shard) = (arguments.out.clone(), arguments.shard);
    let production = Production { folder, origin, chunks, games_per_chunk, shard, threads };
    let interrupt = super::on_interrupt()?;
    let started = Instant::now();
    let bar = OnceLock::new();
    let done = production.run(|| maker(Arc::clone(&evaluator)), &interrupt, &|now| {
        let rate = |count: u64| count as f64 / started.elapsed().as_secs_f64();
        let bar = bar.get_or_init(|| StepBar::new("games", now.of, now.found));
        bar.show(now.games, || {
            format!("{:.1} games/s, {:.0} positions/s", rate(now.games - now.found), rate(now.samples))
        });
    });
    if let Some(bar) = bar.get() {
        bar.finish();
    }
    let done = done.map_err(|error| error.to_string())?;
    let (played, seconds) = (done.games - done.found, started.elapsed().as_secs_f64());
    say(format_args!(
        "{played} games, {} positions in {seconds:.1} s ({:.1} games/s, {:.0} positions/s); {} games were there",
        done.samples,
        played as f64 / seconds,
        done.samples as f64 / seconds,
        done.found
    ));
    if interrupt.load(Ordering::Relaxed) {
        return Err("interrupted; the same command goes on".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    #[test]
    fn the_commands_of_the_page_are_well_formed() {
        let page = include_str!("../../docs/training.md");
        let block = page.split("```").nth(1).and_then(|block| block.strip_prefix("sh\n")).unwrap();
        assert!(block.lines().count() > 5, "{block}");
        for line in block.lines() {
            let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
            let command = TrainArguments::augment_args(Command::new("train"));
            let read = command.try_get_matches_from(words.strip_prefix(&["emilia"]).unwrap());
            assert!(read.is_ok(), "{line}: {}", read.unwrap_err());
        }
    }
}
