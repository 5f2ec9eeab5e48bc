//! Which of the root's moves to play.

use super::{EndValues, Explorer, Policy};
use crate::game::Game;
use crate::search::{Bound, SearchDepth};

/// A move at the root with what is known of it, values seen by the side that makes it.
#[derive(Clone, PartialEq, Debug)]
pub struct RootMove<M> {
    /// The expected play, the move itself first; `None` is a pass.
    pub line: Vec<Option<M>>,
    /// The move's value.
    pub value: i32,
    /// The proven lower bound on the result under perfect play.
    pub lower: i32,
    /// The proven upper bound on the result under perfect play.
    pub upper: i32,
    /// Expansions below the move.
    pub visits: u64,
}

impl<M> RootMove<M> {
    /// Whether the value is the result under perfect play.
    pub fn is_solved(&self) -> bool {
        self.lower == self.upper
    }
}

/// What the choice of a move depends on, seen by the side to move at the root.
#[derive(Clone, Copy)]
struct Ranked {
    i: usize,
    value: i32,
    lower: i32,
    upper: i32,
    /// The rank of the move as long as it is not proven; larger is better.
    support: u64,
}

impl<G: Game, P: Policy<G>> Explorer<G, P> {
    /// The moves at the root, the one to play first. Empty before the first iteration.
    pub fn root_moves(&self) -> Vec<RootMove<G::Move>> {
        let root = self.tree.root();
        let kids = self.tree.kids(root);
        let describe = |i: usize| {
            let kid = &kids[i];
            let mut line = Vec::new();
            self.tree.principal_variation(root, i, &mut line);
            RootMove { line, value: -kid.value, lower: -kid.upper, upper: -kid.lower, visits: kid.visits }
        };
        self.ranking().into_iter().map(describe).collect()
    }

    /// What is proven of a move's result: all of it, or who wins and perhaps a bound. `None` where that is open.
    pub(super) fn proven(&self, root_move: &RootMove<G::Move>) -> Option<(SearchDepth, Bound)> {
        if root_move.is_solved() {
            return Some((SearchDepth::Exact, Bound::Exact));
        }
        let is_known = self.rules.ends == EndValues::WinFirst && (root_move.lower > 0 || root_move.upper < 0);
        let bound = match root_move.value {
            value if root_move.lower > 0 && value <= root_move.lower => Bound::Lower,
            value if root_move.upper < 0 && value >= root_move.upper => Bound::Upper,
            _ => Bound::Exact,
        };
        is_known.then_some((SearchDepth::WinLossDraw, bound))
    }

    /// The root's children in the order in which they would be played.
    pub(super) fn ranking(&self) -> Vec<usize> {
        let kids = self.tree.kids(self.tree.root());
        let candidate = |(i, kid): (usize, &crate::search::tree::Node<G::Move>)| {
            let support = P::support(self, kid)?;
            Some(Ranked { i, value: -kid.value, lower: -kid.upper, upper: -kid.lower, support })
        };
        let Some(mut left) = kids.iter().enumerate().map(candidate).collect::<Option<Vec<Ranked>>>() else {
            return (0..kids.len()).collect();
        };
        let mut order = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let best = self.choice(&left);
            order.push(left.remove(best).i);
        }
        order
    }

    /// The index of the move to play among several.
    ///
    /// A proven win first. Otherwise the move that most expansions went through, or the likeliest one; but those that are solved
    /// are left alone by the search and have their value instead: the best of them is preferred if it is worth as much. A proven
    /// loss only if nothing else is left.
    fn choice(&self, moves: &[Ranked]) -> usize {
        type Key = (u64, i32, i32);
        let by_sign = self.rules.ends != EndValues::Sum;
        let best = |filter: &dyn Fn(&Ranked) -> bool, key: &dyn Fn(&Ranked) -> Key| {
            // The first of equals: the children are in the order of their values.
            moves.iter().enumerate().filter(|(_, m)| filter(m)).reduce(|a, b| if key(b.1) > key(a.1) { b } else { a })
        };
        let won = best(&|m| by_sign && m.lower > 0, &|m| (0, m.lower, m.value));
        let may_lose = |m: &Ranked| !by_sign || m.upper >= 0;
        let solved = best(&|m| may_lose(m) && m.lower == m.upper, &|m| (0, m.value, m.lower));
        let open = best(&|m| may_lose(m) && m.lower < m.upper, &|m| (m.support, m.value, m.lower));
        let chosen = won.or(match (solved, open) {
            (Some(solved), Some(open)) if solved.1.value < open.1.value => Some(open),
            (solved, open) => solved.or(open),
        });
        let chosen = chosen.or_else(|| best(&|_| true, &|m| (0, m.value, m.lower)));
        chosen.map_or(0, |(i, _)| i)
    }
}
