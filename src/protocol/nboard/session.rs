//! One conversation with an NBoard client: the game, the settings, and the request being worked on.

use super::clocks::{Clocks, OwnMoveTimes};
use super::{Command, CommandError, Hint, Reply};
use crate::book::BookError;
use crate::engine::{DEFAULT_MOVE_TIME, Decision, Engine, EngineOptions, Event, Goal, Request, Thinking};
use crate::input_line::InputLine;
use crate::notation::AnnotatedGame;
use crate::notation::ggf::TimedMove;
use crate::othello::{GameRecord, Move, Position};
use crate::protocol::end_of_input::Deadline;
use crate::protocol::stdio::Connection;
use crate::search::{Contempt, Depth, Limits, MemoryUse, Report, Score, SearchDepth, TimeBudget};
use crossbeam::channel::{Receiver, never, tick};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Time between two lines that say how far a running search is.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// The longest time that a hint, or a move to a depth without a clock, takes if no option bounds it: who looks on has seen enough by then, and a
/// laptop may cool down.
const MOST_TIME: Duration = Duration::from_secs(5 * 60);

/// Serves a client until it says `quit`, its input ends and what it asked for is answered, or it no longer reads the output. The lines in `first` count as
/// read before the connection's own.
///
/// Lines that make no sense are passed over in silence, as the protocol demands; they are logged.
///
/// # Errors
/// If something of the conversation is lost, though the client is there.
pub fn serve(connection: Connection, engine: Engine, first: Vec<InputLine>) -> Result<(), String> {
    let mut session = Session {
        connection,
        is_open: true,
        engine,
        game: Ok(GameRecord::default()),
        clocks: Clocks::unlimited(),
        own_times: OwnMoveTimes::default(),
        depth: None,
        contempt: Contempt::NONE,
        pending: None,
    };
    session.run(first);
    session.engine.stop();
    session.connection.finish()
}

struct Session {
    connection: Connection,
    /// Whether the client may say more.
    is_open: bool,
    engine: Engine,
    /// The client's game, or what the status says where that cannot be played: no answer about another one would be right.
    game: Result<GameRecord, String>,
    clocks: Clocks,
    own_times: OwnMoveTimes,
    depth: Option<Depth>,
    contempt: Contempt,
    pending: Option<PendingRequest>,
}

/// A request being worked on.
struct PendingRequest {
    goal: PendingGoal,
    request: Request,
    deadline: Deadline,
    /// The search, once it has begun.
    thinking: Option<Thinking>,
    heartbeat: Receiver<Instant>,
    started: Instant,
    /// Positions visited by the searches for this request that are done.
    nodes_before: u64,
    /// The last report of this search, so that nothing is sent twice.
    last_report: Report,
}

impl PendingRequest {
    /// What the search has reached: how far it sees, the best move, and what that is worth. NBoard shows about 27 characters, and the number
    /// of positions beside them.
    fn progress(&self) -> Option<String> {
        let depth = self.last_report.depth.shown(self.request.position.empty_count());
        let best = self.last_report.lines.first()?;
        if let PendingGoal::Analyze { turns, .. } = self.goal {
            return Some(format!("Move {}: depth {depth}", turns + 1));
        }
        let reached = match depth {
            SearchDepth::Plies(plies) => format!("Depth {plies}"),
            SearchDepth::Selective { selectivity, .. } => format!("{selectivity}% solved"),
            SearchDepth::WinLossDraw => "Winner known".to_owned(),
            SearchDepth::Exact => "Solved".to_owned(),
        };
        // Beside moves of the book the best one is one of these.
        let says_move = self.request.except.is_empty();
        Some(if says_move { format!("{reached}: {:#} {}", best.turn, best.score) } else { reached })
    }
}

/// What the status says of a search that its memory has ended.
const ENDED: &str = "search ended";

/// Whether the status says something of the memory.
fn is_told(memory: &MemoryUse) -> bool {
    memory.ended_at_cap || memory.is_in_linear_space()
}

enum PendingGoal {
    Go,
    /// The values of this number of moves.
    Hint {
        lines: usize,
    },
    /// The values of `positions` from the last to the first; the one after `turns` turns is being searched.
    Analyze {
        positions: Vec<Position>,
        turns: usize,
    },
}

