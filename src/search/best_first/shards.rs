//! One search in several trees: threads that share one tree of static leaves would do nothing but wait for each other.
//!
//! The positions near the root are a small tree, the top. Each of its leaves has a shard: a tree of its own, which holds what is below.
//! A worker checks one out, searches in it for a while undisturbed, and reports to the top; the others go to the next leaves of the
//! top meanwhile ([`Checkout`]). A shard reports of its root what the node there would be in a single tree, so the choice of what to
//! search is the same, only made anew less often. A shard that has become too large a part of the search for one worker is split: the
//! top gets its root's children, and each of these a shard.
//!
//! The price: a position that is reached in several shards is searched in each of them. And at the memory cap whole shards are freed,
//! one at a time, before the rule for the cap is applied.

use super::checkout::{Checkout, ShardMaker, SplitChild, split};
use super::core::{SWEEP_FOR_ROOM, Step, Way};
use super::relevance::{ByRelevance, OneTree};
use super::report::report_of;
use super::searched_leaves::SearchedLeaves;
use super::{Explorer, OnMemoryCap, Policy, RootMove, Rules, Work};
use crate::eval::Incremental;
use crate::othello::{Position, Square};
use crate::search::tree::chance::Chance;
use crate::search::tree::{ChunkPool, Full, Node, REGROWING, Tree, after};
use crate::search::{Control, MemoryUse, Report, Task};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// The part of a thread's share of the search's expansions, 1/8, above which a shard is split.
const PARTS: u64 = 8;
/// Expansions below which a shard is not split.
const LEAST_SPLIT: u64 = 256;
/// Memory of the top, in bytes.
const TOP_BYTES: usize = 1 << 20;
/// The part of the shards' memory, 1/10, that is not for nodes but for what else a shard takes.
const NOT_FOR_NODES: usize = 10;
/// Bytes of memory below which there are no shards: each has a chunk of nodes for itself, however small it is.
pub(super) const LEAST_MEMORY: usize = 16 << 20;
/// The part of the memory, 1/64, that is freed at a time at the memory cap, at least.
const FREED: u64 = 64;
/// Leaves that wait for a shard that is checked out, at most: a node counts these and its check-outs in one byte.
const MOST_WAITING: usize = 60;
/// Shards in which a new root is looked for at most, the largest ones.
const MOST_SHARDS_AROUND: usize = 8;

/// The trees of one search.
pub(super) struct Shards {
    /// How new shards are made.
    pub(super) maker: ShardMaker,
    pub(super) top: OneTree,
    shards: HashMap<Position, Shard>,
    /// Nodes and bytes of the shards as they were when they were checked in.
    size: (u64, u64),
    /// Number of check-outs.
    clock: u64,
    /// Leaves that wait for a shard.
    waiting: usize,
}

/// What is below a leaf of the top.
#[derive(Default)]
pub(super) struct Shard {
    /// The shard's search, unless a worker has it.
    search: Option<Box<OneTree>>,
    /// While a worker has it: the expected play as it was, if the shard is in that of one of the root's moves.
    line: Vec<Option<Square>>,
    /// Other leaves of its position, to which searches came while a worker had it: the paths to them, and their chances.
    waiting: Vec<(Vec<Step<Position>>, Chance)>,
    /// The shard's nodes and bytes.
    size: (u64, u64),
    /// The clock, counted in check-outs, when the shard was checked out or made for the last time.
    last: u64,
}

impl Shards {
    /// Trees without anything in them yet; `memory` in bytes for all together.
    pub(super) fn new(memory: usize, on_memory_cap: OnMemoryCap, rules: Rules, position: &Position) -> Shards {
        let policy = ByRelevance::default();
        let top = Explorer::with_tree(policy, rules, Tree::new(TOP_BYTES, true), on_memory_cap, position);
        let bytes = memory.saturating_sub(TOP_BYTES);
        let pool = ChunkPool::for_several(bytes - bytes / NOT_FOR_NODES);
        let maker = ShardMaker { pool, memory, exploration: 0.0 };
        Shards { maker, top, shards: HashMap::new(), size: (0, 0), clock: 0, waiting: 0 }
    }

