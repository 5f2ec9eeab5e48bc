//! The parameters of a factorization machine while they are learned, and the columns of a position that point at them.

use super::settings::FactorizationSettings;
use crate::eval::AnyWeights;
use crate::eval::factorization::{DISC_COUNTS, MOST_KNOTS, RANK};
use crate::eval::pattern::{
    ALL_INSTANCES, FAMILIES, INSTANCES, PackedWeights, Sharing, State, mobility_pair, phase_of,
};
use crate::othello::Position;
use crate::random::Random;
use crate::training::dataset::Point;
use crate::training::settings_error::SettingsError;
use nalgebra::DMatrix;
use std::ops::Range;

/// Numbers of a line of cache.
const LINE: usize = 16;

/// Places for the factors of a row: whole lines of cache.
pub(super) const WIDTH: usize = RANK.next_multiple_of(LINE);

/// Rows of a position: those of the instances, of its mobilities and of its number of discs.
pub(super) const COLUMNS: usize = INSTANCES + 2;

/// Groups of rows that no column shares with another group: the families, the mobilities, the numbers of discs.
pub(super) const GROUPS: usize = FAMILIES.len() + 2;

/// Where rows stand: the packed numbers of [`Sharing`], with a row for every number of discs in place of the constant.
pub(super) struct Layout {
    sharing: &'static Sharing,
    /// The rows of every group.
    pub(super) rows: [Range<usize>; GROUPS],
    /// The columns of every group.
    pub(super) columns: [Range<usize>; GROUPS],
}

impl Layout {
    pub(super) fn new() -> Layout {
        let sharing = Sharing::get();
        let columns_of = |f: usize| {
            let of = |i: &usize| ALL_INSTANCES[*i].family == f;
            let first = (0..INSTANCES).find(of).expect("a family has an instance");
            first..first + (0..INSTANCES).filter(of).count()
        };
        const MOBILITY: usize = FAMILIES.len();
        let rows = std::array::from_fn(|group| match group {
            ..MOBILITY => sharing.range(group),
            MOBILITY => sharing.mobility(),
            _ => sharing.constant()..sharing.constant() + DISC_COUNTS,
        });
        let columns = std::array::from_fn(|group| match group {
            ..MOBILITY => columns_of(group),
            _ => INSTANCES + group - MOBILITY..INSTANCES + group - MOBILITY + 1,
        });
        Layout { sharing, rows, columns }
    }

    /// The number of all rows.
    pub(super) fn len(&self) -> usize {
        self.rows[GROUPS - 1].end
    }

    /// The rows of a position.
    pub(super) fn columns_of(&self, position: &Position) -> [u32; COLUMNS] {
        let mut columns = [0; COLUMNS];
        let state = State::of(position);
        columns.iter_mut().zip(state.numbers()).for_each(|(column, number)| *column = number);
        columns[INSTANCES] = (self.sharing.mobility().start + mobility_pair(position)) as u32;
        columns[INSTANCES + 1] = (self.sharing.constant() + usize::from(position.empty_count().placed())) as u32;
        columns
    }
}

/// Where a number of discs lies among the knots: the knot before it, and how far it is on the way to the next one, 0 to 1.
pub(super) fn knot_of(discs: u32, knots: usize) -> (usize, f32) {
    let place = discs.clamp(4, 64) as f32 - 4.0;
    let place = place * (knots - 1) as f32 / 60.0;
    let knot = (place as usize).min(knots - 2);
    (knot, place - knot as f32)
}

/// Some numbers of a row, in whole lines of cache.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(64))]
pub(super) struct Numbers<const N: usize>(pub(super) [f32; N]);

/// One number for each factor of a row.
pub(super) type Factors = Numbers<WIDTH>;

/// One number for each knot of a row.
pub(super) type Linear = Numbers<MOST_KNOTS>;

impl<const N: usize> Default for Numbers<N> {
    fn default() -> Numbers<N> {
        Numbers([0.0; N])
    }
}

/// What is learned, row by row.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Parameters {
    pub(super) factors: Vec<Factors>,
    /// The linear weights at the knots, in discs.
    pub(super) linear: Vec<Linear>,
}

impl Parameters {
    /// No factors and no linear weights.
    pub(super) fn nothing(rows: usize) -> Parameters {
        Parameters { factors: vec![Factors::default(); rows], linear: vec![Linear::default(); rows] }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.factors.len()
    }

