//! What the files of weights of both pattern evaluations have around their weights.
//!
//! All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | the magic, [`MAGIC`]; a transfer as text would damage it |
//! | 4 | the version, which says the form |
//! | 4 | bytes of the whole file |
//! | … | numbers of the form |
//! | 1 | families; then for each: 1 byte with the number of squares and 1 byte for each square, a1 = 0 to h8 = 63 |
//! | 1 | how many mobilities of a side are distinguished, [`MOBILITIES`] |
//! | 1 | coefficients of the error model; then 8 for each, as IEEE 754 double |
//! | … | the weights |
//! | 4 | CRC-32 (IEEE 802.3) of everything before |

use super::file::{MOST_PHASES, VERSION};
use super::geometry::{FAMILIES, MOBILITIES};
use crate::eval::ErrorModel;
use crate::eval::factorization::{MOST_FACTOR_UNITS, MOST_KNOTS};
use crate::game::DISC;
use crate::othello::Square;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use thiserror::Error;

/// The first bytes of a file of weights.
pub const MAGIC: [u8; 8] = *b"EMILIA\x1a\n";

/// The largest file of weights in bytes: a larger one is not read to its end.
const LARGEST_FILE: u64 = 64 << 20;

/// Where the size of the file stands in it.
pub(in crate::eval) const SIZE_AT: usize = MAGIC.len() + 4;

/// Why a file of weights was refused.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// The file could not be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The magic is missing.
    #[error("not a file of pattern weights: it does not begin with the magic bytes")]
    Magic,
    /// Another version of the format.
    #[error("version {found} of the weights format{}; expected version {expected}", form_of(*.found))]
    Version {
        /// The version of the file.
        found: u32,
        /// The version that was asked for, or several.
        expected: String,
    },
    /// Cut off, or something hangs behind it.
    #[error("the size is wrong: {found} bytes where the header says {said}")]
    Size {
        /// The bytes that there are.
        found: u64,
        /// The bytes that there should be; of a file that ends within its header, the least that would do.
        said: u64,
    },
    /// A byte has changed.
    #[error("the checksum is wrong: {computed:08x} where the file says {said:08x}: it is damaged")]
    Checksum {
        /// The checksum of what is there.
        computed: u32,
        /// What the file says.
        said: u32,
    },
    /// The weights are for other patterns.
    #[error("other patterns: the file has {found} where this program has {expected}")]
    Geometry {
        /// The squares of the file's family, or how many families it has.
        found: String,
        /// The squares of this program's family, or how many families it has.
        expected: String,
    },
    /// Too many phases, or none.
    #[error("{0} phases; expected 1 to {MOST_PHASES}")]
    Phases(usize),
    /// Too many knots, or too few.
    #[error("{0} knots; expected 2 to {MOST_KNOTS}")]
    Knots(usize),
    /// The unit of the factors is none of those allowed.
    #[error("{0} units for the factor 1; expected 1 to {MOST_FACTOR_UNITS}")]
    FactorUnits(u16),
    /// The unit of the weights is none of those allowed.
    #[error("{0} units per disc; expected a power of two from 1 to {DISC}")]
    Units(u16),
    /// The number of weights behind the header is wrong.
    #[error("{found} weights; expected {expected}")]
    Count {
        /// The number of weights that there are.
        found: usize,
        /// The number of weights that there should be: phases times the weights of one.
        expected: usize,
    },
    /// The compressed part is not what a compressor makes.
    #[error("the weights cannot be decompressed: {0}")]
    Compression(String),
    /// A weight that is too large for the tables of the evaluation.
    #[error("the weight {0} is more than {most} discs", most = i32::from(i16::MAX) / DISC)]
    Weight(i16),
    /// The file ends before what its header announces.
    #[error("the header announces more than the file holds")]
    Header,
    /// Something stands behind the last weights.
    #[error("{0} bytes behind the last weights; expected none")]
    Trailing(usize),
    /// No error model is said by these coefficients.
    #[error(
        "the error model has {0} coefficients, or one that is no number from -1000 to 1000; expected none, 12, 18 or 30"
    )]
    ErrorModel(usize),
}

/// What a version of the format is, if this program knows it.
fn form_of(version: u32) -> &'static str {
    match version {
        VERSION => " (the linear form, of --eval pattern-linear)",
        crate::eval::factorization::VERSION => " (the form with factors, of --eval pattern)",
        1..=3 => " (of an earlier Emilia: `emilia train pack` makes it again from the fit)",
        _ => "",
    }
}

