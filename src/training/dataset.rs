//! Samples in memory, sorted by the number of discs, ready to be fitted.

use super::chunk::Chunk;
use super::container::FileError;
use super::sample::{LabelKind, Sample, is_held_out};
use crate::othello::{Bitboard, Color, Position, canonical};
use std::path::{Path, PathBuf};

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
    /// Those of the games that nothing is learnt from.
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

/// What of the samples is taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Selection {
    /// Of a thousand games so many are held out.
    pub held_out_per_thousand: u32,
    /// How much samples count by [`LabelKind`]; those of weight 0 are left out.
    pub kind_weights: [f32; LabelKind::ALL.len()],
    /// Whether positions that are equal up to symmetry count as one with the average score.
    pub merge: bool,
}

/// All samples, by the number of discs.
#[derive(Debug)]
pub struct Dataset {
    by_discs: Vec<Points>,
    /// Of every source how its first file came to be, how many files there were, and how much they count.
    pub origins: Vec<serde_json::Value>,
    /// Games in them.
    pub games: u64,
    /// Files that were damaged and left out.
    pub damaged: Vec<String>,
}

impl Dataset {
    /// Reads every file of the sources, in order. Damaged files are left out and named; a file that was never one of
    /// samples is an error, and so is a folder without any.
    pub fn read(
        sources: &[Source],
        selection: &Selection,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Dataset, FileError> {
        let mut files: Vec<(PathBuf, f32)> = Vec::new();
        let mut origins = Vec::new();
        for Source { folder, weight } in sources {
            let found = Chunk::files(folder)?;
            let first = found.first().ok_or_else(|| FileError::Empty(folder.clone()))?;
            let origin = Chunk::read(first)?.header.origin;
            origins.push(serde_json::json!({ "origin": origin, "files": found.len(), "weight": weight }));
            files.extend(found.into_iter().map(|file| (file, *weight)));
        }
        let mut set = Dataset { by_discs: vec![Points::default(); COUNTS], origins, games: 0, damaged: Vec::new() };
        for (i, (file, weight)) in files.iter().enumerate() {
            set.add(file, *weight, selection)?;
            progress(i + 1, files.len());
        }
        if selection.merge {
            for points in &mut set.by_discs {
                merge(&mut points.training);
                merge(&mut points.held_out);
            }
        }
        Ok(set)
    }

    fn add(&mut self, file: &Path, weight: f32, selection: &Selection) -> Result<(), FileError> {
        let chunk = match Chunk::read(file) {
            Ok(chunk) => chunk,
            Err(error) if error.is_damage() => {
                self.damaged.push(error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.games += u64::from(chunk.header.games);
        let seed = chunk.header.origin.seed;
        for sample in &chunk.samples {
            let weight = weight * selection.kind_weights[sample.kind as usize];
            if weight > 0.0 {
                let points = &mut self.by_discs[sample.discs() as usize];
                let held_out = is_held_out(seed, sample.game, selection.held_out_per_thousand);
                let points = if held_out { &mut points.held_out } else { &mut points.training };
                points.push(point(sample, weight));
            }
        }
        Ok(())
    }

    /// The positions with so many discs, at most 64.
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

fn point(sample: &Sample, weight: f32) -> Point {
    Point { player: sample.player, opponent: sample.opponent, target: f32::from(sample.score), weight }
}

/// Leaves one of all positions that are equal up to symmetry, with the mean of the targets by weight and the greatest of the
/// weights. What is left is in the order of the boards.
fn merge(points: &mut Vec<Point>) {
    for point in points.iter_mut() {
        let (least, _) = canonical(&point.position());
        (point.player, point.opponent) = (least.player(), least.opponent());
    }
    // Stable, so that the sums below are always made in the order of the files.
    points.sort_by_key(|point| (point.player, point.opponent));
    let same = |a: &Point, b: &Point| a.player == b.player && a.opponent == b.opponent;
    let merged: Vec<Point> = points
        .chunk_by(same)
        .map(|equal| {
            let total: f32 = equal.iter().map(|point| point.weight).sum();
            let target = equal.iter().map(|point| point.weight * point.target).sum::<f32>() / total;
            let weight = equal.iter().map(|point| point.weight).fold(0.0, f32::max);
            Point { target, weight, ..equal[0] }
        })
        .collect();
    *points = merged;
}
