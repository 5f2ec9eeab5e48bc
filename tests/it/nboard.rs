//! NBoard sessions over a connection in memory.

use crate::conversation::{
    Conversation, Does, Forgetful, PATIENCE, engine_with, first_move, replay_all, time_allowed, tireless, without_book,
};
use emilia::book::View;
use emilia::clock::Clock;
use emilia::engine::{BEST_FIRST, EMILIA, Engine, EngineOptions, MINIMAX, OpeningBook};
use emilia::eval::EvaluatorKind;
use emilia::input_line::InputLine;
use emilia::notation::read_position;
use emilia::othello::{Bitboard, Color, GameRecord, Move, Position, Square};
use emilia::protocol::nboard::serve;
use emilia::protocol::stdio::Client;
use emilia::search::{Contempt, Control, Depth, Line, MemoryUse, Report, Score, SearchDepth, Task};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

pub const START: &str = "BO[8 ---------------------------O*------*O--------------------------- *]";

/// A game with sixteen empty squares left.
const SIXTEEN_EMPTY: &str = "B[F5]W[D6]B[C4]W[D3]B[C3]W[F4]B[C5]W[B3]B[C2]W[B4]B[C6]W[D2]B[E6]W[B5]B[A5]W[A6]B[A7]W[B6]B[C7]W[C8]B[A4]W[D7]B[F3]W[C1]B[E3]W[A2]B[E7]W[F8]B[E1]W[D1]B[E2]W[F1]B[B8]W[F6]B[B7]W[G6]B[D8]W[B2]B[G4]W[A8]B[A3]W[E8]B[F7]W[G8]";

/// The plainest search: it reports every iteration, and its values do not change with the art of searching.
pub fn plain() -> EngineOptions {
    EngineOptions { engine: &MINIMAX, eval: EvaluatorKind::Mobility, ..EngineOptions::default() }
}

pub fn start(engine: Engine) -> Conversation {
    Conversation::new(serve, engine)
}

/// The next line of the engine without its line feed.
pub fn next(client: &Client) -> String {
    let text = client.output().recv_timeout(PATIENCE).expect("the session goes on");
    let line = text.strip_suffix('\n').expect("a whole line");
    assert!(is_reply(line), "not a line of the protocol: {line:?}");
    line.to_owned()
}

/// Lines up to one that begins like this, which comes last.
pub fn until(client: &Client, beginning: &str) -> Vec<String> {
    let mut lines = vec![next(client)];
    while !lines.last().unwrap().starts_with(beginning) {
        lines.push(next(client));
    }
    lines
}

/// Whether a line is one that NBoard takes without a dialog, in the shape that this engine gives it.
pub fn is_reply(line: &str) -> bool {
    let decimal = |text: &str| {
        let digits = text.trim_start_matches(['+', '-']);
        text.len() - digits.len() <= 1 && digits.parse::<f64>().is_ok() && !digits.contains(['e', 'E', 'n', 'i'])
    };
    let turn = |text: &str| text == "PA" || text.to_uppercase() == text && text.parse::<Square>().is_ok();
    let printable = line.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let fields: Vec<&str> = rest.split(' ').collect();
    printable
        && match word {
            "pong" => rest.parse::<i32>().is_ok(),
            "status" => true,
            "learned" => rest.is_empty(),
            "set" => fields[0] == "myname" && fields.len() == 2 && fields[1].bytes().all(|b| b.is_ascii_alphanumeric()),
            "nodestats" => fields.len() == 2 && fields[0].parse::<i64>().is_ok() && decimal(fields[1]),
            "analysis" => fields.len() == 2 && fields[0].parse::<u32>().is_ok() && decimal(fields[1]),
            "===" => match rest.split('/').collect::<Vec<_>>()[..] {
                [name, eval, seconds] => turn(name) && (eval.is_empty() || decimal(eval)) && decimal(seconds),
                _ => false,
            },
            "search" | "book" => {
                let [pv, eval, games, depth, ..] = fields[..] else { return false };
                let counted = if word == "book" { games.parse::<u32>().is_ok() } else { games == "0" };
                let turns = pv.as_bytes().chunks(2).all(|name| std::str::from_utf8(name).is_ok_and(turn));
                turns
                    && counted
                    && !pv.is_empty()
                    && eval.split(',').all(decimal)
                    && depth.starts_with(|c: char| c.is_ascii_digit())
            }
            _ => false,
        }
}

