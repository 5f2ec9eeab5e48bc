//! Where the nodes of a stored tree are: chunks of memory, a block of neighbouring nodes for the children of each node,
//! and lists of free blocks.

use super::node::{FREE, Node};
use crate::pages::{Piece, Slab};
use parking_lot::Mutex;
use std::ops::{Index, IndexMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Nodes of one chunk: the unit in which arenas take memory from a pool.
const CHUNK: usize = 1 << 9;
/// Chunks that are taken from the system at once: as many as there are already, at most these, which are a whole number of large pages.
const MOST_AT_ONCE: usize = 512;
/// Number of nodes up to which free blocks have a list for each length; list 0 holds the longer ones.
const LONGEST: usize = u8::MAX as usize;
/// The nodes of one chunk. The length is part of the type: so no bounds are checked within it.
type Chunk<M> = Piece<Node<M>, CHUNK>;
/// The end of a list.
const NIL: u32 = u32::MAX;

/// Most chunks of one arena, as far as places go.
const MOST_CHUNKS: usize = NIL as usize / CHUNK;

/// The memory of one arena, or of several that share it: how many chunks may still be taken.
#[derive(Debug)]
pub struct ChunkPool<M> {
    left: AtomicUsize,
    /// Whether chunks that are given back are kept for others, which is faster than to ask the system for new ones.
    keeps: bool,
    stock: Mutex<Stock<M>>,
}

/// Chunks that no arena has.
#[derive(Debug)]
struct Stock<M> {
    kept: Vec<Chunk<M>>,
    /// The memory that was taken from the system last: what is left of it.
    slab: Option<Slab<Node<M>, CHUNK>>,
    /// Chunks taken from the system.
    taken: usize,
}

impl<M> Default for Stock<M> {
    fn default() -> Stock<M> {
        Stock { kept: Vec::new(), slab: None, taken: 0 }
    }
}

impl<M: Copy> Stock<M> {
    /// A chunk that was kept, or else one of the system's memory, of which no more than `most` chunks are taken.
    fn chunk(&mut self, most: usize) -> Option<Chunk<M>> {
        let leaf = Node::leaf(None, 0);
        let known = self.kept.pop().or_else(|| self.slab.as_mut()?.take(leaf));
        known.or_else(|| {
            let count = self.taken.clamp(1, MOST_AT_ONCE).min(most);
            let slab = self.slab.insert(Slab::new(count).ok()?);
            self.taken += count;
            slab.take(leaf)
        })
    }
}

impl<M: Copy> ChunkPool<M> {
    /// A pool for one arena, which never takes more than `bytes`, its own administration included, but one chunk in any case.
    pub fn for_one(bytes: usize) -> Arc<ChunkPool<M>> {
        ChunkPool::of(bytes, false)
    }

    /// A pool for several arenas, whose nodes never take more than `bytes` together.
    pub fn for_several(bytes: usize) -> Arc<ChunkPool<M>> {
        ChunkPool::of(bytes, true)
    }

    fn of(bytes: usize, keeps: bool) -> Arc<ChunkPool<M>> {
        // A growing vector of chunks holds the old and the new table for a moment: three entries for each chunk.
        let chunk_bytes = CHUNK * size_of::<Node<M>>() + 3 * size_of::<Chunk<M>>();
        let chunks = (bytes.saturating_sub(size_of::<Arena<M>>()) / chunk_bytes).max(1);
        Arc::new(ChunkPool { left: AtomicUsize::new(chunks), keeps, stock: Mutex::default() })
    }

    /// Bytes for nodes that may still be taken.
    pub fn bytes_left(&self) -> u64 {
        (self.left.load(Ordering::Relaxed) * CHUNK * size_of::<Node<M>>()) as u64
    }

    /// Takes one chunk out of the pool, one that was given back or a new one. A system without memory left makes the pool full; it does not
    /// end the process.
    fn take(&self) -> Option<Chunk<M>> {
        let one_less = |chunks: usize| chunks.checked_sub(1);
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).ok()?;
        let chunk = self.stock.lock().chunk(left);
        if chunk.is_none() {
            // What others give back meanwhile stays.
            let none = |now: usize| Some(now.saturating_sub(left - 1));
            let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, none);
        }
        chunk
    }
}

