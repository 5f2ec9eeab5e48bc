//! Thinking on the opponent's time: where it begins, and for how long.

use crate::othello::{Move, Position};
use std::time::Duration;

/// The longest time that the engine thinks unasked: who has said nothing for so long may have left.
pub(super) const MOST_PONDERING: Duration = Duration::from_secs(60);

/// The first position, from this one on, with a choice of turns; `None` if the game ends before.
pub(super) fn next_choice(mut position: Position) -> Option<Position> {
    while !position.is_over() {
        let mut moves = position.moves().into_iter();
        let only = match (moves.next(), moves.next()) {
            (Some(_), Some(_)) => return Some(position),
            (only, _) => only.map_or(Move::Pass, Move::Place),
        };
        position = position.take(only).ok()?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{BEST_FIRST, Engine, EngineOptions, Request};
    use crate::search::Limits;
    use crate::testing::random_position;

    #[test]
    fn forced_turns_are_not_pondered() {
        assert_eq!(next_choice(Position::START), Some(Position::START));
        let (mut skipped, mut ended) = (0, 0);
        for seed in 0..300 {
            let position = random_position(seed, 2);
            match next_choice(position) {
                Some(choice) => {
                    assert!(choice.moves().count() > 1);
                    skipped += u32::from(choice != position);
                }
                None => ended += 1,
            }
        }
        assert!(skipped > 10 && ended > 10, "{skipped} {ended}");
    }

    const NODES: u64 = 5_000;

    fn engine(ponder: bool) -> Engine {
        Engine::new(EngineOptions { engine: &BEST_FIRST, threads: 1, ponder, ..EngineOptions::default() })
    }

    fn request(position: Position) -> Request {
        Request { limits: Limits { nodes: Some(NODES), ..Limits::default() }, ..Request::best_move(position) }
    }

    /// The visits of the move that a search knows in the position behind the expected reply before it has visited anything there itself.
    fn visits_behind_reply(ponder: bool) -> u64 {
        let mut engine = engine(ponder);
        let line = engine.start(request(Position::START)).wait().report.lines[0].pv.clone();
        engine.ponder(&request(Position::START), line[0]);
        assert_eq!(engine.pondering.is_some(), ponder);
        while engine.pondering.as_ref().is_some_and(|(_, thinking)| thinking.nodes() < 8 * NODES) {
            std::thread::yield_now();
        }
        let behind = line[..2].iter().fold(Position::START, |position, &turn| position.take(turn).unwrap());
        let limits = Limits { nodes: Some(1), ..Limits::default() };
        engine.start(Request { limits, ..Request::best_move(behind) }).wait().report.lines[0].visits
    }

    #[test]
    fn what_was_pondered_is_there_when_the_expected_reply_comes() {
        let [without, with] = [false, true].map(visits_behind_reply);
        assert!(with > 3 * without.max(1), "{with} against {without} visits");
    }

    #[test]
    fn who_asks_whether_the_engine_is_ready_does_not_wait_for_its_end() {
        let f5 = Move::Place("f5".parse().unwrap());
        let mut engine = engine(true);
        engine.be_ready(&Position::START);
        while !engine.tables.as_ref().unwrap().are_made() {
            std::thread::yield_now();
        }
        engine.ponder(&request(Position::START), f5);
        engine.be_ready(&Position::START.take(f5).unwrap());
        assert!(engine.is_pondering());
    }

    #[test]
    fn it_ends_when_the_game_goes_elsewhere_or_an_option_changes() {
        let f5 = Move::Place("f5".parse().unwrap());
        let behind = Position::START.take(f5).unwrap();
        let mut engine = engine(true);
        engine.ponder(&request(Position::START), f5);
        engine.follow(&behind);
        assert!(engine.pondering.is_some());
        engine.follow(&Position::START);
        assert!(engine.pondering.is_none() && engine.current.is_stopped());
        engine.ponder(&request(Position::START), f5);
        engine.set("ponder", "off").unwrap();
        assert!(engine.pondering.is_none() && engine.current.is_stopped());
        engine.ponder(&request(Position::START), f5);
        assert!(engine.pondering.is_none());
    }
}
