//! The settings of the fit of a factorization machine.

use crate::eval::AnyWeights;
use crate::eval::factorization::{MOST_KNOTS, RANK};
use crate::training::settings_error::SettingsError;
use serde::{Deserialize, Serialize};

/// Which weights of the program a fit begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InitialWeights {
    /// Linear weights of 0; no factors.
    Nothing,
    /// The linear weights of `pattern-linear`, brought to the knots; no factors.
    PatternLinear,
    /// Those of `pattern`.
    Pattern,
}

/// The settings; what of the samples is taken stands with those of the [linear fit](crate::training::FitSettings).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FactorizationSettings {
    /// Factors of a row, even, 2 to 28; half of them count negative.
    pub rank: usize,
    /// Numbers of discs at which a row has a linear weight, evenly from 4 to 64; between them it is interpolated. 2 to 16.
    pub knots: usize,
    /// Passes over all positions.
    pub passes: usize,
    /// Passes that were not better on the games held out, after which the fit ends.
    pub patience: usize,
    /// The first steps of the factors, falling to 0 like a cosine.
    pub rate: f64,
    /// The same of the linear weights, in discs.
    pub linear_rate: f64,
    /// Weight of the squares of the changes of the factors from those that the fit begins with.
    pub ridge: f32,
    /// The same of the linear weights.
    pub linear_ridge: f32,
    /// Rows used less often do not change.
    pub least_uses: f32,
    /// Positions between two updates.
    pub batch: usize,
    /// Standard deviation of the random numbers in place of the factors that begin at 0.
    pub spread: f64,
    /// Seed of the start and of the order of the positions.
    pub seed: u64,
    /// The weights that the fit begins with.
    pub start: InitialWeights,
}

impl Default for FactorizationSettings {
    fn default() -> FactorizationSettings {
        FactorizationSettings {
            rank: 28,
            knots: 7,
            passes: 5,
            patience: 2,
            rate: 0.0015,
            linear_rate: 0.007,
            ridge: 800.0,
            linear_ridge: 100.0,
            least_uses: 4.0,
            batch: 16384,
            spread: 0.01,
            seed: 1,
            start: InitialWeights::Pattern,
        }
    }
}

impl FactorizationSettings {
    /// Whether a row that is used this much learns; one that was never seen does not, whatever the setting says.
    pub(super) fn learns(&self, uses: f32) -> bool {
        uses >= self.least_uses.max(1e-3)
    }

    /// Checks whether a fit can begin with these weights: with factors, they must have as many knots and factors.
    ///
    /// # Errors
    /// If they have not; the error names the setting.
    pub fn validate_start(&self, weights: Option<&AnyWeights>) -> Result<(), SettingsError> {
        let Some(AnyWeights::Factors(weights)) = weights else { return Ok(()) };
        for (name, found, count) in
            [("factorization.knots", self.knots, weights.knots()), ("factorization.rank", self.rank, RANK)]
        {
            let expected = format!("{count}, as the weights of `factorization.start = \"pattern\"` have");
            SettingsError::check(name, found == count, &found, &expected)?;
        }
        Ok(())
    }

    /// Checks the ranges.
    ///
    /// # Errors
    /// If a setting is out of range; the error names it.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = SettingsError::check;
        let rank = self.rank.is_multiple_of(2) && (2..=RANK).contains(&self.rank);
        check("factorization.rank", rank, &self.rank, "an even number from 2 to 28")?;
        check("factorization.knots", (2..=MOST_KNOTS).contains(&self.knots), &self.knots, "2 to 16")?;
        for (name, number) in [
            ("factorization.passes", self.passes),
            ("factorization.patience", self.patience),
            ("factorization.batch", self.batch),
        ] {
            check(name, number > 0, &number, "at least 1")?;
        }
        SettingsError::check_not_negative(&[
            ("factorization.rate", self.rate),
            ("factorization.linear-rate", self.linear_rate),
            ("factorization.spread", self.spread),
        ])?;
        SettingsError::check_not_negative(&[
            ("factorization.ridge", self.ridge),
            ("factorization.linear-ridge", self.linear_ridge),
        ])?;
        SettingsError::check_not_negative(&[("factorization.least-uses", self.least_uses)])
    }
}
