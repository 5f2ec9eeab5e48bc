//! `emilia match`: games between engines, and what they say.

use super::output::{complain, json, warn, write_file};
use super::picture::PictureFile;
use super::progress::StepBar;
use super::{INTERRUPTED, log_output};
use crate::arena::log::REPORTS;
use crate::arena::player::{self, PlayerText};
use crate::arena::record::End;
use crate::arena::report::{self, MatchReport};
use crate::arena::settings::{MatchText, Settings};
use crate::arena::sprt::Verdict;
use crate::arena::standings::Failure;
use crate::arena::tournament::{Conclusion, Tournament};
use clap::{Args, Subcommand};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the command line says; the variant of the command has the help.
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
    #[command(flatten)]
    settings: MatchText,
    /// Go on with the match in that folder, if there is one
    // Behind --out.
    #[arg(long, display_order = 17)]
    resume: bool,
    /// Draw the scores over time into this file, .svg or .png
    // Behind --resume.
    #[arg(long, value_name = "FILE", display_order = 17)]
    chart: Option<PictureFile>,
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
            ..self.settings.clone()
        };
        Ok(file.overridden_by(said))
    }
}

/// Plays a match and reports.
pub(super) fn run(arguments: &MatchArguments) -> Result<(), String> {
    if let Some(MatchCommand::Check(arguments)) = &arguments.command {
        return super::match_check::run(arguments);
    }
    log_output::to(arguments.log_file.as_deref())?;
    let settings = Settings::new(arguments.text()?).map_err(|error| error.to_string())?;
    if arguments.resume && settings.out.is_none() {
        super::refuse("--resume needs --out, the folder of the match");
    }
    if let Some(chart) = &arguments.chart {
        chart.expect_folder()?;
    }
    let (interrupt, is_playing) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    watch_interrupts(&interrupt, &is_playing)?;
    let mut tournament = Tournament::prepare(settings, arguments.resume).map_err(|error| error.to_string())?;
    let progress = StepBar::new("games", tournament.schedule().games(), tournament.resumed());
    let mut failures = BTreeMap::new();
    is_playing.store(true, Ordering::Relaxed);
    let conclusion = tournament.run(&interrupt, &mut |tournament| {
        if let Some(failure) = &tournament.standings().last_failure {
            progress.aside(|| warn_of(failure, &mut failures));
        }
        let ratio = tournament.sprt().map(|(_, ratio, _)| ratio);
        progress.show(tournament.standings().games, || report::progress(tournament.standings(), ratio));
    });
    progress.finish();
    let report = MatchReport::new(&tournament);
    let out = tournament.settings().out.as_deref();
    let written = out.map_or(Ok(()), |folder| write_reports(folder, &report));
    let text = if arguments.json { json(&report) } else { Ok(report::summary(&report)) };
    let printed = text.and_then(|text| super::print(&text));
    let chart = match (&arguments.chart, report::score_plot(&report)) {
        (Some(file), Some(plot)) => file.write(plot.svg()),
        (Some(_), None) => {
            warn("there is no chart before two pairs of games are finished");
            Ok(())
        }
        (None, _) => Ok(()),
    };
    let ended = conclusion.map_err(|error| error.to_string());
    let ended = ended.and_then(|conclusion| end(conclusion, &report, out.is_some()));
    // Every problem is told, not only the first one.
    let mut problems: Vec<String> = [ended, written, printed, chart].into_iter().filter_map(Result::err).collect();
    let last = problems.pop();
    problems.into_iter().for_each(complain);
    last.map_or(Ok(()), Err)
}

/// Says how a match came to its end; an error if it was interrupted.
fn end(conclusion: Conclusion, report: &MatchReport, is_kept: bool) -> Result<(), String> {
    match conclusion {
        Conclusion::Interrupted => {
            let how_to_go_on = if is_kept { "; --resume goes on" } else { "" };
            Err(format!("interrupted after {} of {} games{how_to_go_on}", report.games, report.scheduled))
        }
        Conclusion::Complete => {
            if report.sprt.is_some_and(|sprt| sprt.verdict == Verdict::Undecided) {
                let way = if is_kept { "--resume with more --pairs goes on" } else { "more --pairs may decide it" };
                warn(format_args!("the test is undecided after all {} games; {way}", report.games));
            }
            Ok(())
        }
        Conclusion::Decided(_) => Ok(()),
    }
}

/// Warns of a player's first failure of each kind in this run, and of the tenth, the hundredth and so on. All of them are counted here.
fn warn_of(failure: &Failure, counts: &mut BTreeMap<(String, End), u64>) {
    let Failure { game, player, end, detail } = failure;
    let count = counts.entry((player.clone(), *end)).or_default();
    *count += 1;
    if *count == 1 {
        warn(format_args!("game {game}: {player}: {end}: {detail}"));
    } else if *count == 10u64.pow(count.ilog10()) {
        warn(format_args!("game {game}: {player}: {end}: {detail} (failure {count} of this kind)"));
    }
}

/// An interruption sets the flag while games are played; before that, and when it is the second one, it ends the program, of whose players
/// none is left behind.
fn watch_interrupts(interrupt: &Arc<AtomicBool>, is_playing: &Arc<AtomicBool>) -> Result<(), String> {
    let (interrupt, is_playing) = (Arc::clone(interrupt), Arc::clone(is_playing));
    super::set_interrupt_handler(move || {
        if interrupt.swap(true, Ordering::Relaxed) || !is_playing.load(Ordering::Relaxed) {
            player::kill_all();
            exit(INTERRUPTED);
        }
    })
}

fn write_reports(folder: &Path, report: &MatchReport) -> Result<(), String> {
    let texts = [report::summary(report), json(report)?, report::page(report)];
    for (name, text) in REPORTS.iter().zip(texts) {
        write_file(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}
