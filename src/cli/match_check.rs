//! `emilia match check`: does an engine keep to its protocol?

use super::output::{counted, json};
use super::{INTERRUPTED, log_output};
use crate::arena::conformance::{self, CheckOutcome, Conformance};
use crate::arena::player::{self, PlayerText, Timeouts};
use clap::Args;
use std::path::PathBuf;
use std::process::exit;
use std::time::Duration;

/// What to check.
#[derive(Args, Clone, Debug)]
pub(super) struct CheckArguments {
    /// The engine's command line, quoted as in a shell, such as 'edax -gtp'
    #[arg(value_name = "CMD")]
    command: String,
    /// gtp or nboard; found out by asking if it is left out
    #[arg(long, value_name = "NAME")]
    protocol: Option<String>,
    /// Where the engine runs
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
    /// Seconds for an answer that needs no thought
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0, value_parser = seconds)]
    reply_timeout: f64,
    /// Seconds for the first answer, and for a move
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0, value_parser = seconds)]
    move_timeout: f64,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write both sides of the conversations to this file
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|s| (0.01..=1e6).contains(s));
    value.ok_or_else(|| "expected seconds from 0.01 to 1000000".to_owned())
}

/// Checks an engine and prints what was found.
pub(super) fn run(arguments: &CheckArguments) -> Result<(), String> {
    log_output::to(arguments.log_file.as_deref())?;
    let text = PlayerText {
        cmd: Some(arguments.command.clone()),
        protocol: arguments.protocol.clone(),
        dir: arguments.dir.clone(),
        ..PlayerText::default()
    };
    super::set_interrupt_handler(|| {
        player::kill_all();
        exit(INTERRUPTED);
    })?;
    let spec = text.validate().map_err(|error| error.to_string())?;
    let (reply, thought) = [arguments.reply_timeout, arguments.move_timeout].map(Duration::from_secs_f64).into();
    let timeouts = Timeouts { start: thought, reply, thought };
    let report = conformance::check(&spec, timeouts).map_err(|error| error.to_string())?;
    super::print(&if arguments.json { json(&report)? } else { summary(&report) })?;
    match report.failures() {
        0 => Ok(()),
        count => Err(format!("{} failed", counted(count as u64, "check"))),
    }
}

fn summary(report: &Conformance) -> String {
    let mut text = format!("protocol: {}\n", report.protocol);
    for finding in &report.findings {
        let (mark, detail) = match &finding.outcome {
            CheckOutcome::Passed => ("ok    ", ""),
            CheckOutcome::Failed(detail) => ("FAILED", detail.as_str()),
            CheckOutcome::Skipped(detail) => ("-     ", detail.as_str()),
        };
        text.push_str(&format!("{mark}  {}\n", finding.check));
        if !detail.is_empty() {
            text.push_str(&format!("        {detail}\n"));
        }
    }
    text
}
