//! One line of a client: a query or an action. `docs/analysis.md` describes the fields.

use super::AnalysisSettings;
use super::fields::{FieldError, Fields, SHOWN, Texts, problem_of_json, whole_number};
use crate::engine::{EngineOptions, LEAST_SECONDS, MOST_SECONDS};
use crate::eval::fingerprint;
use crate::notation::transcript::{parse_turn, parse_turns};
use crate::notation::{read_position, shortened};
use crate::othello::{Bitboard, Empties, GameRecord, Move, Position};
use crate::search::Depth;
use serde_json::Value;
use std::time::Duration;

/// The largest priority; the smallest is its negative.
const LARGEST_PRIORITY: i64 = 1_000_000_000;

/// Positions that a client wants to know something about.
#[derive(Clone, Debug)]
pub struct Query {
    /// What the client calls it: a text or a number.
    pub id: Value,
    /// The game; that of a bare board has no turns.
    pub game: GameRecord,
    /// Which of its positions: 0 is the start, n the one after n turns, passes counted.
    pub turns: Vec<usize>,
    /// How they are to be thought about.
    pub settings: AnalysisSettings,
    /// Whether the client also wants what the opening book knows.
    pub from_book: bool,
    /// How often the client wants to hear how it goes.
    pub report_every: Option<Duration>,
    /// Larger ones go first.
    pub priority: i64,
    /// What is odd about the query without making it wrong.
    pub warnings: Vec<String>,
}

/// Something to be done at once.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Queries with this id are to end, or only these of their turns.
    Terminate {
        /// The id.
        id: Value,
        /// Which turns; `None` for all.
        turns: Option<Vec<usize>>,
    },
    /// Every query is to end.
    TerminateAll,
    /// Who are you?
    QueryVersion,
    /// What was learned is to be forgotten.
    ClearCache,
    /// How does it go?
    Stats,
}

impl Action {
    const NAMES: &str = "terminate, terminate_all, query_version, clear_cache or stats";

    /// The name in the protocol.
    pub const fn name(&self) -> &'static str {
        match self {
            Action::Terminate { .. } => "terminate",
            Action::TerminateAll => "terminate_all",
            Action::QueryVersion => "query_version",
            Action::ClearCache => "clear_cache",
            Action::Stats => "stats",
        }
    }
}

/// What a line says.
#[derive(Clone, Debug)]
pub enum ClientLine {
    /// A query.
    Query(Box<Query>),
    /// An action.
    Action {
        /// What its answer is to be called, if anything; for [`Action::Terminate`] the id of the query.
        id: Option<Value>,
        /// What is to be done.
        action: Action,
        /// What is odd about it.
        warnings: Vec<String>,
    },
}

/// A line that makes no sense.
#[derive(Clone, PartialEq, Debug)]
pub struct QueryError {
    /// The id, if the line has one.
    pub id: Option<Value>,
    /// The field that is wrong, if it is about one.
    pub field: Option<&'static str>,
    /// Which element of the field's list, from 0.
    pub index: Option<usize>,
    /// What is wrong, and what was expected.
    pub problem: String,
}

impl QueryError {
    fn whole_line(problem: String) -> QueryError {
        QueryError { id: None, field: None, index: None, problem }
    }

    fn of_field(id: Option<&Value>, error: FieldError) -> QueryError {
        let FieldError { field, index, problem } = error;
        QueryError { id: id.cloned(), field: Some(field), index, problem }
    }
}

