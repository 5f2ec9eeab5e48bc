//! `emilia play`: by pipe, and in a real terminal.

use crate::convert::file;
use crate::serve::{self, answers};
use crate::terminal::Terminal;
use crossbeam::channel::{Sender, bounded};
use emilia::engine::{Engine, EngineOptions};
use emilia::notation::ggf;
use emilia::notation::transcript;
use emilia::othello::{Color, GameRecord, Move};
use emilia::play::{Opponent, Person, Said, Session};
use emilia::render::Palette;
use std::io;
use std::time::Duration;

/// The arguments of a game that is the same every time.
const FIXED: &[&str] = &["play", "--level", "2", "--seed", "5", "--threads", "1", "--hash", "1"];

fn said(arguments: &[&str], input: &str) -> String {
    let text = answers(&[FIXED, arguments].concat(), input);
    let names_file = |line: &str| line.contains(".ggf") || line.contains(".pgn");
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 80 || names_file(line)), "{text}");
    text
}

#[test]
fn a_game_by_pipe_has_boards_hints_and_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "game.ggf");
    let script = format!("f5\nhint 2\nundo\ne6\nf1\nmoves\nsave {file}\nsave {file}\nlevel\nhlep\nquit\n");
    let text = said(&[], &script);
    assert!(
        text.starts_with("You play black against Emilia, level 2 (novice).\n'help' lists the commands.\n"),
        "{text}"
    );
    assert_eq!(text.matches("Emilia plays ").count(), 2 + 1, "two moves, and the level: {text}");
    assert!(text.contains("black 2, white 2; black to move"), "{text}");
    assert!(text.contains("Illegal: f1 turns no disc for black."), "{text}");
    assert!(text.contains("Emilia plays at level 2 (novice): about 4 discs lost a move."), "{text}");
    assert!(text.contains("did you mean 'help'?"), "{text}");
    let hints = text
        .lines()
        .filter(|line| ["  book ", "  depth ", "  exact "].iter().any(|source| line.contains(source)))
        .count();
    assert_eq!(hints, 2, "{text}");
    let game = ggf::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((game.black.name.as_str(), game.white.name.as_str(), game.record.turns().len()), ("you", "Emilia 2", 2));
    assert!(game.timing[0].seconds.is_some() && game.timing[1].eval.is_some(), "{:?}", game.timing);
    let moves = transcript::Transcript(&game.record).to_string();
    assert!(moves.starts_with("e6") && text.contains(&format!("\n{moves}\n")), "{text}");
    // The ending says the format.
    let other = folder.path().join("game.pgn").display().to_string();
    let text = said(&["--load", &file], &format!("save {other}\n"));
    assert!(text.contains(&format!("Saved to {other}, without ")), "{text}");
    assert!(std::fs::read_to_string(&other).unwrap().contains("\n1. e6 "), "{text}");
    // Loaded again, from the other side.
    let text = said(&["--color", "white", "--load", &file], "board\n");
    assert!(text.contains("Emilia plays ") && text.contains("white to move"), "{text}");
    // Somebody else's file is left alone.
    let text = said(&[], &format!("save {file}\nload no/such/file\n"));
    assert!(
        text.contains("is there already; choose another name.") && text.contains("no/such/file: not found"),
        "{text}"
    );
}

#[test]
fn a_book_is_walked_through() {
    let folder = tempfile::tempdir().unwrap();
    let book = file(&folder, "book");
    serve::said(&["book", "new", &book], "");
    serve::said(&["book", "learn", &book, "-"], "f5d6c3\n");
    serve::said(&["book", "grow", &book, "--depth", "2", "--threads", "1", "--positions", "60"], "");
    let text = said(&["--color", "both", "--book", &book], "book\nf5\nbook\nd6c3\nundo\nbook\n");
    let tables: Vec<&str> = text.split("\nmove ").skip(1).collect();
    assert_eq!(tables.len(), 3, "{text}");
    assert!(tables[1].contains("visits  games  line\n") && tables[2].contains("\nc3 "), "{text}");
    let best: Vec<&str> = tables[1].lines().nth(1).unwrap().split_whitespace().collect();
    let label = format!("{:+}", best[1].parse::<f64>().unwrap().round());
    assert!(text.split("\nmove ").nth(1).unwrap().contains(&format!(" {label} ")), "{label} on the board: {text}");
    let text = said(&["--color", "both", "--book", "none"], "book\n");
    assert!(text.contains("There is no opening book; '--book FILE' names one."), "{text}");
    let text = said(&["--color", "both"], "f5f4g3\nbook\nbok\n");
    assert!(text.contains("The opening book does not have this position."), "{text}");
    assert!(text.contains("did you mean 'book'?"), "{text}");
}

