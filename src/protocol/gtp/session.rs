//! A conversation with one GTP client.

use super::analysis::{Analysis, Stream, StreamFormat};
use super::command::{Command, CommandLine, RulesQuery, command_names, is_interrupt, is_stop, parse_line};
use super::game::{Demand, GtpGame};
use super::reply::{Failure, Reply, Response, book_line, search_stats, value_labels};
use super::sgf_file;
use crate::clock::Clock;
use crate::engine::{DEFAULT_MOVE_TIME, Decision, Engine, EngineOption, EngineOptions, Event, Request, Thinking};
use crate::input_line::InputLine;
use crate::notation::read_position;
use crate::othello::{Color, Empties, Move, Position};
use crate::protocol::end_of_input::Deadline;
use crate::protocol::stdio::{ClientGone, Connection, Inbox};
use crate::search::{Contempt, Limits, Report, TimeBudget};
use crossbeam::channel::{Receiver, never};
use crossbeam::select;
use std::time::{Duration, Instant};

/// Answers a client until it says `quit`, its input ends and everything read is answered, or the reader of the answers is gone.
/// `first` holds lines already read from the connection.
///
/// # Errors
/// If something of the conversation is lost, though the client is there.
pub fn serve(connection: Connection, engine: Engine, first: Vec<InputLine>) -> Result<(), String> {
    let mut session = Session {
        inbox: Inbox::new(&connection, first),
        engine,
        game: GtpGame::default(),
        time_settings: TimeSettings::default(),
        clocks: [Clock::unlimited(), Clock::unlimited()],
        last_search: None,
    };
    // A client that is gone has taken what it wanted.
    let _ = session.run();
    drop(session);
    connection.finish()
}

/// What GoGui offers in its window of analyses: a type, a label and a command for each.
const ANALYZE_COMMANDS: &str = "gfx/Values/emilia-values\nparam/Options/emilia-set\n\
                                string/Last Search/emilia-stats\nstring/Opening Book/emilia-book";

/// What `time_settings` agreed on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct TimeSettings {
    main: Duration,
    period: Duration,
    moves: u32,
}

impl TimeSettings {
    /// `0 1 0` is how clients say that there is no limit, though one of them means a second per move.
    const NO_LIMIT: TimeSettings = TimeSettings { main: Duration::ZERO, period: Duration::from_secs(1), moves: 0 };

    /// The clock that a side starts a game with.
    fn clock(self) -> Clock {
        let TimeSettings { main, period, moves } = self;
        match (main.is_zero(), period.is_zero(), moves) {
            (true, true, _) => Clock::unlimited(),
            (false, true, _) => Clock::sudden_death(main, Duration::ZERO),
            (true, false, 0) if self == TimeSettings::NO_LIMIT => Clock::unlimited(),
            (true, false, 0) => Clock::per_move(period),
            (false, false, 0) => Clock::sudden_death(main, period),
            (_, false, moves) => Clock::canadian(main, period, moves),
        }
    }
}

/// Whether the client has said something that ends an analysis. Comments and blank lines end those of other engines' formats only; else they
/// are dropped.
fn ends_analysis(inbox: &mut Inbox<'_>, format: StreamFormat) -> bool {
    while format == StreamFormat::Emilia
        && let Some(InputLine::Bytes(line)) = inbox.waiting.front()
    {
        if parse_line(line).is_some() {
            break;
        }
        inbox.waiting.pop_front();
    }
    !inbox.waiting.is_empty()
}

/// Whether GoGui's comment that asks for the move at once stands before the next command: it is for the search that begins.
fn is_interrupted(inbox: &Inbox<'_>) -> bool {
    let mut comments = inbox.waiting.iter().map_while(|line| match line {
        InputLine::Bytes(line) if parse_line(line).is_none() => Some(line),
        _ => None,
    });
    comments.any(|line| is_interrupt(line))
}

/// What the search or the client did while a search runs.
enum SearchEvent {
    Report(Report),
    Finished(Decision),
    /// The search is to end, because of GoGui's comment if there is one.
    Interrupt(Option<InputLine>),
    Input,
    /// It is time to say again what is known.
    Tick,
}

struct Session<'a> {
    inbox: Inbox<'a>,
    engine: Engine,
    game: GtpGame,
    time_settings: TimeSettings,
    clocks: [Clock; 2],
    /// The last report of the last search, the empty squares of its position, and the options it ran with.
    last_search: Option<(Report, Empties, EngineOptions)>,
}

