//! Lines of an input that may be anything.

use std::io::{self, BufRead, Read};

/// The mark of UTF-8, which what comes from Windows may begin with.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One line of an input, without its line feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine {
    /// The bytes of the line: not necessarily UTF-8, possibly empty, a carriage return still among them.
    Bytes(Vec<u8>),
    /// A line of more than [`InputLine::MOST_BYTES`], which were thrown away.
    TooLong,
}

impl InputLine {
    /// The most bytes of a line, without its line feed. No client has a reason to send a longer one.
    pub const MOST_BYTES: usize = 1 << 20;

    /// Reads the next line; `None` at the end. The last line needs no line feed.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn read(input: &mut impl BufRead) -> io::Result<Option<InputLine>> {
        let limit = InputLine::MOST_BYTES as u64 + 1;
        let mut bytes = Vec::new();
        if Read::take(&mut *input, limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        } else if bytes.len() as u64 == limit {
            input.skip_until(b'\n')?;
            return Ok(Some(InputLine::TooLong));
        }
        Ok(Some(InputLine::Bytes(bytes)))
    }

    /// Drops the mark of UTF-8 that it may begin with.
    pub fn drop_mark(&mut self) {
        if let InputLine::Bytes(bytes) = self
            && bytes.starts_with(BYTE_ORDER_MARK)
        {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
    }
}
