//! One search in several trees: what many leaves would make threads wait for each other over.
//!
//! A tree is the top, the positions near the root. Each of its leaves has a branch: a tree of its own, which holds what is below. A
//! thread takes one away, searches in it for a while, where nobody is in its way, and tells the top what it came to; the others go to
//! the next best leaf of the top meanwhile. What a branch says of its root is what the node there would say in a single tree, and
//! so is the choice of what to search, but that it is made anew only once in a while. A branch that has grown too large a part of
//! the search to be left to one thread is split: the top gets its root's children, and each of these a branch.
//!
//! What is lost: a position that is reached in several branches is searched in each of them.

use super::FEW_EXPANSIONS;
use super::errand::{Errand, Next, STAY};
use super::leaf::LeafSearch;
use super::team::{MOST_AWAY, with_helpers};
use crate::eval::Incremental;
use crate::othello::{Position, Square};
use crate::search::alpha_beta::walk::Shared;
use crate::search::best_first::arena::{DEEP, Node, REGROWING, Room};
use crate::search::best_first::budget::Budget;
use crate::search::best_first::chance::Chance;
use crate::search::best_first::engine::report_of;
use crate::search::best_first::explorer::{Explorer, SWEEP_FOR_ROOM, Step};
use crate::search::best_first::tree::{Full, Tree, after};
use crate::search::best_first::{BestFirstSettings, OnMemoryCap, RootMove};
use crate::search::selectivity::Selectivity;
use crate::search::{MemoryUse, Report, Task};
use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A branch is searched for at least so many expansions at a time, ...
const LEAST_STAY: u64 = 16;
/// ... and at most so many, a few milliseconds.
const MOST_STAY: u64 = 4096;
/// A branch is split if it has more than one in so many of the search's expansions for each thread, ...
const PARTS: u64 = 8;
/// ... and at least so many.
const LEAST_SPLIT: u64 = 256;
/// Memory of the top.
const TOP_BYTES: usize = 1 << 20;
/// Of the rest, all but this part is for nodes: 1/16 for what else a branch takes.
const NOT_FOR_NODES: usize = 16;
/// A forest takes at least so much memory: a branch has a chunk for itself, however small it is.
pub(super) const LEAST_MEMORY: usize = 16 << 20;
/// Where there is no room left, at least this part of the memory is freed.
const FREED: u64 = 64;
/// How long a thread that finds everything away waits for another one to come back before it looks again.
const PATIENCE: Duration = Duration::from_millis(2);

/// The trees of one search.
pub(super) struct Forest {
    settings: BestFirstSettings,
    top: Explorer<Position>,
    branches: HashMap<Position, Branch>,
    room: Arc<Room>,
    /// Nodes and bytes of the branches as they were when they came back.
    size: (u64, u64),
    /// Counts how often a branch was taken away.
    clock: u64,
}

/// What is below a leaf of the top.
#[derive(Default)]
struct Branch {
    /// Its tree, unless a thread has it.
    explorer: Option<Box<Explorer<Position>>>,
    /// While a thread has it: the expected play as it was, if the branch is in that of one of the root's moves.
    line: Vec<Option<Square>>,
    /// Its nodes and bytes.
    size: (u64, u64),
    /// When it was taken away for the last time.
    last: u64,
}

/// A branch that a thread has taken away.
#[derive(Default)]
struct Lease {
    errand: Errand,
    explorer: Option<Box<Explorer<Position>>>,
    /// The chance of the leaf when it was taken away.
    told: Option<Chance>,
    /// The leaf itself.
    leaf: Option<Node<Square>>,
    goal: i32,
    deviations: Vec<f32>,
    is_to_split: bool,
    /// What it was split into.
    parts: Vec<Part>,
    /// Whether there was no room left.
    is_full: bool,
}

/// A child of a branch's root.
struct Part {
    node: Node<Square>,
    position: Position,
    explorer: Option<Box<Explorer<Position>>>,
}

