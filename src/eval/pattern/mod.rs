//! Patterns, and the linear evaluation over them: a sum of learned weights, one for what stands on each of 64 overlapping
//! sets of squares, and one for how many squares each side can play.
//!
//! The model is Buro's (*From Simple Features to Sophisticated Evaluation Functions*, 1998), with the set of patterns
//! that later programs settled on: [`FAMILIES`]. Weights differ by phase of the game. A search keeps the [`State`] of
//! its position up to date and asks for its value; [`Evaluator::evaluate`](super::Evaluator::evaluate) makes the state
//! anew each time.

mod file;
mod form;
pub(super) mod frame;
mod geometry;
mod indexes;
mod weights;
pub(super) mod windows;

pub use file::{MOST_PHASES, PackedWeights, VERSION, phase_of};
pub use form::{Form, OverPatterns, Weights};
pub use frame::WeightsError;
pub(super) use frame::version_of;
pub use geometry::{ALL_INSTANCES, FAMILIES, Family, INSTANCES, Instance, MOBILITIES, Sharing, mobility_pair};
pub use indexes::State;

use std::sync::{Arc, OnceLock};
pub use weights::Tables;

/// The weights that are part of the program.
static EMBEDDED: &[u8] = include_bytes!("../../../assets/pattern.weights");

/// The linear evaluation over the patterns.
pub type PatternLinear = OverPatterns<Tables>;

impl PatternLinear {
    /// The evaluation with the weights that are part of the program. They are unpacked when first asked for.
    pub fn embedded() -> &'static Arc<PatternLinear> {
        static PATTERN: OnceLock<Arc<PatternLinear>> = OnceLock::new();
        PATTERN.get_or_init(|| Arc::new(PatternLinear::new(PatternLinear::embedded_weights())))
    }

    /// The weights that are part of the program, unpacked anew.
    pub fn embedded_weights() -> PackedWeights {
        PackedWeights::from_bytes(EMBEDDED).expect("a test reads the embedded weights")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluator, STATIC_LIMIT};
    use crate::game::DISC;
    use crate::othello::{Position, Symmetry};
    use crate::random::Random;
    use crate::testing::random_position;

    /// Weights that are all different enough, up to two discs.
    fn random_weights(phases: usize) -> Vec<i16> {
        let mut random = Random::new(7);
        (0..phases * Sharing::get().count()).map(|_| random.below(127) as i16 - 63).collect()
    }

    fn pattern(phases: usize, weights: Vec<i16>) -> PatternLinear {
        PatternLinear::new(PackedWeights::new(phases, 32, weights).unwrap())
    }

    #[test]
    fn the_embedded_weights_can_be_read() {
        let weights = PackedWeights::from_bytes(EMBEDDED).unwrap();
        assert!((0..weights.phases()).any(|phase| weights.phase(phase).iter().any(|&weight| weight != 0)));
        assert!(EMBEDDED.len() <= 8 << 20);
    }

    #[test]
    fn positions_that_play_alike_have_one_value() {
        let pattern = pattern(30, random_weights(30));
        for seed in 0..60 {
            let position = random_position(seed, seed as u32);
            let value = pattern.evaluate(&position);
            for symmetry in Symmetry::ALL {
                assert_eq!(pattern.evaluate(&symmetry.position(&position)), value, "{position} {symmetry:?}");
            }
            assert_eq!(pattern.evaluate(&position.swap_colors()), value, "{position}");
        }
    }

    #[test]
    fn the_value_is_the_sum_of_the_packed_weights_of_the_phase() {
        let weights = random_weights(30);
        let pattern = pattern(30, weights.clone());
        let sharing = Sharing::get();
        let mut beyond = 0;
        for seed in 0..120 {
            let empties = seed as u32 % 61;
            let position = random_position(seed, empties);
            let phase = ((60 - position.empties().count() as usize) / 2).min(29);
            let weights = &weights[phase * sharing.count()..][..sharing.count()];
            let sum: i32 = State::of(&position).numbers().map(|number| i32::from(weights[number as usize])).sum();
            let mobility = i32::from(weights[sharing.mobility().start + mobility_pair(&position)]);
            let sum = (sum + mobility + i32::from(weights[sharing.constant()])) * DISC / 32;
            beyond += i32::from(sum.abs() > STATIC_LIMIT);
            assert_eq!(pattern.evaluate(&position), sum.clamp(-STATIC_LIMIT, STATIC_LIMIT), "{position}");
        }
        assert!(beyond < 60, "most values are within the limits: {beyond}");
    }

    #[test]
    fn one_weight_counts_where_its_configuration_stands() {
        // A disc for a constant of the phase, and three for a diagonal of six full of own discs.
        let sharing = Sharing::get();
        let diagonal = FAMILIES.iter().position(|family| family.name == "diagonal 6").unwrap();
        let full = *sharing.of_family(diagonal).last().unwrap() as usize;
        let mut weights = vec![0; sharing.count()];
        weights[full] = 3 * 32;
        weights[sharing.constant()] = 32;
        let pattern = pattern(1, weights);
        assert_eq!(pattern.evaluate(&Position::START), DISC);
        let board = "--X----- ---X---- ----X--- ---OOX-- ---OO-X- -------X -------- -------- X";
        let position = *crate::notation::read_position(board).unwrap().position();
        assert_eq!(pattern.evaluate(&position), DISC + 3 * DISC);
        assert_eq!(pattern.evaluate(&position.pass()), DISC);
    }
}
