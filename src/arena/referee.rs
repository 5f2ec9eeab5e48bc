//! The referee: plays one game between two players and checks every move and every time.
//!
//! It has its own board and its own clock. Forced passes it takes itself. Whatever a player does wrong loses the game
//! for it and is written down; nothing that a player does ends the match.

use super::player::{Action, Answer, Fault, GameSetup, Player, Turn, WAIT_SLICE};
use super::record::{End, PlayedGame};
use super::schedule::Fixture;
use crate::clock::time_control::SideClock;
use crate::engine::{Engine, EngineOptions, Event, Request};
use crate::notation::ggf::Timing;
use crate::othello::{Color, GameRecord, Move, Position};
use crossbeam::channel::RecvTimeoutError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug)]
pub struct MatchRules {
    /// How much longer than its clock says a player may take for a move.
    pub grace: Duration,
    /// Whether times are written down.
    pub timed_records: bool,
}

/// One side of a game.
pub struct Seat<'a> {
    /// Its name.
    pub name: &'a str,
    /// Who plays.
    pub player: &'a mut dyn Player,
    /// Its clock at the beginning.
    pub clock: SideClock,
}

/// Finds the exact result of positions near the end.
pub struct Adjudicator {
    empties: u32,
    engine: Engine,
}

impl Adjudicator {
    /// Positions with at most this number of empty squares are decided.
    pub fn new(empties: u32) -> Adjudicator {
        // Each of the games that are played at a time has one, beside the players.
        let options = EngineOptions { hash_mb: 16, threads: 1, book: None, ..EngineOptions::default() };
        Adjudicator { empties, engine: Engine::new(options) }
    }

    /// The result for Black in discs under perfect play, if the position is near enough to the end. `None` also if `abandon` was set before
    /// it was found.
    fn decide(&mut self, position: &Position, abandon: &AtomicBool) -> Option<i32> {
        if position.empties().count() > self.empties || position.is_over() {
            return None;
        }
        let thinking = self.engine.start(Request::hint(*position, 1));
        let decision = loop {
            match thinking.events().recv_timeout(WAIT_SLICE) {
                Ok(Event::Finished(decision)) => break decision,
                Err(RecvTimeoutError::Disconnected) => return None,
                Ok(Event::Report(_)) | Err(RecvTimeoutError::Timeout) => {}
            }
            if abandon.load(Ordering::Relaxed) {
                return None;
            }
        };
        let line = decision.report.lines.first().filter(|line| line.depth.is_exact())?;
        let score = line.score.discs().round() as i32;
        Some(position.mover().signed(score))
    }
}

