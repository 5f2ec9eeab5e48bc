//! A picture of a few curves with their errors, as SVG.

use super::escape;
use std::fmt::{self, Write};

/// One point: where, how much, and half the width of the 95 % interval if it is known.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Error of the value.
    pub error: Option<f64>,
}

/// One curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
    /// How it is drawn.
    pub stroke: Stroke,
}

impl Curve {
    /// A curve in a colour of its own.
    pub fn new(name: impl Into<String>, points: Vec<Point>) -> Curve {
        Curve { name: name.into(), points, stroke: Stroke::Solid }
    }
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    /// In a colour of its own, with its points.
    Solid,
    /// In a colour of its own, with its points, dashed: what a paper says, or what something is compared with.
    Dashed,
    /// Thin and grey, without a name in the legend: one of many.
    Faint,
}

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

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What the horizontal axis counts.
    pub x: String,
    /// What the vertical axis counts.
    pub y: String,
    /// How the horizontal axis runs.
    pub x_scale: Scale,
    /// How the vertical axis runs.
    pub y_scale: Scale,
    /// A value to draw a line at: where two sides are even.
    pub mark: Option<f64>,
    /// The curves.
    pub curves: Vec<Curve>,
}

const HEIGHT: f64 = 400.0;
/// From the vertical axis to the legend.
const ACROSS: f64 = 480.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = LEFT + ACROSS;
/// From the ends of the horizontal axis to its least and greatest value: room for points set apart.
const INSET: f64 = 16.0;
/// What the curves are set apart by, so that the errors of one do not hide those of another.
const APART: f64 = 3.0;
/// The legend without its longest name, and about how wide a letter is.
const LEGEND: f64 = 48.0;
const LETTER: f64 = 6.5;
const TOP: f64 = 36.0;
/// The height of the horizontal axis.
const FLOOR: f64 = HEIGHT - 48.0;
const COLORS: [&str; 10] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f", "#bcbd22", "#e377c2"];

/// One axis: what it spans and how it is drawn.
struct Axis {
    least: f64,
    most: f64,
    scale: Scale,
    ticks: Vec<f64>,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, scale: Scale, from_zero: bool) -> Axis {
        let is_log = scale == Scale::Logarithmic;
        let usable: Vec<f64> = values.filter(|v| v.is_finite() && (!is_log || *v > 0.0)).collect();
        let least = usable.iter().copied().fold(f64::INFINITY, f64::min);
        let most = usable.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if usable.is_empty() {
            return Axis { least: if is_log { 1.0 } else { 0.0 }, most: 10.0, scale, ticks: Vec::new() };
        }
        if is_log && most > least && most < 100.0 * least {
            // Less than two decades: 1, 2 and 5 of each.
            let first = least.log10().floor() as i32;
            let marks = (first..first + 4).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)));
            let marks: Vec<f64> = marks.collect();
            let from = marks.iter().rposition(|mark| *mark <= least).unwrap_or(0);
            let to = marks.iter().position(|mark| *mark >= most).unwrap_or(marks.len() - 1);
            return Axis { least: marks[from], most: marks[to], scale, ticks: marks[from..=to].to_vec() };
        }
        if is_log {
            let (low, high) = (least.log10().floor(), most.log10().ceil());
            let high = high.max(low + 1.0);
            let step = ((high - low) / 8.0).ceil().max(1.0);
            let decades = std::iter::successors(Some(low), |d| Some(d + step)).take_while(|d| *d <= high);
            return Axis {
                least: 10f64.powf(low),
                most: 10f64.powf(high),
                scale,
                ticks: decades.map(|d| 10f64.powf(d)).collect(),
            };
        }
        let least = if from_zero { least.min(0.0) } else { least };
        let span = if most > least { most - least } else { least.abs().max(1.0) };
        let rough = span / 7.0;
        let step = round_step(rough);
        // What only comes in whole numbers has no halves to mark.
        let step = if usable.iter().all(|value| value.fract() == 0.0) { step.max(1.0) } else { step };
        let (low, high) = ((least / step).floor() * step, ((least + span) / step).ceil() * step);
        let count = ((high - low) / step).round() as u32;
        let ticks = (0..=count).map(|i| low + f64::from(i) * step).collect();
        Axis { least: low, most: high, scale, ticks }
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
pub(crate) fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// A number as short as it can be said.
fn short(value: f64) -> String {
    let size = value.abs();
    let text = if size >= 1e9 {
        format!("{}G", trimmed(value / 1e9))
    } else if size >= 1e6 {
        format!("{}M", trimmed(value / 1e6))
    } else if size >= 1e4 {
        format!("{}k", trimmed(value / 1e3))
    } else {
        trimmed(value)
    };
    if text == "-0" { "0".to_owned() } else { text }
}

