//! The search itself, for any game: down to a leaf, expand it, back up.

use super::arena::{DEEP, INFINITY, Node, PARTIAL, REGROWING};
use super::chance::{Chance, NO_PULL};
use super::exploration::Exploration;
use super::extension::Start;
use super::memory::OnMemoryCap;
use super::tree::{Full, Tree, after};
use super::{KorfSettings, LeafSolver, Rules, Work};
use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::rbfms::{RbfmsSettings, Recursion};
use crate::search::{Contempt, Score};
use std::collections::HashSet;

/// Nodes of cut-off subtrees freed at each iteration: more than one makes, so that the work ends.
pub(super) const SWEEP: usize = 64;
/// Nodes freed at a time when one iteration needs memory at once.
pub(super) const SWEEP_FOR_ROOM: usize = 1024;
/// When several lines are wanted, one iteration in so many goes to the least visited of those behind the first.
const LINES_EVERY: u64 = 3;
/// When several lines are wanted, or leaves are chosen by more than their value, an iteration in linear space ends after so
/// many expansions, and later ones below the same leaf after more: each begins anew, and has to get further. The fewer, the
/// more leaves have their turn: 64 lose against stopping at the cap (`docs/lab-notebook.md`).
const SLICE: u64 = 2;
/// Where visits count choices, a slice is so many times as long as the one before: fast enough that a proof gets done, and hardly
/// more than linear for the leaves that are chosen a few times.
const SLICE_GROWTH: f64 = 1.25;

/// One node of the current path.
#[derive(Clone, Debug)]
pub(super) struct Step<G: Game> {
    pub node: u32,
    pub position: G,
    /// The turn that led here; `None` for a pass, and at the root.
    pub turn: Option<G::Move>,
    /// Plies from the root, passes not counted.
    pub plies: u32,
    /// The last iteration for which the search stays below this node without asking whether another one is due.
    pub until: u64,
    /// The node's chance as its parent knows it.
    pub told: Chance,
}

/// What an iteration came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A leaf was expanded or solved.
    Grown,
    /// There is nothing left to do: the result is known, the depth is reached, or the principal leaf is won.
    Done,
    /// The iteration was stopped before it was complete: from outside, or for want of memory.
    Stopped,
}

/// A best-first search of one game, with its tree.
pub struct Explorer<G: Game> {
    pub(super) settings: KorfSettings,
    pub(super) tree: Tree<G>,
    pub(super) rules: Rules,
    pub(super) work: Work,
    /// The path from the root to where the last change came to rest.
    pub(super) path: Vec<Step<G>>,
    solver: Option<Box<dyn LeafSolver<G>>>,
    pub(super) lines: usize,
    pub(super) iterations: u64,
    pub(super) last: Option<G>,
    pub(super) cap_was_reached: bool,
    pub(super) start: Start,
    pub(super) exploration: &'static Exploration,
    /// How far the value of a leaf errs, by its depth in plies below the root, where leaves are chosen by their chances. Empty
    /// where they are chosen by their values.
    pub(super) deviations: Vec<f32>,
    /// Where leaves are chosen by chances: what values are compared with, for Black.
    pub(super) goal: i32,
    /// Expansions since [`Explorer::begin`] after which the goal is looked at again.
    pub(super) next_aim: u64,
    /// Where leaves are chosen by chances: how far up the path the last change was told, and so where the search goes on.
    pub(super) rest: usize,
    /// Whether a change is told later if it is small.
    pub(super) stays: bool,
}

impl<G: Game> Explorer<G> {
    /// A search of this position.
    pub fn new(settings: KorfSettings, position: &G) -> Explorer<G> {
        let tree = Tree::new(settings.memory, settings.shares_positions && position.key().is_some());
        Explorer::with(settings, position, tree)
    }

