//! The files of the WTHOR base of tournament games: games (`.wtb`), players (`.jou`) and tournaments (`.trn`).
//!
//! All numbers are little-endian. A header of 16 bytes is followed by records of fixed size: 68 bytes for a game, 20 for
//! a player's name, 26 for a tournament's.

use crate::othello::{Color, GameRecord, IllegalMove, Move, Position, Square};
use thiserror::Error;

pub(super) const HEADER: usize = 16;
pub(super) const GAME: usize = 68;
pub(super) const PLAYER: usize = 20;
pub(super) const TOURNAMENT: usize = 26;

/// The empties that theoretical scores are for where the header does not say.
const USUAL_THEORY: u8 = 22;

/// Why the bytes are not a file of the base.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WthorError {
    /// Not even a header.
    #[error("{0} bytes; expected a header of {HEADER} bytes")]
    Header(usize),
    /// The size does not fit the number of records.
    #[error("{found} bytes; expected {expected} for the {records} records that the header announces")]
    Size {
        /// The bytes that there are.
        found: usize,
        /// Those that there should be.
        expected: u64,
        /// The records.
        records: u32,
    },
    /// The games are not on 8x8 squares.
    #[error("games on a board of {0}x{0}; only 8x8 can be read")]
    Board(u8),
}

/// A file of games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WthorFile {
    /// The year of the games; 0 if the file has games of many years.
    pub year: u16,
    /// With how many empty squares perfect play begins for the theoretical scores.
    pub theory_empties: u8,
    /// The games.
    pub games: Vec<WthorGame>,
}

/// One game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WthorGame {
    /// The number of the tournament in the `.trn` file, from 0.
    pub tournament: u16,
    /// The number of Black in the `.jou` file, from 0.
    pub black: u16,
    /// The number of White.
    pub white: u16,
    /// Black's discs at the end, 0 to 64, the empty squares given to the winner; `None` if the file has another number.
    pub black_discs: Option<u8>,
    /// Black's discs had both sides played perfectly from [`WthorFile::theory_empties`] on, in the same way.
    pub theory: Option<u8>,
    /// What was played, up to the first turn that makes no sense. Passes are put in.
    pub game: GameRecord,
    /// Why the record ends before the file's does.
    pub broken: Option<BrokenGame>,
}

/// The first turn that makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BrokenGame {
    /// The byte of a move, from 1, is not 10 times a row and a column, both 1 to 8.
    #[error("move {0} is {1}; expected 10 times the row plus the column")]
    NotASquare(usize, u8),
    /// The rules do not allow a move, from 1.
    #[error("move {0}: {1}")]
    Illegal(usize, IllegalMove),
}

/// What the header of a file of games says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WthorHeader {
    /// How many games follow.
    pub(super) games: u32,
    /// How many names follow, if the file is one of names.
    pub(super) names: u16,
    /// As [`WthorFile::year`].
    pub(super) year: u16,
    /// As [`WthorFile::theory_empties`].
    pub(super) theory_empties: u8,
}

impl WthorHeader {
    pub(super) fn parse(header: &[u8; HEADER]) -> Result<WthorHeader, WthorError> {
        // 0 stands for 8 in the oldest files.
        if !matches!(header[12], 0 | 8) {
            return Err(WthorError::Board(header[12]));
        }
        Ok(WthorHeader {
            games: u32::from_le_bytes([header[4], header[5], header[6], header[7]]),
            names: u16::from_le_bytes([header[8], header[9]]),
            year: u16::from_le_bytes([header[10], header[11]]),
            theory_empties: if header[14] == 0 { USUAL_THEORY } else { header[14] },
        })
    }
}

impl WthorFile {
    /// Reads the bytes of a `.wtb` file.
    ///
    /// # Errors
    /// If the size is not what the header announces, or the board is not of 8x8 squares. A game that breaks off is no error.
    pub fn parse(bytes: &[u8]) -> Result<WthorFile, WthorError> {
        let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or(WthorError::Header(bytes.len()))?;
        let WthorHeader { games, year, theory_empties, .. } = WthorHeader::parse(header)?;
        let games = records::<GAME>(rest, games)?.iter().map(WthorGame::of_record).collect();
        Ok(WthorFile { year, theory_empties, games })
    }
}