impl Forest {
    /// A forest that has nothing in it yet.
    pub(super) fn new(settings: BestFirstSettings, position: &Position) -> Forest {
        let top = Explorer::with(settings, position, Tree::new(TOP_BYTES, true));
        let bytes = settings.memory.saturating_sub(TOP_BYTES);
        let room = Room::of::<Square>(bytes - bytes / NOT_FOR_NODES);
        let settings = BestFirstSettings { on_memory_cap: OnMemoryCap::Stop, ..settings };
        Forest { settings, top, branches: HashMap::new(), room, size: (0, 0), clock: 0 }
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
        let mut kept = HashSet::new();
        self.leaves(self.top.tree.root(), task.position, &mut kept);
        self.branches.retain(|position, branch| branch.explorer.is_some() && kept.contains(position));
        self.top.settings.exploration = exploration;
        self.settings.exploration = exploration;
        for explorer in self.branches.values_mut().filter_map(|branch| branch.explorer.as_mut()) {
            explorer.rules = rules;
            explorer.settings.exploration = exploration;
        }
        if self.top.tree.kids(self.top.tree.root()).is_empty() {
            self.bring_to_top(&task.position);
        }
        let sizes = self.branches.values().map(|branch| branch.size);
        self.size = sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1));
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
        let (_, branch) = self.branches.iter_mut().filter(|(root, _)| may_be(root)).find(|(_, branch)| {
            branch.explorer.as_ref().is_some_and(|explorer| explorer.tree.node_of(position).is_some())
        })?;
        let mut explorer = branch.explorer.take()?;
        explorer.tree.move_to(position);
        Some(explorer)
    }

    /// Adds the positions of the top's leaves from this node on.
    fn leaves(&self, node: u32, position: Position, found: &mut HashSet<Position>) {
        let this = self.top.tree.arena[node];
        if this.is_leaf() {
            found.insert(position);
        }
        self.top.tree.kids(node).iter().zip(this.kids..).for_each(|(kid, i)| {
            self.leaves(i, after(&position, kid.turn), found);
        });
    }

    /// Puts a branch in its place.
    fn put(&mut self, position: Position, explorer: Box<Explorer<Position>>) {
        let branch = self.branches.entry(position).or_default();
        let (nodes, bytes) = branch.size;
        branch.size = (explorer.stored_nodes(), explorer.stored_bytes() + size_of::<Explorer<Position>>() as u64);
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
            self.plant(split(explorer, &self.room, self.settings));
        }
    }

    /// Gives the root its children if it has none, so that there is a move to answer with.
    fn expand_root<E: Incremental>(&mut self, search: &mut LeafSearch<'_, E>, task: &Task) {
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

    /// Makes what the root is worth by now the goal, if it is time for that.
    fn aim(&mut self) {
        if let Some(goal) = self.top.find_goal(self.size.0.try_into().unwrap_or(u32::MAX)) {
            self.go_for(goal);
        }
    }

    /// Makes this the goal of all trees that are not away.
    fn go_for(&mut self, goal: i32) {
        self.top.go_for(goal);
        let position = *self.top.tree.position().expect("there is a search");
        for (root, branch) in &mut self.branches {
            if let Some(explorer) = &mut branch.explorer {
                explorer.deviations.clear();
                explorer.deviations.extend_from_slice(below(&self.top.deviations, &position, root));
                explorer.go_for(goal);
            }
        }
        self.tell_chances(self.top.tree.root(), position);
        self.top.restart();
    }

    /// Has the branches below a node of the top tell their chances.
    fn tell_chances(&mut self, node: u32, position: Position) {
        let Node { kids, count, busy, .. } = self.top.tree.arena[node];
        if count == 0 {
            let explorer = self.branches.get(&position).and_then(|branch| branch.explorer.as_ref());
            if let Some(explorer) = explorer.filter(|_| busy == 0) {
                let chance = explorer.tree.arena[explorer.tree.root()].chance();
                self.top.tree.arena[node].set_chance(chance);
            }
            return;
        }
        for kid in kids..kids + u32::from(count) {
            let position = after(&position, self.top.tree.arena[kid].turn);
            self.tell_chances(kid, position);
        }
        self.top.tree.refresh_chance(node);
    }

    /// Takes the branch away that is to be searched next.
    fn take(&mut self, lease: &mut Lease, threads: usize) -> Next {
        self.aim();
        let next = self.top.take_leaf(&mut lease.errand);
        if next != Next::Leaf {
            return next;
        }
        let leaf = lease.errand.leaf();
        let position = leaf.position;
        lease.told = Some(leaf.told);
        lease.leaf = Some(self.top.tree.arena[leaf.node]);
        self.clock += 1;
        let is_new = !self.branches.contains_key(&position);
        let branch = self.branches.entry(position).or_default();
        lease.explorer = branch.explorer.take();
        if lease.explorer.is_none() && !is_new {
            // Another thread has come here by another way.
            self.put_back(lease);
            return Next::Wait;
        }
        branch.last = self.clock;
        branch.line.clear();
        if let Some(explorer) = lease.explorer.as_ref().filter(|_| lease.errand.is_principal(&self.top.tree)) {
            add_line(&explorer.tree, &mut branch.line);
        }
        lease.goal = self.top.goal;
        lease.deviations.clear();
        let root = self.top.tree.position().expect("there is a search");
        lease.deviations.extend_from_slice(below(&self.top.deviations, root, &position));
        let all = self.top.tree.arena[self.top.tree.root()].visits;
        lease.is_to_split = lease.explorer.as_ref().is_some_and(|explorer| {
            let root = &explorer.tree.arena[explorer.tree.root()];
            let is_large = root.visits >= LEAST_SPLIT && root.visits * PARTS * threads as u64 > all;
            is_large && !root.is_leaf() && !root.has(REGROWING) && self.top.tree.arena.has_room(u8::MAX.into())
        });
        Next::Leaf
    }

    /// Puts a leaf back below which nothing was done.
    fn put_back(&mut self, lease: &mut Lease) {
        self.top.go_back_to(&mut lease.errand);
        let node = self.top.leaf().node;
        let before = self.top.tree.arena[node];
        self.top.tree.arena[node].set_chance(lease.told.unwrap_or(before.chance()));
        self.top.back_up(before, None);
    }

    /// Brings a branch back. Whether the search can go on; what it is no longer to have goes to `felled`.
    fn bring_back(&mut self, lease: &mut Lease, felled: &mut Vec<Branch>) -> bool {
        let goes_on = self.put_in_place(lease, felled);
        if lease.goal != self.top.goal {
            // It was away when there was a new one.
            self.go_for(self.top.goal);
        }
        goes_on
    }

    fn put_in_place(&mut self, lease: &mut Lease, felled: &mut Vec<Branch>) -> bool {
        let position = lease.errand.leaf().position;
        if !lease.parts.is_empty() {
            self.top.go_back_to(&mut lease.errand);
            self.remove(&position);
            self.plant(std::mem::take(&mut lease.parts));
            return true;
        }
        let has_room = !lease.is_full || self.make_room(lease, felled);
        let Some(explorer) = lease.explorer.take() else {
            self.put_back(lease);
            self.remove(&position);
            return has_room;
        };
        self.top.go_back_to(&mut lease.errand);
        let node = self.top.leaf().node;
        let before = self.top.tree.arena[node];
        let root = explorer.tree.arena[explorer.tree.root()];
        let visits = root.visits.saturating_sub(before.visits);
        let Node { turn, busy, .. } = before;
        self.top.tree.arena[node] = Node { turn, busy, kids: 0, count: 0, size: 0, visits: before.visits, ..root };
        self.top.work.expansions += visits;
        self.top.add_visits(visits);
        self.top.back_up(before, None);
        self.put(position, explorer);
        has_room
    }

    /// Gives the leaf at the end of the top's path the parts of its branch, which is gone.
    fn plant(&mut self, parts: Vec<Part>) {
        let Step { node, position, .. } = *self.top.leaf();
        let before = self.top.tree.arena[node];
        let kids: Vec<Node<Square>> = parts.iter().map(|part| part.node).collect();
        let added = self.top.tree.adopt(node, &position, &kids);
        match added {
            Ok(added) => self.top.add_nodes(added),
            Err(Full) => self.top.appraise_leaf(),
        }
        self.top.back_up(before, None);
        for Part { position, explorer, .. } in parts {
            if let Some(explorer) = explorer.filter(|_| added.is_ok() && !self.branches.contains_key(&position)) {
                self.put(position, explorer);
            }
        }
    }

    /// Frees memory: the branches that were left alone longest go, or if there are none, a part of the one that has come back. Whether
    /// there is hope for more.
    fn make_room(&mut self, lease: &mut Lease, felled: &mut Vec<Branch>) -> bool {
        let bytes = self.size.1;
        let wanted = self.settings.memory as u64 / FREED;
        while bytes - self.size.1 < wanted {
            let idle = self.branches.iter().filter(|(_, branch)| branch.explorer.is_some());
            let Some((&position, branch)) = idle.min_by_key(|(_, branch)| branch.last) else {
                break;
            };
            self.top.work.pruned_nodes += branch.size.0;
            felled.extend(self.remove(&position));
        }
        if bytes > self.size.1 {
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
                let root = explorer.tree.arena[explorer.tree.root()];
                assert!(this.turn == root.turn || root.turn.is_none());
                assert_eq!(explorer.goal, self.top.goal);
            }
        }
        let sizes = self.branches.values().map(|branch| branch.explorer.as_ref().unwrap());
        let nodes: u64 = sizes.clone().map(|explorer| explorer.stored_nodes()).sum();
        let bytes: u64 = sizes.map(|explorer| explorer.stored_bytes() + size_of::<Explorer<Position>>() as u64).sum();
        assert_eq!((nodes, bytes), self.size);
    }

    /// What the forest knows.
    pub(super) fn report(&self, task: &Task, control: &crate::search::Control) -> Report {
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

/// Adds the expected play in a tree.
fn add_line(tree: &Tree<Position>, line: &mut Vec<Option<Square>>) {
    let root = tree.root();
    if !tree.kids(root).is_empty() {
        tree.principal_variation(root, 0, line);
    }
}

/// How far values err at each depth below a position, by how far they do below the root.
fn below<'a>(deviations: &'a [f32], root: &Position, position: &Position) -> &'a [f32] {
    let plies = (root.empties().count() - position.empties().count()) as usize;
    &deviations[plies.min(deviations.len() - 1)..]
}

