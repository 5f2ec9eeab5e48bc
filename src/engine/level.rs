//! How strong Emilia plays.

use crate::random::Random;
use crate::search::{Depth, Line};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A level from 1, a beginner, to 8, all that Emilia can.
///
/// A level has a target: the discs that its moves give away on average, against the best move that a search to its depth sees,
/// counted over the moves that leave a choice. It also has a largest loss, which no single move exceeds.
///
/// Below full strength every legal move is searched to the level's depth. Moves that lose more than [`Level::largest_loss`] against the
/// best one are left out, and one of the others is drawn: one that loses `l` discs with a probability proportional to exp(−l / T). The
/// temperature T is set anew for each position, so that the expected loss is what the level should lose now: its target, and what former
/// moves have left over or taken in advance. So the mean over a game is near the target, whether its positions forgave mistakes or not.
///
/// ```
/// use emilia::engine::Level;
/// let level: Level = "3".parse().unwrap();
/// assert_eq!((level.name(), level.target_loss(), level.largest_loss()), ("casual", 2.5, 12.0));
/// assert_eq!(Level::FULL.target_loss(), 0.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

/// Name, target loss and largest loss in discs, depth in plies.
const LEVELS: [(&str, f64, f64, u8); 8] = [
    ("beginner", 6.0, 24.0, 4),
    ("novice", 4.0, 18.0, 4),
    ("casual", 2.5, 12.0, 6),
    ("club player", 1.5, 8.0, 6),
    ("strong club player", 0.8, 6.0, 8),
    ("expert", 0.4, 4.0, 8),
    ("master", 0.15, 2.0, 10),
    ("full strength", 0.0, 0.0, 60),
];

/// The text is no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected a level from 1 (beginner) to {0} (full strength)", LEVELS.len())]
pub struct ParseLevelError;

impl Level {
    /// The weakest.
    pub const LEAST: Level = Level(1);

    /// The strongest: the engine as its options have it.
    pub const FULL: Level = Level(LEVELS.len() as u8);

    /// Every level, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=LEVELS.len() as u8).map(Level)
    }

    /// The level of this number, if there is one.
    pub fn new(number: u8) -> Option<Level> {
        Level::all().find(|level| level.0 == number)
    }

    /// 1 to 8.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// In a word or two.
    pub const fn name(self) -> &'static str {
        LEVELS[self.0 as usize - 1].0
    }

    /// The mean loss of its moves that it aims at, in discs.
    pub const fn target_loss(self) -> f64 {
        LEVELS[self.0 as usize - 1].1
    }

    /// The most that one of its moves may lose, in discs.
    pub const fn largest_loss(self) -> f64 {
        LEVELS[self.0 as usize - 1].2
    }

    /// How deep it sees; the end of the game is seen farther. For [`Level::FULL`] the engine's options count.
    pub const fn depth(self) -> Depth {
        Depth::new(LEVELS[self.0 as usize - 1].3).unwrap()
    }
}

impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(text: &str) -> Result<Level, ParseLevelError> {
        Level::all().find(|level| level.0.to_string() == text || level.name() == text).ok_or(ParseLevelError)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {} ({})", self.0, self.name())
    }
}

/// The expected loss of one move, and what is saved for later moves, are at most this many times the target of the level.
const SWING: f64 = 3.0;

/// What the moves of one side of a game at a level may still lose.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LossBudget {
    /// Target losses so far less actual ones, in discs.
    saved: f64,
    /// What was saved before the last move.
    before: f64,
    /// Discs placed since the start of the game, at the last move.
    placed: u8,
}

impl LossBudget {
    /// Chooses one of these lines at random, and returns its index. There is at least one line. `placed`: discs placed since the start of the game.
    /// If there are fewer than at the last move, another game has begun or moves were taken back, and nothing is saved. If there are as many, that
    /// move was not played.
    pub fn choose(&mut self, level: Level, lines: &[Line], placed: u8, random: &mut Random) -> usize {
        match placed.cmp(&self.placed) {
            Ordering::Less => self.saved = 0.0,
            Ordering::Equal => self.saved = self.before,
            Ordering::Greater => {}
        }
        (self.placed, self.before) = (placed, self.saved);
        // Some searches have the most visited move in front.
        let best = lines.iter().map(|line| line.score.discs()).fold(f64::NEG_INFINITY, f64::max);
        let losses = lines.iter().map(|line| best - line.score.discs()).enumerate();
        let (allowed, losses): (Vec<usize>, Vec<f64>) =
            losses.filter(|&(_, loss)| loss <= level.largest_loss()).unzip();
        let target = level.target_loss();
        let wanted = (target + self.saved).clamp(0.0, SWING * target);
        let weights = weights(&losses, temperature(&losses, wanted));
        let mut left = random.fraction() * weights.iter().sum::<f64>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        let drawn = drawn.unwrap_or(0);
        if lines.len() > 1 {
            self.saved = (self.saved + target - losses[drawn]).min(SWING * target);
        }
        allowed[drawn]
    }
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
    use super::super::{BEST_FIRST, EXTENSION, Engine, EngineOptions, Event, Request};
    use super::*;
    use crate::notation::read_position;
    use crate::othello::{GameRecord, Move, Position};
    use crate::search::{Score, SearchDepth};
    use std::collections::HashSet;

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

