//! Search by relevance: the leaf to expand next is the one that the root's chance of more than a goal depends on most (see
//! [`chance`](crate::search::tree::chance)).

use super::core::Step;
use super::{Explorer, Policy};
use crate::game::{DISC, Game};
use crate::othello::{Color, Position};
use crate::search::tree::chance::IRRELEVANT;
use crate::search::tree::{Node, Tree};
use std::collections::HashSet;

/// Expansions before the goal is updated for the first time.
const FIRST_GOAL: u64 = 64;
/// The goal is updated again after this many times the expansions so far.
const NEXT_GOAL: u64 = 4;
/// Difference between the root's value and the goal, in the units of values, above which the value becomes the goal: two discs.
const NEAR_ENOUGH: u32 = 2 * DISC as u32;
/// The choice is clear where the move to play weighs this many times as much as each other move. Measured: `docs/lab-notebook.md`,
/// "Whose values err".
const CLEAR: f32 = 12.0;
/// Number of nodes of the largest tree that gets a new goal: giving all of them another chance takes about 15 ms.
const LARGEST_WITH_NEW_GOAL: u32 = 1 << 19;

/// A search by relevance in one tree.
pub(super) type OneTree = Explorer<Position, ByRelevance>;

/// The policy of search by relevance. The default has the goal 0 and no deviations yet.
#[derive(Clone, Default, Debug)]
pub(in crate::search) struct ByRelevance {
    /// Standard deviations of a leaf's error, by its depth in plies below the root; deeper leaves have the last. Not empty.
    pub deviations: Vec<f32>,
    /// The goal: the value, seen by Black, that others are compared with.
    pub goal: i32,
    /// C of the search by value, where it is known who wins but not by how much, and in linear space.
    pub exploration: f32,
    /// Whether the whole search goes by value.
    pub is_by_value: bool,
    /// Expansions since [`Explorer::begin`] after which the goal is updated again.
    pub next_goal: u64,
    /// The level of the path up to which the last change was backed up; the search goes on there.
    backed_up_to: usize,
    /// Whether small changes are backed up later.
    is_lazy: bool,
}

impl ByRelevance {
    /// The goal seen by `side`.
    pub fn goal_of(&self, side: Color) -> i32 {
        if side == Color::Black { self.goal } else { -self.goal }
    }

    fn deviation_at(&self, plies: u32) -> f32 {
        self.deviations[self.deviations.len().min(plies as usize + 1) - 1]
    }
}

impl<G: Game> Policy<G> for ByRelevance {
    const DEPTH_IS_EFFORT: bool = true;

    fn value_children(search: &mut Explorer<G, Self>) {
        let Step { node, plies, position, .. } = search.leaf();
        let (node, goal) = (*node, search.policy.goal_of(position.mover()));
        let deviation = search.policy.deviation_at(plies + 1);
        search.tree.kids_mut(node).iter_mut().for_each(|kid| kid.estimate_chance(-goal, deviation));
    }

    fn value_leaf(search: &mut Explorer<G, Self>) {
        let Step { node, plies, position, .. } = search.leaf();
        let (node, goal) = (*node, search.policy.goal_of(position.mover()));
        let deviation = search.policy.deviation_at(*plies);
        search.tree.arena[node].estimate_chance(goal, deviation);
    }

    #[inline]
    fn resume_level(search: &Explorer<G, Self>) -> usize {
        if search.lines > 1 || search.goes_by_value() { 0 } else { search.policy.backed_up_to }
    }

    /// The child with the most relevant leaf. Not in linear space: visits say how well a leaf was searched, and its chance does not.
    #[inline]
    fn favourite(search: &Explorer<G, Self>, node: &Node<G::Move>) -> Option<usize> {
        (node.relevance > IRRELEVANT && !search.goes_by_value()).then(|| node.most_relevant.into())
    }

    fn exploration(&self) -> f32 {
        self.exploration
    }

    /// Backs up to the root, or lazily as far as it matters now.
    fn back_up(search: &mut Explorer<G, Self>, mut before: Node<G::Move>, regrown: Option<usize>) {
        let mut level = search.path.len() - 1;
        search.tree.refresh_chance(search.path[level].node);
        while level > 0 {
            let proofs = search.tree.arena[search.path[level].node].proves_other_than(&before);
            if !proofs && regrown.is_none_or(|highest| level <= highest) && search.may_wait(level) {
                break;
            }
            before = search.update_parent(level, proofs);
            level -= 1;
        }
        search.policy.backed_up_to = level;
    }

