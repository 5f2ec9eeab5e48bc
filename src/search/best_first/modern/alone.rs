//! One thread alone in its tree: nothing is ever away, so what two ways to leaves have in common is gone but once.

use crate::othello::Position;
use crate::search::best_first::explorer::{Explorer, SWEEP};

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
        let mut level = 0;
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
        }
        self.path.truncate(level + 1);
        true
    }
}
