//! The score of each pairing as it developed.

use super::{MatchReport, PairReport, PairingReport, percent};
use crate::arena::statistics::Pentanomial;
use crate::render::{Curve, Plot, Point, Stroke};

/// More points than this on a curve cannot be seen.
const MOST_POINTS: usize = 430;
/// How many pairings have a colour of their own.
pub(super) const COLORED: usize = 6;

/// The scores by pairs played; `None` before two pairs of games are finished, which make a line.
///
/// ```no_run
/// use emilia::arena::report::{MatchReport, score_plot};
/// fn write(report: &MatchReport) -> std::io::Result<()> {
///     score_plot(report).map_or(Ok(()), |plot| std::fs::write("chart.svg", plot.svg()))
/// }
/// ```
pub fn score_plot(report: &MatchReport) -> Option<Plot> {
    let pairings = &report.pairings;
    let curve = |(i, pairing): (usize, &PairingReport)| {
        let stroke = if i < COLORED { Stroke::Band } else { Stroke::Faint };
        let points = points(pairing, pairings.len() == 1);
        Curve { stroke, ..Curve::new(format!("{} against {}", pairing.first, pairing.second), points) }
    };
    let curves: Vec<Curve> = pairings.iter().enumerate().map(curve).collect();
    if curves.iter().all(|curve| curve.points.len() < 2) {
        return None;
    }
    let title = match &pairings[..] {
        [pairing] => format!("Score of {} so far, with its 95 % interval by pairs", pairing.first),
        several if several.len() > COLORED => "Score of each pairing so far; thin: the others".to_owned(),
        _ => "Score of each pairing so far".to_owned(),
    };
    let (y_span, mark, across) = (Some(span(&curves)), Some(50.0), 760.0);
    Some(Plot { y_span, mark, across, ..Plot::new(title, "pairs played", "score, %", curves) })
}

/// A pairing's score after each of some pairs.
fn points(pairing: &PairingReport, has_errors: bool) -> Vec<Point> {
    let mut counts = Pentanomial::default();
    let every = pairing.pairs.len().div_ceil(MOST_POINTS).max(1);
    let point = |(pair, number): (&PairReport, usize)| {
        counts.add(pair.half_points.into());
        let is_shown = number.is_multiple_of(every) || number == pairing.pairs.len();
        let estimate = counts.estimate().filter(|_| is_shown)?;
        let error = estimate.score_error.filter(|_| has_errors).map(percent);
        Some(Point { x: number as f64, y: percent(estimate.score), error })
    };
    pairing.pairs.iter().zip(1..).filter_map(point).collect()
}

/// The scores to show: all of the later part of the curves, at least five percent on both sides of one half. The first
/// pairs jump from end to end and would flatten everything else.
fn span(curves: &[Curve]) -> (f64, f64) {
    let late = curves.iter().flat_map(|curve| curve.points.iter().skip(curve.points.len() / 10));
    late.fold((45.0, 55.0), |(low, high), point| {
        let error = point.error.unwrap_or(0.0).min(15.0);
        (low.min(point.y - error).max(0.0), high.max(point.y + error).min(100.0))
    })
}
