//! Emilia's moves at a level.

use super::Level;
use crate::analysis::{AnalysisSettings, Review, Reviewer};
use crate::book::View;
use crate::engine::{Decision, Engine, EngineOptions, Event, Goal, OpeningBook, Request};
use crate::notation::AnnotatedGame;
use crate::othello::{Empties, Move, Position};
use crate::random::Random;
use crate::search::{Contempt, Depth, Limits, Line, TimeBudget};
use crossbeam::channel::{Receiver, bounded, never, select};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The expected loss of one move, and what is saved for later moves, are at most this many times the target of the level.
const SWING: f64 = 3.0;

/// Plays at a level.
///
/// Below full strength every legal move is searched to the level's depth. Moves that lose more than [`Level::largest_loss`] against the
/// best one are left out, and one of the others is drawn: one that loses `l` discs with a probability proportional to exp(−l / T). The
/// temperature T is set anew for each position, so that the expected loss is what the level should lose now: its target, and what former
/// moves have left over or taken in advance. So the mean over a game is near the target, whether its positions forgave mistakes or not.
#[derive(Debug)]
pub struct Opponent {
    engine: Engine,
    level: Level,
    random: Random,
    /// Target losses so far less actual ones.
    saved: f64,
    interrupts: Receiver<()>,
}

impl Opponent {
    /// Emilia with this engine at a level; the seed decides what is drawn.
    pub fn new(engine: Engine, level: Level, seed: u64) -> Opponent {
        Opponent { engine, level, random: Random::new(seed), saved: 0.0, interrupts: never() }
    }

    /// What comes from here while a search runs ends it, and what it has found counts; a review it ends without a result. At other times
    /// nothing is received: who sends into a channel of capacity 0 learns by that whether something runs.
    pub fn with_interrupts(self, interrupts: Receiver<()>) -> Opponent {
        Opponent { interrupts, ..self }
    }

    /// The level.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Plays at another level from now on.
    pub fn set_level(&mut self, level: Level) {
        self.engine.stop();
        self.level = level;
        self.saved = 0.0;
    }

    /// Another game begins: losses of the last one have no effect on it.
    pub fn begin_game(&mut self) {
        self.saved = 0.0;
    }

    /// Tells where the game is now: pondering about another position ends.
    pub fn follow(&mut self, position: &Position) {
        self.engine.follow(position);
    }

    /// The turn to take, its value in discs for the mover, and what it gives away as far as the level sees. `None` if the game is over.
    /// With a budget, the move takes no longer.
    pub fn choose(&mut self, position: &Position, budget: Option<TimeBudget>) -> Option<Choice> {
        if position.is_over() {
            return None;
        }
        if position.must_pass() {
            return Some(Choice { turn: Move::Pass, value: None, loss: 0.0 });
        }
        let limits = Limits { time: budget, ..Limits::default() };
        if self.level == Level::FULL {
            let request = Request { limits, ..Request::best_move(*position) };
            let decision = self.think(request.clone());
            let turn = decision.legal_turn(position);
            self.engine.ponder(&request, turn);
            let value = decision.report.lines.first().filter(|line| line.turn == turn).map(|line| line.score.discs());
            return Some(Choice { turn, value, loss: 0.0 });
        }
        let limits = Limits { depth: Some(self.level.depth()), ..limits };
        let goal = Goal::Hint { lines: usize::MAX };
        let decision = self.think(Request { goal, limits, ..Request::best_move(*position) });
        let lines = &decision.report.lines;
        let Some(best) = lines.first().map(|line| line.score.discs()) else {
            return Some(Choice { turn: decision.legal_turn(position), value: None, loss: 0.0 });
        };
        let loss = |line: &Line| best - line.score.discs();
        let allowed: Vec<&Line> = lines.iter().filter(|line| loss(line) <= self.level.largest_loss()).collect();
        let losses: Vec<f64> = allowed.iter().map(|line| loss(line)).collect();
        let drawn = self.draw(&losses);
        let (line, loss) = (allowed[drawn], losses[drawn]);
        if lines.len() > 1 {
            let target = self.level.target_loss();
            self.saved = (self.saved + target - loss).min(SWING * target);
        }
        Some(Choice { turn: line.turn, value: Some(line.score.discs()), loss })
    }

    /// At most this number of moves with their values, whatever the level: those that the book would play, and then the best of the others by a
    /// search. None is searched if an interrupt comes before any has a value.
    pub fn hint(&mut self, position: &Position, count: usize) -> Hint {
        let book = self.engine.options().book_to_play_from();
        let view = book.and_then(|book| book.view(position, Contempt::NONE));
        let of_book: Vec<Line> = view.iter().flat_map(View::playable).take(count).collect();
        let others = (position.moves().count() as usize).max(1).saturating_sub(of_book.len());
        let lines = others.min(count - of_book.len());
        if position.is_over() || lines == 0 {
            return Hint { of_book, searched: Vec::new() };
        }
        let time = Some(TimeBudget::all_of(HINT_TIME));
        let limits = Limits { depth: Some(HINT_DEPTH), time, ..Limits::default() };
        // A search that reads the book can leave moves out.
        let except = of_book.iter().filter_map(|line| line.turn.square()).collect();
        let request = Request { goal: Goal::Hint { lines }, limits, except, ..Request::best_move(*position) };
        let searched = self.think(request).report.lines.into_iter().take(lines).collect();
        Hint { of_book, searched }
    }

    /// The opening book, whether the level plays from it or not.
    pub fn book(&self) -> Option<&OpeningBook> {
        self.engine.options().book.as_ref()
    }

