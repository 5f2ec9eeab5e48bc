//! `emilia train bill`.

use crate::cli::output::write_file;
use crate::lab::bill::learn;
use crate::training::{Chunk, ChunkHeader};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is learned from, and where it goes.
#[derive(Args, Clone, Debug)]
pub(super) struct BillArguments {
    /// Folder of samples that `emilia train selfplay` made; may be given several times
    #[arg(long, value_name = "FOLDER", required = true)]
    samples: Vec<PathBuf>,
    /// File for the coefficients; without it, only the report is printed
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Learns, prints what was measured on games held out, and writes the coefficients.
pub(super) fn run(arguments: &BillArguments) -> Result<(), String> {
    let mut chunks = Vec::new();
    for folder in &arguments.samples {
        let files = Chunk::files(folder).map_err(|error| error.to_string())?;
        for file in files {
            chunks.push(Chunk::read(&file).map_err(|error| error.to_string())?);
        }
    }
    let provenance = provenance(chunks.iter().map(|chunk| (&chunk.header, chunk.samples.len())));
    let (coefficients, report) = learn(&chunks, provenance).map_err(|error| error.to_string())?;
    if let Some(path) = &arguments.out {
        write_file(path, coefficients.to_string().as_bytes())?;
    }
    super::super::print(&report.to_string())
}

/// One line for all files that were made in the same way.
fn provenance<'a>(chunks: impl Iterator<Item = (&'a ChunkHeader, usize)>) -> Vec<String> {
    let mut origins: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for (header, samples) in chunks {
        let origin = &header.origin;
        let name = format!(
            "emilia {} train {}: evaluator {} ({}), seed {}, settings {}",
            header.version, origin.command, origin.evaluator, origin.fingerprint, origin.seed, origin.settings
        );
        let (games, positions) = origins.entry(name).or_default();
        *games += u64::from(header.games);
        *positions += samples;
    }
    origins
        .into_iter()
        .map(|(name, (games, positions))| format!("{name}; {games} games, {positions} positions"))
        .collect()
}
