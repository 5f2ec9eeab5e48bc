//! The papers' experiments in their quick forms, and the command around them.

use crate::convert::file;
use crate::serve::{emilia, kill_after};
use emilia::eval::EvaluatorKind;
use emilia::lab::experiment::{Cell, Experiment, ExperimentError, Findings, Lab, Ledger, Setup, Table};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::AtomicBool;

fn quick(name: &str, setup: Setup) -> Result<Findings, ExperimentError> {
    let interrupt = AtomicBool::new(false);
    let mut last = None;
    let mut observe = |progress| last = Some(progress);
    let setup = Setup { quick: true, ..setup };
    let mut lab = Lab::new(setup, Ledger::in_memory(), &interrupt, &mut observe);
    let found = Experiment::named(name)?.run(&mut lab)?;
    let last = last.expect("every experiment has units");
    assert!(last.done > 0 && last.done <= last.planned && last.left.is_some(), "{name} says how long it takes");
    Ok(found)
}

/// The table without the columns that are times, which differ from run to run.
fn lasting(table: &Table) -> Vec<Vec<Cell>> {
    let is_time = |head: &str| head == "ms" || head.starts_with("ns/") || head.split(' ').next() == Some("time");
    let keep = |row: &Vec<Cell>| {
        let cells = row.iter().zip(&table.columns).filter(|(_, head)| !is_time(head));
        cells.map(|(cell, _)| cell.clone()).collect()
    };
    table.rows.iter().map(keep).collect()
}

#[test]
fn every_experiment_has_a_quick_form_that_repeats() {
    for experiment in Experiment::ALL {
        let found = quick(experiment.name, Setup::default()).unwrap();
        assert!(
            !found.tables.is_empty() && found.tables.iter().all(|table| !table.rows.is_empty()),
            "{}",
            experiment.name
        );
        for table in &found.tables {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", experiment.name);
            assert!(!table.csv().contains("NaN"), "{}", experiment.name);
        }
        for plot in &found.plots {
            assert!(!plot.svg().contains("NaN") && plot.svg().contains("<circle"), "{}", experiment.name);
        }
        // What these tables show is time itself, or games between players that were given time.
        let timed = ["bergman-times", "bergman-heuristic-cost", "budget-curve", "league"];
        if timed.contains(&experiment.name) {
            continue;
        }
        let again = quick(experiment.name, Setup::default()).unwrap();
        for (one, other) in found.tables.iter().zip(&again.tables) {
            assert_eq!(format!("{:?}", lasting(one)), format!("{:?}", lasting(other)), "{}", experiment.name);
        }
    }
}