impl Session<'_> {
    fn run(&mut self) -> Result<(), ClientGone> {
        while let Some(input) = self.inbox.next()? {
            let line = match input {
                InputLine::TooLong => CommandLine { id: None, command: Err(Failure::LineTooLong) },
                InputLine::Bytes(bytes) => match parse_line(&bytes) {
                    Some(line) => line,
                    None => continue,
                },
            };
            let id = line.id;
            let quit = line.command == Ok(Command::Quit);
            let outcome = match line.command {
                Ok(Command::Analyze(analysis)) => {
                    self.analyze(id, &analysis)?;
                    continue;
                }
                Ok(Command::GenMoveAnalyze(analysis)) => {
                    self.generate_with_analysis(id, &analysis)?;
                    continue;
                }
                Ok(command) => self.execute(command)?,
                Err(failure) => Err(failure),
            };
            self.inbox.connection.send(Response { id, outcome }.to_string());
            if quit {
                break;
            }
        }
        Ok(())
    }

    /// Executes a command. The outer result is about the client, the inner about the command.
    fn execute(&mut self, command: Command) -> Result<Result<Reply, Failure>, ClientGone> {
        let text = |text: &str| Reply::Text(text.to_owned());
        Ok(match command {
            Command::ProtocolVersion => Ok(text("2")),
            Command::Name => Ok(text("Emilia")),
            Command::Version => Ok(text(env!("CARGO_PKG_VERSION"))),
            Command::KnownCommand(name) => Ok(Reply::Truth(command_names().any(|known| known == name))),
            Command::ListCommands => Ok(Reply::Text(command_names().collect::<Vec<_>>().join("\n"))),
            Command::Quit | Command::Komi | Command::Interrupt => Ok(Reply::Done),
            Command::Stop => {
                self.engine.stop();
                Ok(Reply::Done)
            }
            Command::BoardSize(8) | Command::ClearBoard => {
                self.engine.clear();
                self.last_search = None;
                let begun = self.begin(GtpGame::default());
                self.clocks = [(); 2].map(|()| self.time_settings.clock());
                Ok(begun)
            }
            Command::BoardSize(_) => Err(Failure::UnacceptableSize),
            Command::Play(color, turn) => self.game.play(color, turn).map(|()| {
                self.be_ready();
                Reply::Done
            }),
            Command::GenMove(color) => return self.generate(color, None),
            Command::RegGenMove(color) => match self.game.demand(color) {
                Ok(demand) => Ok(Reply::Turn(self.choose(demand, color, None)?)),
                Err(failure) => Err(failure),
            },
            Command::Undo => self.game.undo().map(|()| {
                self.be_ready();
                self.clocks.iter_mut().for_each(Clock::distrust);
                Reply::Done
            }),
            Command::TimeSettings { main, period, moves } => {
                self.be_ready();
                self.time_settings = TimeSettings { main, period, moves };
                self.clocks = [(); 2].map(|()| self.time_settings.clock());
                Ok(Reply::Done)
            }
            Command::TimeLeft { color, time, moves } => {
                self.time_left(color, time, moves);
                Ok(Reply::Done)
            }
            Command::FinalScore => self.final_score().map(Reply::Score),
            Command::ShowBoard => Ok(Reply::Board(*self.game.position())),
            Command::ListGames => Ok(text("Othello")),
            Command::SetGame(name) if name.eq_ignore_ascii_case("Othello") => Ok(Reply::Done),
            Command::SetGame(_) => Err(Failure::UnsupportedGame),
            Command::Rules(query) => Ok(self.rules(query)),
            Command::Set { option, value } => {
                let set = self.engine.set(&option, &value).map_err(Failure::Option);
                set.map(|()| {
                    // Another evaluation needs its tables before a clock runs.
                    self.be_ready();
                    self.engine.options().warning(&option).map_or(Reply::Done, Reply::Text)
                })
            }
            Command::Parameters => Ok(Reply::Text(self.parameters())),
            Command::Get(name) => self.option(name.as_deref()),
            Command::AnalyzeCommands => Ok(text(ANALYZE_COMMANDS)),
            Command::Stats => match &self.last_search {
                Some((report, empties, options)) => {
                    Ok(Reply::Text(search_stats(report, *empties, options).to_string()))
                }
                None => Err(Failure::NoSearchYet),
            },
            Command::Values => return self.values(),
            Command::Book => Ok(self.book()),
            Command::LoadSgf { path, before } => sgf_file::load(&path, before).map(|game| self.begin(game)),
            Command::SetBoard(text) => match read_position(&text) {
                Ok(record) => Ok(self.begin(GtpGame::from_record(record))),
                Err(error) => Err(Failure::BadPosition(error.to_string())),
            },
            Command::Analyze(_) | Command::GenMoveAnalyze(_) => unreachable!("they answer for themselves"),
        })
    }

    /// Another game or position; the clocks may have been set with it.
    fn begin(&mut self, game: GtpGame) -> Reply {
        self.game = game;
        self.be_ready();
        self.clocks.iter_mut().for_each(Clock::distrust);
        Reply::Done
    }

    /// Tells the engine where the game is now, and waits until it is ready for that: with what begins a game, no clock runs before the answer.
    fn be_ready(&mut self) {
        self.engine.follow(self.game.position());
        self.engine.wait_for_tables();
    }

    fn time_left(&mut self, color: Color, time: Duration, moves: u32) {
        let clock = &mut self.clocks[color as usize];
        let has_no_limit = clock.budget(60).is_none();
        if has_no_limit
            && self.time_settings == TimeSettings::NO_LIMIT
            && time == self.time_settings.period
            && moves == 0
        {
            // No client that has no limit reports a clock: this one does mean a second for each move.
            *clock = Clock::per_move(time);
        }
        clock.set_left(time, moves);
    }

    fn final_score(&self) -> Result<i32, Failure> {
        let position = self.game.position();
        if position.is_over() { Ok(position.score_for_black()) } else { Err(Failure::CannotScore) }
    }

    fn rules(&self, query: RulesQuery) -> Reply {
        let position = self.game.position();
        match query {
            RulesQuery::GameId => Reply::Text("Othello".to_owned()),
            RulesQuery::BoardSize => Reply::Text("8".to_owned()),
            RulesQuery::Board => Reply::RulesBoard(*position),
            RulesQuery::SideToMove => Reply::Side(position.mover()),
            RulesQuery::LegalMoves => Reply::Turns(*position),
            RulesQuery::FinalResult => match self.final_score() {
                Ok(score) => Reply::Winner(score),
                Err(_) => Reply::Text("the game is not over".to_owned()),
            },
        }
    }

    fn option(&self, name: Option<&str>) -> Result<Reply, Failure> {
        let options = self.engine.options();
        Ok(Reply::Text(match name {
            Some(name) => options.get(name)?,
            None => {
                let lines = EngineOption::all().map(|option| format!("{} {}", option.name, option.show(options)));
                lines.collect::<Vec<_>>().join("\n")
            }
        }))
    }

    /// The options that the engine reads, as lines `[TYPE] NAME VALUE` for GoGui's dialog. What it saves it sets again: a seed would make all games
    /// alike.
    fn parameters(&self) -> String {
        let options = self.engine.options();
        let is_shown = |option: &&EngineOption| {
            option.is_read_by(options.engine) && !option.is_for_experiments && option.name != "seed"
        };
        let lines = EngineOption::all().filter(is_shown).map(|option| {
            let kind = option.names().map_or("string".to_owned(), |names| format!("list/{}", names.join("/")));
            format!("[{kind}] {} {}", option.name, option.show(options))
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What every move is worth, by a search within the options' limits, or of two seconds.
    fn values(&mut self) -> Result<Result<Reply, Failure>, ClientGone> {
        let position = *self.game.position();
        if position.is_over() {
            return Ok(Ok(Reply::Done));
        }
        let time = (!self.engine.options().is_bounded()).then(|| TimeBudget::per_move(DEFAULT_MOVE_TIME));
        let limits = Limits { time, ..Limits::default() };
        let decision = self.think(Request { limits, ..Request::hint(position, usize::MAX) }, None)?;
        let values = value_labels(&decision.report, position.empty_count()).to_string();
        self.remember(&position, decision.report);
        Ok(Ok(Reply::Text(values)))
    }

    /// What the book knows of the moves, a line each.
    fn book(&self) -> Reply {
        let view =
            self.engine.options().book_to_play_from().and_then(|book| book.view(self.game.position(), Contempt::NONE));
        let Some(view) = view else { return Reply::Done };
        let empties = self.game.position().empty_count();
        let lines = view.lines().map(|line| {
            let games = view.known(line.turn).map_or(0, |found| found.games);
            book_line(&line, empties, games).to_string()
        });
        Reply::Text(lines.collect::<Vec<_>>().join("\n"))
    }

    fn generate(
        &mut self,
        color: Color,
        stream: Option<&mut Stream<'_>>,
    ) -> Result<Result<Reply, Failure>, ClientGone> {
        let asked = Instant::now();
        let demand = match self.game.demand(color) {
            Ok(demand) => demand,
            Err(failure) => return Ok(Err(failure)),
        };
        let turn = self.choose(demand, color, stream)?;
        let outcome = self.game.play(color, turn).map(|()| Reply::Turn(turn));
        if let Demand::Choose(position) = demand {
            self.clocks[color as usize].spend(asked.elapsed());
            self.engine.follow(self.game.position());
            // Whoever has more to say has other plans for the engine.
            if self.inbox.is_silent() {
                self.engine.ponder(&self.request(position, color), turn);
            }
        }
        Ok(outcome)
    }

    /// The request for a move within the colour's clock.
    fn request(&self, position: Position, color: Color) -> Request {
        let time = self.clocks[color as usize].budget(position.empties().count());
        Request { limits: Limits { time, ..Limits::default() }, ..Request::best_move(position) }
    }

    /// Thinks within the colour's clock, unless only a pass will do, and shows what is found in the stream. The turn is legal.
    fn choose(&mut self, demand: Demand, color: Color, stream: Option<&mut Stream<'_>>) -> Result<Move, ClientGone> {
        let Demand::Choose(position) = demand else { return Ok(Move::Pass) };
        let decision = self.think(self.request(position, color), stream)?;
        let turn = decision.legal_turn(&position);
        self.remember(&position, decision.report);
        Ok(turn)
    }

    /// Thinks about a request until it is answered or interrupted, and shows what is found in the stream.
    fn think(&mut self, request: Request, mut stream: Option<&mut Stream<'_>>) -> Result<Decision, ClientGone> {
        let never = never();
        let mut deadline = Deadline::new(&request, self.engine.options(), !self.inbox.is_open);
        let thinking = match stream {
            Some(_) => self.engine.start(request),
            None => self.engine.start_quietly(request),
        };
        if self.inbox.waiting.iter().any(is_stop) || is_interrupted(&self.inbox) {
            thinking.stop();
        }
        loop {
            let ticks = stream.as_ref().map_or(&never, |stream| stream.ticks()).clone();
            match (self.next_event(&thinking, &mut deadline, &ticks)?, &mut stream) {
                (SearchEvent::Finished(decision), _) => break Ok(decision),
                (SearchEvent::Interrupt(_), _) => thinking.stop(),
                (SearchEvent::Report(report), Some(stream)) => stream.take(report),
                (SearchEvent::Tick, Some(stream)) => stream.repeat(),
                (SearchEvent::Report(_) | SearchEvent::Tick | SearchEvent::Input, _) => {}
            }
        }
    }

    /// Keeps a report for `emilia-stats`; one without lines is of a game that is over.
    fn remember(&mut self, position: &Position, report: Report) {
        if !report.lines.is_empty() {
            self.last_search = Some((report, position.empty_count(), self.engine.options().clone()));
        }
    }

    /// Waits for the search or the client, whichever does something first. A deadline that is due counts as an interrupt.
    fn next_event(
        &mut self,
        thinking: &Thinking,
        deadline: &mut Deadline,
        ticks: &Receiver<Instant>,
    ) -> Result<SearchEvent, ClientGone> {
        let inbox = &mut self.inbox;
        select! {
            recv(inbox.connection.closed()) -> _ => Err(ClientGone),
            recv(ticks) -> _ => Ok(SearchEvent::Tick),
            recv(deadline.due()) -> _ => Ok(SearchEvent::Interrupt(None)),
            recv(thinking.events()) -> event => Ok(match event.into() {
                Event::Report(report) => SearchEvent::Report(report),
                Event::Finished(decision) => SearchEvent::Finished(decision),
            }),
            recv(inbox.unread_while_searching()) -> line => {
                match line {
                    Ok(InputLine::Bytes(line)) if is_interrupt(&line) => {
                        return Ok(SearchEvent::Interrupt(Some(InputLine::Bytes(line))));
                    }
                    Ok(line) => {
                        let stops = is_stop(&line);
                        inbox.waiting.push_back(line);
                        if stops {
                            return Ok(SearchEvent::Interrupt(None));
                        }
                    }
                    Err(_) => {
                        inbox.is_open = false;
                        deadline.begin();
                    }
                }
                Ok(SearchEvent::Input)
            },
        }
    }

    /// Streams the best moves until the client says something: one response, whose lines come as they are known and whose empty line
    /// comes at the end. `emilia-analyze` also ends where there is nothing more to find out.
    fn analyze(&mut self, id: Option<u32>, analysis: &Analysis) -> Result<(), ClientGone> {
        let request = match self.analyzed(analysis) {
            Ok(request) => request,
            Err(failure) => {
                self.inbox.connection.send(Response { id, outcome: Err(failure) }.to_string());
                return Ok(());
            }
        };
        let position = request.position;
        let mut deadline = Deadline::new(&request, self.engine.options(), !self.inbox.is_open);
        let thinking = self.engine.start(request);
        let mut stream = Stream::new(self.inbox.connection, id, analysis, position.empty_count());
        stream.begin();
        let mut has_enough = analysis.format == StreamFormat::Emilia;
        // The comment may have come while the command waited.
        if is_interrupted(&self.inbox) {
            thinking.stop();
            has_enough = true;
        }
        let decision = loop {
            if ends_analysis(&mut self.inbox, analysis.format) {
                thinking.stop();
            }
            match self.next_event(&thinking, &mut deadline, stream.ticks())? {
                SearchEvent::Report(report) => stream.take(report),
                SearchEvent::Finished(decision) => break decision,
                SearchEvent::Interrupt(comment) => {
                    thinking.stop();
                    has_enough = true;
                    // Behind a command it is for that one.
                    if !self.inbox.waiting.is_empty() {
                        self.inbox.waiting.extend(comment);
                    }
                }
                SearchEvent::Tick => stream.repeat(),
                SearchEvent::Input => {}
            }
        };
        stream.take(decision.report.clone());
        self.remember(&position, decision.report);
        if !has_enough {
            // What is known stays on the screen until the client says something.
            stream.flush();
            self.inbox.wait()?;
        }
        stream.end(None);
        Ok(())
    }

    /// What an analysis asks the engine.
    fn analyzed(&self, analysis: &Analysis) -> Result<Request, Failure> {
        let position = self.game.position();
        let color = analysis.color.unwrap_or(position.mover());
        let position = match self.game.demand(color)? {
            Demand::Choose(position) => position,
            Demand::Pass if position.mover() == color || position.is_over() => *position,
            Demand::Pass => return Err(Failure::NotToMove(position.mover())),
        };
        let except = analysis.except(&position, self.engine.options().engine)?;
        Ok(Request { except, ..Request::hint(position, analysis.lines) })
    }

    /// Like [`Session::generate`], with an analysis of the search as it goes on; the last line has the move.
    fn generate_with_analysis(&mut self, id: Option<u32>, analysis: &Analysis) -> Result<(), ClientGone> {
        let color = analysis.color.unwrap_or(self.game.position().mover());
        let mut stream = Stream::new(self.inbox.connection, id, analysis, self.game.position().empty_count());
        let outcome = match analysis.restrictions.is_empty() {
            true => self.generate(color, Some(&mut stream))?,
            false => Err(Failure::RestrictedGenMove),
        };
        match outcome {
            Ok(reply) => stream.end(Some(format!("play {reply}"))),
            Err(failure) => self.inbox.connection.send(Response { id, outcome: Err(failure) }.to_string()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_settings_are_read_as_clients_mean_them() {
        let clock = |main, period, moves| {
            let (main, period) = (Duration::from_secs(main), Duration::from_secs(period));
            TimeSettings { main, period, moves }.clock()
        };
        let s = Duration::from_secs;
        assert_eq!(clock(0, 0, 0), Clock::unlimited());
        assert_eq!(clock(0, 1, 0), Clock::unlimited());
        assert_eq!(clock(600, 0, 0), Clock::sudden_death(s(600), s(0)));
        assert_eq!(clock(600, 0, 25), Clock::sudden_death(s(600), s(0)));
        assert_eq!(clock(0, 5, 0), Clock::per_move(s(5)));
        assert_eq!(clock(60, 2, 0), Clock::sudden_death(s(60), s(2)));
        assert_eq!(clock(60, 1, 0), Clock::sudden_death(s(60), s(1)));
        assert_eq!(clock(0, 5, 1), Clock::canadian(s(0), s(5), 1));
        assert_eq!(clock(60, 30, 1), Clock::canadian(s(60), s(30), 1));
        assert_eq!(clock(600, 300, 25), Clock::canadian(s(600), s(300), 25));
    }
}
