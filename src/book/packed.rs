//! A book that never changes: one sorted file, searched where it lies in memory.
//!
//! A header of 32 bytes, numbers with the low byte first: `EMILBOOK`, the format (4 bytes), the fingerprint of the evaluation (4), the number of
//! positions (8), the number of those whose value depends on what a draw is worth (4), and the CRC-32 of all other bytes (4). Then 25 bytes a
//! position, in the order of the keys: the discs of the side to move and of the other one (8 each, high byte first), and
//! [`Entry::judgement`], where the square of a leaf may have `OTHER_WEIGHTS`. Then 8 bytes for each whose value depends on draws: its place in
//! that order (4) and [`Draws`] (4).

use super::exchange::BOOKS_OF_OTHERS;
use super::graph::{computed, difference, illegal_leaf};
use super::{BookError, Draws, Entry, Key, Positions, Snapshot, expect_not_builtin};
use crate::file_bytes::FileBytes;
use crate::whole_file::WholeFile;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"EMILBOOK";
const VERSION: u32 = 2;
/// The format that had nothing in the place of the number of draws.
const WITHOUT_DRAWS: u32 = 1;
const HEADER: usize = 32;
/// Where the checksum stands in the header.
const CHECKSUM: usize = 28;
const BOARDS: usize = 16;
/// Bytes of a position.
pub const RECORD: usize = BOARDS + Entry::JUDGEMENT_BYTES;
/// Added to the square of a leaf that is an estimate of another evaluation.
const OTHER_WEIGHTS: u8 = 0x80;
/// Bytes of a position's place and its values by what a draw is worth.
const DRAWS: usize = 4 + Draws::BYTES;

/// A packed book.
#[derive(Debug)]
pub struct PackedBook {
    bytes: FileBytes,
    positions: usize,
    /// The fingerprint of the evaluation that the book grew with.
    pub weights: u32,
    /// Whether it says what depends on the worth of a draw.
    pub(super) knows_draws: bool,
}

impl PackedBook {
    /// Whether the file says that it is a packed book.
    pub(super) fn is_at(path: &Path) -> Result<bool, BookError> {
        expect_regular_file(path)?;
        for (beginning, program) in BOOKS_OF_OTHERS {
            if begins_with(path, beginning)? {
                let problem = format!("it is one of {program}; 'emilia book import' makes one of Emilia's of it");
                return Err(BookError::NotABook(problem));
            }
        }
        begins_with(path, MAGIC)
    }

    /// Opens a packed book, and reads it once to compare its checksum.
    ///
    /// # Errors
    /// If the file cannot be read, is not a packed book of this program's format, or is damaged.
    pub fn open(path: &Path) -> Result<PackedBook, BookError> {
        expect_regular_file(path)?;
        PackedBook::of(FileBytes::open(path)?)
    }

    /// A packed book in memory.
    ///
    /// # Errors
    /// As for [`PackedBook::open`].
    pub fn built(bytes: impl Into<Cow<'static, [u8]>>) -> Result<PackedBook, BookError> {
        PackedBook::of(FileBytes::Kept(bytes.into()))
    }

