//! How far long work has come: a bar where there is a terminal, a plain line now and then where there is none.

use super::output::say;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// A line at the end of the terminal that changes; without a terminal there is none.
pub(super) struct StatusLine(ProgressBar);

impl StatusLine {
    /// A line in this form, as `indicatif` has it, for work of `steps`, if they are known, of which some were done by an
    /// earlier run.
    pub(super) fn new(template: &str, steps: Option<u64>, begun_at: u64) -> StatusLine {
        let target = if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(steps, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // What is done already says nothing about the speed of this run.
        bar.set_position(begun_at);
        bar.reset_eta();
        StatusLine(bar)
    }

    /// Whether there is a terminal.
    pub(super) fn is_shown(&self) -> bool {
        !self.0.is_hidden()
    }

    /// Shows the number of steps done, earlier runs included; the message is only made where it is shown.
    pub(super) fn show(&self, steps: u64, message: impl FnOnce() -> String) {
        if self.is_shown() {
            self.0.set_message(message());
            self.0.set_position(steps);
        }
    }

    /// Sets the number of all steps.
    pub(super) fn set_steps(&self, steps: u64) {
        self.0.set_length(steps);
    }

    /// Writes something without the line in its way.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    /// The work is over.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Between two plain lines.
const INTERVAL: Duration = Duration::from_secs(60);

/// Work that is counted in steps.
pub(super) struct StepBar {
    line: StatusLine,
    unit: &'static str,
    steps: u64,
    started: Instant,
    /// Steps that were done before this run began.
    begun_at: u64,
    last_line: Mutex<Instant>,
}

impl StepBar {
    /// Work of this number of steps, the first `begun_at` of them done by an earlier run.
    pub(super) fn new(unit: &'static str, steps: u64, begun_at: u64) -> StepBar {
        let template = format!("{{wide_bar}} {{pos}}/{{len}} {unit}  {{msg}}  {{elapsed}} gone, {{eta}} to go");
        let line = StatusLine::new(&template, Some(steps), begun_at);
        let now = Instant::now();
        StepBar { line, unit, steps, started: now, begun_at, last_line: Mutex::new(now) }
    }

    /// Shows the number of steps done, earlier runs included; the message is only made where it is shown.
    pub(super) fn show(&self, done: u64, message: impl FnOnce() -> String) {
        if self.line.is_shown() {
            return self.line.show(done, message);
        }
        let mut last = self.last_line.lock();
        if last.elapsed() < INTERVAL {
            return;
        }
        *last = Instant::now();
        let of_this_run = done.saturating_sub(self.begun_at).max(1);
        let left = self.steps.saturating_sub(done);
        let seconds = self.started.elapsed().as_secs_f64() / of_this_run as f64 * left as f64;
        let left = humantime::format_duration(Duration::from_secs(seconds as u64));
        say(format_args!("{done}/{} {}  {}  {left} to go", self.steps, self.unit, message()));
    }

    /// The work is over.
    pub(super) fn finish(&self) {
        self.line.finish();
    }
}
