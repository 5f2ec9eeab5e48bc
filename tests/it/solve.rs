//! `emilia solve`: files and pipes in, results and exit codes out.

use crate::convert::file;
use crate::game_file::gzip;
use crate::games::{OVER, pass_before, random_positions, shared_data};
use crate::reference::Board;
use crate::serve::{answers, emilia, end, json_lines, said, stderr_of};
use emilia::othello::{Position, Square};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};

const START: &str = "---------------------------OX------XO--------------------------- X";

/// The score under perfect play by plain minimax over the slow rules.
fn minimax(board: &Board) -> i32 {
    let moves = board.moves();
    if !moves.is_empty() {
        moves.into_iter().map(|point| -minimax(&board.play(point))).max().expect("there is a move")
    } else if board.is_over() {
        board.score()
    } else {
        -minimax(&board.pass())
    }
}

/// An OBF line with the true score of every move, best first.
fn scored(position: &Position) -> String {
    let board = Board::parse(&position.to_string());
    let mut moves: Vec<(String, i32)> = board
        .moves()
        .into_iter()
        .map(|(column, row)| {
            let square = Square::at(column as u8, row as u8).unwrap();
            (square.to_upper(), -minimax(&board.play((column, row))))
        })
        .collect();
    if moves.is_empty() {
        moves.push(("PS".to_owned(), minimax(&board)));
    }
    moves.sort_by_key(|&(_, score)| -score);
    let moves: String = moves.iter().map(|(name, score)| format!(" {name}:{score:+};")).collect();
    format!("{position};{moves}")
}

/// Positions near the end of random games.
fn positions() -> impl Iterator<Item = Position> {
    random_positions(3..=6)
}

/// A process's exit code and what it says on stdout and stderr.
fn solve(arguments: &[&str], input: impl AsRef<[u8]>) -> (i32, String, String) {
    said(&[&["solve", "-", "--hash", "1"], arguments].concat(), input)
}

/// The same with `--json`: the positions and the totals.
fn solve_json(arguments: &[&str], input: impl AsRef<[u8]>) -> (i32, Vec<Value>, Value) {
    let (code, stdout, stderr) = solve(&[&["--json"], arguments].concat(), input);
    assert_eq!(stderr, "", "{stdout}");
    let mut lines = json_lines(&stdout);
    let totals = lines.pop().unwrap()["totals"].take();
    assert_eq!(totals["positions"], lines.len());
    (code, lines, totals)
}

#[test]
fn solutions_are_those_of_plain_minimax() {
    let positions: Vec<Position> = positions().take(40).collect();
    let file: String = positions.iter().map(|position| scored(position) + "\n").collect();
    for arguments in [&[][..], &["--moves"], &["--wld"], &["--threads", "2"]] {
        let (code, lines, totals) = solve_json(arguments, &file);
        assert_eq!(code, 0, "{arguments:?}: {lines:?}");
        assert_eq!((&totals["solved"], &totals["checked"]), (&40.into(), &40.into()), "{totals}");
        assert_eq!((&totals["contradicted"], &totals["unreadable"]), (&0.into(), &0.into()), "{totals}");
        for ((i, line), position) in lines.iter().enumerate().zip(&positions) {
            let board = Board::parse(&position.to_string());
            let truth = minimax(&board);
            assert_eq!(line["number"], i + 1);
            assert_eq!(line["line"], i + 1);
            assert_eq!(line["position"], position.to_string());
            assert_eq!(line["empties"], position.empties().count());
            assert_eq!(line["mover"], position.mover().to_string());
            assert_eq!(line["result"], ["loss", "draw", "win"][(truth.signum() + 1) as usize], "{line}");
            let score = if arguments == ["--wld"] { Value::Null } else { truth.into() };
            assert_eq!(line["score"], score, "{line}");
            assert_eq!(line["contradictions"], Value::Array(Vec::new()));
            assert_eq!(line["pv"][0], line["move"]);
            assert!(line["nodes"].as_u64().unwrap() > 0 && line["seconds"].as_f64().unwrap() > 0.0);
            if arguments == ["--moves"] {
                let moves = line["moves"].as_array().unwrap().iter();
                let listed: String = moves
                    .map(|m| {
                        let name = m["move"].as_str().unwrap().to_uppercase().replace("PA", "PS");
                        format!(" {name}:{:+};", m["score"].as_i64().unwrap())
                    })
                    .collect();
                let sorted = |text: &str| {
                    let mut moves: Vec<String> = text.split(';').map(|part| part.trim().to_owned()).collect();
                    moves.sort();
                    moves
                };
                assert_eq!(sorted(&listed), sorted(scored(position).split_once(';').unwrap().1));
            }
        }
        let nodes: u64 = lines.iter().map(|line| line["nodes"].as_u64().unwrap()).sum();
        assert_eq!(totals["nodes"], nodes);
    }
}

