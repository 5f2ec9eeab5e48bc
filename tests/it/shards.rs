//! Work in pieces: `--shard` and `emilia merge`, `--out` and `--resume`, and what kills may not do to them.

use crate::convert::file;
use crate::game_file::gzip;
use crate::games::random_game;
use crate::serve::{answers, emilia, json_lines, kill_after, run, said};
use emilia::notation::transcript::Transcript;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Runs a command that succeeds and says nothing but its output.
fn output_of(arguments: &[&str]) -> String {
    answers(arguments, "")
}

/// Files of games, queries and positions, each with something in it that makes no sense.
fn inputs(folder: &TempDir, count: u64) -> [String; 3] {
    let games: Vec<_> = (0..count).map(random_game).collect();
    let transcripts: String = games.iter().map(|game| format!("{}\n", Transcript(game))).collect();
    let queries: String = games
        .iter()
        .enumerate()
        .map(|(id, game)| {
            let turns = if id % 3 == 0 { r#","turns":[30,9,50]"# } else { "" };
            format!("{{\"id\":{id},\"moves\":\"{}\",\"depth\":4{turns}}}\n", Transcript(game))
        })
        .collect();
    let near_the_end = games.iter().filter_map(|game| game.positions().iter().find(|p| p.empties().count() == 8));
    let positions: String = near_the_end.map(|position| format!("{position}; +2;\n")).collect();
    let contents = [format!("nonsense\n{transcripts}"), format!("{{}}\n{queries}\nnonsense"), positions + "nonsense\n"];
    let files = ["games.txt", "queries.jsonl", "positions.obf"].map(|name| file(folder, name));
    files.iter().zip(contents).for_each(|(path, content)| fs::write(path, content).unwrap());
    files
}

/// Lines without order, and without what depends on the clock.
fn results(text: &str) -> BTreeSet<String> {
    let timeless = |mut value: serde_json::Value| {
        let object = value.as_object_mut().unwrap();
        object.remove("seconds");
        object.remove("number");
        // What a table remembers is another thing in another part.
        object.remove("nodes");
        value.to_string()
    };
    json_lines(text).into_iter().filter(|value| value["totals"].is_null()).map(timeless).collect()
}

#[test]
fn parts_put_together_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let [games, queries, positions] = inputs(&folder, 8);
    for (command, name) in [
        (vec!["analyze", &games, "--json", "--depth", "2", "--reproducible", "--hash", "1"], "games"),
        (vec!["analyze", &queries, "--reproducible", "--hash", "1", "--threads", "2"], "queries"),
    ] {
        let whole = output_of(&command);
        let parts: Vec<String> = (0..3)
            .map(|i| {
                let (part, shard) = (file(&folder, &format!("{name}-{i}")), format!("{i}/3"));
                fs::write(&part, output_of(&[&command[..], &["--shard", &shard]].concat())).unwrap();
                part
            })
            .collect();
        let merged = output_of(&["merge", &parts[2], &parts[0], &parts[1]]);
        assert_eq!(merged.lines().count(), whole.lines().count());
        assert_eq!(results(&merged), results(&whole), "{name}");
        let numbers: Vec<u64> = json_lines(&merged).iter().map(|line| line["number"].as_u64().unwrap()).collect();
        assert!(numbers.is_sorted(), "{name}: {numbers:?}");
        if name == "games" {
            assert_eq!(merged, whole);
        }
        let out = file(&folder, "merged");
        assert_eq!(output_of(&["merge", "--out", &out, &parts[0], &parts[1], &parts[2]]), "");
        assert_eq!(fs::read_to_string(&out).unwrap(), merged);
        let packed = file(&folder, "packed.gz");
        fs::write(&packed, gzip(&fs::read(&parts[1]).unwrap())).unwrap();
        assert_eq!(output_of(&["merge", &parts[0], &packed, &parts[2]]), merged);
    }
    // The file is wrong about most positions, and one of its lines is none.
    let solve = |shard: &[&str]| {
        let (code, stdout, stderr) = said(&[&["solve", &positions, "--json", "--hash", "1"], shard].concat(), "");
        assert!((0..=2).contains(&code), "{stderr}");
        stdout
    };
    let whole = solve(&[]);
    let parts: Vec<String> = (0..2)
        .map(|i| {
            let part = file(&folder, &format!("solve-{i}"));
            fs::write(&part, solve(&["--shard", &format!("{i}/2")])).unwrap();
            part
        })
        .collect();
    let merged = output_of(&["merge", &parts[0], &parts[1]]);
    let errors: Vec<&str> = merged.lines().filter(|line| line.contains("\"error\"")).collect();
    assert_eq!(errors.len(), 1, "{merged}");
    assert!(merged.lines().count() == whole.lines().count() + 1);
    let totals = |text: &str| {
        let line: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        ["positions", "solved", "checked", "contradicted", "unreadable"].map(|name| line["totals"][name].as_u64())
    };
    assert_eq!(totals(&merged), totals(&whole));
    assert_eq!(totals(&whole)[4], Some(1));
}

