//! `emilia merge`: the parts that `--shard` makes, put together.

use super::output::{Output, Reader, cannot_read, expect_another, shown};
use crate::analysis::merge::merge;
use crate::arena;
use crate::file_bytes::FileBytes;
use crate::notation::game_file::unpacked_utf8;
use crate::whole_file::why;
use clap::Args;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

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
    expect_another(arguments.out.as_deref(), arguments.files.iter().map(PathBuf::as_path))?;
    let bytes = arguments.files.iter().map(|path| open(path).map_err(|error| cannot_read(path, why(&error))));
    let bytes = bytes.collect::<Result<Vec<_>, _>>()?;
    let files = arguments.files.iter().zip(&bytes).map(|(path, bytes)| {
        let text = str::from_utf8(bytes).map_err(|error| cannot_read(path, error))?;
        Ok((shown(path), text))
    });
    let files = files.collect::<Result<Vec<_>, String>>()?;
    let merged = merge(&files).map_err(|error| error.to_string())?;
    let mut output = Output::open(arguments.out.as_deref())?;
    for line in merged.results {
        if output.write(format!("{line}\n").as_bytes())? == Reader::IsGone {
            return Ok(());
        }
    }
    if let Some(totals) = merged.totals {
        output.write(totals.line().as_bytes())?;
    }
    output.finish()
}

/// The bytes of a part. It may be larger than the memory, so only one that is packed, or in UTF-16, is read into it.
fn open(path: &Path) -> io::Result<FileBytes> {
    let bytes = FileBytes::open(path)?;
    if bytes.starts_with(b"{") {
        return Ok(bytes);
    }
    let mut unpacked = Vec::new();
    unpacked_utf8(Box::new(Cursor::new(bytes.to_vec())))?.read_to_end(&mut unpacked)?;
    Ok(FileBytes::Kept(unpacked.into()))
}
