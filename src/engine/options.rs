//! What a client may set, by the same names on the command line (`--hash 64`), over GTP (`emilia-set hash 64`) and over
//! NBoard (`set emilia.hash 64`).

use super::option_table::texts;
use super::searches::{ALPHA_BETA, SearchEntry};
use super::{EngineOption, PublishedOptions};
use crate::eval::{Evaluator, EvaluatorKind, Pattern, Random};
use crate::othello::Position;
use crate::search::{Depth, OnMemoryCap, Score, Selectivity};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thiserror::Error;

/// Why an option was refused. The message names the option and what it takes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is no option of this name.
    #[error("unknown option '{0}'; expected one of: {known}", known = known_names())]
    Unknown(String),
    /// The option does not take this value.
    #[error("{name}: '{value}' is not valid; expected {expected}")]
    Invalid {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// The values that the option takes.
        expected: String,
    },
    /// The file of weights cannot be used.
    #[error("{name}: '{path}' is refused: {problem}")]
    Weights {
        /// The option.
        name: &'static str,
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An option asks for the pattern evaluation, and there are no weights for it.
    #[error("{0}: no trained weights in this build; give --eval-file (the option eval-file) first")]
    NoWeights(&'static str),
    /// The system does not have the memory.
    #[error("{name}: {megabytes} MB of memory could not be had on this machine")]
    NoMemory {
        /// The option.
        name: &'static str,
        /// What was asked for.
        megabytes: u32,
    },
}

fn known_names() -> String {
    texts(EngineOption::all().map(|option| option.name)).join(", ")
}

/// A file of weights for the pattern evaluation, and what was in it when it was set.
#[derive(Clone, Debug)]
pub struct EvalFile {
    path: String,
    pattern: Arc<Pattern>,
}

impl EvalFile {
    pub(super) fn read(path: &str) -> Result<EvalFile, OptionError> {
        match Pattern::read(Path::new(path)) {
            Ok(pattern) => Ok(EvalFile { path: path.to_owned(), pattern: Arc::new(pattern) }),
            Err(error) => {
                Err(OptionError::Weights { name: "eval-file", path: path.to_owned(), problem: error.to_string() })
            }
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
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

/// Everything that a client may set. The defaults suit a GUI that starts several copies.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// The search.
    pub engine: &'static SearchEntry,
    /// The weights of the pattern evaluation, if not those that are part of the program.
    pub eval_file: Option<EvalFile>,
    /// The static evaluation.
    pub eval: EvaluatorKind,
    /// Search threads of emilia, alpha-beta, best-first and extension; the other searches use one.
    pub threads: u32,
    /// The selectivity of alpha-beta: how sure its cuts by shallower searches are.
    pub selectivity: Selectivity,
    /// Size of the transposition table, in MB (2^20 bytes); taken as it fills.
    pub hash_mb: u32,
    /// Cap of the stored tree, in MB; taken as it fills.
    pub memory_mb: u32,
    /// What to do at the memory cap.
    pub on_memory_cap: OnMemoryCap,
    /// Bound on the depth in plies, if any.
    pub depth: Option<Depth>,
    /// Time per move, if fixed.
    pub time: Option<Duration>,
    /// Bound on the positions visited per move, if any.
    pub nodes: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
    /// How far below the best a move may be to be played in the first twelve plies.
    pub variety: Score,
    /// Options of the searches as they were published.
    pub published: PublishedOptions,
}

/// The threads that the machine runs at a time. Asked once: on Linux the answer is read from several files.
fn cores() -> u32 {
    static CORES: OnceLock<u32> = OnceLock::new();
    *CORES.get_or_init(|| {
        std::thread::available_parallelism().map_or(1, |n| n.get().min(EngineOptions::MOST_THREADS as usize) as u32)
    })
}

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            engine: &ALPHA_BETA,
            eval_file: None,
            eval: EvaluatorKind::default(),
            threads: cores(),
            selectivity: Selectivity::BOLDEST,
            hash_mb: 64,
            memory_mb: 512,
            on_memory_cap: OnMemoryCap::default(),
            depth: None,
            time: None,
            nodes: None,
            seed: 0,
            variety: Score::ZERO,
            published: PublishedOptions::default(),
        }
    }
}

impl EngineOptions {
    /// The most threads that are accepted.
    pub(super) const MOST_THREADS: u32 = 1024;

