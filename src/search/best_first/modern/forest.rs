//! One search in several trees: where leaves are static, threads in one tree would do nothing but wait for each other.
//!
//! The positions near the root are a small tree, the top. Each of its leaves has a branch: a tree of its own, which holds what is
//! below. A thread takes one away, searches in it for a while, where nobody is in its way, and tells the top what it came to; the
//! others go to the next best leaf of the top meanwhile (`lease`). What a branch says of its root is what the node there would say in a
//! single tree, and so is the choice of what to search, but that it is made anew only once in a while. A branch that has grown too
//! large a part of the search to be left to one thread is split: the top gets its root's children, and each of these a branch.
//!
//! What is lost: a position that is reached in several branches is searched in each of them. And where there is no room left, it is
//! made a branch at a time.

use super::errand::{Errand, Next};
use super::leaf::LeafSearch;
use super::lease::{Lease, Part, split};
use crate::eval::Incremental;
use crate::othello::{Position, Square};
use crate::search::best_first::arena::{Node, REGROWING, Room};
use crate::search::best_first::chance::Chance;
use crate::search::best_first::engine::report_of;
use crate::search::best_first::explorer::{Explorer, SWEEP_FOR_ROOM, Step};
use crate::search::best_first::tree::{Full, Tree, after};
use crate::search::best_first::{KorfSettings, OnMemoryCap, RootMove};
use crate::search::{Control, MemoryUse, Report, Task};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A branch is split if it has more than one in so many of the search's expansions for each thread, ...
const PARTS: u64 = 8;
/// ... and at least so many.
const LEAST_SPLIT: u64 = 256;
/// Memory of the top.
const TOP_BYTES: usize = 1 << 20;
/// Of the rest, all but this part is for nodes: 1/12 for what else a branch takes.
const NOT_FOR_NODES: usize = 12;
/// With less memory there is no forest: a branch has a chunk for itself, however small it is.
pub(super) const LEAST_MEMORY: usize = 16 << 20;
/// Where there is no room left, at least this part of the memory is freed.
const FREED: u64 = 64;
/// So many leaves at most wait for a branch that is away: with those that threads have taken away, a node counts them in a byte.
const MOST_WAITING: usize = 60;
/// A new root is looked for in so many branches at most, the largest.
const MOST_BRANCHES_AROUND: usize = 8;

/// The trees of one search.
pub(super) struct Forest {
    settings: KorfSettings,
    pub(super) top: Explorer<Position>,
    branches: HashMap<Position, Branch>,
    room: Arc<Room<Square>>,
    /// Nodes and bytes of the branches as they were when they came back.
    size: (u64, u64),
    /// Counts how often a branch was taken away.
    clock: u64,
    /// Leaves that wait for a branch.
    waiting: usize,
}

/// What is below a leaf of the top.
#[derive(Default)]
pub(super) struct Branch {
    /// Its tree, unless a thread has it.
    explorer: Option<Box<Explorer<Position>>>,
    /// While a thread has it: the expected play as it was, if the branch is in that of one of the root's moves.
    line: Vec<Option<Square>>,
    /// Other leaves of the same position, to which searches came while a thread had it, and their chances.
    waiting: Vec<(Errand, Chance)>,
    /// Its nodes and bytes.
    size: (u64, u64),
    /// When it was taken away or planted for the last time.
    last: u64,
}

impl Forest {
    /// A forest that has nothing in it yet.
    pub(super) fn new(settings: KorfSettings, position: &Position) -> Forest {
        let top = Explorer::with(settings, position, Tree::new(TOP_BYTES, true));
        let bytes = settings.memory.saturating_sub(TOP_BYTES);
        let room = Room::for_several(bytes - bytes / NOT_FOR_NODES);
        let settings = KorfSettings { on_memory_cap: OnMemoryCap::Stop, ..settings };
        Forest { settings, top, branches: HashMap::new(), room, size: (0, 0), clock: 0, waiting: 0 }
    }

    /// What new branches are to be like, and where they have their memory from.
    pub(super) fn soil(&self) -> (KorfSettings, Arc<Room<Square>>) {
        (self.settings, Arc::clone(&self.room))
    }

