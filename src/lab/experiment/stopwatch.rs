//! Time that a thread has worked, as far as the system can tell it from time that it has waited for a processor.

use std::time::Duration;

/// Measures the work of the thread that started it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Duration);

impl Stopwatch {
    /// Starts one.
    pub fn start() -> Stopwatch {
        Stopwatch(now())
    }

    /// The work since then in nanoseconds; to be asked on the same thread.
    pub fn nanos(&self) -> u64 {
        now().saturating_sub(self.0).as_nanos() as u64
    }
}

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs for ever if work takes no time.
    #[test]
    fn work_takes_time() {
        let watch = Stopwatch::start();
        let before = watch.nanos();
        let mut work = 0u64;
        while watch.nanos() <= before {
            work = std::hint::black_box(work + 1);
        }
    }
}
