//! The file of weights of the linear form: the [`super::frame`] of version [`VERSION`] around this.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | phases, 1 to 60 |
//! | 2 | units of a weight per disc, a power of two up to 128 |
//! | … | patterns, mobilities, error model, as the frame says |
//! | 4 and … | for each phase, the opening first, the length of its compressed weights and they, as [`Sharing`] numbers them |
//!
//! The weights of a phase are one block of deflate of [`numbers`](frame::write_numbers).

use super::form::Weights;
use super::frame::{self, Cursor, WeightsError};
use super::geometry::Sharing;
use crate::eval::ErrorModel;
use crate::game::DISC;

/// The version of the format that is read and written.
pub const VERSION: u32 = 4;

/// The most phases of a file: one for each disc placed in a game.
pub const MOST_PHASES: usize = 60;

/// The weights without repetition, as they are learned and stored.
#[derive(Clone, PartialEq, Debug)]
pub struct PackedWeights {
    phases: usize,
    units_per_disc: u16,
    weights: Vec<i16>,
    error_model: Option<ErrorModel>,
}

impl PackedWeights {
    /// Weights for `phases` phases, 1 to 60, phase 0 first, [`Sharing::count`] for each phase; a disc is
    /// `units_per_disc`, a power of two from 1 to 128. There is no error model.
    ///
    /// # Errors
    /// If one of these numbers is out of range, or a weight is too large for the tables of the evaluation.
    pub fn new(phases: usize, units_per_disc: u16, weights: Vec<i16>) -> Result<PackedWeights, WeightsError> {
        check_phases(phases)?;
        let factor = frame::check_units(units_per_disc)?;
        let expected = phases * Sharing::get().count();
        if weights.len() != expected {
            return Err(WeightsError::Count { found: weights.len(), expected });
        }
        frame::check_weights(&weights, factor)?;
        Ok(PackedWeights { phases, units_per_disc, weights, error_model: None })
    }

    /// The number of phases.
    pub fn phases(&self) -> usize {
        self.phases
    }

    /// The weights of one phase.
    pub fn phase(&self, phase: usize) -> &[i16] {
        let length = Sharing::get().count();
        &self.weights[phase * length..][..length]
    }

    /// Units of a weight per disc.
    pub fn units_per_disc(&self) -> u16 {
        self.units_per_disc
    }

    /// The factor that turns a weight into units of [`DISC`].
    pub(super) fn factor(&self) -> i16 {
        DISC as i16 / self.units_per_disc as i16
    }

    /// These weights with another error model.
    pub fn with_error_model(self, error_model: ErrorModel) -> PackedWeights {
        PackedWeights { error_model: Some(error_model), ..self }
    }
}

