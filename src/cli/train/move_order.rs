//! `emilia train move-order`.

use super::{SettingsArguments, pool, print_beside};
use crate::cli::output::{Output, expect_another, say};
use crate::cli::progress::StepBar;
use crate::training::{Chunk, OrderCost, collect_nodes, learn_move_order};
use clap::Args;
use std::path::PathBuf;

/// Beside which games nodes are looked for, and where the weights go.
#[derive(Args, Clone, Debug)]
pub(super) struct MoveOrderArguments {
    /// Folder with the games' samples, as `selfplay` made it
    #[arg(long, value_name = "FOLDER")]
    games: PathBuf,
    /// The file, which becomes part of the program as assets/move-order.weights
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(flatten)]
    settings: SettingsArguments,
}

/// Finds nodes, learns the weights, writes them, and prints what they cost on games held out.
pub(super) fn run(arguments: &MoveOrderArguments) -> Result<(), String> {
    let settings = arguments.settings.config("move-order", &["move-order."])?.move_order;
    let games = Chunk::files(&arguments.games).map_err(|error| error.to_string())?;
    expect_another(Some(&arguments.out), games.iter().map(PathBuf::as_path))?;
    // What took minutes is not to fail at its end for want of a folder.
    let mut output = Output::open(Some(&arguments.out))?;
    pool(arguments.threads)?.install(|| {
        let bar = StepBar::new("files", None, 0);
        let collected = collect_nodes(&settings, &arguments.games, &|done, of| {
            bar.set_steps(of as u64);
            bar.show(done as u64, String::new);
        });
        bar.finish();
        let nodes = collected.map_err(|error| error.to_string())?;
        let bar = StepBar::new("steps", u64::from(settings.steps), 0);
        let learned = learn_move_order(&settings, &nodes, &|step| bar.show(step.into(), String::new));
        bar.finish();
        let learned = learned.ok_or("there is nothing to learn from: no nodes beside games that are not held out")?;
        output.write(&learned.bytes)?;
        output.finish()?;
        say(format_args!("{} nodes to learn from, {} bytes", learned.nodes, learned.bytes.len()));
        print_beside(Some(&arguments.out), &table(&learned.costs))
    })
}

fn table(costs: &[OrderCost]) -> String {
    let header = "empties  nodes held out  fewest replies first  learned  (cost of the first move, that of the cheapest being 1)\n";
    let rows = costs.iter().map(|OrderCost { empties, nodes, fewest_replies, learned }| {
        format!("{empties:>7}{nodes:>16}{fewest_replies:>22.3}{learned:>9.3}\n")
    });
    header.to_owned() + &rows.collect::<String>()
}
