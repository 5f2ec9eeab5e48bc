//! What a worker has checked out of a search with shards: a leaf of the top with its shard, and what the worker does with it.
//!
//! The leaf is marked as busy on the whole path to it, so that nothing on it is freed, and is not relevant until it is checked in: the
//! other workers go to the next leaf. Nodes move when their siblings overtake them, so the way back is found by its turns.

use super::core::{Progress, STAY, Step, Way};
use super::relevance::{ByRelevance, OneTree};
use super::searched_leaves::SearchedLeaves;
use super::{Explorer, OnMemoryCap, Policy, Rules, Work};
use crate::eval::Incremental;
use crate::othello::{Position, Square};
use crate::search::tree::chance::IRRELEVANT;
use crate::search::tree::{ChunkPool, DEEP, Node, Tree, after};
use std::sync::Arc;

/// Expansions in a shard before it is checked in, at least.
const LEAST_STAY: u64 = 16;
/// Expansions in a shard with static leaves before it is checked in, at most: some ten milliseconds. Each ply that leaves are searched
/// divides the number by four.
const MOST_STAY: u64 = 4096;

/// How new shards are made.
#[derive(Clone, Debug)]
pub(super) struct ShardMaker {
    /// The pool that the shards take their nodes from.
    pub pool: Arc<ChunkPool<Square>>,
    /// The memory of all shards together, in bytes: the size of the index of a shard follows from it.
    pub memory: usize,
    pub exploration: f32,
}

impl ShardMaker {
    /// An empty shard for a position, if there is memory for one.
    fn make(&self, position: &Position, rules: Rules, goal: i32) -> Option<Box<OneTree>> {
        let tree = Tree::in_pool(Arc::clone(&self.pool), self.memory, position)?;
        // The goal is the top's.
        let mut policy = ByRelevance::default();
        (policy.goal, policy.next_goal, policy.exploration) = (goal, u64::MAX, self.exploration);
        let mut search = Explorer::with_tree(policy, rules, tree, OnMemoryCap::Stop, position);
        search.rules = rules;
        // At the memory cap the top says so once, and frees other shards before this one is pruned.
        search.cap_was_reached = true;
        Some(Box::new(search))
    }
}

/// A leaf of the top that a worker has checked out, with its shard.
#[derive(Default)]
pub(super) struct Checkout {
    /// The path to the leaf.
    pub path: Vec<Step<Position>>,
    /// The leaf as it was at the check-out.
    pub leaf: Node<Square>,
    /// The leaf's shard, if it has one.
    pub search: Option<Box<OneTree>>,
    /// The goal at the check-out, in the units of values.
    pub goal: i32,
    /// Standard deviations of the values' errors, by depth in plies below the leaf.
    pub deviations: Vec<f32>,
    /// Whether the search goes on in linear space at the memory cap.
    pub is_linear: bool,
    /// Whether the shard is to be split instead of searched.
    pub is_to_split: bool,
    /// The parts that the shard was split into.
    pub parts: Vec<SplitChild>,
    /// The expansions since the check-out.
    pub work: Work,
    /// Whether the memory cap was reached.
    pub is_full: bool,
}

/// A child of a shard's root.
pub(super) struct SplitChild {
    /// The child as a leaf of the top.
    pub node: Node<Square>,
    pub position: Position,
    /// The shard of what is below the child, if there is one.
    pub search: Option<Box<OneTree>>,
}

impl Checkout {
    /// The step of the path that ends at the leaf.
    pub fn step(&self) -> &Step<Position> {
        self.path.last().expect("a checkout has a leaf")
    }

    /// Whether the leaf is in the expected play after one of the root's moves.
    pub fn is_principal(&self, tree: &Tree<Position>) -> bool {
        self.path.windows(2).skip(1).all(|pair| tree.arena[pair[0].node].kids == pair[1].node)
    }

