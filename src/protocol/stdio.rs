//! The two ends of a conversation: lines from a client, text to it.
//!
//! A reader thread turns the input into lines and a writer thread sends the replies, so that a session waits for
//! neither: it can answer a `ping` while a slow client has not yet read what came before. The same [`Connection`] over
//! memory serves the tests.

use crate::input_line::InputLine;
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded, never, unbounded};
use crossbeam::select;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The target of the log records that hold the conversation: `>` lines from the client, `<` lines to it.
pub const TRAFFIC: &str = "emilia::traffic";

/// Number of lines that may wait for the session; a client that sends more has to wait itself.
const WAITING_LINES: usize = 1024;

/// Lines that are read while a search runs, to find those among them that count at once: far more than a game has.
const LOOK_AHEAD: usize = 4096;

/// Bytes that are read, or gathered for writing, at once, about.
const BATCH_BYTES: usize = 1 << 16;

/// Bytes that are written at once. A pipe takes a piece of this size whole or not at all, so the count of bytes grows whenever the client reads.
const PIECE_BYTES: usize = 1 << 12;

/// How long, at the end of a session, a client may take nothing of what is waiting for it before the rest is dropped.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// Where the client has said `quit`, and may be waiting for the end.
    after_quit: Duration,
    /// Where its input has ended: it wants the answers, however busy it is, and whoever reads line by line takes a piece now and then.
    at_end_of_input: Duration,
}

const PATIENCE: Patience = Patience { after_quit: Duration::from_secs(1), at_end_of_input: Duration::from_secs(60) };

/// A conversation with one client.
#[derive(Debug)]
pub struct Connection {
    input: Receiver<InputLine>,
    output: Option<Sender<String>>,
    closed: Receiver<()>,
    writer: Option<Writer>,
    /// Why something of the conversation is lost, though the client is there.
    failure: Failure,
}

/// What went wrong first.
type Failure = Arc<OnceLock<String>>;

/// The thread that writes.
#[derive(Debug)]
struct Writer {
    /// How many bytes the client has taken.
    written: Arc<AtomicU64>,
    done: Receiver<()>,
}

impl Connection {
    /// The process's own standard input and output.
    pub fn stdio() -> Connection {
        let (gone, closed) = bounded(2);
        #[cfg(unix)]
        watch_stdout(gone.clone());
        Connection::over(io::stdin(), io::stdout(), gone, closed)
    }

    /// A conversation in memory: the engine's end, and the client's.
    pub fn in_memory() -> (Connection, Client) {
        let (to_engine, engine_input) = bounded(WAITING_LINES);
        let (engine_output, from_engine) = unbounded();
        let (gone, closed) = bounded(2);
        let connection = Connection {
            input: engine_input,
            output: Some(engine_output),
            closed,
            writer: None,
            failure: Failure::default(),
        };
        (connection, Client { to_engine: Some(to_engine), from_engine, _gone: gone })
    }

