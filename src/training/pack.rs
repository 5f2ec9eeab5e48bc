//! From the weights that a fit found to the file that the program reads.

use super::container::{self, FileError, Magic};
use super::dataset::Dataset;
use super::factorization::{FactorizationSettings, FittedFactors, SpanErrors};
use super::fit::{FitSettings, FittedPhase, PassError};
use super::settings_error::SettingsError;
use crate::eval::AnyWeights;
use crate::eval::factorization::{FactorWeights, MOST_FACTOR_UNITS, RANK, rows};
use crate::eval::pattern::{PackedWeights, Sharing, WeightsError};
use crate::game::DISC;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;

const MAGIC: Magic = *b"EMIFIT01";
const FACTOR_MAGIC: Magic = *b"EMIFIT02";

/// How weights are rounded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PackSettings {
    /// What a disc is in the units of the packed weights: a power of two, 1 to 128.
    pub units_per_disc: u16,
    /// What the factor 1 is in the units of the packed factors, which are bytes: 1 to 1024.
    pub factor_units: u16,
}

impl Default for PackSettings {
    fn default() -> PackSettings {
        PackSettings { units_per_disc: 32, factor_units: 128 }
    }
}

impl PackSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// If a setting is out of range; the error names it.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let units = self.units_per_disc;
        let good = units.is_power_of_two() && i32::from(units) <= DISC;
        SettingsError::check("pack.units-per-disc", good, &units, "a power of two from 1 to 128")?;
        let units = self.factor_units;
        SettingsError::check("pack.factor-units", (1..=MOST_FACTOR_UNITS).contains(&units), &units, "1 to 1024")
    }

    /// Linear weights in whole units. Beyond the limits the tables of the evaluation could not hold one; no sum needs more
    /// than 64 discs.
    fn linear(&self, weights: &[f32]) -> Vec<i16> {
        let most = i32::from(i16::MAX) / (DISC / i32::from(self.units_per_disc));
        let (numbers, cut) = rounded(weights, self.units_per_disc, most);
        warn_of_cut(cut, "linear weights", most, self.units_per_disc);
        numbers.map(|number| number as i16).collect()
    }

    /// Factors in whole units, which a byte holds.
    fn factors(&self, factors: &[f32]) -> Vec<i8> {
        let most = i32::from(i8::MAX);
        let (numbers, cut) = rounded(factors, self.factor_units, most);
        warn_of_cut(cut, "factors", most, self.factor_units);
        numbers.map(|number| number as i8).collect()
    }
}

/// Numbers in whole units from `-most` to `most`, and how many had to be cut to that.
fn rounded(numbers: &[f32], units: u16, most: i32) -> (impl Iterator<Item = f32>, usize) {
    let most = most as f32;
    let in_units = move |number: f32| (number * f32::from(units)).round();
    let cut = numbers.iter().filter(|&&number| in_units(number).abs() > most).count();
    (numbers.iter().map(move |&number| in_units(number).clamp(-most, most)), cut)
}

fn warn_of_cut(cut: usize, what: &str, most: i32, units: u16) {
    if cut > 0 {
        log::warn!("{cut} {what} were cut to ±{:.2}", most as f32 / f32::from(units));
    }
}

/// What weights were fitted to.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FitOrigin {
    /// Of every folder of samples how they came to be, how many files there were, and how much they count.
    pub sources: Vec<serde_json::Value>,
    /// Games in them.
    pub games: u64,
    /// Positions learned from.
    pub training: usize,
    /// Positions held out.
    pub held_out: usize,
    /// Emilia's version.
    pub version: String,
}

impl FitOrigin {
    /// A fit of this version of Emilia to these samples.
    fn of(data: &Dataset) -> FitOrigin {
        let (training, held_out) = data.len();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        FitOrigin { sources: data.origins.clone(), games: data.games, training, held_out, version }
    }
}

/// What a file of weights of the linear form says of itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitHeader {
    /// The settings.
    pub settings: FitSettings,
    /// What they were fitted to.
    #[serde(flatten)]
    pub origin: FitOrigin,
    /// Of every phase the errors of the weights that were kept.
    pub errors: Vec<PassError>,
}

