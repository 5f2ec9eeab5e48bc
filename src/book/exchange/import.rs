//! Books of other programs as Emilia's.

use super::bytes::{Bytes, wrong};
use super::{EXACT, Record, depth, discs, edax, egaroucid};
use crate::book::combine::make;
use crate::book::select::moves_with_value;
use crate::book::{self, BookError, GrowthRule, Key, Leaf, Positions};
use crate::othello::{Bitboard, Square};
use crate::search::Score;
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// What has become of the contents of a foreign book: how many of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// Positions in the new book.
    pub positions: u64,
    /// Positions where the side to move must pass, or nobody can move: the book has those behind them.
    pub without_move: u64,
    /// Positions that were there more than once: the deepest search counts.
    pub repeated: u64,
    /// Positions that have no move with a value, so they wait to be searched; until then the file's value counts, if there is one.
    pub without_leaf: u64,
    /// Positions that have no value in the file.
    pub without_value: u64,
    /// Positions whose value in the file is another one than that of the best of their moves, which counts.
    pub contradictory: u64,
}

/// A foreign position, its squares those of [`Key::position`].
struct Found {
    value: Option<i8>,
    games: u32,
    level: u8,
    /// Moves to positions in the file.
    links: Vec<(Square, i8)>,
    /// The best of the others.
    leaf: Option<(Square, i8)>,
}

/// A book of Edax or Egaroucid.
pub struct ForeignBook {
    positions: BTreeMap<Key, Found>,
    counts: Imported,
}

impl ForeignBook {
    /// Reads a book; its first bytes tell whose it is.
    ///
    /// # Errors
    /// If it cannot be read or is not such a book, with the place where that shows.
    pub fn read<R: Read>(input: R) -> Result<ForeignBook, BookError> {
        let mut bytes = Bytes::new(input);
        let mut book = ForeignBook { positions: BTreeMap::new(), counts: Imported::default() };
        let magic: [u8; 8] = bytes.take()?;
        let read: fn(&mut Bytes<R>) -> Result<Record, BookError> = if &magic == edax::MAGIC {
            edax::read_header(&mut bytes)?;
            edax::read
        } else if magic == egaroucid::MAGIC[..8] && bytes.byte()? == egaroucid::MAGIC[8] {
            egaroucid::read_header(&mut bytes)?;
            egaroucid::read
        } else {
            return Err(wrong(0, "neither a book of Edax (.dat) nor one of Egaroucid (.egbk3)"));
        };
        for _ in 0..bytes.u32()? {
            book.add(read(&mut bytes)?);
        }
        bytes.end()?;
        Ok(book)
    }

    fn add(&mut self, record: Record) {
        let Record { position, value, games, level, links, leaf, .. } = record;
        if position.moves().is_empty() {
            self.counts.without_move += 1;
            return;
        }
        self.counts.without_value += u64::from(value.is_none());
        let (key, symmetry) = Key::of(&position);
        let turned = |(square, value): (Square, i8)| (symmetry.square(square), value);
        let links = links.into_iter().filter_map(|(square, value)| Some(turned((square?, value)))).collect();
        let found = Found { value, games, level, links, leaf: leaf.map(turned) };
        match self.positions.entry(key) {
            Entry::Vacant(place) => {
                place.insert(found);
            }
            Entry::Occupied(mut place) => {
                self.counts.repeated += 1;
                if found.level > place.get().level {
                    place.insert(found);
                }
            }
        }
    }

    /// Makes a book of it for the evaluation with this fingerprint. What the other program has found counts until it is searched again.
    ///
    /// # Errors
    /// If there is a file already, it cannot be written, or there was an interrupt; then there is no new book.
    pub fn import(self, weights: u32, path: &Path, interrupt: &AtomicBool) -> Result<Imported, BookError> {
        let ForeignBook { positions, mut counts } = self;
        let keys: BTreeSet<Key> = positions.keys().copied().collect();
        let (mut without_leaf, mut contradictory) = (0, 0);
        let entry = |key: &Key, made: &dyn Positions| -> Result<book::Entry, BookError> {
            let Some(found) = positions.get(key) else { return Ok(book::Entry::UNSEARCHED) };
            let leaf = found.leaf(moves_with_value(made, key)?).unwrap_or_else(|| {
                without_leaf += 1;
                found.stand_in(key)
            });
            Ok(book::Entry { leaf, games: found.games, ..book::Entry::UNSEARCHED })
        };
        let compare = |key: &Key, entry: &book::Entry| {
            let of_file = positions.get(key).and_then(|found| found.value);
            let differs = entry.value.is_some_and(|value| of_file.is_some_and(|of_file| of_file != discs(value)));
            contradictory += u64::from(differs);
        };
        counts.positions = make(path, weights, GrowthRule::default(), &keys, interrupt, entry, compare)?;
        Ok(Imported { without_leaf, contradictory, ..counts })
    }
}

impl Found {
    /// The best of the moves to no position with a value. One that leads to such a position is to be searched for again; until then the
    /// position is worth what its moves are.
    fn leaf(&self, with_value: Bitboard) -> Option<Leaf> {
        let is_open = |found: &(Square, i8)| !with_value.contains(found.0);
        let link = self.links.iter().copied().filter(is_open).max_by_key(|(_, value)| *value);
        let leaf = self.leaf.filter(is_open);
        let best = link.into_iter().chain(leaf).max_by_key(|(_, value)| *value);
        let in_book = with_value.into_iter().next().map(|square| (square, self.value.unwrap_or(0)));
        let (square, value) = best.or(in_book)?;
        // The level is that of the search of the leaf.
        let level = if link.is_none() && leaf.is_some() { self.level } else { self.level.min(EXACT - 1) };
        Some(Leaf::Found { square, value: Score::from_discs(value.into()), depth: depth(level) })
    }

    /// Any move with the value of the position, where the file says no more. That nobody has searched it, its depth says.
    fn stand_in(&self, key: &Key) -> Leaf {
        let square = key.position().moves().into_iter().next();
        square.zip(self.value).map_or(Leaf::Unsearched, |(square, value)| Leaf::Found {
            square,
            value: Score::from_discs(value.into()),
            depth: depth(0),
        })
    }
}