#[test]
fn a_row_shows_the_position_and_the_result() {
    let position = positions().next().unwrap();
    let line = scored(&position);
    let (code, stdout, stderr) = solve(&[], &line);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines: Vec<&str> = stdout.lines().collect();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let header = ["#", "empties", "mover", "move", "score", "nodes", "seconds", "Mn/s", "line"];
    assert_eq!(words(lines[0]), header);
    let (best, score) = line.split("; ").nth(1).unwrap().split_once(':').unwrap();
    let row = words(lines[1]);
    let empties = position.empties().count().to_string();
    assert_eq!(row[..3], ["1".to_owned(), empties, position.mover().to_string()]);
    assert_eq!((row[4].as_str(), &row[8]), (score, &row[3]), "{best}");
    assert_eq!(lines[3], "positions 1, solved 1, checked 1, contradicted 0, unreadable lines 0");
    assert!(lines[4].contains(" nodes in ") && lines.len() == 5, "{stdout}");
}

#[test]
fn wrong_scores_are_reported_and_counted() {
    // Two moves with different scores, whose difference matters to the winner as well.
    let (position, moves) = positions()
        .map(|position| (position, scored(&position)))
        .filter_map(|(position, line)| {
            let moves: Vec<(String, i32)> = line
                .split(';')
                .skip(1)
                .filter_map(|part| part.trim().split_once(':'))
                .map(|(name, score)| (name.to_owned(), score.parse().unwrap()))
                .collect();
            (moves.len() > 1 && moves[0].1 > 0 && moves[1].1 < 0).then_some((position, moves))
        })
        .next()
        .unwrap();
    let [(best, score), (second, lower)] = [&moves[0], &moves[1]];
    let true_line = format!("{position}; {best}:{score:+};\n");
    let cases = [
        (format!("{position}; {best}:{:+};\n", score - 2), true, false),
        (format!("{position}; {:+};\n", -2), true, true),
        // The best score is right, but the file gives it to the other move.
        (format!("{position}; {second}:{score:+}; {best}:{lower:+};\n"), true, true),
    ];
    for (wrong, by_score, by_outcome) in cases {
        for (flag, reported) in [(None, by_score), (Some("--moves"), by_score), (Some("--wld"), by_outcome)] {
            let arguments: Vec<&str> = flag.into_iter().collect();
            let (code, lines, totals) = solve_json(&arguments, format!("{true_line}{wrong}{true_line}"));
            let contradictions = lines[1]["contradictions"].as_array().unwrap();
            assert_eq!(!contradictions.is_empty(), reported || score - 2 == 0, "{flag:?} {wrong}: {lines:?}");
            assert!(lines[0]["contradictions"].as_array().unwrap().is_empty());
            assert_eq!(totals["contradicted"], usize::from(!contradictions.is_empty()));
            assert_eq!(code, i32::from(!contradictions.is_empty()));
        }
    }
    // On the line itself, for a reader; a line that cannot be read does not hide it.
    let (code, stdout, _) = solve(&[], format!("{position}; -64;\nbad\n"));
    assert_eq!(code, 1);
    let expected = format!("  ! the file says -64, not {score:+}");
    assert!(stdout.lines().nth(1).unwrap().ends_with(&expected), "{stdout}");
    assert!(stdout.contains("solved 1, checked 1, contradicted 1, unreadable lines 1"), "{stdout}");
}

