//! Letting an opening book grow: one position after another is searched where it matters most for the root.

use crate::book::{
    BookError, Database, Entry, GrowthRule, Key, Leaf, Positions, Snapshot, Work, learned_work, next_work,
};
use crate::eval::{Evaluator, fingerprint};
use crate::othello::{Bitboard, Move, Position};
use crate::search::{
    AlphaBeta, AlphaBetaSettings, Control, Depth, Limits, Score, Search, Selectivity, StopSignal, Task,
};
use crossbeam::channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use web_time::Instant;

/// How a book grows, and how long. Without a bound it grows until it is interrupted.
#[derive(Clone)]
pub struct GrowthSettings {
    /// The position for whose value it grows; it has a move and is in the book.
    pub root: Position,
    /// How costs are counted.
    pub rule: GrowthRule,
    /// The evaluation that searches end in.
    pub evaluator: Arc<dyn Evaluator<Position>>,
    /// The bounds of each search.
    pub limits: Limits,
    /// How sure the searches' cuts are.
    pub selectivity: Selectivity,
    /// Positions that are searched at a time, by one thread each.
    pub threads: usize,
    /// Bytes of each thread's transposition table.
    pub table_bytes: usize,
    /// How long the book grows.
    pub time: Option<Duration>,
    /// The number of positions with which it is large enough. Learned positions are searched first, whatever their number.
    pub positions: Option<u64>,
    /// What a unit of work may cost at most, in units of 1/128 disc; the search of a learned position costs nothing.
    pub most_cost: Option<u32>,
}

impl GrowthSettings {
    /// The depth in plies of each search that nothing else bounds.
    pub const DEFAULT_DEPTH: Depth = Depth::new(20).unwrap();
}

/// How far the growth has come.
#[derive(Clone, Debug)]
pub struct Growth {
    /// Units of work done by this run: a position was searched, or one was added.
    pub units: u64,
    /// Positions searched by this run.
    pub searches: u64,
    /// Positions in the book.
    pub positions: u64,
    /// What the root is worth to its side to move.
    pub value: Option<Score>,
    /// The least cost of a unit of work that is not in the book yet, in units of 1/128 disc; learned positions do not count.
    pub next_cost: u32,
    /// Learned positions that wait to be searched.
    pub learned: usize,
    /// The last unit of work, if there was one.
    pub last: Option<Work>,
    /// Why it ended.
    pub end: GrowthEnd,
}

/// Why a book has stopped growing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GrowthEnd {
    /// It has not.
    GoesOn,
    /// The time is over.
    Time,
    /// It is as large as it was to be.
    Positions,
    /// All that may be done at this cost is done.
    Cost,
    /// Somebody wanted it to end.
    Interrupted,
    /// The root is solved, or nothing below it is left to be searched.
    NothingToDo,
}

/// A unit of work for a thread: positions, and moves of each that are not to be looked at.
struct Assignment {
    work: Work,
    searches: Vec<(Key, Bitboard)>,
}

/// What a thread has found; `None` if it was stopped.
struct Finished {
    work: Work,
    leaves: Option<Vec<(Key, Leaf)>>,
}

/// Lets a book grow. Every unit of work is on the disk when the listener is called for it.
///
/// # Errors
/// If the book cannot be read, or the disk does not take what was found; all that the listener was called for is there.
pub fn grow(
    book: &Database,
    settings: &GrowthSettings,
    interrupt: &AtomicBool,
    listener: &mut dyn FnMut(&Growth),
) -> Result<Growth, BookError> {
    let weights = fingerprint(&*settings.evaluator);
    match book.grow_with(weights, settings.rule, interrupt) {
        // The job sees the interrupt before it does anything else.
        Ok(()) | Err(BookError::Interrupted) => {}
        Err(error) => return Err(error),
    }
    let stop = StopSignal::default();
    let (give, assignments) = unbounded();
    let (report, outcomes) = unbounded();
    std::thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            let (assignments, report, stop) = (assignments.clone(), report.clone(), stop.clone());
            let thread = std::thread::Builder::new().name("book".to_owned()).stack_size(16 << 20);
            thread.spawn_scoped(scope, move || work(settings, &assignments, &report, &stop))?;
        }
        drop((assignments, report));
        let mut job = GrowthJob {
            book,
            settings,
            weights,
            learned: VecDeque::new(),
            is_learning: true,
            busy: HashSet::new(),
            give: Some(give),
            started: Instant::now(),
        };
        let grown = job.run(&outcomes, interrupt, listener);
        // Whatever the end was, the threads are not waited for longer than they need to see this.
        stop.stop();
        job.give = None;
        grown
    })
}

/// Searches what it is given until nothing more comes.
fn work(settings: &GrowthSettings, assignments: &Receiver<Assignment>, report: &Sender<Finished>, stop: &StopSignal) {
    let mut search = AlphaBeta::new(AlphaBetaSettings {
        table_bytes: settings.table_bytes,
        threads: 1,
        selectivity: settings.selectivity,
    });
    for Assignment { work, searches } in assignments {
        let mut leaf_of = |&(key, except): &(Key, Bitboard)| {
            let task = Task { is_analysis: true, except, ..Task::new(key.position(), Arc::clone(&settings.evaluator)) };
            let control = Control::new(settings.limits, stop.clone(), Instant::now());
            let found = search.think(&task, &control, &mut |_| {});
            let line = found.lines.first().filter(|_| !stop.is_stopped())?;
            let Move::Place(square) = line.turn else { return None };
            Some((key, Leaf::Found { square, value: line.score, depth: line.depth }))
        };
        let leaves = searches.iter().map(&mut leaf_of).collect();
        if report.send(Finished { work, leaves }).is_err() {
            return;
        }
    }
}

