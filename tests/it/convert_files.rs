//! The files that `emilia convert` and `emilia positions` read and write: which names belong to which games, what is replaced and what stays.

use crate::convert::{GGF, file};
use crate::serve::{emilia, run, said};
use std::path::Path;

#[test]
fn strict_stops_at_a_game_that_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    for (games, name, told) in [
        ("f5d6\nf5d6c4c5\n", "games.gam", "line 1: game 1: logbook needs a result"),
        ("f5d6\n", "games.wtb", "line 1: game 1: wthor needs a result"),
        ("f5d6\nf5a1\n", "games.ggf", "line 2, column 3: game 2, move 2: a1"),
    ] {
        let (code, _, stderr) = said(&["convert", "--strict", "--out", &file(&folder, name)], games);
        assert!(code == 1 && stderr.starts_with(&format!("emilia: standard input: {told}")), "{name}: {stderr}");
        assert_eq!((stderr.lines().count(), std::fs::read_dir(folder.path()).unwrap().count()), (1, 0), "{stderr}");
    }
    let (code, stdout, stderr) = said(&["convert", "--strict", "--to", "ggf"], "(;GM[Othello]PB[a]B[F5]W[D6]B[C3/1.5");
    assert!(code == 1 && stdout.is_empty() && stderr.ends_with("game; expected a whole one\n"), "{stdout}{stderr}");
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
#[cfg(unix)]
fn no_names_are_written_beside_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let link = file(&folder, "games.wtb");
    std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
    let output = run(emilia(&["convert", "--out", &link]), GGF);
    assert_eq!(output, run(emilia(&["convert", "--to", "wthor"]), GGF));
    assert!(output.status.success() && output.stdout.len() == 16 + 68, "{output:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
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
    assert_eq!(black("parts.wtb"), ("player 1".to_owned(), true), "another word");
    let other = tempfile::tempdir().unwrap();
    for name in ["club.wtb", "club.jou", "club.trn"] {
        std::fs::copy(at(&name.replace("club", "part")), other.path().join(name)).unwrap();
    }
    std::fs::copy(at("part.wtb"), other.path().join("lone.wtb")).unwrap();
    let (_, stdout, stderr) = said(&["convert", &file(&other, "lone.wtb"), "--to", "pgn"], "");
    assert!(!stdout.contains("of a part") && stderr.contains("are not beside it"), "those of other games: {stderr}");
    if Path::new(&at("wth.jou")).exists() {
        return; // Here a name in capitals is the same name.
    }
    for ending in ["wtb", "jou", "trn"] {
        std::fs::copy(at(&format!("part.{ending}")), at(&format!("WTH.{ending}"))).unwrap();
    }
    assert_eq!(black("WTH.wtb"), told("of a part"));
    assert_eq!(black("WTH_2024.wtb"), ("player 1".to_owned(), true));
}

#[test]
fn the_names_of_other_games_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| file(&folder, name);
    let refusal = |out: &str| {
        let (code, _, stderr) = said(&["convert", "--out", &at(out)], GGF);
        (code == 1).then_some(stderr)
    };
    std::fs::write(at("wth.JOU"), "precious").unwrap();
    assert!(refusal("wth.wtb").unwrap().contains("wth.JOU' is there, and may have the names of other games"));
    std::fs::rename(at("wth.JOU"), at("wth.jou")).unwrap();
    assert!(refusal("wth.wtb").unwrap().contains("wth.jou' is there"));
    assert_eq!(std::fs::read_to_string(at("wth.jou")).unwrap(), "precious");
    assert_eq!((refusal("mine.wtb"), refusal("mine.wtb")), (None, None), "its own names are replaced with it");
    std::fs::copy(at("mine.wtb"), at("mines.wtb")).unwrap();
    assert_eq!(refusal("mine.wtb"), None, "another word");
    std::fs::copy(at("mine.wtb"), at("mine_too.wtb")).unwrap();
    assert!(refusal("mine.wtb").unwrap().contains("mine.jou' is there"));
}

#[test]
fn values_behind_a_position_without_values_are_missed() {
    let start = emilia::othello::Position::START;
    let (bare, valued) = (format!("{start};\n"), format!("{start}; F5:+2;\n"));
    let list = |input: &str| said(&["positions"], input);
    let (code, stdout, stderr) = list(&(bare.clone() + &valued + &valued));
    assert_eq!((code, stdout), (0, bare.clone()));
    let warning = "emilia: warning: the values of 1 position are left out, which came first without values";
    assert!(stderr.starts_with(warning), "{stderr}");
    assert_eq!(list(&(valued.clone() + &bare)), (0, valued, String::new()));
}