#[test]
fn both_sides_are_played_to_the_end() {
    let mut rest = GameRecord::default();
    let mut script = String::new();
    while !rest.position().is_over() {
        let turn = rest.position().moves().into_iter().next().map_or(Move::Pass, Move::Place);
        if turn != Move::Pass {
            script += &format!("{turn}\n");
        }
        rest.take(turn).unwrap();
    }
    let text = said(&["--color", "both"], &format!("{script}a1\nundo\nboard\n"));
    let position = rest.position();
    let score = position.score_for_black();
    let winner = if score > 0 { "black wins" } else { "white wins" };
    let discs = [Color::Black, Color::White].map(|color| position.discs(color).count());
    let end = format!("black {}, white {}: {winner} by {}", discs[0], discs[1], score.abs());
    assert!(text.contains(&end), "{end}\n{text}");
    assert!(text.contains("The game is over; 'undo' takes a move back"), "{text}");
    assert!(text.contains("Turning point: black's ") || text.contains("Turning point: white's "), "{text}");
    assert!(text.trim_end().ends_with("to move"), "{text}");
}

#[test]
fn moves_are_pasted_taken_back_played_again_and_given_up() {
    let text = said(&["--color", "both"], "f5d6c3\nundo\nundo\nredo\nredo\nredo\nmoves\nd9f4\na1a1\nquit\n");
    assert!(text.contains("Nothing was taken back that could be played again."), "{text}");
    assert!(text.contains("\nf5d6c3\n") && text.contains("'d9f4' is no move and no command"), "{text}");
    assert!(text.contains("Move 1 is illegal: a1 turns no disc for white. None of them was played."), "{text}");
    // Emilia's answer comes back with the move that it answers.
    let text = said(&[], "f5\nmoves\nundo\nredo\nmoves\n");
    let moves: Vec<&str> = text.lines().filter(|line| line.starts_with("f5")).collect();
    assert!(moves.len() == 2 && moves[0] == moves[1] && moves[0].len() == 4, "{text}");
    // Who played both sides keeps the one to move.
    let text = said(&["--color", "both"], "f5\nswap\nd6\nquit\n");
    assert!(text.contains("You play white now, and Emilia plays black."), "{text}");
    assert_eq!(text.matches("Emilia plays ").count(), 2, "what it plays, and a move: {text}");
    // What Emilia has played since for the other side is not played over.
    let text = said(&[], "go\ngo\nundo\nswap\nredo\nquit\n");
    assert!(text.contains("Nothing was taken back that could be played again."), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "resigned.ggf");
    let text = said(&[], &format!("f5\nmoves\nresign\nd3\nswap\nsave {file}\nundo\nmoves\n"));
    assert!(text.contains("; black resigns: Emilia wins"), "{text}");
    assert_eq!(text.matches("The game is over; 'undo' takes").count(), 2, "{text}");
    let moves: Vec<&str> = text.lines().filter(|line| line.starts_with("f5")).collect();
    assert!(moves.len() == 2 && moves[0] == moves[1] && moves[0].len() == 4, "{text}");
    let (_, after) = text.rsplit_once("The game is over").unwrap();
    assert!(
        ["Diagonal", "Parallel", "Perpendicular"]
            .iter()
            .any(|name| after.contains(&format!("black to move; {name}\n"))),
        "{text}"
    );
    assert!(std::fs::read_to_string(&file).unwrap().contains("RE[-64.000:r]"));
    // Who did not mean to give up has the game back as it was.
    let text = said(&[], "f5\nresign\nundo\nmoves\n");
    assert!(text.lines().any(|line| line.starts_with("f5") && line.len() == 4), "{text}");
    assert!(said(&[], "resign\nundo\nf5\n").contains("Emilia plays"));
}

