//! The positions that every evaluation is measured on: from tournament games, which no training has seen.
//!
//! A set is a file of OBF lines, each a position with its score and, behind `%`, the game that it came from and how the
//! score is known. A line without a score waits for [`TestPosition::label`].

use crate::notation::game_file::is_comment;
use crate::notation::obf::ObfEntry;
use crate::notation::{AnnotatedGame, NotationError};
use crate::othello::{Position, canonical};
use crate::random::Random;
use crate::search::{Score, SearchDepth};
use std::collections::HashSet;
use std::fmt::Write;
use thiserror::Error;

/// The numbers of empty squares that errors are measured at.
pub const TEST_EMPTIES: [u32; 5] = [12, 20, 24, 36, 44];

/// The first line of a set that was drawn: what the lines are.
const PREAMBLE: &str =
    "% Positions of tournament games (WTHOR), the score for the side to move, the game, how the score is known";

/// What the comment says of a score that came with the game.
const THEORETICAL: &str = "theoretical";

/// One position of a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestPosition {
    /// The position; its game is not over.
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
    /// The lines of comment, each with the number of positions before it.
    pub comments: Vec<(usize, String)>,
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
    /// A line, from 1, has at this column, from 1, values of the position's moves, or what is none.
    #[error(
        "line {0}, column {1}: expected the score of the position or '%', as in a set of emilia train testset draw, found something else"
    )]
    Moves(usize, usize),
    /// In the position of this line, from 1, there is nothing to search.
    #[error("line {0}: the game is over; expected a position in which a side can move")]
    Over(usize),
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
    /// own, so that errors are independent. Games come with what [`TestPosition::game`] is to call them. Where the
    /// theoretical score of a position is known, it is kept.
    ///
    /// # Errors
    /// If the games are too few.
    pub fn draw(games: &[(String, AnnotatedGame)], wanted: usize, seed: u64) -> Result<TestSet, TestSetError> {
        let mut games: Vec<_> = games.iter().collect();
        let mut random = Random::new(seed);
        random.shuffle(&mut games);
        let mut positions = Vec::new();
        // Early positions first: openings repeat, so they find fewer games that are new.
        for empties in TEST_EMPTIES.into_iter().rev() {
            let mut seen = HashSet::new();
            let mut drawn = Vec::new();
            games.retain(|(name, game)| {
                let mut positions = game.record.positions().iter().filter(|position| !position.moves().is_empty());
                let position = positions.find(|position| position.empties().count() == empties);
                let Some(position) = position.filter(|_| drawn.len() < wanted) else { return true };
                if !seen.insert(canonical(position).0.boards()) {
                    return true;
                }
                let theory = game.theory.filter(|theory| u32::from(theory.empties) == empties);
                let score = theory.map(|theory| position.mover().signed(theory.black_score));
                drawn.push(TestPosition {
                    position: *position,
                    score,
                    game: name.clone(),
                    known_by: score.map(|_| THEORETICAL.to_owned()),
                });
                false
            });
            if drawn.len() < wanted {
                return Err(TestSetError::TooFew { empties, found: drawn.len(), wanted });
            }
            positions.extend(drawn);
        }
        Ok(TestSet { positions, comments: vec![(0, PREAMBLE.to_owned())] })
    }

    /// Reads a set.
    pub fn parse(text: &str) -> Result<TestSet, TestSetError> {
        let mut set = TestSet::default();
        let text = text.trim_start_matches('\u{feff}');
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if is_comment(line) {
                set.comments.push((set.positions.len(), line.to_owned()));
                continue;
            }
            let entry = ObfEntry::parse(line).map_err(|error| NotationError { line: i + 1, ..error })?;
            if !entry.moves.is_empty() || !entry.unread.is_empty() {
                return Err(TestSetError::Moves(i + 1, column_of_moves(line)));
            }
            if entry.position.is_over() {
                return Err(TestSetError::Over(i + 1));
            }
            let comment = entry.comment.filter(|comment| !comment.is_empty()).ok_or(TestSetError::Comment(i + 1))?;
            let (game, known_by) = game_and_how(&comment, entry.score.is_some());
            set.positions.push(TestPosition { position: entry.position, score: entry.score, game, known_by });
        }
        Ok(set)
    }

    /// The text that [`TestSet::parse`] reads.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let mut comments = self.comments.iter().peekable();
        for (i, entry) in self.positions.iter().enumerate() {
            while let Some((_, comment)) = comments.next_if(|(before, _)| *before <= i) {
                let _ = writeln!(text, "{comment}");
            }
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
        comments.for_each(|(_, comment)| text += &format!("{comment}\n"));
        text
    }
}

/// The column, from 1, of the first field behind the board that is no score, in a line that has one before its comment.
fn column_of_moves(line: &str) -> usize {
    let mut column = 1;
    for (number, field) in line.split(';').enumerate() {
        let text = field.trim();
        if number > 0 && !text.is_empty() && text.parse::<i32>().is_err() {
            return column + field.chars().take_while(|c| c.is_whitespace()).count();
        }
        column += field.chars().count() + 1;
    }
    column
}

