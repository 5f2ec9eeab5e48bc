//! `emilia book` where a book is damaged, the disk is full, a position has no move, or there is less to do than was asked for.

use crate::book::{assert_sound, done, grown, json, refused};
use crate::convert::file;
use crate::games::random_game;
use crate::serve::{emilia, run, said};
use emilia::book::Snapshot;
use emilia::game::DISC;
use emilia::notation::transcript::Transcript;
use emilia::search::Score;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

#[test]
fn a_damaged_book_is_not_changed_and_can_still_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let [book, games, whole] = ["a.book", "games.txt", "whole.book"].map(|name| file(&folder, name));
    fs::write(&games, "f5d6\n").unwrap();
    fs::rename(grown(&folder, 20), &book).unwrap();
    let bytes = fs::read(&book).unwrap();
    let mut refusals = 0;
    for page in 1..bytes.len() / 4096 {
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0);
        fs::write(&book, &damaged).unwrap();
        // Some pages are in use by nothing, and without some nothing can be read.
        if damaged == bytes || said(&["book", "check", &book], "").0 == 0 || said(&["book", "stat", &book], "").0 != 0 {
            continue;
        }
        let before = json(&["book", "stat", &book]);
        for command in [&["learn", &book, &games][..], &["grow", &book, "--time", "0"], &["tasks", &book, "1"]] {
            let told = refused(&[&["book"], command].concat());
            assert!(told.contains("the book is damaged: a page has another checksum; it was not changed"), "{told}");
            assert_eq!(told.lines().count(), 1, "{told}");
        }
        assert!(fs::read(&book).unwrap() == damaged);
        // As by a program that died.
        damaged[9] |= 2;
        fs::write(&book, &damaged).unwrap();
        let (code, out, err) = said(&["book", "stat", &book, "--json"], "");
        assert_eq!((code, &*err, serde_json::from_str::<Value>(&out).unwrap()), (0, "", before));
        if refusals == 0 {
            done(&["book", "merge", &book, "--out", &whole]);
            assert_sound(&whole);
        }
        refusals += 1;
        if refusals == 3 {
            return;
        }
    }
    assert!(refusals > 0);
}

#[test]
fn a_position_without_a_move_is_learned_behind_the_pass() {
    let folder = tempfile::tempdir().unwrap();
    let [book, games] = ["a.book", "games.txt"].map(|name| file(&folder, name));
    let passes = (0..).find_map(|seed| {
        let game = random_game(seed);
        game.positions().iter().copied().find(|position| position.must_pass() && position.empties().count() < 30)
    });
    let passes = passes.unwrap();
    fs::write(&games, format!("{passes}\n{} X\n", "X".repeat(64))).unwrap();
    done(&["book", "new", &book]);
    let (_, told) = done(&["book", "learn", &book, &games, "--plies", "60"]);
    assert!(told.contains("1 game learned, 1 new position\n"), "{told}");
    assert!(told.contains("not learned, because they are over where they begin: 1 game\n"), "{told}");
    let board = passes.to_string();
    let (_, told) = done(&["book", "grow", &book, "--from", &board, "--depth", "2", "--positions", "1"]);
    let (_, more) = done(&["book", "grow", &book, "--from", &board, "--depth", "2", "--positions", "3"]);
    assert!(told.contains("the position of --from is not searched yet"), "{told}");
    let behind = json(&["book", "show", &book, &passes.pass().to_string()])["value"].as_f64().unwrap();
    let value =
        format!("the position of --from is worth {}", Score::from_units((-behind * f64::from(DISC)).round() as i32));
    assert!(more.contains(&value) && behind != 0.0, "{value}: {more}");
}

#[test]
fn fewer_tasks_than_were_asked_for_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 20);
    let (tasks, told) = done(&["book", "tasks", &book, "1000", "--depth", "2"]);
    let searches = tasks.lines().count();
    let units = told.split(" of 1000 leaves; there may be more when these are answered").next().unwrap();
    let units: usize = units.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(units < searches && searches <= 2 * units, "{told}");
    // With as many searches as were asked for units, these are fewer all the same.
    let asked = searches.to_string();
    let (again, told) = done(&["book", "tasks", &book, &asked, "--depth", "2"]);
    assert_eq!(again, tasks);
    assert!(told.contains(&format!("{searches} tasks for {units} of {asked} leaves")), "{told}");
}