impl<M> ChunkPool<M> {
    fn is_left(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    fn give_back(&self, chunks: Vec<Chunk<M>>) {
        let count = chunks.len();
        if self.keeps {
            self.stock.lock().kept.extend(chunks);
        } else {
            *self.stock.lock() = Stock::default();
            drop(chunks);
        }
        self.left.fetch_add(count, Ordering::Relaxed);
    }
}

/// Chunks of nodes, up to a cap.
///
/// Every node belongs to one block, free or in use. A free block has its length in its first and its last node and
/// its neighbours in the list in its first, so that it is found from either side and joined with what is freed next to it.
#[derive(Debug)]
pub struct Arena<M> {
    chunks: Vec<Chunk<M>>,
    pool: Arc<ChunkPool<M>>,
    lists: [u32; LONGEST + 1],
    /// Which lists of known length have a block in them, a bit each.
    filled: [u64; 4],
    in_use: usize,
}

impl<M: Copy> Arena<M> {
    /// An empty arena that never takes more than `bytes`, its own administration included.
    #[cfg(test)]
    pub fn new(bytes: usize) -> Arena<M> {
        Arena::in_pool(ChunkPool::for_one(bytes))
    }

    /// An empty arena that takes its chunks from this pool.
    pub fn in_pool(pool: Arc<ChunkPool<M>>) -> Arena<M> {
        Arena { chunks: Vec::new(), pool, lists: [NIL; LONGEST + 1], filled: [0; 4], in_use: 0 }
    }

    /// Bytes taken from the system.
    pub fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Node<M>>()
            + self.chunks.capacity() * size_of::<Chunk<M>>()
            + size_of::<Arena<M>>()
    }

    /// Nodes in use.
    pub fn in_use(&self) -> usize {
        self.in_use
    }

    /// Gives all memory back.
    pub fn clear(&mut self) {
        self.pool.give_back(std::mem::take(&mut self.chunks));
        self.lists = [NIL; LONGEST + 1];
        self.filled = [0; 4];
        self.in_use = 0;
    }

    /// Whether a block of `count()` nodes can be stored, as far as the cap goes.
    #[inline]
    pub fn has_room(&self, count: impl FnOnce() -> usize) -> bool {
        self.may_grow() || self.shortest_from(count()).is_some()
    }

    /// Stores these nodes, 1 to 255, side by side and returns the place of the first; `None` if the arena is full.
    pub fn store(&mut self, nodes: &[Node<M>]) -> Option<u32> {
        debug_assert!((1..=LONGEST).contains(&nodes.len()));
        let start = self.take(nodes.len())?;
        let (chunk, offset) = place(start);
        self.chunks[chunk][offset..offset + nodes.len()].copy_from_slice(nodes);
        self.in_use += nodes.len();
        Some(start)
    }

    /// Stores these nodes in the order of their values, the least first; equal ones keep their order. Returns the place of the
    /// first. A header goes to the place before it.
    ///
    /// The place of each node is counted, not found by comparing and moving: the comparisons could not be predicted.
    pub fn store_sorted(&mut self, header: Option<Node<M>>, nodes: &[Node<M>]) -> Option<u32> {
        let length = usize::from(header.is_some()) + nodes.len();
        debug_assert!(!nodes.is_empty() && length <= LONGEST);
        let mut start = self.take(length)?;
        self.in_use += length;
        if let Some(header) = header {
            self[start] = header;
            start += 1;
        }
        let mut places = [0u8; LONGEST];
        for (i, node) in nodes.iter().enumerate() {
            let (before, from) = places.split_at_mut(i);
            for (place, other) in before.iter_mut().zip(nodes) {
                let is_behind = other.value > node.value;
                *place += u8::from(is_behind);
                from[0] += u8::from(!is_behind);
            }
        }
        let (chunk, offset) = place(start);
        let block = &mut self.chunks[chunk][offset..offset + nodes.len()];
        for (node, place) in nodes.iter().zip(places) {
            block[usize::from(place)] = *node;
        }
        Some(start)
    }

    /// The nodes of a block.
    pub fn block(&self, start: u32, count: u8) -> &[Node<M>] {
        let (chunk, offset) = place(start);
        &self.chunks[chunk][offset..offset + usize::from(count)]
    }

    /// The nodes of a block.
    pub fn block_mut(&mut self, start: u32, count: u8) -> &mut [Node<M>] {
        let (chunk, offset) = place(start);
        &mut self.chunks[chunk][offset..offset + usize::from(count)]
    }

    /// Frees a block.
    pub fn release(&mut self, start: u32, count: u8) {
        self.in_use -= usize::from(count);
        let (mut start, mut length) = (start, usize::from(count));
        let end = start as usize + length;
        if !end.is_multiple_of(CHUNK) && self[end as u32].has(FREE) {
            length += self[end as u32].size as usize;
            self.unlink(end as u32);
        }
        if !(start as usize).is_multiple_of(CHUNK) && self[start - 1].has(FREE) {
            let before = self[start - 1].size;
            start -= before;
            length += before as usize;
            self.unlink(start);
        }
        self.link(start, length);
    }

    /// Takes a block out of the free ones, the shortest that is long enough, or starts a new chunk.
    fn take(&mut self, count: usize) -> Option<u32> {
        let start = match self.shortest_from(count) {
            Some(list) => self.lists[list],
            None => self.grow()?,
        };
        let length = self[start].size as usize;
        self.unlink(start);
        if length > count {
            self.link(start + count as u32, length - count);
        }
        Some(start)
    }

