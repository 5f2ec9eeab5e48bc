//! What is known of positions already searched, shared by all threads.

use super::selectivity::Selectivity;
use super::{BEYOND, Contempt};
use crate::game::DISC;
use crate::othello::{Position, Square};
use crate::pages::{self, Pages};
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// The depth of entries that hold the result under perfect play, as far as their selectivity lets it be seen.
pub(super) const TO_THE_END: u8 = 64;

/// Bounds on a position's value, in units of [`DISC`] for the side to move, and the move that did best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub lower: i32,
    pub upper: i32,
    /// Plies searched, or [`TO_THE_END`].
    pub depth: u8,
    /// The selectivity of the search that the entry is from.
    pub selectivity: Selectivity,
    pub best: Option<Square>,
}

impl Entry {
    /// Whether the entry comes from a search at least this deep and this sure.
    #[inline]
    pub fn covers(&self, depth: u8, selectivity: Selectivity) -> bool {
        self.depth >= depth && self.selectivity >= selectivity
    }

    /// What a fail-soft search with the window from `alpha` to `beta` knows that found `value`: the value between the two, else a bound.
    #[inline]
    pub fn of_search(
        value: i32,
        (alpha, beta): (i32, i32),
        depth: u8,
        selectivity: Selectivity,
        best: Option<Square>,
    ) -> Entry {
        let lower = if value > alpha { value } else { -BEYOND };
        let upper = if value < beta { value } else { BEYOND };
        Entry { lower, upper, depth, selectivity, best }
    }

    /// The value, or a bound beyond the window from `alpha` to `beta`, if the bounds say so much.
    #[inline]
    pub fn decides(&self, alpha: i32, beta: i32) -> Option<i32> {
        if self.lower >= beta || self.lower == self.upper {
            Some(self.lower)
        } else {
            (self.upper <= alpha).then_some(self.upper)
        }
    }

    /// This entry, with what is still worth knowing of the old one.
    fn join(self, old: Entry) -> Entry {
        let rank = |entry: &Entry| (entry.depth, entry.selectivity);
        match rank(&self).cmp(&rank(&old)) {
            // What is known more deeply stays, and is in use again.
            std::cmp::Ordering::Less => Entry { best: old.best.or(self.best), ..old },
            std::cmp::Ordering::Greater => Entry { best: self.best.or(old.best), ..self },
            std::cmp::Ordering::Equal => {
                let (lower, upper) = (old.lower.max(self.lower), old.upper.min(self.upper));
                let bounds = if lower <= upper { (lower, upper) } else { (self.lower, self.upper) };
                Entry { lower: bounds.0, upper: bounds.1, best: self.best.or(old.best), ..self }
            }
        }
    }

    /// The entry of a search to the end with its bounds in discs.
    #[inline]
    pub fn in_discs(self) -> Entry {
        Entry { lower: self.lower / DISC, upper: self.upper / DISC, ..self }
    }
}

/// Positions stored whole, so that no position is ever taken for another. What an entry says holds for one side to move
/// whichever its colour, unless draws have a worth of their own.
///
/// All threads read and write the table at once without waiting: a bucket has a version that is odd while a thread writes. A probe
/// meanwhile finds nothing there, and another store meanwhile is dropped.
pub(super) struct TranspositionTable {
    memory: Memory,
    generation: u8,
    /// Entries of another era are forgotten ones; 0 to [`ERAS`] − 1.
    era: u8,
    contempt: Contempt,
}

/// Player, opponent, and the rest packed: from the low end lower and upper bound (16 bits each), depth, best move (7 bits
/// each; 64 for no move), selectivity (3), generation (8), the colour to move (2; 1 or 2) where draws have a worth of their own,
/// and the era (5). Zero means empty: no position is without discs.
type Slot = [AtomicU64; 3];
const SLOTS: usize = 5;

/// Two cache lines that processors fetch together.
#[repr(C, align(128))]
struct Bucket {
    version: AtomicU64,
    slots: [Slot; SLOTS],
}

/// The buckets.
struct Memory {
    pages: Pages,
    buckets: usize,
}