#[test]
fn transcripts() {
    replay_all("nboard", 10, || start(Engine::new(plain())));
}

/// The lines of a hint, to its end.
pub fn hint(client: &Client, request: &str) -> Vec<String> {
    client.send(request);
    let mut lines = until(client, "status Analyzing");
    while lines.last().unwrap() != "status" {
        lines.push(next(client));
    }
    lines
}

/// The depth of a line about a move, the part that NBoard shows, and the text behind it.
pub fn depth(line: &str) -> (&str, &str) {
    let depth = line.splitn(5, ' ').nth(4).unwrap();
    depth.split_once(' ').unwrap_or((depth, ""))
}

#[test]
fn only_a_depth_that_reaches_the_end_is_a_percentage() {
    let client = start(Engine::new(without_book()));
    client.send("set depth 6");
    let lines = hint(&client, "hint 4");
    let last: Vec<_> = lines.iter().filter(|line| line.starts_with("search")).rev().take(4).collect();
    assert_eq!(last.len(), 4, "{lines:?}");
    assert!(last.iter().all(|line| depth(line).0 == "6" && depth(line).1.starts_with("depth 6@")), "{last:?}");

    client.send(format!("set game (;GM[Othello]{START}{SIXTEEN_EMPTY};)"));
    client.send("set depth 8");
    let lines = hint(&client, "hint 4");
    let depths: Vec<_> = lines.iter().filter(|line| line.starts_with("search")).map(|line| depth(line).0).collect();
    assert_eq!(depths.last(), Some(&"100%"), "{depths:?}");
    assert!(depths.iter().all(|depth| !depth.contains('@') || depth.starts_with("16@")), "{depths:?}");
}

#[test]
fn a_move_of_the_book_keeps_its_value_whatever_the_depth() {
    let client = start(Engine::new(EngineOptions::default()));
    for depth in [4, 60] {
        client.send(format!("set depth {depth}"));
        let lines = hint(&client, "hint 64");
        let words: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
        let expected = ["status", "book", "book", "book", "book", "nodestats", "status"];
        assert_eq!(words[words.len() - 7..], expected, "{lines:?}");
    }
    client.send("go");
    until(&client, "===");
}

/// The moves of the book to a position that it has, and of which this holds.
fn turns_to(book: &OpeningBook, turns: Vec<Move>, is_wanted: impl Fn(&View) -> bool + Copy) -> Option<Vec<Move>> {
    let view = book.view(&position_after(&turns), Contempt::NONE)?;
    if is_wanted(&view) {
        return Some(turns);
    }
    let of_book = view.moves.iter().filter(|found| found.is_in_book);
    of_book.map(|found| found.turn).find_map(|turn| turns_to(book, [&turns[..], &[turn]].concat(), is_wanted))
}

fn position_after(turns: &[Move]) -> Position {
    turns.iter().fold(Position::START, |position, &turn| position.take(turn).unwrap())
}

#[test]
fn the_best_move_out_of_the_book_is_played_where_the_others_are_known_to_be_worse() {
    let book = OpeningBook::builtin();
    let leads_out = |view: &View| view.moves.iter().any(|found| found.is_in_book) && !view.moves[0].is_in_book;
    let turns = turns_to(&book, Vec::new(), leads_out).unwrap();
    let best = book.view(&position_after(&turns), Contempt::NONE).unwrap().moves[0].turn.to_string().to_lowercase();
    let client = start(Engine::new(EngineOptions::default()));
    for turn in turns {
        client.send(format!("move {turn}"));
    }
    client.send("set depth 6");
    let lines = hint(&client, "hint 1");
    assert!(lines.iter().any(|line| line.to_lowercase().starts_with(&format!("book {best}"))), "{best}: {lines:?}");
    assert!(lines.iter().all(|line| !line.starts_with("search")), "{lines:?}");
    client.send("go");
    let played = until(&client, "===").pop().unwrap().to_lowercase();
    assert!(played.starts_with(&format!("=== {best}")), "{best}: {played}");
}

