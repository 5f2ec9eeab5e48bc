//! One game of a file after another.

use super::content::{LOOK, Shape, is_comment, shape, text_of};
use super::error::{GameFileError, ReadProblem};
use super::source::ByteSource;
use super::splitting::game_length;
use super::wthor_reader::WthorReader;
use super::{Format, text_formats};
use crate::input_line::BYTE_ORDER_MARK;
use crate::notation::cursor::DOS_END;
use crate::notation::wthor::{self, PLAYER, TOURNAMENT};
use crate::notation::{AnnotatedGame, NotationError, printable};
use crate::whole_file::folder;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The longest game that is read, in bytes.
const LONGEST: usize = 1 << 20;

/// A game of a file, or a position: what it says, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct FileGame {
    /// Where it is.
    pub place: GamePlace,
    /// What it was written in; the lines of one file may differ.
    pub format: Format,
    /// What it says.
    pub game: AnnotatedGame,
    /// What cuts the game off, if anything does; then the game has the moves that are there.
    pub cut: Option<Cut>,
}

/// What cuts a game off before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum Cut {
    /// The end of the file.
    #[strum(to_string = "the file ends within the game")]
    EndOfFile,
    /// The next game.
    #[strum(to_string = "the next game begins within the game")]
    NextGame,
}

impl FileGame {
    /// What is to be said of a game that is cut off; `None` of a whole one.
    pub fn cut_warning(&self) -> Option<String> {
        let moves = |turns| if turns == 1 { "move".to_owned() } else { format!("{turns} moves") };
        self.cut.map(|cut| format!("{cut}; it has the first {}", moves(self.game.record.turns().len())))
    }

    /// What is to be said of a game that is cut off, and of a result that is not the one on the board.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let contradiction = self.game.contradiction();
        let contradiction = contradiction
            .map(|(said, board)| format!("the result is said to be {said:+}, and the board has {board:+}"));
        self.cut_warning().into_iter().chain(contradiction)
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GamePlace {
    /// Which game of the file, from 1. Games that cannot be read count.
    pub number: usize,
    /// The line on which it begins, from 1; `None` in a file of WTHOR.
    pub line: Option<usize>,
}

impl GamePlace {
    /// The place in words, with what its file is called.
    pub fn in_file(&self, file: &str) -> String {
        let line = self.line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{file}: {line}game {}", self.number)
    }
}

/// Reads the games of a file, a pipe or any bytes, in whichever format they are.
///
/// A game that cannot be read is an error with its place, and the reading goes on with the next one. Of one that the end of the file
/// or the next game cuts off, the moves that are there are read. The reading ends after an error that is
/// [final](GameFileError::is_final). Bytes that are not UTF-8 are taken for Latin-1. Games come as soon as their bytes have
/// come, but for one with move numbers, which waits for the line below it, and one of PGN, which waits for the next one's tags.
pub struct GameFile {
    name: String,
    source: ByteSource,
    shape: Shape,
    number: usize,
    wthor: Option<WthorReader>,
    ended: bool,
}

impl std::fmt::Debug for GameFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let GameFile { name, shape, number, .. } = self;
        f.debug_struct("GameFile").field("name", name).field("shape", shape).field("number", number).finish()
    }
}

