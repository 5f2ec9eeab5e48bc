//! The option `book`: the opening book that moves are played from.

use super::option::OptionError;
use crate::book::{Book, BookError, Contents, Database, LEARNED_PLIES, View};
use crate::othello::{GameRecord, Position};
use crate::search::{Contempt, Line, Report};
use parking_lot::Mutex;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// How long a game waits to be learned where another program has the book: meanwhile, and while the book is opened, the client is not answered.
const PATIENCE: Duration = Duration::from_millis(100);

/// An opening book, opened when the option was set. Displayed, it is its path.
#[derive(Clone)]
pub struct OpeningBook(Arc<Named>);

struct Named {
    name: String,
    book: Book,
    /// The file as it was left by [`OpeningBook::learn`]: while it is so, its checksums need not be compared again, which takes long in a large book.
    left: Mutex<Option<Stamp>>,
}

/// The length of a file, and when it was written.
type Stamp = (u64, SystemTime);

fn stamp(path: &Path) -> Option<Stamp> {
    let file = fs::metadata(path).ok()?;
    Some((file.len(), file.modified().ok()?))
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
            Ok(book) => Ok(OpeningBook(Arc::new(Named { name: path.to_owned(), book, left: Mutex::new(None) }))),
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
                let mut left = self.0.left.lock();
                let open = || match *left {
                    Some(_) if *left == stamp(path) => Database::open_compared(path),
                    _ => Database::open(path),
                };
                let book = Database::when_free(PATIENCE, open)?;
                *left = None;
                let learned = book.learn(std::slice::from_ref(game), LEARNED_PLIES)?;
                // To close it writes it too.
                drop(book);
                *left = stamp(path);
                Ok(learned)
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
    use crate::othello::Move;
    use crate::search::{Depth, SearchDepth};
    use crate::testing::random_position;

    #[test]
    fn the_checksums_of_a_book_are_compared_unless_it_is_as_it_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        // Large enough to have pages that nobody needs who opens it.
        let starts = (0..300).map(|seed| GameRecord::from_position(random_position(seed, 40)));
        Database::create(&path, 5).unwrap().learn(&starts.collect::<Vec<_>>(), LEARNED_PLIES).unwrap();
        let mut game = GameRecord::default();
        game.take(Move::Place("f5".parse().unwrap())).unwrap();
        let book = OpeningBook::open(path.to_str().unwrap()).unwrap();
        assert_eq!(*book.0.left.lock(), None);
        for new in [1, 0] {
            assert_eq!(book.learn(&game).unwrap(), new);
            assert_eq!(*book.0.left.lock(), stamp(&path));
        }
        let left = book.0.left.lock().unwrap();
        fs::write(&path, damaged(&path)).unwrap();
        let learned_if_written = |time| {
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
            book.learn(&game)
        };
        assert!(is_refused(learned_if_written(left.1 + Duration::from_secs(5))));
        assert!(!is_refused(learned_if_written(left.1)), "as far as the program sees, the file is as it was left");
    }

    /// Whether the checksums were compared, and differ.
    fn is_refused<T>(done: Result<T, BookError>) -> bool {
        matches!(done, Err(BookError::Damaged(why)) if why.contains("it was not changed"))
    }

    /// The book with a page of which only a comparison of the checksums sees that it is damaged.
    fn damaged(path: &Path) -> Vec<u8> {
        let whole = fs::read(path).unwrap();
        // In the middle of a page there is an entry.
        let mut damages = (1..whole.len() / 4096).map(|page| {
            let mut damaged = whole.clone();
            damaged[page * 4096 + 600] ^= 1;
            damaged
        });
        let found = damages.find(|damaged| {
            // Whoever opens it may write.
            let opened = |open: fn(&Path) -> Result<Database, BookError>| {
                fs::write(path, damaged).unwrap();
                open(path)
            };
            is_refused(opened(Database::open)) && opened(Database::open_compared).is_ok()
        });
        found.unwrap()
    }

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
