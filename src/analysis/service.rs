//! Answers queries with several engines at a time.

use super::answer::{ActionAnswer, ActionOutcome, Answer, ErrorAnswer, Finality, Stats, line};
use super::answer_order::AnswerOrder;
use super::journal::Done;
use super::query::{Action, ClientLine, QueryError, parse};
use super::queue::{Queue, QueuedPosition, Ticket};
use super::{AnalysisSettings, Thinker};
use crate::engine::EngineOptions;
use crate::input_line::InputLine;
use crate::on_panic::OnPanic;
use crate::search::Report;
use crossbeam::channel::Sender;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use web_time::Instant;

/// The version of the protocol that [`Service`] speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// What a service works with.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    /// What queries leave open.
    pub defaults: AnalysisSettings,
    /// Search threads in all, at least 1. As many positions are thought about at a time, fewer if one takes several.
    pub threads: u32,
    /// How many positions may wait before the next query is not taken.
    pub capacity: usize,
    /// Whether every position is thought about with an empty memory, and answers have no times: then an answer depends on
    /// its query alone, if that is not bounded by time and has one thread. The answers leave in the order of the lines, reports of searches
    /// that go on as they are made.
    pub reproducible: bool,
    /// Whether the answers are kept as results of a job: they have the number of the line that they answer, and there are
    /// no reports of searches that go on.
    pub for_keeping: bool,
    /// What an earlier run has answered already: numbers of lines, with the turns of queries.
    pub done: Done,
}

impl Default for ServiceSettings {
    /// One thread, for a client that waits for its answers.
    fn default() -> ServiceSettings {
        let options = EngineOptions { threads: 1, ..EngineOptions::default() };
        let defaults = AnalysisSettings::new(options);
        ServiceSettings {
            defaults,
            threads: 1,
            capacity: 1000,
            reproducible: false,
            for_keeping: false,
            done: Done::new(),
        }
    }
}

#[derive(Debug)]
struct Shared {
    settings: ServiceSettings,
    queue: Queue,
    output: Sender<String>,
    started: Instant,
    /// How often `clear_cache` was asked for.
    clearings: AtomicU64,
    /// The answers that the lines so far ask for.
    wanted: AtomicU64,
    /// Where the order of the lines counts.
    order: Option<AnswerOrder>,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    answered: u64,
    errors: u64,
    nodes: u64,
}

/// A pool of engines that answers lines of queries, each answer a line of its own, in the order in which they are found, or in that of
/// the lines if they are to be reproducible.
///
/// ```
/// use emilia::analysis::{Service, ServiceSettings, AnalysisSettings};
/// use emilia::engine::EngineOptions;
///
/// let (sender, answers) = crossbeam::channel::bounded(64);
/// let options = EngineOptions { threads: 1, ..EngineOptions::default() };
/// let defaults = AnalysisSettings::new(options);
/// let settings =
///     ServiceSettings { defaults, threads: 2, capacity: 100, ..ServiceSettings::default() };
/// let service = Service::new(settings, sender);
/// service.line(1, br#"{"id": "a", "moves": "f5", "depth": 4}"#);
/// service.line(2, br#"{"id": "b"}"#);
/// service.finish();
/// let answers: Vec<String> = answers.iter().collect();
/// assert!(answers.iter().any(|line| line.starts_with(r#"{"id":"a","turn":1"#)));
/// assert!(answers.iter().any(|line| line.contains("expected a board, a game or moves")));
/// ```
#[derive(Debug)]
pub struct Service {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl Service {
    /// Starts the engines. Answers go to `output`, a line each, the line feed with it; while it is full, the engines wait,
    /// and in the end so does the one who calls [`Service::line`]. Once it is disconnected nothing more is done.
    pub fn new(mut settings: ServiceSettings, output: Sender<String>) -> Service {
        let threads = settings.threads.max(1);
        // A query that says nothing of threads has to find as many.
        let of_query = &mut settings.defaults.options.threads;
        *of_query = (*of_query).min(threads);
        let shared = Arc::new(Shared {
            queue: Queue::new(threads, settings.capacity.max(1)),
            order: settings.reproducible.then(|| AnswerOrder::new(settings.capacity.max(1))),
            settings,
            output,
            started: Instant::now(),
            clearings: AtomicU64::new(0),
            wanted: AtomicU64::new(0),
            counts: Mutex::default(),
        });
        let worker = |number| {
            let shared = Arc::clone(&shared);
            let builder = std::thread::Builder::new().name(format!("analysis {number}"));
            builder.spawn(move || work(&shared, number as usize)).expect("a thread can be started")
        };
        let workers = (0..threads).map(worker).collect();
        Service { shared, workers }
    }

