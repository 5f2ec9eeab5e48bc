//! The exploration term: what a child's value is worth more because few expansions went through it.

use crate::search::tree::Node;
use std::sync::LazyLock;

/// Counts with roots in the table. Larger ones are rounded down to their ten leading bits: that is a thousandth in the
/// exploration term.
const TABULATED: usize = 1 << LEADING_BITS;
const LEADING_BITS: u32 = 10;

/// Selection by value and C·√(ln N / n), N the visits of the parent, n those of the child, and one more of each.
#[derive(Clone, Debug)]
pub(super) struct Exploration {
    table: Box<[Roots; TABULATED]>,
    /// 1 / √(2^k), for each k.
    halves: [f32; 64],
}

/// The factors of the exploration term for a node, which follow from its number n of visits.
#[derive(Clone, Copy, Debug, Default)]
struct Roots {
    /// ln (n + 1), for a parent.
    log: f32,
    /// 1 / √(n + 1), for a child.
    inverse: f32,
}

/// The exploration term with its tables filled.
pub(super) static EXPLORATION_TABLES: LazyLock<Exploration> = LazyLock::new(Exploration::new);

impl Exploration {
    fn new() -> Exploration {
        let mut table = Box::new([Roots::default(); TABULATED]);
        for (count, roots) in table.iter_mut().enumerate().skip(1) {
            let count = count as f32;
            *roots = Roots { log: count.ln(), inverse: 1.0 / count.sqrt() };
        }
        Exploration { table, halves: std::array::from_fn(|k| 0.5f32.powi(k as i32).sqrt()) }
    }

    #[inline]
    fn roots(&self, visits: u64) -> Roots {
        let count = visits + 1;
        if count < TABULATED as u64 {
            return self.table[count as usize];
        }
        let shift = (u64::BITS - LEADING_BITS) - count.leading_zeros();
        let Roots { log, inverse } = self.table[(count >> shift) as usize % TABULATED];
        Roots { log: log + shift as f32 * std::f32::consts::LN_2, inverse: inverse * self.halves[shift as usize % 64] }
    }

    /// The child of `node` to go on with, among those that may still change its proven value and are not leaves that some
    /// thread is at work on; the first of equals. A check-out counts as visits already (virtual loss). C is in units of the evaluation.
    ///
    /// The children are in the order of their values. So a child that was visited as often as one before it, or oftener,
    /// cannot be the one: the roots of few are needed.
    #[inline]
    pub fn choose<M>(&self, c: f32, node: &Node<M>, kids: &[Node<M>]) -> Option<usize> {
        let scale = c * self.roots(node.visits_with_busy()).log.sqrt();
        let mut best = (f32::NEG_INFINITY, None);
        let mut fewest = u64::MAX;
        for (i, kid) in kids.iter().enumerate() {
            let visits = kid.visits_with_busy();
            if visits >= fewest || -kid.lower <= node.lower || (kid.busy > 0 && kid.is_leaf()) {
                continue;
            }
            let value = scale * self.roots(visits).inverse - kid.value as f32;
            if value > best.0 {
                best = (value, Some(i));
            }
            fewest = visits;
            if fewest == 0 {
                break;
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::INFINITY;
    use proptest::prelude::*;

    #[test]
    fn roots_are_those_of_the_definition() {
        let exploration = Exploration::new();
        for visits in (0..5000).chain((13..62).flat_map(|bits| [(1 << bits) - 2, (1 << bits) - 1, 3 << (bits - 1)])) {
            let Roots { log, inverse } = exploration.roots(visits);
            let count = (visits + 1) as f64;
            let tolerance = if visits < 1000 { 1e-6 } else { 2e-3 };
            assert!((f64::from(log) - count.ln()).abs() <= tolerance * count.ln(), "{visits}");
            assert!((f64::from(inverse) * count.sqrt() - 1.0).abs() <= tolerance, "{visits}");
        }
    }

    /// The greatest sum of value and exploration term, by the definition, from all children.
    fn by_definition(c: f32, node: &Node<u8>, kids: &[Node<u8>]) -> Option<f32> {
        let free = |kid: &&Node<u8>| -kid.lower > node.lower && !(kid.is_leaf() && kid.busy > 0);
        let worth = |kid: &Node<u8>| {
            let [all, own] = [node, kid].map(|node| (node.visits + u64::from(node.busy) + 1) as f32);
            c * (all.ln() / own).sqrt() - kid.value as f32
        };
        kids.iter().filter(free).map(worth).reduce(f32::max)
    }

    proptest! {
        #[test]
        fn the_choice_is_the_best_of_all(
            kids in prop::collection::vec((-900..900i32, 0..3000u64, 0..4u8, 0..4u8, any::<bool>()), 1..20),
            c in 1.0..900f32,
        ) {
            let mut kids: Vec<Node<u8>> = kids
                .into_iter()
                .map(|(value, visits, busy, count, solved)| Node {
                    visits,
                    busy: busy.saturating_sub(2),
                    count,
                    ..if solved { Node::solved(None, value) } else { Node::leaf(None, value) }
                })
                .collect();
            kids.sort_by_key(|kid| kid.value);
            let visits = 1 + kids.iter().map(|kid| kid.visits).sum::<u64>();
            let lower = kids.iter().map(|kid| kid.upper).min().map_or(-INFINITY, |upper| -upper);
            let node = Node { visits, lower, count: kids.len() as u8, ..Node::leaf(None, 0) };
            let chosen = Exploration::new().choose(c, &node, &kids);
            let worth = chosen.map(|i| by_definition(c, &node, &kids[i..=i]).unwrap());
            let best = by_definition(c, &node, &kids);
            prop_assert_eq!(worth.is_some(), best.is_some());
            if let (Some(worth), Some(best)) = (worth, best) {
                prop_assert!((worth - best).abs() <= 0.01 * c + 0.01, "{worth} {best}");
            }
        }
    }
}
