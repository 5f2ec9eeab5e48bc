//! The disc difference: what the game is about, and a poor guide to it.

use super::{Evaluator, STATIC_LIMIT};
use crate::game::DISC;
use crate::othello::Position;

/// Own discs less the opponent's, in discs.
///
/// The beginner's evaluator (Rosenbloom 1982, section 2, calls it the maximum-disc strategy). It is exact on a full
/// board and misleads before, because many discs are many targets and few moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiscCount;

impl Evaluator<Position> for DiscCount {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        let difference = position.player().count() as i32 - position.opponent().count() as i32;
        (difference * DISC).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::{Bitboard, Color};

    #[test]
    fn counts_discs_for_the_side_to_move() {
        assert_eq!(DiscCount.evaluate(&Position::START), 0);
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(DiscCount.evaluate(&position), -3 * DISC);
        assert_eq!(DiscCount.evaluate(&position.pass()), 3 * DISC);
        let all_black = Position::new(Bitboard(u64::MAX), Bitboard::EMPTY, Color::Black).unwrap();
        assert_eq!(DiscCount.evaluate(&all_black), STATIC_LIMIT);
    }
}