impl GameFile {
    /// Opens a file. Beside the games of WTHOR, the players' and tournaments' names are looked for: files with the same
    /// name but for its ending `.jou` or `.trn`, or else with the longest beginning of it, as `WTH.JOU` of `WTH_2024.wtb`, or else the only
    /// files of the folder that end so and are of no other games there. Capitals count only where names differ in nothing else. If several files fit equally
    /// well, none is read.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(path: &Path) -> Result<GameFile, GameFileError> {
        let name = printable(&path.to_string_lossy());
        let failed = |error: io::Error| GameFileError { file: name.clone(), number: 0, problem: error.into() };
        let file = File::open(path).map_err(failed)?;
        Ok(GameFile::new(&name, file)?.with_names_beside(path))
    }

    /// Gives the games of a WTHOR file the names that [`GameFile::open`] would find beside this path; of files that cannot be read,
    /// [`GameFile::missing_names`] says why. Without effect on other formats.
    pub fn with_names_beside(mut self, path: &Path) -> GameFile {
        let Some(wthor) = &mut self.wthor else { return self };
        for (ending, is_of_players) in [("jou", true), ("trn", false)] {
            if let Some(file) = beside(path, ending) {
                let names = read_names(&file, is_of_players).map_err(|error| error.to_string());
                wthor.set_names(is_of_players, names);
            }
        }
        self
    }

    /// Gives the games of a WTHOR file the names of a `.jou` file and a `.trn` file. Without effect on other formats.
    ///
    /// # Errors
    /// If one of the files cannot be read or is no file of such names.
    pub fn with_name_files(
        mut self,
        players: Option<&Path>,
        tournaments: Option<&Path>,
    ) -> Result<GameFile, GameFileError> {
        let Some(wthor) = &mut self.wthor else { return Ok(self) };
        for (path, is_of_players) in [(players, true), (tournaments, false)] {
            if let Some(path) = path {
                wthor.set_names(is_of_players, Ok(read_names(path, is_of_players)?));
            }
        }
        Ok(self)
    }

    /// Reads from anything; the name is for errors. Waits until it is clear what the format is.
    ///
    /// # Errors
    /// If the input cannot be read, is empty, is in no known format, or is a file of names of WTHOR.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 'static) -> Result<GameFile, GameFileError> {
        let name = name.into();
        let failed = |problem: ReadProblem| GameFileError { file: name.clone(), number: 0, problem };
        let mut source = ByteSource::new(Box::new(input)).map_err(|error| failed(error.into()))?;
        let shape = loop {
            let beginning = &source.bytes()[..source.bytes().len().min(LOOK)];
            // Text in more than `LOOK` bytes is not all there.
            let at_end = source.at_end() && source.bytes().len() <= LOOK;
            if let Some(shape) = shape(beginning, at_end) {
                break shape;
            }
            if source.bytes().len() >= LOOK {
                // Nothing but comments so far.
                source.expect_text();
                let (ready, _) = between(source.bytes(), source.at_end());
                if ready > 0 {
                    source.take(ready);
                    continue;
                }
                if source.at_end() || source.bytes().len() > LONGEST {
                    break Shape::Lines;
                }
            }
            source.fill().map_err(|error| failed(error.into()))?;
        };
        let wthor = match shape {
            Shape::Wthor => Some(WthorReader::new(&mut source).map_err(failed)?),
            Shape::Unknown => return Err(failed(ReadProblem::NoKnownFormat)),
            Shape::Empty => return Err(failed(ReadProblem::Empty)),
            _ => {
                source.expect_text();
                None
            }
        };
        Ok(GameFile { name, source, shape, number: 0, wthor, ended: false })
    }

    /// Why the players or the tournaments of a file of WTHOR have no names; `None` if they have, and of other formats.
    pub fn missing_names(&self) -> Option<&str> {
        self.wthor.as_ref()?.missing_names()
    }

    /// Takes what precedes the next game, and finds how long that is; `None` at the end of the file.
    fn find_next(&mut self) -> Option<Result<usize, ReadProblem>> {
        loop {
            let bytes = self.source.bytes();
            let (ready, comment) = between(bytes, self.source.at_end());
            if ready > 0 {
                self.source.take(ready);
                continue;
            }
            let bytes = self.source.bytes();
            if comment && bytes.len() > LONGEST {
                self.skip();
                continue;
            }
            if !bytes.is_empty() && !comment {
                match game_length(self.shape, bytes, self.source.at_end()) {
                    Some(length) if length > LONGEST => {
                        let line = self.source.line;
                        self.source.take(length);
                        return Some(Err(ReadProblem::TooLong { line, limit: LONGEST }));
                    }
                    Some(length) => return Some(Ok(length)),
                    None if bytes.len() > LONGEST => return Some(Err(self.skip())),
                    None => {}
                }
            }
            if self.source.at_end() {
                let rest = bytes.len();
                self.source.take(rest);
                return None;
            }
            if let Err(error) = self.source.fill() {
                return Some(Err(error.into()));
            }
        }
    }

    /// Passes what is too long for a game and has no end yet, up to the end of a line.
    fn skip(&mut self) -> ReadProblem {
        let line = self.source.line;
        let mut within = LONGEST;
        loop {
            let bytes = self.source.bytes();
            let newline = bytes.iter().skip(within).position(|&byte| byte == b'\n');
            let end = newline.map_or(bytes.len(), |newline| within + newline + 1);
            self.source.take(end);
            within = 0;
            if newline.is_some() || self.source.at_end() || self.source.fill().is_err() {
                return ReadProblem::TooLong { line, limit: LONGEST };
            }
        }
    }

    fn next_of_wthor(&mut self) -> Option<Result<FileGame, ReadProblem>> {
        let place = GamePlace { number: self.number + 1, line: None };
        let found = self.wthor.as_mut()?.next(&mut self.source)?;
        Some(found.map(|game| FileGame { place, format: Format::Wthor, game, cut: None }))
    }

    fn next_of_text(&mut self) -> Option<Result<FileGame, ReadProblem>> {
        let length = match self.find_next()? {
            Ok(length) => length,
            Err(problem) => return Some(Err(problem)),
        };
        let (line, column) = (self.source.line, self.source.column);
        let place = GamePlace { number: self.number + 1, line: Some(line) };
        let text = text_of(&self.source.take(length));
        let text = text.trim_end_matches(|c: char| c.is_whitespace() || c == DOS_END);
        let is_last = self.source.at_end() && self.source.bytes().iter().all(is_blank);
        let cut = if is_last { Cut::EndOfFile } else { Cut::NextGame };
        // With its last parenthesis a game before another one is whole, whatever is wrong with it.
        let may_be_cut = is_last || self.shape == Shape::Pgn || !text.ends_with(')');
        let read = text_formats::read(self.shape, text).map(|read| (read, None)).or_else(|error| {
            let read = if may_be_cut { text_formats::read_cut(self.shape, text) } else { None };
            read.map(|read| (read, Some(cut))).ok_or(error)
        });
        let game = read.map(|((format, game), cut)| FileGame { place, format, game, cut });
        Some(game.map_err(|error| {
            let column = if error.line == 1 { error.column + column - 1 } else { error.column };
            NotationError { line: error.line + line - 1, column, ..error }.into()
        }))
    }
}

