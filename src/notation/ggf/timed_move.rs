//! A move with what its player thought of it and how long that took.

use super::number::{self, Decimal};
use crate::notation::{NotationError, transcript::parse_turn};
use crate::othello::Move;
use std::fmt;

/// A turn as GGF records it and NBoard's `move` command gives it: `F5`, `F5/1.20`, `F5//4.17`, `F5/1.20/4.17`, `PA`.
///
/// ```
/// use emilia::notation::ggf::TimedMove;
/// let timed = TimedMove::parse("f5/3,25/5.0E-4").unwrap();
/// assert_eq!((timed.eval, timed.seconds), (Some(3.25), Some(0.0005)));
/// assert_eq!(timed.to_string(), "F5/3.25/0.0005");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimedMove {
    /// What was played.
    pub turn: Move,
    /// The value of the move for its player, in discs.
    pub eval: Option<f64>,
    /// The time it took, in seconds, not negative.
    pub seconds: Option<f64>,
}

impl TimedMove {
    /// Reads a turn with its evaluation and time. Numbers may have a decimal comma or an exponent; one that cannot be
    /// read, a negative time among them, counts as absent, and a further `/` and what follows is ignored. The turn
    /// itself must be a square or a pass.
    ///
    /// # Errors
    /// If the turn is neither a square nor a pass.
    pub fn parse(text: &str) -> Result<TimedMove, NotationError> {
        let mut fields = text.split('/');
        let name = fields.next().unwrap_or_default();
        let start = text.len() - text.trim_start().len();
        let turn = parse_turn(name.trim())
            .ok_or_else(|| NotationError::expected(text, start, "a move such as F5, F5/1.20/4.17 or PA"))?;
        let eval = fields.next().and_then(number::parse);
        let seconds = fields.next().and_then(number::parse).filter(|seconds| *seconds >= 0.0);
        Ok(TimedMove { turn, eval, seconds })
    }
}

impl fmt::Display for TimedMove {
    /// Capitals; numbers with two decimals or as many as they need, up to six, and never an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.turn)?;
        let eval = self.eval.map(|number| Decimal { number, at_least: 2 });
        let seconds = self.seconds.map(|number| Decimal { number, at_least: 2 });
        match (eval, seconds) {
            (None, None) => Ok(()),
            (Some(eval), None) => write!(f, "/{eval}"),
            (None, Some(seconds)) => write!(f, "//{seconds}"),
            (Some(eval), Some(seconds)) => write!(f, "/{eval}/{seconds}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_nboard_is_read_and_written() {
        for (text, eval, seconds, written) in [
            ("F5", None, None, "F5"),
            ("f5/1.20", Some(1.2), None, "F5/1.20"),
            ("F5//4.17", None, Some(4.17), "F5//4.17"),
            ("F5/1.20/4.17", Some(1.2), Some(4.17), "F5/1.20/4.17"),
            ("F4/3,25/0.1", Some(3.25), Some(0.1), "F4/3.25/0.10"),
            ("F4/-2/1.9160000000000001", Some(-2.0), Some(1.916_000_000_000_000_1), "F4/-2.00/1.916"),
            ("PA", None, None, "PA"),
            ("pass/0/0.01", Some(0.0), Some(0.01), "PA/0.00/0.01"),
            ("--", None, None, "PA"),
            ("F4/abc/-1", None, None, "F4"),
            ("F4/1/2/rest", Some(1.0), Some(2.0), "F4/1.00/2.00"),
        ] {
            let read = TimedMove::parse(text).unwrap();
            assert_eq!((read.eval, read.seconds), (eval, seconds), "{text}");
            assert_eq!(read.to_string(), written);
        }
        for bad in ["", "/1/2", "Z9", "F", "F55", "é5", "passe"] {
            assert!(TimedMove::parse(bad).is_err(), "{bad}");
        }
    }
}
