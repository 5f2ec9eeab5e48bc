//! `emilia show`: text, pictures, and a page that a browser runs.

use crate::convert::file;
use crate::serve::said;
use emilia::notation::read_position;
use emilia::notation::transcript;
use emilia::othello::Color;
use std::process::{Command, Stdio};

const GAME: &str =
    "(;GM[Othello]PC[GGS/os]PB[ada <b>]PW[bob]RE[+10.000]TY[8]B[f5/0.5]W[d6/-1]B[c3]CO[a quiet move]W[d3]B[c4];)";

#[test]
fn a_board_is_shown_as_text_without_colours_into_a_pipe() {
    let (code, stdout, stderr) = said(&["show"], GAME);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.is_ascii() && stdout.lines().all(|line| line.len() <= 80), "{stdout}");
    assert!(stdout.starts_with("ada <b> (black) - bob (white), +10 for black\nGGS/os\n"), "{stdout}");
    let diagram: String =
        stdout.lines().skip(2).take(10).map(|line| format!("{}\n", line.replace(['(', ')'], " "))).collect();
    let expected = transcript::parse("f5d6c3d3c4").unwrap();
    assert_eq!(read_position(&format!("{diagram}white to move")).unwrap().position(), expected.position());
    let (_, earlier, _) = said(&["show", "--move", "2", "--numbers"], GAME);
    assert!(earlier.contains("  1") && earlier.contains("black to move, black 3, white 3"), "{earlier}");
}

#[test]
fn what_is_shown_as_text_is_read_again() {
    let expected = transcript::parse("f5d6c3d3c4").unwrap();
    for name in ["ada <b>", "Paula", "", "Pa Kettle", "A1 bot", "+1", "(Thor)", "[Site \"x", "Black to move"] {
        let game = GAME.replace("ada <b>", name);
        for more in [&[][..], &["--values", "engine", "--depth", "2", "--threads", "1"]] {
            let (_, shown, _) = said(&[&["show"], more].concat(), &game);
            let (code, board, stderr) = said(&["convert", "--to", "transcript"], &shown);
            assert_eq!(code, 0, "{shown}{stderr}");
            assert_eq!(board, format!("{}\n", expected.position()));
        }
    }
}

#[test]
fn how_a_game_ended_is_shown() {
    let game = GAME.replace("+10.000", "-64.000:t");
    let (_, stdout, _) = said(&["show"], &game);
    assert!(stdout.contains("bob (white), -64 for black, timeout\n"), "{stdout}");
    let (_, page, _) = said(&["show", "--as", "html", "--values", "none"], &game);
    assert!(page.contains(" \u{b7} timeout</p>"), "{page}");
    // Also of a game without names; and a board alone has no line above it.
    let (_, stdout, _) = said(&["show"], game.replace("ada <b>", "").replace("bob", ""));
    assert!(stdout.starts_with("? (black) - ? (white), -64 for black, timeout\nGGS/os\n"), "{stdout}");
    assert!(!said(&["show"], "f5d6").1.contains("(black)"));
}

#[test]
fn a_game_that_was_lost_on_time_and_played_on_stays_lost() {
    let game = "(;GM[Othello]PB[ada]PW[bob]RE[-64.000:t]TY[8]B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5];)";
    let (_, stdout, stderr) = said(&["show"], game);
    assert!(stdout.starts_with("ada (black) - bob (white), -64 for black, timeout\n") && stderr.is_empty(), "{stderr}");
    let (_, sgf, stderr) = said(&["convert", "--to", "sgf", "--strict"], game);
    assert!(sgf.contains("RE[W+T]") && stderr.is_empty(), "{sgf}{stderr}");
    let (_, pgn, stderr) = said(&["convert", "--to", "pgn", "--strict"], game);
    assert!(pgn.contains("[Result \"0-64\"]\n[Termination \"time forfeit\"]") && stderr.is_empty(), "{pgn}{stderr}");
}

