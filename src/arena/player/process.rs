//! A program at the other end of three pipes.

use super::fault::Fault;
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is behind this in a line is dropped.
const MAX_LINE_BYTES: usize = 1 << 16;
/// Lines kept for a reader that is not looking. A program that goes on talking waits in its own pipe.
const LINES_KEPT: usize = 1024;
/// Lines of the standard error kept for the case of a crash.
const ERROR_LINES_KEPT: usize = 3;
/// How long a program that was asked to go may take before it is killed.
const EXIT_TIME: Duration = Duration::from_millis(500);
/// The same for one that has played without a fault: it may have to write down what it has learned.
const FAULTLESS_EXIT_TIME: Duration = Duration::from_secs(5);
/// How often the output of a program that is ending is read.
const DRAIN_PAUSE: Duration = Duration::from_millis(10);

/// How often a wait looks whether it is to be given up.
pub(in crate::arena) const WAIT_SLICE: Duration = Duration::from_millis(100);
/// If such a wait takes longer than this, the process was stopped (Ctrl-Z, a virtual machine that was halted).
const STANDSTILL: Duration = Duration::from_secs(5);

/// How long this process stood still, if it did, in a wait of one slice that began then.
pub(super) fn standstill(slice_begun: Instant) -> Option<Duration> {
    Some(slice_begun.elapsed()).filter(|time| *time > STANDSTILL)
}

/// The numbers of the programs that run, each of which is that of its group.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Kills all programs with everything that they have started, and lets none be started any more: for a process that ends at once and
/// drops nothing. On Windows only the end of their input tells the programs of it.
pub fn kill_all() {
    let running = RUNNING.lock();
    running.iter().for_each(|&number| kill_group(number));
    std::mem::forget(running);
}

fn kill_group(number: u32) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(number).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    let _ = number;
}

/// One line that a program wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputLine {
    /// The line without its end. Bytes that are not UTF-8 have been replaced.
    pub text: String,
    /// When it was read.
    pub at: Instant,
    /// Whether the line feed was there; only the last line may lack it.
    pub whole: bool,
}

/// Why there is no line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoLine {
    /// The time is over, or nobody wants the line any more.
    Late,
    /// The program has closed its output.
    Closed,
    /// This process stood still for so long.
    StoodStill(Duration),
}

/// A running program. Dropping it asks it to quit, closes its input, waits for a moment, kills it and (not on Windows) everything that it has started,
/// and waits for its end, so that neither processes nor descriptors are left behind.
#[derive(Debug)]
pub struct Process {
    label: String,
    child: Child,
    input: Option<Sender<Vec<u8>>>,
    lines: Receiver<OutputLine>,
    last_errors: Arc<Mutex<VecDeque<String>>>,
    /// Disconnected when the standard error has been read to its end.
    errors_read: Receiver<()>,
    status: Option<ExitStatus>,
    abandon: Arc<AtomicBool>,
    /// Whether it has begun a game and not failed since.
    is_faultless: bool,
}

