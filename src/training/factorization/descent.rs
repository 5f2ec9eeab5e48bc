//! Stochastic gradient descent in small batches, whose result does not depend on the number of threads.
//!
//! A batch is first evaluated, each position by itself, with the parameters as they are; then every group of rows goes
//! over the positions of the batch in their order and takes its steps. No two groups share a row, so both halves can be
//! shared out to threads without a sum changing its order.

use super::parameters::{COLUMNS, Example, GROUPS, Layout, Line, MOST, Parameters, knot_of};
use super::settings::FactorizationSettings;
use crate::training::dataset::Point;
use rayon::prelude::*;

/// The most by which a prediction counts, in discs.
pub(super) const LIMIT: f32 = 64.0;
/// Positions that a thread evaluates at a time.
const SHARE: usize = 64;
/// Keeps the first step of a row finite.
const LEAST_SQUARE: f32 = 1e-6;

/// What a position has come to with the parameters before the batch.
#[derive(Clone, Copy)]
pub(super) struct Evaluated {
    columns: [u32; COLUMNS],
    sums: Line,
    knot: usize,
    way: f32,
    /// Target less prediction, in discs, and the same by the weight of the position.
    pub(super) error: f32,
    residual: f32,
}

impl Default for Evaluated {
    fn default() -> Evaluated {
        Evaluated { columns: [0; COLUMNS], sums: Line::default(), knot: 0, way: 0.0, error: 0.0, residual: 0.0 }
    }
}

/// The signs of the factors: the first half of them counts positive.
pub(super) fn signs(rank: usize) -> Line {
    Line(std::array::from_fn(|k| {
        if k < rank / 2 {
            1.0
        } else if k < rank {
            -1.0
        } else {
            0.0
        }
    }))
}

/// Everything that does not change from batch to batch.
pub(super) struct Model {
    pub(super) layout: Layout,
    pub(super) signs: Line,
    pub(super) knots: usize,
}

impl Model {
    pub(super) fn new(settings: &FactorizationSettings) -> Model {
        Model { layout: Layout::new(), signs: signs(settings.rank), knots: settings.knots }
    }

    /// The sum of fixed linear weights.
    pub(super) fn offset(&self, lines: &[Line], point: &Point) -> f32 {
        let (knot, way) = knot_of((point.player | point.opponent).count(), self.knots);
        let columns = self.layout.columns_of(&point.position());
        let sum = |knot: usize| columns.iter().map(|&row| lines[row as usize].0[knot]).sum::<f32>();
        (1.0 - way) * sum(knot) + way * sum(knot + 1)
    }

    pub(super) fn evaluate(&self, parameters: &Parameters, example: &Example) -> Evaluated {
        let point = &example.point;
        let (knot, way) = knot_of((point.player | point.opponent).count(), self.knots);
        let columns = self.layout.columns_of(&point.position());
        let (mut sums, mut squares, mut linear) = ([0.0; MOST], [0.0; MOST], [0.0; 2]);
        for &row in &columns {
            let factors = &parameters.factors[row as usize].0;
            for k in 0..MOST {
                sums[k] += factors[k];
                squares[k] += factors[k] * factors[k];
            }
            let line = &parameters.linear[row as usize].0;
            linear[0] += line[knot];
            linear[1] += line[knot + 1];
        }
        let pairs: f32 = (0..MOST).map(|k| self.signs.0[k] * (sums[k] * sums[k] - squares[k])).sum();
        let prediction = example.offset + (1.0 - way) * linear[0] + way * linear[1] + 0.5 * pairs;
        let error = point.target - prediction.clamp(-LIMIT, LIMIT);
        Evaluated { columns, sums: Line(sums), knot, way, error, residual: error * point.weight }
    }
}

/// The steps taken so far, and how much each row resists.
pub(super) struct Descent<'a> {
    pub(super) model: &'a Model,
    settings: &'a FactorizationSettings,
    pub(super) parameters: Parameters,
    pub(super) squares: Vec<f32>,
    pub(super) linear_squares: Vec<Line>,
    /// One by the uses of a row, 0 of one that is not to change.
    by_uses: Vec<f32>,
    batch: Vec<Evaluated>,
}

