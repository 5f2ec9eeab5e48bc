//! Positions that are reached in several ways: their children are stored once.
//!
//! There is a node for each way, as in any tree, but all of them have the same block of children. In front of a block stands whose
//! children these are and how many nodes have them. A search that comes through one of these nodes tells the others nothing;
//! they learn it when a search comes through them (`Explorer::learns`).

use super::arena::{Arena, Node};
use crate::game::Key;
use crate::othello::Color;

/// The list of blocks that have one hash is found by the hash in a table with an entry for every block, until there is one for so
/// many bytes of the tree: then it takes 1 %.
const BYTES_FOR_ENTRY: usize = 400;
/// Entries to begin with, a power of two.
const FIRST_ENTRIES: usize = 64;

/// What stands in front of the children of a position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Header {
    /// The position.
    pub key: Key,
    /// Children.
    pub count: u8,
    /// Nodes that have them.
    pub owners: u32,
    /// Whether there ever were several.
    pub was_shared: bool,
    /// When they were given chances by a new goal for the last time.
    pub aim: u8,
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
            pull: self.was_shared.into(),
            pulled: self.aim,
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
            was_shared: node.pull != 0,
            aim: node.pulled,
            count: node.count,
        }
    }
}

/// Where the children of each position are.
#[derive(Debug)]
pub(super) struct Places {
    heads: Vec<u32>,
    most_heads: usize,
    blocks: usize,
    /// Counts the goals.
    aim: u8,
}

impl Places {
    /// For a tree of so many bytes, of which it takes at most 1 %.
    pub fn new(bytes: usize) -> Places {
        let most_heads = 1 << (bytes / BYTES_FOR_ENTRY).max(FIRST_ENTRIES).ilog2();
        Places { heads: vec![0; FIRST_ENTRIES], most_heads, blocks: 0, aim: 0 }
    }

    /// Forgets all positions and gives the memory back.
    pub fn clear(&mut self) {
        *self = Places { heads: vec![0; FIRST_ENTRIES], most_heads: self.most_heads, blocks: 0, aim: 0 };
    }

