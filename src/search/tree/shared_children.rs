//! Positions that are reached in several ways: their children are stored once.
//!
//! Each way has a node of its own, as in any tree, but all of these nodes have one block of children. A header stands in front of a
//! block: the position, and the number of nodes that own the block. It takes the place of a node and packs its fields into those
//! of one ([`Header::to_node`]), so that it lies in the cache lines of the children that it describes.
//!
//! A search that passes through one owner does not update the others. Each is updated when a search passes through it
//! (`Explorer::refresh_shared`).

use super::arena::Arena;
use super::node::Node;
use crate::game::Key;
use crate::othello::Color;

/// Bytes of the tree for each entry of the table of list heads, at least: the table takes at most 1 % of the tree. Up to that it has an
/// entry for every block.
const BYTES_FOR_ENTRY: usize = 400;
/// Entries to begin with, a power of two.
const FIRST_ENTRIES: usize = 64;

/// Stands in front of the children of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Header {
    /// The position.
    pub key: Key,
    /// Number of children.
    pub count: u8,
    /// Nodes that have these children.
    pub owners: u32,
    /// Whether there ever were several owners.
    pub was_shared: bool,
    /// The last goal that the children were given chances for.
    pub goal: u8,
    /// The children of the next position with the same hash, 0 for none.
    next: u32,
}

impl Header {
    fn to_node<M>(self) -> Node<M> {
        let (player, opponent, mover) = self.key;
        Node {
            visits: player,
            lower: (opponent >> 32) as i32,
            upper: opponent as i32,
            value: i32::from(mover == Color::White),
            kids: self.next,
            size: self.owners,
            relevance: self.was_shared.into(),
            most_relevant: self.goal,
            count: self.count,
            ..Node::leaf(None, 0)
        }
    }

    fn of_node<M>(node: &Node<M>) -> Header {
        let opponent = u64::from(node.lower.cast_unsigned()) << 32 | u64::from(node.upper.cast_unsigned());
        Header {
            key: (node.visits, opponent, if node.value == 0 { Color::Black } else { Color::White }),
            next: node.kids,
            owners: node.size,
            was_shared: node.relevance != 0,
            goal: node.most_relevant,
            count: node.count,
        }
    }
}

/// Where the children of each position are.
#[derive(Debug)]
pub(super) struct SharedChildren {
    heads: Vec<u32>,
    most_heads: usize,
    blocks: usize,
    /// The number of the current goal.
    goal: u8,
}

impl SharedChildren {
    /// An index for a tree of `bytes` bytes; takes at most 1 % of it.
    pub fn new(bytes: usize) -> SharedChildren {
        let most_heads = 1 << (bytes / BYTES_FOR_ENTRY).max(FIRST_ENTRIES).ilog2();
        SharedChildren { heads: vec![0; FIRST_ENTRIES], most_heads, blocks: 0, goal: 0 }
    }

    /// Forgets all positions and gives the memory back.
    pub fn clear(&mut self) {
        *self = SharedChildren { heads: vec![0; FIRST_ENTRIES], most_heads: self.most_heads, blocks: 0, goal: 0 };
    }