    /// Takes a line; `number` is its place in the input, from 1. Waits while the queue is full. Blank lines are passed
    /// over.
    pub fn line(&self, number: u64, bytes: &[u8]) {
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let shared = &self.shared;
        let done = &shared.settings.done;
        match parse(bytes, &shared.settings.defaults, shared.settings.threads.max(1)) {
            Ok(ClientLine::Query(mut query)) => {
                query.turns.retain(|&turn| !done.contains(&(number, Some(turn as u64))));
                shared.wait_for_room();
                let place = shared.places(query.turns.len());
                shared.queue.push(&Arc::new(*query), number, place);
            }
            _ if done.contains(&(number, None)) => {}
            Ok(ClientLine::Action { id, action, warnings }) => {
                let outcome = shared.act(&action);
                let (id, number, action) = (id.as_ref(), shared.number(number), action.name());
                shared.send(shared.places(1), line(&ActionAnswer { id, number, action, outcome, warnings: &warnings }));
            }
            Err(error) => shared.refuse(number, &error),
        }
    }

    /// Takes notice of a line of more than [`InputLine::MOST_BYTES`].
    pub fn too_long(&self, number: u64) {
        if self.shared.settings.done.contains(&(number, None)) {
            return;
        }
        let problem = format!("a line of more than {} bytes", InputLine::MOST_BYTES);
        self.shared.refuse(number, &QueryError { id: None, field: None, index: None, problem });
    }

    /// Waits until everything is answered, or the output is disconnected.
    pub fn finish(self) {
        self.shared.queue.close();
        for worker in self.workers {
            // A worker that panicked has said so.
            let _ = worker.join();
        }
        if let Some(order) = &self.shared.order {
            order.finish(|text| self.shared.send_now(text));
        }
    }
}

impl Shared {
    /// The number that answers to this line bear.
    fn number(&self, line: u64) -> Option<u64> {
        self.settings.for_keeping.then_some(line)
    }

    /// The place of the first of as many answers, in the order in which they are asked for.
    fn places(&self, answers: usize) -> u64 {
        self.wanted.fetch_add(answers as u64, Ordering::Relaxed)
    }

    /// Sends an answer, in its place if the order counts.
    fn send(&self, place: u64, text: String) {
        match &self.order {
            Some(order) => order.put(place, text, |text| self.send_now(text)),
            None => {
                self.send_now(text);
            }
        }
    }

    /// Whether somebody listens.
    fn send_now(&self, text: String) -> bool {
        let sent = self.output.send(text).is_ok();
        if !sent {
            self.give_up();
        }
        sent
    }

    /// Nobody listens.
    fn give_up(&self) {
        self.queue.close();
        self.queue.cancel(|_| true);
    }

    /// Waits until not too many answers are held back. Actions do not wait: they may be what ends the search that the others wait for. One
    /// that comes behind a query that waits is read after it.
    fn wait_for_room(&self) {
        if let Some(order) = &self.order {
            order.wait_for_room();
        }
    }

    fn refuse(&self, number: u64, error: &QueryError) {
        self.wait_for_room();
        self.counts.lock().errors += 1;
        self.send(self.places(1), line(&ErrorAnswer::new(error, number, self.number(number))));
    }

    fn act(&self, action: &Action) -> ActionOutcome {
        match action {
            Action::Terminate { id, turns } => self
                .terminate(|job| job.query.id == *id && turns.as_ref().is_none_or(|turns| turns.contains(&job.turn))),
            Action::TerminateAll => self.terminate(|_| true),
            Action::QueryVersion => {
                ActionOutcome::Version { version: env!("CARGO_PKG_VERSION"), protocol: PROTOCOL_VERSION }
            }
            Action::ClearCache => {
                self.clearings.fetch_add(1, Ordering::Relaxed);
                ActionOutcome::Done {}
            }
            Action::Stats => ActionOutcome::Stats(self.stats()),
        }
    }

    fn terminate(&self, fits: impl Fn(&QueuedPosition) -> bool) -> ActionOutcome {
        let (waited, running) = self.queue.cancel(fits);
        for job in &waited {
            self.answer(job, &Report::default(), Finality::Terminated);
        }
        ActionOutcome::Terminated { terminated: waited.len() + running }
    }

