//! The search by chances: what `Explorer` does otherwise where leaves are not chosen by their values (see `chance`).

use super::arena::Node;
use super::explorer::{Explorer, Step};
use crate::game::{DISC, Game};
use crate::othello::Color;

/// The goal is looked at after so many expansions, ...
const FIRST_AIM: u64 = 64;
/// ... and then after so many times as many as before, ...
const NEXT_AIM: u64 = 4;
/// ... and the root's value becomes the new one if it differs by more, two discs.
const NEAR_ENOUGH: u32 = 2 * DISC as u32;
/// Not in larger trees: with so many nodes, it takes some 15 milliseconds to give all of them another chance.
const LARGEST_AIMED: u32 = 1 << 19;

impl<G: Game> Explorer<G> {
    /// From now on the leaf is chosen that the root's chance of more than the goal depends on most, values erring by so much
    /// at each depth in plies below the root, and deeper as at the last. The tree was grown so, or is empty.
    pub(super) fn go_by_chances(&mut self, deviations: Vec<f32>) {
        self.deviations = deviations;
        // What was proven of the root is forgotten when it becomes the root.
        self.tree.refresh_chance(self.tree.root());
        self.next_aim = 0;
    }

    /// Makes what the root is worth by now the goal, if it is time for that: so it is uncertain whether there is more to be had, and
    /// what that depends on is what the value and the move depend on.
    pub(super) fn aim(&mut self) {
        let size = self.tree.arena[self.tree.root()].size;
        if let Some(goal) = self.find_goal(size) {
            self.go_for(goal);
        }
    }

    /// The new goal if it is time for one, in a tree of so many nodes.
    pub(super) fn find_goal(&mut self, size: u32) -> Option<i32> {
        if self.work.expansions < self.next_aim || !self.goes_by_chances() {
            return None;
        }
        self.next_aim = FIRST_AIM.max(NEXT_AIM * self.work.expansions);
        let root = self.tree.arena[self.tree.root()];
        let is_known = root.lower > 0 || root.upper < 0;
        let to_move = self.path[0].position.mover();
        if root.is_leaf()
            || is_known
            || size > LARGEST_AIMED
            || root.value.abs_diff(self.goal_of(to_move)) <= NEAR_ENOUGH
        {
            return None;
        }
        Some(if to_move == Color::Black { root.value } else { -root.value })
    }

    /// Makes this the goal, for Black, and gives every node its chance of more.
    pub(super) fn go_for(&mut self, goal: i32) {
        self.goal = goal;
        let stays = self.stays;
        self.tell_all();
        let goal = self.goal_of(self.tree.position().map_or(Color::Black, Game::mover));
        self.tree.appraise_all(goal, &|plies| deviation_at(&self.deviations, plies));
        self.restart();
        self.stays = stays;
    }

    /// What values of positions with this side to move are compared with.
    pub(super) fn goal_of(&self, side: Color) -> i32 {
        if side == Color::Black { self.goal } else { -self.goal }
    }

    /// Whether leaves are chosen by their chances and not by their values.
    pub(super) fn goes_by_chances(&self) -> bool {
        !self.deviations.is_empty()
    }

    /// Gives the children of the end of the path, which are new, their chances.
    pub(super) fn appraise_kids(&mut self) {
        if self.goes_by_chances() {
            let Step { node, plies, position, .. } = self.leaf();
            let (node, goal) = (*node, self.goal_of(position.mover()));
            let deviation = deviation_at(&self.deviations, plies + 1);
            self.tree.appraise_kids(node, -goal, deviation);
        }
    }

    /// Gives the leaf at the end of the path the chance that its value stands for.
    pub(super) fn appraise_leaf(&mut self) {
        if self.goes_by_chances() {
            let Step { node, plies, position, .. } = self.leaf();
            let (node, goal) = (*node, self.goal_of(position.mover()));
            let deviation = deviation_at(&self.deviations, *plies);
            self.tree.arena[node].appraise(goal, deviation);
        }
    }

    /// From now on the search stays where it is for a while if little has changed: the path must not be used otherwise
    /// before [`Explorer::tell_all`].
    pub(super) fn stay(&mut self) {
        self.stays = self.lines == 1;
    }

    /// Tells the root what was not told yet.
    pub(super) fn tell_all(&mut self) {
        for level in (1..=self.rest).rev() {
            self.tell_parent(level, false);
        }
        self.rest = 0;
        self.stays = false;
    }

    /// Carries the change at the end of the path up: to the root, or as far as it matters if the search stays.
    pub(super) fn back_up_chances(&mut self, mut before: Node<G::Move>, settled: Option<usize>) {
        let mut level = self.path.len() - 1;
        self.tree.refresh_chance(self.path[level].node);
        while level > 0 {
            let now = &self.tree.arena[self.path[level].node];
            let proofs = (now.lower, now.upper) != (before.lower, before.upper);
            if !proofs && settled.is_none_or(|highest| level <= highest) && self.may_rest(level) {
                break;
            }
            before = self.tell_parent(level, proofs);
            level -= 1;
        }
        self.rest = level;
    }

    /// Whether the search may go on at this level of the path without its parent knowing what has changed.
    fn may_rest(&self, level: usize) -> bool {
        let Step { node, until, told, .. } = &self.path[level];
        if !self.stays || *until <= self.iterations {
            return false;
        }
        self.tree.arena[*node].chance().is_near(*told)
    }

