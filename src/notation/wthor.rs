//! The files of the WTHOR base of tournament games: games (`.wtb`), players (`.jou`) and tournaments (`.trn`).
//!
//! All numbers are little-endian. A header of 16 bytes is followed by records of fixed size: 68 bytes for a game, 20 for
//! a player's name, 26 for a tournament's.

use crate::othello::{GameRecord, IllegalMove, Move, Square};
use thiserror::Error;

pub(super) const HEADER: usize = 16;
pub(super) const GAME: usize = 68;
/// The length of a player's name.
pub const PLAYER: usize = 20;
/// The length of a tournament's name.
pub const TOURNAMENT: usize = 26;

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
    /// The year of the games; 0 if the file has games of many years.
    pub(super) year: u16,
    /// With how many empty squares perfect play begins for the theoretical scores.
    pub(super) theory_empties: u8,
}

/// Whether bytes, those of a header as far as they are there, begin as one: with the day on which the file was written, or none.
pub(super) fn begins(header: &[u8]) -> bool {
    let day = &header[..header.len().min(4)];
    let ranges = [19..=21, 0..=99, 1..=12, 1..=31];
    day.iter().all(|&byte| byte == 0) || day.iter().zip(ranges).all(|(byte, range)| range.contains(byte))
}

impl WthorHeader {
    pub(super) fn parse(header: &[u8; HEADER]) -> Result<WthorHeader, WthorError> {
        // 0 stands for 8 in the oldest files.
        if !matches!(header[12], 0 | 8) {
            return Err(WthorError::Board(header[12]));
        }
        Ok(WthorHeader {
            games: u32::from_le_bytes([header[4], header[5], header[6], header[7]]),
            year: u16::from_le_bytes([header[10], header[11]]),
            theory_empties: if header[14] == 0 { USUAL_THEORY } else { header[14] },
        })
    }
}

/// Plays the moves of a record, up to a 0. Passes are put in.
///
/// # Errors
/// If a move makes no sense.
pub(super) fn play(moves: &[u8]) -> Result<GameRecord, BrokenGame> {
    let mut game = GameRecord::default();
    for (number, &byte) in (1..).zip(moves).take_while(|&(_, &byte)| byte != 0) {
        let square = Square::at((byte % 10).wrapping_sub(1), (byte / 10).wrapping_sub(1));
        let square = square.ok_or(BrokenGame::NotASquare(number, byte))?;
        game.take_with_implied_pass(Move::Place(square)).map_err(|reason| BrokenGame::Illegal(number, reason))?;
    }
    Ok(game)
}

