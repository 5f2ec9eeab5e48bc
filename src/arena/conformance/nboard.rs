//! The checks of an engine that speaks NBoard.

use super::{Check, Checked, PASS, Probe, Stop, WIPE_OUT, failed, game, require, require_legal};
use crate::arena::player::{Pong, parse_move, pong};
use crate::notation::ggf::{Ggf, GgfClock};
use crate::notation::transcript::parse_turn;
use crate::notation::{AnnotatedGame, PlayerInfo};
use crate::othello::{GameRecord, Move, Position};
use std::time::{Duration, Instant};

pub(super) const CHECKS: &[Check] = &[
    ("ping without a greeting", pongs_at_once),
    ("pings that are not consecutive", pongs_any_number),
    ("unknown commands are ignored", ignores_unknown),
    ("go answers a legal move and does not play it", goes),
    ("the game as real clients write it", reads_the_game),
    ("move in every form", takes_moves),
    ("illegal moves and broken games change nothing", refuses_illegal),
    ("hints are well formed", hints),
    ("a ping stops a hint, and nothing of it comes afterwards", is_interrupted),
    ("a new game in the middle of a hint", takes_a_game_while_thinking),
    ("go answers a pass where it must", answers_pass),
    ("after the end of the game", survives_the_end),
    ("contempt, depth and learn", takes_settings),
    ("analysis is well formed", analyzes),
    ("long lines and bytes that are no text", survives_garbage),
    ("a whole game", plays_a_game),
    ("quit", quits),
    ("end of input", ends_with_its_input),
    ("end of input during a hint", ends_while_thinking),
    ("plain ASCII and nothing on the standard error", is_clean),
];

/// The depth at which the checks ask for moves, so that they do not take long.
const DEPTH: &str = "set depth 4";
/// How long after a pong stray lines are listened for.
const LISTEN: Duration = Duration::from_millis(300);

impl Probe {
    /// Pings, and returns the first line before the pong that answers a request, if there is one; every line must be well formed.
    fn sync(&mut self) -> Result<Option<String>, Stop> {
        // Real clients share one counter among engines.
        self.pings += 3;
        let command = format!("ping {}", self.pings);
        self.process.send(&command);
        let deadline = Instant::now() + self.wait();
        let mut answer = None;
        loop {
            let line = self.line(&command, deadline)?;
            match pong(&line, self.pings).or_else(failed)? {
                Some(Pong::Awaited) => {
                    self.is_ready = true;
                    return Ok(answer);
                }
                // The client passes over it.
                Some(Pong::Old) => continue,
                None => {}
            }
            well_formed(&line)?;
            answer = answer.or(Some(line).filter(|line| is_answer(line)));
        }
    }

    /// Sends a game, as NBoard does: game, depth, ping.
    fn set_game(&mut self, record: &GameRecord) -> Checked {
        self.set_game_text(&ggf(record))
    }

    fn set_game_text(&mut self, text: &str) -> Checked {
        self.process.send(&format!("set game {text}"));
        self.process.send(DEPTH);
        self.sync().map(drop)
    }

    /// Asks for a move.
    fn go(&mut self) -> Result<Move, Stop> {
        self.process.send("go");
        let deadline = Instant::now() + self.timeouts.thought;
        loop {
            let line = self.line("go", deadline)?;
            well_formed(&line)?;
            if let Some(("===", rest)) = line.trim_start().split_once(char::is_whitespace) {
                return parse_move(rest)
                    .map_or_else(|| failed(format!("not a move: '{line}'")), |timed| Ok(timed.turn));
            }
        }
    }

    /// Asks for a move, which has to be legal after this game.
    fn go_legally(&mut self, record: &GameRecord, asked: &str) -> Result<Move, Stop> {
        let turn = self.go()?;
        require_legal(record, turn, asked)?;
        Ok(turn)
    }

    /// The first line like this that comes within a time.
    fn listen(&mut self, time: Duration, wanted: fn(&str) -> bool) -> Result<Option<String>, Stop> {
        let deadline = Instant::now() + time;
        let mut found = None;
        while let Ok(line) = self.process.next_line(deadline)
            && line.at <= deadline
        {
            self.note_ascii(&line.text);
            well_formed(&line.text)?;
            found = found.or(Some(line.text).filter(|line| wanted(line)));
        }
        Ok(found)
    }
}

