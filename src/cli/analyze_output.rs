//! Where the results of an analysis go: an [`Output`], or a file that can be gone on with.

use super::output::{Output, Reader, cannot_write, complain};
use crate::analysis::Totals;
use crate::analysis::journal::{Done, Journal, Opened};
use crate::analysis::shard_file::{Job, ShardEnd, begin_line, end_line};
use crate::shard::Shard;
use crate::whole_file::Destination;
use std::path::Path;

/// Where results go.
pub(super) enum Results {
    /// Whoever reads them now, or a file that is whole in the end. With a shard, lines before and behind them say which it
    /// is.
    Stream { output: Output, shard: Option<Shard>, results: u64 },
    /// A file that can be gone on with.
    Journal(Box<Journal>),
}

impl Results {
    /// Where the results of a job go, and what is done of it already; `None` if the file is complete.
    pub(super) fn open(
        file: Option<&Path>,
        resume: bool,
        shard: Option<Shard>,
        job: &Job,
    ) -> Result<Option<(Results, Done)>, String> {
        let file = file.filter(|path| *path != Path::new("-"));
        let destination =
            file.map(|path| Destination::of(path).map_err(|error| cannot_write(path, error))).transpose()?;
        let Some(Destination::File(path)) = destination else {
            let mut output = Output::open(file)?;
            if let Some(this) = shard {
                output.write(begin_line(this, job).as_bytes())?;
            }
            return Ok(Some((Results::Stream { output, shard, results: 0 }, Done::new())));
        };
        let opened = Journal::open(&path, shard.unwrap_or_default(), job, resume).map_err(|error| error.to_string())?;
        Ok(match opened {
            Opened::Complete { is_named } => {
                if !is_named {
                    complain(format_args!(
                        "'{}' is there already, and does not say with which settings it was made; nothing was done",
                        path.display()
                    ));
                }
                None
            }
            Opened::Growing(journal, done) => Some((Results::Journal(journal), done)),
        })
    }

    /// The output for text that is no JSON, and that is not gone on with.
    pub(super) fn open_plain(file: Option<&Path>) -> Result<Results, String> {
        Ok(Results::Stream { output: Output::open(file)?, shard: None, results: 0 })
    }

    /// Removes a file that could be gone on with: there is nothing to write.
    pub(super) fn discard(self) {
        if let Results::Journal(journal) = self {
            journal.discard();
        }
    }

    /// What an interruption says of how to go on.
    pub(super) fn how_to_go_on(&self) -> &'static str {
        match self {
            Results::Stream { .. } => "",
            Results::Journal(_) => "; --resume goes on",
        }
    }

    /// Writes whole lines. Who reads them has them when this returns.
    pub(super) fn write(&mut self, lines: &str) -> Result<Reader, String> {
        match self {
            Results::Stream { output, results, .. } => {
                *results += lines.bytes().filter(|&byte| byte == b'\n').count() as u64;
                match output.write(lines.as_bytes())? {
                    Reader::Reads => output.flush(),
                    Reader::IsGone => Ok(Reader::IsGone),
                }
            }
            Results::Journal(journal) => journal
                .append(lines)
                .map(|()| Reader::Reads)
                .map_err(|error| format!("cannot write the output: {error}")),
        }
    }

    /// Everything is written: the input had this number of items and this checksum. Sums over the results follow where they are
    /// whole; a file that can be gone on with counts its own, which are returned.
    pub(super) fn finish(self, items: u64, checksum: u32, totals: Option<&Totals>) -> Result<Option<Totals>, String> {
        match self {
            Results::Stream { mut output, shard, results } => {
                if let Some(shard) = shard {
                    output.write(end_line(shard, ShardEnd { items, results, checksum }).as_bytes())?;
                } else if let Some(totals) = totals {
                    output.write(totals.line().as_bytes())?;
                }
                output.finish().map(|()| None)
            }
            Results::Journal(journal) => journal.finish(items, checksum).map_err(|error| error.to_string()),
        }
    }
}
