//! UGI sessions over a connection in memory.

use crate::nboard::{Forgetful, without_book};
use crate::serve::said;
use crate::transcript::replay;
use emilia::engine::{Engine, EngineOptions};
use emilia::othello::{Color, GameRecord, Move};
use emilia::protocol::stdio::{Client, Connection};
use emilia::protocol::ugi::{PASS, serve};
use emilia::search::Depth;
use proptest::prelude::*;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

/// A session that says nothing for this time has got stuck.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(options: EngineOptions) -> (Client, JoinHandle<()>) {
    let (connection, client) = Connection::in_memory();
    (client, std::thread::spawn(move || serve(connection, Engine::new(options), Vec::new())))
}

/// What stands behind this word in the next line that begins with it.
fn answer(client: &Client, word: &str) -> String {
    loop {
        let line = client.output().recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{word}: {error}"));
        if let Some(rest) = line.strip_prefix(word) {
            return rest.trim().to_owned();
        }
    }
}

#[test]
fn transcripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/ugi");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let (client, session) = start(without_book());
        replay(&file, client);
        session.join().unwrap();
    }
}

/// A whole game by one session, as a runner that knows no rules plays it.
#[test]
fn a_game_is_played_by_what_the_engine_says() {
    let (client, session) = start(EngineOptions { depth: Depth::new(1), ..without_book() });
    let (mut moves, mut record) = (String::new(), GameRecord::default());
    loop {
        client.send(format!("position startpos{}{moves}", if moves.is_empty() { "" } else { " moves" }));
        client.send("query gameover");
        let is_over = answer(&client, "response") == "true";
        client.send("query p1turn");
        let is_black = answer(&client, "response") == "true";
        let position = record.position();
        assert_eq!(is_over, position.is_over());
        if is_over {
            break;
        }
        assert_eq!(is_black, position.mover() == Color::Black);
        client.send("go movetime 1000");
        let name = answer(&client, "bestmove");
        let turn = if name == PASS { Move::Pass } else { Move::Place(name.parse().unwrap()) };
        record.take(turn).unwrap();
        moves += &format!(" {name}");
    }
    client.send("query result");
    let expected = match record.position().score_for_black() {
        0 => "draw",
        1.. => "p1win",
        _ => "p2win",
    };
    assert_eq!(answer(&client, "response"), expected);
    client.send("quit");
    session.join().unwrap();
}

#[test]
fn the_first_line_is_enough_and_many_lines_end_a_search() {
    let (code, out, _) = said(&["--book", "none"], "ugi\nposition startpos\ngo depth 2\nquit\n");
    assert!(code == 0 && out.contains("ugiok\n") && out.lines().last().unwrap().starts_with("bestmove "), "{out}");
    let (code, out, _) = said(&["ugi", "--book", "none"], "go depth 1\ngo infinite\n");
    assert!(code == 0 && out.matches("bestmove ").count() == 2, "nobody is left who could say stop: {out}");
    let (client, session) = start(without_book());
    client.send("go infinite");
    (0..70).for_each(|_| client.send("query p1turn"));
    answer(&client, "bestmove");
    (0..70).for_each(|_| assert_eq!(answer(&client, "response"), "true"));
    client.send("quit");
    session.join().unwrap();
}

#[test]
fn a_new_game_forgets() {
    let (connection, client) = Connection::in_memory();
    let engine = Engine::with_searches(without_book(), |_| Box::new(Forgetful(0)));
    let session = std::thread::spawn(move || serve(connection, engine, Vec::new()));
    for (command, asked) in [("isready", 1), ("position startpos", 2), ("uginewgame", 1)] {
        client.send(command);
        client.send("go");
        let info = answer(&client, "info");
        assert!(info.contains(&format!(" nodes {asked} ")), "{command}: {info}");
        answer(&client, "bestmove");
    }
    client.send("quit");
    session.join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn any_input_is_survived(lines in proptest::collection::vec(
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40),
            Just(b"go nodes 50".to_vec()),
            Just(b"stop".to_vec()),
            Just(b"position startpos moves f5 d6".to_vec()),
            Just(b"query result".to_vec()),
        ],
        0..40,
    )) {
        let (mut client, session) = start(EngineOptions { depth: Depth::new(1), ..without_book() });
        let asked = lines.iter().filter(|line| line.starts_with(b"go nodes")).count();
        for line in &lines {
            client.send(line);
        }
        client.close();
        let said: Vec<String> = client.output().iter().collect();
        session.join().unwrap();
        prop_assert!(said.iter().all(|text| text.ends_with('\n') && text.lines().count() == 1));
        prop_assert!(said.iter().filter(|text| text.starts_with("bestmove ")).count() >= asked);
    }
}
