//! How well log-odds tell won positions from lost ones, on games that taught nothing.

use super::logistic::{log_loss, probability};
use std::fmt;

/// Log-odds that were given, and whether the position was won.
pub(super) type Prediction = (f64, bool);

/// Measures of one discriminant on one set of positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measures {
    /// How many positions.
    pub positions: usize,
    /// The probability that a won position gets a higher value than a lost one, 0.5 being chance; NaN without both.
    pub auc: f64,
    /// The mean of −ln of the probability given to what happened; 0.693 for knowing nothing.
    pub log_loss: f64,
}

impl Measures {
    pub(super) fn of(verdicts: &[Prediction]) -> Measures {
        let positions = verdicts.len();
        let loss: f64 = verdicts.iter().map(|&(log_odds, won)| log_loss(log_odds, won)).sum();
        Measures { positions, auc: auc(verdicts), log_loss: loss / positions as f64 }
    }
}

/// The area under the receiver's curve by Mann and Whitney's ranks; equal values share their mean rank.
fn auc(verdicts: &[Prediction]) -> f64 {
    let mut sorted = verdicts.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut ranks, mut below) = (0.0, 0.0);
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        let won = equal.iter().filter(|verdict| verdict.1).count() as f64;
        ranks += won * (below + (equal.len() as f64 + 1.0) / 2.0);
        below += equal.len() as f64;
    }
    let won = verdicts.iter().filter(|verdict| verdict.1).count() as f64;
    (ranks - won * (won + 1.0) / 2.0) / (won * (below - won))
}

/// One step of a calibration curve: positions with similar probabilities.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CalibrationStep {
    /// How many positions.
    pub positions: usize,
    /// The mean of the probabilities given.
    pub predicted: f64,
    /// The share that was won.
    pub won: f64,
}

impl CalibrationStep {
    /// The standard error of the share that was won.
    pub fn error(&self) -> f64 {
        (self.predicted * (1.0 - self.predicted) / self.positions as f64).sqrt()
    }
}

/// Probabilities in ten steps of 0.1 against what happened; steps without positions are left out.
#[derive(Clone, PartialEq, Debug)]
pub struct Calibration(pub Vec<CalibrationStep>);

impl Calibration {
    pub(super) fn of(verdicts: &[Prediction]) -> Calibration {
        let mut sums = [(0usize, 0.0, 0usize); 10];
        for &(log_odds, won) in verdicts {
            let p = probability(log_odds);
            let (positions, predicted, wins) = &mut sums[((p * 10.0) as usize).min(9)];
            *positions += 1;
            *predicted += p;
            *wins += usize::from(won);
        }
        let used = sums.into_iter().filter(|sum| sum.0 > 0);
        Calibration(
            used.map(|(positions, predicted, won)| CalibrationStep {
                positions,
                predicted: predicted / positions as f64,
                won: won as f64 / positions as f64,
            })
            .collect(),
        )
    }

    /// Whether a higher probability always went with more wins.
    pub fn is_monotone(&self) -> bool {
        self.0.is_sorted_by(|a, b| a.won < b.won)
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:>10}{:>10}{:>10}{:>10}", "P(win)", "won", "+-", "positions")?;
        for step in &self.0 {
            writeln!(f, "{:>10.3}{:>10.3}{:>10.3}{:>10}", step.predicted, step.won, step.error(), step.positions)?;
        }
        writeln!(f, "{}", if self.is_monotone() { "monotone" } else { "NOT monotone" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_by_hand() {
        let auc = |verdicts: &[Prediction]| Measures::of(verdicts).auc;
        assert_eq!(auc(&[(1.0, true), (0.0, false)]), 1.0);
        assert_eq!(auc(&[(1.0, false), (0.0, true)]), 0.0);
        assert_eq!(auc(&[(1.0, false), (1.0, true)]), 0.5);
        // Of the four pairs (won, lost) 3 > 2, 3 > 0, 1 > 0 are right and 1 < 2 is wrong.
        assert_eq!(auc(&[(3.0, true), (2.0, false), (1.0, true), (0.0, false)]), 0.75);
        assert!(auc(&[(1.0, true)]).is_nan());
    }

    #[test]
    fn a_curve_by_hand() {
        let curve = Calibration::of(&[(0.0, true), (0.0, false), (9.0, true), (-9.0, false), (-9.0, false)]);
        assert_eq!(curve.0.iter().map(|step| step.positions).collect::<Vec<_>>(), [2, 2, 1]);
        assert_eq!(curve.0.iter().map(|step| step.won).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
        assert!(curve.is_monotone());
        assert!(!Calibration::of(&[(0.0, true), (9.0, false)]).is_monotone());
    }
}
