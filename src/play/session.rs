//! The conversation over the board.

mod advice;
mod files;

use self::files::file_and_number;
use super::clocks::{Clocks, Reading, shown, terms};
use super::command::HELP;
use super::{Command, Opponent, Person, Said};
use crate::clock::time_control::TimeControl;
use crate::engine::Level;
use crate::notation::game_file::AnnotatedGame;
use crate::notation::ggf::{Ending, GgfResult, Timing};
use crate::notation::opening;
use crate::notation::read_position;
use crate::notation::transcript::Transcript;
use crate::othello::{Color, GameRecord, Move, Position};
use crate::render::{Diagram, Palette};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A game under way.
#[derive(Debug)]
pub struct Session {
    opponent: Opponent,
    game: AnnotatedGame,
    /// The side that the person plays; `None` for both, when Emilia only helps.
    side: Option<Color>,
    palette: Palette,
    clocks: Clocks,
    /// Turns that were taken back, the last one first.
    taken_back: Vec<TakenBack>,
    /// The file that the game is from or was written to, which may be written again.
    file: Option<PathBuf>,
    /// How many turns, from the first on, others have played.
    turns_of_file: usize,
    /// When the person's turn began.
    since: Instant,
    /// How long the person had thought when the last line came.
    thought: Duration,
    /// Whether the game has just ended, and what decided it is still to be said.
    has_ended: bool,
}

/// A turn that was taken back, with what was said of it.
#[derive(Debug)]
struct TakenBack {
    turn: Move,
    timing: Timing,
    reading: Reading,
    comments: Vec<String>,
    /// The result that the game had with this turn as its last.
    result: Option<GgfResult>,
}

/// What is said to a move behind the end.
const OVER: &str = "The game is over; 'undo' takes a move back, 'new' begins again.";

/// The empty squares with which nobody wants to hear the name of the opening any more.
const OPENING_ENDS_AT: u32 = 40;

impl Session {
    /// A new game, in which the person plays this side; `None` for both.
    pub fn new(opponent: Opponent, side: Option<Color>, palette: Palette) -> Session {
        Session {
            opponent,
            game: AnnotatedGame::new(GameRecord::default()),
            side,
            palette,
            clocks: Clocks::new(None, 0),
            taken_back: Vec::new(),
            file: None,
            turns_of_file: 0,
            since: Instant::now(),
            thought: Duration::ZERO,
            has_ended: false,
        }
    }

    /// The person plays this side, or both.
    pub fn with_side(mut self, side: Option<Color>) -> Session {
        self.side = side;
        self
    }

    /// Emilia plays at this level.
    pub fn with_level(mut self, level: Level) -> Session {
        self.opponent.set_level(level);
        self
    }

    /// The level at which Emilia plays.
    pub fn opponent_level(&self) -> Level {
        self.opponent.level()
    }

    /// Gives each side this time. Who runs out of it loses; the game may go on without clocks.
    pub fn with_clocks(mut self, control: TimeControl) -> Session {
        self.clocks = Clocks::new(Some(control), self.game.record.turns().len());
        self
    }

    fn begin(&mut self, game: AnnotatedGame) {
        self.turns_of_file = game.record.turns().len();
        self.clocks = Clocks::new(self.clocks.control(), self.turns_of_file);
        self.game = game;
        self.opponent.begin_game();
        self.taken_back.clear();
        self.file = None;
    }

    /// Plays until the person leaves or says nothing more.
    ///
    /// # Errors
    /// If a line cannot be read, or an answer cannot be written.
    pub fn run(&mut self, person: &mut impl Person, mut output: impl Write) -> io::Result<()> {
        output.write_all(self.greeting().as_bytes())?;
        // Emilia may have the first move, and think about it.
        output.flush()?;
        self.opponent.be_ready(self.game.record.position());
        self.turn_begins();
        let said = self.reply();
        self.say(&mut output, &said)?;
        loop {
            let Some(line) = self.hear(person)? else { return Ok(()) };
            let mut said = String::new();
            self.read_clock();
            if self.left().is_some_and(|left| left.is_zero()) {
                said = self.run_out();
            }
            if line.trim().is_empty() {
                self.say(&mut output, &said)?;
                continue;
            }
            let done = match line.parse::<Command>() {
                Ok(Command::Quit) => return self.say(&mut output, &said),
                Ok(command) => self.obey(command),
                Err(error) => Err(error.to_string()),
            };
            said += &done.unwrap_or_else(|problem| problem + "\n");
            self.opponent.follow(self.game.record.position());
            self.say(&mut output, &said)?;
        }
    }

