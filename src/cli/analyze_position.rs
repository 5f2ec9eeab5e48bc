//! One position from the command line, and what its moves are worth.

use super::output::{is_for_terminal, print, warn};
use super::progress::StatusLine;
use super::show::palette;
use super::{INTERRUPTED, set_interrupt_handler};
use crate::analysis::answer::{Answer, Finality, line};
use crate::analysis::query::{ClientLine, Query, parse};
use crate::analysis::{AnalysisSettings, MoveValue, Thinker};
use crate::notation::opening;
use crate::othello::{GameRecord, Move, Position};
use crate::render::{COLUMNS, Diagram, Palette, book_table};
use crate::search::{Contempt, SearchDepth};
use clap::Args;
use crossbeam::channel::{TryRecvError, bounded};
use parking_lot::Mutex;
use serde_json::json;
use std::process::exit;
use std::time::Duration;

/// The longest line of expected play in the table.
const PV_MOVES: usize = 16;

/// The time between two reports of a search that goes on.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);

// A question about one position. No doc: it would take the place of that of the command.
#[derive(Args, Clone, Debug)]
pub(super) struct PositionArguments {
    /// Analyze this position: a board with the side to move, or a game whose last position is meant
    #[arg(
        long,
        value_name = "POSITION",
        allow_hyphen_values = true,
        group = "question",
        help_heading = "One position"
    )]
    position: Option<String>,
    /// Analyze the position after these moves, from the start or from --position
    #[arg(long, value_name = "MOVES", group = "question", help_heading = "One position")]
    moves: Option<String>,
    /// How many of the best moves get their values, or all
    #[arg(long, value_name = "N|all", help_heading = "One position", value_parser = lines)]
    multipv: Option<u8>,
}

/// Reads a number of lines.
fn lines(text: &str) -> Result<u8, &'static str> {
    let number = if text == "all" { Some(60) } else { text.parse().ok() };
    number.filter(|number| (1..=60).contains(number)).ok_or("expected a number from 1 to 60, or all")
}

impl PositionArguments {
    /// The question, as a client of the pipe would ask it, with what the book knows or without; `None` if there is none.
    ///
    /// # Errors
    /// If the text is no position, or a move is not legal.
    pub(super) fn query(&self, defaults: &AnalysisSettings, from_book: bool) -> Result<Option<Query>, String> {
        if self.position.is_none() && self.moves.is_none() {
            if self.multipv.is_some() {
                crate::cli::refuse("--multipv is for one position: --position or --moves; a query has its own");
            }
            return Ok(None);
        }
        let lines = self.multipv.unwrap_or(1);
        let (game, moves) = (&self.position, &self.moves);
        let asked = json!({ "id": "position", "game": game, "moves": moves, "multipv": lines, "book": from_book });
        match parse(line(&asked).as_bytes(), defaults, defaults.options.threads) {
            Ok(ClientLine::Query(query)) => Ok(Some(*query)),
            Ok(ClientLine::Action { .. }) => unreachable!("a line without an action is a query"),
            Err(error) => {
                let option = if error.field == Some("game") { "--position" } else { "--moves" };
                let turn = error.index.map_or_else(String::new, |index| format!(" move {}:", index + 1));
                Err(format!("{option}:{turn} {}", error.problem))
            }
        }
    }
}

/// Answers a question, as JSON or as a table.
pub(super) fn run(query: &Query, as_json: bool, timed: bool) -> Result<(), String> {
    let turn = query.game.turns().len();
    let position = query.position(turn);
    let status = StatusLine::of_messages();
    let mut thinker = Thinker::new(query.settings.options.clone());
    let report_every = status.is_shown().then_some(REPORT_INTERVAL);
    let (sender, cancel) = bounded::<()>(0);
    let sender = Mutex::new(Some(sender));
    set_interrupt_handler(move || {
        if sender.lock().take().is_none() {
            exit(INTERRUPTED);
        }
    })?;
    let decision = thinker.think_aloud(position, &query.settings, report_every, &cancel, &mut |report| {
        let best = report.lines.first().map(MoveValue::of_line);
        let best = best.map_or_else(String::new, |best| format!("{} {:+.2}, ", best.turn, best.score.discs()));
        status.show(0, || format!("depth {}, {best}{:.1} M nodes", report.depth, report.nodes as f64 / 1e6));
    });
    status.finish();
    let report = &decision.report;
    let is_interrupted = cancel.try_recv() == Err(TryRecvError::Disconnected);
    if is_interrupted && report.lines.is_empty() {
        return Err("interrupted before a value was found".to_owned());
    }
    let finality = if is_interrupted { Finality::Terminated } else { Finality::Final };
    let answer = Answer::new(query, turn, report, finality, timed);
    if !as_json {
        answer.warnings().iter().for_each(warn);
    }
    print(&match as_json {
        true => line(&answer),
        false => {
            let lines: Vec<MoveValue> = report.lines.iter().map(MoveValue::of_line).collect();
            let table = table(&query.game, &lines, palette(is_for_terminal(None)));
            match query.game.position().is_over() {
                true => table,
                false => {
                    let seconds = report.elapsed.as_secs_f64();
                    let time = if timed { format!(" in {seconds:.2} s") } else { String::new() };
                    format!("{table}\n{} nodes{time}\n{}", report.nodes, book(query, position))
                }
            }
        }
    })?;
    if is_interrupted { Err(format!("interrupted at depth {}", report.depth)) } else { Ok(()) }
}

/// What the book knows of a position, if that is asked for.
fn book(query: &Query, position: &Position) -> String {
    let Some(book) = query.settings.options.book.as_ref().filter(|_| query.from_book) else { return String::new() };
    let columns = if is_for_terminal(None) { COLUMNS } else { usize::MAX };
    match book.look_up(position, Contempt::NONE) {
        Ok(Some(view)) => format!("\nbook: {}", book_table(&view, columns)),
        Ok(None) => "\nbook: the position is not in it\n".to_owned(),
        // A warning says why.
        Err(_) => String::new(),
    }
}

/// A board, and the best moves with their values for the side to move.
pub(super) fn table(game: &GameRecord, lines: &[MoveValue], palette: Palette) -> String {
    let position = game.position();
    let mut text = Diagram::new(position, palette).after(game.turns().last().copied()).to_string();
    if position.is_over() {
        return text + &format!("the game is over: {:+} for black\n", position.score_for_black());
    }
    let opening = opening(game.positions()).map_or_else(String::new, |name| format!("; {name}"));
    text += &format!("{} to move, {} empty squares{opening}\n\n", position.mover(), position.empty_count());
    text += &palette.faint("move   value   depth  expected play");
    for line in lines {
        let pv: Vec<String> = line.pv.iter().take(PV_MOVES).map(Move::to_string).collect();
        let depth = if line.depth == SearchDepth::Exact { "exact".to_owned() } else { line.depth.to_string() };
        text += &format!("\n{:<5} {:>6} {depth:>7}  {}", line.turn.to_string(), line.score, pv.join(" "));
    }
    text + "\n"
}
