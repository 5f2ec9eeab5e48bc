//! The integration tests: one binary, so that they link once, and one module for each subject.

mod analysis_page;
mod analyze;
mod analyze_games;
mod arena;
mod best_first;
mod best_first_measures;
mod evaluators;
mod games;
mod gtp;
mod match_command;
mod mock_engine;
mod nboard;
mod notation;
mod pattern_measures;
mod reference;
mod rules;
mod serve;
mod shards;
mod solve;
mod solver;
mod testset;
mod train_bill;
mod training;
mod transcript;
