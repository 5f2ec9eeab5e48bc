//! The file of what was learned: text that a program writes, a person can read, and the program is built with.

use super::features::FEATURES;
use super::quadratic::Quadratic;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A classifier of won and lost positions.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficients {
    /// How the coefficients were learned, line by line.
    pub provenance: Vec<String>,
    /// What each feature is divided by before the functions see it.
    #[serde(deserialize_with = "numbers")]
    pub scales: [f64; FEATURES],
    /// Logistic regression.
    pub logistic: Discriminant,
    /// The normal distributions of won and of lost positions.
    pub gaussian: Discriminant,
}

impl Coefficients {
    /// Reads what [`fmt::Display`] writes.
    ///
    /// # Errors
    /// If the text is not TOML with these keys, a list has the wrong length, or a number is out of range.
    pub fn parse(text: &str) -> Result<Coefficients, toml::de::Error> {
        let read: Coefficients = toml::from_str(text)?;
        for (name, Discriminant { first_discs, functions, .. }) in
            [("logistic", &read.logistic), ("gaussian", &read.gaussian)]
        {
            let count = functions.len();
            if count == 0 || *first_discs > 64 || *first_discs as usize + count > 65 {
                let expected = "expected at least one, and none beyond 64 discs";
                return Err(Error::custom(format_args!(
                    "{name}: {count} functions from {first_discs} discs on; {expected}"
                )));
            }
        }
        let positive = [
            ("scales", &read.scales[..]),
            ("logistic.discs_per_nat", &[read.logistic.discs_per_nat]),
            ("gaussian.discs_per_nat", &[read.gaussian.discs_per_nat]),
        ];
        for (name, factors) in positive {
            if let Some(factor) = factors.iter().find(|factor| !(1e-3..=LARGEST).contains(*factor)) {
                return Err(Error::custom(format_args!("{name}: {factor}; expected numbers from 0.001 to 1e9")));
            }
        }
        Ok(read)
    }
}

/// Far beyond what was ever learned, and far from what single precision holds.
const LARGEST: f64 = 1e9;

/// A list of `N` numbers.
pub(super) fn numbers<'de, D: Deserializer<'de>, const N: usize>(deserializer: D) -> Result<[f64; N], D::Error> {
    let list = Vec::<f64>::deserialize(deserializer)?;
    if let Some(number) = list.iter().find(|number| !(-LARGEST..=LARGEST).contains(*number)) {
        return Err(Error::custom(format_args!("{number} is out of range; expected numbers from -1e9 to 1e9")));
    }
    list.as_slice().try_into().map_err(|_| Error::custom(format_args!("{} numbers; expected {N}", list.len())))
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
            ("scales = [1.00000, ", "scales = [", "4 numbers; expected 5"),
            ("scales = [1.00000", "scales = [0.0", "scales: 0; expected"),
            ("[-1.00000, -0.87500", "[nan, -0.87500", "NaN is out of range"),
            ("[-1.00000, -0.87500", "[-1.00000", "20 numbers; expected 21"),
            ("[-1.00000, -0.87500", "[-1.00000, -0.87500, 3.0", "22 numbers; expected 21"),
            ("first_discs = 24", "first_discs = 63", "logistic: 3 functions from 63 discs on"),
            ("discs_per_nat = 5.5", "discs_per_nat = -5.5", "logistic.discs_per_nat: -5.5; expected"),
            ("[gaussian]", "[gauss]", "line "),
        ] {
            assert!(text.contains(from), "{from}");
            let error = Coefficients::parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
