//! How Emilia teaches itself: games against itself become [samples](Sample), the samples become weights.
//!
//! Everything here depends on its settings and seeds alone: the same command makes the same bytes, whatever the number of
//! threads and however often it was interrupted. `docs/training.md` has the commands and what they made.

mod chunk;
mod config;
mod container;
mod curve;
mod dataset;
mod design;
mod distinct_games;
mod factorization;
mod first_plies;
mod fit;
mod label;
mod move_order;
mod pack;
mod ply_range;
pub mod probcut;
mod production;
mod report;
mod sample;
mod searcher;
mod selfplay;
mod settings_error;
#[cfg(test)]
mod testing;
mod testset;

pub use chunk::{Chunk, ChunkHeader, Origin};
pub use config::{ConfigError, TrainingConfig};
pub use container::{FileError, make_folder};
pub use curve::{curve_csv, curve_svg, factor_curve_csv, factor_curve_svg};
pub use dataset::{Dataset, Point, Points, Source};
pub use distinct_games::DistinctGames;
pub use factorization::{
    FactorFitError, FactorizationSettings, FittedFactors, InitialWeights, SPANS, SpanErrors, fit_factorization,
};
pub use fit::{FitSettings, FitStep, FittedPhase, PassError, fit};
pub use label::{LabelSettings, Labeller};
pub use move_order::{LearnedOrder, MoveOrderSettings, Node as OrderNode, OrderCost, collect_nodes, learn_move_order};
pub use pack::{AnyFit, FactorHeader, FitHeader, FitOrigin, FittedFactorWeights, FittedWeights, PackSettings};
pub use ply_range::{PlyRange, PlyRangeError};
pub use production::{ChunkMaker, Production, ProductionError, ProductionProgress};
pub use report::{ErrorReport, ErrorRow, svg as error_svg, table as error_table};
pub use sample::{LabelKind, Sample, is_held_out};
pub use selfplay::{SelfPlay, SelfPlaySettings};
pub use settings_error::SettingsError;
pub use testset::{TEST_EMPTIES, TestPosition, TestSet, TestSetError};
