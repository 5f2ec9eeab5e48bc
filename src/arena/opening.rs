//! Openings: where the games of a match begin.

use crate::othello::{GameRecord, Move, Position, canonical};
use crate::random::Random;
use std::collections::HashSet;

/// The moves of an opening as a transcript, after the start position if that is not the standard one.
pub fn opening_text(opening: &GameRecord) -> String {
    let moves: String = opening.turns().iter().map(Move::to_string).collect();
    match (*opening.start() == Position::START, moves.is_empty()) {
        (true, _) => moves,
        (false, true) => opening.start().to_string(),
        (false, false) => format!("{} {moves}", opening.start()),
    }
}

/// Every sequence of this many plies from the standard start, in the order of the squares. Sequences that end the game
/// are left out; a forced pass does not count as a ply.
pub fn every(plies: u32) -> Vec<GameRecord> {
    let mut records = vec![GameRecord::default()];
    for _ in 0..plies {
        records = records.iter().flat_map(continuations).collect();
    }
    records
}

/// The record prolonged by each legal move that does not end the game, after a pass where one is forced.
fn continuations(record: &GameRecord) -> Vec<GameRecord> {
    let mut record = record.clone();
    if record.position().must_pass() {
        record.take(Move::Pass).expect("a forced pass is legal");
    }
    let moves = record.position().moves();
    let prolonged = moves.into_iter().map(|square| {
        let mut next = record.clone();
        next.take(Move::Place(square)).expect("a generated move is legal");
        next
    });
    prolonged.filter(|next| !next.position().is_over()).collect()
}

/// The first of each set of openings that lead to the same position up to the symmetries of the board.
pub fn distinct(openings: Vec<GameRecord>) -> Vec<GameRecord> {
    let mut seen = HashSet::new();
    openings.into_iter().filter(|opening| seen.insert(canonical(opening.position()).0)).collect()
}

/// Up to `count` different random openings of this many plies; the same for the same seed. Each ply is drawn evenly from
/// the legal moves. No two lead to the same position up to symmetry; there are fewer than `count` if a thousand draws in
/// a row bring nothing new.
pub fn random(plies: u32, count: usize, seed: u64) -> Vec<GameRecord> {
    let mut random = Random::new(seed);
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    let mut failures = 0;
    while openings.len() < count && failures < 1000 {
        let mut record = GameRecord::default();
        for _ in 0..plies {
            let mut next = continuations(&record);
            if next.is_empty() {
                break;
            }
            record = next.swap_remove(random.below(next.len()));
        }
        let placed = record.turns().iter().filter(|turn| turn.square().is_some()).count();
        if placed == plies as usize && seen.insert(canonical(record.position()).0) {
            openings.push(record);
            failures = 0;
        } else {
            failures += 1;
        }
    }
    openings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_plies_make_244_sequences_236_positions_and_60_classes() {
        let all = every(4);
        assert_eq!(all.len(), 244);
        let positions: HashSet<Position> = all.iter().map(|o| *o.position()).collect();
        assert_eq!(positions.len(), 236);
        assert_eq!(distinct(all).len(), 60);
    }

    #[test]
    fn random_openings_depend_on_the_seed_alone_and_differ() {
        let openings = random(8, 200, 7);
        assert_eq!(openings, random(8, 200, 7));
        assert_ne!(openings, random(8, 200, 8));
        assert_eq!(openings[..50], random(8, 50, 7), "asking for more changes nothing before");
        assert_eq!(distinct(openings.clone()).len(), 200);
        assert!(openings.iter().all(|o| o.position().empties().count() == 52 && !o.position().is_over()));
    }

    #[test]
    fn random_openings_end_when_there_are_no_more() {
        assert_eq!(random(1, 10, 1).len(), 1, "the four first moves are one up to symmetry");
        assert_eq!(random(4, 1000, 1).len(), 60);
        assert_eq!(random(0, 5, 1).len(), 1);
        assert_eq!(random(61, 5, 1).len(), 0);
    }
}
