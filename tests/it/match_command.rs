//! `emilia match` and `emilia match check` as a user calls them.

use crate::mock_engine::mock;
use crate::serve::{emilia, kill_after, said};
use emilia::arena::log::{GAMES, GGF};
use std::fs;
use std::io::Write;
use std::path::Path;

const EMILIA: &str = env!("CARGO_BIN_EXE_emilia");

/// Runs `match` with these arguments; exit code, standard output, standard error.
fn run(arguments: &[&str]) -> (i32, String, String) {
    said(&[&["match"], arguments].concat(), "")
}

/// Two quick players.
const PLAYERS: &[&str] = &["--player", "name=A depth=1", "--player", "name=B depth=1"];

#[test]
fn a_match_prints_its_report_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("report");
    let out = folder.display().to_string();
    let flat = "name=flat option.eval=disc-count";
    let players = ["--player", "name=deep depth=2", "--player", flat, "--depth", "1", "--pairs", "4", "--out", &out];
    let (code, stdout, stderr) = run(&players);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("deep against flat: 8 games, +"), "{stdout}");
    assert_eq!(fs::read_to_string(folder.join("report.txt")).unwrap(), stdout);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && stdout.contains(" +- ?") && page.contains(" \u{b1} ?"), "{stdout}");
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["pairings"][0]["counts"]["games"], 8);
    // Again without --resume, and with it.
    let (code, _, stderr) = run(&players);
    assert_eq!(code, 1);
    assert!(stderr.contains("--resume"), "{stderr}");
    let (code, again, _) = run(&[&players[..], &["--resume", "--json"]].concat());
    assert_eq!((serde_json::from_str::<serde_json::Value>(&again).unwrap(), code), (report, 0));
    // Pictures of a match that is over.
    let chart = |name: &str| {
        let path = folder.join(name);
        let (code, _, stderr) = run(&[&players[..], &["--resume", "--chart", path.to_str().unwrap()]].concat());
        (fs::read(path), stderr, code)
    };
    let (svg, stderr, code) = chart("chart.svg");
    let svg = String::from_utf8(svg.unwrap()).unwrap();
    assert_eq!((stderr.as_str(), code), ("", 0));
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("Score of deep so far") && !svg.contains("var("), "{svg}");
    let (png, stderr, code) = chart("chart.png");
    match png {
        Ok(png) => assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.len() > 2000),
        Err(_) => assert!(code == 1 && stderr.contains("no font is installed"), "{stderr}"),
    }
    // A report that cannot be written is printed all the same.
    fs::remove_file(folder.join("report.txt")).unwrap();
    fs::create_dir(folder.join("report.txt")).unwrap();
    let (code, stdout, stderr) = run(&[&players[..], &["--resume"]].concat());
    assert!(stdout.starts_with("deep against flat: 8 games, +"), "{stdout}");
    assert!(code == 1 && stderr.contains("report.txt"), "{stderr}");
}

