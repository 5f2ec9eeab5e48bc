//! What an NBoard client says.

use crate::notation::ggf::{self, TimedMove};
use crate::notation::{AnnotatedGame, NotationError};
use crate::search::{Contempt, Depth};
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{i32 as signed, space0, space1, u8 as small, u32 as unsigned};
use nom::combinator::{all_consuming, map_opt, verify};
use nom::error::Error;
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};
use thiserror::Error as ThisError;

/// The words that the protocol gives a client, with NTest's extensions, but for `quit`, which GTP has too. A client that
/// begins with one of them speaks NBoard.
pub const OPENING_WORDS: &[&str] =
    &["nboard", "set", "move", "ping", "hint", "go", "learn", "analyze", "new", "clear", "remove_tree", "draw_tree"];

/// One line of the client.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `nboard N`: the protocol's version.
    Version(u32),
    /// `set game GGF`: another game; what follows is about the position after its last move.
    SetGame(Box<AnnotatedGame>),
    /// `move M[/[EVAL][/SECONDS]]`, or the bare move of version 1: one more move of the game.
    Move(TimedMove),
    /// `set contempt C`: for whom draws count.
    SetContempt(Contempt),
    /// `set depth D`: the depth of the following requests, 1 to 60.
    SetDepth(Depth),
    /// `set emilia.NAME VALUE`: one of the engine's own options, not yet looked at.
    SetOption {
        /// The option's name as on the command line.
        name: String,
        /// The text of its value.
        value: String,
    },
    /// `ping N`: stop thinking and answer.
    Ping(i32),
    /// `hint K`: the values of the K best moves.
    Hint(usize),
    /// `go`: the move to play.
    Go,
    /// `learn`: put the game into the book.
    Learn,
    /// `analyze`: the value of every position of the game.
    Analyze,
    /// `new`, of NTest: a game from the standard start.
    New,
    /// `clear`, of tournament clients: forget what was learned from the games before.
    Clear,
    /// `quit`.
    Quit,
}

/// Why a line is no command. The protocol wants such lines passed over in silence; they are logged.
#[derive(Clone, PartialEq, Debug, ThisError)]
pub enum CommandError {
    /// Nothing but blanks.
    #[error("a blank line")]
    Blank,
    /// A word that the protocol does not have, or one without a meaning for this engine.
    #[error("unknown command '{0}'")]
    Unknown(String),
    /// A variable that the engine does not have.
    #[error("unknown variable '{0}'")]
    UnknownVariable(String),
    /// The argument is missing, is not of the right kind or out of range, or something follows it.
    #[error("{command}, column {column}: expected {expected}")]
    BadArgument {
        /// The command.
        command: &'static str,
        /// Where in the line, counted in bytes from 1.
        column: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// The game or the move cannot be read; lines and columns count from the beginning of the argument.
    #[error("{command}: {error}")]
    BadNotation {
        /// The command.
        command: &'static str,
        /// What is wrong.
        error: NotationError,
    },
}

impl Command {
    /// Reads one line, with or without its carriage return, in any encoding that has ASCII in it.
    ///
    /// # Errors
    /// If the line is blank, begins with no command of the protocol, or has arguments that do not fit it.
    pub fn parse(line: &[u8]) -> Result<Command, CommandError> {
        let text = String::from_utf8_lossy(line);
        let line = Line(text.trim_ascii_end());
        let (rest, word) = preceded(space0, word).parse(line.0).map_err(|_| CommandError::Blank)?;
        match word {
            "ping" => line.argument(rest, "ping", "a number of 32 bits", signed).map(Command::Ping),
            "move" => TimedMove::parse(rest)
                .map(Command::Move)
                .map_err(|error| CommandError::BadNotation { command: "move", error }),
            "hint" => {
                let lines =
                    line.argument(rest, "hint", "a number of moves, at least 1", verify(unsigned, |&n| n > 0))?;
                Ok(Command::Hint(lines as usize))
            }
            "set" => line.variable(rest),
            "nboard" => line.argument(rest, "nboard", "the number of a version", unsigned).map(Command::Version),
            "go" => line.alone(rest, "go", Command::Go),
            "learn" => line.alone(rest, "learn", Command::Learn),
            "analyze" => line.alone(rest, "analyze", Command::Analyze),
            "new" => line.alone(rest, "new", Command::New),
            "clear" => line.alone(rest, "clear", Command::Clear),
            "quit" => line.alone(rest, "quit", Command::Quit),
            word => TimedMove::parse(line.0).map(Command::Move).map_err(|_| CommandError::Unknown(word.to_owned())),
        }
    }
}

/// The text of a line; every rest of it is a slice at its end.
struct Line<'a>(&'a str);