    /// Sets one option from text.
    ///
    /// # Errors
    /// If there is no such option, or it does not take the value; nothing changes then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        EngineOption::find(name)?.set(self, value)
    }

    /// The value of one option as text that [`EngineOptions::set`] takes.
    ///
    /// # Errors
    /// If there is no such option.
    pub fn get(&self, name: &str) -> Result<String, OptionError> {
        Ok(EngineOption::find(name)?.show(self))
    }

    /// The warning for a client that has set an option that the search does not read.
    pub fn warning(&self, name: &str) -> Option<String> {
        EngineOption::find(name).ok()?.warning(self.engine)
    }

    /// The static evaluation that the options ask for.
    pub fn evaluator(&self) -> Arc<dyn Evaluator<Position>> {
        match (self.eval, &self.eval_file) {
            (EvaluatorKind::Pattern, Some(file)) => file.pattern.clone(),
            (EvaluatorKind::Random, _) => Arc::new(Random::new(self.seed)),
            (kind, _) => kind.build(),
        }
    }

    /// Whether these options ask for the same static evaluation.
    pub fn evaluates_like(&self, other: &EngineOptions) -> bool {
        let same_data = match self.eval {
            EvaluatorKind::Pattern => self.eval_file == other.eval_file,
            EvaluatorKind::Random => self.seed == other.seed,
            _ => true,
        };
        self.eval == other.eval && same_data
    }

    /// The size of the transposition table in bytes.
    pub(crate) fn hash_bytes(&self) -> usize {
        megabytes(self.hash_mb)
    }

    /// The cap of the stored tree in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        megabytes(self.memory_mb)
    }

    /// Whether any option bounds how long a search may go on.
    pub fn is_bounded(&self) -> bool {
        self.depth.is_some() || self.time.is_some() || self.nodes.is_some()
    }
}

/// Bytes of a number of megabytes.
pub(super) fn megabytes(n: u32) -> usize {
    (n as usize) << 20
}

/// Whether there are weights for the evaluation that is asked for.
pub(super) fn check_weights(
    name: &'static str,
    eval: EvaluatorKind,
    file: Option<&EvalFile>,
) -> Result<(), OptionError> {
    let missing = eval == EvaluatorKind::Pattern && file.is_none() && !Pattern::embedded().is_trained();
    if missing { Err(OptionError::NoWeights(name)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pattern::{PackedWeights, Sharing};

    #[test]
    fn a_file_of_weights_is_read_when_it_is_set() {
        let mut options = EngineOptions::default();
        let trained = options.set("eval", "pattern");
        assert_eq!(trained.is_ok(), Pattern::embedded().is_trained(), "{trained:?}");
        if let Err(error) = trained {
            assert!(error.to_string().contains("no trained weights in this build; give --eval-file"), "{error}");
        }

        let mut options = EngineOptions::default();
        let length = Sharing::get().len();
        let path = std::env::temp_dir().join(format!("emilia-options-{}.weights", std::process::id()));
        let file = path.to_str().unwrap();
        PackedWeights::new(1, 32, vec![8; length], Vec::new()).unwrap().write(&path).unwrap();
        options.set("eval-file", file).unwrap();
        options.set("eval", "pattern").unwrap();
        assert_eq!(options.get("eval-file").unwrap(), file);
        // A quarter of a disc for each of 64 patterns, for the mobilities and for the constant.
        assert_eq!(options.evaluator().evaluate(&Position::START), 66 * crate::game::DISC / 4);

        let before = options.clone();
        assert!(before.evaluates_like(&options));
        std::fs::write(&path, "weights").unwrap();
        let error = options.set("eval-file", file).unwrap_err().to_string();
        assert!(error.starts_with("eval-file") && error.contains(file) && error.contains("magic"), "{error}");
        assert_eq!(options, before);
        PackedWeights::new(1, 32, vec![1; length], Vec::new()).unwrap().write(&path).unwrap();
        options.set("eval-file", file).unwrap();
        assert!(!options.evaluates_like(&before), "other weights under the old name");
        std::fs::remove_file(&path).unwrap();
        let error = options.set("eval-file", file).unwrap_err().to_string();
        assert!(error.starts_with("eval-file"), "{error}");
    }

    #[test]
    fn the_seed_is_part_of_the_random_evaluation_alone() {
        let seeded = |eval, seed| EngineOptions { eval, seed, ..EngineOptions::default() };
        let value = |options: &EngineOptions| options.evaluator().evaluate(&Position::START);
        for (eval, differs) in [(EvaluatorKind::Random, true), (EvaluatorKind::Mobility, false)] {
            let (one, other) = (seeded(eval, 1), seeded(eval, 2));
            assert_eq!(one.evaluates_like(&other), !differs);
            assert_eq!(value(&one) != value(&other), differs);
        }
    }

    #[test]
    fn refusals_name_the_option_and_the_range() {
        let mut options = EngineOptions::default();
        for (name, value) in [
            ("engine", "deep-blue"),
            ("eval", ""),
            ("hash", "0"),
            ("hash", "-1"),
            ("memory", "99999999999999999999"),
            ("on-memory-cap", "explode"),
            ("depth", "61"),
            ("time", "NaN"),
            ("time", "-1"),
            ("variety", "65"),
            ("threads", "0"),
            ("selectivity", "74"),
            ("tie", "half"),
            ("start-depth", "0"),
            ("best-first-depth", "121"),
            ("c", "-1"),
            ("c", "inf"),
            ("fpu", "1001"),
            ("backup", "sum"),
            ("leaf", ""),
            ("leaf-depth", "9"),
            ("selection", "random"),
            ("transpositions", "yes"),
        ] {
            let error = options.set(name, value).unwrap_err().to_string();
            assert!(error.starts_with(name) && error.contains("expected"), "{error}");
        }
        assert!(options.set("colour", "red").unwrap_err().to_string().contains("variety"));
        assert_eq!(options, EngineOptions::default());
    }
}
