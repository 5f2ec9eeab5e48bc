//! What a UGI client says.

use crate::notation::transcript::parse_turn;
use crate::notation::{NotationError, read_position, shortened};
use crate::othello::{Color, GameRecord, IllegalMove, Move};
use crate::search::Depth;
use std::num::{IntErrorKind, ParseIntError};
use std::time::Duration;
use thiserror::Error;

/// What a pass is called.
pub const PASS: &str = "0000";

/// The words that a client which speaks UGI may begin with.
pub const OPENING_WORDS: &[&str] = &["ugi"];

/// The longest part of a word that a message repeats, in characters.
const SHOWN: usize = 40;

/// One line of the client.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `ugi`: who are you, and which options do you have?
    Ugi,
    /// `isready`
    IsReady,
    /// `uginewgame`
    NewGame,
    /// `setoption name NAME value VALUE`
    SetOption {
        /// The option, in small letters.
        name: String,
        /// The option's new value.
        value: String,
    },
    /// `position startpos|fen FEN [moves MOVE...]`
    Position(Box<GameRecord>),
    /// `go [LIMIT...]`, and the first limit that has no number.
    Go(GoLimits, Option<String>),
    /// `stop`
    Stop,
    /// `query QUESTION`
    Query(Query),
    /// `quit`
    Quit,
}

/// The limits of a `go`. Those that are `None` were not given, or made no sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GoLimits {
    /// What is left on the clocks of Black, who is player one, and of White; less than nothing counts as nothing.
    pub time: [Option<Duration>; 2],
    /// What a move adds to these clocks.
    pub increment: [Option<Duration>; 2],
    /// The time for this move.
    pub move_time: Option<Duration>,
    /// Bound on the depth; the least or the greatest there is for a number outside of these.
    pub depth: Option<Depth>,
    /// Bound on the positions visited.
    pub nodes: Option<u64>,
    /// Whether the search is to go on until `stop`.
    pub is_infinite: bool,
}

/// A question about the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    /// `p1turn`: is player one, who has Black, to move or to pass?
    FirstPlayersTurn,
    /// `gameover`
    GameOver,
    /// `result`
    Result,
    /// `fen`, which the protocol does not have
    Fen,
}

/// Why a line is ignored.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CommandError {
    /// A blank line.
    #[error("nothing is said")]
    Empty,
    /// The protocol has no such command.
    #[error("unknown command '{0}'; expected ugi, isready, uginewgame, setoption, position, go, stop, query or quit")]
    Unknown(String),
    /// A query that cannot be answered.
    #[error("unknown query; expected p1turn, gameover, result or fen")]
    UnknownQuery,
    /// `setoption` without its words.
    #[error("expected setoption name NAME value VALUE")]
    SetOption,
    /// `position` without `startpos` or `fen`.
    #[error("expected position startpos or position fen FEN, and perhaps moves")]
    Position,
    /// The board is none.
    #[error("cannot read the position: {0}")]
    Fen(#[from] NotationError),
    /// A word among the moves, of this number from 1, is none.
    #[error("move {0}: '{1}' is no move")]
    NoMove(usize, String),
    /// A move, of this number from 1, that the rules do not allow.
    #[error("move {0}: {1}")]
    Illegal(usize, #[source] IllegalMove),
}

impl Command {
    /// Reads a line. Any bytes will do.
    ///
    /// # Errors
    /// If the line is to be ignored.
    pub fn parse(line: &[u8]) -> Result<Command, CommandError> {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
        match words.next().ok_or(CommandError::Empty)? {
            "ugi" => Ok(Command::Ugi),
            "isready" => Ok(Command::IsReady),
            "uginewgame" => Ok(Command::NewGame),
            "setoption" => set_option(&text),
            "position" => position(&words.collect::<Vec<_>>()),
            "go" => {
                let (limits, ignored) = go(words);
                Ok(Command::Go(limits, ignored))
            }
            "stop" => Ok(Command::Stop),
            "query" => match words.next() {
                Some("p1turn") => Ok(Command::Query(Query::FirstPlayersTurn)),
                Some("gameover") => Ok(Command::Query(Query::GameOver)),
                Some("result") => Ok(Command::Query(Query::Result)),
                Some("fen") => Ok(Command::Query(Query::Fen)),
                _ => Err(CommandError::UnknownQuery),
            },
            "quit" => Ok(Command::Quit),
            word => Err(CommandError::Unknown(shortened(word, SHOWN).into_owned())),
        }
    }
}

/// Reads the whole line of a `setoption`. The value is the rest of it as it is: a path may have blanks of any kind.
fn set_option(line: &str) -> Result<Command, CommandError> {
    let is_blank = |c: char| c.is_whitespace() || c.is_control();
    let mut rest = line;
    let mut word = || {
        rest = rest.trim_start_matches(is_blank);
        let (word, behind) = rest.split_at(rest.find(is_blank).unwrap_or(rest.len()));
        rest = behind;
        word
    };
    let ["setoption", "name", name, "value"] = [(); 4].map(|()| word()) else { return Err(CommandError::SetOption) };
    match rest.trim_matches(is_blank) {
        "" => Err(CommandError::SetOption),
        value => Ok(Command::SetOption { name: name.to_ascii_lowercase(), value: value.to_owned() }),
    }
}

fn position(words: &[&str]) -> Result<Command, CommandError> {
    let (start, moves) = match words.iter().position(|word| *word == "moves") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, &[][..]),
    };
    let mut game = match start {
        ["startpos"] => GameRecord::default(),
        ["fen", board @ ..] if !board.is_empty() => read_position(&board.join(" "))?,
        _ => return Err(CommandError::Position),
    };
    for (name, number) in moves.iter().zip(1..) {
        let turn = if *name == PASS { Some(Move::Pass) } else { parse_turn(name) };
        let turn = turn.ok_or_else(|| CommandError::NoMove(number, shortened(name, SHOWN).into_owned()))?;
        game.take_with_implied_pass(turn).map_err(|illegal| CommandError::Illegal(number, illegal))?;
    }
    Ok(Command::Position(Box::new(game)))
}