    /// Begins a search with what there already is of its position.
    pub(super) fn begin(&mut self, task: &Task, exploration: f32) {
        let mut rules = self.top.rules;
        (rules.contempt, rules.max) = (task.contempt, task.position.mover());
        if !self.top.rules.agree_with(&rules) {
            self.clear();
        }
        if self.top.tree.node_of(&task.position).is_none() {
            let branch = self.branch_around(&task.position);
            self.clear();
            if let Some(explorer) = branch {
                self.top.goal = explorer.goal;
                self.put(task.position, explorer);
            }
        }
        self.top.begin(&task.position, task.contempt);
        self.top.want_lines(task.lines);
        while self.top.tree.sweep(SWEEP_FOR_ROOM) {}
        let mut leaves = HashSet::new();
        self.add_leaves((self.top.tree.root(), task.position), &mut leaves, &mut HashSet::new());
        self.branches.retain(|position, branch| branch.explorer.is_some() && leaves.contains(position));
        self.top.settings.exploration = exploration;
        self.settings.exploration = exploration;
        for explorer in self.branches.values_mut().filter_map(|branch| branch.explorer.as_mut()) {
            explorer.rules = rules;
            explorer.settings.exploration = exploration;
        }
        let sizes = self.branches.values().map(|branch| branch.size);
        self.size = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        if self.top.tree.kids(self.top.tree.root()).is_empty() {
            self.bring_to_top(&task.position);
        }
    }

    /// Forgets everything.
    fn clear(&mut self) {
        self.top.clear();
        self.branches.clear();
        self.size = (0, 0);
    }

    /// The tree of this position, if it is somewhere in a branch.
    fn branch_around(&mut self, position: &Position) -> Option<Box<Explorer<Position>>> {
        let discs = |position: &Position| position.player() | position.opponent();
        let may_be = |root: &Position| (discs(root) & !discs(position)).is_empty();
        let around = self.branches.iter_mut().filter(|(root, _)| may_be(root));
        let mut around: Vec<&mut Branch> = around.map(|(_, branch)| branch).collect();
        around.sort_unstable_by_key(|branch| Reverse(branch.size));
        let mut found = around.into_iter().take(MOST_BRANCHES_AROUND);
        let is_around = |explorer: &Explorer<Position>| explorer.tree.node_of(position).is_some();
        let branch = found.find(|branch| branch.explorer.as_deref().is_some_and(is_around))?;
        let mut explorer = branch.explorer.take()?;
        explorer.tree.move_to(position);
        Some(explorer)
    }

    /// Adds the positions of the top's leaves from this node on; `seen`: children that are done.
    fn add_leaves(&self, (node, position): (u32, Position), found: &mut HashSet<Position>, seen: &mut HashSet<u32>) {
        let this = self.top.tree.arena[node];
        if this.is_leaf() {
            found.insert(position);
        } else if seen.insert(this.kids) {
            for (kid, i) in self.top.tree.kids(node).iter().zip(this.kids..) {
                self.add_leaves((i, after(&position, kid.turn)), found, seen);
            }
        }
    }

    /// Puts a branch in its place.
    fn put(&mut self, position: Position, explorer: Box<Explorer<Position>>) {
        let branch = self.branches.entry(position).or_default();
        let (nodes, bytes) = branch.size;
        branch.size = nodes_and_bytes(&explorer);
        branch.last = self.clock;
        self.size = (self.size.0 + branch.size.0 - nodes, self.size.1 + branch.size.1 - bytes);
        branch.explorer = Some(explorer);
    }

    /// Removes a branch.
    fn remove(&mut self, position: &Position) -> Option<Branch> {
        let branch = self.branches.remove(position)?;
        self.size = (self.size.0 - branch.size.0, self.size.1 - branch.size.1);
        Some(branch)
    }

