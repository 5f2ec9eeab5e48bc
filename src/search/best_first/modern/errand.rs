//! Several threads in one tree: each takes a leaf away, searches what is below it, and brings it back.
//!
//! Between the two the tree is free for the others. What is away is marked on the whole way to it, so that others prefer
//! other ways (virtual loss), and that nothing on it is freed. Nodes move when their brothers overtake them, so a way is
//! remembered by its turns.

use crate::othello::{Position, Square};
use crate::search::best_first::arena::{DEEP, Node};
use crate::search::best_first::explorer::{Explorer, SWEEP, SWEEP_FOR_ROOM};
use crate::search::best_first::memory::OnMemoryCap;

/// A leaf that is being searched.
#[derive(Clone, Debug)]
pub(super) struct Errand {
    turns: Vec<Option<Square>>,
    pub position: Position,
}

/// What there is to do.
#[derive(Debug)]
pub(super) enum Next {
    /// Search this.
    Leaf(Errand),
    /// Nothing until another thread has come back.
    Wait,
    /// Nothing any more.
    Done,
}

impl Explorer<Position> {
    /// Takes the leaf that is to be searched next. `loss` is what each thread below a node counts against it, in units of the
    /// evaluation.
    pub(super) fn take_leaf(&mut self, loss: f32) -> Next {
        if self.tree.has_garbage() {
            self.tree.sweep(SWEEP);
        }
        if self.is_done() {
            return Next::Done;
        }
        self.restart();
        let mut turns = Vec::new();
        loop {
            let node = self.tree.arena[self.leaf().node];
            if node.is_leaf() {
                if node.busy > 0 {
                    return Next::Wait;
                }
                break;
            }
            let Some(i) = self.choose_free(turns.len(), &node, loss) else { return Next::Wait };
            let child = node.kids + i as u32;
            turns.push(self.tree.arena[child].turn);
            self.go_to(child);
        }
        for step in &self.path {
            self.tree.arena[step.node].busy += 1;
        }
        self.iterations += 1;
        Next::Leaf(Errand { turns, position: self.leaf().position })
    }

    /// The child to go on with of a node so many levels below the root, leaves that are away left out.
    pub(super) fn choose_free(&self, level: usize, node: &Node<Square>, loss: f32) -> Option<usize> {
        if level == 0 && self.wants_several() {
            return Some(self.choose_at_root());
        }
        let kids = self.tree.arena.block(node.kids, node.count);
        self.exploration.choose(self.settings.exploration, node, kids, loss)
    }

    /// Brings a leaf back with its children, or without any if the search of it was broken off. Whether there was room for
    /// them; if not, the leaf keeps its new value.
    pub(super) fn bring_back(&mut self, errand: &Errand, children: Option<&[Node<Square>]>) -> bool {
        self.restart();
        for &turn in &errand.turns {
            let child = self.tree.kid_after(self.leaf().node, turn).expect("what is away stays in the tree");
            self.go_to(child);
        }
        for step in &self.path {
            self.tree.arena[step.node].busy -= 1;
        }
        children.is_none_or(|children| self.give_children(children))
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
        self.back_up(before, settled);
        stored
    }

    /// Stores the children of the leaf at the end of the path, making room at the cap if the settings say how.
    fn store(&mut self, leaf: u32, children: &[Node<Square>]) -> bool {
        loop {
            if let Ok(added) = self.tree.adopt(leaf, children) {
                for step in &self.path[..self.path.len() - 1] {
                    self.tree.arena[step.node].size += added;
                }
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