/// Reads a line. What a query leaves open is as in `defaults`; the threads of one query are at most `most_threads`.
pub fn parse(line: &[u8], defaults: &AnalysisSettings, most_threads: u32) -> Result<ClientLine, QueryError> {
    let mut object = match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return Err(QueryError::whole_line("expected a JSON object such as {\"id\": 1, ...}".to_owned())),
        Err(error) => {
            let problem = problem_of_json(&error);
            return Err(QueryError::whole_line(format!("not JSON: {problem} at column {}", error.column())));
        }
    };
    object.retain(|_, value: &mut Value| !value.is_null());
    let mut fields = Fields::new(object);
    let id = match fields.take("id") {
        Some(id @ (Value::String(_) | Value::Number(_))) => Some(id),
        Some(_) => return Err(QueryError::of_field(None, FieldError::new("id", "expected a text or a number"))),
        None => None,
    };
    let failed = |error| QueryError::of_field(id.as_ref(), error);
    if let Some(name) = fields.text("action").map_err(failed)? {
        let action = action(&name, id.as_ref(), &mut fields).map_err(failed)?;
        return Ok(ClientLine::Action { action, warnings: unknown(fields).collect(), id });
    }
    let Some(id) = &id else {
        return Err(QueryError::of_field(None, FieldError::new("id", "missing; expected a text or a number")));
    };
    let query = query(id, fields, defaults, most_threads).map_err(failed)?;
    Ok(ClientLine::Query(Box::new(query)))
}

fn action(name: &str, id: Option<&Value>, fields: &mut Fields) -> Result<Action, FieldError> {
    match name {
        "terminate" => {
            let id = id.ok_or_else(|| FieldError::new("id", "missing; expected the id of the query to end"))?;
            let turns = fields.indices("turns", GameRecord::LONGEST + 1)?;
            Ok(Action::Terminate { id: id.clone(), turns })
        }
        "terminate_all" => Ok(Action::TerminateAll),
        "query_version" => Ok(Action::QueryVersion),
        "clear_cache" => Ok(Action::ClearCache),
        "stats" => Ok(Action::Stats),
        _ => Err(FieldError::new("action", format_args!("expected {}", Action::NAMES))),
    }
}

fn query(id: &Value, mut fields: Fields, defaults: &AnalysisSettings, most_threads: u32) -> Result<Query, FieldError> {
    let game = game(&mut fields)?;
    let last = game.turns().len();
    let turns = fields.indices("turns", last + 1)?.unwrap_or_else(|| vec![last]);
    if turns.is_empty() {
        return Err(FieldError::new("turns", "expected at least one turn"));
    }
    let mut warnings = Vec::new();
    let mut settings = settings(&mut fields, defaults, most_threads, &mut warnings)?;
    if let Some(names) = fields.texts("except")? {
        settings.except = except(names, &game, &turns, &settings.options)?;
    }
    let from_book = fields.flag("book")?;
    if from_book && settings.options.book.is_none() {
        warnings.push("book: there is none".to_owned());
    }
    let report_every = fields.number("report_every", LEAST_SECONDS..=MOST_SECONDS)?.map(Duration::from_secs_f64);
    let priority = fields.whole("priority", -LARGEST_PRIORITY..=LARGEST_PRIORITY)?.unwrap_or(0);
    warnings.extend(unknown(fields));
    Ok(Query { id: id.clone(), game, turns, settings, from_book, report_every, priority, warnings })
}

/// The names of the fields that mean nothing.
fn unknown(fields: Fields) -> impl Iterator<Item = String> {
    fields.rest().map(|name| format!("unknown field '{}'", shortened(&name, SHOWN)))
}

/// The game that a query is about.
fn game(fields: &mut Fields) -> Result<GameRecord, FieldError> {
    let (board, game) = (fields.text("board")?, fields.text("game")?);
    let moves = fields.texts("moves")?;
    let start = match (board, game) {
        (Some(_), Some(_)) => return Err(FieldError::new("game", "a query has either a board or a game")),
        (Some(board), None) => read("board", &board)?,
        (None, Some(game)) => read("game", &game)?,
        (None, None) if moves.is_none() => {
            return Err(FieldError::new("board", "missing; expected a board, a game or moves"));
        }
        (None, None) => GameRecord::default(),
    };
    let turns = match moves {
        None => Vec::new(),
        Some(Texts::One(text)) => parse_turns(&text).map_err(|error| FieldError::new("moves", error))?,
        Some(Texts::Many(names)) => names.iter().enumerate().map(named_turn("moves")).collect::<Result<_, _>>()?,
    };
    take(start, &turns)
}

