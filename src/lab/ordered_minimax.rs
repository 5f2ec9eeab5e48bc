//! Alpha-beta that stores nothing, as a part of searches that count their work.

use crate::eval::Evaluator;
use crate::game::Game;
use crate::search::{Contempt, MinimaxKind, PlainCounts, PlainResult, Work, plain_minimax};

/// Searches a position by [`plain_minimax`] with ordered moves and adds to the work; `None` if `stop` said so meanwhile.
pub(super) fn ordered_minimax<G: Game>(
    position: &G,
    depth: u32,
    evaluator: &dyn Evaluator<G>,
    contempt: Contempt,
    work: &mut Work,
    stop: &mut dyn FnMut(&Work) -> bool,
) -> Option<PlainResult<G::Move>> {
    let before = *work;
    let sum = |counts: &PlainCounts| {
        let (nodes, evaluations) = (before.nodes + counts.visited, before.evaluations + counts.evaluations);
        Work { nodes, evaluations, ..before }
    };
    let mut stopped = false;
    let result = plain_minimax(MinimaxKind::Ordered, position, depth, evaluator, contempt, &mut |counts| {
        stopped = stop(&sum(counts));
        stopped
    });
    *work = sum(&result.counts);
    (!stopped).then_some(result)
}