#[test]
fn games_are_chosen_by_a_position_that_they_reach() {
    // The second and the fourth are one game on a board that is turned.
    let games = "f5d6c5f4\nf5f6e6f4\nf5d6c3\nd3c3c4e3\nf5f6\n";
    for position in ["f5f6e6f4", "d3c3c4e3", "8/8/8/3ooo2/3xxo2/4xo2/8/8 x"] {
        let (code, stdout, stderr) = said(&["convert", "--to", "transcript", "--reaches", position], games);
        assert_eq!((code, stdout.as_str()), (0, "f5f6e6f4\nd3c3c4e3\n"), "{position}: {stderr}");
    }
    let (_, stdout, _) = said(&["positions", "--openings", "--reaches", "f5d6"], games);
    assert!(stdout.lines().last().unwrap().trim_start().starts_with("2 "), "{stdout}");
    let (code, _, stderr) = said(&["convert", "--to", "sgf", "--reaches", "f5f4"], games);
    assert!(code == 1 && stderr.contains("no game that reaches the position (--reaches)"), "{stderr}");
    let (code, _, stderr) = said(&["convert", "--to", "sgf", "--reaches", "f5a1"], games);
    assert!(code == 2 && stderr.contains("a1"), "{stderr}");
}

#[test]
fn what_is_read_is_not_replaced_by_what_is_made_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let [games, obf, link] = ["games.ggf", "ends.obf", "link.ggf"].map(|name| file(&folder, name));
    std::fs::write(&games, GGF).unwrap();
    std::fs::write(&obf, "---------------------------OX------XXX-------------------------- O;\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&games, &link).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(&games, &link).unwrap();
    for command in [
        &["convert", &games, "--game", "1", "--out", &games][..],
        &["convert", &games, "--out", &link],
        &["show", &games, "--as", "text", "--out", &games],
        &["positions", &games, "--out", &games],
        &["analyze", &games, "--ggf", "--depth", "1", "--out", &games],
        &["solve", &obf, "--depth", "1", "--out", &obf],
    ] {
        let (code, stdout, stderr) = said(command, "");
        assert!(
            code > 0 && stdout.is_empty() && stderr.contains("is read, and would be replaced"),
            "{command:?} {stderr}"
        );
        assert_eq!(std::fs::read_to_string(&games).unwrap(), GGF);
    }
}

#[test]
fn names_that_are_read_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [base, players, tournaments] = ["a.wtb", "a.jou", "a.trn"].map(|name| file(&folder, name));
    assert_eq!(said(&["convert", "--out", &base], GGF).0, 0);
    let before = [&players, &tournaments].map(|path| std::fs::read(path).unwrap());
    for command in [
        &["convert", &base, "--to", "ggf", "--out", &players][..],
        &["positions", &base, "--out", &tournaments],
        &["show", &base, "--as", "text", "--out", &players],
        &["analyze", &base, "--depth", "1", "--ggf", "--out", &players],
        &["solve", &base, "--depth", "1", "--out", &tournaments],
    ] {
        let (code, stdout, stderr) = said(command, "");
        assert!(code > 0 && stdout.is_empty() && stderr.contains("is read, and would be replaced"), "{stderr}");
        assert_eq!([&players, &tournaments].map(|path| std::fs::read(path).unwrap()), before, "{command:?}");
    }
    // Nor are those that would stand beside the new games.
    let elsewhere = tempfile::tempdir().unwrap();
    let [another, jou, trn] = ["b.wtb", "b.jou", "b.trn"].map(|name| file(&elsewhere, name));
    std::fs::copy(&players, &jou).unwrap();
    std::fs::copy(&tournaments, &trn).unwrap();
    for (option, names) in [("--players", &jou), ("--tournaments", &trn)] {
        let (code, _, stderr) = said(&["convert", &base, option, names, "--out", &another], "");
        assert!(code > 0 && stderr.contains("is read, and would be replaced"), "{stderr}");
        assert!(!std::path::Path::new(&another).exists());
    }
    // Beside games of another format they are not read.
    let games = file(&folder, "a.ggf");
    std::fs::write(&games, GGF).unwrap();
    assert_eq!(said(&["convert", &games, "--to", "sgf", "--out", &players], "").0, 0);
}