#[test]
fn each_line_of_the_book_has_a_depth_of_its_own() {
    let plies = |line: Line| match line.depth {
        SearchDepth::Plies(plies) | SearchDepth::Selective { plies, .. } => Some(plies.to_string()),
        SearchDepth::WinLossDraw | SearchDepth::Exact => None,
    };
    let depths = move |view: &View| view.playable().map(plies).collect::<Option<Vec<_>>>();
    let is_mixed = move |view: &View| depths(view).is_some_and(|depths| depths.iter().any(|depth| *depth != depths[0]));
    let book = OpeningBook::builtin();
    let turns = turns_to(&book, Vec::new(), is_mixed).unwrap();
    let expected = depths(&book.view(&position_after(&turns), Contempt::NONE).unwrap()).unwrap();
    let client = start(Engine::new(EngineOptions::default()));
    client.send("set depth 1");
    for turn in turns {
        client.send(format!("move {turn}"));
    }
    let lines = hint(&client, "hint 64");
    let seen: Vec<&str> = lines.iter().filter(|line| line.starts_with("book")).map(|line| depth(line).0).collect();
    assert_eq!(seen, expected, "{lines:?}");
}

#[test]
fn an_analysis_has_the_values_of_the_book() {
    let client = start(Engine::new(EngineOptions::default()));
    let of_book = hint(&client, "hint 1").into_iter().find(|line| line.starts_with("book")).unwrap();
    client.send("move F5");
    client.send("move D6");
    client.send("analyze");
    let lines = until(&client, "status");
    let analysis: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
    // Nothing is searched.
    assert!(lines.len() == 4 && (0..3).all(|i| analysis[i][..2] == ["analysis", ["2", "1", "0"][i]]), "{lines:?}");
    let number = |text: &str| text.parse::<f64>().unwrap();
    // A pair: what it is worth if draws count for the side to move, and if they count against it.
    let of_book: Vec<f64> = of_book.split(' ').nth(2).unwrap().split(',').map(number).collect();
    let value = number(analysis[2][2]);
    assert!(value <= of_book[0] && value >= *of_book.last().unwrap(), "{of_book:?}: {lines:?}");
}

#[test]
fn book_and_search_together_show_no_more_moves_than_were_asked_for() {
    let client = start(Engine::new(EngineOptions::default()));
    client.send("set depth 8");
    for moves in ["", "B[F5]W[F6]"] {
        client.send(format!("set game (;GM[Othello]{START}{moves};)"));
        for asked in 1..=3 {
            let lines = hint(&client, &format!("hint {asked}"));
            let of = |word: &str| lines.iter().filter(|line| line.starts_with(word)).collect::<Vec<_>>();
            let (book, search) = (of("book"), of("search"));
            assert!(!book.is_empty() && book.len() <= asked, "{lines:?}");
            let is_of_book = |line: &str| book.iter().any(|known| known.split(' ').nth(1).unwrap()[..2] == line[7..9]);
            for plies in 1..=8 {
                let found = search.iter().filter(|line| depth(line).0 == plies.to_string());
                assert!(found.clone().count() <= asked - book.len(), "{asked} of '{moves}' at {plies}: {lines:?}");
                assert!(found.clone().all(|line| !is_of_book(line)), "{lines:?}");
            }
        }
    }
}

#[test]
fn nothing_of_an_interrupted_request_follows_its_pong() {
    let client = start(Engine::new(without_book()));
    let mut number = 0;
    for (request, lines) in ["hint 1", "hint 4", "hint 64", "go", "analyze"].into_iter().cycle().zip(0..200) {
        client.send(request);
        for _ in 0..lines % 7 {
            next(&client);
        }
        for _ in 0..2 {
            number += 1;
            client.send(format!("ping {number}"));
        }
        until(&client, &format!("pong {}", number - 1));
        assert_eq!(next(&client), format!("pong {number}"));
        if lines % 10 == 9 {
            client.send(format!("set game (;GM[Othello]{START}B[F5];)"));
        }
    }
}

