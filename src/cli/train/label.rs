//! `emilia train label`.

use super::{SampleArguments, Samples, produce};
use crate::training::{Chunk, FileError, Labeller};
use clap::Args;
use std::path::PathBuf;

/// Beside which games positions are labelled, how, and where they go.
#[derive(Args, Clone, Debug)]
pub(super) struct LabelArguments {
    /// Folder with the games' samples, as `selfplay` made it
    #[arg(long, value_name = "FOLDER")]
    games: PathBuf,
    #[command(flatten)]
    samples: SampleArguments,
}

/// Makes the missing files of samples, one for each file of games.
pub(super) fn run(arguments: &LabelArguments) -> Result<(), String> {
    let settings = arguments.samples.settings.config("label", &["label."])?.label;
    let label_seed = arguments.samples.seed;
    let files = Chunk::files(&arguments.games).map_err(|error| error.to_string())?;
    let number = |file: &PathBuf| {
        let expected = Chunk::file_name(0);
        Chunk::number(file).ok_or_else(|| format!("'{}': expected a name such as {expected}", file.display()))
    };
    let mut chunks = files.iter().map(number).collect::<Result<Vec<u64>, String>>()?;
    chunks.sort_unstable();
    let first = chunks.first().ok_or_else(|| FileError::Empty(arguments.games.clone()).to_string())?;
    let first = Chunk::read(&arguments.games.join(Chunk::file_name(*first))).map_err(|error| error.to_string())?.header;
    let samples = Samples {
        command: "label",
        // A position beside a game is held out if the game is.
        seed: first.origin.seed,
        settings: serde_json::json!({ "label": settings, "label-seed": label_seed, "games": first.origin }),
        chunks,
        games_per_chunk: first.games,
    };
    produce(&arguments.samples, samples, |evaluator| {
        Labeller::new(settings.clone(), label_seed, arguments.games.clone(), first.clone(), evaluator)
    })
}