impl Iterator for GameFile {
    type Item = Result<FileGame, GameFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let found = if self.wthor.is_some() { self.next_of_wthor()? } else { self.next_of_text()? };
        self.number += 1;
        let item = found.map_err(|problem| GameFileError { file: self.name.clone(), number: self.number, problem });
        self.ended = item.as_ref().is_err_and(GameFileError::is_final);
        Some(item)
    }
}

/// Whether a byte between games says nothing.
fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || char::from(*byte) == DOS_END
}

/// How many of these bytes stand between games, and whether a comment whose end is not there yet begins behind them.
fn between(bytes: &[u8], at_end: bool) -> (usize, bool) {
    let mut rest = bytes;
    loop {
        rest = &rest[rest.iter().take_while(|byte| is_blank(byte)).count()..];
        let at = bytes.len() - rest.len();
        if let Some(behind) = rest.strip_prefix(BYTE_ORDER_MARK) {
            rest = behind;
        } else if rest.starts_with(b"%") || rest.starts_with(b"#") {
            let end = rest.iter().position(|&byte| byte == b'\n');
            let is_whole = end.is_some() || at_end;
            if is_whole && !is_comment(&text_of(&rest[..end.unwrap_or(rest.len())])) {
                return (at, false);
            }
            let Some(end) = end else { return (at, true) };
            rest = &rest[end + 1..];
        } else {
            let is_half_a_mark =
                rest.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(rest) && !rest.is_empty();
            return (at, is_half_a_mark && !at_end);
        }
    }
}

