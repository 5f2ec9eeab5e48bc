//! Counting the leaves of the game tree, the classical check of a move generator.

use super::Position;

/// How a forced pass counts. Both conventions are in use; they agree up to 8 plies from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassRule {
    /// A pass uses up a ply.
    Ply,
    /// A pass is free: the side that can move moves at the same depth.
    Free,
}

/// The number of positions reached by `depth` plies of play; a game that ends earlier counts once.
///
/// ```
/// use emilia::othello::{PassRule, Position, perft};
/// assert_eq!(perft(&Position::START, 6, PassRule::Ply), 8_200);
/// ```
pub fn perft(position: &Position, depth: u32, rule: PassRule) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.moves();
    if moves.is_empty() {
        let passed = position.pass();
        return match (passed.moves().is_empty(), rule) {
            (true, _) => 1,
            (false, PassRule::Ply) => perft(&passed, depth - 1, rule),
            (false, PassRule::Free) => perft(&passed, depth, rule),
        };
    }
    if depth == 1 {
        return u64::from(moves.count());
    }
    moves.into_iter().map(|square| perft(&position.after(square), depth - 1, rule)).sum()
}
