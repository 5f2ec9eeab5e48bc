//! The weights as the search reads them: one entry for every configuration.

use super::file::{PackedWeights, phase_of};
use super::form::{Form, OverPatterns};
use super::geometry::{FAMILIES, INSTANCES, MOBILITIES, Sharing, mobility_pair};
use super::indexes::State;
use super::windows::{LANE_VALUES, PLACES, WINDOWS, expand};
use crate::eval::{STATIC_LIMIT, WithState};
use crate::game::DISC;
use crate::othello::Position;
use std::sync::OnceLock;

/// Tables for every phase. Each is made when a position of it is first asked for, which takes about a millisecond.
pub struct Tables {
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
        for family in 0..FAMILIES.len() {
            expand(&mut entries, family, |number| packed[number] * factor);
        }
        let constant = packed[sharing.constant()] * factor;
        let mobility = &packed[sharing.mobility()];
        let mobility = Box::new(std::array::from_fn(|pair| (mobility[pair] * factor).saturating_add(constant)));
        Phase { entries, mobility }
    }
}

impl Form for Tables {
    type Weights = PackedWeights;

    fn new(weights: PackedWeights) -> Tables {
        Tables {
            phases: (0..weights.phases()).map(|_| OnceLock::new()).collect(),
            of_empties: std::array::from_fn(|empties| phase_of(64 - empties, weights.phases()) as u8),
            weights,
        }
    }

    fn with_state(evaluation: &OverPatterns<Tables>) -> WithState<'_> {
        WithState::PatternLinear(evaluation)
    }

    #[inline]
    fn value(&self, state: &State, position: &Position) -> i32 {
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
