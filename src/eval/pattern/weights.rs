//! The weights as the search reads them: one entry for every configuration.

use super::file::PackedWeights;
use super::geometry::{ALL_INSTANCES, FAMILIES, INSTANCES, Sharing};
use super::indexes::State;
use crate::eval::STATIC_LIMIT;
use crate::game::DISC;

/// What a lane of a [`State`] can say.
const LANE_VALUES: usize = 1 << 16;

/// Where the tables of the families stand within the weights of a phase.
///
/// They stand close together. A family's table is read through a window of [`LANE_VALUES`] entries whose middle is the
/// configuration 0, so that any lane is a valid index; the windows overlap, and the ends of the first and the last ones
/// are padding that is never touched.
struct Places {
    /// The first entry of every family's window.
    windows: [usize; FAMILIES.len()],
    /// Entries of one phase.
    length: usize,
}

const PLACES: Places = {
    let middle = LANE_VALUES / 2;
    // The table of family `f` starts at `padding + before`, and its window `middle - greatest` entries earlier.
    let (mut padding, mut before, mut f) = (0, 0, 0);
    while f < FAMILIES.len() {
        let lead = middle - FAMILIES[f].greatest();
        if lead > before + padding {
            padding = lead - before;
        }
        before += FAMILIES[f].configurations();
        f += 1;
    }
    let mut places = Places { windows: [0; FAMILIES.len()], length: 0 };
    (before, f) = (0, 0);
    while f < FAMILIES.len() {
        places.windows[f] = padding + before + FAMILIES[f].greatest() - middle;
        if places.windows[f] + LANE_VALUES > places.length {
            places.length = places.windows[f] + LANE_VALUES;
        }
        before += FAMILIES[f].configurations();
        f += 1;
    }
    places
};

/// The first entry of every instance's window.
const WINDOWS: [usize; INSTANCES] = {
    let mut windows = [0; INSTANCES];
    let mut i = 0;
    while i < INSTANCES {
        windows[i] = PLACES.windows[ALL_INSTANCES[i].family];
        i += 1;
    }
    windows
};

/// Tables for every phase, in units of 1/128 disc.
pub(super) struct Tables {
    /// [`PLACES`]`.length` entries for each phase.
    entries: Vec<i16>,
    /// By the number of empty squares, 0 to 63.
    phases: [Phase; 64],
}

#[derive(Clone, Copy)]
struct Phase {
    /// Its first entry.
    start: usize,
    constant: i32,
}

impl Tables {
    pub(super) fn new(weights: &PackedWeights) -> Tables {
        let sharing = Sharing::get();
        let factor = weights.factor();
        let mut entries = vec![0; weights.phases() * PLACES.length];
        for (phase, table) in entries.chunks_exact_mut(PLACES.length).enumerate() {
            let packed = weights.phase(phase);
            for (f, family) in FAMILIES.iter().enumerate() {
                let start = PLACES.windows[f] + LANE_VALUES / 2 - family.greatest();
                let expanded = &mut table[start..start + family.configurations()];
                for (entry, &number) in expanded.iter_mut().zip(sharing.of_family(f)) {
                    *entry = packed[number as usize] * factor;
                }
            }
        }
        let phases = std::array::from_fn(|empties| {
            let phase = weights.phase_of(empties as u32);
            let constant = i32::from(weights.phase(phase)[sharing.constant()] * factor);
            Phase { start: phase * PLACES.length, constant }
        });
        Tables { entries, phases }
    }

    /// The sum of the weights, in units of [`DISC`], within ±[`STATIC_LIMIT`].
    #[inline]
    pub(super) fn value(&self, state: &State, empties: u32) -> i32 {
        let Phase { start, constant } = self.phases[empties as usize % 64];
        let table: &[i16; PLACES.length] = self.entries[start..].first_chunk().expect("a phase has all its entries");
        let lanes = state.lanes();
        // Unrolled by the compiler: two loads for each pattern and no check of bounds. Gathering 16 weights at a time
        // with AVX-512 was slower (see docs/lab-notebook.md).
        let mut sum = constant;
        for i in 0..INSTANCES {
            let window: &[i16; LANE_VALUES] = table[WINDOWS[i]..].first_chunk().expect("windows end in the table");
            sum += i32::from(window[usize::from(lanes[i])]);
        }
        sum.clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

const _: () = assert!(DISC == 128, "the tables are in units of 1/128 disc");
