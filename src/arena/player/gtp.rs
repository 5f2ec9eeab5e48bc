//! A program that speaks GTP.
//!
//! Engines deviate from the protocol, and the driver avoids what any of them is known to stumble over: it sends one
//! command at a time and waits for the response, numbers no command, writes colours small and squares in capitals as
//! Quarry does, and does not mention forced passes unless a program insists. It takes responses with a number before
//! the text, with lines in front of them, and without the empty line behind them.

use super::fault::{Fault, StartError, shown};
use super::process::{NoLine, Process};
use super::question::{Action, Answer, GameSetup, Player, Timeouts, Turn, plies};
use super::spec::{Passes, PlayerProtocol, PlayerSpec};
use crate::clock::time_control::{SideClock, Terms, TimeControl};
use crate::notation::transcript::parse_turn;
use crate::othello::{Color, Move, Position};
use std::time::{Duration, Instant};

/// How long the empty line behind a response is waited for.
const TERMINATOR: Duration = Duration::from_millis(200);
/// A longer response is that of a program that does not stop.
pub(in crate::arena) const MOST_RESPONSE_BYTES: usize = 1 << 20;

/// The command that Emilia has for what it thought of its last move.
const STATS: &str = "emilia-stats";

/// The driver.
pub(super) struct GtpPlayer {
    process: Process,
    /// The player's name in the match.
    name: String,
    /// What a person should know of it.
    warning: Option<String>,
    /// What `list_commands` said; `None` if it failed.
    commands: Option<Vec<String>>,
    tell_limits: bool,
    passes: Passes,
    timeouts: Timeouts,
    terminator: Duration,
    /// The seed to which the number of the game is added, for an Emilia that chooses its moves at random.
    seed: Option<u64>,
    /// Whether it was told to think on the opponent's time.
    ponders: bool,
    /// How many turns of the game the program knows.
    sent_turns: usize,
}

/// A response to a command.
pub(super) struct Response {
    /// Whether it begins with `=`.
    pub success: bool,
    /// What follows, without the number of the command.
    pub text: String,
    /// When its first line came.
    pub at: Instant,
}

impl GtpPlayer {
    /// Gets a program that has just been started ready for its first game.
    pub(super) fn new(
        process: Process,
        spec: &PlayerSpec,
        terms: &Terms,
        timeouts: Timeouts,
    ) -> Result<GtpPlayer, StartError> {
        let mut player = GtpPlayer {
            process,
            name: spec.name.clone(),
            warning: None,
            commands: None,
            tell_limits: spec.tell_limits,
            passes: spec.passes,
            // Loading may take a while before the first answer.
            timeouts: Timeouts { reply: timeouts.start, ..timeouts },
            terminator: TERMINATOR,
            seed: spec.random_seed(),
            ponders: spec.ponders(),
            sent_turns: 0,
        };
        player.get_ready(spec, terms, timeouts).map_err(|error| error.with_last_words(&mut player.process))?;
        Ok(player)
    }

    fn get_ready(&mut self, spec: &PlayerSpec, terms: &Terms, timeouts: Timeouts) -> Result<(), StartError> {
        let list = self.ask("list_commands")?;
        if list.success {
            self.commands = Some(list.text.split_whitespace().map(str::to_owned).collect());
        }
        self.timeouts = timeouts;
        for command in ["name", "version"] {
            let response = self.ask(command)?;
            if response.success {
                log::info!("{}: its {command} is {}", self.name, shown(&response.text));
            }
        }
        self.choose_game()?;
        self.set_options(spec)?;
        self.send_limits(terms)?;
        for line in &spec.init {
            self.insist(line)?;
        }
        Ok(())
    }

    /// Whether the program lists the command. One that lists nothing is believed to know the protocol's own alone.
    fn knows(&self, command: &str) -> bool {
        const STANDARD: [&str; 6] = ["boardsize", "clear_board", "play", "genmove", "time_settings", "time_left"];
        match &self.commands {
            Some(commands) => commands.iter().any(|known| known == command),
            None => STANDARD.contains(&command),
        }
    }

    fn is_emilia(&self) -> bool {
        self.knows("emilia-set")
    }