#[test]
fn a_saved_game_goes_on_as_it_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let [first, again, both] = ["mid.ggf", "again.ggf", "both.ggf"].map(|name| file(&folder, name));
    let play = |arguments: &[&str], script: &str| {
        answers(&[&["play", "--seed", "5", "--threads", "1", "--hash", "1"], arguments].concat(), script)
    };
    play(&["--color", "white", "--level", "1"], &format!("save {first}\n"));
    let seats = "You play white against Emilia, level 1 (";
    let text = play(&["--load", &first], "level\n");
    assert!(text.starts_with(seats) && text.contains("plays at level 1") && !text.contains("Emilia plays f"), "{text}");
    // What is said goes before what the file says.
    let text = play(&["--load", &first, "--color", "both", "--level", "3"], "level\n");
    assert!(text.starts_with("You play both sides.\n") && text.contains("plays at level 3"), "{text}");
    // A game that goes on from a file says who plays, where that changes.
    let text = play(&[], &format!("load {first}\nload {first}\n"));
    assert!(text.starts_with("You play black against Emilia, level 4") && text.matches(seats).count() == 1, "{text}");
    // Saved again, it is as it is now.
    play(&["--load", &first], &format!("level 3\nswap\nsave {again}\n"));
    assert!(play(&["--load", &again], "").starts_with("You play black against Emilia, level 3 ("));
    play(&["--color", "both"], &format!("f5\nsave {both}\n"));
    assert!(play(&["--load", &both], "").starts_with("You play both sides.\n"));
}

#[test]
fn a_game_is_pasted_by_white_too() {
    let text = said(&["--color", "white"], "f5d6c3d3c4\nmoves\nnew\nf5d6c3c3\nd6a1\n");
    assert!(text.lines().any(|line| line.starts_with("f5d6c3d3c4") && line.len() == 10), "{text}");
    assert!(text.contains("Move 4 is illegal: c3 is") && text.contains("Move 2 is illegal: a1 turns"), "{text}");
    // Emilia has not thought about the moves that are said for it.
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "pasted.ggf");
    said(&["--color", "white", "--clock", "300"], &format!("f5d6c3d3c4\nsave {file}\n"));
    let game = std::fs::read_to_string(&file).unwrap();
    assert!(game.contains("B[F5]W[D6]B[C3]W[D3]B[C4]"), "{game}");
}

#[test]
fn what_a_file_is_and_cannot_hold_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let [wthor, other, clock, packed] = ["g.wtb", "g.foo", "c.ggf", "c.ggf.gz"].map(|name| file(&folder, name));
    let said = format!("save {wthor}\nsave {other}\nsave {clock}\nsave {packed}\n");
    let text = answers(&[FIXED, &["--clock", "move:5"]].concat(), said);
    assert!(text.contains("expected a name without .gz") && !std::path::Path::new(&packed).exists(), "{text}");
    assert!(text.contains("games of WTHOR are no text") && !std::path::Path::new(&wthor).exists(), "{text}");
    assert!(text.contains(&format!("Saved to {other} as GGF, without the clock.\n")), "{text}");
    assert!(text.contains(&format!("Saved to {clock}, without the clock.\n")), "{text}");
}

/// A person whose lines are known, and who is told when the time runs out where the script says nothing.
pub struct Script<F> {
    read: F,
    prompts: Vec<String>,
    interrupted: Vec<String>,
}

impl<F: FnMut() -> Said> Script<F> {
    pub fn new(read: F) -> Script<F> {
        Script { read, prompts: Vec::new(), interrupted: Vec::new() }
    }
}

impl<F: FnMut() -> Said> Person for Script<F> {
    fn ask(&mut self, prompt: &str) -> io::Result<()> {
        self.prompts.push(prompt.to_owned());
        Ok(())
    }

