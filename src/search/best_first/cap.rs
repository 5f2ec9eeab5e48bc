//! What happens at the memory cap.

use strum::{Display, VariantArray};

/// What to do when the stored tree has filled its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum OnMemoryCap {
    /// Go on in linear space below the principal leaf, with recursive best-first minimax.
    Rbfms,
    /// Free the least promising subtrees and go on storing.
    #[default]
    Prune,
    /// End the search, whatever its limits: the baseline that the other rules are compared with.
    Stop,
}
