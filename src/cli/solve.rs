//! `emilia solve`: the results of positions under perfect play, and whether a file has them right.

use super::analyze_output::Results;
use super::game_input::{announce_reading, expect_no_games, is_standard_input, job_of_input, open_text, warn_of_game};
use super::log_output;
use super::options::EngineArguments;
use super::output::{Reader, cannot_read, complain, is_for_terminal, warn};
use super::picture::ending;
use super::progress::StatusLine;
use crate::analysis::answer::line as json;
use crate::analysis::journal::{Done, totals_of};
use crate::analysis::shard_file::{Job, engine_settings};
use crate::analysis::wanted_games::GameInput;
use crate::analysis::{Contradiction, Question, SOLVE, Solution, Solver, Totals, Value};
use crate::engine::EngineOptions;
use crate::eval::fingerprint;
use crate::notation::game_file::GamePlace;
use crate::notation::obf::ObfEntry;
use crate::notation::read_position;
use crate::othello::{Color, Empties, Move, Outcome, Position};
use crate::render::COLUMNS;
use crate::search::SearchDepth;
use crate::shard::Shard;
use clap::Args;
use serde::Serialize;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The file contradicts a solution.
const CONTRADICTION: u8 = 1;
/// Something could not be read or not be solved, and nothing is contradicted; or the work was interrupted.
const INCOMPLETE: u8 = 2;

/// The most empty squares with which a solution is to be waited for.
const FEASIBLE: Empties = Empties::new(35).unwrap();

/// Solve positions: those of a file, or one.
///
/// A file is in any format of `docs/formats.md`, compressed by gzip or zstd or not. Of a game its last position is solved. In OBF a line is
/// a board of 64 squares, the side to move, and, if they are known, moves with their scores: `BOARD X; G8:+18; H1:+12;`. Every
/// position is solved and printed as soon as its line is there. Scores are final disc differences for the side to move.
///
/// The exit code is 0 if all is well, 1 if a score of the file is contradicted, else 2 if a line could not be read or a
/// position could not be solved.
#[derive(Args, Clone, Debug)]
pub(super) struct SolveArguments {
    /// The file, or - for the standard input
    #[arg(required_unless_present = "position", conflicts_with = "position")]
    file: Option<PathBuf>,
    /// Solve this position: a board with the side to move, or the moves that lead to it
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<String>,
    /// Find only who wins
    #[arg(long, conflicts_with = "moves")]
    wld: bool,
    /// Find the score of every move
    #[arg(long)]
    moves: bool,
    /// Print one JSON object a line: a position each, then the totals
    #[arg(long)]
    json: bool,
    /// Write to this file, which is there only when it is complete; with .json or .jsonl at its end as with --json
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on with that file where an earlier run was interrupted
    #[arg(long, requires = "out")]
    resume: bool,
    /// Solve each position with an empty memory and write no times: with one thread the same results every time, whatever else
    /// is solved
    #[arg(long)]
    reproducible: bool,
    /// Solve only the positions whose number, from 0, leaves the rest I when divided by N; `emilia merge` puts the parts
    /// together
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    thinking: EngineArguments,
}

/// Solves what the file holds.
pub(super) fn run(arguments: &SolveArguments) -> ExitCode {
    log_output::to_stderr();
    let by_ending = arguments.out.as_deref().and_then(ending);
    let json = arguments.json || by_ending.is_some_and(|ending| ["json", "jsonl"].contains(&ending.as_str()));
    if !json && (arguments.resume || arguments.shard.is_some()) {
        super::refuse("--resume and --shard need --json, or .json or .jsonl at the end of --out");
    }
    match solve(&SolveArguments { json, ..arguments.clone() }) {
        Ok(totals) if totals.contradicted > 0 => ExitCode::from(CONTRADICTION),
        Ok(totals) if totals.unreadable > 0 || totals.solved < totals.positions => ExitCode::from(INCOMPLETE),
        Ok(_) => ExitCode::SUCCESS,
        Err(message) => {
            complain(message);
            ExitCode::from(INCOMPLETE)
        }
    }
}

