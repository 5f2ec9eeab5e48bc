//! Where a match stands: everything that is counted, game by game in the order of the schedule.

use super::likeness::{GameKey, Groups};
use super::record::{End, PlayedGame};
use super::schedule::{Fixture, Schedule};
use super::statistics::{Estimate, SampleMean, Tally};
use crate::othello::{Color, Move, Outcome};
use serde::Serialize;
use std::collections::BTreeMap;

/// Below this share of different games the errors are not to be trusted without correction.
const ALIKE: f64 = 0.95;

/// Two players and what their games gave, seen by the first.
#[derive(Clone, Debug)]
pub struct Pairing {
    /// The first player.
    pub first: usize,
    /// The second player.
    pub second: usize,
    /// The counts.
    pub tally: Tally,
    /// The half points of each finished pair, 0 to 4, in order, with the number of its opening.
    pub pairs: Vec<(usize, u8)>,
    games: Groups<(GameKey, bool)>,
    kinds_of_pairs: Groups<(GameKey, GameKey)>,
    /// The first game of a pair, waiting for the second.
    waiting: Option<Half>,
}

/// One game of a pair, seen by the first player.
#[derive(Clone, Debug)]
struct Half {
    pair: u64,
    key: GameKey,
    outcome: Outcome,
    discs: Option<i32>,
}

impl Pairing {
    /// What the pairs say if they are independent.
    pub fn estimate(&self) -> Option<Estimate> {
        self.tally.pentanomial.estimate()
    }

    /// How many of the games differ, up to symmetry and the names of the colours.
    pub fn different_games(&self) -> usize {
        self.games.count()
    }

    /// Whether enough games repeat each other to make the plain errors mislead.
    pub fn is_alike(&self) -> bool {
        self.tally.games() >= 4 && (self.different_games() as f64) < ALIKE * self.tally.games() as f64
    }

    /// What the pairs say when equal pairs count as one; `None` without a pair.
    pub fn corrected_estimate(&self) -> Option<Estimate> {
        let (mean, variance) = self.tally.pentanomial.moments()?;
        let standard_error = self.kinds_of_pairs.standard_error()?;
        let independent = if standard_error > 0.0 { variance / standard_error.powi(2) } else { 1.0 };
        Some(Estimate::new(mean, variance, independent))
    }

    fn add(&mut self, game: &PlayedGame, key: GameKey, first_is_black: bool, opening: usize) {
        let sign = if first_is_black { 1 } else { -1 };
        let outcome = Outcome::of_score(sign * game.score);
        let discs = game.end.is_decided_on_the_board().then_some(sign * game.score);
        self.tally.add_game(outcome);
        self.games.add((key.clone(), first_is_black), 0.0);
        match self.waiting.take() {
            Some(half) if half.pair == game.pair => {
                let points = half.outcome.half_points() + outcome.half_points();
                self.tally.pentanomial.add(points);
                if let (Some(a), Some(b)) = (half.discs, discs) {
                    self.tally.discs.add(f64::from(a + b) / 2.0);
                }
                self.kinds_of_pairs.add((half.key, key), points as f64 / 4.0);
                self.pairs.push((opening, points as u8));
            }
            _ => self.waiting = Some(Half { pair: game.pair, key, outcome, discs }),
        }
    }
}

/// What is counted about one player against all opponents together.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Moves made; passes and the moves of the opening are not counted.
    pub moves: u64,
    /// Seconds a move, by the referee's clock.
    pub seconds: SampleMean,
    /// Depth a move, where the player says it.
    pub depth: SampleMean,
    /// Nodes a move, where the player says it.
    pub nodes: SampleMean,
    /// How its lost games ended where not on the board.
    pub forfeits: BTreeMap<End, u64>,
}

/// A game that a player lost by a failure of its program.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// The number of the game.
    pub game: u64,
    /// The player.
    pub player: String,
    /// What kind of failure.
    pub end: End,
    /// What exactly was wrong.
    pub detail: String,
}

/// The number of failures that are kept with their details; all are counted.
const FAILURES_KEPT: usize = 20;

/// The state of a match.
#[derive(Clone, Debug)]
pub struct Standings {
    /// The players' names.
    pub names: Vec<String>,
    /// Every pairing of the schedule.
    pub pairings: Vec<Pairing>,
    /// Every player.
    pub efforts: Vec<Effort>,
    /// The first failures.
    pub failures: Vec<Failure>,
    /// Games counted.
    pub games: u64,
}

impl Standings {
    /// Before the first game.
    pub fn new(names: Vec<String>, schedule: &Schedule) -> Standings {
        let pairing = |&(first, second): &(usize, usize)| Pairing {
            first,
            second,
            tally: Tally::default(),
            pairs: Vec::new(),
            games: Groups::default(),
            kinds_of_pairs: Groups::default(),
            waiting: None,
        };
        let efforts = vec![Effort::default(); names.len()];
        Standings {
            pairings: schedule.pairings().iter().map(pairing).collect(),
            names,
            efforts,
            failures: Vec::new(),
            games: 0,
        }
    }

    /// Counts a game; the games of a pair must come one after the other.
    pub fn add(&mut self, fixture: &Fixture, game: &PlayedGame) {
        let Ok(record) = game.record() else { return };
        self.games += 1;
        let key = GameKey::new(&record);
        let of_fixture = |p: &&mut Pairing| {
            (p.first, p.second) == (fixture.black, fixture.white)
                || (p.second, p.first) == (fixture.black, fixture.white)
        };
        if let Some(pairing) = self.pairings.iter_mut().find(of_fixture) {
            pairing.add(game, key, pairing.first == fixture.black, fixture.opening);
        }
        let player = |color: Color| if color == Color::Black { fixture.black } else { fixture.white };
        let movers = record.turns().iter().zip(record.positions()).filter(|(turn, _)| **turn != Move::Pass);
        for (i, (_, position)) in movers.skip(game.opening_moves).enumerate() {
            let effort = &mut self.efforts[player(position.mover())];
            effort.moves += 1;
            if let Some(&seconds) = game.seconds.get(i) {
                effort.seconds.add(seconds);
            }
            if let Some(&Some(depth)) = game.depths.get(i) {
                effort.depth.add(f64::from(depth));
            }
            if let Some(&Some(nodes)) = game.nodes.get(i) {
                effort.nodes.add(nodes as f64);
            }
        }
        if let Some(loser) = game.loser {
            let loser = player(loser);
            *self.efforts[loser].forfeits.entry(game.end).or_default() += 1;
            if game.end.is_failure() && self.failures.len() < FAILURES_KEPT {
                let (player, detail) = (self.names[loser].clone(), game.detail.clone().unwrap_or_default());
                self.failures.push(Failure { game: game.game, player, end: game.end, detail });
            }
        }
    }

    /// All games of one player together.
    pub fn total(&self, player: usize) -> Tally {
        let mut total = Tally::default();
        for pairing in &self.pairings {
            if pairing.first == player {
                total.merge(&pairing.tally);
            } else if pairing.second == player {
                total.merge(&pairing.tally.reversed());
            }
        }
        total
    }
}