#[test]
fn gaps_overlaps_and_other_jobs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [games, queries, _] = inputs(&folder, 4);
    let part = |name: &str, arguments: &[&str]| {
        let part = file(&folder, name);
        fs::write(&part, output_of(&[&["analyze", "--depth", "1", "--hash", "1"], arguments].concat())).unwrap();
        part
    };
    let first = part("first", &[&games, "--shard", "0/2"]);
    let second = part("second", &[&games, "--shard", "1/2"]);
    let deeper = part("deeper", &[&games, "--shard", "1/2", "--exact", "4"]);
    let other = part("other", &[&queries, "--shard", "1/2"]);
    let [with_book, without] = [("0/2", "builtin"), ("1/2", "none")]
        .map(|(i, book)| part(&format!("of-{book}"), &[&queries, "--shard", i, "--book", book]));
    let third = part("third", &[&games, "--shard", "2/3"]);
    let torn = file(&folder, "torn");
    let text = fs::read_to_string(&second).unwrap();
    fs::write(&torn, &text[..text.trim_end().rfind('\n').unwrap()]).unwrap();
    let plain = file(&folder, "plain");
    fs::write(&plain, output_of(&["analyze", &games, "--depth", "1", "--json"])).unwrap();
    let out = file(&folder, "out");
    for (files, part) in [
        (vec![&first], "gap: shard 1/2 is missing"),
        (vec![&first, &second, &first], "overlap: shard 0/2 is in"),
        (vec![&first, &torn], "torn': shard 1/2 is not complete; run it again"),
        (vec![&first, &deeper], "not of one job: exact is 4 and 0"),
        (vec![&first, &other], "not of one job: command is analyze queries and analyze games"),
        (vec![&with_book, &without], r#"not of one job: book is "none" and "builtin""#),
        (vec![&first, &third], "number of shards is 3 and 2"),
        (vec![&first, &plain], "expected the beginning of a shard"),
        (vec![&file(&folder, "none")], "cannot read"),
    ] {
        let files: Vec<&str> = files.into_iter().map(String::as_str).collect();
        let (code, stdout, stderr) = said(&[&["merge", "--out", &out], &files[..]].concat(), "");
        assert_eq!((code, stdout.as_str()), (1, ""));
        assert!(stderr.contains(part), "{part}: {stderr}");
        assert!(!Path::new(&out).exists());
    }
    let (code, _, stderr) = said(&["merge", &first, &second, "--out", &second], "");
    assert!(code == 1 && stderr.contains("second' is read, and would be replaced"), "{stderr}");
    assert_eq!(fs::read_to_string(&second).unwrap(), text);
}

