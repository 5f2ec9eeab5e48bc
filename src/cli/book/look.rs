//! `emilia book show` and `emilia book stat`.

use super::at;
use crate::analysis::BookAnswer;
use crate::analysis::answer::line;
use crate::book::{Book, BookMove, Draws, Entry, Key, Leaf, View, look_up};
use crate::cli::output::{is_for_terminal, print};
use crate::cli::show::{board, palette};
use crate::notation::{opening, read_position};
use crate::othello::{Color, GameRecord, Move, Position};
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
    let view = book.now().and_then(|book| look_up(book.positions(), position, Contempt::NONE)).map_err(at(path))?;
    let view = view.ok_or_else(|| at(path)("the position is not in the book"))?;
    if arguments.json {
        let known = BookAnswer::new(&view, position);
        return print(&line(&JsonPosition { position: position.to_string(), mover: position.mover(), opening, known }));
    }
    let palette = palette(is_for_terminal(None));
    let board = board(&game, game.turns().len(), false, palette);
    print(&format!("{board}\n{}", table(&view)))
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

fn table(view: &View) -> String {
    let value = view.entry.value.map_or_else(|| "not searched".to_owned(), |value| value.to_string());
    let bounds = bounds(view.entry.lower, view.entry.upper);
    let bounds = if bounds.is_empty() { bounds } else { format!(", proven {bounds}") };
    let bounds = view.entry.draws.map_or(bounds.clone(), |draws| format!("{bounds}; {}", self::draws(draws)));
    let mut rows = vec![["move", "value", "proven", "depth", "visits", "games"].map(str::to_owned)];
    rows.extend(view.moves.iter().map(cells));
    // A column is left out in which no move has anything.
    let is_kept = |column: usize| rows[1..].iter().any(|row| !row[column].is_empty());
    let columns: Vec<(usize, usize)> = (0..rows[0].len())
        .filter(|&column| is_kept(column))
        .map(|column| (column, rows.iter().map(|row| row[column].len()).max().unwrap_or(0)))
        .collect();
    let mut text = format!("value {value}{bounds}\n\n");
    for (row, line) in rows.iter().zip(std::iter::once("line".to_owned()).chain(view.moves.iter().map(line_of))) {
        for &(column, width) in &columns {
            let cell = &row[column];
            text += &if column == 0 { format!("{cell:<width$}  ") } else { format!("{cell:>width$}  ") };
        }
        text += &format!("{line}\n");
    }
    text
}

/// What stands before the line of a move; nothing where nothing is known.
fn cells(found: &BookMove) -> [String; 6] {
    let number = |count: u32| if count == 0 { String::new() } else { count.to_string() };
    [
        found.turn.to_string(),
        found.value.map_or_else(|| "-".to_owned(), |value| value.to_string()),
        bounds(found.lower, found.upper),
        if found.value.is_some() { found.depth.to_string() } else { String::new() },
        number(found.visits),
        number(found.games),
    ]
}

/// The line of a move, and what else is to be said of it.
fn line_of(found: &BookMove) -> String {
    let line: Vec<String> = found.line.iter().map(Move::to_string).collect();
    let draws = found.draws.map_or_else(String::new, |draws| format!("  ({})", self::draws(draws)));
    let not_in_book = if found.is_in_book { "" } else { "  (not in the book)" };
    format!("{}{draws}{not_in_book}", line.join(" "))
}

/// Values by what a draw is worth.
fn draws(Draws { lost, won }: Draws) -> String {
    format!("{lost} if draws are lost, {won} if they are won")
}

/// Proven bounds: one number where they are equal, nothing where none is known.
fn bounds(lower: i8, upper: i8) -> String {
    match (lower, upper) {
        (-64, 64) => String::new(),
        (lower, upper) if lower == upper => format!("{lower:+}"),
        (lower, 64) => format!(">={lower:+}"),
        (-64, upper) => format!("<={upper:+}"),
        (lower, upper) => format!("{lower:+}..{upper:+}"),
    }
}

/// What is in a book.
#[derive(Serialize, Default)]
struct Counts {
    positions: u64,
    /// Positions with a value.
    with_value: u64,
    /// Positions of learned games that wait to be searched.
    unsearched: u64,
    /// Positions whose result under perfect play is known.
    solved: u64,
    /// Positions whose leaf was found by another evaluation than the one that the book grew with last.
    other_weights: u64,
    /// Discs placed in the position with most of them.
    deepest: u8,
    /// What the start position is worth.
    value: Option<f64>,
    /// The fingerprint of the evaluation that the book grew with last.
    weights: String,
    bytes: u64,
    bytes_per_position: f64,
}

impl Counts {
    fn add(&mut self, key: &Key, entry: &Entry, weights: u32) {
        self.positions += 1;
        self.with_value += u64::from(entry.value.is_some());
        self.unsearched += u64::from(entry.leaf == Leaf::Unsearched);
        self.solved += u64::from(entry.is_solved());
        let is_other = matches!(entry.leaf, Leaf::Found { .. }) && entry.weights != weights;
        self.other_weights += u64::from(is_other);
        self.deepest = self.deepest.max(60u8.saturating_sub(key.empties()));
    }
}

/// Counts what is in a book.
pub(super) fn stat(arguments: &StatArguments) -> Result<(), String> {
    let path = &arguments.book;
    let mut counts = Counts::default();
    let book = Book::open(path).map_err(at(path))?;
    let now = book.now().map_err(at(path))?;
    let add = &mut |key, entry| {
        counts.add(&key, &entry, now.weights());
        Ok(())
    };
    now.positions().each(add).map_err(at(path))?;
    let root = now.positions().get(&Key::of(&Position::START).0).map_err(at(path))?;
    counts.value = root.and_then(|entry| entry.value).map(|value| value.discs());
    counts.weights = format!("{:08x}", now.weights());
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
    let value = value.map_or_else(|| "not searched".to_owned(), |value| format!("{value:+.2}"));
    print(&format!(
        "positions {positions}, with a value {with_value}, not searched {unsearched}, solved {solved}\n\
         searched by another evaluation {other_weights}; the book's is {weights}\n\
         deepest position: {deepest} discs placed\n\
         the start position is worth {value}\n\
         {bytes} bytes, {:.1} a position\n",
        counts.bytes_per_position
    ))
}