impl WthorGame {
    pub(super) fn of_record(record: &[u8; GAME]) -> WthorGame {
        let number = |at: usize| u16::from_le_bytes([record[at], record[at + 1]]);
        let discs = |at: usize| Some(record[at]).filter(|&discs| discs <= 64);
        let (game, broken) = play(&record[8..]);
        WthorGame {
            tournament: number(0),
            black: number(2),
            white: number(4),
            black_discs: discs(6),
            theory: discs(7),
            game,
            broken,
        }
    }

    /// The first position with this number of empty squares in which the side to move has a move, if the game came to one.
    pub fn position_at(&self, empties: u32) -> Option<&Position> {
        let positions = self.game.positions();
        positions.iter().find(|position| position.empties().count() == empties && !position.moves().is_empty())
    }

    /// The theoretical score for one side in discs, −64 to 64.
    pub fn theory_for(&self, color: Color) -> Option<i32> {
        Some(color.signed(2 * i32::from(self.theory?) - 64))
    }
}

/// Plays the moves; 0 ends them.
fn play(moves: &[u8]) -> (GameRecord, Option<BrokenGame>) {
    let mut game = GameRecord::default();
    for (i, &byte) in moves.iter().enumerate().take_while(|&(_, &byte)| byte != 0) {
        let number = i + 1;
        let Some(square) = Square::at((byte % 10).wrapping_sub(1), (byte / 10).wrapping_sub(1)) else {
            return (game, Some(BrokenGame::NotASquare(number, byte)));
        };
        if let Err(reason) = game.take_with_implied_pass(Move::Place(square)) {
            return (game, Some(BrokenGame::Illegal(number, reason)));
        }
    }
    (game, None)
}

/// The names of the bytes of a `.jou` file, by the numbers of [`WthorGame::black`] and [`WthorGame::white`].
///
/// # Errors
/// If the size is not what the header announces.
pub fn parse_players(bytes: &[u8]) -> Result<Vec<String>, WthorError> {
    names::<PLAYER>(bytes)
}

/// The names of the bytes of a `.trn` file, by the numbers of [`WthorGame::tournament`].
///
/// # Errors
/// If the size is not what the header announces.
pub fn parse_tournaments(bytes: &[u8]) -> Result<Vec<String>, WthorError> {
    names::<TOURNAMENT>(bytes)
}

fn names<const LENGTH: usize>(bytes: &[u8]) -> Result<Vec<String>, WthorError> {
    let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or(WthorError::Header(bytes.len()))?;
    let count = u32::from(u16::from_le_bytes([header[8], header[9]]));
    // Latin-1: every byte is the code of its character.
    let name = |record: &[u8; LENGTH]| {
        record.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect::<String>()
    };
    Ok(records::<LENGTH>(rest, count)?.iter().map(name).collect())
}

