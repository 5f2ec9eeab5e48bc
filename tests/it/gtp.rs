//! GTP sessions over a connection in memory.

use crate::nboard::{Forgetful, Patience, without_book};
use crate::transcript::replay;
use emilia::clock::Clock;
use emilia::engine::{Engine, EngineOptions, SearchBuilder};
use emilia::input_line::InputLine;
use emilia::othello::{Color, Move, Position, Square};
use emilia::protocol::gtp::{parse_line, serve};
use emilia::protocol::stdio::{Client, Connection};
use emilia::search::{Bound, Control, Depth, Line, Report, Score, Search, SearchDepth, Task};
use proptest::prelude::*;
use std::path::Path;
use std::thread::JoinHandle;
use std::time::Duration;

/// A session that says nothing for so long has got stuck.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn start(engine: Engine) -> (Client, JoinHandle<()>) {
    let (connection, client) = Connection::in_memory();
    (client, std::thread::spawn(move || serve(connection, engine, Vec::new())))
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/gtp");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        let (client, session) = start(quick_engine(2));
        replay(&file, client);
        session.join().unwrap();
    }
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
fn play_a_game(client: &Client, custom: Custom, engine: Color, random: &mut u64) {
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
            *random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let turn = match moves.len() {
                0 => Move::Pass,
                count => Move::Place(moves[(*random >> 33) as usize % count]),
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
    let (client, session) = start(quick_engine(1));
    let mut random = 1;
    for custom in [Custom::Silent, Custom::Told, Custom::Mixed] {
        for engine in [Color::Black, Color::White] {
            for _ in 0..15 {
                play_a_game(&client, custom, engine, &mut random);
            }
        }
    }
    drop(client);
    session.join().unwrap();
}

#[test]
fn every_command_read_is_answered_at_the_end_of_the_input() {
    let (mut client, session) = start(quick_engine(3));
    client.send("1 genmove b");
    client.send("2 genmove w");
    client.send("3 emilia-analyze");
    client.send("4 name");
    client.close();
    session.join().unwrap();
    let said: String = client.output().try_iter().collect();
    let heads: Vec<&str> = said.lines().filter(|line| line.starts_with('=')).map(|line| &line[..2]).collect();
    assert_eq!(heads, ["=1", "=2", "=3", "=4"], "{said}");
    assert!(said.ends_with("=4 Emilia\n\n"));
}

#[test]
fn lines_read_before_the_session_come_first() {
    let (connection, mut client) = Connection::in_memory();
    client.send("2 name");
    client.close();
    let first = vec![
        InputLine::Bytes(b"# hello".to_vec()),
        InputLine::Bytes(b"1 protocol_version\r".to_vec()),
        InputLine::TooLong,
    ];
    serve(connection, quick_engine(1), first);
    let said: String = client.output().try_iter().collect();
    assert_eq!(said, "=1 2\n\n? line too long\n\n=2 Emilia\n\n");
}

/// Thinks until it is told to stop.
struct Tireless;

impl Search for Tireless {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let report = any_move(task);
        sink(&report);
        while !control.must_stop(0, 0) {
            std::thread::sleep(Duration::from_millis(1));
        }
        report
    }

    fn clear(&mut self) {}
}

/// Plays the first move it sees.
struct Careless;

impl Search for Careless {
    fn think(&mut self, task: &Task, _: &Control, _: &mut dyn FnMut(&Report)) -> Report {
        any_move(task)
    }

    fn clear(&mut self) {}
}

/// Fails.
struct Panicking;

impl Search for Panicking {
    fn think(&mut self, _: &Task, _: &Control, _: &mut dyn FnMut(&Report)) -> Report {
        panic!("this search always fails")
    }

    fn clear(&mut self) {}
}

/// Answers without a move.
struct Speechless;

impl Search for Speechless {
    fn think(&mut self, _: &Task, _: &Control, _: &mut dyn FnMut(&Report)) -> Report {
        Report::default()
    }

    fn clear(&mut self) {}
}

fn any_move(task: &Task) -> Report {
    let turn = task.position.moves().into_iter().next().map_or(Move::Pass, Move::Place);
    let depth = SearchDepth::Plies(1);
    let line = Line { turn, score: Score::ZERO, bound: Bound::Exact, depth, pv: vec![turn], visits: 0 };
    Report { lines: vec![line], depth, ..Report::default() }
}

/// No limit but those of the test.
fn unlimited() -> EngineOptions {
    EngineOptions { time: Some(Duration::from_secs(1_000_000)), ..without_book() }
}

#[test]
fn an_interrupt_makes_genmove_answer() {
    let (client, session) = start(Engine::with_searches(unlimited(), |_| Box::new(Tireless)));
    client.send("genmove b");
    client.send("# interrupt");
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "= D3\n\n");
    assert_eq!(succeed(&client, "name"), "Emilia");
    drop(client);
    session.join().unwrap();
}

#[test]
fn a_client_that_is_gone_ends_the_session_in_mid_search() {
    for command in ["genmove b", "reg_genmove b", "emilia-analyze"] {
        let (client, session) = start(Engine::with_searches(unlimited(), |_| Box::new(Tireless)));
        client.send("name");
        client.output().recv_timeout(PATIENCE).unwrap();
        client.send(command);
        client.send("name");
        drop(client);
        session.join().unwrap();
    }
}

