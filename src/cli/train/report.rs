//! `emilia train report`: how far evaluations err.

use super::print_beside;
use crate::analysis::answer::line;
use crate::cli::output::{expect_another, write_file};
use crate::engine::EvalFile;
use crate::eval::{Evaluator, EvaluatorKind};
use crate::othello::Position;
use crate::training::{ErrorReport, error_svg, error_table};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args, Clone, Debug)]
pub(super) struct ReportArguments {
    /// The file with the positions and their scores
    #[arg(value_name = "FILE")]
    set: PathBuf,
    /// An evaluation, or a file of weights of a pattern evaluation; may be given several times
    #[arg(long = "eval", value_name = "NAME|FILE", default_value = EvaluatorKind::default().name())]
    evaluations: Vec<String>,
    /// Draw the errors into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print JSON in place of the table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ReportArguments) -> Result<(), String> {
    let weights = arguments.evaluations.iter().map(Path::new);
    expect_another(arguments.svg.as_deref(), weights.chain([arguments.set.as_path()]))?;
    let set = super::testset::read(&arguments.set)?;
    if set.positions.is_empty() {
        return Err(format!("'{}' has no positions", arguments.set.display()));
    }
    if set.positions.iter().all(|entry| entry.score.is_none()) {
        let file = arguments.set.display();
        return Err(format!("{file}: no position has a score; emilia train testset label gives them"));
    }
    let measure = |name: &String| Ok(ErrorReport::measure(name.clone(), &*evaluator(name)?, &set));
    let reports = arguments.evaluations.iter().map(measure).collect::<Result<Vec<_>, String>>()?;
    if let Some(path) = &arguments.svg {
        let svg = error_svg(&reports);
        write_file(path, svg.as_bytes())?;
    }
    let report = if arguments.json { line(&reports) } else { error_table(&reports) };
    print_beside(arguments.svg.as_deref(), &report)
}

/// The evaluation of this name, or the one with the weights of this file.
fn evaluator(name: &str) -> Result<Arc<dyn Evaluator<Position>>, String> {
    match name.parse::<EvaluatorKind>() {
        Ok(kind) => Ok(kind.build()),
        Err(unknown) if !PathBuf::from(name).exists() => Err(format!("{unknown}; nor is it a file of weights")),
        Err(_) => EvalFile::open(name).map(|file| file.evaluator()).map_err(|error| error.to_string()),
    }
}
