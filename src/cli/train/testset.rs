//! `emilia train testset`: the positions that evaluations are measured on.

use crate::cli::options::EngineArguments;
use crate::cli::output::{Failures, cannot_read, counted, say, write_file};
use crate::cli::progress::StepBar;
use crate::engine::{Decision, Event, Request, Thinking};
use crate::notation::game_file::GameFile;
use crate::othello::Empties;
use crate::search::SearchDepth;
use crate::training::TestSet;
use crate::whole_file::why;
use clap::{Args, Subcommand};
use crossbeam::channel::{RecvError, RecvTimeoutError};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two writings of a file that is being labelled.
const SAVE_EVERY: Duration = Duration::from_secs(10);

#[derive(Args, Clone, Debug)]
pub(super) struct TestSetArguments {
    #[command(subcommand)]
    command: TestSetCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum TestSetCommand {
    /// Draw positions from tournament games
    Draw(DrawArguments),
    /// Search the positions that have no score yet
    Label(Box<LabelArguments>),
}

#[derive(Args, Clone, Debug)]
struct DrawArguments {
    /// Files of games, such as those of the WTHOR base (.wtb)
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// The file to write; one that is there is not overwritten
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Positions for each number of empty squares
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    positions: u32,
    /// Which positions
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Without a depth or a time, positions are searched to the end of the game.
#[derive(Args, Clone, Debug)]
struct LabelArguments {
    /// The file with the positions; the scores are written into it
    #[arg(value_name = "FILE")]
    set: PathBuf,
    /// Only positions with these numbers of empty squares
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    empties: Option<Vec<Empties>>,
    /// Search positions again whose score is known by another search than this, such as 20@98%; exact and theoretical
    /// scores stay
    #[arg(long, value_name = "DEPTH")]
    unless: Option<SearchDepth>,
    #[command(flatten)]
    thinking: EngineArguments,
}

pub(super) fn run(arguments: &TestSetArguments) -> Result<(), String> {
    match &arguments.command {
        TestSetCommand::Draw(arguments) => draw(arguments),
        TestSetCommand::Label(arguments) => label(arguments),
    }
}

/// Reads a set.
pub(super) fn read(path: &Path) -> Result<TestSet, String> {
    let text = fs::read_to_string(path).map_err(|error| cannot_read(path, why(&error)))?;
    TestSet::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn draw(arguments: &DrawArguments) -> Result<(), String> {
    if arguments.out != Path::new("-") && arguments.out.exists() {
        return Err(format!("'{}' is there already, and a set is drawn once", arguments.out.display()));
    }
    let (mut games, mut failures) = (Vec::new(), Failures::default());
    for path in &arguments.games {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for item in GameFile::open(path).map_err(|error| error.to_string())? {
            match item {
                Ok(found) => games.push((format!("{name} {}", found.place.number), found.game)),
                Err(error) if error.is_final() => return Err(error.to_string()),
                Err(error) => failures.unread(&error),
            }
        }
    }
    let set = TestSet::draw(&games, arguments.positions as usize, arguments.seed).map_err(|error| error.to_string())?;
    write_file(&arguments.out, set.to_text().as_bytes())?;
    failures.end("read")
}

fn label(arguments: &LabelArguments) -> Result<(), String> {
    let mut set = read(&arguments.set)?;
    let mut engine = arguments.thinking.engine_of_questions(&[]).map_err(|error| error.to_string())?;
    let interrupt = crate::cli::on_interrupt()?;
    let unless = arguments.unless.map(|depth| depth.to_string());
    let wanted: Vec<usize> = (0..set.positions.len())
        .filter(|&i| {
            let entry = &set.positions[i];
            let empties = entry.position.empty_count();
            arguments.empties.as_ref().is_none_or(|wanted| wanted.contains(&empties))
                && entry.is_open_to(unless.as_deref())
        })
        .collect();
    let progress = StepBar::new("positions", wanted.len() as u64, 0);
    let mut saved = Instant::now();
    let (mut searched, mut problem) = (0, None);
    for &i in &wanted {
        // Nothing learned from one position helps with another, and a label should not depend on those before it.
        engine.clear();
        let Some(decision) = unless_interrupted(engine.start(Request::hint(set.positions[i].position, 1)), &interrupt)
        else {
            problem = Some("interrupted; the same command goes on");
            break;
        };
        let Some(line) = decision.report.lines.first() else {
            problem = Some("the search has said nothing");
            break;
        };
        set.positions[i].label(line.score, line.depth);
        searched += 1;
        progress.show(searched, || format!("{} empty", set.positions[i].position.empty_count()));
        if saved.elapsed() >= SAVE_EVERY {
            write_file(&arguments.set, set.to_text().as_bytes())?;
            saved = Instant::now();
        }
    }
    progress.finish();
    if searched > 0 {
        write_file(&arguments.set, set.to_text().as_bytes())?;
    }
    say(format_args!("{} searched", counted(searched, "position")));
    problem.map_or(Ok(()), |problem| Err(problem.to_owned()))
}

/// What a search comes to. One that is interrupted has said nothing yet that is as deep as was asked for.
fn unless_interrupted(thinking: Thinking, interrupt: &AtomicBool) -> Option<Decision> {
    while !interrupt.load(Ordering::Relaxed) {
        let event = match thinking.events().recv_timeout(Duration::from_millis(50)) {
            Err(RecvTimeoutError::Timeout) => continue,
            event => Event::from(event.map_err(|_| RecvError)),
        };
        if let Event::Finished(decision) = event {
            return Some(decision);
        }
    }
    None
}
