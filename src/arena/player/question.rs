//! What the referee tells and asks a player, and what it answers.

use super::fault::Fault;
use crate::clock::time_control::SideClock;
use crate::notation::ggf::Timing;
use crate::othello::{Color, GameRecord, Move, Position};
use std::time::Duration;

/// How long the referee waits where no clock runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// For a program to get ready after its start.
    pub start: Duration,
    /// For the answer to a command that needs no thinking.
    pub reply: Duration,
    /// For a move when the player's time is not limited.
    pub thought: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        let seconds = Duration::from_secs;
        Timeouts { start: seconds(30), reply: seconds(10), thought: seconds(600) }
    }
}

/// What a player is told at the beginning of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct GameSetup {
    /// The number of the game, from 0: what is random in a player may depend on it.
    pub game: u64,
    /// Where the game starts, before the opening.
    pub start: Position,
    /// The names of Black and White.
    pub names: [String; 2],
    /// The clock of the player who is told this.
    pub clock: SideClock,
}

/// What a player is asked.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The game so far. The side to move has a move.
    pub record: &'a GameRecord,
    /// For each turn what its player thought of it and, if a clock runs, the time charged for it.
    pub timing: &'a [Timing],
    /// The clocks of Black and White.
    pub clocks: &'a [SideClock; 2],
    /// How much longer than its clock says the player may take.
    pub grace: Duration,
}

impl Turn<'_> {
    /// Whose turn it is.
    pub fn color(&self) -> Color {
        self.record.position().mover()
    }

    /// The clock of the side to move.
    pub fn clock(&self) -> &SideClock {
        const { assert!(Color::Black as usize == 0 && Color::White as usize == 1) };
        &self.clocks[self.color() as usize]
    }

    /// How long an answer is waited for.
    pub fn wait(&self, timeouts: &Timeouts) -> Duration {
        self.clock().left().map_or(timeouts.thought, |left| left + self.grace)
    }

    /// The fault of a player that has not answered `command` after this wait.
    pub fn late(&self, command: &str, waited: Duration) -> Fault {
        let silent = || Fault::Silent(command.to_owned(), waited, String::new());
        self.clock().left().map_or_else(silent, Fault::Overrun)
    }
}

/// What a player answers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Action {
    /// This turn. Nobody has looked yet whether it is legal.
    Take(Move),
    /// It gives the game up.
    Resign,
}

/// An answer with what came along.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Answer {
    /// The decision.
    pub action: Action,
    /// From the question to the answer, by the referee's clock.
    pub elapsed: Duration,
    /// The value that the player gives its move, in discs for itself, if it says.
    pub eval: Option<f64>,
    /// How many plies it says it has searched.
    pub depth: Option<u32>,
    /// How many positions it says it has visited.
    pub nodes: Option<u64>,
}

/// Somebody who plays. After a fault the player is dropped and a new one started.
pub trait Player: Send {
    /// A game begins.
    fn begin(&mut self, setup: &GameSetup) -> Result<(), Fault>;

    /// Asks for a turn.
    fn play(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault>;

    /// The game is over, whoever noticed: nobody asks for a turn of it any more.
    fn end(&mut self) {}

    /// What a person should know of it before the match.
    fn warning(&self) -> Option<&str> {
        None
    }

    /// Whether a game may start from any position.
    fn takes_positions(&self) -> bool {
        true
    }
}

/// The plies of a depth such as `12` or `24@73%`; none for `100%` or `97%W`, which are not plies but confidences.
pub(super) fn plies(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    if text[end..].starts_with('%') {
        return None;
    }
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_waited_for_as_long_as_the_clock_and_the_grace_allow() {
        let seconds = Duration::from_secs;
        let wait = |clock: Option<&str>| {
            let mut clocks = [SideClock::new(clock.map(|clock| clock.parse().unwrap())); 2];
            clocks[1].charge(seconds(9), seconds(60));
            let turn = Turn { record: &GameRecord::default(), timing: &[], clocks: &clocks, grace: seconds(2) };
            turn.wait(&Timeouts { thought: seconds(77), ..Timeouts::default() })
        };
        assert_eq!([Some("60"), Some("move:5"), None].map(wait), [62, 7, 77].map(seconds));
    }

    #[test]
    fn confidences_are_no_depths() {
        assert_eq!(["12", "24@73%", "9w"].map(plies), [Some(12), Some(24), Some(9)]);
        assert_eq!(["100%", "97%W", "", "x"].map(plies), [None; 4]);
    }
}
