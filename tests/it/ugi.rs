//! UGI sessions over a connection in memory.

use crate::conversation::{Conversation, Does, Forgetful, PATIENCE, engine_with, replay_all, tireless, without_book};
use crate::serve::said;
use emilia::engine::{Engine, EngineOptions};
use emilia::othello::{Color, GameRecord, Move};
use emilia::protocol::stdio::Client;
use emilia::protocol::ugi::{PASS, serve};
use emilia::search::Depth;
use std::time::Duration;

pub fn start(engine: Engine) -> Conversation {
    Conversation::new(serve, engine)
}

/// What stands behind this word in the next line that begins with it.
pub fn answer(client: &Client, word: &str) -> String {
    loop {
        let line = client.output().recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{word}: {error}"));
        if let Some(rest) = line.strip_prefix(word) {
            return rest.trim().to_owned();
        }
    }
}

#[test]
fn transcripts() {
    replay_all("ugi", 5, || start(Engine::new(without_book())));
}

/// A whole game by one session, as a runner that knows no rules plays it.
#[test]
fn a_game_is_played_by_what_the_engine_says() {
    let client = start(Engine::new(EngineOptions { depth: Depth::new(1), ..without_book() }));
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
}

#[test]
fn the_first_line_is_enough_and_many_lines_end_what_only_they_can_end() {
    let (code, out, _) = said(&["--book", "none"], "ugi\nposition startpos\ngo depth 2\nquit\n");
    assert!(code == 0 && out.contains("ugiok\n") && out.lines().last().unwrap().starts_with("bestmove "), "{out}");
    let (code, out, _) = said(&["ugi", "--book", "none"], "go depth 1\ngo infinite\n");
    assert!(code == 0 && out.matches("bestmove ").count() == 2, "nobody is left who could say stop: {out}");
    let client = start(Engine::new(without_book()));
    client.send("go infinite");
    // A few lines wait for the search, and do not end it.
    (0..9).for_each(|_| client.send("query p1turn"));
    client.send("isready");
    answer(&client, "readyok");
    let is_move = |line: String| line.starts_with("bestmove");
    assert!(
        !std::iter::from_fn(|| client.output().recv_timeout(Duration::from_millis(100)).ok()).take(20).any(is_move)
    );
    (0..4087).for_each(|_| client.send("query p1turn"));
    answer(&client, "bestmove");
    (0..4096).for_each(|_| assert_eq!(answer(&client, "response"), "true"));
    // A search that has an end is left alone.
    let (_, out, _) = said(&["ugi", "--book", "none"], format!("go nodes 20000\n{}", "query p1turn\n\n".repeat(5000)));
    let answered = out.split("bestmove").next().unwrap().lines().last().unwrap();
    let nodes = answered.split(" nodes ").nth(1).unwrap().split(' ').next().unwrap();
    assert!(nodes.parse::<u32>().unwrap() > 15_000, "{answered}");
    assert_eq!(out.matches("response true").count(), 5000);
}

#[test]
fn an_infinite_search_goes_beyond_the_book() {
    let engine = Engine::with_searches(EngineOptions::default(), |_| Box::new(Does(tireless)));
    let client = start(engine);
    client.send("go infinite");
    let first = |line: String| line.starts_with("bestmove");
    let said = || std::iter::from_fn(|| client.output().recv_timeout(Duration::from_millis(100)).ok());
    assert!(!said().take(20).any(first));
    client.send("stop");
    answer(&client, "bestmove");
}

#[test]
fn what_is_shown_of_a_varied_move_of_the_book_is_of_that_move() {
    let mut others = 0;
    for seed in 1..9 {
        let seed = format!("--seed={seed}");
        let (_, out, _) = said(&["ugi", "--variety", "2", "--threads", "1", &seed], "position startpos moves f5\ngo\n");
        let word_behind = |name: &str| out.split(name).nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
        assert_eq!(word_behind(" pv "), word_behind("bestmove "), "{out}");
        others += u32::from(word_behind("bestmove ") != "d6");
    }
    assert!(others > 0, "it varies");
}

#[test]
fn a_blank_line_is_not_answered() {
    let client = start(Engine::new(without_book()));
    ["", " \t", "isready"].iter().for_each(|line| client.send(line));
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "readyok\n");
}

#[test]
fn a_new_game_forgets() {
    let client = start(engine_with(|_| Box::new(Forgetful(0))));
    for (command, asked) in [("isready", 1), ("position startpos", 2), ("uginewgame", 1)] {
        client.send(command);
        client.send("go");
        let info = answer(&client, "info");
        assert!(info.contains(&format!(" nodes {asked} ")), "{command}: {info}");
        answer(&client, "bestmove");
    }
}
