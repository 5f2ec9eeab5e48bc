//! What all threads of a proof share: the graph, the questions already answered, and who is at work on what.

use super::goal::Goal;
use super::graph::{Edge, Graph, Node, ROOT};
use super::leaf::{Examiner, estimate_depth};
use crate::eval::Incremental;
use crate::game::DISC;
use crate::othello::{Position, Square};
use crate::search::best_first::Work;
use crate::search::{Limits, MOST_DISCS, Task};

/// Expected cost in positions up to which a leaf is solved; others are expanded. Costs differ from what is expected by a factor of
/// four and more; of leaves like these one in a hundred costs more than [`LEAF_LIMIT`](super::LEAF_LIMIT).
const TO_SOLVE: f32 = 3_000.0;
/// Expected cost in positions above which a leaf is estimated more deeply before it is expanded.
const TO_ESTIMATE: f32 = 8_000.0;
/// The lesser of the two probabilities up to which an estimate is sure: then no deeper one is made.
const SURE: f32 = 0.02;

/// Moves of a position, at most: a board has four discs at least.
const MOST_KIDS: usize = 60;

/// What is to be done at a leaf. Bounds and middles are in discs for its side to move.
#[derive(Clone, Copy, Debug)]
enum Job {
    Estimate {
        depth: u8,
        middle: i32,
    },
    Solve {
        alpha: i32,
    },
    Expand {
        middle: i32,
    },
    /// Prove the leaf depth first: there is no memory to expand it.
    Decide {
        alpha: i32,
    },
}

/// A leaf that a thread has checked out, with the job there.
#[derive(Clone, Debug)]
pub(super) struct LeafJob {
    path: Vec<u32>,
    position: Position,
    job: Job,
}

/// The result of the job at a leaf.
#[derive(Debug)]
pub(super) enum Answer {
    Estimate(Option<i32>, u8),
    Bound(i32, i32),
    TooLarge,
    Kids(Vec<(Option<Square>, Node)>),
    /// The search was stopped.
    Nothing,
}

/// What a thread is to do next.
#[derive(Debug)]
pub(super) enum Next {
    Leaf(LeafJob),
    /// Wait until another thread has checked in.
    Wait,
    /// Stop: the proof is over.
    Done,
}

/// A turn of the root whose value is known well enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinishedTurn {
    pub turn: Option<Square>,
    /// Bounds on its value in discs, for the side that makes it.
    pub lower: i32,
    pub upper: i32,
}

/// The state of a proof.
pub(super) struct State {
    pub graph: Graph,
    goal: Goal,
    lines: usize,
    /// How far below the best turn, in discs, a turn may be and still be wanted; `None` for a fixed number of lines.
    margin: Option<i32>,
    is_asked: bool,
    /// Turns of the root that are done with, best first.
    pub found: Vec<FinishedTurn>,
    /// Number of leaves checked out.
    out: usize,
    /// Positions that the threads at work may still visit, of those that the limits leave.
    pub reserved: u64,
    /// Whether dropping nodes has not freed enough memory.
    is_full: bool,
    /// Whether the proof is over: everything is known, or it was stopped.
    pub is_over: bool,
    /// Whether the proof is over because everything is known.
    pub is_done: bool,
    /// Number of bounds that were asked for.
    pub questions: u32,
    pub work: Work,
    /// Positions that the largest exact search visited.
    pub largest_leaf: u64,
}

impl State {
    pub fn new(graph: Graph, task: &Task) -> State {
        State {
            graph,
            goal: Goal::new(&task.position, task.contempt, task.precision),
            lines: task.lines,
            // Values are whole discs, so that part of one does not matter.
            margin: task.margin.map(|margin| margin.units().div_euclid(DISC)),
            is_asked: false,
            found: Vec::new(),
            out: 0,
            reserved: 0,
            is_full: false,
            is_over: false,
            is_done: false,
            questions: 0,
            work: Work::default(),
            largest_leaf: 0,
        }
    }

    /// Proven bounds on the best of the turns that are not done with, in discs.
    pub fn bounds(&self) -> (i32, i32) {
        (self.graph.root().lower.into(), self.graph.root().upper.into())
    }

