//! The exploration term: what a child's value is worth more because few expansions went through it.

use super::arena::Node;

/// Visits with a root in the tables. Most nodes have fewer.
const TABULATED: usize = 1024;

/// Selection by value and C·√(ln N / n), N the visits of the parent, n those of the child, and one more of each.
#[derive(Clone, Debug)]
pub(super) struct Exploration {
    tables: Box<[Roots; TABULATED]>,
}

/// Of a node with so many visits.
#[derive(Clone, Copy, Debug)]
struct Roots {
    /// √(ln (N + 1)), for a parent.
    of_log: f32,
    /// 1 / √(n + 1), for a child.
    inverse: f32,
}

impl Roots {
    fn new(visits: u64) -> Roots {
        let visits = (visits + 1) as f32;
        Roots { of_log: visits.ln().sqrt(), inverse: 1.0 / visits.sqrt() }
    }
}

impl Exploration {
    /// With the tables filled.
    pub fn new() -> Exploration {
        let mut tables = Box::new([Roots::new(0); TABULATED]);
        for (visits, roots) in tables.iter_mut().enumerate() {
            *roots = Roots::new(visits as u64);
        }
        Exploration { tables }
    }

    #[inline]
    fn roots(&self, visits: u64) -> Roots {
        match self.tables.get(visits as usize) {
            Some(roots) => *roots,
            None => Roots::new(visits),
        }
    }

    /// The child of `node` to go on with, among those that may still change its proven value and are not leaves that some
    /// thread is at work on; the first of equals. `loss` is what each thread below a child counts against it. C and the
    /// loss are in units of the evaluation.
    ///
    /// The children are in the order of their values. So a child that was visited as often as one before it, or oftener,
    /// cannot be the one: the roots of few are needed.
    #[inline]
    pub fn choose<M>(&self, c: f32, node: &Node<M>, kids: &[Node<M>], loss: f32) -> Option<usize> {
        let scale = c * self.roots(node.visits).of_log;
        let mut best = (f32::NEG_INFINITY, None);
        let mut fewest = u64::MAX;
        for (i, kid) in kids.iter().enumerate() {
            if kid.visits >= fewest || -kid.lower <= node.lower || (kid.busy > 0 && kid.is_leaf()) {
                continue;
            }
            let bonus = scale * self.roots(kid.visits).inverse;
            let value = bonus - kid.value as f32 - loss * f32::from(kid.busy);
            if value > best.0 {
                best = (value, Some(i));
            }
            if kid.busy == 0 {
                fewest = kid.visits;
                if fewest == 0 {
                    break;
                }
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::best_first::arena::INFINITY;
    use proptest::prelude::*;

    /// By the definition, all children looked at.
    fn by_definition(c: f32, node: &Node<u8>, kids: &[Node<u8>], loss: f32) -> Option<f32> {
        let free = |kid: &&Node<u8>| -kid.lower > node.lower && !(kid.is_leaf() && kid.busy > 0);
        let worth = |kid: &Node<u8>| {
            let bonus = c * (((node.visits + 1) as f32).ln() / (kid.visits + 1) as f32).sqrt();
            bonus - kid.value as f32 - loss * f32::from(kid.busy)
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
            let loss = 128.0;
            let chosen = Exploration::new().choose(c, &node, &kids, loss);
            let worth = chosen.map(|i| by_definition(c, &node, &kids[i..=i], loss).unwrap());
            let best = by_definition(c, &node, &kids, loss);
            prop_assert_eq!(worth.is_some(), best.is_some());
            if let (Some(worth), Some(best)) = (worth, best) {
                prop_assert!((worth - best).abs() <= 1e-3 * (1.0 + best.abs()), "{worth} {best}");
            }
        }
    }
}
