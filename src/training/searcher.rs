//! The search that plays games, labels positions and measures errors.

use crate::eval::Evaluator;
use crate::othello::Position;
use crate::search::{AlphaBeta, AlphaBetaSettings, Control, Depth, Limits, Report, Search, Selectivity, Task};
use std::sync::Arc;

/// Alpha-beta with one thread and one evaluation.
pub(super) struct Searcher {
    search: AlphaBeta,
    evaluator: Arc<dyn Evaluator<Position>>,
}

impl Searcher {
    /// A search with an empty table of this size.
    pub(super) fn new(
        table_bytes: usize,
        selectivity: Selectivity,
        evaluator: Arc<dyn Evaluator<Position>>,
    ) -> Searcher {
        let search = AlphaBeta::new(AlphaBetaSettings { table_bytes, threads: 1, selectivity });
        Searcher { search, evaluator }
    }

    /// Empties the table.
    pub(super) fn clear(&mut self) {
        self.search.clear();
    }

    /// Searches a position to this depth, or to the end of the game.
    pub(super) fn think(&mut self, position: Position, depth: Option<Depth>) -> Report {
        let task = Task::new(position, Arc::clone(&self.evaluator));
        let limits = Limits { depth, ..Limits::default() };
        self.search.think(&task, &Control::with_limits(limits), &mut |_| {})
    }
}