fn trimmed(value: f64) -> String {
    let decimals = if value != 0.0 && value.abs() < 0.01 { 6 } else { 3 };
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Plot {
    /// A picture with evenly running axes, of which `x` and `y` say what they count.
    pub fn new(title: impl Into<String>, x: impl Into<String>, y: impl Into<String>, curves: Vec<Curve>) -> Plot {
        let (x_scale, y_scale, mark) = (Scale::Linear, Scale::Linear, None);
        Plot { title: title.into(), x: x.into(), y: y.into(), x_scale, y_scale, mark, curves }
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let frame = Frame::of(self);
        let named = || self.curves.iter().filter(|curve| curve.stroke != Stroke::Faint);
        let longest = named().map(|curve| curve.name.chars().count()).max().unwrap_or(0);
        let width = RIGHT + LEGEND + LETTER * longest as f64;
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\" role=\"img\" aria-label=\"{title}\">\n\
             <rect width=\"{width}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{title}</text>\n"
        );
        // Writing to a string cannot fail.
        let _ = self.draw_axes(&mut svg, &frame);
        for curve in self.curves.iter().filter(|curve| curve.stroke == Stroke::Faint) {
            let (points, name) = (frame.line(curve, 0.0), escape(&curve.name));
            let _ = writeln!(
                svg,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"#c8d4e0\"><title>{name}</title></polyline>"
            );
        }
        let last = named().count().saturating_sub(1) as f64;
        let has_errors = self.points().any(|point| point.error.is_some());
        for (i, curve) in named().enumerate() {
            let aside = if has_errors { APART * (i as f64 - last / 2.0) } else { 0.0 };
            let _ = draw_curve(&mut svg, &frame, (i, curve), aside);
        }
        svg + "</svg>\n"
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.curves.iter().flat_map(|curve| &curve.points)
    }

    /// The ticks and names of the axes, and the line at [`Plot::mark`].
    fn draw_axes(&self, svg: &mut String, frame: &Frame) -> fmt::Result {
        for &tick in &frame.y_axis.ticks {
            let at = frame.y(tick);
            writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                short(tick)
            )?;
        }
        for &tick in &frame.x_axis.ticks {
            writeln!(
                svg,
                "<path d=\"M{at:.1} {FLOOR}v4\" stroke=\"#888\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                FLOOR + 17.0,
                short(tick),
                at = frame.x(tick)
            )?;
        }
        if let Some(mark) = self.mark {
            let at = frame.y(mark);
            writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#888\" stroke-dasharray=\"2 3\"/>")?;
        }
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + RIGHT) / 2.0,
            HEIGHT - 10.0,
            escape(&self.x),
            (TOP + FLOOR) / 2.0,
            escape(&self.y)
        )
    }
}

/// Where values lie in the picture.
struct Frame {
    x_axis: Axis,
    y_axis: Axis,
}

impl Frame {
    /// The frame that has room for all points of a plot and their errors.
    fn of(plot: &Plot) -> Frame {
        let reach = |p: &Point| {
            let error = p.error.unwrap_or(0.0);
            // An error that reaches below zero where no value does needs no room there.
            let low = if p.y >= 0.0 { (p.y - error).max(0.0) } else { p.y - error };
            [p.y, low, p.y + error]
        };
        let x_axis = Axis::new(plot.points().map(|p| p.x), plot.x_scale, false);
        let y_axis = Axis::new(plot.points().flat_map(reach).chain(plot.mark), plot.y_scale, true);
        Frame { x_axis, y_axis }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + INSET + (ACROSS - 2.0 * INSET) * self.x_axis.place(value)
    }

    fn y(&self, value: f64) -> f64 {
        FLOOR - (FLOOR - TOP) * self.y_axis.place(value)
    }

    /// The points of a curve, moved to the right by `aside`, as SVG lists them.
    fn line(&self, curve: &Curve, aside: f64) -> String {
        let known = curve.points.iter().filter(|point| point.y.is_finite());
        known.map(|p| format!("{:.1},{:.1}", self.x(p.x) + aside, self.y(p.y))).collect::<Vec<_>>().join(" ")
    }
}

