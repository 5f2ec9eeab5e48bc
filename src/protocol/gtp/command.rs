//! What a client may say: one line becomes one typed [`Command`].

use super::analysis::{Analysis, Restriction, StreamFormat};
use super::reply::Failure;
use crate::input_line::InputLine;
use crate::othello::{Bitboard, Color, Move, Square};
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_till1};
use nom::character::complete::{char, digit1, satisfy, space0, space1};
use nom::combinator::{all_consuming, eof, map_opt, opt, peek, recognize, rest, value, verify};
use nom::multi::many0;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};
use std::time::Duration;

/// The largest command id.
const MAX_ID: u32 = i32::MAX as u32;

/// Time between two reports of an analysis in another engine's format, if none is asked for.
const DEFAULT_INTERVAL: Duration = Duration::from_millis(500);

/// The shortest time between two such reports.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// Seconds above which times are cut to this.
const MAX_SECONDS: f64 = 1e9;

/// A line that asks for a response.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandLine {
    /// The id to answer with.
    pub id: Option<u32>,
    /// What is asked, or why that is not clear: an unknown command or arguments that do not fit it.
    pub command: Result<Command, Failure>,
}

/// A command with its arguments. [`command_names`] lists the names on the wire.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// `protocol_version`
    ProtocolVersion,
    /// `name`
    Name,
    /// `version`
    Version,
    /// `known_command [NAME]`
    KnownCommand(String),
    /// `list_commands`
    ListCommands,
    /// `quit`
    Quit,
    /// `boardsize N`; a number too large for the type stands as its largest value.
    BoardSize(u32),
    /// `clear_board`
    ClearBoard,
    /// `komi FLOAT`
    Komi,
    /// `play COLOR VERTEX`
    Play(Color, Move),
    /// `genmove COLOR`
    GenMove(Color),
    /// `reg_genmove COLOR`
    RegGenMove(Color),
    /// `undo`
    Undo,
    /// `time_settings MAIN BYO_TIME BYO_STONES`
    TimeSettings {
        /// The first number.
        main: Duration,
        /// The second.
        period: Duration,
        /// The third.
        moves: u32,
    },
    /// `time_left COLOR SECONDS STONES`
    TimeLeft {
        /// Whose clock.
        color: Color,
        /// What it shows; less than nothing counts as nothing.
        time: Duration,
        /// Moves to go in the period; 0 in the main time.
        moves: u32,
    },
    /// `final_score`
    FinalScore,
    /// `showboard`
    ShowBoard,
    /// `loadsgf FILE [MOVE]`
    LoadSgf {
        /// The file.
        path: String,
        /// The number of the move to stop before, from 1.
        before: Option<u32>,
    },
    /// `list_games`
    ListGames,
    /// `set_game NAME`
    SetGame(String),
    /// `gogui-rules_…`
    Rules(RulesQuery),
    /// `gogui-interrupt`
    Interrupt,
    /// `stop`
    Stop,
    /// `emilia-set OPTION VALUE`
    Set {
        /// The option.
        option: String,
        /// The option's new value.
        value: String,
    },
    /// `emilia-set`
    Parameters,
    /// `emilia-get [OPTION]`
    Get(Option<String>),
    /// `gogui-analyze_commands`
    AnalyzeCommands,
    /// `emilia-stats`
    Stats,
    /// `emilia-values`
    Values,
    /// `emilia-book`
    Book,
    /// `emilia-setboard POSITION`
    SetBoard(String),
    /// `emilia-analyze [K]`, `lz-analyze`, `kata-analyze` and `analyze`
    Analyze(Analysis),
    /// `lz-genmove_analyze`, `kata-genmove_analyze` and `genmove_analyze`
    GenMoveAnalyze(Analysis),
}

/// What GoGui asks of an engine that knows the rules of another game than Go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RulesQuery {
    /// `gogui-rules_game_id`
    GameId,
    /// `gogui-rules_board_size`
    BoardSize,
    /// `gogui-rules_board`
    Board,
    /// `gogui-rules_side_to_move`
    SideToMove,
    /// `gogui-rules_legal_moves`
    LegalMoves,
    /// `gogui-rules_final_result`
    FinalResult,
}

