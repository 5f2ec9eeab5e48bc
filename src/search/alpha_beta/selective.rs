//! What is searched less deep than the rest, and what deeper: cuts by shallower searches (ProbCut) and singular extensions.

use super::walk::{Node, Walk};
use crate::eval::{Incremental, MOST_EMPTIES_OF_FIT, STATIC_LIMIT, shallow_depth, shallow_depth_to_end};
use crate::game::DISC;
use crate::othello::{Empties, Square};
use crate::search::BEYOND;
use crate::search::ordering::Candidates;
use crate::search::selectivity::Selectivity;
use crate::search::transposition::{Entry, TO_THE_END};

/// Depth in plies from which on ProbCut is tried.
pub(super) const CUT_FROM: u8 = 2;
/// The same with more empty squares than deviations are fitted to. Static values err more there, so a shallow search has at least four plies.
const UNFITTED_CUT_FROM: u8 = 8;
/// How deep ProbCut's shallow searches are nested, at most: they may themselves be cut by shallower ones.
const NESTED_PROBES: u8 = 2;

/// Depth in plies from which on a singular move is searched deeper, if ProbCut is tried there.
const SINGULAR_FROM: u8 = 6;
/// How much worse the static values of all other moves must be for a move to be singular by static values, in units of [`DISC`].
const STATIC_MARGIN: i32 = 4 * DISC;
/// How much worse all other moves must be by searches for it to be singular by these, in units of [`DISC`].
const SEARCHED_MARGIN: i32 = 2 * DISC;
/// How many plies less deep the search may have been whose best move may be singular by searches.
const SINGULAR_KNOWN: u8 = 3;

/// Depth in plies to which the positions behind the other moves are searched, to see that: about a third. With half the depth less than half is gained.
fn comparing_depth(depth: u8) -> u8 {
    (depth - 2) / 3
}

/// Depth in plies from which on ProbCut is tried with this number of empty squares.
fn cut_from(empties: Empties) -> u8 {
    if empties.count() > MOST_EMPTIES_OF_FIT { UNFITTED_CUT_FROM } else { CUT_FROM }
}

/// What a walk may leave out, and what it may search deeper.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Boldness {
    /// The selectivity of the cuts. Without cuts nothing is searched deeper either.
    pub selectivity: Selectivity,
    /// Number of nested ProbCut searches that the walk is in.
    probes: u8,
    /// Whether the walk is in a search that asks if a move is singular.
    is_comparing: bool,
}

impl Boldness {
    /// That of a search which begins.
    pub fn of(selectivity: Selectivity) -> Boldness {
        Boldness { selectivity, probes: 0, is_comparing: false }
    }

    /// The same without ProbCut searches.
    pub(super) fn without_probes(self) -> Boldness {
        Boldness { probes: NESTED_PROBES, ..self }
    }

    fn extends(self) -> bool {
        self.selectivity != Selectivity::NONE && self.probes == 0 && !self.is_comparing
    }
}

