//! Samples in memory, sorted by the number of discs, ready to be fitted.

use super::chunk::Chunk;
use super::container::FileError;
use super::distinct_games::DistinctGames;
use super::fit::FitSettings;
use super::sample::{LabelKind, Sample, is_held_out};
use crate::othello::{Bitboard, Color, Position};
use std::path::PathBuf;

/// The most by which a prediction counts, in discs.
pub(super) const LIMIT: f32 = 64.0;
/// Numbers of discs from 0 to 64.
const COUNTS: usize = 65;

/// A position to fit to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Point {
    /// The discs of the side to move.
    pub player: Bitboard,
    /// The discs of the other side.
    pub opponent: Bitboard,
    /// What the evaluation should say, in discs for the side to move.
    pub target: f32,
    /// How much its error counts.
    pub weight: f32,
}

impl Point {
    /// The position, the side to move called Black.
    pub fn position(&self) -> Position {
        Position::new(self.player, self.opponent, Color::Black).expect("samples hold legal boards")
    }
}

/// The positions with one number of discs.
#[derive(Clone, Default, Debug)]
pub struct Points {
    /// Those to learn from.
    pub training: Vec<Point>,
    /// Those of the games that nothing is learned from.
    pub held_out: Vec<Point>,
}

/// Where samples come from and how much they count.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    /// A folder of files of samples.
    pub folder: PathBuf,
    /// How much each of them counts.
    pub weight: f32,
}

/// All samples, by the number of discs.
#[derive(Debug)]
pub struct Dataset {
    by_discs: Vec<Points>,
    /// Of every source how its first whole file came to be, how many files there were, and how much they count.
    pub origins: Vec<serde_json::Value>,
    /// The first file of each source that came to be in another way than its first whole file.
    pub other_origins: Vec<PathBuf>,
    /// Games in them; labels are of the same ones.
    pub games: u64,
    /// Of these, games that were left out, with their labels: [`DistinctGames`] says which.
    pub repeated: u64,
    /// Games that were not read, but have labels, which count.
    pub labels_alone: u64,
    /// Files that were damaged and left out.
    pub damaged: Vec<String>,
}

impl Default for Dataset {
    fn default() -> Dataset {
        let by_discs = vec![Points::default(); COUNTS];
        Dataset {
            by_discs,
            origins: Vec::new(),
            other_origins: Vec::new(),
            games: 0,
            repeated: 0,
            labels_alone: 0,
            damaged: Vec::new(),
        }
    }
}