    /// Says this, and what decided the game if that ends with it.
    fn say(&mut self, output: &mut impl Write, said: &str) -> io::Result<()> {
        output.write_all(said.as_bytes())?;
        output.flush()?;
        if std::mem::take(&mut self.has_ended) {
            output.write_all(self.turning_point().as_bytes())?;
        }
        output.flush()
    }

    fn greeting(&self) -> String {
        let time = self.clocks.control().map(|control| format!("Each side has {}. ", terms(control)));
        format!("{}{}'help' lists the commands.\n", self.seats(), time.unwrap_or_default())
    }

    /// Who plays which side.
    fn seats(&self) -> String {
        match self.side {
            Some(color) => format!("You play {color} against Emilia, {}.\n", self.opponent.level()),
            None => "You play both sides.\n".to_owned(),
        }
    }

    /// The person's next line; `None` if there is none. If the time runs out before, the person hears of it.
    fn hear(&mut self, person: &mut impl Person) -> io::Result<Option<String>> {
        self.read_clock();
        let left = self.left();
        let time = left.map_or_else(String::new, |left| format!(" {}", shown(left)));
        let prompt = match self.is_over() {
            true => "> ".to_owned(),
            false => format!("{}{time}> ", self.game.record.position().mover()),
        };
        person.ask(&prompt)?;
        loop {
            match person.line(self.left())? {
                Said::Line(line) => return Ok(Some(line)),
                Said::Goodbye => return Ok(None),
                Said::Nothing => {
                    let said = self.run_out();
                    person.interrupt(&said)?;
                }
            }
        }
    }

    /// Notes how long the person has thought. The clock stands still while the game is over.
    fn read_clock(&mut self) {
        match self.is_over() {
            true => self.since = Instant::now().checked_sub(self.thought).unwrap_or(self.since),
            false => self.thought = self.since.elapsed(),
        }
    }

    /// The time left to the side to move, for which the person thinks; `None` if no clock runs.
    fn left(&self) -> Option<Duration> {
        let left = self.clocks.left(self.game.record.position().mover()).filter(|_| !self.is_over())?;
        Some(left.saturating_sub(self.thought))
    }

    /// The side to move has lost on time, and hears it.
    fn run_out(&mut self) -> String {
        let loser = self.game.record.position().mover();
        self.clocks.run_out(loser);
        self.lost_on_time(loser)
    }

    fn lost_on_time(&mut self, loser: Color) -> String {
        self.game.result = self.result_on_time();
        let whose = match self.side {
            Some(color) if color == loser => "Your",
            Some(_) => "Emilia's",
            None => &format!("{}'s", loser.capital()),
        };
        format!("{whose} time is over: {} on time. You can play on without clocks.\n", self.wins(!loser))
    }

    /// The result, if somebody has run out of time.
    fn result_on_time(&self) -> Option<GgfResult> {
        self.clocks.loser().map(|loser| GgfResult { score: loser.signed(-64.0), ending: Some(Ending::Timeout) })
    }

    /// The side of the person, unless all that was played is a file's.
    fn person(&self) -> Option<Color> {
        self.side.filter(|_| self.game.record.turns().len() > self.turns_of_file)
    }

    /// Whether Emilia has chosen this turn: then it has a value.
    fn is_emilias(&self, turn: usize) -> bool {
        turn >= self.turns_of_file && self.game.timing.get(turn).is_some_and(|timing| timing.eval.is_some())
    }

