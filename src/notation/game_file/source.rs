//! Bytes as they come, unpacked and in UTF-8, with the line and column of the next one.

use super::utf16::{HIGH_FIRST, LOW_FIRST, Utf16};
use flate2::bufread::GzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::str;

/// The bytes that are asked of the system at once.
const PIECE: usize = 64 << 10;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const ZIP: [u8; 4] = *b"PK\x03\x04";
/// The first byte of a frame to be passed over has any four low bits.
const SKIPPED_FRAME: [u8; 3] = [0x2a, 0x4d, 0x18];

type Input = Box<dyn Read + Send>;

/// What is still to be read.
pub(super) struct ByteSource {
    input: Input,
    buffer: Vec<u8>,
    start: usize,
    at_end: bool,
    is_text: bool,
    /// Bytes taken so far.
    pub(super) offset: u64,
    /// The line of the next byte, from 1.
    pub(super) line: usize,
    /// The column of the next character, from 1.
    pub(super) column: usize,
}

impl ByteSource {
    /// Reads from here, as [`unpacked_utf8`] has it.
    pub(super) fn new(input: Input) -> io::Result<ByteSource> {
        Ok(ByteSource {
            input: unpacked_utf8(input)?,
            buffer: Vec::new(),
            start: 0,
            at_end: false,
            is_text: false,
            offset: 0,
            line: 1,
            column: 1,
        })
    }

    /// What comes is text: a carriage return that no line feed follows becomes one.
    pub(super) fn expect_text(&mut self) {
        self.is_text = true;
        self.put_line_feeds(self.start);
    }

    /// Looks at the bytes from here on. Of the last one nobody knows yet what follows it.
    fn put_line_feeds(&mut self, from: usize) {
        for i in from + 1..self.buffer.len() {
            if self.buffer[i - 1] == b'\r' && self.buffer[i] != b'\n' {
                self.buffer[i - 1] = b'\n';
            }
        }
    }

    /// What is there without asking for more.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Whether all that is to come is in [`ByteSource::bytes`].
    pub(super) fn at_end(&self) -> bool {
        self.at_end
    }

    /// Waits for more.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        // What was taken is dropped when it is more than what is left: each byte moves once on average.
        if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let length = self.buffer.len();
        self.buffer.resize(length + PIECE, 0);
        let read = loop {
            match self.input.read(&mut self.buffer[length..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(length + *read.as_ref().unwrap_or(&0));
        self.at_end = read? == 0;
        if self.is_text {
            self.put_line_feeds(length.saturating_sub(1).max(self.start));
        }
        Ok(())
    }

    /// Takes the first `count` of [`ByteSource::bytes`].
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        let taken = self.bytes()[..count].to_vec();
        self.start += count;
        self.offset += count as u64;
        // What is not UTF-8 is Latin-1: each byte a character.
        let is_latin_1 = str::from_utf8(&taken).is_err();
        for &byte in &taken {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // Continuation bytes of UTF-8 begin with the bits 10.
                _ if is_latin_1 || byte & 0xc0 != 0x80 => self.column += 1,
                _ => {}
            }
        }
        taken
    }
}

/// Unpacks what gzip or zstd has packed, and makes UTF-8 of UTF-16. Waits for the first bytes.
pub(crate) fn unpacked_utf8(input: Input) -> io::Result<Input> {
    in_utf8(unpacked(input)?)
}

fn unpacked(input: Input) -> io::Result<Input> {
    let mut input = Unread::new(input);
    let magic = input.peek()?;
    Ok(if magic.starts_with(&GZIP) {
        Box::new(GzipMembers(Some(GzDecoder::new(BufReader::with_capacity(PIECE, input)))))
    } else if magic == ZSTD || is_skipped(magic) {
        Box::new(ZstdFrames::Between(input))
    } else if magic == ZIP {
        let message = "a ZIP archive, which is to be unpacked first (gzip and zstd are read as they are)";
        return Err(io::Error::new(ErrorKind::InvalidData, message));
    } else {
        Box::new(input)
    })
}