impl Line<'_> {
    /// The one argument of a command.
    fn argument<'a, T>(
        &self,
        rest: &'a str,
        command: &'static str,
        expected: &'static str,
        parser: impl Parser<&'a str, Output = T, Error = Error<&'a str>>,
    ) -> Result<T, CommandError> {
        let parsed = all_consuming(delimited(space1, parser, space0)).parse(rest);
        parsed.map(|(_, value)| value).map_err(|error| self.bad(command, expected, &error))
    }

    /// A command without arguments.
    fn alone(&self, rest: &str, name: &'static str, command: Command) -> Result<Command, CommandError> {
        match all_consuming(space0::<_, Error<&str>>).parse(rest) {
            Ok(_) => Ok(command),
            Err(error) => Err(self.bad(name, "the end of the line", &error)),
        }
    }

    fn variable(&self, rest: &str) -> Result<Command, CommandError> {
        let variable = preceded(space1, word).parse(rest);
        let (rest, name) = variable.map_err(|error| self.bad("set", "the name of a variable", &error))?;
        let value = rest.trim_ascii_start();
        match name {
            "game" => match ggf::parse(value) {
                Ok(game) => Ok(Command::SetGame(Box::new(game))),
                Err(error) => Err(CommandError::BadNotation { command: "set game", error }),
            },
            "depth" => {
                let plies = map_opt(small, Depth::new);
                self.argument(rest, "set depth", "plies from 1 to 60", plies).map(Command::SetDepth)
            }
            "contempt" => {
                let contempt = map_opt(signed, Contempt::new);
                self.argument(rest, "set contempt", "discs from -100 to 100", contempt).map(Command::SetContempt)
            }
            name => {
                let option = preceded(tag::<_, _, Error<&str>>("emilia."), word).parse(name);
                let (_, option) = option.map_err(|_| CommandError::UnknownVariable(name.to_owned()))?;
                Ok(Command::SetOption { name: option.to_owned(), value: value.to_owned() })
            }
        }
    }

    fn bad(&self, command: &'static str, expected: &'static str, error: &nom::Err<Error<&str>>) -> CommandError {
        let left = match error {
            nom::Err::Error(error) | nom::Err::Failure(error) => error.input.len(),
            nom::Err::Incomplete(_) => 0,
        };
        CommandError::BadArgument { command, column: self.0.len() - left + 1, expected }
    }
}

/// What stands between blanks.
fn word(text: &str) -> IResult<&str, &str> {
    take_while1(|c| c != ' ' && c != '\t').parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Move;

    fn parse(line: &str) -> Result<Command, CommandError> {
        Command::parse(line.as_bytes())
    }

    #[test]
    fn every_command_is_read() {
        let option = |name: &str, value: &str| Command::SetOption { name: name.to_owned(), value: value.to_owned() };
        for (line, command) in [
            ("nboard 2", Command::Version(2)),
            ("set depth 12", Command::SetDepth(Depth::new(12).unwrap())),
            ("set contempt -100", Command::SetContempt(Contempt::new(-100).unwrap())),
            ("set emilia.hash 64", option("hash", "64")),
            ("set emilia.on-memory-cap   prune  ", option("on-memory-cap", "prune")),
            ("set emilia.depth", option("depth", "")),
            ("ping 1", Command::Ping(1)),
            ("ping -2147483648", Command::Ping(i32::MIN)),
            ("  ping\t7 \r", Command::Ping(7)),
            ("hint 64", Command::Hint(64)),
            ("go\r", Command::Go),
            ("learn", Command::Learn),
            ("analyze", Command::Analyze),
            ("new", Command::New),
            ("clear", Command::Clear),
            ("quit", Command::Quit),
        ] {
            assert_eq!(parse(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn moves_come_in_both_versions() {
        let f5 = Move::Place("f5".parse().unwrap());
        for (line, turn, eval, seconds) in [
            ("move F5", f5, None, None),
            ("move f5/1.20", f5, Some(1.2), None),
            ("move F5//4.17", f5, None, Some(4.17)),
            ("move F5/3,25/5.0E-4", f5, Some(3.25), Some(0.0005)),
            ("move PA", Move::Pass, None, None),
            ("F5", f5, None, None),
            ("f5/1.20/0.1\r", f5, Some(1.2), Some(0.1)),
            ("PA", Move::Pass, None, None),
            ("--", Move::Pass, None, None),
        ] {
            assert_eq!(parse(line), Ok(Command::Move(TimedMove { turn, eval, seconds })), "{line}");
        }
        assert!(matches!(parse("move Z9"), Err(CommandError::BadNotation { .. })));
        assert!(matches!(parse("move"), Err(CommandError::BadNotation { .. })));
    }

    #[test]
    fn the_log_can_say_what_is_wrong_and_where() {
        for (line, message) in [
            ("", "a blank line"),
            (" \t\r", "a blank line"),
            ("NBOARD 2", "unknown command 'NBOARD'"),
            ("remove_tree", "unknown command 'remove_tree'"),
            ("set name x", "unknown variable 'name'"),
            ("set emilia.", "unknown variable 'emilia.'"),
            ("set", "set, column 4: expected the name of a variable"),
            ("ping", "ping, column 5: expected a number of 32 bits"),
            ("ping one", "ping, column 6: expected a number of 32 bits"),
            ("ping 99999999999", "ping, column 6: expected a number of 32 bits"),
            ("ping 1 2", "ping, column 8: expected a number of 32 bits"),
            ("hint 0", "hint, column 6: expected a number of moves, at least 1"),
            ("set depth 61", "set depth, column 11: expected plies from 1 to 60"),
            ("set depth 300", "set depth, column 11: expected plies from 1 to 60"),
            ("set contempt 101", "set contempt, column 14: expected discs from -100 to 100"),
            ("go now", "go, column 4: expected the end of the line"),
        ] {
            assert_eq!(parse(line).unwrap_err().to_string(), message, "{line:?}");
        }
    }
}