impl Memory {
    /// The buckets that fit into `bytes` bytes, at least one; fewer if the system has no more memory.
    fn new(bytes: usize) -> Memory {
        let mut buckets = (bytes / size_of::<Bucket>()).max(1);
        loop {
            match pages::zeroed(buckets * size_of::<Bucket>()) {
                Ok(pages) => return Memory { pages, buckets },
                Err(error) if buckets > 1 => {
                    let bytes = buckets * size_of::<Bucket>();
                    log::warn!("no memory for a transposition table of {bytes} bytes: {error}; trying half");
                    buckets /= 2;
                }
                Err(error) => panic!("no memory for the smallest transposition table: {error}"),
            }
        }
    }

    #[inline]
    fn bucket(&self, index: usize) -> &Bucket {
        assert!(index < self.buckets);
        // SAFETY: the memory is aligned for a bucket, holds `buckets` of them and lives as long as `self`; all zeros is a valid
        // bucket, and what is written to it later is written through its atomics.
        unsafe { &*self.pages.as_mut_ptr().cast::<Bucket>().add(index) }
    }
}

const NO_MOVE: u64 = 64;

/// The place of a position in a table of `len` places.
#[inline]
pub(super) fn place_of(player: u64, opponent: u64, len: usize) -> usize {
    let mixed =
        player.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ opponent.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
    let hash = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    // The high bits of the product spread the hash over any number of places.
    ((u128::from(hash) * len as u128) >> 64) as usize
}

impl TranspositionTable {
    /// A table of at most `bytes` bytes, at least one bucket.
    pub(super) fn new(bytes: usize) -> TranspositionTable {
        TranspositionTable { memory: Memory::new(bytes), generation: 0, era: 0, contempt: Contempt::NONE }
    }

    /// Forgets everything, by a new era; after the last era by new memory, which is quicker than writing zeros.
    pub(super) fn clear(&mut self) {
        self.era = (self.era + 1) % ERAS;
        if self.era > 0 {
            return;
        }
        let bytes = self.memory.buckets * size_of::<Bucket>();
        self.memory = Memory::new(1);
        self.memory = Memory::new(bytes);
    }

    /// Begins a search: older entries are the first to be replaced, and none is left if draws were worth something else.
    pub(super) fn new_search(&mut self, contempt: Contempt) {
        if self.contempt != contempt {
            self.clear();
        }
        self.generation = self.generation.wrapping_add(1);
        self.contempt = contempt;
    }

    #[inline]
    fn bucket(&self, position: &Position) -> &Bucket {
        self.memory.bucket(place_of(position.player().0, position.opponent().0, self.memory.buckets))
    }

    #[inline]
    fn tag(&self, position: &Position) -> u64 {
        let color = if self.contempt == Contempt::NONE { 0 } else { 1 + position.mover() as u64 };
        color | u64::from(self.era) << ERA_SHIFT
    }

    #[inline]
    pub(super) fn probe(&self, position: &Position) -> Option<Entry> {
        let bucket = self.bucket(position);
        let version = bucket.version.load(Ordering::Acquire);
        let (_, bits) = self.find(bucket, position)?;
        // The reads above come before the second look at the version.
        fence(Ordering::Acquire);
        let undisturbed = version & 1 == 0 && bucket.version.load(Ordering::Relaxed) == version;
        undisturbed.then(|| unpack(bits))
    }

    /// The slot that holds a position, and its packed rest.
    #[inline]
    fn find(&self, bucket: &Bucket, position: &Position) -> Option<(usize, u64)> {
        let (player, opponent) = (position.player().0, position.opponent().0);
        let tag = self.tag(position);
        (0..SLOTS).find_map(|i| {
            let slot = &bucket.slots[i];
            if slot[0].load(Ordering::Relaxed) != player || slot[1].load(Ordering::Relaxed) != opponent {
                return None;
            }
            let bits = slot[2].load(Ordering::Relaxed);
            (bits >> TAG_SHIFT == tag).then_some((i, bits))
        })
    }

    /// Remembers bounds. A deeper or, at the same depth, surer search replaces the other; bounds of searches alike are
    /// joined, and the newer wins where they contradict each other.
    #[inline]
    pub(super) fn store(&self, position: &Position, entry: Entry) {
        let bucket = self.bucket(position);
        let version = bucket.version.load(Ordering::Relaxed);
        if version & 1 == 1
            || bucket.version.compare_exchange(version, version + 1, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            return;
        }
        // The odd version is seen before anything that is written under it.
        fence(Ordering::Release);
        let mut joined = entry;
        let place = match self.find(bucket, position) {
            Some((place, bits)) => {
                joined = entry.join(unpack(bits));
                place
            }
            None => (0..SLOTS).min_by_key(|&i| self.worth(&bucket.slots[i])).expect("a bucket has slots"),
        };
        let slot = &bucket.slots[place];
        slot[0].store(position.player().0, Ordering::Relaxed);
        slot[1].store(position.opponent().0, Ordering::Relaxed);
        slot[2].store(pack(joined, self.generation, self.tag(position)), Ordering::Relaxed);
        bucket.version.store(version + 2, Ordering::Release);
    }

