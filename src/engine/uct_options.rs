//! The values that the options of the search `uct` take.

use strum::{Display, VariantArray};

/// What an inner node is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Backup {
    /// The value of the best child: minimax.
    #[default]
    Overwrite,
    /// The mean of the values found below the node, as in Monte Carlo tree search.
    Average,
    /// Both, weighed against each other where a child is chosen: implicit minimax backups (Lanctot and others, CIG 2014).
    Implicit,
}

/// What a leaf is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum LeafValue {
    /// The leaf's value as the evaluation has it.
    #[default]
    Raw,
    /// A win or a loss, by the sign of the leaf's value: plus or minus one unit.
    WinLoss,
}

/// How an iteration finds its way down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Selection {
    /// By the largest value + C·√(ln N / n).
    #[default]
    Uct,
    /// At random, with a probability proportional to exp(value / C): C is the temperature.
    Softmax,
}
