//! What a client may set, by the same names on the command line (`--hash 64`), over GTP (`emilia-set hash 64`) and over
//! NBoard (`set emilia.hash 64`).

use super::PublishedOptions;
use crate::eval::{Evaluator, EvaluatorKind, Pattern, Random};
use crate::othello::Position;
use crate::search::{Depth, OnMemoryCap, Score, Selectivity};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thiserror::Error;

/// The searches by the names of `--engine`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineKind {
    /// Iterative-deepening alpha-beta with a transposition table.
    #[default]
    AlphaBeta,
    /// Plain full-width minimax, as the textbooks have it: for comparisons.
    Minimax,
    /// Best-first minimax with a stored tree, completion and the most visited move as the answer.
    BestFirst,
    /// The same, begun with alpha-beta.
    Extension,
    /// Best-first minimax in linear space.
    Rbfms,
    /// Best-first minimax as Korf and Chickering published it.
    KorfBestFirst,
    /// Their best-first extension: alpha-beta to one depth, then best-first to another.
    KorfExtension,
    /// The alpha-beta that they compared both with: full width, fixed depth, the tree kept between moves.
    KorfAlphaBeta,
    /// Best-first minimax with the selection of Monte Carlo tree search.
    Uct,
}

impl EngineKind {
    /// Every search.
    pub const ALL: &[EngineKind] = &[
        EngineKind::AlphaBeta,
        EngineKind::Minimax,
        EngineKind::BestFirst,
        EngineKind::Extension,
        EngineKind::Rbfms,
        EngineKind::KorfBestFirst,
        EngineKind::KorfExtension,
        EngineKind::KorfAlphaBeta,
        EngineKind::Uct,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            EngineKind::AlphaBeta => "alpha-beta",
            EngineKind::Minimax => "minimax",
            EngineKind::BestFirst => "best-first",
            EngineKind::Extension => "extension",
            EngineKind::Rbfms => "rbfms",
            EngineKind::KorfBestFirst => "korf-best-first",
            EngineKind::KorfExtension => "korf-extension",
            EngineKind::KorfAlphaBeta => "korf-alpha-beta",
            EngineKind::Uct => "uct",
        }
    }
}

impl fmt::Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EngineKind {
    type Err = OptionError;

    fn from_str(name: &str) -> Result<EngineKind, OptionError> {
        let named = EngineKind::ALL.iter().copied().find(|kind| kind.name() == name);
        named.ok_or_else(|| OptionError::bad("engine", name, one_of(EngineKind::ALL)))
    }
}

impl FromStr for OnMemoryCap {
    type Err = OptionError;

    fn from_str(name: &str) -> Result<OnMemoryCap, OptionError> {
        let named = OnMemoryCap::ALL.iter().copied().find(|way| way.to_string() == name);
        named.ok_or_else(|| OptionError::bad("on-memory-cap", name, one_of(OnMemoryCap::ALL)))
    }
}

pub(super) fn one_of<T: fmt::Display>(values: &[T]) -> String {
    let names: Vec<String> = values.iter().map(T::to_string).collect();
    format!("one of: {}", names.join(", "))
}

/// Why an option was refused. The message names the option and what it takes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// There is no such option.
    #[error("unknown option '{name}'; expected one of: {known}", known = EngineOptions::NAMES.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The option does not take this value.
    #[error("{name}: '{value}' is not valid; expected {expected}")]
    Invalid {
        /// The option.
        name: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
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
    /// The pattern evaluation is asked for, and there are no weights for it.
    #[error("{name}: no trained weights in this build; give --eval-file (the option eval-file) first")]
    NoWeights {
        /// The option.
        name: &'static str,
    },
    /// The memory is not to be had.
    #[error("{name}: {megabytes} MB of memory could not be had on this machine")]
    NoMemory {
        /// The option.
        name: &'static str,
        /// What was asked for.
        megabytes: u32,
    },
}

impl OptionError {
    pub(super) fn bad(name: &'static str, value: &str, expected: impl Into<String>) -> OptionError {
        OptionError::Invalid { name, value: value.to_owned(), expected: expected.into() }
    }
}

/// A file of weights for the pattern evaluation, and what was in it when it was set.
#[derive(Clone, Debug)]
pub struct EvalFile {
    path: String,
    pattern: Arc<Pattern>,
}