impl<E: Incremental> Walk<'_, E> {
    /// ProbCut: a bound on the value if a shallow search, or the static value alone, makes it likely enough that the value is
    /// beyond the null window below `beta`.
    pub(super) fn probcut(&mut self, node: &Node<E::State>, depth: u8, solving: bool, beta: i32) -> Option<i32> {
        let errors = self.shared.errors?;
        let deviations = self.boldness.selectivity.deviations()?;
        if self.boldness.probes >= NESTED_PROBES {
            return None;
        }
        let empties = node.position.empty_count();
        if depth < cut_from(empties) {
            return None;
        }
        let (shallow, sigma) = if solving {
            (shallow_depth_to_end(empties), errors.endgame(empties))
        } else {
            (shallow_depth(depth), errors.midgame(empties, depth))
        };
        let margin = (deviations * sigma as f32).round() as i32;
        let guess = self.leaf(node);
        let (high, low) = (beta + margin, beta - 1 - margin);
        if shallow == 0 {
            return if guess >= high { Some(beta) } else { (guess <= low).then_some(beta - 1) };
        }
        self.boldness.probes += 1;
        let mut found = None;
        if guess >= beta && high < BEYOND {
            let value = self.search_to_depth(node, shallow, high - 1, high);
            found = (value >= high).then_some(beta);
        } else if guess < beta && low > -BEYOND {
            let value = self.search_to_depth(node, shallow, low, low + 1);
            found = (value <= low).then_some(beta - 1);
        }
        self.boldness.probes -= 1;
        found.filter(|_| !self.is_idle())
    }

    /// The move of a node that is searched a ply deeper than the others, unless that is to the end, because it is singular: so much better than
    /// all of them that the value hangs on it (Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
    /// searching", *Artificial Intelligence* 43, 1990).
    ///
    /// Where a move is to be played, searches compare the moves, with what is `known` of the node: that finds better moves in the same time. Where
    /// values are wanted, static values compare them: what searches find depends on what the table holds, and a value should depend on what else
    /// was asked as little as can be. The moves of the position in question are all searched to the same depth.
    pub(super) fn singular(
        &mut self,
        node: &Node<E::State>,
        depth: u8,
        known: Option<Entry>,
        children: &Candidates,
    ) -> Option<Square> {
        let empties = node.position.empty_count();
        let from = SINGULAR_FROM.max(cut_from(empties));
        if !self.boldness.extends() || depth < from || empties.are_within(depth) || children.len() == 1 {
            None
        } else if self.shared.is_analysis {
            self.singular_by_static_values(node, children)
        } else {
            self.singular_by_searches(node, depth, known?, children)
        }
    }

    fn singular_by_static_values(&mut self, node: &Node<E::State>, children: &Candidates) -> Option<Square> {
        let (mut best, mut second, mut square) = (-BEYOND, -BEYOND, None);
        for candidate in children.iter() {
            let value = -self.leaf(&self.after(node, candidate.square, candidate.turned));
            if value > best {
                (best, second, square) = (value, best, Some(candidate.square));
            } else {
                second = second.max(value);
            }
        }
        square.filter(|_| best < STATIC_LIMIT && best - second >= STATIC_MARGIN)
    }

    /// The first move, if the table knows it as the best one.
    fn singular_by_searches(
        &mut self,
        node: &Node<E::State>,
        depth: u8,
        known: Entry,
        children: &Candidates,
    ) -> Option<Square> {
        let is_deep_enough = known.depth + SINGULAR_KNOWN >= depth && known.depth != TO_THE_END;
        let first = known.best.filter(|&best| best == children[0].square)?;
        if !is_deep_enough || known.lower.abs() >= STATIC_LIMIT {
            return None;
        }
        let limit = known.lower - SEARCHED_MARGIN;
        self.boldness.is_comparing = true;
        let is_singular = !children[1..].iter().any(|other| {
            let child = self.after(node, other.square, other.turned);
            -self.value(&child, comparing_depth(depth), -limit, 1 - limit) >= limit
        });
        self.boldness.is_comparing = false;
        is_singular.then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{EvaluatorKind, with_incremental};
    use crate::search::alpha_beta::walk::Shared;
    use crate::search::transposition::TranspositionTable;
    use crate::search::{Control, Limits, Task};
    use crate::testing::random_position;

    /// Calls `test` with a walk at each position, its node and its moves.
    macro_rules! at_each {
        ($positions:expr, $is_analysis:expr, |$position:ident, $walk:ident, $node:ident, $children:ident| $test:block) => {
            for $position in $positions {
                let mut task = Task::new($position, EvaluatorKind::Pattern.build());
                task.is_analysis = $is_analysis;
                let (table, control) = (TranspositionTable::new(1 << 16), Control::with_limits(Limits::default()));
                with_incremental!(&*task.evaluator, evaluation => {
                    let shared = Shared::new(evaluation, &task, &table, &control);
                    let mut $walk = Walk::new(&shared);
                    let $node = $walk.node($position);
                    let mut $children = Candidates::none();
                    $children.add(&$position, $position.moves());
                    $test
                });
            }
        };
    }

    #[test]
    fn for_a_value_a_move_is_singular_if_the_static_values_of_all_others_are_worse_by_the_margin() {
        let mut seen = [0; 2];
        let positions = (0..60).map(|seed| random_position(seed, 30 + seed as u32 % 28));
        at_each!(positions, true, |position, walk, node, children| {
            let mut values: Vec<(i32, Square)> =
                children.iter().map(|child| (-walk.leaf(&walk.node(child.child)), child.square)).collect();
            values.sort_by_key(|&(value, _)| -value);
            let expected = values
                .first()
                .filter(|best| best.0 < STATIC_LIMIT)
                .filter(|best| values.get(1).is_some_and(|second| best.0 - second.0 >= STATIC_MARGIN))
                .map(|best| best.1);
            let from = if position.empty_count().count() > 52 { 8 } else { SINGULAR_FROM };
            let bold = Boldness::of(Selectivity::BOLDEST);
            // What the table holds does not count.
            let (lower, depth, best) = (-STATIC_LIMIT + 1, from, children.first().map(|child| child.square));
            let known = [None, Some(Entry { lower, upper: BEYOND, depth, selectivity: Selectivity::BOLDEST, best })];
            let mut singular = |boldness, depth| {
                walk.boldness = boldness;
                let [without, with] = known.map(|known| walk.singular(&node, depth, known, &children));
                assert_eq!(without, with, "{position} {depth}");
                with
            };
            assert_eq!(singular(bold, from), expected, "{position}");
            assert_eq!(singular(bold, from + 7), expected, "{position}");
            for depth in [from - 1, position.empty_count().count()] {
                assert_eq!(singular(bold, depth), None, "{position} {depth}");
            }
            for boldness in [
                Boldness::of(Selectivity::NONE),
                Boldness { is_comparing: true, ..bold },
                Boldness { probes: 1, ..bold },
                bold.without_probes(),
            ] {
                assert_eq!(singular(boldness, from), None, "{position} {boldness:?}");
            }
            seen[usize::from(expected.is_some())] += 1;
        });
        assert!(seen.iter().all(|&n| n > 5), "{seen:?}");
    }

    #[test]
    fn in_a_game_a_move_is_singular_if_all_others_are_worse_by_more_than_the_margin() {
        let positions = (0..20).map(|seed| random_position(seed, 36 + 20 * (seed as u32 % 2)));
        at_each!(positions.filter(|position| position.moves().count() > 1), false, |position, walk, node, children| {
            let from = if position.empty_count().count() > 52 { 8 } else { SINGULAR_FROM };
            walk.boldness = Boldness::of(Selectivity::BOLDEST);
            let others = &children[1..];
            let value = |child| -walk.value(&walk.node(child), comparing_depth(from), -BEYOND, BEYOND);
            let best_of_others = others.iter().map(|other| other.child).map(value).max().unwrap();
            let lower = best_of_others + SEARCHED_MARGIN + 1;
            let (depth, best) = (from - SINGULAR_KNOWN, Some(children[0].square));
            let known = Entry { lower, upper: BEYOND, depth, selectivity: Selectivity::BOLDEST, best };
            let mut singular = |boldness, depth, known| {
                walk.boldness = boldness;
                walk.singular(&node, depth, Some(known), &children)
            };
            let bold = Boldness::of(Selectivity::BOLDEST);
            assert_eq!(singular(bold, from, known), best, "{position}");
            for (boldness, depth, known) in [
                (bold, from, Entry { lower: lower - 1, ..known }),
                (bold, from, Entry { best: Some(others[0].square), ..known }),
                (bold, from, Entry { depth: known.depth - 1, ..known }),
                (bold, from, Entry { depth: TO_THE_END, ..known }),
                (bold, from, Entry { lower: STATIC_LIMIT, ..known }),
                (bold, from - 1, known),
                (Boldness::of(Selectivity::NONE), from, known),
                (Boldness { is_comparing: true, ..bold }, from, known),
                (Boldness { probes: 1, ..bold }, from, known),
            ] {
                assert_eq!(singular(boldness, depth, known), None, "{position} {boldness:?} {known:?}");
            }
        });
    }
}
