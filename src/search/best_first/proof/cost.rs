//! What a proof may be expected to cost, and how likely it is to succeed.

use crate::eval::ErrorModel;
use crate::game::DISC;
use crate::othello::Empties;

/// The error of a search with an evaluation that does not know its own, in discs.
const UNKNOWN_ERROR_TO_THE_END: f32 = 7.0;
/// Factor on the error model's deviation. Like [`POWER`] it says how much likely moves are preferred to cheap ones; the two together
/// were found by measuring.
const SHARPNESS: f32 = 0.8;
/// The power k in the cost c/p^k of a proof that succeeds with probability p and takes c positions.
const POWER: i32 = 2;
/// The least distance of a probability from 0 and from 1.
const DOUBT: f32 = 0.002;

/// The natural logarithm of the positions that the solver visits in a null window at the estimate, with 14 empty squares.
const LOG_AT_14: f32 = 8.0;
/// Growth of that logarithm of positions with each empty square more.
const LOG_PER_SQUARE: f32 = 0.62;
/// Decrease of that logarithm of positions with each disc between the estimate and the window.
const LOG_PER_DISC: f32 = 0.05;

/// Number of depths that errors are kept for.
const DEPTHS: usize = 16;

/// The expected costs and probabilities of proofs with one evaluator.
pub(super) struct CostModel {
    /// Slopes of the logistic curve by empty squares and depth, for each disc.
    slopes: Vec<[f32; DEPTHS]>,
}

impl CostModel {
    /// The model for an evaluator with these errors, if they are known.
    pub fn new(errors: Option<&ErrorModel>) -> CostModel {
        /// What a logistic curve's slope at 0 has in common with a normal distribution's: 4/√2π.
        const LOGISTIC: f32 = 1.6;
        let discs = |empties: Empties, depth: usize| {
            errors
                .map_or(UNKNOWN_ERROR_TO_THE_END, |errors| errors.to_the_end(empties, depth as u8) as f32 / DISC as f32)
        };
        let slopes = |empties| std::array::from_fn(|depth| LOGISTIC / (SHARPNESS * discs(empties, depth)));
        CostModel { slopes: Empties::MOST.and_fewer().map(slopes).collect() }
    }

    /// Positions that the solver visits to find out on which side of a null window a result is, if its estimate is `gap` discs from the
    /// window.
    pub fn positions(empties: Empties, gap: f32) -> f32 {
        (LOG_AT_14 + LOG_PER_SQUARE * (f32::from(empties.count()) - 14.0) - LOG_PER_DISC * gap.abs()).exp()
    }

    /// The probability that a result exceeds a bound if a search of `depth` plies has it exceeded by `gap` discs.
    pub fn probability(&self, empties: Empties, depth: u8, gap: f32) -> f32 {
        let slope = self.slopes[empties.index()][usize::from(depth).min(DEPTHS - 1)];
        (1.0 / (1.0 + (-slope * gap).exp())).clamp(DOUBT, 1.0 - DOUBT)
    }

    /// The expected costs in positions of proving that the result exceeds the bound, and of proving that it does not; the less likely the
    /// success, the higher the cost.
    pub fn of_proof_and_disproof(&self, empties: Empties, depth: u8, gap: f32, least: f32) -> (f32, f32) {
        let positions = CostModel::positions(empties, gap).max(least);
        let p = self.probability(empties, depth, gap);
        (positions / p.powi(POWER), positions / (1.0 - p).powi(POWER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWENTY: Empties = Empties::new(20).unwrap();

    #[test]
    fn likely_and_small_proofs_are_cheap() {
        let model = CostModel::new(None);
        let cost = |empties, gap| model.of_proof_and_disproof(Empties::new(empties).unwrap(), 4, gap, 0.0);
        let (proof, disproof) = cost(16, 6.0);
        assert!(proof < disproof);
        let mirrored = cost(16, -6.0);
        assert!((mirrored.1 / proof - 1.0).abs() < 1e-3 && (mirrored.0 / disproof - 1.0).abs() < 1e-3);
        assert!(cost(17, 6.0).0 > proof && cost(16, 10.0).0 < proof);
        assert!((model.probability(TWENTY, 2, 0.0) - 0.5).abs() < 1e-6);
        assert!(cost(16, -64.0).0.is_finite());
    }

    #[test]
    fn deeper_searches_are_believed_more() {
        let coefficients: Vec<f64> = [2.0, 0.0, 0.0, -0.5, 0.0, 0.0].repeat(2);
        let model = CostModel::new(ErrorModel::new(&coefficients).as_ref());
        assert!(model.probability(TWENTY, 6, 4.0) > model.probability(TWENTY, 2, 4.0));
        assert!(model.probability(TWENTY, 6, -4.0) < model.probability(TWENTY, 2, -4.0));
    }
}