    fn support(search: &Explorer<G, Self>, child: &Node<G::Move>) -> Option<u64> {
        // The bits of weights are in the order of the weights, since none is negative.
        Some(if search.goes_by_value() { child.visits } else { child.weight.to_bits().into() })
    }

    /// Makes what the root is worth by now the goal, if it is time for that. So it stays uncertain whether there is more to be had, and
    /// what that depends on is what the value and the move depend on.
    fn update_goal(search: &mut Explorer<G, Self>) {
        if let Some(goal) = search.next_goal(search.root().size) {
            search.set_goal(goal);
        }
    }

    fn finish_backing_up(search: &mut Explorer<G, Self>) {
        search.back_up_all();
    }

    fn restart(&mut self) {
        self.backed_up_to = 0;
    }

    fn forget(&mut self) {
        self.goal = 0;
    }

    fn audit(&self, tree: &Tree<G>) -> Result<(), String> {
        if self.deviations.is_empty() { Ok(()) } else { tree.audit_chances(tree.root(), &mut HashSet::new()) }
    }
}

impl<G: Game> Explorer<G, ByRelevance> {
    /// Whether children are chosen by value: in linear space, and where the policy says so.
    #[inline]
    fn goes_by_value(&self) -> bool {
        self.policy.is_by_value || self.is_linear()
    }

    /// From now on values err by these deviations, by depth in plies below the root.
    pub(super) fn set_deviations(&mut self, deviations: Vec<f32>) {
        self.policy.deviations = deviations;
        // What was proven of the root was forgotten when it became the root.
        self.tree.refresh_chance(self.tree.root());
        self.policy.next_goal = 0;
    }

    /// The new goal if it is time for one, in a search of `size` nodes.
    pub(super) fn next_goal(&mut self, size: u32) -> Option<i32> {
        if self.work.expansions < self.policy.next_goal || self.goes_by_value() {
            return None;
        }
        self.policy.next_goal = FIRST_GOAL.max(NEXT_GOAL * self.work.expansions);
        let root = *self.root();
        let is_decided = root.lower > 0 || root.upper < 0;
        let to_move = self.path[0].position.mover();
        let is_near = root.value.abs_diff(self.policy.goal_of(to_move)) <= NEAR_ENOUGH;
        if root.is_leaf() || is_decided || size > LARGEST_WITH_NEW_GOAL || is_near {
            return None;
        }
        Some(if to_move == Color::Black { root.value } else { -root.value })
    }

    /// Makes this the goal, for Black, and gives every node its chance of more.
    pub(super) fn set_goal(&mut self, goal: i32) {
        self.policy.goal = goal;
        let is_lazy = self.policy.is_lazy;
        self.back_up_all();
        let policy = &self.policy;
        let goal = policy.goal_of(self.tree.position().map_or(Color::Black, Game::mover));
        self.tree.estimate_all(goal, &|plies| policy.deviation_at(plies));
        self.restart();
        self.policy.is_lazy = is_lazy;
    }

    /// Whether the move to play is so much likelier to be worth more than the goal than every other that hardly a longer search would
    /// choose one of them. Not where it is proven who wins: what is left then is by how much. Weights that wait to be backed up are a little out
    /// of date.
    pub(super) fn is_choice_clear(&self) -> bool {
        let root = self.root();
        if self.goes_by_value() || self.lines > 1 || root.lower > 0 || root.upper < 0 {
            return false;
        }
        let kids = self.tree.kids(self.tree.root());
        let ranking = self.ranking();
        let Some((&first, others)) = ranking.split_first() else { return false };
        others.iter().all(|&other| kids[first].weight >= CLEAR * kids[other].weight)
    }

    /// From now on the search stays where it is for a while if little has changed. The path must not be used otherwise before
    /// [`Explorer::back_up_all`].
    pub(super) fn be_lazy(&mut self) {
        self.policy.is_lazy = self.lines == 1;
    }

    /// Backs up what was left for later.
    pub(super) fn back_up_all(&mut self) {
        for level in (1..=self.policy.backed_up_to).rev() {
            self.update_parent(level, false);
        }
        self.policy.backed_up_to = 0;
        self.policy.is_lazy = false;
    }

    /// Whether the search may go on at this level of the path before its parent is updated.
    fn may_wait(&self, level: usize) -> bool {
        let Step { node, until, reported, .. } = &self.path[level];
        self.policy.is_lazy
            && *until > self.iterations
            && !self.goes_by_value()
            && self.tree.arena[*node].chance().is_near(*reported)
    }

