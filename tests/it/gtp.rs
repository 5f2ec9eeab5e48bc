//! GTP sessions over a connection in memory.

use crate::conversation::{
    Conversation, Does, Forgetful, PATIENCE, engine_with, replay_all, time_allowed, tireless, without_book,
};
use crate::games::RandomGames;
use emilia::clock::Clock;
use emilia::engine::{Engine, EngineOptions, SearchBuilder};
use emilia::input_line::InputLine;
use emilia::othello::{Color, Move, Position, Square};
use emilia::protocol::gtp::serve;
use emilia::protocol::stdio::Client;
use emilia::search::{Control, Depth, Report, Task};
use std::time::Duration;

pub fn start(engine: Engine) -> Conversation {
    Conversation::new(serve, engine)
}

fn quick_engine(depth: u8) -> Engine {
    Engine::new(EngineOptions { depth: Depth::new(depth), ..without_book() })
}

/// Sends a command and takes its response apart: success, text.
pub fn ask(client: &Client, command: &str) -> (bool, String) {
    client.send(command);
    let response = client.output().recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{command}: {error}"));
    let body = response.strip_suffix("\n\n").unwrap_or_else(|| panic!("{command}: no empty line after {response:?}"));
    match body.split_at(1) {
        ("=", text) => (true, text.trim_start().to_owned()),
        ("?", text) => (false, text.trim_start().to_owned()),
        _ => panic!("{command}: {response:?}"),
    }
}

pub fn succeed(client: &Client, command: &str) -> String {
    let (success, text) = ask(client, command);
    assert!(success, "{command}: {text}");
    text
}

#[test]
fn transcripts() {
    replay_all("gtp", 9, || start(quick_engine(2)));
}

/// How a client deals with passes.
#[derive(Clone, Copy, Debug)]
enum Custom {
    /// Quarry and nr-match-runner: no word about them.
    Silent,
    /// gogui-twogtp: every one is told or answered, and two end the game.
    Told,
    /// A client that tells its own passes only, and does not ask for ours.
    Mixed,
}

/// Plays a game of random moves against the session and checks every answer with the rules.
fn play_a_game(client: &Client, custom: Custom, engine: Color, random: &mut RandomGames) {
    succeed(client, "clear_board");
    let mut position = Position::START;
    let mut passes = 0;
    while passes < 2 {
        let mover = position.mover();
        if position.is_over() && !matches!(custom, Custom::Told) {
            break;
        }
        let told = matches!(custom, Custom::Told) || (matches!(custom, Custom::Mixed) && mover != engine);
        let turn = if position.moves().is_empty() && !told {
            Move::Pass
        } else if mover == engine {
            let answer = succeed(client, &format!("genmove {mover}"));
            if answer == "pass" { Move::Pass } else { Move::Place(answer.parse().unwrap()) }
        } else {
            let moves: Vec<Square> = position.moves().into_iter().collect();
            let turn = match moves.len() {
                0 => Move::Pass,
                count => Move::Place(moves[random.below(count)]),
            };
            let vertex = turn.square().map_or("PASS".to_owned(), |square| square.to_string());
            succeed(client, &format!("play {mover} {vertex}"));
            turn
        };
        passes = if turn == Move::Pass { passes + 1 } else { 0 };
        position = position.take(turn).unwrap_or_else(|error| panic!("{error}\n{position:#}"));
    }
    let score = position.score_for_black();
    let expected = match score {
        0 => "0".to_owned(),
        1.. => format!("B+{score}"),
        _ => format!("W+{}", -score),
    };
    assert_eq!(succeed(client, "final_score"), expected);
    assert_eq!(succeed(client, &format!("genmove {engine}")), "pass", "the game is over");
}

#[test]
fn whole_games_under_each_custom_of_passing() {
    let client = start(quick_engine(1));
    let mut random = RandomGames(1);
    for custom in [Custom::Silent, Custom::Told, Custom::Mixed] {
        for engine in [Color::Black, Color::White] {
            for _ in 0..15 {
                play_a_game(&client, custom, engine, &mut random);
            }
        }
    }
}

#[test]
fn every_command_read_is_answered_at_the_end_of_the_input() {
    let client = start(quick_engine(3));
    client.send("1 genmove b");
    client.send("2 genmove w");
    client.send("3 emilia-analyze");
    client.send("4 name");
    let said = client.rest();
    let heads: Vec<&str> = said.lines().filter(|line| line.starts_with('=')).map(|line| &line[..2]).collect();
    assert_eq!(heads, ["=1", "=2", "=3", "=4"], "{said}");
    assert!(said.ends_with("=4 Emilia\n\n"));
}

#[test]
fn lines_read_before_the_session_come_first() {
    let first = vec![
        InputLine::Bytes(b"# hello".to_vec()),
        InputLine::Bytes(b"1 protocol_version\r".to_vec()),
        InputLine::TooLong,
    ];
    let client = Conversation::begun(serve, quick_engine(1), first);
    client.send("2 name");
    assert_eq!(client.rest(), "=1 2\n\n? line too long\n\n=2 Emilia\n\n");
}

