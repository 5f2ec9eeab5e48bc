//! Sessions of every protocol with an engine that thinks while the client does.

use crate::conversation::{Conversation, Does, first_move, tireless, without_book};
use crate::nboard::START;
use crate::play::Script;
use crate::serve::wait_until;
use crate::{gtp, nboard, ugi};
use emilia::engine::{Engine, EngineOptions};
use emilia::othello::{Color, Position, Square};
use emilia::play::{Opponent, Said, Session};
use emilia::render::Palette;
use emilia::search::{Control, Report, Task};
use parking_lot::Mutex;
use std::io;
use std::time::Duration;

/// Less than the minute after which pondering ends by itself.
const PATIENCE: Duration = Duration::from_secs(30);
/// After this long, what was to end has ended.
const TO_BE_SEEN: Duration = Duration::from_millis(50);

/// Where a search that is [`watched`] has begun to ponder, and where it has ended. Each test has an opening of its own.
static BEGUN: Mutex<Vec<Position>> = Mutex::new(Vec::new());
static ENDED: Mutex<Vec<Position>> = Mutex::new(Vec::new());

/// Answers for Black at once and thinks about White's positions until it is told to stop.
fn watched(task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    if task.position.mover() == Color::White {
        BEGUN.lock().push(task.position);
        tireless(task, control, sink);
        ENDED.lock().push(task.position);
    }
    first_move(&task.position)
}

fn engine() -> Engine {
    let options = EngineOptions { ponder: true, time: Some(Duration::from_secs(1_000_000)), ..without_book() };
    Engine::with_searches(options, |_| Box::new(Does(watched)))
}

/// The move that [`watched`] answers with.
fn answer_in(position: &Position) -> Square {
    first_move(position).lines[0].turn.square().expect("a move")
}

/// The position behind an opening, Black's answer there, and the position behind that.
fn opening(moves: &str) -> (Position, Square, Position) {
    let before = moves.split(' ').fold(Position::START, |position, name| position.play(name.parse().unwrap()).unwrap());
    let answer = answer_in(&before);
    (before, answer, before.play(answer).unwrap())
}

fn wait_for(list: &Mutex<Vec<Position>>, position: &Position) {
    wait_until(&position.to_string(), || list.lock().contains(position));
}

/// An NBoard session whose engine ponders behind an opening.
fn over_nboard(moves: &str) -> (Conversation, Square, Position) {
    let (_, answer, behind) = opening(moves);
    let client = nboard::start(engine());
    moves.split(' ').for_each(|name| client.send(format!("move {name}")));
    client.send("go");
    nboard::until(&client, "===");
    wait_for(&BEGUN, &behind);
    (client, answer, behind)
}

/// A GTP session whose engine ponders behind an opening.
fn over_gtp(moves: &str) -> (Conversation, Position) {
    let (_, answer, behind) = opening(moves);
    let client = gtp::start(engine());
    for (name, color) in moves.split(' ').zip(["b", "w"].iter().cycle()) {
        gtp::succeed(&client, &format!("play {color} {name}"));
    }
    assert!(gtp::succeed(&client, "genmove b").eq_ignore_ascii_case(&answer.to_string()));
    wait_for(&BEGUN, &behind);
    (client, behind)
}

#[test]
fn over_nboard_nothing_is_heard_of_it_and_a_ping_ends_it() {
    let (client, answer, behind) = over_nboard("f5 d6");
    client.send(format!("move {answer}"));
    client.send("set emilia.colour red");
    std::thread::sleep(TO_BE_SEEN);
    assert!(!ENDED.lock().contains(&behind), "the game is where the engine ponders");
    client.send("ping 7");
    for expected in ["status unknown option 'colour'\n", "pong 7\n"] {
        assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), expected);
    }
    wait_for(&ENDED, &behind);
}

#[test]
fn over_gtp_what_needs_no_search_leaves_it_alone() {
    let (client, behind) = over_gtp("f5 f6");
    for command in ["name", "gogui-rules_board", "time_left w 10 0", "emilia-stats", "emilia-get", "showboard"] {
        gtp::succeed(&client, command);
    }
    std::thread::sleep(TO_BE_SEEN);
    assert!(!ENDED.lock().contains(&behind));
    drop(client);
    wait_for(&ENDED, &behind);
}

#[test]
fn another_position_ends_it_and_is_the_one_that_counts() {
    let (client, _, behind) = over_nboard("f5 f4");
    client.send(format!("set game (;GM[Othello]{START}B[E6]W[F6];)"));
    wait_for(&ENDED, &behind);
    let (_, answer, next) = opening("e6 f6");
    client.send("go");
    let said = nboard::until(&client, "===").pop().unwrap();
    assert!(said.to_lowercase().starts_with(&format!("=== {answer}/")), "{said}");
    wait_for(&BEGUN, &next);
    drop(client);
    wait_for(&ENDED, &next);

    let illegal = format!("set game (;GM[Othello]{START}B[A1];)");
    for (moves, command) in [
        ("d3 c3 c4 c5", "move d6"),
        ("f5 d6 c3 d3", "new"),
        ("f5 f6 e6 d6", "set contempt 100"),
        ("f5 f6 e6 f4", &illegal),
    ] {
        let (client, _, behind) = over_nboard(moves);
        client.send(command);
        wait_for(&ENDED, &behind);
    }

    for (moves, command, discs) in [("d3 c3", "undo", 6), ("d3 e3", "clear_board", 4), ("d3 c5", "play w pass", 0)] {
        let (client, behind) = over_gtp(moves);
        let (is_done, _) = gtp::ask(&client, command);
        if is_done {
            wait_for(&ENDED, &behind);
            let board = gtp::succeed(&client, "gogui-rules_board");
            assert_eq!(board.matches(['X', 'O']).count(), discs, "{command}");
            assert_eq!(gtp::succeed(&client, "gogui-rules_side_to_move"), "black");
        } else {
            assert!(!ENDED.lock().contains(&behind), "{command} changes nothing");
        }
    }

    for (moves, command) in [("e6 d6", "position startpos"), ("e6 f4", "stop")] {
        let (_, _, behind) = opening(moves);
        let client = ugi::start(engine());
        client.send(format!("position startpos moves {moves}"));
        client.send("go");
        ugi::answer(&client, "bestmove");
        wait_for(&BEGUN, &behind);
        client.send("isready");
        ugi::answer(&client, "readyok");
        std::thread::sleep(TO_BE_SEEN);
        assert!(!ENDED.lock().contains(&behind), "isready asks for nothing");
        client.send(command);
        wait_for(&ENDED, &behind);
    }
}

#[test]
fn in_play_it_ends_where_the_game_goes_elsewhere() {
    let after = |position: Position| position.play(answer_in(&position)).unwrap();
    let reply = answer_in(&after(Position::START));
    let behind = after(after(after(Position::START)));
    let opponent = Opponent::new(engine());
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
