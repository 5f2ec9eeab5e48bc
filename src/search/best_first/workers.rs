//! Threads at work in a best-first search: one in one tree, or several in shards.

use super::Leaves;
use super::checkout::Checkout;
use super::core::{Progress, Way};
use super::relevance::OneTree;
use super::searched_leaves::SearchedLeaves;
use super::shards::Shards;
use crate::eval::Incremental;
use crate::search::Task;
use crate::search::threads::{PATIENCE, with_threads};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, Ordering};

/// Leaves that all workers together have checked out, at most: a node counts them in a byte.
const MOST_CHECKED_OUT: usize = 192;
/// Expansions below which a search has nothing to report yet.
pub(super) const FEW_EXPANSIONS: u64 = 8;
/// Expansions of static leaves that one of several threads makes alone at first: to start the others takes about as long.
pub(super) const FIRST_ALONE: u64 = 256;

/// Searches in one tree until the limits, the end, or the memory cap. `look` sees the tree after each iteration, and says whether to go on.
pub(super) fn work_alone<E: Incremental>(
    search: &mut OneTree,
    leaves: &mut SearchedLeaves<'_, E>,
    task: &Task,
    look: &mut dyn FnMut(&OneTree) -> bool,
) {
    search.restart();
    search.be_lazy();
    while search.iterate(leaves) == Progress::Grown && !leaves.must_stop(&mut search.work) && look(search) {}
    search.back_up_all();
    leaves.check_limits();
    // Whatever the limits, there is to be an answer.
    search.expand_root(&*task.evaluator);
}

/// Searches in shards until the limits, the end, or the memory cap: with one thread until it has made `alone` expansions, then with several. `look` sees
/// the shards now and then, and says whether to go on; what takes it long it does with the shards unlocked.
pub(super) fn work_together<'a, E: Incremental + 'a>(
    shards: &Mutex<Shards>,
    (threads, alone): (usize, u64),
    leaves: &(dyn Fn() -> SearchedLeaves<'a, E> + Sync),
    task: &Task,
    look: &mut dyn FnMut(&mut MutexGuard<'_, Shards>) -> bool,
) {
    shards.lock().give_root_children(&mut leaves(), task);
    let threads = threads.min(MOST_CHECKED_OUT);
    let (checked_in, is_over) = (Condvar::new(), AtomicBool::new(false));
    let team = Team { shards, threads, checked_in, is_over };
    let help = || team.work(&mut leaves(), &mut |_| true);
    let work = |call_for_help: &mut dyn FnMut()| {
        team.work(&mut leaves(), &mut |shards| {
            if shards.top.work().expansions >= alone {
                call_for_help();
            }
            look(shards)
        });
    };
    with_threads(threads, help, work, || team.is_over.store(true, Ordering::Relaxed));
}

struct Team<'a> {
    shards: &'a Mutex<Shards>,
    threads: usize,
    checked_in: Condvar,
    is_over: AtomicBool,
}

impl Team<'_> {
    /// One worker's work.
    fn work<E: Incremental>(
        &self,
        leaves: &mut SearchedLeaves<'_, E>,
        look: &mut dyn FnMut(&mut MutexGuard<'_, Shards>) -> bool,
    ) {
        let mut shards = self.shards.lock();
        let maker = shards.maker.clone();
        let (mut checkout, mut freed) = (Checkout::default(), Vec::new());
        while !self.is_over.load(Ordering::Relaxed) {
            match shards.check_out(&mut checkout, self.threads, &mut freed) {
                Way::ToLeaf => {}
                Way::Waiting => {
                    self.checked_in.wait_for(&mut shards, PATIENCE);
                    if leaves.check_limits() {
                        break;
                    }
                    continue;
                }
                Way::Done => break,
            }
            let was_split = checkout.is_to_split;
            drop(shards);
            // What takes the system long is not done while the others wait.
            freed.clear();
            let is_complete = checkout.work(leaves, &maker);
            shards = self.shards.lock();
            let can_go_on = shards.check_in(&mut checkout, &mut freed);
            leaves.must_stop(&mut shards.top.work);
            self.checked_in.notify_all();
            if !is_complete || !can_go_on || !look(&mut shards) {
                break;
            }
            if !freed.is_empty() {
                MutexGuard::unlocked(&mut shards, || freed.clear());
            } else if checkout.work.expansions == 0 && !was_split {
                self.checked_in.wait_for(&mut shards, PATIENCE);
            }
        }
        self.is_over.store(true, Ordering::Relaxed);
        self.checked_in.notify_all();
        drop(shards);
        leaves.check_limits();
    }
}
