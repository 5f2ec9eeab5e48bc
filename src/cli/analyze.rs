//! `emilia analyze`: queries or games in, values out.

use super::analyze_games::{self, GameJob, Style};
use super::analyze_output::Results;
use super::analyze_pages::Pages;
use super::analyze_position::{self, PositionArguments};
use super::analyze_queries;
use super::game_choice::GameChoice;
use super::game_input::{announce_reading, expect_no_games, is_standard_input, job_of_input, open_text};
use super::log_output;
use super::options::EngineArguments;
use super::output::{is_for_terminal, warn};
use super::picture::ending;
use super::show::palette;
use crate::analysis::journal::Done;
use crate::analysis::shard_file::{Job, engine_settings};
use crate::analysis::wanted_games::GameInput;
use crate::analysis::{AnalysisSettings, QUERIES, ServiceSettings};
use crate::engine::{EngineOption, EngineOptions};
use crate::input_line::{BYTE_ORDER_MARK, InputLine};
use crate::notation::game_file::{Format, unpacked_utf8};
use crate::othello::Empties;
use crate::shard::Shard;
use clap::builder::RangedI64ValueParser;
use clap::{ArgGroup, Args};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

/// Answer queries about positions, and judge the moves of games.
///
/// Without a file, JSON lines are read from the standard input, each a query, and answered on the standard output as they
/// are found: {"id": 1, "moves": "f5d6", "depth": 12}. A file, or - for the standard input, may also hold games: GGF, SGF,
/// PGN, lists of moves, OBF, WTHOR, Logistello's logbook, compressed by gzip or zstd or not. Its content decides what it is.
/// docs/analysis.md describes queries and answers. --position and --moves ask about one position without either.
///
/// --threads counts all threads; each of them thinks about a position of its own, with a table of its own (--hash), unless
/// --search-threads or a query says otherwise. What has no other limit is searched to depth 12.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("question").multiple(true)
    .conflicts_with_all(["file", "player", "game", "reaches", "csv", "obf", "ggf", "out", "resume", "shard", "queue"]))]
pub(super) struct AnalyzeArguments {
    /// A file of queries or games, or - for the standard input
    file: Option<PathBuf>,
    #[command(flatten)]
    choice: GameChoice,
    #[command(flatten)]
    question: PositionArguments,
    /// Write JSON, a line for each game or position: what is done where the output is no terminal
    #[arg(long, group = "style", help_heading = "Output")]
    json: bool,
    /// Write a row of comma-separated values for each turn
    #[arg(long, group = "style", help_heading = "Output")]
    csv: bool,
    /// Write positions with the values of their moves as OBF
    #[arg(long, group = "style", help_heading = "Output")]
    obf: bool,
    /// Write games as GGF, with the values beside the moves
    #[arg(long, group = "style", help_heading = "Output")]
    ggf: bool,
    /// Write a table for each game or position: what is done on a terminal
    #[arg(long, group = "style", help_heading = "Output")]
    table: bool,
    /// Sum games up: a few lines, or with --json one, for each player
    #[arg(long, value_name = "WHOM", value_parser = ["player"], help_heading = "Output",
          conflicts_with_all = ["csv", "obf", "ggf", "resume", "shard", "question"])]
    by: Option<String>,
    /// Write a page for each game into this folder, and index.html: the players, their worst moves with links into the
    /// pages, and the games
    #[arg(long, value_name = "FOLDER", help_heading = "Output", conflicts_with_all = ["resume", "shard", "question"])]
    pages: Option<PathBuf>,
    /// Write to this file, which is there only when it is complete; where no option says how, its ending does: .json or .jsonl, .csv,
    /// .obf, .ggf, .txt for a table
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Go on with that file where an earlier run was interrupted
    #[arg(long, requires = "out", help_heading = "Output")]
    resume: bool,
    /// Do only the queries or games whose number, from 0, leaves the rest I when divided by N; `emilia merge` puts the
    /// parts together
    #[arg(long, value_name = "I/N", conflicts_with_all = ["player", "game", "reaches"], help_heading = "Output")]
    shard: Option<Shard>,
    /// Think about each position or game with an empty memory and write no times: the same answers every time, whatever
    /// else is asked, and in the order of the input
    #[arg(long, help_heading = "Output")]
    reproducible: bool,
    /// Threads that think about one position together [default: 1; all for --position and --moves]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    search_threads: Option<u32>,
    /// Solve positions with at most this number of empty squares, whatever the depth
    #[arg(long, value_name = "EMPTIES", default_value_t = Empties::NONE, value_parser = RangedI64ValueParser::<Empties>::new().range(0..=60))]
    exact: Empties,
    /// How many positions may wait before the next query is read
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    queue: u32,
    #[command(flatten)]
    thinking: EngineArguments,
}