/// Plays a game. `None` if `abandon` was set before its end, or if the game is void because this process stood still in it.
pub fn play(
    fixture: &Fixture,
    opening: &GameRecord,
    [black, white]: [Seat<'_>; 2],
    rules: &MatchRules,
    adjudicator: Option<&mut Adjudicator>,
    abandon: &AtomicBool,
) -> Option<PlayedGame> {
    let record = opening.clone();
    let timing = vec![Timing::default(); record.turns().len()];
    let game = PlayedGame {
        game: fixture.game,
        pair: fixture.pair,
        opening: fixture.opening,
        black: black.name.to_owned(),
        white: white.name.to_owned(),
        opening_moves: record.turns().iter().filter(|turn| **turn != Move::Pass).count(),
        black_clock: black.clock.control(),
        white_clock: white.clock.control(),
        ..PlayedGame::default()
    };
    let clocks = [black.clock, white.clock];
    let mut table = GameInPlay { game, record, timing, clocks, players: [black.player, white.player], rules };
    let outcome = table.play(adjudicator, abandon)?;
    // Waits are cut short then, so a player that seems to have failed may not have.
    if abandon.load(Ordering::Relaxed) {
        return None;
    }
    let (end, score, loser, detail) = match outcome {
        Finish::Board(end, score) => (end, score, None, None),
        Finish::Lost { color, end, detail } => {
            let score = if color == Color::Black { -64 } else { 64 };
            (end, score, Some(color), detail)
        }
    };
    let mut game = PlayedGame { end, score, loser, detail, ..table.game };
    game.set_record(&table.record);
    drop_if_empty(&mut game.evals);
    drop_if_empty(&mut game.depths);
    drop_if_empty(&mut game.nodes);
    Some(game)
}

/// Empties a list that has no value in it.
fn drop_if_empty<T>(list: &mut Vec<Option<T>>) {
    if list.iter().all(Option::is_none) {
        list.clear();
    }
}

enum Finish {
    Board(End, i32),
    Lost { color: Color, end: End, detail: Option<String> },
}

/// A game being played.
struct GameInPlay<'a> {
    game: PlayedGame,
    record: GameRecord,
    timing: Vec<Timing>,
    clocks: [SideClock; 2],
    players: [&'a mut dyn Player; 2],
    rules: &'a MatchRules,
}

impl GameInPlay<'_> {
    fn play(&mut self, mut adjudicator: Option<&mut Adjudicator>, abandon: &AtomicBool) -> Option<Finish> {
        for color in [Color::Black, Color::White] {
            let setup = GameSetup {
                game: self.game.game,
                start: *self.record.start(),
                names: [self.game.black.clone(), self.game.white.clone()],
                clock: self.clocks[color as usize],
            };
            if let Err(fault) = self.players[color as usize].begin(&setup) {
                return self.ended_by(color, &fault);
            }
        }
        loop {
            if abandon.load(Ordering::Relaxed) {
                return None;
            }
            let position = *self.record.position();
            if position.is_over() {
                return Some(Finish::Board(End::Played, position.score_for_black()));
            }
            if position.must_pass() {
                self.record.take(Move::Pass).expect("a forced pass is legal");
                self.timing.push(Timing::default());
                continue;
            }
            if let Some(score) = adjudicator.as_mut().and_then(|adjudicator| adjudicator.decide(&position, abandon)) {
                return Some(Finish::Board(End::Adjudicated, score));
            }
            if let Err(outcome) = self.ask() {
                return outcome;
            }
        }
    }

    /// The end of the game by this fault of a player; `None` if it is none of the player's.
    fn ended_by(&self, color: Color, fault: &Fault) -> Option<Finish> {
        if let Fault::StoodStill(_) = fault {
            log::warn!("game {}: {fault}; it is void and played again", self.game.game);
            return None;
        }
        Some(lost(color, fault))
    }

    /// Asks the side to move.
    ///
    /// # Errors
    /// How the game ends, if it does by that; `None` if it is void.
    fn ask(&mut self) -> Result<(), Option<Finish>> {
        let color = self.record.position().mover();
        let turn = Turn { record: &self.record, timing: &self.timing, clocks: &self.clocks, grace: self.rules.grace };
        let answer = self.players[color as usize].play(&turn).map_err(|fault| self.ended_by(color, &fault))?;
        let clock = &mut self.clocks[color as usize];
        let left = clock.left();
        if let (false, Some(left)) = (clock.charge(answer.elapsed, self.rules.grace), left) {
            return Err(Some(lost(color, &Fault::Overrun(left))));
        }
        let turn = match answer.action {
            Action::Take(turn) => turn,
            Action::Resign => return Err(Some(Finish::Lost { color, end: End::Resigned, detail: None })),
        };
        self.record.take(turn).map_err(|illegal| {
            Some(Finish::Lost { color, end: End::IllegalMove, detail: Some(format!("{turn}: {illegal}")) })
        })?;
        self.note(&answer);
        Ok(())
    }

    fn note(&mut self, answer: &Answer) {
        // To the microsecond: the clock has no more to say.
        let seconds = (answer.elapsed.as_secs_f64() * 1e6).round() / 1e6;
        let eval = answer.eval.filter(|eval| eval.is_finite());
        let is_clocked = self.clocks.iter().any(|clock| clock.control().is_some());
        self.timing.push(Timing { eval, seconds: is_clocked.then_some(seconds) });
        self.game.evals.push(eval);
        self.game.depths.push(answer.depth);
        self.game.nodes.push(answer.nodes);
        if self.rules.timed_records {
            self.game.seconds.push(seconds);
        }
    }
}

