//! Games in a file, and what their moves were worth.

use super::analyze_output::Results;
use super::analyze_pages::Pages;
use super::analyze_position;
use super::game_choice::GameChoice;
use super::game_input::warn_of_game;
use super::output::{Failures, Reader, counted, warn};
use super::progress::StepBar;
use crate::analysis::journal::Done;
use crate::analysis::review_text::ReviewedGame;
use crate::analysis::wanted_games::{GameInput, InputEnd};
use crate::analysis::{AnalysisSettings, ByPlayer, Reviewer, answer, in_order};
use crate::engine::EngineOptions;
use crate::notation::game_file::{Datum, FileGame, GameFile, GameFileError};
use crate::render::Palette;
use crate::shard::Shard;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

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
    /// The colours of boards in tables.
    pub palette: Palette,
    /// Whether only their players are summed up.
    pub by_player: bool,
    /// Which of the games count.
    pub shard: Shard,
    /// Which of these are asked for.
    pub choice: GameChoice,
    /// The file that they are from, if it is one.
    pub path: Option<PathBuf>,
    /// Games that an earlier run has judged.
    pub done: Done,
}

/// A game that cannot be read, as `--json` writes it.
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

/// Judges one game after another.
pub(super) fn run(job: &GameJob, input: GameInput, output: Results, pages: Option<Pages>) -> Result<(), String> {
    let file = input.name().to_owned();
    let progress = Arc::new(StepBar::new("games", None, job.done.len() as u64));
    progress.end_on_interrupt(output.how_to_go_on())?;
    job.count_games(&progress);
    let (games, end) = input.wanted(job.shard, job.done.clone());
    let choice = job.choice.clone();
    let mut games = games.filter(move |item| choice.takes(item));
    // Where there are no more games than these, each gets more threads.
    let first: Vec<_> = games.by_ref().take(job.workers() as usize).collect();
    if let Err(problem) = job.choice.check((job.done.len() + first.len()) as u64) {
        output.discard();
        return Err(format!("{file}: {problem}"));
    }
    let reviewers = job.reviewers(first.len());
    let reproducible = job.reproducible;
    let judge = |mut reviewer: Reviewer| {
        let file = file.clone();
        move |item: Result<FileGame, GameFileError>| {
            if reproducible {
                reviewer.clear();
            }
            item.map(|found| {
                let review = reviewer.review_game(&found.game, &mut |_| true);
                ReviewedGame { review, file: file.clone(), found }
            })
        }
    };
    let workers = reviewers.into_iter().map(judge).collect();
    let mut results = GameResults::new(job, output, pages)?;
    let (started, mut searched, mut problem) = (Instant::now(), 0, None);
    in_order(first.into_iter().chain(games), workers, |result| {
        searched += result.as_ref().map_or(0, |game: &ReviewedGame| game.review.turns.len());
        problem = progress.aside(|| results.take(result)).err();
        progress.add(1, || format!("{:.1} positions/s", searched as f64 / started.elapsed().as_secs_f64().max(1e-3)));
        problem.is_none() && results.are_wanted()
    });
    progress.finish();
    match problem {
        Some(problem) => Err(problem),
        None => results.finish(end, &file),
    }
}

/// Where the judged games go.
struct GameResults<'a> {
    job: &'a GameJob,
    output: Results,
    reader: Reader,
    pages: Option<Pages>,
    players: ByPlayer,
    /// Games that the output does not have.
    failures: Failures,
    /// For each datum of a game that the output cannot hold, how many games have it.
    losses: BTreeMap<Datum, u64>,
}

