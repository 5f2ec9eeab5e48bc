//! Getting a player ready.

use super::fault::StartError;
use super::gtp::GtpPlayer;
use super::in_process::InProcessPlayer;
use super::nboard::NBoardPlayer;
use super::process::Process;
use super::question::{Player, Timeouts};
use super::spec::{PlayerKind, PlayerProtocol, PlayerSpec};
use crate::clock::time_control::Terms;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Starts a player and gets it ready for its first game in a match with these limits. A program without a known protocol is asked for it
/// first. When `abandon` is set, nothing is waited for any longer, and what the player answers then is of no use.
pub fn start(
    spec: &PlayerSpec,
    of_the_match: &Terms,
    timeouts: Timeouts,
    abandon: &Arc<AtomicBool>,
) -> Result<Box<dyn Player>, StartError> {
    let terms = if spec.tell_limits { spec.terms(of_the_match) } else { Terms::default() };
    if spec.kind == PlayerKind::InProcess {
        return Ok(Box::new(InProcessPlayer::new(spec, terms, timeouts, abandon)?));
    }
    let protocol = find_protocol(spec, timeouts)?;
    let mut process = spawn(spec)?;
    process.abandon_with(abandon);
    Ok(match protocol {
        PlayerProtocol::Gtp => Box::new(GtpPlayer::new(process, spec, &terms, timeouts)?),
        PlayerProtocol::NBoard => Box::new(NBoardPlayer::new(process, spec, terms, timeouts)?),
    })
}

/// Finds out which protocol a program speaks, if that is not said. It is ended afterwards, because it has been talked to in both.
///
/// An NBoard engine is silent about what it does not know and answers the ping; a GTP engine answers everything.
pub fn find_protocol(spec: &PlayerSpec, timeouts: Timeouts) -> Result<PlayerProtocol, StartError> {
    if let PlayerKind::Process { protocol: Some(protocol), .. } = spec.kind {
        return Ok(protocol);
    }
    let mut process = spawn(spec)?;
    process.send("nboard 2");
    process.send("ping 1");
    let deadline = Instant::now() + timeouts.start;
    let found = loop {
        let Some(line) = process.whole_line(deadline).map_err(StartError::Greeted)? else { break None };
        match line.text.trim_start() {
            text if text.starts_with("pong") => break Some(PlayerProtocol::NBoard),
            text if text.starts_with(['?', '=']) && !text.starts_with("==") => break Some(PlayerProtocol::Gtp),
            _ => {}
        }
    };
    found.ok_or_else(|| StartError::UnknownProtocol(program(spec).to_owned(), process.last_words()))
}

/// Starts the program of a player and says nothing to it.
pub(in crate::arena) fn spawn(spec: &PlayerSpec) -> Result<Process, StartError> {
    let PlayerKind::Process { command, directory, .. } = &spec.kind else {
        return Err(StartError::Unsupported("it is not a program".to_owned()));
    };
    Process::start(&spec.name, command, directory.as_deref())
        .map_err(|error| StartError::Spawn(program(spec).to_owned(), error))
}

fn program(spec: &PlayerSpec) -> &str {
    match &spec.kind {
        PlayerKind::Process { command, .. } => command.first().map_or("", String::as_str),
        PlayerKind::InProcess => "emilia",
    }
}
