//! The chance to win that a value stands for, and how much the root's depends on it: what leaves are chosen by where that is to be
//! more than the best value.
//!
//! To win means to get more than a goal here: about what the root is worth, so that it is an open question, and what it depends on is what
//! the root's value depends on. Only where it is proven that the game is won or lost is that certain whatever the goal.
//!
//! A leaf's value is taken for the middle of a logistic distribution of what it should be. With P the chance that the side to
//! move at a node wins, let x = −ln P: how surprising that would be. A node is lost if all its children are won for the other
//! side. If these had nothing to do with each other, −ln(1 − P) would be the sum of their x; if only the best counted, the largest
//! of them. In between, (Σ xᵢ^p)^(1/p) has several good moves be better than one: they are less often all refuted.
//!
//! The leaf to be expanded next is the one with the most of |∂P(root) / ∂P(leaf)| · P(leaf) · (1 − P(leaf)): the one whose
//! uncertainty counts most. The derivative is a product along the way, so its logarithm is a sum, and every node keeps the
//! largest below it, its pull. Baum and Smith had the idea ("A Bayesian approach to relevance in game playing", 1997), and Othello
//! Sensei chooses by derivatives too.

use super::arena::Node;
use std::sync::LazyLock;

/// p: 1 for children that have nothing to do with each other, ∞ for the best value alone.
const POWER: f64 = 2.5;
/// A logistic distribution is near the normal one whose deviation is so many times its scale.
const LOGISTIC: f64 = 1.702;
/// The weight of a child that is known to be won for its side to move, and of one that is known to be lost.
const CERTAIN: [f32; 2] = [1e-25, 1e4];
/// No x is taken for less: it is the one of `CERTAIN`.
const LEAST_SURPRISE: f64 = 1e-10;

/// Pulls are counted in this part of a natural logarithm.
pub(super) const PULL_UNITS: f64 = 64.0;
/// The pull of a node below which there is nothing to find out.
pub(super) const NO_PULL: i16 = i16::MIN;

/// Two chances are near each other if their pulls differ by no more than this, a quarter of a natural logarithm, ...
const NEAR_PULLS: u16 = (PULL_UNITS / 4.0) as u16;
/// ... and their weights by no more than this factor.
const NEAR_WEIGHTS: f32 = 1.25;

/// The table of leaves has so many steps for one deviation, ...
const LEAF_STEPS: i32 = 128;
/// ... and ends so many deviations from 0 on either side.
const LEAF_END: i32 = 16;
/// The table of nodes begins at this power of two, ...
const NODE_BEGIN: i32 = -96;
/// ... goes through so many of them, ...
const NODE_OCTAVES: u32 = 120;
/// ... and has two to this steps in each.
const NODE_STEPS: u32 = 5;

/// What a node keeps of its chance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::search) struct Chance {
    /// x^p: the larger, the better for the side that moved there.
    pub weight: f32,
    /// The logarithm of what the parent's −ln(1 − P) depends on the leaf below it on which that depends most, without what
    /// is the same for its brothers; in `PULL_UNITS`.
    pub pull: i16,
}

/// Functions of one variable.
struct Tables {
    /// The chance of a leaf, by its value in deviations.
    leaves: Vec<Chance>,
    /// By the sum of the children's weights: the weight of a node, and what its pull is more than the largest of theirs.
    nodes: Vec<(f32, f32)>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables {
    leaves: (-LEAF_END * LEAF_STEPS..=LEAF_END * LEAF_STEPS)
        .map(|step| of_surprise((-LOGISTIC * f64::from(step) / f64::from(LEAF_STEPS)).exp().ln_1p()))
        .collect(),
    nodes: (0..=NODE_OCTAVES << NODE_STEPS)
        .map(|step| of_sum(f32::from_bits(first_bits() + (step << BELOW_STEPS))))
        .collect(),
});

/// The bits of a number that are less than a step of the table of nodes.
const BELOW_STEPS: u32 = f32::MANTISSA_DIGITS - 1 - NODE_STEPS;

/// The bits of the number with which the table of nodes begins.
const fn first_bits() -> u32 {
    2.0f32.to_bits().wrapping_add_signed((NODE_BEGIN - 1) << (f32::MANTISSA_DIGITS - 1))
}

/// The surprise if what would be so surprising does not happen.
fn opposite(surprise: f64) -> f64 {
    (-(-(-surprise).exp_m1()).ln()).max(LEAST_SURPRISE)
}

/// A leaf that its side to move would win with so much surprise.
fn of_surprise(surprise: f64) -> Chance {
    let x = surprise.max(LEAST_SURPRISE);
    // (p − 1) ln x + x, see `of_sum`, and the leaf's own ln P(1 − P).
    let pull = (POWER - 1.0) * x.ln() - opposite(x);
    Chance { weight: x.powf(POWER) as f32, pull: (PULL_UNITS * pull).round() as i16 }
}