    /// Searches in the shard, or splits it. Returns whether the search was not stopped.
    pub fn work<E: Incremental>(&mut self, leaves: &mut SearchedLeaves<'_, E>, maker: &ShardMaker) -> bool {
        (self.work, self.is_full) = (Work::default(), false);
        if let Some(search) = self.search.take_if(|_| self.is_to_split) {
            self.parts = split(search, maker, &mut || leaves.check_limits());
            return !leaves.check_limits();
        }
        if self.search.is_none() {
            self.search = self.new_shard(leaves.rules, maker);
        }
        let Some(search) = &mut self.search else {
            self.is_full = true;
            return !leaves.check_limits();
        };
        search.policy.deviations.clone_from(&self.deviations);
        search.on_memory_cap = if self.is_linear { OnMemoryCap::Rbfms } else { OnMemoryCap::Stop };
        search.restart();
        search.be_lazy();
        let root = *search.root();
        let (before, mut goes_on) = (search.work, true);
        let most = (root.visits / STAY).clamp(LEAST_STAY, LEAST_STAY.max(MOST_STAY >> (2 * leaves.depth)));
        while goes_on {
            match search.iterate(leaves) {
                Progress::Grown => goes_on = !leaves.must_stop_now(),
                Progress::Stopped => goes_on = false,
                Progress::Full => {
                    self.is_full = true;
                    break;
                }
                Progress::Done => break,
            }
            let expansions = search.work.expansions - before.expansions;
            let has_changed = !search.root().chance().is_near(root.chance());
            if expansions >= most || expansions >= LEAST_STAY && has_changed {
                break;
            }
        }
        search.back_up_all();
        self.work.expansions = search.work.expansions - before.expansions;
        self.work.linear_nodes = search.work.linear_nodes - before.linear_nodes;
        // However little was found to do: somebody has to look at the clock.
        goes_on && (self.work.expansions > 0 || !leaves.check_limits())
    }

    /// A shard for a leaf that has none yet, or none any more.
    fn new_shard(&self, rules: Rules, maker: &ShardMaker) -> Option<Box<OneTree>> {
        let mut search = maker.make(&self.step().position, rules, self.goal)?;
        let root = search.tree.root();
        let flags = if self.leaf.visits > 0 { DEEP } else { 0 };
        search.tree.arena[root] = Node { busy: 0, flags, ..self.leaf };
        Some(search)
    }
}

impl OneTree {
    /// Checks out the leaf to search next, if there is one, along this path.
    pub(super) fn check_out(&mut self, path: &mut Vec<Step<Position>>) -> Way {
        self.restart();
        let way = self.go_to_leaf();
        if way == Way::ToLeaf {
            path.clone_from(&self.path);
            for step in &self.path {
                self.tree.arena[step.node].busy += 1;
            }
            let node = self.leaf().node;
            let before = self.tree.arena[node];
            self.tree.arena[node].relevance = IRRELEVANT;
            ByRelevance::back_up(self, before, None);
        }
        way
    }

    /// Makes the path lead to a leaf that was checked out along `path`, and checks it in.
    pub(super) fn check_in(&mut self, path: &mut Vec<Step<Position>>) {
        std::mem::swap(&mut self.path, path);
        self.tree.arena[self.path[0].node].busy -= 1;
        for level in 1..self.path.len() {
            let (parent, turn) = (self.path[level - 1].node, self.path[level].turn);
            let node = self.tree.kid_after(parent, turn).expect("what is checked out stays in the tree");
            self.path[level].node = node;
            self.tree.arena[node].busy -= 1;
        }
    }
}

/// Splits a shard: its root's children, with shards of their own where something is below them and there is memory. The largest has
/// the old tree. The others have copies, or none once it is time to `stop`.
pub(super) fn split(mut search: Box<OneTree>, maker: &ShardMaker, stop: &mut dyn FnMut() -> bool) -> Vec<SplitChild> {
    let (root, position) = (search.tree.root(), *search.tree.position().expect("a shard has a root"));
    let kids = search.tree.kids(root).to_vec();
    let largest = (0..kids.len()).max_by_key(|&i| kids[i].size).unwrap_or(0);
    let first = search.tree.arena[root].kids;
    let mut parts: Vec<SplitChild> = (first..)
        .zip(&kids)
        .map(|(i, &kid)| {
            let position = after(&position, kid.turn);
            let is_copied = !kid.is_leaf() && i != first + largest as u32 && !stop();
            let copy = || {
                let mut copy = maker.make(&position, search.rules, search.policy.goal)?;
                copy.tree.copy_from(&search.tree, i).ok()?;
                Some(copy)
            };
            SplitChild { node: kid.without_children(), position, search: is_copied.then(copy).flatten() }
        })
        .collect();
    if !kids[largest].is_leaf() {
        search.tree.descend(first + largest as u32, &parts[largest].position);
        search.restart();
        parts[largest].search = Some(search);
    }
    for part in &mut parts {
        if let Some(search) = &mut part.search {
            // What shares its children with others may be out of date.
            let root = search.tree.root();
            search.tree.refresh(root, true);
            search.tree.refresh_chance(root);
            part.node = search.root().without_children();
        }
    }
    parts
}