#[test]
fn an_analysis_ends_at_the_next_command_and_not_before() {
    let (client, session) = start(Engine::with_searches(unlimited(), |_| Box::new(Tireless)));
    client.send("5 emilia-analyze 2");
    let first = client.output().recv_timeout(PATIENCE).unwrap();
    assert!(first.starts_with("=5 rank 1 move D3 ") && first.ends_with("\n") && !first.contains("\n\n"), "{first:?}");
    client.send("");
    client.send("# still there?");
    assert!(client.output().recv_timeout(Duration::from_millis(100)).is_err());
    client.send("6 name");
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "\n");
    assert_eq!(client.output().recv_timeout(PATIENCE).unwrap(), "=6 Emilia\n\n");
    drop(client);
    session.join().unwrap();
}

#[test]
fn an_analysis_for_clients_of_other_engines_begins_before_anything_is_known() {
    let (client, session) = start(Engine::with_searches(unlimited(), |_| Box::new(Speechless)));
    let said = || client.output().recv_timeout(PATIENCE).unwrap();
    client.send("7 lz-analyze");
    assert_eq!(said(), "=7\n");
    client.send("name");
    assert_eq!([said(), said()], ["\n", "= Emilia\n\n"]);
    drop(client);
    session.join().unwrap();
}

#[test]
fn a_search_that_fails_does_not_end_the_session() {
    let builders: [SearchBuilder; 2] = [|_| Box::new(Panicking), |_| Box::new(Speechless)];
    for builder in builders {
        let (mut client, session) = start(Engine::with_searches(without_book(), builder));
        play_a_game(&client, Custom::Told, Color::White, &mut 7);
        succeed(&client, "clear_board");
        client.send("1 emilia-analyze");
        client.send("2 name");
        client.close();
        session.join().unwrap();
        let said: String = client.output().iter().collect();
        assert!(said.starts_with("=1") && said.ends_with("\n\n=2 Emilia\n\n"), "{said}");
    }
}

/// Uses all the time it is given and reports how much that was, in milliseconds, as its number of nodes.
struct Timed;

impl Search for Timed {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let hard = control.limits().hard_time.expect("a limit");
        Report { nodes: hard.as_millis() as u64, ..Tireless.think(task, control, sink) }
    }

    fn clear(&mut self) {}
}

