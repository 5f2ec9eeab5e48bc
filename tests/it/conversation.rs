//! Conversations with sessions over connections in memory, and searches that do what a test wants.

use crate::transcript::replay;
use emilia::engine::{Engine, EngineOptions, SearchBuilder};
use emilia::input_line::InputLine;
use emilia::othello::{Move, Position};
use emilia::protocol::stdio::{Client, Connection};
use emilia::search::{Bound, Control, Line, Report, Score, Search, SearchDepth, Task};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

/// A session that says nothing for so long has got stuck.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How a protocol serves a client that has said some lines already.
type Serve = fn(Connection, Engine, Vec<InputLine>) -> Result<(), String>;

/// A client and the session that serves it. When this is dropped, the client leaves, and the session has to end.
pub struct Conversation {
    client: Option<Client>,
    session: Option<JoinHandle<Result<(), String>>>,
}

impl Conversation {
    pub fn new(serve: Serve, engine: Engine) -> Conversation {
        Conversation::begun(serve, engine, Vec::new())
    }

    /// A conversation whose first lines were read before the session began.
    pub fn begun(serve: Serve, engine: Engine, first: Vec<InputLine>) -> Conversation {
        let (connection, client) = Connection::in_memory();
        let session = std::thread::spawn(move || serve(connection, engine, first));
        Conversation { client: Some(client), session: Some(session) }
    }

    /// Ends the input and waits for the end of the session; what was not heard of it yet.
    pub fn rest(mut self) -> String {
        self.close();
        self.session.take().expect("it was not waited for").join().expect("no panic").expect("nothing is lost");
        self.output().try_iter().collect()
    }
}

impl Deref for Conversation {
    type Target = Client;

    fn deref(&self) -> &Client {
        self.client.as_ref().expect("it leaves at the end")
    }
}

impl DerefMut for Conversation {
    fn deref_mut(&mut self) -> &mut Client {
        self.client.as_mut().expect("it leaves at the end")
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        drop(self.client.take());
        let ended = self.session.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_none_or(|ended| ended.is_ok()), "the session panicked");
    }
}

/// Replays the transcripts of a protocol, at least `least` of them, each with a session of its own.
pub fn replay_all(protocol: &str, least: usize, start: impl Fn() -> Conversation) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts").join(protocol);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    assert!(files.len() >= least, "{files:?}");
    files.iter().for_each(|file| replay(file, start()));
}

/// The defaults, but every move is thought about.
pub fn without_book() -> EngineOptions {
    EngineOptions { book: None, ..EngineOptions::default() }
}

/// An engine that thinks with another search about every move.
pub fn engine_with(builder: SearchBuilder) -> Engine {
    Engine::with_searches(without_book(), builder)
}

/// What a search does when it is asked.
pub type Thought = fn(&Task, &Control, &mut dyn FnMut(&Report)) -> Report;

/// A search that does what a function says, and remembers nothing.
pub struct Does(pub Thought);

impl Search for Does {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        (self.0)(task, control, sink)
    }
}

/// The report of a search that takes the first move it sees.
pub fn first_move(position: &Position) -> Report {
    let turn = position.moves().into_iter().next().map_or(Move::Pass, Move::Place);
    let depth = SearchDepth::Plies(1);
    let line =
        Line { turn, score: Score::ZERO, bound: Bound::Exact, depth, value_plies: None, pv: vec![turn], visits: 0 };
    Report { lines: vec![line], depth, ..Report::default() }
}

/// Reports the first move and thinks until it is told to stop.
pub fn tireless(task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    let report = first_move(&task.position);
    sink(&report);
    while !control.must_stop(0, 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    report
}

/// Says in its count of nodes how many milliseconds it may take, 0 for no limit.
pub fn time_allowed(task: &Task, control: &Control, _: &mut dyn FnMut(&Report)) -> Report {
    let nodes = control.limits().time.map_or(0, |time| time.hard.as_millis() as u64);
    Report { nodes, ..first_move(&task.position) }
}

/// Counts in its nodes how often it was asked since it was cleared.
pub struct Forgetful(pub u64);

impl Search for Forgetful {
    fn think(&mut self, task: &Task, _: &Control, _: &mut dyn FnMut(&Report)) -> Report {
        self.0 += 1;
        Report { nodes: self.0, ..first_move(&task.position) }
    }

    fn clear(&mut self) {
        self.0 = 0;
    }
}
