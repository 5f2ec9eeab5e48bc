//! An engine that misbehaves on demand, for the tests of the match manager.
//!
//! `mock-engine gtp|nboard|babble [QUIRK …] [FAILURE@N]`: plays the first or, with `last`, the last legal move, and at its N-th
//! move of a game does something wrong. With `+K` behind N it does so in the K-th game alone, counted from 1 since the
//! program was started.

use emilia::notation::read_position;
use emilia::notation::transcript::parse_turn;
use emilia::othello::{Color, GameRecord, Move};
use std::io::{self, BufRead, Write};
use std::process::exit;
use std::time::Duration;

/// What is done wrong, and when.
struct Failure {
    name: String,
    at_move: u32,
    in_game: Option<u32>,
}

struct Mock {
    quirks: Vec<String>,
    failure: Option<Failure>,
    game: GameRecord,
    /// Moves made in this game, and games begun.
    moves: u32,
    games: u32,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let protocol = arguments.next();
    let mut mock = Mock { quirks: Vec::new(), failure: None, game: GameRecord::default(), moves: 0, games: 0 };
    for argument in arguments {
        match argument.split_once('@') {
            Some((name, when)) => {
                let (at_move, in_game) = when.split_once('+').map_or((when, None), |(m, g)| (m, g.parse().ok()));
                let at_move = at_move.parse().expect("FAILURE@N or FAILURE@N+K");
                mock.failure = Some(Failure { name: name.to_owned(), at_move, in_game });
            }
            None => mock.quirks.push(argument),
        }
    }
    // Held until the process is gone: `lock=FILE` shows the test whether it is.
    let file = mock.quirks.iter().find_map(|quirk| quirk.strip_prefix("lock="));
    let file = file.map(|path| std::fs::File::create(path).expect("the lock file can be created"));
    let _held = file.inspect(|file| file.lock().expect("the file can be locked"));
    match protocol.as_deref() {
        Some("gtp") => mock.serve(Mock::gtp),
        Some("nboard") => mock.serve(Mock::nboard),
        Some("babble") => loop {
            say("nonsense\n");
        },
        // Anything else speaks nothing and waits.
        _ => mock.serve(|_, _| ()),
    }
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

impl Mock {
    fn serve(&mut self, obey: fn(&mut Mock, &str)) {
        if self.has("no-start") {
            eprintln!("no licence found");
            exit(3);
        }
        if self.has("slow-start") {
            std::thread::sleep(Duration::from_millis(1200));
        }
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { return };
            obey(self, String::from_utf8_lossy(&line).trim());
        }
        if self.has("immortal") {
            sleep_for_ever();
        }
    }

    fn has(&self, quirk: &str) -> bool {
        self.quirks.iter().any(|q| q == quirk)
    }

    fn new_game(&mut self) {
        if self.has("one-game") && self.games > 0 {
            exit(0);
        }
        self.game = GameRecord::default();
        self.moves = 0;
        self.games += 1;
    }

    /// The move to make.
    fn choose(&self) -> Option<Move> {
        let moves = self.game.position().moves();
        let square = if self.has("last") { moves.into_iter().last() } else { moves.into_iter().next() };
        square.map(Move::Place)
    }

    /// The failure whose time has come; those that end the program never return.
    fn failure(&mut self) -> Option<String> {
        self.moves += 1;
        let failure = self.failure.as_ref()?;
        if failure.at_move != self.moves || failure.in_game.is_some_and(|game| game != self.games) {
            return None;
        }
        match failure.name.as_str() {
            "crash" => {
                eprintln!("out of cheese");
                exit(101);
            }
            "hang" => sleep_for_ever(),
            "spam" => (0..50_000).for_each(|i| say(&format!("nonsense {i}\n"))),
            "flood" => loop {
                say(&format!("{}\n", "nonsense ".repeat(100)));
            },
            "binary" => {
                let bytes: Vec<u8> = (0..200_000u32).map(|i| (i * 7 % 256) as u8).filter(|b| *b != b'\n').collect();
                let _ = io::stdout().lock().write_all(&bytes);
                say("\n");
            }
            "talk" => loop {
                say("nonsense\n");
                std::thread::sleep(Duration::from_millis(10));
            },
            "slow" => std::thread::sleep(Duration::from_millis(1500)),
            _ => {}
        }
        Some(failure.name.clone())
    }

    fn gtp(&mut self, line: &str) {
        let line: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace().peekable();
        let id = words.next_if(|word| word.bytes().all(|b| b.is_ascii_digit())).unwrap_or_default().to_owned();
        let Some(command) = words.next() else { return };
        let arguments: Vec<&str> = words.collect();
        let result = self.gtp_command(command, &arguments);
        let (sign, text) = match result {
            Ok(text) => ('=', text),
            Err(text) => ('?', text),
        };
        if self.has("chatter") {
            say("book: no line for this position\n");
        }
        let id = if self.has("stale-id") { " 5".to_owned() } else { id };
        let end = if self.has("no-empty-line") { "\n" } else { "\n\n" };
        say(&format!("{sign}{id} {text}{end}"));
        if self.has("blank-lines") {
            say("\n\n");
        }
        if command == "quit" && !self.has("immortal") {
            exit(0);
        }
    }