/// Fitted weights of the linear form.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedWeights {
    /// Where they come from.
    pub header: FitHeader,
    /// In discs, phase by phase, [`Sharing::count`] for each.
    pub weights: Vec<f32>,
}

impl FittedWeights {
    /// The weights of all phases together, and what they were fitted to.
    pub fn new(settings: FitSettings, data: &Dataset, phases: &[FittedPhase]) -> FittedWeights {
        let errors = phases.iter().map(|phase| phase.curve[phase.best]).collect();
        let header = FitHeader { settings, origin: FitOrigin::of(data), errors };
        FittedWeights { header, weights: phases.iter().flat_map(|phase| phase.weights.iter().copied()).collect() }
    }

    /// Writes a file: the container of training with the magic `EMIFIT01`, a [`FitHeader`] and 4 bytes for each weight.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        write_numbers(path, MAGIC, &self.header, self.weights.iter())
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<FittedWeights, FileError> {
        let expected = |header: &FitHeader| header.settings.phases.saturating_mul(Sharing::get().count());
        let (header, weights) = parse_numbers(bytes, MAGIC, path, expected)?;
        Ok(FittedWeights { header, weights })
    }

    fn pack(&self, settings: &PackSettings) -> Result<PackedWeights, WeightsError> {
        PackedWeights::new(self.header.settings.phases, settings.units_per_disc, settings.linear(&self.weights))
    }
}

/// What a file of weights with factors says of itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FactorHeader {
    /// Which of the samples were taken, among the settings of the linear form.
    pub fit: FitSettings,
    /// The settings.
    pub settings: FactorizationSettings,
    /// What they were fitted to.
    #[serde(flatten)]
    pub origin: FitOrigin,
    /// The errors after each pass.
    pub curve: Vec<SpanErrors>,
    /// The pass that the weights are of.
    pub best: usize,
}

/// Fitted weights of the form with factors.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedFactorWeights {
    /// Where they come from.
    pub header: FactorHeader,
    /// In discs, knot by knot, [`rows`] for each.
    pub linear: Vec<f32>,
    /// Factor by factor, [`RANK`] times [`rows`].
    pub factors: Vec<f32>,
}

impl FittedFactorWeights {
    /// What a fit found with these settings, and what it was fitted to.
    pub fn new(
        fit: FitSettings,
        settings: FactorizationSettings,
        data: &Dataset,
        fitted: FittedFactors,
    ) -> FittedFactorWeights {
        let FittedFactors { linear, factors, curve, best } = fitted;
        let header = FactorHeader { fit, settings, origin: FitOrigin::of(data), curve, best };
        FittedFactorWeights { header, linear, factors }
    }

    /// Writes a file: the container of training with the magic `EMIFIT02`, a [`FactorHeader`] and 4 bytes for each number.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        write_numbers(path, FACTOR_MAGIC, &self.header, self.linear.iter().chain(&self.factors))
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<FittedFactorWeights, FileError> {
        let factors = RANK * rows();
        let expected = |header: &FactorHeader| header.settings.knots.saturating_mul(rows()).saturating_add(factors);
        let (header, mut linear) = parse_numbers(bytes, FACTOR_MAGIC, path, expected)?;
        let factors = linear.split_off(linear.len() - factors);
        Ok(FittedFactorWeights { header, linear, factors })
    }

    fn pack(&self, settings: &PackSettings) -> Result<FactorWeights, WeightsError> {
        let (linear, factors) = (settings.linear(&self.linear), settings.factors(&self.factors));
        FactorWeights::new(settings.units_per_disc, settings.factor_units, linear, factors)
    }
}

/// Writes a file of fitted weights.
fn write_numbers<'a>(
    path: &Path,
    magic: Magic,
    header: &impl Serialize,
    numbers: impl Iterator<Item = &'a f32>,
) -> Result<(), FileError> {
    let body: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    container::write(path, &container::seal(magic, header, &body))
}

