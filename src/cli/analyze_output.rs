//! Where results go: the standard output, or a file that can be gone on with.

use crate::analysis::journal::{Done, Journal, Opened};
use crate::analysis::shard_file::{Ending, Job, begin_line, end_line};
use crate::shard::Shard;
use serde_json::{Map, Value};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Stdout, Write};
use std::path::{Path, PathBuf};

/// Where results go.
pub(super) enum Output {
    /// Lines for whoever reads them now. With a shard, lines before and behind them say which it is.
    Stdout { stdout: Stdout, shard: Option<Shard>, results: u64 },
    /// A file that can be gone on with.
    File(Box<Journal>),
    /// A file that is written aside and gets its name in the end.
    Plain { file: File, aside: PathBuf, path: PathBuf },
}

/// Whether anybody wants more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    Here,
    Gone,
}

impl Output {
    /// An output for the results of a job and what is done of it already; `None` if the file is complete.
    pub(super) fn open(
        file: Option<&Path>,
        resume: bool,
        shard: Option<Shard>,
        job: &Job,
    ) -> Result<Option<(Output, Done)>, String> {
        let Some(path) = file else {
            let mut output = Output::Stdout { stdout: io::stdout(), shard: None, results: 0 };
            if let Some(this) = shard {
                output.write(&begin_line(this, job))?;
                output = Output::Stdout { stdout: io::stdout(), shard, results: 0 };
            }
            return Ok(Some((output, Done::new())));
        };
        let opened = Journal::open(path, shard.unwrap_or_default(), job, resume).map_err(|error| error.to_string())?;
        Ok(match opened {
            Opened::Complete => None,
            Opened::Growing(journal, done) => Some((Output::File(journal), done)),
        })
    }

    /// The same for text that is no JSON, and that is not gone on with.
    pub(super) fn open_plain(file: Option<&Path>) -> Result<Output, String> {
        let Some(path) = file else { return Ok(Output::Stdout { stdout: io::stdout(), shard: None, results: 0 }) };
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let aside = PathBuf::from(name);
        match File::create(&aside) {
            Ok(file) => Ok(Output::Plain { file, aside, path: path.to_owned() }),
            Err(error) => Err(format!("cannot write '{}': {error}", path.display())),
        }
    }

    /// Writes whole lines.
    pub(super) fn write(&mut self, lines: &str) -> Result<Reader, String> {
        match self {
            Output::Stdout { stdout, results, .. } => {
                *results += lines.bytes().filter(|&byte| byte == b'\n').count() as u64;
                match stdout.write_all(lines.as_bytes()).and_then(|()| stdout.flush()) {
                    Ok(()) => Ok(Reader::Here),
                    // Whoever read the output has seen enough.
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Reader::Gone),
                    Err(error) => Err(format!("cannot write the output: {error}")),
                }
            }
            Output::Plain { file, aside, path } => {
                file.write_all(lines.as_bytes()).map(|()| Reader::Here).map_err(|error| {
                    // Half a file would only take room, which may be what was missing.
                    let _ = fs::remove_file(aside);
                    format!("cannot write '{}': {error}", path.display())
                })
            }
            Output::File(journal) => journal
                .append(lines)
                .map(|()| Reader::Here)
                .map_err(|error| format!("cannot write the output: {error}")),
        }
    }

    /// There will be nothing more, and it is not complete. What can be gone on with stays.
    pub(super) fn give_up(self) {
        if let Output::Plain { aside, .. } = self {
            // Half a file is of no use; if it cannot be removed, its name tells what it is.
            let _ = fs::remove_file(aside);
        }
    }

    /// Everything is written: the input had so many items and this checksum; where the job has sums over the results,
    /// a shard ends with its own.
    pub(super) fn finish(self, items: u64, checksum: u32, totals: Option<Map<String, Value>>) -> Result<(), String> {
        match self {
            Output::Stdout { shard: Some(shard), results, .. } => {
                let ending = Ending { items, results, checksum, totals };
                let mut output = Output::Stdout { stdout: io::stdout(), shard: None, results: 0 };
                output.write(&end_line(shard, ending)).map(|_| ())
            }
            Output::Stdout { .. } => Ok(()),
            Output::Plain { file, aside, path } => file
                .sync_all()
                .and_then(|()| fs::rename(&aside, &path))
                .map_err(|error| format!("cannot write '{}': {error}", path.display())),
            Output::File(journal) => journal.finish(items, checksum).map_err(|error| error.to_string()),
        }
    }
}
