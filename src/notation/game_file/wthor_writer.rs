//! From [`AnnotatedGame`] to the three files of WTHOR.

use super::Format;
use crate::notation::annotated_game::AnnotatedGame;
use crate::notation::loss::{Datum, Loss, losses};
use crate::notation::written::Unwritable;
use crate::notation::wthor::{GAME, HEADER, PLAYER, TOURNAMENT};
use crate::othello::{Move, Position};
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::time::SystemTime;

/// No theoretical score: no number of discs, so that no reader takes it for one.
const NO_THEORY: u8 = 255;

/// Years in which the game was played. Other numbers in front of a date are no years.
const YEARS: RangeInclusive<u16> = 1850..=2150;

/// Collects games, and gives out the files when all are there.
#[derive(Debug, Default)]
pub struct WthorWriter {
    records: Vec<u8>,
    games: u32,
    players: Names,
    tournaments: Names,
    /// The year of the first game, if it says one.
    year: Option<u16>,
    /// Whether another game says another year, or says one where the first does not.
    years_differ: bool,
    /// The empties of the theoretical scores so far.
    theory_empties: Option<u8>,
}

/// The bytes of the three files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WthorBytes {
    /// The games, `.wtb`.
    pub games: Vec<u8>,
    /// The players' names, `.jou`.
    pub players: Vec<u8>,
    /// The tournaments' names, `.trn`.
    pub tournaments: Vec<u8>,
    /// What the files as a whole cannot hold: a header has one year.
    pub losses: Vec<Loss>,
}

impl WthorWriter {
    /// Nothing so far.
    pub fn new() -> WthorWriter {
        WthorWriter::default()
    }

    /// Adds a game; what is lost of it comes back.
    ///
    /// # Errors
    /// If the game does not begin with the standard start, has no result in whole discs, or brings one name too many.
    pub fn add(&mut self, game: &AnnotatedGame) -> Result<Vec<Loss>, Unwritable> {
        if *game.record.start() != Position::START {
            return Err(Unwritable::Start(Format::Wthor));
        }
        let score = game.whole_score().filter(|score| score % 2 == 0);
        let score = score.ok_or_else(|| Unwritable::result_of(game, Format::Wthor))?;
        let keeps_result = game.has_result_without_ending();
        let mut losses = losses(game, |datum| {
            use Datum::{Date, Place, Players, Result, Theory, Turns};
            matches!(datum, Players | Place | Date | Theory | Turns) || datum == Result && keeps_result
        });
        let tournament = self.tournaments.number(&game.place, TOURNAMENT, Datum::Place, &mut losses)?;
        let black = self.players.number(&game.black.name, PLAYER, Datum::Players, &mut losses)?;
        let white = self.players.number(&game.white.name, PLAYER, Datum::Players, &mut losses)?;
        let theory = game.theory.filter(|theory| match self.theory_empties {
            Some(empties) if empties != theory.empties => {
                losses.push(Loss::new(Datum::Theory, format!("from {} empty squares on", theory.empties)));
                false
            }
            _ => true,
        });
        self.theory_empties = self.theory_empties.or(theory.map(|theory| theory.empties));
        self.note_year(&game.date, &mut losses);
        for number in [tournament, black, white] {
            self.records.extend(number.to_le_bytes());
        }
        self.records.push(((64 + score) / 2) as u8);
        self.records.push(theory.map_or(NO_THEORY, |theory| ((64 + theory.black_score) / 2) as u8));
        let mut moves = [0; GAME - 8];
        let squares = game.record.turns().iter().filter_map(|turn: &Move| turn.square());
        for (byte, square) in moves.iter_mut().zip(squares) {
            *byte = 10 * (square.row() + 1) + square.column() + 1;
        }
        self.records.extend(moves);
        self.games += 1;
        Ok(losses)
    }

