//! What a depth is worth in static evaluations, and when a search has used up its limits.

use super::rules::Work;
use crate::search::Control;

/// Static evaluations that the alpha-beta engine spends on a move at depths 1 to 13 with an empty table, on average over
/// positions with 34 to 52 empty squares: the measure of `set depth D` for the searches as they were published. Measured with the
/// `mobility` evaluator and at full width, see `docs/lab-notebook.md`.
const MEAN_EVALUATIONS: [u64; 13] =
    [10, 61, 271, 903, 3_048, 8_625, 26_449, 72_236, 208_190, 563_476, 1_540_334, 4_288_718, 13_755_563];

/// The factor from one depth to the next beyond the measured ones.
const GROWTH: f64 = 2.8;

/// Static evaluations that a tree makes in about three quarters of the time that alpha-beta without singular extensions takes on average at
/// depths 1 to 22, measured at even depths from 8 on. At depth 2 it makes about as many as alpha-beta visits positions, because a smaller tree
/// is weaker. See `docs/lab-notebook.md`, "What the move's value costs, and what was tried for more discs".
const MEAN_TREE_EVALUATIONS: [u64; 22] = [
    4, 60, 150, 350, 720, 1_300, 2_050, 3_100, 4_750, 7_300, 11_400, 17_800, 27_500, 42_000, 61_000, 88_000, 124_000,
    172_000, 245_000, 345_000, 480_000, 670_000,
];
/// The factor from one depth to the next beyond the measured ones.
const TREE_GROWTH: f64 = 1.4;

/// Static evaluations that alpha-beta spends on average to search a position to `depth` plies at full width.
///
/// Measured up to 13 plies, growing geometrically beyond.
pub fn mean_alpha_beta_evaluations(depth: u8) -> u64 {
    by_depth(&MEAN_EVALUATIONS, GROWTH, depth)
}

/// The most static evaluations of a tree for a depth ([`MEAN_TREE_EVALUATIONS`]). The rest of the time is for the value of the move.
///
/// By measurements up to 22 plies, growing geometrically beyond.
pub(super) fn evaluations_in_tree(depth: u8) -> u64 {
    by_depth(&MEAN_TREE_EVALUATIONS, TREE_GROWTH, depth)
}

/// The greatest depth for which a tree makes no more static evaluations than a number, at most 60: what a search that has no depth says of its
/// effort.
pub(super) fn depth_worth(evaluations: u64) -> u8 {
    (1..60).take_while(|&depth| evaluations_in_tree(depth + 1) <= evaluations).count() as u8 + 1
}

fn by_depth(measured: &[u64], growth: f64, depth: u8) -> u64 {
    let last = measured.len();
    let evaluations = measured[usize::from(depth.max(1)).min(last) - 1];
    (evaluations as f64 * growth.powi(usize::from(depth).saturating_sub(last) as i32)) as u64
}

/// Calls of [`Budget::is_spent`] for each look at the clock and the stop signal.
const CLOCK_EVERY: u32 = 16;
/// Positions after which the clock and the stop signal are looked at, however few the calls: some ten microseconds. A look at the clock
/// takes a fraction of one.
const CLOCK_EVERY_NODES: u64 = 256;

/// The limits of a running best-first search.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    control: &'a Control,
    nodes: u64,
    evaluations: u64,
    is_over: bool,
    calls: u32,
    next_clock: u64,
}

