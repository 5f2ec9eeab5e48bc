//! `emilia match`: games between engines, and what they say.

use super::log_output;
use super::output::write_file;
use super::progress::StatusLine;
use crate::arena::player::PlayerText;
use crate::arena::report::{self, Report};
use crate::arena::schedule::Format;
use crate::arena::settings::{MatchText, Settings};
use crate::arena::sprt::Sprt;
use crate::arena::time_control::TimeControl;
use crate::arena::tournament::{Conclusion, Tournament};
use crate::search::Depth;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};

/// A match between engines.
///
/// Every opening is played twice, the colours exchanged. A player is a program that speaks GTP or NBoard
/// (`name=A cmd='engine --flag'`), or Emilia in this process (`name=B engine=alpha-beta eval=mobility option.hash=16`).
/// Further keys: protocol=gtp|nboard, dir, init='LINE' (a protocol line to be sent first; may be repeated), clock, depth,
/// nodes (limits of its own), tell-limits=false, passes=implicit|explicit.
#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct MatchArguments {
    #[command(subcommand)]
    command: Option<MatchCommand>,
    /// A player: KEY=VALUE words, quoted as in a shell; give it twice or more
    #[arg(long, value_name = "WORDS")]
    player: Vec<String>,
    /// Read players and settings from a TOML file: the names of these options as keys, players as `[[player]]`
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// round-robin, or gauntlet: the first player against each other one
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// four-ply (all 244), classes (60 of them, one of each symmetry class), random:N plies, or a file of transcripts,
    /// boards, OBF lines or GGF games [default: random:8]
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// Cut openings from files after so many plies
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// Play openings in the order of their source instead of one that the seed decides
    #[arg(long)]
    in_order: bool,
    /// Seed of random openings and of their order [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Pairs of games for each pairing [default: one for each opening; 100 with random openings]
    #[arg(long, value_name = "N", conflicts_with = "games")]
    pairs: Option<u64>,
    /// The same counted in games; an even number
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Time in seconds: 60 a game, 60+0.5 with an increment, or move:0.2 for each move
    #[arg(long, value_name = "CLOCK")]
    clock: Option<TimeControl>,
    /// Fixed depth in plies
    #[arg(long, value_name = "PLIES")]
    depth: Option<Depth>,
    /// Fixed number of positions visited for a move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Seconds that a move may take beyond the clock [default: 0.1]
    #[arg(long, value_name = "SECONDS")]
    grace: Option<f64>,
    /// Games played at a time [default: 1]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Let the solver decide games from so many empty squares on, 1 to 20 [default: never]
    #[arg(long, value_name = "EMPTIES")]
    adjudicate: Option<u32>,
    /// Stop as soon as a sequential test has decided: `ELO0,ELO1[,ALPHA,BETA]`, rates 0.05 if left out
    #[arg(long, value_name = "TEST", value_parser = parse_sprt)]
    sprt: Option<Sprt>,
    /// Play only the pairs of games whose number, from 0, leaves the rest I when divided by N; `emilia merge --out FOLDER`
    /// puts the folders of the parts together, and --resume reports on the whole
    #[arg(long, value_name = "I/N", requires = "out", conflicts_with = "sprt")]
    shard: Option<String>,
    /// Write games.jsonl, games.ggf and report.txt, .json and .html to this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Go on with the match in that folder, if there is one
    #[arg(long)]
    resume: bool,
    /// Leave times out of the log, so that matches between deterministic players give the same log byte by byte
    #[arg(long)]
    reproducible: bool,
    /// Seconds for a program to get ready [default: 30]
    #[arg(long, value_name = "SECONDS")]
    start_timeout: Option<f64>,
    /// Seconds for an answer that needs no thought [default: 10]
    #[arg(long, value_name = "SECONDS")]
    reply_timeout: Option<f64>,
    /// Seconds for a move without a clock [default: 600]
    #[arg(long, value_name = "SECONDS")]
    move_timeout: Option<f64>,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write a log with both sides of every conversation to this file; RUST_LOG says how much
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

