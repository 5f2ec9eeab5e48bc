//! The checks of an engine that speaks GTP.

use super::{Check, Checked, GAME_CLOCK, PASS, Probe, Stop, WIPE_OUT, failed, game, require, require_legal};
use crate::arena::player::MOST_RESPONSE_BYTES;
use crate::notation::transcript::parse_turn;
use crate::othello::{Color, GameRecord, Move};
use std::time::{Duration, Instant};

pub(super) const CHECKS: &[Check] = &[
    ("commands are listed", lists_commands),
    ("protocol version, name and version", says_who_it_is),
    ("numbers, comments, blanks and line ends", frames),
    ("unknown commands fail", refuses_unknown),
    ("several commands at once", pipelines),
    ("known_command", knows_commands),
    ("boardsize and clear_board", sets_up),
    ("the game is Othello", offers_othello),
    ("komi and clocks do not fail", takes_clocks),
    ("colours and squares in any case", takes_any_case),
    ("illegal moves and wrong arguments fail and change nothing", refuses_illegal),
    ("genmove plays its move", generates),
    ("passes that are not mentioned", takes_implied_passes),
    ("passes that are played", takes_explicit_passes),
    ("genmove answers pass where it must", answers_pass),
    ("after the end of the game", survives_the_end),
    ("undo", undoes),
    ("long lines and bytes that are no text", survives_garbage),
    ("a whole game", plays_a_game),
    ("quit", quits),
    ("end of input: what was asked is answered, then exit", ends_with_its_input),
    ("end of input while thinking", ends_while_thinking),
];

/// The commands that the protocol requires.
const REQUIRED: [&str; 11] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "clear_board",
    "komi",
    "play",
    "genmove",
];

/// A response taken apart.
struct Response {
    success: bool,
    id: String,
    text: String,
}