    /// The sort key of a slot in the choice of the one to replace, the least first: nothing and what is forgotten before anything, the old
    /// before the new, then the shallow before the deep, and among results to the end those of fuller boards before those of emptier ones.
    fn worth(&self, slot: &Slot) -> Option<(u8, u32, u8)> {
        let discs = slot[0].load(Ordering::Relaxed) | slot[1].load(Ordering::Relaxed);
        let bits = slot[2].load(Ordering::Relaxed);
        if discs == 0 || bits >> (TAG_SHIFT + ERA_SHIFT) != u64::from(self.era) {
            return None;
        }
        let age = self.generation.wrapping_sub((bits >> GENERATION_SHIFT) as u8);
        let entry = unpack(bits);
        let depth = if entry.depth == TO_THE_END { discs.count_zeros() } else { u32::from(entry.depth) };
        Some((u8::MAX - age, depth, entry.selectivity.index()))
    }
}

const DEPTH_SHIFT: u32 = 32;
const MOVE_SHIFT: u32 = 39;
const SELECTIVITY_SHIFT: u32 = 46;
const GENERATION_SHIFT: u32 = 49;
const TAG_SHIFT: u32 = 57;
/// Where the era begins in the tag.
const ERA_SHIFT: u32 = 2;
const ERAS: u8 = 1 << (u64::BITS - TAG_SHIFT - ERA_SHIFT);

#[inline]
fn pack(entry: Entry, generation: u8, tag: u64) -> u64 {
    let bits = |value: i32| u64::from(value.clamp(i16::MIN.into(), i16::MAX.into()) as i16 as u16);
    bits(entry.lower)
        | bits(entry.upper) << 16
        | u64::from(entry.depth) << DEPTH_SHIFT
        | entry.best.map_or(NO_MOVE, |square| square.index() as u64) << MOVE_SHIFT
        | u64::from(entry.selectivity.index()) << SELECTIVITY_SHIFT
        | u64::from(generation) << GENERATION_SHIFT
        | tag << TAG_SHIFT
}

