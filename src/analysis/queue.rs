//! Positions that wait for an engine, the most important first.

use super::Query;
use crossbeam::channel::{Receiver, Sender, bounded};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One position of a query.
#[derive(Clone, Debug)]
pub(super) struct QueuedPosition {
    pub query: Arc<Query>,
    /// Which position of its game.
    pub turn: usize,
    /// The line of the input that asked for it.
    pub line: u64,
    /// The place of its answer among all that were asked for.
    pub place: u64,
}

/// A position that is being thought about.
#[derive(Debug)]
pub(super) struct Ticket {
    pub job: QueuedPosition,
    /// Disconnected when the client does not want to know any more.
    pub cancel: Receiver<()>,
    number: u64,
}

/// The place of a position in the queue: by priority, then in the order in which they came.
type QueueKey = (Reverse<i64>, u64);

/// The number of positions that came one behind the other and are taken by one engine as far as possible. They are often those of one
/// game, and then what the engine has learned from one serves it for the next: a collection of games at depth 8 costs
/// two engines 1.4 times the nodes of one if they take the positions in turn.
const RUN: u64 = 32;

/// The number of later runs, for each engine, that may be begun while a position waits. Runs near the end of a game take
/// ten times as long as others, so it takes several before one engine has to help out with what another has begun.
const OVERTAKING_RUNS: u64 = 8;

/// A running job; the sender goes when the job is cancelled.
#[derive(Debug)]
struct Running {
    job: QueuedPosition,
    engine: usize,
    cancel: Option<Sender<()>>,
}

#[derive(Debug)]
struct State {
    waiting: BTreeMap<QueueKey, QueuedPosition>,
    /// Where each engine took its last position.
    last: Vec<Option<QueueKey>>,
    running: BTreeMap<u64, Running>,
    next: u64,
    /// Search threads that are not in use.
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
    /// A queue that takes no further query while `capacity` positions wait.
    pub fn new(threads: u32, capacity: usize) -> Queue {
        let state = State {
            waiting: BTreeMap::new(),
            last: vec![None; threads as usize],
            running: BTreeMap::new(),
            next: 0,
            free: threads,
            closed: false,
        };
        Queue { state: Mutex::new(state), work: Condvar::new(), room: Condvar::new(), capacity }
    }

    /// Puts the positions of a query in, waiting for room first; `place` is that of the first answer. A closed queue takes nothing.
    pub fn push(&self, query: &Arc<Query>, line: u64, place: u64) {
        let mut state = self.state.lock();
        while state.waiting.len() >= self.capacity && !state.closed {
            self.room.wait(&mut state);
        }
        if state.closed {
            return;
        }
        for (place, &turn) in (place..).zip(&query.turns) {
            let key = (Reverse(query.priority), state.next);
            state.next += 1;
            state.waiting.insert(key, QueuedPosition { query: Arc::clone(query), turn, line, place });
        }
        self.work.notify_all();
    }

    /// The next position for this engine, numbered from 0, to think about, once there are threads for it; `None` when nothing
    /// more comes. What a position at the head of the queue needs is kept free for it: later ones that need less do not
    /// overtake it.
    pub fn take(&self, engine: usize) -> Option<Ticket> {
        let mut state = self.state.lock();
        loop {
            match state.choose(engine) {
                Some(place) if state.can_begin(engine, &place) => {
                    return Some(self.hand_out(state, engine, place));
                }
                None if state.closed => return None,
                _ => {}
            }
            self.work.wait(&mut state);
        }
    }

    fn hand_out(&self, mut state: MutexGuard<'_, State>, engine: usize, place: QueueKey) -> Ticket {
        let number = place.1;
        state.free -= state.threads_for(&place);
        state.last[engine] = Some(place);
        let job = state.waiting.remove(&place).expect("it was chosen because it waits");
        let (sender, cancel) = bounded(0);
        state.running.insert(number, Running { job: job.clone(), engine, cancel: Some(sender) });
        if state.waiting.len() < self.capacity {
            self.room.notify_one();
        }
        if state.free > 0 {
            // Others may begin as well.
            self.work.notify_all();
        }
        Ticket { job, cancel, number }
    }

    /// A position is done with. Says whether the client had called it off.
    pub fn finish(&self, ticket: &Ticket) -> bool {
        let mut state = self.state.lock();
        state.free += ticket.job.query.settings.options.threads;
        let running = state.running.remove(&ticket.number);
        drop(state);
        self.work.notify_all();
        running.is_some_and(|running| running.cancel.is_none())
    }

