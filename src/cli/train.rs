//! `emilia train`: from games against herself to the weights of the evaluation, one step per command.

mod bill;
mod selfplay;

use super::progress::Progress;
use crate::training::{ChunkMaker, Production};
use clap::{Args, Subcommand};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The steps of training. docs/training.md shows how they follow one another.
#[derive(Args, Clone, Debug)]
pub(super) struct TrainArguments {
    #[command(subcommand)]
    command: TrainCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum TrainCommand {
    /// Play games against herself and keep every position with its result
    #[command(name = "selfplay")]
    SelfPlay(selfplay::SelfPlayArguments),
    /// Learn the coefficients of the evaluations `bill` and `bill-gaussian`
    Bill(bill::BillArguments),
}

/// Runs one step.
pub(super) fn run(arguments: &TrainArguments) -> Result<(), String> {
    super::log_output::to_stderr();
    match &arguments.command {
        TrainCommand::SelfPlay(arguments) => selfplay::run(arguments),
        TrainCommand::Bill(arguments) => bill::run(arguments),
    }
}

/// The number of threads asked for, or one per core.
fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Makes files of samples until all are there or the user has had enough.
fn produce<M: ChunkMaker>(production: &Production, maker: impl Fn() -> M + Sync) -> Result<(), String> {
    let interrupt = super::on_interrupt()?;
    let started = Instant::now();
    let bar = OnceLock::new();
    let done = production.run(maker, &interrupt, &|now| {
        let rate = |count: u64| count as f64 / started.elapsed().as_secs_f64();
        let bar = bar.get_or_init(|| Progress::new("games", now.of, now.found));
        bar.show(now.games, || {
            format!("{:.1} games/s, {:.0} positions/s", rate(now.games - now.found), rate(now.samples))
        });
    });
    if let Some(bar) = bar.get() {
        bar.finish();
    }
    let done = done.map_err(|error| error.to_string())?;
    let (played, seconds) = (done.games - done.found, started.elapsed().as_secs_f64());
    eprintln!(
        "{played} games, {} positions in {seconds:.1} s ({:.1} games/s, {:.0} positions/s); {} games were there",
        done.samples,
        played as f64 / seconds,
        done.samples as f64 / seconds,
        done.found
    );
    if interrupt.load(Ordering::Relaxed) {
        return Err("interrupted; the same command goes on".to_owned());
    }
    Ok(())
}
