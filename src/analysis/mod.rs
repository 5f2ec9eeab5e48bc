//! Jobs over positions and games from files and pipes: answering queries, solving, checking what is said of positions.

pub mod answer;
mod answer_order;
mod book_answer;
pub mod book_growth;
pub mod book_tasks;
pub mod by_player;
mod commentary;
mod fields;
mod game_review;
mod in_order;
pub mod journal;
pub mod lines;
pub mod merge;
pub mod query;
mod queue;
pub mod review_text;
mod service;
pub mod shard_file;
mod solution;
mod solver;
mod thinker;
mod turning_point;
pub mod wanted_games;

pub use book_answer::BookAnswer;
pub use by_player::ByPlayer;
pub use commentary::{Commentary, Judgement};
pub use game_review::{HALF_ACCURACY_LOSS, MoveValue, NEGLIGIBLE, PlayerReview, Review, ReviewedTurn, Reviewer};
pub use in_order::in_order;
pub use query::{Query, QueryError};
pub use service::{PROTOCOL_VERSION, Service, ServiceSettings};
pub use solution::{Contradiction, Solution, Totals, Value};
pub use solver::{Question, Solver};
pub use thinker::{AnalysisSettings, DEFAULT_DEPTH, Thinker};
pub use turning_point::{OPEN, TurningPoint};

/// The [`shard_file::Job::command`] of answers to queries: any number of answers a line of the input.
pub const QUERIES: &str = "analyze queries";

/// The [`shard_file::Job::command`] of solutions: their sums follow them.
pub const SOLVE: &str = "solve";
