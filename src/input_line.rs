//! Lines of an input that may be anything.

use std::io::{self, BufRead, Read};

/// One line of an input, without its line feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine {
    /// The bytes of the line: not necessarily UTF-8, possibly empty, a carriage return still among them.
    Bytes(Vec<u8>),
    /// A line of more bytes than may be kept, which were thrown away.
    TooLong,
}

impl InputLine {
    /// Reads the next line, of which at most `most_bytes` are kept; `None` at the end. The last line needs no line feed.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn read(input: &mut impl BufRead, most_bytes: usize) -> io::Result<Option<InputLine>> {
        let limit = most_bytes as u64 + 1;
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
}
