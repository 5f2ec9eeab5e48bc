//! `emilia experiment`: the papers' tables and figures, run again.

use super::log_output;
use super::output::say;
use super::progress::StatusLine;
use crate::eval::EvaluatorKind;
use crate::lab::experiment::{Experiment, ExperimentProgress, Lab, Ledger, Setup, check_folder, write_findings};
use clap::Args;
use clap::builder::PossibleValue;
use std::path::PathBuf;
use std::time::Duration;

/// An experiment of the papers, run again.
///
/// Prints its table beside what the paper says, with 95 % intervals; with --out also writes it as CSV and JSON, and pictures
/// as SVG.
#[derive(Args, Clone, Debug)]
pub(super) struct ExperimentArguments {
    /// Which one
    #[arg(value_name = "NAME", value_parser = names())]
    name: String,
    /// A run of seconds, to see that it works
    #[arg(long)]
    quick: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Pairs of games, or positions, for each row
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pairs: Option<u64>,
    /// The rows of the table: depths, branching factors or whatever they are, separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    levels: Vec<u32>,
    /// The static evaluation of Othello positions, if not the experiment's own choice
    #[arg(long, value_name = "NAME", value_parser = evaluators())]
    eval: Option<String>,
    /// Where games of Othello begin: four-ply (all 244), classes (60 of them), or random:N plies
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// A player, where engines are compared: engine=NAME and other words of `emilia match`; may be repeated
    #[arg(long, value_name = "WORDS")]
    player: Vec<String>,
    /// Write tables, pictures and the ledger to this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on with the run in that folder, if there is one
    #[arg(long, requires = "out")]
    resume: bool,
}

fn names() -> Vec<PossibleValue> {
    Experiment::ALL.iter().map(|experiment| PossibleValue::new(experiment.name).help(experiment.about)).collect()
}

fn evaluators() -> Vec<PossibleValue> {
    EvaluatorKind::ALL.iter().map(|kind| PossibleValue::new(kind.name())).collect()
}

/// Runs one and prints what it found.
pub(super) fn run(arguments: &ExperimentArguments) -> Result<(), String> {
    log_output::to_stderr();
    let fail = |problem: crate::lab::experiment::ExperimentError| problem.to_string();
    let experiment = Experiment::named(&arguments.name).map_err(fail)?;
    let eval = arguments.eval.as_deref().map(str::parse).transpose();
    let setup = Setup {
        quick: arguments.quick,
        seed: arguments.seed,
        pairs: arguments.pairs,
        levels: arguments.levels.clone(),
        eval: eval.map_err(|error: crate::eval::UnknownEvaluator| error.to_string())?,
        openings: arguments.openings.clone(),
        players: arguments.player.clone(),
    };
    let identity = setup.identity(experiment.name);
    let ledger = match &arguments.out {
        Some(folder) => {
            check_folder(folder).map_err(fail)?;
            let path = folder.join(format!("{}.jsonl", experiment.name));
            Ledger::open(&path, &identity, arguments.resume).map_err(fail)?
        }
        None => Ledger::in_memory(),
    };
    if !arguments.quick {
        let usual = humantime::format_duration(Duration::from_secs(experiment.seconds.into()));
        say(format_args!("{}: with its own set-up it takes about {usual} on one core", experiment.name));
    }
    let interrupt = super::on_interrupt()?;
    let line = StatusLine::new("{pos}/{len}  {elapsed} gone, {msg}", Some(1), 0);
    let bar = Bar { line, said: Default::default() };
    let mut observe = |progress| bar.show(progress);
    let mut lab = Lab::new(setup, ledger, &interrupt, &mut observe);
    let findings = experiment.run(&mut lab);
    bar.line.finish();
    let findings = findings.map_err(|problem| match (&problem, &arguments.out) {
        (crate::lab::experiment::ExperimentError::Interrupted, Some(_)) => "interrupted; --resume goes on".to_owned(),
        _ => fail(problem),
    })?;
    if let Some(folder) = &arguments.out {
        for path in write_findings(folder, experiment.name, &identity, &findings).map_err(fail)? {
            log::info!("wrote {}", path.display());
        }
    }
    super::print(&findings.text())
}

/// A line that follows the work, if there is a terminal to draw it on; otherwise a line of text now and then.
struct Bar {
    line: StatusLine,
    said: std::cell::Cell<u64>,
}

impl Bar {
    fn show(&self, ExperimentProgress { done, planned, left }: ExperimentProgress) {
        let left = left.map_or_else(
            || "everything so far from the ledger".to_owned(),
            |left| format!("about {} to go", humantime::format_duration(Duration::from_secs(left.as_secs()))),
        );
        // Twenty times in all.
        let part = 20 * done / planned.max(1);
        if !self.line.is_shown() && part > self.said.replace(part.max(self.said.get())) {
            say(format_args!("{done}/{planned} units, {left}"));
        }
        self.line.set_steps(planned);
        self.line.show(done, || left);
    }
}
