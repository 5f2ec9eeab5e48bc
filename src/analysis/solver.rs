//! Positions to solutions, by the engine.

use super::{Solution, Value};
use crate::engine::{Decision, Engine, Event, Request};
use crate::othello::{Outcome, Position};
use crate::search::{Bound, Line, SearchDepth};
use crossbeam::channel::{RecvError, RecvTimeoutError};
use std::time::Duration;
use web_time::Instant;

/// What is to be found of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Question {
    /// The score, and a move that has it.
    #[default]
    Score,
    /// The score of every move.
    EveryMove,
    /// Who wins, and a move that keeps it so.
    Outcome,
}

/// The time between two calls of the progress callback.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Solves one position after another.
///
/// ```
/// use emilia::analysis::{Question, Solver, Value};
/// use emilia::engine::{Engine, EngineOptions};
/// use emilia::notation::obf::ObfEntry;
///
/// let line = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X; H5:+6; G6:-2; F6:-4; H6:-10;";
/// let entry = ObfEntry::parse(line).unwrap();
/// let mut solver = Solver::new(Engine::new(EngineOptions::default()), Question::Score);
/// let solution = solver.solve(&entry.position, &mut |_, _| {});
/// assert_eq!(solution.value, Value::Score(6));
/// assert_eq!(solution.contradictions(&entry), []);
/// ```
#[derive(Debug)]
pub struct Solver {
    engine: Engine,
    question: Question,
}

impl Solver {
    /// A solver that thinks with this engine, within the limits of its options.
    pub fn new(engine: Engine, question: Question) -> Solver {
        Solver { engine, question }
    }

    /// Forgets what was learned from the positions before.
    pub fn clear(&mut self) {
        self.engine.clear();
    }

    /// Solves a position. While it does, `progress` hears every 100 ms how many positions were visited and how far the
    /// search has come. What was learned from one position serves for the next.
    pub fn solve(&mut self, position: &Position, progress: &mut dyn FnMut(u64, SearchDepth)) -> Solution {
        if self.engine.options().time.is_some() {
            self.engine.be_ready(position);
        }
        let started = Instant::now();
        let decision = self.think(position, progress);
        // The best move may be solved where it is not known whether another one is better.
        let depth = decision.report.depth;
        let best = decision.report.lines.first().map(|line| Line { depth, ..line.clone() });
        let best = best.as_ref();
        let mut solution = Solution {
            position: *position,
            turn: decision.turn,
            // Without a turn to take, the game is over.
            value: best.map_or(Value::Score(position.score()), value),
            pv: best.map_or_else(Vec::new, |line| line.pv.clone()),
            moves: Vec::new(),
            nodes: decision.report.nodes,
            elapsed: started.elapsed(),
        };
        match self.question {
            // Who wins is less than what was asked for.
            Question::Score if solution.value.score().is_none() => {
                solution.value = best.map_or(solution.value, estimate);
            }
            Question::Score => {}
            Question::EveryMove => {
                let scores = decision.report.lines.iter().map(|line| Some((line.turn, value(line).score()?)));
                match scores.collect() {
                    Some(moves) => solution.moves = moves,
                    // The best of some moves is the best of all only by chance.
                    None => solution.value = best.map_or(solution.value, estimate),
                }
            }
            Question::Outcome => {
                solution.value = solution.value.outcome().map_or(solution.value, Value::Outcome);
            }
        }
        solution
    }

    fn think(&mut self, position: &Position, progress: &mut dyn FnMut(u64, SearchDepth)) -> Decision {
        let thinking = self.engine.start(match self.question {
            Question::Score => Request::hint(*position, 1),
            Question::EveryMove => Request::hint(*position, usize::MAX),
            Question::Outcome => Request::win_loss_draw(*position),
        });
        let mut depth = SearchDepth::default();
        loop {
            // In a browser all events are there by now, and the channel has no clock to wait by.
            let events = thinking.events();
            let received = match events.try_recv().or_else(|_| events.recv_timeout(PROGRESS_INTERVAL)) {
                Err(RecvTimeoutError::Timeout) => {
                    progress(thinking.nodes(), depth);
                    continue;
                }
                received => received.map_err(|_| RecvError),
            };
            match received.into() {
                Event::Finished(decision) => return decision,
                Event::Report(report) => depth = report.depth,
            }
        }
    }
}

fn value(line: &Line) -> Value {
    let discs = line.score.units() / crate::game::DISC;
    match (line.depth, line.bound) {
        (SearchDepth::Exact, Bound::Exact) => Value::Score(discs),
        (SearchDepth::WinLossDraw, _) => Value::Outcome(Outcome::of_score(line.score.units())),
        _ => estimate(line),
    }
}

fn estimate(line: &Line) -> Value {
    Value::Estimate(line.score, line.depth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::EngineOptions;
    use crate::othello::{GameRecord, Move};
    use crate::search::Depth;
    use crate::testing::random_position;

    fn solver(question: Question) -> Solver {
        Solver::new(Engine::new(EngineOptions { hash_mb: 4, ..EngineOptions::default() }), question)
    }

    #[test]
    fn the_three_questions_agree() {
        let [mut score, mut every, mut outcome] = [Question::Score, Question::EveryMove, Question::Outcome].map(solver);
        for seed in 0..40 {
            let position = random_position(seed, (seed % 11) as u32);
            let [score, every, outcome] =
                [&mut score, &mut every, &mut outcome].map(|solver| solver.solve(&position, &mut |_, _| {}));
            let Value::Score(discs) = score.value else { panic!("{position}: {score:?}") };
            assert_eq!(every.value, score.value, "{position}");
            assert_eq!(outcome.value, Value::Outcome(Outcome::of_score(discs)), "{position}");
            assert_eq!(every.moves.first().map(|&(_, best)| best).unwrap_or(discs), discs);
            for solution in [&score, &every, &outcome] {
                assert_eq!(solution.turn, solution.pv.first().copied());
                let mut game = GameRecord::from_position(position);
                solution.pv.iter().for_each(|&turn| game.take(turn).unwrap());
                let end = game.position();
                let result = if end.mover() == position.mover() { end.score() } else { -end.score() };
                assert!(end.is_over() && Outcome::of_score(result) == Outcome::of_score(discs), "{solution:?}");
            }
            let turns = position.moves().count() as usize;
            assert_eq!(every.moves.len(), if position.must_pass() { 1 } else { turns });
        }
    }

    #[test]
    fn a_limit_makes_an_estimate() {
        for question in [Question::Score, Question::EveryMove, Question::Outcome] {
            let options = EngineOptions { depth: Depth::new(2), ..EngineOptions::default() };
            let solution = Solver::new(Engine::new(options), question).solve(&Position::START, &mut |_, _| {});
            assert!(matches!(solution.value, Value::Estimate(_, SearchDepth::Plies(2))), "{:?}", solution.value);
            assert!(matches!(solution.turn, Some(Move::Place(_))));
            assert_eq!(solution.moves, []);
        }
    }
}
