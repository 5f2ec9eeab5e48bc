//! The engines `best-first` and `extension`: best-first search as it plays to win.
//!
//! - Leaves are chosen by relevance; the answer is the move that is likeliest to be worth more than the goal. Proofs are backed up, and
//!   any win counts more than any estimate. Where it is known who wins but not by how much, selection is by value and
//!   C·√(ln N / n).
//! - The tempo ([`tempo`](crate::eval::ErrorModel::tempo)) is added to the static value of a leaf: so leaves at different depths
//!   can be compared. A selection bias is added too, see [`SearchedLeaves`]. Near the end leaves have results ([`SearchedLeaves`]).
//! - A position that is reached in several ways has its children once.
//! - Several threads work in shards ([`Shards`]).
//! - A large search of the extension begins with ever deeper alpha-beta for half of the time, which leaves a full table and the move to
//!   beat; then its leaves are searched by a shallow alpha-beta with ProbCut, the deeper the larger the search.
//! - Where a proof of the result can be expected to fit the limits, the result is proven instead, best first ([`Prover`]).
//! - Where alpha-beta can be expected to solve the position in the time there is, the extension gives it all of the time.

use super::budget::evaluations_in_tree;
use super::proof::Prover;
use super::relevance::{ByRelevance, OneTree};
use super::report::report;
use super::schedule::Schedule;
use super::searched_leaves::{self, SearchedLeaves, solving_cost};
use super::shards::{self, Shards};
use super::size_plan::{SizePlan, Spell, positions_worth};
use super::workers::{self, FEW_EXPANSIONS, FIRST_ALONE};
use super::{Component, EndValues, Explorer, OnMemoryCap, Rules};
use crate::eval::{Incremental, with_incremental};
use crate::othello::{Bitboard, Empties, Move, Symmetry};
use crate::search::alpha_beta::deepen;
use crate::search::alpha_beta::walk::Shared;
use crate::search::selectivity::Selectivity;
use crate::search::transposition::TranspositionTable;
use crate::search::tree::Tree;
use crate::search::{Contempt, Control, Depth, Limits, Report, Search, Task, TimeBudget};
use parking_lot::{Mutex, MutexGuard};

/// Positions that alpha-beta is expected to visit before it knows the result, per position that the time limit is worth: at most at
/// this ratio alpha-beta gets all of the time. Then it is certain to know much of the result.
const NEAR_THE_END: f64 = 8.0;
/// Positions that the solver may be expected to visit, at most, for a position that is solved at once in a search without a limit.
/// A costlier one is searched by value before that.
pub(super) const PROVABLE: f64 = 1e9;
/// The limit of a search in positions, per position that the solver is expected to visit: from this ratio on a position is proven
/// within a limit. Costs differ from what is expected, and an unfinished proof is no help in the choice of a move. The tree, which
/// finds wins first, is.
const TO_PROVE: f64 = 16.0;
/// Positions of the first spell, of best-first search and alpha-beta together: where there is no limit, the two alternate. Each further
/// spell has twice as many.
const FIRST_SPELL: u64 = 400_000;
/// C of the search by value, in standard deviations of the evaluation's error.
const EXPLORATION: f32 = 1.4;

/// When a search ends since every move seems to lose.
#[derive(Clone, Copy)]
pub(super) struct GivesUp {
    /// The part of the limits that it uses first.
    pub after: f64,
    /// The largest value of the root, as long as nothing is proven of who wins.
    pub value: i32,
}

impl GivesUp {
    fn holds(self, top: &OneTree) -> bool {
        let root = top.root();
        root.value <= self.value && root.lower <= 0 && root.upper >= 0
    }
}

/// One search: what is to be searched and how far, and who sees the reports.
struct Run<'a, E: Incremental> {
    evaluation: &'a E,
    task: &'a Task,
    control: &'a Control,
    gives_up: Option<GivesUp>,
    sink: &'a mut dyn FnMut(&Report),
}

/// Parameters of the engines `best-first` and `extension`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BestFirstSettings {
    /// Whether alpha-beta begins, and is only overruled by what the tree finds worth more.
    pub alpha_beta_first: bool,
    /// The cap of the stored tree in bytes.
    pub memory: usize,
    /// What happens at the memory cap.
    pub on_memory_cap: OnMemoryCap,
    /// Size of the transposition table in bytes.
    pub table_bytes: usize,
    /// Threads, at least 1. One thread visits the same positions every time. A tree of less than 16 MB has one, whatever this is.
    pub threads: usize,
    /// The selectivity of alpha-beta: how sure its cuts by shallower searches are.
    pub selectivity: Selectivity,
    /// The component that is left out. Then one thread searches.
    pub without: Option<Component>,
}

