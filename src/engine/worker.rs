//! The thread that thinks.

use super::level::{Level, LossBudget};
use super::option::OptionError;
use super::option_table::{EngineOptions, megabytes};
use super::pondering::MOST_PONDERING;
use super::request::{DEFAULT_MOVE_TIME, Decision, Event, Goal, Request};
use super::searches::SearchBuilder;
use super::symmetric_moves::unite_symmetric_moves;
use crate::othello::{Move, Position};
use crate::random::Random;
use crate::search::{
    Bound, Contempt, Control, Limits, Line, Precision, Report, Score, Search, SearchDepth, StopSignal, Task, TimeBudget,
};
use crossbeam::channel::{Receiver, Sender};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Weak;
use web_time::Instant;

/// How many plies of a game [`EngineOptions::variety`] applies to.
const VARIETY_PLIES: u8 = 20;

/// A request with everything it was made with.
pub(super) struct SearchJob {
    pub request: Request,
    pub options: EngineOptions,
    /// Whether the client wants reports.
    pub reports: bool,
    pub signal: StopSignal,
    pub listener: Weak<()>,
    pub asked: Instant,
    pub events: Sender<Event>,
}

/// A job for the worker.
pub(super) enum WorkerMessage {
    Think(Box<SearchJob>),
    Ponder(Box<SearchJob>),
    Clear,
    /// To drop this sender, which tells that the jobs before are done.
    Mark(Sender<()>),
}

/// Whether the memory that this option asks for, and did not have before, could be had.
pub(super) fn check_memory(name: &str, old: &EngineOptions, new: &EngineOptions) -> Result<(), OptionError> {
    let (name, before, wanted) = match name {
        "hash" => ("hash", old.hash_mb, new.hash_mb),
        "memory" => ("memory", old.memory_mb, new.memory_mb),
        _ => return Ok(()),
    };
    if wanted == before {
        return Ok(());
    }
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(megabytes(wanted)).map_err(|_| OptionError::NoMemory(name, wanted))
}

/// Whether a search that was built with the one set of options serves the other as well. The book is asked before the search, and no
/// part of it.
fn serves(built: &EngineOptions, wanted: &EngineOptions) -> bool {
    let mut parts = wanted.engine.reads.iter().filter(|&&name| name != "book");
    built.engine == wanted.engine && parts.all(|name| built.get(name) == wanted.get(name))
}

pub(super) struct Worker {
    builder: SearchBuilder,
    /// The search, once there was something to search, and until it panics.
    search: Option<Box<dyn Search>>,
    /// The options of the last question, and the contempt that the search's memory holds values for.
    built: EngineOptions,
    contempt: Contempt,
    random: Random,
    /// What the moves of each side may still lose, at a level below full strength.
    loss_budgets: [LossBudget; 2],
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("built", &self.built).finish_non_exhaustive()
    }
}

impl Worker {
    pub(super) fn new(options: EngineOptions, builder: SearchBuilder) -> Worker {
        let random = Random::new(options.seed);
        let loss_budgets = Default::default();
        Worker { builder, search: None, built: options, contempt: Contempt::NONE, random, loss_budgets }
    }

    /// Works until the engine is dropped.
    pub(super) fn run(mut self, jobs: &Receiver<WorkerMessage>) {
        jobs.iter().for_each(|job| self.work(job));
    }

    /// Does a job.
    pub(super) fn work(&mut self, job: WorkerMessage) {
        match job {
            WorkerMessage::Think(question) => self.think(&question),
            WorkerMessage::Ponder(question) => {
                if catch_unwind(AssertUnwindSafe(|| self.ponder(&question))).is_err() {
                    log::error!("the search panicked while it pondered {}", question.request.position);
                    self.search = None;
                }
            }
            WorkerMessage::Mark(reached) => drop(reached),
            WorkerMessage::Clear => {
                self.loss_budgets = Default::default();
                let clear = || self.search.iter_mut().for_each(|search| search.clear());
                if catch_unwind(AssertUnwindSafe(clear)).is_err() {
                    log::error!("the search panicked while it forgot what it knew");
                    self.search = None;
                }
            }
        }
    }

