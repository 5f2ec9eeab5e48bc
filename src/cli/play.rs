//! `emilia play`: a person at the terminal.

use super::INTERRUPTED;
use super::options::EngineArguments;
use super::output::{complain, is_reader_gone, warn};
use super::show::palette;
use crate::clock::time_control::TimeControl;
use crate::engine::Level;
use crate::input_line::BYTE_ORDER_MARK;
use crate::othello::Color;
use crate::play::{Opponent, Person, Said, Session};
use clap::{Arg, Args, ValueEnum};
use crossbeam::channel::{Receiver, Sender, bounded};
#[cfg(unix)]
use nix::sys::signal::{SIGHUP, SIGTERM, SigSet};
#[cfg(unix)]
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, ExternalPrinter};
use std::io::{self, BufRead, BufWriter, IsTerminal, Write, stdin, stdout};
use std::path::PathBuf;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Play against Emilia in the terminal.
///
/// Moves are said as f5; 'help' lists what else can be said: hints, undo, saving and loading games, the level. Levels go from 1, a beginner
/// who loses about six discs a move, to 8, full strength. Colours are left out where NO_COLOR is set, TERM is
/// dumb or not set, or the output is no terminal.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("ponder", |argument| argument.default_value("on")), mut_arg("level", by_number_or_name))]
pub(super) struct PlayArguments {
    /// Your side; without it, that of a game that was saved here, else black
    #[arg(long, value_name = "SIDE")]
    color: Option<Side>,
    /// Time for each side in seconds: 300 a game, 300+5 with an increment, or move:10 for each move
    #[arg(long, value_name = "CLOCK")]
    clock: Option<TimeControl>,
    /// Go on with a game of this file
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Which game of that file
    #[arg(long, value_name = "N", requires = "load", default_value = "1", value_parser = super::at_least_one)]
    game: u64,
    #[command(flatten)]
    thinking: EngineArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Side {
    /// Black, who begins
    Black,
    /// White
    White,
    /// Both, with Emilia as adviser
    Both,
}

/// A level that a person may also name.
fn by_number_or_name(argument: Arg) -> Arg {
    argument
        .default_value("4")
        .value_parser(|value: &str| value.parse::<Level>().map(|level| level.number().to_string()))
}

/// Plays until the person leaves.
pub(super) fn run(arguments: &PlayArguments) -> Result<(), String> {
    let is_terminal = stdin().is_terminal() && stdout().is_terminal();
    if is_terminal {
        end_when_told();
    }
    let thinking = &arguments.thinking;
    let mut engine = thinking.engine().map_err(|error| error.to_string())?;
    let seed = if thinking.gives("seed") { engine.options().seed } else { super::seed_by_time() };
    engine.draw_seed(seed);
    let opponent = Opponent::new(engine);
    let side = arguments.color.map(|side| match side {
        Side::Black => Some(Color::Black),
        Side::White => Some(Color::White),
        Side::Both => None,
    });
    let level = opponent.level();
    let palette = palette(stdout().is_terminal());
    let is_warned = Arc::new(AtomicBool::new(false));
    let opponent = if is_terminal { opponent.with_interrupts(interrupts(&is_warned)?) } else { opponent };
    let mut session = Session::new(opponent, Some(Color::Black), palette);
    if let Some(path) = &arguments.load {
        let warnings = session.load(path, arguments.game as usize)?;
        warnings.iter().for_each(|warning| warn(format_args!("{}: {warning}", path.display())));
    }
    if let Some(side) = side {
        session = session.with_side(side);
    }
    if thinking.gives("level") {
        session = session.with_level(level);
    }
    if session.opponent_level() != Level::FULL && thinking.gives("variety") {
        warn("--variety counts at level 8 alone");
    }
    if let Some(control) = arguments.clock {
        session = session.with_clocks(control);
    }
    let mut listener =
        listener(is_terminal, is_warned).map_err(|error| format!("cannot read from the terminal: {error}"))?;
    match session.run(&mut listener, BufWriter::new(stdout())) {
        Err(error) if !is_reader_gone(&error) => Err(format!("cannot go on: {error}")),
        _ => Ok(()),
    }
}

/// What the first Ctrl-C that interrupts nothing brings.
const WARNING: &str = "Ctrl-C again leaves the game; 'save FILE' saves it.\n";

/// The channel that brings Ctrl-C to Emilia while it thinks, so that it moves at once. At any other time, and if Emilia goes on thinking, the first
/// Ctrl-C warns and the second one ends the program. While a line is typed Ctrl-C is a key, which [`edited`] reads.
fn interrupts(is_warned: &Arc<AtomicBool>) -> Result<Receiver<()>, String> {
    // Without a capacity only a search that runs takes what is sent.
    let (sender, interrupts) = bounded(0);
    let is_warned = Arc::clone(is_warned);
    super::set_interrupt_handler(move || {
        if sender.send_timeout((), Duration::from_millis(100)).is_ok() {
            return;
        }
        if is_warned.swap(true, Ordering::Relaxed) {
            end(INTERRUPTED);
        }
        // A terminal that is gone hears nothing.
        let _ = stdout().write_all(WARNING.as_bytes()).and_then(|()| stdout().flush());
    })?;
    Ok(interrupts)
}

fn end(code: i32) -> ! {
    complain("interrupted; the game is not saved");
    exit(code)
}

/// Ends the program at once when the system asks for that, even while Emilia thinks: the handler for Ctrl-C would take that for one too.
/// Threads that are there before do not know of it.
#[cfg(unix)]
fn end_when_told() {
    let signals = SigSet::from_iter([SIGHUP, SIGTERM]);
    // While a line is typed the terminal sends every key as it is.
    let terminal = tcgetattr(stdin()).ok();
    if signals.thread_block().is_ok() {
        thread::spawn(move || {
            if let Ok(signal) = signals.wait() {
                if let Some(terminal) = &terminal {
                    let _ = tcsetattr(stdin(), OptionalActions::Now, terminal);
                }
                end(128 + signal as i32);
            }
        });
    }
}

#[cfg(not(unix))]
fn end_when_told() {}

/// The person at the terminal, or the script behind the pipe. A thread reads the lines, so that a clock can run out in between.
struct Listener {
    prompts: Sender<String>,
    lines: Receiver<io::Result<Option<String>>>,
    /// What writes above a line that is being typed; without a terminal there is none.
    printer: Option<Box<dyn ExternalPrinter>>,
}

fn listener(is_terminal: bool, is_warned: Arc<AtomicBool>) -> Result<Listener, ReadlineError> {
    if !is_terminal {
        let mut is_first = true;
        let read = move |_: &str| piped(&mut stdin().lock(), std::mem::take(&mut is_first));
        return Ok(Listener::new(read, None));
    }
    let mut editor = DefaultEditor::new()?;
    // A terminal that cannot move its cursor has none.
    let printer = editor.create_external_printer().ok().map(|printer| Box::new(printer) as Box<dyn ExternalPrinter>);
    Ok(Listener::new(move |prompt| edited(&mut editor, prompt, &is_warned), printer))
}

impl Listener {
    fn new(
        mut read: impl FnMut(&str) -> io::Result<Option<String>> + Send + 'static,
        printer: Option<Box<dyn ExternalPrinter>>,
    ) -> Listener {
        let (prompts, asked) = bounded::<String>(1);
        let (answers, lines) = bounded(1);
        thread::spawn(move || {
            for prompt in asked {
                // The game may be over before the answer.
                let _ = answers.send(read(&prompt));
            }
        });
        Listener { prompts, lines, printer }
    }
}

impl Person for Listener {
    fn ask(&mut self, prompt: &str) -> io::Result<()> {
        self.prompts.send(prompt.to_owned()).map_err(io::Error::other)
    }

