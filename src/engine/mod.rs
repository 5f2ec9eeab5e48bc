//! The one entry point to the searches for protocols and tools: options in, [`Engine::start`] → events out, [`Engine::stop`].

mod eval_file;
mod host;
mod level;
mod opening_book;
mod option;
mod option_table;
mod option_values;
mod pondering;
mod request;
mod searches;
mod symmetric_moves;
mod tables;
mod uct_options;
mod worker;

pub use crate::search::OnMemoryCap;
pub use eval_file::EvalFile;
pub use level::{Level, ParseLevelError};
pub use opening_book::OpeningBook;
pub use option::{LEAST_SECONDS, MOST_SECONDS, OptionEntry, OptionError, Values};
pub use option_table::{EngineOption, EngineOptions};
pub use request::{DEFAULT_MOVE_TIME, Decision, Event, Goal, Request};
pub use searches::{
    ALPHA_BETA, BEST_FIRST, EMILIA, EXTENSION, MINIMAX, RBFMS, SearchBuilder, SearchEntry, register, searches,
};
pub use uct_options::{Backup, LeafValue, Selection};

use crate::othello::{Move, Position};
use crate::search::{Score, StopSignal};
use crossbeam::channel::{Receiver, TryRecvError, bounded, unbounded};
use host::Host;
use std::sync::Arc;
use tables::TableMaker;
use web_time::Instant;
use worker::{Worker, WorkerMessage};

/// A running search. Dropping it stops the search and discards what it still has to say.
#[derive(Debug)]
pub struct Thinking {
    events: Receiver<Event>,
    signal: StopSignal,
    /// The worker sees by it whether this is still there to receive the answer.
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

    /// Stops the search. Its last report still comes.
    pub fn stop(&self) {
        self.signal.stop();
    }

    /// Waits for the end.
    pub fn wait(self) -> Decision {
        loop {
            if let Event::Finished(decision) = Event::from(self.events.recv()) {
                return decision;
            }
        }
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.signal.stop();
    }
}

/// An engine: options, and a worker thread that thinks about one request after another. Where the system has no threads, as in a browser,
/// [`Engine::start`] returns when the request is answered, so each needs a limit, and nothing is pondered.
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
    host: Host,
    current: StopSignal,
    /// What the engine thinks about unasked, and the position of the game then.
    pondering: Option<(Position, Thinking)>,
    /// Makes the tables of the evaluation that the game needs, or has made them. It stops where something is asked for.
    tables: Option<TableMaker>,
    /// The seed that counts where moves are chosen at random, until the option `seed` is set.
    drawn_seed: Option<u64>,
}

impl Engine {
    /// An engine with these options.
    pub fn new(options: EngineOptions) -> Engine {
        Engine::with_searches(options, |options| (options.engine.build)(options))
    }

    /// An engine that thinks with other searches than its own; for tests.
    pub fn with_searches(options: EngineOptions, builder: SearchBuilder) -> Engine {
        let host = Host::new(|| Worker::new(options.clone(), builder));
        Engine { options, host, current: StopSignal::default(), pondering: None, tables: None, drawn_seed: None }
    }

    /// The options in force for the next request.
    pub fn options(&self) -> &EngineOptions {
        &self.options
    }

