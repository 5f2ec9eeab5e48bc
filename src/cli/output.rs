//! Where a command writes: the standard output, or a file that is there whole or not at all.

use crate::whole_file::WholeFile;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stdout, Write, stdout};
use std::path::{Path, PathBuf};

/// Whether there is anybody left to write for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    /// What was written may be wanted.
    Reads,
    /// The other end of the pipe is closed.
    IsGone,
}

/// An open output. A file gets its name when the output is finished; else nothing of it remains.
pub(super) enum Output {
    Standard(BufWriter<Stdout>),
    File(PathBuf, WholeFile),
}

impl Output {
    /// The file, or the standard output if there is none or it is `-`.
    pub(super) fn open(path: Option<&Path>) -> Result<Output, String> {
        match path.filter(|path| *path != Path::new("-")) {
            None => Ok(Output::Standard(BufWriter::new(stdout()))),
            Some(path) => match WholeFile::create(path) {
                Ok(file) => Ok(Output::File(path.to_owned(), file)),
                Err(error) => Err(format!("cannot write '{}': {error}", path.display())),
            },
        }
    }

    /// Writes a piece.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<Reader, String> {
        match self {
            Output::Standard(out) => {
                // Somebody who looks on wants each game when it is there.
                let written =
                    out.write_all(bytes).and_then(|()| if stdout().is_terminal() { out.flush() } else { Ok(()) });
                standard(written)
            }
            Output::File(path, file) => match file.write_all(bytes) {
                Ok(()) => Ok(Reader::Reads),
                Err(error) => Err(format!("cannot write '{}': {error}", path.display())),
            },
        }
    }

    /// Hands what was written to whoever reads it. A file is read when it is whole, and waits.
    pub(super) fn flush(&mut self) -> Result<Reader, String> {
        match self {
            Output::Standard(out) => standard(out.flush()),
            Output::File(..) => Ok(Reader::Reads),
        }
    }

    /// Ends the output.
    pub(super) fn finish(self) -> Result<(), String> {
        match self {
            Output::Standard(mut out) => standard(out.flush()).map(|_| ()),
            Output::File(path, file) => {
                file.finish().map_err(|error| format!("cannot write '{}': {error}", path.display()))
            }
        }
    }
}

fn standard(result: io::Result<()>) -> Result<Reader, String> {
    match result {
        Ok(()) => Ok(Reader::Reads),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::IsGone),
        Err(error) => Err(format!("cannot write the output: {error}")),
    }
}