impl BestFirstSettings {
    /// Best-first search from the root on.
    pub const fn best_first() -> BestFirstSettings {
        BestFirstSettings {
            alpha_beta_first: false,
            memory: 512 << 20,
            on_memory_cap: OnMemoryCap::Prune,
            table_bytes: 64 << 20,
            threads: 1,
            selectivity: Selectivity::BOLDEST,
            without: None,
        }
    }

    /// Best-first search that begins with alpha-beta.
    pub const fn extension() -> BestFirstSettings {
        BestFirstSettings { alpha_beta_first: true, ..BestFirstSettings::best_first() }
    }
}

/// The engine. Keeps its tree and its table from move to move.
pub struct BestFirst {
    pub(super) settings: BestFirstSettings,
    pub(super) table: TranspositionTable,
    pub(super) stored: Option<Stored>,
}

/// The stored tree or trees, kept from move to move.
pub(super) enum Stored {
    /// One tree.
    Tree(Box<OneTree>),
    /// A tree for each part of the search.
    Shards(Box<Mutex<Shards>>),
}

impl Stored {
    /// The tree that has the root.
    fn top(&mut self) -> &mut OneTree {
        match self {
            Stored::Tree(search) => search,
            Stored::Shards(shards) => &mut shards.get_mut().top,
        }
    }

    fn report(&mut self, task: &Task, control: &Control) -> Report {
        match self {
            Stored::Tree(search) => report(search, task, control),
            Stored::Shards(shards) => shards.get_mut().report(task, control),
        }
    }

    /// Searches in the tree or the trees until the limits or the end, or until it gives up. Returns whether it did.
    fn explore<'a, E: Incremental + 'a>(
        &mut self,
        shared: &'a Shared<'a, E>,
        threads: usize,
        leaves: &(dyn Fn(Rules) -> SearchedLeaves<'a, E> + Sync),
        run: &mut Run<'_, E>,
    ) -> bool {
        let (task, control, gives_up) = (run.task, shared.control, run.gives_up);
        let mut schedule = Schedule::new(control);
        let mut gave_up = false;
        let one_choice = is_one_choice(task);
        let rules = self.top().rules;
        // Who takes a report may take long over it: the others are to be at work by then.
        let begins_alone = matches!(self, Stored::Shards(_)) && leaves(rules).are_static();
        let alone = if begins_alone { FIRST_ALONE } else { 0 };
        let least = alone.max(FEW_EXPANSIONS);
        let is_report_due = |schedule: &mut Schedule<'_>, top: &OneTree| {
            top.work().expansions >= least && schedule.is_report_due(top.work())
        };
        let mut goes_on = |schedule: &mut Schedule<'_>, top: &OneTree| {
            gave_up = gives_up.is_some_and(|rule| schedule.has_used(rule.after, top.work()) && rule.holds(top));
            !gave_up && !(schedule.may_end_early(top.work()) && (one_choice || top.is_choice_clear()))
        };
        match self {
            Stored::Tree(search) => workers::work_alone(search, &mut leaves(rules), task, &mut |search| {
                if is_report_due(&mut schedule, search) {
                    (run.sink)(&report(search, task, control));
                }
                goes_on(&mut schedule, search)
            }),
            Stored::Shards(shards) => {
                workers::work_together(shards, (threads, alone), &|| leaves(rules), task, &mut |shards| {
                    if is_report_due(&mut schedule, &shards.top) {
                        let report = shards.report(task, control);
                        // Who watches may search for values: the others go on meanwhile.
                        MutexGuard::unlocked(shards, || (run.sink)(&report));
                    }
                    goes_on(&mut schedule, &shards.top)
                })
            }
        }
        let top = self.top();
        (top.work.nodes, top.work.evaluations) = shared.counts();
        if gave_up && !gives_up.is_some_and(|rule| rule.holds(top)) {
            // The last steps have changed that: the tree has the rest.
            return self.explore(shared, threads, leaves, &mut Run { gives_up: None, sink: run.sink, ..*run });
        }
        gave_up
    }

    /// The answer: the tree's, unless alpha-beta, if it began, knows the result, or the tree holds nothing worth more than the
    /// move that alpha-beta found. More visits alone are no reason to leave that.
    fn answer(&mut self, start: Option<Report>, task: &Task, control: &Control) -> Report {
        let top = self.top();
        let is_small = !top.is_solved() && top.work().expansions < FEW_EXPANSIONS;
        let is_worth_more_than = |start: &Report| {
            let moves = top.root_moves();
            let found = moves.iter().find(|m| m.line[0].map_or(Move::Pass, Move::Place) == start.lines[0].turn);
            found.is_none_or(|found| found.value < moves[0].value)
        };
        match start {
            Some(start) if is_small || start.depth.knows_winner() => start,
            Some(start) if task.lines == 1 && !is_worth_more_than(&start) => start,
            _ => self.report(task, control),
        }
    }
}

