//! The values that the options of the search `uct` take.

use std::fmt;

/// What an inner node is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backup {
    /// The value of the best child: minimax.
    #[default]
    Overwrite,
    /// The mean of the values found below the node, as in Monte Carlo tree search.
    Average,
}

/// What a leaf is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LeafValue {
    /// The leaf's value as the evaluation has it.
    #[default]
    Raw,
    /// A win or a loss, by the sign of the leaf's value: plus or minus one unit.
    WinLoss,
}

/// How an iteration finds its way down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Selection {
    /// By the largest value + C·√(ln N / n).
    #[default]
    Uct,
    /// By lot, a child's chance being proportional to exp(value / C): C is the temperature.
    Softmax,
}

impl Backup {
    /// Every kind.
    pub const ALL: &[Backup] = &[Backup::Overwrite, Backup::Average];
}

impl LeafValue {
    /// Every kind.
    pub const ALL: &[LeafValue] = &[LeafValue::Raw, LeafValue::WinLoss];
}

impl Selection {
    /// Every kind.
    pub const ALL: &[Selection] = &[Selection::Uct, Selection::Softmax];
}

impl fmt::Display for Backup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Backup::Overwrite => "overwrite",
            Backup::Average => "average",
        })
    }
}

impl fmt::Display for LeafValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            LeafValue::Raw => "raw",
            LeafValue::WinLoss => "win-loss",
        })
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Selection::Uct => "uct",
            Selection::Softmax => "softmax",
        })
    }
}
