//! Text of two-byte units as UTF-8: what the shell of Windows writes when its output goes to a file.

use std::io::{self, Read};

/// The byte order mark, low byte first.
pub(super) const LOW_FIRST: [u8; 2] = [0xff, 0xfe];
/// The byte order mark, high byte first.
pub(super) const HIGH_FIRST: [u8; 2] = [0xfe, 0xff];

/// The units that are read at once, in bytes.
const PIECE: usize = 16 << 10;

/// Reads UTF-16 and gives UTF-8. What is no character becomes U+FFFD.
pub(super) struct Utf16<R> {
    input: R,
    unit: fn([u8; 2]) -> u16,
    /// Bytes of which no character could be made yet.
    rest: Vec<u8>,
    text: Vec<u8>,
    given: usize,
}

impl<R: Read> Utf16<R> {
    /// Reads units whose high byte comes first, or their low byte.
    pub(super) fn new(input: R, high_first: bool) -> Utf16<R> {
        let unit = if high_first { u16::from_be_bytes } else { u16::from_le_bytes };
        Utf16 { input, unit, rest: Vec::new(), text: Vec::new(), given: 0 }
    }

    /// Makes text of the next bytes; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        let kept = self.rest.len();
        self.rest.resize(kept + PIECE, 0);
        let read = self.input.read(&mut self.rest[kept..]);
        self.rest.truncate(kept + *read.as_ref().unwrap_or(&0));
        let at_end = read? == 0;
        let mut whole = self.rest.len() & !1;
        // The second half of a pair may be still to come.
        if !at_end
            && whole >= 2
            && (0xd800..0xdc00).contains(&(self.unit)([self.rest[whole - 2], self.rest[whole - 1]]))
        {
            whole -= 2;
        }
        let units = self.rest[..whole].chunks_exact(2).map(|bytes| (self.unit)([bytes[0], bytes[1]]));
        let mut text: String =
            char::decode_utf16(units).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        self.rest.drain(..whole);
        if at_end && !self.rest.is_empty() {
            self.rest.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
        (self.text, self.given) = (text.into_bytes(), 0);
        Ok(!at_end || !self.text.is_empty())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let count = (&self.text[self.given..]).read(out)?;
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let one = out.len().min(1);
            self.0.read(&mut out[..one])
        }
    }

    #[test]
    fn both_orders_are_read_however_the_bytes_come() {
        let text = "\u{feff}f5d6c3\r\n% Rosé, 𝔄\r\n".repeat(4000);
        for high_first in [false, true] {
            let order = if high_first { u16::to_be_bytes } else { u16::to_le_bytes };
            let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
            let mut found = String::new();
            Utf16::new(&bytes[..], high_first).read_to_string(&mut found).unwrap();
            assert!(found == text);
            found.clear();
            Utf16::new(Slow(&bytes), high_first).read_to_string(&mut found).unwrap();
            assert!(found == text);
        }
    }

    #[test]
    fn what_is_no_character_is_replaced() {
        let mut found = String::new();
        Utf16::new(&[b'a', 0, 0x35, 0xd8, b'b', 0, 0x35, 0xd8, b'c'][..], false).read_to_string(&mut found).unwrap();
        assert_eq!(found, "a\u{fffd}b\u{fffd}\u{fffd}");
    }
}
