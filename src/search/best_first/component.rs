//! The components of `best-first` that can be left out.

use strum::{Display, VariantArray};

/// A component of `best-first` that can be left out, to measure what it is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Component {
    /// In values, a proven win counts more than any estimate, and a proven loss less. Without it the chances and the choice of the move still know
    /// what is proven.
    WinsFirst,
    /// The tempo and the selection bias are added to the static values of leaves.
    Tempo,
    /// Values of positions with few moves are taken to err more than others.
    Spread,
    /// The leaf to expand is the one that the root's chance of more than a goal depends on most. Without it that is the best by value and
    /// C·√(ln N / n), and the move with the most visits is played.
    Relevance,
    /// A position that is reached in several ways has its children once.
    SharedPositions,
    /// A result is proven where the limits are all but certain to allow that.
    Proofs,
    /// The tree is kept from move to move.
    TreeReuse,
}
