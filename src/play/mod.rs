//! A person plays Emilia: the conversation over the board.

mod clocks;
mod command;
mod opponent;
mod person;
mod session;

pub use command::{Command, CommandError};
pub use opponent::{Hint, Opponent};
pub use person::{Person, Said};
pub use session::Session;
