//! A person plays Emilia: the levels, and the conversation over the board.

mod command;
mod level;
mod opponent;
mod session;

pub use command::{Command, CommandError};
pub use level::{Level, ParseLevelError};
pub use opponent::Opponent;
pub use session::Session;