struct GrowthJob<'a> {
    book: &'a Database,
    settings: &'a GrowthSettings,
    weights: u32,
    /// Learned positions that wait to be searched.
    learned: VecDeque<Work>,
    /// Whether some may be left, here or at work. They come before everything else.
    is_learning: bool,
    busy: HashSet<Key>,
    give: Option<Sender<Assignment>>,
    started: Instant,
}

impl GrowthJob<'_> {
    fn run(
        &mut self,
        outcomes: &Receiver<Finished>,
        interrupt: &AtomicBool,
        listener: &mut dyn FnMut(&Growth),
    ) -> Result<Growth, BookError> {
        let root = Key::of(&self.settings.root).0;
        let mut growth = Growth {
            units: 0,
            searches: 0,
            positions: 0,
            value: None,
            next_cost: 0,
            learned: 0,
            last: None,
            end: GrowthEnd::GoesOn,
        };
        let mut at_work = 0;
        loop {
            let now = self.book.read()?;
            growth.positions = now.count()?;
            let known = now.get(&root)?.unwrap_or(Entry::UNSEARCHED);
            (growth.value, growth.next_cost) = (known.value, known.cost);
            if self.is_learning && self.learned.is_empty() && at_work == 0 {
                self.learned = match learned_work(&now, &root, interrupt) {
                    // The loop sees the interrupt too.
                    Err(BookError::Interrupted) => VecDeque::new(),
                    learned => learned?.into(),
                };
                self.is_learning = !self.learned.is_empty();
            }
            growth.learned = self.learned.len();
            growth.end = self.end(&growth, interrupt);
            if growth.units > 0 || growth.end != GrowthEnd::GoesOn {
                listener(&growth);
            }
            let idle = if growth.end == GrowthEnd::GoesOn { self.settings.threads.max(1) - at_work } else { 0 };
            for work in self.take_work(&now, &root, idle)? {
                self.busy.extend(work.touched());
                let assignment = Assignment { searches: work.searches(&now)?, work };
                at_work += usize::from(self.give.as_ref().is_some_and(|give| give.send(assignment).is_ok()));
            }
            drop(now);
            if growth.end == GrowthEnd::GoesOn && at_work == 0 {
                growth.end = GrowthEnd::NothingToDo;
            }
            if growth.end != GrowthEnd::GoesOn {
                return Ok(growth);
            }
            let outcome = loop {
                match outcomes.recv_timeout(Duration::from_millis(50)) {
                    Ok(outcome) => break Some(outcome),
                    Err(RecvTimeoutError::Timeout) if self.end(&growth, interrupt) == GrowthEnd::GoesOn => {}
                    Err(RecvTimeoutError::Timeout) => break None,
                    // A panic of the workers goes on where they are joined.
                    Err(RecvTimeoutError::Disconnected) => return Ok(growth),
                }
            };
            let Some(outcome) = outcome else { continue };
            at_work -= 1;
            for key in outcome.work.touched() {
                self.busy.remove(&key);
            }
            if let Some(leaves) = &outcome.leaves {
                self.keep(&outcome.work, leaves)?;
                growth.searches += leaves.len() as u64;
                growth.units += 1;
            }
            growth.last = Some(outcome.work);
        }
    }

    fn end(&self, growth: &Growth, interrupt: &AtomicBool) -> GrowthEnd {
        if interrupt.load(Ordering::Relaxed) {
            GrowthEnd::Interrupted
        } else if self.settings.time.is_some_and(|time| self.started.elapsed() >= time) {
            GrowthEnd::Time
        } else if self.is_learning {
            GrowthEnd::GoesOn
        } else if self.settings.positions.is_some_and(|positions| growth.positions >= positions) {
            GrowthEnd::Positions
        } else if growth.next_cost != Entry::NOTHING_TO_DO && self.is_beyond(growth.next_cost) {
            GrowthEnd::Cost
        } else {
            GrowthEnd::GoesOn
        }
    }

    /// What is to be done next, at most this number of units.
    fn take_work(&mut self, book: &Snapshot, root: &Key, most: usize) -> Result<Vec<Work>, BookError> {
        if self.is_learning {
            return Ok(self.learned.drain(..most.min(self.learned.len())).collect());
        }
        let mut units = next_work(book, root, self.weights, self.busy.clone(), most)?;
        units.retain(|work| !self.is_beyond(work.cost));
        Ok(units)
    }

    /// Whether this is more than a unit of work may cost.
    fn is_beyond(&self, cost: u32) -> bool {
        self.settings.most_cost.is_some_and(|most| cost > most)
    }

    /// Writes what a unit of work has found.
    fn keep(&self, work: &Work, leaves: &[(Key, Leaf)]) -> Result<(), BookError> {
        self.book.update(self.weights, |positions| {
            for key in &work.path {
                if let Some(entry) = positions.get(key)? {
                    positions.put(key, &Entry { visits: entry.visits.saturating_add(1), ..entry })?;
                }
            }
            let mut changed: BTreeSet<Key> = work.touched().collect();
            for key in &changed {
                if positions.get(key)?.is_none() {
                    positions.put(key, &Entry::ADDED)?;
                }
            }
            for (key, leaf) in leaves {
                let entry = positions.get(key)?.unwrap_or(Entry::UNSEARCHED);
                positions.put(key, &Entry { leaf: *leaf, weights: self.weights, ..entry })?;
                changed.insert(*key);
            }
            Ok(changed)
        })
    }
}
