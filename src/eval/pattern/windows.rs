//! Where the table of each family stands in a table of all configurations, which the lanes of a [`State`](super::State)
//! index as they are.

use super::geometry::{ALL_INSTANCES, FAMILIES, INSTANCES, Sharing};

/// Number of values that a lane of a [`State`](super::State) can have.
pub(in crate::eval) const LANE_VALUES: usize = 1 << 16;

/// Where the tables of the families stand within one table of all configurations.
///
/// They stand close together. A family's table is read through a window of [`LANE_VALUES`] entries whose middle is the
/// configuration 0, so that any lane is a valid index; the windows overlap, and the ends of the first and the last ones
/// are padding that is never touched.
pub(in crate::eval) struct Places {
    /// The first entry of every family's window.
    pub(in crate::eval) windows: [usize; FAMILIES.len()],
    /// Entries of the whole table.
    pub(in crate::eval) length: usize,
}

/// The places of [`FAMILIES`].
pub(in crate::eval) const PLACES: Places = {
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
pub(in crate::eval) const WINDOWS: [usize; INSTANCES] = {
    let mut windows = [0; INSTANCES];
    let mut i = 0;
    while i < INSTANCES {
        windows[i] = PLACES.windows[ALL_INSTANCES[i].family];
        i += 1;
    }
    windows
};

/// Fills the part of a family in a table of all configurations: `of_number` gives what stands for a packed number.
pub(in crate::eval) fn expand<T>(entries: &mut [T], family: usize, of_number: impl Fn(usize) -> T) {
    let start = PLACES.windows[family] + LANE_VALUES / 2 - FAMILIES[family].greatest();
    let expanded = &mut entries[start..start + FAMILIES[family].configurations()];
    for (entry, &number) in expanded.iter_mut().zip(Sharing::get().of_family(family)) {
        *entry = of_number(number as usize);
    }
}
