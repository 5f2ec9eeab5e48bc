//! The command line: options become one validated struct, and the work is done on the floors below.

mod analyze;
mod analyze_games;
mod analyze_output;
mod analyze_queries;
mod bench;
mod convert;
mod examples;
mod experiment;
mod game_input;
mod log_output;
mod manual;
mod match_check;
mod match_games;
mod merge;
mod options;
mod output;
mod perft;
mod play;
mod positions;
mod progress;
mod serve;
mod show;
mod solve;
mod train;

use crate::protocol::detect::Protocol;
use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use output::{complain, print};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An Othello engine that speaks NBoard and GTP.
///
/// Without a command, the client's first line on the standard input decides the protocol.
#[derive(Parser, Debug)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    serve: serve::ServeArguments,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve an NBoard client on standard input and output
    #[command(name = "nboard")]
    NBoard(serve::ServeArguments),
    /// Serve a GTP client on standard input and output
    Gtp(serve::ServeArguments),
    /// Count the positions reached by a number of plies of play
    Perft(perft::PerftArguments),
    /// Play games between engines and measure how much stronger one is
    #[command(name = "match")]
    Match(Box<match_games::MatchArguments>),
    /// Search fixed positions: a count of nodes that is always the same, and the speed
    Bench(bench::BenchArguments),
    /// Answer queries about positions, and judge the moves of games
    Analyze(Box<analyze::AnalyzeArguments>),
    /// Put together the parts that --shard makes
    Merge(merge::MergeArguments),
    /// Solve the positions of an OBF file
    Solve(Box<solve::SolveArguments>),
    /// Run an experiment of the papers on best-first minimax and Othello again
    Experiment(experiment::ExperimentArguments),
    /// Convert games and positions between formats
    Convert(convert::ConvertArguments),
    /// Play against Emilia in the terminal
    Play(Box<play::PlayArguments>),
    /// Show a board or a game: as text, as a picture, as a page
    Show(Box<show::ShowArguments>),
    /// List the positions of games, each once, as OBF
    Positions(positions::PositionsArguments),
    /// Print what a shell needs to complete commands, options and values
    Completions(manual::CompletionsArguments),
    /// Print a manual page, or write them all
    Man(manual::ManArguments),
    /// Learn the weights of the evaluation from games of Emilia against herself
    Train(train::TrainArguments),
}

/// Runs the program with the arguments of the process. The exit code is 2 for arguments that make no sense, 1 for
/// anything else that kept it from its work; `solve` has its own.
pub fn run() -> ExitCode {
    let parsed = Cli::from_arg_matches(&shown_command().get_matches());
    let Cli { serve: options, command } = parsed.unwrap_or_else(|error| error.exit());
    let result = match command {
        None => serve::run(None, &options),
        Some(Command::NBoard(options)) => serve::run(Some(Protocol::NBoard), &options),
        Some(Command::Gtp(options)) => serve::run(Some(Protocol::Gtp), &options),
        Some(Command::Perft(options)) => perft::run(&options),
        Some(Command::Match(options)) => match_games::run(&options),
        Some(Command::Bench(options)) => bench::run(&options),
        Some(Command::Analyze(options)) => analyze::run(&options),
        Some(Command::Merge(options)) => merge::run(&options),
        Some(Command::Solve(options)) => return solve::run(&options),
        Some(Command::Experiment(options)) => experiment::run(&options),
        Some(Command::Train(options)) => train::run(&options),
        Some(Command::Completions(options)) => manual::run_completions(&options),
        Some(Command::Man(options)) => manual::run_man(&options),
        Some(Command::Convert(options)) => convert::run(&options),
        Some(Command::Play(options)) => play::run(&options),
        Some(Command::Show(options)) => show::run(&options),
        Some(Command::Positions(options)) => positions::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            complain(message);
            ExitCode::FAILURE
        }
    }
}

/// The command line, with as much help as is asked for.
fn shown_command() -> clap::Command {
    if options::wants_everything() { options::reveal(command()) } else { command() }
}

/// The command line as it is parsed and described.
fn command() -> clap::Command {
    crate::lab::register();
    examples::add_examples(Cli::command())
}

/// Takes one of these names.
fn names<T: ToString>(values: &[T]) -> PossibleValuesParser {
    PossibleValuesParser::new(values.iter().map(T::to_string))
}

/// A flag that is set when the user wants the work to end; asking a second time ends the program.
fn on_interrupt() -> Result<Arc<AtomicBool>, String> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).map_err(|error| format!("cannot watch for interrupts: {error}"))?;
    Ok(interrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn options_before_a_command_are_refused_not_ignored() {
        assert!(Cli::try_parse_from(["emilia", "--depth", "3", "nboard"]).is_err());
        assert!(Cli::try_parse_from(["emilia", "nboard", "--depth", "3"]).is_ok());
    }
}
