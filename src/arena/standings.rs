//! Where a match stands: everything that is counted, game by game in the order of the schedule.

use super::likeness::GameKey;
use super::record::{End, PlayedGame};
use super::schedule::{Fixture, Schedule};
use super::statistics::{Estimate, Pentanomial, SampleMean, Tally};
use crate::othello::{Color, Move, Outcome};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// Below this share of different games the errors are not to be trusted without correction.
const ALIKE: f64 = 0.95;

/// Two players and what their games gave, seen by the first.
#[derive(Clone, Debug, Default)]
pub struct Pairing {
    /// The first player.
    pub first: usize,
    /// The second player.
    pub second: usize,
    /// The counts.
    pub tally: Tally,
    /// The half points of each finished pair, 0 to 4, in order, with the number of its opening.
    pub pairs: Vec<(usize, u8)>,
    /// The finished pairs without those that repeat an earlier one, up to symmetry.
    pub different_pairs: Pentanomial,
    /// Their final disc differences, counted as in the tally.
    pub different_discs: SampleMean,
    seen_games: HashSet<(GameKey, bool)>,
    seen_pairs: HashSet<(GameKey, GameKey)>,
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

    /// How many of the games differ, up to symmetry.
    pub fn different_games(&self) -> usize {
        self.seen_games.len()
    }

    /// Whether enough games repeat each other to make the plain errors mislead.
    pub fn is_alike(&self) -> bool {
        self.tally.games() >= 4 && (self.different_games() as f64) < ALIKE * self.tally.games() as f64
    }