    /// Begins a search with what the trees hold of its position, if that `is_kept`.
    pub(super) fn begin(&mut self, task: &Task, exploration: f32, is_kept: bool) {
        let mut rules = self.top.rules;
        (rules.contempt, rules.max) = (task.contempt, task.position.mover());
        if !is_kept || !self.top.rules.agree_with(&rules) {
            self.clear();
        }
        let mut goal = None;
        if self.top.tree.node_of(&task.position).is_none() {
            let shard = self.shard_around(&task.position);
            self.clear();
            if let Some(search) = shard {
                goal = Some(search.policy.goal);
                self.put(task.position, search);
            }
        }
        self.top.begin(&task.position, task.contempt);
        if let Some(goal) = goal {
            self.top.policy.goal = goal;
        }
        self.top.want_lines(task.lines);
        while self.top.tree.sweep(SWEEP_FOR_ROOM) {}
        let places = self.top.tree.places().into_iter();
        let leaves = places.filter(|&(node, _)| self.top.tree.arena[node].is_leaf());
        let leaves: HashSet<Position> = leaves.map(|(_, position)| position).collect();
        self.shards.retain(|position, shard| shard.search.is_some() && leaves.contains(position));
        self.top.policy.exploration = exploration;
        self.maker.exploration = exploration;
        for search in self.shards.values_mut().filter_map(|shard| shard.search.as_mut()) {
            search.rules = rules;
            search.work = Work::default();
            search.policy.exploration = exploration;
        }
        let sizes = self.shards.values().map(|shard| shard.size);
        self.size = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        if self.top.tree.kids(self.top.tree.root()).is_empty() {
            self.move_to_top(&task.position);
        }
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.top.clear();
        self.shards.clear();
        self.size = (0, 0);
    }

    /// The tree of this position, if it is somewhere in a shard.
    fn shard_around(&mut self, position: &Position) -> Option<Box<OneTree>> {
        let discs = |position: &Position| position.player() | position.opponent();
        let may_be = |root: &Position| (discs(root) & !discs(position)).is_empty();
        let around = self.shards.iter_mut().filter(|(root, _)| may_be(root));
        let mut around: Vec<&mut Shard> = around.map(|(_, shard)| shard).collect();
        around.sort_unstable_by_key(|shard| Reverse(shard.size));
        let mut found = around.into_iter().take(MOST_SHARDS_AROUND);
        let is_around = |search: &OneTree| search.tree.node_of(position).is_some();
        let shard = found.find(|shard| shard.search.as_deref().is_some_and(is_around))?;
        let mut search = shard.search.take()?;
        search.tree.move_to(position);
        Some(search)
    }

    /// Puts a shard in its place.
    fn put(&mut self, position: Position, search: Box<OneTree>) {
        let shard = self.shards.entry(position).or_default();
        let (nodes, bytes) = shard.size;
        shard.size = nodes_and_bytes(&search);
        shard.last = self.clock;
        self.size = (self.size.0 + shard.size.0 - nodes, self.size.1 + shard.size.1 - bytes);
        shard.search = Some(search);
    }

    /// Removes a shard.
    fn remove(&mut self, position: &Position) -> Option<Shard> {
        let shard = self.shards.remove(position)?;
        self.size = (self.size.0 - shard.size.0, self.size.1 - shard.size.1);
        Some(shard)
    }

    /// Gives the root, which has none, the children that its shard knows.
    fn move_to_top(&mut self, root: &Position) {
        let Some(mut search) = self.remove(root).and_then(|shard| shard.search) else {
            return;
        };
        search.tree.reset_root_proofs();
        let (root, in_shard) = (self.top.tree.root(), search.tree.root());
        if !search.tree.kids(in_shard).is_empty() {
            self.top.tree.arena[root] = search.tree.arena[in_shard].without_children();
            let parts = split(search, &self.maker, &mut || false);
            self.place(parts, &mut Vec::new());
        }
    }

