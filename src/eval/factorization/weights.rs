//! The weights without repetition, as they are learned and stored, and their file: the
//! [`crate::eval::pattern::frame`] of version [`VERSION`] around this.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | knots, 2 to 16 |
//! | 2 | units of a linear weight per disc, a power of two up to 128 |
//! | 2 | what the factor 1 is in the units of the factors, 1 to 1024 |
//! | 2 | factors of a row, [`RANK`] |
//! | … | patterns, mobilities, error model, as the frame says |
//! | 4 and … | for each knot, the opening first, the length of its compressed linear weights and they, row by row |
//! | 4 and … | for each factor, the length of the compressed factors of all rows and they, one byte each |
//!
//! Rows are numbered as by [`Sharing`], with one for each number of discs from 4 to 64 in place of the constant. Linear
//! weights are stored as the change from the knot before, made unsigned and with the high bytes first as in the linear
//! form's file.

use super::{HALF, RANK};
use crate::eval::ErrorModel;
use crate::eval::pattern::frame::{self, Cursor, WeightsError};
use crate::eval::pattern::{Sharing, Weights};
use crate::game::DISC;

/// The version of the format that is read and written.
pub const VERSION: u32 = 5;

/// The most knots of a file.
pub const MOST_KNOTS: usize = 16;

/// The most units of the factor 1: with more, a product of two is rounded too coarsely.
pub const MOST_FACTOR_UNITS: u16 = 1024;

/// Numbers of discs, 4 to 64, which have a row each.
pub const DISC_COUNTS: usize = 61;

/// How many rows there are: configurations without repetition, pairs of mobilities, numbers of discs.
pub fn rows() -> usize {
    Sharing::get().constant() + DISC_COUNTS
}

/// Weights of the form with factors.
#[derive(Clone, PartialEq, Debug)]
pub struct FactorWeights {
    knots: usize,
    units_per_disc: u16,
    factor_units: u16,
    /// Knot by knot.
    linear: Vec<i16>,
    /// Factor by factor.
    factors: Vec<i8>,
    error_model: Option<ErrorModel>,
}

impl FactorWeights {
    /// Weights at 2 to 16 knots, [`rows`] linear ones for each knot, and [`RANK`] factors of each row, the first factors of
    /// all rows first. A disc is `units_per_disc` in the linear weights, a power of two from 1 to 128, and 1 is
    /// `factor_units` in the factors, 1 to 1024.
    ///
    /// # Errors
    /// If one of these numbers is out of range, or a linear weight is too large for the tables of the evaluation.
    pub fn new(
        units_per_disc: u16,
        factor_units: u16,
        linear: Vec<i16>,
        factors: Vec<i8>,
    ) -> Result<FactorWeights, WeightsError> {
        let knots = linear.len() / rows();
        check_knots(knots)?;
        let factor = frame::check_units(units_per_disc)?;
        check_factor_units(factor_units)?;
        for (found, expected) in [(linear.len(), knots * rows()), (factors.len(), RANK * rows())] {
            if found != expected {
                return Err(WeightsError::Count { found, expected });
            }
        }
        frame::check_weights(&linear, factor)?;
        Ok(FactorWeights { knots, units_per_disc, factor_units, linear, factors, error_model: None })
    }

    /// The number of knots.
    pub fn knots(&self) -> usize {
        self.knots
    }

    /// The linear weights of all rows at one knot.
    pub fn linear(&self, knot: usize) -> &[i16] {
        &self.linear[knot * rows()..][..rows()]
    }

    /// The factor of one number, 0 to [`RANK`] − 1, of all rows.
    pub fn factor(&self, number: usize) -> &[i8] {
        &self.factors[number * rows()..][..rows()]
    }

    /// The factor that turns a linear weight into units of [`DISC`].
    pub(super) fn to_units(&self) -> i32 {
        DISC / i32::from(self.units_per_disc)
    }

    /// What a disc is in the units of the linear weights.
    pub fn units_per_disc(&self) -> u16 {
        self.units_per_disc
    }

    /// What the factor 1 is in the units of the factors.
    pub fn factor_units(&self) -> u16 {
        self.factor_units
    }

    /// These weights with another error model.
    pub fn with_error_model(self, error_model: ErrorModel) -> FactorWeights {
        FactorWeights { error_model: Some(error_model), ..self }
    }
}

