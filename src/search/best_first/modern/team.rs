//! Threads at work in one tree.

use super::FEW_EXPANSIONS;
use super::errand::{Errand, Next};
use super::leaf::LeafSearch;
use crate::eval::{Evaluator, Incremental};
use crate::othello::Position;
use crate::search::alpha_beta::walk::Shared;
use crate::search::best_first::arena::Arena;
use crate::search::best_first::budget::Budget;
use crate::search::best_first::engine::report;
use crate::search::best_first::explorer::{Explorer, Progress};
use crate::search::selectivity::Selectivity;
use crate::search::{Report, Task};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a thread that finds everything away waits for another one to come back before it looks again.
pub(super) const PATIENCE: Duration = Duration::from_millis(2);

/// Leaves that all threads together have taken away, at most: a node counts them in a byte.
pub(super) const MOST_AWAY: usize = 192;

/// Does the work of this thread and that of all others, as many as there are to be.
pub(super) fn with_helpers(threads: usize, help: impl Fn() + Sync, work: impl FnOnce()) {
    std::thread::scope(|scope| {
        for helper in 1..threads {
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, &help) {
                log::warn!("only {helper} of {threads} threads could be started: {error}");
                break;
            }
        }
        work();
    });
}

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
        // Static leaves cost less than the way to the tree and back: two threads were no faster than one.
        let threads = if self.depth == 0 { 1 } else { threads.min(MOST_AWAY) };
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
        explorer.stay();
        while explorer.go_to_leaf() == Next::Leaf {
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
        explorer.tell_all();
        search.must_stop();
    }

    /// The threads' work, as long as there is any.
    fn work_together(&self, threads: usize, look: &mut dyn FnMut(&Explorer<Position>)) {
        with_helpers(threads, || self.work(&mut |_| {}), || self.work(look));
    }

    /// One thread's work. `look` sees the tree now and then.
    fn work(&self, look: &mut dyn FnMut(&Explorer<Position>)) {
        let mut explorer = self.explorer.lock();
        let mut search = self.leaf_search(&explorer);
        let mut errand = Errand::default();
        while !self.is_over.load(Ordering::Relaxed) {
            match explorer.take_leaf(&mut errand) {
                Next::Leaf => {}
                Next::Wait => {
                    self.came_back.wait_for(&mut explorer, PATIENCE);
                    continue;
                }
                Next::Done => break,
            }
            let will_grow = explorer.tree.arena.will_grow();
            drop(explorer);
            // What takes the system long is not done while the others wait.
            let chunk = will_grow.then(Arena::new_chunk).flatten();
            let is_complete = errand.search(&mut search);
            let must_stop = search.must_stop_now();
            explorer = self.explorer.lock();
            if let Some(chunk) = chunk {
                explorer.tree.arena.add(chunk);
            }
            let goes_on = if is_complete {
                explorer.bring_back(&mut errand) && !must_stop
            } else {
                explorer.put_back(&mut errand);
                false
            };
            (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
            self.came_back.notify_all();
            if !goes_on {
                break;
            }
            look(&explorer);
        }
        self.is_over.store(true, Ordering::Relaxed);
        self.came_back.notify_all();
        drop(explorer);
        search.must_stop();
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
