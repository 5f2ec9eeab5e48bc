//! `emilia convert`: games from any format to any other.

use super::game_choice::GameChoice;
use super::game_input::{GameFiles, NamedGame};
use super::output::{Failures, Output, Reader, counted, is_for_terminal, shown, warn, write_together};
use super::picture::ending;
use crate::notation::game_file::{Datum, Format, GameFileError, Loss, WthorWriter, names_of_others, write};
use crate::notation::{printable, shortened};
use crate::whole_file::Destination;
use clap::Args;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use strum::VariantArray;

/// Convert games and positions between formats.
///
/// A warning on the standard error says what the new format cannot hold: each kind of thing once, with the number of games and the
/// first of them. A game that cannot be read or written is named with its place, and the next one follows; the exit code is then 1.
#[derive(Args, Clone, Debug)]
pub(super) struct ConvertArguments {
    #[command(flatten)]
    input: GameFiles,
    #[command(flatten)]
    choice: GameChoice,
    /// The new format: ggf, sgf, pgn, transcript, logbook, obf, wthor; without it, the ending of --out decides
    #[arg(long, value_name = "FORMAT", value_parser = super::names(Format::VARIANTS), required_unless_present = "out")]
    to: Option<String>,
    /// The file to write; WTHOR's names go beside it, as .jou and .trn
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Stop, and leave no file, where anything would be lost: a part of a game, or a game that is cut off or cannot be read or written
    #[arg(long)]
    strict: bool,
}

/// Converts what the files hold.
pub(super) fn run(arguments: &ConvertArguments) -> Result<(), String> {
    let format = arguments.format();
    arguments.input.expect_another(arguments.out.as_deref())?;
    if format == Format::Wthor
        && let Some(games) = arguments.file()
    {
        for ending in ["jou", "trn"] {
            arguments.input.expect_another(Some(&games.with_extension(ending)))?;
        }
    }
    let mut conversion =
        Conversion { arguments, format, losses: BTreeMap::new(), failures: Failures::default(), games: 0, written: 0 };
    match format {
        Format::Wthor => conversion.write_wthor()?,
        _ => conversion.write_text()?,
    }
    conversion.warn();
    conversion.failures.end("converted")
}

impl ConvertArguments {
    fn chosen(&self) -> impl Iterator<Item = Result<NamedGame, GameFileError>> + '_ {
        self.input.chosen(&self.choice)
    }

    /// The file that is written, if it is neither the standard output nor a device.
    fn file(&self) -> Option<&Path> {
        let is_file = |path: &Path| !matches!(Destination::of(path), Ok(Destination::InPlace));
        self.out.as_deref().filter(|path| *path != Path::new("-") && is_file(path))
    }

    fn format(&self) -> Format {
        let named = self.to.as_ref().and_then(|name| name.parse().ok());
        let path = self.out.as_deref().unwrap_or(Path::new(""));
        let format = named.or_else(|| Format::of_file_name(&path.to_string_lossy())).unwrap_or_else(|| {
            super::refuse(format_args!(
                "--out: the ending of '{}' is that of no format; give --to FORMAT (ggf, sgf, pgn, transcript, ...)",
                shown(path)
            ))
        });
        if format == Format::Wthor {
            if is_for_terminal(self.out.as_deref()) {
                super::refuse("WTHOR's games are no text for a terminal; give --out FILE.wtb");
            }
            if let Some(names @ ("jou" | "trn")) = ending(path).as_deref() {
                super::refuse(format_args!(
                    "--out: the names go into the .{names} beside the games; expected another ending, such as .wtb"
                ));
            }
        }
        format
    }
}

struct Conversion<'a> {
    arguments: &'a ConvertArguments,
    format: Format,
    /// For each kind of loss, how many games have it, and the first.
    losses: BTreeMap<Datum, (u64, String)>,
    failures: Failures,
    games: u64,
    /// Of these, games that were written.
    written: u64,
}

