//! A random value for every position: the evaluator that knows nothing.

use super::Evaluator;
use crate::game::DISC;
use crate::othello::Position;
use crate::random::mix;

/// A value drawn for the position and the seed: a function, so that searches that meet a position twice agree.
///
/// Uniform over whole units from −8 to 8 discs, so that a search prefers most true results to it. What one side sees
/// is exactly what the other does not: the draw is made for the two sets of discs, and its sign by who is to move. The
/// images of a position under a symmetry of the board have values of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Random {
    seed: u64,
}

/// The largest absolute value, in units of [`DISC`].
const RANGE: i32 = 8 * DISC;

impl Random {
    /// The values of this seed.
    pub fn new(seed: u64) -> Random {
        Random { seed }
    }
}

impl Evaluator<Position> for Random {
    #[inline]
    fn evaluate(&self, position: &Position) -> i32 {
        let (player, opponent) = (position.player().0, position.opponent().0);
        // One disc set at least is not empty, so the two differ.
        let (low, high) = (player.min(opponent), player.max(opponent));
        let drawn = mix(low ^ mix(high ^ mix(self.seed)));
        let value = (drawn % (2 * RANGE as u64 + 1)) as i32 - RANGE;
        if player == low { value } else { -value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_position;

    #[test]
    fn the_seed_decides() {
        let values = |seed| (0..8).map(|n| Random::new(seed).evaluate(&random_position(n, 30))).collect::<Vec<_>>();
        assert_eq!(values(1), values(1));
        assert_ne!(values(1), values(2));
    }

    #[test]
    fn every_disc_is_as_likely() {
        // A count out of 16,000 with probability 1/16 has a standard deviation of 30.6.
        let mut counts = [0u32; 16];
        for seed in 0..16_000 {
            let value = Random::new(seed).evaluate(&Position::START);
            assert!(value.abs() <= RANGE);
            counts[((value + RANGE) / DISC).min(15) as usize] += 1;
        }
        assert!(counts.iter().all(|&n| n.abs_diff(1_000) < 155), "{counts:?}");
    }
}
