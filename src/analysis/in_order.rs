//! Work shared out among threads, with the results in the order of the items.

use crate::on_panic::OnPanic;
use crossbeam::channel::unbounded;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many results may wait for an earlier one, for each worker.
const WINDOW_PER_WORKER: usize = 4;

/// The items have a lock of their own: one that is waited for must not hold back the results that are there.
struct Shared<T> {
    source: Mutex<Items<T>>,
    progress: Mutex<Handed>,
    given: Condvar,
}

struct Items<T> {
    items: T,
    /// Items handed out.
    taken: usize,
}

struct Handed {
    /// Results given away.
    given: usize,
    stopped: bool,
}

/// Has every item worked on by one of the workers, each of which has a thread of its own, and gives the results to `sink`
/// in the order of the items. Items are only taken as results are given away, so any number of them takes the memory of
/// a few. If the sink says `false` this returns at once; workers that are busy then end with what they are doing.
///
/// # Panics
///
/// If a worker does.
pub fn in_order<T, W, R>(items: T, workers: Vec<W>, mut sink: impl FnMut(R) -> bool)
where
    T: Iterator + Send + 'static,
    W: FnMut(T::Item) -> R + Send + 'static,
    R: Send + 'static,
{
    let window = WINDOW_PER_WORKER * workers.len();
    let shared = Arc::new(Shared {
        source: Mutex::new(Items { items, taken: 0 }),
        progress: Mutex::new(Handed { given: 0, stopped: false }),
        given: Condvar::new(),
    });
    let (sender, results) = unbounded();
    let mut threads = Vec::new();
    for (number, mut worker) in workers.into_iter().enumerate() {
        let (shared, sender) = (Arc::clone(&shared), sender.clone());
        let work = move || {
            // Where one worker panics, the others do not wait for its result.
            let _guard = OnPanic(|| {
                shared.progress.lock().stopped = true;
                shared.given.notify_all();
            });
            loop {
                let mut source = shared.source.lock();
                let index = source.taken;
                let mut progress = shared.progress.lock();
                while index >= progress.given + window && !progress.stopped {
                    shared.given.wait(&mut progress);
                }
                if progress.stopped {
                    return;
                }
                drop(progress);
                let Some(item) = source.items.next() else { return };
                source.taken += 1;
                drop(source);
                if sender.send((index, worker(item))).is_err() {
                    return;
                }
            }
        };
        let builder = std::thread::Builder::new().name(format!("worker {number}"));
        threads.push(builder.spawn(work).expect("a thread can be started"));
    }
    drop(sender);
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    for (index, result) in results {
        waiting.insert(index, result);
        while let Some(result) = waiting.remove(&next) {
            next += 1;
            let go_on = sink(result);
            let mut progress = shared.progress.lock();
            progress.given = next;
            // Not taken back: a worker may have panicked meanwhile.
            progress.stopped |= !go_on;
            drop(progress);
            shared.given.notify_all();
            if !go_on {
                return;
            }
        }
    }
    for thread in threads {
        if let Err(panic) = thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        for workers in 1..5 {
            let work = |_| {
                |item: u64| {
                    // Some take longer than others.
                    std::thread::sleep(Duration::from_micros(item * 7919 % 13 * 50));
                    item * item
                }
            };
            let mut found = Vec::new();
            in_order(0..200_u64, (0..workers).map(work).collect(), |result| {
                found.push(result);
                true
            });
            assert_eq!(found, (0..200).map(|item| item * item).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_result_does_not_wait_for_the_next_item() {
        let (sender, items) = unbounded();
        sender.send(1_u64).unwrap();
        let mut found = Vec::new();
        // Each item is only there when the result before it has been given away.
        in_order(items.into_iter(), vec![|item: u64| item, |item| item], |result| {
            found.push(result);
            sender.send(result + 1).unwrap();
            result < 20
        });
        assert_eq!(found, (1..=20).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic(expected = "the seventh")]
    fn a_panic_is_not_waited_for() {
        let work = |item: u64| if item == 7 { panic!("the seventh") } else { item };
        in_order(0..1000_u64, vec![work, work], |_| true);
    }

    #[test]
    fn nobody_runs_far_ahead_or_goes_on_when_it_is_enough() {
        let taken = Arc::new(Mutex::new(0));
        let count = Arc::clone(&taken);
        let items = (0..1_000_000).inspect(move |_| *count.lock() += 1);
        let mut given = 0;
        in_order(items, vec![|item: u64| item, |item| item], |_| {
            given += 1;
            assert!(*taken.lock() < given + 2 * WINDOW_PER_WORKER + 2);
            given < 50
        });
        assert_eq!(given, 50);
    }
}
