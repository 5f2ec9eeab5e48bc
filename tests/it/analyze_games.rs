//! `emilia analyze` on files of games, in every format that it writes.

use crate::convert::file;
use crate::game_file::gzip;
use crate::games::{games_of, random_game};
use crate::serve::{json_lines, said};
use emilia::notation::game_file::{AnnotatedGame, Format, write};
use emilia::notation::ggf::Ggf;
use emilia::notation::obf::ObfEntry;
use emilia::notation::transcript::Transcript;
use emilia::othello::{GameRecord, Position};

/// What the program says of this input: exit code, standard output, standard error.
fn analyze(arguments: &[&str], input: impl AsRef<[u8]>) -> (i32, String, String) {
    let always = ["analyze", "-", "--hash", "1", "--threads", "2", "--reproducible"];
    said(&[&always[..], arguments].concat(), input)
}

#[test]
fn every_format_says_the_same() {
    let games: Vec<GameRecord> = (0..5).map(random_game).collect();
    let turns: usize = games.iter().map(|game| game.turns().len()).sum();
    let input: String = games.iter().map(|game| Ggf(&AnnotatedGame::new(game.clone())).to_string() + "\n").collect();
    let arguments = ["--depth", "2", "--exact", "8"];
    let written = |style: &str| {
        let (code, stdout, stderr) = analyze(&[&arguments[..], &[style]].concat(), &input);
        assert_eq!((code, stderr.as_str()), (0, ""), "{style}");
        stdout
    };
    let json = json_lines(&written("--json"));
    assert_eq!(json.len(), 5);
    let losses: Vec<f64> = json
        .iter()
        .flat_map(|game| game["turns"].as_array().unwrap())
        .map(|turn| turn["loss"].as_f64().unwrap())
        .collect();
    assert_eq!(losses.len(), turns);
    assert!(losses.iter().all(|loss| *loss >= 0.0) && losses.iter().any(|loss| *loss >= 2.0));
    for (reviewed, game) in json.iter().zip(&games) {
        assert_eq!(reviewed["score"], game.position().score_for_black());
        for (turn, (played, position)) in
            reviewed["turns"].as_array().unwrap().iter().zip(game.turns().iter().zip(game.positions()))
        {
            assert_eq!((&turn["move"], &turn["board"]), (&played.to_string().into(), &position.to_string().into()));
            assert!(turn["exact"] == true || position.empties().count() > 8);
            let (best, value) = (turn["best"]["value"].as_f64().unwrap(), turn["value"].as_f64().unwrap());
            assert_eq!(turn["loss"].as_f64().unwrap(), best - value);
            assert_ne!(turn["alternative"]["move"], turn["move"]);
        }
    }

    let csv = written("--csv");
    let mut rows = csv.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let loss = header.iter().position(|name| *name == "loss").unwrap();
    let rows: Vec<Vec<&str>> = rows.collect();
    assert!(rows.iter().all(|row| row.len() == header.len()));
    assert_eq!(rows.iter().map(|row| row[loss].parse().unwrap()).collect::<Vec<f64>>(), losses);

    let obf: Vec<_> = written("--obf").lines().map(|line| ObfEntry::parse(line).unwrap()).collect();
    assert_eq!(obf.len(), turns);
    let positions = games.iter().flat_map(|game| game.positions().iter().zip(game.turns()));
    for (entry, (position, played)) in obf.iter().zip(positions) {
        assert_eq!(entry.position, *position);
        assert!(entry.moves.iter().any(|(turn, _)| turn == played), "{entry}");
    }

    let ggf = games_of(&written("--ggf"));
    for ((annotated, game), reviewed) in ggf.iter().zip(&games).zip(&json) {
        assert_eq!(annotated.record, *game);
        for (timing, turn) in annotated.timing.iter().zip(reviewed["turns"].as_array().unwrap()) {
            assert!((timing.eval.unwrap() - turn["value"].as_f64().unwrap()).abs() < 1e-5);
        }
        assert!(annotated.comments[0].contains("accuracy"), "{:?}", annotated.comments);
    }

    let table = written("--table");
    assert_eq!(table.matches("accuracy").count(), 10);
    assert_eq!(table.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).count(), turns);
}