/// The game's name, which may have a ';', and how the score is known. Where there is no score, what is behind the last ';' says that only if
/// it reads so.
fn game_and_how(comment: &str, has_score: bool) -> (String, Option<String>) {
    let says_how = |how: &str| has_score || how == THEORETICAL || how.parse::<SearchDepth>().is_ok();
    match comment.rsplit_once(';').map(|(game, how)| (game, how.trim())).filter(|(_, how)| says_how(how)) {
        Some((game, how)) => (game.to_owned(), Some(how.to_owned())),
        None => (comment.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::Theory;
    use crate::othello::{GameRecord, Move};

    /// Random games of a file.
    fn games(name: &str, count: usize, seed: u64) -> Vec<(String, AnnotatedGame)> {
        let mut random = Random::new(seed);
        let mut game = || {
            let mut game = GameRecord::default();
            while !game.position().is_over() {
                let moves: Vec<_> = game.position().moves().into_iter().collect();
                let turn = if moves.is_empty() { Move::Pass } else { Move::Place(moves[random.below(moves.len())]) };
                game.take(turn).unwrap();
            }
            AnnotatedGame { theory: Some(Theory { empties: 24, black_score: 16 }), ..AnnotatedGame::new(game) }
        };
        (1..=count).map(|number| (format!("{name} {number}"), game())).collect()
    }

    #[test]
    fn positions_are_drawn_from_games_of_their_own() {
        let games_of_two = [games("first", 60, 1), games("second", 60, 2)].concat();
        let set = TestSet::draw(&games_of_two, 20, 7).unwrap();
        assert_eq!(set, TestSet::draw(&games_of_two, 20, 7).unwrap());
        assert_ne!(set, TestSet::draw(&games_of_two, 20, 8).unwrap());
        let mut names: Vec<&String> = set.positions.iter().map(|entry| &entry.game).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 100);
        for (entries, empties) in set.positions.chunks(20).zip([44, 36, 24, 20, 12]) {
            for entry in entries {
                assert_eq!(entry.position.empties().count(), empties);
                assert!(!entry.position.moves().is_empty());
                let (_, game) = games_of_two.iter().find(|(name, _)| *name == entry.game).unwrap();
                assert!(game.record.positions().contains(&entry.position));
                let theory = (empties == 24).then(|| entry.position.mover().signed(16));
                assert_eq!((entry.score, entry.known_by.is_some()), (theory, empties == 24));
            }
        }
        // The same games again are the same positions.
        let twice = [games("one", 30, 3), games("two", 30, 3)].concat();
        assert!(matches!(TestSet::draw(&twice, 31, 1), Err(TestSetError::TooFew { empties: 44, wanted: 31, .. })));
    }

    #[test]
    fn what_is_written_is_read_and_labels_are_kept_apart() {
        let mut set = TestSet::draw(&games("games", 40, 5), 4, 1).unwrap();
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
    fn a_semicolon_may_be_in_the_name_of_a_game() {
        let board = Position::START;
        let text = format!("{board}; % a;b 1\n{board}; +3; % a;b 2; 20@98%\n{board}; % c; by hand\n{board}; % d; 8\n");
        let mut set = TestSet::parse(&text).unwrap();
        let found: Vec<_> = set.positions.iter().map(|entry| (&*entry.game, entry.known_by.as_deref())).collect();
        assert_eq!(found, [("a;b 1", None), ("a;b 2", Some("20@98%")), ("c; by hand", None), ("d", Some("8"))]);
        for entry in &mut set.positions {
            entry.label(Score::from_discs(1), SearchDepth::Exact);
        }
        let labelled = TestSet::parse(&set.to_text()).unwrap();
        assert_eq!(labelled, set);
        assert!(labelled.positions.iter().all(|entry| entry.known_by.as_deref() == Some("100%")), "{labelled:?}");
    }

    #[test]
    fn lines_of_comment_stay_where_they_are() {
        let line = |game: u32| format!("{}; +0; % game {game}\n", Position::START);
        let text = format!("# mine\n% of a day\n{}% more\n{}# end\n", line(1), line(2));
        let set = TestSet::parse(&format!("\u{feff}{text}")).unwrap();
        assert_eq!((set.positions.len(), set.to_text()), (2, text));
    }

    #[test]
    fn lines_that_are_no_positions_are_named() {
        let board = Position::START.to_string();
        let moves = TestSet::parse(&format!("% FFO\n{board};  F5:+0; % FFO 1"));
        assert_eq!(moves, Err(TestSetError::Moves(2, 70)));
        let behind_a_score = TestSet::parse(&format!("{board}; +3 ;; f5:?; F5:+0; % game 1"));
        assert_eq!(behind_a_score, Err(TestSetError::Moves(1, 75)));
        assert!(matches!(TestSet::parse(&format!("{board}; F5:?; % game 1")), Err(TestSetError::Moves(1, 69))));
        assert_eq!(TestSet::parse(&format!("% header\n\n{board}; +3;")), Err(TestSetError::Comment(3)));
        let over = format!("{board}; % game 1\n{} X; % game 2", "X".repeat(64));
        assert_eq!(TestSet::parse(&over), Err(TestSetError::Over(2)));
        let error = TestSet::parse(&format!("{board}; +3; % game 1\n{board}; +99; % game 2")).unwrap_err();
        assert!(error.to_string().starts_with("line 2, column "), "{error}");
    }
}
