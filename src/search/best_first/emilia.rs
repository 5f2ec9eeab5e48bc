//! The engine `emilia`: the tree of `best-first` chooses the move, and alpha-beta answers what a value is asked for.
//!
//! - A question for values (hints, analysis) gets alpha-beta: its values are all of one depth, and can be compared.
//! - What alpha-beta solves at the depth that is asked for, or is all but certain to solve within the limits, it solves: first who wins, then by
//!   how much among the moves that keep the outcome. So the answer is never less exact than alpha-beta's at the same depth.
//! - Near the end, where every move loses by the tree, alpha-beta has the rest of the limits: it loses by fewer discs.
//! - Otherwise the tree decides. It looks for the move that wins, and follows few other moves: so its values are no estimates of discs.
//!   An alpha-beta search of the position behind the move, within the limits, says what it is worth; where reports are watched, shorter ones do
//!   meanwhile.
//! - Where there is one move only there is nothing to choose, and alpha-beta says what it is worth.

use super::budget::evaluations_in_tree;
use super::engine::{BestFirst, BestFirstSettings, GivesUp, PROVABLE};
use super::searched_leaves::solving_cost;
use super::size_plan::{positions_worth, solving_worth};
use crate::game::DISC;
use crate::othello::{Bitboard, Move};
use crate::search::alpha_beta::stage::solved_from;
use crate::search::{
    AlphaBeta, AlphaBetaSettings, Bound, Control, Limits, Line, Precision, Report, Score, Search, SearchDepth,
    Selectivity, Task, TimeBudget,
};
use std::time::Duration;

/// The tree leaves one part in 32 of the limits to the search of the move's value. With one in 16 the tree misses it: two points in a hundred.
const VALUE_PART: u64 = 32;
/// Positions that small limits leave to it besides, at most as many again: else its depth would say nothing.
const LEAST_VALUE_NODES: u64 = 1_000;
/// The time of that number of positions, about.
const LEAST_VALUE_TIME: Duration = Duration::from_micros(200);
/// Positions that are visited for the value of a move when the search was stopped, by one thread: about half a millisecond.
const STOPPED_VALUE_NODES: u64 = 4_000;
/// Positions that solving may be expected to visit, at most, for each position that the limits are worth: then alpha-beta is all but certain
/// to end. Where it does not, the tree knows more: with 0.5, and with a proof in half of the limits, points were lost.
const SOLVABLE: f64 = 1.0 / 16.0;
/// The same where the tree reaches the depth that is asked for well within the limits: then its answer would leave them unused.
const SOLVABLE_TO_A_DEPTH: f64 = 0.5;
/// The same where every move seems to lose: then alpha-beta need not end. With 8 it gains fewer discs.
const SOLVABLE_IF_LOST: f64 = 64.0;
/// The same for a depth: empty squares beyond those at which it is solved. In the sum of depths 8, 12 and 16 this saves discs; with eight more
/// it costs some (`docs/lab-notebook.md`).
const MORE_IF_LOST: u8 = 5;
/// When every move seems to lose. The tree looks for wins, and follows moves that win or lose by much: of 91 positions with 15 to 20 empty squares that
/// had such a value after an eighth of 100,000 positions all were lost, and of 47 after an eighth of 20,000 all but one.
const LOST: GivesUp = GivesUp { after: 0.125, value: -10 * DISC };
/// Positions that limits are worth, for each evaluation of the tree that takes as long: 0.04 s at depth 16, 1.3 s at depth 26.
const POSITIONS_PER_EVALUATION: f64 = 4.0;
/// Positions of the tree for each one that says meanwhile what its move is worth, where reports are watched.
const WATCHED_PART: u64 = 64;
/// The fewest positions that say so: about what [`LEAST_DEPTH`] takes. The size of their table in bytes.
const LEAST_WATCHED_NODES: u64 = 500;
const WATCHED_TABLE: usize = 512 << 10;
/// The largest depth at which the value of the move is as deep as a hint's, which takes some hundred positions more; beyond, it is a ply less.
const MOST_OF_FULL_VALUE: u8 = 6;
/// Depth in plies from which on a value of alpha-beta counts for more than the tree's.
const LEAST_DEPTH: u8 = 4;

