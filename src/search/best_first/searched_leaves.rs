//! What the children of a leaf are worth: one principal variation search for all of them, which shares its table with every
//! other, or the result where it is cheap to have.

use super::{Leaves, Rules, SOLVED_EMPTIES, Work};
use crate::eval::{ErrorModel, Incremental, SPREAD_UNIT, STATIC_LIMIT};
use crate::game::DISC;
use crate::othello::{Bitboard, Empties, Position, Square, flips};
use crate::search::alpha_beta::walk::{self, Shared, Walk};
use crate::search::ordering::Candidates;
use crate::search::selectivity::Selectivity;
use crate::search::tree::Node;
use crate::search::{BEYOND, INFINITY};

/// Standard deviations below the best move's value from which on values of moves are not distinguished.
const MARGIN: f32 = 1.2;
/// What a static leaf of a tree is worth to its side to move beyond the tempo, in units of [`DISC`], where there is an error model. The tree
/// expands the leaves that look best for the side that has just moved. So the leaf that the root's value comes from is more often too good
/// for that side than too bad. Searched leaves have the tempo alone. Measured: `docs/lab-notebook.md`, "The selection bias of leaves".
const SELECTION_BIAS: i32 = 5 * DISC / 4;
/// Depth in plies of the search whose deviation from one of half the depth stands for the evaluation's error.
const ERROR_DEPTH: u8 = 8;
/// The error of evaluations without an error model, in discs.
const UNKNOWN_ERROR: i32 = 4;

/// Standard deviation of the evaluation's error in the positions of a search from `empties` empty squares, in units of [`DISC`].
pub(crate) fn evaluation_error(model: Option<&ErrorModel>, empties: Empties) -> f32 {
    model.map_or(UNKNOWN_ERROR * DISC, |model| model.midgame(empties, ERROR_DEPTH)) as f32
}

/// Positions that the solver visits on average to solve a position with `empties` empty squares, by an exponential that was fitted to
/// positions of self-play with 8 to 18 empty squares.
pub(super) fn solving_cost(empties: Empties) -> f64 {
    (0.69 * f64::from(empties.count()) - 0.4).exp()
}

/// Number of empty squares up to which a position has children that are solved.
const SOLVED_BELOW: Empties = Empties::new(7).unwrap();
/// Positions that solving a child may cost where leaves are static; twice as many for each ply that they are searched.
const CHILD_TO_SOLVE: f64 = 180.0;

/// Positions between two looks at the clock: some ten microseconds.
const LOOK_EVERY: u64 = 256;

/// One thread's searches below leaves.
pub(super) struct SearchedLeaves<'a, E: Incremental> {
    walk: Walk<'a, E>,
    /// The rules by which results have values.
    pub(super) rules: Rules,
    /// The selectivity of the searches that do not reach the end of the game.
    selectivity: Selectivity,
    /// Plies that the children are searched, 0 where they have static values.
    pub(super) depth: u8,
    /// What says how far the values of single positions may err.
    spreads: Option<&'a ErrorModel>,
    /// Nodes and evaluations not yet added to the shared counts at which it is time to look at the clock.
    next_look: (u64, u64),
}

