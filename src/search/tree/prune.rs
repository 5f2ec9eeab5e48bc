//! Pruning a stored tree to free memory: the least promising subtrees become leaves that keep their values.

use super::Tree;
use crate::game::Game;

/// The part of the nodes that one prune frees: 1/4.
const BATCH: u32 = 4;
/// The part of the nodes, 1/1024, below which a subtree is judged as a whole. That bounds the walk: few subtrees are larger, and only
/// they are entered.
const GRAIN: u32 = 1024;
/// Classes of gaps: eight for each power of two.
const CLASSES: usize = 33 * 8;
/// The class of what is freed before everything else: the nodes below a proven value.
const PROVEN: usize = CLASSES - 1;

/// The class of a gap. A node's gap is how far the values on the way to it fall short of the best ones: what they would have to change
/// for the node to matter. The larger, the less promising.
fn class_of(gap: u32) -> usize {
    let exponent = gap.checked_ilog2().unwrap_or(0).max(3);
    let mantissa = (gap >> (exponent - 3)) as usize & 7;
    if gap < 8 { gap as usize } else { (exponent as usize - 2) * 8 + mantissa }
}

/// A node as the walk comes to it.
#[derive(Clone, Copy)]
struct Visit<'a> {
    node: u32,
    gap: u32,
    /// Whether all turns down from the root's child were the best ones.
    is_principal: bool,
    /// The path that must stay.
    path: &'a [u32],
    level: u32,
}

impl<G: Game> Tree<G> {
    /// Collapses the least promising subtrees until about a quarter of the nodes is cut off, and returns how many are.
    ///
    /// The root's children, what is on the principal variation of each of them, the nodes of `path`, which starts at the
    /// root, and those that are checked out stay. A solved node of a principal variation loses what is below it if another path leads to it
    /// too. Proofs outlive their nodes. The memory comes back with [`Tree::sweep`].
    pub fn prune(&mut self, path: &[u32]) -> u64 {
        let root = self.root();
        let total = self.arena[root].size;
        let start = Visit { node: root, gap: 0, is_principal: true, path, level: 0 };
        let grain = (total / GRAIN).max(16);
        let mut histogram = [0u32; CLASSES];
        self.survey(start, grain, &mut histogram);
        let wanted = total / BATCH;
        let mut sum = 0;
        let class = (0..CLASSES).rev().find(|&class| {
            sum += histogram[class];
            sum >= wanted
        });
        let mut left = wanted;
        self.collapse_from(start, grain, class.unwrap_or(0), &mut left);
        u64::from(wanted - left)
    }

    /// The children of a node.
    fn visits_below<'a>(&self, parent: Visit<'a>) -> impl Iterator<Item = Visit<'a>> + use<'a, G> {
        let first = self.arena[parent.node].kids;
        let best = self.kids(parent.node).first().map_or(0, |kid| kid.value);
        let gaps: Vec<u32> = self.kids(parent.node).iter().map(|kid| kid.value.abs_diff(best)).collect();
        (first..).zip(gaps).map(move |(node, gap)| Visit {
            node,
            gap: parent.gap.saturating_add(gap),
            is_principal: parent.level == 0 || parent.is_principal && node == first,
            path: parent.path,
            level: parent.level + 1,
        })
    }

    /// The class of a node that may be collapsed.
    fn class(&self, visit: Visit<'_>) -> Option<usize> {
        let node = &self.arena[visit.node];
        // A node of the path may be reached in another way here.
        if node.is_leaf() || visit.is_principal || node.busy > 0 || visit.path.contains(&visit.node) {
            None
        } else if node.is_solved() {
            Some(PROVEN)
        } else {
            Some(class_of(visit.gap).min(PROVEN - 1))
        }
    }

    fn survey(&self, parent: Visit<'_>, grain: u32, histogram: &mut [u32; CLASSES]) {
        for visit in self.visits_below(parent) {
            let node = self.arena[visit.node];
            match self.class(visit) {
                Some(class) if node.size < grain || class == PROVEN => {
                    histogram[class] = histogram[class].saturating_add(node.size);
                    continue;
                }
                Some(class) => histogram[class] = histogram[class].saturating_add(node.count.into()),
                None => {}
            }
            self.survey(visit, grain, histogram);
        }
    }

    /// Collapses the nodes of at least this class until `left` nodes are cut off; returns how many of those the parent knew of.
    fn collapse_from(&mut self, parent: Visit<'_>, grain: u32, least: usize, left: &mut u32) -> u32 {
        let mut cut = 0;
        for visit in self.visits_below(parent) {
            if *left == 0 {
                break;
            }
            let node = self.arena[visit.node];
            cut += match self.class(visit) {
                Some(class) if class >= least => {
                    let size = self.collapse(visit.node);
                    *left = left.saturating_sub(size);
                    size
                }
                Some(_) if node.size < grain => 0,
                _ => self.collapse_from(visit, grain, least, left),
            };
        }
        self.refresh_chance(parent.node);
        self.arena[parent.node].shrink(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_grow_with_the_gap() {
        let mut gaps: Vec<u32> = (0..5000).chain((13..32).flat_map(|e| [1 << e, 3 << (e - 1)])).collect();
        gaps.push(u32::MAX);
        gaps.sort_unstable();
        assert!(gaps.windows(2).all(|pair| class_of(pair[0]) <= class_of(pair[1])));
        assert_eq!((class_of(0), class_of(7), class_of(8), class_of(16)), (0, 7, 8, 16));
        assert!(class_of(u32::MAX) < PROVEN);
    }
}
