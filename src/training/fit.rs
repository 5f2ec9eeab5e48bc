//! The regression: weights whose sums come closest to what positions turned out to be worth.
//!
//! Each phase of the game is fitted by itself, with its own positions and, counting less, those of a few discs more or
//! less. The loss is
//!
//! ```text
//! Σ weight · error² + ridge · Σ w²
//! ```
//!
//! where the square goes on as a straight line for predictions beyond ±64 discs; errors that are printed count such predictions as ±64. It is convex
//! and, between those bounds, quadratic, which is what conjugate gradients are made for: every pass goes along the best line that the gradients
//! so far allow, and there as far as is best. Gradients are divided by how often a weight is used (plus the ridge), because rare and frequent
//! configurations differ by five orders of magnitude. The weights kept are those of the pass with the least error on games
//! held out.

use super::dataset::{Dataset, Point, Points};
use super::design::Design;
use super::sample::LabelKind;
use super::settings_error::SettingsError;
use crate::eval::pattern::{MOST_PHASES, Sharing, phase_of};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};

/// The settings of the regression.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FitSettings {
    /// Phases of the game, 1 to 60, of equally many moves each.
    pub phases: usize,
    /// How much positions count in the regression of a phase: its own, those with one disc more or less than it has, and so
    /// on.
    pub pooling: Vec<f32>,
    /// Weight of the squares of the weights: a configuration seen so often is believed by half.
    pub ridge: f32,
    /// A phase has no more passes than this.
    pub most_passes: usize,
    /// Passes that were not better on the games held out, after which a phase is finished.
    pub patience: usize,
    /// How many discs better a pass must be to count as better.
    pub least_gain: f64,
    /// How many of a thousand games are held out.
    pub held_out_per_thousand: u32,
    /// How much samples count whose score is the result of the game.
    pub game_result_weight: f32,
    /// How much samples count whose score is that of perfect play.
    pub exact_weight: f32,
    /// How much samples count whose score is that of a search.
    pub search_weight: f32,
    /// How much of the target of a game's sample is the value of the search made of it, 0 to 1; the rest is the result.
    pub search_share: f64,
    /// The fewest empty squares of positions for which that is so.
    pub search_share_from: u32,
    /// The fewest empty squares of positions for which the target is the value of the search alone.
    pub search_alone_from: u32,
    /// A position counts 1 + (v/this)², v being what the search said of it in discs, and the score where none did: one won or
    /// lost by that many discs counts twice, an even one once. 0 has all count alike.
    pub lopsided: f32,
}

impl Default for FitSettings {
    fn default() -> FitSettings {
        FitSettings {
            phases: 30,
            pooling: vec![3.0, 2.0, 1.0],
            ridge: 8.0,
            most_passes: 45,
            patience: 8,
            least_gain: 0.001,
            held_out_per_thousand: 50,
            game_result_weight: 1.0,
            exact_weight: 1.0,
            search_weight: 1.0,
            search_share: 0.8,
            search_share_from: 17,
            search_alone_from: 50,
            lopsided: 30.0,
        }
    }
}

impl FitSettings {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = SettingsError::check;
        check("fit.phases", (1..=MOST_PHASES).contains(&self.phases), &self.phases, "1 to 60")?;
        let weights = format!("{:?}", self.pooling);
        let good = self.pooling.first().is_some_and(|&own| own > 0.0);
        let good = good && self.pooling.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
        check("fit.pooling", good, &weights, "weights of at least 0, the first above 0")?;
        check("fit.most-passes", self.most_passes > 0, &self.most_passes, "at least 1")?;
        check("fit.patience", self.patience > 0, &self.patience, "at least 1")?;
        check("fit.held-out-per-thousand", self.held_out_per_thousand < 1000, &self.held_out_per_thousand, "0 to 999")?;
        let share = self.search_share;
        check("fit.search-share", (0.0..=1.0).contains(&share), &share, "0 to 1")?;
        for (name, from) in
            [("fit.search-share-from", self.search_share_from), ("fit.search-alone-from", self.search_alone_from)]
        {
            check(name, from <= 61, &from, "0 to 60 empty squares, 61 for never")?;
        }
        SettingsError::check_not_negative(&[("fit.least-gain", self.least_gain)])?;
        SettingsError::check_not_negative(&[
            ("fit.ridge", self.ridge),
            ("fit.lopsided", self.lopsided),
            ("fit.game-result-weight", self.game_result_weight),
            ("fit.exact-weight", self.exact_weight),
            ("fit.search-weight", self.search_weight),
        ])
    }

    /// How much samples of this kind count; those of weight 0 are left out.
    pub(super) fn weight_of(&self, kind: LabelKind) -> f32 {
        match kind {
            LabelKind::GameResult => self.game_result_weight,
            LabelKind::Exact => self.exact_weight,
            LabelKind::Search => self.search_weight,
        }
    }
}

