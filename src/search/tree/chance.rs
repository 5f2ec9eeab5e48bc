//! The chance that a value stands for, and how relevant a leaf is to the chance of the root.
//!
//! The chance is that of getting more than a goal. The goal is about what the root is worth, so the question is open, and what it
//! depends on is what the value of the root depends on. Where a win or a loss is proven, the chance is certain whatever the goal.
//!
//! A leaf's value is the middle of a logistic distribution. With P the chance of the side to move at a node, let x = −ln P, its
//! surprise. A node is lost if all its children are won for the other side. If the children were independent, −ln(1 − P) would
//! be the sum of their x; if only the best counted, the largest of them. (Σ xᵢ^p)^(1/p) lies between: several good moves are
//! better than one, since they are less often all refuted.
//!
//! The leaf to expand next is the one with the largest |∂P(root) / ∂P(leaf)| · P(leaf) · (1 − P(leaf)): its uncertainty matters
//! most. The derivative is a product along the path, so its logarithm is a sum; every node keeps the largest one below it, its
//! relevance. Source of the idea: Baum and Smith, "A Bayesian approach to relevance in game playing" (1997). The program Othello
//! Sensei selects by derivatives too.

use std::sync::LazyLock;

/// The exponent p: 1 for children that are independent of each other, ∞ for the best value alone.
const POWER: f64 = 1.5;
/// Deviation of the normal distribution that is nearest to a logistic one, divided by the scale of the latter.
const LOGISTIC: f64 = 1.702;
/// The weight of a child that is known to be won for its side to move, and of one that is known to be lost.
const CERTAIN: [f32; 2] = [1e-15, 250.0];
/// The least x, that of a certain win: `CERTAIN[0]` to the power 1/p.
const LEAST_SURPRISE: f64 = 1e-10;

/// Units of relevance for one natural logarithm.
const RELEVANCE_UNITS: f64 = 64.0;
/// The relevance of a node below which there is nothing to find out.
pub const IRRELEVANT: i16 = i16::MIN;

/// Largest difference of the relevances of two near chances: a quarter of a natural logarithm.
const NEAR_RELEVANCES: u16 = (RELEVANCE_UNITS / 4.0) as u16;
/// Largest factor between the weights of two near chances.
const NEAR_WEIGHTS: f32 = 1.25;

/// Steps of the table of leaves for one deviation.
const LEAF_STEPS: i32 = 128;
/// Distance from 0, in standard deviations, at which the table of leaves ends on either side.
const LEAF_END: i32 = 16;
/// The binary logarithm of the sum at which the table of nodes begins.
const NODE_BEGIN: i32 = -96;
/// Octaves in the table of nodes.
const NODE_OCTAVES: u32 = 120;
/// Binary logarithm of the steps in each octave.
const NODE_STEPS: u32 = 5;

/// A chance as a node keeps it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chance {
    /// x^p: the larger, the better for the side that moved there.
    pub weight: f32,
    /// The logarithm of the largest dependence of the parent's −ln(1 − P) on a leaf below this node, without the factors that its
    /// siblings have in common; in `RELEVANCE_UNITS`.
    pub relevance: i16,
}

