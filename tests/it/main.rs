//! The integration tests: one binary, so that they link once, and one module for each subject.

mod arena;
mod best_first;
mod best_first_measures;
mod convert;
mod cookbook;
mod evaluators;
mod game_file;
mod games;
mod gtp;
mod match_command;
mod mock_engine;
mod nboard;
mod notation;
mod pattern_measures;
mod play;
mod reference;
mod rules;
mod serve;
mod show;
mod solve;
mod solver;
mod testset;
mod train_bill;
mod training;
mod transcript;
