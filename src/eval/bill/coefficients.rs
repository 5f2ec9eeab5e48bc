//! The file of what was learned: text that a program writes, a person can read, and the program is built with.

use super::features::FEATURES;
use super::quadratic::{COEFFICIENTS, Quadratic};
use serde::Deserialize;
use std::fmt;
use thiserror::Error;

/// A classifier of won and lost positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Discriminant {
    /// Discs of final difference for one unit of log-odds, for all disc counts alike.
    pub discs_per_nat: f64,
    /// The disc count of the first function.
    pub first_discs: u32,
    /// The log-odds of winning as a function of the scaled features, for one disc count after another; not empty.
    pub functions: Vec<Quadratic>,
}

impl Discriminant {
    /// The function for positions with `discs` discs; outside the range that was learned, that of its nearer end.
    pub fn function(&self, discs: u32) -> &Quadratic {
        let index = discs.saturating_sub(self.first_discs) as usize;
        &self.functions[index.min(self.functions.len() - 1)]
    }
}

/// All that `emilia train bill` learns.
#[derive(Clone, PartialEq, Debug)]
pub struct Coefficients {
    /// How the coefficients were learned, line by line.
    pub provenance: Vec<String>,
    /// What each feature is divided by before the functions see it.
    pub scales: [f64; FEATURES],
    /// Logistic regression.
    pub logistic: Discriminant,
    /// The normal distributions of won and of lost positions.
    pub gaussian: Discriminant,
}

