//! The committed test set, and the commands around it.

use crate::serve::said;
use emilia::engine::{Engine, EngineOptions, Request};
use emilia::eval::EvaluatorKind;
use emilia::search::SearchDepth;
use emilia::training::{ErrorReport, TEST_EMPTIES, TestSet, TestSetError};
use std::fs;
use std::path::PathBuf;

fn committed() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/testset.obf")
}

fn set() -> TestSet {
    TestSet::parse(&fs::read_to_string(committed()).unwrap()).unwrap()
}

/// Runs `train` with these arguments; exit code, standard output, standard error.
fn train(arguments: &[&str]) -> (i32, String, String) {
    said(&[&["train"], arguments].concat(), "")
}

#[test]
fn every_number_of_empty_squares_is_there_and_the_late_ones_are_certain() {
    let set = set();
    for empties in TEST_EMPTIES {
        let entries: Vec<_> =
            set.positions.iter().filter(|entry| entry.position.empties().count() == empties).collect();
        assert_eq!(entries.len(), 400);
        for entry in entries {
            let certain = matches!(entry.known_by.as_deref(), Some("100%" | "theoretical"));
            assert_eq!(entry.score.is_some(), entry.known_by.is_some());
            assert!(certain || empties > 24, "{entry:?}");
        }
    }
}

#[test]
fn solving_again_gives_the_same_scores() {
    let mut engine = Engine::new(EngineOptions::default());
    for entry in set().positions.iter().filter(|entry| entry.position.empties().count() == 12).step_by(8) {
        let report = engine.start(Request::hint(entry.position, 1)).wait().report;
        assert_eq!(report.depth, SearchDepth::Exact);
        assert_eq!(Some(report.lines[0].score.discs()), entry.score.map(f64::from), "{entry:?}");
    }
}

#[test]
fn mobility_knows_more_than_squares() {
    let set = set();
    let rms = |kind: EvaluatorKind| -> Vec<f64> {
        let report = ErrorReport::measure(kind.to_string(), &*kind.build(), &set);
        report.rows.iter().filter(|row| row.empties <= 24).map(|row| row.rms).collect()
    };
    let (squares, mobility) = (rms(EvaluatorKind::WeightedSquares), rms(EvaluatorKind::Mobility));
    assert_eq!(mobility.len(), 3);
    for (squares, mobility) in squares.iter().zip(&mobility) {
        assert!(mobility + 3.0 < *squares && (10.0..20.0).contains(mobility), "{mobility} and {squares} discs");
    }
}

#[test]
fn a_set_is_labelled_and_reported_by_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.obf");
    let mut small = set();
    small.positions.retain(|entry| entry.position.empties().count() == 12);
    small.positions.truncate(6);
    let whole = small.clone();
    for entry in &mut small.positions {
        (entry.score, entry.known_by) = (None, None);
    }
    small.positions[0].label(emilia::search::Score::from_discs(1), SearchDepth::Plies(3));
    fs::write(&path, small.to_text()).unwrap();
    let file = path.to_str().unwrap();
    // The one that a search of 3 plies has labelled is searched again, the others for the first time.
    let (code, _, stderr) = train(&["testset", "label", file, "--empties", "12,20", "--unless", "9"]);
    assert!(code == 0 && stderr.contains("6 positions searched"), "{stderr}");
    assert_eq!(TestSet::parse(&fs::read_to_string(&path).unwrap()).unwrap(), whole);

    let svg = folder.path().join("errors.svg");
    let evals = ["--eval", "mobility", "--eval", "weighted-squares"];
    let (code, json, _) = train(&[&["report", file, "--json", "--svg", svg.to_str().unwrap()], &evals[..]].concat());
    assert_eq!(code, 0);
    let reports: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&reports[1]["evaluation"], &reports[1]["rows"][0]["positions"]),
        (&"weighted-squares".into(), &6.into())
    );
    let picture = fs::read_to_string(&svg).unwrap();
    assert!(picture.contains("</svg>"));
    let (code, stdout, stderr) = train(&[&["report", file, "--svg", "-"], &evals[..]].concat());
    assert!(code == 0 && stdout == picture && stderr.contains("weighted-squares"), "{stderr}");

    for (arguments, part) in [
        (&["report", file, "--eval", "deep-thought"][..], "expected one of"),
        (&["report", file, "--eval", file], "magic"),
        (&["testset", "draw", file, "--out", file], "there already"),
    ] {
        let (code, _, stderr) = train(arguments);
        assert!(code != 0 && stderr.contains(part), "{part}: {stderr}");
    }
}

