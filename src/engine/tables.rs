//! The tables of the evaluation, made before a search needs them.

use super::option_table::EngineOptions;
use crate::eval::Evaluator;
use crate::othello::{Empties, Position};
use crate::search::StopSignal;
use crossbeam::channel::{Receiver, TryRecvError, bounded};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The plies that a first search sees ahead, about. Who waits for tables waits for these: the others are made later, or where they are needed.
const FIRST_PLIES: u8 = 20;

/// A thread that makes tables. It is not the thread of the searches, because a move of the book waits for no table. When this is
/// dropped, the thread ends as soon as its present table is made.
#[derive(Debug)]
pub(super) struct TableMaker {
    signal: StopSignal,
    /// Nothing is sent: the thread drops its ends.
    first_done: Receiver<()>,
    done: Receiver<()>,
    /// The empty squares of the position from which on they are made.
    from: Empties,
}

impl TableMaker {
    /// Makes the tables of this evaluation for a game that goes on from here. Where the system has no thread to give, a search makes them when it
    /// needs them.
    pub(super) fn new(position: Position, options: EngineOptions) -> TableMaker {
        let signal = StopSignal::default();
        let ((first, first_done), (all, done)) = (bounded::<()>(0), bounded(0));
        let (from, stop) = (position.empty_count(), signal.clone());
        let make = move || {
            let (_all, mut first) = (all, Some(first));
            let listener = &mut |made: Empties| {
                first.take_if(|_| made.count() + FIRST_PLIES <= from.count());
            };
            let make = || make_tables(position, &*options.evaluator(), &stop, listener);
            if catch_unwind(AssertUnwindSafe(make)).is_err() {
                log::error!("the tables of the evaluation could not be made");
            }
        };
        if let Err(error) = std::thread::Builder::new().name("tables".to_owned()).spawn(make) {
            log::debug!("no thread for the tables of the evaluation ({error})");
        }
        TableMaker { signal, first_done, done, from }
    }

    /// Whether they are made.
    pub(super) fn are_made(&self) -> bool {
        self.done.try_recv() == Err(TryRecvError::Disconnected)
    }

    /// Whether all are made, or being made, that a game needs that goes on from this position.
    pub(super) fn serves(&self, position: &Position) -> bool {
        position.empty_count() == self.from || position.empty_count() < self.from && self.are_made()
    }

    /// Waits until those are made that a first search needs.
    pub(super) fn wait(&self) {
        let _ = self.first_done.recv();
    }
}

impl Drop for TableMaker {
    fn drop(&mut self) {
        self.signal.stop();
    }
}

/// Evaluates a position of each stage of the game from this one on, until it is stopped: the tables of a stage are made when the first position
/// of it is evaluated. The listener hears the empty squares of each.
fn make_tables(
    mut position: Position,
    evaluator: &dyn Evaluator<Position>,
    signal: &StopSignal,
    listener: &mut dyn FnMut(Empties),
) {
    while !signal.is_stopped() {
        evaluator.evaluate(&position);
        listener(position.empty_count());
        position = match position.moves().into_iter().next() {
            Some(square) => position.after(square),
            None if position.must_pass() => position.pass(),
            None => return,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Engine, Request};
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
    fn who_waits_for_the_tables_of_a_game_finds_them_made() {
        let mut engine = Engine::new(EngineOptions::default());
        engine.wait_for_tables();
        for position in [random_position(1, 9), Position::START, random_position(1, 9)] {
            engine.follow(&position);
            // Another option than that of the evaluation changes nothing.
            engine.set("seed", "5").unwrap();
            engine.wait_for_tables();
            let tables = engine.tables.as_ref().unwrap();
            assert_eq!(tables.first_done.try_recv(), Err(TryRecvError::Disconnected));
            assert!(tables.done.recv().is_err() && tables.serves(&position));
            let made = engine.start(Request::best_move(position)).wait();
            assert!(made.turn.is_some() && engine.tables.is_some());
        }
        engine.set("eval", "mobility").unwrap();
        assert!(engine.tables.is_none());
    }

    #[test]
    fn tables_are_made_for_the_rest_of_the_game_until_that_is_stopped() {
        let asked = Asked(Mutex::default());
        let signal = StopSignal::default();
        let position = random_position(3, 20);
        let mut heard = Vec::new();
        make_tables(position, &asked, &signal, &mut |made| heard.push(made));
        assert!((10..=position.empties().count()).all(|empties| asked.0.lock().contains(&empties)));
        assert!(heard[0] == position.empty_count() && heard.is_sorted_by(|before, next| before >= next));
        asked.0.lock().clear();
        signal.stop();
        make_tables(position, &asked, &signal, &mut |_| {});
        assert!(asked.0.lock().is_empty());
    }
}