impl Session {
    fn run(&mut self, first: Vec<InputLine>) {
        for input in first {
            if self.hear(&input).is_break() {
                return;
            }
        }
        let (silence, unsaid) = ((never(), never()), never());
        loop {
            if !self.is_open && self.pending.is_none() {
                return;
            }
            // What the client has already said may well make a request void: then it is not worth a search.
            if self.connection.input().is_empty() {
                self.begin();
            }
            let thinking = self.pending.as_ref().and_then(|pending| Some((pending, pending.thinking.as_ref()?)));
            let (events, ticks) = thinking.map_or((&silence.0, [&silence.1; 2]), |(pending, thinking)| {
                (thinking.events(), [&pending.heartbeat, pending.deadline.due()])
            });
            let [heartbeat, deadline] = ticks;
            // What the client says comes first: a report on its way may be about a position that it has just left.
            crossbeam::channel::select_biased! {
                recv(if self.is_open { self.connection.input() } else { &unsaid }) -> input => match input {
                    Ok(input) => if self.hear(&input).is_break() {
                        return;
                    },
                    Err(_) => self.end_of_input(),
                },
                recv(self.connection.closed()) -> _ => return,
                // The result still comes.
                recv(deadline) -> _ => self.engine.stop(),
                recv(heartbeat) -> _ => self.send_progress(),
                recv(events) -> event => match event.into() {
                    Event::Report(report) => self.send_report(report),
                    Event::Finished(decision) => self.conclude(decision),
                },
            }
        }
    }

    fn end_of_input(&mut self) {
        self.is_open = false;
        if let Some(pending) = &mut self.pending {
            pending.deadline.begin();
        }
    }

    fn send(&self, reply: Reply) {
        self.connection.send(format!("{reply}\n"));
    }

    fn status(&self, text: impl Into<String>) {
        self.send(Reply::Status(text.into()));
    }

