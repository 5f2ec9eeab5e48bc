//! Where the openings of a match come from: generated, or read from a file.

use super::opening::{self, Opening};
use crate::notation::{NotationError, ggf, read_position};
use crate::othello::GameRecord;
use std::fmt;
use std::path::{Path, PathBuf};
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
    /// A file of transcripts (XOT lists among them), boards, OBF lines or GGF games.
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
    /// The file of this path cannot be read.
    #[error("openings: cannot read '{0}': {1}; expected a file, four-ply, classes or random:N")]
    File(String, std::io::Error),
    /// Something in the file of this path is wrong.
    #[error("openings: {0}, {1}")]
    Content(String, NotationError),
    /// An opening after which nobody can move: the path of the file, and the line or the number of the GGF game, from 1.
    #[error(
        "openings: {0}, line {1}: the game is over after this opening; expected a position to be played on from \
         (opening-plies cuts whole games short)"
    )]
    Over(String, usize),
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
    pub plies: Option<usize>,
    /// How many random openings are wanted.
    pub count: usize,
}

impl OpeningSource {
    /// The openings in the order in which they are played. Those of a file are each different up to symmetry.
    pub fn openings(&self, selection: &OpeningChoice) -> Result<Vec<Opening>, OpeningError> {
        let mut openings = match self {
            OpeningSource::Random(plies) => return Ok(opening::random(*plies, selection.count, selection.seed)),
            OpeningSource::FourPly => opening::every(4),
            OpeningSource::Classes => opening::distinct(opening::every(4)),
            OpeningSource::File(path) => opening::distinct(read_file(path, selection.plies)?),
        };
        if openings.is_empty() {
            return Err(OpeningError::Empty(self.to_string()));
        }
        if !selection.in_order {
            opening::shuffle(&mut openings, selection.seed);
        }
        Ok(openings)
    }
}

fn read_file(path: &Path, plies: Option<usize>) -> Result<Vec<Opening>, OpeningError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| OpeningError::File(name.clone(), error))?;
    // Player names in archives are in any encoding.
    let text = String::from_utf8_lossy(&bytes);
    read_text(&text, plies, &name)
}

/// Reads openings from text: GGF games, or one opening a line.
fn read_text(text: &str, plies: Option<usize>, name: &str) -> Result<Vec<Opening>, OpeningError> {
    let content = |error| OpeningError::Content(name.to_owned(), error);
    let mut records: Vec<(usize, GameRecord)> = Vec::new();
    if text.trim_start().trim_start_matches(['1', '2']).trim_start().starts_with('(') {
        let games = ggf::parse_all(text).map_err(content)?;
        records.extend(games.into_iter().enumerate().map(|(i, game)| (i + 1, game.record)));
    } else {
        for (i, line) in text.lines().enumerate() {
            let line = line.trim_start_matches('\u{feff}');
            if line.trim().is_empty() || line.trim_start().starts_with(['%', '#']) {
                continue;
            }
            let record = read_position(line).map_err(|error| content(NotationError { line: i + 1, ..error }))?;
            records.push((i + 1, record));
        }
    }
    records
        .into_iter()
        .map(|(line, record)| {
            let record = plies.map_or_else(|| record.clone(), |plies| first_plies(&record, plies));
            if record.position().is_over() {
                return Err(OpeningError::Over(name.to_owned(), line));
            }
            Ok(Opening { record })
        })
        .collect()
}

/// The beginning of a game, as many turns as `plies`, passes counted.
fn first_plies(record: &GameRecord, plies: usize) -> GameRecord {
    let mut beginning = GameRecord::from_position(*record.start());
    for turn in record.turns().iter().take(plies) {
        beginning.take(*turn).expect("the turns of a record are legal");
    }
    beginning
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
        for bad in ["random:", "random:0", "random:x", "random:41"] {
            assert!(bad.parse::<OpeningSource>().unwrap_err().to_string().contains("from 1 to 40"), "{bad}");
        }
        let missing: OpeningSource = "no/such/file.txt".parse().unwrap();
        assert!(missing.openings(&SELECTION).unwrap_err().to_string().contains("expected a file, four-ply"));
    }

    #[test]
    fn files_of_every_kind() {
        let read = |text: &str, plies| read_text(text, plies, "f").unwrap();
        let xot = read("% comment\nf5d6c4d3c2b3b4b5\n\nF5 F4 G3\n", None);
        assert_eq!(xot.iter().map(Opening::to_string).collect::<Vec<_>>(), ["f5d6c4d3c2b3b4b5", "f5f4g3"]);
        let obf = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12;";
        assert_eq!(read(obf, None)[0].position().empties().count(), 14);
        let ggf = "1 (;GM[Othello]PB[a]PW[b]TY[8]B[F5]W[D6]B[C3];)\n1 (;GM[Othello]TY[8]B[E6];)";
        assert_eq!(read(ggf, Some(2)).iter().map(Opening::to_string).collect::<Vec<_>>(), ["f5d6", "e6"]);
    }

    #[test]
    fn errors_name_file_line_and_column() {
        let error = |text: &str| read_text(text, None, "list.txt").unwrap_err().to_string();
        assert_eq!(error("f5d6\n\nf5f5\n"), "openings: list.txt, line 3, column 3: f5 is occupied");
        assert!(error("f5d6c9").contains("line 1, column 5: expected a move"));
        let full = format!("{} X", "X".repeat(64));
        assert!(error(&full).contains("line 1: the game is over"));
    }
}
