//! What an opening book knows of a position, as text.

use crate::book::{BookMove, Draws, View};
use crate::othello::Move;

/// What stands between two columns.
const GAP: &str = "  ";

/// What a book knows of a position: its value, and a table of its moves with their best play. Of that, so much is left out that no row has
/// more than `most_columns` columns.
pub fn book_table(view: &View, most_columns: usize) -> String {
    let mut text = view.entry.value.map_or_else(|| "not searched".to_owned(), |value| format!("value {value}"));
    let bounds = bounds(view.entry.lower, view.entry.upper);
    if !bounds.is_empty() {
        text += &format!(", proven {bounds}");
    }
    if let Some(Draws { lost, won }) = unless_proven(view.entry.draws, view.entry.lower, view.entry.upper) {
        text += &format!("; {lost} if draws are lost, {won} if they are won");
    }
    if view.moves.is_empty() {
        return text + "\n";
    }
    let mut rows = vec![["move", "value", "draws", "proven", "depth", "visits", "games"].map(str::to_owned)];
    rows.extend(view.moves.iter().map(cells));
    // A column is left out in which no move has anything.
    let is_kept = |column: usize| rows[1..].iter().any(|row| !row[column].is_empty());
    let columns: Vec<(usize, usize)> = (0..rows[0].len())
        .filter(|&column| is_kept(column))
        .map(|column| (column, rows.iter().map(|row| row[column].len()).max().unwrap_or(0)))
        .collect();
    let left = most_columns.saturating_sub(columns.iter().map(|(_, width)| width + GAP.len()).sum());
    let lines = view.moves.iter().map(|found| best_play(found, view.weights, left));
    text += "\n\n";
    for (row, line) in rows.iter().zip(std::iter::once("line".to_owned()).chain(lines)) {
        for &(column, width) in &columns {
            let cell = &row[column];
            text += &if column == 0 { format!("{cell:<width$}{GAP}") } else { format!("{cell:>width$}{GAP}") };
        }
        text += &format!("{line}\n");
    }
    text
}

/// What stands before the line of a move; nothing where nothing is known.
fn cells(found: &BookMove) -> [String; 7] {
    let number = |count: u32| if count == 0 { String::new() } else { count.to_string() };
    let draws = unless_proven(found.draws, found.lower, found.upper);
    [
        found.turn.to_string(),
        found.value.map_or_else(|| "-".to_owned(), |value| value.to_string()),
        draws.map_or_else(String::new, |Draws { lost, won }| format!("{lost}/{won}")),
        bounds(found.lower, found.upper),
        if found.value.is_some() { found.depth.to_string() } else { String::new() },
        number(found.visits),
        number(found.games),
    ]
}

/// The best play by the book, beginning with a move, and what else is to be said of it, in this number of columns. If there is no room for a
/// move beside it, less is said.
fn best_play(found: &BookMove, weights: u32, columns: usize) -> String {
    let leaf = if found.is_in_book { "" } else { "  (leaf)" };
    let is_other = found.value.is_some() && !found.depth.is_exact() && found.weights != weights;
    let other_weights = if is_other { "  (other weights)" } else { "" };
    let notes = [format!("{leaf}{other_weights}"), other_weights.to_owned(), String::new()];
    let most_moves = |notes: &str| (columns + 1).saturating_sub(notes.len()) / "f5 ".len();
    let notes = notes.iter().find(|notes| most_moves(notes) > 0).map_or("", String::as_str);
    let moves: Vec<String> = found.line.iter().take(most_moves(notes)).map(Move::to_string).collect();
    format!("{}{notes}", moves.join(" "))
}

/// Values by draws, unless the bounds say that it is one.
fn unless_proven(draws: Option<Draws>, lower: i8, upper: i8) -> Option<Draws> {
    draws.filter(|_| (lower, upper) != (0, 0))
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