    fn add(&mut self, game: &PlayedGame, key: GameKey, first_is_black: bool, opening: usize) {
        let sign = if first_is_black { 1 } else { -1 };
        let outcome = Outcome::of_score(sign * game.score);
        let discs = game.end.is_decided_on_the_board().then_some(sign * game.score);
        self.tally.add_game(outcome);
        self.seen_games.insert((key.clone(), first_is_black));
        match self.waiting.take() {
            Some(half) if half.pair == game.pair => {
                let points = half.outcome.half_points() + outcome.half_points();
                self.tally.pentanomial.add(points);
                let mean_discs = half.discs.zip(discs).map(|(a, b)| f64::from(a + b) / 2.0);
                mean_discs.into_iter().for_each(|discs| self.tally.discs.add(discs));
                if self.seen_pairs.insert((half.key, key)) {
                    self.different_pairs.add(points);
                    mean_discs.into_iter().for_each(|discs| self.different_discs.add(discs));
                }
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
    /// The failure by which the last game ended, if it did.
    pub last_failure: Option<Failure>,
    /// Games counted.
    pub games: u64,
}

impl Standings {
    /// Before the first game.
    pub fn new(names: Vec<String>, schedule: &Schedule) -> Standings {
        let pairing = |&(first, second): &(usize, usize)| Pairing { first, second, ..Pairing::default() };
        let pairings = schedule.pairings().iter().map(pairing).collect();
        let efforts = vec![Effort::default(); names.len()];
        Standings { pairings, names, efforts, failures: Vec::new(), last_failure: None, games: 0 }
    }

    /// Counts a game; the games of a pair must come one after the other.
    pub fn add(&mut self, fixture: &Fixture, game: &PlayedGame) {
        self.last_failure = None;
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
            if game.end.is_failure() {
                let (player, detail) = (self.names[loser].clone(), game.detail.clone().unwrap_or_default());
                let failure = Failure { game: game.game, player, end: game.end, detail };
                if self.failures.len() < FAILURES_KEPT {
                    self.failures.push(failure.clone());
                }
                self.last_failure = Some(failure);
            }
        }
    }

    /// What one player won, drew and lost against all others together.
    pub fn total(&self, player: usize) -> Tally {
        let mut total = Tally::default();
        for Pairing { first, second, tally, .. } in &self.pairings {
            let (wins, losses) = match player {
                _ if player == *first => (tally.wins, tally.losses),
                _ if player == *second => (tally.losses, tally.wins),
                _ => continue,
            };
            (total.wins, total.draws, total.losses) =
                (total.wins + wins, total.draws + tally.draws, total.losses + losses);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::TournamentFormat;
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_pairs_are_counted_once() {
        let names = ["A", "B"].map(str::to_owned);
        let schedule = Schedule::new(TournamentFormat::RoundRobin, 2, 5, 5);
        let mut standings = Standings::new(names.to_vec(), &schedule);
        let mut add = |place, moves, score| {
            let fixture = schedule.game(place).unwrap();
            let Fixture { game, pair, opening, black, white } = fixture;
            let game = json!({
                "game": game, "pair": pair, "opening": opening, "black": names[black], "white": names[white],
                "end": "adjudicated", "score": score, "opening_moves": 0, "moves": moves,
            });
            standings.add(&fixture, &serde_json::from_value(game).unwrap());
        };
        // A loses both games of a pair, twice, and one game of another pair, three times. Images of a game are that game.
        let pairs =
            [("f5f6", -2, "f5d6"), ("e6f6", -2, "c4e3"), ("f5f4", 2, "f5f4"), ("d3e3", 2, "e6d6"), ("c4c5", 2, "f5f4")];
        for (place, (first, score, second)) in (0..).step_by(2).zip(pairs) {
            add(place, first, score);
            add(place + 1, second, 2);
        }
        let pairing = &standings.pairings[0];
        assert_eq!((pairing.tally.pentanomial.0, pairing.different_pairs.0), ([2, 0, 3, 0, 0], [1, 0, 1, 0, 0]));
        assert!(pairing.different_games() == 4 && pairing.is_alike());
        assert_eq!(pairing.estimate().unwrap().score, 0.3);
        let once = pairing.different_pairs.estimate().unwrap();
        assert_eq!(once.score, 0.25);
        // A is two discs behind in a game of two pairs, and even in one of three.
        assert_eq!((pairing.tally.discs.mean(), pairing.different_discs.mean()), (Some(-0.8), Some(-1.0)));
        // Both scores are a quarter from the mean: the variance is 2 / 16, the standard error 1 / 4.
        assert!((once.score_error.unwrap() - 1.959_964 / 4.0).abs() < 1e-6);
        assert_eq!(standings.total(1).score(), Some(0.7));
    }

    /// A game as a log has it; `more` replaces or adds to its fields.
    fn game(fixture: &Fixture, score: i32, moves: &str, more: serde_json::Value) -> PlayedGame {
        let Fixture { game, pair, opening, black, white } = *fixture;
        let mut text = json!({
            "game": game, "pair": pair, "opening": opening, "black": black.to_string(), "white": white.to_string(),
            "end": "played", "score": score, "opening_moves": 0, "moves": moves,
        });
        text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(text).unwrap()
    }

    #[test]
    fn games_count_for_pairs_and_players_and_failures_for_their_programs() {
        let schedule = Schedule::new(TournamentFormat::RoundRobin, 3, 30, 30);
        let mut standings = Standings::new(["A", "B", "C"].map(str::to_owned).to_vec(), &schedule);
        let mut add = |place, score, moves, more| {
            let fixture = schedule.game(place).unwrap();
            standings.add(&fixture, &game(&fixture, score, moves, more));
        };
        let thoughts = json!({"opening_moves": 1, "seconds": [2.0, 3.0], "depths": [5, null], "nodes": [100, 200]});
        add(0, 10, "f5d6c3", thoughts);
        add(1, 4, "f5f6", json!({}));
        add(2, 0, "f5d6", json!({}));
        add(3, -6, "f5f4", json!({}));
        add(4, 64, "", json!({"end": "crash", "loser": "white", "detail": "boom"}));
        add(5, -64, "", json!({"end": "resigned", "loser": "black"}));
        // Half a pair, and half of another one.
        add(6, 2, "f5d6c3", json!({}));
        add(12, 2, "f5d6c4", json!({}));
        let [ab, ac, bc] = &standings.pairings[..] else { panic!("three pairings") };
        assert_eq!((ab.tally.pentanomial.0, ac.tally.pentanomial.0), ([0, 0, 1, 0, 0], [0, 0, 0, 1, 0]));
        assert_eq!([ab, ac, bc].map(|pairing| pairing.tally.discs.mean()), [Some(3.0), Some(3.0), None]);
        assert_eq!((bc.tally.pentanomial.0, bc.tally.games()), ([0, 0, 0, 0, 1], 2));
        let totals = [0, 1, 2].map(|player| standings.total(player)).map(|t| (t.wins, t.draws, t.losses));
        assert_eq!((totals, standings.games), ([(4, 1, 1), (3, 0, 3), (0, 1, 3)], 8));
        let [a, b, c] = &standings.efforts[..] else { panic!("three players") };
        // Of the first game, its first move is the opening's.
        assert_eq!([a.moves, b.moves, c.moves], [8, 4, 2]);
        assert_eq!([a.seconds.mean(), b.seconds.mean(), c.seconds.mean()], [Some(3.0), Some(2.0), None]);
        assert_eq!([a.depth.mean(), b.depth.mean()], [None, Some(5.0)]);
        assert_eq!([a.nodes.mean(), b.nodes.mean()], [Some(200.0), Some(100.0)]);
        assert_eq!(c.forfeits, BTreeMap::from([(End::Crash, 1), (End::Resigned, 1)]));
        let [Failure { game: 4, player, end: End::Crash, detail }] = &standings.failures[..] else {
            panic!("{:?}", standings.failures)
        };
        assert_eq!((&player[..], &detail[..]), ("C", "boom"));

        // The first twenty are kept, all are counted.
        for place in 180 - 40..180 {
            let fixture = schedule.game(place).unwrap();
            let crash = json!({"end": "crash", "loser": "white"});
            standings.add(&fixture, &game(&fixture, 64, "", crash));
        }
        let crashes = standings.efforts.iter().filter_map(|effort| effort.forfeits.get(&End::Crash));
        assert_eq!((standings.failures.len(), crashes.sum::<u64>()), (20, 41));
    }

    #[test]
    fn games_are_alike_if_more_than_one_in_twenty_repeats_another() {
        use crate::arena::opening;
        let records = opening::distinct(opening::every(4));
        let alike = |games: usize, different: usize| {
            let schedule = Schedule::new(TournamentFormat::RoundRobin, 2, 60, 60);
            let mut standings = Standings::new(["A", "B"].map(str::to_owned).to_vec(), &schedule);
            for number in 0..games {
                // All with the same colours.
                let fixture = schedule.game(2 * number as u64).unwrap();
                let moves = opening::opening_text(&records[number.min(different - 1)]);
                standings.add(&fixture, &game(&fixture, 2, &moves, json!({})));
            }
            assert_eq!(standings.pairings[0].different_games(), different);
            standings.pairings[0].is_alike()
        };
        for (games, different, is_alike) in [
            (3, 2, false),
            (4, 4, false),
            (4, 3, true),
            (20, 20, false),
            (20, 19, false),
            (20, 18, true),
            (40, 37, true),
        ] {
            assert_eq!(alike(games, different), is_alike, "{different} of {games}");
        }
    }
}