/// A node whose children have weights of this sum: its weight, and what its pull is more than the largest of theirs.
fn of_sum(sum: f32) -> (f32, f32) {
    let lost = f64::from(sum).powf(1.0 / POWER);
    let x = opposite(lost);
    // With X = (Σ xᵢ^p)^(1/p) = −ln(1 − P): |∂P / ∂Pᵢ| = e^−X · (xᵢ / X)^(p−1) · e^xᵢ. What depends on i alone, (p − 1) ln xᵢ + xᵢ, is
    // in the pull of the child already, and goes into that of this node with its own x.
    let pull = -lost - (POWER - 1.0) * lost.ln() + (POWER - 1.0) * x.ln() + x;
    (x.powf(POWER) as f32, (PULL_UNITS * pull) as f32)
}

impl Chance {
    /// Of a leaf whose value is so many deviations.
    #[inline]
    pub fn of_value(deviations: f32) -> Chance {
        let end = LEAF_END * LEAF_STEPS;
        let step = (deviations * LEAF_STEPS as f32) as i32;
        TABLES.leaves[(step.clamp(-end, end) + end) as usize]
    }

    /// Of a leaf with this weight.
    pub fn of_weight(weight: f32) -> Chance {
        of_surprise(f64::from(weight).powf(1.0 / POWER))
    }

    /// Of a node by what is proven of it, if it is proven who wins.
    #[inline]
    pub fn of_proofs(lower: i32, upper: i32) -> Option<Chance> {
        let certain = |weight| Some(Chance { weight, pull: NO_PULL });
        match (lower, upper) {
            (1.., _) => certain(CERTAIN[0]),
            (_, ..=-1) => certain(CERTAIN[1]),
            _ => None,
        }
    }

    /// Whether the difference matters so little that a parent may learn of it later.
    #[inline]
    pub fn is_near(self, other: Chance) -> bool {
        self.pull.abs_diff(other.pull) <= NEAR_PULLS
            && self.weight <= NEAR_WEIGHTS * other.weight
            && other.weight <= NEAR_WEIGHTS * self.weight
    }

    /// The same if nothing more is to be found out.
    pub fn for_good(self) -> Chance {
        Chance { pull: NO_PULL, ..self }
    }

    /// Of a node by its children, and which of them pulls most, the first of equals.
    #[inline]
    pub fn of_children<M>(children: &[Node<M>]) -> (Chance, u8) {
        let (mut sum, mut pull, mut pulled) = (0.0f32, NO_PULL, 0);
        for (i, child) in children.iter().enumerate() {
            sum += child.weight;
            if child.pull > pull {
                (pull, pulled) = (child.pull, i as u8);
            }
        }
        let (weight, more) = TABLES.node(sum);
        if pull > NO_PULL {
            pull = (f32::from(pull) + more).round().clamp(f32::from(NO_PULL + 1), f32::from(i16::MAX)) as i16;
        }
        (Chance { weight, pull }, pulled)
    }

    /// The chance of a leaf to which so many searches have been given that are not in the tree: the less is left to find out.
    pub fn after_searches(self, searches: u64) -> Chance {
        let less = (PULL_UNITS * (searches as f64).ln_1p()) as i16;
        Chance {
            pull: if self.pull == NO_PULL { NO_PULL } else { self.pull.saturating_sub(less).max(NO_PULL + 1) },
            ..self
        }
    }
}

impl Tables {
    #[inline]
    fn node(&self, sum: f32) -> (f32, f32) {
        let bits = sum.to_bits().clamp(first_bits(), first_bits() + (NODE_OCTAVES << (NODE_STEPS + BELOW_STEPS)) - 1)
            - first_bits();
        let (step, part) =
            ((bits >> BELOW_STEPS) as usize, (bits & ((1 << BELOW_STEPS) - 1)) as f32 / (1u32 << BELOW_STEPS) as f32);
        let (low, high) = (self.nodes[step], self.nodes[step + 1]);
        (low.0 + part * (high.0 - low.0), low.1 + part * (high.1 - low.1))
    }
}

/// The chances to win themselves, by the definition, for tests.
#[cfg(test)]
pub(super) mod win {
    use super::{LOGISTIC, POWER};

    /// Of a leaf whose value is so many deviations.
    pub fn of_value(deviations: f64) -> f64 {
        1.0 / (1.0 + (-LOGISTIC * deviations).exp())
    }

