//! Every setting of training in one file: `assets/training.toml`, which stands beside the weights and explains them.

use super::factorization::FactorizationSettings;
use super::fit::FitSettings;
use super::label::LabelSettings;
use super::move_order::MoveOrderSettings;
use super::pack::PackSettings;
use super::selfplay::SelfPlaySettings;
use super::settings_error::SettingsError;
use crate::whole_file::why;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The settings of every step, one table of the file for each.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct TrainingConfig {
    /// Of `emilia train selfplay`.
    pub selfplay: SelfPlaySettings,
    /// Of `emilia train label`.
    pub label: LabelSettings,
    /// Of `emilia train fit`.
    pub fit: FitSettings,
    /// Of `emilia train fit` too: the form with factors.
    pub factorization: FactorizationSettings,
    /// Of `emilia train move-order`.
    pub move_order: MoveOrderSettings,
    /// Of `emilia train pack`.
    pub pack: PackSettings,
}

/// Why a configuration cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read '{0}': {why}", why = why(.1))]
    Read(PathBuf, std::io::Error),
    /// Not what the file should hold; the message has line and column.
    #[error("'{0}' is no configuration of training: {1}")]
    Syntax(PathBuf, Box<toml::de::Error>),
    /// There is no setting of this name, or it does not take the value.
    #[error("'{setting}' cannot be set: {problem}; expected STEP.NAME=VALUE, such as selfplay.depth=5")]
    Setting {
        /// What was said.
        setting: String,
        /// What is wrong.
        problem: String,
    },
    /// A setting of the file is out of range.
    #[error("'{0}': {1}")]
    RangeInFile(PathBuf, SettingsError),
    /// A setting is out of range.
    #[error(transparent)]
    Range(#[from] SettingsError),
}

