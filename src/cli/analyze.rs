//! `emilia analyze`: queries or games in, values out.

use super::analyze_games::{self, GameJob, Style};
use super::analyze_output::Results;
use super::analyze_queries::{self, QueryInput};
use super::game_input::open_text;
use super::log_output;
use super::options::EngineArguments;
use crate::analysis::lines::Checksummed;
use crate::analysis::shard_file::{Job, engine_settings};
use crate::analysis::wanted_games::GameInput;
use crate::analysis::{AnalysisSettings, QUERIES, ServiceSettings};
use crate::engine::EngineOptions;
use crate::shard::Shard;
use clap::Args;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};

/// Answer queries about positions, and judge the moves of games.
///
/// Without a file, JSON lines are read from the standard input, each a query, and answered on the standard output as they
/// are found: {"id": 1, "moves": "f5d6", "depth": 12}. A file, or - for the standard input, may also hold games: GGF, SGF,
/// PGN, lists of moves, OBF, WTHOR, Logistello's logbook, packed by gzip and zstd or not. What it is is told by its content.
/// docs/analysis.md describes queries and answers.
///
/// --threads counts all threads; each of them thinks about a position of its own, with a table of its own (--hash), unless
/// --search-threads or a query says otherwise. A query without limits has those given here, or --depth 12.
#[derive(Args, Clone, Debug)]
pub(super) struct AnalyzeArguments {
    /// A file of queries or games, or - for the standard input
    file: Option<String>,
    /// Write games as JSON, a line each: what is done where the output is no terminal
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
    /// Write a table for each game: what is done on a terminal
    #[arg(long, group = "style", help_heading = "Output")]
    table: bool,
    /// Write to this file, which is there only when it is complete
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Go on with that file where an earlier run was interrupted
    #[arg(long, requires = "out", help_heading = "Output")]
    resume: bool,
    /// Do only the queries or games whose number, from 0, leaves the rest I when divided by N; `emilia merge` puts the
    /// parts together
    #[arg(long, value_name = "I/N", help_heading = "Output")]
    shard: Option<Shard>,
    /// Think about each position or game with an empty memory and tell no times: the same answers every time, whatever
    /// else is asked
    #[arg(long, help_heading = "Output")]
    reproducible: bool,
    /// Threads that think about one position together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    search_threads: u32,
    /// Solve positions with at most this number of empty squares, whatever the depth
    #[arg(long, value_name = "EMPTIES", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=60))]
    exact: u8,
    /// How many positions may wait before the next query is read
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    queue: u32,
    #[command(flatten)]
    thinking: EngineArguments,
}

impl AnalyzeArguments {
    /// What positions are thought about with, and the threads in all.
    fn defaults(&self) -> Result<(AnalysisSettings, u32), String> {
        let engine = self.thinking.engine_beside(&["threads"]).map_err(|error| error.to_string())?;
        let options = engine.options().clone();
        let threads = options.threads;
        if self.search_threads > threads {
            return Err(format!("--search-threads {}: there are only {threads} (--threads)", self.search_threads));
        }
        let options = EngineOptions { threads: self.search_threads, ..options };
        Ok((AnalysisSettings { exact_from: self.exact, ..AnalysisSettings::new(options) }, threads))
    }

    /// How judged games are written.
    fn style(&self) -> Style {
        match (self.json, self.csv, self.obf, self.ggf, self.table) {
            (_, true, ..) => Style::Csv,
            (_, _, true, ..) => Style::Obf,
            (_, _, _, true, _) => Style::Ggf,
            (.., true) => Style::Table,
            (true, ..) => Style::Json,
            // Parts and files are gone on with by programs.
            _ if self.shard.is_some() || self.out.is_some() || !io::stdout().is_terminal() => Style::Json,
            _ => Style::Table,
        }
    }

    /// The CRC-32 of a file whose results are kept: with another content it is another job. A pipe can only be read once.
    fn input_checksum(&self) -> Result<Option<u32>, String> {
        let path = self.file.as_deref().map(Path::new).filter(|path| path.is_file());
        let Some(path) = path.filter(|_| self.out.is_some() || self.shard.is_some()) else { return Ok(None) };
        let sum = || {
            let mut input = Checksummed::new(BufReader::with_capacity(1 << 16, File::open(path)?));
            io::copy(&mut input, &mut io::sink())?;
            Ok(input.checksum())
        };
        sum().map(Some).map_err(|error: io::Error| format!("cannot read '{}': {error}", path.display()))
    }

    /// Everything that answers depend on.
    fn job(&self, command: &str, defaults: &AnalysisSettings) -> Result<Job, String> {
        let AnalysisSettings { depth, nodes, time, .. } = *defaults;
        let mut settings = engine_settings(&EngineOptions { depth, nodes, time, ..defaults.options.clone() });
        settings.insert("exact".to_owned(), self.exact.into());
        settings.insert("reproducible".to_owned(), self.reproducible.into());
        if let Some(checksum) = self.input_checksum()? {
            settings.insert("input".to_owned(), format!("{checksum:08x}").into());
        }
        Ok(Job::new(command, settings.into()))
    }
}

/// Answers queries or judges games.
pub(super) fn run(arguments: &AnalyzeArguments) -> Result<(), String> {
    log_output::to_stderr();
    let (defaults, threads) = arguments.defaults()?;
    let (name, mut input) = open_text(arguments.file.as_deref().unwrap_or("-"))?;
    let (out, shard) = (arguments.out.as_deref(), arguments.shard);
    if arguments.file.is_none()
        || holds_queries(&mut input).map_err(|error| format!("cannot read '{name}': {error}"))?
    {
        if arguments.csv || arguments.obf || arguments.ggf || arguments.table {
            return Err(
                "queries are answered in JSON; --csv, --obf, --ggf and --table are for files of games".to_owned()
            );
        }
        let job = arguments.job(QUERIES, &defaults)?;
        let Some((output, done)) = Results::open(out, arguments.resume, shard, &job)? else { return Ok(()) };
        let settings = ServiceSettings {
            defaults,
            threads,
            capacity: arguments.queue as usize,
            reproducible: arguments.reproducible,
            for_keeping: out.is_some() || shard.is_some(),
            done,
        };
        return analyze_queries::run(
            settings,
            QueryInput { name: name.to_owned(), input, shard: shard.unwrap_or_default() },
            output,
        );
    }
    let path = arguments.file.as_deref().filter(|file| *file != "-").map(Path::new);
    let games = GameInput::new(name, input, path).map_err(|error| error.to_string())?;
    let style = arguments.style();
    let job = arguments.job("analyze games", &defaults)?;
    let opened = match (style, shard) {
        (Style::Json, _) => Results::open(out, arguments.resume, shard, &job)?,
        (_, Some(_)) => return Err("--shard needs --json: other formats cannot be merged".to_owned()),
        (_, None) if arguments.resume => return Err("--resume needs --json".to_owned()),
        (_, None) => Some((Results::open_plain(out)?, Default::default())),
    };
    let Some((output, done)) = opened else { return Ok(()) };
    let shard = shard.unwrap_or_default();
    let job = GameJob { settings: defaults, threads, reproducible: arguments.reproducible, style, shard, done };
    analyze_games::run(&job, games, output)
}

/// Whether an input begins like JSON; it is not consumed.
fn holds_queries(input: &mut impl BufRead) -> io::Result<bool> {
    let begin = input.fill_buf()?;
    let begin = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
    Ok(begin.trim_ascii_start().first() == Some(&b'{'))
}
