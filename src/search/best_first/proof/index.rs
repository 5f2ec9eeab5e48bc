//! Where the node of a position is: a hash table of places.

use crate::othello::Position;
use crate::search::transposition::place_of;

const EMPTY: u32 = u32::MAX;

/// The index of a graph: open addressing with linear probing; the nodes themselves are the keys.
#[derive(Default)]
pub(super) struct Index {
    slots: Vec<u32>,
    used: usize,
}

impl Index {
    /// Bytes for each node at the most: between four and eight slots for three nodes.
    pub const NODE_BYTES: usize = 2 * size_of::<u32>();

    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }

    /// The first slot to probe.
    fn start(&self, player: u64, opponent: u64) -> usize {
        place_of(player, opponent, self.slots.len())
    }

    /// The place of a position's node; `is_it` says whether a node is that of the position.
    pub fn find(&self, position: &Position, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut i = self.start(position.player().0, position.opponent().0);
        while self.slots[i] != EMPTY {
            if is_it(self.slots[i]) {
                return Some(self.slots[i]);
            }
            i = if i + 1 == self.slots.len() { 0 } else { i + 1 };
        }
        None
    }

    /// Adds the node of a position that has none. There are never more than `most` nodes; `discs` has the discs of each.
    pub fn add(&mut self, place: u32, most: usize, discs: impl Fn(u32) -> (u64, u64)) {
        if 4 * (self.used + 1) > 3 * self.slots.len() {
            let slots = (2 * self.slots.len()).max(1 << 10).min(most * 3 / 2 + 2).max(self.used * 3 / 2 + 2);
            self.slots = Vec::new();
            self.slots = vec![EMPTY; slots];
            self.rebuild(place, &discs);
        }
        self.put(place, discs(place));
        self.used += 1;
    }

    fn put(&mut self, place: u32, (player, opponent): (u64, u64)) {
        let mut i = self.start(player, opponent);
        while self.slots[i] != EMPTY {
            i = if i + 1 == self.slots.len() { 0 } else { i + 1 };
        }
        self.slots[i] = place;
    }

    /// Begins anew with the first `nodes` nodes.
    pub fn rebuild(&mut self, nodes: u32, discs: impl Fn(u32) -> (u64, u64)) {
        self.slots.fill(EMPTY);
        (0..nodes).for_each(|place| self.put(place, discs(place)));
        self.used = nodes as usize;
    }
}
