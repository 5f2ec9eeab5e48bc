//! `emilia train bill` from games to a file of coefficients.

use crate::convert::file;
use crate::serve::said;
use emilia::eval::bill::Coefficients;

#[test]
fn games_become_the_same_coefficients_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let games = file(&folder, "games");
    let settings = ["--games", "700", "--chunk", "350", "--depth", "1", "--exact", "4", "--random-plies", "30-30"];
    let play = [&["train", "selfplay", "--threads", "1", "--out", &games], &settings[..]].concat();
    assert_eq!(said(&play, "").0, 0);
    let learn = |name: &str| {
        let out = file(&folder, name);
        let (code, report, stderr) = said(&["train", "bill", "--samples", &games, "--out", &out], "");
        assert_eq!(code, 0, "{stderr}");
        (std::fs::read_to_string(out).unwrap(), report)
    };
    let (text, report) = learn("one.toml");
    assert_eq!((text.clone(), report.clone()), learn("two.toml"));
    let (_, printed, stderr) = said(&["train", "bill", "--samples", &games, "--out", "-"], "");
    assert!(printed == text && stderr.ends_with(&report), "{stderr}");
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
    let games = file(&folder, "games");
    let settings = ["--games", "3", "--chunk", "3", "--depth", "1", "--exact", "2"];
    assert_eq!(said(&[&["train", "selfplay", "--out", &games], &settings[..]].concat(), "").0, 0);
    let (code, _, stderr) = said(&["train", "bill", "--samples", &games], "");
    assert!(code == 1 && stderr.contains("expected at least 500"), "{stderr}");
    let sample = format!("{games}/000000.samples");
    let (code, _, stderr) = said(&["train", "bill", "--samples", &games, "--out", &sample], "");
    assert!(code == 1 && stderr.contains("is read, and would be replaced"), "{stderr}");
    let nowhere = format!("{games}/none/bill.toml");
    let (code, _, stderr) = said(&["train", "bill", "--samples", &games, "--out", &nowhere], "");
    assert!(code == 1 && stderr.contains("cannot write"), "{stderr}");
}
