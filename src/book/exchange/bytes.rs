//! Bytes of a foreign book, read with their place.

use crate::book::BookError;
use std::fmt::Display;
use std::io::{self, Read};

/// An input that knows how far it was read.
pub(super) struct Bytes<R> {
    input: R,
    offset: u64,
}

impl<R: Read> Bytes<R> {
    pub(super) fn new(input: R) -> Bytes<R> {
        Bytes { input, offset: 0 }
    }

    /// How many bytes were read.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next bytes.
    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N], BookError> {
        let mut bytes = [0; N];
        let at = self.offset;
        self.input.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                BookError::Foreign { offset: at, problem: "the file is cut off".to_owned() }
            }
            _ => BookError::Io(error),
        })?;
        self.offset += N as u64;
        Ok(bytes)
    }

    pub(super) fn byte(&mut self) -> Result<u8, BookError> {
        self.take().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Result<u32, BookError> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn i16(&mut self) -> Result<i16, BookError> {
        self.take().map(i16::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, BookError> {
        self.take().map(u64::from_le_bytes)
    }

    /// Fails unless nothing is left.
    pub(super) fn end(&mut self) -> Result<(), BookError> {
        match self.input.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(wrong(self.offset, "more than the positions that it counts")),
        }
    }
}

/// What is wrong, and where.
pub(super) fn wrong(offset: u64, problem: impl Display) -> BookError {
    BookError::Foreign { offset, problem: problem.to_string() }
}

/// A score in discs. Both programs write others, such as -126 and -127, where they have none.
pub(super) fn score(value: impl Into<i16>) -> Option<i8> {
    i8::try_from(value.into()).ok().filter(|score| (-64..=64).contains(score))
}
