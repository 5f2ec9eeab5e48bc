//! `emilia experiment`: the papers' tables and figures, run again.

use super::log_output;
use super::output::say;
use super::progress::StatusLine;
use crate::lab::experiment::origin::{self, Standing};
use crate::lab::experiment::{
    Cell, Experiment, ExperimentProgress, Lab, Ledger, Setup, Table, check_folder, write_findings,
};
use clap::Args;
use clap::builder::PossibleValue;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the command line says; the variant of the command has the help.
#[derive(Args, Clone, Debug)]
pub(super) struct ExperimentArguments {
    /// Which one
    #[arg(value_name = "NAME", value_parser = names(), required_unless_present = "status")]
    name: Option<String>,
    #[command(flatten)]
    setup: Setup,
    /// Write tables, pictures and the ledger to this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on with the run in that folder, if there is one
    #[arg(long, requires = "out")]
    resume: bool,
    /// List the figures of the pages in that folder, docs/experiments if none is given, that were run with another evaluation than this
    /// program's, or that do not know with which
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = "docs/experiments", exclusive = true)]
    status: Option<PathBuf>,
}

fn names() -> Vec<PossibleValue> {
    Experiment::ALL.iter().map(|experiment| PossibleValue::new(experiment.name).help(experiment.about)).collect()
}

/// Runs one and prints what it found.
pub(super) fn run(arguments: &ExperimentArguments) -> Result<(), String> {
    log_output::to_stderr();
    match &arguments.status {
        Some(folder) => show_status(folder),
        // Without --status there is a name.
        None => run_named(arguments.name.as_deref().unwrap_or_default(), arguments),
    }
}

fn run_named(name: &str, arguments: &ExperimentArguments) -> Result<(), String> {
    let fail = |problem: crate::lab::experiment::ExperimentError| problem.to_string();
    let experiment = Experiment::named(name).map_err(fail)?;
    arguments.setup.check(experiment).map_err(fail)?;
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

/// Lists the figures whose evaluation is not today's.
fn show_status(folder: &Path) -> Result<(), String> {
    let origins = origin::of_pages(folder).map_err(|problem| problem.to_string())?;
    let mut today = HashMap::new();
    let columns = "page | figures | evaluation | run with | today | commit";
    let mut table = Table::new("Run with another evaluation than today's", columns);
    let unknown = || "not recorded".to_owned();
    for origin in &origins {
        let (Standing::Other, Some(kind)) = (origin.standing(&mut today), origin.evaluation) else { continue };
        let then = origin.fingerprint.map_or_else(unknown, |print| format!("{print:08x}"));
        let now = today.get(kind.name()).map_or_else(unknown, |print| format!("{print:08x}"));
        let cells = [origin.experiment, &origin.figures, kind.name(), &then, &now, &origin.commit];
        table.row(cells.map(Cell::from).to_vec());
    }
    let same = origins.len() - table.rows.len();
    super::print(&format!("{}\nRun with today's, or without an evaluation: {same}\n", table.text()))
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