/// The records behind a header, if there are exactly `count` of them.
fn records<const LENGTH: usize>(rest: &[u8], count: u32) -> Result<&[[u8; LENGTH]], WthorError> {
    let (records, over) = rest.as_chunks::<LENGTH>();
    if records.len() as u64 != u64::from(count) || !over.is_empty() {
        let expected = HEADER as u64 + u64::from(count) * LENGTH as u64;
        return Err(WthorError::Size { found: HEADER + rest.len(), expected, records: count });
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(records: &[Vec<u8>], header: impl Fn(&mut [u8])) -> Vec<u8> {
        let mut bytes = vec![0; HEADER];
        bytes[4..8].copy_from_slice(&(records.len() as u32).to_le_bytes());
        bytes[8..10].copy_from_slice(&(records.len() as u16).to_le_bytes());
        bytes[10..12].copy_from_slice(&2024u16.to_le_bytes());
        header(&mut bytes);
        bytes.extend(records.concat());
        bytes
    }

    fn record(moves: &[u8]) -> Vec<u8> {
        // Tournament 70, black 445, white 556, 31 discs, theoretical 39.
        let mut record = vec![0x46, 0x00, 0xbd, 0x01, 0x2c, 0x02, 0x1f, 0x27];
        record.extend(moves);
        record.resize(GAME, 0);
        record
    }

    #[test]
    fn a_record_by_hand() {
        let read = WthorFile::parse(&file(&[record(&[0x38, 0x2e, 0x23])], |_| {})).unwrap();
        assert_eq!((read.year, read.theory_empties), (2024, 22));
        let game = &read.games[0];
        assert_eq!((game.tournament, game.black, game.white), (70, 445, 556));
        assert_eq!((game.black_discs, game.theory), (Some(31), Some(39)));
        assert_eq!((game.theory_for(Color::Black), game.theory_for(Color::White)), (Some(14), Some(-14)));
        let turns: Vec<String> = game.game.turns().iter().map(Move::to_string).collect();
        assert_eq!((turns.as_slice(), game.broken), (["f5", "f4", "e3"].map(String::from).as_slice(), None));
        assert_eq!(game.position_at(58), Some(&game.game.positions()[2]));
        assert_eq!(game.position_at(56), None);
    }

    #[test]
    fn passes_are_put_in() {
        // f5 f6 d3 g5 h5 h4 f7 h6, and Black has to pass; then any move of White's.
        let mut moves = vec![56, 66, 34, 57, 58, 48, 76, 68];
        let (before, _) = play(&moves);
        let reply = before.position().opponent_moves().into_iter().next().unwrap();
        moves.push(10 * (reply.row() + 1) + reply.column() + 1);
        let read = WthorFile::parse(&file(&[record(&moves)], |_| {})).unwrap();
        let game = &read.games[0];
        assert_eq!(game.broken, None);
        assert_eq!((game.game.turns().len(), game.game.turns()[8]), (10, Move::Pass));
        // The position before the pass is none to choose a move in.
        assert_eq!(game.position_at(52), Some(&game.game.positions()[9]));
    }

    #[test]
    fn a_broken_game_ends_where_it_breaks() {
        let broken = |moves: &[u8]| {
            let read = WthorFile::parse(&file(&[record(moves), record(&[56])], |_| {})).unwrap();
            assert_eq!(read.games[1].game.turns().len(), 1, "the next game is read");
            (read.games[0].game.turns().len(), read.games[0].broken.map(|broken| broken.to_string()).unwrap())
        };
        let (turns, why) = broken(&[56, 11]);
        assert!(turns == 1 && why.starts_with("move 2: a1 turns no disc"), "{why}");
        for byte in [9, 10, 19, 90, 98, 255] {
            let (turns, why) = broken(&[56, 46, byte]);
            assert!(turns == 2 && why.starts_with(&format!("move 3 is {byte};")), "{why}");
        }
        let mut wrong_scores = record(&[]);
        wrong_scores[6..8].copy_from_slice(&[65, 255]);
        let read = WthorFile::parse(&file(&[wrong_scores], |_| {})).unwrap();
        assert_eq!((read.games[0].black_discs, read.games[0].theory_for(Color::White)), (None, None));
    }

    #[test]
    fn sizes_and_boards_are_checked() {
        let whole = file(&[record(&[56]), record(&[])], |_| {});
        for length in 0..whole.len() {
            let error = WthorFile::parse(&whole[..length]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{length} bytes; expected ")), "{error}");
        }
        let huge = file(&[], |header| header[4..8].fill(0xff));
        assert!(matches!(WthorFile::parse(&huge), Err(WthorError::Size { records: u32::MAX, .. })));
        let other = file(&[], |header| header[12] = 10);
        assert_eq!(WthorFile::parse(&other), Err(WthorError::Board(10)));
        let said = file(&[], |header| header[14] = 24);
        assert_eq!(WthorFile::parse(&said).unwrap().theory_empties, 24);
    }

    #[test]
    fn names_are_read_up_to_their_first_zero() {
        let name = |text: &[u8], length: usize| {
            let mut record = text.to_vec();
            record.resize(length, 0);
            record
        };
        let players = file(&[name(b"???", PLAYER), name(b"Mal\xe9zieux\0rest", PLAYER)], |header| header[12] = 77);
        assert_eq!(parse_players(&players).unwrap(), ["???", "Malézieux"]);
        let tournaments = file(&[name(&[b'x'; TOURNAMENT], TOURNAMENT)], |_| {});
        assert_eq!(parse_tournaments(&tournaments).unwrap(), ["x".repeat(TOURNAMENT)]);
        assert!(parse_players(&tournaments).is_err());
    }
}
