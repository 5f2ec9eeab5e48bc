//! Emilia's books as those of other programs.

use super::{EXACT, ForeignFormat, Record, discs, edax, egaroucid, level};
use crate::book::graph::{Neighbours, Positions};
use crate::book::packed::expect_no_other_file;
use crate::book::view::depth_of_line;
use crate::book::{BookError, Entry, Key, Leaf};
use crate::game::DISC;
use crate::othello::{Position, canonical};
use crate::whole_file::WholeFile;
use std::collections::HashMap;
use std::io::Error;
use std::path::Path;

/// What has become of a book's contents: how many of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// Positions written, those where the side to move must pass among them.
    pub positions: u32,
    /// Moves between them.
    pub links: u64,
    /// Positions that wait to be searched: they are left out.
    pub without_value: u64,
    /// Positions whose best move out of the book waits to be searched for: they have no leaf.
    pub without_leaf: u64,
    /// Values that are not whole discs: they are rounded.
    pub rounded: u64,
    /// Positions with proven bounds that the format has no place for.
    pub bounds: u64,
    /// Positions of learned games, whose number has no place.
    pub games: u64,
    /// Searches whose cuts were more or less sure than the level says.
    pub confidences: u64,
}

/// What a position says to those before it.
#[derive(Clone, Copy)]
struct Below {
    lines: u32,
    level: u8,
}

/// Writes a book for another program: every position with a value. Such a book that is there is replaced.
///
/// # Errors
/// If the book cannot be read or the file not be written, if the positions are more than the format can count, or if there is another file
/// than such a book.
pub fn export(book: &dyn Positions, format: ForeignFormat, path: &Path) -> Result<Exported, BookError> {
    expect_no_other_file(path, &[edax::MAGIC, egaroucid::MAGIC], "book of Edax or Egaroucid")?;
    let mut exported = Exported::default();
    let mut header = edax::Header { positions: 0, level: 0, least_empties: 60 };
    let mut below = HashMap::new();
    records(book, format, &mut below, &mut exported, &mut |record| {
        header.positions = header
            .positions
            .checked_add(1)
            .filter(|count| *count <= i32::MAX as u32)
            .ok_or_else(|| BookError::Io(Error::other("more positions than the format can count")))?;
        header.level = header.level.max(if record.level < EXACT { record.level } else { 0 });
        header.least_empties = header.least_empties.min(record.position.empties().count() as u8);
        Ok(())
    })?;
    let mut file = WholeFile::create(path)?;
    match format {
        ForeignFormat::Edax => edax::write_header(&mut file, &header)?,
        ForeignFormat::Egaroucid => egaroucid::write_header(&mut file, header.positions)?,
    }
    // The second time nothing is counted.
    records(book, format, &mut below, &mut Exported::default(), &mut |record| match format {
        ForeignFormat::Edax => edax::write(&mut file, record),
        ForeignFormat::Egaroucid => egaroucid::write(&mut file, record),
    })?;
    file.finish()?;
    Ok(Exported { positions: header.positions, ..exported })
}

fn records(
    book: &dyn Positions,
    format: ForeignFormat,
    below: &mut HashMap<Key, Below>,
    exported: &mut Exported,
    take: &mut dyn FnMut(&Record) -> Result<(), BookError>,
) -> Result<(), BookError> {
    book.each(&mut |key, entry| {
        let Some(record) = record(book, &key, &entry, below)? else {
            exported.without_value += 1;
            return Ok(());
        };
        exported.links += record.links.len() as u64;
        exported.count(&entry, &record, format);
        take(&record)?;
        // Edax has a position of its own for the side that must pass.
        let before = key.position().pass();
        if format == ForeignFormat::Edax && before.must_pass() {
            exported.links += 1;
            take(&pass(&before, &record))?;
        }
        Ok(())
    })
}

impl Exported {
    fn count(&mut self, entry: &Entry, record: &Record, format: ForeignFormat) {
        self.without_leaf += u64::from(record.leaf.is_none() && entry.leaf != Leaf::NoneLeft);
        let is_whole = |units: i32| units % DISC == 0;
        self.rounded += u64::from(entry.value.is_some_and(|value| !is_whole(value.units())));
        let is_bounded = (entry.lower, entry.upper) != (-64, 64);
        self.bounds += u64::from(is_bounded && format == ForeignFormat::Egaroucid);
        self.games += u64::from(entry.games > 0);
        if let Leaf::Found { depth, .. } = entry.leaf {
            self.confidences += u64::from(super::depth(level(depth, record.position.empties().count() as u8)) != depth);
        }
    }
}

/// The position as others have it; `None` if it has no value.
fn record(
    book: &dyn Positions,
    key: &Key,
    entry: &Entry,
    below: &mut HashMap<Key, Below>,
) -> Result<Option<Record>, BookError> {
    let Some(value) = entry.value else { return Ok(None) };
    let position = key.position();
    let neighbours = Neighbours::of(book, key, entry)?;
    let mut links = Vec::new();
    let mut lines = 0u32;
    let mut best = None;
    for child in &neighbours.children {
        let (Some(behind), Some(found)) = (child.next.key(), child.value()) else { continue };
        links.push((Some(child.square), discs(found)));
        let Below { lines: more, level } = below.get(&behind).copied().unwrap_or(Below { lines: 1, level: 0 });
        lines = lines.saturating_add(more);
        best = best.max(Some((found, level)));
    }
    let own = match entry.leaf {
        Leaf::Found { square, value, depth } if neighbours.leaf.is_some() && entry.leaf.is_searched() => {
            Some((square, value, level(depth, key.empties())))
        }
        _ => None,
    };
    lines = lines.saturating_add(u32::from(own.is_some())).max(1);
    let of_line = best.map_or(0, |(_, level)| level);
    let of_line = level(depth_of_line(super::depth(of_line), entry, key.empties()), key.empties());
    let level = own.map_or(of_line, |(_, _, level)| level);
    below.insert(*key, Below { lines, level });
    let leaf = own.map(|(square, value, _)| (square, discs(value)));
    let bounds = (entry.lower, entry.upper);
    Ok(Some(Record { position, value: Some(discs(value)), bounds, games: entry.games, lines, level, links, leaf }))
}

/// The position before the pass that leads to this record's.
fn pass(before: &Position, behind: &Record) -> Record {
    let (value, bounds) = (behind.value.map(|value| -value), (-behind.bounds.1, -behind.bounds.0));
    let position = canonical(before).0;
    let links = value.map(|value| (None, value)).into_iter().collect();
    Record { position, value, bounds, links, leaf: None, ..behind.clone() }
}
