//! `emilia book show` and `emilia book stat`.

use super::{at, warn_of_weights};
use crate::analysis::BookAnswer;
use crate::analysis::answer::line;
use crate::book::{Book, Contents, Entry, Key, Leaf};
use crate::cli::output::{is_for_terminal, print};
use crate::cli::show::{board, palette};
use crate::notation::{opening, read_position};
use crate::othello::{Color, GameRecord, Position};
use crate::render::{COLUMNS, book_table};
use crate::search::Contempt;
use crate::whole_file::why;
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Which position of which book is shown, and how.
#[derive(Args, Clone, Debug)]
pub(super) struct ShowArguments {
    /// The book, packed or not; builtin is that of the program, and may be left out
    #[arg(default_value = Book::BUILTIN, hide_default_value = true, allow_hyphen_values = true)]
    book: PathBuf,
    /// The moves to the position, or a board [default: the start]
    #[arg(allow_hyphen_values = true)]
    position: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Which book is counted.
#[derive(Args, Clone, Debug)]
pub(super) struct StatArguments {
    /// The book, packed or not; builtin is that of the program
    #[arg(default_value = Book::BUILTIN)]
    book: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A position as `--json` prints it; docs/book.md describes the fields.
#[derive(Serialize)]
struct JsonPosition {
    position: String,
    mover: Color,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<&'static str>,
    #[serde(flatten)]
    known: BookAnswer,
}

/// Shows what a book knows of a position.
pub(super) fn show(arguments: &ShowArguments) -> Result<(), String> {
    let (path, text) = arguments.book_and_position();
    let game = match text {
        None => GameRecord::default(),
        Some(text) => read_position(text).map_err(|error| error.to_string())?,
    };
    let (position, opening) = (game.position(), opening(game.positions()));
    let book = Book::open(path).map_err(at(path))?;
    let now = book.now().map_err(at(path))?;
    warn_of_weights(path, now.weights());
    let view = now.look_up(position, Contempt::NONE).map_err(at(path))?;
    let view = view.ok_or_else(|| at(path)("the position is not in the book"))?;
    if arguments.json {
        let known = BookAnswer::new(&view, position);
        return print(&line(&JsonPosition { position: position.to_string(), mover: position.mover(), opening, known }));
    }
    let is_for_terminal = is_for_terminal(None);
    let palette = palette(is_for_terminal);
    let columns = if is_for_terminal { COLUMNS } else { usize::MAX };
    let board = board(&game, game.turns().len(), false, palette);
    print(&format!("{board}\n{}", book_table(&view, columns)))
}

impl ShowArguments {
    /// The book and the position. What is no file and can be read as a position is one, of the book of the program.
    fn book_and_position(&self) -> (&Path, Option<&str>) {
        let position = self.book.to_str().filter(|text| self.position.is_none() && read_position(text).is_ok());
        match position.filter(|_| !self.book.exists()) {
            None => (&self.book, self.position.as_deref()),
            position => (Path::new(Book::BUILTIN), position),
        }
    }
}

/// What is in a book.
#[derive(Serialize, Default)]
struct Counts {
    positions: u64,
    /// Positions with a value.
    with_value: u64,
    /// Positions whose best move out of the book was never searched for.
    unsearched: u64,
    /// Positions whose result under perfect play is known.
    solved: u64,
    /// Positions whose leaf is an estimate of another evaluation than the one that the book grew with last.
    other_weights: u64,
    /// Discs placed in the position with most of them.
    deepest: u8,
    /// What the start position is worth.
    value: Option<f64>,
    /// The fingerprint of the evaluation that the book grew with last.
    weights: String,
    /// How it counts costs; a packed book has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    bytes: u64,
    bytes_per_position: f64,
}

impl Counts {
    fn add(&mut self, key: &Key, entry: &Entry, weights: u32) {
        self.positions += 1;
        self.with_value += u64::from(entry.value.is_some());
        self.unsearched += u64::from(entry.leaf == Leaf::Unsearched);
        self.solved += u64::from(entry.is_solved());
        let is_estimate = matches!(entry.leaf, Leaf::Found { .. }) && !entry.has_exact_leaf();
        self.other_weights += u64::from(is_estimate && entry.weights != weights);
        self.deepest = self.deepest.max(60u8.saturating_sub(key.empties()));
    }
}

/// Counts what is in a book.
pub(super) fn stat(arguments: &StatArguments) -> Result<(), String> {
    let path = &arguments.book;
    let mut counts = Counts::default();
    let book = Book::open(path).map_err(at(path))?;
    let now = book.now().map_err(at(path))?;
    warn_of_weights(path, now.weights());
    let add = &mut |key, entry| {
        counts.add(&key, &entry, now.weights());
        Ok(())
    };
    now.positions().each(add).map_err(at(path))?;
    let root = now.positions().get(&Key::of(&Position::START).0).map_err(at(path))?;
    counts.value = root.and_then(|entry| entry.value).map(|value| value.discs());
    counts.weights = format!("{:08x}", now.weights());
    counts.rule = matches!(now, Contents::Database(_)).then(|| now.positions().rule().to_string());
    counts.bytes = match &book {
        Book::Packed(packed) => packed.bytes(),
        Book::Database(file) => std::fs::metadata(file).map_err(|error| at(path)(why(&error)))?.len(),
    };
    counts.bytes_per_position = counts.bytes as f64 / counts.positions.max(1) as f64;
    if arguments.json {
        return print(&line(&counts));
    }
    let Counts { positions, with_value, unsearched, solved, other_weights, deepest, value, weights, bytes, .. } =
        &counts;
    let value = value.map_or_else(|| "not searched yet".to_owned(), |value| format!("worth {value:+.2}"));
    let rule = counts.rule.as_ref().map_or_else(String::new, |rule| format!(", it grows by {rule}"));
    print(&format!(
        "positions {positions}, with a value {with_value}, not searched {unsearched}, solved {solved}\n\
         estimates of another evaluation {other_weights}; the book's is {weights}{rule}\n\
         most discs placed: {deepest}\n\
         the start position is {value}\n\
         {bytes} bytes, {:.1} a position\n",
        counts.bytes_per_position
    ))
}