#[test]
fn what_can_be_read_of_a_damaged_book_becomes_a_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let [book, games, packed] = ["a.book", "games.txt", "packed"].map(|name| file(&folder, name));
    let lines: String = (0..40).map(|seed| format!("{}\n", Transcript(&random_game(seed)))).collect();
    fs::write(&games, lines).unwrap();
    done(&["book", "new", &book]);
    done(&["book", "learn", &book, &games]);
    let positions = json(&["book", "stat", &book])["positions"].as_u64().unwrap();
    let bytes = fs::read(&book).unwrap();
    let (mut most, mut broken) = (0, 0);
    for page in 1..bytes.len() / 4096 {
        let mut damaged = bytes.clone();
        damaged[page * 4096..(page + 1) * 4096].fill(0);
        if damaged == bytes {
            continue;
        }
        fs::write(&book, &damaged).unwrap();
        let Ok(snapshot) = Snapshot::open(Path::new(&book)) else { continue };
        drop(snapshot);
        if broken == 5 || said(&["book", "stat", &book], "").0 == 0 {
            continue;
        }
        broken += 1;
        let named = refused(&["book", "pack", &book, "--out", &packed]);
        assert!(named.starts_with(&format!("emilia: '{book}': ")), "{named}");
        for arguments in [&["merge"][..], &["prune", "--positions", "100000"]] {
            let whole = file(&folder, &format!("{}-{page}", arguments[0]));
            let (_, told) = done(&[&["book"], arguments, &["--out", &whole, &book]].concat());
            let lost = format!(
                "'{book}': the book is damaged; left out, because it cannot be read or lies between damaged pages: "
            );
            assert!(told.contains(&lost), "{told}");
            assert_sound(&whole);
            let left = json(&["book", "stat", &whole])["positions"].as_u64().unwrap();
            most = most.max(if arguments[0] == "merge" { left } else { 0 });
        }
    }
    assert!(2 * most > positions && most < positions, "{most} of {positions}");
}

#[test]
fn answers_are_read_while_others_read_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let book = grown(&folder, 3);
    let reader = Snapshot::open(Path::new(&book)).unwrap();
    let mut take = emilia(&["book", "take", &book]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = take.stdin.take().unwrap();
    writeln!(input, r#"{{"id":1,"moves":[],"value":0.5}}"#).unwrap();
    input.flush().unwrap();
    let mut told = BufReader::new(take.stderr.take().unwrap());
    let mut first = String::new();
    while !first.contains("with which evaluation it was searched") {
        first.clear();
        assert_ne!(told.read_line(&mut first).unwrap(), 0, "the process has ended");
        assert!(!first.contains("another program"), "{first}");
    }
    drop((reader, input));
    assert_eq!(take.wait().unwrap().code(), Some(1));
}

#[test]
fn a_file_that_is_no_book_of_its_kind_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [games, packed, exported] = ["games.txt", "packed", "games.dat"].map(|name| file(&folder, name));
    for path in [&games, &exported] {
        fs::write(path, "f5d6\n").unwrap();
    }
    let book = grown(&folder, 3);
    done(&["book", "pack", &book, "--out", &packed]);
    done(&["book", "pack", &book, "--out", &packed]);
    let told = refused(&["book", "pack", &book, "--out", &games]);
    assert!(told.contains("a file that is no packed book is there already, and is not replaced"), "{told}");
    let told = refused(&["book", "export", &book, "--out", &exported]);
    assert!(told.contains("a file that is no book of Edax or Egaroucid is there already"), "{told}");
    assert_eq!(fs::read_to_string(&games).unwrap(), "f5d6\n");
}

/// A command whose files may grow no larger than this fails as on a full disk.
#[cfg(unix)]
fn fails_on_a_full_disk(most_bytes: u64, arguments: &str) {
    let blocks = most_bytes.div_ceil(if cfg!(target_os = "linux") { 1024 } else { 512 });
    let program = env!("CARGO_BIN_EXE_emilia");
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &format!("trap '' XFSZ; ulimit -f {blocks}; exec {program} {arguments}")]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(Stdio::piped());
    let output = run(command, "");
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && err.contains("File too large"), "{arguments}: {err}");
}

#[test]
#[cfg(unix)]
fn on_a_full_disk_a_book_stays_sound() {
    let folder = tempfile::tempdir().unwrap();
    let (book, games, packed) = (grown(&folder, 200), file(&folder, "games.txt"), file(&folder, "packed"));
    let lines = (0..400).map(|seed| format!("{}\n", Transcript(&random_game(seed))));
    fs::write(&games, lines.collect::<String>()).unwrap();
    let size = fs::metadata(&book).unwrap().len();
    fails_on_a_full_disk(1024, &format!("book pack {book} --out {packed}"));
    assert!(!fs::exists(&packed).unwrap());
    for command in ["grow {} --depth 2 --hash 1", "learn {} GAMES"] {
        let command = command.replace("{}", &book).replace("GAMES", &games);
        fails_on_a_full_disk(size + 20_480, &format!("book {command}"));
        assert_sound(&book);
        assert!(json(&["book", "stat", &book])["with_value"].as_u64() >= Some(200), "{command}");
    }
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}
