//! The weights as the search reads them: one entry for every configuration.

use super::file::PackedWeights;
use super::geometry::{ALL_INSTANCES, FAMILIES, INSTANCES, MOBILITIES, Sharing, mobility_pair};
use super::indexes::State;
use crate::eval::STATIC_LIMIT;
use crate::game::DISC;
use crate::othello::Position;
use std::sync::OnceLock;

/// Number of values that a lane of a [`State`] can have.
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

/// Tables for every phase. Each is made when a position of it is first asked for, which takes about a millisecond.
pub(super) struct Tables {
    weights: PackedWeights,
    phases: Box<[OnceLock<Phase>]>,
    /// The phase by the number of empty squares, 0 to 63.
    of_empties: [u8; 64],
}

/// Weights of a phase in units of 1/128 disc.
struct Phase {
    /// The weights of the configurations, [`PLACES`]`.length` of them.
    entries: Box<[i16]>,
    /// The weights of the mobilities by [`mobility_pair`], the constant added.
    mobility: Box<[i16; MOBILITIES * MOBILITIES]>,
}

impl Phase {
    fn new(weights: &PackedWeights, phase: usize) -> Phase {
        let (sharing, packed, factor) = (Sharing::get(), weights.phase(phase), weights.factor());
        let mut entries = vec![0; PLACES.length].into_boxed_slice();
        for (f, family) in FAMILIES.iter().enumerate() {
            let start = PLACES.windows[f] + LANE_VALUES / 2 - family.greatest();
            let expanded = &mut entries[start..start + family.configurations()];
            for (entry, &number) in expanded.iter_mut().zip(sharing.of_family(f)) {
                *entry = packed[number as usize] * factor;
            }
        }
        let constant = packed[sharing.constant()] * factor;
        let mobility = &packed[sharing.mobility()];
        let mobility = Box::new(std::array::from_fn(|pair| (mobility[pair] * factor).saturating_add(constant)));
        Phase { entries, mobility }
    }
}

impl Tables {
    pub(super) fn new(weights: PackedWeights) -> Tables {
        Tables {
            phases: (0..weights.phases()).map(|_| OnceLock::new()).collect(),
            of_empties: std::array::from_fn(|empties| weights.phase_of(empties as u32) as u8),
            weights,
        }
    }

    /// The sum of the weights, in units of [`DISC`], within ±[`STATIC_LIMIT`]. The state is that of the position.
    #[inline]
    pub(super) fn value(&self, state: &State, position: &Position) -> i32 {
        let phase = usize::from(self.of_empties[position.empties().count() as usize % 64]);
        let Phase { entries, mobility } = self.phases[phase].get_or_init(|| Phase::new(&self.weights, phase));
        let table: &[i16; PLACES.length] = entries.first_chunk().expect("a phase has all its entries");
        let lanes = state.lanes();
        // Unrolled by the compiler: two loads for each pattern and no check of bounds. Gathering 16 weights at a time
        // with AVX-512 was slower (see docs/lab-notebook.md).
        let mut sum = i32::from(mobility[mobility_pair(position)]);
        for i in 0..INSTANCES {
            let window: &[i16; LANE_VALUES] = table[WINDOWS[i]..].first_chunk().expect("windows end in the table");
            sum += i32::from(window[usize::from(lanes[i])]);
        }
        sum.clamp(-STATIC_LIMIT, STATIC_LIMIT)
    }
}

const _: () = assert!(DISC == 128, "the tables are in units of 1/128 disc");
