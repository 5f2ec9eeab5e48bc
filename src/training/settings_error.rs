//! What is wrong with the settings of a step of training.

use std::fmt::Display;
use thiserror::Error;

/// A setting is out of range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{name} = {value} is out of range; expected {expected}")]
pub struct SettingsError {
    /// The setting.
    pub name: &'static str,
    /// What was asked for.
    pub value: String,
    /// What it takes.
    pub expected: String,
}

impl SettingsError {
    pub(super) fn check(
        name: &'static str,
        good: bool,
        value: &dyn Display,
        expected: &str,
    ) -> Result<(), SettingsError> {
        if good {
            return Ok(());
        }
        Err(SettingsError { name, value: value.to_string(), expected: expected.to_owned() })
    }

    /// Whether these settings are finite and not negative.
    pub(super) fn check_not_negative<N: Copy + Display + Into<f64>>(
        settings: &[(&'static str, N)],
    ) -> Result<(), SettingsError> {
        let is_good = |value: N| value.into() >= 0.0 && value.into().is_finite();
        let expected = "a finite number of at least 0";
        settings.iter().try_for_each(|(name, value)| SettingsError::check(name, is_good(*value), value, expected))
    }
}
