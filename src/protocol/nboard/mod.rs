#![doc = include_str!("../../../docs/nboard.md")]

mod clocks;
mod command;
mod reply;
mod session;

pub use command::{Command, CommandError, OPENING_WORDS};
pub use reply::{Hint, Reply};
pub use session::serve;
