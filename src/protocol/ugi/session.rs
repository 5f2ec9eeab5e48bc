//! A conversation with one UGI client.

use super::command::{Command, CommandError, GoLimits, Query};
use super::reply::{Fen, GameResult, Info, Reply};
use crate::clock::Clock;
use crate::engine::{Decision, Engine, EngineOption, Event, Request, Thinking};
use crate::input_line::InputLine;
use crate::othello::{Color, GameRecord, Move, Position};
use crate::protocol::end_of_input::Deadline;
use crate::protocol::stdio::{ClientGone, Connection, Inbox};
use crate::search::{Limits, Report};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Serves a client until it says `quit`, its input ends and everything read is answered, or the reader of the answers is gone.
/// `first` holds lines already read from the connection.
///
/// # Errors
/// If something of the conversation is lost, though the client is there.
pub fn serve(connection: Connection, engine: Engine, first: Vec<InputLine>) -> Result<(), String> {
    let inbox = Inbox::new(&connection, first);
    let mut session = Session { inbox, engine, game: GameRecord::default(), search: None };
    // A client that is gone has taken what it wanted.
    let _ = session.run();
    drop(session);
    connection.finish()
}

struct Session<'a> {
    /// Its waiting lines count after the search.
    inbox: Inbox<'a>,
    engine: Engine,
    game: GameRecord,
    search: Option<RunningSearch>,
}

/// A `go` that is to be answered.
struct RunningSearch {
    thinking: Thinking,
    request: Request,
    deadline: Deadline,
}

impl Session<'_> {
    fn run(&mut self) -> Result<(), ClientGone> {
        loop {
            let Some(search) = &self.search else {
                match self.inbox.next()? {
                    Some(input) if self.obey(&input).is_continue() => continue,
                    _ => return Ok(()),
                }
            };
            crossbeam::select! {
                recv(self.inbox.unread_while_searching()) -> input => match input {
                    Ok(input) => self.hear_while_searching(input),
                    Err(_) => self.end_of_input(),
                },
                recv(self.inbox.connection.closed()) -> _ => return Err(ClientGone),
                recv(search.deadline.due()) -> _ => search.thinking.stop(),
                recv(search.thinking.events()) -> event => match event.into() {
                    Event::Report(report) => self.send_report(&report),
                    Event::Finished(decision) => self.answer(&decision),
                },
            }
        }
    }

    fn send(&self, reply: &Reply<'_>) {
        self.inbox.connection.send(format!("{reply}\n"));
    }

    fn complain(&self, problem: impl ToString) {
        self.send(&Reply::Problem(problem.to_string()));
    }

    /// Takes a line while a search runs: few of them count at once.
    fn hear_while_searching(&mut self, input: InputLine) {
        let Some(search) = &self.search else { return };
        let command = match &input {
            InputLine::Bytes(line) => match Command::parse(line) {
                Err(CommandError::Empty) => return,
                command => command.ok(),
            },
            InputLine::TooLong => None,
        };
        match command {
            Some(Command::IsReady) => self.send(&Reply::ReadyOk),
            Some(Command::Stop) => {
                search.thinking.stop();
                // It is for a search that waits, too.
                if !self.inbox.waiting.is_empty() {
                    self.inbox.waiting.push_back(input);
                }
            }
            Some(Command::Quit) => {
                search.thinking.stop();
                self.inbox.waiting = VecDeque::from([input]);
            }
            _ => {
                self.inbox.waiting.push_back(input);
                // No further line is read until the search ends, so `stop` could not end it.
                if search.request.is_endless && self.inbox.is_full() {
                    search.thinking.stop();
                }
            }
        }
    }

    fn end_of_input(&mut self) {
        self.inbox.is_open = false;
        if let Some(search) = &mut self.search {
            search.deadline.begin();
        }
    }

    fn obey(&mut self, input: &InputLine) -> ControlFlow<()> {
        let command = match input {
            InputLine::Bytes(line) => Command::parse(line),
            InputLine::TooLong => {
                self.complain("line too long");
                return ControlFlow::Continue(());
            }
        };
        match command {
            Ok(Command::Ugi) => self.introduce(),
            Ok(Command::IsReady) => {
                self.engine.be_ready(self.game.position());
                self.send(&Reply::ReadyOk);
            }
            Ok(Command::NewGame) => {
                self.engine.clear();
                self.go_on_with(GameRecord::default());
            }
            Ok(Command::SetOption { name, value }) => self.set_option(&name, &value),
            Ok(Command::Position(game)) => self.go_on_with(*game),
            Ok(Command::Go(limits, ignored)) => {
                ignored.into_iter().for_each(|limit| self.complain(format!("go: expected a number behind '{limit}'")));
                self.go(&limits);
            }
            // No search runs that was asked for; one on the opponent's time may.
            Ok(Command::Stop) => self.engine.stop(),
            Ok(Command::Query(query)) => self.send(&self.response(query)),
            Ok(Command::Quit) => return ControlFlow::Break(()),
            Err(CommandError::Empty) => {}
            Err(error) => self.complain(error),
        }
        ControlFlow::Continue(())
    }

    fn introduce(&self) {
        self.send(&Reply::Name);
        self.send(&Reply::Author);
        // A client may set all again: a seed would make all games alike.
        for option in EngineOption::all().filter(|option| !option.is_for_experiments && option.name != "seed") {
            self.send(&Reply::Option { option, options: self.engine.options() });
        }
        self.send(&Reply::UgiOk);
    }

    fn set_option(&mut self, name: &str, value: &str) {
        match self.engine.set(name, value) {
            Ok(()) => {
                if let Some(warning) = self.engine.options().warning(name) {
                    self.complain(warning);
                }
            }
            Err(error) => self.complain(error),
        }
    }

    fn go_on_with(&mut self, game: GameRecord) {
        self.engine.follow(game.position());
        self.game = game;
    }

    fn response(&self, query: Query) -> Reply<'static> {
        let position = *self.game.position();
        match query {
            Query::FirstPlayersTurn => Reply::Truth(position.mover() == Color::Black),
            Query::GameOver => Reply::Truth(position.is_over()),
            Query::Result if position.is_over() => Reply::Result(GameResult::Score(position.score_for_black())),
            Query::Result => Reply::Result(GameResult::Open),
            Query::Fen => Reply::Fen(Fen(position)),
        }
    }

    fn go(&mut self, limits: &GoLimits) {
        let position = *self.game.position();
        if position.moves().is_empty() {
            self.send(&Reply::BestMove(Move::Pass));
            return;
        }
        let request = request_for(limits, position);
        let deadline = Deadline::new(&request, self.engine.options(), !self.inbox.is_open);
        let thinking = self.engine.start(request.clone());
        let is_stop =
            |input: &InputLine| matches!(input, InputLine::Bytes(line) if Command::parse(line) == Ok(Command::Stop));
        if self.inbox.waiting.iter().any(is_stop) {
            thinking.stop();
        }
        self.search = Some(RunningSearch { thinking, request, deadline });
    }

    fn send_report(&self, report: &Report) {
        let Some(search) = &self.search else { return };
        let empties = search.request.position.empties().count();
        if let Some(line) = report.lines.first() {
            self.send(&Reply::Info(Info { line, report, empties }));
        }
    }

    fn answer(&mut self, decision: &Decision) {
        let Some(search) = self.search.take() else { return };
        let turn = decision.legal_turn(&search.request.position);
        self.send(&Reply::BestMove(turn));
        // Whoever has more to say has other plans for the engine.
        if self.inbox.is_silent() {
            self.engine.ponder(&search.request, turn);
        }
    }
}

