//! Games in a file, and what their moves were worth.

use super::analyze_output::Results;
use super::analyze_pages::Pages;
use super::game_input::warn_of_cut;
use super::output::{Failures, Reader, complain, games};
use super::progress::InputProgress;
use crate::analysis::journal::Done;
use crate::analysis::review_text::ReviewedGame;
use crate::analysis::wanted_games::GameInput;
use crate::analysis::{AnalysisSettings, ByPlayer, Reviewer, answer, in_order};
use crate::engine::EngineOptions;
use crate::notation::game_file::{FileGame, GameFile, GameFileError, Part};
use crate::shard::Shard;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// How judged games are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Json,
    Csv,
    Obf,
    Ggf,
    Table,
}

/// Which games are judged, and how.
pub(super) struct GameJob {
    /// What positions are thought about with.
    pub settings: AnalysisSettings,
    /// Threads in all.
    pub threads: u32,
    /// Whether each game is judged as if it were the only one.
    pub reproducible: bool,
    /// How they are written.
    pub style: Style,
    /// Whether only their players are summed up.
    pub by_player: bool,
    /// Which of the games count.
    pub shard: Shard,
    /// The file that they are from, if it is one.
    pub path: Option<PathBuf>,
    /// Games that an earlier run has judged.
    pub done: Done,
}

/// A game that cannot be read, as `--json` tells it.
#[derive(Serialize)]
struct JsonError<'a> {
    number: usize,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    error: String,
}

/// What was wrong with the games, as far as the output does not tell it.
#[derive(Default)]
struct Complaints {
    failures: Failures,
    /// For each part of a game that the output cannot hold, how many games have it.
    losses: BTreeMap<Part, u64>,
}

/// Judges one game after another.
pub(super) fn run(
    job: &GameJob,
    input: GameInput,
    mut output: Results,
    mut pages: Option<Pages>,
) -> Result<(), String> {
    let file = input.name().to_owned();
    let progress = Arc::new(InputProgress::new("games", job.done.len() as u64));
    progress.end_on_interrupt(output.how_to_go_on())?;
    job.count_games(&progress);
    let (mut games, end) = input.wanted(job.shard, job.done.clone());
    // Where there are no more games than these, each gets more threads.
    let first: Vec<_> = games.by_ref().take(job.workers() as usize).collect();
    let reviewers = job.reviewers(first.len());
    let reproducible = job.reproducible;
    let judge = |mut reviewer: Reviewer| {
        let file = file.clone();
        move |item: Result<FileGame, GameFileError>| {
            if reproducible {
                reviewer.clear();
            }
            item.map(|found| ReviewedGame { review: reviewer.review(&found.game.record), file: file.clone(), found })
        }
    };
    let mut reader = match job.style {
        Style::Csv => output.write(ReviewedGame::CSV_HEADER)?,
        _ => Reader::Reads,
    };
    let mut complaints = Complaints::default();
    let mut players = ByPlayer::new(pages.as_ref().map(Pages::folder));
    let mut problem = None;
    let workers = reviewers.into_iter().map(judge).collect();
    in_order(first.into_iter().chain(games), workers, |result| {
        let positions = result.as_ref().map_or(0, |game: &ReviewedGame| game.review.turns.len() as u64);
        progress.aside(|| {
            if let Ok(game) = &result {
                warn_of_cut(&game.file, &game.found);
            }
            if let (Some(pages), Ok(game)) = (&mut pages, &result)
                && let Err(error) = pages.add(game)
            {
                problem = Some(error);
            }
            if let (true, Ok(game)) = (job.by_player || pages.is_some(), &result) {
                players.add(game);
            }
            if job.by_player && result.is_ok() {
                return;
            }
            if let Some(text) = job.text(result, &mut complaints)
                && reader == Reader::Reads
            {
                match output.write(&text) {
                    Ok(now) => reader = now,
                    Err(error) => problem = Some(error),
                }
            }
        });
        progress.add(1, positions);
        // The pages are there for others.
        (reader == Reader::Reads || pages.is_some()) && problem.is_none()
    });
    progress.finish();
    if let (None, Some(pages)) = (&problem, pages) {
        pages.finish(&players, &file)?;
    }
    let read = match problem {
        Some(problem) => Err(problem),
        // The rest of the input is not waited for.
        None if reader == Reader::IsGone => return Ok(()),
        None => end.read(),
    };
    match read {
        Ok(_) if job.by_player => {
            output.write(&if job.style == Style::Json { players.json() } else { players.table() })?;
            output.finish(0, 0, None)?;
        }
        Ok((games, checksum)) => drop(output.finish(games, checksum, None)?),
        // What can be gone on with stays; of any other file nothing remains.
        Err(problem) => return Err(problem),
    }
    complaints.tell()
}

impl GameJob {
    /// What is written for a game; `None` if it is told elsewhere.
    fn text(&self, result: Result<ReviewedGame, GameFileError>, complaints: &mut Complaints) -> Option<String> {
        let game = match (result, self.style) {
            (Ok(game), _) => game,
            (Err(error), Style::Json) if !self.by_player => return Some(json_error(&error)),
            (Err(error), _) => {
                complaints.failures.unread(&error);
                return None;
            }
        };
        Some(match self.style {
            Style::Json => game.json(!self.reproducible),
            Style::Csv => game.csv(),
            Style::Obf => game.obf(),
            Style::Table => game.table(),
            Style::Ggf => match game.ggf() {
                Ok(written) => {
                    let mut parts: Vec<Part> = written.losses.into_iter().map(|loss| loss.part).collect();
                    parts.sort_unstable();
                    parts.dedup();
                    for part in parts {
                        *complaints.losses.entry(part).or_default() += 1;
                    }
                    written.text
                }
                Err(error) => {
                    let number = game.found.place.number;
                    complaints.failures.game(format_args!("{}: game {number}: {error}", game.file));
                    return None;
                }
            },
        })
    }

    /// Has the games counted, by a thread of its own, where somebody looks on.
    fn count_games(&self, progress: &Arc<InputProgress>) {
        let Some(path) = self.path.clone().filter(|path| progress.is_shown() && path.is_file()) else { return };
        let (progress, shard) = (Arc::clone(progress), self.shard);
        std::thread::spawn(move || {
            if let Ok(games) = GameFile::open(&path) {
                progress.set_items((0..games.count() as u64).filter(|&index| shard.holds(index)).count() as u64);
            }
        });
    }

    /// How many games can be judged at a time.
    fn workers(&self) -> u32 {
        (self.threads / self.settings.options.threads).max(1)
    }

    /// As many as there are threads for; where there are fewer games, they get the threads that would be idle.
    fn reviewers(&self, games: usize) -> Vec<Reviewer> {
        let workers = self.workers();
        let busy = workers.min(u32::try_from(games.max(1)).unwrap_or(workers));
        // Several threads do not find the same every time.
        let each = if self.reproducible { self.settings.options.threads } else { self.threads / busy };
        let options = EngineOptions { threads: each, ..self.settings.options.clone() };
        (0..busy)
            .map(|_| Reviewer::new(AnalysisSettings { options: options.clone(), ..self.settings.clone() }))
            .collect()
    }
}

impl Complaints {
    fn tell(self) -> Result<(), String> {
        for (part, count) in self.losses {
            complain(format_args!("warning: ggf cannot hold {part}: {}", games(count)));
        }
        self.failures.end("read")
    }
}

fn json_error(error: &GameFileError) -> String {
    let GameFileError { file, number, .. } = error;
    let (line, turn) = (error.line(), error.turn());
    answer::line(&JsonError { number: *number, file, line, turn, error: error.to_string() })
}
