//! Where the log goes.

use super::output::cannot_write;
use crate::whole_file::expect_folder;
use env_logger::{Builder, Target};
use log::{Level, LevelFilter};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

/// Logs to the end of this file, or to the standard error.
pub(super) fn to(file: Option<&Path>) -> Result<(), String> {
    match file {
        Some(path) => to_file(path),
        None => {
            to_stderr();
            Ok(())
        }
    }
}

/// Logs to the end of a file, with everything that is said in both directions.
pub(super) fn to_file(path: &Path) -> Result<(), String> {
    let opened = expect_folder(path).and_then(|()| File::options().create(true).append(true).open(path));
    let file = opened.map_err(|error| {
        format!("--log-file: {}; name a file that can be written, or leave the option out", cannot_write(path, error))
    })?;
    start(Target::Pipe(Box::new(file)), LevelFilter::Debug);
    Ok(())
}

/// Logs what a person should know to the standard error.
pub(super) fn to_stderr() {
    start(Target::Stderr, LevelFilter::Warn);
}

/// Has panics written to the log instead of the standard error. Where there is no log, nothing is written.
pub(super) fn log_panics() {
    std::panic::set_hook(Box::new(|info| log::error!("{info}")));
}

fn start(target: Target, level: LevelFilter) {
    let mut builder = Builder::new();
    let is_for_person = matches!(target, Target::Stderr);
    // A program may run several copies that write into one file.
    let process = std::process::id();
    builder.target(target).filter_level(level).format(move |buffer, record| {
        match record.level() {
            Level::Error if is_for_person => return writeln!(buffer, "emilia: {}", record.args()),
            Level::Warn if is_for_person => return writeln!(buffer, "emilia: warning: {}", record.args()),
            _ => {}
        }
        let time = humantime::format_rfc3339_micros(SystemTime::now());
        writeln!(buffer, "{time} {process} {:<5} {}: {}", record.level(), record.target(), record.args())
    });
    // env_logger would print a complaint about a bad RUST_LOG on stderr, where NBoard would read it.
    let wanted = std::env::var("RUST_LOG").ok();
    let readable = wanted.filter(|wanted| env_filter::Builder::new().try_parse(wanted).is_ok());
    if let Some(wanted) = readable {
        builder.parse_filters(&wanted);
    }
    builder.init();
}