impl<'a> Budget<'a> {
    pub fn new(control: &'a Control) -> Budget<'a> {
        let limits = control.limits();
        let by_depth = limits.depth.map_or(u64::MAX, |depth| mean_alpha_beta_evaluations(depth.plies()));
        Budget {
            control,
            nodes: limits.nodes.unwrap_or(u64::MAX),
            evaluations: limits.evaluations.unwrap_or(u64::MAX).min(by_depth),
            is_over: false,
            calls: 0,
            next_clock: 0,
        }
    }

    /// The number of static evaluations that may be made, if they are limited.
    pub fn evaluations(&self) -> Option<u64> {
        (self.evaluations < u64::MAX).then_some(self.evaluations)
    }

    /// Whether the search must end now; once it must, that stays so. Cheap enough to ask at every expansion.
    pub fn is_spent(&mut self, work: &Work) -> bool {
        if self.is_over || work.evaluations >= self.evaluations || work.nodes >= self.nodes {
            return true;
        }
        self.calls += 1;
        if self.calls < CLOCK_EVERY && work.nodes < self.next_clock {
            return false;
        }
        self.calls = 0;
        self.next_clock = work.nodes + CLOCK_EVERY_NODES;
        self.is_over = self.control.must_stop(work.nodes, work.evaluations) || self.control.is_past_soft_time();
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::{for_soft_time, for_time};
    use crate::search::{Depth, Limits, StopSignal};
    use std::time::Duration;
    use web_time::Instant;

    #[test]
    fn the_depth_table_grows_and_goes_on() {
        let of = mean_alpha_beta_evaluations;
        assert!((1..25).all(|depth| of(depth) < of(depth + 1)));
        assert_eq!(of(60), u64::MAX);
        assert_eq!(of(0), of(1));
        assert!((1..60).all(|depth| evaluations_in_tree(depth) < evaluations_in_tree(depth + 1)));
        assert_eq!([12, 22, 23].map(evaluations_in_tree), [17_800, 670_000, 937_999]);
        for depth in [1, 16, 30, 60] {
            assert_eq!(depth_worth(evaluations_in_tree(depth)), depth);
        }
    }

    #[test]
    fn evaluations_are_limited_by_their_number_or_a_depth() {
        let of = |evaluations, depth| {
            let control = Control::with_limits(Limits { evaluations, depth, ..Limits::default() });
            Budget::new(&control).evaluations()
        };
        assert_eq!(of(None, None), None);
        assert_eq!(of(Some(500), None), Some(500));
        let by_depth = Some(mean_alpha_beta_evaluations(4));
        assert_eq!((of(None, Depth::new(4)), of(Some(u64::MAX), Depth::new(4))), (by_depth, by_depth));
        assert_eq!(of(Some(7), Depth::new(4)), Some(7));
    }

    #[test]
    fn every_bound_ends_the_search() {
        let spent = |limits, work: Work| {
            let control = Control::with_limits(limits);
            let mut budget = Budget::new(&control);
            (0..2 * CLOCK_EVERY).any(|_| budget.is_spent(&work))
        };
        let work = Work { nodes: 100, evaluations: 90, ..Work::default() };
        assert!(!spent(Limits::default(), work));
        // Asked twice in a row, as a search does that unwinds: the answer must not be forgotten in between.
        let control = Control::with_limits(for_time(Duration::ZERO));
        let mut budget = Budget::new(&control);
        while !budget.is_spent(&work) {}
        assert!(budget.is_spent(&work));
        assert!(spent(Limits { nodes: Some(100), ..Limits::default() }, work));
        assert!(spent(Limits { evaluations: Some(90), ..Limits::default() }, work));
        assert!(spent(Limits { depth: Depth::new(1), ..Limits::default() }, work));
        assert!(spent(for_soft_time(Duration::ZERO), work));
        assert!(spent(for_time(Duration::ZERO), work));
    }

    #[test]
    fn a_signal_is_heard_soon_whether_there_are_many_calls_or_many_positions() {
        for (positions, most_calls) in [(0, CLOCK_EVERY), (CLOCK_EVERY_NODES, 1)] {
            let signal = StopSignal::default();
            let control = Control::new(Limits::default(), signal.clone(), Instant::now());
            let mut budget = Budget::new(&control);
            let mut work = Work { nodes: 1_000, ..Work::default() };
            assert!(!budget.is_spent(&work));
            signal.stop();
            let heard = (0..most_calls).any(|_| {
                work.nodes += positions;
                budget.is_spent(&work)
            });
            assert!(heard, "{positions}");
        }
    }
}
