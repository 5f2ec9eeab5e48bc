//! Files of samples: the [container] of training with the magic `EMISAMP2`, a [`ChunkHeader`], and 22 bytes
//! for each sample.

use super::container::{self, FileError, Magic};
use super::sample::Sample;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

const MAGIC: Magic = *b"EMISAMP2";
/// The ending of the files' names.
const EXTENSION: &str = "samples";

/// What made a chunk, apart from which games are in it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Origin {
    /// The command: `selfplay` or `label`.
    pub command: String,
    /// The evaluator's name.
    pub evaluator: String,
    /// [Fingerprint](crate::eval::fingerprint()) of its values.
    pub fingerprint: String,
    /// Seed of everything random.
    pub seed: u64,
    /// The command's settings.
    pub settings: serde_json::Value,
}

/// The head of a file of samples.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ChunkHeader {
    /// How the samples came to be.
    pub origin: Origin,
    /// Emilia's version.
    pub version: String,
    /// The number of the first game.
    pub first_game: u64,
    /// How many games they come from.
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

impl Chunk {
    /// Whether it has games from their beginnings on; labels are positions beside games.
    pub fn is_play(&self) -> bool {
        self.header.origin.command == "selfplay"
    }

    /// The name of the file that holds a chunk.
    pub fn file_name(number: u64) -> String {
        format!("{number:06}.{EXTENSION}")
    }

    /// The number in such a name; `None` if [`Chunk::file_name`] gives no such name.
    pub fn number(path: &Path) -> Option<u64> {
        let number = path.file_stem()?.to_str()?.parse().ok()?;
        (path.file_name()?.to_str()? == Chunk::file_name(number)).then_some(number)
    }

    /// Writes a file: it is there whole or, should anything fail, as it was before.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        container::write(path, &self.bytes())
    }

    fn bytes(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.samples.len() * Sample::BYTES);
        for sample in &self.samples {
            sample.write(self.header.first_game, &mut body);
        }
        container::seal(MAGIC, &self.header, &body)
    }

    /// Reads the head of a file alone. Whether it is damaged is not known then.
    pub fn read_header(path: &Path) -> Result<ChunkHeader, FileError> {
        container::read_header(path, MAGIC)
    }

    /// Reads a file and checks all of it.
    pub fn read(path: &Path) -> Result<Chunk, FileError> {
        Chunk::parse(&container::read(path)?, path)
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Chunk, FileError> {
        let (header, body): (ChunkHeader, _) = container::open(bytes, MAGIC, path)?;
        let (samples, rest) = body.as_chunks::<{ Sample::BYTES }>();
        if !rest.is_empty() {
            return Err(FileError::content(path, format!("{} bytes are no whole samples", body.len())));
        }
        let samples = samples.iter().enumerate().map(|(i, bytes)| {
            Sample::read(bytes, header.first_game)
                .ok_or_else(|| FileError::content(path, format!("sample {i} is no position with a score")))
        });
        Ok(Chunk { samples: samples.collect::<Result<_, _>>()?, header })
    }

    /// The files of samples in a folder, in the order of their names.
    ///
    /// # Errors
    /// If the folder cannot be read, or has none.
    pub fn files(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
        let failed = FileError::system("read", folder);
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(&failed)? {
            let path = entry.map_err(&failed)?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                files.push(path);
            }
        }
        files.sort();
        if files.is_empty() { Err(FileError::Empty(folder.to_owned())) } else { Ok(files) }
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
    fn a_file_comes_back() {
        let chunk = chunk();
        assert_eq!(Chunk::parse(&chunk.bytes(), Path::new("a.samples")).unwrap(), chunk);
        assert_eq!(Chunk::number(Path::new("folder/000120.samples")), Some(120));
        assert_eq!(Chunk::number(Path::new(&Chunk::file_name(1_234_567))), Some(1_234_567));
        for name in ["1.samples", "+00001.samples", "0000001.samples", "000001.sample", "first.samples"] {
            assert_eq!(Chunk::number(Path::new(name)), None, "{name}");
        }
    }

    #[test]
    fn a_head_is_read_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.samples");
        let bytes = chunk().bytes();
        for length in [bytes.len(), bytes.len() - 5] {
            fs::write(&path, &bytes[..length]).unwrap();
            assert_eq!(Chunk::read_header(&path).unwrap(), chunk().header);
        }
        for length in [0, 7, 19, 30] {
            fs::write(&path, &bytes[..length]).unwrap();
            assert!(Chunk::read_header(&path).is_err(), "{length}");
        }
        fs::write(&path, b"#!/bin/sh, and more than twenty bytes").unwrap();
        assert!(matches!(Chunk::read_header(&path), Err(FileError::Foreign { .. })));
    }

    #[test]
    fn what_no_version_writes_is_refused() {
        let header = chunk().header;
        for (body, expected) in [(&[0; 21][..], "21 bytes"), (&[0xff; 44][..], "sample 0")] {
            let bytes = container::seal(MAGIC, &header, body);
            let error = Chunk::parse(&bytes, Path::new("a.samples")).unwrap_err();
            assert!(error.to_string().contains(expected) && !error.is_damage(), "{error}");
        }
    }
}