type Arguments = fn(&str) -> IResult<&str, Command>;

/// Every command and the reader of its arguments.
const COMMANDS: &[(&str, Arguments)] = &[
    ("protocol_version", |i| value(Command::ProtocolVersion, eof).parse(i)),
    ("name", |i| value(Command::Name, eof).parse(i)),
    ("version", |i| value(Command::Version, eof).parse(i)),
    ("known_command", |i| rest.map(|name: &str| Command::KnownCommand(name.to_owned())).parse(i)),
    ("list_commands", |i| value(Command::ListCommands, eof).parse(i)),
    ("quit", |i| value(Command::Quit, eof).parse(i)),
    ("boardsize", |i| count.map(Command::BoardSize).parse(i)),
    ("clear_board", |i| value(Command::ClearBoard, eof).parse(i)),
    ("komi", |i| value(Command::Komi, number).parse(i)),
    ("play", |i| (color, preceded(space1, vertex)).map(|(color, turn)| Command::Play(color, turn)).parse(i)),
    ("genmove", |i| color.map(Command::GenMove).parse(i)),
    ("reg_genmove", |i| color.map(Command::RegGenMove).parse(i)),
    ("undo", |i| value(Command::Undo, eof).parse(i)),
    ("time_settings", time_settings),
    ("time_left", time_left),
    ("final_score", |i| value(Command::FinalScore, eof).parse(i)),
    ("showboard", |i| value(Command::ShowBoard, eof).parse(i)),
    ("loadsgf", load_sgf),
    ("list_games", |i| value(Command::ListGames, eof).parse(i)),
    ("set_game", |i| text.map(Command::SetGame).parse(i)),
    ("gogui-interrupt", |i| value(Command::Interrupt, eof).parse(i)),
    ("stop", |i| value(Command::Stop, eof).parse(i)),
    ("gogui-rules_game_id", |i| value(Command::Rules(RulesQuery::GameId), eof).parse(i)),
    ("gogui-rules_board_size", |i| value(Command::Rules(RulesQuery::BoardSize), eof).parse(i)),
    ("gogui-rules_board", |i| value(Command::Rules(RulesQuery::Board), eof).parse(i)),
    ("gogui-rules_side_to_move", |i| value(Command::Rules(RulesQuery::SideToMove), eof).parse(i)),
    ("gogui-rules_legal_moves", |i| value(Command::Rules(RulesQuery::LegalMoves), eof).parse(i)),
    ("gogui-rules_final_result", |i| value(Command::Rules(RulesQuery::FinalResult), eof).parse(i)),
    ("emilia-set", |i| {
        let set = |(option, value): (&str, String)| Command::Set { option: option.to_owned(), value };
        alt((value(Command::Parameters, eof), (word, preceded(space1, text)).map(set))).parse(i)
    }),
    ("emilia-get", |i| opt(word).map(|name| Command::Get(name.map(str::to_owned))).parse(i)),
    ("emilia-stats", |i| value(Command::Stats, eof).parse(i)),
    ("emilia-values", |i| value(Command::Values, eof).parse(i)),
    ("emilia-book", |i| value(Command::Book, eof).parse(i)),
    ("emilia-setboard", |i| text.map(Command::SetBoard).parse(i)),
    ("emilia-analyze", |i| {
        let lines = opt(count).map(|lines| lines.unwrap_or(1) as usize);
        let analysis =
            |lines| Analysis { format: StreamFormat::Emilia, color: None, lines, interval: None, restrictions: vec![] };
        map_opt(lines, |lines| (lines > 0).then(|| Command::Analyze(analysis(lines)))).parse(i)
    }),
    ("lz-analyze", |i| analysis(StreamFormat::LeelaZero).map(Command::Analyze).parse(i)),
    ("lz-genmove_analyze", |i| analysis(StreamFormat::LeelaZero).map(Command::GenMoveAnalyze).parse(i)),
    ("kata-analyze", |i| analysis(StreamFormat::KataGo).map(Command::Analyze).parse(i)),
    ("kata-genmove_analyze", |i| analysis(StreamFormat::KataGo).map(Command::GenMoveAnalyze).parse(i)),
    ("analyze", |i| analysis(StreamFormat::Sabaki).map(Command::Analyze).parse(i)),
    ("genmove_analyze", |i| analysis(StreamFormat::Sabaki).map(Command::GenMoveAnalyze).parse(i)),
    ("gogui-analyze_commands", |i| value(Command::AnalyzeCommands, eof).parse(i)),
];

