//! Books of other programs: Edax's `.dat` and Egaroucid's `.egbk3`. docs/formats.md describes the files.

mod bytes;
mod edax;
mod egaroucid;
mod export;
mod import;

pub use export::{Exported, export};
pub use import::{ForeignBook, Imported};

use crate::othello::{Bitboard, Position, Square};
use crate::search::{Score, SearchDepth, Selectivity};
use std::path::Path;

/// The format of another program's book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForeignFormat {
    /// Edax's `.dat`.
    Edax,
    /// Egaroucid's `.egbk3`.
    Egaroucid,
}

impl ForeignFormat {
    /// The format that the ending of a file's name stands for.
    pub fn of_ending(path: &Path) -> Option<ForeignFormat> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "dat" => Some(ForeignFormat::Edax),
            "egbk3" => Some(ForeignFormat::Egaroucid),
            _ => None,
        }
    }
}

/// A position as the books of other programs have it. Values are whole discs for its side to move, squares are those of its boards.
#[derive(Clone, PartialEq, Debug)]
struct Record {
    position: Position,
    /// `None` where the other program has none.
    value: Option<i8>,
    /// The least and the greatest score that is possible.
    bounds: (i8, i8),
    games: u32,
    /// How many lines end behind it.
    lines: u32,
    /// How far its own search has seen.
    level: u8,
    /// The moves to positions in the book; `None` is a pass.
    links: Vec<(Option<Square>, i8)>,
    /// The best of the other moves.
    leaf: Option<(Square, i8)>,
}

/// The level of both programs that sees the end of the game. Lower ones are depths in plies, as far as the two are comparable.
const EXACT: u8 = 60;

/// Edax solves up to twice its level in empty squares, and from level 11 on up to 21 at least: so up to here a level that is meant as a depth may
/// stand for a result.
const SOLVED_BY_EDAX: u8 = 30;

/// The level that a search of a position with `empties` empty squares comes to. Near the end it is one at which Edax does not solve: values of
/// higher levels would be results for Edax.
fn level(depth: SearchDepth, empties: u8) -> u8 {
    let highest = if empties <= SOLVED_BY_EDAX { empties.saturating_sub(1) / 2 } else { EXACT - 1 };
    match depth {
        SearchDepth::Plies(plies) | SearchDepth::Selective { plies, .. } => plies.min(highest),
        SearchDepth::Exact => EXACT,
        SearchDepth::WinLossDraw => 0,
    }
}

/// The search that a level stands for. Below the highest both programs cut boldly.
fn depth(level: u8) -> SearchDepth {
    if level >= EXACT {
        SearchDepth::Exact
    } else {
        SearchDepth::Selective { plies: level, selectivity: Selectivity::BOLDEST }
    }
}

/// A value in whole discs.
fn discs(value: Score) -> i8 {
    value.discs().round() as i8
}

/// The boards of a position, if they are one.
fn position(player: u64, opponent: u64) -> Option<Position> {
    Position::new(Bitboard(player), Bitboard(opponent), crate::othello::Color::Black).ok()
}