fn read(field: &'static str, text: &str) -> Result<GameRecord, FieldError> {
    read_position(text).map_err(|error| FieldError::new(field, error))
}

fn named_turn(field: &'static str) -> impl Fn((usize, &String)) -> Result<Move, FieldError> {
    move |(index, name)| {
        parse_turn(name).ok_or_else(|| {
            let found = shortened(name, SHOWN);
            FieldError::at(field, index, format_args!("expected a move such as f5 or a pass (pa, --), found '{found}'"))
        })
    }
}

/// Takes turns; a forced pass may be left out.
fn take(mut game: GameRecord, turns: &[Move]) -> Result<GameRecord, FieldError> {
    for (index, &turn) in turns.iter().enumerate() {
        game.take_with_implied_pass(turn).map_err(|illegal| FieldError::at("moves", index, illegal))?;
    }
    Ok(game)
}

/// How the query is to be thought about. One that has a depth, nodes, a time or `"exact": true` says everything of them.
fn settings(
    fields: &mut Fields,
    defaults: &AnalysisSettings,
    most_threads: u32,
    warnings: &mut Vec<String>,
) -> Result<AnalysisSettings, FieldError> {
    let mut settings = defaults.clone();
    for name in ["engine", "eval"] {
        if let Some(value) = fields.text(name)? {
            set(&mut settings.options, name, &value)?;
        }
    }
    if !settings.options.evaluates_like(&defaults.options) {
        settings.weights = fingerprint(&*settings.options.evaluator());
    }
    if let Some(percent) = fields.whole("selectivity", 1..=100)? {
        set(&mut settings.options, "selectivity", &percent.to_string())?;
        warnings.extend(settings.options.warning("selectivity"));
    }
    if let Some(threads) = fields.whole("threads", 1..=i64::from(most_threads))? {
        settings.options.threads = threads as u32;
        warnings.extend(settings.options.warning("threads"));
    }
    let depths = i64::from(Depth::LEAST.plies())..=i64::from(Depth::MOST.plies());
    let depth = fields.whole("depth", depths)?.and_then(|plies| Depth::try_from(plies).ok());
    let nodes = fields.whole("nodes", 1..=i64::MAX)?.map(|nodes| nodes as u64);
    let time = fields.number("time", LEAST_SECONDS..=MOST_SECONDS)?.map(Duration::from_secs_f64);
    let (exact, is_to_the_end) = exact(fields)?;
    if depth.is_some() || nodes.is_some() || time.is_some() || is_to_the_end {
        (settings.depth, settings.nodes, settings.time, settings.exact_from) = (depth, nodes, time, Empties::NONE);
    }
    if let Some(exact) = exact {
        settings.exact_from = exact;
    }
    settings.outcome_only = fields.flag("wld")?;
    let lines = match fields.take("multipv") {
        Some(Value::String(text)) if text == "all" => Some(usize::MAX),
        Some(value) => {
            let expected = || FieldError::expected("multipv", "a whole number of at least 1, or \"all\"", &value);
            let whole = whole_number(&value, &(1..=i64::MAX)).ok_or_else(expected)?;
            Some(usize::try_from(whole).unwrap_or(usize::MAX))
        }
        None => None,
    };
    if settings.outcome_only && lines.is_some_and(|lines| lines > 1) {
        return Err(FieldError::new("multipv", "who wins (wld) is only found out by the best move; expected 1"));
    }
    settings.lines = lines.unwrap_or(settings.lines);
    Ok(settings)
}

