#![doc = include_str!("../../../docs/gtp.md")]

mod analysis;
mod command;
mod game;
pub mod reply;
mod session;
mod sgf_file;

pub use analysis::{Analysis, Restriction, StreamFormat};
pub use command::{Command, CommandLine, RulesQuery, command_names, parse_line};
pub use session::serve;
