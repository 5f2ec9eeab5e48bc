//! What a search of some size does.

use crate::search::{Limits, TimeBudget};

/// Positions a second that one thread searches, about: what a time limit is worth.
const SPEED: f64 = 8e6;

/// How many positions a search with these limits can visit, if it is limited.
pub(super) fn positions_worth(limits: &Limits, threads: usize) -> Option<u64> {
    positions_in(limits, SPEED * threads as f64)
}

/// How many positions they allow at this number a second.
fn positions_in(limits: &Limits, speed: f64) -> Option<u64> {
    let by_time = limits.time.map(|time| (time.soft.as_secs_f64() * speed) as u64);
    limits.nodes.into_iter().chain(limits.evaluations).chain(by_time).min()
}

/// Positions a second that one thread visits where the end of the game is searched, about.
const SOLVING_SPEED: f64 = 4e7;

/// How many positions of the end of the game a search with these limits can visit, if it is limited.
pub(super) fn solving_worth(limits: &Limits, threads: usize) -> Option<u64> {
    positions_in(limits, SOLVING_SPEED * threads as f64)
}

/// A spell of a search without limits, in each of which alpha-beta works first and then the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spell {
    /// Positions visited before.
    pub before: u64,
    /// Positions of the spell itself.
    pub worth: u64,
}

/// What a search of some size does.
///
/// Matches against alpha-beta decided it (`docs/lab-notebook.md`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SizePlan {
    /// Whether alpha-beta has the first half of the search.
    pub begins_with_alpha_beta: bool,
    /// Plies that the children of a leaf are searched.
    pub leaf_depth: u8,
    /// How far a leaf's value is taken to err of what decides who wins, in errors of the evaluation: these are against a search of
    /// a few plies more, not against the result.
    pub deviation: f32,
}

impl SizePlan {
    /// The plan of a search of `positions` positions. With `alpha_beta_first`, large ones begin with alpha-beta and search their leaves.
    pub fn new(alpha_beta_first: bool, positions: u64) -> SizePlan {
        /// Number of positions from which on a search is large.
        const LARGE: u64 = 1_500_000;
        const LEAST_DEPTH: u32 = 4;
        const OF_STATIC: f32 = 1.7;
        /// Where a leaf was searched, less is to be distrusted in its value.
        const OF_SEARCHED: f32 = 1.4;
        let times = positions / LARGE;
        if times == 0 || !alpha_beta_first {
            return SizePlan { begins_with_alpha_beta: false, leaf_depth: 0, deviation: OF_STATIC };
        }
        // A ply more for ten times the positions.
        let leaf_depth = (LEAST_DEPTH + times.ilog10()).min(8) as u8;
        SizePlan { begins_with_alpha_beta: true, leaf_depth, deviation: OF_SEARCHED }
    }

    /// The limits of alpha-beta's part of a search, or of a spell of an unlimited one.
    pub fn limits_of_alpha_beta(limits: &Limits, spell: Option<Spell>) -> Limits {
        let half = |n: u64| n / 2;
        Limits {
            nodes: spell.map(|spell| spell.before + half(spell.worth)).or(limits.nodes.map(half)),
            evaluations: limits.evaluations.map(half),
            // It ends where it stands: what it has found is in the table.
            time: limits.time.map(|time| TimeBudget::all_of(time.soft / 2)),
            ..*limits
        }
    }

    /// The limits of the tree's part of a search: what is left of the search, or of the spell.
    pub fn limits_of_tree(self, limits: &Limits, spell: Option<Spell>) -> Limits {
        let part = |n: u64| if self.begins_with_alpha_beta { n - n / 2 } else { n };
        Limits { nodes: spell.map(|spell| spell.before + part(spell.worth)).or(limits.nodes), ..*limits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn only_large_searches_with_alpha_beta_have_searched_leaves() {
        for decade in 0..19 {
            assert_eq!(SizePlan::new(false, 10u64.pow(decade)), SizePlan::new(true, 0));
        }
        let plans = [3, 6, 7, 8, 9].map(|decade| SizePlan::new(true, 10u64.pow(decade)));
        assert_eq!(plans.map(|plan| plan.leaf_depth), [0, 0, 4, 5, 6]);
        assert_eq!(plans.map(|plan| plan.begins_with_alpha_beta), [false, false, true, true, true]);
    }

    #[test]
    fn the_parts_add_up() {
        let plan = SizePlan::new(true, 1_500_000);
        let seconds = Duration::from_secs;
        let time = Some(TimeBudget { early: None, soft: seconds(8), hard: seconds(9) });
        let limits = Limits { nodes: Some(1000), time, ..Limits::default() };
        let start = SizePlan::limits_of_alpha_beta(&limits, None);
        assert_eq!((start.nodes, start.time), (Some(500), Some(TimeBudget::all_of(seconds(4)))));
        assert_eq!(plan.limits_of_tree(&limits, None), limits);
        let unlimited = Limits::default();
        let spell = |before| Some(Spell { before, worth: 400 });
        assert_eq!(SizePlan::limits_of_alpha_beta(&unlimited, spell(5000)).nodes, Some(5200));
        assert_eq!(plan.limits_of_tree(&unlimited, spell(5200)).nodes, Some(5400));
        assert_eq!(SizePlan::new(false, 1_500_000).limits_of_tree(&unlimited, spell(5200)).nodes, Some(5600));
        assert_eq!(positions_worth(&unlimited, 4), None);
        assert_eq!(positions_worth(&limits, 1), Some(1000));
        assert_eq!(positions_worth(&Limits { time, ..unlimited }, 3), Some(192_000_000));
    }
}