    fn options(level: Level) -> EngineOptions {
        EngineOptions { level, threads: 1, hash_mb: 16, seed: 7, ..EngineOptions::default() }
    }

    /// Games of a level against itself: the mean loss of the moves with a choice. None of them loses more than the level may.
    fn mean_of_games(options: EngineOptions, games: u64) -> f64 {
        let (level, mut engine) = (options.level, Engine::new(options));
        let (mut sum, mut choices) = (0.0, 0);
        for _ in 0..games {
            let mut game = GameRecord::default();
            while !game.position().is_over() {
                let decision = engine.start(Request::best_move(*game.position())).wait();
                let turn = decision.turn.unwrap();
                if game.position().moves().count() > 1 {
                    let lines = &decision.report.lines;
                    assert!(lines[0].turn == turn && lines.len() == game.position().moves().count() as usize);
                    let best = lines.iter().map(|line| line.score).max().unwrap();
                    let loss = best.discs() - lines[0].score.discs();
                    assert!(loss <= level.largest_loss(), "{level}: {turn} loses {loss} in {}", game.position());
                    sum += loss;
                    choices += 1;
                }
                game.take(turn).unwrap();
            }
        }
        sum / f64::from(choices)
    }

    #[test]
    fn levels_lose_what_they_should() {
        for (number, games) in [("1", 6), ("3", 6), ("5", 9)] {
            let level: Level = number.parse().unwrap();
            let mean = mean_of_games(options(level), games);
            let ratio = mean / level.target_loss();
            assert!((0.7..1.3).contains(&ratio), "{level}: {mean} discs a move");
        }
        // These do not have the move with the best value in front.
        for engine in [&BEST_FIRST, &EXTENSION] {
            let mean = mean_of_games(EngineOptions { engine, ..options("7".parse().unwrap()) }, 2);
            assert!((0.0..0.6).contains(&mean), "{engine}: {mean} discs a move");
        }
    }

    #[test]
    fn what_moves_may_lose_begins_anew_with_another_game() {
        let turn = Move::Place("f5".parse().unwrap());
        let line = |discs| Line::new(vec![turn], Score::from_discs(discs), SearchDepth::Plies(4));
        // A move that must lose much takes in advance what later ones may lose.
        let (level, lines) = ("3".parse().unwrap(), [line(0), line(2), line(-3)]);
        let mut budget = LossBudget { saved: -50.0, before: 0.0, placed: 30 };
        let draws = |budget: &mut LossBudget, placed| {
            (0..20).map(|seed| budget.choose(level, &lines, placed, &mut Random::new(seed))).collect::<Vec<_>>()
        };
        assert_eq!(draws(&mut budget, 32), [1; 20], "the second has the best value");
        let drawn = draws(&mut budget, 31);
        assert!((0..3).all(|i| drawn.contains(&i)), "{drawn:?}");
        // What is asked again costs once.
        let seed = |budget: &mut LossBudget, placed| budget.choose(level, &lines, placed, &mut Random::new(1));
        let (mut once, mut often) = (LossBudget::default(), LossBudget::default());
        (0..9).for_each(|_| assert_eq!(seed(&mut often, 20), seed(&mut LossBudget::default(), 20)));
        seed(&mut once, 20);
        assert_eq!(once.saved, often.saved);
    }

    #[test]
    fn a_level_plays_without_book_variety_and_pondering_and_within_its_depth() {
        let level: Level = "3".parse().unwrap();
        let variety = Score::from_discs(64);
        let mut engine = Engine::new(EngineOptions { ponder: true, variety, ..options(level) });
        let mut of_seeds = HashSet::new();
        for seed in 0..8 {
            engine.set("seed", &seed.to_string()).unwrap();
            let request = Request::best_move(*read_position("f5d6c3").unwrap().position());
            let decision = engine.start(request.clone()).wait();
            assert!(decision.report.nodes > 0 && decision.report.lines.len() == 4, "{decision:?}");
            assert!(decision.report.depth.plies().is_some_and(|plies| plies <= level.depth().plies()));
            let Some(Move::Place(square)) = decision.turn else { panic!("{decision:?}") };
            of_seeds.insert(square);
            engine.ponder(&request, decision.turn.unwrap());
            assert!(engine.pondering.is_none());
        }
        assert!(of_seeds.len() > 1, "{of_seeds:?}");
        // A question for values, and a search that goes on until it is stopped, are not about a move to play.
        let endless = Request { is_endless: true, ..Request::best_move(Position::START) };
        for request in [Request::hint(Position::START, 2), endless] {
            let thinking = engine.start(request);
            let is_deeper = |event: Event| match event {
                Event::Report(report) => report.depth.plies().is_some_and(|plies| plies > level.depth().plies()),
                Event::Finished(decision) => panic!("{decision:?}"),
            };
            assert!(thinking.events().iter().any(is_deeper));
            thinking.stop();
        }
    }
}