#[test]
fn work_that_is_killed_again_and_again_ends_with_the_same_results() {
    let folder = tempfile::tempdir().unwrap();
    let [games, queries, _] = inputs(&folder, 60);
    for (input, name, choice) in
        [(&games, "games", &[][..]), (&games, "some-games", &["--game", "3-50"]), (&queries, "queries", &[])]
    {
        let [whole, killed] = ["whole", "killed"].map(|kind| file(&folder, &format!("{name}-{kind}")));
        let command = |out: &str| {
            let limits = ["--depth", "2", "--reproducible", "--hash", "1", "--threads", "2", "--json"];
            let arguments = [&["analyze", input], &limits[..], choice, &["--out", out, "--resume"]].concat();
            emilia(&arguments)
        };
        assert!(run(command(&whole), "").status.success());
        let partial = format!("{killed}.partial");
        let lines = || fs::read(&partial).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count());
        let mut before = 0;
        for _ in 0..10 {
            kill_after(command(&killed), || lines() > before + 2);
            let after = lines();
            assert!(after >= before || after == 0, "results were lost");
            before = after;
        }
        assert!(run(command(&killed), "").status.success());
        let [whole, killed] = [whole, killed].map(|path| fs::read_to_string(path).unwrap());
        assert!(!whole.is_empty() && !whole.contains("\"shard\""));
        assert_eq!(killed.lines().count(), whole.lines().count());
        assert_eq!(results(&killed), results(&whole));
        assert!(!Path::new(&partial).exists());
        if name != "queries" {
            assert_eq!(killed, whole);
        }
    }
}

#[test]
fn solutions_are_gone_on_with_and_counted_again() {
    let folder = tempfile::tempdir().unwrap();
    let [_, _, positions] = inputs(&folder, 6);
    let solve = |out: &str, more: &[&str]| {
        let settings = ["solve", &positions, "--json", "--reproducible", "--threads", "1", "--hash", "1", "--out", out];
        let (code, stdout, stderr) = said(&[&settings[..], more].concat(), "");
        assert!((0..=2).contains(&code) && stdout.is_empty(), "{stderr}");
        fs::read_to_string(out).unwrap()
    };
    let whole = solve(&file(&folder, "whole"), &[]);
    assert!(!whole.contains("seconds"), "{whole}");
    let parts = ["0/2", "1/2"].map(|shard| {
        let part = file(&folder, &shard.replace('/', "-"));
        (solve(&part, &["--shard", shard]), part)
    });
    assert_eq!(output_of(&["merge", &parts[1].1, &parts[0].1]), whole);
    // Killed in the middle of a line: of a part, and of the whole.
    let begin = parts[0].0.split_inclusive('\n').next().unwrap();
    let two: String = parts[0].0.split_inclusive('\n').take(3).collect();
    let again = file(&folder, "again");
    fs::write(format!("{again}.partial"), two + "{\"number\":5,\"li").unwrap();
    assert_eq!(solve(&again, &["--shard", "0/2", "--resume"]), parts[0].0);
    let three: String = whole.split_inclusive('\n').take(3).collect();
    let again = file(&folder, "whole-again");
    fs::write(format!("{again}.partial"), begin.replace("0/2", "0/1") + &three).unwrap();
    assert_eq!(solve(&again, &["--resume"]), whole);
    assert_eq!(solve(&again, &["--resume"]), whole, "what is complete stays");
    // The file has scores that are wrong. To find nothing left to do is no reason to forget that.
    let settings = ["solve", &positions, "--json", "--reproducible", "--threads", "1", "--hash", "1", "--resume"];
    let (code, _, stderr) = said(&[&settings[..], &["--out", &again]].concat(), "");
    assert!(code == 1 && stderr.contains("does not say with which settings it was made; nothing was done"), "{stderr}");
}