fn solve(arguments: &SolveArguments) -> Result<Totals, String> {
    expect_no_games(arguments.out.as_deref(), arguments.file.as_deref())?;
    let input = arguments.input()?;
    let question = match (arguments.wld, arguments.moves) {
        (true, _) => Question::Outcome,
        (_, true) => Question::EveryMove,
        _ => Question::Score,
    };
    let engine = arguments.thinking.engine_of_questions(&[]).map_err(|error| error.to_string())?;
    let job = arguments.job(engine.options())?;
    let is_bounded = engine.options().is_bounded();
    let mut solver = Solver::new(engine, question);
    let mut totals = Totals::default();
    let Some((mut output, before)) = arguments.results(&job)? else {
        let Some(path) = &arguments.out else { return Ok(totals) };
        return totals_of(path).map_err(|error| cannot_read(path, error));
    };
    let progress = StatusLine::of_messages();
    let done = Arc::new(AtomicU64::new(0));
    let read = Arc::clone(&done);
    let how = output.how_to_go_on();
    super::end_on_interrupt(&progress, INCOMPLETE, move || format!("{} positions{how}", read.load(Ordering::Relaxed)))?;
    let file = input.name().to_owned();
    let (games, end) = input.wanted(arguments.shard.unwrap_or_default(), before);
    let mut without_value = WithoutValue::default();
    for item in games {
        let text = match item {
            Ok(found) => {
                let entry = ObfEntry::of_end(&found.game);
                progress.aside(|| warn_of_game(format_args!("{file}: game {}", found.place.number), &found));
                without_value.note(found.place, &found.game.unread);
                if arguments.reproducible {
                    solver.clear();
                }
                if !is_bounded {
                    progress.aside(|| warn_of_length(found.place, &entry.position));
                }
                let solution = solver.solve(&entry.position, &mut |nodes, depth| {
                    progress.show(found.place.number as u64, || in_work(found.place, &entry.position, nodes, depth));
                });
                let contradictions = solution.contradictions(&entry);
                totals.add(&entry, &solution, &contradictions);
                done.fetch_add(1, Ordering::Relaxed);
                if arguments.json {
                    json(&arguments.json_position(found.place, &entry, &solution, &contradictions))
                } else {
                    let header = if totals.positions == 1 { HEADER } else { "" };
                    let columns = is_for_terminal(arguments.out.as_deref()).then_some(COLUMNS);
                    let is_timed = !arguments.reproducible;
                    format!("{header}{}", row(found.place.number, &solution, &contradictions, columns, is_timed))
                }
            }
            Err(error) => {
                totals.unreadable += 1;
                progress.aside(|| complain(&error));
                if !arguments.is_kept() {
                    continue;
                }
                // A file that can be resumed says of every position what became of it.
                json(&JsonError { number: error.number, error: error.to_string() })
            }
        };
        if progress.aside(|| output.write(&text))? == Reader::IsGone {
            return Ok(totals);
        }
    }
    progress.finish();
    without_value.warn(&file);
    let (positions, checksum) = end.read()?;
    if arguments.reproducible {
        totals.seconds = None;
    }
    if !arguments.json {
        output.write(&summary(&totals))?;
    }
    let of_all = output.finish(positions, checksum, arguments.json.then_some(&totals))?;
    Ok(of_all.unwrap_or(totals))
}

/// Entries of a file that have no value.
#[derive(Default)]
struct WithoutValue {
    entries: usize,
    first: Option<(GamePlace, String)>,
}

impl WithoutValue {
    fn note(&mut self, place: GamePlace, unread: &[String]) {
        self.entries += unread.len();
        if let (None, Some(entry)) = (&self.first, unread.first()) {
            self.first = Some((place, entry.clone()));
        }
    }

    /// Says it once for the whole file.
    fn warn(&self, file: &str) {
        let Some((place, entry)) = &self.first else { return };
        let line = place.line.map_or_else(String::new, |line| format!(" on line {line}"));
        let entries = if self.entries == 1 { "entry was" } else { "entries were" };
        warn(format_args!("{file}: {} {entries} skipped, first {entry}{line}", self.entries));
    }
}