/// The moves that are not to be looked at.
fn except(names: Texts, game: &GameRecord, turns: &[usize], options: &EngineOptions) -> Result<Bitboard, FieldError> {
    let [turn] = turns else { return Err(FieldError::new("except", "expected one turn with it")) };
    if !options.engine.leaves_moves_out {
        return Err(FieldError::new("except", format_args!("{} looks at all moves", options.engine)));
    }
    let names = match names {
        Texts::One(text) => parse_turns(&text).map_err(|error| FieldError::new("except", error))?,
        Texts::Many(names) => names.iter().enumerate().map(named_turn("except")).collect::<Result<_, _>>()?,
    };
    let moves = game.positions()[*turn].moves();
    let mut except = Bitboard::EMPTY;
    for (index, name) in names.into_iter().enumerate() {
        let legal = name.square().filter(|square| moves.contains(*square));
        let square = legal.ok_or_else(|| FieldError::at("except", index, format_args!("{name} is not legal")))?;
        except |= square.bit();
    }
    match except == moves && !moves.is_empty() {
        true => Err(FieldError::new("except", "no move is left")),
        false => Ok(except),
    }
}

/// From how many empty squares on a position is solved, and whether the query says `true`.
fn exact(fields: &mut Fields) -> Result<(Option<Empties>, bool), FieldError> {
    match fields.take("exact") {
        None => Ok((None, false)),
        Some(Value::Bool(exact)) => Ok((Some(if exact { Empties::MOST } else { Empties::NONE }), exact)),
        Some(value) => {
            let empties = whole_number(&value, &(0..=60)).and_then(|count| Empties::try_from(count).ok());
            let expected = "true, false or a number of empty squares from 0 to 60";
            let wrong = || FieldError::expected("exact", expected, &value);
            Ok((Some(empties.ok_or_else(wrong)?), false))
        }
    }
}

fn set(options: &mut EngineOptions, name: &'static str, value: &str) -> Result<(), FieldError> {
    // No value that is taken is so long.
    options.set(name, &shortened(value, SHOWN)).map_err(|error| {
        let problem = error.to_string();
        FieldError::new(name, problem.strip_prefix(&format!("{name}: ")).unwrap_or(&problem))
    })
}

