//! `emilia train bill`.

use super::print_beside;
use crate::cli::output::{Output, expect_another};
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
    let mut files = Vec::new();
    for folder in &arguments.samples {
        files.extend(Chunk::files(folder).map_err(|error| error.to_string())?);
    }
    let out = arguments.out.as_deref();
    expect_another(out, files.iter().map(PathBuf::as_path))?;
    // What took minutes is not to fail at its end for want of a folder.
    let output = out.map(|out| Output::open(Some(out))).transpose()?;
    let chunks: Result<Vec<Chunk>, _> = files.iter().map(|file| Chunk::read(file)).collect();
    let chunks = chunks.map_err(|error| error.to_string())?;
    let provenance = provenance(chunks.iter().map(|chunk| (&chunk.header, chunk.samples.len())));
    let (coefficients, report) = learn(&chunks, provenance).map_err(|error| error.to_string())?;
    let printed = print_beside(out, &report.to_string());
    if let Some(mut output) = output {
        output.write(coefficients.to_string().as_bytes())?;
        output.finish()?;
    }
    printed
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