/// The engine. Keeps its tree and its table from move to move.
pub struct Emilia {
    search: BestFirst,
}

impl Emilia {
    /// An engine that has learned nothing yet.
    pub fn new(settings: BestFirstSettings) -> Emilia {
        Emilia { search: BestFirst::new(settings) }
    }

    /// Whether alpha-beta can be expected to solve the position.
    fn is_solvable(&self, task: &Task, limits: &Limits) -> bool {
        let empties = task.position.empty_count();
        let cost = solving_cost(empties);
        let threads = self.search.settings.threads;
        // A client with a clock may ask for 60 plies: then the clock alone decides.
        let (part, positions) = if self.reaches_depth(limits) {
            (SOLVABLE_TO_A_DEPTH, positions_worth(limits, threads))
        } else {
            (SOLVABLE, solving_worth(limits, threads))
        };
        let Some(positions) = positions else {
            return limits.depth.map_or(cost <= PROVABLE, |depth| empties <= solved_from(depth.plies()));
        };
        limits.depth.is_none_or(|depth| empties <= solved_from(depth.plies())) && cost <= part * positions as f64
    }

    /// Whether a depth is asked for that the tree reaches within the other limits.
    fn reaches_depth(&self, limits: &Limits) -> bool {
        let positions = positions_worth(limits, self.search.settings.threads);
        limits.depth.is_some_and(|depth| {
            let evaluations = evaluations_in_tree(depth.plies()) as f64;
            positions.is_none_or(|positions| POSITIONS_PER_EVALUATION * evaluations <= positions as f64)
        })
    }

    /// When the tree gives up: near the end of the game, if anything is limited.
    fn gives_up(&self, task: &Task, limits: &Limits) -> Option<GivesUp> {
        let empties = task.position.empty_count();
        let by_depth = limits.depth.map(|depth| empties.count() <= solved_from(depth.plies()).count() + MORE_IF_LOST);
        let positions = positions_worth(limits, self.search.settings.threads);
        let by_size = positions.map(|positions| solving_cost(empties) <= SOLVABLE_IF_LOST * positions as f64);
        let is_limited = by_depth.is_some() || by_size.is_some();
        let is_near = by_depth.unwrap_or(true) && by_size.unwrap_or(true);
        (task.margin.is_none() && is_limited && is_near).then_some(LOST)
    }

