//! How the error fell while the weights were fitted: a table and a picture.

use super::design::SquaredError;
use super::factorization::{SPANS, SpanErrors};
use super::fit::{FittedPhase, PassError};
use crate::render::{Curve, Plot, Point, Stroke};
use std::fmt::Write;

/// A field of a table; an error that is not known is empty.
fn field(error: Option<f64>) -> String {
    error.map_or_else(String::new, |error| format!("{error:.4}"))
}

/// A curve of the errors after each pass that are known.
fn curve(name: String, stroke: Stroke, errors: impl Iterator<Item = (usize, Option<f64>)>) -> Curve {
    let point = |(pass, error): (usize, Option<f64>)| Some(Point { x: pass as f64, y: error?, error: None });
    Curve { name, points: errors.filter_map(point).collect(), stroke }
}

/// Every phase's errors before the first pass and after each, in discs.
pub fn curve_csv(phases: &[FittedPhase]) -> String {
    let mut csv = "phase,positions,pass,training,held_out,kept\n".to_owned();
    for (number, phase) in phases.iter().enumerate() {
        for (pass, error) in phase.curve.iter().enumerate() {
            let (positions, kept) = (phase.positions, u8::from(pass == phase.best));
            let [training, held_out] = [error.training, error.held_out].map(field);
            // Writing to a string cannot fail.
            let _ = writeln!(csv, "{number},{positions},{pass},{training},{held_out},{kept}");
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
    let mut curves = vec![
        curve(
            "held out, all phases".to_owned(),
            Stroke::Solid,
            together.iter().map(|error| error.held_out).enumerate(),
        ),
        curve(
            "learned from, all phases".to_owned(),
            Stroke::Dashed,
            together.iter().map(|error| error.training).enumerate(),
        ),
    ];
    curves.extend(numbers.iter().zip(&phases).map(|(number, phase)| {
        let name = format!("held out, phase {number}");
        curve(name, Stroke::Faint, phase.curve.iter().map(|error| error.held_out).enumerate())
    }));
    curves.retain(|curve| !curve.points.is_empty());
    let title = "Error while the weights were fitted; thin: held out, phase by phase";
    Plot::new(title, "passes", "RMS error, discs", curves).svg()
}

/// The errors of all phases after a pass, each phase whose error is known counting by its positions.
fn together(phases: &[&FittedPhase], pass: usize) -> PassError {
    let at = |phase: &FittedPhase| phase.curve.get(pass).copied().unwrap_or(phase.curve[phase.best]);
    let mean = |error: fn(PassError) -> Option<f64>| {
        let mut all = SquaredError::default();
        for phase in phases {
            if let Some(error) = error(at(phase)) {
                all.sum += phase.positions as f64 * error.powi(2);
                all.weight += phase.positions as f64;
            }
        }
        all.rms()
    };
    PassError { training: mean(|error| error.training), held_out: mean(|error| error.held_out) }
}

/// The names of the spans of empty squares.
const SPAN_NAMES: [&str; SPANS] = ["0-10", "11-20", "21-30", "31-40", "41-60"];

/// The errors of a fit with factors before the first pass and after each, in discs.
pub fn factor_curve_csv(curve: &[SpanErrors]) -> String {
    let mut csv = format!("pass,training,held_out,{}\n", SPAN_NAMES.map(|name| format!("held_out_{name}")).join(","));
    for SpanErrors { pass, training, held_out, spans } in curve {
        let spans = spans.map(field).join(",");
        let _ = writeln!(csv, "{pass},{},{},{spans}", field(*training), field(*held_out));
    }
    csv
}

/// The same as a picture.
pub fn factor_curve_svg(passes: &[SpanErrors]) -> String {
    let of = |error: fn(&SpanErrors) -> Option<f64>| passes.iter().map(move |errors| (errors.pass, error(errors)));
    let mut curves = vec![
        curve("held out".to_owned(), Stroke::Solid, of(|errors| errors.held_out)),
        curve("learned from".to_owned(), Stroke::Dashed, of(|errors| errors.training)),
    ];
    curves.extend((0..SPANS).map(|span| {
        let name = format!("held out, {} empty squares", SPAN_NAMES[span]);
        curve(name, Stroke::Faint, passes.iter().map(|errors| (errors.pass, errors.spans[span])))
    }));
    curves.retain(|curve| !curve.points.is_empty());
    Plot::new("Error while the weights were fitted", "passes", "RMS error, discs", curves).svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(curve: &[(f64, f64)], best: usize) -> FittedPhase {
        let error = |&(training, held_out)| PassError { training: Some(training), held_out: Some(held_out) };
        let curve = curve.iter().map(error).collect();
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
        assert_eq!(together(&[&long, &short], 2).held_out, Some(5.0));
        let empty = FittedPhase { positions: 0, ..phase(&[], 0) };
        let svg = curve_svg(&[empty, long, short]);
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert!(["phase 1<", "phase 2<"].iter().all(|name| svg.contains(name)), "phases have the numbers of the table");
        assert_eq!(svg.matches("</svg>").count(), 1);
        assert!(curve_svg(&[]).contains("</svg>"));
    }

    #[test]
    fn what_is_not_held_out_has_no_error() {
        let known = phase(&[(6.0, 6.0), (3.0, 3.0)], 1);
        let mut unknown = phase(&[(6.0, 0.0), (4.0, 0.0)], 1);
        unknown.curve.iter_mut().for_each(|error| error.held_out = None);
        let both = [known.clone(), unknown.clone()];
        assert!(curve_csv(&both).ends_with("\n1,10,1,4.0000,,1\n"), "{}", curve_csv(&both));
        assert_eq!(together(&[&known, &unknown], 1).held_out, Some(3.0));
        assert_eq!(together(&[&unknown], 1).held_out, None);
        let svg = curve_svg(&both);
        assert!(svg.contains("phase 0<") && !svg.contains("phase 1<"), "{svg}");
        let spans = [Some(5.0), None, Some(6.0), None, None];
        let factors = [SpanErrors { pass: 0, training: None, held_out: Some(5.5), spans }];
        assert!(
            factor_curve_csv(&factors).ends_with("\n0,,5.5000,5.0000,,6.0000,,\n"),
            "{}",
            factor_curve_csv(&factors)
        );
        let svg = factor_curve_svg(&factors);
        assert!(svg.contains("21-30 empty") && !svg.contains("11-20 empty"), "{svg}");
        assert!(!svg.contains("learned from"), "{svg}");
        let svg = factor_curve_svg(&[SpanErrors { training: Some(5.2), ..factors[0] }]);
        assert!(svg.contains("learned from") && svg.contains("stroke-dasharray=\"5 4\""), "{svg}");
    }
}
