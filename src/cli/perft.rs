//! `emilia perft`: the check of the rules.

use super::output::say;
use crate::othello::{PassRule, Position, perft};
use clap::Args;
use std::time::Instant;

/// What to count.
#[derive(Args, Clone, Debug)]
pub(super) struct PerftArguments {
    /// Plies from the standard start
    #[arg(value_parser = clap::value_parser!(u32).range(0..=60))]
    depth: u32,
    /// Let a forced pass use up no ply
    #[arg(long)]
    pass_free: bool,
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
}

/// Prints the count; time and speed go to the standard error, so that the output depends on the rules alone.
pub(super) fn run(options: &PerftArguments) -> Result<(), String> {
    let rule = if options.pass_free { PassRule::Free } else { PassRule::Ply };
    let started = Instant::now();
    let nodes = perft(&Position::START, options.depth, rule);
    let seconds = started.elapsed().as_secs_f64();
    let output = if options.json {
        serde_json::json!({ "depth": options.depth, "pass_free": options.pass_free, "nodes": nodes }).to_string()
    } else {
        nodes.to_string()
    };
    super::print(&(output + "\n"))?;
    say(format_args!("{seconds:.3} s, {:.1} million leaves a second", nodes as f64 / seconds.max(1e-9) / 1e6));
    Ok(())
}
