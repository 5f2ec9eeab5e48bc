//! What a pass came to, so that a fit that was killed goes on after its last whole pass.

use super::SpanErrors;
use super::descent::Descent;
use super::parameters::{Beginning, Numbers, Parameters, WIDTH};
use super::settings::FactorizationSettings;
use crate::eval::factorization::MOST_KNOTS;
use crate::training::container::{self, FileError, Magic};
use crate::training::dataset::Dataset;
use serde::{Deserialize, Serialize};
use std::path::Path;

const MAGIC: Magic = *b"EMIPASS2";

/// The name of the file in the folder of a fit.
const FILE: &str = "passes.checkpoint";

/// The best weights so far and the errors of all passes.
pub(super) struct Checkpoint {
    pub(super) best: Parameters,
    pub(super) best_pass: usize,
    pub(super) curve: Vec<SpanErrors>,
}

#[derive(Serialize, Deserialize)]
struct Header {
    identity: serde_json::Value,
    best_pass: usize,
    steps: i32,
    curve: Vec<SpanErrors>,
}

/// Of the parameters, the best ones, and the means and the squares of gradients.
const BYTES_OF_ROW: usize = 4 * (WIDTH + MOST_KNOTS) * 4;

/// What a fit depends on.
pub(super) fn identity(data: &Dataset, settings: &FactorizationSettings, start: &Beginning) -> serde_json::Value {
    let mut start_sum = crc32fast::Hasher::new();
    let linear = start.lines.iter().flat_map(|line| line.0);
    let numbers = linear.chain(start.factors.iter().flat_map(|factors| factors.0));
    numbers.for_each(|number| start_sum.update(&number.to_le_bytes()));
    let mut samples = crc32fast::Hasher::new();
    for points in (0..=64).map(|discs| data.with_discs(discs)) {
        for point in points.training.iter().chain(&points.held_out) {
            samples.update(&point.player.0.to_le_bytes());
            samples.update(&point.opponent.0.to_le_bytes());
            samples.update(&point.target.to_le_bytes());
            samples.update(&point.weight.to_le_bytes());
        }
    }
    serde_json::json!({
        "settings": settings,
        "sources": data.origins,
        "positions": data.len(),
        "samples": samples.finalize(),
        "start": start_sum.finalize(),
    })
}

impl Checkpoint {
    /// Writes the file: it is there whole or, should anything fail, as it was after the pass before.
    pub(super) fn write(
        &self,
        folder: &Path,
        identity: &serde_json::Value,
        descent: &Descent<'_>,
    ) -> Result<(), FileError> {
        let header = Header {
            identity: identity.clone(),
            best_pass: self.best_pass,
            steps: descent.steps,
            curve: self.curve.clone(),
        };
        let mut body = Vec::with_capacity(descent.squares.rows() * BYTES_OF_ROW);
        for parameters in [&descent.parameters, &self.best, &descent.means, &descent.squares] {
            body.extend(parameters.factors.iter().flat_map(|factors| factors.0).flat_map(f32::to_le_bytes));
            body.extend(parameters.linear.iter().flat_map(|linear| linear.0).flat_map(f32::to_le_bytes));
        }
        container::write(&folder.join(FILE), &container::seal(MAGIC, &header, &body))
    }

    /// What is in the folder, if it is from such a fit; the descent goes on from there. A file that is none, or is damaged, is
    /// named in a warning and made again.
    pub(super) fn read(folder: &Path, identity: &serde_json::Value, descent: &mut Descent<'_>) -> Option<Checkpoint> {
        let path = folder.join(FILE);
        if !path.exists() {
            return None;
        }
        let checkpoint = container::read(&path).and_then(|bytes| {
            let (header, body): (Header, _) = container::open(&bytes, MAGIC, &path)?;
            Ok((header, body.to_vec()))
        });
        let (header, body) = checkpoint.inspect_err(|error| log::warn!("begun anew: {error}")).ok()?;
        let rows = descent.squares.rows();
        if header.identity != *identity || body.len() != rows * BYTES_OF_ROW {
            log::warn!("begun anew: '{}' is of another fit", path.display());
            return None;
        }
        let mut numbers = body.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes));
        let mut parameters = || Parameters { factors: take(&mut numbers, rows), linear: take(&mut numbers, rows) };
        descent.parameters = parameters();
        let best = parameters();
        descent.means = parameters();
        descent.squares = parameters();
        descent.steps = header.steps;
        Some(Checkpoint { best, best_pass: header.best_pass, curve: header.curve })
    }
}

/// The numbers of all rows, one after another.
fn take<const N: usize>(numbers: &mut impl Iterator<Item = f32>, rows: usize) -> Vec<Numbers<N>> {
    (0..rows).map(|_| Numbers(std::array::from_fn(|_| numbers.next().unwrap_or(0.0)))).collect()
}
