//! What an experiment is given: its set-up, its ledger, and a callback for its progress.

use super::{Experiment, ExperimentError, Findings, Ledger};
use crate::engine::EngineOptions;
use crate::eval::{Evaluator, EvaluatorKind, fingerprint};
use crate::othello::Position;
use crate::whole_file::write_whole;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What can be chosen; the docs of the fields are the command line's help. What is `None` or empty is as the experiment has it, which
/// is as its paper has it where that is feasible.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Args)]
pub struct Setup {
    /// A run of seconds, to see that it works
    #[arg(long)]
    pub quick: bool,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Pairs of games, or positions, for each row
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub pairs: Option<u64>,
    /// The rows of the table: depths, branching factors or whatever they are, separated by commas; one depth where the experiment says so
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub levels: Vec<u32>,
    /// The static evaluation of Othello positions, if not the experiment's own choice
    #[arg(long, value_name = "NAME", value_parser = evaluators())]
    #[serde(serialize_with = "name_of")]
    pub eval: Option<EvaluatorKind>,
    /// Where games of Othello begin: four-ply (all 244, where errors are counted by classes), classes (one of each of their 60), random:N plies, or
    /// a file of openings
    #[arg(long, value_name = "SOURCE")]
    pub openings: Option<String>,
    /// A player, where engines are compared: engine=NAME and other words of `emilia match`; may be repeated
    #[arg(long = "player", value_name = "WORDS")]
    pub players: Vec<String>,
    /// The opponent in budget-curve and uct-othello, in the words of --player, if not alpha-beta as it is by default
    #[arg(long, value_name = "WORDS")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
}

fn evaluators() -> impl TypedValueParser<Value = EvaluatorKind> {
    PossibleValuesParser::new(EvaluatorKind::ALL.iter().map(|kind| kind.name()))
        .try_map(|name| name.parse::<EvaluatorKind>())
}

fn name_of<S: Serializer>(kind: &Option<EvaluatorKind>, serializer: S) -> Result<S::Ok, S::Error> {
    kind.map(EvaluatorKind::name).serialize(serializer)
}

impl Setup {
    /// What has to be the same for a run to be the same, as the first line of the ledger.
    pub fn identity(&self, experiment: &str) -> Value {
        let mut identity = json!(self);
        identity["experiment"] = experiment.into();
        identity["version"] = 1.into();
        identity
    }

    /// What is chosen: options that not every experiment reads, with their values.
    fn chosen(&self) -> Vec<(&'static str, String)> {
        let levels: Vec<String> = self.levels.iter().map(u32::to_string).collect();
        let all = [
            ("seed", Some(self.seed.to_string()).filter(|_| self.seed != 0)),
            ("levels", Some(levels.join(",")).filter(|levels| !levels.is_empty())),
            ("pairs", self.pairs.map(|pairs| pairs.to_string())),
            ("openings", self.openings.clone()),
            ("eval", self.eval.map(|kind| kind.name().to_owned())),
            ("player", self.players.first().cloned()),
            ("opponent", self.opponent.clone()),
        ];
        all.into_iter().filter_map(|(option, value)| Some((option, value?))).collect()
    }

    /// Makes sure that this experiment reads what is chosen.
    ///
    /// # Errors
    /// [`ExperimentError::Option`] with the first option that it does not read.
    pub fn check(&self, experiment: &Experiment) -> Result<(), ExperimentError> {
        let Experiment { name, reads, .. } = experiment;
        match self.chosen().into_iter().find(|(option, _)| !reads.contains(option)) {
            Some((option, value)) => {
                let expected = format!("none, because {name} reads only {}", reads.join(", "));
                Err(ExperimentError::option(option, value, expected))
            }
            None => Ok(()),
        }
    }
}

/// How far an experiment is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExperimentProgress {
    /// Units done.
    pub done: u64,
    /// Units known to be needed.
    pub planned: u64,
    /// How long the rest will take, by those done in this run; `None` before the first.
    pub left: Option<Duration>,
}

/// An experiment under way.
pub struct Lab<'a> {
    setup: Setup,
    ledger: Ledger,
    evaluations: BTreeMap<String, u32>,
    /// Why nothing can be played: the ledger has results with another evaluation than this program's.
    is_of_another: Option<ExperimentError>,
    interrupt: &'a AtomicBool,
    observe: &'a mut dyn FnMut(ExperimentProgress),
    planned: u64,
    done: u64,
    worked: u64,
    started: Instant,
}