#[test]
fn values_are_those_of_the_file_or_of_the_engine() {
    let (code, stdout, _) = said(&["show", "--values", "file"], GAME);
    assert!(code == 0 && stdout.contains("values for black, by the players\n"), "{stdout}");
    assert!(stdout.contains("\n  1  black  f5     +0.50\n  2  white  d6     +1.00    0.50\n"), "{stdout}");
    let (code, stdout, _) =
        said(&["show", "--values", "engine", "--depth", "4", "--threads", "1", "--hash", "1"], GAME);
    assert!(code == 0 && stdout.contains("emilia on pattern, depth 4"), "{stdout}");
    assert!(stdout.contains("black loses ") && stdout.lines().all(|line| line.len() <= 80), "{stdout}");
}

#[test]
fn a_picture_of_a_position_has_the_values_of_its_file() {
    let position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; A4:-22;";
    let picture =
        |arguments: &[&str], position: &str| said(&[&["show", "--as", "svg"], arguments].concat(), position).1;
    let valued = picture(&["--values", "file"], position);
    for label in ["+18", "+12", "-22"] {
        assert!(valued.contains(&format!("text-anchor=\"middle\">{label}</text>")), "{valued}");
    }
    assert!(valued.contains("+18.00 for Black, best g8; on the squares for Black"), "{valued}");
    assert!(!picture(&[], position).contains("+18"));
    // The file has its values for the side to move, the caption for Black.
    let swapped = position.replace('X', "o").replace('O', "X").to_uppercase();
    let of_white = picture(&["--values", "file"], &swapped);
    assert!(of_white.contains("-18.00 for Black, best g8; on the squares for White"), "{of_white}");
    assert!(of_white.contains(">+18</text>"), "{of_white}");
}

#[test]
fn what_has_no_use_is_told() {
    let (code, _, stderr) = said(&["show", "--depth", "5", "--hash", "1"], GAME);
    let expected = ["hash", "depth"]
        .map(|name| format!("emilia: warning: --{name}: nothing is searched without --values engine\n"));
    assert!(code == 0 && expected.iter().all(|warning| stderr.contains(warning)), "{stderr}");
    for arguments in [&["--numbers", "--as", "html"][..], &["--moves", "--as", "html"], &["--moves"]] {
        let (code, stdout, stderr) = said(&[&["show"], arguments].concat(), GAME);
        assert!((code, stdout.as_str()) == (2, "") && stderr.contains(arguments[0]), "{arguments:?} {stderr}");
    }
}

#[test]
fn what_is_not_there_is_told() {
    for (arguments, input, expected) in [
        (&["show", "--game", "2"][..], GAME, "emilia: --game 2: there is 1 game\n"),
        (&["show"], "", "emilia: standard input: no game or position\n"),
        (&["show", "--move", "6"], GAME, "emilia: --move 6: the game has 5 moves, passes counted\n"),
        (&["show"], "f5f5", "emilia: standard input: line 1, column 3: game 1, move 2: f5 is occupied\n"),
    ] {
        let (code, stdout, stderr) = said(arguments, input);
        assert_eq!((code, stdout.as_str(), stderr.as_str()), (1, "", expected));
    }
    // Of games that are not shown nothing is said.
    let other = "(;GM[Othello]RE[+2.000]B[e6]W[f4]B[e3]W[f6]B[g5]W[d6]B[e7]W[f5]B[c5];)";
    let warnings = |game| said(&["show", "--game", game], format!("{other}\n{GAME}")).2;
    assert!(warnings("1").contains("warning: standard input: line 1: game 1") && warnings("2").is_empty());
    // Before the engine is asked, which would have warned of the variety.
    let (code, _, stderr) = said(&["show", "--values", "engine", "--variety", "1", "--out", "no/folder/x.svg"], GAME);
    assert!(code == 1 && stderr.starts_with("emilia: cannot write 'no/folder/x.svg'"), "{stderr}");
    let (code, _, stderr) = said(&["show", "no/such/file"], "");
    assert!(code == 1 && stderr.starts_with("emilia: no/such/file: not found"), "{stderr}");
}

