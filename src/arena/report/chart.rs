//! The score of each pairing as it developed, as SVG.

use super::PairingReport;
use crate::arena::statistics::Pentanomial;
use crate::render::{escape, round_step};
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
/// More points than this on a curve cannot be seen.
const MOST_POINTS: usize = 430;
/// How many pairings have a colour of their own.
pub(super) const COLORS: usize = 6;

/// A pairing's score after each of some pairs: pairs, score, error if known; scores in percent.
type Curve = Vec<(usize, f64, Option<f64>)>;

/// The chart; empty if no pair is finished.
pub(super) fn score_over_time(pairings: &[PairingReport]) -> String {
    let curves: Vec<Curve> = pairings.iter().map(curve).collect();
    let longest = curves.iter().filter_map(|curve| curve.last()).map(|point| point.0).max().unwrap_or(0);
    if longest == 0 {
        return String::new();
    }
    let (low, high) = range(&curves);
    let x = |pairs: usize| LEFT + (WIDTH - LEFT - RIGHT) * pairs as f64 / longest as f64;
    let y = |score: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - score.clamp(low, high)) / (high - low);
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Score of each pairing by pairs played\">"
    );
    let step = round_step((high - low) / 5.0);
    let mut tick = (low / step).ceil() * step;
    while tick <= high + 1e-9 {
        let (tick_y, right) = (y(tick), WIDTH - RIGHT);
        let _ =
            write!(svg, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{tick_y:.1}\" y2=\"{tick_y:.1}\"/>");
        let _ = write!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tick} %</text>", LEFT - 6.0, tick_y + 4.0);
        tick += step;
    }
    let (even, right) = (y(50.0), WIDTH - RIGHT);
    let _ = write!(svg, "<line class=\"even\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{even:.1}\" y2=\"{even:.1}\"/>");
    let pair_step = round_step(longest as f64 / 6.0).max(1.0) as usize;
    for tick in (0..=longest).step_by(pair_step) {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
            x(tick),
            HEIGHT - BOTTOM + 17.0
        );
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    let _ = write!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">pairs played</text>", HEIGHT - 5.0);
    for (i, curve) in curves.iter().enumerate() {
        let color = i.min(COLORS);
        if curves.len() == 1 {
            let _ = write!(svg, "<path class=\"band c{color}\" d=\"{}\"/>", band(curve, &x, &y));
        }
        let points: Vec<String> = curve.iter().map(|(n, score, _)| format!("{:.1},{:.1}", x(*n), y(*score))).collect();
        let name = escape(&format!("{} against {}", pairings[i].first, pairings[i].second));
        let _ = write!(
            svg,
            "<polyline class=\"curve c{color}\" points=\"{}\"><title>{name}</title></polyline>",
            points.join(" ")
        );
    }
    svg.push_str("</svg>");
    svg
}

fn curve(pairing: &PairingReport) -> Curve {
    let mut counts = Pentanomial::default();
    let mut curve = Vec::new();
    let every = pairing.pairs.len().div_ceil(MOST_POINTS).max(1);
    for (i, pair) in pairing.pairs.iter().enumerate() {
        counts.add(pair.half_points.into());
        let shown = (i + 1) % every == 0 || i + 1 == pairing.pairs.len();
        if let Some(estimate) = counts.estimate().filter(|_| shown) {
            curve.push((i + 1, 100.0 * estimate.score, estimate.score_error.map(|error| 100.0 * error)));
        }
    }
    curve
}

/// The scores to show: all of the later part of the curves, at least five percent on both sides of one half. The first
/// pairs jump from end to end and would flatten everything else.
fn range(curves: &[Curve]) -> (f64, f64) {
    let (mut low, mut high) = (45.0f64, 55.0f64);
    for curve in curves {
        let settled = curve.len() / 10;
        for (_, score, error) in curve.iter().skip(settled) {
            let error = if curves.len() == 1 { error.unwrap_or(0.0).min(15.0) } else { 0.0 };
            low = low.min(score - error);
            high = high.max(score + error);
        }
    }
    let margin = 0.04 * (high - low);
    ((low - margin).max(0.0), (high + margin).min(100.0))
}

/// The interval around a curve, as a closed path.
fn band(curve: &Curve, x: &dyn Fn(usize) -> f64, y: &dyn Fn(f64) -> f64) -> String {
    let known: Vec<(usize, f64, f64)> =
        curve.iter().filter_map(|(n, score, error)| Some((*n, *score, (*error)?))).collect();
    let upper = known.iter().map(|(n, score, error)| (x(*n), y(score + error)));
    let lower = known.iter().rev().map(|(n, score, error)| (x(*n), y(score - error)));
    let points: Vec<String> = upper.chain(lower).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    if points.is_empty() { String::new() } else { format!("M{}Z", points.join("L")) }
}