#[test]
fn an_interrupted_file_is_not_overwritten_by_chance() {
    let folder = tempfile::tempdir().unwrap();
    let [games, ..] = inputs(&folder, 2);
    let out = file(&folder, "out");
    let refused = |arguments: &[&str]| {
        let (code, _, stderr) = said(&[&["analyze", &games, "--depth", "1"], arguments].concat(), "");
        assert_ne!(code, 0);
        stderr
    };
    output_of(&["analyze", &games, "--depth", "1", "--shard", "0/2", "--out", &out]);
    fs::rename(&out, format!("{out}.partial")).unwrap();
    assert!(refused(&["--shard", "0/2", "--out", &out]).contains("add --resume to go on with it"));
    assert!(refused(&["--shard", "1/2", "--out", &out, "--resume"]).contains("the shard was 0/2, and is now 1/2"));
    assert!(
        refused(&["--exact", "3", "--shard", "0/2", "--out", &out, "--resume"]).contains("exact was 0, and is now 3")
    );
    assert!(refused(&["--resume"]).contains("--out"));
    let other = file(&folder, "other");
    assert!(refused(&["--game", "99", "--out", &other]).contains("there is no game with such a number"));
    assert!(!Path::new(&format!("{other}.partial")).exists(), "nothing was begun");
    assert!(refused(&["--csv", "--out", &out, "--resume"]).contains("--resume needs --json"));
    assert!(refused(&["--csv", "--shard", "0/2"]).contains("--shard needs --json"));
    assert!(refused(&["--out", "/no/such/folder/out"]).contains("/no/such/folder/out"));
    let content = fs::read_to_string(&games).unwrap();
    fs::write(&games, content.replace("nonsense", "f5")).unwrap();
    assert!(refused(&["--shard", "0/2", "--out", &out, "--resume"]).contains("other settings: input was"));
    fs::write(&games, content).unwrap();
    output_of(&["analyze", &games, "--depth", "1", "--shard", "0/2", "--out", &out, "--resume"]);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.lines().last().unwrap().contains("\"end\""));
    // Complete: nothing is done again.
    let before = fs::metadata(&out).unwrap().modified().unwrap();
    output_of(&["analyze", &games, "--depth", "1", "--shard", "0/2", "--out", &out, "--resume"]);
    assert_eq!(fs::metadata(&out).unwrap().modified().unwrap(), before);
    assert!(
        refused(&["--exact", "3", "--shard", "0/2", "--out", &out, "--resume"]).contains("exact was 0, and is now 3")
    );
}

#[test]
fn a_match_is_played_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let players = ["match", "--player", "name=deep depth=2", "--player", "name=flat", "--depth", "1", "--pairs", "7"];
    let terms = [&players[..], &["--seed", "3", "--reproducible"]].concat();
    let whole = file(&folder, "whole");
    let report = output_of(&[&terms[..], &["--out", &whole]].concat());
    let parts: Vec<String> = (0..3)
        .map(|i| {
            let (part, shard) = (file(&folder, &format!("part-{i}")), format!("{i}/3"));
            output_of(&[&terms[..], &["--out", &part, "--shard", &shard]].concat());
            part
        })
        .collect();
    let merged = file(&folder, "merged");
    let merge = |parts: &[&String]| {
        let parts: Vec<&str> = parts.iter().map(|part| part.as_str()).collect();
        run(emilia(&[&["merge", "--out", &merged], &parts[..]].concat()), "")
    };
    let refused = |parts: &[&String], part: &str| {
        let output = merge(parts);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && stderr.contains(part), "{part}: {stderr}");
        assert!(!Path::new(&merged).exists());
    };
    refused(&[&parts[0], &parts[2]], "gap: shard 1/3 is missing");
    refused(&[&parts[0], &parts[2], &parts[0]], "overlap: shard 0/3 is in");
    refused(&[&parts[0], &whole], "number of shards is 1 and 3");
    // A part that was killed early, and is then gone on with.
    let log = format!("{}/games.jsonl", parts[1]);
    let complete = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = complete.split_inclusive('\n').collect();
    fs::write(&log, lines[..2].concat()).unwrap();
    refused(&[&parts[0], &parts[1], &parts[2]], "gap: game 3 is missing; its shard, 1/3, is not complete");
    output_of(&[&terms[..], &["--out", &parts[1], "--shard", "1/3", "--resume"]].concat());
    assert_eq!(fs::read_to_string(&log).unwrap(), complete);

    // What is in the folder already is not touched.
    fs::create_dir(&merged).unwrap();
    fs::write(format!("{merged}/games.ggf"), "my games").unwrap();
    let stderr = String::from_utf8(merge(&[&parts[0], &parts[1], &parts[2]]).stderr).unwrap();
    assert!(stderr.contains("games.ggf is there already"), "{stderr}");
    fs::remove_dir_all(&merged).unwrap();

    let output = merge(&[&parts[2], &parts[0], &parts[1]]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "14 games\n");
    let games = |folder: &str| fs::read_to_string(format!("{folder}/games.jsonl")).unwrap();
    assert_eq!(games(&merged), games(&whole));
    assert_eq!(output_of(&[&terms[..], &["--out", &merged, "--resume"]].concat()), report);
    let output = run(emilia(&[&terms[..], &["--shard", "0/2"]].concat()), "");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("shard: 0/2 is not valid; expected out too"),
        "a part that is nowhere cannot be merged: {stderr}"
    );
    // The folder may be named in a file.
    let (settings, part) = (file(&folder, "settings.toml"), file(&folder, "part-of-two"));
    fs::write(&settings, format!("out = '{part}'")).unwrap();
    output_of(&[&terms[..], &["--config", &settings, "--shard", "0/2"]].concat());
    assert_eq!(games(&part).lines().count(), 1 + 8);
}

