//! A book that grows: a `redb` file. What a transaction has changed is there after a crash whole or not at all.

use super::graph::{fault, is_draw, propagate};
use super::held::{Held, unless_damaged};
use super::overlay::Overlay;
use super::{BookError, Draws, Entry, Key, PackedBook, Positions, PositionsMut, expect_new, expect_not_builtin};
use crate::othello::Position;
use redb::{
    AccessGuard, Builder, DatabaseError, ReadOnlyDatabase, ReadOnlyTable, ReadableDatabase, ReadableTable,
    ReadableTableMetadata, Table, TableDefinition, TableError, WriteTransaction,
};
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::Duration;

/// The format of the entries.
const VERSION: u64 = 2;
/// The format that did not know what depends on the worth of a draw.
const WITHOUT_DRAWS: u64 = 1;
/// Bytes of the file that are kept in memory.
const CACHE: usize = 256 << 20;

/// What is wrong with a book of which a page is not as it was written.
const OTHER_CHECKSUM: &str = "a page has another checksum";

/// After which time a book that is in use is tried again.
const AGAIN: Duration = Duration::from_millis(20);

type KeyBytes = &'static [u8; Key::BYTES];
type EntryBytes = &'static [u8; Entry::BYTES];
type DrawsBytes = &'static [u8; Draws::BYTES];
const POSITIONS: TableDefinition<'_, KeyBytes, EntryBytes> = TableDefinition::new("positions");
/// Of the few positions that have them, the values by what a draw is worth.
const DRAWS: TableDefinition<'_, KeyBytes, DrawsBytes> = TableDefinition::new("draws");
const ABOUT: TableDefinition<'_, &str, u64> = TableDefinition::new("about");
/// In the table [`ABOUT`]: the format of the entries.
const FORMAT: &str = "format";
/// In the table [`ABOUT`]: the fingerprint of the evaluation that the costs count with.
const WEIGHTS: &str = "weights";

/// A book open for changes. No other program can open it meanwhile.
#[derive(Debug)]
pub struct Database(Held<redb::Database>);

impl Database {
    /// Makes a book of the start position alone, not yet searched, for an evaluation with this fingerprint.
    ///
    /// # Errors
    /// If the file is there already or cannot be written.
    pub fn create(path: &Path, weights: u32) -> Result<Database, BookError> {
        expect_new(path)?;
        let create = || {
            let book = Database(Held::new(opened(|| builder().create(path))?));
            book.change(|changes| {
                set_about(changes, FORMAT, VERSION)?;
                set_about(changes, WEIGHTS, weights.into())?;
                positions(changes)?.put(&Key::of(&Position::START).0, &Entry::UNSEARCHED)
            })?;
            Ok(book)
        };
        create().inspect_err(|error| {
            // Half a book would be in the way of the next attempt; but another program may have been quicker.
            if !matches!(error, BookError::InUse) {
                let _ = fs::remove_file(path);
            }
        })
    }

    /// Opens a book. One that was left by a program that died is mended first, one of the former format is brought to today's. The checksums
    /// of all pages are compared: a change that meets a damaged one could leave a file that nobody can read any more.
    ///
    /// # Errors
    /// If the file cannot be read or written, is not a book of this program's format, is in use, or is damaged, and then stays as it is.
    pub fn open(path: &Path) -> Result<Database, BookError> {
        expect_not_builtin(path)?;
        if PackedBook::is_at(path)? {
            return Err(BookError::Packed);
        }
        let file = opened(|| builder().set_check_integrity_on_open(true).open(path)).map_err(|error| match error {
            BookError::Damaged(why) => BookError::Damaged(format!(
                "{why}; it was not changed, and 'emilia book merge' may make a whole one of it"
            )),
            error => error,
        })?;
        let book = Database(Held::new(file));
        if let Err(BookError::FormerFormat { weights }) = book.read() {
            log::warn!("the book '{}' is brought to format {VERSION}", path.display());
            book.find_draws(weights)?;
        }
        book.read()?;
        Ok(book)
    }

    /// [`Database::open`], as soon as no other program has the book, if that is within this time, about: readers have it for a moment.
    ///
    /// # Errors
    /// As for [`Database::open`].
    pub fn open_when_free(path: &Path, patience: Duration) -> Result<Database, BookError> {
        for _ in 0..patience.as_millis() / AGAIN.as_millis() {
            match Database::open(path) {
                Err(BookError::InUse) => std::thread::sleep(AGAIN),
                opened => return opened,
            }
        }
        Database::open(path)
    }

