//! The option `book`: the opening book that moves are played from.

use super::option::OptionError;
use crate::book::{Book, BookError, Contents, Database, LEARNED_PLIES, View};
use crate::othello::{GameRecord, Position};
use crate::search::{Contempt, Line, Report};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How long a game waits to be learned where another program has the book: meanwhile the client is not answered.
const PATIENCE: Duration = Duration::from_millis(100);

/// An opening book, opened when the option was set. Displayed, it is its path.
#[derive(Clone)]
pub struct OpeningBook(Arc<Named>);

struct Named {
    name: String,
    book: Book,
}

impl OpeningBook {
    /// The book that is part of the program.
    pub fn builtin() -> OpeningBook {
        static BUILTIN: OnceLock<OpeningBook> = OnceLock::new();
        BUILTIN.get_or_init(|| OpeningBook::read(Book::BUILTIN).expect("a test opens it")).clone()
    }

    /// Opens a book of either kind, or the one that is part of the program, by its name.
    ///
    /// # Errors
    /// If it cannot be read, or is not a book of this program's format.
    pub fn open(path: &str) -> Result<OpeningBook, OptionError> {
        if path == Book::BUILTIN { Ok(OpeningBook::builtin()) } else { OpeningBook::read(path) }
    }

    fn read(path: &str) -> Result<OpeningBook, OptionError> {
        match Book::open(Path::new(path)) {
            Ok(book) => Ok(OpeningBook(Arc::new(Named { name: path.to_owned(), book }))),
            Err(error) => Err(OptionError::File { name: "book", path: path.to_owned(), problem: error.to_string() }),
        }
    }

    /// What the book knows of a position, if it is there, with draws at this worth. A book that cannot be read, because it grows at the
    /// moment, knows nothing; the log says so.
    pub fn view(&self, position: &Position, contempt: Contempt) -> Option<View> {
        self.look_up(position, contempt).unwrap_or_else(|error| {
            log::warn!("{error}");
            None
        })
    }

    /// What the book knows of a position, if it is there, with draws at this worth.
    ///
    /// # Errors
    /// If the book cannot be read, because it grows at the moment: a sentence that names the book.
    pub fn look_up(&self, position: &Position, contempt: Contempt) -> Result<Option<View>, String> {
        let known = |book: Contents<'_>| match contempt {
            contempt if contempt == Contempt::NONE || book.knows_draws() => book.look_up(position, contempt),
            _ => Ok(None),
        };
        self.0.book.now().and_then(known).map_err(|error| format!("book '{self}': {error}"))
    }

    /// The fingerprint of the evaluation that the book grew with; `None` if it cannot be read at the moment.
    pub(super) fn weights(&self) -> Option<u32> {
        self.0.book.now().ok().map(|book| book.weights())
    }

    /// The moves to play by the book, the best first; `None` if it has none that is the best as far as it knows.
    pub(super) fn report(&self, position: &Position, contempt: Contempt) -> Option<Report> {
        let view = self.view(position, contempt)?;
        let lines: Vec<Line> = view.playable().collect();
        lines.first().map(|best| best.depth).map(|depth| Report { lines, depth, ..Report::default() })
    }

    /// Adds the positions of a game, which is on the disk when this returns; they wait to be searched.
    ///
    /// # Errors
    /// If the book is that of the program, packed, in use, or the disk does not take it.
    pub fn learn(&self, game: &GameRecord) -> Result<u64, BookError> {
        match &self.0.book {
            Book::Packed(_) if self.0.name == Book::BUILTIN => Err(BookError::Builtin),
            Book::Packed(_) => Err(BookError::Packed),
            Book::Database(path) => {
                Database::open_when_free(path, PATIENCE)?.learn(std::slice::from_ref(game), LEARNED_PLIES)
            }
        }
    }
}

impl PartialEq for OpeningBook {
    fn eq(&self, other: &OpeningBook) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Display for OpeningBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name)
    }
}

impl fmt::Debug for OpeningBook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OpeningBook").field(&self.0.name).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{ALPHA_BETA, Engine, EngineOptions, Request};
    use crate::search::{Depth, SearchDepth};

    #[test]
    fn the_default_engine_plays_from_the_book_of_the_program() {
        let asked = |options: EngineOptions, request: Request| Engine::new(options).start(request).wait().report.nodes;
        let start = Request::best_move(Position::START);
        let options = || EngineOptions { depth: Depth::new(3), ..EngineOptions::default() };
        assert_eq!(asked(options(), start.clone()), 0);
        assert!(asked(EngineOptions { book: None, ..options() }, start.clone()) > 0);
        assert!(asked(EngineOptions { engine: &ALPHA_BETA, ..options() }, start.clone()) > 0);
        assert!(asked(options(), Request::hint(Position::START, 1)) > 0, "values are searched");
        assert_eq!(asked(options(), Request { contempt: Contempt::new(5).unwrap(), ..start }), 0, "it knows draws");
        let report = OpeningBook::builtin().report(&Position::START, Contempt::NONE).unwrap();
        assert_eq!((report.lines.len(), report.depth), (4, report.lines[0].depth));
        assert_ne!(report.depth, SearchDepth::default(), "what a client is shown");
    }
}