    fn over(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        gone: Sender<()>,
        closed: Receiver<()>,
    ) -> Connection {
        let (lines, input) = bounded(WAITING_LINES);
        let (output, replies) = unbounded();
        // Neither thread is waited for when the process ends: the reader may be blocked on a client that says nothing.
        let failure = Failure::default();
        let of_input = Arc::clone(&failure);
        spawn("input", move || {
            if let Err(error) = read_lines(BufReader::with_capacity(BATCH_BYTES, reader), &lines) {
                fail(&of_input, format!("cannot read the input: {error}"));
            }
        });
        let written = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&written);
        let (finished, done) = bounded(1);
        let of_output = Arc::clone(&failure);
        spawn("output", move || {
            if let Err(error) = write_replies(writer, &replies, &counter) {
                let why = format!("cannot write the output: {error}");
                // Nothing is lost where nobody reads.
                match error.kind() {
                    ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => log::info!("{why}"),
                    _ => fail(&of_output, why),
                }
                let _ = gone.try_send(());
            }
            let _ = finished.send(());
        });
        Connection { input, output: Some(output), closed, writer: Some(Writer { written, done }), failure }
    }

    /// The lines of the client; disconnected at its end of file.
    pub fn input(&self) -> &Receiver<InputLine> {
        &self.input
    }

    /// Receives or disconnects when the reader of the output is gone.
    pub fn closed(&self) -> &Receiver<()> {
        &self.closed
    }

    /// Sends text as it is, line feeds included, and flushes it. Text for a client that is gone is dropped;
    /// [`Connection::closed`] reports that.
    pub fn send(&self, text: impl Into<String>) {
        if let Some(output) = &self.output {
            let text = text.into();
            if log::log_enabled!(target: TRAFFIC, log::Level::Debug) {
                text.lines().for_each(|line| log::debug!(target: TRAFFIC, "< {line}"));
            }
            let _ = output.send(text);
        }
    }

    /// Number of texts that wait for the client to read: many, if it has stopped.
    pub fn unread(&self) -> usize {
        self.output.as_ref().map_or(0, Sender::len)
    }

    /// Waits until everything sent has been written, or cannot be: the client is gone, or has stopped reading.
    ///
    /// # Errors
    /// If the input could not be read, the output could not be written although its reader was there, or nobody read it for long.
    pub fn finish(self) -> Result<(), String> {
        self.finish_within(PATIENCE)
    }

    fn finish_within(mut self, patience: Patience) -> Result<(), String> {
        self.output = None;
        self.wait_for_writer(patience);
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    fn wait_for_writer(&mut self, patience: Patience) {
        let Some(writer) = self.writer.take() else { return };
        let (mut written, mut last_progress) = (0, Instant::now());
        while writer.done.recv_timeout(patience.after_quit / 4) == Err(RecvTimeoutError::Timeout) {
            let before = std::mem::replace(&mut written, writer.written.load(Ordering::Relaxed));
            if written != before {
                last_progress = Instant::now();
            }
            let has_ended = self.input_has_ended();
            let most = if has_ended { patience.at_end_of_input } else { patience.after_quit };
            if last_progress.elapsed() >= most {
                let why = format!(
                    "nobody has read the output for {} s: what was to follow {written} bytes is lost",
                    most.as_secs()
                );
                // Who has said `quit` wants no more.
                if has_ended {
                    fail(&self.failure, why)
                } else {
                    log::warn!("{why}")
                }
                return;
            }
        }
    }

    /// Whether the client can say nothing more. What it has said is dropped.
    fn input_has_ended(&self) -> bool {
        (0..=WAITING_LINES).any(|_| self.input.try_recv() == Err(TryRecvError::Disconnected))
    }
}

fn fail(failure: &Failure, why: String) {
    log::info!("{why}");
    let _ = failure.set(why);
}

/// Nobody reads the output: there is nobody to go on for.
#[derive(Debug)]
pub(super) struct ClientGone;

/// A client, and its lines that were read ahead.
pub(super) struct Inbox<'a> {
    pub connection: &'a Connection,
    /// The lines that wait for their turn.
    pub waiting: VecDeque<InputLine>,
    /// Whether the client may say more.
    pub is_open: bool,
}