fn ggf(record: &GameRecord) -> String {
    let player = PlayerInfo { clock: Some(GgfClock::new(Duration::from_secs(300))), ..PlayerInfo::default() };
    let game = AnnotatedGame {
        place: "NBoard".to_owned(),
        date: "2026-11-21 06:12:38 GMT".to_owned(),
        black: player.clone(),
        white: player,
        ..AnnotatedGame::new(record.clone())
    };
    Ggf(&game).to_string()
}

fn is_decimal(text: &str) -> bool {
    !text.contains(['e', 'E']) && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Fails if the client would show an error for the line.
fn well_formed(line: &str) -> Checked {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((&word, arguments)) = words.split_first() else { return Ok(()) };
    let right = match word {
        "===" => parse_move(&arguments.join(" ")).is_some(),
        "search" | "book" => is_hint(arguments),
        "nodestats" => matches!(arguments, [nodes, seconds, ..] if nodes.parse::<i64>().is_ok() && is_decimal(seconds)),
        "analysis" => matches!(arguments, [turns, value, ..] if turns.parse::<u32>().is_ok() && is_decimal(value)),
        "set" => arguments.first() == Some(&"myname"),
        "pong" => arguments.first().is_some_and(|number| number.parse::<i32>().is_ok()),
        _ => true,
    };
    require(right, || format!("'{line}' is not a line that the client understands"))
}

/// `PV EVAL GAMES DEPTH [TEXT]`
fn is_hint(arguments: &[&str]) -> bool {
    let [pv, eval, games, depth, ..] = arguments else { return false };
    let first = pv.get(..2).is_some_and(|first| parse_turn(first).is_some());
    let evals: Vec<Option<f64>> = eval.split(',').map(|part| part.parse().ok()).collect();
    let evals = match evals.as_slice() {
        [Some(_)] => true,
        [Some(for_mover), Some(against)] => for_mover >= against,
        _ => false,
    };
    let depth = depth.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit());
    first && evals && games.parse::<i32>().is_ok() && depth
}

fn pongs_at_once(probe: &mut Probe) -> Checked {
    probe.sync()?;
    probe.process.send("nboard 2");
    probe.sync().map(drop)
}

fn pongs_any_number(probe: &mut Probe) -> Checked {
    for number in [100, 101, 4711, 5000] {
        probe.pings = number;
        probe.sync()?;
    }
    Ok(())
}

fn ignores_unknown(probe: &mut Probe) -> Checked {
    for line in ["xyzzy", "set", "set colour mauve", "frobnicate 1 2 3", "", "   "] {
        probe.process.send(line);
    }
    match probe.sync()? {
        Some(line) => failed(format!("'{line}' in answer to commands that mean nothing")),
        None => Ok(()),
    }
}

fn goes(probe: &mut Probe) -> Checked {
    let record = game("f5d6")?;
    probe.set_game(&record)?;
    // Asked twice: the move must not have been played in between.
    for _ in 0..2 {
        probe.go_legally(&record, "go")?;
        probe.sync()?;
    }
    Ok(())
}

fn reads_the_game(probe: &mut Probe) -> Checked {
    let board = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";
    for (text, moves) in [
        // Decimal commas, exponents, empty fields.
        (
            format!(
                "(;GM[Othello]PC[NBoard]DT[x]PB[a b]PW[]RE[?]TI[5:00]TY[8]{board}B[F5/1,20/4,17]W[D6//5.0E-4]B[C3];)"
            ),
            "f5d6c3",
        ),
        // Unknown keys and blanks.
        (format!("(;GM[Othello]PB[\u{e9}]PW[x]RE[?]TI[05:00//02:00]TY[8]XY[z]{board}B[e6]CO[what now];)"), "e6"),
        // A line far longer than two thousand characters.
        (format!("(;GM[Othello]PB[{}]PW[x]RE[?]TI[5:00]TY[8]{board}B[F5]W[F6];)", "n".repeat(4000)), "f5f6"),
    ] {
        probe.set_game_text(&text)?;
        probe.go_legally(&game(moves)?, &format!("go after set game {text}"))?;
    }
    // White begins.
    let white = "(;GM[Othello]PB[]PW[]RE[?]TI[5:00]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- O];)";
    probe.set_game_text(white)?;
    let turn = probe.go()?;
    let start = GameRecord::from_position(Position::START.pass());
    require_legal(&start, turn, "go where White begins")
}

