//! Positions beside the games: a search meets moves that no player would make, and is to know what they are worth.
//!
//! From a share of the positions of self-play games a few moves are made, better ones more often than worse ones. A search labels the
//! position that results; near the end it solves it. The start position counts as one of each game, for a game's samples begin after
//! its random moves: without it hardly any label has fewer than ten discs.

use super::chunk::{Chunk, ChunkHeader};
use super::container::FileError;
use super::ply_range::PlyRange;
use super::production::ChunkMaker;
use super::sample::{LabelKind, Sample};
use super::searcher::Searcher;
use super::settings_error::SettingsError;
use crate::eval::Evaluator;
use crate::game::DISC;
use crate::othello::Position;
use crate::random::Random;
use crate::search::{Depth, Selectivity};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a thread's transposition table.
const TABLE_BYTES: usize = 1 << 20;

/// What is labelled and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct LabelSettings {
    /// The share of the games' positions that are taken, 0 to 1.
    pub share: f64,
    /// How many random moves are made from each; with 0, the position of the game itself may be labelled.
    pub random_moves: PlyRange,
    /// In discs. A move whose static value is this much lower is e times as rare.
    pub temperature: f64,
    /// Plies of the search.
    pub depth: Depth,
    /// Empty squares from which positions are solved.
    pub exact: u8,
    /// How sure cuts by shallower searches are, in percent; 100 for neither cuts nor extensions.
    #[serde(alias = "confidence")]
    pub selectivity: Selectivity,
}

impl Default for LabelSettings {
    fn default() -> LabelSettings {
        LabelSettings {
            share: 0.3,
            random_moves: PlyRange::new(1, 6),
            temperature: 3.0,
            depth: Depth::new(7).unwrap(),
            exact: 14,
            selectivity: Selectivity::BOLDEST,
        }
    }
}

impl LabelSettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SettingsError> {
        SettingsError::check("label.share", self.share > 0.0 && self.share <= 1.0, &self.share, "above 0, up to 1")?;
        let temperature = self.temperature;
        let good = (0.01..=1000.0).contains(&temperature);
        SettingsError::check("label.temperature", good, &temperature, "0.01 to 1000 discs")?;
        SettingsError::check("label.exact", (1..=30).contains(&self.exact), &self.exact, "1 to 30 empty squares")
    }
}

/// Labels positions: those of chunk `c` depend on the settings, the evaluator, the seed and the games of chunk `c` alone.
pub struct Labeller {
    settings: LabelSettings,
    seed: u64,
    games: PathBuf,
    /// The head of a file of the folder.
    like: ChunkHeader,
    search: Searcher,
    evaluator: Arc<dyn Evaluator<Position>>,
}

impl Labeller {
    /// Labels positions beside the games of a folder, whose files have the same origin and number of games as `like`; the
    /// settings have been validated.
    pub fn new(
        settings: LabelSettings,
        seed: u64,
        games: PathBuf,
        like: ChunkHeader,
        evaluator: Arc<dyn Evaluator<Position>>,
    ) -> Labeller {
        let search = Searcher::new(TABLE_BYTES, settings.selectivity, Arc::clone(&evaluator));
        Labeller { settings, seed, games, like, search, evaluator }
    }

    /// A position some random moves beside this one; `None` if the game is over there.
    fn beside(&self, mut position: Position, random: &mut Random) -> Option<Position> {
        for _ in 0..self.settings.random_moves.draw(random) {
            if position.must_pass() {
                position = position.pass();
            }
            let Some(child) = self.random_child(&position, random) else {
                // This number is drawn so that the labels of docs/training.md stay the same.
                random.next();
                return None;
            };
            position = child;
        }
        if position.must_pass() {
            position = position.pass();
        }
        (!position.is_over()).then_some(position)
    }

    /// The position after a random move; `None` if there is no move. The chance of a move is proportional to exp(value / temperature).
    /// By the Gumbel-max method: a number of the Gumbel distribution is added to each quotient, and the greatest sum is taken.
    fn random_child(&self, position: &Position, random: &mut Random) -> Option<Position> {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for square in position.moves() {
            let child = position.after(square);
            let gumbel = -(-random.fraction().max(f64::MIN_POSITIVE).ln()).ln();
            let preference = self.value_after(&child) / self.settings.temperature + gumbel;
            if preference > most {
                (most, best) = (preference, Some(child));
            }
        }
        best
    }

