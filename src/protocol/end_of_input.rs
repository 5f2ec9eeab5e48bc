//! When a search ends whose client can say nothing more, not even that it is to stop.

use crate::engine::{EngineOptions, Goal, Request};
use crossbeam::channel::{Receiver, after, never};
use std::time::{Duration, Instant};

/// How long a search that only its depth bounds may go on: a depth may be out of reach.
const MOST_TO_DEPTH: Duration = Duration::from_secs(60);

/// The time that a search has from the end of the input on; `None` for as long as its limits say.
///
/// What a time or a number of positions bounds is finished, since its answer was asked for. What the client was to end is ended at once.
fn time_left(request: &Request, options: &EngineOptions) -> Option<Duration> {
    let Request { limits, goal, is_endless, .. } = request;
    let is_bounded = limits.time.is_some() || options.time.is_some() || limits.nodes.or(options.nodes).is_some();
    let is_left_to_client = *is_endless || matches!(goal, Goal::Hint { .. });
    match limits.depth.or(options.depth) {
        _ if is_bounded => None,
        Some(_) => Some(MOST_TO_DEPTH),
        None => is_left_to_client.then_some(Duration::ZERO),
    }
}

/// The moment at which a search is to be stopped because the input has ended.
#[derive(Debug)]
pub(super) struct Deadline {
    time: Option<Duration>,
    due: Receiver<Instant>,
}

impl Deadline {
    /// The deadline of a search that begins now.
    pub fn new(request: &Request, options: &EngineOptions, input_has_ended: bool) -> Deadline {
        let mut deadline = Deadline { time: time_left(request, options), due: never() };
        if input_has_ended {
            deadline.begin();
        }
        deadline
    }

    /// The input ends now.
    pub fn begin(&mut self) {
        self.due = self.time.map_or_else(never, after);
    }

    /// Receives when the search is to be stopped.
    pub fn due(&self) -> &Receiver<Instant> {
        &self.due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use crate::search::{Depth, Limits, TimeBudget};

    #[test]
    fn what_has_an_end_is_finished_and_what_the_client_was_to_end_is_not() {
        let (hint, best) = (Request::hint(Position::START, 1), Request::best_move(Position::START));
        let endless = Request { is_endless: true, ..best.clone() };
        let (second, depth) = (Some(Duration::from_secs(1)), Depth::new(60));
        let with = |limits: Limits| [&hint, &best, &endless].map(|request| Request { limits, ..request.clone() });
        let by_request = |limits| with(limits).map(|request| time_left(&request, &EngineOptions::default()));
        let by_option = |options: EngineOptions| [&hint, &best, &endless].map(|request| time_left(request, &options));
        let (default, options) = (Limits::default(), EngineOptions::default);
        // A move without any limit has the default time.
        assert_eq!(by_request(default), [Some(Duration::ZERO), None, Some(Duration::ZERO)]);
        assert_eq!(by_request(Limits { depth, ..default }), [Some(MOST_TO_DEPTH); 3]);
        assert_eq!(by_option(EngineOptions { depth, ..options() }), [Some(MOST_TO_DEPTH); 3]);
        for limits in
            [Limits { time: second.map(TimeBudget::all_of), ..default }, Limits { nodes: Some(1), depth, ..default }]
        {
            assert_eq!(by_request(limits), [None; 3], "{limits:?}");
        }
        for options in
            [EngineOptions { time: second, depth, ..options() }, EngineOptions { nodes: Some(1), ..options() }]
        {
            assert_eq!(by_option(options), [None; 3]);
        }
    }

    #[test]
    fn a_deadline_begins_with_the_end_of_the_input() {
        let hint = Request::hint(Position::START, 1);
        let mut deadline = Deadline::new(&hint, &EngineOptions::default(), false);
        assert!(deadline.due().try_recv().is_err());
        deadline.begin();
        assert!(deadline.due().recv().is_ok());
        assert!(Deadline::new(&hint, &EngineOptions::default(), true).due().recv().is_ok());
    }
}
