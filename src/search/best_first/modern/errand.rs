//! Ways to leaves and back: a thread goes to one, searches what is below it, and brings back its children.
//!
//! A thread that is alone in its tree stays there meanwhile. Several leave the tree free for the others. What is away is marked on
//! the whole way to it, so that nothing on it is freed, and pulls nobody until it comes back: the others go to the next best
//! leaf. Nodes move when their brothers overtake them, so a way back is found by its turns. In the top of a forest, what is brought back
//! is not children but what a branch came to.

use super::leaf::LeafSearch;
use crate::eval::Incremental;
use crate::othello::{Position, Square};
use crate::search::best_first::arena::{DEEP, Node};
use crate::search::best_first::chance::NO_PULL;
use crate::search::best_first::explorer::{Explorer, SWEEP, SWEEP_FOR_ROOM, Step};
use crate::search::best_first::memory::OnMemoryCap;
use crate::search::best_first::tree::Tree;

/// The search stays below a node for this part of the visits that it has had, 1/16, unless its chance changes much. So few more or
/// less hardly tell in the choice between it and its brothers, and what is near in the tree is near in the caches.
pub(super) const STAY: u64 = 16;

/// A leaf that a thread has taken away.
#[derive(Debug, Default)]
pub(super) struct Errand {
    path: Vec<Step<Position>>,
    /// The children that it was found to have.
    children: Vec<Node<Square>>,
}

impl Errand {
    /// The leaf.
    pub fn leaf(&self) -> &Step<Position> {
        self.path.last().expect("an errand leads somewhere")
    }

    /// Whether the leaf is in the expected play after one of the root's moves.
    pub fn is_principal(&self, tree: &Tree<Position>) -> bool {
        self.path.windows(2).skip(1).all(|pair| tree.arena[pair[0].node].kids == pair[1].node)
    }

    /// Searches the leaf; whether that was not broken off.
    pub fn search<E: Incremental>(&mut self, search: &mut LeafSearch<'_, E>) -> bool {
        let position = self.leaf().position;
        search.children(&position, &mut self.children)
    }
}

/// What there is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Search the leaf at the end of the path.
    Leaf,
    /// Nothing until another thread has come back.
    Wait,
    /// Nothing any more.
    Done,
}

impl Explorer<Position> {
    /// Makes the path lead to the leaf that is to be searched next. What it has in common with the way to the last one stays.
    pub(super) fn go_to_leaf(&mut self) -> Next {
        if self.tree.has_garbage() {
            self.tree.sweep(SWEEP);
        }
        self.aim();
        loop {
            match self.go_on_to_leaf() {
                // What was learnt on the way may make it another one.
                None => {}
                Some(Next::Leaf) if self.share() => {}
                Some(next) => return next,
            }
        }
    }

    /// The same, the leaf perhaps being a position that is elsewhere in the tree too; or as far as to a node that learns what came
    /// through others.
    fn go_on_to_leaf(&mut self) -> Option<Next> {
        if self.is_done() {
            return Some(Next::Done);
        }
        let now = self.iterations + 1;
        let mut level = if self.wants_several() { 0 } else { self.rest };
        let mut from_root = level == 0;
        loop {
            if self.learns(level) {
                return None;
            }
            let node = self.tree.arena[self.path[level].node];
            if node.is_leaf() {
                break;
            }
            let child = match self.choose_free(level, &node) {
                Some(i) => node.kids + i as u32,
                None if node.busy == 0 => node.kids,
                None if from_root => return Some(Next::Wait),
                // Here everything is away, but elsewhere something may be left to do.
                None => {
                    (level, from_root) = (0, true);
                    continue;
                }
            };
            level += 1;
            if self.path.get(level).is_none_or(|known| known.node != child) {
                self.path.truncate(level);
                self.go_to(child);
            }
            self.path[level].until = now + self.tree.arena[child].visits / STAY;
        }
        self.path.truncate(level + 1);
        let leaf = &self.tree.arena[self.leaf().node];
        if leaf.busy > 0 {
            return Some(Next::Wait);
        }
        if leaf.is_solved() {
            debug_assert!(false, "the search went where nothing is left to find out: {leaf:?}");
            // There is nothing to be had for going on: the game may be over there.
            return Some(Next::Done);
        }
        self.iterations = now;
        Some(Next::Leaf)
    }

