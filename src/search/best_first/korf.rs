//! Best-first minimax and its extension as Korf and Chickering published them (AAAI-94), for any game, and as engines for Othello.

use super::budget::Budget;
use super::report::{count, report};
use super::schedule::Schedule;
use super::start::Start;
use super::{AlphaBetaStart, ByValue, EndValues, Explorer, FinalMove, OnMemoryCap, Progress, Rules, Tie};
use crate::game::Game;
use crate::othello::Position;
use crate::search::tree::Tree;
use crate::search::{Contempt, Control, Report, Search, Task};

/// Parameters of a best-first search by value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KorfSettings {
    /// What finished games are worth.
    pub ends: EndValues,
    /// How a leaf and the move to play are chosen.
    pub policy: ByValue,
    /// The depth in plies of the principal leaf at which the search ends.
    pub depth: Option<u32>,
    /// What the tree begins with.
    pub start: AlphaBetaStart,
    /// The cap of the stored tree in bytes.
    pub memory: usize,
    /// What happens at the memory cap.
    pub on_memory_cap: OnMemoryCap,
}

impl KorfSettings {
    /// The algorithm of the paper, with 512 MB: the best-valued move, and infinite values at the end of the game.
    pub const fn korf() -> KorfSettings {
        KorfSettings {
            ends: EndValues::Infinite(Tie::Korf),
            policy: ByValue { exploration: 0.0, final_move: FinalMove::BestValue },
            depth: None,
            start: AlphaBetaStart::None,
            memory: 512 << 20,
            on_memory_cap: OnMemoryCap::Rbfms,
        }
    }
}

impl<G: Game> Explorer<G, ByValue> {
    /// A search of this position with these settings, but for their `start`.
    pub fn new(settings: KorfSettings, position: &G) -> Explorer<G, ByValue> {
        let KorfSettings { ends, policy, depth, memory, on_memory_cap, .. } = settings;
        let rules = Rules { ends, contempt: Contempt::NONE, max: position.mover() };
        let mut explorer = Explorer::with_tree(policy, rules, Tree::new(memory, false), on_memory_cap, position);
        explorer.deepest = depth;
        explorer
    }
}

/// The engines `korf-best-first` and `korf-extension`. They keep their tree from move to move.
pub struct KorfBestFirst {
    settings: KorfSettings,
    explorer: Option<Explorer<Position>>,
}

impl KorfBestFirst {
    /// An engine with an empty tree.
    pub fn new(settings: KorfSettings) -> KorfBestFirst {
        KorfBestFirst { settings, explorer: None }
    }
}

impl Search for KorfBestFirst {
    fn think(&mut self, task: &Task, control: &Control, sink: &mut dyn FnMut(&Report)) -> Report {
        let settings = self.settings;
        let explorer = self.explorer.get_or_insert_with(|| Explorer::new(settings, &task.position));
        explorer.begin(&task.position, task.contempt);
        explorer.want_lines(task.lines);
        let evaluator = &*task.evaluator;
        let mut start = Start::new(settings.start);
        let (mut budget, mut schedule) = (Budget::new(control), Schedule::new(control));
        // Whatever the limits, there is to be an answer.
        explorer.expand_root(evaluator);
        let mut last = report(explorer, task, control);
        loop {
            let limit = budget.evaluations();
            start.advance(explorer, limit, evaluator, &mut |work| budget.is_spent(work));
            if budget.is_spent(explorer.work()) {
                break;
            }
            let progress = explorer.step(evaluator, &mut |work| {
                // A step in linear space may last for seconds: a report shows that the search goes on.
                if schedule.is_report_due(work) {
                    count(&mut last, work, control);
                    sink(&last);
                }
                budget.is_spent(work)
            });
            if progress != Progress::Grown {
                break;
            }
            if schedule.is_report_due(explorer.work()) {
                last = report(explorer, task, control);
                sink(&last);
            }
        }
        report(explorer, task, control)
    }

    fn clear(&mut self) {
        self.explorer = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::search::tests::open_positions;

    #[test]
    fn a_tree_that_grows_again_where_it_was_pruned_is_in_order() {
        let evaluator = EvaluatorKind::Mobility.build();
        let settings = KorfSettings { memory: 100 << 10, on_memory_cap: OnMemoryCap::Prune, ..KorfSettings::korf() };
        for (_, position) in open_positions(0..4, |_| 40) {
            let mut search = Explorer::new(settings, &position);
            for i in 0..20_000 {
                assert_eq!(search.step(&*evaluator, &mut |_| false), Progress::Grown);
                if i % 20 == 0 {
                    search.audit().unwrap();
                }
            }
            assert!(search.work().pruned_nodes > 0, "{:?}", search.work());
        }
    }
}
