//! Fitting the form with factors, see [`crate::eval::factorization`], by stochastic gradient descent.
//!
//! The loss is that of the [linear fit](crate::training::fit()), over all phases together:
//!
//! ```text
//! Σ weight · error² + ridge · Σ (change of a factor)² + linear-ridge · Σ (change of a linear weight)²
//! ```
//!
//! where a change is that from the weights that the fit begins with, and the square of an error goes on as a straight line for predictions beyond
//! ±64 discs; errors that are printed count such predictions as ±64. Steps are those of Adam (Kingma
//! and Ba, ICLR 2015), but a row has one only for a batch that uses it: rare and frequent rows differ by five orders of
//! magnitude. The weights kept are those of the pass with the least error on games held out.

mod checkpoint;
mod descent;
mod parameters;
mod settings;

pub use settings::{FactorizationSettings, InitialWeights};

use crate::eval::AnyWeights;
use crate::eval::factorization::{HALF, RANK};
use crate::random::Random;
use crate::training::container::FileError;
use crate::training::dataset::{Dataset, Point};
use crate::training::design::SquaredError;
use crate::training::settings_error::SettingsError;
use checkpoint::Checkpoint;
use descent::{Descent, Model};
use parameters::{Beginning, Example, Linear, Parameters};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;

/// Spans of empty squares whose errors are told apart: up to 10, 20, 30, 40, and more.
pub const SPANS: usize = 5;

/// Root mean square errors after a pass, in discs, by the weights of the positions; `None` where there are no such positions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SpanErrors {
    /// Passes made.
    pub pass: usize,
    /// On the games that were learned from, each position before its step; `None` before the first pass.
    pub training: Option<f64>,
    /// On the games held out.
    pub held_out: Option<f64>,
    /// The same by span.
    pub spans: [Option<f64>; SPANS],
}

/// Why there are no weights.
#[derive(Debug, Error)]
pub enum FactorFitError {
    /// It was asked to stop. The passes that were made are in the folder, and the same command goes on.
    #[error("interrupted; the same command goes on after the last whole pass")]
    Stopped,
    /// The steps were too large: the weights or their errors left the range of numbers.
    #[error(
        "pass {0} diverged: its error is no number; expected a smaller factorization.rate or factorization.linear-rate"
    )]
    Diverged(usize),
    /// The settings do not fit the weights to begin with.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// What a pass came to cannot be kept.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Fitted weights, and how they came to be.
#[derive(Clone, PartialEq, Debug)]
pub struct FittedFactors {
    /// In discs, knot by knot, all rows of each.
    pub linear: Vec<f32>,
    /// Factor by factor, [`RANK`] of them, all rows of each.
    pub factors: Vec<f32>,
    /// Before the first pass, with the weights that the fit begins with, and after each.
    pub curve: Vec<SpanErrors>,
    /// The pass that the weights are of.
    pub best: usize,
}