/// The rows of one group.
struct Group<'a> {
    first: usize,
    columns: std::ops::Range<usize>,
    factors: &'a mut [Line],
    linear: &'a mut [Line],
    squares: &'a mut [f32],
    linear_squares: &'a mut [Line],
    by_uses: &'a [f32],
}

impl<'a> Descent<'a> {
    pub(super) fn new(model: &'a Model, settings: &'a FactorizationSettings, uses: &[f32]) -> Descent<'a> {
        let by_uses = uses.iter().map(|&uses| if uses >= settings.least_uses.max(1e-3) { 1.0 / uses } else { 0.0 });
        Descent {
            model,
            settings,
            parameters: Parameters::new(settings, uses),
            squares: vec![LEAST_SQUARE; uses.len()],
            linear_squares: vec![Line([LEAST_SQUARE; MOST]); uses.len()],
            by_uses: by_uses.collect(),
            batch: Vec::new(),
        }
    }

    /// Learns from some positions; `pace`, 0 to 1, scales all steps. Returns the weighted sum of squared errors before it.
    pub(super) fn learn(&mut self, examples: &[Example], pace: f32) -> f64 {
        let (model, parameters) = (self.model, &self.parameters);
        self.batch.resize(examples.len(), Evaluated::default());
        self.batch.par_chunks_mut(SHARE).zip(examples.par_chunks(SHARE)).for_each(|(evaluated, examples)| {
            for (evaluated, example) in evaluated.iter_mut().zip(examples) {
                *evaluated = model.evaluate(parameters, example);
            }
        });
        let (batch, settings) = (std::mem::take(&mut self.batch), self.settings);
        self.groups().into_par_iter().with_max_len(1).for_each(|mut group| {
            for evaluated in &batch {
                group.step(evaluated, settings, &model.signs, pace);
            }
        });
        let sum = batch.iter().map(|evaluated| f64::from(evaluated.error) * f64::from(evaluated.residual)).sum();
        self.batch = batch;
        sum
    }

    fn groups(&mut self) -> Vec<Group<'_>> {
        let layout = &self.model.layout;
        let mut factors = &mut self.parameters.factors[..];
        let mut linear = &mut self.parameters.linear[..];
        let mut squares = &mut self.squares[..];
        let mut linear_squares = &mut self.linear_squares[..];
        let mut groups = Vec::with_capacity(GROUPS);
        for (rows, columns) in layout.rows.iter().zip(&layout.columns) {
            let length = rows.len();
            groups.push(Group {
                first: rows.start,
                columns: columns.clone(),
                factors: factors.split_off_mut(..length).expect("groups fill the rows"),
                linear: linear.split_off_mut(..length).expect("groups fill the rows"),
                squares: squares.split_off_mut(..length).expect("groups fill the rows"),
                linear_squares: linear_squares.split_off_mut(..length).expect("groups fill the rows"),
                by_uses: &self.by_uses[rows.clone()],
            });
        }
        groups
    }
}

impl Group<'_> {
    fn step(&mut self, evaluated: &Evaluated, settings: &FactorizationSettings, signs: &Line, pace: f32) {
        let Evaluated { columns, sums, knot, way, residual, .. } = evaluated;
        for column in self.columns.clone() {
            let row = columns[column] as usize - self.first;
            let by_uses = self.by_uses[row];
            if by_uses == 0.0 {
                continue;
            }
            let (weights, squares) = (&mut self.linear[row].0, &mut self.linear_squares[row].0);
            for (knot, share) in [(*knot, 1.0 - way), (knot + 1, *way)] {
                let gradient = share * (residual - settings.linear_ridge * by_uses * weights[knot]);
                squares[knot] += gradient * gradient;
                weights[knot] += pace * settings.linear_rate as f32 * gradient / squares[knot].sqrt();
            }
            let (factors, decay) = (&mut self.factors[row].0, settings.ridge * by_uses);
            let mut gradient = [0.0; MOST];
            for k in 0..MOST {
                gradient[k] = residual * signs.0[k] * (sums.0[k] - factors[k]) - decay * factors[k];
            }
            let square = gradient.iter().map(|g| g * g).sum::<f32>() / settings.rank as f32;
            self.squares[row] += square;
            let step = pace * settings.rate as f32 / self.squares[row].sqrt();
            for k in 0..MOST {
                factors[k] += step * gradient[k];
            }
        }
    }
}
