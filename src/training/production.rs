//! Many files of samples, made by several threads, in several shards, as often interrupted as may be.
//!
//! The unit of work is the chunk, a file. Chunk `c` of a folder is always the same, so that it does not matter who makes it or
//! when: a run makes the ones of its shard that are missing.

use super::chunk::{Chunk, ChunkHeader, Origin};
use super::container::{FileError, make_folder};
use super::sample::Sample;
use crate::shard::{Difference, Shard, difference};
use parking_lot::Mutex;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use thiserror::Error;

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
pub struct ProductionProgress {
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
    /// The files of one folder have the same number of games.
    #[error("'{path}' has {there} games, and files of {asked} were asked for; add --chunk {there}, or use another folder", path = .path.display())]
    OtherLength {
        /// The file.
        path: PathBuf,
        /// Its games.
        there: u32,
        /// The games that were to be made.
        asked: u32,
    },
    /// Samples of one folder have one origin.
    #[error(
        "'{path}' was made in another way: its {name} is {there}, and {asked} was asked for; use another folder, or the same evaluator, seed and settings",
        path = .path.display()
    )]
    OtherOrigin {
        /// The file.
        path: PathBuf,
        /// What differs first.
        name: String,
        /// What it is in the file.
        there: String,
        /// What it was to be.
        asked: String,
    },
}

