//! The tempo of the first plies.
//!
//! There are few positions in the first plies, so those of one ply may all be valued too high, or too low. Leaves with 48 to 59 empty squares
//! therefore have a tempo for each number of empty squares: what searches that end there lack, in the mean, beside searches of the same
//! positions that end with at most 47.

use super::probcut::play;
use super::searcher::Searcher;
use crate::eval::{ErrorModel, Evaluator, FIRST_PLIES, MOST_EMPTIES_OF_LEAVES};
use crate::game::DISC;
use crate::othello::{Empties, Position, canonical};
use crate::random::Random;
use crate::search::{Depth, Selectivity};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where the numbers of these games begin; below are those of the games that the rest of the model is fitted to.
const FIRST_GAME: u64 = 1 << 32;
/// The most plies of a game that are random; after them the moves are good.
const MOST_RANDOM: usize = 12;
/// The truth is the mean of two searches: one of at least this number of plies, and one a ply deeper.
const TRUSTED: u8 = 9;

/// The tempo in discs of leaves with 48 to 59 empty squares, from this number of positions at the beginnings of games. What `model` says of
/// fewer empty squares is taken for right; `evaluator` has the model before it.
///
/// `None` if some number of empty squares has no leaf.
pub(super) fn fit_first_plies(
    positions: u32,
    seed: u64,
    evaluator: &Arc<dyn Evaluator<Position>>,
    model: &ErrorModel,
    progress: &(dyn Fn() + Sync),
) -> Option<[f64; FIRST_PLIES]> {
    let sampled: Vec<Position> = (0..positions)
        .into_par_iter()
        .filter_map(|number| {
            let position = sample(seed, number, evaluator);
            if position.is_none() {
                progress();
            }
            position
        })
        .collect();
    let mut counts = BTreeMap::new();
    for position in sampled {
        let (position, _) = canonical(&position);
        counts.entry(position.boards()).or_insert((position, 0)).1 += 1;
    }
    let counts: Vec<(Position, u32)> = counts.into_values().collect();
    let measured: Vec<(Vec<(usize, f64)>, u32)> = counts
        .into_par_iter()
        .map(|(position, count)| {
            let tempi = tempi(position, evaluator, model);
            (0..count).for_each(|_| progress());
            (tempi, count)
        })
        .collect();
    let mut sums = [(0.0, 0); FIRST_PLIES];
    for (tempi, count) in measured {
        for (place, tempo) in tempi {
            sums[place].0 += f64::from(count) * tempo;
            sums[place].1 += count;
        }
    }
    sums.iter().all(|(_, count)| *count > 0).then(|| sums.map(|(sum, count)| sum / f64::from(count)))
}

/// A position of the first plies, after a beginning of random moves that is longer or shorter.
fn sample(seed: u64, number: u32, evaluator: &Arc<dyn Evaluator<Position>>) -> Option<Position> {
    let mut random = Random::of_pair(seed, FIRST_GAME + u64::from(number));
    let wanted = MOST_EMPTIES_OF_LEAVES + 2 + random.below(FIRST_PLIES) as u8;
    let opening = 60 - random.below(MOST_RANDOM + 1) as u8;
    play(&mut random, evaluator, wanted, |empties| empties > opening)
}

/// The tempo in discs that each shallow search of a position asks for, with its place among the first plies.
fn tempi(position: Position, evaluator: &Arc<dyn Evaluator<Position>>, model: &ErrorModel) -> Vec<(usize, f64)> {
    let empties = position.empty_count();
    let mut search = Searcher::new(8 << 20, Selectivity::NONE, evaluator.clone());
    let beyond = empties.count() - MOST_EMPTIES_OF_LEAVES;
    let trusted = TRUSTED.max(beyond);
    // What a value would be with this tempo of its leaves.
    let mut value = |depth: u8, tempo: &dyn Fn(Empties) -> i32| {
        let leaf = empties.after(depth);
        let missing = tempo(leaf) - evaluator.error_model().map_or(0, |old| old.tempo(leaf));
        search.think(position, Depth::new(depth)).lines[0].score.discs()
            + mover(depth) * f64::from(missing) / f64::from(DISC)
    };
    // From shallow to deep: a search that finds deeper values in the table takes them.
    let without: Vec<f64> = (1..beyond).map(|depth| value(depth, &|_| 0)).collect();
    let truth = (trusted..=trusted + 1).map(|depth| value(depth, &|leaf| model.tempo(leaf))).sum::<f64>() / 2.0;
    let tempo = |(depth, without): (u8, f64)| {
        let place = empties.after(depth).count() - MOST_EMPTIES_OF_LEAVES - 1;
        (usize::from(place), mover(depth) * (truth - without))
    };
    (1..beyond).zip(without).map(tempo).collect()
}

/// 1 if the side to move at the leaves of a search is that at its root, else −1.
fn mover(depth: u8) -> f64 {
    if depth.is_multiple_of(2) { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A draw with up to 47 empty squares; before, a value by their number alone.
    struct Early {
        model: Option<ErrorModel>,
    }

    fn value(empties: u8) -> i32 {
        if empties > MOST_EMPTIES_OF_LEAVES { i32::from(empties) * DISC / 16 - 3 * DISC } else { 0 }
    }

    impl Evaluator<Position> for Early {
        fn evaluate(&self, position: &Position) -> i32 {
            value(position.empty_count().count())
        }

        fn error_model(&self) -> Option<&ErrorModel> {
            self.model.as_ref()
        }
    }

    #[test]
    fn what_all_leaves_of_a_ply_err_is_found() {
        // A tempo of one disc, up or down by parity, for the leaves that are known.
        let mut coefficients = [0.0; ErrorModel::OF_DEVIATIONS + 6];
        coefficients[ErrorModel::OF_DEVIATIONS + 4] = 1.0;
        let model = ErrorModel::new(&coefficients).unwrap();
        // The model of before changes the values, and not what is found.
        coefficients[ErrorModel::OF_DEVIATIONS] = -0.75;
        let before = ErrorModel::new(&coefficients).unwrap().with_first_plies(&[0.5; FIRST_PLIES]).unwrap();
        for before in [None, Some(before)] {
            let evaluator: Arc<dyn Evaluator<Position>> = Arc::new(Early { model: before });
            let found = fit_first_plies(120, 1, &evaluator, &model, &|| ()).unwrap();
            for (empties, found) in (MOST_EMPTIES_OF_LEAVES + 1..).zip(found) {
                let expected = mover(empties) - f64::from(value(empties)) / f64::from(DISC);
                // A pass in a line of a deep search changes the parity of its leaf.
                assert!((found - expected).abs() < 0.1, "{empties}: {found:.2} for {expected:.2}");
            }
            assert_eq!(fit_first_plies(3, 1, &evaluator, &model, &|| ()), None, "too few");
        }
    }
}
