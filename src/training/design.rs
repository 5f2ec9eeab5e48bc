//! Positions as the regression sees them: the numbers of the weights that add up to their value.

use super::dataset::Point;
use crate::eval::pattern::{ALL_INSTANCES, FAMILIES, INSTANCES, Sharing, State};

/// A gradient is summed up in single precision over so many positions, then added to the whole in double precision.
const BLOCK: usize = 1 << 15;
/// The most by which a prediction counts, in discs.
const MOST: f32 = 64.0;

/// Where the packed weights of each instance's family begin.
fn first_weights() -> [usize; INSTANCES] {
    std::array::from_fn(|i| Sharing::get().range(ALL_INSTANCES[i].family).start)
}

/// Positions with what they are to be worth.
pub(super) struct Design {
    /// For each position the packed weight of every instance, counted from the first one of its family.
    numbers: Vec<[u16; INSTANCES]>,
    targets: Vec<f32>,
    weights: Vec<f32>,
    first: [usize; INSTANCES],
    constant: usize,
}

impl Design {
    /// The positions, each weight multiplied with the factor that comes with it.
    pub(super) fn new<'a>(points: impl Iterator<Item = (&'a Point, f32)>) -> Design {
        let sharing = Sharing::get();
        let first = first_weights();
        let mut design = Design {
            numbers: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
            first,
            constant: sharing.constant(),
        };
        // By instance, from the least configuration on.
        let tables: [(&[u32], i32, u32); INSTANCES] = std::array::from_fn(|i| {
            let family = ALL_INSTANCES[i].family;
            (sharing.of_family(family), FAMILIES[family].greatest() as i32, first[i] as u32)
        });
        for (point, factor) in points {
            let mut numbers = [0; INSTANCES];
            let configurations = State::of(&point.position());
            for ((number, configuration), (table, greatest, first)) in
                numbers.iter_mut().zip(configurations.configurations()).zip(&tables)
            {
                *number = (table[(i32::from(configuration) + greatest) as usize] - first) as u16;
            }
            design.numbers.push(numbers);
            design.targets.push(point.target);
            design.weights.push(point.weight * factor);
        }
        design
    }

    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The sum of the weights that every position has, one after the other.
    pub(super) fn sums(&self, weights: &[f32], out: &mut Vec<f32>) {
        out.clear();
        let constant = weights[self.constant];
        out.extend(self.numbers.iter().map(|numbers| {
            // Four sums, so that they need not wait for one another.
            let mut sums = [constant, 0.0, 0.0, 0.0];
            for (i, (&number, &first)) in numbers.iter().zip(&self.first).enumerate() {
                sums[i % 4] += weights[first + usize::from(number)];
            }
            (sums[0] + sums[1]) + (sums[2] + sums[3])
        }));
    }

    /// For every weight the sum of a value over the positions that have it, as often as they have it.
    pub(super) fn scatter(&self, value: impl Fn(usize) -> f32, out: &mut [f64]) {
        out.fill(0.0);
        let mut block = vec![0.0f32; out.len()];
        for (b, numbers) in self.numbers.chunks(BLOCK).enumerate() {
            for (i, numbers) in numbers.iter().enumerate() {
                let value = value(b * BLOCK + i);
                block[self.constant] += value;
                for (&number, &first) in numbers.iter().zip(&self.first) {
                    block[first + usize::from(number)] += value;
                }
            }
            for (sum, part) in out.iter_mut().zip(&mut block) {
                *sum += f64::from(*part);
                *part = 0.0;
            }
        }
    }

    /// How much each weight is used, by the weights of the positions.
    pub(super) fn counts(&self, out: &mut [f64]) {
        self.scatter(|i| self.weights[i], out);
    }

    /// For every weight the sum of the residuals, with predictions beyond ±64 discs counted as that.
    pub(super) fn gradient(&self, predictions: &[f32], out: &mut [f64]) {
        self.scatter(|i| self.weights[i] * (self.targets[i] - predictions[i].clamp(-MOST, MOST)), out);
    }

    /// The curvature of the loss along a direction in which the predictions change by `changes`. Predictions beyond ±64
    /// discs do not count: the loss is straight there.
    pub(super) fn curvature(&self, predictions: &[f32], changes: &[f32]) -> f64 {
        let of = |i: usize| {
            let inside = predictions[i].abs() < MOST;
            if inside { f64::from(self.weights[i]) * f64::from(changes[i]) * f64::from(changes[i]) } else { 0.0 }
        };
        (0..self.len()).map(of).sum()
    }

    /// The error of predictions.
    pub(super) fn error(&self, predictions: &[f32]) -> SquaredError {
        let mut error = SquaredError::default();
        for ((&prediction, &target), &weight) in predictions.iter().zip(&self.targets).zip(&self.weights) {
            let residual = f64::from(target - prediction.clamp(-MOST, MOST));
            error.sum += f64::from(weight) * residual * residual;
            error.weight += f64::from(weight);
        }
        error
    }
}

/// A sum of squared errors, in discs, and of the weights that they were given.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct SquaredError {
    pub sum: f64,
    pub weight: f64,
}

impl SquaredError {
    /// The root of the mean; 0 of nothing.
    pub(super) fn rms(self) -> f64 {
        if self.weight > 0.0 { (self.sum / self.weight).sqrt() } else { 0.0 }
    }
}