impl Production {
    /// Makes what is missing, and returns what there is then. Returns early, without error, if `stop` is raised; chunks
    /// begun are then lost, those finished are not. `progress` is called for every game, also for those that are lost
    /// later.
    ///
    /// # Errors
    /// If a file cannot be read or written, or is of another origin. The first error ends the run.
    pub fn run<M: ChunkMaker>(
        &self,
        maker: impl Fn() -> M + Sync,
        stop: &AtomicBool,
        progress: &(dyn Fn(ProductionProgress) + Sync),
    ) -> Result<ProductionProgress, ProductionError> {
        make_folder(&self.folder)?;
        let (found, missing) = self.survey()?;
        let games = |chunks: usize| chunks as u64 * u64::from(self.games_per_chunk);
        let base = ProductionProgress {
            found: games(found),
            games: games(found),
            of: games(found + missing.len()),
            samples: 0,
        };
        progress(base);
        let (played, written, next) = (Counter::default(), Counter::default(), AtomicUsize::new(0));
        let tick = |samples: usize| {
            played.add(1, samples);
            progress(played.behind(base));
        };
        let error = Mutex::new(None);
        let work = || {
            let mut maker = maker();
            while !stop.load(Ordering::Relaxed) && error.lock().is_none() {
                let Some(&chunk) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                let made = maker.make(chunk, stop, &tick).and_then(|samples| match samples {
                    Some(samples) => {
                        let (header, count) = (self.header(chunk), samples.len());
                        let result = Chunk { header, samples }.write(&self.path(chunk));
                        result.inspect(|()| written.add(self.games_per_chunk.into(), count))
                    }
                    None => Ok(()),
                });
                if let Err(first) = made {
                    error.lock().get_or_insert(first);
                }
            }
        };
        std::thread::scope(|scope| {
            let threads = self.threads.min(missing.len());
            for helper in 1..threads {
                if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, work) {
                    log::warn!("only {helper} of {threads} threads could be started: {error}");
                    break;
                }
            }
            work();
        });
        match error.into_inner() {
            Some(error) => Err(error.into()),
            None => Ok(written.behind(base)),
        }
    }

    /// How many chunks of the shard are there, and the numbers of those that are not.
    fn survey(&self) -> Result<(usize, Vec<u64>), ProductionError> {
        self.expect_one_origin()?;
        let (mut found, mut missing) = (0, Vec::new());
        for chunk in self.chunks.iter().copied().filter(|&chunk| self.shard.holds(chunk)) {
            let path = self.path(chunk);
            if !path.exists() {
                missing.push(chunk);
                continue;
            }
            match Chunk::read(&path) {
                Ok(there) if self.is_mine(&there.header, chunk) => found += 1,
                Ok(there) => return Err(self.other_origin(&path, &there.header, self.header(chunk).first_game)),
                Err(error) if error.is_damage() => {
                    log::warn!("{error}; making it again");
                    missing.push(chunk);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok((found, missing))
    }

    /// An error if a file of the folder, whatever its number, has another origin or another number of games.
    fn expect_one_origin(&self) -> Result<(), ProductionError> {
        let files = match Chunk::files(&self.folder) {
            Err(FileError::Empty(_)) => return Ok(()),
            files => files?,
        };
        let is_like_mine = |there: &ChunkHeader| there.origin == self.origin && there.games == self.games_per_chunk;
        for path in files.iter().filter(|path| !Chunk::read_header(path).is_ok_and(|there| is_like_mine(&there))) {
            // The header of a damaged file may say anything. Who has to make that file will name it.
            match Chunk::read(path) {
                Ok(Chunk { header, .. }) if !is_like_mine(&header) => {
                    return Err(self.other_origin(path, &header, header.first_game));
                }
                Err(error) if !error.is_damage() => return Err(error.into()),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(())
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

    /// What is wrong with a file that is to begin with this game.
    fn other_origin(&self, path: &Path, there: &ChunkHeader, first_game: u64) -> ProductionError {
        let path = path.to_owned();
        if there.origin == self.origin && there.games != self.games_per_chunk {
            return ProductionError::OtherLength { path, there: there.games, asked: self.games_per_chunk };
        }
        let value = |origin: &Origin| serde_json::to_value(origin).expect("an origin has only strings as keys");
        let of_games = || ("first game".to_owned(), there.first_game.to_string(), first_game.to_string());
        let differs = difference_within(&value(&there.origin), &value(&self.origin));
        let (name, there, asked) = differs.unwrap_or_else(of_games);
        ProductionError::OtherOrigin { path, name, there, asked }
    }
}

/// What is different first in two values, with the names of all objects that it is in.
fn difference_within(one: &Value, other: &Value) -> Option<Difference> {
    let (name, there, asked) = difference(one, other)?;
    Some(match difference_within(&one[&name], &other[&name]) {
        Some((inner, there, asked)) => (format!("{name}.{inner}"), there, asked),
        None => (name, there, asked),
    })
}

/// Games and their samples, counted by several threads.
#[derive(Default)]
struct Counter {
    games: AtomicU64,
    samples: AtomicU64,
}

impl Counter {
    fn add(&self, games: u64, samples: usize) {
        self.games.fetch_add(games, Ordering::Relaxed);
        self.samples.fetch_add(samples as u64, Ordering::Relaxed);
    }

    /// Where a production stands that began here.
    fn behind(&self, base: ProductionProgress) -> ProductionProgress {
        let games = base.games + self.games.load(Ordering::Relaxed);
        ProductionProgress { games, samples: self.samples.load(Ordering::Relaxed), ..base }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use crate::training::LabelKind;
    use std::collections::BTreeSet;
    use std::fs;
    use tempfile::{TempDir, tempdir};

    /// One sample for each game, whose score is the chunk's number.
    struct Fake {
        games: u64,
        made: Mutex<BTreeSet<u64>>,
        /// The stop signal is raised while this chunk is made, behind its first game.
        interrupt_at: Option<u64>,
    }

    impl ChunkMaker for &Fake {
        fn make(
            &mut self,
            chunk: u64,
            stop: &AtomicBool,
            tick: &dyn Fn(usize),
        ) -> Result<Option<Vec<Sample>>, FileError> {
            if self.interrupt_at == Some(chunk) {
                tick(1);
                stop.store(true, Ordering::Relaxed);
                return Ok(None);
            }
            self.made.lock().insert(chunk);
            let sample = |i| {
                tick(1);
                Sample::new(&Position::START, chunk as i8, LabelKind::Exact, chunk * self.games + i)
            };
            Ok(Some((0..self.games).map(sample).collect()))
        }
    }

    fn production(within: &TempDir, chunks: u64) -> Production {
        let folder = within.path().join("samples");
        let settings = serde_json::json!({ "depth": 1 });
        let origin = Origin { command: "selfplay".to_owned(), settings, ..Origin::default() };
        let chunks = (0..chunks).collect();
        Production { folder, origin, chunks, games_per_chunk: 3, shard: Shard::default(), threads: 2 }
    }

    fn run(
        production: &Production,
        interrupt_at: Option<u64>,
    ) -> (Result<ProductionProgress, ProductionError>, Vec<u64>) {
        let fake = Fake { games: 3, made: Mutex::default(), interrupt_at };
        let stop = AtomicBool::new(false);
        let result = production.run(|| &fake, &stop, &|now| assert!(now.games <= now.of));
        (result, fake.made.into_inner().into_iter().collect())
    }

    #[test]
    fn a_run_makes_what_is_missing() {
        let folder = tempdir().unwrap();
        let whole = production(&folder, 10);
        let half = Production { threads: 1, ..whole.clone() };
        let (done, made) = run(&half, Some(4));
        // A game of a chunk that was not finished is lost.
        assert_eq!(done.unwrap(), ProductionProgress { found: 0, games: 12, of: 30, samples: 12 });
        assert_eq!(made, [0, 1, 2, 3]);
        // A chunk damaged meanwhile, and the leavings of a killed run.
        let path = whole.path(2);
        let before = fs::read(&path).unwrap();
        fs::write(&path, &before[..before.len() / 2]).unwrap();
        fs::write(path.with_extension("samples.1.part"), b"half").unwrap();
        let (done, made) = run(&Production { shard: "1/2".parse().unwrap(), ..whole.clone() }, None);
        assert_eq!(made, [5, 7, 9]);
        assert_eq!(done.unwrap(), ProductionProgress { found: 6, games: 15, of: 15, samples: 9 });
        let (done, made) = run(&whole, None);
        assert_eq!(made, [2, 4, 6, 8]);
        assert_eq!(done.unwrap(), ProductionProgress { found: 18, games: 30, of: 30, samples: 12 });
        assert_eq!(fs::read(&path).unwrap(), before);
        assert!(run(&whole, None).1.is_empty());
        assert_eq!(Chunk::files(&whole.folder).unwrap().len(), 10);
    }

    #[test]
    fn a_folder_has_one_origin() {
        let folder = tempdir().unwrap();
        let first = production(&folder, 2);
        run(&first, None).0.unwrap();
        let mut second = first.clone();
        second.origin.settings = serde_json::json!({ "depth": 2 });
        let error = run(&second, None).0.unwrap_err().to_string();
        assert!(error.contains("000000.samples' was made in another way: its settings.depth is 1, and 2"), "{error}");
        // Only the first file is there when the other shard is made.
        fs::remove_file(first.path(1)).unwrap();
        let half = |production: &Production| Production { shard: "1/2".parse().unwrap(), ..production.clone() };
        let error = run(&half(&second), None).0.unwrap_err().to_string();
        assert!(error.contains("000000.samples") && error.contains("settings.depth"), "{error}");
        let other_length = Production { games_per_chunk: 4, ..half(&first) };
        assert!(matches!(run(&other_length, None).0, Err(ProductionError::OtherLength { there: 3, asked: 4, .. })));
        // A damaged file of another shard may say anything.
        let bytes = fs::read(first.path(0)).unwrap();
        let at = bytes.windows(5).position(|bytes| bytes == b"depth").unwrap();
        for (place, byte) in [(at, b'D'), (at - 1, b'x')] {
            let mut bad = bytes.clone();
            bad[place] = byte;
            fs::write(first.path(0), &bad).unwrap();
            assert_eq!(run(&half(&first), None).1, [1]);
            fs::remove_file(first.path(1)).unwrap();
        }
        fs::write(first.path(1), &bytes).unwrap();
        let error = run(&half(&first), None).0.unwrap_err().to_string();
        assert!(error.contains("000001.samples' was made in another way: its first game is 0, and 3"), "{error}");
    }

    #[test]
    fn what_cannot_be_written_is_an_error_and_loses_nothing() {
        let folder = tempdir().unwrap();
        let production = production(&folder, 4);
        fs::create_dir_all(production.path(2).join("in the way")).unwrap();
        let alone = Production { threads: 1, ..production.clone() };
        // A folder where a file is expected cannot be read as one.
        assert!(matches!(run(&alone, None).0, Err(ProductionError::File(FileError::System { .. }))));
        fs::remove_dir_all(production.path(2)).unwrap();
        assert_eq!(run(&alone, None).1, [0, 1, 2, 3]);
        fs::remove_dir_all(&production.folder).unwrap();
        fs::write(&production.folder, b"a file").unwrap();
        let error = run(&alone, None).0.unwrap_err().to_string();
        assert!(error.contains("cannot make") && error.contains("a file has that name; expected a folder"), "{error}");
    }
}
