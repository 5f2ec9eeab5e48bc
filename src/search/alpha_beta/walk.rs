//! One thread's walk through the tree: principal variation search of one position to a depth or to the end.

use super::selective::{Boldness, CUT_FROM};
use super::split::{Pool, Split};
use crate::eval::{ErrorModel, Incremental, STATIC_LIMIT};
use crate::game::DISC;
use crate::othello::{Bitboard, Empties, Position, Square, flips};
use crate::search::endgame::{self, LocalTable, Solver};
use crate::search::ordering::{self, Candidate, Candidates};
use crate::search::selectivity::Selectivity;
use crate::search::transposition::{Entry, TO_THE_END, TranspositionTable};
use crate::search::{BEYOND, Contempt, Control, Limits, Task};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Nodes between two looks at the clock.
const CHECK_INTERVAL: u64 = 4096;
/// Number of empty squares up to which the endgame solver works alone: it needs no evaluation to order its moves.
pub(in crate::search) const SOLVER_EMPTIES: Empties = Empties::new(13).unwrap();
/// Depth in plies from which on the table is probed and moves are sorted by value.
pub(in crate::search) const DEEP_FROM: u8 = 3;
/// Depth in plies from which on the positions behind all moves are looked for in the table before one of them is searched.
const ENHANCED_CUTOFF_FROM: u8 = 5;
/// Depth in plies from which on a node may be shared between threads.
pub(super) const SHARE_FROM: u8 = 5;
/// Number of empty squares from which on a node of a search to the end may be shared between threads.
pub(super) const SHARE_TO_END_FROM: u8 = 16;

/// A position with what the evaluation keeps beside it.
#[derive(Clone, Copy)]
pub(in crate::search) struct Node<S> {
    pub position: Position,
    pub state: S,
}

/// The best of the moves tried so far.
#[derive(Clone, Copy)]
pub(in crate::search) struct Found {
    pub value: i32,
    pub square: Option<Square>,
}

/// What all threads of a search share.
pub(in crate::search) struct Shared<'a, E: Incremental> {
    pub evaluation: &'a E,
    pub errors: Option<&'a ErrorModel>,
    pub table: &'a TranspositionTable,
    pub contempt: Contempt,
    pub control: &'a Control,
    pub pool: Pool<E::State>,
    /// Whether values are wanted, and not a move to play.
    pub is_analysis: bool,
    /// Whether the value of a turn at the root is found by null windows alone.
    pub is_mtdf: bool,
    /// Whether the search was stopped: the values returned from then on mean nothing.
    stopped: AtomicBool,
    nodes: AtomicU64,
    evaluations: AtomicU64,
    /// Positions after which the search stops too, whatever the control says.
    quota: AtomicU64,
    /// What a thread beside others may count before it tells them: so all together go beyond a limit by 1 %, or by 50, and by what the solver
    /// counts before it looks.
    pub slack: u64,
}

