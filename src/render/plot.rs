//! A picture of a few curves with their errors, as SVG.

use super::axes::{Axes, Axis, GRID, Scale, text};
use super::markup::{escape, svg_head};

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
    /// Points in a colour of their own, without a line, each at its own place: where the horizontal axis is measured too.
    Scattered,
    /// In a colour of its own, without its points, in a band of their errors: many points.
    Band,
    /// Thin and grey, without points and without a name in the legend: one of many.
    Faint,
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
    /// What the vertical axis spans at least, in place of all that there is; what lies beyond is drawn at its ends.
    pub y_span: Option<(f64, f64)>,
    /// A value to draw a line at: where two sides are even.
    pub mark: Option<f64>,
    /// The length of the horizontal axis.
    pub across: f64,
    /// The curves.
    pub curves: Vec<Curve>,
}

const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const INSET: f64 = 16.0;
/// What the curves are set apart by, so that the errors of one do not hide those of another.
const APART: f64 = 3.0;
/// The legend without its longest name, and about how wide a letter is.
const LEGEND: f64 = 48.0;
const LETTER: f64 = 6.5;
const TOP: f64 = 36.0;
const FLOOR: f64 = HEIGHT - 48.0;
/// Around the axes where there is no title and no legend.
const MARGIN: f64 = 14.0;
/// The colours of the curves where no style sheet gives others to their classes, `c0` and so on.
pub(crate) const COLORS: [&str; 10] =
    ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f", "#bcbd22", "#e377c2"];

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
        let (x_scale, y_scale, y_span, mark) = (Scale::Linear, Scale::Linear, None, None);
        Plot { title: title.into(), x: x.into(), y: y.into(), x_scale, y_scale, y_span, mark, across: 480.0, curves }
    }

    /// The picture, which needs nothing else.
    pub fn svg(&self) -> String {
        let longest = self.legend().map(|(_, curve)| curve.name.chars().count()).max().unwrap_or(0);
        let right = LEFT + self.across;
        let width = right + LEGEND + LETTER * longest as f64;
        let mut svg = svg_head((width, HEIGHT), 12, &escape(&self.title));
        svg += &format!(
            "<rect width=\"{width}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{}</text>\n{}",
            escape(&self.title),
            self.chart()
        );
        for ((color, curve), y) in self.legend().zip((0..).map(|i| TOP + 10.0 + 18.0 * f64::from(i))) {
            let (at, dashes, color) = (right + 12.0, curve.dashes(), COLORS[color]);
            let mark = if curve.stroke == Stroke::Scattered {
                format!("<circle cx=\"{}\" cy=\"{:.1}\" r=\"2.5\" fill=\"{color}\"/>", at + 9.0, y - 4.0)
            } else {
                format!("<path d=\"M{at} {:.1}h18\" stroke=\"{color}\" stroke-width=\"2\"{dashes}/>", y - 4.0)
            };
            svg += &format!("{mark}{}\n", text((right + 36.0, y), "start", &curve.name));
        }
        svg + "</svg>\n"
    }

    /// The axes and the curves alone, for a page that has its own title, legend and colours.
    pub fn figure(&self) -> String {
        let (top, width, title) = (TOP - MARGIN, LEFT + self.across + MARGIN, escape(&self.title));
        format!(
            "<svg viewBox=\"0 {top} {width} {}\" font-size=\"12\" role=\"img\" aria-label=\"{title}\">\n{}</svg>",
            HEIGHT - top,
            self.chart()
        )
    }

    /// The curves that have a name in the legend, each with the number of its colour.
    pub fn legend(&self) -> impl Iterator<Item = (usize, &Curve)> {
        let named = self.curves.iter().filter(|curve| curve.stroke != Stroke::Faint);
        named.enumerate().map(|(i, curve)| (i % COLORS.len(), curve))
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.curves.iter().flat_map(|curve| &curve.points)
    }

    fn chart(&self) -> String {
        let axes = self.axes();
        let mut svg = self.draw_axes(&axes);
        for curve in self.curves.iter().filter(|curve| curve.stroke == Stroke::Faint) {
            svg += &curve.draw(&axes, "class=\"faint\" stroke=\"#b3c1cf\"", 0.0);
        }
        let last = self.legend().count().saturating_sub(1) as f64;
        let has_errors = self.points().any(|point| point.error.is_some());
        for (i, (color, curve)) in self.legend().enumerate() {
            let is_apart = has_errors && curve.stroke != Stroke::Scattered;
            let aside = if is_apart { APART * (i as f64 - last / 2.0) } else { 0.0 };
            let paint = format!("class=\"c{color}\" stroke=\"{0}\" fill=\"{0}\"", COLORS[color]);
            svg += &curve.draw(&axes, &paint, aside);
        }
        svg
    }

    /// Axes that have room for all points and their errors.
    fn axes(&self) -> Axes {
        let reach = |p: &Point| {
            let error = p.error.unwrap_or(0.0);
            // An error that reaches below zero where no value does needs no room there.
            let low = if p.y >= 0.0 { (p.y - error).max(0.0) } else { p.y - error };
            [p.y, low, p.y + error]
        };
        let x = Axis::new(self.points().map(|p| p.x), self.x_scale, false);
        let y = match self.y_span {
            Some((low, high)) => Axis::new([low, high].into_iter(), self.y_scale, false),
            None => Axis::new(self.points().flat_map(reach).chain(self.mark), self.y_scale, true),
        };
        Axes { x, y, left: LEFT, right: LEFT + self.across, top: TOP, floor: FLOOR, inset: INSET }
    }

    /// The ticks and names of the axes, and the line at [`Plot::mark`].
    fn draw_axes(&self, axes: &Axes) -> String {
        let mut svg = String::new();
        for &tick in &axes.y.ticks {
            let (at, label) = (axes.y(tick), short(tick));
            svg += &format!("{}{}\n", axes.level(GRID, at), text((LEFT - 6.0, at + 4.0), "end", &label));
        }
        for &tick in &axes.x.ticks {
            let (at, label) = (axes.x(tick), short(tick));
            svg += &format!("<path class=\"tick\" d=\"M{at:.1} {FLOOR}v4\" stroke=\"#888\"/>");
            svg += &format!("{}\n", text((at, FLOOR + 17.0), "middle", &label));
        }
        if let Some(mark) = self.mark {
            svg += &axes.level("class=\"even\" stroke=\"#888\" stroke-dasharray=\"2 3\"", axes.y(mark));
        }
        svg += &text(((axes.left + axes.right) / 2.0, HEIGHT - 10.0), "middle", &self.x);
        let name = text((0.0, 0.0), "middle", &self.y);
        svg + &format!("<g transform=\"translate(16 {}) rotate(-90)\">{name}</g>\n", (TOP + FLOOR) / 2.0)
    }
}

