//! The commands of the cookbook do what they say: each of them is run.

use crate::serve::{answers, said};
use std::path::Path;
use std::process::{Command, Stdio};

/// A block of commands: the task that it is for, and its lines.
struct Block {
    task: String,
    script: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut task = "before the first task".to_owned();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => {
                assert_eq!(language, "sh", "{task}");
                open = Some(Block { task: task.clone(), script: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => block.script += &format!("{line}\n"),
            (None, None) => {
                if let Some(title) = line.strip_prefix("## ") {
                    task = title.to_owned();
                }
            }
        }
    }
    assert!(open.is_none(), "a block without an end");
    blocks
}

#[cfg(unix)]
#[test]
fn every_command_of_the_cookbook_runs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cookbook.md");
    let blocks = blocks(&std::fs::read_to_string(page).unwrap());
    let mut tasks: Vec<&str> = blocks.iter().map(|block| block.task.as_str()).collect();
    tasks.dedup();
    assert!(tasks.len() > 10, "{tasks:?}");
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_emilia"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    for Block { task, script } in &blocks {
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", script]).current_dir(folder.path()).env("PATH", &path).stdin(Stdio::null());
        let output = shell.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{task}:\n{script}\n{said}");
        assert!(
            said.lines().all(|line| !line.starts_with("emilia: ") || line.starts_with("emilia: warning: ")),
            "{task}: {said}"
        );
    }
    let has = |name: &str, text: &str| {
        let found = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(found.contains(text), "{name}: {found}");
    };
    has("game.html", "data-turns");
    has("site/index.html", "game-1.html#");
    has("players.jsonl", "\"page\":\"site/game-");
    has("chart.svg", "<polyline");
    has("transcript.svg", ">12</text>");
    has("archive.sgf", "PB[");
    has("training.jsonl", "\"moves\":[{");
    has("deep-flat/report.txt", "Deep");
    has("emilia.bash", "complete ");
    has("man1/emilia-match-check.1", ".TH");
}

#[test]
fn what_is_mistyped_gets_a_suggestion() {
    for (arguments, suggestion) in [
        (&["convert", "--stict"][..], "'--strict'"),
        (&["show", "--numbesr"], "'--numbers'"),
        (&["slove", "x"], "'solve'"),
        (&["convert", "--to", "gff"], "'ggf'"),
        (&["play", "--color", "balck"], "'black'"),
        (&["--engine", "alpha-bta"], "'alpha-beta'"),
        (&["completions", "bsh"], "'bash'"),
    ] {
        let (code, _, stderr) = said(arguments, "");
        assert!(code == 2 && stderr.contains(suggestion), "{arguments:?}: {stderr}");
    }
}

#[test]
fn shells_and_man_are_told_of_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = answers(&["completions", shell], "");
        for name in ["convert", "positions", "alpha-beta", "strict"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    let page = answers(&["man"], "");
    assert!(page.contains(".TH emilia 1") && page.contains("emilia\\-play(1)"), "{page}");
    assert!(answers(&["man", "match", "check"], "").contains(".TH emilia-match-check 1"));
    let page = answers(&["man", "solve"], "");
    assert!(page.contains(".SH EXAMPLES\n.nf\nemilia solve positions.obf\n") && page.ends_with("\n.fi\n"), "{page}");
    assert!(page.contains("[default: the cores]") && !page.contains(".SH EXTRA"), "{page}");
    let (code, _, stderr) = said(&["man", "dance"], "");
    assert!(code != 0 && stderr.contains("expected one of: play, analyze"), "{stderr}");
}