    /// Gives the root, which has none, the children that its branch knows.
    fn bring_to_top(&mut self, root: &Position) {
        let Some(mut explorer) = self.remove(root).and_then(|branch| branch.explorer) else {
            return;
        };
        explorer.tree.be_asked();
        let (root, in_branch) = (self.top.tree.root(), explorer.tree.root());
        if !explorer.tree.kids(in_branch).is_empty() {
            self.top.tree.arena[root] = Node { kids: 0, count: 0, size: 0, ..explorer.tree.arena[in_branch] };
            let parts = split(explorer, &self.soil(), &mut || false);
            self.plant(parts, &mut Vec::new());
        }
    }

    /// Gives the root its children if it has none, so that there is a move to answer with.
    pub(super) fn expand_root<E: Incremental>(&mut self, search: &mut LeafSearch<'_, E>, task: &Task) {
        if !self.top.tree.kids(self.top.tree.root()).is_empty() {
            return;
        }
        let mut children = Vec::new();
        if search.children(&task.position, &mut children) {
            self.top.give_children(&children);
        }
        search.must_stop();
        self.top.expand_root(&*task.evaluator);
    }

    /// From now on values err by so much at each depth in plies below the root.
    pub(super) fn go_by_chances(&mut self, deviations: Vec<f32>) {
        self.top.go_by_chances(deviations);
    }

    /// Whether there is nothing left to find out.
    pub(super) fn is_done(&self) -> bool {
        self.top.is_done()
    }

    /// The root's position.
    fn position(&self) -> Position {
        *self.top.tree.position().expect("there is a search")
    }

    /// How far values err at each depth below a position, by how far they do below the root.
    fn deviations_below(&self, position: &Position) -> &[f32] {
        let plies = (self.position().empties().count() - position.empties().count()) as usize;
        &self.top.deviations[plies.min(self.top.deviations.len() - 1)..]
    }

    /// Makes what the root is worth by now the goal of all trees that are not away, if it is time for that.
    fn aim(&mut self) {
        let Some(goal) = self.top.find_goal(self.size.0.try_into().unwrap_or(u32::MAX)) else {
            return;
        };
        self.top.go_for(goal);
        let mut branches = std::mem::take(&mut self.branches);
        for (position, branch) in &mut branches {
            branch.explorer.iter_mut().for_each(|explorer| self.have_aim(explorer, position));
        }
        self.branches = branches;
        self.tell_chances((self.top.tree.root(), self.position()), &mut HashSet::new());
        self.top.restart();
    }

    /// Gives a branch the top's goal.
    fn have_aim(&self, explorer: &mut Explorer<Position>, position: &Position) {
        explorer.deviations.clear();
        explorer.deviations.extend_from_slice(self.deviations_below(position));
        explorer.go_for(self.top.goal);
    }

    /// Has the branches below a node of the top tell their chances; `seen`: children that are done.
    fn tell_chances(&mut self, (node, position): (u32, Position), seen: &mut HashSet<u32>) {
        let Node { kids, count, busy, visits, .. } = self.top.tree.arena[node];
        if count == 0 {
            let branch = self.branches.get(&position);
            let leaf = &mut self.top.tree.arena[node];
            match branch.map(|branch| branch.explorer.as_ref()) {
                Some(Some(explorer)) if busy == 0 => {
                    leaf.set_chance(explorer.tree.arena[explorer.tree.root()].chance());
                }
                None if !leaf.has_proofs() => leaf.set_chance(leaf.chance().after_searches(visits)),
                _ => {}
            }
            return;
        }
        if seen.insert(kids) {
            for kid in kids..kids + u32::from(count) {
                let position = after(&position, self.top.tree.arena[kid].turn);
                self.tell_chances((kid, position), seen);
            }
        }
        self.top.tree.refresh_chance(node);
    }

