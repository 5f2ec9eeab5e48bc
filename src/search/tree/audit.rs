//! Checks that a stored tree is what it claims to be; for tests.

use super::chance::Chance;
use super::node::{PARTIAL, REGROWING};
use super::shared_children::SharedChildren;
use super::{Tree, after, turns};
use crate::game::Game;
use crate::search::INFINITY;
use std::collections::{HashMap, HashSet};

impl<G: Game> Tree<G> {
    /// Checks that the tree is what it claims to be; for tests.
    ///
    /// Children in order, values and proofs as the children have them, sizes and visits that add up, and every node of
    /// the arena in the tree, waiting to be freed, or free, once.
    ///
    /// # Errors
    /// What was found wrong.
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
        let header = u8::from(self.shared.is_some());
        for (&kids, &(count, found)) in &owners {
            let stored = self.shared.as_ref().map_or((count, 1), |_| {
                let header = SharedChildren::of(&self.arena, kids);
                (header.count, header.owners)
            });
            if stored != (count, found) {
                return Err(format!("{found} nodes have the {count} children at {kids}, not {stored:?}"));
            }
        }
        if self.shared.as_ref().is_some_and(|shared| shared.len() != owners.len()) {
            return Err(format!("there are {} blocks, not {:?}", owners.len(), self.shared));
        }
        let blocks = owners.iter().map(|(&kids, &(count, _))| (kids - u32::from(header), count + header));
        self.arena.audit(blocks.chain([(root, 1)]))
    }

    /// Checks that the chances of a node and of those below it are those that follow from the children; for tests.
    ///
    /// # Errors
    /// What was found wrong.
    pub fn audit_chances(&self, node: u32, seen: &mut HashSet<u32>) -> Result<(), String> {
        let this = self.arena[node];
        let is_current = !self.shares(&this);
        let (chance, most_relevant) = match Chance::of_proofs(this.lower, this.upper) {
            Some(proven) => (proven, this.most_relevant),
            None if this.is_leaf() => return Ok(()),
            None => self.chance_by_kids(&this),
        };
        if is_current && (this.chance() != chance || this.most_relevant != most_relevant) {
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
        let is_current = !self.shares(&this);
        if let Some(shared) = &self.shared {
            let header = SharedChildren::of(&self.arena, this.kids);
            let is_found = shared.is_partial() || shared.find(&self.arena, header.key).is_some();
            if Some(header.key) != position.key() || !is_found {
                return wrong("children of another position, or not to be found");
            }
        }
        if is_known {
            return Ok(());
        }
        if !kids.is_sorted_by_key(|kid| kid.value) {
            return wrong("children out of order");
        }
        if is_current && !this.has(REGROWING) && this.value != (-kids[0].value).clamp(this.lower, this.upper) {
            return wrong("not the value of the best child");
        }
        let upper = if this.has(PARTIAL) { INFINITY } else { -kids.iter().map(|kid| kid.lower).min().unwrap_or(0) };
        let lower = -kids.iter().map(|kid| kid.upper).min().unwrap_or(0);
        if is_current && (this.lower < lower || this.upper > upper) {
            return wrong("proofs weaker than the children's");
        }
        if is_current && this.size != kids.iter().map(|kid| 1 + kid.size).sum::<u32>() {
            return wrong("the size does not add up");
        }
        if is_current && this.visits < kids.iter().map(|kid| kid.visits).sum() {
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
