//! Both sides' time over a game; it goes back where moves are taken back.

use crate::clock::time_control::{SideClock, TimeControl};
use crate::othello::Color;
use crate::search::TimeBudget;
use std::time::Duration;

/// The clocks of a game.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    /// What was agreed; `None` for a game without clocks.
    control: Option<TimeControl>,
    /// What they showed when each position of the game came up, the start first.
    readings: Vec<Reading>,
    /// Who has run out of time, by now.
    loser: Option<Color>,
}

/// What the clocks show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Black's clock, and White's.
    sides: [SideClock; 2],
    /// Who had run out of time.
    loser: Option<Color>,
}

impl Clocks {
    /// The clocks of a game of which this number of turns is there already; they have taken no time.
    pub(super) fn new(control: Option<TimeControl>, turns: usize) -> Clocks {
        let full = Reading { sides: [SideClock::new(control); 2], loser: None };
        Clocks { control, readings: vec![full; turns + 1], loser: None }
    }

    /// What was agreed.
    pub(super) fn control(&self) -> Option<TimeControl> {
        self.control
    }

    fn now(&self) -> Reading {
        // There is always the start.
        self.readings[self.readings.len() - 1]
    }

    /// Who has run out of time. The clocks stand still then.
    pub(super) fn loser(&self) -> Option<Color> {
        self.loser
    }

    /// A side's time for its next move; `None` if no clock runs.
    pub(super) fn left(&self, color: Color) -> Option<Duration> {
        if self.loser.is_some() { None } else { self.now().sides[color as usize].left() }
    }

    /// What a side may spend on its next move, with this number of empty squares and after it has `thought`; `None` if no clock runs.
    pub(super) fn budget(&self, color: Color, empties: u32, thought: Duration) -> Option<TimeBudget> {
        self.left(color)?;
        self.now().sides[color as usize].clock(thought).budget(empties)
    }

    /// Notes a turn of this side that took so long; `None` for one that takes nothing and gains nothing, as a forced
    /// pass. False if the side's time ran out.
    pub(super) fn take(&mut self, color: Color, elapsed: Option<Duration>) -> bool {
        let mut next = self.now();
        let in_time = match elapsed.filter(|_| self.loser.is_none()) {
            Some(elapsed) => next.sides[color as usize].charge(elapsed, Duration::ZERO),
            None => true,
        };
        if !in_time {
            self.loser = Some(color);
        }
        next.loser = self.loser;
        self.readings.push(next);
        in_time
    }

    /// Notes that the time of this side ran out before its move.
    pub(super) fn run_out(&mut self, color: Color) {
        self.loser = Some(color);
    }

    /// Forgets that a side's time ran out before the next move. Returns whether it had.
    pub(super) fn undo_run_out(&mut self) -> bool {
        let before = self.now().loser;
        std::mem::replace(&mut self.loser, before) != before
    }

    /// Takes the last turn back, and the time that was spent since. What the clocks showed behind it, for [`Clocks::redo`].
    pub(super) fn undo(&mut self) -> Option<Reading> {
        let last = if self.readings.len() > 1 { self.readings.pop() } else { None };
        self.loser = self.now().loser;
        last
    }

    /// Takes a turn again that was taken back.
    pub(super) fn redo(&mut self, reading: Reading) {
        self.loser = reading.loser;
        self.readings.push(reading);
    }
}

/// A time as clocks show it, a second that has begun counted as whole: `4:37`, `90:00`.
pub(super) fn shown(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// What both sides may spend, in words.
pub(super) fn terms(control: TimeControl) -> String {
    let seconds = |time: Duration| format!("{} s", time.as_secs_f64());
    match control {
        TimeControl::PerMove(time) => format!("{} a move", seconds(time)),
        TimeControl::PerGame { main, increment } if increment.is_zero() => shown(main),
        TimeControl::PerGame { main, increment } => format!("{} and {} a move", shown(main), seconds(increment)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_gives_its_time_back() {
        let mut clocks = Clocks::new("60+2".parse().ok(), 0);
        let second = Duration::from_secs(1);
        assert!(clocks.take(Color::Black, Some(10 * second)) && clocks.take(Color::White, Some(30 * second)));
        assert_eq!((clocks.left(Color::Black), clocks.left(Color::White)), (Some(52 * second), Some(32 * second)));
        // After a long thought there is a budget still.
        let late = clocks.budget(Color::White, 40, 25 * second).unwrap();
        assert!(late.soft > Duration::ZERO && late.hard < 7 * second);
        assert!(!clocks.take(Color::Black, Some(53 * second)));
        assert_eq!((clocks.loser(), clocks.left(Color::White)), (Some(Color::Black), None));
        // Nothing runs any more.
        assert!(clocks.take(Color::White, Some(1000 * second)));
        let (second_turn, first) = (clocks.undo().unwrap(), clocks.undo().unwrap());
        assert_eq!((clocks.loser(), clocks.left(Color::Black)), (None, Some(52 * second)));
        clocks.redo(first);
        assert_eq!(clocks.loser(), Some(Color::Black));
        clocks.redo(second_turn);
        assert_eq!(clocks.loser(), Some(Color::Black));
        for _ in 0..4 {
            clocks.undo().unwrap();
        }
        assert!(clocks.undo().is_none() && clocks.left(Color::White) == Some(60 * second));
        // Time that runs out before the move comes back with the move before.
        clocks.run_out(Color::Black);
        assert!(clocks.undo().is_none() && clocks.loser().is_none());
        assert!(!clocks.undo_run_out());
        clocks.run_out(Color::Black);
        assert!(clocks.undo_run_out() && clocks.loser().is_none() && clocks.left(Color::Black) == Some(60 * second));
    }

    #[test]
    fn times_are_shown_as_on_a_clock() {
        for (millis, text) in [(300_000, "5:00"), (299_001, "5:00"), (7_000, "0:07"), (0, "0:00"), (5_400_000, "90:00")]
        {
            assert_eq!(shown(Duration::from_millis(millis)), text);
        }
        for (control, text) in [("300", "5:00"), ("300+2.5", "5:00 and 2.5 s a move"), ("move:10", "10 s a move")] {
            assert_eq!(terms(control.parse().unwrap()), text);
        }
    }
}
