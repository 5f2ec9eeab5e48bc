//! Legal moves of many positions at once: one position in each lane.
//!
//! The loops are plain; the compiler makes them as wide as the target's vectors. No lane waits for another and nothing
//! has to be brought together at the end, which makes this
//! cheaper than a call for each position.

use super::portable::legal_moves;

/// The legal moves of each position.
///
/// # Panics
/// If the slices differ in length.
pub(in crate::othello) fn legal_moves_of_many(players: &[u64], opponents: &[u64], moves: &mut [u64]) {
    assert!(players.len() == opponents.len() && players.len() == moves.len());
    for ((&player, &opponent), moves) in players.iter().zip(opponents).zip(moves) {
        *moves = legal_moves(player, opponent);
    }
}

/// How many legal moves the positions have together, and how many positions have none.
pub(in crate::othello) fn count_moves(players: &[u64], opponents: &[u64]) -> (u64, u64) {
    let (mut sum, mut without) = (0, 0);
    for (&player, &opponent) in players.iter().zip(opponents) {
        let moves = legal_moves(player, opponent);
        sum += u64::from(moves.count_ones());
        without += u64::from(moves == 0);
    }
    (sum, without)
}
