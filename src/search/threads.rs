//! Threads of one search.

/// Runs `work` on this thread and `help` on so many others that there are `threads` together, and waits for all. If fewer can be started,
/// those have to do.
pub(super) fn with_threads<T>(threads: usize, help: impl Fn() + Sync, work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        for helper in 1..threads {
            if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, &help) {
                log::warn!("only {helper} of {threads} threads could be started: {error}");
                break;
            }
        }
        work()
    })
}