    /// Whether this is a turn of the person's side that neither a file nor Emilia has chosen.
    fn is_own(&self, turn: usize) -> bool {
        let mover = self.game.record.positions()[turn].mover();
        self.side == Some(mover) && turn >= self.turns_of_file && !self.is_emilias(turn)
    }

    /// Who wins, in words.
    fn wins(&self, winner: Color) -> String {
        match self.person() {
            Some(color) if color == winner => "you win".to_owned(),
            Some(_) => "Emilia wins".to_owned(),
            None => format!("{winner} wins"),
        }
    }

    /// What is to be said to a command; to [`Command::Quit`] nothing.
    fn obey(&mut self, command: Command) -> Result<String, String> {
        match command {
            Command::Quit => Ok(String::new()),
            Command::Help => Ok(HELP.to_owned()),
            Command::Board => Ok(self.board()),
            Command::Moves => Ok(self.moves()),
            Command::Turns(turns) => self.take(&turns),
            Command::Hint(count) => self.hint(count),
            Command::Book => self.book(),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::Resign => self.resign(),
            Command::Go => self.go(),
            Command::New => {
                self.begin(AnnotatedGame::new(GameRecord::default()));
                Ok(self.reply())
            }
            Command::Level(level) => {
                if let Some(level) = level {
                    self.opponent.set_level(level);
                }
                Ok(self.level())
            }
            Command::Swap if self.is_over() => Err(OVER.to_owned()),
            Command::Swap => {
                let mover = self.game.record.position().mover();
                let takes_mover = || (mover, format!("You play {mover} now, and Emilia plays {}.\n", !mover));
                let (side, notice) = self.side.map_or_else(takes_mover, |color| (!color, String::new()));
                self.side = Some(side);
                // Who takes the move over takes over the time that it has cost.
                Ok(notice + &self.reply_after(self.thought))
            }
            Command::Save(name) => self.save(Path::new(&name)),
            Command::Load(said) => {
                let (file, number) = file_and_number(&said);
                let before = (self.side, self.opponent.level());
                let warnings = self.load(file, number)?;
                let mut said: String = warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
                if (self.side, self.opponent.level()) != before {
                    said += &self.seats();
                }
                Ok(said + &self.reply())
            }
            Command::SetBoard(text) => {
                let game = read_position(&text).map_err(|error| error.to_string())?;
                self.begin(AnnotatedGame::new(game));
                Ok(self.reply())
            }
        }
    }

    /// Turns that the person says, and Emilia's answer. Of several turns all are taken, or none.
    fn take(&mut self, turns: &[Move]) -> Result<String, String> {
        if self.is_over() {
            return Err(OVER.to_owned());
        }
        // Emilia may have had the first moves of a game that is said from its beginning.
        let is_new = turns.len() > 1 && (0..self.game.record.turns().len()).all(|turn| self.is_emilias(turn));
        let record = match played(self.game.record.clone(), turns) {
            Ok(record) => record,
            Err(here) if is_new => {
                let start = GameRecord::from_position(*self.game.record.start());
                let record =
                    played(start.clone(), turns).map_err(|there| if there.0 > here.0 { there.1 } else { here.1 })?;
                let AnnotatedGame { black, white, place, date, .. } = self.game.clone();
                let file = self.file.take();
                self.begin(AnnotatedGame { black, white, place, date, ..AnnotatedGame::new(start) });
                self.file = file;
                record
            }
            Err((_, problem)) => return Err(problem),
        };
        self.taken_back.clear();
        let known = self.game.record.turns().len();
        let mut text = String::new();
        let is_own = self.side.is_none_or(|side| side == self.game.record.position().mover());
        for (i, &turn) in record.turns()[known..].iter().enumerate() {
            // The first of several turns has cost the time, as far as anybody knows, if it is the person's.
            text += &self.push(turn, None, (i == 0 && is_own).then_some(self.thought));
        }
        Ok(text + &self.reply())
    }