    fn stats(&self) -> Stats {
        let (waiting, running) = self.queue.lengths();
        let counts = self.counts.lock();
        Stats {
            waiting,
            running,
            answered: counts.answered,
            errors: counts.errors,
            nodes: counts.nodes,
            threads: self.settings.threads.max(1),
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }

    fn text(&self, job: &QueuedPosition, report: &Report, finality: Finality) -> String {
        let timed = !self.settings.reproducible;
        line(&Answer::new(&job.query, job.turn, report, finality, timed).numbered(self.number(job.line)))
    }

    fn answer(&self, job: &QueuedPosition, report: &Report, finality: Finality) {
        let mut counts = self.counts.lock();
        counts.answered += 1;
        counts.nodes += report.nodes;
        drop(counts);
        self.send(job.place, self.text(job, report, finality));
    }
}

/// One engine's work: position after position until nothing more comes.
fn work(shared: &Shared, engine: usize) {
    // Where a worker panics, nobody waits for its answer, and nothing more is taken.
    let _guard = OnPanic(|| {
        shared.order.iter().for_each(AnswerOrder::close);
        shared.give_up();
    });
    let mut thinker = Thinker::new(shared.settings.defaults.options.clone());
    let mut clearings = 0;
    while let Some(ticket) = shared.queue.take(engine) {
        let wanted = shared.clearings.load(Ordering::Relaxed);
        if wanted != clearings || shared.settings.reproducible {
            thinker.clear();
            clearings = wanted;
        }
        think(shared, &mut thinker, &ticket);
    }
}

fn think(shared: &Shared, thinker: &mut Thinker, ticket: &Ticket) {
    let Ticket { job, cancel, .. } = ticket;
    let query = &job.query;
    let position = query.position(job.turn);
    let report_every = query.report_every.filter(|_| !shared.settings.for_keeping);
    let decision = thinker.think_aloud(position, &query.settings, report_every, cancel, &mut |report| {
        // A client that is slow to read is spared news that will be old when it comes to it.
        let _ = shared.output.try_send(shared.text(job, report, Finality::Partial));
    });
    let called_off = shared.queue.finish(ticket);
    let finality = if called_off { Finality::Terminated } else { Finality::Final };
    shared.answer(job, &decision.report, finality);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_position;
    use crossbeam::channel::{Receiver, bounded};
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn service(threads: u32, capacity: usize, waiting: usize, reproducible: bool) -> (Service, Receiver<String>) {
        let (sender, receiver) = bounded(waiting);
        let options = EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() };
        let defaults = AnalysisSettings::new(options);
        let settings = ServiceSettings { defaults, threads, capacity, reproducible, ..ServiceSettings::default() };
        (Service::new(settings, sender), receiver)
    }

    fn next(answers: &Receiver<String>) -> Value {
        serde_json::from_str(&answers.recv().unwrap()).unwrap()
    }

    /// All answers that are still to come.
    fn rest(answers: &Receiver<String>) -> Vec<Value> {
        answers.iter().map(|line| serde_json::from_str(&line).unwrap()).collect()
    }

