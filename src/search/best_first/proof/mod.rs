//! Proving what a position is worth, best first.
//!
//! A search by value does not prove: it goes where the value seems to be, and a proof has to go everywhere that could refute it.
//! So this one asks, as MTD does, whether the value exceeds a bound, from the estimate of a shallow search on, until only one
//! result is left. Each question is answered by proof number search, with three differences to the published one:
//!
//! - The numbers of a leaf are not 1 but what the endgame solver is expected to visit there, more if the estimate of a
//!   shallow search makes that answer unlikely ([`cost`]).
//! - Leaves that are expected to be cheap go to the solver, with a null window and at most [`LEAF_LIMIT`] positions; the others
//!   are expanded, after a deeper search of those whose answer is open ([`state`]).
//! - What is stored is a graph with one node for a position, and everything in it but the numbers stays for the next question
//!   ([`graph`]). What is proven goes into the transposition table too.
//!
//! If its memory is full, it drops what is decided; if that is not enough, leaves that the solver does not take are expanded depth
//! first, in linear space.

mod cost;
mod goal;
mod graph;
mod index;
mod leaf;
mod line;
mod state;
#[cfg(test)]
mod tests;

use super::{Schedule, Work};
use crate::eval::Incremental;
use crate::othello::Empties;
use crate::search::alpha_beta::deepen;
use crate::search::alpha_beta::walk::Shared;
use crate::search::selectivity::Selectivity;
use crate::search::threads::{PATIENCE, with_threads};
use crate::search::transposition::TranspositionTable;
use crate::search::{Control, Depth, Limits, MOST_DISCS, Precision, Report, Task};
use cost::CostModel;
use graph::{Graph, Node};
use leaf::Examiner;
use parking_lot::{Condvar, Mutex, MutexGuard};
use state::{Next, State};

/// Positions after which an alpha-beta search below a leaf is stopped.
const LEAF_LIMIT: u64 = 60_000;
/// Positions that the alpha-beta search for the first estimate visits, at most.
const START_POSITIONS: u64 = 60_000;
/// Depth in plies of the alpha-beta search for the first estimate, at most.
const START_DEPTH: u8 = 12;
/// Number of empty squares up to which the first alpha-beta search may solve the position, so that there is nothing left to prove.
const SMALL: Empties = Empties::new(16).unwrap();

/// The parameters of a proof.
pub(super) struct Prover<'a, E: Incremental> {
    pub evaluation: &'a E,
    pub task: &'a Task,
    pub table: &'a TranspositionTable,
    pub control: &'a Control,
    /// The selectivity of the searches that give estimates.
    pub selectivity: Selectivity,
    /// Threads, at least 1. One thread visits the same positions every time.
    pub threads: usize,
    /// Cap of the graph in bytes.
    pub memory: usize,
}

impl<E: Incremental> Prover<'_, E> {
    /// Searches until the task is done or the control says stop; positions and evaluations are counted from these on.
    pub fn prove(&self, counts: (u64, u64), sink: &mut dyn FnMut(&Report)) -> Report {
        let start = self.start(counts, sink);
        if start.depth.is_exact() || start.depth.knows_winner() && self.task.precision == Precision::WinLossDraw {
            return start;
        }
        let state = self.explore(&start, sink);
        self.answer(&state, &start)
    }

    /// Searches on from what a shallow search said.
    fn explore(&self, start: &Report, sink: &mut dyn FnMut(&Report)) -> State {
        let estimate = start.lines[0].score.units();
        let root = Node::leaf(&self.task.position, estimate, START_DEPTH, (-MOST_DISCS, MOST_DISCS));
        let graph = Graph::new(root, CostModel::new(self.task.evaluator.error_model()), self.memory);
        let mut state = State::new(graph, self.task);
        (state.work.nodes, state.work.evaluations) = (start.nodes, start.evaluations);
        let state = Mutex::new(state);
        let came_back = Condvar::new();
        let mut schedule = Schedule::new(self.control);
        let mut bounds = state.lock().bounds();
        let mut look = |state: &State| {
            let is_news = std::mem::replace(&mut bounds, state.bounds()) != bounds;
            if schedule.is_report_due(&state.work) || is_news {
                sink(&self.interim(state, start));
            }
        };
        let help = || self.work(&state, &came_back, &mut |_| {});
        let work = |call_for_help: &mut dyn FnMut()| {
            call_for_help();
            self.work(&state, &came_back, &mut look);
        };
        with_threads(self.threads, help, work, || state.lock().is_over = true);
        let state = state.into_inner();
        let (windows, nodes, largest) = (state.questions, state.graph.nodes.len(), state.largest_leaf);
        log::debug!("{windows} questions, {nodes} nodes stored, the largest leaf took {largest} positions");
        state
    }

    /// A shallow alpha-beta search: gives the first estimate, and solves small positions.
    fn start(&self, counts: (u64, u64), sink: &mut dyn FnMut(&Report)) -> Report {
        let limits = self.control.limits();
        let empties = self.task.position.empty_count();
        // A depth at which alpha-beta does not try to solve.
        let depth = Depth::new(START_DEPTH.min(empties.after(1).count() / 2)).filter(|_| empties > SMALL);
        let nodes = counts.0 + START_POSITIONS;
        let nodes = Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        let control = self.control.with(Limits { nodes, depth, ..*limits });
        let shared = Shared::new(self.evaluation, self.task, self.table, &control).counting_from(counts);
        deepen(&shared, self.selectivity, 1, self.task, sink)
    }

    /// One thread's work. `look` sees the state between two leaves.
    fn work(&self, state: &Mutex<State>, came_back: &Condvar, look: &mut dyn FnMut(&State)) {
        let limits = self.control.limits();
        let control = self.control.with(Limits { nodes: None, evaluations: None, ..*limits });
        let shared = Shared::new(self.evaluation, self.task, self.table, &control);
        let mut examiner = Examiner::new(&shared, self.selectivity);
        let mut reported = (0, 0);
        let mut state = state.lock();
        loop {
            let Work { nodes, evaluations, .. } = state.work;
            if self.control.must_stop(nodes, evaluations) || self.control.is_past_soft_time() {
                state.is_over = true;
            }
            match state.take() {
                Next::Done => break,
                Next::Wait => {
                    came_back.wait_for(&mut state, PATIENCE);
                }
                Next::Leaf(leaf) => {
                    let allowance = state.reserve(limits, self.threads);
                    examiner.allow(allowance);
                    let (answer, counts) = MutexGuard::unlocked(&mut state, || {
                        let answer = State::examine(&leaf, &mut examiner);
                        (answer, examiner.counts())
                    });
                    state.reserved -= allowance;
                    state.work.nodes += counts.0 - reported.0;
                    state.work.evaluations += counts.1 - reported.1;
                    state.largest_leaf = state.largest_leaf.max(examiner.largest);
                    reported = counts;
                    state.check_in(&leaf, answer, &mut examiner);
                    came_back.notify_all();
                    look(&state);
                }
            }
        }
        came_back.notify_all();
    }
}
