//! Standard output and error that are closed, full, slow or without a reader, and files that are written: through a shell.
#![cfg(unix)]

use crate::serve::{emilia, run};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// For each command something to do or to complain about, and how it ends.
const COMMANDS: [(&str, i32); 26] = [
    ("printf 'nboard 2\\nping 1\\nnonsense\\nquit\\n' | emilia nboard", 0),
    ("printf 'boardsize 8\\nnonsense\\nquit\\n' | emilia gtp", 0),
    ("printf 'ugi\\nnonsense\\nquit\\n' | emilia ugi", 0),
    ("printf 'nboard 2\\nping 1\\nquit\\n' | emilia", 0),
    ("echo quit | emilia play", 0),
    ("emilia perft 3", 0),
    ("emilia match --player engine=alpha-beta --player 'name=b engine=alpha-beta' --depth 1 --pairs 1", 0),
    ("emilia match check false", 1),
    ("emilia bench --part midgame", 0),
    ("emilia analyze queries.jsonl --reproducible", 0),
    ("emilia analyze games.txt --table --depth 1", 1),
    ("emilia analyze games.txt --ggf --depth 1", 1),
    ("emilia merge nowhere", 1),
    ("emilia book stat builtin", 0),
    ("emilia solve end.obf --json", 2),
    ("emilia solve nowhere", 2),
    ("emilia experiment korf-linear-space --quick --pairs 1", 0),
    ("emilia convert games.txt --to sgf", 1),
    ("emilia show games.txt --game 7", 1),
    ("emilia positions games.txt", 1),
    ("emilia completions bash", 0),
    ("emilia man", 0),
    ("emilia train selfplay --games 3 --chunk 3 --depth 1 --exact 2 --out \"$(mktemp -d -p .)\"", 0),
    ("emilia train report nowhere", 1),
    ("emilia help train", 0),
    ("emilia slove", 2),
];

/// A folder with what the commands read.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("queries.jsonl", "{\"id\":1,\"moves\":\"f5\",\"depth\":1}\nnonsense\n"),
        ("games.txt", "f5d6c3d3c4\nf5f5\nf5d6c3\n"),
        ("end.obf", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOO-O X;\nnonsense\n"),
    ];
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn shell(script: &str, folder: &TempDir) -> Command {
    let path = Path::new(env!("CARGO_BIN_EXE_emilia")).parent().unwrap().display().to_string();
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder).env("PATH", format!("{path}:{}", std::env::var("PATH").unwrap()));
    shell.env_remove("RUST_LOG").stdin(Stdio::null());
    shell
}

fn output(script: &str, folder: &TempDir) -> Output {
    shell(script, folder).output().unwrap()
}

#[test]
fn nobody_has_to_read() {
    let folder = folder();
    let has_full = Path::new("/dev/full").exists();
    for (command, code) in COMMANDS {
        let normal = output(command, &folder);
        let said = [&normal.stdout[..], &normal.stderr].concat();
        assert_eq!(normal.status.code(), Some(code), "{command}: {}", String::from_utf8_lossy(&said));
        let check = |redirection: &str, allowed: &[i32]| {
            let script = format!("exec 3>code; ({command}; echo $? >&3) {redirection}");
            let output = output(&script, &folder);
            let found = std::fs::read_to_string(folder.path().join("code")).unwrap();
            let found = found.trim().parse().unwrap_or(-1);
            assert!(allowed.contains(&found), "{command} {redirection} ends with {found}");
            assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{command} {redirection}");
            output
        };
        for redirection in [">&-", "2>&-", ">&- 2>&-", "2>&1 | (sleep 0.1; cat)"] {
            check(redirection, &[code]);
        }
        // The rest of the work is for nobody, and not done.
        check("2>&1 | head -c 1", &[code, 0]);
        check("| :", &[code, 0]);
        if has_full {
            check("2>/dev/full", &[code]);
            // What a client was to be told is lost.
            let serves = command.starts_with("printf");
            let allowed = &[code.max(1), if serves { 1 } else { code }];
            check(">/dev/full", allowed);
            check(">/dev/full 2>&1", allowed);
        }
    }
}

