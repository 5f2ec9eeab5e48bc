//! The examples of `docs/analysis.md` and `docs/cluster.md`, run as they stand there.

use std::path::Path;
use std::process::{Command, Output};

const PAGE: &str = include_str!("../../docs/analysis.md");
const CLUSTER: &str = include_str!("../../docs/cluster.md");

/// The code behind `<!-- run: name -->`.
fn example(name: &str) -> &'static str {
    let mark = format!("<!-- run: {name} -->\n```");
    let (_, behind) = PAGE.split_once(&mark).or_else(|| CLUSTER.split_once(&mark)).unwrap();
    let (_, code) = behind.split_once('\n').unwrap();
    code.split_once("```").unwrap().0
}

/// Runs code with the program on the PATH; `None`, with a message, where one of the programs is absent.
fn run(programs: &[&str], arguments: &[&str], folder: &Path) -> Option<Output> {
    for program in programs {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("skipped: there is no {program}");
            return None;
        }
    }
    let here = Path::new(env!("CARGO_BIN_EXE_emilia")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(here.to_owned()).chain(std::env::split_paths(&path))).unwrap();
    let output = Command::new(programs[0]).args(arguments).env("PATH", path).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    Some(output)
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analysis-page").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_client_in_the_shell_prints_three_replies_each() {
    let Some(output) = run(&["sh", "jq"], &["-euc", example("shell")], &folder("shell")) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|row| row.split('\t').collect()).collect();
    let openings: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(openings, ["f5d6", "f5f4", "f5f6"], "{text}");
    assert!(rows.iter().all(|row| row.len() == 4), "{text}");
}

#[test]
fn the_client_in_python_finds_mistakes() {
    let Some(output) = run(&["python3"], &["-c", example("python")], &folder("python")) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 10, "{text}");
    assert!(text.starts_with(" 1 f5  "), "{text}");
}

#[test]
fn the_parts_are_put_together() {
    let folder = folder("shards");
    std::fs::write(folder.join("games.txt"), "f5d6c3\nf5f6e6f4\nf5f4\nf5d6c5f4\n").unwrap();
    if run(&["sh"], &["-euc", example("shards")], &folder).is_none() {
        return;
    }
    let merged = std::fs::read_to_string(folder.join("games.jsonl")).unwrap();
    assert_eq!(merged.lines().count(), 4, "{merged}");
}

#[test]
fn the_page_has_every_field_of_the_schema() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../docs/analysis.schema.json")).unwrap();
    for part in ["query", "action", "answer", "valued_move", "error"] {
        for (field, _) in schema["$defs"][part]["properties"].as_object().unwrap() {
            assert!(PAGE.contains(&format!("`{field}`")) || PAGE.contains(&format!("\"{field}\"")), "{part}: {field}");
        }
    }
}