    fn line(&mut self, _within: Option<Duration>) -> io::Result<Said> {
        Ok((self.read)())
    }

    fn interrupt(&mut self, text: &str) -> io::Result<()> {
        self.interrupted.push(text.to_owned());
        Ok(())
    }
}

/// A game against level 2 with this clock: what was said, the prompts, and what the person was told while it thought. Where a line of the
/// script is empty, the time runs out.
fn timed(person: Option<Color>, clock: &str, lines: &[&str]) -> (String, Vec<String>, Vec<String>) {
    let level = "2".parse().unwrap();
    let options = EngineOptions { level, seed: 5, threads: 1, hash_mb: 1, ..EngineOptions::default() };
    let opponent = Opponent::new(Engine::new(options));
    let mut session = Session::new(opponent, person, Palette::Plain).with_clocks(clock.parse().unwrap());
    let mut lines = lines.iter();
    let mut script = Script::new(|| match lines.next() {
        Some(&"") => Said::Nothing,
        Some(line) => Said::Line((*line).to_owned()),
        None => Said::Goodbye,
    });
    let mut output = Vec::new();
    session.run(&mut script, &mut output).unwrap();
    let Script { prompts, interrupted, .. } = script;
    (String::from_utf8(output).unwrap(), prompts, interrupted)
}

#[test]
fn both_sides_have_a_clock_which_goes_back_with_the_game() {
    let (said, prompts, _) = timed(Some(Color::Black), "90000+60", &["f5", "undo", "redo", "board", "new"]);
    assert!(said.starts_with(
        "You play black against Emilia, level 2 (novice).\nEach side has 1500:00 and 60 s a move. 'help' lists"
    ));
    let times: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("time left: ")).collect();
    let is_full = |times: &&str| *times == "black 1500:00, white 1500:00";
    assert_eq!(times.iter().map(is_full).collect::<Vec<_>>(), [true, false, true, false, false, true], "{said}");
    // No move takes the minute that it brings.
    let has_more = |times: &&str| times.split(", ").all(|side| side.ends_with("1501:00") || side.contains(" 1500:"));
    assert!(times.iter().filter(|times| !is_full(times)).all(has_more), "{said}");
    assert!(prompts.len() == 6 && prompts.iter().all(|prompt| prompt.starts_with("black 1") && prompt.ends_with("> ")));
    // Of a paste the first move brings a minute.
    let (said, ..) = timed(None, "90000+60", &["f5d6c3d3c4"]);
    assert!(said.ends_with("time left: black 1501:00, white 1500:00\n"), "{said}");
    let (said, prompts, _) = timed(None, "move:30", &["f5"]);
    assert!(said.contains("Each side has 30 s a move.") && prompts[1].starts_with("white 0:"), "{said}");
}

#[test]
fn a_resignation_that_is_taken_back_gives_no_time_back() {
    let level = "2".parse().unwrap();
    let options = EngineOptions { level, seed: 5, threads: 1, hash_mb: 1, ..EngineOptions::default() };
    let opponent = Opponent::new(Engine::new(options));
    let mut session = Session::new(opponent, None, Palette::Plain).with_clocks("30".parse().unwrap());
    // The person thinks before giving up; then nobody's clock runs.
    let mut lines = [(1100, "resign"), (3000, "undo"), (0, "board")].into_iter();
    let mut script = Script::new(|| match lines.next() {
        Some((milliseconds, line)) => {
            std::thread::sleep(Duration::from_millis(milliseconds));
            Said::Line(line.to_owned())
        }
        None => Said::Goodbye,
    });
    let mut output = Vec::new();
    session.run(&mut script, &mut output).unwrap();
    let said = String::from_utf8(output).unwrap();
    let times: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("time left: ")).collect();
    assert_eq!(times[0], "black 0:30, white 0:30");
    let left = |times: &str| times["black 0:".len()..].split(',').next().unwrap().parse::<u32>().unwrap();
    let left: Vec<u32> = times.iter().map(|times| left(times)).collect();
    assert!(left.len() == 4 && left[1..].iter().all(|left| (27..30).contains(left)), "{said}");
}

