//! The worth of a game's positions as a curve.

use super::axes::{Axes, Axis, GRID, text};
use super::markup::svg_head;
use crate::analysis::Commentary;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const TOP: f64 = 10.0;
/// Where the curve ends and the losses begin.
const FLOOR: f64 = 152.0;
/// Where the losses stand.
const BASE: f64 = 200.0;
/// The least loss in discs that is drawn at full height. Of a larger one the number stands above the bar.
const WORST: f64 = 8.0;

/// The curve of a game's values for Black, above bars for what each move lost. For a page: colours come from its style sheet, and
/// `data-turns` on the column of each position says after how many turns it is. Empty if nothing is judged.
pub fn curve_svg(commentary: &Commentary) -> String {
    let head = format!("<svg id=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{LABEL}\">");
    elements(commentary, 0).map_or_else(String::new, |elements| format!("{head}{elements}</svg>"))
}

/// The curve of [`curve_svg`] as a picture of its own, which needs nothing else, with a line through the position behind these turns.
/// Empty if nothing is judged.
pub fn curve_picture(commentary: &Commentary, turns: Option<usize>) -> String {
    let Some(elements) = elements(commentary, turns.unwrap_or(0)) else { return String::new() };
    let cursor = if turns.is_some() { "#17704a;stroke-width:2" } else { "none" };
    let ground = format!("<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fffefb\"/>");
    let head = svg_head((WIDTH, HEIGHT), 11, LABEL);
    format!("{head}<style>{STYLE}#cursor{{stroke:{cursor}}}</style>{ground}{elements}</svg>\n")
}

const LABEL: &str = "Value of each position for Black, and the loss of each move";

/// The colours of a light page, for a picture that has no style sheet around it.
const STYLE: &str = "text{fill:#6a6f6b}.even{stroke:#6a6f6b;stroke-opacity:.55}\
                     .area.black{fill:#2a2d2b}.area.white{fill:#d9d6ca}.line{fill:none;stroke:#17704a;stroke-width:2;stroke-linejoin:round}.dot{stroke-linecap:round;stroke-width:4}\
                     .loss.small{fill:#c9c6bb}.loss.medium{fill:#e0b23c}.loss.large{fill:#e4812e}.loss.huge{fill:#d23c32}\
                     .column{fill:none}";

/// The curve with its cursor at the position behind these turns; `None` if nothing is judged.
fn elements(commentary: &Commentary, cursor: usize) -> Option<String> {
    let values = commentary.judgements.iter().map(|judgement| Some(judgement.as_ref()?.value));
    let values: Vec<(usize, Option<f64>)> = values.enumerate().collect();
    let most = scale(values.iter().filter_map(|(_, value)| value.map(f64::abs)).reduce(f64::max)?);
    let columns = values.len();
    let x = Axis::spanning(-0.5, columns.max(2) as f64 - 0.5, (10..columns).step_by(10).map(|turns| turns as f64));
    let y = Axis::spanning(-most, most, [1.0, 0.5, 0.0, -0.5, -1.0].into_iter().map(|part| part * most));
    let axes = Axes { x, y, left: 36.0, right: WIDTH - 10.0, top: TOP, floor: FLOOR, inset: 0.0 };
    let mut svg = String::new();
    for &tick in &axes.y.ticks {
        let (look, at) = (if tick == 0.0 { "class=\"even\"" } else { GRID }, axes.y(tick));
        let label = if tick == 0.0 { "0".to_owned() } else { format!("{tick:+}").replace('-', "\u{2212}") };
        svg += &(axes.level(look, at) + &text((axes.left - 6.0, at + 4.0), "end", &label));
    }
    let even = axes.y(0.0);
    for (side, top, height) in [("above", TOP, even - TOP), ("below", even, FLOOR - even)] {
        let rect = format!("<rect y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{height:.1}\"/>");
        svg += &format!("<clipPath id=\"{side}\">{rect}</clipPath>");
    }
    for run in values.split(|(_, value)| value.is_none()).filter(|run| !run.is_empty()) {
        let line = axes.points(run.iter().filter_map(|&(turns, value)| Some((turns as f64, value?))), 0.0);
        let [first, last] = [run[0].0, run[run.len() - 1].0].map(|turns| axes.x(turns as f64));
        let area = format!("d=\"M{first:.1},{even:.1} {line} {last:.1},{even:.1}Z\"");
        svg += &format!("<path class=\"area black\" clip-path=\"url(#above)\" {area}/>");
        svg += &format!("<path class=\"area white\" clip-path=\"url(#below)\" {area}/>");
        svg += &match run {
            // A value between two gaps makes no line.
            [_] => format!("<polyline class=\"line dot\" points=\"{line} {line}\"/>"),
            _ => format!("<polyline class=\"line\" points=\"{line}\"/>"),
        };
    }
    let width = axes.x(1.0) - axes.x(0.0);
    svg += &losses(commentary, &axes, width);
    for &tick in &axes.x.ticks {
        svg += &text((axes.x(tick), HEIGHT - 4.0), "middle", &tick.to_string());
    }
    for turns in 0..columns {
        let (left, height) = (axes.x(turns as f64) - width / 2.0, BASE - TOP);
        let place = format!("x=\"{left:.2}\" y=\"{TOP}\" width=\"{width:.2}\" height=\"{height:.1}\"");
        svg += &format!("<rect class=\"column\" data-turns=\"{turns}\" {place}/>");
    }
    // The place of the position shown.
    let (first, at) = (axes.x(0.0), axes.x(cursor as f64));
    let place = format!("x1=\"{at}\" x2=\"{at}\" y1=\"{TOP}\" y2=\"{BASE}\"");
    Some(svg + &format!("<line id=\"cursor\" {place} data-first=\"{first}\" data-step=\"{width}\"/>"))
}

