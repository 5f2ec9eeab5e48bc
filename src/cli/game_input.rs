//! The files of games that a command reads.

use super::game_choice::GameChoice;
use super::output::{announce, cannot_read, expect_another, shown, warn};
use crate::analysis::lines::Checksummed;
use crate::analysis::shard_file::Job;
use crate::notation::game_file::{FileGame, GameFile, GameFileError, names_beside};
use crate::whole_file::why;
use clap::Args;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

// Files of games, in any format. No doc: it would take the place of that of the command.
#[derive(Args, Clone, Debug)]
pub(super) struct GameFiles {
    /// Files of games or positions: GGF, SGF, PGN, lists of moves, OBF, WTHOR, Logistello's logbook, by their content, compressed by gzip
    /// or zstd or not; - is the standard input
    #[arg(value_name = "FILE", default_value = "-")]
    files: Vec<PathBuf>,
    /// Names of players (.jou) for games of WTHOR, if they are not beside them
    #[arg(long, value_name = "FILE")]
    players: Option<PathBuf>,
    /// Names of tournaments (.trn) for games of WTHOR, if they are not beside them
    #[arg(long, value_name = "FILE")]
    tournaments: Option<PathBuf>,
}

/// What errors call it.
const STANDARD_INPUT: &str = "standard input";

/// A game, and the file that it is from.
pub(super) struct NamedGame {
    /// The file, and the game's number and line in it, as errors name them.
    pub(super) place: String,
    pub(super) found: FileGame,
}

impl NamedGame {
    /// Says what is wrong with it.
    pub(super) fn warn(&self) {
        warn_of_game(&self.place, &self.found);
    }
}

impl GameFiles {
    /// Whether it is one file, which can be read again.
    pub(super) fn is_one_file(&self) -> bool {
        matches!(&self.files[..], [file] if !is_standard_input(file))
    }

    /// An error if a file that is to be written is among them.
    pub(super) fn expect_another(&self, out: Option<&Path>) -> Result<(), String> {
        let names = [&self.players, &self.tournaments].into_iter().flatten();
        expect_no_games(out, self.files.iter().chain(names).map(PathBuf::as_path))
    }

    /// Those games of all files that are wanted, with warnings of what is wrong with them.
    pub(super) fn chosen<'a>(
        &'a self,
        choice: &'a GameChoice,
    ) -> impl Iterator<Item = Result<NamedGame, GameFileError>> + 'a {
        self.unchecked(choice).inspect(|item| item.iter().for_each(NamedGame::warn))
    }

    /// The same without warnings. After a file that cannot be read the next one follows.
    pub(super) fn unchecked<'a>(
        &'a self,
        choice: &'a GameChoice,
    ) -> impl Iterator<Item = Result<NamedGame, GameFileError>> + 'a {
        self.files.iter().flat_map(move |path| {
            let (games, failed) = match self.open(path) {
                Ok(games) => (Some(games), None),
                Err(error) => (None, Some(Err(error))),
            };
            let named = move |item: Result<FileGame, GameFileError>| item.map(|found| named(path, found));
            let wanted = games.into_iter().flatten().filter(|item| choice.takes(item));
            failed.into_iter().chain(wanted.map(named))
        })
    }

    fn open(&self, path: &Path) -> Result<GameFile, GameFileError> {
        let games = if is_standard_input(path) {
            announce_reading("games or positions");
            GameFile::new(STANDARD_INPUT, io::stdin())?
        } else {
            GameFile::open(path)?
        };
        let games = games.with_name_files(self.players.as_deref(), self.tournaments.as_deref())?;
        if let Some(why) = games.missing_names() {
            let file = named_file(path);
            warn(format_args!("{file}: {why}; --players FILE.jou and --tournaments FILE.trn name them"));
        }
        Ok(games)
    }
}

/// An error if a file that is to be written is one of these, or one of those with the names of WTHOR that are read beside them.
pub(super) fn expect_no_games<'a>(out: Option<&Path>, games: impl IntoIterator<Item = &'a Path>) -> Result<(), String> {
    let Some(out) = out else { return Ok(()) };
    let read = games.into_iter().flat_map(|games| [vec![games.to_owned()], names_beside(games)].concat());
    let read: Vec<PathBuf> = read.collect();
    expect_another(Some(out), read.iter().map(PathBuf::as_path))
}

/// Warns of a game that is cut off, and of a result that is not the one on the board.
pub(super) fn warn_of_game(place: impl Display, found: &FileGame) {
    found.warnings().for_each(|warning| warn(format_args!("{place}: {warning}")));
}

/// Tells a person at a terminal that the standard input is read, and what is expected there.
pub(super) fn announce_reading(what: &str) {
    const END: &str = if cfg!(windows) { "Ctrl-Z and Enter end" } else { "Ctrl-D ends" };
    announce(format_args!("reading {what} from the terminal; {END}, and a file can be named instead"));
}

/// A job with these settings, to which the CRC-32 of its input is added if it is a file: with another content it is another job. A pipe can
/// only be read once.
pub(super) fn job_of_input(
    command: &str,
    mut settings: Map<String, Value>,
    file: Option<&Path>,
) -> Result<Job, String> {
    if let Some(path) = file.filter(|path| path.is_file()) {
        let checksum = checksum(path).map_err(|error| cannot_read(path, why(&error)))?;
        settings.insert("input".to_owned(), format!("{checksum:08x}").into());
    }
    Ok(Job::new(command, settings.into()))
}

fn checksum(path: &Path) -> io::Result<u32> {
    let mut input = Checksummed::new(BufReader::with_capacity(1 << 16, File::open(path)?));
    io::copy(&mut input, &mut io::sink())?;
    Ok(input.checksum())
}

/// A file, or the standard input for `-`, with the name that errors give it.
pub(super) fn open_text(path: &Path) -> Result<(String, Box<dyn BufRead + Send>), String> {
    let name = named_file(path);
    if is_standard_input(path) {
        return Ok((name, Box::new(BufReader::with_capacity(1 << 16, io::stdin()))));
    }
    match File::open(path) {
        Ok(file) => Ok((name, Box::new(BufReader::new(file)))),
        Err(error) => Err(GameFileError { file: name, number: 0, problem: error.into() }.to_string()),
    }
}

/// Whether a file is named by `-`.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn named(path: &Path, found: FileGame) -> NamedGame {
    NamedGame { place: found.place.in_file(&named_file(path)), found }
}

/// What errors call a file.
fn named_file(path: &Path) -> String {
    if is_standard_input(path) { STANDARD_INPUT.to_owned() } else { shown(path) }
}
