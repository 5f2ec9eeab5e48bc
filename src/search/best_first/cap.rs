//! What happens at the memory cap.

use std::fmt;

/// What to do when the stored tree has filled its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OnMemoryCap {
    /// Go on in linear space below the principal leaf, with recursive best-first minimax.
    Rbfms,
    /// Free the least promising subtrees and go on storing.
    #[default]
    Prune,
    /// End the search, whatever its limits: the baseline that the other rules are compared with.
    Stop,
}

impl OnMemoryCap {
    /// All rules for the memory cap.
    pub const ALL: &[OnMemoryCap] = &[OnMemoryCap::Rbfms, OnMemoryCap::Prune, OnMemoryCap::Stop];
}

impl fmt::Display for OnMemoryCap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            OnMemoryCap::Rbfms => "rbfms",
            OnMemoryCap::Prune => "prune",
            OnMemoryCap::Stop => "stop",
        })
    }
}
