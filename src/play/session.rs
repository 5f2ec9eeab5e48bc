//! The conversation over the board.

use super::command::HELP;
use super::{Command, Level, Opponent};
use crate::notation::game_file::{AnnotatedGame, Format, GameFile, write};
use crate::notation::ggf::{GgfResult, Timing};
use crate::notation::transcript::Transcript;
use crate::othello::{Color, GameRecord, Move, Position};
use crate::render::{Diagram, Palette};
use crate::whole_file::write_whole;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// A game under way.
#[derive(Debug)]
pub struct Session {
    opponent: Opponent,
    game: AnnotatedGame,
    /// The side that the person plays; `None` for both, when Emilia only helps.
    person: Option<Color>,
    palette: Palette,
    /// The file that the game is from or was written to, which may be written again.
    file: Option<PathBuf>,
    /// When the person's turn began.
    since: Instant,
}

/// What comes next.
enum Next {
    Ask,
    Leave,
}

impl Session {
    /// A new game, in which the person plays this side; `None` for both.
    pub fn new(opponent: Opponent, person: Option<Color>, palette: Palette) -> Session {
        let game = AnnotatedGame::new(GameRecord::default());
        Session { opponent, game, person, palette, file: None, since: Instant::now() }
    }

    /// Goes on with the first game of a file.
    pub fn load(&mut self, path: &Path) -> Result<(), String> {
        let mut games = GameFile::open(path).map_err(|error| error.to_string())?;
        let first = games.next().ok_or_else(|| format!("{}: there is no game in it", path.display()))?;
        let found = first.map_err(|error| error.to_string())?;
        self.game = found.game;
        self.file = (found.format == Format::Ggf).then(|| path.to_owned());
        Ok(())
    }

