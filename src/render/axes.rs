//! Where values lie in a chart, and the lines and labels that say so.

use super::markup::escape;

/// How an axis runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Evenly, from the greatest value to the least: empty squares in the course of a game.
    Falling,
    /// By powers of ten.
    Logarithmic,
}

/// One axis: what it spans and how it is drawn.
pub(super) struct Axis {
    least: f64,
    most: f64,
    scale: Scale,
    pub ticks: Vec<f64>,
}

impl Axis {
    /// An axis that all values have room on, with round numbers at its ends.
    pub fn new(values: impl Iterator<Item = f64>, scale: Scale, from_zero: bool) -> Axis {
        let is_log = scale == Scale::Logarithmic;
        let usable: Vec<f64> = values.filter(|v| v.is_finite() && (!is_log || *v > 0.0)).collect();
        let least = usable.iter().copied().fold(if from_zero && !is_log { 0.0 } else { f64::INFINITY }, f64::min);
        let most = usable.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ticks = if usable.is_empty() {
            Vec::new()
        } else if is_log && most > least && most < 100.0 * least {
            // Less than two decades: 1, 2 and 5 of each.
            let first = least.log10().floor() as i32;
            let marks = (first..first + 4).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)));
            let marks: Vec<f64> = marks.collect();
            let from = marks.iter().rposition(|mark| *mark <= least).unwrap_or(0);
            let to = marks.iter().position(|mark| *mark >= most).unwrap_or(marks.len() - 1);
            marks[from..=to].to_vec()
        } else if is_log {
            let (low, high) = (least.log10().floor(), most.log10().ceil());
            let step = ((high - low) / 8.0).ceil().max(1.0);
            let count = ((high - low) / step).ceil().max(1.0) as u32;
            (0..=count).map(|i| 10f64.powf(low + f64::from(i) * step)).collect()
        } else {
            let span = if most > least { most - least } else { least.abs().max(1.0) };
            let step = round_step(span / 7.0);
            // What only comes in whole numbers has no halves to mark.
            let step = if usable.iter().all(|value| value.fract() == 0.0) { step.max(1.0) } else { step };
            let low = (least / step).floor();
            let count = (((least + span) / step).ceil() - low).round() as u32;
            (0..=count).map(|i| (low + f64::from(i)) * step).collect()
        };
        let (least, most) = ticks.first().copied().zip(ticks.last().copied()).unwrap_or((1.0, 10.0));
        Axis { least, most, scale, ticks }
    }

    /// An evenly running axis between these ends.
    pub fn spanning(least: f64, most: f64, ticks: impl Iterator<Item = f64>) -> Axis {
        Axis { least, most, scale: Scale::Linear, ticks: ticks.collect() }
    }

    /// Where a value lies between the beginning and the end, 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let even = |value: f64| ((value - self.least) / (self.most - self.least)).clamp(0.0, 1.0);
        match self.scale {
            Scale::Linear => even(value),
            Scale::Falling => 1.0 - even(value),
            Scale::Logarithmic => {
                let (least, most) = (self.least.log10(), self.most.log10());
                ((value.max(self.least).log10() - least) / (most - least)).clamp(0.0, 1.0)
            }
        }
    }
}

/// The round number, 1, 2 or 5 times a power of ten, next above.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// Both axes of a chart, and where it stands in the picture.
pub(super) struct Axes {
    pub x: Axis,
    pub y: Axis,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    /// The height of the horizontal axis.
    pub floor: f64,
    /// From the ends of the horizontal axis to its least and greatest value: room for points set apart.
    pub inset: f64,
}

/// What a line at a tick looks like where no style sheet says otherwise.
pub(super) const GRID: &str = "class=\"grid\" stroke=\"#ddd\"";

impl Axes {
    pub fn x(&self, value: f64) -> f64 {
        self.left + self.inset + (self.right - self.left - 2.0 * self.inset) * self.x.place(value)
    }

    pub fn y(&self, value: f64) -> f64 {
        self.floor - (self.floor - self.top) * self.y.place(value)
    }

    /// Points, moved to the right by `aside`, as SVG lists them.
    pub fn points(&self, values: impl Iterator<Item = (f64, f64)>, aside: f64) -> String {
        values.map(|(x, y)| format!("{:.1},{:.1}", self.x(x) + aside, self.y(y))).collect::<Vec<_>>().join(" ")
    }

    /// A line from the left to the right at a height.
    pub fn level(&self, look: &str, height: f64) -> String {
        format!("<path {look} d=\"M{} {height:.1}H{}\"/>", self.left, self.right)
    }
}

/// A label, escaped, of which the anchor (`start`, `middle` or `end`) is at this point.
pub(super) fn text((x, y): (f64, f64), anchor: &str, label: &str) -> String {
    let label = escape(label);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{label}</text>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (least, round) in [(0.03, 0.05), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (130.0, 200.0)] {
            assert!((round_step(least) - round).abs() < 1e-9, "{least}: {}", round_step(least));
        }
    }
}
