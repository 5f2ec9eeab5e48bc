//! Best-first minimax with UCT as an Othello engine.

use super::{UctSettings, UctTree};
use crate::othello::Position;
use crate::search::{
    Bound, Budget, Control, Line, MemoryUse, Report, Schedule, Search, SearchDepth, Task, least_depth, line_to,
};

/// The engine. Keeps its tree from move to move.
pub struct Uct {
    settings: UctSettings,
    tree: Option<UctTree<Position>>,
}

impl Uct {
    /// An engine with an empty tree.
    pub fn new(settings: UctSettings) -> Uct {
        Uct { settings, tree: None }
    }
}

impl Search for Uct {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let settings = self.settings;
        let tree = self.tree.get_or_insert_with(|| UctTree::new(settings, &task.position));
        tree.begin(&task.position, task.contempt);
        let evaluator = &*task.evaluator;
        let (mut budget, mut schedule) = (Budget::new(control), Schedule::new(control));
        // Whatever the limits, there is to be an answer.
        if tree.root_moves().is_empty() {
            tree.step(evaluator, &mut |_| false);
        }
        while !budget.is_spent(tree.work()) && tree.step(evaluator, &mut |work| budget.is_spent(work)) {
            if schedule.is_report_due(tree.work()) {
                sink(&report(tree, task, control));
            }
        }
        report(tree, task, control)
    }

    fn clear(&mut self) {
        self.tree = None;
    }
}

fn report(tree: &UctTree<Position>, task: &Task, control: &Control) -> Report {
    let mut lines: Vec<Line> = Vec::new();
    for root_move in tree.root_moves() {
        let (pv, plies) = line_to(&root_move.line);
        // A win that is proven need not be the largest one.
        let depth = if root_move.is_solved() { SearchDepth::WinLossDraw } else { SearchDepth::Plies(plies) };
        let bound = match (root_move.is_solved(), root_move.value.signum()) {
            (true, 1) => Bound::Lower,
            (true, -1) => Bound::Upper,
            _ => Bound::Exact,
        };
        let score = tree.score(root_move.value);
        lines.push(Line { bound, visits: root_move.visits, ..Line::new(pv, score, depth) });
    }
    lines.truncate(task.lines_to_report(&lines));
    let memory = MemoryUse {
        tree_bytes: tree.stored_bytes() as u64,
        tree_nodes: tree.stored_nodes(),
        ended_at_cap: tree.is_full(),
        ..MemoryUse::default()
    };
    let depth = least_depth(&lines);
    tree.work().report(lines, depth, memory, control)
}
