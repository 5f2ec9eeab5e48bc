//! What goes wrong with a player.

use super::spec::SpecError;
use std::time::Duration;

/// A failure that costs the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The program is gone.
    #[error("{0}")]
    Crashed(String),
    /// No answer to a command that needs no thinking, or to the question for a move without a clock.
    #[error("no answer to '{command}' within {} s", waited.as_secs_f64())]
    Silent {
        /// What was not answered.
        command: String,
        /// How long the referee waited.
        waited: Duration,
    },
    /// The clock ran out before the answer came.
    #[error("no move within the {} s that were left", left.as_secs_f64())]
    Overrun {
        /// What was left.
        left: Duration,
    },
    /// An answer that the protocol does not allow.
    #[error("{0}")]
    Protocol(String),
}

/// Why a player cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program cannot be started.
    #[error("cannot start '{program}': {error}")]
    Spawn {
        /// The program.
        program: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// It answers to neither protocol.
    #[error(
        "'{program}' answered neither NBoard's 'ping' nor a GTP command; expected an engine that speaks one of them (say which with protocol=nboard or protocol=gtp)"
    )]
    UnknownProtocol {
        /// The program.
        program: String,
    },
    /// It failed while it was getting ready.
    #[error("not ready: {0}")]
    Fault(#[from] Fault),
    /// It cannot do what the match asks for.
    #[error("{0}")]
    Unsupported(String),
    /// Its options are wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
}