#[test]
fn moves_are_charged_to_the_clock_of_their_colour() {
    let (client, session) = start(Engine::with_searches(without_book(), |_| Box::new(Timed)));
    let time_for = |command: &str| -> u128 {
        succeed(&client, command);
        let stats = succeed(&client, "emilia-stats");
        stats.lines().find_map(|line| line.strip_prefix("nodes ")).unwrap().parse().unwrap()
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
    drop(client);
    session.join().unwrap();
}

/// The nodes of the search for Black's move after these commands.
fn nodes_after(client: &Client, commands: &[&str]) -> u128 {
    commands.iter().chain(&["reg_genmove b"]).for_each(|command| drop(succeed(client, command)));
    let stats = succeed(client, "emilia-stats");
    stats.lines().find_map(|line| line.strip_prefix("nodes ")).unwrap().parse().unwrap()
}

#[test]
fn a_report_replaces_the_measurement_when_the_game_was_altered() {
    let (client, session) = start(Engine::with_searches(without_book(), |_| Box::new(Patience)));
    let game = |seconds| Clock::sudden_death(Duration::from_secs_f64(seconds), Duration::ZERO);
    for (commands, clock, empties) in [
        (["time_settings 10 0 0", "time_left b 60 0"].as_slice(), game(10.0), 60),
        (&["time_left b 5.25 0"], game(5.25), 60),
        (&["clear_board", "time_left b 60 0"], game(10.0), 60),
        (&["play b d3", "undo", "time_left b 60 0"], game(59.5), 60),
        (&["emilia-setboard f5d6", "time_left b 80 0"], game(79.5), 58),
        (&["time_left w 7 0"], game(79.5), 58),
        (&["time_settings 0 1 0", "time_left b 1 0"], Clock::per_move(Duration::from_secs(1)), 58),
        (&["time_settings 0 1 0", "time_left b 2 0"], game(1.5), 58),
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
        assert_eq!(nodes_after(&client, commands), allowed, "{commands:?}");
    }
    drop(client);
    session.join().unwrap();
}

/// The nodes of the tree behind a second move, with these commands before it is asked for.
fn tree_behind_second_move(commands: &[&str]) -> u64 {
    let options = EngineOptions { nodes: Some(50_000), threads: 1, ..without_book() };
    let (client, session) = start(Engine::new(options));
    for command in ["play b f5", "genmove w", "play b c3"].iter().chain(commands).chain(&["genmove w"]) {
        client.send(command);
        // An analysis comes in pieces, of which the last is an empty line.
        let mut said = String::new();
        while !said.ends_with("\n\n") {
            said += &client.output().recv_timeout(PATIENCE).unwrap();
        }
        assert!(said.starts_with('='), "{command}: {said}");
    }
    let stats = succeed(&client, "emilia-stats");
    drop(client);
    session.join().unwrap();
    stats.lines().find_map(|line| line.strip_prefix("tree-nodes ")).unwrap().parse().unwrap()
}

#[test]
fn values_asked_for_between_two_moves_leave_the_tree() {
    let (without, with) = (tree_behind_second_move(&[]), tree_behind_second_move(&["emilia-analyze 4"]));
    assert!(with > without * 8 / 10, "{with} nodes, {without} without an analysis");
}

#[test]
fn clear_board_forgets() {
    let (client, session) = start(Engine::with_searches(without_book(), |_| Box::new(Forgetful(0))));
    for (command, asked) in [("name", 1), ("undo", 2), ("clear_board", 1), ("boardsize 8", 1)] {
        ask(&client, command);
        assert_eq!(nodes_after(&client, &[]), asked, "{command}");
    }
    drop(client);
    session.join().unwrap();
}

/// A line as a client may send it, right or nearly so.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let well_formed = prop::sample::select(vec![
        "name",
        "version",
        "protocol_version",
        "list_commands",
        "known_command play",
        "boardsize 8",
        "boardsize 10",
        "clear_board",
        "komi 6.5",
        "genmove b",
        "genmove w",
        "reg_genmove b",
        "undo",
        "play b pass",
        "play w pass",
        "time_settings 600 0 0",
        "time_settings 0 1 0",
        "time_settings 10 5 3",
        "time_settings 0 0.1 0",
        "time_left b 10 0",
        "time_left w 3 2",
        "final_score",
        "showboard",
        "loadsgf no/such/file.sgf 3",
        "list_games",
        "set_game Othello",
        "gogui-rules_board",
        "gogui-rules_legal_moves",
        "gogui-rules_side_to_move",
        "gogui-rules_final_result",
        "emilia-set depth 4",
        "emilia-set eval nonsense",
        "emilia-get",
        "emilia-get hash",
        "emilia-stats",
        "emilia-setboard ---------------------------OX------XO--------------------------- X",
        "emilia-setboard f5d6c3",
        "emilia-analyze 3",
        "# interrupt",
        "",
        "# comment",
    ]);
    let well_formed = well_formed.prop_map(|line| line.as_bytes().to_vec());
    let a_move = (any::<bool>(), 0..8u8, 0..8u8).prop_map(|(black, column, row)| {
        let color = if black { "b" } else { "WHITE" };
        format!("play {color} {}{}", (b'a' + column) as char, row + 1).into_bytes()
    });
    let mutated = (well_formed.clone(), prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..4))
        .prop_map(|(mut line, changes)| {
            for (place, byte, kind) in changes {
                let place = place.index(line.len() + 1);
                match kind {
                    0 => line.insert(place, byte),
                    1 if place < line.len() => line[place] = byte,
                    _ => line.truncate(place),
                }
            }
            line.retain(|byte| *byte != b'\n');
            line
        });
    let bytes = prop::collection::vec(any::<u8>().prop_filter("no line feed", |byte| *byte != b'\n'), 0..60);
    prop_oneof![4 => well_formed, 4 => a_move, 3 => mutated, 1 => bytes]
}

proptest! {
    #[test]
    fn every_command_of_any_session_gets_one_response(
        lines in prop::collection::vec((prop::option::of(0..1000u32), any_line()), 1..60),
    ) {
        let (mut client, session) = start(Engine::with_searches(without_book(), |_| Box::new(Careless)));
        let lines: Vec<Vec<u8>> = lines
            .into_iter()
            .map(|(id, line)| match id {
                Some(id) => [format!("{id} ").as_bytes(), &line].concat(),
                None => line,
            })
            .collect();
        let mut expected = Vec::new();
        for line in &lines {
            if let Some(parsed) = parse_line(line) {
                expected.push(parsed.id);
                if parsed.command == Ok(emilia::protocol::gtp::Command::Quit) {
                    break;
                }
            }
        }
        for line in &lines {
            client.send(line);
        }
        client.close();
        session.join().expect("no panic");
        let said: String = client.output().try_iter().collect();
        prop_assert!(said.is_ascii());
        prop_assert!(expected.is_empty() == said.is_empty());
        prop_assert!(said.is_empty() || said.ends_with("\n\n"));
        let responses: Vec<&str> = said.split_terminator("\n\n").collect();
        prop_assert_eq!(responses.len(), expected.len(), "{}", said);
        for (response, id) in responses.iter().zip(expected) {
            let body = response.strip_prefix(['=', '?']).expect("a mark");
            let head = id.map_or(String::new(), |id| id.to_string());
            let text = body.strip_prefix(head.as_str()).expect("the id of the command");
            prop_assert!(text.is_empty() || text.starts_with(' '), "{response:?}");
        }
    }

    #[test]
    fn no_line_makes_the_parser_panic(line in any_line()) {
        if let Some(parsed) = parse_line(&line) {
            prop_assert!(parsed.id.is_none_or(|id| id <= i32::MAX as u32));
        }
    }
}
