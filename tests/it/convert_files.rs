//! The files that `emilia convert` and `emilia positions` read and write: which names belong to which games, what is replaced and what stays.

use crate::convert::{GGF, file};
use crate::serve::said;
use std::path::Path;

#[test]
fn strict_stops_at_a_game_that_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    for (games, name, told) in [
        ("f5d6\nf5d6c4c5\n", "games.gam", "line 1: game 1: a game of logbook has a result"),
        ("f5d6\n", "games.wtb", "line 1: game 1: a game of wthor has a result"),
        ("f5d6\nf5a1\n", "games.ggf", "line 2, column 3: game 2, move 2: a1"),
    ] {
        let (code, _, stderr) = said(&["convert", "--strict", "--out", &file(&folder, name)], games);
        assert!(code == 1 && stderr.starts_with(&format!("emilia: standard input: {told}")), "{name}: {stderr}");
        assert_eq!((stderr.lines().count(), std::fs::read_dir(folder.path()).unwrap().count()), (1, 0), "{stderr}");
    }
}

#[test]
fn a_file_stays_where_nothing_could_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["games.sgf", "games.wtb", "games.jou", "games.trn", "games.obf"];
    let [sgf, wthor, .., obf] = names.map(|name| {
        std::fs::write(folder.path().join(name), "precious").unwrap();
        file(&folder, name)
    });
    for command in [
        &["convert", "no/such/file", "--out", &sgf][..],
        &["convert", "--out", &sgf],
        &["convert", "no/such/file", "--out", &wthor],
        &["positions", "no/such/file", "--out", &obf],
        &["positions", "--openings", "--out", &obf],
    ] {
        let (code, stdout, stderr) = said(command, "f5a1\n");
        assert_eq!((code, stdout.as_str()), (1, ""), "{command:?}: {stderr}");
        for name in names {
            let content = std::fs::read_to_string(folder.path().join(name)).unwrap();
            assert_eq!(content, "precious", "{command:?}: {name}");
        }
    }
    // Games without such a position are no failure.
    assert_eq!(said(&["positions", "--empties", "1", "--out", &obf], "f5d6\n").0, 0);
    assert_eq!(std::fs::read_to_string(&obf).unwrap(), "");
}

#[test]
fn the_files_of_wthor_are_replaced_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let games = file(&folder, "games.wtb");
    std::fs::create_dir(&games).unwrap();
    for name in ["games.jou", "games.trn"] {
        std::fs::write(folder.path().join(name), "precious").unwrap();
    }
    let (code, _, stderr) = said(&["convert", "--to", "wthor", "--out", &games], GGF);
    assert!(code == 1 && stderr.contains("cannot write"), "{stderr}");
    for name in ["games.jou", "games.trn"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), "precious");
    }
}

#[test]
fn names_are_taken_from_the_files_that_the_name_of_the_games_says() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| file(&folder, name);
    let with_names = |ada: &str, out: &str| {
        let (code, _, stderr) = said(&["convert", "--out", &at(out)], GGF.replace("ada", ada));
        assert_eq!(code, 0, "{stderr}");
    };
    // One base after another comes into the folder of an archive.
    with_names("of the archive", "WTH.wtb");
    for (from, to) in [("WTH.wtb", "WTH_2024.wtb"), ("WTH.jou", "WTH.JOU"), ("WTH.trn", "WTH.TRN")] {
        std::fs::rename(at(from), at(to)).unwrap();
    }
    let black = |games: &str| {
        let (code, stdout, stderr) = said(&["convert", &at(games), "--to", "pgn"], "");
        assert_eq!(code, 0, "{stderr}");
        let name = stdout.split("[Black \"").nth(1).and_then(|behind| behind.split('"').next()).unwrap_or_default();
        (name.to_owned(), stderr.contains("several files may have them"))
    };
    let told = |name: &str| (name.to_owned(), false);
    assert_eq!(black("WTH_2024.wtb"), told("of the archive"));
    with_names("of a part", "part.wtb");
    assert_eq!(black("WTH_2024.wtb"), told("of the archive"));
    assert_eq!(black("part.wtb"), told("of a part"));
    std::fs::copy(at("part.wtb"), at("part.wtb.gz")).unwrap();
    assert_eq!(black("part.wtb.gz"), told("of a part"));
    std::fs::copy(at("part.wtb"), at("parts.wtb")).unwrap();
    assert_eq!(black("parts.wtb"), (String::new(), true), "another word");
    if Path::new(&at("wth.jou")).exists() {
        return; // Here a name in capitals is the same name.
    }
    with_names("new", "WTH.wtb");
    assert_eq!(black("WTH.wtb"), told("new"));
    assert_eq!(black("WTH_2024.wtb"), (String::new(), true));
}
