//! `emilia book`, and playing from a book.

use crate::convert::file;
use crate::games::random_game;
use crate::nboard;
use crate::serve::{answers, emilia, said};
use crate::terminal::Terminal;
use emilia::book::{Database, Snapshot};
use emilia::engine::{Engine, EngineOptions, OpeningBook};
use emilia::notation::transcript::Transcript;
use emilia::search::Depth;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;

/// A command that succeeds, and what it says on both outputs.
pub(crate) fn done(arguments: &[&str]) -> (String, String) {
    let (code, out, err) = said(arguments, "");
    assert_eq!(code, 0, "{arguments:?}: {out}{err}");
    (out, err)
}

/// The end of a command that fails, as the user reads it.
pub(crate) fn refused(arguments: &[&str]) -> String {
    let (code, out, err) = said(arguments, "");
    assert_eq!((code, out.as_str()), (1, ""), "{arguments:?}: {err}");
    err
}

fn grow(book: &str, positions: u32) -> (String, String) {
    done(&[
        "book",
        "grow",
        book,
        "--depth",
        "4",
        "--threads",
        "2",
        "--hash",
        "1",
        "--positions",
        &positions.to_string(),
    ])
}

pub(crate) fn grown(folder: &TempDir, positions: u32) -> String {
    let book = file(folder, "book");
    done(&["book", "new", &book]);
    grow(&book, positions);
    book
}

pub(crate) fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&answers(&[arguments, &["--json"]].concat(), "")).unwrap()
}

pub(crate) fn assert_sound(book: &str) {
    let (_, said) = done(&["book", "check", book]);
    assert!(said.contains(" 0 faults"), "{said}");
}

#[test]
fn a_book_grows_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 30);
    assert!(refused(&["book", "new", &book]).contains("there already"));
    assert_sound(&book);
    let counts = json(&["book", "stat", &book]);
    assert!(counts["positions"].as_u64().unwrap() >= 30 && counts["unsearched"] == 0, "{counts}");
    let (_, err) = grow(&book, 45);
    assert!(err.contains("45 positions, 15 of them new") || err.contains("46 positions"), "{err}");
    assert_sound(&book);

    let shown = json(&["book", "show", &book, "f5"]);
    let moves = shown["moves"].as_array().unwrap();
    assert_eq!(moves[0]["value"], shown["value"], "the value is the best move's");
    assert_eq!(moves[0]["line"][0], moves[0]["move"]);
    assert!(moves.iter().any(|found| found["in_book"] == true) && shown["visits"].as_u64().unwrap() > 10);
    // A board that begins with an empty square is no option.
    let board = "---------------------------OX------XXX-------------------------- O";
    for arguments in [&["book", "show", "--json", &book, board][..], &["book", "show", &book, board, "--json"]] {
        assert_eq!(serde_json::from_str::<Value>(&answers(arguments, "")).unwrap()["value"], shown["value"]);
    }
    let text = answers(&["book", "show", board], "");
    assert!(text.contains("white 1") && text.contains("move  value"), "{text}");
    assert!(done(&["book", "grow", &book, "--from", board, "--positions", "1"]).1.contains("positions"));
    // Turned boards are the same position, and the other side's value has the other sign.
    assert_eq!(json(&["book", "show", &book, "c4"])["value"], shown["value"]);
    let start = json(&["book", "show", &book]);
    assert_eq!(start["value"].as_f64().unwrap(), -shown["value"].as_f64().unwrap());
    assert_eq!(start["moves"].as_array().unwrap().len(), 4);
    let table = answers(&["book", "show", &book, "f5"], "");
    let is_row = |line: &str| line.starts_with("d6  ") && line.contains("  d6 ");
    assert!(table.contains("move  value") && table.lines().any(is_row) && !table.contains("games"), "{table}");
    assert!(table.contains("5  -  -  -  X  X (X) -  -  5\n"), "the last disc is marked: {table}");
    assert!(refused(&["book", "show", &book, "f5f6e6f4e3d6c5d3"]).contains("not in the book"));
}

