//! A file of results that grows while the work goes on, and can be taken up again after whatever ended it.
//!
//! Results are appended to `FILE.partial`, whole lines in one write. `FILE` itself is there only once it is complete. A line
//! that was torn when the process was killed is cut off, and its item done again.

use super::Totals;
use super::shard_file::{Job, ShardEnd, ShardFile, ShardFileError, begin_line, end_line};
use crate::line_log::{LineLog, LineLogError};
use crate::shard::Shard;
use crate::whole_file::WholeFile;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Items that have their results: the number, from 1, and for answers to queries the turn.
pub type Done = HashSet<(u64, Option<u64>)>;

/// Why there is no such file.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be gone on with.
    #[error(transparent)]
    Log(#[from] LineLogError),
    /// The file of this path is no file of results.
    #[error("'{path}': {1}", path = .0.display())]
    Content(PathBuf, ShardFileError),
    /// The file of this path has a second result of an item, or for queries of a turn of it.
    #[error("'{path}': line {line}: a second result of item {number}; remove one of them")]
    ItemTwice {
        /// The file.
        path: PathBuf,
        /// The line of the second result, from 1.
        line: u64,
        /// The item, from 1.
        number: u64,
    },
    /// The file of this path has a result of an item that the input does not have: it was made from another one.
    #[error("'{path}': a result of item {last}, but there are only {items}: it was begun with another input", path = .path.display())]
    ItemBeyond {
        /// The file.
        path: PathBuf,
        /// The item, from 1.
        last: u64,
        /// The items of the input.
        items: u64,
    },
}

/// The file while it grows.
#[derive(Debug)]
pub struct Journal {
    /// What it will be called.
    path: PathBuf,
    partial: LineLog,
    shard: Shard,
    /// The length of the first line.
    beginning: u64,
    results: u64,
    /// The greatest item of the results that were there.
    last: u64,
    /// Whether the results are followed by their sums.
    has_totals: bool,
}

/// What there was to be taken up.
#[derive(Debug)]
pub enum Opened {
    /// The file is complete: nothing is left to do.
    Complete {
        /// Whether it names its job, which is this one. The file of a whole job does not.
        is_named: bool,
    },
    /// Results are to be appended; these items have theirs already.
    Growing(Box<Journal>, Done),
}

impl Journal {
    /// Begins a file, or goes on with one that an earlier run of the same job has left, if `resume` says so.
    pub fn open(path: &Path, shard: Shard, job: &Job, resume: bool) -> Result<Opened, JournalError> {
        if resume && path.exists() {
            return is_of(path, shard, job).map(|is_named| Opened::Complete { is_named });
        }
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        let partial = LineLog::open_unread(name.into(), resume)?;
        let kept = kept(BufReader::new(&partial.file), shard, job, partial.path())?;
        let begin = begin_line(shard, job);
        let mut journal = Journal {
            path: path.to_owned(),
            shard,
            beginning: if kept.length == 0 { begin.len() as u64 } else { kept.beginning },
            results: kept.results,
            last: kept.done.iter().map(|&(number, _)| number).max().unwrap_or(0),
            has_totals: job.command == super::SOLVE,
            partial,
        };
        journal.partial.keep(kept.length, &begin)?;
        Ok(Opened::Growing(Box::new(journal), kept.done))
    }

    /// Appends results, each a whole line. Should that fail, for want of room perhaps, the file ends behind the last line
    /// that is whole.
    pub fn append(&mut self, lines: &str) -> Result<(), JournalError> {
        self.partial.append(lines)?;
        self.results += lines.bytes().filter(|&byte| byte == b'\n').count() as u64;
        Ok(())
    }

    /// Removes the file, as far as that is possible.
    pub fn discard(self) {
        if let Err(error) = fs::remove_file(self.partial.path()) {
            log::warn!("cannot remove '{}': {error}", self.partial.path().display());
        }
    }

    /// Gives the results their file. A shard of several gets its last line, which says that it is complete; a whole job is
    /// written without the first line, which names it. The input has this number of items.
    ///
    /// Returns the sums over solutions; `None` for other jobs.
    pub fn finish(mut self, items: u64, checksum: u32) -> Result<Option<Totals>, JournalError> {
        if self.last > items {
            let path = self.partial.path().to_owned();
            return Err(JournalError::ItemBeyond { path, last: self.last, items });
        }
        let mut begin = self.beginning;
        if self.shard.count() > 1 {
            let ending = ShardEnd { items, results: self.results, checksum };
            self.partial.append(&end_line(self.shard, ending))?;
            begin = 0;
        }
        let totals = match begin == 0 && fs::symlink_metadata(&self.path).is_err() {
            true => self.rename(),
            false => self.copy(begin).and_then(|totals| fs::remove_file(self.partial.path()).map(|()| totals)),
        };
        Ok(totals.map_err(|error| self.partial.failure(error))?)
    }

