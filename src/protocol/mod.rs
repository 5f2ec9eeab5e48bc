//! The text protocols: lines in, typed commands, replies out.

pub mod detect;
mod end_of_input;
pub mod gtp;
pub mod nboard;
pub mod stdio;
pub mod ugi;

/// A text for a client that takes printable ASCII alone: any other character becomes a question mark.
fn printable_ascii(text: &str) -> String {
    text.replace(|c: char| !matches!(c, ' '..='~'), "?")
}