/// The limits among these words, and the first one without a number, if there is one. What makes no sense is passed over: whoever says `go` waits for a
/// move.
fn go<'a>(words: impl Iterator<Item = &'a str>) -> (GoLimits, Option<String>) {
    let mut words = words.peekable();
    let (mut limits, mut ignored) = (GoLimits::default(), None);
    while let Some(word) = words.next() {
        let (black, white) = (Color::Black as usize, Color::White as usize);
        // What is no number stands for itself.
        let mut number = || {
            let found = words.peek().and_then(|word| whole_number(word));
            match found {
                Some(_) => {
                    words.next();
                }
                None => {
                    ignored.get_or_insert_with(|| word.to_owned());
                }
            }
            found
        };
        let milliseconds = |number: i64| Duration::from_millis(number.max(0) as u64);
        match word {
            "p1time" => limits.time[black] = number().map(milliseconds),
            "p2time" => limits.time[white] = number().map(milliseconds),
            "p1inc" => limits.increment[black] = number().map(milliseconds),
            "p2inc" => limits.increment[white] = number().map(milliseconds),
            "movetime" => limits.move_time = number().map(milliseconds),
            "depth" => {
                let nearest = |plies: i64| plies.clamp(Depth::LEAST.plies().into(), Depth::MOST.plies().into());
                limits.depth = number().and_then(|plies| Depth::try_from(nearest(plies)).ok());
            }
            "nodes" => limits.nodes = number().map(|nodes| nodes.max(1) as u64),
            "infinite" => limits.is_infinite = true,
            _ => {}
        }
    }
    (limits, ignored)
}

