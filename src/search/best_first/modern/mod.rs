//! Best-first minimax as an engine that plays to win: the paper's selection, with what alpha-beta does better left to
//! alpha-beta.
//!
//! - Children of a leaf get the values of a shallow alpha-beta search with ProbCut instead of static ones, or results where
//!   these are cheap. The deeper, the more time there is.
//! - The extension begins with ever deeper alpha-beta for a part of the time, which leaves a table full of what is known, and
//!   the move to beat.
//! - Selection is by value and C·√(ln N / n), C in proportion to the evaluation's error; the answer is the most visited move;
//!   proofs are carried up the tree.
//! - Several threads work in one tree. Each takes a leaf away and searches it by itself.
//! - Where alpha-beta can be expected to solve the position in the time there is, it gets all of it.

mod errand;
mod leaf;
#[cfg(test)]
mod tests;

use super::budget::Budget;
use super::engine::report;
use super::explorer::{Explorer, Progress};
use super::leaf_solver::EndgameSolver;
use super::{BestFirstSettings, OnMemoryCap, RootMove, SOLVED_EMPTIES, mean_alpha_beta_evaluations};
use crate::eval::{Evaluator, FromScratch, Incremental};
use crate::game::DISC;
use crate::othello::{Move, Position, Square};
use crate::search::alpha_beta::deepen;
use crate::search::alpha_beta::walk::Shared;
use crate::search::selectivity::Selectivity;
use crate::search::transposition::TranspositionTable;
use crate::search::{Control, Limits, Report, Search, SearchDepth, Task};
use errand::Next;
use leaf::{LeafSearch, depth_for, solving_cost};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// C in units of the evaluation's error.
const EXPLORATION: f32 = 0.35;
/// Positions a second that one thread searches, about: what a time limit is worth.
const SPEED: f64 = 8e6;
/// Alpha-beta gets all of the time if it is expected to visit so many times the positions that the time is worth before it
/// knows the result: then it is certain to know much of it.
const NEAR_THE_END: f64 = 8.0;
/// Where there is no limit, best-first search and alpha-beta take turns. The first turn has so many positions for both
/// together, each further one twice as many.
const FIRST_TURN: u64 = 400_000;
/// The answer is alpha-beta's as long as the tree has fewer expansions.
const FEW_EXPANSIONS: u64 = 8;
/// What a thread below a node counts against it at first, at least and at most, in units of the evaluation.
const LOSS: [f32; 3] = [DISC as f32, DISC as f32 / 4.0, 8.0 * DISC as f32];
/// How long a thread waits for another one to come back before it looks again.
const PATIENCE: Duration = Duration::from_millis(2);

/// Parameters of the engines `best-first` and `extension`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ModernSettings {
    /// Whether alpha-beta begins, and is only overruled by what the tree finds worth more.
    pub start: bool,
    /// The cap of the stored tree in bytes.
    pub memory: usize,
    /// What happens there.
    pub on_memory_cap: OnMemoryCap,
    /// Size of the transposition table in bytes.
    pub table_bytes: usize,
    /// Threads, at least 1. One thread visits the same positions every time.
    pub threads: usize,
    /// How sure alpha-beta's cuts on the word of a shallower search are, in percent, as in
    /// [`AlphaBetaSettings`](crate::search::AlphaBetaSettings).
    pub confidence: u8,
}

impl ModernSettings {
    /// Best-first search from the root on.
    pub const fn best_first() -> ModernSettings {
        ModernSettings {
            start: false,
            memory: 512 << 20,
            on_memory_cap: OnMemoryCap::Rbfms,
            table_bytes: 64 << 20,
            threads: 1,
            confidence: 73,
        }
    }

    /// Best-first search that begins with alpha-beta.
    pub const fn extension() -> ModernSettings {
        ModernSettings { start: true, ..ModernSettings::best_first() }
    }
}

/// The engine. Keeps its tree and its table from move to move.
pub struct ModernBestFirst {
    settings: ModernSettings,
    selectivity: Selectivity,
    table: TranspositionTable,
    explorer: Mutex<Option<Explorer<Position>>>,
}

impl ModernBestFirst {
    /// An engine that has learnt nothing yet. A confidence that is no level counts as 100 %.
    pub fn new(settings: ModernSettings) -> ModernBestFirst {
        ModernBestFirst {
            settings,
            selectivity: Selectivity::of_percent(settings.confidence).unwrap_or(Selectivity::NONE),
            table: TranspositionTable::new(settings.table_bytes),
            explorer: Mutex::new(None),
        }
    }

    fn prepare(&self, task: &Task) -> Explorer<Position> {
        let ModernSettings { memory, on_memory_cap, .. } = self.settings;
        let settings = BestFirstSettings { memory, on_memory_cap, ..BestFirstSettings::modern() };
        let mut explorer = self.explorer.lock().take().unwrap_or_else(|| {
            let mut explorer = Explorer::new(settings, &task.position);
            explorer.solve_with(Box::new(EndgameSolver::new(SOLVED_EMPTIES)));
            explorer
        });
        if self.settings.start {
            // What alpha-beta finds out first makes the old values worth less than the time they save: 34 against 45 %.
            explorer.clear();
        }
        explorer.begin(&task.position, task.contempt);
        explorer.want_lines(task.lines);
        let error = leaf::error(task.evaluator.error_model(), task.position.empties().count());
        explorer.settings.exploration = EXPLORATION * error;
        explorer
    }

