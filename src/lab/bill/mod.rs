//! Learning what Bill's features are worth: `emilia train bill`.

mod example;
mod gaussian;
mod logistic;
mod measures;

pub use measures::{Calibration, CalibrationStep, Measures};

use crate::eval::bill::{Coefficients, Discriminant, FEATURES, FeatureTables, Quadratic};
use crate::training::{Chunk, DistinctGames, LabelKind, is_held_out};
use example::Example;
use measures::Prediction;
use std::fmt;
use thiserror::Error;

/// A function for `n` discs is learned from positions with `n − POOLED` to `n + POOLED` discs.
const POOLED: u32 = 2;
/// The fewest positions from which a function is learned.
const FEWEST: usize = 500;
/// Of a thousand games, how many teach nothing and measure what was learned.
const HELD_OUT: u32 = 100;
/// The disc counts that one row of the report is about.
const ROW: u32 = 4;

/// Why nothing was learned.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LearningError {
    /// There is no disc count with enough positions.
    #[error("{found} positions with a result; expected at least {FEWEST} won or lost ones of some number of discs")]
    TooFew {
        /// How many there are altogether.
        found: usize,
    },
    /// Some disc counts have enough positions, but not all between them.
    #[error("too few positions with {discs} discs, although there are enough with fewer and with more")]
    Gap {
        /// The disc count.
        discs: u32,
    },
    /// All positions have one result, or a feature never changes.
    #[error("the positions with {discs} discs do not tell won from lost")]
    Degenerate {
        /// The disc count.
        discs: u32,
    },
}

/// One row of the report.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// The disc counts, first and last.
    pub discs: (u32, u32),
    /// The share of won positions.
    pub won: f64,
    /// Logistic regression.
    pub logistic: Measures,
    /// The Gaussian discriminant.
    pub gaussian: Measures,
}

/// How good a discriminant is over all held-out positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Quality {
    /// All disc counts together.
    pub all: Measures,
    /// Probabilities against results.
    pub calibration: Calibration,
    /// The mean of half the sum of a position's log-odds and those of the same position with the other side to move: what it is
    /// worth to have the move.
    pub tempo: f64,
    /// The correlation of the log-odds with minus those of the other side's: 1 if they differ by the tempo alone.
    pub antisymmetry: f64,
}

/// What was measured on the games held out.
#[derive(Clone, PartialEq, Debug)]
pub struct BillReport {
    /// Games read.
    pub games: u64,
    /// Of these, games that were left out: [`DistinctGames`] says which.
    pub repeated: u64,
    /// Positions learned from.
    pub learned_from: usize,
    /// By disc count.
    pub rows: Vec<Row>,
    /// Logistic regression.
    pub logistic: Quality,
    /// The Gaussian discriminant.
    pub gaussian: Quality,
}

/// Learns both discriminants from games, and measures them on a tenth of the games, which they do not learn from.
///
/// The provenance is kept with the coefficients; nothing else depends on it.
pub fn learn(chunks: &[Chunk], provenance: Vec<String>) -> Result<(Coefficients, BillReport), LearningError> {
    let mut distinct = DistinctGames::default();
    let mut examples = examples(chunks, &mut distinct);
    let scales = scale(&mut examples);
    let (held_out, examples): (Vec<Example>, Vec<Example>) = examples.into_iter().partition(|e| e.held_out);
    let range = learned_range(&examples)?;
    let logistic = discriminant(&examples, range, logistic::fit)?;
    let gaussian = discriminant(&examples, range, gaussian::fit)?;
    let report = BillReport {
        games: distinct.games,
        repeated: distinct.repeated,
        learned_from: examples.len(),
        rows: rows(&held_out, &logistic, &gaussian),
        logistic: quality(&held_out, &logistic),
        gaussian: quality(&held_out, &gaussian),
    };
    Ok((Coefficients { provenance, scales, logistic, gaussian }, report))
}

fn examples(chunks: &[Chunk], distinct: &mut DistinctGames) -> Vec<Example> {
    let tables = FeatureTables::get();
    let mut examples = Vec::new();
    let (games, labels): (Vec<&Chunk>, Vec<&Chunk>) = chunks.iter().partition(|chunk| chunk.is_play());
    for chunk in games.into_iter().chain(labels) {
        let seed = chunk.header.origin.seed;
        let samples = distinct.of_chunk(chunk).into_iter().flatten();
        for sample in samples.filter(|sample| sample.kind != LabelKind::Search && sample.score != 0) {
            let position = sample.position();
            if !position.is_over() {
                examples.push(Example {
                    discs: sample.discs(),
                    features: tables.features(&position).map(f64::from),
                    passed: tables.features(&position.pass()).map(f64::from),
                    score: f64::from(sample.score),
                    held_out: is_held_out(seed, sample.game, HELD_OUT),
                });
            }
        }
    }
    examples
}