    /// Takes the branch away that is to be searched next by one of so many threads. What there is no more room for goes to `felled`.
    pub(super) fn take(&mut self, lease: &mut Lease, threads: usize, felled: &mut Vec<Branch>) -> Next {
        self.aim();
        loop {
            let next = self.top.take_leaf(&mut lease.errand);
            if next != Next::Leaf {
                return next;
            }
            let Step { node, position, told, .. } = *lease.errand.leaf();
            lease.leaf = self.top.tree.arena[node];
            lease.leaf.set_chance(told);
            lease.goal = self.top.goal;
            match self.branches.get_mut(&position) {
                Some(branch) if branch.explorer.is_none() => {
                    if self.waiting == MOST_WAITING {
                        self.top.go_back_to(&mut lease.errand);
                        self.show_leaf(told, lease.goal);
                        return Next::Wait;
                    }
                    // Another thread has come here by another way.
                    branch.waiting.push((std::mem::take(&mut lease.errand), told));
                    self.waiting += 1;
                }
                _ => break,
            }
        }
        let Step { position, .. } = *lease.errand.leaf();
        self.clock += 1;
        let branch = self.branches.entry(position).or_default();
        lease.explorer = branch.explorer.take();
        branch.last = self.clock;
        branch.line.clear();
        if let Some(explorer) = lease.explorer.as_ref().filter(|_| lease.errand.is_principal(&self.top.tree)) {
            add_line(&explorer.tree, &mut branch.line);
        }
        lease.deviations.clear();
        lease.deviations.extend_from_slice(self.deviations_below(&position));
        let all = self.top.tree.arena[self.top.tree.root()].visits;
        let is_large = |explorer: &Explorer<Position>| {
            let root = &explorer.tree.arena[explorer.tree.root()];
            let is_large = root.visits >= LEAST_SPLIT && root.visits * PARTS * threads as u64 > all;
            is_large && !root.is_leaf() && !root.has(REGROWING)
        };
        let has_room = self.top.tree.arena.has_room(u8::MAX.into());
        lease.is_to_split = has_room && lease.explorer.as_deref().is_some_and(is_large);
        if let Some(explorer) = lease.explorer.as_ref().filter(|_| lease.is_to_split)
            && self.room.bytes_left() < explorer.stored_bytes()
        {
            self.fell(explorer.stored_bytes(), felled);
        }
        Next::Leaf
    }

    /// Shows the leaf at the end of the top's path, which was away and is as it was, with the chance that it had with this goal.
    fn show_leaf(&mut self, told: Chance, goal: i32) {
        let node = self.top.leaf().node;
        let before = self.top.tree.arena[node];
        self.top.tree.arena[node].set_chance(told);
        if goal != self.top.goal {
            self.top.appraise_leaf();
        }
        self.top.back_up(before, None);
    }

    /// Has the leaf at the end of the top's path, which was away, be what the root of its branch is.
    fn tell_leaf(&mut self, root: Node<Square>) {
        let node = self.top.leaf().node;
        let before = self.top.tree.arena[node];
        let visits = root.visits.saturating_sub(before.visits);
        let Node { turn, busy, .. } = before;
        self.top.tree.arena[node] = Node { turn, busy, kids: 0, count: 0, size: 0, visits: before.visits, ..root };
        // Nothing regrows in the top.
        let _ = self.top.add_visits(visits);
        self.top.back_up(before, None);
    }

    /// Brings a branch back. Whether the search can go on. What there is no more room for goes to `felled`.
    pub(super) fn bring_back(&mut self, lease: &mut Lease, felled: &mut Vec<Branch>) -> bool {
        let position = lease.errand.leaf().position;
        let waiting =
            self.branches.get_mut(&position).map(|branch| std::mem::take(&mut branch.waiting)).unwrap_or_default();
        self.waiting -= waiting.len();
        let can_go_on = !lease.is_full || self.make_room(lease, felled);
        self.top.work.expansions += lease.expansions;
        self.top.go_back_to(&mut lease.errand);
        let is_split = !lease.parts.is_empty();
        let mut root = None;
        if is_split {
            self.remove(&position);
            let mut parts = std::mem::take(&mut lease.parts);
            if lease.goal != self.top.goal {
                // They were away when there was a new one.
                parts.iter_mut().for_each(|part| self.aim_part(part));
            }
            self.plant(parts, felled);
        } else if let Some(mut explorer) = lease.explorer.take() {
            if lease.goal != self.top.goal {
                self.have_aim(&mut explorer, &position);
            }
            let node = explorer.tree.arena[explorer.tree.root()];
            root = Some(node);
            self.tell_leaf(node);
            self.put(position, explorer);
        } else {
            self.remove(&position);
            self.show_leaf(lease.leaf.chance(), lease.goal);
        }
        for (mut errand, told) in waiting {
            self.top.go_back_to(&mut errand);
            match root {
                Some(root) => self.tell_leaf(root),
                None if is_split && self.top.share() => {}
                None => self.show_leaf(told, lease.goal),
            }
        }
        can_go_on
    }