#[test]
fn a_book_grows_until_what_is_next_costs_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let book = file(&folder, "book");
    done(&["book", "new", &book]);
    let grow = |cost: &str| {
        let (_, err) = done(&["book", "grow", &book, "--depth", "2", "--threads", "1", "--cost", cost]);
        let next = err.split("the next position costs ").nth(1).and_then(|rest| rest.split(" plies").next());
        let new = err.split(" of them new").next().and_then(|rest| rest.split(", ").last());
        (new.unwrap().parse::<u32>().unwrap(), next.unwrap().parse::<f64>().unwrap())
    };
    let (new, next) = grow("3.5");
    assert!(new >= 3 && next > 3.5, "{new} {next}");
    assert_eq!(grow("3.5"), (0, next));
    let (new, next) = grow("6");
    assert!(new >= 3 && next > 6.0, "{new} {next}");
    assert_sound(&book);
    let rule = |book: &str| json(&["book", "stat", book])["rule"].as_str().unwrap().to_owned();
    assert_eq!(rule(&book), "drop-out");
    let more = ["book", "grow", &book, "--depth", "2", "--positions", "30"];
    let (_, err) = done(&[&more[..], &["--rule", "relevance"]].concat());
    assert!(err.contains("the next position costs ") && err.contains(" half discs"), "{err}");
    assert!(done(&more).1.contains(" half discs"), "the book keeps its rule");
    assert_sound(&book);
    let part = file(&folder, "part");
    done(&["book", "prune", &book, "--positions", "20", "--out", &part]);
    assert_eq!((rule(&book), rule(&part)), ("relevance".to_owned(), "relevance".to_owned()));
    assert_sound(&part);
    let said = said(&["book", "grow", &book, "--cost", "-1"], "").2;
    assert!(said.contains("expected a cost from 0 to 1000"), "{said}");
}

#[test]
fn the_book_of_the_program_is_read_without_its_name() {
    let shown = answers(&["book", "show", "f5d6"], "");
    assert_eq!(shown, answers(&["book", "show", "builtin", "f5d6"], ""));
    assert!(shown.contains("white 3; Perpendicular\n") && shown.contains("  c4 "), "{shown}");
    assert!(!shown.contains("visits") && !shown.contains("proven"), "{shown}");
    assert_eq!(json(&["book", "stat"]), json(&["book", "stat", "builtin"]));
    assert_eq!(refused(&["book", "show", "f5d9"]), "emilia: 'f5d9': not found\n");
    assert_eq!(refused(&["book", "new", "nodir/x"]), "emilia: 'nodir/x': the folder 'nodir' is not there\n");
    for arguments in [&["learn", "builtin", "games.txt"][..], &["grow", "builtin", "--time", "5"], &["new", "builtin"]]
    {
        let said = refused(&[&["book"], arguments].concat());
        assert!(said.contains("the book of the program does not change; expected a file"), "{said}");
    }
}

#[test]
fn values_of_another_evaluation_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 12);
    let [packed, exported, imported] = ["packed", "book.dat", "imported"].map(|name| file(&folder, name));
    const MARK: &str = "(other weights)";
    let weights = |book: &str| json(&["book", "show", book])["moves"][0]["weights"].clone();

    done(&["book", "export", &book, "--out", &exported]);
    done(&["book", "import", &exported, "--out", &imported]);
    assert!(done(&["book", "show", &imported]).0.contains(MARK) && weights(&imported).is_null());
    assert!(json(&["book", "show", &imported])["moves"][0]["value"].is_number());
    assert!(!done(&["book", "show", &book]).0.contains(MARK));
    assert_eq!(weights(&book), json(&["book", "stat", &book])["weights"]);

    done(&["book", "pack", &book, "--out", &packed]);
    let mut bytes = std::fs::read(&packed).unwrap();
    bytes[12] ^= 1; // the fingerprint
    let sum = crc32fast::hash(&[&bytes[..28], &bytes[32..]].concat());
    bytes[28..32].copy_from_slice(&sum.to_le_bytes());
    std::fs::write(&packed, &bytes).unwrap();
    for command in ["show", "stat", "check"] {
        let is_warned = |book: &str| {
            done(&["book", command, book])
                .1
                .contains(&format!("emilia: warning: '{book}': it grew last with the weights"))
        };
        assert!(is_warned(&packed) && !is_warned(&book), "{command}");
    }
    let lines = session(&["nboard"], &format!("nboard 2\nset emilia.book {packed}\n"));
    assert!(lines.iter().any(|line| line == "status book: its values are another evaluation's"), "{lines:?}");
}

