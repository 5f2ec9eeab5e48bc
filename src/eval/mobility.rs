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

/// Rosenbloom's ratio, `weight · (own − other) / (own + other + 2)`.
#[inline]
pub(super) fn ratio(own: u32, other: u32, weight: i32) -> i32 {
    (own as i32 - other as i32) * weight / (own + other + 2) as i32
}

/// The ratio of the legal moves.
#[inline]
pub(super) fn current_mobility(position: &Position, weight: i32) -> i32 {
    ratio(position.moves().count(), position.opponent_moves().count(), weight)
}

/// The ratio of the empty squares beside discs of the other side.
#[inline]
pub(super) fn potential_mobility(position: &Position, weight: i32) -> i32 {
    let beside = |discs: Bitboard| (discs.neighbours() & position.empties()).count();
    ratio(beside(position.opponent()), beside(position.player()), weight)
}

impl Evaluator<Position> for Mobility {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        let squares = WeightedSquares::points(position) * SQUARES;
        let mobility = current_mobility(position, CURRENT) + potential_mobility(position, POTENTIAL);
        (squares + mobility).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}
