//! Those who play: programs that speak GTP or NBoard, and Emilia herself without a process between.

mod fault;
mod gtp;
mod in_process;
mod nboard;
mod process;
mod question;
mod spec;
mod start;

pub use fault::{Fault, StartError};
pub use process::{Ending, Process, Spoken};
pub use question::{Action, Answer, GameSetup, Patience, Player, Turn};
pub use spec::{Passes, PlayerKind, PlayerSpec, PlayerText, SpecError};
pub(in crate::arena) use start::spawn;
pub use start::{find_protocol, start};