impl<'a> Inbox<'a> {
    /// A client that has said these lines already.
    pub fn new(connection: &'a Connection, first: Vec<InputLine>) -> Inbox<'a> {
        Inbox { connection, waiting: first.into(), is_open: true }
    }

    /// The next line, waited for; `None` when there will be no more.
    pub fn next(&mut self) -> Result<Option<InputLine>, ClientGone> {
        if self.connection.closed().try_recv() != Err(TryRecvError::Empty) {
            return Err(ClientGone);
        }
        if let Some(input) = self.waiting.pop_front() {
            return Ok(Some(input));
        }
        if !self.is_open {
            return Ok(None);
        }
        select! {
            recv(self.connection.input()) -> input => Ok(input.ok()),
            recv(self.connection.closed()) -> _ => Err(ClientGone),
        }
    }

    /// Waits until the client says something or nothing more will come.
    pub fn wait(&mut self) -> Result<(), ClientGone> {
        if self.waiting.is_empty() {
            let next = self.next()?;
            self.is_open &= next.is_some();
            self.waiting.extend(next);
        }
        Ok(())
    }

    /// What the client has not said yet, while a search runs. Where many lines wait for its end, what comes then waits in the connection; from
    /// the client's end on there is nothing to receive.
    pub fn unread_while_searching(&self) -> Receiver<InputLine> {
        if self.is_open && !self.is_full() { self.connection.input().clone() } else { never() }
    }

    /// Whether the client may say more, and has said nothing yet.
    pub fn is_silent(&self) -> bool {
        self.is_open && self.waiting.is_empty() && self.connection.input().is_empty()
    }

    /// Whether no further line is read while a search runs.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= LOOK_AHEAD
    }
}

/// The client's end of [`Connection::in_memory`].
#[derive(Debug)]
pub struct Client {
    to_engine: Option<Sender<InputLine>>,
    from_engine: Receiver<String>,
    _gone: Sender<()>,
}

impl Client {
    /// Sends one line, without its line feed.
    pub fn send(&self, line: impl AsRef<[u8]>) {
        if let Some(to_engine) = &self.to_engine {
            let _ = to_engine.send(InputLine::Bytes(line.as_ref().to_vec()));
        }
    }

    /// Ends the input, as a client does that closes its end.
    pub fn close(&mut self) {
        self.to_engine = None;
    }

    /// What the engine sends, text as it was sent; disconnected when the session has ended.
    pub fn output(&self) -> &Receiver<String> {
        &self.from_engine
    }
}

/// Starts a thread that nobody waits for.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().name(name.to_owned()).spawn(work).expect("a thread can be started");
}

/// Cuts the input into lines until it ends, cannot be read, or the receiver of the lines is gone. A last line without a line feed
/// counts.
fn read_lines(mut reader: impl BufRead, lines: &Sender<InputLine>) -> io::Result<()> {
    let mut is_first = true;
    loop {
        let Some(mut input) = InputLine::read(&mut reader)? else { return Ok(()) };
        if std::mem::take(&mut is_first) {
            input.drop_mark();
        }
        if log::log_enabled!(target: TRAFFIC, log::Level::Debug) {
            log::debug!(target: TRAFFIC, "> {}", readable(&input));
        }
        if lines.send(input).is_err() {
            return Ok(());
        }
    }
}

/// A line as the log shows it: whatever the client says, it stays one line of text.
fn readable(input: &InputLine) -> String {
    match input {
        InputLine::Bytes(line) => {
            let text = String::from_utf8_lossy(line);
            text.trim_end().chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
        }
        InputLine::TooLong => format!("(a line of more than {} bytes)", InputLine::MOST_BYTES),
    }
}

/// Texts as they come, those that are waiting together.
pub(crate) fn in_batches(texts: &Receiver<String>) -> impl Iterator<Item = String> {
    texts.iter().map(|mut text| {
        while text.len() < BATCH_BYTES
            && let Ok(more) = texts.try_recv()
        {
            text += &more;
        }
        text
    })
}

/// Writes the replies: all that are waiting go out together, in pieces.
fn write_replies(mut writer: impl Write, replies: &Receiver<String>, written: &AtomicU64) -> io::Result<()> {
    for text in in_batches(replies) {
        for piece in text.as_bytes().chunks(PIECE_BYTES) {
            writer.write_all(piece)?;
            written.fetch_add(piece.len() as u64, Ordering::Relaxed);
        }
        writer.flush()?;
    }
    Ok(())
}

