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
        let line = StatusLine(ProgressBar::with_draw_target(steps, target));
        line.set_form(template);
        line.0.set_message("starting");
        line.0.set_position(begun_at);
        // What is done already says nothing about the speed of this run.
        line.0.reset_eta();
        line
    }

    /// A line that says what is being done, and for how long.
    pub(super) fn of_messages() -> StatusLine {
        StatusLine::new("{spinner} {msg}, {elapsed} gone", None, 0)
    }

    fn set_form(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.0.set_style(style);
        }
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

/// Work that is counted in steps. Displayed, it says how many are done.
pub(super) struct StepBar {
    line: StatusLine,
    /// What the steps are, in the plural.
    unit: &'static str,
    /// How many there are, once that is known.
    steps: OnceLock<u64>,
    /// Steps done, those of earlier runs included.
    done: AtomicU64,
    started: Instant,
    /// Steps that were done before this run began.
    begun_at: u64,
    last_line: Mutex<Instant>,
}

impl StepBar {
    /// Work of this number of steps, if it is known, the first `begun_at` of them done by an earlier run.
    pub(super) fn new(unit: &'static str, steps: impl Into<Option<u64>>, begun_at: u64) -> StepBar {
        let template = format!("{{spinner}} {{pos}} {unit}  {{msg}}  {{elapsed}} gone");
        let line = StatusLine::new(&template, None, begun_at);
        let (steps, now) = (steps.into(), Instant::now());
        let (done, last_line) = (begun_at.into(), Mutex::new(now));
        let bar = StepBar { line, unit, steps: OnceLock::new(), done, started: now, begun_at, last_line };
        if let Some(steps) = steps {
            bar.set_steps(steps);
        }
        bar
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
        super::end_on_interrupt(&self.line, 1, move || format!("{progress}{how_to_go_on}"))
    }

    /// The number of all steps is known now.
    pub(super) fn set_steps(&self, steps: u64) {
        if self.steps.set(steps).is_ok() {
            self.line.set_steps(steps);
            let counts = format!("{{pos}} of {{len}} {}", self.unit);
            self.line.set_form(&format!("{{wide_bar}} {counts}  {{msg}}  {{elapsed}} gone, {{eta}} to go"));
        }
    }

    /// Shows the number of steps done, earlier runs included; the message is only made where it is shown.
    pub(super) fn show(&self, done: u64, message: impl FnOnce() -> String) {
        self.done.store(done, Ordering::Relaxed);
        if self.is_shown() {
            return self.line.show(done, message);
        }
        let mut last = self.last_line.lock();
        if last.elapsed() < INTERVAL {
            return;
        }
        *last = Instant::now();
        let mut text = format!("{self}  {}", message());
        if let Some(steps) = self.steps.get() {
            let of_this_run = done.saturating_sub(self.begun_at).max(1);
            let left = steps.saturating_sub(done);
            let seconds = self.started.elapsed().as_secs_f64() / of_this_run as f64 * left as f64;
            let left = humantime::format_duration(Duration::from_secs(seconds as u64));
            text += &format!("  {left} to go");
        }
        say(text.trim_end());
    }

    /// Counts further steps as done, and shows it.
    pub(super) fn add(&self, steps: u64, message: impl FnOnce() -> String) {
        self.show(self.done.load(Ordering::Relaxed) + steps, message);
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

impl fmt::Display for StepBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.done.load(Ordering::Relaxed))?;
        if let Some(steps) = self.steps.get() {
            write!(f, " of {steps}")?;
        }
        write!(f, " {}", self.unit)
    }
}
