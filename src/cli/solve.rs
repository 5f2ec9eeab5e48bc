//! `emilia solve`: the results of positions under perfect play, and whether a file has them right.

use super::analyze_output::Results;
use super::game_input::open_text;
use super::log_output;
use super::options::EngineArguments;
use super::output::{Reader, complain};
use super::progress::StatusLine;
use crate::analysis::answer::line as json;
use crate::analysis::lines::Checksummed;
use crate::analysis::shard_file::{Job, engine_settings};
use crate::analysis::{Contradiction, Question, Solution, Solver, Totals, Value};
use crate::engine::EngineOptions;
use crate::notation::obf::ObfEntry;
use crate::notation::obf_reader::{NumberedEntry, ObfReadError, ObfReader};
use crate::othello::{Color, Move, Outcome};
use crate::search::SearchDepth;
use crate::shard::Shard;
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

/// The file contradicts a solution.
const CONTRADICTION: u8 = 1;
/// Something could not be read or not be solved, and nothing is contradicted.
const INCOMPLETE: u8 = 2;

/// Solve the positions of an OBF file.
///
/// A line of such a file is a board of 64 squares, the side to move, and, if they are known, moves with their scores: `BOARD X;
/// G8:+18; H1:+12;`. Every position is solved and printed as soon as its line is there. Scores are final disc differences
/// for the side to move.
///
/// The exit code is 0 if all is well, 1 if a score of the file is contradicted, else 2 if a line could not be read or a
/// position not be solved.
#[derive(Args, Clone, Debug)]
pub(super) struct SolveArguments {
    /// The file, or - for the standard input
    file: String,
    /// Find only who wins
    #[arg(long, conflicts_with = "moves")]
    wld: bool,
    /// Find the score of every move
    #[arg(long)]
    moves: bool,
    /// Print one JSON object a line: a position each, then the totals
    #[arg(long)]
    json: bool,
    /// Solve only the positions whose number, from 0, leaves the rest I when divided by N; `emilia merge` puts the parts
    /// together
    #[arg(long, value_name = "I/N", requires = "json")]
    shard: Option<Shard>,
    #[command(flatten)]
    thinking: EngineArguments,
}

