//! How a position is to be thought about, and the engine that does it.

use crate::engine::{Decision, Engine, EngineOptions, Event, Goal, Request};
use crate::eval::fingerprint;
use crate::othello::{Bitboard, Empties, Position};
use crate::search::{Depth, Limits, Report, TimeBudget};
use crossbeam::channel::{Receiver, never, select, tick};
use std::fmt;
use std::time::Duration;

/// The depth in plies of an analysis that nothing else bounds.
pub const DEFAULT_DEPTH: Depth = Depth::new(12).unwrap();

/// How long and how thoroughly a position is thought about.
#[derive(Clone, Debug, PartialEq)]
pub struct AnalysisSettings {
    /// The search, the evaluation and their memory. Its own limits do not count: those below do.
    pub options: EngineOptions,
    /// The fingerprint of their evaluation.
    pub weights: u32,
    /// Bound on the depth in plies, 1 to 60.
    pub depth: Option<Depth>,
    /// Bound on the positions visited.
    pub nodes: Option<u64>,
    /// Bound on the time.
    pub time: Option<Duration>,
    /// The most empty squares of a position that is solved whatever the bound on the depth.
    pub exact_from: Empties,
    /// Only who wins is to be found out.
    pub outcome_only: bool,
    /// How many of the best moves are wanted with their values; more than there are means all.
    pub lines: usize,
    /// Moves that are not to be looked at.
    pub except: Bitboard,
}

impl AnalysisSettings {
    /// The best move within the limits that the options have, [`DEFAULT_DEPTH`] if they have none.
    pub fn new(options: EngineOptions) -> AnalysisSettings {
        let depth = options.depth.or((!options.is_bounded()).then_some(DEFAULT_DEPTH));
        let (nodes, time) = (options.nodes, options.time);
        let options = EngineOptions { depth: None, nodes: None, time: None, ..options };
        AnalysisSettings {
            weights: fingerprint(&*options.evaluator()),
            options,
            depth,
            nodes,
            time,
            exact_from: Empties::NONE,
            outcome_only: false,
            lines: 1,
            except: Bitboard::EMPTY,
        }
    }

    /// The question to the engine.
    pub fn request(&self, position: &Position) -> Request {
        let solve = position.empty_count() <= self.exact_from;
        let time = self.time.map(TimeBudget::per_move);
        Request {
            goal: if self.outcome_only { Goal::WinLossDraw } else { Goal::Hint { lines: self.lines.max(1) } },
            limits: Limits { depth: self.depth.filter(|_| !solve), nodes: self.nodes, time, ..Limits::default() },
            except: self.except,
            ..Request::best_move(*position)
        }
    }
}

impl fmt::Display for AnalysisSettings {
    /// Who judges, and how far: `Emilia 0.1.0, emilia on pattern, depth 12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AnalysisSettings { options, depth, time, nodes, exact_from, .. } = self;
        let bounds = [
            depth.map(|depth| format!("depth {depth}")),
            time.map(|time| format!("{} s a position", time.as_secs_f64())),
            nodes.map(|nodes| format!("{nodes} nodes a position")),
            (*exact_from > Empties::NONE).then(|| format!("solved from {exact_from} empty squares on")),
        ];
        write!(f, "Emilia {}, {} on {}", env!("CARGO_PKG_VERSION"), options.engine, options.eval)?;
        bounds.iter().flatten().try_for_each(|bound| write!(f, ", {bound}"))
    }
}

/// An engine that thinks about one position after another, each in its own way.
#[derive(Debug)]
pub struct Thinker {
    engine: Engine,
}

impl Thinker {
    /// An engine that begins with these options; it takes no memory before it thinks.
    pub fn new(options: EngineOptions) -> Thinker {
        Thinker { engine: Engine::new(options) }
    }

    /// Thinks about a position to the end and says what came of it.
    pub fn think(&mut self, position: &Position, settings: &AnalysisSettings) -> Decision {
        self.think_aloud(position, settings, None, &never(), &mut |_| {})
    }

    /// Thinks about a position until the limits or `cancel`, receiving or disconnected, ends it. Every so often the
    /// listener hears the newest report, if there has been a new one.
    pub fn think_aloud(
        &mut self,
        position: &Position,
        settings: &AnalysisSettings,
        report_every: Option<Duration>,
        cancel: &Receiver<()>,
        listener: &mut dyn FnMut(&Report),
    ) -> Decision {
        self.engine.replace_options(settings.options.clone());
        let request = settings.request(position);
        if request.limits.time.is_some() {
            self.engine.be_ready(position);
        }
        let running = match report_every {
            Some(_) => self.engine.start(request),
            None => self.engine.start_quietly(request),
        };
        let ticks = report_every.map_or_else(never, tick);
        let mut news: Option<Report> = None;
        let mut cancel = cancel.clone();
        loop {
            select! {
                recv(running.events()) -> event => match event.into() {
                    Event::Report(report) => news = Some(report),
                    Event::Finished(decision) => return decision,
                },
                recv(ticks) -> _ => {
                    if let Some(report) = news.take() {
                        listener(&report);
                    }
                }
                recv(cancel) -> _ => {
                    running.stop();
                    cancel = never();
                }
            }
        }
    }

    /// Forgets what was learned from earlier positions.
    pub fn clear(&mut self) {
        self.engine.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::SearchDepth;
    use crate::testing::random_position;
    use crossbeam::channel::bounded;

    fn options() -> EngineOptions {
        EngineOptions { threads: 1, hash_mb: 1, ..EngineOptions::default() }
    }

    #[test]
    fn options_without_limits_have_the_default_depth() {
        assert_eq!(AnalysisSettings::new(options()).depth, Some(DEFAULT_DEPTH));
        let bounded = AnalysisSettings::new(EngineOptions { nodes: Some(5), ..options() });
        assert_eq!((bounded.depth, bounded.nodes, bounded.options.nodes), (None, Some(5), None));
    }

    #[test]
    fn near_the_end_a_position_is_solved_whatever_the_depth() {
        let mut thinker = Thinker::new(options());
        let (depth, exact_from) = (Depth::new(1), Empties::new(12).unwrap());
        let settings = AnalysisSettings { depth, exact_from, ..AnalysisSettings::new(options()) };
        let solved = thinker.think(&random_position(7, 12), &settings);
        assert_eq!(solved.report.depth, SearchDepth::Exact);
        let searched = thinker.think(&random_position(7, 13), &settings);
        assert_eq!(searched.report.depth, SearchDepth::Plies(1));
    }

    #[test]
    fn thinking_without_an_end_can_be_called_off() {
        let mut thinker = Thinker::new(options());
        let endless = AnalysisSettings { depth: None, ..AnalysisSettings::new(options()) };
        let (sender, cancel) = bounded(1);
        let mut reports = 0;
        let decision =
            thinker.think_aloud(&Position::START, &endless, Some(Duration::from_millis(1)), &cancel, &mut |_| {
                reports += 1;
                let _ = sender.try_send(());
            });
        assert!(reports >= 1 && decision.turn.is_some());
    }
}
