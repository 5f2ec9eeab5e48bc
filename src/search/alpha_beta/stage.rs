//! Stages of an alpha-beta search: what one iteration is to find out.

use super::selective::CUT_FROM;
use super::walk::{SHARE_FROM, SHARE_TO_END_FROM};
use crate::othello::Empties;
use crate::search::selectivity::Selectivity;
use crate::search::{Depth, Limits, Precision, SearchDepth, Task};

/// Plies short of the end of a search that costs about as much as solving the position, near the end.
const SOLVE_SHORT_OF_END: u8 = 9;
/// Plies short of the end of a search that costs at least as much as the most selective solve, far from the end.
const BOLD_SOLVE_SHORT_OF_END: u8 = 12;
/// Number of empty squares from which on every selectivity is a stage before the exact solve; below, fewer stages are quicker.
const ALL_STEPS_FROM: Empties = Empties::new(27).unwrap();
/// Number of empty squares from which on a position is solved selectively before it is solved exactly.
const BOLD_SOLVE_FROM: Empties = Empties::new(17).unwrap();

/// One iteration's goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::search) enum Stage {
    /// A search of a number of plies, then the static evaluation.
    Midgame(u8, Selectivity),
    /// The result under perfect play, as far as the selectivity lets it be seen.
    Solve(Selectivity),
    /// Who wins under perfect play, as far as the selectivity lets it be seen.
    Outcome(Selectivity),
}

impl Stage {
    /// The stages of a search: ever deeper, and then, where the end is near enough for the depth asked for, to the end.
    ///
    /// `midgame` is the selectivity of searches in the middle of the game. If it is [`Selectivity::NONE`], no stage of the solve is
    /// selective either.
    pub(in crate::search) fn plan(task: &Task, limits: &Limits, midgame: Selectivity) -> Vec<Stage> {
        let empties = task.position.empty_count();
        let goals: &[fn(Selectivity) -> Stage] = match task.precision {
            Precision::Score => &[Stage::Solve],
            Precision::OutcomeFirst => &[Stage::Outcome, Stage::Solve],
            Precision::WinLossDraw => &[Stage::Outcome],
        };
        let depth = limits.depth.map(Depth::plies);
        let solves = depth.is_none_or(|depth| empties <= solved_from(depth));
        let last = if solves { last_before_solving(empties) } else { empties.after(1).count() };
        let last = depth.map_or(last, |depth| last.min(depth));
        let bold = midgame < Selectivity::NONE && empties >= BOLD_SOLVE_FROM;
        let is_step = |level: Selectivity| empties >= ALL_STEPS_FROM || level == midgame || level.percent() == 95;
        let solving: Vec<Selectivity> = Selectivity::all()
            .filter(|&level| level == Selectivity::NONE || bold && level >= midgame && is_step(level))
            .collect();
        let solving = goals.iter().flat_map(|goal| solving.iter().copied().map(goal)).filter(|_| solves);
        // The first ply is the static search of all moves, but for a pass, which is none.
        let first = if depth == Some(1) && task.position.must_pass() { 1 } else { 2 };
        (first..=last).map(|depth| Stage::Midgame(depth, midgame)).chain(solving).collect()
    }

    /// Whether several threads can share it, in a position with `empties` empty squares: they do so below the root.
    pub(super) fn can_be_shared(self, empties: Empties) -> bool {
        match self {
            Stage::Midgame(depth, _) => depth > SHARE_FROM,
            Stage::Solve(_) | Stage::Outcome(_) => empties.count() > SHARE_TO_END_FROM,
        }
    }

    pub(in crate::search) fn selectivity(self) -> Selectivity {
        match self {
            Stage::Midgame(_, selectivity) | Stage::Solve(selectivity) | Stage::Outcome(selectivity) => selectivity,
        }
    }

    /// The depth that a line of this stage has, in a position with `empties` empty squares; `is_pass` if its turn is a pass.
    pub(in crate::search) fn label(self, empties: Empties, is_pass: bool) -> SearchDepth {
        match self {
            Stage::Midgame(plies, Selectivity::NONE) => SearchDepth::Plies(plies),
            // Nothing is cut at the root. Behind a pass, which is no ply, the first position may be cut. In the first plies nothing is cut in
            // deeper searches either, but those look into the table, where values with cuts may be.
            Stage::Midgame(plies, _) if plies < CUT_FROM + u8::from(!is_pass) => SearchDepth::Plies(plies),
            Stage::Midgame(plies, selectivity) => SearchDepth::Selective { plies, selectivity },
            Stage::Solve(Selectivity::NONE) => SearchDepth::Exact,
            Stage::Outcome(Selectivity::NONE) => SearchDepth::WinLossDraw,
            Stage::Solve(selectivity) | Stage::Outcome(selectivity) => {
                SearchDepth::Selective { plies: empties.count(), selectivity }
            }
        }
    }
}

