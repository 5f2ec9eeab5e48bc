//! What one iteration is to find out.

use super::walk::DEEP_FROM;
use crate::search::selectivity::Selectivity;
use crate::search::{Depth, Limits, Precision, SearchDepth, Task};

/// Solving a position near its end costs about as much as searching it so many plies short of it.
const SOLVE_SHORT_OF_END: u8 = 9;
/// Far from the end a bold solve costs no more than a search so many plies short of it.
const BOLD_SOLVE_SHORT_OF_END: u8 = 12;
/// From so many empty squares on every level of boldness is a step on the way; below, fewer steps are quicker.
const ALL_STEPS_FROM: u8 = 27;
/// From so many empty squares on a position is solved boldly before it is solved exactly.
const BOLD_SOLVE_FROM: u8 = 17;

/// One iteration's goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search) enum Stage {
    /// So many plies, then the static evaluation.
    Midgame(u8, Selectivity),
    /// The result under perfect play, as far as the selectivity lets it be seen.
    Solve(Selectivity),
    /// Who wins under perfect play, as far.
    Outcome(Selectivity),
}

impl Stage {
    /// Ever deeper, and then, where the end is near enough for the depth asked for, to the end.
    ///
    /// `midgame` is how bold searches in the middle of the game are. Where that is not at all, the way to the end is not
    /// either.
    pub(in crate::search) fn plan(task: &Task, limits: &Limits, midgame: Selectivity) -> Vec<Stage> {
        let empties = task.position.empties().count() as u8;
        let solve = match task.precision {
            Precision::Score => Stage::Solve,
            Precision::WinLossDraw => Stage::Outcome,
        };
        let depth = limits.depth.map(Depth::plies);
        let solves = depth.is_none_or(|depth| empties <= solved_from(depth));
        let last = if solves { last_before_solving(empties) } else { empties.saturating_sub(1) };
        let last = depth.map_or(last, |depth| last.min(depth));
        let bold = midgame < Selectivity::NONE && empties >= BOLD_SOLVE_FROM;
        let is_step = |level: Selectivity| empties >= ALL_STEPS_FROM || [73, 95].contains(&level.percent());
        let solving = Selectivity::all()
            .filter(|&level| level == Selectivity::NONE || bold && level >= midgame && is_step(level));
        (2..=last).map(|depth| Stage::Midgame(depth, midgame)).chain(solving.filter(|_| solves).map(solve)).collect()
    }

    pub(in crate::search) fn selectivity(self) -> Selectivity {
        match self {
            Stage::Midgame(_, selectivity) | Stage::Solve(selectivity) | Stage::Outcome(selectivity) => selectivity,
        }
    }

    /// How the depth of a line of this stage is shown, in a position with so many empty squares.
    pub(in crate::search) fn label(self, empties: u8) -> SearchDepth {
        match self {
            Stage::Midgame(plies, Selectivity::NONE) => SearchDepth::Plies(plies),
            // So near to the leaves nothing is cut.
            Stage::Midgame(plies, _) if plies <= DEEP_FROM => SearchDepth::Plies(plies),
            Stage::Midgame(plies, selectivity) => SearchDepth::Selective { plies, selectivity },
            Stage::Solve(Selectivity::NONE) => SearchDepth::Exact,
            Stage::Outcome(Selectivity::NONE) => SearchDepth::WinLossDraw,
            Stage::Solve(selectivity) | Stage::Outcome(selectivity) => {
                SearchDepth::Selective { plies: empties, selectivity }
            }
        }
    }
}

/// The last iteration that ends in static evaluations, where the next one solves.
fn last_before_solving(empties: u8) -> u8 {
    let half = empties / 2 + 1;
    half.max(empties.saturating_sub(BOLD_SOLVE_SHORT_OF_END)).min(empties.saturating_sub(SOLVE_SHORT_OF_END))
}

/// From how many empty squares on a search of this depth solves instead: what costs no more than such a search does in
/// the middle of the game.
pub(in crate::search) fn solved_from(depth: u8) -> u8 {
    depth.saturating_mul(2).min(depth.saturating_add(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::testing::random_position;

    fn to_depth(depth: u8) -> Limits {
        Limits { depth: Depth::new(depth), ..Limits::default() }
    }

    fn task(empties: u32) -> Task {
        let position = (0..).map(|seed| random_position(seed, empties)).find(|p| p.empties().count() == empties);
        Task::new(position.unwrap(), EvaluatorKind::Mobility.build())
    }

    #[test]
    fn the_plan_solves_near_the_end() {
        let none = Selectivity::NONE;
        let midgame = |depth| Stage::Midgame(depth, none);
        assert_eq!(Stage::plan(&task(12), &Limits::default(), none), [midgame(2), midgame(3), Stage::Solve(none)]);
        assert_eq!(Stage::plan(&task(20), &to_depth(3), none), [midgame(2), midgame(3)]);
        assert_eq!(Stage::plan(&task(1), &to_depth(1), none), [Stage::Solve(none)]);
        assert_eq!(Stage::plan(&task(10), &to_depth(60), none).last(), Some(&Stage::Solve(none)));
        let outcome = Task { precision: Precision::WinLossDraw, ..task(10) };
        assert_eq!(Stage::plan(&outcome, &Limits::default(), none).last(), Some(&Stage::Outcome(none)));
    }

    #[test]
    fn a_bold_search_solves_boldly_first() {
        let bold = Selectivity::BOLDEST;
        let plan = Stage::plan(&task(24), &Limits::default(), bold);
        assert!(plan.contains(&Stage::Solve(bold)) && plan.last() == Some(&Stage::Solve(Selectivity::NONE)));
        let labels: Vec<String> = plan.iter().map(|stage| stage.label(24).to_string()).collect();
        assert!(labels.contains(&"13@73%".to_owned()) && labels.contains(&"24@95%".to_owned()), "{labels:?}");
        assert_eq!(labels.last().unwrap(), "100%");
    }
}
