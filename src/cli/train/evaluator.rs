//! Which static evaluation a step of training works with.

use crate::engine::EngineOptions;
use crate::eval::{Evaluator, EvaluatorKind};
use crate::othello::Position;
use clap::Args;
use std::sync::Arc;

/// The engine's options of the same names.
#[derive(Args, Clone, Debug)]
pub(super) struct EvaluatorArguments {
    /// The static evaluation
    #[arg(long, value_name = "NAME", default_value_t)]
    eval: EvaluatorKind,
    /// The weights of the pattern evaluation, if not those that are part of the program
    #[arg(long, value_name = "FILE")]
    eval_file: Option<String>,
}

impl EvaluatorArguments {
    /// The evaluation; an error if it has no weights.
    pub(super) fn evaluator(&self) -> Result<Arc<dyn Evaluator<Position>>, String> {
        let mut options = EngineOptions::default();
        let file = self.eval_file.as_deref().map(|file| ("eval-file", file));
        for (name, value) in file.into_iter().chain([("eval", self.eval.name())]) {
            options.set(name, value).map_err(|error| error.to_string())?;
        }
        Ok(options.evaluator())
    }

    /// The name of the evaluation; weights are told apart by their fingerprint.
    pub(super) fn name(&self) -> &'static str {
        self.eval.name()
    }

    /// The file of weights, if one was named.
    pub(super) fn file(&self) -> Option<&str> {
        self.eval_file.as_deref()
    }
}