/// A tree for a position, if there is room for it.
fn branch_at(position: &Position, room: &Arc<Room>, settings: BestFirstSettings) -> Option<Box<Explorer<Position>>> {
    let tree = Tree::in_room(Arc::clone(room), settings.memory, position)?;
    let mut explorer = Explorer::with(settings, position, tree);
    // The top has the goal.
    explorer.next_aim = u64::MAX;
    Some(Box::new(explorer))
}

/// Splits a branch: its root's children, with trees of their own where something is below them and there is room.
fn split(mut explorer: Box<Explorer<Position>>, room: &Arc<Room>, settings: BestFirstSettings) -> Vec<Part> {
    let (root, position) = (explorer.tree.root(), *explorer.tree.position().expect("a branch has a root"));
    let kids = explorer.tree.kids(root);
    let largest = (0..kids.len()).max_by_key(|&i| kids[i].size).unwrap_or(0);
    let first = explorer.tree.arena[root].kids;
    let mut parts: Vec<Part> = (first..)
        .zip(kids)
        .map(|(node, kid)| {
            let position = after(&position, kid.turn);
            let is_copied = !kid.is_leaf() && node != first + largest as u32;
            let explorer = is_copied.then(|| {
                let mut copy = branch_at(&position, room, settings)?;
                (copy.rules, copy.goal) = (explorer.rules, explorer.goal);
                copy.tree.copy_from(&explorer.tree, node).ok()?;
                Some(copy)
            });
            Part { node: Node { kids: 0, count: 0, size: 0, ..*kid }, position, explorer: explorer.flatten() }
        })
        .collect();
    if !kids[largest].is_leaf() {
        let position = parts[largest].position;
        explorer.tree.descend(first + largest as u32, &position);
        parts[largest].explorer = Some(explorer);
    }
    parts
}

