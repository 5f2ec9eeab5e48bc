//! The worth of a game's positions as a curve.

use super::markup::standalone;
use crate::analysis::Commentary;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 36.0;
const RIGHT: f64 = 10.0;
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
    svg(commentary, 0)
}

/// The curve with its cursor at the position behind these turns.
fn svg(commentary: &Commentary, cursor: usize) -> String {
    let values: Vec<Option<f64>> =
        commentary.judgements.iter().map(|judgement| judgement.as_ref().map(|judgement| judgement.value)).collect();
    let known = values.iter().flatten();
    let size = known.clone().fold(0.0f64, |size, value| size.max(value.abs()));
    if known.count() == 0 {
        return String::new();
    }
    let range = scale(size);
    let columns = values.len();
    let width = (WIDTH - LEFT - RIGHT) / columns.max(2) as f64;
    let x = |turns: usize| LEFT + width * (turns as f64 + 0.5);
    let y = |value: f64| TOP + (FLOOR - TOP) * (range - value.clamp(-range, range)) / (2.0 * range);
    let mut svg = format!(
        "<svg id=\"curve\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Value of each position for Black, and the loss of each move\">"
    );
    // Writing to a string cannot fail.
    for tick in [range, range / 2.0, 0.0, -range / 2.0, -range] {
        let class = if tick == 0.0 { "even" } else { "grid" };
        let (at, right) = (y(tick), WIDTH - RIGHT);
        let _ = write!(svg, "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        let label = if tick == 0.0 { "0".to_owned() } else { format!("{tick:+}").replace('-', "\u{2212}") };
        let _ = write!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", LEFT - 6.0, at + 4.0);
    }
    for run in runs(&values) {
        let points: Vec<String> = run.iter().map(|&(i, value)| format!("{:.1},{:.1}", x(i), y(value))).collect();
        let line = points.join(" L");
        let (first, last) = (x(run[0].0), x(run[run.len() - 1].0));
        let even = y(0.0);
        for (class, clip) in [("black", (TOP, even)), ("white", (even, FLOOR))] {
            let id = format!("{class}{}", run[0].0);
            let (top, height) = (clip.0, clip.1 - clip.0);
            let _ = write!(
                svg,
                "<clipPath id=\"{id}\"><rect x=\"0\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{height:.1}\"/></clipPath>"
            );
            let _ = write!(
                svg,
                "<path class=\"area {class}\" clip-path=\"url(#{id})\" d=\"M{first:.1},{even:.1} L{line} L{last:.1},{even:.1}Z\"/>"
            );
        }
        let _ = write!(svg, "<path class=\"line\" d=\"M{line}\"/>");
    }
    write_losses(&mut svg, commentary, width);
    for number in (10..columns).step_by(10) {
        let _ =
            write!(svg, "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{number}</text>", x(number), HEIGHT - 4.0);
    }
    for turns in 0..columns {
        let left = x(turns) - width / 2.0;
        let _ = write!(
            svg,
            "<rect class=\"column\" data-turns=\"{turns}\" x=\"{left:.2}\" y=\"{TOP}\" width=\"{width:.2}\" height=\"{:.1}\"/>",
            BASE - TOP
        );
    }
    // The place of the position shown.
    let _ = write!(
        svg,
        "<line id=\"cursor\" x1=\"{0}\" x2=\"{0}\" y1=\"{TOP}\" y2=\"{BASE}\" data-first=\"{1}\" data-step=\"{width}\"/></svg>",
        x(cursor),
        x(0)
    );
    svg
}

/// The bars of the losses, in columns of this width.
fn write_losses(svg: &mut String, commentary: &Commentary, width: f64) {
    let right = WIDTH - RIGHT;
    let _ = write!(svg, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{BASE}\" y2=\"{BASE}\"/>");
    let _ = write!(svg, "<text x=\"{}\" y=\"{BASE}\" text-anchor=\"end\">loss</text>", LEFT - 6.0);
    let bar = (width * 0.62).min(14.0);
    for (turn, loss) in commentary.losses.iter().enumerate() {
        let Some(loss) = loss.filter(|loss| *loss >= 0.05) else { continue };
        let middle = LEFT + width * (turn as f64 + 1.5);
        let height = ((BASE - FLOOR - 10.0) * (loss / WORST).min(1.0)).max(1.0);
        let (left, top, class) = (middle - bar / 2.0, BASE - height, severity(loss));
        let _ = write!(
            svg,
            "<rect class=\"loss {class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{bar:.1}\" height=\"{height:.1}\" rx=\"1.5\"/>"
        );
        // Of two beside each other the larger has room.
        let beside = |turn: Option<usize>| turn.and_then(|turn| *commentary.losses.get(turn)?).unwrap_or(0.0);
        if loss > WORST && loss >= beside(turn.checked_sub(1)) && loss > beside(Some(turn + 1)) {
            let above = top - 1.5;
            let _ = write!(
                svg,
                "<text style=\"font-size:8px\" x=\"{middle:.1}\" y=\"{above:.1}\" text-anchor=\"middle\">{loss:.0}</text>"
            );
        }
    }
}

/// The colours of a light page, for a picture that has no style sheet around it.
const STYLE: &str = "text{fill:#6a6f6b;font-size:11px}.grid{stroke:#dedcd3}.even{stroke:#6a6f6b;stroke-opacity:.55}\
                     .area.black{fill:#2a2d2b}.area.white{fill:#d9d6ca}.line{fill:none;stroke:#17704a;stroke-width:2;stroke-linejoin:round}\
                     .loss.small{fill:#c9c6bb}.loss.medium{fill:#e0b23c}.loss.large{fill:#e4812e}.loss.huge{fill:#d23c32}\
                     .column{fill:none}";

/// The curve of [`curve_svg`] as a picture of its own, which needs nothing else, with a line through the position behind these turns.
/// Empty if nothing is judged.
pub fn curve_picture(commentary: &Commentary, turns: Option<usize>) -> String {
    let curve = svg(commentary, turns.unwrap_or(0));
    if curve.is_empty() {
        return curve;
    }
    let cursor = if turns.is_some() { "#17704a;stroke-width:2" } else { "none" };
    standalone((WIDTH, HEIGHT), &format!("{STYLE}#cursor{{stroke:{cursor}}}"), &curve)
}

/// Discs at the top of the chart for the largest value in it.
fn scale(size: f64) -> f64 {
    [4.0, 8.0, 16.0, 32.0].into_iter().find(|&scale| size <= scale).unwrap_or(64.0)
}

/// Values that follow each other without a gap.
fn runs(values: &[Option<f64>]) -> Vec<Vec<(usize, f64)>> {
    let mut runs = vec![Vec::new()];
    for (i, value) in values.iter().enumerate() {
        match (value, runs.last_mut()) {
            (Some(value), Some(run)) => run.push((i, *value)),
            (None, Some(run)) if !run.is_empty() => runs.push(Vec::new()),
            _ => {}
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
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
