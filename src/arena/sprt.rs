//! The sequential probability ratio test: stop a match as soon as the pairs have decided between two hypotheses.
//!
//! The generalised test of Michel Van den Bergh: under each hypothesis the five probabilities of a pair's result are
//! those that make the observed counts most likely among all that have the hypothesis's mean. Wald's bounds apply.

use super::statistics::{Pentanomial, score_of_elo};
use serde::{Deserialize, Serialize};

/// A test of the hypothesis that the first player is `elo1` stronger against the one that it is only `elo0` stronger.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "SprtText")]
pub struct Sprt {
    /// The hypothesis to be rejected, in logistic Elo.
    pub elo0: f64,
    /// The hypothesis to be accepted, in logistic Elo; more than `elo0`.
    pub elo1: f64,
    /// How often `elo1` may be accepted although `elo0` is true, between 0 and ½.
    pub alpha: f64,
    /// How often `elo0` may be accepted although `elo1` is true, between 0 and ½.
    pub beta: f64,
}

/// `alpha` and `beta` where nothing is said.
const ERROR_RATE: f64 = 0.05;

/// A test as a file has it: as the command line does, or with names.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected 'ELO0,ELO1[,ALPHA,BETA]' or { elo0 = 0, elo1 = 10 }, with alpha and beta if they are not 0.05"
)]
enum SprtText {
    Text(String),
    Named(NamedNumbers),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedNumbers {
    elo0: f64,
    elo1: f64,
    alpha: Option<f64>,
    beta: Option<f64>,
}

impl TryFrom<SprtText> for Sprt {
    type Error = String;

    fn try_from(text: SprtText) -> Result<Sprt, String> {
        let rate = |rate: Option<f64>| rate.unwrap_or(ERROR_RATE);
        match text {
            SprtText::Text(text) => Sprt::parse(&text),
            SprtText::Named(NamedNumbers { elo0, elo1, alpha, beta }) => {
                Ok(Sprt { elo0, elo1, alpha: rate(alpha), beta: rate(beta) })
            }
        }
    }
}

/// Why the numbers are not a test.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The hypotheses are in the wrong order.
    #[error("elo0 ({0}) must be less than elo1 ({1}), and both between -1000 and 1000")]
    Hypotheses(f64, f64),
    /// `alpha` or `beta` is out of range.
    #[error("{0} ({1}) must be more than 0 and less than 0.5")]
    ErrorRate(&'static str, f64),
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// `elo1` is accepted.
    Accepted,
    /// `elo0` is accepted.
    Rejected,
    /// More pairs are needed.
    Undecided,
}

impl Sprt {
    /// Reads `ELO0,ELO1[,ALPHA,BETA]`.
    pub(super) fn parse(text: &str) -> Result<Sprt, String> {
        let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
        let sprt = match (numbers.as_slice(), text.split(',').count()) {
            (&[elo0, elo1], 2) => Sprt { elo0, elo1, alpha: ERROR_RATE, beta: ERROR_RATE },
            (&[elo0, elo1, alpha, beta], 4) => Sprt { elo0, elo1, alpha, beta },
            _ => return Err("expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,10".to_owned()),
        };
        sprt.validate().map_err(|error| error.to_string())?;
        Ok(sprt)
    }

    /// Checks the numbers.
    pub fn validate(&self) -> Result<(), SprtError> {
        let sane = |elo: f64| (-1000.0..=1000.0).contains(&elo);
        if !(sane(self.elo0) && sane(self.elo1) && self.elo0 < self.elo1) {
            return Err(SprtError::Hypotheses(self.elo0, self.elo1));
        }
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::ErrorRate(name, value));
            }
        }
        Ok(())
    }

    /// The log-likelihood ratios at which `elo0` and `elo1` are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of `elo1` to `elo0`; 0 without a pair.
    pub fn log_likelihood_ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        // A result not yet seen is not an impossible one: a thousandth of a pair keeps every hypothesis possible.
        let counts = pairs.0.map(|n| (n as f64).max(1e-3));
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|n| n / total);
        let low = most_likely(&observed, score_of_elo(self.elo0));
        let high = most_likely(&observed, score_of_elo(self.elo1));
        (0..5).map(|i| counts[i] * (high[i] / low[i]).ln()).sum()
    }

    /// What the pairs decide.
    pub fn verdict(&self, pairs: &Pentanomial) -> Verdict {
        let ratio = self.log_likelihood_ratio(pairs);
        let (lower, upper) = self.bounds();
        if ratio >= upper {
            Verdict::Accepted
        } else if ratio <= lower {
            Verdict::Rejected
        } else {
            Verdict::Undecided
        }
    }
}

