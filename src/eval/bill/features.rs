//! The five features of a position, by table look-ups: one for each edge and each line.

use super::lines::LineTables;
use crate::eval::edge_table::EdgeTable;
use crate::othello::Position;

/// How many features there are.
pub const FEATURES: usize = 5;

/// The features, each own less the opponent's, for the side to move:
///
/// 1. edges: the sum of the edge table over the four edges with their X-squares, in its points (a corner is 700);
/// 2. current mobility, summed over the 38 lines of three squares or more, in quarter moves: a move counts 4, on a
///    C-square 2, on an X-square 1, and one less (but at least 1) if it turns more than two discs in the line. A move
///    that turns discs in several lines counts in each;
/// 3. potential mobility: pairs of an empty square and an enemy disc next to it in a line;
/// 4. interior: Norvig's weights of the 32 squares that no edge table sees, neither on an edge nor an X-square;
/// 5. sequences: the sum of (length − 1)² over the maximal runs of three or more own discs in a line that have an empty
///    square on at least one end. Such a run is a liability: its weight is learned to be negative.
///
/// All but the first are antisymmetric; the edge table knows who is to move.
pub type Features = [i32; FEATURES];

/// The tables behind the features.
#[derive(Clone, Copy)]
pub struct FeatureTables {
    edges: &'static EdgeTable,
    lines: &'static LineTables,
}

impl FeatureTables {
    /// The tables, computed when they are first asked for.
    pub fn get() -> FeatureTables {
        FeatureTables { edges: EdgeTable::get(), lines: LineTables::get() }
    }

    /// The features of a position.
    #[inline]
    pub fn features(&self, position: &Position) -> Features {
        let [mobility, potential, interior, sequences] = self.lines.sum(position).0.map(i32::from);
        // Every square lies on one row and on one column, so the interior was counted twice.
        [self.edges.sum(position), mobility, potential, interior / 2, sequences]
    }
}