    /// Gives a part of a branch the top's goal.
    fn aim_part(&self, part: &mut Part) {
        if let Some(explorer) = &mut part.explorer {
            self.have_aim(explorer, &part.position);
            part.node.set_chance(explorer.tree.arena[explorer.tree.root()].chance());
        } else {
            let goal = self.top.goal_of(part.position.mover());
            part.node.appraise(goal, self.deviations_below(&part.position)[0]);
        }
    }

    /// Gives the leaf at the end of the top's path the parts of its branch, which is gone.
    fn plant(&mut self, parts: Vec<Part>, felled: &mut Vec<Branch>) {
        let Step { node, position, .. } = *self.top.leaf();
        let before = self.top.tree.arena[node];
        let kids: Vec<Node<Square>> = parts.iter().map(|part| part.node).collect();
        // Searches may have come to the children by other ways too.
        let visits: u64 = kids.iter().map(|kid| kid.visits).sum();
        let _ = self.top.add_visits(visits.saturating_sub(before.visits));
        let added = self.top.tree.adopt(node, &position, &kids);
        match added {
            Ok(added) => self.top.add_nodes(added),
            Err(Full) => self.top.appraise_leaf(),
        }
        self.top.back_up(before, None);
        for Part { position, explorer, node } in parts {
            let Some(explorer) = explorer else {
                continue;
            };
            let visits_of = |explorer: &Explorer<Position>| explorer.tree.arena[explorer.tree.root()].visits;
            let known =
                self.branches.get(&position).map(|branch| branch.explorer.as_ref().map(|other| visits_of(other)));
            let is_better = match known {
                None => true,
                Some(visits) => visits.is_some_and(|visits| visits < node.visits),
            };
            if added.is_ok() && is_better {
                felled.extend(self.remove(&position));
                self.put(position, explorer);
            } else {
                felled.push(Branch { explorer: Some(explorer), ..Branch::default() });
            }
        }
    }

    /// Fells the branches that were left alone longest, until so many bytes are free if there are enough. Whether there were any.
    fn fell(&mut self, bytes: u64, felled: &mut Vec<Branch>) -> bool {
        let before = self.size.1;
        let idle = self.branches.iter().filter(|(_, branch)| branch.explorer.is_some());
        let mut idle: Vec<(u64, Position)> = idle.map(|(&position, branch)| (branch.last, position)).collect();
        idle.sort_unstable_by_key(|&(last, _)| last);
        for (_, position) in idle {
            if before - self.size.1 >= bytes {
                break;
            }
            let branch = self.remove(&position);
            self.top.work.pruned_nodes += branch.as_ref().map_or(0, |branch| branch.size.0);
            felled.extend(branch);
        }
        before > self.size.1
    }

    /// Frees memory: branches are felled, or if there are no others, a part of the one that has come back. Whether there is hope for
    /// more.
    fn make_room(&mut self, lease: &mut Lease, felled: &mut Vec<Branch>) -> bool {
        if !self.top.cap_was_reached {
            self.top.cap_was_reached = true;
            let (nodes, bytes) = self.size;
            log::info!("the trees are full with {nodes} nodes in {bytes} bytes: those left alone longest are felled");
        }
        if self.fell(self.settings.memory as u64 / FREED, felled) {
            return true;
        }
        if let Some(explorer) = &mut lease.explorer {
            let root = explorer.tree.root();
            let pruned = explorer.tree.prune(&[root]);
            while explorer.tree.sweep(SWEEP_FOR_ROOM) {}
            self.top.work.pruned_nodes += pruned;
            if pruned > 0 {
                return true;
            }
        }
        // Those that others have taken away will come back.
        self.branches.len() > 1
    }