#[test]
fn at_the_end_of_the_input_what_has_an_end_is_answered_and_a_hint_ends() {
    for (request, answer) in [("go", "=== D3/"), ("analyze", "analysis 0 "), ("hint 64", "search D3 ")] {
        let client = start(engine_with(|_| Box::new(Does(tireless))));
        client.send("set depth 60");
        if request != "hint 64" {
            client.send("set emilia.time 0.2");
        }
        client.send(request);
        let said = client.rest();
        assert!(said.lines().any(|line| line.starts_with(answer)), "{said}");
    }
}

#[test]
fn a_position_that_comes_during_go_is_for_the_next_request() {
    let client = start(Engine::new(plain()));
    client.send("set emilia.time 0.3");
    client.send("go");
    until(&client, "nodestats");
    client.send(
        "set game (;GM[Othello]BO[8 -OOOOOX- XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX X];)",
    );
    let answer = until(&client, "===").pop().unwrap();
    assert!(["D3", "C4", "F5", "E6"].contains(&&answer[4..6]), "{answer}");
    client.send("go");
    let answer = until(&client, "===").pop().unwrap();
    assert!(answer.starts_with("=== A1/64.00/"), "{answer}");
}

/// These discs without the one on d4.
fn with_a_hole(game: &GameRecord) -> Position {
    let hole = "d4".parse::<Square>().unwrap().bit();
    let [black, white] = [Color::Black, Color::White].map(|color| game.position().discs(color) & !hole);
    Position::new(black, white, game.position().mover()).unwrap()
}

#[test]
fn a_board_with_an_empty_square_in_the_centre_is_played_on() {
    let mut game = read_position(&format!("(;GM[Othello]{START}{SIXTEEN_EMPTY};)")).unwrap();
    while with_a_hole(&game).empties().count() > 8 || !with_a_hole(&game).moves().contains("d4".parse().unwrap()) {
        let turn = game.position().moves().into_iter().next().map_or(Move::Pass, Move::Place);
        game.take(turn).unwrap();
    }
    let position = with_a_hole(&game);
    let solved = |options: EngineOptions| {
        let client = start(Engine::new(options));
        client.send("set depth 20");
        client.send(format!("set game (;GM[Othello]BO[8 {position}];)"));
        let lines = hint(&client, "hint 64");
        let exact = lines.iter().filter(|line| line.starts_with("search") && depth(line).0 == "100%");
        let values = exact.map(|line| (line[7..9].to_owned(), line.split(' ').nth(2).unwrap().to_owned()));
        let values: BTreeMap<String, String> = values.collect();
        client.send("go");
        let answer = until(&client, "===").pop().unwrap();
        assert!(position.play(answer[4..6].parse().unwrap()).is_ok(), "{answer}");
        values
    };
    let expected = solved(EngineOptions { engine: &MINIMAX, ..without_book() });
    assert_eq!(expected.keys().map(|name| name.parse::<Square>().unwrap()).collect::<Bitboard>(), position.moves());
    for engine in [&EMILIA, &BEST_FIRST] {
        assert_eq!(solved(EngineOptions { engine, ..without_book() }), expected, "{}", engine.name);
    }
}

