//! Which games of files a command is about.

use crate::notation::game_file::{FileGame, GameFileError};
use crate::notation::{NotationError, read_position};
use crate::othello::{Position, canonical};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;

// Which games are wanted. No doc: it would take the place of that of the command.
#[derive(Args, Clone, Debug)]
pub(super) struct GameChoice {
    /// Only games of this player, on either side: a part of the name is enough, in capitals or not
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    player: Option<String>,
    /// Only games with these numbers, from 1 in each file: N, FROM-TO or FROM-, several with commas between
    #[arg(long, value_name = "N|FROM-TO", value_delimiter = ',', value_parser = numbers)]
    game: Vec<RangeInclusive<usize>>,
    /// Only games that reach this position, or one that is alike by symmetry: moves from the start, or a board with the side to move
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true, value_parser = position)]
    reaches: Option<Position>,
}

/// Every game.
pub(super) static EVERY_GAME: GameChoice = GameChoice { player: None, game: Vec::new(), reaches: None };

fn numbers(text: &str) -> Result<RangeInclusive<usize>, &'static str> {
    let to_the_end = text.strip_suffix('-').and_then(|first| first.trim().parse().ok()).map(|first| first..=usize::MAX);
    let range = to_the_end.or_else(|| super::range(text)).filter(|range| !range.contains(&0));
    range.ok_or("expected a number of at least 1, two such as 10-20, or 10- for all from there on")
}

/// The name of a position and of those that are alike.
fn position(text: &str) -> Result<Position, NotationError> {
    read_position(text).map(|game| canonical(game.position()).0)
}

impl GameChoice {
    /// Whether it leaves anything out.
    pub(super) fn is_given(&self) -> bool {
        self.player.is_some() || !self.game.is_empty() || self.reaches.is_some()
    }

    /// Adds to the settings of a job which games it is about, if it is not about all.
    pub(super) fn describe(&self, settings: &mut Map<String, Value>) {
        let numbers = self.game.iter().map(|numbers| Value::from(vec![*numbers.start(), *numbers.end()]));
        let of_numbers = (!self.game.is_empty()).then(|| Value::from(numbers.collect::<Vec<_>>()));
        let named = [
            ("player", self.player.as_deref().map(Value::from)),
            ("game", of_numbers),
            ("reaches", self.reaches.map(|position| position.to_string().into())),
        ];
        settings.extend(named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
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
        let is_reached = match (item, &self.reaches) {
            (Ok(found), Some(wanted)) => {
                let alike = |position: &&Position| position.empties().count() == wanted.empties().count();
                let mut positions = found.game.record.positions().iter().filter(alike);
                positions.any(|position| canonical(position).0 == *wanted)
            }
            _ => true,
        };
        let is_numbered = self.game.iter().any(|numbers| numbers.contains(&number));
        is_theirs && is_reached && (is_numbered || self.game.is_empty())
    }

    /// The numbers, as `--game` takes them, of what is wanted behind the game of this number. `None` if nothing is left.
    pub(super) fn numbers_behind(&self, last: usize) -> Option<String> {
        let ranges = if self.game.is_empty() { &[1..=usize::MAX] } else { self.game.as_slice() };
        let rest = ranges.iter().filter(|numbers| *numbers.end() > last).map(|numbers| {
            match ((last + 1).max(*numbers.start()), *numbers.end()) {
                (first, usize::MAX) => format!("{first}-"),
                (first, end) if first == end => first.to_string(),
                (first, end) => format!("{first}-{end}"),
            }
        });
        let rest: Vec<String> = rest.collect();
        (!rest.is_empty()).then(|| rest.join(","))
    }

    /// An error if games were asked for and none was there.
    pub(super) fn check(&self, found: u64) -> Result<(), String> {
        if found > 0 || !self.is_given() {
            return Ok(());
        }
        let player = self.player.as_ref().map_or_else(String::new, |name| format!(" of a player '{name}'"));
        let number = if self.game.is_empty() { "" } else { " with such a number (--game)" };
        let position = if self.reaches.is_some() { " that reaches the position (--reaches)" } else { "" };
        Err(format!("there is no game{player}{number}{position}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_choice_has_nothing_that_was_left_out() {
        for (choice, last, rest) in [
            ("", 0, Some("1-")),
            ("", 22, Some("23-")),
            ("3-200", 22, Some("23-200")),
            ("3-9,20-30,40-", 22, Some("23-30,40-")),
            ("3,7,9", 0, Some("3,7,9")),
            ("3-9", 9, None),
        ] {
            let game = choice.split(',').filter(|part| !part.is_empty()).map(|part| numbers(part).unwrap()).collect();
            assert_eq!(GameChoice { game, ..EVERY_GAME.clone() }.numbers_behind(last).as_deref(), rest, "{choice}");
        }
    }
}