#[test]
fn games_are_learned_and_then_searched() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 3);
    let games = file(&folder, "games.txt");
    let lines: String = (0..3).map(|seed| format!("{}\n", Transcript(&random_game(seed)))).collect();
    fs::write(&games, format!("{lines}nonsense\n")).unwrap();
    let (code, _, err) = said(&["book", "learn", &book, &games, "--plies", "8"], "");
    assert!(code == 1 && err.contains("3 games learned") && err.contains("game 4"), "{err}");
    assert_sound(&book);
    assert_eq!(json(&["book", "show", &book])["games"], 3);
    let before = json(&["book", "stat", &book]);
    assert!(before["unsearched"].as_u64().unwrap() > 5, "{before}");
    for task in answers(&["book", "tasks", &book, "3", "--depth", "2"], "").lines() {
        let task: Value = serde_json::from_str(task).unwrap();
        let shown = json(&["book", "show", &book, task["board"].as_str().unwrap()]);
        assert!(shown["games"].as_u64().unwrap() > 0 && shown["value"].is_null(), "what was learned first: {shown}");
    }
    // A book that grows for an opening leaves it; else it comes first, and the book is large enough without more.
    done(&["book", "grow", &book, "--from", "f5", "--depth", "2", "--threads", "4", "--positions", "1"]);
    assert_eq!(json(&["book", "stat", &book]), before);
    done(&["book", "grow", &book, "--depth", "12", "--threads", "4", "--positions", "1"]);
    assert_sound(&book);
    let after = json(&["book", "stat", &book]);
    assert!(after["unsearched"] == 0 && after["positions"] == before["positions"], "{after}");
    // Of each of them the best move that leads out of the book is known.
    for game in fs::read_to_string(&games).unwrap().lines().take(3) {
        for plies in 2..=8 {
            let shown = json(&["book", "show", &book, &game[..2 * plies]]);
            let moves = shown["moves"].as_array().unwrap();
            let out = moves.iter().filter(|found| found["in_book"] == false && !found["value"].is_null()).count();
            let all = emilia::notation::read_position(&game[..2 * plies]).unwrap().position().moves().count() as usize;
            assert!(out == 1 || moves.len() == all, "{shown}");
        }
    }
}

/// A book that learns this number of games and grows, killed in the middle of whatever it does at least this number of times.
fn kill_and_check(kills: u64, games: usize) {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 10);
    let learned = file(&folder, "games.txt");
    let lines = (0..games as u64).map(|seed| format!("{}\n", Transcript(&random_game(seed))));
    fs::write(&learned, lines.collect::<String>()).unwrap();
    // Where it grows for an opening, it does not search what it has learned before.
    let commands: [&[&str]; 3] = [
        &["book", "grow", &book, "--depth", "2", "--hash", "1", "--from", "f5"],
        &["book", "learn", &book, &learned],
        &["book", "grow", &book, "--depth", "2", "--hash", "1"],
    ];
    let (mut positions, mut with_value) = (10, 10);
    // On a busy machine it takes a while before it does anything.
    for kill in 0..kills + 34 {
        let mut child =
            emilia(commands[kill as usize % 3]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100 + 37 * kill % 1500));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_sound(&book);
        let now = json(&["book", "stat", &book]);
        let [now_positions, now_with_value] = ["positions", "with_value"].map(|name| now[name].as_u64().unwrap());
        assert!(now_positions >= positions && now_with_value >= with_value, "{now}, {positions}, {with_value}");
        (positions, with_value) = (now_positions, now_with_value);
        if kill + 1 >= kills && with_value > 30 {
            return;
        }
    }
    panic!("it does not grow: {positions} positions");
}

#[test]
fn a_killed_book_has_lost_nothing() {
    kill_and_check(6, 200);
}

#[test]
#[ignore = "takes minutes"]
fn a_book_that_is_killed_fifty_times_has_lost_nothing() {
    kill_and_check(50, 3000);
}

