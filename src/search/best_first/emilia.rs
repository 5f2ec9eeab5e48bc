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
use crate::othello::{Bitboard, Empties, Move};
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
/// Positions that are visited for the value of a move when the search was stopped: half a millisecond.
const STOPPED_VALUE_NODES: u64 = 4_000;
/// Positions that solving may be expected to visit, at most, for each position that the limits are worth: then alpha-beta is all but certain
/// to end. Where it does not, the tree knows more: with 0.5, and with a proof in half of the limits, points were lost.
const SOLVABLE: f64 = 1.0 / 16.0;
/// The same where the tree reaches the depth that is asked for well within the limits: then its answer would leave them unused.
const SOLVABLE_TO_A_DEPTH: f64 = 0.5;
/// The same where every move seems to lose: then alpha-beta need not end. With 8 it gains fewer discs.
const SOLVABLE_IF_LOST: f64 = 64.0;
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
    /// An engine that has learnt nothing yet.
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

    /// When the tree gives up: near the end of the game, if positions, evaluations or time are limited.
    fn gives_up(&self, task: &Task, limits: &Limits) -> Option<GivesUp> {
        let positions = positions_worth(limits, self.search.settings.threads).filter(|_| task.margin.is_none())?;
        (solving_cost(task.position.empty_count()) <= SOLVABLE_IF_LOST * positions as f64).then_some(LOST)
    }

    /// Replaces the report of a tree that gave up by that of alpha-beta, in what is left of the limits; whether they sufficed.
    fn lose_by_less(&self, report: &mut Report, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> bool {
        let (memory, least, counts) = (report.memory, report.depth.plies(), (report.nodes, report.evaluations));
        // Meanwhile clients are shown no depth that is less than the tree's.
        let answer = self.search.alpha_beta(task, control, counts, &mut |answer| {
            if answer.depth.plies().is_none_or(|plies| Some(plies) >= least) {
                sink(&Report { memory, ..answer.clone() });
            }
        });
        let is_deep = answer.depth.plies().is_none_or(|plies| plies >= LEAST_DEPTH);
        if is_deep {
            *report = Report { memory, ..answer };
        } else {
            (report.nodes, report.evaluations, report.elapsed) = (answer.nodes, answer.evaluations, answer.elapsed);
        }
        is_deep
    }

    /// Gives the first move of a report its value: the deeper one of what alpha-beta finds within these limits, if any, and of what was shown.
    ///
    /// Whoever stops the search wants an answer at once, and no value of the tree: if there is no other yet, alpha-beta has [`STOPPED_VALUE_NODES`].
    fn value(&self, report: &mut Report, task: &Task, control: &Control, limits: Option<Limits>, shown: Option<Value>) {
        let Some(line) = report.lines.first() else { return };
        let (turn, Some(behind)) = (line.turn, behind(task, line)) else { return };
        let search = |report: &mut Report, control: &Control, least: u8| {
            let answer = self.search.alpha_beta(&behind, control, (report.nodes, report.evaluations), &mut |_| {});
            (report.nodes, report.evaluations, report.elapsed) = (answer.nodes, answer.evaluations, answer.elapsed);
            Value::of(turn, &answer, least)
        };
        let found = limits.and_then(|limits| {
            let least = limits.depth.map_or(LEAST_DEPTH, |depth| depth.plies().min(LEAST_DEPTH));
            search(report, &control.with(limits), least)
        });
        let shown = shown.filter(|value| value.turn == turn);
        // Of equals the last one.
        let mut value = shown.into_iter().chain(found).max_by_key(|value| value.plies);
        if value.is_none() && control.is_stopped() {
            let nodes = Some(report.nodes + STOPPED_VALUE_NODES);
            value = search(report, &control.unstoppable(Limits { nodes, ..Limits::default() }), 1);
        }
        if let Some(value) = value {
            value.give_to(&mut report.lines[0]);
        }
    }
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
    /// The value by the answer to a search behind the move; `None` if that has less than the least depth.
    fn of(turn: Move, answer: &Report, least: u8) -> Option<Value> {
        let best = answer.lines.first()?;
        let plies = answer.depth.plies();
        let pv = std::iter::once(turn).chain(best.pv.iter().copied()).collect();
        let value =
            Value { turn, score: -best.score, plies: plies.unwrap_or(Empties::MOST.count()).saturating_add(1), pv };
        plies.is_none_or(|plies| plies >= least).then_some(value)
    }

    /// Gives a line of its move the value.
    fn give_to(self, line: &mut Line) {
        // The proof of the tree stands against an estimate for the other side.
        if line.depth != SearchDepth::WinLossDraw || self.score.units().signum() == line.score.units().signum() {
            (line.score, line.bound, line.pv, line.value_plies) = (self.score, Bound::Exact, self.pv, Some(self.plies));
        }
    }
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
        let settings = AlphaBetaSettings { table_bytes: WATCHED_TABLE, threads: 1, selectivity };
        Watched { search: AlphaBeta::new(settings), tree_nodes: 0, counts: (0, 0), shown: None }
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
            let Some(value) = Value::of(line.turn, &answer, LEAST_DEPTH) else { return };
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
        let wants_move = !task.is_analysis && task.precision != Precision::WinLossDraw;
        let is_forced = task.position.moves().count() <= 1;
        if !wants_move || is_forced || self.is_solvable(task, control.plan()) {
            // The moves behind one that is solved are solved too. Behind a forced move, or values between two moves, the tree is of use; the
            // table is there beside it in any case.
            if wants_move && !is_forced {
                self.search.stored = None;
            }
            self.search.table.new_search(task.contempt);
            let by_outcome = wants_move && task.margin.is_none();
            let precision = if by_outcome { Precision::OutcomeFirst } else { task.precision };
            return self.search.alpha_beta(&Task { precision, ..task.clone() }, control, (0, 0), sink);
        }
        let (of_tree, of_value) = parts(control.limits());
        let gives_up = self.gives_up(task, control.plan());
        let of_tree = control.with(of_tree);
        let mut shown = None;
        let (mut report, gave_up) = if task.is_watched {
            let mut watched = Watched::new(self.search.settings.selectivity);
            let show = &mut |report: &Report| watched.show(report, task, &of_tree, sink);
            let (mut report, gave_up) = self.search.think_until(gives_up, task, &of_tree, show);
            watched.count(&mut report);
            shown = watched.shown;
            (report, gave_up)
        } else {
            self.search.think_until(gives_up, task, &of_tree, sink)
        };
        if gave_up && self.lose_by_less(&mut report, task, control, sink) {
            return report;
        }
        // With a margin the values of all lines are compared: they stay the tree's.
        if task.margin.is_none() {
            let ended_at_cap = report.memory.ended_at_cap;
            let is_by_time =
                of_value.time.is_some_and(|time| time.early.is_some()) && !self.reaches_depth(control.limits());
            // The cap bounds the search whatever its limits, so also one without a limit of positions.
            let nodes = of_value.nodes.or(ended_at_cap.then_some(u64::MAX));
            let is_limited = of_value != Limits::default() || ended_at_cap;
            let of_value = if is_by_time || ended_at_cap {
                in_proportion(Limits { nodes, ..of_value }, &report)
            } else {
                of_value
            };
            self.value(&mut report, task, control, is_limited.then_some(of_value), shown);
        }
        report
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
        time: limits.time.map(|time| TimeBudget {
            soft: all_time_but(time.soft),
            hard: all_time_but(time.hard),
            ..time
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
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::othello::Position;
    use crate::search::tests::{by_alpha_beta, for_time, open_positions, small_best_first, think, to_depth, visiting};
    use crate::search::{Depth, OnMemoryCap, StopSignal};
    use crate::testing::random_position;
    use std::time::Instant;

    fn settings() -> BestFirstSettings {
        BestFirstSettings { memory: 8 << 20, ..small_best_first(1)[0] }
    }

    fn emilia() -> Emilia {
        Emilia::new(settings())
    }

    fn task(seed: u64, empties: u32) -> Task {
        let (_, position) = open_positions(seed..u64::MAX, |_| empties).next().unwrap();
        Task::new(position, EvaluatorKind::Pattern.build())
    }

    /// What the move of a report is worth, in discs.
    fn worth(task: &Task, report: &Report) -> f64 {
        let position = task.position.take(report.lines[0].turn).unwrap();
        -by_alpha_beta(&Task { position, ..task.clone() }, Limits::default()).lines[0].score.discs()
    }

    #[test]
    fn at_a_depth_the_value_of_the_move_is_that_of_a_search_as_deep_or_almost() {
        for seed in 0..3 {
            for (depth, behind_move) in [(2, 1), (6, 5), (7, 5)] {
                let task = task(100 * seed, 42);
                let settings = BestFirstSettings { selectivity: Selectivity::NONE, ..settings() };
                let report = think(&mut Emilia::new(settings), &task, to_depth(depth));
                let behind = Task { position: task.position.take(report.lines[0].turn).unwrap(), ..task };
                let table_bytes = settings.table_bytes;
                let settings = AlphaBetaSettings { table_bytes, threads: 1, selectivity: Selectivity::NONE };
                let value = think(&mut AlphaBeta::new(settings), &behind, to_depth(behind_move));
                assert_eq!(report.lines[0].score, -value.lines[0].score, "{} to depth {depth}", behind.position);
            }
        }
    }

    #[test]
    fn the_only_move_is_valued_by_alpha_beta() {
        let position = (0..).map(|seed| random_position(seed, 40)).find(|p| p.moves().count() == 1).unwrap();
        let task = Task::new(position, EvaluatorKind::Pattern.build());
        let report = think(&mut emilia(), &task, to_depth(6));
        assert_eq!(report.lines, by_alpha_beta(&task, to_depth(6)).lines);
    }

    #[test]
    fn what_is_solved_follows_from_the_depth_and_the_other_limits() {
        let of = |depth: u8, nodes: u64| Limits {
            depth: Depth::new(depth),
            nodes: (nodes > 0).then_some(nodes),
            ..Limits::default()
        };
        for (limits, most) in [
            // A depth alone, and limits alone.
            (of(8, 0), 16),
            (of(16, 0), 24),
            (of(0, 10_000_000), 19),
            // A depth that the limits reach: as far as they allow, and no further than the depth alone.
            (of(16, 1_000_000_000), 24),
            (of(16, 10_000_000), 22),
            (of(20, 10_000_000), 22),
            // A depth out of reach is none.
            (of(30, 10_000_000), 19),
            (of(60, 10_000_000), 19),
        ] {
            let solvable = |empties| emilia().is_solvable(&task(100, empties), &limits);
            assert_eq!((10..=36).rev().find(|&empties| solvable(empties)), Some(most), "{limits:?}");
        }
        // A second is worth what the solver visits in it, and to a depth what the tree does.
        let second = for_time(Duration::from_secs(1));
        for (threads, limits, most) in
            [(1, second, 21), (2, second, 22), (1, Limits { depth: Depth::new(16), ..second }, 22)]
        {
            let emilia = Emilia::new(BestFirstSettings { threads, ..settings() });
            let solvable = |empties| emilia.is_solvable(&task(100, empties), &limits);
            assert_eq!((10..=36).rev().find(|&empties| solvable(empties)), Some(most), "{limits:?}");
        }
    }

    #[test]
    fn a_tree_that_ends_at_its_memory_cap_ends_the_search() {
        let settings = BestFirstSettings { memory: 1 << 20, on_memory_cap: OnMemoryCap::Stop, ..settings() };
        let task = task(100, 44);
        let ten_minutes = for_time(Duration::from_secs(600));
        for limits in [visiting(100_000_000), ten_minutes, to_depth(30)] {
            let tree = think(&mut BestFirst::new(settings), &task, limits);
            let whole = think(&mut Emilia::new(settings), &task, limits);
            assert!(tree.memory.ended_at_cap && whole.memory.ended_at_cap, "{limits:?}");
            // The value's part, and what is visited until the limits are looked at.
            let most = tree.nodes + tree.nodes / VALUE_PART + LEAST_VALUE_NODES + 1_000;
            assert!((tree.nodes..most).contains(&whole.nodes), "{} of {most}, {limits:?}", whole.nodes);
        }
    }

    #[test]
    fn the_value_takes_its_part_of_what_the_tree_took() {
        let seconds = Duration::from_secs_f64;
        let time = TimeBudget { early: None, soft: seconds(2.0), hard: seconds(5.0) };
        let of_value = Limits { time: Some(time), ..Limits::default() };
        // The tree may have gone on to twice the soft time.
        for (used, soft, hard) in [(1.0, 1.03145, 1.16038), (4.0, 4.1252, 4.64085), (4.9, 5.0, 5.0)] {
            let limits = in_proportion(of_value, &Report { elapsed: seconds(used), ..Report::default() });
            let time = limits.time.unwrap();
            for (limit, expected) in [(time.soft, soft), (time.hard, hard)] {
                assert!((limit.as_secs_f64() - expected).abs() < 1e-4, "{limits:?} after {used} s");
            }
        }
    }

    #[test]
    fn a_clear_choice_ends_a_search_that_may_end_early() {
        let limits = visiting(40_000);
        let ten_minutes = TimeBudget::all_of(Duration::from_secs(600));
        let early = Limits { time: Some(TimeBudget { early: Some(Duration::ZERO), ..ten_minutes }), ..limits };
        let think = |task: &Task, limits| think(&mut emilia(), task, limits);
        let (mut clear, mut same) = (0, 0);
        for seed in 0..20 {
            let task = task(100 * seed, 36);
            let [whole, part] = [limits, early].map(|limits| think(&task, limits));
            assert!(part.lines[0].score.units() != 0 && part.lines[0].depth != SearchDepth::Plies(0), "{part:?}");
            clear += u32::from(part.nodes < whole.nodes / 2);
            same += u32::from(part.lines[0].turn == whole.lines[0].turn);
            let varied = Task { margin: Some(Score::from_discs(1)), ..task };
            assert_eq!(think(&varied, early).nodes, think(&varied, limits).nodes);
        }
        assert!((5..20).contains(&clear) && same >= 18, "{clear} {same}");
        // The first moves are one by symmetry: nothing is to be chosen.
        let start = Task::new(Position::START, EvaluatorKind::Pattern.build());
        assert!(think(&start, early).nodes < 4_000);
    }

    /// The tree's own values are beyond every estimate where it has found a win, and off by many discs elsewhere.
    #[test]
    fn the_value_of_the_move_is_an_estimate_of_discs() {
        let (mut of_tree, mut of_emilia) = (0.0, 0.0);
        for seed in 0..36 {
            let task = task(100 * seed, 20);
            let report = think(&mut emilia(), &task, visiting(20_000));
            assert!(report.nodes <= 20_000 + 400, "{}", report.nodes);
            let truth = worth(&task, &report);
            let tree = think(&mut BestFirst::new(settings()), &task, visiting(20_000));
            of_emilia += (report.lines[0].score.discs() - truth).abs();
            of_tree += (tree.lines[0].score.discs() - truth).abs();
        }
        assert!(of_emilia < 0.8 * of_tree, "{of_emilia} {of_tree}");
    }

    #[test]
    fn who_watches_sees_estimates_of_discs() {
        let (mut of_tree, mut of_watched, mut shown, mut counted) = (0.0, 0.0, 0, 0);
        for seed in 0..12 {
            let task = task(100 * seed, 20);
            let control = Control::with_limits(visiting(400_000));
            let report = BestFirst::new(settings()).think(&task, &control, &mut |_| {});
            let truth = worth(&task, &report);
            Watched::new(settings().selectivity).show(&report, &task, &control, &mut |seen| {
                assert_eq!((seen.lines.len(), seen.lines[0].turn), (1, report.lines[0].turn));
                assert!((report.nodes..=report.nodes + report.nodes / WATCHED_PART + 100).contains(&seen.nodes));
                of_watched += (seen.lines[0].score.discs() - truth).abs();
                of_tree += (report.lines[0].score.discs() - truth).abs();
                shown += 1;
                counted += u32::from(seen.nodes > report.nodes && seen.evaluations > report.evaluations);
            });
        }
        assert!(shown >= 10 && of_watched < 0.8 * of_tree, "{of_watched} {of_tree} of {shown}");
        assert!(counted >= 10, "what the values take is counted: {counted}");
        // Too few positions to say anything.
        let (task, control) = (task(0, 20), Control::with_limits(visiting(10_000)));
        let report = BestFirst::new(settings()).think(&task, &control, &mut |_| {});
        Watched::new(settings().selectivity).show(&report, &task, &control, &mut |_| panic!("{report:?}"));
    }

    #[test]
    fn who_watches_changes_no_move() {
        for seed in 0..4 {
            let [seen, alone] = [true, false].map(|is_watched| {
                let task = Task { is_watched, ..task(100 * seed, 36) };
                emilia().think(&task, &Control::with_limits(visiting(200_000)), &mut |_| {})
            });
            assert_eq!((seen.lines[0].turn, seen.lines[0].visits), (alone.lines[0].turn, alone.lines[0].visits));
            assert!(seen.nodes <= 200_000 + 4_000 && alone.nodes <= 200_000 + 4_000, "{} {}", seen.nodes, alone.nodes);
        }
    }

    #[test]
    fn a_search_that_is_stopped_answers_with_a_value_of_alpha_beta() {
        for (seed, is_watched) in (0..12).map(|seed| (seed, seed % 2 == 0)) {
            let task = Task { is_watched, ..task(100 * seed, 33) };
            for limits in [Limits::default(), for_time(Duration::from_secs(600))] {
                let signal = StopSignal::default();
                let control = Control::new(limits, signal.clone(), Instant::now());
                let mut shown = None;
                let report = emilia().think(&task, &control, &mut |report| {
                    if report.nodes > 150_000 {
                        signal.stop();
                        shown = report.lines.first().cloned();
                    }
                });
                assert!(signal.is_stopped() && report.nodes < 10_000_000, "{report:?}");
                let line = &report.lines[0];
                assert!(line.value_plies.is_some() && line.depth.plies() > line.value_plies, "{report:?}");
                // Who has seen a value of the move hears it again.
                let seen = shown.filter(|seen| is_watched && seen.turn == line.turn);
                assert!(seen.is_none_or(|seen| (seen.score, seen.pv) == (line.score, line.pv.clone())), "{report:?}");
            }
        }
    }

    /// The tree looks for a win: where there is none, its moves lose more discs than they must.
    #[test]
    fn a_lost_game_is_lost_by_few_discs() {
        let (mut of_tree, mut of_emilia, mut lost) = (0.0, 0.0, 0);
        for seed in 0..60 {
            let task = task(100 * seed, 17);
            let best = by_alpha_beta(&task, Limits::default()).lines[0].score.discs();
            if best >= 0.0 || task.position.moves().count() < 2 {
                continue;
            }
            let limits = visiting(40_000);
            let mut emilia = emilia();
            let report = think(&mut emilia, &task, limits);
            let tree = think(&mut BestFirst::new(settings()), &task, limits);
            assert!(report.nodes <= 40_000 + 400, "{}", report.nodes);
            assert_eq!(report.memory.tree_nodes > 0, emilia.search.stored.is_some());
            of_emilia += best - worth(&task, &report);
            of_tree += best - worth(&task, &tree);
            lost += 1;
        }
        assert!(lost >= 20 && of_emilia < 0.5 * of_tree, "{of_emilia} {of_tree} of {lost}");
    }

    #[test]
    fn what_is_shown_of_a_lost_game_is_as_deep_as_the_tree_and_says_what_memory_is_taken() {
        let (mut emilia, task) = (emilia(), task(0, 20));
        let mut report = think(&mut emilia.search, &task, visiting(20_000));
        let (memory, least) = (report.memory, report.depth.plies().unwrap());
        let mut shown = Vec::new();
        let control = Control::with_limits(visiting(2_000_000));
        assert!(emilia.lose_by_less(&mut report, &task, &control, &mut |report| shown.push(report.clone())));
        assert!(
            shown.len() >= 2 && shown.iter().all(|r| r.depth.plies().is_none_or(|plies| plies >= least)),
            "{shown:?}"
        );
        assert!(shown.iter().chain([&report]).all(|report| report.memory == memory));
        // Where hardly anything is left, the tree's answer stays, and says what was visited.
        let mut report = think(&mut emilia.search, &task, visiting(20_000));
        let (lines, before) = (report.lines.clone(), report.nodes);
        emilia.clear();
        let control = Control::with_limits(visiting(before + 100));
        assert!(!emilia.lose_by_less(&mut report, &task, &control, &mut |_| {}));
        assert!(report.lines == lines && report.nodes > before, "{} {before}", report.nodes);
    }

    #[test]
    fn the_tree_gives_up_near_the_end_and_within_limits_alone() {
        let within = |nodes, empties| emilia().gives_up(&task(100, empties), &visiting(nodes)).is_some();
        assert_eq!((10..=36).rev().find(|&empties| within(10_000, empties)), Some(19));
        assert_eq!((10..=36).rev().find(|&empties| within(1_000_000, empties)), Some(26));
        assert!(emilia().gives_up(&task(100, 14), &to_depth(6)).is_none());
        let varied = Task { margin: Some(Score::from_discs(1)), ..task(100, 14) };
        assert!(emilia().gives_up(&varied, &visiting(10_000)).is_none());
    }
}