/// The names of all commands, in the order of `list_commands`.
pub fn command_names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _)| *name)
}

/// What a command takes, for its refusal; `None` of those to which the draft gives an error of their own.
fn arguments_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "time_settings" => "seconds, seconds and a number of moves, none of them below 0",
        "emilia-set" => "the name of an option and its value, or nothing",
        "emilia-setboard" => "a position or a game",
        "emilia-analyze" => "a number of moves, at least 1",
        _ if name.ends_with("analyze") => "[COLOR] [INTERVAL] [KEY VALUE]..., the interval in hundredths of a second",
        _ => return None,
    })
}

/// Reads a line from a client; `None` if it asks for no response: a comment, blanks, nothing.
///
/// Any bytes will do. Control characters vanish, tabs are blanks, `#` begins a comment.
///
/// ```
/// use emilia::protocol::gtp::{Command, parse_line};
/// use emilia::othello::Color;
///
/// let line = parse_line(b"7 genmove W # think hard\r").unwrap();
/// assert_eq!((line.id, line.command), (Some(7), Ok(Command::GenMove(Color::White))));
/// assert_eq!(parse_line(b"# only a comment"), None);
/// ```
pub fn parse_line(bytes: &[u8]) -> Option<CommandLine> {
    let text = visible(bytes);
    let text = text.split('#').next().unwrap_or_default().trim_matches(' ');
    if text.is_empty() {
        return None;
    }
    let (text, id) = opt(terminated(id, alt((space1, eof)))).parse(text).unwrap_or((text, None));
    let (name, arguments) = text.split_once(' ').unwrap_or((text, ""));
    let arguments = arguments.trim_start_matches(' ');
    let command = match COMMANDS.iter().find(|(known, _)| *known == name) {
        None => Err(Failure::UnknownCommand),
        Some((_, reader)) => match all_consuming(*reader).parse(arguments) {
            Ok((_, command)) => Ok(command),
            Err(_) => Err(arguments_of(name).map_or(Failure::Syntax, Failure::Expected)),
        },
    };
    Some(CommandLine { id, command })
}

/// Whether this is GoGui's comment that asks for the move at once, which it sends while `genmove` runs.
pub fn is_interrupt(bytes: &[u8]) -> bool {
    visible(bytes).trim_matches(' ').strip_prefix('#').is_some_and(|comment| comment.trim() == "interrupt")
}

/// Whether this is `stop`, which ends the search that runs before it is answered.
pub fn is_stop(line: &InputLine) -> bool {
    matches!(line, InputLine::Bytes(line) if parse_line(line).is_some_and(|line| line.command == Ok(Command::Stop)))
}

/// The line without control characters, its tabs as blanks.
fn visible(bytes: &[u8]) -> String {
    let shown: Vec<u8> = bytes
        .iter()
        .filter(|byte| !byte.is_ascii_control() || **byte == b'\t')
        .map(|&byte| if byte == b'\t' { b' ' } else { byte })
        .collect();
    String::from_utf8_lossy(&shown).into_owned()
}

fn id(input: &str) -> IResult<&str, u32> {
    map_opt(digit1, |digits: &str| digits.parse().ok().filter(|id| *id <= MAX_ID)).parse(input)
}

/// A run of anything but blanks.
fn word(input: &str) -> IResult<&str, &str> {
    take_till1(|c| c == ' ').parse(input)
}

/// The rest of the line, which is not empty.
fn text(input: &str) -> IResult<&str, String> {
    preceded(peek(word), rest).map(|text: &str| text.to_owned()).parse(input)
}

