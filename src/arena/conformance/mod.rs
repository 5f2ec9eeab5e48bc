//! Does an engine keep to its protocol? A series of small conversations, each about one thing that clients rely on.

mod gtp;
mod nboard;

use super::player::{NoLine, PlayerProtocol, PlayerSpec, Process, StartError, Timeouts, find_protocol, shown, spawn};
use crate::notation::transcript;
use crate::othello::{GameRecord, Move};
use serde::Serialize;
use std::time::{Duration, Instant};

/// A game in which Black must pass after the last move.
const PASS: &str = "f5f6d3g5h5h4f7h6";
/// The shortest game: White has no disc left.
const WIPE_OUT: &str = "e6f4e3f6g5d6e7f5c5";
/// Within this time, or that for a reply if it is shorter, a program must be gone after `quit` or the end of its input.
const EXIT: Duration = Duration::from_secs(5);
/// The clock of a side in the game that is played out.
const GAME_CLOCK: Duration = Duration::from_secs(10);

/// What came of one check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "result", content = "detail", rename_all = "lowercase")]
pub enum CheckOutcome {
    /// As it should be.
    Passed,
    /// Not as it should be.
    Failed(String),
    /// The engine does not have what would be checked, and need not.
    Skipped(String),
}

/// One check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// What was checked.
    pub check: &'static str,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
}

/// All checks of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Conformance {
    /// The protocol, `NBoard` or `GTP`.
    pub protocol: String,
    /// The checks in their order.
    pub findings: Vec<Finding>,
}

impl Conformance {
    /// How many checks failed.
    pub fn failures(&self) -> usize {
        self.findings.iter().filter(|finding| matches!(finding.outcome, CheckOutcome::Failed(_))).count()
    }
}

/// Why a check did not pass.
enum Stop {
    Failed(String),
    Skipped(String),
}

type Checked = Result<(), Stop>;

fn failed<T>(text: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed(text.into()))
}

/// Fails with a text unless the condition holds.
fn require(condition: bool, text: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { failed(text()) }
}

/// Checks a program. Without a protocol it is asked for it first.
pub fn check(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Conformance, StartError> {
    let protocol = find_protocol(spec, timeouts)?;
    let mut probe = Probe::new(spec, timeouts)?;
    let findings = match protocol {
        PlayerProtocol::Gtp => run(gtp::CHECKS, &mut probe),
        PlayerProtocol::NBoard => run(nboard::CHECKS, &mut probe),
    };
    Ok(Conformance { protocol: protocol.to_string(), findings })
}

/// A check by its name.
type Check = (&'static str, fn(&mut Probe) -> Checked);

fn run(checks: &[Check], probe: &mut Probe) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (check, conversation) in checks {
        let result = conversation(probe);
        if result.is_err() || probe.is_spent {
            // What a failed conversation has left behind must not spoil the next one.
            if let Err(error) = probe.restart() {
                log::warn!("{error}");
            }
        }
        let outcome = match result {
            Ok(()) => CheckOutcome::Passed,
            Err(Stop::Failed(detail)) => CheckOutcome::Failed(shown(&detail)),
            Err(Stop::Skipped(detail)) => CheckOutcome::Skipped(shown(&detail)),
        };
        findings.push(Finding { check, outcome });
    }
    findings
}

/// The client's side of the conversations.
struct Probe {
    spec: PlayerSpec,
    process: Process,
    timeouts: Timeouts,
    /// Whether the program has been told to go.
    is_spent: bool,
    /// Whether the program has answered since it was started.
    is_ready: bool,
    /// What `list_commands` said, of a GTP engine.
    commands: Vec<String>,
    /// The number of the last ping to an NBoard engine.
    pings: u32,
    /// The first line that was not plain ASCII.
    not_ascii: Option<String>,
    /// A line that the program has written to its standard error.
    stderr_line: Option<String>,
}

impl Probe {
    fn new(spec: &PlayerSpec, timeouts: Timeouts) -> Result<Probe, StartError> {
        Ok(Probe {
            spec: spec.clone(),
            process: spawn(spec)?,
            timeouts,
            is_spent: false,
            is_ready: false,
            commands: Vec::new(),
            pings: 0,
            not_ascii: None,
            stderr_line: None,
        })
    }

    /// Ends the program and starts it anew.
    fn restart(&mut self) -> Result<(), StartError> {
        self.note_stderr();
        self.process = spawn(&self.spec)?;
        (self.is_spent, self.is_ready) = (false, false);
        Ok(())
    }

    fn fresh(&mut self) -> Checked {
        self.restart().map_err(|error| Stop::Failed(error.to_string()))
    }

    fn note_stderr(&mut self) {
        if self.stderr_line.is_none() {
            self.stderr_line = self.process.last_errors().first().cloned();
        }
    }

    /// How long an answer that needs no thought is waited for: the first one may take as long as the engine takes to load.
    fn wait(&self) -> Duration {
        if self.is_ready { self.timeouts.reply } else { self.timeouts.start }
    }

    /// The next line of an answer to `command`.
    fn line(&mut self, command: &str, deadline: Instant) -> Result<String, Stop> {
        self.line_of(command, "", deadline)
    }

    /// The next line of an answer to `command`, with a note on which line that is.
    fn line_of(&mut self, command: &str, note: &str, deadline: Instant) -> Result<String, Stop> {
        match self.process.next_line(deadline) {
            Ok(line) if !line.whole => {
                failed(format!("the output ended in the middle of the line '{}' after '{command}'{note}", line.text))
            }
            // A program that goes on talking always has a line.
            Ok(line) if line.at <= deadline => {
                self.note_ascii(&line.text);
                Ok(line.text)
            }
            Ok(_) | Err(NoLine::Late) => failed(format!("no answer to '{command}'{note}")),
            Err(NoLine::Closed) => failed(format!("after '{command}'{note}: {}", self.process.crash())),
            Err(NoLine::StoodStill(time)) => {
                failed(format!("after '{command}'{note}: Emilia stood still for {} s", time.as_secs()))
            }
        }
    }

    /// Keeps the first line that is not plain ASCII.
    fn note_ascii(&mut self, line: &str) {
        if self.not_ascii.is_none() && !line.is_ascii() {
            self.not_ascii = Some(line.to_owned());
        }
    }

    /// Waits for the program's end.
    fn expect_exit(&mut self, after: &str) -> Checked {
        self.is_spent = true;
        let limit = EXIT.min(self.timeouts.reply);
        let gone = self.process.wait(Instant::now() + limit).is_some();
        require(gone, || format!("still running {} s after {after}", limit.as_secs_f64()))
    }
}

/// The record of a list of moves.
fn game(moves: &str) -> Result<GameRecord, Stop> {
    transcript::parse(moves).map_err(|error| Stop::Failed(error.to_string()))
}

/// Fails unless the turn may be taken in the game's position.
fn require_legal(record: &GameRecord, turn: Move, asked: &str) -> Checked {
    record.position().take(turn).map(drop).or_else(|illegal| failed(format!("'{asked}' gave {turn}: {illegal}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_games_are_what_they_are_said_to_be() {
        let pass = transcript::parse(PASS).unwrap();
        assert!(pass.position().must_pass());
        assert_eq!(pass.position().mover(), crate::othello::Color::Black);
        let over = transcript::parse(WIPE_OUT).unwrap();
        assert!(over.position().is_over());
        assert_eq!(over.position().score_for_black(), 64);
    }
}
