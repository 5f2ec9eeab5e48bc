//! A program that speaks NBoard.
//!
//! The driver sends what the real client sends, in its order: depth once, then the game, a ping and the request for each move. What comes
//! before the pong answers what was asked before. The clock is sent with the game: TI says with what it began, and each move what it took
//! by the referee's measurement.

use super::fault::{Fault, StartError};
use super::process::Process;
use super::question::{Action, Answer, GameSetup, Player, Timeouts, Turn, plies};
use super::spec::{PlayerProtocol, PlayerSpec};
use crate::clock::time_control::{Terms, TimeControl};
use crate::notation::ggf::{Ggf, GgfClock, TimedMove, Timing};
use crate::notation::{AnnotatedGame, PlayerInfo};
use crate::search::Depth;
use std::time::{Duration, Instant};

/// The driver.
pub(super) struct NBoardPlayer {
    process: Process,
    /// The player's name in the match.
    name: String,
    /// What the program calls itself.
    title: String,
    timeouts: Timeouts,
    pings: u32,
    terms: Terms,
    /// The record of the game about to be played, without moves.
    form: AnnotatedGame,
    /// The seed to which the number of the game is added, for an Emilia that chooses its moves at random.
    seed: Option<u64>,
    /// Whether it was told to think on the opponent's time.
    ponders: bool,
}

impl NBoardPlayer {
    /// Gets a program that has just been started ready for its first game.
    pub(super) fn new(
        process: Process,
        spec: &PlayerSpec,
        terms: Terms,
        timeouts: Timeouts,
    ) -> Result<NBoardPlayer, StartError> {
        let mut player = NBoardPlayer {
            process,
            name: spec.name.clone(),
            title: String::new(),
            timeouts,
            pings: 0,
            terms,
            form: AnnotatedGame::default(),
            seed: spec.random_seed(),
            ponders: spec.ponders(),
        };
        player.get_ready(spec).map_err(|error| error.with_last_words(&mut player.process))?;
        Ok(player)
    }

    fn get_ready(&mut self, spec: &PlayerSpec) -> Result<(), StartError> {
        self.process.send("nboard 2");
        for line in &spec.init {
            self.process.send(line);
        }
        if spec.tell_limits {
            // A clock limits the search in place of the depth that every NBoard engine is told.
            let depth = self.terms.depth.unwrap_or(Depth::MOST);
            self.process.send(&format!("set depth {depth}"));
        }
        self.ping(self.timeouts.start)?;
        self.set_options(spec)
    }

    fn is_emilia(&self) -> bool {
        self.title.starts_with("Emilia")
    }

    fn set_options(&mut self, spec: &PlayerSpec) -> Result<(), StartError> {
        let terms = self.terms;
        let cannot = |limit| Err(StartError::cannot_be_told(PlayerProtocol::NBoard, limit));
        if !self.is_emilia() {
            if !spec.options.is_empty() {
                return Err(StartError::Unsupported(
                    "it does not call itself Emilia, whose options are set over NBoard; use init='LINE' or its command line"
                        .to_owned(),
                ));
            }
            if terms.nodes.is_some() {
                return cannot("the number of nodes");
            }
            if matches!(terms.time, Some(TimeControl::PerMove(_))) {
                return cannot("the time for a move");
            }
            return Ok(());
        }
        // NBoard has no way to refuse an option, so it is checked here.
        let spec = spec.clone().with_whole_paths();
        spec.engine_options()?;
        for (name, value) in &spec.options {
            self.process.send(&format!("set emilia.{name} {value}"));
        }
        if let Some(nodes) = terms.nodes {
            self.process.send(&format!("set emilia.nodes {nodes}"));
        }
        if let Some(TimeControl::PerMove(time)) = terms.time {
            self.process.send(&format!("set emilia.time {}", time.as_secs_f64()));
        }
        Ok(())
    }

    /// Pings and waits for the pong. What comes before it is dropped, but for the program's name.
    fn ping(&mut self, wait: Duration) -> Result<(), Fault> {
        self.pings += 1;
        let command = format!("ping {}", self.pings);
        self.process.send(&command);
        let deadline = Instant::now() + wait;
        loop {
            let Some(line) = self.process.whole_line(deadline)? else {
                return Err(Fault::Silent(command, wait, String::new()));
            };
            match pong(&line.text, self.pings).map_err(Fault::Protocol)? {
                Some(Pong::Awaited) => return Ok(()),
                Some(Pong::Old) => log::debug!("{}: an old pong", self.name),
                None => {}
            }
            let mut words = line.text.split_whitespace();
            match (words.next(), words.next()) {
                (Some("set"), Some("myname")) => self.title = words.next().unwrap_or_default().to_owned(),
                // The answer to `nboard 2` says the name too, where no depth is told.
                (Some("status"), Some("Emilia")) if self.title.is_empty() => {
                    self.title = ["Emilia"].into_iter().chain(words).collect::<Vec<_>>().join(" ");
                }
                _ => {}
            }
        }
    }

    /// Sends the game.
    fn send_game(&self, turn: &Turn<'_>) {
        // Emilia gives no increment for a move of unknown time.
        let clock = self.form.black.clock.filter(|_| !self.is_emilia());
        let timing = charged(turn.timing, clock);
        let game = AnnotatedGame { record: turn.record.clone(), timing, ..self.form.clone() };
        self.process.send(&format!("set game {}", Ggf(&game)));
    }