    /// Gives the root its children if it has none, so that there is a move to answer with.
    pub(super) fn give_root_children<E: Incremental>(&mut self, leaves: &mut SearchedLeaves<'_, E>, task: &Task) {
        self.top.give_root_children(leaves);
        leaves.check_limits();
        self.top.expand_root(&*task.evaluator);
    }

    /// The root's position.
    fn position(&self) -> Position {
        *self.top.tree.position().expect("there is a search")
    }

    /// Standard deviations of the values' errors, by depth in plies below a position.
    fn deviations_below(&self, position: &Position) -> &[f32] {
        let plies = self.position().empty_count().index() - position.empty_count().index();
        &self.top.policy.deviations[plies.min(self.top.policy.deviations.len() - 1)..]
    }

    /// Makes what the root is worth by now the goal of all trees that are not checked out, if it is time for that.
    fn update_goal(&mut self) {
        let Some(goal) = self.top.next_goal(self.size.0.try_into().unwrap_or(u32::MAX)) else {
            return;
        };
        self.top.set_goal(goal);
        let mut shards = std::mem::take(&mut self.shards);
        for (position, shard) in &mut shards {
            shard.search.iter_mut().for_each(|search| self.give_goal(search, position));
        }
        self.shards = shards;
        self.report_chances((self.top.tree.root(), self.position()), &mut HashSet::new());
        self.top.restart();
    }

    /// Gives a shard the top's goal.
    fn give_goal(&self, search: &mut OneTree, position: &Position) {
        search.policy.deviations.clear();
        search.policy.deviations.extend_from_slice(self.deviations_below(position));
        search.set_goal(self.top.policy.goal);
    }

    /// Gives the leaves below a node of the top the chances of their shards. `seen`: children that are done.
    fn report_chances(&mut self, (node, position): (u32, Position), seen: &mut HashSet<u32>) {
        let Node { kids, count, busy, visits, .. } = self.top.tree.arena[node];
        if count == 0 {
            let shard = self.shards.get(&position);
            let leaf = &mut self.top.tree.arena[node];
            match shard.map(|shard| shard.search.as_ref()) {
                // What the leaf has proven, the tree of its position may have forgotten.
                Some(Some(search)) if busy == 0 && !leaf.is_solved() => {
                    leaf.set_chance(search.root().chance());
                }
                None if !leaf.has_proofs() => leaf.set_chance(leaf.chance().after_searches(visits)),
                _ => {}
            }
            return;
        }
        if seen.insert(kids) {
            for kid in kids..kids + u32::from(count) {
                let position = after(&position, self.top.tree.arena[kid].turn);
                self.report_chances((kid, position), seen);
            }
        }
        self.top.tree.refresh_chance(node);
    }

