//! Which bound to ask for next, until enough is known.

use crate::game::DISC;
use crate::othello::Position;
use crate::search::{Contempt, MOST_DISCS, Precision};

/// What is to be known of a value: the value itself, only its sign, or only whether it exceeds a floor.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// The results that are possible, for the side to move at the root, in discs, ascending.
    results: Vec<i32>,
    precision: Precision,
    /// Values up to the floor, in discs, need not be distinguished.
    floor: i32,
}

impl Goal {
    pub fn new(position: &Position, contempt: Contempt, precision: Precision) -> Goal {
        let draw = contempt.draw_for(position.mover());
        let mut results: Vec<i32> = (-64..=64).step_by(2).filter(|&result| result != 0).collect();
        results.push(draw);
        results.sort_unstable();
        results.dedup();
        Goal { results, precision, floor: -MOST_DISCS - 1 }
    }

    /// This goal with values up to `floor` discs not distinguished.
    pub fn above(&self, floor: i32) -> Goal {
        Goal { floor, ..self.clone() }
    }

    /// The class of a result; results of one class need not be distinguished.
    fn class(&self, result: i32) -> i32 {
        match self.precision {
            Precision::Score | Precision::OutcomeFirst => result.max(self.floor),
            Precision::WinLossDraw => result.signum(),
        }
    }

    /// The bound in discs to ask for next (is the result greater?), if the result is from `lower` to `upper` discs and expected to be
    /// `estimate` units of [`DISC`]. `None` if enough is known.
    pub fn next(&self, (lower, upper): (i32, i32), estimate: i32) -> Option<i32> {
        let left: Vec<i32> =
            self.results.iter().copied().filter(|&result| lower <= result && result <= upper).collect();
        let (first, last) = (self.class(*left.first()?), self.class(*left.last()?));
        if first == last {
            return None;
        }
        let higher = left.into_iter().filter(|&result| self.class(result) > first);
        let target = self.class(higher.min_by_key(|&result| (result * DISC - estimate).abs())?);
        self.results.iter().find(|&&result| self.class(result) == target).map(|least| least - 1)
    }

    /// The result, if only one is left between the bounds.
    pub fn result(&self, (lower, upper): (i32, i32)) -> Option<i32> {
        let mut left = self.results.iter().copied().filter(|&result| lower <= result && result <= upper);
        left.next().filter(|_| left.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value is found, from every estimate, and what is asked is always open.
    #[test]
    fn every_result_is_found() {
        for contempt in [0, 7, -100, 100] {
            let goal = Goal::new(&Position::START, Contempt::new(contempt).unwrap(), Precision::Score);
            for &value in &goal.results {
                for estimate in [-64, -3, 0, 5, 64] {
                    let (mut bounds, mut questions) = ((-100, 100), 0);
                    while let Some(alpha) = goal.next(bounds, estimate * DISC) {
                        assert!(bounds.0 <= alpha && alpha < bounds.1, "{alpha} in {bounds:?}");
                        if value > alpha {
                            bounds.0 = alpha + 1
                        } else {
                            bounds.1 = alpha
                        }
                        questions += 1;
                    }
                    assert_eq!(goal.result(bounds), Some(value));
                    assert!(questions <= 4 + (value - estimate).abs() / 2, "{value} from {estimate}: {questions}");
                }
            }
        }
    }

    #[test]
    fn a_right_estimate_takes_two_questions() {
        let goal = Goal::new(&Position::START, Contempt::NONE, Precision::Score);
        assert_eq!(goal.next((-64, 64), 6 * DISC + 10), Some(5));
        assert_eq!(goal.next((6, 64), 6 * DISC + 10), Some(7));
        assert_eq!(goal.next((6, 7), 0), None);
        assert_eq!(goal.result((6, 7)), Some(6));
    }

    #[test]
    fn what_does_not_matter_is_not_asked() {
        let outcome = Goal::new(&Position::START, Contempt::NONE, Precision::WinLossDraw);
        assert_eq!(outcome.next((-64, 64), 20 * DISC), Some(1));
        assert_eq!(outcome.next((-64, 1), 0), Some(-1));
        assert_eq!(outcome.next((2, 64), 0), None);
        let above = Goal::new(&Position::START, Contempt::NONE, Precision::Score).above(9);
        assert_eq!(above.next((-64, 9), 0), None);
        assert_eq!(above.next((-64, 64), -20 * DISC), Some(9));
    }
}
