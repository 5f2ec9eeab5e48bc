//! Best-first minimax (Korf and Chickering, AAAI-94): always expand the leaf that determines the value of the root.
//!
//! One search with two faces. [`KorfSettings::korf`] is the paper's algorithm: best-valued move, infinite values at
//! the end of the game. [`KorfSettings::modern`] adds what was found since: proofs that are carried up the tree
//! (completion), and the most visited move as the answer. [`KorfSettings::extension`] begins with alpha-beta, whose
//! tree it keeps and goes on from.
//!
//! What selection by value is no good for, proving a result, `proof` does: proof numbers and null windows.
//!
//! [`Explorer`] is the search for any game, [`KorfBestFirst`] the engine for Othello.

pub(super) mod arena;
mod budget;
mod by_chance;
mod chance;
mod engine;
mod exploration;
mod explorer;
mod extension;
mod leaf_solver;
mod memory;
mod modern;
mod proof;
mod ranking;
mod rules;
mod sharing;
pub(super) mod tree;

pub(crate) use budget::Budget;
pub use budget::mean_alpha_beta_evaluations;
pub use engine::KorfBestFirst;
pub(crate) use engine::{least_depth, line_to};
pub use explorer::{Explorer, Progress};
pub(crate) use extension::Interrupted;
pub use leaf_solver::{EndgameSolver, LeafSolver};
pub use memory::OnMemoryCap;
pub use modern::{BestFirst, BestFirstSettings};
pub use ranking::RootMove;
pub(crate) use rules::Rules;
pub use rules::{EndValues, Tie, Work};
pub(crate) use tree::{after, turns};

/// Positions with at most this many empty squares are solved instead of expanded.
pub(super) const SOLVED_EMPTIES: u32 = 8;

/// Which move is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalMove {
    /// The one with the best value, as in the paper.
    BestValue,
    /// The one that most expansions went through: a good value that few of them support has not been tested yet.
    MostVisits,
    /// The one that is likeliest to be worth more than is expected, where leaves are chosen by what that depends on.
    Likeliest,
}

/// The alpha-beta search that a best-first search begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlphaBetaStart {
    /// None.
    None,
    /// To a fixed depth in plies.
    Depth(u32),
    /// To growing depths, each as soon as it is expected to cost at most this share of the evaluations that the search
    /// may make or has made: 1/`divisor`.
    Share {
        /// The evaluations of the search for each one of alpha-beta.
        divisor: u32,
    },
}

/// Parameters of a best-first search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KorfSettings {
    /// What finished games are worth.
    pub ends: EndValues,
    /// Which move is played.
    pub final_move: FinalMove,
    /// C of the exploration term C·√(ln N / n) that is added to a child's value in the selection, N and n the visits of
    /// the parent and the child; in units of the evaluation, 0 for none. Of the order of the evaluation's error.
    pub exploration: f32,
    /// Stop when the principal leaf is so many plies below the root.
    pub depth: Option<u32>,
    /// What the tree begins with.
    pub start: AlphaBetaStart,
    /// The cap of the stored tree in bytes.
    pub memory: usize,
    /// What happens there.
    pub on_memory_cap: OnMemoryCap,
    /// Whether a position that is reached in several ways has its children only once, as far as the game can tell.
    pub shares_positions: bool,
}

impl KorfSettings {
    /// The algorithm of the paper, with 512 MB.
    pub const fn korf() -> KorfSettings {
        KorfSettings {
            ends: EndValues::Infinite(Tie::Korf),
            final_move: FinalMove::BestValue,
            exploration: 0.0,
            depth: None,
            start: AlphaBetaStart::None,
            memory: 512 << 20,
            on_memory_cap: OnMemoryCap::Rbfms,
            shares_positions: false,
        }
    }

    /// Best-first search as it is better, with 512 MB.
    ///
    /// C is two discs. Against plain alpha-beta of depth 5 at equal evaluations, with the evaluator `mobility` and 400
    /// games each, C of 0, 2 and 4 discs scored 67.4, 72.9 and 69.0 % (standard error 2.3;
    /// `EMILIA_FORM="C = " EMILIA_DEPTH=5 EMILIA_PAIRS=200 cargo test --release --test it -- --ignored --nocapture strength`).
    pub const fn modern() -> KorfSettings {
        KorfSettings {
            ends: EndValues::Outcome,
            final_move: FinalMove::MostVisits,
            exploration: 256.0,
            ..KorfSettings::korf()
        }
    }

    /// The same beginning with alpha-beta.
    pub const fn extension() -> KorfSettings {
        KorfSettings { start: AlphaBetaStart::Share { divisor: 16 }, ..KorfSettings::modern() }
    }
}
