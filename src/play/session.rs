//! The conversation over the board.

use super::command::HELP;
use super::{Command, Level, Opponent};
use crate::notation::game_file::{AnnotatedGame, Format, GameFile, write};
use crate::notation::ggf::{Ending, GgfResult, Timing};
use crate::notation::opening;
use crate::notation::transcript::Transcript;
use crate::othello::{Color, GameRecord, Move, Position};
use crate::render::{Diagram, Palette};
use crate::whole_file::write_whole;
use std::fmt::Write as _;
use std::io::{self, Write};
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
    /// Turns that were taken back, the last one first.
    taken_back: Vec<(Move, Timing)>,
    /// The file that the game is from or was written to, which may be written again.
    file: Option<PathBuf>,
    /// When the person's turn began.
    since: Instant,
}

/// What is said to a move behind the end.
const OVER: &str = "The game is over; 'undo' takes a move back, 'new' begins again.";

/// The empty squares with which nobody wants to hear the name of the opening any more.
const OPENING_ENDS_AT: u32 = 40;

/// What comes next.
enum Next {
    Ask,
    Leave,
}

impl Session {
    /// A new game, in which the person plays this side; `None` for both.
    pub fn new(opponent: Opponent, person: Option<Color>, palette: Palette) -> Session {
        let game = AnnotatedGame::new(GameRecord::default());
        Session { opponent, game, person, palette, taken_back: Vec::new(), file: None, since: Instant::now() }
    }

    /// Goes on with the first game of a file.
    pub fn load(&mut self, path: &Path) -> Result<(), String> {
        let mut games = GameFile::open(path).map_err(|error| error.to_string())?;
        let first = games.next().ok_or_else(|| format!("{}: there is no game in it", path.display()))?;
        let found = first.map_err(|error| error.to_string())?;
        self.game = found.game;
        self.taken_back.clear();
        self.file = (found.format == Format::Ggf).then(|| path.to_owned());
        Ok(())
    }

