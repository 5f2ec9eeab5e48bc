//! Threads of one search.

/// Runs `work` on this thread and `help` on `threads` − 1 others, and waits for all. If the system has fewer threads to give, fewer
/// help.
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
