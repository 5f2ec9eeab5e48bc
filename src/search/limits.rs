//! How long a search may go on, and how it is stopped.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use web_time::Instant;

/// How deep a search may go: 1 to 60 plies. A pass is no ply.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "i64", into = "u8")]
pub struct Depth(u8);

/// The number is no depth of a search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no depth; expected a whole number of plies from 1 to 60")]
pub struct DepthError(String);

impl Depth {
    /// One ply.
    pub const LEAST: Depth = Depth(1);
    /// 60 plies: a game has at most 60 moves.
    pub const MOST: Depth = Depth(60);

    /// A depth of `plies` plies; `None` unless that is from 1 to 60.
    pub const fn new(plies: u8) -> Option<Depth> {
        if Depth::LEAST.0 <= plies && plies <= Depth::MOST.0 { Some(Depth(plies)) } else { None }
    }

    /// One ply less, but at least one.
    pub const fn shallower(self) -> Depth {
        Depth(if self.0 > 1 { self.0 - 1 } else { 1 })
    }

    /// The depth in plies.
    pub const fn plies(self) -> u8 {
        self.0
    }
}

impl TryFrom<i64> for Depth {
    type Error = DepthError;

    fn try_from(plies: i64) -> Result<Depth, DepthError> {
        u8::try_from(plies).ok().and_then(Depth::new).ok_or_else(|| DepthError(plies.to_string()))
    }
}

impl From<Depth> for u8 {
    fn from(depth: Depth) -> u8 {
        depth.0
    }
}

impl FromStr for Depth {
    type Err = DepthError;

    fn from_str(text: &str) -> Result<Depth, DepthError> {
        text.parse().ok().and_then(Depth::new).ok_or_else(|| DepthError(text.to_owned()))
    }
}

impl fmt::Display for Depth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Bounds on a search; whichever is reached first ends it. Without any, it goes on until it knows the exact result or
/// is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The deepest iteration, in plies, before the endgame; positions near the end may be solved beyond it. For the
    /// best-first family: about the time that alpha-beta takes on average to that depth, in evaluations; `emilia` also solves what
    /// alpha-beta solves at that depth.
    pub depth: Option<Depth>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Static evaluations made, those for ordering moves too.
    pub evaluations: Option<u64>,
    /// Time from the moment the search was asked for.
    pub time: Option<TimeBudget>,
}

/// The time for one search, counted from the moment it is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// After this a search may end that is all but sure of its move; one that is not sure may go on to twice `soft`. `None` where
    /// unused time is lost. Heeded by `best-first`, by `emilia`, and by `extension` where alpha-beta does not begin.
    pub early: Option<Duration>,
    /// After this no new iteration begins. The best-first family, stored or in linear space, has no iterations: it ends here,
    /// or later by `early`.
    pub soft: Duration,
    /// At this the search stops wherever it is, but for [`Control::with_least_time`].
    pub hard: Duration,
}

impl TimeBudget {
    /// A budget of which all may be used.
    pub fn all_of(time: Duration) -> TimeBudget {
        TimeBudget { early: None, soft: time, hard: time }
    }

    /// The tighter of both. `other` is a time for this move alone: `early` stays only where `other.soft` is not the tighter, and
    /// `other.early` does not count.
    pub fn within(self, other: TimeBudget) -> TimeBudget {
        TimeBudget {
            early: self.early.filter(|_| self.soft <= other.soft),
            soft: self.soft.min(other.soft),
            hard: self.hard.min(other.hard),
        }
    }
}

impl Limits {
    /// How many positions may still be visited and evaluations made after these numbers of both; `u64::MAX` where there is no limit.
    pub(super) fn left(&self, nodes: u64, evaluations: u64) -> (u64, u64) {
        let left = |limit: Option<u64>, used| limit.map_or(u64::MAX, |limit| limit.saturating_sub(used));
        (left(self.nodes, nodes), left(self.evaluations, evaluations))
    }
}

/// The line between a running search and other threads: a flag that stops it, and the count of what it has visited.
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<Signal>);

#[derive(Debug, Default)]
struct Signal {
    stopped: AtomicBool,
    nodes: AtomicU64,
}

impl StopSignal {
    /// Stops the search; it ends within milliseconds.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether [`StopSignal::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// Positions visited when the search last asked [`Control::must_stop`].
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }
}

/// The time that a search has however late it begins: enough to see the end a few squares away.
const LEAST_TIME: Duration = Duration::from_millis(1);

