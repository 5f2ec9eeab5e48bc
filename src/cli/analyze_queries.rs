//! Queries on the standard input, or in a file, and answers on the standard output, or in a file.

use super::analyze_output::Results;
use super::output::{Reader, complain};
use super::progress::StepBar;
use crate::analysis::lines::Lines;
use crate::analysis::{Service, ServiceSettings};
use crate::input_line::InputLine;
use crate::notation::game_file::unpacked_utf8;
use crate::protocol::stdio::{in_batches, spawn};
use crate::shard::Shard;
use crossbeam::channel::{Receiver, bounded};
use std::io::{BufRead, BufReader};
use std::sync::Arc;

/// How many answers may wait for the one who reads them.
const WAITING_ANSWERS: usize = 256;

/// The number of lines and the checksum of the whole input, or why it was not read to its end.
type WholeInput = Result<(u64, u32), String>;

/// Answers those queries of an input that the shard has, until there are no more, or the reader of the answers is gone. The name is for
/// errors.
pub(super) fn run(
    settings: ServiceSettings,
    (name, input): (String, Box<dyn BufRead + Send>),
    shard: Shard,
    output: Results,
) -> Result<(), String> {
    let progress = Arc::new(StepBar::new("answers", None, settings.done.len() as u64));
    // A client of a pipe knows what it has, and a person who types wants no line in the way.
    if matches!(output, Results::Journal(_)) {
        progress.end_on_interrupt(output.how_to_go_on())?;
    }
    let (sender, answers) = bounded(WAITING_ANSWERS);
    let (read, input_end) = bounded(1);
    let (ended, end) = bounded(2);
    let service = Service::new(settings, sender);
    // No thread is waited for when the process ends: the one that reads may be blocked on a client that says nothing.
    spawn("queries", move || {
        let _ = read.send(feed(&service, &name, input, shard));
        service.finish();
    });
    #[cfg(unix)]
    if matches!(output, Results::Stream { output: super::output::Output::Standard { .. }, .. }) {
        watch_reader(ended.clone());
    }
    spawn("answers", move || {
        let _ = ended.send(write(output, &answers, &input_end, &progress));
    });
    end.recv().unwrap_or(Ok(()))
}

/// Ends the work when the reader of the standard output goes away, even if there is nothing to write.
#[cfg(unix)]
fn watch_reader(ended: crossbeam::channel::Sender<Result<(), String>>) {
    let (gone, closed) = bounded(2);
    crate::protocol::stdio::watch_stdout(gone);
    spawn("reader watch", move || {
        // A channel that only disconnects says nothing: there is no pipe to watch.
        if closed.recv().is_ok() {
            let _ = ended.send(Ok(()));
        }
    });
}

/// Hands the lines to the service.
fn feed(service: &Service, name: &str, input: Box<dyn BufRead + Send>, shard: Shard) -> WholeInput {
    let failed = |error| format!("cannot read {name}: {error}");
    // What comes from a file is plain already. Without one nothing was waited for before this thread.
    let mut lines = Lines::new(BufReader::new(unpacked_utf8(Box::new(input)).map_err(failed)?));
    let mut is_first = shard.holds(0);
    loop {
        match lines.read().map_err(failed)? {
            Some(_) if !shard.holds(lines.number() - 1) => {}
            Some(InputLine::Bytes(bytes)) => {
                let begin = bytes.trim_ascii_start();
                if is_first && !begin.is_empty() {
                    is_first = false;
                    if !begin.starts_with(b"{") {
                        complain("the first line is no query in JSON; 'emilia analyze -' also reads games");
                    }
                }
                service.line(lines.number(), &bytes);
            }
            Some(InputLine::TooLong) => service.too_long(lines.number()),
            None => return Ok((lines.number(), lines.checksum())),
        }
    }
}

/// Writes the answers as they come, those that are waiting together.
fn write(
    mut output: Results,
    answers: &Receiver<String>,
    end: &Receiver<WholeInput>,
    progress: &StepBar,
) -> Result<(), String> {
    for text in in_batches(answers) {
        if progress.aside(|| output.write(&text))? == Reader::IsGone {
            return Ok(());
        }
        if matches!(output, Results::Journal(_)) {
            progress.add(text.bytes().filter(|&byte| byte == b'\n').count() as u64, String::new);
        }
    }
    progress.finish();
    // Whoever read the queries may have panicked, and has said so.
    let (lines, checksum) = end.recv().unwrap_or_else(|_| Err("the input was not read to its end".to_owned()))?;
    output.finish(lines, checksum, None).map(drop)
}
