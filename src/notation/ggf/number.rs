//! Numbers as GGF writers spell them.

use crate::notation::plain;
use std::fmt;

/// Larger numbers have no meaning in a game record.
const LIMIT: f64 = 1e9;

/// Reads a decimal number with a point or a comma, with or without a sign and an exponent, in wide digits and with a long dash
/// too. `None` for anything else, the words for infinity among it, and for numbers beyond a thousand million.
pub(super) fn parse(text: &str) -> Option<f64> {
    let text = plain(text);
    let text = text.trim();
    if text.len() > 64 || !text.bytes().all(|b| b.is_ascii_digit() || b"+-.,eE".contains(&b)) {
        return None;
    }
    let number: f64 = text.replace(',', ".").parse().ok()?;
    (number.abs() <= LIMIT).then_some(number)
}

/// A number to the millionth, without an exponent, with `at_least` decimals or more.
pub(super) struct Decimal {
    pub(super) number: f64,
    pub(super) at_least: usize,
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let full = format!("{:.6}", self.number);
        let end = full.trim_end_matches('0').len().max(full.len() - 6 + self.at_least);
        let digits = full[..end].trim_end_matches('.');
        let zero = digits.bytes().all(|b| !b.is_ascii_digit() || b == b'0');
        f.write_str(if zero { digits.trim_start_matches('-') } else { digits })
    }
}

/// Whether a number is read again as it is written: not beyond the limit, and with no more than six decimals.
pub(super) fn is_short(number: f64) -> bool {
    let micros = number * 1e6;
    number.abs() <= LIMIT && (micros - micros.round()).abs() < 1e-3
}

/// Whether a number has no more than three decimals.
pub(super) fn is_in_thousandths(number: f64) -> bool {
    let thousandths = number * 1e3;
    (thousandths - thousandths.round()).abs() < 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_behind_the_third_are_noticed() {
        for (number, is_short) in [(0.0, true), (-22.87, true), (63.999, true), (1.2345, false), (1.0 / 3.0, false)] {
            assert_eq!(is_in_thousandths(number), is_short, "{number}");
        }
    }

    #[test]
    fn commas_exponents_and_signs_are_read() {
        for (text, number) in [
            ("3,25", 3.25),
            ("5.0E-4", 5e-4),
            ("+18", 18.0),
            ("-.5", -0.5),
            (" 1e2 ", 100.0),
            ("\u{2212}4.000", -4.0),
            ("\u{ff0b}\u{ff11}\u{ff0e}\u{ff15}", 1.5),
        ] {
            assert_eq!(parse(text), Some(number), "{text}");
        }
        for bad in ["", "abc", "1,2,3", "inf", "NaN", "1e400", "1e10", "0x10", "1 2"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_written_without_exponents() {
        let written = |number, at_least| Decimal { number, at_least }.to_string();
        assert_eq!(written(1.2, 2), "1.20");
        assert_eq!(written(0.0005, 2), "0.0005");
        assert_eq!(written(-1e-9, 2), "0.00");
        assert_eq!(written(1e9, 2), "1000000000.00");
        assert_eq!(written(300.0, 0), "300");
        assert_eq!(written(2200.35, 0), "2200.35");
    }
}
