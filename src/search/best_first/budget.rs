//! When a best-first search has used up its budget, and when a report is due.

use super::rules::Work;
use crate::search::Control;
use std::time::Duration;

/// Static evaluations that the alpha-beta engine spends on a move at depths 1 to 13 with an empty table, on average over
/// positions with 34 to 52 empty squares: the measure of `set depth D` for the searches as they were published. Measured with the
/// `mobility` evaluator and at full width, see `docs/lab-notebook.md`.
const MEAN_EVALUATIONS: [u64; 13] =
    [10, 61, 271, 903, 3_048, 8_625, 26_449, 72_236, 208_190, 563_476, 1_540_334, 4_288_718, 13_755_563];

/// The factor from one depth to the next beyond the measured ones.
const GROWTH: f64 = 2.8;

/// Static evaluations that the alpha-beta engine spends on a move at depths 1 to 18, on average, as the engine is: with the
/// `pattern` evaluation and cuts at 73 %.
const MEAN_SELECTIVE_EVALUATIONS: [u64; 18] = [
    11, 65, 443, 933, 1_961, 3_790, 6_881, 12_051, 19_866, 32_718, 52_981, 88_623, 137_966, 220_717, 350_482, 560_031,
    808_517, 1_192_044,
];
const SELECTIVE_GROWTH: f64 = 1.5;

/// Static evaluations that alpha-beta spends on average to search a position to `depth` plies at full width.
///
/// Measured up to 13 plies, growing geometrically beyond.
pub fn mean_alpha_beta_evaluations(depth: u8) -> u64 {
    by_depth(&MEAN_EVALUATIONS, GROWTH, depth)
}

/// Static evaluations that selective alpha-beta, with cuts by shallower searches, spends on average to search a position to `depth`
/// plies: the budget that a depth stands for in the searches that are compared with it.
///
/// Measured up to 18 plies, growing geometrically beyond.
pub(super) fn mean_selective_evaluations(depth: u8) -> u64 {
    by_depth(&MEAN_SELECTIVE_EVALUATIONS, SELECTIVE_GROWTH, depth)
}

/// The greatest depth to which selective alpha-beta searches with as many static evaluations on average, at most 60: what a search that has
/// no depth says of its effort.
pub(super) fn depth_worth(evaluations: u64) -> u8 {
    (1..60).take_while(|&depth| mean_selective_evaluations(depth + 1) <= evaluations).count() as u8 + 1
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
/// The shortest time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// The longest time between two reports, as far as the evaluations show it.
const LONGEST_SILENCE: Duration = Duration::from_secs(2);
/// Evaluations before the first report; each further report comes after twice as many.
const FIRST_REPORT: u64 = 64;

/// The budget of a running best-first search: its limits, and the times of its reports.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    control: &'a Control,
    nodes: u64,
    evaluations: u64,
    is_over: bool,
    questions: u32,
    next_clock: u64,
    next_report: u64,
    next_question: u64,
    last_report: Option<Duration>,
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
            questions: 0,
            next_clock: 0,
            next_report: FIRST_REPORT,
            next_question: FIRST_REPORT,
            last_report: None,
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
        self.questions += 1;
        if self.questions < CLOCK_EVERY && work.nodes < self.next_clock {
            return false;
        }
        self.questions = 0;
        self.next_clock = work.nodes + CLOCK_EVERY_NODES;
        self.is_over = self.control.must_stop(work.nodes, work.evaluations) || self.control.is_past_soft_time();
        self.is_over
    }

    /// Whether it is time for a report: the evaluations have doubled since the last one, or it is long ago; but no more
    /// than ten a second.
    pub fn is_report_due(&mut self, work: &Work) -> bool {
        if work.evaluations < self.next_question {
            return false;
        }
        let now = self.control.elapsed();
        let silence = self.last_report.map_or(Duration::MAX, |last| now.saturating_sub(last));
        let doubled = work.evaluations >= self.next_report && silence >= REPORT_INTERVAL;
        if doubled || silence >= LONGEST_SILENCE {
            self.last_report = Some(now);
            self.next_report = 2 * work.evaluations;
            self.next_question = work.evaluations;
            return true;
        }
        // The clock is not asked again at every expansion.
        self.next_question = work.evaluations + (work.evaluations / 64).clamp(1, 50_000);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Depth, Limits};

    #[test]
    fn the_depth_table_grows_and_goes_on() {
        let of = mean_alpha_beta_evaluations;
        assert!((1..25).all(|depth| of(depth) < of(depth + 1)));
        assert_eq!(of(60), u64::MAX);
        assert_eq!(of(0), of(1));
        assert!((1..60).all(|depth| mean_selective_evaluations(depth) < mean_selective_evaluations(depth + 1)));
        assert_eq!([12, 19].map(mean_selective_evaluations), [88_623, 1_788_066]);
    }

    #[test]
    fn reports_come_when_the_evaluations_have_doubled() {
        let control = Control::with_limits(Limits::default());
        let mut budget = Budget::new(&control);
        let mut due = |evaluations| budget.is_report_due(&Work { evaluations, ..Work::default() });
        assert!(!due(FIRST_REPORT - 1));
        assert!(due(FIRST_REPORT));
        std::thread::sleep(REPORT_INTERVAL);
        assert!(!due(2 * FIRST_REPORT - 1));
        assert!(due(2 * FIRST_REPORT + 1));
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
        let control = Control::with_limits(Limits { hard_time: Some(Duration::ZERO), ..Limits::default() });
        let mut budget = Budget::new(&control);
        while !budget.is_spent(&work) {}
        assert!(budget.is_spent(&work));
        assert!(spent(Limits { nodes: Some(100), ..Limits::default() }, work));
        assert!(spent(Limits { evaluations: Some(90), ..Limits::default() }, work));
        assert!(spent(Limits { depth: Depth::new(1), ..Limits::default() }, work));
        assert!(spent(Limits { soft_time: Some(Duration::ZERO), ..Limits::default() }, work));
        assert!(spent(Limits { hard_time: Some(Duration::ZERO), ..Limits::default() }, work));
    }
}
