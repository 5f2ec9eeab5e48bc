//! Which games of files a command is about.

use crate::notation::game_file::{FileGame, GameFileError};
use clap::Args;
use std::ops::RangeInclusive;

// Which games are wanted. No doc: it would take the place of that of the command.
#[derive(Args, Clone, Debug)]
pub(super) struct GameChoice {
    /// Only games of this player, on either side: a part of the name is enough, in capitals or not
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games with these numbers, from 1 in each file: N or FROM-TO, several with commas between
    #[arg(long, value_name = "N|FROM-TO", value_delimiter = ',', value_parser = numbers)]
    game: Vec<RangeInclusive<usize>>,
}

/// Every game.
pub(super) static EVERY_GAME: GameChoice = GameChoice { player: None, game: Vec::new() };

fn numbers(text: &str) -> Result<RangeInclusive<usize>, &'static str> {
    let range = super::range::<usize>(text).filter(|range| !range.contains(&0));
    range.ok_or("expected a number of at least 1, or two such as 10-20")
}

impl GameChoice {
    /// Whether it leaves anything out.
    pub(super) fn is_given(&self) -> bool {
        self.player.is_some() || !self.game.is_empty()
    }

    /// Whether this game is wanted. A game that cannot be read may be anybody's, and an error about a whole file is always wanted.
    pub(super) fn takes(&self, item: &Result<FileGame, GameFileError>) -> bool {
        let has = |name: &str, part: &str| name.to_lowercase().contains(&part.to_lowercase());
        let (number, is_theirs) = match (item, &self.player) {
            (Ok(FileGame { place, game, .. }), Some(player)) => {
                (place.number, has(&game.black.name, player) || has(&game.white.name, player))
            }
            (Ok(found), None) => (found.place.number, true),
            (Err(error), _) if error.is_final() => return true,
            (Err(error), _) => (error.number, true),
        };
        let is_numbered = self.game.iter().any(|numbers| numbers.contains(&number));
        is_theirs && (is_numbered || self.game.is_empty())
    }

    /// An error if games were asked for and none was there.
    pub(super) fn check(&self, found: u64) -> Result<(), String> {
        if found > 0 || !self.is_given() {
            return Ok(());
        }
        let player = self.player.as_ref().map_or_else(String::new, |name| format!(" of a player '{name}'"));
        let number = if self.game.is_empty() { "" } else { " with such a number (--game)" };
        Err(format!("there is no game{player}{number}"))
    }
}
