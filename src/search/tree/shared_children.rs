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

/// Bytes of the tree for each entry of the index at its largest: it takes at most 3 % of the tree. A block of children takes 380 bytes on average.
const BYTES_FOR_ENTRY: usize = 256;
/// Entries to begin with.
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
}

impl Header {
    fn to_node<M>(self) -> Node<M> {
        let (player, opponent, mover) = self.key;
        Node {
            visits: player,
            lower: (opponent >> 32) as i32,
            upper: opponent as i32,
            value: i32::from(mover == Color::White),
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
            owners: node.size,
            was_shared: node.relevance != 0,
            goal: node.most_relevant,
            count: node.count,
        }
    }
}

/// An entry of the index.
#[derive(Clone, Copy, Debug)]
struct IndexEntry {
    /// The children; 0 where the entry is empty.
    kids: u32,
    /// The hash of their position.
    hash: u32,
}

const EMPTY: IndexEntry = IndexEntry { kids: 0, hash: 0 };

/// Where the children of each position are: a hash table with linear probing, in memory of its own.
///
/// Most positions that are asked for have no children yet. An entry has its hash with it, so that this is seen without a look at the tree, which
/// is far larger than the caches; the table grows and closes gaps without one too.
#[derive(Debug)]
pub(super) struct SharedChildren {
    /// At least one of them is empty.
    entries: Vec<IndexEntry>,
    most_entries: usize,
    /// Entries that are not empty.
    used: usize,
    blocks: usize,
    /// The number of the current goal.
    goal: u8,
}

impl SharedChildren {
    /// An index for a tree of `bytes` bytes; takes at most 3 % of it.
    pub fn new(bytes: usize) -> SharedChildren {
        SharedChildren::with_room_for((bytes / BYTES_FOR_ENTRY).max(FIRST_ENTRIES))
    }

    fn with_room_for(most_entries: usize) -> SharedChildren {
        let entries = vec![EMPTY; FIRST_ENTRIES];
        SharedChildren { entries, most_entries, used: 0, blocks: 0, goal: 0 }
    }

    /// Forgets all positions and gives the memory back.
    pub fn clear(&mut self) {
        *self = SharedChildren::with_room_for(self.most_entries);
    }