    fn line(&mut self, within: Option<Duration>) -> io::Result<Said> {
        let line = match within {
            Some(time) => match self.lines.recv_timeout(time) {
                Err(error) if error.is_timeout() => return Ok(Said::Nothing),
                line => line.map_err(io::Error::other),
            },
            None => self.lines.recv().map_err(io::Error::other),
        };
        Ok(line??.map_or(Said::Goodbye, Said::Line))
    }

    fn interrupt(&mut self, text: &str) -> io::Result<()> {
        match &mut self.printer {
            Some(printer) => printer.print(text.to_owned()).map_err(io::Error::other),
            None => stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()),
        }
    }
}

/// A line that a person types, with the arrow keys for changes and for former lines. Ctrl-D ends, and so does Ctrl-C the second time.
fn edited(editor: &mut DefaultEditor, prompt: &str, is_warned: &AtomicBool) -> io::Result<Option<String>> {
    loop {
        match editor.readline(prompt) {
            Ok(line) => {
                // A line that is not kept is only not offered again.
                let _ = editor.add_history_entry(&line);
                is_warned.store(false, Ordering::Relaxed);
                return Ok(Some(line));
            }
            Err(ReadlineError::Interrupted) if !is_warned.swap(true, Ordering::Relaxed) => {
                stdout().write_all(WARNING.as_bytes())?;
            }
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => return Ok(None),
            Err(ReadlineError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        }
    }
}

/// A line of a script. The first one may begin with a byte order mark.
fn piped(input: &mut impl BufRead, is_first: bool) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line)?;
    let mark = if is_first && line.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    Ok((read > 0).then(|| String::from_utf8_lossy(&line[mark..]).into_owned()))
}