impl Curve {
    fn dashes(&self) -> &'static str {
        if self.stroke == Stroke::Dashed { " stroke-dasharray=\"5 4\"" } else { "" }
    }

    /// The curve in its paint, moved to the right by `aside`.
    fn draw(&self, axes: &Axes, paint: &str, aside: f64) -> String {
        let known = || self.points.iter().filter(|point| point.y.is_finite());
        let measured = || known().filter_map(|p| Some((p.x, p.y, p.error.filter(|error| error.is_finite())?)));
        let mut svg = format!("<g {paint}><title>{}</title>", escape(&self.name));
        if self.stroke == Stroke::Band && measured().next().is_some() {
            let high = measured().map(|(x, y, error)| (x, y + error));
            let low = measured().map(|(x, y, error)| (x, y - error));
            let edge = axes.points(high.chain(low.rev()), aside);
            svg += &format!("<polygon points=\"{edge}\" stroke=\"none\" opacity=\".16\"/>");
        }
        let width = if self.stroke == Stroke::Faint { 1 } else { 2 };
        let (points, dashes) = (axes.points(known().map(|p| (p.x, p.y)), aside), self.dashes());
        if self.stroke != Stroke::Scattered {
            svg += &format!("<polyline points=\"{points}\" fill=\"none\" stroke-width=\"{width}\"{dashes}/>");
        }
        if matches!(self.stroke, Stroke::Solid | Stroke::Dashed | Stroke::Scattered) {
            for (x, y, error) in measured() {
                let (x, low, high) = (axes.x(x) + aside, axes.y(y - error), axes.y(y + error));
                svg += &format!("<path d=\"M{x:.1} {low:.1}V{high:.1}\"/>");
            }
            for p in known() {
                let (x, y, value) = (axes.x(p.x) + aside, axes.y(p.y), trimmed(p.y));
                svg += &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"><title>{value}</title></circle>\n");
            }
        }
        svg + "</g>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(y_scale: Scale, points: &[(f64, f64, Option<f64>)]) -> Plot {
        let points = points.iter().map(|&(x, y, error)| Point { x, y, error }).collect();
        let curves = vec![Curve { stroke: Stroke::Dashed, ..Curve::new("a<b", points) }];
        Plot { y_scale, mark: Some(50.0), ..Plot::new("T", "depth", "nodes", curves) }
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
        picture.curves.iter_mut().for_each(|curve| curve.stroke = Stroke::Scattered);
        let svg = picture.svg();
        let (points, _) = svg.rsplit_once("</g>").unwrap();
        let together = places(points);
        assert!(together[0] == together[2] && together[1] == together[3], "{together:?}");
        assert!(!svg.contains("<polyline"), "{svg}");
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