    /// Makes a book of the former format one of today's.
    fn find_draws(&self, weights: u32) -> Result<(), BookError> {
        self.change(|changes| {
            let mut positions = positions(changes)?;
            let mut drawn = BTreeSet::new();
            positions.each(&mut |key, entry| {
                drawn.extend(is_draw(&entry).then_some(key));
                Ok(())
            })?;
            propagate(&mut positions, drawn, weights)?;
            set_about(changes, FORMAT, VERSION)
        })
    }

    fn change<T>(&self, work: impl FnOnce(&WriteTransaction) -> Result<T, BookError>) -> Result<T, BookError> {
        unless_damaged(|| {
            let mut transaction = self.0.begin_write().map_err(storage)?;
            // So that a book that was left open is mended at once, however large it is.
            transaction.set_quick_repair(true);
            let done = work(&transaction)?;
            transaction.commit().map_err(storage)?;
            Ok(done)
        })
    }

    /// The book as it is now.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(&self) -> Result<Snapshot, BookError> {
        unless_damaged(|| Snapshot::of(&*self.0))
    }

    /// Adds positions or changes what is known of them, then makes right all that depends on them, as one unit: if it fails, the book is as
    /// it was before. Returns how many positions were looked at.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn update(
        &self,
        weights: u32,
        work: impl FnOnce(&mut dyn PositionsMut) -> Result<BTreeSet<Key>, BookError>,
    ) -> Result<u64, BookError> {
        self.change(|changes| {
            let mut positions = positions(changes)?;
            let changed = work(&mut positions)?;
            propagate(&mut positions, changed, weights)
        })
    }

    /// Makes costs count with an evaluation of this fingerprint: what another one has found is to be searched again.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn grow_with(&self, weights: u32) -> Result<(), BookError> {
        if self.read()?.weights == weights {
            return Ok(());
        }
        self.change(|changes| {
            set_about(changes, WEIGHTS, weights.into())?;
            let mut positions = positions(changes)?;
            let keys = positions.keys()?;
            propagate(&mut positions, keys, weights).map(drop)
        })
    }
}

/// Sets a number in the table [`ABOUT`].
fn set_about(changes: &WriteTransaction, name: &str, number: u64) -> Result<(), BookError> {
    let mut about = changes.open_table(ABOUT).map_err(storage)?;
    about.insert(name, number).map(drop).map_err(storage)
}

/// The two tables of a book's positions.
struct Tables<P, D> {
    positions: P,
    draws: D,
}

/// The positions of a book in a transaction.
type ChangingPositions<'a> = Tables<Table<'a, KeyBytes, EntryBytes>, Table<'a, KeyBytes, DrawsBytes>>;

fn positions(changes: &WriteTransaction) -> Result<ChangingPositions<'_>, BookError> {
    let positions = changes.open_table(POSITIONS).map_err(storage)?;
    Ok(Tables { positions, draws: changes.open_table(DRAWS).map_err(storage)? })
}

fn key(bytes: &[u8; Key::BYTES]) -> Result<Key, BookError> {
    Key::from_bytes(bytes).ok_or_else(|| BookError::Damaged("a key that is no position".to_owned()))
}

fn entry(bytes: &[u8; Entry::BYTES]) -> Result<Entry, BookError> {
    Entry::from_bytes(bytes).ok_or_else(|| BookError::Damaged("an entry that says nothing".to_owned()))
}

fn draws(bytes: &[u8; Draws::BYTES]) -> Result<Draws, BookError> {
    Draws::from_bytes(bytes).ok_or_else(|| BookError::Damaged("values of draws that are none".to_owned()))
}

impl<P, D> Positions for Tables<P, D>
where
    P: ReadableTable<KeyBytes, EntryBytes>,
    D: ReadableTable<KeyBytes, DrawsBytes>,
{
    fn get(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        let key = key.to_bytes();
        let Some(found) = self.positions.get(&key).map_err(storage)? else { return Ok(None) };
        let of_draws = self.draws.get(&key).map_err(storage)?.map(|found| draws(found.value())).transpose()?;
        Ok(Some(Entry { draws: of_draws, ..entry(found.value())? }))
    }

    fn each(&self, visit: &mut dyn FnMut(Key, Entry) -> Result<(), BookError>) -> Result<(), BookError> {
        // Both tables have the order of the keys.
        let mut of_draws = self.draws.iter().map_err(storage)?.peekable();
        for row in self.positions.iter().map_err(storage)? {
            let (found, value) = row.map_err(storage)?;
            let is_of_it = |row: &Result<(_, _), _>| match row {
                Ok((key, _)) => AccessGuard::value(key) == found.value(),
                Err(_) => true,
            };
            let draws = match of_draws.next_if(is_of_it) {
                Some(row) => Some(draws(row.map_err(storage)?.1.value())?),
                None => None,
            };
            visit(key(found.value())?, Entry { draws, ..entry(value.value())? })?;
        }
        Ok(())
    }
}