impl Process {
    /// Starts a program with arguments; `label` names it in the log.
    pub fn start(label: &str, command: &[String], directory: Option<&Path>) -> io::Result<Process> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"))?;
        if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
            let problem = format!("expected a folder to run in, found none at '{}'", directory.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, problem));
        }
        let mut builder = Command::new(program);
        builder.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            builder.current_dir(directory);
        }
        // A group of its own, so that a shell can be killed together with the program it runs.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut builder, 0);
        let mut child = {
            let mut running = RUNNING.lock();
            let child = builder.spawn()?;
            running.push(child.id());
            child
        };
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (input, to_write) = unbounded::<Vec<u8>>();
        let (speak, lines) = bounded(LINES_KEPT);
        let last_errors = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&last_errors);
        let (reading, errors_read) = bounded::<()>(0);
        let process = Process {
            label: label.to_owned(),
            child,
            input: Some(input),
            lines,
            last_errors,
            errors_read,
            status: None,
            abandon: Arc::default(),
            is_faultless: false,
        };
        if let Some(mut stdin) = stdin {
            spawn(label, "input", move || {
                // A program that no longer reads is found out when its answer does not come.
                let _ = to_write.iter().try_for_each(|line| stdin.write_all(&line));
            })?;
        }
        if let Some(stdout) = stdout {
            spawn(label, "output", move || read_lines(stdout, |line| speak.send(line).is_ok()))?;
        }
        if let Some(stderr) = stderr {
            let name = label.to_owned();
            spawn(label, "errors", move || {
                let _reading = reading;
                read_lines(stderr, |line| {
                    log::debug!("{name} (stderr): {}", line.text);
                    let mut kept = kept.lock();
                    if kept.len() == ERROR_LINES_KEPT {
                        kept.pop_front();
                    }
                    kept.push_back(line.text.chars().take(300).collect());
                    true
                })
            })?;
        }
        Ok(process)
    }

    /// Sends one line; the line feed is added. Never waits.
    pub fn send(&self, line: &str) {
        log::debug!("{} < {line}", self.label);
        self.send_bytes(format!("{line}\n"));
    }

    /// Sends bytes as they are. Never waits.
    pub fn send_bytes(&self, bytes: impl Into<Vec<u8>>) {
        if let Some(input) = &self.input {
            let _ = input.send(bytes.into());
        }
    }

    /// Closes the program's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// From now on no line is waited for any longer when this is set.
    pub(super) fn abandon_with(&mut self, abandon: &Arc<AtomicBool>) {
        self.abandon = Arc::clone(abandon);
    }

    /// The next line, waited for until `deadline`.
    pub fn next_line(&self, deadline: Instant) -> Result<OutputLine, NoLine> {
        // Looked at for every line: a program that goes on talking always has one.
        while !self.abandon.load(Ordering::Relaxed) {
            let begun = Instant::now();
            // A line that has come is taken even if the deadline is over: when it came stands in it.
            let received = self.lines.recv_deadline(deadline.min(begun + WAIT_SLICE));
            let stood_still = standstill(begun).filter(|_| received != Err(RecvTimeoutError::Disconnected));
            if let Some(time) = stood_still {
                return Err(NoLine::StoodStill(time));
            }
            match received {
                Ok(line) => {
                    log::debug!("{} > {}", self.label, line.text);
                    return Ok(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if Instant::now() >= deadline {
                break;
            }
        }
        Err(NoLine::Late)
    }

    /// The next line that came whole and by `deadline`; `None` if there is none.
    ///
    /// # Errors
    /// If the program has closed its output, also in the middle of a line.
    pub fn whole_line(&mut self, deadline: Instant) -> Result<Option<OutputLine>, Fault> {
        match self.next_line(deadline) {
            Ok(line) if !line.whole => Err(self.cut_off(&line)),
            Ok(line) if line.at > deadline => Ok(None),
            Ok(line) => Ok(Some(line)),
            Err(NoLine::Late) => Ok(None),
            Err(NoLine::Closed) => Err(self.crash()),
            Err(NoLine::StoodStill(time)) => Err(Fault::StoodStill(time)),
        }
    }

    /// The fault of a program that has closed its output in the middle of this line.
    pub fn cut_off(&mut self, line: &OutputLine) -> Fault {
        Fault::Crashed(format!("{} in the middle of the line '{}'", self.how_it_ended(), line.text))
    }

    /// Takes the lines that have come without being asked for.
    pub fn unasked(&self) -> impl Iterator<Item = OutputLine> + '_ {
        // A program that goes on talking would keep a reader busy for ever.
        self.lines.try_iter().take(LINES_KEPT)
    }

    /// What the program wrote to its standard error last.
    pub fn last_errors(&self) -> Vec<String> {
        self.last_errors.lock().iter().cloned().collect()
    }

    /// The same for the end of a message; empty if there is nothing.
    pub(super) fn last_words(&self) -> String {
        let words = self.last_errors();
        if words.is_empty() { String::new() } else { format!("; last on its standard error: {}", words.join(" | ")) }
    }

    /// The program plays a game now.
    pub(super) fn has_begun(&mut self) {
        self.is_faultless = true;
    }

    /// The program has failed. Returns the fault with what it wrote to its standard error last; a crash says that already.
    pub(super) fn has_failed(&mut self, fault: Fault) -> Fault {
        self.is_faultless = false;
        match fault {
            Fault::Silent(command, waited, _) => Fault::Silent(command, waited, self.last_words()),
            Fault::Protocol(problem) => Fault::Protocol(problem + &self.last_words()),
            fault => fault,
        }
    }

    /// Waits for the program's end; `None` if it is still running at the deadline.
    pub fn wait(&mut self, deadline: Instant) -> Option<ExitStatus> {
        let mut pause = Duration::from_micros(200);
        loop {
            if self.status.is_none() && self.has_ended() {
                self.end();
            }
            if self.status.is_some() || Instant::now() >= deadline {
                return self.status;
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(10));
        }
    }

    /// The fault of a program that has closed its output.
    pub fn crash(&mut self) -> Fault {
        Fault::Crashed(self.how_it_ended())
    }

    fn how_it_ended(&mut self) -> String {
        let text = match self.wait(Instant::now() + EXIT_TIME) {
            Some(status) => format!("the program ended ({status})"),
            None => "the program closed its output".to_owned(),
        };
        // What it wrote before its end may still be on the way.
        let _ = self.errors_read.recv_timeout(EXIT_TIME);
        text + &self.last_words()
    }

    /// Whether the program has ended. Its number stays its own.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(Pid::from_child(&self.child)), options).is_ok_and(|status| status.is_some())
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Kills the program, if it still runs, and everything that it has started, and waits for its end.
    fn end(&mut self) {
        {
            // Once the program has been waited for, its number may be that of another process.
            let mut running = RUNNING.lock();
            kill_group(self.child.id());
            running.retain(|&number| number != self.child.id());
        }
        let _ = self.child.kill();
        self.status = self.child.wait().ok();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The word of both protocols.
        self.send("quit");
        self.close_input();
        let asked = Instant::now();
        while self.wait(Instant::now() + DRAIN_PAUSE).is_none() {
            // A program whose pipe is full would not come to its end.
            self.unasked().for_each(drop);
            let is_hurried = !self.is_faultless || self.abandon.load(Ordering::Relaxed);
            let patience = if is_hurried { EXIT_TIME } else { FAULTLESS_EXIT_TIME };
            if asked.elapsed() > patience {
                log::info!("{} does not end by itself and is killed", self.label);
                self.end();
                return;
            }
        }
    }
}

fn spawn(label: &str, what: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(format!("{label} {what}")).stack_size(256 << 10).spawn(work).map(drop)
}

/// Cuts the output into lines until it ends or `take` returns false.
fn read_lines(output: impl Read, mut take: impl FnMut(OutputLine) -> bool) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let at = Instant::now();
        let mut whole = line.last() == Some(&b'\n');
        if !whole && line.len() == MAX_LINE_BYTES {
            whole = reader.skip_until(b'\n').is_ok();
        }
        while matches!(line.last(), Some(b'\n' | b'\r')) {
            line.pop();
        }
        if !take(OutputLine { text: String::from_utf8_lossy(&line).into_owned(), at, whole }) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn lines_are_cut_shortened_and_repaired() {
        let mut text = b"one\r\n\xff\n\n".to_vec();
        text.extend(vec![b'x'; 3 * MAX_LINE_BYTES]);
        text.extend(b"\nlast");
        let mut lines = Vec::new();
        read_lines(Cursor::new(text), |line| {
            lines.push((line.text, line.whole));
            true
        });
        let lengths: Vec<_> = lines.iter().map(|(text, whole)| (text.chars().count(), *whole)).collect();
        assert_eq!(lengths, [(3, true), (1, true), (0, true), (MAX_LINE_BYTES, true), (4, false)]);
        assert_eq!(lines[1].0, "\u{fffd}");
    }
}
