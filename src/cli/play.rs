//! `emilia play`: a person at the terminal.

use super::options::EngineArguments;
use super::show::palette;
use crate::othello::Color;
use crate::play::{Level, Opponent, Session};
use crate::render::Palette;
use clap::{Args, ValueEnum};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use std::io::{self, BufRead, BufWriter, ErrorKind, IsTerminal, stdin, stdout};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Play against Emilia in the terminal.
///
/// Moves are said as f5; 'help' lists what else can be said: hints, undo, saving and loading games, the level. Levels go from 1, a beginner
/// who loses about six discs a move, to 8, full strength. Colours are left out where NO_COLOR is set or the output is no terminal.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("ponder", |argument| argument.default_value("on")))]
pub(super) struct PlayArguments {
    /// Your side
    #[arg(long, value_name = "SIDE", default_value = "black")]
    color: Side,
    /// How strong Emilia plays: 1 (beginner) to 8 (full strength)
    #[arg(long, value_name = "N", default_value = "4")]
    level: Level,
    /// Go on with the first game of this file
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Repeat the same choices of the levels below full strength; without it, every game is another one
    #[arg(long, value_name = "N")]
    draw: Option<u64>,
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

/// Plays until the person leaves.
pub(super) fn run(arguments: &PlayArguments) -> Result<(), String> {
    let engine = arguments.thinking.engine().map_err(|error| error.to_string())?;
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    let opponent = Opponent::new(engine, arguments.level, arguments.draw.unwrap_or_else(now));
    let person = match arguments.color {
        Side::Black => Some(Color::Black),
        Side::White => Some(Color::White),
        Side::Both => None,
    };
    let palette = if stdout().is_terminal() { palette() } else { Palette::Plain };
    let mut session = Session::new(opponent, person, palette);
    if let Some(path) = &arguments.load {
        session.load(path)?;
    }
    let output = BufWriter::new(stdout());
    let ended = if stdin().is_terminal() && stdout().is_terminal() {
        let mut editor = DefaultEditor::new().map_err(|error| format!("cannot read from the terminal: {error}"))?;
        session.run(|prompt| edited(&mut editor, prompt), output)
    } else {
        let mut input = stdin().lock();
        session.run(|_| piped(&mut input), output)
    };
    match ended {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot go on: {error}")),
        _ => Ok(()),
    }
}

/// A line that a person types, with the arrow keys for changes and for former lines. Ctrl-C and Ctrl-D end.
fn edited(editor: &mut DefaultEditor, prompt: &str) -> io::Result<Option<String>> {
    match editor.readline(prompt) {
        Ok(line) => {
            // A line that is not kept is only not offered again.
            let _ = editor.add_history_entry(&line);
            Ok(Some(line))
        }
        Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
        Err(ReadlineError::Io(error)) => Err(error),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// A line of a script.
fn piped(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line)?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
