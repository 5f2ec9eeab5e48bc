//! When a search looks up from its work: to report, and to see whether it may end before its limits.

use super::Work;
use crate::search::Control;
use std::time::Duration;

/// The shortest time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// The longest time between two reports, as far as the evaluations show it.
const LONGEST_SILENCE: Duration = Duration::from_secs(2);
/// Evaluations before the first report; each further report comes after twice as many.
const FIRST_REPORT: u64 = 64;
/// Evaluations before which no search is sure of its move, or of its loss.
const FIRST_EARLY_END: u64 = 1_000;

/// The times at which a running search reports, and asks whether it may end. All are asked at every expansion, and look at the clock now and
/// then only.
#[derive(Debug)]
pub(crate) struct Schedule<'a> {
    control: &'a Control,
    next_report: u64,
    next_look_for_report: u64,
    next_look_for_early_end: u64,
    next_look_at_use: u64,
    last_report: Option<Duration>,
}

impl<'a> Schedule<'a> {
    pub fn new(control: &'a Control) -> Schedule<'a> {
        let may_end_early = control.limits().time.and_then(|time| time.early);
        Schedule {
            control,
            next_report: FIRST_REPORT,
            next_look_for_report: FIRST_REPORT,
            next_look_for_early_end: may_end_early.map_or(u64::MAX, |_| FIRST_EARLY_END),
            next_look_at_use: FIRST_EARLY_END,
            last_report: None,
        }
    }

    /// Whether it is time for a report: the evaluations have doubled since the last one, or it is long ago; but no more
    /// than ten a second.
    pub fn is_report_due(&mut self, work: &Work) -> bool {
        if work.evaluations < self.next_look_for_report {
            return false;
        }
        let now = self.control.elapsed();
        let silence = self.last_report.map_or(Duration::MAX, |last| now.saturating_sub(last));
        let doubled = work.evaluations >= self.next_report && silence >= REPORT_INTERVAL;
        if doubled || silence >= LONGEST_SILENCE {
            self.last_report = Some(now);
            self.next_report = 2 * work.evaluations;
            self.next_look_for_report = work.evaluations;
            return true;
        }
        self.next_look_for_report = next_look(work);
        false
    }

    /// Whether the search may end if it is sure of its move.
    pub fn may_end_early(&mut self, work: &Work) -> bool {
        if work.evaluations < self.next_look_for_early_end {
            return false;
        }
        self.next_look_for_early_end = next_look(work);
        self.control.is_past_early_time()
    }

    /// Whether this part of any of the limits is used up; a search that prepares for another counts by the other's limits.
    pub fn has_used(&mut self, part: f64, work: &Work) -> bool {
        if work.evaluations < self.next_look_at_use {
            return false;
        }
        self.next_look_at_use = next_look(work);
        let limits = self.control.plan();
        let share = |used: u64, limit: Option<u64>| limit.map_or(0.0, |limit| used as f64 / limit as f64);
        let of_time = limits.time.map_or(0.0, |time| self.control.elapsed().as_secs_f64() / time.soft.as_secs_f64());
        share(work.nodes, limits.nodes).max(share(work.evaluations, limits.evaluations)).max(of_time) >= part
    }
}

/// The evaluations after which the clock is asked again: not at every expansion.
fn next_look(work: &Work) -> u64 {
    work.evaluations + (work.evaluations / 64).clamp(1, 50_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::for_soft_time;
    use crate::search::{Limits, TimeBudget};

    #[test]
    fn reports_come_when_the_evaluations_have_doubled() {
        let control = Control::with_limits(Limits::default());
        let mut schedule = Schedule::new(&control);
        let mut due = |evaluations| schedule.is_report_due(&Work { evaluations, ..Work::default() });
        assert!(!due(FIRST_REPORT - 1));
        assert!(due(FIRST_REPORT));
        std::thread::sleep(REPORT_INTERVAL);
        assert!(!due(2 * FIRST_REPORT - 1));
        assert!(due(2 * FIRST_REPORT + 1));
    }

    #[test]
    fn a_search_may_end_early_where_time_is_kept_and_not_at_once() {
        let may_end = |early, evaluations| {
            let time = Some(TimeBudget { early, ..TimeBudget::all_of(Duration::from_secs(1000)) });
            let control = Control::with_limits(Limits { time, ..Limits::default() });
            Schedule::new(&control).may_end_early(&Work { evaluations, ..Work::default() })
        };
        assert!(may_end(Some(Duration::ZERO), FIRST_EARLY_END));
        assert!(!may_end(Some(Duration::ZERO), FIRST_EARLY_END - 1));
        assert!(!may_end(Some(Duration::from_secs(1000)), FIRST_EARLY_END));
        assert!(!may_end(None, 1_000_000));
    }

    #[test]
    fn an_eighth_of_any_limit_is_used_from_there_on() {
        let has_used = |control: &Control, evaluations| {
            Schedule::new(control).has_used(0.125, &Work { nodes: 2 * evaluations, evaluations, ..Work::default() })
        };
        for (limits, first) in [
            (Limits { nodes: Some(32_000), ..Limits::default() }, 2_000),
            (Limits { evaluations: Some(32_000), ..Limits::default() }, 4_000),
            (for_soft_time(Duration::ZERO), FIRST_EARLY_END),
        ] {
            let control = Control::with_limits(limits);
            let preparing = Control::with_limits(Limits::default()).preparing_for(limits);
            for control in [control, preparing] {
                assert!(has_used(&control, first) && !has_used(&control, first - 1), "{limits:?}");
            }
        }
        for limits in [Limits::default(), for_soft_time(Duration::from_secs(1_000))] {
            assert!(!has_used(&Control::with_limits(limits), 1_000_000), "{limits:?}");
        }
    }
}