impl Weights for FactorWeights {
    fn error_model(&self) -> Option<&ErrorModel> {
        self.error_model.as_ref()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = frame::begin(VERSION);
        for number in [self.knots as u16, self.units_per_disc, self.factor_units, RANK as u16] {
            bytes.extend(number.to_le_bytes());
        }
        frame::write_description(&mut bytes, self.error_model.as_ref());
        let mut before = vec![0; rows()];
        for knot in 0..self.knots {
            let linear = self.linear(knot);
            let change = |(&weight, &before): (&i16, &i16)| weight.wrapping_sub(before);
            frame::write_numbers(&mut bytes, linear.iter().zip(&before).map(change));
            before.copy_from_slice(linear);
        }
        for number in 0..RANK {
            let plane: Vec<u8> = self.factor(number).iter().map(|&factor| factor as u8).collect();
            frame::write_block(&mut bytes, &plane);
        }
        frame::seal(bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Result<FactorWeights, WeightsError> {
        let mut rest = frame::open(bytes, VERSION)?;
        let mut number = || rest.u16().ok_or(WeightsError::Header);
        let (knots, units_per_disc, factor_units, rank) = (number()?, number()?, number()?, number()?);
        let knots = usize::from(knots);
        check_knots(knots)?;
        frame::check_units(units_per_disc)?;
        check_factor_units(factor_units)?;
        let rank = usize::from(rank);
        // Weights of fewer factors have the others 0.
        if !rank.is_multiple_of(2) || rank > RANK {
            frame::check_number("factors", rank, RANK)?;
        }
        let error_model = frame::read_description(&mut rest)?;
        let linear = unpack_linear(&mut rest, knots)?;
        let factors = unpack_factors(&mut rest, rank)?;
        if !rest.0.is_empty() {
            return Err(WeightsError::Trailing(rest.0.len()));
        }
        let weights = FactorWeights::new(units_per_disc, factor_units, linear, factors)?;
        Ok(FactorWeights { error_model, ..weights })
    }
}

fn check_knots(knots: usize) -> Result<(), WeightsError> {
    if (2..=MOST_KNOTS).contains(&knots) { Ok(()) } else { Err(WeightsError::Knots(knots)) }
}

fn check_factor_units(units: u16) -> Result<(), WeightsError> {
    if (1..=MOST_FACTOR_UNITS).contains(&units) { Ok(()) } else { Err(WeightsError::FactorUnits(units)) }
}

fn unpack_linear(rest: &mut Cursor<'_>, knots: usize) -> Result<Vec<i16>, WeightsError> {
    let length = rows();
    let mut linear: Vec<i16> = Vec::with_capacity(knots * length);
    let mut planes = vec![0; 2 * length];
    for knot in 0..knots {
        for (row, change) in frame::read_numbers(rest, &mut planes, knot, knots)?.enumerate() {
            let before = if knot > 0 { linear[(knot - 1) * length + row] } else { 0 };
            linear.push(before.wrapping_add(change));
        }
    }
    Ok(linear)
}

/// The factors of a file that has `rank` of them for each row, the first half of which counts positive.
fn unpack_factors(rest: &mut Cursor<'_>, rank: usize) -> Result<Vec<i8>, WeightsError> {
    let length = rows();
    let mut plane = vec![0; length];
    let mut factors = vec![0; RANK * length];
    for number in 0..rank {
        let count = |found: usize| WeightsError::Count { found: number * length + found, expected: rank * length };
        let found = frame::read_block(rest, &mut plane)?.ok_or_else(|| count(0))?;
        if found != length {
            return Err(count(found));
        }
        let place = if number < rank / 2 { number } else { HALF + number - rank / 2 };
        let factor = factors[place * length..][..length].iter_mut();
        factor.zip(&plane).for_each(|(factor, &byte)| *factor = byte as i8);
    }
    Ok(factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pattern::frame::SIZE_AT;
    use crate::eval::pattern::frame::tests::{self, sealed};
    use crate::random::Random;

    fn some() -> FactorWeights {
        let mut random = Random::new(4);
        let linear = (0..3 * rows()).map(|_| (random.next() >> 50) as i16 - 8192).collect();
        let factors = (0..RANK * rows()).map(|_| random.next() as i8).collect();
        FactorWeights::new(32, 200, linear, factors).unwrap().with_error_model(ErrorModel::new(&[-0.25; 18]).unwrap())
    }

    fn none() -> FactorWeights {
        FactorWeights::new(32, 128, vec![0; 2 * rows()], vec![0; RANK * rows()]).unwrap()
    }

    fn refusal(bytes: &[u8]) -> String {
        tests::refusal::<FactorWeights>(bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        let weights = some();
        assert_eq!(FactorWeights::from_bytes(&weights.to_bytes()).unwrap(), weights);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        weights.write(&path).unwrap();
        assert_eq!(FactorWeights::read(&path).unwrap(), weights);
    }

    #[test]
    fn of_fewer_factors_the_others_are_0() {
        let weights = some();
        let bytes = weights.to_bytes();
        // Two factors of 28: the first one and the first that counts negative.
        let mut few = bytes[..SIZE_AT + 10].to_vec();
        few.extend(2u16.to_le_bytes());
        let mut rest = frame::open(&bytes, VERSION).unwrap();
        rest.take(8).unwrap();
        let behind = rest.0;
        frame::read_description(&mut rest).unwrap();
        unpack_linear(&mut rest, 3).unwrap();
        few.extend(&behind[..behind.len() - rest.0.len()]);
        for number in [0, HALF] {
            let plane: Vec<u8> = weights.factor(number).iter().map(|&factor| factor as u8).collect();
            frame::write_block(&mut few, &plane);
        }
        let read = FactorWeights::from_bytes(&frame::seal(few)).unwrap();
        for number in 0..RANK {
            let is_there = [0, HALF].contains(&number);
            assert!(if is_there {
                read.factor(number) == weights.factor(number)
            } else {
                read.factor(number).iter().all(|&factor| factor == 0)
            });
        }
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let bytes = none().to_bytes();
        let places = (0..200).chain((200..bytes.len()).step_by(97));
        tests::cuts_and_changes_are_noticed::<FactorWeights>(&bytes, places);
    }

    #[test]
    fn a_foreign_file_is_refused_by_name() {
        let bytes = none().to_bytes();
        let changed = |at: usize, value: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            refusal(&sealed(&bytes))
        };
        let header = SIZE_AT + 4;
        assert!(changed(header, 1).contains("1 knots"));
        assert!(changed(header, 3).contains("weights") || changed(header, 3).contains("announces"));
        assert!(changed(header + 2, 33).contains("33 units"));
        assert!(changed(header + 5, 0xff).contains("units for the factor 1"));
        assert!(changed(header + 6, 30).contains("30 factors where this program has 28"));
        assert!(changed(header + 8, 13).contains("13 families where this program has 14"));
        for at in header..bytes.len().min(header + 400) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                let _ = FactorWeights::from_bytes(&sealed(&bytes));
            }
        }
    }

    #[test]
    fn each_form_names_the_other() {
        use crate::eval::pattern::PackedWeights;
        let linear = PackedWeights::new(1, 32, vec![0; Sharing::get().count()]).unwrap();
        let error = refusal(&linear.to_bytes());
        assert!(error.contains("version 4") && error.contains("--eval pattern-linear"), "{error}");
        let mut earlier = none().to_bytes();
        earlier[SIZE_AT - 4] = 3;
        let error = refusal(&earlier);
        assert!(error.contains("version 3") && error.contains("train pack"), "{error}");
        let error = PackedWeights::from_bytes(&none().to_bytes()).unwrap_err().to_string();
        assert!(error.contains("version 5") && error.contains("--eval pattern"), "{error}");
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let new = |units, factor_units, weight, factors| {
            FactorWeights::new(units, factor_units, vec![weight; 2 * rows()], vec![0; factors])
        };
        assert!(new(32, 128, -8192, RANK * rows()).is_ok());
        assert!(matches!(new(32, 128, 8192, RANK * rows()), Err(WeightsError::Weight(8192))));
        assert!(matches!(new(32, 128, 0, 5), Err(WeightsError::Count { found: 5, .. })));
        assert!(matches!(new(33, 128, 0, RANK * rows()), Err(WeightsError::Units(33))));
        for units in [0, 1025] {
            let error = new(32, units, 0, RANK * rows()).unwrap_err().to_string();
            assert!(error.contains("expected 1 to 1024"), "{error}");
        }
    }
}