    fn think_with<E: Incremental>(
        &self,
        evaluation: &E,
        task: &Task,
        control: &Control,
        sink: &mut dyn FnMut(&Report),
    ) -> Report {
        let total = positions_worth(control.limits(), self.settings.threads);
        let alone = total.is_some_and(|total| {
            self.settings.start && solving_cost(task.position.empties().count()) <= NEAR_THE_END * total as f64
        });
        if alone {
            let shared = Shared::new(evaluation, task, &self.table, control);
            return deepen(&shared, self.selectivity, self.settings.threads, task, sink);
        }
        let explorer = Mutex::new(self.prepare(task));
        let mut counts = (0, 0);
        let mut last: Option<Report> = None;
        let mut turn = total.unwrap_or(FIRST_TURN);
        let answer = loop {
            if self.settings.start {
                let part = control.with(alpha_beta_limits(control.limits(), total, (counts.0, turn)));
                let shared = Shared::new(evaluation, task, &self.table, &part).counting_from(counts);
                let report = deepen(&shared, self.selectivity, self.settings.threads, task, sink);
                counts = shared.counts();
                let solved = matches!(report.depth, SearchDepth::Exact | SearchDepth::WinLossDraw);
                last = Some(report);
                if solved || control.must_stop(counts.0, counts.1) {
                    break None;
                }
            }
            let mut limits = *control.limits();
            if total.is_none() {
                let part = if self.settings.start { 1.0 - start_share(turn) } else { 1.0 };
                limits.nodes = Some(counts.0 + (turn as f32 * part) as u64);
            }
            let part = control.with(limits);
            let shared = Shared::new(evaluation, task, &self.table, &part).counting_from(counts);
            let team = Team {
                explorer: &explorer,
                came_back: Condvar::new(),
                is_over: AtomicBool::new(false),
                shared: &shared,
                selectivity: self.selectivity,
                depth: depth_for(total.unwrap_or(counts.0 + turn)),
            };
            let outcome = team.explore(self.settings.threads, task, sink);
            counts = shared.counts();
            let over = outcome.is_done || control.must_stop(counts.0, counts.1) || control.is_past_soft_time();
            if total.is_some() || over {
                break Some(outcome.report);
            }
            turn *= 2;
        };
        let explorer = explorer.into_inner();
        let known = explorer.is_solved() || explorer.work().expansions >= FEW_EXPANSIONS;
        let overruled = |start: &Report| {
            if task.lines > 1 {
                return true;
            }
            let turn = start.lines[0].turn;
            let of_turn = |m: &&RootMove<Square>| m.line[0].map_or(Move::Pass, Move::Place) == turn;
            let moves = explorer.root_moves();
            moves.iter().find(of_turn).is_none_or(|m| m.value < moves[0].value)
        };
        let last = last.map(|start| (overruled(&start), start));
        *self.explorer.lock() = Some(explorer);
        let mut report = match (answer, last) {
            // More visits alone are no reason to leave alpha-beta's move.
            (Some(answer), None | Some((true, _))) if known => answer,
            (_, Some((_, start))) => start,
            (answer, None) => answer.unwrap_or_default(),
        };
        (report.nodes, report.evaluations) = counts;
        report.elapsed = control.elapsed();
        report
    }
}

/// How many positions a search with these limits can visit, if it is limited.
fn positions_worth(limits: &Limits, threads: usize) -> Option<u64> {
    let time = limits.soft_time.into_iter().chain(limits.hard_time).min();
    let by_time = time.map(|time| (time.as_secs_f64() * SPEED * threads as f64) as u64);
    limits.nodes.into_iter().chain(limits.evaluations).chain(by_time).min()
}

/// The part of a search of so many positions that alpha-beta begins with. The smaller the search, the fewer leaves there
/// would be to choose from.
fn start_share(positions: u64) -> f32 {
    const LARGE: f32 = 0.5;
    const SMALL: f32 = 0.9;
    let decades_below_large = 5.0 - (positions.max(1) as f32).log10();
    (LARGE + (SMALL - LARGE) * decades_below_large).clamp(LARGE, SMALL)
}

/// The limits of alpha-beta's part of a search that can visit `total` positions; of a turn of an unlimited one that begins
/// when so many positions were visited and is worth so many.
fn alpha_beta_limits(limits: &Limits, total: Option<u64>, (before, turn): (u64, u64)) -> Limits {
    let part = start_share(total.unwrap_or(turn));
    let of = |n: u64| (n as f64 * f64::from(part)) as u64;
    Limits {
        nodes: if total.is_none() { Some(before + of(turn)) } else { limits.nodes.map(of) },
        evaluations: limits.evaluations.map(of),
        soft_time: None,
        // It ends where it stands: what it has found is in the table.
        hard_time: limits.soft_time.or(limits.hard_time).map(|time| time.mul_f32(part)),
        ..*limits
    }
}

