//! Positions that wait for an engine, the most important first.

use super::Query;
use crossbeam::channel::{Receiver, Sender, bounded};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One position of a query.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub query: Arc<Query>,
    /// Which position of its game.
    pub turn: usize,
    /// The line of the input that asked for it.
    pub line: u64,
}

/// A position that is being thought about.
#[derive(Debug)]
pub(super) struct Ticket {
    pub job: Job,
    /// Disconnected when the client does not want to know any more.
    pub cancel: Receiver<()>,
    number: u64,
}

/// A running job; the sender goes when the job is cancelled.
#[derive(Debug)]
struct Running {
    job: Job,
    cancel: Option<Sender<()>>,
}

#[derive(Debug)]
struct State {
    /// By priority, then in the order in which they came.
    waiting: BTreeMap<(Reverse<i64>, u64), Job>,
    running: BTreeMap<u64, Running>,
    next: u64,
    /// Search threads that nobody uses.
    free: u32,
    /// Nothing more comes.
    closed: bool,
}

/// The queue between the one who reads queries and the engines that answer them. It holds a bounded number of positions,
/// and hands out no more than there are threads for.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// There is something to do, or there are threads to do it with, or nothing more comes.
    work: Condvar,
    /// There is room for more.
    room: Condvar,
    capacity: usize,
}

impl Queue {
    /// A queue that takes no further query while so many positions wait.
    pub fn new(threads: u32, capacity: usize) -> Queue {
        let state = State { waiting: BTreeMap::new(), running: BTreeMap::new(), next: 0, free: threads, closed: false };
        Queue { state: Mutex::new(state), work: Condvar::new(), room: Condvar::new(), capacity }
    }

    /// Puts the positions of a query in, waiting for room first. A closed queue takes nothing.
    pub fn push(&self, query: &Arc<Query>, line: u64) {
        let mut state = self.state.lock();
        while state.waiting.len() >= self.capacity && !state.closed {
            self.room.wait(&mut state);
        }
        if state.closed {
            return;
        }
        for &turn in &query.turns {
            let key = (Reverse(query.priority), state.next);
            state.next += 1;
            state.waiting.insert(key, Job { query: Arc::clone(query), turn, line });
        }
        self.work.notify_all();
    }

    /// The next position to think about, once there are threads for it; `None` when nothing more comes. What a position
    /// needs is kept free for it: later ones that need less do not overtake it.
    pub fn take(&self) -> Option<Ticket> {
        let mut state = self.state.lock();
        loop {
            let wanted = state.waiting.first_key_value().map(|(_, job)| job.query.thinking.options.threads);
            match wanted {
                Some(threads) if threads <= state.free => return Some(self.hand_out(state, threads)),
                None if state.closed => return None,
                _ => {}
            }
            self.work.wait(&mut state);
        }
    }

    fn hand_out(&self, mut state: MutexGuard<'_, State>, threads: u32) -> Ticket {
        let ((_, number), job) = state.waiting.pop_first().expect("there is a first one");
        state.free -= threads;
        let (sender, cancel) = bounded(0);
        state.running.insert(number, Running { job: job.clone(), cancel: Some(sender) });
        if state.waiting.len() < self.capacity {
            self.room.notify_one();
        }
        if state.free > 0 {
            // Another may begin as well.
            self.work.notify_one();
        }
        Ticket { job, cancel, number }
    }

    /// A position is done with. Says whether the client had called it off.
    pub fn finish(&self, ticket: &Ticket) -> bool {
        let mut state = self.state.lock();
        state.free += ticket.job.query.thinking.options.threads;
        let running = state.running.remove(&ticket.number);
        drop(state);
        self.work.notify_all();
        running.is_some_and(|running| running.cancel.is_none())
    }