/// The bars of the losses, in columns of this width.
fn losses(commentary: &Commentary, axes: &Axes, width: f64) -> String {
    let mut svg = axes.level(GRID, BASE) + &text((axes.left - 6.0, BASE), "end", "loss");
    let bar = (width * 0.62).min(14.0);
    for (turn, loss) in commentary.losses.iter().enumerate() {
        let Some(loss) = loss.filter(|loss| *loss >= 0.05) else { continue };
        let middle = axes.x(turn as f64 + 1.0);
        let height = ((BASE - FLOOR - 10.0) * (loss / WORST).min(1.0)).max(1.0);
        let (left, top, class) = (middle - bar / 2.0, BASE - height, severity(loss));
        let place = format!("x=\"{left:.1}\" y=\"{top:.1}\" width=\"{bar:.1}\" height=\"{height:.1}\"");
        svg += &format!("<rect class=\"loss {class}\" {place} rx=\"1.5\"/>");
        // Of two beside each other the larger has room.
        let beside = |turn: Option<usize>| turn.and_then(|turn| *commentary.losses.get(turn)?).unwrap_or(0.0);
        if loss > WORST && loss >= beside(turn.checked_sub(1)) && loss > beside(Some(turn + 1)) {
            let label = text((middle, top - 1.5), "middle", &format!("{loss:.0}"));
            svg += &format!("<g style=\"font-size:8px\">{label}</g>");
        }
    }
    svg
}

/// Discs at the top of the chart for the largest value in it.
fn scale(size: f64) -> f64 {
    [4.0, 8.0, 16.0, 32.0].into_iter().find(|&scale| size <= scale).unwrap_or(64.0)
}

/// How bad a loss in discs is, as a class of the style sheet.
pub(super) fn severity(loss: f64) -> &'static str {
    match loss {
        loss if loss < 1.0 => "small",
        loss if loss < 3.0 => "medium",
        loss if loss < 6.0 => "large",
        _ => "huge",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Judgement;
    use crate::notation::game_file::AnnotatedGame;
    use crate::notation::transcript;

    #[test]
    fn gaps_are_left_and_losses_drawn() {
        let mut commentary = Commentary::unjudged(AnnotatedGame::new(transcript::parse("f5d6c3d3").unwrap()));
        assert_eq!(curve_svg(&commentary), "");
        for (i, value) in [(0, 0.0), (1, -20.0), (3, 70.0), (4, 1.0)] {
            commentary.judgements[i] = Some(Judgement { value, depth: String::new(), pv: Vec::new() });
        }
        commentary.losses = vec![Some(0.0), Some(7.0), None, Some(1.5)];
        let svg = curve_svg(&commentary);
        commentary.losses[2] = Some(31.6);
        assert!(!svg.contains("font-size:8px") && curve_svg(&commentary).contains(">32</text>"), "a bar that is cut");
        commentary.losses[1] = Some(34.0);
        let beside = curve_svg(&commentary);
        assert!(beside.contains(">34</text>") && !beside.contains(">32</text>"), "two labels beside each other");
        assert_eq!(svg.matches("class=\"line\"").count(), 2, "{svg}");
        assert_eq!((svg.matches("loss huge").count(), svg.matches("loss medium").count()), (1, 1));
        assert_eq!((svg.matches("class=\"column\"").count(), svg.matches("class=\"loss").count()), (5, 2));
        assert!(svg.contains(">\u{2212}64<") && !svg.contains("NaN"), "{svg}");
        let picture = curve_picture(&commentary, Some(3));
        let cursor =
            |picture: &str| picture.split_once("id=\"cursor\" x1=").unwrap().1.split(' ').next().unwrap().to_owned();
        assert!(cursor(&picture) != cursor(&curve_picture(&commentary, None)) && picture.contains("#cursor{stroke:#"));
        assert!(
            picture.starts_with("<svg xmlns=") && picture.contains("<style>") && picture.contains(" viewBox="),
            "{picture}"
        );
    }
}
