//! `emilia train label`.

use super::{EvaluationArguments, KnobArguments, WorkArguments};
use crate::eval::fingerprint;
use crate::training::{Chunk, Labeller, Origin, Production};
use clap::Args;
use std::path::PathBuf;

/// Beside which games positions are labelled, how, and where they go.
#[derive(Args, Clone, Debug)]
pub(super) struct LabelArguments {
    /// Folder with the games' samples, as `selfplay` made it
    #[arg(long, value_name = "FOLDER")]
    games: PathBuf,
    /// Folder for the samples; what is already there is kept, and the rest is made
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    #[command(flatten)]
    work: WorkArguments,
    #[command(flatten)]
    knobs: KnobArguments,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

/// Makes the missing files of samples, one for each file of games.
pub(super) fn run(arguments: &LabelArguments) -> Result<(), String> {
    let settings = arguments.knobs.config()?.label;
    let evaluator = arguments.evaluation.evaluator()?;
    let files = Chunk::files(&arguments.games).map_err(|error| error.to_string())?;
    let mut chunks: Vec<u64> = files.iter().filter_map(|file| Chunk::number(file)).collect();
    chunks.sort_unstable();
    let Some(first) = chunks.first() else {
        return Err(format!("there are no files of samples in '{}'", arguments.games.display()));
    };
    let first = Chunk::read(&arguments.games.join(Chunk::file_name(*first))).map_err(|error| error.to_string())?;
    let production = Production {
        folder: arguments.out.clone(),
        origin: Origin {
            command: "label".to_owned(),
            evaluator: arguments.evaluation.name(),
            fingerprint: format!("{:08x}", fingerprint(&*evaluator)),
            // A position beside a game is held out if the game is.
            seed: first.header.origin.seed,
            settings: serde_json::json!({
                "label": settings,
                "label-seed": arguments.work.seed,
                "games": first.header.origin,
            }),
        },
        chunks,
        games_per_chunk: first.header.games,
        shard: arguments.work.shard,
        threads: crate::cli::threads(arguments.work.threads),
    };
    let maker = || Labeller::new(settings.clone(), arguments.work.seed, arguments.games.clone(), evaluator.clone());
    super::produce(&production, maker)
}
