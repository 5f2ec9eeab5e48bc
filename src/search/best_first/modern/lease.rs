//! What a thread has taken out of a forest: a leaf of the top with the branch below it, and what it does there.

use super::errand::{Errand, Next, STAY};
use super::leaf::LeafSearch;
use crate::eval::Incremental;
use crate::othello::{Position, Square};
use crate::search::best_first::arena::{DEEP, Node, Room};
use crate::search::best_first::explorer::Explorer;
use crate::search::best_first::tree::{Tree, after};
use crate::search::best_first::{KorfSettings, Rules};
use std::sync::Arc;

/// A branch is searched for at least so many expansions at a time, ...
const LEAST_STAY: u64 = 16;
/// ... and at most so many, some ten milliseconds.
const MOST_STAY: u64 = 4096;

/// A branch that a thread has taken away.
pub(super) struct Lease {
    /// The way to the leaf.
    pub errand: Errand,
    /// The leaf as it was.
    pub leaf: Node<Square>,
    /// Its branch, if it has one.
    pub explorer: Option<Box<Explorer<Position>>>,
    /// The goal when it was taken away.
    pub goal: i32,
    /// How far values err at each depth below it.
    pub deviations: Vec<f32>,
    /// Whether the branch is to be split instead of searched.
    pub is_to_split: bool,
    /// What it was split into.
    pub parts: Vec<Part>,
    /// The expansions made.
    pub expansions: u64,
    /// Whether there was no room left.
    pub is_full: bool,
}

/// A child of a branch's root.
pub(super) struct Part {
    /// As a leaf.
    pub node: Node<Square>,
    pub position: Position,
    /// What is below it.
    pub explorer: Option<Box<Explorer<Position>>>,
}

impl Lease {
    /// Of nothing yet.
    pub fn new() -> Lease {
        Lease {
            errand: Errand::default(),
            leaf: Node::leaf(None, 0),
            explorer: None,
            goal: 0,
            deviations: Vec::new(),
            is_to_split: false,
            parts: Vec::new(),
            expansions: 0,
            is_full: false,
        }
    }

    /// Searches in the branch, or splits it. Whether the search was not stopped.
    pub fn work<E: Incremental>(
        &mut self,
        search: &mut LeafSearch<'_, E>,
        children: &mut Vec<Node<Square>>,
        soil: &(KorfSettings, Arc<Room<Square>>),
    ) -> bool {
        (self.expansions, self.is_full) = (0, false);
        if let Some(explorer) = self.explorer.take_if(|_| self.is_to_split) {
            self.parts = split(explorer, soil, &mut || search.must_stop());
            return !search.must_stop();
        }
        if self.explorer.is_none() {
            self.explorer = self.new_branch(search.rules(), soil);
        }
        let Some(explorer) = &mut self.explorer else {
            self.is_full = true;
            return !search.must_stop();
        };
        explorer.deviations.clone_from(&self.deviations);
        explorer.restart();
        explorer.stay();
        let root = explorer.tree.arena[explorer.tree.root()];
        let mut goes_on = true;
        while goes_on && self.expansions < (root.visits / STAY).clamp(LEAST_STAY, MOST_STAY) {
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
            self.expansions += 1;
            let now = explorer.tree.arena[explorer.tree.root()].chance();
            if self.is_full || self.expansions >= LEAST_STAY && !now.is_near(root.chance()) {
                break;
            }
        }
        explorer.tell_all();
        // However little was found to do: somebody has to look at the clock.
        goes_on && (self.expansions > 0 || !search.must_stop())
    }

    /// The branch of a leaf that has none yet, or none any more.
    fn new_branch(
        &self,
        rules: Rules,
        soil: &(KorfSettings, Arc<Room<Square>>),
    ) -> Option<Box<Explorer<Position>>> {
        let mut explorer = branch_at(&self.errand.leaf().position, soil)?;
        (explorer.rules, explorer.goal) = (rules, self.goal);
        let root = explorer.tree.root();
        let flags = if self.leaf.visits > 0 { DEEP } else { 0 };
        explorer.tree.arena[root] = Node { busy: 0, flags, ..self.leaf };
        Some(explorer)
    }
}

/// A tree for a position, if there is room for it.
fn branch_at(
    position: &Position,
    (settings, room): &(KorfSettings, Arc<Room<Square>>),
) -> Option<Box<Explorer<Position>>> {
    let tree = Tree::in_room(Arc::clone(room), settings.memory, position)?;
    let mut explorer = Explorer::with(*settings, position, tree);
    // The goal is the top's, and the forest says what happens at the cap.
    (explorer.next_aim, explorer.cap_was_reached) = (u64::MAX, true);
    Some(Box::new(explorer))
}

/// Splits a branch: its root's children, with trees of their own where something is below them and there is room. The largest has the
/// old one, the others have copies, or once it is time to `stop` none.
pub(super) fn split(
    mut explorer: Box<Explorer<Position>>,
    soil: &(KorfSettings, Arc<Room<Square>>),
    stop: &mut dyn FnMut() -> bool,
) -> Vec<Part> {
    let (root, position) = (explorer.tree.root(), *explorer.tree.position().expect("a branch has a root"));
    let kids = explorer.tree.kids(root).to_vec();
    let largest = (0..kids.len()).max_by_key(|&i| kids[i].size).unwrap_or(0);
    let first = explorer.tree.arena[root].kids;
    let mut parts: Vec<Part> = (first..)
        .zip(&kids)
        .map(|(i, &kid)| {
            let position = after(&position, kid.turn);
            let is_copied = !kid.is_leaf() && i != first + largest as u32 && !stop();
            let copy = || {
                let mut copy = branch_at(&position, soil)?;
                (copy.rules, copy.goal) = (explorer.rules, explorer.goal);
                copy.tree.copy_from(&explorer.tree, i).ok()?;
                Some(copy)
            };
            Part { node: as_leaf(kid), position, explorer: is_copied.then(copy).flatten() }
        })
        .collect();
    if !kids[largest].is_leaf() {
        explorer.tree.descend(first + largest as u32, &parts[largest].position);
        explorer.restart();
        parts[largest].explorer = Some(explorer);
    }
    for part in &mut parts {
        if let Some(explorer) = &mut part.explorer {
            // What has its children in common with others may not know all that is known of them.
            let root = explorer.tree.root();
            explorer.tree.refresh(root, true);
            explorer.tree.refresh_chance(root);
            part.node = as_leaf(explorer.tree.arena[root]);
        }
    }
    parts
}

/// A node without its children.
fn as_leaf(node: Node<Square>) -> Node<Square> {
    Node { kids: 0, count: 0, size: 0, ..node }
}
