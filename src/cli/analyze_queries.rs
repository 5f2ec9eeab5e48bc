//! Queries on the standard input, or in a file, and answers on the standard output, or in a file.

use super::analyze_output::Results;
use super::output::{Reader, complain};
use super::progress::StepBar;
use crate::analysis::lines::Lines;
use crate::analysis::{Service, ServiceSettings};
use crate::input_line::InputLine;
use crate::protocol::stdio::spawn;
use crate::shard::Shard;
use crossbeam::channel::{Receiver, Sender, bounded};
use std::io::BufRead;
use std::sync::Arc;

/// How many answers may wait for the one who reads them.
const WAITING_ANSWERS: usize = 256;

/// About how much is written at once.
const BATCH_BYTES: usize = 1 << 16;

/// Where queries come from.
pub(super) struct QueryInput {
    /// What an error calls it.
    pub name: String,
    /// The lines.
    pub input: Box<dyn BufRead + Send>,
    /// Which of the lines count.
    pub shard: Shard,
}

/// What there was of the input.
struct InputEnd {
    lines: u64,
    checksum: u32,
    error: Option<String>,
}

/// Answers queries until there are no more, or the reader of the answers is gone.
pub(super) fn run(settings: ServiceSettings, input: QueryInput, output: Results) -> Result<(), String> {
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
    spawn("queries", move || feed(service, input, &read));
    #[cfg(unix)]
    if matches!(output, Results::Stream { output: super::output::Output::Standard(_), .. }) {
        watch_reader(ended.clone());
    }
    spawn("answers", move || {
        let _ = ended.send(write(output, &answers, &input_end, &progress));
    });
    end.recv().unwrap_or(Ok(()))
}

/// Ends the work when the reader of the standard output goes away, even if there is nothing to write.
#[cfg(unix)]
fn watch_reader(ended: Sender<Result<(), String>>) {
    let (gone, closed) = bounded(2);
    crate::protocol::stdio::watch_stdout(gone);
    spawn("reader watch", move || {
        // A channel that only disconnects says nothing: there is no pipe to watch.
        if closed.recv().is_ok() {
            let _ = ended.send(Ok(()));
        }
    });
}

/// Hands the lines to the service, then waits until all are answered.
fn feed(service: Service, input: QueryInput, end: &Sender<InputEnd>) {
    let mut lines = Lines::new(input.input);
    let error = loop {
        match lines.read() {
            Ok(Some(_)) if !input.shard.holds(lines.number() - 1) => {}
            Ok(Some(InputLine::Bytes(bytes))) => {
                if lines.number() == 1 && !bytes.trim_ascii_start().starts_with(b"{") {
                    complain("the first line is no query in JSON; 'emilia analyze -' also reads games");
                }
                service.line(lines.number(), &bytes);
            }
            Ok(Some(InputLine::TooLong)) => service.too_long(lines.number()),
            Ok(None) => break None,
            Err(error) => break Some(format!("cannot read {}: {error}", input.name)),
        }
    };
    let _ = end.send(InputEnd { lines: lines.number(), checksum: lines.checksum(), error });
    service.finish();
}

/// Writes the answers as they come, those that are waiting together.
fn write(
    mut output: Results,
    answers: &Receiver<String>,
    end: &Receiver<InputEnd>,
    progress: &StepBar,
) -> Result<(), String> {
    for mut text in answers {
        while text.len() < BATCH_BYTES
            && let Ok(more) = answers.try_recv()
        {
            text += &more;
        }
        if progress.aside(|| output.write(&text))? == Reader::IsGone {
            return Ok(());
        }
        if matches!(output, Results::Journal(_)) {
            progress.add(text.bytes().filter(|&byte| byte == b'\n').count() as u64, String::new);
        }
    }
    progress.finish();
    match end.recv() {
        Ok(InputEnd { error: Some(error), .. }) => Err(error),
        Ok(InputEnd { lines, checksum, error: None }) => output.finish(lines, checksum, None).map(drop),
        // Whoever read the queries panicked, and has said so.
        Err(_) => Err("the input was not read to its end".to_owned()),
    }
}