#[test]
fn the_openings_of_a_part_may_be_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let openings = ["openings.txt", "copied.txt"].map(|name| file(&folder, name));
    openings.iter().for_each(|path| fs::write(path, "f5d6c3\nf5f6e6\n").unwrap());
    let play = |openings: &str, more: &[&str]| {
        let players = ["match", "--player", "name=A", "--player", "name=B", "--depth", "1", "--openings", openings];
        said(&[&players[..], more].concat(), "")
    };
    let parts = ["0/2", "1/2"].map(|shard| {
        let part = file(&folder, &shard.replace('/', "-"));
        assert_eq!(play(&openings[1], &["--out", &part, "--shard", shard]).0, 0);
        part
    });
    let merged = file(&folder, "merged");
    output_of(&["merge", "--out", &merged, &parts[0], &parts[1]]);
    let (code, report, stderr) = play(&openings[0], &["--out", &merged, "--resume"]);
    assert!(code == 0 && report.starts_with("A against B: 4 games"), "{stderr}");
    fs::write(&openings[0], "f5d6c3\nf5f6d3\n").unwrap();
    let (code, _, stderr) = play(&openings[0], &["--out", &merged, "--resume"]);
    assert!(code == 1 && stderr.contains("openings-checksum was \""), "{stderr}");
}

/// The scripts for Slurm run here as Slurm would run them, one task after the other.
#[cfg(unix)]
#[test]
fn the_tasks_of_a_slurm_array_make_the_whole() {
    if std::process::Command::new("bash").arg("--version").output().is_err() {
        eprintln!("skipped: there is no bash");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [games, ..] = inputs(&folder, 3);
    let parts = file(&folder, "parts");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/slurm_array");
    let options = ["--depth", "1", "--reproducible", "--hash", "1"];
    let task = |id: &str, count: &str, last: &str, shards: Option<&str>| {
        let mut command = std::process::Command::new("bash");
        command.arg(script).args([&parts, "analyze", &games]).args(options).env("EMILIA", env!("CARGO_BIN_EXE_emilia"));
        command.envs([("SLURM_ARRAY_TASK_ID", id), ("SLURM_ARRAY_TASK_COUNT", count), ("SLURM_ARRAY_TASK_MIN", "0")]);
        command.env("SLURM_ARRAY_TASK_MAX", last).env_remove("SHARDS").envs(shards.map(|shards| ("SHARDS", shards)));
        command.output().unwrap().status.code()
    };
    assert_eq!(task("0", "2", "1", None), Some(0));
    // Task 1 alone: only whoever submits it knows of how many.
    assert_eq!(task("1", "1", "1", None), Some(2));
    assert_eq!(task("1", "1", "1", Some("2")), Some(0));
    let [first, second] = ["part-0.jsonl", "part-1.jsonl"].map(|name| format!("{parts}/{name}"));
    let merged = output_of(&["merge", &first, &second]);
    assert_eq!(merged, output_of(&[&["analyze", &games, "--json"], &options[..]].concat()));
}
