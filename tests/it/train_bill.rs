//! `emilia train bill` from games to a file of coefficients.

use assert_cmd::Command;
use emilia::eval::bill::Coefficients;
use std::path::Path;

fn train(arguments: &[&str], paths: &[(&str, &Path)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.arg("train").args(arguments);
    for (option, path) in paths {
        command.arg(option).arg(path);
    }
    command
}

#[test]
fn games_become_the_same_coefficients_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    let settings = ["--games", "700", "--chunk", "350", "--depth", "1", "--exact", "4", "--random-plies", "30-30"];
    train(&[&["selfplay", "--threads", "1"], &settings[..]].concat(), &[("--out", &games)]).assert().success();
    let learn = |name: &str| {
        let out = folder.path().join(name);
        let output = train(&["bill"], &[("--samples", &games), ("--out", &out)]).assert().success();
        let report = String::from_utf8(output.get_output().stdout.clone()).unwrap();
        (std::fs::read_to_string(out).unwrap(), report)
    };
    let (text, report) = learn("one.toml");
    assert_eq!((text.clone(), report.clone()), learn("two.toml"));
    let learned = Coefficients::parse(&text).unwrap();
    assert!((34..=36).contains(&learned.logistic.first_discs), "{}", learned.logistic.first_discs);
    assert_eq!(learned.provenance.len(), 1);
    assert!(learned.provenance[0].contains("700 games"), "{:?}", learned.provenance);
    assert!(report.starts_with("700 games, "), "{report}");
    assert!(report.contains("44-47") && report.contains("calibration") && report.contains("antisymmetry"), "{report}");
}

#[test]
fn too_few_games_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games");
    train(&["selfplay", "--games", "3", "--chunk", "3", "--depth", "1", "--exact", "2"], &[("--out", &games)])
        .assert()
        .success();
    let output = train(&["bill"], &[("--samples", &games)]).assert().code(1);
    let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(message.contains("expected at least 500"), "{message}");
}
