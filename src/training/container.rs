//! The files of training: a header about what follows, what follows, and a checksum.
//!
//! ```text
//! 8 bytes   magic, which says what kind of file it is
//! 4 bytes   length of the header
//! 8 bytes   length of the body
//! header    JSON
//! body
//! 4 bytes   CRC-32 (IEEE) of everything before
//! ```
//!
//! Numbers are little-endian. Files are written whole or not at all, so that one that has its name is whole unless the disk
//! damaged it, which the checksum tells.

use crate::whole_file::{why, write_whole};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The first bytes of a file.
pub(super) type Magic = [u8; 8];
/// Bytes before the header.
const FIXED: usize = 20;
/// Bytes around header and body.
const FRAME: usize = FIXED + 4;

/// Why a file of training cannot be read or written.
#[derive(Debug, Error)]
pub enum FileError {
    /// The operating system said no.
    #[error("cannot {action} '{path}': {}", why(.source))]
    System {
        /// `read`, `write` or `make`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Another kind of file.
    #[error("'{path}' is not what was asked for: it does not begin with {magic}")]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it should begin with.
        magic: String,
    },
    /// The file ends too early or goes on too long.
    #[error("'{path}' is damaged: {found} bytes, expected {expected}")]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: usize,
        /// What it announces, or the least that a file has.
        expected: usize,
    },
    /// The bytes changed after they were written.
    #[error("'{path}' is damaged: checksum {found:08x}, expected {expected:08x}")]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Of the bytes.
        found: u32,
        /// In the file.
        expected: u32,
    },
    /// The checksum is right, but the content is none that this version writes.
    #[error("'{path}' cannot be understood: {what}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// There is no file of samples where some were expected.
    #[error("there are no files of samples in '{0}'")]
    Empty(PathBuf),
}

impl FileError {
    pub(super) fn system(action: &'static str, path: &Path) -> impl Fn(io::Error) -> FileError {
        move |source| FileError::System { action, path: path.to_owned(), source }
    }

    pub(super) fn content(path: &Path, what: impl ToString) -> FileError {
        FileError::Content { path: path.to_owned(), what: what.to_string() }
    }

    /// Whether the file was once a good one, so that to make it again loses nothing.
    pub fn is_damage(&self) -> bool {
        matches!(self, FileError::Size { .. } | FileError::Checksum { .. })
    }
}

/// The bytes of a file.
pub(super) fn seal(magic: Magic, header: &impl Serialize, body: &[u8]) -> Vec<u8> {
    let header = serde_json::to_vec(header).expect("headers have only strings as keys");
    let mut bytes = Vec::with_capacity(FRAME + header.len() + body.len());
    bytes.extend_from_slice(&magic);
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(body);
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// Header and body of the bytes of a file; `path` is for the errors.
pub(super) fn open<'a, H: DeserializeOwned>(
    bytes: &'a [u8],
    magic: Magic,
    path: &Path,
) -> Result<(H, &'a [u8]), FileError> {
    expect_magic(bytes, magic, path)?;
    let size = |expected| FileError::Size { path: path.to_owned(), found: bytes.len(), expected };
    let Some((fixed, rest)) = bytes.split_first_chunk::<FIXED>() else { return Err(size(FRAME)) };
    let header_length = u32::from_le_bytes(fixed[8..12].try_into().expect("four bytes")) as usize;
    let body_length = u64::from_le_bytes(fixed[12..].try_into().expect("eight bytes"));
    let body_length = usize::try_from(body_length).unwrap_or(usize::MAX);
    let expected = FRAME.saturating_add(header_length).saturating_add(body_length);
    let Some((content, checksum)) = rest.split_last_chunk::<4>().filter(|_| bytes.len() == expected) else {
        return Err(size(expected));
    };
    let (found, expected) = (crc32fast::hash(&bytes[..bytes.len() - 4]), u32::from_le_bytes(*checksum));
    if found != expected {
        return Err(FileError::Checksum { path: path.to_owned(), found, expected });
    }
    let (header, body) = content.split_at(header_length);
    let header = serde_json::from_slice(header).map_err(|error| FileError::content(path, error))?;
    Ok((header, body))
}

fn expect_magic(bytes: &[u8], magic: Magic, path: &Path) -> Result<(), FileError> {
    if bytes.starts_with(&magic[..magic.len().min(bytes.len())]) {
        return Ok(());
    }
    Err(FileError::Foreign { path: path.to_owned(), magic: magic.escape_ascii().to_string() })
}

/// The header of a file, of which no more is read: the rest may be damaged, and so may the header.
pub(super) fn read_header<H: DeserializeOwned>(path: &Path, magic: Magic) -> Result<H, FileError> {
    let failed = FileError::system("read", path);
    let mut file = File::open(path).map_err(&failed)?;
    let mut beginning = Vec::new();
    file.by_ref().take(FIXED as u64).read_to_end(&mut beginning).map_err(&failed)?;
    expect_magic(&beginning, magic, path)?;
    let size = |found, expected| FileError::Size { path: path.to_owned(), found, expected };
    let Some(length) = beginning.get(8..12).filter(|_| beginning.len() == FIXED) else {
        return Err(size(beginning.len(), FRAME));
    };
    let length = u32::from_le_bytes(length.try_into().expect("four bytes")) as usize;
    let mut header = Vec::new();
    file.take(length as u64).read_to_end(&mut header).map_err(&failed)?;
    if header.len() < length {
        return Err(size(FIXED + header.len(), FRAME + length));
    }
    serde_json::from_slice(&header).map_err(|error| FileError::content(path, error))
}

/// Makes a folder, and those that it is in, where they are not there.
///
/// # Errors
/// If the system refuses, or a file has the name.
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    let said = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => io::Error::new(error.kind(), "a file has that name; expected a folder"),
        _ => error,
    };
    fs::create_dir_all(path).map_err(|error| FileError::system("make", path)(said(error)))
}

/// All bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(FileError::system("read", path))
}

/// Writes a file: it is there whole or, should anything fail, as it was before.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_whole(path, bytes).map_err(FileError::system("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: Magic = *b"TESTFILE";

    fn opened(bytes: &[u8]) -> Result<(String, &[u8]), FileError> {
        open(bytes, MAGIC, Path::new("some.file"))
    }

    #[test]
    fn what_is_sealed_can_be_opened_and_any_damage_is_named() {
        let bytes = seal(MAGIC, &"a header", b"the body");
        assert_eq!(opened(&bytes).unwrap(), ("a header".to_owned(), &b"the body"[..]));
        for length in 0..bytes.len() {
            let error = opened(&bytes[..length]).unwrap_err();
            assert!(error.is_damage() && error.to_string().contains("some.file"), "{error}");
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x10;
            assert_eq!(opened(&bad).unwrap_err().is_damage(), at >= MAGIC.len(), "byte {at}");
        }
        assert!(opened(&[&bytes[..], b"\n"].concat()).unwrap_err().is_damage());
        assert!(opened(b"#!/bin/sh").unwrap_err().to_string().contains("TESTFILE"));
    }

    #[test]
    fn a_foreign_header_is_no_damage() {
        let bytes = seal(MAGIC, &17, b"");
        let error = opened(&bytes).unwrap_err();
        assert!(matches!(&error, FileError::Content { .. }) && !error.is_damage(), "{error}");
    }
}