/// The names of a file of players or of tournaments.
fn read_names(path: &Path, is_of_players: bool) -> Result<Vec<String>, GameFileError> {
    let failed = |problem| GameFileError { file: printable(&path.to_string_lossy()), number: 0, problem };
    let bytes = fs::read(path).map_err(|error| failed(error.into()))?;
    let names = if is_of_players { wthor::names::<PLAYER>(&bytes) } else { wthor::names::<TOURNAMENT>(&bytes) };
    names.map_err(|error| failed(error.into()))
}

/// A file of names beside one of games, if it is clear which.
fn beside(games: &Path, ending: &str) -> Option<PathBuf> {
    let has_ending =
        |path: &Path, ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    let unpacked = |path: &Path| {
        let is_packed = ["gz", "zst"].iter().any(|ending| has_ending(path, ending));
        if is_packed { path.with_extension("") } else { path.to_owned() }
    };
    let all: Vec<PathBuf> = fs::read_dir(folder(games)).ok()?.flatten().map(|entry| entry.path()).collect();
    let files: Vec<&PathBuf> = all.iter().filter(|path| has_ending(path, ending)).collect();
    let games = unpacked(games);
    let in_capitals = games.extension().is_some_and(|ending| ending.to_string_lossy().contains(char::is_uppercase));
    let ending = if in_capitals { ending.to_ascii_uppercase() } else { ending.to_owned() };
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = stem(&games);
    let shared = |path: &Path| beginning(&name, &stem(path));
    let longest = files.iter().filter_map(|path| shared(path)).max();
    let archives: Vec<PathBuf> = all.iter().map(|path| unpacked(path)).filter(|path| has_ending(path, "wtb")).collect();
    let is_of_another = |path: &Path| archives.iter().any(|games| beginning(&stem(games), &stem(path)).is_some());
    let ranks: [&dyn Fn(&Path) -> bool; 4] = [
        &|path| path.file_name() == games.with_extension(&ending).file_name(),
        &|path| stem(path) == name,
        &|path| longest.is_some() && shared(path) == longest,
        &|path| longest.is_none() && !is_of_another(path),
    ];
    let mut fitting = ranks.iter().map(|fits| files.iter().filter(|path| fits(path)).collect::<Vec<_>>());
    match fitting.find(|files| !files.is_empty())?[..] {
        [file] => Some((*file).clone()),
        _ => None,
    }
}

/// The files of names that [`GameFile::open`] reads beside the games of a file; none beside those of other formats than WTHOR.
pub fn names_beside(games: &Path) -> Vec<PathBuf> {
    // A pipe can only be read once.
    let file = if games.is_file() { File::open(games).ok() } else { None };
    let is_base = file.and_then(|file| GameFile::new("", file).ok()).is_some_and(|games| games.wthor.is_some());
    let endings = if is_base { &["jou", "trn"][..] } else { &[] };
    endings.iter().filter_map(|ending| beside(games, ending)).collect()
}

/// A file of names that games written here would replace, if it may have those of other games: of some beside them, or of any where these are
/// new. WTHOR's base has the names of all its years in one file.
pub fn names_of_others(games: &Path) -> Option<PathBuf> {
    let all: Vec<PathBuf> = fs::read_dir(folder(games)).ok()?.flatten().map(|entry| entry.path()).collect();
    let in_small = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let others = || all.iter().filter(|path| path.file_name() != games.file_name());
    ["jou", "trn"].into_iter().find_map(|ending| {
        let own = games.with_extension(ending);
        let there = all.iter().find(|path| in_small(path) == in_small(&own))?;
        let is_shared =
            || others().any(|other| in_small(other).contains(".wtb") && beside(other, ending).as_ref() == Some(there));
        let is_own = games.exists() && there.file_name() == own.file_name() && !is_shared();
        (!is_own).then(|| there.clone())
    })
}

