//! Stochastic gradient descent in small batches, whose result does not depend on the number of threads.
//!
//! A batch is first evaluated, each position by itself, with the parameters as they are; then every group of rows adds up
//! the gradients of its rows, in the order of the positions, and takes a step with each row that was used. No two groups
//! share a row, so both halves can be shared out to threads without a sum changing its order.

use super::parameters::{COLUMNS, Example, Factors, GROUPS, Layout, Linear, Numbers, Parameters, WIDTH, knot_of};
use super::settings::FactorizationSettings;
use crate::training::dataset::{LIMIT, Point};
use rayon::prelude::*;

/// Positions that a thread evaluates at a time, at least.
const SHARE: usize = 64;
/// Shares of the mean gradient, and of the mean square, that a step keeps.
const MEAN_KEPT: f32 = 0.9;
const SQUARE_KEPT: f32 = 0.99;
/// Keeps a step finite.
const LEAST_SCALE: f32 = 1e-6;

/// What a position has come to with the parameters before the batch.
#[derive(Clone, Copy)]
pub(super) struct Evaluated {
    columns: [u32; COLUMNS],
    sums: Factors,
    knot: usize,
    way: f32,
    /// Target less prediction, in discs.
    pub(super) error: f32,
    /// That of the position.
    weight: f32,
}

/// Everything that does not change from batch to batch.
pub(super) struct Model {
    pub(super) layout: Layout,
    /// The first half of the factors counts positive.
    signs: Factors,
    knots: usize,
}

impl Model {
    pub(super) fn new(settings: &FactorizationSettings) -> Model {
        let sign = |k| match k {
            _ if k < settings.rank / 2 => 1.0,
            _ if k < settings.rank => -1.0,
            _ => 0.0,
        };
        Model { layout: Layout::new(), signs: Numbers(std::array::from_fn(sign)), knots: settings.knots }
    }

    /// The sum of fixed linear weights.
    pub(super) fn offset(&self, lines: &[Linear], point: &Point) -> f32 {
        let (knot, way) = knot_of((point.player | point.opponent).count(), self.knots);
        let columns = self.layout.columns_of(&point.position());
        let sum = |knot: usize| columns.iter().map(|&row| lines[row as usize].0[knot]).sum::<f32>();
        (1.0 - way) * sum(knot) + way * sum(knot + 1)
    }

    pub(super) fn evaluate(&self, parameters: &Parameters, example: &Example) -> Evaluated {
        let point = &example.point;
        let (knot, way) = knot_of((point.player | point.opponent).count(), self.knots);
        let columns = self.layout.columns_of(&point.position());
        let (mut sums, mut squares, mut linear) = ([0.0; WIDTH], [0.0; WIDTH], [0.0; 2]);
        for &row in &columns {
            let factors = &parameters.factors[row as usize].0;
            for k in 0..WIDTH {
                sums[k] += factors[k];
                squares[k] += factors[k] * factors[k];
            }
            let line = &parameters.linear[row as usize].0;
            linear[0] += line[knot];
            linear[1] += line[knot + 1];
        }
        let pairs: f32 = (0..WIDTH).map(|k| self.signs.0[k] * (sums[k] * sums[k] - squares[k])).sum();
        let prediction = example.offset + (1.0 - way) * linear[0] + way * linear[1] + 0.5 * pairs;
        let error = point.target - prediction.clamp(-LIMIT, LIMIT);
        Evaluated { columns, sums: Numbers(sums), knot, way, error, weight: point.weight }
    }
}

/// The parameters, and what the next steps depend on.
pub(super) struct Descent<'a> {
    pub(super) model: &'a Model,
    settings: &'a FactorizationSettings,
    pub(super) parameters: Parameters,
    /// The factors that ridges draw to; linear weights are changes already.
    start: &'a [Factors],
    /// Means of the gradients, and of their squares, over the batches that used a row.
    pub(super) means: Parameters,
    pub(super) squares: Parameters,
    /// Steps taken.
    pub(super) steps: i32,
    /// Sums over a batch; 0 between batches.
    gradients: Vec<Gradient>,
    /// One by the uses of a row, 0 of one that is not to change.
    by_uses: Vec<f32>,
    batch: Vec<Evaluated>,
}

/// The sums over a batch that concern one row.
#[derive(Clone, Copy, Default)]
struct Gradient {
    factors: Factors,
    linear: Linear,
    /// The weights of the positions that have the row.
    uses: f32,
}

