//! A game tree that is kept in memory: nodes, the children that positions share, values and proofs, moving the root, freeing.
//!
//! A node is a move, a value, proven bounds, visits, a chance and the place of its children. Positions are not kept: they are played
//! again on the way down. So one tree serves any [`Game`].

mod arena;
mod audit;
pub mod chance;
mod node;
mod prune;
mod reroot;
mod shared_children;

pub use arena::ChunkPool;
pub use node::{DEEP, Node, PARTIAL, REGROWING};

use super::INFINITY;
use crate::game::Game;
use arena::Arena;
use chance::{Chance, IRRELEVANT};
use shared_children::SharedChildren;
use std::collections::HashSet;
use std::sync::Arc;

/// There is no memory for more nodes.
#[derive(Debug)]
pub struct Full;

/// Expansions after which a tree that regrows below a leaf with a searched value replaces that value, at most; it does so earlier if
/// the value took fewer. Values drift with the search around them, and a wrong one must not bind the search for long.
const TRUSTED_AFTER: u64 = 4096;

/// A tree, its root position, and the subtrees that wait to be freed.
///
/// The children of every node are one block of the arena, best first for the side to move at the node; equal values stay in the
/// order in which they came. Values are negated from one node to its children. A pass is a node.
#[derive(Debug)]
pub struct Tree<G: Game> {
    pub arena: Arena<G::Move>,
    root: Option<(u32, G)>,
    /// Blocks cut off from the tree, whose nodes and everything below are yet to be freed.
    garbage: Vec<(u32, u8)>,
    /// Where positions have their children, if each position has them only once.
    shared: Option<SharedChildren>,
}

impl<G: Game> Tree<G> {
    /// A tree that takes at most `bytes`. `shares`: whether a position that is reached in several ways has its children only once; all
    /// of its positions have keys then.
    pub fn new(bytes: usize, shares: bool) -> Tree<G> {
        let shared = shares.then(|| SharedChildren::new(bytes));
        let pool = ChunkPool::for_one(bytes - shared.as_ref().map_or(0, SharedChildren::most_bytes).min(bytes));
        Tree { arena: Arena::in_pool(pool), root: None, garbage: Vec::new(), shared }
    }

    /// A tree with this root that takes its nodes from a pool; `None` if the pool is empty. It shares children, with an index for a
    /// tree of `bytes`.
    pub fn in_pool(pool: Arc<ChunkPool<G::Move>>, bytes: usize, root: &G) -> Option<Tree<G>> {
        let mut arena = Arena::in_pool(pool);
        let root = (arena.store(&[Node::leaf(None, 0)])?, root.clone());
        Some(Tree { arena, root: Some(root), garbage: Vec::new(), shared: Some(SharedChildren::new(bytes)) })
    }