/// The names of the bytes of a `.jou` file ([`PLAYER`]) or of a `.trn` file ([`TOURNAMENT`]), by the numbers that games have for them.
///
/// # Errors
/// If the size is not what the header announces.
pub fn names<const LENGTH: usize>(bytes: &[u8]) -> Result<Vec<String>, WthorError> {
    let (header, rest) = bytes.split_first_chunk::<HEADER>().ok_or(WthorError::Header(bytes.len()))?;
    let count = u32::from(u16::from_le_bytes([header[8], header[9]]));
    // Latin-1: every byte is the code of its character.
    let name = |record: &[u8; LENGTH]| {
        record.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect::<String>()
    };
    let (records, over) = rest.as_chunks::<LENGTH>();
    if records.len() as u64 != u64::from(count) || !over.is_empty() {
        let expected = HEADER as u64 + u64::from(count) * LENGTH as u64;
        return Err(WthorError::Size { found: HEADER + rest.len(), expected, records: count });
    }
    Ok(records.iter().map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::game_file::GameFile;
    use crate::notation::ggf::GgfResult;
    use crate::notation::{AnnotatedGame, Theory};
    use std::io::Cursor;

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

    /// The games of a file, or why they cannot be read.
    fn games(bytes: Vec<u8>) -> Vec<Result<AnnotatedGame, String>> {
        let games = GameFile::new("file", Cursor::new(bytes)).unwrap();
        games.map(|item| item.map(|found| found.game).map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn a_record_by_hand() {
        let [Ok(game)] = &games(file(&[record(&[0x38, 0x2e, 0x23])], |_| {}))[..] else { panic!() };
        let names = [&game.place, &game.black.name, &game.white.name, &game.date];
        assert_eq!(names, ["tournament 70", "player 445", "player 556", "2024"]);
        assert_eq!(game.result, Some(GgfResult::of_score(-2)));
        assert_eq!(game.theory, Some(Theory { empties: 22, black_score: 14 }));
        assert_eq!(game.record.turns().iter().map(Move::to_string).collect::<String>(), "f5f4e3");
    }

    #[test]
    fn passes_are_put_in() {
        // f5 f6 d3 g5 h5 h4 f7 h6, and Black has to pass; then any move of White's.
        let mut moves = vec![56, 66, 34, 57, 58, 48, 76, 68];
        let before = play(&moves).unwrap();
        let reply = before.position().opponent_moves().into_iter().next().unwrap();
        moves.push(10 * (reply.row() + 1) + reply.column() + 1);
        let [Ok(game)] = &games(file(&[record(&moves)], |_| {}))[..] else { panic!() };
        assert_eq!((game.record.turns().len(), game.record.turns()[8]), (10, Move::Pass));
    }

    #[test]
    fn a_game_that_makes_no_sense_does_not_end_the_file() {
        let broken = |moves: &[u8]| match &games(file(&[record(moves), record(&[56])], |_| {}))[..] {
            [Err(why), Ok(next)] if next.record.turns().len() == 1 => why.clone(),
            other => panic!("{other:?}"),
        };
        let why = broken(&[56, 11]);
        assert!(why.starts_with("file: byte 16: game 1, move 2: a1 turns no disc"), "{why}");
        for byte in [9, 10, 19, 90, 98, 255] {
            let why = broken(&[56, 46, byte]);
            assert!(why.starts_with(&format!("file: byte 16: game 1, move 3 is {byte};")), "{why}");
        }
        let mut wrong_scores = record(&[]);
        wrong_scores[6..8].copy_from_slice(&[65, 255]);
        let [Ok(game)] = &games(file(&[wrong_scores], |_| {}))[..] else { panic!() };
        assert_eq!((game.result, game.theory), (None, None));
    }

    #[test]
    fn headers_are_checked() {
        let whole = file(&[record(&[56])], |_| {});
        let refused = |bytes: &[u8]| GameFile::new("file", Cursor::new(bytes.to_vec())).unwrap_err().to_string();
        for length in 1..HEADER {
            assert_eq!(refused(&whole[..length]), format!("file: {length} bytes; expected a header of 16 bytes"));
        }
        let huge = games(file(&[], |header| header[4..8].fill(0xff)));
        assert!(matches!(&huge[..], [Err(why)] if why.contains("announces 4294967295 games")), "{huge:?}");
        let other = refused(&file(&[], |header| header[12] = 10));
        assert!(other.ends_with("games on a board of 10x10; only 8x8 can be read"), "{other}");
        let said = games(file(&[record(&[])], |header| header[14] = 24));
        assert_eq!(said[0].as_ref().unwrap().theory, Some(Theory { empties: 24, black_score: 14 }));
    }

    #[test]
    fn other_bytes_are_no_base() {
        for (day, is_one) in
            [([20, 26, 2, 23], true), ([0; 4], true), ([0x7f, 69, 76, 70], false), ([20, 26, 13, 1], false)]
        {
            let bytes = file(&[record(&[56])], |header| header[..4].copy_from_slice(&day));
            let read =
                GameFile::new("file", Cursor::new(bytes)).map(Iterator::count).map_err(|error| error.to_string());
            match read {
                Ok(games) => assert!(is_one && games == 1, "{day:?}"),
                Err(error) => assert!(!is_one && error.starts_with("file: in no known format"), "{error}"),
            }
        }
    }

    #[test]
    fn names_are_read_up_to_their_first_zero() {
        let name = |text: &[u8], length: usize| {
            let mut record = text.to_vec();
            record.resize(length, 0);
            record
        };
        let players = file(&[name(b"???", PLAYER), name(b"Mal\xe9zieux\0rest", PLAYER)], |header| header[12] = 77);
        assert_eq!(names::<PLAYER>(&players).unwrap(), ["???", "Malézieux"]);
        let tournaments = file(&[name(&[b'x'; TOURNAMENT], TOURNAMENT)], |_| {});
        assert_eq!(names::<TOURNAMENT>(&tournaments).unwrap(), ["x".repeat(TOURNAMENT)]);
        assert!(names::<PLAYER>(&tournaments).is_err());
    }
}
