//! `emilia bench`: what the searches visit, and how fast.

use crate::analysis::answer::line;
use crate::engine::{
    ALPHA_BETA, BEST_FIRST, EMILIA, EXTENSION, Engine, EngineOptions, Goal, MINIMAX, OnMemoryCap, RBFMS, Request,
    SearchEntry,
};
use crate::lab::{BAUM_SMITH, CONSPIRACY, KORF_ALPHA_BETA, KORF_BEST_FIRST, KORF_EXTENSION, MTDF, UBFM, UCT};
use crate::notation::read_position;
use crate::othello::Position;
use crate::search::{Depth, Limits, Report};
use clap::Args;
use clap::builder::PossibleValuesParser;
use crc32fast::Hasher;
use serde::Serialize;
use std::time::Instant;

/// Games of Emilia against itself with `--variety 4 --depth 5`, seeds 1 to 8.
const GAMES: [&str; 8] = [
    "c4c5e6f5c6d3f6e7d6f7g5f4g6c7c2b6a6c3e3c1c8b5a5g7b4b3d2d7a3b2d1e1e2f1d8a2a4a7a1f8a8b8b7e8f2b1h8h4g8g2h5g3h3f3g4h7h6h2h1g1",
    "f5d6c4g5e6c5f6e3h5b4c6f7d3c3d7c7b6d8e7f4e8f8c8b8b7a5a6a8a7b5b3a2g6g7a3h6a4h4a1b2b1c1h8g8d2c2d1e1g3f3f1f2e2h3g2h1h2g4h7g1",
    "c4c3d3e3d2b4f4d6e6f3c5c1d1e1f5e2c6b6a6c7b5a4c2b3c8f7e7g4f2f8d7e8a5a7f1f6b1b2a3b7a8g3g5a1b8a2g6h4d8h5g8g1h2h3g7h8h7h6g2h1",
    "f5f4g3c6d3g5e6f3c3f7h5h6h7d6f6e7e3e2d2c4c2d1c1b1e8f8g8g4g6d7c5b3b4a4a3h3a5b5f2e1d8c7c8b6a6g2f1g1h1a2a1b2h2h4a7a8h8b7b8g7",
    "f5f4g3g6c4f3e3c5d6e7d7d3b6e6g5c6b7b5f6h4c3b4a6g4h3f7f8a8e8d8h7a5g7h6c8a7h5b8a4c7g8a3b3a2b2a1b1h8d2c1e1d1c2f1e2f2g1g2h2",
    "d3c5e6e3d6e7f5c4f3f2d7f4c3c6e2f6e8f7b4c8g4d8b8e1g5d2b6h3h4g3c7h6h5g6g2a6b5f8g8b7a8a3a4a5g7a7a2h1b2h2b3c2c1d1f1b1a1h7h8g1",
    "e6f6f5f4e3d6e7d7c5c4g3e8d3b5f8g8g7f3g4c6g6f7g5h8f2h6h7h5h4h3c7e2c3f1g2b6d1h1d8e1g1h2b7c1a4c8b8d2a5a7a8a6a3b2",
    "f5d6c3f4c5f6d7c4d3e6g5e2f3e3c2g4f7h5g7c1g6h8b4h6b3b2g3d2a1f2b1h4d1f8e1a3f1a4g8e8d8e7a2c6a5c7h7g2b5c8b7b8h1a6b6g1a7a8h2h3",
];

/// How the figures are printed.
#[derive(Args, Clone, Debug)]
pub(super) struct BenchArguments {
    /// Run this part alone; may be repeated
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(workloads().into_iter().map(|workload| workload.name)))]
    part: Vec<String>,
    /// Print the checksum of all that was visited and answered alone
    #[arg(long, conflicts_with = "json")]
    signature: bool,
    /// Print one line of JSON: the signature, the evaluation, the seconds, and the same figures of each part
    #[arg(long)]
    json: bool,
}

/// One kind of work: searches of positions of each game, with the default evaluation.
#[derive(Clone, Copy)]
struct Workload {
    name: &'static str,
    engine: &'static SearchEntry,
    limits: Limits,
    /// How many turns of each game have been played; by game, so that the positions are spread over the middle game.
    turns: fn(usize) -> usize,
    /// Moves whose values are asked for.
    lines: usize,
    /// Searches of each game, two turns apart: the later ones begin with what the earlier ones have stored.
    searches: usize,
    /// Cap of the stored tree in MB, and what happens there.
    memory: (u32, OnMemoryCap),
}