impl BestFirst {
    /// An engine that has learned nothing yet.
    pub fn new(settings: BestFirstSettings) -> BestFirst {
        let threads = if settings.without.is_some() { 1 } else { settings.threads };
        let settings = BestFirstSettings { threads, ..settings };
        BestFirst { settings, table: TranspositionTable::new(settings.table_bytes), stored: None }
    }

    /// Whether the search has a component.
    fn has(&self, component: Component) -> bool {
        self.settings.without != Some(component)
    }

    /// The tree or the trees, with what they hold of the task's position.
    fn prepare(&mut self, task: &Task, plan: SizePlan) -> Stored {
        let BestFirstSettings { memory, on_memory_cap, threads, .. } = self.settings;
        // Whether a move wins comes first where it is to be played; where values are wanted, it would spoil them.
        let wins_first = self.has(Component::WinsFirst) && !task.is_analysis;
        let ends = if wins_first { EndValues::WinFirst } else { EndValues::Outcome };
        let rules = Rules { ends, contempt: Contempt::NONE, max: task.position.mover() };
        // A tree has either all moves of its root or some.
        let is_usable = |stored: &mut Stored| stored.top().rules.ends == ends && task.except.is_empty();
        // A tree that is of no use goes before the new one takes memory.
        let kept = self.stored.take().and_then(|mut stored| is_usable(&mut stored).then_some(stored));
        let mut stored = kept.unwrap_or_else(|| {
            if threads > 1 && memory >= shards::LEAST_MEMORY {
                return Stored::Shards(Box::new(Mutex::new(Shards::new(memory, on_memory_cap, rules, &task.position))));
            }
            let mut policy = ByRelevance::default();
            policy.is_by_value = !self.has(Component::Relevance);
            let tree = Tree::new(memory, self.has(Component::SharedPositions));
            Stored::Tree(Box::new(Explorer::with_tree(policy, rules, tree, on_memory_cap, &task.position)))
        });
        let exploration =
            EXPLORATION * searched_leaves::evaluation_error(task.evaluator.error_model(), task.position.empty_count());
        // What alpha-beta finds out first makes the old values worth less than the time they save: 34 against 45 %.
        let is_kept = !plan.begins_with_alpha_beta && self.has(Component::TreeReuse);
        match &mut stored {
            Stored::Shards(shards) => shards.get_mut().begin(task, exploration, is_kept),
            Stored::Tree(search) => {
                if !is_kept {
                    search.clear();
                }
                search.begin(&task.position, task.contempt);
                search.want_lines(task.lines);
                search.policy.exploration = exploration;
            }
        }
        stored.top().leave_out(task.except);
        stored
    }

    /// Thinks about a task within the limits, or until the tree gives up. Returns whether it did.
    pub(super) fn think_until(
        &mut self,
        gives_up: Option<GivesUp>,
        task: &Task,
        control: &Control,
        sink: &mut dyn FnMut(&Report),
    ) -> (Report, bool) {
        self.table.new_search(task.contempt);
        let control = control.with(without_depth(control.limits(), task));
        with_incremental!(&*task.evaluator, evaluation => {
            self.think_with(&mut Run { evaluation, task, control: &control, gives_up, sink })
        })
    }

    /// Iterative-deepening alpha-beta with this engine's table, counting from `counts`.
    pub(super) fn alpha_beta(
        &self,
        task: &Task,
        control: &Control,
        counts: (u64, u64),
        sink: &mut dyn FnMut(&Report),
    ) -> Report {
        with_incremental!(&*task.evaluator, evaluation => {
            let threads = self.settings.threads;
            let shared = Shared::new(evaluation, task, &self.table, control).counting_from(counts).for_threads(threads);
            deepen(&shared, self.settings.selectivity, threads, task, sink)
        })
    }