#[test]
fn bad_lines_are_named_and_the_rest_is_solved() {
    let line = scored(&positions().next().unwrap());
    let mut file = format!("\u{feff}% a comment\r\n\r\n{line} % one\r\nnonsense\r\n").into_bytes();
    file.extend_from_slice(b"--\xff\xfe\r\n");
    file.extend_from_slice(format!("{START}; a1:+2;\n{}\n{line} % tw", "X".repeat(100_000)).as_bytes());
    file.extend_from_slice(b"\xf6");
    let (code, stdout, stderr) = solve(&[], &file);
    assert_eq!(code, 2);
    let complaints: Vec<&str> = stderr.lines().collect();
    let places = [
        "line 4, column 1: game 2: expected",
        "line 5, column 3: game 3: expected",
        "line 6, column 69: game 4: a1",
        "line 7,",
    ];
    assert_eq!(complaints.len(), places.len(), "{stderr}");
    for (complaint, place) in complaints.iter().zip(places) {
        assert!(complaint.starts_with(&format!("emilia: standard input: {place}")), "{complaint}");
    }
    assert!(stdout.contains("positions 2, solved 2, checked 2, contradicted 0, unreadable lines 4"), "{stdout}");
    let numbers: Vec<&str> = stdout.lines().skip(1).take(2).map(|row| row.split_whitespace().next().unwrap()).collect();
    assert_eq!(numbers, ["1", "6"], "a line that cannot be read has a number too");
}

#[test]
fn entries_without_a_value_are_skipped_with_one_warning() {
    let line = scored(&positions().next().unwrap());
    let (code, stdout, stderr) = solve(&[], format!("{line} --:-127;\n{line} --:-127;\n{line} A1:?;\n"));
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("solved 3, checked 3, contradicted 0, unreadable lines 0"), "{stdout}");
    assert_eq!(stderr, "emilia: warning: standard input: 3 entries were skipped, first --:-127 on line 1\n");
}

#[test]
fn the_hard_sets_are_read_as_edax_prints_them() {
    for (name, count) in [("hard-20.obf", 276), ("hard-25.obf", 311)] {
        let Some(text) = shared_data(name) else { return };
        let (_, stdout, stderr) = solve(&["--depth", "1"], text);
        assert!(stdout.contains(&format!("positions {count}, ")) && stdout.contains("unreadable lines 0"), "{stdout}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn every_format_is_solved_packed_or_not() {
    let game = "f5d6c3d3c4f4f6";
    let ggf = format!("(;GM[Othello]PB[a]PW[b]TY[8]BO[8 {} *];)", &START[..64]);
    let diagram = emilia::notation::read_position(START).unwrap().position().to_string();
    for input in [game.as_bytes(), ggf.as_bytes(), &gzip(START.as_bytes()), diagram.as_bytes()] {
        let (code, lines, _) = solve_json(&["--depth", "1"], input);
        assert_eq!((code, lines.len()), (2, 1), "a search to depth 1 solves nothing");
    }
    // Of a game its last position is solved.
    let (_, lines, _) = solve_json(&["--depth", "1"], game);
    assert_eq!(lines[0]["empties"], 60 - game.len() / 2);
}

#[test]
fn one_position_is_solved_without_a_file() {
    let position = positions().next().unwrap().to_string();
    let table = answers(&["solve", "--position", &position], "");
    assert!(table.contains("positions 1, solved 1, checked 0"), "{table}");
    let json = answers(&["solve", "--position", &position, "--json", "--moves"], "");
    assert!(json.starts_with("{\"number\":1,\"line\":1,") && json.contains(&position), "{json}");
    assert_eq!(said(&["solve", "--position", &position, "file"], "").0, 2);
    let (code, _, stderr) = said(&["solve", "--position", "hello"], "");
    assert!(code == 2 && stderr.contains("--position: line 1, column 1: expected "), "{stderr}");
}

#[test]
fn ends_and_passes_are_positions_too() {
    let pass = pass_before(7);
    let pass_score = minimax(&Board::parse(&pass.to_string()));
    let file = format!("{OVER}; -64;\n{pass}; PS:{pass_score:+};\n{OVER}\n");
    let (code, lines, totals) = solve_json(&[], &file);
    assert_eq!((code, &totals["checked"]), (0, &2.into()), "{lines:?}");
    assert_eq!(lines[0]["move"], Value::Null);
    assert_eq!((&lines[0]["score"], &lines[0]["nodes"]), (&Value::from(-64), &0.into()));
    assert_eq!((&lines[1]["move"], &lines[1]["score"]), (&"pa".into(), &pass_score.into()));
    assert!(lines[1]["pv"].as_array().unwrap().len() > 1);
    let (code, lines, _) = solve_json(&["--wld"], &file);
    assert_eq!((code, &lines[0]["result"], &lines[1]["move"]), (0, &"loss".into(), &"pa".into()));
    let (code, stdout, _) = solve(&[], OVER);
    assert_eq!(code, 0);
    let row: Vec<&str> = stdout.lines().nth(1).unwrap().split_whitespace().take(5).collect();
    assert_eq!(row, ["1", "60", "white", "--", "-64"]);
}

#[test]
fn nothing_to_solve_is_told() {
    for input in ["", "\n\n", "% only a comment", "\u{feff}", "\r\n"] {
        let told = (2, String::new(), "emilia: standard input: no game or position\n".to_owned());
        assert_eq!(solve(&[], input), told, "{input:?}");
    }
}

#[test]
fn a_solution_that_takes_very_long_is_told_beforehand() {
    let mut child = emilia(&["solve", "--position", "f5d6c3", "--threads", "1"]).spawn().unwrap();
    let mut warning = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut warning).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(warning.contains("position 1: a solution with 57 empty squares takes very long"), "{warning}");
    let (_, _, stderr) = said(&["solve", "--position", "f5d6c3", "--depth", "2"], "");
    assert_eq!(stderr, "", "a limit keeps it short");
}

#[test]
fn a_file_is_read_like_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = &file(&folder, "solve.obf");
    std::fs::write(path, scored(&positions().next().unwrap())).unwrap();
    assert!(answers(&["solve", path, "--hash", "1"], "").contains("positions 1, solved 1, checked 1"));
    for (missing, problem) in [("no/such/file.obf", "not found"), (".", "it is a folder")] {
        let (code, _, stderr) = said(&["solve", missing], "");
        assert!(code == 2 && stderr.contains(missing) && stderr.contains(problem), "{code}: {stderr}");
    }
}