#[test]
fn who_runs_out_of_time_loses_and_may_play_on() {
    let folder = tempfile::tempdir().unwrap();
    let (lost, undone) = (file(&folder, "lost.ggf"), file(&folder, "undone.ggf"));
    let (save_lost, save_undone) = (format!("save {lost}"), format!("save {undone}"));
    let script = ["f5", "", "moves", "go", &save_lost, "undo", "undo", "redo", "undo", &save_undone];
    let (said, prompts, told) = timed(Some(Color::Black), "90000", &script);
    assert_eq!(told, ["Your time is over: Emilia wins on time. You can play on without clocks.\n"]);
    assert_eq!(prompts.iter().filter(|prompt| prompt.as_str() == "black> ").count(), 3, "{prompts:?}");
    assert!(said.contains("black ran out of time: Emilia wins\n"), "{said}");
    let lost = std::fs::read_to_string(lost).unwrap();
    assert!(lost.contains("RE[-64.000:t]") && lost.contains("TI[25:00:00"), "{lost}");
    let undone = std::fs::read_to_string(undone).unwrap();
    assert!(!undone.contains("RE[") || undone.contains("RE[?]"), "{undone}");
    assert!(said.trim_end().ends_with(&format!("Saved to {}.", save_undone.split_once(' ').unwrap().1)), "{said}");
    let redone = file(&folder, "redone.ggf");
    timed(Some(Color::Black), "90000", &["f5", "", "undo", "redo", &format!("save {redone}")]);
    assert!(std::fs::read_to_string(redone).unwrap().contains("RE[?]"), "the clocks run again");
    let (said, _, told) = timed(None, "60", &["f5", ""]);
    assert!(
        told[0].starts_with("White's time is over: black wins on time.") && !said.contains("Emilia plays"),
        "{said}"
    );
}

#[test]
fn a_game_that_was_loaded_is_saved_with_its_players_and_the_clock_that_it_was_played_with() {
    let folder = tempfile::tempdir().unwrap();
    let [loaded, saved] = ["loaded.ggf", "saved.ggf"].map(|name| file(&folder, name));
    let board = "BO[8 ---------------------------O*------*O--------------------------- *]";
    std::fs::write(&loaded, format!("(;GM[Othello]PC[x]PB[ada]PW[bob]TI[5:00]TY[8]{board}B[F5]W[D6];)")).unwrap();
    for (clock, expected) in [(&["--clock", "90000+2"][..], "TI[25:00:00/2/0]"), (&[], "TI[5:00]")] {
        let text = said(&[clock, &["--load", &loaded]].concat(), &format!("c3\nsave {saved}\n"));
        let game = std::fs::read_to_string(&saved).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert!(game.contains(expected) && game.contains("PB[ada]PW[bob]"), "{game}");
        std::fs::remove_file(&saved).unwrap();
    }
}

#[test]
fn any_game_of_a_file_is_gone_on_with_and_its_moves_are_those_of_its_players() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "two.ggf");
    std::fs::write(&file, "f5d6\ne6f4e3f6g5d6e7f5c5\n").unwrap();
    let text = said(&[], &format!("load {file}\nload {file} 2\nundo\nload {file} 3\n"));
    assert!(text.contains("there is no game 3; it has 2") && text.contains("Turning point: "), "{text}");
    assert!(!text.contains("you win") && !text.contains("Your worst") && text.contains("Black's worst move"), "{text}");
    assert!(said(&["--load", &file, "--game", "2"], "").contains(" wins by "));
    // A board, and a FEN.
    for board in ["---------------------------OX------XXX-------------------------- O", "8/8/8/3ox3/3xxx2/8/8/8 o"] {
        let text = said(&["--color", "white"], &format!("setboard {board}\n"));
        assert!(text.trim_end().ends_with("black 4, white 1; white to move"), "{text}");
    }
    assert!(said(&[], "setboard\nsetboard x\n").contains("setboard: expected 64 squares and the side to move"));
}

