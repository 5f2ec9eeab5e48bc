//! The positions that every evaluation is measured on: from tournament games, which no training has seen.
//!
//! A set is a file of OBF lines, each a position with its score and, behind `%`, the game that it came from and how the
//! score is known. A line without a score waits for [`TestPosition::label`].

use crate::notation::NotationError;
use crate::notation::obf::ObfEntry;
use crate::notation::wthor::WthorFile;
use crate::othello::{Position, canonical};
use crate::random::Random;
use crate::search::{Score, SearchDepth};
use std::collections::HashSet;
use std::fmt::Write;
use thiserror::Error;

/// The numbers of empty squares that errors are measured at.
pub const TEST_EMPTIES: [u32; 5] = [12, 20, 24, 36, 44];

/// The first line of a set: what the lines are.
const PREAMBLE: &str =
    "% Positions of tournament games (WTHOR), the score for the side to move, the game, how the score is known";

/// What the comment says of a score that came with the game.
const THEORETICAL: &str = "theoretical";

/// One position of a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestPosition {
    /// The position; its side to move has a move.
    pub position: Position,
    /// Its value for the side to move in discs, −64 to 64, if it is known.
    pub score: Option<i32>,
    /// The game: file and number, from 1.
    pub game: String,
    /// How the score is known: `theoretical` with the game, else the depth of the search, as [`SearchDepth`] shows it.
    pub known_by: Option<String>,
}

impl TestPosition {
    /// Whether a search may give the score: it has none yet, or one of another search than the one that is said. What is
    /// certain stays.
    pub fn is_open_to(&self, search: Option<&str>) -> bool {
        let certain = [THEORETICAL.to_owned(), SearchDepth::Exact.to_string()];
        match (&self.score, &self.known_by, search) {
            (Some(_), Some(known_by), Some(search)) => !certain.contains(known_by) && known_by != search,
            (score, ..) => score.is_none(),
        }
    }

    /// Sets the score to what a search of this depth says, in whole discs.
    pub fn label(&mut self, score: Score, depth: SearchDepth) {
        self.score = Some(score.discs().round() as i32);
        self.known_by = Some(depth.to_string());
    }
}

/// Positions with their scores.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestSet {
    /// By falling number of empty squares.
    pub positions: Vec<TestPosition>,
}

/// Why there is no set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TestSetError {
    /// A line is no position.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The comment does not name a game.
    #[error("line {0}: expected '% GAME' or '% GAME; HOW THE SCORE IS KNOWN' behind the position")]
    Comment(usize),
    /// The games are too few.
    #[error("the games have {found} different positions with {empties} empty squares; {wanted} are wanted")]
    TooFew {
        /// Empty squares.
        empties: u32,
        /// Positions found.
        found: usize,
        /// Positions wanted.
        wanted: usize,
    },
}

impl TestSet {
    /// Draws `wanted` positions for each of [`TEST_EMPTIES`], no two of them alike by symmetry, and each from a game of its
    /// own, so that errors are independent. Files come with their names. Where the base has the theoretical score of a
    /// position, it is kept.
    pub fn draw(files: &[(String, WthorFile)], wanted: usize, seed: u64) -> Result<TestSet, TestSetError> {
        let mut games: Vec<_> = files
            .iter()
            .flat_map(|(name, file)| file.games.iter().enumerate().map(move |(i, game)| (name, file, i + 1, game)))
            .collect();
        let mut random = Random::new(seed);
        for i in (1..games.len()).rev() {
            games.swap(i, random.below(i + 1));
        }
        let mut positions = Vec::new();
        // Early positions first: openings repeat, so they find fewer games that are new.
        for empties in TEST_EMPTIES.into_iter().rev() {
            let mut seen = HashSet::new();
            let mut drawn = Vec::new();
            games.retain(|(name, file, number, game)| {
                let Some(position) = game.position_at(empties).filter(|_| drawn.len() < wanted) else { return true };
                let image = canonical(position).0;
                if !seen.insert((image.player(), image.opponent())) {
                    return true;
                }
                let theory = u32::from(file.theory_empties) == empties;
                let score = game.theory_for(position.mover()).filter(|_| theory);
                drawn.push(TestPosition {
                    position: *position,
                    score,
                    game: format!("{name} {number}"),
                    known_by: score.map(|_| THEORETICAL.to_owned()),
                });
                false
            });
            if drawn.len() < wanted {
                return Err(TestSetError::TooFew { empties, found: drawn.len(), wanted });
            }
            positions.extend(drawn);
        }
        Ok(TestSet { positions })
    }