#[test]
fn a_limit_leaves_a_position_unsolved() {
    let (code, lines, totals) = solve_json(&["--depth", "2"], format!("{START}; f5:+64;\n"));
    assert_eq!((code, &totals["solved"], &totals["checked"]), (2, &0.into(), &0.into()));
    let line = &lines[0];
    assert_eq!((&line["score"], &line["result"], &line["depth"]), (&Value::Null, &Value::Null, &"2".into()));
    assert!(line["estimate"].as_f64().unwrap().abs() < 64.0);
    let (_, stdout, _) = solve(&["--depth", "2"], START);
    assert!(stdout.lines().nth(1).unwrap().split_whitespace().nth(4).unwrap().ends_with('?'), "{stdout}");
}

#[test]
fn questions_that_exclude_each_other_are_refused() {
    for arguments in [&["solve"][..], &["solve", "-", "--wld", "--moves"], &["solve", "-", "--hash", "0"]] {
        let (code, stdout, stderr) = said(arguments, "");
        assert!(code == 2 && stdout.is_empty() && !stderr.is_empty(), "{arguments:?}: {code}");
    }
}

#[test]
fn the_ending_of_the_output_is_enough_to_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (&file(&folder, "solve.obf"), &file(&folder, "out.json"));
    std::fs::write(path, scored(&positions().next().unwrap())).unwrap();
    assert_eq!(answers(&["solve", path, "--hash", "1", "--out", out, "--resume"], ""), "");
    assert_eq!(json_lines(&std::fs::read_to_string(out).unwrap()).len(), 2);
    for arguments in [&["--resume", "--out", "out.txt"][..], &["--shard", "0/2"]] {
        let (code, _, stderr) = said(&[&["solve", path], arguments].concat(), "");
        assert!(code == 2 && stderr.contains("--resume and --shard need --json"), "{arguments:?}: {stderr}");
    }
}