#[test]
fn another_seed_is_another_run() {
    let run = |seed| quick("korf-random-trees", Setup { seed, ..Setup::default() }).unwrap().tables[0].csv();
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn equal_players_are_even() {
    // At depth 1 best-first and alpha-beta choose the same moves.
    let setup = Setup { levels: vec![1], pairs: Some(30), ..Setup::default() };
    let table = quick("korf-othello-best-first", setup).unwrap().tables.swap_remove(0);
    let won = table.columns.iter().position(|head| head == "score %").unwrap();
    assert_eq!(table.rows[0][won], Cell::Number(50.0, 1));
}

#[test]
fn what_an_experiment_cannot_do_is_refused() {
    let refused = |name, setup| quick(name, setup).unwrap_err().to_string();
    let levels = |levels: &[u32]| Setup { levels: levels.to_vec(), ..Setup::default() };
    assert!(refused("deep-blue", Setup::default()).contains("expected one of: korf-random-trees, bergman-depths"));
    assert!(refused("korf-random-trees", levels(&[0])).contains("from 1 to 255"));
    assert!(refused("korf-othello-best-first", levels(&[8])).contains("from 1 to 7"));
    assert!(refused("uct-othello", levels(&[1])).contains("evaluations from 10"));
    assert!(refused("bergman-times", levels(&[13])).contains("expected largest depth from 1 to 12"));
    assert!(
        refused("bergman-heuristics", levels(&[3, 5])).contains("'3,5' is not valid; expected one number, the depth")
    );
    let openings = Setup { openings: Some("random:99".to_owned()), ..Setup::default() };
    assert!(refused("equal-evaluations", openings).contains("four-ply, classes, or random:N"));
    let opponent = Setup { opponent: Some("engine=deep-blue".to_owned()), ..Setup::default() };
    assert!(refused("budget-curve", opponent).starts_with("opponent: 'engine=deep-blue' is not valid"));
    let player = |words: &str| Setup { players: vec![words.to_owned()], ..Setup::default() };
    assert!(refused("equal-evaluations", player("engine=deep-blue")).contains("korf-alpha-beta"));
    assert!(refused("equal-evaluations", player("cmd=ntest")).contains("no program"));
    assert!(refused("budget-curve", player("engine=uct option.c=-1")).contains("discs from 0"));
    for words in ["depth=1", "nodes=5", "clock=1", "tell-limits=false"] {
        assert!(
            refused("uct-othello", player(&format!("engine=uct {words}"))).contains("no limit of its own"),
            "{words}"
        );
    }
    assert!(refused("uct-othello", player("engine=uct option.threads=2")).contains("one thread"));
    assert!(refused("small-boards", levels(&[16, 17])).contains("levels: '17' is not valid"));
    let error = refused("bergman-nodes", Setup { eval: Some(EvaluatorKind::Iago), ..Setup::default() });
    assert_eq!(
        error,
        "eval: 'iago' is not valid; expected none, because bergman-nodes reads only seed, levels, pairs, openings"
    );
    assert!(
        refused("bergman-nodes", player("engine=uct")).starts_with("player: 'engine=uct' is not valid; expected none")
    );
    let seed = Setup { seed: 5, ..Setup::default() };
    assert!(refused("small-boards", seed).starts_with("seed: '5' is not valid; expected none"));
    let openings = Setup { openings: Some("classes".to_owned()), ..Setup::default() };
    assert!(refused("korf-random-trees", openings).starts_with("openings: 'classes' is not valid; expected none"));
    let alike = ["engine=uct", "engine=uct option.c=0"].map(str::to_owned).to_vec();
    for name in ["uct-othello", "budget-curve", "equal-evaluations"] {
        let error = refused(name, Setup { players: alike.clone(), ..Setup::default() });
        assert!(error.starts_with("player: 'engine=uct option.c=0' is not valid; expected another name"), "{error}");
    }
}

#[test]
fn what_a_player_is_told_counts_more_than_what_the_experiment_has_for_all() {
    let players = ["", "option.start-depth=1", "option.start-depth=3", "option.eval=disc-count"];
    let words = |(i, words): (usize, &&str)| format!("name={i} engine=korf-extension {words}");
    let setup = Setup {
        players: players.iter().enumerate().map(words).collect(),
        levels: vec![3],
        eval: Some(EvaluatorKind::Mobility),
        ..Setup::default()
    };
    let table = quick("equal-evaluations", setup).unwrap().tables.swap_remove(0);
    let rows: Vec<&[Cell]> = table.rows.iter().map(|row| &row[1..]).collect();
    // Two plies less than the opponent's three, if nothing is said.
    assert!(rows[0] == rows[1] && rows[0] != rows[2], "{}", table.csv());
    assert_eq!([rows[0][0].clone(), rows[3][0].clone()], ["mobility", "disc-count"].map(Cell::from));
}

#[test]
fn a_table_of_depths_has_the_deeper_one_first() {
    let setup = Setup { levels: vec![3, 1, 3], ..Setup::default() };
    let table = quick("bergman-depths", setup).unwrap().tables.swap_remove(0);
    assert_eq!(table.rows.len(), 1);
    assert_eq!(table.rows[0][..2], [Cell::from("depth 3"), Cell::from("depth 1")]);
}

#[test]
fn games_from_openings_that_are_images_of_one_another_are_not_counted_twice() {
    let games = |openings: &str| {
        let setup =
            Setup { openings: Some(openings.to_owned()), pairs: Some(200), levels: vec![1, 2], ..Setup::default() };
        quick("bergman-depths", setup).unwrap().tables[0].csv()
    };
    let all = games("four-ply");
    assert!(all == games("classes") && all.contains(",120,"), "{all}");
}

#[test]
fn games_begin_at_the_openings_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let list = file(&folder, "openings.txt");
    std::fs::write(&list, "f5d6c4d3c2b3b4b5\nf5f4e3d6\n").unwrap();
    let setup = Setup {
        openings: Some(list),
        levels: vec![2],
        pairs: Some(5),
        players: vec!["engine=best-first".to_owned()],
        ..Setup::default()
    };
    let table = quick("equal-evaluations", setup).unwrap().tables.swap_remove(0);
    let pairs = table.columns.iter().position(|head| head == "pairs").unwrap();
    assert_eq!(table.rows[0][pairs], Cell::from(2u64));
    // There are fewer classes than pairs asked for.
    let openings = Some("classes".to_owned());
    let setup = Setup { openings, pairs: Some(100), levels: vec![1], ..Setup::default() };
    let title = quick("alpha-beta-saving", setup).unwrap().tables.swap_remove(0).title;
    assert!(title.ends_with("60 boards"), "{title}");
}