#[test]
fn a_game_that_cannot_be_read_is_named_and_the_next_one_is_judged() {
    let good = Ggf(&AnnotatedGame::new(random_game(1))).to_string();
    // The 37th move of the second game is one that was played before.
    let second = Ggf(&AnnotatedGame::new(random_game(2))).to_string();
    let first_move = random_game(2).turns()[0].to_string();
    let at = second.match_indices("]B[").chain(second.match_indices("]W[")).map(|(at, _)| at).collect::<Vec<_>>();
    let mut at: Vec<usize> = at.into_iter().filter(|at| *at > second.find("BO[").unwrap()).collect();
    at.sort_unstable();
    let begin = at[36] + 3;
    let bad = format!("{}{}{}", &second[..begin], first_move.to_uppercase(), &second[begin + 2..]);
    let input = format!("{good}\n\n{bad}\n{good}\n");
    let (code, stdout, stderr) = analyze(&["--depth", "1", "--json"], &input);
    let lines = json_lines(&stdout);
    assert_eq!((code, stderr.as_str(), lines.len()), (0, "", 3));
    assert_eq!((&lines[1]["number"], &lines[1]["line"], &lines[2]["line"]), (&2.into(), &3.into(), &4.into()));
    let error = lines[1]["error"].as_str().unwrap();
    assert!(error.starts_with("standard input: line 3, column ") && error.contains("is occupied"), "{error}");
    assert!(error.contains(": game 2, move 37: ") && lines[1]["move"] == 37, "{}", lines[1]);
    assert_eq!(lines[0]["turns"], lines[2]["turns"]);
    let (code, stdout, stderr) = analyze(&["--depth", "1", "--csv"], &input);
    assert_eq!((code, stdout.lines().count()), (1, 1 + 2 * random_game(1).turns().len()));
    assert!(stderr.starts_with(&format!("emilia: {error}\n")) && stderr.contains("1 game could"), "{stderr}");

    let mut base = vec![0; 16 + 68];
    (base[4], base[10], base[11], base[24]) = (1, 0xd0, 0x07, 56);
    let (code, stdout, _) = analyze(&["--depth", "1", "--json"], &base);
    assert_eq!((code, json_lines(&stdout)[0]["turns"].as_array().unwrap().len()), (0, 1));
    let (code, stdout, _) = analyze(&["--depth", "1", "--json"], &base[..50]);
    assert_eq!(code, 0);
    assert!(
        json_lines(&stdout)[0]["error"].as_str().unwrap().contains("byte 50: the file ends within this game"),
        "{stdout}"
    );
    let (code, stdout, stderr) = analyze(&["--depth", "1", "--json"], &base[..12]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.contains("standard input: "), "{stderr}");
}

#[test]
fn tagged_and_packed_games_are_judged_like_others() {
    let games: Vec<GameRecord> = (0..3).map(random_game).collect();
    let transcripts: String = games.iter().map(|game| format!("{}\n", Transcript(game))).collect();
    let arguments = ["--depth", "1", "--json"];
    let turns = |stdout: &str| json_lines(stdout).iter().map(|game| game["turns"].clone()).collect::<Vec<_>>();
    let expected = turns(&analyze(&arguments, &transcripts).1);
    let named = |record: &GameRecord| {
        let mut game = AnnotatedGame::new(record.clone());
        (game.black.name, game.white.name) = ("ada".to_owned(), "bob".to_owned());
        game
    };
    let pgn: String = games.iter().map(|game| write(&named(game), Format::Pgn).unwrap().text + "\n").collect();
    let packed = gzip(pgn.as_bytes());
    for input in [pgn.as_bytes(), &packed] {
        let (code, stdout, stderr) = analyze(&arguments, input);
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert_eq!(turns(&stdout), expected);
        assert!(json_lines(&stdout).iter().all(|game| game["black"] == "ada" && game["white"] == "bob"), "{stdout}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = &file(&folder, "games.pgn.gz");
    std::fs::write(path, &packed).unwrap();
    let (_, stdout, _) = said(&["analyze", path, "--depth", "1", "--json", "--shard", "1/2"], "");
    let found = json_lines(&stdout);
    assert_eq!((found.len(), &found[1]["number"]), (3, &2.into()));
    assert_eq!(found[2]["shard"]["end"]["ending"]["items"], 3);
    // What is damaged is not taken for the end.
    let (code, _, stderr) = analyze(&arguments, &packed[..packed.len() - 6]);
    assert!(code == 1 && stderr.contains("cannot be read"), "{code} {stderr}");
}

#[test]
fn positions_and_nothing_at_all_are_judged_too() {
    let file = format!("% three\n{}; F5:+0;\nf5d6\n", Position::START);
    let (code, stdout, _) = analyze(&["--depth", "2", "--json"], &file);
    let lines = json_lines(&stdout);
    assert_eq!((code, lines.len()), (0, 2));
    assert!(lines[0]["turns"][0].get("move").is_none() && lines[0]["turns"][0]["best"]["move"].is_string());
    assert_eq!(lines[1]["turns"].as_array().unwrap().len(), 2);
    for empty in ["", "\n\n", "% only a comment\n"] {
        let (code, stdout, stderr) = analyze(&["--json"], empty);
        assert_eq!((code, stdout.as_str()), (1, ""));
        assert!(stderr.ends_with("standard input: no game or position\n"), "{stderr}");
    }
}

#[test]
fn a_file_of_queries_is_told_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    let path = &file(&folder, "queries.jsonl");
    std::fs::write(path, " \n{\"id\":1,\"moves\":\"f5\",\"depth\":1}\n").unwrap();
    assert!(said(&["analyze", path], "").1.starts_with("{\"id\":1,\"turn\":1"));
    let (code, _, stderr) = said(&["analyze", path, "--csv"], "");
    assert!(code == 2 && stderr.contains("queries are answered in JSON"), "{code}: {stderr}");
    std::fs::write(path, "\n").unwrap();
    assert_eq!(said(&["analyze", path], ""), (0, String::new(), String::new()), "nothing is asked");
}