impl<'a, E: Incremental> Shared<'a, E> {
    pub(in crate::search) fn new(
        evaluation: &'a E,
        task: &'a Task,
        table: &'a TranspositionTable,
        control: &'a Control,
    ) -> Shared<'a, E> {
        Shared {
            evaluation,
            errors: task.evaluator.error_model(),
            table,
            contempt: task.contempt,
            control,
            pool: Pool::default(),
            is_analysis: task.is_analysis,
            is_mtdf: false,
            stopped: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
            quota: AtomicU64::new(u64::MAX),
            slack: u64::MAX,
        }
    }

    /// The selectivity of cuts where this one is asked for: without an error model nothing can be cut.
    pub(in crate::search) fn possible(&self, selectivity: Selectivity) -> Selectivity {
        if self.errors.is_some() { selectivity } else { Selectivity::NONE }
    }

    /// This state with counts that begin at those of an earlier search.
    pub(in crate::search) fn counting_from(self, (nodes, evaluations): (u64, u64)) -> Shared<'a, E> {
        Shared { nodes: AtomicU64::new(nodes), evaluations: AtomicU64::new(evaluations), ..self }
    }

    /// The state of a search by this number of threads: each looks at the limits often enough that together they keep them.
    pub(in crate::search) fn for_threads(self, threads: usize) -> Shared<'a, E> {
        let Limits { nodes, evaluations, .. } = *self.control.limits();
        let least = nodes.into_iter().chain(evaluations).min();
        let slack =
            least.filter(|_| threads > 1).map_or(u64::MAX, |limit| ((limit / 100).max(50) / threads as u64).max(1));
        Shared { slack, ..self }
    }

    pub(in crate::search) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops the search.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Stops the search if these counts, the clock or a client say so. Returns whether it is stopped.
    fn stop_at_limits(&self, nodes: u64, evaluations: u64) -> bool {
        if self.control.must_stop(nodes, evaluations) || nodes >= self.quota.load(Ordering::Relaxed) {
            self.stop();
        }
        self.is_stopped()
    }

    /// Positions after which a thread looks at the clock and at the limits: fewer where the limits are near, so that all threads together keep them.
    fn positions_to_next_look(&self, (nodes, evaluations): (u64, u64)) -> u64 {
        let (nodes_left, evaluations_left) = self.control.limits().left(nodes, evaluations);
        let quota_left = self.quota.load(Ordering::Relaxed).saturating_sub(nodes);
        nodes_left.min(evaluations_left).min(quota_left).min(self.slack).clamp(1, CHECK_INTERVAL)
    }

    /// Adds positions visited and evaluations made; returns those of all threads, as far as they have added them.
    fn add(&self, nodes: u64, evaluations: u64) -> (u64, u64) {
        let all = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        (all, self.evaluations.fetch_add(evaluations, Ordering::Relaxed) + evaluations)
    }

    /// Positions visited and static evaluations made by all threads, as far as they have added them.
    pub(in crate::search) fn counts(&self) -> (u64, u64) {
        (self.nodes.load(Ordering::Relaxed), self.evaluations.load(Ordering::Relaxed))
    }
}

/// One thread at work.
pub(in crate::search) struct Walk<'a, E: Incremental> {
    pub shared: &'a Shared<'a, E>,
    /// What it may leave out, and what it may search deeper.
    pub boldness: Boldness,
    /// The innermost shared node that this walk is below.
    pub(in crate::search) below: Option<Arc<Split<E::State>>>,
    /// The endgame solver's own table.
    local: LocalTable,
    /// Killer moves: what was last good enough one ply above the leaves, by the parity of the empty squares: of each side one, but for passes.
    killers: [Bitboard; 2],
    /// Nodes counted here and not yet added to the shared counts.
    nodes: u64,
    evaluations: u64,
    /// Nodes counted here at which it is time to add them to the shared counts.
    next_look: u64,
}