    /// Replaces the report of a tree that gave up by that of alpha-beta, in what is left of the limits; whether they sufficed. The depth does not
    /// fall: where alpha-beta's is less, the tree's stands.
    fn lose_by_less(&self, report: &mut Report, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> bool {
        let (memory, of_tree, counts) = (report.memory, report.depth, (report.nodes, report.evaluations));
        let least = of_tree.plies();
        // Meanwhile clients are shown no depth that is less than the tree's.
        let answer = self.search.alpha_beta(task, control, counts, &mut |answer| {
            if answer.depth.plies().is_none_or(|plies| Some(plies) >= least) {
                sink(&Report { memory, ..answer.clone() });
            }
        });
        let is_deep = answer.depth.plies().is_none_or(|plies| plies >= LEAST_DEPTH);
        if is_deep {
            *report = Report { memory, ..answer };
            if report.depth.plies().is_some_and(|plies| Some(plies) < least) {
                report.depth = of_tree;
                // What is solved stays so.
                for line in report.lines.iter_mut().filter(|line| line.depth.plies().is_some()) {
                    (line.value_plies, line.depth) = (line.depth.plies(), of_tree);
                }
            }
        } else {
            (report.nodes, report.evaluations, report.elapsed) = (answer.nodes, answer.evaluations, answer.elapsed);
        }
        is_deep
    }

    /// Whether the tree chooses the move that is asked for, if one is.
    fn tree_chooses(&self, task: &Task, control: &Control) -> bool {
        wants_move(task) && task.position.moves().count() > 1 && !self.is_solvable(task, control.plan())
    }

    /// Gives the first move of the tree's report its value within what the tree has left of the limits, if anybody reads the report.
    fn value_after_tree(&self, report: &mut Report, task: &Task, control: &Control, shown: Option<Value>) {
        if control.is_preparing() {
            return;
        }
        let (_, of_value) = parts(control.limits());
        let ended_at_cap = report.memory.ended_at_cap;
        // A tree to a depth may end behind the soft time too: how fast it is, is not known before.
        let is_by_time = of_value.time.is_some_and(|time| {
            let ends_early = time.early.is_some() && !self.reaches_depth(control.limits());
            ends_early || report.elapsed >= time.soft
        });
        // The cap bounds the search whatever its limits, so also one without a limit of positions.
        let nodes = of_value.nodes.or(ended_at_cap.then_some(u64::MAX));
        let is_limited = of_value != Limits::default() || ended_at_cap;
        let of_value =
            if is_by_time || ended_at_cap { in_proportion(Limits { nodes, ..of_value }, report) } else { of_value };
        self.value(report, task, control, is_limited.then_some(of_value), shown);
    }

    /// Gives the first move of a report its value: the deeper one of what alpha-beta finds within these limits, if any, and of what was shown.
    ///
    /// Whoever stops the search wants an answer at once: where there is no such value yet, alpha-beta has [`STOPPED_VALUE_NODES`].
    fn value(&self, report: &mut Report, task: &Task, control: &Control, limits: Option<Limits>, shown: Option<Value>) {
        let Some(line) = report.lines.first() else { return };
        let Some(behind) = behind(task, line) else { return };
        let found = limits.and_then(|limits| {
            let least = limits.depth.map_or(LEAST_DEPTH, |depth| depth.plies().min(LEAST_DEPTH));
            let counts = (report.nodes, report.evaluations);
            let answer = self.search.alpha_beta(&behind, &control.with(limits), counts, &mut |_| {});
            (report.nodes, report.evaluations, report.elapsed) = (answer.nodes, answer.evaluations, answer.elapsed);
            Value::of(&report.lines[0], &behind, &answer, least)
        });
        let found = Value::deepest(found, &report.lines[0]);
        // When a value is shown is a matter of the clock: where that is far from its end, it counts only if there is no other.
        let is_near = |time: TimeBudget| time.early.is_some() || report.elapsed >= time.soft / 2;
        let is_clocked = control.is_stopped() || control.limits().time.is_some_and(is_near);
        let shown = shown.filter(|_| is_clocked || found.is_none());
        let mut value = Value::deepest(shown.into_iter().chain(found), &report.lines[0]);
        if value.is_none() && control.is_stopped() {
            let asked = limits.unwrap_or(*control.limits());
            let nodes = asked.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(report.nodes));
            let limits = Limits {
                nodes: Some(nodes.min(STOPPED_VALUE_NODES)),
                evaluations: asked.evaluations.map(|limit| limit.saturating_sub(report.evaluations)),
                ..asked
            };
            let mut search = beside_the_tree(self.search.settings.selectivity);
            let answer = search.think(&behind, &control.unstoppable(limits), &mut |_| {});
            report.nodes += answer.nodes;
            report.evaluations += answer.evaluations;
            report.elapsed = answer.elapsed;
            value = Value::deepest(Value::of(&report.lines[0], &behind, &answer, 1), &report.lines[0]);
        }
        if let Some(value) = value {
            value.give_to(&mut report.lines[0]);
        }
    }
}

/// A search for values of moves that leaves table and threads to the tree.
fn beside_the_tree(selectivity: Selectivity) -> AlphaBeta {
    AlphaBeta::new(AlphaBetaSettings { table_bytes: WATCHED_TABLE, threads: 1, selectivity })
}

/// What a search behind a move says that the move is worth.
#[derive(Clone, Debug)]
struct Value {
    turn: Move,
    score: Score,
    /// Plies searched, that of the move among them.
    plies: u8,
    pv: Vec<Move>,
}