/// Why a text is not a file of coefficients.
#[derive(Debug, Error)]
pub enum CoefficientsError {
    /// The text is not TOML, or not with these keys; the message names line and column.
    #[error("{0}")]
    Syntax(#[from] toml::de::Error),
    /// A number out of range.
    #[error("{name}: {value} is not valid; expected {expected}")]
    Value {
        /// The place of the number in the file.
        name: String,
        /// The number.
        value: f64,
        /// The range of the number, in words.
        expected: &'static str,
    },
    /// A list of the wrong length.
    #[error("{name} has {length} numbers; expected {expected}")]
    Length {
        /// The place of the list in the file.
        name: String,
        /// Numbers in the list.
        length: usize,
        /// Numbers that there should be.
        expected: usize,
    },
    /// Functions for more disc counts than a board has, or none.
    #[error("{name}: {count} functions from {first} discs on; expected at least one, and none beyond 64 discs")]
    Range {
        /// The name of the discriminant.
        name: &'static str,
        /// The disc count of the first function.
        first: u32,
        /// Number of functions.
        count: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDiscriminant {
    discs_per_nat: f64,
    first_discs: u32,
    functions: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCoefficients {
    provenance: Vec<String>,
    scales: Vec<f64>,
    logistic: RawDiscriminant,
    gaussian: RawDiscriminant,
}

impl Coefficients {
    /// Reads what [`fmt::Display`] writes.
    ///
    /// # Errors
    /// If the text is not TOML with these keys, a list has the wrong length, or a number is out of range.
    pub fn parse(text: &str) -> Result<Coefficients, CoefficientsError> {
        let raw: RawCoefficients = toml::from_str(text)?;
        let scales = numbers::<FEATURES>("scales".to_owned(), &raw.scales)?;
        scales.iter().try_for_each(|&scale| positive("scales", scale))?;
        Ok(Coefficients {
            provenance: raw.provenance,
            scales,
            logistic: discriminant("logistic", raw.logistic)?,
            gaussian: discriminant("gaussian", raw.gaussian)?,
        })
    }
}

fn discriminant(name: &'static str, raw: RawDiscriminant) -> Result<Discriminant, CoefficientsError> {
    let (first, count) = (raw.first_discs, raw.functions.len());
    if count == 0 || first as usize > 64 || first as usize + count > 65 {
        return Err(CoefficientsError::Range { name, first, count });
    }
    positive(name, raw.discs_per_nat)?;
    let function = |(i, list): (usize, &Vec<f64>)| {
        numbers::<COEFFICIENTS>(format!("{name}, {} discs", first as usize + i), list).map(Quadratic)
    };
    let functions = raw.functions.iter().enumerate().map(function).collect::<Result<_, _>>()?;
    Ok(Discriminant { discs_per_nat: raw.discs_per_nat, first_discs: first, functions })
}

fn numbers<const N: usize>(name: String, list: &[f64]) -> Result<[f64; N], CoefficientsError> {
    // Far beyond what was ever learned, and far from what single precision holds.
    const LARGEST: f64 = 1e9;
    let expected = "a number from -1e9 to 1e9";
    match list.iter().find(|value| !(-LARGEST..=LARGEST).contains(*value)) {
        Some(&value) => Err(CoefficientsError::Value { name, value, expected }),
        None => list.try_into().map_err(|_| CoefficientsError::Length { name, length: list.len(), expected: N }),
    }
}

fn positive(name: &str, value: f64) -> Result<(), CoefficientsError> {
    if (1e-3..=1e9).contains(&value) {
        return Ok(());
    }
    Err(CoefficientsError::Value { name: name.to_owned(), value, expected: "a number from 0.001 to 1e9" })
}

impl fmt::Display for Coefficients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[f64]| values.iter().map(|value| format!("{value:.5}")).collect::<Vec<_>>().join(", ");
        writeln!(
            f,
            "# Learned by `emilia train bill`. Each function is the log-odds of winning for the side to move: a constant,"
        )?;
        writeln!(f, "# five scaled features, and their fifteen products 11, 12, ..., 15, 22, ..., 55.")?;
        writeln!(f, "provenance = [")?;
        for line in &self.provenance {
            writeln!(f, "  {},", toml::Value::from(line.as_str()))?;
        }
        writeln!(f, "]\nscales = [{}]", list(&self.scales))?;
        for (name, discriminant) in [("logistic", &self.logistic), ("gaussian", &self.gaussian)] {
            writeln!(f, "\n[{name}]\ndiscs_per_nat = {:.5}", discriminant.discs_per_nat)?;
            writeln!(f, "first_discs = {}\nfunctions = [", discriminant.first_discs)?;
            for function in &discriminant.functions {
                writeln!(f, "  [{}],", list(&function.0))?;
            }
            writeln!(f, "]")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Coefficients {
        let function = |seed: usize| Quadratic(std::array::from_fn(|i| (i * seed) as f64 / 8.0 - 1.0));
        let discriminant = |seed| Discriminant {
            discs_per_nat: 5.5,
            first_discs: 24,
            functions: (seed..seed + 3).map(function).collect(),
        };
        Coefficients {
            provenance: vec!["a \"quoted\" command".to_owned()],
            scales: [1.0, 2.0, 0.5, 4.0, 8.0],
            logistic: discriminant(1),
            gaussian: discriminant(5),
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let text = example().to_string();
        assert_eq!(Coefficients::parse(&text).unwrap(), example());
    }

    #[test]
    fn beyond_the_ends_the_nearest_function_serves() {
        let discriminant = example().logistic;
        assert_eq!(discriminant.function(4), &discriminant.functions[0]);
        assert_eq!(discriminant.function(25), &discriminant.functions[1]);
        assert_eq!(discriminant.function(64), &discriminant.functions[2]);
    }

    #[test]
    fn refusals_say_where_and_what() {
        let text = example().to_string();
        for (from, to, message) in [
            ("scales = [1.00000, ", "scales = [", "scales has 4 numbers; expected 5"),
            ("scales = [1.00000", "scales = [0.0", "scales: 0 is not valid"),
            ("[-1.00000, -0.87500", "[nan, -0.87500", "logistic, 24 discs: NaN"),
            ("[-1.00000, -0.87500", "[-1.00000", "logistic, 24 discs has 20 numbers"),
            ("first_discs = 24", "first_discs = 63", "logistic: 3 functions from 63 discs on"),
            ("discs_per_nat = 5.5", "discs_per_nat = -5.5", "logistic: -5.5"),
            ("[gaussian]", "[gauss]", "line "),
        ] {
            assert!(text.contains(from), "{from}");
            let error = Coefficients::parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