#[test]
fn moves_are_those_of_who_chose_them() {
    // After `swap` the only move of the person is one of four that are alike.
    let text = said(&[], "f5\nswap\nresign\n");
    assert!(text.contains("Emilia wins") && !text.contains("Your worst"), "{text}");
    let text = said(&[], "f5\ngo\ngo\ngo\ngo\nresign\n");
    assert!(text.contains("Emilia wins") && !text.contains("Your worst"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let [loaded, saved] = ["strangers.txt", "saved.ggf"].map(|name| file(&folder, name));
    std::fs::write(&loaded, "f5d6c3d3\n").unwrap();
    said(&[], &format!("load {loaded}\nsave {saved}\n"));
    let game = std::fs::read_to_string(saved).unwrap();
    assert!(game.contains("W[D3]") && game.contains("PB[]PW[]"), "{game}");
}

#[test]
fn a_hint_begins_with_the_moves_of_the_book() {
    let text = said(&["--color", "both"], "f5d6c3d3c4f4f6g5\nhint 64\nhint 1\n");
    let found: Vec<&str> = text.lines().filter(|line| line.contains("  book ") || line.contains("  depth ")).collect();
    let moves: Vec<&str> = found.iter().map(|line| &line[..4]).collect();
    let (all, best) = moves.split_at(11);
    assert!(best == [all[0]], "eleven legal moves, then the best of them: {text}");
    let of_book = found.iter().take_while(|line| line.contains("  book ")).count();
    assert!((1..11).contains(&of_book) && found[of_book..11].iter().all(|line| line.contains("  depth ")), "{text}");
    assert_eq!(all.iter().collect::<std::collections::HashSet<_>>().len(), 11, "no move is named twice: {text}");
    let text = said(&["--color", "both", "--book", "none"], "f5d6\nhint\n");
    assert!(!text.contains("  book ") && text.contains("  depth "), "{text}");
}

#[test]
fn a_game_that_was_loaded_keeps_its_comments_and_its_result_until_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "loaded.ggf");
    let game = "(;GM[Othello]PB[ada]PW[bob]RE[+64.000:t]TY[8]B[f5]CO[one]W[d6]CO[two]B[c3]CO[three];)";
    for (script, expected) in [
        ("", &["RE[+64.000:t]", "CO[one]", "CO[two]", "CO[three]"][..]),
        ("undo\nundo\nredo\n", &["RE[?]", "CO[one]", "CO[two]"]),
        ("undo\nundo\nredo\nredo\n", &["RE[+64.000:t]", "CO[one]", "CO[two]", "CO[three]"]),
        ("undo\n", &["RE[?]", "CO[one]", "CO[two]"]),
        ("d3\n", &["RE[?]", "CO[three]"]),
    ] {
        std::fs::write(&file, game).unwrap();
        let text = said(&["--color", "both", "--load", &file], &format!("{script}save {file}\n"));
        let saved = std::fs::read_to_string(&file).unwrap();
        assert!(expected.iter().all(|part| saved.contains(part)), "{saved} {text}");
        assert_eq!(saved.contains("CO[three]"), !["undo\n", "undo\nundo\nredo\n"].contains(&script), "{saved}");
    }
}

#[test]
fn only_a_file_that_has_nothing_but_the_game_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "games.ggf");
    let game = "(;GM[Othello]PB[ada]PW[bob]TY[8]B[f5]W[d6];)\n";
    for (archive, is_written) in [
        (game.repeat(2), false),
        (game.to_owned(), true),
        (format!("{game}# the first of May\n"), false),
        (format!("{game}% (;)\n"), false),
        (format!("# the first of May\n{game}"), false),
        (game.replace(";)\n", "W[e"), false),
    ] {
        std::fs::write(&file, &archive).unwrap();
        let arguments = [FIXED, &["--color", "both", "--load", &file]].concat();
        let (code, text, warning) = serve::said(&arguments, format!("c3\nsave {file}\n"));
        assert_eq!(
            (code, warning.contains("the file ends within the game")),
            (0, archive.ends_with("W[e")),
            "{warning}"
        );
        assert_eq!(text.contains("Saved to "), is_written, "{text}");
        assert_eq!(text.contains("is there already; choose another name."), !is_written, "{text}");
        assert_eq!(std::fs::read_to_string(&file).unwrap() != archive, is_written);
    }
}

