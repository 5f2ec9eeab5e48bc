//! Telling evaluators apart by what they say.

use crate::eval::{ErrorModel, Evaluator};
use crate::othello::Position;
use crate::random::Random;

/// Games whose positions are asked about.
const GAMES: u64 = 64;

/// A number that depends on the evaluator's error model and on its values on some thousands of positions of random games:
/// two evaluators, or two sets of weights, with the same fingerprint play the same games. Shown, it is eight hexadecimal
/// digits.
pub fn fingerprint(evaluator: &dyn Evaluator<Position>) -> u32 {
    if let Some(known) = evaluator.known_fingerprint() {
        return known;
    }
    let mut hasher = crc32fast::Hasher::new();
    // Searches cut by the error model.
    for coefficient in evaluator.error_model().map(ErrorModel::coefficients).unwrap_or_default() {
        hasher.update(&coefficient.to_le_bytes());
    }
    for game in 0..GAMES {
        let mut random = Random::of_pair(0, game);
        let mut position = Position::START;
        while !position.is_over() {
            hasher.update(&evaluator.evaluate(&position).to_le_bytes());
            position = random.choose(position.moves()).map_or_else(|| position.pass(), |square| position.after(square));
        }
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use std::collections::HashSet;

    #[test]
    fn evaluators_have_fingerprints_of_their_own() {
        let prints: HashSet<u32> = EvaluatorKind::ALL.iter().map(|kind| fingerprint(&*kind.build())).collect();
        assert_eq!(prints.len(), EvaluatorKind::ALL.len());
        for kind in [EvaluatorKind::default(), EvaluatorKind::PatternLinear] {
            assert!(prints.contains(&fingerprint(&*kind.build())), "{kind}");
        }
    }
}