/// The rows of one group.
struct Group<'a> {
    first: usize,
    columns: std::ops::Range<usize>,
    factors: [&'a mut [Factors]; 3],
    linear: [&'a mut [Linear]; 3],
    gradients: &'a mut [Gradient],
    start: &'a [Factors],
    by_uses: &'a [f32],
}

/// How large the steps of a batch are.
struct Pace {
    /// The step of the factors and of the linear weights where mean and square agree.
    rates: [f32; 2],
    ridges: [f32; 2],
}

impl<'a> Descent<'a> {
    pub(super) fn new(
        model: &'a Model,
        settings: &'a FactorizationSettings,
        start: &'a [Factors],
        uses: &[f32],
    ) -> Descent<'a> {
        let by_uses = uses.iter().map(|&uses| if settings.learns(uses) { 1.0 / uses } else { 0.0 });
        let nothing = Parameters::nothing(uses.len());
        Descent {
            model,
            settings,
            parameters: Parameters::new(settings, start, uses),
            start,
            means: nothing.clone(),
            squares: nothing,
            steps: 0,
            gradients: vec![Gradient::default(); uses.len()],
            by_uses: by_uses.collect(),
            batch: Vec::new(),
        }
    }

    /// Learns from some positions; `pace`, 0 to 1, scales all steps. Returns the weighted sum of squared errors before it.
    pub(super) fn learn(&mut self, examples: &[Example], pace: f32) -> f64 {
        let (model, parameters) = (self.model, &self.parameters);
        let evaluated = examples.par_iter().with_min_len(SHARE).map(|example| model.evaluate(parameters, example));
        evaluated.collect_into_vec(&mut self.batch);
        self.steps += 1;
        // The means begin at 0; this makes up for it, for rows that most batches use. The first steps of others are up to twice as large.
        let begun = |kept: f32| 1.0 - f64::from(kept).powi(self.steps);
        let scale = f64::from(pace) * begun(SQUARE_KEPT).sqrt() / begun(MEAN_KEPT);
        let settings = self.settings;
        let pace = Pace {
            rates: [settings.rate, settings.linear_rate].map(|rate| (scale * rate) as f32),
            ridges: [settings.ridge, settings.linear_ridge],
        };
        let batch = std::mem::take(&mut self.batch);
        self.groups().into_par_iter().with_max_len(1).for_each(|mut group| {
            let mut used = Vec::new();
            batch.iter().for_each(|evaluated| group.add(evaluated, &model.signs, &mut used));
            used.into_iter().for_each(|row| group.step(row, &pace));
        });
        let sum = batch.iter().map(|evaluated| f64::from(evaluated.error * evaluated.error * evaluated.weight)).sum();
        self.batch = batch;
        sum
    }

    fn groups(&mut self) -> Vec<Group<'_>> {
        let layout = &self.model.layout;
        let Parameters { factors, linear } = &mut self.parameters;
        let mut factors = [&mut factors[..], &mut self.means.factors, &mut self.squares.factors];
        let mut linear = [&mut linear[..], &mut self.means.linear, &mut self.squares.linear];
        let mut gradients = &mut self.gradients[..];
        let mut groups = Vec::with_capacity(GROUPS);
        for (rows, columns) in layout.rows.iter().zip(&layout.columns) {
            let length = rows.len();
            groups.push(Group {
                first: rows.start,
                columns: columns.clone(),
                factors: factors.each_mut().map(|rest| split_off(rest, length)),
                linear: linear.each_mut().map(|rest| split_off(rest, length)),
                gradients: split_off(&mut gradients, length),
                start: &self.start[rows.clone()],
                by_uses: &self.by_uses[rows.clone()],
            });
        }
        groups
    }
}

/// The first rows of all that are left.
fn split_off<'a, T>(rest: &mut &'a mut [T], length: usize) -> &'a mut [T] {
    rest.split_off_mut(..length).expect("groups fill the rows")
}

impl Group<'_> {
    /// Adds the gradients of a position to those of its rows. Rows that had none are put on the list.
    fn add(&mut self, evaluated: &Evaluated, signs: &Factors, used: &mut Vec<usize>) {
        let Evaluated { columns, sums, knot, way, error, weight } = evaluated;
        let residual = error * weight;
        for column in self.columns.clone() {
            let row = columns[column] as usize - self.first;
            if self.by_uses[row] == 0.0 {
                continue;
            }
            let (gradient, factors) = (&mut self.gradients[row], &self.factors[0][row].0);
            if gradient.uses == 0.0 {
                used.push(row);
            }
            gradient.linear.0[*knot] += (1.0 - way) * residual;
            gradient.linear.0[knot + 1] += way * residual;
            let numbers = signs.0.iter().zip(&sums.0).zip(factors);
            for (gradient, ((sign, sum), factor)) in gradient.factors.0.iter_mut().zip(numbers) {
                *gradient += residual * sign * (sum - factor);
            }
            gradient.uses += weight;
        }
    }

    /// Takes a step with a row, and forgets its gradient.
    fn step(&mut self, row: usize, pace: &Pace) {
        let Gradient { factors, linear, uses } = std::mem::take(&mut self.gradients[row]);
        let [rate, linear_rate] = pace.rates;
        let [decay, linear_decay] = pace.ridges.map(|ridge| ridge * uses * self.by_uses[row]);
        step(&factors, self.factors.each_mut().map(|rows| &mut rows[row]), &self.start[row], rate, decay);
        let no_change = Linear::default();
        step(&linear, self.linear.each_mut().map(|rows| &mut rows[row]), &no_change, linear_rate, linear_decay);
    }
}

/// One step of Adam; `decay` draws to `start`.
fn step<const N: usize>(
    gradient: &Numbers<N>,
    [numbers, means, squares]: [&mut Numbers<N>; 3],
    start: &Numbers<N>,
    rate: f32,
    decay: f32,
) {
    for k in 0..N {
        let gradient = gradient.0[k] - decay * (numbers.0[k] - start.0[k]);
        let (mean, square) = (&mut means.0[k], &mut squares.0[k]);
        *mean += (1.0 - MEAN_KEPT) * (gradient - *mean);
        *square += (1.0 - SQUARE_KEPT) * (gradient * gradient - *square);
        numbers.0[k] += rate * *mean / (square.sqrt() + LEAST_SCALE);
    }
}