/// The search for a move in this position.
fn request_for(limits: &GoLimits, position: Position) -> Request {
    let GoLimits { time, increment, move_time, depth, nodes, is_infinite } = *limits;
    let side = position.mover() as usize;
    let of_clock = || {
        let clock = Clock::sudden_death(time[side]?, increment[side].unwrap_or_default());
        clock.budget(position.empties().count())
    };
    let of_move = move_time.and_then(|time| Clock::per_move(time).budget(position.empties().count()));
    let time = match (of_move, of_clock()) {
        (Some(of_move), Some(of_clock)) => Some(of_clock.within(of_move)),
        (of_move, of_clock) => of_move.or(of_clock),
    };
    let limits = Limits { depth, nodes, time, ..Limits::default() };
    Request { limits, is_endless: is_infinite, ..Request::best_move(position) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Depth;

    #[test]
    fn the_clock_is_that_of_the_side_to_move() {
        let seconds = std::time::Duration::from_secs;
        let told = GoLimits {
            time: [Some(seconds(60)), Some(seconds(20))],
            increment: [None, Some(seconds(1))],
            ..GoLimits::default()
        };
        let black = Position::START;
        let white = black.play("f5".parse().unwrap()).unwrap();
        for (position, main, increment) in [(black, 60, 0), (white, 20, 1)] {
            let clock = Clock::sudden_death(seconds(main), seconds(increment));
            let by_time = |clock: Clock| Limits { time: clock.budget(position.empties().count()), ..Limits::default() };
            assert_eq!(request_for(&told, position).limits, by_time(clock.clone()));
            let of_move = |time| Clock::per_move(time).budget(position.empties().count());
            let told = GoLimits { move_time: Some(seconds(3)), ..told };
            let of_clock = by_time(clock).time.unwrap();
            let both = of_clock.within(of_move(seconds(3)).unwrap());
            assert_eq!(request_for(&told, position).limits.time, Some(both));
            assert!(both.hard <= of_clock.hard && both.hard <= seconds(3));
            let alone = GoLimits { time: [None; 2], increment: [None; 2], ..told };
            assert_eq!(request_for(&alone, position).limits.time, of_move(seconds(3)));
        }
        let bounds = Limits { depth: Depth::new(4), nodes: Some(900), ..Limits::default() };
        let told = GoLimits { depth: bounds.depth, nodes: bounds.nodes, ..GoLimits::default() };
        assert_eq!(request_for(&told, black).limits, bounds);
        assert_eq!(request_for(&GoLimits::default(), black), Request::best_move(black));
        let endless = request_for(&GoLimits { is_infinite: true, ..GoLimits::default() }, black);
        assert_eq!(endless, Request { is_endless: true, ..Request::best_move(black) });
    }
}
