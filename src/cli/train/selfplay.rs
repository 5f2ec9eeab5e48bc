//! `emilia train selfplay`.

use crate::eval::EvaluatorKind;
use crate::training::{Origin, PlyRange, Production, SelfPlay, SelfPlaySettings, Shard, fingerprint};
use clap::Args;
use std::path::PathBuf;

/// Which games are played, how, and where they go.
#[derive(Args, Clone, Debug)]
pub(super) struct SelfPlayArguments {
    /// Folder for the samples; what is already there is kept, and the rest is made
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Games in the whole folder, all shards together; rounded up to whole files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Games in a file
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=65536))]
    chunk: u32,
    /// Make only the files whose number leaves the rest I when divided by N
    #[arg(long, value_name = "I/N", default_value = "0/1")]
    shard: Shard,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Seed of the random moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// The static evaluation
    #[arg(long, value_name = "NAME", default_value_t)]
    eval: EvaluatorKind,
    /// Plies that each move is searched [default: 4]
    #[arg(long, value_name = "PLIES")]
    depth: Option<u8>,
    /// Play perfectly from so many empty squares on [default: 12]
    #[arg(long, value_name = "EMPTIES")]
    exact: Option<u8>,
    /// How many random moves begin a game [default: 8-50]
    #[arg(long, value_name = "FROM-TO")]
    random_plies: Option<PlyRange>,
    /// Begin three times as often with one of these numbers [default: 10-36]
    #[arg(long, value_name = "FROM-TO")]
    favoured_plies: Option<PlyRange>,
}

impl SelfPlayArguments {
    fn settings(&self) -> SelfPlaySettings {
        let default = SelfPlaySettings::default();
        SelfPlaySettings {
            depth: self.depth.unwrap_or(default.depth),
            exact: self.exact.unwrap_or(default.exact),
            random_plies: self.random_plies.unwrap_or(default.random_plies),
            favoured_plies: self.favoured_plies.unwrap_or(default.favoured_plies),
        }
    }
}

/// Makes the missing files of samples.
pub(super) fn run(arguments: &SelfPlayArguments) -> Result<(), String> {
    let settings = arguments.settings();
    settings.validate().map_err(|error| error.to_string())?;
    let evaluator = arguments.eval.build();
    let production = Production {
        folder: arguments.out.clone(),
        origin: Origin {
            command: "selfplay".to_owned(),
            evaluator: arguments.eval.to_string(),
            fingerprint: fingerprint(&*evaluator),
            seed: arguments.seed,
            settings: serde_json::to_value(&settings).map_err(|error| error.to_string())?,
        },
        chunks: arguments.games.div_ceil(u64::from(arguments.chunk)),
        games_per_chunk: arguments.chunk,
        shard: arguments.shard,
        threads: super::threads(arguments.threads),
    };
    let maker = || SelfPlay::new(settings.clone(), arguments.seed, arguments.chunk, evaluator.clone());
    super::produce(&production, maker)
}
