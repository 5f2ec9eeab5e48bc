//! Games between searches, in pairs with the colours exchanged, and what they cost.

use super::contest::Contest;
use super::findings::{Cell, Measured, point};
use super::player::{ByStage, Contender};
use super::stopwatch::Stopwatch;
use crate::arena::statistics::{Tally, Z95};
use crate::othello::{Color, Outcome};
use crate::render::Point;
use crate::search::after;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one side spent in one game or several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Moves that it thought about.
    pub moves: u64,
    /// Static evaluations; every node of an exact solve counts as one.
    pub evaluations: u64,
    /// Nanoseconds of work.
    pub nanos: u64,
    /// Plies of the expected play, added up over the moves.
    pub plies: u64,
}

impl Spent {
    /// Adds what was spent elsewhere.
    pub fn add(&mut self, other: &Spent) {
        self.moves += other.moves;
        self.evaluations += other.evaluations;
        self.nanos += other.nanos;
        self.plies += other.plies;
    }

    /// Evaluations for a move, on average.
    pub fn per_move(&self) -> f64 {
        self.evaluations as f64 / self.moves.max(1) as f64
    }

    /// Plies of the expected play, on average.
    pub fn mean_plies(&self) -> f64 {
        self.plies as f64 / self.moves.max(1) as f64
    }
}

/// One game.
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The result for Black: discs, or the sum of the path in a random tree.
    pub black: i32,
    /// What Black and White spent.
    pub spent: [Spent; 2],
    /// The evaluations of each by the stage of the game.
    pub stages: [ByStage; 2],
}

/// Plays a game from `start` to where [`Contest::verdict`] knows its result.
pub fn play<G: Contest>(start: &G, players: [&mut dyn Contender<G>; 2], solve_from: u32) -> Played {
    let mut played = Played { black: 0, spent: Default::default(), stages: Default::default() };
    let [black, white] = players;
    black.begin();
    white.begin();
    let mut position = start.clone();
    loop {
        if let Some(result) = position.verdict(solve_from) {
            played.black = result;
            return played;
        }
        if position.moves().next().is_none() {
            position = position.pass();
            continue;
        }
        let (side, player) = match position.mover() {
            Color::Black => (0, &mut *black),
            Color::White => (1, &mut *white),
        };
        let watch = Stopwatch::start();
        let chosen = player.choose(&position);
        let nanos = watch.nanos();
        let spent = Spent { moves: 1, evaluations: chosen.evaluations, nanos, plies: chosen.plies.into() };
        played.spent[side].add(&spent);
        let stage = played.stages[side].entry(position.stage()).or_default();
        *stage = (stage.0 + chosen.evaluations, stage.1 + 1);
        position = after(&position, chosen.turn);
    }
}

/// Two games from one start, the first player Black in the one and White in the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Pair {
    /// The results for the first player.
    pub results: [i32; 2],
    /// What the first player spent in both.
    pub first: Spent,
    /// What the second player spent in both.
    pub second: Spent,
}

/// Plays a pair.
pub fn play_pair<G: Contest>(
    start: &G,
    first: &mut dyn Contender<G>,
    second: &mut dyn Contender<G>,
    solve_from: u32,
) -> (Pair, [ByStage; 2]) {
    let as_black = play(start, [first, second], solve_from);
    let as_white = play(start, [second, first], solve_from);
    let mut pair = Pair { results: [as_black.black, -as_white.black], ..Pair::default() };
    for (game, (mine, theirs)) in [(&as_black, (0, 1)), (&as_white, (1, 0))] {
        pair.first.add(&game.spent[mine]);
        pair.second.add(&game.spent[theirs]);
    }
    let [mut mine, mut theirs] = as_black.stages;
    merge(&mut mine, &as_white.stages[1]);
    merge(&mut theirs, &as_white.stages[0]);
    (pair, [mine, theirs])
}

/// Adds evaluations by stage.
pub fn merge(into: &mut ByStage, from: &ByStage) {
    for (&stage, &(evaluations, moves)) in from {
        let entry = into.entry(stage).or_default();
        *entry = (entry.0 + evaluations, entry.1 + moves);
    }
}

/// What several pairs say.
#[derive(Clone, Debug, Default)]
pub struct PairScore {
    /// Games and pairs, a draw counting half.
    pub tally: Tally,
    /// What the first player spent in all games.
    pub first: Spent,
    /// What the second player spent in all games.
    pub second: Spent,
    /// For each pair: games won and games decided, by the first player.
    decided: Vec<(f64, f64)>,
    /// For each pair, the sign of the sum of its results.
    sums: Vec<f64>,
}

impl PairScore {
    /// Counts these pairs.
    pub fn of(pairs: &[Pair]) -> PairScore {
        let mut score = PairScore::default();
        for pair in pairs {
            let [one, other] = pair.results.map(Outcome::of_score);
            score.tally.add_game(one);
            score.tally.add_game(other);
            score.tally.pentanomial.add(one.half_points() + other.half_points());
            score.tally.discs.add(f64::from(pair.results[0] + pair.results[1]) / 2.0);
            score.first.add(&pair.first);
            score.second.add(&pair.second);
            let count = |outcome: fn(i32) -> bool| pair.results.iter().filter(|&&r| outcome(r)).count() as f64;
            score.decided.push((count(|r| r > 0), count(|r| r != 0)));
            score.sums.push(f64::from((i64::from(pair.results[0]) + i64::from(pair.results[1])).signum() as i32));
        }
        score
    }

