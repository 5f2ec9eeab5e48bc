//! `emilia`, `emilia nboard`, `emilia gtp` and `emilia ugi`: a client on standard input and output.

use super::log_output;
use super::options::EngineArguments;
use super::output::{announce, print, warn};
use crate::input_line::InputLine;
use crate::protocol::detect::{Detected, Protocol, detect};
use crate::protocol::stdio::Connection;
use crate::protocol::{gtp, nboard, ugi};
use clap::Args;
use std::io::{IsTerminal, stdin};
use std::path::PathBuf;

/// What every protocol is served with.
#[derive(Args, Clone, Debug)]
pub(super) struct ServeArguments {
    #[command(flatten)]
    thinking: EngineArguments,
    /// Write a log with both sides of the conversation to this file; RUST_LOG says how much
    #[arg(long, value_name = "FILE", help_heading = None)]
    log_file: Option<PathBuf>,
}

/// Serves one client to the end. Without a protocol its first line decides.
pub(super) fn run(protocol: Option<Protocol>, options: &ServeArguments) -> Result<(), String> {
    if let Some(path) = &options.log_file {
        log_output::to_file(path)?;
    }
    log_output::log_panics();
    let mut engine = options.thinking.quiet_engine().map_err(|error| error.to_string())?;
    if !options.thinking.gives("seed") {
        engine.draw_seed(super::seed_by_time());
    }
    let connection = Connection::stdio();
    let detected = match protocol {
        Some(protocol) => {
            announce(format_args!("speaking {protocol}; 'quit' ends"));
            Some(Detected { protocol, first: Vec::new() })
        }
        None => {
            announce(WAITING);
            greet_until_protocol(&connection)?
        }
    };
    let Some(Detected { protocol, first }) = detected else {
        return Ok(());
    };
    // NBoard reads what goes to stderr as if it were an answer.
    if options.log_file.is_none() && protocol != Protocol::NBoard {
        log_output::to_stderr();
    }
    for (_, warning) in options.thinking.warnings(&engine) {
        match protocol {
            // The client is told when it has greeted.
            Protocol::NBoard => log::warn!("{warning}"),
            Protocol::Gtp | Protocol::Ugi => warn(warning),
        }
    }
    log::info!("emilia {} serves {protocol}: {:?}", env!("CARGO_PKG_VERSION"), engine.options());
    match protocol {
        Protocol::NBoard => nboard::serve(connection, engine, first),
        Protocol::Gtp => gtp::serve(connection, engine, first),
        Protocol::Ugi => ugi::serve(connection, engine, first),
    }
}

/// What a person who starts the program to see what it does should know.
const WAITING: &str =
    "waiting for a program that speaks NBoard, GTP or UGI; 'help' lists what else there is, 'quit' ends";

/// Waits for the first line of a client. `None` if there is none. A person who asks for help gets it.
fn greet_until_protocol(connection: &Connection) -> Result<Option<Detected>, String> {
    loop {
        let Some(detected) = detect(connection) else { return Ok(None) };
        if stdin().is_terminal() {
            // A person, who speaks no protocol yet.
            match detected.first.last().and_then(word).as_deref() {
                Some("help" | "?" | "-h" | "--help" | "h") => {
                    // Commands and examples on one screen: nobody can type an option here.
                    let mut help = super::command().mut_args(|argument| argument.hide(true));
                    print(&format!("{}\n", help.render_help()))?;
                    continue;
                }
                Some("quit" | "exit" | "q") => return Ok(None),
                _ => {}
            }
        }
        announce(format_args!("speaking {}, as the first line decided; 'quit' ends", detected.protocol));
        return Ok(Some(detected));
    }
}

/// The word that a line consists of, in small letters.
fn word(line: &InputLine) -> Option<String> {
    let InputLine::Bytes(line) = line else { return None };
    Some(String::from_utf8_lossy(line.trim_ascii()).to_ascii_lowercase())
}
