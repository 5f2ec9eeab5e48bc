//! `emilia train fit`.

use super::{SettingsArguments, pool};
use crate::cli::output::{counted, say, write_file};
use crate::cli::progress::StepBar;
use crate::eval::pattern::phase_of;
use crate::eval::{AnyWeights, Pattern, PatternLinear};
use crate::training::{
    Dataset, FactorizationSettings, FitSettings, FittedFactorWeights, FittedPhase, FittedWeights, InitialWeights,
    Source, SpanErrors, TrainingConfig, curve_csv, curve_svg, factor_curve_csv, factor_curve_svg, fit,
    fit_factorization, make_folder,
};
use clap::{Args, ValueEnum};
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// What is fitted to and where the weights go.
#[derive(Args, Clone, Debug)]
pub(super) struct FitArguments {
    /// A folder of samples, and how much each of them counts if not 1: FOLDER or FOLDER=WEIGHT; may be repeated
    #[arg(long, value_name = "FOLDER", required = true, value_parser = source)]
    data: Vec<Source>,
    /// Folder for weights.fit, curve.csv and curve.svg, and what a killed fit goes on from
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Threads [default: one per core]; with --form linear, each needs memory for the positions of one phase
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The form of the evaluation: pattern's, with factors, or pattern-linear's
    #[arg(long, value_enum, default_value_t)]
    form: Form,
    #[command(flatten)]
    settings: SettingsArguments,
}

/// The forms of the evaluation that are fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// That of `pattern`.
    #[default]
    Factors,
    /// That of `pattern-linear`.
    Linear,
}

/// Reads a folder and its weight.
fn source(text: &str) -> Result<Source, &'static str> {
    let (folder, weight) = match text.rsplit_once('=').filter(|_| !Path::new(text).is_dir()) {
        Some((folder, weight)) => (folder, weight.parse().ok().filter(|w: &f32| *w > 0.0 && *w <= 1e6)),
        None => (text, Some(1.0)),
    };
    let weight = weight.ok_or("the weight behind '=' is no number above 0 and up to a million")?;
    Ok(Source { folder: PathBuf::from(folder), weight })
}

/// The settings that only the linear form reads are not among these.
const READ_BY_FACTORS: [&str; 6] = [
    "factorization.",
    "fit.held-out-per-thousand",
    "fit.game-result-weight",
    "fit.exact-weight",
    "fit.search-",
    "fit.lopsided",
];

/// An error if a folder of samples is given twice: its labels would count twice.
fn expect_distinct(sources: &[Source]) -> Result<(), String> {
    let mut seen = HashSet::new();
    for Source { folder, .. } in sources {
        // What is not there is found out when it is read.
        if fs::canonicalize(folder).is_ok_and(|path| !seen.insert(path)) {
            return Err(format!("'{}' is given twice; expected each folder once as --data", folder.display()));
        }
    }
    Ok(())
}

/// The weights that a fit with factors begins with, if it begins with some.
fn start(settings: &FactorizationSettings) -> Result<Option<AnyWeights>, String> {
    let start = match settings.start {
        InitialWeights::Nothing => None,
        InitialWeights::PatternLinear => Some(AnyWeights::Linear(PatternLinear::embedded_weights())),
        InitialWeights::Pattern => Some(AnyWeights::Factors(Pattern::embedded_weights())),
    };
    settings.validate_start(start.as_ref()).map_err(|error| error.to_string())?;
    Ok(start)
}

/// Reads the samples, and warns of what is not as it should be with them.
fn read(arguments: &FitArguments, settings: &FitSettings) -> Result<Dataset, String> {
    let bar = StepBar::new("files", None, 0);
    let data = Dataset::read(&arguments.data, settings, &mut |done, of| {
        bar.set_steps(of as u64);
        bar.show(done as u64, String::new);
    });
    bar.finish();
    let data = data.map_err(|error| error.to_string())?;
    for damage in &data.damaged {
        log::warn!("left out: {damage}");
    }
    for file in &data.other_origins {
        log::warn!(
            "'{}' was made in another way than the first file of its folder; expected a folder for each way",
            file.display()
        );
    }
    let (training, held_out) = data.len();
    let Dataset { games, repeated, .. } = &data;
    say(format_args!(
        "{games} games, {repeated} of them repeated: {training} positions to learn from, {held_out} held out"
    ));
    if data.labels_alone > 0 {
        log::warn!(
            "labels of {} that were not read count too: expected the folder of the games as --data, so that those of repeated games are left out",
            counted(data.labels_alone, "game")
        );
    }
    if data.is_empty() {
        return Err("there is nothing to learn from".to_owned());
    }
    if held_out == 0 {
        log::warn!("no game is held out: the errors of games held out are not known");
    }
    Ok(data)
}

