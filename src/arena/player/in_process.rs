//! Emilia itself, without a process between.

use super::fault::Fault;
use super::process::{WAIT_SLICE, standstill};
use super::question::{Action, Answer, GameSetup, Player, Timeouts, Turn};
use super::spec::PlayerSpec;
use crate::clock::time_control::{Terms, TimeControl};
use crate::engine::{Engine, Event, OptionError, Request};
use crate::search::{Limits, TimeBudget};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// After a search was told to stop, it is waited for so long.
const STOPPING: Duration = Duration::from_secs(5);

pub(super) struct InProcessPlayer {
    engine: Engine,
    terms: Terms,
    timeouts: Timeouts,
    seed: Option<u64>,
    abandon: Arc<AtomicBool>,
}

impl InProcessPlayer {
    pub(super) fn new(
        spec: &PlayerSpec,
        terms: Terms,
        timeouts: Timeouts,
        abandon: &Arc<AtomicBool>,
    ) -> Result<InProcessPlayer, OptionError> {
        let options = spec.engine_options()?;
        let (seed, abandon) = (spec.random_seed(), Arc::clone(abandon));
        Ok(InProcessPlayer { engine: Engine::new(options), terms, timeouts, seed, abandon })
    }

    fn limits(&self, turn: &Turn<'_>) -> Limits {
        let time = match self.terms.time {
            Some(TimeControl::PerMove(time)) => Some(TimeBudget::per_move(time)),
            Some(TimeControl::PerGame { .. }) => {
                turn.clock().clock(Duration::ZERO).budget(turn.record.position().empties().count())
            }
            None => None,
        };
        Limits { depth: self.terms.depth, nodes: self.terms.nodes, time, ..Limits::default() }
    }
}

impl Player for InProcessPlayer {
    fn begin(&mut self, setup: &GameSetup) -> Result<(), Fault> {
        self.engine.clear();
        if let Some(seed) = self.seed {
            let seed = seed.wrapping_add(setup.game).to_string();
            self.engine.set("seed", &seed).map_err(|error| Fault::Protocol(error.to_string()))?;
        }
        self.engine.be_ready(&setup.start);
        Ok(())
    }

    fn play(&mut self, turn: &Turn<'_>) -> Result<Answer, Fault> {
        let position = *turn.record.position();
        let asked = Instant::now();
        let limits = self.limits(turn);
        let request = Request { limits, ..Request::best_move(position) };
        let thinking = self.engine.start_quietly(request.clone());
        let wait = turn.wait(&self.timeouts);
        let late = || turn.late("the search", wait);
        let mut deadline = asked + wait;
        let mut stopped = false;
        let decision = loop {
            let begun = Instant::now();
            let received = thinking.events().recv_deadline(deadline.min(begun + WAIT_SLICE));
            if let Some(time) = standstill(begun) {
                return Err(Fault::StoodStill(time));
            }
            match received {
                Ok(Event::Finished(decision)) => break decision,
                _ if self.abandon.load(Ordering::Relaxed) => return Err(late()),
                Ok(Event::Report(_)) => {}
                Err(crossbeam::channel::RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
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
        let chosen = decision.turn.ok_or_else(|| Fault::Protocol("no move in a position that has one".to_owned()))?;
        self.engine.ponder(&request, chosen);
        let depth = decision.report.depth.plies().map(u32::from);
        Ok(Answer {
            action: Action::Take(chosen),
            elapsed,
            eval: decision.report.lines.first().map(|line| line.score.discs()),
            depth,
            nodes: Some(decision.report.nodes),
        })
    }

    fn end(&mut self) {
        self.engine.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::time_control::SideClock;
    use crate::engine::EngineOptions;
    use crate::notation::ggf::Timing;
    use crate::othello::{Color, GameRecord, Move, Position};
    use crate::search::{Control, Line, Report, Score, Search, SearchDepth, Task};

    static BEGUN: AtomicBool = AtomicBool::new(false);
    static ENDED: AtomicBool = AtomicBool::new(false);

    /// Thinks until it is told to stop.
    struct Endless;

    impl Search for Endless {
        fn think(&mut self, task: &Task, control: &Control, _: &mut dyn FnMut(&Report)) -> Report {
            while !control.must_stop(0, 0) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let turn = Move::Place(task.position.moves().into_iter().next().unwrap());
            let depth = SearchDepth::Plies(1);
            let line = Line::new(vec![turn], Score::ZERO, depth);
            Report { lines: vec![line], depth, ..Report::default() }
        }
    }

    /// Answers for Black at once, and thinks about White's positions until it is told to stop.
    struct Watched;

    impl Search for Watched {
        fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
            if task.position.mover() == Color::Black {
                return Endless.think(
                    task,
                    &Control::with_limits(Limits { nodes: Some(0), ..Limits::default() }),
                    sink,
                );
            }
            BEGUN.store(true, Ordering::Relaxed);
            let report = Endless.think(task, control, sink);
            ENDED.store(true, Ordering::Relaxed);
            report
        }
    }

    fn wait_for(flag: &AtomicBool) {
        let since = Instant::now();
        while !flag.load(Ordering::Relaxed) {
            assert!(since.elapsed() < Duration::from_secs(30));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn player(engine: Engine, timeouts: Timeouts) -> InProcessPlayer {
        InProcessPlayer { engine, terms: Terms::default(), timeouts, seed: Some(40), abandon: Arc::default() }
    }

    #[test]
    fn a_game_has_a_seed_of_its_own() {
        let mut player =
            player(Engine::new(EngineOptions { book: None, ..EngineOptions::default() }), Timeouts::default());
        let setup =
            |game| GameSetup { game, start: Position::START, names: Default::default(), clock: SideClock::new(None) };
        for game in [0, 2] {
            player.begin(&setup(game)).unwrap();
            assert_eq!(player.engine.options().seed, 40 + game);
        }
    }

    #[test]
    fn a_search_that_does_not_end_by_itself_is_stopped_and_late() {
        let thought = Duration::from_millis(30);
        let options = EngineOptions { book: None, ..EngineOptions::default() };
        let engine = Engine::with_searches(options, |_| Box::new(Endless));
        let mut player = player(engine, Timeouts { thought, ..Timeouts::default() });
        let mut record = GameRecord::default();
        record.take(Move::Place(record.position().moves().into_iter().next().unwrap())).unwrap();
        let clocks = [SideClock::new(None); 2];
        let turn = Turn { record: &record, timing: &[] as &[Timing], clocks: &clocks, grace: Duration::ZERO };
        assert_eq!(player.play(&turn), Err(Fault::Silent("the search".to_owned(), thought, String::new())));
    }

    #[test]
    fn pondering_ends_with_the_game() {
        let options = EngineOptions { ponder: true, book: None, ..EngineOptions::default() };
        let mut player = player(Engine::with_searches(options, |_| Box::new(Watched)), Timeouts::default());
        let (record, clocks) = (GameRecord::default(), [SideClock::new(None); 2]);
        let turn = Turn { record: &record, timing: &[] as &[Timing], clocks: &clocks, grace: Duration::ZERO };
        player.play(&turn).unwrap();
        wait_for(&BEGUN);
        player.end();
        wait_for(&ENDED);
    }
}
