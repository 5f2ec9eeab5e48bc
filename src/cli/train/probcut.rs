//! `emilia train probcut`.

use super::{EvaluationArguments, pool};
use crate::cli::output::{Output, print};
use crate::cli::progress::StepBar;
use crate::eval::AnyWeights;
use crate::eval::pattern::Weights;
use crate::othello::Empties;
use crate::training::probcut::{Change, Deviation, ProbcutSettings, fit_probcut};
use clap::Args;
use clap::builder::RangedI64ValueParser;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is searched.
#[derive(Args, Clone, Debug)]
pub(super) struct ProbcutArguments {
    #[command(flatten)]
    evaluation: EvaluationArguments,
    /// Positions to search, and half as many more of the first plies
    #[arg(long, value_name = "N", default_value_t = ProbcutSettings::default().positions, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    positions: u32,
    /// The deepest search, in plies
    #[arg(long, value_name = "PLIES", default_value_t = ProbcutSettings::default().depth, value_parser = clap::value_parser!(u8).range(6..=16))]
    depth: u8,
    /// Solve positions with at most this number of empty squares
    #[arg(long, value_name = "EMPTIES", default_value_t = ProbcutSettings::default().solved_empties, value_parser = RangedI64ValueParser::<Empties>::new().range(13..=26))]
    solved: Empties,
    /// Seed of the positions
    #[arg(long, value_name = "N", default_value_t = ProbcutSettings::default().seed)]
    seed: u64,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Put the model into the file given with --eval-file
    #[arg(long, requires = "eval_file")]
    write: bool,
}

/// Searches, fits, and prints the table and the coefficients.
pub(super) fn run(arguments: &ProbcutArguments) -> Result<(), String> {
    let (_, evaluator) = arguments.evaluation.evaluator()?;
    let target = arguments.target()?;
    let settings = ProbcutSettings {
        positions: arguments.positions,
        depth: arguments.depth,
        solved_empties: arguments.solved,
        seed: arguments.seed,
    };
    let progress = StepBar::new("positions", u64::from(settings.positions + settings.of_first_plies()), 0);
    let done = AtomicU64::new(0);
    let tick = || progress.show(done.fetch_add(1, Ordering::Relaxed) + 1, String::new);
    let fit = pool(arguments.threads)?.install(|| fit_probcut(&settings, &evaluator, &tick));
    progress.finish();
    let tables = format!("{}{}{}", table(&fit.midgame), table(&fit.endgame), table_of_changes(&fit.changes));
    // What took minutes to measure is printed before anything can go wrong with the model or the file.
    let Some(model) = fit.model else {
        print(&tables)?;
        return Err("too few positions for a fit: ask for more with --positions".to_owned());
    };
    let numbers: Vec<String> = model.coefficients().iter().map(|c| format!("{c:.5}")).collect();
    let printed = print(&format!("{tables}\ncoefficients: {}\n", numbers.join(", ")));
    if let Some((weights, mut output)) = target {
        output.write(&weights.with_error_model(model).to_bytes())?;
        output.finish()?;
    }
    printed
}

impl ProbcutArguments {
    /// The weights that the model is put into, and their file, which is open: hours of measuring are not to be lost for want of it.
    fn target(&self) -> Result<Option<(AnyWeights, Output)>, String> {
        let Some(file) = self.evaluation.weights.eval_file.as_ref().filter(|_| self.write) else { return Ok(None) };
        if file == "none" {
            crate::cli::refuse("--write: expected a file of weights as --eval-file, and not 'none'");
        }
        let path = Path::new(file);
        let weights = AnyWeights::read(path).map_err(|error| format!("{file}: {error}"))?;
        Ok(Some((weights, Output::open(Some(path))?)))
    }
}

fn table(classes: &[Deviation]) -> String {
    let header = "empties  deep  shallow  positions   mean   deviation  fitted  (discs)\n";
    let rows = classes.iter().map(|class| {
        format!(
            "{:>7}{:>6}{:>9}{:>11}{:>+7.2}{:>12.2}{:>8.2}\n",
            class.empties, class.deep, class.shallow, class.count, class.mean, class.deviation, class.fitted
        )
    });
    header.to_owned() + &rows.collect::<String>()
}

fn table_of_changes(changes: &[Change]) -> String {
    let header = "\nempties  depth  to the next  positions  (discs, before the fit)\n";
    let rows = changes
        .iter()
        .map(|change| format!("{:>7}{:>7}{:>+13.2}{:>11}\n", change.empties, change.depth, change.mean, change.count));
    header.to_owned() + &rows.collect::<String>()
}