fn in_utf8(input: Input) -> io::Result<Input> {
    let mut input = Unread::new(input);
    let mark = input.peek()?;
    let is_high_first = mark.starts_with(&HIGH_FIRST);
    Ok(if is_high_first || mark.starts_with(&LOW_FIRST) {
        Box::new(Utf16::new(input, is_high_first))
    } else {
        Box::new(input)
    })
}

/// Whether a byte may begin what tells packed bytes or UTF-16 from others.
fn begins_mark(first: u8) -> bool {
    [GZIP[0], ZSTD[0], HIGH_FIRST[0], LOW_FIRST[0]].contains(&first) || first >> 4 == 5
}

fn is_skipped(magic: &[u8]) -> bool {
    magic.split_first().is_some_and(|(first, rest)| first >> 4 == 5 && rest == SKIPPED_FRAME)
}

/// An input of which some bytes were read and are to be read again.
struct Unread {
    pushed: Vec<u8>,
    input: Input,
    /// Whether the input has ended. A terminal would be asked again.
    is_at_end: bool,
}

impl Unread {
    fn new(input: Input) -> Unread {
        Unread { pushed: Vec::new(), input, is_at_end: false }
    }

    /// The next four bytes, fewer at the end, which are still to be read. Behind a first one that says enough, no more are waited for.
    fn peek(&mut self) -> io::Result<&[u8]> {
        let mut next = [0; 4];
        let mut count = 0;
        while count < next.len() && (count == 0 || begins_mark(next[0])) {
            match self.read(&mut next[count..]) {
                Ok(0) => break,
                Ok(read) => count += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.pushed.splice(..0, next[..count].iter().copied());
        Ok(&self.pushed[..count])
    }
}

impl Read for Unread {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.pushed.is_empty() && !self.is_at_end {
            let read = self.input.read(out)?;
            self.is_at_end = read == 0 && !out.is_empty();
            return Ok(read);
        }
        let count = self.pushed.len().min(out.len());
        out[..count].copy_from_slice(&self.pushed[..count]);
        self.pushed.drain(..count);
        Ok(count)
    }
}

/// The members of a gzip file one after another. Some programs fill up the last block of a file with zeros.
struct GzipMembers(Option<GzDecoder<BufReader<Unread>>>);

impl Read for GzipMembers {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let input = member.get_mut();
            loop {
                let bytes = input.fill_buf()?;
                let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                if bytes.is_empty() {
                    return Ok(0);
                }
                if zeros == 0 {
                    break;
                }
                input.consume(zeros);
            }
            self.0 = self.0.take().map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// The frames of a zstd file one after another; some programs write several.
enum ZstdFrames {
    /// The next frame begins here.
    Between(Unread),
    /// In the middle of a frame.
    Within(Box<StreamingDecoder<Unread, FrameDecoder>>),
    /// The end, or damage.
    Ended,
}

impl Read for ZstdFrames {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            *self = match std::mem::replace(self, ZstdFrames::Ended) {
                ZstdFrames::Ended => return Ok(0),
                ZstdFrames::Within(mut frame) => {
                    let read = frame.read(out).map_err(damaged)?;
                    if read > 0 || out.is_empty() {
                        *self = ZstdFrames::Within(frame);
                        return Ok(read);
                    }
                    ZstdFrames::Between(frame.into_inner())
                }
                ZstdFrames::Between(mut input) => match input.peek()? {
                    [] => ZstdFrames::Ended,
                    magic if is_skipped(magic) => ZstdFrames::Between(skip_frame(input)?),
                    _ => ZstdFrames::Within(Box::new(StreamingDecoder::new(input).map_err(damaged)?)),
                },
            };
        }
    }
}

/// The library's own words are for its developers.
fn damaged<E>(_: E) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "damaged or truncated zstd data")
}

fn skip_frame(mut input: Unread) -> io::Result<Unread> {
    let (mut magic, mut length) = ([0; 4], [0; 4]);
    input.read_exact(&mut magic).map_err(damaged)?;
    input.read_exact(&mut length).map_err(damaged)?;
    let length = u64::from(u32::from_le_bytes(length));
    if io::copy(&mut input.by_ref().take(length), &mut io::sink())? < length {
        return Err(damaged(()));
    }
    Ok(input)
}