/// Reports when the reader of a pipe or socket on stdout closes it, which writing alone would only notice at the next line.
#[cfg(unix)]
pub(crate) fn watch_stdout(gone: Sender<()>) {
    use rustix::event::{PollFd, PollFlags, poll};
    spawn("stdout watch", move || {
        let stdout = io::stdout();
        loop {
            // No events are asked for: errors and hang-ups are always reported.
            let mut fds = [PollFd::new(&stdout, PollFlags::empty())];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) if fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) => {
                    let _ = gone.try_send(());
                    return;
                }
                _ => return,
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn lines_of(text: impl AsRef<[u8]> + Send + 'static) -> Vec<InputLine> {
        let (sender, receiver) = unbounded();
        read_lines(Cursor::new(text), &sender).unwrap();
        drop(sender);
        receiver.into_iter().collect()
    }

    #[test]
    fn lines_are_cut_and_the_last_needs_no_line_feed() {
        let line = |text: &str| InputLine::Bytes(text.as_bytes().to_vec());
        assert_eq!(lines_of("ping 1\r\n\nquit"), [line("ping 1\r"), line(""), line("quit")]);
        assert_eq!(lines_of("\u{feff}ping 1\n\u{feff}quit"), [line("ping 1"), line("\u{feff}quit")]);
        assert_eq!(lines_of(""), []);
    }

    #[test]
    fn the_log_shows_a_line_as_a_line() {
        assert_eq!(readable(&InputLine::Bytes(b"ping\t1\x1b[2J \xff\r".to_vec())), "ping\u{fffd}1\u{fffd}[2J \u{fffd}");
    }

    #[test]
    fn a_client_that_stops_reading_is_not_waited_for() {
        struct Stuck;
        impl Write for Stuck {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                loop {
                    std::thread::park();
                }
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        impl Read for Stuck {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                loop {
                    std::thread::park();
                }
            }
        }
        let connection = |input: Box<dyn Read + Send>| {
            let (gone, closed) = bounded(2);
            let connection = Connection::over(input, Stuck, gone, closed);
            connection.send("pong 1\n");
            connection
        };
        let (short, long) = (Duration::from_millis(100), Duration::from_millis(400));
        // Its input goes on: it is after a `quit`.
        let most = Patience { after_quit: short, at_end_of_input: Duration::MAX };
        assert_eq!(connection(Box::new(Stuck)).finish_within(most), Ok(()));
        let ended = connection(Box::new(io::empty()));
        assert!(ended.input().recv().is_err());
        let since = Instant::now();
        let lost = ended.finish_within(Patience { after_quit: short, at_end_of_input: long }).unwrap_err();
        assert!(since.elapsed() >= long && lost.contains("what was to follow 0 bytes is lost"), "{lost}");
    }

    #[test]
    fn a_client_that_reads_slowly_gets_everything() {
        #[derive(Clone, Default)]
        struct Slow(Arc<AtomicU64>);
        impl Write for Slow {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                std::thread::sleep(Duration::from_millis(40));
                self.0.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (client, (gone, closed)) = (Slow::default(), bounded(2));
        let connection = Connection::over(io::empty(), client.clone(), gone, closed);
        // One reply that takes longer than a client may take nothing.
        let bytes = 50 * PIECE_BYTES;
        connection.send("x".repeat(bytes));
        let most = Duration::from_secs(1);
        connection.finish_within(Patience { after_quit: most, at_end_of_input: most }).unwrap();
        assert_eq!(client.0.load(Ordering::Relaxed), bytes as u64);
    }

    #[test]
    fn a_line_too_long_is_dropped_and_the_next_is_read() {
        let mut text = vec![b'x'; InputLine::MOST_BYTES];
        text.extend_from_slice(b"\n");
        text.extend_from_slice(&vec![b'y'; 10 * InputLine::MOST_BYTES]);
        text.extend_from_slice(b"\nping 7\n");
        let lines = lines_of(text);
        assert_eq!(lines[0], InputLine::Bytes(vec![b'x'; InputLine::MOST_BYTES]));
        assert_eq!(lines[1..], [InputLine::TooLong, InputLine::Bytes(b"ping 7".to_vec())]);
    }
}