    /// Sets an option for the next request on; a running search goes on as it was asked for. Pondering ends.
    ///
    /// # Errors
    /// If there is no such option, it does not take the value, or the system does not have the memory; nothing changes then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let mut options = self.options.clone();
        options.set(name, value)?;
        worker::check_memory(name, &self.options, &options)?;
        if name == "seed" {
            self.drawn_seed = None;
        }
        self.replace_options(options);
        Ok(())
    }

    /// Takes this in place of the option `seed` while moves are chosen at random, unless the option is set: else every process would choose the same
    /// moves.
    pub fn draw_seed(&mut self, seed: u64) {
        self.drawn_seed = Some(seed);
    }

    /// Sets every option at once, for the next request on. That the memory can be had is only checked by
    /// [`Engine::set`].
    pub fn replace_options(&mut self, options: EngineOptions) {
        self.pondering = None;
        self.tables.take_if(|_| !self.options.evaluates_like(&options));
        self.options = options;
    }

    /// Starts a search. One that is still running is stopped first, and this one begins when it has ended.
    pub fn start(&mut self, request: Request) -> Thinking {
        self.send(request, true)
    }

    /// Starts a search like [`Engine::start`], but without reports: for a client that wants the decision alone. Where searches are short
    /// this saves most of what it costs to wait for one.
    pub fn start_quietly(&mut self, request: Request) -> Thinking {
        self.send(request, false)
    }

    fn send(&mut self, request: Request, reports: bool) -> Thinking {
        let (job, thinking) = self.job(request, reports);
        self.host.send(WorkerMessage::Think(job));
        thinking
    }

    /// With the option `ponder`, and at full strength, goes on thinking where the answer to a request leads, without a report. What is
    /// found there serves the next search. It ends when something else is asked for or the engine is stopped, when the game goes on
    /// elsewhere ([`Engine::follow`]), or after a minute.
    pub fn ponder(&mut self, answered: &Request, turn: Move) {
        if !self.options.ponder || self.options.level != Level::FULL {
            return;
        }
        let Ok(position) = answered.position.take(turn) else { return };
        let Some(choice) = pondering::next_choice(position) else { return };
        let (job, thinking) = self.job(Request { position: choice, ..answered.clone() }, false);
        self.host.send(WorkerMessage::Ponder(job));
        self.pondering = Some((position, thinking));
    }

    /// Tells where the game is now: pondering about another position ends, and the engine makes the tables of the evaluation that the game needs
    /// from this one on, until something else is asked for. Pondering about it goes on, and makes them itself.
    pub fn follow(&mut self, position: &Position) {
        self.pondering.take_if(|(pondered, _)| pondered != position);
        self.make_tables(position);
    }

    /// Makes the tables of the evaluation that the game needs from this position on, and returns when those of a first search are made and all that
    /// was asked for before is done; at once while the engine ponders, and without tables where the system has no threads.
    pub fn be_ready(&mut self, position: &Position) {
        // The mark would come behind it.
        if !self.is_pondering() {
            self.make_tables(position);
            let (mark, is_reached) = bounded(0);
            self.host.send(WorkerMessage::Mark(mark));
            // Nothing is sent: the worker drops its end.
            let _ = is_reached.recv();
            self.wait_for_tables();
        }
    }

    /// Returns when those tables are made that [`Engine::follow`] began and a first search needs; at once if something was asked for since, or
    /// another evaluation was set. In a new process that takes a tenth of a second, which no clock should pay for.
    pub fn wait_for_tables(&self) {
        self.tables.iter().for_each(TableMaker::wait);
    }

    /// Whether the engine ponders: that may have been stopped, or have ended after its minute, which closes the channel.
    fn is_pondering(&self) -> bool {
        let is_open = |thinking: &Thinking| thinking.events().try_recv() == Err(TryRecvError::Empty);
        self.pondering.as_ref().is_some_and(|(_, thinking)| !self.current.is_stopped() && is_open(thinking))
    }

    /// Begins to make the tables that the game needs from this position on, unless they are made or the engine ponders.
    fn make_tables(&mut self, position: &Position) {
        let is_done = self.tables.as_ref().is_some_and(|tables| tables.serves(position));
        if !is_done && !self.is_pondering() {
            self.tables = None;
            self.tables = Some(TableMaker::new(*position, self.options.clone()));
        }
    }

    /// Ends pondering, because what it finds would be of no use.
    pub fn stop_pondering(&mut self) {
        self.pondering = None;
    }

    /// A job in place of whatever runs.
    fn job(&mut self, request: Request, reports: bool) -> (Box<worker::SearchJob>, Thinking) {
        self.stop();
        self.pondering = None;
        self.tables.take_if(|tables| !tables.are_made());
        let (sender, events) = unbounded();
        let signal = StopSignal::default();
        let listener = Arc::new(());
        self.current = signal.clone();
        let mut options = self.options.clone();
        let is_random = options.variety > Score::ZERO || options.level != Level::FULL;
        options.seed = self.drawn_seed.filter(|_| is_random).unwrap_or(options.seed);
        let job = worker::SearchJob {
            request,
            options,
            reports,
            signal: signal.clone(),
            listener: Arc::downgrade(&listener),
            asked: Instant::now(),
            events: sender,
        };
        (Box::new(job), Thinking { events, signal, _listener: listener })
    }

    /// Stops a running search, and pondering.
    pub fn stop(&self) {
        self.current.stop();
    }

    /// Forgets everything learned from the positions searched so far.
    pub fn clear(&mut self) {
        self.stop();
        self.host.send(WorkerMessage::Clear);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // What still runs ends now, and the host waits for that.
        self.stop();
    }
}
