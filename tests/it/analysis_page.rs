//! The examples of `docs/analysis.md` and `docs/cluster.md`, run as they stand there.

use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

const PAGE: &str = include_str!("../../docs/analysis.md");
const CLUSTER: &str = include_str!("../../docs/cluster.md");

/// The code behind `<!-- run: name -->`.
fn example(name: &str) -> &'static str {
    let mark = format!("<!-- run: {name} -->\n```");
    let (_, behind) = PAGE.split_once(&mark).or_else(|| CLUSTER.split_once(&mark)).unwrap();
    let (_, code) = behind.split_once('\n').unwrap();
    code.split_once("```").unwrap().0
}

/// Runs code with the program on the PATH; `None`, with a message, where one of the programs is absent.
fn run(programs: &[&str], arguments: &[&str], folder: &TempDir) -> Option<Output> {
    for program in programs {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("skipped: there is no {program}");
            return None;
        }
    }
    let here = Path::new(env!("CARGO_BIN_EXE_emilia")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(here.to_owned()).chain(std::env::split_paths(&path))).unwrap();
    let output = Command::new(programs[0]).args(arguments).env("PATH", path).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(output)
}

#[test]
fn the_client_in_the_shell_prints_three_replies_each() {
    let Some(output) = run(&["sh", "jq"], &["-euc", example("shell")], &tempfile::tempdir().unwrap()) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split('\t').collect()).collect();
    let openings: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(openings, ["f5d6", "f5f4", "f5f6"], "{text}");
    assert!(rows.iter().all(|row| row.len() == 4), "{text}");
}

#[test]
fn the_client_in_python_finds_mistakes() {
    let Some(output) = run(&["python3"], &["-c", example("python")], &tempfile::tempdir().unwrap()) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 10, "{text}");
    assert!(text.starts_with(" 1 f5  "), "{text}");
}

/// Questions that are refused, one that is no JSON, because JSON has no such number, cancelled ones, an exception while one is searched, a game with a
/// name that has the end of a line of Unicode, a file of games and one that is not there.
const QUESTIONS: &str = r#"
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from emilia import Emilia, EmiliaError, judge
with Emilia("--threads", "1") as emilia:
    try:
        emilia.ask(moves="f5", time=float("nan"))
    except EmiliaError as error:
        print(error)
    for refused in {"turns": "all"}, {"turns": [0, 1]}:
        try:
            emilia.ask(moves="f5", depth=1, **refused)
        except EmiliaError as error:
            print(error)
    assert emilia.submit(moves="f5d6c3", time=0.5).cancel()
    emilia.submit(moves="a1").cancel()
    print(emilia.ask(moves="f5", depth=1)["turn"])
    for turns in (2, 0), range(2):
        print([answer["turn"] for answer in emilia.submit(moves="f5d6", turns=turns, depth=1).result()])
    print(emilia.ask({"moves": "f5", "depth": 1, "except": "d6"})["except"])
try:
    with Emilia("--threads", "1") as emilia:
        left = emilia.submit(moves="f5", time=1000)
        raise KeyboardInterrupt
except KeyboardInterrupt:
    print(left.exception())
for game in judge("(;GM[Othello]PB[a\u2028b]B[f5];)", "--depth", "1", "--threads", "1"):
    print(ascii(game["black"]))
Path("games.txt").write_text("f5d6\nf5f4\n")
print([game["number"] for game in judge(Path("games.txt"), "--depth", "1", "--threads", "1")])
try:
    list(judge(Path("nothing.txt")))
except EmiliaError as error:
    print(error)
"#;

#[test]
fn the_client_of_the_package_is_answered_whatever_it_asks() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/python");
    let Some(output) = run(&["python3"], &["-c", QUESTIONS, client], &tempfile::tempdir().unwrap()) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = [
        "turns: expected a sequence of whole numbers, found 'all'",
        "turns: ask and ask_all are for one position; use submit",
        "1",
        "[2, 0]",
        "[0, 1]",
        "['d6']",
        "the program has ended",
        r"'a\u2028b'",
        "[1, 2]",
        "emilia: nothing.txt: not found",
    ];
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(first.starts_with("not JSON: "), "{text}");
    assert_eq!(rest.lines().collect::<Vec<_>>(), expected, "{text}");
}

/// What would never be answered or cannot be read: options that send answers elsewhere, a wait in a callback, a search that nobody wants any more, also
/// while the client closes, a program that does not start, queries as games, and programs that write something else.
#[cfg(unix)]
const MISUSES: &str = r##"
import os, sys, threading, time
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from emilia import Emilia, EmiliaError, judge