impl Conversion<'_> {
    fn write_text(&mut self) -> Result<(), String> {
        let mut output = Output::open(self.arguments.out.as_deref())?;
        // What has gone to a pipe cannot be taken back when a later game loses something.
        let mut held = (self.arguments.strict && self.arguments.file().is_none()).then(Vec::new);
        for item in self.arguments.chosen() {
            let Some(game) = self.read(item)? else { continue };
            match write(&game.found.game, self.format) {
                Ok(text) => {
                    self.note_game(&game, text.losses)?;
                    self.written += 1;
                    // PGN's games have an empty line between them, which is the end of each.
                    match &mut held {
                        Some(held) => held.extend_from_slice(text.text.as_bytes()),
                        None if output.write(text.text.as_bytes())? == Reader::IsGone => return Ok(()),
                        None => {}
                    }
                }
                Err(error) => self.leave_out(&game.place, error)?,
            }
        }
        self.arguments.choice.check(self.games)?;
        if self.has_nothing() {
            return Ok(());
        }
        output.write(&held.unwrap_or_default())?;
        output.finish()
    }

    fn write_wthor(&mut self) -> Result<(), String> {
        let out = self.arguments.out.as_deref();
        // Nothing stands beside a device.
        let path = self.arguments.file();
        if let Some(names) = path.and_then(names_of_others) {
            return Err(format!(
                "--out: '{}' is there, and may have the names of other games; expected another name",
                shown(&names)
            ));
        }
        let mut writer = WthorWriter::new();
        for item in self.arguments.chosen() {
            let Some(game) = self.read(item)? else { continue };
            match writer.add(&game.found.game) {
                Ok(mut losses) => {
                    if path.is_none() {
                        // The names stand in files of their own.
                        let players = [&game.found.game.black.name, &game.found.game.white.name];
                        if let Some(name) = players.into_iter().find(|name| !name.is_empty()) {
                            losses.push(Loss { datum: Datum::Players, detail: name.clone() });
                        }
                        if !game.found.game.place.is_empty() {
                            losses.push(Loss { datum: Datum::Place, detail: game.found.game.place.clone() });
                        }
                    }
                    self.note_game(&game, losses)?;
                    self.written += 1;
                }
                Err(error) => self.leave_out(&game.place, error)?,
            }
        }
        self.arguments.choice.check(self.games)?;
        if self.has_nothing() {
            return Ok(());
        }
        let files = writer.finish();
        self.note("the file", files.losses)?;
        let Some(path) = path else {
            let mut output = Output::open(out)?;
            output.write(&files.games)?;
            return output.finish();
        };
        let beside = |ending| path.with_extension(ending);
        write_together(&[(&beside("jou"), &files.players), (&beside("trn"), &files.tournaments), (path, &files.games)])
    }

    /// A game that was read; of one that was not, the standard error says why.
    fn read(&mut self, item: Result<NamedGame, GameFileError>) -> Result<Option<NamedGame>, String> {
        self.games += 1;
        match item {
            Ok(game) => match game.found.cut.filter(|_| self.arguments.strict) {
                Some(cut) => Err(format!("{}: {cut}; expected a whole one", game.place)),
                None => Ok(Some(game)),
            },
            Err(error) if self.arguments.strict => Err(error.to_string()),
            Err(error) => {
                self.failures.unread(&error);
                Ok(None)
            }
        }
    }

    /// Goes on without a game that cannot be written.
    fn leave_out(&mut self, place: &str, why: impl Display) -> Result<(), String> {
        let problem = format!("{place}: {why}");
        if self.arguments.strict {
            return Err(problem);
        }
        self.failures.game(problem);
        Ok(())
    }

    /// Whether there was an error about everything: then a file that is there is not replaced by an empty one.
    fn has_nothing(&self) -> bool {
        self.written == 0 && !self.failures.is_empty()
    }

    fn note_game(&mut self, game: &NamedGame, mut losses: Vec<Loss>) -> Result<(), String> {
        // That the board has another result is told already, and a format that has results gets that one.
        let has_results = !matches!(self.format, Format::Transcript | Format::Obf);
        if has_results && !self.arguments.strict && game.found.game.contradiction().is_some() {
            losses.retain(|loss| loss.datum != Datum::Result);
        }
        self.note(&game.place, losses)
    }

    fn note(&mut self, place: &str, losses: Vec<Loss>) -> Result<(), String> {
        let mut seen = Vec::new();
        for loss in losses {
            if self.arguments.strict {
                return Err(format!("{place}: {} cannot hold {loss}", self.format));
            }
            if !seen.contains(&loss.datum) {
                seen.push(loss.datum);
                let first = || (0, format!("{place}: {}", brief(&loss.detail)));
                self.losses.entry(loss.datum).or_insert_with(first).0 += 1;
            }
        }
        Ok(())
    }

    fn warn(&self) {
        for (datum, (count, first)) in &self.losses {
            warn(format_args!("{} cannot hold {datum}: {}, first {first}", self.format, counted(*count, "game")));
        }
    }
}

/// The beginning of a text.
fn brief(text: &str) -> String {
    const LONGEST: usize = 60;
    shortened(&printable(&text.replace(['\n', '\r'], " ")), LONGEST).into_owned()
}
