//! `emilia`, `emilia nboard` and `emilia gtp`: a client on standard input and output.

use super::log_output;
use super::options::{EngineArguments, warn};
use super::output::complain;
use crate::protocol::detect::{Detected, Protocol, detect};
use crate::protocol::stdio::Connection;
use crate::protocol::{gtp, nboard};
use clap::Args;
use std::io::{IsTerminal, stderr, stdin};
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
    let engine = options.thinking.quiet_engine().map_err(|error| error.to_string())?;
    let connection = Connection::stdio();
    let detected = match protocol {
        Some(protocol) => Some(Detected { protocol, first: Vec::new() }),
        None => detect(&connection).inspect(|detected| announce(detected.protocol)),
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
            Protocol::NBoard => log::warn!("{warning}"),
            Protocol::Gtp => warn(&warning),
        }
    }
    log::info!("emilia {} serves {protocol}: {:?}", env!("CARGO_PKG_VERSION"), engine.options());
    match protocol {
        Protocol::NBoard => nboard::serve(connection, engine, first),
        Protocol::Gtp => gtp::serve(connection, engine, first),
    }
    Ok(())
}

/// Tells a person at a terminal which protocol was taken.
fn announce(protocol: Protocol) {
    if stdin().is_terminal() && stderr().is_terminal() {
        complain(format_args!("speaking {protocol}, as the first line decided; 'quit' ends"));
    }
}