    /// Checks the shard out that is to be searched next by one of `threads` workers, if there is one. Shards that are
    /// freed for want of memory go to `freed`.
    pub(super) fn check_out(&mut self, checkout: &mut Checkout, threads: usize, freed: &mut Vec<Shard>) -> Way {
        self.update_goal();
        loop {
            let way = self.top.check_out(&mut checkout.path);
            if way != Way::ToLeaf {
                return way;
            }
            let Step { node, position, reported, .. } = *checkout.step();
            checkout.leaf = self.top.tree.arena[node];
            checkout.leaf.set_chance(reported);
            checkout.goal = self.top.policy.goal;
            match self.shards.get_mut(&position) {
                Some(shard) if shard.search.is_none() => {
                    if self.waiting == MOST_WAITING {
                        self.top.check_in(&mut checkout.path);
                        self.restore_leaf(reported, checkout.goal);
                        return Way::Waiting;
                    }
                    // Another worker has come here by another path.
                    shard.waiting.push((std::mem::take(&mut checkout.path), reported));
                    self.waiting += 1;
                }
                _ => break,
            }
        }
        let Step { position, .. } = *checkout.step();
        self.clock += 1;
        let shard = self.shards.entry(position).or_default();
        checkout.search = shard.search.take();
        shard.last = self.clock;
        shard.line.clear();
        if let Some(search) = checkout.search.as_ref().filter(|_| checkout.is_principal(&self.top.tree)) {
            add_line(&search.tree, &mut shard.line);
        }
        checkout.is_linear = self.top.is_linear();
        checkout.deviations.clear();
        checkout.deviations.extend_from_slice(self.deviations_below(&position));
        let all = self.top.root().visits;
        let is_large = |search: &OneTree| {
            let root = search.root();
            let is_large = root.visits >= LEAST_SPLIT && root.visits * PARTS * threads as u64 > all;
            is_large && !root.is_leaf() && !root.has(REGROWING)
        };
        let has_room = self.top.tree.arena.has_room(|| u8::MAX.into());
        checkout.is_to_split = false;
        if let Some(search) = checkout.search.as_deref().filter(|search| has_room && is_large(search)) {
            // The parts are copies but for one.
            let bytes = search.stored_bytes();
            let is_short = self.maker.pool.bytes_left() < bytes;
            let may_free = self.top.on_memory_cap == OnMemoryCap::Prune;
            checkout.is_to_split = !is_short || may_free;
            if is_short && may_free {
                self.free_idle(bytes, freed);
            }
        }
        Way::ToLeaf
    }

    /// Gives the leaf at the end of the top's path, which was checked out and is as it was, the chance that it had with this goal.
    fn restore_leaf(&mut self, chance: Chance, goal: i32) {
        let node = self.top.leaf().node;
        let before = self.top.tree.arena[node];
        self.top.tree.arena[node].set_chance(chance);
        if goal != self.top.policy.goal {
            ByRelevance::value_leaf(&mut self.top);
        }
        ByRelevance::back_up(&mut self.top, before, None);
    }

    /// Makes the leaf at the end of the top's path, which was checked out, what the root of its shard is.
    fn report_leaf(&mut self, root: Node<Square>) {
        let node = self.top.leaf().node;
        let before = self.top.tree.arena[node];
        let visits = root.visits.saturating_sub(before.visits);
        let Node { turn, busy, .. } = before;
        self.top.tree.arena[node] = Node { turn, busy, visits: before.visits, ..root.without_children() };
        // What it returns does not matter: the top is never lazy, so values are backed up to the root in any case.
        let _ = self.top.add_visits(visits);
        ByRelevance::back_up(&mut self.top, before, None);
    }

    /// Checks a shard in. Returns whether the search can go on. Shards that are freed for want of memory go to `freed`.
    pub(super) fn check_in(&mut self, checkout: &mut Checkout, freed: &mut Vec<Shard>) -> bool {
        let position = checkout.step().position;
        let waiting =
            self.shards.get_mut(&position).map(|shard| std::mem::take(&mut shard.waiting)).unwrap_or_default();
        self.waiting -= waiting.len();
        let can_go_on = !checkout.is_full || self.make_room(checkout, freed);
        self.top.work.expansions += checkout.work.expansions;
        self.top.work.linear_nodes += checkout.work.linear_nodes;
        self.top.check_in(&mut checkout.path);
        let is_split = !checkout.parts.is_empty();
        let mut root = None;
        if is_split {
            self.remove(&position);
            let mut parts = std::mem::take(&mut checkout.parts);
            if checkout.goal != self.top.policy.goal {
                // They were checked out when there was a new one.
                parts.iter_mut().for_each(|part| self.give_part_goal(part));
            }
            self.place(parts, freed);
        } else if let Some(mut search) = checkout.search.take() {
            if checkout.goal != self.top.policy.goal {
                self.give_goal(&mut search, &position);
            }
            let node = *search.root();
            root = Some(node);
            self.report_leaf(node);
            self.put(position, search);
        } else {
            self.remove(&position);
            self.restore_leaf(checkout.leaf.chance(), checkout.goal);
        }
        for (mut path, chance) in waiting {
            self.top.check_in(&mut path);
            match root {
                Some(root) => self.report_leaf(root),
                None if is_split && self.top.share() => {}
                None => self.restore_leaf(chance, checkout.goal),
            }
        }
        can_go_on
    }