impl AnalyzeArguments {
    /// What positions are thought about with, and the threads in all.
    fn defaults(&self) -> Result<(AnalysisSettings, u32), String> {
        let engine = self.thinking.engine_of_questions(&["threads"]).map_err(|error| error.to_string())?;
        let options = engine.options().clone();
        let threads = options.threads;
        let each = self.search_threads.unwrap_or(1);
        if each > threads {
            super::refuse(format_args!("--search-threads {each}: there are only {threads} (--threads)"));
        }
        let options = EngineOptions { threads: each, ..options };
        Ok((AnalysisSettings { exact_from: self.exact, ..AnalysisSettings::new(options) }, threads))
    }

    /// With how many of all threads a position that is the only one is searched.
    fn threads_of_question(&self, threads: u32) -> u32 {
        // Several threads do not find the same every time.
        self.search_threads.unwrap_or(if self.reproducible { 1 } else { threads })
    }

    /// Whether another form than JSON is asked for.
    fn style_is_said(&self) -> bool {
        self.csv || self.obf || self.ggf || self.table
    }

    /// How judged games are written.
    fn style(&self) -> Style {
        let flags = [
            (self.json, Style::Json),
            (self.csv, Style::Csv),
            (self.obf, Style::Obf),
            (self.ggf, Style::Ggf),
            (self.table, Style::Table),
        ];
        let given = flags.into_iter().find_map(|(is_given, style)| is_given.then_some(style));
        given.or_else(|| self.out.as_deref().and_then(style_of)).unwrap_or_else(|| {
            // Programs go on with parts and files.
            let is_for_program = self.shard.is_some() || self.out.is_some() || !io::stdout().is_terminal();
            if is_for_program { Style::Json } else { Style::Table }
        })
    }

    /// Everything that answers depend on.
    fn job(&self, command: &str, defaults: &AnalysisSettings) -> Result<Job, String> {
        let AnalysisSettings { depth, nodes, time, weights, .. } = *defaults;
        let mut settings = engine_settings(&EngineOptions { depth, nodes, time, ..defaults.options.clone() }, weights);
        settings.insert("exact".to_owned(), self.exact.count().into());
        settings.insert("reproducible".to_owned(), self.reproducible.into());
        // Answers say what it knows of a position, where a query asks for that.
        if command == QUERIES {
            let book = EngineOption::find("book").map_err(|error| error.to_string())?;
            settings.insert(book.name.to_owned(), book.show(&defaults.options).into());
        }
        self.choice.describe(&mut settings);
        let is_kept = self.out.is_some() || self.shard.is_some();
        job_of_input(command, settings, self.file.as_deref().filter(|_| is_kept))
    }
}

/// Answers queries or judges games.
pub(super) fn run(arguments: &AnalyzeArguments) -> Result<(), String> {
    log_output::to_stderr();
    let (defaults, threads) = arguments.defaults()?;
    let options = EngineOptions { threads: arguments.threads_of_question(threads), ..defaults.options.clone() };
    let alone = AnalysisSettings { options, ..defaults.clone() };
    // `--book none` does not ask for what a book knows.
    let from_book = arguments.thinking.gives("book") && alone.options.book.is_some();
    if let Some(query) = arguments.question.query(&alone, from_book)? {
        return analyze_position::run(&query, arguments.style() == Style::Json, !arguments.reproducible);
    }
    match arguments.file.as_deref() {
        None => announce_reading("queries, a line of JSON each such as {\"id\": 1, \"moves\": \"f5d6\"},"),
        Some(path) if is_standard_input(path) => announce_reading("queries or games"),
        Some(_) => {}
    }
    expect_no_games(arguments.out.as_deref(), arguments.file.as_deref())?;
    let (name, mut input) = open_text(arguments.file.as_deref().unwrap_or(Path::new("-")))?;
    let mut are_queries = true;
    if arguments.file.is_some() {
        // Of an empty file only the name says what it would hold.
        let ending = arguments.file.as_deref().and_then(ending);
        let if_blank = ending.is_some_and(|ending| ["json", "jsonl"].contains(&ending.as_str()));
        let plain = unpacked_utf8(Box::new(input));
        let found = plain.and_then(|plain| holds_queries(Box::new(BufReader::new(plain)), if_blank));
        (are_queries, input) = found.map_err(|error| format!("cannot read '{name}': {error}"))?;
    }
    match are_queries {
        true => arguments.answer_queries(&name, input, defaults, threads),
        false => arguments.judge_games(&name, input, defaults, threads),
    }
}