impl GameResults<'_> {
    fn new(job: &GameJob, mut output: Results, pages: Option<Pages>) -> Result<GameResults<'_>, String> {
        let reader = match job.style {
            Style::Csv => output.write(ReviewedGame::CSV_HEADER)?,
            _ => Reader::Reads,
        };
        let players = ByPlayer::new(pages.as_ref().map(Pages::folder));
        Ok(GameResults { job, output, reader, pages, players, failures: Failures::default(), losses: BTreeMap::new() })
    }

    fn take(&mut self, result: Result<ReviewedGame, GameFileError>) -> Result<(), String> {
        if let Ok(game) = &result {
            warn_of_game(format_args!("{}: game {}", game.file, game.found.place.number), &game.found);
            if let Some(pages) = &mut self.pages {
                pages.add(game)?;
            }
            if self.job.by_player || self.pages.is_some() {
                self.players.add(game);
            }
            if self.job.by_player {
                return Ok(());
            }
        }
        if let Some(text) = self.text(result)
            && self.reader == Reader::Reads
        {
            self.reader = self.output.write(&text)?;
        }
        Ok(())
    }

    /// Whether anybody wants more. The pages are there for others than the reader of the output.
    fn are_wanted(&self) -> bool {
        self.reader == Reader::Reads || self.pages.is_some()
    }

    /// Every game is written. Of an input that cannot be read to its end, an output that can be gone on with stays; of any other file
    /// nothing remains.
    fn finish(mut self, end: InputEnd, file: &str) -> Result<(), String> {
        if let Some(pages) = &mut self.pages {
            // A folder of pages may be published: it is nobody's business where the file was.
            let name = Path::new(file).file_name().unwrap_or(OsStr::new(file));
            pages.finish(&self.players, &name.to_string_lossy())?;
        } else if self.reader == Reader::IsGone {
            // The rest of the input is not waited for.
            return Ok(());
        }
        let (count, checksum) = end.read()?;
        if let Some(pages) = &self.pages {
            pages.remove_others()?;
        }
        if self.reader == Reader::IsGone {
            return Ok(());
        }
        if self.job.by_player {
            if self.players.summaries().next().is_none() && self.failures.is_empty() {
                return Err(format!("{file}: there is no game with moves in it, so no player"));
            }
            let is_json = self.job.style == Style::Json;
            self.output.write(&if is_json { self.players.json() } else { self.players.table() })?;
        }
        self.output.finish(count, checksum, None)?;
        for (datum, count) in self.losses {
            warn(format_args!("ggf cannot hold {datum}: {}", counted(count, "game")));
        }
        self.failures.end("read")
    }

    /// What is written for a game; `None` if the standard error says what is wrong with it.
    fn text(&mut self, result: Result<ReviewedGame, GameFileError>) -> Option<String> {
        let game = match (result, self.job.style) {
            (Ok(game), _) => game,
            (Err(error), Style::Json) if !self.job.by_player => return Some(json_error(&error)),
            (Err(error), _) => {
                self.failures.unread(&error);
                return None;
            }
        };
        Some(match self.job.style {
            Style::Json => game.json(!self.job.reproducible),
            Style::Csv => game.csv(),
            Style::Obf => game.obf(),
            Style::Table if game.found.game.is_position() => {
                let lines = game.review.turns.first().map_or(&[][..], |turn| &turn.lines);
                let table = analyze_position::table(&game.found.game.record, lines, self.job.palette);
                format!("{}\n{table}\n", game.heading())
            }
            Style::Table => game.table(),
            Style::Ggf => {
                let written = game.ggf();
                let data: BTreeSet<Datum> = written.losses.into_iter().map(|loss| loss.datum).collect();
                for datum in data {
                    *self.losses.entry(datum).or_default() += 1;
                }
                written.text
            }
        })
    }
}

impl GameJob {
    /// Has the games counted, by a thread of its own, where somebody looks on.
    fn count_games(&self, progress: &Arc<StepBar>) {
        let Some(path) = self.path.clone().filter(|path| progress.is_shown() && path.is_file()) else { return };
        let (progress, shard, choice) = (Arc::clone(progress), self.shard, self.choice.clone());
        std::thread::spawn(move || {
            if let Ok(games) = GameFile::open(&path) {
                let chosen = games.filter(|item| choice.takes(item)).zip(0..);
                progress.set_steps(chosen.filter(|(_, index)| shard.holds(*index)).count() as u64);
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

fn json_error(error: &GameFileError) -> String {
    let GameFileError { file, number, .. } = error;
    let (line, turn) = (error.line(), error.turn());
    answer::line(&JsonError { number: *number, file, line, turn, error: error.to_string() })
}
