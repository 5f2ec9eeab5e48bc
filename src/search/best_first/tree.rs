//! The stored game tree: expansion, values and proofs, moving the root.

use super::arena::{Arena, DEEP, INFINITY, Node, PARTIAL, REGROWING, Room};
use super::chance::{Chance, NO_PULL};
use super::sharing::Places;
use super::{Rules, Work};
use crate::eval::Evaluator;
use crate::game::Game;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The arena is full.
#[derive(Debug)]
pub(super) struct Full;

/// How deep below the root a new root is looked for, passes included.
const DEEPEST_NEW_ROOT: usize = 6;
/// How many positions are looked at for that at most: a few milliseconds.
const NEW_ROOT_POSITIONS: usize = 50_000;
/// A tree grown again below a leaf that kept its value speaks for the leaf after as many expansions as the value took,
/// or after so many: values drift with the search around them, and a wrong one must not bind the search for long.
const TRUSTED_AFTER: u64 = 4096;

/// A tree, its root position, and the subtrees that wait to be freed.
///
/// The children of every node are one block of the arena, best first for the side to move; those with equal values stay
/// in the order in which they got there. Values are negated from one node to its children, a pass being a node like
/// every other.
#[derive(Debug)]
pub(super) struct Tree<G: Game> {
    pub arena: Arena<G::Move>,
    root: Option<(u32, G)>,
    /// Blocks cut off from the tree, whose nodes and everything below are yet to be freed.
    garbage: Vec<(u32, u8)>,
    fresh: Vec<Node<G::Move>>,
    /// Where positions have their children, if one that is reached in several ways has them only once.
    places: Option<Places>,
}

impl<G: Game> Tree<G> {
    /// A tree that never takes more than so many bytes. `shares`: whether a position that is reached in several ways has its children
    /// only once; all of its positions have keys then.
    pub fn new(bytes: usize, shares: bool) -> Tree<G> {
        let places = shares.then(|| Places::new(bytes));
        let room = Room::for_one(bytes - places.as_ref().map_or(0, Places::most_bytes).min(bytes));
        Tree { arena: Arena::in_room(room), root: None, garbage: Vec::new(), fresh: Vec::new(), places }
    }

    /// A tree with this root that takes its memory from this room, if there is any left, and finds shared positions as a tree of so
    /// many bytes does.
    pub fn in_room(room: Arc<Room<G::Move>>, bytes: usize, root: &G) -> Option<Tree<G>> {
        let mut arena = Arena::in_room(room);
        let root = (arena.store(&[Node::leaf(None, 0)])?, root.clone());
        let places = Some(Places::new(bytes));
        Some(Tree { arena, root: Some(root), garbage: Vec::new(), fresh: Vec::new(), places })
    }

    /// Bytes taken from the system.
    pub fn bytes(&self) -> usize {
        self.arena.bytes() + self.places.as_ref().map_or(0, Places::bytes)
    }

    /// Nodes stored, those not freed yet included.
    pub fn nodes(&self) -> usize {
        self.arena.in_use() - self.places.as_ref().map_or(0, Places::len)
    }