/// The header of a file of fitted weights, and the weights: finite, and as many as are expected with this header.
fn parse_numbers<H: DeserializeOwned>(
    bytes: &[u8],
    magic: Magic,
    path: &Path,
    expected: impl Fn(&H) -> usize,
) -> Result<(H, Vec<f32>), FileError> {
    let (header, body): (H, _) = container::open(bytes, magic, path)?;
    let ((numbers, rest), expected) = (body.as_chunks::<4>(), expected(&header));
    if !rest.is_empty() || numbers.len() != expected {
        let what = format!("{} bytes of weights, expected {expected} weights", body.len());
        return Err(FileError::content(path, what));
    }
    let numbers: Vec<f32> = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(at) => Err(FileError::content(path, format!("weight {at} is {}", numbers[at]))),
        None => Ok((header, numbers)),
    }
}

/// Fitted weights of either form.
#[derive(Clone, PartialEq, Debug)]
pub enum AnyFit {
    /// Of the linear form.
    Linear(FittedWeights),
    /// Of the form with factors.
    Factors(FittedFactorWeights),
}

impl AnyFit {
    /// Reads a file that a fit wrote and checks all of it.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or is none.
    pub fn read(path: &Path) -> Result<AnyFit, FileError> {
        let bytes = container::read(path)?;
        if bytes.starts_with(&FACTOR_MAGIC) {
            return FittedFactorWeights::parse(&bytes, path).map(AnyFit::Factors);
        }
        FittedWeights::parse(&bytes, path).map(AnyFit::Linear).map_err(|error| match error {
            FileError::Foreign { path, magic } => FileError::Foreign { path, magic: format!("{magic} or EMIFIT02") },
            other => other,
        })
    }

    /// The weights as the program reads them, rounded to whole units. The log says how many were too large for that.
    ///
    /// # Errors
    /// If their number is wrong.
    pub fn pack(&self, settings: &PackSettings) -> Result<AnyWeights, WeightsError> {
        Ok(match self {
            AnyFit::Linear(fit) => AnyWeights::Linear(fit.pack(settings)?),
            AnyFit::Factors(fit) => AnyWeights::Factors(fit.pack(settings)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(weights: Vec<f32>) -> FittedWeights {
        let settings = FitSettings { phases: 1, ..FitSettings::default() };
        let header = FitHeader { settings, origin: FitOrigin { games: 1, ..FitOrigin::default() }, errors: Vec::new() };
        FittedWeights { header, weights }
    }

    #[test]
    fn weights_are_rounded_to_units_and_kept_within_what_the_tables_hold() {
        let mut weights = vec![0.0; Sharing::get().count()];
        weights[..6].copy_from_slice(&[1.0, -1.0, 0.52, -0.49, 300.0, -300.0]);
        let packed =
            fitted(weights.clone()).pack(&PackSettings { units_per_disc: 2, ..PackSettings::default() }).unwrap();
        assert_eq!(packed.phase(0)[..6], [2, -2, 1, -1, 511, -511]);
        let packed = fitted(weights).pack(&PackSettings::default()).unwrap();
        assert_eq!(packed.phase(0)[..6], [32, -32, 17, -16, 8191, -8191]);
        assert!(fitted(vec![0.0; 5]).pack(&PackSettings::default()).is_err());
        let (factors, cut) = rounded(&[0.5, 2.0, -1.0], 100, 127);
        assert_eq!((factors.collect::<Vec<_>>(), cut), (vec![50.0, 127.0, -100.0], 1));
    }

    #[test]
    fn files_come_back_and_wrong_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.fit");
        let weights = fitted((0..Sharing::get().count()).map(|i| i as f32 / 3.0).collect());
        weights.write(&path).unwrap();
        assert_eq!(AnyFit::read(&path).unwrap(), AnyFit::Linear(weights));
        fitted(vec![0.0; 5]).write(&path).unwrap();
        let error = AnyFit::read(&path).unwrap_err().to_string();
        assert!(error.contains("20 bytes of weights"), "{error}");
    }
}