def refused(what, *arguments, **fields):
    try:
        print("taken:", what(*arguments, **fields))
    except EmiliaError as error:
        print(error)

refused(Emilia, "--out", "answers.jsonl")
refused(Emilia, "--shard=0/2")
with Emilia("--threads", "1") as emilia:
    called = threading.Event()
    def call(future):
        refused(emilia.ask, moves="f5", depth=1)
        emilia.submit(moves="f5d6c3", depth=1).add_done_callback(lambda future: called.set())
    first = emilia.submit(moves="f5", time=1000)
    emilia.submit(moves="f5", depth=1).add_done_callback(call)
    # Only now the second question is answered.
    assert first.cancel()
    assert called.wait(100)
    print(emilia.ask(moves="f5d6", depth=1)["turn"])
    refused(emilia.ask, action="terminate")
    refused(emilia.ask, moves=["f5", "x9"])
emilia = Emilia("--threads", "1")
left = emilia.submit(moves="f5", time=20)
def call_off():
    while not emilia._closing:
        time.sleep(0.001)
    refused(emilia.submit, moves="f5", depth=1)
    print(left.cancel())
calling_off = threading.Thread(target=call_off)
calling_off.start()
emilia.close()
calling_off.join()
with Emilia("--depth", "x") as emilia:
    refused(emilia.ask, moves="f5")
for games in b"f5", "\ud800", '\n{ "id": 1, "moves": "f5"}':
    refused(judge, games)
refused(lambda: list(judge("f5", "--shard", "0/2")))
refused(lambda: list(judge("f5", "--help")))
Path("-").write_text("f5d6\n")
for games in "f5f6", Path("-"):
    print([len(game["turns"]) for game in judge(games, "--json", "--depth", "1", "--threads", "1")])
for line in "hi", "[]", '{"id":55}', '{"id":0}', r"\377":
    Path("emilia").write_text(f"#!/bin/sh\nread question\nprintf '{line}\\n'\nread question\n")
    os.chmod("emilia", 0o755)
    os.environ["PATH"] = os.getcwd() + os.pathsep + os.environ["PATH"]
    with Emilia() as emilia:
        refused(lambda: emilia.submit(moves="f5", turns=[0, 1]).result())
"##;

#[cfg(unix)]
#[test]
fn the_client_of_the_package_says_why_there_is_no_answer() {
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/python");
    let Some(output) = run(&["python3"], &["-c", MISUSES, client], &tempfile::tempdir().unwrap()) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = [
        "--out: expected no option that sends answers elsewhere",
        "--shard=0/2: expected no option that sends answers elsewhere",
        "a callback of a future cannot wait for an answer; use submit",
        "2",
        "action: expected a question",
        "moves[1]: expected a move such as f5 or a pass (pa, --), found 'x9'",
        "the program is being closed",
        "True",
        "the program has ended with code 2",
        "games: expected a text or a path, found b'f5'",
        "games: expected a text of Unicode",
        "games: expected a text of games, found queries in JSON",
        "--shard: expected no option",
        "expected an answer of the program, found ",
        "[2]",
        "[2]",
        "the program has ended: expected an answer of the program, found 'hi'",
        "the program has ended: expected an answer of the program, found '[]'",
        "the program has ended: expected an answer to a question, found {'id': 55}",
        "the program has ended: expected an answer about one of the turns [0, 1], found {}",
        "the program has ended: 'utf-8' codec can't decode byte 0xff",
    ];
    assert_eq!(text.lines().count(), expected.len(), "{text}");
    for (line, start) in text.lines().zip(expected) {
        assert!(line.starts_with(start), "{start}: {text}");
    }
}

#[test]
fn the_parts_are_put_together() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.txt"), "f5d6c3\nf5f6e6f4\nf5f4\nf5d6c5f4\n").unwrap();
    if run(&["sh"], &["-euc", example("shards")], &folder).is_none() {
        return;
    }
    let merged = std::fs::read_to_string(folder.path().join("games.jsonl")).unwrap();
    assert_eq!(merged.lines().count(), 4, "{merged}");
}

#[test]
fn the_page_has_every_field_of_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../docs/analysis.schema.json")).unwrap();
    for part in ["query", "action", "answer", "valued_move", "error"] {
        for (field, _) in schema["$defs"][part]["properties"].as_object().unwrap() {
            assert!(PAGE.contains(&format!("`{field}`")) || PAGE.contains(&format!("\"{field}\"")), "{part}: {field}");
        }
    }
}