#[derive(Subcommand, Clone, Debug)]
enum MatchCommand {
    /// Check whether an engine keeps to its protocol; the exit code is 1 if it does not
    Check(super::match_check::CheckArguments),
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    let sprt = match (numbers.as_slice(), text.split(',').count()) {
        (&[elo0, elo1], 2) => Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 },
        (&[elo0, elo1, alpha, beta], 4) => Sprt { elo0, elo1, alpha, beta },
        _ => return Err("expected ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,10".to_owned()),
    };
    sprt.validate().map_err(|error| error.to_string())?;
    Ok(sprt)
}

impl MatchArguments {
    /// The file, if there is one, with what the command line says on top.
    fn text(&self) -> Result<MatchText, String> {
        let file = match &self.config {
            Some(path) => MatchText::read(path).map_err(|error| error.to_string())?,
            None => MatchText::default(),
        };
        let players = self.player.iter().map(|text| PlayerText::parse(text));
        let said = MatchText {
            player: players.collect::<Result<_, _>>().map_err(|error| error.to_string())?,
            format: self.format,
            openings: self.openings.clone(),
            opening_plies: self.opening_plies,
            in_order: self.in_order.then_some(true),
            seed: self.seed,
            pairs: self.pairs,
            games: self.games,
            clock: self.clock,
            depth: self.depth,
            nodes: self.nodes,
            grace: self.grace,
            concurrency: self.concurrency,
            adjudicate: self.adjudicate,
            sprt: self.sprt,
            shard: self.shard.clone(),
            out: self.out.clone(),
            reproducible: self.reproducible.then_some(true),
            start_timeout: self.start_timeout,
            reply_timeout: self.reply_timeout,
            move_timeout: self.move_timeout,
        };
        Ok(file.overridden_by(said))
    }
}

/// Plays a match and reports.
pub(super) fn run(arguments: &MatchArguments) -> Result<(), String> {
    if let Some(MatchCommand::Check(arguments)) = &arguments.command {
        return super::match_check::run(arguments);
    }
    match &arguments.log_file {
        Some(path) => log_output::to_file(path)?,
        None => log_output::to_stderr(),
    }
    let settings = Settings::new(arguments.text()?).map_err(|error| error.to_string())?;
    let mut tournament = Tournament::prepare(settings, arguments.resume).map_err(|error| error.to_string())?;
    let template = "{pos}/{len} games  {msg}  {elapsed} gone, {eta} to go";
    let progress = StatusLine::new(template, Some(tournament.schedule().games()), tournament.resumed());
    let interrupt = super::on_interrupt()?;
    let conclusion = tournament.run(&interrupt, &mut |tournament| {
        let ratio = tournament.sprt().map(|(_, ratio, _)| ratio);
        progress.show(tournament.standings().games, || report::progress(tournament.standings(), ratio));
    });
    progress.finish();
    let report = Report::new(&tournament);
    if let Some(folder) = &tournament.settings().out {
        write_reports(folder, &report)?;
    }
    super::print(&if arguments.json { json(&report)? } else { report::summary(&report) })?;
    match conclusion.map_err(|error| error.to_string())? {
        Conclusion::Interrupted => Err(format!(
            "interrupted after {} of {} games{}",
            report.games,
            report.scheduled,
            if tournament.settings().out.is_some() { "; --resume goes on" } else { "" }
        )),
        Conclusion::Complete | Conclusion::Decided(_) => Ok(()),
    }
}

fn json(report: &Report) -> Result<String, String> {
    serde_json::to_string_pretty(report).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn write_reports(folder: &Path, report: &Report) -> Result<(), String> {
    let files = [
        ("report.txt", report::summary(report)),
        ("report.json", json(report)?),
        ("report.html", report::page(report)),
    ];
    for (name, text) in files {
        write_file(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}