impl Probe {
    /// Reads a response, which must be framed as the protocol says.
    fn response(&mut self, command: &str, wait: Duration) -> Result<Response, Stop> {
        let deadline = Instant::now() + wait;
        let first = self.line(command, deadline)?;
        let success = match first.chars().next() {
            Some('=') => true,
            Some('?') => false,
            None => return failed(format!("an empty line too many before the response to '{command}'")),
            Some(_) => return failed(format!("expected '=' or '?' in response to '{command}', got '{first}'")),
        };
        let rest = &first[1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (id, text) = rest.split_at(digits);
        if !text.is_empty() && !text.starts_with(' ') {
            return failed(format!("expected a blank behind '{}', got '{first}'", &first[..=digits]));
        }
        let mut response = Response { success, id: id.to_owned(), text: text.trim().to_owned() };
        loop {
            let line = self.line_of(command, " (its closing empty line)", deadline)?;
            if line.is_empty() {
                self.is_ready = true;
                return Ok(response);
            }
            if response.text.len() > MOST_RESPONSE_BYTES {
                return failed(format!("the response to '{command}' does not end"));
            }
            response.text.push('\n');
            response.text.push_str(&line);
        }
    }

    fn ask(&mut self, command: &str) -> Result<Response, Stop> {
        self.process.send(command);
        self.response(command, self.wait())
    }

    fn insist(&mut self, command: &str) -> Result<String, Stop> {
        let response = self.ask(command)?;
        if response.success { Ok(response.text) } else { failed(format!("'{command}' failed: {}", response.text)) }
    }

    fn expect_failure(&mut self, command: &str) -> Checked {
        let response = self.ask(command)?;
        require(!response.success, || format!("'{command}' should fail, but succeeded: '{}'", response.text))
    }

    /// Sends commands that must not fail.
    fn insist_on(&mut self, commands: &[&str]) -> Checked {
        commands.iter().try_for_each(|command| self.insist(command).map(drop))
    }

    /// Sends commands that must fail.
    fn expect_failures(&mut self, commands: &[&str]) -> Checked {
        commands.iter().try_for_each(|command| self.expect_failure(command))
    }

    fn lists(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    fn need(&self, command: &str) -> Checked {
        if self.lists(command) { Ok(()) } else { Err(Stop::Skipped(format!("{command} is not listed"))) }
    }

    /// A new game with these moves, each with its colour; passes are left out.
    fn set_up(&mut self, record: &GameRecord) -> Checked {
        self.insist("clear_board")?;
        for (turn, position) in record.turns().iter().zip(record.positions()) {
            if let Move::Place(square) = turn {
                self.insist(&format!("play {} {}", position.mover(), square.to_upper()))?;
            }
        }
        Ok(())
    }

    fn generate(&mut self, color: Color) -> Result<Move, Stop> {
        let command = format!("genmove {color}");
        self.process.send(&command);
        let response = self.response(&command, self.timeouts.thought)?;
        let turn = parse_turn(&response.text).filter(|_| response.success);
        turn.map_or_else(|| failed(format!("expected a square or pass to '{command}', got '{}'", response.text)), Ok)
    }

    /// Asks for a move, which has to be legal after this game.
    fn generate_legally(&mut self, color: Color, record: &GameRecord, asked: &str) -> Result<Move, Stop> {
        let turn = self.generate(color)?;
        require_legal(record, turn, asked)?;
        Ok(turn)
    }

    /// A small clock, so that engines without a limit of their own do not think for ever.
    fn limit_time(&mut self) -> Checked {
        if self.lists("time_settings") {
            self.insist(&format!("time_settings {} 0 0", GAME_CLOCK.as_secs()))?;
        }
        Ok(())
    }
}

fn lists_commands(probe: &mut Probe) -> Checked {
    let list = probe.insist("list_commands")?;
    probe.commands = list.lines().map(str::to_owned).collect();
    if let Some(entry) = probe.commands.iter().find(|entry| entry.trim().contains(char::is_whitespace)) {
        return failed(format!("'{entry}' is not the name of one command"));
    }
    let missing: Vec<&str> = REQUIRED.into_iter().filter(|command| !probe.lists(command)).collect();
    require(missing.is_empty(), || format!("required but not listed: {}", missing.join(", ")))
}

fn says_who_it_is(probe: &mut Probe) -> Checked {
    let version = probe.insist("protocol_version")?;
    require(version == "2", || format!("expected protocol_version 2, got '{version}'"))?;
    for command in ["name", "version"] {
        let text = probe.insist(command)?;
        require(!text.is_empty() && !text.contains('\n'), || {
            format!("expected one line to '{command}', got '{text}'")
        })?;
    }
    Ok(())
}

fn frames(probe: &mut Probe) -> Checked {
    for (command, id) in [
        ("17 name", "17"),
        ("name", ""),
        ("0 name", "0"),
        ("2147483647 name", "2147483647"),
        ("name # a comment", ""),
        ("# a comment alone\n\n \t \n23 name", "23"),
        ("24 name\r", "24"),
        ("25\tname", "25"),
        ("26   name  ", "26"),
        ("27 na\u{1}me", "27"),
    ] {
        let response = probe.ask(command)?;
        let shown = command.escape_debug();
        require(response.success, || format!("'{shown}' failed: {}", response.text))?;
        require(response.id == id, || format!("'{shown}' was answered with the number '{}'", response.id))?;
    }
    Ok(())
}

fn refuses_unknown(probe: &mut Probe) -> Checked {
    probe.expect_failure("xyzzy")?;
    let response = probe.ask("41 xyzzy")?;
    require(!response.success && response.id == "41", || "'41 xyzzy' should be answered with '?41'".to_owned())
}

fn pipelines(probe: &mut Probe) -> Checked {
    probe.process.send_bytes("1 name\n2 xyzzy\n3 version\n\n# nothing\n4 protocol_version\n5 name\n");
    for id in ["1", "2", "3", "4", "5"] {
        let response = probe.response(id, probe.wait())?;
        require(response.id == id, || format!("expected the answer to command {id}, got that to '{}'", response.id))?;
    }
    Ok(())
}

fn knows_commands(probe: &mut Probe) -> Checked {
    for (command, expected) in [("known_command play", "true"), ("known_command xyzzy", "false")] {
        let text = probe.insist(command)?;
        require(text == expected, || format!("'{command}' should be {expected}, is '{text}'"))?;
    }
    Ok(())
}

fn sets_up(probe: &mut Probe) -> Checked {
    probe.expect_failures(&["boardsize 10", "boardsize"])?;
    probe.insist_on(&["boardsize 8", "clear_board"])
}

fn offers_othello(probe: &mut Probe) -> Checked {
    probe.need("list_games")?;
    let games = probe.insist("list_games")?;
    require(games.lines().any(|game| game.trim() == "Othello"), || format!("no line 'Othello' in '{games}'"))?;
    probe.need("set_game")?;
    probe.insist("set_game Othello")?;
    probe.expect_failure("set_game Chess")
}

fn takes_clocks(probe: &mut Probe) -> Checked {
    probe.insist("komi 6.5")?;
    probe.need("time_settings")?;
    for terms in ["600 0 0", "0 5 1", "300 30 10", "0 1 0", "60 2 0"] {
        probe.insist(&format!("time_settings {terms}"))?;
    }
    probe.expect_failure("time_settings soon")?;
    probe.need("time_left")?;
    probe.insist_on(&["time_left black 600 0", "time_left w 25 10", "time_left B 0 0"])?;
    // Nothing of this is meant for what follows.
    probe.limit_time()
}

fn takes_any_case(probe: &mut Probe) -> Checked {
    probe.insist_on(&["clear_board", "play BLACK F5", "play w d6", "play B c3", "play White D3"])
}

fn refuses_illegal(probe: &mut Probe) -> Checked {
    probe.insist("clear_board")?;
    probe.expect_failures(&[
        "play black a1",
        "play black d4",
        "play black pass",
        "play white f5",
        "play black i9",
        "play black",
        "play",
        "play purple f5",
        "genmove",
        "genmove purple",
    ])?;
    probe.insist("play black F5").map(drop)
}

fn generates(probe: &mut Probe) -> Checked {
    probe.insist("clear_board")?;
    probe.limit_time()?;
    let mut record = GameRecord::default();
    for color in [Color::Black, Color::White, Color::Black] {
        let turn = probe.generate_legally(color, &record, "genmove")?;
        let _ = record.take(turn);
    }
    let reply = record.position().moves().into_iter().next();
    let reply = reply.ok_or_else(|| Stop::Skipped("the game ended after three moves".to_owned()))?;
    probe.insist(&format!("play white {}", reply.to_upper()))?;
    let _ = record.take(Move::Place(reply));
    probe.generate_legally(Color::Black, &record, "genmove after play").map(drop)
}

fn takes_implied_passes(probe: &mut Probe) -> Checked {
    let mut record = game(PASS)?;
    probe.set_up(&record)?;
    probe.limit_time()?;
    let _ = record.take(Move::Pass);
    probe.generate_legally(Color::White, &record, "genmove after a pass that was not mentioned")?;
    probe.set_up(&game(PASS)?)?;
    let square = record.position().moves().into_iter().next();
    square.map_or(Ok(()), |square| probe.insist(&format!("play white {}", square.to_upper())).map(drop))
}

fn takes_explicit_passes(probe: &mut Probe) -> Checked {
    let mut record = game(PASS)?;
    probe.set_up(&record)?;
    probe.limit_time()?;
    probe.insist("play black pass")?;
    let _ = record.take(Move::Pass);
    probe.generate_legally(Color::White, &record, "genmove after 'play black pass'").map(drop)
}

fn answers_pass(probe: &mut Probe) -> Checked {
    let record = game(PASS)?;
    probe.set_up(&record)?;
    probe.limit_time()?;
    let turn = probe.generate(Color::Black)?;
    require(turn == Move::Pass, || format!("'genmove black' gave {turn} where Black must pass"))
}

fn survives_the_end(probe: &mut Probe) -> Checked {
    let record = game(WIPE_OUT)?;
    probe.set_up(&record)?;
    let turn = probe.generate(Color::White)?;
    require(turn == Move::Pass, || format!("'genmove white' gave {turn} after the end of the game"))?;
    probe.set_up(&record)?;
    probe.insist_on(&["play white pass", "play black pass"])?;
    if probe.lists("final_score") {
        let score = probe.insist("final_score")?;
        require(score.starts_with("B+"), || format!("expected 'B+n' from final_score, got '{score}'"))?;
    }
    Ok(())
}

fn undoes(probe: &mut Probe) -> Checked {
    probe.need("undo")?;
    probe.insist("clear_board")?;
    probe.expect_failure("undo")?;
    probe.insist_on(&["play black F5", "undo", "play black C4", "play white C3", "undo", "undo", "play black F5"])
}

fn survives_garbage(probe: &mut Probe) -> Checked {
    let mut bytes = vec![b'x'; 100_000];
    bytes.extend(b"\n\xff\xfe play \xc3\n51 name\n");
    probe.process.send_bytes(bytes);
    // The garbage may be answered with failures; the name comes in the end.
    for _ in 0..3 {
        let response = probe.response("51 name", probe.wait())?;
        if response.id == "51" {
            return require(response.success, || format!("'51 name' failed: {}", response.text));
        }
    }
    failed("'51 name' was not answered")
}

fn plays_a_game(probe: &mut Probe) -> Checked {
    probe.insist("clear_board")?;
    probe.limit_time()?;
    let mut record = GameRecord::default();
    let mut left = [GAME_CLOCK; 2];
    while !record.position().is_over() {
        let color = record.position().mover();
        if record.position().must_pass() {
            let _ = record.take(Move::Pass);
            continue;
        }
        if probe.lists("time_left") {
            probe.insist(&format!("time_left {color} {} 0", left[color as usize].as_secs()))?;
        }
        let asked = Instant::now();
        let turn = probe.generate(color)?;
        left[color as usize] = left[color as usize].saturating_sub(asked.elapsed());
        require_legal(&record, turn, "genmove")?;
        let _ = record.take(turn);
    }
    Ok(())
}

fn quits(probe: &mut Probe) -> Checked {
    probe.insist("quit")?;
    probe.expect_exit("'quit'")
}

fn ends_with_its_input(probe: &mut Probe) -> Checked {
    probe.fresh()?;
    probe.process.send_bytes("1 name\n2 version");
    probe.process.close_input();
    for id in ["1", "2"] {
        let response = probe.response(id, probe.wait())?;
        require(response.id == id, || format!("expected the answer to command {id}"))?;
    }
    probe.expect_exit("the end of its input")
}

fn ends_while_thinking(probe: &mut Probe) -> Checked {
    probe.fresh()?;
    probe.insist("clear_board")?;
    probe.limit_time()?;
    probe.process.send("genmove black");
    probe.process.close_input();
    let response = probe.response("genmove black", probe.timeouts.thought)?;
    let turn = parse_turn(&response.text);
    require(turn.is_some(), || format!("expected a move to 'genmove black', got '{}'", response.text))?;
    probe.expect_exit("the end of its input")
}