#[test]
fn a_position_is_answered_before_the_next_one_comes() {
    let mut child = emilia(&["solve", "-", "--json", "--hash", "1"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for position in positions().take(3) {
        writeln!(stdin, "{position}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.contains(&position.to_string()), "{line}");
    }
    drop(stdin);
    assert!(end(&mut child).success());
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_the_solving_quietly() {
    let file: String = positions().take(50).map(|position| format!("{position}\n")).collect();
    let mut child = emilia(&["solve", "-", "--hash", "1"]).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(file.as_bytes()).unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    // The pipe into the process stays open: it ends because nobody reads, not because there is nothing left.
    let feeder = std::thread::spawn(move || while stdin.write_all(file.as_bytes()).is_ok() {});
    assert!(end(&mut child).success());
    feeder.join().unwrap();
    assert_eq!(stderr_of(&mut child), "");
}

#[test]
fn the_ffo_positions_are_solved_by_the_program() {
    let Some(file) = shared_data("ffo-1-19.obf") else { return };
    for arguments in [&[][..], &["--wld"]] {
        let (code, lines, totals) = solve_json(arguments, &file);
        assert_eq!((code, &totals["checked"]), (0, &19.into()), "{arguments:?} {lines:?}");
    }
}

#[test]
fn a_table_that_is_the_same_every_time_has_no_times() {
    let position = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X\n";
    let table = |more: &[&str]| said(&[&["solve", "-", "--threads", "1", "--hash", "1"], more].concat(), position).1;
    let rows = |table: String| table.lines().nth(1).unwrap().to_owned();
    let [timed, untimed] = [&[][..], &["--reproducible"]].map(|more| rows(table(more)));
    assert!(timed.matches('.').count() == 2 && !untimed.contains('.'), "{timed}\n{untimed}");
    assert_eq!(timed.find(" H5"), untimed.find(" H5"), "the columns stay");
    let one =
        answers(&["analyze", "--position", "f5", "--depth", "4", "--table", "--reproducible", "--threads", "1"], "");
    assert!(one.ends_with(" nodes\n"), "{one}");
}

/// The best move so far may be solved while others, of which one is better, are not.
#[test]
fn what_is_true_of_one_move_alone_is_no_solution() {
    let known = [
        ("OOOX-XOOOOOX-XOOOOOOXXOXOOOXOX--OXXXOX----XOOXX-XXOXXXXXOOOOOOOX O", 50, "win"),
        ("OOO-O-X-OXOOOXO--XOOX----XXXXXXXOXXOXOX-XXXXOXXXXXOOXXXOXXXXXXO- O", 0, "draw"),
    ];
    for (position, score, result) in known {
        for (engine, nodes) in [("best-first", "1000"), ("extension", "1000"), ("rbfms", "20000")] {
            let limited = ["solve", "--json", "--position", position, "--engine", engine, "--nodes", nodes];
            let (_, out, err) = said(&[&limited[..], &["--threads", "1"]].concat(), "");
            let answer: Value = serde_json::from_str(out.lines().next().unwrap_or(&err)).unwrap();
            assert!([Value::Null, score.into()].contains(&answer["score"]), "{engine}: {answer}");
            assert!([Value::Null, result.into()].contains(&answer["result"]), "{engine}: {answer}");
        }
    }
}

#[test]
fn who_wins_alone_is_not_solved_unless_it_was_asked_for() {
    let position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X";
    let solve = |more: &[&str]| {
        let (code, lines, _) =
            said(&[&["solve", "-", "--json", "--engine", "uct", "--nodes", "1000000"], more].concat(), position);
        (code, json_lines(&lines))
    };
    let (code, lines) = solve(&[]);
    assert_eq!((code, &lines[0]["result"]), (2, &Value::Null));
    assert!(lines[0]["estimate"].is_number() && lines[0]["depth"] == "100%W", "{lines:?}");
    let (code, lines) = solve(&["--wld"]);
    assert_eq!((code, lines[0]["result"].as_str()), (0, Some("win")));
}

#[test]
fn a_game_that_is_over_has_no_moves_and_says_so() {
    let solve = |more: &[&str]| json_lines(&said(&[&["solve", "-", "--json"], more].concat(), OVER).1).remove(0);
    assert_eq!(solve(&["--moves"])["moves"], serde_json::json!([]));
    assert_eq!(solve(&[])["moves"], Value::Null);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_need_not_be_utf8_and_what_must_be_is_named() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(std::ffi::OsStr::from_bytes(b"na\xffme.txt"));
    std::fs::write(&file, "f5d6\n").unwrap();
    for (command, exit) in [("solve", 2), ("analyze", 0)] {
        let output = emilia(&[command, "--depth", "1"]).arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(exit), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let output = emilia(&["gtp", "--book"]).arg(&file).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("me.txt': expected UTF-8"), "{error}");
    assert_eq!(output.status.code(), Some(2));
}
