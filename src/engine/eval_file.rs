//! The option `eval-file`: weights of a pattern evaluation that are not those of the program.

use super::option::OptionError;
use crate::eval::pattern::Weights;
use crate::eval::{AnyWeights, Evaluator, EvaluatorKind};
use crate::othello::Position;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A file of weights for a pattern evaluation, and what was in it when it was set. Displayed, it is its path.
#[derive(Clone)]
pub struct EvalFile {
    path: String,
    kind: EvaluatorKind,
    evaluator: Arc<dyn Evaluator<Position>>,
}

impl EvalFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, or is no file of weights of either form.
    pub fn open(path: &str) -> Result<EvalFile, OptionError> {
        let path = path.to_owned();
        match AnyWeights::read(Path::new(&path)) {
            Ok(weights) => Ok(EvalFile { path, kind: weights.kind(), evaluator: weights.evaluator() }),
            Err(error) => Err(OptionError::File { name: "eval-file", path, problem: error.to_string() }),
        }
    }

    /// Which evaluation the weights are for.
    pub fn kind(&self) -> EvaluatorKind {
        self.kind
    }

    /// The evaluation with these weights.
    pub fn evaluator(&self) -> Arc<dyn Evaluator<Position>> {
        self.evaluator.clone()
    }
}

/// Compares the weights too: a path may lead to other weights when it is set again.
impl PartialEq for EvalFile {
    fn eq(&self, other: &EvalFile) -> bool {
        self.path == other.path && Arc::ptr_eq(&self.evaluator, &other.evaluator)
    }
}

impl fmt::Display for EvalFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}

impl fmt::Debug for EvalFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EvalFile").field(&self.path).finish()
    }
}