#[test]
fn go_has_the_time_that_the_game_leaves_it() {
    let client = start(engine_with(|_| Box::new(Does(time_allowed))));
    let allowed = |requests: &[&str]| -> u64 {
        requests.iter().for_each(|request| client.send(request));
        let lines = until(&client, "===");
        let stats = lines.iter().rev().find_map(|line| line.strip_prefix("nodestats ")).unwrap();
        stats.split(' ').next().unwrap().parse().unwrap()
    };
    let expected = |clock: &Clock, empties| clock.budget(empties).unwrap().hard.as_millis() as u64;
    let seconds = Duration::from_secs_f64;
    let of_its_own = allowed(&["go"]);
    assert!((1_000..=2_000).contains(&of_its_own), "neither a clock nor a depth: {of_its_own} ms");
    client.send("set depth 20");

    let mut clock = Clock::sudden_death(seconds(300.0), seconds(2.0));
    let game = format!("set game (;GM[Othello]TI[5:00/2]{START}B[F5//100]W[D6/1.18/5.0E-4];)");
    clock.spend(seconds(100.0));
    assert_eq!(allowed(&[&game, "go"]), expected(&clock, 58));
    // Moves that follow count too, each for its own side.
    clock.spend(seconds(30.5));
    assert_eq!(allowed(&["move C3//30,5", "move D3//0.1", "go"]), expected(&clock, 56));

    let game = format!("set game (;GM[Othello]TB[1:00]TW[0:07]{START}B[F5//59];)");
    assert_eq!(allowed(&[&game, "go"]), expected(&Clock::sudden_death(seconds(7.0), seconds(0.0)), 59));

    // A side that has used its main time up has the grace: two minutes, if nothing is said of it.
    let game = format!("set game (;GM[Othello]TI[5:00]{START}B[F5//301]W[D6//1];)");
    assert_eq!(allowed(&[&game, "go"]), expected(&Clock::sudden_death(seconds(119.0), seconds(0.0)), 58));
    let game = format!("set game (;GM[Othello]TI[5:00//0]{START}B[F5//301]W[D6//1];)");
    assert_eq!(allowed(&[&game, "go"]), expected(&Clock::sudden_death(seconds(0.1), seconds(0.0)), 58));

    let five_minutes = 300_000;
    assert_eq!(allowed(&["new", "go"]), five_minutes, "a new game has no clock");

    for property in ["", "TI[]", "TI[nonsense]", "TI[99999999:00:00]", "TI[24:00:00]"] {
        let game = format!("set game (;GM[Othello]{property}{START};)");
        assert_eq!(allowed(&[&game, "go"]), five_minutes, "{property}");
    }
    // A hint never looks at the clock: it has five minutes.
    client.send(format!("set game (;GM[Othello]TI[0:10]{START};)"));
    client.send("hint 1");
    let lines = until(&client, "nodestats");
    assert!(lines.last().unwrap().starts_with("nodestats 300000 "), "{lines:?}");
}

/// Like [`time_allowed`], but thinks for a while.
fn slow(task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    std::thread::sleep(Duration::from_millis(100));
    time_allowed(task, control, sink)
}

#[test]
fn moves_without_times_cost_what_go_took() {
    let client = start(engine_with(|_| Box::new(Does(slow))));
    // What the answer to `go` says: the milliseconds it was allowed, the move, and the seconds it took.
    let go = || -> (f64, String, f64) {
        client.send("go");
        let lines = until(&client, "===");
        let stats = lines.iter().rev().find_map(|line| line.strip_prefix("nodestats ")).unwrap();
        let (answer, allowed) = (lines.last().unwrap(), stats.split(' ').next().unwrap());
        (allowed.parse().unwrap(), answer[4..6].to_owned(), answer.rsplit('/').next().unwrap().parse().unwrap())
    };
    let expected = |spent: &[f64], empties| {
        let mut clock = Clock::sudden_death(Duration::from_secs(3), Duration::from_secs(1));
        spent.iter().for_each(|&time| clock.spend(Duration::from_secs_f64(time)));
        clock.budget(empties).unwrap().hard.as_secs_f64() * 1000.0
    };
    // The engine says times rounded to milliseconds, and what it was allowed cut to milliseconds.
    let same = |allowed: f64, expected: f64| assert!((allowed - expected).abs() < 2.0, "{allowed} {expected}");
    let clocked = |moves: &str| format!("set game (;GM[Othello]TI[0:03/1]{START}{moves};)");

    client.send(clocked(""));
    let (allowed, first, took) = go();
    same(allowed, expected(&[], 60));
    let mut reply = Position::START.play(first.parse().unwrap()).unwrap();
    let answer = reply.moves().into_iter().next().unwrap();
    reply = reply.play(answer).unwrap();
    assert_eq!(reply.empties().count(), 58);
    client.send(format!("move {first}"));
    client.send(format!("move {}", answer.to_upper()));
    let (allowed, _, _) = go();
    same(allowed, expected(&[took], 58));
    let both = format!("B[{first}]W[{}]", answer.to_upper());
    client.send(clocked(&both));
    same(go().0, expected(&[took], 58));
    // A client that rounds down is not believed, one that counts more is.
    client.send(clocked(&both.replace(&first, &format!("{first}//0"))));
    same(go().0, expected(&[took], 58));
    client.send(clocked(&both.replace(&first, &format!("{first}//2.5"))));
    same(go().0, expected(&[2.5], 58));
    // A new game owes nothing to the old one.
    client.send("new");
    client.send(clocked(&both));
    same(go().0, expected(&[], 58));
    client.send(clocked(""));
    let (_, _, took) = go();
    client.send(clocked(&both));
    same(go().0, expected(&[took], 58));
    client.send(clocked(""));
    client.send(clocked(&both));
    same(go().0, expected(&[], 58));
}

