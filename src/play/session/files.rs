//! Files of games: a game that goes on from one, and one that is saved.

use super::Session;
use crate::clock::time_control::TimeControl;
use crate::engine::Level;
use crate::notation::game_file::{AnnotatedGame, Format, GameFile, write};
use crate::notation::ggf::GgfResult;
use crate::othello::Color;
use crate::whole_file::write_whole;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

impl Session {
    /// Goes on with a game of a file, the first being number 1, and says what is odd about it. The clocks begin anew. If it was saved
    /// here, everybody plays the side, and Emilia at the level, that it names.
    ///
    /// # Errors
    /// If there is no such game in it that can be read, in words.
    pub fn load(&mut self, path: &Path, number: usize) -> Result<Vec<String>, String> {
        let mut games = GameFile::open(path).map_err(|error| error.to_string())?;
        let mut before = 0;
        for item in games.by_ref().take(number.saturating_sub(1)) {
            before += 1;
            // A file that cannot be read is more worth saying than that it has no such game.
            if let Err(error) = item
                && error.is_final()
            {
                return Err(error.to_string());
            }
        }
        let game = games.next().ok_or_else(|| match before {
            0 => format!("{}: there is no game in it", path.display()),
            1 => format!("{}: there is no game {number}; it has one", path.display()),
            _ => format!("{}: there is no game {number}; it has {before}", path.display()),
        })?;
        let found = game.map_err(|error| error.to_string())?;
        // A file that has more than this game, or what would be lost of it, comments too, or is packed, is not to be written over.
        let has_nothing_else = |text: &str| {
            let text = text.trim();
            text.starts_with("(;") && text.ends_with(";)") && !text.lines().any(|line| line.starts_with(['%', '#']))
        };
        let is_alone = path.is_file()
            && before == 0
            && found.cut.is_none()
            && games.next().is_none()
            && write(&found.game, Format::Ggf).is_ok_and(|written| written.losses.is_empty())
            && fs::read(path).is_ok_and(|bytes| has_nothing_else(&String::from_utf8_lossy(&bytes)));
        let missing_names = games.missing_names().map(str::to_owned);
        let warnings = missing_names.into_iter().chain(found.warnings()).collect();
        if let Some((side, level)) = seats(&found.game) {
            self.side = side;
            level.into_iter().for_each(|level| self.opponent.set_level(level));
        }
        self.begin(found.game);
        self.file = (found.format == Format::Ggf && is_alone).then(|| path.to_owned());
        Ok(warnings)
    }

    pub(super) fn save(&mut self, path: &Path) -> Result<String, String> {
        if path.exists() && self.file.as_deref() != Some(path) {
            return Err(format!("{} is there already; choose another name.", path.display()));
        }
        let mut game = self.game.clone();
        let emilia = format!("Emilia {}", self.opponent.level().number());
        let clock = self.clocks.control().and_then(TimeControl::ggf);
        // Since it was saved the sides or the level may have changed.
        let was_saved_here = seats(&game).is_some();
        for (color, player) in [(Color::Black, &mut game.black), (Color::White, &mut game.white)] {
            // A game that was loaded had another one.
            player.clock = clock.or(player.clock);
            let is_played_here = self.turns_of_file == 0 || self.person().is_some();
            if was_saved_here || player.name.is_empty() && is_played_here {
                player.name = if self.side == Some(!color) { emilia.clone() } else { PERSON.to_owned() };
            }
        }
        if game.date.is_empty() {
            game.date = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        }
        if game.place.is_empty() {
            game.place = "emilia play".to_owned();
        }
        let on_board = game.score_on_board().filter(|_| !game.is_lost_otherwise());
        let played_out = on_board.map(|score| GgfResult { score, ending: None });
        game.result = self.result_on_time().or(played_out).or(game.result);
        let named = Format::of_file_name(&path.to_string_lossy());
        if named == Some(Format::Wthor) {
            return Err("games of WTHOR are no text; 'emilia convert' writes them.".to_owned());
        }
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        if let Some(packed @ ("gz" | "zst")) = ending.as_deref() {
            return Err(format!("A game is not packed: expected a name without .{packed}."));
        }
        let format = named.unwrap_or(Format::Ggf);
        let kind = if named.is_none() { " as GGF" } else { "" };
        let written = write(&game, format).map_err(|error| error.to_string())?;
        write_whole(path, written.text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
        self.file = Some(path.to_owned());
        let mut losses: Vec<String> = written.losses.iter().map(ToString::to_string).collect();
        if clock.is_none() && self.clocks.control().is_some() {
            losses.push("the clock".to_owned());
        }
        Ok(match losses.is_empty() {
            true => format!("Saved to {}{kind}.\n", path.display()),
            false => format!("Saved to {}{kind}, without {}.\n", path.display(), losses.join(", ")),
        })
    }
}

/// The name of a person in a game that is saved.
const PERSON: &str = "you";

/// The person's side, or `None` for both, and Emilia's level, if this game was saved by [`Session::save`].
fn seats(game: &AnnotatedGame) -> Option<(Option<Color>, Option<Level>)> {
    let level = |name: &str| name.strip_prefix("Emilia ")?.parse().ok();
    match (game.black.name.as_str(), game.white.name.as_str()) {
        (PERSON, PERSON) => Some((None, None)),
        (PERSON, emilia) => Some((Some(Color::Black), Some(level(emilia)?))),
        (emilia, PERSON) => Some((Some(Color::White), Some(level(emilia)?))),
        _ => None,
    }
}

/// The file that is meant, and which of its games: `games.ggf 3` is the third one of `games.ggf`, unless a file is called so.
pub(super) fn file_and_number(said: &str) -> (&Path, usize) {
    let whole = Path::new(said);
    let named = said.rsplit_once(char::is_whitespace).filter(|_| !whole.exists());
    let parts = named.and_then(|(file, number)| Some((Path::new(file.trim_end()), number.parse().ok()?)));
    parts.filter(|(_, number)| *number > 0).unwrap_or((whole, 1))
}
