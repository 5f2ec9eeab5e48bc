//! The command line: options become one validated struct, and the work is done by other modules.

mod analyze;
mod analyze_games;
mod analyze_output;
mod analyze_pages;
mod analyze_position;
mod analyze_queries;
mod bench;
mod book;
mod convert;
mod examples;
mod experiment;
mod game_choice;
mod game_input;
mod log_output;
mod manual;
mod match_check;
mod match_games;
mod merge;
mod opening_counts;
mod options;
mod output;
mod perft;
mod picture;
mod play;
mod positions;
mod progress;
mod serve;
mod show;
mod solve;
mod train;

use crate::protocol::detect::Protocol;
use crate::protocol::nboard;
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
#[cfg(unix)]
use nix::sys::signal::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ, SigHandler, Signal};
use output::{complain, print, say};
use progress::StatusLine;
use std::io;
use std::ops::RangeInclusive;
use std::process::{ExitCode, exit};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// An Othello engine that speaks NBoard, GTP and UGI.
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

/// The commands, in the order in which a player needs them. What `--help` says of one is the doc of its arguments, where it is not here: a doc
/// here would replace it, the long one too.
#[derive(Subcommand, Debug)]
enum Command {
    Play(Box<play::PlayArguments>),
    Analyze(Box<analyze::AnalyzeArguments>),
    Show(Box<show::ShowArguments>),
    Solve(Box<solve::SolveArguments>),
    Convert(convert::ConvertArguments),
    /// Make, grow and look at opening books
    Book(book::BookArguments),
    Positions(positions::PositionsArguments),
    /// Play games between engines and measure how much stronger one is.
    ///
    /// Every opening is played twice, the colours exchanged. A player is a program that speaks GTP or NBoard
    /// (`name=A cmd='engine --flag'`), or Emilia in this process (`name=B engine=alpha-beta eval=mobility option.hash=16`).
    /// Further keys: protocol=gtp|nboard, dir, init='LINE' (a protocol line to be sent first; may be repeated), clock, depth,
    /// nodes (limits of its own), tell-limits=false, passes=implicit|explicit.
    #[command(name = "match")]
    Match(Box<match_games::MatchArguments>),
    /// Serve an NBoard client on standard input and output
    #[command(name = "nboard")]
    NBoard(serve::ServeArguments),
    /// Serve a GTP client on standard input and output
    Gtp(serve::ServeArguments),
    /// Serve a client of the universal game interface on standard input and output
    Ugi(serve::ServeArguments),
    /// Learn the weights of the evaluation from games of Emilia against itself
    Train(train::TrainArguments),
    /// Run an experiment of the papers on best-first minimax and Othello again.
    ///
    /// Prints its table beside what the paper says, with 95 % intervals; with --out also writes it as CSV and JSON, and pictures
    /// as SVG.
    Experiment(experiment::ExperimentArguments),
    /// Search fixed positions: a count of nodes that is always the same, and the speed
    Bench(bench::BenchArguments),
    /// Count the positions reached by a number of plies of play
    Perft(perft::PerftArguments),
    Merge(merge::MergeArguments),
    Completions(manual::CompletionsArguments),
    Man(manual::ManArguments),
}

/// Runs the program with the arguments of the process. The exit code is 2 for arguments that make no sense, 1 for
/// anything else that kept it from its work; `solve` has its own.
pub fn run() -> ExitCode {
    #[cfg(unix)]
    outlive_limits_of_files();
    let parsed = shown_command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let Cli { serve: options, command } = parsed.unwrap_or_else(|error| explain(error));
    let result = match command {
        None => serve::run(None, &options),
        Some(Command::NBoard(options)) => serve::run(Some(Protocol::NBoard), &options),
        Some(Command::Gtp(options)) => serve::run(Some(Protocol::Gtp), &options),
        Some(Command::Ugi(options)) => serve::run(Some(Protocol::Ugi), &options),
        Some(Command::Perft(options)) => perft::run(&options),
        Some(Command::Match(options)) => match_games::run(&options),
        Some(Command::Bench(options)) => bench::run(&options),
        Some(Command::Analyze(options)) => analyze::run(&options),
        Some(Command::Merge(options)) => merge::run(&options),
        Some(Command::Solve(options)) => return solve::run(&options),
        Some(Command::Experiment(options)) => experiment::run(&options),
        Some(Command::Book(options)) => book::run(&options),
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
            tell_nboard(&message);
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
    examples::add_examples(with_negative_numbers(Cli::command()), "")
}

/// Reads `--depth -3` as the value that it is meant to be, which the option's range refuses.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes = |argument: &clap::Arg| {
        let has_values = argument.get_num_args().is_none_or(|number| number.takes_values());
        has_values && argument.get_action().takes_values() && !argument.is_positional()
    };
    command
        .mut_args(|argument| if takes(&argument) { argument.allow_negative_numbers(true) } else { argument })
        .mut_subcommands(with_negative_numbers)
}

/// Ends the program for arguments that are well formed and make no sense together, as clap does for others.
fn refuse(problem: impl std::fmt::Display) -> ! {
    let mut command = command();
    command.build();
    let called = std::env::args_os().nth(1).filter(|name| command.find_subcommand(name).is_some());
    let command = match called {
        Some(name) => command.find_subcommand_mut(name).expect("it was found"),
        None => &mut command,
    };
    tell_nboard(&problem.to_string());
    command.error(ErrorKind::ArgumentConflict, problem).exit()
}