    /// Gives a part of a shard the top's goal.
    fn give_part_goal(&self, part: &mut SplitChild) {
        if let Some(search) = &mut part.search {
            self.give_goal(search, &part.position);
            part.node.set_chance(search.root().chance());
        } else {
            let goal = self.top.policy.goal_of(part.position.mover());
            part.node.estimate_chance(goal, self.deviations_below(&part.position)[0]);
        }
    }

    /// Gives the leaf at the end of the top's path the parts of its shard, which is gone.
    fn place(&mut self, parts: Vec<SplitChild>, freed: &mut Vec<Shard>) {
        let Step { node, position, .. } = *self.top.leaf();
        let before = self.top.tree.arena[node];
        let kids: Vec<Node<Square>> = parts.iter().map(|part| part.node).collect();
        // Searches may have come to the children by other paths too.
        let visits: u64 = kids.iter().map(|kid| kid.visits).sum();
        let _ = self.top.add_visits(visits.saturating_sub(before.visits));
        let added = self.top.tree.adopt(node, &position, &kids, true);
        match added {
            Ok(added) => self.top.add_nodes(added),
            Err(Full) => ByRelevance::value_leaf(&mut self.top),
        }
        ByRelevance::back_up(&mut self.top, before, None);
        for SplitChild { position, search, node } in parts {
            let Some(search) = search else {
                continue;
            };
            let known = self.shards.get(&position).map(|shard| shard.search.as_ref().map(|other| other.root().visits));
            let is_better = known.is_none_or(|visits| visits.is_some_and(|visits| visits < node.visits));
            if added.is_ok() && is_better {
                freed.extend(self.remove(&position));
                self.put(position, search);
            } else {
                freed.push(Shard { search: Some(search), ..Shard::default() });
            }
        }
    }

    /// Removes the shards that were left alone longest, until `bytes` are free or none is left. Returns whether there were any.
    fn free_idle(&mut self, bytes: u64, freed: &mut Vec<Shard>) -> bool {
        let before = self.size.1;
        let idle = self.shards.iter().filter(|(_, shard)| shard.search.is_some());
        let mut idle: Vec<(u64, Position)> = idle.map(|(&position, shard)| (shard.last, position)).collect();
        idle.sort_unstable_by_key(|&(last, _)| last);
        for (_, position) in idle {
            if before - self.size.1 >= bytes {
                break;
            }
            let shard = self.remove(&position);
            self.top.work.pruned_nodes += shard.as_ref().map_or(0, |shard| shard.size.0);
            freed.extend(shard);
        }
        before > self.size.1
    }

    /// Does what is to be done at the memory cap. To prune is to remove the shards that were left alone longest, or if there are no
    /// others, a part of the one that is checked in. A leaf without a shard needs one to be searched in linear space, too. Returns
    /// whether the search can go on.
    fn make_room(&mut self, checkout: &mut Checkout, freed: &mut Vec<Shard>) -> bool {
        if !self.top.cap_was_reached {
            self.top.cap_was_reached = true;
            let ((nodes, bytes), rule) = (self.size, self.top.on_memory_cap);
            log::info!("the trees are full with {nodes} nodes in {bytes} bytes: {rule}");
        }
        match self.top.on_memory_cap {
            OnMemoryCap::Stop => return false,
            OnMemoryCap::Rbfms if checkout.search.is_some() => return true,
            OnMemoryCap::Rbfms | OnMemoryCap::Prune => {}
        }
        let is_pruning = self.top.on_memory_cap == OnMemoryCap::Prune;
        let bytes = if is_pruning { self.maker.memory as u64 / FREED } else { 1 };
        if self.free_idle(bytes, freed) {
            return true;
        }
        if let Some(search) = &mut checkout.search {
            let root = search.tree.root();
            let pruned = search.tree.prune(&[root]);
            while search.tree.sweep(SWEEP_FOR_ROOM) {}
            self.top.work.pruned_nodes += pruned;
            if pruned > 0 {
                return true;
            }
        }
        // Those that others have checked out will be checked in.
        self.shards.len() > 1
    }

