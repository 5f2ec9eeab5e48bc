//! Weighted squares and mobility together.

use super::weighted_squares::WeightedSquares;
use super::{Evaluator, STATIC_LIMIT};
use crate::othello::{Bitboard, Position};

/// Weighted squares, current mobility and potential mobility.
///
/// * Current mobility: legal moves of each side, as `(own − other) / (own + other + 2)`.
/// * Potential mobility: empty squares that touch a disc of the other side, by the same ratio.
///
/// The ratios are Rosenbloom's (Iago, 1982) in the form Norvig gives them; the three weights were fitted by least
/// squares to the final scores of self-play games (see `docs/lab-notebook.md`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

/// Units of [`DISC`](crate::game::DISC) per point of the weighted squares, and for the full current and potential ratio.
const SQUARES: i32 = 8;
const CURRENT: i32 = 4096;
const POTENTIAL: i32 = 1024;

impl Evaluator<Position> for Mobility {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        let ratio = |own: u32, other: u32, weight: i32| (own as i32 - other as i32) * weight / (own + other + 2) as i32;
        let touching = |discs: Bitboard| (discs.neighbours() & position.empties()).count();
        let current = ratio(position.moves().count(), position.opponent_moves().count(), CURRENT);
        let potential = ratio(touching(position.opponent()), touching(position.player()), POTENTIAL);
        let squares = WeightedSquares::points(position) * SQUARES;
        (squares + current + potential).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_is_even_and_the_value_changes_sides() {
        assert_eq!(Mobility.evaluate(&Position::START), 0);
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        // A position seen by the other side has the negated value.
        assert_eq!(Mobility.evaluate(&position), -Mobility.evaluate(&position.pass()));
    }
}