/// Divides every feature by its root mean square, so that coefficients can be compared and the penalty means the same
/// for each. Returns the divisors.
fn scale(examples: &mut [Example]) -> [f64; FEATURES] {
    let mean_square =
        |i: usize| examples.iter().map(|e| e.features[i].powi(2)).sum::<f64>() / examples.len().max(1) as f64;
    // Rounded as the file rounds them, so that what is measured is what will be played with.
    let scales = std::array::from_fn(|i| (mean_square(i).sqrt().max(1.0) * 100.0).round() / 100.0);
    for example in examples {
        for (i, scale) in scales.iter().enumerate() {
            example.features[i] /= scale;
            example.passed[i] /= scale;
        }
    }
    scales
}

/// The disc counts with enough positions, first and last.
fn learned_range(examples: &[Example]) -> Result<(u32, u32), LearningError> {
    let mut counts = [0; 65];
    for example in examples {
        counts[example.discs as usize] += 1;
    }
    let enough = |discs: &u32| counts[*discs as usize] >= FEWEST;
    let ends = (0..65).find(enough).zip((0..65).rev().find(enough));
    let (first, last) = ends.ok_or(LearningError::TooFew { found: examples.len() })?;
    match (first..=last).find(|discs| !enough(discs)) {
        Some(discs) => Err(LearningError::Gap { discs }),
        None => Ok((first, last)),
    }
}

fn discriminant(
    examples: &[Example],
    (first, last): (u32, u32),
    fit: fn(&[&Example]) -> Option<Quadratic>,
) -> Result<Discriminant, LearningError> {
    let function = |discs: u32| {
        let pooled: Vec<&Example> = examples.iter().filter(|e| e.discs.abs_diff(discs) <= POOLED).collect();
        fit(&pooled).ok_or(LearningError::Degenerate { discs })
    };
    let functions = (first..=last).map(function).collect::<Result<_, _>>()?;
    let unscaled = Discriminant { discs_per_nat: 1.0, first_discs: first, functions };
    // Least squares of the final score on the log-odds, through the origin.
    let (mut products, mut squares) = (0.0, 0.0);
    for example in examples {
        let log_odds = unscaled.function(example.discs).value(&example.features);
        products += log_odds * example.score;
        squares += log_odds * log_odds;
    }
    let discs_per_nat = (products / squares * 100.0).round() / 100.0;
    Ok(Discriminant { discs_per_nat, ..unscaled })
}

fn verdicts<'a>(examples: impl Iterator<Item = &'a Example>, discriminant: &Discriminant) -> Vec<Prediction> {
    examples.map(|e| (discriminant.function(e.discs).value(&e.features), e.is_won())).collect()
}

fn rows(held_out: &[Example], logistic: &Discriminant, gaussian: &Discriminant) -> Vec<Row> {
    let row = |first: u32| {
        let of_row: Vec<&Example> = held_out.iter().filter(|e| e.discs / ROW * ROW == first).collect();
        let measures = |discriminant| Measures::of(&verdicts(of_row.iter().copied(), discriminant));
        let won = of_row.iter().filter(|e| e.is_won()).count() as f64 / of_row.len() as f64;
        let discs = (first, (first + ROW - 1).min(64));
        (!of_row.is_empty()).then(|| Row { discs, won, logistic: measures(logistic), gaussian: measures(gaussian) })
    };
    (0..65).step_by(ROW as usize).filter_map(row).collect()
}

fn quality(held_out: &[Example], discriminant: &Discriminant) -> Quality {
    let all = verdicts(held_out.iter(), discriminant);
    let passed: Vec<f64> = held_out.iter().map(|e| -discriminant.function(e.discs).value(&e.passed)).collect();
    let n = all.len() as f64;
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / n;
    let (here, there) = (mean(&mut all.iter().map(|v| v.0)), mean(&mut passed.iter().copied()));
    let covariance = mean(&mut all.iter().zip(&passed).map(|(a, b)| (a.0 - here) * (b - there)));
    let variances =
        [mean(&mut all.iter().map(|a| (a.0 - here).powi(2))), mean(&mut passed.iter().map(|b| (b - there).powi(2)))];
    Quality {
        all: Measures::of(&all),
        calibration: Calibration::of(&all),
        tempo: (here - there) / 2.0,
        antisymmetry: covariance / (variances[0] * variances[1]).sqrt(),
    }
}