    /// Visits of a position that is in one of the trees.
    #[cfg(test)]
    pub(super) fn visits_of(&self, position: &Position) -> Option<u64> {
        let in_shards = self.shards.values().filter_map(|shard| shard.search.as_ref());
        let trees = std::iter::once(&self.top.tree).chain(in_shards.map(|search| &search.tree));
        trees.filter_map(|tree| tree.node_of(position).map(|node| tree.arena[node].visits)).max()
    }

    /// Checks that every tree is what it claims to be, that the top has from the shards what it says of its leaves, and that
    /// nobody is at work; for tests.
    #[cfg(test)]
    pub(super) fn audit(&self) {
        self.top.audit().unwrap();
        let mut met = HashSet::new();
        for (node, position) in self.top.tree.places() {
            let this = self.top.tree.arena[node];
            assert_eq!(this.busy, 0, "a worker is still at {position}");
            let Some(shard) = self.shards.get(&position) else {
                continue;
            };
            let search = shard.search.as_ref().expect("everything is checked in");
            if this.is_leaf() && met.insert(position) {
                search.audit().unwrap();
                assert_eq!(search.tree.position(), Some(&position));
                assert_eq!(search.policy.goal, self.top.policy.goal);
                self.audit_leaves(search);
            }
        }
        let sizes = self.shards.values().map(|shard| nodes_and_bytes(shard.search.as_ref().unwrap()));
        let sizes = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        assert_eq!((sizes, self.waiting), (self.size, 0));
    }

    /// Checks that the leaves of a shard have the chances of more than the goal that their values stand for.
    #[cfg(test)]
    fn audit_leaves(&self, search: &OneTree) {
        for (node, position) in search.tree.places() {
            let this = search.tree.arena[node];
            if this.is_leaf() && !this.has_proofs() && this.visits == 0 && this.turn.is_some() {
                let mut leaf = this;
                leaf.estimate_chance(self.top.policy.goal_of(position.mover()), self.deviations_below(&position)[0]);
                assert_eq!(this.chance(), leaf.chance(), "{position}");
            }
        }
    }

    /// The report of the search, from all trees.
    pub(super) fn report(&self, task: &Task, control: &Control) -> Report {
        let mut moves = self.top.root_moves();
        moves.iter_mut().for_each(|found| self.go_on_with(task.position, found));
        let memory = MemoryUse {
            tree_bytes: self.top.stored_bytes() + self.size.1,
            tree_nodes: self.top.stored_nodes() + self.size.0,
            ended_at_cap: self.top.ended_at_cap(),
            ..MemoryUse::default()
        };
        report_of(&self.top, moves, memory, task, control)
    }

    /// Lengthens the line of a move by what is expected in the shard to which it leads.
    fn go_on_with(&self, root: Position, found: &mut RootMove<Square>) {
        let end = found.line.iter().fold(root, |position, &turn| after(&position, turn));
        match self.shards.get(&end) {
            Some(Shard { search: Some(search), .. }) => add_line(&search.tree, &mut found.line),
            Some(Shard { line, .. }) => found.line.extend_from_slice(line),
            None => {}
        }
    }
}

/// Nodes and bytes of a shard.
fn nodes_and_bytes(search: &OneTree) -> (u64, u64) {
    (search.stored_nodes(), search.stored_bytes() + size_of::<OneTree>() as u64)
}

/// Adds the expected play in a tree.
fn add_line(tree: &Tree<Position>, line: &mut Vec<Option<Square>>) {
    let root = tree.root();
    if !tree.kids(root).is_empty() {
        tree.principal_variation(root, 0, line);
    }
}