    /// Asks for a move.
    fn ask(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        self.send_game(turn);
        self.ping(self.timeouts.reply)?;
        let wait = turn.wait(&self.timeouts);
        let asked = Instant::now();
        self.process.send("go");
        let (mut depth, mut nodes) = (None, None);
        loop {
            let Some(line) = self.process.whole_line(asked + wait)? else {
                return Err(turn.late("go", wait));
            };
            let text = line.text.trim();
            let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            match word {
                // PV EVAL GAMES DEPTH
                "search" => depth = rest.split_whitespace().nth(3).and_then(plies),
                "nodestats" => nodes = rest.split_whitespace().next().and_then(|n| n.parse().ok()).or(nodes),
                "===" => {
                    let timed = parse_move(rest).ok_or_else(|| {
                        Fault::Protocol(format!("expected '=== MOVE[/EVAL[/TIME]]', got '{}'", line.text))
                    })?;
                    let elapsed = line.at.saturating_duration_since(asked);
                    return Ok(Answer { action: Action::Take(timed.turn), elapsed, eval: timed.eval, depth, nodes });
                }
                _ => {}
            }
        }
    }
}

/// An answer to a ping.
pub(in crate::arena) enum Pong {
    /// To the last one.
    Awaited,
    /// To another one.
    Old,
}

/// What a line answers if the last ping had this number; `None` if it is no pong.
///
/// # Errors
/// If it is a pong without a number.
pub(in crate::arena) fn pong(line: &str, ping: u32) -> Result<Option<Pong>, String> {
    let mut words = line.split_whitespace();
    if words.next() != Some("pong") {
        return Ok(None);
    }
    match words.next().and_then(|number| number.parse::<u32>().ok()) {
        Some(number) => Ok(Some(if number == ping { Pong::Awaited } else { Pong::Old })),
        None => Err(format!("expected 'pong {ping}', got '{line}'")),
    }
}

/// The times as they are sent. Readers of the clock add its increment for every move of the record, also for those of the opening and
/// for passes, for which the referee gives none: these are said to have used it up.
fn charged(timing: &[Timing], clock: Option<GgfClock>) -> Vec<Timing> {
    let free = clock.map(|clock| clock.increment.as_secs_f64()).filter(|increment| *increment > 0.0);
    timing.iter().map(|timing| Timing { seconds: timing.seconds.or(free), ..*timing }).collect()
}

impl Player for NBoardPlayer {
    fn begin(&mut self, setup: &GameSetup) -> Result<(), Fault> {
        // The other side's clock is not this program's business, and NBoard writes one for both.
        let clock = self.terms.time.and(setup.clock.control()).and_then(TimeControl::ggf);
        // Emilia plans with a grace. Others know the clock as NBoard writes it, which leaves the usual one out.
        let clock = match clock {
            Some(GgfClock { main, increment, .. }) if !self.is_emilia() => {
                Some(GgfClock { increment, ..GgfClock::new(main) })
            }
            clock => clock,
        };
        let [black, white] = setup.names.clone().map(|name| PlayerInfo { name, rating: None, clock });
        self.form = AnnotatedGame { place: "emilia".to_owned(), black, white, ..AnnotatedGame::default() };
        // Not every program knows it; those that do forget the last game, so that games do not depend on each other.
        self.process.send("clear");
        if let Some(seed) = self.seed {
            self.process.send(&format!("set emilia.seed {}", seed.wrapping_add(setup.game)));
        }
        // A program that has ended since the last game is found out here.
        self.ping(self.timeouts.reply).map_err(|fault| self.process.has_failed(fault))?;
        self.process.has_begun();
        Ok(())
    }

    fn play(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        self.ask(turn).map_err(|fault| self.process.has_failed(fault))
    }

    fn end(&mut self) {
        if self.ponders {
            // What goes wrong here goes wrong in the next game again.
            let _ = self.ping(self.timeouts.reply).map_err(|fault| self.process.has_failed(fault));
        }
    }
}

/// Reads the answer `F4/1.5/0.25`, in which runs of blanks count as `/`.
pub(in crate::arena) fn parse_move(text: &str) -> Option<TimedMove> {
    let joined: Vec<&str> = text.split_whitespace().collect();
    TimedMove::parse(&joined.join("/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::transcript::parse_turn;

    #[test]
    fn the_program_reads_the_clock_that_the_referee_keeps() {
        let timed = |seconds| Timing { eval: None, seconds };
        let timing = [timed(None), timed(Some(0.25)), timed(None)];
        let clock = GgfClock { increment: Duration::from_millis(500), ..GgfClock::new(Duration::from_secs(10)) };
        assert_eq!(charged(&timing, Some(clock)), [timed(Some(0.5)), timed(Some(0.25)), timed(Some(0.5))]);
        assert_eq!(charged(&timing, Some(GgfClock::new(Duration::from_secs(10)))), timing);
        assert_eq!(charged(&timing, None), timing);
    }

    #[test]
    fn moves_in_every_spelling() {
        for (text, name, eval) in [
            ("F4", "f4", None),
            ("f4/1.5/0.25", "f4", Some(1.5)),
            ("d6 -1.00 0.0", "d6", Some(-1.0)),
            ("F4//0.5", "f4", None),
            ("F4/1/0.1/zzz hello", "f4", Some(1.0)),
            ("PASS/1/0.1", "pa", Some(1.0)),
            ("--", "pa", None),
        ] {
            let timed = parse_move(text).unwrap();
            assert_eq!((Some(timed.turn), timed.eval), (parse_turn(name), eval), "{text}");
        }
        for bad in ["", "Z9", "move"] {
            assert_eq!(parse_move(bad), None, "{bad}");
        }
    }
}
