//! How the error fell while the weights were fitted: a table and a picture.

use super::fit::{FittedPhase, PassError};
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
const STYLE: &str = "text{font:12px sans-serif;fill:#555}.grid{stroke:#ddd}.phase{stroke:#c8d4e0}\
                     .training{stroke:#8a8a8a;stroke-dasharray:5 4}.held-out{stroke:#c2410c;stroke-width:2}\
                     polyline{fill:none;stroke-width:1.2}";

/// Every phase's errors before the first pass and after each, in discs.
pub fn curve_csv(phases: &[FittedPhase]) -> String {
    let mut csv = "phase,positions,pass,training,held_out,kept\n".to_owned();
    for (number, phase) in phases.iter().enumerate() {
        for (pass, error) in phase.curve.iter().enumerate() {
            let (positions, kept) = (phase.positions, u8::from(pass == phase.best));
            // Writing to a string cannot fail.
            let _ = writeln!(csv, "{number},{positions},{pass},{:.4},{:.4},{kept}", error.training, error.held_out);
        }
    }
    csv
}

/// The same as a picture: the held-out error of each phase, and both errors of all phases together, which after the end of
/// a phase count what was kept.
pub fn curve_svg(phases: &[FittedPhase]) -> String {
    let phases: Vec<&FittedPhase> = phases.iter().filter(|phase| phase.positions > 0).collect();
    let passes = phases.iter().map(|phase| phase.curve.len()).max().unwrap_or(0);
    let together: Vec<PassError> = (0..passes).map(|pass| together(&phases, pass)).collect();
    let highest = phases.iter().flat_map(|phase| &phase.curve).map(|error| error.held_out).fold(1.0, f64::max);
    let x = |pass: usize| LEFT + (WIDTH - LEFT - RIGHT) * pass as f64 / (passes.max(2) - 1) as f64;
    let y = |error: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - error / highest);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\"><title>Error by pass</title>\
         <style>{STYLE}</style>\n"
    );
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for discs in (0..=highest as usize).step_by((highest / 8.0).ceil().max(1.0) as usize) {
        let at = y(discs as f64);
        let _ = writeln!(svg, "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>");
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{discs}</text>", LEFT - 6.0, at + 4.0);
    }
    for pass in (0..passes).step_by(passes.div_ceil(12).max(1)) {
        let (at, below) = (x(pass), bottom + 17.0);
        let _ = writeln!(svg, "<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{pass}</text>");
    }
    let mut line = |class: &str, title: &str, errors: &mut dyn Iterator<Item = f64>| {
        let points: Vec<String> = errors.enumerate().map(|(i, e)| format!("{:.1},{:.1}", x(i), y(e))).collect();
        let points = points.join(" ");
        let _ = writeln!(svg, "<polyline class=\"{class}\" points=\"{points}\"><title>{title}</title></polyline>");
    };
    for (number, phase) in phases.iter().enumerate() {
        line("phase", &format!("held out, phase {number}"), &mut phase.curve.iter().map(|error| error.held_out));
    }
    line("training", "learnt from, all phases", &mut together.iter().map(|error| error.training));
    line("held-out", "held out, all phases", &mut together.iter().map(|error| error.held_out));
    let legend = "RMS error in discs by pass: held out (thick), learnt from (dashed), held out by phase (thin)";
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\">{legend}</text>\n</svg>", HEIGHT - 6.0);
    svg
}

/// The errors of all phases after a pass, each phase counting by its positions.
fn together(phases: &[&FittedPhase], pass: usize) -> PassError {
    let at = |phase: &FittedPhase| phase.curve.get(pass).copied().unwrap_or(phase.curve[phase.best]);
    let positions: f64 = phases.iter().map(|phase| phase.positions as f64).sum();
    let mean = |error: fn(PassError) -> f64| {
        let squares = phases.iter().map(|phase| phase.positions as f64 * error(at(phase)).powi(2));
        (squares.sum::<f64>() / positions).sqrt()
    };
    PassError { training: mean(|error| error.training), held_out: mean(|error| error.held_out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(curve: &[(f64, f64)], best: usize) -> FittedPhase {
        let curve = curve.iter().map(|&(training, held_out)| PassError { training, held_out }).collect();
        FittedPhase { weights: Vec::new(), positions: 10, curve, best }
    }

    #[test]
    fn every_pass_of_every_phase_is_in_the_table() {
        let csv = curve_csv(&[phase(&[(20.0, 21.0), (8.5, 9.0)], 1), phase(&[(3.0, 3.0)], 0)]);
        let expected = "phase,positions,pass,training,held_out,kept\n0,10,0,20.0000,21.0000,0\n0,10,1,8.5000,9.0000,1\n1,10,0,3.0000,3.0000,1\n";
        assert_eq!(csv, expected);
    }

    #[test]
    fn a_finished_phase_counts_with_what_was_kept() {
        let (long, short) = (phase(&[(6.0, 6.0), (3.0, 3.0), (1.0, 1.0)], 2), phase(&[(6.0, 8.0), (7.0, 7.0)], 1));
        assert_eq!(together(&[&long, &short], 2).held_out, 5.0);
        let svg = curve_svg(&[long, short]);
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert_eq!(svg.matches("</svg>").count(), 1);
        assert!(curve_svg(&[]).contains("</svg>"));
    }
}