    fn think(&mut self, question: &SearchJob) {
        // A client may ask thousands of questions and drop them before their turn comes.
        if question.listener.strong_count() == 0 {
            return;
        }
        let position = question.request.position;
        let decision = if position.is_over() {
            Decision::default()
        } else {
            catch_unwind(AssertUnwindSafe(|| self.answer(question))).unwrap_or_else(|_| {
                log::error!("the search panicked in {position}; answering with any legal move");
                self.search = None;
                let report = any_legal_move(&position);
                Decision { turn: Some(report.lines[0].turn), report }
            })
        };
        // The client may have dropped the question: then the receiver is gone, and nothing is lost.
        let _ = question.events.send(Event::Finished(decision));
    }

    fn answer(&mut self, question: &SearchJob) -> Decision {
        self.prepare(question);
        if let Some(report) = book_report(question) {
            let decision = self.decide(question, report);
            if question.reports {
                let _ = question.events.send(Event::Report(decision.report.clone()));
            }
            return decision;
        }
        let (task, control) = search_job(question);
        let (report, shown) = self.search(question, &task, &control);
        let show = |last: &Report| {
            if question.reports && shown.is_none_or(|(lines, depth)| (&lines, depth) != (&last.lines, last.depth)) {
                let _ = question.events.send(Event::Report(last.clone()));
            }
        };
        if task.margin.is_none() {
            show(&report);
            return self.decide(question, report);
        }
        // With a margin the last report is that of the move that is chosen.
        let mut decision = self.decide(question, report);
        if let Some(search) = &mut self.search {
            search.value_choice(&mut decision.report, &task, &control);
        }
        show(&decision.report);
        decision
    }

    /// Makes the search fit the options: a new one if it is of another kind or size, an empty one if its values would
    /// mean something else.
    fn prepare(&mut self, question: &SearchJob) {
        let (old, new) = (&self.built, &question.options);
        if !serves(old, new) {
            // The memory of the old one goes before the new one asks for some.
            self.search = None;
        } else if let Some(search) = &mut self.search
            && (!old.evaluates_like(new) || self.contempt != question.request.contempt)
        {
            search.clear();
        }
        if old.seed != new.seed {
            self.random = Random::new(new.seed);
        }
        if old.level != new.level {
            self.loss_budgets = Default::default();
        }
        self.built = new.clone();
        self.contempt = question.request.contempt;
    }

    /// Thinks about a position that nobody has asked about yet, until it is solved, the job is stopped, or it has been long enough.
    fn ponder(&mut self, question: &SearchJob) {
        if question.signal.is_stopped() {
            return;
        }
        self.prepare(question);
        let SearchJob { request, options, signal, asked, .. } = question;
        let task = Task { contempt: request.contempt, ..Task::new(request.position, options.evaluator()) };
        let most = Limits { time: Some(TimeBudget::all_of(MOST_PONDERING)), ..Limits::default() };
        let control = Control::new(most, signal.clone(), *asked).preparing_for(limits(request, options));
        let search = self.search.get_or_insert_with(|| (self.builder)(options));
        let report = search.think(&task, &control, &mut |_| {});
        log::debug!("pondered {}: {} positions, depth {}", request.position, report.nodes, report.depth);
    }

    /// What the search answers, and the lines and the depth of the last report that was shown.
    fn search(&mut self, question: &SearchJob, task: &Task, control: &Control) -> (Report, Option<Shown>) {
        let search = self.search.get_or_insert_with(|| (self.builder)(&question.options));
        let mut shown = None;
        // A margin asks for every move that is good enough.
        let most_lines = if task.margin.is_some() { usize::MAX } else { task.lines };
        let mut report = search.think(task, control, &mut |report| {
            if question.reports {
                let mut report = report.clone();
                unite_symmetric_moves(&mut report, &task.position, task.except, most_lines);
                shown = Some((report.lines.clone(), report.depth));
                let _ = question.events.send(Event::Report(report));
            }
        });
        unite_symmetric_moves(&mut report, &task.position, task.except, most_lines);
        (report, shown)
    }

    /// Chooses the turn and puts its line in front.
    fn decide(&mut self, question: &SearchJob, mut report: Report) -> Decision {
        if let Some(level) = level(&question.request, &question.options).filter(|_| !report.lines.is_empty()) {
            let position = &question.request.position;
            let placed = position.empty_count().placed();
            let budget = &mut self.loss_budgets[position.mover() as usize];
            let chosen = budget.choose(level, &report.lines, placed, &mut self.random);
            report.lines[..=chosen].rotate_right(1);
        } else if let (Some(margin), Some(best)) = (margin(question), report.lines.first().map(|line| line.score)) {
            let good = |line: &Line| line.bound != Bound::Upper && line.score.units() >= best.units() - margin.units();
            let good_lines = report.lines.iter().take_while(|line| good(line)).count().max(1);
            let chosen = self.random.below(good_lines);
            report.lines[..=chosen].rotate_right(1);
        }
        Decision { turn: report.lines.first().map(|line| line.turn), report }
    }
}

