//! Where the openings of a match come from: generated, or read from a file.

use super::opening;
use crate::notation::game_file::{FileGame, GameFile, GameFileError};
use crate::othello::GameRecord;
use crate::random::Random;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// What `--openings` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpeningSource {
    /// All 244 sequences of four plies.
    FourPly,
    /// One of each of the 60 classes into which symmetry divides them.
    Classes,
    /// This number of random plies.
    Random(u32),
    /// A file of games or positions in any format; an XOT list is one of transcripts.
    File(PathBuf),
}

/// The largest number of random plies: behind it, too many games are over.
const MOST_RANDOM_PLIES: u32 = 40;

impl FromStr for OpeningSource {
    type Err = OpeningError;

    fn from_str(text: &str) -> Result<OpeningSource, OpeningError> {
        match text {
            "four-ply" => Ok(OpeningSource::FourPly),
            "classes" => Ok(OpeningSource::Classes),
            _ => match text.strip_prefix("random:") {
                Some(plies) => {
                    let plies = plies.parse().ok().filter(|plies| (1..=MOST_RANDOM_PLIES).contains(plies));
                    plies.map(OpeningSource::Random).ok_or_else(|| OpeningError::Plies(text.to_owned()))
                }
                None => Ok(OpeningSource::File(text.into())),
            },
        }
    }
}

impl fmt::Display for OpeningSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningSource::FourPly => f.write_str("four-ply"),
            OpeningSource::Classes => f.write_str("classes"),
            OpeningSource::Random(plies) => write!(f, "random:{plies}"),
            OpeningSource::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Why there are no openings.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// `random:` without a number.
    #[error(
        "openings: '{0}' is not valid; expected four-ply, classes, or random:N with N from 1 to {MOST_RANDOM_PLIES} plies, \
         or a file"
    )]
    Plies(String),
    /// The file cannot be read, or not as one of games.
    #[error("openings: {0}; expected a file, four-ply, classes or random:N")]
    File(GameFileError),
    /// A game of the file is wrong.
    #[error("openings: {0}")]
    Content(GameFileError),
    /// An opening after which nobody can move: the file, and the line and the number of the game.
    #[error(
        "openings: {0}: the game is over after this opening; expected a position to be played on from \
         (opening-plies cuts whole games short)"
    )]
    Over(String),
    /// Nothing to play.
    #[error("openings: {0} holds no opening")]
    Empty(String),
}

/// What is done with the openings of a source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpeningChoice {
    /// Seed of random openings and of the order.
    pub seed: u64,
    /// Keep the order of the source; otherwise the seed decides about it.
    pub in_order: bool,
    /// Plies after which openings from files are cut.
    pub plies: Option<u32>,
    /// How many random openings are wanted.
    pub count: usize,
}

impl OpeningSource {
    /// The openings in the order in which they are played. Those of a file are each different up to symmetry.
    pub fn openings(&self, selection: &OpeningChoice) -> Result<Vec<GameRecord>, OpeningError> {
        let mut openings = match self {
            OpeningSource::Random(plies) => return Ok(opening::random(*plies, selection.count, selection.seed)),
            OpeningSource::FourPly => opening::every(4),
            OpeningSource::Classes => opening::distinct(opening::every(4)),
            OpeningSource::File(path) => {
                let games = GameFile::open(path).map_err(OpeningError::File)?;
                opening::distinct(read(games, &path.display().to_string(), selection.plies)?)
            }
        };
        if openings.is_empty() {
            return Err(OpeningError::Empty(self.to_string()));
        }
        if !selection.in_order {
            Random::new(selection.seed).shuffle(&mut openings);
        }
        Ok(openings)
    }
}

/// The games and positions of a file of this name.
fn read(games: GameFile, name: &str, plies: Option<u32>) -> Result<Vec<GameRecord>, OpeningError> {
    let opening = |found: Result<FileGame, GameFileError>| {
        let found = found.map_err(OpeningError::Content)?;
        let (place, game) = (found.place.in_file(name), &found.game);
        if let Some(warning) = found.cut_warning() {
            log::warn!("{place}: {warning}");
        }
        let record = plies.map_or_else(|| game.record.clone(), |plies| game.record.until(plies));
        if record.position().is_over() { Err(OpeningError::Over(place)) } else { Ok(record) }
    };
    games.map(opening).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SELECTION: OpeningChoice = OpeningChoice { seed: 1, in_order: true, plies: None, count: 10 };

    #[test]
    fn sources_by_name() {
        for (text, source, count) in [
            ("four-ply", OpeningSource::FourPly, 244),
            ("classes", OpeningSource::Classes, 60),
            ("random:8", OpeningSource::Random(8), 10),
        ] {
            assert_eq!(text.parse::<OpeningSource>().unwrap(), source);
            assert_eq!(source.to_string(), text);
            assert_eq!(source.openings(&SELECTION).unwrap().len(), count);
        }
        let order =
            |seed, in_order| OpeningSource::FourPly.openings(&OpeningChoice { seed, in_order, ..SELECTION }).unwrap();
        assert_eq!(order(2, true), opening::every(4));
        assert_ne!(order(1, false), opening::every(4));
        assert_ne!(order(1, false), order(2, false));
        for bad in ["random:", "random:0", "random:x", "random:41"] {
            assert!(bad.parse::<OpeningSource>().unwrap_err().to_string().contains("from 1 to 40"), "{bad}");
        }
        let missing: OpeningSource = "no/such/file.txt".parse().unwrap();
        assert!(missing.openings(&SELECTION).unwrap_err().to_string().contains("expected a file, four-ply"));
    }

    fn file(text: &str) -> GameFile {
        GameFile::new("list.txt", std::io::Cursor::new(text.to_owned())).unwrap()
    }

    #[test]
    fn files_of_every_kind() {
        let read = |text: &str, plies| read(file(text), "list.txt", plies).unwrap();
        let names = |text: &str| read(text, Some(2)).iter().map(opening::opening_text).collect::<Vec<_>>();
        let xot = read("% comment\nf5d6c4d3c2b3b4b5\n\nF5 F4 G3\n", None);
        assert_eq!(xot.iter().map(opening::opening_text).collect::<Vec<_>>(), ["f5d6c4d3c2b3b4b5", "f5f4g3"]);
        let obf = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;";
        assert_eq!(read(obf, None)[0].position().empties().count(), 14);
        let ggf = "1 (;GM[Othello]PB[a]PW[b]TY[8]B[F5]W[D6]B[C3];)\n1 (;GM[Othello]TY[8]B[E6];)";
        assert_eq!(names(ggf), ["f5d6", "e6"]);
        assert_eq!(names("\u{feff}(;GM[Othello]B[F5]W[D6]B[C3];)(;GM[Othello]B[E6];)"), ["f5d6", "e6"]);
        assert_eq!(names("(;GM[2]FF[4]SZ[8];B[fe];W[df];B[cc])"), ["f5d6"]);
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let error = |text: &str| read(file(text), "list.txt", None).unwrap_err().to_string();
        assert_eq!(error("f5d6\n\nf5f5\n"), "openings: list.txt: line 3, column 3: game 2, move 2: f5 is occupied");
        assert!(error("f5d6c9").contains("line 1, column 5: game 1"));
        let full = format!("{} X", "X".repeat(64));
        assert!(error(&full).contains("line 1: game 1: the game is over"));
    }
}
