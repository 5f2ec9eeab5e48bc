//! Several threads in one tree: the young brothers wait concept (Feldmann).
//!
//! Once the first move of a node has been searched, the others may be searched by any thread without work. A thread
//! that has come to the end of its own moves at such a node helps those who still work below it, so that nobody waits
//! idly while there is work that it could share.

use super::selective::Boldness;
use super::walk::{Found, Node};
use crate::othello::Square;
use arrayvec::ArrayVec;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

/// A node whose moves are searched by several threads.
pub(in crate::search) struct Split<S> {
    /// The shared node above this one, if any.
    above: Option<Arc<Split<S>>>,
    moves: ArrayVec<(Square, Node<S>), 60>,
    /// Depth in plies to which the node is searched.
    depth: u8,
    /// The move that is searched a ply deeper than the others.
    singular: Option<Square>,
    pub(super) beta: i32,
    pub(super) boldness: Boldness,
    /// The next move that nobody has taken.
    next: AtomicUsize,
    /// The greater of alpha and the best value so far.
    bound: AtomicI32,
    best: Mutex<Found>,
    /// Whether a move has reached beta: the others do not matter any more.
    is_cut: AtomicBool,
    /// Threads at work on the node's moves besides the one that shared it.
    helpers: AtomicUsize,
}

impl<S> Split<S> {
    /// A node with these moves left to search; `found` is the best of those before them.
    pub(super) fn new(
        above: Option<Arc<Split<S>>>,
        moves: ArrayVec<(Square, Node<S>), 60>,
        (depth, singular): (u8, Option<Square>),
        (alpha, beta): (i32, i32),
        boldness: Boldness,
        found: Found,
    ) -> Arc<Split<S>> {
        Arc::new(Split {
            above,
            moves,
            depth,
            singular,
            beta,
            boldness,
            next: AtomicUsize::new(0),
            bound: AtomicI32::new(alpha.max(found.value)),
            best: Mutex::new(found),
            is_cut: AtomicBool::new(false),
            helpers: AtomicUsize::new(0),
        })
    }

    /// Takes a move that nobody has taken, with the value that it has to exceed.
    pub(super) fn take(&self) -> Option<(Square, &Node<S>, i32)> {
        let (square, child) = self.moves.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        Some((*square, child, self.bound.load(Ordering::Relaxed)))
    }

    /// Depth in plies of the search below a move.
    pub(super) fn depth_below(&self, square: Square) -> u8 {
        self.depth - u8::from(self.singular != Some(square))
    }

    /// Enters the value of a move.
    pub(super) fn hand_in(&self, square: Square, value: i32) {
        let mut best = self.best.lock();
        if value > best.value {
            *best = Found { value, square: Some(square) };
            self.bound.fetch_max(value, Ordering::Relaxed);
            if value >= self.beta {
                self.is_cut.store(true, Ordering::Relaxed);
            }
        }
    }

    /// The best of the moves whose values are known.
    pub(super) fn best(&self) -> Found {
        *self.best.lock()
    }

    /// Whether no other thread works at its moves.
    pub(super) fn is_left_alone(&self) -> bool {
        self.helpers.load(Ordering::Acquire) == 0
    }

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

    /// Ends the helping threads.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        drop(self.open.lock());
        self.changed.notify_all();
    }

    /// Whether the search is over.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// Lets other threads join a node.
    pub(super) fn publish(&self, split: &Arc<Split<S>>) {
        self.open.lock().push(split.clone());
        self.changed.notify_all();
    }

    /// Lets no further thread join a node.
    pub(super) fn withdraw(&self, split: &Arc<Split<S>>) {
        self.open.lock().retain(|open| !Arc::ptr_eq(open, split));
    }

    /// Waits for a shared node with moves to give, `below` a given one if there is one, and joins it. `None` once
    /// `is_over` says so.
    pub(super) fn join(&self, below: Option<&Split<S>>, is_over: impl Fn() -> bool) -> Option<Arc<Split<S>>> {
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
    pub(super) fn leave(&self, split: &Split<S>) {
        let open = self.open.lock();
        split.helpers.fetch_sub(1, Ordering::Release);
        drop(open);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::selectivity::Selectivity;

    #[test]
    fn a_thread_that_helps_searches_the_singular_move_deeper_too() {
        let [one, other] = [19, 20].map(Square::from_low_bits);
        let split = |singular| {
            let found = Found { value: 0, square: None };
            let boldness = Boldness::of(Selectivity::BOLDEST);
            Split::<()>::new(None, ArrayVec::new(), (7, singular), (-1, 0), boldness, found)
        };
        assert_eq!([one, other].map(|square| split(Some(one)).depth_below(square)), [7, 6]);
        assert_eq!([one, other].map(|square| split(None).depth_below(square)), [6, 6]);
    }
}