#[test]
fn analyze_takes_two_seconds_a_position_whatever_the_depth() {
    let client = start(engine_with(|_| Box::new(Does(time_allowed))));
    let allowed = |setting: &str| -> Vec<String> {
        client.send(setting);
        client.send("analyze");
        let lines = until(&client, "analysis 0");
        assert_eq!(next(&client), "status");
        let stats = lines.iter().filter_map(|line| line.strip_prefix("nodestats "));
        stats.map(|stats| stats.split(' ').next().unwrap().to_owned()).collect()
    };
    client.send(format!("set game (;GM[Othello]{START}B[F5];)"));
    // The count of nodes goes on from position to position.
    assert_eq!(allowed(""), ["2000", "4000"]);
    assert_eq!(allowed("set depth 26"), ["2000", "4000"]);
    assert_eq!(allowed("set emilia.depth 5"), ["2000", "4000"]);
    assert_eq!(allowed("set emilia.nodes 1000"), ["0", "0"]);
}

#[test]
fn clear_forgets_and_new_does_not() {
    let client = start(engine_with(|_| Box::new(Forgetful(0))));
    for (command, asked) in [("ping 1", 1), ("new", 2), ("clear", 1), ("new", 2)] {
        client.send(command);
        client.send("go");
        let lines = until(&client, "===");
        assert!(lines.iter().any(|line| line.starts_with(&format!("nodestats {asked} "))), "{command}: {lines:?}");
    }
}

#[test]
fn a_move_already_asked_for_is_found_with_the_options_of_that_time() {
    let first = ["go", "set emilia.eval weighted-squares", "set emilia.depth 1"];
    let first = first.map(|line| InputLine::Bytes(line.as_bytes().to_vec())).into();
    let engine = Engine::new(EngineOptions { depth: Depth::new(2), ..plain() });
    let client = Conversation::begun(serve, engine, first);
    assert_eq!(next(&client), "status Thinking: minimax on mobility");
    until(&client, "===");
}

/// Recommends a move that nobody can play, with a value.
fn confused(task: &Task, _: &Control, _: &mut dyn FnMut(&Report)) -> Report {
    let report = first_move(&task.position);
    let turn = if task.position.must_pass() { "A1".parse().map(Move::Place).unwrap() } else { Move::Pass };
    let line = Line { turn, score: Score::from_discs(7), pv: vec![turn], ..report.lines[0].clone() };
    Report { lines: vec![line], ..report }
}

#[test]
fn go_is_never_answered_with_an_illegal_move() {
    let client = start(engine_with(|_| Box::new(Does(confused))));
    client.send("go");
    let answer = until(&client, "===").pop().unwrap();
    assert!(["D3//", "C4//", "F5//", "E6//"].contains(&&answer[4..8]), "{answer}");
    // Black has to pass.
    let moves = "B[F5]W[F6]B[D3]W[G5]B[H5]W[H4]B[F7]W[H6]";
    client.send(format!("set game (;GM[Othello]{START}{moves};)"));
    client.send("go");
    let answer = until(&client, "===").pop().unwrap();
    assert!(answer.starts_with("=== PA//"), "{answer}");
}

