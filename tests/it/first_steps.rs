//! What a new user meets: a terminal that talks, questions without a file, messages that say what is wrong.

use crate::convert::file;
use crate::game_file::gzip;
use crate::games::random_game;
use crate::serve::{answers, json_lines, said};
use crate::terminal::Terminal;
use serde_json::Value;

const EMILIA: &str = env!("CARGO_BIN_EXE_emilia");

#[test]
fn a_terminal_is_told_what_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, says) in [
        ("gtp", "speaking GTP; 'quit' ends"),
        ("analyze", "reading queries, a line of JSON each"),
        ("solve -", "reading positions from the terminal; Ctrl-D ends"),
        ("show", "reading games or positions from the terminal"),
        ("convert --to sgf", "reading games or positions from the terminal"),
    ] {
        let socket = file(&folder, &arguments.replace(' ', ""));
        let Some(terminal) = Terminal::start(socket, &format!("'{EMILIA}' {arguments}; sleep 60")) else {
            return;
        };
        terminal.wait_for(says);
    }
    let Some(terminal) = Terminal::start(file(&folder, "socket"), &format!("'{EMILIA}'; sleep 60")) else { return };
    terminal.wait_for("waiting for");
    terminal.say("help");
    terminal.wait_for("find exact results");
    terminal.say("name");
    terminal.wait_for("speaking GTP, as the first line decided");
}

#[test]
fn an_interrupted_job_says_what_is_done_and_how_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let games = file(&folder, "games.txt");
    std::fs::write(&games, "f5d6c3d3c4f4f6g5e6d7\n".repeat(40_000)).unwrap();
    let out = file(&folder, "out.jsonl");
    // The shell is not to end with the job.
    let line = format!("trap : INT; '{EMILIA}' analyze '{games}' --json --out '{out}' --threads 1 --depth 9; sleep 60");
    let Some(terminal) = Terminal::start(file(&folder, "socket"), &line) else { return };
    terminal.wait_for(" of 40000 games");
    terminal.press("C-c");
    terminal.wait_for("interrupted after ");
    terminal.wait_for("--resume goes on");
    drop(terminal);
    let mut left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.retain(|name| name != "socket");
    left.sort();
    assert_eq!(left, ["games.txt", "out.jsonl.partial"]);
}

#[test]
fn an_interrupted_question_has_the_answer_that_was_found() {
    let folder = tempfile::tempdir().unwrap();
    let question = "analyze --moves f5d6c3 --depth 60 --engine alpha-beta --selectivity 100 --threads 1 --book none";
    let line = format!("trap : INT; '{EMILIA}' {question}; echo ended with $?; sleep 60");
    let Some(terminal) = Terminal::start(file(&folder, "socket"), &line) else { return };
    // The line that tells of the search has its best move, with the value.
    terminal.wait_for("depth 1");
    terminal.press("C-c");
    let screen = terminal.wait_for("ended with 1");
    assert!(!screen.contains("ended with 13") && screen.contains("nodes in "), "{screen}");
    assert!(screen.contains("interrupted at depth "), "{screen}");
    assert!(["c4", "d3", "e3", "f4", "g5"].iter().any(|turn| screen.contains(turn)), "{screen}");
}

#[test]
fn the_answer_to_an_interrupted_question_is_not_final() {
    let folder = tempfile::tempdir().unwrap();
    let question = "analyze --moves f5d6c3 --depth 60 --engine alpha-beta --selectivity 100 --threads 1 --book none \
                    --json";
    let line = format!("trap : INT; '{EMILIA}' {question}; echo ended with $?; sleep 60");
    let Some(terminal) = Terminal::start(file(&folder, "socket"), &line) else { return };
    terminal.wait_for("depth 1");
    terminal.press("C-c");
    let screen = terminal.wait_for("ended with 1");
    assert!(screen.contains("{\"id\":\"position\",\"terminated\":true,"), "{screen}");
}

#[test]
fn a_terminal_does_not_change_what_a_file_gets() {
    let folder = tempfile::tempdir().unwrap();
    let [positions, solved, analyzed] = ["positions.obf", "solved.txt", "analyzed.txt"].map(|name| file(&folder, name));
    let game = random_game(1);
    let position = game.positions().iter().find(|position| position.empties().count() == 9).unwrap();
    std::fs::write(&positions, format!("{position};\n")).unwrap();
    let same = ["--reproducible", "--threads", "1"];
    let solve = [&["solve", &positions][..], &same].concat();
    let analyze = [&["analyze", &positions, "--table", "--depth", "1"][..], &same].concat();
    let line = format!(
        "export NO_COLOR=; '{EMILIA}' {} --out '{solved}'; '{EMILIA}' {} --out '{analyzed}'; echo over; sleep 60",
        solve.join(" "),
        analyze.join(" ")
    );
    let Some(terminal) = Terminal::start(file(&folder, "socket"), &line) else { return };
    terminal.wait_for("over");
    for (arguments, out) in [(solve, solved), (analyze, analyzed)] {
        assert_eq!(std::fs::read_to_string(out).unwrap(), answers(&arguments, ""));
    }
}