fn takes_moves(probe: &mut Probe) -> Checked {
    let mut record = GameRecord::default();
    probe.set_game(&record)?;
    for (line, name) in [
        ("move F5", "f5"),
        ("move d6/1.20", "d6"),
        ("move C3/3,25/0.1", "c3"),
        ("move D3//5.0E-4", "d3"),
        ("move C4/-0.50/1.9160000000000001", "c4"),
    ] {
        probe.process.send(line);
        probe.sync()?;
        let turn = parse_turn(name);
        if let Some(Err(illegal)) = turn.map(|turn| record.take(turn)) {
            return failed(illegal.to_string());
        }
        probe.go_legally(&record, &format!("go after '{line}'"))?;
        probe.sync()?;
    }
    Ok(())
}

fn refuses_illegal(probe: &mut Probe) -> Checked {
    let record = game("f5d6c3")?;
    probe.set_game(&record)?;
    for bad in
        ["move A1", "move D4", "move", "move Z9", "set game (;GM[Othello]BO[8 --", "set game", "hint", "hint x", "ping"]
    {
        probe.process.send(bad);
    }
    probe.sync()?;
    probe.go_legally(&record, "go after illegal moves and broken games").map(drop)
}

fn hints(probe: &mut Probe) -> Checked {
    let record = game("f5d6c3d3c4")?;
    probe.set_game(&record)?;
    for (count, expected) in [(1, 1), (2, 2), (4, 4), (64, record.position().moves().count() as usize)] {
        probe.process.send(&format!("hint {count}"));
        let deadline = Instant::now() + probe.timeouts.thought;
        let mut hinted: Vec<String> = Vec::new();
        while hinted.len() < expected {
            let note = format!(" (a hint for each of {expected} moves; so far {})", hinted.join(" "));
            let line = probe.line_of(&format!("hint {count}"), &note, deadline)?;
            well_formed(&line)?;
            let mut words = line.split_whitespace();
            if !matches!(words.next(), Some("search" | "book")) {
                continue;
            }
            let name: String = words.next().unwrap_or_default().chars().take(2).collect();
            let name = name.to_ascii_lowercase();
            if let Some(turn) = parse_turn(&name) {
                require_legal(&record, turn, &format!("hint {count}"))?;
            }
            if !hinted.contains(&name) {
                hinted.push(name);
            }
        }
        probe.sync()?;
    }
    Ok(())
}

/// Whether a line answers a request.
fn is_answer(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    ["search", "book", "===", "nodestats", "analysis"].contains(&word)
}

/// Begins a hint that goes on until it is stopped, if the engine is able to.
fn begin_long_hint(probe: &mut Probe) -> Checked {
    probe.process.send(&format!("set game {}", ggf(&game("f5d6c3d3c4")?)));
    probe.process.send("set depth 60");
    probe.sync()?;
    probe.process.send("hint 64");
    let deadline = Instant::now() + probe.timeouts.reply;
    while !is_answer(&probe.line("hint 64", deadline)?) {}
    Ok(())
}

fn is_interrupted(probe: &mut Probe) -> Checked {
    for _ in 0..5 {
        begin_long_hint(probe)?;
        probe.sync()?;
        if let Some(line) = probe.listen(LISTEN, is_answer)? {
            return failed(format!("'{line}' after the pong that ended its request"));
        }
    }
    Ok(())
}

fn takes_a_game_while_thinking(probe: &mut Probe) -> Checked {
    begin_long_hint(probe)?;
    let record = game("e6f4e3")?;
    probe.set_game(&record)?;
    probe.go_legally(&record, "go after a game that came during a hint").map(drop)
}

fn answers_pass(probe: &mut Probe) -> Checked {
    probe.set_game(&game(PASS)?)?;
    let turn = probe.go()?;
    require(turn == Move::Pass, || format!("'go' gave {turn} where Black must pass"))?;
    probe.process.send("move PA");
    probe.sync()?;
    let mut record = game(PASS)?;
    let _ = record.take(Move::Pass);
    probe.go_legally(&record, "go after 'move PA'").map(drop)
}

