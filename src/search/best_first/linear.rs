//! Going on at the memory cap in linear space: recursive best-first minimax below the leaf that is to be expanded.

use super::core::Progress;
use super::{Explorer, Leaves, Policy};
use crate::game::Game;
use crate::search::INFINITY;
use crate::search::rbfms::{RbfmsSettings, Recursion};
use crate::search::tree::{DEEP, Node};

/// Expansions of the first iteration below a leaf, where an iteration is not bounded by the leaf's value alone. Later ones are
/// longer: each begins anew, and has to get further. The fewer, the more leaves have their turn: 64 lose against stopping at the cap
/// (`docs/lab-notebook.md`).
const SLICE: u64 = 2;
/// The length of an iteration in units of the one before, where visits count choices: grows fast enough that a proof gets done, and
/// hardly faster than linearly for the leaves that are chosen a few times.
const SLICE_GROWTH: f64 = 1.25;

impl<G: Game, P: Policy<G>> Explorer<G, P> {
    /// Searches the leaf at the end of the path by RBFMS, as long as it stays the principal leaf, and for a slice of the work at most
    /// where several lines are wanted or values do not decide alone. Returns the visits that this counts for.
    pub(super) fn search_in_linear_space<L: Leaves<G>>(
        &mut self,
        node: u32,
        position: &G,
        leaves: &mut L,
    ) -> (u64, Progress) {
        // Children that alpha-beta left incomplete are generated again with the others.
        self.cut_off();
        // A leaf that was chosen for more than its value has no bounds at which to come back.
        let explores = self.policy.exploration() != 0.0;
        let (low, high) = if explores { (-INFINITY, INFINITY) } else { self.window() };
        let Node { value, visits, .. } = self.tree.arena[node];
        let is_sliced = self.lines > 1 || explores;
        // Where visits decide what is searched and played, they count choices: a leaf is chosen once for a slice, however long. By
        // expansions, the few leaves with the longest slices made the choice of the move. Only the shares of several lines are in
        // expansions.
        let counts_choices = explores && self.lines == 1;
        let slice = if counts_choices {
            // Visits kept from before may be expansions: no slice is longer than all that the search has done yet.
            let grown = (SLICE as f64 * SLICE_GROWTH.powf(visits as f64)) as u64;
            grown.min(self.work.expansions.max(SLICE))
        } else if is_sliced {
            SLICE.max(2 * visits)
        } else {
            u64::MAX
        };
        let slice_end = self.work.expansions.saturating_add(slice);
        let mut is_over = false;
        let mut observe = |call: crate::search::rbfms::Call<'_, G>| {
            is_over = call.work.expansions >= slice_end;
            is_over
        };
        // The value at the end of a slice is to be no bound.
        let settings = RbfmsSettings { early_return: !is_sliced, ..RbfmsSettings::default() };
        let mut recursion = Recursion::new(self.rules, settings, leaves, self.work, &mut observe);
        let answer = recursion.run(position, value, low, high, 0);
        let was_stopped = recursion.was_stopped();
        let expansions = recursion.work.expansions - self.work.expansions;
        self.work = recursion.work;
        // Where the search has to stop, the last leaves got no value.
        if was_stopped && (!is_over || leaves.must_stop(&mut self.work)) {
            return (if counts_choices { 0 } else { expansions }, Progress::Stopped);
        }
        let leaf = &mut self.tree.arena[node];
        leaf.value = answer.value.clamp(leaf.lower, leaf.upper);
        leaf.flags = DEEP;
        if answer.solved {
            *leaf = Node { visits: leaf.visits, ..Node::solved(leaf.turn, answer.value) };
        }
        (if counts_choices { 1 } else { expansions }, Progress::Grown)
    }

    /// The bounds between which the leaf at the end of the path stays the one to expand, for its side to move.
    fn window(&self) -> (i32, i32) {
        let (mut low, mut high) = (-INFINITY, INFINITY);
        for pair in self.path.windows(2) {
            let parent = self.tree.arena[pair[0].node];
            let kids = self.tree.arena.block(parent.kids, parent.count);
            let i = (pair[1].node - parent.kids) as usize;
            // The next best open sibling takes over when this child falls behind it. A better one that the search leaves
            // alone, being solved or visited enough, holds the parent's value: then `low` is no bound. Nor does it bound
            // from above, see `Recursion::expand_best`.
            let is_rival = |kid: &Node<G::Move>| kid.value >= kids[i].value && -kid.lower > parent.lower;
            let others = || kids.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, kid)| kid);
            let next = others().filter(|kid| is_rival(kid)).map(|kid| -kid.value).max().unwrap_or(-INFINITY);
            let held = others().any(|kid| !is_rival(kid) && -kid.value >= low);
            low = if held { next } else { next.max(low) };
            (low, high) = (-high, -low);
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::super::core::Way;
    use super::super::{ByValue, KorfSettings};
    use super::*;
    use crate::eval::EvaluatorKind;
    use crate::game::DISC;
    use crate::othello::{Position, Square};
    use crate::search::Contempt;
    use crate::search::tests::open_positions;

    /// Runs `steps` iterations of a search by value, then goes down to the leaf to expand next. `None` if there is no such leaf.
    fn at_leaf(position: &Position, steps: u64) -> Option<Explorer<Position, ByValue>> {
        let evaluator = EvaluatorKind::Mobility.build();
        let mut search = Explorer::new(KorfSettings::korf(), position);
        search.begin(position, Contempt::NONE);
        for _ in 0..steps {
            search.step(&*evaluator, &mut |_| false);
        }
        matches!(search.go_to_leaf(), Way::ToLeaf).then_some(search)
    }

    /// The moves that lead to the end of the path.
    fn line(search: &Explorer<Position, ByValue>) -> Vec<Option<Square>> {
        search.path[1..].iter().map(|step| step.turn).collect()
    }

    #[test]
    fn within_its_window_alone_a_leaf_stays_the_one_to_expand() {
        let (mut inside, mut outside, mut beside_solved) = (0, 0, 0);
        for (seed, position) in open_positions(0..800, |seed| 5 + seed as u32 % 20) {
            let steps = 2 + seed % 97;
            let Some(search) = at_leaf(&position, steps) else { continue };
            let (window, expected) = (search.window(), line(&search));
            let has_solved = |node: u32| search.tree.kids(node).iter().any(|kid| kid.is_solved());
            let is_beside_solved = search.path[..search.path.len() - 1].iter().any(|step| has_solved(step.node));
            // The value of a won game can end the search.
            let beside = |bound: i32| [bound.saturating_sub(1), bound.saturating_add(1)];
            let values = [beside(window.0), beside(window.1)].into_iter().flatten();
            for value in values.filter(|value| value.unsigned_abs() < 64 * DISC as u32) {
                let mut search = at_leaf(&position, steps).unwrap();
                let node = search.leaf().node;
                let before = search.tree.arena[node];
                search.tree.arena[node].value = value;
                ByValue::back_up(&mut search, before, None);
                let stays = matches!(search.go_to_leaf(), Way::ToLeaf) && line(&search) == expected;
                let is_inside = window.0 < value && value < window.1;
                assert_eq!(stays, is_inside, "seed {seed}: {value} in {window:?}");
                *(if is_inside { &mut inside } else { &mut outside }) += 1;
                beside_solved += u64::from(is_beside_solved);
            }
        }
        assert!(inside > 200 && outside > 200 && beside_solved > 50, "{inside}, {outside}, {beside_solved}");
    }
}