    fn think_with<E: Incremental>(&mut self, run: &mut Run<'_, E>) -> (Report, bool) {
        let (task, control) = (run.task, run.control);
        let total = positions_worth(&without_depth(control.plan(), task), self.settings.threads);
        let empties = task.position.empty_count();
        if self.is_to_be_proven(empties, total, FIRST_SPELL) {
            return (self.prove(run, (0, 0)), false);
        }
        let is_near_the_end = |total: u64| {
            let has_alpha_beta = SizePlan::new(self.settings.alpha_beta_first, total).begins_with_alpha_beta;
            has_alpha_beta && solving_cost(empties) <= NEAR_THE_END * total as f64
        };
        if total.is_some_and(is_near_the_end) {
            return (self.alpha_beta(task, control, (0, 0), run.sink), false);
        }
        self.search_by_value(run, total)
    }

    /// Whether a position is proven by a search that can visit `total` positions, or by an unlimited one whose next spell is of `spell` positions.
    fn is_to_be_proven(&self, empties: Empties, total: Option<u64>, spell: u64) -> bool {
        let cost = solving_cost(empties);
        match total {
            _ if !self.has(Component::Proofs) => false,
            None => cost <= PROVABLE.max(spell as f64),
            // An unfinished proof says less than the alpha-beta that the extension has instead.
            Some(total) => !self.settings.alpha_beta_first && cost * TO_PROVE <= total as f64,
        }
    }

    /// Searches in the tree, which alpha-beta may begin, until the limits, or until the tree gives up; returns whether it did. Where there is no limit
    /// the two alternate, each spell longer than the one before, until the position is to be proven. `total`: the positions that it can visit, if it is
    /// limited.
    fn search_by_value<E: Incremental>(&mut self, run: &mut Run<'_, E>, total: Option<u64>) -> (Report, bool) {
        let (task, control) = (run.task, run.control);
        let mut spell = total.unwrap_or(FIRST_SPELL);
        let mut plan = SizePlan::new(self.settings.alpha_beta_first, spell);
        let mut stored = self.prepare(task, plan);
        let error = |empties| searched_leaves::evaluation_error(task.evaluator.error_model(), empties);
        let empties = task.position.empty_count();
        let mut counts = (0, 0);
        let mut start: Option<Report> = None;
        let mut gave_up = false;
        loop {
            let after = |before| total.is_none().then_some(Spell { before, worth: spell });
            if plan.begins_with_alpha_beta {
                let part = control.with(SizePlan::limits_of_alpha_beta(control.limits(), after(counts.0)));
                let report = self.alpha_beta(task, &part, counts, run.sink);
                counts = (report.nodes, report.evaluations);
                let is_solved = report.depth.knows_winner();
                start = Some(report);
                if is_solved || control.must_stop(counts.0, counts.1) {
                    break;
                }
            }
            stored.top().set_deviations(empties.and_fewer().rev().map(|left| plan.deviation * error(left)).collect());
            let limits = plan.limits_of_tree(control.limits(), after(counts.0));
            let may_end_early = !plan.begins_with_alpha_beta && self.has(Component::Relevance);
            let part = control.with(until_clear(&limits, may_end_early, task));
            let shared = Shared::new(run.evaluation, task, &self.table, &part).counting_from(counts);
            let mut shared = shared.for_threads(self.settings.threads);
            if !self.has(Component::Tempo) {
                // Without an error model static leaves have neither the tempo nor the selection bias.
                shared.errors = None;
            }
            let spreads = task.evaluator.error_model().filter(|_| self.has(Component::Spread));
            let leaves =
                |rules| SearchedLeaves::new(&shared, rules, self.settings.selectivity, plan.leaf_depth, spreads);
            gave_up = stored.explore(&shared, self.settings.threads, &leaves, run);
            counts = shared.counts();
            let is_over = control.must_stop(counts.0, counts.1) || control.is_past_soft_time();
            if total.is_some() || gave_up || is_over || stored.top().is_done() || stored.top().ended_at_cap() {
                break;
            }
            spell *= 2;
            if self.is_to_be_proven(empties, total, spell) {
                drop(stored);
                return (self.prove(run, counts), false);
            }
            plan = SizePlan::new(self.settings.alpha_beta_first, counts.0 + spell);
        }
        let mut answer = stored.answer(start, task, control);
        self.stored = task.except.is_empty().then_some(stored);
        (answer.nodes, answer.evaluations) = counts;
        answer.elapsed = control.elapsed();
        (answer, gave_up)
    }

