//! Best-first minimax as an engine that plays to win: the paper's selection, with what alpha-beta does better left to
//! alpha-beta.
//!
//! - In a large search by several threads in one tree, or of the extension, the children of a leaf get the values of a shallow alpha-beta
//!   search with ProbCut instead of static ones, the deeper the larger the search; near the end they always get results.
//! - A large search of the extension begins with ever deeper alpha-beta for half of the time, which leaves a table full of
//!   what is known, and the move to beat.
//! - A leaf is worth more to its side to move than its value says, since it has the best of several moves; corrected by that,
//!   leaves at different depths can be compared.
//! - Leaves are chosen by what the chance of more than the root is worth depends on (`chance`); the answer is the move with which that is
//!   likeliest. Proofs are carried up the tree, and any win counts more than any estimate. Where who wins is known, but not by how much, selection is by
//!   value and C·√(ln N / n).
//! - A position that is reached in several ways has its children once (`sharing`).
//! - Several threads have a tree each for parts of the search (`forest`); or they work in one tree, and each takes leaves away and
//!   searches them by itself (`team`).
//! - Where a proof of the result can be expected to fit the limits, it is proven instead, best first (`proof`).
//! - Where alpha-beta can be expected to solve the position in the time there is, it gets all of it.

mod errand;
mod forest;
mod foresters;
mod form;
mod leaf;
mod lease;
mod team;
#[cfg(test)]
mod tests;

use super::budget::mean_selective_evaluations;
use super::engine::report;
use super::explorer::Explorer;
use super::leaf_solver::EndgameSolver;
use super::proof::Prover;
use super::{BestFirstSettings, EndValues, FinalMove, OnMemoryCap, SOLVED_EMPTIES};
use crate::eval::{FromScratch, Incremental};
use crate::othello::{Move, Position};
use crate::search::alpha_beta::deepen;
use crate::search::alpha_beta::walk::Shared;
use crate::search::selectivity::Selectivity;
use crate::search::transposition::TranspositionTable;
use crate::search::{Control, Depth, Report, Search, SearchDepth, Task};
use forest::Forest;
use foresters::Foresters;
use form::{Form, positions_worth};
use leaf::solving_cost;
use parking_lot::Mutex;
use team::Team;

/// Alpha-beta gets all of the time if it is expected to visit so many times the positions that the time is worth before it
/// knows the result: then it is certain to know much of it.
const NEAR_THE_END: f64 = 8.0;
/// Without a limit, a position is proven at once if the solver would be expected to visit at most so many positions, and
/// searched by value before that if more.
const PROVABLE: f64 = 1e9;
/// With one, it is proven if the limit is so many times that: costs differ from what is expected, and an unfinished proof is no
/// help in the choice of a move. The tree, which finds wins first, is.
const TO_PROVE: f64 = 16.0;
/// Where there is no limit, best-first search and alpha-beta take turns. The first turn has so many positions for both
/// together, each further one twice as many.
const FIRST_TURN: u64 = 400_000;
/// C of the search by value, in the evaluation's errors.
const EXPLORATION: f32 = 1.4;
/// The answer is alpha-beta's as long as the tree has fewer expansions.
const FEW_EXPANSIONS: u64 = 8;

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
    /// How sure alpha-beta's cuts on the word of a shallower search are.
    pub selectivity: Selectivity,
}

