//! Best-first minimax (Korf and Chickering, AAAI-94): always expand the leaf that determines the value of the root.
//!
//! There is one search, [`Explorer`]; one iteration goes down to a leaf, expands it and backs its value up (`core`). The engines are
//! compositions of it:
//!
//! | engine | chooses | leaves | at the memory cap | threads | begins with |
//! |---|---|---|---|---|---|
//! | `korf-best-first` | by value ([`ByValue`]) | static | pruning, or as set (the paper: RBFMS) | one | |
//! | `korf-extension` | by value | static | pruning, or as set (the paper: RBFMS) | one | alpha-beta (`start`) |
//! | `emilia` | as `best-first`, but what alpha-beta solves at the same depth is left to alpha-beta | | | | |
//! | `best-first` | by relevance (`relevance`) | static, solved near the end | pruning, or as set | a subtree each (`shards`) | |
//! | `extension` | by relevance | searched by alpha-beta in large searches | pruning, or as set | a subtree each | alpha-beta |
//!
//! `rbfms` is the linear-space form by itself. Proving a result needs other rules than playing: `proof` has proof numbers and null
//! windows.

mod budget;
mod cap;
mod checkout;
mod component;
mod core;
mod emilia;
mod engine;
mod exploration;
mod korf;
mod leaves;
mod linear;
mod policy;
mod proof;
mod ranking;
mod relevance;
mod report;
mod rules;
mod schedule;
mod searched_leaves;
mod shards;
mod size_plan;
mod start;
#[cfg(test)]
mod tests;
mod workers;

pub use self::core::{Explorer, Progress};
use crate::othello::Empties;
pub(crate) use budget::Budget;
pub use budget::mean_alpha_beta_evaluations;
pub use cap::OnMemoryCap;
pub use component::Component;
pub use emilia::Emilia;
pub use engine::{BestFirst, BestFirstSettings};
pub use korf::{KorfBestFirst, KorfSettings};
pub use leaves::EndgameSolver;
pub(super) use leaves::Leaves;
pub(crate) use leaves::StaticLeaves;
use policy::Policy;
pub use policy::{ByValue, FinalMove};
pub use ranking::RootMove;
pub(crate) use report::{least_depth, line_to, unproven_depth};
pub(crate) use rules::Rules;
pub use rules::{EndValues, Tie, Work};
pub(crate) use schedule::Schedule;
pub(crate) use searched_leaves::evaluation_error;
pub(crate) use start::Interrupted;
pub use start::{AlphaBetaStart, Start};

/// Number of empty squares up to which positions are solved instead of expanded in linear space.
pub(super) const SOLVED_EMPTIES: Empties = Empties::new(8).unwrap();
