//! Games of WTHOR one after another.

use super::error::ReadProblem;
use super::source::ByteSource;
use crate::notation::annotated_game::{AnnotatedGame, Theory};
use crate::notation::ggf::GgfResult;
use crate::notation::wthor::{self, BrokenGame, GAME, HEADER, WthorError, WthorHeader};

/// What is known of the file besides the games still to come.
pub(super) struct WthorReader {
    header: WthorHeader,
    players: Names,
    tournaments: Names,
    seen: u32,
}

/// Names by their numbers, or why there are none.
pub(super) type Names = Result<Vec<String>, String>;

const NO_NAMES: &str =
    "the names of its players (.jou) and tournaments (.trn) are not beside it, or several files may have them";

impl WthorReader {
    /// Reads the header.
    pub(super) fn new(source: &mut ByteSource) -> Result<WthorReader, ReadProblem> {
        wait_for(source, HEADER)?;
        let Some(&header) = source.bytes().first_chunk::<HEADER>() else {
            return Err(WthorError::Header(source.bytes().len()).into());
        };
        source.take(HEADER);
        // Some writers put a wrong size of board into files of names.
        let (games, names) = (&header[4..8], &header[8..10]);
        if games.iter().all(|&byte| byte == 0) && names.iter().any(|&byte| byte != 0) {
            return Err(ReadProblem::NamesOnly);
        }
        let header = WthorHeader::parse(&header)?;
        let none = || Err(NO_NAMES.to_owned());
        Ok(WthorReader { header, players: none(), tournaments: none(), seen: 0 })
    }

    /// Takes the names of players or of tournaments.
    pub(super) fn set_names(&mut self, is_of_players: bool, names: Names) {
        *(if is_of_players { &mut self.players } else { &mut self.tournaments }) = names;
    }

    /// Why players or tournaments have no names; `None` if they have.
    pub(super) fn missing_names(&self) -> Option<&str> {
        [&self.players, &self.tournaments].into_iter().find_map(|names| names.as_ref().err()).map(String::as_str)
    }

    /// The next game; `None` at the end of the file.
    pub(super) fn next(&mut self, source: &mut ByteSource) -> Option<Result<AnnotatedGame, ReadProblem>> {
        let announced = self.header.games;
        let offset = source.offset;
        if let Err(error) = wait_for(source, GAME) {
            return Some(Err(error));
        }
        if self.seen == announced {
            return (!source.bytes().is_empty()).then_some(Err(ReadProblem::Excess(offset, announced)));
        }
        self.seen += 1;
        let Some(record) = source.bytes().first_chunk::<GAME>() else {
            let offset = offset + source.bytes().len() as u64;
            return Some(Err(ReadProblem::Truncated(offset, announced)));
        };
        let game = self.annotated(record).map_err(|broken| ReadProblem::Broken(offset, broken));
        source.take(GAME);
        Some(game)
    }

    /// The game of a record: the numbers of the tournament, of Black and of White, 2 bytes each; Black's discs at the end, the empty squares
    /// given to the winner; Black's discs had both sides played perfectly from [`WthorHeader::theory_empties`] on; and 60 moves. More
    /// than 64 discs say nothing.
    fn annotated(&self, record: &[u8; GAME]) -> Result<AnnotatedGame, BrokenGame> {
        let name = |names: &Names, at: usize, what: &str| {
            let names = names.as_deref().unwrap_or_default();
            let number = u16::from_le_bytes([record[at], record[at + 1]]);
            match names.get(usize::from(number)) {
                Some(name) => name.clone(),
                None if names.is_empty() && number == 0 => String::new(),
                // Without the names' file, the number still separates the games of one player from those of another.
                None => format!("{what} {number}"),
            }
        };
        let black_score =
            |at: usize| Some(record[at]).filter(|&discs| discs <= 64).map(|discs| 2 * i32::from(discs) - 64);
        let theory = |black_score| Theory { empties: self.header.theory_empties, black_score };
        let mut annotated = AnnotatedGame {
            place: name(&self.tournaments, 0, "tournament"),
            date: if self.header.year == 0 { String::new() } else { self.header.year.to_string() },
            result: black_score(6).map(GgfResult::of_score),
            theory: black_score(7).map(theory),
            ..AnnotatedGame::new(wthor::play(&record[8..])?)
        };
        annotated.black.name = name(&self.players, 2, "player");
        annotated.white.name = name(&self.players, 4, "player");
        Ok(annotated)
    }
}

/// Waits for `count` bytes, or for the end of the file.
fn wait_for(source: &mut ByteSource, count: usize) -> Result<(), ReadProblem> {
    while source.bytes().len() < count && !source.at_end() {
        source.fill()?;
    }
    Ok(())
}