#[test]
fn what_makes_no_sense_is_said_with_what_was_expected() {
    for (arguments, code, part) in [
        (&["--player", "name=A"][..], 1, "at least two players"),
        (&["--player", "name=A depth=1", "--player", "nam=B"], 1, "unknown key 'nam'; expected one of: name, cmd"),
        (&["--sprt", "5,0"], 2, "elo0 (5) must be less than elo1 (0)"),
        (&["--sprt", "5"], 2, "expected ELO0,ELO1"),
        (&["--clock", "5:00"], 2, "expected seconds for the game such as 60"),
        (&["--format", "cup"], 2, "expected round-robin or gauntlet"),
        (&["--chart", "chart.doc"], 2, "expected a name that ends in .svg or .png"),
        (&["--pairs", "2", "--games", "4"], 2, "cannot be used with"),
        (&["--config", "/no/such/file.toml"], 1, "cannot read '/no/such/file.toml'"),
        (&[PLAYERS, &["--resume"]].concat(), 2, "--resume needs --out"),
        (
            &[PLAYERS, &["--openings", "classes", "--opening-plies", "2"]].concat(),
            1,
            "opening-plies: 2 is not valid; expected openings from a file",
        ),
        (&["--opening-plies", "4294967296"], 2, "4294967296 is not in"),
        (&[PLAYERS, &["--in-order"]].concat(), 1, "in-order: true is not valid; expected openings that have an order"),
        (&[PLAYERS, &["--chart", "/no/such/chart.svg"]].concat(), 1, "the folder '/no/such' is not there"),
        (&["check"], 2, "<CMD>"),
        (&["check", "/no/such/engine"], 1, "cannot start '/no/such/engine'"),
        (
            &["check", "sh -c true", "--dir", "/no/such"],
            1,
            "cannot start 'sh': expected a folder to run in, found none at '/no/such'",
        ),
        (&["check", "x", "--protocol", "uci"], 1, "expected gtp, nboard or detect"),
    ] {
        let (got, stdout, stderr) = run(arguments);
        assert_eq!((got, stdout.as_str()), (code, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_new_match_replaces_no_file() {
    let place = tempfile::tempdir().unwrap();
    let match_in = |folder: &Path| [PLAYERS, &["--pairs", "1", "--out", folder.to_str().unwrap()]].concat().join("\n");
    for name in ["games.ggf", "report.txt", "report.json", "report.html"] {
        let folder = place.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(name), "mine").unwrap();
        let words = match_in(&folder);
        let words: Vec<&str> = words.lines().collect();
        for words in [words.clone(), [&words[..], &["--resume"]].concat()] {
            let (code, _, stderr) = run(&words);
            assert!(code == 1 && stderr.contains(&format!("{name}' is there")), "{stderr}");
        }
        let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!((left, fs::read_to_string(folder.join(name)).unwrap().as_str()), (vec![name.into()], "mine"));
    }
}

#[test]
fn a_match_that_is_over_needs_no_engine() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let mock = mock("");
    fs::copy(mock.trim().trim_matches('\''), at("engine")).unwrap();
    let (first, out) = (format!("name=A cmd=\"'{}' gtp\" tell-limits=false", at("engine")), at("out"));
    let play = |more: &[&str]| run(&[&["--player", &first, PLAYERS[2], PLAYERS[3], "--out", &out], more].concat());
    let (code, report, stderr) = play(&["--pairs", "2"]);
    assert_eq!((stderr.as_str(), code), ("", 0));
    fs::remove_file(at("engine")).unwrap();
    assert_eq!(play(&["--pairs", "2", "--resume"]), (0, report, String::new()));
    let (code, _, stderr) = play(&["--pairs", "3", "--resume"]);
    assert!(code == 1 && stderr.contains("player A: cannot start"), "{stderr}");
    // Fewer games than there are.
    let kept = fs::read(place.path().join("out/report.txt")).unwrap();
    let (code, _, stderr) = play(&["--pairs", "1", "--resume"]);
    assert!(code == 1 && stderr.contains("the folder has 4 games, more than the 2"), "{stderr}");
    assert_eq!(fs::read(place.path().join("out/report.txt")).unwrap(), kept);
    // By an Emilia of another version it is reported, as what it is, but not gone on with.
    let (games, own) = (place.path().join("out").join(GAMES), format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION")));
    let log = fs::read_to_string(&games).unwrap();
    assert!(log.contains(&own), "{log}");
    fs::write(&games, log.replace(&own, "\"version\":\"0.0.0\"")).unwrap();
    let (code, report, stderr) = play(&["--pairs", "2", "--resume", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!((code, stderr.as_str(), &report["terms"]["version"]), (0, "", &"0.0.0".into()));
    let (code, _, stderr) = play(&["--pairs", "3", "--resume"]);
    assert!(code == 1 && stderr.contains("version was \"0.0.0\", and is now"), "{stderr}");
}

#[test]
fn a_failure_is_said_at_once_and_a_clock_of_a_game_runs_out() {
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("log").display().to_string();
    let first = format!("name=M protocol=gtp cmd=\"{}\"", mock("gtp hang@2"));
    let players = ["--player", &first, "--player", "name=E depth=1"];
    let (code, report, stderr) = run(&[&players[..], &["--clock", "1+1", "--pairs", "1", "--log-file", &log]].concat());
    assert_eq!(code, 0, "{stderr}");
    assert!(report.contains("time 2") && report.contains("  game 0: M: time: no move within the "), "{report}");
    // The second failure of a kind is not told.
    let warning = "emilia: warning: game 0: M: time: no move within the ";
    assert!(stderr.starts_with(warning) && stderr.lines().count() == 1, "{stderr}");
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.contains("M < time_settings 1 0 0\n") && log.contains("M < time_left black 1 0\n"), "{log}");
}

#[test]
fn a_chart_that_cannot_be_written_hides_no_end() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (out, chart) = (at("out"), at("chart.svg"));
    fs::create_dir_all(place.path().join("chart.svg")).unwrap();
    fs::create_dir_all(place.path().join("out")).unwrap();
    let arguments = [PLAYERS, &["--pairs", "2", "--sprt", "-5,0", "--out", &out, "--chart", &chart]].concat();
    let (code, report, stderr) = run(&arguments);
    assert!(code == 1 && report.starts_with("A against B: 4 games"), "{report}");
    let (end, problem) = (stderr.find("the test is undecided after all 4 games"), stderr.find("chart.svg"));
    assert!(end.is_some() && end < problem, "{stderr}");
}

#[test]
fn a_test_may_have_negative_hypotheses_and_says_when_it_is_undecided() {
    let (code, _, stderr) = run(&[PLAYERS, &["--pairs", "1", "--sprt", "-5,0"]].concat());
    assert_eq!(stderr, "emilia: warning: the test is undecided after all 2 games; more --pairs may decide it\n");
    assert_eq!(code, 0);
}

#[test]
fn the_command_line_has_the_last_word_and_equal_settings_are_equal() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name).display().to_string();
    let (config, out) = (at("match.toml"), at("out"));
    let settings = "openings = 'classes'\nin-order = true\nreproducible = true\npairs = 1\n";
    let players = "[[player]]\nname = 'A'\ndepth = 1\noption = { hash = 16 }\n[[player]]\nname = 'B'\ndepth = 1\n";
    fs::write(&config, format!("{settings}{players}")).unwrap();
    // How many games there are is one setting, in games or in pairs.
    let always = ["--config", &config, "--games", "4", "--json", "--out", &out];
    let begun = run(&[&always[..], &["--in-order=false", "--reproducible=false"]].concat());
    let report: serde_json::Value = serde_json::from_str(&begun.1).unwrap();
    assert_eq!(report["games"], 4);
    assert_eq!((&report["terms"]["in-order"], &report["terms"]["reproducible"]), (&false.into(), &false.into()));
    fs::write(&config, settings.replace("true", "false")).unwrap();
    let resumed = |hash: &str| {
        let first = format!("name=A depth=1 option.hash={hash}");
        run(&[&always[..], &["--player", &first, PLAYERS[2], PLAYERS[3], "--resume"]].concat())
    };
    assert_eq!(resumed("16"), begun);
    // A player takes the place of the file's one of that name.
    fs::write(&config, format!("{}{players}", settings.replace("true", "false"))).unwrap();
    assert_eq!(resumed("16"), begun);
    let (code, _, stderr) = resumed("32");
    assert!(code == 1 && stderr.ends_with("player A: option.hash was \"16\", and is now \"32\"\n"), "{stderr}");
}

#[test]
fn what_an_engine_says_is_shown_in_one_short_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    let first = format!("name=M cmd=\"{}\" tell-limits=false", mock("gtp codes@2"));
    let (code, report, _) = run(&["--player", &first, PLAYERS[2], PLAYERS[3], "--pairs", "1", "--out", &out]);
    assert!(code == 0 && report.contains("M: protocol: expected a square"), "{report}");
    let (_, checked, _) = run(&["check", &mock("gtp codes@1")]);
    assert!(checked.contains("FAILED  genmove plays its move"), "{checked}");
    let file = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    for text in [report, checked, file("report.txt"), file("games.jsonl"), file("games.ggf")] {
        assert!(text.contains("[31mred") && text.len() < 20_000, "{} bytes", text.len());
        assert!(
            !text.contains(|c: char| c.is_control() && c != '\n') && !text.contains("\nx") && !text.contains("\\u001b")
        );
    }
}

