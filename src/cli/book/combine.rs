//! `emilia book merge` and `emilia book prune`.

use super::{at, warn_of_other_weights};
use crate::book::{Book, BookError, Contents, Keep, Positions, merge, prune};
use crate::cli::on_interrupt;
use crate::cli::output::{counted, say, warn};
use crate::search::Score;
use clap::{ArgGroup, Args};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

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
    let interrupt = on_interrupt()?;
    let books: Vec<(&Path, Contents<'_>)> = arguments.books.iter().map(PathBuf::as_path).zip(contents).collect();
    make(&books, &interrupt, &arguments.out, |books| merge(books, weights, &arguments.out, &interrupt))
}

/// Makes a book of a part of another.
pub(super) fn run_prune(arguments: &PruneArguments) -> Result<(), String> {
    let path = &arguments.book;
    let book = Book::open(path).map_err(at(path))?;
    let book = book.now().map_err(at(path))?;
    let positions = arguments.positions.map(|positions| usize::try_from(positions).unwrap_or(usize::MAX));
    let keep = Keep { loss: arguments.loss.map(|discs| Score::from_discs(discs.into())), positions };
    let (weights, interrupt) = (book.weights(), on_interrupt()?);
    make(&[(path.as_path(), book)], &interrupt, &arguments.out, |books| {
        prune(books[0], weights, keep, &arguments.out, &interrupt)
    })
}

/// Makes a book of others. Of a damaged one what can be read is taken, and it is said how much cannot.
fn make(
    books: &[(&Path, Contents<'_>)],
    interrupt: &AtomicBool,
    out: &Path,
    make_of: impl Fn(&[&dyn Positions]) -> Result<u64, BookError>,
) -> Result<(), String> {
    let whole: Vec<&dyn Positions> = books.iter().map(|(_, book)| book.positions()).collect();
    let made = match make_of(&whole) {
        Err(BookError::Damaged(_) | BookError::NotABook(_)) => {
            let mut rests = Vec::new();
            for (path, book) in books {
                let (rest, lost) = book.readable(interrupt).map_err(at(path))?;
                if lost > 0 {
                    let lost = counted(lost, "position");
                    warn(at(path)(format!(
                        "the book is damaged; left out, because it cannot be read or lies between damaged pages: {lost}"
                    )));
                }
                rests.push(rest);
            }
            let rests: Vec<&dyn Positions> = rests.iter().map(|rest| rest as &dyn Positions).collect();
            make_of(&rests)
        }
        made => made,
    };
    say(counted(made.map_err(at(out))?, "position"));
    Ok(())
}
