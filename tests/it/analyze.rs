//! `emilia analyze` as its clients call it: queries in, answers out, and what goes wrong on the way.

use crate::game_file::gzip;
use crate::games::{OVER, pass_before, random_game};
use crate::serve::{answers, emilia, end, json_lines, said, stderr_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

/// A part of the schema of `docs/analysis.schema.json`.
pub fn schema(part: &str) -> jsonschema::Validator {
    let mut schema: Value = serde_json::from_str(include_str!("../../docs/analysis.schema.json")).unwrap();
    let object = schema.as_object_mut().unwrap();
    object.remove("anyOf");
    object.insert("$ref".to_owned(), format!("#/$defs/{part}").into());
    jsonschema::draft202012::new(&schema).unwrap()
}

/// The text of whatever the schema has against a value.
pub fn complaints(schema: &jsonschema::Validator, value: &Value) -> Vec<String> {
    schema.iter_errors(value).map(|error| format!("{error} at {} in {value}", error.instance_path())).collect()
}

/// What these lines are answered; every answer fits the schema, and every line that is no error does.
fn analyze(arguments: &[&str], input: impl AsRef<[u8]>) -> Vec<Value> {
    let output = answers(&[&["analyze", "--hash", "1"], arguments].concat(), input);
    let (request, response) = (schema("request"), schema("response"));
    let answers = json_lines(&output);
    for answer in &answers {
        assert_eq!(complaints(&response, answer), [""; 0]);
    }
    assert!(request.is_valid(&json!({ "id": 1, "moves": [] })));
    answers
}

fn lines(queries: &[Value]) -> String {
    let request = schema("request");
    queries
        .iter()
        .map(|query| {
            assert_eq!(complaints(&request, query), [""; 0]);
            format!("{query}\n")
        })
        .collect()
}

fn by_id(answers: &[Value], id: impl Into<Value>) -> &Value {
    let id = id.into();
    let mut found = answers.iter().filter(|answer| answer["id"] == id);
    let first = found.next().unwrap_or_else(|| panic!("no answer to {id} in {answers:?}"));
    assert!(found.next().is_none(), "more than one answer to {id}: {answers:?}");
    first
}

#[test]
fn a_field_that_is_null_counts_as_not_there() {
    let mut query = json!({ "id": 1, "moves": "f5" });
    let page: Value = serde_json::from_str(include_str!("../../docs/analysis.schema.json")).unwrap();
    for (field, _) in page["$defs"]["query"]["properties"].as_object().unwrap() {
        query.as_object_mut().unwrap().entry(field).or_insert(Value::Null);
    }
    let plain = json!({ "id": 1, "moves": "f5" });
    let [nulls, none] = [query, plain].map(|query| analyze(&["--depth", "2", "--reproducible"], lines(&[query])));
    assert_eq!(nulls, none);
    let request = schema("request");
    for (line, is_taken) in [
        (json!({ "id": 1, "moves": "f5", "action": null }), true),
        (json!({ "action": "stats", "id": null }), true),
        (json!({ "action": "terminate", "id": null }), false),
        (json!({ "id": 1, "board": null }), false),
        (json!({ "id": 1, "moves": "f5", "turns": [] }), false),
        (json!({ "id": 1, "moves": "f5", "wld": true, "multipv": "all" }), false),
    ] {
        let answer = json_lines(&answers(&["analyze", "--depth", "1"], format!("{line}\n"))).remove(0);
        assert_eq!((request.is_valid(&line), answer["error"].is_null()), (is_taken, is_taken), "{line}: {answer}");
    }
}

#[test]
fn every_kind_of_query_is_answered_as_the_schema_says() {
    let passes = pass_before(9);
    let queries = [
        json!({ "id": "plain", "moves": "f5", "depth": 4 }),
        json!({ "id": 2, "moves": ["f5", "d6"], "nodes": 500, "multipv": 3, "selectivity": 100 }),
        json!({ "id": "time", "game": "(;GM[Othello]B[F5//1]W[D6];)", "time": 0.01, "priority": -5 }),
        json!({ "id": "over", "board": OVER }),
        json!({ "id": "pass", "board": passes.to_string(), "exact": true }),
        json!({ "id": "wld", "board": passes.to_string(), "exact": true, "wld": true }),
        json!({ "id": "tree", "moves": "f5d6c3", "engine": "best-first", "nodes": 3000, "multipv": "all" }),
        json!({ "id": "rest", "moves": "f5d6c3d3c4", "depth": 2, "except": ["f4"], "book": true, "multipv": "all" }),
        json!({ "id": "other", "moves": "f5", "eval": "mobility", "depth": 3, "threads": 1, "report_every": 5 }),
        json!({ "action": "query_version", "id": "v" }),
        json!({ "action": "stats" }),
        json!({ "action": "clear_cache", "id": "c" }),
        json!({ "action": "terminate", "id": "nobody", "turns": [1] }),
    ];
    let answers = analyze(&["--threads", "2"], lines(&queries));
    assert_eq!(answers.len(), queries.len());
    let plain = by_id(&answers, "plain");
    assert_eq!((&plain["turn"], &plain["mover"], &plain["empties"]), (&1.into(), &"white".into(), &59.into()));
    assert_eq!((plain["depth"].as_u64(), plain["moves"].as_array().unwrap().len()), (Some(4), 1));
    assert_eq!(plain["value"], plain["moves"][0]["value"]);
    let three = by_id(&answers, 2);
    let values: Vec<f64> = three["moves"].as_array().unwrap().iter().map(|m| m["value"].as_f64().unwrap()).collect();
    assert!(values.len() == 3 && values.is_sorted_by(|a, b| a >= b), "{three}");
    let over = by_id(&answers, "over");
    assert_eq!((&over["value"], &over["over"], &over["mover"]), (&json!(-64.0), &true.into(), &"white".into()));
    let pass = by_id(&answers, "pass");
    let only = &pass["moves"][0];
    assert_eq!((&only["move"], &pass["exact"], &only["lower"]), (&"pa".into(), &true.into(), &only["upper"]));
    assert!(only["pv"].as_array().unwrap().len() > 1);
    let score = pass["value"].as_f64().unwrap();
    let outcome = &by_id(&answers, "wld")["moves"][0];
    assert_eq!(outcome.get("lower").is_some(), score >= 0.0, "{outcome}");
    assert_eq!(outcome.get("upper").is_some(), score <= 0.0, "{outcome}");
    let rest = by_id(&answers, "rest");
    assert_eq!((&rest["opening"], &rest["except"]), (&"Tiger".into(), &json!(["f4"])));
    assert!(rest["moves"].as_array().unwrap().iter().all(|found| found["move"] != "f4"), "{rest}");
    assert!(rest["book"]["moves"].as_array().unwrap().iter().any(|found| found["move"] == "f4"), "{rest}");
    assert!(by_id(&answers, "tree")["moves"][0]["visits"].as_u64().unwrap() > 0);
    assert_eq!(by_id(&answers, "nobody")["terminated"], 0);
}

#[test]
fn queries_of_a_file_are_read_packed_and_in_utf_16_too() {
    let queries =
        lines(&[json!({ "id": "ä", "moves": "f5", "depth": 1 }), json!({ "id": 2, "moves": [], "depth": 1 })]);
    let utf_16 = "\u{feff}".encode_utf16().chain(queries.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for input in [queries.as_bytes().to_vec(), gzip(queries.as_bytes()), utf_16] {
        for file in [&["-"][..], &[]] {
            let answers = analyze(file, &input);
            assert!(answers.len() == 2 && by_id(&answers, "ä")["turn"] == 1 && by_id(&answers, 2)["turn"] == 0);
        }
    }
}

#[test]
fn every_turn_of_a_game_is_answered() {
    let game = random_game(5);
    let moves: Vec<String> = game.turns().iter().map(ToString::to_string).collect();
    let query = json!({ "id": "g", "moves": moves, "turns": "all", "depth": 2 });
    let answers = analyze(&["--threads", "3", "--queue", "5"], lines(&[query]));
    let turns: BTreeSet<u64> = answers.iter().map(|answer| answer["turn"].as_u64().unwrap()).collect();
    assert_eq!((answers.len(), turns.len()), (moves.len() + 1, moves.len() + 1));
    for answer in &answers {
        let turn = answer["turn"].as_u64().unwrap() as usize;
        assert_eq!(answer["board"], game.positions()[turn].to_string());
    }
    let two = json!({ "id": "g", "moves": moves, "turns": [3, 0, 3], "depth": 1 });
    assert_eq!(analyze(&[], lines(&[two])).len(), 2);
}

#[test]
fn an_engine_that_does_not_solve_says_so_where_it_was_to() {
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let query = |engine: &str| json!({ "id": engine, "board": board, "engine": engine, "exact": true });
    let answers = analyze(&[], lines(&[query("uct"), query("emilia")]));
    let by_uct = by_id(&answers, "uct");
    assert_eq!(by_uct["exact"], false);
    assert_eq!(by_uct["warnings"], json!(["exact: uct has not solved the position"]));
    let solved = by_id(&answers, "emilia");
    assert_eq!((&solved["exact"], &solved["warnings"]), (&json!(true), &Value::Null));
}

#[test]
fn whatever_is_wrong_is_an_answer_and_the_next_query_is_served() {
    let mut input = format!("{}\n", json!({ "id": "long", "board": "x".repeat(10_000_000) })).into_bytes();
    for line in [
        &b"{\"id\":\"utf\",\"moves\":\"\xff\xfe\"}"[..],
        b"{\"id\":3,\"depth\":NaN,\"moves\":\"f5\"}",
        b"{\"id\":4,\"depth\":\"NaN\",\"moves\":\"f5\"}",
        b"{\"id\":5,\"depth\":1e300,\"moves\":\"f5\"}",
        b"",
        b"{\"id\":7,\"moves\":[\"f5\",\"f4\",\"a1\"]}",
        b"{\"id\":8,\"board\":\"abc\"}",
        b"{\"id\":9,\"game\":\"(;GM[Othello]B[F5]W[A1];)\"}",
        b"{\"id\":10,\"moves\":\"f5\",\"depth\":1,\"colour\":\"red\",\"komi\":7}\r",
        b"nonsense",
    ] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(&[b'['; 100_000]);
    input.extend_from_slice(b"\n{\"id\":\"last\",\"moves\":\"f5\",\"depth\":1}");
    let answers = analyze(&["--threads", "1"], input);
    assert_eq!(answers.len(), 12, "{answers:?}");
    let on_line = |line: u64| answers.iter().find(|answer| answer["line"] == line).unwrap();
    for (line, id, field, part) in [
        (1, Value::Null, Value::Null, "more than 1048576 bytes"),
        (2, Value::Null, Value::Null, "not JSON: invalid unicode"),
        (3, Value::Null, Value::Null, "not JSON: expected value at column 17"),
        (4, json!(4), json!("depth"), "from 1 to 60"),
        (5, json!(5), json!("depth"), "from 1 to 60"),
        (7, json!(7), json!("moves"), "a1 turns no disc"),
        (8, json!(8), json!("board"), "line 1, column 1"),
        (9, json!(9), json!("game"), "a1 turns no disc"),
        (11, Value::Null, Value::Null, "not JSON"),
        (12, Value::Null, Value::Null, "recursion"),
    ] {
        let answer = on_line(line);
        assert_eq!((&answer["id"], &answer["field"]), (&id, &field), "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(part), "{answer}");
    }
    assert_eq!(on_line(7)["index"], 2);
    let odd = by_id(&answers, 10);
    assert_eq!(odd["warnings"], json!(["unknown field 'colour'", "unknown field 'komi'"]));
    assert_eq!(by_id(&answers, "last")["turn"], 1);
}

/// A conversation that goes both ways.
struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Talk {
    fn new(arguments: &[&str]) -> Talk {
        let mut child = emilia(&[&["analyze", "--hash", "1"], arguments].concat()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Talk { child, stdin, stdout }
    }

    fn say(&mut self, line: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the process has ended");
        serde_json::from_str(&line).unwrap()
    }
}

#[test]
fn reports_come_and_a_search_can_be_called_off() {
    let mut talk = Talk::new(&["--threads", "1"]);
    talk.say(&json!({ "id": "deep", "moves": "f5", "exact": true, "report_every": 0.01 }));
    let partial = talk.hear();
    assert_eq!((&partial["id"], &partial["partial"]), (&"deep".into(), &true.into()));
    assert_eq!(complaints(&schema("answer"), &partial), [""; 0]);
    // It waits behind the deep one, and overtakes another that waits.
    talk.say(&json!({ "id": "late", "moves": "f5", "depth": 1 }));
    talk.say(&json!({ "id": "urgent", "moves": "f5", "depth": 1, "priority": 9 }));
    talk.say(&json!({ "action": "terminate", "id": "deep" }));
    let mut order = Vec::new();
    while order.len() < 4 {
        let answer = talk.hear();
        if answer["partial"] != true {
            order.push(format!("{} {}", answer["id"].as_str().unwrap(), answer.get("action").is_some()));
            assert_eq!(answer["terminated"] == true, answer["id"] == "deep" && answer.get("action").is_none());
        }
    }
    order.retain(|line| line != "deep true");
    assert_eq!(order, ["deep false", "urgent false", "late false"]);
    talk.stdin = None;
    assert!(end(&mut talk.child).success());
    assert_eq!(stderr_of(&mut talk.child), "");
}

#[test]
fn the_end_of_the_input_finishes_the_queue() {
    let queries: Vec<Value> = (0..200).map(|id| json!({ "id": id, "moves": "f5", "depth": 3 })).collect();
    let answers = analyze(&["--threads", "2", "--queue", "3"], lines(&queries));
    let ids: BTreeSet<u64> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!((answers.len(), ids), (200, (0..200).collect()));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_the_analysis_quietly() {
    let mut talk = Talk::new(&["--threads", "2"]);
    let mut stdin = talk.stdin.take().unwrap();
    // The pipe into the process stays open: it ends because nobody reads, not because there is nothing left.
    let feeder = std::thread::spawn(move || {
        for id in 0.. {
            if writeln!(stdin, "{}", json!({ "id": id, "moves": "f5", "depth": 4 })).is_err() {
                return;
            }
        }
    });
    talk.hear();
    let Talk { mut child, stdout, .. } = talk;
    drop(stdout);
    assert!(end(&mut child).success());
    feeder.join().unwrap();
    assert_eq!(stderr_of(&mut child), "");
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_a_search_without_end() {
    let mut talk = Talk::new(&["--threads", "1"]);
    talk.say(&json!({ "id": 1, "moves": "f5", "exact": true, "report_every": 0.01 }));
    talk.hear();
    let Talk { mut child, stdout, stdin } = talk;
    drop(stdout);
    assert!(end(&mut child).success());
    drop(stdin);
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_read() {
    for (arguments, code, part) in [
        (&["no/such/file"][..], 1, "no/such/file"),
        (&["--threads", "2", "--search-threads", "3"], 2, "only 2"),
        (&["--queue", "0"], 2, "1..=1000000"),
        (&["--depth", "0"], 2, "from 1 to 60"),
    ] {
        let (ended, _, stderr) = said(&[&["analyze"], arguments].concat(), "");
        assert!(ended == code && stderr.contains(part), "{arguments:?}: {ended}: {stderr}");
    }
}