impl EvalFile {
    fn read(path: &str) -> Result<EvalFile, OptionError> {
        match Pattern::read(Path::new(path)) {
            Ok(pattern) => Ok(EvalFile { path: path.to_owned(), pattern: Arc::new(pattern) }),
            Err(error) => {
                Err(OptionError::Weights { name: "eval-file", path: path.to_owned(), problem: error.to_string() })
            }
        }
    }

    /// The evaluation with these weights.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }
}

/// The same path may lead to other weights when it is set again.
impl PartialEq for EvalFile {
    fn eq(&self, other: &EvalFile) -> bool {
        self.path == other.path && Arc::ptr_eq(&self.pattern, &other.pattern)
    }
}

/// Everything that a client may set. The defaults suit a GUI that starts several copies.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineOptions {
    /// Which search.
    pub engine: EngineKind,
    /// The weights of the pattern evaluation, if not those that are part of the program.
    pub eval_file: Option<EvalFile>,
    /// Which static evaluation.
    pub eval: EvaluatorKind,
    /// Search threads of alpha-beta, best-first and extension; the other searches use one.
    pub threads: u32,
    /// How sure alpha-beta's cuts on the word of a shallower search are.
    pub selectivity: Selectivity,
    /// Size of the transposition table, in MB (2^20 bytes); taken as it fills.
    pub hash_mb: u32,
    /// Cap of the stored tree, in MB; taken as it fills.
    pub memory_mb: u32,
    /// What to do at that cap.
    pub on_memory_cap: OnMemoryCap,
    /// Bound on the depth in plies, if any.
    pub depth: Option<Depth>,
    /// Time per move, if fixed.
    pub time: Option<Duration>,
    /// Bound on the positions visited per move, if any.
    pub nodes: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
    /// In the first twelve plies, play any move within this much of the best.
    pub variety: Score,
    /// Of the searches as they were published.
    pub published: PublishedOptions,
}

/// The threads that the machine runs at a time. Asked once: on Linux the answer is read from several files.
fn cores() -> u32 {
    static CORES: OnceLock<u32> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_THREADS as usize) as u32))
}

/// More threads than this are refused.
const MOST_THREADS: u64 = 1024;

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            engine: EngineKind::default(),
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
    /// The names that [`EngineOptions::set`] takes.
    pub const NAMES: &[&str] = &[
        "engine",
        "eval-file",
        "eval",
        "threads",
        "selectivity",
        "hash",
        "memory",
        "on-memory-cap",
        "depth",
        "time",
        "nodes",
        "seed",
        "variety",
        "tie",
        "start-depth",
        "best-first-depth",
        "c",
        "fpu",
        "backup",
        "leaf",
        "leaf-depth",
        "selection",
        "transpositions",
    ];

    /// Sets one option from text; nothing changes if the text is refused.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        match name {
            "engine" => self.engine = value.parse()?,
            "eval-file" => {
                let eval_file = unless_none(value, EvalFile::read)?;
                check_weights("eval-file", self.eval, eval_file.as_ref())?;
                self.eval_file = eval_file;
            }
            "eval" => {
                let eval = value.parse().map_err(|_| OptionError::bad("eval", value, one_of(&EvaluatorKind::ALL)))?;
                check_weights("eval", eval, self.eval_file.as_ref())?;
                self.eval = eval;
            }
            "threads" => self.threads = whole("threads", value, 1, MOST_THREADS)? as u32,
            "selectivity" => self.selectivity = parse_selectivity(value)?,
            "hash" => self.hash_mb = whole("hash", value, 1, 1 << 20)? as u32,
            "memory" => self.memory_mb = whole("memory", value, 1, 1 << 20)? as u32,
            "on-memory-cap" => self.on_memory_cap = value.parse()?,
            "depth" => self.depth = unless_none(value, parse_depth)?,
            "time" => self.time = unless_none(value, parse_seconds)?,
            "nodes" => self.nodes = unless_none(value, |v| whole("nodes", v, 1, u64::MAX))?,
            "seed" => self.seed = whole("seed", value, 0, u64::MAX)?,
            "variety" => self.variety = parse_variety(value)?,
            _ => match self.published.set(name, value) {
                Some(result) => result?,
                None => return Err(OptionError::Unknown { name: name.to_owned() }),
            },
        }
        Ok(())
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

    /// Whether any option bounds how long a search may go on.
    pub fn is_bounded(&self) -> bool {
        self.depth.is_some() || self.time.is_some() || self.nodes.is_some()
    }

    /// The value of one option as text that [`EngineOptions::set`] takes.
    pub fn get(&self, name: &str) -> Result<String, OptionError> {
        fn or_none<T: fmt::Display>(value: Option<T>) -> String {
            value.map_or_else(|| "none".to_owned(), |v| v.to_string())
        }
        Ok(match name {
            "engine" => self.engine.to_string(),
            "eval-file" => or_none(self.eval_file.as_ref().map(|file| &file.path)),
            "eval" => self.eval.to_string(),
            "threads" => self.threads.to_string(),
            "selectivity" => self.selectivity.to_string(),
            "hash" => self.hash_mb.to_string(),
            "memory" => self.memory_mb.to_string(),
            "on-memory-cap" => self.on_memory_cap.to_string(),
            "depth" => or_none(self.depth),
            "time" => or_none(self.time.map(|time| time.as_secs_f64())),
            "nodes" => or_none(self.nodes),
            "seed" => self.seed.to_string(),
            "variety" => self.variety.discs().to_string(),
            _ => self.published.get(name).ok_or_else(|| OptionError::Unknown { name: name.to_owned() })?,
        })
    }
}

