//! What several unit tests need.

use crate::othello::Position;

/// A position with this many empty squares, or the end of a shorter game, reached by pseudo-random play.
pub(crate) fn random_position(seed: u64, empties: u32) -> Position {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut position = Position::START;
    while position.empties().count() > empties && !position.is_over() {
        let moves = position.moves();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let chosen = (state >> 32) as usize % (moves.count() as usize).max(1);
        position = moves.into_iter().nth(chosen).map_or_else(|| position.pass(), |square| position.after(square));
    }
    position
}