#[test]
fn one_position_is_analyzed_without_a_file() {
    let json = answers(&["analyze", "--moves", "f5d6c3", "--depth", "4", "--multipv", "3", "--reproducible"], "");
    let answer: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&answer["turn"], answer["moves"].as_array().unwrap().len()), (&3.into(), 3));
    let board = answer["board"].as_str().unwrap();
    let by_board = answers(&["analyze", "--position", board, "--depth", "4", "--multipv", "3", "--reproducible"], "");
    let by_board: Value = serde_json::from_str(&by_board).unwrap();
    assert_eq!(by_board["moves"], answer["moves"]);
    let table = answers(&["analyze", "--position", "f5d6", "--moves", "c3", "--depth", "4", "--table"], "");
    assert!(table.contains("white to move, 57 empty squares") && table.contains("move   value   depth"), "{table}");
    for (arguments, problem) in [
        (&["--moves", "f5a1"][..], "--moves: move 2: a1 turns no disc for white"),
        (&["--position", "hello"], "--position: line 1, column 1: expected"),
    ] {
        let (code, _, stderr) = said(&[&["analyze"], arguments].concat(), "");
        assert!(code == 1 && stderr.contains(problem), "{arguments:?}: {stderr}");
    }
    let without_book = ["analyze", "--moves", "f5", "--depth", "1", "--book", "none", "--table"];
    assert!(!answers(&without_book, "").contains("book"));
    let board = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let by_uct = ["analyze", "--position", board, "--engine", "uct", "--memory", "2", "--exact", "14", "--table"];
    let (code, _, stderr) = said(&by_uct, "");
    assert!(code == 0 && stderr.contains("warning: exact: uct has not solved the position\n"), "{stderr}");
    for arguments in [&["--multipv", "2"][..], &["--moves", "f5", "file"], &["--moves", "f5", "--csv"]] {
        assert_eq!(said(&[&["analyze"], arguments].concat(), "").0, 2, "{arguments:?}");
    }
}

