//! `emilia train pack`.

use super::SettingsArguments;
use crate::cli::output::{expect_another, say, write_file};
use crate::eval::pattern::Weights;
use crate::training::AnyFit;
use clap::Args;
use std::path::PathBuf;

/// The largest file of weights that is to be part of the program.
const MOST_BYTES: usize = 10 << 20;

/// What is packed.
#[derive(Args, Clone, Debug)]
pub(super) struct PackArguments {
    /// The weights that `fit` wrote
    #[arg(long, value_name = "FILE")]
    weights: PathBuf,
    /// The file for --eval-file, or assets/factorization.weights or assets/pattern.weights, which become part of the program
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    settings: SettingsArguments,
}

/// Rounds the weights and writes them.
pub(super) fn run(arguments: &PackArguments) -> Result<(), String> {
    let settings = arguments.settings.config("pack", &["pack."])?.pack;
    expect_another(Some(&arguments.out), [arguments.weights.as_path()])?;
    let fitted = AnyFit::read(&arguments.weights).map_err(|error| error.to_string())?;
    let bytes = fitted.pack(&settings).map_err(|error| error.to_string())?.to_bytes();
    write_file(&arguments.out, &bytes)?;
    say(format_args!("{} bytes", bytes.len()));
    if bytes.len() > MOST_BYTES {
        log::warn!("more than {MOST_BYTES} bytes: too much to be part of the program");
    }
    Ok(())
}