impl Value {
    /// The value of a line's move by the answer to the search behind it; `None` if that has less than the least depth.
    fn of(line: &Line, behind: &Task, answer: &Report, least: u8) -> Option<Value> {
        let best = answer.lines.first()?;
        let plies = answer.depth.plies();
        let seen = plies.unwrap_or(behind.position.empty_count().count());
        let pv = std::iter::once(line.turn).chain(best.pv.iter().copied()).collect();
        let value = Value { turn: line.turn, score: -best.score, plies: seen + 1, pv };
        plies.is_none_or(|plies| plies >= least).then_some(value)
    }

    /// The deepest one of some values of which a line may have one, of equals the last.
    fn deepest(values: impl IntoIterator<Item = Value>, line: &Line) -> Option<Value> {
        // The proof of the tree stands against an estimate for the other side.
        let is_proven = line.depth == SearchDepth::WinLossDraw;
        let agrees = |score: Score| !is_proven || score.units().signum() == line.score.units().signum();
        values
            .into_iter()
            .filter(|value| value.turn == line.turn && agrees(value.score))
            .max_by_key(|value| value.plies)
    }

    /// Gives its line the value.
    fn give_to(self, line: &mut Line) {
        (line.score, line.bound, line.pv, line.value_plies) = (self.score, Bound::Exact, self.pv, Some(self.plies));
    }
}

/// Whether a move is to be played, not a value told.
fn wants_move(task: &Task) -> bool {
    !task.is_analysis && task.precision != Precision::WinLossDraw
}

/// The search that says what the move of a line is worth; `None` where it is known.
fn behind(task: &Task, line: &Line) -> Option<Task> {
    let position = task.position.take(line.turn).ok()?;
    let is_known = position.is_over() || line.depth == SearchDepth::Exact;
    let except = Bitboard::EMPTY;
    (!is_known).then(|| Task { position, lines: 1, margin: None, is_analysis: true, except, ..task.clone() })
}

/// What those who watch see of a tree: its move, with a value of its own. The tree does the same as if nobody watched.
struct Watched {
    search: AlphaBeta,
    /// Positions of the tree at the last report that was shown, and the counts of the searches for values.
    tree_nodes: u64,
    counts: (u64, u64),
    /// The value that was shown last.
    shown: Option<Value>,
}

impl Watched {
    fn new(selectivity: Selectivity) -> Watched {
        Watched { search: beside_the_tree(selectivity), tree_nodes: 0, counts: (0, 0), shown: None }
    }

    /// Shows a report of the tree, unless it is too early to say what its move is worth.
    fn show(&mut self, report: &Report, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) {
        let mut report = Report { lines: report.lines.first().cloned().into_iter().collect(), ..report.clone() };
        let Some(line) = report.lines.first_mut() else { return };
        if let Some(behind) = behind(task, line) {
            let nodes = report.nodes.saturating_sub(self.tree_nodes) / WATCHED_PART;
            if nodes < LEAST_WATCHED_NODES {
                return;
            }
            self.tree_nodes = report.nodes;
            let time = control.limits().time.map(|time| TimeBudget::all_of(time.hard));
            let limits = Limits { nodes: Some(nodes), time, ..Limits::default() };
            let answer = self.search.think(&behind, &control.with(limits), &mut |_| {});
            self.counts = (self.counts.0 + answer.nodes, self.counts.1 + answer.evaluations);
            let found = Value::of(line, &behind, &answer, LEAST_DEPTH);
            let Some(value) = Value::deepest(self.shown.iter().cloned().chain(found), line) else { return };
            value.clone().give_to(line);
            self.shown = Some(value);
        }
        self.count(&mut report);
        sink(&report);
    }

    /// Adds what the values took to what the tree did.
    fn count(&self, report: &mut Report) {
        report.nodes += self.counts.0;
        report.evaluations += self.counts.1;
    }
}