    /// The factors to begin with, small random ones in place of those that are 0 for the rows that are used often enough, and no linear
    /// weights.
    pub(super) fn new(settings: &FactorizationSettings, start: &[Factors], uses: &[f32]) -> Parameters {
        let mut random = Random::of_pair(settings.seed, 1);
        let mut line = |start: Factors, uses: f32| {
            let mut line = Factors::default();
            let mut next = || {
                // The sum of four uniform numbers is near enough to a normal one of deviation 1/√3.
                let sum: f64 = (0..4).map(|_| random.fraction() - 0.5).sum();
                (sum * 3f64.sqrt()) as f32 * settings.spread as f32
            };
            line.0[..settings.rank].fill_with(&mut next);
            if settings.learns(uses) {
                let none = line.0.iter_mut().zip(start.0).filter(|(_, start)| *start != 0.0);
                none.for_each(|(number, start)| *number = start);
                line
            } else {
                start
            }
        };
        let factors = start.iter().zip(uses).map(|(&start, &uses)| line(start, uses)).collect();
        Parameters { factors, ..Parameters::nothing(uses.len()) }
    }
}

/// What a fit begins with.
pub(super) struct Beginning {
    /// The linear weights at the knots, in discs.
    pub(super) lines: Vec<Linear>,
    pub(super) factors: Vec<Factors>,
}

impl Beginning {
    /// From weights of either form.
    ///
    /// # Errors
    /// If weights with factors have other knots than the settings, or the settings have fewer factors.
    pub(super) fn new(
        weights: Option<&AnyWeights>,
        settings: &FactorizationSettings,
    ) -> Result<Beginning, SettingsError> {
        settings.validate_start(weights)?;
        let length = Sharing::get().constant() + DISC_COUNTS;
        let no_factors = vec![Factors::default(); length];
        let weights = match weights {
            None => return Ok(Beginning { lines: vec![Linear::default(); length], factors: no_factors }),
            Some(AnyWeights::Linear(weights)) => {
                return Ok(Beginning { lines: knots_of_phases(weights, settings.knots), factors: no_factors });
            }
            Some(AnyWeights::Factors(weights)) => weights,
        };
        let in_discs = f32::from(weights.units_per_disc());
        let line = |row: usize| {
            let mut line = Linear::default();
            let knots = line.0.iter_mut().zip(0..weights.knots());
            knots.for_each(|(number, knot)| *number = f32::from(weights.linear(knot)[row]) / in_discs);
            line
        };
        let unit = f32::from(weights.factor_units());
        let factors = |row: usize| {
            let mut factors = Factors::default();
            let numbers = factors.0.iter_mut().zip(0..RANK);
            numbers.for_each(|(number, k)| *number = f32::from(weights.factor(k)[row]) / unit);
            factors
        };
        Ok(Beginning { lines: (0..length).map(line).collect(), factors: (0..length).map(factors).collect() })
    }
}

/// The weights of the linear form at knots, each the least-squares line through the phases.
fn knots_of_phases(weights: &PackedWeights, knots: usize) -> Vec<Linear> {
    let sharing = Sharing::get();
    // By number of discs, 4 to 63, each between two knots.
    let hats = DMatrix::from_fn(60, knots, |d, k| {
        let (knot, way) = knot_of(d as u32 + 4, knots);
        f64::from(if k == knot {
            1.0 - way
        } else if k == knot + 1 {
            way
        } else {
            0.0
        })
    });
    let normal = (hats.transpose() * &hats).try_inverse().expect("every knot has discs around it");
    let inverse = normal * hats.transpose();
    let units = f64::from(weights.units_per_disc());
    let phases: Vec<&[i16]> = (0..60).map(|d| weights.phase(phase_of(d + 4, weights.phases()))).collect();
    let at_knots = |row: usize| {
        let mut line = Linear::default();
        for (k, weight) in line.0[..knots].iter_mut().enumerate() {
            *weight = (0..60).map(|d| inverse[(k, d)] * f64::from(phases[d][row]) / units).sum::<f64>() as f32;
        }
        line
    };
    let mut lines: Vec<Linear> = (0..sharing.constant()).map(at_knots).collect();
    // The constant has a row for every number of discs, so it needs no line.
    lines.extend((0..DISC_COUNTS).map(|d| {
        let phase = phases[d.min(59)];
        Numbers([(f64::from(phase[sharing.constant()]) / units) as f32; MOST_KNOTS])
    }));
    lines
}

/// A position to learn from: what its linear part has at the start is added up once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example {
    pub(super) point: Point,
    /// What the fixed linear weights say, in discs.
    pub(super) offset: f32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_never_seen_have_no_factors() {
        let settings = FactorizationSettings { least_uses: 0.0, ..FactorizationSettings::default() };
        let start = [Factors::default(), Factors::default(), Numbers([1.0; WIDTH]), Numbers([1.0; WIDTH])];
        let factors = Parameters::new(&settings, &start, &[0.0, 1.0, 0.0, 1.0]).factors;
        assert!(factors[0] == start[0] && factors[1] != start[1] && factors[2..] == start[2..]);
    }
}
