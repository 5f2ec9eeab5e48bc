//! How the error fell while the weights were fitted: a table and a picture.

use super::factorization::{SPANS, SpanErrors};
use super::fit::{FittedPhase, PassError};
use crate::render::{Curve, Plot, Point, Stroke};
use std::fmt::Write;

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
    let (numbers, phases): (Vec<usize>, Vec<&FittedPhase>) =
        phases.iter().enumerate().filter(|(_, phase)| phase.positions > 0).unzip();
    let passes = phases.iter().map(|phase| phase.curve.len()).max().unwrap_or(0);
    let together: Vec<PassError> = (0..passes).map(|pass| together(&phases, pass)).collect();
    let curve = |name: String, stroke, errors: &mut dyn Iterator<Item = f64>| {
        let points = (0u32..).zip(errors).map(|(pass, y)| Point { x: pass.into(), y, error: None });
        Curve { name, points: points.collect(), stroke }
    };
    let mut curves = vec![
        curve("held out, all phases".to_owned(), Stroke::Solid, &mut together.iter().map(|error| error.held_out)),
        curve("learnt from, all phases".to_owned(), Stroke::Dashed, &mut together.iter().map(|error| error.training)),
    ];
    curves.extend(numbers.iter().zip(&phases).map(|(number, phase)| {
        let name = format!("held out, phase {number}");
        curve(name, Stroke::Faint, &mut phase.curve.iter().map(|error| error.held_out))
    }));
    let title = "Error while the weights were fitted; thin: held out, phase by phase";
    Plot::new(title, "passes", "RMS error, discs", curves).svg()
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

/// The names of the spans of empty squares.
const SPAN_NAMES: [&str; SPANS] = ["0-10", "11-20", "21-30", "31-40", "41-60"];

/// The errors of a fit with factors before the first pass and after each, in discs.
pub fn factor_curve_csv(curve: &[SpanErrors]) -> String {
    let mut csv = format!("pass,training,held_out,{}\n", SPAN_NAMES.map(|name| format!("held_out_{name}")).join(","));
    for SpanErrors { pass, training, held_out, spans } in curve {
        let spans = spans.map(|error| format!("{error:.4}")).join(",");
        let _ = writeln!(csv, "{pass},{training:.4},{held_out:.4},{spans}");
    }
    csv
}

/// The same as a picture.
pub fn factor_curve_svg(curve: &[SpanErrors]) -> String {
    let line = |name: String, stroke, error: &dyn Fn(&SpanErrors) -> f64| {
        let point = |errors: &SpanErrors| Point { x: errors.pass as f64, y: error(errors), error: None };
        Curve { name, points: curve.iter().map(point).collect(), stroke }
    };
    let mut curves = vec![line("held out".to_owned(), Stroke::Solid, &|errors| errors.held_out)];
    curves.extend((0..SPANS).map(|span| {
        let name = format!("held out, {} empty squares", SPAN_NAMES[span]);
        line(name, Stroke::Faint, &move |errors| errors.spans[span])
    }));
    Plot::new("Error while the weights were fitted", "passes", "RMS error, discs", curves).svg()
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
        let empty = FittedPhase { positions: 0, ..phase(&[], 0) };
        let svg = curve_svg(&[empty, long, short]);
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert!(["phase 1<", "phase 2<"].iter().all(|name| svg.contains(name)), "phases have the numbers of the table");
        assert_eq!(svg.matches("</svg>").count(), 1);
        assert!(curve_svg(&[]).contains("</svg>"));
    }
}