#[test]
fn a_packed_book_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (book, packed) = (grown(&folder, 60), file(&folder, "packed"));
    let (_, err) = done(&["book", "pack", &book, "--out", &packed]);
    assert!(err.contains("25 bytes each"), "{err}");
    assert_sound(&packed);
    let [counts, of_packed] = [&book, &packed].map(|book| json(&["book", "stat", book]));
    assert_eq!((&counts["positions"], &counts["value"]), (&of_packed["positions"], &of_packed["value"]));
    for moves in ["f5", "f5d6", "f5f6"] {
        let timeless = |book: &str| {
            let mut shown = json(&["book", "show", book, moves]);
            for found in shown["moves"].as_array_mut().unwrap() {
                (found["visits"], found["games"]) = (Value::Null, Value::Null);
            }
            (shown["visits"], shown["games"]) = (Value::Null, Value::Null);
            shown["moves"].as_array_mut().unwrap().sort_by_key(|found| found["move"].to_string());
            shown
        };
        assert_eq!(timeless(&book), timeless(&packed), "{moves}");
    }
    assert!(refused(&["book", "pack", &book, "--out", &book]).contains("there already"), "a book that grows is kept");
    assert_sound(&book);
    assert!(refused(&["book", "grow", &packed, "--time", "1s"]).contains("packed book does not change"));
    assert!(said(&["book", "take", &packed], "{}\n").2.contains("packed book does not change"));
    assert!(refused(&["book", "pack", &packed, "--out", "x"]).ends_with("packed': the book is packed already\n"));
    let bytes = fs::read(&packed).unwrap();
    fs::write(&packed, &bytes[..bytes.len() - 1]).unwrap();
    assert!(refused(&["book", "stat", &packed]).contains("damaged"));
    let (code, _, err) = said(&["nboard", "--book", &packed], "");
    assert!(code == 2 && err.contains("damaged"), "{err}");
}

#[test]
fn a_book_in_use_and_a_full_disk_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 10);
    let open = Database::open(Path::new(&book)).unwrap();
    for command in ["grow", "stat", "check"] {
        assert!(refused(&["book", command, &book]).contains("another program is using the book"), "{command}");
    }
    let query = r#"{"id":1,"moves":"","depth":1,"book":true}"#;
    let answer: Value = serde_json::from_str(&answers(&["analyze", "--hash", "1", "--book", &book], query)).unwrap();
    assert!(answer["warnings"][0].as_str().unwrap().ends_with("book': another program is using the book"), "{answer}");
    // Who starts a GUI meanwhile plays without it, until it can be read.
    assert!(session(&["gtp", "--book", &book, "--depth", "1"], "genmove black\n")[0].starts_with("= "));
    drop(open);
    let before = fs::read(&book).unwrap();
    let reader = Snapshot::open(Path::new(&book)).unwrap();
    assert_sound(&book);
    drop(reader);
    assert!(fs::read(&book).unwrap() == before, "a check only reads");
    assert!(refused(&["book", "stat", &file(&folder, "none")]).ends_with("none': not found\n"));
    let other = file(&folder, "other");
    fs::write(&other, "no book at all").unwrap();
    assert!(refused(&["book", "grow", &other]).contains("no book"));
}

/// NBoard's `learned` says that the game is on the disk.
#[test]
fn what_is_said_to_be_learned_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 10);
    for seed in 0..8 {
        let moves = Transcript(&random_game(seed)).to_string()[..24].to_uppercase();
        let turns = moves.as_bytes().chunks(2).map(|turn| format!("move {}\n", str::from_utf8(turn).unwrap()));
        let mut child = emilia(&["nboard", "--book", &book, "--depth", "1"]).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(format!("nboard 2\n{}learn\n", turns.collect::<String>()).as_bytes())
            .unwrap();
        let mut line = String::new();
        while line != "learned\n" {
            line.clear();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "the process has ended");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_sound(&book);
        assert!(json(&["book", "show", &book, &moves])["games"].as_u64() >= Some(1), "{moves}");
    }
}

