//! The one door to thinking for protocols and tools: options in, [`Engine::start`] → events out, [`Engine::stop`].

mod option_table;
mod options;
mod published;
mod searches;
mod uct_options;
mod worker;

pub use crate::search::OnMemoryCap;
pub use option_table::{EngineOption, LONGEST, SHORTEST, Values};
pub use options::{EngineOptions, EvalFile, OptionError};
pub use published::PublishedOptions;
pub use searches::{ALPHA_BETA, BEST_FIRST, EXTENSION, MINIMAX, RBFMS, SearchEntry, register, searches};
pub use uct_options::{Backup, LeafValue, Selection};

use crate::othello::{Move, Position};
use crate::search::{Contempt, Limits, Report, Search, StopSignal};
use crossbeam::channel::{Receiver, Sender, unbounded};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use worker::{Job, Worker};

/// The time for a move when neither the client nor the options say anything.
pub const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(2);

/// What a client wants to know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// One move to play: [`EngineOptions::variety`] applies, a forced move costs no time, and without any limit the
    /// search takes [`DEFAULT_MOVE_TIME`].
    Move,
    /// The values of the best moves, at least one; without a limit the search goes on until it is stopped or has solved
    /// the position.
    Hint {
        /// How many moves; more than there are means all.
        lines: usize,
    },
    /// Who wins under perfect play, and a move that keeps it so: [`WinLossDraw`](crate::search::Precision::WinLossDraw). Without a limit the search
    /// goes on until it is stopped or knows.
    WinLossDraw,
}

/// One question to the engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The position; if the game is over, the answer is an empty report.
    pub position: Position,
    /// What is wanted.
    pub goal: Goal,
    /// The client's limits. The options' limits apply as well; the tighter one counts.
    pub limits: Limits,
    /// What a draw is worth.
    pub contempt: Contempt,
}

impl Request {
    /// The move to play, with the options' limits alone.
    pub fn best_move(position: Position) -> Request {
        Request { position, goal: Goal::Move, limits: Limits::default(), contempt: Contempt::NONE }
    }

    /// The values of the best moves, with the options' limits alone.
    pub fn hint(position: Position, lines: usize) -> Request {
        Request { goal: Goal::Hint { lines }, ..Request::best_move(position) }
    }

    /// Who wins under perfect play, with the options' limits alone.
    pub fn win_loss_draw(position: Position) -> Request {
        Request { goal: Goal::WinLossDraw, ..Request::best_move(position) }
    }
}

/// What a search says while it runs and when it is done.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// Better founded lines than before. The last report of a search always comes, so a client that shows reports has
    /// nothing to add at the end.
    Report(Report),
    /// The end, also of a search that was stopped; the last event.
    Finished(Decision),
}

/// What came of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The turn to take, a pass if it is forced; `None` if the game is over.
    pub turn: Option<Move>,
    /// The last report. Its first line is about `turn`.
    pub report: Report,
}

impl Decision {
    /// The turn, if it is legal in this position; else any that is, so that a client is never left without one.
    pub fn legal_turn(&self, position: &Position) -> Move {
        match self.turn {
            Some(turn) if position.take(turn).is_ok() => turn,
            turn => {
                log::error!("the search found no legal move but {turn:?} in {position}; taking any");
                position.moves().into_iter().next().map_or(Move::Pass, Move::Place)
            }
        }
    }
}

/// A running search. Dropping it stops the search and discards what it still has to say.
#[derive(Debug)]
pub struct Thinking {
    events: Receiver<Event>,
    signal: StopSignal,
    /// The worker sees by it whether anybody still waits for the answer.
    _listener: Arc<()>,
}

impl Thinking {
    /// The events; the channel closes after [`Event::Finished`].
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Positions visited so far, also between two reports.
    pub fn nodes(&self) -> u64 {
        self.signal.nodes()
    }

    /// Tells the search to stop. Its last report still comes.
    pub fn stop(&self) {
        self.signal.stop();
    }

    /// Waits for the end.
    pub fn wait(self) -> Decision {
        for event in &self.events {
            if let Event::Finished(decision) = event {
                return decision;
            }
        }
        unreachable!("a search ends with a decision")
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.signal.stop();
    }
}