impl Lease {
    /// Searches in the branch, or splits it. Whether the search was not stopped.
    fn work<E: Incremental>(
        &mut self,
        search: &mut LeafSearch<'_, E>,
        children: &mut Vec<Node<Square>>,
        room: &Arc<Room>,
        settings: BestFirstSettings,
    ) -> bool {
        self.is_full = false;
        if self.is_to_split {
            self.parts = self.explorer.take().map(|explorer| split(explorer, room, settings)).unwrap_or_default();
            return !search.must_stop_now();
        }
        if self.explorer.is_none() {
            self.explorer = self.plant(search.rules(), room, settings);
        }
        let Some(explorer) = &mut self.explorer else {
            self.is_full = true;
            return !search.must_stop_now();
        };
        explorer.deviations.clone_from(&self.deviations);
        explorer.restart();
        explorer.stay();
        let root = explorer.tree.arena[explorer.tree.root()];
        let (mut goes_on, mut expansions) = (true, 0);
        while goes_on && expansions < (root.visits / STAY).clamp(LEAST_STAY, MOST_STAY) {
            if explorer.go_to_leaf() != Next::Leaf {
                break;
            }
            let position = explorer.leaf().position;
            if !search.children(&position, children) {
                goes_on = false;
                break;
            }
            self.is_full = !explorer.give_children(children);
            goes_on = !search.must_stop_now();
            expansions += 1;
            let now = explorer.tree.arena[explorer.tree.root()].chance();
            if self.is_full || expansions >= LEAST_STAY && !now.is_near(root.chance()) {
                break;
            }
        }
        explorer.tell_all();
        goes_on
    }