/// Ends the program for arguments that cannot be read, or that ask for help alone.
fn explain(error: clap::Error) -> ! {
    // The standard library's words, which do not say what was expected.
    const NO_NUMBER: [&str; 2] = ["invalid digit found in string", "cannot parse integer from empty string"];
    let mut not_utf8 = std::env::args_os().skip(1).filter(|argument| argument.to_str().is_none());
    // clap does not say which argument it is.
    let argument = match (error.kind(), not_utf8.next(), not_utf8.next()) {
        (ErrorKind::InvalidUtf8, Some(argument), None) => {
            Some(format!("error: '{}': expected UTF-8", argument.display()))
        }
        _ => None,
    };
    let text = argument.clone().unwrap_or_else(|| error.to_string());
    if error.use_stderr() {
        let unknown = error.get(ContextKind::InvalidArg).filter(|_| error.kind() == ErrorKind::UnknownArgument);
        match (std::error::Error::source(&error), unknown) {
            (Some(problem), _) => tell_nboard(&problem.to_string()),
            (None, Some(argument)) => tell_nboard(&format!("{argument}: not known")),
            (None, None) => tell_nboard(text.lines().next().unwrap_or_default().trim_start_matches("error: ")),
        }
    }
    match NO_NUMBER.into_iter().find(|words| text.contains(words)) {
        Some(words) => say(text.trim_end().replace(words, "expected a whole number, digits alone")),
        None if argument.is_some() => say(text),
        None => match error.print() {
            // Nobody has to read help to its end, but a full disk has not got it.
            Err(problem) if !error.use_stderr() && problem.kind() != io::ErrorKind::BrokenPipe => {
                complain(format_args!("cannot write the output: {problem}"));
                exit(1);
            }
            _ => {}
        },
    }
    exit(error.exit_code());
}

/// Has NBoard show why there is no engine. It reads only the standard output, shows the first words of a status, and waits for ever for an
/// engine that is not there.
fn tell_nboard(problem: &str) {
    if std::env::args_os().nth(1).is_some_and(|command| command == "nboard") {
        // What is wrong is said on standard error all the same.
        let _ = print(&format!("{}\n", nboard::Reply::Status(problem.to_owned())));
    }
}

/// Reads a number that counts from 1.
fn at_least_one(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|&number| number > 0).ok_or("expected a whole number of at least 1")
}

/// Reads `N`, or `FROM-TO` with both ends.
fn range<T: Copy + PartialOrd + FromStr>(text: &str) -> Option<RangeInclusive<T>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse::<T>().ok()?, last.trim().parse::<T>().ok()?);
    (first <= last).then_some(first..=last)
}

/// Takes one of these names.
fn names<T: ToString>(values: &[T]) -> PossibleValuesParser {
    PossibleValuesParser::new(values.iter().map(T::to_string))
}

/// The number of threads asked for, or one per core.
fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// A seed that is another one each time.
fn seed_by_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64)
}

/// The exit code of a program that Ctrl-C has ended in the middle of its work, as shells have it.
const INTERRUPTED: i32 = 130;

/// Has this called, on a thread of its own, for each Ctrl-C and each other signal to end. Those that were ignored when the program began, as under
/// nohup, stay ignored.
fn set_interrupt_handler(handler: impl FnMut() + Send + 'static) -> Result<(), String> {
    #[cfg(unix)]
    let ignored: Vec<Signal> = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&signal| ignore(signal)).collect();
    ctrlc::set_handler(handler).map_err(|error| format!("cannot watch for interrupts: {error}"))?;
    #[cfg(unix)]
    for signal in ignored {
        ignore(signal);
    }
    Ok(())
}

/// Handles the signal for a file that grows beyond the limit of its size: then the write fails, as on a full disk. Programs that this one starts
/// would inherit that a signal is ignored, but no handler.
#[cfg(unix)]
fn outlive_limits_of_files() {
    extern "C" fn nothing(_: std::ffi::c_int) {}
    // SAFETY: the handler does nothing.
    let _ = unsafe { nix::sys::signal::signal(SIGXFSZ, SigHandler::Handler(nothing)) };
}

/// Ignores a signal, and says whether it was ignored before.
#[cfg(unix)]
fn ignore(signal: Signal) -> bool {
    // SAFETY: no code of this program runs for a signal that is ignored.
    matches!(unsafe { nix::sys::signal::signal(signal, SigHandler::SigIgn) }, Ok(SigHandler::SigIgn))
}

/// A flag that is set when the user wants the work to end; asking a second time ends the program.
fn on_interrupt() -> Result<Arc<AtomicBool>, String> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    set_interrupt_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            exit(INTERRUPTED);
        }
    })?;
    Ok(interrupt)
}

/// Ends the program with this code when the user wants that, and says what is done and how to go on: for work of which
/// nothing is lost by ending in the middle.
fn end_on_interrupt(line: &StatusLine, code: u8, done: impl Fn() -> String + Send + 'static) -> Result<(), String> {
    let line = line.clone();
    set_interrupt_handler(move || {
        line.finish();
        complain(format_args!("interrupted after {}", done()));
        exit(code.into());
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }
}