    fn of(bytes: FileBytes) -> Result<PackedBook, BookError> {
        let damaged = |problem: &str| BookError::Damaged(problem.to_owned());
        if !bytes.starts_with(MAGIC) {
            return Err(BookError::NotABook("it does not begin as one".to_owned()));
        }
        let header: &[u8; HEADER] = bytes.first_chunk().ok_or_else(|| damaged("its header is cut off"))?;
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| header[at + i]));
        if ![VERSION, WITHOUT_DRAWS].contains(&number(8)) {
            return Err(BookError::Version { found: number(8).into(), expected: VERSION.into() });
        }
        let positions = u64::from(number(16)) | u64::from(number(20)) << 32;
        let rest = HEADER as u64 + u64::from(number(24)) * DRAWS as u64;
        let length = positions.checked_mul(RECORD as u64).and_then(|length| length.checked_add(rest));
        if length != Some(bytes.len() as u64) {
            return Err(damaged(&format!("{} bytes cannot be {positions} positions", bytes.len())));
        }
        if checksum(header, &bytes[HEADER..]) != number(CHECKSUM) {
            return Err(damaged("its checksum is another one"));
        }
        Ok(PackedBook {
            weights: number(12),
            knows_draws: number(8) != WITHOUT_DRAWS,
            positions: positions as usize,
            bytes,
        })
    }

    /// The number of positions.
    pub fn count(&self) -> usize {
        self.positions
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn record(&self, index: usize) -> &[u8; RECORD] {
        let from = HEADER + index * RECORD;
        self.bytes[from..].first_chunk().expect("the length was compared")
    }

    /// Every position with its entry; those that make no sense are left out.
    pub fn iter(&self) -> impl Iterator<Item = (Key, Entry)> {
        (0..self.positions).filter_map(|index| {
            let (_, player, opponent) = name(self.record(index));
            Some((Key::from_boards(player, opponent)?, self.entry(index)?))
        })
    }

    /// Computes every value again from the leaves, and hands what is wrong to `complain`. Returns the number of faults.
    ///
    /// # Errors
    /// If the book cannot be read.
    pub fn check(&self, complain: &mut dyn FnMut(&str)) -> Result<u64, BookError> {
        let mut faults = 0;
        for index in 0..self.positions {
            if let Some(fault) = self.fault(index)? {
                faults += 1;
                complain(&format!("position {}: {fault}", index + 1));
            }
        }
        Ok(faults)
    }

    /// What is wrong with the position in this place.
    fn fault(&self, index: usize) -> Result<Option<String>, BookError> {
        let boards = name(self.record(index));
        if index > 0 && name(self.record(index - 1)) >= boards {
            return Ok(Some("it is not behind the one before it in the order of the keys".to_owned()));
        }
        let (Some(key), Some(entry)) = (Key::from_boards(boards.1, boards.2), self.entry(index)) else {
            return Ok(Some("it is no position, or it has no such value".to_owned()));
        };
        let fault = match illegal_leaf(&key, &entry) {
            Some(square) => Some(format!("{square} is no move")),
            None => {
                let computed = computed(self, &key, &entry, self.weights)?;
                // These are not in the file.
                let draws = if self.knows_draws { computed.draws } else { entry.draws };
                difference(&entry, &Entry { cost: entry.cost, draws, ..computed })
            }
        };
        Ok(fault.map(|fault| format!("{}: {fault}", key.position())))
    }

    fn entry(&self, index: usize) -> Option<Entry> {
        let mut judgement = *self.record(index)[BOARDS..].first_chunk()?;
        let square: &mut u8 = &mut judgement[Entry::SQUARE];
        let weights = if *square & OTHER_WEIGHTS == 0 { self.weights } else { 0 };
        *square &= !OTHER_WEIGHTS;
        Some(Entry { weights, draws: self.draws(index), ..Entry::of_judgement(&judgement)? })
    }

    /// The values of a position by what a draw is worth, if it has such.
    fn draws(&self, index: usize) -> Option<Draws> {
        let (rows, _) = self.bytes[HEADER + self.positions * RECORD..].as_chunks::<DRAWS>();
        let place = |row: &[u8; DRAWS]| u32::from_le_bytes(std::array::from_fn(|i| row[i])) as usize;
        let row = rows.binary_search_by_key(&index, place).ok()?;
        Draws::from_bytes(rows[row].last_chunk()?)
    }
}

/// The boards of a record in the order of the keys.
fn name(record: &[u8; RECORD]) -> (u32, u64, u64) {
    let word = |from: usize| u64::from_be_bytes(std::array::from_fn(|i| record[from + i]));
    let (player, opponent) = (word(0), word(8));
    ((!(player | opponent)).count_ones(), player, opponent)
}

impl Positions for PackedBook {
    fn get(&self, key: &Key) -> Result<Option<Entry>, BookError> {
        let (player, opponent) = key.boards();
        let wanted = (u32::from(key.empties()), player, opponent);
        let (records, _) = self.bytes[HEADER..][..self.positions * RECORD].as_chunks();
        Ok(records.binary_search_by_key(&wanted, name).ok().and_then(|index| self.entry(index)))
    }

    fn each(&self, visit: &mut dyn FnMut(Key, Entry) -> Result<(), BookError>) -> Result<(), BookError> {
        self.iter().try_for_each(|(key, entry)| visit(key, entry))
    }
}

/// A pipe would be waited for.
fn expect_regular_file(path: &Path) -> Result<(), BookError> {
    match std::fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(BookError::NotABook("it is not a regular file".to_owned())),
    }
}

fn begins_with(path: &Path, bytes: &[u8]) -> Result<bool, BookError> {
    let mut found = vec![0; bytes.len()];
    match File::open(path)?.read_exact(&mut found) {
        Ok(()) => Ok(found == bytes),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Fails if there is a file that begins with none of these bytes, so is not what was expected: it may be a book that grows, and is not to be
/// replaced.
pub(super) fn expect_no_other_file(path: &Path, beginnings: &[&[u8]], expected: &'static str) -> Result<(), BookError> {
    if !std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0) {
        return Ok(());
    }
    for beginning in beginnings {
        if begins_with(path, beginning)? {
            return Ok(());
        }
    }
    Err(BookError::OtherFile { expected })
}

fn checksum(header: &[u8; HEADER], records: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[..CHECKSUM]);
    hasher.update(records);
    hasher.finalize()
}

