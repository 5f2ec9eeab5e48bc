//! Edges by table, and mobility: the evaluator of Norvig's textbook.

use super::edge_table::EdgeTable;
use super::iago::{current_mobility_weight, move_number};
use super::mobility::{current_mobility, potential_mobility};
use super::{Evaluator, STATIC_LIMIT};
use crate::othello::Position;

/// The complete evaluator of Norvig, *Paradigms of Artificial Intelligence Programming*, sections 18.8 and 18.9: an edge
/// table of 59,049 entries, current mobility and potential mobility.
///
/// In the book's points, with `m` the number of the move to be made (1 to 60):
/// * edges: (312,000 + 6,240 m) / 32,000 times the sum of the four table values;
/// * current mobility: (50,000 + 2,000 m, from move 25 on 75,000 + 1,000 m) times `(own − other) / (own + other + 2)` of
///   the legal moves;
/// * potential mobility: 20,000 times the same ratio of the empty squares beside discs of the other side.
///
/// 12,288 points are one disc, at all stages of the game: fitted, so that a value is about the expected final disc
/// difference (`docs/evaluation.md`). The mobility terms are antisymmetric; the edge table knows who is to move.
#[derive(Clone, Copy)]
pub struct Edge {
    table: &'static EdgeTable,
}

/// The book's points per unit of [`DISC`](crate::game::DISC).
const POINTS_PER_UNIT: i64 = 96;

impl Default for Edge {
    fn default() -> Edge {
        Edge { table: EdgeTable::get() }
    }
}

impl Edge {
    /// The value in the book's points.
    #[inline]
    fn points(&self, position: &Position) -> i64 {
        let m = i64::from(move_number(position));
        let edges = (312_000 + 6_240 * m) * i64::from(self.table.sum(position)) / 32_000;
        edges + i64::from(mobility_points(position))
    }
}

/// Both mobility terms, in the book's points.
#[inline]
fn mobility_points(position: &Position) -> i32 {
    current_mobility(position, 1_000 * current_mobility_weight(move_number(position)))
        + potential_mobility(position, 20_000)
}

impl Evaluator<Position> for Edge {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        let limit = i64::from(STATIC_LIMIT);
        (self.points(position) / POINTS_PER_UNIT).clamp(-limit, limit) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Bitboard, Color};
    use crate::testing::random_position;

    #[test]
    fn hand_computed_positions() {
        let edge = Edge::default();
        // At the start both sides have four moves and ten empty squares beside each other's discs: only the four empty
        // edges count, and they are worth the same to whoever is to move.
        let empty_edges = i64::from(edge.table.sum(&Position::START));
        assert_eq!(mobility_points(&Position::START), 0);
        assert_eq!(edge.points(&Position::START), 318_240 * empty_edges / 32_000);
        // After f5 both sides have three moves. White, to move, has d4 alone, beside five empty squares (c3, d3, e3, c4
        // and c5); Black's e4, d5, e5 and f5 are beside thirteen.
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(mobility_points(&position), 8 * 20_000 / (13 + 5 + 2));
        // White's f6 turns e5. Black, to make move 3, has four moves (d3, c4, e6, f7) against five; thirteen empty squares
        // are beside White's discs, twelve beside Black's.
        let position = position.play("f6".parse().unwrap()).unwrap();
        assert_eq!(mobility_points(&position), -56_000 / (4 + 5 + 2) + 20_000 / (13 + 12 + 2));
    }

    #[test]
    fn an_edge_of_one_colour_is_worth_its_table_entry() {
        // Black owns the whole top edge and all that White has is the centre: neither can move.
        let black = Bitboard(0xff);
        let position = Position::new(black, Bitboard::CENTRE, Color::Black).unwrap();
        assert!(position.is_over());
        let edge = Edge::default();
        let sum = i64::from(edge.table.sum(&position));
        let touching_white = 12;
        let touching_black = 8;
        assert_eq!(
            edge.points(&position),
            (312_000 + 6_240 * 9) * sum / 32_000 + 4 * 20_000 / (touching_white + touching_black + 2)
        );
        // An edge is worth 7,800 in the table, which move 9 makes 90,000 points: seven discs.
        assert!(edge.evaluate(&position) > 7 * crate::game::DISC);
    }

    #[test]
    fn mobility_changes_sides() {
        for seed in 0..60 {
            let position = random_position(seed, seed as u32);
            assert_eq!(mobility_points(&position), -mobility_points(&position.pass()), "{position}");
        }
    }
}
