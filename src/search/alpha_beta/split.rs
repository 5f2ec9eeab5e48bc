//! Several threads in one tree: young brothers wait.
//!
//! Once the first move of a node has been searched, the others may be searched by whoever has nothing to do. A thread
//! that has come to the end of its own moves at such a node helps those who still work below it, so that nobody waits
//! idly while there is work that it could share.

use super::walk::{Found, Node, Walk};
use crate::eval::Incremental;
use crate::othello::Square;
use crate::search::ordering::Candidates;
use crate::search::selectivity::Selectivity;
use arrayvec::ArrayVec;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

/// A node whose moves are searched by several threads.
pub(in crate::search) struct Split<S> {
    /// The shared node above this one, if any.
    above: Option<Arc<Split<S>>>,
    moves: ArrayVec<(Square, Node<S>), 60>,
    /// Plies below the moves.
    depth: u8,
    beta: i32,
    selectivity: Selectivity,
    probes: u8,
    /// The next move that nobody has taken.
    next: AtomicUsize,
    /// The greater of alpha and the best value so far.
    bound: AtomicI32,
    best: Mutex<Found>,
    /// Whether a move has reached beta: the others do not matter any more.
    is_cut: AtomicBool,
    /// Threads at work on its moves besides the one that shared it.
    helpers: AtomicUsize,
}

impl<S> Split<S> {
    /// Whether this node, or one above it, is decided.
    pub(super) fn is_decided(&self) -> bool {
        let mut split = Some(self);
        while let Some(here) = split {
            if here.is_cut.load(Ordering::Relaxed) {
                return true;
            }
            split = here.above.as_deref();
        }
        false
    }

    fn has_moves(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves.len() && !self.is_decided()
    }

    fn is_below(&self, other: &Split<S>) -> bool {
        let mut split = Some(self);
        while let Some(here) = split {
            if std::ptr::eq(here, other) {
                return true;
            }
            split = here.above.as_deref();
        }
        false
    }
}

/// The shared nodes that still have moves to give, and who waits for them.
pub(in crate::search) struct Pool<S> {
    open: Mutex<Vec<Arc<Split<S>>>>,
    changed: Condvar,
    /// Threads without work.
    waiting: AtomicUsize,
    /// Whether the search is over.
    is_closed: AtomicBool,
}

impl<S> Default for Pool<S> {
    fn default() -> Pool<S> {
        Pool {
            open: Mutex::new(Vec::new()),
            changed: Condvar::new(),
            waiting: AtomicUsize::new(0),
            is_closed: AtomicBool::new(false),
        }
    }
}

impl<S> Pool<S> {
    /// Whether a thread has nothing to do.
    #[inline]
    pub(super) fn wants_work(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Makes everybody look again at what they wait for.
    pub(super) fn wake(&self) {
        drop(self.open.lock());
        self.changed.notify_all();
    }

    /// Sends the helping threads home.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.wake();
    }

    fn publish(&self, split: &Arc<Split<S>>) {
        self.open.lock().push(split.clone());
        self.changed.notify_all();
    }

    fn withdraw(&self, split: &Arc<Split<S>>) {
        self.open.lock().retain(|open| !Arc::ptr_eq(open, split));
    }

    /// Waits for a shared node with moves to give, `below` a given one if there is one, and joins it. `None` once
    /// `is_over` says so.
    fn join(&self, below: Option<&Split<S>>, is_over: impl Fn() -> bool) -> Option<Arc<Split<S>>> {
        let mut open = self.open.lock();
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let joined = loop {
            if is_over() {
                break None;
            }
            let suits = |split: &&Arc<Split<S>>| split.has_moves() && below.is_none_or(|top| split.is_below(top));
            // The node nearest to the root has the largest pieces to give.
            if let Some(split) = open.iter().filter(suits).max_by_key(|split| split.depth) {
                split.helpers.fetch_add(1, Ordering::Relaxed);
                break Some(split.clone());
            }
            self.changed.wait(&mut open);
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        joined
    }

    /// Leaves a node that was joined.
    fn leave(&self, split: &Split<S>) {
        let open = self.open.lock();
        split.helpers.fetch_sub(1, Ordering::Release);
        drop(open);
        self.changed.notify_all();
    }
}

impl<E: Incremental> Walk<'_, E> {
    /// What a helping thread does: work wherever there is some, until the pool is closed.
    pub(super) fn help(&mut self) {
        let pool = &self.shared.pool;
        while let Some(split) = pool.join(None, || pool.is_closed.load(Ordering::Relaxed)) {
            self.work_at(&split);
            self.report_counts();
            pool.leave(&split);
        }
    }

    /// Searches the moves from the `first` on together with others. `None` if the result is not wanted any more.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn share(
        &mut self,
        node: &Node<E::State>,
        depth: u8,
        alpha: i32,
        beta: i32,
        found: Found,
        children: &Candidates,
        first: usize,
    ) -> Option<Found> {
        let evaluation = self.shared.evaluation;
        let split = Arc::new(Split {
            above: self.below.clone(),
            moves: children
                .into_iter()
                .skip(first)
                .map(|candidate| {
                    let state = evaluation.after(&node.state, candidate.square, candidate.turned);
                    (candidate.square, Node { position: candidate.child, state })
                })
                .collect(),
            depth: depth - 1,
            beta,
            selectivity: self.selectivity,
            probes: self.probes,
            next: AtomicUsize::new(0),
            bound: AtomicI32::new(alpha.max(found.value)),
            best: Mutex::new(found),
            is_cut: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
        });
        let pool = &self.shared.pool;
        pool.publish(&split);
        self.work_at(&split);
        pool.withdraw(&split);
        // Nobody new can come: help those who are still here.
        let done = || split.helpers.load(Ordering::Acquire) == 0;
        while let Some(other) = pool.join(Some(&split), done) {
            self.work_at(&other);
            pool.leave(&other);
        }
        let found = *split.best.lock();
        (!self.is_idle()).then_some(found)
    }

    /// Searches moves of a shared node until there are none left or it is decided.
    fn work_at(&mut self, split: &Arc<Split<E::State>>) {
        let before = (self.below.replace(split.clone()), self.selectivity, self.probes);
        (self.selectivity, self.probes) = (split.selectivity, split.probes);
        while !self.is_idle() {
            let Some((square, child)) = split.moves.get(split.next.fetch_add(1, Ordering::Relaxed)) else { break };
            let bound = split.bound.load(Ordering::Relaxed);
            let value = self.child_value(child, split.depth, true, bound, split.beta);
            if self.is_idle() {
                break;
            }
            let mut best = split.best.lock();
            if value > best.value {
                *best = Found { value, square: Some(*square) };
                split.bound.fetch_max(value, Ordering::Relaxed);
                if value >= split.beta {
                    split.is_cut.store(true, Ordering::Relaxed);
                }
            }
        }
        (self.below, self.selectivity, self.probes) = before;
    }
}