    /// Emilia takes the person's turn.
    fn go(&mut self) -> Result<String, String> {
        let mover = self.game.record.position().mover();
        let (turn, time) = self.think(self.thought).ok_or(OVER)?;
        self.taken_back.clear();
        Ok(format!("For {mover}: {}.\n{time}{}", spoken(turn), self.reply()))
    }

    /// Emilia chooses the next turn and takes it. With it comes what the person hears of its time; `None` if the game is over.
    fn think(&mut self, thought: Duration) -> Option<(Move, String)> {
        let position = *self.game.record.position();
        let budget = self.clocks.budget(position.mover(), position.empties().count(), thought);
        let begin = Instant::now();
        let (turn, value) = if self.is_over() { None } else { self.opponent.choose(&position, budget) }?;
        let time = self.push(turn, value, Some(thought + begin.elapsed()));
        Some((turn, time))
    }

    /// Takes a turn that is known to be legal, with the time that its side is charged. Returns what the person hears of that: nothing unless
    /// it ran out.
    fn push(&mut self, turn: Move, eval: Option<f64>, elapsed: Option<Duration>) -> String {
        let position = *self.game.record.position();
        self.turns_of_file = self.turns_of_file.min(self.game.record.turns().len());
        if self.game.record.take(turn).is_err() {
            return String::new();
        }
        let elapsed = elapsed.filter(|_| !position.must_pass());
        let seconds = elapsed.map(|elapsed| to_hundredths(elapsed.as_secs_f64()));
        // The result of a file is that of the turns that it has.
        self.game.result = self.result_on_time();
        self.game.timing.push(Timing { eval: eval.map(to_hundredths), seconds });
        match self.clocks.take(position.mover(), elapsed) {
            true => String::new(),
            false => self.lost_on_time(position.mover()),
        }
    }

    /// What happens until the person has to choose, and the board then.
    fn reply(&mut self) -> String {
        self.reply_after(Duration::ZERO)
    }

