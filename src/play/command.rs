//! What a person says at the board.

use crate::engine::Level;
use crate::notation::transcript::{parse_turn, parse_turns};
use crate::othello::Move;
use std::str::FromStr;
use thiserror::Error;

/// A line that was understood.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Discs and passes: one, or several of both sides.
    Turns(Vec<Move>),
    /// The best moves, this number of them.
    Hint(usize),
    /// What the opening book knows.
    Book,
    /// Take the last own move back, and what followed it.
    Undo,
    /// Play again what was taken back.
    Redo,
    /// Give the game up.
    Resign,
    /// Let Emilia take this turn.
    Go,
    /// Another game.
    New,
    /// The board again.
    Board,
    /// The moves so far.
    Moves,
    /// Another level, or which one it is.
    Level(Option<Level>),
    /// Change sides.
    Swap,
    /// Write the game to a file.
    Save(String),
    /// Take a game from a file, behind whose name its number may be.
    Load(String),
    /// Another game, which begins at this position.
    SetBoard(String),
    /// What can be said.
    Help,
    /// The end.
    Quit,
}

/// A line that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CommandError {
    /// The first word is no command and no move; a command that looks like it, if there is one.
    #[error("'{0}' is no move and no command; {hint}", hint = did_you_mean(.1))]
    Unknown(String, Option<&'static str>),
    /// The command wants something else behind it.
    #[error("{command}: expected {expected}")]
    Argument {
        /// The command.
        command: &'static str,
        /// What it takes.
        expected: &'static str,
    },
}

fn did_you_mean(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(|| "'help' lists what there is".to_owned(), |name| format!("did you mean '{name}'?"))
}

const NAMES: [&str; 18] = [
    "hint", "book", "undo", "redo", "resign", "go", "new", "board", "moves", "level", "swap", "save", "load",
    "setboard", "help", "quit", "pass", "exit",
];

/// What can be said, in lines of less than 80 columns.
pub(super) const HELP: &str = "  f5            place a disc; passes are made for you
  f5d6c3        several moves, of both sides
  hint [N]      the best N moves with their values (3), those of the book first
  book          what the opening book knows here
  undo          take your last move back
  redo          play again what was taken back
  resign        give the game up
  go            let Emilia make this move for you, at its level
  swap          change sides
  level [N]     1 (beginner) to 8 (full strength)
  moves         the moves so far
  board         the board again
  save FILE     write the game, in the format of the ending
  load FILE [N] go on with game N of a file, of any format (1)
  setboard ...  begin at a board: 64 squares and the side to move
  new           begin again
  quit          leave
";

impl FromStr for Command {
    type Err = CommandError;

    fn from_str(line: &str) -> Result<Command, CommandError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
        let name = word.to_ascii_lowercase();
        let name = match name.as_str() {
            "u" => "undo",
            "h" | "?" => "help",
            "q" | "exit" => "quit",
            name => name,
        };
        if rest.is_empty()
            && let Some(turn) = parse_turn(name)
        {
            return Ok(Command::Turns(vec![turn]));
        }
        let wrong = |command, expected| CommandError::Argument { command, expected };
        let command = match (name, rest) {
            ("hint", "") => Command::Hint(3),
            ("hint", count) => match count.parse() {
                Ok(count @ 1..=64) => Command::Hint(count),
                _ => return Err(wrong("hint", "how many moves, from 1 to 64")),
            },
            ("level", "") => Command::Level(None),
            ("level", level) => match level.parse() {
                Ok(level) => Command::Level(Some(level)),
                Err(_) => return Err(wrong("level", "a number from 1 (beginner) to 8 (full strength), or its name")),
            },
            ("save", "") => return Err(wrong("save", "the name of a file")),
            ("save", file) => Command::Save(file.to_owned()),
            ("load", "") => return Err(wrong("load", "the name of a file")),
            ("load", file) => Command::Load(file.to_owned()),
            ("setboard", "") => return Err(wrong("setboard", "64 squares and the side to move")),
            ("setboard", board) => Command::SetBoard(board.to_owned()),
            ("book", "") => Command::Book,
            ("undo", "") => Command::Undo,
            ("redo", "") => Command::Redo,
            ("resign", "") => Command::Resign,
            ("go", "") => Command::Go,
            ("new", "") => Command::New,
            ("board", "") => Command::Board,
            ("moves", "") => Command::Moves,
            ("swap", "") => Command::Swap,
            ("help", _) => Command::Help,
            ("quit", "") => Command::Quit,
            _ => match (parse_turns(line), NAMES.into_iter().find(|known| *known == name)) {
                (Ok(turns), _) if !turns.is_empty() => Command::Turns(turns),
                (_, Some(command)) => return Err(wrong(command, "nothing behind it")),
                _ => {
                    // Behind moves, the word that is none.
                    let is_none = |word: &&str| parse_turns(word).is_err();
                    let odd = line.split_whitespace().find(is_none).unwrap_or(word).to_ascii_lowercase();
                    return Err(match NAMES.into_iter().find(|known| *known == odd) {
                        Some(command) => wrong(command, "a line of its own"),
                        None => CommandError::Unknown(brief(&odd), nearest(&odd)),
                    });
                }
            },
        };
        Ok(command)
    }
}

/// The beginning of a word, without what a terminal would take for orders.
fn brief(word: &str) -> String {
    word.chars().filter(|c| !c.is_control()).take(20).collect()
}

/// The command that takes the fewest changes of a letter to make, if they are few.
fn nearest(word: &str) -> Option<&'static str> {
    let distance = |name: &str| strsim::levenshtein(word, name);
    NAMES.into_iter().min_by_key(|name| distance(name)).filter(|name| distance(name) <= 1.max(name.len() / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_or_explained() {
        let f5 = Command::Turns(vec![Move::Place("f5".parse().unwrap())]);
        for (line, command) in [
            (" F5 ", f5),
            ("pass", Command::Turns(vec![Move::Pass])),
            (
                "1. F5 d6 2. c3",
                Command::Turns(["f5", "d6", "c3"].map(|name| Move::Place(name.parse().unwrap())).to_vec()),
            ),
            ("hint", Command::Hint(3)),
            ("HINT 12", Command::Hint(12)),
            ("level 8", Command::Level(Some(Level::FULL))),
            ("save my game.ggf", Command::Save("my game.ggf".into())),
        ] {
            assert_eq!(line.parse(), Ok(command), "{line}");
        }
        for (line, said) in [
            ("hnt", "'hnt' is no move and no command; did you mean 'hint'?"),
            ("f5d9", "'f5d9' is no move and no command; 'help' lists what there is"),
            ("c4 b9", "'b9' is no move and no command; 'help' lists what there is"),
            ("f5d6c3d3c4 f4 hnt", "'hnt' is no move and no command; did you mean 'hint'?"),
            ("f5 undo", "undo: expected a line of its own"),
            ("i9", "'i9' is no move and no command; 'help' lists what there is"),
            ("level 9", "level: expected a number from 1 (beginner) to 8 (full strength), or its name"),
            ("hint 0", "hint: expected how many moves, from 1 to 64"),
            ("save", "save: expected the name of a file"),
            ("undo 2", "undo: expected nothing behind it"),
            ("go f5", "go: expected nothing behind it"),
            ("q now", "quit: expected nothing behind it"),
        ] {
            assert_eq!(line.parse::<Command>().unwrap_err().to_string(), said);
        }
        assert!(HELP.lines().all(|line| line.len() < 80));
        for name in NAMES {
            assert!(!matches!(format!("{name} x").parse::<Command>(), Err(CommandError::Unknown(..))), "{name}");
        }
    }
}
