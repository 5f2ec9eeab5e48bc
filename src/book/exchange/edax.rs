//! Edax's `.dat`. A header of 42 bytes, numbers with the low byte first: `XADEKOOB`, version and release (1 byte each), year (2), month, day, hour,
//! minute, second, nothing (1 each), level, least empty squares, errors of the middle and of the end game, verbosity, positions (4 each). Then
//! of each position, in the image of the least boards: the discs of the side to move and of the other one (8 each, bit 0 = a1), won, drawn, lost games,
//! lines (4 each), value, lower and upper bound (2 each), the number of links, level (1 each), and of each link and of the leaf score and move (1
//! each): 64 is a pass, 65 no move.

use super::bytes::{Bytes, score, wrong};
use super::{Record, position};
use crate::book::BookError;
use crate::othello::Square;
use std::io::{Read, Write};
use std::time::SystemTime;

pub(super) const MAGIC: &[u8; 8] = b"XADEKOOB";
const VERSION: [u8; 2] = [4, 6];
const PASS: u8 = 64;
const NO_MOVE: u8 = 65;
const NO_SCORE: i8 = -127;

/// Reads what stands between the magic and the number of positions.
pub(super) fn read_header<R: Read>(bytes: &mut Bytes<R>) -> Result<(), BookError> {
    let at = bytes.offset();
    let [version, _] = bytes.take()?;
    if version != VERSION[0] {
        return Err(wrong(at, format_args!("expected version {}, found {version}", VERSION[0])));
    }
    bytes.take().map(|_: [u8; 28]| ())
}

/// Reads a position.
pub(super) fn read<R: Read>(bytes: &mut Bytes<R>) -> Result<Record, BookError> {
    let at = bytes.offset();
    let (player, opponent) = (bytes.u64()?, bytes.u64()?);
    let position = position(player, opponent).ok_or_else(|| wrong(at, "no position"))?;
    let mut games = 0u32;
    for _ in 0..3 {
        games = games.saturating_add(bytes.u32()?);
    }
    let lines = bytes.u32()?;
    let value = score(bytes.i16()?);
    // The bounds are the value and by how much it may be off: nothing is proven.
    let _: [u8; 4] = bytes.take()?;
    // Level 0 is a search too; here it would stand for none.
    let (links, level) = (bytes.byte()?, bytes.byte()?.max(1));
    let mut found = Vec::new();
    for _ in 0..links {
        let at = bytes.offset();
        let [score_byte, index] = bytes.take()?;
        let square = match index {
            PASS => None,
            index => Some(Square::new(index).ok_or_else(|| wrong(at + 1, format_args!("{index} is no square")))?),
        };
        let is_move = square.map_or(position.must_pass(), |square| position.moves().contains(square));
        if !is_move {
            return Err(wrong(at + 1, "a link that is no move"));
        }
        found.extend(score(score_byte as i8).map(|score| (square, score)));
    }
    let at = bytes.offset();
    let [score_byte, index] = bytes.take()?;
    let leaf = match Square::new(index) {
        Some(square) if position.moves().contains(square) => score(score_byte as i8).map(|score| (square, score)),
        None if index == NO_MOVE || index == PASS && position.must_pass() => None,
        _ => return Err(wrong(at + 1, "a leaf that is no move")),
    };
    Ok(Record { position, value, bounds: (-64, 64), games, lines, level, links: found, leaf })
}

/// What the header says of the book.
pub(super) struct Header {
    pub positions: u32,
    pub level: u8,
    pub least_empties: u8,
}

/// Discs by which Edax takes values of the middle and of the end game to be off, where it was told nothing else.
const ERRORS: [u32; 2] = [2, 1];

pub(super) fn write_header(out: &mut impl Write, header: &Header) -> Result<(), BookError> {
    let mut bytes = [MAGIC.as_slice(), &VERSION, &date()].concat();
    let words = [header.level.into(), header.least_empties.into(), ERRORS[0], ERRORS[1], 0, header.positions];
    bytes.extend(words.iter().flat_map(|word: &u32| word.to_le_bytes()));
    Ok(out.write_all(&bytes)?)
}

/// Now, as the header has it.
fn date() -> [u8; 8] {
    let text = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<u16>().ok());
    let [low, high] = numbers.next().unwrap_or(0).to_le_bytes();
    let mut date = [low, high, 0, 0, 0, 0, 0, 0];
    date[2..7].iter_mut().zip(numbers).for_each(|(byte, number)| *byte = number as u8);
    date
}

pub(super) fn write(out: &mut impl Write, record: &Record) -> Result<(), BookError> {
    let Record { position, value, bounds: (lower, upper), lines, level, links, leaf, .. } = record;
    let mut bytes = Vec::with_capacity(128);
    bytes.extend(position.player().0.to_le_bytes());
    bytes.extend(position.opponent().0.to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(lines.to_le_bytes());
    [value.unwrap_or(NO_SCORE), *lower, *upper].iter().for_each(|score| bytes.extend(i16::from(*score).to_le_bytes()));
    bytes.extend([links.len() as u8, *level]);
    for (square, score) in links {
        bytes.extend([*score as u8, square.map_or(PASS, |square| square.index() as u8)]);
    }
    let (score, square) = leaf.map_or((NO_SCORE, NO_MOVE), |(square, score)| (score, square.index() as u8));
    bytes.extend([score as u8, square]);
    Ok(out.write_all(&bytes)?)
}