    /// Forgets everything and gives the memory back.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.garbage.clear();
        self.places.iter_mut().for_each(Places::clear);
        self.root = None;
    }

    /// The root; there is one from the first [`Tree::move_to`] on.
    pub fn root(&self) -> u32 {
        self.root.as_ref().expect("the root was set").0
    }

    /// The root's position, if there is a tree.
    pub fn position(&self) -> Option<&G> {
        self.root.as_ref().map(|(_, position)| position)
    }

    pub fn kids(&self, node: u32) -> &[Node<G::Move>] {
        let Node { kids, count, .. } = self.arena[node];
        if count == 0 { &[] } else { self.arena.block(kids, count) }
    }

    /// The child that a turn leads to.
    pub fn kid_after(&self, node: u32, turn: Option<G::Move>) -> Option<u32> {
        let first = self.arena[node].kids;
        self.kids(node).iter().position(|kid| kid.turn == turn).map(|i| first + i as u32)
    }

    pub fn kids_mut(&mut self, node: u32) -> &mut [Node<G::Move>] {
        let Node { kids, count, .. } = self.arena[node];
        if count == 0 { &mut [] } else { self.arena.block_mut(kids, count) }
    }

    /// Makes `position` the root and frees what does not lie below it. If it is not in the tree, starts afresh with a
    /// root of no value.
    ///
    /// Visits and values of the part that stays are kept. Freeing is left to [`Tree::sweep`].
    pub fn move_to(&mut self, position: &G) {
        let Some((root, old)) = &self.root else {
            let root = self.arena.store(&[Node::leaf(None, 0)]).expect("an empty arena has room");
            self.root = Some((root, position.clone()));
            return;
        };
        let root = *root;
        match self.find_below(root, old, position) {
            Some(node) if node == root => {}
            Some(node) => {
                self.descend(node, position);
                self.be_asked();
            }
            None => {
                self.discard(root);
                self.arena[root] = Node::leaf(None, 0);
                self.root = Some((root, position.clone()));
            }
        }
    }

    /// Makes a node, whose position this is, the root as it is and frees what does not lie below it.
    pub fn descend(&mut self, node: u32, position: &G) {
        let (root, new) = (self.root(), self.arena[node]);
        // The new root keeps its children: they no longer belong to the place it had.
        self.arena[node].count = 0;
        self.discard(root);
        self.arena[root] = new;
        self.root = Some((root, position.clone()));
    }

    /// Has the root speak for its children alone, even where it was solved without them: the root of a search is asked for a move, and
    /// a value is worth nothing without the move that it comes from.
    pub fn be_asked(&mut self) {
        let root = self.root();
        let node = &mut self.arena[root];
        (node.lower, node.upper) = (-INFINITY, INFINITY);
        node.flags &= PARTIAL;
        if node.count > 0 {
            self.refresh(root, true);
        }
    }

    /// Gives the root of this tree, which has nothing below it, everything that a node of another one is and has below it. If there is
    /// no room for all of that, this tree is good for nothing any more.
    pub fn copy_from(&mut self, other: &Tree<G>, node: u32) -> Result<(), Full> {
        let root = self.root();
        self.arena[root] = other.arena[node];
        self.copy_below(other, root, &mut HashMap::new())
    }

    /// Gives a node, which is a copy of one of another tree, a copy of its children instead of those. `copied`: where the copies are
    /// of what several nodes have.
    fn copy_below(&mut self, other: &Tree<G>, node: u32, copied: &mut HashMap<u32, u32>) -> Result<(), Full> {
        let Node { kids, count, .. } = self.arena[node];
        if count == 0 {
            return Ok(());
        }
        if let Some(&known) = copied.get(&kids) {
            Places::own(&mut self.arena, known);
            self.arena[node].kids = known;
            return Ok(());
        }
        let header = self.places.as_ref().map(|places| places.header_like(&other.arena[kids - 1]));
        let mut block = std::mem::take(&mut self.fresh);
        block.clear();
        block.extend(header);
        block.extend_from_slice(other.arena.block(kids, count));
        let stored = self.arena.store(&block);
        self.fresh = block;
        let start = stored.ok_or(Full)? + u32::from(header.is_some());
        if let Some(places) = &mut self.places {
            places.insert(&mut self.arena, start);
            if Places::are_shared(&other.arena, kids) {
                copied.insert(kids, start);
            }
        }
        self.arena[node].kids = start;
        (start..start + u32::from(count)).try_for_each(|kid| self.copy_below(other, kid, copied))
    }

    /// The node of a position at the root or a few turns below it.
    pub fn node_of(&self, position: &G) -> Option<u32> {
        let (root, at) = self.root.as_ref()?;
        self.find_below(*root, at, position)
    }

    fn find_below(&self, root: u32, at: &G, position: &G) -> Option<u32> {
        let mut examined = 0;
        let found = (0..=DEEPEST_NEW_ROOT).find_map(|depth| self.find(root, at, position, depth, &mut examined));
        found.unwrap_or(None)
    }

    /// The node of a position exactly so many levels below this node: `Some(None)` ends the search for it.
    fn find(&self, node: u32, at: &G, wanted: &G, depth: usize, examined: &mut usize) -> Option<Option<u32>> {
        if depth == 0 {
            return (at == wanted).then_some(Some(node));
        }
        let first = self.arena[node].kids;
        for (i, kid) in self.kids(node).iter().enumerate() {
            *examined += 1;
            if *examined > NEW_ROOT_POSITIONS {
                return Some(None);
            }
            let position = after(at, kid.turn);
            if let Some(found) = self.find(first + i as u32, &position, wanted, depth - 1, examined) {
                return Some(found);
            }
        }
        None
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
            if node.pull > NO_PULL {
                node.set_chance(Chance::of_weight(node.weight).after_searches(node.visits));
            }
        }
        if let Some(regrown) = regrown {
            node.visits = without(node.visits, regrown);
        }
        size
    }

    /// Frees up to about `nodes` nodes of what was cut off; whether something was left to free.
    pub fn sweep(&mut self, nodes: usize) -> bool {
        let mut freed = 0;
        while freed < nodes {
            let Some((start, count)) = self.garbage.pop() else {
                return freed > 0;
            };
            if let Some(places) = &mut self.places
                && !places.disown(&mut self.arena, start)
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

    /// Gives a node its children, or those that are missing, and lets them speak for it; returns how many nodes were
    /// added. The node is not solved and its game not over.
    ///
    /// `cut`: stop generating, one child after the other in the order of the game, once a child is worth at least this
    /// to the node.
    pub fn expand(
        &mut self,
        node: u32,
        position: &G,
        rules: &Rules,
        evaluator: &dyn Evaluator<G>,
        cut: i32,
        work: &mut Work,
    ) -> Result<u32, Full> {
        if !self.arena.has_room(usize::from(self.places.is_some()) + turns(position).count()) {
            return Err(Full);
        }
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.clear();
        fresh.extend_from_slice(self.kids(node));
        let old = fresh.len();
        let mut complete = true;
        for turn in turns(position) {
            if old > 0 && fresh[..old].iter().any(|kid| kid.turn == turn) {
                continue;
            }
            if fresh[old..].last().is_some_and(|kid| -kid.value >= cut) {
                complete = false;
                break;
            }
            fresh.push(rules.new_node(turn, &after(position, turn), evaluator, work));
        }
        let stored = self.replace_kids(node, position, &fresh);
        self.fresh = fresh;
        let added = stored?;
        self.settle(node, complete);
        Ok(added)
    }

    /// Frees the children of a node that is gone.
    fn release(&mut self, kids: u32, count: u8) {
        match self.places {
            Some(_) => self.arena.release(kids - 1, count + 1),
            None => self.arena.release(kids, count),
        }
    }

    /// Gives a leaf these children and lets them speak for it; returns how many nodes were added. The leaf is not solved
    /// and its game not over.
    pub fn adopt(&mut self, leaf: u32, position: &G, kids: &[Node<G::Move>]) -> Result<u32, Full> {
        let added = self.replace_kids(leaf, position, kids)?;
        self.settle(leaf, true);
        Ok(added)
    }

    /// Gives a leaf the children that its position already has elsewhere in the tree, if it has, and lets them speak for it; returns
    /// how many nodes are below it then. The leaf is not solved.
    pub fn share(&mut self, leaf: u32, position: &G) -> Option<u32> {
        let kids = self.places.as_ref()?.find(&self.arena, position.key()?)?;
        let count = Places::own(&mut self.arena, kids);
        let size = self.arena.block(kids, count).iter().fold(0u32, |sum, kid| sum.saturating_add(1 + kid.size));
        let node = &mut self.arena[leaf];
        (node.kids, node.count, node.size) = (kids, count, size);
        self.settle(leaf, true);
        Some(size)
    }

    /// Whether a node has its children in common with others, or had, and so may not know all that is known of them.
    #[inline]
    pub fn shares(&self, node: &Node<G::Move>) -> bool {
        self.places.is_some() && !node.is_leaf() && Places::are_shared(&self.arena, node.kids)
    }

    /// Lets new children speak for a node, whether they are all or not.
    fn settle(&mut self, node: u32, complete: bool) {
        let node_now = &mut self.arena[node];
        if complete {
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
        let header = self.places.as_ref().map(|places| {
            let key = position.key().expect("positions that can be shared have keys");
            places.header(key, kids.len() as u8)
        });
        let start = self.arena.store_sorted(header, kids).ok_or(Full)?;
        if let Some(places) = &mut self.places {
            places.insert(&mut self.arena, start);
        }
        if old_count > 0 && self.places.as_mut().is_none_or(|places| places.disown(&mut self.arena, old_start)) {
            self.release(old_start, old_count);
        }
        let added = kids.len() as u32 - u32::from(old_count);
        let node = &mut self.arena[node];
        node.kids = start;
        node.count = kids.len() as u8;
        node.size += added;
        Ok(added)
    }

    /// Lets the children, which are in order, speak for a node: for its value, and if `proofs`, those of a child having
    /// changed, for what is proven of it.
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

    /// Lets the children speak for a node's chance, or what is proven of it. An unproven leaf keeps its own.
    #[inline]
    pub fn refresh_chance(&mut self, node: u32) {
        let this = self.arena[node];
        if let Some(proven) = Chance::of_proofs(this.lower, this.upper) {
            self.arena[node].set_chance(proven);
        } else if !this.is_leaf() {
            let (chance, pulled) = self.chance_by_kids(&this);
            let node = &mut self.arena[node];
            node.pulled = pulled;
            node.set_chance(chance);
        }
    }

    /// What the children say of a node's chance, and the one that pulls most.
    #[inline]
    pub fn chance_by_kids(&self, node: &Node<G::Move>) -> (Chance, u8) {
        let (chance, pulled) = Chance::of_children(self.arena.block(node.kids, node.count));
        let chance = if node.has(REGROWING) { Chance { weight: node.weight, ..chance } } else { chance };
        (if node.is_solved() { chance.for_good() } else { chance }, pulled)
    }

    /// Gives the children of a node, which are new, the chances that their values stand for; `goal`: what they are compared
    /// with, for their side to move; `deviation`: how far they err.
    pub fn appraise_kids(&mut self, node: u32, goal: i32, deviation: f32) {
        for kid in self.kids_mut(node) {
            kid.appraise(goal, deviation);
        }
    }

    /// Gives every node the chance that it has with another goal of the root.
    pub fn appraise_all(&mut self, goal: i32, deviation: &impl Fn(u32) -> f32) {
        if let Some(places) = &mut self.places {
            places.begin_aim();
        }
        self.appraise_below(self.root(), goal, 0, deviation);
    }

    /// Gives this node, so many plies below the root, and those below it the chance that they have with this goal.
    fn appraise_below(&mut self, node: u32, goal: i32, plies: u32, deviation: &impl Fn(u32) -> f32) {
        let this = self.arena[node];
        if this.is_leaf() || this.has(REGROWING) {
            self.arena[node].appraise(goal, deviation(plies));
            if this.busy > 0 {
                // Away, it pulls nobody.
                self.arena[node].pull = NO_PULL;
            }
        }
        let is_first =
            |tree: &mut Tree<G>| tree.places.as_ref().is_none_or(|places| places.take_aim(&mut tree.arena, this.kids));
        if !this.is_leaf() && is_first(self) {
            for kid in this.kids..this.kids + u32::from(this.count) {
                let turns = u32::from(self.arena[kid].turn.is_some());
                self.appraise_below(kid, -goal, plies + turns, deviation);
            }
        }
        self.refresh_chance(node);
    }

    /// Puts the `i`th child, whose value has changed, where it belongs: the best stays in front unless another is
    /// better, any other goes behind those that are better or equal. Returns its new place.
    pub fn reposition(&mut self, node: u32, i: usize) -> usize {
        let kids = self.kids_mut(node);
        let value = kids[i].value;
        let behind = kids[i + 1..].iter().take_while(|kid| kid.value < value).count();
        if behind > 0 {
            // The children it falls behind include those equal to it.
            let equal = kids[i + 1 + behind..].iter().take_while(|kid| kid.value == value).count();
            kids[i..=i + behind + equal].rotate_left(1);
            i + behind + equal
        } else {
            let before = kids[..i].iter().rev().take_while(|kid| kid.value > value).count();
            kids[i - before..=i].rotate_right(1);
            i - before
        }
    }

    /// Puts all children in order again and counts the nodes below, after a search that changed several of them.
    pub fn reorder(&mut self, node: u32) {
        let kids = self.kids_mut(node);
        sort_best_first(kids);
        let size = kids.iter().map(|kid| 1 + kid.size).sum();
        self.arena[node].size = size;
        self.refresh(node, true);
    }

    /// Whether a regrown subtree may speak for its node from now on; asked after each expansion in it.
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

    /// Checks that the tree is what it claims to be; for tests.
    ///
    /// Children in order, values and proofs as the children have them, sizes and visits that add up, and every node of
    /// the arena in the tree, waiting to be freed, or free, once.
    pub fn audit(&self, position: &G) -> Result<(), String> {
        let root = self.root();
        // Nodes that have each block of children, and how many these are.
        let mut owners: HashMap<u32, (u8, u32)> = HashMap::new();
        self.audit_node(root, position, &mut owners)?;
        let mut garbage = self.garbage.clone();
        while let Some((start, count)) = garbage.pop() {
            let known = owners.entry(start).or_insert((count, 0));
            known.1 += 1;
            if known.1 == 1 {
                let block = self.arena.block(start, count);
                garbage.extend(block.iter().filter(|node| node.count > 0).map(|node| (node.kids, node.count)));
            }
        }
        let header = u8::from(self.places.is_some());
        for (&kids, &(count, found)) in &owners {
            let told = self.places.as_ref().map_or((count, 1), |_| {
                let header = Places::of(&self.arena, kids);
                (header.count, header.owners)
            });
            if told != (count, found) {
                return Err(format!("{found} nodes have the {count} children at {kids}, not {told:?}"));
            }
        }
        if self.places.as_ref().is_some_and(|places| places.len() != owners.len()) {
            return Err(format!("there are {} blocks, not {:?}", owners.len(), self.places));
        }
        let blocks = owners.iter().map(|(&kids, &(count, _))| (kids - u32::from(header), count + header));
        self.arena.audit(blocks.chain([(root, 1)]))
    }

    /// Checks that the chances of a node and of those below it are what the children say; for tests.
    pub fn audit_chances(&self, node: u32, seen: &mut HashSet<u32>) -> Result<(), String> {
        let this = self.arena[node];
        let is_told = !self.shares(&this);
        let (chance, pulled) = match Chance::of_proofs(this.lower, this.upper) {
            Some(proven) => (proven, this.pulled),
            None if this.is_leaf() => return Ok(()),
            None => self.chance_by_kids(&this),
        };
        if is_told && (this.chance() != chance || this.pulled != pulled) {
            return Err(format!("{chance:?} is the chance of node {node}, {this:?}, children {:?}", self.kids(node)));
        }
        if this.is_leaf() || !seen.insert(this.kids) {
            return Ok(());
        }
        (0..u32::from(this.count)).try_for_each(|i| self.audit_chances(this.kids + i, seen))
    }

    fn audit_node(&self, node: u32, position: &G, owners: &mut HashMap<u32, (u8, u32)>) -> Result<(), String> {
        let this = self.arena[node];
        let wrong = |what: &str| Err(format!("{what} at node {node}, {this:?}, children {:?}", self.kids(node)));
        if this.lower > this.upper || this.value < this.lower || this.value > this.upper {
            return wrong("the value contradicts the proofs");
        }
        let kids = self.kids(node);
        if kids.is_empty() {
            return if this.size == 0 { Ok(()) } else { wrong("a leaf with a size") };
        }
        let known = owners.entry(this.kids).or_insert((this.count, 0));
        known.1 += 1;
        let is_known = known.1 > 1;
        // What several nodes have had in common, each of them knows only in part.
        let is_told = !self.shares(&this);
        if let Some(places) = &self.places {
            let header = Places::of(&self.arena, this.kids);
            if Some(header.key) != position.key() || places.find(&self.arena, header.key).is_none() {
                return wrong("children of another position, or not to be found");
            }
        }
        if is_known {
            return Ok(());
        }
        if !kids.is_sorted_by_key(|kid| kid.value) {
            return wrong("children out of order");
        }
        if is_told && !this.has(REGROWING) && this.value != (-kids[0].value).clamp(this.lower, this.upper) {
            return wrong("not the value of the best child");
        }
        let upper = if this.has(PARTIAL) { INFINITY } else { -kids.iter().map(|kid| kid.lower).min().unwrap_or(0) };
        let lower = -kids.iter().map(|kid| kid.upper).min().unwrap_or(0);
        if is_told && (this.lower < lower || this.upper > upper) {
            return wrong("proofs weaker than the children's");
        }
        if is_told && this.size != kids.iter().map(|kid| 1 + kid.size).sum::<u32>() {
            return wrong("the size does not add up");
        }
        if is_told && this.visits < kids.iter().map(|kid| kid.visits).sum() {
            return wrong("the visits do not add up");
        }
        let mut expected: Vec<Option<G::Move>> = turns(position).collect();
        for (i, kid) in kids.iter().enumerate() {
            match expected.iter().position(|turn| *turn == kid.turn) {
                Some(found) => expected.swap_remove(found),
                None => return wrong("a child that is no move"),
            };
            self.audit_node(this.kids + i as u32, &after(position, kid.turn), owners)?;
        }
        if expected.is_empty() != this.has(PARTIAL) { Ok(()) } else { wrong("children missing or one too many") }
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

/// Insertion sort: the least value, which is the best for the parent, first; equal ones keep their order.
fn sort_best_first<M: Copy>(nodes: &mut [Node<M>]) {
    for i in 1..nodes.len() {
        let node = nodes[i];
        let mut j = i;
        while j > 0 && nodes[j - 1].value > node.value {
            nodes[j] = nodes[j - 1];
            j -= 1;
        }
        nodes[j] = node;
    }
}
