//! What the leaves of a best-first tree are worth.

use crate::eval::Evaluator;
use crate::game::Game;
use crate::othello::Color;
use crate::search::tree::Node;
use crate::search::{Contempt, Score};
use strum::{Display, VariantArray};

/// How a draw enters the paper's end-of-game values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Display, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Tie {
    /// −∞ + 1 for the side that thinks: hardly better than a loss, as Korf and Chickering have it. The other side of the
    /// search strives for it as for a win.
    #[default]
    Korf,
    /// Worth nothing to either side.
    Zero,
}

/// What a finished game is worth to the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndValues {
    /// ±∞ for a win or a loss, wins and losses among themselves ordered by their size; the search is over when the
    /// principal leaf is won (Korf and Chickering, AAAI-94, "Othello Results").
    Infinite(Tie),
    /// The result itself, on the scale of the static values; a proven win is preferred to any estimate.
    Outcome,
    /// The result, but that any win is worth more than any estimate and any loss less: who wins comes first, by how much
    /// second.
    WinFirst,
    /// The result itself, and its sign means nothing: the game is about the sum, as the random trees are.
    Sum,
}

/// The paper's ∞, beyond every static value; the size of a win comes on top.
pub(crate) const WIN: i32 = 1 << 30;

/// What a win counts beside its size where wins come first: beyond every static value, and exact as an `f32`.
const WON: i32 = 1 << 20;

/// Work done by the best-first family.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// Positions generated, and those visited by exact solving.
    pub nodes: u64,
    /// Static evaluations made; every node of an exact solve counts as one.
    pub evaluations: u64,
    /// Nodes given children, also those in linear space.
    pub expansions: u64,
    /// Expansions in linear space, which [`Work::expansions`] includes.
    pub linear_nodes: u64,
    /// Nodes freed by pruning.
    pub pruned_nodes: u64,
}

/// How positions get their values, for one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rules {
    pub ends: EndValues,
    pub contempt: Contempt,
    /// The side that thinks: MAX of the paper.
    pub max: Color,
}

impl Rules {
    /// Whether values stored under these rules mean the same under those.
    pub fn agree_with(&self, other: &Rules) -> bool {
        let own_sided = self.ends == EndValues::Infinite(Tie::Korf);
        (self.ends, self.contempt) == (other.ends, other.contempt) && (!own_sided || self.max == other.max)
    }

    /// The node of a new position: its result if the game is over, else its static value.
    #[inline]
    pub(crate) fn new_node<G: Game>(
        &self,
        turn: Option<G::Move>,
        position: &G,
        evaluator: &dyn Evaluator<G>,
        work: &mut Work,
    ) -> Node<G::Move> {
        work.nodes += 1;
        if position.is_over() {
            return Node::solved(turn, self.outcome(position));
        }
        work.evaluations += 1;
        Node::leaf(turn, evaluator.evaluate(position))
    }

    /// The value of a finished game for its side to move.
    pub fn outcome<G: Game>(&self, position: &G) -> i32 {
        let EndValues::Infinite(tie) = self.ends else {
            return self.result(self.contempt.outcome(position));
        };
        match position.outcome() {
            0 if self.contempt != Contempt::NONE || tie == Tie::Zero => self.contempt.outcome(position),
            0 if position.mover() == self.max => 1 - WIN,
            0 => WIN - 1,
            outcome if outcome > 0 => WIN + outcome,
            outcome => outcome - WIN,
        }
    }

    /// What a result is worth that a solver has found, draws as the contempt has them.
    #[inline]
    pub fn result(&self, result: i32) -> i32 {
        if self.ends == EndValues::WinFirst { result + WON * result.signum() } else { result }
    }

    /// Whether a value says that the principal leaf is a game won by the side to which the value belongs, and that this ends the search.
    pub fn is_final_win(&self, value: i32) -> bool {
        matches!(self.ends, EndValues::Infinite(_)) && value >= WIN
    }

    /// A value as clients see it.
    pub fn score(&self, value: i32) -> Score {
        Score::from_units(match value {
            WIN.. => value - WIN,
            _ if value <= -WIN => value + WIN,
            _ if value.abs() == WIN - 1 => 0,
            _ if self.ends == EndValues::WinFirst && value.abs() >= WON / 2 => value - WON * value.signum(),
            _ => value,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::STATIC_LIMIT;
    use crate::game::DISC;
    use crate::testing::random_position;
    use EndValues::{Infinite, Outcome, WinFirst};

    #[test]
    fn results_are_shown_as_the_discs_that_they_stand_for() {
        let mut found = [0; 3];
        for position in (0..100).map(|seed| random_position(seed, 0)).filter(Game::is_over) {
            let outcome = Game::outcome(&position);
            found[(outcome.signum() + 1) as usize] += 1;
            for ends in [Infinite(Tie::Korf), Infinite(Tie::Zero), Outcome, WinFirst] {
                let rules = Rules { ends, contempt: Contempt::NONE, max: Color::Black };
                let value = rules.outcome(&position);
                assert_eq!(rules.score(value), Score::from_units(outcome), "{ends:?}");
                assert_eq!(rules.is_final_win(value), matches!(ends, Infinite(_)) && outcome > 0, "{ends:?} {outcome}");
                // A draw is no win for either side, and to Korf's MAX next to a loss.
                let is_draw_lost = ends == Infinite(Tie::Korf) && position.mover() == Color::Black;
                assert!(outcome != 0 || (value < 0) == is_draw_lost, "{ends:?} {value}");
            }
        }
        assert!(found.iter().all(|&number| number > 0), "{found:?}");
    }

    #[test]
    fn values_stay_where_the_rules_say_the_same() {
        let some = Contempt::new(5).unwrap();
        for (ends, other, contempt, max, agree) in [
            (Infinite(Tie::Korf), Infinite(Tie::Korf), Contempt::NONE, Color::Black, true),
            (Infinite(Tie::Korf), Infinite(Tie::Korf), Contempt::NONE, Color::White, false),
            (Infinite(Tie::Zero), Infinite(Tie::Zero), Contempt::NONE, Color::White, true),
            (Outcome, Outcome, Contempt::NONE, Color::White, true),
            (Outcome, Outcome, some, Color::Black, false),
            (Outcome, WinFirst, Contempt::NONE, Color::Black, false),
        ] {
            let rules = Rules { ends, contempt: Contempt::NONE, max: Color::Black };
            assert_eq!(rules.agree_with(&Rules { ends: other, contempt, max }), agree, "{ends:?} {max:?}");
        }
    }

    #[test]
    fn where_wins_come_first_results_keep_their_order_and_leave_estimates_between_them() {
        let rules = Rules { ends: EndValues::WinFirst, contempt: Contempt::NONE, max: Color::Black };
        let results: Vec<i32> = (-64..=64).map(|discs| discs * DISC).collect();
        let worth: Vec<i32> = results.iter().map(|&result| rules.result(result)).collect();
        assert!(worth.is_sorted_by(|a, b| a < b));
        for (result, worth) in results.into_iter().zip(worth) {
            assert_eq!(rules.result(-result), -worth);
            assert_eq!(rules.score(worth), Score::from_units(result));
            assert!(result == 0 || worth.abs() > STATIC_LIMIT, "a result of {result} is no estimate");
            assert_eq!(worth as f32 as i32, worth, "the exploration term is added to it");
        }
        for estimate in [-STATIC_LIMIT, -1, 77, STATIC_LIMIT] {
            assert_eq!(rules.score(estimate), Score::from_units(estimate));
        }
    }
}