#[test]
fn an_interrupt_while_emilia_thinks_makes_her_move_at_once() {
    let (sender, interrupts) = bounded(0);
    let time = Some(Duration::from_secs(600));
    let options = EngineOptions { threads: 1, hash_mb: 1, time, book: None, ..EngineOptions::default() };
    let opponent = Opponent::new(Engine::new(options)).with_interrupts(interrupts);
    let mut session = Session::new(opponent, Some(Color::Black), Palette::Plain);
    let mut lines = ["f5d6c3d3c4f4f6g5e3f3g6", "moves"].into_iter();
    let mut script = Script::new(|| lines.next().map_or(Said::Goodbye, |line| Said::Line(line.to_owned())));
    let mut output = Vec::new();
    std::thread::scope(|scope| {
        // Only a search takes it; the first is Emilia's move.
        let sent = scope.spawn(move || sender.send_timeout((), Duration::from_secs(60)));
        session.run(&mut script, &mut output).unwrap();
        assert_eq!(sent.join().unwrap(), Ok(()));
    });
    let said = String::from_utf8(output).unwrap();
    assert!(said.contains("Emilia plays ") && said.contains("\nf5d6c3d3c4f4f6g5e3f3g6"), "{said}");
}

/// What is written, up to a flush behind some words; then the sender is let go.
struct Heard<'a> {
    text: &'a mut String,
    words: &'a str,
    begin: Option<Sender<()>>,
}

impl io::Write for Heard<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.text += std::str::from_utf8(bytes).unwrap();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.text.contains(self.words) {
            self.begin = None;
        }
        Ok(())
    }
}

#[test]
fn the_last_board_is_seen_before_the_review_which_an_interrupt_ends() {
    let (sender, interrupts) = bounded(0);
    let options = EngineOptions { threads: 1, hash_mb: 1, book: None, ..EngineOptions::default() };
    let opponent = Opponent::new(Engine::new(options)).with_interrupts(interrupts);
    let mut session = Session::new(opponent, None, Palette::Plain);
    let mut lines = ["f5d6c3d3c4f4f6g5e3f3g6e2h5c5g4g3f2", "resign"].into_iter();
    let mut script = Script::new(|| lines.next().map_or(Said::Goodbye, |line| Said::Line(line.to_owned())));
    let mut said = String::new();
    let (begin, begun) = bounded(0);
    let output = Heard { text: &mut said, words: "resigns: ", begin: Some(begin) };
    std::thread::scope(|scope| {
        let sent = scope.spawn(move || {
            begun.recv().unwrap_err();
            sender.send_timeout((), Duration::from_secs(60))
        });
        session.run(&mut script, output).unwrap();
        assert_eq!(sent.join().unwrap(), Ok(()));
    });
    assert!(said.contains("resigns: ") && !said.contains("worst move"), "{said}");
}

#[test]
fn words_behind_a_command_that_takes_none_are_refused() {
    let text = said(&["--color", "both"], "\u{feff}f5d6\nundo 2\nquit now\nmoves\n");
    assert!(text.contains("undo: expected nothing behind it\nquit: expected nothing behind it\nf5d6\n"), "{text}");
}

#[test]
fn a_clock_is_said_as_in_a_match() {
    let text = said(&["--clock", "move:3600"], "f5\n");
    assert!(
        text.contains("Each side has 3600 s a move.") && text.contains("time left: black 60:00, white 60:00"),
        "{text}"
    );
    let (code, _, stderr) = serve::said(&["play", "--clock", "5:00"], "");
    assert!(code == 2 && stderr.contains("expected seconds for the game such as 60"), "{stderr}");
}