/// An engine that thinks until it is told to stop, with no limit but those of the test.
fn tireless_engine() -> Engine {
    let options = EngineOptions { time: Some(Duration::from_secs(1_000_000)), ..without_book() };
    Engine::with_searches(options, |_| Box::new(Does(tireless)))
}

#[test]
fn an_interrupt_makes_genmove_answer() {
    let client = start(tireless_engine());
    client.send("genmove b");
    client.send("# interrupt");
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "= D3\n\n");
    assert_eq!(succeed(&client, "name"), "Emilia");
}

/// Ends some time after it is told to.
fn slow_to_end(task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    let report = tireless(task, control, sink);
    std::thread::sleep(Duration::from_millis(50));
    report
}

#[test]
fn an_interrupt_is_for_the_genmove_that_waits_for_the_end_of_an_analysis() {
    let options = EngineOptions { time: Some(Duration::from_secs(1_000_000)), ..without_book() };
    let client = start(Engine::with_searches(options, |_| Box::new(Does(slow_to_end))));
    client.send("1 emilia-analyze");
    assert!(client.output().recv_timeout(PATIENCE).unwrap().starts_with("=1 rank 1 move D3 "));
    ["2 genmove b", "# interrupt"].into_iter().for_each(|line| client.send(line));
    assert_eq!([(); 2].map(|()| client.output().recv_timeout(PATIENCE).unwrap()), ["\n", "=2 D3\n\n"]);
    let first = vec![InputLine::Bytes(b"1 genmove b".to_vec()), InputLine::Bytes(b"# interrupt".to_vec())];
    let client = Conversation::begun(serve, tireless_engine(), first);
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "=1 D3\n\n");
    let first = vec![InputLine::Bytes(b"1 emilia-analyze".to_vec()), InputLine::Bytes(b"# interrupt".to_vec())];
    let client = Conversation::begun(serve, tireless_engine(), first);
    while client.output().recv_timeout(PATIENCE).unwrap() != "\n" {}
}

#[test]
fn stop_makes_genmove_answer_and_one_that_waits_too() {
    let client = start(tireless_engine());
    ["1 genmove b", "2 genmove w", "3 stop"].into_iter().for_each(|line| client.send(line));
    for response in ["=1 D3\n\n", "=2 C3\n\n", "=3\n\n"] {
        assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), response);
    }
    // Behind more commands than a game has, too.
    client.send("genmove b");
    (0..200).for_each(|_| client.send("komi 0"));
    client.send("stop");
    assert!(client.output().recv_timeout(PATIENCE).unwrap().starts_with("= "));
}

#[test]
fn a_client_that_is_gone_ends_the_session_in_mid_search() {
    for command in ["genmove b", "reg_genmove b", "emilia-analyze"] {
        let client = start(tireless_engine());
        client.send("name");
        client.output().recv_timeout(PATIENCE).unwrap();
        client.send(command);
        client.send("name");
        drop(client);
    }
}

#[test]
fn an_analysis_ends_at_the_next_command_and_not_before() {
    let client = start(tireless_engine());
    client.send("5 emilia-analyze 2");
    let first = client.output().recv_timeout(PATIENCE).unwrap();
    assert!(first.starts_with("=5 rank 1 move D3 ") && first.ends_with("\n") && !first.contains("\n\n"), "{first:?}");
    client.send("");
    client.send("# still there?");
    assert!(client.output().recv_timeout(Duration::from_millis(100)).is_err());
    client.send("6 name");
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "\n");
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "=6 Emilia\n\n");
}

/// Answers without a move.
fn speechless(_: &Task, _: &Control, _: &mut dyn FnMut(&Report)) -> Report {
    Report::default()
}

#[test]
fn an_analysis_for_clients_of_other_engines_begins_before_anything_is_known() {
    let client = start(engine_with(|_| Box::new(Does(speechless))));
    let said = || client.output().recv_timeout(PATIENCE).unwrap();
    client.send("7 lz-analyze");
    assert_eq!(said(), "=7\n");
    client.send("name");
    assert_eq!([said(), said()], ["\n", "= Emilia\n\n"]);
}

#[test]
fn a_search_that_fails_does_not_end_the_session() {
    let panicking: SearchBuilder = |_| Box::new(Does(|_, _, _| panic!("a test of a search that panics")));
    let speechless: SearchBuilder = |_| Box::new(Does(speechless));
    for builder in [panicking, speechless] {
        let client = start(engine_with(builder));
        play_a_game(&client, Custom::Told, Color::White, &mut RandomGames(7));
        succeed(&client, "clear_board");
        client.send("1 emilia-analyze");
        client.send("2 name");
        let said = client.rest();
        assert!(said.starts_with("=1") && said.ends_with("\n\n=2 Emilia\n\n"), "{said}");
    }
}

/// Uses all the time it is given and reports how much that was, in milliseconds, as its number of nodes.
fn timed(task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    tireless(task, control, sink);
    time_allowed(task, control, sink)
}