    /// Bytes taken from the system.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.shared.as_ref().map_or(0, SharedChildren::bytes)
    }

    /// Nodes stored, those not freed yet included.
    pub fn nodes(&self) -> usize {
        self.arena.in_use() - self.shared.as_ref().map_or(0, SharedChildren::len)
    }

    /// Forgets everything and gives the memory back.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.garbage.clear();
        self.shared.iter_mut().for_each(SharedChildren::clear);
        self.root = None;
    }

    /// The root; there is one from the first [`Tree::move_to`] on.
    #[inline]
    pub fn root(&self) -> u32 {
        self.root.as_ref().expect("the root was set").0
    }

    /// The root's position, if there is a tree.
    pub fn position(&self) -> Option<&G> {
        self.root.as_ref().map(|(_, position)| position)
    }

    /// All nodes with their positions. Children that several nodes have are there once.
    pub fn places(&self) -> Vec<(u32, G)> {
        let mut places = vec![(self.root(), self.position().expect("there is a root").clone())];
        let (mut next, mut seen) = (0, HashSet::new());
        while let Some((node, position)) = places.get(next).cloned() {
            let this = self.arena[node];
            if !this.is_leaf() && seen.insert(this.kids) {
                let kids = (this.kids..).zip(self.kids(node));
                places.extend(kids.map(|(i, kid)| (i, after(&position, kid.turn))));
            }
            next += 1;
        }
        places
    }

    /// The children of a node, best first for its side to move.
    #[inline]
    pub fn kids(&self, node: u32) -> &[Node<G::Move>] {
        let Node { kids, count, .. } = self.arena[node];
        if count == 0 { &[] } else { self.arena.block(kids, count) }
    }

    /// The child that a turn leads to.
    pub fn kid_after(&self, node: u32, turn: Option<G::Move>) -> Option<u32> {
        let first = self.arena[node].kids;
        self.kids(node).iter().position(|kid| kid.turn == turn).map(|i| first + i as u32)
    }

    /// The children of a node.
    pub fn kids_mut(&mut self, node: u32) -> &mut [Node<G::Move>] {
        let Node { kids, count, .. } = self.arena[node];
        if count == 0 { &mut [] } else { self.arena.block_mut(kids, count) }
    }

    /// Cuts off everything below a node. The node keeps its value and its proofs.
    pub fn discard(&mut self, node: u32) {
        let Node { kids, count, .. } = self.arena[node];
        if count > 0 {
            self.garbage.push((kids, count));
        }
        let node = &mut self.arena[node];
        (node.count, node.size) = (0, 0);
        node.flags = 0;
    }

    /// Turns a node into a leaf that keeps its value; returns how many nodes that cuts off.
    pub fn collapse(&mut self, node: u32) -> u32 {
        let size = self.arena[node].size;
        let regrown = self.arena[node].has(REGROWING).then(|| self.expansions_below(node));
        self.discard(node);
        let node = &mut self.arena[node];
        if !node.is_solved() {
            node.flags = DEEP;
            if node.relevance > IRRELEVANT {
                node.set_chance(Chance::of_weight(node.weight).after_searches(node.visits));
            }
        }
        if let Some(regrown) = regrown {
            node.visits = without(node.visits, regrown);
        }
        size
    }

    /// Frees about `nodes` nodes of what was cut off. Returns whether there was something to free.
    pub fn sweep(&mut self, nodes: usize) -> bool {
        let mut freed = 0;
        while freed < nodes {
            let Some((start, count)) = self.garbage.pop() else {
                return freed > 0;
            };
            if let Some(shared) = &mut self.shared
                && !shared.disown(&mut self.arena, start)
            {
                freed += 1;
                continue;
            }
            for node in self.arena.block(start, count) {
                if node.count > 0 {
                    self.garbage.push((node.kids, node.count));
                }
            }
            self.release(start, count);
            freed += usize::from(count);
        }
        true
    }

    /// Whether something waits to be freed.
    pub fn has_garbage(&self) -> bool {
        !self.garbage.is_empty()
    }

    /// Whether a node of this position can get its children, as far as the cap goes.
    #[inline]
    pub fn has_room_for(&self, position: &G) -> bool {
        self.arena.has_room(|| usize::from(self.shared.is_some()) + turns(position).count())
    }

    /// Frees the children of a node that is gone.
    fn release(&mut self, kids: u32, count: u8) {
        match self.shared {
            Some(_) => self.arena.release(kids - 1, count + 1),
            None => self.arena.release(kids, count),
        }
    }

    /// Gives a node these children, among them those that it has, and updates its value and its proofs. Returns the number of nodes
    /// added. `is_complete`: whether these are all of its children. The node is not solved and its game not over.
    ///
    /// # Errors
    /// If there is no memory for the children; nothing changes then.
    pub fn adopt(&mut self, node: u32, position: &G, kids: &[Node<G::Move>], is_complete: bool) -> Result<u32, Full> {
        let added = self.replace_kids(node, position, kids)?;
        self.take_children(node, is_complete);
        Ok(added)
    }

    /// Gives a leaf the children that its position has elsewhere in the tree, if any, and updates its value and its proofs. Returns
    /// the number of nodes below it then. The leaf is not solved.
    pub fn share(&mut self, leaf: u32, position: &G) -> Option<u32> {
        let kids = self.shared.as_ref()?.find(&self.arena, position.key()?)?;
        let count = SharedChildren::own(&mut self.arena, kids);
        let size = size_with(self.arena.block(kids, count));
        let node = &mut self.arena[leaf];
        (node.kids, node.count, node.size) = (kids, count, size);
        self.take_children(leaf, true);
        Some(size)
    }

    /// Whether a node shares its children with others, or did: then its value and its proofs may be out of date.
    #[inline]
    pub fn shares(&self, node: &Node<G::Move>) -> bool {
        self.shared.is_some() && !node.is_leaf() && SharedChildren::are_shared(&self.arena, node.kids)
    }

    /// Updates a node from its new children.
    fn take_children(&mut self, node: u32, is_complete: bool) {
        let node_now = &mut self.arena[node];
        if is_complete {
            node_now.flags &= !PARTIAL;
        } else {
            node_now.flags |= PARTIAL;
        }
        if node_now.has(DEEP) {
            node_now.flags = node_now.flags & !DEEP | REGROWING;
        }
        let proofs = self.kids(node).iter().any(Node::has_proofs);
        self.refresh(node, proofs);
    }

    fn replace_kids(&mut self, node: u32, position: &G, kids: &[Node<G::Move>]) -> Result<u32, Full> {
        let Node { kids: old_start, count: old_count, .. } = self.arena[node];
        let header = self.shared.as_ref().map(|shared| {
            let key = position.key().expect("positions that can be shared have keys");
            shared.header(key, kids.len() as u8)
        });
        let start = self.arena.store_sorted(header, kids).ok_or(Full)?;
        let is_last =
            old_count > 0 && self.shared.as_mut().is_none_or(|shared| shared.disown(&mut self.arena, old_start));
        if let Some(shared) = &mut self.shared {
            shared.insert(&self.arena, start);
        }
        if is_last {
            self.release(old_start, old_count);
        }
        let added = kids.len() as u32 - u32::from(old_count);
        let node = &mut self.arena[node];
        node.kids = start;
        node.count = kids.len() as u8;
        node.size = node.size.saturating_add(added);
        Ok(added)
    }

    /// Updates a node's value from its children, which are in order; and with `proofs`, what is proven of it.
    pub fn refresh(&mut self, node: u32, proofs: bool) {
        let old = self.arena[node];
        let kids = self.kids(node);
        let (mut lower, mut upper) = (old.lower, old.upper);
        if proofs {
            // A proof outlives the nodes that it was made with.
            let (least, most) = (kids.iter().map(|kid| kid.lower).min(), kids.iter().map(|kid| kid.upper).min());
            lower = lower.max(-most.unwrap_or(INFINITY));
            if !old.has(PARTIAL) {
                upper = upper.min(-least.unwrap_or(-INFINITY));
            }
        }
        let value = if old.has(REGROWING) { old.value } else { -kids[0].value };
        let node = &mut self.arena[node];
        (node.value, node.lower, node.upper) = (value.clamp(lower, upper), lower, upper);
        if node.is_solved() {
            node.flags &= !REGROWING;
        }
    }

    /// Updates a node's chance from what is proven of it or from its children. An unproven leaf keeps its own.
    #[inline]
    pub fn refresh_chance(&mut self, node: u32) {
        let this = self.arena[node];
        if let Some(proven) = Chance::of_proofs(this.lower, this.upper) {
            self.arena[node].set_chance(proven);
        } else if !this.is_leaf() {
            let (chance, most_relevant) = self.chance_by_kids(&this);
            let node = &mut self.arena[node];
            node.most_relevant = most_relevant;
            node.set_chance(chance);
        }
    }

    /// A node's chance from its children, and the most relevant of these.
    #[inline]
    pub fn chance_by_kids(&self, node: &Node<G::Move>) -> (Chance, u8) {
        let (chance, most_relevant) =
            Chance::of_children(self.arena.block(node.kids, node.count).iter().map(Node::chance));
        let chance = if node.has(REGROWING) { Chance { weight: node.weight, ..chance } } else { chance };
        (if node.is_solved() { chance.solved() } else { chance }, most_relevant)
    }

    /// Gives every node its chance of more than a new goal of the root. `deviation`: by how much values err, by plies below the root.
    pub fn estimate_all(&mut self, goal: i32, deviation: &impl Fn(u32) -> f32) {
        if let Some(shared) = &mut self.shared {
            shared.begin_goal();
        }
        self.estimate_below(self.root(), goal, 0, deviation);
    }

    /// Gives a node, which is `plies` below the root, and those below it their chances of more than `goal`.
    fn estimate_below(&mut self, node: u32, goal: i32, plies: u32, deviation: &impl Fn(u32) -> f32) {
        let this = self.arena[node];
        if this.is_leaf() || this.has(REGROWING) {
            self.arena[node].estimate_chance(goal, deviation(plies));
            if this.busy > 0 {
                // A leaf that is checked out is not to be chosen.
                self.arena[node].relevance = IRRELEVANT;
            }
        }
        let is_first =
            |tree: &mut Tree<G>| tree.shared.as_ref().is_none_or(|shared| shared.take_goal(&mut tree.arena, this.kids));
        if !this.is_leaf() && is_first(self) {
            for kid in this.kids..this.kids + u32::from(this.count) {
                let turns = u32::from(self.arena[kid].turn.is_some());
                self.estimate_below(kid, -goal, plies + turns, deviation);
            }
        }
        self.refresh_chance(node);
    }

    /// Moves the `i`th child, whose value has changed, to its place in the order: the best stays in front unless another is
    /// better, any other goes behind those that are better or equal. Returns its new place.
    pub fn reposition(&mut self, node: u32, i: usize) -> usize {
        reposition(self.kids_mut(node), i, |kid| kid.value)
    }

    /// Puts all children in order again and counts the nodes below, after a search that changed several of them.
    pub fn reorder(&mut self, node: u32) {
        let kids = self.kids_mut(node);
        kids.sort_by_key(|kid| kid.value);
        self.arena[node].size = size_with(kids);
        self.refresh(node, true);
    }

    /// Whether a regrown subtree replaces its node's searched value from now on. Call it after each expansion below.
    pub fn trust_regrown(&mut self, node: u32) -> bool {
        let regrown = self.expansions_below(node);
        let visits = self.arena[node].visits;
        let needed = visits.saturating_sub(regrown).min(TRUSTED_AFTER);
        if regrown < needed {
            return false;
        }
        let node = &mut self.arena[node];
        node.flags &= !REGROWING;
        node.visits = without(visits, regrown);
        true
    }

    /// Expansions that the present children of a node account for, with its own.
    fn expansions_below(&self, node: u32) -> u64 {
        1 + self.kids(node).iter().map(|kid| kid.visits).sum::<u64>()
    }

    /// Adds the best play from the `i`th child of a node on to `line`, that child's turn first.
    pub fn principal_variation(&self, node: u32, i: usize, line: &mut Vec<Option<G::Move>>) {
        let mut kid = &self.kids(node)[i];
        loop {
            line.push(kid.turn);
            if kid.is_leaf() {
                return;
            }
            kid = &self.arena[kid.kids];
        }
    }
}