/// The limits of a running search, the moment it was asked for, and its stop signal.
#[derive(Clone, Debug)]
pub struct Control {
    started: Instant,
    /// No limit on the time counts before this, from the moment the search was asked for.
    least: Duration,
    limits: Limits,
    /// The limits of the search that this one prepares for, if it does.
    plan: Option<Limits>,
    signal: StopSignal,
}

impl Control {
    /// A search asked for at `started`: time limits count from there.
    pub fn new(limits: Limits, signal: StopSignal, started: Instant) -> Control {
        Control { started, least: Duration::ZERO, limits, plan: None, signal }
    }

    /// That of a search that begins now, perhaps long after it was asked for: its limits on the time leave it a millisecond at least, its parts
    /// together.
    pub fn with_least_time(self) -> Control {
        Control { least: self.elapsed() + LEAST_TIME, ..self }
    }

    /// A search that begins now and is not stopped from outside.
    pub fn with_limits(limits: Limits) -> Control {
        Control::new(limits, StopSignal::default(), Instant::now())
    }

    /// The control of a part of the search: this one with other limits.
    pub fn with(&self, limits: Limits) -> Control {
        Control { limits, ..self.clone() }
    }

    /// The control of a part of the search that is not stopped from outside.
    pub fn unstoppable(&self, limits: Limits) -> Control {
        Control { signal: StopSignal::default(), ..self.with(limits) }
    }

    /// The control of a search that prepares for one with these limits: it goes about it in the same way, and so finds what will be of use there.
    pub fn preparing_for(self, limits: Limits) -> Control {
        Control { plan: Some(limits), ..self }
    }

    /// Whether the search prepares for another one. Nobody reads what it answers.
    pub fn is_preparing(&self) -> bool {
        self.plan.is_some()
    }

    /// The limits by which a search chooses its ways: its own, or those that it prepares for.
    pub fn plan(&self) -> &Limits {
        self.plan.as_ref().unwrap_or(&self.limits)
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The time since the search was asked for.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether a search that has visited `nodes` and made `evaluations` must stop now. Reads the clock: ask every few
    /// hundred nodes, not at each.
    pub fn must_stop(&self, nodes: u64, evaluations: u64) -> bool {
        self.signal.0.nodes.fetch_max(nodes, Ordering::Relaxed);
        self.signal.is_stopped()
            || self.limits.nodes.is_some_and(|limit| nodes >= limit)
            || self.limits.evaluations.is_some_and(|limit| evaluations >= limit)
            || self.limits.time.is_some_and(|time| self.is_past(time.hard))
    }

    /// Whether the search was stopped from outside.
    pub fn is_stopped(&self) -> bool {
        self.signal.is_stopped()
    }

    /// Whether a search that is all but sure of its move may end.
    pub fn is_past_early_time(&self) -> bool {
        self.limits.time.and_then(|time| time.early).is_some_and(|early| self.is_past(early))
    }

    /// Whether the time to begin something new is over.
    pub fn is_past_soft_time(&self) -> bool {
        self.limits.time.is_some_and(|time| self.is_past(time.soft))
    }

    fn is_past(&self, time: Duration) -> bool {
        self.elapsed() >= time.max(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_begins_late_has_a_millisecond() {
        let late = || {
            let time = Some(TimeBudget::all_of(Duration::from_millis(20)));
            let asked = Instant::now().checked_sub(Duration::from_secs(3)).unwrap();
            Control::new(Limits { time, ..Limits::default() }, StopSignal::default(), asked)
        };
        let is_over = |control: &Control| control.must_stop(0, 0) && control.is_past_soft_time();
        assert!(is_over(&late()));
        // Another program may have the processor for that time.
        assert!((0..100).any(|_| !is_over(&late().with_least_time())));
        let control = late().with_least_time();
        std::thread::sleep(2 * LEAST_TIME);
        assert!(is_over(&control));
    }

    #[test]
    fn depths_are_those_of_a_game() {
        for plies in 1..=60 {
            let depth = Depth::new(plies).unwrap();
            assert_eq!((depth.plies(), plies.to_string().parse()), (plies, Ok(depth)));
        }
        for text in ["0", "61", "256", "-1", "", "deep", "1.5"] {
            assert!(text.parse::<Depth>().unwrap_err().to_string().contains("from 1 to 60"), "{text}");
        }
    }
}
