//! How far long work has come: a bar where there is a terminal, a plain line now and then where there is none.

use super::output::say;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use std::fmt;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A line at the end of the terminal that changes; without a terminal there is none.
#[derive(Clone)]
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
        bar.set_message("starting");
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

/// Work through an input whose length may not be known. Displayed, it says how much is done.
pub(super) struct InputProgress {
    line: StatusLine,
    /// What the input is made of, in the plural.
    unit: &'static str,
    started: Instant,
    /// Items that an earlier run has done.
    begun_at: u64,
    /// Items done, those of earlier runs included.
    done: AtomicU64,
    /// Positions searched in this run.
    positions: AtomicU64,
    items: OnceLock<u64>,
}

impl InputProgress {
    /// The work begins, with some items done by an earlier run.
    pub(super) fn new(unit: &'static str, begun_at: u64) -> InputProgress {
        let line = StatusLine::new("{spinner} {msg}, {elapsed} gone", None, 0);
        let (done, positions) = (begun_at.into(), AtomicU64::new(0));
        InputProgress { line, unit, started: Instant::now(), begun_at, done, positions, items: OnceLock::new() }
    }

    /// Whether there is a terminal.
    pub(super) fn is_shown(&self) -> bool {
        self.line.is_shown()
    }

    /// An interruption ends the work and says how much is done, and how to go on.
    ///
    /// # Errors
    /// If interruptions cannot be watched for.
    pub(super) fn end_on_interrupt(self: &Arc<Self>, how_to_go_on: &'static str) -> Result<(), String> {
        let progress = Arc::clone(self);
        super::end_on_interrupt(&self.line, move || format!("{progress}{how_to_go_on}"))
    }

    /// The number of all items is known now.
    pub(super) fn set_items(&self, items: u64) {
        let _ = self.items.set(items);
    }

    /// Items are done, after this number of positions was searched for them.
    pub(super) fn add(&self, items: u64, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
        let done = self.done.fetch_add(items, Ordering::Relaxed) + items;
        self.line.show(done, || {
            let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
            let mut text = self.to_string();
            let searched = self.positions.load(Ordering::Relaxed);
            if searched > 0 {
                text += &format!(", {:.1} positions/s", searched as f64 / seconds);
            }
            if let Some(items) = self.items.get() {
                let of_this_run = done.saturating_sub(self.begun_at).max(1) as f64;
                let left = items.saturating_sub(done) as f64 * seconds / of_this_run;
                text += &format!(", {} to go", humantime::format_duration(Duration::from_secs(left as u64)));
            }
            text
        });
    }

    /// Writes something without the line in its way.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.line.aside(write)
    }

    /// The work is over.
    pub(super) fn finish(&self) {
        self.line.finish();
    }
}

impl fmt::Display for InputProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.done.load(Ordering::Relaxed))?;
        if let Some(items) = self.items.get() {
            write!(f, " of {items}")?;
        }
        write!(f, " {}", self.unit)
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