/// What is analyzed.
type Input = Box<dyn BufRead + Send>;

impl AnalyzeArguments {
    fn answer_queries(&self, name: &str, input: Input, defaults: AnalysisSettings, threads: u32) -> Result<(), String> {
        if self.style_is_said() || self.by.is_some() || self.pages.is_some() || self.choice.is_given() {
            super::refuse(
                "queries are answered in JSON; --csv, --obf, --ggf, --table, --by, --pages, --player, --game and --reaches are for \
                 files of games",
            );
        }
        let (out, shard) = (self.out.as_deref(), self.shard);
        if !self.json && out.and_then(style_of).is_some_and(|style| style != Style::Json) {
            super::refuse("--out: queries are answered in JSON; expected .json or .jsonl at its end, or --json");
        }
        let job = self.job(QUERIES, &defaults)?;
        let Some((output, done)) = Results::open(out, self.resume, shard, &job)? else { return Ok(()) };
        let settings = ServiceSettings {
            defaults,
            threads,
            capacity: self.queue as usize,
            reproducible: self.reproducible,
            for_keeping: out.is_some() || shard.is_some(),
            done,
        };
        analyze_queries::run(settings, (name.to_owned(), input), shard.unwrap_or_default(), output)
    }

    fn judge_games(&self, name: &str, input: Input, settings: AnalysisSettings, threads: u32) -> Result<(), String> {
        let path = self.file.as_deref().filter(|file| !is_standard_input(file));
        let games = GameInput::new(name, input, path).map_err(|error| error.to_string())?;
        if let Some(why) = games.missing_names() {
            warn(format_args!("{}: {why}", games.name()));
        }
        let (style, by_player, out) = (self.style(), self.by.is_some(), self.out.as_deref());
        let opened = match (style, self.shard) {
            (Style::Json | Style::Table, _) if by_player => None,
            _ if by_player => super::refuse("--by: expected .json or .txt at the end of --out, or --json or --table"),
            // What an earlier run has judged would be missing from the pages.
            _ if self.pages.is_some() => None,
            (Style::Json, shard) => {
                let job = self.job("analyze games", &settings)?;
                let Some(opened) = Results::open(out, self.resume, shard, &job)? else { return Ok(()) };
                Some(opened)
            }
            (_, Some(_)) => super::refuse("--shard needs --json: other formats cannot be merged"),
            (_, None) if self.resume => super::refuse("--resume needs --json"),
            (_, None) => None,
        };
        let (output, done) = match opened {
            Some(opened) => opened,
            None => (Results::open_plain(out)?, Done::new()),
        };
        let pages = self.pages.as_deref().map(|folder| Pages::begin(folder, &settings)).transpose()?;
        let job = GameJob {
            settings,
            threads,
            reproducible: self.reproducible,
            style,
            palette: palette(is_for_terminal(out)),
            by_player,
            shard: self.shard.unwrap_or_default(),
            choice: self.choice.clone(),
            path: path.map(Path::to_owned),
            done,
        };
        analyze_games::run(&job, games, output, pages)
    }
}