    /// A search of this position with this tree, which is empty.
    pub(super) fn with(settings: KorfSettings, position: &G, tree: Tree<G>) -> Explorer<G> {
        let rules = Rules { ends: settings.ends, contempt: Contempt::NONE, max: position.mover() };
        let mut explorer = Explorer {
            settings,
            tree,
            rules,
            work: Work::default(),
            path: Vec::new(),
            solver: None,
            lines: 1,
            iterations: 0,
            last: None,
            cap_was_reached: false,
            start: Start::default(),
            exploration: Exploration::get(),
            deviations: Vec::new(),
            goal: 0,
            next_aim: 0,
            rest: 0,
            stays: false,
        };
        explorer.begin(position, Contempt::NONE);
        explorer
    }

    /// Has leaves that the solver takes solved instead of expanded.
    pub fn solve_with(&mut self, solver: Box<dyn LeafSolver<G>>) {
        self.solver = Some(solver);
    }

    /// Begins a search of `position`, which is not over, with what the tree already holds of it.
    ///
    /// If it was reached from the last position in a few turns, the tree below it is kept with its values and visits.
    /// Counts the work from 0 again.
    pub fn begin(&mut self, position: &G, contempt: Contempt) {
        let rules = Rules { ends: self.settings.ends, contempt, max: position.mover() };
        if !self.rules.agree_with(&rules) {
            self.tree.clear();
        }
        self.rules = rules;
        self.tree.move_to(position);
        self.work = Work::default();
        self.lines = 1;
        self.iterations = 0;
        self.last = None;
        self.cap_was_reached = false;
        self.start = Start::default();
        self.restart();
    }

    /// How many of the root's moves are to be well founded and, in the end, solved.
    pub fn want_lines(&mut self, lines: usize) {
        self.lines = lines.max(1);
        self.restart();
    }

    /// Whether more than the best move is wanted.
    pub(super) fn wants_several(&self) -> bool {
        self.lines > 1
    }