    fn hear(&mut self, input: &InputLine) -> ControlFlow<()> {
        let InputLine::Bytes(line) = input else {
            self.status("Line too long");
            return ControlFlow::Continue(());
        };
        let error = match Command::parse(line) {
            Ok(command) => return self.obey(command),
            Err(error) => error,
        };
        log::debug!("ignored: {error}");
        match error {
            // Nothing else would show that the values to come are of another position than the client's.
            CommandError::BadNotation { command: "move", .. } => self.status("Move not understood"),
            CommandError::BadNotation { error, .. } => {
                let why = error.problem.to_string();
                // A text that is no game does not say that the client has another one.
                if error.problem.is_of_rules() {
                    self.interrupt_hint();
                    self.engine.stop_pondering();
                    self.status(&why);
                    self.game = Err(why);
                } else {
                    self.status(format!("Game not understood: {why}"));
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// The game; where there is none, the status says why.
    fn known_game(&self) -> Option<&GameRecord> {
        self.game.as_ref().inspect_err(|why| self.status(*why)).ok()
    }

    fn obey(&mut self, command: Command) -> ControlFlow<()> {
        match command {
            Command::Version(version) => {
                log::debug!("the client speaks version {version}");
                // NBoard shows that it loads the engine until the engine says something.
                self.status(concat!("Emilia ", env!("CARGO_PKG_VERSION")));
                // A user of NBoard sees warnings of the command line nowhere else.
                self.engine.options().warnings().for_each(|warning| self.status(warning));
            }
            Command::SetGame(game) => self.set_game(*game),
            Command::Move(played) => self.take(&played),
            Command::SetContempt(contempt) => {
                self.interrupt_hint();
                self.engine.stop_pondering();
                self.contempt = contempt;
            }
            Command::SetDepth(depth) => {
                self.interrupt_hint();
                self.depth = Some(depth);
                self.send(Reply::MyName(format!("Emilia{depth}")));
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Ping(number) => {
                self.interrupt();
                // By this a client asks whether all before is done.
                self.engine.wait_for_tables();
                self.send(Reply::Pong(number));
            }
            Command::Hint(lines) => self.hint(lines),
            Command::Go => self.go(),
            Command::Learn => self.learn(),
            Command::Analyze => self.analyze(),
            Command::New => {
                self.interrupt_hint();
                self.game = Ok(GameRecord::default());
                self.engine.follow(&Position::START);
                self.clocks = Clocks::unlimited();
                self.own_times = OwnMoveTimes::default();
            }
            Command::Clear => {
                self.interrupt();
                self.engine.clear();
            }
            Command::Quit => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Stops whatever is running; nothing of it is sent after this.
    fn interrupt(&mut self) {
        self.engine.stop();
        if self.pending.take().is_some_and(|pending| pending.thinking.is_some()) {
            self.status("");
        }
    }

    /// Stops a hint or an analysis, which would be about something that has changed. A `go` is still to be answered.
    fn interrupt_hint(&mut self) {
        if self.pending.as_ref().is_some_and(|pending| !matches!(pending.goal, PendingGoal::Go)) {
            self.interrupt();
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        // A move already asked for is to be found with the options of that time.
        self.begin();
        match self.engine.set(name, value) {
            Ok(()) => {
                self.interrupt_hint();
                // Another evaluation needs its tables before a clock runs.
                if let Ok(game) = &self.game {
                    self.engine.follow(game.position());
                }
                if let Some(warning) = self.engine.options().warning(name) {
                    log::warn!("{warning}");
                    self.status(warning);
                }
            }
            Err(error) => {
                log::warn!("ignored: {error}");
                // NBoard shows about 35 characters.
                self.status(error.in_short());
            }
        }
    }

    fn set_game(&mut self, game: AnnotatedGame) {
        self.interrupt_hint();
        self.own_times.keep_for(&game.record);
        self.clocks = Clocks::after(&game, &self.own_times);
        self.engine.follow(game.record.position());
        self.game = Ok(game.record);
    }

    fn take(&mut self, played: &TimedMove) {
        let Some(mut game) = self.known_game().cloned() else { return };
        // A client that leaves forced passes out means the side that can move.
        match game.take_with_implied_pass(played.turn) {
            Ok(()) => {
                self.interrupt_hint();
                self.engine.follow(game.position());
                // A pass that was left out is no turn of the client's clock.
                if let [.., before, _] = game.positions() {
                    let cost = self.own_times.cost(before, played.turn, played.seconds);
                    self.clocks.spend(before.mover(), cost);
                }
                self.game = Ok(game);
            }
            Err(error) => {
                log::debug!("ignored: move {}: {error}", played.turn);
                self.status(format!("Illegal move: {:#}", played.turn));
            }
        }
    }

    fn hint(&mut self, lines: usize) {
        self.interrupt();
        let Some(&position) = self.known_game().map(GameRecord::position) else { return };
        if position.is_over() {
            // There is no move to give a value for.
            self.status("The game is over");
            return;
        }
        // It is the client's to end: NBoard's levels, and the longest time, are no end that it waits for.
        self.take_on(PendingGoal::Hint { lines }, Request::hint(position, lines), self.limits(MOST_TIME));
    }

    /// Adds the game to the book, if it is one that learns. The answer comes when the disk has it.
    fn learn(&mut self) {
        self.interrupt();
        let Some(game) = self.known_game() else { return };
        let learned = self.engine.options().book.as_ref().map(|book| book.learn(game));
        self.send(Reply::Learned);
        match learned {
            None => self.status("Not learned: no opening book"),
            Some(Err(BookError::Builtin)) => self.status("Not learned: no --book FILE"),
            Some(Err(BookError::Packed)) => self.status("Not learned: a packed book"),
            Some(Err(error)) => self.status(format!("Not learned: {error}")),
            Some(Ok(new)) => self.status(format!("Learned: {new} new positions")),
        }
    }

    /// Sends what the book knows of the best moves that `go` would play by it, at most this number of them, and returns these.
    fn send_book(&self, position: &Position, lines: usize) -> Vec<Move> {
        let book = self.engine.options().book_to_play_from();
        let Some(view) = book.and_then(|book| book.view(position, self.contempt)) else { return Vec::new() };
        let mut sent = Vec::new();
        for line in view.playable().take(lines) {
            sent.push(line.turn);
            let (games, draws) = view.known(line.turn).map_or((0, None), |found| (found.games, found.draws));
            let depth = line.depth.shown(position.empty_count());
            self.send(Reply::Book { hint: Hint { line, depth }, games, draws });
        }
        sent
    }

    /// The client's depth, and this time where no option bounds the search. A depth alone is no bound: NBoard always sets one, and it
    /// may be out of reach.
    fn limits(&self, most: Duration) -> Limits {
        let options = self.engine.options();
        let time = (options.time.is_none() && options.nodes.is_none()).then_some(most);
        Limits { depth: self.depth, time: time.map(TimeBudget::all_of), ..Limits::default() }
    }

    fn go(&mut self) {
        self.interrupt();
        // Without a game no answer would be legal but by chance, and any would clear the status.
        let Some(&position) = self.known_game().map(GameRecord::position) else { return };
        if position.is_over() {
            // NBoard never asks here and ignores the answer; another client may wait for one, and a pass does no harm.
            self.send(Reply::Move { turn: Move::Pass, score: None, elapsed: Duration::ZERO });
            return;
        }
        let budget = self.clocks.of(position.mover()).budget(position.empties().count());
        let asked = Request {
            limits: Limits { depth: self.depth, time: budget, ..Limits::default() },
            ..Request::best_move(position)
        };
        let limits = match budget {
            // With neither a clock nor a depth, the engine has a time of its own.
            None if self.depth.or(self.engine.options().depth).is_some() => self.limits(MOST_TIME),
            _ => asked.limits,
        };
        self.take_on(PendingGoal::Go, asked, limits);
    }

    fn analyze(&mut self) {
        self.interrupt();
        let Some(positions) = self.known_game().map(|game| game.positions().to_vec()) else { return };
        let turns = positions.len();
        self.analyze_before(positions, turns, Instant::now(), 0);
    }

    /// Goes on with the analysis of a game, begun at `started`: the values from `turns` turns on are sent, and the searches for them
    /// visited `nodes_before` positions.
    fn analyze_before(&mut self, positions: Vec<Position>, mut turns: usize, started: Instant, nodes_before: u64) {
        while let Some(earlier) = turns.checked_sub(1) {
            turns = earlier;
            let position = positions[turns];
            if let Some(score) = self.known_score(&position) {
                let score_for_black = position.mover().signed(score);
                self.send(Reply::Analysis { turns, score_for_black });
                continue;
            }
            let limits = self.limits(DEFAULT_MOVE_TIME);
            let asked = Request { limits, ..Request::hint(position, 1) };
            self.take_on(PendingGoal::Analyze { positions, turns }, asked, limits);
            if let Some(pending) = &mut self.pending {
                (pending.started, pending.nodes_before) = (started, nodes_before);
            }
            return;
        }
        self.status("");
    }

    /// What the position is worth to its side to move by the rules or by the book, whose moves would seem to lose discs by the value of a search.
    fn known_score(&self, position: &Position) -> Option<Score> {
        if position.is_over() {
            return Some(Score::from_units(self.contempt.outcome(position)));
        }
        self.engine.options().book_to_play_from()?.view(position, self.contempt)?.entry.value
    }

    /// Takes on what the client asks for, within these limits, in place of what it asked for before.
    fn take_on(&mut self, goal: PendingGoal, asked: Request, limits: Limits) {
        self.pending = Some(PendingRequest {
            goal,
            deadline: Deadline::new(&asked, self.engine.options(), !self.is_open),
            request: Request { limits, contempt: self.contempt, ..asked },
            thinking: None,
            heartbeat: never(),
            started: Instant::now(),
            nodes_before: 0,
            last_report: Report::default(),
        });
    }

    /// Begins the search for the pending request, unless that is done.
    fn begin(&mut self) {
        let Some(pending) = &mut self.pending else { return };
        if pending.thinking.is_some() {
            return;
        }
        let (options, usual) = (self.engine.options(), EngineOptions::default());
        let by = match (options.engine, options.eval) {
            (engine, eval) if eval != usual.eval => format!(": {engine} on {eval}"),
            (engine, _) if engine != usual.engine => format!(": {engine}"),
            _ => String::new(),
        };
        let (doing, hints) = match &pending.goal {
            PendingGoal::Go => ("Thinking".to_owned(), 0),
            PendingGoal::Hint { lines } => ("Analyzing".to_owned(), *lines),
            PendingGoal::Analyze { turns, .. } => (format!("Move {}", turns + 1), 0),
        };
        let position = pending.request.position;
        self.status(format!("{doing}{by}"));
        let book = if hints > 0 { self.send_book(&position, hints) } else { Vec::new() };
        if !book.is_empty() && book.len() >= hints.min(position.moves().count() as usize) {
            self.pending = None;
            self.send(Reply::NodeStats { nodes: 0, elapsed: Duration::ZERO });
            self.status("");
            return;
        }
        let Some(pending) = &mut self.pending else { return };
        if !book.is_empty() {
            // NBoard has room for one value of a move, the last one, and `go` plays by the book.
            pending.request.goal = Goal::Hint { lines: hints - book.len() };
            pending.request.except = book.iter().filter_map(|turn| turn.square()).collect();
        }
        pending.thinking = Some(self.engine.start(pending.request.clone()));
        pending.heartbeat = tick(HEARTBEAT);
    }

    /// Sends what is new in a report of the running search.
    fn send_report(&mut self, report: Report) {
        let Some(pending) = &mut self.pending else { return };
        // Pruning is normal work. In linear space a search gets on slowly: more memory would help.
        let (memory, before) = (report.memory, pending.last_report.memory);
        let is_linear_now = memory.is_in_linear_space() && !before.is_in_linear_space();
        // That a search has ended there is said when it has answered: the client clears the status then.
        let at_cap = (is_linear_now && !memory.ended_at_cap).then_some("linear space");
        let last = &pending.last_report;
        let news = report.lines != last.lines || report.depth != last.depth;
        let counted = report.nodes != last.nodes;
        let is_hint = matches!(pending.goal, PendingGoal::Hint { .. });
        let nodes = pending.nodes_before + report.nodes;
        pending.last_report = report;
        let Some(pending) = &self.pending else { return };
        if is_hint && news {
            let depth = pending.last_report.depth.shown(pending.request.position.empty_count());
            for line in &pending.last_report.lines {
                self.send(Reply::Search(Hint { line: line.clone(), depth }));
            }
        }
        if news || counted {
            self.send(Reply::NodeStats { nodes, elapsed: pending.started.elapsed() });
        }
        if let Some(at_cap) = at_cap {
            self.say_full(at_cap);
        }
    }

    /// Says that the tree's memory is full, and what comes of it.
    fn say_full(&self, consequence: &str) {
        self.status(format!("{} MB are full: {consequence}", self.engine.options().memory_mb));
    }

    /// Shows that a search goes on although it has nothing new to say.
    fn send_progress(&self) {
        let Some(pending) = &self.pending else { return };
        let nodes = pending.thinking.as_ref().map_or(0, Thinking::nodes).max(pending.last_report.nodes);
        let nodes = pending.nodes_before + nodes;
        self.send(Reply::NodeStats { nodes, elapsed: pending.started.elapsed() });
        // What was said of the memory is not to be overwritten.
        if let Some(progress) = pending.progress().filter(|_| !is_told(&pending.last_report.memory)) {
            self.status(progress);
        }
    }

    /// Ends the running search with its result. Even without a turn in it the client gets a legal move.
    fn conclude(&mut self, decision: Decision) {
        self.send_report(decision.report.clone());
        let Some(pending) = self.pending.take() else { return };
        let best = pending.last_report.lines.first();
        let ended_at_cap = pending.last_report.memory.ended_at_cap;
        match pending.goal {
            PendingGoal::Hint { .. } if ended_at_cap => self.say_full(ENDED),
            PendingGoal::Hint { .. } => self.status(""),
            PendingGoal::Go => {
                let turn = decision.legal_turn(&pending.request.position);
                // A value found for another move says nothing about this one.
                let score = best.filter(|line| line.turn == turn).map(|line| line.score);
                let elapsed = pending.started.elapsed();
                let game = self.game.as_ref().ok();
                if game.is_some_and(|game| game.positions().contains(&pending.request.position)) {
                    self.own_times.remember(pending.request.position, turn, elapsed);
                }
                self.send(Reply::Move { turn, score, elapsed });
                if ended_at_cap {
                    self.say_full(ENDED);
                }
                let has_more_to_say = !self.is_open || !self.connection.input().is_empty();
                if !has_more_to_say && game.is_some_and(|game| *game.position() == pending.request.position) {
                    self.engine.ponder(&pending.request, turn);
                }
            }
            PendingGoal::Analyze { positions, turns } => {
                if let Some(best) = best {
                    let score_for_black = pending.request.position.mover().signed(best.score);
                    self.send(Reply::Analysis { turns, score_for_black });
                }
                let nodes = pending.nodes_before + pending.last_report.nodes;
                self.analyze_before(positions, turns, pending.started, nodes);
            }
        }
    }
}