    /// Reserves a part, one in `threads`, of the positions that the limits leave and nobody has reserved, at least one position.
    pub fn reserve(&mut self, limits: &Limits, threads: usize) -> u64 {
        let (nodes, evaluations) = limits.left(self.work.nodes, self.work.evaluations);
        let share = (nodes.min(evaluations).saturating_sub(self.reserved) / threads as u64).max(1);
        self.reserved += share;
        share
    }

    /// Checks out the leaf that is to be worked on next.
    pub fn take(&mut self) -> Next {
        let mut path = Vec::new();
        loop {
            if self.is_over {
                return Next::Done;
            }
            if !self.is_asked || self.graph.root().is_decided() {
                if !self.ask() {
                    (self.is_over, self.is_done) = (true, true);
                }
                continue;
            }
            if !self.graph.descend(&mut path) {
                return Next::Wait;
            }
            let place = path[path.len() - 1];
            let node = self.graph.nodes[place as usize];
            if node.is_decided() {
                self.graph.back_up(&path);
                continue;
            }
            let mut job = self.job(place);
            if matches!(job, Job::Expand { .. }) && self.is_short_of_room() && !self.is_full {
                if self.out > 0 {
                    return Next::Wait;
                }
                self.make_room();
                continue;
            }
            if matches!(job, Job::Expand { .. }) && !self.graph.has_room_for(MOST_KIDS * (self.out + 1)) {
                job = Job::Decide { alpha: self.graph.alpha_of(&node) };
            }
            self.graph.nodes[place as usize].is_busy = true;
            self.out += 1;
            return Next::Leaf(LeafJob { path, position: node.position(), job });
        }
    }

    fn job(&self, place: u32) -> Job {
        let node = &self.graph.nodes[place as usize];
        let middle = self.graph.middle_of(node);
        if place == ROOT {
            // The answer is one of its turns.
            return Job::Expand { middle };
        }
        let cost = self.graph.null_window_cost(node);
        if cost <= TO_SOLVE && !node.is_hard {
            return Job::Solve { alpha: self.graph.alpha_of(node) };
        }
        let depth = estimate_depth(node.empties());
        let p = self.graph.probability(node);
        if cost > TO_ESTIMATE && node.depth < depth && p.min(1.0 - p) > SURE {
            return Job::Estimate { depth, middle };
        }
        Job::Expand { middle }
    }

    /// Does the job at a leaf that is checked out.
    pub fn examine<E: Incremental>(leaf: &LeafJob, examiner: &mut Examiner<'_, E>) -> Answer {
        let position = &leaf.position;
        match leaf.job {
            Job::Estimate { depth, middle } => Answer::Estimate(examiner.estimate(position, depth, middle), depth),
            Job::Expand { middle } => examiner.kids(position, middle).map_or(Answer::Nothing, Answer::Kids),
            Job::Solve { alpha } => {
                examiner.solve(position, alpha).map_or(Answer::TooLarge, |bound| Answer::Bound(alpha, bound))
            }
            Job::Decide { alpha } => {
                examiner.decide(position, alpha).map_or(Answer::Nothing, |bound| Answer::Bound(alpha, bound))
            }
        }
    }

    /// Checks a leaf in with the answer of its job, and backs it up.
    pub fn check_in<E: Incremental>(&mut self, leaf: &LeafJob, answer: Answer, examiner: &mut Examiner<'_, E>) {
        self.out -= 1;
        self.work.linear_nodes += u64::from(matches!(leaf.job, Job::Decide { .. }));
        // Nodes move only while no leaf is checked out, so the places hold.
        let place = leaf.path[leaf.path.len() - 1];
        let node = &mut self.graph.nodes[place as usize];
        node.is_busy = false;
        match answer {
            Answer::Estimate(value, depth) => node.estimate(value, depth),
            Answer::Bound(alpha, bound) => node.learn(alpha, bound),
            Answer::TooLarge => node.is_hard = true,
            Answer::Kids(kids) => {
                // Without memory it stays a leaf; the next visit decides what to do about it.
                let _ = self.graph.expand(place, &kids);
            }
            Answer::Nothing => {}
        }
        self.graph.back_up(&leaf.path);
        for &place in &leaf.path {
            let node = self.graph.nodes[place as usize];
            if node.count > 0 && node.is_decided() && (place != ROOT || self.found.is_empty()) {
                self.write_down(&node, examiner);
            }
        }
    }