impl PositionsMut for ChangingPositions<'_> {
    fn put(&mut self, key: &Key, entry: &Entry) -> Result<(), BookError> {
        let key = key.to_bytes();
        self.positions.insert(&key, &entry.to_bytes()).map_err(storage)?;
        match entry.draws {
            Some(draws) => self.draws.insert(&key, &draws.to_bytes()).map(drop).map_err(storage),
            None => self.draws.remove(&key).map(drop).map_err(storage),
        }
    }
}

/// What a book is read from.
enum OpenFile {
    Whole {
        _file: Held<ReadOnlyDatabase>,
    },
    /// Mended in memory alone.
    Mended {
        _file: Held<redb::Database>,
    },
}

/// A book as it was at one moment.
pub struct Snapshot {
    tables: Tables<ReadOnlyTable<KeyBytes, EntryBytes>, ReadOnlyTable<KeyBytes, DrawsBytes>>,
    /// The fingerprint of the evaluation that the costs count with.
    pub weights: u32,
    /// What the table is read from, if nobody else has it.
    _file: Option<OpenFile>,
}

impl Snapshot {
    /// Opens a book for reading. While it is open, no program can change it.
    ///
    /// # Errors
    /// If the file cannot be read, is not a book of this program's format, or another program is changing it.
    pub fn open(path: &Path) -> Result<Snapshot, BookError> {
        match Snapshot::open_as_it_is(path) {
            // A program that changed it died. To open it for changes mends it.
            Err(BookError::LeftOpen) => {
                let mended = opened(|| builder().open(path)).map(Held::new).map(drop);
                match mended.and_then(|()| Snapshot::open_as_it_is(path)) {
                    // A damaged page was in the way.
                    Err(BookError::LeftOpen | BookError::Damaged(_)) => Snapshot::open_left_open(path),
                    Err(BookError::FormerFormat { .. }) => Snapshot::open_brought_to_format(path),
                    snapshot => snapshot,
                }
            }
            Err(BookError::FormerFormat { .. }) => Snapshot::open_brought_to_format(path),
            snapshot => snapshot,
        }
    }

    fn open_brought_to_format(path: &Path) -> Result<Snapshot, BookError> {
        drop(Database::open(path)?);
        Snapshot::open_as_it_is(path)
    }

    fn open_as_it_is(path: &Path) -> Result<Snapshot, BookError> {
        Snapshot::read_only(|| builder().open_read_only(path))
    }

    fn read_only(open: impl FnOnce() -> Result<ReadOnlyDatabase, DatabaseError>) -> Result<Snapshot, BookError> {
        let file = opened(open)?;
        let snapshot = unless_damaged(|| Snapshot::of(&file))?;
        Ok(Snapshot { _file: Some(OpenFile::Whole { _file: Held::new(file) }), ..snapshot })
    }

    /// Opens a damaged book that a program has left open: mended in memory, or else without a look at what that program left.
    fn open_left_open(path: &Path) -> Result<Snapshot, BookError> {
        match Snapshot::open_mended_in_memory(path) {
            Err(BookError::Damaged(_)) => {
                let overlay = locked_overlay(path)?;
                overlay.seem_closed()?;
                Snapshot::read_only(|| builder().open_read_only_with_backend(overlay))
            }
            snapshot => snapshot,
        }
    }

    fn open_mended_in_memory(path: &Path) -> Result<Snapshot, BookError> {
        let overlay = locked_overlay(path)?;
        let file = Held::new(opened(|| builder().create_with_backend(overlay))?);
        let snapshot = unless_damaged(|| Snapshot::of(&*file))?;
        Ok(Snapshot { _file: Some(OpenFile::Mended { _file: file }), ..snapshot })
    }

    /// Opens a book for reading and compares the checksums of its pages.
    ///
    /// # Errors
    /// If [`Snapshot::open`] has one, or a page is damaged.
    pub fn open_and_check_pages(path: &Path) -> Result<Snapshot, BookError> {
        // While it is open, nobody writes the file.
        let snapshot = Snapshot::open(path)?;
        let overlay = Overlay::new(File::open(path)?)?;
        let mut database = Held::new(opened(|| builder().create_with_backend(overlay))?);
        match unless_damaged(|| database.check_integrity().map_err(storage))? {
            true => Ok(snapshot),
            false => Err(BookError::Damaged(OTHER_CHECKSUM.to_owned())),
        }
    }