    /// Points and games won of those decided, in percent, and the mean of the discs, as entries of a table.
    pub fn cells(&self) -> [Cell; 3] {
        [self.percent().into(), self.percent_of_decided().into(), Cell::mean(&self.tally.discs, 1)]
    }

    /// The points in percent as a point of a curve.
    pub fn point(&self, x: u32) -> Point {
        point(x, self.percent())
    }

    /// Points in percent, draws half, with the error by pairs.
    pub fn percent(&self) -> Measured {
        let estimate = self.tally.pentanomial.estimate();
        estimate.map_or((f64::NAN, None), |e| (100.0 * e.score, e.score_error.map(|error| 100.0 * error)))
    }

    /// Games won of those that were decided, in percent, with the error by pairs: the papers leave ties out.
    pub fn percent_of_decided(&self) -> Measured {
        let clusters: Vec<usize> = (0..self.decided.len()).collect();
        self.percent_of_decided_in(&clusters)
    }

    /// Games won of those that were decided, in percent, with the error by clusters of pairs, one number for each pair: pairs from openings that are mirror images
    /// of one another are the same games.
    pub fn percent_of_decided_in(&self, clusters: &[usize]) -> Measured {
        let won: f64 = self.decided.iter().map(|(won, _)| won).sum();
        let games: f64 = self.decided.iter().map(|(_, games)| games).sum();
        if games == 0.0 {
            return (f64::NAN, None);
        }
        let share = won / games;
        let mut residuals: BTreeMap<usize, f64> = BTreeMap::new();
        for (cluster, (won, games)) in clusters.iter().zip(&self.decided) {
            *residuals.entry(*cluster).or_default() += won - share * games;
        }
        let n = residuals.len() as f64;
        let squares: f64 = residuals.values().map(|r| r * r).sum();
        let error = (n > 1.0 && squares > 0.0).then(|| 100.0 * Z95 * (squares * n / (n - 1.0)).sqrt() / games);
        (100.0 * share, error)
    }

    /// Pairs won of those that were decided, in percent: a pair is won by who had the larger result with the same colour,
    /// as the paper counts random games.
    pub fn percent_of_pairs(&self) -> Measured {
        let won = self.sums.iter().filter(|&&sum| sum > 0.0).count() as f64;
        let pairs = self.sums.iter().filter(|&&sum| sum != 0.0).count() as f64;
        if pairs == 0.0 {
            return (f64::NAN, None);
        }
        // Wilson's interval, which also says something where one side won every pair. Its middle is not the share, so the error is
        // that of its farther end.
        let (share, z2) = (won / pairs, Z95 * Z95);
        let spread = 1.0 + z2 / pairs;
        let middle = (share + z2 / (2.0 * pairs)) / spread;
        let half = Z95 * (share * (1.0 - share) / pairs + z2 / (4.0 * pairs * pairs)).sqrt() / spread;
        (100.0 * share, Some(100.0 * (half + (middle - share).abs())))
    }

    /// What the first player spent as a share of the second's, in evaluations.
    pub fn share_spent(&self) -> f64 {
        self.first.evaluations as f64 / self.second.evaluations.max(1) as f64
    }

    /// What the first player spent as a share of the second's, in processor time.
    pub fn share_of_time(&self) -> f64 {
        self.first.nanos as f64 / self.second.nanos.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: i32, b: i32) -> Pair {
        Pair { results: [a, b], ..Pair::default() }
    }

    #[test]
    fn percentages_by_hand() {
        let score = PairScore::of(&[pair(4, 2), pair(-3, 1), pair(0, 6), pair(-1, -1)]);
        assert_eq!(score.percent().0, 100.0 * 4.5 / 8.0);
        assert!((score.percent_of_decided().0 - 100.0 * 4.0 / 7.0).abs() < 1e-9);
        // Pairs: +6, −2, +6, −2.
        assert_eq!(score.percent_of_pairs().0, 50.0);
        // Residuals 2 − 8/7, 1 − 8/7, 1 − 4/7, −8/7.
        let squares: f64 = [6.0, -1.0, 3.0, -8.0f64].iter().map(|r| (r / 7.0).powi(2)).sum();
        let error = 100.0 * Z95 * (squares * 4.0 / 3.0).sqrt() / 7.0;
        assert!((score.percent_of_decided().1.unwrap() - error).abs() < 1e-9);
    }

    #[test]
    fn every_pair_won_leaves_the_interval_of_wilson() {
        let (share, error) = PairScore::of(&[pair(2, 4); 10]).percent_of_pairs();
        // From 10 / (10 + 1.96²) to 1.
        assert!(share == 100.0 && (error.unwrap() - 27.753).abs() < 1e-3, "{error:?}");
    }

    #[test]
    fn the_same_games_twice_say_no_more() {
        let once = [pair(4, 2), pair(-3, 1), pair(0, 6), pair(-1, -1)];
        let twice = [once, once].concat();
        let clusters = [0, 1, 2, 3, 0, 1, 2, 3];
        let (score, error) = PairScore::of(&twice).percent_of_decided_in(&clusters);
        assert_eq!((score, error), PairScore::of(&once).percent_of_decided());
        assert!(PairScore::of(&twice).percent_of_decided().1 < error);
    }
}
