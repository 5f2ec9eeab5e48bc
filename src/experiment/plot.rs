//! A picture of a few curves with their errors, as SVG.

use std::fmt::Write;

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
    /// Whether it is drawn dashed: what a paper says.
    pub dashed: bool,
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
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
    /// A value to draw a line at: where two sides are even.
    pub mark: Option<f64>,
    /// The curves.
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;
const COLORS: [&str; 8] = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f"];

/// One axis: what it spans and how it is drawn.
struct Axis {
    least: f64,
    most: f64,
    is_log: bool,
    ticks: Vec<f64>,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, is_log: bool, from_zero: bool) -> Axis {
        let usable = values.filter(|v| v.is_finite() && (!is_log || *v > 0.0));
        let (least, most) = usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if least > most {
            return Axis { least: if is_log { 1.0 } else { 0.0 }, most: 10.0, is_log, ticks: Vec::new() };
        }
        if is_log {
            let (low, high) = (least.log10().floor(), most.log10().ceil());
            let high = high.max(low + 1.0);
            let step = ((high - low) / 8.0).ceil().max(1.0);
            let decades = std::iter::successors(Some(low), |d| Some(d + step)).take_while(|d| *d <= high);
            return Axis {
                least: 10f64.powf(low),
                most: 10f64.powf(high),
                is_log,
                ticks: decades.map(|d| 10f64.powf(d)).collect(),
            };
        }
        let least = if from_zero { least.min(0.0) } else { least };
        let span = if most > least { most - least } else { least.abs().max(1.0) };
        let rough = span / 7.0;
        let magnitude = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|f| f * magnitude).find(|s| *s >= rough).unwrap_or(rough);
        let (low, high) = ((least / step).floor() * step, ((least + span) / step).ceil() * step);
        let count = ((high - low) / step).round() as u32;
        let ticks = (0..=count).map(|i| low + f64::from(i) * step).collect();
        Axis { least: low, most: high, is_log, ticks }
    }

    /// Where a value lies between the ends, 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let part = if self.is_log {
            (value.max(self.least).log10() - self.least.log10()) / (self.most.log10() - self.least.log10())
        } else {
            (value - self.least) / (self.most - self.least)
        };
        part.clamp(0.0, 1.0)
    }
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
    /// The picture.
    pub fn svg(&self) -> String {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let reach = |p: &Point| {
            let error = p.error.unwrap_or(0.0);
            [p.y, p.y - error, p.y + error]
        };
        let x_axis = Axis::new(points().map(|p| p.x), self.log_x, false);
        let y_axis = Axis::new(points().flat_map(reach).chain(self.mark), self.log_y, true);
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let x = |value: f64| LEFT + (right - LEFT) * x_axis.place(value);
        let y = |value: f64| bottom - (bottom - TOP) * y_axis.place(value);
        let title = escaped(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
             font-size=\"12\" role=\"img\" aria-label=\"{title}\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{title}</text>\n"
        );
        // Writing to a string cannot fail.
        for &tick in &y_axis.ticks {
            let at = y(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                short(tick)
            );
        }
        for &tick in &x_axis.ticks {
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {bottom}v4\" stroke=\"#888\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 17.0,
                short(tick),
                at = x(tick)
            );
        }
        if let Some(mark) = self.mark {
            let _ =
                writeln!(svg, "<path d=\"M{LEFT} {:.1}H{right}\" stroke=\"#888\" stroke-dasharray=\"2 3\"/>", y(mark));
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 10.0,
            escaped(&self.x),
            (TOP + bottom) / 2.0,
            escaped(&self.y)
        );
        for (i, curve) in self.curves.iter().enumerate() {
            let known: Vec<&Point> = curve.points.iter().filter(|point| point.y.is_finite()).collect();
            let color = COLORS[i % COLORS.len()];
            let dashes = if curve.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            let line: Vec<String> = known.iter().map(|p| format!("{:.1},{:.1}", x(p.x), y(p.y))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>",
                line.join(" ")
            );
            for point in known {
                let (at, value) = (x(point.x), trimmed(point.y));
                if let Some(error) = point.error.filter(|error| error.is_finite()) {
                    let (low, high) = (y(point.y - error), y(point.y + error));
                    let _ = write!(svg, "<path d=\"M{at:.1} {low:.1}V{high:.1}\" stroke=\"{color}\"/>");
                }
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\"><title>{value}</title></circle>",
                    y(point.y)
                );
            }
            let at = TOP + 10.0 + 18.0 * i as f64;
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {:.1}h18\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>\
                 <text x=\"{:.1}\" y=\"{at:.1}\">{}</text>",
                right + 12.0,
                at - 4.0,
                right + 36.0,
                escaped(&curve.name)
            );
        }
        svg + "</svg>\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(log_y: bool, points: &[(f64, f64, Option<f64>)]) -> Plot {
        let points = points.iter().map(|&(x, y, error)| Point { x, y, error }).collect();
        let curves = vec![Curve { name: "a<b".to_owned(), points, dashed: true }];
        let (x, y) = ("depth".to_owned(), "nodes".to_owned());
        Plot { title: "T".to_owned(), x, y, log_x: false, log_y, mark: Some(50.0), curves }
    }

    #[test]
    fn every_point_is_drawn_within_the_frame() {
        let svg = plot(false, &[(1.0, 50.0, None), (2.0, 70.0, Some(5.0)), (9.0, 40.0, Some(2.0))]).svg();
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (3, 1));
        assert!(svg.contains("a&lt;b") && svg.contains("stroke-dasharray=\"5 4\"") && !svg.contains("NaN"), "{svg}");
        assert!(svg.contains(">80<"), "the axis reaches beyond the error of the highest point: {svg}");
    }

    #[test]
    fn decades_are_marked_on_a_logarithmic_axis() {
        let svg = plot(true, &[(1.0, 30.0, None), (2.0, 2e6, None)]).svg();
        for tick in [">10<", ">1000<", ">10M<"] {
            assert!(svg.contains(tick), "{tick}: {svg}");
        }
    }

    #[test]
    fn nothing_to_draw_is_no_failure() {
        for log_y in [false, true] {
            for points in [&[][..], &[(1.0, 1.0, None)], &[(1.0, 0.0, Some(f64::NAN)), (2.0, f64::NAN, None)]] {
                let svg = plot(log_y, points).svg();
                assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }
}
