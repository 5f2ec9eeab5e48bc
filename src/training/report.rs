//! How far an evaluation errs on a [`TestSet`], by the number of empty squares.

use super::testset::TestSet;
use crate::eval::Evaluator;
use crate::game::DISC;
use crate::othello::Position;
use crate::render::{Curve, Plot, Point, Scale, Stroke};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The errors of one evaluation: static values against the scores of the set, in discs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ErrorReport {
    /// The name of the evaluation.
    pub evaluation: String,
    /// One for each number of empty squares, the most first; those without a scored position are left out.
    pub rows: Vec<ErrorRow>,
}

/// The errors at one number of empty squares, in discs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ErrorRow {
    /// Empty squares.
    pub empties: u32,
    /// Positions with a score.
    pub positions: usize,
    /// Root of the mean square error.
    pub rms: f64,
    /// Half the width of the 95 % interval of `rms`, if the positions tell.
    pub rms_error: Option<f64>,
    /// Mean of the errors without their signs.
    pub mean_absolute: f64,
    /// Mean error: value minus score, so above 0 where the side to move is thought better than it is.
    pub bias: f64,
}

impl ErrorReport {
    /// Evaluates every position of the set that has a score.
    pub fn measure(evaluation: String, evaluator: &dyn Evaluator<Position>, set: &TestSet) -> ErrorReport {
        let mut errors: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for entry in &set.positions {
            let Some(score) = entry.score else { continue };
            let value = f64::from(evaluator.evaluate(&entry.position)) / f64::from(DISC);
            errors.entry(entry.position.empties().count()).or_default().push(value - f64::from(score));
        }
        let rows = errors.into_iter().rev().map(|(empties, errors)| ErrorRow::of(empties, &errors)).collect();
        ErrorReport { evaluation, rows }
    }
}

impl ErrorRow {
    fn of(empties: u32, errors: &[f64]) -> ErrorRow {
        let count = errors.len() as f64;
        let mean = |of: fn(f64) -> f64| errors.iter().map(|&error| of(error)).sum::<f64>() / count;
        let rms = mean(|error| error * error).sqrt();
        let variance = errors.iter().map(|error| (error * error - rms * rms).powi(2)).sum::<f64>() / (count - 1.0);
        ErrorRow {
            empties,
            positions: errors.len(),
            rms,
            // The root changes by 1 / (2 * rms) of what the mean square does.
            rms_error: (variance > 0.0).then(|| 1.96 * (variance / count).sqrt() / (2.0 * rms)),
            mean_absolute: mean(f64::abs),
            bias: mean(|error| error),
        }
    }
}

/// The reports as one table for a terminal.
pub fn table(reports: &[ErrorReport]) -> String {
    let width = reports.iter().map(|report| report.evaluation.chars().count()).max().unwrap_or(0).max(10);
    let mut text = format!("{:<width$}  empties  positions     RMS      ±    mean    bias\n", "evaluation");
    for report in reports {
        for row in &report.rows {
            let ErrorRow { empties, positions, rms, rms_error, mean_absolute, bias } = row;
            let rms_error = rms_error.map_or("?".to_owned(), |error| format!("{error:.2}"));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{:<width$}  {empties:>7}  {positions:>9}  {rms:>6.2}  {rms_error:>5}  {mean_absolute:>6.2}  {bias:>+6.2}",
                report.evaluation
            );
        }
    }
    text
}

/// The RMS errors as a picture: one line for each report, from the opening on the left to the end on the right, with
/// bars of 95 % intervals.
pub fn svg(reports: &[ErrorReport]) -> String {
    let point = |row: &ErrorRow| Point { x: row.empties.into(), y: row.rms, error: row.rms_error };
    let curve = |report: &ErrorReport| Curve {
        name: report.evaluation.clone(),
        points: report.rows.iter().map(point).collect(),
        stroke: Stroke::Solid,
    };
    Plot {
        x_scale: Scale::Falling,
        ..Plot::new(
            "RMS error by empty squares, with 95 % intervals",
            "empty squares",
            "RMS error, discs",
            reports.iter().map(curve).collect(),
        )
    }
    .svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::TestPosition;

    /// Says this number of discs for the side to move, whatever the position.
    struct Always(i32);

    impl Evaluator<Position> for Always {
        fn evaluate(&self, _: &Position) -> i32 {
            self.0 * DISC
        }
    }

    fn set(scores: &[Option<i32>]) -> TestSet {
        let early = Position::START;
        let late = crate::testing::random_position(1, 20);
        let entry = |position: Position, score: Option<i32>| TestPosition {
            position,
            score,
            game: "hand 1".to_owned(),
            known_by: None,
        };
        let early = scores.iter().map(|&score| entry(early, score));
        TestSet { positions: early.chain([entry(late, Some(2))]).collect(), ..TestSet::default() }
    }

    #[test]
    fn errors_by_hand() {
        let report =
            ErrorReport::measure("always two".to_owned(), &Always(2), &set(&[Some(-2), Some(2), None, Some(5)]));
        assert_eq!(report.rows.iter().map(|row| (row.empties, row.positions)).collect::<Vec<_>>(), [(60, 3), (20, 1)]);
        // Errors 4, 0 and −3.
        let row = report.rows[0];
        assert!((row.rms - (25.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((row.mean_absolute - 7.0 / 3.0).abs() < 1e-12 && (row.bias - 1.0 / 3.0).abs() < 1e-12);
        // Squares 16, 0 and 9: their variance is 193 / 3, that of their mean 193 / 9.
        let error = 1.96 * (193.0f64 / 9.0).sqrt() / (2.0 * row.rms);
        assert!((row.rms_error.unwrap() - error).abs() < 1e-5, "{:?} {error}", row.rms_error);
        assert_eq!((report.rows[1].rms, report.rows[1].rms_error, report.rows[1].bias), (0.0, None, 0.0));
    }

    #[test]
    fn table_and_picture_show_every_row() {
        let reports = [
            ErrorReport::measure("a<b".to_owned(), &Always(2), &set(&[Some(0)])),
            ErrorReport::measure("even".to_owned(), &Always(0), &set(&[Some(3)])),
        ];
        let table = table(&reports);
        assert_eq!(table.lines().count(), 1 + 4);
        assert!(table.contains("even             60          1    3.00      ?    3.00   -3.00"), "{table}");
        let svg = svg(&reports);
        assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (2, 4));
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN"), "{svg}");
        assert!(!self::svg(&[]).contains("NaN"));
    }
}