/// The last iteration that ends in static evaluations, where the next one solves.
fn last_before_solving(empties: Empties) -> u8 {
    let half = empties.count() / 2 + 1;
    half.max(empties.after(BOLD_SOLVE_SHORT_OF_END).count()).min(empties.after(SOLVE_SHORT_OF_END).count())
}

/// Number of empty squares up to which a search of `depth` plies solves instead. To 16 plies that costs a few times as much as such a search does
/// in the middle of the game, to 20 about sixty times. An empty square makes a solve three times as long, and a ply a search half as long again: so beyond
/// 20 plies only every second one counts.
pub(in crate::search) fn solved_from(depth: u8) -> Empties {
    let far = 28 + depth.saturating_sub(20) / 2;
    let empties = depth.saturating_mul(2).min(depth.saturating_add(8)).min(far);
    Empties::new(empties.max(depth)).unwrap_or(Empties::MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::othello::Position;
    use crate::search::tests::{by_alpha_beta, think, to_depth};
    use crate::search::{AlphaBeta, AlphaBetaSettings};
    use crate::testing::random_position;

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
    fn beyond_twenty_plies_every_second_one_solves_from_one_empty_square_more() {
        let depths = [1, 4, 8, 12, 16, 20, 22, 26, 36, 40, 60];
        assert_eq!(depths.map(|depth| solved_from(depth).count()), [2, 8, 16, 20, 24, 28, 29, 31, 36, 40, 60]);
    }

    #[test]
    fn shallow_searches_and_ends_are_too_small_to_share() {
        let none = Selectivity::NONE;
        let shared = |stage: Stage, empties| stage.can_be_shared(Empties::new(empties).unwrap());
        assert_eq!([5, 6].map(|depth| shared(Stage::Midgame(depth, none), 40)), [false, true]);
        assert_eq!([16, 17].map(|empties| shared(Stage::Solve(none), empties)), [false, true]);
    }

    #[test]
    fn a_value_that_names_no_cuts_is_that_of_full_width() {
        let value = |plies, selectivity, position| {
            let mut search = AlphaBeta::new(AlphaBetaSettings { threads: 1, table_bytes: 1 << 16, selectivity });
            let report = think(&mut search, &Task::new(position, EvaluatorKind::Pattern.build()), to_depth(plies));
            (report.depth, report.lines[0].score)
        };
        let mut differ = [0; 4];
        for position in (0..200).map(|seed| random_position(seed, 36)) {
            for plies in [2, 3] {
                let [bold, full] = [Selectivity::BOLDEST, Selectivity::NONE].map(|s| value(plies, s, position));
                differ[usize::from(plies)] += u32::from(bold.1 != full.1);
                assert_eq!(matches!(bold.0, SearchDepth::Selective { .. }), plies == 3);
            }
        }
        assert!(differ[2] == 0 && differ[3] > 0, "{differ:?}");
    }

    /// A node with more than 52 empty squares is cut from 8 plies on, the root never.
    #[test]
    fn the_first_plies_are_searched_at_full_width() {
        let random = (0..10).flat_map(|seed| [random_position(seed, 57), random_position(seed, 55)]);
        for position in random.chain([Position::START]) {
            let value = |plies, selectivity| {
                let mut search = AlphaBeta::new(AlphaBetaSettings { threads: 1, table_bytes: 1 << 20, selectivity });
                let task = Task::new(position, EvaluatorKind::Pattern.build());
                think(&mut search, &task, to_depth(plies)).lines[0].score
            };
            for plies in 3..=(position.empty_count().count() - 51).min(8) {
                assert_eq!(value(plies, Selectivity::BOLDEST), value(plies, Selectivity::NONE), "{position} {plies}");
            }
        }
    }

    #[test]
    fn a_pass_costs_no_ply() {
        let position = (0..).map(|seed| random_position(seed, 12)).find(Position::must_pass).unwrap();
        let report = by_alpha_beta(&Task::new(position, EvaluatorKind::Mobility.build()), to_depth(1));
        assert_eq!(report.depth, SearchDepth::Plies(1));
    }

    #[test]
    fn a_bold_search_solves_boldly_first() {
        let bold = Selectivity::BOLDEST;
        let plan = Stage::plan(&task(24), &Limits::default(), bold);
        assert!(plan.contains(&Stage::Solve(bold)) && plan.last() == Some(&Stage::Solve(Selectivity::NONE)));
        let labels: Vec<String> =
            plan.iter().map(|stage| stage.label(Empties::new(24).unwrap(), false).to_string()).collect();
        assert!(labels.contains(&"13@73%".to_owned()) && labels.contains(&"24@95%".to_owned()), "{labels:?}");
        assert_eq!(labels.last().unwrap(), "100%");
        // Behind a pass, which is no ply, the first position may be cut.
        let of_two_plies = |is_pass| Stage::Midgame(2, bold).label(Empties::new(24).unwrap(), is_pass).to_string();
        assert_eq!([false, true].map(of_two_plies), ["2", "2@73%"]);
    }
}
