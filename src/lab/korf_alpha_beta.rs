//! The alpha-beta that Korf and Chickering let best-first minimax play against (AAAI-94, "Othello Results").
//!
//! Full width to a fixed depth. A new node has all its children evaluated and sorted down to one ply above the horizon
//! (fixed ordering, Slagle and Dixon 1969); there they are evaluated one at a time until one refutes. The tree is kept
//! from move to move, and what is known of it already is ordered by backed-up values. Once the depth reaches the end of
//! the game, play is perfect. There is no transposition table, no iterative deepening, no null window and no selectivity:
//! an opponent as of 1994, for comparisons.

use super::ordered_minimax::ordered_minimax;
use crate::eval::Evaluator;
use crate::game::Game;
use crate::othello::Position;
use crate::search::{
    Bound, Contempt, Control, Depth, EndValues, Explorer, Interrupted, KorfSettings, Line, MemoryUse, Report, RootMove,
    Score, Search, SearchDepth, Task, Work, after, least_depth, line_to, turns,
};
use std::cmp::Reverse;

/// The depth where nothing is said of it: a fraction of a second for Othello.
const DEFAULT_DEPTH: u8 = 6;
/// Questions between two looks at the clock.
const CLOCK_EVERY: u32 = 64;

/// Alpha-beta to a fixed depth that keeps its tree from move to move, for any game, and as an engine for Othello.
pub struct KorfAlphaBeta<G: Game> {
    explorer: Explorer<G>,
    /// The depth of the last search: the tree below the root holds nothing deeper than that.
    depth: u32,
    /// What was found without a tree, the best move first.
    unstored: Vec<RootMove<G::Move>>,
    work: Work,
}

impl<G: Game> KorfAlphaBeta<G> {
    /// A search with an empty tree of at most `memory` bytes; a larger one is searched without being kept.
    ///
    /// `ends` says what finished games are worth: [`EndValues::Outcome`] in Othello, [`EndValues::Sum`] in random trees.
    pub fn new(position: &G, ends: EndValues, memory: usize) -> KorfAlphaBeta<G> {
        let settings = KorfSettings { ends, memory, ..KorfSettings::korf() };
        let explorer = Explorer::new(settings, position);
        KorfAlphaBeta { explorer, depth: 0, unstored: Vec::new(), work: Work::default() }
    }