    /// Bytes taken from the system.
    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<IndexEntry>()
    }

    /// The most bytes that it will take.
    pub fn most_bytes(&self) -> usize {
        self.most_entries * size_of::<IndexEntry>()
    }

    /// Positions that have their children in the tree.
    pub fn len(&self) -> usize {
        self.blocks
    }

    /// Whether children are missing in the index, because it was full when they came.
    pub fn is_partial(&self) -> bool {
        self.used < self.blocks
    }

    fn hash((player, opponent, mover): Key) -> u32 {
        let mixed = (player ^ (mover as u64)).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ opponent;
        ((mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32) as u32
    }

    /// The entry at which the probing for a hash begins. Entries are about in the order of their hashes, so that a larger table is written in
    /// one sweep.
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.entries.len() as u64) >> 32) as usize
    }

    fn behind(&self, at: usize) -> usize {
        if at + 1 < self.entries.len() { at + 1 } else { 0 }
    }

    /// Steps from one entry to another, round the end if need be.
    fn steps(&self, from: usize, to: usize) -> usize {
        if from <= to { to - from } else { to + self.entries.len() - from }
    }

    /// Puts an entry before all others of its hash: the children that came last are found first.
    fn put(&mut self, mut entry: IndexEntry) {
        let mut at = self.home(entry.hash);
        while self.entries[at].kids != 0 {
            if self.entries[at].hash == entry.hash {
                std::mem::swap(&mut self.entries[at], &mut entry);
            }
            at = self.behind(at);
        }
        self.entries[at] = entry;
        self.used += 1;
    }

    /// Doubles the table, as far as it may grow and there is memory.
    fn grow(&mut self) {
        let count = self.most_entries.min(2 * self.entries.len());
        let mut larger = Vec::new();
        if larger.try_reserve_exact(count).is_err() {
            return;
        }
        larger.resize(count, EMPTY);
        let entries = std::mem::replace(&mut self.entries, larger);
        self.used = 0;
        // From an empty entry on none has been pushed round the end. Those of one hash come last first.
        let begin = entries.iter().position(|entry| entry.kids == 0).expect("one is empty");
        let (before, from) = entries.split_at(begin);
        for &entry in before.iter().rev().chain(from.iter().rev()) {
            if entry.kids != 0 {
                self.put(entry);
            }
        }
    }

    /// Removes the entry of these children, if there is one, and closes the gap: no entry may be behind an empty one in its own probing.
    fn remove(&mut self, kids: u32, hash: u32) {
        let mut gap = self.home(hash);
        while self.entries[gap].kids != kids {
            if self.entries[gap].kids == 0 {
                return;
            }
            gap = self.behind(gap);
        }
        self.used -= 1;
        let mut at = self.behind(gap);
        while self.entries[at].kids != 0 {
            let home = self.home(self.entries[at].hash);
            if self.steps(home, at) >= self.steps(gap, at) {
                self.entries[gap] = self.entries[at];
                gap = at;
            }
            at = self.behind(at);
        }
        self.entries[gap] = EMPTY;
    }

    /// The header for the `count` children of a position that one node has.
    pub fn header<M>(&self, key: Key, count: u8) -> Node<M> {
        Header { key, count, owners: 1, was_shared: false, goal: self.goal }.to_node()
    }

    /// The header for a copy of children that have this one in another tree.
    pub fn header_like<M>(&self, other: &Node<M>) -> Node<M> {
        Header { owners: 1, goal: self.goal, ..Header::of_node(other) }.to_node()
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

    /// From now on these children can be found, unless the index is full.
    pub fn insert<M: Copy>(&mut self, arena: &Arena<M>, kids: u32) {
        self.blocks += 1;
        // Fuller than three quarters, a table has long probings.
        if 4 * self.used >= 3 * self.entries.len() && self.entries.len() < self.most_entries {
            self.grow();
        }
        if 8 * self.used < 7 * self.entries.len() {
            self.put(IndexEntry { kids, hash: SharedChildren::hash(SharedChildren::of(arena, kids).key) });
        }
    }

    /// The children of a position, if it has some in the tree. Those that wait to be freed are found too, but not if there was a new goal
    /// meanwhile: it did not reach them.
    pub fn find<M: Copy>(&self, arena: &Arena<M>, key: Key) -> Option<u32> {
        let hash = SharedChildren::hash(key);
        let mut at = self.home(hash);
        loop {
            let entry = self.entries[at];
            if entry.kids == 0 {
                return None;
            }
            if entry.hash == hash {
                let header = SharedChildren::of(arena, entry.kids);
                if header.key == key && header.goal == self.goal {
                    return Some(entry.kids);
                }
            }
            at = self.behind(at);
        }
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
        self.remove(kids, SharedChildren::hash(header.key));
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
        /// Against a map of positions to owners, in an index that is nearly full and in one that grows.
        #[test]
        fn positions_are_found_as_long_as_a_node_has_their_children(
            (bytes, positions) in prop::sample::select(vec![(0usize, 55u64), (1 << 20, 300)]),
            orders in prop::collection::vec((0u64..300, any::<bool>()), 1..1200),
        ) {
            let mut arena: Arena<u8> = Arena::new(1 << 20);
            let mut shared = SharedChildren::new(bytes);
            let mut owners: HashMap<Key, u32> = HashMap::new();
            for (n, comes) in orders {
                let n = n % positions;
                let key = (n << 40 | 1, u64::MAX - n, if n % 2 == 0 { Color::Black } else { Color::White });
                let kids = shared.find(&arena, key);
                prop_assert_eq!(kids.is_some(), owners.contains_key(&key));
                let count = n as u8 % 7 + 1;
                match (kids, comes) {
                    (None, true) => {
                        let block = [Node::leaf(Some(3), 5); 7];
                        let header = shared.header(key, count);
                        let kids = arena.store_sorted(Some(header), &block[..usize::from(count)]).unwrap();
                        shared.insert(&arena, kids);
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

    /// Gives a position one child.
    fn add(shared: &mut SharedChildren, arena: &mut Arena<u8>, key: Key) -> u32 {
        let kids = arena.store_sorted(Some(shared.header(key, 1)), &[Node::default()]).unwrap();
        shared.insert(arena, kids);
        kids
    }

    #[test]
    fn a_full_index_leaves_children_out() {
        let mut arena: Arena<u8> = Arena::new(1 << 20);
        let mut shared = SharedChildren::new(0);
        let keys: Vec<Key> = (0..100).map(|n| (n << 40 | 1, u64::MAX - n, Color::Black)).collect();
        let blocks: Vec<u32> = keys.iter().map(|&key| add(&mut shared, &mut arena, key)).collect();
        let found = |shared: &SharedChildren, arena: &Arena<u8>| {
            keys.iter().map(|&key| shared.find(arena, key)).collect::<Vec<_>>()
        };
        let known = FIRST_ENTRIES * 7 / 8;
        assert!(shared.is_partial() && shared.len() == keys.len());
        let as_found = |from: usize, to: usize| {
            blocks.iter().enumerate().map(|(i, &kids)| (from..to).contains(&i).then_some(kids)).collect::<Vec<_>>()
        };
        assert_eq!(found(&shared, &arena), as_found(0, known));
        for (i, &kids) in blocks.iter().enumerate() {
            assert!(shared.disown(&mut arena, kids));
            assert_eq!(found(&shared, &arena), as_found(i + 1, known));
        }
        assert_eq!((shared.len(), shared.used), (0, 0));
    }

    #[test]
    fn of_children_of_one_position_the_last_are_found() {
        let mut arena: Arena<u8> = Arena::new(1 << 20);
        let mut shared = SharedChildren::new(1 << 20);
        let key = |n: u64| (n, 7, Color::Black);
        let mut last = 0;
        for n in 0..500 {
            last = add(&mut shared, &mut arena, key(n / 100 * 1000));
            add(&mut shared, &mut arena, key(n + 1_000_000));
            assert_eq!(shared.find(&arena, key(n / 100 * 1000)), Some(last));
        }
        assert!(shared.disown(&mut arena, last));
        assert!(shared.find(&arena, key(4000)).is_some_and(|kids| kids != last));
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