/// A word that is a whole number; the nearest one that fits.
fn whole_number(word: &str) -> Option<i64> {
    word.parse().map_or_else(
        |error: ParseIntError| match error.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
        Some,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use proptest::prelude::*;

    fn parsed(line: &str) -> Result<Command, CommandError> {
        Command::parse(line.as_bytes())
    }

    fn position_of(line: &str) -> Position {
        match parsed(line) {
            Ok(Command::Position(game)) => *game.position(),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn words_may_stand_apart() {
        assert_eq!(parsed(" \tugi  \r"), Ok(Command::Ugi));
        assert_eq!(parsed("query  p1turn"), Ok(Command::Query(Query::FirstPlayersTurn)));
        let option =
            |name: &str, value: &str| Ok(Command::SetOption { name: name.to_owned(), value: value.to_owned() });
        assert_eq!(parsed("setoption name Hash value 128"), option("hash", "128"));
        assert_eq!(parsed("  setoption\tname book value  /my  \u{3000}book \r"), option("book", "/my  \u{3000}book"));
        for line in ["setoption", "setoption name hash", "setoption name hash value", "setoption hash 8"] {
            assert_eq!(parsed(line), Err(CommandError::SetOption), "{line}");
        }
        assert_eq!(parsed(" \r"), Err(CommandError::Empty));
        assert_eq!(parsed("UGI 1"), Err(CommandError::Unknown("UGI".to_owned())));
        let long = "x".repeat(5000);
        let problem = parsed(&long).unwrap_err().to_string();
        assert!(problem.starts_with(&format!("unknown command '{}...'; expected ugi, ", &long[..SHOWN])), "{problem}");
        assert_eq!(parsed("query bestmove"), Err(CommandError::UnknownQuery));
    }

    #[test]
    fn boards_are_read_in_many_spellings() {
        let after = Position::START.play("f5".parse().unwrap()).unwrap();
        for line in [
            "position startpos moves f5",
            "position fen 8/8/8/3ox3/3xo3/8/8/8 x moves F5",
            "position fen 8/8/8/3ox3/3xxx2/8/8/8 o 0 1",
            "position fen --------/--------/--------/---OX---/---XXX--/--------/--------/-------- O",
            "position fen ---------------------------OX------XXX-------------------------- O moves",
            "position fen -------- -------- -------- ---OX--- ---XXX-- -------- -------- -------- O",
            "position fen 8/8/8/3ppp2/3Pp3/8/8/8 w - - 0 1",
        ] {
            assert_eq!(position_of(line), after, "{line}");
        }
        assert!(position_of("position startpos moves f5 f6 d3 g5 h5 h4 f7 h6").must_pass());
        let implied = position_of("position startpos moves f5 f6 d3 g5 h5 h4 f7 h6 c5");
        for pass in ["0000", "pass", "--"] {
            let told = format!("position startpos moves f5 f6 d3 g5 h5 h4 f7 h6 {pass} c5");
            assert_eq!(position_of(&told), implied);
        }
        for line in ["position", "position start", "position fen", "position moves f5"] {
            assert_eq!(parsed(line), Err(CommandError::Position), "{line}");
        }
        assert!(matches!(parsed("position fen 8/8/8 x"), Err(CommandError::Fen(_))));
        assert!(matches!(parsed("position fen 8/8/8/3ox4/3xo3/8/8/8 x"), Err(CommandError::Fen(_))));
        assert_eq!(parsed("position startpos moves z9"), Err(CommandError::NoMove(1, "z9".to_owned())));
        for name in ["a1", "0000"] {
            assert!(matches!(parsed(&format!("position startpos moves {name}")), Err(CommandError::Illegal(1, _))));
        }
        let problem = parsed("position startpos moves f5 f5").unwrap_err().to_string();
        assert_eq!(problem, "move 2: f5 is occupied");
    }

    #[test]
    fn limits_that_make_no_sense_are_passed_over() {
        let go = |text: &str| match parsed(text) {
            Ok(Command::Go(limits, _)) => limits,
            other => panic!("{text}: {other:?}"),
        };
        let s = |n| Some(Duration::from_secs(n));
        let clocks = go("go p1time 1000 p2time 2000 p1inc 3000 p2inc -4");
        assert_eq!((clocks.time, clocks.increment), ([s(1), s(2)], [s(3), s(0)]));
        assert_eq!(go("go movetime 5000").move_time, s(5));
        assert_eq!(go("go depth 0 nodes 7"), GoLimits { depth: Some(Depth::LEAST), nodes: Some(7), ..go("go") });
        assert_eq!(go("go depth 999").depth, Some(Depth::MOST));
        assert_eq!(go("go nodes 99999999999999999999").nodes, Some(i64::MAX as u64), "the most there is");
        assert_eq!(go("go nodes -99999999999999999999").nodes, Some(1));
        assert_eq!(go("go depth nodes 7").nodes, Some(7), "a keyword is no value");
        assert_eq!(go("go movetime infinite"), GoLimits { is_infinite: true, ..GoLimits::default() });
        assert_eq!(go("go infinite ponder"), GoLimits { is_infinite: true, ..GoLimits::default() });
        for text in ["go", "go depth", "go depth x", "go p1time"] {
            assert_eq!(go(text), GoLimits::default(), "{text}");
        }
        for (text, expected) in
            [("go depth x", Some("depth")), ("go nodes 7 p1inc", Some("p1inc")), ("go ponder", None)]
        {
            assert!(matches!(parsed(text), Ok(Command::Go(_, ignored)) if ignored.as_deref() == expected), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_command_or_none(line in proptest::collection::vec(any::<u8>(), 0..80), word in 0..4usize) {
            let mut bytes = [&b"position fen "[..], b"position startpos moves ", b"go ", b""][word].to_vec();
            bytes.extend(line);
            let _ = Command::parse(&bytes);
        }
    }
}