    /// The command that takes a position as 64 squares and the side to move.
    fn set_up_command(&self) -> Option<&'static str> {
        ["emilia-setboard", "setboard"].into_iter().find(|command| self.knows(command))
    }

    fn choose_game(&mut self) -> Result<(), StartError> {
        if self.knows("set_game") && !self.ask("set_game Othello")?.success {
            self.insist("set_game Reversi")?;
        }
        if self.knows("boardsize") {
            self.insist("boardsize 8")?;
        }
        Ok(())
    }

    fn set_options(&mut self, spec: &PlayerSpec) -> Result<(), StartError> {
        if !spec.options.is_empty() && !self.is_emilia() {
            return Err(StartError::Unsupported(
                "it does not know emilia-set, by which options are set over GTP; use init='COMMAND' or its command line"
                    .to_owned(),
            ));
        }
        for (name, value) in &spec.options {
            self.insist(&format!("emilia-set {name} {value}"))?;
        }
        Ok(())
    }

    fn send_limits(&mut self, terms: &Terms) -> Result<(), StartError> {
        let cannot = |limit| Err(StartError::cannot_be_told(PlayerProtocol::Gtp, limit));
        let emilia = self.is_emilia();
        if let Some(depth) = terms.depth {
            let command = match () {
                () if emilia => "emilia-set depth",
                () if self.knows("set_level") => "set_level",
                () => return cannot("the depth"),
            };
            self.insist(&format!("{command} {depth}"))?;
        }
        if let Some(nodes) = terms.nodes {
            if !emilia {
                return cannot("the number of nodes");
            }
            self.insist(&format!("emilia-set nodes {nodes}"))?;
        }
        match terms.time {
            None => {}
            Some(TimeControl::PerMove(time)) if emilia => {
                self.insist(&format!("emilia-set time {}", time.as_secs_f64()))?;
            }
            Some(_) if !self.knows("time_settings") => return cannot("the time: it does not know time_settings"),
            // Fractions are an extension that Emilia has.
            Some(_) if emilia => {}
            Some(TimeControl::PerMove(time) | TimeControl::PerGame { main: time, .. }) if time.as_secs() == 0 => {
                return cannot("less than a second");
            }
            Some(TimeControl::PerGame { increment, .. }) if !increment.is_zero() && !self.knows("time_left") => {
                return cannot("the increment: it does not know time_left");
            }
            Some(TimeControl::PerGame { increment, .. }) if increment.subsec_nanos() != 0 => {
                let warning = "over GTP it gets whole seconds, rounded down; its increment has a fraction";
                self.warning = Some(warning.to_owned());
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Sends a command and waits for the response.
    pub(super) fn ask(&mut self, command: &str) -> Result<Response, Fault> {
        let wait = self.timeouts.reply;
        self.ask_within(command, wait)?.ok_or_else(|| Fault::Silent(command.to_owned(), wait, String::new()))
    }

    /// Sends a command that must not fail.
    fn insist(&mut self, command: &str) -> Result<String, Fault> {
        let response = self.ask(command)?;
        if response.success { Ok(response.text) } else { Err(refused(command, &response.text)) }
    }

    /// Sends a command; `None` if there is no response in time.
    fn ask_within(&mut self, command: &str, wait: Duration) -> Result<Option<Response>, Fault> {
        for line in self.process.unasked().filter(|line| !line.text.trim().is_empty()) {
            log::info!("{}: ignored a line that nobody asked for: {}", self.name, line.text);
        }
        let deadline = Instant::now() + wait;
        self.process.send(command);
        loop {
            let Some(line) = self.process.whole_line(deadline)? else { return Ok(None) };
            let text = line.text.trim_start();
            if text.starts_with(['=', '?']) {
                return self.read_rest(command, text, line.at).map(Some);
            }
            if !text.is_empty() {
                log::debug!("{}: ignored a line in front of the response: {text}", self.name);
            }
        }
    }

    /// The lines of a response behind its first, up to the empty one.
    fn read_rest(&mut self, command: &str, first: &str, at: Instant) -> Result<Response, Fault> {
        let end = at + self.timeouts.reply;
        let success = first.starts_with('=');
        let mut text = first[1..].trim_start_matches(|c: char| c.is_ascii_digit()).trim().to_owned();
        loop {
            match self.process.next_line(Instant::now() + self.terminator) {
                Ok(line) if line.text.trim().is_empty() => break,
                Ok(line) if !line.whole => return Err(self.process.cut_off(&line)),
                Ok(line) if line.at > end || text.len() > MOST_RESPONSE_BYTES => {
                    return Err(Fault::Protocol(format!("the response to '{command}' does not end")));
                }
                Ok(line) => {
                    text.push('\n');
                    text.push_str(line.text.trim_end());
                }
                Err(NoLine::Late) => {
                    if self.terminator == TERMINATOR {
                        log::info!("{}: no empty line behind the response '{first}'", self.name);
                    }
                    self.terminator = Duration::from_millis(5);
                    break;
                }
                // The response is there; the next command finds the program gone.
                Err(NoLine::Closed) => break,
                Err(NoLine::StoodStill(time)) => return Err(Fault::StoodStill(time)),
            }
        }
        Ok(Response { success, text, at })
    }

    /// Sends the turns that the program does not know yet.
    fn send_turns(&mut self, turn: &Turn<'_>) -> Result<(), Fault> {
        let turns = turn.record.turns();
        while let Some(&next) = turns.get(self.sent_turns) {
            let color = turn.record.positions()[self.sent_turns].mover();
            if next != Move::Pass || self.passes == Passes::Explicit {
                let command = play(color, next);
                let response = self.ask(&command)?;
                if !response.success && self.passed_in_silence(turns) {
                    self.speak_of_passes(!color)?;
                    self.insist(&command)?;
                } else if !response.success {
                    return Err(refused(&command, &response.text));
                }
            }
            self.sent_turns += 1;
        }
        Ok(())
    }

    /// Whether the turn before the next one to be sent was a pass that was not mentioned, in a program that may want to
    /// hear of it.
    fn passed_in_silence(&self, turns: &[Move]) -> bool {
        self.passes == Passes::Detect && self.sent_turns > 0 && turns.get(self.sent_turns - 1) == Some(&Move::Pass)
    }

    /// From here on passes are mentioned, beginning with the last one.
    fn speak_of_passes(&mut self, color: Color) -> Result<(), Fault> {
        log::info!("{}: wants to be told of passes", self.name);
        self.passes = Passes::Explicit;
        self.insist(&play(color, Move::Pass)).map(drop)
    }

    fn send_time(&mut self, color: Color, clock: &SideClock) -> Result<(), Fault> {
        let (Some(left), Some(control)) = (clock.left(), clock.control()) else { return Ok(()) };
        if !self.tell_limits || !self.knows("time_left") {
            return Ok(());
        }
        let stones = match control {
            TimeControl::PerMove(_) if self.is_emilia() => return Ok(()),
            TimeControl::PerMove(_) => 1,
            TimeControl::PerGame { .. } => 0,
        };
        self.insist(&format!("time_left {color} {} {stones}", self.seconds(left))).map(drop)
    }

    /// A time as it is sent. Where it takes no fractions, it is rounded down: a program must not plan with more time than it has.
    fn seconds(&self, time: Duration) -> f64 {
        if self.is_emilia() { time.as_secs_f64() } else { time.as_secs() as f64 }
    }

    /// Asks for a move for which this time has been spent already. Returns the time spent in all.
    fn generate(&mut self, turn: &Turn<'_>, spent: Duration) -> Result<(Response, Duration), Fault> {
        let wait = turn.wait(&self.timeouts);
        let command = format!("genmove {}", turn.color());
        let asked = Instant::now();
        match self.ask_within(&command, wait.saturating_sub(spent))? {
            Some(response) => {
                let elapsed = spent + response.at.saturating_duration_since(asked);
                Ok((response, elapsed))
            }
            None => Err(turn.late(&command, wait)),
        }
    }

    /// What Emilia says about its search.
    fn add_stats(&mut self, answer: &mut Answer) -> Result<(), Fault> {
        if !self.knows(STATS) {
            return Ok(());
        }
        let response = self.ask(STATS)?;
        if response.success {
            let value = |name: &str| {
                let mut lines = response.text.lines().filter_map(|line| line.split_once(' '));
                lines.find(|(key, _)| *key == name).map(|(_, value)| value)
            };
            answer.eval = value("score").and_then(|text| text.parse().ok());
            answer.nodes = value("nodes").and_then(|text| text.parse().ok());
            answer.depth = value("depth").and_then(plies);
        }
        Ok(())
    }

    fn begin_game(&mut self, setup: &GameSetup) -> Result<(), Fault> {
        self.sent_turns = 0;
        self.insist("clear_board")?;
        if setup.start != Position::START {
            let command = self.set_up_command().ok_or_else(|| {
                Fault::Protocol("it knows no command to set up the position of this opening".to_owned())
            })?;
            self.insist(&format!("{command} {}", setup.start))?;
        }
        if let Some(seed) = self.seed {
            self.insist(&format!("emilia-set seed {}", seed.wrapping_add(setup.game)))?;
        }
        if !self.tell_limits {
            return Ok(());
        }
        let settings = match setup.clock.control() {
            None => return Ok(()),
            Some(TimeControl::PerMove(_)) if self.is_emilia() => return Ok(()),
            Some(TimeControl::PerMove(time)) => format!("0 {} 1", self.seconds(time)),
            // That a period without stones is an increment is a custom of one client, which Emilia follows; others would
            // think that there is no limit. They see the increments in time_left.
            Some(TimeControl::PerGame { main, increment }) if self.is_emilia() => {
                format!("{} {} 0", self.seconds(main), self.seconds(increment))
            }
            Some(TimeControl::PerGame { main, .. }) => format!("{} 0 0", self.seconds(main)),
        };
        self.insist(&format!("time_settings {settings}")).map(drop)
    }

    fn take_turn(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        self.send_turns(turn)?;
        self.send_time(turn.color(), turn.clock())?;
        let (mut response, mut elapsed) = self.generate(turn, Duration::ZERO)?;
        let passes = |response: &Response| parse_vertex(&response.text) == Some(Action::Take(Move::Pass));
        if (!response.success || passes(&response)) && self.passed_in_silence(turn.record.turns()) {
            // For the program it is the other side's turn.
            self.speak_of_passes(!turn.color())?;
            (response, elapsed) = self.generate(turn, elapsed)?;
        }
        let command = format!("genmove {}", turn.color());
        if !response.success {
            return Err(refused(&command, &response.text));
        }
        let action = parse_vertex(&response.text).ok_or_else(|| {
            Fault::Protocol(format!("expected a square, pass or resign to '{command}', got '{}'", response.text))
        })?;
        let mut answer = Answer { action, elapsed, eval: None, depth: None, nodes: None };
        self.sent_turns = turn.record.turns().len() + 1;
        // The move is there in time, whatever is said of it. A program that is gone is found out by the next command.
        match self.add_stats(&mut answer) {
            Ok(()) => {}
            Err(fault @ Fault::StoodStill(_)) => return Err(fault),
            Err(fault) => {
                log::warn!("player {}: {fault}; it is not asked for them again", self.name);
                self.commands.iter_mut().for_each(|known| known.retain(|command| command != STATS));
            }
        }
        Ok(answer)
    }
}

/// The command that plays a turn.
fn play(color: Color, turn: Move) -> String {
    match turn {
        Move::Place(square) => format!("play {color} {}", square.to_upper()),
        Move::Pass => format!("play {color} pass"),
    }
}

fn refused(command: &str, text: &str) -> Fault {
    Fault::Protocol(format!("'{command}' was refused: {text}"))
}

/// Reads a vertex; a program may write the number of the command in front of it.
fn parse_vertex(text: &str) -> Option<Action> {
    let mut words = text.split_whitespace();
    let word = words.next()?;
    let word = if word.bytes().all(|b| b.is_ascii_digit()) { words.next()? } else { word };
    if word.eq_ignore_ascii_case("resign") { Some(Action::Resign) } else { parse_turn(word).map(Action::Take) }
}

impl Player for GtpPlayer {
    fn begin(&mut self, setup: &GameSetup) -> Result<(), Fault> {
        self.begin_game(setup).map_err(|fault| self.process.has_failed(fault))?;
        self.process.has_begun();
        Ok(())
    }

    fn play(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        self.take_turn(turn).map_err(|fault| self.process.has_failed(fault))
    }

    fn end(&mut self) {
        if self.ponders {
            // What goes wrong here goes wrong at the beginning of the next game again.
            let _ = self.ask("clear_board").map_err(|fault| self.process.has_failed(fault));
        }
    }

    fn takes_positions(&self) -> bool {
        self.set_up_command().is_some()
    }

    fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_in_every_spelling() {
        let take = |name: &str| parse_turn(name).map(Action::Take);
        for (text, action) in [
            ("C4", take("c4")),
            ("c4 ", take("c4")),
            ("5 c6", take("c6")),
            ("PASS", take("pass")),
            ("pass", take("pass")),
            ("Resign", Some(Action::Resign)),
            ("d3\nsome more", take("d3")),
            ("", None),
            ("17", None),
            ("i9", None),
        ] {
            assert_eq!(parse_vertex(text), action, "{text}");
        }
    }
}
