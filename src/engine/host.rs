//! Where the worker of an engine works.

use super::worker::{Worker, WorkerMessage};
use crossbeam::channel::{Sender, unbounded};
use std::thread::JoinHandle;

/// A worker in its place. Dropping it waits until the worker has ended its job.
#[derive(Debug)]
pub(super) enum Host {
    /// In a thread of its own.
    Thread(WorkerThread),
    /// In the caller's thread: [`Host::send`] returns when the job is done.
    Caller(Box<Worker>),
}

impl Host {
    /// A thread for the worker, or, where the system has none to give, the caller's.
    pub(super) fn new(worker: impl Fn() -> Worker) -> Host {
        let (jobs, queue) = unbounded();
        let thread = std::thread::Builder::new().name("search".to_owned()).stack_size(16 << 20);
        let in_thread = worker();
        match thread.spawn(move || in_thread.run(&queue)) {
            Ok(handle) => Host::Thread(WorkerThread { jobs: Some(jobs), handle: Some(handle) }),
            Err(error) => {
                log::warn!("no thread for the search ({error}): it is done where it is asked for");
                Host::Caller(Box::new(worker()))
            }
        }
    }

    /// Gives the worker a job.
    pub(super) fn send(&mut self, job: WorkerMessage) {
        match self {
            Host::Thread(thread) => thread.send(job),
            // To ponder would keep the caller for a minute.
            Host::Caller(_) if matches!(job, WorkerMessage::Ponder(_)) => {}
            Host::Caller(worker) => worker.work(job),
        }
    }
}

/// A thread that works until it is dropped.
#[derive(Debug)]
pub(super) struct WorkerThread {
    jobs: Option<Sender<WorkerMessage>>,
    handle: Option<JoinHandle<()>>,
}

impl WorkerThread {
    fn send(&self, job: WorkerMessage) {
        // The worker lives as long as this and survives panics of a search; should it be gone all the same, the
        // dropped sender closes the event channel.
        if self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_err()) {
            log::error!("the search thread is gone");
        }
    }
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(handle) = self.handle.take() {
            // A worker that panicked has said so in the log.
            let _ = handle.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Engine, EngineOptions, Event, Request};
    use super::*;
    use crate::othello::Position;
    use crate::search::Depth;

    #[test]
    fn without_a_thread_the_answer_is_there_when_start_returns() {
        let options =
            EngineOptions { threads: 1, depth: Depth::new(4), book: None, ponder: true, ..EngineOptions::default() };
        let worker = Worker::new(options.clone(), |options| (options.engine.build)(options));
        let mut engine = Engine::new(options);
        engine.host = Host::Caller(Box::new(worker));
        let mut reports = Vec::new();
        for _ in 0..2 {
            let request = Request::best_move(Position::START);
            let thinking = engine.start(request.clone());
            let events: Vec<Event> = thinking.events().try_iter().collect();
            let Some(Event::Finished(decision)) = events.last() else { panic!("{events:?}") };
            reports.push((decision.turn, decision.report.nodes));
            engine.ponder(&request, decision.turn.unwrap());
            engine.clear();
        }
        assert!(reports[0].1 > 100 && reports[0] == reports[1], "the second search begins anew: {reports:?}");
    }
}