impl<'a> Lab<'a> {
    /// A lab with this set-up; `observe` is told of every unit.
    pub fn new(
        setup: Setup,
        ledger: Ledger,
        interrupt: &'a AtomicBool,
        observe: &'a mut dyn FnMut(ExperimentProgress),
    ) -> Lab<'a> {
        Lab {
            setup,
            ledger,
            evaluations: BTreeMap::new(),
            is_of_another: None,
            interrupt,
            observe,
            planned: 0,
            done: 0,
            worked: 0,
            started: Instant::now(),
        }
    }

    /// The set-up.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// How many pairs or positions a row has.
    pub fn count(&self, quick: u64, full: u64) -> u64 {
        self.setup.pairs.unwrap_or(if self.setup.quick { quick } else { full })
    }

    /// The rows, which are `what` and have to be in a range.
    pub fn levels(
        &self,
        quick: &[u32],
        full: &[u32],
        what: &str,
        range: RangeInclusive<u32>,
    ) -> Result<Vec<u32>, ExperimentError> {
        let levels = match &self.setup.levels[..] {
            [] if self.setup.quick => quick,
            [] => full,
            levels => levels,
        };
        let expected = || format!("{what} from {} to {}", range.start(), range.end());
        match levels.iter().find(|level| !range.contains(level)) {
            Some(wrong) => Err(ExperimentError::option("levels", wrong, expected())),
            None => Ok(levels.to_vec()),
        }
    }

    /// The one level of an experiment without rows.
    pub fn level(&self, quick: u32, full: u32, what: &str, range: RangeInclusive<u32>) -> Result<u32, ExperimentError> {
        match &self.levels(&[quick], &[full], what, range)?[..] {
            [level] => Ok(*level),
            several => {
                let several: Vec<String> = several.iter().map(u32::to_string).collect();
                Err(ExperimentError::option("levels", several.join(","), format!("one number, the {what}")))
            }
        }
    }

    /// The evaluation of Othello positions of the set-up, and its name.
    ///
    /// # Errors
    /// Those of [`Lab::note_evaluation`].
    pub fn evaluator(
        &mut self,
        default: EvaluatorKind,
    ) -> Result<(EvaluatorKind, Arc<dyn Evaluator<Position>>), ExperimentError> {
        let kind = self.setup.eval.unwrap_or(default);
        Ok((kind, self.built(kind)?))
    }

    /// An evaluation that does not depend on the set-up.
    ///
    /// # Errors
    /// Those of [`Lab::note_evaluation`].
    pub fn built(&mut self, kind: EvaluatorKind) -> Result<Arc<dyn Evaluator<Position>>, ExperimentError> {
        let evaluator = kind.build();
        self.note_evaluation(kind.name(), &*evaluator)?;
        Ok(evaluator)
    }

    /// Notes the fingerprint of an evaluation in the ledger and for the findings. If the ledger has results with another evaluation of this name, the
    /// findings are of that one, and nothing can be played: [`Lab::unit`].
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn note_evaluation(&mut self, name: &str, evaluator: &dyn Evaluator<Position>) -> Result<(), ExperimentError> {
        if self.evaluations.contains_key(name) {
            return Ok(());
        }
        let expected = fingerprint(evaluator);
        let found = match self.note_input("evaluation", name, expected) {
            Ok(is_noted) => is_noted.then_some(expected),
            Err(ExperimentError::OtherInput(path, name, found, expected)) => {
                self.is_of_another = Some(ExperimentError::OtherInput(path, name, found, expected));
                Some(found)
            }
            Err(error) => return Err(error),
        };
        self.evaluations.extend(found.map(|found| (name.to_owned(), found)));
        Ok(())
    }

    /// Notes the fingerprint of an input. Says whether the ledger has it now: one that was begun by a program that did not note inputs of
    /// this kind yet has none, and nobody knows with which it was begun.
    fn note_input(&mut self, kind: &str, name: &str, expected: u32) -> Result<bool, ExperimentError> {
        if self.ledger.was_begun_without(&format!("{kind} ")) {
            return Ok(false);
        }
        let key = format!("{kind} {name}");
        let found = match self.ledger.get(&key) {
            Some(found) => found,
            None => self.ledger.note(&key, &expected)?,
        };
        if found != expected {
            return Err(ExperimentError::OtherInput(self.ledger.path(), name.to_owned(), found, expected));
        }
        Ok(true)
    }

    /// Notes the content of the file of openings, if there is one. A pipe can only be read once.
    ///
    /// # Errors
    /// [`ExperimentError::OtherInput`] if the ledger has results with another file of this name.
    pub fn note_openings(&mut self) -> Result<(), ExperimentError> {
        let Some(name) = self.setup.openings.clone().filter(|name| Path::new(name).is_file()) else { return Ok(()) };
        let bytes = std::fs::read(&name).map_err(|error| ExperimentError::File(name.clone(), error))?;
        self.note_input("openings", &name, crc32fast::hash(&bytes)).map(|_| ())
    }

    /// Notes the evaluation of an engine's options.
    ///
    /// # Errors
    /// Those of [`Lab::note_evaluation`].
    pub fn note_evaluation_of(&mut self, options: &EngineOptions) -> Result<(), ExperimentError> {
        let name = match &options.eval_file {
            Some(file) => format!("{} of {file}", options.eval),
            None => options.eval.name().to_owned(),
        };
        self.note_evaluation(&name, &*options.evaluator())
    }

    /// The evaluations noted, with their fingerprints.
    pub fn evaluations(&self) -> &BTreeMap<String, u32> {
        &self.evaluations
    }

    /// Adds to the units that are known to come.
    pub fn plan(&mut self, units: u64) {
        self.planned += units;
    }

    /// One unit: its result from the ledger, or from this work.
    ///
    /// # Errors
    /// [`ExperimentError::OtherInput`] if it is not in a ledger with results of another evaluation than this program's, and
    /// [`ExperimentError::Interrupted`].
    pub fn unit<T: Serialize + DeserializeOwned>(
        &mut self,
        key: &str,
        work: impl FnOnce() -> T,
    ) -> Result<T, ExperimentError> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(ExperimentError::Interrupted);
        }
        let result = match self.ledger.get(key) {
            Some(known) => known,
            None => {
                if let Some(error) = self.is_of_another.take() {
                    return Err(error);
                }
                let result = self.ledger.note(key, &work())?;
                self.worked += 1;
                result
            }
        };
        self.done += 1;
        self.planned = self.planned.max(self.done);
        let each = (self.worked > 0).then(|| self.started.elapsed().as_secs_f64() / self.worked as f64);
        let left = each.map(|each| Duration::from_secs_f64(each * (self.planned - self.done) as f64));
        (self.observe)(ExperimentProgress { done: self.done, planned: self.planned, left });
        Ok(result)
    }
}

