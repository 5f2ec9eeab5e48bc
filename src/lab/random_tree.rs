//! The random game trees of Korf and Chickering (AAAI-94, "Random Game Tree Results"): a second game for the searches.
//!
//! Every edge has a random cost; a position is worth the sum of the costs from the root to it, and a game ends after a
//! fixed number of turns with that sum as its result. Nothing is stored: a position is a hash from which its children
//! follow, so that one seed is one tree, whatever part of it is looked at.

use crate::eval::Evaluator;
use crate::game::Game;
use crate::othello::Color;
use crate::random::mix;

/// What trees are drawn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeShape {
    /// The number of children is uniform from 1 to this, at least 1.
    pub branching: u8,
    /// Turns in a game.
    pub length: u16,
    /// Edge costs are uniform from minus this to this.
    pub cost: u16,
}

impl TreeShape {
    /// The trees of the paper, which varied `branching` from 2 to 20: 100 turns, costs up to 2^15.
    pub const fn of_the_paper(branching: u8) -> TreeShape {
        TreeShape { branching, length: 100, cost: 1 << 15 }
    }
}

/// A position in a random tree. Black, who moves first, wants the sum of the edge costs large.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomTree {
    hash: u64,
    sum: i32,
    depth: u16,
    shape: TreeShape,
}

/// Salts that make independent numbers of one hash.
const CHILD: u64 = 0x9e37_79b9_7f4a_7c15;
const COUNT: u64 = 0xd1b5_4a32_d192_ed03;
const COST: u64 = 0x8cb9_2ba7_2f3d_8dd7;

impl RandomTree {
    /// The root of one tree.
    pub fn new(shape: TreeShape, seed: u64) -> RandomTree {
        RandomTree { hash: mix(seed), sum: 0, depth: 0, shape }
    }

    /// The root of one of the trees of the paper: that of this number among those of a seed.
    pub fn of_the_paper(branching: u8, seed: u64, number: u64) -> RandomTree {
        RandomTree::new(TreeShape::of_the_paper(branching), mix(seed) ^ number)
    }

    /// The sum of the edge costs from the root: the static value for Black.
    pub fn sum(&self) -> i32 {
        self.sum
    }

    /// Turns taken from the root.
    pub fn depth(&self) -> u16 {
        self.depth
    }

    /// Turns to the end of the game.
    pub fn plies_left(&self) -> u16 {
        self.shape.length - self.depth
    }
}

impl Game for RandomTree {
    /// The child's number.
    type Move = u8;
    type Moves = std::ops::Range<u8>;

    fn moves(&self) -> Self::Moves {
        let most = u64::from(self.shape.branching.max(1));
        let count = if self.is_over() { 0 } else { 1 + mix(self.hash ^ COUNT) % most };
        0..count as u8
    }

    fn after(&self, child: u8) -> RandomTree {
        let hash = mix(self.hash ^ (u64::from(child) + 1).wrapping_mul(CHILD));
        let span = 2 * u64::from(self.shape.cost) + 1;
        let cost = (mix(hash ^ COST) % span) as i32 - i32::from(self.shape.cost);
        RandomTree { hash, sum: self.sum + cost, depth: self.depth + 1, shape: self.shape }
    }

    fn pass(&self) -> RandomTree {
        unreachable!("a position of a random tree has a move until the game is over")
    }

    fn is_over(&self) -> bool {
        self.depth >= self.shape.length
    }

    fn outcome(&self) -> i32 {
        self.mover().signed(self.sum)
    }

    fn mover(&self) -> Color {
        if self.depth.is_multiple_of(2) { Color::Black } else { Color::White }
    }
}

/// The static value of the paper: the sum of the edge costs from the root.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathCost;

impl Evaluator<RandomTree> for PathCost {
    fn evaluate(&self, position: &RandomTree) -> i32 {
        position.mover().signed(position.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(seed: u64, shape: TreeShape) -> Vec<RandomTree> {
        let mut position = RandomTree::new(shape, seed);
        let mut line = vec![position];
        while let Some(last) = position.moves().last() {
            position = position.after(last);
            line.push(position);
        }
        line
    }

    #[test]
    fn a_seed_is_a_tree() {
        let shape = TreeShape::of_the_paper(7);
        assert_eq!(walk(5, shape), walk(5, shape));
        assert_ne!(walk(5, shape), walk(6, shape));
        let line = walk(5, shape);
        assert_eq!(line.len(), 101);
        assert!(line[100].is_over() && !line[99].is_over());
        assert_eq!(line[100].outcome(), line[100].sum());
        assert_eq!(PathCost.evaluate(&line[99]), -line[99].sum());
    }

    #[test]
    fn costs_and_counts_are_uniform() {
        let shape = TreeShape { branching: 4, length: 3, cost: 2 };
        let mut counts = [0u32; 5];
        let mut costs = [0u32; 5];
        for seed in 0..20_000 {
            let root = RandomTree::new(shape, seed);
            counts[root.moves().len()] += 1;
            costs[(root.after(0).sum() + 2) as usize] += 1;
        }
        // Five standard deviations of a binomial distribution with p = 1/4 and 1/5 are 306 and 283.
        assert_eq!(counts[0], 0);
        assert!(counts[1..].iter().all(|&n| n.abs_diff(5_000) < 306), "{counts:?}");
        assert!(costs.iter().all(|&n| n.abs_diff(4_000) < 283), "{costs:?}");
    }
}
