//! Games of WTHOR one after another.

use super::error::ReadProblem;
use super::source::ByteSource;
use crate::notation::annotated_game::{AnnotatedGame, Theory};
use crate::notation::ggf::GgfResult;
use crate::notation::wthor::{self, GAME, HEADER, WthorError, WthorGame, WthorHeader};

/// What is known of the file besides the games still to come.
pub(super) struct WthorReader {
    header: WthorHeader,
    players: Vec<String>,
    tournaments: Vec<String>,
    seen: u32,
}

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
        Ok(WthorReader { header, players: Vec::new(), tournaments: Vec::new(), seen: 0 })
    }

    /// Takes the names from the bytes of a file of players or of tournaments.
    pub(super) fn set_names(&mut self, bytes: &[u8], is_of_players: bool) -> Result<(), WthorError> {
        if is_of_players {
            self.players = wthor::parse_players(bytes)?;
        } else {
            self.tournaments = wthor::parse_tournaments(bytes)?;
        }
        Ok(())
    }

    /// Whether players or tournaments have no names.
    pub(super) fn lacks_names(&self) -> bool {
        self.players.is_empty() || self.tournaments.is_empty()
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
        let game = WthorGame::of_record(record);
        source.take(GAME);
        Some(match game.broken {
            Some(broken) => Err(ReadProblem::Broken(offset, broken)),
            None => Ok(self.annotated(game)),
        })
    }

    fn annotated(&self, game: WthorGame) -> AnnotatedGame {
        let name = |names: &[String], number: u16, what: &str| match names.get(usize::from(number)) {
            Some(name) => name.clone(),
            None if names.is_empty() && number == 0 => String::new(),
            // Without the names' file, the number still tells games of one player from those of another.
            None => format!("{what} {number}"),
        };
        let black_score = |discs: u8| 2 * i32::from(discs) - 64;
        let mut annotated = AnnotatedGame {
            place: name(&self.tournaments, game.tournament, "tournament"),
            date: if self.header.year == 0 { String::new() } else { self.header.year.to_string() },
            result: game.black_discs.map(|discs| GgfResult::of_score(black_score(discs))),
            theory: game
                .theory
                .map(|discs| Theory { empties: self.header.theory_empties, black_score: black_score(discs) }),
            ..AnnotatedGame::new(game.game)
        };
        annotated.black.name = name(&self.players, game.black, "player");
        annotated.white.name = name(&self.players, game.white, "player");
        annotated
    }
}

/// Waits for `count` bytes, or for the end of the file.
fn wait_for(source: &mut ByteSource, count: usize) -> Result<(), ReadProblem> {
    while source.bytes().len() < count && !source.at_end() {
        source.fill()?;
    }
    Ok(())
}