    /// Reads a set.
    pub fn parse(text: &str) -> Result<TestSet, TestSetError> {
        let mut positions = Vec::new();
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('%')) {
            let entry = ObfEntry::parse(line).map_err(|error| NotationError { line: i + 1, ..error })?;
            let comment = entry.comment.filter(|comment| !comment.is_empty()).ok_or(TestSetError::Comment(i + 1))?;
            let (game, known_by) = match comment.split_once(';') {
                Some((game, known_by)) => (game.to_owned(), Some(known_by.trim().to_owned())),
                None => (comment, None),
            };
            positions.push(TestPosition { position: entry.position, score: entry.score, game, known_by });
        }
        Ok(TestSet { positions })
    }

    /// The text that [`TestSet::parse`] reads.
    pub fn to_text(&self) -> String {
        let mut text = format!("{PREAMBLE}\n");
        for entry in &self.positions {
            let known_by = entry.known_by.as_ref().map(|how| format!("; {how}")).unwrap_or_default();
            let line = ObfEntry {
                position: entry.position,
                moves: Vec::new(),
                score: entry.score,
                comment: Some(format!("{}{known_by}", entry.game)),
                unread: Vec::new(),
            };
            let _ = writeln!(text, "{line}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::wthor::WthorGame;
    use crate::othello::{GameRecord, Move};

    /// A file of random games.
    fn games(count: usize, seed: u64) -> WthorFile {
        let mut random = Random::new(seed);
        let mut game = || {
            let mut game = GameRecord::default();
            while !game.position().is_over() {
                let moves: Vec<_> = game.position().moves().into_iter().collect();
                let turn = if moves.is_empty() { Move::Pass } else { Move::Place(moves[random.below(moves.len())]) };
                game.take(turn).unwrap();
            }
            WthorGame { tournament: 0, black: 0, white: 0, black_discs: None, theory: Some(40), game, broken: None }
        };
        WthorFile { year: 2024, theory_empties: 24, games: (0..count).map(|_| game()).collect() }
    }

    #[test]
    fn positions_are_drawn_from_games_of_their_own() {
        let files = [("first".to_owned(), games(60, 1)), ("second".to_owned(), games(60, 2))];
        let set = TestSet::draw(&files, 20, 7).unwrap();
        assert_eq!(set, TestSet::draw(&files, 20, 7).unwrap());
        assert_ne!(set, TestSet::draw(&files, 20, 8).unwrap());
        let mut names: Vec<&String> = set.positions.iter().map(|entry| &entry.game).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 100);
        for (entries, empties) in set.positions.chunks(20).zip([44, 36, 24, 20, 12]) {
            for entry in entries {
                assert_eq!(entry.position.empties().count(), empties);
                assert!(!entry.position.moves().is_empty());
                let (name, number) = entry.game.split_once(' ').unwrap();
                let file = &files[usize::from(name == "second")].1;
                let game = &file.games[number.parse::<usize>().unwrap() - 1];
                assert!(game.game.positions().contains(&entry.position));
                let theory = game.theory_for(entry.position.mover()).filter(|_| empties == 24);
                assert_eq!((entry.score, entry.known_by.is_some()), (theory, empties == 24));
            }
        }
        // The same games again are the same positions.
        let twice = [("one".to_owned(), games(30, 3)), ("two".to_owned(), games(30, 3))];
        assert!(matches!(TestSet::draw(&twice, 31, 1), Err(TestSetError::TooFew { empties: 44, wanted: 31, .. })));
    }

    #[test]
    fn what_is_written_is_read_and_labels_are_kept_apart() {
        let mut set = TestSet::draw(&[("games".to_owned(), games(40, 5))], 4, 1).unwrap();
        set.positions[0]
            .label(Score::from_discs(3), SearchDepth::Selective { plies: 20, selectivity: "98".parse().unwrap() });
        set.positions[19].label(Score::from_discs(-64), SearchDepth::Exact);
        let read = TestSet::parse(&set.to_text()).unwrap();
        assert_eq!(read, set);
        assert_eq!(read.positions[0].known_by.as_deref(), Some("20@98%"));
        let open = |i: usize, search| read.positions[i].is_open_to(search);
        assert!(open(1, None) && open(1, Some("22@98%")), "no score");
        assert!(!open(0, None) && !open(0, Some("20@98%")) && open(0, Some("22@98%")), "another search");
        let theoretical =
            read.positions.iter().position(|entry| entry.known_by.as_deref() == Some(THEORETICAL)).unwrap();
        assert!(!open(theoretical, Some("22@98%")) && !open(19, Some("22@98%")), "certain");
    }

    #[test]
    fn lines_that_are_no_positions_are_named() {
        let board = Position::START.to_string();
        assert_eq!(TestSet::parse(&format!("% header\n\n{board}; +3;")), Err(TestSetError::Comment(3)));
        let error = TestSet::parse(&format!("{board}; +3; % game 1\n{board}; +99; % game 2")).unwrap_err();
        assert!(error.to_string().starts_with("line 2, column "), "{error}");
    }
}