    /// Updates the parent of the node at a level of the path; returns what it was before. `proofs`: what is proven of the node has
    /// changed.
    fn update_parent(&mut self, level: usize, proofs: bool) -> Node<G::Move> {
        let parent = self.path[level - 1].node;
        let before = self.tree.arena[parent];
        let step = &mut self.path[level];
        step.reported = self.tree.arena[step.node].chance();
        step.node = before.kids + self.tree.reposition(parent, (step.node - before.kids) as usize) as u32;
        self.tree.refresh(parent, proofs);
        self.tree.refresh_chance(parent);
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluator, EvaluatorKind};
    use crate::othello::Square;
    use crate::search::Contempt;
    use crate::search::best_first::{EndValues, OnMemoryCap, Progress, Rules};
    use crate::search::tree::after;
    use crate::search::tree::chance::{Chance, win};
    use crate::testing::random_position;
    use std::sync::Arc;

    const DEVIATION: f32 = 5.0 * DISC as f32;

    fn explorer(seed: u64, empties: u32) -> (OneTree, Arc<dyn Evaluator<Position>>) {
        let position = random_position(seed, empties);
        let rules = Rules { ends: EndValues::Outcome, contempt: Contempt::NONE, max: position.mover() };
        let (policy, tree) = (ByRelevance { exploration: 256.0, ..ByRelevance::default() }, Tree::new(64 << 20, false));
        let mut explorer = Explorer::with_tree(policy, rules, tree, OnMemoryCap::Stop, &position);
        explorer.set_deviations(vec![DEVIATION]);
        (explorer, EvaluatorKind::Mobility.build())
    }

    fn step(explorer: &mut OneTree, evaluator: &dyn Evaluator<Position>) -> Progress {
        explorer.step(evaluator, &mut |_| false)
    }

    /// The chance P of the side to move at a node, by the definition, with the value of the leaf `changed` changed `by` that much.
    fn by_definition(explorer: &OneTree, node: u32, (changed, by): (u32, f64)) -> f64 {
        let this = explorer.tree.arena[node];
        if this.is_solved() {
            return f64::from(this.value.signum() + 1) / 2.0;
        }
        let kids: Vec<f64> = (this.kids..this.kids + u32::from(this.count))
            .map(|kid| by_definition(explorer, kid, (changed, by)))
            .collect();
        let deviations = f64::from(this.value) / f64::from(DEVIATION) + if node == changed { by } else { 0.0 };
        if kids.is_empty() { win::of_value(deviations) } else { win::of_children(&kids) }
    }

    /// Checks that every leaf has the chance of more than the goal that its value stands for.
    fn audit_leaves(explorer: &OneTree) {
        for (node, position) in explorer.tree.places() {
            let this = explorer.tree.arena[node];
            if this.is_leaf() && !this.has_proofs() {
                let deviations = (this.value - explorer.policy.goal_of(position.mover())) as f32 / DEVIATION;
                assert_eq!(this.chance(), Chance::of_value(deviations), "{position}");
            }
        }
    }

    #[test]
    fn the_leaf_is_expanded_that_the_chance_of_the_root_depends_on_most() {
        for seed in 0..6 {
            let (mut explorer, evaluator) = explorer(seed, 30 + seed as u32);
            for _ in 0..60 {
                assert_eq!(step(&mut explorer, &*evaluator), Progress::Grown);
                let root = explorer.tree.root();
                let dependence = |leaf: u32| {
                    let [up, down] = [1e-3, -1e-3].map(|by| by_definition(&explorer, root, (leaf, by)));
                    (up - down).abs()
                };
                let is_open = |node: &Node<Square>| node.is_leaf() && !node.is_solved();
                let leaves = explorer.tree.places().into_iter().map(|(node, _)| node);
                let leaves = leaves.filter(|&node| is_open(&explorer.tree.arena[node]));
                let most = leaves.map(dependence).fold(0.0, f64::max);
                let mut chosen = root;
                while !explorer.tree.arena[chosen].is_leaf() {
                    let node = explorer.tree.arena[chosen];
                    chosen = node.kids + ByRelevance::choose(&explorer, &node).expect("nothing is checked out") as u32;
                }
                assert!(dependence(chosen) >= 0.8 * most, "{} of {most}", dependence(chosen));
            }
            explorer.audit().unwrap();
        }
    }