    /// Plays until the person leaves or says nothing more. Prompts are written if `prompts` is set.
    pub fn run(&mut self, mut input: impl BufRead, mut output: impl Write, prompts: bool) -> io::Result<()> {
        let mut greeting = match self.person {
            Some(color) => format!("You play {color} against Emilia, {}.", self.opponent.level()),
            None => "You play both sides.".to_owned(),
        };
        greeting += " 'help' lists the commands.\n";
        output.write_all(greeting.as_bytes())?;
        let reply = self.reply();
        output.write_all(reply.as_bytes())?;
        loop {
            if prompts {
                let prompt = match self.game.record.position().is_over() {
                    true => "> ".to_owned(),
                    false => format!("{}> ", self.game.record.position().mover()),
                };
                output.write_all(prompt.as_bytes())?;
            }
            output.flush()?;
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                return output.flush();
            }
            let line = String::from_utf8_lossy(&line);
            if line.trim().is_empty() {
                continue;
            }
            let mut said = String::new();
            let next = match line.parse::<Command>() {
                Ok(command) => self.obey(command, &mut said),
                Err(error) => {
                    said = format!("{error}\n");
                    Next::Ask
                }
            };
            output.write_all(said.as_bytes())?;
            if matches!(next, Next::Leave) {
                return output.flush();
            }
        }
    }

    fn obey(&mut self, command: Command, said: &mut String) -> Next {
        let done = match command {
            Command::Quit => return Next::Leave,
            Command::Help => Ok(HELP.to_owned()),
            Command::Board => Ok(self.board()),
            Command::Moves => Ok(self.moves()),
            Command::Turn(turn) => self.take(turn),
            Command::Hint(count) => self.hint(count),
            Command::Undo => self.undo(),
            Command::Go => self.go(),
            Command::New => {
                self.game = AnnotatedGame::new(GameRecord::default());
                self.file = None;
                Ok(self.reply())
            }
            Command::Level(level) => {
                if let Some(level) = level {
                    self.opponent.set_level(level);
                }
                Ok(self.level())
            }
            Command::Swap => {
                self.person = match self.person {
                    Some(color) => Some(!color),
                    None => Some(self.game.record.position().mover()),
                };
                Ok(self.reply())
            }
            Command::Save(name) => self.save(Path::new(&name)),
            Command::Load(name) => self.load(Path::new(&name)).map(|()| self.reply()),
        };
        match done {
            Ok(text) => said.push_str(&text),
            Err(problem) => {
                said.push_str(&problem);
                said.push('\n');
            }
        }
        Next::Ask
    }

    /// A turn of the person, and Emilia's.
    fn take(&mut self, turn: Move) -> Result<String, String> {
        let position = *self.game.record.position();
        if position.is_over() {
            return Err("The game is over; 'undo' takes a move back, 'new' begins again.".to_owned());
        }
        let seconds = (self.since.elapsed().as_secs_f64() * 100.0).round() / 100.0;
        self.game.record.take(turn).map_err(|illegal| format!("Illegal: {illegal}."))?;
        self.game.timing.push(Timing { eval: None, seconds: Some(seconds) });
        Ok(self.reply())
    }

    /// Emilia takes the person's turn.
    fn go(&mut self) -> Result<String, String> {
        let Some(choice) = self.opponent.choose(self.game.record.position()) else {
            return Err("The game is over.".to_owned());
        };
        let mover = self.game.record.position().mover();
        self.push(choice.turn, choice.value);
        Ok(format!("For {mover}: {}.\n{}", spoken(choice.turn), self.reply()))
    }

    /// Takes a turn that is known to be legal.
    fn push(&mut self, turn: Move, eval: Option<f64>) {
        if self.game.record.take(turn).is_ok() {
            let eval = eval.map(|eval| (eval * 100.0).round() / 100.0);
            self.game.timing.push(Timing { eval, seconds: None });
        }
    }

    /// What happens until the person has to choose, and the board then.
    fn reply(&mut self) -> String {
        let mut text = String::new();
        loop {
            let position = *self.game.record.position();
            if position.is_over() {
                break;
            }
            if position.must_pass() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{} has no move and passes.", position.mover().capital());
                self.push(Move::Pass, None);
                continue;
            }
            match self.person {
                Some(color) if color != position.mover() => {
                    let Some(choice) = self.opponent.choose(&position) else { break };
                    let _ = writeln!(text, "Emilia plays {}.", spoken(choice.turn));
                    self.push(choice.turn, choice.value);
                }
                _ => break,
            }
        }
        self.since = Instant::now();
        text + &self.board()
    }

    fn last_disc(&self) -> Option<Move> {
        self.game.record.turns().iter().rev().copied().find(|turn| *turn != Move::Pass)
    }

    fn board(&self) -> String {
        let position = self.game.record.position();
        format!("\n{}{}\n", Diagram::new(position, self.palette).after(self.last_disc()), self.state(position))
    }

    /// The discs, and who is to move or has won.
    fn state(&self, position: &Position) -> String {
        let (black, white) = (position.discs(Color::Black).count(), position.discs(Color::White).count());
        let discs = format!("black {black}, white {white}");
        if !position.is_over() {
            return format!("{discs}; {} to move", position.mover());
        }
        let score = position.score_for_black();
        let winner = match (score, self.person) {
            (0, _) => "a draw".to_owned(),
            (score, Some(color)) if (score > 0) == (color == Color::Black) => "you win".to_owned(),
            (_, Some(_)) => "Emilia wins".to_owned(),
            (score, None) => format!("{} wins", if score > 0 { "black" } else { "white" }),
        };
        self.palette.strong(&format!("{discs}: {winner} by {}", score.abs()))
    }

    fn moves(&self) -> String {
        let turns = Transcript(&self.game.record).to_string();
        match turns.is_empty() {
            true => "No move so far.\n".to_owned(),
            // Forty moves are eighty letters.
            false => turns.as_bytes().chunks(72).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect(),
        }
    }

    fn level(&self) -> String {
        let level = self.opponent.level();
        match level == Level::FULL {
            true => format!("Emilia plays at {level}.\n"),
            false => format!("Emilia plays at {level}: about {} discs lost a move.\n", level.target_loss()),
        }
    }

    fn hint(&mut self, count: usize) -> Result<String, String> {
        let position = *self.game.record.position();
        let lines = self.opponent.hint(&position, count);
        if lines.is_empty() {
            return Err("The game is over.".to_owned());
        }
        let squares = lines.iter().filter_map(|line| Some((line.turn.square()?, line.score.discs())));
        let labels = squares.map(|(square, value)| (square, format!("{:+}", value.round() as i32)));
        let mut text = format!("\n{}", Diagram::new(&position, self.palette).after(self.last_disc()).labelled(labels));
        for line in lines.iter().take(count) {
            let pv: Vec<String> = line.pv.iter().take(12).map(Move::to_string).collect();
            let depth = if line.depth.is_exact() { "exact".to_owned() } else { format!("depth {}", line.depth) };
            let _ = writeln!(text, "{:>4}  {}  {depth:<12}  {}", line.turn.to_string(), line.score, pv.join(" "));
        }
        Ok(text)
    }

    fn undo(&mut self) -> Result<String, String> {
        let own = |position: &Position| match self.person {
            Some(color) => position.mover() == color,
            None => true,
        };
        let turns = self.game.record.turns();
        let positions = self.game.record.positions();
        let chosen = |i: &usize| own(&positions[*i]) && turns[*i] != Move::Pass;
        let Some(keep) = (0..turns.len()).rev().find(chosen) else {
            return Err("There is no move of yours to take back.".to_owned());
        };
        while self.game.record.turns().len() > keep {
            self.game.record.undo();
        }
        self.game.timing.truncate(keep);
        self.game.turn_comments.retain(|(turn, _)| *turn <= keep);
        self.since = Instant::now();
        Ok(self.board())
    }

    fn save(&mut self, path: &Path) -> Result<String, String> {
        if path.exists() && self.file.as_deref() != Some(path) {
            return Err(format!("{} is there already; choose another name.", path.display()));
        }
        let mut game = self.game.clone();
        let emilia = format!("Emilia {}", self.opponent.level().number());
        for (color, player) in [(Color::Black, &mut game.black), (Color::White, &mut game.white)] {
            if player.name.is_empty() {
                player.name = if self.person == Some(!color) { emilia.clone() } else { "you".to_owned() };
            }
        }
        if game.date.is_empty() {
            game.date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        }
        if game.place.is_empty() {
            game.place = "emilia play".to_owned();
        }
        let end = game.record.position();
        game.result = end.is_over().then(|| GgfResult { score: f64::from(end.score_for_black()), ending: None });
        let written = write(&game, Format::Ggf).map_err(|error| error.to_string())?;
        write_whole(path, written.text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
        self.file = Some(path.to_owned());
        let losses: Vec<String> = written.losses.iter().map(ToString::to_string).collect();
        Ok(match losses.is_empty() {
            true => format!("Saved to {}.\n", path.display()),
            false => format!("Saved to {}, without {}.\n", path.display(), losses.join(", ")),
        })
    }
}

fn spoken(turn: Move) -> String {
    match turn {
        Move::Place(square) => square.to_string(),
        Move::Pass => "a pass".to_owned(),
    }
}
