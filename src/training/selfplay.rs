//! Games of Emilia against itself.
//!
//! A game begins with random moves, enough that every stage of the game has positions that no sensible play would reach;
//! it goes on by alpha-beta to a fixed depth and ends with perfect play. Every position after the random moves is a sample,
//! and its score is the result.

use super::container::FileError;
use super::ply_range::PlyRange;
use super::production::ChunkMaker;
use super::sample::{LabelKind, Sample};
use super::searcher::Searcher;
use super::settings_error::SettingsError;
use crate::eval::Evaluator;
use crate::othello::{Move, Position};
use crate::random::Random;
use crate::search::{Depth, Score, Selectivity};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a thread's transposition table: what a search of these depths fills, small enough to stay in the cache and to
/// be cleared before every game.
const TABLE_BYTES: usize = 1 << 18;
/// How many times as frequent numbers of random moves in the favoured range are as others.
const FAVOUR: usize = 3;

/// How games are played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct SelfPlaySettings {
    /// Plies that each move is searched, 1 to 60.
    pub depth: Depth,
    /// Empty squares from which play is perfect, 1 to 30.
    pub exact: u8,
    /// How sure cuts by shallower searches are, in percent; 100 for neither cuts nor extensions. Perfect play has neither.
    #[serde(alias = "confidence")]
    pub selectivity: Selectivity,
    /// How many random moves begin a game: any number of these.
    pub random_plies: PlyRange,
    /// Three times as often one of these.
    pub favoured_plies: PlyRange,
}

impl Default for SelfPlaySettings {
    fn default() -> SelfPlaySettings {
        SelfPlaySettings {
            depth: Depth::new(7).unwrap(),
            exact: 16,
            selectivity: Selectivity::BOLDEST,
            random_plies: PlyRange::new(0, 24),
            favoured_plies: PlyRange::new(8, 16),
        }
    }
}

impl SelfPlaySettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = SettingsError::check;
        check("selfplay.exact", (1..=30).contains(&self.exact), &self.exact, "1 to 30 empty squares")
    }

    /// How many random moves a game begins with.
    fn draw_plies(&self, random: &mut Random) -> u32 {
        let weight = |plies| if self.favoured_plies.plies().contains(&plies) { FAVOUR } else { 1 };
        let range = self.random_plies.plies();
        let mut rest = random.below(range.clone().map(weight).sum());
        for plies in range {
            match rest.checked_sub(weight(plies)) {
                None => return plies.into(),
                Some(less) => rest = less,
            }
        }
        unreachable!("the weights sum to more than what was drawn")
    }
}

/// Plays games: game `i` depends on the settings, the evaluator, the seed and `i` alone.
pub struct SelfPlay {
    settings: SelfPlaySettings,
    seed: u64,
    games_per_chunk: u32,
    search: Searcher,
}

impl SelfPlay {
    /// A player with settings that have been validated.
    pub fn new(
        settings: SelfPlaySettings,
        seed: u64,
        games_per_chunk: u32,
        evaluator: Arc<dyn Evaluator<Position>>,
    ) -> SelfPlay {
        let search = Searcher::new(TABLE_BYTES, settings.selectivity, evaluator);
        SelfPlay { settings, seed, games_per_chunk, search }
    }

    /// The samples of one game in the order of play; none where the side to move has to pass, because what it is worth is
    /// seen after the pass.
    pub fn game(&mut self, number: u64) -> Vec<Sample> {
        self.search.clear();
        let mut position = self.beginning(number);
        let mut line = Vec::with_capacity(60);
        // From which sample on play was perfect.
        let mut exact_from = usize::MAX;
        while !position.is_over() {
            if position.moves().is_empty() {
                position = position.pass();
                continue;
            }
            let solve = position.empty_count().count() <= self.settings.exact;
            let report = self.search.think(position, (!solve).then_some(self.settings.depth));
            let best = &report.lines[0];
            let exact = best.depth.is_exact();
            if exact {
                exact_from = exact_from.min(line.len());
            }
            // The expected play of a solved position is perfect; of any other, only its first move was compared.
            for &turn in &best.pv[..if exact { best.pv.len() } else { 1 }] {
                if turn != Move::Pass {
                    // Of a solved position the score says it all.
                    line.push((position, (!exact).then_some(best.score)));
                }
                position = position.take(turn).expect("a search plays legal turns");
            }
        }
        let black = position.score_for_black();
        let sample = |(i, (position, search)): (usize, &(Position, Option<Score>))| {
            let kind = if i >= exact_from { LabelKind::Exact } else { LabelKind::GameResult };
            let sample = Sample::new(position, position.mover().signed(black) as i8, kind, number);
            search.map_or(sample, |value| sample.with_search(value))
        };
        line.iter().enumerate().map(sample).collect()
    }

