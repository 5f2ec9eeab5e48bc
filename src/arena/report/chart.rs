//! The score of each pairing as it developed, as SVG.

use super::{MatchReport, PairingReport};
use crate::arena::statistics::Pentanomial;
use crate::render::{escape, round_step, standalone};
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
/// More points than this on a curve cannot be seen.
const MOST_POINTS: usize = 430;
/// The colours of the pairings on a light ground; the last one is that of all further ones.
pub(super) const COLORS: [&str; 7] = ["#1f66c1", "#b8540a", "#157a4d", "#8a3ea8", "#a3333d", "#0e7c86", "#77776f"];
/// How many pairings have a colour of their own.
pub(super) const COLORED: usize = COLORS.len() - 1;
/// The height of a line above the chart.
const LINE: f64 = 20.0;

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
        let color = i.min(COLORED);
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

/// The chart as a picture that needs nothing else; `None` if no pair of games is finished.
///
/// ```no_run
/// use emilia::arena::report::{MatchReport, score_picture};
/// fn write(report: &MatchReport) -> std::io::Result<()> {
///     score_picture(report).map_or(Ok(()), |svg| std::fs::write("chart.svg", svg))
/// }
/// ```
pub fn score_picture(report: &MatchReport) -> Option<String> {
    let chart = score_over_time(&report.pairings);
    if chart.is_empty() {
        return None;
    }
    let lines = legend(&report.pairings);
    let top = LINE * lines.len() as f64 + 6.0;
    let mut elements: String = (1..)
        .zip(&lines)
        .map(|(number, (color, text))| {
            let y = LINE * f64::from(number);
            let rule =
                format!("<path d=\"M{LEFT} {:.1}h16\" stroke=\"{}\" stroke-width=\"3\"/>", y - 4.0, COLORS[*color]);
            format!("{rule}<text x=\"{}\" y=\"{y}\">{}</text>", LEFT + 24.0, escape(text))
        })
        .collect();
    let place = format!("<svg y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" ");
    elements += &chart.replacen("<svg ", &place, 1);
    let strokes = COLORS.iter().enumerate().map(|(i, color)| format!(".c{i}{{stroke:{color}}}"));
    let style = format!("{STYLE}.band{{stroke:none;fill:{};opacity:.16}}{}", COLORS[0], strokes.collect::<String>());
    Some(standalone((WIDTH, HEIGHT + top), &style, &elements))
}

/// The style of the page, without colours of the pairings.
const STYLE: &str = "text{fill:#5f5f5a;font-size:12px}.grid{stroke:#dcdcd6}.even{stroke:#9a9a92;stroke-dasharray:5 4}\
                     .curve{fill:none;stroke-width:2}";

/// What the colours mean: which of them, and the pairing that has it.
pub(super) fn legend(pairings: &[PairingReport]) -> Vec<(usize, String)> {
    if let [pairing] = pairings {
        return vec![(0, format!("Score of {} so far, with its 95 % interval by pairs", pairing.first))];
    }
    let named = pairings.iter().take(COLORED).enumerate();
    let mut lines: Vec<_> =
        named.map(|(i, pairing)| (i, format!("{} against {}", pairing.first, pairing.second))).collect();
    if pairings.len() > COLORED {
        lines.push((COLORED, "the others".to_owned()));
    }
    lines
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
        let first = curve.len() / 10;
        for (_, score, error) in curve.iter().skip(first) {
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