/// The lines and the depth of a report.
type Shown = (Vec<Line>, SearchDepth);

/// What a question asks of the search, and the limits of it.
fn search_job(question: &SearchJob) -> (Task, Control) {
    let SearchJob { request, options, .. } = question;
    let level = level(request, options);
    let task = Task {
        lines: match request.goal {
            // All moves are compared, as for a hint.
            Goal::Move if level.is_some() => usize::MAX,
            Goal::Move | Goal::WinLossDraw => 1,
            Goal::Hint { lines } => lines.max(1),
        },
        margin: margin(question),
        is_analysis: matches!(request.goal, Goal::Hint { .. }) || level.is_some(),
        is_watched: question.reports,
        except: request.except,
        precision: match request.goal {
            Goal::Move | Goal::Hint { .. } => Precision::Score,
            Goal::WinLossDraw => Precision::WinLossDraw,
        },
        contempt: request.contempt,
        ..Task::new(request.position, options.evaluator())
    };
    let limits = limits(request, options);
    if limits.time.is_some() {
        // The table that this needs is made now, if it has not been made.
        task.evaluator.evaluate(&task.position);
    }
    (task, Control::new(limits, question.signal.clone(), question.asked).with_least_time())
}

/// The moves that the book plays, where a move is asked for and the book has one.
fn book_report(question: &SearchJob) -> Option<Report> {
    let SearchJob { request, options, .. } = question;
    let book = options.book_to_play_from()?;
    // A forced pass is no move of a book. A search that is to go on until it is stopped wants to know more.
    let is_asked = request.goal == Goal::Move
        && options.level == Level::FULL
        && request.except.is_empty()
        && !request.is_endless
        && !request.position.must_pass();
    let known = is_asked.then(|| book.report(&request.position, request.contempt))??;
    Some(Report { elapsed: question.asked.elapsed(), ..known })
}

/// The level below full strength at which a move is to be chosen, where there is a choice.
fn level(request: &Request, options: &EngineOptions) -> Option<Level> {
    let is_choice = request.goal == Goal::Move && !request.is_endless && request.position.moves().count() > 1;
    Some(options.level).filter(|&level| is_choice && level != Level::FULL)
}

/// How far below the best a move may be to be played, if variety applies.
fn margin(question: &SearchJob) -> Option<Score> {
    let plies_played = question.request.position.empty_count().placed();
    let varied = question.request.goal == Goal::Move
        && !question.request.is_endless
        && question.options.level == Level::FULL
        && question.options.variety > Score::ZERO
        && plies_played < VARIETY_PLIES;
    varied.then_some(question.options.variety)
}

/// The positions that are visited for the value of a move that is the only one.
const FORCED_NODES: Option<u64> = Some(10_000);

/// The tighter of the client's and the options' limits, with the default time if there is none at all.
fn limits(request: &Request, options: &EngineOptions) -> Limits {
    fn tighter<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
    let asked = request.limits;
    let depth = tighter(asked.depth, options.depth);
    let depth = tighter(depth, level(request, options).map(Level::depth));
    let mut limits = Limits { depth, nodes: tighter(asked.nodes, options.nodes), ..asked };
    if request.goal == Goal::Move && !request.is_endless && request.position.moves().count() <= 1 {
        // There is nothing to choose. Some milliseconds give the move its value, and see the end where it is near or was seen before.
        limits.nodes = tighter(limits.nodes, FORCED_NODES);
    }
    let wants_default = request.goal == Goal::Move && !request.is_endless && limits == Limits::default();
    let per_move = options.time.or(wants_default.then_some(DEFAULT_MOVE_TIME));
    if let Some(time) = per_move {
        let budget = TimeBudget::per_move(time);
        limits.time = Some(limits.time.map_or(budget, |asked| asked.within(budget)));
    }
    limits
}

/// An answer for when thinking failed.
fn any_legal_move(position: &Position) -> Report {
    let turn = position.moves().into_iter().next().map_or(Move::Pass, Move::Place);
    let line = Line { bound: Bound::Lower, ..Line::new(vec![turn], Score::ZERO, SearchDepth::Plies(0)) };
    Report { lines: vec![line], ..Report::default() }
}

#[cfg(test)]
mod tests;
