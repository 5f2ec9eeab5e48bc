//! The integration tests: one binary, so that they link once, and one module for each subject.

// The fuzz targets import their macro from a crate of this name.
extern crate self as libfuzzer_sys;

mod analysis_page;
mod analyze;
mod analyze_games;
mod arena;
mod best_first;
mod best_first_tree;
mod book;
mod book_limits;
mod conversation;
mod convert;
mod convert_files;
mod cookbook;
mod counting_allocator;
mod evaluators;
mod experiment;
mod files_of_others;
mod first_steps;
mod fuzz_targets;
mod game_file;
mod games;
mod gtp;
mod match_command;
#[cfg(unix)]
mod match_interrupted;
mod mock_engine;
mod nboard;
mod nboard_status;
mod notation;
mod options;
mod play;
mod pondering;
mod published_searches;
mod random_sessions;
mod reference;
mod round_trips;
mod rules;
mod scripts;
mod serve;
mod shards;
mod show;
mod small_boards;
mod solve;
mod solver;
mod streams;
mod terminal;
mod testset;
mod train_bill;
mod training;
mod transcript;
mod ugi;