    /// Lets the node at a level of the path speak for its parent; returns what that was before. `proofs`: what is proven of the
    /// node has changed.
    fn tell_parent(&mut self, level: usize, proofs: bool) -> Node<G::Move> {
        let parent = self.path[level - 1].node;
        let before = self.tree.arena[parent];
        let step = &mut self.path[level];
        step.told = self.tree.arena[step.node].chance();
        step.node = before.kids + self.tree.reposition(parent, (step.node - before.kids) as usize) as u32;
        self.tree.refresh(parent, proofs);
        self.tree.refresh_chance(parent);
        before
    }
}

/// How far a value errs so many plies below the root.
fn deviation_at(deviations: &[f32], plies: u32) -> f32 {
    deviations[deviations.len().min(plies as usize + 1) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Evaluator, EvaluatorKind};
    use crate::game::DISC;
    use crate::othello::Position;
    use crate::search::best_first::chance::{Chance, NO_PULL, win};
    use crate::search::best_first::tree::after;
    use crate::search::best_first::{KorfSettings, Progress};
    use crate::testing::random_position;
    use std::sync::Arc;

    const DEVIATION: f32 = 5.0 * DISC as f32;

    fn explorer(seed: u64, empties: u32) -> (Explorer<Position>, Arc<dyn Evaluator<Position>>) {
        let mut explorer = Explorer::new(KorfSettings::modern(), &random_position(seed, empties));
        explorer.go_by_chances(vec![DEVIATION]);
        (explorer, EvaluatorKind::Mobility.build())
    }

    /// P of the side to move at a node, by the definition, the value of one leaf changed.
    fn by_definition(explorer: &Explorer<Position>, node: u32, (changed, by): (u32, f64)) -> f64 {
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

    fn leaves(explorer: &Explorer<Position>, node: u32, found: &mut Vec<u32>) {
        let this = explorer.tree.arena[node];
        if this.is_leaf() && !this.is_solved() {
            found.push(node);
        }
        (this.kids..this.kids + u32::from(this.count)).for_each(|kid| leaves(explorer, kid, found));
    }

    #[test]
    fn the_leaf_is_expanded_that_the_chance_of_the_root_depends_on_most() {
        for seed in 0..6 {
            let (mut explorer, evaluator) = explorer(seed, 30 + seed as u32);
            for _ in 0..60 {
                assert_eq!(explorer.step(&*evaluator, &mut |_| false), Progress::Grown);
                let (root, mut all) = (explorer.tree.root(), Vec::new());
                leaves(&explorer, root, &mut all);
                let dependence = |leaf: u32| {
                    let [up, down] = [1e-3, -1e-3].map(|by| by_definition(&explorer, root, (leaf, by)));
                    (up - down).abs()
                };
                let most = all.iter().map(|&leaf| dependence(leaf)).fold(0.0, f64::max);
                let mut chosen = root;
                while !explorer.tree.arena[chosen].is_leaf() {
                    let node = explorer.tree.arena[chosen];
                    chosen = node.kids + explorer.choose(&node).expect("nothing is away") as u32;
                }
                assert!(dependence(chosen) >= 0.8 * most, "{} of {most}", dependence(chosen));
            }
            explorer.audit().unwrap();
        }
    }

    #[test]
    fn what_the_root_is_worth_becomes_the_goal_of_the_whole_tree() {
        let mut moved = 0;
        for seed in 0..10 {
            let (mut explorer, evaluator) = explorer(seed, 40);
            for _ in 0..300 {
                explorer.step(&*evaluator, &mut |_| false);
            }
            let before = explorer.goal;
            explorer.aim();
            let root = explorer.tree.root();
            let position = *explorer.tree.position().unwrap();
            let (value, goal) = (explorer.value(), explorer.goal_of(position.mover()));
            assert!(value.abs_diff(goal) <= NEAR_ENOUGH, "{value} {goal}");
            moved += u32::from(explorer.goal != before);
            let mut nodes = vec![(root, position)];
            while let Some((node, position)) = nodes.pop() {
                let this = explorer.tree.arena[node];
                if this.is_leaf() && !this.has_proofs() {
                    let deviations = (this.value - explorer.goal_of(position.mover())) as f32 / DEVIATION;
                    assert_eq!(this.chance(), Chance::of_value(deviations));
                }
                let kids = (this.kids..).zip(explorer.tree.kids(node));
                nodes.extend(kids.map(|(i, kid)| (i, after(&position, kid.turn))));
            }
            explorer.audit().unwrap();
            // Not at once again.
            explorer.goal = 0;
            explorer.aim();
            assert_eq!(explorer.goal, 0);
        }
        assert!(moved > 5, "{moved}");
    }

    #[test]
    fn what_is_won_for_certain_is_not_looked_into_for_who_wins() {
        let mut won = 0;
        for seed in 0..20 {
            let (mut explorer, evaluator) = explorer(seed, 8);
            if explorer.tree.position().unwrap().is_over() {
                continue;
            }
            while explorer.step(&*evaluator, &mut |_| false) == Progress::Grown {
                let root = explorer.tree.arena[explorer.tree.root()];
                assert_eq!(root.pull == NO_PULL, root.lower > 0 || root.upper < 0 || root.is_solved());
            }
            explorer.audit().unwrap();
            assert!(explorer.is_solved());
            won += u32::from(explorer.value() > 0);
        }
        assert!(won > 3, "{won}");
    }
}
