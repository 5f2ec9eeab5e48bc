//! The opening book: the best-first tree that stays on disk.
//!
//! A graph of positions, one for all that are alike by symmetry ([`Key`]), with what is known of each ([`Entry`]). [`graph`] says how
//! values follow from one another and where the book is to grow; [`Database`] keeps it in a file that survives everything, and
//! [`PackedBook`] in one that is small and never changes. [`Book`] is either, for those who only read. Books are made of others by [`merge`] and
//! [`prune`], and exchanged with other programs by [`export`] and [`ForeignBook`].

mod combine;
mod database;
mod draws;
mod entry;
mod error;
mod exchange;
pub mod graph;
mod held;
mod key;
mod learn;
mod overlay;
mod packed;
mod rule;
mod select;
mod take;
mod view;

pub use combine::{Keep, merge, prune};
pub use database::{Database, Snapshot};
pub use draws::Draws;
pub use entry::{Entry, Leaf};
pub use error::BookError;
pub use exchange::{Exported, ForeignBook, ForeignFormat, Imported, export};
pub use graph::{Positions, PositionsMut};
pub use key::{Key, Next, moves, next};
pub use learn::LEARNED_PLIES;
pub use packed::{PackedBook, RECORD, pack};
pub use rule::{COST_UNIT, GrowthRule};
pub use select::{Step, Work, learned_work, needs_no_search, next_work};
pub use take::{Finding, Outcome};
pub use view::{BookMove, View, look_up};

use crate::othello::Position;
use crate::search::Contempt;
use crate::whole_file::expect_folder;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// A book to read from, of either kind.
#[derive(Debug)]
pub enum Book {
    /// One that never changes.
    Packed(PackedBook),
    /// One that may grow: it is opened for each look, so that it can.
    Database(PathBuf),
}

/// A book of either kind as it is at one moment.
pub enum Contents<'a> {
    /// One that never changes.
    Packed(&'a PackedBook),
    /// One that grows when it is not looked at.
    Database(Box<Snapshot>),
}

impl Contents<'_> {
    /// Its positions.
    pub fn positions(&self) -> &dyn Positions {
        match self {
            Contents::Packed(packed) => *packed,
            Contents::Database(book) => &**book,
        }
    }

    /// The positions that can be read, where a part of the file is damaged, and how many cannot. What depends on the worth of a draw may be
    /// left out.
    ///
    /// # Errors
    /// If the system refuses, or there was an interrupt.
    pub fn readable(&self, interrupt: &AtomicBool) -> Result<(BTreeMap<Key, Entry>, u64), BookError> {
        match self {
            Contents::Packed(packed) => Ok((packed.iter().collect(), 0)),
            Contents::Database(book) => book.readable(interrupt),
        }
    }

    /// What the book knows of a position, if it is there, with draws at this worth. Where the side to move must pass, the one move is the pass.
    ///
    /// # Errors
    /// If the book cannot be read.
    pub fn look_up(&self, position: &Position, contempt: Contempt) -> Result<Option<View>, BookError> {
        view::look_up(self.positions(), self.weights(), position, contempt)
    }

    /// Whether the book says what depends on the worth of a draw: packed books of the former format do not.
    pub fn knows_draws(&self) -> bool {
        match self {
            Contents::Packed(packed) => packed.knows_draws,
            Contents::Database(_) => true,
        }
    }

    /// The fingerprint of the evaluation that the book has grown with last.
    pub fn weights(&self) -> u32 {
        match self {
            Contents::Packed(packed) => packed.weights,
            Contents::Database(book) => book.weights,
        }
    }
}

/// Fails if this names the book that is part of the program, which does not change.
fn expect_not_builtin(path: &Path) -> Result<(), BookError> {
    if path == Path::new(Book::BUILTIN) { Err(BookError::Builtin) } else { Ok(()) }
}

/// Fails if the user wants the work to end.
fn expect_no_interrupt(interrupt: &AtomicBool) -> Result<(), BookError> {
    if interrupt.load(Ordering::Relaxed) { Err(BookError::Interrupted) } else { Ok(()) }
}

/// Fails unless a book can be made at this path, where nothing may be yet.
fn expect_new(path: &Path) -> Result<(), BookError> {
    expect_not_builtin(path)?;
    if fs::symlink_metadata(path).is_ok() {
        return Err(BookError::Exists);
    }
    Ok(expect_folder(path)?)
}

/// The book that is part of the program; docs/book.md says how it was grown.
static BUILTIN: &[u8] = include_bytes!("../../assets/opening.book");

impl Book {
    /// The name of the book that is part of the program.
    pub const BUILTIN: &str = "builtin";

    /// Opens a book of either kind, or the one that is part of the program, by its name.
    ///
    /// # Errors
    /// If the file cannot be read or is not a book of this program's format.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        if path == Path::new(Book::BUILTIN) {
            return Ok(Book::Packed(PackedBook::built(BUILTIN)?));
        }
        if PackedBook::is_at(path)? {
            return Ok(Book::Packed(PackedBook::open(path)?));
        }
        match Snapshot::open(path) {
            // While it grows it knows nothing; later moves ask it again.
            Ok(_) | Err(BookError::InUse) => Ok(Book::Database(path.to_owned())),
            Err(error) => Err(error),
        }
    }

    /// Fails unless the book at this path is one that can grow. One that another program has open counts as such.
    ///
    /// # Errors
    /// If it is the book of the program or a packed one, or as for [`Book::open`].
    pub fn expect_growing(path: &Path) -> Result<(), BookError> {
        expect_not_builtin(path)?;
        match Book::open(path)? {
            Book::Packed(_) => Err(BookError::Packed),
            Book::Database(_) => Ok(()),
        }
    }

    /// The book as it is now. While this is held, no program can change it.
    ///
    /// # Errors
    /// If it cannot be read, or another program is writing it.
    pub fn now(&self) -> Result<Contents<'_>, BookError> {
        match self {
            Book::Packed(packed) => Ok(Contents::Packed(packed)),
            Book::Database(path) => Ok(Contents::Database(Box::new(Snapshot::open(path)?))),
        }
    }
}
