//! How sure a cut must be: the levels of multi-ProbCut.

/// A level of selectivity: nodes whose value lies, as far as a shallower search can tell, beyond the window with at least
/// this confidence are not searched.
///
/// The confidences are those of a normal distribution, one-sided errors counted on both sides, which is how this field
/// names its levels: 73 % is 1.1 standard deviations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Selectivity(u8);

/// Confidence in percent and standard deviations, from the boldest level on.
const LEVELS: [(u8, f32); 5] = [(73, 1.1), (87, 1.5), (95, 2.0), (98, 2.6), (99, 3.3)];

impl Selectivity {
    /// The boldest level.
    pub const BOLDEST: Selectivity = Selectivity(0);
    /// No cut that is not proven.
    pub const NONE: Selectivity = Selectivity(LEVELS.len() as u8);

    /// The levels from the boldest to [`Selectivity::NONE`].
    pub fn all() -> impl Iterator<Item = Selectivity> {
        (0..=LEVELS.len() as u8).map(Selectivity)
    }

    /// The level of this confidence in percent; 100 is [`Selectivity::NONE`].
    pub fn of_percent(percent: u8) -> Option<Selectivity> {
        Selectivity::all().find(|level| level.percent() == percent)
    }

    /// The confidence of each cut in percent, 100 if there are none.
    pub fn percent(self) -> u8 {
        LEVELS.get(usize::from(self.0)).map_or(100, |level| level.0)
    }

    /// How many standard deviations beyond the window the shallow value must lie; `None` if nothing is to be cut.
    pub fn deviations(self) -> Option<f32> {
        LEVELS.get(usize::from(self.0)).map(|level| level.1)
    }

    pub(super) const fn index(self) -> u8 {
        self.0
    }

    /// The level with this index; those beyond the last are [`Selectivity::NONE`].
    pub(super) fn from_index(index: u8) -> Selectivity {
        Selectivity(index.min(Selectivity::NONE.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_levels_grow_surer() {
        let levels: Vec<Selectivity> = Selectivity::all().collect();
        assert_eq!((levels[0], *levels.last().unwrap()), (Selectivity::BOLDEST, Selectivity::NONE));
        assert!(levels.is_sorted_by(|a, b| a < b && a.percent() < b.percent()));
        assert_eq!(Selectivity::NONE.deviations(), None);
        for level in levels {
            assert_eq!(Selectivity::from_index(level.index()), level);
            assert_eq!(Selectivity::of_percent(level.percent()), Some(level));
        }
        assert_eq!(Selectivity::of_percent(50), None);
    }
}