    /// Gives the file its name as it is: a copy would need as much room again.
    fn rename(&mut self) -> io::Result<Option<Totals>> {
        self.partial.file.seek(SeekFrom::Start(0))?;
        let mut results = BufReader::new(&self.partial.file);
        let totals = self.has_totals.then(|| count(&mut results, &mut io::sink())).transpose()?;
        self.partial.file.sync_all()?;
        fs::rename(self.partial.path(), &self.path).map(|()| totals)
    }

    /// Writes everything from this byte on to the file, and behind the results of a whole job their sums.
    fn copy(&mut self, begin: u64) -> io::Result<Option<Totals>> {
        self.partial.file.seek(SeekFrom::Start(begin))?;
        let mut whole = WholeFile::create(&self.path)?;
        let mut results = BufReader::new(&self.partial.file);
        let mut totals = None;
        if self.has_totals {
            let counted = count(&mut results, &mut whole)?;
            if self.shard.count() == 1 {
                whole.write_all(counted.line().as_bytes())?;
            }
            totals = Some(counted);
        } else {
            io::copy(&mut results, &mut whole)?;
        }
        whole.finish()?;
        Ok(totals)
    }
}

/// What is of use in a file of an earlier run.
#[derive(Default)]
struct Kept {
    /// The length of its first line.
    beginning: u64,
    /// The length of all lines.
    length: u64,
    done: Done,
    results: u64,
}

/// Finds what is of use in the file of this path.
fn kept(mut lines: impl BufRead, shard: Shard, job: &Job, path: &Path) -> Result<Kept, JournalError> {
    let content = |error| JournalError::Content(path.to_owned(), error);
    let (mut kept, mut there, mut line) = (Kept::default(), None, Vec::new());
    for number in 1.. {
        line.clear();
        lines.read_until(b'\n', &mut line).map_err(|error| LineLogError::Io(path.to_owned(), error))?;
        // What was torn is done again.
        if !line.ends_with(b"\n") {
            break;
        }
        let length = line.len() as u64;
        let Some(file) = &mut there else {
            there = Some(of_job(&line, shard, job, path)?);
            (kept.beginning, kept.length) = (length, length);
            continue;
        };
        if let Some(item) = file.add(&line, number).map_err(content)?
            && !kept.done.insert(item)
        {
            return Err(JournalError::ItemTwice { path: path.to_owned(), line: number, number: item.0 });
        }
        // An end without the name that goes with it is written again.
        kept.length += if file.ending.is_some() { 0 } else { length };
    }
    kept.results = there.map_or(0, |file| file.results);
    Ok(kept)
}

/// Reads the first line of a file of this path, which is to be of this shard of this job.
fn of_job(line: &[u8], shard: Shard, job: &Job, path: &Path) -> Result<ShardFile, JournalError> {
    let there = ShardFile::begin(line).map_err(|error| JournalError::Content(path.to_owned(), error))?;
    let difference = match there.shard == shard {
        true => there.job.difference(job),
        false => Some(("the shard".to_owned(), there.shard.to_string(), shard.to_string())),
    };
    match difference {
        Some((field, was, now)) => Err(LineLogError::OtherSettings { path: path.to_owned(), field, was, now }.into()),
        None => Ok(there),
    }
}

/// Whether a complete file names its job; one that names another is refused. A whole job is not named.
fn is_of(path: &Path, shard: Shard, job: &Job) -> Result<bool, JournalError> {
    let failed = |error| LineLogError::Io(path.to_owned(), error);
    let mut first = Vec::new();
    BufReader::new(File::open(path).map_err(failed)?).read_until(b'\n', &mut first).map_err(failed)?;
    match of_job(&first, shard, job, path) {
        Ok(_) => Ok(true),
        Err(JournalError::Content(_, ShardFileError::NoBeginning)) if shard.count() == 1 => Ok(false),
        Err(error) => Err(error),
    }
}

/// Counts solutions, a line each, and copies them.
fn count(lines: &mut impl BufRead, copy: &mut impl Write) -> io::Result<Totals> {
    let (mut totals, mut line) = (Totals::default(), String::new());
    while lines.read_line(&mut line)? > 0 {
        totals.add_line(&line)?;
        copy.write_all(line.as_bytes())?;
        line.clear();
    }
    Ok(totals)
}