#[test]
fn beyond_the_book_it_plays_as_without_one() {
    for seed in 0..6 {
        let moves = Transcript(&random_game(seed)).to_string()[..20].to_owned();
        assert!(refused(&["book", "show", "builtin", &moves]).contains("not in the book"), "{moves}");
        let colors = ["black", "white"].iter().cycle();
        let turns = moves.as_bytes().chunks(2).zip(colors);
        let turns = turns.map(|(turn, color)| format!("play {color} {}\n", str::from_utf8(turn).unwrap()));
        let commands = format!("{}reg_genmove black\nemilia-stats\n", turns.collect::<String>());
        let by =
            |book| session(&["gtp", "--nodes", "3000", "--threads", "1", "--hash", "4", "--book", book], &commands);
        let is_timeless = |line: &String| !line.starts_with("seconds ") && !line.starts_with("nps ");
        let [with, without] =
            ["builtin", "none"].map(|book| by(book).into_iter().filter(is_timeless).collect::<Vec<_>>());
        assert!(with == without && with.iter().any(|line| line.starts_with("score ")), "{moves}: {with:?}");
    }
}

/// The answers of a session from the one that begins like this on.
fn session(arguments: &[&str], input: &str) -> Vec<String> {
    let (code, out, err) = said(arguments, input);
    assert_eq!(code, 0, "{err}");
    out.lines().map(str::to_owned).collect()
}

#[test]
fn moves_hints_and_lessons_over_nboard() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 40);
    let with_book = |depth| {
        let book = Some(OpeningBook::open(&book).unwrap());
        nboard::start(Engine::new(EngineOptions {
            book,
            depth,
            time: Some(Duration::from_secs(30)),
            ..EngineOptions::default()
        }))
    };
    let best = json(&["book", "show", &book])["moves"][0]["move"].as_str().unwrap().to_uppercase();
    let client = with_book(None);
    client.send("go");
    let answer = nboard::until(&client, "===").pop().unwrap();
    let seconds: f64 = answer.rsplit('/').next().unwrap().parse().unwrap();
    assert!(answer.starts_with(&format!("=== {best}/")) && seconds < 5.0, "{answer}: thirty seconds without a book");
    drop(client);

    let client = with_book(Depth::new(2));
    client.send("hint 3");
    nboard::until(&client, "status Analyzing");
    let lines = nboard::until(&client, "status");
    let of_book: Vec<_> = lines.iter().filter(|line| line.starts_with("book ")).collect();
    assert!(of_book.len() == 3 && of_book[0].starts_with(&format!("book {best}")), "{lines:?}");
    for line in ["ping 1", "move F5", "move F6", "move E6", "move F4", "learn"] {
        client.send(line);
    }
    nboard::until(&client, "learned");
    let status = nboard::until(&client, "status").pop().unwrap();
    assert!(status.contains("Learned: "), "{status}");
    assert_eq!(json(&["book", "show", &book, "f5f6e6"])["games"], 1, "it is on the disk");
    drop(client);
    assert_sound(&book);

    let gtp =
        session(&["gtp", "--book", &book, "--depth", "1"], "emilia-book\nplay black F5\nemilia-book\ngenmove white\n");
    assert!(gtp[0].starts_with("= move ") && gtp[0].contains(" games "), "{gtp:?}");
}

#[test]
fn variety_chooses_among_the_moves_of_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 60);
    let answers: std::collections::BTreeSet<String> = (0..20)
        .map(|seed| {
            let seed = seed.to_string();
            let arguments = ["gtp", "--book", &book, "--variety", "64", "--seed", &seed, "--depth", "1"];
            session(&arguments, "reg_genmove black\n").concat()
        })
        .collect();
    assert!(answers.len() == 4, "the four first moves are worth the same: {answers:?}");
}

