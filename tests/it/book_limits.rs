//! `emilia book` where a book is damaged, a position has no move, or there is less to do than was asked for.

use crate::book::{assert_sound, done, grown, json, refused};
use crate::convert::file;
use crate::games::random_game;
use crate::serve::said;
use emilia::game::DISC;
use emilia::search::Score;
use serde_json::Value;
use std::fs;

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