impl Query {
    /// The position of one of its turns.
    pub fn position(&self, turn: usize) -> &Position {
        &self.game.positions()[turn]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::BEST_FIRST;

    fn parsed(line: &str) -> Result<ClientLine, QueryError> {
        parse(line.as_bytes(), &AnalysisSettings::new(EngineOptions { threads: 1, ..EngineOptions::default() }), 4)
    }

    fn query(line: &str) -> Query {
        match parsed(line) {
            Ok(ClientLine::Query(query)) => *query,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn refused(line: &str) -> (Option<&'static str>, Option<usize>, String) {
        let error = parsed(line).unwrap_err();
        (error.field, error.index, error.problem)
    }

    #[test]
    fn positions_come_as_boards_games_and_moves() {
        let start = Position::START.to_string();
        for (line, turns, empties) in [
            (format!(r#"{{"id":1,"board":"{start}"}}"#), 0, 60),
            (format!(r#"{{"id":1,"board":"{start}","moves":["f5","D6"]}}"#), 2, 58),
            (r#"{"id":1,"moves":"f5d6 C3"}"#.to_owned(), 3, 57),
            (r#"{"id":1,"moves":""}"#.to_owned(), 0, 60),
            (r#"{"id":1,"moves":[]}"#.to_owned(), 0, 60),
            (r#"{"id":1,"game":"(;GM[Othello]B[F5//1]W[D6];)"}"#.to_owned(), 2, 58),
            (r#"{"id":1,"game":"f5","moves":["f6"]}"#.to_owned(), 2, 58),
        ] {
            let query = query(&line);
            assert_eq!(query.turns, [turns], "{line}");
            assert_eq!(query.position(turns).empties().count(), empties, "{line}");
            assert!(query.warnings.is_empty());
        }
    }

    #[test]
    fn a_limit_replaces_those_of_the_command_line() {
        let of = |fields: &str| query(&format!(r#"{{"id":"a","moves":[],{fields}}}"#)).settings;
        let default = of(r#""multipv":3"#);
        assert_eq!((default.depth, default.nodes, default.lines), (Some(super::super::DEFAULT_DEPTH), None, 3));
        let nodes = of(r#""nodes":1000"#);
        assert_eq!((nodes.depth, nodes.nodes), (None, Some(1000)));
        let exact = of(r#""exact":true"#);
        assert_eq!((exact.depth, exact.exact_from), (None, Empties::MOST));
        let to_the_end = of(r#""exact":60"#);
        assert_eq!((to_the_end.depth, to_the_end.exact_from), (default.depth, Empties::MOST));
        let solving = AnalysisSettings { exact_from: Empties::MOST, ..AnalysisSettings::new(EngineOptions::default()) };
        let Ok(ClientLine::Query(limited)) = parse(br#"{"id":1,"moves":[],"depth":1}"#, &solving, 4) else { panic!() };
        assert_eq!((limited.settings.depth, limited.settings.exact_from), (Depth::new(1), Empties::NONE));
        let floats = of(r#""exact":20.0,"multipv":3.0,"depth":8.0,"turns":[0.0]"#);
        assert_eq!((floats.exact_from, floats.lines, floats.depth), (Empties::new(20).unwrap(), 3, Depth::new(8)));
        let near_the_end = of(r#""exact":20,"multipv":"all""#);
        assert_eq!((near_the_end.depth, near_the_end.exact_from), (default.depth, Empties::new(20).unwrap()));
        assert_eq!(near_the_end.lines, usize::MAX);
        let other = of(r#""engine":"best-first","eval":"mobility","threads":2,"time":0.5"#);
        assert_eq!((other.options.engine, other.options.threads), (&BEST_FIRST, 2));
        assert_eq!((other.depth, other.time), (None, Some(Duration::from_millis(500))));
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (line, field, index, part) in [
            ("", None, None, "not JSON: EOF"),
            ("{\"id\":1,\"depth\":NaN}", None, None, "not JSON: expected value at column 17"),
            ("[1]", None, None, "expected a JSON object"),
            (r#"{"moves":[]}"#, Some("id"), None, "missing"),
            (r#"{"id":[],"moves":[]}"#, Some("id"), None, "expected a text or a number"),
            (r#"{"id":1}"#, Some("board"), None, "missing"),
            (r#"{"id":1,"board":"x","game":"y"}"#, Some("game"), None, "either"),
            (r#"{"id":1,"board":"x"}"#, Some("board"), None, "line 1, column"),
            (r#"{"id":1,"moves":["f5","f5"]}"#, Some("moves"), Some(1), "f5 is occupied"),
            (r#"{"id":1,"moves":["f5","f9"]}"#, Some("moves"), Some(1), "(pa, --), found 'f9'"),
            (r#"{"id":1,"moves":"f5 a1"}"#, Some("moves"), Some(1), "a1 turns no disc"),
            (r#"{"id":1,"moves":"f5 z9"}"#, Some("moves"), None, "column 4"),
            (r#"{"id":1,"moves":[],"turns":[1]}"#, Some("turns"), Some(0), "from 0 to 0, found 1"),
            (r#"{"id":1,"moves":[],"turns":[]}"#, Some("turns"), None, "at least one"),
            (r#"{"id":1,"moves":[],"depth":"NaN"}"#, Some("depth"), None, "from 1 to 60, found \"NaN\""),
            (r#"{"id":1,"moves":[],"depth":1e9}"#, Some("depth"), None, "from 1 to 60"),
            (r#"{"id":1,"moves":[],"time":0}"#, Some("time"), None, "from 0.001"),
            (r#"{"id":1,"moves":[],"threads":5}"#, Some("threads"), None, "from 1 to 4"),
            (r#"{"id":1,"moves":[],"engine":"x"}"#, Some("engine"), None, "one of: emilia"),
            (r#"{"id":1,"moves":[],"selectivity":74}"#, Some("selectivity"), None, "one of: 73"),
            (r#"{"id":1,"moves":[],"multipv":0}"#, Some("multipv"), None, "at least 1"),
            (r#"{"id":1,"moves":[],"wld":true,"multipv":2}"#, Some("multipv"), None, "expected 1"),
            (r#"{"id":1,"moves":[],"exact":61}"#, Some("exact"), None, "from 0 to 60"),
            (r#"{"id":1,"moves":[],"book":1}"#, Some("book"), None, "true or false"),
            (r#"{"id":1,"moves":[],"except":["f5","a1"]}"#, Some("except"), Some(1), "a1 is not legal"),
            (r#"{"id":1,"moves":[],"except":"f5 d3 c4 e6"}"#, Some("except"), None, "no move is left"),
            (r#"{"id":1,"moves":"f5","except":"d6","turns":"all"}"#, Some("except"), None, "one turn"),
            (r#"{"id":1,"moves":[],"except":"f5","engine":"rbfms"}"#, Some("except"), None, "all moves"),
            (r#"{"id":1,"action":"dance"}"#, Some("action"), None, "terminate, terminate_all"),
            (r#"{"action":"terminate"}"#, Some("id"), None, "the query to end"),
        ] {
            let found = refused(line);
            assert_eq!((found.0, found.1), (field, index), "{line}: {}", found.2);
            assert!(found.2.contains(part), "{line}: {}", found.2);
        }
        assert!(refused(&"[".repeat(10_000)).2.contains("recursion"));
        assert_eq!(parsed(r#"{"id":7,"depth":0,"moves":[]}"#).unwrap_err().id, Some(7.into()));
    }

    #[test]
    fn a_message_names_the_field_once_and_repeats_no_long_text() {
        let long = "x".repeat(5000);
        for fields in [format!(r#""moves":["{long}"]"#), format!(r#""moves":[],"engine":"{long}""#)] {
            let problem = refused(&format!(r#"{{"id":1,{fields}}}"#)).2;
            assert!(problem.contains("xxx...'") && problem.len() < 1000, "{problem}");
        }
        let odd = query(&format!(r#"{{"id":1,"moves":[],"{long}":1}}"#));
        assert_eq!(odd.warnings, [format!("unknown field '{}...'", &long[..SHOWN])]);
        let problem = refused(r#"{"id":1,"moves":[],"engine":"x"}"#).2;
        assert!(problem.starts_with("'x' is not valid; expected one of: "), "{problem}");
    }

    #[test]
    fn unknown_fields_are_named_and_nothing_else_happens() {
        let query = query(r#"{"id":"a","moves":[],"komi":6.5,"depth":3}"#);
        assert_eq!((query.warnings, query.settings.depth), (vec!["unknown field 'komi'".to_owned()], Depth::new(3)));
        let query = self::query(r#"{"id":1,"moves":[],"engine":"minimax","selectivity":95,"depth":3}"#);
        assert_eq!(query.warnings, ["selectivity is not read by minimax"]);
        let Ok(ClientLine::Action { id, action, warnings }) = parsed(r#"{"action":"stats","x":1}"#) else { panic!() };
        assert_eq!((id, action, warnings.len()), (None, Action::Stats, 1));
    }

    #[test]
    fn a_field_that_is_null_counts_as_not_there() {
        assert!(query(r#"{"id":1,"moves":[],"turns":null,"komi":null}"#).warnings.is_empty());
        let line = r#"{"action":"stats","id":null,"turns":null,"x":null}"#;
        let Ok(ClientLine::Action { id, warnings, .. }) = parsed(line) else { panic!() };
        assert!(id.is_none() && warnings.is_empty());
    }
}