/// Root mean square errors after a pass, in discs, over the phase's own positions and those pooled with them, by their
/// weights; `None` where there are no such positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct PassError {
    /// On the games that were learned from.
    pub training: Option<f64>,
    /// On the games held out.
    pub held_out: Option<f64>,
}

/// The weights of one phase and how they came to be.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedPhase {
    /// [`Sharing::count`] weights in discs.
    pub weights: Vec<f32>,
    /// Positions learned from, those pooled included.
    pub positions: usize,
    /// Before the first pass, with all weights zero, and after each.
    pub curve: Vec<PassError>,
    /// The pass that the weights are of.
    pub best: usize,
}

/// What happens while fitting.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitStep {
    /// The phase.
    pub phase: usize,
    /// The errors after a pass.
    pub error: PassError,
    /// Whether the phase is finished.
    pub finished: bool,
}

/// Fits every phase; `None` if `stop` was raised. The same data and settings give the same weights, bit for bit: phases are
/// shared out among the threads of the rayon pool, but the sums of each are made in one order.
pub fn fit(
    data: &Dataset,
    settings: &FitSettings,
    stop: &AtomicBool,
    progress: &(dyn Fn(FitStep) + Sync),
) -> Option<Vec<FittedPhase>> {
    let fit = |phase| fit_phase(data, settings, phase, stop, &|step| progress(step));
    // One at a time for each thread, the late phases, which have the most positions, first.
    let mut fitted: Vec<FittedPhase> = (0..settings.phases)
        .rev()
        .collect::<Vec<_>>()
        .into_par_iter()
        .with_max_len(1)
        .map(fit)
        .collect::<Option<_>>()?;
    fitted.reverse();
    fill_gaps(&mut fitted);
    Some(fitted)
}

/// Phases without positions take the weights of the nearest one that has some, of a later one first.
fn fill_gaps(fitted: &mut [FittedPhase]) {
    let known: Vec<usize> = (0..fitted.len()).filter(|&phase| fitted[phase].positions > 0).collect();
    for phase in 0..fitted.len() {
        let nearest = known.iter().copied().min_by_key(|&other| (phase.abs_diff(other), other < phase));
        if let Some(nearest) = nearest.filter(|&nearest| nearest != phase) {
            fitted[phase].weights = fitted[nearest].weights.clone();
        }
    }
}

/// How much positions with this number of discs count in a phase.
fn pooling(settings: &FitSettings, phase: usize, discs: usize) -> f32 {
    let own = |discs: usize| phase_of(discs, settings.phases) == phase;
    let distance = (4..=64).filter(|&other| own(other)).map(|other| other.abs_diff(discs)).min();
    let first = settings.pooling.first().copied().unwrap_or(1.0);
    distance.and_then(|distance| settings.pooling.get(distance)).map_or(0.0, |weight| weight / first)
}

fn pooled(data: &Dataset, settings: &FitSettings, phase: usize, part: fn(&Points) -> &[Point]) -> Design {
    let parts: Vec<(&[Point], f32)> = (4..=64)
        .map(|discs| (part(data.with_discs(discs)), pooling(settings, phase, discs)))
        .filter(|(_, factor)| *factor > 0.0)
        .collect();
    Design::new(&parts)
}