    /// Proves the value of a position. The tree of the search by value is freed for the proof's. A proof looks at all moves: where some are left
    /// out, alpha-beta solves it.
    fn prove<E: Incremental>(&mut self, run: &mut Run<'_, E>, counts: (u64, u64)) -> Report {
        let Run { evaluation, task, control, .. } = *run;
        self.stored = None;
        if !task.except.is_empty() {
            return self.alpha_beta(task, control, counts, run.sink);
        }
        let (table, selectivity) = (&self.table, self.settings.selectivity);
        let (threads, memory) = (self.settings.threads, self.settings.memory);
        Prover { evaluation, task, table, control, selectivity, threads, memory }.prove(counts, run.sink)
    }
}

/// Limits in which a depth stands for evaluations, by the time that alpha-beta spends on it, and the end of the game for the result.
fn without_depth(limits: &Limits, task: &Task) -> Limits {
    let mut limits = *limits;
    let empties = task.position.empty_count();
    if let Some(depth) = limits.depth.take().map(Depth::plies).filter(|&depth| !empties.are_within(depth)) {
        let evaluations = evaluations_in_tree(depth);
        limits.evaluations = Some(limits.evaluations.map_or(evaluations, |limit| limit.min(evaluations)));
    }
    limits
}

/// Limits in which a tree goes on until its choice is clear: from the early time on, to twice the soft time. It ends early so often that it
/// takes about the soft time in the mean, but where it is proven who wins: that is never clear. Time that no later move can have is
/// used up: a tree has no iteration that it could be too late for.
///
/// With a margin the choice is among several moves; behind alpha-beta a young tree has seen little, and without relevance no choice is ever clear:
/// `may_end_early` says whether it is neither of these two.
fn until_clear(limits: &Limits, may_end_early: bool, task: &Task) -> Limits {
    let goes_on = task.margin.is_none() && may_end_early;
    let time = limits.time.map(|time| match time.early {
        Some(_) if goes_on => TimeBudget { soft: time.hard.min(time.soft.saturating_mul(2)), ..time },
        Some(_) => TimeBudget { early: None, ..time },
        None => TimeBudget { soft: time.hard, ..time },
    });
    Limits { time, ..*limits }
}

/// Whether all moves that may be chosen are one by the position's symmetry, so that there is nothing to choose.
fn is_one_choice(task: &Task) -> bool {
    let moves = task.position.moves() & !task.except;
    let Some(first) = moves.into_iter().next() else { return true };
    let images = Symmetry::of(&task.position).fold(Bitboard::EMPTY, |all, symmetry| all | symmetry.square(first).bit());
    (moves & !images).is_empty()
}

