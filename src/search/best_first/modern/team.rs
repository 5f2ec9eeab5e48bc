//! Threads at work in one tree.

use super::FEW_EXPANSIONS;
use super::errand::{Errands, Next};
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
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a thread that finds everything away waits for another one to come back before it looks again.
const PATIENCE: Duration = Duration::from_millis(2);

/// Static leaves that a thread of several brings back at once, at least, so that going to the tree is worth the while.
const BATCH: usize = 8;
/// Static leaves that it has taken away, at most.
const STOCK: usize = 24;
/// Leaves that all threads together have taken away, at most: a node counts them in a byte.
const MOST_AWAY: usize = 192;
/// How often a thread with nothing to do looks whether the tree is free before it goes to sleep: that takes longer than most
/// of what is done in the tree.
const SPINS: usize = 300;
/// It takes one for so many iterations that the search has had: what is away is not yet known to the others.
const ITERATIONS_A_LEAF: u64 = 256;

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
        let threads = threads.min(MOST_AWAY);
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
        std::thread::scope(|scope| {
            for helper in 1..threads {
                if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, || self.work(threads, &mut |_| {}))
                {
                    log::warn!("only {helper} of {threads} threads could be started: {error}");
                    break;
                }
            }
            self.work(threads, look);
        });
    }

    /// One thread's work. `look` sees the tree now and then.
    ///
    /// The thread has a stock of leaves, so that it need not wait for the tree while another one has it.
    fn work(&self, threads: usize, look: &mut dyn FnMut(&Explorer<Position>)) {
        let (batch, stock) = if self.depth == 0 { (BATCH, STOCK.min(MOST_AWAY / threads).max(1)) } else { (1, 1) };
        let mut explorer = self.explorer.lock();
        let mut search = self.leaf_search(&explorer);
        let mut errands = Errands::default();
        while !self.is_over.load(Ordering::Relaxed) {
            // In a small tree, many leaves at once would be other leaves than one after the other.
            let most = (explorer.iterations / ITERATIONS_A_LEAF).clamp(1, stock as u64) as usize;
            let next = explorer.take_leaves(&mut errands, most);
            if errands.is_empty() {
                if next == Next::Done {
                    break;
                }
                self.came_back.wait_for(&mut explorer, PATIENCE);
                continue;
            }
            let will_grow = explorer.tree.arena.will_grow();
            drop(explorer);
            // What takes the system long is not done while the others wait.
            let chunk = will_grow.then(Arena::new_chunk).flatten();
            let mut free = None;
            while free.is_none() && errands.search_next(&mut search) {
                free = if errands.found() >= batch { self.explorer.try_lock() } else { None };
            }
            let must_stop = search.must_stop_now();
            explorer = free.unwrap_or_else(|| self.wait_for_tree());
            if let Some(chunk) = chunk {
                explorer.tree.arena.add(chunk);
            }
            let stored = explorer.bring_back(&mut errands);
            (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
            self.came_back.notify_all();
            if must_stop || !stored {
                break;
            }
            look(&explorer);
        }
        self.is_over.store(true, Ordering::Relaxed);
        explorer.give_up(&mut errands);
        self.came_back.notify_all();
        drop(explorer);
        search.must_stop();
    }

    /// The tree, as soon as no other thread has it, which is soon.
    fn wait_for_tree(&self) -> MutexGuard<'_, Explorer<Position>> {
        for _ in 0..SPINS {
            if let Some(explorer) = self.explorer.try_lock() {
                return explorer;
            }
            for _ in 0..16 {
                std::hint::spin_loop();
            }
        }
        self.explorer.lock()
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