    fn gtp_command(&mut self, command: &str, arguments: &[&str]) -> Result<String, String> {
        const COMMANDS: &str = "protocol_version\nname\nversion\nknown_command\nlist_commands\nquit\nboardsize\n\
                                clear_board\nkomi\nplay\ngenmove\ntime_settings\ntime_left";
        let error = |text: &str| Err(text.to_owned());
        match command {
            "list_commands" if self.has("no-list") => error("unknown command"),
            "list_commands" => Ok(COMMANDS.to_owned()),
            "name" => Ok("Mock".to_owned()),
            "version" => Ok("1".to_owned()),
            "protocol_version" => Ok("2".to_owned()),
            "known_command" => Ok(COMMANDS.lines().any(|known| arguments == [known]).to_string()),
            "boardsize" | "komi" | "time_settings" | "time_left" | "quit" => Ok(String::new()),
            "clear_board" => {
                self.new_game();
                Ok(String::new())
            }
            "play" => {
                let &[color, vertex] = arguments else { return error("syntax error") };
                let turn = parse_turn(vertex).ok_or("syntax error")?;
                self.give_turn_to(color)?;
                self.game.take(turn).map_err(|_| "illegal move")?;
                Ok(String::new())
            }
            "genmove" => {
                let &[color] = arguments else { return error("syntax error") };
                if self.give_turn_to(color).is_err() {
                    // As GNU Rhino does when it is not asked in turn.
                    return Ok("pass".to_owned());
                }
                self.gtp_move()
            }
            _ if self.has("strict") => exit(1),
            _ => error("unknown command"),
        }
    }

    /// Makes it this colour's turn, passing for the other one if that may be inferred.
    fn give_turn_to(&mut self, color: &str) -> Result<(), String> {
        let color = if color.to_ascii_lowercase().starts_with('b') { Color::Black } else { Color::White };
        let is_its_turn = self.game.position().mover() == color;
        if is_its_turn || (!self.has("explicit-passes") && self.game.take(Move::Pass).is_ok()) {
            return Ok(());
        }
        Err("not your turn".to_owned())
    }

    fn gtp_move(&mut self) -> Result<String, String> {
        match self.failure().as_deref() {
            Some("die-mid-line") => {
                say("= d");
                exit(1);
            }
            // Says its move and is gone.
            Some("close") => {
                let turn = self.choose().map_or_else(|| "PASS".to_owned(), |turn| format!("{turn:#}"));
                say(&format!("= {turn}\n\n"));
                exit(0);
            }
            Some("endless") => {
                say("= d3\n");
                loop {
                    say("nonsense\n");
                }
            }
            Some("lie") => return Ok("D4".to_owned()),
            Some("lie-pass") => return Ok("pass".to_owned()),
            Some("garbage") => return Ok("xyzzy".to_owned()),
            Some("codes") => return Ok(format!("\x1b[31mred\x07\n{}", "x".repeat(50_000))),
            Some("refuse") => return Err("internal error".to_owned()),
            Some("resign") => return Ok("resign".to_owned()),
            _ => {}
        }
        let Some(turn) = self.choose() else { return Ok("PASS".to_owned()) };
        self.game.take(turn).map_err(|illegal| illegal.to_string())?;
        Ok(format!("{turn:#}"))
    }

    fn nboard(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "set" => match rest.split_once(' ') {
                Some(("game", ggf)) => {
                    if let Ok(game) = read_position(ggf) {
                        self.game = game;
                    }
                }
                Some(("depth", depth)) => say(&format!("set myname Mock{depth}\n")),
                _ => {}
            },
            "clear" => self.new_game(),
            "move" => {
                let name = rest.split('/').next().unwrap_or_default();
                if let Some(turn) = parse_turn(name) {
                    let _ = self.game.take(turn);
                }
            }
            "ping" if self.has("wrong-pong") => say("pong pong\n"),
            "ping" => {
                if self.has("chatter") {
                    say("search D3 +1.00 0 1\n=== A1\npong 0\n");
                }
                say(&format!("pong {rest}\n"));
            }
            "go" => self.nboard_move(),
            "quit" if !self.has("immortal") => exit(0),
            _ => {}
        }
    }

    fn nboard_move(&mut self) {
        match self.failure().as_deref() {
            Some("die-mid-line") => {
                say("=== D");
                exit(1);
            }
            Some("close") => {
                let turn = self.choose().map_or_else(|| "PA".to_owned(), |turn| format!("{turn:#}"));
                say(&format!("=== {turn}\n"));
                exit(0);
            }
            Some("lie") => return say("=== D4\n"),
            Some("lie-pass") => return say("=== PA\n"),
            Some("garbage") => return say("=== xyzzy\n"),
            Some("refuse") => return say("===\n"),
            _ => {}
        }
        let turn = self.choose().map_or_else(|| "PA".to_owned(), |turn| format!("{turn:#}"));
        if self.has("chatter") {
            say("status thinking\nnodestats 4711 0.5\nsearch D3-C3 +1.25 0 24@73%\n");
        }
        say(&format!("=== {turn} -1.25 0.5\n"));
        if self.has("chatter") {
            say("=== A1\nstatus\n");
        }
    }
}