impl<'a, E: Incremental> Walk<'a, E> {
    pub(in crate::search) fn new(shared: &'a Shared<'a, E>) -> Walk<'a, E> {
        Walk {
            shared,
            boldness: Boldness::of(Selectivity::NONE),
            below: None,
            local: LocalTable::default(),
            killers: [Bitboard::EMPTY; 2],
            nodes: 0,
            evaluations: 0,
            next_look: shared.positions_to_next_look(shared.counts()),
        }
    }

    pub(in crate::search) fn node(&self, position: Position) -> Node<E::State> {
        Node { position, state: self.shared.evaluation.state(&position) }
    }

    /// Begins a search that may visit `positions` positions more, whether the last one was stopped or not. Only for a thread that
    /// searches alone.
    pub(in crate::search) fn begin(&mut self, positions: u64) {
        self.report_counts();
        self.shared.quota.store(self.shared.counts().0.saturating_add(positions), Ordering::Relaxed);
        self.shared.stopped.store(false, Ordering::Relaxed);
        self.next_look = self.shared.positions_to_next_look(self.shared.counts());
    }

    /// Adds what this thread has counted to what is shared, and asks whether the search must stop.
    pub(in crate::search) fn report_counts(&mut self) -> bool {
        let shared = self.shared;
        let (nodes, evaluations) = shared.add(self.nodes, self.evaluations);
        (self.nodes, self.evaluations) = (0, 0);
        self.next_look = shared.positions_to_next_look((nodes, evaluations));
        shared.stop_at_limits(nodes, evaluations)
    }

    /// Whether what this walk finds is not wanted any more: the search was stopped, or a shared node above was decided.
    #[inline]
    pub(in crate::search) fn is_idle(&self) -> bool {
        self.shared.is_stopped() || self.below.as_ref().is_some_and(|split| split.is_decided())
    }

    /// Counts a node and, at [`Walk::next_look`], adds the counts to the shared ones. Returns whether to give up.
    #[inline]
    fn count(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes >= self.next_look {
            self.report_counts();
        }
        self.is_idle()
    }

    pub(in crate::search) fn after(&self, node: &Node<E::State>, square: Square, turned: Bitboard) -> Node<E::State> {
        Node {
            position: node.position.after_turning(square, turned),
            state: self.shared.evaluation.after(&node.state, square, turned),
        }
    }

    fn pass(&self, node: &Node<E::State>) -> Node<E::State> {
        Node { position: node.position.pass(), state: self.shared.evaluation.pass(&node.state) }
    }

    /// The value of a position for its side to move, searched `depth` plies, or to the end if that is not further: exact between `alpha`
    /// and `beta`, else a bound on the side of the one it passes. A pass costs no depth.
    pub(in crate::search) fn value(&mut self, node: &Node<E::State>, depth: u8, alpha: i32, beta: i32) -> i32 {
        let empties = node.position.empty_count();
        if empties.are_within(depth) {
            return self.search_to_the_end(node, empties, alpha, beta);
        }
        self.search_to_depth(node, depth, alpha, beta)
    }

    fn search_to_the_end(&mut self, node: &Node<E::State>, empties: Empties, alpha: i32, beta: i32) -> i32 {
        if empties > SOLVER_EMPTIES {
            return self.deep(node, empties.count(), true, alpha, beta);
        }
        // The window of whole discs that distinguishes the same values.
        let (low, high) = (alpha.div_euclid(DISC), -(-beta).div_euclid(DISC));
        self.solve(&node.position, low, high) * DISC
    }

    /// The exact result in discs, by the endgame solver alone. Each position that it visits counts as an evaluation too, so that a limit
    /// of evaluations bounds it.
    pub(in crate::search) fn solve(&mut self, position: &Position, alpha: i32, beta: i32) -> i32 {
        // With counts not yet added a search with a small quota would go far beyond it.
        if self.nodes >= self.next_look && self.report_counts() {
            return 0;
        }
        let shared = self.shared;
        let below = self.below.clone();
        let (mut reported, waiting) = (0, self.unreported());
        let mut go_on = |nodes: u64| {
            let (all, evaluations) = shared.add(nodes - reported, nodes - reported);
            reported = nodes;
            let counts = (all + waiting.0, evaluations + waiting.1);
            let is_over =
                shared.stop_at_limits(counts.0, counts.1) || below.as_ref().is_some_and(|split| split.is_decided());
            (!is_over).then(|| shared.positions_to_next_look(counts))
        };
        let mut solver = Solver::new(shared.table, shared.contempt, &mut self.local, &mut go_on);
        solver.next_check = self.next_look.saturating_sub(self.nodes);
        let value = solver.solve(position, alpha, beta);
        let unreported = solver.nodes - reported;
        self.nodes += unreported;
        self.evaluations += unreported;
        if reported > 0 {
            self.report_counts();
        }
        value
    }

    /// The value of a node searched to a depth short of the end.
    pub(super) fn search_to_depth(&mut self, node: &Node<E::State>, depth: u8, alpha: i32, beta: i32) -> i32 {
        match depth {
            0 => {
                self.nodes += 1;
                self.leaf(node)
            }
            1..DEEP_FROM => self.shallow(node, depth, alpha, beta),
            _ => self.deep(node, depth, false, alpha, beta),
        }
    }

    /// The static value with its tempo, or the result if the game is over.
    pub(in crate::search) fn leaf(&mut self, node: &Node<E::State>) -> i32 {
        if node.position.moves().is_empty() && node.position.is_over() {
            return self.shared.contempt.outcome(&node.position);
        }
        self.evaluations += 1;
        let tempo = self.shared.errors.map_or(0, |errors| errors.tempo(node.position.empty_count()));
        (self.shared.evaluation.value(&node.state, &node.position) + tempo).clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }

    /// Nodes and evaluations not yet added to the shared counts.
    #[inline]
    pub(in crate::search) fn unreported(&self) -> (u64, u64) {
        (self.nodes, self.evaluations)
    }

    /// Counts nodes that were visited without a search.
    pub(in crate::search) fn count_visited(&mut self, nodes: u64) {
        self.nodes += nodes;
    }

    /// The value of a node in the last plies before the evaluation, without the table.
    fn shallow(&mut self, node: &Node<E::State>, depth: u8, alpha: i32, beta: i32) -> i32 {
        if self.count() {
            return 0;
        }
        let moves = node.position.moves();
        if moves.is_empty() {
            let passed = self.pass(node);
            return if passed.position.moves().is_empty() {
                self.shared.contempt.outcome(&node.position)
            } else {
                -self.shallow(&passed, depth, -beta, -alpha)
            };
        }
        if depth >= CUT_FROM
            && beta - alpha == 1
            && let Some(value) = self.probcut(node, depth, false, beta)
        {
            return value;
        }
        let mut best = -BEYOND;
        if depth == 1 {
            let parity = node.position.empty_count().index() % 2;
            for square in ordering::by_square(moves, self.killers[parity]) {
                let turned = flips(square, node.position.player(), node.position.opponent());
                let child = self.after(node, square, turned);
                self.nodes += 1;
                best = best.max(-self.leaf(&child));
                if best >= beta {
                    self.killers[parity] = square.bit();
                    break;
                }
            }
            return best;
        }
        let mut children = Candidates::none();
        children.add(&node.position, moves);
        children.sort_by_replies(None);
        for candidate in children.iter() {
            let child = self.after(node, candidate.square, candidate.turned);
            best = best.max(-self.shallow(&child, depth - 1, -beta, -alpha.max(best)));
            if best >= beta {
                break;
            }
        }
        best
    }

    /// Fail-soft principal variation search of a node some plies before its leaves; `solving` if these are the ends of
    /// the game.
    fn deep(&mut self, node: &Node<E::State>, depth: u8, solving: bool, alpha: i32, beta: i32) -> i32 {
        if self.count() {
            return 0;
        }
        let position = &node.position;
        let moves = position.moves();
        if moves.is_empty() {
            let passed = self.pass(node);
            return if passed.position.moves().is_empty() {
                self.shared.contempt.outcome(position)
            } else {
                -self.deep(&passed, depth, solving, -beta, -alpha)
            };
        }
        if let Some(limit) = endgame::stability_limit(position, self.shared.contempt, alpha.div_euclid(DISC)) {
            return limit * DISC;
        }
        let (mut alpha, mut beta) = (alpha, beta);
        let table_depth = if solving { TO_THE_END } else { depth };
        let entry = self.shared.table.probe(position);
        if let Some(known) = entry.filter(|entry| entry.covers(table_depth, self.boldness.selectivity)) {
            if let Some(value) = known.decides(alpha, beta) {
                return value;
            }
            (alpha, beta) = (alpha.max(known.lower), beta.min(known.upper));
        }
        if beta - alpha == 1
            && let Some(value) = self.probcut(node, depth, solving, beta)
        {
            return value;
        }
        let mut children = Candidates::none();
        children.add(position, moves);
        if depth >= ENHANCED_CUTOFF_FROM
            && let Some(value) = self.enhanced_cutoff(&children, table_depth, depth, beta)
        {
            return value;
        }
        // The move that the table remembers is often all that is needed; then the others need no order.
        let first = children.lead(entry.and_then(|entry| entry.best));
        let singular = self.singular(node, depth, entry, &children);
        if self.is_idle() {
            return 0;
        }
        let mut found = Found { value: -BEYOND, square: None };
        let share_from = if solving { SHARE_TO_END_FROM } else { SHARE_FROM };
        for i in 0..children.len() {
            if i == usize::from(first.is_some()) {
                self.sort(&mut children, node, depth, solving, alpha.max(found.value), first);
                if self.is_idle() {
                    return 0;
                }
            }
            let candidate = &children[i];
            if i > 0 && depth >= share_from && children.len() - i > 1 && self.shared.pool.wants_work() {
                if let Some(all) = self.share(node, depth, singular, (alpha, beta), found, &children[i..]) {
                    found = all;
                    break;
                }
                return 0;
            }
            let child = self.after(node, candidate.square, candidate.turned);
            let bound = alpha.max(found.value);
            let plies = depth - u8::from(singular != Some(candidate.square));
            let value = self.child_value(&child, plies, found.square.is_some(), bound, beta);
            if self.is_idle() {
                return 0;
            }
            if value > found.value {
                found = Found { value, square: Some(candidate.square) };
                if value >= beta {
                    break;
                }
            }
        }
        let entry = Entry::of_search(found.value, (alpha, beta), table_depth, self.boldness.selectivity, found.square);
        self.shared.table.store(position, entry);
        found.value
    }

    /// The value of a move for the side that makes it: a null window first if another move came before it.
    #[inline]
    pub(in crate::search) fn child_value(
        &mut self,
        child: &Node<E::State>,
        depth: u8,
        scout: bool,
        bound: i32,
        beta: i32,
    ) -> i32 {
        if scout && beta - bound > 1 {
            let value = -self.value(child, depth, -bound - 1, -bound);
            if value <= bound || value >= beta || self.is_idle() {
                return value;
            }
        }
        -self.value(child, depth, -beta, -bound)
    }

    /// Enhanced transposition cut-off: the value of a move that is good enough by what the table knows of the position behind it.
    fn enhanced_cutoff(&self, children: &Candidates, table_depth: u8, depth: u8, beta: i32) -> Option<i32> {
        let needed = if table_depth == TO_THE_END { TO_THE_END } else { depth - 1 };
        children.values_in_table(self.shared.table, needed, self.boldness.selectivity).find(|&value| value >= beta)
    }

    /// Puts the moves in the order in which they are to be tried.
    pub(in crate::search) fn sort(
        &mut self,
        children: &mut Candidates,
        node: &Node<E::State>,
        depth: u8,
        solving: bool,
        alpha: i32,
        first: Option<Square>,
    ) {
        let look = ordering::sorting_depth(depth, solving);
        let boldness = self.boldness;
        self.boldness = boldness.without_probes();
        children.sort_by(first, |candidate: &Candidate| {
            let child = self.after(node, candidate.square, candidate.turned);
            let value = if look == 0 {
                self.evaluations += 1;
                self.shared.evaluation.value(&child.state, &child.position)
            } else {
                // Bounds far below what is needed need not be distinguished.
                self.search_to_depth(&child, look, -BEYOND, ordering::HOPELESS - alpha)
            };
            value + ordering::cost_of_replies(&candidate.child, look, solving)
        });
        self.boldness = boldness;
    }

    /// What a helping thread does: work wherever there is some, until the pool is closed.
    pub(super) fn help(&mut self) {
        let pool = &self.shared.pool;
        while let Some(split) = pool.join(None, || pool.is_closed()) {
            self.work_at(&split);
            self.report_counts();
            pool.leave(&split);
        }
    }

    /// Searches the last moves of a node together with others. `None` if the result is not wanted any more.
    fn share(
        &mut self,
        node: &Node<E::State>,
        depth: u8,
        singular: Option<Square>,
        window: (i32, i32),
        found: Found,
        children: &[Candidate],
    ) -> Option<Found> {
        let child = |candidate: &Candidate| (candidate.square, self.after(node, candidate.square, candidate.turned));
        let moves = children.iter().map(child).collect();
        let split = Split::new(self.below.clone(), moves, (depth, singular), window, self.boldness, found);
        let pool = &self.shared.pool;
        pool.publish(&split);
        self.work_at(&split);
        pool.withdraw(&split);
        // No thread can join any more: help those that are still at work. One that has panicked does not leave.
        while let Some(other) = pool.join(Some(&split), || split.is_left_alone() || pool.is_closed()) {
            self.work_at(&other);
            pool.leave(&other);
        }
        (!self.is_idle()).then(|| split.best())
    }

    /// Searches moves of a shared node until there are none left or it is decided.
    fn work_at(&mut self, split: &Arc<Split<E::State>>) {
        let below = self.below.replace(split.clone());
        let boldness = std::mem::replace(&mut self.boldness, split.boldness);
        while !self.is_idle() {
            let Some((square, child, bound)) = split.take() else { break };
            let value = self.child_value(child, split.depth_below(square), true, bound, split.beta);
            if self.is_idle() {
                break;
            }
            split.hand_in(square, value);
        }
        (self.below, self.boldness) = (below, boldness);
    }
}