/// The visits of a node whose children have come back, without those that were made twice. Children that it shares may have been
/// visited more often than it was.
fn without(visits: u64, regrown: u64) -> u64 {
    regrown.max(visits.saturating_sub(regrown)).min(visits)
}

/// The turns of a position whose game is not over: its moves, or the pass.
pub(crate) fn turns<G: Game>(position: &G) -> impl Iterator<Item = Option<G::Move>> {
    let mut moves = position.moves();
    let first = moves.next();
    std::iter::once(first).chain(moves.map(Some))
}

/// The position after a turn.
#[inline]
pub(crate) fn after<G: Game>(position: &G, turn: Option<G::Move>) -> G {
    match turn {
        Some(mv) => position.after(mv),
        None => position.pass(),
    }
}

/// Moves the `i`th item, whose key has changed, to its place among the others, which are in order: the first stays in front unless another
/// is less, any other goes behind those that are less or equal. Returns its new place.
pub(super) fn reposition<T>(items: &mut [T], i: usize, key: impl Fn(&T) -> i32) -> usize {
    let changed = key(&items[i]);
    let behind = items[i + 1..].iter().take_while(|item| key(item) < changed).count();
    if behind > 0 {
        // The items it falls behind include those equal to it.
        let equal = items[i + 1 + behind..].iter().take_while(|item| key(item) == changed).count();
        items[i..=i + behind + equal].rotate_left(1);
        i + behind + equal
    } else {
        let before = items[..i].iter().rev().take_while(|item| key(item) > changed).count();
        items[i - before..=i].rotate_right(1);
        i - before
    }
}

/// The size of a node with these children.
fn size_with<M>(kids: &[Node<M>]) -> u32 {
    kids.iter().fold(0, |sum: u32, kid| sum.saturating_add(kid.size).saturating_add(1))
}
