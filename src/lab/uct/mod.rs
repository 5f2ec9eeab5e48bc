//! Best-first minimax with UCT: the tree of Monte Carlo tree search with evaluations in place of playouts and minimax
//! values in place of means.
//!
//! An iteration goes down from the root to a leaf by the largest value + C·√(ln N / n), gives the leaf all its children
//! with their values, and overwrites the values on the way back with those of the best children. The move played is the one
//! with the largest value + ln(visits). The published note leaves some things open; here they are: values speak for the side to
//! move and are negated from one node to the next, the logarithm is natural, N counts the iterations that went through the
//! parent and n those through the child, a child without a visit gets the first-play urgency in place of the exploration
//! term and keeps its own value, and a proven result is a flag and not a large number to be tested for.
//!
//! Beside that stand the note's comparison and its three "future experiments", as settings: means instead of minimax values, win
//! or loss instead of the value, shallow alpha-beta at the leaves, softmax selection, and transpositions.

mod engine;
mod tree;

pub use engine::Uct;
pub use tree::UctTree;

use crate::engine::{Backup, LeafValue, Selection};
use crate::game::DISC;
use crate::search::{EndValues, Tie};

/// Parameters of the search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UctSettings {
    /// C, in units of the evaluation, at least 0.
    pub c: f32,
    /// First-play urgency: what a child without a visit gets in place of the exploration term, in units of the
    /// evaluation.
    pub fpu: f32,
    /// What inner nodes are worth.
    pub backup: Backup,
    /// What leaves are worth.
    pub leaf: LeafValue,
    /// Plies of alpha-beta below each leaf, 0 for the static value, at most 8.
    pub leaf_depth: u32,
    /// How a leaf is chosen.
    pub selection: Selection,
    /// Whether a position that is reached in several ways is one node.
    pub transpositions: bool,
    /// The 1 of the note's value + ln(visits), in units of the evaluation: about what decides a game.
    pub unit: i32,
    /// What finished games are worth.
    pub ends: EndValues,
    /// Seed of the softmax selection.
    pub seed: u64,
    /// The cap of the tree in bytes; the search ends there.
    pub memory: usize,
}

impl UctSettings {
    /// Unbounded best-first minimax with completion (Cohen-Solal, "Completeness of unbounded best-first minimax and descent minimax",
    /// arXiv 2603.24572): positions are nodes, the child with the best value is followed, and the move that most iterations went through
    /// is played, the better of two that are level.
    pub fn ubfm() -> UctSettings {
        // So large that values decide between moves that are level, and among thousands of visits between those that are nearly so.
        UctSettings { c: 0.0, fpu: 0.0, transpositions: true, unit: 1 << 20, ..UctSettings::default() }
    }
}

/// For Othello, with 512 MB. The note has C = 1.5 and FPU = 0.5 for values from −1 to 1 in another game.
impl Default for UctSettings {
    fn default() -> UctSettings {
        UctSettings {
            c: 2.0 * DISC as f32,
            fpu: 2.0 * DISC as f32,
            backup: Backup::Overwrite,
            leaf: LeafValue::Raw,
            leaf_depth: 0,
            selection: Selection::Uct,
            transpositions: false,
            unit: 10 * DISC,
            ends: EndValues::Infinite(Tie::Zero),
            seed: 0,
            memory: 512 << 20,
        }
    }
}
