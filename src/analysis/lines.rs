//! The lines of an input of any size.

use crate::input_line::InputLine;
use std::io::{self, BufRead, Read};

/// Cuts an input into lines and counts them. A byte order mark is passed over; the last line needs no line feed.
#[derive(Debug)]
pub struct Lines<R> {
    input: Checksummed<R>,
    number: u64,
}

/// An input with a checksum of what was read of it. Behind its end nothing more is read: a terminal would wait for more.
#[derive(Debug)]
pub struct Checksummed<R> {
    input: R,
    checksum: crc32fast::Hasher,
    has_ended: bool,
}

impl<R> Checksummed<R> {
    /// An input of which nothing has been read.
    pub fn new(input: R) -> Checksummed<R> {
        Checksummed { input, checksum: crc32fast::Hasher::new(), has_ended: false }
    }

    /// The CRC-32 of the bytes read so far.
    pub fn checksum(&self) -> u32 {
        self.checksum.clone().finalize()
    }
}

impl<R: BufRead> Read for Checksummed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let read = self.input.read(buffer)?;
        self.has_ended = read == 0 && !buffer.is_empty();
        self.checksum.update(&buffer[..read]);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Checksummed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.has_ended {
            return Ok(&[]);
        }
        let bytes = self.input.fill_buf()?;
        self.has_ended = bytes.is_empty();
        Ok(bytes)
    }

    fn consume(&mut self, amount: usize) {
        if amount == 0 {
            return;
        }
        if let Ok(bytes) = self.input.fill_buf() {
            self.checksum.update(&bytes[..amount.min(bytes.len())]);
        }
        self.input.consume(amount);
    }
}

impl<R: BufRead> Lines<R> {
    /// The lines of a file, a pipe or a text.
    pub fn new(input: R) -> Lines<R> {
        Lines { input: Checksummed::new(input), number: 0 }
    }

    /// The number of lines read so far.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The CRC-32 of the bytes read so far.
    pub fn checksum(&self) -> u32 {
        self.input.checksum()
    }

    /// The next line; `None` at the end.
    pub fn read(&mut self) -> io::Result<Option<InputLine>> {
        let mut line = InputLine::read(&mut self.input)?;
        self.number += u64::from(line.is_some());
        if let (1, Some(line)) = (self.number, &mut line) {
            line.drop_mark();
        }
        Ok(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Pieces;

    fn read(input: &[u8]) -> (Vec<InputLine>, u32) {
        let mut lines = Lines::new(io::BufReader::with_capacity(7, input));
        let found = std::iter::from_fn(|| lines.read().unwrap()).collect();
        (found, lines.checksum())
    }

    #[test]
    fn lines_of_any_length_are_counted_and_summed() {
        let line = |text: &str| InputLine::Bytes(text.as_bytes().to_vec());
        let mut input = b"\xef\xbb\xbf{}\r\n\n".to_vec();
        let longest = vec![b'x'; InputLine::MOST_BYTES];
        input.extend_from_slice(&longest);
        input.push(b'\n');
        input.extend(vec![b'y'; 10 * InputLine::MOST_BYTES]);
        input.extend_from_slice(b"\nlast");
        let (found, checksum) = read(&input);
        assert_eq!(found, [line("{}\r"), line(""), InputLine::Bytes(longest), InputLine::TooLong, line("last")]);
        assert_eq!(checksum, crc32fast::hash(&input));
        assert_eq!(read(b"").0, []);
    }

    #[test]
    fn nobody_waits_for_a_second_end() {
        let terminal = || io::BufReader::new(Pieces::new(&[b"{}\n", b""]));
        let mut lines = Lines::new(terminal());
        assert_eq!(lines.read().unwrap(), Some(InputLine::Bytes(b"{}".to_vec())));
        assert_eq!([lines.read().unwrap(), lines.read().unwrap()], [None, None]);
        let mut input = Checksummed::new(terminal());
        let mut text = String::new();
        input.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), input.read(&mut [0]).unwrap()), ("{}\n", 0));
    }
}