    /// Bytes taken from the system.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<u32>()
    }

    /// The most bytes that it will take.
    pub fn most_bytes(&self) -> usize {
        self.most_heads * size_of::<u32>()
    }

    /// Positions that have their children in the tree.
    pub fn len(&self) -> usize {
        self.blocks
    }

    fn slot(&self, (player, opponent, mover): Key) -> usize {
        let mixed = (player ^ (mover as u64)).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ opponent;
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        // Linear hashing: entries are added one by one, and each takes over half of the list of an earlier one.
        let entries = self.heads.len().next_power_of_two();
        let slot = (mixed >> 32) as usize & (entries - 1);
        if slot < self.heads.len() { slot } else { slot - entries / 2 }
    }

    /// Adds an entry.
    fn grow<M: Copy>(&mut self, arena: &mut Arena<M>) {
        let halved = self.heads.len() - (1 << self.heads.len().ilog2());
        let mut kids = std::mem::take(&mut self.heads[halved]);
        self.heads.push(0);
        while kids != 0 {
            let Header { key, next, .. } = SharedChildren::of(arena, kids);
            self.link(arena, kids, key);
            kids = next;
        }
    }

    fn link<M: Copy>(&mut self, arena: &mut Arena<M>, kids: u32, key: Key) {
        let slot = self.slot(key);
        arena[kids - 1].kids = self.heads[slot];
        self.heads[slot] = kids;
    }

    /// The header for the `count` children of a position that one node has.
    pub fn header<M>(&self, key: Key, count: u8) -> Node<M> {
        Header { key, count, owners: 1, was_shared: false, goal: self.goal, next: 0 }.to_node()
    }

    /// The header for a copy of children that have this one in another tree.
    pub fn header_like<M>(&self, other: &Node<M>) -> Node<M> {
        Header { owners: 1, goal: self.goal, next: 0, ..Header::of_node(other) }.to_node()
    }

    /// The header of these children.
    #[inline]
    pub fn of<M: Copy>(arena: &Arena<M>, kids: u32) -> Header {
        Header::of_node(&arena[kids - 1])
    }

    /// Whether these children have or had several owners. A single one that is left may be out of date.
    #[inline]
    pub fn are_shared<M: Copy>(arena: &Arena<M>, kids: u32) -> bool {
        arena[kids - 1].relevance != 0
    }

    /// From now on these children can be found.
    pub fn insert<M: Copy>(&mut self, arena: &mut Arena<M>, kids: u32) {
        self.link(arena, kids, SharedChildren::of(arena, kids).key);
        self.blocks += 1;
        if self.blocks > self.heads.len() && self.heads.len() < self.most_heads {
            self.grow(arena);
        }
    }

    /// The children of a position, if it has some in the tree. Those that wait to be freed are found too, but not if there was a new goal
    /// meanwhile: it did not reach them.
    pub fn find<M: Copy>(&self, arena: &Arena<M>, key: Key) -> Option<u32> {
        let mut kids = self.heads[self.slot(key)];
        while kids != 0 {
            let header = SharedChildren::of(arena, kids);
            if header.key == key && header.goal == self.goal {
                return Some(kids);
            }
            kids = header.next;
        }
        None
    }

    /// Adds an owner of these children; returns how many children there are.
    pub fn own<M: Copy>(arena: &mut Arena<M>, kids: u32) -> u8 {
        let header = Header {
            owners: SharedChildren::of(arena, kids).owners + 1,
            was_shared: true,
            ..SharedChildren::of(arena, kids)
        };
        arena[kids - 1] = header.to_node();
        header.count
    }

    /// Removes an owner of these children. Returns whether it was the last; then they are no longer found.
    pub fn disown<M: Copy>(&mut self, arena: &mut Arena<M>, kids: u32) -> bool {
        let header = SharedChildren::of(arena, kids);
        if header.owners > 1 {
            arena[kids - 1].size -= 1;
            return false;
        }
        let slot = self.slot(header.key);
        if self.heads[slot] == kids {
            self.heads[slot] = header.next;
        } else {
            let mut before = self.heads[slot];
            while arena[before - 1].kids != kids {
                before = arena[before - 1].kids;
            }
            arena[before - 1].kids = header.next;
        }
        self.blocks -= 1;
        true
    }

    /// Begins a new goal.
    pub fn begin_goal(&mut self) {
        self.goal = self.goal.wrapping_add(1);
    }

    /// Whether these children have no chances for the current goal yet; marks that they have.
    pub fn take_goal<M: Copy>(&self, arena: &mut Arena<M>, kids: u32) -> bool {
        std::mem::replace(&mut arena[kids - 1].most_relevant, self.goal) != self.goal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        /// Against a map of positions to owners, with too few lists and with enough.
        #[test]
        fn positions_are_found_as_long_as_a_node_has_their_children(
            bytes in prop::sample::select(vec![0usize, 1 << 20]),
            orders in prop::collection::vec((0u64..300, any::<bool>()), 1..1200),
        ) {
            let mut arena: Arena<u8> = Arena::new(1 << 20);
            let mut shared = SharedChildren::new(bytes);
            let mut owners: HashMap<Key, u32> = HashMap::new();
            for (n, comes) in orders {
                let key = (n << 40 | 1, u64::MAX - n, if n % 2 == 0 { Color::Black } else { Color::White });
                let kids = shared.find(&arena, key);
                prop_assert_eq!(kids.is_some(), owners.contains_key(&key));
                let count = n as u8 % 7 + 1;
                match (kids, comes) {
                    (None, true) => {
                        let block = [Node::leaf(Some(3), 5); 7];
                        let header = shared.header(key, count);
                        let kids = arena.store_sorted(Some(header), &block[..usize::from(count)]).unwrap();
                        shared.insert(&mut arena, kids);
                        owners.insert(key, 1);
                    }
                    (None, false) => {}
                    (Some(kids), true) => {
                        prop_assert_eq!(SharedChildren::own(&mut arena, kids), count);
                        *owners.get_mut(&key).unwrap() += 1;
                        prop_assert!(SharedChildren::are_shared(&arena, kids));
                    }
                    (Some(kids), false) => {
                        let left = owners[&key] - 1;
                        prop_assert_eq!(shared.disown(&mut arena, kids), left == 0);
                        if left == 0 {
                            arena.release(kids - 1, count + 1);
                            owners.remove(&key);
                        } else {
                            owners.insert(key, left);
                        }
                    }
                }
                prop_assert_eq!(shared.len(), owners.len());
            }
            prop_assert!(shared.bytes() <= shared.most_bytes());
            for (&key, &owners) in &owners {
                let kids = shared.find(&arena, key).unwrap();
                prop_assert_eq!((SharedChildren::of(&arena, kids).key, SharedChildren::of(&arena, kids).owners), (key, owners));
            }
        }
    }

    #[test]
    fn every_goal_takes_children_once() {
        let mut arena: Arena<u8> = Arena::new(1 << 20);
        let mut shared = SharedChildren::new(1 << 20);
        let header = shared.header((1, 2, Color::Black), 1);
        let kids = arena.store_sorted(Some(header), &[Node::leaf(None, 0)]).unwrap();
        assert!(!shared.take_goal(&mut arena, kids));
        for _ in 0..300 {
            shared.begin_goal();
            assert_eq!([(); 2].map(|()| shared.take_goal(&mut arena, kids)), [true, false]);
        }
        assert_eq!(SharedChildren::of(&arena, kids).key, (1, 2, Color::Black));
    }
}