impl SolveArguments {
    fn input(&self) -> Result<GameInput, String> {
        let input = match (&self.position, self.file.as_deref().unwrap_or(Path::new("-"))) {
            (Some(text), _) => {
                let input = GameInput::new("--position", Box::new(Cursor::new(text.clone().into_bytes())), None);
                // What is in no known format is no position: that error names the place.
                return input.map_err(|error| match read_position(text) {
                    Ok(_) => error.to_string(),
                    Err(error) => format!("--position: {error}"),
                });
            }
            (None, file) => {
                if is_standard_input(file) {
                    announce_reading("positions");
                }
                let (name, input) = open_text(file)?;
                GameInput::new(name, input, Some(file).filter(|file| !is_standard_input(file)))
            }
        };
        input.map_err(|error| error.to_string())
    }

    /// Whether the results can be gone on with or put together with others.
    fn is_kept(&self) -> bool {
        self.shard.is_some() || self.json && self.out.is_some()
    }

    /// Where the results go, and what is done already; `None` if they are complete.
    fn results(&self, job: &Job) -> Result<Option<(Results, Done)>, String> {
        if self.json {
            return Results::open(self.out.as_deref(), self.resume, self.shard, job);
        }
        Ok(Some((Results::open_plain(self.out.as_deref())?, Done::new())))
    }

    /// Everything that the solutions depend on.
    fn job(&self, options: &EngineOptions) -> Result<Job, String> {
        let mut settings = engine_settings(options, fingerprint(&*options.evaluator()));
        settings.insert("wld".to_owned(), self.wld.into());
        settings.insert("moves".to_owned(), self.moves.into());
        settings.insert("reproducible".to_owned(), self.reproducible.into());
        job_of_input(SOLVE, settings, self.file.as_deref().filter(|_| self.is_kept()))
    }
}

const HEADER: &str = "   #  empties  mover  move    score         nodes  seconds    Mn/s  line\n";

/// Millions of positions a second.
fn speed(nodes: u64, time: Duration) -> f64 {
    nodes as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

/// A row of the table: with a number of columns, for a terminal, the line of play is cut to fit; a program gets the whole line.
fn row(
    number: usize,
    solution: &Solution,
    contradictions: &[Contradiction],
    columns: Option<usize>,
    is_timed: bool,
) -> String {
    let Solution { position, value, nodes, elapsed, .. } = solution;
    let turn = solution.turn.map_or_else(|| "--".to_owned(), |turn| format!("{turn:#}"));
    let timed = |figure: f64| if is_timed { format!("{figure:.2}") } else { String::new() };
    let mut text = format!(
        "{number:>4}  {:>7}  {:<5}  {turn:<4}  {value:>7}  {nodes:>12} {:>8}  {:>6} ",
        position.empty_count(),
        position.mover(),
        timed(elapsed.as_secs_f64()),
        timed(speed(*nodes, *elapsed)),
    );
    let most = columns.map_or(usize::MAX, |columns| columns.saturating_sub(text.chars().count()) / 3);
    for turn in solution.pv.iter().take(most) {
        text.push_str(&format!(" {turn:#}"));
    }
    for contradiction in contradictions {
        text.push_str(&format!("  ! {contradiction}"));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    if !solution.moves.is_empty() {
        let moves: Vec<String> = solution.moves.iter().map(|(turn, score)| format!("{turn:#}:{score:+}")).collect();
        text.push_str(&format!("      {}\n", moves.join(" ")));
    }
    text
}

fn summary(totals: &Totals) -> String {
    let Totals { positions, solved, checked, contradicted, unreadable, nodes, seconds } = totals;
    let gap = if *positions > 0 { "\n" } else { "" };
    format!(
        "{gap}positions {positions}, solved {solved}, checked {checked}, contradicted {contradicted}, \
         unreadable lines {unreadable}\n{nodes} nodes{}\n",
        seconds.map_or_else(String::new, |seconds| {
            format!(" in {seconds:.3} s, {:.2} Mn/s", speed(*nodes, Duration::from_secs_f64(seconds)))
        })
    )
}

/// A position as `--json` prints it; `docs/solve.md` describes the fields.
#[derive(Serialize)]
struct JsonPosition<'a> {
    number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    position: String,
    empties: Empties,
    mover: Color,
    #[serde(rename = "move")]
    turn: Option<Move>,
    score: Option<i32>,
    result: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<String>,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    pv: &'a [Move],
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<JsonMove>>,
    checked: bool,
    contradictions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    turn: Move,
    score: i32,
}

impl SolveArguments {
    fn json_position<'a>(
        &self,
        place: GamePlace,
        entry: &'a ObfEntry,
        solution: &'a Solution,
        contradictions: &[Contradiction],
    ) -> JsonPosition<'a> {
        let (estimate, depth) = match solution.value {
            Value::Estimate(score, depth) => (Some(score.discs()), Some(depth.to_string())),
            Value::Score(_) | Value::Outcome(_) => (None, None),
        };
        let moves = solution.moves.iter().map(|&(turn, score)| JsonMove { turn, score });
        // A game that is over has none, and says so.
        let are_known = self.moves && solution.value.outcome().is_some();
        JsonPosition {
            number: place.number,
            line: place.line,
            position: solution.position.to_string(),
            empties: solution.position.empty_count(),
            mover: solution.position.mover(),
            turn: solution.turn,
            score: solution.value.score(),
            result: solution.value.outcome(),
            estimate,
            depth,
            nodes: solution.nodes,
            seconds: (!self.reproducible).then_some(solution.elapsed.as_secs_f64()),
            pv: &solution.pv,
            moves: are_known.then(|| moves.collect()),
            checked: solution.is_checked_by(entry),
            contradictions: contradictions.iter().map(Contradiction::to_string).collect(),
            comment: entry.comment.as_deref(),
        }
    }
}