impl Weights for PackedWeights {
    fn error_model(&self) -> Option<&ErrorModel> {
        self.error_model.as_ref()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = frame::begin(VERSION);
        bytes.extend((self.phases as u16).to_le_bytes());
        bytes.extend(self.units_per_disc.to_le_bytes());
        frame::write_description(&mut bytes, self.error_model.as_ref());
        for phase in 0..self.phases {
            frame::write_numbers(&mut bytes, self.phase(phase).iter().copied());
        }
        frame::seal(bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Result<PackedWeights, WeightsError> {
        let mut rest = frame::open(bytes, VERSION)?;
        let phases = usize::from(rest.u16().ok_or(WeightsError::Header)?);
        check_phases(phases)?;
        let units_per_disc = rest.u16().ok_or(WeightsError::Header)?;
        frame::check_units(units_per_disc)?;
        let error_model = frame::read_description(&mut rest)?;
        let weights = PackedWeights::new(phases, units_per_disc, unpack(rest, phases)?)?;
        Ok(PackedWeights { error_model, ..weights })
    }
}

/// The phase of positions with this number of discs: `phases` phases share the 60 moves of a game evenly.
pub fn phase_of(discs: usize, phases: usize) -> usize {
    (discs.saturating_sub(4) * phases / 60).min(phases - 1)
}

fn check_phases(phases: usize) -> Result<(), WeightsError> {
    if (1..=MOST_PHASES).contains(&phases) { Ok(()) } else { Err(WeightsError::Phases(phases)) }
}

/// The weights of `phases` phases, which must be all there is. Each phase is unpacked in the same small buffer, because fresh memory
/// for all of them would take longer than the unpacking.
fn unpack(mut rest: Cursor<'_>, phases: usize) -> Result<Vec<i16>, WeightsError> {
    let length = Sharing::get().count();
    let mut weights = Vec::with_capacity(phases * length);
    let mut planes = vec![0; 2 * length];
    for phase in 0..phases {
        weights.extend(frame::read_numbers(&mut rest, &mut planes, phase, phases)?);
    }
    if rest.0.is_empty() { Ok(weights) } else { Err(WeightsError::Trailing(rest.0.len())) }
}

#[cfg(test)]
mod tests {
    use super::super::frame::SIZE_AT;
    use super::super::frame::tests::{self, sealed};
    use super::super::geometry::FAMILIES;
    use super::*;
    use crate::random::Random;

    /// Weights of all sizes, small ones more often.
    fn some(phases: usize) -> PackedWeights {
        let mut random = Random::new(1);
        let weights = (0..phases * Sharing::get().count()).map(|_| {
            let bits = random.next();
            ((bits >> 48) as i16 / 8) >> (bits & 15)
        });
        PackedWeights::new(phases, 32, weights.collect())
            .unwrap()
            .with_error_model(ErrorModel::new(&[-0.25; 18]).unwrap())
    }

    fn none(phases: usize) -> PackedWeights {
        PackedWeights::new(phases, 32, vec![0; phases * Sharing::get().count()]).unwrap()
    }

    fn refusal(bytes: &[u8]) -> String {
        tests::refusal::<PackedWeights>(bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        let weights = some(3);
        assert_eq!(PackedWeights::from_bytes(&weights.to_bytes()).unwrap(), weights);
        // The extremes that one unit per 1/128 disc allows.
        let mut extremes = vec![0; Sharing::get().count()];
        extremes[..4].copy_from_slice(&[i16::MAX, i16::MIN, -1, 1]);
        let extremes = PackedWeights::new(1, 128, extremes).unwrap();
        assert_eq!(PackedWeights::from_bytes(&extremes.to_bytes()).unwrap(), extremes);
    }

    #[test]
    fn no_weights_need_no_room() {
        let weights = 30 * Sharing::get().count();
        assert!(none(30).to_bytes().len() < weights / 100);
    }

    #[test]
    fn a_file_on_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        some(1).write(&path).unwrap();
        assert_eq!(PackedWeights::read(&path).unwrap(), some(1));
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(PackedWeights::read(&path), Err(WeightsError::Io(_))));
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let bytes = none(1).to_bytes();
        tests::cuts_and_changes_are_noticed::<PackedWeights>(&bytes, 0..bytes.len());
        assert!(refusal(&[&bytes[..], b"\n"].concat()).contains("size is wrong"));
    }

    #[test]
    fn a_foreign_file_with_a_right_checksum_is_refused_by_name() {
        let bytes = none(1).to_bytes();
        let changed = |at: usize, value: u8| {
            let mut bytes = bytes.clone();
            bytes[at] = value;
            refusal(&sealed(&bytes))
        };
        let header = SIZE_AT + 4;
        assert!(changed(header, 0).contains("0 phases"));
        assert!(changed(header + 1, 1).contains("257 phases"));
        assert!(changed(header, 2).contains("weights"), "the second phase is missing");
        assert!(changed(header + 2, 33).contains("33 units"));
        assert!(changed(header + 4, 200).contains("patterns") || changed(header + 4, 200).contains("announces"));
        assert!(changed(header + 4, 13).contains("13 families where this program has 14"));
        assert!(changed(header + 6, 7).contains("has h1 b1 a2 b2 c1 a3 c2 b3 c3 where this program has a1 b1"));
        assert!(changed(header + 6, 99).contains("(99) b1"));
        let mobilities = header + 5 + FAMILIES.iter().map(|family| 1 + family.square_indices().len()).sum::<usize>();
        assert!(changed(mobilities, 33).contains("33 mobilities where this program has 32"));
        // The beginning of the coefficients of the error model: not a number, a large one, and one coefficient less.
        let with_model = none(1).with_error_model(ErrorModel::new(&[0.5; 18]).unwrap()).to_bytes();
        for coefficient in [f64::NAN, 1001.0] {
            let mut bad = with_model.clone();
            bad[mobilities + 2..][..8].copy_from_slice(&coefficient.to_le_bytes());
            assert!(refusal(&sealed(&bad)).contains("18 coefficients, or one that is no number from -1000 to 1000"));
        }
        let mut too_few = with_model;
        too_few[mobilities + 1] = 17;
        too_few.drain(mobilities + 2..mobilities + 10);
        assert!(refusal(&sealed(&too_few)).contains("17 coefficients"));
        // Anything may stand there: an answer, never a panic.
        for at in header..bytes.len() - 4 {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                let _ = PackedWeights::from_bytes(&sealed(&bytes));
            }
        }
        for length in header + 4..bytes.len() {
            assert!(PackedWeights::from_bytes(&sealed(&bytes[..length])).is_err(), "{length}");
        }
    }

    #[test]
    fn weights_that_the_tables_cannot_hold_are_refused() {
        let length = Sharing::get().count();
        let new = |phases, units, weight| PackedWeights::new(phases, units, vec![weight; length]);
        assert!(matches!(new(1, 32, 8192), Err(WeightsError::Weight(8192))));
        assert!(new(1, 32, -8192).is_ok() && new(1, 128, i16::MIN).is_ok());
        assert!(matches!(new(2, 32, 0), Err(WeightsError::Count { .. })));
        assert!(matches!(new(61, 32, 0), Err(WeightsError::Phases(61))));
        assert!(matches!(new(1, 256, 0), Err(WeightsError::Units(256))));
        assert!(matches!(new(1, 0, 0), Err(WeightsError::Units(0))));
    }

    #[test]
    fn phases_share_the_game() {
        let phases_of = |phases| [4, 5, 6, 33, 34, 62, 63, 64].map(|discs| phase_of(discs, phases));
        assert_eq!(phases_of(30), [0, 0, 1, 14, 15, 29, 29, 29]);
        assert_eq!(phases_of(60), [0, 1, 2, 29, 30, 58, 59, 59]);
        assert_eq!(phases_of(1), [0; 8]);
    }
}