/// The bytes of a file, as many as a file of weights may have.
pub(super) fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The version of a file of weights, which says its form.
///
/// # Errors
/// If the bytes do not begin like a file of weights.
pub(in crate::eval) fn version_of(bytes: &[u8]) -> Result<u32, WeightsError> {
    let rest = bytes.strip_prefix(&MAGIC).ok_or(WeightsError::Magic)?;
    let (found, said) = (bytes.len() as u64, (SIZE_AT + 8) as u64);
    Cursor(rest).u32().ok_or(WeightsError::Size { found, said })
}

/// The beginning of a file, up to the numbers of the form.
pub(in crate::eval) fn begin(version: u32) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend([0; 4]);
    bytes
}

/// Writes patterns, mobilities and the error model.
pub(in crate::eval) fn write_description(bytes: &mut Vec<u8>, error_model: Option<&ErrorModel>) {
    bytes.push(FAMILIES.len() as u8);
    for family in &FAMILIES {
        bytes.push(family.square_indices().len() as u8);
        bytes.extend(family.square_indices());
    }
    bytes.push(MOBILITIES as u8);
    let coefficients = error_model.map_or(Vec::new(), ErrorModel::coefficients);
    bytes.push(coefficients.len() as u8);
    bytes.extend(coefficients.iter().flat_map(|coefficient| coefficient.to_le_bytes()));
}

/// Checks patterns and mobilities, and returns the error model.
pub(in crate::eval) fn read_description(rest: &mut Cursor<'_>) -> Result<Option<ErrorModel>, WeightsError> {
    check_geometry(rest)?;
    let coefficients = rest.u8().ok_or(WeightsError::Header)?;
    let coefficients = rest.take(usize::from(coefficients) * 8).ok_or(WeightsError::Header)?;
    let coefficients: Vec<f64> = coefficients.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
    if coefficients.is_empty() {
        return Ok(None);
    }
    ErrorModel::new(&coefficients).map(Some).ok_or(WeightsError::ErrorModel(coefficients.len()))
}

/// Writes one block of bytes, compressed with deflate (RFC 1951), behind its length.
pub(in crate::eval) fn write_block(bytes: &mut Vec<u8>, block: &[u8]) {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let compressed = encoder.write_all(block).and_then(|()| encoder.finish()).expect("memory takes everything");
    bytes.extend((compressed.len() as u32).to_le_bytes());
    bytes.extend(compressed);
}

/// Reads such a block into a buffer and returns how many bytes it had; `None` if there is none.
pub(in crate::eval) fn read_block(rest: &mut Cursor<'_>, block: &mut [u8]) -> Result<Option<usize>, WeightsError> {
    let Some(size) = rest.u32() else { return Ok(None) };
    let compressed = rest.take(size as usize).ok_or(WeightsError::Header)?;
    let mut inflater = Decompress::new(false);
    match inflater.decompress(compressed, block, FlushDecompress::Finish) {
        Ok(Status::StreamEnd) if inflater.total_in() == compressed.len() as u64 => {
            Ok(Some(inflater.total_out() as usize))
        }
        Ok(_) => Err(WeightsError::Compression("a block of another length".to_owned())),
        Err(error) => Err(WeightsError::Compression(error.to_string())),
    }
}

/// Writes numbers as one block. A number `w` is made the unsigned `2w` or `−2w − 1`, and the high bytes of all are
/// written before all low bytes: weights are small, so most high bytes are zero.
pub(in crate::eval) fn write_numbers(bytes: &mut Vec<u8>, numbers: impl Iterator<Item = i16> + Clone) {
    let unsigned = || numbers.clone().map(|number| ((number << 1) ^ (number >> 15)).to_le_bytes());
    let planes: Vec<u8> = unsigned().map(|[_, high]| high).chain(unsigned().map(|[low, _]| low)).collect();
    write_block(bytes, &planes);
}

/// Reads block `index` of `blocks` such blocks into a buffer of two bytes for each of its numbers.
pub(in crate::eval) fn read_numbers<'a>(
    rest: &mut Cursor<'_>,
    planes: &'a mut [u8],
    index: usize,
    blocks: usize,
) -> Result<impl Iterator<Item = i16> + use<'a>, WeightsError> {
    let length = planes.len() / 2;
    let count = |found: usize| WeightsError::Count { found: index * length + found, expected: blocks * length };
    let found = read_block(rest, planes)?.ok_or_else(|| count(0))?;
    if found != planes.len() {
        return Err(count(found / 2));
    }
    let (high, low) = planes.split_at(length);
    Ok(high.iter().zip(low).map(|(&high, &low)| {
        let number = u16::from_le_bytes([low, high]);
        (number >> 1) as i16 ^ -((number & 1) as i16)
    }))
}