    /// How often a position was visited that is in one of the trees.
    #[cfg(test)]
    pub(super) fn visits_of(&self, position: &Position) -> Option<u64> {
        let in_branches = self.branches.values().filter_map(|branch| branch.explorer.as_ref());
        let trees = std::iter::once(&self.top.tree).chain(in_branches.map(|explorer| &explorer.tree));
        trees.filter_map(|tree| tree.node_of(position).map(|node| tree.arena[node].visits)).max()
    }

    /// Checks that every tree is what it claims to be, that the top has from the branches what it says of its leaves, and that
    /// nobody is at work; for tests.
    #[cfg(test)]
    pub(super) fn audit(&self) {
        self.top.audit().unwrap();
        let mut open = vec![(self.top.tree.root(), *self.top.tree.position().unwrap())];
        let mut met = HashSet::new();
        while let Some((node, position)) = open.pop() {
            let this = self.top.tree.arena[node];
            assert_eq!(this.busy, 0, "somebody is still at work at {position}");
            let kids = (this.kids..).zip(self.top.tree.kids(node));
            open.extend(kids.map(|(i, kid)| (i, after(&position, kid.turn))));
            let Some(branch) = self.branches.get(&position) else {
                continue;
            };
            let explorer = branch.explorer.as_ref().expect("everything is back");
            if this.is_leaf() && met.insert(position) {
                explorer.audit().unwrap();
                assert_eq!(explorer.tree.position(), Some(&position));
                assert_eq!(explorer.goal, self.top.goal);
                self.audit_leaves(explorer);
            }
        }
        let sizes = self.branches.values().map(|branch| nodes_and_bytes(branch.explorer.as_ref().unwrap()));
        let sizes = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
        assert_eq!((sizes, self.waiting), (self.size, 0));
    }

    /// Checks that the leaves of a branch have the chances of more than the goal that their values stand for.
    #[cfg(test)]
    fn audit_leaves(&self, explorer: &Explorer<Position>) {
        let tree = &explorer.tree;
        let mut open = vec![(tree.root(), *tree.position().unwrap())];
        let mut seen = HashSet::new();
        while let Some((node, position)) = open.pop() {
            let this = tree.arena[node];
            if !this.is_leaf() && !seen.insert(this.kids) {
                continue;
            }
            if this.is_leaf() && !this.has_proofs() && this.visits == 0 && this.turn.is_some() {
                let deviation = self.deviations_below(&position)[0];
                let chance = Chance::of_value((this.value - self.top.goal_of(position.mover())) as f32 / deviation);
                assert_eq!(this.chance(), chance, "{position}");
            }
            let kids = (this.kids..).zip(tree.kids(node));
            open.extend(kids.map(|(i, kid)| (i, after(&position, kid.turn))));
        }
    }

    /// What the forest knows.
    pub(super) fn report(&self, task: &Task, control: &Control) -> Report {
        let mut moves = self.top.root_moves();
        moves.iter_mut().for_each(|found| self.go_on_with(task.position, found));
        let memory = MemoryUse {
            tree_bytes: self.top.stored_bytes() + self.size.1,
            tree_nodes: self.top.stored_nodes() + self.size.0,
            ..MemoryUse::default()
        };
        report_of(&self.top, moves, memory, task, control)
    }

    /// Lengthens the line of a move by what is expected in the branch to which it leads.
    fn go_on_with(&self, root: Position, found: &mut RootMove<Square>) {
        let end = found.line.iter().fold(root, |position, &turn| after(&position, turn));
        match self.branches.get(&end) {
            Some(Branch { explorer: Some(explorer), .. }) => add_line(&explorer.tree, &mut found.line),
            Some(Branch { line, .. }) => found.line.extend_from_slice(line),
            None => {}
        }
    }
}

/// Nodes and bytes of a branch.
fn nodes_and_bytes(explorer: &Explorer<Position>) -> (u64, u64) {
    (explorer.stored_nodes(), explorer.stored_bytes() + size_of::<Explorer<Position>>() as u64)
}

/// Adds the expected play in a tree.
fn add_line(tree: &Tree<Position>, line: &mut Vec<Option<Square>>) {
    let root = tree.root();
    if !tree.kids(root).is_empty() {
        tree.principal_variation(root, 0, line);
    }
}