#[test]
fn what_is_not_labelled_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.obf");
    let file = path.to_str().unwrap();
    let start = "---------------------------OX------XO--------------------------- X";
    // Lines of a set in another spelling, and problems with the values of their moves.
    for (text, code, told) in [
        (format!("# mine\n{start};% game 1\n"), 0, ""),
        (format!("% FFO\n{start}; F5:+0; % FFO 1\n"), 1, "line 2, column 69: expected the score of the position"),
    ] {
        fs::write(&path, &text).unwrap();
        let (ended, _, stderr) = train(&["testset", "label", file, "--empties", "12", "--threads", "1"]);
        assert!(ended == code && stderr.contains(told), "{stderr}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, "# mine\n").unwrap();
    let (code, _, stderr) = train(&["report", file]);
    assert!(code == 1 && stderr.contains("has no positions"), "{stderr}");
    fs::write(&path, format!("# mine\n{start};% game 1\n")).unwrap();
    let (code, _, stderr) = train(&["report", file]);
    assert!(code == 1 && stderr.contains("no position has a score"), "{stderr}");
    assert_eq!(train(&["testset", "label", file, "--depth", "1", "--threads", "1"]).0, 0);
    let labelled = fs::read_to_string(&path).unwrap();
    assert!(labelled.starts_with(&format!("# mine\n{start}; ")) && labelled.ends_with("% game 1; 1\n"), "{labelled}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_is_not_waited_for_and_gives_no_label() {
    use crate::serve::{SOON, emilia, end_within};
    use rustix::process::{Pid, Signal, kill_process};
    use std::time::Duration;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("set.obf");
    let mut short = set();
    short.positions.retain(|entry| entry.position.empties().count() == 12);
    short.positions.truncate(1);
    let solved = short.to_text();
    (short.positions[0].score, short.positions[0].known_by) = (None, None);
    let start = "---------------------------OX------XO--------------------------- X; % endless\n";
    let unsolved = short.to_text() + start;
    // The first position takes a moment, the other more than a life.
    for patience in (0..6).map(|i| Duration::from_secs(1 << i)) {
        fs::write(&path, &unsolved).unwrap();
        let arguments = ["train", "testset", "label", path.to_str().unwrap(), "--threads", "1", "--hash", "16"];
        let mut label = emilia(&arguments).spawn().unwrap();
        std::thread::sleep(patience);
        kill_process(Pid::from_child(&label), Signal::TERM).unwrap();
        end_within(SOON, &mut label);
        let output = label.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        let found = fs::read_to_string(&path).unwrap();
        // On a busy machine it may not have come so far.
        if found != unsolved {
            assert!(
                output.status.code() == Some(1) && told.contains("interrupted; the same command goes on"),
                "{told}"
            );
            assert_eq!(found, solved + start);
            return;
        }
    }
    panic!("nothing was labelled");
}

#[test]
fn a_search_that_no_label_can_be_of_is_refused() {
    let file = committed();
    let (code, _, told) = train(&["testset", "label", file.to_str().unwrap(), "--empties", "1", "--unless", "20@98"]);
    assert!(
        code == 2 && told.contains("'20@98' is no depth of a search; expected plies such as 12, or 20@98%"),
        "{told}"
    );
}

#[test]
fn a_line_without_its_game_is_refused() {
    let text = fs::read_to_string(committed()).unwrap();
    let line = text.lines().nth(1).unwrap().split('%').next().unwrap();
    assert_eq!(TestSet::parse(line), Err(TestSetError::Comment(1)));
}
