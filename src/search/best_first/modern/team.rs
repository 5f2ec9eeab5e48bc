//! Threads at work in one tree.

use super::FEW_EXPANSIONS;
use super::errand::Next;
use super::leaf::LeafSearch;
use crate::eval::{Evaluator, Incremental};
use crate::game::DISC;
use crate::othello::Position;
use crate::search::alpha_beta::walk::Shared;
use crate::search::best_first::budget::Budget;
use crate::search::best_first::engine::report;
use crate::search::best_first::explorer::{Explorer, Progress};
use crate::search::selectivity::Selectivity;
use crate::search::{Report, Task};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What a thread below a node counts against it at first, at least and at most, in units of the evaluation.
const LOSS: [f32; 3] = [DISC as f32, DISC as f32 / 4.0, 8.0 * DISC as f32];
/// How long a thread waits for another one to come back before it looks again.
const PATIENCE: Duration = Duration::from_millis(2);

/// Threads at work in one tree.
pub(super) struct Team<'a, E: Incremental> {
    explorer: &'a Mutex<Explorer<Position>>,
    came_back: Condvar,
    is_over: AtomicBool,
    shared: &'a Shared<'a, E>,
    selectivity: Selectivity,
    /// Plies below the children of a leaf.
    depth: u8,
}

impl<'a, E: Incremental> Team<'a, E> {
    pub(super) fn new(
        explorer: &'a Mutex<Explorer<Position>>,
        shared: &'a Shared<'a, E>,
        selectivity: Selectivity,
        depth: u8,
    ) -> Team<'a, E> {
        let (came_back, is_over) = (Condvar::new(), AtomicBool::new(false));
        Team { explorer, came_back, is_over, shared, selectivity, depth }
    }

    /// Explores until the control says stop, nothing is left to do, or the memory is full and the rest is for linear space.
    pub(super) fn explore(&self, threads: usize, task: &Task, sink: &mut dyn FnMut(&Report)) {
        let mut budget = Budget::new(self.shared.control);
        let mut look = |explorer: &Explorer<Position>| {
            if budget.is_report_due(explorer.work()) && explorer.work().expansions >= FEW_EXPANSIONS {
                sink(&report(explorer, task, self.shared.control));
            }
        };
        if threads == 1 {
            self.work_alone(&mut look);
        } else {
            self.work_together(threads, &mut look);
        }
        let mut explorer = self.explorer.lock();
        if explorer.is_linear() && !self.shared.is_stopped() {
            self.go_on_in_linear_space(&mut explorer, task, sink);
        }
        // Whatever the limits, there is to be an answer.
        explorer.expand_root(&*task.evaluator);
        (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
    }

    fn leaf_search(&self, explorer: &Explorer<Position>) -> LeafSearch<'a, E> {
        LeafSearch::new(self.shared, explorer.rules, self.selectivity, self.depth)
    }

    /// The only thread's work. `look` sees the tree now and then.
    fn work_alone(&self, look: &mut dyn FnMut(&Explorer<Position>)) {
        let mut explorer = self.explorer.lock();
        let mut search = self.leaf_search(&explorer);
        let mut children = Vec::new();
        explorer.restart();
        while explorer.go_to_leaf() {
            let position = explorer.leaf().position;
            if !search.children(&position, &mut children)
                || !explorer.give_children(&children)
                || search.must_stop_now()
            {
                break;
            }
            (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
            look(&explorer);
        }
        search.must_stop();
    }

    /// The threads' work, as long as there is any.
    fn work_together(&self, threads: usize, look: &mut dyn FnMut(&Explorer<Position>)) {
        std::thread::scope(|scope| {
            for helper in 1..threads {
                if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, || self.work(&mut |_| {})) {
                    log::warn!("only {helper} of {threads} threads could be started: {error}");
                    break;
                }
            }
            self.work(look);
        });
    }

    /// One thread's work. `look` sees the tree between two leaves.
    fn work(&self, look: &mut dyn FnMut(&Explorer<Position>)) {
        let [mut loss, least_loss, most_loss] = LOSS;
        let mut explorer = self.explorer.lock();
        let mut search = self.leaf_search(&explorer);
        let mut children = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            match explorer.take_leaf(loss) {
                Next::Done => break,
                Next::Wait => {
                    loss = (loss * 2.0).min(most_loss);
                    self.came_back.wait_for(&mut explorer, PATIENCE);
                }
                Next::Leaf(errand) => {
                    loss = (loss * 0.97).max(least_loss);
                    drop(explorer);
                    let complete = search.children(&errand.position, &mut children);
                    let must_stop = search.must_stop();
                    explorer = self.explorer.lock();
                    let stored = explorer.bring_back(&errand, complete.then_some(&children));
                    (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
                    self.came_back.notify_all();
                    if must_stop || !stored {
                        break;
                    }
                    look(&explorer);
                }
            }
        }
        self.is_over.store(true, Ordering::Relaxed);
        self.came_back.notify_all();
    }

    /// The memory is full: below the principal leaf, recursive best-first search goes on with leaves of the same worth.
    fn go_on_in_linear_space(&self, explorer: &mut Explorer<Position>, task: &Task, sink: &mut dyn FnMut(&Report)) {
        let leaves = SearchedValue(Mutex::new(self.leaf_search(explorer)));
        let mut budget = Budget::new(self.shared.control);
        explorer.restart();
        loop {
            let progress = explorer.step(&leaves, &mut |_| leaves.0.lock().must_stop());
            (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
            if progress != Progress::Grown || leaves.0.lock().must_stop() {
                break;
            }
            if budget.is_report_due(explorer.work()) {
                sink(&report(explorer, task, self.shared.control));
            }
        }
    }
}

/// Leaves searched by alpha-beta, as an evaluation.
struct SearchedValue<'a, E: Incremental>(Mutex<LeafSearch<'a, E>>);

impl<E: Incremental> Evaluator<Position> for SearchedValue<'_, E> {
    fn evaluate(&self, position: &Position) -> i32 {
        self.0.lock().value(position)
    }
}
