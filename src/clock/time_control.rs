//! How long a player may think, and the clock that holds it to that.

use super::Clock;
use crate::notation::ggf::GgfClock;
use crate::search::Depth;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A limit of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// A fixed time for every move.
    PerMove(Duration),
    /// A time for the whole game, and an increment after each move.
    PerGame {
        /// At the beginning.
        main: Duration,
        /// Added after each own move.
        increment: Duration,
    },
}

impl TimeControl {
    /// The clock as GGF has it, without a grace; none for a time for each move, which GGF does not know.
    pub fn ggf(self) -> Option<GgfClock> {
        match self {
            TimeControl::PerGame { main, increment } => Some(GgfClock { main, increment, grace: Duration::ZERO }),
            TimeControl::PerMove(_) => None,
        }
    }
}

/// What bounds the thinking of one player; the time is checked by the referee, the others are the player's promise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Terms {
    /// Time, if it is limited.
    pub time: Option<TimeControl>,
    /// Depth in plies, if it is fixed, 1 to 60.
    pub depth: Option<Depth>,
    /// Positions to visit for a move, if they are fixed.
    pub nodes: Option<u64>,
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        match self.time {
            Some(TimeControl::PerMove(time)) => parts.push(format!("{} s a move", time.as_secs_f64())),
            Some(clock) => parts.push(format!("{clock} s a game")),
            None => {}
        }
        parts.extend(self.depth.map(|depth| format!("depth {depth}")));
        parts.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        f.write_str(&if parts.is_empty() { "no limit".to_owned() } else { parts.join(", ") })
    }
}

/// The text is not a time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a clock; expected seconds for the game such as 60, seconds and increment such as 60+0.5, or seconds a move such as move:0.2"
)]
pub struct ParseTimeControlError(String);

/// The longest time taken for a clock, in seconds: a year.
const LONGEST: f64 = 366.0 * 86_400.0;

impl FromStr for TimeControl {
    type Err = ParseTimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, ParseTimeControlError> {
        let error = || ParseTimeControlError(text.to_owned());
        let seconds = |part: &str, least: f64| {
            let number = part.parse::<f64>().ok().filter(|s| (least..=LONGEST).contains(s));
            number.map(Duration::from_secs_f64).ok_or_else(error)
        };
        if let Some(time) = text.strip_prefix("move:") {
            return Ok(TimeControl::PerMove(seconds(time, 0.001)?));
        }
        let (main, increment) = text.split_once('+').unwrap_or((text, "0"));
        Ok(TimeControl::PerGame { main: seconds(main, 0.001)?, increment: seconds(increment, 0.0)? })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::PerMove(time) => write!(f, "move:{}", time.as_secs_f64()),
            TimeControl::PerGame { main, increment } if increment.is_zero() => write!(f, "{}", main.as_secs_f64()),
            TimeControl::PerGame { main, increment } => write!(f, "{}+{}", main.as_secs_f64(), increment.as_secs_f64()),
        }
    }
}

impl Serialize for TimeControl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<TimeControl, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// One side's clock during a game, as the referee keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SideClock {
    control: Option<TimeControl>,
    left: Duration,
}

impl SideClock {
    /// A clock at the beginning of a game.
    pub fn new(control: Option<TimeControl>) -> SideClock {
        let left = match control {
            Some(TimeControl::PerGame { main, .. }) => main,
            Some(TimeControl::PerMove(time)) => time,
            None => Duration::ZERO,
        };
        SideClock { control, left }
    }

    /// What was agreed.
    pub fn control(&self) -> Option<TimeControl> {
        self.control
    }

    /// The time for the next move; `None` without a limit.
    pub fn left(&self) -> Option<Duration> {
        self.control.map(|_| self.left)
    }

    /// The clock to plan with: what this one has left after its side has `thought`, on the same terms.
    pub fn clock(&self, thought: Duration) -> Clock {
        match self.control {
            None => Clock::unlimited(),
            Some(TimeControl::PerMove(time)) => Clock::per_move(time.saturating_sub(thought)),
            Some(TimeControl::PerGame { increment, .. }) => {
                Clock::sudden_death(self.left.saturating_sub(thought), increment)
            }
        }
    }

    /// Charges a move. False if it took longer than was left and `grace` together; time taken out of the grace is
    /// forgiven, not owed.
    pub fn charge(&mut self, elapsed: Duration, grace: Duration) -> bool {
        match self.control {
            None => true,
            Some(TimeControl::PerMove(time)) => elapsed <= time + grace,
            Some(TimeControl::PerGame { increment, .. }) => {
                let in_time = elapsed <= self.left + grace;
                self.left = self.left.saturating_sub(elapsed) + increment;
                in_time
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn every_form_is_read_and_written() {
        for (text, control) in [
            ("60", TimeControl::PerGame { main: ms(60_000), increment: ms(0) }),
            ("60.5+0.25", TimeControl::PerGame { main: ms(60_500), increment: ms(250) }),
            ("move:0.05", TimeControl::PerMove(ms(50))),
        ] {
            assert_eq!(text.parse(), Ok(control));
            assert_eq!(control.to_string(), text);
        }
        for bad in ["", "0", "-1", "1+", "+1", "move:", "move:0", "5:00", "NaN", "inf", "1e99", "1+-1"] {
            let error = bad.parse::<TimeControl>().unwrap_err();
            assert!(error.to_string().contains("expected seconds"), "{error}");
        }
    }

    #[test]
    fn terms_are_said_in_words() {
        let terms = |clock: &str, depth, nodes| Terms { time: clock.parse().ok(), depth: Depth::new(depth), nodes };
        for (terms, words) in [
            (terms("", 0, None), "no limit"),
            (terms("60+0.5", 0, None), "60+0.5 s a game"),
            (terms("move:0.2", 12, Some(5000)), "0.2 s a move, depth 12, 5000 nodes"),
        ] {
            assert_eq!(terms.to_string(), words);
        }
    }

    #[test]
    fn a_game_clock_runs_down_and_gains_the_increment() {
        let mut clock = SideClock::new("1+0.1".parse().ok());
        assert!(clock.charge(ms(400), ms(0)));
        assert_eq!(clock.left(), Some(ms(700)));
        assert!(clock.charge(ms(750), ms(50)), "within the grace");
        assert_eq!(clock.left(), Some(ms(100)));
        assert!(clock.charge(ms(150), ms(50)) && !clock.charge(ms(151), ms(50)));
    }

    #[test]
    fn a_move_clock_starts_afresh_and_no_clock_never_ends() {
        let mut clock = SideClock::new("move:1".parse().ok());
        assert!(clock.charge(ms(900), ms(0)) && clock.charge(ms(1000), ms(0)) && !clock.charge(ms(1001), ms(0)));
        assert!(clock.charge(ms(1050), ms(50)) && !clock.charge(ms(1051), ms(50)));
        assert_eq!(clock.left(), Some(ms(1000)));
        let mut free = SideClock::new(None);
        assert!(free.charge(Duration::from_secs(1 << 40), ms(0)));
        assert_eq!(free.left(), None);
    }
}
