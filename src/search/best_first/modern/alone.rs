//! One thread alone in its tree: nothing is ever away, so what two ways to leaves have in common is gone but once.

use crate::othello::Position;
use crate::search::best_first::explorer::{Explorer, SWEEP};

/// The search stays below a node for this part of the visits that it has had, 1/16, unless its value changes. So few more or
/// less hardly tell in the choice between it and its brothers, and what is near in the tree is near in the caches.
const STAY: u64 = 16;

impl Explorer<Position> {
    /// Makes the path lead to the leaf that is to be searched next; whether there is one.
    pub(super) fn go_to_leaf(&mut self) -> bool {
        if self.tree.has_garbage() {
            self.tree.sweep(SWEEP);
        }
        if self.is_done() {
            return false;
        }
        self.iterations += 1;
        let now = self.iterations;
        let left = self.path.iter().skip(1).position(|step| step.until < now);
        let mut level = if self.wants_several() { 0 } else { left.unwrap_or(self.path.len() - 1) };
        loop {
            let node = self.tree.arena[self.path[level].node];
            if node.is_leaf() {
                break;
            }
            let child = node.kids + self.choose_free(level, &node, 0.0).unwrap_or(0) as u32;
            level += 1;
            if self.path.get(level).is_none_or(|known| known.node != child) {
                self.path.truncate(level);
                self.go_to(child);
            }
            self.path[level].until = now + self.tree.arena[child].visits / STAY;
        }
        self.path.truncate(level + 1);
        true
    }
}