fn survives_the_end(probe: &mut Probe) -> Checked {
    probe.set_game(&game(WIPE_OUT)?)?;
    probe.process.send("hint 4");
    probe.sync()?;
    probe.process.send("go");
    probe.sync()?;
    let record = game("f5")?;
    probe.set_game(&record)?;
    probe.go_legally(&record, "go in the game after").map(drop)
}

fn takes_settings(probe: &mut Probe) -> Checked {
    let record = game("f5d6")?;
    probe.set_game(&record)?;
    for line in ["set contempt 100", "set contempt -100", "set contempt 0", "set depth 1", "learn"] {
        probe.process.send(line);
        probe.sync()?;
    }
    probe.go_legally(&record, "go").map(drop)
}

fn analyzes(probe: &mut Probe) -> Checked {
    probe.set_game(&game("f5d6c3d3c4")?)?;
    probe.process.send("analyze");
    let found = probe.listen(Duration::from_secs(2), |line| line.trim_start().starts_with("analysis"))?;
    probe.sync()?;
    found.map(drop).ok_or_else(|| Stop::Skipped("no analysis came, and none has to".to_owned()))
}

fn survives_garbage(probe: &mut Probe) -> Checked {
    let record = game("f5d6")?;
    probe.set_game(&record)?;
    let mut bytes = vec![b'x'; 100_000];
    bytes.extend(b"\n\xff\xfe set game \xc3\n\x00\x01\x02\nmove \xf5\n");
    probe.process.send_bytes(bytes);
    probe.sync()?;
    probe.go_legally(&record, "go after garbage").map(drop)
}

fn plays_a_game(probe: &mut Probe) -> Checked {
    let mut record = GameRecord::default();
    probe.set_game(&record)?;
    while !record.position().is_over() {
        let turn = probe.go_legally(&record, "go")?;
        let _ = record.take(turn);
        probe.process.send(&format!("move {turn:#}"));
        probe.sync()?;
    }
    Ok(())
}

fn quits(probe: &mut Probe) -> Checked {
    probe.process.send("quit");
    probe.expect_exit("'quit'")
}

fn ends_with_its_input(probe: &mut Probe) -> Checked {
    probe.fresh()?;
    probe.sync()?;
    probe.process.close_input();
    probe.expect_exit("the end of its input")
}

fn ends_while_thinking(probe: &mut Probe) -> Checked {
    probe.fresh()?;
    begin_long_hint(probe)?;
    probe.process.close_input();
    probe.expect_exit("the end of its input during a hint")
}

fn is_clean(probe: &mut Probe) -> Checked {
    probe.note_stderr();
    if let Some(line) = &probe.not_ascii {
        return failed(format!("'{line}' is not plain ASCII"));
    }
    match &probe.stderr_line {
        Some(line) => failed(format!("'{line}' on the standard error, which the client reads as an answer")),
        None => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::arena::player::{PlayerText, Timeouts};

    #[test]
    fn an_engine_that_never_stops_talking_is_given_up() {
        let spec = PlayerText::parse("cmd=yes").unwrap().validate().unwrap();
        let [start, reply, thought] = [Duration::from_millis(100); 3];
        let mut probe = Probe::new(&spec, Timeouts { start, reply, thought }).unwrap();
        assert!(matches!(probe.sync(), Err(Stop::Failed(text)) if text == "no answer to 'ping 3'"));
        assert!(matches!(probe.listen(LISTEN, is_answer), Ok(None)));
    }

    #[test]
    fn a_line_that_does_not_come_is_named() {
        let spec = PlayerText::parse("cmd=cat").unwrap().validate().unwrap();
        let mut probe = Probe::new(&spec, Timeouts::default()).unwrap();
        let late = |found: Result<String, Stop>| match found {
            Err(Stop::Failed(text)) => text,
            _ => panic!("nothing was asked"),
        };
        assert_eq!(late(probe.line("name", Instant::now())), "no answer to 'name'");
        let noted = late(probe.line_of("hint 4", " (so far c4)", Instant::now()));
        assert_eq!(noted, "no answer to 'hint 4' (so far c4)");
    }
}
