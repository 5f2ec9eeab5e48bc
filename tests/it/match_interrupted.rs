//! Ctrl-C, and what is left of the engines of a match then.

use crate::mock_engine::mock;
use crate::serve::{SOON, emilia, end_within, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

fn start(arguments: &[&str]) -> Child {
    emilia(&[&["match"], arguments].concat()).spawn().unwrap()
}

/// As Ctrl-C does, which a shell may have ignored for a test in the background.
fn interrupt(child: &Child) {
    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
}

/// What a program said that has to end soon.
fn end_of(mut child: Child) -> Output {
    end_within(SOON, &mut child);
    child.wait_with_output().unwrap()
}

/// A file in a folder, and the words that make the mock engine hold it for as long as it runs.
fn lock(folder: &tempfile::TempDir) -> (PathBuf, String) {
    let path = folder.path().join("lock");
    let words = format!("immortal 'lock={}'", path.display());
    (path, words)
}

fn is_held(lock: &Path) -> bool {
    File::open(lock).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

#[test]
fn moves_in_progress_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let (lock, words) = lock(&folder);
    let engine = |name: &str, words: &str| {
        format!("name={name} cmd=\"{}\" protocol=gtp tell-limits=false", mock(&format!("gtp {words}")))
    };
    let (hanging, other) = (engine("M", &format!("hang@2 {words}")), engine("E", ""));
    let talking = engine("M", "talk@2");
    // Emilia inside the match says nothing in the log; a game has begun when its opponent has been told of it.
    for (i, (first, sign, count)) in
        [(&*hanging, "M < genmove", 2), (&*talking, "M < genmove", 2), ("name=M depth=60", "E < clear_board", 1)]
            .into_iter()
            .enumerate()
    {
        let log = folder.path().join(format!("log{i}"));
        let log_file = log.display().to_string();
        let child = start(&["--player", first, "--player", &other, "--pairs", "9", "--log-file", &log_file]);
        let is_there = || std::fs::read_to_string(&log).is_ok_and(|log| log.matches(sign).count() == count);
        wait_until("a game has begun", is_there);
        interrupt(&child);
        let output = end_of(child);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && stderr.contains("interrupted after 0 of 18 games"), "{stderr}");
    }
    assert!(!is_held(&lock));
}

#[test]
fn a_match_under_nohup_outlives_its_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log").display().to_string();
    let slow = format!("name=M cmd=\"{}\" protocol=gtp tell-limits=false", mock("gtp slow@2+1"));
    let emilia =
        [env!("CARGO_BIN_EXE_emilia"), "match", "--player", &slow, "--player", "name=E depth=1", "--pairs", "1"];
    let line = shell_words::join(emilia.into_iter().chain(["--log-file", &log]));
    let child =
        Command::new("sh").args(["-c", &format!("trap '' HUP; exec {line}")]).stdout(Stdio::null()).spawn().unwrap();
    wait_until("a game has begun", || std::fs::read_to_string(&log).is_ok_and(|log| log.contains("M < genmove")));
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    assert_eq!(end_of(child).status.code(), Some(0));
}

#[test]
fn an_interrupt_before_the_first_game_or_in_a_check_leaves_no_engine() {
    let folder = tempfile::tempdir().unwrap();
    let (lock, words) = lock(&folder);
    let engine = mock(&format!("mute {words}"));
    let player = format!("name=M cmd=\"{engine}\" protocol=gtp tell-limits=false");
    for arguments in [&["--player", &player, "--player", "name=E depth=1"][..], &["check", &engine]] {
        let child = start(arguments);
        wait_until("the engine runs", || is_held(&lock));
        interrupt(&child);
        assert_eq!(end_of(child).status.code(), Some(130));
        wait_until("the engine has ended", || !is_held(&lock));
    }
}