#[test]
fn moves_are_charged_to_the_clock_of_their_colour() {
    let client = start(engine_with(|_| Box::new(Does(timed))));
    let time_for = |command: &str| -> u128 {
        succeed(&client, command);
        stat(&client, "nodes ").into()
    };
    let full = Clock::sudden_death(Duration::from_secs(4), Duration::ZERO);
    let hard = |clock: &Clock, empties| clock.budget(empties).unwrap().hard;
    succeed(&client, "time_settings 4 0 0");
    assert_eq!(time_for("reg_genmove b"), hard(&full, 60).as_millis());
    assert_eq!(time_for("genmove b"), hard(&full, 60).as_millis(), "reg_genmove is free");
    assert_eq!(time_for("genmove w"), hard(&full, 59).as_millis(), "the other clock has not run");
    let mut spent = full.clone();
    spent.spend(hard(&full, 60));
    assert!(time_for("genmove b") <= hard(&spent, 58).as_millis());
    succeed(&client, "time_left white 1 0");
    assert!(
        time_for("genmove w") <= hard(&Clock::sudden_death(Duration::from_millis(500), Duration::ZERO), 57).as_millis()
    );
    succeed(&client, "clear_board");
    assert_eq!(time_for("genmove b"), hard(&full, 60).as_millis(), "a new game");
}

/// The number that stands behind a name in what is known of the last search.
fn stat(client: &Client, name: &str) -> u64 {
    let stats = succeed(client, "emilia-stats");
    stats.lines().find_map(|line| line.strip_prefix(name)).unwrap().parse().unwrap()
}

/// The nodes of the search for Black's move after these commands.
fn nodes_after(client: &Client, commands: &[&str]) -> u64 {
    commands.iter().chain(&["reg_genmove b"]).for_each(|command| drop(succeed(client, command)));
    stat(client, "nodes ")
}

#[test]
fn a_report_replaces_the_measurement_when_the_game_was_altered() {
    let client = start(engine_with(|_| Box::new(Does(time_allowed))));
    let game = |seconds| Clock::sudden_death(Duration::from_secs_f64(seconds), Duration::ZERO);
    for (commands, clock, empties) in [
        (["time_settings 10 0 0", "time_left b 60 0"].as_slice(), game(10.0), 60),
        (&["time_left b 5.25 0"], game(5.25), 60),
        (&["clear_board", "time_left b 60 0"], game(10.0), 60),
        (&["play b d3", "undo", "time_left b 60 0"], game(59.5), 60),
        (&["emilia-setboard f5d6", "time_left b 80 0"], game(79.5), 58),
        (&["time_left w 7 0"], game(79.5), 58),
        (&["time_settings 0 1 0", "time_left b 1 0"], Clock::per_move(Duration::from_secs(1)), 58),
        (&["time_settings 0 1 0", "play b c3", "undo", "time_left b 1 0"], Clock::per_move(Duration::from_secs(1)), 58),
        (&["time_settings 0 1 0", "time_left b 2 0"], game(1.5), 58),
        (&["time_left b 1 0"], game(0.5), 58),
        (
            &["time_settings 60 2 0", "time_left b 2 0"],
            Clock::sudden_death(Duration::from_secs_f64(1.5), Duration::from_secs(2)),
            58,
        ),
        (
            &["time_settings 0 30 5", "time_left b 20 2"],
            Clock::canadian(Duration::ZERO, Duration::from_secs_f64(19.5), 2),
            58,
        ),
    ] {
        let allowed = clock.budget(empties).unwrap().hard.as_millis();
        assert_eq!(u128::from(nodes_after(&client, commands)), allowed, "{commands:?}");
    }
}

/// The nodes of the tree behind a second move, with these commands before it is asked for.
fn tree_behind_second_move(commands: &[&str]) -> u64 {
    let options = EngineOptions { nodes: Some(50_000), threads: 1, ..without_book() };
    let client = start(Engine::new(options));
    for command in ["play b f5", "genmove w", "play b c3"].iter().chain(commands).chain(&["genmove w"]) {
        client.send(command);
        // An analysis comes in pieces, of which the last is an empty line.
        let mut said = String::new();
        while !said.ends_with("\n\n") {
            said += &client.output().recv_timeout(PATIENCE).unwrap();
        }
        assert!(said.starts_with('='), "{command}: {said}");
    }
    stat(&client, "tree-nodes ")
}

#[test]
fn values_asked_for_between_two_moves_leave_the_tree() {
    let (without, with) = (tree_behind_second_move(&[]), tree_behind_second_move(&["emilia-analyze 4"]));
    assert!(with > without * 8 / 10, "{with} nodes, {without} without an analysis");
}

#[test]
fn clear_board_forgets() {
    let client = start(engine_with(|_| Box::new(Forgetful(0))));
    for (command, asked) in [("name", 1), ("undo", 2), ("clear_board", 1), ("boardsize 8", 1)] {
        ask(&client, command);
        assert_eq!(nodes_after(&client, &[]), asked, "{command}");
    }
}