    fn of(file: &impl ReadableDatabase) -> Result<Snapshot, BookError> {
        let transaction = file.begin_read().map_err(storage)?;
        let about = transaction.open_table(ABOUT).map_err(not_a_book)?;
        let number = |name| -> Result<u64, BookError> {
            let found = about.get(name).map_err(storage)?;
            found.map(|found| found.value()).ok_or_else(|| BookError::NotABook(format!("it does not say its {name}")))
        };
        let format = number(FORMAT)?;
        if ![VERSION, WITHOUT_DRAWS].contains(&format) {
            return Err(BookError::Version { found: format, expected: VERSION });
        }
        let weights = number(WEIGHTS)? as u32;
        if format == WITHOUT_DRAWS {
            return Err(BookError::FormerFormat { weights });
        }
        let positions = transaction.open_table(POSITIONS).map_err(not_a_book)?;
        let draws = transaction.open_table(DRAWS).map_err(not_a_book)?;
        Ok(Snapshot { tables: Tables { positions, draws }, weights, _file: None })
    }

    /// The number of positions.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn count(&self) -> Result<u64, BookError> {
        self.tables.positions.len().map_err(storage)
    }

    /// Computes everything again that can be, and hands what is wrong to `complain`. Returns the number of faults.
    ///
    /// # Errors
    /// If the file cannot be read, or an entry is damaged.
    pub fn check(&self, complain: &mut dyn FnMut(&str)) -> Result<u64, BookError> {
        let mut faults = 0;
        self.each(&mut |key, entry| {
            if let Some(fault) = fault(self, &key, &entry, self.weights)? {
                faults += 1;
                complain(&format!("{}: {fault}", key.position()));
            }
            Ok(())
        })?;
        Ok(faults)
    }
}

impl Positions for Snapshot {
    fn get(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        unless_damaged(|| self.tables.get(key))
    }

    fn each(&self, visit: &mut dyn FnMut(Key, Entry) -> Result<(), BookError>) -> Result<(), BookError> {
        unless_damaged(|| self.tables.each(visit))
    }
}

fn builder() -> Builder {
    let mut builder = Builder::new();
    builder.set_cache_size(CACHE);
    builder
}

/// A file that nobody changes while it is read.
fn locked_overlay(path: &Path) -> Result<Overlay, BookError> {
    let file = File::open(path)?;
    file.try_lock_shared().map_err(|error| match error {
        TryLockError::WouldBlock => BookError::InUse,
        TryLockError::Error(error) => BookError::Io(error),
    })?;
    Ok(Overlay::new(file)?)
}

/// What went wrong in the file.
fn storage(error: impl Into<redb::Error>) -> BookError {
    match error.into() {
        redb::Error::Io(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            let text = error.to_string();
            BookError::NotABook(match text {
                text if text.contains("magic number") => "it does not begin like one".to_owned(),
                text if text.contains("file is empty") => "it is empty".to_owned(),
                text => text,
            })
        }
        redb::Error::Io(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            BookError::NotABook("it is cut off".to_owned())
        }
        redb::Error::Io(error) => BookError::Io(error),
        redb::Error::DatabaseAlreadyOpen => BookError::InUse,
        redb::Error::RepairAborted => BookError::LeftOpen,
        // The library's words for it speak of its own parts.
        redb::Error::Corrupted(text) if text.starts_with("Primary is") || text.ends_with("roots are corrupted") => {
            BookError::Damaged(OTHER_CHECKSUM.to_owned())
        }
        redb::Error::Corrupted(text) => BookError::Damaged(text),
        error => BookError::Damaged(error.to_string()),
    }
}

fn not_a_book(error: TableError) -> BookError {
    match error {
        TableError::Storage(error) => storage(error),
        error => BookError::NotABook(error.to_string()),
    }
}