fn color(input: &str) -> IResult<&str, Color> {
    let name = alt((
        value(Color::Black, alt((tag_no_case("black"), tag_no_case("b")))),
        value(Color::White, alt((tag_no_case("white"), tag_no_case("w")))),
    ));
    terminated(name, end_of_word).parse(input)
}

fn vertex(input: &str) -> IResult<&str, Move> {
    let letter_and_digit = recognize((satisfy(|c| c.is_ascii_alphabetic()), satisfy(|c| c.is_ascii_digit())));
    let square = map_opt(letter_and_digit, |name: &str| name.parse::<Square>().ok());
    terminated(alt((square.map(Move::Place), value(Move::Pass, tag_no_case("pass")))), end_of_word).parse(input)
}

fn end_of_word(input: &str) -> IResult<&str, &str> {
    peek(alt((space1, eof))).parse(input)
}

/// A whole number from 0; one too large for the type stands as its largest value.
fn count(input: &str) -> IResult<&str, u32> {
    let whole = (opt(char('+')), digit1).map(|(_, digits): (_, &str)| digits.parse().unwrap_or(u32::MAX));
    terminated(whole, end_of_word).parse(input)
}

/// A finite number.
fn number(input: &str) -> IResult<&str, f64> {
    map_opt(word, |word| word.parse::<f64>().ok().filter(|number| number.is_finite())).parse(input)
}

fn seconds(input: &str) -> IResult<&str, Duration> {
    verify(number, |seconds| *seconds >= 0.0).map(duration).parse(input)
}

fn duration(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, MAX_SECONDS))
}

fn time_settings(input: &str) -> IResult<&str, Command> {
    (seconds, preceded(space1, seconds), preceded(space1, count))
        .map(|(main, period, moves)| Command::TimeSettings { main, period, moves })
        .parse(input)
}

/// A key of an analysis and what belongs to it.
enum Setting<'a> {
    Restriction(Restriction),
    Pair(&'a str, &'a str),
}

/// The arguments of analyses in other engines' formats: a colour, an interval, restrictions, and pairs of a key and a value, all of which may
/// be left out. Of the pairs `interval` and `maxmoves` count.
fn analysis<'a>(format: StreamFormat) -> impl Parser<&'a str, Output = Analysis, Error = nom::error::Error<&'a str>> {
    let blank_color = terminated(color, space0);
    let first = (opt(blank_color), opt(terminated(interval, space0)));
    let pair = (word, preceded(space1, word)).map(|(key, value)| Setting::Pair(key, value));
    let settings = many0(terminated(alt((restriction.map(Setting::Restriction), pair)), space0));
    map_opt((first, settings), move |((color, interval), settings)| {
        let interval = Some(interval.unwrap_or(DEFAULT_INTERVAL));
        let mut analysis = Analysis { format, color, lines: usize::MAX, interval, restrictions: Vec::new() };
        for setting in settings {
            match setting {
                Setting::Restriction(restriction) => analysis.restrictions.push(restriction),
                Setting::Pair("avoid" | "allow", _) => return None,
                Setting::Pair("interval", value) => analysis.interval = Some(self::interval(value).ok()?.1),
                Setting::Pair("maxmoves", value) => analysis.lines = value.parse().ok().filter(|lines| *lines > 0)?,
                Setting::Pair(..) => {}
            }
        }
        Some(analysis)
    })
}

/// `avoid COLOR VERTEX,VERTEX,... DEPTH`, or `allow`.
fn restriction(input: &str) -> IResult<&str, Restriction> {
    let allows = alt((value(false, tag("avoid")), value(true, tag("allow"))));
    let square_of = |name| Some(all_consuming(vertex).parse(name).ok()?.1.square());
    let squares = map_opt(word, move |names: &str| {
        let squares: Option<Vec<Option<Square>>> = names.split(',').map(square_of).collect();
        Some(squares?.into_iter().flatten().collect::<Bitboard>())
    });
    (allows, preceded(space1, color), preceded(space1, squares), preceded(space1, count))
        .map(|(allows, color, squares, depth)| Restriction { allows, color, squares, depth })
        .parse(input)
}