/// Whether there are weights for the evaluation that is asked for.
fn check_weights(name: &'static str, eval: EvaluatorKind, file: Option<&EvalFile>) -> Result<(), OptionError> {
    let missing = eval == EvaluatorKind::Pattern && file.is_none() && !Pattern::embedded().is_trained();
    if missing { Err(OptionError::NoWeights { name }) } else { Ok(()) }
}

/// `none` takes a bound or a file away.
pub(super) fn unless_none<T>(
    value: &str,
    parse: impl Fn(&str) -> Result<T, OptionError>,
) -> Result<Option<T>, OptionError> {
    if value == "none" { Ok(None) } else { parse(value).map(Some) }
}

pub(super) fn whole(name: &'static str, value: &str, least: u64, most: u64) -> Result<u64, OptionError> {
    let number = value.parse::<u64>().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| {
        let expected = match (least, most) {
            (_, u64::MAX) => format!("a whole number of at least {least}"),
            _ => format!("a whole number from {least} to {most}"),
        };
        OptionError::bad(name, value, expected)
    })
}

/// Seconds per move, 0.001 to 1,000,000, as `--time` takes them.
pub fn parse_seconds(value: &str) -> Result<Duration, OptionError> {
    let seconds = value.parse::<f64>().ok().filter(|s| (0.001..=1e6).contains(s));
    let seconds = seconds.ok_or_else(|| OptionError::bad("time", value, "seconds from 0.001 to 1000000"))?;
    Ok(Duration::from_secs_f64(seconds))
}

fn parse_depth(value: &str) -> Result<Depth, OptionError> {
    value.parse().map_err(|_| OptionError::bad("depth", value, "a whole number from 1 to 60"))
}

fn parse_selectivity(value: &str) -> Result<Selectivity, OptionError> {
    let known: Vec<Selectivity> = Selectivity::all().collect();
    value.parse().map_err(|_| OptionError::bad("selectivity", value, one_of(&known)))
}

/// Discs, 0 to 64, as `--variety` takes them.
pub fn parse_variety(value: &str) -> Result<Score, OptionError> {
    let discs = value.parse::<f64>().ok().filter(|d| (0.0..=64.0).contains(d));
    let discs = discs.ok_or_else(|| OptionError::bad("variety", value, "discs from 0 to 64"))?;
    Ok(Score::from_units((discs * f64::from(crate::game::DISC)).round() as i32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pattern::{PackedWeights, Sharing};

    #[test]
    fn every_option_can_be_read_and_set_back() {
        let mut options = EngineOptions::default();
        for name in EngineOptions::NAMES {
            let value = options.get(name).unwrap();
            options.set(name, &value).unwrap();
        }
        assert_eq!(options, EngineOptions::default());
    }

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