#[test]
fn analyze_has_the_values_of_hints() {
    let client = start(Engine::new(without_book()));
    client.send("set depth 5");
    let mut values = Vec::new();
    for moves in ["", "B[F5]", "B[F5]W[D6]"] {
        client.send(format!("set game (;GM[Othello]{START}{moves};)"));
        let lines = hint(&client, "hint 1");
        let last = lines.iter().rfind(|line| line.starts_with("search")).unwrap();
        let value: f64 = last.split(' ').nth(2).unwrap().parse().unwrap();
        values.push(if moves == "B[F5]" { -value } else { value });
    }
    client.send("analyze");
    let lines = until(&client, "analysis 0");
    let analysis =
        lines.iter().rev().filter_map(|line| line.strip_prefix("analysis ")?.split(' ').nth(1)?.parse().ok());
    assert_eq!(analysis.collect::<Vec<f64>>(), values);
}

/// Runs into its memory cap and goes on until it is stopped.
pub fn full(task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    let memory = MemoryUse { linear_nodes: 1234, tree_nodes: 1, ..MemoryUse::default() };
    let report = Report { memory, ..first_move(&task.position) };
    sink(&report);
    while !control.must_stop(777, 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    report
}

/// A hint is about the game and the settings that it was asked for with.
#[test]
fn what_alters_the_question_ends_a_hint_and_an_analysis() {
    let client = start(engine_with(|_| Box::new(Does(full))));
    let game = format!("set game (;GM[Othello]{START}B[F5];)");
    let settings = ["set depth 3", "set contempt 5", "set emilia.variety 2"];
    for request in ["hint 1", "analyze"] {
        for command in
            [&game, "move D6", "new", "clear", "go", "hint 2", "analyze", "learn"].into_iter().chain(settings)
        {
            client.send(request);
            until(&client, "status 512 MB are full");
            client.send(command);
            // A heartbeat may come between.
            let said = (0..30).map(|_| next(&client)).find(|line| !line.starts_with("nodestats"));
            assert_eq!(said.as_deref(), Some("status"), "{command} during {request}");
            client.send("ping 1");
            until(&client, "pong 1");
        }
    }
}

static GATE_IS_OPEN: AtomicBool = AtomicBool::new(false);
static SEARCHES: AtomicUsize = AtomicUsize::new(0);

/// Does not end before the gate is open, whatever it is told.
fn gated(task: &Task, _: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
    SEARCHES.fetch_add(1, Ordering::SeqCst);
    sink(&first_move(&task.position));
    while !GATE_IS_OPEN.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(1));
    }
    first_move(&task.position)
}

#[test]
fn requests_given_up_before_their_turn_are_not_searched() {
    let client = start(engine_with(|_| Box::new(Does(gated))));
    client.send("hint 1");
    until(&client, "search");
    for number in 0..50 {
        // Each is handed to the engine, which is still busy with the first.
        client.send("hint 1");
        until(&client, "status Analyzing");
        client.send(format!("ping {number}"));
        until(&client, &format!("pong {number}"));
    }
    GATE_IS_OPEN.store(true, Ordering::SeqCst);
    client.send("go");
    until(&client, "===");
    assert_eq!(SEARCHES.load(Ordering::SeqCst), 2);
}

#[test]
fn a_search_that_panics_is_answered_for() {
    let client = start(engine_with(|_| Box::new(Does(|_, _, _| panic!("a test of a search that panics")))));
    for number in 1..4 {
        client.send("go");
        let answer = until(&client, "===").pop().unwrap();
        assert!(["D3", "C4", "F5", "E6"].contains(&&answer[4..6]), "{answer}");
        client.send(format!("ping {number}"));
        assert_eq!(next(&client), format!("pong {number}"));
    }
}