/// Tables of functions of one variable.
struct Tables {
    /// The chance of a leaf, by its value in deviations.
    leaves: Vec<Chance>,
    /// The weight of a node, and by how much its relevance exceeds the largest of its children's, by the sum of their weights.
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

/// The surprise of the event opposite to one with this surprise.
fn opposite(surprise: f64) -> f64 {
    (-(-(-surprise).exp_m1()).ln()).max(LEAST_SURPRISE)
}

/// The chance of a leaf whose side to move wins with this surprise.
fn of_surprise(surprise: f64) -> Chance {
    let x = surprise.max(LEAST_SURPRISE);
    // (p − 1) ln x + x, see `of_sum`, and the leaf's own ln P(1 − P).
    let relevance = (POWER - 1.0) * x.ln() - opposite(x);
    Chance { weight: x.powf(POWER) as f32, relevance: (RELEVANCE_UNITS * relevance).round() as i16 }
}

/// The weight of a node whose children's weights have this sum, and by how much its relevance exceeds the largest of theirs.
fn of_sum(sum: f32) -> (f32, f32) {
    let lost = f64::from(sum).powf(1.0 / POWER);
    let x = opposite(lost);
    // With X = (Σ xᵢ^p)^(1/p) = −ln(1 − P): |∂P / ∂Pᵢ| = e^−X · (xᵢ / X)^(p−1) · e^xᵢ. What depends on i alone, (p − 1) ln xᵢ + xᵢ, is
    // in the relevance of the child already, and goes into that of this node with its own x.
    let relevance = -lost - (POWER - 1.0) * lost.ln() + (POWER - 1.0) * x.ln() + x;
    (x.powf(POWER) as f32, (RELEVANCE_UNITS * relevance) as f32)
}

impl Chance {
    /// The chance of a leaf whose value is `deviations` standard deviations above the goal.
    #[inline]
    pub fn of_value(deviations: f32) -> Chance {
        let end = LEAF_END * LEAF_STEPS;
        let step = (deviations * LEAF_STEPS as f32) as i32;
        TABLES.leaves[(step.clamp(-end, end) + end) as usize]
    }

    /// The chance of a leaf with this weight.
    pub fn of_weight(weight: f32) -> Chance {
        of_surprise(f64::from(weight).powf(1.0 / POWER))
    }

    /// The chance of a node by what is proven of it, if it is proven who wins.
    #[inline]
    pub fn of_proofs(lower: i32, upper: i32) -> Option<Chance> {
        let certain = |weight| Some(Chance { weight, relevance: IRRELEVANT });
        match (lower, upper) {
            (1.., _) => certain(CERTAIN[0]),
            (_, ..=-1) => certain(CERTAIN[1]),
            _ => None,
        }
    }

    /// Whether the difference is so small that the parent may be updated later.
    #[inline]
    pub fn is_near(self, other: Chance) -> bool {
        self.relevance.abs_diff(other.relevance) <= NEAR_RELEVANCES
            && self.weight <= NEAR_WEIGHTS * other.weight
            && other.weight <= NEAR_WEIGHTS * self.weight
    }

    /// This chance where nothing is left to find out.
    pub fn solved(self) -> Chance {
        Chance { relevance: IRRELEVANT, ..self }
    }

    /// The chance of a node from its children, and which of them is most relevant, the first of equals.
    #[inline]
    pub fn of_children(children: impl Iterator<Item = Chance>) -> (Chance, u8) {
        let (mut sum, mut relevance, mut most_relevant) = (0.0f32, IRRELEVANT, 0);
        for (i, child) in children.enumerate() {
            sum += child.weight;
            if child.relevance > relevance {
                (relevance, most_relevant) = (child.relevance, i as u8);
            }
        }
        let (weight, more) = TABLES.node(sum);
        if relevance > IRRELEVANT {
            relevance =
                (f32::from(relevance) + more).round().clamp(f32::from(IRRELEVANT + 1), f32::from(i16::MAX)) as i16;
        }
        (Chance { weight, relevance }, most_relevant)
    }

