//! What is known of positions already searched.

use super::Contempt;
use crate::othello::{Position, Square};

/// The depth of entries that hold the result under perfect play.
pub(super) const TO_THE_END: u8 = 64;

/// Bounds on a position's value, in units of [`DISC`](crate::game::DISC) for the side to move, and the move that did best.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub lower: i32,
    pub upper: i32,
    /// Plies searched, or [`TO_THE_END`].
    pub depth: u8,
    pub best: Option<Square>,
}

/// Positions stored whole, so that no position is ever taken for another. What an entry says holds for one side to move
/// whichever its colour, unless draws have a worth of their own.
pub(super) struct TranspositionTable {
    /// Zero means empty: no position is without discs.
    buckets: Vec<Bucket>,
    generation: u8,
    contempt: Contempt,
}

/// Player, opponent, and the rest packed: from the low end lower and upper bound (16 bits each), depth, best move (64 for
/// none), generation, and the colour to move (1 or 2) where draws have a worth of their own (8 bits each).
type Slot = [u64; 3];
const SLOTS: usize = 4;
type Bucket = [Slot; SLOTS];

const NO_MOVE: u64 = 64;

impl TranspositionTable {
    /// A table of at most this many bytes, at least one bucket. The memory is the operating system's zero pages until it
    /// is written to.
    pub(super) fn new(bytes: usize) -> TranspositionTable {
        let buckets = (bytes / size_of::<Bucket>()).max(1);
        TranspositionTable { buckets: vec![[[0; 3]; SLOTS]; buckets], generation: 0, contempt: Contempt::NONE }
    }

    pub(super) fn clear(&mut self) {
        let buckets = self.buckets.len();
        // A new allocation of zero pages is quicker than writing zeros; the old one goes first.
        self.buckets = Vec::new();
        self.buckets = vec![[[0; 3]; SLOTS]; buckets];
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
    fn bucket_index(&self, position: &Position) -> usize {
        let mixed = position.player().0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ position.opponent().0.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
        let hash = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        // The high bits of the product spread the hash over any number of buckets.
        ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize
    }

    #[inline]
    fn color_tag(&self, position: &Position) -> u64 {
        if self.contempt == Contempt::NONE { 0 } else { 1 + position.mover() as u64 }
    }

    #[inline]
    fn holds(&self, slot: &Slot, position: &Position) -> bool {
        slot[0] == position.player().0 && slot[1] == position.opponent().0 && slot[2] >> 56 == self.color_tag(position)
    }

    #[inline]
    pub(super) fn probe(&self, position: &Position) -> Option<Entry> {
        let bucket = &self.buckets[self.bucket_index(position)];
        bucket.iter().find(|slot| self.holds(slot, position)).map(|slot| unpack(slot[2]))
    }

    /// Remembers bounds. A deeper search replaces a shallower one; bounds of equal depth are joined, and the newer wins
    /// where they contradict each other.
    #[inline]
    pub(super) fn store(&mut self, position: &Position, entry: Entry) {
        let index = self.bucket_index(position);
        let (generation, tag) = (self.generation, self.color_tag(position));
        let known = self.buckets[index].iter().position(|slot| self.holds(slot, position));
        let bucket = &mut self.buckets[index];
        let mut joined = entry;
        let place = match known {
            Some(place) => {
                let old = unpack(bucket[place][2]);
                joined.best = entry.best.or(old.best);
                if old.depth == entry.depth {
                    let (lower, upper) = (old.lower.max(entry.lower), old.upper.min(entry.upper));
                    if lower <= upper {
                        (joined.lower, joined.upper) = (lower, upper);
                    }
                } else if old.depth > entry.depth {
                    // What is known more deeply stays, and is in use again.
                    joined = Entry { best: old.best.or(entry.best), ..old };
                }
                place
            }
            None => {
                let worth = |slot: &Slot| {
                    let age = generation.wrapping_sub((slot[2] >> 48) as u8);
                    (slot[0] | slot[1] != 0, u8::MAX - age, unpack(slot[2]).depth)
                };
                (0..SLOTS).min_by_key(|&i| worth(&bucket[i])).expect("a bucket has slots")
            }
        };
        bucket[place] = [position.player().0, position.opponent().0, pack(joined, generation, tag)];
    }
}

#[inline]
fn pack(entry: Entry, generation: u8, tag: u64) -> u64 {
    let bits = |value: i32| u64::from(value.clamp(i16::MIN.into(), i16::MAX.into()) as i16 as u16);
    bits(entry.lower)
        | bits(entry.upper) << 16
        | u64::from(entry.depth) << 32
        | entry.best.map_or(NO_MOVE, |square| square.index() as u64) << 40
        | u64::from(generation) << 48
        | tag << 56
}

#[inline]
fn unpack(bits: u64) -> Entry {
    Entry {
        lower: i32::from(bits as u16 as i16),
        upper: i32::from((bits >> 16) as u16 as i16),
        depth: (bits >> 32) as u8,
        best: Square::new((bits >> 40) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(lower: i32, upper: i32, depth: u8, best: Option<&str>) -> Entry {
        Entry { lower, upper, depth, best: best.map(|name| name.parse().unwrap()) }
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
}