#[test]
fn a_picture_is_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let out = file(&folder, "board.svg");
    assert_eq!(said(&["show", "--out", &out, "--move", "3"], GAME), (0, String::new(), String::new()));
    let svg = std::fs::read_to_string(&out).unwrap();
    let position = transcript::parse("f5d6c3").unwrap();
    let discs = |color| position.position().discs(color).count() as usize;
    assert_eq!(svg.matches("url(#black)").count(), discs(Color::Black));
    assert_eq!(svg.matches("url(#white)").count(), discs(Color::White));
    assert!(svg.starts_with("<svg xmlns=") && svg.trim_end().ends_with("</svg>"));
}

/// The document that headless Chromium makes of a page; `None`, with a message, where there is no Chromium.
fn dom_of(folder: &tempfile::TempDir, page: &str) -> Option<String> {
    let path = file(folder, "driven.html");
    std::fs::write(&path, page).unwrap();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let browser = names.into_iter().find(|name| {
        Command::new(name)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    });
    let Some(browser) = browser else {
        eprintln!("skipped: no Chromium to look at the page with");
        return None;
    };
    let flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--dump-dom"];
    let profile = format!("--user-data-dir={}", file(folder, "profile"));
    let output = Command::new(browser).args(flags).arg(profile).arg(format!("file://{path}")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_page_is_walked_through_with_the_keys() {
    let folder = tempfile::tempdir().unwrap();
    let out = file(&folder, "game.html");
    let (code, _, stderr) = said(&["show", "--out", &out, "--depth", "4", "--threads", "1", "--hash", "1"], GAME);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let page = std::fs::read_to_string(&out).unwrap();
    // Three moves on and one back, then the numbers, then the mouse on the second move of the expected play.
    let press = |keys: &[&str], then: &str| {
        let events: String = keys
            .iter()
            .map(|key| format!("document.dispatchEvent(new KeyboardEvent('keydown',{{key:'{key}'}}));"))
            .collect();
        page.replace("</body>", &format!("<script>{events}{then}</script></body>"))
    };
    let Some(dom) = dom_of(&folder, &press(&["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "n"], "")) else {
        return;
    };
    assert!(dom.contains("<body data-turns=\"2\""), "{}", &dom[..400]);
    let record = transcript::parse("f5d6").unwrap();
    for (class, color) in [("sq black", Color::Black), ("sq white", Color::White)] {
        let discs = record.position().discs(color).count() as usize;
        assert_eq!(dom.matches(&format!("class=\"{class}")).count(), discs, "{class}");
    }
    assert!(dom.contains("class=\"sq white placed by-white is-last\" data-square=\"d6\""), "the last disc is marked");
    assert!(dom.contains("class=\"numbers\"") && dom.contains("move 2 of 5"));
    assert!(dom.contains("ada &lt;b&gt;") && !dom.contains("<b>ada"));
    let hover =
        "const moves=document.querySelectorAll('#said .pv b');moves[1].dispatchEvent(new MouseEvent('mouseenter'));";
    let dom = dom_of(&folder, &press(&["Home"], hover)).unwrap();
    assert!(
        dom.contains("<body data-turns=\"0\"") && dom.matches("ghosted").count() >= 2 + page.matches("ghosted").count()
    );
    let dom = dom_of(&folder, &press(&["End"], "")).unwrap();
    assert!(dom.contains("<body data-turns=\"5\"") && !dom.contains("a quiet move</p>"));
    let dom = dom_of(&folder, &press(&["End", "ArrowLeft", "ArrowLeft"], "")).unwrap();
    assert!(dom.contains("a quiet move</p>"), "comments stand where they belong");
}
