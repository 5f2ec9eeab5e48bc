//! Whatever a client sends over any protocol, in whatever order: nothing panics, everything owed is said, and nothing else.

use crate::conversation::{Does, engine_with, first_move, without_book};
use crate::nboard::{START, is_reply, plain};
use crate::{gtp, nboard, ugi};
use emilia::engine::{Engine, EngineOptions};
use emilia::othello::Square;
use emilia::protocol::gtp::{Command, parse_line};
use emilia::search::Depth;
use proptest::prelude::*;
use std::time::Duration;

/// A line with something wrong in it.
fn damaged(line: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4), 1..4);
    (line, changes).prop_map(|(mut line, changes)| {
        for (place, byte, kind) in changes {
            let place = place.index(line.len() + 1);
            match kind {
                0 => line.insert(place, byte),
                1 if place < line.len() => line[place] = byte,
                2 => line = line.repeat(2),
                _ => line.truncate(place),
            }
        }
        line.retain(|&byte| byte != b'\n');
        line
    })
}

/// Lines of NBoard that make sense, and some that nearly do.
fn nboard_line() -> impl Strategy<Value = Vec<u8>> {
    let game = |moves: &str| format!("set game (;GM[Othello]PB[a]PW[b]RE[?]TI[5:00]TY[8]{START}{moves};)");
    let fixed = [
        "nboard 1",
        "nboard 2",
        "go",
        "learn",
        "analyze",
        "new",
        "clear",
        "quit",
        "move PA",
        "set emilia.eval weighted-squares",
        "set emilia.engine minimax",
        "set emilia.variety 2",
        "",
    ];
    let lines: Vec<String> = fixed
        .into_iter()
        .map(str::to_owned)
        .chain([game(""), game("B[F5//4.108]W[D6/1.18]"), game("B[E6]W[F4]B[E3]W[F6]B[G5]W[D6]B[E7]W[F5]B[C5]")])
        .collect();
    prop_oneof![
        4 => any::<i32>().prop_map(|number| format!("ping {number}")),
        2 => (0u8..64).prop_map(|index| format!("move {}/1.5/0.25", Square::new(index).unwrap())),
        1 => (0u8..64).prop_map(|index| Square::new(index).unwrap().to_upper()),
        2 => (0u32..70).prop_map(|lines| format!("hint {lines}")),
        1 => (-1i32..62).prop_map(|depth| format!("set depth {depth}")),
        1 => (-110i32..110).prop_map(|contempt| format!("set contempt {contempt}")),
        6 => prop::sample::select(lines),
    ]
    .prop_map(String::into_bytes)
}

/// The pongs that a session owes for these lines.
fn pongs(lines: &[Vec<u8>]) -> Vec<String> {
    let mut pongs = Vec::new();
    for line in lines {
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.trim_ascii_end().split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        match words[..] {
            ["quit"] => break,
            ["ping", number] => pongs.extend(number.parse::<i32>().ok().map(|number| format!("pong {number}"))),
            _ => {}
        }
    }
    pongs
}

/// Lines of GTP that make sense, and some that nearly do.
fn gtp_line() -> impl Strategy<Value = Vec<u8>> {
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
    prop_oneof![1 => well_formed, 1 => a_move]
}

/// Any bytes but the end of a line.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>().prop_filter("no line feed", |byte| *byte != b'\n'), 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn over_nboard_every_ping_is_answered(
        session in prop::collection::vec(
            (prop_oneof![6 => nboard_line(), 3 => damaged(nboard_line()), 1 => any_bytes()], prop::bool::weighted(0.2)),
            0..60,
        ),
    ) {
        // Without a pause now and then no search would begin before it is void.
        let (lines, pauses): (Vec<_>, Vec<_>) = session.into_iter().unzip();
        let mut said = String::new();
        let client = nboard::start(Engine::new(EngineOptions { nodes: Some(2_000), ..plain() }));
        for (line, pause) in lines.iter().zip(pauses) {
            client.send(line);
            if pause && let Ok(text) = client.output().recv_timeout(Duration::from_millis(1)) {
                said += &text;
            }
        }
        said += &client.rest();
        prop_assert!(said.is_empty() || said.ends_with('\n'));
        for line in said.lines() {
            prop_assert!(is_reply(line), "{line:?}");
        }
        let heard: Vec<_> = said.lines().filter(|line| line.starts_with("pong")).map(str::to_owned).collect();
        prop_assert_eq!(heard, pongs(&lines));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn over_gtp_every_command_gets_one_response(
        session in prop::collection::vec(
            (
                prop::option::of(0..1000u32),
                prop_oneof![8 => gtp_line(), 3 => damaged(gtp_line()), 1 => any_bytes()],
            ),
            1..60,
        ),
    ) {
        let client = gtp::start(engine_with(|_| Box::new(Does(|task, _, _| first_move(&task.position)))));
        let lines: Vec<Vec<u8>> = session
            .into_iter()
            .map(|(id, line)| match id {
                Some(id) => [format!("{id} ").as_bytes(), &line].concat(),
                None => line,
            })
            .collect();
        let mut expected = Vec::new();
        for parsed in lines.iter().filter_map(|line| parse_line(line)) {
            prop_assert!(parsed.id.is_none_or(|id| id <= i32::MAX as u32));
            expected.push(parsed.id);
            if parsed.command == Ok(Command::Quit) {
                break;
            }
        }
        lines.iter().for_each(|line| client.send(line));
        let said = client.rest();
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
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn over_ugi_every_search_is_answered(lines in prop::collection::vec(
        prop_oneof![
            any_bytes(),
            Just(b"go nodes 50".to_vec()),
            Just(b"stop".to_vec()),
            Just(b"position startpos moves f5 d6".to_vec()),
            Just(b"query result".to_vec()),
        ],
        0..40,
    )) {
        let options = EngineOptions { depth: Depth::new(1), ..without_book() };
        let client = ugi::start(Engine::new(options));
        let asked = lines.iter().filter(|line| line.starts_with(b"go nodes")).count();
        lines.iter().for_each(|line| client.send(line));
        let said = client.rest();
        prop_assert!(said.is_empty() || said.ends_with('\n'));
        prop_assert!(said.lines().all(|line| !line.is_empty()));
        prop_assert!(said.lines().filter(|line| line.starts_with("bestmove ")).count() >= asked);
    }
}