    /// The branch of a leaf that has none yet, or none any more.
    fn plant(
        &self,
        rules: crate::search::best_first::Rules,
        room: &Arc<Room>,
        settings: BestFirstSettings,
    ) -> Option<Box<Explorer<Position>>> {
        let (leaf, told) = (self.leaf?, self.told?);
        let mut explorer = branch_at(&self.errand.leaf().position, room, settings)?;
        (explorer.rules, explorer.goal) = (rules, self.goal);
        let root = explorer.tree.root();
        let flags = if leaf.visits > 0 { DEEP } else { 0 };
        explorer.tree.arena[root] = Node { busy: 0, flags, ..leaf };
        explorer.tree.arena[root].set_chance(told);
        Some(explorer)
    }
}

/// Threads at work in a forest.
pub(super) struct Foresters<'a, E: Incremental> {
    forest: &'a Mutex<Forest>,
    came_back: Condvar,
    is_over: AtomicBool,
    shared: &'a Shared<'a, E>,
    selectivity: Selectivity,
    threads: usize,
}

impl<'a, E: Incremental> Foresters<'a, E> {
    pub(super) fn new(
        forest: &'a Mutex<Forest>,
        shared: &'a Shared<'a, E>,
        selectivity: Selectivity,
        threads: usize,
    ) -> Foresters<'a, E> {
        let (came_back, is_over) = (Condvar::new(), AtomicBool::new(false));
        Foresters { forest, came_back, is_over, shared, selectivity, threads }
    }

    /// Explores until the control says stop or nothing is left to do.
    pub(super) fn explore(&self, task: &Task, sink: &mut dyn FnMut(&Report)) {
        let mut budget = Budget::new(self.shared.control);
        let mut look = |forest: &Forest| {
            if budget.is_report_due(forest.top.work()) && forest.top.work().expansions >= FEW_EXPANSIONS {
                sink(&forest.report(task, self.shared.control));
            }
        };
        {
            let mut forest = self.forest.lock();
            let mut search = self.leaf_search(&forest);
            forest.expand_root(&mut search, task);
        }
        with_helpers(self.threads.min(MOST_AWAY), || self.work(&mut |_| {}), || self.work(&mut look));
        let mut forest = self.forest.lock();
        (forest.top.work.nodes, forest.top.work.evaluations) = self.shared.counts();
    }

    fn leaf_search(&self, forest: &Forest) -> LeafSearch<'a, E> {
        LeafSearch::new(self.shared, forest.top.rules, self.selectivity, 0)
    }

    /// One thread's work. `look` sees the forest now and then.
    fn work(&self, look: &mut dyn FnMut(&Forest)) {
        let mut forest = self.forest.lock();
        let mut search = self.leaf_search(&forest);
        let (room, settings) = (Arc::clone(&forest.room), forest.settings);
        let (mut lease, mut children, mut felled) = (Lease::default(), Vec::new(), Vec::new());
        while !self.is_over.load(Ordering::Relaxed) {
            match forest.take(&mut lease, self.threads) {
                Next::Leaf => {}
                Next::Wait => {
                    self.came_back.wait_for(&mut forest, PATIENCE);
                    continue;
                }
                Next::Done => break,
            }
            drop(forest);
            felled.clear();
            let is_complete = lease.work(&mut search, &mut children, &room, settings);
            forest = self.forest.lock();
            let has_room = forest.bring_back(&mut lease, &mut felled);
            (forest.top.work.nodes, forest.top.work.evaluations) = self.shared.counts();
            self.came_back.notify_all();
            if !is_complete || !has_room {
                break;
            }
            look(&forest);
        }
        self.is_over.store(true, Ordering::Relaxed);
        self.came_back.notify_all();
        drop(forest);
        search.must_stop();
    }
}
