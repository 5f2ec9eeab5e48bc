//! A book that grows: a `redb` file. What a transaction has changed is there after a crash whole or not at all.

use super::graph::{computed, fault, is_draw, propagate};
use super::held::{Held, unless_damaged};
use super::overlay::Overlay;
use super::{
    BookError, Draws, Entry, GrowthRule, Key, PackedBook, Positions, PositionsMut, expect_new, expect_no_interrupt,
    expect_not_builtin,
};
use crate::othello::Position;
use redb::backends::FileBackend;
use redb::{
    AccessGuard, Builder, DatabaseError, ReadOnlyDatabase, ReadOnlyTable, ReadableDatabase, ReadableTable,
    ReadableTableMetadata, StorageError, Table, TableDefinition, TableError, WriteTransaction,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::AtomicBool;
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
/// In the table [`ABOUT`]: the number of the rule by which costs are counted; 0 where there is none.
const RULE: &str = "rule";

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
        // Another program may make a book of this name at the same time: only one of them makes the file.
        let file = File::options().read(true).write(true).create_new(true).open(path);
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => BookError::Exists,
            _ => error.into(),
        })?;
        let create = || {
            let book = Database(Held::new(opened(|| builder().create_with_backend(FileBackend::new(file)?))?));
            book.change(|changes| {
                set_about(changes, FORMAT, VERSION)?;
                set_about(changes, WEIGHTS, weights.into())?;
                positions(changes)?.put(&Key::of(&Position::START).0, &Entry::UNSEARCHED)
            })?;
            Ok(book)
        };
        create().inspect_err(|_| {
            // Half a book would be in the way of the next attempt.
            let _ = fs::remove_file(path);
        })
    }

    /// Opens a book. One that was left by a program that died is mended first, one of the former format is brought to today's. The checksums
    /// of all pages are compared: a change that meets a damaged one could leave a file that nobody can read any more.
    ///
    /// # Errors
    /// If the file cannot be read or written, is not a book of this program's format, is in use, or is damaged, and then stays as it is.
    pub fn open(path: &Path) -> Result<Database, BookError> {
        Database::open_and_compare(path, true)
    }

    /// [`Database::open`] without a look at the checksums, for a program that has compared them.
    ///
    /// # Errors
    /// As for [`Database::open`], but for damage.
    pub fn open_compared(path: &Path) -> Result<Database, BookError> {
        Database::open_and_compare(path, false)
    }

    fn open_and_compare(path: &Path, compares: bool) -> Result<Database, BookError> {
        expect_not_builtin(path)?;
        if PackedBook::is_at(path)? {
            return Err(BookError::Packed);
        }
        let file =
            opened(|| builder().set_check_integrity_on_open(compares).open(path)).map_err(|error| match error {
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
        Database::when_free(patience, || Database::open(path))
    }

    /// Opens a book by this function as soon as no other program has it, if that is within this time, about.
    ///
    /// # Errors
    /// Those of the function.
    pub fn when_free(
        patience: Duration,
        open: impl Fn() -> Result<Database, BookError>,
    ) -> Result<Database, BookError> {
        for _ in 0..patience.as_millis() / AGAIN.as_millis() {
            match open() {
                Err(BookError::InUse) => std::thread::sleep(AGAIN),
                opened => return opened,
            }
        }
        open()
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
    /// it was before.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn update(
        &self,
        weights: u32,
        work: impl FnOnce(&mut dyn PositionsMut) -> Result<BTreeSet<Key>, BookError>,
    ) -> Result<(), BookError> {
        self.change(|changes| {
            let mut positions = positions(changes)?;
            let changed = work(&mut positions)?;
            propagate(&mut positions, changed, weights)
        })
    }

    /// Makes costs count with an evaluation of this fingerprint, and by this rule: what another evaluation has found is to be searched again. All
    /// of it is one unit of work.
    ///
    /// # Errors
    /// If the disk does not take it, or there was an interrupt; then the book is as it was before.
    pub fn grow_with(&self, weights: u32, rule: GrowthRule, interrupt: &AtomicBool) -> Result<(), BookError> {
        let now = self.read()?;
        if (now.weights, now.rule()) == (weights, rule) {
            return Ok(());
        }
        self.change(|changes| {
            set_about(changes, WEIGHTS, weights.into())?;
            set_about(changes, RULE, rule.number())?;
            let mut positions = positions(changes)?;
            let mut keys = Vec::new();
            positions.each(&mut |key, _| {
                keys.push(key);
                expect_no_interrupt(interrupt)
            })?;
            // What is behind a position has come before it, so none is looked at again.
            for key in keys {
                expect_no_interrupt(interrupt)?;
                let Some(entry) = positions.get(&key)? else { continue };
                let computed = computed(&positions, &key, &entry, weights)?;
                if computed != entry {
                    positions.put(&key, &computed)?;
                }
            }
            Ok(())
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
    rule: GrowthRule,
}

/// The positions of a book in a transaction.
type ChangingPositions<'a> = Tables<Table<'a, KeyBytes, EntryBytes>, Table<'a, KeyBytes, DrawsBytes>>;

fn positions(changes: &WriteTransaction) -> Result<ChangingPositions<'_>, BookError> {
    let rule = rule(&changes.open_table(ABOUT).map_err(storage)?)?;
    let positions = changes.open_table(POSITIONS).map_err(storage)?;
    Ok(Tables { positions, draws: changes.open_table(DRAWS).map_err(storage)?, rule })
}

/// The rule that the table [`ABOUT`] names.
fn rule(about: &impl ReadableTable<&'static str, u64>) -> Result<GrowthRule, BookError> {
    let Some(number) = about.get(RULE).map_err(storage)? else { return Ok(GrowthRule::default()) };
    let number = number.value();
    GrowthRule::of_number(number).ok_or_else(|| BookError::Damaged(format!("it grows by rule {number}, which is none")))
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

    fn rule(&self) -> GrowthRule {
        self.rule
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
        let rule = rule(&about)?;
        let positions = transaction.open_table(POSITIONS).map_err(not_a_book)?;
        let draws = transaction.open_table(DRAWS).map_err(not_a_book)?;
        Ok(Snapshot { tables: Tables { positions, draws, rule }, weights, _file: None })
    }

    /// The number of positions.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn count(&self) -> Result<u64, BookError> {
        self.tables.positions.len().map_err(storage)
    }

    /// The positions that can be read, where some pages are damaged, and how many cannot. What depends on the worth of a draw is left out.
    ///
    /// # Errors
    /// If the system refuses, or there was an interrupt.
    pub fn readable(&self, interrupt: &AtomicBool) -> Result<(BTreeMap<Key, Entry>, u64), BookError> {
        let mut read = BTreeMap::new();
        let is_damaged = |done: Result<(), BookError>| match done {
            Ok(()) => Ok(false),
            // A place that the file does not have makes it seem cut off.
            Err(BookError::Damaged(_) | BookError::NotABook(_)) => Ok(true),
            Err(error) => Err(error),
        };
        for empties in 0..=64 {
            let [first, last] = [u8::MIN, u8::MAX].map(|byte| {
                let mut bound = [byte; Key::BYTES];
                bound[0] = empties;
                bound
            });
            let rows = || self.tables.positions.range::<&[u8; Key::BYTES]>(&first..=&last).map_err(storage);
            // A reading ends at a damaged page; what is behind that is read from the other end.
            if is_damaged(unless_damaged(|| read_rows(rows()?, interrupt, &mut read)))? {
                is_damaged(unless_damaged(|| read_rows(rows()?.rev(), interrupt, &mut read)))?;
            }
        }
        let lost = unless_damaged(|| self.count())?.saturating_sub(read.len() as u64);
        Ok((read, lost))
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

/// Reads rows until there are no more, or one cannot be read; what is no position is left out.
fn read_rows<'a>(
    rows: impl Iterator<Item = Result<(AccessGuard<'a, KeyBytes>, AccessGuard<'a, EntryBytes>), StorageError>>,
    interrupt: &AtomicBool,
    read: &mut BTreeMap<Key, Entry>,
) -> Result<(), BookError> {
    for row in rows {
        expect_no_interrupt(interrupt)?;
        let (found, value) = row.map_err(storage)?;
        if let (Ok(key), Ok(entry)) = (key(found.value()), entry(value.value())) {
            read.insert(key, entry);
        }
    }
    Ok(())
}

impl Positions for Snapshot {
    fn get(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        unless_damaged(|| self.tables.get(key))
    }

    fn each(&self, visit: &mut dyn FnMut(Key, Entry) -> Result<(), BookError>) -> Result<(), BookError> {
        unless_damaged(|| self.tables.each(visit))
    }

    fn rule(&self) -> GrowthRule {
        self.tables.rule
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
mod tests;
