//! What goes wrong with a player.

use super::process::Process;
use super::spec::PlayerProtocol;
use crate::engine::OptionError;
use crate::notation::shortened;
use std::time::Duration;

/// The most characters of what a program said that a report quotes.
const MOST_SHOWN: usize = 1000;

/// What a program said, for a terminal and a report: one line, without control characters, cut where it is long.
pub(in crate::arena) fn shown(text: &str) -> String {
    shortened(text, MOST_SHOWN).replace(char::is_control, " ")
}

/// A failure that costs the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The program is gone.
    #[error("{}", shown(.0))]
    Crashed(String),
    /// No answer in time to a command that needs no thinking, or to the question for a move without a clock: the command, how long was
    /// waited, and what the program has said on its standard error.
    #[error("no answer to '{0}' within {waited} s{words}", waited = .1.as_secs_f64(), words = shown(.2))]
    Silent(String, Duration, String),
    /// The time that was left ran out before the answer came.
    #[error("no move within the {} s that were left", .0.as_secs_f64())]
    Overrun(Duration),
    /// An answer that the protocol does not allow.
    #[error("{}", shown(.0))]
    Protocol(String),
    /// No fault of the player: this process stood still for so long while it waited, so nobody knows when the answer came.
    #[error("Emilia stood still for {} s", .0.as_secs())]
    StoodStill(Duration),
}

/// Why a player cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program of this name cannot be started.
    #[error("cannot start '{0}': {1}")]
    Spawn(String, std::io::Error),
    /// The program of this name answers to neither protocol; what it has said on its standard error.
    #[error(
        "'{0}' answered neither NBoard's 'ping' nor a GTP command; expected an engine that speaks one of them (say which: protocol=gtp for a player, --protocol gtp for a check){words}",
        words = shown(.1)
    )]
    UnknownProtocol(String, String),
    /// It failed at the question for its protocol.
    #[error(
        "not ready: {0}; it was greeted in both protocols, which not every program lives through (say which: protocol=gtp for a player, --protocol gtp for a check)"
    )]
    Greeted(Fault),
    /// It failed while it was getting ready.
    #[error("not ready: {0}")]
    Fault(#[from] Fault),
    /// It cannot do what the match asks for.
    #[error("{0}")]
    Unsupported(String),
    /// An option is wrong.
    #[error(transparent)]
    Option(#[from] OptionError),
}

impl StartError {
    /// The error with what the program has written to its standard error last.
    pub(super) fn with_last_words(self, process: &mut Process) -> StartError {
        match self {
            StartError::Fault(fault) => StartError::Fault(process.has_failed(fault)),
            error => error,
        }
    }

    /// It speaks this protocol, by which it cannot be told this limit.
    pub(super) fn cannot_be_told(protocol: PlayerProtocol, limit: &str) -> StartError {
        let advice = "see to it in cmd= or init= and add tell-limits=false";
        StartError::Unsupported(format!("over {protocol} it cannot be told {limit}; {advice}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_said_is_one_short_line_without_codes() {
        let fault = Fault::Protocol("got '\u{1b}[31mRED\u{1b}]0;title\u{7}\nline 2\u{9b}'".to_owned());
        assert_eq!(fault.to_string(), "got ' [31mRED ]0;title  line 2 '");
        let long = Fault::Crashed("x".repeat(900_000)).to_string();
        assert_eq!((long.len(), &long[998..]), (1003, "xx..."));
    }
}