impl Dataset {
    /// Reads every file of the sources, in order, those of labels last. Damaged files are left out and named. Of games of self-play that
    /// begin alike up to symmetry the first is taken.
    ///
    /// # Errors
    /// If a file cannot be read or was never one of samples, or a folder has none.
    pub fn read(
        sources: &[Source],
        settings: &FitSettings,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Dataset, FileError> {
        let files: Vec<_> = sources.iter().map(|source| Chunk::files(&source.folder)).collect::<Result<_, _>>()?;
        let of = files.iter().map(Vec::len).sum();
        let (mut set, mut distinct, mut done) = (Dataset::default(), DistinctGames::default(), 0);
        let mut labels = Vec::new();
        for (Source { weight, .. }, files) in sources.iter().zip(&files) {
            let (mut origin, mut other_origin) = (None, None);
            for file in files {
                match Chunk::read(file) {
                    Ok(chunk) => {
                        if *origin.get_or_insert_with(|| chunk.header.origin.clone()) != chunk.header.origin {
                            other_origin.get_or_insert_with(|| file.clone());
                        }
                        if chunk.is_play() {
                            set.add(&chunk, *weight, settings, &mut distinct);
                        } else {
                            labels.push((chunk, *weight));
                        }
                    }
                    Err(error) if error.is_damage() => set.damaged.push(error.to_string()),
                    Err(error) => return Err(error),
                }
                done += 1;
                progress(done, of);
            }
            set.origins.push(serde_json::json!({ "origin": origin, "files": files.len(), "weight": weight }));
            set.other_origins.extend(other_origin);
        }
        for (chunk, weight) in labels {
            set.add(&chunk, weight, settings, &mut distinct);
        }
        (set.games, set.repeated, set.labels_alone) = (distinct.games, distinct.repeated, distinct.labels_alone);
        Ok(set)
    }

    /// Adds the samples of a file.
    fn add(&mut self, chunk: &Chunk, weight: f32, settings: &FitSettings, distinct: &mut DistinctGames) {
        let seed = chunk.header.origin.seed;
        for game in distinct.of_chunk(chunk) {
            let held_out = is_held_out(seed, game[0].game, settings.held_out_per_thousand);
            for sample in game {
                let weight = weight * settings.weight_of(sample.kind);
                if weight > 0.0 {
                    let points = &mut self.by_discs[sample.discs() as usize];
                    let points = if held_out { &mut points.held_out } else { &mut points.training };
                    points.push(point(sample, weight, settings));
                }
            }
        }
    }

    /// A set for tests; says which points are held out.
    #[cfg(test)]
    pub(super) fn of_points(points: impl Iterator<Item = Point>, held_out: impl Fn(usize) -> bool) -> Dataset {
        let mut set = Dataset::default();
        for (i, point) in points.enumerate() {
            let points = &mut set.by_discs[(point.player | point.opponent).count() as usize];
            if held_out(i) { points.held_out.push(point) } else { points.training.push(point) }
        }
        set
    }

    /// The positions with this number of discs, at most 64.
    pub fn with_discs(&self, discs: usize) -> &Points {
        &self.by_discs[discs]
    }

    /// How many positions there are to learn from, and how many are held out.
    pub fn len(&self) -> (usize, usize) {
        let sum = |length: fn(&Points) -> usize| self.by_discs.iter().map(length).sum();
        (sum(|points| points.training.len()), sum(|points| points.held_out.len()))
    }

    /// Whether there is nothing to learn from.
    pub fn is_empty(&self) -> bool {
        self.len().0 == 0
    }
}

/// What is fitted to for a sample.
fn point(sample: &Sample, weight: f32, settings: &FitSettings) -> Point {
    let score = f32::from(sample.score);
    let search = sample.search.map_or(score, |value| value.discs() as f32);
    let empties = 64 - sample.discs();
    let share = if empties >= settings.search_alone_from {
        1.0
    } else if empties >= settings.search_share_from {
        settings.search_share as f32
    } else {
        0.0
    };
    let target = match sample.kind {
        LabelKind::GameResult => share * search + (1.0 - share) * score,
        LabelKind::Exact => score,
        LabelKind::Search => search,
    };
    let lopsided = if settings.lopsided > 0.0 { search / settings.lopsided } else { 0.0 };
    let weight = weight * (1.0 + lopsided * lopsided);
    Point { player: sample.player, opponent: sample.opponent, target, weight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Symmetry;
    use crate::search::Score;
    use crate::testing::random_position;
    use crate::training::{ChunkHeader, Origin};
    use std::fs;
    use tempfile::TempDir;

    /// Settings that take every kind of sample alike.
    fn all() -> FitSettings {
        FitSettings {
            held_out_per_thousand: 200,
            search_share: 0.25,
            search_share_from: 30,
            search_alone_from: 50,
            lopsided: 0.0,
            ..FitSettings::default()
        }
    }

    fn chunk(first_game: u64, samples: Vec<Sample>) -> Chunk {
        let origin = Origin { command: "selfplay".to_owned(), seed: 1, ..Origin::default() };
        Chunk { header: ChunkHeader { origin, first_game, games: 100, ..ChunkHeader::default() }, samples }
    }

    /// Two files with 100 games of three positions each.
    fn folder() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in 0..2 {
            let sample = |i: u64| {
                let position = random_position(i, 30 - (i % 3) as u32);
                Sample::new(&position, 8, LabelKind::GameResult, i / 3).with_search(Score::from_discs(-8))
            };
            let samples = (300 * file..300 * file + 300).map(sample).collect();
            chunk(100 * file, samples).write(&folder.path().join(Chunk::file_name(file))).unwrap();
        }
        folder
    }

    fn read(folder: &TempDir, weight: f32, settings: &FitSettings) -> Result<Dataset, FileError> {
        let source = Source { folder: folder.path().to_owned(), weight };
        Dataset::read(&[source], settings, &mut |_, _| {})
    }

    #[test]
    fn games_are_held_out_whole() {
        let folder = folder();
        let data = read(&folder, 0.5, &all()).unwrap();
        let (training, held_out) = data.len();
        assert_eq!((training + held_out, data.games), (600, 200));
        assert!(held_out % 3 == 0 && (60..=180).contains(&held_out), "{held_out}");
        let per_count: Vec<usize> = (34..37).map(|discs| data.with_discs(discs).held_out.len()).collect();
        assert_eq!(per_count, [held_out / 3; 3]);
        let point = data.with_discs(34).training[0];
        assert_eq!((point.target, point.weight), (4.0, 0.5), "a quarter of the search, three quarters of the result");
        assert_eq!(data.with_discs(36).training[0].target, 8.0, "too few empty squares for that");
        let lopsided = FitSettings { lopsided: 16.0, ..all() };
        let point = read(&folder, 0.5, &lopsided).unwrap().with_discs(34).training[0];
        assert_eq!((point.target, point.weight), (4.0, 0.5 * 1.25), "8 discs are half of 16, and count a quarter more");
        let none = FitSettings { game_result_weight: 0.0, ..all() };
        assert!(read(&folder, 1.0, &none).unwrap().is_empty());
    }

    #[test]
    fn files_of_another_origin_are_named() {
        let folder = folder();
        assert!(read(&folder, 1.0, &all()).unwrap().other_origins.is_empty());
        for number in [2, 3] {
            let mut other = chunk(100 * number, Vec::new());
            other.header.origin.seed = 2;
            other.write(&folder.path().join(Chunk::file_name(number))).unwrap();
        }
        let data = read(&folder, 1.0, &all()).unwrap();
        assert_eq!(data.other_origins, [folder.path().join(Chunk::file_name(2))]);
    }

    #[test]
    fn damaged_files_are_left_out_and_foreign_ones_refused() {
        let folder = folder();
        let first = folder.path().join(Chunk::file_name(0));
        let mut bytes = fs::read(&first).unwrap();
        bytes[2000] ^= 1;
        fs::write(&first, &bytes).unwrap();
        let data = read(&folder, 1.0, &all()).unwrap();
        assert_eq!(data.games, 100);
        assert!(data.damaged.len() == 1 && data.damaged[0].contains("000000.samples"), "{:?}", data.damaged);
        assert_eq!((&data.origins[0]["files"], &data.origins[0]["origin"]["seed"]), (&2.into(), &1.into()));
        fs::write(&first, b"#!/bin/sh").unwrap();
        assert!(matches!(read(&folder, 1.0, &all()), Err(FileError::Foreign { .. })));
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(matches!(read(&folder, 1.0, &all()), Err(FileError::System { .. })));
        fs::create_dir_all(folder.path()).unwrap();
        assert!(matches!(read(&folder, 1.0, &all()), Err(FileError::Empty(_))));
    }

    #[test]
    fn a_game_that_begins_where_another_did_counts_once() {
        let folder = folder();
        let position = random_position(0, 30);
        let again = Symmetry::ALL
            .into_iter()
            .map(|symmetry| Sample::new(&symmetry.position(&position), 8, LabelKind::GameResult, 200));
        let samples = again.zip(200..).map(|(sample, game)| Sample { game, ..sample }).collect();
        chunk(200, samples).write(&folder.path().join(Chunk::file_name(2))).unwrap();
        let data = read(&folder, 1.0, &all()).unwrap();
        assert_eq!((data.len().0 + data.len().1, data.games, data.repeated), (600, 300, 8));
        // Labels have no beginning, and are no games; those of a game that is left out are left out, wherever they are read.
        let label = |game| Sample::new(&position, 8, LabelKind::Search, game);
        let mut labels = chunk(200, vec![label(200), label(208)]);
        labels.header.origin.settings = serde_json::json!({ "games": labels.header.origin });
        labels.header.origin.command = "label".to_owned();
        let beside = tempfile::tempdir().unwrap();
        labels.write(&beside.path().join(Chunk::file_name(2))).unwrap();
        let sources = [&beside, &folder].map(|folder| Source { folder: folder.path().to_owned(), weight: 1.0 });
        let data = Dataset::read(&sources, &all(), &mut |_, _| {}).unwrap();
        assert_eq!((data.len().0 + data.len().1, data.games, data.repeated), (601, 300, 8));
    }

    #[test]
    fn the_target_of_the_first_plies_is_the_search() {
        let targets = [31, 30, 29].map(|empties| {
            let sample = Sample::new(&random_position(1, empties), 8, LabelKind::GameResult, 0);
            let settings = FitSettings { search_alone_from: 31, ..all() };
            point(&sample.with_search(Score::from_discs(-8)), 1.0, &settings).target
        });
        assert_eq!(targets, [-8.0, 4.0, 8.0]);
    }
}