#[test]
fn players_of_an_archive_are_summed_up() {
    let game = |black, white, moves| format!("[Black \"{black}\"]\n[White \"{white}\"]\n\n{moves} *\n\n");
    let archive = game("Ada", "Bob", "1. f5 d6 2. c3 d3") + &game("Bob", "Ada", "1. f5 f4 2. e3 f6");
    let always = ["analyze", "-", "--by", "player", "--depth", "8", "--threads", "1"];
    let table = answers(&[&always[..], &["--table"]].concat(), &archive);
    assert!(table.starts_with("Ada: 2 games") && table.contains("\nBob: 2 games"), "{table}");
    assert!(table.contains("f4 lost ") && table.contains("standard input --game 2 --move 2\n"), "{table}");
    let json = answers(&[&always[..], &["--json"]].concat(), &archive);
    let players = json_lines(&json);
    assert_eq!((players.len(), &players[0]["player"], &players[0]["games"]), (2, &"Ada".into(), &2.into()));
    assert_eq!(players[0]["worst"][0]["move"], "f4");
    // Pages, and links into them.
    let folder = tempfile::tempdir().unwrap();
    let site = file(&folder, "site");
    let table = answers(&[&always[..], &["--table", "--pages", &site]].concat(), &archive);
    let page = format!("{site}/game-2.html#2");
    assert!(table.contains(&page), "{table}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("site").join(name)).unwrap();
    let index = read("index.html");
    assert!(index.contains("<a href=\"game-2.html#2\"") && index.contains("<td class=\"l\">Ada</td>"), "{index}");
    assert!(index.contains("<a href=\"game-1.html\">1</a>") && index.contains("2 games"), "{index}");
    assert!(read("game-2.html").contains("<title>Bob \u{2013} Ada</title>") && read("game-1.html").contains("depth 8"));
    let links = "<a href=\"index.html\">all games</a> \u{b7} <a href=\"game-1.html\">previous game</a></p>";
    assert!(
        read("game-2.html").contains(links) && read("game-1.html").contains("<a href=\"game-2.html\">next game</a>")
    );
    assert!(read("game-2.html").contains("Ada's worst: f4, move 2, lost "), "in words");
    let json = answers(&[&always[..], &["--json", "--pages", &site]].concat(), &archive);
    let first: Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!(first["worst"][0]["page"], page);
    // Pages of games that a later run does not have go; other files stay. A run that fails removes nothing.
    std::fs::write(folder.path().join("site/game-9.html"), "somebody else's").unwrap();
    let broken = file(&folder, "broken.gz");
    let mut bytes = gzip(game("Ada", "Bob", "1. f5 d6").as_bytes());
    bytes.truncate(bytes.len() - 5);
    std::fs::write(&broken, bytes).unwrap();
    let (code, _, stderr) = said(&["analyze", &broken, "--depth", "1", "--threads", "1", "--pages", &site], "");
    assert!(code == 1 && read("game-2.html").contains("f4"), "{stderr}");
    answers(&["analyze", "-", "--depth", "1", "--threads", "1", "--game", "1", "--json", "--pages", &site], &archive);
    let is_there = |name| folder.path().join("site").join(name).exists();
    assert_eq!(["game-1.html", "game-2.html", "game-9.html"].map(is_there), [true, false, true]);
    // A page that somebody else has made stays.
    std::fs::write(folder.path().join("site/index.html"), "somebody else's").unwrap();
    let (code, _, stderr) = said(&["analyze", "-", "--depth", "1", "--json", "--pages", &site], &archive);
    assert!(code == 1 && stderr.contains("index.html' is there, and no page of Emilia's"), "{stderr}");
    assert_eq!(read("index.html"), "somebody else's");
    std::fs::remove_file(folder.path().join("site/index.html")).unwrap();
    // Beside judged games, too.
    let csv = file(&folder, "games.csv");
    let said = said(&["analyze", "-", "--depth", "2", "--pages", &site, "--out", &csv], &archive);
    assert_eq!(said, (0, String::new(), String::new()));
    assert!(std::fs::read_to_string(csv).unwrap().starts_with("game,file,line"));
}

#[test]
fn a_game_that_its_file_cuts_off_has_the_moves_that_are_there() {
    let board = "---------------------------O*------*O---------------------------";
    let ggf = format!("(;GM[Othello]PB[ada]PW[bob]TY[8]BO[8 {board} *]B[f5]W[d6]B[c");
    for cut in [ggf.as_str(), "(;FF[4]GM[2]SZ[8];B[fe];W[df];B[c", "[Site \"x\"]\n\n1. f5 d6 2. c"] {
        let (code, stdout, stderr) = said(&["convert", "--to", "transcript"], cut);
        assert_eq!((code, stdout.as_str()), (0, "f5d6\n"), "{cut}: {stderr}");
        let warning =
            "warning: standard input: line 1: game 1: the file ends within the game; it has the first 2 moves";
        assert!(stderr.contains(warning), "{stderr}");
    }
    // What is wrong within a game stays wrong.
    assert_eq!(said(&["convert", "--to", "transcript"], ggf.replace("[f5]", "[a1]")).0, 1);
}

#[test]
fn a_result_that_is_not_on_the_board_is_told() {
    let moves = "B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5]";
    let game = format!("(;GM[Othello]PB[ada]PW[bob]TY[8]RE[-40.000]{moves};)");
    let always = ["analyze", "-", "--depth", "1", "--threads", "1", "--table"];
    for (arguments, expected) in [
        (&["convert", "--to", "pgn"][..], "[Result \"13-0\"]"),
        (&[&always[..], &["--by", "player"]].concat()[..], "ada: 1 game, 1 won, 0 drawn, 0 lost"),
        (&["show"][..], "ada (black) - bob (white), +64 for black"),
    ] {
        let (code, stdout, stderr) = said(arguments, &game);
        assert!(code == 0 && stdout.contains(expected), "{arguments:?}: {stdout}{stderr}");
        let warning = "game 1: the result is said to be -40, and the board has +64\n";
        assert!(stderr.contains(warning) && stderr.lines().count() == 1, "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_bare_position_has_the_table_of_a_position() {
    let position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; % FFO 1\n";
    let table = answers(&["analyze", "-", "--depth", "2", "--threads", "1", "--table"], position);
    assert!(table.starts_with("standard input, line 1\n") && !table.contains("accuracy"), "{table}");
    assert!(table.contains("black to move, 14 empty squares") && table.contains("\nmove   value   depth"), "{table}");
    let shown = answers(&["show", "--values", "file"], position);
    assert!(shown.contains("\n+18.00 for black: g8\nfor black: g8 +18, h1 +12\n"), "{shown}");
    let shown = answers(&["show", "--values", "file"], "f5d6");
    assert!(shown.contains("\nthe file has no values\n"), "{shown}");
    let shown = answers(&["show", "--values", "engine", "--depth", "1"], "e6f4e3f6g5d6e7f5c5");
    assert!(shown.contains("\n+64.00 for black\n"), "{shown}");
}

#[test]
fn messages_say_what_is_wrong() {
    for (arguments, input, code, problem) in [
        (&["show", "nofile"][..], "", 1, "emilia: nofile: not found\n"),
        (&["convert", "nofile", "--to", "sgf"], "", 1, "emilia: nofile: not found\nemilia: 1 file could not be read\n"),
        (&["analyze", "nofile"], "", 1, "emilia: nofile: not found\n"),
        (&["solve", "nofile"], "", 2, "emilia: nofile: not found\n"),
        (&["show"], "hello", 1, "in no known format (known: ggf, sgf, pgn, transcript, logbook, obf, wthor)"),
        (
            &["show", "f5d6"],
            "",
            1,
            "emilia: f5d6: not found; a list of moves is read from the standard input, or where an option takes it\n",
        ),
        (&["perft", "abc"], "", 2, "error: invalid value 'abc' for '<DEPTH>': expected a whole number, digits alone\n"),
        (&["perft", ""], "", 2, "expected a whole number, digits alone"),
        (
            &["show", "--values", "engine", "--depth", "1", "--ponder", "on"],
            "f5",
            0,
            "emilia: warning: --ponder is not read: no game is played\n",
        ),
        (
            &["analyze", "--moves", "f5", "--depth", "1", "--level", "3"],
            "",
            0,
            "emilia: warning: --level is not read: no game is played\n",
        ),
        (&["show", "--game", "0"], "", 2, "expected a whole number of at least 1"),
        (&["show", "--out", "x.doc"], "f5", 2, "unknown ending .doc; expected .svg, .png, .html or .txt"),
        (&["show", "--curve"], "f5", 2, "--curve: a curve is a picture"),
        (&["play", "--depth", "-3"], "", 2, "expected a whole number from 1 to 60"),
        (&["analyze", "-", "--exact", "-1"], "", 2, "-1 is not in 0..=60"),
        (&["analyze", "-", "--csv", "--shard", "0/2"], "f5", 2, "--shard needs --json"),
        (&["analyze", "-", "--out", "x.png"], "f5", 2, "'emilia show --curve --out' draws a game"),
        (&["analyze", "-", "--out", "x.html"], "f5", 2, "expected --pages FOLDER"),
        (&["analyze", "-", "--by", "player", "--out", "x.csv"], "f5", 2, "expected .json or .txt"),
        (&["analyze", "-", "--pages", "x"], "{}", 2, "queries are answered in JSON"),
        (&["analyze", "-", "--out", "x.csv"], "{}", 2, "--out: queries are answered in JSON"),
        (&["convert", "--out", "x.doc"], "f5", 2, "the ending of 'x.doc' is that of no format; give --to FORMAT"),
        (&["show", "--out", "nodir/g.svg"], "f5", 1, "cannot write 'nodir/g.svg': the folder 'nodir' is not there\n"),
        (&["analyze", "--multipv", "3", "game.txt"], "", 2, "--multipv is for one position: --position or --moves"),
        (&["analyze"], "f5d6\n", 0, "'emilia analyze -' also reads games"),
    ] {
        let (found, _, stderr) = said(arguments, input);
        assert!(found == code && stderr.contains(problem), "{arguments:?}: {found}: {stderr}");
    }
}

#[test]
fn pictures_are_drawn_in_pixels() {
    let folder = tempfile::tempdir().unwrap();
    for (name, arguments) in [("board.png", &["--moves"][..]), ("curve.png", &["--curve", "--depth", "1"])] {
        let path = file(&folder, name);
        let (code, _, stderr) = said(&[&["show", "--out", &path], arguments].concat(), "f5d6c3d3c4");
        if stderr.contains("no font is installed") {
            assert!(code == 1 && !std::path::Path::new(&path).exists());
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        assert!(code == 0 && bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() > 2000, "{stderr}");
    }
}

#[test]
fn help_is_all_that_a_user_of_the_command_needs() {
    for (command, says) in [
        ("analyze", "What has no other limit is searched to depth 12"),
        ("solve", "The exit code is 0 if all is well"),
        ("convert", "the exit code is then 1"),
        ("match", "Every opening is played twice"),
        ("experiment", "with 95 % intervals"),
        ("play", "'help' lists what else can be said"),
        ("positions", "Only positions with a move are"),
        ("show", "the arrow keys go through the"),
        ("merge", "All the parts"),
    ] {
        let help = answers(&[command, "--help"], "");
        let begin = help.split("Usage:").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(begin.contains(says), "{command}: {begin}");
        assert!(!help.contains("--fpu") && answers(&[command, "-h"], "").len() <= help.len(), "{help}");
    }
}