/// What the books of other programs begin with, and these programs.
pub(super) const BOOKS_OF_OTHERS: [(&[u8], &str); 2] = [(edax::MAGIC, "Edax"), (egaroucid::MAGIC, "Egaroucid")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::graph::Neighbours;
    use crate::book::graph::tests::{WEIGHTS, add, book, first_move, found, leaf_of, searched};
    use crate::book::select::tests::grown;
    use crate::book::{BookError, Entry, Key, Leaf, Positions, Snapshot, look_up};
    use crate::search::Contempt;
    use crate::testing::random_position;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::OnceLock;
    use std::sync::atomic::AtomicBool;

    const FORMATS: [(ForeignFormat, &str); 2] =
        [(ForeignFormat::Edax, "book.dat"), (ForeignFormat::Egaroucid, "book.egbk3")];

    /// A book as another program's, and what was lost.
    fn exported(book: &dyn Positions, (format, name): (ForeignFormat, &str)) -> (Vec<u8>, Exported) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        assert_eq!(ForeignFormat::of_ending(&path), Some(format));
        let exported = export(book, format, &path).unwrap();
        (std::fs::read(path).unwrap(), exported)
    }

    fn imported(bytes: &[u8]) -> (BTreeMap<Key, Entry>, Imported) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let counts = ForeignBook::read(bytes).unwrap().import(WEIGHTS, &path, &AtomicBool::new(false)).unwrap();
        let book = Snapshot::open(&path).unwrap();
        assert_eq!(book.check(&mut |fault| panic!("{fault}")).unwrap(), 0);
        let mut entries = BTreeMap::new();
        let mut add = |key, entry| {
            entries.insert(key, entry);
            Ok(())
        };
        book.each(&mut add).unwrap();
        (entries, counts)
    }

    #[test]
    fn positions_values_and_leaves_come_back() {
        let book = grown();
        for format in FORMATS {
            let (bytes, lost) = exported(&book, format);
            let rounded = book.values().filter(|entry| entry.value.unwrap().discs().fract() != 0.0).count();
            assert_eq!((lost.positions as usize, lost.rounded as usize, lost.without_value), (book.len(), rounded, 0));
            let (again, counts) = imported(&bytes);
            assert_eq!(counts, Imported { positions: book.len() as u64, ..Imported::default() });
            for (key, entry) in &again {
                let before = &book[key];
                assert_eq!(entry.value.map(discs), before.value.map(discs), "{key:?}");
                if let (Leaf::Found { square, value, .. }, Leaf::Found { square: old, value: exact, .. }) =
                    (entry.leaf, before.leaf)
                    && Neighbours::of(&book, key, before).unwrap().leaf.is_some()
                {
                    assert_eq!((square, discs(value)), (old, discs(exact)), "{key:?}");
                }
            }
            // Once more, nothing is lost.
            let (once_more, lost) = exported(&again, format);
            assert_eq!(lost.rounded, 0);
            assert_eq!(imported(&once_more).0, again);
        }
    }

    #[test]
    fn passes_and_proofs_are_exchanged() {
        let mut book = book();
        // Positions behind a pass, and the ones before it.
        for position in (0..600).map(|seed| random_position(seed, 8)).filter(Position::must_pass) {
            let behind = Key::of(&position.pass()).0;
            for (salt, key) in [behind].into_iter().chain(behind.predecessors()).enumerate() {
                let leaf = leaf_of(&book, &key, salt as u64 * 5, salt == 0);
                add(&mut book, key, searched(leaf));
            }
        }
        let with_value: BTreeSet<_> =
            book.iter().filter(|(_, entry)| entry.value.is_some()).map(|(key, _)| key).collect();
        let passes = with_value.iter().filter(|key| key.position().pass().must_pass()).count();
        assert!(passes > 0);
        for format in FORMATS {
            let (bytes, lost) = exported(&book, format);
            let more = if format.0 == ForeignFormat::Edax { passes } else { 0 };
            assert_eq!(lost.positions as usize, with_value.len() + more);
            assert_eq!(lost.without_value as usize, book.len() - with_value.len());
            let (again, counts) = imported(&bytes);
            assert_eq!(counts.without_move as usize, more);
            assert!(with_value.iter().all(|key| again.contains_key(key)));
            let is_proof = |entry: &&Entry| matches!(entry.leaf, Leaf::Found { depth: SearchDepth::Exact, .. });
            assert!(again.values().filter(is_proof).count() > 5);
        }
    }

    #[test]
    fn a_book_that_edax_has_made_is_read() {
        // Ten positions of one game, one of them a pass.
        let (book, counts) = imported(include_bytes!("../../../tests/data/edax.dat"));
        assert_eq!(counts, Imported { positions: 9, without_move: 1, ..Imported::default() });
        let start = book[&Key::of(&Position::START).0];
        assert_eq!((start.value, start.leaf), (Some(Score::ZERO), Leaf::NoneLeft));
    }

    #[test]
    fn a_book_that_egaroucid_has_made_is_read() {
        // The start position, and a leaf that nobody has searched.
        let mut bytes = b"DICUORAGE\x03\x01\0\0\0".to_vec();
        bytes.extend([0, 0, 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 8, 0x10, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 19, 0xff]);
        let (book, _) = imported(&bytes);
        let leaf = book[&Key::of(&Position::START).0].leaf;
        assert!(matches!(leaf, Leaf::Found { value: Score::ZERO, depth, .. } if depth == super::depth(0)), "{leaf:?}");
    }

    #[test]
    fn a_leaf_of_a_low_or_unusual_level_is_a_move_all_the_same() {
        for level in [0, 1, 70, 254] {
            let mut bytes = b"DICUORAGE\x03\x01\0\0\0".to_vec();
            bytes.extend([0, 0, 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 8, 0x10, 0, 0, 0, 0, 0xff, 0, 0, 0, 0, 2, 19, level]);
            let (book, _) = imported(&bytes);
            let leaf = book[&Key::of(&Position::START).0].leaf;
            assert!(matches!(leaf, Leaf::Found { depth, .. } if depth == super::depth(1)), "{level}: {leaf:?}");
            let view = look_up(&book, 0, &Position::START, Contempt::NONE).unwrap().unwrap();
            assert_eq!(view.moves[0].value, Some(Score::from_discs(2)));
            assert_eq!(exported(&book, FORMATS[1]).1.without_leaf, 0);
        }
        // The level of the first position, behind its boards, the counts of games and lines, the value, the bounds and the number of links.
        let (mut bytes, _) = exported(&grown(), FORMATS[0]);
        bytes[42 + 39] = 0;
        let (book, _) = imported(&bytes);
        let (key, entry) = book.first_key_value().unwrap();
        assert!(matches!(entry.leaf, Leaf::Found { depth, .. } if depth == super::depth(1)), "{entry:?}");
        let view = look_up(&book, 0, &key.position(), Contempt::NONE).unwrap().unwrap();
        assert_eq!(view.moves[0].value, entry.value);
    }

    #[test]
    fn a_position_without_a_value_is_worth_what_its_moves_are() {
        for (format, none) in FORMATS.into_iter().zip([-127i16, -126]) {
            let (bytes, _) = exported(&grown(), format);
            // The value of the first position: in both formats behind its boards, and in one behind the counts of games and lines.
            let mut without = bytes.clone();
            match format.0 {
                ForeignFormat::Edax => without[42 + 32..42 + 34].copy_from_slice(&none.to_le_bytes()),
                ForeignFormat::Egaroucid => without[14 + 16] = none as i8 as u8,
            }
            assert_ne!(without, bytes);
            let (book, counts) = imported(&without);
            assert_eq!((counts.without_value, counts.contradictory), (1, 0));
            assert_eq!(book, imported(&bytes).0);
        }
    }

    #[test]
    fn a_book_without_leaves_keeps_its_values() {
        let before = grown();
        let (mut bytes, _) = exported(&before, FORMATS[1]);
        let is_tip = |key: &Key| Neighbours::of(&before, key, &before[key]).unwrap().children.is_empty();
        // Nothing is left but the values of the tips.
        for (record, key) in bytes[14..].chunks_mut(25).zip(before.keys()) {
            record[22..].copy_from_slice(&[-126i8 as u8, 125, 255]);
            record[16] = if is_tip(key) { record[16] } else { -126i8 as u8 };
        }
        let (book, counts) = imported(&bytes);
        assert_eq!(counts.without_leaf, before.keys().filter(|key| is_tip(key)).count() as u64);
        for (key, entry) in &book {
            assert!(entry.value.is_some() && entry.weights != WEIGHTS, "{key:?}");
            if is_tip(key) {
                assert_eq!(entry.value.map(discs), before[key].value.map(discs));
                let view = look_up(&book, 0, &key.position(), Contempt::NONE).unwrap().unwrap();
                assert_eq!(view.moves, [], "its best move is not known");
            }
        }
        assert!(exported(&book, FORMATS[1]).1.without_leaf >= counts.without_leaf, "what stands for it is not written");
    }

    #[test]
    fn a_result_at_the_end_of_a_line_is_none_of_its_beginning() {
        let root = Position::START.after("f5".parse().unwrap());
        let mut book = BTreeMap::new();
        for (reply, value, depth) in [("d6", -2, SearchDepth::Exact), ("f4", 4, depth(8)), ("f6", 4, depth(8))] {
            let key = Key::of(&root.after(reply.parse().unwrap())).0;
            add(&mut book, key, searched(found(first_move(&key), value, depth)));
        }
        add(&mut book, Key::of(&root).0, Entry::UNSEARCHED);
        let (bytes, _) = exported(&book, FORMATS[1]);
        // The level of the last position.
        assert_eq!(bytes[bytes.len() - 25 + 17], 59);
    }

    #[test]
    fn near_the_end_no_level_is_one_at_which_edax_solves() {
        let selective = SearchDepth::Selective { plies: 18, selectivity: Selectivity::BOLDEST };
        for (depth, empties, expected) in [
            (selective, 31, 18),
            (selective, 27, 13),
            (selective, 21, 10),
            (selective, 20, 9),
            (SearchDepth::Plies(4), 20, 4),
            (SearchDepth::Exact, 20, 60),
        ] {
            assert_eq!(level(depth, empties), expected, "{depth:?} {empties}");
        }
    }

    /// The place of an error.
    fn place(bytes: &[u8]) -> u64 {
        match ForeignBook::read(bytes) {
            Err(BookError::Foreign { offset, .. }) => offset,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("no error"),
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let edax: &[u8] = include_bytes!("../../../tests/data/edax.dat");
        let (egaroucid, _) = exported(&grown(), FORMATS[1]);
        for (bytes, count, first) in [(edax, 38, 42), (&egaroucid[..], 10, 14)] {
            for length in 0..bytes.len() {
                assert!(place(&bytes[..length]) <= length as u64, "{length}");
            }
            let with = |changes: &[(usize, u8)]| {
                let mut bytes = bytes.to_vec();
                changes.iter().for_each(|&(at, byte)| bytes[at] = byte);
                place(&bytes)
            };
            assert_eq!(with(&[(0, b'Y')]), 0);
            assert_eq!(
                with(&[(count, 0xff), (count + 1, 0xff), (count + 2, 0xff), (count + 3, 0xff)]),
                bytes.len() as u64
            );
            // A position that is none: all squares of the first row and the discs of the other side.
            assert_eq!(with(&[(first, 0xff), (first + 8, 0xff)]), first as u64);
            assert!(with(&[(count, bytes[count] - 1)]) > first as u64, "bytes behind the end");
        }
    }

    proptest! {
        #[test]
        fn nonsense_is_survived(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20), which in 0..2usize) {
            static BOOKS: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
            let books = BOOKS.get_or_init(|| FORMATS.map(|format| exported(&grown(), format).0));
            let mut bytes = books[which].clone();
            changes.iter().for_each(|(at, byte)| bytes[at.index(books[which].len())] = *byte);
            if let Ok(book) = ForeignBook::read(&bytes[..]) {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("book");
                book.import(WEIGHTS, &path, &AtomicBool::new(false)).unwrap();
                prop_assert_eq!(Snapshot::open(&path).unwrap().check(&mut |_| {}).unwrap(), 0);
            }
        }
    }
}