fn command(arguments: &[&str], out: &Path) -> Command {
    let mut command = emilia(&["experiment"]);
    command.args(arguments).arg("--out").arg(out);
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_killed_run_goes_on_to_the_same_table() {
    let run = ["korf-random-trees", "--levels", "3", "--pairs", "12", "--seed", "5"];
    let folder = tempfile::tempdir().unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    let expected = command(&run, &whole).output().unwrap();
    assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
    let ledger = killed.join("korf-random-trees.jsonl");
    let lines = || std::fs::read(&ledger).map_or(0, |bytes| bytes.iter().filter(|&&b| b == b'\n').count());
    kill_after(command(&run, &killed), || lines() >= 20);
    assert!(lines() >= 20);
    assert!(!killed.join("korf-random-trees.csv").exists(), "it was killed before its end");

    let refused = command(&run, &killed).output().unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--resume"));
    let mut other = command(&["korf-random-trees", "--levels", "3", "--pairs", "13", "--seed", "5"], &killed);
    let other = other.arg("--resume").output().unwrap();
    assert!(
        String::from_utf8_lossy(&other.stderr).contains("was begun with other settings: pairs was 12, and is now 13")
    );

    let resumed = command(&run, &killed).arg("--resume").output().unwrap();
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    assert_eq!(text(&resumed), text(&expected));
    for file in ["korf-random-trees.csv", "korf-random-trees.json", "korf-random-trees.svg", "korf-random-trees.txt"] {
        assert_eq!(std::fs::read(whole.join(file)).unwrap(), std::fs::read(killed.join(file)).unwrap(), "{file}");
    }
}

#[test]
fn a_run_says_with_which_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("evaluation");
    let run = ["bergman-depths", "--levels", "1,2", "--pairs", "2"];
    let printed = text(&command(&run, &out).output().unwrap());
    let (_, print) = printed.rsplit_once("Run with: weighted-squares ").expect("a fingerprint");
    let print = print.trim();
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("bergman-depths.json")).unwrap()).unwrap();
    assert_eq!(json["evaluations"]["weighted-squares"], print);
    // A whole ledger of another evaluation says so, and one with something left to play is refused.
    let ledger = out.join("bergman-depths.jsonl");
    let number = u32::from_str_radix(print, 16).unwrap();
    let lines = std::fs::read_to_string(&ledger).unwrap();
    assert!(lines.contains(&format!("[\"evaluation weighted-squares\",{number}]")), "{lines}");
    let lines = lines.replace(&number.to_string(), "7");
    std::fs::write(&ledger, &lines).unwrap();
    let shown = text(&command(&run, &out).arg("--resume").output().unwrap());
    assert_eq!(shown.trim_end(), printed.trim_end().replace(print, "00000007"));
    let (without_last, _) = lines.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(&ledger, format!("{without_last}\n")).unwrap();
    let refused = command(&run, &out).arg("--resume").output().unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another weighted-squares: fingerprint 00000007"));
}

#[test]
fn a_run_does_not_go_on_with_other_openings() {
    let folder = tempfile::tempdir().unwrap();
    let (list, out) = (file(&folder, "openings.txt"), folder.path().join("out"));
    let run = ["bergman-depths", "--levels", "1,2", "--openings", &list];
    let output = |openings: &str, more: &[&str]| {
        std::fs::write(&list, openings).unwrap();
        command(&run, &out).args(more).output().unwrap()
    };
    assert!(output("f5d6\n", &[]).status.success());
    assert!(output("f5d6\n", &["--resume"]).status.success());
    let refused = output("f5d6\nf5f6\n", &["--resume"]);
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(&format!("has results with another {list}: fingerprint")), "{stderr}");
}

#[test]
fn the_status_lists_what_was_run_with_another_evaluation() {
    let status = |folder: &Path| emilia(&["experiment", "--status"]).arg(folder).output().unwrap();
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/experiments");
    let output = status(&pages);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The weights of these rows are gone.
    assert!(text(&output).contains("equal-evaluations") && text(&output).contains("not recorded"), "{}", text(&output));
    let output = status(tempfile::tempdir().unwrap().path());
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("korf-random-trees.md"));
    let both = emilia(&["experiment", "korf-tempo", "--status"]).output().unwrap();
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn the_command_refuses_what_it_cannot_do_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    std::fs::write(&nowhere, "a file where a folder should be").unwrap();
    let output = command(&["korf-tempo", "--quick"], &nowhere.join("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("nowhere"));
    let output = command(&["perpetual-motion"], &nowhere).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("bergman-heuristics"));
}