    #[test]
    fn no_choice_is_clear_while_it_is_open_by_how_much_a_win_or_a_loss_is_to_be() {
        let mut clear = 0;
        for seed in 0..20 {
            let (mut explorer, evaluator) = explorer(seed, 40);
            for _ in 0..600 {
                step(&mut explorer, &*evaluator);
            }
            if !explorer.is_choice_clear() {
                continue;
            }
            clear += 1;
            let (root, node) = (explorer.tree.root(), *explorer.root());
            for (lower, upper) in [(DISC, node.upper), (node.lower, -DISC)] {
                explorer.tree.arena[root] = Node { lower, upper, ..node };
                assert!(!explorer.is_choice_clear(), "{lower} to {upper}");
            }
        }
        assert!(clear > 3, "{clear}");
    }

    #[test]
    fn a_solved_move_is_played_where_no_open_one_is_worth_more() {
        for seed in 0..6 {
            let (mut explorer, evaluator) = explorer(seed, 40);
            for _ in 0..300 {
                step(&mut explorer, &*evaluator);
            }
            let ranking = explorer.ranking();
            let root = explorer.tree.root();
            // Values of children are their own side's. A draw is solved; the best open move is worth a disc less, as much or more.
            for (value, chosen) in [(-DISC, ranking[1]), (0, ranking[1]), (DISC, ranking[0])] {
                let kids = explorer.tree.kids_mut(root);
                let open = kids[ranking[0]];
                kids[ranking[0]] = Node { value: -value, ..open };
                let solved = kids[ranking[1]];
                kids[ranking[1]] = Node { value: 0, lower: 0, upper: 0, ..solved };
                for (i, kid) in kids.iter_mut().enumerate() {
                    kid.value = if ranking[..2].contains(&i) { kid.value } else { 64 * DISC };
                }
                assert_eq!(explorer.ranking()[0], chosen, "{value}");
            }
        }
    }

    #[test]
    fn what_the_root_is_worth_becomes_the_goal_of_the_whole_tree() {
        let mut moved = 0;
        for seed in 0..10 {
            let (mut explorer, evaluator) = explorer(seed, 40);
            for _ in 0..300 {
                step(&mut explorer, &*evaluator);
            }
            explorer.policy.next_goal = 0;
            ByRelevance::update_goal(&mut explorer);
            let position = *explorer.tree.position().unwrap();
            let (value, goal) = (explorer.value(), explorer.policy.goal_of(position.mover()));
            assert!(value.abs_diff(goal) <= NEAR_ENOUGH, "{value} {goal}");
            moved += u32::from(explorer.policy.goal != 0);
            audit_leaves(&explorer);
            explorer.audit().unwrap();
            // Not at once again.
            explorer.policy.goal = 0;
            ByRelevance::update_goal(&mut explorer);
            assert_eq!(explorer.policy.goal, 0);
        }
        assert!(moved > 5, "{moved}");
    }

    #[test]
    fn what_waits_to_be_freed_does_not_come_back_with_the_chances_of_an_old_goal() {
        for seed in 0..10 {
            let (mut explorer, evaluator) = explorer(seed, 40);
            explorer.tree = Tree::new(64 << 20, true);
            explorer.begin(&random_position(seed, 40), Contempt::NONE);
            for _ in 0..3_000 {
                step(&mut explorer, &*evaluator);
            }
            let (root, position) = (explorer.tree.root(), *explorer.tree.position().unwrap());
            let best = explorer.tree.kids(root)[0];
            explorer.begin(&after(&position, best.turn), Contempt::NONE);
            explorer.set_deviations(vec![DEVIATION]);
            let value = explorer.value() + 5 * DISC;
            explorer.set_goal(if explorer.tree.position().unwrap().mover() == Color::Black { value } else { -value });
            for _ in 0..3_000 {
                step(&mut explorer, &*evaluator);
            }
            audit_leaves(&explorer);
        }
    }

    #[test]
    fn what_is_won_for_certain_is_not_looked_into_for_who_wins() {
        let mut won = 0;
        for seed in 0..20 {
            let (mut explorer, evaluator) = explorer(seed, 8);
            if explorer.tree.position().unwrap().is_over() {
                continue;
            }
            while step(&mut explorer, &*evaluator) == Progress::Grown {
                let root = explorer.tree.arena[explorer.tree.root()];
                assert_eq!(root.relevance == IRRELEVANT, root.lower > 0 || root.upper < 0 || root.is_solved());
            }
            explorer.audit().unwrap();
            assert!(explorer.is_solved());
            won += u32::from(explorer.value() > 0);
        }
        assert!(won > 3, "{won}");
    }
}
