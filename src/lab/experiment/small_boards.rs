//! Small boards solved from the first move, depth first and best first, with certificates (Feinstein 1993 solved 6x6).

use super::stopwatch::Stopwatch;
use super::{Cell, Experiment, ExperimentError, Findings, Lab, Table};
use crate::lab::small_board::{AlphaBeta, Certificate, Proof, Shape, value};
use serde::{Deserialize, Serialize};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "small-boards",
    about: "boards of 16 to 36 squares solved depth first and best first, and a certificate of each; rows are numbers of squares",
    seconds: 400,
    reads: &["levels"],
    run,
};

/// Size of the solvers' tables: the logarithm of their pairs of positions, in the full run and in the quick one.
const TABLE_LOG: (u32, u32) = (22, 16);
/// Empty squares from which a certificate leaves positions to its checker.
const CHECKED_FROM: u32 = 16;

/// One board, solved.
#[derive(Clone, Serialize, Deserialize)]
struct Solved {
    value: i32,
    positions: u64,
    nanos: u64,
    bytes: u64,
    best_first: BestFirst,
    certificate: String,
    moves: u64,
    leaves: u64,
}

/// The same value, found best first.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct BestFirst {
    positions: u64,
    nanos: u64,
    bytes: u64,
    stored: u64,
}

fn solve(shape: &Shape, log: u32) -> Result<Solved, String> {
    let start = shape.start();
    let watch = Stopwatch::start();
    let mut alpha_beta = AlphaBeta::new(shape, log);
    let found = value(&mut alpha_beta, &start);
    let (positions, nanos, bytes) = (alpha_beta.nodes, watch.nanos(), alpha_beta.bytes() as u64);
    let watch = Stopwatch::start();
    let mut proof = Proof::new(shape, log);
    let again = value(&mut proof, &start);
    if again != found {
        return Err(format!("{}: {found} depth first, {again} best first", shape.name));
    }
    let best_first = BestFirst {
        positions: proof.visited(),
        nanos: watch.nanos(),
        bytes: proof.bytes() as u64,
        stored: proof.most_stored as u64,
    };
    drop(proof);
    let certificate = Certificate::write(shape, &mut alpha_beta, found, CHECKED_FROM);
    let certificate = certificate.ok_or_else(|| format!("{}: no certificate of {found}", shape.name))?;
    let (moves, leaves) = (certificate.moves as u64, certificate.leaves as u64);
    Ok(Solved { value: found, positions, nanos, bytes, best_first, certificate: certificate.text, moves, leaves })
}

fn run(lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
    let sizes = lab.levels(&[16, 24], &[16, 24, 32, 36], "squares", 16..=40)?;
    let known = Shape::all();
    if let Some(wrong) = sizes.iter().find(|&&size| known.iter().all(|shape| shape.size() != size)) {
        return Err(ExperimentError::option("levels", wrong, "squares of a board: 16, 24, 32, 36 or 40"));
    }
    let shapes: Vec<Shape> = known.into_iter().filter(|shape| sizes.contains(&shape.size())).collect();
    let log = if lab.setup().quick { TABLE_LOG.1 } else { TABLE_LOG.0 };
    lab.plan(shapes.len() as u64);
    let columns = "board | squares | value for Black | positions | time s | MB | best first positions | \
        time best first s | MB best first | positions stored | certificate moves | positions to check";
    let mut table = Table::new("Small boards, solved from the first move", columns);
    let mut files = Vec::new();
    for shape in &shapes {
        let solved = lab.unit(shape.name, || solve(shape, log))?.map_err(ExperimentError::Disagreement)?;
        let (seconds, megabytes) = (|nanos: u64| nanos as f64 * 1e-9, |bytes: u64| bytes as f64 / f64::from(1 << 20));
        let best_first = solved.best_first;
        table.row(vec![
            Cell::from(shape.name),
            Cell::from(shape.size()),
            Cell::Number(solved.value.into(), 0),
            Cell::from(solved.positions),
            Cell::Number(seconds(solved.nanos), 2),
            Cell::Number(megabytes(solved.bytes), 0),
            Cell::from(best_first.positions),
            Cell::Number(seconds(best_first.nanos), 2),
            Cell::Number(megabytes(best_first.bytes), 0),
            Cell::from(best_first.stored),
            Cell::from(solved.moves),
            Cell::from(solved.leaves),
        ]);
        files.push((format!("{}.certificate", shape.name.replace(' ', "-")), solved.certificate));
    }
    let note = format!(
        "Values are in discs, empty squares given to the winner. Both solvers ask null windows from 0 on. Positions are those visited, \
         shallow searches included; times are of one thread. The certificates leave positions of at most {CHECKED_FROM} empty squares to \
         their checker."
    );
    Ok(Findings { files, ..Findings::new(vec![table], Vec::new(), note) })
}