#[test]
fn nothing_is_written_under_the_name_of_a_packed_file() {
    let folder = tempfile::tempdir().unwrap();
    for (command, ending) in
        [(&["convert", "--to", "ggf"][..], "gz"), (&["positions"], "zst"), (&["analyze", "-", "--depth", "1"], "GZ")]
    {
        let out = file(&folder, &format!("out.{ending}"));
        let (code, _, stderr) = said(&[command, &["--out", &out]].concat(), "f5d6\n");
        let told = format!("'{out}' would not be packed; expected a name without .{}\n", ending.to_lowercase());
        assert!(code == 1 && stderr.ends_with(&told), "{command:?}: {stderr}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_mistake_behind_a_board_is_one_error() {
    let start = emilia::othello::Position::START;
    let squares = start.to_string();
    let rows: Vec<&str> = (0..8).map(|row| &squares[8 * row..8 * row + 8]).collect();
    for board in [format!("{start:#}"), format!("{}\nX\n", rows.join("\n"))] {
        for (turns, told) in
            [("f5 d6 d6", ": game 1, move 3: d6 is occupied\n"), ("d3 c5 zz", ": game 1: expected a move")]
        {
            let text = format!("{board}\n{turns}\n");
            let (code, stdout, stderr) = moves(&text);
            assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 2), "{text}{stderr}");
            let place = format!("line {}, column 7", text.lines().count());
            assert!(stderr.starts_with(&format!("emilia: standard input: {place}{told}")), "{stderr}");
        }
    }
}

#[test]
fn a_result_that_is_lost_or_does_not_fit_is_told() {
    let contradicted = "(;GM[Othello]RE[-40]B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5];)";
    for (text, format, told) in [
        ("f5d6c3 34-31", "transcript", "cannot hold parts of the file that cannot be kept (Result 34-31)"),
        ("(;GM[Othello]RE[+2.5]B[f5];)", "logbook", "discs, from -64 to +64, and that of this game is +2.5"),
        (contradicted, "pgn", "pgn cannot hold the result (-40)"),
        (contradicted, "logbook", "logbook cannot hold the result (-40)"),
        (contradicted, "wthor", "wthor cannot hold the result (-40)"),
        ("(;GM[Othello]RE[+3]B[f5];)", "wthor", "discs, even and from -64 to +64, and that of this game is +3"),
    ] {
        let (code, _, stderr) = said(&["convert", "--strict", "--to", format], text);
        assert!(code == 1 && stderr.contains(told), "{text}: {stderr}");
    }
    let (_, _, stderr) =
        said(&["convert", "--to", "obf"], "(;GM[Othello]B[f5]W[f6]B[d3]W[g5]B[h5]W[h4]B[f7]W[h6]B[PA/2];)");
    assert!(stderr.contains("values of moves: 1 game, first standard input: line 1: game 1: of 1 pass\n"), "{stderr}");
}

#[test]
fn what_is_said_of_a_position_is_counted_with_it() {
    let start = emilia::othello::Position::START;
    let (valued, noted) = (format!("{start}; F5:+2; % by hand\n"), format!("{start}; F5:+2; % 2: by hand\n"));
    assert_eq!(said(&["positions", "--count"], valued.repeat(2)), (0, noted, String::new()));
    let (code, stdout, stderr) = said(&["positions", "--count"], format!("{start};\n{valued}"));
    assert_eq!((code, stdout), (0, format!("{start}; % 2\n")));
    assert!(stderr.starts_with("emilia: warning: the values of 1 position are left out"), "{stderr}");
}

#[test]
fn names_in_messages_have_no_control_characters() {
    let (code, _, stderr) = said(&["convert", "--to", "ggf", "no\u{1b}[31m\n/file"], "");
    assert!(code == 1 && stderr.starts_with("emilia: no[31m/file: not found\n"), "{stderr:?}");
    let (code, _, stderr) = said(&["convert", "--to", "ggf", "--player", ""], "f5");
    assert!(code == 2 && stderr.contains("--player"), "{stderr}");
    let (code, _, stderr) = said(&["convert", "--to", "ggf", "--out", "no\u{1b}[31m/file"], "f5");
    assert!(code == 1 && stderr.contains("the folder 'no\\u{1b}[31m' is not there"), "{stderr:?}");
}

/// What `convert --to transcript` makes of a text.
fn moves(text: &str) -> (i32, String, String) {
    said(&["convert", "--to", "transcript"], text)
}