    /// The list of the shortest free blocks with at least `count` nodes.
    fn shortest_from(&self, count: usize) -> Option<usize> {
        let mut word = count / 64;
        let mut bits = self.filled[word] & (u64::MAX << (count % 64));
        loop {
            if bits != 0 {
                return Some(word * 64 + bits.trailing_zeros() as usize);
            }
            word += 1;
            match self.filled.get(word) {
                Some(&next) => bits = next,
                None => return (self.lists[0] != NIL).then_some(0),
            }
        }
    }

    fn may_grow(&self) -> bool {
        self.chunks.len() < MOST_CHUNKS && self.pool.is_left()
    }

    /// Adds a chunk, if the cap allows it and there is memory; returns the place of its first node.
    fn grow(&mut self) -> Option<u32> {
        if !self.may_grow() {
            return None;
        }
        self.chunks.try_reserve(1).ok()?;
        let chunk = self.pool.take()?;
        let start = (self.chunks.len() * CHUNK) as u32;
        self.chunks.push(chunk);
        self.link(start, CHUNK);
        Some(start)
    }

    /// Puts a free block at the head of its list.
    fn link(&mut self, start: u32, length: usize) {
        let list = list_of(length);
        let next = self.lists[list];
        let mark = Node { flags: FREE, size: length as u32, ..Node::leaf(None, 0) };
        self[start + length as u32 - 1] = mark;
        self[start] = Node { kids: next, value: NIL.cast_signed(), ..mark };
        if next != NIL {
            self[next].value = start.cast_signed();
        }
        self.lists[list] = start;
        self.filled[list / 64] |= u64::from(list > 0) << (list % 64);
    }

    /// Takes a free block out of its list. Its marks stay until it is linked or stored to.
    fn unlink(&mut self, start: u32) {
        let Node { kids: next, value, size, .. } = self[start];
        let previous = value.cast_unsigned();
        let list = list_of(size as usize);
        if previous == NIL {
            self.lists[list] = next;
            if next == NIL {
                self.filled[list / 64] &= !(1 << (list % 64));
            }
        } else {
            self[previous].kids = next;
        }
        if next != NIL {
            self[next].value = previous.cast_signed();
        }
    }

    /// Checks that the free blocks and these blocks in use, in any order, cover every chunk without gap or overlap.
    ///
    /// # Errors
    /// What was found wrong.
    pub fn audit(&self, used: impl Iterator<Item = (u32, u8)>) -> Result<(), String> {
        let mut covered = vec![false; self.chunks.len() * CHUNK];
        let mut cover = |start: u32, count: usize, what: &str| {
            for node in start as usize..start as usize + count {
                match covered.get_mut(node) {
                    Some(seen) if !*seen => *seen = true,
                    Some(_) => return Err(format!("node {node} of a block {what} belongs to another block too")),
                    None => return Err(format!("node {node} of a block {what} is outside the arena")),
                }
            }
            Ok(())
        };
        let mut in_use = 0;
        for (start, count) in used {
            cover(start, usize::from(count), "in use")?;
            in_use += usize::from(count);
            if self.block(start, count).iter().any(|node| node.has(FREE)) {
                return Err(format!("the block in use at {start} is marked free"));
            }
        }
        if in_use != self.in_use {
            return Err(format!("{in_use} nodes are in use, but {} are counted", self.in_use));
        }
        for (list, &head) in self.lists.iter().enumerate() {
            let (mut previous, mut start) = (NIL, head);
            while start != NIL {
                let node = &self[start];
                let length = node.size as usize;
                if !node.has(FREE) || list_of(length) != list || node.value.cast_unsigned() != previous {
                    return Err(format!("the free block at {start} is not linked as list {list} has it"));
                }
                cover(start, length, "free")?;
                (previous, start) = (start, node.kids);
            }
        }
        match covered.iter().position(|seen| !seen) {
            Some(node) => Err(format!("node {node} is lost: neither in use nor free")),
            None => Ok(()),
        }
    }
}

/// The list of the free blocks of a length.
fn list_of(length: usize) -> usize {
    if length <= LONGEST { length } else { 0 }
}

#[inline]
fn place(index: u32) -> (usize, usize) {
    (index as usize / CHUNK, index as usize % CHUNK)
}

impl<M> Drop for Arena<M> {
    fn drop(&mut self) {
        self.pool.give_back(std::mem::take(&mut self.chunks));
    }
}

impl<M> Index<u32> for Arena<M> {
    type Output = Node<M>;
    #[inline]
    fn index(&self, index: u32) -> &Node<M> {
        let (chunk, offset) = place(index);
        &self.chunks[chunk][offset]
    }
}

