//! The NBoard protocol, versions 1 and 2: a client holds the game and asks for moves and values.

mod command;
mod reply;
mod session;

pub use command::{Command, CommandError, OPENING_WORDS};
pub use reply::{Hint, Reply};
pub use session::serve;