    /// The position after the random moves of a game. Beginnings that end the game are drawn again.
    fn beginning(&self, number: u64) -> Position {
        let mut random = Random::of_pair(self.seed, number);
        let plies = self.settings.draw_plies(&mut random);
        loop {
            let mut position = Position::START;
            let end = 60 - plies;
            while position.empties().count() > end && !position.is_over() {
                let square = random.choose(position.moves());
                position = square.map_or_else(|| position.pass(), |square| position.after(square));
            }
            if !position.is_over() {
                return position;
            }
        }
    }
}

impl ChunkMaker for SelfPlay {
    fn make(&mut self, chunk: u64, stop: &AtomicBool, tick: &dyn Fn(usize)) -> Result<Option<Vec<Sample>>, FileError> {
        let games = u64::from(self.games_per_chunk);
        let mut samples = Vec::new();
        for number in chunk * games..(chunk + 1) * games {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let game = self.game(number);
            tick(game.len());
            samples.extend(game);
        }
        Ok(Some(samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::{Contempt, MinimaxKind, plain_minimax};

    fn player(settings: SelfPlaySettings) -> SelfPlay {
        SelfPlay::new(settings, 5, 10, EvaluatorKind::Mobility.build())
    }

    #[test]
    fn a_game_depends_on_its_number_alone() {
        let settings = SelfPlaySettings { depth: Depth::new(2).unwrap(), exact: 8, ..SelfPlaySettings::default() };
        let mut one = player(settings.clone());
        let forwards: Vec<_> = (0..20).map(|number| one.game(number)).collect();
        let mut other = player(settings);
        for number in (0..20).rev() {
            assert_eq!(other.game(number), forwards[number as usize]);
        }
        assert!(forwards.windows(2).all(|pair| pair[0][0].player != pair[1][0].player));
    }

    #[test]
    fn samples_follow_one_another_and_agree_on_the_result() {
        let mut player =
            player(SelfPlaySettings { depth: Depth::new(1).unwrap(), exact: 7, ..SelfPlaySettings::default() });
        for number in 0..30 {
            let game = player.game(number);
            for pair in game.windows(2) {
                let (now, next) = (pair[0].position(), pair[1].position());
                let child = now
                    .moves()
                    .into_iter()
                    .map(|square| now.after(square))
                    .find(|child| child.player() == next.player() || child.player() == next.opponent());
                let passed = child.expect("the next sample is a child").player() == next.opponent();
                assert_eq!(pair[1].score, if passed { pair[0].score } else { -pair[0].score });
                assert!(pair[1].kind >= pair[0].kind, "exact labels come last");
            }
        }
    }

    #[test]
    fn labels_called_exact_are_the_minimax_values() {
        let mut player =
            player(SelfPlaySettings { depth: Depth::new(1).unwrap(), exact: 7, ..SelfPlaySettings::default() });
        let mut seen = 0;
        for number in 0..10 {
            for sample in player.game(number).iter().filter(|sample| sample.kind == LabelKind::Exact) {
                let evaluator = EvaluatorKind::Mobility.build();
                let kind = MinimaxKind::AlphaBeta;
                let plain = plain_minimax(kind, &sample.position(), 60, &*evaluator, Contempt::NONE, &mut |_| false);
                assert_eq!(plain.value, i32::from(sample.score) * crate::game::DISC, "{:?}", sample.position());
                seen += 1;
            }
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn random_beginnings_have_the_lengths_asked_for() {
        let settings = SelfPlaySettings::default();
        let mut random = Random::new(1);
        let mut counts = [0; 60];
        (0..20_000).for_each(|_| counts[settings.draw_plies(&mut random) as usize] += 1);
        assert_eq!(counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(i, _)| i).min(), Some(0));
        assert_eq!(counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(i, _)| i).max(), Some(24));
        let (favoured, others): (i32, i32) = (counts[8..=16].iter().sum(), counts[17..=24].iter().sum());
        let ratio = f64::from(favoured) / 9.0 / (f64::from(others) / 8.0);
        assert!((2.7..3.3).contains(&ratio), "{ratio}");
        let player = player(SelfPlaySettings { random_plies: "30-30".parse().unwrap(), ..settings });
        assert!((0..50).all(|number| player.beginning(number).empties().count() == 30));
    }
}