#[test]
fn a_match_that_is_killed_again_and_again_ends_with_the_same_log() {
    let first = format!("name=A cmd=\"'{EMILIA}' gtp --depth 2 --threads 1\" tell-limits=false");
    let second = format!("name=B cmd=\"{}\" tell-limits=false", mock("nboard last"));
    let command = |folder: &Path, concurrency: &str| {
        let mut command = emilia(&["match", "--player", &first, "--player", &second, "--concurrency", concurrency]);
        command.args(["--openings", "classes", "--pairs", "40", "--resume", "--reproducible", "--out"]).arg(folder);
        command
    };
    let plays_on = |folder: &Path, concurrency| command(folder, concurrency).output().unwrap().status.success();
    let folder = tempfile::tempdir().unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    assert!(plays_on(&whole, "1"));
    let expected = fs::read_to_string(whole.join(GAMES)).unwrap();
    assert_eq!(expected.lines().count(), 81);

    let finished = |folder: &Path| fs::read_to_string(folder.join(GAMES)).map_or(0, |log| log.lines().count());
    for kill in 1..=20 {
        kill_after(command(&killed, "2"), || finished(&killed) >= 3 * kill);
        // What a kill in the middle of a write leaves behind.
        let mut log = fs::File::options().append(true).open(killed.join(GAMES)).unwrap();
        log.write_all(b"{\"game\":9,\"pai").unwrap();
    }
    assert!(plays_on(&killed, "2"));
    assert!(fs::read_to_string(killed.join(GAMES)).unwrap() == expected);
    assert_eq!(fs::read(killed.join(GGF)).unwrap(), fs::read(whole.join(GGF)).unwrap());
}

