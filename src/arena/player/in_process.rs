//! Emilia herself, without a process between.

use super::fault::Fault;
use super::question::{Action, Answer, GameSetup, Player, Timeouts, Turn};
use super::spec::{PlayerSpec, SpecError};
use crate::arena::time_control::{Terms, TimeControl};
use crate::clock::{Clock, TimeBudget};
use crate::engine::{Engine, Event, Request};
use crate::search::{Limits, SearchDepth};
use std::time::{Duration, Instant};

/// After a search was told to stop, it is waited for so long.
const STOPPING: Duration = Duration::from_secs(5);

pub(super) struct InProcessPlayer {
    engine: Engine,
    terms: Terms,
    timeouts: Timeouts,
    clock: Clock,
    seed: u64,
}

impl InProcessPlayer {
    pub(super) fn new(spec: &PlayerSpec, terms: &Terms, timeouts: Timeouts) -> Result<InProcessPlayer, SpecError> {
        let options = spec.engine_options()?;
        let seed = options.seed;
        Ok(InProcessPlayer { engine: Engine::new(options), terms: *terms, timeouts, clock: Clock::unlimited(), seed })
    }

    fn limits(&self, empties: u32) -> Limits {
        let budget = match self.terms.time {
            Some(TimeControl::PerMove(time)) => Some(TimeBudget::per_move(time)),
            _ => self.clock.budget(empties),
        };
        Limits { depth: self.terms.depth, nodes: self.terms.nodes, ..budget.into() }
    }
}

impl Player for InProcessPlayer {
    fn begin(&mut self, setup: &GameSetup) -> Result<(), Fault> {
        self.engine.clear();
        let seed = self.seed.wrapping_add(setup.game).to_string();
        self.engine.set("seed", &seed).map_err(|error| Fault::Protocol(error.to_string()))?;
        self.clock = match self.terms.time {
            Some(TimeControl::PerGame { main, increment }) => Clock::sudden_death(main, increment),
            _ => Clock::unlimited(),
        };
        Ok(())
    }

    fn play(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let position = *turn.record.position();
        let asked = Instant::now();
        let limits = self.limits(position.empties().count());
        let request = Request { limits, ..Request::best_move(position) };
        let thinking = self.engine.start(request.clone());
        let wait = turn.wait(&self.timeouts);
        let late = || turn.late("the search", wait);
        let mut deadline = asked + wait;
        let mut stopped = false;
        let decision = loop {
            match thinking.events().recv_deadline(deadline) {
                Ok(Event::Finished(decision)) => break decision,
                Ok(Event::Report(_)) => {}
                Err(crossbeam::channel::RecvTimeoutError::Timeout) if !stopped => {
                    thinking.stop();
                    stopped = true;
                    deadline = Instant::now() + STOPPING;
                }
                Err(_) if stopped => return Err(late()),
                Err(_) => return Err(Fault::Crashed("the search thread ended".to_owned())),
            }
        };
        let elapsed = asked.elapsed();
        if stopped {
            return Err(late());
        }
        self.clock.spend(elapsed);
        let chosen = decision.turn.ok_or_else(|| Fault::Protocol("no move in a position that has one".to_owned()))?;
        self.engine.ponder(&request, chosen);
        let depth = match decision.report.depth {
            SearchDepth::Plies(plies) | SearchDepth::Selective { plies, .. } => Some(u32::from(plies)),
            // To the end of the game, however far that is.
            SearchDepth::Exact | SearchDepth::WinLossDraw => None,
        };
        Ok(Answer {
            action: Action::Take(chosen),
            elapsed,
            eval: decision.report.lines.first().map(|line| line.score.discs()),
            depth,
            nodes: Some(decision.report.nodes),
        })
    }

    fn title(&self) -> &str {
        concat!("emilia ", env!("CARGO_PKG_VERSION"))
    }
}
