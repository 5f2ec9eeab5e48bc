//! From the regression's weights to the file that the program reads.

use super::container::{self, FileError, Magic};
use super::fit::{FitSettings, FittedPhase, PassError};
use super::settings_error::SettingsError;
use crate::eval::pattern::{PackedWeights, Sharing, WeightsError};
use crate::game::DISC;
use serde::{Deserialize, Serialize};
use std::path::Path;

const MAGIC: Magic = *b"EMIFIT01";

/// How weights are rounded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PackSettings {
    /// What a disc is in the units of the packed weights: a power of two, 1 to 128.
    pub units_per_disc: u16,
}

impl Default for PackSettings {
    fn default() -> PackSettings {
        PackSettings { units_per_disc: 32 }
    }
}

impl PackSettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let units = self.units_per_disc;
        let good = units.is_power_of_two() && i32::from(units) <= DISC;
        SettingsError::check("pack.units-per-disc", good, &units, "a power of two from 1 to 128")
    }
}

/// What a file of fitted weights says of itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FitHeader {
    /// The knobs.
    pub settings: FitSettings,
    /// The folders of samples, how much each counts, and how its samples came to be.
    pub sources: Vec<serde_json::Value>,
    /// Games in them.
    pub games: u64,
    /// Positions learnt from.
    pub training: usize,
    /// Positions held out.
    pub held_out: usize,
    /// Emilia's version.
    pub version: String,
    /// Of every phase the errors of the weights that were kept.
    pub errors: Vec<PassError>,
}

/// The weights of a regression.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedWeights {
    /// Where they come from.
    pub header: FitHeader,
    /// In discs, phase by phase, [`Sharing::len`] for each.
    pub weights: Vec<f32>,
}

impl FittedWeights {
    /// The weights of all phases together.
    pub fn new(mut header: FitHeader, phases: &[FittedPhase]) -> FittedWeights {
        header.errors = phases.iter().map(|phase| phase.curve[phase.best]).collect();
        FittedWeights { header, weights: phases.iter().flat_map(|phase| phase.weights.iter().copied()).collect() }
    }

    /// Writes a file: the container of training with the magic `EMIFIT01`, a [`FitHeader`] and 4 bytes for each weight.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let body: Vec<u8> = self.weights.iter().flat_map(|weight| weight.to_le_bytes()).collect();
        container::write(path, &container::seal(MAGIC, &self.header, &body))
    }

    /// Reads a file and checks all of it.
    pub fn read(path: &Path) -> Result<FittedWeights, FileError> {
        let bytes = container::read(path)?;
        let (header, body): (FitHeader, _) = container::open(&bytes, MAGIC, path)?;
        let (weights, rest) = body.as_chunks::<4>();
        let expected = header.settings.phases.saturating_mul(Sharing::get().len());
        if !rest.is_empty() || weights.len() != expected {
            let what = format!("{} bytes of weights, expected {expected} weights", body.len());
            return Err(FileError::content(path, what));
        }
        Ok(FittedWeights { weights: weights.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(), header })
    }

    /// The weights as the program reads them, rounded to whole units.
    pub fn pack(&self, settings: &PackSettings) -> Result<PackedWeights, WeightsError> {
        let units = f32::from(settings.units_per_disc);
        // Beyond this the tables of the evaluation could not hold a weight; no sum needs more than 64 discs.
        let most = (i32::from(i16::MAX) / (DISC / i32::from(settings.units_per_disc))) as f32;
        let round = |&weight: &f32| (weight * units).round().clamp(-most, most) as i16;
        let weights = self.weights.iter().map(round).collect();
        PackedWeights::new(self.header.settings.phases, settings.units_per_disc, weights, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(weights: Vec<f32>) -> FittedWeights {
        let settings = FitSettings { phases: 1, ..FitSettings::default() };
        let header = FitHeader {
            settings,
            sources: Vec::new(),
            games: 1,
            training: 2,
            held_out: 3,
            version: "0.1.0".to_owned(),
            errors: Vec::new(),
        };
        FittedWeights { header, weights }
    }

    #[test]
    fn weights_are_rounded_to_units_and_kept_within_what_the_tables_hold() {
        let mut weights = vec![0.0; Sharing::get().len()];
        weights[..6].copy_from_slice(&[1.0, -1.0, 0.52, -0.49, 300.0, -300.0]);
        let packed = fitted(weights.clone()).pack(&PackSettings { units_per_disc: 2 }).unwrap();
        assert_eq!(packed.phase(0)[..6], [2, -2, 1, -1, 511, -511]);
        let packed = fitted(weights).pack(&PackSettings::default()).unwrap();
        assert_eq!(packed.phase(0)[..6], [32, -32, 17, -16, 8191, -8191]);
        assert!(fitted(vec![0.0; 5]).pack(&PackSettings::default()).is_err());
    }

    #[test]
    fn files_come_back_and_wrong_ones_are_refused() {
        let path = std::env::temp_dir().join(format!("emilia-pack-{}.fit", std::process::id()));
        let weights = fitted((0..Sharing::get().len()).map(|i| i as f32 / 3.0).collect());
        weights.write(&path).unwrap();
        assert_eq!(FittedWeights::read(&path).unwrap(), weights);
        fitted(vec![0.0; 5]).write(&path).unwrap();
        let error = FittedWeights::read(&path).unwrap_err().to_string();
        assert!(error.contains("20 bytes of weights"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}
