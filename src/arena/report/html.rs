//! The report for a browser.

use super::Report;

/// A page that needs nothing else.
pub fn page(report: &Report) -> String {
    format!("<!doctype html><pre>{}</pre>", super::summary(report))
}