#[test]
fn a_reader_that_comes_late_gets_every_answer() {
    let folder = folder();
    let questions = "list_commands\n".repeat(400);
    std::fs::write(folder.path().join("questions.txt"), questions).unwrap();
    let lines = |reader: &str| output(&format!("emilia gtp <questions.txt | {reader} | wc -l"), &folder).stdout;
    let wanted = lines("cat");
    assert_eq!(lines("(sleep 2.5; cat)"), wanted, "{}", String::from_utf8_lossy(&wanted));
}

#[test]
fn every_command_is_tried() {
    let help = String::from_utf8(run(emilia(&["--help"]), "").stdout).unwrap();
    let (_, commands) = help.split_once("Commands:").unwrap();
    let names: Vec<&str> =
        commands.lines().skip(1).map_while(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        assert!(COMMANDS.iter().any(|(command, _)| command.contains(&format!("emilia {name}"))), "{name}");
    }
}

#[test]
fn an_output_that_is_full_is_an_error() {
    if Path::new("/dev/full").exists() {
        for command in [
            "perft 3",
            "help",
            "solve --help",
            "--version",
            "completions bash",
            "man",
            "show games.txt",
            "convert games.txt --to sgf --out -",
            "analyze queries.jsonl",
            "analyze games.txt --depth 1 --csv",
            "analyze games.txt --depth 1 --json",
        ] {
            let full = output(&format!("emilia {command} >/dev/full"), &folder());
            let said = String::from_utf8_lossy(&full.stderr).into_owned();
            assert!(full.status.code() == Some(1) && said.contains("cannot write the output"), "{command}: {said}");
        }
    }
}

/// Commands that write a file, whose name follows.
const WRITERS: [&str; 4] = [
    "emilia analyze queries.jsonl --reproducible --out",
    "emilia analyze games.txt --csv --depth 1 --reproducible --out",
    "emilia convert end.obf --to obf --out",
    "emilia positions games.txt --out",
];

#[test]
fn what_is_no_file_is_not_replaced() {
    for writer in WRITERS {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let text = |script: &str| output(script, &folder).stdout;
        let wanted = text(&format!("{writer} plain; cat plain"));
        assert!(!wanted.is_empty(), "{writer}");
        assert_eq!(text(&format!("{writer} /dev/stdout | cat")), wanted, "{writer}");
        let behind = [b"before\n", &wanted[..]].concat();
        assert_eq!(text(&format!("(echo before; {writer} /dev/stdout) >both; cat both")), behind, "{writer}");
        assert_eq!(text(&format!("mkfifo pipe; cat pipe & {writer} pipe; wait")), wanted, "{writer}");
        assert!(at("pipe").metadata().unwrap().file_type().is_fifo());
        output(&format!("{writer} /dev/null"), &folder);
        assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
        let linked = text(&format!(
            "mkdir far; echo old >far/file; chmod 604 far/file; ln -s far/file link; {writer} link; cat far/file"
        ));
        assert_eq!(linked, wanted, "{writer}");
        assert!(at("link").is_symlink());
        assert_eq!(at("far/file").metadata().unwrap().permissions().mode() & 0o777, 0o604, "{writer}");
        let left = text("ls -A . far");
        let left = String::from_utf8_lossy(&left);
        assert!(!left.contains("partial") && !left.contains("emilia"), "{writer}: {left}");
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = folder();
    let games = "f5d6c3d3c4\n".repeat(3000);
    std::fs::write(folder.path().join("games.txt"), games).unwrap();
    let script = "echo old >out; ulimit -f 8; emilia convert games.txt --to sgf --out out";
    let failed = output(script, &folder);
    assert_eq!(failed.status.code(), Some(1), "{}", String::from_utf8_lossy(&failed.stderr));
    assert_eq!(output("cat out; ls -A", &folder).stdout, b"old\nend.obf\ngames.txt\nout\nqueries.jsonl\n");
}

/// On Linux a file that is not whole has no name.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_process_leaves_nothing() {
    let folder = folder();
    let script =
        "mkfifo in; emilia convert in --to sgf --out out & (cat games.txt; sleep 0.5; kill -9 $!) >in; wait; rm in";
    output(script, &folder);
    let left = String::from_utf8(output("ls -A", &folder).stdout).unwrap();
    assert!(!left.lines().any(|name| name == "out"), "{left}");
    // Not every file system has files without names; what is left elsewhere says whose it is.
    assert!(left.lines().all(|name| !name.contains("partial") || name.starts_with(".emilia-")), "{left}");
}
