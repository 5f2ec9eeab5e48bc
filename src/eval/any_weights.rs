//! Weights of either pattern evaluation: their file says of which one.

use super::factorization::{FactorWeights, VERSION as FACTOR_VERSION};
use super::pattern::{PackedWeights, VERSION as LINEAR_VERSION, Weights, WeightsError, version_of};
use super::{ErrorModel, Evaluator, EvaluatorKind, Pattern, PatternLinear};
use crate::othello::Position;
use std::sync::Arc;

/// Weights of one of the two forms.
pub enum AnyWeights {
    /// Those of [`PatternLinear`].
    Linear(PackedWeights),
    /// Those of [`Pattern`].
    Factors(FactorWeights),
}

impl AnyWeights {
    /// The evaluation that they are for.
    pub fn kind(&self) -> EvaluatorKind {
        match self {
            AnyWeights::Linear(_) => EvaluatorKind::PatternLinear,
            AnyWeights::Factors(_) => EvaluatorKind::Pattern,
        }
    }

    /// The evaluation with these weights.
    pub fn evaluator(self) -> Arc<dyn Evaluator<Position>> {
        match self {
            AnyWeights::Linear(weights) => Arc::new(PatternLinear::new(weights)),
            AnyWeights::Factors(weights) => Arc::new(Pattern::new(weights)),
        }
    }

    /// These weights with another error model.
    pub fn with_error_model(self, error_model: ErrorModel) -> AnyWeights {
        match self {
            AnyWeights::Linear(weights) => AnyWeights::Linear(weights.with_error_model(error_model)),
            AnyWeights::Factors(weights) => AnyWeights::Factors(weights.with_error_model(error_model)),
        }
    }
}

impl Weights for AnyWeights {
    fn error_model(&self) -> Option<&ErrorModel> {
        match self {
            AnyWeights::Linear(weights) => weights.error_model(),
            AnyWeights::Factors(weights) => weights.error_model(),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        match self {
            AnyWeights::Linear(weights) => weights.to_bytes(),
            AnyWeights::Factors(weights) => weights.to_bytes(),
        }
    }

    fn from_bytes(bytes: &[u8]) -> Result<AnyWeights, WeightsError> {
        match version_of(bytes)? {
            LINEAR_VERSION => PackedWeights::from_bytes(bytes).map(AnyWeights::Linear),
            FACTOR_VERSION => FactorWeights::from_bytes(bytes).map(AnyWeights::Factors),
            found => Err(WeightsError::Version { found, expected: format!("{LINEAR_VERSION} or {FACTOR_VERSION}") }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::factorization::{RANK, rows};
    use crate::eval::pattern::Sharing;
    use crate::eval::pattern::frame::MAGIC;

    #[test]
    fn a_file_keeps_its_form_and_gets_a_model() {
        let linear = PackedWeights::new(1, 32, vec![3; Sharing::get().count()]).unwrap();
        let factors = FactorWeights::new(32, 128, vec![3; 2 * rows()], vec![1; RANK * rows()]).unwrap();
        let model = ErrorModel::new(&[0.5; ErrorModel::COEFFICIENTS]).unwrap();
        for bytes in [linear.to_bytes(), factors.to_bytes()] {
            let read = |bytes: &[u8]| AnyWeights::from_bytes(bytes).unwrap();
            let with_model = read(&bytes).with_error_model(model.clone()).to_bytes();
            assert_eq!(version_of(&with_model).unwrap(), version_of(&bytes).unwrap());
            let (before, after) = (read(&bytes).evaluator(), read(&with_model).evaluator());
            assert_eq!(after.evaluate(&Position::START), before.evaluate(&Position::START));
            assert_eq!((before.error_model(), after.error_model()), (None, Some(&model)));
        }
        let mut later = linear.to_bytes();
        later[MAGIC.len()] = 9;
        let error = AnyWeights::from_bytes(&later).err().unwrap().to_string();
        assert!(error.contains("version 9") && error.contains("expected version 4 or 5"), "{error}");
    }
}