    /// Writes what was proven of a node by its children into the transposition table, for the next move of the game.
    fn write_down<E: Incremental>(&self, node: &Node, examiner: &mut Examiner<'_, E>) {
        let alpha = self.graph.alpha_of(node);
        let (lower, upper) = (i32::from(node.lower), i32::from(node.upper));
        let refutes = |kid: u32| -i32::from(self.graph.nodes[kid as usize].upper) >= lower;
        let best = self.graph.kids(node).iter().find(|edge| lower > alpha && refutes(edge.node));
        let bound = if lower > alpha { lower } else { upper };
        examiner.remember(&node.position(), alpha, bound, best.and_then(|edge| edge.turn()));
    }

    /// Asks the next question; `false` if there is none.
    fn ask(&mut self) -> bool {
        loop {
            let goal = self.goal_now();
            let (lower, upper) = self.bounds();
            if let Some(alpha) = goal.next((lower, upper), self.graph.root().value.into()) {
                self.graph.ask(alpha);
                (self.is_asked, self.is_full) = (true, false);
                self.questions += 1;
                return true;
            }
            if !self.note_line() || self.is_enough() {
                return false;
            }
        }
    }

    /// What is to be known of the best of the turns that are not done with.
    fn goal_now(&self) -> Goal {
        match (self.found.len() >= self.lines, self.margin, self.found.first()) {
            (true, Some(margin), Some(best)) => self.goal.above(best.lower - margin - 1),
            _ => self.goal.clone(),
        }
    }

    /// Notes the turn that the last questions were about and leaves it out of those to come. `false` if there was none that
    /// is wanted.
    fn note_line(&mut self) -> bool {
        let (lower, upper) = self.bounds();
        let result = self.goal.result((lower, upper));
        let within =
            |margin| result.zip(self.found.first()).is_some_and(|(result, best)| result >= best.lower - margin);
        if self.found.len() >= self.lines && !self.margin.is_some_and(within) {
            return false;
        }
        let proves = |kid: u32| -i32::from(self.graph.nodes[kid as usize].upper) >= lower;
        let Some(edge) = self.graph.root_kids().find(|edge| proves(edge.node)) else { return false };
        let turn = edge.turn();
        let (lower, upper) = result.map_or((lower, upper), |result| (result, result));
        self.found.push(FinishedTurn { turn, lower, upper });
        true
    }

    fn is_enough(&mut self) -> bool {
        let done: Vec<_> = self.found.iter().map(|found| found.turn).collect();
        if done.len() >= usize::from(self.graph.root().count) || done.len() >= self.lines && self.margin.is_none() {
            return true;
        }
        self.graph.exclude(done);
        false
    }

    /// The turn that would be played now, of those that are not done with: the one that is proven to be worth what all of them
    /// are, unless another one is likely to be worth more.
    pub fn favourite(&self) -> Option<Edge> {
        let root = self.graph.root();
        let kid = |edge: &Edge| &self.graph.nodes[edge.node as usize];
        let proves = |edge: &&Edge| root.lower > -MOST_DISCS as i8 && -kid(edge).upper >= root.lower;
        let proven = self.graph.root_kids().find(proves).filter(|_| root.proof >= root.disproof);
        let likely = || self.graph.root_kids().min_by(|a, b| kid(a).disproof.total_cmp(&kid(b).disproof));
        proven.or_else(likely).copied()
    }

    fn is_short_of_room(&self) -> bool {
        self.graph.is_nearly_full() || !self.graph.has_room_for(MOST_KIDS)
    }

    fn make_room(&mut self) {
        let before = self.graph.nodes.len();
        self.graph.drop_decided();
        self.work.pruned_nodes += (before - self.graph.nodes.len()) as u64;
        self.is_full = self.is_short_of_room();
        self.graph.work_out_everything();
    }
}