/// A line that cannot be read, as a shard has it.
#[derive(Serialize)]
struct JsonError {
    number: usize,
    error: String,
}

/// Says beforehand that a solution is not to be waited for.
fn warn_of_length(place: GamePlace, position: &Position) {
    let empties = position.empty_count();
    if empties > FEASIBLE && !position.is_over() {
        warn(format_args!(
            "position {}: a solution with {empties} empty squares takes very long; \
             'emilia analyze --position' or '--moves' estimates",
            place.number
        ));
    }
}

/// What the status line says of the position in work.
fn in_work(place: GamePlace, position: &Position, nodes: u64, depth: SearchDepth) -> String {
    let (empties, millions) = (position.empty_count(), nodes as f64 / 1e6);
    format!("position {}: {empties} empties, depth {depth}, {millions:.1} M nodes", place.number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::DISC;
    use crate::search::Score;

    #[test]
    fn large_numbers_leave_no_columns_for_the_line() {
        let turn = Move::Place("f5".parse().unwrap());
        let row = |nodes, seconds, columns| {
            let solution = Solution {
                position: Position::START,
                turn: Some(turn),
                value: Value::Score(0),
                pv: vec![turn; 60],
                moves: Vec::new(),
                nodes,
                elapsed: Duration::from_secs(seconds),
            };
            super::row(10_000_000, &solution, &[], columns, true)
        };
        let moves = |row: &str| row.matches(" F5").count();
        assert_eq!(moves(&row(1000, 1, None)), 61);
        assert!(row(1000, 1, Some(COLUMNS)).len() <= COLUMNS + 1 && moves(&row(1000, 1, Some(COLUMNS))) > 1);
        let long = row(u64::MAX, 10_000_000, Some(COLUMNS));
        assert!(long.len() > COLUMNS && moves(&long) == 1, "{long}");
    }

    #[test]
    fn an_estimate_does_not_shift_a_row() {
        let row = |value| {
            let solution = Solution {
                position: Position::START,
                turn: Some(Move::Pass),
                value,
                pv: vec![Move::Pass],
                moves: Vec::new(),
                nodes: 1,
                elapsed: Duration::from_secs(1),
            };
            super::row(1, &solution, &[], None, true)
        };
        let estimate = row(Value::Estimate(Score::from_units(-14 * DISC - DISC / 8), SearchDepth::Plies(12)));
        assert!(estimate.contains(" -14.13?"), "{estimate}");
        assert_eq!(estimate.find('?').map(|at| at + 1), HEADER.find("score").map(|at| at + "score".len()));
        assert_eq!(estimate.len(), row(Value::Score(2)).len(), "{estimate}");
    }
}