/// The whole file: the size is filled in, and the checksum comes behind.
pub(in crate::eval) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let size = bytes.len() as u32 + 4;
    bytes[SIZE_AT..SIZE_AT + 4].copy_from_slice(&size.to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

/// What stands between the size and the checksum of a file of this version.
pub(in crate::eval) fn open(bytes: &[u8], expected: u32) -> Result<Cursor<'_>, WeightsError> {
    let (found, least) = (bytes.len() as u64, (SIZE_AT + 8) as u64);
    let version = version_of(bytes)?;
    if version != expected {
        return Err(WeightsError::Version { found: version, expected: expected.to_string() });
    }
    let said = Cursor(&bytes[SIZE_AT..]).u32().ok_or(WeightsError::Size { found, said: least })?;
    let Some((content, checksum)) = bytes.split_last_chunk::<4>().filter(|_| u64::from(said) == found) else {
        return Err(WeightsError::Size { found, said: u64::from(said).max(least) });
    };
    let (computed, said) = (crc32fast::hash(content), u32::from_le_bytes(*checksum));
    if computed != said {
        return Err(WeightsError::Checksum { computed, said });
    }
    // From here on the bytes are those that somebody wrote, but perhaps not this program.
    Ok(Cursor(content.get(SIZE_AT + 4..).ok_or(WeightsError::Header)?))
}

/// The units of [`DISC`] in a unit of a weight.
pub(in crate::eval) fn check_units(units_per_disc: u16) -> Result<i16, WeightsError> {
    let allowed = units_per_disc.is_power_of_two() && i32::from(units_per_disc) <= DISC;
    if allowed { Ok(DISC as i16 / units_per_disc as i16) } else { Err(WeightsError::Units(units_per_disc)) }
}

/// Refuses weights that are too large for the tables of the evaluation, once they are multiplied by this.
pub(in crate::eval) fn check_weights(weights: &[i16], factor: i16) -> Result<(), WeightsError> {
    // No weight is too large if the extremes are not, and those are found without a branch for each.
    let (least, most) = weights.iter().fold((0, 0), |(least, most), &w| (w.min(least), w.max(most)));
    match [least, most].into_iter().find(|weight| weight.checked_mul(factor).is_none()) {
        Some(weight) => Err(WeightsError::Weight(weight)),
        None => Ok(()),
    }
}

/// Whether the file was made for [`FAMILIES`].
fn check_geometry(rest: &mut Cursor<'_>) -> Result<(), WeightsError> {
    let names = |squares: &[u8]| {
        let name = |&index: &u8| Square::new(index).map_or_else(|| format!("({index})"), |square| square.to_string());
        squares.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let count = usize::from(rest.u8().ok_or(WeightsError::Header)?);
    for family in FAMILIES.iter().take(count) {
        let length = rest.u8().ok_or(WeightsError::Header)?;
        let squares = rest.take(usize::from(length)).ok_or(WeightsError::Header)?;
        if squares != family.square_indices() {
            let (found, expected) = (names(squares), names(family.square_indices()));
            return Err(WeightsError::Geometry { found, expected });
        }
    }
    check_number("families", count, FAMILIES.len())?;
    check_number("mobilities", rest.u8().ok_or(WeightsError::Header)?.into(), MOBILITIES)
}

/// Whether a file has as many of something as this program.
pub(in crate::eval) fn check_number(what: &str, found: usize, expected: usize) -> Result<(), WeightsError> {
    if found == expected {
        return Ok(());
    }
    Err(WeightsError::Geometry { found: format!("{found} {what}"), expected: expected.to_string() })
}

/// The bytes that have not been read yet.
pub(in crate::eval) struct Cursor<'a>(pub(in crate::eval) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(in crate::eval) fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(in crate::eval) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(in crate::eval) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(in crate::eval) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }
}

#[cfg(test)]
pub(in crate::eval) mod tests {
    use super::super::Weights;
    use super::*;

    /// The bytes with the right size and checksum, whatever else was done to them.
    pub(in crate::eval) fn sealed(bytes: &[u8]) -> Vec<u8> {
        seal(bytes[..bytes.len() - 4].to_vec())
    }

    pub(in crate::eval) fn refusal<W: Weights>(bytes: &[u8]) -> String {
        W::from_bytes(bytes).err().expect("a refusal").to_string()
    }

    /// Cuts the bytes of a file in these places, and changes a byte in each of them.
    pub(in crate::eval) fn cuts_and_changes_are_noticed<W: Weights>(bytes: &[u8], places: impl Iterator<Item = usize>) {
        for at in places {
            let expected = if at < MAGIC.len() { "magic" } else { "size is wrong" };
            assert!(refusal::<W>(&bytes[..at]).contains(expected), "{at}");
            let mut changed = bytes.to_vec();
            changed[at] ^= 0x10;
            let expected = match at {
                0..8 => "magic",
                8..12 => "version",
                12..16 => "size",
                _ => "checksum",
            };
            assert!(refusal::<W>(&changed).contains(expected), "{at}");
        }
    }
}
