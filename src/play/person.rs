//! Whoever sits at the board.

use std::io;
use std::time::Duration;

/// The other end of the conversation. It is asked for a line, and a clock may run out while it thinks.
pub trait Person {
    /// Asks for a line, with a prompt that may be shown. [`Person::line`] has it.
    ///
    /// # Errors
    /// If there is nobody to ask.
    fn ask(&mut self, prompt: &str) -> io::Result<()>;

    /// The line that was asked for, once it is there, but waits no longer than this for it.
    ///
    /// # Errors
    /// If it cannot be read.
    fn line(&mut self, within: Option<Duration>) -> io::Result<Said>;

    /// Says something, a line with its end, to a person who has been asked and has not answered: perhaps in the middle of typing.
    ///
    /// # Errors
    /// If it cannot be written.
    fn interrupt(&mut self, text: &str) -> io::Result<()>;
}

/// What a person has said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// A line; its end may be there or not.
    Line(String),
    /// Nothing yet.
    Nothing,
    /// Good-bye: there will be no further line.
    Goodbye,
}
