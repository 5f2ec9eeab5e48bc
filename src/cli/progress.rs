//! How far long work has come: a bar where there is a terminal, a plain line now and then where there is none.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use parking_lot::Mutex;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Between two plain lines.
const INTERVAL: Duration = Duration::from_secs(60);

/// A line on the terminal that tells how far some work has come; hidden if there is no terminal to draw it on.
pub(super) fn bar(steps: Option<u64>, template: &str) -> ProgressBar {
    let target = if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(steps, target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Work that is counted in steps.
pub(super) struct StepBar {
    bar: ProgressBar,
    unit: &'static str,
    started: Instant,
    /// Steps that were done before this run began.
    begun_at: u64,
    last_line: Mutex<Instant>,
}

impl StepBar {
    /// Work of so many steps, of which some were done by an earlier run.
    pub(super) fn new(unit: &'static str, steps: u64, begun_at: u64) -> StepBar {
        let template = format!("{{wide_bar}} {{pos}}/{{len}} {unit}  {{msg}}  {{elapsed}} gone, {{eta}} to go");
        let bar = bar(Some(steps), &template);
        bar.set_position(begun_at);
        bar.reset_eta();
        let now = Instant::now();
        StepBar { bar, unit, started: now, begun_at, last_line: Mutex::new(now) }
    }

    /// So many steps are done, in all; the message is only made where it is shown.
    pub(super) fn show(&self, steps: u64, message: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_message(message());
            self.bar.set_position(steps);
            return;
        }
        let mut last = self.last_line.lock();
        if last.elapsed() < INTERVAL {
            return;
        }
        *last = Instant::now();
        let done = steps.saturating_sub(self.begun_at).max(1);
        let left = self.bar.length().unwrap_or(steps).saturating_sub(steps);
        let seconds = self.started.elapsed().as_secs_f64() / done as f64 * left as f64;
        let left = humantime::format_duration(Duration::from_secs(seconds as u64));
        let of = self.bar.length().unwrap_or(steps);
        eprintln!("{steps}/{of} {}  {}  {left} to go", self.unit, message());
    }

    /// The work is over.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