    /// The same where so long was thought about the first turn already.
    fn reply_after(&mut self, mut thought: Duration) -> String {
        let mut text = String::new();
        loop {
            let position = *self.game.record.position();
            if self.is_over() {
                break;
            }
            if position.must_pass() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{} has no move and passes.", position.mover().capital());
                self.push(Move::Pass, None, None);
                continue;
            }
            match self.side {
                Some(color) if color != position.mover() => {
                    let Some((turn, time)) = self.think(std::mem::take(&mut thought)) else { break };
                    self.taken_back.clear();
                    let _ = write!(text, "Emilia plays {}.\n{time}", spoken(turn));
                }
                _ => break,
            }
        }
        if thought.is_zero() {
            self.turn_begins();
        }
        self.has_ended = self.game.record.position().is_over();
        text + &self.board()
    }

    /// The person has to choose from now on.
    fn turn_begins(&mut self) {
        self.since = Instant::now();
        self.thought = Duration::ZERO;
    }

    /// Whether the game is played to its end, or given up. One that is lost on time may go on.
    fn is_over(&self) -> bool {
        self.game.record.position().is_over() || self.game.ending() == Some(Ending::Resigned)
    }

    fn last_disc(&self) -> Option<Move> {
        self.game.record.turns().iter().rev().copied().find(|turn| *turn != Move::Pass)
    }

    fn board(&self) -> String {
        let position = self.game.record.position();
        let diagram = Diagram::new(position, self.palette).after(self.last_disc());
        format!("\n{diagram}{}\n{}", self.state(position), self.times())
    }

    /// What the clocks show, or who has lost by them; empty without clocks.
    fn times(&self) -> String {
        if let Some(loser) = self.clocks.loser() {
            return format!("{} ran out of time: {}\n", loser, self.wins(!loser));
        }
        let position = self.game.record.position();
        let thought = |color: Color| Some(self.thought).filter(|_| color == position.mover() && !position.is_over());
        let side = |color: Color| {
            let left = self.clocks.left(color)?.saturating_sub(thought(color).unwrap_or_default());
            Some(format!("{color} {}", shown(left)))
        };
        match (side(Color::Black), side(Color::White)) {
            (Some(black), Some(white)) => format!("time left: {black}, {white}\n"),
            _ => String::new(),
        }
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
            let loser = if score > 0.0 { Color::White } else { Color::Black };
            return self.palette.strong(&format!("{discs}; {loser} resigns: {}", self.wins(!loser)));
        }
        let score = position.score_for_black();
        let end = match score.signum() {
            0 => "a draw".to_owned(),
            1 => format!("{} by {score}", self.wins(Color::Black)),
            _ => format!("{} by {}", self.wins(Color::White), -score),
        };
        self.palette.strong(&format!("{discs}: {end}"))
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

    /// Takes the person's last choice back: to give up, or a move and what came after it.
    fn undo(&mut self) -> Result<String, String> {
        if self.game.ending() == Some(Ending::Resigned) {
            self.game.result = self.result_on_time();
            return Ok(self.reply_after(self.thought));
        }
        let (turns, positions) = (self.game.record.turns(), self.game.record.positions());
        let is_own = |turn: &usize| self.side.is_none_or(|own| positions[*turn].mover() == own);
        let Some(keep) = (0..turns.len()).rev().filter(is_own).find(|turn| turns[*turn] != Move::Pass) else {
            // Before the first move only the end of the time can be taken back.
            if !self.clocks.undo_run_out() {
                return Err("There is no move of yours to take back.".to_owned());
            }
            self.game.result = self.result_on_time();
            self.turn_begins();
            return Ok(self.board());
        };
        self.game.timing.resize(turns.len(), Timing::default());
        // What the clocks say of it they will say again.
        let mut result = self.game.result.filter(|_| self.game.result != self.result_on_time());
        while self.game.record.turns().len() > keep {
            let number = self.game.record.turns().len();
            let said = self.game.turn_comments.extract_if(.., |(turn, _)| *turn >= number);
            let comments = said.map(|(_, text)| text).collect();
            let (turn, timing) = (self.game.record.undo(), self.game.timing.pop());
            let taken_back = turn.zip(timing).zip(self.clocks.undo());
            let taken_back = taken_back.map(|((turn, timing), reading)| TakenBack {
                turn,
                timing,
                reading,
                comments,
                result: result.take(),
            });
            self.taken_back.extend(taken_back);
        }
        self.game.result = self.result_on_time();
        self.turn_begins();
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
        while let Some(TakenBack { turn, timing, reading, comments, result }) = self.taken_back.pop() {
            self.game.record.take(turn).map_err(|illegal| format!("Illegal: {illegal}."))?;
            self.game.timing.push(timing);
            self.clocks.redo(reading);
            let number = self.game.record.turns().len();
            self.game.turn_comments.extend(comments.into_iter().map(|text| (number, text)));
            self.game.result = self.result_on_time().or(result);
            let next = self.game.record.position();
            let is_own = self.side.is_none_or(|color| color == next.mover());
            if is_own && self.taken_back.last().is_some_and(|next| next.turn != Move::Pass) {
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
        let loser = self.side.unwrap_or(self.game.record.position().mover());
        self.game.result = Some(GgfResult { score: loser.signed(-64.0), ending: Some(Ending::Resigned) });
        self.has_ended = true;
        Ok(self.board())
    }
}

/// The game with these turns after it; of several that cannot all be played, the number of the first that cannot, and what is said to that.
fn played(mut record: GameRecord, turns: &[Move]) -> Result<GameRecord, (usize, String)> {
    for (number, &turn) in turns.iter().enumerate() {
        let taken = if turns.len() == 1 { record.take(turn) } else { record.take_with_implied_pass(turn) };
        taken.map_err(|illegal| match turns.len() {
            1 => (number, format!("Illegal: {illegal}.")),
            _ => (number, format!("Move {} is illegal: {illegal}. None of them was played.", number + 1)),
        })?;
    }
    Ok(record)
}

fn to_hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn spoken(turn: Move) -> String {
    match turn {
        Move::Place(square) => square.to_string(),
        Move::Pass => "a pass".to_owned(),
    }
}