fn opened<T, E: Into<redb::Error>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, BookError> {
    unless_damaged(|| work().map_err(storage))
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{first_move, found, searched};
    use super::*;
    use crate::othello::{GameRecord, Move};
    use crate::search::SearchDepth;

    /// A book that has learned some games.
    fn book(path: &Path) -> Database {
        let book = Database::create(path, 5).unwrap();
        for seed in 0..30u64 {
            let mut game = GameRecord::default();
            let end = crate::testing::random_position(seed, 40);
            // The way to a position is not known: a game that begins at it is one too.
            game.take(Move::Place("f5".parse().unwrap())).unwrap();
            book.learn(&[game, GameRecord::from_position(end)], 60).unwrap();
        }
        book
    }

    #[test]
    fn what_failed_left_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let book = book(&folder.path().join("book"));
        let before = book.read().unwrap().count().unwrap();
        let failed = book.update(5, |positions| {
            positions.put(&Key::of(&crate::testing::random_position(99, 30)).0, &Entry::UNSEARCHED)?;
            Err(BookError::InUse)
        });
        assert!(failed.is_err());
        assert_eq!(book.read().unwrap().count().unwrap(), before);
        assert_eq!(book.read().unwrap().check(&mut |fault| panic!("{fault}")).unwrap(), 0);
    }

    #[test]
    fn one_program_at_a_time_changes_a_book() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let book = book(&path);
        assert!(matches!(Database::open(&path), Err(BookError::InUse)));
        assert!(matches!(Snapshot::open(&path).err(), Some(BookError::InUse)));
        assert!(matches!(Database::create(&path, 5), Err(BookError::Exists)));
        drop(book);
        let (one, other) = (Snapshot::open(&path).unwrap(), Snapshot::open(&path).unwrap());
        assert_eq!(one.count().unwrap(), other.count().unwrap());
        assert!(matches!(Database::open(&path), Err(BookError::InUse)));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(3 * AGAIN);
                drop((one, other));
            });
            Database::open_when_free(&path, Duration::from_secs(2)).unwrap();
        });
    }

    #[test]
    fn a_book_of_the_former_format_is_brought_to_this_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let grown = book(&path);
        let key = grown.read().unwrap().keys().unwrap().pop_first().unwrap();
        let put = |positions: &mut dyn PositionsMut| {
            positions.put(&key, &searched(found(first_move(&key), 0, SearchDepth::Exact)))?;
            Ok(BTreeSet::from([key]))
        };
        grown.update(5, put).unwrap();
        let draws = |path: &Path| Snapshot::open(path).unwrap().get(&key).unwrap().unwrap().draws;
        grown
            .change(|changes| {
                changes.delete_table(DRAWS).map_err(storage)?;
                set_about(changes, FORMAT, WITHOUT_DRAWS)
            })
            .unwrap();
        drop(grown);
        assert_eq!(draws(&path), Some(Draws::DRAW));
        let found = Snapshot::open(&path).unwrap().check(&mut |fault| panic!("{fault}")).unwrap();
        assert_eq!(found, 0);
    }

    #[test]
    fn other_formats_and_other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let future = book(&path);
        future.change(|changes| set_about(changes, FORMAT, VERSION + 1)).unwrap();
        drop(future);
        assert!(matches!(Database::open(&path), Err(BookError::Version { found: 3, expected: 2 })));
        assert!(matches!(Snapshot::open(&path).err(), Some(BookError::Version { .. })));
        let other = folder.path().join("other");
        for bytes in [&b""[..], b"a book", &[0; 100_000]] {
            fs::write(&other, bytes).unwrap();
            for error in [Database::open(&other).err(), Snapshot::open(&other).err()] {
                assert!(
                    matches!(error, Some(BookError::NotABook(_) | BookError::Damaged(_) | BookError::Io(_))),
                    "{error:?}"
                );
            }
            assert_eq!(fs::read(&other).unwrap(), bytes, "what is no book stays as it is");
        }
    }

    #[test]
    fn damaged_pages_are_seen_by_who_only_reads() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        drop(book(&path));
        let bytes = fs::read(&path).unwrap();
        assert!(Snapshot::open_and_check_pages(&path).is_ok());
        // In the middle of a page there is an entry.
        let (mut seen, mut damaged) = (0, bytes.clone());
        for page in (0..bytes.len() / 4096).step_by(7) {
            let at = page * 4096 + 600;
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let checked = Snapshot::open_and_check_pages(&path);
            seen += u32::from(checked.is_err());
            drop(checked);
            assert!(fs::read(&path).unwrap() == damaged, "it stays as it is");
            damaged[at] ^= 1;
        }
        assert!(seen > 0);
    }

    #[test]
    fn a_book_that_was_cut_is_refused_or_whole() {
        let folder = tempfile::tempdir().unwrap();
        let (path, cut) = (folder.path().join("book"), folder.path().join("cut"));
        drop(book(&path));
        let bytes = fs::read(&path).unwrap();
        let last_page = bytes.len() - 4096..bytes.len();
        for length in (0..bytes.len()).step_by(997).chain(last_page) {
            fs::write(&cut, &bytes[..length]).unwrap();
            let checked = Snapshot::open(&cut).and_then(|book| book.check(&mut |_| {}));
            assert!(!matches!(checked, Ok(1..)), "{length}: {checked:?}");
        }
    }
}
