//! Threads of one search.

use crate::on_panic::OnPanic;
use std::time::Duration;

/// How long a thread that finds nothing to do waits for another one before it looks again.
pub(super) const PATIENCE: Duration = Duration::from_millis(2);

/// Runs `work` on this thread and, from when it calls its argument for the first time, `help` on `threads` − 1 others, and waits for all. If the
/// system has fewer threads to give, fewer help. Where one of them panics, `give_up` is called to end the others, which would wait for it, and the
/// panic goes on when they have ended.
pub(super) fn with_threads<T>(
    threads: usize,
    help: impl Fn() + Sync,
    work: impl FnOnce(&mut dyn FnMut()) -> T,
    give_up: impl Fn() + Sync,
) -> T {
    let help = || {
        let _guard = OnPanic(&give_up);
        help();
    };
    std::thread::scope(|scope| {
        let mut others = 1..threads;
        let mut call_for_help = || {
            for helper in std::mem::take(&mut others) {
                if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, help) {
                    log::warn!("only {helper} of {threads} threads could be started: {error}");
                    break;
                }
            }
        };
        let _guard = OnPanic(&give_up);
        work(&mut call_for_help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::othello::Position;
    use crate::search::{AlphaBeta, AlphaBetaSettings, BestFirst, BestFirstSettings, Control, Limits, Search, Task};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    #[test]
    fn the_others_help_once_they_are_called() {
        for calls in [0, 1, 3] {
            let helpers = AtomicU64::new(0);
            let help = || {
                helpers.fetch_add(1, Ordering::Relaxed);
            };
            let work = |call_for_help: &mut dyn FnMut()| (0..calls).for_each(|_| call_for_help());
            with_threads(4, help, work, || {});
            assert_eq!(helpers.into_inner(), if calls == 0 { 0 } else { 3 });
        }
    }

    #[test]
    fn a_panic_of_one_thread_ends_the_others() {
        for helper_panics in [false, true] {
            let given_up = AtomicBool::new(false);
            let run = |panics: bool| {
                assert!(!panics, "as planned");
                while !given_up.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                let give_up = || given_up.store(true, Ordering::Relaxed);
                let work = |call_for_help: &mut dyn FnMut()| {
                    call_for_help();
                    run(!helper_panics);
                };
                with_threads(2, || run(helper_panics), work, give_up);
            }));
            assert!(outcome.is_err());
        }
    }

    /// Counts the empty squares, and panics at one of its evaluations.
    struct Panics(AtomicU64);

    impl Evaluator<Position> for Panics {
        fn evaluate(&self, position: &Position) -> i32 {
            assert_ne!(self.0.fetch_add(1, Ordering::Relaxed), 30_000, "as planned");
            position.empty_count().count() as i32
        }
    }

    #[test]
    fn a_panic_in_any_thread_ends_a_search() {
        let searches: [Box<dyn Search>; 2] = [
            Box::new(AlphaBeta::new(AlphaBetaSettings { threads: 4, ..AlphaBetaSettings::default() })),
            Box::new(BestFirst::new(BestFirstSettings { threads: 4, ..BestFirstSettings::best_first() })),
        ];
        for mut search in searches {
            let task = Task::new(Position::START, Arc::new(Panics(AtomicU64::new(0))));
            let control = Control::with_limits(Limits::default());
            let outcome = catch_unwind(AssertUnwindSafe(|| search.think(&task, &control, &mut |_| {})));
            assert!(outcome.is_err());
        }
    }
}
