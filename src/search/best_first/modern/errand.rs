//! Several threads in one tree: each takes a leaf away, searches what is below it, and brings it back.
//!
//! Between the two the tree is free for the others. What is away is marked on the whole way to it, so that others prefer
//! other ways (virtual loss), and that nothing on it is freed. Nodes move when their brothers overtake them, so a way is
//! remembered by its turns.

use crate::othello::{Position, Square};
use crate::search::best_first::arena::{DEEP, Node};
use crate::search::best_first::explorer::{Explorer, SWEEP, SWEEP_FOR_ROOM, Step};
use crate::search::best_first::memory::OnMemoryCap;
use crate::search::best_first::tree::after;

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
            let step = self.leaf().clone();
            let node = self.tree.arena[step.node];
            if node.is_leaf() {
                if node.busy > 0 {
                    return Next::Wait;
                }
                break;
            }
            let choice = if turns.is_empty() && self.wants_several() {
                Some(self.choose_at_root())
            } else {
                self.choose_free(&node, loss)
            };
            let Some(i) = choice else { return Next::Wait };
            let child = node.kids + i as u32;
            let turn = self.tree.arena[child].turn;
            turns.push(turn);
            self.path.push(Step {
                node: child,
                position: after(&step.position, turn),
                plies: step.plies + u32::from(turn.is_some()),
            });
        }
        for step in &self.path {
            self.tree.arena[step.node].busy += 1;
        }
        self.iterations += 1;
        Next::Leaf(Errand { turns, position: self.leaf().position })
    }

    /// The child to go on with, leaves that are away left out.
    fn choose_free(&self, node: &Node<Square>, loss: f32) -> Option<usize> {
        let kids = self.tree.arena.block(node.kids, node.count);
        let free = |kid: &Node<Square>| -kid.lower > node.lower && !(kid.is_leaf() && kid.busy > 0);
        let log = ((node.visits + 1) as f32).ln();
        let mut best = (f32::NEG_INFINITY, None);
        for (i, kid) in kids.iter().enumerate().filter(|(_, kid)| free(kid)) {
            let bonus = self.settings.exploration * (log / (kid.visits + 1) as f32).sqrt();
            let value = -(kid.value as f32) + bonus - loss * f32::from(kid.busy);
            if value > best.0 {
                best = (value, Some(i));
            }
        }
        best.1
    }

    /// Brings a leaf back with its children, or without any if the search of it was broken off. Whether there was room for
    /// them; if not, the leaf keeps its new value.
    pub(super) fn bring_back(&mut self, errand: &Errand, children: Option<Vec<Node<Square>>>) -> bool {
        self.retrace(errand);
        for step in &self.path {
            self.tree.arena[step.node].busy -= 1;
        }
        let Some(mut children) = children else { return true };
        let leaf = self.leaf().node;
        self.last = Some(errand.position);
        let before = self.tree.arena[leaf];
        let stored = self.store(leaf, &mut children);
        if !stored {
            let value = children.iter().map(|child| -child.value).max().unwrap_or(before.value);
            let leaf = &mut self.tree.arena[leaf];
            leaf.value = value.clamp(leaf.lower, leaf.upper);
            leaf.flags |= DEEP;
        }
        self.work.expansions += 1;
        let settled = self.add_visits(1);
        self.back_up(before, settled);
        stored
    }

    /// Makes the path the way to an errand's leaf.
    fn retrace(&mut self, errand: &Errand) {
        self.restart();
        for &turn in &errand.turns {
            let step = self.leaf().clone();
            let child = self.tree.kid_after(step.node, turn).expect("what is away stays in the tree");
            self.path.push(Step {
                node: child,
                position: after(&step.position, turn),
                plies: step.plies + u32::from(turn.is_some()),
            });
        }
    }

    /// Stores the children of the leaf at the end of the path, making room at the cap if the settings say how.
    fn store(&mut self, leaf: u32, children: &mut [Node<Square>]) -> bool {
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
