//! `emilia merge`: the parts that `--shard` makes, put together.

use super::output::{Output, Reader};
use crate::analysis::merge::merge;
use crate::arena;
use clap::Args;
use std::path::PathBuf;

/// Put together what runs with --shard 0/N to --shard N-1/N have written.
///
/// Folders of matches become a folder, which must be given; `emilia match` with the same players and settings and --resume then
/// reports on it.
///
/// The results come in the order of the input, one JSON object a line, as a run without --shard writes them. All the parts
/// must be there, each of them once and complete, and all of the same input with the same settings; else nothing is
/// written, and the exit code is 1.
#[derive(Args, Clone, Debug)]
pub(super) struct MergeArguments {
    /// The files, or the folders of matches, in any order
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write to this file, which is there only when it is complete, or to this folder
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

/// Puts parts together.
pub(super) fn run(arguments: &MergeArguments) -> Result<(), String> {
    if arguments.files.iter().all(|path| path.is_dir()) {
        let Some(out) = &arguments.out else { return Err("folders of matches need --out FOLDER".to_owned()) };
        let games = arena::merge::merge(&arguments.files, out).map_err(|error| error.to_string())?;
        return super::print(&format!("{games} games\n"));
    }
    let read = |path: &PathBuf| {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read '{name}': {error}"))?;
        Ok::<_, String>((name, text))
    };
    let files = arguments.files.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let merged = merge(&files).map_err(|error| error.to_string())?;
    let mut output = Output::open(arguments.out.as_deref())?;
    let totals = merged.totals.map(|totals| serde_json::json!({ "totals": totals }).to_string());
    let lines = merged.results.into_iter().chain(totals.as_deref());
    let mut batch = String::new();
    for line in lines {
        batch += line;
        batch.push('\n');
        if batch.len() >= BATCH_BYTES {
            if output.write(batch.as_bytes())? == Reader::IsGone {
                return Ok(());
            }
            batch.clear();
        }
    }
    output.write(batch.as_bytes())?;
    output.finish()
}

/// About how much is written at once.
const BATCH_BYTES: usize = 1 << 16;
