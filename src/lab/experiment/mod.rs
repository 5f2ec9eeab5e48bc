//! The tables and figures of the papers, run again and carried further: `emilia experiment NAME`.
//!
//! An [`Experiment`] works in a [`Lab`], which hands it its set-up and keeps a [`Ledger`] of what is done, and comes back
//! with [`Findings`]: tables beside those of the paper, and pictures.

mod against_engine;
mod bergman;
mod bergman_figures;
mod bergman_future;
mod bergman_tables;
mod contest;
mod duel;
mod equal_evaluations;
mod findings;
mod korf_linear_space;
mod korf_othello;
mod korf_random_trees;
mod korf_tempo;
mod korf_tree_reuse;
mod lab;
mod league;
mod ledger;
pub mod origin;
mod player;
mod series;
mod small_boards;
mod stopwatch;
mod when_best_first_wins;

pub use findings::{Cell, Findings, Table};
pub use lab::{ExperimentProgress, Lab, Setup, check_folder, write_findings};
pub use ledger::Ledger;

use crate::arena::opening_source::OpeningError;
use crate::line_log::LineLogError;
use std::io;

/// Why an experiment has no result.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// There is no such experiment.
    #[error("unknown experiment '{0}'; expected one of: {known}", known = Experiment::names().join(", "))]
    Unknown(String),
    /// The file or folder of this path cannot be read or written.
    #[error("'{0}': {1}")]
    File(String, io::Error),
    /// The ledger cannot be gone on with, or not be written.
    #[error(transparent)]
    Ledger(#[from] LineLogError),
    /// The ledger of this path has results with another evaluation, or file of openings, of this name: its fingerprint, and that of this run's.
    #[error("'{0}' has results with another {1}: fingerprint {2:08x}; expected {3:08x}")]
    OtherInput(String, String, u32, u32),
    /// The page of this experiment does not say with what its figures were run: what is missing or wrong.
    #[error("the page of {0}: {1}")]
    Page(&'static str, String),
    /// A line, from 1, of the ledger of this path is not one of a ledger.
    #[error("{0}:{1}: expected [\"unit\", result]")]
    BadLine(String, usize),
    /// The result of the unit of this key cannot be written as JSON.
    #[error("{0}: {1}")]
    Unwritable(String, serde_json::Error),
    /// An option is not for this experiment, or out of its range: its name, the value, and what it takes.
    #[error("{0}: '{1}' is not valid; expected {2}")]
    Option(&'static str, String, String),
    /// Two ways to the same result disagree.
    #[error("{0}")]
    Disagreement(String),
    /// There are no openings.
    #[error(transparent)]
    Openings(#[from] OpeningError),
    /// It was interrupted.
    #[error("interrupted")]
    Interrupted,
}

impl ExperimentError {
    pub(crate) fn option(name: &'static str, value: impl ToString, expected: impl Into<String>) -> ExperimentError {
        ExperimentError::Option(name, value.to_string(), expected.into())
    }
}

/// One experiment.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it asks, in a line.
    pub about: &'static str,
    /// Seconds that the full run took on one core of the machine of `docs/performance.md`, about.
    pub seconds: u32,
    /// The options of a [`Setup`] that it reads besides `quick`.
    reads: &'static [&'static str],
    run: fn(&mut Lab<'_>) -> Result<Findings, ExperimentError>,
}

impl Experiment {
    /// Every experiment.
    pub const ALL: &[Experiment] = &[
        korf_random_trees::EXPERIMENT,
        bergman_tables::DEPTHS,
        bergman_tables::ALGORITHM_TABLE,
        bergman_tables::HEURISTIC_TABLE,
        bergman_figures::NODES,
        bergman_figures::TIMES,
        bergman_figures::HEURISTIC_COST,
        bergman_figures::DEEPENING,
        bergman_figures::SAVING,
        korf_tempo::EXPERIMENT,
        korf_linear_space::EXPERIMENT,
        korf_tree_reuse::EXPERIMENT,
        korf_othello::BEST_FIRST,
        korf_othello::EXTENSION,
        korf_othello::PARENTS,
        against_engine::UCT,
        bergman_future::MOBILITY_WEIGHT,
        bergman_future::EDGE_STABILITY,
        bergman_future::FORWARD_PRUNING,
        equal_evaluations::EXPERIMENT,
        against_engine::BUDGET_CURVE,
        league::EQUAL_TIME,
        league::EQUAL_EVALUATIONS,
        when_best_first_wins::EXPERIMENT,
        small_boards::EXPERIMENT,
    ];

    /// The names of all.
    pub fn names() -> Vec<&'static str> {
        Experiment::ALL.iter().map(|experiment| experiment.name).collect()
    }

    /// The experiment of this name.
    pub fn named(name: &str) -> Result<&'static Experiment, ExperimentError> {
        let found = Experiment::ALL.iter().find(|experiment| experiment.name == name);
        found.ok_or_else(|| ExperimentError::Unknown(name.to_owned()))
    }

    /// Does it.
    pub fn run(&self, lab: &mut Lab<'_>) -> Result<Findings, ExperimentError> {
        // Its players may be described by the names of the searches.
        super::register();
        lab.setup().check(self)?;
        lab.note_openings()?;
        let findings = (self.run)(lab)?;
        Ok(Findings { evaluations: lab.evaluations().clone(), ..findings })
    }
}
