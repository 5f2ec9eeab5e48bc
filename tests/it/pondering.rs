//! Sessions of both protocols with an engine that thinks while the client does.

use crate::play::Script;
use crate::{gtp, nboard};
use emilia::engine::{Engine, EngineOptions};
use emilia::othello::{Color, Move, Position, Square};
use emilia::play::{Level, Opponent, Said, Session};
use emilia::protocol::stdio::Client;
use emilia::render::Palette;
use emilia::search::{Bound, Control, Line, Report, Score, Search, SearchDepth, Task};
use parking_lot::Mutex;
use std::io;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Less than the minute after which pondering ends by itself.
const PATIENCE: Duration = Duration::from_secs(30);
/// After this long, what was to end has ended.
const TO_BE_SEEN: Duration = Duration::from_millis(50);

/// Where a [`Watched`] search has begun to ponder, and where it has ended. Each test has an opening of its own.
static BEGUN: Mutex<Vec<Position>> = Mutex::new(Vec::new());
static ENDED: Mutex<Vec<Position>> = Mutex::new(Vec::new());

/// Answers for Black at once and thinks about White's positions until it is told to stop.
struct Watched;

impl Search for Watched {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let position = task.position;
        let turn = Move::Place(first_move(&position));
        let depth = SearchDepth::Plies(1);
        let line = Line { turn, score: Score::ZERO, bound: Bound::Exact, depth, pv: vec![turn], visits: 0 };
        let report = Report { lines: vec![line], depth, ..Report::default() };
        if position.mover() == Color::White {
            sink(&report);
            BEGUN.lock().push(position);
            while !control.must_stop(0, 0) {
                std::thread::sleep(Duration::from_millis(1));
            }
            ENDED.lock().push(position);
        }
        report
    }

    fn clear(&mut self) {}
}

fn engine() -> Engine {
    let options = EngineOptions { ponder: true, time: Some(Duration::from_secs(1_000_000)), ..nboard::without_book() };
    Engine::with_searches(options, |_| Box::new(Watched))
}

fn first_move(position: &Position) -> Square {
    position.moves().into_iter().next().expect("a move")
}

/// The position behind an opening, Black's answer there, and the position behind that.
fn opening(moves: &str) -> (Position, Square, Position) {
    let before = moves.split(' ').fold(Position::START, |position, name| position.play(name.parse().unwrap()).unwrap());
    let answer = first_move(&before);
    (before, answer, before.play(answer).unwrap())
}

fn wait_for(list: &Mutex<Vec<Position>>, position: &Position) {
    let since = Instant::now();
    while !list.lock().contains(position) {
        assert!(since.elapsed() < PATIENCE, "{position}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// An NBoard session whose engine ponders behind an opening.
fn over_nboard(moves: &str) -> (Client, JoinHandle<()>, Square, Position) {
    let (_, answer, behind) = opening(moves);
    let (client, session) = nboard::start(engine());
    moves.split(' ').for_each(|name| client.send(format!("move {name}")));
    client.send("go");
    nboard::until(&client, "===");
    wait_for(&BEGUN, &behind);
    (client, session, answer, behind)
}

/// A GTP session whose engine ponders behind an opening.
fn over_gtp(moves: &str) -> (Client, JoinHandle<()>, Position) {
    let (_, answer, behind) = opening(moves);
    let (client, session) = gtp::start(engine());
    for (name, color) in moves.split(' ').zip(["b", "w"].iter().cycle()) {
        gtp::succeed(&client, &format!("play {color} {name}"));
    }
    assert!(gtp::succeed(&client, "genmove b").eq_ignore_ascii_case(&answer.to_string()));
    wait_for(&BEGUN, &behind);
    (client, session, behind)
}

#[test]
fn over_nboard_nothing_is_heard_of_it_and_a_ping_ends_it() {
    let (client, session, answer, behind) = over_nboard("f5 d6");
    client.send(format!("move {answer}"));
    client.send("set emilia.colour red");
    std::thread::sleep(TO_BE_SEEN);
    assert!(!ENDED.lock().contains(&behind), "the game is where the engine ponders");
    client.send("ping 7");
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "pong 7\n");
    wait_for(&ENDED, &behind);
    client.send("quit");
    session.join().unwrap();
}

#[test]
fn over_gtp_what_needs_no_search_leaves_it_alone() {
    let (client, session, behind) = over_gtp("f5 f6");
    for command in ["name", "gogui-rules_board", "time_left w 10 0", "emilia-stats", "emilia-get", "showboard"] {
        gtp::succeed(&client, command);
    }
    std::thread::sleep(TO_BE_SEEN);
    assert!(!ENDED.lock().contains(&behind));
    drop(client);
    session.join().unwrap();
    wait_for(&ENDED, &behind);
}

#[test]
fn another_position_ends_it_and_is_the_one_that_counts() {
    let (client, session, _, behind) = over_nboard("f5 f4");
    let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
    client.send(format!("set game (;GM[Othello]{board}B[E6]W[F6];)"));
    wait_for(&ENDED, &behind);
    let (_, answer, next) = opening("e6 f6");
    client.send("go");
    let said = nboard::until(&client, "===").pop().unwrap();
    assert!(said.to_lowercase().starts_with(&format!("=== {answer}/")), "{said}");
    wait_for(&BEGUN, &next);
    drop(client);
    session.join().unwrap();
    wait_for(&ENDED, &next);

    for (moves, command) in [("d3 c3 c4 c5", "move d6"), ("f5 d6 c3 d3", "new")] {
        let (client, session, _, behind) = over_nboard(moves);
        client.send(command);
        wait_for(&ENDED, &behind);
        drop(client);
        session.join().unwrap();
    }

    for (moves, command, discs) in [("d3 c3", "undo", 6), ("d3 e3", "clear_board", 4), ("d3 c5", "play w pass", 0)] {
        let (client, session, behind) = over_gtp(moves);
        let (is_done, _) = gtp::ask(&client, command);
        if is_done {
            wait_for(&ENDED, &behind);
            let board = gtp::succeed(&client, "gogui-rules_board");
            assert_eq!(board.matches(['X', 'O']).count(), discs, "{command}");
            assert_eq!(gtp::succeed(&client, "gogui-rules_side_to_move"), "black");
        } else {
            assert!(!ENDED.lock().contains(&behind), "{command} changes nothing");
        }
        client.send("quit");
        session.join().unwrap();
    }
}

#[test]
fn in_play_it_ends_where_the_game_goes_elsewhere() {
    let after = |position: Position| position.play(first_move(&position)).unwrap();
    let reply = first_move(&after(Position::START));
    let behind = after(after(after(Position::START)));
    let opponent = Opponent::new(engine(), Level::FULL, 1);
    let mut session = Session::new(opponent, Some(Color::White), Palette::Plain);
    let mut lines = [reply.to_string(), "undo".to_owned()].into_iter();
    let read = || {
        let line = lines.next();
        match line.as_deref() {
            Some("undo") => wait_for(&BEGUN, &behind),
            Some(_) => {}
            None => wait_for(&ENDED, &behind),
        }
        line.map_or(Said::Goodbye, Said::Line)
    };
    session.run(&mut Script::new(read), io::sink()).unwrap();
}