/// How games are written into a file of this name, if its ending says it.
fn style_of(file: &Path) -> Option<Style> {
    Some(match ending(file)?.as_str() {
        "json" | "jsonl" => Style::Json,
        "csv" => Style::Csv,
        "obf" => Style::Obf,
        "ggf" => Style::Ggf,
        "txt" => Style::Table,
        "html" | "htm" => super::refuse("--out: there is a page for each game; expected --pages FOLDER"),
        "png" | "svg" => super::refuse("--out: 'emilia show --curve --out' draws a game"),
        other if Format::of_file_name(&file.to_string_lossy()).is_some() => super::refuse(format_args!(
            "--out: '.{other}' holds no values; expected .json, .csv, .obf, .ggf or .txt, or one of --json, --csv, --obf, --ggf and --table"
        )),
        _ => return None,
    })
}

/// Whether an input begins like an object of JSON, and the input from its beginning on. Behind its end it is not read again. A comment of PGN has
/// braces too. Of an input of nothing but blanks the caller knows it.
fn holds_queries(mut input: Input, if_blank: bool) -> io::Result<(bool, Input)> {
    let mut begin = Vec::new();
    loop {
        let bytes = input.fill_buf()?;
        let (length, is_blank) = (bytes.len(), bytes.trim_ascii().is_empty());
        if length == 0 {
            let is_blank = begin.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&begin).trim_ascii().is_empty();
            return Ok((if_blank && is_blank, Box::new(io::Cursor::new(begin))));
        }
        begin.extend_from_slice(bytes);
        let most_is_read = begin.len() > InputLine::MOST_BYTES;
        let text =
            if is_blank { &[] } else { begin.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&begin).trim_ascii_start() };
        let behind_brace = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        let is_open = BYTE_ORDER_MARK.starts_with(text) || behind_brace.is_some_and(<[u8]>::is_empty);
        if !is_open || most_is_read {
            let is_json = behind_brace.is_some_and(|behind| behind.starts_with(b"\"") || behind.starts_with(b"}"));
            begin.truncate(begin.len() - length);
            return Ok((is_json, Box::new(io::Cursor::new(begin).chain(input))));
        }
        input.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Pieces;
    use clap::Parser;

    #[test]
    fn queries_are_known_whatever_pieces_they_come_in() {
        for (pieces, are_queries, text) in [
            (&[&b"\n"[..], b" ", b"{}\n"][..], true, "\n {}\n"),
            (&[b"\xef", b"\xbb\xbf", b"{}"], true, "\u{feff}{}"),
            (&[b"\xef\xbb\xbf", b"\r\n", b"f5d6"], false, "\u{feff}\r\nf5d6"),
            (&[b"{", b" \n", b"\"id\": 1}\n"], true, "{ \n\"id\": 1}\n"),
            (&[b"{", b" ", b"archive of ada }\n"], false, "{ archive of ada }\n"),
            (&[b"{", b" ", b""], false, "{ "),
            (&[b"\n", b""], false, "\n"),
            (&[b""], false, ""),
        ] {
            let pieces = BufReader::new(Pieces::new(pieces));
            let (found, mut input) = holds_queries(Box::new(pieces), false).unwrap();
            assert_eq!(found, are_queries, "{text:?}");
            let mut read = vec![0; text.len()];
            input.read_exact(&mut read).unwrap();
            assert_eq!(read, text.as_bytes());
        }
        let blank = BufReader::new(io::repeat(b'\n'));
        assert!(!holds_queries(Box::new(blank), false).unwrap().0);
        for (text, are_queries) in [("", true), ("\u{feff}\r\n \n", true), ("{", false), ("f5d6", false)] {
            assert_eq!(holds_queries(Box::new(text.as_bytes()), true).unwrap().0, are_queries, "{text:?}");
        }
    }

    #[test]
    fn the_threads_of_a_question_are_all_unless_something_else_is_said() {
        #[derive(Parser)]
        struct Alone {
            #[command(flatten)]
            arguments: AnalyzeArguments,
        }
        for (said, threads) in [
            (&[][..], 4),
            (&["--search-threads", "3"], 3),
            (&["--search-threads", "1"], 1),
            (&["--reproducible"], 1),
            (&["--reproducible", "--search-threads", "2"], 2),
        ] {
            let Alone { arguments } = Alone::try_parse_from([&["emilia", "--moves", "f5"], said].concat()).unwrap();
            assert_eq!(arguments.threads_of_question(4), threads, "{said:?}");
        }
    }
}