/// The sums over the solutions of a file that is complete.
///
/// # Errors
/// If it cannot be read, or holds anything else.
pub fn totals_of(path: &Path) -> io::Result<Totals> {
    count(&mut BufReader::new(File::open(path)?), &mut io::sink())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn job(depth: u32) -> Job {
        Job::new("test", json!({ "depth": depth }))
    }

    fn growing(path: &Path, shard: &str, resume: bool) -> (Box<Journal>, Done) {
        match Journal::open(path, shard.parse().unwrap(), &job(3), resume).unwrap() {
            Opened::Growing(journal, done) => (journal, done),
            Opened::Complete { .. } => panic!("{} is complete", path.display()),
        }
    }

    fn result(number: u64) -> String {
        format!("{{\"number\":{number}}}\n")
    }

    #[test]
    fn a_run_goes_on_behind_the_last_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (mut journal, done) = growing(&path, "0/1", false);
        assert!(done.is_empty());
        journal.append(&(result(1) + &result(2))).unwrap();
        journal.partial.append("{\"number\":3,\"va").unwrap();
        let partial = journal.partial.path().to_owned();
        let open = |resume| Journal::open(&path, Shard::default(), &job(3), resume);
        assert!(matches!(open(true), Err(JournalError::Log(LineLogError::Busy(..)))));
        drop(journal);
        assert!(!path.exists());
        assert!(matches!(open(false), Err(JournalError::Log(LineLogError::Exists(..)))));
        let error = Journal::open(&path, Shard::default(), &job(4), true).unwrap_err().to_string();
        assert!(error.contains("depth was 3, and is now 4"), "{error}");
        let error = Journal::open(&path, "0/2".parse().unwrap(), &job(3), true).unwrap_err().to_string();
        assert!(error.contains("the shard was 0/1, and is now 0/2"), "{error}");
        let (mut journal, done) = growing(&path, "0/1", true);
        assert_eq!(done, Done::from([(1, None), (2, None)]));
        journal.append(&result(3)).unwrap();
        journal.finish(3, 7).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), result(1) + &result(2) + &result(3));
        assert!(!partial.exists());
        assert!(matches!(open(true), Ok(Opened::Complete { is_named: false })), "a whole job has only its results");
        let error = Journal::open(&path, "0/2".parse().unwrap(), &job(3), true).unwrap_err().to_string();
        assert!(error.contains("expected the beginning of a shard"), "{error}");
    }

    #[test]
    fn a_shard_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let (mut journal, _) = growing(&path, "1/2", false);
        journal.append(&result(2)).unwrap();
        // Killed behind the end, before the file had its name.
        let ending = ShardEnd { items: 2, results: 1, checksum: 7 };
        journal.partial.append(&end_line(journal.shard, ending)).unwrap();
        drop(journal);
        let (journal, done) = growing(&path, "1/2", true);
        assert_eq!(done, Done::from([(2, None)]));
        #[cfg(unix)]
        let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
        #[cfg(unix)]
        let before = inode(journal.partial.path());
        journal.finish(2, 7).unwrap();
        #[cfg(unix)]
        assert_eq!(inode(&path), before, "a copy would need as much room again");
        let text = fs::read_to_string(&path).unwrap();
        let (file, _) = ShardFile::parse(&text).unwrap();
        assert_eq!((file.results, file.ending.map(|ending| ending.items)), (1, Some(2)));
        // Complete, and of one job only.
        let open = |shard: &str, depth| Journal::open(&path, shard.parse().unwrap(), &job(depth), true);
        assert!(matches!(open("1/2", 3), Ok(Opened::Complete { is_named: true })));
        for (shard, depth, part) in [
            ("1/2", 4, "depth was 3, and is now 4"),
            ("0/2", 3, "the shard was 1/2, and is now 0/2"),
            ("0/1", 3, "the shard was 1/2, and is now 0/1"),
        ] {
            let error = open(shard, depth).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_file_of_results_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let partial = folder.path().join("out.partial");
        for (text, expected) in [("my diary\n", "expected the beginning of a shard"), ("my diary", "was not begun by")]
        {
            fs::write(&partial, text).unwrap();
            let error = Journal::open(&path, Shard::default(), &job(3), true).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert_eq!(fs::read_to_string(&partial).unwrap(), text);
        }
        // A result is there twice.
        let begin = begin_line(Shard::default(), &job(3));
        fs::write(&partial, begin.clone() + &result(2) + &result(2)).unwrap();
        let error = Journal::open(&path, Shard::default(), &job(3), true).unwrap_err().to_string();
        assert!(error.contains("line 3: a second result of item 2"), "{error}");
        // The input had more items when the file was begun.
        fs::write(&partial, begin.clone() + &result(1) + &result(3)).unwrap();
        let error = growing(&path, "0/1", true).0.finish(2, 7).unwrap_err().to_string();
        assert!(error.contains("a result of item 3, but there are only 2"), "{error}");
        assert!(partial.exists() && !path.exists());
        // Lines that another system has ended in its way.
        fs::write(&partial, (begin + &result(1)).replace('\n', "\r\n")).unwrap();
        growing(&path, "0/1", true).0.finish(1, 7).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), result(1).replace('\n', "\r\n"));
        fs::remove_file(&path).unwrap();
        // The first line was torn.
        fs::write(&partial, &begin_line(Shard::default(), &job(3))[..5]).unwrap();
        growing(&path, "0/1", true).0.finish(0, 7).unwrap();
    }
}