/// One search of a position from the middle of each game, for its best move.
fn workload(name: &'static str, engine: &'static SearchEntry, limits: Limits) -> Workload {
    let memory = (512, OnMemoryCap::Prune);
    Workload { name, engine, limits, turns: |game| 12 + 3 * game, lines: 1, searches: 1, memory }
}

/// The workloads. Together they go through every search that can be chosen, one thread each, with one line and several, with what
/// was stored before, and past the memory cap in all three ways.
fn workloads() -> Vec<Workload> {
    let depth = |depth| Limits { depth: Depth::new(depth), ..Limits::default() };
    let evaluations = |evaluations| Limits { evaluations: Some(evaluations), ..Limits::default() };
    let small = (1, OnMemoryCap::Prune);
    vec![
        workload("midgame", &ALPHA_BETA, depth(14)),
        Workload { lines: 3, ..workload("hints", &ALPHA_BETA, depth(10)) },
        Workload { turns: |_| 40, ..workload("endgame", &ALPHA_BETA, Limits::default()) },
        Workload { searches: 2, ..workload("best-first", &BEST_FIRST, evaluations(100_000)) },
        Workload { lines: 4, ..workload("best-hints", &BEST_FIRST, evaluations(50_000)) },
        Workload { memory: small, ..workload("cap-prune", &BEST_FIRST, evaluations(60_000)) },
        Workload { memory: (1, OnMemoryCap::Rbfms), ..workload("cap-rbfms", &BEST_FIRST, evaluations(60_000)) },
        Workload { memory: (1, OnMemoryCap::Stop), ..workload("cap-stop", &BEST_FIRST, evaluations(60_000)) },
        workload("emilia", &EMILIA, depth(10)),
        Workload { turns: |_| 38, ..workload("proof", &BEST_FIRST, Limits::default()) },
        workload("extension", &EXTENSION, evaluations(1_600_000)),
        workload("rbfms", &RBFMS, evaluations(100_000)),
        workload("minimax", &MINIMAX, depth(4)),
        Workload { searches: 2, ..workload("korf-best", &KORF_BEST_FIRST, evaluations(30_000)) },
        Workload { lines: 3, memory: small, ..workload("korf-prune", &KORF_BEST_FIRST, evaluations(30_000)) },
        Workload { memory: (1, OnMemoryCap::Rbfms), ..workload("korf-rbfms", &KORF_BEST_FIRST, evaluations(60_000)) },
        Workload { searches: 2, ..workload("korf-ext", &KORF_EXTENSION, evaluations(30_000)) },
        Workload { searches: 2, ..workload("korf-ab", &KORF_ALPHA_BETA, depth(5)) },
        Workload { searches: 2, ..workload("uct", &UCT, evaluations(30_000)) },
        Workload { searches: 2, ..workload("ubfm", &UBFM, evaluations(30_000)) },
        Workload { searches: 2, ..workload("baum-smith", &BAUM_SMITH, evaluations(30_000)) },
        Workload { searches: 2, ..workload("conspiracy", &CONSPIRACY, evaluations(30_000)) },
        workload("mtdf", &MTDF, depth(10)),
    ]
}

/// The figures of one workload, or of all together.
#[derive(Clone, Serialize)]
struct Figures {
    part: &'static str,
    nodes: u64,
    evaluations: u64,
    /// A checksum of what each search visited and answered.
    answers: u32,
    seconds: f64,
}

/// What `--json` prints.
#[derive(Serialize)]
struct JsonReport<'a> {
    signature: u32,
    eval: String,
    seconds: f64,
    parts: &'a [Figures],
}

