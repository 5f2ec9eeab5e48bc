//! OBF files and pipes, line by line.

use super::NotationError;
use super::cursor::is_blank;
use super::obf::{ObfEntry, says_something};
use crate::input_line::InputLine;
use std::io::{self, BufRead};
use thiserror::Error;

/// The longest line that is read, in bytes without its line feed.
pub const MAX_LINE_BYTES: usize = 1 << 16;

/// A position of a file, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedEntry {
    /// Which of the file's positions it is, from 1. A line that cannot be read counts as one; blank lines and comments do
    /// not.
    pub number: usize,
    /// The line of the file, from 1.
    pub line: usize,
    /// What the line says.
    pub entry: ObfEntry,
}

/// Why a line was not read.
#[derive(Debug, Error)]
pub enum ObfReadError {
    /// It is no position.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// A line, from 1, is longer than one of such a file.
    #[error("line {0}, column {column}: expected the end of the line by here", column = MAX_LINE_BYTES + 1)]
    TooLong(usize),
    /// The system refused at this line, from 1; nothing more can be read.
    #[error("line {0}: cannot be read: {1}")]
    Io(usize, io::Error),
}

/// Reads positions one by one, as the lines come. After a line that cannot be read it goes on with the next one.
///
/// Line feeds with or without carriage returns, a byte order mark and a last line without a line feed are all fine.
/// Bytes that are not UTF-8 do no harm in a comment.
///
/// ```
/// use emilia::notation::obf_reader::ObfReader;
/// let start = "---------------------------OX------XO--------------------------- X";
/// let file = format!("% two lines\n{start}; f5:+0\nnonsense\n");
/// let mut reader = ObfReader::new(file.as_bytes());
/// let entry = reader.next().unwrap().unwrap();
/// assert_eq!((entry.number, entry.line, entry.entry.moves.len()), (1, 2, 1));
/// let error = reader.next().unwrap().unwrap_err();
/// assert!(error.to_string().starts_with("line 3, column 1: expected"));
/// assert!(reader.next().is_none());
/// ```
#[derive(Debug)]
pub struct ObfReader<R> {
    input: R,
    line: usize,
    number: usize,
    ended: bool,
}

impl<R: BufRead> ObfReader<R> {
    /// Reads from a file, a pipe or a text.
    pub fn new(input: R) -> ObfReader<R> {
        ObfReader { input, line: 0, number: 0, ended: false }
    }

    /// The next line without its end, `None` at the end of the input.
    fn next_line(&mut self) -> Option<Result<Vec<u8>, ObfReadError>> {
        self.line += 1;
        match InputLine::read(&mut self.input, MAX_LINE_BYTES).transpose()? {
            Ok(InputLine::Bytes(bytes)) => Some(Ok(bytes)),
            Ok(InputLine::TooLong) => Some(Err(ObfReadError::TooLong(self.line))),
            Err(error) => {
                self.ended = true;
                Some(Err(ObfReadError::Io(self.line, error)))
            }
        }
    }
}

impl<R: BufRead> Iterator for ObfReader<R> {
    type Item = Result<NumberedEntry, ObfReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let bytes = match self.next_line()? {
                Ok(bytes) => bytes,
                Err(error) => {
                    self.number += usize::from(!self.ended);
                    return Some(Err(error));
                }
            };
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_start_matches('\u{feff}').trim_end_matches(is_blank);
            if !says_something(text) {
                continue;
            }
            self.number += 1;
            let (number, line) = (self.number, self.line);
            let entry = ObfEntry::parse(text).map_err(|error| NotationError { line, ..error }.into());
            return Some(entry.map(|entry| NumberedEntry { number, line, entry }));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use std::io::{BufReader, Read};

    fn read(input: impl AsRef<[u8]>) -> Vec<Result<(usize, usize), String>> {
        let place = |entry: NumberedEntry| (entry.number, entry.line);
        ObfReader::new(input.as_ref()).map(|item| item.map(place).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn positions_are_numbered_and_lines_counted() {
        let start = Position::START;
        let file = format!("\u{feff}% head\r\n\r\n{start}; f5:+0;\r\nbroken\r\n  \t\n\t% foot\n{start}");
        let found = read(&file);
        assert_eq!(found.len(), 3);
        assert_eq!((&found[0], &found[2]), (&Ok((1, 3)), &Ok((3, 7))));
        let error = found[1].clone().unwrap_err();
        assert!(error.starts_with("line 4, column 2: expected") && error.ends_with("found 'r'"), "{error}");
        assert_eq!(read(format!("\u{feff}{start}")), [Ok((1, 1))]);
        assert_eq!(read(""), []);
        assert_eq!(read("\u{feff}"), []);
        assert!(read("\u{feff}broken")[0].clone().unwrap_err().starts_with("line 1, column 2:"));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_in_a_board_and_kept_in_a_comment() {
        let mut file = format!("{}; % caf", Position::START).into_bytes();
        file.extend_from_slice(b"\xe9\n\xff\xfe\x00\n--\xff\n");
        let found = read(file);
        assert_eq!(found[0], Ok((1, 1)));
        for (error, place) in found[1..].iter().zip(["line 2, column 1:", "line 3, column 3:"]) {
            assert!(error.as_ref().unwrap_err().starts_with(place), "{error:?}");
        }
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn a_line_without_end_is_skipped() {
        let start = Position::START.to_string();
        let blanks = " ".repeat(MAX_LINE_BYTES - start.len());
        let file = format!("{start}{blanks}\n{start}{blanks} \n{}\n{start}", "X".repeat(3 * MAX_LINE_BYTES));
        let found = read(&file);
        assert_eq!((&found[0], &found[3]), (&Ok((1, 1)), &Ok((4, 4))));
        assert!(found[1].clone().unwrap_err().starts_with("line 2, column 65537:"), "{found:?}");
        assert!(found[2].is_err() && found.len() == 4);
    }

    #[test]
    fn a_broken_input_ends_the_reading() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is on fire"))
            }
        }
        let input = format!("{}\n", Position::START);
        let mut reader = ObfReader::new(BufReader::new(input.as_bytes().chain(Broken)));
        assert_eq!(reader.next().unwrap().unwrap().number, 1);
        let error = reader.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "line 2: cannot be read: the disk is on fire");
        assert!(reader.next().is_none());
    }
}
