//! The program itself: processes, pipes, exit codes, logs.

use crate::convert::file;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// What has not come after so long has got stuck.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Far less than any timeout of a match, and than the minute after which pondering ends by itself; more than a busy machine needs.
pub const SOON: Duration = Duration::from_secs(20);

pub fn emilia(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_emilia"));
    command.args(arguments).env_remove("RUST_LOG").env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a process to its end with this input.
pub fn run(mut command: Command, input: impl AsRef<[u8]>) -> Output {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    let writer = std::thread::spawn(move || {
        // A process may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Exit code, stdout and stderr of a process.
pub fn said(arguments: &[&str], input: impl AsRef<[u8]>) -> (i32, String, String) {
    let output = run(emilia(arguments), input);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// What a process answers on stdout; it must succeed and say nothing on stderr.
pub fn answers(arguments: &[&str], input: impl AsRef<[u8]>) -> String {
    let (code, stdout, stderr) = said(arguments, input);
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}: {stdout}");
    stdout
}

/// The values of lines of JSON.
pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Asks until there is an answer; `None` if none comes in this time.
pub fn wait_for<T>(patience: Duration, mut answer: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    loop {
        let found = answer();
        if found.is_some() || started.elapsed() > patience {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until something is so, which is to be soon.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    assert!(wait_for(SOON, || is_so().then_some(())).is_some(), "not seen: {what}");
}

pub fn end(child: &mut Child) -> ExitStatus {
    end_within(PATIENCE, child)
}

/// How a process ends that has to end in this time.
pub fn end_within(patience: Duration, child: &mut Child) -> ExitStatus {
    wait_for(patience, || child.try_wait().unwrap()).unwrap_or_else(|| {
        child.kill().unwrap();
        panic!("the process does not end")
    })
}

/// Kills a process as soon as it has got so far; one that is quicker than this loop has ended by itself.
pub fn kill_after(mut command: Command, progress: impl Fn() -> bool) {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for(PATIENCE, || (progress() || child.try_wait().unwrap().is_some()).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A process in the middle of a hint, with its stdout.
fn hinting() -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = emilia(&["nboard", "--book", "none"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    child.stdin.as_mut().unwrap().write_all(b"nboard 2\nset depth 60\nping 1\nhint 64\n").unwrap();
    let mut line = String::new();
    while !line.starts_with("search") {
        line.clear();
        assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "the process has ended");
    }
    (child, stdout)
}

pub fn stderr_of(child: &mut Child) -> String {
    let mut text = String::new();
    child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_hint_ends_with_quit_with_the_input_and_with_the_reader() {
    for ending in ["quit", "input", "reader"] {
        let (mut child, stdout) = hinting();
        let mut stdout = Some(stdout);
        match ending {
            "quit" => child.stdin.as_mut().unwrap().write_all(b"quit\n").unwrap(),
            "input" => drop(child.stdin.take()),
            _ if cfg!(unix) => drop(stdout.take()),
            _ => continue,
        }
        assert!(end(&mut child).success(), "{ending}");
        assert_eq!(stderr_of(&mut child), "", "{ending}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_a_search_that_says_nothing() {
    let mut child = emilia(&["gtp", "--book", "none", "--time", "100000"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    child.stdin.as_mut().unwrap().write_all(b"name\ngenmove b\n").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "= Emilia\n");
    drop(stdout);
    assert!(end(&mut child).success());
    assert_eq!(stderr_of(&mut child), "");
}

#[test]
fn the_first_line_decides_the_protocol() {
    assert_eq!(answers(&[], "ping 5\nquit\n"), "pong 5\n");
    assert_eq!(answers(&[], "\r\n# a comment\n\n  nboard 2\r\nping 6\r\n"), "status Emilia 0.1.0\npong 6\n");
    assert_eq!(answers(&[], "set depth 2\n"), "set myname Emilia2\n");
    assert_eq!(answers(&[], "\u{feff}ping 7\r\n"), "pong 7\n", "as clients on Windows begin");
    assert_eq!(answers(&[], "# a comment\n\n7 protocol_version\nquit\n"), "=7 2\n\n=\n\n");
    assert_eq!(answers(&[], "quit\n"), "=\n\n");
    assert_eq!(answers(&[], ""), "");
    assert_eq!(answers(&[], "\n\n# nothing\n"), "");
    assert_eq!(answers(&["nboard"], "name\nping 1"), "pong 1\n", "a last line needs no line feed");
    assert!(answers(&["gtp"], "ping 1\n").starts_with("? "));
}

#[test]
fn moves_chosen_at_random_make_another_game_each_time_unless_a_seed_is_given() {
    let moves = "genmove b\ngenmove w\n".repeat(9);
    let game = |more: &[&str], settings: &str| {
        let arguments = [&["gtp", "--book", "none", "--depth", "1", "--threads", "1"], more].concat();
        answers(&arguments, format!("{settings}{moves}"))
    };
    // On the command line, or by a client.
    for (varied, settings) in [
        (&["--variety", "6"][..], ""),
        (&[], "emilia-set variety 6\n"),
        (&["--level", "2"], ""),
        (&[], "emilia-set level 2\n"),
    ] {
        let games = [(); 3].map(|()| game(varied, settings));
        assert!(games.iter().any(|other| *other != games[0]), "{}", games[0]);
        let seeded = [varied, &["--seed", "3"]].concat();
        assert_eq!(game(&seeded, settings), game(&seeded, settings));
        let seeded = format!("{settings}emilia-set seed 3\n");
        assert_eq!(game(varied, &seeded), game(varied, &seeded));
    }
}

#[test]
fn bytes_that_are_no_text_and_lines_without_end_do_no_harm() {
    let mut input = b"ping 1\n\xff\xfe\x00 garbage\nset game \xc3\x28\nhint \xff\n".to_vec();
    input.extend_from_slice(&vec![b'x'; 10 << 20]);
    input.extend_from_slice(b"\nset game ");
    input.extend_from_slice(&vec![b'('; 1 << 19]);
    input.extend_from_slice(b"\nping 2\n");
    let refusal = "status Game not understood: expected '(;' at the beginning of a game, found";
    let said = format!("pong 1\n{refusal} '\\u{{fffd}}'\nstatus Line too long\n{refusal} '('\npong 2\n");
    assert_eq!(answers(&["nboard"], &input), said);
    assert_eq!(answers(&[], &input), said);
}

#[test]
fn a_million_commands_may_come_at_once() {
    let mut input = String::new();
    let mut expected = String::new();
    for number in 0..250_000 {
        input.push_str(&format!("set contempt 0\nhint 4\nnonsense\nping {number}\n"));
        expected.push_str(&format!("pong {number}\n"));
    }
    let output = answers(&["nboard"], &input);
    let pongs: String = output.split_inclusive('\n').filter(|line| line.starts_with("pong")).collect();
    assert!(pongs == expected, "a pong is missing or out of order");
}

#[test]
fn the_log_has_both_directions_and_stderr_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = &file(&folder, "both.log");
    assert_eq!(answers(&["nboard", "--log-file", path], "ping 1\nset depth 99\nbogus\n"), "pong 1\n");
    let text = std::fs::read_to_string(path).unwrap();
    let line =
        |end: &str| text.lines().find(|line| line.ends_with(end)).unwrap_or_else(|| panic!("no {end} in {text}"));
    // 2026-11-21T08:38:42.599491Z 4711 DEBUG ...
    let mut words = line("emilia::traffic: > ping 1").split(' ');
    let (stamp, process) = (words.next().unwrap(), words.next().unwrap());
    assert!(stamp.len() == 27 && stamp.ends_with('Z') && &stamp[10..11] == "T", "{stamp}");
    assert!(process.parse::<u32>().is_ok(), "{process}");
    line("emilia::traffic: < pong 1");
    line("unknown command 'bogus'");
    line("set depth, column 11: expected plies from 1 to 60");

    // A second run does not wipe out the log of the first, and RUST_LOG says how much there is.
    let mut command = emilia(&["--log-file", path]);
    command.env("RUST_LOG", "warn");
    assert!(run(command, "ping 2\n").status.success());
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}

#[test]
fn nboard_never_sees_anything_on_stderr() {
    for filter in ["trace", "%%%=/[", ""] {
        for arguments in [&["nboard"][..], &[]] {
            let mut command = emilia(arguments);
            command.env("RUST_LOG", filter);
            let output = run(command, "nboard 2\nbogus\nset emilia.hash 0\nset depth 2\ngo\nping 1\n");
            assert!(output.status.success());
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "RUST_LOG={filter}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_an_error_before_anything_is_served() {
    // NBoard shows a status, and nothing of what goes to the standard error.
    for (arguments, status) in [
        (&["--depth", "99"][..], ""),
        (&["nboard", "--hash", "0"], "status hash: '0' is not valid; expected a whole number from 1 to 1048576\n"),
        (&["nboard", "--pondre", "on"], "status --pondre: not known\n"),
        (&["nboard", "--book", "no.book"], "status book: 'no.book' is refused: not found\n"),
        (&["gtp", "--engine", "deep-blue"], ""),
        (&["--depth", "3", "gtp"], ""),
        (&["perft"], ""),
        (&["perft", "-1"], ""),
        (&["chess"], ""),
    ] {
        let (code, stdout, stderr) = said(arguments, "ping 1\n");
        assert_eq!((code, stdout.as_str(), stderr.is_empty()), (2, status, false), "{arguments:?}");
    }
    let (code, stdout, stderr) = said(&["nboard", "--log-file", "no/such/folder/emilia.log"], "ping 1\n");
    let problem = "--log-file: cannot write 'no/such/folder/emilia.log': the folder 'no/such/folder' is not there; name a file that can be written, or leave the option out";
    assert_eq!((code, stdout), (1, format!("status {problem}\n")));
    assert!(stderr.contains(problem), "{stderr}");
}

#[test]
fn help_shows_the_defaults() {
    let help = answers(&["--help"], "");
    for default in ["emilia", "64", "512", "prune", "none", "0"] {
        assert!(help.contains(&format!("[default: {default}]")), "{default}");
    }
    for (command, engine) in [("nboard", "emilia"), ("gtp", "emilia"), ("solve", "emilia")] {
        assert!(answers(&[command, "--help"], "").contains(&format!("[default: {engine}]")), "{command}");
    }
}

#[test]
fn perft_prints_the_count_alone() {
    for (arguments, count) in [
        (&["perft", "0"][..], "1\n"),
        (&["perft", "8"], "390216\n"),
        (&["perft", "9"], "3005288\n"),
        (&["perft", "9", "--pass-free"], "3005320\n"),
        (&["perft", "9", "--pass-free", "--json"], "{\"depth\":9,\"nodes\":3005320,\"pass_free\":true}\n"),
    ] {
        let (code, stdout, _) = said(arguments, "");
        assert_eq!((code, stdout.as_str()), (0, count), "{arguments:?}");
    }
}
