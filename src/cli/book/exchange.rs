//! `emilia book export` and `emilia book import`.

use super::{at, making, warn_of_weights};
use crate::book::{Book, Exported, ForeignBook, ForeignFormat, Imported, export};
use crate::cli::on_interrupt;
use crate::cli::options::WeightsArguments;
use crate::cli::output::{counted, say};
use crate::eval::{EvaluatorKind, fingerprint};
use crate::whole_file::why;
use clap::Args;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// Which book is written for whom.
#[derive(Args, Clone, Debug)]
pub(super) struct ExportArguments {
    /// The book, packed or not; builtin is that of the program
    #[arg(default_value = Book::BUILTIN)]
    book: PathBuf,
    /// The file to write: .dat for Edax, .egbk3 for Egaroucid
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// Which book of another program becomes Emilia's.
#[derive(Args, Clone, Debug)]
pub(super) struct ImportArguments {
    /// The book of Edax or Egaroucid, told by its content
    file: PathBuf,
    /// The book to make
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    weights: WeightsArguments,
}

/// Writes a book for another program, and says what it cannot carry.
pub(super) fn run_export(arguments: &ExportArguments) -> Result<(), String> {
    let (path, out) = (&arguments.book, &arguments.out);
    let Some(format) = ForeignFormat::of_ending(out) else {
        return Err(at(out)("expected a name that ends in .dat (Edax) or .egbk3 (Egaroucid)"));
    };
    let book = Book::open(path).map_err(at(path))?;
    let book = book.now().map_err(at(path))?;
    warn_of_weights(path, book.weights());
    let Exported { positions, links, without_value, without_leaf, rounded, bounds, games, confidences } =
        export(book.positions(), format, out).map_err(making(path, out))?;
    say(format_args!("{}, {} between them", counted(positions.into(), "position"), counted(links, "move")));
    say_counts(&[
        (without_value, "positions that wait to be searched and are left out"),
        (without_leaf, "positions without a leaf, because it waits to be searched"),
        (rounded, "values rounded to whole discs"),
        (bounds, "positions that lose their proven bounds"),
        (games, "positions that lose the number of their games"),
        (confidences, "searches that lose a part of their depth or how sure their cuts were"),
    ]);
    Ok(())
}

/// Makes a book of another program's.
pub(super) fn run_import(arguments: &ImportArguments) -> Result<(), String> {
    let (path, out) = (&arguments.file, &arguments.out);
    let weights = fingerprint(&*arguments.weights.evaluator(EvaluatorKind::default())?);
    let file = BufReader::new(File::open(path).map_err(|error| at(path)(why(&error)))?);
    let book = ForeignBook::read(file).map_err(at(path))?;
    let Imported { positions, without_move, repeated, without_leaf, without_value, contradictory } =
        book.import(weights, out, &*on_interrupt()?).map_err(at(out))?;
    say(counted(positions, "position"));
    say_counts(&[
        (without_move, "positions left out, because they have no move"),
        (repeated, "positions that were there already"),
        (without_leaf, "positions whose own value counts until they are searched, because no move has one"),
        (without_value, "positions that have the value of their best move, because the file has none"),
        (contradictory, "values that are not the best move's, which counts instead"),
    ]);
    Ok(())
}

/// Says which counts are not 0.
fn say_counts(counts: &[(u64, &str)]) {
    for (count, what) in counts.iter().filter(|(count, _)| *count > 0) {
        say(format_args!("{what}: {count}"));
    }
}
