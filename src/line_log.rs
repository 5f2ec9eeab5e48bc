//! A file of lines that grows while some work goes on, and can be taken up again after whatever ended it.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why such a file cannot be gone on with.
#[derive(Debug, Error)]
pub enum LineLogError {
    /// The file or folder of this path cannot be read or written.
    #[error("'{path}': {1}", path = .0.display())]
    Io(PathBuf, io::Error),
    /// An earlier run has left a file of this path.
    #[error("'{path}' is there from an earlier run; add --resume to go on with it, or choose another place", path = .0.display())]
    Exists(PathBuf),
    /// Another process writes the file of this path.
    #[error("'{path}' is being written by another process", path = .0.display())]
    Busy(PathBuf),
    /// What is in the file of this path was not written by this work.
    #[error("'{path}' was not begun by this command; choose another place, or remove it", path = .0.display())]
    Foreign(PathBuf),
    /// What is there is of other work.
    #[error("'{path}' was begun with other settings: {field} was {was}, and is now {now}", path = path.display())]
    OtherSettings {
        /// The file.
        path: PathBuf,
        /// What is different.
        field: String,
        /// What the file says.
        was: String,
        /// What was asked for.
        now: String,
    },
}

/// The file while it grows. While it is open, no other `LineLog` can be opened on it.
#[derive(Debug)]
pub(crate) struct LineLog {
    path: PathBuf,
    /// Written at its end.
    pub file: File,
    /// The length of everything that was written without an error.
    length: u64,
}

impl LineLog {
    /// Opens the file of this path, which is made if there is none, and returns the whole lines in it; a last line that was torn when
    /// the process was killed is no part of them. Whoever finds them to be of the same work calls [`LineLog::keep`] before anything is
    /// appended; until then the file stays as it is.
    ///
    /// # Errors
    /// If the file cannot be read and written, if another process writes it, or if there is something in it and `resume` does not say
    /// that it is to be gone on with.
    #[cfg(feature = "program")]
    pub fn open(path: PathBuf, resume: bool) -> Result<(LineLog, Vec<u8>), LineLogError> {
        let mut log = LineLog::open_unread(path, resume)?;
        let mut lines = Vec::new();
        io::Read::read_to_end(&mut log.file, &mut lines).map_err(|error| log.failure(error))?;
        lines.truncate(whole_lines(&lines).len());
        Ok((log, lines))
    }

    /// [`LineLog::open`] of a file that may be too large for the memory: what is there is to be read from [`LineLog::file`].
    ///
    /// # Errors
    /// As for [`LineLog::open`].
    pub fn open_unread(path: PathBuf, resume: bool) -> Result<LineLog, LineLogError> {
        let failed = |error| LineLogError::Io(path.clone(), error);
        // Windows does not let a file be cut that is open for appending only.
        let file = File::options().create(true).read(true).write(true).truncate(false).open(&path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => LineLogError::Busy(path.clone()),
            TryLockError::Error(error) => failed(error),
        })?;
        if !resume && file.metadata().map_err(failed)?.len() > 0 {
            return Err(LineLogError::Exists(path));
        }
        Ok(LineLog { path, file, length: 0 })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the lines up to this byte and cuts off what is behind it. Says whether there was anything. Where no line is whole, it has to be the
    /// beginning of `first`, the first line of this work, which is written then.
    ///
    /// # Errors
    /// If the file cannot be changed, or has something else.
    pub fn keep(&mut self, length: u64, first: &str) -> Result<bool, LineLogError> {
        if length == 0 && !self.is_beginning_of(first).map_err(|error| self.failure(error))? {
            return Err(LineLogError::Foreign(self.path.clone()));
        }
        self.length = length;
        let was_longer = self.cut().map_err(|error| self.failure(error))?;
        if length == 0 {
            self.append(first)?;
        }
        Ok(was_longer)
    }

    /// Whether the file has nothing but the beginning of this text.
    fn is_beginning_of(&mut self, text: &str) -> io::Result<bool> {
        if self.file.metadata()?.len() > text.len() as u64 {
            return Ok(false);
        }
        let mut found = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        io::Read::read_to_end(&mut self.file, &mut found)?;
        Ok(text.as_bytes().starts_with(&found))
    }

    /// Appends whole lines. Should that fail, for want of room perhaps, the file ends behind the last line that is whole.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, lines: &str) -> Result<(), LineLogError> {
        let written = self.file.write_all(lines.as_bytes());
        match written {
            Ok(()) => self.length += lines.len() as u64,
            // What could be written of it is no whole line.
            Err(_) => {
                self.cut().map_err(|error| self.failure(error))?;
            }
        }
        written.map_err(|error| self.failure(error))
    }

    /// Makes the file end where it should, and says whether it was longer. What is written next goes there.
    fn cut(&mut self) -> io::Result<bool> {
        let is_longer = self.file.metadata()?.len() > self.length;
        if is_longer {
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::Start(self.length))?;
        Ok(is_longer)
    }

    /// Why the file cannot be written.
    pub fn failure(&self, error: io::Error) -> LineLogError {
        LineLogError::Io(self.path.clone(), error)
    }
}

/// The beginning of a text up to the end of its last whole line.
#[cfg(feature = "program")]
pub(crate) fn whole_lines(text: &[u8]) -> &[u8] {
    &text[..text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}