#[test]
fn books_are_merged_and_cut_to_size() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other, both, part) =
        (file(&folder, "book"), file(&folder, "other"), file(&folder, "both"), file(&folder, "part"));
    grown(&folder, 40);
    done(&["book", "new", &other]);
    done(&["book", "grow", &other, "--depth", "3", "--hash", "1", "--positions", "60"]);
    let (_, err) = done(&["book", "merge", &one, &other, "--out", &both]);
    assert_sound(&both);
    let [of_one, of_other, of_both] =
        [&one, &other, &both].map(|book| json(&["book", "stat", book])["positions"].as_u64().unwrap());
    assert!((of_other.max(of_one)..=of_one + of_other).contains(&of_both), "{of_both}: {err}");
    assert!(refused(&["book", "merge", &one, &other, "--out", &both]).contains("there already"));
    let refusal = refused(&["book", "merge", &one, "--out", "nodir/x"]);
    assert_eq!(refusal, "emilia: 'nodir/x': the folder 'nodir' is not there\n");
    for command in ["merge", "pack"] {
        let said = refused(&["book", command, &one, "--out", "builtin"]);
        assert!(said.contains("the book of the program does not change"), "{said}");
    }
    done(&["book", "grow", &both, "--depth", "3", "--hash", "1", "--positions", &(of_both + 5).to_string()]);
    assert_sound(&both);

    done(&["book", "prune", &both, "--positions", "25", "--out", &part]);
    assert_sound(&part);
    let [whole, part_of_it] = [&both, &part].map(|book| json(&["book", "stat", book]));
    assert_eq!((&part_of_it["positions"], &part_of_it["value"]), (&25.into(), &whole["value"]));
    let sound = file(&folder, "sound");
    done(&["book", "prune", &both, "--loss", "1", "--out", &sound]);
    assert_sound(&sound);
    assert!(json(&["book", "stat", &sound])["positions"].as_u64() < whole["positions"].as_u64());
    let (code, _, err) = said(&["book", "prune", &both, "--out", &file(&folder, "none")], "");
    assert!(code == 2 && err.contains("--loss") && err.contains("--positions"), "{err}");
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn a_book_is_free_while_answers_are_awaited_and_they_wait_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 10);
    let tasks = answers(&["book", "tasks", &book, "2", "--depth", "2"], "");
    let results = answers(&["analyze", "--hash", "1", "-"], &tasks);
    let mut take = emilia(&["book", "take", &book]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (first, rest) = results.split_once('\n').unwrap();
    let mut input = take.stdin.take().unwrap();
    writeln!(input, "{first}").unwrap();
    input.flush().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let open = Database::open(Path::new(&book)).unwrap();
    write!(input, "{rest}").unwrap();
    drop(input);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(take.try_wait().unwrap(), None, "what the pipe brought is not lost");
    drop(open);
    let output = take.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("the answers wait for it") && said.contains(" taken"), "{said}");
}

