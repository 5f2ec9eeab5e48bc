//! The engine's options on the command line: an argument for each entry of the engine's table of options.

use super::names;
use super::output::warn;
use crate::engine::{Engine, EngineOption, EngineOptions, OptionError};
use crate::eval::{Evaluator, EvaluatorKind};
use crate::othello::Position;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use std::sync::Arc;

/// What the engine thinks with and for how long. The options for experiments are hidden until
/// [`reveal`] shows them.
#[derive(Clone, Debug)]
pub(super) struct EngineArguments(Vec<Argument>);

#[derive(Clone, Debug)]
struct Argument {
    option: &'static EngineOption,
    value: String,
    /// Whether it was given; else the value is the default.
    is_given: bool,
}

impl Args for EngineArguments {
    fn augment_args(command: Command) -> Command {
        let help = "Print help, with the options for experiments";
        command
            .args(EngineOption::all().map(argument))
            .arg(Arg::new("help-all").long("help-all").action(ArgAction::HelpLong).help(help).display_order(1000))
    }

    fn augment_args_for_update(command: Command) -> Command {
        EngineArguments::augment_args(command)
    }
}

impl FromArgMatches for EngineArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<EngineArguments, Error> {
        let argument = |option: &'static EngineOption| {
            let value = matches.get_one::<String>(option.name)?.clone();
            let is_given = matches.value_source(option.name) == Some(ValueSource::CommandLine);
            Some(Argument { option, value, is_given })
        };
        let arguments = EngineOption::all().map(argument).collect::<Option<Vec<_>>>();
        arguments.map(EngineArguments).ok_or_else(|| Error::new(ErrorKind::MissingRequiredArgument))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = EngineArguments::from_arg_matches(matches)?;
        Ok(())
    }
}

fn argument(option: &'static EngineOption) -> Arg {
    let argument = Arg::new(option.name)
        .long(option.name)
        .help_heading("Thinking")
        .help(option.help)
        .value_name(option.value_name)
        .default_value(option.default())
        .hide(option.is_for_experiments);
    match option.names() {
        Some(values) => argument.value_parser(names(&values)),
        None => argument.value_parser(move |value: &str| {
            option.set(&mut EngineOptions::default(), value).map(|()| value.to_owned())
        }),
    }
}

/// Whether the help is asked for that hides nothing.
pub(super) fn wants_everything() -> bool {
    std::env::args_os().any(|argument| argument == "--help-all")
}

/// Shows the hidden options in the help of a command and of those below it.
pub(super) fn reveal(command: Command) -> Command {
    command.mut_args(|argument| argument.hide(false)).mut_subcommands(reveal)
}

impl EngineArguments {
    /// An engine with these options, and a warning on the standard error about each that its search does not read; an
    /// error if this machine does not have what they ask for.
    pub(super) fn engine(&self) -> Result<Engine, OptionError> {
        self.engine_beside(&[])
    }

    /// The engine for a command that asks about positions and plays no game. It reads some of the options itself.
    pub(super) fn engine_of_questions(&self, read_by_command: &[&str]) -> Result<Engine, OptionError> {
        for name in ["variety", "level", "ponder"].into_iter().filter(|name| self.gives(name)) {
            warn(format_args!("--{name} is not read: no game is played"));
        }
        self.engine_beside(read_by_command)
    }

    fn engine_beside(&self, read_by_command: &[&str]) -> Result<Engine, OptionError> {
        let engine = self.quiet_engine()?;
        for (option, warning) in self.warnings(&engine) {
            if !read_by_command.contains(&option.name) {
                warn(warning);
            }
        }
        Ok(engine)
    }

    /// The engine without warnings.
    pub(super) fn quiet_engine(&self) -> Result<Engine, OptionError> {
        let mut engine = Engine::new(EngineOptions::default());
        for Argument { option, value, .. } in &self.0 {
            engine.set(option.name, value)?;
        }
        Ok(engine)
    }

    /// Whether the option of this name was given.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.0.iter().any(|argument| argument.is_given && argument.option.name == name)
    }

    /// The names of the options that were given.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter(|argument| argument.is_given).map(|argument| argument.option.name)
    }

    /// The options that were given and that there is something to warn about, with a warning each.
    pub(super) fn warnings(&self, engine: &Engine) -> impl Iterator<Item = (&'static EngineOption, String)> {
        let options = engine.options().clone();
        let given = self.0.iter().filter(|argument| argument.is_given);
        given.filter_map(move |Argument { option, .. }| Some((*option, format!("--{}", options.warning(option.name)?))))
    }
}

/// Where the weights of an evaluation come from.
#[derive(Args, Clone, Debug)]
pub(super) struct WeightsArguments {
    /// Weights of the evaluation [default: those that are part of the program]
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<String>,
}

impl WeightsArguments {
    /// The evaluation of this name with these weights.
    pub(super) fn evaluator(&self, kind: EvaluatorKind) -> Result<Arc<dyn Evaluator<Position>>, String> {
        Ok(self.options(kind)?.evaluator())
    }

    /// The options that ask for it.
    pub(super) fn options(&self, kind: EvaluatorKind) -> Result<EngineOptions, String> {
        let mut options = EngineOptions { eval: kind, ..EngineOptions::default() };
        if let Some(file) = &self.eval_file {
            options.set("eval-file", file).map_err(|error| error.to_string())?;
        }
        Ok(options)
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
        assert!(options.0.iter().all(|argument| !argument.is_given));
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
            "--on-memory-cap=rbfms",
            "--depth=4",
            "--time=0.5",
            "--nodes=6",
            "--seed=7",
            "--variety=1.5",
            "--level=3",
            "--book=none",
            "--ponder=on",
            "--without=tempo",
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
        let options = Alone::try_parse_from(["emilia"].into_iter().chain(said)).unwrap().options;
        let engine = options.engine().unwrap();
        for argument in said {
            let (name, value) = argument[2..].split_once('=').unwrap();
            assert_eq!(engine.options().get(name).unwrap(), value, "{name}");
        }
        assert_eq!(options.0.iter().filter(|argument| argument.is_given).count(), EngineOption::all().count() - 1);
    }

    #[test]
    fn only_what_was_given_and_is_not_read_is_warned_about() {
        crate::lab::register();
        let warned = |said: &[&str]| {
            let options = Alone::try_parse_from(["emilia"].iter().chain(said)).unwrap().options;
            options.warnings(&options.quiet_engine().unwrap()).map(|(_, warning)| warning).collect::<Vec<_>>()
        };
        assert_eq!(warned(&["--engine=alpha-beta", "--hash=2"]), Vec::<String>::new());
        assert_eq!(
            warned(&["--engine=alpha-beta", "--memory=512", "--hash=2"]),
            ["--memory is not read by alpha-beta"]
        );
        let of_uct = ["--engine=uct", "--hash=2", "--threads=2", "--c=2", "--tie=zero"];
        assert_eq!(warned(&of_uct), ["threads", "hash", "tie"].map(|name| format!("--{name} is not read by uct")));
    }

    #[test]
    fn the_options_for_experiments_are_hidden_until_they_are_asked_for() {
        let mut command = <Alone as clap::CommandFactory>::command();
        let normal = command.render_long_help().to_string();
        let everything = reveal(command).render_long_help().to_string();
        for option in EngineOption::all() {
            let argument = format!("--{} <", option.name);
            assert_eq!(normal.contains(&argument), !option.is_for_experiments, "{argument}");
            assert!(everything.contains(&argument), "{argument}");
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
            ("--level=9", "a whole number from 1 to 8"),
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