#[inline]
fn unpack(bits: u64) -> Entry {
    Entry {
        lower: i32::from(bits as u16 as i16),
        upper: i32::from((bits >> 16) as u16 as i16),
        depth: (bits >> DEPTH_SHIFT) as u8 & 0x7f,
        selectivity: Selectivity::from_index((bits >> SELECTIVITY_SHIFT) as u8 & 7),
        best: Square::new((bits >> MOVE_SHIFT) as u8 & 0x7f),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lower: i32, upper: i32, depth: u8, best: Option<&str>) -> Entry {
        let best = best.map(|name| name.parse().unwrap());
        Entry { lower, upper, depth, selectivity: Selectivity::NONE, best }
    }

    #[test]
    fn entries_come_back_and_join() {
        let mut table = TranspositionTable::new(1 << 16);
        let start = Position::START;
        assert_eq!(table.probe(&start), None);
        table.store(&start, entry(-128, i32::from(i16::MAX), 5, Some("f5")));
        table.store(&start, entry(i32::from(i16::MIN), 256, 5, None));
        assert_eq!(table.probe(&start), Some(entry(-128, 256, 5, Some("f5"))));
        table.store(&start, entry(300, 300, 5, None));
        assert_eq!(table.probe(&start), Some(entry(300, 300, 5, Some("f5"))), "the newer of a contradiction");
        table.store(&start, entry(0, 0, 4, Some("d3")));
        assert_eq!(table.probe(&start), Some(entry(300, 300, 5, Some("f5"))), "the deeper one stays");
        table.store(&start, entry(-12_800, 12_800, TO_THE_END, Some("e6")));
        assert_eq!(table.probe(&start), Some(entry(-12_800, 12_800, TO_THE_END, Some("e6"))));
        table.clear();
        assert_eq!(table.probe(&start), None);
    }

    #[test]
    fn what_is_forgotten_is_found_no_more_and_the_first_to_be_replaced() {
        let (mut table, fresh) = (TranspositionTable::new(1), TranspositionTable::new(1));
        let children = Position::START.moves().into_iter().map(|square| Position::START.after(square));
        let positions: Vec<Position> = std::iter::once(Position::START).chain(children).collect();
        // More often than there are eras, and not to the first one, which has new memory.
        for round in 0..=3 * i32::from(ERAS) {
            for position in &positions {
                assert_eq!(table.probe(position), None, "{round}");
                table.store(position, entry(round, round, 60, None));
            }
            assert!(positions.iter().all(|position| table.probe(position).is_some()), "{round}");
            table.clear();
        }
        for (depth, position) in (1..).zip(&positions) {
            for table in [&table, &fresh] {
                table.store(position, entry(0, 0, depth, None));
            }
        }
        for position in &positions {
            assert!(table.probe(position).is_some() && table.probe(position) == fresh.probe(position), "{position}");
        }
    }

    #[test]
    fn colours_are_told_apart_where_it_matters() {
        let mut table = TranspositionTable::new(1 << 16);
        table.new_search(Contempt::new(100).unwrap());
        let start = Position::START;
        table.store(&start, entry(1, 1, 3, None));
        assert_eq!(table.probe(&start.swap_colors()), None);
        table.new_search(Contempt::NONE);
        assert_eq!(table.probe(&start), None, "a draw is worth something else now");
        table.store(&start, entry(2, 2, 3, None));
        assert_eq!(table.probe(&start.swap_colors()), Some(entry(2, 2, 3, None)));
    }

    #[test]
    fn a_full_table_keeps_the_deep_and_the_new() {
        let mut table = TranspositionTable::new(1);
        let mut positions = vec![Position::START];
        for i in 0..40 {
            let parent = positions[i];
            positions.extend(parent.moves().into_iter().map(|square| parent.after(square)));
        }
        table.store(&positions[0], entry(7, 7, 20, None));
        for position in &positions[1..20] {
            table.store(position, entry(0, 0, 1, None));
        }
        assert_eq!(table.probe(&positions[0]), Some(entry(7, 7, 20, None)));
        table.new_search(Contempt::NONE);
        for position in &positions[1..20] {
            table.store(position, entry(0, 0, 1, None));
        }
        assert_eq!(table.probe(&positions[0]), None);
    }

    #[test]
    fn the_surer_of_two_searches_stays() {
        let table = TranspositionTable::new(1 << 16);
        let bold = Entry { selectivity: Selectivity::BOLDEST, ..entry(5, 5, 9, Some("f5")) };
        table.store(&Position::START, bold);
        assert!(bold.covers(9, Selectivity::BOLDEST) && !bold.covers(9, Selectivity::NONE));
        table.store(&Position::START, entry(3, 8, 9, None));
        assert_eq!(table.probe(&Position::START), Some(entry(3, 8, 9, Some("f5"))));
        table.store(&Position::START, bold);
        assert_eq!(table.probe(&Position::START), Some(entry(3, 8, 9, Some("f5"))));
    }

    #[test]
    fn threads_never_see_half_an_entry() {
        // Two positions of one bucket's table, each always stored with bounds that only it has.
        let table = TranspositionTable::new(1);
        let positions: Vec<Position> = Position::START
            .moves()
            .into_iter()
            .flat_map(|s| {
                let child = Position::START.after(s);
                child.moves().into_iter().map(move |reply| child.after(reply)).collect::<Vec<_>>()
            })
            .collect();
        let mark = |i: usize, round: i32| entry(i as i32 * 100 + round % 50, i as i32 * 100 + round % 50, 7, None);
        std::thread::scope(|scope| {
            for thread in 0..3usize {
                let (table, positions) = (&table, &positions);
                scope.spawn(move || {
                    for round in 0..20_000 {
                        let i = (round as usize * 7 + thread * 5) % positions.len();
                        table.store(&positions[i], mark(i, round));
                        let j = (i + 3) % positions.len();
                        if let Some(found) = table.probe(&positions[j]) {
                            assert_eq!(found.lower / 100, j as i32, "an entry of another position");
                            assert_eq!(found.lower, found.upper);
                        }
                    }
                });
            }
        });
    }
}
