//! `emilia experiment`: the papers' tables and figures, run again.

use super::log_output;
use super::output::say;
use super::progress::StatusLine;
use crate::lab::experiment::{Experiment, ExperimentProgress, Lab, Ledger, Setup, check_folder, write_findings};
use clap::Args;
use clap::builder::PossibleValue;
use std::path::PathBuf;
use std::time::Duration;

/// What the command line says; the variant of the command has the help.
#[derive(Args, Clone, Debug)]
pub(super) struct ExperimentArguments {
    /// Which one
    #[arg(value_name = "NAME", value_parser = names())]
    name: String,
    #[command(flatten)]
    setup: Setup,
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

/// Runs one and prints what it found.
pub(super) fn run(arguments: &ExperimentArguments) -> Result<(), String> {
    log_output::to_stderr();
    let fail = |problem: crate::lab::experiment::ExperimentError| problem.to_string();
    let experiment = Experiment::named(&arguments.name).map_err(fail)?;
    let identity = arguments.setup.identity(experiment.name);
    let ledger = match &arguments.out {
        Some(folder) => {
            check_folder(folder).map_err(fail)?;
            let path = folder.join(format!("{}.jsonl", experiment.name));
            Ledger::open(&path, &identity, arguments.resume).map_err(fail)?
        }
        None => Ledger::in_memory(),
    };
    if !arguments.setup.quick {
        let usual = humantime::format_duration(Duration::from_secs(experiment.seconds.into()));
        say(format_args!("{}: with its own set-up it takes about {usual} on one core", experiment.name));
    }
    let interrupt = super::on_interrupt()?;
    let line = StatusLine::new("{pos}/{len}  {elapsed} gone, {msg}", Some(1), 0);
    let bar = Bar { line, said: Default::default() };
    let mut observe = |progress| bar.show(progress);
    let mut lab = Lab::new(arguments.setup.clone(), ledger, &interrupt, &mut observe);
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