impl<M> IndexMut<u32> for Arena<M> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Node<M> {
        let (chunk, offset) = place(index);
        &mut self.chunks[chunk][offset]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CHUNK_BYTES: usize = CHUNK * size_of::<Node<u8>>();

    proptest! {
        #[test]
        fn blocks_come_and_go_without_loss(orders in prop::collection::vec((1u8..=255, any::<prop::sample::Index>()), 1..400)) {
            let cap = 5 << 16;
            let mut arena: Arena<u8> = Arena::new(cap);
            let mut blocks: Vec<(u32, u8)> = Vec::new();
            for (count, victim) in orders {
                let nodes = vec![Node::leaf(Some(count), i32::from(count)); usize::from(count)];
                match arena.store(&nodes) {
                    Some(start) => blocks.push((start, count)),
                    None => prop_assert!(!blocks.is_empty()),
                }
                if count % 3 == 0 || blocks.len() > 60 {
                    let (start, count) = blocks.swap_remove(victim.index(blocks.len().max(1)));
                    prop_assert!(arena.block(start, count).iter().all(|node| node.turn == Some(count)));
                    arena.release(start, count);
                }
                prop_assert!(arena.bytes() <= cap);
            }
            prop_assert_eq!(arena.audit(blocks.iter().copied()), Ok(()));
            for (start, count) in blocks {
                arena.release(start, count);
            }
            prop_assert_eq!(arena.in_use(), 0);
            // All free blocks of a chunk have been joined again.
            let longest = (0..arena.chunks.len()).all(|chunk| arena[(chunk * CHUNK) as u32].size as usize == CHUNK);
            prop_assert!(longest);
        }
    }

    proptest! {
        #[test]
        fn sorting_while_storing_is_a_stable_sort(values in prop::collection::vec(-9i32..9, 1..255)) {
            let nodes: Vec<Node<u8>> =
                values.iter().enumerate().map(|(i, &value)| Node::leaf(Some(i as u8), value)).collect();
            let mut arena = Arena::new(1 << 20);
            let start = arena.store_sorted(None, &nodes).unwrap();
            let mut sorted: Vec<(i32, u8)> = values.into_iter().zip(0..).collect();
            sorted.sort();
            let stored = arena.block(start, nodes.len() as u8).iter().map(|node| (node.value, node.turn.unwrap()));
            prop_assert!(stored.eq(sorted));
        }
    }

    #[test]
    fn a_full_arena_says_so_and_recovers() {
        let mut arena: Arena<u8> = Arena::new(CHUNK_BYTES + (1 << 12));
        let block = [Node::leaf(None, 7); 100];
        let starts: Vec<u32> = std::iter::from_fn(|| arena.store(&block)).collect();
        assert_eq!(starts.len(), CHUNK / 100);
        assert!(!arena.has_room(|| 100));
        arena.release(starts[3], 100);
        assert!(arena.has_room(|| 100) && !arena.has_room(|| 101));
        assert_eq!(arena.store(&block), Some(starts[3]));
        let is_one_chunk = (CHUNK_BYTES + 1..CHUNK_BYTES + 4096).contains(&arena.bytes());
        assert!(arena.in_use() == 100 * starts.len() && is_one_chunk, "{}", arena.bytes());
        arena.clear();
        assert!(arena.in_use() == 0 && (1..4096).contains(&arena.bytes()), "{}", arena.bytes());
    }

    #[test]
    fn what_one_arena_gives_back_another_may_take() {
        for pool in [ChunkPool::for_one(CHUNK_BYTES), ChunkPool::for_several(CHUNK_BYTES)] {
            let block = [Node::<u8>::leaf(None, 7); 9];
            let [mut one, mut other] = [(); 2].map(|()| Arena::in_pool(Arc::clone(&pool)));
            assert_eq!(pool.bytes_left(), CHUNK_BYTES as u64);
            assert!(one.store(&block).is_some() && pool.bytes_left() == 0);
            assert!(!other.has_room(|| 9) && other.store(&block).is_none());
            one.clear();
            assert!(other.store(&block).is_some() && one.store(&block).is_none());
            drop(other);
            assert!(one.store(&block).is_some());
        }
    }

    #[test]
    fn the_checker_sees_lost_and_shared_nodes() {
        let mut arena: Arena<u8> = Arena::new(1 << 17);
        let a = arena.store(&[Node::leaf(None, 0); 4]).unwrap();
        let b = arena.store(&[Node::leaf(None, 0); 2]).unwrap();
        assert_eq!(arena.audit([(a, 4), (b, 2)].into_iter()), Ok(()));
        assert!(arena.audit([(a, 4)].into_iter()).is_err());
        assert!(arena.audit([(a, 4), (a + 2, 2)].into_iter()).unwrap_err().contains("another block"));
    }
}