    #[test]
    fn every_position_is_answered_once_however_slow_the_reader_is() {
        let (service, answers) = service(3, 4, 1, false);
        let feeder = std::thread::spawn(move || {
            for id in 0..50 {
                let board = random_position(id, 10 + id as u32);
                service.line(id, format!(r#"{{"id":{id},"board":"{board}","depth":2}}"#).as_bytes());
            }
            service.finish();
        });
        let ids: Vec<u64> = rest(&answers).iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
        feeder.join().unwrap();
        assert_eq!((ids.len(), ids.into_iter().collect::<BTreeSet<_>>()), (50, (0..50).collect()));
    }

    #[test]
    fn running_and_waiting_positions_are_called_off() {
        let (service, answers) = service(1, 100, 100, false);
        service.line(1, br#"{"id":"long","moves":"f5","exact":true,"report_every":0.005}"#);
        assert_eq!(next(&answers)["partial"], true);
        service.line(2, br#"{"id":"next","moves":"f5","exact":true,"turns":"all"}"#);
        service.line(3, br#"{"id":"next","action":"terminate","turns":[1]}"#);
        service.line(4, br#"{"action":"terminate_all","id":7}"#);
        service.finish();
        let mut ended = Vec::new();
        let mut counts = Vec::new();
        for answer in rest(&answers) {
            if answer["terminated"] == true {
                let searched = !answer["moves"].as_array().unwrap().is_empty();
                assert_eq!(searched, answer.get("value").is_some());
                ended.push((answer["id"].clone(), answer["turn"].clone(), searched));
            } else if answer["partial"] != true {
                counts.push((answer["action"].clone(), answer["terminated"].clone()));
            }
        }
        ended.sort_by_key(|(id, turn, _)| (id.to_string(), turn.as_u64()));
        let expected = [("long", 1, true), ("next", 0, false), ("next", 1, false)]
            .map(|(id, turn, b)| (id.into(), turn.into(), b));
        assert_eq!(ended, expected);
        assert_eq!(counts, [("terminate".into(), 1.into()), ("terminate_all".into(), 2.into())]);
    }

    #[test]
    fn a_listener_who_goes_ends_the_work() {
        let (service, answers) = service(2, 2, 1, false);
        drop(answers);
        for id in 0..100 {
            service.line(id, format!(r#"{{"id":{id},"moves":"f5","exact":true}}"#).as_bytes());
            // The answer to a wrong line is sent at once, and so finds the output disconnected.
            service.line(id, b"nonsense");
        }
        service.finish();
    }

    #[test]
    fn reproducible_answers_depend_on_the_query_alone_and_are_in_order() {
        let query = |id: u64| {
            let board = random_position(id, 30);
            format!(r#"{{"id":{id},"board":"{board}","depth":6,"multipv":2}}"#)
        };
        let answers = |order: &[u64], threads| {
            let (service, answers) = service(threads, 100, 100, true);
            for &id in order {
                service.line(id, query(id).as_bytes());
                service.line(id, b"nonsense");
            }
            service.finish();
            answers.iter().collect::<Vec<String>>()
        };
        let forward: Vec<u64> = (0..12).collect();
        let backward: Vec<u64> = (0..12).rev().collect();
        let lines = answers(&forward, 1);
        assert_eq!(lines, answers(&forward, 3));
        let mut turned = answers(&backward, 3);
        turned.reverse();
        let pairs = turned.chunks(2).flat_map(|pair| [&pair[1], &pair[0]]);
        assert_eq!(lines.iter().collect::<Vec<_>>(), pairs.collect::<Vec<_>>());
        assert!(!lines[0].contains("seconds") && lines[0].contains(r#""moves":[{"move":""#), "{}", lines[0]);
    }

    #[test]
    fn what_is_held_back_does_not_keep_an_action_from_being_done() {
        let (service, answers) = service(2, 1, 100, true);
        service.line(
            1,
            br#"{"id":1,"board":"---------------------------OX------XO--------------------------- X","exact":true}"#,
        );
        // Its answer is the only one that may be held back.
        service.line(2, br#"{"id":2,"moves":"f5","depth":1}"#);
        service.line(3, br#"{"action":"terminate","id":1}"#);
        service.line(4, b"nonsense");
        service.finish();
        let found = rest(&answers);
        let ids: Vec<&Value> = found.iter().map(|answer| &answer["id"]).collect();
        assert_eq!(ids, [&1.into(), &2.into(), &1.into(), &Value::Null]);
        assert_eq!(found[0]["terminated"], true);
    }

    #[test]
    fn what_is_done_is_not_done_again() {
        let (sender, answers) = bounded(100);
        let done = Done::from([(1, Some(0)), (2, None), (4, Some(1))]);
        let settings = ServiceSettings { for_keeping: true, done, ..ServiceSettings::default() };
        let service = Service::new(settings, sender);
        service.line(1, br#"{"id":1,"moves":"f5","turns":"all","depth":1,"report_every":0.001}"#);
        service.line(2, b"nonsense");
        service.line(3, b"nonsense");
        service.line(4, br#"{"id":4,"moves":"f5","depth":1}"#);
        service.finish();
        let mut found = rest(&answers);
        found.sort_by_key(|answer| answer["number"].as_u64());
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((&found[0]["number"], &found[0]["turn"]), (&1.into(), &1.into()));
        assert_eq!((&found[1]["number"], &found[1]["line"]), (&3.into(), &3.into()));
    }

    #[test]
    fn stats_and_the_version_are_told() {
        let (service, answers) = service(2, 10, 100, false);
        service.line(1, b"  \r");
        service.line(2, br#"{"action":"query_version","id":"v"}"#);
        service.line(3, b"{}");
        service.line(4, br#"{"action":"clear_cache"}"#);
        service.line(5, br#"{"action":"stats","id":5,"colour":"red"}"#);
        service.too_long(6);
        assert_eq!(next(&answers)["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(next(&answers)["line"], 3);
        assert_eq!(next(&answers), serde_json::json!({ "action": "clear_cache" }));
        let stats = next(&answers);
        assert_eq!((&stats["errors"], &stats["threads"], &stats["id"]), (&1.into(), &2.into(), &5.into()));
        assert_eq!(stats["warnings"][0], "unknown field 'colour'");
        assert_eq!(next(&answers)["line"], 6);
    }
}