    /// Bytes taken from the system.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<u32>()
    }

    /// The most that it will take.
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
            let Header { key, next, .. } = Places::of(arena, kids);
            self.link(arena, kids, key);
            kids = next;
        }
    }

    fn link<M: Copy>(&mut self, arena: &mut Arena<M>, kids: u32, key: Key) {
        let slot = self.slot(key);
        arena[kids - 1].kids = self.heads[slot];
        self.heads[slot] = kids;
    }

    /// What goes in front of the children of a position, so many, that one node has.
    pub fn header<M>(&self, key: Key, count: u8) -> Node<M> {
        Header { key, count, owners: 1, was_shared: false, aim: self.aim, next: 0 }.to_node()
    }

    /// The same with what stands in front of them in another tree.
    pub fn header_like<M>(&self, other: &Node<M>) -> Node<M> {
        Header { owners: 1, aim: self.aim, next: 0, ..Header::of_node(other) }.to_node()
    }

    /// What stands in front of these children.
    #[inline]
    pub fn of<M: Copy>(arena: &Arena<M>, kids: u32) -> Header {
        Header::of_node(&arena[kids - 1])
    }

    /// Whether several nodes have these children, or had them: the one that is left may not know what came through those that are gone.
    #[inline]
    pub fn are_shared<M: Copy>(arena: &Arena<M>, kids: u32) -> bool {
        arena[kids - 1].pull != 0
    }

    /// From now on these children can be found.
    pub fn insert<M: Copy>(&mut self, arena: &mut Arena<M>, kids: u32) {
        self.link(arena, kids, Places::of(arena, kids).key);
        self.blocks += 1;
        if self.blocks > self.heads.len() && self.heads.len() < self.most_heads {
            self.grow(arena);
        }
    }

    /// The children of a position, if it has some in the tree.
    pub fn find<M: Copy>(&self, arena: &Arena<M>, key: Key) -> Option<u32> {
        let mut kids = self.heads[self.slot(key)];
        while kids != 0 {
            let header = Places::of(arena, kids);
            if header.key == key {
                return Some(kids);
            }
            kids = header.next;
        }
        None
    }

    /// One node more has these children; returns how many they are.
    pub fn own<M: Copy>(arena: &mut Arena<M>, kids: u32) -> u8 {
        let header = Header { owners: Places::of(arena, kids).owners + 1, was_shared: true, ..Places::of(arena, kids) };
        arena[kids - 1] = header.to_node();
        header.count
    }

    /// One node less has these children. Whether that was the last: then they are no longer found.
    pub fn disown<M: Copy>(&mut self, arena: &mut Arena<M>, kids: u32) -> bool {
        let header = Places::of(arena, kids);
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

    /// There is a new goal.
    pub fn begin_aim(&mut self) {
        self.aim = self.aim.wrapping_add(1);
    }

    /// Whether these children have not been given chances by the new goal; from now on they have.
    pub fn take_aim<M: Copy>(&self, arena: &mut Arena<M>, kids: u32) -> bool {
        std::mem::replace(&mut arena[kids - 1].pulled, self.aim) != self.aim
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
        fn positions_are_found_as_long_as_somebody_has_their_children(
            bytes in prop::sample::select(vec![0usize, 1 << 20]),
            orders in prop::collection::vec((0u64..300, any::<bool>()), 1..1200),
        ) {
            let mut arena: Arena<u8> = Arena::new(1 << 20);
            let mut places = Places::new(bytes);
            let mut owners: HashMap<Key, u32> = HashMap::new();
            for (n, comes) in orders {
                let key = (n << 40 | 1, u64::MAX - n, if n % 2 == 0 { Color::Black } else { Color::White });
                let kids = places.find(&arena, key);
                prop_assert_eq!(kids.is_some(), owners.contains_key(&key));
                let count = n as u8 % 7 + 1;
                match (kids, comes) {
                    (None, true) => {
                        let block = [Node::leaf(Some(3), 5); 7];
                        let header = places.header(key, count);
                        let kids = arena.store_sorted(Some(header), &block[..usize::from(count)]).unwrap();
                        places.insert(&mut arena, kids);
                        owners.insert(key, 1);
                    }
                    (None, false) => {}
                    (Some(kids), true) => {
                        prop_assert_eq!(Places::own(&mut arena, kids), count);
                        *owners.get_mut(&key).unwrap() += 1;
                        prop_assert!(Places::are_shared(&arena, kids));
                    }
                    (Some(kids), false) => {
                        let left = owners[&key] - 1;
                        prop_assert_eq!(places.disown(&mut arena, kids), left == 0);
                        if left == 0 {
                            arena.release(kids - 1, count + 1);
                            owners.remove(&key);
                        } else {
                            owners.insert(key, left);
                        }
                    }
                }
                prop_assert_eq!(places.len(), owners.len());
            }
            prop_assert!(places.bytes() <= places.most_bytes());
            for (&key, &owners) in &owners {
                let kids = places.find(&arena, key).unwrap();
                prop_assert_eq!((Places::of(&arena, kids).key, Places::of(&arena, kids).owners), (key, owners));
            }
        }
    }

    #[test]
    fn every_goal_takes_aim_at_children_once() {
        let mut arena: Arena<u8> = Arena::new(1 << 20);
        let mut places = Places::new(1 << 20);
        let header = places.header((1, 2, Color::Black), 1);
        let kids = arena.store_sorted(Some(header), &[Node::leaf(None, 0)]).unwrap();
        assert!(!places.take_aim(&mut arena, kids));
        for _ in 0..300 {
            places.begin_aim();
            assert_eq!([(); 2].map(|()| places.take_aim(&mut arena, kids)), [true, false]);
        }
        assert_eq!(Places::of(&arena, kids).key, (1, 2, Color::Black));
    }
}