/// The results of `match check` by check, and the exit code.
fn check(command: &str, protocol: &str, timeout: &str) -> (Vec<(String, String)>, i32) {
    let (code, stdout, stderr) =
        run(&["check", command, "--json", "--reply-timeout", timeout, "--move-timeout", timeout]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
    assert_eq!(report["protocol"], protocol, "{command}");
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let findings = report["findings"].as_array().unwrap();
    (findings.iter().map(|finding| (text(&finding["check"]), text(&finding["result"]))).collect(), code)
}

#[test]
fn emilia_keeps_to_both_protocols() {
    for (words, protocol, count) in [("gtp --depth 3", "GTP", 22), ("nboard --depth 3", "NBoard", 20)] {
        let (findings, code) = check(&format!("'{EMILIA}' {words}"), protocol, "60");
        assert_eq!(findings.len(), count);
        let failed: Vec<_> = findings.iter().filter(|(_, result)| result != "passed").collect();
        assert!(failed.is_empty() && code == 0, "{protocol}: {failed:?}");
    }
}

#[test]
fn what_an_engine_does_wrong_is_found() {
    let failed = |arguments: &str, protocol: &str, timeout: &str| {
        let (findings, code) = check(&mock(arguments), protocol, timeout);
        assert_eq!(code, 1, "{arguments}");
        findings.into_iter().filter(|(_, result)| result == "failed").map(|(check, _)| check).collect::<Vec<_>>()
    };
    let plain = failed("gtp", "GTP", "60");
    for (quirk, found) in [
        ("stale-id", "numbers, comments, blanks and line ends"),
        ("chatter", "commands are listed"),
        ("explicit-passes", "passes that are not mentioned"),
        ("lie@2", "genmove plays its move"),
        ("crash@2", "genmove plays its move"),
        ("immortal", "quit"),
    ] {
        let timeout = if quirk == "immortal" { "2" } else { "60" };
        let found = found.to_owned();
        assert!(!plain.contains(&found), "{found}");
        assert!(failed(&format!("gtp {quirk}"), "GTP", timeout).contains(&found), "{quirk}");
    }
    // An engine may take long to load, also when it is started again.
    let slow = mock("gtp slow-start");
    let (_, report, _) = run(&["check", &slow, "--protocol", "gtp", "--reply-timeout", "1", "--move-timeout", "60"]);
    assert!(report.contains("ok      end of input while thinking\n"), "{report}");
    // The mock engine gives no hints: they are waited for in vain.
    for (quirk, found) in [
        ("wrong-pong", "ping without a greeting"),
        ("chatter", "unknown commands are ignored"),
        ("lie@1", "go answers a legal move and does not play it"),
        ("immortal", "end of input"),
    ] {
        assert!(failed(&format!("nboard {quirk}"), "NBoard", "1").contains(&found.to_owned()), "{quirk}");
    }
}
