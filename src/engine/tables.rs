//! The tables of the evaluation, made before a search needs them.

use super::worker::WorkerMessage;
use crate::eval::Evaluator;
use crate::othello::Position;
use crossbeam::channel::{Receiver, TryRecvError};

/// Evaluates a position of each stage of the game from this one on: the tables of a stage, which take some milliseconds, are made when the
/// first position of it is evaluated. Returns the job that came meanwhile and ended it.
pub(super) fn make_tables(
    mut position: Position,
    evaluator: &dyn Evaluator<Position>,
    jobs: &Receiver<WorkerMessage>,
) -> Option<WorkerMessage> {
    loop {
        match jobs.try_recv() {
            Ok(job) => return Some(job),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        evaluator.evaluate(&position);
        position = match position.moves().into_iter().next() {
            Some(square) => position.after(square),
            None if position.must_pass() => position.pass(),
            None => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_position;
    use parking_lot::Mutex;
    use std::collections::HashSet;

    /// Remembers the numbers of empty squares that it was asked for.
    struct Asked(Mutex<HashSet<u32>>);

    impl Evaluator<Position> for Asked {
        fn evaluate(&self, position: &Position) -> i32 {
            self.0.lock().insert(position.empties().count());
            0
        }
    }

    #[test]
    fn tables_are_made_for_the_rest_of_the_game_until_there_is_a_job() {
        let asked = Asked(Mutex::default());
        let (sender, jobs) = crossbeam::channel::unbounded();
        let position = random_position(3, 20);
        assert!(make_tables(position, &asked, &jobs).is_none());
        assert!((10..=position.empties().count()).all(|empties| asked.0.lock().contains(&empties)));
        asked.0.lock().clear();
        sender.send(WorkerMessage::Clear).unwrap();
        assert!(matches!(make_tables(position, &asked, &jobs), Some(WorkerMessage::Clear)));
        drop(sender);
        assert!(make_tables(position, &asked, &jobs).is_none());
        assert!(asked.0.lock().is_empty());
    }
}
