//! The turns of the position in question, and what is reported of them.

use super::stage::Stage;
use super::walk::{DEEP_FROM, Node, Shared, Walk};
use crate::eval::Incremental;
use crate::game::DISC;
use crate::othello::{GameRecord, Move, Position, Square};
use crate::search::ordering::{Candidate, Candidates};
use crate::search::selectivity::Selectivity;
use crate::search::{BEYOND, Bound, Contempt, Line, Precision, Report, Score, SearchDepth, Task};

/// Half the width of the first window around the value that the last iteration leads to expect, in units of [`DISC`].
const ASPIRATION: i32 = 3 * DISC;
/// The same where the last iteration was a solve too, less sure than this one: most often it was right, and results are even.
const ASPIRATION_OF_SOLVED: i32 = DISC;
/// How near the bounds that null windows find must be for one to be the value, where that is an estimate, in units of [`DISC`].
const NEAR_BOUNDS: i32 = DISC / 2;
/// How much less than the leader a move may seem to be worth to be played unsearched in place of a leader that loses, where the score
/// counts too. What it seems to be worth may be as old as its static value: where it was never good enough, no search said more.
const WORTH_A_TRY: i32 = 8 * DISC;
/// Plies before the leaves whose moves the table does not keep.
const UNSTORED: usize = DEEP_FROM as usize - 1;

/// A turn at the root.
struct Root<S> {
    child: Node<S>,
    line: Line,
    /// What the last iteration that asked for a value said, in units of [`DISC`].
    guess: i32,
    /// How far it looked for that.
    guess_depth: SearchDepth,
    /// The least result that is proven, by its sign alone: 1, 0, or −1 for nothing.
    proven: i32,
}

/// What came of an iteration.
struct Iteration {
    /// Roots whose value it found.
    known: usize,
    /// Roots that it searched.
    searched: usize,
    /// Whether it went through all that were to be searched.
    is_complete: bool,
}

/// The search of one position: ever deeper, its turns in the order of what the last iteration found.
pub(super) struct RootSearch<'a, E: Incremental> {
    task: &'a Task,
    walk: Walk<'a, E>,
    /// Half the width of the first window of this iteration.
    aspiration: i32,
}