impl<'a, E: Incremental> SearchedLeaves<'a, E> {
    /// Leaves whose children are searched `depth` plies. Their values may err as `spreads` says by position; without it, all alike.
    pub(super) fn new(
        shared: &'a Shared<'a, E>,
        rules: Rules,
        selectivity: Selectivity,
        depth: u8,
        spreads: Option<&'a ErrorModel>,
    ) -> SearchedLeaves<'a, E> {
        let selectivity = shared.possible(selectivity);
        SearchedLeaves { walk: Walk::new(shared), rules, selectivity, depth, spreads, next_look: (0, 0) }
    }

    /// Whether new nodes have static values.
    pub(super) fn are_static(&self) -> bool {
        self.depth == 0
    }

    /// Adds this thread's counts to the shared ones, and looks at the limits and at the clock. Returns whether the search must stop.
    pub(super) fn check_limits(&mut self) -> bool {
        let stopped = self.walk.report_counts() || self.walk.shared.control.is_past_soft_time();
        let (nodes, evaluations) = self.walk.shared.counts();
        let (nodes_left, evaluations_left) = self.walk.shared.control.limits().left(nodes, evaluations);
        let most = LOOK_EVERY.min(self.walk.shared.slack);
        self.next_look = (nodes_left.min(most), evaluations_left.min(most));
        stopped
    }

    /// Whether the search must stop. Looks at the clock and at what the others have counted only every few hundred positions. One thread
    /// keeps limits on counts all the same, but for the last few empty squares, where the solver does not ask.
    #[inline]
    pub(super) fn must_stop_now(&mut self) -> bool {
        let (nodes, evaluations) = self.walk.unreported();
        (nodes >= self.next_look.0 || evaluations >= self.next_look.1 || self.walk.shared.is_stopped())
            && self.check_limits()
    }

    /// The children with their static values, or results where the game is over.
    fn static_children(&mut self, position: &Position, moves: Bitboard, nodes: &mut Vec<Node<Square>>) {
        let node = self.walk.node(*position);
        if moves.is_empty() {
            let passed = self.walk.node(position.pass());
            nodes.push(self.static_child(None, &passed));
        }
        for square in moves {
            let turned = flips(square, position.player(), position.opponent());
            let child = self.walk.after(&node, square, turned);
            nodes.push(self.static_child(Some(square), &child));
        }
        self.walk.count_visited(nodes.len() as u64);
    }

    #[inline]
    fn static_child(&mut self, turn: Option<Square>, child: &walk::Node<E::State>) -> Node<Square> {
        let is_over = child.position.moves().is_empty() && child.position.is_over();
        let value = self.walk.leaf(child);
        if is_over {
            Node::solved(turn, self.rules.result(value))
        } else {
            let bias = if self.walk.shared.errors.is_some() { SELECTION_BIAS } else { 0 };
            let value = (value + bias).clamp(-STATIC_LIMIT, STATIC_LIMIT);
            Node { spread: self.spread(&child.position), ..Node::leaf(turn, value) }
        }
    }

    /// How far the value of a position may err.
    #[inline]
    fn spread(&self, position: &Position) -> u8 {
        self.spreads.map_or(SPREAD_UNIT, |errors| errors.spread(position))
    }

    /// Whether a child gets its result instead of an estimate.
    fn is_solved(&self, child: &Position) -> bool {
        child.is_over() || solving_cost(child.empty_count()) <= CHILD_TO_SOLVE * 2.0_f64.powi(self.depth.into())
    }

    /// The value of a child for the side that moves there, a bound if it is at most the floor.
    fn child(&mut self, child: &Position, exact: bool, floor: i32) -> i32 {
        self.walk.boldness.selectivity = if exact { Selectivity::NONE } else { self.selectivity };
        let depth = if exact { u8::MAX } else { self.depth };
        let node = self.walk.node(*child);
        if floor > -BEYOND {
            let value = -self.walk.value(&node, depth, -floor - 1, -floor);
            if value <= floor {
                return value;
            }
        }
        -self.walk.value(&node, depth, -BEYOND, -floor)
    }
}

