//! Games in a file, and what their moves were worth.

use super::analyze_output::{Output, Reader};
use crate::analysis::game_source::{SourceError, SourceGame, SourceItem, games};
use crate::analysis::journal::Done;
use crate::analysis::review_text::ReviewedGame;
use crate::analysis::{Reviewer, Thinking, answer, in_order};
use crate::engine::EngineOptions;
use crate::shard::Shard;
use serde::Serialize;
use std::io::{BufRead, Read};

/// How judged games are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    Json,
    Csv,
    Obf,
    Ggf,
    Table,
}

/// Where games come from.
pub(super) struct GameInput {
    /// The file, as the user calls it.
    pub name: String,
    /// Its bytes.
    pub input: Box<dyn BufRead + Send>,
    /// Which of the games count.
    pub shard: Shard,
    /// Games that an earlier run has judged.
    pub done: Done,
}

/// A game that cannot be read, as `--json` tells it.
#[derive(Serialize)]
struct JsonError<'a> {
    number: u64,
    file: &'a str,
    line: u64,
    error: &'a str,
}

/// Judges one game after another.
pub(super) fn run(
    thinking: &Thinking,
    threads: u32,
    reproducible: bool,
    style: Style,
    mut input: GameInput,
    mut output: Output,
) -> Result<(), String> {
    let mut bytes = Vec::new();
    input.input.read_to_end(&mut bytes).map_err(|error| format!("cannot read '{}': {error}", input.name))?;
    let checksum = crc32fast::hash(&bytes);
    let all = games(&input.name, bytes.clone()).count() as u64;
    let (shard, done) = (input.shard, input.done);
    let wanted = move |number: u64| shard.holds(number - 1) && !done.contains(&(number, None));
    let here = (1..=all).filter(|&number| wanted(number)).count();
    let items = (1..).zip(games(&input.name, bytes)).filter(move |(number, _)| wanted(*number));
    let reviewers = reviewers(thinking, threads, reproducible, here);
    let judge = |mut reviewer: Reviewer| {
        move |(number, item): (u64, SourceItem)| {
            if reproducible {
                reviewer.clear();
            }
            item.map(|game| judged(&mut reviewer, number, game)).map_err(|error| (number, error))
        }
    };
    if style == Style::Csv {
        output.write(ReviewedGame::CSV_HEADER)?;
    }
    let mut unreadable = 0_u64;
    let mut problem = None;
    let mut reader = Reader::Here;
    in_order(items, reviewers.into_iter().map(judge).collect(), |result| {
        let text = match (&result, style) {
            (Ok(game), Style::Json) => game.json(!reproducible),
            (Ok(game), Style::Csv) => game.csv(),
            (Ok(game), Style::Obf) => game.obf(),
            (Ok(game), Style::Ggf) => game.ggf(),
            (Ok(game), Style::Table) => game.table(),
            (Err((number, error)), Style::Json) => json_error(*number, error),
            (Err((number, error)), _) => {
                unreadable += 1;
                eprintln!("emilia: {}: {}", place(*number, error), error.problem);
                return true;
            }
        };
        match output.write(&text) {
            Ok(now) => reader = now,
            Err(error) => problem = Some(error),
        }
        reader == Reader::Here && problem.is_none()
    });
    match problem {
        Some(problem) => return Err(problem),
        None if reader == Reader::Gone => return Ok(()),
        None => output.finish(all, checksum, None)?,
    }
    match unreadable {
        0 => Ok(()),
        1 => Err("1 game could not be read".to_owned()),
        n => Err(format!("{n} games could not be read")),
    }
}

fn judged(reviewer: &mut Reviewer, number: u64, game: SourceGame) -> ReviewedGame {
    let review = reviewer.review(&game.record.game);
    ReviewedGame { number, game, review }
}

/// As many as there are threads for; where there are fewer games, they get the threads that would be idle.
fn reviewers(thinking: &Thinking, threads: u32, reproducible: bool, games: usize) -> Vec<Reviewer> {
    let workers = (threads / thinking.options.threads).max(1);
    let busy = workers.min(u32::try_from(games.max(1)).unwrap_or(workers));
    // Several threads do not find the same every time.
    let each = if reproducible { thinking.options.threads } else { threads / busy };
    let options = EngineOptions { threads: each, ..thinking.options.clone() };
    (0..busy).map(|_| Reviewer::new(Thinking { options: options.clone(), ..thinking.clone() })).collect()
}

fn place(number: u64, error: &SourceError) -> String {
    match error.origin.line {
        0 => format!("{}: game {number}", error.origin.file),
        line => format!("{}: line {line}", error.origin.file),
    }
}

fn json_error(number: u64, error: &SourceError) -> String {
    let SourceError { origin, problem } = error;
    answer::line(&JsonError { number, file: &origin.file, line: origin.line, error: problem })
}
