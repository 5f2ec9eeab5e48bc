//! Moving the root of a stored tree, and copying a part of it into another one.

use super::node::{DEEP, Node, PARTIAL};
use super::shared_children::SharedChildren;
use super::{Full, Tree, after};
use crate::game::Game;
use crate::search::INFINITY;
use std::collections::HashMap;

/// How deep below the root a new root is looked for, passes included.
const DEEPEST_NEW_ROOT: usize = 6;
/// Positions looked at for a new root at most: a few milliseconds.
const NEW_ROOT_POSITIONS: usize = 50_000;

impl<G: Game> Tree<G> {
    /// Makes `position` the root and frees what does not lie below it. If it is not in the tree, starts afresh with a
    /// root of no value.
    ///
    /// Visits and values of the part that stays are kept. Freeing is left to [`Tree::sweep`]. Returns whether it was in the tree.
    pub fn move_to(&mut self, position: &G) -> bool {
        let Some((root, old)) = &self.root else {
            let root = self.arena.store(&[Node::leaf(None, 0)]).expect("an empty arena has room");
            self.root = Some((root, position.clone()));
            return false;
        };
        let root = *root;
        let found = self.find_below(root, old, position);
        match found {
            Some(node) if node == root => {}
            Some(node) => {
                self.descend(node, position);
                self.reset_root_proofs();
            }
            None => {
                self.discard(root);
                self.arena[root] = Node::leaf(None, 0);
                self.root = Some((root, position.clone()));
            }
        }
        found.is_some()
    }

    /// Makes a node, whose position this is, the root as it is and frees what does not lie below it.
    pub fn descend(&mut self, node: u32, position: &G) {
        let (root, new) = (self.root(), self.arena[node]);
        // The new root keeps its children: they no longer belong to the place it had, which others may share.
        let place = &mut self.arena[node];
        (place.count, place.size) = (0, 0);
        if !place.is_solved() {
            place.flags = DEEP;
        }
        self.discard(root);
        self.arena[root] = new;
        self.root = Some((root, position.clone()));
    }

    /// Forgets what is proven of the root but not of its children: the root of a search is asked for a move, and a value without the
    /// move that it comes from is worth nothing.
    pub fn reset_root_proofs(&mut self) {
        let root = self.root();
        let node = &mut self.arena[root];
        (node.lower, node.upper) = (-INFINITY, INFINITY);
        node.flags &= PARTIAL;
        if node.count > 0 {
            self.refresh(root, true);
        }
    }

    /// Makes the root of this tree, which has nothing below it, a copy of a node of another tree with everything below.
    ///
    /// # Errors
    /// If there is no memory; this tree is then of no use any more.
    pub fn copy_from(&mut self, other: &Tree<G>, node: u32) -> Result<(), Full> {
        let root = self.root();
        self.arena[root] = other.arena[node];
        self.copy_below(other, root, &mut HashMap::new())
    }

    /// Replaces the children of a node, which is a copy of one of another tree, by copies of them. `copied`: the copies of children that
    /// several nodes share.
    fn copy_below(&mut self, other: &Tree<G>, node: u32, copied: &mut HashMap<u32, u32>) -> Result<(), Full> {
        let Node { kids, count, .. } = self.arena[node];
        if count == 0 {
            return Ok(());
        }
        if let Some(&known) = copied.get(&kids) {
            SharedChildren::own(&mut self.arena, known);
            self.arena[node].kids = known;
            return Ok(());
        }
        let header = self.shared.as_ref().map(|shared| shared.header_like(&other.arena[kids - 1]));
        let block: Vec<_> = header.into_iter().chain(other.arena.block(kids, count).iter().copied()).collect();
        let start = self.arena.store(&block).ok_or(Full)? + u32::from(header.is_some());
        if let Some(shared) = &mut self.shared {
            shared.insert(&self.arena, start);
            if SharedChildren::are_shared(&other.arena, kids) {
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
        (0..=DEEPEST_NEW_ROOT).find_map(|depth| self.find(root, at, position, depth, &mut examined)).flatten()
    }

    /// The node of a position exactly `depth` levels below this node. `Some(None)` ends the search for it.
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
}