/// The length of a name if another one begins with it, in any case, and goes on with another word or number.
fn beginning(name: &str, begins: &str) -> Option<usize> {
    let behind = name.get(begins.len()..).filter(|_| name[..begins.len()].eq_ignore_ascii_case(begins))?;
    let kind = |c: char| (c.is_alphabetic(), c.is_numeric());
    let (last, next) = (begins.chars().next_back()?, behind.chars().next());
    let goes_on = next.is_some_and(|next| next.is_alphanumeric() && kind(next) == kind(last));
    (!goes_on).then_some(begins.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::transcript;

    /// The moves and the comments of the games, and the warnings.
    fn read(text: &str) -> Vec<(String, Vec<String>, Option<String>)> {
        let games = GameFile::new("file", io::Cursor::new(text.to_owned())).unwrap();
        let told = |game: FileGame| {
            let moves = transcript::Transcript(&game.game.record).to_string();
            let warning = game.cut_warning();
            (moves, game.game.comments, warning)
        };
        games.map(|game| told(game.unwrap())).collect()
    }

    #[test]
    fn the_end_of_a_text_of_dos_is_no_game() {
        for game in
            ["(;GM[Othello]B[f5];)", "(;GM[2];B[f5])", "[A \"1\"]\r\n\r\n1. f5 40-24", "f5", "1. f5", "+f5: -02 10"]
        {
            for end in ["\x1a", "\r\n\x1a", "\r\n\x1a\r\n"] {
                let one = ("f5".to_owned(), Vec::new(), None);
                assert_eq!(read(&format!("{game}{end}")), std::slice::from_ref(&one), "{game:?} {end:?}");
                assert_eq!(read(&format!("{game}\r\n{end}{game}{end}")), [one.clone(), one], "{game:?} {end:?}");
            }
        }
        let cut = read("(;GM[Othello]B[f5]\r\n\x1a");
        assert_eq!(cut[0].2.as_deref(), Some("the file ends within the game; it has the first move"));
    }

    #[test]
    fn of_a_game_that_the_next_one_cuts_off_the_whole_moves_are_read() {
        for (cut, next) in [
            ("(;GM[Othello]B[f5]W[d6\n", "(;GM[Othello]B[f5];)"),
            ("(;GM[2];B[fe]\n", "(;GM[2];B[fe])"),
            ("[A \"1\"]\n\n1. f5 {so far\n\n", "[A \"2\"]\n\n1. f5 *"),
        ] {
            let [first, second] = &read(&format!("{cut}{next}"))[..] else { panic!("{cut}: two games are expected") };
            let warning = "the next game begins within the game; it has the first move";
            assert_eq!((first.0.as_str(), first.2.as_deref()), ("f5", Some(warning)), "{cut}");
            assert_eq!((second.0.as_str(), second.2.as_deref()), ("f5", None), "{cut}");
        }
        // This one has its end.
        let text = "(;GM[Othello]B[f5]W[d6]x)\n(;GM[Othello]B[f5];)";
        let mut games = GameFile::new("file", io::Cursor::new(text)).unwrap();
        assert!(games.next().unwrap().is_err() && games.next().unwrap().is_ok());
    }

    #[test]
    fn lines_of_a_game_may_have_comments() {
        let text = "1. f5 d6 % the start\n# of a day\n  % and more\n2. c3 d3\n# another one\n1. f5 f6\n";
        let [first, second] = &read(text)[..] else { panic!("two games are expected") };
        assert_eq!((first.0.as_str(), second.0.as_str()), ("f5d6c3d3", "f5f6"));
        assert_eq!(first.1.join("\n").lines().next(), Some("the start"));
        assert!(second.1.is_empty());
    }
}
