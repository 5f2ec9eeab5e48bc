//! The option `eval-file`: weights of the pattern evaluation that are not those of the program.

use super::option::{Given, OptionError};
use crate::eval::Pattern;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A file of weights for the pattern evaluation, and what was in it when it was set. Displayed, it is its path.
#[derive(Clone, Debug)]
pub struct EvalFile {
    path: String,
    pattern: Arc<Pattern>,
}

impl EvalFile {
    pub(super) fn read(given: &Given) -> Result<EvalFile, OptionError> {
        let path = given.text.to_owned();
        match Pattern::read(Path::new(&path)) {
            Ok(pattern) => Ok(EvalFile { path, pattern: Arc::new(pattern) }),
            Err(error) => Err(OptionError::Weights { name: "eval-file", path, problem: error.to_string() }),
        }
    }

    /// The evaluation with these weights.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }
}

/// Compares the weights too: a path may lead to other weights when it is set again.
impl PartialEq for EvalFile {
    fn eq(&self, other: &EvalFile) -> bool {
        self.path == other.path && Arc::ptr_eq(&self.pattern, &other.pattern)
    }
}

impl fmt::Display for EvalFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}