impl Search for Emilia {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        if !self.tree_chooses(task, control) {
            // The moves behind one that is solved are solved too. Behind a forced move, or values between two moves, the tree is of use; the
            // table is there beside it in any case.
            if wants_move(task) && task.position.moves().count() > 1 {
                self.search.stored = None;
            }
            self.search.table.new_search(task.contempt);
            let by_outcome = wants_move(task) && task.margin.is_none();
            let precision = if by_outcome { Precision::OutcomeFirst } else { task.precision };
            return self.search.alpha_beta(&Task { precision, ..task.clone() }, control, (0, 0), sink);
        }
        let (of_tree, _) = parts(control.limits());
        let gives_up = self.gives_up(task, control.plan());
        let of_tree = control.with(of_tree);
        let mut watched = task.is_watched.then(|| Watched::new(self.search.settings.selectivity));
        let (mut report, gave_up) = match &mut watched {
            Some(watched) => {
                let show = &mut |report: &Report| watched.show(report, task, &of_tree, sink);
                self.search.think_until(gives_up, task, &of_tree, show)
            }
            None => self.search.think_until(gives_up, task, &of_tree, sink),
        };
        // What was searched for those who watch, when the clock said so, is no part of the limits: answers do not depend on it.
        let count = |report: &mut Report| watched.iter().for_each(|watched| watched.count(report));
        let show = &mut |report: &Report| {
            let mut report = report.clone();
            count(&mut report);
            sink(&report);
        };
        if !gave_up || !self.lose_by_less(&mut report, task, control, show) {
            let shown = watched.as_ref().and_then(|watched| watched.shown.clone());
            // With a margin the values of all lines are compared: they stay the tree's, until one is chosen.
            if task.margin.is_none() {
                self.value_after_tree(&mut report, task, control, shown);
            }
        }
        count(&mut report);
        report
    }

    fn value_choice(&mut self, answer: &mut Report, task: &Task, control: &Control) {
        if self.tree_chooses(task, control) {
            answer.lines.truncate(1);
            self.value_after_tree(answer, task, control, None);
        }
    }

    fn clear(&mut self) {
        self.search.clear();
    }
}

/// The limits of the tree, and those in which the tree and the search of the move's value are to end.
///
/// The tree has the effort that a depth stands for, and the value is searched as deep or almost, which takes 0.4 to 0.5 of the time of alpha-beta at
/// that depth. Other limits are shared.
fn parts(limits: &Limits) -> (Limits, Limits) {
    let all_but = |n: u64| n - n / VALUE_PART - (n / VALUE_PART).min(LEAST_VALUE_NODES);
    let all_time_but = |time: Duration| {
        let part = time / VALUE_PART as u32;
        time - part - part.min(LEAST_VALUE_TIME)
    };
    let of_tree = Limits {
        depth: limits.depth,
        nodes: limits.nodes.map(all_but),
        evaluations: limits.evaluations.map(all_but),
        time: limits.time.map(|time| {
            // Where no later move can have the time, the tree uses it up, but for what an iteration of the value's search may need to end.
            let last = if time.early.is_none() { time.soft + (time.hard - time.soft) / 2 } else { time.hard };
            TimeBudget { soft: all_time_but(time.soft), hard: all_time_but(last), ..time }
        }),
    };
    let depth = limits.depth.map(|depth| {
        let behind_move = depth.shallower();
        if depth.plies() <= MOST_OF_FULL_VALUE { behind_move } else { behind_move.shallower() }
    });
    (of_tree, Limits { depth, ..*limits })
}

/// The limits of the search of the value where the tree may have ended early or late, after this.
fn in_proportion(of_value: Limits, tree: &Report) -> Limits {
    let more = |n: u64| n + n / VALUE_PART + LEAST_VALUE_NODES;
    let until = tree.elapsed + tree.elapsed / VALUE_PART as u32 + LEAST_VALUE_TIME;
    Limits {
        nodes: of_value.nodes.map(|limit| limit.min(more(tree.nodes))),
        evaluations: of_value.evaluations.map(|limit| limit.min(more(tree.evaluations))),
        // The tree may have gone on beyond the soft time. An iteration that is begun may end.
        time: of_value.time.map(|time| TimeBudget {
            soft: time.hard.min(until),
            hard: time.hard.min(until + until / 8),
            ..time
        }),
        ..of_value
    }
}

#[cfg(test)]
mod tests;