fn lost(color: Color, fault: &Fault) -> Finish {
    let end = match fault {
        Fault::Crashed(_) => End::Crash,
        Fault::Silent(..) => End::Silence,
        Fault::Overrun(..) => End::Time,
        // A standstill has made the game void before this.
        Fault::Protocol(_) | Fault::StoodStill(_) => End::Protocol,
    };
    Finish::Lost { color, end, detail: Some(fault.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::transcript;

    /// Plays the first move it sees after a time, and notes the clocks and the time of the last move that it is shown.
    struct Scripted {
        thinks: Duration,
        last_time: Option<f64>,
        clocks: Vec<[Option<Duration>; 2]>,
    }

    impl Player for Scripted {
        fn begin(&mut self, setup: &GameSetup) -> Result<(), Fault> {
            self.clocks = vec![[setup.clock.left(); 2]];
            Ok(())
        }

        fn play(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
            self.last_time = turn.timing.last().and_then(|timing| timing.seconds);
            self.clocks.push(turn.clocks.each_ref().map(SideClock::left));
            let square = turn.record.position().moves().into_iter().next().expect("a side that can move is asked");
            let action = Action::Take(Move::Place(square));
            Ok(Answer { action, elapsed: self.thinks, eval: None, depth: None, nodes: None })
        }
    }

    #[test]
    fn the_solver_takes_one_core_of_those_that_play() {
        let adjudicator = Adjudicator::new(8);
        let options = adjudicator.engine.options();
        assert_eq!((options.threads, options.book.is_none()), (1, true));
    }

    #[test]
    fn each_side_has_its_own_clock_and_who_uses_it_up_loses() {
        let seconds = |s| Some(Duration::from_secs(s));
        for (thinks, loser) in [([3, 1], Color::Black), ([1, 4], Color::White)] {
            let mut players =
                thinks.map(|s| Scripted { thinks: Duration::from_secs(s), last_time: None, clocks: Vec::new() });
            let [black, white] = &mut players;
            let clocks = ["60", "50"].map(|text| SideClock::new(text.parse().ok()));
            let game = play(
                &Fixture { game: 0, pair: 0, opening: 0, black: 0, white: 1 },
                &GameRecord::default(),
                [
                    Seat { name: "B", player: black, clock: clocks[0] },
                    Seat { name: "W", player: white, clock: clocks[1] },
                ],
                &MatchRules { grace: Duration::ZERO, timed_records: true },
                None,
                &AtomicBool::new(false),
            );
            let game = game.unwrap();
            assert_eq!((game.end, game.loser), (End::Time, Some(loser)));
            assert_eq!(game.score, if loser == Color::Black { -64 } else { 64 });
            assert_eq!(game.seconds[..2], thinks.map(|s| s as f64));
            assert_eq!(
                players.each_ref().map(|player| player.last_time),
                [thinks[1], thinks[0]].map(|s| Some(s as f64))
            );
            let [black, white] = players.map(|player| player.clocks);
            assert_eq!([black[0][0], white[0][0]], [seconds(60), seconds(50)]);
            assert_eq!(black[2], [seconds(60 - thinks[0]), seconds(50 - thinks[1])]);
            assert_eq!(white[2], [seconds(60 - 2 * thinks[0]), seconds(50 - thinks[1])]);
        }
    }

    /// The record of a game between players that do not think.
    fn record_of(opening: GameRecord, adjudicator: Option<&mut Adjudicator>) -> PlayedGame {
        let mut players = [(); 2].map(|()| Scripted { thinks: Duration::ZERO, last_time: None, clocks: Vec::new() });
        let [black, white] = &mut players;
        let clock = SideClock::new(None);
        let seats = [Seat { name: "B", player: black, clock }, Seat { name: "W", player: white, clock }];
        let fixture = Fixture { game: 7, pair: 3, opening: 2, black: 0, white: 1 };
        let rules = MatchRules { grace: Duration::ZERO, timed_records: false };
        play(&fixture, &opening, seats, &rules, adjudicator, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn a_record_says_what_was_played_and_from_where() {
        // Black has to pass within the opening.
        let mut opening = transcript::parse("f5f6d3g5h5h4f7h6").unwrap();
        opening.take(Move::Pass).unwrap();
        let reply = opening.position().moves().into_iter().next().unwrap();
        opening.take(Move::Place(reply)).unwrap();
        let game = record_of(opening.clone(), None);
        assert_eq!((game.game, game.pair, game.opening, game.opening_moves), (7, 3, 2, 9));
        assert_eq!((&game.black[..], &game.white[..], game.end), ("B", "W", End::Played));
        let played = game.record().unwrap();
        assert!(played.position().is_over() && played.turns().starts_with(opening.turns()));
        assert_eq!(game.score, played.position().score_for_black());
        assert!(game.evals.is_empty() && game.depths.is_empty() && game.nodes.is_empty() && game.seconds.is_empty());

        let start = *opening.position();
        let game = record_of(GameRecord::from_position(start), None);
        assert_eq!((*game.record().unwrap().start(), game.opening_moves), (start, 0));
    }

    /// Waits for its answers in a process that was stopped.
    struct Stopped;

    impl Player for Stopped {
        fn begin(&mut self, _: &GameSetup) -> Result<(), Fault> {
            Ok(())
        }

        fn play(&mut self, _: &Turn<'_>) -> Result<Answer, Fault> {
            Err(Fault::StoodStill(Duration::from_secs(60)))
        }
    }

    #[test]
    fn a_game_in_which_the_match_manager_stood_still_is_void() {
        let clock = SideClock::new("5".parse().ok());
        let (mut black, mut white) = (Stopped, Stopped);
        let seats = [Seat { name: "B", player: &mut black, clock }, Seat { name: "W", player: &mut white, clock }];
        let fixture = Fixture { game: 0, pair: 0, opening: 0, black: 0, white: 1 };
        let rules = MatchRules { grace: Duration::ZERO, timed_records: false };
        assert_eq!(play(&fixture, &GameRecord::default(), seats, &rules, None, &AtomicBool::new(false)), None);
    }

    #[test]
    fn a_solver_that_nobody_waits_for_is_given_up() {
        let position = *transcript::parse("f5d6c3d3c4").unwrap().position();
        assert_eq!(Adjudicator::new(60).decide(&position, &AtomicBool::new(true)), None);
    }

    #[test]
    fn the_first_position_that_is_near_enough_is_decided() {
        let game = record_of(GameRecord::default(), Some(&mut Adjudicator::new(10)));
        let end = *game.record().unwrap().position();
        assert_eq!((game.end, end.empties().count()), (End::Adjudicated, 10));
    }
}
