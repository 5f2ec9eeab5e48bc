//! A person plays Emilia: the levels, and the conversation over the board.

mod clocks;
mod command;
mod level;
mod opponent;
mod person;
mod session;

pub use command::{Command, CommandError};
pub use level::{Level, ParseLevelError};
pub use opponent::{Choice, Hint, Opponent};
pub use person::{Person, Said};
pub use session::Session;