fn fit_phase(
    data: &Dataset,
    settings: &FitSettings,
    phase: usize,
    stop: &AtomicBool,
    progress: &dyn Fn(FitStep),
) -> Option<FittedPhase> {
    let training = pooled(data, settings, phase, |points| &points.training);
    let held_out = pooled(data, settings, phase, |points| &points.held_out);
    let mut descent = Descent::new(&training, &held_out, f64::from(settings.ridge));
    let mut fitted = FittedPhase {
        weights: descent.weights.clone(),
        positions: training.len(),
        curve: vec![descent.error()],
        best: 0,
    };
    // Without games held out, the error on those learned from judges.
    let judge = |error: &PassError| error.held_out.or(error.training).unwrap_or(0.0);
    let most_passes = if training.len() > 0 { settings.most_passes } else { 0 };
    for pass in 1..=most_passes {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let moved = descent.pass();
        let error = descent.error();
        if judge(&error) < judge(&fitted.curve[fitted.best]) - settings.least_gain {
            fitted.best = pass;
            fitted.weights.copy_from_slice(&descent.weights);
        }
        fitted.curve.push(error);
        let finished = !moved || pass == most_passes || pass - fitted.best >= settings.patience;
        progress(FitStep { phase, error, finished });
        if finished {
            break;
        }
    }
    Some(fitted)
}

/// Nonlinear conjugate gradients (Polak and Ribière, restarted where they would go uphill), preconditioned.
struct Descent<'a> {
    training: &'a Design,
    held_out: &'a Design,
    ridge: f64,
    weights: Vec<f32>,
    /// Sums of the weights, by position.
    predictions: Vec<f32>,
    held_out_predictions: Vec<f32>,
    /// By weight: its uses and the ridge.
    scale: Vec<f64>,
    gradient: Vec<f64>,
    old_gradient: Vec<f64>,
    direction: Vec<f32>,
    /// Changes of the predictions along the direction.
    changes: Vec<f32>,
}

