//! Who plays whom, in which order.

use crate::shard::Shard;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};

/// The shape of a tournament.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, Display, EnumString)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = unknown_format)]
pub enum TournamentFormat {
    /// Everybody against everybody; with two players, a match.
    #[default]
    RoundRobin,
    /// The first player against each of the others.
    Gauntlet,
}

fn unknown_format(text: &str) -> String {
    format!("'{text}' is not a format; expected round-robin or gauntlet")
}

/// One game to be played. Players are numbered from 0 in the order in which they were given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// The number of the game, from 0.
    pub game: u64,
    /// The number of its pair, from 0: games `2 p` and `2 p + 1` are pair `p`.
    pub pair: u64,
    /// Which opening of the list, from 0.
    pub opening: usize,
    /// Who plays Black.
    pub black: usize,
    /// Who plays White.
    pub white: usize,
}

/// All games of a tournament in order. Nothing is stored: every game is computed from its number, so that a match that
/// is taken up again goes on exactly where it was.
///
/// Round by round, every pairing plays one opening twice, the colours exchanged. All pairings of a round have the same
/// opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    rounds: u64,
    openings: usize,
    shard: Shard,
}

/// The number in the whole tournament of the game at a place, from 0, of a shard: shards share pairs of games.
pub(super) fn number_at(shard: Shard, place: u64) -> Option<u64> {
    let pair = (place / 2).checked_mul(shard.count())?.checked_add(shard.index())?;
    pair.checked_mul(2)?.checked_add(place % 2)
}

impl Schedule {
    /// A tournament of at least two players and one opening; each pairing plays `rounds` pairs. If there are more rounds
    /// than openings, the openings are used again from the first one.
    pub fn new(format: TournamentFormat, players: usize, rounds: u64, openings: usize) -> Schedule {
        let pairings = match format {
            TournamentFormat::RoundRobin => (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b))).collect(),
            TournamentFormat::Gauntlet => (1..players).map(|b| (0, b)).collect(),
        };
        Schedule { pairings, rounds, openings: openings.max(1), shard: Shard::default() }
    }

    /// The pairings, each as it is in every round.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// The part of the schedule that a shard plays: the pairs of games whose number belongs to it.
    pub fn of_shard(self, shard: Shard) -> Schedule {
        Schedule { shard, ..self }
    }

    /// How many games there are in all the shards.
    fn all_games(&self) -> u64 {
        2 * self.pairings.len() as u64 * self.rounds
    }

    /// How many games there are to play.
    pub fn games(&self) -> u64 {
        let pairs = self.all_games() / 2;
        2 * (pairs.saturating_sub(self.shard.index())).div_ceil(self.shard.count())
    }

    /// The place in this schedule of a game of the tournament; `None` if another shard plays it.
    pub fn place(&self, game: u64) -> Option<u64> {
        self.shard.holds(game / 2).then(|| 2 * (game / 2 / self.shard.count()) + game % 2)
    }

    /// The game of this number in the whole tournament; `None` if it is not in this schedule.
    pub fn fixture(&self, game: u64) -> Option<Fixture> {
        self.game(self.place(game)?)
    }

    /// The game at a place of this schedule, from 0; `None` after the last one.
    pub fn game(&self, place: u64) -> Option<Fixture> {
        let game = number_at(self.shard, place).filter(|game| *game < self.all_games())?;
        let pair = game / 2;
        let round = pair / self.pairings.len() as u64;
        let (first, second) = self.pairings[(pair % self.pairings.len() as u64) as usize];
        let (black, white) = if game.is_multiple_of(2) { (first, second) } else { (second, first) };
        Some(Fixture { game, pair, opening: (round % self.openings as u64) as usize, black, white })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_pairing_plays_every_opening_with_both_colours() {
        for (format, players, pairings) in [
            (TournamentFormat::RoundRobin, 2, 1),
            (TournamentFormat::RoundRobin, 5, 10),
            (TournamentFormat::Gauntlet, 4, 3),
        ] {
            let schedule = Schedule::new(format, players, 7, 7);
            assert_eq!(schedule.games(), 2 * 7 * pairings);
            let mut met: HashMap<(usize, usize, usize), u32> = HashMap::new();
            for game in 0..schedule.games() {
                let fixture = schedule.game(game).unwrap();
                assert_eq!((fixture.game, fixture.pair), (game, game / 2));
                assert_ne!(fixture.black, fixture.white);
                let has_first = fixture.black == 0 || fixture.white == 0;
                assert!(has_first || format != TournamentFormat::Gauntlet);
                assert_eq!(fixture.opening as u64, game / 2 / pairings, "a round has one opening");
                *met.entry((fixture.black, fixture.white, fixture.opening)).or_default() += 1;
            }
            assert_eq!(met.len() as u64, schedule.games(), "no game twice");
            assert!(met.keys().all(|&(black, white, opening)| met.contains_key(&(white, black, opening))));
            assert_eq!(schedule.game(schedule.games()), None);
        }
    }

    #[test]
    fn shards_play_whole_pairs_and_together_everything() {
        let whole = Schedule::new(TournamentFormat::RoundRobin, 3, 5, 4);
        let mut played = Vec::new();
        for shard in ["0/4", "1/4", "2/4", "3/4"] {
            let part = whole.clone().of_shard(shard.parse().unwrap());
            for place in 0..part.games() {
                let fixture = part.game(place).unwrap();
                assert_eq!(part.place(fixture.game), Some(place));
                assert_eq!(whole.game(fixture.game), Some(fixture));
                played.push(fixture.game);
            }
            assert_eq!(part.game(part.games()), None);
            assert!(part.place(0).is_some() == (shard == "0/4"));
        }
        played.sort_unstable();
        assert_eq!(played, (0..whole.games()).collect::<Vec<_>>());
    }

    #[test]
    fn openings_are_used_again_when_there_are_too_few() {
        let schedule = Schedule::new(TournamentFormat::RoundRobin, 2, 5, 2);
        let openings: Vec<usize> = (0..schedule.games()).map(|g| schedule.game(g).unwrap().opening).collect();
        assert_eq!(openings, [0, 0, 1, 1, 0, 0, 1, 1, 0, 0]);
    }
}
