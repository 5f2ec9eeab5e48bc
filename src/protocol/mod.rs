//! The text protocols: lines in, typed commands, replies out.

pub mod detect;
pub mod gtp;
pub mod nboard;
pub mod stdio;
pub mod ugi;
