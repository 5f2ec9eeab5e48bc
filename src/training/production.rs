//! Many files of samples, made by several threads, in several shards, as often interrupted as may be.
//!
//! The unit of work is the chunk, a file. Chunk `c` of a folder is always the same, so that it does not matter who makes it or
//! when: a run makes the ones of its shard that are missing.

use super::chunk::{Chunk, ChunkHeader, Origin};
use super::container::FileError;
use super::sample::Sample;
use parking_lot::Mutex;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use thiserror::Error;

/// The part of the chunks that one run makes: those whose number leaves the rest `index` when divided by `count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Default for Shard {
    fn default() -> Shard {
        Shard { index: 0, count: 1 }
    }
}

/// Not a shard.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("'{0}' is no shard; expected I/N with I from 0 to N-1, such as 0/2")]
pub struct ShardError(String);

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let shard = parts.filter(|(index, count)| index < count).map(|(index, count)| Shard { index, count });
        shard.ok_or_else(|| ShardError(text.to_owned()))
    }
}

impl Shard {
    fn holds(self, chunk: u64) -> bool {
        chunk % self.count == self.index
    }
}

/// Makes the samples of one chunk after another; each thread has its own.
pub trait ChunkMaker: Send {
    /// The samples of a chunk, the same whatever was made before; `None` if `stop` was raised meanwhile. `tick` is to be
    /// called after each game with the samples it gave.
    fn make(&mut self, chunk: u64, stop: &AtomicBool, tick: &dyn Fn(usize)) -> Result<Option<Vec<Sample>>, FileError>;
}

/// What is to be made, and where.
#[derive(Clone, Debug)]
pub struct Production {
    /// Where the files go; created if it does not exist.
    pub folder: PathBuf,
    /// How the samples come to be. Files of another origin are refused.
    pub origin: Origin,
    /// The numbers of the chunks of the whole folder.
    pub chunks: Vec<u64>,
    /// Games in each, at most 65536.
    pub games_per_chunk: u32,
    /// Which of them this run makes.
    pub shard: Shard,
    /// Threads, at least 1.
    pub threads: usize,
}

/// How far a production has come, in games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Found in the folder when it began.
    pub found: u64,
    /// Found and made.
    pub games: u64,
    /// To be made and found in all, by this shard.
    pub of: u64,
    /// Samples made by this run.
    pub samples: u64,
}

/// Why samples cannot be made.
#[derive(Debug, Error)]
pub enum ProductionError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Samples of one folder have one origin.
    #[error(
        "'{path}' was made in another way; use another folder, or the same evaluator, seed and settings\n  there: {there}\n  asked: {asked}"
    )]
    OtherOrigin {
        /// The file.
        path: PathBuf,
        /// Its origin.
        there: String,
        /// What was to be made.
        asked: String,
    },
}

impl Production {
    /// Makes what is missing. Returns early, without error, if `stop` is raised; chunks begun are then lost, those finished
    /// are not. The first error ends it.
    pub fn run<M: ChunkMaker>(
        &self,
        maker: impl Fn() -> M + Sync,
        stop: &AtomicBool,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<Progress, ProductionError> {
        fs::create_dir_all(&self.folder).map_err(FileError::system("make", &self.folder))?;
        let (found, missing) = self.survey()?;
        let games = |chunks: usize| chunks as u64 * u64::from(self.games_per_chunk);
        let base = Progress { found: games(found), games: games(found), of: games(found + missing.len()), samples: 0 };
        progress(base);
        let (made_games, made_samples, next) = (AtomicU64::new(0), AtomicU64::new(0), AtomicUsize::new(0));
        let now = || Progress {
            games: base.games + made_games.load(Ordering::Relaxed),
            samples: made_samples.load(Ordering::Relaxed),
            ..base
        };
        let tick = |samples: usize| {
            made_games.fetch_add(1, Ordering::Relaxed);
            made_samples.fetch_add(samples as u64, Ordering::Relaxed);
            progress(now());
        };
        // Raised by the user or by the first error.
        let halt = || stop.load(Ordering::Relaxed);
        let error = Mutex::new(None);
        let work = || {
            let mut maker = maker();
            while !halt() && error.lock().is_none() {
                let Some(&chunk) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let made = maker.make(chunk, stop, &tick).and_then(|samples| match samples {
                    Some(samples) => {
                        let header = self.header(chunk);
                        Chunk { header, samples }.write(&self.path(chunk))
                    }
                    None => Ok(()),
                });
                if let Err(first) = made {
                    error.lock().get_or_insert(first);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(missing.len()) {
                scope.spawn(work);
            }
            work();
        });
        match error.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(now()),
        }
    }

    /// How many chunks of the shard are there, and the numbers of those that are not.
    fn survey(&self) -> Result<(usize, Vec<u64>), ProductionError> {
        let (mut found, mut missing) = (0, Vec::new());
        for chunk in self.chunks.iter().copied().filter(|&chunk| self.shard.holds(chunk)) {
            let path = self.path(chunk);
            if !path.exists() {
                missing.push(chunk);
                continue;
            }
            match Chunk::read(&path) {
                Ok(there) if self.is_mine(&there.header, chunk) => found += 1,
                Ok(there) => return Err(self.other_origin(&path, &there.header, chunk)),
                Err(error) if error.is_damage() => {
                    log::warn!("{error}; making it again");
                    missing.push(chunk);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok((found, missing))
    }

    fn path(&self, chunk: u64) -> PathBuf {
        self.folder.join(Chunk::file_name(chunk))
    }

    fn header(&self, chunk: u64) -> ChunkHeader {
        ChunkHeader {
            origin: self.origin.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            first_game: chunk * u64::from(self.games_per_chunk),
            games: self.games_per_chunk,
        }
    }

    /// Another version's file is as good as this one's.
    fn is_mine(&self, header: &ChunkHeader, chunk: u64) -> bool {
        let expected = self.header(chunk);
        ChunkHeader { version: expected.version.clone(), ..header.clone() } == expected
    }

    fn other_origin(&self, path: &Path, there: &ChunkHeader, chunk: u64) -> ProductionError {
        let text = |header: &ChunkHeader| serde_json::to_string(header).expect("a header has only strings as keys");
        ProductionError::OtherOrigin { path: path.to_owned(), there: text(there), asked: text(&self.header(chunk)) }
    }
}