impl TrainingConfig {
    /// The configuration of a file, or the default one, with some settings changed: `selfplay.depth=5`.
    pub fn read(path: Option<&Path>, changed: &[String]) -> Result<TrainingConfig, ConfigError> {
        let mut config: TrainingConfig = match path {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Read(path.to_owned(), error))?;
                let config: TrainingConfig =
                    toml::from_str(&text).map_err(|error| ConfigError::Syntax(path.to_owned(), Box::new(error)))?;
                config.validate().map_err(|error| ConfigError::RangeInFile(path.to_owned(), error))?;
                config
            }
            None => TrainingConfig::default(),
        };
        for setting in changed {
            config = config.with(setting)?;
        }
        config.validate()?;
        Ok(config)
    }

    fn with(&self, setting: &str) -> Result<TrainingConfig, ConfigError> {
        let bad = |problem: String| ConfigError::Setting { setting: setting.to_owned(), problem };
        let (name, value) = setting.split_once('=').ok_or_else(|| bad("there is no value".to_owned()))?;
        let (step, name) = name.trim().split_once('.').ok_or_else(|| bad("there is no step".to_owned()))?;
        let mut table = toml::Table::try_from(self).map_err(|error| bad(error.to_string()))?;
        let Some(toml::Value::Table(settings)) = table.get_mut(step) else {
            return Err(bad(format!("there is no step '{step}'")));
        };
        // The other name would stand beside the first one, as a second value.
        let name = if name == "confidence" && settings.contains_key("selectivity") { "selectivity" } else { name };
        // What is no number, list or truth value is a word, which may be said without quotation marks.
        let value = toml::from_str::<toml::Table>(&format!("value = {value}"))
            .ok()
            .and_then(|mut table| table.remove("value"))
            .unwrap_or_else(|| toml::Value::String(value.trim().to_owned()));
        settings.insert(name.to_owned(), value);
        table.try_into().map_err(|error: toml::de::Error| bad(error.message().to_owned()))
    }

    fn validate(&self) -> Result<(), SettingsError> {
        self.selfplay.validate()?;
        self.label.validate()?;
        self.fit.validate()?;
        self.factorization.validate()?;
        self.move_order.validate()?;
        self.pack.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_beside_the_weights_has_every_setting_at_its_default() {
        let file: toml::Table = toml::from_str(include_str!("../../assets/training.toml")).unwrap();
        let defaults = toml::Table::try_from(TrainingConfig::default()).unwrap();
        let settings = |table: &toml::Table| -> Vec<(String, toml::Value)> {
            let steps = table.iter().map(|(step, settings)| (step, settings.as_table().unwrap()));
            steps
                .flat_map(|(step, settings)| settings.iter().map(move |(k, v)| (format!("{step}.{k}"), v.clone())))
                .collect()
        };
        assert_eq!(settings(&file), settings(&defaults));
    }

    #[test]
    fn settings_are_changed_by_name() {
        let changed = ["fit.ridge=7", "selfplay.random-plies=3-9", "fit.pooling=[1.0]"].map(str::to_owned);
        let config = TrainingConfig::read(None, &changed).unwrap();
        assert_eq!(config.fit.ridge, 7.0);
        assert_eq!(config.selfplay.random_plies, "3-9".parse().unwrap());
        assert_eq!(config.fit.pooling, [1.0]);
        assert_eq!(config.label, LabelSettings::default());
        for name in ["selectivity", "confidence"] {
            let changed = ["selfplay", "label"].map(|step| format!("{step}.{name}=87"));
            let config = TrainingConfig::read(None, &changed).unwrap();
            for found in [config.selfplay.selectivity, config.label.selectivity] {
                assert_eq!(found, "87".parse().unwrap(), "{name}");
            }
        }
    }

    #[test]
    fn settings_that_are_none_are_refused_by_name() {
        for (setting, expected) in [
            ("fit.rigde=7", "rigde"),
            ("fit.ridge", "no value"),
            ("ridge=7", "no step"),
            ("fits.ridge=7", "no step 'fits'"),
            ("fit.ridge=seven", "fit.ridge=seven"),
            ("fit.phases=61", "1 to 60"),
            ("selfplay.depth=0", "1 to 60"),
            ("label.depth=300", "1 to 60"),
            ("selfplay.exact=31", "selfplay.exact = 31 is out of range; expected 1 to 30 empty squares"),
            ("selfplay.random-plies=", "range of plies"),
            ("selfplay.random-plies='8'", "range of plies"),
            ("selfplay.random-plies=9-3", "range of plies"),
            ("selfplay.random-plies=8-60", "range of plies"),
            ("selfplay.random-plies=a-b", "range of plies"),
            ("pack.units-per-disc=33", "power of two"),
            ("pack.factor-units=1025", "1 to 1024"),
            ("fit.least-gain=inf", "at least 0"),
            ("fit.ridge=1e39", "expected a finite number of at least 0"),
            ("fit.confidence=87", "unknown field `confidence`"),
            ("label.share=0", "label.share"),
            ("label.selectivity=50", "73, 87, 95"),
            ("label.confidence=50", "73, 87, 95"),
            ("label.temperature=0", "label.temperature"),
            ("label.temperature=1e-308", "label.temperature"),
            ("label.temperature=-1", "label.temperature"),
            ("label.temperature=1001", "label.temperature"),
            ("label.temperature=nan", "label.temperature"),
            ("move-order.nodes=0", "move-order.nodes"),
            ("move-order.steps=0", "move-order.steps"),
            ("move-order.rate=nan", "move-order.rate"),
            ("move-order.ridge=-1", "move-order.ridge"),
        ] {
            let error = TrainingConfig::read(None, &[setting.to_owned()]).unwrap_err().to_string();
            assert!(error.contains(expected), "{setting}: {error}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("training.toml");
        std::fs::write(&path, "[fit]\nridge = 5\nspeed = 7\n").unwrap();
        let error = TrainingConfig::read(Some(&path), &[]).unwrap_err().to_string();
        assert!(error.contains("training.toml") && error.contains("line 3") && error.contains("speed"), "{error}");
        std::fs::write(&path, "[fit]\nridge = -0.7\n").unwrap();
        let error = TrainingConfig::read(Some(&path), &[]).unwrap_err().to_string();
        assert!(error.contains("training.toml") && error.contains("fit.ridge = -0.7 is out of range"), "{error}");
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(TrainingConfig::read(Some(&path), &[]), Err(ConfigError::Read(..))));
    }
}
