//! The engine's options on the command line: the same names, values and checks as in both protocols.

use super::names;
use crate::engine::{Backup, Engine, EngineOptions, LeafValue, OnMemoryCap, OptionError, Selection, searches};
use crate::eval::EvaluatorKind;
use crate::search::Tie;
use clap::Args;

/// What the engine thinks with and for how long.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Thinking")]
pub(super) struct EngineArguments {
    /// The search
    #[arg(long, value_name = "NAME", default_value = default("engine"), value_parser = names(&searches()))]
    engine: String,
    /// Weights of the pattern evaluation, or none: those that are part of the program
    #[arg(long, value_name = "PATH", default_value = default("eval-file"))]
    eval_file: String,
    /// The static evaluation
    #[arg(long, value_name = "NAME", default_value = default("eval"), value_parser = names(&EvaluatorKind::ALL))]
    eval: String,
    /// Search threads of alpha-beta, best-first and extension
    #[arg(long, value_name = "N", default_value = default("threads"), value_parser = checked("threads"))]
    threads: String,
    /// How sure alpha-beta's cuts on the word of a shallower search are, in percent; 100 for none
    #[arg(long, value_name = "PERCENT", default_value = default("selectivity"), value_parser = checked("selectivity"))]
    selectivity: String,
    /// Size of the transposition table in MB, taken as it fills
    #[arg(long, value_name = "MB", default_value = default("hash"), value_parser = checked("hash"))]
    hash: String,
    /// Cap of the stored tree in MB, taken as it fills
    #[arg(long, value_name = "MB", default_value = default("memory"), value_parser = checked("memory"))]
    memory: String,
    /// What to do when the tree has filled its memory: go on in linear space, free the least promising subtrees, or end the
    /// search
    #[arg(long, value_name = "WAY", default_value = default("on-memory-cap"), value_parser = names(OnMemoryCap::ALL))]
    on_memory_cap: String,
    /// Bound on the depth in plies, 1 to 60, or none
    #[arg(long, value_name = "PLIES", default_value = default("depth"), value_parser = checked("depth"))]
    depth: String,
    /// Time per move, or none: the client's clock
    #[arg(long, value_name = "SECONDS", default_value = default("time"), value_parser = checked("time"))]
    time: String,
    /// Bound on the positions visited for a move, or none
    #[arg(long, value_name = "N", default_value = default("nodes"), value_parser = checked("nodes"))]
    nodes: String,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value = default("seed"), value_parser = checked("seed"))]
    seed: String,
    /// In the first twelve plies, play any move within so many discs of the best
    #[arg(long, value_name = "DISCS", default_value = default("variety"), value_parser = checked("variety"))]
    variety: String,
    /// What a tie is worth to the korf engines: hardly more than a loss, as in the paper, or zero
    #[arg(long, value_name = "RULE", default_value = default("tie"), value_parser = names(Tie::ALL))]
    tie: String,
    /// Plies of alpha-beta that korf-extension begins with, 1 to 20, or none: a sixteenth of the evaluations
    #[arg(long, value_name = "PLIES", default_value = default("start-depth"), value_parser = checked("start-depth"))]
    start_depth: String,
    /// Plies to the principal leaf at which a korf search has thought enough, 1 to 120, or none
    #[arg(
        long, value_name = "PLIES", default_value = default("best-first-depth"),
        value_parser = checked("best-first-depth")
    )]
    best_first_depth: String,
    /// The C of uct in discs: exploration constant, or temperature of the softmax selection
    #[arg(
        long, value_name = "DISCS", default_value = default("c"), value_parser = checked("c"),
        allow_negative_numbers = true
    )]
    c: String,
    /// The first-play urgency of uct in discs
    #[arg(
        long, value_name = "DISCS", default_value = default("fpu"), value_parser = checked("fpu"),
        allow_negative_numbers = true
    )]
    fpu: String,
    /// What inner nodes of uct are worth: what their best child is, or the mean of what was found below
    #[arg(long, value_name = "KIND", default_value = default("backup"), value_parser = names(Backup::ALL))]
    backup: String,
    /// What leaves of uct are worth: their value, or its sign alone
    #[arg(long, value_name = "KIND", default_value = default("leaf"), value_parser = names(LeafValue::ALL))]
    leaf: String,
    /// Plies of alpha-beta at the leaves of uct, 0 to 8
    #[arg(long, value_name = "PLIES", default_value = default("leaf-depth"), value_parser = checked("leaf-depth"))]
    leaf_depth: String,
    /// How uct chooses a leaf: by value and exploration term, or by lot
    #[arg(long, value_name = "KIND", default_value = default("selection"), value_parser = names(Selection::ALL))]
    selection: String,
    /// Whether uct merges positions that are reached in several ways
    #[arg(
        long, value_name = "SWITCH", default_value = default("transpositions"), value_parser = names(&["off", "on"])
    )]
    transpositions: String,
}

