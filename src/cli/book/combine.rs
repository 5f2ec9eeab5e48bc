//! `emilia book merge` and `emilia book prune`.

use super::{at, making, warn_of_other_weights};
use crate::book::{Book, Keep, Positions, merge, prune};
use crate::cli::on_interrupt;
use crate::cli::output::{counted, say};
use crate::search::Score;
use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// Which books become one.
#[derive(Args, Clone, Debug)]
pub(super) struct MergeArguments {
    /// The books, packed or not; the new one is for the evaluation of the first
    #[arg(required = true, value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// The book to make
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// What is kept of which book.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("kept").multiple(true).required(true).args(["loss", "positions"]))]
pub(super) struct PruneArguments {
    /// The book, packed or not
    book: PathBuf,
    /// Keep what is reached from the start by moves that lose at most this many discs in all, both sides counted
    #[arg(long, value_name = "DISCS")]
    loss: Option<u8>,
    /// Keep at most this many positions: those that the growth of the book would come to first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// The book to make
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

/// Makes a book of several.
pub(super) fn run_merge(arguments: &MergeArguments) -> Result<(), String> {
    let open = |path: &PathBuf| Book::open(path).map_err(at(path));
    let books = arguments.books.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let named = books.iter().zip(&arguments.books);
    let contents = named.map(|(book, path)| book.now().map_err(at(path))).collect::<Result<Vec<_>, _>>()?;
    let weights = contents[0].weights();
    for (path, book) in arguments.books.iter().zip(&contents) {
        let outcome = "its values are searched again as the new book grows";
        warn_of_other_weights(path, book.weights(), ("those of the first book", weights), outcome);
    }
    let books: Vec<&dyn Positions> = contents.iter().map(|book| book.positions()).collect();
    let positions = merge(&books, weights, &arguments.out, &*on_interrupt()?).map_err(making(&arguments.out))?;
    say(counted(positions, "position"));
    Ok(())
}

/// Makes a book of a part of another.
pub(super) fn run_prune(arguments: &PruneArguments) -> Result<(), String> {
    let path = &arguments.book;
    let book = Book::open(path).map_err(at(path))?;
    let book = book.now().map_err(at(path))?;
    let positions = arguments.positions.map(|positions| usize::try_from(positions).unwrap_or(usize::MAX));
    let keep = Keep { loss: arguments.loss.map(|discs| Score::from_discs(discs.into())), positions };
    let kept = prune(book.positions(), book.weights(), keep, &arguments.out, &*on_interrupt()?)
        .map_err(making(&arguments.out))?;
    say(counted(kept, "position"));
    Ok(())
}
