//! The clock of a GGF record.

use super::number;
use std::fmt;
use std::time::Duration;

const DEFAULT_GRACE: Duration = Duration::from_secs(120);
/// The longest time that is read, in seconds: a thousand million.
const LONGEST: u64 = 1_000_000_000;

/// A side's time at the start of a game: `5:00`, `23/1/14:00`, `05:00//02:00`.
///
/// ```
/// use emilia::notation::ggf::GgfClock;
/// use std::time::Duration;
/// let clock: GgfClock = "5:00/10".parse().unwrap();
/// assert_eq!((clock.main, clock.increment), (Duration::from_secs(300), Duration::from_secs(10)));
/// assert_eq!(clock.grace, Duration::from_secs(120));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GgfClock {
    /// The time for the whole game.
    pub main: Duration,
    /// What is added after each move.
    pub increment: Duration,
    /// What is added once when the time has run out; two minutes unless the record says otherwise.
    pub grace: Duration,
}

impl GgfClock {
    /// A clock with this time, without an increment, and with the usual two minutes of grace.
    pub const fn new(main: Duration) -> GgfClock {
        GgfClock { main, increment: Duration::ZERO, grace: DEFAULT_GRACE }
    }
}

/// The text is not `time[/[increment][/grace]]` with times such as `5:00`, `24:00:00`, `1.02:03:04` or `0.5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a clock such as 5:00, 15:00/10 or 5:00//2:00")]
pub struct ParseClockError;

impl std::str::FromStr for GgfClock {
    type Err = ParseClockError;

    fn from_str(text: &str) -> Result<GgfClock, ParseClockError> {
        let mut fields = text.split('/');
        let mut next = |default| match fields.next().map(str::trim) {
            None | Some("") => Ok(default),
            Some(field) => time(field).ok_or(ParseClockError),
        };
        if text.trim().is_empty() {
            return Err(ParseClockError);
        }
        let clock =
            GgfClock { main: next(Duration::ZERO)?, increment: next(Duration::ZERO)?, grace: next(DEFAULT_GRACE)? };
        if fields.next().is_some() { Err(ParseClockError) } else { Ok(clock) }
    }
}

/// Reads `[[[days.]hours:]minutes:]seconds`; the seconds may have decimals, and any part may be empty or large.
fn time(text: &str) -> Option<Duration> {
    let whole = |part: &str| match part.trim() {
        "" => Some(0),
        part => part.parse::<u64>().ok().filter(|&n| n <= LONGEST),
    };
    let mut parts = text.rsplit(':');
    let seconds = match parts.next()?.trim() {
        "" => 0.0,
        part => number::parse(part).filter(|n| *n >= 0.0)?,
    };
    let minutes = whole(parts.next().unwrap_or_default())?;
    let (days, hours) = parts.next().map_or(("", ""), |part| part.split_once('.').unwrap_or(("", part)));
    if parts.next().is_some() {
        return None;
    }
    let whole_seconds = (whole(days)? * 24 + whole(hours)?) * 3600 + minutes * 60;
    // To the microsecond, as it is written.
    let micros = (seconds * 1e6).round() as u64;
    let time = Duration::from_secs(whole_seconds) + Duration::from_micros(micros);
    (time <= Duration::from_secs(LONGEST)).then_some(time)
}

impl fmt::Display for GgfClock {
    /// Parts that are as usual are left out, as are leading zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_time(f, self.main)?;
        let grace = self.grace != DEFAULT_GRACE;
        if grace || !self.increment.is_zero() {
            f.write_str("/")?;
        }
        if !self.increment.is_zero() {
            write_time(f, self.increment)?;
        }
        if grace {
            f.write_str("/")?;
            write_time(f, self.grace)?;
        }
        Ok(())
    }
}

fn write_time(f: &mut fmt::Formatter<'_>, time: Duration) -> fmt::Result {
    let (hours, minutes, seconds) = (time.as_secs() / 3600, time.as_secs() / 60 % 60, time.as_secs() % 60);
    let fraction = format!("{:06}", time.subsec_micros());
    let fraction = fraction.trim_end_matches('0');
    match (hours, minutes) {
        (0, 0) => write!(f, "{seconds}")?,
        (0, _) => write!(f, "{minutes}:{seconds:02}")?,
        _ => write!(f, "{hours}:{minutes:02}:{seconds:02}")?,
    }
    if fraction.is_empty() { Ok(()) } else { write!(f, ".{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clocks_of_nboard_and_ggs_are_read_and_written() {
        let clock = |main, increment, grace| GgfClock {
            main: Duration::from_millis(main),
            increment: Duration::from_millis(increment),
            grace: Duration::from_millis(grace),
        };
        for (text, expected, written) in [
            ("5:00", clock(300_000, 0, 120_000), "5:00"),
            ("24:00:00", clock(86_400_000, 0, 120_000), "24:00:00"),
            ("0.005", clock(5, 0, 120_000), "0.005"),
            ("0,005", clock(5, 0, 120_000), "0.005"),
            ("23/1/14:00", clock(23_000, 1_000, 840_000), "23/1/14:00"),
            ("05:00//02:00", clock(300_000, 0, 120_000), "5:00"),
            ("15:00/10", clock(900_000, 10_000, 120_000), "15:00/10"),
            ("1.02:03:04", clock(93_784_000, 0, 120_000), "26:03:04"),
            ("5:00//0", clock(300_000, 0, 0), "5:00//0"),
            ("/5", clock(0, 5_000, 120_000), "0/5"),
            ("300", clock(300_000, 0, 120_000), "5:00"),
        ] {
            let read: GgfClock = text.parse().unwrap();
            assert_eq!(read, expected, "{text}");
            assert_eq!(read.to_string(), written);
        }
        for bad in ["", " ", "five", "-5", "1:2:3:4", "1/2/3/4", "99999999999999999999", "1e400", "1000000000:00:00"] {
            assert_eq!(bad.parse::<GgfClock>(), Err(ParseClockError), "{bad}");
        }
    }
}