impl EngineArguments {
    /// An engine with these options; an error if this machine does not have what they ask for.
    pub(super) fn engine(&self) -> Result<Engine, OptionError> {
        let mut engine = Engine::new(EngineOptions::default());
        for (name, value) in self.values() {
            engine.set(name, value)?;
        }
        Ok(engine)
    }

    fn values(&self) -> [(&'static str, &str); 23] {
        [
            ("engine", &self.engine),
            ("eval-file", &self.eval_file),
            ("eval", &self.eval),
            ("threads", &self.threads),
            ("selectivity", &self.selectivity),
            ("hash", &self.hash),
            ("memory", &self.memory),
            ("on-memory-cap", &self.on_memory_cap),
            ("depth", &self.depth),
            ("time", &self.time),
            ("nodes", &self.nodes),
            ("seed", &self.seed),
            ("variety", &self.variety),
            ("tie", &self.tie),
            ("start-depth", &self.start_depth),
            ("best-first-depth", &self.best_first_depth),
            ("c", &self.c),
            ("fpu", &self.fpu),
            ("backup", &self.backup),
            ("leaf", &self.leaf),
            ("leaf-depth", &self.leaf_depth),
            ("selection", &self.selection),
            ("transpositions", &self.transpositions),
        ]
    }
}

fn default(name: &str) -> String {
    EngineOptions::default().get(name).expect("every option of the command line is an option of the engine")
}

/// The engine's own check of an option.
fn checked(name: &'static str) -> impl Fn(&str) -> Result<String, OptionError> + Clone + Send + Sync {
    move |value| {
        EngineOptions::default().set(name, value)?;
        Ok(value.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        options: EngineArguments,
    }

    #[test]
    fn nothing_said_means_the_defaults() {
        let options = Alone::try_parse_from(["emilia"]).unwrap().options;
        assert_eq!(options.engine().unwrap().options(), &EngineOptions::default());
        let names = options.values().map(|(name, _)| name);
        assert_eq!(names, EngineOptions::NAMES);
    }

    #[test]
    fn every_option_reaches_the_engine() {
        let said = [
            "--engine=minimax",
            "--eval=weighted-squares",
            "--threads=3",
            "--selectivity=95",
            "--hash=2",
            "--memory=3",
        ];
        let more = ["--on-memory-cap=rbfms", "--depth=4", "--time=0.5", "--nodes=6", "--seed=7", "--variety=1.5"];
        let published = [
            "--tie=zero",
            "--start-depth=5",
            "--best-first-depth=12",
            "--c=1.5",
            "--fpu=-3",
            "--backup=average",
            "--leaf=win-loss",
            "--leaf-depth=2",
            "--selection=softmax",
            "--transpositions=on",
        ];
        let said = || said.into_iter().chain(more).chain(published);
        let options = Alone::try_parse_from(["emilia"].into_iter().chain(said())).unwrap().options;
        let engine = options.engine().unwrap();
        for argument in said() {
            let (name, value) = argument[2..].split_once('=').unwrap();
            assert_eq!(engine.options().get(name).unwrap(), value, "{name}");
        }
    }

    #[test]
    fn refusals_say_what_is_expected() {
        for (argument, expected) in [
            ("--hash=0", "from 1 to 1048576"),
            ("--depth=61", "from 1 to 60"),
            ("--time=soon", "seconds from 0.001"),
            ("--engine=deep-blue", "alpha-beta"),
            ("--variety=-1", "discs from 0 to 64"),
            ("--c=-2", "discs from 0 to 1000"),
            ("--start-depth=0", "from 1 to 20"),
            ("--backup=sum", "overwrite"),
        ] {
            let error = Alone::try_parse_from(["emilia", argument]).err().unwrap();
            assert!(error.to_string().contains(expected), "{error}");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