/// Writes the positions with a value to a packed file, and returns their number. A packed book that is there is replaced.
///
/// # Errors
/// If the book cannot be read or the file not be written, or if a file that is no packed book is there: it may be a book that grows.
pub fn pack(book: &Snapshot, path: &Path) -> Result<u64, BookError> {
    expect_not_builtin(path)?;
    expect_no_other_file(path, &[MAGIC], "packed book")?;
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&book.weights.to_le_bytes());
    let (mut positions, mut with_draws) = (0u64, 0u32);
    book.each(&mut |_, entry| {
        positions += u64::from(entry.value.is_some());
        with_draws += u32::from(entry.value.and(entry.draws).is_some());
        Ok(())
    })?;
    header[16..24].copy_from_slice(&positions.to_le_bytes());
    header[24..28].copy_from_slice(&with_draws.to_le_bytes());
    // The checksum stands before what it is of: so all is read twice, and nothing is kept.
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header[..CHECKSUM]);
    records(book, |bytes| {
        hasher.update(bytes);
        Ok(())
    })?;
    header[CHECKSUM..].copy_from_slice(&hasher.finalize().to_le_bytes());
    let mut file = WholeFile::create(path)?;
    file.write_all(&header)?;
    records(book, |bytes| Ok(file.write_all(bytes)?))?;
    file.finish()?;
    Ok(positions)
}