/// Fits the weights, beginning with `start`, or with 0 if there are none. The same data and settings give the same weights, bit for bit,
/// whatever the number of threads in the rayon pool. After each pass all that the next one needs is kept in `folder`; if it
/// is there from the same data and settings, the fit goes on from it.
///
/// # Errors
/// If the settings do not fit `start`, `stop` was raised, a pass diverged, or what a pass came to cannot be written.
pub fn fit_factorization(
    data: &Dataset,
    settings: &FactorizationSettings,
    start: Option<&AnyWeights>,
    folder: &Path,
    stop: &AtomicBool,
    progress: &dyn Fn(SpanErrors),
) -> Result<FittedFactors, FactorFitError> {
    let model = Model::new(settings);
    let start = Beginning::new(start, settings)?;
    let examples = |part: fn(usize, &Dataset) -> &[Point]| -> Vec<Example> {
        let points = (0..=64).flat_map(|discs| part(discs, data)).collect::<Vec<_>>();
        points.into_par_iter().map(|&point| Example { point, offset: model.offset(&start.lines, &point) }).collect()
    };
    let mut training = examples(|discs, data| &data.with_discs(discs).training);
    let held_out = examples(|discs, data| &data.with_discs(discs).held_out);
    let identity = checkpoint::identity(data, settings, &start);
    let uses = uses(&model, &training);
    let mut descent = Descent::new(&model, settings, &start.factors, &uses);
    let mut state = Checkpoint::read(folder, &identity, &mut descent).unwrap_or_else(|| {
        let best = Parameters { factors: start.factors.clone(), ..Parameters::nothing(uses.len()) };
        let curve = vec![errors(&model, &best, &held_out, 0, None)];
        Checkpoint { best, best_pass: 0, curve }
    });
    state.curve.iter().for_each(|&errors| progress(errors));
    let weight: f64 = training.iter().map(|example| f64::from(example.point.weight)).sum();
    let mut random = Random::of_pair(settings.seed, 2);
    for pass in 1..=settings.passes {
        random.shuffle(&mut training);
        if pass < state.curve.len() {
            continue;
        }
        if pass - 1 - state.best_pass >= settings.patience {
            break;
        }
        let sum = one_pass(&mut descent, settings, &training, pass, stop).ok_or(FactorFitError::Stopped)?;
        let now = errors(&model, &descent.parameters, &held_out, pass, Some((sum / weight).sqrt()));
        if ![now.training, now.held_out].into_iter().flatten().all(f64::is_finite) {
            return Err(FactorFitError::Diverged(pass));
        }
        // Without games to judge by, all passes are made and the last one is kept.
        if held_out.is_empty() || now.held_out < state.curve[state.best_pass].held_out {
            (state.best, state.best_pass) = (descent.parameters.clone(), pass);
        }
        state.curve.push(now);
        progress(now);
        state.write(folder, &identity, &descent)?;
    }
    Ok(FittedFactors::new(settings, &start.lines, state))
}

impl FittedFactors {
    fn new(settings: &FactorizationSettings, lines: &[Linear], state: Checkpoint) -> FittedFactors {
        let Checkpoint { best, best_pass, curve } = state;
        let linear =
            |knot: usize| lines.iter().zip(&best.linear).map(move |(line, change)| line.0[knot] + change.0[knot]);
        // The factors that count positive come first, whatever the rank.
        let own = settings.rank / 2;
        let factors = |k: usize| {
            let (side, k) = (k / HALF, k % HALF);
            best.factors.iter().map(move |factors| if k < own { factors.0[side * own + k] } else { 0.0 })
        };
        FittedFactors {
            linear: (0..settings.knots).flat_map(linear).collect(),
            factors: (0..RANK).flat_map(factors).collect(),
            curve,
            best: best_pass,
        }
    }
}

/// Learns from all positions once; the weighted sum of squared errors, or `None` if `stop` was raised.
fn one_pass(
    descent: &mut Descent<'_>,
    settings: &FactorizationSettings,
    training: &[Example],
    pass: usize,
    stop: &AtomicBool,
) -> Option<f64> {
    let batches = training.len().div_ceil(settings.batch);
    let mut sum = 0.0;
    for (number, batch) in training.chunks(settings.batch).enumerate() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let done = ((pass - 1) * batches + number) as f32 / (settings.passes as f32 * batches as f32);
        sum += descent.learn(batch, 0.5 * (1.0 + (std::f32::consts::PI * done).cos()));
    }
    Some(sum)
}

/// How much every row is used, by the weights of the positions.
fn uses(model: &Model, examples: &[Example]) -> Vec<f32> {
    let mut uses = vec![0.0; model.layout.len()];
    for example in examples {
        for row in model.layout.columns_of(&example.point.position()) {
            uses[row as usize] += f64::from(example.point.weight);
        }
    }
    uses.into_iter().map(|uses| uses as f32).collect()
}

fn span_of(point: &Point) -> usize {
    let empties = 64 - (point.player | point.opponent).count();
    (empties.saturating_sub(1) as usize / 10).min(SPANS - 1)
}

fn errors(
    model: &Model,
    parameters: &Parameters,
    held_out: &[Example],
    pass: usize,
    training: Option<f64>,
) -> SpanErrors {
    let errors: Vec<f32> = held_out.par_iter().map(|example| model.evaluate(parameters, example).error).collect();
    let mut spans = [SquaredError::default(); SPANS];
    for (example, &error) in held_out.iter().zip(&errors) {
        spans[span_of(&example.point)].add(error, example.point.weight);
    }
    let all = spans.iter().fold(SquaredError::default(), |all, span| SquaredError {
        sum: all.sum + span.sum,
        weight: all.weight + span.weight,
    });
    SpanErrors { pass, training, held_out: all.rms(), spans: spans.map(SquaredError::rms) }
}