impl<E: Incremental> Leaves<Position> for SearchedLeaves<'_, E> {
    /// Values within the margin of the best are those of a search of [`SearchedLeaves::depth`] plies; the others have a bound on the
    /// child's side: they are at least that far behind.
    fn children(&mut self, position: &Position, nodes: &mut Vec<Node<Square>>, _: &mut Work) -> bool {
        let shared = self.walk.shared;
        nodes.clear();
        let moves = position.moves();
        if self.depth == 0 && position.empty_count() > SOLVED_BELOW {
            self.static_children(position, moves, nodes);
            return true;
        }
        let mut children: Vec<(Option<Square>, Position)> = Vec::with_capacity(16);
        if moves.is_empty() {
            children.push((None, position.pass()));
        } else {
            let mut candidates = Candidates::none();
            candidates.add(position, moves);
            let first = shared.table.probe(position).and_then(|entry| entry.best);
            let node = self.walk.node(*position);
            self.walk.sort(&mut candidates, &node, self.depth + 1, false, -BEYOND, first);
            children.extend(candidates.iter().map(|candidate| (Some(candidate.square), candidate.child)));
        }
        let margin = (MARGIN * evaluation_error(shared.errors, position.empty_count())) as i32;
        let mut best = -BEYOND;
        for (turn, child) in children {
            // Siblings of a result are of no use but for a better one; estimates will change.
            let exact = self.is_solved(&child);
            let floor = if exact { best } else { (best - margin).max(-BEYOND) };
            let value = self.child(&child, exact, floor);
            if shared.is_stopped() {
                return false;
            }
            best = best.max(value);
            let mut node = Node { spread: self.spread(&child), ..Node::leaf(turn, -value) };
            if exact {
                node.value = self.rules.result(-value);
                node.lower = node.value;
                // A value up to the floor is only a bound.
                node.upper = if value > floor || child.is_over() { node.value } else { INFINITY };
            }
            nodes.push(node);
        }
        true
    }

    fn node(&mut self, turn: Option<Square>, position: &Position, _: &mut Work) -> Node<Square> {
        if position.is_over() {
            return Node::solved(turn, self.rules.outcome(position));
        }
        // Without the selection bias that the tree's static leaves have: with it, linear space plays worse (`docs/lab-notebook.md`).
        Node::leaf(turn, -self.child(position, false, -BEYOND))
    }

    fn solve(&mut self, position: &Position, _: &mut Work) -> Option<Option<i32>> {
        (position.empty_count() <= SOLVED_EMPTIES).then(|| {
            let result = -self.child(position, true, -BEYOND);
            (!self.walk.shared.is_stopped()).then_some(result)
        })
    }

    fn must_stop(&mut self, work: &mut Work) -> bool {
        let must_stop = self.must_stop_now();
        (work.nodes, work.evaluations) = self.walk.shared.counts();
        must_stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{EvaluatorKind, FromScratch};
    use crate::search::best_first::EndValues;
    use crate::search::tests::open_positions;
    use crate::search::transposition::TranspositionTable;
    use crate::search::tree::after;
    use crate::search::{Contempt, Control, Limits, MinimaxKind, Task, plain_minimax};
    use crate::testing::{random_position, tournament_positions};

    /// Makes `$search` a search of leaves below `$position`, `$depth` plies deep and of full width.
    macro_rules! leaf_search {
        ($position:ident, $evaluator:ident, $depth:expr, $search:ident) => {
            let task = Task::new($position, $evaluator.clone());
            let table = TranspositionTable::new(1 << 16);
            let control = Control::with_limits(Limits::default());
            let evaluation = FromScratch(&*$evaluator);
            let shared = Shared::new(&evaluation, &task, &table, &control);
            let rules = Rules { ends: EndValues::WinFirst, contempt: Contempt::NONE, max: $position.mover() };
            #[allow(unused_mut)]
            let mut $search = SearchedLeaves::new(&shared, rules, Selectivity::NONE, $depth, shared.errors);
        };
    }

    /// Full width, the children near the best one have the values of plain minimax, and the others are worse than that.
    #[test]
    fn children_have_the_values_of_minimax_or_are_far_behind() {
        for (_, position) in open_positions(0..30, |seed| 20 + (seed % 20) as u32) {
            let evaluator = EvaluatorKind::Mobility.build();
            leaf_search!(position, evaluator, 2, search);
            let mut children = Vec::new();
            assert!(search.children(&position, &mut children, &mut Work::default()));
            assert_eq!(children.len() as u32, position.moves().count().max(1));
            let best = children.iter().map(|child| -child.value).max().unwrap();
            let itself = search.node(None, &position, &mut Work::default());
            let by_minimax = |position: &Position| {
                plain_minimax(MinimaxKind::AlphaBeta, position, 2, &*evaluator, Contempt::NONE, &mut |_| false).value
            };
            assert_eq!(itself.value, by_minimax(&position), "{position}");
            let mut near = 0;
            for child in &children {
                let after = after(&position, child.turn);
                let plain = by_minimax(&after);
                let margin = (MARGIN * evaluation_error(None, Empties::NONE)) as i32;
                if -child.value > best - margin {
                    assert_eq!(child.value, plain, "{position} {:?}", child.turn);
                    near += 1;
                } else {
                    assert!(-plain <= best - margin, "{position} {:?}", child.turn);
                }
            }
            assert!(near > 0);
        }
    }

    /// How much the value of a leaf rises on average in discs when the leaf is expanded, by static values alone and with the tempo. The
    /// leaves come behind positions of tournament games, which no evaluation has chosen. [`SELECTION_BIAS`] is taken out.
    fn rise_of_leaves(kind: EvaluatorKind) -> [f32; 2] {
        let evaluator = kind.build();
        let (mut by_static, mut corrected, mut leaves) = (0, 0, 0);
        for position in tournament_positions() {
            leaf_search!(position, evaluator, 0, search);
            let [mut leaf, mut child] = [Vec::new(), Vec::new()];
            assert!(search.children(&position, &mut leaf, &mut Work::default()));
            for node in leaf {
                let after = after(&position, node.turn);
                if node.is_solved() {
                    continue;
                }
                assert!(search.children(&after, &mut child, &mut Work::default()));
                if child.iter().any(|node| node.is_solved()) {
                    continue;
                }
                let value = child.iter().map(|node| -node.value).max().unwrap();
                let tempo = |empties| evaluator.error_model().unwrap().tempo(empties);
                let empties = after.empty_count();
                let by_tempo = value + SELECTION_BIAS - (node.value - SELECTION_BIAS);
                corrected += by_tempo;
                by_static += by_tempo + tempo(empties.after(1)) + tempo(empties);
                leaves += 1;
            }
        }
        [by_static, corrected].map(|sum| sum as f32 / (leaves * DISC) as f32)
    }

    /// The tempo of `pattern-linear` corrects a rise of more than two discs. That of `pattern` is near 0: its weights know such leaves.
    #[test]
    fn leaves_keep_their_value_on_average_when_they_are_expanded() {
        let [by_static, corrected] = rise_of_leaves(EvaluatorKind::PatternLinear);
        assert!(by_static > 2.0 && corrected.abs() < by_static / 2.0, "{by_static} {corrected}");
        let [_, corrected] = rise_of_leaves(EvaluatorKind::Pattern);
        assert!(corrected.abs() < 1.0, "{corrected}");
    }

    #[test]
    fn values_of_positions_with_few_moves_may_err_more() {
        let evaluator = EvaluatorKind::Pattern.build();
        let errors = evaluator.error_model();
        let mut spreads = std::collections::BTreeSet::new();
        for (seed, depth) in (0..20).zip([0, 2].into_iter().cycle()) {
            let position = random_position(seed, 30);
            leaf_search!(position, evaluator, depth, search);
            let mut children = Vec::new();
            assert!(position.is_over() || search.children(&position, &mut children, &mut Work::default()));
            for child in children.iter().filter(|child| !child.is_solved()) {
                let after = after(&position, child.turn);
                assert_eq!(child.spread, errors.unwrap().spread(&after), "{after}");
                spreads.insert(child.spread);
            }
            search.spreads = None;
            assert!(position.is_over() || search.children(&position, &mut children, &mut Work::default()));
            assert!(children.iter().all(|child| child.spread == SPREAD_UNIT));
        }
        assert!(spreads.len() > 10, "{spreads:?}");
    }
}
