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
        let [mobility, potential, interior, sequences] = self.lines.sum(position).numbers();
        // Every square lies on one row and on one column, so the interior was counted twice.
        [self.edges.sum(position), mobility, potential, interior / 2, sequences]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Bitboard, Square, flips};
    use crate::testing::random_position;

    #[test]
    fn hand_computed_positions() {
        let tables = FeatureTables::get();
        let empty_edges = tables.edges.sum(&Position::START);
        assert_eq!(tables.features(&Position::START), [empty_edges, 0, 0, 0, 0]);
        // After f5 White, to move, has d4 alone against e4, d5, e5 and f5. Both have three moves of one line each. Nineteen
        // pairs of an empty square and a black disc against five with the white one; one interior square of weight 3
        // against four; d5-e5-f5 is an open run of three.
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(tables.features(&position), [empty_edges, 0, 14, -9, -4]);
    }

    #[test]
    fn mobility_counts_every_line_in_which_a_move_turns_discs() {
        // A move away from the corners that turns one or two discs counts full.
        let tables = FeatureTables::get();
        let beside_corners = Bitboard::CORNERS.neighbours();
        let counts_full = |position: &Position, square| {
            !beside_corners.contains(square) && flips(square, position.player(), position.opponent()).count() <= 2
        };
        let mut seen = 0;
        for position in (0..2000).map(|seed| random_position(seed, 50 + (seed % 6) as u32)) {
            let sides = [position, position.pass()];
            if sides.iter().all(|side| side.moves().into_iter().all(|square| counts_full(side, square))) {
                let lines = lines_that_turn(&sides[0]) - lines_that_turn(&sides[1]);
                assert_eq!(tables.features(&position)[1], 4 * lines, "{position}");
                seen += 1;
            }
        }
        assert!(seen >= 20, "{seen}");
    }

    /// The pairs of a move and a line in which it turns discs.
    fn lines_that_turn(position: &Position) -> i32 {
        let line = |a: Square, b: Square| {
            let (dc, dr) = (i32::from(b.column()) - i32::from(a.column()), i32::from(b.row()) - i32::from(a.row()));
            (dc.signum() * dc.signum(), dr.signum() * dr.signum(), dc.signum() * dr.signum())
        };
        let count = |square| {
            let turned = flips(square, position.player(), position.opponent());
            let lines: std::collections::HashSet<_> = turned.into_iter().map(|other| line(square, other)).collect();
            lines.len() as i32
        };
        position.moves().into_iter().map(count).sum()
    }

    #[test]
    fn all_but_the_edges_changes_sides() {
        let tables = FeatureTables::get();
        for seed in 0..60 {
            let position = random_position(seed, seed as u32);
            let (here, there) = (tables.features(&position), tables.features(&position.pass()));
            assert_eq!(here[1..], there.map(|feature| -feature)[1..], "{position}");
        }
    }
}