    /// Forgets everything; [`Explorer::begin`] comes next.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.path.clear();
        self.goal = 0;
    }

    /// The work since [`Explorer::begin`].
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// The value of the root for its side to move.
    pub fn value(&self) -> i32 {
        self.tree.arena[self.tree.root()].value
    }

    /// A value as clients of Othello see it.
    pub(super) fn score(&self, value: i32) -> Score {
        self.rules.score(value)
    }

    /// Whether the value of the root is the result under perfect play.
    pub fn is_solved(&self) -> bool {
        self.tree.arena[self.tree.root()].is_solved()
    }

    /// Nodes of the stored tree, those not freed yet included.
    pub fn stored_nodes(&self) -> u64 {
        self.tree.nodes() as u64
    }

    /// Nodes below a position that is the root or a few turns below it, if it is in the tree.
    pub fn nodes_below(&self, position: &G) -> Option<u64> {
        self.tree.node_of(position).map(|node| self.tree.arena[node].size.into())
    }

    /// Bytes taken for the stored tree, never more than the settings' `memory`.
    pub fn stored_bytes(&self) -> u64 {
        self.tree.bytes() as u64
    }

    /// The position that the last iteration expanded or solved.
    pub fn last_expanded(&self) -> Option<&G> {
        self.last.as_ref()
    }

    /// Checks that tree and memory are what they claim to be, for tests: children in order, values and proofs as the
    /// children have them, sizes and visits that add up, no node lost, none in two places.
    pub fn audit(&self) -> Result<(), String> {
        let position = self.tree.position().ok_or("there is no tree")?;
        self.tree.audit(position)?;
        if self.goes_by_chances() { self.tree.audit_chances(self.tree.root(), &mut HashSet::new()) } else { Ok(()) }
    }

    /// Begins the next descent at the root.
    pub(super) fn restart(&mut self) {
        self.path.clear();
        self.rest = 0;
        if let Some(position) = self.tree.position() {
            let node = self.tree.root();
            let told = self.tree.arena[node].chance();
            self.path.push(Step { node, position: position.clone(), turn: None, plies: 0, until: 0, told });
        }
    }

    /// Gives the root its children if it has none, so that there is a move to answer with.
    pub fn expand_root(&mut self, evaluator: &dyn Evaluator<G>) {
        let root = self.tree.arena[self.tree.root()];
        if root.is_leaf() || root.has(PARTIAL) {
            self.step(evaluator, &mut |_| false);
        }
    }

    /// One iteration: the principal leaf is expanded, its value backed up.
    ///
    /// `stop` is asked now and then in iterations that take long, those that solve a position or search in linear space.
    pub fn step(&mut self, evaluator: &dyn Evaluator<G>, stop: &mut dyn FnMut(&Work) -> bool) -> Progress {
        if self.tree.has_garbage() {
            self.tree.sweep(SWEEP);
        }
        if self.is_done() {
            return Progress::Done;
        }
        self.descend();
        self.iterations += 1;
        let leaf = self.leaf().clone();
        if self.settings.depth.is_some_and(|deepest| leaf.plies >= deepest) && leaf.plies > 0 {
            return Progress::Done;
        }
        self.last = Some(leaf.position);
        let before = self.tree.arena[leaf.node];
        let (visits, complete) = self.grow(evaluator, stop);
        let settled = self.add_visits(visits);
        if self.tree.arena[leaf.node].is_leaf() {
            self.appraise_leaf();
        }
        self.back_up(before, settled);
        if complete { Progress::Grown } else { Progress::Stopped }
    }

    /// The end of the path.
    pub(super) fn leaf(&self) -> &Step<G> {
        self.path.last().expect("the path begins at the root")
    }

    /// Whether there is nothing left to find out.
    pub(super) fn is_done(&self) -> bool {
        let root = &self.tree.arena[self.tree.root()];
        if root.is_leaf() || root.has(PARTIAL) {
            return false;
        }
        if self.rules.is_final_win(root.value) {
            return true;
        }
        if self.lines == 1 { root.is_solved() } else { self.open_root_moves().next().is_none() }
    }

    /// Goes down from the end of the path, or from the root where other children may be chosen this time, to a node that
    /// has children to get.
    fn descend(&mut self) {
        let from_root = self.settings.exploration != 0.0 || self.lines > 1;
        let mut level = if from_root { 0 } else { self.path.len() - 1 };
        loop {
            if self.learns(level) {
                level = 0;
            }
            let step = &self.path[level];
            let node = self.tree.arena[step.node];
            if node.is_leaf() || node.has(PARTIAL) {
                break;
            }
            let i = if level == 0 && self.lines > 1 { self.choose_at_root() } else { self.choose(&node).unwrap_or(0) };
            let child = node.kids + i as u32;
            level += 1;
            if self.path.get(level).is_some_and(|known| known.node == child) {
                continue;
            }
            self.path.truncate(level);
            self.go_to(child);
        }
        self.path.truncate(level + 1);
    }

    /// Has the node at a level of the path, which may have its children in common with others, learn what came through these. Whether
    /// that changed much: then the nodes above know it too, and the way may lead elsewhere.
    #[inline]
    pub(super) fn learns(&mut self, level: usize) -> bool {
        let node = self.path[level].node;
        let before = self.tree.arena[node];
        level > 0 && self.tree.shares(&before) && self.learn(level, before)
    }

    fn learn(&mut self, level: usize, before: Node<G::Move>) -> bool {
        let node = self.path[level].node;
        self.tree.refresh(node, true);
        self.tree.refresh_chance(node);
        let now = self.tree.arena[node];
        let proofs = (now.lower, now.upper) != (before.lower, before.upper);
        let value = self.is_linear() && now.value != before.value;
        let has_changed = proofs || value || !now.chance().is_near(before.chance());
        if has_changed {
            self.path.truncate(level + 1);
            self.back_up(before, None);
        } else {
            // The nodes above would have to know it.
            self.tree.arena[node] = Node { pulled: now.pulled, ..before };
        }
        has_changed
    }

    /// Gives the leaf at the end of the path the children that its position has elsewhere in the tree. Whether it has some.
    pub(super) fn share(&mut self) -> bool {
        let Step { node, position, .. } = self.path.last().expect("the path begins at the root");
        let (node, before) = (*node, self.tree.arena[*node]);
        let Some(added) = self.tree.share(node, position) else {
            return false;
        };
        self.add_nodes(added);
        self.work.expansions += 1;
        let settled = self.add_visits(1);
        self.back_up(before, settled);
        true
    }

    /// So many nodes more are below the end of the path, which knows it.
    pub(super) fn add_nodes(&mut self, nodes: u32) {
        for step in &self.path[..self.path.len() - 1] {
            let size = &mut self.tree.arena[step.node].size;
            *size = size.saturating_add(nodes);
        }
    }

    /// Adds a child of the last node to the path.
    pub(super) fn go_to(&mut self, child: u32) {
        let turn = self.tree.arena[child].turn;
        let step = self.leaf();
        let (position, plies) = (after(&step.position, turn), step.plies + u32::from(turn.is_some()));
        let told = self.tree.arena[child].chance();
        self.path.push(Step { node: child, position, turn, plies, until: 0, told });
    }

    /// Whether leaves are searched in linear space now.
    pub(super) fn is_linear(&self) -> bool {
        self.cap_was_reached && self.settings.on_memory_cap == OnMemoryCap::Rbfms
    }

    /// The child to go on with, `None` if some thread is at work on all: the one below which a leaf matters most for who wins, or
    /// if that is not asked or nothing is left to find out of it, the best of those that may still change the node's proven value.
    /// In linear space it is not asked: a chance says nothing of how well its leaf was searched, and visits do.
    pub(super) fn choose(&self, node: &Node<G::Move>) -> Option<usize> {
        if self.goes_by_chances() && !self.is_linear() && node.pull > NO_PULL {
            return Some(node.pulled.into());
        }
        let kids = self.tree.arena.block(node.kids, node.count);
        let open = |kid: &Node<G::Move>| -kid.lower > node.lower;
        let c = self.settings.exploration;
        if c == 0.0 { kids.iter().position(open) } else { self.exploration.choose(c, node, kids) }
    }

    /// The root's children that have to be searched on for the wanted lines: not solved, and possibly among the best.
    fn open_root_moves(&self) -> impl Iterator<Item = (usize, &Node<G::Move>)> {
        let kids = self.tree.kids(self.tree.root());
        let mut proven: Vec<i32> = kids.iter().map(|kid| -kid.upper).collect();
        proven.sort_unstable_by_key(|&value| std::cmp::Reverse(value));
        let known = proven[self.lines.min(proven.len()) - 1];
        let is_open = move |kid: &Node<G::Move>| !kid.is_solved() && -kid.lower > known;
        kids.iter().enumerate().filter(move |(_, kid)| is_open(kid))
    }

    /// Shares the iterations among the wanted lines: most go where the search would go anyway, some to the least visited
    /// of the others.
    pub(super) fn choose_at_root(&self) -> usize {
        let is_turn = self.iterations.is_multiple_of(LINES_EVERY);
        if is_turn || self.is_linear() {
            let ranking = self.ranking();
            let wanted = &ranking[..self.lines.min(ranking.len())];
            let behind = self.open_root_moves().filter(|(i, _)| wanted[1..].contains(i));
            // Iterations in linear space differ in length: there the share counts in visits too.
            let all = self.tree.arena[self.tree.root()].visits;
            let share = all / (LINES_EVERY * (wanted.len() as u64 - 1).max(1));
            if let Some((i, kid)) = behind.min_by_key(|(_, kid)| kid.visits)
                && (is_turn || kid.visits < share)
            {
                return i;
            }
        }
        // The move that would be played need not be the best by value: by that it would never be looked at again.
        let root = &self.tree.arena[self.tree.root()];
        if self.goes_by_chances() && !self.is_linear() && root.pull > NO_PULL {
            return root.pulled.into();
        }
        self.open_root_moves().next().map_or(0, |(i, _)| i)
    }

    /// Expands or solves the node at the end of the path; returns the visits that makes and whether it was completed.
    fn grow(&mut self, evaluator: &dyn Evaluator<G>, stop: &mut dyn FnMut(&Work) -> bool) -> (u64, bool) {
        let Step { node, position, .. } = self.leaf().clone();
        let is_inner = self.path.len() > 1;
        if let Some(solver) = self.solver.as_mut().filter(|solver| is_inner && solver.takes(&position)) {
            let exact = solver.solve(&position, self.rules.contempt, &mut self.work, stop);
            let Some(result) = exact else {
                return (0, false);
            };
            let value = self.rules.result(result);
            self.work.expansions += 1;
            self.cut_off(node);
            let turn = self.tree.arena[node].turn;
            let visits = self.tree.arena[node].visits;
            self.tree.arena[node] = Node { visits, ..Node::solved(turn, value) };
            return (1, true);
        }
        if self.try_expand(node, &position, evaluator).is_ok() {
            return (1, true);
        }
        while self.tree.sweep(SWEEP_FOR_ROOM) {
            if self.try_expand(node, &position, evaluator).is_ok() {
                return (1, true);
            }
        }
        if !self.cap_was_reached {
            self.say_that_the_cap_was_reached();
            if self.is_linear() {
                // This path may have been chosen by other rules than those that hold from now on.
                self.restart();
                return (0, true);
            }
        }
        match self.settings.on_memory_cap {
            OnMemoryCap::Rbfms => {}
            OnMemoryCap::Prune => {
                let path: Vec<u32> = self.path.iter().map(|step| step.node).collect();
                self.work.pruned_nodes += self.tree.prune(&path);
                while self.tree.sweep(SWEEP_FOR_ROOM) {
                    if self.try_expand(node, &position, evaluator).is_ok() {
                        return (1, true);
                    }
                }
            }
            OnMemoryCap::Stop => return (0, false),
        }
        self.search_in_linear_space(node, &position, evaluator, stop)
    }

    fn try_expand(&mut self, node: u32, position: &G, evaluator: &dyn Evaluator<G>) -> Result<(), Full> {
        let added = self.tree.expand(node, position, &self.rules, evaluator, INFINITY, &mut self.work)?;
        self.work.expansions += 1;
        self.add_nodes(added);
        self.appraise_kids();
        Ok(())
    }

    /// Cuts off everything below the node at the end of the path.
    fn cut_off(&mut self, node: u32) {
        let mut size = self.tree.collapse(node);
        for step in self.path[..self.path.len() - 1].iter().rev() {
            size = self.tree.arena[step.node].shrink(size);
        }
    }

    /// Whether the tree has filled its memory and that was the end of the search.
    pub(super) fn ended_at_cap(&self) -> bool {
        self.cap_was_reached && self.settings.on_memory_cap == OnMemoryCap::Stop
    }

    pub(super) fn say_that_the_cap_was_reached(&mut self) {
        self.cap_was_reached = true;
        let (nodes, bytes) = (self.stored_nodes(), self.stored_bytes());
        let then = self.settings.on_memory_cap;
        log::info!("the tree is full with {nodes} nodes in {bytes} bytes: {then}");
    }

    /// Lets recursive best-first minimax find the value of the leaf, as long as the leaf stays the principal one, and
    /// where several lines are wanted for a slice of the work at most.
    fn search_in_linear_space(
        &mut self,
        node: u32,
        position: &G,
        evaluator: &dyn Evaluator<G>,
        stop: &mut dyn FnMut(&Work) -> bool,
    ) -> (u64, bool) {
        // Children that alpha-beta left incomplete are generated again with the others.
        self.cut_off(node);
        // A leaf that was chosen for more than its value has no bounds at which to come back.
        let explores = self.settings.exploration != 0.0;
        let (low, high) = if explores { (-INFINITY, INFINITY) } else { self.window() };
        let Node { value, visits, .. } = self.tree.arena[node];
        let is_sliced = self.lines > 1 || explores;
        // Where visits decide what is searched and played, they stand for so many choices: a leaf is chosen once for a slice,
        // however long. By expansions, the few leaves with the longest slices made the choice of the move. Only the shares of
        // several lines are in expansions.
        let counts_choices = explores && self.lines == 1;
        let slice = if counts_choices {
            // Visits kept from before may be expansions: no slice is longer than all that the search has done so far.
            let grown = (SLICE as f64 * SLICE_GROWTH.powf(visits as f64)) as u64;
            grown.min(self.work.expansions.max(SLICE))
        } else if is_sliced {
            SLICE.max(2 * visits)
        } else {
            u64::MAX
        };
        let slice_end = self.work.expansions.saturating_add(slice);
        let mut is_over = false;
        let mut observe = |call: crate::search::rbfms::Call<'_, G>| {
            let stopped = stop(call.work);
            is_over = !stopped && call.work.expansions >= slice_end;
            stopped || is_over
        };
        // The value at the end of a slice is to be no bound.
        let settings = RbfmsSettings { early_return: !is_sliced, ..RbfmsSettings::default() };
        let solver = self.solver.as_deref_mut();
        let mut recursion = Recursion::new(self.rules, settings, evaluator, solver, self.work, &mut observe);
        let answer = recursion.run(position, value, low, high, 0);
        let was_stopped = recursion.was_stopped();
        let expansions = recursion.work.expansions - self.work.expansions;
        self.work = recursion.work;
        let stopped = was_stopped && !is_over;
        if !stopped {
            let leaf = &mut self.tree.arena[node];
            leaf.value = answer.value.clamp(leaf.lower, leaf.upper);
            leaf.flags = DEEP;
            if answer.solved {
                *leaf = Node { visits: leaf.visits, ..Node::solved(leaf.turn, answer.value) };
            }
        }
        let visits = if counts_choices { u64::from(!stopped) } else { expansions };
        (visits, !stopped)
    }

    /// The bounds between which the leaf at the end of the path stays the one to expand, for its side to move.
    fn window(&self) -> (i32, i32) {
        let (mut low, mut high) = (-INFINITY, INFINITY);
        for pair in self.path.windows(2) {
            let parent = self.tree.arena[pair[0].node];
            let kids = self.tree.arena.block(parent.kids, parent.count);
            let i = (pair[1].node - parent.kids) as usize;
            // The next best open sibling takes over when this child falls behind it. A better one that the search leaves
            // alone, being solved or visited enough, holds the parent's value: then `low` is no bound. Nor does it bound
            // from above, see `Recursion::expand_best`.
            let is_rival = |kid: &Node<G::Move>| kid.value >= kids[i].value && -kid.lower > parent.lower;
            let others = || kids.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, kid)| kid);
            let next = others().filter(|kid| is_rival(kid)).map(|kid| -kid.value).max().unwrap_or(-INFINITY);
            let held = others().any(|kid| !is_rival(kid) && -kid.value >= low);
            low = if held { next } else { next.max(low) };
            (low, high) = (-high, -low);
        }
        (low, high)
    }

    /// Counts visits along the path; returns the highest level at which a regrown subtree now speaks for its node.
    pub(super) fn add_visits(&mut self, visits: u64) -> Option<usize> {
        let mut settled = None;
        for (level, step) in self.path.iter().enumerate().rev() {
            let node = &mut self.tree.arena[step.node];
            node.visits += visits;
            if node.has(REGROWING) && !node.is_leaf() && self.tree.trust_regrown(step.node) {
                settled = Some(level);
            }
        }
        settled
    }

    /// Carries the change at the end of the path up until nothing changes any more, and ends the path there.
    pub(super) fn back_up(&mut self, before: Node<G::Move>, settled: Option<usize>) {
        let mut level = self.path.len() - 1;
        if settled == Some(level) {
            self.tree.refresh(self.path[level].node, true);
        }
        if self.goes_by_chances() {
            return self.back_up_chances(before, settled);
        }
        let mut before = before;
        while level > 0 {
            let (child, parent) = (self.path[level].node, self.path[level - 1].node);
            let now = &self.tree.arena[child];
            let proofs = (now.lower, now.upper) != (before.lower, before.upper);
            let value = now.value != before.value;
            if !value && !proofs && settled.is_none_or(|highest| level <= highest) {
                break;
            }
            let above = &self.tree.arena[parent];
            let i = child - above.kids;
            before = *above;
            if value {
                self.tree.reposition(parent, i as usize);
            }
            self.tree.refresh(parent, proofs);
            level -= 1;
        }
        self.path.truncate(level + 1);
    }
}
