//! `emilia book tasks` and `emilia book take`: the searches of a book's growth, done elsewhere.

use super::grow::SearchArguments;
use super::{PATIENCE, at, program_weights, warn_of_other_weights};
use crate::analysis::book_tasks::{Tasks, UnusableLine, finding, tasks};
use crate::analysis::lines::Lines;
use crate::book::{Book, BookError, Database, Key, Outcome, Snapshot};
use crate::cli::game_input::open_text;
use crate::cli::output::{Output, complain, counted, expect_another, say};
use crate::input_line::InputLine;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which searches of which book are written.
#[derive(Args, Clone, Debug)]
pub(super) struct TasksArguments {
    /// The book
    book: PathBuf,
    /// How many leaves are to be extended or searched; each takes one search or two
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    leaves: u32,
    #[command(flatten)]
    searches: SearchArguments,
    /// The file to write [default: the standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Which answers go into which book.
#[derive(Args, Clone, Debug)]
pub(super) struct TakeArguments {
    /// The book
    book: PathBuf,
    /// Answers of `emilia analyze`; - is the standard input
    #[arg(value_name = "RESULTS", default_value = "-")]
    files: Vec<PathBuf>,
}

/// Writes the searches that are next.
pub(super) fn run_tasks(arguments: &TasksArguments) -> Result<(), String> {
    let path = &arguments.book;
    expect_another(arguments.out.as_deref(), [path.as_path()])?;
    let book = Database::open_when_free(path, PATIENCE).map_err(at(path))?;
    let root = Key::of(&arguments.searches.root(&book.read().map_err(at(path))?)?).0;
    let how = (&arguments.searches.limits(), arguments.searches.selectivity);
    let found = tasks(&book, &root, arguments.leaves as usize, how, &*crate::cli::on_interrupt()?);
    let Tasks { units, queries } = found.map_err(|error| match error {
        BookError::Interrupted => "interrupted".to_owned(),
        error => at(path)(error),
    })?;
    let weights = book.read().map_err(at(path))?.weights;
    let outcome = format!(
        "it takes answers with those that it grew with alone; 'emilia book grow {} --time 0' makes it take this program's",
        path.display()
    );
    warn_of_other_weights(path, weights, ("the program's", program_weights()), &outcome);
    // Whoever reads the searches may want the book.
    drop(book);
    if queries.is_empty() {
        say("nothing is left to be searched");
    } else if units < arguments.leaves as usize {
        let searches = counted(queries.len() as u64, "task");
        say(format_args!(
            "{searches} for {units} of {} leaves; there may be more when these are answered",
            arguments.leaves
        ));
    }
    let mut output = Output::open(arguments.out.as_deref())?;
    output.write(queries.concat().as_bytes())?;
    output.finish()
}

/// Takes answers into the book.
pub(super) fn run_take(arguments: &TakeArguments) -> Result<(), String> {
    let path = &arguments.book;
    // The book is read when the first line is there, and opened behind the last: whoever makes the lines may need it, or take long.
    let of_book = |path: &Path| -> Result<u32, BookError> {
        Book::expect_growing(path)?;
        Ok(Snapshot::open(path)?.weights)
    };
    let mut weights = None;
    let (mut findings, mut places, mut unusable) = (Vec::new(), Vec::new(), 0u64);
    for file in &arguments.files {
        let (name, input) = open_text(file)?;
        let mut lines = Lines::new(input);
        while let Some(line) = lines.read().map_err(|error| format!("{name}: {error}"))? {
            let weights = match weights {
                Some(weights) => weights,
                None => *weights.insert(when_free(path, of_book)?),
            };
            let found = match line {
                InputLine::Bytes(bytes) if bytes.trim_ascii().is_empty() => continue,
                InputLine::Bytes(bytes) => finding(&bytes, weights),
                InputLine::TooLong => Err(UnusableLine { column: 1, problem: "a line that is too long".to_owned() }),
            };
            let place = format!("{name}:{}", lines.number());
            match found {
                Ok(Some(found)) => {
                    findings.push(found);
                    places.push(place);
                }
                Ok(None) => {}
                Err(UnusableLine { column, problem }) => {
                    unusable += 1;
                    complain(format_args!("{place}:{column}: {problem}"));
                }
            }
        }
    }
    let book = when_free(path, Database::open)?;
    if weights.is_some_and(|weights| book.read().is_ok_and(|now| now.weights != weights)) {
        return Err(at(path)("the evaluation of the book has changed since the answers were read"));
    }
    let outcomes = book.take(&findings).map_err(at(path))?;
    let count = |wanted: Outcome| outcomes.iter().filter(|outcome| **outcome == wanted).count();
    for (place, _) in places.iter().zip(&outcomes).filter(|(_, outcome)| **outcome == Outcome::Foreign) {
        unusable += 1;
        complain(format_args!("{place}:1: the position is neither in the book nor one move behind it"));
    }
    say(format_args!("{} taken, {} known already", count(Outcome::Taken), count(Outcome::Known)));
    for (outcome, why) in [
        (Outcome::Early, "left moves out that the book has no value for: take them again with the other answers"),
        (Outcome::Late, "came too late: their moves are in the book by now"),
    ] {
        if count(outcome) > 0 {
            say(format_args!("{} {why}", count(outcome)));
        }
    }
    if unusable == 0 { Ok(()) } else { Err(format!("not used: {}", counted(unusable, "line"))) }
}

/// Opens a book, as soon as no other program has it: what a pipe has brought would be lost.
fn when_free<T>(path: &Path, open: impl Fn(&Path) -> Result<T, BookError>) -> Result<T, String> {
    let mut has_waited = false;
    loop {
        match open(path) {
            Err(BookError::InUse) => {
                if !std::mem::replace(&mut has_waited, true) {
                    say(at(path)("another program is using the book; the answers wait for it"));
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            opened => return opened.map_err(at(path)),
        }
    }
}