    /// The static value in discs for the side that has just moved.
    fn value_after(&self, child: &Position) -> f64 {
        let value = |position: &Position| f64::from(self.evaluator.evaluate(position)) / f64::from(DISC);
        if child.is_over() {
            f64::from(-child.score())
        } else if child.must_pass() {
            value(&child.pass())
        } else {
            -value(child)
        }
    }

    fn label(&mut self, position: &Position, game: u64) -> Sample {
        let solve = position.empty_count().count() <= self.settings.exact;
        let report = self.search.think(*position, (!solve).then_some(self.settings.depth));
        let best = &report.lines[0];
        let kind = if best.depth.is_exact() { LabelKind::Exact } else { LabelKind::Search };
        let sample = Sample::new(position, best.score.discs().round().clamp(-64.0, 64.0) as i8, kind, game);
        if kind == LabelKind::Search { sample.with_search(best.score) } else { sample }
    }
}

impl ChunkMaker for Labeller {
    fn make(&mut self, chunk: u64, stop: &AtomicBool, tick: &dyn Fn(usize)) -> Result<Option<Vec<Sample>>, FileError> {
        let path = self.games.join(Chunk::file_name(chunk));
        let games = Chunk::read(&path)?;
        // Labels are held out by the seed of the games, and numbered from the first game of the file, which its name says.
        let ChunkHeader { origin, games: count, first_game, .. } = &games.header;
        let first = chunk.checked_mul(self.like.games.into());
        if (origin, *count, Some(*first_game)) != (&self.like.origin, self.like.games, first) {
            return Err(FileError::content(
                &path,
                "its evaluation, seed, settings or games a file differ from those of the first file of the folder, or \
                 its name is not the one that it was made with; expected one folder for each way to make games",
            ));
        }
        let mut samples = Vec::new();
        for game in games.samples.chunk_by(|a, b| a.game == b.game) {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            self.search.clear();
            let number = game[0].game;
            let mut random = Random::of_pair(self.seed ^ 0xa54f_f53a_5f1d_36f1, number);
            let before = samples.len();
            // The start is the last, so that the labels of earlier programs are made again before it.
            for position in game.iter().map(Sample::position).chain([Position::START]) {
                if random.fraction() < self.settings.share
                    && let Some(position) = self.beside(position, &mut random)
                {
                    samples.push(self.label(&position, number));
                }
            }
            tick(samples.len() - before);
        }
        Ok(Some(samples))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::{Contempt, MinimaxKind, plain_minimax};
    use crate::testing::random_position;
    use crate::training::Origin;
    use crate::training::testing::games;
    use std::collections::{HashMap, HashSet};
    use tempfile::TempDir;

    fn header() -> ChunkHeader {
        ChunkHeader { first_game: 60, games: 20, ..ChunkHeader::default() }
    }

    fn make(
        settings: &LabelSettings,
        folder: &TempDir,
        like: ChunkHeader,
        chunk: u64,
    ) -> Result<Option<Vec<Sample>>, FileError> {
        let evaluator = EvaluatorKind::Mobility.build();
        let mut labeller = Labeller::new(settings.clone(), 1, folder.path().to_owned(), like, evaluator);
        labeller.make(chunk, &AtomicBool::new(false), &|_| {})
    }

    fn labels(settings: &LabelSettings, folder: &TempDir) -> Vec<Sample> {
        make(settings, folder, header(), 3).unwrap().unwrap()
    }

    #[test]
    fn games_of_several_origins_are_refused() {
        let folder = games(3..4, Origin::default());
        let file = |chunk| folder.path().join(Chunk::file_name(chunk));
        std::fs::copy(file(3), file(4)).unwrap();
        for (games, chunk) in [(10, 3), (20, 4)] {
            let error = make(&LabelSettings::default(), &folder, ChunkHeader { games, ..header() }, chunk).unwrap_err();
            let name = Chunk::file_name(chunk);
            assert!(error.to_string().contains(&name) && !error.is_damage(), "{error}");
        }
    }

    #[test]
    fn labels_are_the_values_of_the_search() {
        let folder = games(3..4, Origin::default());
        let settings = LabelSettings {
            share: 0.5,
            depth: Depth::new(2).unwrap(),
            exact: 6,
            selectivity: Selectivity::NONE,
            ..LabelSettings::default()
        };
        let samples = labels(&settings, &folder);
        assert_eq!(labels(&settings, &folder), samples, "the same again");
        let games = Chunk::read(&folder.path().join(Chunk::file_name(3))).unwrap().samples;
        let share = samples.len() as f64 / games.len() as f64;
        assert!((0.35..0.6).contains(&share), "{share}");
        let evaluator = EvaluatorKind::Mobility.build();
        for sample in &samples {
            let depth = if sample.kind == LabelKind::Exact { 60 } else { 2 };
            let position = sample.position();
            let kind = MinimaxKind::AlphaBeta;
            let plain = plain_minimax(kind, &position, depth, &*evaluator, Contempt::NONE, &mut |_| false).value;
            match sample.search {
                Some(value) => assert_eq!(value.units(), plain, "{position}"),
                None => assert_eq!(i32::from(sample.score) * DISC, plain, "{position}"),
            }
            assert!((60..80).contains(&sample.game));
            assert_eq!(sample.search.is_some(), sample.kind == LabelKind::Search);
        }
        let exact = samples.iter().filter(|sample| sample.kind == LabelKind::Exact).count();
        assert!(exact > 10 && exact < samples.len() - 10, "{exact} of {}", samples.len());
    }

    #[test]
    fn a_move_that_is_a_temperature_worse_is_e_times_as_rare() {
        let evaluator = EvaluatorKind::DiscCount.build();
        let settings = LabelSettings { temperature: 1.5, ..LabelSettings::default() };
        let labeller = Labeller::new(settings, 1, PathBuf::new(), header(), evaluator);
        let position = random_position(4, 40);
        let mut random = Random::new(5);
        let (mut counts, draws) = (HashMap::<Position, f64>::new(), 20_000);
        for _ in 0..draws {
            *counts.entry(labeller.random_child(&position, &mut random).unwrap()).or_default() += 1.0;
        }
        let children: Vec<Position> = position.moves().into_iter().map(|square| position.after(square)).collect();
        assert!(children.len() > 5);
        let value = |child| -f64::from(labeller.evaluator.evaluate(child)) / f64::from(DISC);
        let weights: Vec<f64> = children.iter().map(|child| (value(child) / 1.5).exp()).collect();
        for (child, weight) in children.iter().zip(&weights) {
            let expected = weight / weights.iter().sum::<f64>();
            let error = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
            let found = counts.get(child).copied().unwrap_or_default() / f64::from(draws);
            assert!((found - expected).abs() < 4.5 * error + 1e-4, "{found} for {expected}");
        }
    }

    #[test]
    fn values_after_a_move_are_of_the_side_that_made_it() {
        let labeller =
            Labeller::new(LabelSettings::default(), 1, PathBuf::new(), header(), EvaluatorKind::DiscCount.build());
        let (mut passes, mut ends) = (0, 0);
        for seed in 0..3000 {
            let child = random_position(seed, seed as u32 % 8);
            let (mover, opponent) = (child.player().count() as i32, child.opponent().count() as i32);
            let expected = if child.is_over() { -child.score() } else { opponent - mover };
            assert_eq!(labeller.value_after(&child), f64::from(expected), "{child}");
            ends += i32::from(child.is_over());
            passes += i32::from(child.must_pass());
        }
        assert!(passes > 10 && ends > 10, "{passes} {ends}");
    }

    #[test]
    fn most_positions_are_beside_the_games() {
        let folder = games(3..4, Origin::default());
        let settings =
            LabelSettings { share: 1.0, depth: Depth::new(1).unwrap(), exact: 1, ..LabelSettings::default() };
        let games = Chunk::read(&folder.path().join(Chunk::file_name(3))).unwrap().samples;
        let on_the_way =
            |sample: &Sample| games.iter().any(|s| (s.player, s.opponent) == (sample.player, sample.opponent));
        let mut samples = labels(&settings, &folder);
        // Six moves from the start at most.
        let early: HashSet<u64> = samples.iter().filter(|s| s.discs() <= 10).map(|s| s.game).collect();
        assert_eq!(early.len(), 20, "each game has a label near the start");
        samples.retain(|sample| sample.discs() > 10);
        let beside = samples.iter().filter(|sample| !on_the_way(sample)).count();
        assert!(beside * 2 > samples.len(), "{beside} of {}", samples.len());
        assert!(samples.iter().all(|sample| !sample.position().moves().is_empty()));
    }
}