    /// Calls off those that fit. Returns the ones that waited, which are not handed out any more, and how many were running.
    pub fn cancel(&self, fits: impl Fn(&QueuedPosition) -> bool) -> (Vec<QueuedPosition>, usize) {
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

impl State {
    /// The search threads that a position needs.
    fn threads_for(&self, place: &QueueKey) -> u32 {
        self.waiting.get(place).map_or(1, |job| job.query.settings.options.threads)
    }

    /// Whether the threads that a position needs are free. Where it needs several, it goes to the first engines, as many as can think at a
    /// time, if one of them is idle: each engine has a memory of its own.
    fn can_begin(&self, engine: usize, place: &QueueKey) -> bool {
        let threads = self.threads_for(place);
        let first = (self.last.len() / threads as usize).max(1);
        let thinks = |engine| self.running.values().any(|running| running.engine == engine);
        threads <= self.free && (engine < first || (0..first).all(thinks))
    }

    /// The place of the position that an engine is to think about next: one of the highest priority.
    fn choose(&self, engine: usize) -> Option<QueueKey> {
        let head = *self.waiting.first_key_value()?.0;
        let chosen = self.next_of_run(engine, head.0).or_else(|| self.new_run(engine, head)).unwrap_or(head);
        let overtakes = self.threads_for(&chosen) < self.threads_for(&head);
        Some(if self.can_begin(engine, &chosen) && !overtakes { chosen } else { head })
    }

    /// The position behind the one that the engine took last, if it is of the same run.
    fn next_of_run(&self, engine: usize, priority: Reverse<i64>) -> Option<QueueKey> {
        let (_, last) = self.last[engine].filter(|last| last.0 == priority)?;
        let end = (last / RUN + 1) * RUN;
        self.waiting.range((priority, last)..(priority, end)).next().map(|(&place, _)| place)
    }

    /// The first position of which no other engine has begun the run, unless it came much later than the first of all.
    fn new_run(&self, engine: usize, head: QueueKey) -> Option<QueueKey> {
        let mut place = head;
        let others =
            || self.last.iter().enumerate().filter(|(other, _)| *other != engine).filter_map(|(_, last)| *last);
        while others().any(|last| (last.0, last.1 / RUN) == (place.0, place.1 / RUN)) {
            let next_run = (place.0, (place.1 / RUN + 1) * RUN);
            place = self.waiting.range(next_run..).next().map(|(&place, _)| place).filter(|next| next.0 == head.0)?;
        }
        let furthest = head.1 + OVERTAKING_RUNS * RUN * self.last.len() as u64;
        (place.1 <= furthest).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::AnalysisSettings;
    use super::*;
    use crate::engine::EngineOptions;
    use crate::othello::GameRecord;

    fn query(id: u64, priority: i64, threads: u32, turns: usize) -> Arc<Query> {
        Arc::new(Query {
            id: id.into(),
            game: GameRecord::default(),
            turns: (0..turns).collect(),
            settings: AnalysisSettings::new(EngineOptions { threads, ..EngineOptions::default() }),
            from_book: false,
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
            queue.push(&query(id, priority, 1, 1), id, 0);
        }
        queue.close();
        let order: Vec<u64> = std::iter::from_fn(|| queue.take(3)).map(|ticket| id(&ticket)).collect();
        assert_eq!(order, [2, 5, 1, 3, 4]);
    }

    #[test]
    fn an_engine_takes_what_came_one_behind_the_other() {
        let queue = Queue::new(2, 10_000);
        let next = |engine| {
            let ticket = queue.take(engine).unwrap();
            queue.finish(&ticket);
            id(&ticket)
        };
        for id in 0..30 * RUN {
            queue.push(&query(id, 0, 1, 1), id, 0);
        }
        queue.close();
        // The first engine has a run of its own and leaves the second the next one.
        let begun = [next(0), next(1), next(0), next(1)];
        assert_eq!(begun, [0, RUN, 1, RUN + 1]);
        // Its run stays behind for a while, but not for ever.
        let by_second: Vec<u64> = (0..20 * RUN).map(|_| next(1)).collect();
        let overtaken = by_second.iter().position(|&id| id == 2).unwrap() as u64;
        assert!((RUN..=2 * OVERTAKING_RUNS * RUN + RUN).contains(&overtaken), "{overtaken}");
        // Where there is nothing else, everybody takes what there is.
        let rest = (0..10 * RUN - 4).map(|_| next(0));
        let mut all: Vec<u64> = rest.chain(by_second.iter().copied()).chain(begun).collect();
        all.sort_unstable();
        assert_eq!(all, (0..30 * RUN).collect::<Vec<_>>());
        assert!(queue.take(0).is_none());
    }

    #[test]
    fn what_is_more_important_ends_a_run() {
        let queue = Queue::new(2, 100);
        (0..4).for_each(|id| queue.push(&query(id, 0, 1, 1), id, 0));
        assert_eq!(id(&queue.take(0).unwrap()), 0);
        queue.push(&query(9, 1, 1, 1), 9, 0);
        assert_eq!((id(&queue.take(1).unwrap()), queue.lengths().0), (9, 3));
    }

    #[test]
    fn a_query_waits_for_the_threads_that_it_needs() {
        let queue = Queue::new(2, 100);
        queue.push(&query(1, 0, 1, 1), 1, 0);
        queue.push(&query(2, 0, 2, 1), 2, 0);
        queue.push(&query(3, 0, 1, 1), 3, 0);
        queue.close();
        let first = queue.take(0).unwrap();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| queue.take(0).unwrap());
            // The second needs both threads, and the third may not overtake it.
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert_eq!(queue.lengths(), (2, 1));
            assert!(!queue.finish(&first));
            let second = waiter.join().unwrap();
            assert_eq!(id(&second), 2);
            queue.finish(&second);
        });
        assert_eq!(id(&queue.take(0).unwrap()), 3);
        assert!(queue.take(0).is_none());
    }

    #[test]
    fn only_as_many_engines_take_positions_as_can_think_at_a_time() {
        let queue = Queue::new(4, 10_000);
        (0..2 * RUN).for_each(|id| queue.push(&query(id, 0, 2, 1), id, 0));
        queue.close();
        std::thread::scope(|scope| {
            let third = scope.spawn(|| queue.take(2).is_none());
            let mut taken = Vec::new();
            while let Some(tickets) = [0, 1].map(|engine| queue.take(engine)).into_iter().collect::<Option<Vec<_>>>() {
                taken.extend(tickets.iter().map(id));
                tickets.iter().for_each(|ticket| assert!(!queue.finish(ticket)));
            }
            assert!(taken.iter().copied().eq((0..RUN).flat_map(|id| [id, RUN + id])), "{taken:?}");
            assert!(third.join().unwrap(), "nothing is left for it");
        });
    }

    #[test]
    fn a_query_waits_for_no_engine_that_thinks_about_another() {
        let queue = Queue::new(4, 100);
        (0..2).for_each(|id| queue.push(&query(id, 0, 1, 1), id, 0));
        let thinking = [0, 1].map(|engine| queue.take(engine).unwrap());
        queue.push(&query(2, 0, 2, 1), 2, 0);
        queue.close();
        assert_eq!(id(&queue.take(3).unwrap()), 2);
        drop(thinking);
    }

    #[test]
    fn what_is_called_off_comes_back_or_is_told() {
        let queue = Queue::new(1, 100);
        queue.push(&query(1, 0, 1, 3), 1, 0);
        queue.push(&query(2, 0, 1, 1), 2, 0);
        let running = queue.take(0).unwrap();
        let (waited, stopped) = queue.cancel(|job| job.query.id == 1);
        assert_eq!((waited.len(), stopped), (2, 1));
        assert!(running.cancel.recv().is_err());
        assert_eq!(queue.cancel(|job| job.query.id == 1).1, 0, "once is enough");
        assert!(queue.finish(&running));
        assert_eq!(id(&queue.take(0).unwrap()), 2);
    }

    #[test]
    fn a_full_queue_makes_the_reader_wait() {
        let queue = Queue::new(1, 2);
        queue.push(&query(1, 0, 1, 2), 1, 0);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                queue.push(&query(2, 0, 1, 1), 2, 0);
                queue.close();
            });
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert_eq!(queue.lengths().0, 2);
            let mut taken = Vec::new();
            while let Some(ticket) = queue.take(0) {
                taken.push(id(&ticket));
                queue.finish(&ticket);
            }
            assert_eq!(taken, [1, 1, 2]);
            reader.join().unwrap();
        });
    }
}
