//! Several lines in linear space: the root's moves are searched in turn, each by a search of its own.
//!
//! A search in linear space forgets its tree when it is left. So every turn of a move does its search again from the
//! beginning, which is the same nodes in the same order, and goes on for as long again: half of the work is lost, but
//! no memory is taken. Until it is further than before, the move keeps what was known of it.

use super::{Call, INFINITY, MoveVisits, RbfmsSettings, Recursion, Sibling, report};
use crate::othello::{Position, Square};
use crate::search::best_first::{Budget, EndgameSolver, Rules, SOLVED_EMPTIES, Schedule, StaticLeaves, Work};
use crate::search::tree::{after, turns};
use crate::search::{Control, Report, Task};
use std::cmp::Reverse;

/// Calls in the first turn of a move.
const FIRST_SLICE: u64 = 32;

/// A move at the root with its search.
#[derive(Clone)]
struct Candidate {
    sibling: Sibling<Square>,
    known: MoveVisits,
    /// Calls of its longest turn, after which its value and its line are what they are.
    reached: u64,
}

impl Candidate {
    /// Moves of which only the static value is known come last: it does not compare with that of a search.
    fn rank(&self) -> (bool, Reverse<i32>) {
        (self.reached == 0 && !self.sibling.solved, Reverse(self.sibling.value))
    }
}

/// A search for several lines.
pub(super) struct LinearLines<'a> {
    task: &'a Task,
    control: &'a Control,
    rules: Rules,
    budget: Budget<'a>,
    schedule: Schedule<'a>,
    work: Work,
    solver: EndgameSolver,
    candidates: Vec<Candidate>,
}

impl<'a> LinearLines<'a> {
    pub fn new(task: &'a Task, control: &'a Control, rules: Rules) -> LinearLines<'a> {
        let mut work = Work { expansions: 1, linear_nodes: 1, ..Work::default() };
        let candidate = |turn| {
            let node = rules.new_node(turn, &after(&task.position, turn), &*task.evaluator, &mut work);
            let sibling = Sibling { turn, value: -node.value, solved: node.is_solved() };
            Candidate { sibling, known: MoveVisits { turn, visits: 0, line: vec![turn] }, reached: 0 }
        };
        let candidates = turns(&task.position).map(candidate).collect();
        let solver = EndgameSolver::new(SOLVED_EMPTIES);
        let (budget, schedule) = (Budget::new(control), Schedule::new(control));
        LinearLines { task, control, rules, budget, schedule, work, solver, candidates }
    }

    /// Searches until a limit is reached or the results of all moves are known.
    pub fn think(mut self, sink: &mut dyn FnMut(&Report)) -> Report {
        while !self.budget.is_spent(&self.work) {
            self.candidates.sort_by_key(Candidate::rank);
            let Some(i) = self.choose() else { break };
            self.search(i, sink);
        }
        report_of(self.task, self.control, &self.rules, &self.candidates, &self.work)
    }

    /// The move whose turn it is, if one is left that is not solved. The candidates are in order.
    fn choose(&self) -> Option<usize> {
        let visits = |i: &usize| self.candidates[*i].known.visits;
        let open = || (0..self.candidates.len()).filter(|&i| !self.candidates[i].sibling.solved);
        let wanted = self.wanted();
        let mut lines = open().filter(|&i| i < wanted);
        let Some(leader) = lines.next() else {
            // The wanted ones are known if none of the others proves to be better.
            return open().min_by_key(visits);
        };
        // Each begins with a short search, the wanted ones first.
        if let Some(unsearched) = open().find(|i| visits(i) == 0) {
            return Some(unsearched);
        }
        // Then half of the work is the leader's and the others share the rest.
        let others: Vec<usize> = lines.collect();
        let spent: u64 = others.iter().map(visits).sum();
        let neglected = others.into_iter().min_by_key(visits);
        Some(neglected.filter(|_| visits(&leader) > spent).unwrap_or(leader))
    }

    /// How many of the candidates, which are in order, the task asks for.
    fn wanted(&self) -> usize {
        let best = self.candidates.first().map_or(0, |best| best.sibling.value);
        let within = |value: i32| self.task.margin.is_some_and(|margin| value >= best - margin.units());
        let good = self.candidates.iter().take_while(|candidate| within(candidate.sibling.value)).count();
        good.max(self.task.lines)
    }

    /// One turn of the `i`th candidate.
    fn search(&mut self, i: usize, sink: &mut dyn FnMut(&Report)) {
        let LinearLines { task, control, rules, budget, schedule, work, solver, candidates } = self;
        let turn = candidates[i].sibling.turn;
        let position = after(&task.position, turn);
        if solver.takes(&position) {
            candidates[i].known.visits += 1;
            work.expansions += 1;
            work.linear_nodes += 1;
            let exact = solver.solve(&position, rules.contempt, work, &mut |work| budget.is_spent(work));
            if let Some(value) = exact {
                candidates[i].sibling = Sibling { turn, value: -value, solved: true };
            }
            return;
        }
        let before = candidates[i].reached;
        let slice = FIRST_SLICE.max(2 * before);
        let mut calls = 0;
        let mut observe = |call: Call<'_, Position>| {
            let candidate = &mut candidates[i];
            if calls >= before {
                candidate.sibling.value = -call.stack.backed_up(call.value, 0);
                candidate.known.line.truncate(1);
                candidate.known.line.extend(call.stack.line());
                candidate.reached = calls;
            }
            calls += 1;
            candidate.known.visits += 1;
            if schedule.is_report_due(call.work) {
                sink(&report_of(task, control, rules, candidates, call.work));
            }
            // The first call is to give the position children.
            !call.stack.is_empty() && calls > slice
        };
        // Without early returns every value is that of a search, none a bound.
        let settings = RbfmsSettings { early_return: false, ..RbfmsSettings::default() };
        let value = rules.new_node(turn, &position, &*task.evaluator, work).value;
        let is_spent = &mut |work: &Work| budget.is_spent(work);
        let mut leaves = StaticLeaves::new(*rules, &*task.evaluator, is_spent).solving(solver);
        let mut recursion = Recursion::new(*rules, settings, &mut leaves, *work, &mut observe);
        let answer = recursion.run(&position, value, -INFINITY, INFINITY, 0);
        let (stack, solved) = (recursion.stack, answer.solved);
        *work = recursion.work;
        if solved {
            let candidate = &mut candidates[i];
            candidate.sibling = Sibling { turn, value: -answer.value, solved };
            // The last line that was searched need not be the one that is best.
            let reply = stack.root()[0].turn;
            if candidate.known.line.get(1) != Some(&reply) {
                candidate.known.line = vec![turn, reply];
            }
        }
    }
}

fn report_of(task: &Task, control: &Control, rules: &Rules, candidates: &[Candidate], work: &Work) -> Report {
    let mut ranked: Vec<&Candidate> = candidates.iter().collect();
    ranked.sort_by_key(|candidate| candidate.rank());
    let root = ranked.into_iter().map(|candidate| (candidate.sibling, Some(&candidate.known)));
    report(task, control, rules, root, work)
}
