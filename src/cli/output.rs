//! What a command writes: the standard output, a file that is there whole or not at all, and the standard error.

use super::picture::ending;
use crate::notation::game_file::GameFileError;
use crate::notation::printable;
use crate::whole_file::{Destination, WholeFile};
use serde::Serialize;
use std::fmt::Display;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};

/// Whether the reader of the output is still there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    /// What was written may be wanted.
    Reads,
    /// The other end of the pipe is closed.
    IsGone,
}

/// An open output. A file gets its name when the output is finished; else nothing of it remains.
pub(super) enum Output {
    Standard { out: BufWriter<Stdout>, is_terminal: bool },
    File(PathBuf, WholeFile),
}

impl Output {
    /// The file, or the standard output if there is none or it is `-`.
    pub(super) fn open(path: Option<&Path>) -> Result<Output, String> {
        match path.filter(|path| *path != Path::new("-")) {
            None => Ok(Output::Standard { out: BufWriter::new(stdout()), is_terminal: stdout().is_terminal() }),
            Some(path) => match WholeFile::create(path) {
                Ok(file) => Ok(Output::File(path.to_owned(), file)),
                Err(error) => Err(cannot_write(path, error)),
            },
        }
    }

    /// Writes a piece.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<Reader, String> {
        let written = match self {
            // Somebody who looks on wants each game when it is there.
            Output::Standard { out, is_terminal: true } => out.write_all(bytes).and_then(|()| out.flush()),
            Output::Standard { out, .. } => out.write_all(bytes),
            Output::File(_, file) => file.write_all(bytes),
        };
        self.reader(written)
    }

    /// Writes out what is buffered, so that a reader has it.
    pub(super) fn flush(&mut self) -> Result<Reader, String> {
        let flushed = match self {
            Output::Standard { out, .. } => out.flush(),
            Output::File(_, file) => file.flush(),
        };
        self.reader(flushed)
    }

    /// Ends the output.
    pub(super) fn finish(mut self) -> Result<(), String> {
        if self.flush()? == Reader::IsGone {
            return Ok(());
        }
        match self {
            Output::Standard { .. } => Ok(()),
            Output::File(path, file) => file.finish().map_err(|error| cannot_write(&path, error)),
        }
    }

    fn reader(&self, result: io::Result<()>) -> Result<Reader, String> {
        match (result, self) {
            (Ok(()), _) => Ok(Reader::Reads),
            (Err(error), _) if is_reader_gone(&error) => Ok(Reader::IsGone),
            (Err(error), Output::Standard { .. }) => Err(format!("cannot write the output: {error}")),
            (Err(error), Output::File(path, _)) => Err(cannot_write(path, error)),
        }
    }
}

/// An error if a file that is to be written is one of those that are read, since what stood there would be lost; or if its name says that it is packed,
/// which nothing here is.
pub(super) fn expect_another<'a>(out: Option<&Path>, read: impl IntoIterator<Item = &'a Path>) -> Result<(), String> {
    let Some(out) = out.filter(|path| *path != Path::new("-")) else { return Ok(()) };
    if let Some(packed @ ("gz" | "zst")) = ending(out).as_deref() {
        return Err(format!("'{}' would not be packed; expected a name without .{packed}", shown(out)));
    }
    // What is written in place loses nothing, and what is not there is not read.
    let Ok(Destination::File(path)) = Destination::of(out) else { return Ok(()) };
    let Ok(path) = fs::canonicalize(path) else { return Ok(()) };
    match read.into_iter().any(|read| fs::canonicalize(read).is_ok_and(|read| read == path)) {
        true => Err(format!("'{}' is read, and would be replaced; expected another file", shown(out))),
        false => Ok(()),
    }
}

/// Whether what is written to this file, or to the standard output if there is none or it is `-`, is for a terminal.
pub(super) fn is_for_terminal(path: Option<&Path>) -> bool {
    path.is_none_or(|path| path == Path::new("-")) && stdout().is_terminal()
}

/// Whether an error of writing says that nobody reads.
pub(super) fn is_reader_gone(error: &io::Error) -> bool {
    /// The end of a named pipe of Windows that was closed from the other side.
    const PIPE_NOT_CONNECTED: i32 = 233;
    error.kind() == ErrorKind::BrokenPipe || cfg!(windows) && error.raw_os_error() == Some(PIPE_NOT_CONNECTED)
}

/// Prints to the standard output. A reader that has gone away is no error.
pub(super) fn print(text: &str) -> Result<(), String> {
    let mut output = Output::open(None)?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// A report as JSON for a person too, with the line feed that ends it.
pub(super) fn json(report: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(report).map(|text| text + "\n").map_err(|error| error.to_string())
}

/// Writes a line to the standard error, in one piece. A closed standard error is no error.
pub(super) fn say(line: impl Display) {
    let _ = stderr().write_all(format!("{line}\n").as_bytes());
}

/// Writes what is wrong to the standard error.
pub(super) fn complain(problem: impl Display) {
    say(format_args!("emilia: {problem}"));
}

/// Warns of what a person should know, who may have closed the standard error.
pub(super) fn warn(warning: impl Display) {
    complain(format_args!("warning: {warning}"));
}

/// Tells a person at a terminal what is waited for. A program at the other end of a pipe knows.
pub(super) fn announce(what: impl Display) {
    if stdin().is_terminal() && stderr().is_terminal() {
        complain(what);
    }
}

/// Writes a whole file, or the standard output if the path is `-`.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let mut output = Output::open(Some(path))?;
    output.write(bytes)?;
    output.finish()
}

/// Writes files that belong together: none gets its name before the bytes of all are written.
pub(super) fn write_together(files: &[(&Path, &[u8])]) -> Result<(), String> {
    let write = |&(path, bytes): &(&Path, &[u8])| {
        let mut output = Output::open(Some(path))?;
        output.write(bytes)?;
        output.flush()?;
        Ok(output)
    };
    let written = files.iter().map(write).collect::<Result<Vec<Output>, String>>()?;
    written.into_iter().try_for_each(Output::finish)
}

/// A path for a message, without the control characters that a name may have.
pub(super) fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Why a file could not be read.
pub(super) fn cannot_read(path: &Path, error: impl Display) -> String {
    format!("cannot read '{}': {error}", shown(path))
}

/// Why a file could not be written.
pub(super) fn cannot_write(path: &Path, error: impl Display) -> String {
    format!("cannot write '{}': {error}", shown(path))
}

/// A number of things in words.
pub(super) fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Games that a command could do nothing with, and files that it could not read.
#[derive(Default)]
pub(super) struct Failures {
    games: u64,
    files: u64,
}

impl Failures {
    /// Says what is wrong with a game.
    pub(super) fn game(&mut self, problem: impl Display) {
        self.games += 1;
        complain(problem);
    }

    /// Says why a game, or a whole file, was not read.
    pub(super) fn unread(&mut self, error: &GameFileError) {
        let count = if error.number == 0 { &mut self.files } else { &mut self.games };
        *count += 1;
        complain(error);
    }

    /// Whether nothing failed.
    pub(super) fn is_empty(&self) -> bool {
        self.games == 0 && self.files == 0
    }

    /// The end of a command that does this with games: an error if there was a failure.
    pub(super) fn end(self, done: &str) -> Result<(), String> {
        let both =
            [(self.files, "file", "read"), (self.games, "game", done)].into_iter().filter(|(count, ..)| *count > 0);
        let said: Vec<String> =
            both.map(|(count, what, done)| format!("{} could not be {done}", counted(count, what))).collect();
        if said.is_empty() { Ok(()) } else { Err(said.join(", ")) }
    }
}
