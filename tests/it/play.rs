//! `emilia play`: by pipe, and in a real terminal.

use crate::convert::file;
use crate::serve::{self, answers};
use crate::terminal::Terminal;
use emilia::notation::ggf;
use emilia::notation::transcript;
use emilia::othello::{Color, GameRecord, Move};

/// The arguments of a game that is the same every time.
const FIXED: &[&str] = &["play", "--level", "2", "--draw", "5", "--threads", "1", "--hash", "1"];

fn said(arguments: &[&str], input: &str) -> String {
    let text = answers(&[FIXED, arguments].concat(), input);
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 80 || line.contains(".ggf")), "{text}");
    text
}

#[test]
fn a_game_by_pipe_has_boards_hints_and_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "game.ggf");
    let script = format!("f5\nhint 2\nundo\ne6\nf1\nmoves\nsave {file}\nsave {file}\nlevel\nhlep\nquit\n");
    let text = said(&[], &script);
    assert!(
        text.starts_with("You play black against Emilia, level 2 (novice). 'help' lists the commands.\n"),
        "{text}"
    );
    assert_eq!(text.matches("Emilia plays ").count(), 2 + 1, "two moves, and the level: {text}");
    assert!(text.contains("black 2, white 2; black to move"), "{text}");
    assert!(text.contains("Illegal: f1 turns no disc for black."), "{text}");
    assert!(text.contains("Emilia plays at level 2 (novice): about 4 discs lost a move."), "{text}");
    assert!(text.contains("did you mean 'help'?"), "{text}");
    let hints = text.lines().filter(|line| line.contains("depth ") || line.contains("exact ")).count();
    assert_eq!(hints, 2, "{text}");
    let game = ggf::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((game.black.name.as_str(), game.white.name.as_str(), game.record.turns().len()), ("you", "Emilia 2", 2));
    assert!(game.timing[0].seconds.is_some() && game.timing[1].eval.is_some(), "{:?}", game.timing);
    let moves = transcript::Transcript(&game.record).to_string();
    assert!(moves.starts_with("e6") && text.contains(&format!("\n{moves}\n")), "{text}");
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
    assert!(text.contains("The turning point: black's ") || text.contains("The turning point: white's "), "{text}");
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
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder, "resigned.ggf");
    let text = said(&[], &format!("f5\nresign\nd3\nsave {file}\nundo\n"));
    assert!(text.contains("; black resigns: Emilia wins") && text.contains("The game is over; 'undo' takes"), "{text}");
    assert!(text.trim_end().ends_with("black to move"), "{text}");
    assert!(std::fs::read_to_string(&file).unwrap().contains("RE[-64.000:r]"));
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
        format!("env LC_ALL=C.UTF-8 TERM=xterm-256color {environment} '{program}' {}; sleep 60", FIXED.join(" "))
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
    let screen = terminal.wait_for("depth");
    let plain: String = strip_codes(&screen);
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
    drop(terminal);
    let Some(terminal) = Terminal::start(file(&folder, "plain"), &line("NO_COLOR=1")) else { return };
    let screen = terminal.wait_for("black>");
    assert!(screen.is_ascii() && !screen.contains("\x1b[4"), "{screen}");
    assert!(screen.contains("4  -  -  .  O  X  -  -  -  4"), "{screen}");
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