    /// What the moves of a game were worth, by a quick look at each; `None` if it has none, or if an interrupt came.
    pub fn review(&self, game: &AnnotatedGame) -> Option<Review> {
        if game.is_position() {
            return None;
        }
        // The review has threads of its own.
        self.engine.stop();
        let options =
            EngineOptions { depth: Some(REVIEW_DEPTH), time: None, nodes: None, ..self.engine.options().clone() };
        let settings = AnalysisSettings { exact_from: REVIEW_EXACT, ..AnalysisSettings::new(options) };
        let (interrupts, (end, ended)) = (&self.interrupts, bounded::<()>(0));
        let is_interrupted = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                select! {
                    recv(interrupts) -> interrupt => is_interrupted.store(interrupt.is_ok(), Ordering::Relaxed),
                    recv(ended) -> _ => {}
                }
            });
            let go_on = || !is_interrupted.load(Ordering::Relaxed);
            let review = Reviewer::new(settings).review_game(game, &mut |_| go_on());
            drop(end);
            go_on().then_some(review)
        })
    }

    fn think(&mut self, request: Request) -> Decision {
        let thinking = self.engine.start(request);
        let mut interrupts = self.interrupts.clone();
        loop {
            select! {
                recv(thinking.events()) -> event => if let Event::Finished(decision) = Event::from(event) {
                    return decision;
                },
                recv(interrupts) -> interrupt => {
                    if interrupt.is_ok() {
                        thinking.stop();
                    }
                    interrupts = never();
                }
            }
        }
    }

    /// Which of these losses, the smallest first, is taken.
    fn draw(&mut self, losses: &[f64]) -> usize {
        let target = self.level.target_loss();
        let wanted = (target + self.saved).clamp(0.0, SWING * target);
        let weights = weights(losses, temperature(losses, wanted));
        let mut left = self.random.fraction() * weights.iter().sum::<f64>();
        for (i, weight) in weights.iter().enumerate() {
            left -= weight;
            if left < 0.0 {
                return i;
            }
        }
        0
    }
}

/// How deep and how long hints look.
const HINT_DEPTH: Depth = Depth::new(14).unwrap();
const HINT_TIME: Duration = Duration::from_millis(1500);

/// How deep a game is looked at when it is over, and the empty squares from which on it is solved.
const REVIEW_DEPTH: Depth = Depth::new(8).unwrap();
const REVIEW_EXACT: Empties = Empties::new(12).unwrap();

/// Moves with their values.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    /// Those that the opening book would play, the best first.
    pub of_book: Vec<Line>,
    /// The best of the others, by a search.
    pub searched: Vec<Line>,
}

/// A turn, and what is thought of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// The turn to take.
    pub turn: Move,
    /// Its value for the mover in discs, if it was searched.
    pub value: Option<f64>,
    /// What it gives away, in discs.
    pub loss: f64,
}

fn weights(losses: &[f64], temperature: f64) -> Vec<f64> {
    losses.iter().map(|loss| if *loss <= 0.0 { 1.0 } else { (-loss / temperature).exp() }).collect()
}

fn mean_loss(losses: &[f64], temperature: f64) -> f64 {
    let weights = weights(losses, temperature);
    let sum: f64 = weights.iter().sum();
    losses.iter().zip(&weights).map(|(loss, weight)| loss * weight).sum::<f64>() / sum
}

/// The temperature at which the expected loss is the wanted one: it grows with the temperature, from nothing to the mean of the losses.
fn temperature(losses: &[f64], wanted: f64) -> f64 {
    const HOTTEST: f64 = 1e4;
    let (mut low, mut high) = (1e-3, HOTTEST);
    if mean_loss(losses, high) <= wanted {
        return high;
    }
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if mean_loss(losses, middle) < wanted { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::GameRecord;

    #[test]
    fn the_temperature_gives_the_wanted_loss() {
        let losses = [0.0, 0.5, 2.0, 7.0, 20.0];
        for wanted in [0.1, 1.0, 3.0, 5.0] {
            let found = mean_loss(&losses, temperature(&losses, wanted));
            assert!((found - wanted).abs() < 1e-3, "{wanted}: {found}");
        }
        // More than the moves have to give is not to be had, and no loss is wanted as the best move.
        assert!((mean_loss(&losses, temperature(&losses, 50.0)) - 5.9).abs() < 0.01);
        assert!(mean_loss(&losses, temperature(&losses, 0.0)) < 1e-6);
        assert_eq!(mean_loss(&[0.0], temperature(&[0.0], 3.0)), 0.0);
    }

    /// Games of a level against itself: the mean loss of the moves with a choice. None of them loses more than the level may.
    fn mean_of_games(level: Level, games: u64) -> f64 {
        let options = EngineOptions { threads: 1, hash_mb: 16, ..EngineOptions::default() };
        let mut opponent = Opponent::new(Engine::new(options), level, 7);
        let (mut sum, mut choices) = (0.0, 0);
        for _ in 0..games {
            let mut game = GameRecord::default();
            while let Some(choice) = opponent.choose(game.position(), None) {
                assert!(choice.loss <= level.largest_loss(), "{level}: {choice:?} in {}", game.position());
                if game.position().moves().count() > 1 {
                    sum += choice.loss;
                    choices += 1;
                }
                game.take(choice.turn).unwrap();
            }
        }
        sum / f64::from(choices)
    }

    #[test]
    fn levels_lose_what_they_should() {
        for (number, games) in [("1", 6), ("3", 6), ("5", 9)] {
            let level: Level = number.parse().unwrap();
            let mean = mean_of_games(level, games);
            let ratio = mean / level.target_loss();
            assert!((0.7..1.3).contains(&ratio), "{level}: {mean} discs a move");
        }
    }
}