    /// Searches `position`, whose game is not over, to `depth` plies, at least 1, with exact values for as many of its
    /// moves as are `wanted`, at least 1, and for those within that margin of the best. Returns whether it came to the
    /// end; if `stop`, which is asked now and then, said no, the root's moves are ordered by what is known.
    pub fn search(
        &mut self,
        position: &G,
        contempt: Contempt,
        depth: u32,
        wanted: (usize, Option<i32>),
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> bool {
        if depth < self.depth {
            // The tree has seen further than it may now.
            self.explorer.clear();
        }
        self.depth = depth;
        self.unstored.clear();
        self.explorer.begin(position, contempt);
        self.explorer.expand_root(evaluator);
        let result = self.explorer.full_width(depth, wanted.0, wanted.1, evaluator, stop);
        self.work = *self.explorer.work();
        match result {
            Ok(_) => true,
            Err(Interrupted::Stopped) => false,
            Err(Interrupted::Full) => {
                log::info!("alpha-beta's tree does not fit into its memory: searching without keeping it");
                self.search_unstored(position, contempt, depth, wanted, evaluator, stop)
            }
        }
    }

    /// All moves together if the best is enough, else each by itself.
    fn search_unstored(
        &mut self,
        position: &G,
        contempt: Contempt,
        depth: u32,
        wanted: (usize, Option<i32>),
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> bool {
        self.explorer.clear();
        self.explorer.begin(position, contempt);
        self.explorer.expand_root(evaluator);
        let mut search =
            |position: &G, depth| ordered_minimax(position, depth, evaluator, contempt, &mut self.work, stop);
        let found = |turn, value| {
            let (lower, upper) = (-i32::MAX, i32::MAX);
            RootMove { line: vec![turn], value, lower, upper, visits: 0 }
        };
        let mut is_complete = true;
        let mut moves: Vec<_> = if wanted == (1, None) && position.moves().next().is_some() {
            let best = search(position, depth).map(|best| found(best.pv.first().copied(), best.value));
            is_complete = best.is_some();
            best.into_iter().collect()
        } else {
            let each = turns(position).map_while(|turn| {
                let depth = depth - u32::from(turn.is_some());
                let reply = search(&after(position, turn), depth);
                is_complete = reply.is_some();
                reply.map(|reply| found(turn, -reply.value))
            });
            each.collect()
        };
        moves.sort_by_key(|known| Reverse(known.value));
        self.unstored = moves;
        is_complete
    }

    /// The root's moves, the one to play first. Only as many as were asked for have exact values; the others are worth
    /// at most what is said of them or, where the tree did not fit, have their static values.
    pub fn root_moves(&self) -> Vec<RootMove<G::Move>> {
        let mut moves = self.unstored.clone();
        let is_new = |other: &RootMove<G::Move>| self.unstored.iter().all(|known| known.line[0] != other.line[0]);
        moves.extend(self.explorer.root_moves().into_iter().filter(is_new));
        moves
    }

    /// The work of the last search.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// Nodes of the kept tree.
    pub fn stored_nodes(&self) -> u64 {
        self.explorer.stored_nodes()
    }

    /// Nodes below a position that is the root or a few turns below it, if it is in the kept tree.
    pub fn nodes_below(&self, position: &G) -> Option<u64> {
        self.explorer.nodes_below(position)
    }
}

impl KorfAlphaBeta<Position> {
    /// The engine for Othello.
    pub fn engine(memory: usize) -> KorfAlphaBeta<Position> {
        KorfAlphaBeta::new(&Position::START, EndValues::Outcome, memory)
    }

    fn report(&self, task: &Task, control: &Control, depth: SearchDepth, exact: usize) -> Report {
        let mut lines: Vec<Line> = Vec::new();
        for (i, root_move) in self.root_moves().into_iter().enumerate() {
            let (pv, _) = line_to(&root_move.line);
            let is_exact =
                i < exact || task.margin.is_some_and(|m| root_move.value >= lines[0].score.units() - m.units());
            let bound = if is_exact { Bound::Exact } else { Bound::Upper };
            let depth = if root_move.is_solved() { SearchDepth::Exact } else { depth };
            lines.push(Line { bound, ..Line::new(pv, Score::from_units(root_move.value), depth) });
        }
        lines.truncate(task.lines_to_report(&lines));
        let memory = MemoryUse {
            tree_bytes: self.explorer.stored_bytes(),
            tree_nodes: self.explorer.stored_nodes(),
            ..MemoryUse::default()
        };
        let depth = least_depth(&lines);
        self.work.report(lines, depth, memory, control)
    }
}

impl Search for KorfAlphaBeta<Position> {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let depth = control.limits().depth.map_or(DEFAULT_DEPTH, Depth::plies);
        let mut questions = 0;
        let mut stopped = false;
        let mut stop = |work: &Work| {
            questions += 1;
            if questions % CLOCK_EVERY == 0 || is_spent(control, work) {
                stopped = stopped || control.must_stop(work.nodes, work.evaluations);
            }
            stopped
        };
        let wanted = (task.lines.max(1), task.margin.map(|margin| margin.units()));
        let complete = self.search(&task.position, task.contempt, depth.into(), wanted, &*task.evaluator, &mut stop);
        let depth = if complete { depth } else { 1 };
        let report = self.report(task, control, SearchDepth::Plies(depth), task.lines);
        sink(&report);
        report
    }

    fn clear(&mut self) {
        self.explorer.clear();
        self.depth = 0;
    }
}

/// Whether a limit that is counted, not timed, is reached.
fn is_spent(control: &Control, work: &Work) -> bool {
    let limits = control.limits();
    limits.evaluations.is_some_and(|limit| work.evaluations >= limit)
        || limits.nodes.is_some_and(|limit| work.nodes >= limit)
}
