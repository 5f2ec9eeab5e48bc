//! What is searched less deep than the rest, and what deeper: cuts by shallower searches (ProbCut) and singular extensions.

use super::walk::{Node, Walk};
use crate::eval::{Incremental, MOST_EMPTIES_OF_FIT, STATIC_LIMIT, shallow_depth, shallow_depth_to_end};
use crate::game::DISC;
use crate::othello::Empties;
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
/// How many plies less deep the search may have been whose best move may be singular.
const SINGULAR_KNOWN: u8 = 3;
/// How much worse all other moves must be, in units of [`DISC`].
const SINGULAR_MARGIN: i32 = 2 * DISC;

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

    /// How many plies deeper the first of a node's moves is searched: one if it is the move that the table knows and singular, so much better
    /// than all others by a shallow search of these that the value hangs on it (Anantharaman, Campbell and Hsu, "Singular extensions:
    /// adding selectivity to brute-force searching", *Artificial Intelligence* 43, 1990).
    pub(super) fn extension(
        &mut self,
        node: &Node<E::State>,
        depth: u8,
        known: Option<Entry>,
        children: &Candidates,
    ) -> u8 {
        let is_deep_enough = |known: &Entry| known.depth + SINGULAR_KNOWN >= depth && known.depth != TO_THE_END;
        let Some(known) = known.filter(is_deep_enough) else { return 0 };
        let from = SINGULAR_FROM.max(cut_from(node.position.empty_count()));
        let is_first = known.best == Some(children[0].square);
        let is_estimate = known.lower.abs() < STATIC_LIMIT;
        if !self.boldness.extends() || depth < from || children.len() == 1 || !is_first || !is_estimate {
            return 0;
        }
        let limit = known.lower - SINGULAR_MARGIN;
        self.boldness.is_comparing = true;
        let is_singular = !children[1..].iter().any(|other| {
            let child = self.after(node, other.square, other.turned);
            -self.value(&child, comparing_depth(depth), -limit, 1 - limit) >= limit
        });
        self.boldness.is_comparing = false;
        u8::from(is_singular)
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

    #[test]
    fn a_move_is_singular_if_all_others_are_worse_by_more_than_the_margin() {
        const DEPTH: u8 = SINGULAR_FROM;
        for position in (0..20).map(|seed| random_position(seed, 36)).filter(|position| position.moves().count() > 1) {
            let task = Task::new(position, EvaluatorKind::Pattern.build());
            let (table, control) = (TranspositionTable::new(1 << 16), Control::with_limits(Limits::default()));
            with_incremental!(&*task.evaluator, evaluation => {
                let shared = Shared::new(evaluation, &task, &table, &control);
                let mut walk = Walk::new(&shared);
                walk.boldness = Boldness::of(Selectivity::BOLDEST);
                let node = walk.node(position);
                let mut children = Candidates::none();
                children.add(&position, position.moves());
                let others = &children[1..];
                let value = |child| -walk.value(&walk.node(child), comparing_depth(DEPTH), -BEYOND, BEYOND);
                let best_of_others = others.iter().map(|other| other.child).map(value).max().unwrap();
                let lower = best_of_others + SINGULAR_MARGIN + 1;
                let (depth, best) = (DEPTH - SINGULAR_KNOWN, Some(children[0].square));
                let known = Entry { lower, upper: BEYOND, depth, selectivity: Selectivity::BOLDEST, best };
                let mut extension = |boldness, depth, known| {
                    walk.boldness = boldness;
                    walk.extension(&node, depth, Some(known), &children)
                };
                let bold = Boldness::of(Selectivity::BOLDEST);
                assert_eq!(extension(bold, DEPTH, known), 1, "{position}");
                for (boldness, depth, known) in [
                    (bold, DEPTH, Entry { lower: lower - 1, ..known }),
                    (bold, DEPTH, Entry { best: Some(others[0].square), ..known }),
                    (bold, DEPTH, Entry { depth: known.depth - 1, ..known }),
                    (bold, DEPTH, Entry { depth: TO_THE_END, ..known }),
                    (bold, DEPTH, Entry { lower: STATIC_LIMIT, ..known }),
                    (bold, DEPTH - 1, known),
                    (Boldness::of(Selectivity::NONE), DEPTH, known),
                    (Boldness { is_comparing: true, ..bold }, DEPTH, known),
                    (Boldness { probes: 1, ..bold }, DEPTH, known),
                ] {
                    assert_eq!(extension(boldness, depth, known), 0, "{position} {boldness:?} {known:?}");
                }
            });
        }
    }
}
