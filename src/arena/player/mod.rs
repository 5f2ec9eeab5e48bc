//! Those who play: programs that speak GTP or NBoard, and Emilia itself without a process between.

mod fault;
mod gtp;
mod in_process;
mod nboard;
mod process;
mod question;
mod spec;
mod start;
#[cfg(all(test, unix))]
mod tests;

pub(in crate::arena) use fault::shown;
pub use fault::{Fault, StartError};
pub(in crate::arena) use gtp::MOST_RESPONSE_BYTES;
pub(in crate::arena) use nboard::{Pong, parse_move, pong};
pub(in crate::arena) use process::WAIT_SLICE;
pub use process::{NoLine, OutputLine, Process, kill_all};
pub use question::{Action, Answer, GameSetup, Player, Timeouts, Turn};
pub use spec::{Passes, PlayerKind, PlayerProtocol, PlayerSpec, PlayerText, SpecError};
pub(in crate::arena) use start::spawn;
pub use start::{find_protocol, start};