#[test]
fn text_before_the_first_game_is_one_error() {
    let ggf = "(;GM[Othello]PB[ada]B[f5];)\n";
    for (text, expected, told) in [
        (format!("Games of a day\n{ggf}{ggf}"), "f5\nf5\n", "line 1, column 1: game 1: expected '(;'"),
        (format!("2 games of a day\n\n1 {ggf}"), "f5\n", "line 1, column 3: game 1: expected '(;'"),
        ("Of a day\n(;GM[2];B[fe])\n".to_owned(), "f5\n", "line 1, column 1: game 1: expected '(;'"),
        (
            "Of a day\n[White \"x\"]\n\n1. f5 d6\n\n".to_owned(),
            "f5d6\n",
            "line 1, column 1: game 1, move 1: expected a move",
        ),
    ] {
        let (code, stdout, stderr) = moves(&text);
        assert_eq!((code, stdout.as_str()), (1, expected), "{text}: {stderr}");
        assert!(stderr.starts_with(&format!("emilia: standard input: {told}")), "{text}: {stderr}");
        assert!(stderr.contains("emilia: 1 game could not be converted"), "{text}: {stderr}");
    }
    let (_, stdout, _) = said(&["convert", "--to", "pgn"], "Of a day\n[White \"x\"]\n\n1. f5 d6\n");
    assert!(stdout.contains("[White \"x\"]"), "{stdout}");
    // Of PGN this is a comment.
    let (code, stdout, stderr) = said(&["convert", "--to", "pgn"], "; of a day\n\n[White \"x\"]\n\n1. f5\n");
    let expected = "[White \"x\"]\n[Result \"*\"]\n\n{of a day} 1. f5 *\n\n";
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, expected, ""));
}

#[test]
fn comments_before_the_first_game_may_be_long() {
    for end in ["\n", "\r", "\r\n"] {
        let comments = format!("# of a day{end}{end}% and more{end}").repeat(2000);
        for (game, format) in
            [("(;GM[Othello]PB[ada]B[f5];)", "GGF"), ("[White \"x\"]{end}{end}1. f5", "PGN"), ("f5", "lines")]
        {
            let (code, stdout, stderr) = moves(&format!("{comments}{}{end}", game.replace("{end}", end)));
            assert_eq!((code, stdout.as_str()), (0, "f5\n"), "{format}: {stderr}");
        }
        let (_, _, stderr) = moves(&format!("{comments}f5a1{end}"));
        let line = 1 + 3 * 2000;
        assert!(
            stderr.starts_with(&format!("emilia: standard input: line {line}, column 3: game 1, move 2")),
            "{stderr}"
        );
        let (code, _, stderr) = moves(&comments);
        assert!(code == 1 && stderr.starts_with("emilia: standard input: no game or position"), "{stderr}");
    }
}

#[test]
fn a_second_diagram_is_told() {
    let (_, diagram, _) = said(&["show"], "f5d6\n");
    let (code, stdout, _) = said(&["positions"], &diagram);
    assert_eq!((code, stdout.lines().count()), (0, 1));
    // Words behind the first one are no result.
    let (_, stdout, _) = said(&["convert", "--to", "ggf"], format!("{diagram}score 5-3\n"));
    assert!(stdout.contains("RE[?]"), "{stdout}");
    let (code, stdout, stderr) = said(&["positions"], format!("{diagram}{diagram}"));
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("game 1: a second board; expected moves or nothing"), "{stderr}");
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
}

#[test]
fn a_semicolon_in_a_comment_makes_no_line_of_obf() {
    let board = emilia::othello::Position::START;
    let (code, stdout, stderr) = said(&["convert", "--to", "ggf"], format!("{board} f5d6 % hello; world % and more\n"));
    assert!(
        code == 0 && stdout.contains("CO[hello; world % and more]") && stdout.contains("W[D6]"),
        "{stdout}{stderr}"
    );
}

#[test]
fn keys_are_read_in_small_letters() {
    for text in ["(;gm[othello]pb[ada]b[f5];)", "(;gm[2]pb[ada];c[so far]b[fe])", "(;FF[4]gm[2]PB[ada];Black[fe])"] {
        let (code, stdout, stderr) = said(&["convert", "--to", "pgn"], text);
        assert!(
            code == 0 && stdout.contains("[Black \"ada\"]") && stdout.contains("1. f5"),
            "{text}: {stdout}{stderr}"
        );
        assert!(!stderr.contains("other properties"), "{stderr}");
    }
}

#[test]
fn of_a_property_of_ggf_that_stands_twice_the_first_counts() {
    let (code, stdout, stderr) = said(&["convert", "--to", "ggf"], "(;GM[Othello]PB[ada]PB[eve]RE[+2]RE[?]B[f5];)");
    assert!(code == 0 && stdout.contains("PB[ada]") && stdout.contains("RE[+2.000]"), "{stdout}");
    assert!(stderr.contains("parts of the file that cannot be kept") && stderr.contains("PB[eve]"), "{stderr}");
}