#[test]
fn searches_are_done_elsewhere_and_taken_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 20);
    let tasks = answers(&["book", "tasks", &book, "8", "--depth", "4"], "");
    assert!((8..=16).contains(&tasks.lines().count()), "{tasks}");
    let results = answers(&["analyze", "--hash", "1", "--threads", "2", "-"], &tasks);
    assert_eq!(results.lines().count(), tasks.lines().count());
    let before = json(&["book", "stat", &book])["positions"].as_u64().unwrap();

    // In two parts, the wrong way round, with lines that are there twice, and with some that are of no use.
    let mut lines: Vec<&str> = results.lines().collect();
    lines.sort_unstable();
    lines.reverse();
    let weights = json(&["book", "stat", &book])["weights"].as_str().unwrap().to_owned();
    let far = random_game(7).positions()[30];
    let square = far.moves().into_iter().next().unwrap();
    let found = format!(r#"{{"move":"{square}","value":0,"depth":1,"selectivity":73,"exact":false}}"#);
    let foreign = format!(r#"{{"board":"{far}","moves":[{found}],"weights":"{weights}"}}"#);
    let of_mobility = answers(&["analyze", "--hash", "1", "--eval", "mobility", "-"], tasks.lines().next().unwrap());
    let of_nothing = lines[0].replace(&format!(r#""weights":"{weights}","#), "");
    let damaged = &lines[0][..lines[0].find("seconds").unwrap()];
    let (one, other) = (file(&folder, "one"), file(&folder, "other"));
    fs::write(&one, format!("{}\n{}\n\n{damaged}\n", lines.join("\n"), lines[0])).unwrap();
    fs::write(
        &other,
        format!(
            "{{\"shard\":{{}}}}\n{foreign}\n{{\"id\":1,\"error\":\"no\",\"line\":2}}\n{}\n{of_mobility}{of_nothing}\n",
            lines[0]
        ),
    )
    .unwrap();
    let (code, _, err) = said(&["book", "take", &book, &one, &other], "");
    assert!(code == 1 && err.contains("not used: 5 lines"), "{err}");
    assert!(err.contains("other:5:") && err.contains(&format!("the book's is {weights}")), "{err}");
    assert!(err.contains("other:6:1: it does not say with which evaluation"), "{err}");
    let line = lines.len() + 3;
    assert!(err.contains(&format!("one:{line}:{}: EOF while parsing", damaged.len())), "{err}");
    assert!(err.contains("other:2:1: the position is neither") && err.contains("other:3:9: not searched: no"), "{err}");
    assert!(err.contains(&format!("{} taken, 2 known already", lines.len())), "{err}");
    assert_sound(&book);
    let after = json(&["book", "stat", &book]);
    assert!(after["positions"].as_u64().unwrap() > before && after["unsearched"] == 0, "{after}");
    let (_, err) = done(&["book", "take", &book, "-"]);
    assert!(err.contains("0 taken, 0 known already"), "{err}");
    let (code, _, err) = said(&["book", "take", &book], &results);
    assert!(code == 0 && err.contains(&format!("0 taken, {} known already", lines.len())), "{err}");
    assert_sound(&book);
}

#[test]
fn books_are_exchanged_with_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 40);
    for name in ["book.dat", "book.egbk3"] {
        let (foreign, again) = (file(&folder, name), file(&folder, &format!("from-{name}")));
        let (_, err) = done(&["book", "export", &book, "--out", &foreign]);
        assert!(err.contains(" moves between them") && err.contains("rounded to whole discs"), "{err}");
        done(&["book", "import", &foreign, "--out", &again]);
        assert_sound(&again);
        let [of_book, of_import] = [&book, &again].map(|book| json(&["book", "stat", book]));
        assert_eq!(of_import["positions"], of_book["positions"]);
        assert!((of_import["value"].as_f64().unwrap() - of_book["value"].as_f64().unwrap()).abs() <= 0.5);
        assert!(of_import["other_weights"].as_u64().unwrap() > 30, "it is searched again: {of_import}");
        let bytes = fs::read(&foreign).unwrap();
        fs::write(&foreign, &bytes[..bytes.len() - 1]).unwrap();
        let err = refused(&["book", "import", &foreign, "--out", &file(&folder, "cut")]);
        assert!(err.contains("the file is cut off") && err.contains("byte "), "{err}");
        assert!(!folder.path().join("cut").exists());
    }
    assert!(refused(&["book", "export", &book, "--out", &file(&folder, "book.txt")]).contains(".egbk3"));
    let own = file(&folder, "own.dat");
    done(&["book", "new", &own]);
    assert!(refused(&["book", "export", &own, "--out", &own]).contains("there already"), "a book that grows is kept");
    assert_sound(&own);
}

#[test]
fn learning_from_a_terminal_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 3);
    let line = format!("trap : INT; '{}' book learn '{book}' -; echo over; sleep 60", env!("CARGO_BIN_EXE_emilia"));
    let Some(terminal) = Terminal::start(file(&folder, "socket"), &line) else { return };
    terminal.wait_for("reading");
    terminal.say("f5d6c3d3c4");
    std::thread::sleep(Duration::from_millis(300));
    terminal.press("C-c");
    terminal.wait_for("what was learned is in the book");
    terminal.wait_for("over");
    assert_sound(&book);
}

#[test]
fn the_rest_of_a_file_is_learned_and_books_of_others_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let [book, games, edax] = ["a.book", "games.txt", "edax.dat"].map(|name| file(&folder, name));
    fs::write(&games, "f5d6\nf5f6\nf5f4\n").unwrap();
    done(&["book", "new", &book]);
    let (_, said) = done(&["book", "learn", &book, &games, "--game", "2-"]);
    assert!(said.contains("2 games learned, 3 new positions"), "{said}");
    assert!(refused(&["book", "learn", &book, &games, "--game", "4-"]).contains("no game with such a number"));
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/edax.dat"), &edax).unwrap();
    assert!(refused(&["book", "show", &edax]).contains("it is one of Edax; 'emilia book import' makes one"));
}