impl Search for BestFirst {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        self.think_until(None, task, control, sink).0
    }

    fn clear(&mut self) {
        self.table.clear();
        self.stored = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::game::DISC;
    use crate::othello::Position;
    use crate::search::tests::{open_positions, small_best_first, visiting};
    use crate::search::{Score, StopSignal};
    use web_time::Instant;

    #[test]
    fn a_tree_on_a_clock_may_take_twice_its_share() {
        let seconds = std::time::Duration::from_secs;
        let of = |early, soft, hard| Limits {
            time: Some(TimeBudget { early, soft: seconds(soft), hard: seconds(hard) }),
            ..Limits::default()
        };
        let task = Task::new(Position::START, EvaluatorKind::Pattern.build());
        let varied = Task { margin: Some(Score::from_discs(1)), ..task.clone() };
        let early = Some(seconds(1));
        for (limits, may_end_early, task, expected) in [
            (of(early, 2, 9), true, &task, of(early, 4, 9)),
            (of(early, 2, 3), true, &task, of(early, 3, 3)),
            (of(None, 2, 9), true, &task, of(None, 9, 9)),
            (of(early, 2, 9), true, &varied, of(None, 2, 9)),
            (of(early, 2, 9), false, &task, of(None, 2, 9)),
        ] {
            assert_eq!(until_clear(&limits, may_end_early, task), expected);
        }
    }

    #[test]
    fn a_search_that_gives_up_stands_by_it_or_uses_its_limits() {
        let [settings, _] = small_best_first(1);
        let mut given_up = 0;
        for (seed, position) in open_positions(0..400, |seed| 20 + (seed % 12) as u32) {
            let task = Task::new(position, EvaluatorKind::Pattern.build());
            let mut search = BestFirst::new(settings);
            let rule = GivesUp { after: 0.25, value: (seed as i32 % 9 - 4) * DISC };
            let control = Control::with_limits(visiting(6_000));
            let (report, gave_up) = search.think_until(Some(rule), &task, &control, &mut |_| {});
            given_up += u32::from(gave_up);
            let root = search.stored.as_mut().unwrap().top().root();
            let stands = if gave_up {
                root.value <= rule.value && report.nodes >= 1_500
            } else {
                report.nodes >= 5_900 || root.is_solved()
            };
            assert!(stands, "{position} {}", report.nodes);
        }
        assert!((100..300).contains(&given_up), "{given_up}");
    }

    #[test]
    fn where_it_is_known_behind_every_move_who_wins_the_depth_says_so() {
        let [settings, _] = small_best_first(1);
        let mut known = 0;
        for (_, position) in open_positions(0..300, |seed| 11 + (seed % 4) as u32) {
            let task = Task::new(position, EvaluatorKind::Pattern.build());
            let mut search = BestFirst::new(settings);
            let report = search.think(&task, &Control::with_limits(visiting(2_000)), &mut |_| {});
            let Some(Stored::Tree(top)) = &search.stored else { continue };
            let knows_winner = |m| top.proven(m).is_some_and(|(depth, _)| depth.knows_winner());
            if !top.is_done() && top.root_moves().iter().all(knows_winner) {
                assert!(report.depth.knows_winner(), "{position} {report:?}");
                known += 1;
            }
        }
        assert!(known > 3, "{known}");
    }

    /// So large that the extension begins with alpha-beta.
    const LARGE: u64 = 1_600_000;

    #[test]
    fn the_extension_plays_what_its_tree_holds_worth_more_than_the_move_of_alpha_beta() {
        let [_, settings] = small_best_first(1);
        let mut overruled = 0;
        // It does so in none of the first 60 positions, and in 20 of the next 300.
        for seed in [60, 70, 79, 87] {
            let (_, position) = open_positions(seed..seed + 1, |_| 40).next().unwrap();
            let task = Task::new(position, EvaluatorKind::Pattern.build());
            let (mut search, mut of_alpha_beta) = (BestFirst::new(settings), None);
            let control = Control::with_limits(visiting(LARGE));
            let report = search.think(&task, &control, &mut |report| {
                if report.memory.tree_nodes == 0 {
                    of_alpha_beta = Some(report.lines[0].turn);
                }
            });
            let moves = search.stored.as_mut().unwrap().top().root_moves();
            let value = |turn| moves.iter().find(|m| m.line[0].map(Move::Place) == Some(turn)).unwrap().value;
            let (of_alpha_beta, answer) = (of_alpha_beta.unwrap(), report.lines[0].turn);
            assert_eq!(answer == of_alpha_beta, value(of_alpha_beta) >= moves[0].value, "{position}");
            overruled += u32::from(answer != of_alpha_beta);
        }
        assert!((1..4).contains(&overruled), "{overruled}");
    }

    #[test]
    fn where_the_tree_of_the_extension_has_not_begun_alpha_beta_answers() {
        let [_, settings] = small_best_first(1);
        let (_, position) = open_positions(0..9, |_| 40).next().unwrap();
        let task = Task { lines: 2, ..Task::new(position, EvaluatorKind::Pattern.build()) };
        let signal = StopSignal::default();
        let control = Control::new(visiting(LARGE), signal.clone(), Instant::now());
        let mut last = Vec::new();
        let report = BestFirst::new(settings).think(&task, &control, &mut |report| {
            if report.depth.plies().is_some_and(|plies| plies >= 6) {
                signal.stop();
            }
            last = report.lines.clone();
        });
        assert_eq!((report.lines, report.memory.tree_nodes), (last, 0));
    }

    #[test]
    fn the_extension_begins_a_new_tree_behind_alpha_beta() {
        for [_, settings] in [1, 2].map(small_best_first) {
            let (_, position) = open_positions(0..9, |_| 40).next().unwrap();
            let task = Task::new(position, EvaluatorKind::Pattern.build());
            let mut search = BestFirst::new(settings);
            let [first, second] = [(); 2].map(|()| {
                // A full table would make a larger tree.
                search.table.clear();
                search.think(&task, &Control::with_limits(visiting(LARGE)), &mut |_| {});
                search.stored.as_mut().unwrap().top().root().visits
            });
            let is_new = if settings.threads == 1 { second == first } else { 2 * second < 3 * first };
            assert!(is_new, "{first} {second} by {} threads", settings.threads);
        }
    }
}
