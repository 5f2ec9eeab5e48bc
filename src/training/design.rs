//! Positions as the regression sees them: the numbers of the weights that add up to their value.

use super::dataset::{LIMIT, Point};
use crate::eval::pattern::{ALL_INSTANCES, INSTANCES, Sharing, State, mobility_pair};

/// Positions over which a gradient is summed up in single precision, before it is added to the whole in double precision.
const BLOCK: usize = 1 << 15;

/// Weights of a position beside the constant: those of the instances and that of the mobilities.
const COLUMNS: usize = INSTANCES + 1;

/// Positions with what they are to be worth.
pub(super) struct Design {
    /// For each position the packed weight of every instance and of its mobilities, counted from the first one of their
    /// kind.
    numbers: Vec<[u16; COLUMNS]>,
    targets: Vec<f32>,
    weights: Vec<f32>,
    /// Where the packed weights of each instance's family begin, and those of the mobilities.
    first: [usize; COLUMNS],
    constant: usize,
}

impl Design {
    /// Some lists of positions, the weights of each multiplied with the factor that comes with it.
    pub(super) fn new(parts: &[(&[Point], f32)]) -> Design {
        let sharing = Sharing::get();
        let first: [usize; COLUMNS] = std::array::from_fn(|i| match ALL_INSTANCES.get(i) {
            Some(instance) => sharing.range(instance.family).start,
            None => sharing.mobility().start,
        });
        let numbers_of = |point: &Point| {
            let mut numbers = [0; COLUMNS];
            let position = point.position();
            for ((number, packed), first) in numbers.iter_mut().zip(State::of(&position).numbers()).zip(&first) {
                *number = (packed as usize - first) as u16;
            }
            numbers[INSTANCES] = mobility_pair(&position) as u16;
            numbers
        };
        // Made to measure: these are the largest lists of all.
        let length = parts.iter().map(|(points, _)| points.len()).sum();
        let mut design = Design {
            numbers: Vec::with_capacity(length),
            targets: Vec::with_capacity(length),
            weights: Vec::with_capacity(length),
            first,
            constant: sharing.constant(),
        };
        for (points, factor) in parts {
            design.numbers.extend(points.iter().map(numbers_of));
            design.targets.extend(points.iter().map(|point| point.target));
            design.weights.extend(points.iter().map(|point| point.weight * factor));
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
        self.scatter(|i| self.weights[i] * (self.targets[i] - predictions[i].clamp(-LIMIT, LIMIT)), out);
    }

    /// The curvature of the loss along a direction in which the predictions change by `changes`. Predictions beyond ±64
    /// discs do not count: the loss is straight there.
    pub(super) fn curvature(&self, predictions: &[f32], changes: &[f32]) -> f64 {
        let of = |i: usize| {
            let inside = predictions[i].abs() < LIMIT;
            if inside { f64::from(self.weights[i]) * f64::from(changes[i]) * f64::from(changes[i]) } else { 0.0 }
        };
        (0..self.len()).map(of).sum()
    }

    /// The error of predictions.
    pub(super) fn error(&self, predictions: &[f32]) -> SquaredError {
        let mut error = SquaredError::default();
        for ((&prediction, &target), &weight) in predictions.iter().zip(&self.targets).zip(&self.weights) {
            error.add(target - prediction.clamp(-LIMIT, LIMIT), weight);
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
    /// Adds one error.
    pub(super) fn add(&mut self, error: f32, weight: f32) {
        self.sum += f64::from(weight) * f64::from(error) * f64::from(error);
        self.weight += f64::from(weight);
    }

    /// The root of the mean; `None` of nothing.
    pub(super) fn rms(self) -> Option<f64> {
        (self.weight > 0.0).then(|| (self.sum / self.weight).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::eval::PatternLinear;
    use crate::eval::pattern::PackedWeights;
    use crate::game::DISC;
    use crate::random::Random;
    use crate::testing::random_position;

    fn points(count: u64) -> Vec<Point> {
        let point = |seed| {
            let position = random_position(seed, 5 + (seed % 50) as u32);
            let target = (seed % 40) as f32 - 20.0;
            Point { player: position.player(), opponent: position.opponent(), target, weight: 1.0 + (seed % 3) as f32 }
        };
        (0..count).map(point).collect()
    }

    fn design(points: &[Point]) -> Design {
        Design::new(&[(points, 0.5)])
    }

    #[test]
    fn the_sums_are_the_values_of_the_evaluator() {
        let mut random = Random::new(3);
        let weights: Vec<i16> = (0..Sharing::get().count()).map(|_| random.below(41) as i16 - 20).collect();
        let pattern = PatternLinear::new(PackedWeights::new(1, 32, weights.clone()).unwrap());
        let weights: Vec<f32> = weights.iter().map(|&weight| f32::from(weight) / 32.0).collect();
        let (points, mut sums) = (points(100), Vec::new());
        design(&points).sums(&weights, &mut sums);
        for (point, sum) in points.iter().zip(sums) {
            assert_eq!(pattern.evaluate(&point.position()), (sum * DISC as f32) as i32, "{}", point.position());
        }
    }

    /// The directional derivative of half the squared error against its difference quotient.
    #[test]
    fn the_gradient_is_the_one_of_the_error() {
        let points = points(200);
        let design = design(&points);
        let mut random = Random::new(5);
        let mut vector = |scale: f32| -> Vec<f32> {
            (0..Sharing::get().count()).map(|_| (random.fraction() as f32 - 0.5) * scale).collect()
        };
        let (weights, direction) = (vector(2.0), vector(1.0));
        let (mut predictions, mut changes) = (Vec::new(), Vec::new());
        design.sums(&weights, &mut predictions);
        design.sums(&direction, &mut changes);
        let mut gradient = vec![0.0; weights.len()];
        design.gradient(&predictions, &mut gradient);
        let slope: f64 = gradient.iter().zip(&direction).map(|(g, &d)| g * f64::from(d)).sum();
        let at = |step: f32| {
            let moved: Vec<f32> = predictions.iter().zip(&changes).map(|(p, c)| p + step * c).collect();
            design.error(&moved).sum / 2.0
        };
        let quotient = (at(-0.01) - at(0.01)) / 0.02;
        assert!((slope - quotient).abs() < 0.01 * slope.abs(), "{slope} {quotient}");
        let curvature = (at(0.5) - 2.0 * at(0.0) + at(-0.5)) / 0.25;
        assert!((design.curvature(&predictions, &changes) - curvature).abs() < 0.01 * curvature, "{curvature}");
    }

    #[test]
    fn predictions_beyond_the_board_count_as_the_board() {
        let mut points = points(1);
        points[0].target = 64.0;
        let design = design(&points);
        assert_eq!(design.error(&[1000.0]).rms(), Some(0.0));
        assert_eq!(design.error(&[-1000.0]).rms(), Some(128.0));
        assert_eq!(design.curvature(&[1000.0], &[1.0]), 0.0);
    }

    #[test]
    fn every_use_is_counted() {
        let points = points(60);
        let many: Vec<Point> = points.iter().cycle().take(BLOCK + 40).copied().collect();
        let design = design(&many);
        let mut counts = vec![0.0; Sharing::get().count()];
        design.counts(&mut counts);
        let total: f64 = many.iter().map(|point| f64::from(point.weight) / 2.0).sum();
        assert!((counts[Sharing::get().constant()] - total).abs() < 1e-3 * total);
        assert!((counts.iter().sum::<f64>() - total * (COLUMNS + 1) as f64).abs() < 1e-3 * total);
    }
}