/// Builds the search that the options ask for.
pub type SearchBuilder = fn(&EngineOptions) -> Box<dyn Search>;

/// An engine: options, and a worker thread that thinks about one request after another.
///
/// ```
/// use emilia::engine::{Engine, EngineOptions, Request};
/// use emilia::othello::Position;
/// use emilia::search::Depth;
///
/// let mut engine = Engine::new(EngineOptions { depth: Depth::new(4), ..EngineOptions::default() });
/// let decision = engine.start(Request::best_move(Position::START)).wait();
/// assert!(Position::START.take(decision.turn.unwrap()).is_ok());
/// ```
#[derive(Debug)]
pub struct Engine {
    options: EngineOptions,
    jobs: Option<Sender<Job>>,
    current: StopSignal,
    thread: Option<JoinHandle<()>>,
}

impl Engine {
    /// An engine with these options.
    pub fn new(options: EngineOptions) -> Engine {
        Engine::with_searches(options, |options| (options.engine.build)(options))
    }

    /// An engine that thinks with other searches than its own; for tests.
    pub fn with_searches(options: EngineOptions, builder: SearchBuilder) -> Engine {
        let (jobs, queue) = unbounded();
        let worker = Worker::new(options.clone(), builder);
        let thread = std::thread::Builder::new().name("search".to_owned()).stack_size(16 << 20);
        let thread = thread.spawn(move || worker.run(&queue)).expect("a thread can be started");
        Engine { options, jobs: Some(jobs), current: StopSignal::default(), thread: Some(thread) }
    }

    /// The options in force for the next request.
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Sets an option for the next request on; a running search goes on as it was asked for.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let mut options = self.options.clone();
        options.set(name, value)?;
        worker::check_memory(name, &self.options, &options)?;
        self.options = options;
        Ok(())
    }

    /// Sets every option at once, for the next request on. That the memory can be had is only checked by
    /// [`Engine::set`].
    pub fn replace_options(&mut self, options: EngineOptions) {
        self.options = options;
    }

    /// Asks a question. A search still running is told to stop first, and this one begins when it has.
    pub fn start(&mut self, request: Request) -> Thinking {
        self.ask(request, true)
    }

    /// Asks a question like [`Engine::start`], for a client that wants the end alone: there are no reports. Where searches are
    /// short this saves most of what it costs to wait for one.
    pub fn start_quietly(&mut self, request: Request) -> Thinking {
        self.ask(request, false)
    }

    fn ask(&mut self, request: Request, reports: bool) -> Thinking {
        self.stop();
        let (sender, events) = unbounded();
        let signal = StopSignal::default();
        let listener = Arc::new(());
        self.current = signal.clone();
        let options = self.options.clone();
        self.send(Job::Think(Box::new(worker::Question {
            request,
            options,
            reports,
            signal: signal.clone(),
            listener: Arc::downgrade(&listener),
            asked: Instant::now(),
            events: sender,
        })));
        Thinking { events, signal, _listener: listener }
    }

    /// Tells a running search to stop.
    pub fn stop(&self) {
        self.current.stop();
    }

    /// Forgets everything learnt from the positions searched so far.
    pub fn clear(&mut self) {
        self.stop();
        self.send(Job::Clear);
    }

    fn send(&self, job: Job) {
        // The worker lives as long as the engine and survives panics of a search; should it be gone all the same, the
        // dropped sender closes the event channel.
        if self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_err()) {
            log::error!("the search thread is gone");
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A worker that panicked has said so in the log.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_that_is_not_legal_is_replaced() {
        let start = Position::START;
        let decision = |turn| Decision { turn, report: Report::default() };
        let d3 = Move::Place("d3".parse().unwrap());
        assert_eq!(decision(Some(d3)).legal_turn(&start), d3);
        for turn in [None, Some(Move::Pass), Some(Move::Place("a1".parse().unwrap()))] {
            assert!(start.take(decision(turn).legal_turn(&start)).is_ok());
        }
    }
}