    /// Calls off those that fit. Returns the ones that waited, which nobody will answer now, and how many were running.
    pub fn cancel(&self, fits: impl Fn(&Job) -> bool) -> (Vec<Job>, usize) {
        let mut state = self.state.lock();
        let waited = state.waiting.extract_if(.., |_, job| fits(job)).map(|(_, job)| job).collect();
        let mut running = 0;
        for one in state.running.values_mut().filter(|one| one.cancel.is_some() && fits(&one.job)) {
            one.cancel = None;
            running += 1;
        }
        drop(state);
        self.room.notify_all();
        // What waits now may need fewer threads than what was called off.
        self.work.notify_all();
        (waited, running)
    }

    /// Nothing more comes; what waits is still handed out.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.work.notify_all();
        self.room.notify_all();
    }

    /// How many positions wait and how many are being thought about.
    pub fn lengths(&self) -> (usize, usize) {
        let state = self.state.lock();
        (state.waiting.len(), state.running.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Thinking;
    use super::*;
    use crate::engine::EngineOptions;
    use crate::othello::GameRecord;

    fn query(id: u64, priority: i64, threads: u32, turns: usize) -> Arc<Query> {
        Arc::new(Query {
            id: id.into(),
            game: GameRecord::default(),
            turns: (0..turns).collect(),
            thinking: Thinking::new(EngineOptions { threads, ..EngineOptions::default() }),
            report_every: None,
            priority,
            warnings: Vec::new(),
        })
    }

    fn id(ticket: &Ticket) -> u64 {
        ticket.job.query.id.as_u64().unwrap()
    }

    #[test]
    fn the_important_go_first_and_equals_in_their_order() {
        let queue = Queue::new(9, 100);
        for (id, priority) in [(1, 0), (2, 5), (3, 0), (4, -1), (5, 5)] {
            queue.push(&query(id, priority, 1, 1), id);
        }
        queue.close();
        let order: Vec<u64> = std::iter::from_fn(|| queue.take()).map(|ticket| id(&ticket)).collect();
        assert_eq!(order, [2, 5, 1, 3, 4]);
    }

    #[test]
    fn a_query_waits_for_the_threads_that_it_needs() {
        let queue = Queue::new(2, 100);
        queue.push(&query(1, 0, 1, 1), 1);
        queue.push(&query(2, 0, 2, 1), 2);
        queue.push(&query(3, 0, 1, 1), 3);
        queue.close();
        let first = queue.take().unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| queue.take().unwrap());
            // The second needs both threads, and the third may not overtake it.
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert_eq!(queue.lengths(), (2, 1));
            assert!(!queue.finish(&first));
            let second = waiter.join().unwrap();
            assert_eq!(id(&second), 2);
            queue.finish(&second);
        });
        assert_eq!(id(&queue.take().unwrap()), 3);
        assert!(queue.take().is_none());
    }

    #[test]
    fn what_is_called_off_comes_back_or_is_told() {
        let queue = Queue::new(1, 100);
        queue.push(&query(1, 0, 1, 3), 1);
        queue.push(&query(2, 0, 1, 1), 2);
        let running = queue.take().unwrap();
        let (waited, stopped) = queue.cancel(|job| job.query.id == 1);
        assert_eq!((waited.len(), stopped), (2, 1));
        assert!(running.cancel.recv().is_err());
        assert_eq!(queue.cancel(|job| job.query.id == 1).1, 0, "once is enough");
        assert!(queue.finish(&running));
        assert_eq!(id(&queue.take().unwrap()), 2);
    }

    #[test]
    fn a_full_queue_makes_the_reader_wait() {
        let queue = Queue::new(1, 2);
        queue.push(&query(1, 0, 1, 2), 1);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                queue.push(&query(2, 0, 1, 1), 2);
                queue.close();
            });
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert_eq!(queue.lengths().0, 2);
            let mut taken = Vec::new();
            while let Some(ticket) = queue.take() {
                taken.push(id(&ticket));
                queue.finish(&ticket);
            }
            assert_eq!(taken, [1, 1, 2]);
            reader.join().unwrap();
        });
    }
}