    /// The chance of a leaf below which `searches` expansions were made that are not in the tree: less is left to find out.
    pub fn after_searches(self, searches: u64) -> Chance {
        if self.relevance == IRRELEVANT {
            return self;
        }
        let less = (RELEVANCE_UNITS * (searches as f64).ln_1p()) as i16;
        Chance { relevance: self.relevance.saturating_sub(less).max(IRRELEVANT + 1), ..self }
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

/// The chances themselves, by the definition, for tests.
#[cfg(test)]
pub(in crate::search) mod win {
    use super::{LOGISTIC, POWER};

    /// The chance of a leaf whose value is `deviations` standard deviations above the goal.
    pub fn of_value(deviations: f64) -> f64 {
        1.0 / (1.0 + (-LOGISTIC * deviations).exp())
    }

    /// The chance of a node whose children are won for their side to move with these.
    pub fn of_children(chances: &[f64]) -> f64 {
        let sum: f64 = chances.iter().map(|chance| (-chance.ln()).powf(POWER)).sum();
        1.0 - (-sum.powf(1.0 / POWER)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::INFINITY;
    use proptest::prelude::*;

    /// P of the side to move, from the weight.
    fn chance(weight: f32) -> f64 {
        (-f64::from(weight).powf(1.0 / POWER)).exp()
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
            assert!(Chance::of_weight(found.weight).relevance.abs_diff(found.relevance) <= 1);
        }
        assert!(
            [f32::MIN, -99.0, 99.0, f32::MAX].map(Chance::of_value).iter().all(|chance| chance.weight >= CERTAIN[0])
        );
    }

    fn leaf(deviations: f64) -> Chance {
        Chance::of_value(deviations as f32)
    }

    proptest! {
        /// A parent and its sibling, a leaf, below a grandparent: chances are those of the definition, and relevances compare as the
        /// derivatives of the grandparent's chance do.
        #[test]
        fn nodes_are_what_their_children_say(steps in prop::collection::vec(-400i32..400, 1..12), uncle in -300i32..300) {
            let values: Vec<f64> = steps.iter().map(|&step| f64::from(step) / f64::from(LEAF_STEPS)).collect();
            let uncle = f64::from(uncle) / f64::from(LEAF_STEPS);
            let by_definition = |values: &[f64]| win::of_children(&values.iter().map(|&value| win::of_value(value)).collect::<Vec<_>>());
            let of_grandparent = |values: &[f64], uncle| win::of_children(&[by_definition(values), win::of_value(uncle)]);
            let kids: Vec<Chance> = values.iter().map(|&value| leaf(value)).collect();
            let (parent, most_relevant) = Chance::of_children(kids.into_iter());
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
            // Further below, differences of chances mean nothing.
            if most > -18.0 {
                prop_assert!(of_kid(most_relevant.into()) > most - 0.05, "{values:?} {most_relevant}");
                let of_uncle = log_of(of_grandparent(&values, uncle + 1e-4), of_grandparent(&values, uncle - 1e-4));
                let by_relevance = f64::from(parent.relevance - leaf(uncle).relevance) / RELEVANCE_UNITS;
                prop_assert!((by_relevance - (most - of_uncle)).abs() < 0.1, "{by_relevance} {most} {of_uncle}");
            }
        }
    }

    #[test]
    fn what_is_proven_is_certain_and_irrelevant() {
        let won = Chance::of_proofs(1, INFINITY).unwrap();
        let lost = Chance::of_proofs(-INFINITY, -1).unwrap();
        // What a draw is worth is a question of the goal.
        let even = Chance::of_value(0.0).solved();
        assert_eq!([(0, 0), (0, INFINITY)].map(|(lower, upper)| Chance::of_proofs(lower, upper)), [None; 2]);
        assert!(won.weight < even.weight && even.weight < lost.weight);
        assert_eq!([won, lost, even].map(|chance| chance.relevance), [IRRELEVANT; 3]);
        // A child that is lost for the other side wins; children that are all won for it lose.
        assert!(chance(Chance::of_children([won, lost].into_iter()).0.weight) > 0.999);
        assert!(chance(Chance::of_children([won, won].into_iter()).0.weight) < 0.001);
        assert_eq!(Chance::of_children([won, even].into_iter()).0.relevance, IRRELEVANT);
    }

    #[test]
    fn a_leaf_that_was_searched_is_less_relevant() {
        let leaf = Chance::of_value(0.0);
        assert_eq!(leaf.after_searches(0), leaf);
        assert!(leaf.after_searches(1).relevance < leaf.relevance);
        assert!(leaf.after_searches(u64::MAX).relevance > IRRELEVANT);
    }
}