/// A curve with its points and its name in the legend; `i` says which one it is.
fn draw_curve(svg: &mut String, frame: &Frame, (i, curve): (usize, &Curve), aside: f64) -> fmt::Result {
    let color = COLORS[i % COLORS.len()];
    let dashes = if curve.stroke == Stroke::Dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let points = frame.line(curve, aside);
    writeln!(svg, "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>")?;
    for point in curve.points.iter().filter(|point| point.y.is_finite()) {
        let (at, value) = (frame.x(point.x) + aside, trimmed(point.y));
        if let Some(error) = point.error.filter(|error| error.is_finite()) {
            let (low, high) = (frame.y(point.y - error), frame.y(point.y + error));
            write!(svg, "<path d=\"M{at:.1} {low:.1}V{high:.1}\" stroke=\"{color}\"/>")?;
        }
        writeln!(
            svg,
            "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\"><title>{value}</title></circle>",
            frame.y(point.y)
        )?;
    }
    let at = TOP + 10.0 + 18.0 * i as f64;
    writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}h18\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>\
         <text x=\"{:.1}\" y=\"{at:.1}\">{}</text>",
        RIGHT + 12.0,
        at - 4.0,
        RIGHT + 36.0,
        escape(&curve.name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(y_scale: Scale, points: &[(f64, f64, Option<f64>)]) -> Plot {
        let points = points.iter().map(|&(x, y, error)| Point { x, y, error }).collect();
        let curves = vec![Curve { name: "a<b".to_owned(), points, stroke: Stroke::Dashed }];
        let (x, y) = ("depth".to_owned(), "nodes".to_owned());
        Plot { title: "T".to_owned(), x, y, x_scale: Scale::Linear, y_scale, mark: Some(50.0), curves }
    }

    #[test]
    fn every_point_is_drawn_within_the_frame() {
        let svg = plot(Scale::Linear, &[(1.0, 50.0, None), (2.0, 70.0, Some(5.0)), (9.0, 40.0, Some(2.0))]).svg();
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (3, 1));
        assert!(svg.contains("a&lt;b") && svg.contains("stroke-dasharray=\"5 4\"") && !svg.contains("NaN"), "{svg}");
        assert!(svg.contains(">80<"), "the axis reaches beyond the error of the highest point: {svg}");
    }

    #[test]
    fn decades_are_marked_on_a_logarithmic_axis() {
        let svg = plot(Scale::Logarithmic, &[(1.0, 30.0, None), (2.0, 2e6, None)]).svg();
        for tick in [">10<", ">1000<", ">10M<"] {
            assert!(svg.contains(tick), "{tick}: {svg}");
        }
    }

    #[test]
    fn less_than_two_decades_are_marked_by_ones_twos_and_fives() {
        let mut picture = plot(Scale::Linear, &[(1000.0, 5.0, Some(9.0)), (16000.0, 6.0, Some(1.0))]);
        picture.x_scale = Scale::Logarithmic;
        let svg = picture.svg();
        for tick in [">1000<", ">2000<", ">5000<", ">10k<", ">20k<"] {
            assert!(svg.contains(tick), "{tick}: {svg}");
        }
        assert!(!svg.contains(">500<") && !svg.contains(">100k<"), "{svg}");
        assert!(!svg.contains(">-"), "no axis below zero for an error alone: {svg}");
    }

    #[test]
    fn curves_with_errors_are_set_apart() {
        let mut picture = plot(Scale::Linear, &[(1.0, 50.0, Some(5.0)), (2.0, 60.0, Some(5.0))]);
        picture.curves.push(picture.curves[0].clone());
        let places = |svg: &str| -> Vec<String> {
            svg.split("cx=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        let apart = places(&picture.svg());
        assert!(apart[0] != apart[2] && apart[1] != apart[3], "{apart:?}");
    }

    #[test]
    fn steps_are_round() {
        for (least, round) in [(0.03, 0.05), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (130.0, 200.0)] {
            assert!((round_step(least) - round).abs() < 1e-9, "{least}: {}", round_step(least));
        }
    }

    #[test]
    fn whole_numbers_are_marked_whole_and_the_legend_has_room() {
        let mut picture = plot(Scale::Linear, &[(1.0, 2.5, None), (4.0, 3.5, None)]);
        let svg = picture.svg();
        assert!(
            svg.contains(">2<") && svg.contains(">3<") && !svg.contains(">1.5<") && !svg.contains("middle\">3.5<"),
            "{svg}"
        );
        let width = |svg: &str| -> f64 {
            let (_, rest) = svg.split_once("viewBox=\"0 0 ").unwrap();
            rest.split(' ').next().unwrap().parse().unwrap()
        };
        picture.curves[0].name = "a name of thirty-four letters or so".to_owned();
        assert!(width(&picture.svg()) > width(&svg) + 150.0);
        picture.curves[0].stroke = Stroke::Faint;
        assert!(width(&picture.svg()) < width(&svg) && !picture.svg().contains("<circle"));
    }

    #[test]
    fn a_falling_axis_begins_with_the_greatest() {
        let mut picture = plot(Scale::Linear, &[(12.0, 1.0, None), (44.0, 2.0, None)]);
        picture.x_scale = Scale::Falling;
        let svg = picture.svg();
        let (first, second) = (svg.find("<title>1<").unwrap(), svg.find("<title>2<").unwrap());
        let at = |end: usize| -> f64 {
            let circle = svg[..end].rsplit("cx=\"").next().unwrap();
            circle.split('"').next().unwrap().parse().unwrap()
        };
        assert!(at(first) > at(second), "{svg}");
    }

    #[test]
    fn nothing_to_draw_is_no_failure() {
        for scale in [Scale::Linear, Scale::Falling, Scale::Logarithmic] {
            for points in [&[][..], &[(1.0, 1.0, None)], &[(1.0, 0.0, Some(f64::NAN)), (2.0, f64::NAN, None)]] {
                let svg = plot(scale, points).svg();
                assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
