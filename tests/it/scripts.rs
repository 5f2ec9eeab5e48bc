//! The scripts for many machines, with stand-ins for the programs that they need, and what scripts refuse.
#![cfg(unix)]

use crate::convert::file;
use crate::serve::answers;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use tempfile::TempDir;

/// Runs each part here, in a folder of its own as GNU parallel does it. With STOP it ends who asked after the first part.
const PARALLEL: &str = r#"#!/usr/bin/env bash
for command; do :; done
mkdir elsewhere
cd elsewhere
while read -r part; do
  PARALLEL_SSHLOGIN=: bash -c "${command//\{\}/$part}" < /dev/null
  if [ -n "${STOP:-}" ]; then
    kill "$PPID"
    exec sleep 60
  fi
done
"#;

/// Runs a script with variables; its exit code and what it says on the standard error. `None`, with a message, without bash.
fn script(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Option<(Option<i32>, String)> {
    let mut command = Command::new("bash");
    command.arg(format!("{}/scripts/{name}", env!("CARGO_MANIFEST_DIR"))).args(arguments);
    command.env("EMILIA", env!("CARGO_BIN_EXE_emilia")).envs(variables.iter().copied());
    let Ok(output) = command.output() else {
        eprintln!("skipped: there is no bash");
        return None;
    };
    Some((output.status.code(), String::from_utf8(output.stderr).unwrap()))
}

/// A `PATH` where the first `cargo` fails: what is to be refused must not build anything.
fn path_without_cargo(folder: &TempDir) -> String {
    let programs = file(folder, "no-cargo");
    fs::create_dir(&programs).unwrap();
    let cargo = format!("{programs}/cargo");
    fs::write(&cargo, "#!/bin/sh\nexit 9\n").unwrap();
    fs::set_permissions(&cargo, PermissionsExt::from_mode(0o755)).unwrap();
    format!("{programs}:{}", std::env::var("PATH").unwrap())
}

/// A file of three games.
fn games(folder: &TempDir) -> String {
    let games = file(folder, "games.txt");
    fs::write(&games, "f5d6c3\nf5f6e6f4\nf5f4\n").unwrap();
    games
}

#[test]
fn what_machines_have_done_makes_the_whole_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let games = games(&folder);
    let programs = file(&folder, "programs");
    fs::create_dir(&programs).unwrap();
    for (name, text) in [("parallel", PARALLEL), ("ssh", "#!/bin/sh\n"), ("rsync", "#!/bin/sh\n")] {
        let path = format!("{programs}/{name}");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let (hosts, out) = (file(&folder, "hosts"), file(&folder, "out.jsonl"));
    fs::write(&hosts, ":\n").unwrap();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let share = |parts: &str, depth: &str, stop: &str| {
        let options = ["--json", "--depth", depth, "--reproducible", "--hash", "1"];
        let arguments = [&[hosts.as_str(), parts, &out, "analyze", &games][..], &options].concat();
        script("parallel_ssh", &arguments, &[("PATH", &path), ("STOP", stop)])
    };
    let Some((code, stderr)) = share("0", "1", "") else { return };
    assert!(code == Some(2) && stderr.contains("PARTS: expected a whole number of at least 1"), "{stderr}");
    // Nothing was made, so nothing is in the way of other settings.
    let (code, stderr) = share("3", "x", "").unwrap();
    assert!(code == Some(1) && stderr.contains("no part is there"), "{stderr}");
    assert_eq!(share("3", "1", "yes").unwrap().0, Some(143));
    assert!(fs::exists(format!("{out}.parts/part-0.jsonl")).unwrap());
    let (code, stderr) = share("3", "2", "").unwrap();
    assert!(code == Some(1) && stderr.contains("was begun with other settings"), "{stderr}");
    let (code, stderr) = share("3", "1", "").unwrap();
    assert!(code == Some(0), "{stderr}");
    let whole = answers(&["analyze", &games, "--json", "--depth", "1", "--reproducible", "--hash", "1"], "");
    assert_eq!(fs::read_to_string(&out).unwrap(), whole.replace(&games, "input-0/games.txt"));
}

#[test]
fn a_part_of_slurm_is_counted_from_the_offset() {
    let folder = tempfile::tempdir().unwrap();
    let (games, parts) = (games(&folder), file(&folder, "parts"));
    let arguments = [&parts, "analyze", &games, "--json", "--depth", "1"];
    let task = |offset: &str| {
        let variables = [("SLURM_ARRAY_TASK_ID", "1"), ("SHARDS", "12"), ("OFFSET", offset)];
        script("slurm_array", &arguments, &variables)
    };
    let Some((code, stderr)) = task("09") else { return };
    assert!(code == Some(0) && fs::exists(format!("{parts}/part-10.jsonl")).unwrap(), "{stderr}");
    let (code, stderr) = task("x").unwrap();
    assert!(code == Some(2) && stderr.contains("OFFSET: expected a whole number"), "{stderr}");
}

#[test]
fn folders_of_something_else_are_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (mine, packages) = (file(&folder, "mine"), file(&folder, "mine-packages"));
    fs::create_dir(&packages).unwrap();
    fs::write(format!("{packages}/letter"), "").unwrap();
    let path = path_without_cargo(&folder);
    let Some((code, stderr)) = script("distribute", &[&mine], &[("PATH", &path)]) else { return };
    assert!(code == Some(1) && stderr.contains("holds no SHA256SUMS"), "{stderr}");
    assert!(fs::exists(format!("{packages}/letter")).unwrap());
}

#[test]
fn a_book_is_not_begun_for_what_is_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let book = file(&folder, "new.book");
    let path = path_without_cargo(&folder);
    for (stages, expected) in [
        (&["20", "many", "1"][..], "expected whole numbers"),
        (&["0", "20", "1"], "the first two from 1 on, not '0'"),
        (&["20", "2", "1", "30"], "expected POSITIONS, DEPTH and ROUNDS of each stage, not 4 numbers"),
    ] {
        let arguments = [&[book.as_str()], stages].concat();
        let Some((code, stderr)) = script("grow_book", &arguments, &[("PATH", &path)]) else { return };
        assert!(code == Some(2) && stderr.contains(expected) && !fs::exists(&book).unwrap(), "{stderr}");
    }
}
