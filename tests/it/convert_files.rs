//! The files that `emilia convert` and `emilia positions` read and write: which names belong to which games, what is replaced and what stays.

use crate::convert::{GGF, file};
use crate::serve::said;

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