impl Search for ModernBestFirst {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.table.new_search(task.contempt);
        // A depth stands for the evaluations that alpha-beta spends on it.
        let mut limits = *control.limits();
        if let Some(depth) = limits.depth.take() {
            let evaluations = mean_alpha_beta_evaluations(depth);
            limits.evaluations = Some(limits.evaluations.map_or(evaluations, |limit| limit.min(evaluations)));
        }
        let control = control.with(limits);
        match task.evaluator.as_pattern() {
            Some(pattern) => self.think_with(pattern, task, &control, sink),
            None => self.think_with(&FromScratch(&*task.evaluator), task, &control, sink),
        }
    }

    fn clear(&mut self) {
        self.table.clear();
        *self.explorer.lock() = None;
    }
}

/// What came of a turn of best-first search.
struct Outcome {
    report: Report,
    /// Whether nothing is left to find out.
    is_done: bool,
}

/// Threads at work in one tree.
struct Team<'a, E: Incremental> {
    explorer: &'a Mutex<Explorer<Position>>,
    came_back: Condvar,
    is_over: AtomicBool,
    shared: &'a Shared<'a, E>,
    selectivity: Selectivity,
    /// Plies below the children of a leaf.
    depth: u8,
}

impl<E: Incremental> Team<'_, E> {
    /// Explores until the control says stop, nothing is left to do, or the memory is full and the rest is for linear space.
    fn explore(&self, threads: usize, task: &Task, sink: &mut dyn FnMut(&Report)) -> Outcome {
        let mut budget = Budget::new(self.shared.control);
        std::thread::scope(|scope| {
            for helper in 1..threads {
                if let Err(error) = std::thread::Builder::new().spawn_scoped(scope, || self.work(&mut |_| {})) {
                    log::warn!("only {helper} of {threads} threads could be started: {error}");
                    break;
                }
            }
            self.work(&mut |explorer| {
                if budget.is_report_due(explorer.work()) && explorer.work().expansions >= FEW_EXPANSIONS {
                    sink(&report(explorer, task, self.shared.control));
                }
            });
        });
        let mut explorer = self.explorer.lock();
        if explorer.is_linear() && !self.shared.is_stopped() {
            self.go_on_in_linear_space(&mut explorer, task, sink);
        }
        // Whatever the limits, there is to be an answer.
        explorer.expand_root(&*task.evaluator);
        let is_done = explorer.is_done();
        (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
        Outcome { report: report(&explorer, task, self.shared.control), is_done }
    }

    /// One thread's work. `look` sees the tree between two leaves.
    fn work(&self, look: &mut dyn FnMut(&Explorer<Position>)) {
        let mut search = LeafSearch::new(self.shared, self.selectivity);
        search.depth = self.depth;
        let [mut loss, least_loss, most_loss] = LOSS;
        let mut explorer = self.explorer.lock();
        while !self.is_over.load(Ordering::Relaxed) {
            match explorer.take_leaf(loss) {
                Next::Done => break,
                Next::Wait => {
                    loss = (loss * 2.0).min(most_loss);
                    self.came_back.wait_for(&mut explorer, PATIENCE);
                }
                Next::Leaf(errand) => {
                    loss = (loss * 0.97).max(least_loss);
                    drop(explorer);
                    let children = search.children(&errand.position);
                    let must_stop = search.must_stop() || self.shared.control.is_past_soft_time();
                    explorer = self.explorer.lock();
                    let stored = explorer.bring_back(&errand, children);
                    (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
                    self.came_back.notify_all();
                    if must_stop || !stored {
                        break;
                    }
                    look(&explorer);
                }
            }
        }
        self.is_over.store(true, Ordering::Relaxed);
        self.came_back.notify_all();
    }

    /// The memory is full: below the principal leaf, recursive best-first search goes on with leaves of the same worth.
    fn go_on_in_linear_space(&self, explorer: &mut Explorer<Position>, task: &Task, sink: &mut dyn FnMut(&Report)) {
        let mut search = LeafSearch::new(self.shared, self.selectivity);
        search.depth = self.depth;
        let leaves = SearchedValue(Mutex::new(search));
        let mut budget = Budget::new(self.shared.control);
        explorer.restart();
        loop {
            let progress =
                explorer.step(&leaves, &mut |_| leaves.0.lock().must_stop() || self.shared.control.is_past_soft_time());
            (explorer.work.nodes, explorer.work.evaluations) = self.shared.counts();
            if progress != Progress::Grown || leaves.0.lock().must_stop() || self.shared.control.is_past_soft_time() {
                break;
            }
            if budget.is_report_due(explorer.work()) {
                sink(&report(explorer, task, self.shared.control));
            }
        }
    }
}

/// Leaves searched by alpha-beta, as an evaluation.
struct SearchedValue<'a, E: Incremental>(Mutex<LeafSearch<'a, E>>);

impl<E: Incremental> Evaluator<Position> for SearchedValue<'_, E> {
    fn evaluate(&self, position: &Position) -> i32 {
        self.0.lock().value(position)
    }
}