/// Hands over what comes behind the header, piece by piece.
fn records(book: &Snapshot, mut take: impl FnMut(&[u8]) -> Result<(), BookError>) -> Result<(), BookError> {
    let mut place = 0u32;
    let mut draws = Vec::new();
    book.each(&mut |key, entry| {
        if entry.value.is_none() {
            return Ok(());
        }
        take(&key.to_bytes()[1..])?;
        let mut judgement = entry.judgement();
        if entry.leaf.square().is_some() && !entry.has_exact_leaf() && entry.weights != book.weights {
            judgement[Entry::SQUARE] |= OTHER_WEIGHTS;
        }
        take(&judgement)?;
        draws.extend(entry.draws.map(|draws| (place, draws)));
        place = place.wrapping_add(1);
        Ok(())
    })?;
    draws.iter().try_for_each(|(place, draws)| {
        take(&place.to_le_bytes())?;
        take(&draws.to_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::{first_move, found, searched};
    use super::super::{Database, look_up};
    use super::*;
    use crate::othello::{GameRecord, Position};
    use crate::search::{Contempt, SearchDepth};
    use proptest::prelude::*;
    use std::sync::OnceLock;

    /// A packed book of a few hundred positions.
    fn bytes() -> &'static [u8] {
        static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
        BYTES.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let (grown, packed) = (folder.path().join("grown"), folder.path().join("packed"));
            let book = Database::create(&grown, 77).unwrap();
            let mut games = Vec::new();
            for seed in 0..20u32 {
                let mut game = GameRecord::default();
                for ply in 0..20 {
                    let moves = game.position().moves();
                    let chosen = (seed * 7919 + ply * 31 + seed * ply) as usize % moves.count().max(1) as usize;
                    let Some(square) = moves.into_iter().nth(chosen) else { break };
                    game.take(crate::othello::Move::Place(square)).unwrap();
                }
                games.push(game);
            }
            book.learn(&games, 20).unwrap();
            let keys = book.read().unwrap().keys().unwrap();
            book.update(77, |positions| {
                for (i, key) in keys.iter().enumerate() {
                    let depth = if i % 18 == 4 { SearchDepth::Exact } else { SearchDepth::Plies(8) };
                    let leaf = found(first_move(key), i as i32 % 9 - 4, depth);
                    positions.put(key, &Entry { weights: if i % 7 == 0 { 76 } else { 77 }, ..searched(leaf) })?;
                }
                Ok(keys)
            })
            .unwrap();
            drop(book);
            let grown = Snapshot::open(&grown).unwrap();
            assert!(pack(&grown, &packed).unwrap() > 100);
            let (book, mut with_draws) = (PackedBook::open(&packed).unwrap(), 0);
            let mut compare = |key: Key, entry: Entry| {
                with_draws += u32::from(entry.draws.is_some());
                let is_other = entry.leaf.square().is_some() && !entry.has_exact_leaf() && entry.weights == 76;
                let kept = Entry { weights: if is_other { 0 } else { 77 }, visits: 0, games: 0, cost: 0, ..entry };
                assert_eq!(book.get(&key)?, entry.value.map(|_| kept));
                Ok(())
            };
            grown.each(&mut compare).unwrap();
            assert!(with_draws > 20);
            std::fs::read(packed).unwrap()
        })
    }

    fn of(bytes: &[u8]) -> Result<PackedBook, BookError> {
        PackedBook::built(bytes.to_vec())
    }

    #[test]
    fn every_position_is_found_again() {
        let book = PackedBook::built(bytes()).unwrap();
        assert!(book.iter().count() == book.count() && book.weights == 77);
        for (key, entry) in book.iter() {
            assert_eq!(book.get(&key).unwrap(), Some(entry));
        }
        assert!(
            look_up(&book, book.weights, &Position::START, Contempt::NONE)
                .unwrap()
                .is_some_and(|view| view.entry.value.is_some())
        );
    }

    #[test]
    fn a_book_that_was_cut_is_refused() {
        for length in (0..bytes().len()).step_by(7) {
            assert!(of(&bytes()[..length]).is_err(), "{length}");
        }
        let mut other = bytes().to_vec();
        other[8] = 3;
        assert!(matches!(of(&other), Err(BookError::Version { found: 3, expected: 2 })));
    }

    /// The bytes with the checksum that is theirs.
    fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
        let header: [u8; HEADER] = bytes[..HEADER].try_into().unwrap();
        let sum = checksum(&header, &bytes[HEADER..]).to_le_bytes();
        bytes[CHECKSUM..HEADER].copy_from_slice(&sum);
        bytes
    }

    #[test]
    fn what_is_wrong_behind_a_checksum_is_found() {
        let faults = |bytes: Vec<u8>| {
            let mut told = Vec::new();
            let count = of(&summed(bytes)).unwrap().check(&mut |fault| told.push(fault.to_owned())).unwrap();
            assert_eq!(told.len() as u64, count);
            told
        };
        assert_eq!(faults(bytes().to_vec()), [""; 0]);
        let mut swapped = bytes().to_vec();
        let (one, other) = swapped[HEADER..HEADER + 2 * RECORD].split_at_mut(RECORD);
        one.swap_with_slice(other);
        let of_order = "position 2: it is not behind the one before it";
        assert!(faults(swapped).iter().any(|fault| fault.starts_with(of_order)));
        // The value of the last position, which is the best of its moves.
        let last = HEADER + (of(bytes()).unwrap().count() - 1) * RECORD;
        let mut wrong = bytes().to_vec();
        wrong[last + BOARDS..][..2].copy_from_slice(&777i16.to_le_bytes());
        let told = faults(wrong);
        assert!(told.len() == 1 && told[0].contains("stored") && told[0].contains("computed"), "{told:?}");
        // The lower bound of it is above its value.
        let mut beyond = bytes().to_vec();
        beyond[last + BOARDS + 2] = 60;
        assert_eq!(faults(beyond).len(), 1);
    }

    #[test]
    fn the_former_format_is_read_and_knows_no_draws() {
        let mut former = bytes().to_vec();
        former[8] = 1;
        let draws = u32::from_le_bytes(former[24..28].try_into().unwrap()) as usize;
        former[24..28].fill(0);
        former.truncate(former.len() - draws * DRAWS);
        let (former, book) = (of(&summed(former)).unwrap(), of(bytes()).unwrap());
        assert_eq!(former.check(&mut |fault| panic!("{fault}")).unwrap(), 0);
        assert!(!former.knows_draws && book.knows_draws && draws > 0);
        assert!(former.iter().eq(book.iter().map(|(key, entry)| (key, Entry { draws: None, ..entry }))));
    }

    proptest! {
        #[test]
        fn a_bit_that_is_another_one_is_noticed(at in 0..bytes().len(), bit in 0..8u8) {
            let mut other = bytes().to_vec();
            other[at] ^= 1 << bit;
            prop_assert!(of(&other).is_err());
        }

        /// Whoever writes such a file may write its checksum too.
        #[test]
        fn nonsense_with_a_checksum_is_survived(changes in proptest::collection::vec((HEADER..bytes().len(), any::<u8>()), 1..40), seed: u64) {
            let mut other = bytes().to_vec();
            changes.iter().for_each(|&(at, byte)| other[at] = byte);
            let book = of(&summed(other)).unwrap();
            book.check(&mut |_| {}).unwrap();
            let contempt = Contempt::new(2).unwrap();
            for (key, _) in book.iter() {
                look_up(&book, book.weights, &key.position(), contempt).unwrap();
            }
            look_up(&book, book.weights, &crate::testing::random_position(seed, 45), contempt).unwrap();
        }
    }
}
