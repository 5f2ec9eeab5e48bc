//! `emilia train selfplay`.

use super::{SampleArguments, Samples, produce};
use crate::search::{Depth, Selectivity};
use crate::training::{PlyRange, SelfPlay, SelfPlaySettings};
use clap::Args;

/// Which games are played, how, and where they go.
#[derive(Args, Clone, Debug)]
pub(super) struct SelfPlayArguments {
    /// Games in the whole folder, all shards together; rounded up to whole files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    games: u64,
    /// Games in a file [default: 1000, or all where they are fewer]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    chunk: Option<u32>,
    #[command(flatten)]
    samples: SampleArguments,
    /// Plies that each move is searched [default: 7]
    #[arg(long, value_name = "PLIES")]
    depth: Option<Depth>,
    /// Play perfectly from this number of empty squares on [default: 16]
    #[arg(long, value_name = "EMPTIES", value_parser = clap::value_parser!(u8).range(1..=30))]
    exact: Option<u8>,
    /// How sure cuts by shallower searches are, in percent; 100 for neither cuts nor extensions [default: 73]
    #[arg(long, alias = "confidence", value_name = "PERCENT")]
    selectivity: Option<Selectivity>,
    /// How many random moves begin a game [default: 0-24]
    #[arg(long, value_name = "FROM-TO")]
    random_plies: Option<PlyRange>,
    /// Begin three times as often with one of these numbers [default: 8-16]
    #[arg(long, value_name = "FROM-TO")]
    favoured_plies: Option<PlyRange>,
}

/// Games in a file where nothing else is said and there are as many.
const CHUNK: u32 = 1000;

impl SelfPlayArguments {
    fn chunk(&self) -> u32 {
        let all = u32::try_from(self.games).unwrap_or(u32::MAX);
        self.chunk.unwrap_or(CHUNK.min(all))
    }

    fn settings(&self) -> Result<SelfPlaySettings, String> {
        let of_file = self.samples.settings.config("selfplay", &["selfplay."])?.selfplay;
        let settings = SelfPlaySettings {
            depth: self.depth.unwrap_or(of_file.depth),
            exact: self.exact.unwrap_or(of_file.exact),
            selectivity: self.selectivity.unwrap_or(of_file.selectivity),
            random_plies: self.random_plies.unwrap_or(of_file.random_plies),
            favoured_plies: self.favoured_plies.unwrap_or(of_file.favoured_plies),
        };
        settings.validate().map_err(|error| error.to_string())?;
        match self.favoured_plies {
            Some(favoured) if !favoured.overlaps(settings.random_plies) => Err(format!(
                "no game begins with {favoured} random moves; expected --favoured-plies within {}, the random plies",
                settings.random_plies
            )),
            _ => Ok(settings),
        }
    }
}

/// Makes the missing files of samples.
pub(super) fn run(arguments: &SelfPlayArguments) -> Result<(), String> {
    let settings = arguments.settings()?;
    let (seed, chunk) = (arguments.samples.seed, arguments.chunk());
    let samples = Samples {
        command: "selfplay",
        seed,
        settings: serde_json::to_value(&settings).map_err(|error| error.to_string())?,
        chunks: (0..arguments.games.div_ceil(u64::from(chunk))).collect(),
        games_per_chunk: chunk,
    };
    produce(&arguments.samples, samples, |evaluator| SelfPlay::new(settings.clone(), seed, chunk, evaluator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_the_defaults() {
        let help = SelfPlayArguments::augment_args(clap::Command::new("selfplay")).render_long_help().to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let SelfPlaySettings { depth, exact, selectivity, random_plies, favoured_plies } = SelfPlaySettings::default();
        for expected in [
            format!("Plies that each move is searched [default: {depth}]"),
            format!("this number of empty squares on [default: {exact}]"),
            format!("in percent; 100 for neither cuts nor extensions [default: {}]", selectivity.percent()),
            format!("random moves begin a game [default: {random_plies}]"),
            format!("one of these numbers [default: {favoured_plies}]"),
        ] {
            assert!(help.contains(&expected), "'{expected}' in {help}");
        }
    }
}
