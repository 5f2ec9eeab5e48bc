//! Emilia, an Othello engine.
//!
//! Text comes in through a [`protocol`], becomes a request to the [`engine`], which thinks with a [`search`] and an
//! [evaluation](eval) about the positions of [`othello`], and comes back as events. [`notation`] reads and writes
//! positions and games; [`clock`] shares out time. The page `docs/architecture.md` shows all modules and how they depend on one another.
//!
//! ```
//! use emilia::engine::{Engine, EngineOptions, Request};
//! use emilia::notation::read_position;
//! use emilia::search::Depth;
//!
//! let game = read_position("f5d6c3d3c4").unwrap();
//! let mut engine = Engine::new(EngineOptions { depth: Depth::new(6), ..EngineOptions::default() });
//! let decision = engine.start(Request::best_move(*game.position())).wait();
//! assert!(game.position().take(decision.turn.unwrap()).is_ok());
//! ```

pub mod analysis;
#[cfg(feature = "program")]
pub mod arena;
pub mod book;
#[cfg(feature = "program")]
pub mod cli;
pub mod clock;
mod csv;
pub mod engine;
pub mod eval;
mod file_bytes;
pub mod game;
pub mod input_line;
pub mod lab;
pub mod line_log;
pub mod notation;
mod on_panic;
pub mod othello;
mod pages;
pub mod play;
pub mod protocol;
mod random;
pub mod render;
pub mod search;
pub mod shard;
#[cfg(test)]
mod testing;
pub mod training;
mod whole_file;