    /// Of a node whose children are won for their side to move with these.
    pub fn of_children(chances: &[f64]) -> f64 {
        let sum: f64 = chances.iter().map(|chance| (-chance.ln()).powf(POWER)).sum();
        1.0 - (-sum.powf(1.0 / POWER)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::best_first::arena::INFINITY;
    use proptest::prelude::*;

    /// P of the side to move, from the weight.
    fn chance(weight: f32) -> f64 {
        (-f64::from(weight).powf(1.0 / POWER)).exp()
    }

    fn node(chance: Chance) -> Node<u8> {
        Node { weight: chance.weight, pull: chance.pull, ..Node::leaf(None, 0) }
    }

    #[test]
    fn leaves_are_logistic_and_even_at_zero() {
        for deviations in [-8.0f32, -2.0, -0.5, 0.0, 0.25, 1.0, 3.0, 8.0] {
            let expected = win::of_value(deviations.into());
            let found = Chance::of_value(deviations);
            assert!(
                (chance(found.weight) - expected).abs() < 1e-4,
                "{deviations}: {} {expected}",
                chance(found.weight)
            );
            assert!(Chance::of_weight(found.weight).pull.abs_diff(found.pull) <= 1);
        }
        assert!(
            [f32::MIN, -99.0, 99.0, f32::MAX].map(Chance::of_value).iter().all(|chance| chance.weight >= CERTAIN[0])
        );
    }

    fn leaf(deviations: f64) -> Node<u8> {
        node(Chance::of_value(deviations as f32))
    }

    proptest! {
        /// A parent and its brother, a leaf, below a grandparent: chances are those of the definition, and pulls compare as the
        /// derivatives of the grandparent's chance do.
        #[test]
        fn nodes_are_what_their_children_say(steps in prop::collection::vec(-400i32..400, 1..12), uncle in -300i32..300) {
            let values: Vec<f64> = steps.iter().map(|&step| f64::from(step) / f64::from(LEAF_STEPS)).collect();
            let uncle = f64::from(uncle) / f64::from(LEAF_STEPS);
            let by_definition = |values: &[f64]| win::of_children(&values.iter().map(|&value| win::of_value(value)).collect::<Vec<_>>());
            let of_grandparent = |values: &[f64], uncle| win::of_children(&[by_definition(values), win::of_value(uncle)]);
            let kids: Vec<Node<u8>> = values.iter().map(|&value| leaf(value)).collect();
            let (parent, pulled) = Chance::of_children(&kids);
            prop_assert!((chance(parent.weight) - by_definition(&values)).abs() < 1e-3);

            // dP/dz of a logistic distribution is P(1 − P) times a constant.
            let log_of = |up: f64, down: f64| ((up - down) / 2e-4 / LOGISTIC).abs().ln();
            let of_kid = |i: usize| {
                let [up, down] = [1e-4, -1e-4].map(|by| {
                    let mut moved = values.clone();
                    moved[i] += by;
                    of_grandparent(&moved, uncle)
                });
                log_of(up, down)
            };
            let most = (0..values.len()).map(of_kid).fold(f64::MIN, f64::max);
            // Further below, differences of chances say nothing.
            if most > -18.0 {
                prop_assert!(of_kid(pulled.into()) > most - 0.05, "{values:?} {pulled}");
                let of_uncle = log_of(of_grandparent(&values, uncle + 1e-4), of_grandparent(&values, uncle - 1e-4));
                let by_pulls = f64::from(parent.pull - leaf(uncle).pull) / PULL_UNITS;
                prop_assert!((by_pulls - (most - of_uncle)).abs() < 0.1, "{by_pulls} {most} {of_uncle}");
            }
        }
    }

    #[test]
    fn what_is_proven_is_certain_and_pulls_nothing() {
        let won = Chance::of_proofs(1, INFINITY).unwrap();
        let lost = Chance::of_proofs(-INFINITY, -1).unwrap();
        // What a draw is worth is a question of the goal.
        let even = Chance::of_value(0.0).for_good();
        assert_eq!([(0, 0), (0, INFINITY)].map(|(lower, upper)| Chance::of_proofs(lower, upper)), [None; 2]);
        assert!(won.weight < even.weight && even.weight < lost.weight);
        assert_eq!([won, lost, even].map(|chance| chance.pull), [NO_PULL; 3]);
        // A child that is lost for the other side wins; children that are all won for it lose.
        assert!(chance(Chance::of_children(&[node(won), node(lost)]).0.weight) > 0.999);
        assert!(chance(Chance::of_children(&[node(won), node(won)]).0.weight) < 0.001);
        assert_eq!(Chance::of_children(&[node(won), node(even)]).0.pull, NO_PULL);
    }

    #[test]
    fn a_leaf_that_was_searched_pulls_less() {
        let leaf = Chance::of_value(0.0);
        assert_eq!(leaf.after_searches(0), leaf);
        assert!(leaf.after_searches(1).pull < leaf.pull);
        assert!(leaf.after_searches(u64::MAX).pull > NO_PULL);
    }
}
