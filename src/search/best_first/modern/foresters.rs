//! Threads at work in a forest.

use super::FEW_EXPANSIONS;
use super::errand::Next;
use super::forest::Forest;
use super::leaf::LeafSearch;
use super::lease::Lease;
use super::team::{MOST_AWAY, PATIENCE, with_helpers};
use crate::eval::Incremental;
use crate::search::alpha_beta::walk::Shared;
use crate::search::best_first::budget::Budget;
use crate::search::selectivity::Selectivity;
use crate::search::{Report, Task};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, Ordering};

/// Threads at work in a forest.
pub(super) struct Foresters<'a, E: Incremental> {
    forest: &'a Mutex<Forest>,
    came_back: Condvar,
    is_over: AtomicBool,
    shared: &'a Shared<'a, E>,
    selectivity: Selectivity,
    threads: usize,
}

impl<'a, E: Incremental> Foresters<'a, E> {
    pub(super) fn new(
        forest: &'a Mutex<Forest>,
        shared: &'a Shared<'a, E>,
        selectivity: Selectivity,
        threads: usize,
    ) -> Foresters<'a, E> {
        let (came_back, is_over) = (Condvar::new(), AtomicBool::new(false));
        Foresters { forest, came_back, is_over, shared, selectivity, threads: threads.min(MOST_AWAY) }
    }

    /// Explores until the control says stop or nothing is left to do.
    pub(super) fn explore(&self, task: &Task, sink: &mut dyn FnMut(&Report)) {
        let mut budget = Budget::new(self.shared.control);
        let mut look = |forest: &Forest| {
            if budget.is_report_due(forest.top.work()) && forest.top.work().expansions >= FEW_EXPANSIONS {
                sink(&forest.report(task, self.shared.control));
            }
        };
        {
            let mut forest = self.forest.lock();
            let mut search = self.leaf_search(&forest);
            forest.expand_root(&mut search, task);
        }
        with_helpers(self.threads, || self.work(&mut |_| {}), || self.work(&mut look));
        let mut forest = self.forest.lock();
        (forest.top.work.nodes, forest.top.work.evaluations) = self.shared.counts();
    }

    fn leaf_search(&self, forest: &Forest) -> LeafSearch<'a, E> {
        LeafSearch::new(self.shared, forest.top.rules, self.selectivity, 0)
    }

    /// One thread's work. `look` sees the forest now and then.
    fn work(&self, look: &mut dyn FnMut(&Forest)) {
        let mut forest = self.forest.lock();
        let mut search = self.leaf_search(&forest);
        let soil = forest.soil();
        let (mut lease, mut children, mut felled) = (Lease::new(), Vec::new(), Vec::new());
        while !self.is_over.load(Ordering::Relaxed) {
            match forest.take(&mut lease, self.threads, &mut felled) {
                Next::Leaf => {}
                Next::Wait => {
                    self.came_back.wait_for(&mut forest, PATIENCE);
                    if search.must_stop() {
                        break;
                    }
                    continue;
                }
                Next::Done => break,
            }
            let was_split = lease.is_to_split;
            drop(forest);
            // What takes the system long is not done while the others wait.
            felled.clear();
            let is_complete = lease.work(&mut search, &mut children, &soil);
            forest = self.forest.lock();
            let can_go_on = forest.bring_back(&mut lease, &mut felled);
            (forest.top.work.nodes, forest.top.work.evaluations) = self.shared.counts();
            self.came_back.notify_all();
            if !is_complete || !can_go_on {
                break;
            }
            look(&forest);
            if !felled.is_empty() {
                MutexGuard::unlocked(&mut forest, || felled.clear());
            } else if lease.expansions == 0 && !was_split {
                self.came_back.wait_for(&mut forest, PATIENCE);
            }
        }
        self.is_over.store(true, Ordering::Relaxed);
        self.came_back.notify_all();
        drop(forest);
        search.must_stop();
    }
}