/// Hundredths of a second between two reports; 0 for the usual time.
fn interval(input: &str) -> IResult<&str, Duration> {
    let duration = |hundredths: f64| {
        let time = Duration::try_from_secs_f64((hundredths / 100.0).min(MAX_SECONDS)).ok()?;
        Some(if time.is_zero() { DEFAULT_INTERVAL } else { time.max(SHORTEST_INTERVAL) })
    };
    map_opt(number, duration).parse(input)
}

fn time_left(input: &str) -> IResult<&str, Command> {
    (color, preceded(space1, number.map(duration)), preceded(space1, count))
        .map(|(color, time, moves)| Command::TimeLeft { color, time, moves })
        .parse(input)
}

/// A file, whose name may contain blanks, and perhaps a number.
fn load_sgf(input: &str) -> IResult<&str, Command> {
    let (input, text) = text(input)?;
    let (path, before) = match text.rsplit_once(' ').map(|(path, number)| (path, number.parse())) {
        Some((path, Ok(number))) => (path.trim_end_matches(' ').to_owned(), Some(number)),
        _ => (text, None),
    };
    Ok((input, Command::LoadSgf { path, before }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Result<Command, Failure> {
        parse_line(text.as_bytes()).unwrap_or_else(|| panic!("'{text}' asks for a response")).command
    }

    #[test]
    fn names_keep_their_case_and_arguments_need_not() {
        assert_eq!(command("Name"), Err(Failure::UnknownCommand));
        let f5 = Move::Place("f5".parse().unwrap());
        for text in ["play b f5", "play BLACK F5", "play  Black   f5  ", "play\tB\tF5"] {
            assert_eq!(command(text), Ok(Command::Play(Color::Black, f5)), "{text}");
        }
        assert_eq!(command("play w PASS"), Ok(Command::Play(Color::White, Move::Pass)));
        assert_eq!(command("genmove White"), Ok(Command::GenMove(Color::White)));
    }

    #[test]
    fn wrong_arguments_are_syntax_errors() {
        for text in [
            "play",
            "play b",
            "play f5 b",
            "play b f5 f6",
            "play b f9",
            "play b i5",
            "play b f55",
            "play blackf5",
            "play red f5",
            "play b résign",
            "genmove",
            "genmove bw",
            "genmove b b",
            "quit now",
            "komi",
            "komi six",
            "komi nan",
            "boardsize",
            "boardsize eight",
            "boardsize -8",
            "boardsize 8 8",
            "time_left b 10",
            "time_left 10 0",
            "time_left b inf 0",
            "set_game",
            "loadsgf",
        ] {
            assert_eq!(command(text), Err(Failure::Syntax), "{text}");
        }
        // Where the draft has no text, the refusal says what the command takes.
        let says = |text: &str, words: &str| {
            assert!(matches!(command(text), Err(Failure::Expected(said)) if said.contains(words)), "{text}");
        };
        for arguments in ["", "1 2", "1 2 3 4", "a b c", "-1 0 0", "0 -1 0", "0 0 -1", "nan 0 0", "0 inf 0", "1 1 1.5"]
        {
            says(&format!("time_settings {arguments}"), "none of them below 0");
        }
        says("emilia-set depth", "its value");
        says("emilia-setboard", "a position");
        says("emilia-analyze 0", "a number of moves");
        says("emilia-analyze many", "a number of moves");
    }

    #[test]
    fn numbers_are_taken_as_clients_write_them() {
        assert_eq!(command("boardsize 99999999999999999999"), Ok(Command::BoardSize(u32::MAX)));
        assert_eq!(command("komi -6.5"), Ok(Command::Komi));
        let settings = |main, period, moves| {
            let seconds = Duration::from_secs_f64;
            Ok(Command::TimeSettings { main: seconds(main), period: seconds(period), moves })
        };
        assert_eq!(command("time_settings 600 0 0"), settings(600.0, 0.0, 0));
        assert_eq!(command("time_settings 0.5 1e1 +3"), settings(0.5, 10.0, 3));
        assert_eq!(command("time_settings 1e300 0 99999999999"), settings(1e9, 0.0, u32::MAX));
        let left = Command::TimeLeft { color: Color::White, time: Duration::ZERO, moves: 0 };
        assert_eq!(command("time_left w -3 0"), Ok(left), "a flag that has fallen");
    }

    #[test]
    fn free_text_is_kept() {
        let load = |path: &str, before| Ok(Command::LoadSgf { path: path.to_owned(), before });
        assert_eq!(command("loadsgf game.sgf"), load("game.sgf", None));
        assert_eq!(command("loadsgf my game.sgf 12"), load("my game.sgf", Some(12)));
        assert_eq!(command("loadsgf 12"), load("12", None));
        assert_eq!(command("known_command"), Ok(Command::KnownCommand(String::new())));
        assert_eq!(command("emilia-get"), Ok(Command::Get(None)));
        let set = Command::Set { option: "hash".to_owned(), value: "a b".to_owned() };
        assert_eq!(command("emilia-set hash  a b"), Ok(set));
    }

    #[test]
    fn analyses_are_asked_for_in_many_ways() {
        let own = |lines| {
            let (format, restrictions) = (StreamFormat::Emilia, Vec::new());
            Ok(Command::Analyze(Analysis { format, color: None, lines, interval: None, restrictions }))
        };
        assert_eq!(command("emilia-analyze"), own(1));
        assert_eq!(command("emilia-analyze 4"), own(4));
        let time = |milliseconds| Some(Duration::from_millis(milliseconds));
        let kata = |color, lines, milliseconds| {
            let (format, interval) = (StreamFormat::KataGo, time(milliseconds));
            Ok(Command::Analyze(Analysis { format, color, lines, interval, restrictions: Vec::new() }))
        };
        let (black, all) = (Some(Color::Black), usize::MAX);
        for (arguments, expected) in [
            ("", kata(None, all, 500)),
            ("100", kata(None, all, 1000)),
            ("0", kata(None, all, 500)),
            ("12.5", kata(None, all, 125)),
            ("0.001", kata(None, all, 10)),
            ("b", kata(black, all, 500)),
            ("B 20", kata(black, all, 200)),
            ("black interval 30.0 maxmoves 3", kata(black, 3, 300)),
            ("10 rootInfo true ownership true minmoves 4", kata(None, all, 100)),
        ] {
            assert_eq!(command(&format!("kata-analyze {arguments}")), expected, "{arguments}");
        }
        for arguments in [
            "red",
            "b soon",
            "b -1",
            "b 10 20",
            "b interval",
            "interval soon",
            "interval inf",
            "maxmoves 0",
            "avoid b D3",
            "avoid b D9 1",
        ] {
            let refused = command(&format!("lz-analyze {arguments}"));
            assert!(matches!(refused, Err(Failure::Expected(said)) if said.contains("[INTERVAL]")), "{arguments}");
        }
        let restricted = Ok(Command::Analyze(Analysis {
            format: StreamFormat::KataGo,
            color: black,
            lines: all,
            interval: time(70),
            restrictions: [(false, Color::Black, "d3 c4", 1), (true, Color::White, "", 2)]
                .map(|(allows, color, names, depth)| {
                    let squares = names.split_whitespace().map(|name| name.parse::<Square>().unwrap()).collect();
                    Restriction { allows, color, squares, depth }
                })
                .to_vec(),
        }));
        assert_eq!(command("kata-analyze b 10 avoid b D3,C4 1 allow w pass 2 interval 7"), restricted);
        let (format, interval) = (StreamFormat::LeelaZero, time(250));
        let analysis = Analysis { format, color: black, lines: all, interval, restrictions: Vec::new() };
        assert_eq!(command("lz-genmove_analyze b 25"), Ok(Command::GenMoveAnalyze(analysis)));
    }

    #[test]
    fn the_interrupt_is_one_comment_only() {
        assert!(is_interrupt(b"# interrupt\r") && is_interrupt(b"#interrupt"));
        assert!(!is_interrupt(b"interrupt") && !is_interrupt(b"# interrupted") && !is_interrupt(b"name # interrupt"));
    }

    #[test]
    fn no_name_is_listed_twice_or_has_a_blank() {
        let mut names: Vec<&str> = command_names().collect();
        assert!(names.iter().all(|name| !name.contains(' ')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COMMANDS.len());
    }
}
