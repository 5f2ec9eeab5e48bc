#![doc = include_str!("../../../docs/ugi.md")]

mod command;
mod reply;
mod session;

pub use command::{Command, CommandError, GoLimits, OPENING_WORDS, PASS, Query};
pub use reply::{Fen, GameResult, Info, Reply};
pub use session::serve;
