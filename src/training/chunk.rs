//! Files of samples.
//!
//! ```text
//! 8 bytes   magic "EMISAMP1"
//! 4 bytes   length of the header, little-endian
//! header    JSON: who made the samples and how (ChunkHeader)
//! 8 bytes   number of samples, little-endian
//! samples   20 bytes each, see Sample
//! 4 bytes   CRC-32 (IEEE) of everything before, little-endian
//! ```
//!
//! A file is written aside and renamed, so that one that has its name is whole unless the disk damaged it, which the
//! checksum tells.

use super::sample::Sample;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

const MAGIC: &[u8; 8] = b"EMISAMP1";
/// The ending of the files' names.
const EXTENSION: &str = "samples";
/// A header is a few hundred bytes; a length beyond this is damage.
const MOST_HEADER_BYTES: usize = 1 << 16;

/// What made a chunk, apart from which games are in it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// The command: `selfplay` or `label`.
    pub command: String,
    /// The evaluator's name.
    pub evaluator: String,
    /// [Fingerprint](crate::training::fingerprint) of its values.
    pub fingerprint: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The command's settings.
    pub settings: serde_json::Value,
}

/// The head of a file of samples.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChunkHeader {
    /// How the samples came to be.
    pub origin: Origin,
    /// Emilia's version.
    pub version: String,
    /// The number of the first game.
    pub first_game: u64,
    /// How many games were played.
    pub games: u32,
}

/// A file of samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Chunk {
    /// Who made them and how.
    pub header: ChunkHeader,
    /// In the order of games and, within one, of play.
    pub samples: Vec<Sample>,
}

/// Why a file of samples cannot be read or written.
#[derive(Debug, Error)]
pub enum ChunkError {
    /// The operating system said no.
    #[error("cannot {action} '{path}': {source}")]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// Not a file of samples.
    #[error("'{0}' is not a file of samples: it does not begin with {magic}", magic = MAGIC.escape_ascii())]
    Foreign(PathBuf),
    /// The file ends too early or goes on too long.
    #[error("'{path}' is damaged: {found} bytes, expected {expected}")]
    Size {
        /// The file.
        path: PathBuf,
        /// Its size.
        found: usize,
        /// What its header announces.
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
}

impl ChunkError {
    /// Whether the file was once a good one: to make it again loses nothing.
    pub fn is_damage(&self) -> bool {
        matches!(self, ChunkError::Size { .. } | ChunkError::Checksum { .. })
    }
}

impl Chunk {
    /// The name of the file that holds a chunk.
    pub fn file_name(number: u64) -> String {
        format!("{number:06}.{EXTENSION}")
    }

    /// Writes the file aside, waits until the disk has it, and gives it its name.
    pub fn write(&self, path: &Path) -> Result<(), ChunkError> {
        let aside = path.with_extension("partial");
        let failed = |source| ChunkError::File { action: "write", path: path.to_owned(), source };
        let written = File::create(&aside).and_then(|mut file| {
            file.write_all(&self.bytes())?;
            file.sync_all()
        });
        let renamed = written.and_then(|()| fs::rename(&aside, path));
        renamed.map_err(|error| {
            // Half a file would only take room, which may be what was missing.
            let _ = fs::remove_file(&aside);
            failed(error)
        })
    }

    fn bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&self.header).expect("a header has only strings as keys");
        let mut bytes = Vec::with_capacity(24 + header.len() + self.samples.len() * Sample::BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&(self.samples.len() as u64).to_le_bytes());
        for sample in &self.samples {
            sample.write(self.header.first_game, &mut bytes);
        }
        bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a file and checks all of it.
    pub fn read(path: &Path) -> Result<Chunk, ChunkError> {
        let bytes =
            fs::read(path).map_err(|source| ChunkError::File { action: "read", path: path.to_owned(), source })?;
        Chunk::parse(&bytes, path)
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Chunk, ChunkError> {
        let size = |expected| ChunkError::Size { path: path.to_owned(), found: bytes.len(), expected };
        let content = |what: &str| ChunkError::Content { path: path.to_owned(), what: what.to_owned() };
        let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(ChunkError::Foreign(path.to_owned())) };
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return Err(size(24)) };
        let length = (u32::from_le_bytes(*length) as usize).min(MOST_HEADER_BYTES);
        let Some((header, rest)) = rest.split_at_checked(length) else { return Err(size(24 + length)) };
        let Some((count, rest)) = rest.split_first_chunk::<8>() else { return Err(size(24 + length)) };
        let expected = usize::try_from(u64::from_le_bytes(*count)).unwrap_or(usize::MAX).saturating_mul(Sample::BYTES);
        let expected = expected.saturating_add(24 + length);
        if bytes.len() != expected {
            return Err(size(expected));
        }
        let (samples, checksum) = rest.split_last_chunk::<4>().ok_or_else(|| size(expected))?;
        let (found, expected) = (crc32fast::hash(&bytes[..bytes.len() - 4]), u32::from_le_bytes(*checksum));
        if found != expected {
            return Err(ChunkError::Checksum { path: path.to_owned(), found, expected });
        }
        let header: ChunkHeader = serde_json::from_slice(header).map_err(|error| content(&error.to_string()))?;
        let (samples, _) = samples.as_chunks::<{ Sample::BYTES }>();
        let samples = samples.iter().enumerate().map(|(i, bytes)| {
            Sample::read(bytes, header.first_game).ok_or_else(|| content(&format!("sample {i} is no position")))
        });
        Ok(Chunk { samples: samples.collect::<Result<_, _>>()?, header })
    }

    /// The files of samples in a folder, in the order of their names.
    pub fn files(folder: &Path) -> Result<Vec<PathBuf>, ChunkError> {
        let failed = |source| ChunkError::File { action: "read", path: folder.to_owned(), source };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_position;
    use crate::training::LabelKind;

    fn chunk() -> Chunk {
        let origin = Origin {
            command: "selfplay".to_owned(),
            evaluator: "mobility".to_owned(),
            fingerprint: "00c0ffee".to_owned(),
            seed: 7,
            settings: serde_json::json!({ "depth": 4 }),
        };
        let header = ChunkHeader { origin, version: "0.1.0".to_owned(), first_game: 3000, games: 50 };
        let sample = |i| Sample::new(&random_position(i, 20), i as i8, LabelKind::GameResult, 3000 + i);
        Chunk { header, samples: (0..50).map(sample).collect() }
    }

    #[test]
    fn a_file_comes_back_and_any_damage_is_named() {
        let chunk = chunk();
        let bytes = chunk.bytes();
        let path = Path::new("a.samples");
        assert_eq!(Chunk::parse(&bytes, path).unwrap(), chunk);
        for length in 0..bytes.len() {
            let error = Chunk::parse(&bytes[..length], path).unwrap_err();
            assert!(error.to_string().contains("a.samples"), "{error}");
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 0x10;
            assert!(Chunk::parse(&bad, path).is_err(), "byte {at} changed");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(Chunk::parse(&longer, path).unwrap_err().is_damage());
    }

    #[test]
    fn a_foreign_header_is_told_from_damage() {
        let mut bytes = chunk().bytes();
        let at = bytes.windows(6).position(|w| w == b"origin").unwrap();
        bytes[at] = b'O';
        let end = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&checksum);
        let error = Chunk::parse(&bytes, Path::new("a.samples")).unwrap_err();
        assert!(matches!(&error, ChunkError::Content { what, .. } if what.contains("origin")), "{error}");
        assert!(!error.is_damage());
    }
}