impl ModernSettings {
    /// Best-first search from the root on.
    pub const fn best_first() -> ModernSettings {
        ModernSettings {
            start: false,
            memory: 512 << 20,
            on_memory_cap: OnMemoryCap::Prune,
            table_bytes: 64 << 20,
            threads: 1,
            selectivity: Selectivity::BOLDEST,
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
    stored: Option<Stored>,
}

/// What is kept from move to move.
enum Stored {
    /// One tree.
    Tree(Mutex<Explorer<Position>>),
    /// A tree for each part of the search.
    Forest(Mutex<Forest>),
}

impl Stored {
    fn go_by_chances(&mut self, deviations: Vec<f32>) {
        match self {
            Stored::Tree(explorer) => explorer.get_mut().go_by_chances(deviations),
            Stored::Forest(forest) => forest.get_mut().go_by_chances(deviations),
        }
    }

    fn is_done(&mut self) -> bool {
        match self {
            Stored::Tree(explorer) => explorer.get_mut().is_done(),
            Stored::Forest(forest) => forest.get_mut().is_done(),
        }
    }
}

impl ModernBestFirst {
    /// An engine that has learnt nothing yet.
    pub fn new(settings: ModernSettings) -> ModernBestFirst {
        ModernBestFirst {
            settings,
            selectivity: settings.selectivity,
            table: TranspositionTable::new(settings.table_bytes),
            stored: None,
        }
    }

    /// Whether threads have trees of their own: where leaves are not searched, and there is memory for many trees, of which some may
    /// go.
    fn grows_forest(&self) -> bool {
        let ModernSettings { start, threads, memory, on_memory_cap, .. } = self.settings;
        threads > 1 && !start && on_memory_cap == OnMemoryCap::Prune && memory >= forest::LEAST_MEMORY
    }

    fn prepare(&mut self, task: &Task, form: Form) -> Stored {
        let ModernSettings { memory, on_memory_cap, .. } = self.settings;
        let ends = EndValues::WinFirst;
        let final_move = FinalMove::Likeliest;
        let shares_positions = true;
        let settings = BestFirstSettings {
            ends,
            memory,
            on_memory_cap,
            final_move,
            shares_positions,
            ..BestFirstSettings::modern()
        };
        let is_forest = self.grows_forest();
        let mut stored = self.stored.take().unwrap_or_else(|| {
            if is_forest {
                return Stored::Forest(Mutex::new(Forest::new(settings, &task.position)));
            }
            let mut explorer = Explorer::new(settings, &task.position);
            explorer.solve_with(Box::new(EndgameSolver::new(SOLVED_EMPTIES)));
            Stored::Tree(Mutex::new(explorer))
        });
        let error = |empties| EXPLORATION * leaf::error(task.evaluator.error_model(), empties);
        let exploration = error(task.position.empties().count());
        match &mut stored {
            Stored::Forest(forest) => forest.get_mut().begin(task, exploration),
            Stored::Tree(explorer) => {
                let explorer = explorer.get_mut();
                if form.start > 0.0 {
                    // What alpha-beta finds out first makes the old values worth less than the time they save: 34 against 45 %.
                    explorer.clear();
                }
                explorer.begin(&task.position, task.contempt);
                explorer.want_lines(task.lines);
                explorer.settings.exploration = exploration;
            }
        }
        stored
    }

    fn think_with<E: Incremental>(
        &mut self,
        evaluation: &E,
        task: &Task,
        control: &Control,
        sink: &mut dyn FnMut(&Report),
    ) -> Report {
        let threads = self.settings.threads;
        let total = positions_worth(control.limits(), threads);
        let mut turn = total.unwrap_or(FIRST_TURN);
        let is_shared = threads > 1 && !self.grows_forest();
        let mut form = Form::new(self.settings.start, turn, is_shared);
        let cost = solving_cost(task.position.empties().count());
        let proves_within_limits = !self.settings.start;
        let is_provable = |turn: u64| match total {
            None => cost <= PROVABLE.max(turn as f64),
            // An unfinished proof says less than the alpha-beta that the extension has instead.
            Some(total) => proves_within_limits && cost * TO_PROVE <= total as f64,
        };
        if is_provable(turn) {
            return self.prove(evaluation, task, control, (0, 0), sink);
        }
        if total.is_some() && form.start > 0.0 && cost <= NEAR_THE_END * turn as f64 {
            let shared = Shared::new(evaluation, task, &self.table, control);
            return deepen(&shared, self.selectivity, threads, task, sink);
        }
        let mut stored = self.prepare(task, form);
        let error = |empties| leaf::error(task.evaluator.error_model(), empties);
        let empties = task.position.empties().count();
        let mut counts = (0, 0);
        let mut start: Option<Report> = None;
        loop {
            if form.start > 0.0 {
                let part = control.with(form.limits_of_start(control.limits(), total, (counts.0, turn)));
                let shared = Shared::new(evaluation, task, &self.table, &part).counting_from(counts);
                let report = deepen(&shared, self.selectivity, threads, task, sink);
                counts = shared.counts();
                let is_solved = is_solved(&report);
                start = Some(report);
                if is_solved || control.must_stop(counts.0, counts.1) {
                    break;
                }
            }
            stored.go_by_chances((0..=empties).rev().map(|left| form.deviation * error(left)).collect());
            let part = control.with(form.limits_of_tree(control.limits(), total, (counts.0, turn)));
            let shared = Shared::new(evaluation, task, &self.table, &part).counting_from(counts);
            match &stored {
                Stored::Tree(explorer) => {
                    Team::new(explorer, &shared, self.selectivity, form.leaf_depth).explore(threads, task, sink);
                }
                Stored::Forest(forest) => {
                    Foresters::new(forest, &shared, self.selectivity, threads).explore(task, sink)
                }
            }
            counts = shared.counts();
            let is_over = control.must_stop(counts.0, counts.1) || control.is_past_soft_time();
            if total.is_some() || is_over || stored.is_done() {
                break;
            }
            turn *= 2;
            if is_provable(turn) {
                drop(stored);
                return self.prove(evaluation, task, control, counts, sink);
            }
            form = Form::new(self.settings.start, counts.0 + turn, is_shared);
        }
        let mut answer = match &mut stored {
            Stored::Tree(explorer) => decide(explorer.get_mut(), start, task, control),
            Stored::Forest(forest) => forest.get_mut().report(task, control),
        };
        self.stored = Some(stored);
        (answer.nodes, answer.evaluations) = counts;
        answer.elapsed = control.elapsed();
        answer
    }

    /// Proves the value of a position. The tree of the search by value makes room for the proof's.
    fn prove<E: Incremental>(
        &mut self,
        evaluation: &E,
        task: &Task,
        control: &Control,
        counts: (u64, u64),
        sink: &mut dyn FnMut(&Report),
    ) -> Report {
        self.stored = None;
        let (table, selectivity) = (&self.table, self.selectivity);
        let (threads, memory) = (self.settings.threads, self.settings.memory);
        Prover { evaluation, task, table, control, selectivity, threads, memory }.prove(counts, sink)
    }
}

fn is_solved(report: &Report) -> bool {
    matches!(report.depth, SearchDepth::Exact | SearchDepth::WinLossDraw)
}

/// The answer: the tree's, unless alpha-beta, if it began, knows the result, or the tree holds nothing worth more than the
/// move that alpha-beta found. More visits alone are no reason to leave that.
fn decide(explorer: &Explorer<Position>, start: Option<Report>, task: &Task, control: &Control) -> Report {
    let Some(start) = start else {
        return report(explorer, task, control);
    };
    let is_small = !explorer.is_solved() && explorer.work().expansions < FEW_EXPANSIONS;
    if is_small || is_solved(&start) {
        return start;
    }
    let moves = explorer.root_moves();
    let turn = start.lines[0].turn;
    let found = moves.iter().find(|m| m.line[0].map_or(Move::Pass, Move::Place) == turn);
    let is_worth_more = found.is_none_or(|found| found.value < moves[0].value);
    if is_worth_more || task.lines > 1 { report(explorer, task, control) } else { start }
}

impl Search for ModernBestFirst {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.table.new_search(task.contempt);
        // A depth stands for the evaluations that alpha-beta spends on it; the end of the game for the result.
        let mut limits = *control.limits();
        let reaches_end = |depth: u8| u32::from(depth) >= task.position.empties().count();
        if let Some(depth) = limits.depth.take().map(Depth::plies).filter(|&depth| !reaches_end(depth)) {
            let evaluations = mean_selective_evaluations(depth);
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
        self.stored = None;
    }
}