#[test]
fn a_level_that_is_none_is_refused_with_what_there_is() {
    let (code, _, stderr) = serve::said(&["play", "--level", "9"], "");
    assert!(code == 2 && stderr.contains("from 1 (beginner) to 8 (full strength)"), "{stderr}");
}

#[test]
fn a_terminal_has_a_prompt_and_colours_unless_they_are_not_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_emilia");
    let line = |environment: &str| {
        let command = format!("env LC_ALL=C.UTF-8 TERM=xterm-256color {environment} '{program}' {}", FIXED.join(" "));
        format!("trap : INT; {command}; echo and left; sleep 60")
    };
    let Some(terminal) = Terminal::start(file(&folder, "colored"), &line("NO_COLOR=")) else { return };
    let screen = terminal.wait_for("black>");
    assert!(screen.contains("\x1b[") && screen.contains('\u{25cf}'), "{screen}");
    terminal.say("f5");
    terminal.wait_for("Emilia plays ");
    // A line that was said before comes back with the arrow.
    terminal.say("level");
    terminal.wait_for("Emilia plays at level 2");
    terminal.press("Up");
    terminal.press("Space");
    terminal.say("3");
    terminal.say("level");
    terminal.wait_for("Emilia plays at level 3");
    terminal.say("hint");
    let screen = terminal.wait_for(" book ");
    let plain: String = strip_codes(&screen);
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
    drop(terminal);
    let Some(terminal) = Terminal::start(file(&folder, "plain"), &line("NO_COLOR=1")) else { return };
    let screen = terminal.wait_for("black>");
    assert!(screen.is_ascii() && !screen.contains("\x1b[4"), "{screen}");
    assert!(screen.contains("4  -  -  .  O  X  -  -  -  4"), "{screen}");
    terminal.press("C-c");
    terminal.wait_for("Ctrl-C again leaves the game");
    terminal.press("C-c");
    terminal.wait_for("and left");
}

#[test]
#[cfg(unix)]
fn an_interrupt_of_nothing_warns_first_and_a_signal_to_terminate_ends_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_emilia");
    let [pid, pipe] = ["pid", "pipe"].map(|name| file(&folder, name));
    let run = |program: &str, arguments: &[&str]| {
        assert!(std::process::Command::new(program).args(arguments).status().unwrap().success())
    };
    let signal = |name| run("kill", &[name, std::fs::read_to_string(&pid).unwrap().trim()]);
    run("mkfifo", &[&pipe]);
    let play = format!("{program} play --level 8 --time 600 --book none --threads 1 --hash 1");
    let start = |socket| {
        let line = format!("sh -c 'echo $$ > {pid}; exec {play}'; echo ended with $?; sleep 60");
        let terminal = Terminal::start(file(&folder, socket), &line)?;
        terminal.wait_for("black>");
        Some(terminal)
    };
    let Some(terminal) = start("first") else { return };
    terminal.say(&format!("load {pipe}"));
    // This waits for the reader, who then waits for a game.
    let _writer = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    signal("-INT");
    terminal.wait_for("Ctrl-C again leaves");
    signal("-INT");
    terminal.wait_for("ended with 130");
    drop(terminal);
    let Some(terminal) = start("second") else { return };
    terminal.say("f5d6c3");
    std::thread::sleep(Duration::from_millis(500));
    signal("-TERM");
    terminal.wait_for("ended with 143");
    drop(terminal);
    // While a line is typed the terminal is another one; it is given back as it was.
    let line = format!(
        "stty > {pid}.before; sh -c 'echo $$ > {pid}; exec {play}'; stty > {pid}.after; echo ended with $?; sleep 60"
    );
    let terminal = Terminal::start(file(&folder, "third"), &line).unwrap();
    terminal.wait_for("black>");
    signal("-TERM");
    terminal.wait_for("ended with");
    let [before, after] = ["before", "after"].map(|name| std::fs::read_to_string(format!("{pid}.{name}")).unwrap());
    assert!(!before.is_empty() && before == after, "{before}{after}");
}

/// A text without ANSI codes.
fn strip_codes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, code)) = rest.split_once("\x1b[") {
        plain += before;
        rest = code.split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}