/// Makes sure that files can be written to this folder, which is made if it does not exist.
pub fn check_folder(folder: &Path) -> Result<(), ExperimentError> {
    let failed = |error| ExperimentError::File(folder.display().to_string(), error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let probe = folder.join(format!(".probe.{}", std::process::id()));
    std::fs::write(&probe, b"").map_err(failed)?;
    std::fs::remove_file(&probe).map_err(failed)
}

/// Writes tables and pictures to a folder, each file whole or not at all; returns their paths.
pub fn write_findings(
    folder: &Path,
    name: &str,
    head: &Value,
    findings: &Findings,
) -> Result<Vec<PathBuf>, ExperimentError> {
    let numbered = |i: usize, extension: &str| match i {
        0 => format!("{name}.{extension}"),
        _ => format!("{name}-{}.{extension}", i + 1),
    };
    let json = serde_json::to_string_pretty(&findings.json(head));
    let json = json.map_err(|error| ExperimentError::Unwritable(name.to_owned(), error))?;
    let mut files = vec![(format!("{name}.txt"), findings.text()), (format!("{name}.json"), json + "\n")];
    files.extend(findings.tables.iter().enumerate().map(|(i, table)| (numbered(i, "csv"), table.csv())));
    files.extend(findings.plots.iter().enumerate().map(|(i, plot)| (numbered(i, "svg"), plot.svg())));
    files.extend(findings.files.iter().cloned());
    let mut paths = Vec::new();
    for (file, text) in files {
        let path = folder.join(file);
        let failed = |error| ExperimentError::File(path.display().to_string(), error);
        write_whole(&path, text.as_bytes()).map_err(failed)?;
        paths.push(path);
    }
    Ok(paths)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::eval::{DiscCount, WeightedSquares};

    /// A lab that nobody watches or interrupts.
    pub fn unwatched_lab(setup: Setup, ledger: Ledger) -> Lab<'static> {
        static INTERRUPT: AtomicBool = AtomicBool::new(false);
        Lab::new(setup, ledger, &INTERRUPT, Box::leak(Box::new(|_: ExperimentProgress| {})))
    }

    #[test]
    fn a_run_with_another_evaluation_shows_what_is_there_and_does_not_go_on() {
        let mut lab = unwatched_lab(Setup::default(), Ledger::in_memory());
        lab.note_evaluation("x", &DiscCount).unwrap();
        lab.note_evaluation("x", &DiscCount).unwrap();
        assert_eq!(lab.evaluations()["x"], fingerprint(&DiscCount));
        lab.unit("done", || 1).unwrap();
        let mut lab = unwatched_lab(Setup::default(), lab.ledger);
        lab.note_evaluation("x", &WeightedSquares).unwrap();
        assert_eq!(lab.evaluations()["x"], fingerprint(&DiscCount));
        assert_eq!(lab.unit("done", || 2).unwrap(), 1);
        let error = lab.unit("new", || 2).unwrap_err();
        assert!(matches!(&error, ExperimentError::OtherInput(.., found, _) if *found == fingerprint(&DiscCount)));
    }
}