/// Reads the samples, fits the weights and writes them.
pub(super) fn run(arguments: &FitArguments) -> Result<(), String> {
    let (config, start) = match arguments.form {
        Form::Factors => {
            let config = arguments.settings.config("fit --form factors", &READ_BY_FACTORS)?;
            let start = start(&config.factorization)?;
            (config, start)
        }
        Form::Linear => (arguments.settings.config("fit --form linear", &["fit."])?, None),
    };
    expect_distinct(&arguments.data)?;
    let interrupt = crate::cli::on_interrupt()?;
    // A run of hours is not to fail at its end for want of a folder.
    make_folder(&arguments.out).map_err(|error| error.to_string())?;
    let started = Instant::now();
    let data = read(arguments, &config.fit)?;
    pool(arguments.threads)?.install(|| match arguments.form {
        Form::Factors => fit_factors(arguments, &config, start.as_ref(), &data, &interrupt, started),
        Form::Linear => fit_linear(arguments, &config.fit, &data, &interrupt, started),
    })
}

/// Fits the form with factors and writes what came of it.
fn fit_factors(
    arguments: &FitArguments,
    config: &TrainingConfig,
    start: Option<&AnyWeights>,
    data: &Dataset,
    interrupt: &AtomicBool,
    started: Instant,
) -> Result<(), String> {
    let settings = &config.factorization;
    let fitted = fit_factorization(data, settings, start, &arguments.out, interrupt, &|errors| {
        let SpanErrors { pass, training, held_out, spans } = errors;
        let (training, held_out, spans) = (shown(training), shown(held_out), spans.map(shown).join(" "));
        let seconds = started.elapsed().as_secs_f64();
        say(format_args!("{seconds:7.1} s  pass {pass:2}: {training} held out {held_out} ({spans})"));
    })
    .map_err(|error| error.to_string())?;
    let weights = FittedFactorWeights::new(config.fit.clone(), settings.clone(), data, fitted);
    weights.write(&arguments.out.join("weights.fit")).map_err(|error| error.to_string())?;
    let curve = &weights.header.curve;
    let csv = factor_curve_csv(curve);
    write_curve(&arguments.out, &csv, &factor_curve_svg(curve))?;
    crate::cli::print(&csv)
}

/// Fits the linear form and writes what came of it.
fn fit_linear(
    arguments: &FitArguments,
    settings: &FitSettings,
    data: &Dataset,
    interrupt: &AtomicBool,
    started: Instant,
) -> Result<(), String> {
    let bar = StepBar::new("phases", settings.phases as u64, 0);
    let (finished, passes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let phases = fit(data, settings, interrupt, &|step| {
        let passes = passes.fetch_add(1, Ordering::Relaxed) + 1;
        let finished = finished.fetch_add(usize::from(step.finished), Ordering::Relaxed);
        bar.show((finished + usize::from(step.finished)) as u64, || {
            format!("{passes} passes, phase {}: {} discs", step.phase, shown(step.error.held_out))
        });
    });
    bar.finish();
    let phases = phases.ok_or("interrupted; nothing was written")?;
    let weights = FittedWeights::new(settings.clone(), data, &phases);
    weights.write(&arguments.out.join("weights.fit")).map_err(|error| error.to_string())?;
    write_curve(&arguments.out, &curve_csv(&phases), &curve_svg(&phases))?;
    let seconds = started.elapsed().as_secs_f64();
    let work: usize = phases.iter().map(|phase| phase.positions * (phase.curve.len() - 1)).sum();
    say(format_args!("{seconds:.1} s; {:.2} million positions times passes a second", work as f64 / seconds / 1e6));
    crate::cli::print(&table(&phases))
}

/// Writes how the error fell.
fn write_curve(folder: &Path, csv: &str, svg: &str) -> Result<(), String> {
    write_file(&folder.join("curve.csv"), csv.as_bytes())?;
    write_file(&folder.join("curve.svg"), svg.as_bytes())
}

/// An error in discs, if it is known.
fn shown(error: Option<f64>) -> String {
    error.map_or_else(|| "?".to_owned(), |error| format!("{error:.3}"))
}

/// What each phase came to.
fn table(phases: &[FittedPhase]) -> String {
    let mut table = "phase    discs   positions  passes  training  held out\n".to_owned();
    for (number, phase) in phases.iter().enumerate() {
        let discs: Vec<usize> = (4..=63).filter(|&discs| phase_of(discs, phases.len()) == number).collect();
        let discs = format!("{}-{}", discs.first().unwrap_or(&0), discs.last().unwrap_or(&0));
        let error = phase.curve[phase.best];
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{number:>5}{discs:>9}{:>12}{:>8}{:>10}{:>10}",
            phase.positions,
            phase.best,
            shown(error.training),
            shown(error.held_out)
        );
    }
    table
}