impl fmt::Display for BillReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held_out = self.logistic.all.positions;
        write!(f, "{} games, {} of them repeated: ", self.games, self.repeated)?;
        writeln!(f, "learned from {} positions, measured on {held_out} of other games\n", self.learned_from)?;
        writeln!(f, "{:<10}{:>10}{:>8}{:>22}{:>22}", "", "", "", "logistic", "gaussian")?;
        let head = ["discs", "positions", "won", "AUC", "log loss", "AUC", "log loss"];
        writeln!(
            f,
            "{:<10}{:>10}{:>8}{:>10}{:>12}{:>10}{:>12}",
            head[0], head[1], head[2], head[3], head[4], head[5], head[6]
        )?;
        let measures = |m: &Measures| format!("{:>10.3}{:>12.3}", m.auc, m.log_loss);
        for row in &self.rows {
            let discs = format!("{}-{}", row.discs.0, row.discs.1);
            let positions = row.logistic.positions;
            let (logistic, gaussian) = (measures(&row.logistic), measures(&row.gaussian));
            writeln!(f, "{discs:<10}{positions:>10}{:>8.3}{logistic}{gaussian}", row.won)?;
        }
        let (logistic, gaussian) = (measures(&self.logistic.all), measures(&self.gaussian.all));
        writeln!(f, "{:<10}{held_out:>10}{:>8}{logistic}{gaussian}", "all", "")?;
        for (name, quality) in [("logistic", &self.logistic), ("gaussian", &self.gaussian)] {
            writeln!(
                f,
                "\n{name}: tempo {:+.3} nats, antisymmetry {:.3}; calibration:",
                quality.tempo, quality.antisymmetry
            )?;
            write!(f, "{}", quality.calibration)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::testing::random_position;
    use crate::training::{ChunkHeader, Origin, Sample};

    /// A number of the standard normal distribution, nearly: the sum of twelve uniform ones.
    pub(super) fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.below(1 << 20) as f64 / f64::from(1 << 20)).sum::<f64>() - 6.0
    }

    /// Examples with normal features, which `label` may change, and the result that it says.
    pub(super) fn random_examples(count: usize, mut label: impl FnMut(&mut [f64; FEATURES]) -> bool) -> Vec<Example> {
        let mut random = Random::new(7);
        let example = |_| {
            let mut features = std::array::from_fn(|_| normal(&mut random));
            let won = label(&mut features);
            Example { discs: 30, features, passed: features, score: if won { 8.0 } else { -8.0 }, held_out: false }
        };
        (0..count).map(example).collect()
    }

    /// Positions of random play with 30 to 32 discs whose result is the sign of the difference in legal moves.
    fn samples(count: u64) -> Vec<Sample> {
        let sample = |game| {
            let position = random_position(game, 32 + (game % 3) as u32);
            let moves = position.moves().count() as i8 - position.opponent_moves().count() as i8;
            Sample::new(&position, moves, LabelKind::GameResult, game)
        };
        (0..count).map(sample).collect()
    }

    fn chunk(samples: Vec<Sample>) -> Chunk {
        let origin = Origin { command: "selfplay".to_owned(), seed: 1, ..Origin::default() };
        Chunk { header: ChunkHeader { origin, games: samples.len() as u32, ..ChunkHeader::default() }, samples }
    }

    #[test]
    fn a_simple_rule_is_learned_by_both() {
        // A folder that is given twice is read once.
        let twice = [chunk(samples(4_000)), chunk(samples(4_000))];
        let (coefficients, report) = learn(&twice, vec![]).unwrap();
        assert_eq!((report.games, report.repeated), (8_000, 4_000));
        assert_eq!((coefficients.logistic.first_discs, coefficients.logistic.functions.len()), (30, 3));
        assert_eq!(Coefficients::parse(&coefficients.to_string()).unwrap().scales, coefficients.scales);
        for quality in [&report.logistic, &report.gaussian] {
            // The table counts moves by line and weighs them, so the rule cannot be met exactly.
            assert!(quality.all.auc > 0.9 && quality.all.log_loss < 0.4, "{report}");
            assert!(quality.antisymmetry > 0.9, "{report}");
        }
        let held_out = report.logistic.all.positions;
        assert!((200..600).contains(&held_out) && report.learned_from > 6 * held_out, "{report}");
        assert_eq!(report.rows.iter().map(|row| row.discs).collect::<Vec<_>>(), [(28, 31), (32, 35)]);
    }

    #[test]
    fn too_little_is_said_to_be_too_little() {
        let learn = |samples: Vec<Sample>| super::learn(&[chunk(samples)], vec![]);
        let error = learn(samples(300)).unwrap_err();
        assert!(matches!(error, LearningError::TooFew { .. }));
        let gap: Vec<Sample> = samples(5_000).into_iter().filter(|sample| sample.discs() != 31).collect();
        let error = learn(gap).unwrap_err();
        assert_eq!(error, LearningError::Gap { discs: 31 });
        let won: Vec<Sample> = samples(5_000).into_iter().map(|sample| Sample { score: 2, ..sample }).collect();
        let error = learn(won).unwrap_err();
        assert!(matches!(error, LearningError::Degenerate { .. }));
    }
}