    /// The child to go on with of a node so many levels below the root, leaves that are away left out.
    fn choose_free(&self, level: usize, node: &Node<Square>) -> Option<usize> {
        if level == 0 && self.wants_several() {
            return Some(self.choose_at_root());
        }
        self.choose(node)
    }

    /// Takes the next leaf away, if there is one.
    pub(super) fn take_leaf(&mut self, errand: &mut Errand) -> Next {
        self.restart();
        let next = self.go_to_leaf();
        if next == Next::Leaf {
            errand.path.clone_from(&self.path);
            for step in &self.path {
                self.tree.arena[step.node].busy += 1;
            }
            self.hide_leaf();
        }
        next
    }

    /// Gives a leaf that was searched its children. Whether there was room for them; if not, the leaf keeps its new value.
    pub(super) fn bring_back(&mut self, errand: &mut Errand) -> bool {
        self.go_back_to(errand);
        self.give_children(&errand.children)
    }

    /// Puts a leaf that was not searched back.
    pub(super) fn put_back(&mut self, errand: &mut Errand) {
        self.go_back_to(errand);
        self.show_leaf();
    }

    /// Has the leaf at the end of the path, which is away, pull nobody.
    fn hide_leaf(&mut self) {
        if self.goes_by_chances() {
            let node = self.leaf().node;
            let before = self.tree.arena[node];
            self.tree.arena[node].pull = NO_PULL;
            self.back_up(before, None);
        }
    }

    /// Has the leaf at the end of the path, which was away, pull again.
    fn show_leaf(&mut self) {
        if self.goes_by_chances() {
            let before = self.tree.arena[self.leaf().node];
            self.appraise_leaf();
            self.back_up(before, None);
        }
    }

    /// Makes the path lead to a leaf that was away.
    pub(super) fn go_back_to(&mut self, errand: &mut Errand) {
        std::mem::swap(&mut self.path, &mut errand.path);
        self.tree.arena[self.path[0].node].busy -= 1;
        for level in 1..self.path.len() {
            let (parent, turn) = (self.path[level - 1].node, self.path[level].turn);
            let node = self.tree.kid_after(parent, turn).expect("what is away stays in the tree");
            self.path[level].node = node;
            self.tree.arena[node].busy -= 1;
        }
    }

    /// Gives the leaf at the end of the path its children and carries what that changes up the tree. Whether there was room
    /// for them; if not, the leaf keeps its new value.
    pub(super) fn give_children(&mut self, children: &[Node<Square>]) -> bool {
        let leaf = self.leaf();
        let node = leaf.node;
        self.last = Some(leaf.position);
        let before = self.tree.arena[node];
        let stored = self.store(node, children);
        if !stored {
            let value = children.iter().map(|child| -child.value).max().unwrap_or(before.value);
            let leaf = &mut self.tree.arena[node];
            leaf.value = value.clamp(leaf.lower, leaf.upper);
            leaf.flags |= DEEP;
        }
        self.work.expansions += 1;
        let settled = self.add_visits(1);
        if stored {
            self.appraise_kids();
        } else {
            self.appraise_leaf();
        }
        self.back_up(before, settled);
        stored
    }

    /// Stores the children of the leaf at the end of the path, making room at the cap if the settings say how.
    fn store(&mut self, leaf: u32, children: &[Node<Square>]) -> bool {
        let position = self.leaf().position;
        loop {
            if let Ok(added) = self.tree.adopt(leaf, &position, children) {
                self.add_nodes(added);
                return true;
            }
            if self.tree.sweep(SWEEP_FOR_ROOM) {
                continue;
            }
            if !self.cap_was_reached {
                self.say_that_the_cap_was_reached();
            }
            if self.settings.on_memory_cap != OnMemoryCap::Prune {
                return false;
            }
            let path: Vec<u32> = self.path.iter().map(|step| step.node).collect();
            let pruned = self.tree.prune(&path);
            self.work.pruned_nodes += pruned;
            if pruned == 0 {
                return false;
            }
        }
    }
}
