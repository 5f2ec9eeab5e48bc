//! Egaroucid's `.egbk3`, after its documentation (<https://www.egaroucid.nyanyan.dev/en/usage/book/>) and the books that it writes: `DICUORAGE`, 3
//! (1 byte), positions (4, low byte first). Then 25 bytes of each position: the discs of the side to move and of the other one (8 each, the highest
//! bit = a1), value, level (1 each), lines (4), and value, move and level of the leaf (1 each): 0 is h8, 125 no move, -126 no value.

use super::bytes::{Bytes, score, wrong};
use super::{Record, position};
use crate::book::BookError;
use crate::othello::Square;
use std::io::{Read, Write};

pub(super) const MAGIC: &[u8; 9] = b"DICUORAGE";
const VERSION: u8 = 3;
const NO_VALUE: i8 = -126;
const NO_MOVE: u8 = 125;
/// The level of a leaf that was never searched.
const UNKNOWN: u8 = u8::MAX;

/// Reads what stands between the magic and the number of positions.
pub(super) fn read_header<R: Read>(bytes: &mut Bytes<R>) -> Result<(), BookError> {
    let at = bytes.offset();
    let version = bytes.byte()?;
    match version == VERSION {
        true => Ok(()),
        false => Err(wrong(at, format_args!("expected version {VERSION}, found {version}"))),
    }
}

/// Reads a position.
pub(super) fn read<R: Read>(bytes: &mut Bytes<R>) -> Result<Record, BookError> {
    let at = bytes.offset();
    let (player, opponent) = (bytes.u64()?.reverse_bits(), bytes.u64()?.reverse_bits());
    let position = position(player, opponent).ok_or_else(|| wrong(at, "no position"))?;
    let value = score(bytes.byte()? as i8);
    let level = known_level(bytes.byte()?);
    let lines = bytes.u32()?;
    let [leaf, index, leaf_level] = bytes.take()?;
    // What was never searched may have any move.
    let square = Square::new(63u8.wrapping_sub(index)).filter(|square| position.moves().contains(*square));
    let leaf = match square {
        Some(square) => score(leaf as i8).map(|score| (square, score)),
        None => None,
    };
    // A move that somebody has looked at has a level, however little is known of it: without one it would stand for no search.
    let level = match leaf {
        Some(_) if leaf_level != UNKNOWN => known_level(leaf_level).max(1),
        Some(_) => 0,
        None => level,
    };
    Ok(Record { position, value, bounds: (-64, 64), games: 0, lines, level, links: Vec::new(), leaf })
}

/// A level, 0 where none is known; a person's word is above all levels, and no search.
fn known_level(level: u8) -> u8 {
    if level > super::EXACT { 0 } else { level }
}

pub(super) fn write_header(out: &mut impl Write, positions: u32) -> Result<(), BookError> {
    out.write_all(MAGIC)?;
    out.write_all(&[VERSION])?;
    Ok(out.write_all(&positions.to_le_bytes())?)
}

pub(super) fn write(out: &mut impl Write, record: &Record) -> Result<(), BookError> {
    let Record { position, value, level, lines, leaf, .. } = record;
    let mut bytes = Vec::with_capacity(25);
    bytes.extend(position.player().0.reverse_bits().to_le_bytes());
    bytes.extend(position.opponent().0.reverse_bits().to_le_bytes());
    bytes.extend([value.unwrap_or(NO_VALUE) as u8, *level]);
    bytes.extend(lines.to_le_bytes());
    let none = (NO_VALUE, NO_MOVE, UNKNOWN);
    let (value, square, level) = leaf.map_or(none, |(square, score)| (score, 63 - square.index() as u8, *level));
    bytes.extend([value as u8, square, level]);
    Ok(out.write_all(&bytes)?)
}