/// The probabilities with this mean under which the observed frequencies, all positive, are most likely.
///
/// By Lagrange's method they are `p / (1 + θ (a − mean))` for the scores `a`, with the θ that makes the mean right; the
/// sum to be zeroed falls strictly between its two poles, so bisection finds it.
fn most_likely(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    let deviations = Pentanomial::SCORES.map(|score| score - mean);
    let excess =
        |theta: f64| -> f64 { (0..5).map(|i| observed[i] * deviations[i] / (1.0 + theta * deviations[i])).sum() };
    let (mut low, mut high) = (-1.0 / deviations[4], -1.0 / deviations[0]);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let theta = 0.5 * (low + high);
    std::array::from_fn(|i| observed[i] / (1.0 + theta * deviations[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 };

    #[test]
    fn bounds_are_walds() {
        let (lower, upper) = TEST.bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + 19f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn constrained_probabilities_are_probabilities_with_the_mean() {
        let observed = [0.1, 0.15, 0.4, 0.25, 0.1];
        for mean in [0.3, 0.5, 0.525, 0.8] {
            let p = most_likely(&observed, mean);
            let sum: f64 = p.iter().sum();
            let got: f64 = p.iter().zip(Pentanomial::SCORES).map(|(p, a)| p * a).sum();
            assert!((sum - 1.0).abs() < 1e-9 && (got - mean).abs() < 1e-9, "{sum} {got}");
            // No neighbour that keeps sum and mean is more likely.
            let likelihood = |q: &[f64; 5]| -> f64 { (0..5).map(|i| observed[i] * q[i].ln()).sum() };
            for direction in [[1.0, -2.0, 1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0, 0.0], [0.0, 0.0, 1.0, -2.0, 1.0]] {
                for step in [1e-3, -1e-3] {
                    let q: [f64; 5] = std::array::from_fn(|i| p[i] + step * direction[i]);
                    assert!(likelihood(&q) < likelihood(&p));
                }
            }
        }
    }

    #[test]
    fn wins_and_losses_alone_have_a_closed_form() {
        // Only two results: the constrained probabilities are the mean itself, and the ratio is the binomial one. What
        // the thousandths of unseen pairs add is far below the tolerance.
        let pairs = Pentanomial([4000, 0, 0, 0, 6000]);
        let test = Sprt { elo0: 20.0, elo1: 60.0, ..TEST };
        let (s0, s1) = (score_of_elo(20.0), score_of_elo(60.0));
        let expected = 6000.0 * (s1 / s0).ln() + 4000.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        let got = test.log_likelihood_ratio(&pairs);
        assert!((got - expected).abs() < 1e-2, "{got} {expected}");
    }

    #[test]
    fn close_hypotheses_agree_with_the_normal_approximation() {
        let pairs = Pentanomial([310, 1200, 2500, 1290, 330]);
        let (mean, variance) = pairs.moments().unwrap();
        let (s0, s1) = (score_of_elo(TEST.elo0), score_of_elo(TEST.elo1));
        let approximation = pairs.pairs() as f64 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let got = TEST.log_likelihood_ratio(&pairs);
        assert!((got - approximation).abs() < 0.01 * got.abs().max(1.0), "{got} {approximation}");
    }

    #[test]
    fn verdicts() {
        assert_eq!(TEST.verdict(&Pentanomial::default()), Verdict::Undecided);
        assert_eq!(TEST.verdict(&Pentanomial([10, 10, 10, 10, 10])), Verdict::Undecided);
        assert_eq!(TEST.verdict(&Pentanomial([2242, 343, 4980, 381, 2838])), Verdict::Accepted);
        assert_eq!(TEST.verdict(&Pentanomial([2838, 381, 4980, 343, 2242])), Verdict::Rejected);
    }

    #[test]
    fn numbers_that_are_no_test_are_refused() {
        assert_eq!(TEST.validate(), Ok(()));
        assert!(Sprt { elo0: 5.0, ..TEST }.validate().is_err());
        assert!(Sprt { elo1: f64::NAN, ..TEST }.validate().is_err());
        assert!(Sprt { beta: 0.5, ..TEST }.validate().unwrap_err().to_string().contains("beta"));
        for (elo0, elo1) in [(0.0, 1001.0), (-1001.0, 0.0), (5.0, 5.0)] {
            assert!(Sprt { elo0, elo1, ..TEST }.validate().is_err(), "{elo0} {elo1}");
        }
        assert!(Sprt { alpha: 0.0, ..TEST }.validate().unwrap_err().to_string().contains("alpha"));
    }

    #[test]
    fn a_test_is_two_or_four_numbers() {
        assert_eq!(Sprt::parse("0, 5"), Ok(TEST));
        assert_eq!(Sprt::parse("-2,3,0.1,0.2"), Ok(Sprt { elo0: -2.0, elo1: 3.0, alpha: 0.1, beta: 0.2 }));
        for text in ["", "0", "0,5,0.1", "0,5,0.1,0.2,0.3", "0,many", "0,5,x", "5,0"] {
            assert!(Sprt::parse(text).is_err(), "{text}");
        }
        let read = |text: &str| serde_json::from_str::<Sprt>(text).map_err(|error| error.to_string());
        assert_eq!((read(r#"{"elo0": 0, "elo1": 5}"#), read(r#""0,5""#)), (Ok(TEST), Ok(TEST)));
        for text in ["5", r#"{"elo0": 0}"#, r#"{"elo0": 0, "elo1": 5, "gamma": 1}"#, r#""0;5""#] {
            assert!(read(text).is_err_and(|error| error.contains("ELO0,ELO1")), "{text}");
        }
    }
}