impl Descent<'_> {
    fn new<'a>(training: &'a Design, held_out: &'a Design, ridge: f64) -> Descent<'a> {
        let length = Sharing::get().count();
        let mut scale = vec![0.0; length];
        training.counts(&mut scale);
        // Without a ridge, what is never used is divided by something all the same.
        scale.iter_mut().for_each(|count| *count = (*count + ridge).max(1e-6));
        Descent {
            training,
            held_out,
            ridge,
            weights: vec![0.0; length],
            predictions: vec![0.0; training.len()],
            held_out_predictions: vec![0.0; held_out.len()],
            scale,
            gradient: vec![0.0; length],
            old_gradient: vec![0.0; length],
            direction: vec![0.0; length],
            changes: Vec::new(),
        }
    }

    fn error(&self) -> PassError {
        PassError {
            training: self.training.error(&self.predictions).rms(),
            held_out: self.held_out.error(&self.held_out_predictions).rms(),
        }
    }

    /// One step; whether there was a way down.
    fn pass(&mut self) -> bool {
        std::mem::swap(&mut self.gradient, &mut self.old_gradient);
        self.training.gradient(&self.predictions, &mut self.gradient);
        for (gradient, &weight) in self.gradient.iter_mut().zip(&self.weights) {
            *gradient -= self.ridge * f64::from(weight);
        }
        // The products of gradients are those of the scaled space.
        let product = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().zip(b).zip(&self.scale).map(|((a, b), scale)| a * b / scale).sum()
        };
        let old = product(&self.old_gradient, &self.old_gradient);
        let new = product(&self.gradient, &self.gradient);
        let mixed = product(&self.gradient, &self.old_gradient);
        let keep = if old > 0.0 { ((new - mixed) / old).max(0.0) } else { 0.0 };
        let mut slope = self.turn(keep);
        if slope <= 0.0 {
            slope = self.turn(0.0);
        }
        self.training.sums(&self.direction, &mut self.changes);
        let square: f64 = self.direction.iter().map(|&d| f64::from(d) * f64::from(d)).sum();
        let curvature = self.training.curvature(&self.predictions, &self.changes) + self.ridge * square;
        if slope <= 0.0 || curvature <= 0.0 {
            return false;
        }
        let step = (slope / curvature) as f32;
        let advance = |values: &mut [f32], changes: &[f32]| {
            values.iter_mut().zip(changes).for_each(|(value, change)| *value += step * change);
        };
        advance(&mut self.weights, &self.direction);
        advance(&mut self.predictions, &self.changes);
        self.held_out.sums(&self.direction, &mut self.changes);
        advance(&mut self.held_out_predictions, &self.changes);
        true
    }

    /// Makes the direction that of the gradient and so much of the old direction; returns the slope along it.
    fn turn(&mut self, keep: f64) -> f64 {
        for ((direction, gradient), scale) in self.direction.iter_mut().zip(&self.gradient).zip(&self.scale) {
            *direction = (gradient / scale + keep * f64::from(*direction)) as f32;
        }
        self.gradient.iter().zip(&self.direction).map(|(g, &d)| g * f64::from(d)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_position;

    /// Positions of random games whose target is a rule that patterns can say: three discs for every own disc in a corner,
    /// minus three for every other, and one for the move.
    fn corner_rule() -> Dataset {
        let positions = (0..12_000).map(|seed| random_position(seed, 10 + (seed % 20) as u32));
        // Some games end before.
        let points = positions.filter(|position| (11..30).contains(&position.empties().count())).map(|position| {
            let corners = |discs: crate::othello::Bitboard| (discs & crate::othello::Bitboard::CORNERS).count() as f32;
            let target = 3.0 * (corners(position.player()) - corners(position.opponent())) + 1.0;
            Point { player: position.player(), opponent: position.opponent(), target, weight: 1.0 }
        });
        Dataset::of_points(points, |i| i % 10 == 0)
    }

    fn settings() -> FitSettings {
        FitSettings { phases: 6, ridge: 1.0, most_passes: 30, ..FitSettings::default() }
    }

    fn fitted(settings: &FitSettings, threads: usize) -> Vec<FittedPhase> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let data = corner_rule();
        pool.install(|| fit(&data, settings, &AtomicBool::new(false), &|_| {})).unwrap()
    }

    #[test]
    fn a_rule_is_learned_from_examples() {
        let phases = fitted(&settings(), 2);
        for phase in &phases[3..5] {
            let (first, best) = (phase.curve[0], phase.curve[phase.best]);
            assert!(best.held_out.unwrap() < 0.5 * first.held_out.unwrap(), "{first:?} {best:?}");
        }
    }

    #[test]
    fn every_pass_lowers_the_loss() {
        let (data, settings) = (corner_rule(), settings());
        let training = pooled(&data, &settings, 3, |points| &points.training);
        let held_out = pooled(&data, &settings, 3, |points| &points.held_out);
        let ridge = f64::from(settings.ridge);
        let mut descent = Descent::new(&training, &held_out, ridge);
        let loss = |descent: &Descent<'_>| {
            let squares: f64 = descent.weights.iter().map(|&weight| f64::from(weight).powi(2)).sum();
            training.error(&descent.predictions).sum + ridge * squares
        };
        let mut before = loss(&descent);
        for pass in 1..=20 {
            descent.pass();
            let after = loss(&descent);
            assert!(after < before, "pass {pass}: {before} to {after}");
            before = after;
        }
    }

    #[test]
    fn the_weights_do_not_depend_on_the_number_of_threads() {
        let settings = FitSettings { most_passes: 3, ..settings() };
        assert_eq!(fitted(&settings, 1), fitted(&settings, 3));
    }

    #[test]
    fn phases_without_positions_take_the_weights_of_a_neighbour() {
        let settings = FitSettings { most_passes: 2, pooling: vec![1.0], ..settings() };
        let phases = fitted(&settings, 2);
        assert_eq!(
            phases.iter().map(|phase| phase.positions > 0).collect::<Vec<_>>(),
            [false, false, false, true, true, false]
        );
        assert_eq!(phases[0].weights, phases[3].weights);
        assert_eq!(phases[5].weights, phases[4].weights);
        assert_ne!(phases[3].weights, phases[4].weights);
        assert_eq!(phases[0].curve, [PassError { training: None, held_out: None }], "nothing, and not an error of 0");
    }

    #[test]
    fn neighbours_count_less() {
        let settings = FitSettings::default();
        // Phase 10 has the positions with 24 and 25 discs.
        let weights: Vec<f32> = (20..=29).map(|discs| pooling(&settings, 10, discs) * 3.0).collect();
        assert_eq!(weights, [0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 2.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_stop_is_obeyed() {
        assert_eq!(fit(&corner_rule(), &settings(), &AtomicBool::new(true), &|_| {}), None);
    }
}