    fn note_year(&mut self, date: &str, losses: &mut Vec<Loss>) {
        let year = year_of(date);
        if !date.is_empty() && (year.is_none() || date.len() > 4) {
            losses.push(Loss::new(Datum::Date, date));
        }
        if self.games == 0 {
            self.year = year;
        }
        self.years_differ |= self.year != year;
    }

    /// The files.
    pub fn finish(self) -> WthorBytes {
        let mut losses = Vec::new();
        if self.years_differ {
            losses.push(Loss::new(Datum::Date, "the games are not all of one year"));
        }
        let year = self.year.filter(|_| !self.years_differ).unwrap_or(0);
        let mut header = header(year, self.theory_empties.unwrap_or(0));
        header[4..8].copy_from_slice(&self.games.to_le_bytes());
        let games = [&header[..], &self.records].concat();
        WthorBytes { games, players: self.players.file(PLAYER), tournaments: self.tournaments.file(TOURNAMENT), losses }
    }
}

/// The year that a date begins with: four digits that no further one follows, unless those of a month and a day do.
fn year_of(date: &str) -> Option<u16> {
    let digits = date.len() - date.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = |range: Range<usize>| date[range].parse::<u16>().unwrap_or(0);
    let is_day = || (1..=12).contains(&number(4..6)) && (1..=31).contains(&number(6..8));
    let is_year = digits == 4 || digits >= 8 && is_day();
    is_year.then(|| number(0..4)).filter(|year| YEARS.contains(year))
}

/// A header with today's date and no records.
fn header(year: u16, theory_empties: u8) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let today = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let parts = [0..2, 2..4, 5..7, 8..10];
    for (byte, part) in header.iter_mut().zip(parts) {
        *byte = today.get(part).and_then(|digits| digits.parse().ok()).unwrap_or(0);
    }
    header[10..12].copy_from_slice(&year.to_le_bytes());
    header[12] = 8;
    header[14] = theory_empties;
    header
}

/// Names and their numbers, from 1 on: 0 is the number of no name.
#[derive(Debug, Default)]
struct Names {
    numbers: HashMap<String, u16>,
    bytes: Vec<Vec<u8>>,
    /// The first name with these bytes: what a file keeps of a name may be what it keeps of another one.
    firsts: HashMap<Vec<u8>, String>,
}

impl Names {
    /// The number of a name, which is new or not.
    fn number(&mut self, name: &str, size: usize, datum: Datum, losses: &mut Vec<Loss>) -> Result<u16, Unwritable> {
        if name.is_empty() {
            return Ok(0);
        }
        let latin: Vec<u8> =
            name.chars().map(|c| u8::try_from(c).ok().filter(|&byte| byte != 0).unwrap_or(b'?')).collect();
        if latin.iter().map(|&byte| char::from(byte)).ne(name.chars()) {
            losses.push(Loss::of_characters(name));
        }
        // The last byte stays zero: some readers rely on it.
        let kept = latin.len().min(size - 1);
        if kept < latin.len() {
            losses.push(Loss::new(datum, format!("{name:?} beyond {kept} letters")));
        }
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        let most = usize::from(u16::MAX) - 1;
        let number = u16::try_from(self.bytes.len() + 1).ok().filter(|number| *number < u16::MAX);
        let number = number.ok_or(Unwritable::Names(most))?;
        let mut bytes = latin[..kept].to_vec();
        bytes.resize(size, 0);
        let first = self.firsts.entry(bytes.clone()).or_insert_with(|| name.to_owned());
        if first != name {
            losses.push(Loss::new(Datum::Difference, format!("{first:?} and {name:?}")));
        }
        self.bytes.push(bytes);
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    fn file(&self, size: usize) -> Vec<u8> {
        debug_assert!(self.bytes.iter().all(|name| name.len() == size));
        let mut header = header(0, 0);
        header[8..10].copy_from_slice(&(self.bytes.len() as u16 + 1).to_le_bytes());
        [&header[..], &vec![0; size], &self.bytes.concat()].concat()
    }
}
