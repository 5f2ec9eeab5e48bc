//! The laboratory: searches as they were published, the experiments of the papers, and what only these need.
//!
//! It stands on the engine and the tools. Of the rest of the library nothing but the command line knows it.

mod baum_smith;
pub mod bill;
pub mod breakthrough;
mod conspiracy;
#[cfg(feature = "program")]
pub mod experiment;
mod grown_tree;
mod korf_alpha_beta;
mod ordered_minimax;
pub mod random_tree;
mod searches;
pub mod small_board;
mod uct;

pub use baum_smith::BaumSmith;
pub use conspiracy::Conspiracy;
pub use korf_alpha_beta::KorfAlphaBeta;
pub use searches::{
    BAUM_SMITH, CONSPIRACY, KORF_ALPHA_BETA, KORF_BEST_FIRST, KORF_EXTENSION, MTDF, UBFM, UCT, register,
};
pub use uct::{Uct, UctSettings, UctTree};