/// Solves what the file holds.
pub(super) fn run(arguments: &SolveArguments) -> ExitCode {
    log_output::to_stderr();
    match solve(arguments) {
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
    let (name, input) = open_text(&arguments.file)?;
    let question = match (arguments.wld, arguments.moves) {
        (true, _) => Question::Outcome,
        (_, true) => Question::EveryMove,
        _ => Question::Score,
    };
    let engine = arguments.thinking.engine().map_err(|error| error.to_string())?;
    let job = arguments.job(engine.options());
    let mut solver = Solver::new(engine, question);
    let mut totals = Totals::default();
    let progress = StatusLine::new("{spinner} {msg}, {elapsed} gone", None, 0);
    let Some((mut output, _)) = Results::open(None, false, arguments.shard, &job)? else {
        return Ok(totals);
    };
    let mut input = Checksummed::new(input);
    let (mut items, mut broken) = (0, None);
    for item in ObfReader::new(&mut input) {
        match &item {
            Err(error @ ObfReadError::Io(..)) => broken = arguments.shard.map(|_| format!("{name}: {error}")),
            _ => items += 1,
        }
        if arguments.shard.is_some_and(|shard| items > 0 && !shard.holds(items - 1)) {
            continue;
        }
        let text = match item {
            Ok(numbered) => {
                let position = &numbered.entry.position;
                let solution = solver.solve(position, &mut |nodes, depth| {
                    progress.show(numbered.number as u64, || in_work(&numbered, nodes, depth));
                });
                let contradictions = solution.contradictions(&numbered.entry);
                totals.add(&numbered.entry, &solution, &contradictions);
                if arguments.json {
                    json(&JsonPosition::new(&numbered, &solution, &contradictions))
                } else {
                    let header = if totals.positions == 1 { HEADER } else { "" };
                    format!("{header}{}", row(numbered.number, &solution, &contradictions))
                }
            }
            Err(error) => {
                totals.unreadable += 1;
                progress.aside(|| complain(format_args!("{name}: {error}")));
                if arguments.shard.is_none() || broken.is_some() {
                    continue;
                }
                // A part says of every position that is its own what became of it.
                json(&JsonError { number: items, error: error.to_string() })
            }
        };
        if progress.aside(|| output.write(&text))? == Reader::IsGone {
            return Ok(totals);
        }
    }
    progress.finish();
    if let Some(problem) = broken {
        return Err(problem);
    }
    match (arguments.shard, arguments.json) {
        (Some(_), _) => {
            let counts = serde_json::to_value(totals).map_err(|error| error.to_string())?;
            output.finish(items, input.checksum(), counts.as_object().cloned())?;
        }
        (None, true) => {
            output.write(&json(&BTreeMap::from([("totals", totals)])))?;
        }
        (None, false) => {
            output.write(&summary(&totals))?;
        }
    }
    Ok(totals)
}

impl SolveArguments {
    /// Everything that the solutions depend on.
    fn job(&self, options: &EngineOptions) -> Job {
        let mut settings = engine_settings(options);
        settings.insert("wld".to_owned(), self.wld.into());
        settings.insert("moves".to_owned(), self.moves.into());
        Job::new("solve", settings.into())
    }
}

const HEADER: &str = "   #  empties  mover  move  score          nodes    seconds    Mn/s  line\n";

/// Millions of positions a second.
fn speed(nodes: u64, time: Duration) -> f64 {
    nodes as f64 / time.as_secs_f64().max(1e-9) / 1e6
}

fn row(number: usize, solution: &Solution, contradictions: &[Contradiction]) -> String {
    let Solution { position, value, nodes, elapsed, .. } = solution;
    let turn = solution.turn.map_or_else(|| "--".to_owned(), |turn| format!("{turn:#}"));
    let mut text = format!(
        "{number:>4}  {:>7}  {:<5}  {turn:<4}  {value:>5}  {nodes:>13}  {:>9.3}  {:>6.2} ",
        position.empties().count(),
        position.mover(),
        elapsed.as_secs_f64(),
        speed(*nodes, *elapsed),
    );
    for turn in &solution.pv {
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
    let Totals { positions, solved, checked, contradicted, unreadable, nodes, elapsed } = totals;
    let seconds = elapsed.as_secs_f64();
    let gap = if *positions > 0 { "\n" } else { "" };
    format!(
        "{gap}positions {positions}, solved {solved}, checked {checked}, contradicted {contradicted}, \
         unreadable lines {unreadable}\n{nodes} nodes in {seconds:.3} s, {:.2} Mn/s\n",
        speed(*nodes, *elapsed)
    )
}

/// A position as `--json` prints it; `docs/solve.md` describes the fields.
#[derive(Serialize)]
struct JsonPosition<'a> {
    number: usize,
    line: usize,
    position: String,
    empties: u32,
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
    seconds: f64,
    pv: &'a [Move],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<JsonMove>,
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

impl<'a> JsonPosition<'a> {
    fn new(numbered: &'a NumberedEntry, solution: &'a Solution, contradictions: &[Contradiction]) -> JsonPosition<'a> {
        let (estimate, depth) = match solution.value {
            Value::Estimate(score, depth) => (Some(score.discs()), Some(depth.to_string())),
            Value::Score(_) | Value::Outcome(_) => (None, None),
        };
        let moves = solution.moves.iter();
        JsonPosition {
            number: numbered.number,
            line: numbered.line,
            position: solution.position.to_string(),
            empties: solution.position.empties().count(),
            mover: solution.position.mover(),
            turn: solution.turn,
            score: solution.value.score(),
            result: solution.value.outcome(),
            estimate,
            depth,
            nodes: solution.nodes,
            seconds: solution.elapsed.as_secs_f64(),
            pv: &solution.pv,
            moves: moves.map(|&(turn, score)| JsonMove { turn, score }).collect(),
            contradictions: contradictions.iter().map(Contradiction::to_string).collect(),
            comment: numbered.entry.comment.as_deref(),
        }
    }
}

/// A line that cannot be read, as a shard tells it.
#[derive(Serialize)]
struct JsonError {
    number: u64,
    error: String,
}

/// What is told of the position in work.
fn in_work(numbered: &NumberedEntry, nodes: u64, depth: SearchDepth) -> String {
    let NumberedEntry { number, entry: ObfEntry { position, .. }, .. } = numbered;
    let (empties, millions) = (position.empties().count(), nodes as f64 / 1e6);
    format!("position {number}: {empties} empties, depth {depth}, {millions:.1} M nodes")
}
