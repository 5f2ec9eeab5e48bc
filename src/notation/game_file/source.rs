//! Bytes as they come, unpacked and in UTF-8, with the line and column of the next one.

use super::utf16::{HIGH_FIRST, LOW_FIRST, Utf16};
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::{self, BufReader, ErrorKind, Read};

/// The bytes that are asked of the system at once.
const PIECE: usize = 64 << 10;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first byte of a frame to be passed over has any four low bits.
const SKIPPED_FRAME: [u8; 3] = [0x2a, 0x4d, 0x18];

/// What is still to be read.
pub(super) struct ByteSource {
    input: Box<dyn Read + Send>,
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
    /// Reads from here, unpacks what gzip or zstd has packed, and makes UTF-8 of UTF-16.
    pub(super) fn new(mut input: Box<dyn Read + Send>) -> io::Result<ByteSource> {
        let mut magic = [0; 4];
        let seen = read_up_to(&mut input, &mut magic)?;
        let whole = Unread { pushed: magic[..seen].to_vec(), input };
        let input: Box<dyn Read + Send> = if magic[..seen].starts_with(&GZIP) {
            Box::new(MultiGzDecoder::new(BufReader::with_capacity(PIECE, whole)))
        } else if magic == ZSTD || is_skipped(&magic) {
            Box::new(ZstdFrames::Between(whole))
        } else if magic[..seen].starts_with(&LOW_FIRST) || magic[..seen].starts_with(&HIGH_FIRST) {
            Box::new(Utf16::new(whole, magic[..seen].starts_with(&HIGH_FIRST)))
        } else {
            Box::new(whole)
        };
        Ok(ByteSource {
            input,
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
        for &byte in &taken {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // Continuation bytes of UTF-8 begin with the bits 10.
                _ if byte & 0xc0 != 0x80 => self.column += 1,
                _ => {}
            }
        }
        taken
    }
}

fn is_skipped(magic: &[u8; 4]) -> bool {
    magic[1..] == SKIPPED_FRAME && magic[0] >> 4 == 5
}

/// An input of which some bytes were read and are to be read again.
struct Unread {
    pushed: Vec<u8>,
    input: Box<dyn Read + Send>,
}

impl Read for Unread {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.pushed.is_empty() {
            return self.input.read(out);
        }
        let count = self.pushed.len().min(out.len());
        out[..count].copy_from_slice(&self.pushed[..count]);
        self.pushed.drain(..count);
        Ok(count)
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
                    let read = frame.read(out)?;
                    if read > 0 || out.is_empty() {
                        *self = ZstdFrames::Within(frame);
                        return Ok(read);
                    }
                    ZstdFrames::Between(frame.into_inner())
                }
                ZstdFrames::Between(mut input) => {
                    let mut magic = [0; 4];
                    let seen = read_up_to(&mut input, &mut magic)?;
                    match seen {
                        0 => ZstdFrames::Ended,
                        4 if is_skipped(&magic) => ZstdFrames::Between(skip_frame(input)?),
                        _ => {
                            input.pushed.splice(..0, magic[..seen].iter().copied());
                            ZstdFrames::Within(Box::new(StreamingDecoder::new(input).map_err(damaged)?))
                        }
                    }
                }
            };
        }
    }
}

fn damaged(error: impl ToString) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, error.to_string())
}

fn skip_frame(mut input: Unread) -> io::Result<Unread> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    if io::copy(&mut input.by_ref().take(length), &mut io::sink())? < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(input)
}

fn read_up_to(input: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
    let mut seen = 0;
    while seen < out.len() {
        match input.read(&mut out[seen..]) {
            Ok(0) => break,
            Ok(n) => seen += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(seen)
}