impl Workload {
    /// Searches every position with an empty table or tree, so that the count depends on the search alone.
    fn run(&self) -> Figures {
        // One thread, whatever the default is: only then the count is always the same.
        let mut engine = Engine::new(EngineOptions {
            engine: self.engine,
            threads: 1,
            hash_mb: 16,
            memory_mb: self.memory.0,
            on_memory_cap: self.memory.1,
            ..EngineOptions::default()
        });
        let started = Instant::now();
        let (mut nodes, mut evaluations, mut answers) = (0, 0, Hasher::new());
        for (game, moves) in GAMES.iter().enumerate() {
            engine.clear();
            for search in 0..self.searches {
                let position = position_after(moves, (self.turns)(game) + 2 * search);
                let goal = Goal::Hint { lines: self.lines };
                let request = Request { limits: self.limits, goal, ..Request::best_move(position) };
                let decision = engine.start(request).wait();
                nodes += decision.report.nodes;
                evaluations += decision.report.evaluations;
                digest(&mut answers, &decision.report);
            }
        }
        let answers = answers.finalize();
        Figures { part: self.name, nodes, evaluations, answers, seconds: started.elapsed().as_secs_f64() }
    }
}

/// Adds what a search came to. Searches with equal limits visit about as many positions whatever they choose: it shows in the moves,
/// their values and their visits what that was.
fn digest(answers: &mut Hasher, report: &Report) {
    answers.update(&report.nodes.to_le_bytes());
    answers.update(&report.evaluations.to_le_bytes());
    for line in &report.lines {
        let pv: Vec<String> = line.pv.iter().map(ToString::to_string).collect();
        let text = format!("{} {} {:?} {} {}", line.turn, line.score.units(), line.bound, line.depth, pv.join(""));
        answers.update(text.as_bytes());
        answers.update(&line.visits.to_le_bytes());
    }
}

fn position_after(moves: &str, turns: usize) -> Position {
    let game = read_position(moves).expect("the games of the bench are legal");
    game.positions()[turns.min(game.turns().len())]
}

/// Runs the parts on one thread and prints the figures; the times go where the counts go, behind them.
pub(super) fn run(options: &BenchArguments) -> Result<(), String> {
    let wanted = |workload: &Workload| options.part.is_empty() || options.part.iter().any(|name| name == workload.name);
    let parts: Vec<Figures> = workloads().into_iter().filter(wanted).map(|workload| workload.run()).collect();
    let total = total(&parts);
    let output = if options.signature {
        format!("{}\n", total.answers)
    } else if options.json {
        let eval = EngineOptions::default().eval.to_string();
        let report = JsonReport { signature: total.answers, eval, seconds: total.seconds, parts: &parts };
        line(&report)
    } else {
        format!("{}\nBench: {}\n", table(&parts, &total), total.answers)
    };
    super::print(&output)
}

fn total(parts: &[Figures]) -> Figures {
    Figures {
        part: "total",
        nodes: parts.iter().map(|part| part.nodes).sum(),
        evaluations: parts.iter().map(|part| part.evaluations).sum(),
        answers: {
            let mut all = Hasher::new();
            parts.iter().for_each(|part| all.update(&part.answers.to_le_bytes()));
            all.finalize()
        },
        seconds: parts.iter().map(|part| part.seconds).sum(),
    }
}

fn table(parts: &[Figures], total: &Figures) -> String {
    let header =
        format!("{:<12}{:>14}{:>14}{:>12}{:>10}{:>10}\n", "part", "nodes", "evaluations", "answers", "seconds", "Mn/s");
    let rows = parts.iter().chain([total]).map(|row| {
        let rate = row.nodes as f64 / row.seconds.max(1e-9) / 1e6;
        let Figures { part, nodes, evaluations, answers, seconds } = row;
        format!("{part:<12}{nodes:>14}{evaluations:>14}{answers:>12x}{seconds:>10.3}{rate:>10.2}\n")
    });
    header + &rows.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_have_a_move() {
        for workload in workloads() {
            for (game, moves) in GAMES.iter().enumerate() {
                let position = position_after(moves, (workload.turns)(game));
                assert!(!position.is_over(), "{} of game {game}", workload.name);
            }
        }
    }

    #[test]
    fn the_last_row_is_the_sum() {
        let parts = [("midgame", 2_000_000, 3, 0.5), ("endgame", 4_000_000, 5, 1.5)]
            .map(|(part, nodes, evaluations, seconds)| Figures { part, nodes, evaluations, answers: 171, seconds });
        let table = table(&parts, &total(&parts));
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(rows[0], ["part", "nodes", "evaluations", "answers", "seconds", "Mn/s"]);
        assert_eq!(rows[1], ["midgame", "2000000", "3", "ab", "0.500", "4.00"]);
        assert_eq!(rows[3][..3], ["total", "6000000", "8"]);
        assert_eq!(rows[3][4..], ["2.000", "3.00"]);
    }
}