impl<'a, E: Incremental> RootSearch<'a, E> {
    pub(super) fn new(task: &'a Task, shared: &'a Shared<'a, E>) -> RootSearch<'a, E> {
        RootSearch { task, walk: Walk::new(shared), aspiration: ASPIRATION }
    }

    /// Goes through the stages until one is the last or the control says stop. Before the first that several threads can share it calls for help.
    pub(super) fn run(
        &mut self,
        plan: &[Stage],
        call_for_help: &mut dyn FnMut(),
        sink: &mut dyn FnMut(&Report),
    ) -> Report {
        let control = self.walk.shared.control;
        let mut roots = self.static_roots();
        let mut report = self.report(&roots, roots.len());
        for &stage in plan {
            if control.is_past_soft_time() || self.walk.report_counts() {
                break;
            }
            if stage.can_be_shared(self.task.position.empty_count()) {
                call_for_help();
            }
            let Iteration { known, searched, is_complete } = self.iteration(&mut roots, stage);
            let solved = matches!(stage, Stage::Solve(_));
            self.aspiration = if solved { ASPIRATION_OF_SOLVED } else { ASPIRATION };
            if is_complete {
                report = self.report(&roots, known);
            } else if known > 0 && self.task.lines == 1 && self.task.margin.is_none() {
                report = self.interrupted_report(&roots, stage, searched, &report);
            } else {
                break;
            }
            self.round(&mut report, stage);
            sink(&report);
            if !is_complete {
                break;
            }
        }
        self.walk.report_counts();
        (report.nodes, report.evaluations) = self.walk.shared.counts();
        report.elapsed = control.elapsed();
        report
    }

    /// Makes results of a solve such as a game can have. Where ProbCut cut, all that is known is that the result lies beyond a window of 1/128
    /// disc.
    fn round(&self, report: &mut Report, stage: Stage) {
        if matches!(stage, Stage::Solve(_)) {
            let (contempt, mover) = (self.task.contempt, self.task.position.mover());
            report.lines.iter_mut().for_each(|line| line.score = contempt.nearest_result(line.score, mover));
        }
    }

    /// Every turn with the static value of the position it leads to: the search of one ply, which is always done.
    fn static_roots(&mut self) -> Vec<Root<E::State>> {
        let position = &self.task.position;
        let moves = position.moves();
        let wanted = moves & !self.task.except;
        let turns = wanted.into_iter().map(Move::Place).chain(moves.is_empty().then_some(Move::Pass));
        let mut roots: Vec<Root<E::State>> = turns
            .map(|turn| {
                let child = self.walk.node(position.take(turn).expect("a legal turn"));
                // The solver says nothing when it is told to stop, and here the result is known.
                let value = match child.position.is_over() {
                    true => self.task.contempt.outcome(&child.position),
                    false => self.walk.value(&child, 0, -BEYOND, BEYOND),
                };
                let score = Score::from_units(-value);
                let depth = SearchDepth::Plies(u8::from(turn != Move::Pass));
                let line = Line::new(vec![turn], score, depth);
                Root { child, guess: score.units(), guess_depth: depth, line, proven: -1 }
            })
            .collect();
        roots.sort_by_key(|root| -root.line.score);
        roots
    }

    /// Searches the roots in their order and sorts the ones whose value is known, best first, to the front; returns how
    /// many these are. Stops early if the control says so.
    ///
    /// Where a search may cut, what it finds depends on the windows. There the best move is looked for as if it alone were asked for, and the
    /// others after it. So its value depends on the number of lines only by what the table holds.
    fn iteration(&mut self, roots: &mut [Root<E::State>], stage: Stage) -> Iteration {
        self.walk.boldness.selectivity = stage.selectivity();
        let wants_more = self.task.lines > 1 || self.task.margin.is_some();
        if !wants_more || stage.selectivity() == Selectivity::NONE || matches!(stage, Stage::Outcome(_)) {
            return self.pass(roots, stage, 0, (self.task.lines, self.task.margin), BEYOND);
        }
        let best = self.pass(roots, stage, 0, (1, None), BEYOND);
        if !best.is_complete {
            return best;
        }
        let ceiling = roots[0].line.score.units();
        self.pass(roots, stage, best.known, (self.task.lines, self.task.margin), ceiling)
    }

    /// Searches the roots from the `first` on; those before it have a value. `wanted` are this many moves, and those within a margin. What seems
    /// to be worth more than `ceiling` is worth that.
    fn pass(
        &mut self,
        roots: &mut [Root<E::State>],
        stage: Stage,
        first: usize,
        wanted: (usize, Option<Score>),
        ceiling: i32,
    ) -> Iteration {
        let mut known = first;
        for i in first..roots.len() {
            let floor = floor(&roots[..known], wanted);
            if floor >= ceiling || matches!(stage, Stage::Outcome(_)) && floor >= DISC {
                // Nothing is better than this, or than to win.
                return Iteration { known, searched: i, is_complete: true };
            }
            let value = self.root_value(&roots[i], stage, (floor, ceiling));
            let is_wanted = value > floor && self.keeps_outcome(roots, i, stage);
            if self.walk.shared.is_stopped() {
                return Iteration { known, searched: i, is_complete: false };
            }
            if !is_wanted {
                continue;
            }
            // A stop here only makes the line shorter.
            let pv = self.expected_play(&roots[i], stage, value);
            self.note(&mut roots[i], stage, value, pv);
            // Among equals the one searched first stays first.
            let place = roots[..known].partition_point(|root| root.line.score >= roots[i].line.score);
            roots[place..=i].rotate_right(1);
            known += 1;
        }
        Iteration { known, searched: roots.len(), is_complete: true }
    }

    /// Notes the value that a stage has found for a turn.
    fn note(&self, root: &mut Root<E::State>, stage: Stage, value: i32, pv: Vec<Move>) {
        let is_outcome = matches!(stage, Stage::Outcome(_));
        // Where the value is asked for next, or the outcome is not certain, there is an estimate on the right side.
        let is_estimate = self.task.precision == Precision::OutcomeFirst || stage.selectivity() < Selectivity::NONE;
        // What is proven of the outcome, a bolder search may miss.
        let is_sure = is_outcome || root.proven < 0 || stage.selectivity() == Selectivity::NONE;
        // With a worth of their own, draws are results of one disc.
        let least = if self.task.contempt == Contempt::NONE { 2 * DISC } else { DISC };
        let value = if is_sure { value } else { value.max(root.proven * least) };
        let (score, bound) = match (is_outcome, value.signum()) {
            (true, 1) if is_estimate => (root.guess.max(DISC), Bound::Exact),
            (true, -1) if is_estimate => (root.guess.min(-DISC), Bound::Exact),
            (true, 1) => (value, Bound::Lower),
            (true, -1) => (value, Bound::Upper),
            _ => (value, Bound::Exact),
        };
        let mut depth = stage.label(self.task.position.empty_count(), root.line.turn == Move::Pass);
        if !is_outcome {
            (root.guess, root.guess_depth) = (value, depth);
        } else if stage.selectivity() == Selectivity::NONE {
            root.proven = value.signum();
        }
        if is_outcome && value != 0 && stage.selectivity() < Selectivity::NONE {
            depth = root.guess_depth;
        }
        root.line = Line { score: Score::from_units(score), bound, depth, pv, ..root.line.clone() };
    }

    /// Whether a turn has the best outcome that is proven, where a stage may be wrong about that. Asks if it is not known.
    fn keeps_outcome(&mut self, roots: &mut [Root<E::State>], i: usize, stage: Stage) -> bool {
        let needed = roots.iter().map(|root| root.proven).max().unwrap_or(-1);
        let may_err = matches!(stage, Stage::Solve(selectivity) if selectivity < Selectivity::NONE);
        if !may_err || roots[i].proven >= needed {
            return true;
        }
        let selectivity = std::mem::replace(&mut self.walk.boldness.selectivity, Selectivity::NONE);
        let floor = (needed - 1) * DISC;
        let keeps = -self.child_value(&roots[i], stage, -floor - 1, -floor) > floor;
        self.walk.boldness.selectivity = selectivity;
        if self.walk.shared.is_stopped() || !keeps {
            return false;
        }
        roots[i].proven = needed;
        true
    }

    /// The exact value of a turn if it is between the floor and the ceiling, else a bound at or below the floor, or the ceiling.
    fn root_value(&mut self, root: &Root<E::State>, stage: Stage, (floor, ceiling): (i32, i32)) -> i32 {
        let (mut reach, is_mtdf, guess) = (self.aspiration, self.walk.shared.is_mtdf, root.guess.min(ceiling));
        let mut value = |low: i32, high: i32| -self.child_value(root, stage, -high, -low);
        if matches!(stage, Stage::Outcome(_)) {
            return value(floor.max(-DISC), DISC).clamp(-DISC, DISC);
        }
        if is_mtdf {
            let near = if matches!(stage, Stage::Solve(_)) { 1 } else { NEAR_BOUNDS };
            return mtdf((floor, ceiling), guess, near, value);
        }
        let (mut low, mut high) = ((guess - reach).max(-BEYOND), (guess + reach).min(ceiling));
        if floor > -BEYOND {
            let first = value(floor, floor + 1);
            if first <= floor {
                return first;
            }
            (low, high) = (floor, (first + reach).min(ceiling));
        }
        loop {
            let found = value(low, high);
            reach *= 4;
            if found <= low && low > floor.max(-BEYOND) {
                low = (found - reach).max(-BEYOND);
            } else if found >= high && high < ceiling {
                high = (found + reach).min(ceiling);
            } else {
                return found.min(ceiling);
            }
        }
    }

    fn child_value(&mut self, root: &Root<E::State>, stage: Stage, alpha: i32, beta: i32) -> i32 {
        let depth = match stage {
            Stage::Midgame(depth, _) => depth - u8::from(root.line.turn != Move::Pass),
            Stage::Solve(_) | Stage::Outcome(_) => u8::MAX,
        };
        self.walk.value(&root.child, depth, alpha, beta)
    }

    /// The expected play behind a turn: the best moves that the table remembers, and in a solved position the rest of
    /// the game, found by solving again what the table has forgotten.
    fn expected_play(&mut self, root: &Root<E::State>, stage: Stage, value: i32) -> Vec<Move> {
        let mut game = GameRecord::from_position(root.child.position);
        let mut value = -value;
        let mut depth = match stage {
            Stage::Solve(_) | Stage::Outcome(_) => usize::MAX,
            Stage::Midgame(depth, _) => usize::from(depth - u8::from(root.line.turn != Move::Pass)),
        };
        while depth > 0 && !game.position().is_over() {
            let position = *game.position();
            let moves = position.moves();
            if moves.is_empty() {
                game.take(Move::Pass).expect("a pass is forced");
                value = -value;
                continue;
            }
            let proven = stage.selectivity() == Selectivity::NONE;
            let square = match stage {
                Stage::Midgame(..) if depth <= UNSTORED => self.best_at_depth(&position, depth as u8),
                // The side that loses may do what it likes.
                Stage::Outcome(_) if proven && value < 0 => self.solving_move(&position, -BEYOND),
                Stage::Solve(_) | Stage::Outcome(_) if proven => self.solving_move(&position, value),
                _ => self.walk.shared.table.probe(&position).and_then(|entry| entry.best),
            };
            let Some(square) = square else { break };
            let is_extended = matches!(stage, Stage::Midgame(..)) && self.singular(&position, depth) == Some(square);
            game.take(Move::Place(square)).expect("a legal move");
            value = -value;
            depth -= usize::from(!is_extended);
        }
        std::iter::once(root.line.turn).chain(game.turns().iter().copied()).collect()
    }

    /// The move of a position that is searched a ply deeper than the others, where no search decides that.
    fn singular(&mut self, position: &Position, depth: usize) -> Option<Square> {
        let mut children = Candidates::none();
        children.add(position, position.moves());
        let node = self.walk.node(*position);
        self.walk.singular(&node, depth as u8, None, &children)
    }

    /// The best move by a search of its own: the last plies of a line, which the table does not keep. `None` if there is no time to find it.
    fn best_at_depth(&mut self, position: &Position, depth: u8) -> Option<Square> {
        let best = position.moves().into_iter().min_by_key(|&square| {
            let child = self.walk.node(position.after(square));
            self.walk.value(&child, depth - 1, -BEYOND, BEYOND)
        });
        best.filter(|_| !self.walk.shared.is_stopped())
    }

    /// A move worth at least this, the value of a solved position, the table's own first; `None` if there is no time to
    /// find it.
    fn solving_move(&mut self, position: &Position, value: i32) -> Option<Square> {
        let mut children = Candidates::none();
        children.add(position, position.moves());
        children.sort_by_replies(self.walk.shared.table.probe(position).and_then(|entry| entry.best));
        let keeps = |candidate: &&Candidate| {
            let child = self.walk.node(candidate.child);
            -self.walk.value(&child, u8::MAX, -value, 1 - value) >= value && !self.walk.shared.is_stopped()
        };
        children.iter().find(keeps).map(|candidate| candidate.square)
    }

    /// What is known when an iteration was cut short after at least one root.
    ///
    /// The leader of the roots searched so far is the expected best move or a better one. If it turned out worse than
    /// expected it is still the one to play: what the last iteration said of the others are bounds, often no more than
    /// that they are not better than the best move seemed to be. The leader was compared with all others only in the last
    /// iteration, so that one's depth is what counts.
    ///
    /// Where it was asked who wins, a leader that loses says nothing of the others: the first one that was not `searched` is the one to
    /// play, with what earlier iterations said of it, unless it would lose many more discs.
    fn interrupted_report(&self, roots: &[Root<E::State>], stage: Stage, searched: usize, before: &Report) -> Report {
        let is_lost = matches!(stage, Stage::Outcome(_)) && roots[0].line.score.units() < 0;
        let counts_discs = self.task.precision == Precision::OutcomeFirst;
        let is_worth_it = |next: &&Root<E::State>| !counts_discs || next.guess >= roots[0].guess - WORTH_A_TRY;
        let line = match roots.get(searched).filter(|_| is_lost).filter(is_worth_it) {
            Some(next) => next.line.clone(),
            None => Line { depth: before.depth, ..roots[0].line.clone() },
        };
        // What is proven, a bolder stage may contradict.
        let line = match before.lines[0].score {
            _ if before.depth != SearchDepth::WinLossDraw => line,
            proven if proven.units().signum() == line.score.units().signum() => line,
            proven => Line { score: proven, ..line },
        };
        Report { depth: line.depth, lines: vec![line], ..self.report(roots, 1) }
    }

    /// What is known, of the first `known` roots.
    fn report(&self, roots: &[Root<E::State>], known: usize) -> Report {
        let ((nodes, evaluations), own) = (self.walk.shared.counts(), self.walk.unreported());
        let mut lines: Vec<Line> = roots[..known].iter().map(|root| root.line.clone()).collect();
        lines.truncate(self.task.lines_to_report(&lines));
        Report {
            depth: lines[0].depth,
            lines,
            nodes: nodes + own.0,
            evaluations: evaluations + own.1,
            elapsed: self.walk.shared.control.elapsed(),
            ..Report::default()
        }
    }
}

/// The value that a further move must exceed to be of interest, where this many moves are wanted, and those within a margin of the best.
fn floor<S>(known: &[Root<S>], (lines, margin): (usize, Option<Score>)) -> i32 {
    if known.len() < lines {
        return -BEYOND;
    }
    let last_wanted = known[lines - 1].line.score.units();
    match margin {
        Some(margin) => last_wanted.min(known[0].line.score.units() - margin.units() - 1),
        None => last_wanted,
    }
}

/// MTD(f): the value that null windows find, a lower bound that is as `near` to an upper one, if it is between the floor and the ceiling, else a
/// bound at or below the floor, or the ceiling.
fn mtdf((floor, ceiling): (i32, i32), guess: i32, near: i32, mut value: impl FnMut(i32, i32) -> i32) -> i32 {
    let (mut low, mut high) = (floor, ceiling);
    let mut next = if floor > -BEYOND { floor + 1 } else { guess };
    // What is not known to exceed the floor is searched once at least.
    while high - low >= near || low == floor {
        let bound = next.clamp(low + 1, high);
        let found = value(bound - 1, bound);
        if found >= bound {
            low = found;
            next = found + near;
        } else {
            high = found;
            next = found - near + 1;
        }
        if high <= floor {
            return high;
        }
    }
    low.min(ceiling)
}