    /// Plays until the person leaves or says nothing more. `read` gives the person's next line, without its end; it gets a prompt
    /// that may be shown.
    ///
    /// # Errors
    /// If a line cannot be read, or an answer cannot be written.
    pub fn run(
        &mut self,
        mut read: impl FnMut(&str) -> io::Result<Option<String>>,
        mut output: impl Write,
    ) -> io::Result<()> {
        let mut greeting = match self.person {
            Some(color) => format!("You play {color} against Emilia, {}.", self.opponent.level()),
            None => "You play both sides.".to_owned(),
        };
        greeting += " 'help' lists the commands.\n";
        output.write_all(greeting.as_bytes())?;
        let reply = self.reply();
        output.write_all(reply.as_bytes())?;
        loop {
            let prompt = match self.is_over() {
                true => "> ".to_owned(),
                false => format!("{}> ", self.game.record.position().mover()),
            };
            output.flush()?;
            let Some(line) = read(&prompt)? else { return Ok(()) };
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
            self.opponent.follow(self.game.record.position());
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
            Command::Turns(turns) => self.take(&turns),
            Command::Hint(count) => self.hint(count),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::Resign => self.resign(),
            Command::Go => self.go(),
            Command::New => {
                self.game = AnnotatedGame::new(GameRecord::default());
                self.taken_back.clear();
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

    /// Turns that the person says, and Emilia's answer. Of several turns all are taken, or none.
    fn take(&mut self, turns: &[Move]) -> Result<String, String> {
        if self.is_over() {
            return Err(OVER.to_owned());
        }
        let seconds = (self.since.elapsed().as_secs_f64() * 100.0).round() / 100.0;
        let mut record = self.game.record.clone();
        for (number, &turn) in turns.iter().enumerate() {
            let taken = if turns.len() == 1 { record.take(turn) } else { record.take_with_implied_pass(turn) };
            taken.map_err(|illegal| match turns.len() {
                1 => format!("Illegal: {illegal}."),
                _ => format!("Move {} is illegal: {illegal}. None of them was played.", number + 1),
            })?;
        }
        self.game.record = record;
        self.game.timing.resize(self.game.record.turns().len(), Timing::default());
        if let ([_], Some(timing)) = (turns, self.game.timing.last_mut()) {
            timing.seconds = Some(seconds);
        }
        self.taken_back.clear();
        Ok(self.reply())
    }

    /// Emilia takes the person's turn.
    fn go(&mut self) -> Result<String, String> {
        let choice = if self.is_over() { None } else { self.opponent.choose(self.game.record.position()) };
        let Some(choice) = choice else { return Err(OVER.to_owned()) };
        self.taken_back.clear();
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
            if self.is_over() {
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
        text += &self.board();
        if self.game.record.position().is_over() {
            text += &self.turning_point();
        }
        text
    }

    /// Whether the game is played to its end, or given up.
    fn is_over(&self) -> bool {
        self.game.record.position().is_over() || self.game.ending() == Some(Ending::Resigned)
    }

    /// What decided the game.
    fn turning_point(&self) -> String {
        let Some(review) = self.opponent.review(&self.game.record) else { return String::new() };
        let Some(point) = review.turning_point else {
            return match self.game.record.position().is_over() {
                true => "Nobody let go what they had: the game has no turning point.\n".to_owned(),
                false => String::new(),
            };
        };
        let Some(turn) = review.turns.iter().find(|turn| turn.turn == point.turn) else { return String::new() };
        let played = turn.played.as_ref().map_or(Move::Pass, |played| played.turn);
        let player = match self.person {
            Some(color) if color == point.mover => "your",
            Some(_) => "Emilia's",
            None => &format!("{}'s", point.mover),
        };
        format!(
            "The turning point: {player} {}, move {}, made a {} a {}; {} was better.\n",
            spoken(played),
            point.turn + 1,
            point.before,
            point.after,
            spoken(turn.best.turn)
        )
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
        if !self.is_over() {
            let is_early = position.empties().count() > OPENING_ENDS_AT;
            let name = opening(self.game.record.positions()).filter(|_| is_early);
            let opening = name.map_or_else(String::new, |name| format!("; {name}"));
            return format!("{discs}; {} to move{opening}", position.mover());
        }
        if let Some(GgfResult { score, ending: Some(Ending::Resigned) }) = self.game.result {
            let (loser, winner) = if score > 0.0 { (Color::White, "black") } else { (Color::Black, "white") };
            let winner = match self.person {
                Some(color) if color == loser => "Emilia",
                Some(_) => "you",
                None => winner,
            };
            let verb = if winner == "you" { "win" } else { "wins" };
            return self.palette.strong(&format!("{discs}; {loser} resigns: {winner} {verb}"));
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
        let lines = if self.is_over() { Vec::new() } else { self.opponent.hint(&position, count) };
        if lines.is_empty() {
            return Err(OVER.to_owned());
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
        self.game.timing.resize(turns.len(), Timing::default());
        while self.game.record.turns().len() > keep {
            let taken_back = self.game.record.undo().zip(self.game.timing.pop());
            self.taken_back.extend(taken_back);
        }
        self.game.result = None;
        self.game.turn_comments.retain(|(turn, _)| *turn <= keep);
        self.since = Instant::now();
        Ok(self.board())
    }

    /// Plays again what the last `undo` took back: up to the person's next choice.
    fn redo(&mut self) -> Result<String, String> {
        if self.is_over() {
            return Err(OVER.to_owned());
        }
        if self.taken_back.is_empty() {
            return Err("Nothing was taken back that could be played again.".to_owned());
        }
        while let Some((turn, timing)) = self.taken_back.pop() {
            self.game.record.take(turn).map_err(|illegal| format!("Illegal: {illegal}."))?;
            self.game.timing.push(timing);
            let next = self.game.record.position();
            let is_own = self.person.is_none_or(|color| color == next.mover());
            if is_own && self.taken_back.last().is_some_and(|(turn, _)| *turn != Move::Pass) {
                break;
            }
        }
        Ok(self.reply())
    }

    /// Gives the game up, for the person or, where both sides are theirs, for the side to move.
    fn resign(&mut self) -> Result<String, String> {
        if self.is_over() {
            return Err(OVER.to_owned());
        }
        let loser = self.person.unwrap_or(self.game.record.position().mover());
        let score = if loser == Color::Black { -64.0 } else { 64.0 };
        self.game.result = Some(GgfResult { score, ending: Some(Ending::Resigned) });
        Ok(self.board() + &self.turning_point())
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
        let played_out = end.is_over().then(|| GgfResult { score: f64::from(end.score_for_black()), ending: None });
        game.result = played_out.or(game.result.filter(|_| self.is_over()));
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
